// Optimal play of two players, by pairs of scores from the target backwards: dicelab/solvers/two_player.py in short.
//
// V(a, b) is the probability that the player about to move wins who needs a points, the opponent needing b. A hold with
// r points missing is worth 1 - V(b, r), a bust 1 - V(b, a), a reset 1 - V(b, target). Within a turn we store values
// above the bust value, W - B, and the probability L to leave it, so that no digits are lost where turns nearly always
// bust. A pair x = V(a, b), y = V(b, a) is x = f(y), y = g(x). With the decisions given it is linear, so that
//     x = (A₁ + (1 - L₁)·(L₂ - A₂)) / (L₁ + L₂ - L₁·L₂),   A = W - B + L·B,
// and a Newton step takes the decisions that are best now. A pair is solved when a step is so short that it cannot
// change any decision: a bust value that changes by δ changes the difference of two action values by δ times that of
// their L, as long as all decisions stay the same.

import { hasResets, rulesOf } from "./game.js";

export const CLOSE = 1e-15;
export const CONVERGED = 1e-14;
export const TIE = 1e-12;
const SLACK = 1e-3; // how far a bust value may grow before the start of the backward pass must be found again

export class NotSolved extends Error {}

// Workspace for a turn: W - B, L and R - B by index (see rulesOf).
export function newTurn(rules) {
  const length = (rules.width + rules.target) * rules.size;
  const [value, leave, roll] = Array.from({ length: 3 }, () => new Float64Array(length));
  return { value, leave, roll, above: 0, left: 0, gap: 0 };
}

// Fill in the totals from r = start - width on to start - 1, at which every mode holds or the race is over.
export function fillHolds(rules, turn, values, row, bust, reset, start) {
  const { size, width } = rules;
  for (let r = start - width; r < start; r++) {
    for (let m = 0, at = (width - 1 + r) * size; m < size; m++, at++) {
      const finishes = rules.finishBeyond[m], resets = rules.resetBeyond[m];
      turn.value[at] = r > 0 ? 1 - values[row + r] - bust : finishes * (1 - bust) + resets * (reset - bust);
      turn.leave[at] = r > 0 ? 1 : finishes + resets;
      turn.roll[at] = r > 0 ? -Infinity : turn.value[at];
    }
  }
}

// The change of the bust value that may change a decision: an advantage over the difference of L, if that is less.
function leastGap(gap, ahead, leaveMore) {
  const size = Math.abs(ahead), slope = Math.abs(leaveMore);
  return size < gap * slope ? size / slope : gap;
}

// Evaluate a turn with the best decisions. values[row + r] is the opponent's value if r points are missing after a
// hold; with 0 < r < start every mode is known to hold. Afterwards turn.above and turn.left are R - B and L of the
// first roll, and turn.gap is the change of the bust value up to which all decisions stay the same.
export function playBest(rules, turn, values, row, bust, reset, missing, start = 1) {
  const { size, width, order, mayHold, stops, outcomes, several, choices, onward, back, probability } = rules;
  const { value, leave, roll } = turn, toReset = reset - bust;
  let gap = start > 1 ? SLACK : Infinity;
  fillHolds(rules, turn, values, row, bust, reset, start);
  for (let r = start; r <= missing; r++) {
    const base = (width - 1 + r) * size, held = 1 - values[row + r] - bust;
    for (let k = 0; k < size; k++) {
      const m = order[k], at = base + m, single = several[m], last = outcomes[m + 1];
      let above = rules.reset[m] * toReset, left = rules.reset[m];
      for (let o = outcomes[m]; o < single; o++) {
        const onto = base - onward[o], p = probability[o];
        above += p * value[onto];
        left += p * leave[onto];
      }
      for (let o = single; o < last; o++) {
        const end = choices[o + 1];
        let best = base - onward[o], most = value[best];
        for (let c = choices[o] + 1; c < end; c++) {
          const other = base - back[c], worth = value[other], ahead = worth - most;
          if (Math.abs(ahead) < gap) gap = leastGap(gap, ahead, leave[other] - leave[best]);
          if (ahead > 0) best = other, most = worth;
        }
        above += probability[o] * most;
        left += probability[o] * leave[best];
      }
      roll[at] = stops[m] ? -Infinity : above;
      if (mayHold[m] && r < missing) {
        const ahead = roll[at] - held;
        if (Math.abs(ahead) < gap) gap = leastGap(gap, ahead, 1 - left);
        if (!(ahead > 0)) above = held, left = 1;
      }
      value[at] = above;
      leave[at] = left;
    }
  }
  const at = (width - 1 + missing) * size; // a turn begins with a roll
  turn.above = roll[at];
  turn.left = leave[at];
  turn.gap = gap;
}

