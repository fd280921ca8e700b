"""Grading: strategies that people bring, read from whatever they have, and what they give away, exactly.

grade
    `grade` and `Grade`: what a strategy wins and gives away, and by which decisions.
reading, tables
    `read`: functions, tables with labels or words, and files, as policies.
sandbox, time_limit
    Python files of others in a process of their own, with limits of time and memory.
plots
    `mistakes`: where a strategy differs from best play.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .grade import Grade, grade
from .reading import read

if TYPE_CHECKING:
    from .plots import mistakes

__all__ = ["Grade", "grade", "mistakes", "read"]


def __getattr__(name: str) -> Any:
    """`mistakes` is imported when it is asked for, as it needs matplotlib."""
    if name == "mistakes":
        return import_module(".plots", __name__).mistakes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
