// Rules that people type: "hold at 20", "hold at 21 + (j - i)/8, race from 71", "hold at 25 if j > i else 20".
//
//   rule        = part { ("," | ";" | "and") part }
//   part        = "hold" ["at"] value | value                         hold as soon as the turn total is at least this
//               | "race" ["from" | "at"] value                        if a player has so many points, roll to win
//               | "roll to win" ("from" | "at") value                 the same
//               | ("race" | "roll to win") "within" value             if a player needs at most so many points
//               | "roll to win"                                       never hold
//               | "end race or keep pace"
//   value       = sum [ "if" sum comparison sum "else" value ]
//   sum         = product { ("+" | "-") product }
//   product     = factor { ("*" | "/") factor }
//   factor      = number | word | function "(" value { "," value } ")" | "(" value ")" | ("+" | "-") factor

import { isTable, tableRule } from "./table.js";

export const WORDS = { i: "your points", j: "the other player's points", k: "the points of this turn", n: "the target" };
export const MOST_LETTERS = 200;

const NAMES = {
  i: "i", own: "i", me: "i", my: "i", mine: "i",
  j: "j", opponent: "j", them: "j", their: "j", theirs: "j", other: "j",
  k: "k", turn: "k", total: "k",
  n: "n", target: "n", goal: "n",
};
const PYTHON = { i: "own", j: "opponent", k: "turn_total", n: "target" };
const FUNCTIONS = { // each with the most numbers that it takes
  min: [Math.min, Infinity], max: [Math.max, Infinity], abs: [Math.abs, 1],
  round: [(value) => Math.floor(value + 0.5), 1], floor: [Math.floor, 1], ceil: [Math.ceil, 1],
};
const COMPARISONS = {
  "<": (a, b) => a < b, "<=": (a, b) => a <= b,
  ">": (a, b) => a > b, ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
};
const SAME = { "−": "-", "–": "-", "·": "*", "×": "*", "÷": "/", ":": "/", "≤": "<=", "≥": ">=", "==": "=" };
const PARTS = new Set(["hold", "at", "race", "from", "within", "and", "if", "else"]);
const FILLERS = new Set(["points", "point", "score", "scores", "chips"]);
const TOKEN = /\s*(\d+(?:\.\d+)?|\.\d+|[a-z]+|<=|>=|==|[-−–+*·×/÷:(),;<>=≤≥])/iy;
const listed = (names) => Object.keys(names).join(", ");
const ALLOWED = `You may use numbers, ${listed(WORDS)}, + - * / ( ), ${listed(FUNCTIONS)}`;

// What is wrong with a rule, and where: the characters from `place` on, `length` of them.
export class RuleError extends Error {
  constructor(said, place, length = 1) {
    super(said);
    Object.assign(this, { place, length });
  }
}

function tokensOf(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const start = TOKEN.lastIndex, found = TOKEN.exec(text);
    if (!found) {
      const place = start + text.slice(start).search(/\S/);
      throw new RuleError(`The sign "${[...text.slice(place)][0]}" has no meaning here. ${ALLOWED}.`, place);
    }
    const written = found[1], word = written.toLowerCase();
    if (!FILLERS.has(word)) tokens.push({ word: SAME[word] ?? word, written, place: TOKEN.lastIndex - written.length });
  }
  return tokens;
}

// A division by zero is remembered, since what is made of it may look like a number.
function divided(dividend, divisor, at) {
  if (divisor === 0) at.divides = true;
  return dividend / divisor;
}

// A function of { i, j, k, n } that has a text in Python. `binds` says how closely: 0 a condition, 1 a sum, 2 a product, 3.
const valued = (apply, python, binds) => Object.assign(apply, { python, binds });

const bound = ({ python, binds }, least) => (binds < least ? `(${python})` : python);

const joined = (left, sign, right, binds) => `${bound(left, binds)} ${sign} ${bound(right, binds + 1)}`;

class Parser {
  constructor(text) {
    Object.assign(this, { text, tokens: tokensOf(text), next: 0, usesTotal: false });
  }

  get token() { return this.tokens[this.next]; }

  takes(...words) {
    const here = words.every((word, k) => this.tokens[this.next + k]?.word === word);
    if (here) this.next += words.length;
    return here;
  }

