"""A certificate in a file: bounds of all values and the decisions, for a checker that shares no code with us.

``witness/check.py`` reads the file. Its first page describes the format and proves what follows from it.

**The bounds** are integers, in units of 10⁻¹⁸. The lower bound L of a turn is the value of the turn if the other
player's values are at their upper bounds, rounded down at every roll. The upper bound U likewise, rounded up:

    L(i, j) = T↓(1 - U(j, ·)),        U(i, j) = T↑(1 - L(j, ·)).

We look for numbers for which these equations hold exactly. Both operators are monotonic. Let a box of bounds be mapped
into itself. Then the next box is mapped into itself, too, and so on; as the bounds are integers, the boxes stop to
shrink, at a solution. The bounds of pairs with fewer points missing are known, so one pair of scores has two such
chains: L(i, j) with U(j, i), and U(i, j) with L(j, i). A chain begins a little outside of the bounds that
:func:`dicelab.certify` has proven, or further out if these are not mapped into themselves. Aitken's extrapolation
shortens it, wherever the extrapolated bound is mapped into itself.

**Resets.** All pairs are solved with given bounds of the reset values V(j, 0), and again with what comes out, until
these are the same. As long as some come out wider than given, all are widened.
"""

import json
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from itertools import groupby
from math import lcm
from os import PathLike
from typing import NamedTuple

from .._accuracy import ConvergenceError
from .._files import atomic_write
from .._limits import progress
from .._shown import title_of
from .._validation import check_path, check_type, invalid, short_repr
from ..games.model import BUST, RESET
from .certify import Certificate

__all__ = ["WrittenCertificate", "check_file", "check_writable", "write_certificate"]

