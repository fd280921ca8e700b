"""What counts as a strategy: a policy, a whole number, a function, or an array; each is read as a policy of one game.

A whole number n is *hold at n*. Everything that plays takes all of these by :func:`read_policies`, and results say how
they were read.

A **function** is called by the names of its parameters (:mod:`dicelab._parameters`). It is asked at all pairs of
scores, and within a turn wherever its own decisions lead: so a strategy may look up what it has learned, and nothing is
asked of it that it can never meet. It is asked before the first roll, too: one that holds there means to pass, which
is refused where every turn begins with a roll. Everything is asked twice, the second time with the pairs of scores in
reverse order. It answers "roll" or "hold".

In a game with a last turn a function is asked below the target. It holds at the target, and in a last turn rolls until
ahead.

An **array** has the turn totals to hold at, or whether to roll, True or 1; see :func:`read_array`.
"""

import inspect
from collections.abc import Callable, Sequence
from itertools import product
from numbers import Integral, Real
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ._limits import progress
from ._parameters import bind_parameters, shown_name
from ._recorded import RecordedPolicy, pack
from ._shown import shorten
from ._validation import check_int, invalid, short_repr
from .games.absorption import choices_are_ranked
from .games.model import LAST_TURN, check_game
from .policies import (
    Policy,
    asked_at,
    branch_index,
    branching_outcomes,
    check_first_rolls,
    check_policy,
    decisions_shape,
)
from .rules_of_thumb import hold_at

__all__ = [
    "KINDS",
    "Question",
    "Strategy",
    "as_array",
    "ask",
    "asked_of",
    "check_asked",
    "is_number",
    "last_line",
    "raised",
    "read_array",
    "read_policies",
    "read_strategy",
    "recorded",
    "shapes",
    "state_in_words",
]

Strategy: TypeAlias = Policy | int | Callable | np.ndarray | Sequence
ANSWERS = {"roll": True, "hold": False}
ALLOWED = "'roll' or 'hold', or dicelab.Rule(name, function), where True holds"
CHASES = "; it holds at the target, and in a last turn rolls until ahead"
CHOOSES = "a policy with choices, for example dicelab.solve(game).policy"
# What functions may ask for, and the register where there is one.
TOLD = ["own", "opponent", "turn_total", "target", "mode"]
KINDS = (
    "a policy, a whole number to hold at, a function of own, opponent and turn_total that answers 'roll' or 'hold', "
    "or an array of turn totals to hold at, or of decisions"
)
NOT_ASKED = -1


def read_policies(game, one_turn=False, last_turn=True, **strategies):
    """Read strategies as policies that can be followed in a game, a list; see :func:`read_strategy`.

    The keywords are the names of the caller's arguments. With `one_turn` they are for one turn, not for a whole game.

    Raises
    ------
    ValueError
        If a strategy is not understood; the message names the argument and what is allowed.
    NotImplementedError
        If a player who must roll beyond the target has a choice of modes in a game with resets, since no policy says
        which one is taken. Otherwise it is the way that finishes most often.
    """
    check_game(game, last_turn=last_turn)
    # Else a turn goes on above the target, and strategies say how.
    ends = game.finish not in LAST_TURN
    if ends and (game.resets or game.loses) and choices_are_ranked(game):
        raise NotImplementedError(
            f"{game.name}: beyond the target a player must choose between ways that finish and that reset or lose, and"
            " no strategy says which one"
        )
    return [read_strategy(game, strategy, name, one_turn) for name, strategy in strategies.items()]


