// What dicelab computes, from tests/page/golden.py, and how it is compared.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export const golden = JSON.parse(readFileSync(new URL("golden.json", import.meta.url)));

// The first row, the first column and the diagonal of a table of both scores.
export function edges(table, target) {
  const all = Array.from({ length: target }, (_, k) => k);
  return [(k) => k, (k) => k * target, (k) => k * target + k].map((place) => all.map((k) => table[place(k)]));
}

export function near(found, expected, tolerance) {
  found.flat().forEach((value, k) => assert.ok(Math.abs(value - expected.flat()[k]) <= tolerance, `${k}: ${value}`));
}
