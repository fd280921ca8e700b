// The surface: for each pair of scores the lowest turn total at which the optimal player holds.

import { LEAST, RARE, css, diverging, theme } from "./colours.js";
import { byId, shape } from "./dom.js";
import { newFigure } from "./figures.js";
import { hatchPattern, mapShapes, movePoint, paintMap, runsOf } from "./map.js";

const BANDS = 9;

// The point of the maps; a solution may be older than the target.
export function placeOf({ solution, own, opponent }) {
  const most = solution.target - 1;
  return { own: Math.min(own, most), opponent: Math.min(opponent, most) };
}

// How far holds lie below and above the best hold for points, but for the rarest; null if nobody ever holds.
function spreadOf({ thresholds, target, best }) {
  const sorted = thresholds.filter((hold, k) => hold < target - Math.floor(k / target)).sort();
  if (!sorted.length) return null;
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
  return { below: Math.max(LEAST, best - at(RARE)), above: Math.max(LEAST, at(1 - RARE) - best) };
}

const toTheWin = ({ thresholds, target }, k) => thresholds[k] >= target - Math.floor(k / target);

const shareOf = (hold, best, { below, above }) => (hold < best ? (hold - best) / below : (hold - best) / above);

const made = new WeakMap();

// The colours of a solution, { colours, hatched, spread }, made once for each theme.
function surfaceColours(solution) {
  const known = made.get(solution);
  if (known?.themed === theme()) return known;
  const { thresholds, target, best } = solution, themed = theme(), spread = spreadOf(solution), shades = [];
  const colours = Array.from(thresholds, (hold, k) => {
    if (toTheWin(solution, k)) return themed.never;
    return (shades[hold] ??= diverging(shareOf(hold, best, spread), themed));
  });
  const hatched = known?.hatched ?? runsOf(target, (k) => toTheWin(solution, k)).get(true) ?? "";
  made.set(solution, { themed, colours, hatched, spread });
  return made.get(solution);
}

// What the colours mean: bands from early to late holds, and a box for no hold at all.
function legendOf(id, { best }, spread, at) {
  const themed = theme(), top = at.bottom + 46, full = at.right - at.left, wide = (full * 0.5) / BANDS, nodes = [];
  const swatch = (x, colour) => nodes.push(shape("rect", { class: "swatch", x, y: top, width: wide, height: 14, style: `fill: ${css(colour)}` }));
  for (let k = 0; k < BANDS && spread; k++) {
    const share = (2 * k) / (BANDS - 1) - 1, hold = Math.round(best + share * (share < 0 ? spread.below : spread.above));
    const x = at.left + k * wide;
    swatch(x, diverging(share, themed));
    if (k % 4 === 0 && hold > 0) {
      nodes.push(shape("text", { class: "tick", x: x + wide / 2, y: top + 29, "text-anchor": "middle" }, hold));
    }
  }
  const x = at.left + (spread ? full * 0.58 : 0);
  swatch(x, themed.never);
  nodes.push(hatchPattern(`hatch-of-${id}`, 7), shape("rect", { x, y: top, width: wide, height: 14, fill: `url(#hatch-of-${id})` }));
  nodes.push(shape("text", { class: "tick", x: x + wide + 6, y: top + 11 }, "roll to win"));
  if (spread) nodes.push(shape("text", { class: "tick", x: at.left, y: top + 44 }, "hold at this turn total"));
  return nodes;
}

function describeSurface(state) {
  const { solution } = state, { own, opponent } = placeOf(state);
  const { target, thresholds, best } = solution, holds = thresholds.filter((hold, k) => hold < target - Math.floor(k / target));
  const range = holds.length ? `The best hold is between ${holds.reduce((a, b) => Math.min(a, b))} and ${holds.reduce((a, b) => Math.max(a, b))}; for points alone it is ${best}.` : "Never hold.";
  const hold = thresholds[own * target + opponent];
  const here = hold >= target - own ? "never hold" : `hold at ${hold}`;
  return `A map with your score from 0 to ${target - 1} and the opponent's score. ${range} `
    + `At ${own} to ${opponent}: ${here}.`;
}

export function newSurface(id, store) {
  const box = byId(id).querySelector(".picture");
  let at = null, shown = null;
  const figure = newFigure(id, {
    ready: () => Boolean(store.state.solution),
    paint(_, width) {
      const { solution } = store.state;
      shown = { solution, ...surfaceColours(solution) };
      const { target } = solution;
      at = paintMap(box, width, { target, colours: shown.colours, hatched: shown.hatched, ...placeOf(store.state), legend: (place) => legendOf(id, solution, shown.spread, place) });
    },
    describe: () => describeSurface(store.state),
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
