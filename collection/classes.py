"""A class: rules dealt to everybody, hand-ins graded, and where the class has failed; for ``dicelab class``.

A class has a folder. In it ``class.json`` says what is asked of whom, and everybody has a notebook where nbgrader
expects it, ``student/title/title.ipynb``. Grades are in ``grades.csv``, and a page for each student in ``pages``.
"""

import hmac
import json
import re
from datetime import datetime
from functools import partial
from math import lcm
from pathlib import Path

import joblib
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from dicelab._files import atomic_write
from dicelab._limits import progress
from dicelab._validation import invalid
from dicelab.evaluation.best_response import best_response
from dicelab.games.catalogue import generalized_pig, pig
from dicelab_extras.grading import grade as grade_strategy
from dicelab_extras.grading.folder import round_robin
from dicelab_extras.grading.grade import told_columns
from dicelab_extras.grading.handins import answers_of, nbformat, walls
from dicelab_extras.grading.sandbox import policy_of_file

from .course.exercises import all_exercises, compare, rules_of
from .course.guide import POINTS, exercises_of, filled

__all__ = ["deal", "grade", "read_key", "report", "task_of"]

CLASS = "class.json"
CHANGES = {"students": [], "due": "", "sealed": False}  # what may be another when one deals again
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates" / "class"),
    autoescape=select_autoescape(["html.j2"]),
    undefined=StrictUndefined,
)
FEW = 3  # students whose names are given
DEALT = "rules = {  # yours", "rules=rules)"  # in cells that everybody has
SAME_CODE = 200  # characters of code that two students do not write alike by chance
PROJECT_RULES = "die", "target", "house"
PROJECT = """

**Project.** Write a strategy, `strategy.py`, in this folder: a function that is asked wherever there is a decision, as
`def strategy(own, opponent, turn_total, target): return "roll" if turn_total < 20 else "hold"`. It plays by your rules:
with your die, to your target, and *house* says how the race ends, as `finish` in `dl.generalized_pig`. And it plays Pig
to {project} points against everybody's. It is judged exactly: what it gives away, by which decisions, and what the best
response to it wins."""


def read_key(file):
    """The teacher's key in a file: at least 32 random characters, which nobody else has; bytes."""
    key = Path(file).expanduser().read_bytes().strip()
    if len(key) < 32:
        raise invalid("--key", str(file), "a file with at least 32 random characters")
    return key


def deal(folder, students, key, asked, *, title, due="", sealed=False, files=(), project=0):
    """Deal rules to everybody: a notebook for each student who has none yet.

    Parameters
    ----------
    folder : Path
    students : DataFrame
        With a column "student": a number or a short name, of letters, digits, ``.``, ``_`` and ``-``.
    key : bytes
        Of the teacher; see `read_key`.
    asked : sequence of str
        The exercises.
    title : str
        Of the homework, a name as that of a student.
    due : str
        The day or time after which a hand-in is late, as 2027-01-31 or 2027-01-31T18:00.
    sealed : bool
        Students do not see whether their homework is right, the exercises with an h in their number.
    files : sequence of paths
        Of questions of your own.
    project : int
        Ask for a strategy, too; all meet in Pig to so many points. 0 if not.

    Returns
    -------
    DataFrame
        For each number that is asked for the smallest, the middle and the largest right answer in the class.

    Raises
    ------
    ValueError
        If an argument is not as described, or the folder is that of other exercises or another key.
    """
    if "student" not in students or students["student"].duplicated().any():
        raise invalid("--students", [*students], "a table with a column student, everybody once")
    for name in (*students["student"].fillna(""), title):
        if not re.fullmatch(r"(?!pages$)\w[\w.-]*", name):
            raise invalid("name", name, "letters, digits, '.', '_' and '-', and not pages")
    known, _ = all_exercises(*files)
    for number in asked:
        if number not in known:
            raise invalid("exercise", number, f"one of {', '.join(known)}")
    if due and datetime.fromisoformat(due).tzinfo:
        raise invalid("--due", due, "a day or a time without a zone, as 2027-01-31T18:00")
    told = {
        "title": title,
        "asked": [*dict.fromkeys(asked)],
        "due": due,
        "sealed": sealed,
        "project": project,
        "files": [str(Path(file).absolute()) for file in files],
        "key": fingerprint(key),
    }
    file, joined = folder / CLASS, dict.fromkeys(students["student"])
    if file.exists():
        before = json.loads(file.read_text(encoding="utf-8"))
        joined = dict.fromkeys([*before["students"], *students["student"]])
        if {**before, **CHANGES} != {**told, **CHANGES}:
            raise invalid(
                "folder",
                str(folder),
                "a new folder; this one is of other exercises, another title, or another key",
            )
    answers = []
    for student in joined:
        rules = rules_of(student, key, *files)
        notebook = folder / student / title / f"{title}.ipynb"
        if not notebook.exists():
            notebook.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(notebook) as part:
                part.write_text(
                    homework(told, [known[each] for each in told["asked"]], rules), encoding="utf-8"
                )
        answers += [
            (number, place, float(value))
            for number in told["asked"]
            for place, value in known[number].answer_keys(**rules)[0].right.items()
            if not isinstance(value, str)
        ]
    with atomic_write(file) as part:
        part.write_text(json.dumps(told | {"students": [*joined]}, indent=1) + "\n")
    table = pd.DataFrame(answers, columns=["exercise", "place", "value"]).astype({"value": float})
    return table.groupby(["exercise", "place"], sort=False)["value"].agg(["min", "median", "max"])


