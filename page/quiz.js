// Why the opponent matters: two situations in which the best hold for points is not the best hold to win.

import { byId, make } from "./dom.js";
import { scoreBar } from "./scorebar.js";
import { TIE, actionValues } from "./solver.js";
import { chance, cost, points } from "./words.js";

const SCORES_TRIED = 10;
const PAUSE = 150; // milliseconds: the situations need not follow every step of a drag

// The situation in which holding for points costs most: behind, where it holds too early, or ahead, where too late; but
// not at the scores that were asked for before.
export function findSituation({ game, values, target, best }, behind, before = {}) {
  const score = (k) => Math.round((k * target) / SCORES_TRIED);
  let found = null;
  for (let k = 0; k < SCORES_TRIED; k++) {
    for (let n = 0; n < SCORES_TRIED; n++) {
      if (behind ? n < k + 3 : k < n + 3) continue;
      const own = score(k), opponent = score(n);
      if (own === before.own && opponent === before.opponent) continue;
      const turn = actionValues(game, values, own, opponent);
      const [from, to] = behind ? [best, best] : [Math.ceil(best / 2), best - 1];
      for (let total = Math.max(1, from); total <= to && own + total < target; total++) {
        const ahead = turn.roll[0][total] - turn.hold[total], loss = behind ? ahead : -ahead;
        if (loss > Math.max(TIE, found?.loss ?? 0)) found = { own, opponent, total, loss, roll: turn.roll[0][total], hold: turn.hold[total] };
      }
    }
  }
  return found;
}

export function showQuiz(store) {
  const cards = ["behind", "ahead"].map((id) => newCard(byId(`quiz-${id}`), id === "behind"));
  let waiting = 0;
  store.on(["solution"], ({ solution }) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const found = cards.map((card) => card(solution));
      byId("quiz-moral").hidden = !found.some(Boolean);
    }, PAUSE);
  });
}

function newCard(card, behind) {
  let asked = "";
  const { own, opponent } = byId("hook").dataset, before = { own: Number(own), opponent: Number(opponent) };
  return (solution) => {
    const found = findSituation(solution, behind, before), key = JSON.stringify(found);
    if (key === asked) return found;
    asked = key;
    if (found) ask(card, found, solution, behind);
    else card.replaceChildren(make("p", {}, `The page looked at many scores of this game, and found none at which a player far ${behind ? "behind" : "ahead"} should play differently than for points.`));
    return found;
  };
}

function ask(card, { own, opponent, total, roll, hold }, { target, best }, behind) {
  const answerIs = roll > hold ? "roll" : "hold";
  const answer = make("div", { class: "answer", role: "status" });
  answer.append(...unknown());
  const buttons = ["roll", "hold"].map((action) => make("button", { type: "button", class: action, onclick: () => choose(action) }, action === "roll" ? "Roll" : "Hold"));
  const situation = make("p", {}, "You have ", make("b", {}, points(own)), ", the opponent has ", make("b", {}, String(opponent)),
    `. Your turn total is `, make("b", {}, String(total)), `. ${behind ? `For points alone you hold at ${best}, so now you would hold.` : `For points alone you hold at ${best}, so now you would roll again.`}`);
  const bar = (name, score, gain, kind) => make("div", { class: `scorebar ${kind}` }, ...scoreBar({ name, score, gain, target }));
  card.replaceChildren(bar("You", own, total, "you"), bar("Opponent", opponent, 0, "other"), situation,
    make("p", {}, "To win: roll or hold?"), make("p", { class: "buttons" }, ...buttons), answer);

  function choose(action) {
    buttons.forEach((button) => {
      button.setAttribute("aria-pressed", String(button.classList.contains(action)));
    });
    const right = action === answerIs, other = answerIs === "roll" ? "Holding" : "Rolling";
    const why = behind
      ? "Held points would be safe, but the opponent would most likely win before they help you. You have little to lose."
      : "With these points safe, the opponent needs a lot of luck. You have much to lose.";
    answer.replaceChildren(
      make("p", {}, make("b", {}, right ? "Yes! " : "No. "), `The best is to ${answerIs}.`),
      chanceBar("Roll", roll, "roll"), chanceBar("Hold", hold, "hold"),
      make("p", {}, `${why} ${other} costs you ${cost(Math.abs(roll - hold))}.`));
    card.dataset.answered = "yes";
    if (document.querySelectorAll(".quiz [data-answered]").length === 2) byId("quiz-moral").classList.add("told");
  }
}

// The chances before the reader has guessed.
const unknown = () => [make("p", { class: "quiet" }, "First guess. Then you see the chances."), ...["roll", "hold"].map((action) => make("div", { class: "chancebar" },
  make("span", {}, `${action === "roll" ? "Roll" : "Hold"}: your chance of winning is ?`), make("span", { class: "track", "aria-hidden": "true" })))];

function chanceBar(name, share, kind) {
  const bar = make("span", { class: "track", "aria-hidden": "true" }, make("span", { class: `fill ${kind}`, style: `width: ${100 * share}%` }));
  return make("div", { class: "chancebar" }, make("span", {}, `${name}: your chance of winning is `), make("b", {}, chance(share)), bar);
}
