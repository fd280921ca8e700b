// A race in progress: the dice, the scores, the options of the player to move and the loss of every decision; see
// dicelab/views/session.py. Nothing here is shown.

import { FIRST_ROLL, nameOf, rulesOf } from "./game.js";
import { draw, shuffled } from "./random.js";
import { TIE, actionValues } from "./solver.js";

// The combinations of n faces in ascending order, as the data of a mode lists them.
function combinations(faces, n) {
  if (n === 0) return [[]];
  return faces.flatMap((face, k) => combinations(faces.slice(k), n - 1).map((rest) => [face, ...rest]));
}

const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));

// The number of orders in which a combination can fall.
function ordersOf(roll) {
  const times = new Map();
  roll.forEach((face) => times.set(face, (times.get(face) ?? 0) + 1));
  return factorial(roll.length) / [...times.values()].reduce((product, count) => product * factorial(count), 1);
}

const listed = new WeakMap();

// The rolls of each outcome of a mode, { roll, ways }; nothing if the rules do not tell the dice.
function rollsOf(mode) {
  if (!listed.has(mode)) {
    const rolls = mode.outcomes.map(() => []);
    if (mode.rolls) {
      combinations(mode.faces, mode.dice).forEach((roll, k) => {
        rolls[mode.rolls.charCodeAt(k) - FIRST_ROLL].push({ roll, ways: ordersOf(roll) });
      });
    }
    listed.set(mode, rolls);
  }
  return listed.get(mode);
}

// The number of the outcome that faces thrown in a mode lead to; -1 if they are no roll of it. Where the rules do not tell
// the dice a face says its points, and what no face scores is a bust.
export function outcomeOf(mode, faces) {
  const sorted = [...faces].sort((one, other) => one - other).join();
  if (mode.rolls) return rollsOf(mode).findIndex((rolls) => rolls.some(({ roll }) => roll.join() === sorted));
  const scores = mode.outcomes.findIndex(([, result]) => result[0][0] === faces[0]);
  const busts = faces[0] < 2 ? mode.outcomes.findIndex(([, result]) => result === "bust") : -1;
  return faces.length !== 1 ? -1 : scores < 0 ? busts : scores;
}

function diceOf(random, mode, number) {
  const rolls = rollsOf(mode)[number];
  return rolls.length ? shuffled(random, rolls[draw(random, rolls.map(({ ways }) => ways))].roll) : [];
}

// Player 0 moves first, unless `starts` is 1. `values` is the solution of the game, by which options are judged; those that
// differ by `tie` are equally good.
//
// Every action adds events to `events` and returns them: { turn, player, kind, dice, … } where the kind is
//   "rolled"  with dice, points, total, forced (whether the player must roll again), or several choices to take,
//   "kept"    with choice, points, total, forced: one of several choices was taken; "chose" if it was before the roll,
//   "bust", "reset"   with dice, lost: the turn's points that are lost,
//   "held", "won"     with total, score.
export class Race {
  constructor(game, values, random, starts = 0, tie = TIE) {
    Object.assign(this, { game, values, random, tie, rules: rulesOf(game), scores: [0, 0], winner: null });
    Object.assign(this, { events: [], decisions: [], chances: [], turn: 0, dice: [] });
    this.begin(starts);
    this.chances.push(this.chance(0));
  }

  get own() { return this.scores[this.player]; }
  get opponent() { return this.scores[1 - this.player]; }
  get target() { return this.game.target; }

  begin(player) {
    Object.assign(this, { player, total: 0, turn: this.turn + 1 });
    this.turnValues = actionValues(this.game, this.values, this.own, this.opponent);
    this.enter(0);
  }

  // Go on in a mode; where the player takes a choice before the roll, wait for that.
  enter(mode) {
    Object.assign(this, { mode, pending: null });
    const { asks, outcomes } = this.game.modes[mode];
    if (asks) this.pending = { choices: outcomes[0][1], number: 0, asked: true };
  }

  at(byMode, mode, total) {
    return byMode[mode][Math.min(total, byMode[mode].length - 1)];
  }

  // What the player to move may do: { name, value }, the value being the probability to win.
  get options() {
    if (this.winner !== null) return [];
    if (this.pending) {
      const valueOf = ([points, next]) => this.at(this.turnValues.best, next, this.total + points);
      return this.pending.choices.map((choice) => ({ name: nameOf(choice, this.game), value: valueOf(choice) }));
    }
    const mode = this.game.modes[this.mode], { turnValues, total } = this, options = [];
    if (mode.outcomes.length) options.push({ name: "roll", value: this.at(turnValues.roll, this.mode, total) });
    if (mode.hold && total > 0) options.push({ name: "hold", value: turnValues.hold[Math.min(total, turnValues.hold.length - 1)] });
    return options;
  }