def fingerprint(key):
    """What says whether a key is the same, and not what it is."""
    return hmac.digest(key, b"the key of a class", "sha256").hex()[:16]


def task_of(asked, rules):
    """What an exercise asks for, in Markdown, with somebody's rules; and its points."""
    chapter, _, number = asked.number.partition(".")
    section = "Homework" if number.startswith("h") else "Exercises"
    found = (
        {n: (level, text) for n, level, text in exercises_of(chapter.zfill(2), section)}
        if chapter.isdigit()
        else {}
    )
    own = filled(asked.answer.__doc__ or "", rules)
    level, text = found.get(number.removeprefix("h"), ("B", ""))
    points = sum(asked.rubric.values()) or POINTS[level]
    yours = ", ".join(f"{name}: {in_words(rules[name])}" for name in asked.own_rules)
    text = re.sub(r"\[([^]]*)\]\((?!\w+:)[^)]*\)", r"\1", text)  # links lead nowhere from here
    lines = [
        f"**{asked.number}** ({points} points) {text}",
        f"*With your rules.* {own} ({yours})" if yours else own,
    ]
    return "\n\n".join(filter(str.strip, lines)), points


def in_words(value):
    """A rule in words: a die by its faces."""
    if not isinstance(value, list):
        return str(value)
    sides = lcm(*(p.denominator for p in value))
    shown = [str(face) for face, p in enumerate(value) for _ in range(int(p * sides))]
    return f"the faces {', '.join(shown)}, where 0 is a bust"


def homework(dealt, asked, rules):
    """The notebook of a student, in nbgrader's format, as text."""
    used = {
        *(PROJECT_RULES if dealt["project"] else ()),
        *(name for each in asked for name in each.own_rules),
    }
    mine = {name: value for name, value in rules.items() if name in used}
    plain = {
        name: [*map(str, value)]
        if name == "die"
        else value
        if isinstance(value, int)
        else str(value)
        for name, value in mine.items()
    }
    text = TEMPLATES.get_template("homework.ipynb.j2").render(
        dealt | {"project": PROJECT.format(**dealt) if dealt["project"] else ""},
        rules=[(name, repr(plain[name]), in_words(value)) for name, value in mine.items()],
        tasks=[(each.number, each.calls, *task_of(each, rules)) for each in asked],
    )
    return nbformat.writes(nbformat.reads(text, as_version=4))


