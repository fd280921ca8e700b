"""The commands of the collection, which ``dicelab`` finds by their entry points: papers rerun, slides, the site."""

from functools import partial
from pathlib import Path

import click
from tqdm import tqdm

from dicelab._limits import progress
from dicelab._results import plain_of
from dicelab._text import choose, whole_number
from dicelab.cli import json_option, names, short_errors, tell

from .papers.published import PAPERS, QUESTIONS, ROOT

__all__ = ["compare", "group", "reproduce", "site", "slides", "verify"]

LECTURES = sorted(path.stem for path in (ROOT / "notebooks" / "lectures").glob("*.ipynb"))
JOBS = "Notebooks at a time; -1 for one per core."
INTO = "Write figures/ and build/ below FOLDER; by default in the repository."
PARAMETERS = "Set a parameter of the notebooks, for example largest_target 200. A wrong NAME is answered with all."
NAMES_OF_PAPERS = names("Papers:", [paper.slug for paper in PAPERS])
NAMES_TO_RERUN = names(
    "Papers, and questions of our own:", [paper.slug for paper in (*PAPERS, *QUESTIONS)]
)
NAMES_OF_LECTURES = names("Chapters:", LECTURES)


def chapter_named(text):
    """The chapter that is meant by its name or its number, 5 or 05; else the text itself."""
    numbered = {int(name.partition("-")[0]): name for name in LECTURES}
    return numbered.get(whole_number(text)) or choose(text, LECTURES)


def timeout_option(seconds):
    """The option --timeout of commands that run notebooks."""
    said = "Seconds that one cell may take."
    return click.option("--timeout", type=int, default=seconds, show_default=True, help=said)


into_option = click.option("--into", type=click.Path(), metavar="FOLDER", help=INTO)


@click.command(epilog=NAMES_OF_PAPERS)
@click.argument("paper")
@click.argument("table", required=False)
@json_option
def compare(paper, table, as_json):
    """Print the numbers of PAPER beside the computed ones.

    All numbers, or those of one TABLE. A wrong TABLE is answered with the names of all. Exit status: 1 if a number does
    not agree and is not a known erratum.
    """
    from .papers.comparison import compare as compare_numbers
    from .papers.tables import coverage

    with short_errors(ValueError):
        numbers = compare_numbers(paper, table)
    result = partial(dict, result="Comparison", numbers=plain_of(numbers))
    tell(f"{numbers.to_string(index=False)}\n{coverage(numbers)}", result, as_json)
    raise SystemExit(1 if (numbers["verdict"] == "mismatch").any() else 0)


@click.command(epilog=NAMES_TO_RERUN)
@click.argument("papers", nargs=-1)
@click.option("-p", "parameters", nargs=2, multiple=True, metavar="NAME VALUE", help=PARAMETERS)
@click.option("--n-jobs", "--jobs", type=int, default=-1, show_default=True, help=JOBS)
@click.option(
    "--parameters",
    "listed",
    is_flag=True,
    help="Only list the parameters: names, defaults, meanings.",
)
@timeout_option(1800)
@into_option
def reproduce(papers, parameters, n_jobs, listed, timeout, into):
    """Rerun PAPERS, by default all, and check their numbers.

    The figures go to figures/, the executed notebooks and a report to build/. With parameters other than a paper's own
    everything goes to build/variants/, a folder for each set of them. The last lines say where the results are.

    Exit status: 0 if every printed number agrees or is a known erratum, 1 if one does not or a notebook fails, 2 if
    a paper or parameter does not exist.
    """
    with short_errors(ValueError):
        from . import runner
        from .report import parameters_page, summary

        if listed:
            click.echo(parameters_page(papers))
            return
        results = runner.reproduce(
            papers, dict(parameters), n_jobs=n_jobs, timeout=timeout, into=into
        )
    click.echo(summary(results))
    raise SystemExit(0 if all(result.ok for result in results) else 1)


@click.command()
@click.argument("parts", nargs=-1)
@click.option(
    "--full",
    is_flag=True,
    help="Also what takes hours: long games, and all papers rerun end to end.",
)
def verify(parts, full):
    """Compute everything again, and compare it with files.

    All PARTS, or some of: sums, values, policies, situations, numbers, claims, witnesses, reruns. Each line says what
    is compared with what: "same", "differs" and how, or "skipped" and what is missing here. The files are in
    data/golden; data/README.md describes them, and says when values are the same. It takes some minutes.

    Exit status: 1 if anything differs.
    """
    from .verify import PARTS, checks, summary

    with short_errors(ValueError):
        chosen = checks([choose(part, [*PARTS]) for part in parts], full)
        lines = []
    for check in progress(chosen, "verify", "comparison"):
        lines.append(check())
        tqdm.write(str(lines[-1]))
    said, same = summary(lines)
    click.echo(said)
    raise SystemExit(0 if same else 1)


