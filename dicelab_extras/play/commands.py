"""The commands of play, which ``dicelab`` finds by their entry points: advice, and a game in the terminal."""

import re
from functools import partial

import click

from dicelab._text import choose, misfit, plain, whole_number
from dicelab.cli import (
    NAMES_OF_GAMES,
    NAMES_OF_RULES,
    Name,
    game_named,
    json_option,
    players_option,
    read_rules,
    short_errors,
    target_option,
    tell,
)
from dicelab.games.catalogue import GAMES

from .situation import Situation, parse_situation

__all__ = ["advise", "play"]

AGAINST = "The rule of an opponent, in order of play, as often as there are opponents; without one they play optimally."


class GameOrSituation(Name):
    """A game by its name in the catalogue, or, with a colon, a situation of it."""

    def convert(self, value, parameter, context):
        """See click."""
        if isinstance(value, str) and ":" in plain(value):
            with short_errors(ValueError):
                return parse_situation(value)
        return super().convert(value, parameter, context)


situation_argument = click.argument("game", type=GameOrSituation(list(GAMES)), metavar="GAME")


def read_faces(context, parameter, text):
    """Read "1,5,5,2,3" as a list of faces."""
    if text is None:
        return None
    faces = [whole_number(face) for face in re.split(r"[\s,;]+", plain(text).rstrip(",;"))]
    if None in faces:
        example = "give the faces of all dice, for example 1,5,5,2,3"
        raise click.BadParameter(f"{text!r} is not allowed; {example}{misfit(text)}")
    return faces


def alone(situation, **given):
    """Check that nothing is given beside a situation."""
    if more := [name for name, value in given.items() if value]:
        raise click.UsageError(
            f"the situation {str(situation)!r} says all; give no {', '.join(more)} with it"
        )


@click.command(epilog=NAMES_OF_GAMES)
@situation_argument
@click.argument("own", type=int, required=False)
@click.argument("opponent", type=int, required=False)
@click.argument("turn_total", type=int, required=False)
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
@json_option
def advise(game, own, opponent, turn_total, target, mode, roll, as_json):
    """Say what to do in GAME, and what each option is worth.

    OWN and OPPONENT are the banked scores of the player to move and of the other. TURN_TOTAL is what this turn has
    brought so far, before the dice of --roll. All are points, or chips of 50 points in ten-thousand and farkle.

    Or GAME is a situation, which says all of this, the scores of several opponents in order of play, what players
    remember of earlier turns, and the finish; in a last turn the score of the other player is the one to beat:

    \b
    dicelab advise "pig 100: 30-45 +22"
    dicelab advise "double-trouble 100: 30-45 +8 @forced"
    dicelab advise "ten-thousand 200: 20-30 +4 rolled 1 5 5 2 3"
    dicelab advise "pig 60: 20-35-40 +12"
    dicelab advise "facebook-farkle 30: 5 (1 farkle)-12 (0 farkles)"
    dicelab advise "pig 100 finish=equal-turns: 30-45 second +22"
    dicelab advise "pig 100 finish=last-licks: 80-104 +22"
    """
    from dicelab import solve as solve_game

    from .advice import advice_at, advice_to_dict

    if isinstance(game, Situation):
        alone(
            game,
            **{
                "OWN": own is not None,
                "--target": target,
                "--mode": mode,
                "--roll": roll,
            },
        )
    elif opponent is None:
        raise click.UsageError(
            'give the scores OWN and OPPONENT, or a situation, for example "pig 100: 30-45 +22"'
        )
    with short_errors():
        if not isinstance(game, Situation):
            rules = game_named(game, target)
            mode = choose(mode, [known.name for known in rules.modes])
            game = Situation(rules, (own, opponent), turn_total or 0, mode, roll or ())
        solution = solve_game(game.game, players=len(game.scores))
        tell(advice_at(solution, game), partial(advice_to_dict, solution, game), as_json)


@click.command(epilog=f"{NAMES_OF_GAMES}\n\n{NAMES_OF_RULES}")
@situation_argument
@target_option
@players_option
@click.option("--against", multiple=True, callback=read_rules, metavar="RULE", help=AGAINST)
@click.option("--seed", type=click.IntRange(0), help="Of the dice, to play the same game again.")
@click.option(
    "--hints/--no-hints",
    default=False,
    show_default=True,
    help="Show the win probability of every option.",
)
@click.option(
    "--pad", is_flag=True, help="Keep the score of people at a table, who type the dice they throw."
)
def play(game, target, players, against, seed, hints, pad):
    """Play GAME in the terminal against optimal players.

    You move first. With --against the opponents play by rules of thumb. Or GAME is a situation from which the game goes
    on, as "pig 100: 30-45 +22"; see dicelab advise --help. With --pad all are people at a table, who type what they
    throw and see what is best.
    """
    from dicelab import solve as solve_game

    from .pad import ScorePad, keep_score
    from .session import GameSession
    from .terminal import play_in_terminal

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
        if pad:
            if against or hints or seed is not None:
                raise ValueError(
                    "--pad: people play with dice of their own; give no --against, --seed or --hints"
                )
            names = [f"Player {number}" for number in range(1, players + 1)]
            return keep_score(
                ScorePad(solve_game(rules, players=players), names=names, start=situation)
            )
        policies = {seat: rule for seat, rule in enumerate(against, start=1) if rule is not None}
        session = GameSession(
            solve_game(rules, players=players), seed, policies=policies, start=situation
        )
    play_in_terminal(session, hints)
