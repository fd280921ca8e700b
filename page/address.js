// The state of the page in its address: "#die=1,0,1,1,1,1,1&target=100&game=pig&rule=hold at 20&i=0&j=0".
//
// The die is a list of weights: of the bust, of 1 point, of 2 points, …

import { MOST_FACES, MOST_TARGET } from "./game.js";
import { flawOf, parseRule } from "./rule.js";

export const DEFAULTS = { die: [1, 0, 1, 1, 1, 1, 1], target: 100, game: "pig", rule: "hold at 20", i: 0, j: 0 };

const MOST_WEIGHT = 1_000_000;

const readNumber = (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN);

function readDie(text) {
  const die = text.split(",").map((weight) => readNumber(weight.trim()));
  const allowed = die.length >= 2 && die.length <= MOST_FACES + 1 && die.every((weight) => weight <= MOST_WEIGHT);
  return allowed && die.slice(1).some((weight) => weight > 0) ? die : null;
}

function readInteger(text, least, most) {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  return value >= least && value <= most ? value : null;
}

function readRule(text, target) {
  try {
    const rule = parseRule(text);
    return flawOf(rule, target) ? null : rule.text;
  } catch {
    return null;
  }
}

// Read an address fragment: { state, notes }. A missing or wrong value is as in `defaults`, and notes say what
// was wrong; a default score that the target excludes becomes 0.
export function readAddress(fragment, games = [DEFAULTS.game], defaults = DEFAULTS) {
  const given = new URLSearchParams(fragment.replace(/^#/, "")), state = { ...defaults }, notes = [];
  const read = (name, reader, allowed) => {
    if (!given.has(name)) return;
    const value = reader(given.get(name));
    if (value !== null) {
      state[name] = value;
      return;
    }
    const said = `The link says ${name}=${given.get(name).slice(0, 40)}; allowed is ${allowed}.`;
    notes.push(`${said} The page takes its usual value instead.`);
  };
  read("die", readDie, `a list of 2 to ${MOST_FACES + 1} weights of at least 0, one of them above 0 after the first`);
  read("target", (text) => readInteger(text, 1, MOST_TARGET), `a whole number from 1 to ${MOST_TARGET}`);
  read("game", (text) => (games.includes(text) ? text : null), `one of ${games.join(", ")}`);
  read("rule", (text) => readRule(text, state.target), "a rule such as hold at 20");
  ["i", "j"].forEach((name) => {
    if (state[name] >= state.target) state[name] = 0;
    read(name, (text) => readInteger(text, 0, state.target - 1), `a whole number from 0 to ${state.target - 1}`);
  });
  return { state, notes };
}

// The address fragment of a state; what is as in `defaults` is left out. "" if nothing else is left.
export function writeAddress(state, defaults = DEFAULTS) {
  const rounded = (weight) => Number(weight.toPrecision(6));
  const text = (value) => (Array.isArray(value) ? value.map(rounded).join(",") : String(value));
  const changed = Object.keys(defaults).filter((name) => text(state[name]) !== text(defaults[name]));
  const parts = changed.map((name) => [name, text(state[name])]);
  return parts.length ? `#${new URLSearchParams(parts)}`.replaceAll("%2C", ",") : "";
}
