"""Check a certificate of a dice game, in integers, with nothing but Python: python3 check.py pig-20.cert

THE GAME. Two players race to a target. A turn begins in the first mode, with the turn total 0. A roll has the outcomes
listed under its mode: bust ends the turn, and its total is lost; reset does the same, and the banked score is lost as
well; +2 "again" adds 2 points and leads to the mode "again"; of several such, parted by |, the player takes one. A hold
ends the turn and banks its total, which must be above 0. A mode says which of hold and roll it allows; a turn that can
do neither is a bust. Once score and total reach the target, in a mode that allows a hold, the game is won. Both players
see everything. A file may have more lines before the modes, of which the checker prints what is not explained here:
register "shut" begin "two dice" hold 30 "open" bust -10 "shut"   what a player remembers between turns. Both begin in
    the first register, and a reset leads there. In this one turns begin in the mode "two dice". A hold banks at least
    30 points, also at the target, and leads to "open". A bust costs 10 points (+1: scores 1) and leads to "shut".
lowest -20   no score falls below -20. Without this line none falls below 0.
finish exact   above the target a turn is a bust, and on it, if that would bank too few points. A bust that scores gets
    to the target at most.
finish last licks   a player who holds at the target or above may have rolled on for more points. The other one then has
    one last turn, and wins by ending it with a higher score, at once if a hold is allowed there.
finish equal turns   so it is for a hold of the player who moved first in the game; the other one wins at the target at
    once. If the last turn ends with equal scores, that is a draw, half a win for each.
With all finishes a bust that scores enough finishes, as a hold with these points would.

WHAT FOLLOWS FROM A "YES". Rows are positions at the start of a turn: the role in equal turns (0: who moved first), own
score, opponent's, each followed by the number of the register if there are any. "last 5 1" is a last turn 5 points
behind, in register 1. Each has numbers L <= U. From all scores and registers that can occur, the player to move can win
with probability at least L against every opponent, and the opponent can keep this to at most U. So the value V is in
[L, U]. (With a draw "probability" means the mean result.) Every decision listed there is optimal: its true value is at
least that of each alternative. You have to believe this page, the lines below and Python's integers, and to read the
rules that are printed. They are what was checked; names mean nothing. Names stand in quotes; within, quotes and all
that is not ASCII are written as in JSON, by their numbers: \\u0022.

WHY. (A) A player who takes every win that a choice offers, and in last licks or equal turns holds as many points above
the target as the line "above" says, finishes with probability 1, whatever else is decided. For all scores and registers
that holds and busts can lead to get the number 1. Turns then have numbers as in (B), a finish 0, with means rounded
down: 1 if the player can make sure not to finish and to come to a 1 again, else 0, which replaces the 1 at the start.
That is repeated. We accept rules only if 0 is left everywhere. Then from everywhere some turns in succession finish
with probability at least some p > 0. No turn goes on for ever: 0 points lead to modes listed later, and past the end of
the list of totals the numbers are 0, too.
(B) Every position within a turn gets a lower and an upper number. A win has 1. Where the other player is next, it is 1
- U of that player's position for the lower number, 1 - L for the upper one. A roll has the mean of its outcomes,
rounded down (upper: up), a position the largest number of its options. From the target on a hold has 1. Only where the
other player has a last turn, the list goes on as far as "above" says; from there on a hold has the number that it has
there for the lower one, as more points are not easier to beat, and 1 for the upper one. Where the list ends, modes
without a hold start from 0 (upper: 1), and rise (fall) until nothing changes. At the start of every turn they must be
exactly L and U.
(C) Let player P always take the option with the largest lower number, and a win before others with 1. Let X be the
lower number of the position while P moves, and 1 - its upper number while the other one, Q, moves. On average X never
falls, whatever Q does: for P the mean of what follows is at least X, and no option of Q is worth more to Q than 1 - X.
X stays in [0, 1] and ends at 1 if P wins, at 0 if Q does. By (A) play ends, unless Q rolls on for ever above the end of
the list, and there X is 0. So P wins with probability at least X: a bounded submartingale. At the start of P's turn
this is L; at the start of Q's it says that Q wins with at most U. It holds within a turn, too. So an option is optimal
if its lower number is at least the upper numbers of all others. The file must list it (h hold, r roll, a b c ...
choices; the first, if several are), and "?" where none is proved. "20r3?56h" is 20 times r, 3 times ?, 56 times h: by
turn total, from the least that a hold banks, for choices from 0 on. Mode by mode there is such a word for each outcome
with several choices, then one for hold or roll, if both are allowed.
"""

