// One turn: roll a die yourself, and the chance to survive several rolls.

import { chart, onDragX } from "./charts.js";
import { bindSlider } from "./controls.js";
import { dieOf, faceOf, tumble } from "./dice.js";
import { byId, clamp, say } from "./dom.js";
import { newFigure } from "./figures.js";
import { draw } from "./random.js";
import { shares } from "./turn.js";
import { chance, percent, plural, points } from "./words.js";

export const MOST_ROLLS = 20;

export function showOneTurn(store) {
  const turn = { total: 0, turns: 0, busts: 0, sum: 0 };
  const roll = byId("try-roll"), hold = byId("try-hold"), table = byId("try-dice");

  function show(message) {
    say(byId("try-total"), String(turn.total));
    say(byId("try-said"), message);
    hold.setAttribute("aria-disabled", String(turn.total === 0)); // it keeps the focus
    const { turns, busts, sum } = turn;
    say(byId("try-tally"), turns ? `So far: ${plural(turns, "turn")}, ${plural(busts, "bust")}, ${(sum / turns).toFixed(1)} points per turn.` : "");
  }

  function end(gained, message) {
    Object.assign(turn, { total: 0, turns: turn.turns + 1, busts: turn.busts + (gained === 0), sum: turn.sum + gained });
    show(message);
  }

  roll.addEventListener("click", () => {
    const { die } = store.state, face = draw(Math.random, die), lost = turn.total;
    table.replaceChildren(dieOf(faceOf(face, die), face ? "" : "bust"));
    tumble(table);
    if (face === 0) return end(0, lost ? `Bust! ${points(lost)} lost. The next roll begins a new turn.` : "Bust at once! The next roll begins a new turn.");
    turn.total += face;
    show(`You rolled ${face}. Roll again, or hold?`);
  });
  hold.addEventListener("click", () => {
    if (turn.total) end(turn.total, `You held: ${points(turn.total)} are yours. The next roll begins a new turn.`);
  });
  const begin = () => {
    Object.assign(turn, { total: 0, turns: 0, busts: 0, sum: 0 });
    const highest = store.state.die.findLastIndex((weight) => weight > 0);
    table.replaceChildren(dieOf(faceOf(highest, store.state.die)));
    show("Press Roll.");
  };
  store.on(["die"], begin);
  begin();
  showSurvival(store);
}

function showSurvival(store) {
  const survival = (rolls) => (1 - shares(store.state.die)[0]) ** rolls;
  const box = byId("survival").querySelector(".picture");
  let at = null;
  const figure = newFigure("survival", {
    paint(_, width) {
      const { rolls } = store.state, size = Array.from({ length: MOST_ROLLS }, (_, k) => survival(k + 1));
      const bars = { from: 1, size, kind: (k) => (k + 1 === rolls ? "chosen" : "") };
      const drawn = chart(width, {
        x: [0.4, MOST_ROLLS + 0.6], y: [0, 1], bars, format: (value) => percent(value, 0), xName: "number of rolls", yName: "chance of no bust",
        mark: { x: rolls, y: survival(rolls), text: `${plural(rolls, "roll")}: ${chance(survival(rolls))}`, line: false, after: true },
      });
      at = drawn.at;
      box.replaceChildren(drawn.svg);
    },
    describe: () => `Bars that fall: one roll survives with ${chance(survival(1))}, `
      + `${plural(store.state.rolls, "roll")} with ${chance(survival(store.state.rolls))}, ${MOST_ROLLS} rolls with ${chance(survival(MOST_ROLLS))}.`,
    table: () => [["rolls", "chance of no bust"], ...Array.from({ length: MOST_ROLLS }, (_, k) => [k + 1, survival(k + 1)])],
  });
  onDragX(box, () => at, (rolls) => store.set({ rolls: clamp(Math.round(rolls), 1, MOST_ROLLS) }));
  const spoken = (rolls) => `${plural(rolls, "roll")}: ${chance(survival(rolls))}`;
  bindSlider("rolls", store, "rolls", { limits: () => [1, MOST_ROLLS], spoken, keys: ["die"] });
  const note = () => {
    const { rolls, die } = store.state, [bust] = shares(die);
    const turns = Math.round(100 * survival(rolls)), often = turns ? `about ${turns}` : "fewer than 1";
    say(byId("survival-note"), `One roll goes well with a chance of ${chance(1 - bust)}.`
      + (rolls > 1 ? ` All ${rolls} rolls go well with a chance of ${chance(survival(rolls))}: in ${often} of 100 turns.` : ""));
  };
  store.on(["rolls", "die"], () => {
    figure.redraw();
    note();
  });
  note();
}
