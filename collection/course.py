"""The wrong answers that teachers expect, from the solutions into what `dl.check` says and into the instructor's guide.

They stand once: in the notebook with the solutions, below each solution, in a cell with the tag "wrong-answers". Its
first line names the exercise. Each further line is a wrong answer with its hint, which must not give the right one
away::

    **Wrong answers to exercise 1.7**

    - `[_, 20]`: 20 is the total for u(k) = k.
    - `spread(20) = 111.071299`: 111.071299 is the variance. The standard deviation is its root.

"_" is any number, and a function is quoted with one of the calls that the exercise makes. After a change, ``python -m
collection.course`` writes the hashes of all of them into ``data/course``, and the tables of the guide. A test says if
that was forgotten.
"""

import json
import re
from ast import literal_eval
from fractions import Fraction

from dicelab._files import atomic_write
from dicelab.papers.exercises import read_entries, with_hints, write_entries

from .slides import LECTURES

__all__ = ["GUIDE", "entries_of", "guide_with_tables", "wrong_answers"]

GUIDE = LECTURES / "teaching.md"
TABLE = re.compile(r"(<!-- wrong answers of (\d\d) -->\n).*?(<!-- end -->)", re.DOTALL)


def wrong_answers(lecture):
    """The expected wrong answers of a lecture, "03": exercise, wrong answer as written, hint.

    Raises
    ------
    ValueError
        If a line of a cell with the tag is not read.
    """
    (path,) = LECTURES.glob(f"solutions/{lecture}-*.ipynb")
    found = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if "wrong-answers" not in cell["metadata"].get("tags", []):
            continue
        title, *lines = filter(None, "".join(cell["source"]).splitlines())
        exercise = re.fullmatch(r"\*\*Wrong answers to exercise ([\d.]+)\*\*", title)
        for line in lines:
            parts = re.fullmatch(r"- `(.+?)`: (.+)", line)
            if not exercise or not parts:
                raise ValueError(
                    f"{path.name}: no wrong answer is read in {line!r} below {title!r}"
                )
            found.append((exercise[1], *parts.groups()))
    return found


def entries_of(lecture):
    """The entries of a lecture in ``data/course``, with the hints that the solutions have."""
    entries = read_entries(lecture)
    hints = {name: [] for name in entries if ".h" not in name}  # homework has no solutions
    for exercise, answer, hint in wrong_answers(lecture):
        hints[exercise].append((*_read(answer, entries[exercise]["calls"]), hint))
    return entries | {name: with_hints(name, entries[name], hints[name]) for name in hints}


def guide_with_tables():
    """The text of the instructor's guide, with today's tables of wrong answers."""

    def table(match):
        rows = "".join(
            f"| {n} | `{answer}` | {hint} |\n" for n, answer, hint in wrong_answers(match[2])
        )
        return f"{match[1]}| exercise | wrong answer | what `dl.check` says to it |\n|---|---|---|\n{rows}{match[3]}"

    return TABLE.sub(table, GUIDE.read_text(encoding="utf-8"))


def _read(text, calls):
    """The number of the call, and the wrong answer."""
    call, _, value = text.rpartition(" = ")
    number = 0
    if call:
        number = calls.index(literal_eval(f"[{call.partition('(')[2].removesuffix(')')}]"))
    values = [_value(each) for each in value.strip("[]").split(", ")]
    return number, values if value.startswith("[") else values[0]


def _value(text):
    return (
        {"_": None, "True": True, "False": False}[text] if text.isidentifier() else Fraction(text)
    )


if __name__ == "__main__":
    for path in sorted(LECTURES.glob("solutions/*.ipynb")):
        write_entries(path.stem[:2], entries_of(path.stem[:2]))
    tables = guide_with_tables()
    with atomic_write(GUIDE) as part:
        part.write_text(tables, encoding="utf-8")
