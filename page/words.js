// Numbers in words.

export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}\u00a0%`;

// A chance beside which "0.0 %" or "100.0 %" would be wrong.
export function chance(share) {
  if (share > 0 && share < 0.0005) return `less than ${percent(0.001)}`;
  if (share < 1 && share > 0.9995) return `more than ${percent(0.999)}`;
  return percent(share);
}

// What a decision costs: wins in 100 games.
export function cost(share) {
  if (share > 0 && share < 0.0005) return "less than 0.1 wins in 100 games";
  return `${(100 * share).toFixed(1)} wins in 100 games`;
}

export const plural = (number, word, several = `${word}s`) => `${number}\u00a0${number === 1 ? word : several}`;

export const points = (number) => plural(number, "point");

export const list = (words, last = "and") =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
