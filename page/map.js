// A map of all pairs of scores: the own score to the right, the opponent's upwards.

import { axes, scales } from "./charts.js";
import { css } from "./colours.js";
import { clamp, make, onDrag, picture, shape } from "./dom.js";

const MARGIN = { left: 40, right: 12, top: 26, bottom: 96 };
const LARGEST = 560;
const FAR = 1000; // beyond every score
const KEY_MOVES = { // of the point, to the right and upwards
  ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
  Home: [-FAR, 0], End: [FAR, 0], PageUp: [0, 10], PageDown: [0, -10],
};

// Paint into the box. colours[own·target + opponent] = [red, green, blue]; hatched is a path as from runsOf; legend(at) are
// SVG nodes for the last 50 pixels.
export function paintMap(box, width, { target, colours, hatched = "", own, opponent, legend }) {
  const whole = Math.min(width, LARGEST), side = whole - MARGIN.left - MARGIN.right;
  const height = side + MARGIN.top + MARGIN.bottom, range = [0, target];
  const at = scales(whole, height, range, range, MARGIN);
  let canvas = box.querySelector("canvas");
  if (!canvas) {
    canvas = make("canvas", { "aria-hidden": "true" });
    box.replaceChildren(canvas, picture(whole, height));
  }
  if (canvas.width !== target) Object.assign(canvas, { width: target, height: target });
  Object.assign(canvas.style, { left: `${at.left}px`, top: `${at.top}px`, width: `${side}px`, height: `${side}px` });
  canvas.getContext("2d").putImageData(imageOf(target, colours), 0, 0);
  const names = { x: range, y: range, xName: "your score", yName: "opponent's score", grid: false, wholeY: true };
  const svg = picture(whole, height, ...axes(at, names), ...hatching(at, target, hatched), ...cross(at, own + 0.5, opponent + 0.5), ...legend(at));
  svg.setAttribute("class", "chart");
  box.querySelector("svg").replaceWith(svg);
  return at;
}

function imageOf(target, colours) {
  const image = new ImageData(target, target), pixels = new Uint32Array(image.data.buffer);
  for (let own = 0; own < target; own++) {
    for (let opponent = 0; opponent < target; opponent++) {
      const [red, green, blue] = colours[own * target + opponent];
      pixels[(target - 1 - opponent) * target + own] = 0xff000000 | (blue << 16) | (green << 8) | red;
    }
  }
  return image;
}

function cross(at, own, opponent) {
  const x = at.toX(own), y = at.toY(opponent);
  const line = (ends) => shape("line", { class: "cursor", ...ends });
  return [
    line({ x1: x, x2: x, y1: y, y2: at.bottom }),
    line({ x1: at.left, x2: x, y1: y, y2: y }),
    shape("circle", { class: "ring", cx: x, cy: y, r: 10 }),
    shape("circle", { class: "dot", cx: x, cy: y, r: 7 }),
  ];
}

// SVG paths of the cells by what kindOf(own·target + opponent) says: runs in each row, in cells from the top left.
export function runsOf(target, kindOf) {
  const runs = new Map();
  for (let opponent = 0; opponent < target; opponent++) {
    for (let own = 0, from = 0; own < target; own++) {
      const kind = kindOf(own * target + opponent);
      if (own + 1 < target && kindOf((own + 1) * target + opponent) === kind) continue;
      runs.set(kind, `${runs.get(kind) ?? ""}M${from},${target - 1 - opponent}h${own + 1 - from}v1H${from}z`);
      from = own + 1;
    }
  }
  return runs;
}

const cellsTo = (at, target) => `translate(${at.left} ${at.top}) scale(${(at.right - at.left) / target})`;

// The map as SVG.
export function mapShapes(at, target, colours) {
  const runs = runsOf(target, (k) => css(colours[k]));
  return shape("g", { "shape-rendering": "crispEdges", transform: cellsTo(at, target) }, ...[...runs].map(([fill, d]) => shape("path", { fill, d })));
}

let hatches = 0;

// Lines over the cells of a path, whose distance does not depend on the size of the cells.
function hatching(at, target, d) {
  if (!d) return [];
  const id = `hatch-${++hatches}`, cell = (at.right - at.left) / target;
  return [hatchPattern(id, 7 / cell), shape("path", { class: "hatched", d, fill: `url(#${id})`, transform: cellsTo(at, target) })];
}

export function hatchPattern(id, size) {
  const part = size / 4, d = `M0,${size}L${size},0M${-part},${part}L${part},${-part}M${size - part},${size + part}L${size + part},${size - part}`;
  return shape("pattern", { id, width: size, height: size, patternUnits: "userSpaceOnUse" }, shape("path", { class: "hatch", d, "stroke-width": size / 7 }));
}

// Let the reader move the point of a map: by dragging, and with the arrow keys.
export function movePoint(box, place, store) {
  const move = (own, opponent) => {
    const most = store.state.target - 1;
    store.set({ own: clamp(own, 0, most), opponent: clamp(opponent, 0, most) });
  };
  onDrag(box, (event) => {
    const at = place(), frame = box.getBoundingClientRect();
    if (at) move(Math.floor(at.fromX(event.clientX - frame.left)), Math.floor(at.fromY(event.clientY - frame.top)));
  });
  box.addEventListener("keydown", (event) => {
    const [right, up] = KEY_MOVES[event.key] ?? [];
    if (right === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const step = event.shiftKey ? 10 : 1, most = store.state.target - 1, { own, opponent } = store.state;
    move(Math.min(own, most) + step * right, Math.min(opponent, most) + step * up);
  });
}
