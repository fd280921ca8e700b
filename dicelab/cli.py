"""The command line: ``dicelab solve``, ``evaluate``, ``hold-at-n`` and others."""

import json
import signal
import sys
from contextlib import contextmanager
from functools import partial
from importlib.metadata import entry_points

import click

from ._files import atomic_write
from ._limits import progress
from ._results import plain_of
from ._shown import title_of
from ._text import choose, misfit, plain, trimmed, whole_number
from ._validation import check_path, did_you_mean
from .games.catalogue import GAMES
from .rules_of_thumb import RULES, read_rule
from .solution import OBJECTIVES, VERDICTS

EXPECTED = (
    ValueError,
    NotImplementedError,
    ArithmeticError,
    MemoryError,
    OSError,
    ModuleNotFoundError,
)
ENTRY_POINTS = "dicelab.commands"  # the group in which other packages name theirs
WARM_UP = "dicelab.warm_up"  # and what they compile, functions without arguments
MOST = 10_000  # numbers in a range
AROUND = 5  # rows on either side of the best
NOT_HERE = (
    "{} runs the notebooks, which are not part of the installed package. Clone the repository of dicelab; "
    "in it run: pip install -e '.[papers]', and then this command again"
)
SETTINGS = {"token_normalize_func": str.lower, "help_option_names": ["-h", "--help"]}
JSON = (
    "Print JSON: numbers with full precision, fractions as texts. docs/package.md lists the keys."
)
TARGET = (
    "Points that win, or chips of 50 points in ten-thousand and farkle; by default the game's own."
)
FILE = "Write all values and decisions to FILE, .csv. With more than two players, the verdict on every tuple of needs."
TABLE = "Write the table to FILE, .csv."
ONE_AGAINST = "The rule of the opponent; by default the opponent plays optimally."
DRAWN = "Draw {}: .svg, .png or .pdf."
NOT_KEPT = (
    "Not kept: neither the package nor a home is writable. Let NUMBA_CACHE_DIR name a folder, now and whenever you "
    "use dicelab"
)


def names(title, all_names):
    """Names as the end of a help text, a line each."""
    return "\n  ".join([f"\b\n{title}", *all_names])


NAMES_OF_GAMES = names("Games:", GAMES)
OPTIMAL = "optimal"  # the rule of a player who plays optimally
NAMES_OF_RULES = names("Rules, with a number for n:", [*RULES, OPTIMAL])


@contextmanager
def short_errors(*usage):
    """Turn expected errors into one line without a traceback: exit status 2 for those in `usage`, 1 for the others."""
    try:
        yield
    except usage as error:
        raise click.UsageError(str(error)) from None
    except EXPECTED as error:
        raise click.ClickException(str(error) or type(error).__name__) from None


class CommandLine(click.Group):
    """A group of commands, with those of entry points."""

    def list_commands(self, context):
        """See click."""
        return sorted({*super().list_commands(context), *entry_points(group=ENTRY_POINTS).names})

    def get_command(self, context, name):
        """See click."""
        found = entry_points(group=ENTRY_POINTS, name=name)
        return command_of(*found) if found else super().get_command(context, name)


def command_of(entry_point):
    """The command of an entry point; in its place, where the collection is not installed, one that says so."""
    try:
        return entry_point.load()
    except ModuleNotFoundError as error:
        if error.name != entry_point.module.partition(".")[0]:
            raise
    options = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}

    def refuse():
        raise click.UsageError(NOT_HERE.format(entry_point.name))

    return click.Command(
        entry_point.name,
        options,
        refuse,
        short_help="Not installed: it is a part of the notebooks.",
    )


class Name(click.Choice):
    """One of some names; see :func:`dicelab._text.choose`."""

    def convert(self, value, parameter, context):
        """See click."""
        try:
            return super().convert(choose(value, self.choices), parameter, context)
        except click.BadParameter as error:
            error.message = error.message.rstrip(".") + did_you_mean(value, self.choices)
            raise


