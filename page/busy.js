// A sign while something is computed, if that takes longer than a moment.

import { say } from "./dom.js";

const SOON = 200; // milliseconds until the sign appears
const LEAST = 400; // milliseconds for which it stays, so that it does not flicker

// For clients: call with an object of the caller and the number of its requests that have no answer yet.
export function showBusy(node) {
  const open = new Map();
  let waiting = 0, shown = 0;
  return (client, number) => {
    open.set(client, number);
    const busy = [...open.values()].some((count) => count > 0);
    clearTimeout(waiting);
    if (busy === Boolean(shown)) return;
    waiting = setTimeout(() => {
      shown = busy ? performance.now() : 0;
      say(node, busy ? "Computing …" : "");
    }, busy ? SOON : Math.max(0, LEAST - (performance.now() - shown)));
  };
}
