"""A reader's own strategy, read and checked: a Python function, a table, or a policy becomes decisions in one game.

A function is asked at all pairs of scores, and within a turn wherever its own decisions lead: so a strategy may look up
what it has learned, and nothing is asked of it that it can never meet. Every question is asked twice, the second time
in reverse order.
"""

import inspect
import sys
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np

from .._limits import progress
from .._recorded import RecordedPolicy, pack, record_policies
from .._shown import WithArrays, shorten, title_of
from .._validation import invalid, short_repr
from ..games.model import Game
from ..policies import Policy, branch_index, branching_outcomes, check_policy, decisions_shape
from .turn_outcomes import check_policies, follow_states, turn_outcomes

__all__ = ["RandomizedPolicy", "load_strategy", "outcomes_of_strategy", "read_strategy"]

OURS = ["own", "opponent", "turn_total"]
ANSWERS = {"roll": True, "hold": False}
ALLOWED = "'roll' or 'hold', or True to roll and False to hold"
KINDS = "a policy, a function of own, opponent and turn_total, or a numpy array of decisions"
NOT_ASKED = -1


@dataclass(frozen=True, eq=False)
class RandomizedPolicy(WithArrays):
    """A strategy that rolls with given probabilities, in one game. After a roll it takes the choice of most points.

    Attributes
    ----------
    game : Game
    shares : ndarray (target, target, modes, target)
        The probability to roll, by own score, opponent's score, mode and turn total. Read-only.
    name : str
    """

    game: Game
    shares: np.ndarray = field(repr=False)
    name: str = "random strategy"
    memory = 1

    def __repr__(self):
        return f'<RandomizedPolicy of {title_of(self.game)}: "{self.name}">'

    def actions_at(self, game, own, memory=0):
        """The probabilities to roll and the choices at one own score; see :meth:`dicelab.Policy.actions_at`."""
        place = game.index(own)
        return self.shares[place], most_points(game)


def most_points(game):
    """The choices with the most points, as :meth:`dicelab.Policy.choices` gives them."""
    return Policy().choices(game, 0)


def outcomes_of_strategy(game, strategy):
    """How the turns of a strategy end, TurnOutcomes; see :mod:`dicelab.evaluation.turn_outcomes`."""
    if isinstance(strategy, RandomizedPolicy):
        return follow_states(game, (strategy.actions_at(game, own) for own in game.scores), 1)
    return turn_outcomes(game, strategy)


def read_strategy(game, strategy, field="strategy"):
    """A strategy as a recorded policy, or as a RandomizedPolicy if it mixes; see :func:`dicelab.grade`."""
    if isinstance(strategy, Policy) or getattr(strategy, "players", 2) != 2:
        check_policies(game, **{field: check_policy(strategy, field)})
        (recorded,) = record_policies(game, **{field: strategy})
        return recorded
    check_policies(game)
    if isinstance(strategy, RandomizedPolicy):
        if strategy.game != game:
            raise ValueError(f"{field}: this strategy is for {title_of(strategy.game)}, not {title_of(game)}")
        return strategy
    if np.ma.isMaskedArray(strategy):
        raise invalid(field, strategy, "an array without a mask", ())
    if isinstance(strategy, np.ndarray):
        return _read_table(game, strategy, field)
    if callable(strategy) and not inspect.isclass(strategy):
        return _ask(game, Question(game, strategy, field))
    meant = "; did you mean its .policy?" if isinstance(getattr(strategy, "policy", None), Policy) else ""
    if inspect.isclass(strategy):
        meant = f"; did you mean {strategy.__name__}()?"
    raise invalid(field, strategy, KINDS + meant, (Policy, np.ndarray))


def asked_of(game):
    """Where one may roll or hold, and where one must roll: two arrays of bool, [own, mode, turn total]."""
    totals = np.arange(game.longest)
    missing, least = np.array([(game.missing(own), game.register(own).least_hold) for own in game.scores]).T
    below = totals < missing[:, None, None]
    may_hold, stops = (np.array([getattr(m, k) for m in game.modes])[:, None] for k in ("may_hold", "must_hold"))
    forced = below & ((totals < least[:, None, None]) | ~may_hold) & ~(stops & (totals > 0))
    return below & ~forced & ~stops, forced


