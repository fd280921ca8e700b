// What the worker can be asked for by name: functions of what is given and of a function that is told a share of the
// work done. A new task is an entry here.
// `rule` is text, which the worker reads itself.

import { grade } from "./evaluate.js";
import { rulePolicy } from "./policies.js";
import { parseRule } from "./rule.js";
import { advantageByTarget, holdThresholds, solve } from "./solver.js";

// The first total at which to hold by own·target + opponent.
function holdTotals(rule, target) {
  const entry = (_, k) => rule.holdAt(Math.floor(k / target), k % target, target);
  return Uint16Array.from({ length: target * target }, entry);
}

export const tasks = {
  solve: ({ game, start }, onProgress) => ({ values: solve(game, { start, onProgress }) }),

  surface: ({ game, start }, onProgress) => {
    const values = solve(game, { start, onProgress });
    return { values, thresholds: holdThresholds(game, values), advantage: advantageByTarget(game, values) };
  },

  grade: ({ game, values, rule }) => {
    const parsed = parseRule(rule), graded = grade(game, rulePolicy(game, parsed.holds), values);
    return { ...graded, thresholds: holdTotals(parsed, game.target) };
  },
};
