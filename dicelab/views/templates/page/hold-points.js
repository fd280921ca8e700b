// When to hold for points: the mean points of a turn by hold, and the distribution of a turn's points.

import { chart, pointed } from "./charts.js";
import { bindSlider } from "./controls.js";
import { byId, clamp, onDrag, say } from "./dom.js";
import { newFigure } from "./figures.js";
import { bestHold, meanByHold, meanGain, meanOfTurn, pointsOfTurn, shares } from "./turn.js";
import { percent, points } from "./words.js";

const MOST_HOLD = 200;

// The highest hold shown.
export const mostHold = (die) => Math.min(MOST_HOLD, Math.max(10, 2 * bestHold(die, MOST_HOLD)));

export function showHoldPoints(store) {
  const figures = [showMeans(store), showDistribution(store)];
  bindSlider("hold-at", store, "holdAt", { limits: ({ die }) => [1, mostHold(die)], keys: ["die"] });
  const note = () => {
    const { die } = store.state, holdAt = holdOf(store), [bust] = shares(die), gain = meanGain(die), best = bestHold(die, MOST_HOLD);
    const mean = (hold) => meanOfTurn(die, hold).toFixed(2);
    const earned = `Hold at ${holdAt}: ${mean(holdAt)} points per turn.`;
    say(byId("means-note"), holdAt === best ? `The top! ${earned} No other number here gives more.`
      : `${earned} A ${holdAt < best ? "higher" : "lower"} number gives more.`);
    say(byId("balance"), `Say your turn total is ${holdAt}. One more roll adds ${gain.toFixed(2)} points on average. `
      + `But with a chance of ${percent(bust)} you lose all ${holdAt}: on average that takes away ${(bust * holdAt).toFixed(2)} points. `
      + (bust * holdAt < gain - 1e-9 ? "The roll gains more than it risks, so roll." : bust * holdAt > gain + 1e-9
        ? "The roll risks more than it gains, so hold." : "Both are equal: it does not matter what you do."));
    say(byId("distribution-note"), `Hold at ${holdAt}: ${percent(pointsOfTurn(die, holdAt)[0])} of all turns end with a bust.`);
  };
  store.on(["die", "holdAt"], () => {
    figures.forEach((figure) => figure.redraw());
    note();
  });
  note();
}

const holdOf = ({ state }) => clamp(state.holdAt, 1, mostHold(state.die));

function showMeans(store) {
  const box = byId("means").querySelector(".picture"), means = () => meanByHold(store.state.die, mostHold(store.state.die));
  let at = null;
  onDrag(box, (event) => store.set({ holdAt: clamp(Math.round(pointed(box, at, event)), 1, mostHold(store.state.die)) }));
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
      const all = means(), best = all.indexOf(Math.max(...all)) + 1, hold = holdOf(store);
      return `A curve that rises and falls again. Its top is at ${best}, with ${all[best - 1].toFixed(2)} points per turn. `
        + `Holding at ${hold} gives ${all[hold - 1].toFixed(2)}.`;
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
        yName: "chance", format: (value) => percent(value, 0), mark: { x: 0, y: size[0], text: `bust: ${percent(size[0])}`, line: false },
      }).svg);
    },
    describe() {
      const size = distribution();
      const likely = size.reduce((best, share, k) => (k > 0 && share > size[best] ? k : best), 1);
      return `Bars: a bust with ${percent(size[0])}; otherwise from ${holdOf(store)} to ${points(size.length - 1)}, `
        + `most often ${likely}, with ${percent(size[likely])}.`;
    },
    table: () => [["points", "chance"], ...distribution().map((share, k) => [k, share])],
  });
}