def _recorded(game, name, rolls, choices=None):
    """A policy of decisions, an array (target, target, modes, target), and of choices by own score."""
    some = most_points(game)
    choices = [some] * len(game.scores) if choices is None else choices
    rows = []
    for place, own in enumerate(game.scores):
        missing = game.missing(own)
        rows.append(pack(rolls[place, :, :, :missing], choices[place][:, :, :missing]))
    return RecordedPolicy(game, tuple(rows), name, 1)


# Tables


def _read_table(game, table, field):
    """A table of decisions, of thresholds, or of probabilities; see :func:`dicelab.grade`."""
    shape, size = decisions_shape(game), len(game.scores)
    asked, forced = asked_of(game)
    if table.ndim == 2 and np.issubdtype(table.dtype, np.integer):
        _check_shape(table, [(size, size)], field)
        table = np.arange(game.longest) < table[:, :, None]
    whole = np.issubdtype(table.dtype, np.integer) or table.dtype == bool
    if not (whole or np.issubdtype(table.dtype, np.floating)):
        said = "bools, integers or probabilities"
        raise invalid(field, table, f"an array of {said}, not one of {table.dtype}", np.ndarray)
    _check_shape(table, [(size, size, game.longest), *([shape] if len(game.modes) > 1 else [])], field)
    _check_asked(game, table, field)
    table = table[:, :, None] if table.ndim == 3 else table
    shares = np.where(asked[:, None], table, forced[:, None]).astype(float)
    wrong = ~((shares == 0) | (shares == 1)) if whole else ~((shares >= 0) & (shares <= 1))
    if wrong.any():
        own, opponent, mode, total = np.argwhere(wrong)[0].tolist()
        where = state_in_words(game, game.scores[own], game.scores[opponent], total, game.modes[mode].name)
        allowed = "0 for hold or 1 for roll" if whole else "a probability to roll in [0, 1]"
        given = shares[own, opponent, mode, total].item()
        raise ValueError(f"{field}: {int(given) if whole else given} is not allowed at {where}; give {allowed}")
    if ((shares == 0) | (shares == 1)).all():
        return _recorded(game, "table of decisions", shares == 1)
    return RandomizedPolicy(game, shares, "table of probabilities")


def _check_asked(game, strategy, field):
    """ValueError if all that a player decides is a choice of dice, which only `keep` takes."""
    if branching_outcomes(game) and not asked_of(game)[0].any():
        allowed = "a function with an attribute keep, a function of own, opponent, turn_total and roll"
        raise invalid(field, strategy, f"{allowed}: in {game.name} nothing else is decided", ())


def _check_shape(table, shapes, field):
    if table.shape not in shapes:
        fitting = " or ".join(map(str, shapes))
        fitting += ", or integers, the turn totals to hold at" if table.shape == shapes[0][:2] else ""
        raise ValueError(f"{field}: an array of shape {table.shape} is not allowed; give one of shape {fitting}")


def state_in_words(game, own, opponent, total, mode, roll=None):
    """A state as a strategy is asked about it: "own=0, opponent=3, turn_total=20"."""
    said = f"own={own!r}, opponent={opponent!r}, turn_total={total}"
    said += f", dice={mode!r}" if len(game.modes) > 1 and roll is None else ""
    return said if roll is None else f"{said}, roll={roll!r}"


# Functions


