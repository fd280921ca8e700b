"""What stands once in the course is taken from there to where it is read again.

``python -m collection.course.guide`` writes solutions and hints after a change, and a test says if that was forgotten.
The instructor's guide is built of ``teaching.md.j2`` beside the chapters, by :mod:`collection.course.pages`.

*Notes for the lecturer* are cells of a source with the tag "teacher", and the instructor's guide has a table of
them. The first line has a heading of the chapter (or several, with "; " between them), or "Opening", and the minutes.
Then come the fields that the note has, if need be for several questions, and then what else there is to say::

    **For the lecturer: Policy evaluation.** 5 minutes.

    - *Ask:* How many entries of the matrix are not 0?
    - *Wrong answer to expect:* n².
    - *Right answer:* At most six in a row.
    - *May be skipped:* the proof.

    Solve (3) on the board.

*Exercises* are numbered lines, ``1. *(A, by hand)* …``, in the sections Exercises and Homework of a chapter. The
guide has their points and minutes, and the notebook with the solutions the text of each exercise, in a cell with the
tag "exercise" below the heading "## 1. …".
"""

import json
import re
from inspect import cleandoc

import pandas as pd
from jinja2 import Environment, StrictUndefined

from dicelab._files import atomic_write
from dicelab_extras.grading.given import shown

from ..slides import LECTURES
from .editions import source_of
from .exercises import all_exercises
from .references import markdown_of

__all__ = [
    "GUIDE",
    "POINTS",
    "exercises_of",
    "guide_page",
    "notes_of",
    "solutions_with_exercises",
]

GUIDE = LECTURES / "teaching.md.j2"
TIMES = LECTURES / "answers" / "minutes.csv"  # what an exercise takes, by trial solutions
POINTS = {"A": 2, "B": 4, "C": 8}  # what an exercise of each level is worth
HEADING = re.compile(r"^###? (.+)$", re.MULTILINE)
NOTE = re.compile(r"\*\*For the lecturer: (.+?)(?:\.|(?<=\?))\*\* (\d+) minutes?\.")
TASKS = "exercise", "level", "points", "minutes", "if you do three"
COLUMNS = "section", "minutes", "question to put", "wrong answer to expect", "may be skipped"
FIELDS = {"Ask": COLUMNS[2], "Wrong answer to expect": COLUMNS[3], "Right answer": COLUMNS[3]}
FIELDS |= {"May be skipped": COLUMNS[4]}
FIELD = re.compile(rf"- \*({'|'.join(FIELDS)}):\* (\S.*)")
EXERCISE = re.compile(r"^(\d+)\. (\*\(([ABC]), .+)", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)#]*)")  # to a file


def notes_of(chapter):
    """The notes for the lecturer of a chapter, "03": sections, minutes, and pairs of a field and its text.

    Raises
    ------
    ValueError
        If a line of a note is not read.
    """
    path, found = source_of(_path("", chapter)), []
    known = {"Opening", *HEADING.findall(markdown_of(path))}
    for cell in _cells(path):
        if cell["metadata"].get("tags") != ["teacher"]:
            continue
        first, *parts = "".join(cell["source"]).split("\n\n")
        lines = parts.pop(0).splitlines() if parts and parts[0].startswith("- ") else []
        title, fields = NOTE.fullmatch(first), [FIELD.fullmatch(line) for line in lines]
        wrong = [line for line, field in zip(lines, fields, strict=True) if not field]
        wrong += [part for part in parts if part.startswith(("- ", "*"))]
        if not title or not known.issuperset(title[1].split("; ")):
            wrong = [first]
        if wrong:
            raise ValueError(f"{path.name}: no note for the lecturer is read in {wrong[0]!r}")
        found.append((title[1], int(title[2]), [field.groups() for field in fields]))
    return found


def exercises_of(chapter, section="Exercises"):
    """The exercises of a chapter, "03", or its homework: number, level, text.

    Raises
    ------
    ValueError
        If a numbered line has no level.
    """
    path = _path("", chapter)
    text = re.split(r"^## ", markdown_of(path).split(f"\n## {section}\n")[1], flags=re.MULTILINE)[0]
    found = [(number, level, words) for number, words, level in EXERCISE.findall(text)]
    for line in re.findall(r"^\d+\. .*", text, re.MULTILINE):
        if not EXERCISE.match(line):
            raise ValueError(f"{path.name}: no exercise is read in {line!r}")
    return found


def solutions_with_exercises(chapter):
    """The text of the notebook with the solutions of a chapter, with the text of each exercise below its heading."""
    source, path = _path("", chapter), _path("solutions/", chapter)
    texts = {f"## {number}. ": words for number, _, words in exercises_of(chapter)}
    notebook, cells = json.loads(path.read_text(encoding="utf-8")), []
    for cell in notebook["cells"]:
        if "exercise" in cell["metadata"].get("tags", []):
            continue
        cells.append(cell)
        heading, _, below = "".join(cell["source"]).partition("\n")
        number = re.match(r"## \d+\. ", heading)
        if cell["cell_type"] == "markdown" and number:
            words = LINK.sub(lambda link: f"](../{link[1] or source.name}", texts[number[0]])
            cell["source"] = [heading]
            cells.append(_markdown(f"> {words}", tags=["exercise"]))
            cells += [_markdown(below.strip("\n"))] if below.strip() else []
    for number, cell in enumerate(cells):
        cell["id"] = str(number)  # as nbstripout has them
    return json.dumps(notebook | {"cells": cells}, indent=1, ensure_ascii=False) + "\n"


