"""A certificate in a file: bounds of all values and the decisions, for a checker that shares no code with us.

``witness/check.py`` reads the file. Its first page describes the format and proves what follows from it.

**The bounds** are integers, in units of 10⁻¹⁸. The lower bound L of a turn is the value of the turn if the other
player's values are at their upper bounds, rounded down at every roll. The upper bound U likewise, rounded up:

    L(i, j) = T↓(1 - U(j, ·)),        U(i, j) = T↑(1 - L(j, ·)).

Here i and j are the scores. We look for numbers for which these equations hold exactly. Both operators are monotonic.
Let a box of bounds be mapped into itself. Then the next box is mapped into itself, too, and so on; as the bounds are
integers, the boxes stop to shrink, at a solution. The bounds of pairs with fewer points missing are known. A bust leads
from each bound to one of the other side: L(i, j) depends on U(j, i), and this on L(i, j). Of these two the upper bound
is iterated. It begins a little outside of what :func:`.certify` has proven, or further out if it is not mapped
inwards. Aitken's extrapolation shortens this, wherever the extrapolated bound is mapped inwards.

**Resets** lead to pairs that are not solved yet. All pairs are solved with the bounds that are given there, and again
with what comes out, until nothing changes. As long as some come out wider than given, all are widened.
"""

import json
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from itertools import groupby, product
from math import lcm
from os import PathLike
from typing import NamedTuple

import numpy as np

from dicelab._accuracy import ConvergenceError
from dicelab._files import atomic_write
from dicelab._limits import check_memory, progress
from dicelab._shown import title_of
from dicelab._validation import check_path, check_type, invalid
from dicelab.games.absorption import moves_of

from .certify import Certificate

__all__ = ["ENDINGS", "WrittenCertificate", "check_writable", "write_certificate"]

DIGITS = 18
ONE = 10**DIGITS
LETTERS = "abcdefghijklmnopqrstuvwxyz"  # of choices
OPEN = "?"
ENDINGS = (".cert",)
PAIR = 500  # bytes for each pair of scores
ROUNDS = 5000  # of all pairs, in a game with resets


class WrittenCertificate(NamedTuple):
    """What a certificate in a file says.

    Attributes
    ----------
    pairs : int
        The number of values with bounds, one for each pair of scores.
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
        Of a race between two players with the objective "win", which finishes with "reach".
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
        For a target that must be hit exactly; if a player might be able to avoid the end of the game; and for more than
        26 choices after a roll.
    ConvergenceError
        If no bounds are found, or they contradict the certificate.

    Examples
    --------
    >>> import dicelab as dl
    >>> from dicelab_extras.proofs import certify
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     print(write_certificate(certify(dl.solve(dl.pig(10))), Path(folder) / "pig-10.cert"))
    100 values within 5.0e-18; 450 decisions proved optimal, 0 left open
    """
    solution = check_type(
        certificate, "certificate", Certificate, "what certify(solution) returns"
    ).solution
    game = check_writable(solution.game)
    path = check_path(path, "path", ENDINGS)
    if solution.objective != "win":
        raise ValueError(
            f"certificate: the objective {solution.objective!r} is not allowed; give a certificate of 'win'"
        )
    if certificate.refuted or certificate.outside:
        raise invalid("certificate", certificate, "one in which nothing is refuted")
    rules = IntegerRules(game)
    tables = enclose_values(rules, certificate)
    counts: Counter[str] = Counter()
    rows, widths = [], []
    positions = [*product(range(game.target), repeat=2)]
    for own, opponent in progress(positions, f"{title_of(game)}, decisions", "position"):
        turns = [rules.turn(tables, up, own, opponent) for up in (0, 1)]
        sides = [rules.walk(turn, up) for up, turn in enumerate(turns)]
        lower, upper = (values[0][0] for values, _ in sides)
        widths.append(upper - lower)
        decided = [*filter(None, rules.decisions(turns, sides))]
        counts.update("".join(decided))
        words = (
            "".join(f"{len([*same])}{letter}" for letter, same in groupby(letters))
            for letters in decided
        )
        rows.append(" ".join([f"{own} {opponent}", decimal(lower), decimal(upper), *words]))
    proved, width = counts.total() - counts[OPEN], max(widths)
    lines = [*rules.head, f"width {decimal(width)}", *rules.lines, *rows]
    lines += [f"proved {proved}", f"open {counts[OPEN]}", f"lines {len(lines) + 4}"]
    text = "".join(f"{line}\n" for line in lines)
    with atomic_write(path) as part:
        part.write_text(
            f"{text}sha256 {sha256(text.encode()).hexdigest()}\n", encoding="ascii", newline="\n"
        )
    return WrittenCertificate(len(rows), proved, counts[OPEN], Decimal(width).scaleb(-DIGITS))


