"""The command line: ``dicelab reproduce``, ``compare``, ``slides``, ``site``, ``solve`` and ``play``."""

import signal
import sys
from contextlib import contextmanager

import click

from .games.catalogue import GAMES
from .papers.comparison import compare as compare_numbers
from .papers.published import check_notebooks
from .solution import OBJECTIVES

EXPECTED = (ValueError, NotImplementedError, ArithmeticError, MemoryError, OSError, ModuleNotFoundError)


@contextmanager
def short_errors(*usage):
    """Turn expected errors into one line without a traceback: exit status 2 for those in `usage`, 1 for the others."""
    try:
        yield
    except usage as error:
        raise click.UsageError(str(error)) from None
    except EXPECTED as error:
        raise click.ClickException(str(error)) from None


@click.group()
@click.version_option(package_name="dicelab")
def main():
    """Jeopardy dice games solved exactly, and the papers on them rerun."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # clean up, as after Ctrl-C


@main.command()
@click.argument("papers", nargs=-1)
@click.option("-p", "parameters", nargs=2, multiple=True, metavar="NAME VALUE", help="Set a notebook parameter.")
@click.option("--jobs", default=-1, show_default=True, help="Notebooks at a time; -1 for one per core.")
@click.option("--timeout", default=1800, show_default=True, help="Seconds that one cell may take.")
def reproduce(papers, parameters, jobs, timeout):
    """Rerun PAPERS, by default all: figures/, executed copies and a report under build/.

    Exit status: 0 if every printed number agrees or is a known erratum, 1 if one does not or a notebook fails, 2 if
    a paper or parameter does not exist.
    """
    with short_errors(ValueError):
        check_notebooks()
        from .papers import runner
        from .papers.report import summary

        values = {name: runner.read_value(text) for name, text in parameters}
        results = runner.reproduce(papers, values, jobs=jobs, timeout=timeout)
    click.echo(summary(results))
    raise SystemExit(0 if all(result.ok for result in results) else 1)


@main.command()
@click.argument("paper")
@click.argument("table", required=False)
def compare(paper, table):
    """Print every number of PAPER, or of one TABLE of it, beside the computed one."""
    with short_errors(ValueError):
        numbers = compare_numbers(paper, table)
    click.echo(numbers.to_string(index=False))
    raise SystemExit(1 if (numbers["verdict"] == "mismatch").any() else 0)


@main.command()
@click.argument("lectures", nargs=-1)
@click.option("--timeout", default=600, show_default=True, help="Seconds that one cell may take.")
def slides(lectures, timeout):
    """Execute LECTURES, by default all, and write them as slides to build/slides/."""
    with short_errors(ValueError):
        check_notebooks()
        from .papers.slides import make_slides

        failures = make_slides(lectures, timeout)
    for name, reason in failures.items():
        click.echo(f"{name}: {reason or f'build/slides/{name}.html'}")
    raise SystemExit(any(failures.values()))


@main.command()
@click.option("--timeout", default=1800, show_default=True, help="Seconds that one cell may take.")
def site(timeout):
    """Rerun everything and write it as a static site to build/site/: notebooks, slides, a page to play on."""
    with short_errors(ValueError):
        check_notebooks()
        from .papers.site import make_site

        problems = make_site(timeout)
    click.echo("\n".join(problems) or "build/site/index.html")
    raise SystemExit(bool(problems))


def game_named(name, target):
    """A game of the catalogue, with its own target by default."""
    return GAMES[name](**({"target": target} if target else {}))


game_argument = click.argument("game", type=click.Choice(list(GAMES)))
target_option = click.option("--target", type=click.IntRange(1), help="Points that win; by default the game's own.")


@main.command()
@game_argument
@target_option
@click.option("--objective", type=click.Choice(OBJECTIVES), default="win", show_default=True)
@click.option("--exact", is_flag=True, help="In fractions.")
@click.option("-o", "file", metavar="FILE", help="Write all values and decisions: .csv or .parquet.")
def solve(game, target, objective, exact, file):
    """Solve GAME: print its value, to the player about to move, and write its policy and values to FILE."""
    from .solvers import solve as solve_game
    from .views.tables import check_file, write

    with short_errors():
        if file is not None:
            check_file(file)
        solution = solve_game(game_named(game, target), objective, exact=exact)
        if file is not None:
            write(solution, file, progress=True)
    click.echo(solution.value)


@main.command()
@game_argument
@target_option
@click.option("--seed", type=click.IntRange(0), help="Of the dice, to play the same game again.")
@click.option("--hints/--no-hints", default=False, show_default=True, help="Show the win probability of every option.")
def play(game, target, seed, hints):
    """Play GAME in the terminal against the optimal player."""
    from .solvers import solve as solve_game
    from .views.session import GameSession
    from .views.terminal import play_in_terminal

    with short_errors():
        session = GameSession(solve_game(game_named(game, target)), seed)
    play_in_terminal(session, hints)
