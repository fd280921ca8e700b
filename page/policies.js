// Policies: decide(own, opponent) gives all decisions of a turn,
//   rolls[total·M + mode]      1 to roll; the first roll and modes without a hold are 1, modes without outcomes 0,
//   choices[total·O + outcome] the number of the choice, by the outcome's number in rulesOf,
// by turn total below target - own. A policy has a name, and the rules that it is for.

import { rulesOf } from "./game.js";
import { TIE, newTurn, playBest } from "./solver.js";

const newDecisions = (rules, missing) => ({
  rolls: new Uint8Array(missing * rules.size),
  choices: new Uint8Array(missing * rules.probability.length),
});

const mustRoll = (rules, total, m) => !rules.stops[m] && (total === 0 || !rules.mayHold[m]);

// Plays by a rule: holds(own, opponent, total, target) says whether to hold. Of several choices it takes the one with
// the most points.
export function rulePolicy(game, holds, name = "") {
  const rules = rulesOf(game), { target, size } = rules, most = mostPoints(rules);
  const decide = (own, opponent) => {
    const missing = target - own, decisions = newDecisions(rules, missing);
    for (let total = 0; total < missing; total++) {
      const held = total > 0 && holds(own, opponent, total, target);
      for (let m = 0; m < size; m++) {
        decisions.rolls[total * size + m] = mustRoll(rules, total, m) || (!held && !rules.stops[m]);
      }
      decisions.choices.set(most, total * most.length);
    }
    return decisions;
  };
  return { name, rules, decide };
}

function mostPoints(rules) {
  const points = (o) => rules.points.subarray(rules.choices[o], rules.choices[o + 1]);
  return Uint8Array.from(rules.probability, (_, o) => points(o).indexOf(Math.max(...points(o))));
}

export const holdAt = (n) => (own, opponent, total) => total >= n;

// Plays optimally. Ties hold, and of choices of equal value the first is taken.
export function optimalPolicy(game, values, name = "optimum") {
  const rules = rulesOf(game), { target, size, width } = rules, turn = newTurn(rules);
  const decide = (own, opponent) => {
    const missing = target - own, decisions = newDecisions(rules, missing), row = new Float64Array(missing + 1);
    for (let r = 1; r <= missing; r++) row[r] = values[opponent * target + target - r];
    const bust = 1 - row[missing];
    playBest(rules, turn, row, 0, bust, 1 - values[opponent * target], missing);
    for (let total = 0; total < missing; total++) {
      const r = missing - total, base = (width - 1 + r) * size;
      for (let m = 0; m < size; m++) {
        const ahead = turn.roll[base + m] - (1 - row[r] - bust);
        decisions.rolls[total * size + m] = mustRoll(rules, total, m) || (!rules.stops[m] && ahead > TIE);
      }
      decideChoices(rules, turn, base, decisions.choices, total * rules.probability.length);
    }
    return decisions;
  };
  return { name, rules, decide };
}

function decideChoices(rules, { value, leave }, base, choices, at) {
  for (let m = 0; m < rules.size; m++) {
    for (let o = rules.several[m]; o < rules.outcomes[m + 1]; o++) {
      const first = rules.choices[o];
      let best = first;
      for (let c = first + 1; c < rules.choices[o + 1]; c++) {
        const here = base - rules.back[c], there = base - rules.back[best];
        if (value[here] - value[there] > TIE * Math.max(leave[here], leave[there])) best = c;
      }
      choices[at + o] = best - first;
    }
  }
}
