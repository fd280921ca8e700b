// A player's score: the name, the points, and a bar that shows how far the target is.

import { make } from "./dom.js";

// The nodes of a bar: `gain` are the points of the turn, which are not banked yet; `text` is the score in words.
export function scoreBar({ name, score, gain, target, text = String(score) }) {
  const part = (value, kind) => make("span", { class: kind, style: `width: ${Math.min(100, (100 * value) / target)}%` });
  const track = make("span", { class: "track", "aria-hidden": "true" }, part(score, "fill"), part(Math.min(gain, target - score), "gain"));
  return [make("span", { class: "who" }, name), make("b", {}, text), track];
}
