"""Check a certificate of a dice game, in integers, with nothing but Python: python3 check.py pig-20.cert

THE GAME. Two players race to a target. A turn begins in the first mode, with the turn total 0. A roll has the outcomes
listed under its mode: bust ends the turn, and its total is lost; reset does the same, and the banked score is lost as
well; +2 "again" adds 2 points and leads to the mode "again"; of several such, parted by |, the player takes one. A hold
ends the turn and banks its total, which must be above 0. A mode says which of hold and roll it allows. Once score and
total reach the target, in a mode that allows a hold, the game is won. Both players see everything.

WHAT FOLLOWS FROM A "YES". For all scores (own, opponent's) at the start of a turn, the file has numbers L <= U. The
player to move can win with probability at least L against every opponent, and the opponent can keep this to at most U.
So the value V is in [L, U]. (It exists: positions are finitely many, and play ends.) Every decision listed is optimal:
its true value is at least that of each alternative. You have to believe this page, the lines below and Python's
integers, and to read the rules that are printed. They are what was checked; names mean nothing. Names stand in quotes;
within, quotes and all that is not ASCII are written as in JSON, by their numbers: \\u0022.

WHY. (A) Play ends with probability 1, whatever the players do. We accept rules only if (0) the first mode has a roll,
chances are positive and sum to 1, (1) every mode with a roll has an outcome that is no bust or reset, (2) a choice of 0
points leads to a mode listed later that has a roll, (3) every mode without a hold has an outcome all of whose choices
lead to modes with a hold, or to modes that (3) is known of. So a turn ends, and it can go without bust and reset until
the player holds points or, by (3), wins at the target. That takes boundedly many rolls, so its probability is at least
some p > 0, whatever is decided. As many such turns of one player as the target has points end the game.
(B) Every position within a turn gets a lower and an upper number. A win has 1. Where the other player is next, it is 1
- U of that player's scores for the lower number, 1 - L for the upper one. A roll has the mean of its outcomes, rounded
down (upper: up), a position the largest number of its options. Past the target, modes without a hold start from 0
(upper: 1), and rise (fall) until nothing changes. At the start of every turn they must be exactly L and U.
(C) Let player P always take the option with the largest lower number. Let X be the lower number of the position while P
moves, and 1 - its upper number while the other one, Q, moves. On average X never falls, whatever Q does: for P the mean
of what follows is at least X, and no option of Q is worth more to Q than 1 - X. X stays in [0, 1] and ends at 1 if P
wins, else at 0. So P wins with probability at least X: a bounded submartingale, stopped at the end of play, which comes
by (A). At the start of P's turn this is L; at the start of Q's it says that Q wins with at most U. It holds within a
turn, too. So an option is optimal if its lower number is at least the upper numbers of all others. The file must list
it (h hold, r roll, a b c ... choices; the first, if several are), and "?" where none is proved. "20r3?56h" is 20 times
r, 3 times ?, 56 times h: by turn total, from 1 on, for choices from 0 on. Mode by mode there is such a word for each
outcome with several choices, then one for hold or roll, if both are allowed.
"""

import sys
from hashlib import sha256
from itertools import groupby, product
from re import findall, fullmatch

NAME = r'"[ !#-~]{1,999}"'
CHOICE = rf"\+\d{{1,9}} {NAME}"
RESULT = rf"bust|reset|{CHOICE}(?: \| {CHOICE}){{0,25}}"
MODES = rf"((?:mode {NAME}(?: hold)?(?: roll)?\n(?:  [1-9]\d{{0,39}}/\d{{1,40}} (?:{RESULT})\n)*)+)"
PAIRS = r"((?:\d+ \d+ [01]\.\d{1,99} [01]\.\d{1,99}(?: .*)?\n)+)"  # own score, opponent's, L, U, decisions
FILE = rf"certificate 2\ngame ({NAME})\ntarget (\d{{1,6}})\nwidth 0\.(\d{{1,99}})\n{MODES}{PAIRS}"


def need(condition, complaint):
    """Stop, and say why, unless a condition holds."""
    if not condition:
        raise ValueError(complaint)


