"""A certificate in a file: bounds of all values and the decisions, for a checker that shares no code with us.

``witness/check.py`` reads the file. Its first page describes the format and proves what follows from it.

**The bounds** are integers, in units of 10⁻¹⁸. The lower bound L of a turn is the value of the turn if the other
player's values are at their upper bounds, rounded down at every roll. The upper bound U likewise, rounded up:

    L(i, j) = T↓(1 - U(j, ·)),        U(i, j) = T↑(1 - L(j, ·)).

Here i and j are the scores with their registers, and with the role if there are roles. We look for numbers for which
these equations hold exactly. Both operators are monotonic. Let a box of bounds be mapped into itself. Then the next box
is mapped into itself, too, and so on; as the bounds are integers, the boxes stop to shrink, at a solution. The bounds
of pairs with fewer points missing are known. At the same scores a bust leads from each bound to one of the other side:
L(i, j) depends on U(j, i'), with the register after a bust in i'. So bounds make cycles, and the others hang on these.
On a cycle one bound is iterated. It begins a little outside of what :func:`dicelab.certify` has proven, or further out
if it is not mapped inwards. Aitken's extrapolation shortens this, wherever the extrapolated bound is mapped inwards.

**Resets and penalties** lead to pairs that are not solved yet. All pairs are solved with the bounds that are given
there, and again with what comes out, until nothing changes. As long as some come out wider than given, all are widened.

**A last turn** is a turn of one player, and its bounds need no others (:mod:`dicelab.solvers.last_turn`). A leader may
roll on above the target; the walk begins where a hold is worth at least what it is worth right there, and at most 1. We
begin a little farther out than the solver. Where rolls are forced above the target we go half as far as a chance of
1e-20 to beat the leader: to get there a leader has to be about as lucky as the one who follows. How far that is decides
how close the bounds are, and not whether they are right.
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

from .._accuracy import ConvergenceError
from .._files import atomic_write
from .._limits import check_memory, progress
from .._shown import title_of
from .._validation import check_path, check_type, invalid, short_repr
from ..games.model import closure
from ..games.positions import classes_of
from ..games.registers import scores_of
from ._kernels import last_turn
from .certify import Certificate, enclose_chasers
from .last_turn import above_target, hold_values, last_turn_of
from .rational import RationalRules

__all__ = ["WrittenCertificate", "check_file", "check_writable", "write_certificate"]

DIGITS = 18
ONE = 10**DIGITS
LETTERS = "abcdefghijklmnopqrstuvwxyz"  # of choices
LONGEST = 1001  # characters of a name, with its quotes
OPEN = "?"
BARRED = -np.inf  # where no hold is allowed
ENDING = ".cert"
PAIR = 500  # bytes for each pair of scores
ROUNDS = 5000  # of all pairs, in a game with resets or penalties


class WrittenCertificate(NamedTuple):
    """What a certificate in a file says.

    Attributes
    ----------
    pairs : int
        The number of values with bounds: of pairs of scores, with registers and roles, and of last turns.
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
        Of a race between two players with the objective "win".
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
        If a player can make sure never to finish, though no win is missed; for more than 26 choices after a roll; and
        for names that are too long.
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
    tables = enclose_values(rules, certificate)
    counts: Counter[str] = Counter()
    rows, widths = [], []

    def write(label, turns):
        sides = [rules.walk(turn, up) for up, turn in enumerate(turns)]
        lower, upper = (values[0][turns[0].mode] for values, _ in sides)
        widths.append(upper - lower)
        decided = [*filter(None, rules.decisions(turns, sides))]
        counts.update("".join(decided))
        words = (
            "".join(f"{len([*same])}{letter}" for letter, same in groupby(letters))
            for letters in decided
        )
        rows.append(" ".join([*map(str, label), decimal(lower), decimal(upper), *words]))

    for behind, register in product(range(1, len(rules.chances)), range(rules.scores.step)):
        label = ["last", behind, register][: 2 + rules.named]
        write(label, [rules.last_turn(register, behind)] * 2)
    positions = [*product(*map(range, tables.shape[1:]))]
    for role, own, opponent in progress(positions, f"{title_of(game)}, decisions", "position"):
        label = [role] * (len(tables[0]) - 1) + rules.label(own) + rules.label(opponent)
        write(label, [rules.turn(tables, up, role, own, opponent) for up in (0, 1)])
    proved, width = counts.total() - counts[OPEN], max(widths)
    lines = [*rules.head, f"width {decimal(width)}", *rules.lines, *rows]
    lines += [f"proved {proved}", f"open {counts[OPEN]}", f"lines {len(lines) + 4}"]
    text = "".join(f"{line}\n" for line in lines)
    with atomic_write(path) as part:
        part.write_text(
            f"{text}sha256 {sha256(text.encode()).hexdigest()}\n", encoding="ascii", newline="\n"
        )
    return WrittenCertificate(len(rows), proved, counts[OPEN], Decimal(width).scaleb(-DIGITS))


