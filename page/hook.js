// The first question of the page: the reader answers, and sees the chances and the point in the map.
// Situation, chances and map were computed when the page was built, so that nothing has to be waited for.

import { byId, say } from "./dom.js";
import { percent } from "./words.js";

export function showHook(store) {
  const box = byId("hook"), { own, opponent, total, roll, hold, best } = Object.fromEntries(
    Object.entries(box.dataset).map(([name, value]) => [name, name === "best" ? value : Number(value)]));
  const buttons = [...box.querySelectorAll("[data-answer]")], chances = { roll, hold };

  buttons.forEach((button) => {
    button.addEventListener("click", () => answer(button.dataset.answer));
  });

  function answer(given) {
    buttons.forEach((button) => {
      const name = button.dataset.answer, option = button.parentElement;
      button.setAttribute("aria-pressed", String(name === given));
      say(option.querySelector("b"), percent(chances[name]));
      option.querySelector(".fill").style.width = `${100 * chances[name]}%`;
    });
    box.classList.add("answered"); // shows the answer, which was there from the start: nothing moves
    say(byId("hook-verdict").querySelector("b"), given === best ? `Yes, ${best}!` : `No: ${best}.`);
  }

  byId("hook-explore").addEventListener("click", () => store.set({ own, opponent, total }));
}
