"""Grading: strategies that people bring, read from whatever they have, and what they give away, exactly.

grade
    `grade` and `Grade`: what a strategy wins and gives away, and by which decisions.
reading, tables
    `read`: functions, tables with labels or words, and files, as policies.
sandbox, time_limit
    Python files of others in a process of their own, with limits of time and memory.
folder
    All strategies of a folder in one table, with their places in the exact round robin.
plots
    `mistakes`: where a strategy differs from best play. `standings`: the table of a folder.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .grade import Grade, grade
from .reading import read

if TYPE_CHECKING:
    from .plots import mistakes, standings

__all__ = ["Grade", "grade", "mistakes", "read", "standings"]


def __getattr__(name: str) -> Any:
    """Figures are imported when they are asked for, as they need matplotlib."""
    if name in ("mistakes", "standings"):
        return getattr(import_module(".plots", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
