"""Situations in a line of text: "pig 100: 30-45 +22" is Pig to 100, 30 points against 45, and 22 in this turn.

The text of a situation is that of its game, a colon, and the scores, the player to move first. What is not as at the
start of a turn follows, in this order:

================================  ====================================================================================
``pig 100: 30-45``                the start of a turn
``pig 100: 30-45 +22``            the turn total
``double-trouble 100: 0-0 +8 @forced``  the mode, by its name
``ten-thousand 200: 2-3 +4 rolled 1 5 2 2 3``  the dice on the table; the turn total is that before the roll
``pig 60: 20-35-40 +12``          the scores of all others in order of play
``facebook-farkle 200: 30 (1 farkle)-45 (0 farkles)``  scores with registers, as :class:`dicelab.Score` prints them;
                                  without one a score has the first
``pig 100 finish=equal-turns: 30-45 second``  the player to move is the second in each round; of more players the third,
                                  4th, …
``pig 100 finish=last-licks: 30-104``  a last turn, with 104 points to beat
================================  ====================================================================================

The text of a game is that of :mod:`dicelab.games.named`. Scores, turn totals and targets are in points, or in chips
where the game counts chips.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from dicelab._shown import title_of
from dicelab._text import choose, misfit
from dicelab._validation import check_int, check_option, check_sequence, invalid
from dicelab.games.catalogue import GAMES
from dicelab.games.model import LAST_TURN, Game, Mode, Outcome, check_game, read_role
from dicelab.games.named import OPTIONS, parse_game, plain_text, read_number
from dicelab.games.registers import Score

__all__ = [
    "Situation",
    "format_game",
    "parse_situation",
]

EXAMPLE = "a situation such as 'pig 100: 30-45 +22' or 'farkle 200: 30-45 +6 @3 dice'"
SCORE = r"(-?\d+)(?:\s*\(([^()]+)\))?"
STATE = re.compile(  # what follows the colon
    rf"\s*(?P<scores>{SCORE}(?P<others>(?:\s*[-;]\s*{SCORE})*))?(?:\s*\b(?P<role>second|third|\d+th)\b)?(?:\s*\+\s*(?P<total>\d+))?"
    r"(?:\s*@\s*(?P<mode>.+?)(?=\s+rolled\b|[\s.,;]*$))?(?:\s*\brolled(?P<roll>(?:[\s,;]+\d+)+))?(?:[\s.,;]*$|\s*)",
    re.IGNORECASE,
)
ROLES = "first", "second", "third"  # then 4th, …


@dataclass(frozen=True, eq=False, repr=False)
class Situation:
    """A game in progress, as the player to move sees it; `str` is the text that :func:`parse_situation` reads.

    Parameters
    ----------
    game : Game
    scores : sequence of int
        The banked scores of all players in order of play, that of the player to move first; in a game with registers
        each may be a :class:`dicelab.Score`. In a last turn that of the opponent is the score to beat, at least the
        target.
    turn_total : int
        Before the dice of `roll`.
    mode : str, optional
        By default the mode in which the player's turns begin. It must be given if it is the number of dice in hand,
        unless the turn begins or a roll is given.
    roll : sequence of int
        The dice on the table, in a game in which dice are set aside; () before a roll.
    role : int, optional
        In "equal turns": 0 for the player who is first in the round, as by default, 1 for the next one, …; in a last
        turn by default the last in the round. Otherwise None.

    Raises
    ------
    ValueError
        If there is no such situation; by `str`, if the game has no text, see :func:`format_game`.

    Examples
    --------
    >>> from dicelab import farkle
    >>> print(Situation(farkle(), (30, 45), 4, roll=[1, 5, 2]))
    farkle 200: 30-45 +4 rolled 1 5 2
    """

    game: Game
    scores: Sequence[int]
    turn_total: int = 0
    mode: str | None = None
    roll: Sequence[int] = ()
    role: int | None = None

    def __post_init__(self):
        game = check_game(self.game)
        allowed = "the scores of at least two players"
        scores = check_sequence(self.scores, "scores", allowed)
        if len(scores) < 2:
            raise invalid("scores", self.scores, allowed)
        for place, score in enumerate(scores):
            name = "opponent" if place else "own"
            if check_int(score, name, game.lowest) < game.target:
                scores[place] = game.scores[game.index(score, name)]
            elif place and game.finish in LAST_TURN:  # it is to be beaten
                scores[place] = int(score)
            else:
                raise invalid(
                    name, score, f"a score below the target, {game.with_unit(game.target)}"
                )
        role = read_role(game, self.role, scores[1:])
        total = check_int(self.turn_total, "turn_total", 0)
        roll = check_sequence(self.roll, "roll", "the faces of all dice")
        vars(self).update(scores=tuple(scores), role=role, turn_total=total, roll=tuple(roll))
        by_dice = any(mode.dice for mode in game.modes)
        missing = game.missing(scores[0])
        if total > missing and game.finish == "exact":
            raise invalid("turn_total", total, f"at most {game.with_unit(missing)}; more is a bust")
        if roll and total >= missing and game.finish not in LAST_TURN:
            raise invalid(
                "turn_total", total, f"less than {game.with_unit(missing)}, which reach the target"
            )
        if roll and not by_dice:
            raise ValueError(
                f"roll: {roll} is not allowed; {game.name} leaves no choice after a roll"
            )
        if roll and self.mode and all(len(mode.kinds) < 2 for mode in game.modes):
            raise ValueError(
                f"mode: {self.mode!r} is not allowed with a roll, which has as many dice as are in hand"
            )
        if by_dice and total and not (self.mode or roll):
            names = ", ".join(repr(mode.name) for mode in game.modes)
            raise ValueError(
                f"mode: give the dice in hand, one of {names}, or the roll on the table"
            )
        mode, outcome = self.place
        if mode.name not in game.reached():
            entered = ", ".join(game.reached())
            raise invalid("mode", mode.name, f"one that a turn can enter: {entered}")
        least = game.register(scores[0]).least_hold
        hits = total == missing and game.finish == "exact"
        if hits and total < least and mode.may_hold and not outcome:
            allowed = f"less: to hit the target with less than {game.with_unit(least)} is a bust"
            raise invalid("turn_total", total, allowed)

    @property
    def place(self) -> tuple[Mode, Outcome | None]:
        """The mode of the turn, and the outcome of the roll on the table; None before a roll."""
        if self.roll:
            return self.game.classify_roll(self.roll, self.mode)
        return self.game.modes[
            self.game.mode(self.mode or self.game.register(self.scores[0]).mode)
        ], None

    def __repr__(self):
        return f"<Situation of {title_of(self.game)}: {self._state()}>"

    def __str__(self):
        return f"{format_game(self.game)}: {self._state()}"

    def _state(self):
        """The text behind the colon."""
        said = ["-".join(map(str, self.scores))]
        if self.role != read_role(self.game, None, self.scores[1:]):
            said.append((*ROLES, f"{self.role + 1}th")[min(self.role, len(ROLES))])
        said += [f"+{self.turn_total}"] if self.turn_total else []
        said += [f"@{self.mode}"] if self.mode else []
        said += [f"rolled {' '.join(map(str, self.roll))}"] if self.roll else []
        return " ".join(said)

    def __eq__(self, other):
        return self._key == other._key if isinstance(other, Situation) else NotImplemented

    def __hash__(self):
        return hash(self._key)

    @property
    def _key(self):  # two Scores are equal as numbers, whatever their registers
        return self.game, repr(self.scores), self.turn_total, self.mode, self.roll, self.role


def parse_situation(text: str) -> Situation:
    """Read the text of a situation; see the page of this module.

    Parameters
    ----------
    text : str

    Returns
    -------
    Situation

    Raises
    ------
    ValueError
        If it is not the text of a situation; the message names the part, its value and what is allowed.

    Examples
    --------
    >>> situation = parse_situation("pig 100: 30-45 +22")
    >>> situation.scores, situation.turn_total
    ((30, 45), 22)
    >>> print(parse_situation("double-trouble  50: 8 - 12+9 @ forced"))
    double-trouble 50: 8-12 +9 @forced
    """
    named, _, state = plain_text(text, "situation", EXAMPLE).partition(":")
    match = STATE.match(state)
    if not match or match.end() < len(state) or not match["others"]:
        rest = f"; {state[match.end() :]!r} is not read" if match and state[match.end() :] else ""
        raise invalid("situation", text, EXAMPLE + (misfit(text) or rest))
    game = parse_game(named)
    total = read_number(match["total"] or "0", "turn_total")
    mode = choose(match["mode"], [m.name for m in game.modes])
    faces = [read_number(face, "roll") for face in re.findall(r"\d+", match["roll"] or "")]
    role = choose(match["role"], ROLES)
    if role is not None:
        role = ROLES.index(role) if role in ROLES else read_number(role[:-2], "role") - 1
    return Situation(game, _scores(game, match["scores"]), total, mode, faces, role)


def _scores(game, text):
    """Read the scores of all players, a list; those with a register as Scores."""
    scores = []
    names = [register.name for register in game.registers]
    for points, register in re.findall(rf"(?:^|[-;])\s*{SCORE}\s*", text):
        score = read_number(points, "opponent" if scores else "own")
        if register and not names:
            raise ValueError(f"registers: {register!r} is not allowed; {game.name} has none")
        register = register and check_option(choose(register, names), "registers", names)
        scores.append(Score(score, register) if register else score)
    return scores


def format_game(game: Game) -> str:
    """The text of a game that is read; ValueError if it differs from the catalogue's in more than a text can say.

    >>> from dicelab import pig, ten_thousand
    >>> format_game(pig()), format_game(ten_thousand(20, "exact"))
    ('pig 100', 'ten-thousand 20 finish=exact')
    """
    check_game(game)
    name = game.name.lower().replace(" ", "-")
    if name in GAMES:
        known = inspect.signature(GAMES[name]).parameters
        said = [
            f"{option}={str(find(game)).replace(' ', '-')}"
            for option, find in OPTIONS.items()
            if option in known and find(game) != known[option].default
        ]
        text = " ".join([name, str(game.target), *said])
        with suppress(ValueError):  # there are no such rules
            if parse_game(text) == game:
                return text
    raise ValueError(f"game: {game.name} is not a game of the catalogue, or has other rules there")
