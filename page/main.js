// The page: its state, the solver, and the sections. A new section is called below, beside showOneTurn(store).

import { DEFAULTS, readAddress, writeAddress } from "./address.js";
import { showBusy } from "./busy.js";
import { newClient } from "./client.js";
import { onTheme } from "./colours.js";
import { dieInWords, showDieEditor } from "./die-editor.js";
import { byId, moves, say, sayLater } from "./dom.js";
import { drawStale, redrawAll } from "./figures.js";
import { showFirstPlayer } from "./first-player.js";
import { pigOf } from "./game.js";
import { showHoldPoints } from "./hold-points.js";
import { showHook } from "./hook.js";
import { showOneTurn } from "./one-turn.js";
import { showOwnRule } from "./own-rule.js";
import { showPlay } from "./play.js";
import { showQuiz } from "./quiz.js";
import { newStore } from "./store.js";
import { newSurface } from "./surface.js";
import { isTable } from "./table.js";
import { showTurnStrip } from "./turn-strip.js";
import { bestHold } from "./turn.js";

const SAVED_AFTER = 300; // milliseconds: browsers limit how often an address may change

const games = JSON.parse(byId("games").textContent), slugs = [...games.map(({ slug }) => slug), "die"];
const query = new URLSearchParams(location.search).get("game");
const defaults = { ...DEFAULTS, game: slugs.includes(query) ? query : DEFAULTS.game, i: 40, j: 60 };

// The page's names for what the address says.
const fromAddress = () => {
  const { state, notes } = readAddress(location.hash, slugs, defaults), { i: own, j: opponent, ...rest } = state;
  say(byId("notes"), notes.join(" "));
  if (notes.length) byId("notes").scrollIntoView({ block: "nearest" });
  return { own, opponent, ...rest };
};

const given = fromAddress();
const store = newStore({ ...given, rolls: 4, holdAt: 10, total: 20, goal: given.target, solution: null, grade: null });
const sign = showBusy(byId("busy")), client = newClient(sign);

// Solve the present game; what changes meanwhile is solved next, so that a long drag is seen on the way.
const tellSolved = sayLater(byId("solved-live"));
let solving = false;
async function solve() {
  if (solving) return;
  solving = true;
  const { die, target } = store.state, previous = store.state.solution, game = pigOf(die, target), begun = performance.now();
  const start = previous?.target === target ? previous.values : null;
  const progress = (share) => say(byId("solved"), `Solving: ${Math.round(100 * share)} %`);
  try {
    const result = await client.ask("surface", { game, start }, progress);
    const time = Math.round(performance.now() - begun);
    if (result) {
      store.set({ solution: { game, die, target, best: bestHold(die, target), time, ...result } });
      say(byId("solved"), `Solved in ${time} ms.`);
      tellSolved(`Solved for ${dieInWords(die)}; to ${target} points.`);
    }
  } catch (error) {
    say(byId("solved"), error.message);
  }
  solving = false;
  if (store.state.die !== die || store.state.target !== target) solve();
}

store.on(["die", "target"], solve);

// Scores that a shorter game does not have are shown as its last one, and come back with a longer game.
const fragment = () => {
  const { own, opponent, die, target, game, rule } = store.state, [i, j] = [own, opponent].map((score) => Math.min(score, target - 1));
  return writeAddress({ die, target, game, rule: isTable(rule) ? defaults.rule : rule, i, j }, defaults);
};
let saving = 0;
store.on(["die", "target", "game", "rule", "own", "opponent"], () => {
  clearTimeout(saving);
  saving = setTimeout(() => history.replaceState(null, "", location.pathname + location.search + fragment()), SAVED_AFTER);
});
addEventListener("hashchange", () => store.set(fromAddress()));

showHook(store);
showOneTurn(store);
showHoldPoints(store);
showQuiz(store);
newSurface("surface", store);
showTurnStrip(store);
newSurface("die-surface", store);
showDieEditor(store);
showFirstPlayer(store);
showOwnRule(store, client);
showPlay(store, games, sign);
solve();

onTheme(() => {
  redrawAll();
  drawStale();
});

// Links to sections leave the state in the address as it is.
document.querySelectorAll('a[href^="#"]').forEach((link) => {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const section = byId(link.hash.slice(1));
    section.scrollIntoView({ behavior: moves() ? "smooth" : "auto" });
    section.tabIndex = -1;
    section.focus({ preventScroll: true });
  });
});
document.querySelectorAll("[data-copy]").forEach((button) => {
  button.addEventListener("click", async () => {
    const link = location.href.split("#")[0] + fragment(), said = button.nextElementSibling;
    try {
      await navigator.clipboard.writeText(link);
      say(said, isTable(store.state.rule) ? "Copied, without your table: it is too long for a link." : "Copied.");
    } catch {
      say(said, link);
    }
  });
});
if (query) byId("play").scrollIntoView();
