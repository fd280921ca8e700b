"use strict";
// For keyboards and screen readers: what scrolls sideways can be scrolled by keys, and parts of the theme have names.

document.addEventListener("DOMContentLoaded", () => {
  const name = (part, text) => document.querySelector(part)?.setAttribute("aria-label", text);
  name(".sidebar-drawer", "Site");
  name(".toc-drawer", "This page");
  for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.setAttribute("aria-level", "2");

  const scrolls = (box) => box.scrollWidth > box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX);
  const watcher = new ResizeObserver((changes) => {
    for (const { target } of changes) scrolls(target) ? (target.tabIndex = 0) : target.removeAttribute("tabindex");
  });
  for (const box of document.querySelectorAll("article :is(pre, table, .table-wrapper, .output, .math-wrapper)")) watcher.observe(box);
});
