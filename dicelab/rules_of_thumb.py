"""Rules of thumb: policies given by a function of the scores and the turn total (Rule), and some of the literature.

A rule plays any game. Its function looks at the own score, the opponent's and the turn total, and not at modes.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ._shown import shorten
from ._text import choose, plain, whole_number
from ._validation import check_int, check_name, invalid
from .games.model import Game
from .policies import Policy, asked_at, check_first_rolls

__all__ = ["RULES", "Rule", "end_race_or_keep_pace", "hold_at", "read_rule", "scoring_turns"]

STATE = (
    "own",
    "opponent",
    "turn_total",
    "target",
    "scored",
)  # what functions are told, in this order


@dataclass(frozen=True)
class Rule(Policy):
    """A policy given by a function of the scores and the turn total.

    Parameters
    ----------
    name : str
    holds : callable
        ``holds(own, opponent, turn_total, target)`` says whether to hold, True. It is called by position, with as many
        of these as it has parameters without a default. The first three are int arrays, and the result broadcasts with
        them. A function that cannot take arrays, as its `if` cannot, is asked one state after the other. A player who
        has reached the target holds in any case.
        A rule with a memory gets the number of its turns that have scored as well, as the fifth.
    memory : int
        1, or S for a rule that looks at the number of its turns that have scored, counted up to S - 1.

    Raises
    ------
    ValueError
        If a field is not allowed; when the rule is played, if the function returns anything but bools.

    Examples
    --------
    >>> from dicelab import evaluate, pig
    >>> bold = Rule("bolder when behind", lambda own, opponent, total, target: total >= 20 + (opponent - own) // 10)
    >>> round(evaluate(pig(), bold, hold_at(20)).first_wins, 4)
    0.5381
    """

    name: str
    holds: Callable = field(repr=False)
    memory: int = 1

    def __post_init__(self):
        check_name(self.name, "name", "the rule a name")
        object.__setattr__(self, "memory", check_int(self.memory, "memory", 1))
        allowed = "a function of own, opponent, turn_total and target"
        if not callable(self.holds):
            raise invalid("holds", self.holds, allowed)
        parameters = inspect.signature(self.holds).parameters.values()
        told = sum(parameter.default is parameter.empty for parameter in parameters)
        if told > len(STATE):
            raise invalid("holds", self.holds, allowed)
        object.__setattr__(self, "_told", told)

    @property
    def never_changes(self) -> bool:
        """Whether its function is one of ours, which always answers the same."""
        return type(self.holds) in (HoldsAt, SharesMissingPoints, EndsRaceOrKeepsPace)

    @property
    def read_as(self) -> str:  # type: ignore[override]  # of other policies an attribute
        """What a user's function is told; "" for ours, whose names say all."""
        told = ", ".join(STATE[: vars(self)["_told"]])
        return "" if self.never_changes else f"True holds, by {told}"

    def __repr__(self):
        memory = f", {self.memory} internal states" if self.memory > 1 else ""
        return f'<Rule "{shorten(self.name, 80)}"{memory}>'

    def _holds(self, own, opponent, totals, target, scored):
        """Ask the function; its answers, an array of bool: whether to hold."""
        shape = np.shape(own + opponent + totals)
        try:
            answers = np.asarray(self._ask(own, opponent, totals, target, scored))
        except (TypeError, ValueError):  # as arrays raise where a function decides by an if
            each = (part.ravel().tolist() for part in np.broadcast_arrays(own, opponent, totals))
            answers = [
                i + k >= target or self._ask(i, j, k, target, scored)
                for i, j, k in zip(*each, strict=True)
            ]
            answers = np.reshape(answers, shape)
        sizes = zip(answers.shape[::-1], shape[::-1], strict=False)
        fits = answers.ndim <= len(shape) and all(n in (1, m) for n, m in sizes)
        if answers.dtype != bool or not fits:
            returned = f"{self.name!r} answers with {answers.dtype} of shape {answers.shape}"
            raise ValueError(f"holds: {returned}; it must give bools, True to hold")
        return np.broadcast_to(answers, shape)

    def _ask(self, *state):
        try:
            return self.holds(*state[: self._told])
        except TimeoutError as error:
            at = ", ".join(map("{}={}".format, STATE[:3], state))
            raise ValueError(f"holds: {self.name!r} {error}, asked at {at}") from None

    def decisions(self, game: Game, own: int, opponent: int, memory: int = 0) -> np.ndarray:
        """See :meth:`Policy.decisions`."""
        return self._rolls(game, own, np.array([opponent]), memory)[0, :, : game.missing(own)]

    def decisions_at(self, game: Game, own: int, memory: int = 0) -> np.ndarray:
        """See :meth:`Policy.decisions_at`."""
        return self._rolls(game, own, np.array(game.scores), memory)

    def choices(self, game: Game, own: int, memory: int = 0) -> np.ndarray:
        """See :meth:`Policy.choices`; it passes where it holds before the first roll, if one may."""
        taken = super().choices(game, own, memory)
        if game.may_pass:
            others = np.array(game.scores)
            taken[:, 0, 0] = self._holds(
                np.array([own]), others, np.array([0]), game.target, memory
            )
        return taken

    def _rolls(self, game, own, opponents, memory):
        """Whether to roll at one own score, by opponent's score, mode and turn total."""
        asked, forced = asked_at(game, own)
        scores = np.full((1, 1, 1), own), opponents[:, None, None]
        holds = self._holds(*scores, np.arange(game.longest), game.target, memory)
        if holds[..., 0].any():
            places = np.array(game.scores)
            pairs = places[:, None], places[None, :]
            passes = self._holds(*pairs, np.array([0]), game.target, memory)
            check_first_rolls(game, passes, "holds", repr(self.name))
        return asked & ~holds | forced


@dataclass(frozen=True)
class HoldsAt:
    """The function of :func:`hold_at`."""

    n: int

    def __call__(self, own, opponent, totals, target):
        """Whether to hold."""
        return totals >= self.n

    @property
    def words(self):
        """The rule in words."""
        return (
            f"Hold as soon as the turn total is at least {self.n}, or enough to reach the target."
        )


def hold_at(n: int) -> Rule:
    """Hold as soon as the turn total is at least `n`, or enough to reach the target.

    Parameters
    ----------
    n : int
        Points, at least 1. Where a mode does not allow a hold, the rule holds as soon as one is allowed.

    Returns
    -------
    Rule

    Examples
    --------
    >>> from dicelab import pig
    >>> [hold_at(20).rolls(own, 0, total, game=pig(100)) for own, total in [(0, 19), (0, 20), (90, 10)]]
    [True, False, False]
    """
    n = check_int(n, "n", 1)
    return Rule(f"hold at {n}", HoldsAt(n))


@dataclass(frozen=True)
class SharesMissingPoints:
    """The function of :func:`scoring_turns`."""

    n: int

    def __call__(self, own, opponent, totals, target, scored):
        """Whether to hold."""
        return totals >= np.maximum((target - own) // (self.n - scored), 1)

    @property
    def words(self):
        """The rule in words."""
        return (
            f"Share the missing points equally among the scoring turns that are left of {self.n}, rounded down, "
            "and hold at this share. The last of these turns rolls for the target."
        )


def scoring_turns(n: int) -> Rule:
    """Share the missing points among the scoring turns that are left of `n` (Neller and Presser 2010).

    Hold at ⌊(target - own score) / (n - turns scored)⌋; the last of the n turns rolls for the target.

    Parameters
    ----------
    n : int
        At least 1. The internal state, `memory`, is the number of turns that have scored.

    Returns
    -------
    Rule

    Examples
    --------
    >>> from dicelab import pig
    >>> [scoring_turns(4).rolls(30, 0, total, game=pig(100), memory=1) for total in (22, 23)]
    [True, False]
    """
    n = check_int(n, "n", 1)
    return Rule(f"{n} scoring turns", SharesMissingPoints(n), n)


@dataclass(frozen=True)
class EndsRaceOrKeepsPace:
    """The function of :func:`end_race_or_keep_pace`."""

    def __call__(self, own, opponent, totals, target):
        """Whether to hold."""
        near = np.maximum(own, opponent) >= target - 29
        return ~near & (totals >= np.maximum(21 + (opponent - own + 4) // 8, 1))

    @property
    def words(self):
        """The rule in words."""
        return (
            "If either player needs at most 29 points, roll to win. "
            "Otherwise hold at 21 plus an eighth of the opponent's lead."
        )


def end_race_or_keep_pace() -> Rule:
    """Roll for the target if either player is near it, else keep pace (Neller and Presser 2010).

    If either player needs at most 29 points, roll to win. Otherwise hold at 21 plus an eighth of the opponent's lead.
    We round a half up: then it loses 0.922 %, as published, which is the difference of both players' chances and twice
    :func:`dicelab.loss`. With halves to even it is 0.931 %.

    Returns
    -------
    Rule

    Examples
    --------
    >>> from dicelab import pig
    >>> [end_race_or_keep_pace().rolls(0, *at, game=pig(100)) for at in [(0, 20), (0, 21), (71, 60)]]
    [True, False, True]
    """
    return Rule("end race or keep pace", EndsRaceOrKeepsPace())


RULES = {  # those that are read by name; n is a number
    "hold at n": hold_at,
    "n scoring turns": scoring_turns,
    "end race or keep pace": end_race_or_keep_pace,
}


def read_rule(text):
    """The rule of thumb that a text names, a Rule: "hold at 20", "Hold-at-20" or "20"; None if it names none."""
    # A hyphen within a name, and not a minus sign.
    words = re.sub(r"(?<=[^\W\d])[-_](?=\d)", " ", plain(text))
    number, given = re.search(r"[-+]?\d[\d,_']*", words), []
    if number:
        words, given = words.replace(number[0], "n"), [whole_number(number[0])]
    name = "hold at n" if words == "n" else choose(words, [*RULES])
    if name not in RULES or None in given or len(given) != name.split().count("n"):
        return None
    return RULES[name](*given)