def read_strategy(game, strategy, field="strategy", one_turn=False):
    """Read whatever plays as a policy; see the page of this module.

    Parameters
    ----------
    game : Game
    strategy : Policy, int, callable, ndarray, or nested lists
    field : str
        The argument of the caller, for messages.

    Returns
    -------
    Policy
        A given policy itself; else a record of all decisions, with `read_as`: how the strategy was read.
    """
    if isinstance(strategy, Policy) or getattr(strategy, "players", 2) != 2:
        return check_policy(strategy, field, one_turn)
    if is_number(strategy):
        check_asked(game, strategy, field)
        whole = isinstance(strategy, Integral) or float(strategy).is_integer()
        return hold_at(check_int(int(strategy) if whole else strategy, field, 1))
    if isinstance(strategy, np.ndarray | list | tuple):
        return recorded(game, "table of decisions", *read_array(game, strategy, field))
    keeps = hasattr(strategy, "keep")
    if callable(strategy) and not inspect.isclass(strategy) and not keeps:
        return ask(Question(game, strategy, field))
    meant = ""
    if inspect.isclass(strategy):
        meant = f"; did you mean {strategy.__name__}()?"
    elif isinstance(getattr(strategy, "policy", None), Policy):
        meant = "; did you mean its .policy?"
    elif keeps:
        meant = ", without an attribute keep: choices are taken by a policy"
    raise invalid(field, strategy, KINDS + meant, (Policy, np.ndarray))


