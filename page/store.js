// What the page shows: named values, and listeners who hear when some of them change.

export function newStore(state) {
  const listeners = [];

  function set(changes) {
    const changed = Object.keys(changes).filter((key) => changes[key] !== state[key]);
    if (!changed.length) return;
    Object.assign(state, changes);
    listeners.forEach(([keys, listener]) => {
      if (keys.some((key) => changed.includes(key))) listener(state);
    });
  }

  return { state, set, on: (keys, listener) => listeners.push([keys, listener]) };
}
