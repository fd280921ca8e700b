// The rules of a game as data, and as arrays for the solver.
//
// A game is { slug, name, target, chip, modes }. A mode is
//   name      of the state of the dice in a turn; a turn begins with a roll in the first mode,
//   hold      whether the player may hold; without outcomes the player must,
//   asks      whether the player takes a choice before the dice are rolled (its one outcome is certain),
//   beyond    [finish, reset]: how a turn ends that is in this mode at the target or beyond it,
//   outcomes  [probability, result] of a roll; the result is "bust", "reset" or a list of choices
//             [points, next mode, dice set aside as text or nothing],
//   dice, faces, rolls   for showing dice: `dice` dice with these equally likely faces; `rolls` has one character for
//             each combination of faces in ascending order, the number of its outcome above FIRST_ROLL.
// A game of the catalogue also has `words`, its rules in sentences. Scores count points, or chips of `chip` points.

export const FIRST_ROLL = 192;
export const MOST_FACES = 20;
export const MOST_TARGET = 200;
export const FAIR = [1 / 6, 0, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6];

// Pig with one die: die[0] is the probability of a bust, die[f] that of f points. The weights need not sum to 1.
export function pigOf(die, target, name = "Pig") {
  const sum = die.reduce((total, weight) => total + weight, 0);
  if (!die.every((weight) => weight >= 0) || !(sum > die[0])) {
    throw new RangeError("A die needs weights of at least 0, and one above 0 for a face that scores.");
  }
  if (!(Number.isInteger(target) && target >= 1)) {
    throw new RangeError("The target must be a whole number of at least 1.");
  }
  const results = die.map((weight, face) => [weight / sum, face ? [[face, 0]] : "bust"]);
  const outcomes = results.filter(([chance]) => chance > 0);
  const mode = { name: "roll", hold: true, asks: false, beyond: [1, 0], outcomes };
  return { slug: "die", name, target, chip: 1, modes: [mode] };
}

export const withTarget = (game, target) => ({ ...game, target });

export const hasResets = (game) => game.modes.some((mode) => mode.outcomes.some(([, result]) => result === "reset"));

const choicesOf = (result) => (typeof result === "string" ? [] : result);

export const nameOf = ([points, next, aside], game) =>
  aside ? `keep ${aside}` : points ? `take ${points}, ${game.modes[next].name}` : game.modes[next].name;

// The modes in an order in which each comes after those to which it leads with 0 points.
function orderOf(modes) {
  const order = [];
  const visit = (m) => {
    if (order.includes(m)) return;
    const choices = modes[m].outcomes.flatMap(([, result]) => choicesOf(result));
    choices.filter(([points]) => !points).forEach(([, next]) => visit(next));
    order.push(m);
  };
  modes.forEach((_, m) => visit(m));
  return order;
}

const sumOf = (mode, result) => mode.outcomes.reduce((sum, [p, other]) => sum + (other === result ? p : 0), 0);

function cumulated(sizes) {
  const sums = new Int32Array(sizes.length + 1);
  sizes.forEach((size, k) => (sums[k + 1] = sums[k] + size));
  return sums;
}

const hasOneChoice = (outcome) => outcome.choices.length === 1;

// The outcomes of a mode that score, those with several choices last.
function scoringOf(mode) {
  const outcomes = mode.outcomes.map(([p, result], number) => ({ p, choices: choicesOf(result), number }));
  const scoring = outcomes.filter(({ choices }) => choices.length);
  return [...scoring.filter(hasOneChoice), ...scoring.filter((outcome) => !hasOneChoice(outcome))];
}

// The rules as arrays: M modes; the scoring outcomes mode by mode, those with several choices last (from several[m] on);
// the choices outcome by outcome. `number` is an outcome's index in its mode. With r points missing, mode m has the index
// (width - 1 + r)·M + m. A choice leads to the index of mode 0 minus `back`; `onward` is `back` of an outcome's first
// choice.
export function rulesOf(game) {
  const { modes } = game, size = modes.length;
  const scoring = modes.map(scoringOf);
  const flat = scoring.flat(), choices = flat.flatMap((outcome) => outcome.choices);
  const before = cumulated(scoring.map((outcomes) => outcomes.length));
  const backOf = ([points, next]) => points * size - next;
  return {
    size,
    target: game.target,
    width: Math.max(1, ...choices.map(([points]) => points)),
    order: Int32Array.from(orderOf(modes)),
    mayHold: Uint8Array.from(modes, (mode) => mode.hold),
    stops: Uint8Array.from(modes, (mode) => !mode.outcomes.length),
    bust: Float64Array.from(modes, (mode) => sumOf(mode, "bust")),
    reset: Float64Array.from(modes, (mode) => sumOf(mode, "reset")),
    resets: hasResets(game),
    finishBeyond: Float64Array.from(modes, (mode) => mode.beyond[0]),
    resetBeyond: Float64Array.from(modes, (mode) => mode.beyond[1]),
    outcomes: before,
    several: Int32Array.from(scoring, (outcomes, m) => before[m] + outcomes.filter(hasOneChoice).length),
    number: Int32Array.from(flat, (outcome) => outcome.number),
    probability: Float64Array.from(flat, (outcome) => outcome.p),
    choices: cumulated(flat.map((outcome) => outcome.choices.length)),
    points: Int32Array.from(choices, ([points]) => points),
    next: Int32Array.from(choices, ([, next]) => next),
    onward: Int32Array.from(flat, (outcome) => backOf(outcome.choices[0])),
    back: Int32Array.from(choices, backOf),
  };
}
