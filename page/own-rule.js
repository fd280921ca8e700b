// Your own rule: typed or drawn, graded exactly, and compared with the optimum on a map.

import { DEFAULTS } from "./address.js";
import { axes, scales } from "./charts.js";
import { bindSlider } from "./controls.js";
import { css, diverging, theme } from "./colours.js";
import { byId, clamp, onDrag, picture, say, sayLater, shape } from "./dom.js";
import { newFigure, save } from "./figures.js";
import { mapShapes, movePoint, paintMap } from "./map.js";
import { pythonFile } from "./rule-file.js";
import { flawOf, parseRule } from "./rule.js";
import { placeOf } from "./surface.js";
import { isTable, readTable } from "./table.js";
import { cost, percent } from "./words.js";

const STEPS = 10;
const FAR = 1000; // more than every turn total
const UP = { ArrowUp: 1, ArrowDown: -1, PageUp: 5, PageDown: -5, Home: -FAR, End: FAR };
const ASIDE = { ArrowRight: 1, ArrowLeft: -1 }; // from step to step: they are one Tab stop
const PAUSE = 250; // milliseconds without a change before a rule is graded
const FULL = 10; // points of difference that get the full colour

// "hold at 25 if i < 10 else 20": holds by own score, ends[k] being the first score after step k.
export function ruleOfSteps(holds, ends) {
  const parts = holds.slice(0, -1).flatMap((hold, k) => (hold === holds[k + 1] ? [] : [`${hold} if i < ${ends[k]} else `]));
  return `hold at ${parts.join("")}${holds.at(-1)}`;
}

export function showOwnRule(store, client) {
  const field = byId("rule"), wrong = byId("rule-wrong");
  let waiting = 0;

  function check(read) {
    let said = "", text = "";
    try {
      text = read();
      said = flawOf(parseRule(text), store.state.target);
    } catch (error) {
      said = error.place === undefined ? error.message : `${error.message} (at letter ${error.place + 1})`;
    }
    field.setAttribute("aria-invalid", String(said !== ""));
    say(wrong, said && `${said} The numbers below are those of “${parseRule(store.state.rule).name}”.`);
    if (!said) store.set({ rule: text.trim() });
  }

  field.addEventListener("input", () => check(() => field.value));
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain").trim();
    if (!isTable(text)) return;
    event.preventDefault();
    check(() => readTable(text, store.state.target));
  });
  byId("save-rule").addEventListener("click", () => {
    const { rule, die, target } = store.state;
    save("my-rule.py", "text/x-python", pythonFile(parseRule(rule), die, target));
  });
  byId("rule-form").addEventListener("submit", (event) => event.preventDefault());
  document.querySelectorAll("[data-rule]").forEach((button) => {
    button.addEventListener("click", () => {
      field.value = button.dataset.rule;
      check(() => field.value);
    });
  });
  store.on(["rule"], ({ rule }) => {
    const { name, table } = parseRule(rule);
    if (field.value.trim() !== name) field.value = name;
    field.setAttribute("aria-invalid", "false");
    say(wrong, "");
    say(byId("rule-read"), table ? `Read: ${name}. Rows are your score, columns the opponent’s.` : "");
  });
  store.on(["target"], ({ rule, target }) => {
    const said = flawOf(parseRule(rule), target);
    if (!said) return;
    store.set({ rule: DEFAULTS.rule });
    say(wrong, `${said} Now your rule is “${DEFAULTS.rule}”.`);
  });
  field.value = store.state.rule;

  async function gradeNow() {
    const { solution, rule } = store.state;
    if (!solution) return;
    const { game, values } = solution;
    try {
      const graded = await client.ask("grade", { game, values, rule });
      if (graded) store.set({ grade: { ...graded, rule, solution } });
    } catch (error) {
      say(byId("grade-said"), error.message);
    }
  }
  store.on(["solution", "rule"], () => {
    clearTimeout(waiting);
    waiting = setTimeout(gradeNow, PAUSE);
  });
  store.on(["grade"], ({ grade: { first, second, loss, solution } }) => {
    const [optimum] = solution.values;
    say(byId("grade-first"), percent(first, 2));
    say(byId("grade-second"), percent(second, 2));
    say(byId("optimum-first"), percent(optimum, 2));
    say(byId("optimum-second"), percent(1 - optimum, 2));
    say(byId("grade-said"), loss < 1e-9 ? "Your rule wins as often as the best play. Better is impossible." : `Your rule costs ${cost(loss)}.`);
  });
  newDrawing(store);
  newRuleMap(store);
}