@click.group(cls=CommandLine, context_settings=SETTINGS)
@click.version_option(package_name="dicelab")
def main():
    """Jeopardy dice games solved exactly."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # and clean up


json_option = click.option("--json", "as_json", is_flag=True, help=JSON)


def tell(words, result, as_json, *written):
    """Print a result in words, or as JSON, for which `result` makes a dict; and the names of the files written."""
    if as_json:
        words = json.dumps(result(), ensure_ascii=False, allow_nan=False, indent=1)
    click.echo(words)
    for file in filter(None, written):
        click.echo(file, err=as_json)


def in_columns(table, **look):
    """A table to print, with six decimals."""
    return table.to_string(float_format="{:.6f}".format, **look)


def check_files(figure, file):
    """The paths of a figure and of a table to write, or None; before the work, also that figures can be drawn."""
    if figure:
        figure = check_path(figure, "--figure", (".svg", ".png", ".pdf"))
        from .views import plots  # noqa: F401
    return figure, file and check_path(file, "-o", (".csv",))


def write_files(figure, draw, file, table):
    """Write a figure, which `draw` makes by the module plots, and a table, if they are wanted."""
    if figure:
        from .views import plots

        drawn = draw(plots).figure
        with atomic_write(figure) as part:
            drawn.savefig(part, format=figure.suffix[1:], dpi=150)
    if file:
        with atomic_write(file) as part:
            table.to_csv(part, index=bool(table.index.name), lineterminator="\n")


def game_named(name, target):
    """A game of the catalogue, with its own target by default."""
    return GAMES[name](**({"target": target} if target else {}))


game_argument = click.argument("game", type=Name(list(GAMES)), metavar="GAME")
target_option = click.option("--target", type=click.IntRange(1), help=TARGET)
figure_option = partial(click.option, "--figure", type=click.Path(), metavar="FILE")
players_option = click.option(
    "--players", type=click.IntRange(2), default=2, show_default=True, help="How many play."
)


@main.command(epilog=NAMES_OF_GAMES)
@game_argument
@target_option
@click.option(
    "--objective",
    type=Name([*OBJECTIVES]),
    default="win",
    show_default=True,
    help="See above.",
)
@click.option(
    "--turns", type=click.IntRange(1), help="For deadline, total and rounds: a player's turns."
)
@click.option(
    "--exact",
    is_flag=True,
    help="In fractions; with --json in all digits.",
)
@players_option
@click.option("-o", "file", type=click.Path(), metavar="FILE", help=FILE)
@json_option
def solve(game, target, objective, turns, exact, players, file, as_json):
    """Solve GAME: print its value, write all decisions.

    The value is, by the objective, at the start of the game:

    \b
    win     the probability that the player to move wins;
    margin  the mean margin, if the loser pays what is missing;
    turns   the fewest turns to the target, on average, alone;
    score   the most points of one turn, on average;
    deadline  the best chance to reach the target within --turns;
    total   the most points after --turns, on average;
    rounds  the probability to have the higher score after --turns each.

    With more than two players each maximizes the own probability to win. Then the values are those of all players by
    seat, in an equilibrium. How many tuples of needs, the points that the players still need, have one equilibrium in
    pure strategies, several or none is printed, too.

    FILE begins with lines that explain its columns and units. To read it:

    \b
    pandas.read_csv(FILE, comment="#", keep_default_na=False)
    """
    from .evaluation.solving import solve as solve_game
    from .views.tables import write_csv

    with short_errors():
        file = file and check_path(file, "-o", (".csv",))
        solution = solve_game(
            game_named(game, target), objective, exact=exact, players=players, turns=turns
        )
        if file:
            write_csv(solution, file)
        values = solution.value if players > 2 else [solution.value]
        words = f"{repr(solution)[1:-1]}\nValue: {', '.join(map(str, values))}"
        if players > 2:
            counts = solution.verdicts["verdict"].value_counts()
            counted = ", ".join(f"{verdict} at {counts[verdict]:,}" for verdict in VERDICTS)
            words += f"\nEquilibria in pure strategies: {counted} tuples of needs"
        tell(words, solution.to_dict, as_json, file)


def read_rules(context, parameter, texts):
    """Read each text as a rule of thumb, "optimal" as None."""
    rules = []
    for text in texts:
        with short_errors(ValueError):
            rule = read_rule(trimmed(text))
        if rule is None and choose(text, [OPTIMAL]) != OPTIMAL:
            known = [*RULES, OPTIMAL]
            allowed = f"one of {', '.join(map(repr, known))}, with a number for n"
            said = did_you_mean(text, known) or misfit(text)
            raise click.BadParameter(f"{text!r} is not a rule; give {allowed}{said}")
        rules.append(rule)
    return rules


def read_opponent(context, parameter, texts):
    """Read the rule of the only opponent; None for optimal play."""
    if len(texts) > 1:
        raise click.BadParameter(f"{len(texts)} rules are not allowed; give one")
    return next(iter(read_rules(context, parameter, texts)), None)


against_option = partial(
    click.option, "--against", multiple=True, callback=read_opponent, metavar="RULE"
)


def read_numbers(context, parameter, texts):
    """Read "15 20 25" and "15-30" as whole numbers, a list; None if there are none."""
    numbers = []
    for text in texts:
        first, dash, last = plain(text).rstrip(",;").partition("-")
        ends = [whole_number(end) for end in (first, last if dash else first)]
        if None in ends or not ends[0] <= ends[1] < ends[0] + MOST:
            allowed = f"give whole numbers, for example 15 20 25, or a range of at most {MOST:,}, for example 15-30"
            raise click.BadParameter(f"{text!r} is not allowed; {allowed}{misfit(text)}")
        numbers += range(ends[0], ends[1] + 1)
    return list(dict.fromkeys(numbers)) or None


@main.command("warm-up")
def warm_up():
    """Compile all that is compiled once, some minute, on all cores.

    Run it after installing: then the first answer of every process comes at once. The compiled code stays on disk, for
    this version and this machine.
    """
    from joblib import Parallel, delayed

    from .engine import fast
    from .evaluation.best_response import best_response
    from .evaluation.match import evaluate as evaluate_match
    from .evaluation.simulation import simulate
    from .evaluation.solving import solve as solve_game

    plain, dice, few = game_named("pig", 9), game_named("double-trouble", 9), game_named("pig", 5)
    opening = GAMES["ten-thousand"](6, opening=100)
    steps = [  # what compiles longest first
        lambda: solve_game(plain).value,
        lambda: solve_game(few, players=3).value,
        lambda: best_response(opening, solve_game(opening).policy),
        lambda: [
            solve_game(plain, goal, turns=turns).value
            for goal, turns in (("turns", None), ("score", None), ("deadline", 2))
        ],
        lambda: [simulate(game, 3, 4, games=9) for game in (plain, dice)],
        lambda: evaluate_match(plain, 3, solve_game(plain).policy),
        lambda: evaluate_match(few, 3, 4, solve_game(few, players=3).policy),
        lambda: [best_response(game, 3) for game in (plain, dice)],
        *(found.load() for found in entry_points(group=WARM_UP)),
    ]
    jobs = Parallel(n_jobs=-1, return_as="generator_unordered")(delayed(step)() for step in steps)
    list(progress(jobs, "compiling, on all cores", "part", len(steps)))
    kept = fast.sweep.stats.cache_path
    click.echo(f"Kept in {kept}" if kept else NOT_KEPT)


@main.command(epilog=f"{NAMES_OF_GAMES}\n\n{NAMES_OF_RULES}")
@game_argument
@click.argument("rules", nargs=-1, required=True, callback=read_rules, metavar="RULE RULE...")
@target_option
@json_option
def evaluate(game, rules, target, as_json):
    """Play rules against each other in GAME, exactly, or one alone until it has reached the target.

    The players are given in order of play: rules of thumb, or, of one or two players, optimal.
    """
    from .evaluation.match import evaluate as evaluate_match
    from .evaluation.match import objective_of
    from .evaluation.solving import solve as solve_game

    if len(rules) > 2 and None in rules:
        raise click.UsageError(f"optimal is a rule of two players; {len(rules)} are given")
    with short_errors():
        given = game_named(game, target)
        match = evaluate_match(
            given,
            *[
                solve_game(given, objective_of(rules)).policy if rule is None else rule
                for rule in rules
            ],
        )
        turns = (
            f"mean number of turns {match.turns_mean:.6g}, standard deviation {match.turns_sd:.6g}"
        )
        tell(f"{repr(match)[1:-1]}; {turns}", match.to_dict, as_json)


@main.command("hold-at-n", epilog=f"{NAMES_OF_GAMES}\n\n{NAMES_OF_RULES}")
@game_argument
@click.argument("n", nargs=-1, callback=read_numbers, metavar="[N]...")
@target_option
@against_option(help=ONE_AGAINST)
@click.option("--alone", is_flag=True, help="The turns that hold at n needs without an opponent.")
@figure_option(help=DRAWN.format("the win probabilities by n"))
@click.option("-o", "file", type=click.Path(), metavar="FILE", help=TABLE)
@json_option
def hold_at_n(game, n, target, against, alone, figure, file, as_json):
    """Compare all rules hold at n in GAME, exactly.

    N are turn totals, for example 20 25, or a range, 15-30. By default all are tried, up to a target of 100, and with a
    larger one those around the best; the table then has the ones around the best.
    """
    from .evaluation import studies

    with short_errors():
        figure, file = check_files(figure, file)
        rules = game_named(game, target)
        rates = studies.hold_at_n(rules, n, OPTIMAL if against is None else against, alone)
        write_files(figure, lambda plots: plots.hold_at_n(rates), file, rates)
    best = rates["turns"].idxmin() if alone else rates["average"].idxmax()
    shown = rates if n else rates.loc[best - AROUND : best + AROUND]
    table = in_columns(shown.reset_index(), index=False)
    opponent = "the optimal policy" if against is None else plain_of(against)
    said = f"The best of {len(rates)}, hold at {best}," if len(rates) > 1 else f"Hold at {best}"
    if alone:
        words = f"Turns that hold at n needs in {title_of(rules)}, alone\n{table}\n{said} needs the fewest."
    else:
        first, second, average = rates.loc[best]
        words = (
            f"How often hold at n wins in {title_of(rules)}, against {opponent}\n{table}\n"
            f"{said} wins {average:.2%}: {first:.2%} moving first, {second:.2%} moving second."
        )
    told = {"result": "HoldAtN", "game": rules, "against": against, "rates": rates}
    tell(words, partial(plain_of, told), as_json, file, figure)


@main.command("first-player", epilog=NAMES_OF_GAMES)
@game_argument
@click.argument("targets", nargs=-1, callback=read_numbers, metavar="[TARGET]...")
@figure_option(help=DRAWN.format("the first player's advantage by target"))
@click.option("-o", "file", type=click.Path(), metavar="FILE", help=TABLE)
@json_option
def first_player(game, targets, figure, file, as_json):
    """Say how often the first player of GAME wins.

    Both play optimally. The targets are given as 50 100, or as a range, 1-100; by default ten, up to the game's own.
    They are points, or chips of 50 points in ten-thousand and farkle.
    """
    from .evaluation import studies

    with short_errors():
        figure, file = check_files(figure, file)
        rules = game_named(game, None)
        step = max(1, rules.target // 10)
        wins = studies.first_player(rules, targets or range(step, rules.target + 1, step))
        write_files(figure, lambda plots: plots.first_player(wins), file, wins)
    words = f"How often the first player of {rules.name} wins, by target\n{in_columns(wins.reset_index(), index=False)}"
    told = {"result": "FirstPlayer", "game": rules, "targets": wins}
    tell(words, partial(plain_of, told), as_json, file, figure)
