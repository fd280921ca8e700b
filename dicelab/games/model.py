"""The rules of a game as data: Choice, Outcome, Mode and Game.

A *game* is a race of turns to a target. A *turn* is a random walk over a small graph of *modes*. In every mode the
player may roll, and may hold if the mode allows it and the turn total is above 0. Each outcome of a roll has a
probability and one of four results:

``"bust"``
    The turn ends and its points are lost.
``"reset"``
    The turn ends and the player's banked points are lost too.
``"lose"``
    The game ends, and the other player has won. It is for two players, for "win" and with the finish "reach".
choices
    One or more :class:`Choice`. The player takes one: it adds points (0 or more) to the turn total and names the mode
    in which the turn goes on.

A roll that adds no point and stays in its mode changes nothing: it is rolled again. A mode without outcomes is one in
which the player must hold.

Every turn begins with a roll in the first mode. The roll may be only a *choice before the roll*: a mode without a hold
whose one outcome is certain and offers choices of 0 points, for example how many dice to take.

Between turns a player has a score, and in some games also a *register*: what else the rules remember of the player's
earlier turns, for example whether the player has opened, or how many turns in a row came to nothing. A
:class:`~dicelab.games.registers.Register` says how a hold and a bust change it, what a bust costs or scores, and which
holds are allowed.

Probabilities are :class:`fractions.Fraction`, and an outcome is a part of a distribution, never a sample. All classes
check their fields: a bad value raises a ValueError that names the field, the value and what is allowed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from graphlib import CycleError, TopologicalSorter
from itertools import combinations_with_replacement, islice, product

from .._shown import Shown, in_words, shorten, title_of
from .._validation import (
    check_bool,
    check_int,
    check_name,
    check_option,
    check_probability,
    check_sequence,
    check_type,
    invalid,
    short_repr,
)
from .registers import PLAIN, Register, Score

__all__ = [
    "FAIR",
    "LAST_TURN",
    "Choice",
    "Game",
    "Mode",
    "Outcome",
    "Probability",
    "check_game",
    "closure",
    "outcomes_of",
]

RESULTS = BUST, RESET, LOSE = "bust", "reset", "lose"  # of an outcome that ends the turn
# What is accepted as one; it is stored as a Fraction.
Probability = Fraction | Decimal | float | str
PASSING = "roll or pass", "pass"  # the modes of a game in which a player may pass
LAST_TURN = ("equal turns", "last licks")  # the finishes with a last turn for the other player
FINISHES = ("reach", "exact", *LAST_TURN)


def _as_tuple(value, kind, field, least=1):
    """Read `value` as a tuple of at least `least` instances of `kind`; a single instance becomes a tuple of one."""
    items = (value,) if isinstance(value, kind) else value
    if (
        not isinstance(items, tuple | list)
        or len(items) < least
        or not all(isinstance(item, kind) for item in items)
    ):
        raise invalid(field, value, f"one or more of {kind.__name__}")
    return tuple(items)


def closure(starts, onward):
    """All that can be reached from `starts`, a set; `onward` has the next ones by each."""
    found = set(starts)
    while more := {to for each in found for to in onward[each]} - found:
        found |= more
    return found


def passing(modes, registers):
    """Modes in which a turn begins with a choice: to roll, or to pass, which is a bust for certain."""
    if any(r.penalty or r.mode or r.after_bust != r.name for r in registers):
        raise ValueError(
            "may_pass: True is not allowed with registers that a bust changes, costs or pays, or with their own modes"
        )
    begin, passes = PASSING
    either = Outcome(1, [Choice(0, modes[0].name), Choice(0, passes)])
    return (
        Mode(begin, either, may_hold=False),
        *modes,
        Mode(passes, Outcome(1, BUST), may_hold=False),
    )


def _check_faces(value, field):
    """Read `value` as a tuple of faces, integers of at least 0."""
    return tuple(
        check_int(face, f"{field}[{k}]", 0)
        for k, face in enumerate(check_sequence(value, field, "a sequence of faces"))
    )


def plain_finish(game):
    """The same game without a last turn: the player who banks the target or more has won."""
    return replace(game, finish="reach") if game.finish in LAST_TURN else game


def roles_of(game, players=2):
    """In how many roles players move: in "equal turns" each has its place in the round, otherwise all are alike."""
    return players if game.finish == "equal turns" else 1


def read_role(game, role, others):
    """The role of the player to move, with these scores of all others in order of play; None in a game without roles.

    Where none is given, 0; where somebody has reached the target, that of the last in the round. ValueError if somebody
    who comes later in the round has reached it.
    """
    if game.finish != "equal turns":
        return check_type(
            role, "role", type(None), f"None in {game.name}: only 'equal turns' has roles"
        )
    ahead = [k for k, score in enumerate(others) if score >= game.target]
    role = len(others) * bool(ahead) if role is None else check_int(role, "role", 0, len(others))
    if ahead and ahead[0] < len(others) - role:
        raise invalid(
            "opponent",
            others[ahead[0]],
            f"a score below the target, {game.with_unit(game.target)}: this player comes later in the round",
        )
    return role


def check_game(value, field="game", last_turn=True, registers=True):
    """Read `value` as a :class:`Game`.

    NotImplementedError for a finish with a last turn, in which turns go on above the target, or for registers, if the
    caller cannot take them; who takes no last turn takes no game either that a roll can lose.
    """
    game = check_type(value, field, Game, "a Game, for example dicelab.pig(), or solution.game")
    if game.finish in LAST_TURN and not last_turn:
        raise NotImplementedError(
            f"{field}: {game.name} with finish={game.finish!r} is not supported here"
        )
    if (game.loses or game.points) and not last_turn:
        said = (
            "whose points depend on the scores" if game.points else "which a roll can lose at once"
        )
        raise NotImplementedError(f"{field}: {game.name}, {said}, is not supported here")
    if game.registers and not registers:
        raise NotImplementedError(f"{field}: {game.name} with registers is not supported here")
    return game


@dataclass(frozen=True)
class Choice:
    """One way to continue the turn after a roll.

    Parameters
    ----------
    points : int
        Points added to the turn total, at least 0.
    mode : str
        The name of the next mode. The :class:`Game` checks that this mode exists.
    aside : tuple of int
        The faces of the dice that are set aside, in games with this rule. Solvers ignore it.

    Examples
    --------
    >>> Choice(points=3, mode="roll").points
    3
    """

    points: int
    mode: str
    aside: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self):
        vars(self).update(
            points=check_int(self.points, "points", 0),
            mode=check_name(self.mode, "mode", "the name of a mode"),
            aside=_check_faces(self.aside, "aside"),
        )

    @property
    def name(self) -> str:
        """The choice in words: "keep 1 5", or, if no dice are set aside, the points, if any, and the next mode."""
        if self.aside:
            return f"keep {' '.join(map(str, self.aside))}"
        return f"take {self.points}, {self.mode}" if self.points else self.mode


@dataclass(frozen=True)
class Outcome:
    """One outcome of a roll.

    Parameters
    ----------
    probability : Fraction
        In (0, 1]; :func:`dicelab._validation.check_fraction` lists the accepted types.
    result : {"bust", "reset", "lose"}, Choice or sequence of Choice
        Stored as a string or as a tuple of Choice.
    rolls : tuple of tuple of int
        The rolls that lead to this outcome, if the game lists them: faces in ascending order, with dice of several
        kinds among those of each kind. Solvers ignore them.

    Examples
    --------
    >>> Outcome("1/6", Choice(3, "roll")).probability
    Fraction(1, 6)
    >>> Outcome("1/6", "bust").choices
    ()
    """

    probability: Fraction
    result: str | tuple[Choice, ...]
    rolls: tuple[tuple[int, ...], ...] = field(compare=False)

    def __init__(
        self,
        probability: Probability,
        result: str | Choice | Sequence[Choice],
        rolls: Sequence[Sequence[int]] = (),
    ) -> None:
        chance = check_probability(probability)
        if chance == 0:
            raise invalid(
                "probability", probability, "a positive probability, or leave out this outcome"
            )
        vars(self).update(
            probability=chance,
            result=check_option(result, "result", RESULTS)
            if isinstance(result, str)
            else _as_tuple(result, Choice, "result"),
            rolls=tuple(
                _check_faces(roll, "rolls")
                for roll in check_sequence(rolls, "rolls", "a sequence of rolls")
            ),
        )

    def __repr__(self):
        return f"<Outcome {in_words(self.probability)}: {shorten(str(self), 80)}>"

    def __str__(self):
        """The result in words."""
        return (
            " or ".join(f"+{c.points} to {c.mode}" if c.points else c.mode for c in self.choices)
            or self.result
        )

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices, a tuple; empty for a bust, a reset or a loss."""
        return () if isinstance(self.result, str) else self.result

    @property
    def scoring(self) -> tuple[int, ...]:
        """The faces of all scoring dice, a tuple; empty if the game does not set dice aside."""
        return max((choice.aside for choice in self.choices), key=len, default=())


