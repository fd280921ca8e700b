"""The command of grading, which ``dicelab`` finds by its entry point."""

from functools import partial
from importlib import import_module

import click

from dicelab import cli
from dicelab._results import plain_of
from dicelab._shown import title_of
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
from dicelab.evaluation.solving import solve as solve_game
from dicelab.games.catalogue import GAMES

from .grade import Grade, told_columns
from .grade import grade as grade_strategy
from .sandbox import is_python_file, policy_of_file
from .tables import ENDINGS

__all__ = ["grade", "warm_up"]

AGAINST = "A rule, or a file with a strategy; by default the opponent plays optimally."


def asked(game, strategy, **meant):
    """What plays in a game: a Python file is asked for all decisions now, in a process with limits."""
    name = trimmed(strategy) if isinstance(strategy, str) else ""
    return policy_of_file(game, name, **meant) if is_python_file(name) else strategy


def standings_in_words(game, against, table):
    """The standings of a folder in words: a table, how its strategies were read, and why others were refused."""
    read, rival = table[table["refused"] == ""], plain_of(against or "the optimal policy")
    lines = [f"{len(read)} of {len(table)} strategies in {title_of(game)}, against {rival}"]
    lines += [in_columns(read.iloc[:, :-2].reset_index(), index=False)] * (len(read) > 0)
    lines += [f"{n} read as: {said}" for said, n in read["read as"].value_counts().items() if said]
    return "\n".join(lines + [f"{k}: {said}" for k, said in table["refused"].items() if said])


def warm_up():
    """Compile what a grade needs."""
    grade_strategy(game_named("pig", 9), 3)


def read_opponent(context, parameter, texts):
    """Read the only opponent: a file as its name, a rule; None for optimal play."""
    name = trimmed(texts[0]) if len(texts) == 1 else ""
    if is_python_file(name) or name.lower().endswith(ENDINGS):
        return name
    return cli.read_opponent(context, parameter, texts)


@click.command(epilog=f"{NAMES_OF_GAMES}\n\n{NAMES_OF_RULES}")
@click.argument("strategy", type=click.Path(), metavar="STRATEGY")
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
@click.option(
    "--true",
    type=Name(["roll", "hold"]),
    help="What True means, where a function's name does not say it.",
)
@click.option(
    "--none",
    type=Name(["roll", "hold"]),
    help="What it means that a function returns nothing.",
)
@figure_option(help=DRAWN.format("where it differs from best play; of a folder, the standings"))
@click.option(
    "-o",
    "file",
    type=click.Path(),
    metavar="FILE",
    help="Write all decisions that give something away to FILE, .csv; of a folder, the table.",
)
@json_option
def grade(strategy, game, target, against, true, none, figure, file, as_json):
    """Grade a strategy exactly: a Python file, a table, or a rule; or a folder of them.

    STRATEGY is mine.py, or mine.py:name for one of several functions in it; a table, mine.csv or mine.json; or a rule
    of thumb, "hold at 20". Of a folder each file is a row of one table: what it wins and gives away, and its place
    when all play against all, or why it was refused.

    A Python file is run with your rights: limited in time and memory, it can still read and delete your files. It
    defines a function, named strategy if there are several:

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
    The files of a folder share that memory, and each has five minutes. Windows limits no calls, but a file to an hour.
    """
    with short_errors():
        figure, file = check_files(figure, file)
        rules, meant = game_named(game, target), {"true": true, "none": none}
        if choose(strategy, [OPTIMAL]) == OPTIMAL:
            strategy = solve_game(rules).policy
        given = [asked(rules, each, **meant) for each in (strategy, against)]
        graded = grade_strategy(rules, *given, **meant)
        alone, drawn = (True, "mistakes") if isinstance(graded, Grade) else (False, "standings")
        write_files(
            figure,
            lambda _: getattr(import_module(".plots", __package__), drawn)(graded),
            file,
            graded.decisions if alone else graded,
        )
    if not alone:
        rows = graded.astype(object).where(graded.notna(), None)
        told = {"result": "Standings", "game": rules, "against": against, "strategies": rows}
        words = standings_in_words(rules, against, graded)
        return tell(words, partial(plain_of, told), as_json, file, figure)
    words = [f"{graded}\n\n{in_columns(graded.matches)}"]
    if len(graded.worst):
        words.append(f"\n{in_columns(graded.worst[told_columns(graded)], index=False)}")
    tell("\n".join(words), graded.to_dict, as_json, file, figure)
