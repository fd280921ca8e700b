// When to hold for points: the mean points of a turn by hold, and the distribution of a turn's points.

import { chart, onDragX } from "./charts.js";
import { bindSlider } from "./controls.js";
import { byId, clamp, say } from "./dom.js";
import { newFigure } from "./figures.js";
import { bestHold, meanByHold, meanGain, meanOfTurn, pointsOfTurn, shares } from "./turn.js";
import { chance, percent, points } from "./words.js";

const MOST_HOLD = 200;
const EQUAL = 1e-9; // points

// The highest hold shown.
export const mostHold = (die) => Math.min(MOST_HOLD, Math.max(10, 2 * bestHold(die, MOST_HOLD)));

export function showHoldPoints(store) {
  const figures = [showMeans(store), showDistribution(store)];
  const spoken = (hold) => `${hold}: ${meanOfTurn(store.state.die, hold).toFixed(2)} points per turn`;
  bindSlider("hold-at", store, "holdAt", { limits: ({ die }) => [1, mostHold(die)], spoken, keys: ["die"] });
  const note = () => {
    const { die } = store.state, holdAt = holdOf(store);
    say(byId("means-note"), `Hold at ${holdAt}: ${meanOfTurn(die, holdAt).toFixed(2)} points per turn. ${verdict(die, holdAt)}`);
    say(byId("balance"), balance(die, holdAt));
    say(byId("distribution-note"), `Hold at ${holdAt}: ${chance(pointsOfTurn(die, holdAt)[0])} of all turns end with a bust.`);
  };
  store.on(["die", "holdAt"], () => {
    figures.forEach((figure) => figure.redraw());
    note();
  });
  note();
}

// Whether another hold earns more. The mean grows up to the best hold, and falls after it; it may stay equal for a while.
function verdict(die, hold) {
  const best = bestHold(die);
  if (best === Infinity) return "This die never busts: the later you hold, the more you earn.";
  if (hold === best) return "This is the top! No other number gives more.";
  if (Math.abs(meanOfTurn(die, hold) - meanOfTurn(die, best)) < EQUAL) return `That is as much as at the top, ${best}.`;
  return `A ${hold < best ? "higher" : "lower"} number gives more.`;
}

// What one more roll adds and takes away, on average.
function balance(die, total) {
  const [bust] = shares(die), gain = meanGain(die), risk = bust * total;
  const said = `Say your turn total is ${total}. One more roll adds ${gain.toFixed(2)} points on average.`;
  if (!bust) return `${said} This die never busts, so a roll takes nothing away: roll.`;
  const taken = `But with a chance of ${chance(bust)} you lose all ${total}: on average that takes away ${risk.toFixed(2)} points.`;
  if (Math.abs(risk - gain) < EQUAL) return `${said} ${taken} Both are equal: it does not matter what you do.`;
  return `${said} ${taken} ${risk < gain ? "The roll gains more than it risks, so roll." : "The roll risks more than it gains, so hold."}`;
}

const holdOf = ({ state }) => clamp(state.holdAt, 1, mostHold(state.die));

function showMeans(store) {
  const box = byId("means").querySelector(".picture"), means = () => meanByHold(store.state.die, mostHold(store.state.die));
  let at = null;
  onDragX(box, () => at, (hold) => store.set({ holdAt: clamp(Math.round(hold), 1, mostHold(store.state.die)) }));
  return newFigure("means", {
    paint(_, width) {
      const all = means(), hold = holdOf(store), mean = all[hold - 1];
      const drawn = chart(width, {
        x: [0, all.length], y: [0, 1.25 * Math.max(...all)], xName: "hold at", yName: "mean points of a turn",
        lines: [{ points: [[0, 0], ...all.map((value, k) => [k + 1, value])], kind: "main" }],
        mark: { x: hold, y: mean, text: `hold at ${hold}: ${mean.toFixed(2)}`, below: true },
      });
      at = drawn.at;
      box.replaceChildren(drawn.svg);
    },
    describe() {
      const all = means(), best = bestHold(store.state.die), hold = holdOf(store);
      const shape = best > all.length ? "A curve that rises." : `A curve that rises and falls again. Its top is at ${best}, with ${all[best - 1].toFixed(2)} points per turn.`;
      return `${shape} Holding at ${hold} gives ${all[hold - 1].toFixed(2)}.`;
    },
    table: () => [["hold at", "mean points"], ...means().map((mean, k) => [k + 1, mean])],
  });
}

function showDistribution(store) {
  const box = byId("distribution").querySelector(".picture");
  const distribution = () => {
    const all = Array.from(pointsOfTurn(store.state.die, holdOf(store)));
    return all.slice(0, all.findLastIndex((share) => share > 0) + 1);
  };
  return newFigure("distribution", {
    paint(_, width) {
      const size = distribution(), kind = (k) => (k ? "" : "bust");
      box.replaceChildren(chart(width, {
        height: 200, x: [-0.7, size.length - 0.3], y: [0, 1.15 * Math.max(...size)], bars: { from: 0, size, kind }, xName: "points of the turn",
        yName: "chance", format: (value) => percent(value, 0), mark: { x: 0, y: size[0], text: `bust: ${chance(size[0])}`, line: false },
      }).svg);
    },
    describe() {
      const size = distribution();
      const likely = size.reduce((best, share, k) => (k > 0 && share > size[best] ? k : best), 1);
      const least = size.findIndex((share, k) => k > 0 && share > 0), most = size.length - 1;
      return `Bars: a bust with ${chance(size[0])}; otherwise ${least === most ? "" : `from ${least} to `}${points(most)}, `
        + `most often ${likely}, with ${chance(size[likely])}.`;
    },
    table: () => [["points", "chance"], ...distribution().map((share, k) => [k, share])],
  });
}