def check_writable(game):
    """Return `game`, a race that ends with probability 1 however it is played, as the checker requires.

    NotImplementedError otherwise; MemoryError if a certificate would take more than half of the memory. The condition
    is the one that ``witness/check.py`` states, sufficient and simple.
    """
    given = {"registers": game.registers, f"finish={game.finish!r}": game.finish != "reach"}
    if refused := [name for name, found in given.items() if found]:
        raise NotImplementedError(
            f"{game.name} with {refused[-1]}: a file is for races without registers and with finish='reach';"
            " dicelab.solve(game, exact=True) answers in fractions"
        )
    check_memory(
        PAIR * game.target**2, f"a certificate of {title_of(game)}", "take a smaller target"
    )
    modes = game.until_change.modes
    ends = {mode.name for mode in modes if mode.may_hold}
    for _ in modes:
        ends |= {
            mode.name
            for mode in modes
            if any({c.mode for c in o.choices} <= ends for o in mode.outcomes if o.choices)
        }
    free = [modes[game.mode(c.mode)] for mode in modes for c in mode.choices if not c.points]
    stays = any(mode.name not in ends or not (mode.must_hold or mode.choices) for mode in modes)
    if stays or any(mode.must_hold or mode is modes[0] for mode in free):
        raise NotImplementedError(
            f"{game.name}: a player might be able to avoid the end of the game"
        )
    if any(len(outcome.choices) > len(LETTERS) for mode in modes for outcome in mode.outcomes):
        raise NotImplementedError(f"{game.name} has more than {len(LETTERS)} choices after a roll")
    return game


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
    """The rules of a game in integers, and as `head` and `lines` of a file.

    In `order` the first mode is the first, and modes stand before those to which they lead with 0 points. A choice is
    (index of the next mode, points). Tables of bounds are arrays (2, N, N) by own and opponent's scores, first the
    lower, then the upper ones.
    """

    def __init__(self, game):
        names = {mode.name: quoted(mode.name) for mode in game.modes}
        game = game.until_change
        self.target, self.most = game.target, game.most_points
        self.order = [0, *(m for m in reversed(game.order) if m > 0)]
        title = f"{game.name}, in {game.unit}" if game.chip > 1 else game.name
        self.head = ["certificate 2", f"game {quoted(title)}", f"target {self.target}"]
        commons = [lcm(*(o.probability.denominator for o in mode.outcomes)) for mode in game.modes]
        self.modes = [  # may hold, may roll, denominator, busts, resets, (weight, choices)s
            (
                mode.may_hold,
                not mode.must_hold,
                common,
                int((mode.chance("bust") + mode.must_hold) * common),
                int(mode.chance("reset") * common),
                [
                    (int(o.probability * common), to)
                    for o, to in zip(mode.outcomes, moves, strict=True)
                    if o.choices
                ],
            )
            for mode, common, moves in zip(game.modes, commons, moves_of(game), strict=True)
        ]
        self.lines = []
        for m in self.order:
            mode, common = game.modes[m], self.modes[m][2]
            self.lines.append(
                f"mode {names[mode.name]}"
                + " hold" * mode.may_hold
                + " roll" * (not mode.must_hold)
            )
            for outcome in mode.outcomes:
                weight = int(outcome.probability * common)
                said = " | ".join(f"+{c.points} {names[c.mode]}" for c in outcome.choices)
                self.lines.append(f"  {weight}/{common} {said or outcome.result}")

    def turn(self, tables, up, own, opponent):
        """What a turn follows from, for one side: hold values by turn total, a bust the first, and the reset value."""
        after = (ONE - tables[1 - up][opponent]).tolist()
        return after[own:], after[0]

    def walk(self, turn, up):
        """The values in a turn, [turn total][mode], from what :meth:`turn` returns; rounded up if `up`.

        Returns
        -------
        values, rolls : list of list of int
            The lists of `values` go on at the target and above, and `rolls` is None where one must hold.
        """
        holds, reset = turn
        size, sign = len(holds), -1 if up else 1  # x // y rounds down, -(-x // y) up
        constant = [
            sign * (busts * holds[0] + resets * reset) for *_, busts, resets, _ in self.modes
        ]

        def rolled(m, total):
            value = constant[m]
            for weight, choices in self.modes[m][-1]:
                if len(choices) == 1:
                    to, points = choices[0]
                    value += sign * weight * values[total + points][to]
                else:
                    after = [values[total + points][to] for to, points in choices]
                    value += sign * weight * max(after)
            return sign * (value // self.modes[m][2])

        past = [ONE if up or may_hold else 0 for may_hold, *_ in self.modes]
        values = [[]] * size + [past] * (1 + self.most)
        rolls = [[]] * size
        before, forced = None, [m for m, (may_hold, *_) in enumerate(self.modes) if not may_hold]
        while past != before:
            before = [*past]
            for m in forced:
                past[m] = rolled(m, size)
        for total in range(size - 1, -1, -1):
            values[total], rolls[total] = [holds[total]] * len(self.modes), [None] * len(self.modes)
            for m in reversed(self.order):
                may_hold, may_roll, *_ = self.modes[m]
                if may_roll:
                    value = rolls[total][m] = rolled(m, total)
                    values[total][m] = max(holds[total], value) if may_hold and total else value
        return values, rolls

    def decisions(self, turns, sides):
        """All decisions of a turn, each as letters by turn total; mode by mode, first choices, then to hold or to roll.

        By side `turns` are what :meth:`turn` returns, and `sides` what :meth:`walk` returns.
        """
        totals = range(len(turns[0][0]))
        for m in self.order:
            may_hold, may_roll, *_, moves = self.modes[m]
            for choices in (choices for _, choices in moves if choices[1:]):
                yield "".join(
                    proved(
                        LETTERS,
                        *([values[total + k][to] for to, k in choices] for values, _ in sides),
                    )
                    for total in totals
                )
            if may_hold and may_roll:
                yield "".join(
                    proved(
                        "hr",
                        *(
                            (holds[total], rolls[total][m])
                            for (holds, _), (_, rolls) in zip(turns, sides, strict=True)
                        ),
                    )
                    for total in totals[1:]
                )


def proved(letters, lows, ups):
    """The letter of the first option whose lower number is at least the upper numbers of all others, or "?"."""
    for option, low in enumerate(lows):
        if all(low >= up for other, up in enumerate(ups) if other != option):
            return letters[option]
    return OPEN


def enclose_values(rules, certificate):
    """Bounds of all values for which the equations hold exactly, an ndarray of int64, (2, N, N)."""
    game = certificate.solution.game
    size, name = game.target, title_of(game)
    outwards = np.array([-1, 1])[:, None, None]
    found = np.stack([certificate.lower, certificate.upper])
    proven = np.array([int(Fraction(value) * ONE) for value in found.ravel().tolist()])
    proven = np.clip(proven.reshape(found.shape) + 2 * outwards, 0, ONE)
    tables = proven.copy()

    def settle(own, opponent):
        """Solve the upper bound at a pair of scores, and the lower one of the other player, who follows a bust."""

        def once(bound):
            tables[1, own, opponent] = bound
            for node in (0, opponent, own), (1, own, opponent):
                tables[node] = rules.walk(rules.turn(tables, *node), node[0])[0][0][0]
            return int(tables[1, own, opponent])

        upper, before, wider = int(tables[1, own, opponent]), None, 0
        while (after := once(upper)) != upper:
            if after > upper:
                wider = max(2 * wider, 2 * (after - upper) + 2)
                upper, before = min(ONE, after + wider), None
            else:
                step = upper - after
                if before is not None and before > step > 4:
                    guess = after - step * step // (before - step) + 4
                    if guess < after and once(guess) <= guess:
                        after, step = guess, None
                upper, before = after, step

    wider = 0
    for _ in range(ROUNDS):
        before = tables.copy()
        for total in progress(range(2 * size - 2, -1, -1), f"{name}, in integers", "diagonal"):
            for own in range(max(0, total - size + 1), min(total, size - 1) + 1):
                settle(own, total - own)
        out = ((tables - before) * outwards).max()
        if not game.resets or (tables == before).all():
            break
        if out > 0:
            wider = 2 * max(wider, out)
            tables[:] = np.clip(before + wider * outwards, 0, ONE)
    else:
        raise ConvergenceError(f"{name}: no bounds were found")
    if ((tables[::-1] - proven) * outwards).max() > 0:
        raise ConvergenceError(
            f"{name}: the bounds in integers contradict those of the certificate"
        )
    return tables
