// What the worker can be asked for: functions of what is given and of a function that is told a share of the work done.

import { advantageByTarget, holdThresholds, solve } from "./solver.js";

export const tasks = {
  solve: ({ game, start }, onProgress) => ({ values: solve(game, { start, onProgress }) }),
  surface: ({ game, start, mode = 0 }, onProgress) => {
    const values = solve(game, { start, onProgress });
    return { values, thresholds: holdThresholds(game, values, mode), advantage: advantageByTarget(game, values) };
  },
};