import sys
from hashlib import sha256
from itertools import groupby, product
from re import findall, fullmatch
from types import SimpleNamespace

NAME = r'"[ !#-~]{1,999}"'
CHOICE = rf"\+\d{{1,9}} {NAME}"
RESULT = rf"bust|reset|{CHOICE}(?: \| {CHOICE}){{0,25}}"
MODES = rf"((?:mode {NAME}(?: hold)?(?: roll)?\n(?:  [1-9]\d{{0,39}}/\d{{1,40}} (?:{RESULT})\n)*)+)"
REGISTERS = rf"((?:register {NAME} begin {NAME} hold [1-9]\d{{0,5}} {NAME} bust [+-]\d{{1,6}} {NAME}\n)*)"
FINISH = r"((?:finish (exact|equal turns|last licks)\n)?(?:above (\d{1,6})\n)?(?:lowest (-\d{1,6})\n)?)"
ROWS = r"((?:(?:last )?-?\d+(?: -?\d+){0,4} [01]\.\d{1,99} [01]\.\d{1,99}(?: .*)?\n)+)"
FILE = rf"(certificate [23]\ngame ({NAME})\ntarget ([1-9]\d{{0,5}})\n){FINISH}width 0\.(\d{{1,99}})\n{REGISTERS}{MODES}"


def need(condition, complaint):
    """Stop, and say why, unless a condition holds."""
    if not condition:
        raise ValueError(complaint)


def read_rules(parts):
    """The rules in the parts of a file, if no mode or register is missing and no roll goes round without points."""
    _, _, target, _, finish, above, lowest, _, registers, modes, _ = parts.groups()
    rules = SimpleNamespace(target=int(target), above=int(above or 0), lowest=int(lowest or 0), modes=[], registers=[])
    rules.exact, rules.draw = finish == "exact", finish == "equal turns"
    rules.answered = {"equal turns": [True, False], "last licks": [True]}.get(finish, [False])  # by role
    listed, span = findall(rf"mode ({NAME})(.*)\n((?:  .*\n)*)", modes), 2 * rules.target + rules.above - rules.lowest
    names, leads_to = [name for name, _, _ in listed], {*findall(rf"\+\d+ ({NAME})", modes)}
    need(len(set(names)) == len(names) and leads_to <= set(names), "a mode is listed twice, or not at all")
    for place, (name, may, lines) in enumerate(listed):
        outcomes = [(int(weight), int(over), result) for weight, over, result in findall("  (.*?)/(.*?) (.*)", lines)]
        common = sum(weight for weight, _, _ in outcomes)
        need({over for _, over, _ in outcomes} <= {common}, f"mode {name}: not one denominator, or the sum is not 1")
        lost = [sum(weight for weight, _, result in outcomes if result == end) for end in ("bust", "reset")]
        options = [(weight, findall(rf"(\+\d+) ({NAME})", result)) for weight, _, result in outcomes]
        moves = [(w, [(min(int(k), span), names.index(to)) for k, to in some]) for w, some in options if some]
        free = [to for _, choices in moves for points, to in choices if points == 0]
        need(may and bool(outcomes) == (" roll" in may), f"play may not end: mode {name} has no hold or no roll")
        need(all(to > place for to in free), f"play may not end: 0 points lead on from mode {name}")
        rules.modes.append((" hold" in may, " roll" in may, common, *lost, moves))
    listed = findall(rf"register ({NAME}) begin ({NAME}) hold (\d+) ({NAME}) bust (\S+) ({NAME})", registers)
    kept = [name for name, *_ in listed]
    for _, begin, least, held, paid, busted in listed:
        need(begin in names and {held, busted} <= set(kept), "a register leads to one that is not listed")
        rules.registers += [(names.index(begin), int(least), kept.index(held), int(paid), kept.index(busted))]
    need(len(set(kept)) == len(kept), "a register is listed twice")
    rules.registers = rules.registers or [(0, 1, 0, 0, 0)]
    least, paid = (max(register[k] for register in rules.registers) for k in (1, 3))
    need(least <= rules.target, "a hold has to bank more than the target")
    need(rules.above >= max(least, paid) or not any(rules.answered), "above: the list of totals ends too early")
    return rules


