// Tables of hold values that people paste instead of a rule: a row for each own score, a column for each of the
// opponent's; or a line "own,opponent,hold" for each pair of scores, as this page saves them.

import { plural } from "./words.js";

const MOST_HOLD = 1_000_000;
const whole = (cell) => (/^\d{1,7}$/.test(cell) ? Number(cell) : NaN);
const counts = (cells) => cells.every((cell, k) => whole(cell) === k);

export const isTable = (text) => text.includes("\n");

// Lines of cells between tabs, semicolons, commas or spaces.
function cellsOf(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const separator = ["\t", ";", ","].find((sign) => lines[0].includes(sign)) ?? /\s+/;
  return lines.map((line) => line.trim().split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")));
}

// The rows of a table with a line for each pair of scores.
function ofPairs([, ...lines], target) {
  const rows = Array.from({ length: target }, () => Array(target).fill(""));
  lines.forEach((cells, k) => {
    const [own, opponent] = cells.map(whole);
    if (!(own < target && opponent < target)) throw new Error(`Line ${k + 2}: “${cells.slice(0, 2).join(", ")}” are not two scores below ${target}.`);
    if (rows[own][opponent]) throw new Error(`Line ${k + 2}: the scores ${own} and ${opponent} were there before.`);
    rows[own][opponent] = cells[2];
  });
  rows.forEach((row, own) => {
    const missing = row.indexOf("");
    if (missing >= 0) throw new Error(`No line has the scores ${own} and ${missing}.`);
  });
  return rows;
}

// Read what was pasted for a game to a target: the text of the table, one row a line. Error with a sentence if it is no such table.
export function readTable(text, target) {
  let rows = cellsOf(text);
  const width = rows[0].length, short = rows.findIndex((row) => row.length !== width);
  if (short > 0) throw new Error(`Row ${short + 1} has ${plural(rows[short].length, "entry", "entries")}, and the first row has ${width}.`);
  if (/^own/i.test(rows[0][0]) && /^opponent/i.test(rows[0][1] ?? "") && width > 2) rows = ofPairs(rows, target);
  else if (rows.length === target + 1 && width === target + 1 && counts(rows[0].slice(1)) && counts(rows.slice(1).map(([score]) => score))) {
    rows = rows.slice(1).map((row) => row.slice(1)); // the scores are written beside them
  }
  if (rows.length !== target || rows[0].length !== target) {
    throw new Error(`These are ${rows.length} × ${rows[0].length} entries. A game to ${target} needs ${target} rows, one for each score of yours from 0 to ${target - 1}, and ${target} columns for the opponent’s.`);
  }
  return rows.map((row, own) => row.map((cell, opponent) => {
    const hold = /^never$/i.test(cell) ? target - own : whole(cell);
    if (!(hold >= 1 && hold <= MOST_HOLD)) throw new Error(`With ${own} points against ${opponent} stands “${cell.slice(0, 20)}”. It must be a whole number of at least 1, the turn total to hold at, or “never”.`);
    return hold;
  }).join(" ")).join("\n");
}

let last = { text: "" };

// The table of a text from readTable as a rule; see parseRule.
export function tableRule(text) {
  if (last.text === text) return last;
  const table = text.split("\n").map((line) => line.split(" ").map(Number)), all = table.flat();
  const [least, most] = [Math.min, Math.max].map((choose) => all.reduce((one, other) => choose(one, other)));
  const hold = ({ i, j }) => table[i]?.[j] ?? Infinity;
  last = {
    text, table, hold, past: null, usesTotal: false,
    name: `${table.length} × ${table.length} hold values, ${least} to ${most}`,
    holds: (i, j, k) => k >= hold({ i, j }),
    holdAt: (i, j, n) => Math.min(hold({ i, j }), n - i),
  };
  return last;
}
