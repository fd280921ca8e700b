"""The command line: ``dicelab solve``, ``advise``, ``play``, ``grade``, ``certify``, ``verify`` and others."""

import json
import re
import signal
import sys
from contextlib import contextmanager
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from threading import Timer

import click
from click.shell_completion import CompletionItem

from ._files import atomic_write
from ._results import plain_of
from ._shown import title_of
from ._text import DASHES, choose, misfit, plain, trimmed, whole_number
from ._validation import check_option, check_path, did_you_mean
from .games.catalogue import GAMES
from .games.registers import Score
from .games.situation import Situation, parse_situation
from .papers.comparison import compare as compare_numbers
from .papers.published import PAPERS
from .sandbox import is_python_file, policy_of_file
from .solution import OBJECTIVES
from .strategies import RULES, is_file_name, read_rule

EXPECTED = (
    ValueError,
    NotImplementedError,
    ArithmeticError,
    MemoryError,
    OSError,
    ModuleNotFoundError,
)
ENTRY_POINTS = "dicelab.commands"  # the group in which other packages name theirs
MOST = 10_000  # numbers in a range
AROUND = 5  # rows on either side of the best
CALLBACKS = "llvmlite.binding.executionengine"  # which LLVM calls, and which must come to their end
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
FILE = (
    "Write all values and decisions to FILE, .csv or .parquet; or, with --exact, the whole fraction to FILE, .txt. "
    "With more than two players, the verdict on every tuple of needs."
)
REGISTERS = (
    'What both players remember of earlier turns, in games with registers, for example "1 farkle" "0 farkles" in '
    "facebook-farkle; by default the first for both."
)
TABLE = "Write the table to FILE, .csv."
AGAINST = "The rule of an opponent, in order of play, as often as there are opponents; without one they play optimally."
ONE_AGAINST = "The rule of the opponent; by default the opponent plays optimally."
DRAWN = "Draw {}: .svg, .png or .pdf."
MISTAKES = "Write all decisions that give something away to FILE, .csv."
NOT_KEPT = (
    "Not kept: neither the package nor a home is writable. Let NUMBA_CACHE_DIR name a folder, now and whenever you "
    "use dicelab"
)
OUT_OF_MEMORY = (
    "the memory was not enough; take a smaller target"  # an error of Python's own has no text
)
FIRST = "The rule of the player who moves first; by default this player plays optimally."


def names(title, all_names):
    """Names as the end of a help text, a line each."""
    return "\n  ".join([f"\b\n{title}", *all_names])


NAMES_OF_GAMES = names("Games:", GAMES)
OPTIMAL = "optimal"  # the rule of a player who plays optimally
NAMES_OF_RULES = names("Rules, with a number for n:", [*RULES, OPTIMAL])
NAMES_OF_PAPERS = names("Papers:", [paper.slug for paper in PAPERS])


@contextmanager
def short_errors(*usage):
    """Turn expected errors into one line without a traceback: exit status 2 for those in `usage`, 1 for the others."""
    try:
        yield
    except usage as error:
        raise click.UsageError(str(error)) from None
    except EXPECTED as error:
        raise click.ClickException(str(error) or OUT_OF_MEMORY) from None


class CommandLine(click.Group):
    """A group of commands, with those of entry points; dashes of word processors stand for "--" and "-"."""

    def list_commands(self, context):
        """See click."""
        return sorted({*super().list_commands(context), *entry_points(group=ENTRY_POINTS).names})

    def get_command(self, context, name):
        """See click."""
        found = entry_points(group=ENTRY_POINTS, name=name)
        return command_of(*found) if found else super().get_command(context, name)

    def parse_args(self, context, arguments):
        """See click."""
        return super().parse_args(context, [with_hyphens(argument) for argument in arguments])


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


def with_hyphens(argument):
    """An option that begins with a typographic dash, as typed on a plain keyboard; all else as it is."""
    match = re.fullmatch(
        rf"[-{DASHES}]+(?P<name>[^\W\d][\w-]*)(?P<value>=.*)?", argument, re.DOTALL
    )
    if not match or argument.partition("=")[0].isascii():
        return argument
    name = re.sub(f"[{DASHES}]", "-", match["name"])
    return f"{'-' if len(name) == 1 else '--'}{name}{match['value'] or ''}"