class Question:
    """A function that is asked for decisions, and its `keep`, if it has one; reads and checks the answers."""

    def __init__(self, game, function, field):
        self.game, self.function, self.field = game, function, field
        self.keep = getattr(function, "keep", None)
        name = getattr(function, "__name__", None) or type(function).__name__
        self.name = "a function" if name == "<lambda>" else shorten(name)
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise invalid(field, function, "a function that returns its answer, neither async nor with yield", ())
        self.with_dice = self._check_parameters(function, "dice", "own, opponent and turn_total")
        if self.keep is not None:
            if not callable(self.keep):
                raise invalid(f"{field}.keep", self.keep, "a function of own, opponent, turn_total and roll")
            self._check_parameters(self.keep, "roll", "own, opponent, turn_total and roll", 4)

    def _check_parameters(self, function, last, said, wanted=3):
        """Whether the function takes a fourth argument; ValueError if it cannot be called with these arguments."""
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):  # some functions written in C
            return wanted == 4
        kinds = inspect.Parameter
        places = [p for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        needed = sum(p.default is kinds.empty for p in places)
        names = [p.name for p in places][:3]
        if names[:1] == ["self"] or (set(names) == set(OURS) and names != OURS):
            raise invalid(self.field, function, f"one with the parameters {', '.join(OURS)}, in this order", ())
        fourth = wanted == 4 or needed > 3 or (len(places) > 3 and places[3].name == last)
        try:
            signature.bind(*range(3 + fourth))
        except TypeError:
            more = f" and, if you like, {last}" if wanted == 3 else ""
            taken = f"{self.name}{signature}" if function is self.function else f"keep{signature}"
            raise invalid(self.field, function, f"a function of {said}{more}; {taken} takes others", ()) from None
        return fourth

    def rolls(self, own, opponent, total, mode):
        """What the strategy does, True for roll."""
        arguments = (own, opponent, total, mode) if self.with_dice else (own, opponent, total)
        answer = self._call(self.function, arguments, (own, opponent, total, mode))
        if type(answer) is bool:
            return answer
        if isinstance(answer, str) and answer in ANSWERS:
            return ANSWERS[answer]
        if isinstance(answer, np.bool_ | int | np.integer) and answer in (0, 1):
            return bool(answer)
        raise self._wrong(answer, (own, opponent, total, mode), ALLOWED)

    def choice(self, own, opponent, total, mode, outcome):
        """The number of the choice that the strategy takes after a roll."""
        choices = outcome.choices
        dice = any(choice.aside for choice in choices)
        roll = list(outcome.rolls[0]) if dice and outcome.rolls else [choice.name for choice in choices]
        state = own, opponent, total, mode, roll
        answer = self._call(self.keep, (own, opponent, total, list(roll)), state)
        if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], tuple | list):
            answer = answer[0]  # as Policy.keep answers: the dice, and whether to roll again
        for number, choice in enumerate(choices):
            if not dice and isinstance(answer, str) and answer == choice.name:
                return number
            if dice and isinstance(answer, tuple | list) and _alike(answer, choice.aside):
                return number
        allowed = [choice.aside if dice else choice.name for choice in choices]
        raise self._wrong(answer, state, f"one of {', '.join(map(repr, allowed))}")

    def _call(self, function, arguments, state):
        try:
            return function(*arguments)
        except (Exception, SystemExit) as error:
            where = state_in_words(self.game, *state)
            place = line_of(error, function)
            said = f"{type(error).__name__}{f': {shorten(str(error), 120)}' if str(error) else ''}"
            raise ValueError(f"{self.field}: {self._who(state)} raises {said}{place}, asked at {where}") from error

    def _who(self, state):
        """The name of what was asked: with a roll, `keep`."""
        return self.name if len(state) == 4 else f"{self.name}.keep"

    def _wrong(self, answer, state, allowed):
        meant = "; does every path of it return an answer?" if answer is None else ""
        said = f"{self._who(state)} answers {short_repr(answer)} at {state_in_words(self.game, *state)}"
        return ValueError(f"{self.field}: {said}; give {allowed}{meant}")

    def check_same(self, first, again, state, names):
        """ValueError if two answers to the same question differ."""
        if first != again:
            where = state_in_words(self.game, *state)
            said = f"answers {names(first)} at {where}, and {names(again)} when it is asked again"
            instead = "give a table of probabilities to grade a strategy that rolls at random"
            raise ValueError(f"{self.field}: {self.name} {said}; {instead}")