@dataclass(frozen=True)
class Mode(Shown):
    """A state of the dice within a turn.

    Parameters
    ----------
    name : str
    outcomes : sequence of Outcome
        The outcomes of a roll in this mode. Their probabilities sum to exactly 1. None, (), if the player must hold.
    may_hold : bool
        Whether the player may hold in this mode.
    dice : int or tuple of int, optional
        The number of dice in hand, in games in which dice are set aside; with dice of several kinds, the number of each
        kind. Solvers ignore it.

    Examples
    --------
    >>> coin = Mode("roll", [Outcome("1/2", "bust"), Outcome("1/2", Choice(1, "roll"))])
    >>> coin.chance("bust")
    Fraction(1, 2)
    >>> Mode("stop", ())
    <Mode "stop": the player must hold>
    """

    name: str
    outcomes: tuple[Outcome, ...]
    may_hold: bool
    dice: int | tuple[int, ...] | None = field(compare=False)

    def __init__(
        self,
        name: str,
        outcomes: Outcome | Sequence[Outcome],
        may_hold: bool = True,
        dice: int | Sequence[int] | None = None,
    ) -> None:
        if dice is not None:
            several = isinstance(dice, tuple | list)
            dice = _check_faces(dice, "dice") if several else check_int(dice, "dice", 1)
        vars(self).update(
            name=check_name(name, "name", "a non-empty name"),
            outcomes=_as_tuple(outcomes, Outcome, "outcomes", least=0),
            may_hold=check_bool(may_hold, "may_hold"),
            dice=dice,
        )
        total = sum(outcome.probability for outcome in self.outcomes)
        if self.outcomes and total != 1:
            raise ValueError(
                f"outcomes: the probabilities of mode {name!r} sum to {total}, not to 1"
            )

    def __getstate__(self):
        """The fields alone: what is computed from them does not belong to a pickle, nor to the identity of a game."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self):
        if self.must_hold:
            return f'<Mode "{shorten(self.name)}": the player must hold>'
        return (
            f'<Mode "{shorten(self.name)}": a roll busts with probability {in_words(self.chance(BUST))}, adds at most'
            f" {self.most_points}{'' if self.may_hold else ', no hold'}>"
        )

    def chance(self, result: str) -> Fraction:
        """The probability that a roll ends the turn with `result`, "bust", "reset" or "lose"."""
        return sum(
            (outcome.probability for outcome in self.outcomes if outcome.result == result),
            Fraction(0),
        )

    @property
    def kinds(self) -> tuple[int, ...]:
        """The number of dice in hand of each kind, a tuple; empty where it is not recorded."""
        return self.dice if isinstance(self.dice, tuple) else (self.dice,) if self.dice else ()

    @property
    def must_hold(self) -> bool:
        """Whether the mode has no outcomes, so that the player must hold."""
        return not self.outcomes

    @property
    def asks(self) -> bool:
        """Whether the player takes a choice before the roll here: no hold, one sure outcome, choices of 0 points."""
        return (
            len(self.outcomes) == 1
            and not self.may_hold
            and bool(self.choices)
            and not self.most_points
        )

    def repeats(self, outcome: Outcome) -> bool:
        """Whether an outcome changes nothing: its single choice stays in this mode and adds no point."""
        return [(choice.points, choice.mode) for choice in outcome.choices] == [(0, self.name)]

    @cached_property
    def changes(self) -> tuple[Outcome, ...]:
        """The outcomes of a roll that is repeated until something changes, a tuple.

        >>> coin = Outcome("1/2", "bust"), Outcome("1/4", Choice(1, "roll")), Outcome("1/4", Choice(0, "roll"))
        >>> Mode("roll", coin).changes
        (<Outcome 2/3: bust>, <Outcome 1/3: +1 to roll>)
        """
        left = tuple(outcome for outcome in self.outcomes if not self.repeats(outcome))
        chance = sum(outcome.probability for outcome in left)
        return (
            left
            if chance == 1
            else tuple(replace(o, probability=o.probability / chance) for o in left)
        )

    @property
    def choices(self) -> list[Choice]:
        """All choices of all outcomes, a list."""
        return [choice for outcome in self.outcomes for choice in outcome.choices]

    @property
    def most_points(self) -> int:
        """The largest number of points that a roll in this mode can add to the turn total, an int."""
        return max((choice.points for choice in self.choices), default=0)


@lru_cache(maxsize=256)
def _graph_of(modes, starts):
    """The attributes of a :class:`Game` that follow from how modes lead to one another, a dict.

    Turns begin in the modes named `starts`. All is checked as Game says, and is the same at every target.
    """
    index = {mode.name: m for m, mode in enumerate(modes)}
    if len(index) < len(modes):
        raise ValueError("modes: two modes have the same name")
    for mode in modes:
        for choice in mode.choices:
            check_option(choice.mode, f"modes: a choice in {mode.name!r}", index)
    onward = {mode.name: sorted({choice.mode for choice in mode.choices}) for mode in modes}
    free = {  # the modes to which a mode leads with 0 points, but for outcomes that change nothing
        m.name: [c.mode for outcome in m.changes for c in outcome.choices if not c.points]
        for m in reversed(modes)
    }
    try:
        order = tuple(index[name] for name in TopologicalSorter(free).static_order())
    except CycleError as error:
        cycle = " -> ".join(map(repr, reversed(error.args[1])))
        raise ValueError(f"modes: a turn can go round {cycle} without adding a point") from None
    reached = closure(starts, onward)
    scoring = [c.mode for mode in modes if mode.name in reached for c in mode.choices if c.points]
    with_points = closure(scoring, onward)
    if stops := [name for name in sorted(closure(starts, free)) if not modes[index[name]].changes]:
        raise ValueError(
            f"modes: a turn enters {stops[0]!r} without a point, but there one must hold"
        )
    if not any(mode.may_hold and mode.name in with_points for mode in modes):
        raise ValueError(
            "modes: there is no way to score; a roll must lead to a mode in which the player may hold"
        )
    ends = {m.name for m in modes if m.may_hold or any(map(m.chance, RESULTS))}
    if stuck := [name for name in sorted(reached) if ends.isdisjoint(closure([name], onward))]:
        raise ValueError(
            f"modes: a turn that is in {stuck[0]!r} never ends; add a hold, a bust or a reset"
        )
    return {
        "order": order,
        "reached_with_points": tuple(sorted(with_points)),
        "resets": any(mode.chance(RESET) for mode in modes if mode.name in reached),
        "loses": any(mode.chance(LOSE) for mode in modes if mode.name in reached),
        "most_points": max(mode.most_points for mode in modes),
        "_index": index,
        "_onward": onward,
        "_starts": starts,
    }


@dataclass(frozen=True)
class Game(Shown):
    """The rules of a race of turns.

    Parameters
    ----------
    name : str
    target : int
        The points that win the race, at least 1.
    modes : sequence of Mode
        Every turn begins in the first. As many as the memory allows: solvers say beforehand.
    finish : {"reach", "exact", "equal turns", "last licks"}
        With "reach", the target or more points win. With "exact", a choice that overshoots the target is a bust. The
        other two give the other players a last turn, see the notes. All go with registers.
    chip : int
        The points that one unit of all scores stands for, at least 1. If it is more than 1, scores, turn totals and the
        target count chips. Solvers ignore it; whatever people read says both, chips and points.
    registers : sequence of Register
        What a player can remember between turns; both begin in the first. By default there is nothing to remember.
    lowest : int
        The lowest score, at most 0. A penalty that would lead below leads there.
    may_pass : bool
        Whether a player may pass: then a turn begins in a mode "roll or pass" with this choice, and to pass is a mode
        that busts for certain. A strategy passes that holds at a turn total of 0. Not with registers that a bust
        changes, costs or pays.
    points : callable, optional
        ``points(own, opponent, rolled)`` is how many points a turn banks that ends with `rolled` points below the
        target, a whole number of at least 1; by default `rolled`. `own` is the score before. It is for one player or
        two, the finish "reach", no registers, and turns that a player ends by no choice, as those of Hog.

    Attributes
    ----------
    order : tuple of int
        The indices of the modes, each after those of the other modes to which it leads with 0 points. At every turn
        total, modes must be evaluated in this order. Where no choice adds 0 points the last mode comes first.
    reached_with_points : tuple of str
        The names of the modes in which a turn can be when it has points, so also at the target and beyond it.
    resets : bool
        Whether a turn can end in a reset.
    loses : bool
        Whether a turn can lose the game at once.
    most_points : int
        The largest number of points that one roll can add to the turn total.

    Raises
    ------
    ValueError
        If a field is not as described; the message names the field and the first error. A game is also refused if no
        turn can bank a point, if a turn can enter a mode from which it never ends, if it can go round several modes
        without adding a point, or if it can enter a mode in which one must hold before it has a point.

    Notes
    -----
    A die that never busts makes a game: the first player wins in one turn.

    With "equal turns" and "last licks", a player whose score and turn total reach the target may hold, or roll on for a
    higher score and risk the points of the turn. A mode without a hold must be left by a roll, there as everywhere.

    "equal turns"
        All players have the same number of turns. If a player banks the target or more, those who come later in the
        round have one more turn, in order of play. After the last one the game is over. The highest score wins. Who
        have it together share the win in equal parts; for two that is a draw, half a win for each.
    "last licks"
        The player who first banks the target or more sets the score to beat. The other player then has exactly one
        more turn, whoever moved first in the game, and wins with a higher score. With a lower or an equal score the
        player who set it wins. Of more players each of the others has one more turn, in order of play, to beat the
        highest score so far.

    In a last turn only the score at its end counts: a bust, unless it scores enough, a reset and a hold below the score
    to beat all lose.
    "last licks" is the customary rule of Farkle and Ten Thousand: after a player has reached 10,000, each other one has
    one last turn to beat, top or surpass that score. Printed rules seldom mention ties. We read "to beat" as to exceed,
    so that a tie stays with the player who was there first.

    Examples
    --------
    >>> from dicelab import solve
    >>> coin = Mode("roll", [Outcome("1/2", "bust"), Outcome("1/2", Choice(1, "roll"))])
    >>> solve(Game("One coin", target=3, modes=[coin]), exact=True).value
    Fraction(6, 11)
    """

    name: str
    target: int
    modes: Sequence[Mode]
    finish: str
    chip: int = field(compare=False)
    registers: Sequence[Register]
    lowest: int
    points: Callable[[int, int, int], int] | None
    order: tuple[int, ...] = field(init=False, compare=False)
    reached_with_points: tuple[str, ...] = field(init=False, compare=False)
    resets: bool = field(init=False, compare=False)
    loses: bool = field(init=False, compare=False)
    most_points: int = field(init=False, compare=False)
    _index: dict[str, int] = field(init=False, compare=False)
    _onward: dict[str, list[str]] = field(init=False, compare=False)
    _starts: tuple[str, ...] = field(init=False, compare=False)

    def __init__(
        self,
        name: str,
        target: int,
        modes: Mode | Sequence[Mode],
        finish: str = "reach",
        *,
        chip: int = 1,
        registers: Register | Sequence[Register] = (),
        lowest: int = 0,
        points: Callable[[int, int, int], int] | None = None,
        may_pass: bool = False,
    ) -> None:
        modes = _as_tuple(modes, Mode, "modes")
        registers = _as_tuple(registers, Register, "registers", least=0)
        vars(self).update(
            points=points,
            name=check_name(name, "name", "a non-empty name"),
            target=check_int(target, "target", 1),
            chip=check_int(chip, "chip", 1),
            finish=check_option(finish, "finish", FINISHES),
            modes=passing(modes, registers) if check_bool(may_pass, "may_pass") else modes,
            registers=registers,
        )
        names = [register.name for register in self.registers]
        if len({*names}) < len(names):
            raise ValueError(f"registers: two have the same name, {names}")
        first = self.modes[0].name
        for register in self.registers:
            said = f"registers: of {register.name!r} the"
            check_option(register.after_hold, f"{said} after_hold", names)
            check_option(register.after_bust, f"{said} after_bust", names)
            check_option(register.mode or first, f"{said} mode", [m.name for m in self.modes])
            check_int(register.least_hold, f"{said} least_hold", 1, self.target)
        starts = sorted({register.mode or first for register in self.registers or (PLAIN,)})
        least = None if self.has_penalties else 0
        vars(self).update(
            _graph_of(self.modes, tuple(starts)), lowest=check_int(lowest, "lowest", least, 0)
        )
        if self.loses and self.finish != "reach":
            raise invalid("finish", finish, "'reach' in a game that a roll can lose at once")
        chosen = any(mode.may_hold and not mode.must_hold for mode in self.modes)
        if points and (chosen or self.registers or self.finish != "reach"):
            raise ValueError(
                f"points: {name} must have the finish 'reach', no registers, and no mode in which one may hold or roll"
            )

    __getstate__ = Mode.__getstate__

    def __repr__(self):
        first = self.modes[self.mode(self.register(self.after_reset).mode)]
        said = (
            "a turn begins with a choice"
            if first.asks
            else f"the first roll busts with probability {in_words(first.chance(BUST))}"
        )
        modes = f", {len(self.modes)} modes" if len(self.modes) > 1 else ""
        return f"<Game {title_of(self)}: {said}, a roll adds at most {self.most_points}{modes}>"

    def __str__(self):
        """The rules in words, one line for each mode and each register."""
        lines = [title_of(self)]
        for mode in self.modes:
            outcomes = (
                f"choose {mode.outcomes[0]}"
                if mode.asks
                else ", ".join(f"{o.probability} {o}" for o in mode.outcomes) or "the turn ends"
            )
            lines.append(
                f"  {mode.name}: {outcomes}" + ("" if mode.may_hold or mode.asks else "; no hold")
            )
        lines += [f"  register {register.name}: {register}" for register in self.registers]
        lines += [f"  what a turn banks says {getattr(self.points, '__name__', 'a function')}"] * (
            self.points is not None
        )
        return "\n".join(
            [*lines, *([f"  no score falls below {self.lowest}"] if self.lowest else [])]
        )

    @property
    def unit(self) -> str:
        """What scores count, for labels: "points", "chips of 50 points"."""
        return "points" if self.chip == 1 else f"chips of {self.chip:,} points"

    def with_unit(self, score: float | Fraction, show: Callable[..., str] = "{:,}".format) -> str:
        """A number of points, or of chips and the points they stand for; ``show`` makes a number text.

        Of a Score the register is said, too.

        >>> from dicelab import pig, ten_thousand
        >>> pig().with_unit(12), ten_thousand().with_unit(12), pig().with_unit(Score(12, "opened"))
        ('12 points', '12 chips (600 points)', '12 points, opened')
        """
        points = score * self.chip
        text = f"{show(points)} point{'s' if points != 1 else ''}"
        text = text if self.chip == 1 else f"{show(score)} chip{'s' if score != 1 else ''} ({text})"
        return f"{text}, {score.register}" if isinstance(score, Score) else text

    @cached_property
    def scores(self) -> Sequence[int]:
        """All banked scores, in ascending order: 0, …, target - 1; with registers a tuple of :class:`Score`."""
        points = range(self.lowest, self.target)
        return (
            tuple(Score(each, register.name) for each in points for register in self.registers)
            if self.registers
            else points
        )

    def index(self, score: int, field: str = "own") -> int:
        """The place of a score in :attr:`scores`; ValueError, which names the argument `field`, if it is none of them.

        A plain int stands for a Score with the first register.
        """
        points = check_int(score, field, self.lowest, self.target - 1)
        names = [register.name for register in self.registers or (PLAIN,)]
        register = getattr(score, "register", names[0])
        if register not in names:
            raise invalid(
                field, score, f"a score whose register is one of {', '.join(map(repr, names))}"
            )
        return (points - self.lowest) * len(names) + names.index(register)

    def register(self, score: int) -> Register:
        """The register of a player with this score; ``Register("none")``, which changes nothing, in a plain game."""
        return (
            self.registers[self.index(score, "score") % len(self.registers)]
            if self.registers
            else PLAIN
        )

    def missing(self, score: int) -> int:
        """The points that a turn must bank to reach the target from a score, an int.

        At least the register's least hold, unless the target must be hit exactly: then fewer points are a bust.
        """
        least = 0 if self.finish == "exact" else self.register(score).least_hold
        return max(self.target - int(score), least)

    def after_bust(self, score: int) -> int:
        """The score after a bust; the target or more, if the bust finishes."""
        register = self.register(score)
        points = max(score - register.penalty, self.lowest)
        points = min(points, self.target) if self.finish == "exact" else points
        return Score(points, register.after_bust) if self.registers else points

    @cached_property
    def has_penalties(self) -> bool:
        """Whether some bust costs points."""
        return any(register.penalty > 0 for register in self.registers)

    def after_hold(self, score: int, points: int) -> int:
        """The score after a hold, below the target."""
        if self.points:
            raise NotImplementedError(f"{self.name}: points depend on both scores")
        return (
            Score(score + points, self.register(score).after_hold)
            if self.registers
            else score + points
        )

    @property
    def may_pass(self) -> bool:
        """Whether a turn begins with the choice to roll or to pass."""
        return (self.modes[0].name, self.modes[-1].name) == PASSING

    @property
    def counts_needs(self) -> bool:
        """Whether values depend only on the points that all players still need."""
        return not (self.resets or self.registers or self.finish in LAST_TURN or self.points)

    @property
    def after_reset(self) -> int:
        """The score after a reset."""
        return Score(0, self.registers[0].name) if self.registers else 0

    @cached_property
    def longest(self) -> int:
        """The most points that a player can be short of the target, an int."""
        return self.target - self.lowest

    def reached(self, start: str | None = None) -> list[str]:
        """The names of the modes that a turn can enter from mode `start`, by default from its start, a sorted list."""
        starts = self._starts if start is None else [self.modes[self.mode(start)].name]
        return sorted(closure(starts, self._onward))

    @cached_property
    def until_change(self) -> Game:
        """The same game with every roll repeated until something changes; see :attr:`Mode.changes`."""
        return (
            replace(self, modes=[replace(mode, outcomes=mode.changes) for mode in self.modes])
            if any(len(mode.changes) < len(mode.outcomes) for mode in self.modes)
            else self
        )

    def mode(self, name: str | None = None) -> int:
        """The index of the mode called `name`, by default of the first mode; ValueError if no mode has this name."""
        return 0 if name is None else self._index[check_option(name, "mode", self._index)]

    def classify_roll(self, roll: Sequence[int], mode: str | None = None) -> tuple[Mode, Outcome]:
        """Find the mode and the outcome of a given roll, in a game in which dice are set aside.

        Parameters
        ----------
        roll : sequence of int
            The faces in any order; with dice of several kinds, first those of the first kind, and so on.
        mode : str, optional
            The name of the mode in which the dice are rolled. By default their number determines it.

        Returns
        -------
        tuple of Mode and Outcome

        Raises
        ------
        ValueError
            If a face is not in 1, …, 6, if no mode has this number of dice, or if several have it and `mode` is None.
        """
        given = check_sequence(roll, "roll", "the faces of all dice, for example [1, 5, 5]")
        asked = self.modes if mode is None else (self.modes[self.mode(mode)],)
        fitting = [found for found in asked if sum(found.kinds) == len(given) > 0]
        if len(fitting) != 1:
            numbers = ", ".join(str(sum(found.kinds)) for found in asked if found.kinds)
            raise ValueError(
                f"roll: {short_repr(given)} is not allowed; numbers of dice that are rolled in"
                f" {mode or self.name}: {numbers or 'not recorded'}; where several modes have the same, give the mode"
            )
        dice = (check_int(face, "roll", 1) for face in given)
        faces = tuple(face for number in fitting[0].kinds for face in sorted(islice(dice, number)))
        for outcome in fitting[0].outcomes:
            if faces in outcome.rolls:
                return fitting[0], outcome
        raise ValueError(f"roll: {short_repr(given)} is not allowed; faces are 1, …, 6")


# Rolls of several dice


FAIR = {face: Fraction(1, 6) for face in range(1, 7)}


def outcomes_of(dice, result_of):
    """The outcomes of a roll; rolls with the same result are merged.

    Parameters
    ----------
    dice : sequence of pair
        A die, which maps faces to probabilities, and how many of them are rolled; a pair for each kind of dice.
    result_of : callable
        ``result_of(roll)`` is the result of a roll: a tuple of faces, in ascending order among the dice of each kind.

    Returns
    -------
    tuple of Outcome
    """
    merged = {}
    for parts in product(*(combinations_with_replacement(die, number) for die, number in dice)):
        chance = math.prod(
            math.factorial(len(part))
            // math.prod(map(math.factorial, Counter(part).values()))
            * math.prod(map(die.get, part))
            for part, (die, _) in zip(parts, dice, strict=True)
        )
        result = result_of(sum(parts, ()))
        # By its repr, as choices that set aside different dice compare equal.
        merged.setdefault(repr(result), (result, {}))[1][sum(parts, ())] = chance
    return tuple(
        Outcome(sum(chances.values()), result, tuple(chances))
        for result, chances in merged.values()
    )