  error(said, token = this.token) {
    return new RuleError(said, token ? token.place : this.text.trimEnd().length, token ? token.written.length : 1);
  }

  wanted(what) {
    if (!this.token) return this.error(`The rule ends too early: ${what} should come.`);
    return this.error(`Here stands "${this.token.written}", but ${what} should come.`);
  }

  rule() {
    if (!this.tokens.length) throw this.error('Write a rule, for example "hold at 20".');
    const rule = { hold: null, past: null };
    do this.part(rule); while (this.takes(",") || this.takes(";") || this.takes("and"));
    if (this.token) throw this.after();
    if (!rule.hold) throw this.error('Say when to hold, too, for example "hold at 20, race from 71".');
    return rule;
  }

  // The error where something follows that a value cannot go on with.
  after() {
    const { word } = this.token;
    if (Object.hasOwn(NAMES, word) || Object.hasOwn(FUNCTIONS, word) || /^[(\d.]/.test(word)) {
      return this.error(`Put a sign before "${this.token.written}", for example * to multiply.`);
    }
    if (word === ")") return this.error('There is a ")" without a "(" before it.');
    if (/^[a-z]/.test(word)) return this.unknown();
    return this.wanted("a comma or the end");
  }

  unknown() {
    const said = `I do not know the word "${this.token.written}".`;
    return this.error(`${said} ${ALLOWED}; and words like: hold at 20, race from 71.`);
  }

  part(rule) {
    const begin = this.token;
    if (this.takes("end", "race", "or", "keep", "pace")) {
      this.enter(rule, "hold", valued(({ i, j }) => 21 + Math.floor((j - i + 4) / 8), "21 + floor((opponent - own + 4) / 8)", 1), begin);
      this.enter(rule, "past", valued(({ i, j, n }) => Math.max(i, j) - (n - 29), "max(own, opponent) >= target - 29"), begin);
    } else if (this.takes("race") || this.takes("roll", "to", "win")) this.race(rule, begin);
    else {
      if (this.takes("hold")) this.takes("at");
      this.enter(rule, "hold", this.value(), begin);
    }
  }

  race(rule, begin) {
    if (this.takes("within")) {
      const most = this.value();
      const python = `target - max(own, opponent) <= ${bound(most, 1)}`;
      this.enter(rule, "past", valued((at) => most(at) - (at.n - Math.max(at.i, at.j)), python), begin);
    } else if (this.takes("from") || this.takes("at") || begin.word === "race") {
      const least = this.value();
      const python = `max(own, opponent) >= ${bound(least, 1)}`;
      this.enter(rule, "past", valued((at) => Math.max(at.i, at.j) - least(at), python), begin);
    } else this.enter(rule, "hold", valued(() => Infinity, "inf", 3), begin);
  }

  enter(rule, field, value, begin) {
    const twice = { hold: "when to hold", past: "when to race" }[field];
    if (rule[field]) throw this.error(`This says a second time ${twice}. Say it once.`, begin);
    rule[field] = value;
  }

  value() {
    const value = this.sum();
    if (!this.takes("if")) return value;
    const left = this.sum(), sign = this.token?.word, compare = COMPARISONS[sign];
    if (!compare) throw this.wanted("one of < <= > >= =");
    this.next += 1;
    const right = this.sum();
    if (!this.takes("else")) throw this.wanted('the word "else"');
    const otherwise = this.value();
    const condition = `${bound(left, 1)} ${sign === "=" ? "==" : sign} ${bound(right, 1)}`;
    return valued((at) => (compare(left(at), right(at)) ? value(at) : otherwise(at)), `${bound(value, 1)} if ${condition} else ${otherwise.python}`, 0);
  }

  sum() {
    let sum = this.product();
    for (;;) {
      const left = sum, plus = this.takes("+");
      if (!plus && !this.takes("-")) return sum;
      const right = this.product();
      sum = valued(plus ? (at) => left(at) + right(at) : (at) => left(at) - right(at), joined(left, plus ? "+" : "-", right, 1), 1);
    }
  }

  product() {
    let product = this.factor();
    for (;;) {
      const left = product, times = this.takes("*");
      if (!times && !this.takes("/")) return product;
      const right = this.factor();
      product = valued(times ? (at) => left(at) * right(at) : (at) => divided(left(at), right(at), at), joined(left, times ? "*" : "/", right, 2), 2);
    }
  }

  factor() {
    if (this.takes("+")) return this.factor();
    if (this.takes("-")) {
      const value = this.factor();
      return valued((at) => -value(at), `-${bound(value, 3)}`, 2);
    }
    if (this.takes("(")) return this.closed(this.value());
    const { token } = this;
    if (!token) throw this.wanted("a number");
    if (/^[\d.]/.test(token.word)) return this.given(Number(token.word));
    if (Object.hasOwn(NAMES, token.word)) return this.named(NAMES[token.word]);
    if (Object.hasOwn(FUNCTIONS, token.word)) return this.called(token);
    throw /^[a-z]/.test(token.word) && !PARTS.has(token.word) ? this.unknown() : this.wanted("a number");
  }

  given(number) {
    this.next += 1;
    return valued(() => number, String(number), 3);
  }

  named(name) {
    this.next += 1;
    this.usesTotal ||= name === "k";
    return valued((at) => at[name], PYTHON[name], 3);
  }

  closed(value) {
    if (!this.takes(")")) throw this.wanted('a ")"');
    return value;
  }

  called(token) {
    const [apply, most] = FUNCTIONS[token.word], values = [];
    this.next += 1;
    if (!this.takes("(")) throw this.wanted(`a "(" after "${token.written}"`);
    do values.push(this.value()); while (this.takes(","));
    this.closed();
    if (values.length > most) {
      throw this.error(`"${token.written}" takes one number, for example ${token.word}(i/2).`, token);
    }
    const given = values.map(({ python }) => python).join(", ");
    const python = token.word === "round" ? `floor(${bound(values[0], 1)} + 0.5)` : values.length > 1 || most === 1 ? `${token.word}(${given})` : `(${given})`;
    return valued((at) => apply(...values.map((value) => value(at))), python, 3);
  }
}

// Read a rule. RuleError, which names the place, if it is not one. The result has
//   text,
//   holds(own, opponent, total, target)  whether to hold,
//   holdAt(own, opponent, target)        the first total at which it holds; target - own if it rolls to win,
//   hold(at), past(at)                   the total to hold at, and the points past the line from which it rolls to win
//                                        (past is null if there is none); at has i, j, k and n, see WORDS,
//   usesTotal                            whether it speaks of the turn total,
//   name                                 for people: the text, or what kind of table it is.
// The text may be a table as from readTable. hold.python and past.python are the total and the condition in Python.
export function parseRule(text) {
  if (isTable(text)) return tableRule(text);
  if (text.length > MOST_LETTERS) {
    throw new RuleError(`This is too long. At most ${MOST_LETTERS} letters are allowed.`, MOST_LETTERS);
  }
  const parser = new Parser(text), { hold, past } = parser.rule();
  const holds = (i, j, k, n) => {
    const at = { i, j, k, n };
    return !(past?.(at) >= 0) && k >= hold(at);
  };
  const holdAt = (i, j, n) => {
    let total = 1;
    while (total < n - i && !holds(i, j, total, n)) total++;
    return total;
  };
  return { text: text.trim(), name: text.trim(), holds, holdAt, hold, past, usesTotal: parser.usesTotal };
}

// What is wrong with a rule at some scores, in words; "" if nothing is.
export function flawOf(rule, target) {
  if (rule.table && rule.table.length !== target) return `This table is for a game to ${rule.table.length}, not to ${target}.`;
  for (let i = 0; i < target; i++) {
    for (let j = 0; j < target; j++) {
      const last = rule.usesTotal ? target - i - 1 : 1;
      for (let k = 1; k <= last; k++) {
        const at = { i, j, k, n: target, divides: false }, unclear = [rule.hold(at), rule.past?.(at)].some(Number.isNaN);
        if (at.divides) return `With ${i} points against ${j} the rule divides by 0.`;
        if (unclear) return `With ${i} points against ${j} the rule has no value.`;
      }
    }
  }
  return "";
}