def _alike(dice, aside):
    try:
        return sorted(dice) == sorted(aside)
    except TypeError:
        return False


def line_of(error, function):
    """Where in the user's code an exception comes from: " in line 3 of my.py"; "" if that is not known."""
    function = inspect.unwrap(function)
    function = function if hasattr(function, "__code__") else type(function).__call__
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    line = last_line(error, file)
    return line and line + ("" if file.startswith("<") else f" of {Path(file).name}")


def _ask(game, question):
    """Ask a function for all decisions that it can meet, twice; the policy that it is."""
    shape, size = decisions_shape(game), len(game.scores)
    asked, forced = asked_of(game)
    branches = branching_outcomes(game)
    rolls = np.full(shape, NOT_ASKED, dtype=np.int8)
    keeps = question.keep is not None and branches
    if not keeps:
        _check_asked(game, question.function, question.field)
    choices = [most_points(game)] * size
    if keeps:
        choices = np.full((size, size, len(branches), game.longest), NOT_ASKED, dtype=np.int8)
    questioner = TurnQuestioner(game, question, asked, forced, branches if keeps else ())
    pairs = list(product(range(size), repeat=2))
    for again in (False, True):
        for own, opponent in progress(
            pairs[::-1] if again else pairs, "asking again" if again else "asking the strategy", "pair"
        ):
            row = rolls[own, opponent], (choices[own, opponent] if keeps else None)
            (questioner.ask_again if again else questioner.ask)(own, opponent, *row)
    if keeps:
        choices = [np.where(part < 0, most_points(game), part).astype(np.uint8) for part in choices]
    return _recorded(game, question.name, _filled(rolls, asked, forced), choices)


def _filled(rolls, asked, forced):
    """Decisions at every state: one not asked for is that of the largest smaller turn total that was; before, roll."""
    known = (rolls >= 0) & asked[:, None]
    source = np.maximum.accumulate(np.where(known, np.arange(rolls.shape[-1]), 0), axis=-1)
    filled = np.where(source > 0, np.take_along_axis(rolls, source, axis=-1) == 1, True)
    return np.where(asked[:, None], filled, forced[:, None])


class TurnQuestioner:
    """Asks a strategy along the turns that it plays at one pair of scores."""

    def __init__(self, game, question, asked, forced, branches):
        self.game, self.question, self.asked, self.forced = game, question, asked.tolist(), forced.tolist()
        self.branches, self.names = branches, [mode.name for mode in game.modes]
        index, most = branch_index(game), most_points(game)[0, :, 0] if branching_outcomes(game) else ()
        self.order, self.moves, self.branches_of_mode = game.order[::-1], [], []
        for m, mode in enumerate(game.modes):
            moves, several = set(), []
            for k, outcome in enumerate(mode.outcomes):
                options = [(choice.points, game.mode(choice.mode)) for choice in outcome.choices]
                if (m, k) in index and branches:
                    several.append((index[m, k], options))
                elif (m, k) in index:
                    moves.add(options[most[index[m, k]]])
                elif not mode.repeats(outcome):
                    moves.update(options)
            self.moves.append(sorted(moves))
            self.branches_of_mode.append(several)

    def ask(self, own, opponent, rolls, choices):
        """Fill in the decisions of one turn where it can lead, `rolls` [mode, total] and `choices` [outcome, total]."""
        game, score, other = self.game, self.game.scores[own], self.game.scores[opponent]
        missing, asked, forced = game.missing(score), self.asked[own], self.forced[own]
        met = [[False] * len(self.names) for _ in range(missing)]
        met[0][game.mode(game.register(score).mode)] = True
        for total, modes in enumerate(met):
            for m in self.order:
                if not modes[m]:
                    continue
                if asked[m][total]:
                    rolls[m, total] = roll = self.question.rolls(score, other, total, self.names[m])
                else:
                    roll = forced[m][total]
                if not roll:
                    continue
                for branch, options in self.branches_of_mode[m]:
                    state = score, other, total, self.names[m]
                    choices[branch, total] = number = self.question.choice(*state, self.branches[branch])
                    points, mode = options[number]
                    if total + points < missing:
                        met[total + points][mode] = True
                for points, mode in self.moves[m]:
                    if total + points < missing:
                        met[total + points][mode] = True

    def ask_again(self, own, opponent, rolls, choices):
        """Ask the same questions, and compare the answers."""
        question, scores = self.question, (self.game.scores[own], self.game.scores[opponent])
        for m, total in np.argwhere(rolls >= 0).tolist()[::-1]:
            state = (*scores, total, self.names[m])
            question.check_same(
                bool(rolls[m, total]), question.rolls(*state), state, lambda answer: "roll" if answer else "hold"
            )
        for b, total in np.argwhere(choices >= 0).tolist()[::-1] if choices is not None else ():
            outcome = self.branches[b]
            mode = next(mode.name for mode in self.game.modes if any(outcome is o for o in mode.outcomes))
            state = (*scores, total, mode)
            again = question.choice(*state, outcome)
            question.check_same(int(choices[b, total]), again, state, lambda n, o=outcome: f"{o.choices[n].name!r}")


