"""The rules of the games of the catalogue in three lines, for whoever is about to play."""

from dicelab.games.catalogue import GAMES
from dicelab.games.model import LAST_TURN

__all__ = ["finish_in_words", "rules_in_words"]

HOLD = "Holding ends the turn and banks its points."
SET_ASIDE = (
    "Set aside scoring dice, then roll the others or hold, which ends the turn and banks its chips; once all dice "
    "score, roll all again. A roll without a score ends the turn, and its chips are lost."
)
IN_A_ROW = (
    "Set aside scoring dice, then roll the others or hold, which banks 6 chips or more; once all dice score, roll all "
    "again. A roll without a score ends the turn, and its chips are lost; the third one in a row costs 10 more."
)
RULES = {
    "Pig": [
        "Roll a die as often as you like. Its number is added to the turn total.",
        f"A one ends the turn, and the turn's points are lost. {HOLD}",
    ],
    "Piglet": [
        "Toss a coin as often as you like. Heads adds one point to the turn total.",
        f"Tails ends the turn, and the turn's points are lost. {HOLD}",
    ],
    "Two-dice Pig": [
        "Roll two dice as often as you like. Their sum is added to the turn total.",
        f"A single one ends the turn, and the turn's points are lost; two ones lose all banked points, too. {HOLD}",
    ],
    "Double Trouble": [
        "Roll two dice as often as you like. Their sum is added to the turn total. "
        "After a double other than two ones you must roll again.",
        f"A single one ends the turn, and the turn's points are lost; two ones lose all banked points, too. {HOLD}",
    ],
    "Ten Thousand": [
        "Roll five dice. A one scores 2 chips of 50 points, a five 1 chip, three of a kind twice the face; "
        "but three ones score 20 chips, and three fives 10.",
        SET_ASIDE,
    ],
    "Farkle": [
        "Roll six dice. A one scores 2 chips of 50 points, a five 1 chip, three of a kind twice the face, but three "
        "ones 20; four, five and six of a kind 20, 40 and 60; a straight and three pairs 30.",
        SET_ASIDE,
    ],
    "Big Pig": [
        "Roll two dice as often as you like. Their sum is added to the turn total, or twice the sum after a double, "
        "and 25 points after two ones.",
        f"A single one ends the turn, and the turn's points are lost. {HOLD}",
    ],
    "Hog": [
        "Choose a number of dice, from one to ten, and roll them once.",
        "Their sum is added to your score. If there is a one among them, the turn scores nothing.",
    ],
    "Toss Up": [
        "Roll ten dice with three green, two yellow and one red side. Each green die scores a point and is set aside; "
        "roll the others, or all ten again after all are green. If all are yellow, nothing changes.",
        f"Reds without a green end the turn, and the turn's points are lost. {HOLD}",
    ],
    "Pass the Pigs": [
        "Throw two pigs. Backs and feet score 5 points each, a snout 10, a jowl 15; two equal ones score double; two "
        "equal sides score 1.",
        f"Different sides end the turn, and its points are lost; pigs that touch lose all banked points, too. {HOLD}",
    ],
    "Facebook Farkle": [
        "Roll six dice. Ones and fives score 2 and 1 chips of 50 points, three of a kind twice the face, but three "
        "ones 20; four, five, six of a kind 2, 3, 4 times as much; a straight 30, three pairs 15.",
        IN_A_ROW,
    ],
    "Zilch": [
        "Roll six dice. Ones and fives score 2 and 1 chips of 50 points, three of a kind twice the face, but three "
        "ones 20; each more of the kind doubles this; a straight and three pairs 30, six dice without a score 10.",
        IN_A_ROW,
    ],
    "Kingdom Come": [
        "Roll six dice. Ones and fives score 2 and 1 chips of 50 points, three of a kind twice the face, but three "
        "ones 20; each more of the kind doubles this; 1 to 5 score 10, 2 to 6 score 15, 1 to 6 score 30.",
        SET_ASIDE,
    ],
}


def rules_in_words(game):
    """The rules of a game of the catalogue as three sentences or pairs of sentences; of others, the modes.

    Parameters
    ----------
    game : Game

    Returns
    -------
    list of str

    Examples
    --------
    >>> import dicelab as dl
    >>> rules_in_words(dl.pig())[2]
    'The first player with 100 points or more wins.'
    """
    make = GAMES.get(game.name.lower().replace(" ", "-"))
    known = make and make()
    if not known or (known.modes, known.registers) != (game.modes, game.registers):
        return str(game).splitlines()  # rules of one's own, perhaps under a known name
    return [*RULES[game.name], finish_in_words(game)]


def finish_in_words(game):
    """How a race is won, in one sentence or more.

    Examples
    --------
    >>> from dicelab import pig
    >>> finish_in_words(pig(100, "exact"))
    'The first player with exactly 100 points wins.'
    """
    target = game.with_unit(game.target)
    if game.finish not in LAST_TURN:
        reach = f"exactly {target}" if game.finish == "exact" else f"{target} or more"
        return f"The first player with {reach} wins."
    above = f"With {target} or more you may hold, or go on for a higher score."
    if game.finish == "equal turns":
        return (
            f"{above} If the player who moved first in the game holds there, the other one has one more turn; if the "
            "other one does, the game is over. The higher score wins, and equal scores are a draw."
        )
    return f"{above} Once a player has held there, the other one has one more turn, and wins with a higher score only."