class Name(click.Choice):
    """One of some names; see :func:`dicelab._text.choose`."""

    def convert(self, value, parameter, context):
        """See click."""
        try:
            return super().convert(choose(value, self.choices), parameter, context)
        except click.BadParameter as error:
            error.message = error.message.rstrip(".") + did_you_mean(value, self.choices)
            raise


class WholeNumber(click.IntRange):
    """A whole number as people write it; see :func:`dicelab._text.whole_number`."""

    name = "integer"

    def convert(self, value, parameter, context):
        """See click."""
        if isinstance(value, str):
            number = whole_number(value)
            if number is None:
                self.fail(f"{value!r} is not a valid integer{misfit(value)}", parameter, context)
            value = number
        return super().convert(value, parameter, context)

    def _describe_range(self):
        """Nothing in the help where there are no bounds; see click."""
        return "" if self.min is self.max is None else super()._describe_range()


class FileName(click.ParamType):
    """The name of a file, without the quotes around it."""

    name = "file"

    def convert(self, value, parameter, context):
        """See click."""
        return trimmed(value)

    def shell_complete(self, context, parameter, incomplete):
        """See click."""
        return [CompletionItem(incomplete, type="file")]


@click.group(cls=CommandLine, context_settings=SETTINGS)
@click.version_option(package_name="dicelab")
def main():
    """Jeopardy dice games solved exactly, and the papers on them rerun."""
    signal.signal(signal.SIGTERM, end)
    # A shell lets commands in the background ignore Ctrl-C, and so do we.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def end(number, frame):
    """End by a signal, and clean up. Where Python drops an exception, as in a finalizer, the signal is sent again."""
    again = Timer(0.01, signal.raise_signal, [number])

    def lost(what):
        if isinstance(what.exc_value, KeyboardInterrupt | SystemExit):
            again.start()

    sys.unraisablehook = lost
    while frame:
        if frame.f_globals.get("__name__") == CALLBACKS:
            again.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)


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


@main.command(epilog=NAMES_OF_PAPERS)
@click.argument("paper")
@click.argument("table", required=False)
@json_option
def compare(paper, table, as_json):
    """Print the numbers of PAPER beside the computed ones.

    All numbers, or those of one TABLE. A wrong TABLE is answered with the names of all. Exit status: 1 if a number does
    not agree and is not a known erratum.
    """
    with short_errors(ValueError):
        numbers = compare_numbers(paper, table)
    from .views.verdicts import coverage

    result = partial(dict, result="Comparison", numbers=plain_of(numbers))
    tell(f"{numbers.to_string(index=False)}\n{coverage(numbers)}", result, as_json)
    raise SystemExit(1 if (numbers["verdict"] == "mismatch").any() else 0)


def game_named(name, target):
    """A game of the catalogue, with its own target by default."""
    return GAMES[name](**({"target": target} if target else {}))


class GameOrSituation(Name):
    """A game by its name in the catalogue, or, with a colon, a situation of it."""

    def convert(self, value, parameter, context):
        """See click."""
        if isinstance(value, str) and ":" in plain(value):
            with short_errors(ValueError):
                return parse_situation(value)
        return super().convert(value, parameter, context)


game_argument = click.argument("game", type=Name(list(GAMES)), metavar="GAME")
situation_argument = click.argument("game", type=GameOrSituation(list(GAMES)), metavar="GAME")
target_option = click.option("--target", type=WholeNumber(1), help=TARGET)
figure_option = partial(click.option, "--figure", type=FileName(), metavar="FILE")
players_option = click.option(
    "--players", type=WholeNumber(2), default=2, show_default=True, help="How many play."
)


