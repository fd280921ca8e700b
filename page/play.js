// Play a game: against the optimum, the own rule or a friend; with advice, and a review afterwards.

import { unpack } from "./carried.js";
import { chart } from "./charts.js";
import { newClient } from "./client.js";
import { dieOf, faceOf, tumble } from "./dice.js";
import { byId, make, moves, say } from "./dom.js";
import { newFigure } from "./figures.js";
import { pigOf } from "./game.js";
import { rulePolicy } from "./policies.js";
import { Race, outcomeOf } from "./race.js";
import { newSeed, seeded } from "./random.js";
import { flawOf, parseRule } from "./rule.js";
import { scoreBar } from "./scorebar.js";
import { capital, chance, cost, percent, plural } from "./words.js";

const DICE = /^\d+ (dice|die)$/; // modes that are named by the dice in hand

const WORST = 3;

export function showPlay(store, games, sign) {
  const solved = new Map(), at = {};
  ["game", "rival", "starts", "pace", "advise", "roll", "hold", "choices", "dice", "board", "review", "story", "pad", "thrown"].forEach((id) => (at[id] = byId(id)));
  let client = null, race = null, rival = "optimum", policy = null, waiting = 0, die = null, heard = [], runs = 0, solving = false;

  const friends = () => rival === "friend" || rival === "pad";
  const names = () => (friends() ? ["Player 1", "Player 2"] : ["You", rival === "rule" ? "Your rule" : "Best player"]);
  const mine = () => !solving && race.winner === null && (friends() || race.player === 0);
  const possible = (name) => mine() && !waiting && race.options.some((option) => option.name === name);
  const inPoints = (chips) => (chips * race.game.chip).toLocaleString("en");
  const asPoints = (chips) => `${inPoints(chips)} ${chips * race.game.chip === 1 ? "point" : "points"}`;
  const nameOfFace = (face) => (race.game.slug === "piglet" ? ["tails", "heads"][face] : face);

  games.forEach(({ slug, name, target, chip }) => at.game.append(make("option", { value: slug }, `${name}, to ${(target * chip).toLocaleString("en")}`)));
  at.game.prepend(make("option", { value: "die" }, "The game of this page"));

  const gameOf = (slug) => (slug === "die" ? pigOf(store.state.die, store.state.target, "Pig with your die") : games.find((game) => game.slug === slug));

  async function solutionOf(slug, game) {
    const { solution } = store.state;
    if (slug === "die" && solution && solution.target === game.target && solution.die === store.state.die) return solution;
    const key = slug === "die" ? JSON.stringify([store.state.die, game.target]) : slug;
    if (!solved.has(key)) {
      const tell = (share) => solving && at.game.value === slug && say(byId("play-progress"), `${Math.round(100 * share)} %`);
      const carried = game.packed && "DecompressionStream" in self;
      solved.set(key, carried ? unpack(game) : (client ??= newClient(sign)).ask("solve", { game }, tell));
    }
    try {
      const result = await solved.get(key);
      if (!result) solved.delete(key); // another game was asked for meanwhile
      return result;
    } catch (error) {
      solved.delete(key);
      throw error;
    }
  }

  async function begin(looking = true) {
    clearTimeout(waiting);
    const run = (runs += 1);
    const slug = at.game.value, game = gameOf(slug);
    say(byId("play-wait"), `Solving ${game.name} …`);
    say(byId("play-progress"), "");
    solving = true;
    if (race) { // the game before is over
      at.board.setAttribute("aria-busy", "true");
      at.review.hidden = true;
      show();
    }
    let solution = null, failed = "";
    try {
      solution = await solutionOf(slug, game);
    } catch (error) {
      failed = error.message;
    }
    if (run !== runs) return;
    if (!solution && !failed) {
      begin(looking); // an earlier request for this game was dropped for another one: ask again
      return;
    }
    solving = false;
    if (failed) {
      say(byId("play-wait"), failed);
      return;
    }
    say(byId("play-progress"), "");
    at.board.removeAttribute("aria-busy");
    const rule = parseRule(store.state.rule), flaw = at.rival.value === "rule" ? flawOf(rule, game.target) : "";
    say(byId("play-wait"), flaw && `${flaw} Your rule is followed as far as it goes.`);
    say(byId("game-name"), game.name);
    const words = game.words ?? ["Roll the die as often as you like. Its points are added to the turn total.", "A bust ends the turn, and its points are lost. Holding ends the turn and banks its points."];
    const chips = game.chip === 1 ? "" : `One chip is ${game.chip} points.`;
    byId("game-rules").replaceChildren(...[...words, chips].filter(Boolean).map((text) => make("p", {}, text)));
    rival = at.rival.value;
    die = slug === "die" ? store.state.die : null;
    policy = rival === "rule" ? rulePolicy(game, rule.holds) : null;
    const seed = new URLSearchParams(location.search).get("seed");
    race = new Race(game, solution.values, seeded(seed === null ? newSeed() : Number(seed) >>> 0), Number(at.starts.value), solution.tie);
    heard = [];
    at.board.hidden = false;
    at.review.hidden = true;
    at.story.replaceChildren();
    at.dice.replaceChildren(make("span", { class: "quiet" }, "The dice are ready."));
    const beginner = names()[race.player];
    say(byId("play-said"), beginner === "You" ? "You begin." : `${beginner} begins.`);
    show();
    reply(looking);
  }

  function act(name, thrown = null) {
    if (!race || !mine() || waiting || !race.options.some((option) => option.name === name)) return;
    if (rival === "pad" && name === "roll" && !thrown) return; // they roll themselves
    tell(race.take(name, thrown));
    show();
    reply();
  }

  // What was thrown at the table.
  function write(event) {
    event.preventDefault();
    const faces = (at.thrown.value.match(/\d+/g) ?? []).map(Number);
    if (!possible("roll")) return;
    if (outcomeOf(race.game.modes[race.mode], faces) < 0) {
      say(byId("play-said"), `“${at.thrown.value}” is no throw here. Type the faces of all dice thrown, as 4 or 1 5 5.`);
      return;
    }
    at.thrown.value = "";
    act("roll", faces);
    if (!at.pad.hidden) at.thrown.focus();
  }

  // The moves of the other player, one after the other.
  function reply(looking = true) {
    waiting = 0;
    if (race.winner !== null) {
      review(looking);
      return;
    }
    if (mine()) {
      show();
      return;
    }
    const pause = Number(at.pace.value), current = race;
    const step = () => {
      if (current !== race) return;
      tell(race.take((policy ? race.played(policy) : race.best).name), !pause);
      if (pause) show();
      reply();
    };
    if (pause) waiting = setTimeout(step, pause);
    else step();
  }

  function sentence({ player, kind, dice, choice, choices, points, total, score, lost, forced }) {
    const who = names()[player], faces = dice?.length ? dice : die && [points ?? "bust"];
    const rolled = faces ? ` rolled ${faces.map(nameOfFace).join(", ")}` : " rolled";
    switch (kind) {
      case "rolled": if (choices) return `${who}${rolled}. Which dice to keep?`;
        return `${who}${rolled}${faces?.length === 1 ? "" : ` for ${inPoints(points)}`}: turn total ${inPoints(total)}${forced ? ", and must roll again" : ""}.`;
      case "chose": return `${who} chose ${choice}.`;
      case "kept": return `${who}: ${choice}, turn total ${inPoints(total)}.`;
      case "bust": return `${who}${die ? "" : `${rolled}:`} bust! ${lost ? `${asPoints(lost)} lost.` : "No points."}`;
      case "reset": return `${who}${rolled}: all points are lost!`;
      case "held": return `${who} held with ${inPoints(total)}: now ${asPoints(score)}.`;
      default: return `${who} won, with ${asPoints(score)}!`;
    }
  }

  function tell(events, more = false) {
    const said = events.map(sentence);
    if (!more) heard = [];
    heard.push(...said);
    at.story.prepend(...said.map((text, k) => make("li", { class: `player-${events[k].player}` }, text)).reverse());
    say(byId("play-said"), heard.join(" "));
    const { dice } = events.find((event) => event.dice) ?? {};
    if (dice) {
      const faces = dice.length ? dice : die && [faceOf(events[0].points ?? 0, die)];
      at.dice.replaceChildren(...(faces ?? []).map((face) => dieOf(nameOfFace(face))));
      tumble(at.dice);
    }
  }

  function show() {
    const { scores, player, winner, total, game } = race;
    [0, 1].forEach((p) => {
      const running = winner === null && player === p;
      const name = running ? `${names()[p]}${names()[p] === "You" ? "r turn" : "’s turn"}` : names()[p];
      byId(`player-${p}`).className = `scorebar ${p ? "other" : "you"} ${running ? "moves" : ""}`;
      byId(`player-${p}`).replaceChildren(...scoreBar({ name, score: scores[p], gain: running ? total : 0, target: game.target, text: inPoints(scores[p]) }));
    });
    const { name } = game.modes[race.mode], left = winner === null && !race.pending && DICE.test(name) ? `, ${name} to roll` : "";
    say(byId("play-total"), `Turn total ${inPoints(winner === null ? total : 0)}${left}`);
    const options = mine() && !waiting ? race.options : [];
    at.roll.hidden = rival === "pad";
    at.pad.hidden = rival !== "pad" || !possible("roll");
    const focused = document.activeElement, wasThere = focused === at.roll || focused === at.hold || at.choices.contains(focused);
    ["roll", "hold"].forEach((name) => at[name].setAttribute("aria-disabled", String(!possible(name))));
    const picks = race.pending && mine() ? options : [];
    at.choices.hidden = !picks.length;
    at.choices.replaceChildren(...picks.map(choiceButton));
    if (wasThere && picks.length) at.choices.firstElementChild.focus();
    else if (wasThere && !focused.isConnected) at.roll.focus();
    showChance();
    advise(options);
    course.redraw();
  }

  function choiceButton({ name }, k) {
    const faces = name.startsWith("keep ") ? name.slice(5).split(" ") : [], [points] = race.pending.choices[k];
    const small = make("span", { class: "dice", "aria-hidden": "true" }, ...faces.map((face) => dieOf(face)));
    return make("button", { type: "button", "data-option": name, onclick: () => act(name) }, faces.length ? small : "", faces.length ? make("span", { class: "unseen" }, `${name}: `) : `${capital(name)} `, points ? asPoints(points) : "");
  }

  function showChance() {
    const share = race.chance(0), [first, second] = names();
    if (race.winner !== null) say(byId("chance"), `${names()[race.winner]} won!`);
    else say(byId("chance"), friends() ? `Chance of winning: ${first} ${chance(share)}, ${second} ${chance(1 - share)}.` : `Your chance of winning: ${chance(share)}`);
  }

  function advise(options) {
    const wanted = at.advise.checked && options.length > 0, best = wanted ? race.best : null;
    byId("advice").hidden = !at.advise.checked;
    [at.roll, at.hold].forEach((button) => button.classList.toggle("best", best?.name === button.id));
    [...at.choices.children].forEach((button) => button.classList.toggle("best", best?.name === button.dataset.option));
    if (!wanted) say(byId("advice"), "\u00a0");
    else if (options.length === 1) say(byId("advice"), `Only one move: ${best.name}.`);
    else say(byId("advice"), `Best: ${best.name}. ${[...options].sort((one, other) => other.value - one.value).map(({ name, value }) => `${capital(name)}: ${chance(value)}`).join("; ")}.`);
  }

  function review(looking) {
    const players = friends() ? [0, 1] : [0];
    byId("verdict").replaceChildren(...players.flatMap((player) => {
      const name = names()[player], all = race.decisions.filter((made) => made.player === player), worst = race.mistakes(player, WORST);
      const wrong = all.filter((made) => made.loss > 0).length, count = plural(all.length, "decision");
      const said = `${name === "You" ? "You made" : `${name} made`} ${count}. `
        + (wrong ? `${wrong} ${wrong === 1 ? "was not the best. It cost" : "were not the best. Together they cost"} ${cost(race.loss(player))}.` : "All were the best!");
      return [make("p", { class: "note" }, said), worst.length ? tableOf(worst) : ""];
    }));
    at.review.hidden = false;
    if (looking && at.board.contains(document.activeElement)) at.review.focus({ preventScroll: true });
    show();
  }

  function tableOf(worst) {
    const head = make("tr", {}, ...["Turn", "Scores", "Total", "Done", "Better", "Wins lost in 100"].map((name) => make("th", { scope: "col" }, name)));
    const rows = worst.map(({ turn, own, opponent, total, dice, action, best, loss }) => make("tr", {},
      ...[turn, `${inPoints(own)} to ${inPoints(opponent)}`, `${inPoints(total)}${dice.length ? `, rolled ${dice.join(" ")}` : ""}`, action, best, (100 * loss).toFixed(2)]
        .map((text) => make("td", {}, String(text)))));
    return make("div", { class: "scroll" }, make("table", {}, make("caption", {}, worst.length === 1 ? "The decision that cost most" : `The ${worst.length} worst decisions, and what each cost`), make("thead", {}, head), make("tbody", {}, ...rows)));
  }

  const course = newFigure("course", {
    ready: () => Boolean(race),
    paint(box, width) {
      const { chances } = race, last = chances.length - 1, end = Math.max(10, last);
      box.replaceChildren(chart(width, {
        height: 210, x: [0, end], y: [0, 1.12], xName: "moves", yName: `${names()[0] === "You" ? "your" : "player 1’s"} chance of winning`, format: (value) => percent(value, 0),
        lines: [{ points: [[0, 0.5], [end, 0.5]], kind: "even" }, { points: chances.map((share, k) => [k, share]), kind: "main" }],
        mark: { x: last, y: chances[last], text: chance(chances[last]), line: false },
      }).svg);
    },
    describe: () => `A curve of the chance of winning after each of ${race.chances.length - 1} moves. It began at ${percent(race.chances[0])} and is now ${percent(race.chances.at(-1))}. `
      + `Lowest: ${percent(Math.min(...race.chances))}, highest: ${percent(Math.max(...race.chances))}.`,
    table: () => [["move", "chance of winning"], ...race.chances.map((share, k) => [k, share])],
  });

  at.roll.addEventListener("click", () => act("roll"));
  at.hold.addEventListener("click", () => act("hold"));
  at.pad.addEventListener("submit", write);
  byId("new-game").addEventListener("click", () => begin());
  at.game.addEventListener("change", () => store.set({ game: at.game.value }));
  const nameBeginners = () => (/friend|pad/.test(at.rival.value) ? ["player 1", "player 2"] : ["you", "the other player"]).forEach((name, k) => say(at.starts.options[k], name));
  at.rival.addEventListener("change", nameBeginners);
  [at.rival, at.starts].forEach((select) => select.addEventListener("change", () => begin()));
  at.advise.addEventListener("change", () => race && show());
  byId("play").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|INPUT)$/.test(event.target.tagName)) return;
    const pressed = { r: "roll", h: "hold", n: "new" }[event.key.toLowerCase()];
    if (pressed === "new") begin();
    else if (pressed) act(pressed);
  });
  if (!moves()) at.pace.value = "0";

  store.on(["die", "target"], () => {
    if (die && race.winner === null) say(byId("play-wait"), "The game of this page has changed. Here the old one goes on; press “New game” for the new one.");
  });
  store.on(["game"], ({ game }) => {
    at.game.value = game;
    begin();
  });
  at.game.value = store.state.game;
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    begin(false);
  }, { rootMargin: "300px" }).observe(byId("play"));
}
