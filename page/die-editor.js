// The die as sliders: a weight for the bust and for every face.

import { byId, make, say, undoWhenScrolled } from "./dom.js";
import { FAIR, MOST_FACES, MOST_TARGET } from "./game.js";
import { shares } from "./turn.js";
import { list, percent, points } from "./words.js";

const SLIDER_WEIGHT = 6;
const PAUSE = 600; // milliseconds without a key after which a typed target is taken
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

  // A button that is not possible now stays where it is and keeps the focus.
  const possible = () => {
    const { die } = store.state;
    return { "add-face": die.length <= MOST_FACES, "remove-face": die.length > 2 && die.slice(1, -1).some((weight) => weight > 0) };
  };

  function newRow(face) {
    const name = face ? String(face) : "bust", id = `face-${face}`;
    const input = make("input", { type: "range", id, min: 0, max: SLIDER_WEIGHT, step: 0.1, class: face ? "" : "bust" });
    input.addEventListener("input", () => {
      if (setFace(face, Number(input.value))) return;
      input.value = store.state.die[face];
      say(byId("solved"), "One face must stay, or nobody can score.");
    });
    undoWhenScrolled(input);
    const output = make("output", { for: id, id: `${id}-value`, "aria-live": "off" }); // the slider says its value itself
    return make("div", { class: "row" }, make("label", { for: id }, name), input, output);
  }

  function show() {
    const { die, target: to } = store.state, p = shares(die);
    while (rows.children.length > die.length) rows.lastElementChild.remove();
    while (rows.children.length < die.length) rows.append(newRow(rows.children.length));
    die.forEach((weight, face) => {
      const input = byId(`face-${face}`), text = percent(p[face]);
      if (Number(input.value) !== weight) {
        input.max = Math.max(SLIDER_WEIGHT, weight);
        input.value = weight;
      }
      say(byId(`face-${face}-value`), text);
      input.setAttribute("aria-valuetext", text);
    });
    if (document.activeElement !== target) target.value = to;
    Object.entries(possible()).forEach(([id, allowed]) => byId(id).setAttribute("aria-disabled", String(!allowed)));
    const number = PRESETS.findIndex((each) => same(each.die, die));
    preset.value = number < 0 ? "own" : String(number);
    byId("banner").hidden = isPig(store.state);
    const bust = percent(p[0]), highest = die.findLastIndex((weight) => weight > 0);
    say(byId("banner-said"), `Another game: bust ${bust}, up to ${points(highest)} a roll, to ${to}`);
  }

  byId("add-face").addEventListener("click", () => possible()["add-face"] && store.set({ die: [...store.state.die, 1] }));
  byId("remove-face").addEventListener("click", () => possible()["remove-face"] && store.set({ die: store.state.die.slice(0, -1) }));
  preset.addEventListener("change", () => {
    const { die, target: to } = PRESETS[Number(preset.value)];
    store.set({ die: [...die], target: to });
  });
  let typing = 0;
  const isTarget = (to) => Number.isInteger(to) && to >= 1 && to <= MOST_TARGET;
  function takeTarget(said) {
    clearTimeout(typing);
    const to = Number(target.value), allowed = isTarget(to);
    target.setAttribute("aria-invalid", String(!allowed));
    say(byId("target-wrong"), allowed ? "" : said);
    if (allowed) store.set({ target: to });
    return allowed;
  }
  target.addEventListener("input", () => { // "150" is typed as 1, 15, 150
    clearTimeout(typing);
    typing = setTimeout(() => takeTarget(`The target must be a whole number from 1 to ${MOST_TARGET}.`), PAUSE);
  });
  target.addEventListener("change", () => {
    if (takeTarget(`Possible is a whole number from 1 to ${MOST_TARGET}. The game is still to ${store.state.target}.`)) return;
    target.value = store.state.target;
    target.setAttribute("aria-invalid", "false");
  });
  byId("pig-again").addEventListener("click", () => {
    store.set({ die: [...PRESETS[0].die], target: PRESETS[0].target });
    preset.focus({ preventScroll: true }); // the button is hidden now
  });
  store.on(["die", "target"], show);
  show();
}
