"""The door for strategies that people bring: whatever they have is read here, once, as a policy of one game.

It is what the library takes (:mod:`dicelab.strategies`); the name of a rule of thumb; a function whose name says what
True means; a table with labels or words (tables); or a file with one of these: ``mine.py``, ``mine.py:name``,
``mine.csv``, ``mine.json``.
"""

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import numpy as np

from dicelab._parameters import shown_name, words_of
from dicelab._text import trimmed
from dicelab._validation import check_option, did_you_mean, invalid
from dicelab.games.named import read_game
from dicelab.policies import Policy
from dicelab.rules_of_thumb import RULES, Rule, read_rule
from dicelab.strategies import ask, last_line, raised, read_strategy, recorded

from .answers import Answers
from .tables import ENDINGS, HOLDS, NEUTRAL, ROLLS, is_table, read_table, read_table_file
from .time_limit import TimeUp, call_of_user

__all__ = ["Strategy", "load_strategy", "meaning_of_answers", "read"]

# Also DataFrames, which need no import here.
Strategy: TypeAlias = Policy | int | str | os.PathLike | Callable | np.ndarray | Sequence | Mapping


def read(game, strategy, field="strategy", true=None, none=None):
    """Read whatever plays as a policy of a game.

    Parameters
    ----------
    game : Game or str
    strategy : strategy
        As :func:`grade` takes it.
    field : str
        The argument of the caller, for messages.
    true, none : {"roll", "hold"}, optional
        As :func:`grade` takes them.

    Returns
    -------
    Policy
        With `read_as`: how it was read.

    Raises
    ------
    ValueError
        If it is not understood; the message names the argument and what is allowed.

    Examples
    --------
    >>> read("pig 10", lambda me, them, pot: "roll" if pot < 4 else "hold").read_as
    "me is the own score, them is the opponent's score, pot is the turn total"
    """
    game = read_game(game)
    for name, word in (("true", true), ("none", none)):
        check_option("roll" if word is None else word, name, ["roll", "hold"])
    if isinstance(strategy, Policy) or getattr(strategy, "players", 2) != 2:
        return read_strategy(game, strategy, field)
    if isinstance(strategy, str | os.PathLike):
        return _read_text(game, strategy, field, true, none)
    if is_table(strategy):
        return recorded(game, "table of decisions", *read_table(game, strategy, field))
    if callable(strategy) and not inspect.isclass(strategy):
        return _of_function(game, strategy, field, true, none)
    return read_strategy(game, strategy, field)


def _of_function(game, function, field, true, none):
    """The policy of a function, whose True and None mean what its name says, or what is given."""
    meaning, said = meaning_of_answers(function), ", by its name"
    if true is not None and meaning is None:
        meaning, said = true == "roll", ""
    elif true is not None and meaning != (true == "roll"):
        raise ValueError(
            f"{field}: true={true!r} is not allowed, as the name {shown_name(function)} says that True means the "
            "other; rename the function, or leave true out"
        )
    policy = ask(Answers(game, limited(function, none), field, meaning, said))
    more = "" if none is None else f"; None means {none}"
    return replace(policy, read_as=policy.read_as + more)


def limited(strategy, none=None):
    """What a user wrote, so that each call of its functions is stopped in time; see :func:`call_of_user`.

    In place of None a function answers `none`.
    """
    if type(strategy) is Rule and not strategy.never_changes:
        return replace(strategy, holds=limited(strategy.holds))
    is_function = callable(strategy) and not isinstance(strategy, type | Policy)
    if (
        not is_function
        or inspect.iscoroutinefunction(strategy)
        or inspect.isgeneratorfunction(strategy)
    ):
        return strategy

    @wraps(strategy)
    def call(*told, **named):
        try:
            answer = call_of_user(strategy, *told, **named)
        except TimeUp as error:
            raise TimeoutError(str(error)) from None
        return none if answer is None else answer

    call.__name__ = shown_name(strategy)
    if callable(keep := getattr(strategy, "keep", None)):
        call.keep = limited(keep)
    return call


