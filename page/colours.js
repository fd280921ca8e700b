// Colours of maps. Blue and orange are those of Okabe and Ito, which colour-blind readers can tell apart.

const EARLY = [0, 114, 178], LATE = [213, 94, 0];
const LIGHT = { middle: [247, 244, 236], never: [128, 134, 142] };
const DARK = { middle: [44, 50, 58], never: [150, 157, 165] };

const dark = matchMedia("(prefers-color-scheme: dark)");
let printing = false;

export const theme = () => (dark.matches && !printing ? DARK : LIGHT);

export function onTheme(listener) {
  dark.addEventListener("change", listener);
  [["beforeprint", true], ["afterprint", false]].forEach(([event, value]) => {
    addEventListener(event, () => {
      printing = value;
      listener();
    });
  });
}

// The colour of a share from -1, all blue, to 1, all orange.
export function diverging(share, { middle }) {
  const end = share < 0 ? EARLY : LATE, part = Math.sqrt(Math.min(1, Math.abs(share)));
  return middle.map((value, k) => Math.round(value + (end[k] - value) * part));
}

export const css = ([red, green, blue]) => `rgb(${red},${green},${blue})`;
