// What given policies achieve, exactly: dicelab/evaluation in short.
//
// v₁(i, j) is the probability that player 1 wins who is about to move with i points, the opponent having j; v₂(j, i)
// that of player 2. With the decisions given, a turn that leaves the bust value with probability L is worth
// A + (1 - L)·B, so that a pair of scores has the two linear equations of the solver. The values after resets are
// iterated.

import { rulesOf } from "./game.js";
import { optimalPolicy } from "./policies.js";
import { fillHolds, newTurn, pairValues, fixedPoint } from "./solver.js";

// The least number of missing points at which some mode rolls; with fewer, all modes hold.
function firstRoll(rules, { rolls }, missing) {
  const last = missing * rules.size - 1;
  let at = last;
  while (at > 0 && !rolls[at]) at--;
  return missing - Math.floor(at / rules.size);
}

// Evaluate a turn with given decisions; see playBest. Here turn.above does not depend on the bust value, which is 0.
function playGiven(rules, turn, decisions, values, row, reset, missing) {
  const { size, width, order, outcomes, several, choices, back, probability } = rules, { value, leave } = turn;
  const start = firstRoll(rules, decisions, missing);
  fillHolds(rules, turn, values, row, 0, reset, start);
  for (let r = start; r <= missing; r++) {
    const base = (width - 1 + r) * size, total = missing - r, held = 1 - values[row + r];
    for (let k = 0; k < size; k++) {
      const m = order[k], at = base + m;
      if (!decisions.rolls[total * size + m]) {
        value[at] = held;
        leave[at] = 1;
        continue;
      }
      let above = rules.reset[m] * reset, left = rules.reset[m];
      for (let o = outcomes[m]; o < outcomes[m + 1]; o++) {
        const taken = o < several[m] ? 0 : decisions.choices[total * probability.length + o];
        const onto = base - back[choices[o] + taken];
        above += probability[o] * value[onto];
        left += probability[o] * leave[onto];
      }
      value[at] = above;
      leave[at] = left;
    }
  }
  const at = (width - 1 + missing) * size;
  turn.above = value[at];
  turn.left = leave[at];
}

// The values of two policies by points needed, as arrays of solve: [v₁, v₂].
function valuesOf(game, first, second) {
  const rules = rulesOf(game), { target } = rules, size = target + 1, turn = newTurn(rules);
  const values1 = new Float64Array(size * size), values2 = new Float64Array(size * size);
  const decided = rules.resets ? [new Map(), new Map()] : null;
  const decisionsOf = (player, own, opponent) => {
    const decide = () => [first, second][player].decide(own, opponent);
    if (!decided) return decide();
    const known = decided[player], key = own * size + opponent;
    if (!known.has(key)) known.set(key, decide());
    return known.get(key);
  };
  const evaluateAllPairs = (back) => {
    for (let a = 1; a <= target; a++) {
      for (let b = 1; b <= target; b++) {
        playGiven(rules, turn, decisionsOf(0, target - a, target - b), values2, b * size, 1 - back[size + b], a);
        const { above, left } = turn;
        playGiven(rules, turn, decisionsOf(1, target - b, target - a), values1, a * size, 1 - back[a], b);
        const [x, y] = pairValues(above, left, 0, turn.above, turn.left, 0);
        values1[a * size + b] = x;
        values2[b * size + a] = y;
      }
    }
    const after = new Float64Array(2 * size); // v₁ by own need, the opponent back at 0, and v₂
    for (let a = 1; a <= target; a++) {
      after[a] = values1[a * size + target];
      after[size + a] = values2[a * size + target];
    }
    return after;
  };
  const start = new Float64Array(2 * size).map((_, k) => (k % size ? 0.5 : 0));
  if (rules.resets) fixedPoint(evaluateAllPairs, start);
  else evaluateAllPairs(start);
  return [values1, values2];
}

// The probability that `first` wins, who moves first; and that it wins if `second` moves first.
export function evaluate(game, first, second) {
  const [values1, values2] = valuesOf(game, first, second);
  return { first: values1[values1.length - 1], second: 1 - values2[values2.length - 1] };
}

// How a policy does against the optimum: the probabilities to win as first and as second, and the loss, one half minus
// their mean. `values` is the solution of the game.
export function grade(game, policy, values) {
  const { first, second } = evaluate(game, policy, optimalPolicy(game, values));
  return { first, second, loss: (1 - first - second) / 2 };
}
