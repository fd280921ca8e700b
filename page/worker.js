// In the worker: answers requests { number, kind, ...given } with { number, progress }, and then with { number, result }
// or { number, error }. Of several waiting requests of the same kind only the newest is answered, the others with
// { number, obsolete }.

import { tasks } from "./tasks.js";

const waiting = new Map();
const next = new MessageChannel();

const buffersOf = (result) => Object.values(result).filter(ArrayBuffer.isView).map((array) => array.buffer);

function answer({ number, kind, ...given }) {
  let told = 0;
  const tell = (share) => {
    const now = performance.now();
    if (now - told < 50) return;
    told = now;
    self.postMessage({ number, progress: share });
  };
  try {
    const result = tasks[kind](given, tell);
    self.postMessage({ number, result }, buffersOf(result));
  } catch (error) {
    self.postMessage({ number, error: error.message });
  }
}

self.onmessage = ({ data }) => {
  const older = waiting.get(data.kind);
  if (older) self.postMessage({ number: older.number, obsolete: true });
  waiting.delete(data.kind); // the newest stands last
  waiting.set(data.kind, data);
  next.port2.postMessage(null);
};

// Messages that have arrived meanwhile come first.
next.port1.onmessage = () => {
  const [request] = waiting.values();
  if (!request) return;
  waiting.delete(request.kind);
  answer(request);
};
