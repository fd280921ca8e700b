// Curves and bars as SVG.

import { clamp, onDrag, picture, shape } from "./dom.js";

const MARGIN = { left: 52, right: 14, top: 26, bottom: 40 };

// Round numbers between two ends, at most `most` of them, and at least `least` apart.
export function ticks(from, to, most, least = 0) {
  const rough = Math.max(least, (to - from) / Math.max(1, most)), power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9));
  const first = Math.ceil(from / step - 1e-9), count = Math.floor(to / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

const path = (corners) => corners.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");

// Where values are in a picture of a size: the range of x and of y is [from, to].
export function scales(width, height, x, y, margin = MARGIN) {
  const right = width - margin.right, bottom = height - margin.bottom;
  const toX = (value) => margin.left + ((value - x[0]) / (x[1] - x[0])) * (right - margin.left);
  const toY = (value) => bottom - ((value - y[0]) / (y[1] - y[0])) * (bottom - margin.top);
  const fromX = (place) => x[0] + ((clamp(place, margin.left, right) - margin.left) / (right - margin.left)) * (x[1] - x[0]);
  const fromY = (place) => y[0] + ((bottom - clamp(place, margin.top, bottom)) / (bottom - margin.top)) * (y[1] - y[0]);
  return { toX, toY, fromX, fromY, left: margin.left, right, top: margin.top, bottom };
}

function yAxis(at, { y, yName, format = String, grid = true, wholeY = false }) {
  const nodes = [];
  ticks(...y, Math.max(2, (at.bottom - at.top) / 38), Number(wholeY)).forEach((value) => {
    if (grid) nodes.push(shape("line", { class: "grid", x1: at.left, x2: at.right, y1: at.toY(value), y2: at.toY(value) }));
    nodes.push(shape("text", { class: "tick", x: at.left - 7, y: at.toY(value), dy: "0.35em", "text-anchor": "end" }, format(value)));
  });
  return [...nodes, shape("text", { class: "name", x: 4, y: 14 }, yName)];
}

// Along x are whole numbers: points, rolls or moves.
export function xAxis(at, { x, xName, formatX = String }) {
  const nodes = [];
  ticks(...x, (at.right - at.left) / 48, 1).forEach((value) => {
    nodes.push(shape("line", { class: "axis", x1: at.toX(value), x2: at.toX(value), y1: at.bottom, y2: at.bottom + 4 }));
    nodes.push(shape("text", { class: "tick", x: at.toX(value), y: at.bottom + 17, "text-anchor": "middle" }, formatX(value)));
  });
  nodes.push(shape("line", { class: "axis", x1: at.left, x2: at.right, y1: at.bottom, y2: at.bottom }));
  return [...nodes, shape("text", { class: "name", x: (at.left + at.right) / 2, y: at.bottom + 35, "text-anchor": "middle" }, xName)];
}

export const axes = (at, options) => [...yAxis(at, options), ...xAxis(at, options)];

// A chart: { height, x, y, xName, yName, format, bars, lines, mark }, where
//   bars   { from, size, kind(k) }: bars at from, from + 1, …,
//   lines  [{ points: [[x, y], …], kind, name }],
//   areas  [{ points, kind }] likewise, filled,
//   mark   { x, y, text, line, after, below }: the place that the reader has chosen, with a line down to the axis or not,
//          the text above it, after it or below it.
export function chart(width, { height = 230, x, y, bars = null, lines = [], areas = [], mark = null, margin, ...names }) {
  const at = scales(width, height, x, y, margin), nodes = axes(at, { x, y, ...names });
  if (bars) {
    const wide = Math.max(1, at.toX(1) - at.toX(0) - (bars.size.length > 60 ? 0.5 : 2));
    bars.size.forEach((value, k) => {
      const middle = at.toX(bars.from + k), [top, bottom] = [at.toY(Math.max(0, value)), at.toY(Math.min(0, value))];
      const kind = `bar ${bars.kind?.(k) ?? ""}`;
      nodes.push(shape("rect", { class: kind, x: middle - wide / 2, width: wide, y: top, height: Math.max(value ? 1 : 0, bottom - top) }));
    });
  }
  areas.forEach(({ points, kind }) => {
    nodes.push(shape("path", { class: `area ${kind}`, d: `${path(points.map(([px, py]) => [at.toX(px), at.toY(py)]))}Z` }));
  });
  lines.forEach(({ points, kind }) => {
    nodes.push(shape("path", { class: `line ${kind}`, d: path(points.map(([px, py]) => [at.toX(px), at.toY(py)])) }));
  });
  if (mark) nodes.push(...markAt(at, mark));
  const svg = picture(width, height, ...nodes);
  svg.setAttribute("class", "chart");
  return { svg, at };
}

function markAt(at, { x, y, text, line = true, after = false, below = false }) {
  const left = at.toX(x), top = at.toY(y), long = 7.2 * text.length;
  const start = clamp(after ? left : below ? left + 8 : left - long / 2, at.left, Math.max(at.left, at.right - long));
  return [
    line ? shape("line", { class: "cursor", x1: left, x2: left, y1: at.top, y2: at.bottom }) : null,
    shape("circle", { class: "dot", cx: left, cy: top, r: 6 }),
    shape("text", { class: "said", x: start, y: below ? top + 24 : Math.max(at.top + 8, top - 13) }, text),
  ].filter(Boolean);
}

// Call choose(x) with the value of x under a pointer that drags on a chart; scalesOf() is null before it is drawn.
export function onDragX(box, scalesOf, choose) {
  onDrag(box, (event) => {
    const at = scalesOf();
    if (at) choose(at.fromX(event.clientX - box.getBoundingClientRect().left));
  });
}