const orNever = (hold, missing) => (hold >= missing ? "never" : hold); // in a table

function newDrawing(store) {
  const box = byId("drawn").querySelector(".picture");
  const ends = () => Array.from({ length: STEPS }, (_, k) => Math.round(((k + 1) * store.state.target) / STEPS));
  const starts = () => [0, ...ends().slice(0, -1)];
  const most = () => Math.min(store.state.target, Math.max(10, 2 * (store.state.solution?.best ?? 20)));
  const rule = () => parseRule(store.state.rule);
  const placeX = (k) => Math.min(store.state.target - 1, Math.floor((starts()[k] + ends()[k]) / 2));
  const opponent = () => Math.min(store.state.opponent, store.state.target - 1);
  const wished = (hold, own) => clamp(Math.ceil(hold({ i: own, j: opponent(), k: 1, n: store.state.target }) - 1e-9), 1, most());
  const holds = () => {
    const { hold } = rule();
    return ends().map((_, k) => wished(hold, placeX(k)));
  };
  let at = null, current = 0; // the step that Tab reaches

  function change(k, hold) {
    const changed = holds().with(k, clamp(hold, 1, most()));
    store.set({ rule: ruleOfSteps(changed, ends()) });
  }

  const figure = newFigure("drawn", {
    ready: () => Boolean(store.state.solution),
    paint(_, width) {
      const { solution, target } = store.state, x = [0, target], y = [0, most()], height = 270;
      if (solution.target !== target) return;
      at = scales(width, height, x, y);
      const all = holds(), lowest = starts(), focused = document.activeElement?.dataset?.step, { thresholds } = solution, drawn = rule();
      const lineOf = (entry) => Array.from({ length: target }, (_, own) => `${own ? "L" : "M"}${at.toX(own + 0.5).toFixed(1)},${at.toY(Math.min(y[1], entry(own))).toFixed(1)}`).join("");
      if (!(ends()[current] > lowest[current])) current = ends().findIndex((end, k) => end > lowest[k]);
      const handles = all.map((hold, k) => {
        const [left, right, top] = [at.toX(lowest[k]), at.toX(ends()[k]), at.toY(hold)];
        const name = `Hold at, with ${lowest[k]} to ${ends()[k] - 1} points`;
        return shape("g", { class: "handle", tabindex: k === current ? "0" : "-1", role: "slider", "data-step": k, "aria-label": name, "aria-valuemin": 1, "aria-valuemax": most(), "aria-valuenow": hold, "aria-orientation": "vertical" },
          shape("line", { class: "step", x1: left + 1, x2: right - 1, y1: top, y2: top }),
          shape("circle", { class: "dot hold", cx: (left + right) / 2, cy: top, r: 8 }),
          shape("text", { class: "tick", x: (left + right) / 2, y: top - 13, "text-anchor": "middle" }, hold === all[k - 1] ? "" : hold));
      }).filter((_, k) => ends()[k] > lowest[k]);
      const svg = picture(width, height, ...axes(at, { x, y, xName: "your score", yName: "hold at", wholeY: true }),
        shape("path", { class: "line best", d: lineOf((own) => thresholds[own * target + opponent()]) }),
        shape("path", { class: "line ghost", d: lineOf((own) => drawn.holdAt(own, opponent(), target)) }), ...handles);
      svg.setAttribute("class", "chart");
      svg.removeAttribute("aria-hidden");
      box.replaceChildren(svg);
      if (focused !== undefined) box.querySelector(`[data-step="${focused}"]`)?.focus({ preventScroll: true });
    },
    describe: () => `Your rule as steps, with the opponent at ${opponent()}: hold at ${holds().join(", ")}.`,
    table() {
      const { solution, target } = store.state, given = rule();
      const row = (own) => [own, opponent(), ...[given.holdAt(own, opponent(), target), solution.thresholds[own * target + opponent()]].map((hold) => orNever(hold, target - own))];
      return [["own", "opponent", "your rule", "best"], ...Array.from({ length: target }, (_, own) => row(own))];
    },
  });
  onDrag(box, (event) => {
    if (!at) return;
    const frame = box.getBoundingClientRect(), own = at.fromX(event.clientX - frame.left);
    const k = Math.min(STEPS - 1, ends().findIndex((end) => own <= end));
    change(k, Math.round(at.fromY(event.clientY - frame.top)));
  });
  box.addEventListener("keydown", (event) => {
    const step = event.target.dataset?.step, up = UP[event.key], aside = ASIDE[event.key];
    if (step === undefined || (up ?? aside) === undefined) return;
    event.preventDefault();
    if (up !== undefined) change(Number(step), holds()[step] + up);
    else move(event.target, aside);
  });
  box.addEventListener("focusin", ({ target: { dataset } }) => {
    if (dataset?.step !== undefined) current = Number(dataset.step);
  });

  function move(handle, aside) {
    const next = aside > 0 ? handle.nextElementSibling : handle.previousElementSibling;
    if (next?.dataset.step === undefined) return;
    handle.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }

  bindSlider("rule-opponent", store, "opponent", { limits: ({ target }) => [0, target - 1], keys: ["target"] });
  store.on(["rule", "solution", "opponent"], figure.redraw);
}

