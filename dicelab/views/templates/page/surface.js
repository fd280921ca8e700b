// The surface: for each pair of scores the lowest turn total at which the optimal player holds.

import { css, diverging, theme } from "./colours.js";
import { byId, shape } from "./dom.js";
import { newFigure } from "./figures.js";
import { mapShapes, movePoint, paintMap } from "./map.js";

const BANDS = 9;

// The point of the maps; a solution may be older than the target.
export function placeOf({ solution, own, opponent }) {
  const most = solution.target - 1;
  return { own: Math.min(own, most), opponent: Math.min(opponent, most) };
}

// The largest differences of the holds from the best hold for points, but for the rarest: [below, above].
function spreadOf({ thresholds, target, best }) {
  const counts = new Map();
  let cells = 0;
  thresholds.forEach((hold, k) => {
    if (hold >= target - Math.floor(k / target)) return;
    counts.set(Math.abs(hold - best), (counts.get(Math.abs(hold - best)) ?? 0) + 1);
    cells += 1;
  });
  let seen = 0, spread = 1;
  [...counts].sort(([one], [other]) => one - other).forEach(([distance, count]) => {
    if (seen < 0.98 * cells) spread = Math.max(spread, distance);
    seen += count;
  });
  return Math.max(4, spread);
}

// The colours of a solution; a colour for every hold is made once.
export function surfaceColours(solution) {
  const { thresholds, target, best } = solution, themed = theme(), spread = spreadOf(solution), shades = [];
  const colours = Array.from(thresholds, (hold, k) => {
    if (hold >= target - Math.floor(k / target)) return themed.never;
    return (shades[hold] ??= diverging((hold - best) / spread, themed));
  });
  return { colours, spread };
}

// What the colours mean: bands from early to late holds, and a box for no hold at all.
function legendOf({ best }, spread, at) {
  const themed = theme(), top = at.bottom + 46, full = at.right - at.left, wide = (full * 0.56) / BANDS, nodes = [];
  for (let k = 0; k < BANDS; k++) {
    const share = (2 * k) / (BANDS - 1) - 1, hold = Math.round(best + share * spread);
    const x = at.left + k * wide;
    nodes.push(shape("rect", { class: "swatch", x, y: top, width: wide, height: 14, style: `fill: ${css(diverging(share, themed))}` }));
    if (k % 4 === 0 && hold >= 0) {
      nodes.push(shape("text", { class: "tick", x: x + wide / 2, y: top + 29, "text-anchor": "middle" }, hold));
    }
  }
  nodes.push(shape("text", { class: "tick", x: at.left, y: top - 4 }, ""));
  const x = at.left + full * 0.64;
  nodes.push(shape("rect", { class: "swatch", x, y: top, width: wide, height: 14, style: `fill: ${css(themed.never)}` }));
  nodes.push(shape("text", { class: "tick", x: x + wide + 6, y: top + 11 }, "never hold"));
  nodes.push(shape("text", { class: "tick", x: at.left, y: top + 44 }, "hold at this turn total"));
  return nodes;
}

export function describeSurface(state) {
  const { solution } = state, { own, opponent } = placeOf(state);
  const { target, thresholds, best } = solution, holds = thresholds.filter((hold, k) => hold < target - Math.floor(k / target));
  const range = holds.length ? `The best hold is between ${holds.reduce((a, b) => Math.min(a, b))} and ${holds.reduce((a, b) => Math.max(a, b))}` : "Never hold";
  const hold = thresholds[own * target + opponent];
  const here = hold >= target - own ? "never hold" : `hold at ${hold}`;
  return `A map with your score from 0 to ${target - 1} and the opponent's score. ${range}; for points alone it is ${best}. `
    + `At ${own} to ${opponent}: ${here}.`;
}

export function newSurface(id, store) {
  const box = byId(id).querySelector(".picture");
  let at = null, shown = null;
  const figure = newFigure(id, {
    paint(_, width) {
      const { solution } = store.state;
      if (!solution) return;
      if (shown?.solution !== solution || shown.theme !== theme()) shown = { solution, theme: theme(), ...surfaceColours(solution) };
      const { target } = solution;
      at = paintMap(box, width, { target, colours: shown.colours, ...placeOf(store.state), legend: (place) => legendOf(solution, shown.spread, place) });
      performance.mark(`painted ${id}`);
    },
    describe: () => (store.state.solution ? describeSurface(store.state) : "The map is being computed."),
    table() {
      const { thresholds, target } = store.state.solution;
      return [["own", "opponent", "hold"], ...Array.from(thresholds, (hold, k) => {
        const own = Math.floor(k / target);
        return [own, k % target, hold >= target - own ? "never" : hold];
      })];
    },
    backdrop: () => mapShapes(at, shown.solution.target, shown.colours),
  });
  movePoint(box, () => at, store);
  store.on(["solution", "own", "opponent"], figure.redraw);
  return figure;
}