# Files


class UncachedLoader(SourceFileLoader):
    """Loads a file as it is now: bytecode is neither read nor written."""

    def get_code(self, fullname):
        """See importlib."""
        return self.source_to_code(self.get_data(self.path), self.path)


def load_strategy(file):
    """Run a Python file of the user, and return the strategy that it defines; ValueError if that is not possible.

    It is the object that the file names `strategy`; otherwise its only public function apart from `keep`. A function
    `keep` in the file says which choice to take after a roll; see :func:`dicelab.grade`.
    """
    path = Path(file)
    if path.is_dir():
        raise ValueError(f"{file}: this is a folder; give a Python file that defines a function strategy")
    if not path.is_file():
        raise ValueError(f"{file}: there is no such file; give a Python file that defines a function strategy")
    module = ModuleType("the_strategy")  # in sys.modules, because dataclasses look their module up there
    module.__file__, sys.modules[module.__name__] = str(path), module
    sys.path.insert(0, str(path.resolve().parent))  # as for a script: it may import its neighbours
    try:
        UncachedLoader(module.__name__, str(path)).exec_module(module)
    except (SyntaxError, ValueError) as error:  # ValueError: null bytes, and what the code itself raises
        line = getattr(error, "lineno", None)
        where = (f" in line {line}" if line else "") if isinstance(error, SyntaxError) else last_line(error, path)
        said = getattr(error, "msg", None) or str(error)
        raise ValueError(f"{file}: {type(error).__name__}{where}: {shorten(said, 120)}") from error
    except (Exception, SystemExit) as error:
        said = f"{type(error).__name__}{last_line(error, path)}{f': {shorten(str(error), 120)}' if str(error) else ''}"
        raise ValueError(f"{file}: when it is run, it raises {said}") from error
    functions = {
        name: value
        for name, value in vars(module).items()
        if callable(value)
        and getattr(value, "__module__", None) == module.__name__
        and not name.startswith("_")
        and not inspect.isclass(value)
    }
    keep = functions.pop("keep", None)
    if "strategy" in vars(module):
        found = vars(module)["strategy"]
    elif len(functions) == 1:
        (found,) = functions.values()
    else:
        there = f"it defines {' and '.join(functions)}" if functions else "there is no function in it"
        wanted = "define strategy(own, opponent, turn_total), which answers 'roll' or 'hold'"
        wanted = "name one of them strategy" if functions else wanted
        raise ValueError(f"{file}: {there}; {wanted}")
    if keep is not None and callable(found) and not hasattr(found, "keep"):
        found.keep = keep
    return found


def last_line(error, path):
    """The last line of a file in which an exception was raised: " in line 3"; "" if it was not there."""
    lines, trace = [], error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == str(path):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f" in line {lines[-1]}" if lines else ""
