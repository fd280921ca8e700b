"""The command line: thin wrappers, nothing else."""

import click

from .comparison import compare as compare_numbers


@click.group()
@click.version_option(package_name="dicelab")
def main():
    """Jeopardy dice games solved exactly, and the papers on them rerun."""


@main.command()
@click.argument("papers", nargs=-1)
@click.option("-p", "parameters", nargs=2, multiple=True, metavar="NAME VALUE", help="Set a notebook parameter.")
@click.option("--jobs", default=1, show_default=True, help="Notebooks at a time; -1 for one a core.")
@click.option("--timeout", default=1800, show_default=True, help="Seconds that one cell may take.")
def reproduce(papers, parameters, jobs, timeout):
    """Rerun PAPERS, by default all: figures/, executed copies and a report under build/.

    Exit status: 0 if every printed number agrees or is a known erratum, 1 if one does not or a notebook fails, 2 if
    what was asked for does not exist.
    """
    from . import reproduce as runner

    try:
        values = {name: runner.read_value(text) for name, text in parameters}
        results = runner.reproduce(papers, values, jobs=jobs, timeout=timeout)
    except runner.UsageError as error:
        raise click.UsageError(str(error)) from None
    click.echo(runner.summary(results))
    raise SystemExit(0 if all(result.ok for result in results) else 1)


@main.command()
@click.argument("paper")
@click.argument("table", required=False)
def compare(paper, table):
    """Print every number of PAPER, or of one TABLE of it, beside the computed one."""
    try:
        numbers = compare_numbers(paper, table)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(numbers.to_string(index=False))
    raise SystemExit(1 if (numbers["verdict"] == "mismatch").any() else 0)


@main.command()
@click.argument("lectures", nargs=-1)
@click.option("--timeout", default=600, show_default=True, help="Seconds that one cell may take.")
def slides(lectures, timeout):
    """Execute LECTURES, by default all, and write them as slides to build/slides/."""
    from .lectures import UsageError, slides

    try:
        said = slides(lectures, timeout)
    except UsageError as error:
        raise click.UsageError(str(error)) from None
    for name, reason in said.items():
        click.echo(f"{name}: {reason or f'build/slides/{name}.html'}")
    raise SystemExit(any(said.values()))