@main.command(epilog=NAMES_OF_GAMES)
@game_argument
@target_option
@click.option(
    "--objective",
    type=Name([*OBJECTIVES, "deadline"]),
    default="win",
    show_default=True,
    help="See above.",
)
@click.option(
    "--turns", type=WholeNumber(1), help="For the objective deadline: how many turns there are."
)
@click.option(
    "--exact",
    is_flag=True,
    help="In fractions. A long one goes to a file, by default such as pig-100.txt.",
)
@players_option
@click.option("-o", "file", type=FileName(), metavar="FILE", help=FILE)
@json_option
def solve(game, target, objective, turns, exact, players, file, as_json):
    """Solve GAME: print its value, write all decisions.

    The value is, by the objective, at the start of the game:

    \b
    win     the probability that the player to move wins;
    margin  the mean margin, if the loser pays what is missing;
    turns   the fewest turns to the target, on average, alone;
    score   the most points of one turn, on average;
    deadline  the best chance to reach the target within --turns.

    With more than two players each maximizes the own probability to win. Then the values are those of all players by
    seat, in an equilibrium. How many tuples of needs, the points that the players still need, have one equilibrium in
    pure strategies, several or none is printed, too.

    A CSV file begins with lines that explain its columns and units; a Parquet file has them in its metadata:

    \b
    pandas.read_csv(FILE, comment="#", keep_default_na=False)
    pandas.read_parquet(FILE).attrs
    """
    from .solvers import solve as solve_game
    from .views import sentences, tables

    with short_errors():
        if file is not None:
            tables.check_file(file, exact, players)
        solution = solve_game(
            game_named(game, target), objective, exact=exact, players=players, turns=turns
        )
        more = [sentences.verdicts_in_words(solution)] if players > 2 else []
        tell("\n".join([sentences.value_in_words(solution), *more]), solution.to_dict, as_json)
        long = exact and players == 2 and not sentences.is_short(solution.value)
        if long and file is None and not as_json:
            file = tables.new_text_file(solution, f"{game}-{solution.game.target}")
        if file is not None:
            tables.write(solution, file, progress=True)
            click.echo(
                f"{tables.CONTENTS[Path(file).suffix] if players == 2 else 'All verdicts'}: {file}",
                err=as_json,
            )


@main.command(epilog=NAMES_OF_GAMES)
@game_argument
@target_option
@click.option(
    "-o", "file", type=FileName(), metavar="FILE", required=True, help="The file to write, .cert."
)
def certify(game, target, file):
    """Prove the values of GAME and its decisions in a certificate.

    The certificate lists the rules, bounds of all values, and all decisions proved optimal. Others can check it without
    dicelab, in integers, by one short program that says itself why that suffices:

    \b
    python3 witness/check.py FILE
    """
    from .solvers import certificate_file, solve
    from .solvers.certify import certify as certify_solution

    with short_errors():
        rules = certificate_file.check_writable(game_named(game, target))
        certificate_file.check_file(file)
        certificate = certify_solution(solve(rules))
        click.echo(certificate)
        click.echo(f"{file}: {certificate_file.write_certificate(certificate, file)}")


def read_scores(context, parameter, text):
    """Read "20" as a score, and "20,35" as several."""
    if text is None:
        return None
    scores = [whole_number(score) for score in entries(text)]
    number = whole_number(text)
    if None in scores or not scores or (number is not None and len(scores) > 1):
        several = (
            "the score of the opponent, or of several in order of play, for example 20,35 or 20;135"
        )
        either = (
            f"; {number} and {len(scores)} scores may be meant"
            if number is not None and scores
            else misfit(text)
        )
        raise click.BadParameter(f"{text!r} is not allowed; give {several}{either}")
    return scores[0] if len(scores) == 1 else tuple(scores)


def entries(text):
    """The entries of a list such as "1,5,5,2,3", texts."""
    return re.split(r"[\s,;]+", plain(text).rstrip(",;"))


def read_rules(context, parameter, texts):
    """Read each text as a rule of thumb, "optimal" as None; the name of a file is left for whoever knows the game."""
    rules = []
    for text in texts:
        name = trimmed(text)
        with short_errors(ValueError):
            rule = name if is_file_name(name) else read_rule(name)
        if rule is None and choose(name, [OPTIMAL]) != OPTIMAL:
            known = [*RULES, OPTIMAL]
            allowed = f"one of {', '.join(map(repr, known))}, with a number for n"
            said = (
                f"{text!r} is not a rule; give {allowed}, or a file with a strategy"
                f"{did_you_mean(text, known) or misfit(text)}"
            )
            raise click.BadParameter(said)
        rules.append(rule)
    return rules


