"""A certificate in a file: bounds of all values and the decisions, for a checker that shares no code with us.

``witness/check.py`` reads the file. Its first page describes the format and proves what follows from it.

**The bounds** are integers, in units of 10⁻¹⁸. The lower number L of a turn is the value of the turn in integers, rounded
down at every roll, if the other player's values are at their upper bounds; the upper number U likewise, rounded up:

    L(i, j) = T↓(1 - U(j, ·)),        U(i, j) = T↑(1 - L(j, ·)).

We look for numbers for which these equations hold exactly. Both operators are monotonic. Let a box of bounds be mapped
into itself. Then the next box is mapped into itself, too, and so on; as the bounds are integers, the boxes stop to
shrink, at a solution. One pair of scores has two such chains, L(i, j) with U(j, i) and U(i, j) with L(j, i), for the
bounds of the pairs with fewer points missing are known. A chain begins a little outside of the bounds that
:func:`dicelab.certify` has proven, further out if that is not mapped into itself, and is accelerated by Aitken's
extrapolation wherever the extrapolated bound is mapped into itself.

**Resets.** The bounds of V(j, 0) are taken from before. If those that come out lie outside of them, they are
widened. Otherwise all pairs are solved again with the new ones, until nothing changes.
"""

from decimal import Decimal
from hashlib import sha256
from itertools import groupby
from math import lcm
from os import PathLike
from typing import NamedTuple

from .._accuracy import ConvergenceError
from .._files import atomic_write
from .._limits import progress
from .._shown import title_of
from .._validation import check_path, check_type, invalid
from ..games.model import BUST, RESET
from .certify import Certificate

__all__ = ["WrittenCertificate", "check_file", "write_certificate"]

DIGITS = 18
ONE = 10**DIGITS
LETTERS = "abcdefghijklmnopqrstuvwxyz"  # of choices
OPEN = "?"
ROUNDS = 100  # of all pairs, in a game with resets


class WrittenCertificate(NamedTuple):
    """What a certificate in a file says.

    Attributes
    ----------
    pairs : int
        The number of pairs of scores, each with bounds of its value.
    proved, open : int
        The numbers of decisions that are listed as optimal, and of those that the bounds leave open.
    width : Decimal
        The largest distance of two bounds, a probability.
    """

    pairs: int
    proved: int
    open: int
    width: Decimal

    def __str__(self):
        """The certificate in words."""
        known = f"{self.pairs:,} values within {self.width:.1e}"
        return f"{known}; {self.proved:,} decisions proved optimal, {self.open:,} left open"


