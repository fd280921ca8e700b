// Sliders that set a value of the store, and show it.

import { byId, clamp, say } from "./dom.js";

// Bind <input type=range id> and its <output> to a value of the store. limits(state) is [least, most].
export function bindSlider(id, store, key, { limits, text = String, keys = [] }) {
  const input = byId(id), output = byId(`${id}-value`);
  const show = () => {
    const [least, most] = limits(store.state), value = clamp(store.state[key], least, most);
    Object.assign(input, { min: least, max: most });
    input.value = value;
    const words = text(value, store.state);
    say(output, words);
    input.setAttribute("aria-valuetext", words);
  };
  input.addEventListener("input", () => store.set({ [key]: Number(input.value) }));
  store.on([key, ...keys], show);
  show();
}
