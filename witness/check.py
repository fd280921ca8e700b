#!/usr/bin/env python3
"""Check a certificate of a dice game, in integers, with nothing but Python: python3 check.py pig-20.cert

THE GAME. Two players race to a target. A turn begins in the first mode, with the turn total 0. A roll has the outcomes
listed under its mode: "bust" ends the turn, and its total is lost; "reset" does, and the banked score is lost, too;
"+2 roll" adds 2 points and leads to the mode called roll; of several such, parted by "|", the player takes one. A hold
ends the turn and banks its total, which must be above 0. A mode says which of hold and roll it allows. Once score and
total reach the target together, in a mode that allows a hold, the game is won. Both players see everything.

WHAT FOLLOWS FROM A "YES". For all scores (own, opponent's) at the start of a turn, the file has numbers L <= U. The
player to move can win with probability at least L against every opponent, and the opponent can keep this probability to
at most U. So the value V is in [L, U]. (It exists: there are finitely many positions, and play ends.) Every decision
listed is optimal: its true value is at least that of each alternative. You have to believe this page, the lines below,
and Python's integers, and to read the rules that are printed: they were checked, whatever the name of the game.

WHY. (A) Play ends with probability 1, whatever the players do. Refused are all rules but those in which (1) every mode
with a roll has an outcome that is neither bust nor reset, (2) a choice of 0 points leads to a mode listed later that has
a roll, (3) every mode without a hold has an outcome all of whose choices lead to modes with a hold, or to modes of which
(3) is known already. So the rolls of a turn can fall so that it neither busts nor resets; its total grows until the
player holds points or is at the target, and there, by (3), wins. This takes a bounded number of rolls, so it happens
with at least some probability p > 0, whatever the position and the choices. As many such turns of one player in a row
as the target has points end the game.
(B) Every position within a turn is given a lower and an upper number, from the target backwards. A win has 1. Where the
other player is next, it is 1 - U of that player's scores for the lower number, 1 - L for the upper one. A roll has the
mean of its outcomes, rounded down (upper: up), and a position the largest number of its options. Past the target, modes
without a hold start from 0 (upper: 1), and this is repeated until nothing changes. We check that at the start of
each turn the numbers are L and U, exactly. (L <= and U >= would do; equality leaves a forger no freedom.)
(C) Let player P always take the option with the largest lower number. Let X be the lower number of the position while P
moves, and 1 - its upper number while the other one, Q, moves. On average X never falls, whatever Q does: for P the
mean of what follows is at least X, and no option of Q is worth more to Q than 1 - X. X stays in [0, 1] and ends at 1 if
P wins, else at 0. So P wins with probability at least X: a bounded submartingale, stopped at the end of play, which
comes by (A). At the start of P's turn this is L; at the start of Q's, it says that Q wins with at most U. It holds in
all positions within a turn, too. So an option is optimal if its lower number is at least the upper numbers of all others.
The file must list it (h hold, r roll, a b c ... choices; the first, if there are several), and "?" where none is proved.
"20r3?56h" is 20 times r, 3 times ?, 56 times h: by turn total, from 1 on, for choices from 0 on.
"""

import sys
from collections import Counter
from hashlib import sha256
from itertools import groupby, product
from re import findall, fullmatch

CHANCE, CHOICE = "[1-9][0-9]{0,39}/[1-9][0-9]{0,39}", r"\+([0-9]{1,9}) ([!-~]+)"
LOST = "bust", "reset"
OUTCOME = rf"  {CHANCE} (?:bust|reset|{CHOICE}(?: \| {CHOICE}){{0,25}})\n".replace("([", "(?:[")
HEAD = r"certificate 1\ngame ([ -~]+)\ntarget ([1-9][0-9]{0,5})\nwidth 0\.([0-9]{1,99})\n"
RULES = rf"((?:mode [!-~]+(?: hold)?(?: roll)?\n(?:{OUTCOME})*)+)"
PAIRS = r"((?:[0-9]+ [0-9]+ [01]\.[0-9]{1,99} [01]\.[0-9]{1,99}.*\n)+)"  # own and opponent's score, L, U, decisions


def need(condition, complaint):
    """Stop, and say why, unless a condition holds."""
    if not condition:
        raise ValueError(complaint)


def read_rules(text, target):
    """The modes, each (hold, roll, denominator, weight of busts, of resets, [(weight, choices)]), if (A) holds."""
    listed, modes = [(head.split(" "), lines) for head, lines in findall(r"mode (.*)\n((?:  .*\n)*)", text)], []
    names, targets = [name for (name, *_), _ in listed], [name for _, name in findall(CHOICE, text)]
    need(len(names) == len(set(names)) and set(targets) <= set(names), "a mode is listed twice, or is not listed")
    for (name, *may), lines in listed:
        parts = [(int(weight), int(over), result) for weight, over, result in findall("  (.*?)/(.*?) (.*)", lines)]
        common, rolls = sum(weight for weight, _, _ in parts), [part for part in parts if part[2] not in LOST]
        need({over for _, over, _ in parts} <= {common}, f"mode {name}: probabilities, over one number, must sum to 1")
        need(bool(rolls) == ("roll" in may), f"play may not end: no roll in mode {name} scores")
        lost = [sum(weight for weight, _, result in parts if result == end) for end in LOST]
        choices = [[(min(int(k), target), names.index(to)) for k, to in findall(CHOICE, roll[2])] for roll in rolls]
        modes.append(
            ("hold" in may, "roll" in may, common, *lost, [*zip([w for w, *_ in rolls], choices, strict=True)])
        )
    ends = {m for m, (hold, *_) in enumerate(modes) if hold}
    for m, (*_, moves) in [*enumerate(modes)] * len(modes):
        free = [to for _, choices in moves for points, to in choices if points == 0]
        need(all(to > m and modes[to][1] for to in free), f"play may not end: 0 points lead on from mode {names[m]}")
        ends |= {m for _, choices in moves if all(to in ends for _, to in choices)}
    need(modes[0][1] and len(ends) == len(modes), "play may not end: no roll at first, or no hold past the target")
    return modes