def check_file(path):
    """Return `path` as the Path of a certificate to write; ValueError if it is not one."""
    return check_path(path, "path", (ENDING,))


def check_writable(game):
    """Return `game`, a race in which a player who misses no win finishes with probability 1, as the checker requires.

    NotImplementedError otherwise; MemoryError if a certificate would take more than half of the memory.
    """
    check_memory(
        PAIR * len(game.scores) ** 2, f"a certificate of {title_of(game)}", "take a smaller target"
    )
    modes = game.until_change.modes
    if any(len(outcome.choices) > len(LETTERS) for mode in modes for outcome in mode.outcomes):
        raise NotImplementedError(f"{game.name} has more than {len(LETTERS)} choices after a roll")
    names = (
        _title(game),
        *(mode.name for mode in modes),
        *(register.name for register in game.registers),
    )
    long = [name for name in names if len(quoted(name)) > LONGEST]
    if long:
        raise NotImplementedError(
            f"{short_repr(long[0])} is not allowed as a name: in a certificate, a name has at most {LONGEST} characters"
            " with its quotes and escapes"
        )
    if not IntegerRules(game).finishes():
        raise NotImplementedError(
            f"{game.name}: a player might be able to avoid the end of the game"
        )
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


def by_total(hold):
    """Hold values by turn total, from values by points missing with the bust value behind them, lists."""
    return [BARRED, *hold[-2:0:-1]]


class Turn(NamedTuple):
    """What the values in a turn follow from, in units."""

    mode: int  # in which it begins
    holds: list  # by turn total what a hold is worth, or minus infinity
    bust: int
    reset: int
    won: int  # a hold at the end of `holds` or above