def asked(game, rule):
    """What a rule plays in a game: a Python file is asked for all decisions now, in a process with limits."""
    name = trimmed(rule) if isinstance(rule, str) else ""
    return policy_of_file(game, name) if is_python_file(name) else rule


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


def read_faces(context, parameter, text):
    """Read "1,5,5,2,3" as a list of faces."""
    faces = None if text is None else [whole_number(face) for face in entries(text)]
    if faces is not None and None in faces:
        example = "give the faces of all dice, for example 1,5,5,2,3"
        raise click.BadParameter(f"{text!r} is not allowed; {example}{misfit(text)}")
    return faces


def with_registers(game, scores, names):
    """Both scores with what the players remember; ValueError for more players, or if the game has no such registers."""
    known = [register.name for register in game.registers]
    if not known:
        raise ValueError(f"registers: {' '.join(names)!r} is not allowed; {game.name} has none")
    if len(scores) > len(names):
        allowed = "a situation, for example 'facebook-farkle 30: 5 (1 farkle)-12-7'"
        raise ValueError(f"registers: two are given for {len(scores)} players; give {allowed}")
    return map(
        Score, scores, [check_option(choose(name, known), "registers", known) for name in names]
    )


def alone(situation, **given):
    """Check that nothing is given beside a situation."""
    if more := [name for name, value in given.items() if value]:
        raise click.UsageError(
            f"the situation {str(situation)!r} says all; give no {', '.join(more)} with it"
        )


@main.command(epilog=NAMES_OF_GAMES)
@situation_argument
@click.argument("own", type=WholeNumber(), required=False)
@click.argument("opponent", callback=read_scores, required=False)
@click.argument("turn_total", type=WholeNumber(), required=False)
@target_option
@click.option(
    "--mode",
    help='The state of the dice, for example forced in double-trouble, "3 dice" in farkle.',
)
@click.option(
    "--roll",
    callback=read_faces,
    metavar="FACES",
    help="The dice on the table, for example 1,5,5,2,3.",
)
@click.option("--registers", nargs=2, metavar="OWN OPPONENT", help=REGISTERS)
@json_option
def advise(game, own, opponent, turn_total, target, mode, roll, registers, as_json):
    """Say what to do in GAME, and what each option is worth.

    OWN and OPPONENT are the banked scores of the player to move and of the other; several opponents are given in order
    of play, as 20,35. TURN_TOTAL is what this turn has brought so far, before the dice of --roll. All are points, or
    chips of 50 points in ten-thousand and farkle.

    Or GAME is a situation, which says all of this, and the finish; in a last turn the score of the other player is the
    one to beat:

    \b
    dicelab advise "pig 100: 30-45 +22"
    dicelab advise "double-trouble 100: 30-45 +8 @forced"
    dicelab advise "ten-thousand 200: 20-30 +4 rolled 1 5 5 2 3"
    dicelab advise "facebook-farkle 30: 5 (1 farkle)-12 (0 farkles)"
    dicelab advise "pig 100 finish=equal-turns: 30-45 second +22"
    dicelab advise "pig 100 finish=last-licks: 80-104 +22"
    """
    from .solvers import solve as solve_game
    from .views.sentences import advice_at, advice_to_dict

    if isinstance(game, Situation):
        alone(
            game,
            **{
                "OWN": own is not None,
                "--target": target,
                "--mode": mode,
                "--roll": roll,
                "--registers": registers,
            },
        )
    elif opponent is None:
        raise click.UsageError(
            'give the scores OWN and OPPONENT, or a situation, for example "pig 100: 30-45 +22"'
        )
    with short_errors():
        if not isinstance(game, Situation):
            rules = game_named(game, target)
            others = opponent if isinstance(opponent, tuple) else (opponent,)
            if registers:
                own, *others = with_registers(rules, (own, *others), registers)
            mode = choose(mode, [known.name for known in rules.modes])
            game = Situation(rules, (own, *others), turn_total or 0, mode, roll or ())
        solution = solve_game(game.game, players=len(game.scores))
        tell(advice_at(solution, game), partial(advice_to_dict, solution, game), as_json)


