"""Results that go on: as a dict of plain values, which becomes JSON, and as a table; and when two are equal."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ._shown import Shown, name_of
from .games.model import Game


class Result(Shown):
    """The base class of what functions of the package return. Arrays are read-only, also after unpickling.

    Two results are equal if they are of one class and :meth:`to_dict` says the same of both.
    """

    KEYS: ClassVar[tuple[str, ...]] = ()  # of `to_dict`
    COLUMNS: ClassVar[tuple[str, ...]] = ()  # of `to_frame`: an attribute for each

    def __post_init__(self):
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    def __setstate__(self, state):
        self.__dict__.update(state)
        Result.__post_init__(self)

    def to_dict(self) -> dict[str, Any]:
        """The result as a dict that the module json can write: what the command line prints with --json.

        Returns
        -------
        dict
            "result" is the class; docs/package.md lists all keys. Numbers have full precision. A fraction is a text,
            "p/q", and a number that is not finite None. A game is a dict, a policy its name, a table a list of rows.
        """
        return {
            "result": type(self).__name__,
            **{name: plain_of(getattr(self, name)) for name in self.KEYS},
        }

    def to_frame(self) -> pd.DataFrame:
        """The result as a table, a DataFrame: a row for each player in order of play, "seat" 1, 2, …."""
        frame = pd.DataFrame({name: plain_of(getattr(self, name)) for name in self.COLUMNS})
        return frame.set_index(pd.RangeIndex(1, len(frame) + 1, name="seat"))

    def __eq__(self, other):
        return type(other) is type(self) and self.to_dict() == other.to_dict()

    def __hash__(self):
        return hash((type(self), getattr(self, "game", None)))


def plain_of(value):
    """A part of a result as JSON knows it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Fraction):  # of any number of digits
        return f"{Decimal(value.numerator)}/{Decimal(value.denominator)}"
    if isinstance(value, Game):
        return {name: getattr(value, name) for name in ("name", "target", "finish", "unit")}
    if isinstance(value, Result):
        return value.to_dict()
    if hasattr(value, "to_dict"):  # a DataFrame
        named = value.reset_index() if value.index.name else value
        return [plain_of(row) for row in named.to_dict("records")]
    if isinstance(value, Mapping):
        return {str(key): plain_of(each) for key, each in value.items()}
    if isinstance(value, tuple | list | np.ndarray):
        return [plain_of(each) for each in value]
    return name_of(value)
