"use strict";
// For keyboards and screen readers: what scrolls sideways can be scrolled by keys, parts of the theme have names, and
// empty corners of tables are no heads.

document.addEventListener("DOMContentLoaded", () => {
  const name = (part, text) => document.querySelector(part)?.setAttribute("aria-label", text);
  name(".sidebar-drawer", "Site");
  name(".toc-drawer", "This page");
  for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.setAttribute("aria-level", "2");
  for (const head of document.querySelectorAll("article th")) {
    if (head.textContent.trim() || head.querySelector("img, svg")) continue;
    const cell = document.createElement("td"); // a head without words would be announced
    [cell.className, cell.colSpan, cell.rowSpan] = [head.className, head.colSpan, head.rowSpan];
    head.replaceWith(cell);
  }

  const scrolls = (box) => box.scrollWidth > box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX);
  const watcher = new ResizeObserver((changes) => {
    for (const { target } of changes) scrolls(target) ? (target.tabIndex = 0) : target.removeAttribute("tabindex");
  });
  for (const box of document.querySelectorAll("article :is(pre, table, .table-wrapper, .output, .math-wrapper)")) watcher.observe(box);
});