def is_number(value):
    """Whether a value is a real number: True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def most_points(game):
    """The choices with the most points, as :meth:`dicelab.Policy.choices` gives them."""
    return Policy().choices(game, 0)


def asked_of(game):
    """Where one may roll or hold, or roll or pass, and where one must roll: two arrays of bool, [own, mode, total]."""
    asked, forced = np.array([asked_at(game, own) for own in game.scores]).swapaxes(0, 1)
    asked[:, 0, 0] |= game.may_pass
    return asked, forced


def recorded(game, name, rolls, read_as, choices=None):
    """A policy of decisions, an array (target, target, modes, target), and of choices by own score."""
    choices = [most_points(game)] * len(game.scores) if choices is None else choices
    read_as += CHASES * (game.finish in LAST_TURN)
    if game.may_pass:  # a hold before the first roll
        choices, rolls = np.array(choices), rolls.copy()
        choices[:, :, 0, 0], rolls[:, :, 0, 0] = ~rolls[:, :, 0, 0], True
    rows = (
        pack(*(part[:, :, : game.missing(own)] for part in given))
        for own, *given in zip(game.scores, rolls, choices, strict=True)
    )
    return RecordedPolicy(game, tuple(rows), name, 1, read_as)


def check_asked(game, strategy, field):
    """ValueError if all that a player decides is a choice of dice, which no array or number takes."""
    if branching_outcomes(game) and not asked_of(game)[0].any():
        allowed = (
            f"{CHOOSES}: in {game.name} nobody holds, one chooses dice, and nothing else is decided"
        )
        raise invalid(field, strategy, allowed, ())


# Arrays


def read_array(game, table, field, axes="by [own, opponent]"):
    """The decisions that an array says, and how it was read.

    Parameters
    ----------
    game : Game
    table : ndarray, or nested lists
        (S, S) whole numbers, the turn totals to hold at, [own, opponent], S being the number of scores; or (S, S, T),
        with a mode before the last axis where there are several, True or 1 for roll, [own, opponent, turn total].
    field : str
        For messages.
    axes : str
        What the axes are, for the sentence.

    Returns
    -------
    rolls : ndarray of bool (S, S, modes, T)
    read_as : str

    Raises
    ------
    ValueError
        If the array is not understood.
    """
    shape, size = decisions_shape(game), len(game.scores)  # which refuses what is too large
    check_asked(game, table, field)
    if np.ma.isMaskedArray(table):
        raise invalid(field, table, "an array without a mask", ())
    if not isinstance(table, np.ndarray):
        table = as_array(game, table, field)
    asked, forced = asked_of(game)
    mode = "mode, " * (table.ndim == 4)
    read_as = (
        f"the lowest turn total to hold at, {axes}"
        if table.ndim == 2
        else f"whether to roll, True or 1, by [own, opponent, {mode}turn total]"
    )
    if table.dtype.kind not in "biuf":
        allowed = f"an array of bools or numbers, not one of {table.dtype}"
        raise invalid(field, table, allowed, ())
    decided = [(size, size, game.longest), *([shape] if len(game.modes) > 1 else [])]
    if table.shape == (size, size) and table.dtype != bool:
        table = _as_whole(table, field)
        _check_thresholds(game, table, field)
        table = np.arange(game.longest) < table[:, :, None]
    elif table.shape not in decided:
        kind = "bools" if table.dtype == bool else f"numbers ({table.dtype})"
        what = f"of {kind}" if table.shape == (size, size) else f"of shape {table.shape}"
        raise ValueError(
            f"{field}: an array {what} is not allowed; give one of shape {shapes(game)}"
        )
    else:
        _check_entries(game, table, field, asked)
        _check_first_roll(game, table, field)
    table = table[:, :, None] if table.ndim == 3 else table
    return np.where(asked[:, None], table == 1, forced[:, None]), read_as


def as_array(game, rows, field):
    """Nested lists as an array."""
    try:
        return np.array(rows)
    except ValueError:
        raise ValueError(
            f"{field}: the lists have different lengths; give one of shape {shapes(game)}"
        ) from None


def shapes(game):
    """The two shapes that work, for messages."""
    size, totals = len(game.scores), game.longest
    return (
        f"({size}, {size}) of whole numbers, the turn totals to hold at, [own, opponent]; or "
        f"({size}, {size}, {totals}) of True or 1 for roll, False or 0 for hold, [own, opponent, turn total]"
    )


def _check_entries(game, table, field, asked):
    """Refuse what is neither a hold nor a roll, where one is asked or a turn begins."""
    table = table[:, :, None] if table.ndim == 3 else table
    answers = np.where((asked | (np.arange(game.longest) == 0))[:, None], table, 0)
    wrong = (answers != 0) & (answers != 1)
    if wrong.any():
        own, opponent, mode, total = at = tuple(np.argwhere(wrong)[0].tolist())
        state = game.scores[own], game.scores[opponent], total, game.modes[mode].name
        raise ValueError(
            f"{field}: {answers[at].item()} is not allowed at {state_in_words(game, *state)}; "
            "give 0 or False for hold, 1 or True for roll"
        )


def _check_first_roll(game, table, field):
    """Refuse a table that holds before the first roll; its True may mean hold."""
    first = table[..., 0]
    if first.ndim == 3:
        modes = [game.mode(game.register(own).mode) for own in game.scores]
        first = first[np.arange(len(modes)), :, modes]
    check_first_rolls(game, first < 1, field, "the table")


def _check_thresholds(game, table, field):
    """Refuse turn totals to hold at that are decisions, or that hold before the first roll."""
    if (table <= 1).all() and (table == 0).any():
        raise ValueError(
            f"{field}: the table has 0 and 1 only, which would be turn totals to hold at; give {shapes(game)}"
        )
    check_first_rolls(game, table == 0, field, "the table")


def _as_whole(table, field):
    """An array of numbers as whole numbers of at least 0; ValueError for others, and for nan."""
    with np.errstate(invalid="ignore"):
        wrong = ~(np.isfinite(table) & (table == np.round(table)) & (table >= 0))
    if wrong.any():
        own, opponent = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"{field}: {table[own, opponent]} at [{own}, {opponent}] is not a turn total to hold at, "
            "a whole number of at least 0; decisions have a third axis"
        )
    return table.astype(np.int64)


def state_in_words(game, own, opponent, total, mode, roll=None):
    """A state as a strategy is asked about it: "own=0, opponent=3, turn_total=20"."""
    dice = f", dice={mode!r}" if len(game.modes) > 1 and roll is None else ""
    rolled = "" if roll is None else f", roll={roll!r}"
    return f"own={own!r}, opponent={opponent!r}, turn_total={total}{dice}{rolled}"


# Functions


class Question:
    """A function that is asked for decisions; reads and checks its answers.

    Attributes
    ----------
    keep : callable or None
        What is asked for choices, by a method `choice`; None takes the most points.
    read_as : list of str
        How it is read.
    """

    keep = None

    def __init__(self, game, function, field):
        self.game, self.function, self.field = game, function, field
        self.name = shorten(shown_name(function))
        self.parameters = bind_parameters(
            function, field, [*TOLD, *["register"] * bool(game.registers)]
        )
        self.read_as = [str(self.parameters)]

    def told(self, own, opponent, total, mode):
        """All that a function can be told in a state, a dict."""
        known = own, opponent, total, self.game.target, mode, getattr(own, "register", None)
        return dict(zip([*TOLD, "register"], known, strict=True))

    def rolls(self, *state):
        """What the strategy does in a state, True for roll."""
        answer = self.call(self.function, self.parameters, self.told(*state), state)
        # What numpy.where gives for one state.
        if isinstance(answer, np.ndarray) and answer.shape == ():
            answer = answer.item()
        if isinstance(answer, str) and answer.strip().lower() in ANSWERS:
            return ANSWERS[answer.strip().lower()]
        return self.understand(answer, state)

    def understand(self, answer, state):
        """What an answer means that is neither "roll" nor "hold", True for roll; here it is refused."""
        raise self.wrong(answer, state, ALLOWED)

    def how_read(self):
        """How the function was read, once all is asked; ValueError if what it answered can't be meant."""
        return "; ".join(filter(None, self.read_as))

    def call(self, function, parameters, told, state):
        """Ask a function; ValueError, which says where, for what it raises."""
        try:
            return parameters.call(function, told)
        except (Exception, SystemExit) as error:
            said = f"raises {raised(error)}{line_of(error, function)}"
            said = str(error) if isinstance(error, TimeoutError) else said
            where = state_in_words(self.game, *state)
            raise ValueError(f"{self.field}: {self.who(state)} {said}, asked at {where}") from error

    def who(self, state):
        """The name of what was asked: with a roll, `keep`."""
        return self.name if len(state) == 4 or self.keep is self.function else f"{self.name}.keep"

    def answered(self, answer, state):
        """An answer in words, as a message about it begins."""
        where = state_in_words(self.game, *state)
        return f"{self.field}: {self.who(state)} answers {short_repr(answer)} at {where}"

    def wrong(self, answer, state, allowed):
        """The error for an answer that is not allowed."""
        meant = "; does every path of it return an answer?" if answer is None else ""
        return ValueError(f"{self.answered(answer, state)}; give {allowed}{meant}")