// Where a backward pass may begin. Let R° be the value of a roll if every hold that it leads to is made. If all smaller totals r
// hold, a mode holds at r, too, unless R° > H(r): unless the bust value exceeds (H(r) - R° without busts) / bust. `low`
// has the least of these break-even values up to r, against each opponent; it does not depend on the own score.
function newStarts(rules) {
  const applies = rules.mayHold.every((hold) => hold) && rules.stops.every((stop) => !stop);
  const low = new Float64Array(applies ? (rules.target + 1) ** 2 : 0).fill(Infinity);
  return { applies, low, from: new Int32Array(rules.target + 1).fill(1) };
}

const holdValue = (values, row, r) => (r > 0 ? 1 - values[row + r] : 1);

function rollOnce(rules, values, row, reset, m, r) {
  let sum = rules.reset[m] * reset;
  for (let o = rules.outcomes[m]; o < rules.outcomes[m + 1]; o++) {
    let best = 0;
    for (let c = rules.choices[o]; c < rules.choices[o + 1]; c++) {
      best = Math.max(best, holdValue(values, row, r - rules.points[c]));
    }
    sum += rules.probability[o] * best;
  }
  return sum;
}

// Enter the break-even value of a turn against an opponent who needs b, with r points missing.
function enterStart(rules, starts, values, b, r, reset) {
  if (!starts.applies) return;
  const row = b * (rules.target + 1), held = holdValue(values, row, r);
  let low = r > 1 ? starts.low[row + r - 1] : Infinity;
  for (let m = 0; m < rules.size && low > -Infinity; m++) {
    const ahead = held - rollOnce(rules, values, row, reset, m, r);
    low = Math.min(low, rules.bust[m] > 0 ? ahead / rules.bust[m] : ahead > 0 ? Infinity : -Infinity);
  }
  starts.low[row + r] = low;
}

function startOf(rules, starts, b, bust, missing) {
  if (!starts.applies) return 1;
  const row = b * (rules.target + 1), enough = bust + SLACK;
  let start = Math.min(starts.from[b], missing);
  while (start > 1 && starts.low[row + start - 1] <= enough) start--;
  while (start < missing && starts.low[row + start] > enough) start++;
  return (starts.from[b] = start);
}

// x and y for given decisions: R - B, L and B of both turns.
export function pairValues(above1, left1, bust1, above2, left2, bust2) {
  const results1 = above1 + left1 * bust1, results2 = above2 + left2 * bust2, away = left1 + left2 - left1 * left2;
  return [(results1 + (1 - left1) * (left2 - results2)) / away, (results2 + (1 - left2) * (left1 - results1)) / away];
}

// Solve the pair of needs a, b from a guess of x, with all smaller needs solved; store x and y.
// values has V(a, b) at a·(target + 1) + b; reset[b] is the reset value against an opponent who needs b.
function solvePair(rules, turn, starts, values, reset, a, b, guess) {
  const rowA = a * (rules.target + 1), rowB = b * (rules.target + 1);
  let x = Math.min(1, Math.max(0, guess)), low = 0, high = 1;
  for (let steps = 0; steps < 200; steps++) {
    const bustB = 1 - x;
    playBest(rules, turn, values, rowA, bustB, reset[a], b, startOf(rules, starts, a, bustB, b));
    const { above: aboveB, left: leftB, gap: gapB } = turn, y = bustB + aboveB, bustA = 1 - y;
    playBest(rules, turn, values, rowB, bustA, reset[b], a, startOf(rules, starts, b, bustA, a));
    let [next, other] = pairValues(turn.above, turn.left, bustA, aboveB, leftB, bustB);
    if (bustA + turn.above > x) low = x;
    else high = x;
    const kept = Math.abs(next - x) <= Math.max(gapB, CLOSE) && Math.abs(other - y) <= Math.max(turn.gap, CLOSE);
    if (kept || high - low <= CLOSE) {
      values[rowA + b] = next;
      values[rowB + a] = other;
      enterStart(rules, starts, values, a, b, reset[a]);
      if (a !== b) enterStart(rules, starts, values, b, a, reset[b]);
      return;
    }
    x = next > low && next < high ? next : (low + high) / 2;
  }
  throw new NotSolved(`The pair with ${a} and ${b} points missing was not solved.`);
}