def write_certificate(certificate: Certificate, path: str | PathLike) -> WrittenCertificate:
    """Write a certificate to a file that ``witness/check.py`` verifies, in integers and without dicelab.

    Parameters
    ----------
    certificate : Certificate
        Of a race between two players with the objective "win", finish "reach" and no registers.
    path : path-like
        The file to write, which ends in ``.cert``.

    Returns
    -------
    WrittenCertificate
        How many values and decisions the file proves, and how close its bounds are.

    Raises
    ------
    ValueError
        If an argument is not as described, or something in the certificate is refuted.
    NotImplementedError
        For other finishes and for registers; if a player might be able to avoid the end of the game; for more than 26
        choices after a roll; and for names that are not in ASCII.
    ConvergenceError
        If no bounds are found, or they contradict the certificate.

    Examples
    --------
    >>> import dicelab as dl
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     print(write_certificate(dl.certify(dl.solve(dl.pig(10))), Path(folder) / "pig-10.cert"))
    100 values within 2.0e-17; 285 decisions proved optimal, 0 left open
    """
    allowed = "what dicelab.certify(solution) returns"
    game = check_type(certificate, "certificate", Certificate, allowed).solution.game
    path = check_file(path)
    if certificate.solution.objective != "win":
        raise ValueError(f"certificate: objective {certificate.solution.objective!r} is not allowed; give one of 'win'")
    if certificate.refuted or certificate.outside:
        raise invalid("certificate", certificate, "one in which nothing is refuted")
    rules = IntegerRules(game)
    low, high = enclose_values(rules, certificate)
    lines, counts = [], {"proved": 0, "open": 0}
    for own in progress(range(game.target), f"{title_of(game)}, decisions", "score"):
        rolls, takes = certificate.solution.policy.actions_at(game, own)
        for opponent in range(game.target):
            words = []
            for decided, known in rules.decisions(low, high, own, opponent, rolls[opponent], takes[opponent]):
                words.append("".join(f"{len([*same])}{letter}" for letter, same in groupby(decided)))
                counts["open"] += decided.count(OPEN)
                counts["proved"] += len(decided) - decided.count(OPEN)
                if not known:
                    raise ConvergenceError(f"{game.name}: another decision is optimal at scores {own} and {opponent}")
            bounds = decimal(low[own][opponent]), decimal(high[own][opponent])
            lines.append(" ".join([str(own), str(opponent), *bounds, *words]))
    width = max(u - v for ups, lows in zip(high, low, strict=True) for u, v in zip(ups, lows, strict=True))
    head = ["certificate 1", f"game {rules.name}", f"target {game.target}", f"width {decimal(width)}"]
    lines = [*head, *rules.lines, *lines, *[f"{name} {count}" for name, count in counts.items()]]
    lines.append(f"lines {len(lines) + 2}")
    text = "".join(f"{line}\n" for line in lines)
    with atomic_write(path) as part:
        part.write_text(f"{text}sha256 {sha256(text.encode()).hexdigest()}\n", encoding="ascii", newline="\n")
    return WrittenCertificate(game.target**2, counts["proved"], counts["open"], Decimal(width).scaleb(-DIGITS))


def check_file(path):
    """Return `path` as the Path of a certificate to write; ValueError if it is not one."""
    return check_path(path, "path", (".cert",))


def decimal(number):
    """A number of units as a decimal, in full."""
    return f"{number // ONE}.{number % ONE:0{DIGITS}}"