def grade(folder, key, seconds=120):
    """Run and judge what a class has handed in; writes ``grades.csv`` and a page for each student.

    Parameters
    ----------
    folder : Path
        Of a class that was dealt.
    key : bytes
        Of the teacher, as it was dealt.
    seconds : int
        The time that each notebook has.

    Returns
    -------
    DataFrame
        A row for each student and exercise: points, of how many, what is wrong, the hint, and remarks: late, or copied.

    Raises
    ------
    ValueError
        If the folder is no class's, or the key another one.
    """
    dealt = read_class(folder)
    if dealt["key"] != fingerprint(key):
        raise ValueError("--key: this is not the key that the class was dealt with")
    known, _ = all_exercises(*dealt["files"])
    asked = [known[number] for number in dealt["asked"]]
    rules = {student: rules_of(student, key, *dealt["files"]) for student in dealt["students"]}
    cores = joblib.cpu_count()
    jobs = joblib.Parallel(cores, backend="threading", return_as="generator")(
        joblib.delayed(handed_in)(folder / student, dealt, asked, seconds, cores)
        for student in rules
    )
    given = dict(zip(rules, progress(jobs, "running hand-ins", "student", len(rules)), strict=True))
    rows = []
    for student, (answers, remarks, errors, code) in given.items():
        twins = [
            f"the same code as {other}"
            for other, (*_, theirs) in given.items()
            if other != student and code == theirs and len(code) >= SAME_CODE
        ]
        rows += [
            {
                "student": student,
                **judged(each, answers, errors, [*remarks, *twins], student, rules),
            }
            for each in asked
        ]
    grades = pd.DataFrame(rows)
    with atomic_write(folder / "grades.csv") as part:
        grades.to_csv(part, index=False, lineterminator="\n")
    judged_strategies = {}
    if dealt["project"]:
        strategies, judged_strategies = standings(folder, dealt, rules)
        with atomic_write(folder / "project.csv") as part:
            strategies.to_csv(part, lineterminator="\n")
    (folder / "pages").mkdir(exist_ok=True)
    for student, mine in grades.groupby("student"):
        page = TEMPLATES.get_template("student.html.j2").render(
            dealt,
            student=student,
            rows=mine.to_dict("records"),
            place=strategies.loc[student].dropna().to_dict() if dealt["project"] else {},
            strategy=judged_strategies.get(student),
            columns=told_columns,
        )
        with atomic_write(folder / "pages" / f"{student}.html") as part:
            part.write_text(page, encoding="utf-8")
    return grades


def read_class(folder):
    """What ``class.json`` in a folder says."""
    file = folder / CLASS
    if not file.is_file():
        raise invalid(
            "folder",
            str(folder),
            f"the folder of a class, in which `dicelab class deal` has written {CLASS}",
        )
    return json.loads(file.read_text(encoding="utf-8"))


def handed_in(folder, dealt, asked, seconds, at_once):
    """What a student has handed in: answers by exercise, remarks, errors, and the code, without spaces."""
    file = folder / dealt["title"] / f"{dealt['title']}.ipynb"
    if not file.is_file() or not file.resolve().is_relative_to(folder.resolve()):
        return (
            {},
            [],
            ["nothing is handed in" if not file.is_file() else "it is a link to elsewhere"],
            "",
        )
    stamp = file.with_name("timestamp.txt")  # of nbgrader
    time = pd.to_datetime(stamp.read_text()[:19], errors="coerce") if stamp.exists() else pd.NaT
    time = pd.Timestamp.fromtimestamp(file.stat().st_mtime) if time is pd.NaT else time
    due = pd.Timestamp(dealt["due"] or time)
    over = time > due + pd.Timedelta(days=int(due == due.normalize()))
    late = [f"late: {time:%Y-%m-%d %H:%M}"] if over and dealt["due"] else []
    try:
        calls = {each.number: [*each.calls] for each in asked}
        told = answers_of(file, "collection", calls, seconds, at_once)
        own = [
            "".join(cell.source.split())
            for cell in nbformat.read(file, as_version=4).cells
            if cell.cell_type == "code" and not any(mark in cell.source for mark in DEALT)
        ]
        return dict(told["answers"]), late, [*map(str, told["errors"])], "".join(own)
    except Exception as error:  # whatever is in the notebook, the others are graded
        return {}, late, [str(error)], ""


