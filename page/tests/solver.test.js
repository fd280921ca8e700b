// The page's solver finds the values and the hold thresholds of dicelab.
import assert from "node:assert/strict";
import { test } from "node:test";

import { pigOf } from "../game.js";
import { actionValues, holdThresholds, solve } from "../solver.js";
import { edges, golden, near } from "./golden.js";

for (const { game, values, holds } of golden.games) {
  test(`${game.name} to ${game.target}`, () => {
    const found = solve(game);
    near(edges(found, game.target), values, 1e-12);
    holds.forEach((expected, mode) => {
      if (expected) assert.deepEqual(edges(holdThresholds(game, found, mode), game.target), expected);
    });
  });
}

for (const [number, { die, target, values }] of golden.dice.entries()) {
  test(`random die ${number} to ${target}`, () => near(edges(solve(pigOf(die, target)), target), values, 1e-12));
}

test("at the optimum the better action is worth the value of the state", () => {
  const { game } = golden.games.find((each) => each.game.slug === "pig");
  const values = solve(game), { target } = game;
  for (const [own, opponent] of [[0, 0], [60, 90], [99, 1]]) {
    const { roll } = actionValues(game, values, own, opponent);
    assert.ok(Math.abs(roll[0][0] - values[own * target + opponent]) < 1e-12);
  }
});

test("dice and targets that are none are refused", () => {
  for (const [die, target] of [[[1], 10], [[1, -1], 10], [[1, 1], 0], [[1, 1], 1.5], [[NaN, 1], 3]]) {
    assert.throws(() => pigOf(die, target), RangeError);
  }
});
