"use strict";
// The page: shows the race, and takes the visitor's decisions.

const games = JSON.parse(document.getElementById("games").textContent).map((data) => new Game(data));
const byId = (id) => document.getElementById(id);
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const points = (number) => `${number} point${number === 1 ? "" : "s"}`;
const query = new URLSearchParams(location.search);
let race = null, waiting = null, seed = null;

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

function die(face) {
  const pips = PIPS[face].map((k) => `<circle cx="${22 + 28 * (k % 3)}" cy="${22 + 28 * Math.floor(k / 3)}" r="9"/>`).join("");
  return `<svg class="die" viewBox="0 0 100 100" role="img" aria-label="${face}"><rect x="3" y="3" width="94" height="94" rx="18"/>${pips}</svg>`;
}

function sentence({ player, dice, kind, points: more, total, score, lost }) {
  const who = player === 0 ? "You" : "The opponent", rolled = dice ? ` rolled ${dice.join(" and ")}` : "";
  switch (kind) {
    case "points": return `${who}${rolled}: turn total ${total}.`;
    case "forced": return `${who}${rolled}, a double: turn total ${total}, and another roll is due.`;
    case "bust": return `${who}${rolled}: ${lost ? `the turn's ${points(lost)} are lost` : "nothing gained"}.`;
    case "reset": return `${who}${rolled}: all points are lost.`;
    case "held": return `${who} held at ${total}: ${points(score)} banked.`;
    default: return `${who}${rolled && `${rolled}, and`} won with ${points(score)}.`;
  }
}

function begin() {
  clearTimeout(waiting);
  seed = query.has("seed") ? Number(query.get("seed")) >>> 0 : Math.floor(Math.random() * 2 ** 32);
  race = new Race(games[Number(byId("game").value)], seeded(seed), Number(byId("starts").value));
  race.chances.push(race.chance);
  byId("rules").textContent = race.game.rules;
  byId("story").replaceChildren();
  byId("review").hidden = true;
  show();
  reply();
}

function act(action) {
  if (race.player !== 0 || waiting !== null) return;
  tell(race.take(action));
  show();
  reply();
}

// The opponent's turn, one roll after the other.
function reply() {
  waiting = null;
  if (race.winner !== null || race.player !== 1) return show();
  const pause = Number(byId("pace").value);
  const step = () => {
    tell(race.take(race.rolls ? "roll" : "hold"));
    if (pause) show();
    reply();
  };
  if (pause) waiting = setTimeout(step, pause);
  else step();
}

function tell(event) {
  if (event === null) return;
  const line = document.createElement("li");
  line.textContent = sentence(event);
  line.className = event.player === 0 ? "you" : "other";
  byId("story").prepend(line);
}

function show() {
  const { scores, player, winner, total, game } = race, mine = winner === null && player === 0 && waiting === null;
  [0, 1].forEach((p) => {
    byId(`score${p}`).textContent = scores[p];
    byId(`bar${p}`).style.width = `${Math.min(100, (100 * scores[p]) / game.target)}%`;
    byId(`gain${p}`).style.width = `${player === p && winner === null ? Math.min(100 - (100 * scores[p]) / game.target, (100 * total) / game.target) : 0}%`;
    byId(`player${p}`).classList.toggle("moves", player === p && winner === null);
  });
  byId("dice").innerHTML = race.dice.length ? race.dice.map(die).join("") : "<span class='hint'>The dice wait for you.</span>";
  byId("total").textContent = winner !== null ? (winner === 0 ? "You won!" : "The opponent won.")
    : `${player === 0 ? "Your" : "The opponent's"} turn: ${points(total)} so far`;
  byId("roll").disabled = !mine;
  byId("hold").disabled = !mine || !race.mayHold;
  byId("chance").textContent = percent(race.chance);
  byId("needle").style.width = `${100 * race.chance}%`;
  advise(mine);
  if (winner !== null) review();
}

function advise(mine) {
  const wanted = byId("advise").checked, { roll, hold } = mine ? race.actionValues() : {};
  ["roll", "hold"].forEach((action) => byId(action).classList.toggle("best", Boolean(wanted && mine && (race.rolls ? "roll" : "hold") === action)));
  byId("advice").hidden = !wanted;
  if (!wanted || !mine) byId("advice").textContent = wanted ? "\u00a0" : "";
  else if (hold === null) byId("advice").textContent = `There is only one thing to do: roll (${percent(roll, 2)}).`;
  else byId("advice").textContent = `Best is to ${race.rolls ? "roll" : "hold"}: you win with ${percent(roll, 2)} by rolling, ${percent(hold, 2)} by holding.`;
}

function review() {
  const mine = race.decisions.filter((decision) => decision.player === 0), wrong = mine.filter((decision) => decision.loss > 0);
  const cost = wrong.reduce((sum, decision) => sum + decision.loss, 0);
  byId("verdict").textContent = wrong.length
    ? `Of your ${mine.length} decisions ${wrong.length} ${wrong.length === 1 ? "was" : "were"} not the best. Together they cost ${percent(cost, 2)} of a win.`
    : `All your ${mine.length} decisions were the best. ${race.winner === 0 ? "Well played." : "It was the dice."}`;
  const rows = wrong.sort((a, b) => b.loss - a.loss).map(({ turn, own, opponent, total, action, best, loss }) =>
    `<tr><td>${turn}</td><td>${own}</td><td>${opponent}</td><td>${total}</td><td>${action}</td><td>${best}</td><td>${percent(loss, 2)}</td></tr>`);
  byId("mistakes").hidden = !wrong.length;
  byId("mistakes").tBodies[0].innerHTML = rows.join("");
  const width = 600, height = 160, step = width / Math.max(1, race.chances.length - 1);
  const line = race.chances.map((chance, k) => `${(k * step).toFixed(1)},${(height * (1 - chance)).toFixed(1)}`).join(" ");
  byId("course").innerHTML = `<line x1="0" x2="${width}" y1="${height / 2}" y2="${height / 2}" class="even"/><polyline points="${line}"/>`;
  byId("replay").textContent = `Seed of the dice: ${seed}.`;
  byId("review").hidden = false;
}

games.forEach((game, k) => byId("game").add(new Option(`${game.name} to ${game.target}`, k)));
byId("game").value = String(Math.max(0, games.findIndex((game) => game.slug === query.get("game"))));
["game", "starts"].forEach((id) => byId(id).addEventListener("change", begin));
byId("advise").addEventListener("change", show);
byId("new").addEventListener("click", begin);
["roll", "hold"].forEach((action) => byId(action).addEventListener("click", () => act(action)));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|INPUT)$/.test(event.target.tagName)) return;
  const pressed = { r: "roll", h: "hold", n: "new" }[event.key.toLowerCase()];
  if (pressed && !byId(pressed).disabled) byId(pressed).click();
});
if (matchMedia("(prefers-reduced-motion: reduce)").matches) byId("pace").value = "0";
begin();
