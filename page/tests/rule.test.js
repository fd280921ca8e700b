// Rules that people type: how they are read, what is wrong with them, and that their grades are those of dicelab.
import assert from "node:assert/strict";
import { test } from "node:test";

import { grade } from "../evaluate.js";
import { withTarget } from "../game.js";
import { rulePolicy } from "../policies.js";
import { RuleError, flawOf, parseRule } from "../rule.js";
import { solve } from "../solver.js";
import { golden } from "./golden.js";

for (const { slug, target, text, ...expected } of golden.grades) {
  test(`${text}, in ${slug} to ${target}`, () => {
    const game = withTarget(golden.games.find((each) => each.game.slug === slug).game, target);
    const found = grade(game, rulePolicy(game, parseRule(text).holds), solve(game));
    for (const [name, value] of Object.entries(expected)) assert.ok(Math.abs(found[name] - value) < 1e-10, name);
  });
}

const WRONG = { // a rule, the place of the error, a part of what is said
  "": [0, 'Write a rule, for example "hold at 20"'],
  "   ": [0, "Write a rule"],
  "hold at": [7, "ends too early: a number should come"],
  "hold at 20)": [10, '")" without a "("'],
  "hold at (20": [11, 'a ")" should come'],
  "hold at 2 0": [10, 'Put a sign before "0"'],
  "hold at 3 i": [10, 'Put a sign before "i"'],
  "hold at foo": [8, 'I do not know the word "foo"'],
  "hold at 20 please": [11, 'I do not know the word "please"'],
  "hold at constructor": [8, 'I do not know the word "constructor"'],
  "hold at 20 & 3": [11, 'The sign "&" has no meaning here'],
  "race from 71": [12, "Say when to hold, too"],
  "hold at 20, hold at 21": [12, "a second time when to hold"],
  "hold at 20, race from 71, race from 80": [26, "a second time when to race"],
  "hold at 20,": [11, "a number should come"],
  "hold at round(i, j)": [8, '"round" takes one number'],
  "hold at max 3": [12, 'a "(" after "max" should come'],
  "hold at 20 if i": [15, "one of < <= > >= = should come"],
  "hold at 20 if i < 3": [19, 'the word "else" should come'],
  [`hold at ${"1".repeat(300)}`]: [200, "too long"],
};

for (const [text, [place, part]] of Object.entries(WRONG)) {
  test(`wrong: ${text.slice(0, 40)}`, () => {
    assert.throws(() => parseRule(text), (error) => {
      assert.ok(error instanceof RuleError);
      assert.equal(error.place, place);
      assert.ok(error.message.includes(part), error.message);
      return true;
    });
  });
}

test("the total at which a rule holds", () => {
  const rule = parseRule("hold at 21 + (j - i)/8, race from 71");
  const at = [[0, 0], [8, 0], [0, 70], [0, 71], [71, 3], [95, 0]].map(([i, j]) => rule.holdAt(i, j, 100));
  assert.deepEqual(at, [21, 20, 30, 100, 29, 5]);
});

test("a rule without a value says where", () => {
  assert.equal(flawOf(parseRule("hold at 21 + (j - i)/8, race from 71"), 100), "");
  for (const text of ["hold at (j - i) / (j - i)", "hold at 20, race from 0/0", "hold at 5 / (k - 5) + 0 / (k - 5)"]) {
    assert.equal(flawOf(parseRule(text), 100), "With 0 points against 0 the rule divides by 0.");
  }
});