function newRuleMap(store) {
  const box = byId("rule-map").querySelector(".picture");
  let at = null, shown = null;
  const usable = () => Boolean(store.state.grade);
  const differences = () => {
    const { grade } = store.state;
    return Array.from(grade.thresholds, (hold, k) => hold - grade.solution.thresholds[k]);
  };
  const figure = newFigure("rule-map", {
    ready: usable,
    paint(_, width) {
      const { grade } = store.state, themed = theme();
      if (shown?.grade !== grade || shown.themed !== themed) {
        shown = { grade, themed, colours: differences().map((difference) => diverging(difference / FULL, themed)) };
      }
      at = paintMap(box, width, { target: grade.solution.target, colours: shown.colours, ...placeOf({ ...store.state, solution: grade.solution }), legend: (place) => legendOf(place, themed) });
    },
    describe() {
      const all = differences(), count = (wanted) => percent(all.filter(wanted).length / all.length, 0);
      return `A map of both scores. Your rule holds as the best play at ${count((difference) => difference === 0)} of all scores, `
        + `too early at ${count((difference) => difference < 0)}, too late at ${count((difference) => difference > 0)}. ${here()}`;
    },
    table() {
      const { thresholds, solution } = store.state.grade;
      return [["own", "opponent", "your rule", "best"], ...Array.from(thresholds, (hold, k) => {
        const own = Math.floor(k / solution.target);
        return [own, k % solution.target, ...[hold, solution.thresholds[k]].map((total) => orNever(total, solution.target - own))];
      })];
    },
    backdrop: () => mapShapes(at, shown.grade.solution.target, shown.colours),
  });
  function here() {
    const { grade } = store.state, { solution } = grade, { own, opponent } = placeOf({ ...store.state, solution }), k = own * solution.target + opponent;
    const words = (hold) => (hold >= solution.target - own ? "never holds" : `holds at ${hold}`);
    return `You ${own}, opponent ${opponent}: your rule ${words(grade.thresholds[k])}, the best play ${words(solution.thresholds[k])}.`;
  }
  const tell = sayLater(byId("rule-map-live"));
  movePoint(box, () => at, store);
  store.on(["grade", "own", "opponent"], () => {
    if (!usable()) return;
    figure.redraw();
    say(byId("rule-map-said"), here());
    if (box.contains(document.activeElement)) tell(here());
  });
}

function legendOf(at, themed) {
  const top = at.bottom + 46, wide = (at.right - at.left) / 5;
  const swatches = [-FULL, -2, 0, 2, FULL].map((difference, k) =>
    shape("rect", { class: "swatch", x: at.left + k * wide, y: top, width: wide, height: 14, style: `fill: ${css(diverging(difference / FULL, themed))}` }));
  const texts = [["start", `${FULL} early`], ["middle", "the same"], ["end", `${FULL} late`]].map(([anchor, text], k) =>
    shape("text", { class: "tick", x: at.left + (k * (at.right - at.left)) / 2, y: top + 30, "text-anchor": anchor }, text));
  return [...swatches, ...texts];
}
