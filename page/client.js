// On the page: asks the worker. A newer request of the same kind makes the older ones obsolete.

const LONG = 400; // milliseconds after which the computation of an obsolete request is stopped

const workerSource = () => ["solving", "worker"].map((id) => document.getElementById(id).textContent).join("\n");

// ask(kind, given, onProgress) promises the result, or null if a newer request of this kind was made meanwhile.
// onChange(client, number) is told of the number of requests without an answer.
export function newClient(onChange = () => {}) {
  const url = URL.createObjectURL(new Blob([workerSource()], { type: "text/javascript" }));
  const asked = new Map();
  let worker = null, number = 0;

  function begin() {
    worker = new Worker(url);
    worker.onmessage = ({ data }) => hear(data);
  }

  function forget(of) {
    asked.delete(of);
    onChange(client, asked.size);
  }

  function hear({ number: of, progress, result, error, obsolete }) {
    const request = asked.get(of);
    if (!request) return;
    if (progress !== undefined) {
      request.started ??= performance.now();
      if (!request.obsolete) request.onProgress(progress);
      return;
    }
    forget(of);
    if (obsolete || request.obsolete) request.resolve(null);
    else if (error !== undefined) request.reject(new Error(error));
    else request.resolve(result);
  }

  // Break off everything, and ask again for what is still wanted.
  function restart() {
    worker.terminate();
    begin();
    asked.forEach((request, of) => {
      if (request.obsolete) {
        forget(of);
        request.resolve(null);
      } else {
        request.started = undefined;
        worker.postMessage(request.message);
      }
    });
  }

  function ask(kind, given = {}, onProgress = () => {}) {
    number += 1;
    const message = { number, kind, ...given };
    asked.forEach((request) => (request.obsolete ||= request.kind === kind));
    const promise = new Promise((resolve, reject) => asked.set(number, { kind, message, onProgress, resolve, reject }));
    onChange(client, asked.size);
    const now = performance.now();
    if ([...asked.values()].some((request) => request.obsolete && now - request.started > LONG)) restart();
    else worker.postMessage(message);
    return promise;
  }

  function close() {
    worker.terminate();
    URL.revokeObjectURL(url);
  }

  begin();
  const client = { ask, close };
  return client;
}