// Solve all pairs once for given reset values; `values` has guesses, those of an earlier solution or 0.
function solveAllPairs(rules, values, reset, onProgress) {
  const size = rules.target + 1, old = values.slice(), turn = newTurn(rules), starts = newStarts(rules);
  const change = (a, b) => (a && b ? values[a * size + b] - old[a * size + b] : 0);
  const mixed = (a, b) =>
    a > 2 && b > 2 ? change(a, b) - change(a - 1, b) - change(a, b - 1) + change(a - 1, b - 1) : 0;
  for (let b = 1; b < size; b++) {
    for (let a = 1; a <= b; a++) { // the change is extrapolated from those of the neighbours
      const guess = old[a * size + b] + change(a - 1, b) + change(a, b - 1) - change(a - 1, b - 1);
      const bend = mixed(a - 1, b) + mixed(a, b - 1) - mixed(a - 1, b - 1);
      solvePair(rules, turn, starts, values, reset, a, b, guess + bend);
    }
    onProgress((b / rules.target) ** 3);
  }
}

// Iterate z ← map(z) to its fixed point with Anderson's acceleration over the last few steps.
export function fixedPoint(map, start, most = 400, memory = 8) {
  let z = start, steps = [], changes = [], previous = null;
  for (let count = 0; count < most; count++) {
    const image = map(z), change = image.map((value, k) => value - z[k]);
    const size = change.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    if (size <= CONVERGED) return image;
    if (previous) {
      steps = [image.map((value, k) => value - previous.image[k]), ...steps].slice(0, memory);
      changes = [change.map((value, k) => value - previous.change[k]), ...changes].slice(0, memory);
    }
    previous = { image, change };
    const shares = leastSquares(changes, change);
    z = image.map((value, k) => shares.reduce((sum, share, n) => sum - share * steps[n][k], value));
  }
  throw new NotSolved("The values after a reset did not converge.");
}

const dot = (u, v) => u.reduce((sum, value, k) => sum + value * v[k], 0);

// The shares of columns whose sum is nearest to a vector, by Gram and Schmidt; columns that add nothing get 0.
function leastSquares(columns, vector) {
  const basis = [], shares = columns.map(() => 0), upper = columns.map(() => columns.map(() => 0));
  columns.forEach((column, n) => {
    let rest = column;
    basis.forEach(({ unit, from }) => {
      upper[from][n] = dot(unit, rest);
      rest = rest.map((value, k) => value - upper[from][n] * unit[k]);
    });
    const length = Math.sqrt(dot(rest, rest));
    if (length <= 1e-10 * Math.sqrt(dot(column, column))) return;
    upper[n][n] = length;
    basis.push({ unit: rest.map((value) => value / length), from: n });
  });
  [...basis].reverse().forEach(({ unit, from }) => {
    const later = basis.filter((other) => other.from > from);
    const taken = later.reduce((sum, other) => sum + upper[from][other.from] * shares[other.from], 0);
    shares[from] = (dot(unit, vector) - taken) / upper[from][from];
  });
  return shares;
}

