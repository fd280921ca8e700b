"""Situations as text: what is written is read again, the examples of the page, and what is said of wrong texts."""

from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import dicelab as dl
from dicelab.cli import main
from dicelab.games.catalogue import GAMES
from dicelab.games.named import parse_game
from dicelab_extras.play import situation as page
from dicelab_extras.play.session import GameSession
from dicelab_extras.play.situation import Situation, format_game, parse_situation

HEADS = [f"{name} 30" for name in GAMES]
HEADS += ["pig 30 finish=exact", "piglet 9 finish=equal-turns", "two-dice-pig 9 finish=last-licks"]
HEADS += [
    "ten-thousand 20 opening=500",
    "farkle 20 opening=250",
    "facebook-farkle 20 minimum=50 lowest=-8",
]
made = cache(parse_game)


@st.composite
def situations(draw):
    """Situations of the catalogue, for two to four players."""
    game = made(draw(st.sampled_from(HEADS)))
    scores = draw(st.lists(st.sampled_from(list(game.scores)), min_size=2, max_size=4))
    rolled = any(mode.dice for mode in game.modes) and draw(st.booleans())
    most = game.missing(scores[0]) - rolled
    total = draw(
        st.integers(0, min(most, game.target - int(scores[0])) if game.finish == "exact" else most)
    )
    if rolled:
        dice = draw(st.sampled_from([sum(mode.kinds) for mode in game.modes]))
        roll = draw(st.lists(st.integers(1, 6), min_size=dice, max_size=dice))
        return Situation(game, scores, total, roll=roll)
    mode = draw(st.sampled_from([mode.name for mode in game.modes] + [None] * (not total)))
    return Situation(game, scores, total, mode)


@given(situations())
def test_what_is_written_is_read(situation):
    text = str(situation)
    read = parse_situation(text)
    assert read == situation and hash(read) == hash(situation) and str(read) == text
    assert [str(score) for score in read.scores] == [str(score) for score in situation.scores], (
        "registers, too"
    )
    spaced = text.replace(":", " : ").replace("@", " @ ").replace("+", " + ")
    assert parse_situation(f"  {spaced} ") == situation


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Two-dice Pig to 100: 3; 4", "two-dice-pig 100: 3-4"),
        ("two_dice_pig, 100, Finish = “Equal Turns”: 3 - 4 + 5.", "two-dice-pig 100 finish=equal-turns: 3-4 +5"),
        ("Pig 1,000 finish=last_licks: 999-0", "pig 1000 finish=last-licks: 999-0"),
        ("FARKLE 200: 3-4 +6 @3_Dice", "farkle 200: 3-4 +6 @3 dice"),
        ("Ten Thousand 200 Opening=1,000: 2 (Not-Opened)-3 (OPENED) Rolled 1; 5; 2; 2; 3",
         "ten-thousand 200 opening=1000: 2 (not opened)-3 (opened) rolled 1 5 2 2 3"),
        ("Pig 9 finish=equal-turns: 3-4-5 Third", "pig 9 finish=equal-turns: 3-4-5 3th"),
        ("pig 9 finish=equal-turns: 3-12", "pig 9 finish=equal-turns: 3-12 second"),
        ("facebook-farkle 20 lowest=−8 minimum=50: −3−−4", "facebook-farkle 20 lowest=-8 minimum=50: -3--4"),
    ],
)  # fmt: skip
def test_the_meaning_is_sure(text, plain):
    assert parse_situation(text) == parse_situation(plain)


def test_situations_differ_by_their_registers():
    opened, not_opened = (
        parse_situation(f"ten-thousand 40 opening=500: 3 ({name})-4")
        for name in ("opened", "not opened")
    )
    assert opened != not_opened and opened.scores == not_opened.scores, (
        "as numbers the scores are equal"
    )
    assert opened != "ten-thousand"