def read_rules(text, target):
    """The modes, each (hold, roll, denominator, weight of busts, of resets, [(weight, choices)]), if (A) holds."""
    listed, modes = findall(rf"mode ({NAME})(.*)\n((?:  .*\n)*)", text), []
    names, leads_to = [name for name, _, _ in listed], {*findall(rf"\+\d+ ({NAME})", text)}
    need(len(set(names)) == len(names) and leads_to <= set(names), "a mode is listed twice, or not at all")
    for name, may, lines in listed:
        outcomes = [(int(weight), int(over), result) for weight, over, result in findall("  (.*?)/(.*?) (.*)", lines)]
        common = sum(weight for weight, _, _ in outcomes)
        need({over for _, over, _ in outcomes} <= {common}, f"mode {name}: not one denominator, or the sum is not 1")
        lost = [sum(weight for weight, _, result in outcomes if result == end) for end in ("bust", "reset")]
        options = [(weight, findall(rf"(\+\d+) ({NAME})", result)) for weight, _, result in outcomes]
        moves = [(w, [(min(int(k), target), names.index(to)) for k, to in some]) for w, some in options if some]
        need(bool(moves) == (" roll" in may), f"play may not end: in mode {name} no roll scores")
        modes.append((" hold" in may, " roll" in may, common, *lost, moves))
    ends = {m for m, (hold, *_) in enumerate(modes) if hold}
    for m, (*_, moves) in [*enumerate(modes)] * len(modes):
        free = [to for _, choices in moves for points, to in choices if points == 0]
        need(all(to > m and modes[to][1] for to in free), f"play may not end: 0 points lead on from mode {names[m]}")
        ends |= {m for _, choices in moves if all(to in ends for _, to in choices)}
    need(modes[0][1] and len(ends) == len(modes), "play may not end: no roll at first, or no hold past the target")
    return modes


def numbers_of(modes, theirs, own, one, up):
    """(B) for a turn: the lower or upper number at its start, and those of all options, {decision: [by total]}."""
    holds, reset, options, before = [one - value for value in theirs[own:]], one - theirs[0], {}, None
    size, most = len(holds), max(points for *_, moves in modes for _, choices in moves for points, _ in choices)
    past = [one if up or hold else 0 for hold, *_ in modes]
    values = [None] * size + [past] * (most + 1)

    def roll(total, common, busts, resets, moves):
        after = [[values[total + points][to] for points, to in choices] for _, choices in moves]
        taken = sum([weight * max(numbers) for (weight, _), numbers in zip(moves, after, strict=True)])
        mean = busts * holds[0] + resets * reset + taken  # a bust is a hold of 0 points
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
    parts = fullmatch(FILE + r"proved .*\nopen .*\nlines .*\nsha256 .*\n", text)
    need(parts, "the file is not complete, or not in the format of a certificate")
    game, target, digits, rules, rows = parts[1], int(parts[2]), len(parts[3]), parts[4], parts[5].split("\n")[:-1]
    need(len(rows) == target**2, f"there are {len(rows)} pairs of scores, not {target} x {target}")
    modes, one = read_rules(rules, target), 10**digits
    bounds = [[int(bound.replace(".", "")) for bound in row.split()[2:4]] for row in rows]
    need(all(lower <= upper <= one for lower, upper in bounds), f"not L <= U <= 1 everywhere, in {digits} decimals")
    low, high = ([[each[k] for each in bounds[i : i + target]] for i in range(0, len(bounds), target)] for k in (0, 1))
    width = f"0.{max(upper - lower for lower, upper in bounds):0{digits}}"
    lines = ["certificate 2", f"game {game}", f"target {target}", f"width {width}", *rules.splitlines()]
    for own, other in product(range(target), repeat=2):
        new = [numbers_of(modes, side[other], own, one, up) for side, up in ((high, False), (low, True))]
        shown = [f"{number // one}.{number % one:0{digits}}" for number, _ in new]
        lines.append(" ".join([str(own), str(other), *shown, *decisions_of(modes, new[0][1], new[1][1])]))
    proved, unproved = (sum(map(int, findall(rf"(\d+){kind}", parts[5]))) for kind in ("[a-z]", "[?]"))
    lines += [f"proved {proved}", f"open {unproved}", f"lines {len(lines) + 4}"]
    lines.append("sha256 " + sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest())
    for place, (line, new) in enumerate(zip(text.split("\n"), [*lines, ""], strict=True), start=1):
        need(line == new, f"line {place} is {line[:70]!r}, but {new[:70]!r} follows from the bounds in the file")
    value = "Play ends. The first player wins with probability {} to {}.".format(*rows[0].split()[2:4])
    known = f"{len(rows)} values are known, each within {width}; {proved} decisions are optimal; {unproved} are open."
    return f"Yes. {game} to {target}:\n{rules}{value}\n{known}"


if __name__ == "__main__":
    try:
        need(len(sys.argv) == 2, "give one file")
        with open(sys.argv[1], "rb") as file:  # as editors and mail may have changed it: a mark at the beginning, CRLF
            print(check(file.read().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").decode("ascii")))
    except (ValueError, OSError, MemoryError) as error:
        sys.exit("No: " + " ".join(str(error).split()))
