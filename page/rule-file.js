// A rule as a Python file that `dicelab grade` reads.

import { FAIR } from "./game.js";
import { shares } from "./turn.js";

const isPigDie = (die) => die.length === FAIR.length && shares(die).every((share, face) => Math.abs(share - FAIR[face]) < 1e-12);

function bodyOf({ table, hold, past, text }) {
  if (table) {
    const rows = table.map((row) => `    [${row.join(", ")}],\n`).join("");
    return `HOLD_AT = [  # a row for each own score, a column for each of the opponent's\n${rows}]\n\n\n`
      + "def strategy(own, opponent, turn_total):\n"
      + '    return "hold" if turn_total >= HOLD_AT[own][opponent] else "roll"\n';
  }
  const race = past ? `    if ${past.python}:\n        return "roll"\n` : "";
  const needs = ["floor", "ceil", "inf"].filter((name) => `${hold.python} ${past?.python}`.includes(name));
  const imports = needs.length ? `from math import ${needs.join(", ")}\n\n\n` : "\n\n";
  return `${imports}def strategy(own, opponent, turn_total, target):\n    """${text}"""\n${race}`
    + `    return "hold" if turn_total >= ${hold.binds ? hold.python : `(${hold.python})`} else "roll"\n`;
}

// The file of a rule as from parseRule, for the game of the page.
export function pythonFile(rule, die, target) {
  const lines = [`# A rule for Pig to ${target}. What it wins: dicelab grade my-rule.py --target ${target}`];
  if (!isPigDie(die)) {
    lines.push(`# It was made for another die, with the weights ${die.join(", ")}, first that of the bust. To grade it there:`);
    lines.push(`# dicelab_extras.grading.grade(dl.generalized_pig(probabilities, ${target}), "my-rule.py"), with these weights divided by their sum.`);
  }
  return `${lines.join("\n")}\n${bodyOf(rule)}`;
}