@pytest.mark.parametrize("players", [2, 3, 5])
def test_roles_are_written_and_read(players):
    """Those who came before in the round may have reached the target, which says that it is a last turn."""
    for role in range(players):
        for reached in range(role + 1):
            scores = [3] * (players - reached) + [9] * reached
            situation = Situation(dl.pig(9, finish="equal turns"), scores, 2, role=role)
            assert parse_situation(str(situation)) == situation, situation


@pytest.mark.parametrize("head", HEADS)
def test_games_are_written_and_read(head):
    assert format_game(made(head)) == head.replace("minimum=50 lowest=-8", "lowest=-8 minimum=50")


def test_the_examples_of_the_page():
    texts = [line.split("``")[1] for line in page.__doc__.splitlines() if line.startswith("``")]
    assert len(texts) == 8 and all(str(parse_situation(text)) == text for text in texts)


@pytest.mark.parametrize("name", GAMES)
def test_without_a_target_it_is_the_games_own(name):
    assert parse_game(name) == GAMES[name]()
    target = GAMES[name]().target
    assert parse_situation(f"{name}: 3-4") == parse_situation(f"{name} {target}: 3-4")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pig 100", "situation: 'pig 100' is not allowed; give a situation such as"),
        ("pig 100: 30", "situation: 'pig 100: 30' is not allowed"),
        ("pig 100: 30-45 22", "situation: 'pig 100: 30-45 22' is not allowed"),
        (5, "situation: 5 is not allowed"),
        ("chess 100: 3-4", "game: 'chess' is not allowed; give one of 'pig', "),
        ("pig x: 3-4", "game: 'pig x' is not allowed; give one of 'pig', "),
        ("pig 0: 3-4", "target: 0 is not allowed"),
        ("pig ٣: 3-4", "the character '٣' (U+0663) is not read"),
        (
            "“pig 100… 30-45”",
            "or 'farkle 200: 30-45 +6 @3 dice'; the character '…' (U+2026) is not read",
        ),
        ("pig 100: 30\0-45", "the character '\\x00' (U+0000) is not read"),
        ("'pig 100: 30-45 22'", "'22' is not read"),
        ("pig 100: x", "'x' is not read"),
        ("pig 100: 30:45", "':45' is not read"),
        ("pig 5000: 1,000-2,000", "',000-2,000' is not read"),
        ("pig 100 200: 3-4", "option of the game: '200' is not allowed"),
        ("two dice pigs 100: 3-4", "game: 'two dice pigs' is not allowed; give one of"),
        (
            "pig 9999999999: 3-4",
            "target: '9999999999' is not allowed; give a whole number of at most 9 digits",
        ),
        (
            "pig 100 opening=500: 3-4",
            "option of the game: 'opening' is not allowed; give one of 'finish'",
        ),
        ("pig 100 finish=soon: 3-4", "finish: 'soon' is not allowed; give one of 'reach'"),
        ("pig 40: 3-4 second", "role: 1 is not allowed; give None in Pig"),
        ("pig 40: 3-43", "opponent: 43 is not allowed"),
        ("pig 40 finish=equal-turns: 40-30", "own: 40 is not allowed"),
        ("pig 40 finish=equal-turns: 30-20 third", "role: 2 is not allowed"),
        ("farkle 20 opening=x: 3-4", "opening: 'x' is not allowed; give a whole number"),
        ("pig 100: 100-45", "own: 100 is not allowed; give a score below the target, 100 points"),
        ("pig 100: 30-450", "opponent: 450 is not allowed; give a score below the target"),
        ("pig 100: -3-4", "own: -3 is not allowed; give a whole number of at least 0"),
        ("pig 100: 3 (opened)-4", "registers: 'opened' is not allowed; Pig has none"),
        (
            "facebook-farkle 20: 3 (x)-4",
            "registers: 'x' is not allowed; give one of '0 farkles', '1 farkle'",
        ),
        ("facebook-farkle 20: -51-4", "own: -51 is not allowed"),
        ("pig 100 finish=exact: 90-4 +11", "turn_total: 11 is not allowed; give at most 10 points"),
        (
            "double-trouble 100: 3-4 +4 @frced",
            "mode: 'frced' is not allowed; give one of 'free', 'forced'",
        ),
        ("ten-thousand 200: 3-4 +5", "mode: give the dice in hand, one of '5 dice'"),
        (
            "ten-thousand 200: 3-4 +5 @3 dice rolled 1 2 3",
            "mode: '3 dice' is not allowed with a roll",
        ),
        ("ten-thousand 200: 3-4 +5 rolled 7 7", "faces are 1, …, 6"),
        ("pig 100: 3-4 +5 rolled 7", "roll: [7] is not allowed; Pig leaves no choice after a roll"),
        (
            "ten-thousand 10000: 3-4",
            "target: 10000 chips are 500,000 points; for 10,000 points give 200",
        ),
    ],
)
def test_what_is_no_situation_is_refused(text, said):
    with pytest.raises(ValueError) as error:
        parse_situation(text)
    assert said in str(error.value)


