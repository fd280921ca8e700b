// Dice as pictures.

import { moves, shape } from "./dom.js";

const PIPS = { 1: [4], 2: [2, 6], 3: [2, 4, 6], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

// The picture of a face: pips up to six, else a text.
function pips(face) {
  const spots = PIPS[face];
  if (spots) return spots.map((k) => shape("circle", { cx: 24 + 26 * (k % 3), cy: 24 + 26 * Math.floor(k / 3), r: 9 }));
  const text = String(face);
  return [shape("text", { x: 50, y: 50, dy: "0.35em", "text-anchor": "middle", "font-size": text.length > 2 ? 24 : 46 }, text)];
}

// A die that shows a face: a number, or a text.
export function dieOf(face, kind = "") {
  const box = shape("rect", { x: 3, y: 3, width: 94, height: 94, rx: 18 });
  return shape("svg", { class: `die ${kind}`, viewBox: "0 0 100 100", role: "img", "aria-label": String(face) }, box, ...pips(face));
}

// The face of a die of Pig: the bust is drawn as a one where nothing else is a one.
export const faceOf = (face, die) => (face ? face : die[1] > 0 ? "✗" : 1);

// Let dice fall: the pictures turn for a moment, unless the reader wants no motion.
export function tumble(node) {
  if (!moves()) return;
  node.querySelectorAll(".die").forEach((die, k) => {
    const turn = [`rotate(${-200 - 40 * k}deg) scale(0.7)`, `rotate(${20 + 5 * k}deg) scale(1.05)`, "none"];
    die.animate?.({ transform: turn }, { duration: 320, easing: "ease-out" });
  });
}
