"""The commands of proofs, which ``dicelab`` finds by their entry points: certificates, and games for model checkers."""

import click

from dicelab._validation import check_path
from dicelab.cli import (
    NAMES_OF_GAMES,
    game_argument,
    game_named,
    short_errors,
    target_option,
)

__all__ = ["certify", "export", "warm_up"]


def warm_up():
    """Compile what a certificate needs."""
    from dicelab.evaluation.solving import solve

    from .certify import certify as certify_solution

    certify_solution(solve(game_named("pig", 9)))


@click.command(epilog=NAMES_OF_GAMES)
@game_argument
@target_option
@click.option(
    "-o", "file", type=click.Path(), metavar="FILE", required=True, help="The file to write, .cert."
)
def certify(game, target, file):
    """Prove the values of GAME and its decisions in a certificate.

    The certificate lists the rules, bounds of all values, and all decisions proved optimal. Others can check it without
    dicelab, in integers, by one short program that says itself why that suffices:

    \b
    python3 witness/check.py FILE
    """
    from dicelab.evaluation.solving import solve

    from . import certificate_file
    from .certify import certify as certify_solution

    with short_errors():
        rules = certificate_file.check_writable(game_named(game, target))
        check_path(file, "path", certificate_file.ENDINGS)
        certificate = certify_solution(solve(rules))
        click.echo(certificate)
        click.echo(f"{file}: {certificate_file.write_certificate(certificate, file)}")


@click.command(epilog=NAMES_OF_GAMES)
@game_argument
@target_option
@click.option(
    "-o",
    "file",
    type=click.Path(),
    metavar="FILE",
    required=True,
    help="The file to write, .prism.",
)
def export(game, target, file):
    """Write GAME for a model checker, PRISM-games.

    FILE is a turn-based stochastic game as a text. Both players decide. The last line is the property that gives the
    probability that the first player wins.
    """
    from .export import PROPERTY
    from .export import export as write

    with short_errors():
        write(game_named(game, target), file)
    click.echo(f"{file}\n{PROPERTY}")
