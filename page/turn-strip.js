// The turn at the chosen scores: roll or hold by turn total, the chances of both, and what a wrong decision costs.

import { chart, onDragX, scales, xAxis } from "./charts.js";
import { bindSlider } from "./controls.js";
import { byId, clamp, say, sayLater, shape } from "./dom.js";
import { newFigure } from "./figures.js";
import { TIE, actionValues } from "./solver.js";
import { placeOf } from "./surface.js";
import { chance, cost, percent } from "./words.js";

const BAND = 18;

export function turnAt({ game, values, target }, own, opponent) {
  const turn = actionValues(game, values, own, opponent), missing = target - own;
  const totals = Array.from({ length: missing }, (_, total) => total), [roll] = turn.roll, { hold } = turn;
  return { totals, roll, hold, rolls: (total) => total === 0 || roll[total] - hold[total] > TIE };
}

export function showTurnStrip(store) {
  let known = {};
  const turn = () => {
    const { solution } = store.state, { own, opponent } = placeOf(store.state);
    if (known.solution !== solution || known.own !== own || known.opponent !== opponent) known = { solution, own, opponent, ...turnAt(solution, own, opponent) };
    return known;
  };
  const totalOf = () => clamp(store.state.total, 0, turn().totals.length - 1);
  const figures = [newStrip(store, turn, totalOf), newCosts(store, turn, totalOf)];
  const ready = () => Boolean(store.state.solution), most = ({ target, own }) => Math.max(0, target - own - 1);
  bindSlider("own", store, "own", { limits: ({ target }) => [0, target - 1], keys: ["target"] });
  bindSlider("opponent", store, "opponent", { limits: ({ target }) => [0, target - 1], keys: ["target"] });
  bindSlider("total", store, "total", { limits: (state) => [0, most(state)], keys: ["target", "own"] });
  const tell = sayLater(byId("map-live"));
  const show = () => {
    if (!ready()) return;
    figures.forEach((figure) => figure.redraw());
    const { solution } = store.state, { own, opponent } = placeOf(store.state), hold = solution.thresholds[own * solution.target + opponent];
    const best = hold >= solution.target - own ? "Never hold: roll until you win or bust." : `Hold as soon as your turn total is ${hold} or more.`;
    say(byId("map-said"), `You have ${own}, the opponent has ${opponent}. ${best}`);
    const total = totalOf(), { roll, hold: held, rolls } = turn();
    const loss = Math.abs(roll[total] - held[total]), better = rolls(total) ? "roll" : "hold";
    say(byId("strip-said"), total === 0
      ? `At the start of a turn you must roll. Your chance of winning is ${chance(roll[0])}.`
      : `Turn total ${total}: if you roll, your chance of winning is ${chance(roll[total])}; if you hold, ${chance(held[total])}. `
        + (loss <= TIE ? "Both are equally good." : `${better === "roll" && total > hold ? `With best play the turn ends before. But if you were here: ${better}.` : `So ${better}.`} ${better === "roll" ? "Holding" : "Rolling"} would cost ${cost(loss)}.`));
    if (!byId("rule-map").contains(document.activeElement)) tell(`${byId("map-said").textContent} ${byId("strip-said").textContent}`);
  };
  store.on(["solution", "own", "opponent", "total"], show);
}

// Where decisions change: [from, to, rolls], totals from `from` to `to`.
function runsOf({ totals, rolls }) {
  const runs = [];
  totals.forEach((total) => {
    if (runs.length && runs.at(-1)[2] === rolls(total)) runs.at(-1)[1] = total;
    else runs.push([total, total, rolls(total)]);
  });
  return runs;
}