def meaning_of_answers(function):
    """Whether True means to roll, by the function's name; None if the name does not say it, as "hold_off".

    >>> def should_roll(own, opponent, turn_total): ...
    >>> meaning_of_answers(should_roll), meaning_of_answers(lambda own: True)
    (True, None)
    """
    words = {word for word in words_of(shown_name(function)) if not word.isdigit()}
    rolls, holds = bool(words & ROLLS), bool(words & HOLDS)
    return rolls if rolls != holds and words <= ROLLS | HOLDS | NEUTRAL else None


def _read_text(game, text, field, true, none):
    """A strategy that is given as text: the name of a rule of thumb, or that of a file."""
    name = trimmed(text) if isinstance(text, str) else str(text)
    file, _, function = name.partition(".py:")
    if function or Path(name).suffix.lower() == ".py":
        found = load_strategy(f"{file}.py" if function else name, function or None)
        if isinstance(found, str | os.PathLike):
            raise invalid(field, found, "a file with a function, a table or a policy, not a name")
        found = limited(found) if isinstance(found, Policy) else found
        return read(game, found, field, true, none)
    if Path(name).suffix.lower() in ENDINGS:
        table, axes = read_table_file(name, field)
        if is_table(table):
            return recorded(game, Path(name).name, *read_table(game, table, field, axes))
        if not isinstance(table, str):  # JSON may hold a number, or the name of a rule
            return read(game, table, field)
        name = trimmed(table)
    rule = read_rule(name)
    if rule is None:
        rules, endings = ", ".join(map(repr, RULES)), ", ".join([".py", *ENDINGS])
        allowed = f"a rule, {rules} with a number for n, or a file that ends in {endings}"
        raise invalid(field, name, allowed + did_you_mean(name, RULES))
    return rule


class UncachedLoader(SourceFileLoader):
    """Loads a file as it is now: bytecode is neither read nor written."""

    def get_code(self, fullname):
        """See importlib."""
        return self.source_to_code(self.get_data(self.path), self.path)


def load_strategy(file, name=None):
    """Run a Python file of the user, and return the strategy that it defines; ValueError if that is not possible.

    It is the object called `name`, by default `strategy`; otherwise its only public function apart from `keep`. A
    function `keep` in the file says which choice to take after a roll; see :func:`~dicelab_extras.grading.grade`.
    """
    path = Path(file)
    if not path.is_file():
        what = "this is a folder" if path.is_dir() else "there is no such file"
        raise ValueError(f"{file}: {what}; give a Python file that defines a function strategy")
    # In sys.modules, because dataclasses look their module up there.
    module = ModuleType("the_strategy")
    module.__file__, sys.modules[module.__name__] = str(path), module
    sys.path.insert(0, str(path.resolve().parent))  # as for a script: it may import its neighbours
    try:
        call_of_user(UncachedLoader(module.__name__, str(path)).exec_module, module)
    except TimeUp as error:
        raise ValueError(f"{file}: when it is run, it {error}") from None
    except (Exception, SystemExit) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        where = f" in line {line}" if line else last_line(error, path)
        raise ValueError(f"{file}: when it is run, it raises {raised(error, where)}") from error
    functions = {
        name: value
        for name, value in vars(module).items()
        if callable(value)
        and getattr(value, "__module__", None) == module.__name__
        and not name.startswith("_")
        and not inspect.isclass(value)
    }
    for called, function in functions.items():
        if getattr(function, "__name__", "") == "<lambda>":  # the name that the file gives it
            function.__name__ = called
    keep = functions.pop("keep", None)
    there = f"it defines {' and '.join(functions)}" if functions else "there is no function in it"
    if name is not None and name not in vars(module):
        raise ValueError(f"{file}: there is no {name!r}; {there}{did_you_mean(name, functions)}")
    if name is None and ("strategy" in vars(module) or len(functions) == 1):
        name = "strategy" if "strategy" in vars(module) else next(iter(functions))
    if name is None:
        classes = [
            called
            for called, value in vars(module).items()
            if inspect.isclass(value) and value.__module__ == module.__name__
        ]
        wanted = "define strategy(own, opponent, turn_total), which answers 'roll' or 'hold'"
        if functions:
            wanted = f"name one of them strategy, or give {file}:{next(iter(functions))}"
        elif classes:
            there += f", but a class {classes[0]}; add strategy = {classes[0]}()"
        raise ValueError(f"{file}: {there}; {wanted}")
    found = vars(module)[name]
    if keep is not None and callable(found) and not hasattr(found, "keep"):
        found.keep = keep
    return found
