"use strict";
// The games: rules, optimal policy and action values, from the data in the page; and one race. Nothing here is shown.

class Game {
  constructor(data) {
    Object.assign(this, data); // name, rules, target, modes
    this.values = new Uint16Array(bytes(data.values).buffer);
    this.runs = bytes(data.policy);
    this.starts = []; // where the ranges of each pair of scores and mode begin in `runs`
    for (let start = 0; start < this.runs.length; start += 1 + this.runs[start]) this.starts.push(start);
  }

  // The probability that a player about to move wins.
  value(own, opponent) {
    return this.values[own * this.target + opponent] / 65535;
  }

  // Whether the optimal player rolls. The ranges of turn totals are to roll, to hold, to roll, …; the last has no end.
  rolls(own, opponent, total, mode = 0) {
    if (total === 0 || !this.modes[mode].hold) return true;
    if (own + total >= this.target) return false;
    const holders = this.modes.filter((other) => other.hold);
    const start = this.starts[(own * this.target + opponent) * holders.length + holders.indexOf(this.modes[mode])];
    let end = 0, run = 0;
    for (; run < this.runs[start]; run++) {
      end += this.runs[start + 1 + run];
      if (total < end) break;
    }
    return run % 2 === 0;
  }

  // The values of rolling in every mode and of holding, by turn total; best is the higher of both.
  odds(own, opponent) {
    const missing = this.target - own;
    const lost = { bust: 1 - this.value(opponent, own), reset: 1 - this.value(opponent, 0) };
    const hold = Array.from({ length: missing }, (_, total) => 1 - this.value(opponent, own + total));
    let beyond = this.modes.map((mode) => (mode.hold ? 1 : lost.bust));
    const expected = (mode, onward) =>
      mode.outcomes.reduce((sum, [weight, result]) => sum + (weight / mode.weights) * (lost[result] ?? onward(result)), 0);
    for (let k = 0; k < 200; k++) { // beyond the target only forced rolls are left
      beyond = this.modes.map((mode, m) => (mode.hold ? 1 : expected(mode, ([, next]) => beyond[next])));
    }
    const roll = this.modes.map(() => []), best = this.modes.map(() => []);
    for (let total = missing - 1; total >= 0; total--) {
      this.modes.forEach((mode, m) => {
        roll[m][total] = expected(mode, ([points, next]) => (total + points < missing ? best[next][total + points] : beyond[next]));
        best[m][total] = this.rolls(own, opponent, total, m) ? roll[m][total] : hold[total];
      });
    }
    const at = (values) => (total, mode) => (total < missing ? values[mode][total] : beyond[mode]);
    return { roll: at(roll), best: at(best), hold: (total) => (total < missing ? hold[total] : 1) };
  }
}

// One race. Player 0 is the visitor, player 1 the optimal player.
class Race {
  constructor(game, random, starts = 0) {
    Object.assign(this, { game, random, scores: [0, 0], winner: null, decisions: [], dice: [], turns: 0 });
    this.chances = [];
    this.begin(starts);
  }

  begin(player) {
    Object.assign(this, { player, total: 0, mode: 0 });
    this.turns += 1;
    this.odds = this.game.odds(this.own, this.scores[1 - player]);
  }

  get own() { return this.scores[this.player]; }
  get mayHold() { return this.winner === null && this.total > 0 && this.game.modes[this.mode].hold; }
  get rolls() { return this.game.rolls(this.own, this.scores[1 - this.player], this.total, this.mode); }

  // The probability that the visitor wins.
  get chance() {
    if (this.winner !== null) return this.winner === 0 ? 1 : 0;
    const value = this.odds.best(this.total, this.mode);
    return this.player === 0 ? value : 1 - value;
  }

  actionValues() {
    return { roll: this.odds.roll(this.total, this.mode), hold: this.mayHold ? this.odds.hold(this.total) : null };
  }

  // Roll or hold; returns the event: the dice and their effect.
  take(action) {
    if (this.winner !== null || (action === "hold" && !this.mayHold)) return null;
    if (this.mayHold) {
      const values = this.actionValues(), best = this.rolls ? "roll" : "hold";
      const loss = action === best ? 0 : Math.max(0, values[best] - values[action]);
      const { turns, player, total } = this, [own, opponent] = [this.own, this.scores[1 - player]];
      this.decisions.push({ turn: turns, player, own, opponent, total, action, best, loss });
    }
    const event = { player: this.player, ...(action === "hold" ? this.bank() : this.roll()) };
    this.chances.push(this.chance);
    return event;
  }

  roll() {
    const { outcomes, weights } = this.game.modes[this.mode];
    let left = this.random() * weights;
    const [, result, rolls] = outcomes.find(([weight]) => (left -= weight) < 0) ?? outcomes.at(-1);
    const ways = rolls.flatMap((roll) => (new Set(roll).size > 1 ? [roll, [...roll].reverse()] : [roll]));
    this.dice = ways[Math.floor(this.random() * ways.length)];
    const { dice } = this;
    if (result === "bust" || result === "reset") {
      const lost = this.total;
      if (result === "reset") this.scores[this.player] = 0;
      this.begin(1 - this.player);
      return { dice, kind: result, lost };
    }
    const [points, next] = result;
    this.total += points;
    this.mode = next;
    const forced = !this.game.modes[next].hold;
    if (this.own + this.total >= this.game.target && !forced) return { dice, ...this.bank() };
    return { dice, kind: forced ? "forced" : "points", points, total: this.total };
  }

  bank() {
    const total = this.total;
    this.scores[this.player] += total;
    const score = this.own;
    if (score >= this.game.target) {
      this.winner = this.player;
      return { kind: "won", total, score };
    }
    this.begin(1 - this.player);
    return { kind: "held", total, score };
  }
}

function bytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

// Numbers in [0, 1) that a seed fixes (mulberry32, Tommy Ettinger, public domain).
function seeded(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