  // The best option. With equal values the player holds, or takes the first choice.
  get best() {
    const { options } = this, most = Math.max(...options.map(({ value }) => value));
    const equal = options.filter(({ value }) => value >= most - this.tie);
    return this.pending ? equal[0] : equal.at(-1);
  }

  // The probability that a player wins if both play optimally from here on.
  chance(player) {
    if (this.winner !== null) return Number(this.winner === player);
    return player === this.player ? this.best.value : 1 - this.best.value;
  }

  // The option that a policy takes.
  played(policy) {
    const { options, rules } = this;
    if (options.length < 2 || this.own + this.total >= this.target) return this.best;
    const { rolls, choices } = policy.decide(this.own, this.opponent);
    if (!this.pending) return options[rolls[this.total * rules.size + this.mode] ? 0 : 1];
    return options[choices[this.total * rules.probability.length + this.outcomeIndex()]];
  }

  // The number in the rules' arrays of the outcome whose choices are pending.
  outcomeIndex() {
    const { rules, mode } = this;
    let o = rules.outcomes[mode];
    while (rules.number[o] !== this.pending.number) o++;
    return o;
  }

  // Take an option by its name, and roll these faces if some were thrown; returns the new events. RangeError if there is no
  // such option now.
  take(name, thrown = null) {
    const { options, best, events } = this, before = events.length;
    const taken = options.find((option) => option.name === name);
    if (!taken) {
      const allowed = options.map((option) => option.name).join(", ") || "nothing, the game is over";
      throw new RangeError(`"${name}" is not possible now; possible are: ${allowed}.`);
    }
    if (options.length > 1) this.record(taken, best);
    if (name === "roll" && !this.pending) this.roll(thrown);
    else if (name === "hold" && !this.pending) this.bank();
    else this.keep(this.pending.choices[options.indexOf(taken)]);
    this.chances.push(this.chance(0));
    return events.slice(before);
  }

  record(taken, best) {
    const loss = best.value - taken.value > this.tie ? best.value - taken.value : 0;
    const { turn, player, own, opponent, total } = this, dice = this.pending ? this.dice : [];
    const made = { action: taken.name, best: best.name, value: taken.value, loss };
    this.decisions.push({ turn, player, own, opponent, total, dice, ...made });
  }

  note(kind, more) {
    this.events.push({ turn: this.turn, player: this.player, kind, ...more });
  }

  roll(thrown) {
    const mode = this.game.modes[this.mode];
    const number = thrown ? outcomeOf(mode, thrown) : draw(this.random, mode.outcomes.map(([chance]) => chance));
    const result = mode.outcomes[number][1], dice = (this.dice = thrown ?? diceOf(this.random, mode, number));
    if (typeof result === "string") {
      const lost = this.total;
      if (result === "reset") this.scores[this.player] = 0;
      this.note(result, { dice, lost });
      this.begin(1 - this.player);
    } else if (result.length > 1) {
      this.note("rolled", { dice, choices: result.map((choice) => nameOf(choice, this.game)), total: this.total });
      this.pending = { choices: result, number, asked: false };
    } else this.add(result[0], "rolled", { dice });
  }

  keep(choice) {
    this.add(choice, this.pending.asked ? "chose" : "kept", { choice: nameOf(choice, this.game) });
  }

  // Add a choice's points and go on in its mode; bank at the target, if the player may hold there.
  add([points, next], kind, more) {
    const mode = this.game.modes[next];
    this.total += points;
    this.enter(next);
    this.note(kind, { ...more, points, total: this.total, forced: kind !== "chose" && !mode.hold });
    if (!mode.outcomes.length || (mode.hold && this.own + this.total >= this.target)) this.bank();
  }

  bank() {
    const { total } = this, score = (this.scores[this.player] += total);
    if (score >= this.target) {
      this.note("won", { total, score });
      this.winner = this.player;
      return;
    }
    this.note("held", { total, score });
    this.begin(1 - this.player);
  }

  // A player's decisions that cost something, the worst first.
  mistakes(player, most) {
    const wrong = this.decisions.filter((made) => made.player === player && made.loss > 0);
    return wrong.sort((one, other) => other.loss - one.loss).slice(0, most);
  }

  loss(player) {
    return this.decisions.reduce((sum, made) => (made.player === player ? sum + made.loss : sum), 0);
  }
}