def numbers_of(modes, holds, bust, reset, one, up):
    """(B) for a turn: the lower or upper number at its start, and those of all options, {decision: [by total]}."""
    size, most = len(holds), max(points for *_, moves in modes for _, choices in moves for points, _ in choices)
    past, before, options = [one if up or hold else 0 for hold, *_ in modes], None, {}
    values = [None] * size + [past] * (most + 1)

    def roll(total, common, busts, resets, moves):
        after = [[values[total + points][to] for points, to in choices] for _, choices in moves]
        taken = sum([weight * max(numbers) for (weight, _), numbers in zip(moves, after, strict=True)])
        mean = busts * bust + resets * reset + taken
        return (-(-mean // common) if up else mean // common), after

    while past != before:
        before, past[:] = past[:], [one if hold else roll(size, *rules)[0] for hold, _, *rules in modes]
    for total in reversed(range(size)):
        values[total] = [holds[total]] * len(modes)
        for m, (hold, _, *rules) in [mode for mode in reversed([*enumerate(modes)]) if mode[1][1]]:
            rolled, after = roll(total, *rules)
            after.append([holds[total], rolled] if hold and total else [rolled])
            values[total][m] = max(after[-1])
            for place, numbers in enumerate(after):
                if len(numbers) > 1:
                    options.setdefault((m, place), []).append(numbers)
    return values[0][0], options


def decisions_of(modes, lows, ups):
    """The decisions of a turn in the letters of the file, by the lower and upper numbers of all options."""
    words = []
    for m, place in sorted(lows):
        letters, found = "hr" if place == len(modes[m][5]) else "abcdefghijklmnopqrstuvwxyz", []
        for low, up in zip(lows[m, place], ups[m, place], strict=True):
            best = max(range(len(low)), key=lambda k: (low[k], up[k]))
            found.append(letters[best] if all(low[best] >= other for k, other in enumerate(up) if k != best) else "?")
        words += ["".join(f"{len([*same])}{letter}" for letter, same in groupby(reversed(found)))]
    return words


def check(text):
    """Check a file: write it anew from its rules and bounds, and compare. What has been verified, as a text."""
    parts = fullmatch(HEAD + RULES + PAIRS + r"proved (?:.*\n){4}", text)
    need(parts, "the file is not complete, or not as described")
    game, target, rows = parts[1], int(parts[2]), parts[5].splitlines()
    modes, one, low, high, counts = read_rules(parts[4], target), 10 ** len(parts[3]), {}, {}, Counter()
    pairs = [*product(range(target), repeat=2)]
    need(len(rows) == len(pairs), f"there are {len(rows)} pairs of scores, not {target} x {target}")
    for pair, row in zip(pairs, rows, strict=True):
        low[pair], high[pair] = [int(bound.replace(".", "")) for bound in row.split(" ")[2:4]]
        need(low[pair] <= high[pair] <= one, f"scores {pair}: the bounds are not lower <= upper <= 1, in that order")

    def decimal(number):
        return f"{number // one}.{number % one:0{len(parts[3])}}"

    width = decimal(max(high[pair] - low[pair] for pair in pairs))
    lines = ["certificate 1", f"game {game}", f"target {target}", f"width {width}", *parts[4].splitlines()]
    for own, other in pairs:
        new = []
        for theirs, up in (high, False), (low, True):
            holds = [one - theirs[other, score] for score in range(own, target)]
            new.append(numbers_of(modes, holds, holds[0], one - theirs[other, 0], one, up))
        words = decisions_of(modes, new[0][1], new[1][1])
        lines.append(" ".join([str(own), str(other), decimal(new[0][0]), decimal(new[1][0]), *words]))
        for number, letter in findall("([0-9]+)(.)", " ".join(words)):
            counts[letter] += int(number)
    proved, unproved = counts.total() - counts["?"], counts["?"]
    lines += [f"proved {proved}", f"open {unproved}", f"lines {len(lines) + 4}"]
    lines += ["sha256 " + sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()]
    for place, (line, new) in enumerate(zip(text.splitlines(), lines, strict=True), start=1):
        need(line == new, f"line {place} is {line[:70]!r}, but {new[:70]!r} follows from the bounds in the file")
    value = f"The first player wins with probability {decimal(low[0, 0])} at least and {decimal(high[0, 0])} at most."
    values = f"The values at all {len(pairs)} pairs of scores are known to {width}."
    decisions = f"{proved} decisions are optimal, as proved; {unproved} are open."
    return f"Yes. {game} to {target}:\n{parts[4]}Play always ends. {value}\n{values} {decisions}"


if __name__ == "__main__":
    try:
        with open(sys.argv[-1], encoding="ascii", newline="") as file:
            print(check(file.read()))
    except (ValueError, OSError, MemoryError) as error:
        sys.exit("No: " + " ".join(str(error).split()))
