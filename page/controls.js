// Sliders that set a value of the store, and show it.

import { byId, clamp, say, undoWhenScrolled } from "./dom.js";

// Bind <input type=range id> and its <output> to a value of the store. limits(state) is [least, most]; spoken(value) is
// what a screen reader says of the value.
export function bindSlider(id, store, key, { limits, spoken = String, keys = [] }) {
  const input = byId(id), output = byId(`${id}-value`);
  const show = () => {
    const [least, most] = limits(store.state), value = clamp(store.state[key], least, most);
    Object.assign(input, { min: least, max: most });
    input.value = value;
    say(output, String(value));
    input.setAttribute("aria-valuetext", spoken(value));
  };
  undoWhenScrolled(input);
  input.addEventListener("input", () => store.set({ [key]: Number(input.value) }));
  store.on([key, ...keys], show);
  show();
}