@main.command("warm-up")
def warm_up():
    """Compile all that is compiled once, some minute.

    Run it after installing: then the first answer of every process comes at once. The compiled code stays on disk, for
    this version and this machine.
    """
    from time import perf_counter

    from .evaluation.best_response import best_response
    from .evaluation.grade import grade as grade_strategy
    from .evaluation.match import evaluate as evaluate_match
    from .evaluation.simulation import simulate
    from .solvers import _kernels
    from .solvers import solve as solve_game

    plain, dice = game_named("pig", 9), game_named("double-trouble", 9)
    opening = GAMES["ten-thousand"](6, opening=100)
    steps = {
        "solutions": lambda: solve_game(plain).value,
        "matches": lambda: evaluate_match(plain, 3, solve_game(plain).policy),
        "best responses": lambda: best_response(plain, 3),
        "grades": lambda: grade_strategy(plain, 3),
        "simulations": lambda: [simulate(game, 3, 4, games=9) for game in (plain, dice)],
        "races alone": lambda: [
            solve_game(plain, goal, turns=turns)
            for goal, turns in (("turns", None), ("score", None), ("deadline", 2))
        ],
        "games with registers": lambda: best_response(opening, solve_game(opening).policy),
        "three players": lambda: evaluate_match(
            game_named("pig", 5), 3, 4, solve_game(game_named("pig", 5), players=3).policy
        ),
    }
    for number, (what, compile_it) in enumerate(steps.items(), start=1):
        click.echo(f"{number} of {len(steps)}, {what}: ", nl=False)
        began = perf_counter()
        compile_it()
        click.echo(f"{perf_counter() - began:.1f} s")
    kept = _kernels.solve_tile.stats.cache_path
    click.echo(f"Kept in {kept}" if kept else NOT_KEPT)


@main.command(epilog=f"{NAMES_OF_GAMES}\n\n{NAMES_OF_RULES}")
@game_argument
@click.argument("rules", nargs=-1, required=True, callback=read_rules, metavar="RULE RULE...")
@target_option
@json_option
def evaluate(game, rules, target, as_json):
    """Play rules against each other in GAME, exactly.

    The players are given in order of play: rules of thumb, files with strategies as for dicelab grade, or, of two
    players, optimal.
    """
    from .evaluation.match import evaluate as evaluate_match
    from .solvers import solve as solve_game

    if len(rules) < 2:
        raise click.UsageError("give the rules of two players or more, for example 20 25")
    if len(rules) > 2 and None in rules:
        raise click.UsageError(f"optimal is a rule of two players; {len(rules)} are given")
    with short_errors():
        given = game_named(game, target)
        match = evaluate_match(
            given,
            *[solve_game(given).policy if rule is None else asked(given, rule) for rule in rules],
        )
        turns = (
            f"mean number of turns {match.turns_mean:.6g}, standard deviation {match.turns_sd:.6g}"
        )
        tell(f"{repr(match)[1:-1]}; {turns}", match.to_dict, as_json)


@main.command(epilog=f"{NAMES_OF_GAMES}\n\n{NAMES_OF_RULES}")
@game_argument
@target_option
@click.option("--first", callback=read_rules, metavar="RULE", multiple=True, help=FIRST)
@click.option("--second", callback=read_rules, metavar="RULE", multiple=True, help="Of the other.")
@click.option("--toss", is_flag=True, help="A coin decides who moves first.")
@json_option
def komi(game, target, first, second, toss, as_json):
    """Find the points that make GAME most nearly even.

    The second player starts with them, or the first if they are negative.
    """
    from .evaluation.komi import komi as find

    with short_errors():
        rules = game_named(game, target)
        players = [asked(rules, rule) for rule in [*(first[-1:] or [None]), *second[-1:]]]
        found = find(rules, *players, toss=toss)
        tell(repr(found)[1:-1], found.to_dict, as_json)