def run(*arguments, text=None):
    return CliRunner().invoke(main, arguments, input=text)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("pig 100: 30-45 +22", "pig 30 45 22"),
        ("double-trouble 50: 20-3 +8 @forced", "double-trouble 20 3 8 --target 50 --mode forced"),
        (
            "ten-thousand 20: 2-3 +4 rolled 1 5 2 2 3",
            "ten-thousand 2 3 4 --target 20 --roll 1,5,2,2,3",
        ),
    ],
)
def test_advise_reads_a_situation(text, arguments):
    said = run("advise", text)
    other = run("advise", *arguments.split())
    assert said.exit_code == 0 and said.stdout == other.stdout and " you win with " in said.stdout


def test_play_goes_on_from_a_situation_and_says_where_it_was_left():
    left = run("play", "ten-thousand 20: 2-3 +4 rolled 1 5 2 2 3", "--seed", "1", text="q\n").stdout
    assert (
        "You 2 chips (100 points), opponent 3 chips (150 points), this turn 4 chips" in left
        and "keep 1 5" in left
    )
    assert 'Go on from here with: dicelab play "ten-thousand 20: 2-3 +4 rolled 1 5 2 2 3"\n' in left
    other = run("play", "pig 30: 3-7-0 +12", "--seed", "1", text="h\nq\n").stdout
    assert (
        "You held at 12 points: 15 points banked." in other and "You 15 points, the others" in other
    )
    again = other.split('dicelab play "')[1].split('"')[0]
    assert parse_situation(again).scores[0] == 15 and run("advise", again).exit_code == 0
    ended = run("play", "pig 9: 3-4", "--seed", "1", text="r\n" * 50).stdout
    assert "won with" in ended and "Go on" not in ended


@pytest.mark.parametrize(
    "head",
    ["pig 20", "double-trouble 20", "hog 20", "ten-thousand 12", "facebook-farkle 8 lowest=-2"],
)
def test_a_session_can_be_taken_up_at_every_decision(head):
    """At each decision of a game its text leads to a session with the same options and values."""
    solution = dl.solve(parse_game(head))
    session = GameSession(solution, seed=5)
    rng = np.random.default_rng(3)
    while session.winner is None:
        again = GameSession(solution, seed=5, start=parse_situation(str(session.situation)))
        assert again.situation == session.situation and again.best() == session.best()._replace(
            chances=again.best().chances
        )
        assert [(o.name, o.value) for o in again.options()] == [
            (o.name, o.value) for o in session.options()
        ]
        session.take(rng.choice([option.name for option in session.options()]))
    assert session.situation is None and session.turn > 1


def test_a_session_of_another_game_is_refused():
    solution = dl.solve(dl.pig(20))
    for text in ("pig 21: 3-4", "piglet 20: 3-4", "pig 20: 3-4-5"):
        with pytest.raises(ValueError, match="give a situation of Pig to 20 with 2 players"):
            GameSession(solution, start=parse_situation(text))
    with pytest.raises(ValueError, match="start: 'pig 20: 3-4' is not allowed; give a Situation"):
        GameSession(solution, start="pig 20: 3-4")
