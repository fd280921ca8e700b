// Small helpers for the document.

export const byId = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  Object.entries(attributes).forEach(([name, value]) => {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value === true ? "" : value);
  });
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const shape = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export const picture = (width, height, ...children) =>
  shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }, ...children);

// Change a text only where it differs: a live region that is written again is read again.
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Call with the latest text only when nothing was said for a moment: a screen reader does not read every step of a drag.
export function sayLater(node, pause = 400) {
  let waiting = 0;
  return (text) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => say(node, text), pause);
  };
}

export const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

const SIDEWAYS = 8; // pixels that a finger moves before it drags, where it may also scroll the page

function isSideways(from, to) {
  const across = Math.abs(to.clientX - from.clientX);
  return across >= SIDEWAYS && across >= Math.abs(to.clientY - from.clientY);
}

// Call move(event) while a pointer is pressed on a node. Where the same gesture of a finger may scroll the page, it must
// first move sideways, or tap. If the browser scrolls, it cancels the drag.
export function onDrag(node, move) {
  let waiting = null; // where a finger was put down that has not moved yet
  node.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    node.setPointerCapture(event.pointerId);
    const scrolls = event.pointerType === "touch" && getComputedStyle(node).touchAction !== "none";
    waiting = scrolls ? event : null;
    if (!waiting) move(event);
  });
  node.addEventListener("pointermove", (event) => {
    if (!node.hasPointerCapture(event.pointerId) || (waiting && !isSideways(waiting, event))) return;
    waiting = null;
    move(event);
  });
  node.addEventListener("pointerup", (event) => waiting && move(event));
}

// Give a slider back its value if the finger that touched it went on to scroll the page.
export function undoWhenScrolled(input) {
  let before = input.value;
  input.addEventListener("pointerdown", () => (before = input.value));
  input.addEventListener("pointercancel", () => {
    input.value = before;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

export const moves = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;