class IntegerRules:
    """The rules of a game in integers, and as `head` and `lines` of a file.

    In `order` modes stand before those to which they lead with 0 points. A choice is (index of the next mode, points).
    Positions are (role, own, opponent), the latter two places in ``game.scores``. Tables of bounds are arrays
    (2, roles, S, S), first the lower, then the upper ones.
    """

    def __init__(self, game):
        names = {mode.name: quoted(mode.name) for mode in game.modes}
        game = game.until_change
        self.target, self.most, self.exact = game.target, game.most_points, game.finish == "exact"
        self.classes, self.scores = classes_of(game), scores_of(game)
        self.shape = len(self.classes.next_role), len(game.scores)
        first = all(
            c.points or c.mode != game.modes[0].name for mode in game.modes for c in mode.choices
        )
        self.order = [*game.order[::-1]]
        self.order.sort(key=lambda m: first and m > 0)
        self.lowest, self.longest = game.lowest, game.longest
        self.named = bool(game.registers) or not first
        last = last_turn_of(game)
        nearest = above_target(game, last) + 2 * game.most_points, game.most_paid + 1
        points = enclose_chasers(game).points
        self.above = points and max(points // 2, *nearest)
        ends = {"finish": game.finish, "above": self.above, "lowest": self.lowest}
        finishes = [f"{name} {value}" for name, value in ends.items() if value not in (0, "reach")]
        version = 2 + bool(finishes or self.named)
        self.head = [
            f"certificate {version}",
            f"game {quoted(_title(game))}",
            f"target {self.target}",
            *finishes,
        ]
        self.begins = self.classes.mode.tolist()
        commons = [lcm(*(o.probability.denominator for o in mode.outcomes)) for mode in game.modes]
        self.modes = [  # may hold, may roll, denominator, busts, resets, (weight, choices)s
            (
                mode.may_hold,
                not mode.must_hold,
                common,
                int(bust * common),
                int(reset * common),
                [(int(chance * common), choices) for chance, choices, _ in moves],
            )
            for mode, common, (bust, reset, moves) in zip(
                game.modes, commons, RationalRules(game).modes, strict=True
            )
        ]
        self.lines = []
        for f, register in enumerate(
            game.register(score) for score in game.scores[: self.scores.step] if self.named
        ):
            begin = f"begin {names[game.modes[self.classes.mode[f]].name]}"
            hold = f"hold {register.least_hold} {quoted(register.after_hold)}"
            bust = f"bust {-register.penalty:+d} {quoted(register.after_bust)}"
            self.lines.append(f"register {quoted(register.name)} {begin} {hold} {bust}")
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
        self.draw = int(ONE * last.draw)
        farthest = (self.longest + self.above) * bool(self.classes.answered.any())
        self.chances = [  # by points behind and register, the bounds of the chance of a last turn
            [
                tuple(self.value(self.last_turn(f, behind), up) for up in (False, True))
                for f in range(self.scores.step)
            ]
            for behind in range(farthest + 1)
        ]

    def wins(self, up, role, opponent):
        """What a hold is worth for one side, by points above the target."""
        if not self.classes.answered[role]:
            return [ONE] * int(self.classes.least_hold.max())
        points, register = divmod(opponent, self.scores.step)
        behind = self.chances[self.longest - points :][: self.above + 1]
        *wins, last = [ONE - chance[register][not up] for chance in behind]
        return [*wins, ONE if up else last]

    def label(self, place):
        """The scores of a place as a file has them: points, and the register if these are listed."""
        points, register = divmod(place, self.scores.step)
        return [points + self.lowest, register][: 1 + self.named]

    def turn(self, tables, up, role, own, opponent, wins=None, win=ONE, one=ONE):
        """The :class:`Turn` of the mover, for one side, given bounds of the other player's values."""
        scores, answered = self.scores, self.classes.answered[role]
        theirs = tables[1 - up][self.classes.next_role[role]][opponent]
        after, wins = (one - theirs).astype(object), wins or self.wins(up, role, opponent)
        need = self.longest - own // scores.step
        above = self.above if answered else int(scores.missing[own]) - need
        hold = hold_values(scores, own, above, after, wins).tolist()
        bust, reset, begin = hold[-1], after[scores.begin], self.begins[own % scores.step]
        won = wins[-1] if answered else win
        won = bust if self.exact and need < scores.least_hold[own] else won
        return Turn(begin, by_total(hold), bust, reset, won)

    def last_turn(self, register, behind):
        """The :class:`Turn` of a player so far behind the leader, for both sides."""
        least, paid = int(self.classes.least_hold[register]), -int(self.classes.penalty[register])
        hold = np.empty(max(behind + 1, least) + 1, dtype=object)
        last_turn(hold, least, paid, behind, self.draw, ONE)
        return Turn(self.begins[register], by_total(hold.tolist()), hold[-1], 0, ONE)

    def walk(self, turn, up, start=None, best=max):
        """The values in a turn, [turn total][mode].

        Parameters
        ----------
        turn : Turn
        up : bool
            Whether to round up.
        start : int, optional
            With what the values of modes without a hold begin above the target, until nothing changes.
        best : callable
            The value of choices.

        Returns
        -------
        values, rolls : list of list of int
            The lists of `values` go on at the end of ``turn.holds`` and above, and `rolls` is None where one must hold.
        """
        size, sign = len(turn.holds), -1 if up else 1  # x // y rounds down, -(-x // y) up
        constant = [
            sign * (busts * turn.bust + resets * turn.reset) for *_, busts, resets, _ in self.modes
        ]

        def rolled(m, total):
            value = constant[m]
            for weight, choices in self.modes[m][-1]:
                if len(choices) == 1 and best is max:
                    to, points = choices[0]
                    value += sign * weight * values[total + points][to]
                else:
                    after = [values[total + points][to] for to, points in choices]
                    value += sign * weight * best(after)
            return sign * (value // self.modes[m][2])

        start = ONE * up if start is None else start
        past = [turn.won if may_hold else start for may_hold, *_ in self.modes]
        values = [[]] * size + [past]
        values += [[turn.bust] * len(past) if self.exact else past] * self.most
        rolls = [[]] * size
        before, forced = None, [m for m, (may_hold, *_) in enumerate(self.modes) if not may_hold]
        while past != before:
            before = [*past]
            for m in forced:
                past[m] = rolled(m, size)
        for total in range(size - 1, -1, -1):
            held = turn.holds[total]
            values[total], rolls[total] = (
                [turn.bust if held == BARRED else held] * len(self.modes),
                [None] * len(self.modes),
            )
            for m in reversed(self.order):
                may_hold, may_roll, *_ = self.modes[m]
                if may_roll:
                    value = rolls[total][m] = rolled(m, total)
                    values[total][m] = held if may_hold and held > value else value
        return values, rolls

    def value(self, turn, up):
        """One bound of the value of a turn."""
        return self.walk(turn, up)[0][0][turn.mode]

    def finishes(self):
        """Whether a player who misses no win finishes, whatever else is decided, and no turn goes on for ever."""
        (roles, places), scores = self.shape, self.scores
        nothing = [0] * (self.target + self.above + 1)
        onward = [  # where holds and busts of any mode lead
            {*range(first, places, scores.step)} | {busted} & {*range(places)}
            for first, busted in zip(
                scores.after_hold + scores.least_hold * scores.step,
                scores.after_bust.tolist(),
                strict=True,
            )
        ]
        reached = closure([scores.begin], onward)
        for role in range(roles):
            stays, before = [int(own in reached) for own in range(places)], None

            def values_at(own, role=role, stays=stays):
                alone = 1 - np.array(stays) + np.zeros((2, roles, 1, 1), dtype=np.int64)
                turn = self.turn(alone, 0, role, own, 0, nothing, -1, 1)
                values, _ = self.walk(turn, False, 1, lambda after: -1 not in after and max(after))
                return values[0][turn.mode], max(values[-1])

            while stays != before:
                before = [*stays]
                for own in reversed(range(places)):
                    stays[own] = stays[own] and values_at(own)[0]
            if any(stays) or values_at(scores.begin)[1] > 0:
                return False
        return True

    def decisions(self, turns, sides):
        """All decisions of a turn, each as letters by turn total; mode by mode, first choices, then to hold or to roll.

        `turns` are the :class:`Turn`, `sides` what :meth:`walk` returns, both by side.
        """
        holds = turns[0].holds
        for m in self.order:
            may_hold, may_roll, *_, moves = self.modes[m]
            for choices in (choices for _, choices in moves if choices[1:]):
                yield "".join(
                    proved(
                        LETTERS,
                        *([values[total + k][to] for to, k in choices] for values, _ in sides),
                    )
                    for total in range(len(holds))
                )
            if may_hold and may_roll:
                yield "".join(
                    proved(
                        "hr",
                        *(
                            (turn.holds[total], rolls[total][m])
                            for turn, (_, rolls) in zip(turns, sides, strict=True)
                        ),
                    )
                    for total, held in enumerate(holds)
                    if held > BARRED
                )


def proved(letters, lows, ups):
    """The letter of the first option whose lower number is at least the upper numbers of all others, or "?"."""
    for option, low in enumerate(lows):
        if all(low >= up for other, up in enumerate(ups) if other != option):
            return letters[option]
    return OPEN


def enclose_values(rules, certificate):
    """Bounds of all values for which the equations hold exactly, an ndarray of int64, (2, roles, S, S)."""
    game = certificate.solution.game
    (roles, size), step, name = rules.shape, rules.scores.step, title_of(game)
    outwards = np.array([-1, 1])[:, None, None, None]
    found = np.stack([certificate.lower, certificate.upper]).reshape(2, roles, size, size)
    proven = np.array([int(Fraction(value) * ONE) for value in found.ravel().tolist()])
    proven = np.clip(proven.reshape(found.shape) + 2 * outwards, 0, ONE)
    tables = proven.copy()
    after_bust, next_role = rules.scores.after_bust.tolist(), rules.classes.next_role.tolist()

    def settle(node):
        """Compute the bound at a node, (up, role, own, opponent), and return it."""
        tables[node] = found = rules.value(rules.turn(tables, *node), node[0])
        return found

    def settle_cycle(cycle):
        """Solve the bounds on a cycle of busts, of which the first one is an upper bound."""

        def once(bound):
            tables[cycle[0]] = bound
            return [settle(node) for node in reversed(cycle)][-1]

        upper, before, wider = int(tables[cycle[0]]), None, 0
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

    def settle_all(todo):
        """Compute all bounds at pairs of scores with one sum, a dict of nodes, in the order opposite to the busts."""
        while todo:
            node, path = next(iter(todo)), []
            while todo.pop(node, False):
                path.append(node)
                up, role, own, opponent = node
                node = 1 - up, next_role[role], opponent, after_bust[own]
            if node in path:
                cycle = path[path.index(node) :]
                del path[-len(cycle) :]
                settle_cycle(cycle if cycle[0][0] else [*cycle[1:], cycle[0]])
            for node in reversed(path):
                settle(node)

    levels = {}
    for own, opponent in product(range(size), repeat=2):
        for role, up in product(range(roles), (1, 0)):
            levels.setdefault(own // step + opponent // step, {})[up, role, own, opponent] = True
    wider = 0
    for _ in range(ROUNDS):
        before = tables.copy()
        for total in progress(sorted(levels, reverse=True), f"{name}, in integers", "diagonal"):
            settle_all(levels[total].copy())
        out = ((tables - before) * outwards).max()
        if not (game.resets or game.has_penalties) or (tables == before).all():
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
