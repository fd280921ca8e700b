"""Rules as data: what a turn is made of.

A *game* is a race of turns to a target. A *turn* is a random walk over a small graph of *modes*. In a mode the
player may roll, and, where the mode allows it and the turn total is above zero, hold. Each outcome of a roll has
a probability and is one of three things:

``"bust"``
    the turn ends and its points are lost;
``"reset"``
    the turn ends and the player's banked points are lost too;
choices
    one or more :class:`Choice`, of which the player takes one: points for the turn total (at least 1) and the
    mode in which the turn goes on.

Every turn begins with a roll in the first mode. This module knows nothing of solvers, arrays or figures: a
probability is a :class:`fractions.Fraction`, and an outcome is never a sample.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from .doors import (
    as_flag,
    as_items,
    as_kind,
    as_name,
    as_one_of,
    as_probability,
    as_whole,
    check_denominator,
    in_short,
    refusal,
    shown,
)

__all__ = ["Choice", "Game", "Mode", "Outcome", "as_game", "decisions_of"]

BUST, RESET = "bust", "reset"
FINISHES = ("reach", "exact")
MOST_MODES = 100


def _as_tuple(value, kind, field):
    """`value` as a non-empty tuple of `kind`; a single one counts as a tuple of one."""
    items = (value,) if isinstance(value, kind) else value
    if not isinstance(items, tuple | list) or not items or not all(isinstance(item, kind) for item in items):
        raise refusal(field, value, f"one or more of {kind.__name__}")
    return tuple(items)


def _faces(value, field):
    """`value` as a tuple of faces, whole numbers of at least 0."""
    if (
        type(value) is tuple
        and set(map(type, value)) <= {int}
        and 0 <= min(value, default=0) <= max(value, default=0) < 10**9
    ):
        return value  # as most are
    faces = as_items(value, field, "a sequence of faces")
    return tuple(as_whole(face, f"{field}[{k}]", 0) for k, face in enumerate(faces))


def as_game(value, field="game"):
    """Read `value` as a :class:`Game`."""
    return as_kind(value, field, Game, "a Game, for example dicelab.pig()")


@dataclass(frozen=True)
class Choice:
    """One way to go on after a roll: `points` (int, at least 1) for the turn total, and the next `mode` (its name).

    Where dice are set aside, `aside` says which, as a tuple of faces; solvers do not look at it.

    Raises
    ------
    ValueError
        If the points are no whole number of at least 1, the mode is no name, or faces are none. That the mode exists is
        for the :class:`Game` to check.
    """

    points: int
    mode: str
    aside: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self):
        object.__setattr__(self, "points", as_whole(self.points, "points", 1))
        as_name(self.mode, "mode", "the name of a mode")
        object.__setattr__(self, "aside", _faces(self.aside, "aside"))

    @property
    def name(self):
        """What a player who makes it says: "keep 1 5"; where no dice are set aside, points and mode."""
        return f"keep {' '.join(map(str, self.aside))}" if self.aside else f"take {self.points}, {self.mode}"


@dataclass(frozen=True)
class Outcome:
    """One outcome of a roll.

    Parameters
    ----------
    probability : Fraction
        In (0, 1]; see :func:`dicelab.doors.as_fraction` for what is read as one.
    result : {"bust", "reset"}, Choice or sequence of Choice
    rolls : tuple of tuple of int
        The rolls that lead to it, where they are known: faces, in ascending order. Solvers do not look at them.

    Raises
    ------
    ValueError
        If the probability is none or 0, the result is none of these, or the rolls are none.
    """

    probability: Fraction
    result: str | tuple[Choice, ...]
    rolls: tuple[tuple[int, ...], ...] = field(default=(), compare=False)

    def __post_init__(self):
        probability = as_probability(self.probability)
        if probability == 0:
            said = f"probability: {shown(self.probability)} is not allowed"
            raise ValueError(f"{said}; leave out an outcome that cannot happen")
        object.__setattr__(self, "probability", probability)
        if isinstance(self.result, str) and self.result not in (BUST, RESET):
            raise refusal("result", self.result, "'bust', 'reset' or choices")
        if not isinstance(self.result, str):
            object.__setattr__(self, "result", _as_tuple(self.result, Choice, "result"))
        rolls = as_items(self.rolls, "rolls", "a sequence of rolls")
        object.__setattr__(self, "rolls", tuple(_faces(roll, f"rolls[{k}]") for k, roll in enumerate(rolls)))

    def __str__(self):
        """What happens, in words."""
        return " or ".join(f"+{c.points} to {c.mode}" for c in self.choices) or self.result

    @property
    def choices(self):
        """The choices, a tuple; empty for a bust or a reset."""
        return () if isinstance(self.result, str) else self.result

    @property
    def scoring(self):
        """The most dice that can be set aside, a tuple of faces; empty where none are."""
        return max((choice.aside for choice in self.choices), key=len, default=())


@dataclass(frozen=True)
class Mode:
    """A state of the dice within a turn: its name, the outcomes of a roll, and whether the player may hold in it.

    Where dice are set aside, `dice` is how many are rolled; solvers do not look at it.

    Raises
    ------
    ValueError
        If the name is empty, an outcome, `may_hold` or `dice` is none, or the probabilities do not sum to exactly 1.
    """

    name: str
    outcomes: tuple[Outcome, ...]
    may_hold: bool = True
    dice: int | None = field(default=None, compare=False)

    def __post_init__(self):
        as_name(self.name, "name", "a mode a name")
        as_flag(self.may_hold, "may_hold")
        if self.dice is not None:
            object.__setattr__(self, "dice", as_whole(self.dice, "dice", 1))
        object.__setattr__(self, "outcomes", _as_tuple(self.outcomes, Outcome, "outcomes"))
        check_denominator((outcome.probability for outcome in self.outcomes), "outcomes")
        total = sum(outcome.probability for outcome in self.outcomes)
        if total != 1:
            raise ValueError(f"outcomes: the probabilities of mode {self.name!r} sum to {in_short(total)}, not to 1")

    def chance(self, result):
        """The probability that a roll ends the turn with `result`, "bust" or "reset"."""
        return sum((outcome.probability for outcome in self.outcomes if outcome.result == result), Fraction(0))

    @property
    def choices(self):
        """All choices of all outcomes, a list."""
        return [choice for outcome in self.outcomes for choice in outcome.choices]


@dataclass(frozen=True)
class Game:
    """The rules of a race of turns.

    Parameters
    ----------
    name : str
    target : int
        Points that win, at least 1.
    modes : sequence of Mode
        At most 100. The turn begins in the first.
    finish : {"reach", "exact"}
        "reach": the target or more wins. "exact": overshooting the target ends the turn with nothing.

    Raises
    ------
    ValueError
        Naming the field and the first thing wrong with it. Also refused: a turn that can never bank a point, and a
        mode in which a turn, once there, never ends.

    Notes
    -----
    A die that never busts is a game: the first player wins in one turn. One that always busts is none.
    """

    name: str
    target: int
    modes: tuple[Mode, ...]
    finish: str = "reach"

    def __post_init__(self):
        as_name(self.name, "name", "the game a name")
        object.__setattr__(self, "target", as_whole(self.target, "target", 1))
        as_one_of(self.finish, "finish", FINISHES)
        object.__setattr__(self, "modes", _as_tuple(self.modes, Mode, "modes"))
        names = [mode.name for mode in self.modes]
        if len(names) > MOST_MODES:
            raise ValueError(f"modes: {len(names):,} of them are not allowed; give at most {MOST_MODES}")
        for mode in self.modes:
            if names.count(mode.name) > 1:
                raise ValueError(f"modes: two modes are named {mode.name!r}")
            for choice in mode.choices:
                if choice.mode not in names:
                    raise ValueError(f"modes: {mode.name!r} leads to {choice.mode!r}, which is not one of {names}")
        reached = self.reached()
        scored = {choice.mode for mode in self.modes if mode.name in reached for choice in mode.choices}
        if not any(mode.may_hold and mode.name in scored for mode in self.modes):
            raise ValueError("modes: there is no way to score; some roll must lead to a mode in which one may hold")
        for name in reached:
            onward = [mode for mode in self.modes if mode.name in self.reached(name)]
            if not any(mode.may_hold or mode.chance(BUST) or mode.chance(RESET) for mode in onward):
                raise ValueError(f"modes: a turn that is in {name!r} never ends; it needs a hold, a bust or a reset")

    def __str__(self):
        """The rules in words, a line a mode."""
        lines = [f"{self.name} to {self.target}" + (" exactly" if self.finish == "exact" else "")]
        for mode in self.modes:
            said = [f"{outcome.probability} {outcome}" for outcome in mode.outcomes]
            lines.append(f"  {mode.name}: {', '.join(said)}" + ("" if mode.may_hold else "; no hold"))
        return "\n".join(lines)

    def reached(self, start=None):
        """The names of the modes that a turn in mode `start`, by default the first, can be in; a sorted list."""
        reached, more = set(), {self.modes[self.mode(start)].name}
        while more:
            reached |= more
            more = {c.mode for mode in self.modes if mode.name in reached for c in mode.choices} - reached
        return sorted(reached)

    def mode(self, name=None):
        """The index of the mode called `name`; of the first mode if None. ValueError if there is none."""
        names = [mode.name for mode in self.modes]
        if name is None:
            return 0
        if not isinstance(name, str) or name not in names:
            raise ValueError(f"mode: {shown(name)} is not a mode of {self.name}; its modes are {names}")
        return names.index(name)

    def rolled(self, roll):
        """The mode and the outcome of an actual roll, in a game in which dice are set aside.

        Parameters
        ----------
        roll : sequence of int
            The faces, in any order. Their number tells the mode.

        Returns
        -------
        mode : Mode
        outcome : Outcome

        Raises
        ------
        ValueError
            If a face is none of 1, …, 6, so many dice are never rolled, or the game does not say which are set aside.
        """
        faces = as_items(roll, "roll", "the faces of all dice, for example [1, 5, 5]")
        roll = [as_whole(face, f"roll[{k}]", 1) for k, face in enumerate(faces)]
        for mode in self.modes:
            if mode.dice == len(roll):
                for outcome in mode.outcomes:
                    if tuple(sorted(roll)) in outcome.rolls:
                        return mode, outcome
                raise ValueError(f"roll: {shown(roll)} is not allowed; faces are 1, …, 6")
        known = ", ".join(str(mode.dice) for mode in self.modes if mode.dice) or "none"
        raise ValueError(f"roll: {shown(roll)} is not allowed; numbers of dice that are rolled in {self.name}: {known}")

    @property
    def resets(self):
        """Whether some roll can cost the player all banked points."""
        reached = self.reached()
        return any(mode.chance(RESET) for mode in self.modes if mode.name in reached)

    @property
    def most_points(self):
        """The most points that one roll can add to the turn total, an int."""
        return max(choice.points for mode in self.modes for choice in mode.choices)


def decisions_of(game):
    """What decisions in a game are about: in two games where this is the same, the same policies can be played."""
    choices = [len(outcome.choices) for mode in game.modes for outcome in mode.outcomes if len(outcome.choices) > 1]
    return game.target, [(mode.name, mode.may_hold) for mode in game.modes], choices