function newStrip(store, turn, totalOf) {
  const box = byId("strip").querySelector(".picture");
  let at = null;
  onDragX(box, () => at, (total) => store.set({ total: clamp(Math.floor(total), 0, turn().totals.length - 1) }));
  return newFigure("strip", {
    ready: () => Boolean(store.state.solution),
    paint(_, width) {
      const shown = turn(), { totals, roll, hold } = shown, total = totalOf(), height = 250;
      const values = totals.flatMap((k) => (k ? [roll[k], hold[k]] : [roll[k]])), lowest = Math.min(...values);
      const spread = Math.max(0.02, Math.max(...values) - lowest), y = [Math.max(0, lowest - 0.05 * spread), Math.min(1, lowest + 1.15 * spread)];
      const x = [0, totals.length], margin = { left: 50, right: 14, top: 44, bottom: 40 + BAND };
      at = scales(width, height, x, y, margin);
      const digits = y[1] - y[0] < 0.1 ? 1 : 0, line = (chances, from) => totals.slice(from).map((k) => [k + 0.5, chances[k]]);
      const { svg } = chart(width, {
        height, x, y, margin, xName: "", yName: "your chance of winning", format: (value) => percent(value, digits), formatX: () => "",
        lines: [{ points: line(roll, 0), kind: "roll" }, { points: line(hold, 1), kind: "hold" }],
      });
      svg.append(...band(at, height, shown), ...legend(at));
      const middle = at.toX(total + 0.5);
      svg.append(shape("line", { class: "cursor", x1: middle, x2: middle, y1: at.top, y2: at.bottom + BAND }));
      if (total) svg.append(shape("circle", { class: "dot hold", cx: middle, cy: at.toY(hold[total]), r: 5 }));
      svg.append(shape("circle", { class: "dot roll", cx: middle, cy: at.toY(roll[total]), r: 5 }));
      box.replaceChildren(svg);
    },
    describe() {
      const { own, opponent } = placeOf(store.state), said = runsOf(turn()).map(([from, to, rolls]) => `${rolls ? "roll" : "hold"} from ${from} to ${to}`);
      return `The turn at ${own} to ${opponent}, by turn total: ${said.join(", ")}. Two curves show the chance of winning by rolling and by holding.`;
    },
    table() {
      const { totals, roll, hold, rolls } = turn();
      return [["turn total", "roll", "hold", "best"], ...totals.map((k) => [k, roll[k], k ? hold[k] : "", rolls(k) ? "roll" : "hold"])];
    },
  });
}

function band(at, height, shown) {
  const nodes = [], top = at.bottom + 1;
  runsOf(shown).forEach(([from, to, rolls]) => {
    const left = at.toX(from), right = at.toX(to + 1), name = rolls ? "roll" : "hold";
    nodes.push(shape("rect", { class: `band ${name}`, x: left, width: right - left, y: top, height: BAND }));
    if (right - left > 32) nodes.push(shape("text", { class: "onband", x: (left + right) / 2, y: top + 13, "text-anchor": "middle" }, name));
  });
  const below = scales(at.right + 14, height, [0, shown.totals.length], [0, 1], { left: at.left, right: 14, top: 0, bottom: 40 });
  below.toX = (value) => at.toX(value + 0.5);
  const most = Math.max(1, shown.totals.length - 1);
  nodes.push(...xAxis(below, { x: [0, most], xName: "turn total" }));
  return nodes;
}

function legend(at) {
  const entry = (name, x) => [
    shape("line", { class: `line ${name}`, x1: x, x2: x + 22, y1: 30, y2: 30 }),
    shape("text", { class: "tick", x: x + 28, y: 30, dy: "0.35em" }, name),
  ];
  return [...entry("roll", at.left), ...entry("hold", at.left + 72)];
}

function newCosts(store, turn, totalOf) {
  const box = byId("costs").querySelector(".picture");
  const losses = () => {
    const { totals, roll, hold } = turn();
    return totals.slice(1).map((k) => 100 * Math.abs(roll[k] - hold[k]));
  };
  let at = null;
  onDragX(box, () => at, (total) => store.set({ total: clamp(Math.round(total), 0, turn().totals.length - 1) }));
  return newFigure("costs", {
    ready: () => Boolean(store.state.solution),
    paint(_, width) {
      const size = losses(), { rolls } = turn(), total = totalOf(), most = Math.max(0.5, ...size);
      const kind = (k) => `${rolls(k + 1) ? "roll" : "hold"} ${k + 1 === total ? "chosen" : ""}`;
      const drawn = chart(width, {
        height: 170, x: [0, Math.max(2, size.length + 1)], y: [0, 1.2 * most], bars: { from: 1, size, kind }, xName: "turn total", yName: "wins lost in 100 games",
        mark: total ? { x: total, y: size[total - 1], text: `${size[total - 1].toFixed(1)}`, line: false } : null,
      });
      at = drawn.at;
      box.replaceChildren(drawn.svg);
    },
    describe() {
      const size = losses(), worst = size.indexOf(Math.max(...size)) + 1;
      return size.length ? `Bars: the wins that a wrong decision costs in 100 games, by turn total. Most at ${worst}: ${size[worst - 1].toFixed(1)}.` : "Nothing to decide.";
    },
    table() {
      const { rolls } = turn();
      return [["turn total", "best", "wins lost in 100 games"], ...losses().map((loss, k) => [k + 1, rolls(k + 1) ? "roll" : "hold", loss])];
    },
  });
}