DIGITS = 18
ONE = 10**DIGITS
LETTERS = "abcdefghijklmnopqrstuvwxyz"  # of choices
LONGEST = 1001  # characters of a name, with its quotes
OPEN = "?"
ENDING = ".cert"
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

    Examples
    --------
    >>> print(WrittenCertificate(pairs=400, proved=3800, open=0, width=Decimal("1.0e-17")))
    400 values within 1.0e-17; 3,800 decisions proved optimal, 0 left open
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
        choices after a roll; and for names that are too long.
    ConvergenceError
        If no bounds are found, or they contradict the certificate.

    Examples
    --------
    >>> import dicelab as dl
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     print(write_certificate(dl.certify(dl.solve(dl.pig(10))), Path(folder) / "pig-10.cert"))
    100 values within 5.0e-18; 450 decisions proved optimal, 0 left open
    """
    solution = check_type(
        certificate, "certificate", Certificate, "what dicelab.certify(solution) returns"
    ).solution
    game = check_writable(solution.game)
    path = check_file(path)
    if solution.objective != "win":
        raise ValueError(
            f"certificate: the objective {solution.objective!r} is not allowed; give a certificate of 'win'"
        )
    if certificate.refuted or certificate.outside:
        raise invalid("certificate", certificate, "one in which nothing is refuted")
    rules = IntegerRules(game)
    low, high = enclose_values(rules, certificate)
    rows, counts = [], {"proved": 0, "open": 0}
    for own in progress(range(game.target), f"{title_of(game)}, decisions", "score"):
        rolls, takes = solution.policy.actions_at(game, own)
        for opponent in range(game.target):
            words = []
            for letters in rules.decisions(
                low, high, own, opponent, rolls[opponent], takes[opponent]
            ):
                words.append(
                    "".join(f"{len([*same])}{letter}" for letter, same in groupby(letters))
                )
                counts["open"] += letters.count(OPEN)
                counts["proved"] += len(letters) - letters.count(OPEN)
            bounds = decimal(low[own][opponent]), decimal(high[own][opponent])
            rows.append(" ".join([str(own), str(opponent), *bounds, *words]))
    width = max(
        u - v for ups, lows in zip(high, low, strict=True) for u, v in zip(ups, lows, strict=True)
    )
    head = [
        "certificate 2",
        f"game {quoted(_title(game))}",
        f"target {game.target}",
        f"width {decimal(width)}",
    ]
    lines = [*head, *rules.lines, *rows, *[f"{name} {count}" for name, count in counts.items()]]
    lines.append(f"lines {len(lines) + 2}")
    text = "".join(f"{line}\n" for line in lines)
    with atomic_write(path) as part:
        part.write_text(
            f"{text}sha256 {sha256(text.encode()).hexdigest()}\n", encoding="ascii", newline="\n"
        )
    return WrittenCertificate(
        game.target**2, counts["proved"], counts["open"], Decimal(width).scaleb(-DIGITS)
    )


def check_file(path):
    """Return `path` as the Path of a certificate to write; ValueError if it is not one."""
    return check_path(path, "path", (ENDING,))


def check_writable(game):
    """Return `game`, a race that ends with probability 1 however it is played, as the checker requires.

    NotImplementedError otherwise. The condition is the one that ``witness/check.py`` states, sufficient and simple.
    """
    if game.finish != "reach" or game.registers:
        said = "registers" if game.registers else f"finish={game.finish!r}"
        raise NotImplementedError(
            f"{game.name} has {said}; a certificate in a file is for finish='reach', no registers"
        )
    modes = game.until_change.modes
    ends = {mode.name for mode in game.modes if mode.may_hold}
    for _ in modes:
        ends |= {
            m.name
            for m in modes
            if any({c.mode for c in o.choices} <= ends for o in m.outcomes if o.choices)
        }
    free = [game.modes[game.mode(c.mode)] for mode in modes for c in mode.choices if not c.points]
    stays = any(mode.name not in ends or not (mode.must_hold or mode.choices) for mode in modes)
    if stays or any(mode.must_hold or mode is game.modes[0] for mode in free):
        raise NotImplementedError(
            f"{game.name}: a player might be able to avoid the end of the game"
        )
    if any(len(outcome.choices) > len(LETTERS) for mode in modes for outcome in mode.outcomes):
        raise NotImplementedError(f"{game.name} has more than {len(LETTERS)} choices after a roll")
    long = [
        name
        for name in (_title(game), *(mode.name for mode in modes))
        if len(quoted(name)) > LONGEST
    ]
    if long:
        said = (
            f"in a certificate, a name has at most {LONGEST} characters with its quotes and escapes"
        )
        raise NotImplementedError(f"{short_repr(long[0])} is not allowed as a name: {said}")
    return game


def _title(game):
    """The name of a game as a certificate has it, with its unit."""
    return f"{game.name}, in {game.unit}" if game.chip > 1 else game.name


def quoted(name):
    """A name in quotes, as in JSON, in printable ASCII and without a quote inside.

    >>> print(quoted('a "bold" π'))
    "a \\u0022bold\\u0022 \\u03c0"
    """
    inside = json.dumps(name)[1:-1].replace('\\"', "\\u0022").replace("\x7f", "\\u007f")
    return f'"{inside}"'


def decimal(number):
    """A number of units as a decimal, in full."""
    return f"{number // ONE}.{number % ONE:0{DIGITS}}"


class IntegerRules:
    """The rules of a game in integers, and as `lines` of a file; every mode before those it leads to with 0 points."""

    def __init__(self, game):
        game = game.until_change
        self.target, self.most = game.target, game.most_points
        self.order = [
            0,
            *(m for m in reversed(game.order) if m != 0),
        ]  # the index of each mode in the game
        place = {m: k for k, m in enumerate(self.order)}
        names = [quoted(mode.name) for mode in game.modes]
        branches = [
            (m, k)
            for m, mode in enumerate(game.modes)
            for k, o in enumerate(mode.outcomes)
            if o.choices[1:]
        ]
        self.modes, self.lines = (
            [],
            [],
        )  # a mode: may hold, denominator, busts, resets, (weight, choices, branch)s
        for m in self.order:
            mode = game.modes[m]
            lost = {BUST: 0, RESET: 0}
            moves = []
            common = lcm(*(outcome.probability.denominator for outcome in mode.outcomes))
            self.lines.append(
                f"mode {names[m]}" + " hold" * mode.may_hold + " roll" * (not mode.must_hold)
            )
            for k, outcome in enumerate(mode.outcomes):
                weight = int(outcome.probability * common)
                choices = [(choice.points, game.mode(choice.mode)) for choice in outcome.choices]
                said = (
                    " | ".join(f"+{points} {names[to]}" for points, to in choices) or outcome.result
                )
                self.lines.append(f"  {weight}/{common} {said}")
                if choices:
                    branch = branches.index((m, k)) if choices[1:] else None
                    moves.append((weight, [(points, place[to]) for points, to in choices], branch))
                else:
                    lost[outcome.result] += weight
            self.modes.append((mode.may_hold, common, lost[BUST], lost[RESET], moves))

    def walk(self, holds, reset, up):
        """The values in a turn, [turn total][mode], if holds have the values `holds` by turn total, a bust the first.

        Returns
        -------
        values, rolls : list of list of int
            Rounded up if `up`, otherwise down. The lists of `values` go on beyond the target, and `rolls` is None where
            one must hold.
        """
        missing, bust, sign = (
            len(holds),
            holds[0],
            -1 if up else 1,
        )  # x // y rounds down, -(-x // y) up
        constant = [sign * (busts * bust + resets * reset) for _, _, busts, resets, _ in self.modes]

        def rolled(m, total):
            size, value = self.modes[m][1], constant[m]
            for weight, choices, _ in self.modes[m][4]:
                if len(choices) == 1:
                    points, to = choices[0]
                    value += sign * weight * values[total + points][to]
                else:
                    value += (
                        sign * weight * max([values[total + points][to] for points, to in choices])
                    )
            return sign * (value // size)

        past = [ONE if up or may_hold else 0 for may_hold, *_ in self.modes]
        values = [[]] * missing + [past] * (self.most + 1)
        rolls = [[]] * missing
        forced = [m for m, (may_hold, *_) in enumerate(self.modes) if not may_hold]
        changing = True
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
        """All decisions of a turn, each as letters by turn total; mode by mode, first choices, then to hold or to roll.

        `rolls` and `takes` are the decisions of a policy, (modes, target) and (branches, target). ConvergenceError if
        one of them is refuted, or if the bounds do not solve their equations.
        """
        totals = range(self.target - own)
        sides = []
        holds = []
        for theirs, mine, up in ((high, low, False), (low, high, True)):
            holds.append([ONE - theirs[opponent][own + total] for total in totals])
            sides.append(self.walk(holds[-1], ONE - theirs[opponent][0], up))
            if sides[-1][0][0][0] != mine[own][opponent]:
                raise ConvergenceError(
                    f"the bounds at scores {own} and {opponent} do not solve their equations"
                )

        def listed(letters, options, chosen):
            for (lows, ups), choice in zip(options, chosen, strict=True):
                if ups[choice] < max(lows):
                    raise ConvergenceError(f"a decision at scores {own} and {opponent} is refuted")
                yield proved(letters, lows, ups)

        for m, (may_hold, *_, moves) in enumerate(self.modes):
            for _, choices, branch in moves:
                if branch is not None:
                    options = [
                        [[v[total + k][to] for k, to in choices] for v, _ in sides]
                        for total in totals
                    ]
                    yield "".join(listed(LETTERS, options, takes[branch, : len(totals)].tolist()))
            if may_hold and moves and totals[1:]:
                options = [
                    [(hold[total], r[total][m]) for hold, (_, r) in zip(holds, sides, strict=True)]
                    for total in totals[1:]
                ]
                yield "".join(listed("hr", options, rolls[self.order[m], 1 : len(totals)].tolist()))


def proved(letters, lows, ups):
    """The letter of the first option whose lower number is at least the upper numbers of all others, or "?"."""
    for option, low in enumerate(lows):
        if all(low >= up for other, up in enumerate(ups) if other != option):
            return letters[option]
    return OPEN


def enclose_values(rules, certificate):
    """Lower and upper bounds of all values, lists [own][opponent] of integers, for which the equations hold exactly."""
    target = rules.target
    name = title_of(certificate.solution.game)
    low = [
        [max(0, int(Fraction(value) * ONE) - 2) for value in row]
        for row in certificate.lower.tolist()
    ]
    high = [
        [min(ONE, int(Fraction(value) * ONE) + 2) for value in row]
        for row in certificate.upper.tolist()
    ]
    proven = [row.copy() for row in low], [row.copy() for row in high]
    given = [(low[own][0], high[own][0]) for own in range(target)]  # of the values after a reset
    resets = any(mode[3] for mode in rules.modes)

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
            apart = any(
                high[i][j] < proven[0][i][j] or low[i][j] > proven[1][i][j]
                for i in range(target)
                for j in range(target)
            )
            if apart:
                raise ConvergenceError(
                    f"{name}: the bounds in integers contradict those of the certificate"
                )
            return low, high
        given = _next(given, found)
    raise ConvergenceError(f"{name}: no bounds were found")


def _next(given, found):
    """The bounds of the reset values to try next: those found if all lie within the given ones, else wider ones."""
    out = max(
        max(low - lower, upper - high)
        for (low, high), (lower, upper) in zip(given, found, strict=True)
    )
    if out <= 0:
        return found
    return [(max(0, low - 2 * out), min(ONE, high + 2 * out)) for low, high in given]