// The probabilities to win for the player about to move: values[own·target + opponent], a Float64Array.
// `start` are values of a similar game with the same target, `onProgress` is called with a share of the work.
export function solve(game, { start = null, onProgress = () => {} } = {}) {
  const rules = rulesOf(game), { target } = rules, size = target + 1;
  const values = start && start.length === target ** 2 ? byNeeds(start, target) : new Float64Array(size * size);
  const once = (atStart, tell) => {
    const reset = Float64Array.from(atStart, (value) => 1 - Math.min(1, Math.max(0, value)));
    solveAllPairs(rules, values, reset, tell);
    return Float64Array.from(atStart, (_, b) => values[b * size + target]);
  };
  if (!rules.resets) once(new Float64Array(size), onProgress);
  else {
    const guess = Float64Array.from({ length: size }, (_, b) => (start ? values[b * size + target] : 0.5));
    guess[0] = 0;
    let sweeps = 0;
    fixedPoint((z) => {
      const image = once(z, () => {});
      image[0] = 0;
      onProgress(1 - 0.8 ** ++sweeps);
      return image;
    }, guess);
  }
  onProgress(1);
  return byScores(values, target);
}

function byScores(values, target) {
  const scores = new Float64Array(target * target);
  for (let i = 0; i < target; i++) {
    for (let j = 0; j < target; j++) scores[i * target + j] = values[(target - i) * (target + 1) + target - j];
  }
  return scores;
}

export function byNeeds(scores, target) {
  const values = new Float64Array((target + 1) ** 2);
  for (let a = 1; a <= target; a++) {
    for (let b = 1; b <= target; b++) values[a * (target + 1) + b] = scores[(target - a) * target + target - b];
  }
  return values;
}

// The first total at which to hold in a mode, by own·target + opponent; target - own where the player rolls to the end.
export function holdThresholds(game, values, mode = 0) {
  const rules = rulesOf(game), { target, size, width } = rules, needs = byNeeds(values, target), row = target + 1;
  const turn = newTurn(rules), starts = newStarts(rules), thresholds = new Uint16Array(target * target);
  for (let b = 1; b <= target; b++) {
    const reset = 1 - needs[b * row + target];
    for (let a = 1; a <= target; a++) {
      const bust = 1 - needs[b * row + a], start = startOf(rules, starts, b, bust, a);
      playBest(rules, turn, needs, b * row, bust, reset, a, start);
      let r = a - 1;
      while (r >= start && turn.roll[(width - 1 + r) * size + mode] - (1 - needs[b * row + r] - bust) > TIE) r--;
      thresholds[(target - a) * target + target - b] = r > 0 && rules.mayHold[mode] ? a - r : a;
      enterStart(rules, starts, needs, b, a, reset);
    }
  }
  return thresholds;
}

// The probabilities to win by holding, by rolling and by the better of both in one turn, by turn total from 0 to beyond
// the target; roll and best also by mode. hold is NaN at 0, and roll in modes in which the player must hold.
export function actionValues(game, values, own, opponent) {
  const rules = rulesOf(game), { target, size, width } = rules, missing = target - own;
  const row = new Float64Array(missing + 1);
  for (let r = 1; r <= missing; r++) row[r] = values[opponent * target + target - r];
  const bust = 1 - row[missing], reset = 1 - values[opponent * target], turn = newTurn(rules);
  playBest(rules, turn, row, 0, bust, reset, missing);
  const totals = missing + width, within = (value) => Math.min(1, Math.max(0, value));
  const byTotal = (entry) => Float64Array.from({ length: totals }, (_, total) => entry(total));
  const at = (m, total) => (width - 1 + missing - total) * size + m;
  const byMode = (entry) => game.modes.map((_, m) => byTotal((total) => entry(m, at(m, total))));
  return {
    hold: byTotal((total) => (total === 0 ? NaN : total < missing ? 1 - row[missing - total] : 1)),
    roll: byMode((m, k) => (rules.stops[m] ? NaN : within(bust + turn.roll[k]))),
    best: byMode((m, k) => within(bust + turn.value[k])),
  };
}

// The first player's advantage, the probability to win minus one half, by target 1, 2, …; null in games with resets,
// in which the values depend on the target.
export function advantageByTarget(game, values) {
  const { target } = game;
  if (hasResets(game)) return null;
  return Float64Array.from({ length: target }, (_, k) => values[(target - k - 1) * (target + 1)] - 0.5);
}
