// Values that the page carries, of games that take a browser long to solve: `pack` of collection/page.py has packed them.

export const STEP = 1e-6; // to which they are rounded: two options that are equally good differ by no more

// The probabilities to win, as those of `solve`, and `tie`, the difference of two options that may come from rounding.
export async function unpack({ packed, target }) {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0)), size = target ** 2;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const parts = new Uint8Array(await new Response(stream).arrayBuffer());
  const values = Float64Array.from({ length: size }, (_, k) => {
    const folded = parts[k] + 256 * (parts[size + k] + 256 * parts[2 * size + k]);
    return folded % 2 ? -(folded + 1) / 2 : folded / 2;
  });
  for (let k = target; k < size; k++) values[k] += values[k - target];
  for (let k = target; k < size; k++) values[k] += values[k - target];
  for (let k = 0; k < size; k++) if (k % target) values[k] += values[k - 1];
  return { values: values.map((count) => count * STEP), tie: STEP };
}