def numbers_of(rules, turn, start, up, best=max):
    """(B) for a turn: the numbers of all its positions, and those of all options, {decision: [by total]}."""
    holds, bust, reset, won, passed = turn
    size, options, before, modes = len(holds), {}, None, [*enumerate(rules.modes)]
    most = max((points for *_, moves in rules.modes for _, choices in moves for points, _ in choices), default=0)
    past = [won if hold else start for hold, *_ in rules.modes]
    values = [None] * size + [past] + [past if passed is None else [passed] * len(past)] * most

    def roll(total, common, busts, resets, moves):
        after = [[values[total + points][to] for points, to in choices] for _, choices in moves]
        mean = sum([weight * best(numbers) for (weight, _), numbers in zip(moves, after, strict=True)])
        mean += busts * bust + resets * reset
        return (-(-mean // common) if up else mean // common), after

    while past != before:
        before, past[:] = past[:], [won if hold else roll(size, *mode)[0] for hold, _, *mode in rules.modes]
    for total in reversed(range(size)):
        held = holds[total]
        values[total] = [bust if held is None else held] * len(past)
        for m, (hold, _, *mode) in [mode for mode in reversed(modes) if mode[1][1]]:
            rolled, after = roll(total, *mode)
            after.append([held, rolled] if hold and held is not None else [rolled])
            values[total][m] = max(after[-1])
            for place, numbers in enumerate(after):
                if len(numbers) > 1:
                    options.setdefault((m, place), []).append(numbers)
    return values, options


def turn_at(rules, role, place, left, win):
    """What the numbers of a turn follow from: those of holds by total, a bust, a reset, a hold at the end, passing it.

    `left(points, register)` is the number of a player who leaves the turn to the other one, `win` that of a win.
    """
    (points, register), won = place, win
    _, least, held, paid, busted = rules.registers[register]
    missing, after = rules.target - points, max(points + paid, rules.lowest)
    bust = left(min(after, rules.target) if rules.exact else after, busted)
    size = missing if rules.exact else max(missing, least)
    if rules.answered[role]:
        size, won = missing + rules.above, left(rules.target + rules.above, held)
    if rules.exact and missing < least:
        won = bust
    holds = [left(points + total, held) if total >= least else None for total in range(size)]
    return holds, bust, left(0, 0), won, bust if rules.exact else None


def last_turn(rules, register, behind, one):
    """The same of a last turn, in which more than `behind` points win."""
    _, least, _, paid, _ = rules.registers[register]

    def worth(points):
        return one if points > behind else one // 2 if points == behind and rules.draw else 0

    holds = [worth(total) if total >= least else None for total in range(max(behind + 1, least))]
    return holds, worth(paid), 0, one, None


def need_an_end(rules):
    """(A): a player who takes every win finishes in the end, whatever else is decided, and no turn goes on for ever."""
    reached, onward = set(), {(0, 0)}
    while onward:
        reached |= onward
        for points, register in reached:
            _, least, held, paid, busted = rules.registers[register]
            onward |= {(points + total, held) for total in range(least, rules.target - points)}
            onward.add((max(points + paid, rules.lowest), busted))
        onward = {place for place in onward if place[0] < rules.target} - reached
    for role in range(len(rules.answered)):
        stays, changed = {place: 1 for place in rules.places if place in reached}, True

        def values_at(place, role=role, stays=stays):
            turn = turn_at(rules, role, place, lambda *after: stays.get(after, 0), -1)
            return numbers_of(rules, turn, 1, False, lambda numbers: -1 not in numbers and max(numbers))[0]

        while changed:
            changed = False
            for place in reversed([place for place in stays if stays[place]]):
                stays[place] = values_at(place)[0][rules.registers[place[1]][0]]
                changed |= not stays[place]
        end = not any(stays.values()) and max(values_at((0, 0))[-1]) <= 0
        need(end, "play may not end: a player can make sure never to finish")


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
    parts = fullmatch(FILE + ROWS + r"proved .*\nopen .*\nlines .*\nsha256 .*\n", text)
    need(parts, "the file is not complete, or not in the format of a certificate")
    rules, digits, rows = read_rules(parts), len(parts[8]), parts[11]
    one, roles, size = 10**digits, len(rules.answered), (rules.target - rules.lowest) * len(rules.registers)
    bounds = [[int(bound.replace(".", "")) for bound in pair] for pair in findall(r" ([01]\.\d+) ([01]\.\d+)", rows)]
    farthest = (rules.target + rules.above - rules.lowest) * any(rules.answered)
    last, pairs = farthest * len(rules.registers), roles * size**2
    need(len(bounds) == rows.count("\n") == last + pairs, f"there are {len(bounds)} positions, not {last + pairs}")
    places = rules.places = [*product(range(rules.lowest, rules.target), range(len(rules.registers)))]
    need(all(lower <= upper <= one for lower, upper in bounds), f"not L <= U <= 1 everywhere, in {digits} decimals")
    need_an_end(rules)
    width = f"0.{max(upper - lower for lower, upper in bounds):0{digits}}"
    head = [f"certificate {2 + bool(parts[4] or parts[9])}", *parts[1].splitlines()[1:], *parts[4].splitlines()]
    lines = [*head, f"width {width}", *(parts[9] + parts[10]).splitlines()]
    tables = [[each[k] for each in bounds[last:]] for k in (0, 1)]
    tables = [[side[i : i + size] for i in range(0, pairs, size)] for side in tables]
    index, chances = {place: k for k, place in enumerate(places)}, {}

    def write(label, register, turns):
        found = [numbers_of(rules, turn, one * up, up) for up, turn in enumerate(turns)]
        begin = rules.registers[register][0]
        numbers = [values[0][begin] for values, _ in found]
        shown = [f"{number // one}.{number % one:0{digits}}" for number in numbers]
        lines.append(" ".join([*map(str, label), *shown, *decisions_of(rules.modes, found[0][1], found[1][1])]))
        return numbers

    for behind, register in product(range(1, farthest + 1), range(len(rules.registers))):
        label = ["last", behind, register][: 2 + bool(parts[9])]
        chances[behind, register] = write(label, register, [last_turn(rules, register, behind, one)] * 2)
    for role, own, other in product(range(roles), places, places):

        def left_by(up, role=role, other=other):
            theirs = tables[1 - up][(roles - 1 - role) * size + index[other]]

            def left(points, register):
                if points < rules.target:
                    return one - theirs[index[points, register]]
                surely = not rules.answered[role] or (up and points == rules.target + rules.above)
                return one if surely else one - chances[points - other[0], other[1]][1 - up]

            return left

        label = [role] * (roles - 1) + [*(own + other)][:: 1 if parts[9] else 2]
        write(label, own[1], [turn_at(rules, role, own, left_by(up), one) for up in (False, True)])
    proved, unproved = (sum(map(int, findall(rf"(\d+){kind}", rows))) for kind in ("[a-z]", "[?]"))
    lines += [f"proved {proved}", f"open {unproved}", f"lines {len(lines) + 4}"]
    lines.append("sha256 " + sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest())
    for place, (line, new) in enumerate(zip(text.split("\n"), [*lines, ""], strict=True), start=1):
        need(line == new, f"line {place} is {line[:70]!r}, but {new[:70]!r} follows from the bounds in the file")
    first = rows.split("\n")[last + index[0, 0] * (size + 1)]
    value = "Play ends. The first player wins with probability {} to {}.".format(*findall(r"[01]\.\d+", first))
    value += " A draw counts as half a win." * rules.draw
    known = f"{len(bounds)} values are known, each within {width}; {proved} decisions are optimal; {unproved} are open."
    return f"Yes. {parts[2]} to {rules.target}:\n{parts[4]}{parts[9]}{parts[10]}{value}\n{known}"


if __name__ == "__main__":
    try:
        need(len(sys.argv) == 2, "give one file")
        with open(sys.argv[1], "rb") as file:  # as editors and mail may have changed it: a mark at the beginning, CRLF
            print(check(file.read().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").decode("ascii")))
    except (ValueError, OSError, MemoryError) as error:
        sys.exit("No: " + " ".join(str(error).split()))