@main.command(epilog=f"{NAMES_OF_GAMES}\n\n{NAMES_OF_RULES}")
@situation_argument
@target_option
@players_option
@click.option("--against", multiple=True, callback=read_rules, metavar="RULE", help=AGAINST)
@click.option("--seed", type=WholeNumber(0), help="Of the dice, to play the same game again.")
@click.option(
    "--hints/--no-hints",
    default=False,
    show_default=True,
    help="Show the win probability of every option.",
)
def play(game, target, players, against, seed, hints):
    """Play GAME in the terminal against optimal players.

    You move first. With --against the opponents play by rules of thumb. Or GAME is a situation from which the game goes
    on, as "pig 100: 30-45 +22"; see dicelab advise --help.
    """
    from .solvers import solve as solve_game
    from .views.session import GameSession
    from .views.terminal import play_in_terminal

    situation = game if isinstance(game, Situation) else None
    if situation:
        alone(situation, **{"--target": target, "--players": players != 2})
        players = len(situation.scores)
    with short_errors():
        if len(against) >= players:
            raise ValueError(
                f"--against: {len(against)} rules are not allowed; give one for each opponent, or fewer"
            )
        rules = situation.game if situation else game_named(game, target)
        policies = {
            seat: asked(rules, rule)
            for seat, rule in enumerate(against, start=1)
            if rule is not None
        }
        session = GameSession(
            solve_game(rules, players=players), seed, policies=policies, start=situation
        )
    play_in_terminal(session, hints)


@main.command(epilog=NAMES_OF_GAMES)
@game_argument
@target_option
@click.option(
    "-o",
    "file",
    type=FileName(),
    metavar="FILE",
    required=True,
    help="The file to write, .prism.",
)
def export(game, target, file):
    """Write GAME for a model checker, PRISM-games.

    FILE is a turn-based stochastic game as a text. Both players decide. The last line is the property that gives the
    probability that the first player wins.
    """
    from .solvers.export import PROPERTY
    from .solvers.export import export as write

    with short_errors():
        write(game_named(game, target), file)
    click.echo(f"{file}\n{PROPERTY}")


@main.command(epilog=f"{NAMES_OF_GAMES}\n\n{NAMES_OF_RULES}")
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
@against_option(help=ONE_AGAINST)
@figure_option(help=DRAWN.format("where the strategy differs from best play"))
@click.option("-o", "file", type=FileName(), metavar="FILE", help=MISTAKES)
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
    from .evaluation.grade import grade as grade_strategy
    from .evaluation.grade import told_columns
    from .solvers import solve as solve_game

    with short_errors():
        figure, file = check_files(figure, file)
        rules = game_named(game, target)
        if choose(trimmed(strategy), [OPTIMAL]) == OPTIMAL:
            strategy = solve_game(rules).policy
        graded = grade_strategy(rules, asked(rules, strategy), asked(rules, against))
        write_files(figure, lambda plots: plots.mistakes(graded), file, graded.decisions)
    words = [f"{graded}\n\n{in_columns(graded.matches)}"]
    if len(graded.worst):
        words.append(f"\n{in_columns(graded.worst[told_columns(graded)], index=False)}")
    tell("\n".join(words), graded.to_dict, as_json, file, figure)


@main.command("hold-at-n", epilog=f"{NAMES_OF_GAMES}\n\n{NAMES_OF_RULES}")
@game_argument
@click.argument("n", nargs=-1, callback=read_numbers, metavar="[N]...")
@target_option
@against_option(help=ONE_AGAINST)
@figure_option(help=DRAWN.format("the win probabilities by n"))
@click.option("-o", "file", type=FileName(), metavar="FILE", help=TABLE)
@json_option
def hold_at_n(game, n, target, against, figure, file, as_json):
    """Compare all rules hold at n in GAME, exactly.

    N are turn totals, for example 20 25, or a range, 15-30. By default all are tried, up to a target of 100, and with a
    larger one those around the best; the table then has the ones around the best.
    """
    from .evaluation import studies

    with short_errors():
        figure, file = check_files(figure, file)
        rules = game_named(game, target)
        rates = studies.hold_at_n(rules, n, OPTIMAL if against is None else asked(rules, against))
        write_files(figure, lambda plots: plots.hold_at_n(rates), file, rates)
    best = rates["average"].idxmax()
    shown = rates if n else rates.loc[best - AROUND : best + AROUND]
    first, second, average = rates.loc[best]
    table = in_columns(shown.reset_index(), index=False)
    opponent = "the optimal policy" if against is None else plain_of(against)
    said = f"The best of {len(rates)}, hold at {best}," if len(rates) > 1 else f"Hold at {best}"
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
@click.option("-o", "file", type=FileName(), metavar="FILE", help=TABLE)
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
