// Pictures in their frames: drawn again when something changed and they can be seen, and saved as SVG or CSV.

import { byId, shape } from "./dom.js";

const figures = [];
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-size", "font-family",
  "font-weight", "text-anchor", "paint-order"];
const IDLE = 250; // milliseconds after which pictures out of sight are drawn, too

// paint(box, width) fills the box, describe() is its text alternative, table() its data: rows, the first one of names. They
// are called when ready() says so. backdrop(), if given, is what lies below the picture's SVG, as an SVG node: a map is a canvas on the page.
export function newFigure(id, { paint, describe, table, backdrop = () => null, ready = () => true }) {
  const frame = byId(id), box = frame.querySelector(".picture");
  const figure = { id, redraw, draw, width: 0, seen: false, stale: true };
  let waiting = false;

  function draw() {
    figure.width ||= Math.floor(box.clientWidth); // later the observer tells; to ask makes the browser lay out the page
    if (!figure.width || !ready()) return;
    figure.stale = false;
    paint(box, figure.width);
    box.setAttribute("aria-label", describe());
  }

  function redraw() {
    figure.stale = true;
    if (!figure.seen) later();
    else if (!waiting) {
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        if (figure.stale) draw();
      });
    }
  }

  new IntersectionObserver((entries) => {
    figure.seen = entries.at(-1).isIntersecting;
    if (figure.seen && figure.stale) redraw();
  }, { rootMargin: "200px" }).observe(box);
  new ResizeObserver(([{ contentRect }]) => {
    const width = Math.floor(contentRect.width);
    if (width === figure.width) return;
    figure.width = width;
    redraw();
  }).observe(box);

  const menu = frame.querySelector("details.save");
  frame.querySelectorAll("[data-save]").forEach((button) => {
    button.addEventListener("click", () => {
      if (!ready()) return;
      if (figure.stale) draw();
      if (button.dataset.save === "csv") save(`${id}.csv`, "text/csv", asCsv(table()));
      else save(`${id}.svg`, "image/svg+xml", asSvg(box.querySelector("svg.chart"), backdrop(), describe()));
      closeMenu(menu);
    });
  });
  menu.addEventListener("keydown", (event) => event.key === "Escape" && closeMenu(menu));
  menu.addEventListener("focusout", ({ relatedTarget: next }) => (menu.open &&= !next || menu.contains(next)));
  figures.push(figure);
  return figure;
}

function closeMenu(menu) {
  if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
  menu.open = false;
}

let resting = 0;

function later() {
  clearTimeout(resting);
  resting = setTimeout(drawStale, IDLE);
}

export function drawStale() {
  figures.filter((figure) => figure.stale).forEach((figure) => figure.draw());
}

export function redrawAll() {
  figures.forEach((figure) => figure.redraw());
}

const field = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));

export const asCsv = (rows) => rows.map((row) => `${row.map(field).join(",")}\n`).join("");

// A picture that stands alone: the styles of the page are written into it.
function asSvg(svg, below, title) {
  const copy = svg.cloneNode(true), originals = [...svg.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((node, k) => {
    const style = getComputedStyle(originals[k]);
    STYLES.forEach((name) => node.setAttribute(name, style.getPropertyValue(name)));
    node.removeAttribute("class");
  });
  ["class", "style", "aria-hidden"].forEach((name) => copy.removeAttribute(name));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const [, , width, height] = svg.getAttribute("viewBox").split(" ");
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--panel").trim();
  copy.prepend(...[shape("title", {}, title), shape("rect", { width, height, fill: paper }), below].filter(Boolean));
  return new XMLSerializer().serializeToString(copy);
}

export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser reads it in its own time
}