def raised(error, where=""):
    """What was raised, in words: "ValueError in line 3: no such file"."""
    said = f": {shorten(str(error), 120)}" if str(error) else ""
    return f"{type(error).__name__}{where}{said}"


def line_of(error, function):
    """Where in the user's code an exception comes from: " in line 3 of my.py"; "" if that is not known."""
    function = inspect.unwrap(function)
    function = function if hasattr(function, "__code__") else type(function).__call__
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    line = last_line(error, file)
    return line and line + ("" if file.startswith("<") else f" of {Path(file).name}")


def ask(question):
    """Ask a function for all decisions that it can meet, twice; the policy that it is."""
    rolls, choices = _answers(question.game, question)
    return recorded(question.game, question.name, rolls, question.how_read(), choices)


def _answers(game, question):
    """A function's decisions, [own, opponent, mode, total]; its choices by own score."""
    shape, size = decisions_shape(game), len(game.scores)  # which refuses what is too large
    asked, forced = asked_of(game)
    keeps = branching_outcomes(game) if question.keep is not None else []
    if not keeps:
        check_asked(game, question.function, question.field)
    questioner, tables = TurnQuestioner(game, question, asked, forced, keeps), []
    pairs = list(product(range(size), repeat=2))
    for order, said in ((pairs, "asking the strategy"), (pairs[::-1], "asking again")):
        rolls, choices = (
            np.full((size, size, number, game.longest), NOT_ASKED, dtype=np.int8)
            for number in (shape[2], len(keeps))
        )
        for own, opponent in progress(order, said, "pair"):
            questioner.ask(own, opponent, rolls[own, opponent], choices[own, opponent])
        tables.append((rolls, choices))
    differs = [np.argwhere(now != again)[:, :2] for now, again in zip(*tables, strict=True)]
    differs = np.concatenate(differs)
    if len(differs):
        own, opponent = differs[0]
        raise ValueError(
            f"{question.field}: {question.name} answers otherwise when it is asked again, at own={game.scores[own]!r}, "
            f"opponent={game.scores[opponent]!r}; it may neither roll at random nor remember what it was asked before"
        )
    question.how_read()  # which refuses what can't be meant
    passes = rolls[np.arange(size), :, questioner.begins, 0] == 0
    check_first_rolls(game, passes, question.field, question.name)
    taken = [most_points(game)] * size
    if keeps:
        taken = [np.where(part < 0, taken[0], part).astype(np.uint8) for part in choices]
    return _filled(rolls, asked, forced), taken


