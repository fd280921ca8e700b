// The first player's advantage by target.

import { chart, onDragX } from "./charts.js";
import { byId, clamp, say } from "./dom.js";
import { newFigure } from "./figures.js";
import { bindSlider } from "./controls.js";
import { percent } from "./words.js";

export function showFirstPlayer(store) {
  const box = byId("first-player").querySelector(".picture");
  const chances = () => Array.from(store.state.solution.advantage, (advantage) => 0.5 + advantage);
  const asked = () => clamp(store.state.goal, 1, store.state.solution.target); // the solution may be older than the target
  let at = null;
  const figure = newFigure("first-player", {
    ready: () => Boolean(store.state.solution),
    paint(_, width) {
      const all = chances(), goal = asked(), most = Math.max(...all), least = Math.min(0.5, ...all), spread = Math.max(0.02, most - least);
      const y = [least, Math.min(1, least + 1.3 * spread)], x = all.length > 1 ? [1, all.length] : [0, 2];
      const drawn = chart(width, {
        x, y, xName: "target", yName: "the first player wins",
        format: (value) => percent(value, y[1] - y[0] < 0.05 ? 1 : 0), lines: [{ points: all.map((value, k) => [k + 1, value]), kind: "main" }],
        mark: { x: goal, y: all[goal - 1], text: `to ${goal}: ${percent(all[goal - 1])}` },
      });
      at = drawn.at;
      box.replaceChildren(drawn.svg);
    },
    describe() {
      const all = chances(), goal = asked();
      return `A curve of the first player's chance of winning by target. To 1 point it is ${percent(all[0])}, to ${goal} it is ${percent(all[goal - 1])}, `
        + `to ${all.length} it is ${percent(all.at(-1))}.`;
    },
    table: () => [["target", "chance of the first player"], ...chances().map((value, k) => [k + 1, value])],
  });
  store.on(["target"], ({ target }) => store.set({ goal: target }));
  onDragX(box, () => at, (goal) => store.set({ goal: clamp(Math.round(goal), 1, store.state.target) }));
  const spoken = (goal) => `${goal}${store.state.solution ? `: the first player wins ${percent(chances()[asked() - 1])}` : ""}`;
  bindSlider("goal", store, "goal", { limits: ({ target }) => [1, target], spoken, keys: ["target", "solution"] });
  store.on(["solution", "goal"], () => {
    if (!store.state.solution) return;
    figure.redraw();
    const goal = asked(), value = chances()[goal - 1];
    say(byId("first-player-note"), `In a game to ${goal}, if both play their best, the player who begins wins ${percent(value)} of all games. `
      + `That is ${(100 * Math.abs(2 * value - 1)).toFixed(1)} games in 100 more than the other player.`);
  });
}