class IntegerRules:
    """The rules of a game with integer weights, in the order of a file; modes lead with 0 points to later ones only."""

    def __init__(self, game):
        self.check(game)
        changing = game.until_change
        self.target, self.order = game.target, [0, *(m for m in reversed(game.order) if m != 0)]
        self.name = f"{game.name}, in {game.unit}" if game.chip > 1 else game.name
        names = ["_".join(mode.name.split()) for mode in changing.modes]
        if not all(name.isascii() and name.isprintable() for name in (*names, self.name)) or len({*names}) < len(names):
            raise NotImplementedError(f"{game.name}: names in a certificate must be different, and in ASCII")
        place = {m: k for k, m in enumerate(self.order)}
        self.modes, self.lines = [], []  # a mode is (may hold, denominator, busts, resets, [(weight, choices, branch)])
        branches = iter(range(sum(len(o.choices) > 1 for mode in changing.modes for o in mode.outcomes)))
        branch_of = {
            (m, k): next(branches)
            for m, mode in enumerate(changing.modes)
            for k, o in enumerate(mode.outcomes)
            if o.choices[1:]
        }
        for m in self.order:
            mode = changing.modes[m]
            common = lcm(*(outcome.probability.denominator for outcome in mode.outcomes))
            lost, moves = {BUST: 0, RESET: 0}, []
            may = ["hold"] * mode.may_hold + ["roll"] * (not mode.must_hold)
            self.lines.append(" ".join(["mode", names[m], *may]))
            for k, outcome in enumerate(mode.outcomes):
                weight = int(outcome.probability * common)
                onward = [(choice.points, changing.mode(choice.mode)) for choice in outcome.choices]
                said = " | ".join(f"+{points} {names[to]}" for points, to in onward) or outcome.result
                self.lines.append(f"  {weight}/{common} {said}")
                if onward:
                    choices = [(points, place[to]) for points, to in onward]
                    moves.append((weight, choices, branch_of.get((m, k))))
                else:
                    lost[outcome.result] += weight
            self.modes.append((mode.may_hold, common, lost[BUST], lost[RESET], moves))
        self.most = game.most_points
        self.branching = bool(branch_of)

    @staticmethod
    def check(game):
        """Refuse a game that the checker would refuse."""
        if game.finish != "reach" or game.registers:
            said = "registers" if game.registers else f"finish={game.finish!r}"
            raise NotImplementedError(f"{game.name} has {said}; certificates are written for plain games that end")
        modes, ends = game.until_change.modes, {mode.name for mode in game.modes if mode.may_hold}
        for _ in modes:
            ends |= {m.name for m in modes if any({c.mode for c in o.choices} <= ends for o in m.outcomes if o.choices)}
        free = [game.modes[game.mode(c.mode)] for mode in modes for c in mode.choices if not c.points]
        stay = [m.name for m in modes if m.name not in ends or not (m.must_hold or m.choices)]
        if stay or any(mode.must_hold or mode is game.modes[0] for mode in free):
            raise NotImplementedError(f"{game.name}: a player might be able to avoid the end of the game")
        if any(len(outcome.choices) > len(LETTERS) for mode in modes for outcome in mode.outcomes):
            raise NotImplementedError(f"{game.name}: more than {len(LETTERS)} choices after a roll")

    def walk(self, holds, reset, up):
        """The numbers of a turn, [turn total][mode], if a hold at each total (0: a bust) has one of the numbers `holds`.

        Returns
        -------
        values, rolls : list of list of int
            Rounded up if `up`, otherwise down. The lists of `values` go on beyond the target, and `rolls` is None where
            one must hold.
        """
        missing, bust, sign = len(holds), holds[0], -1 if up else 1  # x // y rounds down, -(-x // y) up
        constant = [sign * (busts * bust + resets * reset) for _, _, busts, resets, _ in self.modes]

        def rolled(m, total):
            size, value = self.modes[m][1], constant[m]
            for weight, choices, _ in self.modes[m][4]:
                if len(choices) == 1:
                    points, to = choices[0]
                    value += sign * weight * values[total + points][to]
                else:
                    value += sign * weight * max([values[total + points][to] for points, to in choices])
            return sign * (value // size)

        past = [ONE if up or may_hold else 0 for may_hold, *_ in self.modes]
        values, rolls = [[]] * missing + [past] * (self.most + 1), [[]] * missing
        forced, changing = [m for m, (may_hold, *_) in enumerate(self.modes) if not may_hold], True
        while changing:
            changing = False
            for m in forced:
                value = rolled(m, missing)
                changing |= value != past[m]
                past[m] = value
        for total in range(missing - 1, -1, -1):
            values[total], rolls[total] = [0] * len(self.modes), [None] * len(self.modes)
            for m in range(len(self.modes) - 1, -1, -1):
                may_hold, *_, moves = self.modes[m]
                value = rolls[total][m] = rolled(m, total) if moves else None
                if may_hold and total and (value is None or holds[total] > value):
                    value = holds[total]
                values[total][m] = value
        return values, rolls

    def decisions(self, low, high, own, opponent, rolls, takes):
        """All decisions of a turn as letters by turn total, and whether a policy makes those that are proved.

        `rolls` and `takes` are the decisions of the policy, (modes, target) and (branches, target).
        """
        totals = range(self.target - own)
        lows, ups = ([ONE - side[opponent][own + total] for total in totals] for side in (high, low))
        (low_values, low_rolls), (up_values, up_rolls) = (
            self.walk(holds, ONE - side[opponent][0], up) for holds, side, up in ((lows, high, False), (ups, low, True))
        )
        if (low_values[0][0], up_values[0][0]) != (low[own][opponent], high[own][opponent]):
            raise ConvergenceError(f"the bounds at scores {own} and {opponent} are not reproduced")
        for m, (may_hold, *_, moves) in enumerate(self.modes):
            for _, choices, branch in moves:
                if branch is not None:
                    found = []
                    for total in totals:
                        sides = [[side[total + k][to] for k, to in choices] for side in (low_values, up_values)]
                        found.append(proved(LETTERS, *sides))
                    yield _compared(found, [LETTERS[take] for take in takes[branch, : len(totals)]])
            if may_hold and moves and totals[1:]:
                asked = totals[1:]
                found = [proved("hr", (lows[k], low_rolls[k][m]), (ups[k], up_rolls[k][m])) for k in asked]
                yield _compared(found, ["hr"[roll] for roll in rolls[self.order[m], 1 : len(totals)].tolist()])


def _compared(found, chosen):
    """The letters found, and whether those that are chosen are the same where one is proved."""
    return "".join(found), all(letter in (OPEN, choice) for letter, choice in zip(found, chosen, strict=True))


def proved(letters, lows, ups):
    """The letter of the first option whose lower number is at least the upper numbers of all others, or "?"."""
    for option, low in enumerate(lows):
        if all(low >= up for other, up in enumerate(ups) if other != option):
            return letters[option]
    return OPEN


def enclose_values(rules, certificate):
    """Lower and upper bounds of all values, lists [own][opponent] of integers, for which the equations hold exactly."""
    target, name = rules.target, title_of(certificate.solution.game)
    low = [[max(0, int(value) - 2) for value in row] for row in _scaled(certificate.lower)]
    high = [[min(ONE, int(value) + 2) for value in row] for row in _scaled(certificate.upper)]
    given = [(low[own][0], high[own][0]) for own in range(target)]  # of the values after a reset
    resets = any(mode[3] for mode in rules.modes)
    settled = False

    def number(own, opponent, bust, up):
        """One bound of the pair, if the bust value has a bound."""
        theirs = (low if up else high)[opponent]
        holds = [ONE - bust, *[ONE - value for value in theirs[own + 1 :]]]
        return rules.walk(holds, ONE - given[opponent][0 if up else 1], up)[0][0][0]

    def solve_chain(i, j):
        """L(i, j) and U(j, i)."""

        def once(upper):
            lower = number(i, j, upper, False)
            return lower, number(j, i, lower, True)

        upper, before = high[j][i], None
        while True:
            lower, after = once(upper)
            if after > upper:
                upper, before = min(ONE, after + 2 * (after - upper) + 2), None
            elif after == upper:
                return lower, upper
            else:
                step = upper - after
                if before is not None and before > step > 4:
                    guess = after - step * step // (before - step) + 4
                    if guess < after and once(guess)[1] <= guess:
                        after, step = guess, None
                upper, before = after, step

    for _ in range(ROUNDS):
        sums = range(2 * target - 2, -1, -1)
        for total in progress(sums, f"{name}, in integers", "diagonal"):
            for i in range(max(0, total - target + 1), min(total, target - 1) + 1):
                lower, upper = solve_chain(i, total - i)
                low[i][total - i], high[total - i][i] = lower, upper
        found = [(low[own][0], high[own][0]) for own in range(target)]
        if not resets or found == given:
            settled = True
            break
        given = [_next(*pair) for pair in zip(given, found, strict=True)]
    if not settled:
        raise ConvergenceError(f"{name}: no bounds were found")
    return low, high


def _next(given, found):
    """The bounds of a value after a reset to try next: those found, but further out on a side where they are wider."""
    (low, high), (lower, upper) = given, found
    lower = lower if lower >= low else max(0, lower - 2 * (low - lower))
    return lower, upper if upper <= high else min(ONE, upper + 2 * (upper - high))


def _scaled(bounds):
    """Float64 bounds as Python's integers, in units."""
    return [[Decimal(value) * ONE for value in row] for row in bounds.tolist()]