def guide_page():
    """The instructor's guide, a str: what is written by hand, with tables made from chapters and solutions."""
    page = Environment(undefined=StrictUndefined, keep_trailing_newline=True).from_string(
        GUIDE.read_text(encoding="utf-8")
    )
    return page.render(chapter=_chapter, exercises=_exercises)


def _chapter(chapter):
    """The heading of a chapter, and a row for each question, the first of a note with its section and minutes."""
    rows, notes = [], notes_of(chapter)
    title = markdown_of(_path("", chapter)).partition("\n")[0]
    for section, minutes, fields in notes:
        rows.append(dict.fromkeys(COLUMNS, "") | {"section": section, "minutes": str(minutes)})
        first = rows[-1]
        for name, words in fields:
            if name == "Ask" and rows[-1]["question to put"]:
                rows.append(dict.fromkeys(COLUMNS, ""))
            row = first if name == "May be skipped" else rows[-1]
            words = f"*Right:* {words}" if name == "Right answer" else words
            row[FIELDS[name]] = f"{row[FIELDS[name]]} {words}".strip()
    table = _table(COLUMNS, [row.values() for row in rows])
    return f"##{title} ({sum(minutes for _, minutes, _ in notes)} minutes)\n\n{table}"


def _exercises(chapter):
    """What the exercises are worth, the wrong answers to expect, and questions for an examination."""
    questions = [
        "".join(cell["source"])
        for cell in _cells(source_of(_path("", chapter)))
        if "examination" in cell["metadata"].get("tags", ())
    ]
    times = pd.read_csv(TIMES, index_col="exercise", dtype=str, keep_default_na=False)
    tasks = []
    for section, letter in (("Exercises", ""), ("Homework", "h")):
        for number, level, _ in exercises_of(chapter, section):
            name = f"{int(chapter)}.{letter}{number}"
            minutes, first = times.loc[name] if name in times.index else ("", "")
            tasks.append((name, level, str(POINTS[level]), minutes, first))
    known = [
        each
        for each in all_exercises()[0].values()
        if each.number.split(".")[0] == str(int(chapter))
    ]
    rows = [(asked.number, f"`{slip}`", hint) for asked in known for hint, slip in slips_of(asked)]
    table = _table(("exercise", "wrong answer", "what `check` says to it"), rows)
    asked = "\n\n".join(
        [*questions, *("\n\n".join(asked_and_expected(each, {})) for each in known if each.rubric)]
    )
    return f"{_table(TASKS, tasks)}\nWrong answers to expect, with the rules of the lecture:\n\n{table}\n\n{asked}"


def slips_of(asked):
    """The wrong answers to an exercise, under the lecture's rules, by what is said to them; pairs of texts."""
    found = {}
    for key in asked.answer_keys():
        for values, hint in key.slips():
            if not key.right_in(values):
                wrong = [
                    "_"
                    if value is None
                    else shown(value)
                    if isinstance(value, (bool, str))
                    else f"{float(value):.6g}"
                    for value in values.values()
                ]
                found[hint] = wrong[0] if len(wrong) == 1 else f"[{', '.join(wrong)}]"
    return found.items()


def asked_and_expected(asked, rules):
    """A question of an examination, and what is expected, two texts in Markdown, under some rules."""
    rules = asked.own_rules | {name: rules[name] for name in asked.own_rules if name in rules}
    told = rules | {"answer": [*asked.answer_keys(**rules)[0].right.values()]}
    text = filled(cleandoc(asked.answer.__doc__), told)
    expected = [
        f"- {filled(words, told)} ({points} point{'s' * (points != 1)})"
        for words, points in asked.rubric.items()
    ]
    total = sum(asked.rubric.values())
    return f"**Question {asked.number}.** ({total} points) {text}", "*Expected:*\n\n" + "\n".join(
        expected
    )


def filled(text, fields):
    """A text with its fields filled in."""
    return Environment(undefined=StrictUndefined).from_string(text).render(fields)


def _table(heads, rows):
    lines = [heads, *([word.replace("|", r"\|") for word in row] for row in rows)]
    first, *others = (f"| {' | '.join(line)} |\n".replace("  |", " |") for line in lines)
    return f"{first}|{'---|' * len(heads)}\n{''.join(others)}"


def _path(folder, chapter):
    (path,) = LECTURES.glob(f"{folder}{chapter}-*.ipynb")
    return path


def _cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def _markdown(source, **metadata):
    source = source.splitlines(keepends=True)
    return {"cell_type": "markdown", "id": "", "metadata": metadata, "source": source}


def write_all():
    """Write what is made from chapters and solutions."""
    lectures = sorted(path.stem[:2] for path in LECTURES.glob("*.ipynb"))
    texts = {_path("solutions/", each): solutions_with_exercises(each) for each in lectures}
    for path, text in texts.items():
        with atomic_write(path) as part:
            part.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_all()
