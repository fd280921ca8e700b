"""The command of grading, which ``dicelab`` finds by its entry point."""

import click

from dicelab import cli
from dicelab._text import choose, trimmed
from dicelab.cli import (
    DRAWN,
    NAMES_OF_GAMES,
    NAMES_OF_RULES,
    OPTIMAL,
    Name,
    check_files,
    figure_option,
    game_named,
    in_columns,
    json_option,
    short_errors,
    target_option,
    tell,
    write_files,
)
from dicelab.games.catalogue import GAMES

from .sandbox import is_python_file, policy_of_file
from .tables import ENDINGS

__all__ = ["grade", "warm_up"]

AGAINST = "A rule, or a file with a strategy; by default the opponent plays optimally."
MISTAKES = "Write all decisions that give something away to FILE, .csv."


def asked(game, strategy):
    """What plays in a game: a Python file is asked for all decisions now, in a process with limits."""
    name = trimmed(strategy) if isinstance(strategy, str) else ""
    return policy_of_file(game, name) if is_python_file(name) else strategy


def warm_up():
    """Compile what a grade needs."""
    from .grade import grade as grade_strategy

    grade_strategy(game_named("pig", 9), 3)


def read_opponent(context, parameter, texts):
    """Read the only opponent: a file as its name, a rule; None for optimal play."""
    name = trimmed(texts[0]) if len(texts) == 1 else ""
    is_file = is_python_file(name) or name.lower().endswith(ENDINGS)
    return name if is_file else cli.read_opponent(context, parameter, texts)


@click.command(epilog=f"{NAMES_OF_GAMES}\n\n{NAMES_OF_RULES}")
@click.argument("strategy", metavar="STRATEGY")
@click.option(
    "--game",
    default="pig",
    show_default=True,
    type=Name(list(GAMES)),
    metavar="GAME",
    help="Below.",
)
@target_option
@click.option("--against", multiple=True, callback=read_opponent, metavar="RULE", help=AGAINST)
@figure_option(help=DRAWN.format("where the strategy differs from best play"))
@click.option("-o", "file", type=click.Path(), metavar="FILE", help=MISTAKES)
@json_option
def grade(strategy, game, target, against, figure, file, as_json):
    """Grade a strategy exactly: a Python file, a table, or a rule.

    STRATEGY is mine.py, or mine.py:name for one of several functions in it; a table, mine.csv or mine.json; or a rule
    of thumb, "hold at 20". A Python file is your own code, and is run as such. It defines a function, named strategy
    if there are several:

    \b
    def strategy(own, opponent, turn_total):
        return "roll" if turn_total < 20 else "hold"

    It is asked with the banked scores and the points of this turn, wherever there is a decision. Its parameters are
    read by their names, in any order (me, them, pending, target, …), and the first lines say how. It is asked
    everything twice, and must answer the same. With a parameter dice it is told the state of the dice, for example
    "forced" in double-trouble and "3 dice" in farkle. A function keep(own, opponent, turn_total, roll) in the file
    says which dice to set aside, as a list; without it those with the most points are.

    A table has the turn total to hold at: columns own, opponent and hold at, or a row for each own score and a column
    for each of the opponent's.

    The answer says what it wins and what it gives away. Nothing is simulated. A Python file runs in a process of its
    own: what it prints is not shown, and a call of more than 20 seconds, or more than half of the memory, is an error.
    """
    from dicelab.evaluation.solving import solve as solve_game

    from .grade import grade as grade_strategy
    from .grade import told_columns

    def draw(_):
        from .plots import mistakes  # needs matplotlib, which a grade does not

        return mistakes(graded)

    with short_errors():
        figure, file = check_files(figure, file)
        rules = game_named(game, target)
        if choose(trimmed(strategy), [OPTIMAL]) == OPTIMAL:
            strategy = solve_game(rules).policy
        graded = grade_strategy(rules, asked(rules, strategy), asked(rules, against))
        write_files(figure, draw, file, graded.decisions)
    words = [f"{graded}\n\n{in_columns(graded.matches)}"]
    if len(graded.worst):
        words.append(f"\n{in_columns(graded.worst[told_columns(graded)], index=False)}")
    tell("\n".join(words), graded.to_dict, as_json, file, figure)
