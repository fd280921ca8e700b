// One turn of Pig with one die, for points alone. die[0] is the weight of the bust, die[f] that of f points.

export function shares(die) {
  const sum = die.reduce((total, weight) => total + weight, 0);
  return die.map((weight) => weight / sum);
}

export const meanGain = (die) => shares(die).reduce((sum, share, face) => sum + face * share, 0);

// The lowest turn total at which another roll risks at least as much as it gains on average; at most the target.
export function bestHold(die, target = Infinity) {
  const [bust] = shares(die), gain = meanGain(die);
  return Math.max(1, Math.min(target, bust > 0 ? Math.ceil(gain / bust - 1e-9) : Infinity));
}

// The probabilities of the points of a turn that holds at `hold` or more; entry 0 is that of a bust.
export function pointsOfTurn(die, hold) {
  const p = shares(die), reach = new Float64Array(hold + p.length);
  let bust = 0;
  reach[0] = 1;
  for (let total = 0; total < hold; total++) {
    bust += reach[total] * p[0];
    for (let face = 1; face < p.length; face++) reach[total + face] += reach[total] * p[face];
    reach[total] = 0;
  }
  reach[0] = bust;
  return reach;
}

// The mean points of a turn that holds at `hold`.
export const meanOfTurn = (die, hold) => pointsOfTurn(die, hold).reduce((sum, share, points) => sum + share * points, 0);

// The same for holds at 1, 2, …, most.
export const meanByHold = (die, most) => Array.from({ length: most }, (_, k) => meanOfTurn(die, k + 1));
