// The die as sliders: a weight for the bust and for every face.

import { byId, make, say } from "./dom.js";
import { FAIR, MOST_FACES, MOST_TARGET } from "./game.js";
import { shares } from "./turn.js";
import { list, percent, points } from "./words.js";

export const MOST_WEIGHT = 6;
const ones = (from, to) => Array.from({ length: to + 1 }, (_, face) => (face === 0 || face >= from ? 1 : 0));

export const PRESETS = [
  { name: "Pig: six sides", die: ones(2, 6), target: 100 },
  { name: "A coin (Piglet)", die: [1, 1], target: 10 },
  { name: "Four sides", die: ones(2, 4), target: 100 },
  { name: "Eight sides", die: ones(2, 8), target: 100 },
  { name: "Twenty sides", die: ones(2, 20), target: 200 },
  { name: "Hardly any busts", die: [0.3, 0, 1, 1, 1, 1, 1], target: 100 },
  { name: "Busts all the time", die: [4, 0, 1, 1, 1, 1, 1], target: 100 },
  { name: "Only sixes", die: [1, 0, 0, 0, 0, 0, 5], target: 100 },
];

function same(die, other) {
  const all = shares(other);
  return die.length === other.length && shares(die).every((share, face) => Math.abs(share - all[face]) < 1e-12);
}

const isPig = ({ die, target }) => target === 100 && same(die, FAIR);

// The die in words: "bust 16.7 %, 2 to 6: 16.7 % each".
export function dieInWords(die) {
  const p = shares(die), faces = p.map((share, face) => [face, share]).filter(([face, share]) => face && share > 0);
  const all = faces.every(([, share]) => Math.abs(share - faces[0][1]) < 1e-9) && faces.length > 2;
  const run = faces.at(-1)[0] - faces[0][0] === faces.length - 1;
  const each = all && run ? [`${faces[0][0]} to ${faces.at(-1)[0]} with ${percent(faces[0][1])} each`] : faces.map(([face, share]) => `${face} with ${percent(share)}`);
  return `bust with ${percent(p[0])}, ${list(each)}`;
}

export function showDieEditor(store) {
  const rows = byId("die-rows"), target = byId("target"), preset = byId("preset");
  PRESETS.forEach(({ name }, k) => preset.append(make("option", { value: k }, name)));
  preset.append(make("option", { value: "own", hidden: true }, "Your own die"));

  const setFace = (face, weight) => {
    const die = store.state.die.with(face, weight);
    if (!(die.reduce((sum, each) => sum + each, 0) > die[0])) return false;
    store.set({ die });
    return true;
  };

  function newRow(face) {
    const name = face ? String(face) : "bust", id = `face-${face}`;
    const input = make("input", { type: "range", id, min: 0, max: MOST_WEIGHT, step: 0.1, class: face ? "" : "bust" });
    input.addEventListener("input", () => {
      if (!setFace(face, Number(input.value))) input.value = store.state.die[face];
    });
    return make("div", { class: "row" }, make("label", { for: id }, name), input, make("output", { for: id, id: `${id}-value` }));
  }

  function show() {
    const { die, target: to } = store.state, p = shares(die);
    while (rows.children.length > die.length) rows.lastElementChild.remove();
    while (rows.children.length < die.length) rows.append(newRow(rows.children.length));
    die.forEach((weight, face) => {
      const input = byId(`face-${face}`), text = percent(p[face]);
      if (Number(input.value) !== weight) {
        input.max = Math.max(MOST_WEIGHT, weight);
        input.value = weight;
      }
      say(byId(`face-${face}-value`), text);
      input.setAttribute("aria-valuetext", text);
    });
    if (document.activeElement !== target) target.value = to;
    byId("add-face").disabled = die.length > MOST_FACES;
    byId("remove-face").disabled = die.length <= 2 || !die.slice(1, -1).some((weight) => weight > 0);
    const number = PRESETS.findIndex((each) => same(each.die, die));
    preset.value = number < 0 ? "own" : String(number);
    byId("banner").hidden = isPig(store.state);
    const bust = percent(p[0]), highest = die.findLastIndex((weight) => weight > 0);
    say(byId("banner-said"), `Another game: bust ${bust}, up to ${points(highest)} a roll, to ${to}`);
  }

  byId("add-face").addEventListener("click", () => store.set({ die: [...store.state.die, 1] }));
  byId("remove-face").addEventListener("click", () => store.set({ die: store.state.die.slice(0, -1) }));
  preset.addEventListener("change", () => {
    const { die, target: to } = PRESETS[Number(preset.value)];
    store.set({ die: [...die], target: to });
  });
  target.addEventListener("input", () => {
    const to = Number(target.value), allowed = Number.isInteger(to) && to >= 1 && to <= MOST_TARGET;
    target.setAttribute("aria-invalid", String(!allowed));
    say(byId("target-wrong"), allowed ? "" : `The target must be a whole number from 1 to ${MOST_TARGET}.`);
    if (allowed) store.set({ target: to });
  });
  target.addEventListener("change", () => {
    target.value = store.state.target;
    target.setAttribute("aria-invalid", "false");
    say(byId("target-wrong"), "");
  });
  byId("pig-again").addEventListener("click", () => store.set({ die: [...PRESETS[0].die], target: PRESETS[0].target }));
  store.on(["die", "target"], show);
  show();
}