def _filled(rolls, asked, forced):
    """Decisions at every state: one not asked for is that of the largest smaller turn total that was; before, roll."""
    known = (rolls >= 0) & asked[:, None]
    source = np.maximum.accumulate(np.where(known, np.arange(rolls.shape[-1]), 0), axis=-1)
    filled = np.take_along_axis(rolls, source, axis=-1) != 0
    return np.where(asked[:, None], filled, forced[:, None])


class TurnQuestioner:
    """Asks a strategy along the turns that it plays at one pair of scores."""

    def __init__(self, game, question, asked, forced, branches):
        self.game, self.question = game, question
        self.asked, self.forced = asked.tolist(), forced.tolist()
        self.begins = [game.mode(game.register(own).mode) for own in game.scores]
        self.branches, self.names = branches, [mode.name for mode in game.modes]
        index = branch_index(game)
        most = most_points(game)[0, :, 0] if branching_outcomes(game) else ()
        self.order, self.moves = game.order[::-1], []  # with each outcome that is asked for
        for m, mode in enumerate(game.modes):
            moves = []
            for k, outcome in enumerate(mode.outcomes):
                options = [(choice.points, game.mode(choice.mode)) for choice in outcome.choices]
                branch = index.get((m, k))
                if branch is not None and not branches:
                    branch, options = None, [options[most[branch]]]
                if not mode.repeats(outcome):
                    moves.append((branch, options))
            self.moves.append(moves)

    def ask(self, own, opponent, rolls, choices):
        """Fill in the decisions of one turn where it can lead, `rolls` [mode, total] and `choices` [outcome, total]."""
        game, question = self.game, self.question
        scores = game.scores[own], game.scores[opponent]
        missing = game.missing(scores[0])
        asked, forced = self.asked[own], self.forced[own]
        met = [[False] * len(self.names) for _ in range(missing)]
        first = self.begins[own]
        met[0][first] = True
        for total, modes in enumerate(met):
            for m in (m for m in self.order if modes[m]):
                state, roll = (*scores, total, self.names[m]), forced[m][total]
                if total == 0 and m == first and game.modes[m].may_hold:
                    rolls[m, 0] = question.rolls(*state)
                elif asked[m][total]:
                    rolls[m, total] = roll = question.rolls(*state)
                for branch, options in self.moves[m] if roll else ():
                    if branch is not None:
                        number = question.choice(*state, self.branches[branch])
                        choices[branch, total] = number
                        options = [options[number]]
                    for points, mode in options:
                        if total + points < missing:
                            met[total + points][mode] = True


def last_line(error, path):
    """The last line of a file in which an exception was raised: " in line 3"; "" if it was not there."""
    lines, trace = [], error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == str(path):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f" in line {lines[-1]}" if lines else ""