def judged(asked, answers, errors, remarks, student, rules):
    """The points for an exercise, and what is to be said of it; a dict."""
    given, points = answers.get(asked.number), task_of(asked, rules[student])[1]
    row = {
        "exercise": asked.number,
        "rules": "; ".join(f"{name}: {in_words(rules[student][name])}" for name in asked.own_rules),
        "points": 0,
        "of": points,
        "wrong": "",
        "hint": "",
    }
    many = isinstance(given, list) and [isinstance(each, dict) for each in given]
    if not isinstance(given, str) and many != [True] * len(asked.calls or [0]):
        row["wrong"] = f"There is no answer. {' '.join(errors)}".strip()
    elif checked := compare(asked, given, rules[student]):
        row["points"] = points
    else:
        wrong = re.sub(r"^(?=[=+@-])", "'", " ".join(checked.wrong))  # no formula of a spreadsheet
        row |= {"wrong": wrong, "hint": checked.hint}
        right = [
            other for other in rules if asked.own_rules and compare(asked, given, rules[other])
        ]
        said = f"right with the rules of {' and '.join(right) if len(right) < FEW else f'{len(right)} others'}"
        remarks = [*remarks, *([said] if right else [])]
    return row | {"remarks": "; ".join(remarks)}


def report(folder):
    """Where a class has failed: two DataFrames, by exercise, and by the wrong answers that were expected.

    Raises
    ------
    ValueError
        If nothing was graded yet.
    """
    file = folder / "grades.csv"
    if not file.is_file():
        raise invalid(
            "folder", str(folder), "the folder of a class that `dicelab class grade` has graded"
        )
    grades = pd.read_csv(file, dtype={"exercise": str, "student": str}, keep_default_na=False)
    missing = grades["wrong"].str.startswith("There is no answer.")
    kinds = missing.map({True: "no answer", False: "wrong"}).mask(grades["points"] > 0, "right")
    by_exercise = pd.crosstab(grades["exercise"], kinds).reindex(grades["exercise"].unique())
    hints = grades[grades["hint"] != ""].groupby(["exercise", "hint"], sort=False)["student"]
    by_slip = hints.agg(students="count", who=", ".join).reset_index()
    return by_exercise, by_slip.sort_values("students", ascending=False)


def standings(folder, dealt, rules):
    """The strategies that a class has handed in, exactly: each under the rules of its own, and all in one round robin.

    Returns
    -------
    DataFrame, dict of str to Grade
        By student: "loss" and what the best response wins under their own rules; the mean probability to win against
        each of the others in the game of all, and the place; or why it was "refused".
    """
    common, rows, grades, policies = pig(dealt["project"]), {}, {}, {}
    for student in progress(rules, "asking strategies", "student"):
        place = (folder / student).resolve()
        files = [
            file
            for file in place.glob(f"{dealt['title']}/strategy.*")
            if file.resolve().is_relative_to(place)
        ]
        mine = rules[student]
        game = generalized_pig(mine["die"], mine["target"], finish=mine["house"], name="Your game")
        rows[student] = {"refused": "" if files else "nothing is handed in"}
        for file in files[:1]:
            try:
                seen = partial(
                    policy_of_file, file=str(file.absolute()), walls=walls(file.absolute())
                )
                own, policies[student] = seen(game), seen(common)
            except ValueError as error:
                rows[student]["refused"] = str(error).replace(f"{file.parent}/", "")
                continue
            grades[student] = found = grade_strategy(game, own)
            best = best_response(game, own)
            rows[student] |= {"loss": found.loss, "best response": best.value}
    table = pd.DataFrame.from_dict(rows, "index")
    table["round robin"] = pd.Series(
        round_robin(common, [*policies.values()]), [*policies], dtype=float
    )
    table["place"] = (
        table["round robin"].round(12).rank(ascending=False, method="min").astype("Int64")
    )
    return table.rename_axis("student"), grades
