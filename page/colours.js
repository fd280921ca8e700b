// Colours of maps, as dicelab/views/policy_maps.py has them: orange holds earlier than the middle, blue later.

import { byId } from "./dom.js";

const parts = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
const inParts = (colours) => Object.fromEntries(Object.entries(colours).map(([name, colour]) => [name, parts(colour)]));

const given = JSON.parse(byId("map-colours").textContent), EARLY = parts(given.early), LATE = parts(given.late);
const LIGHT = inParts(given.light), DARK = inParts(given.dark);
export const RARE = given.rare; // share of holds beyond each end of the colours
export const LEAST = given.least; // points from the middle to an end, at least

const dark = matchMedia("(prefers-color-scheme: dark)");
let printing = false;

export const theme = () => (dark.matches && !printing ? DARK : LIGHT);

export function onTheme(listener) {
  dark.addEventListener("change", listener);
  [["beforeprint", true], ["afterprint", false]].forEach(([event, value]) => {
    addEventListener(event, () => {
      printing = value;
      listener();
    });
  });
}

// The colour of a share from -1, the earliest, to 1, the latest.
export function diverging(share, { middle }) {
  const end = share < 0 ? EARLY : LATE, part = Math.sqrt(Math.min(1, Math.abs(share)));
  return middle.map((value, k) => Math.floor(value + (end[k] - value) * part + 0.5));
}

export const css = ([red, green, blue]) => `rgb(${red},${green},${blue})`;
