"""The score pad: people type what they have thrown."""

from click.testing import CliRunner

from dicelab.cli import main


def kept(typed, *arguments):
    return CliRunner().invoke(main, ["play", "--pad", *arguments], input="\n".join(typed)).output


def test_throws_and_decisions_are_typed():
    told = kept(
        ["4", "7", "6 6", "ho", "5", "1", "hold", "q"], "pig", "--target", "20", "--players", "3"
    )
    assert told.count("is not allowed; give the dice of a roll, such as 1") == 2
    for said in (
        "Player 1, 4 points in this turn. Best: roll (to win: roll 55.6%, hold 22.3%)",
        "Player 2 rolled 1: the points of the turn are lost.",
        "option: 'hold' is not allowed; now there is roll",
    ):
        assert said in told
    assert "give no --against, --seed or --hints" in kept([], "pig", "--seed", "1")
    assert told.count("Player 1: 4 points; Player 2: 0 points; Player 3: 0 points") == 4


def test_dice_are_set_aside_and_the_game_is_won():
    told = kept(["1 5 5 2 3", "keep 1 5", "1 1 1"], "ten-thousand 10: 2-3")
    assert "Player 1 kept 1 5: turn total 3 chips (150 points)." in told
    assert "Player 1 won with 25 chips (1,250 points)." in told
