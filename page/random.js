// Numbers in [0, 1) that a seed fixes (mulberry32, Tommy Ettinger, public domain).
export function seeded(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const newSeed = () => Math.floor(Math.random() * 1_000_000);

// The number of an entry that is drawn in proportion to the weights.
export function draw(random, weights) {
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => (left -= weight) < 0);
  return found >= 0 ? found : weights.findLastIndex((weight) => weight > 0);
}

export function shuffled(random, items) {
  const order = [...items];
  for (let k = order.length - 1; k > 0; k--) {
    const other = Math.floor(random() * (k + 1));
    [order[k], order[other]] = [order[other], order[k]];
  }
  return order;
}