@click.command(epilog=NAMES_OF_LECTURES)
@click.argument("chapters", nargs=-1)
@timeout_option(600)
@into_option
def slides(chapters, timeout, into):
    """Execute CHAPTERS, by default all, and write slides.

    A chapter is given by its name or its number, 5. With the teachers' notebooks they are written to build/slides/.
    """
    with short_errors(ValueError):
        from .slides import make_slides

        failures = make_slides([*map(chapter_named, chapters)], timeout, into)
    for name, reason in failures.items():
        click.echo(f"{name}: {reason or Path(into or '', 'build', 'slides', f'{name}.html')}")
    raise SystemExit(any(failures.values()))


@click.command()
@timeout_option(1800)
@into_option
def site(timeout, into):
    """Rerun everything, and write it as a static site.

    It is written to build/site/: the papers, the other notebooks, slides, and a page to play on.
    """
    with short_errors(ValueError):
        from .site import make_site

        problems = make_site(timeout, into)
    click.echo("\n".join(problems) or Path(into or "", "build", "site", "index.html"))
    raise SystemExit(bool(problems))


key_option = click.option(
    "--key",
    required=True,
    type=click.Path(),
    help="A file with 32 random characters, which nobody else has.",
)
folder_argument = click.argument("folder", type=click.Path(file_okay=False, path_type=Path))


@click.group("class")
def group():
    """Give a class homework: rules of their own for everybody, hand-ins judged exactly, and a report."""


@group.command()
@folder_argument
@click.argument("exercises", nargs=-1, required=True)
@click.option(
    "--students", required=True, type=click.Path(), help="A table, .csv, with a column student."
)
@key_option
@click.option(
    "--title", default="homework", show_default=True, help="A name, which files have, too."
)
@click.option(
    "--due", default="", help="The day or time after which a hand-in is late: 2027-01-31T18:00."
)
@click.option("--sealed", is_flag=True, help="Students do not see whether their homework is right.")
@click.option(
    "--questions", multiple=True, type=click.Path(), help="A file of your own questions, .py."
)
@click.option(
    "--project",
    type=click.IntRange(0),
    default=0,
    help="Ask for a strategy, too; all meet in Pig to so many points.",
)
def deal(folder, exercises, students, key, title, due, sealed, questions, project):
    """Deal EXERCISES, as 1.1 1.h2, into FOLDER: a notebook for each student, with rules of their own.

    Who has a notebook keeps it, so that you may deal again when somebody joins. The table printed shows how large the
    right answers are in the class.
    """
    import pandas as pd

    from . import classes

    with short_errors():
        table = classes.deal(
            folder,
            pd.read_csv(students, dtype=str),
            classes.read_key(key),
            exercises,
            title=title,
            due=due,
            sealed=sealed,
            files=questions,
            project=project,
        )
    click.echo(f"{table.to_string(float_format='{:.6g}'.format)}\n{folder}")


@group.command("grade")
@folder_argument
@key_option
@click.option(
    "--seconds",
    type=click.IntRange(1),
    default=120,
    show_default=True,
    help="That a notebook may take.",
)
def grade_class(folder, key, seconds):
    """Run and judge what is handed in to FOLDER; writes grades.csv, and a page for each student.

    Every notebook runs behind walls, which bubblewrap builds (apt install bubblewrap): it sees the packages and nothing
    else of your files, reaches no network, and may take so many --seconds, its share of half of the memory, and 256 MB
    on a disk of its own. The walls are those of Linux: who breaks its kernel breaks them.
    """
    from . import classes

    with short_errors():
        grades = classes.grade(folder, classes.read_key(key), seconds)
    sums = grades.groupby("student", sort=False)[["points", "of"]].sum()
    click.echo(f"{sums.to_string()}\n{folder / 'grades.csv'}")


@group.command("report")
@folder_argument
def report_class(folder):
    """Say where the class of FOLDER has failed, by exercise and by wrong answer."""
    from . import classes

    with short_errors():
        by_exercise, by_slip = classes.report(folder)
    click.echo(f"{by_exercise.to_string()}\n")
    for row in by_slip.itertuples():
        click.echo(f"{row.exercise}, {row.students} of the class ({row.who}): {row.hint}")


@group.command("examination")
@folder_argument
@click.argument("questions", nargs=-1, required=True)
@key_option
@click.option("--title", default="examination", show_default=True, help="The name of the files.")
@click.option(
    "--variant", default="A", show_default=True, help="Any name; another one has other numbers."
)
def examination(folder, questions, key, title, variant):
    """Print QUESTIONS, as 1.x1 3.x2, into FOLDER: a PDF for the students, and one with answers and points."""
    from . import classes
    from .course.exercises import find
    from .examinations import make_examination

    with short_errors():
        rules = classes.rules_of(variant, classes.read_key(key))
        files = make_examination(folder, f"{title}-{variant}", [*map(find, questions)], rules)
    click.echo("\n".join(map(str, files)))
