"""The catalogue of games, `GAMES`; and Pig, with its relatives in which no dice are set aside to be scored."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache

from .._validation import check_fraction, check_int, check_probability, check_sequence, invalid
from .die import bust_probabilities, read_die
from .model import BUST, FAIR, RESET, Choice, Game, Mode, Outcome, Probability, outcomes_of
from .set_aside import (
    facebook_farkle,
    farkle,
    hand_name,
    kingdom_come,
    restrict_discards,
    ten_thousand,
    zilch,
)

__all__ = [
    "GAMES",
    "PLAYED",
    "big_pig",
    "double_trouble",
    "generalized_pig",
    "hog",
    "pass_the_pigs",
    "pig",
    "piglet",
    "restrict_discards",
    "sus_fuss",
    "toss_up",
    "two_dice_pig",
]

MOST_ROLLS = 100_000  # different rolls, the order of the dice ignored
KERN = "34.9", "30.2", "22.4", "8.8", "3.0", "0.61"  # percent of 11,954 pigs


# Making a mode takes a third to a half of the time of solving Pig to 50, and it is the same for all targets.
@lru_cache(maxsize=64)
def _sum_mode(die, dice=1, reset=None, bust=1, worst=1):
    """The mode in which a roll scores its sum, unless the face `worst` ends the turn; see :func:`generalized_pig`.

    The die is pairs of a face and its probability.
    """

    def result_of(roll):
        if reset and roll.count(worst) >= reset:
            return RESET
        return BUST if roll.count(worst) >= bust else Choice(sum(roll), "roll")

    return Mode("roll", outcomes_of([(dict(die), dice)], result_of))


def generalized_pig(
    probabilities: Sequence[Probability] | str,
    target: int = 100,
    *,
    dice: int = 1,
    bust: int = 1,
    reset: int | None = None,
    finish: str = "reach",
    name: str = "Generalized Pig",
) -> Game:
    """Pig with any die (Crocce and Mordecki 2018, section 1), or with several equal dice.

    Parameters
    ----------
    probabilities : sequence or str
        The die in words, "1 2 3 4 5 6:1/2, ones bust" (see :func:`dicelab.games.die.read_die`); or
        ``probabilities[f]`` is the probability of face f. Face 0 is the bust, and face f scores f points. They must sum
        to exactly 1; :func:`dicelab._validation.check_fraction` lists the accepted types. Faces of probability 0 are
        left out.
    target : int
        Points, at least 1.
    dice : int
        The number of dice in a roll, in 1, …, 100. A roll scores its sum.
    bust : int
        The turn busts if at least this many dice show face 0, in 1, …, `dice`.
    reset : int, optional
        The player also loses the banked points if at least this many dice show face 0, in `bust`, …, `dice`. By default
        the game has no resets.
    finish : {"reach", "exact", "equal turns", "last licks"}
    name : str

    Returns
    -------
    Game
        With one mode, "roll".

    Raises
    ------
    ValueError
        If an argument is not as described, no face scores, or the dice make more than 100,000 different rolls.
        ``probabilities[0] == 0`` is allowed: the first player wins in one turn.

    Examples
    --------
    >>> generalized_pig(["1/2", "1/2"], 3).most_points
    1
    >>> generalized_pig("1 2 3 4 5 6, ones bust", 100, dice=2, reset=2, name="Two-dice Pig") == two_dice_pig()
    True
    """
    if isinstance(probabilities, str):
        probabilities = bust_probabilities(read_die(probabilities))
    faces = check_sequence(
        probabilities, "probabilities", "a sequence with one entry for each face"
    )
    chances = [check_probability(p, f"probabilities[{face}]") for face, p in enumerate(faces)]
    dice = check_int(dice, "dice", 1, 100)
    if sum(chances) != 1:
        raise ValueError(
            f"probabilities: they sum to {sum(chances)}, not to 1 (write '1/6' rather than the float 1/6)"
        )
    bust = check_int(bust, "bust", 1, dice)
    if reset is not None:
        check_int(reset, "reset", bust, dice)
    die = tuple((face, chance) for face, chance in enumerate(chances) if chance)
    if (rolls := math.comb(len(die) + dice - 1, dice)) > MOST_ROLLS:
        raise ValueError(
            f"dice: {dice} make {rolls:,} different rolls; at most {MOST_ROLLS:,} are allowed"
        )
    return Game(name, target, _sum_mode(die, dice, reset, bust, worst=0), finish)


def pig(target: int = 100, finish: str = "reach") -> Game:
    """Pig: one die; a one busts, and every other face scores its number (Neller and Presser 2004).

    Parameters
    ----------
    target : int
        Points, at least 1.
    finish : {"reach", "exact", "equal turns", "last licks"}
        Whether a player wins with the target or more, or only with exactly the target, or after a last turn of the
        other player; see :class:`Game`.

    Returns
    -------
    Game

    Examples
    --------
    >>> print(pig())
    Pig to 100
      roll: 1/6 bust, 1/6 +2 to roll, 1/6 +3 to roll, 1/6 +4 to roll, 1/6 +5 to roll, 1/6 +6 to roll
    """
    return Game("Pig", target, _sum_mode(tuple(FAIR.items())), finish)


def piglet(target: int = 10, finish: str = "reach") -> Game:
    """Piglet: one coin; tails busts, heads scores one point (Neller and Presser 2004). Arguments as in :func:`pig`.

    Examples
    --------
    >>> print(piglet())
    Piglet to 10
      roll: 1/2 bust, 1/2 +1 to roll
    """
    return generalized_pig(["1/2", "1/2"], target, finish=finish, name="Piglet")


def two_dice_pig(target: int = 100, finish: str = "reach") -> Game:
    """Pig with two dice: one one busts, two ones reset (Zhu and Ma 2022, Figure 1). Arguments as in :func:`pig`.

    Examples
    --------
    >>> from dicelab import solve
    >>> round(solve(two_dice_pig()).value, 6)
    0.519559
    """
    return Game("Two-dice Pig", target, _sum_mode(tuple(FAIR.items()), 2, reset=2), finish)


def double_trouble(target: int = 100, finish: str = "reach") -> Game:
    """Two-dice Pig with forced rolls after doubles (Zhu and Ma 2022, Figure 7). Arguments as in :func:`pig`.

    After a double other than two ones the player must roll again, even if the turn total reaches the target.

    Examples
    --------
    >>> [(mode.name, mode.may_hold) for mode in double_trouble().modes]
    [('free', True), ('forced', False)]
    """

    def result_of(roll):
        if 1 in roll:
            return RESET if roll == (1, 1) else BUST
        return Choice(sum(roll), "forced" if roll[0] == roll[1] else "free")

    outcomes = outcomes_of([(FAIR, 2)], result_of)
    return Game(
        "Double Trouble",
        target,
        (Mode("free", outcomes), Mode("forced", outcomes, may_hold=False)),
        finish,
    )


def big_pig(target: int = 100, finish: str = "reach") -> Game:
    """Big Pig: two dice, and doubles score more. Arguments as in :func:`pig`.

    A single one busts. Two ones score 25 points, other doubles twice their sum, and all other rolls their sum. The
    player may hold or roll again after each roll, also after doubles.

    Notes
    -----
    The rules are those of "Big Pig", https://dicecold.com/games/big-pig, and of the page on Pig of Wikipedia. They say
    that other doubles score "double the value of the dice"; we read this as twice the sum. No number is printed there.

    Examples
    --------
    >>> from dicelab import solve
    >>> round(float(solve(big_pig(), "score").value), 6)
    11.870161
    """

    def result_of(roll):
        if 1 in roll:
            return Choice(25, "roll") if roll == (1, 1) else BUST
        return Choice(sum(roll) * (2 if roll[0] == roll[1] else 1), "roll")

    return Game("Big Pig", target, Mode("roll", outcomes_of([(FAIR, 2)], result_of)), finish)


def hog(
    target: int = 100,
    most_dice: int = 10,
    finish: str = "reach",
    *,
    ones: int = 0,
    points: Callable[[int, int, int], int] | None = None,
) -> Game:
    """Hog: a turn is one roll, and the player chooses the number of dice before (Feldman and Morgan 2003).

    If a one is among the dice, the turn scores nothing, or `ones` points. Otherwise it scores their sum.

    Parameters
    ----------
    target : int
        Points, at least 1.
    most_dice : int
        The most dice that may be rolled, in 1, …, 20.
    finish : {"reach", "exact", "equal turns", "last licks"}
    ones : int
        Points of a roll with a one: 1 in the contests of courses.
    points : callable, optional
        What a turn banks, if that depends on the scores, as with :func:`sus_fuss`; see :class:`dicelab.Game`.

    Returns
    -------
    Game
        With the mode "start", in which the number of dice is chosen, a mode for each number, and the mode "stop".

    Notes
    -----
    The source is L. Feldman and F. Morgan, "The Pedagogy and Probability of the Dice Game HOG", Journal of Statistics
    Education 11(2), 2003, http://ww2.amstat.org/publications/jse/v11n2/feldman.html. On average five dice and six dice
    score 15625/1944 = 8.0376 points, and no other number of dice scores more. The source lets the players take as many
    dice as they like; ten is our limit, and so is the finish.

    Examples
    --------
    >>> from dicelab import solve
    >>> solve(hog(), "score", exact=True).value
    Fraction(15625, 1944)
    >>> round(solve(hog(ones=1, points=sus_fuss)).value, 6)
    0.539407
    """
    most_dice, ones = check_int(most_dice, "most_dice", 1, 20), check_int(ones, "ones", 0)
    return Game("Hog", target, _modes_of_hog(most_dice, ones), finish, points=points)


def sus_fuss(own: int, opponent: int, rolled: int) -> int:
    """The points of a turn of Hog by the rule "Sus Fuss": a score with 3 or 4 divisors goes up to the next prime.

    >>> sus_fuss(19, 0, 2), sus_fuss(19, 0, 5)
    (4, 5)
    """

    def divisors(number):
        return sum(number % part == 0 for part in range(1, number + 1))

    score = own + rolled
    if divisors(score) in (3, 4):
        while divisors(score) != 2:
            score += 1
    return score - own


@cache
def _modes_of_hog(most_dice, ones):
    """The modes of Hog with so many dice."""
    spoiled = Choice(ones, "stop") if ones else BUST

    def result_of(roll):
        return spoiled if 1 in roll else Choice(sum(roll), "stop")

    rolls = [
        Mode(hand_name(dice=n), outcomes_of([(FAIR, n)], result_of), may_hold=False)
        for n in range(1, most_dice + 1)
    ]
    numbers = Outcome(1, [Choice(0, mode.name) for mode in rolls])
    return Mode("start", numbers, may_hold=False), *rolls, Mode("stop", ())


def toss_up(target: int = 100, finish: str = "reach", *, dice: int = 10) -> Game:
    """Toss Up: ten dice with three green sides, two yellow sides and a red one (Johnson 2012).

    Each green die scores a point and is set aside, and the player may roll the others; after all ten, all ten again.
    A roll with no green but a red busts. A roll of yellows only changes nothing.

    Parameters
    ----------
    target : int
        Points, at least 1.
    finish : {"reach", "exact", "equal turns", "last licks"}
    dice : int
        The number of dice, in 1, …, 20.

    Returns
    -------
    Game
        With a mode for every number of dice in hand, "10 dice" first.

    Notes
    -----
    The source is R. Johnson, "Strategies for Playing the Dice Game 'Toss Up'", South Dakota School of Mines and
    Technology, April 2012, https://pdfslide.us/amp/documents/strategies-for-playing-the-dice-game-toss-up.html. There
    the first player with 100 points wins. Other printed rules give every other player a last turn: finish="last licks".
    After a roll of yellows only the player could also hold, but held not before, and nothing has changed.

    Johnson's rule, to roll with three, four and five dice below 18, 40 and 93 points, and never with fewer, compares
    one more roll with a hold. It is not optimal for the points of a turn: with one to six dice in hand one should roll
    below 25, 22, 27, 48, 99 and 217 points.

    Examples
    --------
    >>> from dicelab import solve
    >>> round(solve(toss_up()).value, 6)
    0.548838
    """
    modes = [
        Mode(
            hand_name(dice=n),
            [
                *(
                    Outcome(
                        Fraction(math.comb(n, k), 2**n), Choice(k, hand_name(dice=n - k or dice))
                    )
                    for k in range(1, n + 1)
                ),
                Outcome(Fraction(1, 2**n) - Fraction(1, 3**n), BUST),
                Outcome(Fraction(1, 3**n), Choice(0, hand_name(dice=n))),  # yellows only
            ],
        )
        for n in range(check_int(dice, "dice", 1, 20), 0, -1)
    ]
    return Game("Toss Up", target, modes, finish)


def pass_the_pigs(
    target: int = 100,
    finish: str = "reach",
    *,
    frequencies: Sequence[Probability] = KERN,
    touching: Probability = "23/6000",
) -> Game:
    """Pass the Pigs: two pigs are thrown instead of dice (Kern 2006).

    A pig lies on its side without or with a dot, or is a razorback or a trotter (5 points each), a snouter (10) or a
    leaning jowler (15). Two equal ones of the last four score twice their sum, other pairs their sum, and a side counts
    0. Two equal sides score 1 point, and different sides bust. Pigs that touch reset.

    Parameters
    ----------
    target : int
        Points, at least 1.
    finish : {"reach", "exact", "equal turns", "last licks"}
    frequencies : sequence
        How often a pig lies on the side without dot, on the side with the dot, on its back, on its feet, on its snout
        and on its jowl: six numbers of at least 0. Only their ratios count.
    touching : Fraction, or what can be read as one
        The probability that the pigs touch, at least 0 and below 1.

    Returns
    -------
    Game
        With one mode, "throw".

    Raises
    ------
    ValueError
        If an argument is not as described.

    Notes
    -----
    The frequencies are those of J. C. Kern, "Pig Data and Bayesian Inference on Multinomial Probabilities", Journal of
    Statistics Education 14(3), 2006, http://ww2.amstat.org/publications/jse/v14n3/datasets.kern.html, of 11,954 pigs in
    6,000 throws: 34.9, 30.2, 22.4, 8.8, 3.0 and 0.61 %. They sum to 99.91 %, and we divide by that. The other 46 pigs
    lay in 23 throws in which they touched. We take the two pigs as independent. A pig on top of the other, after which
    the player leaves the game, did not occur and is left out.

    D. Batten, "Optimal Pass the Pigs Strategy", part two, 9 October 2015,
    https://daynebatten.com/2015/10/optimal-pass-the-pigs-strategy-two/, holds above 22.5 points. This fits if jowlers
    have 0.7 % and pigs never touch; with the default arguments a throw is a fair bet at 21.9 points.

    Examples
    --------
    >>> game = pass_the_pigs(touching=0)
    >>> round(float(game.modes[0].chance("bust")), 4)
    0.2112
    """
    expected = "six numbers of at least 0, not all of them 0"
    weights = [
        check_fraction(value, "frequencies", expected)
        for value in check_sequence(frequencies, "frequencies", expected)
    ]
    if len(weights) != 6 or min(weights) < 0 or not any(weights):
        raise invalid("frequencies", frequencies, expected)
    apart = 1 - check_probability(touching, "touching")
    pigs = {pig: weight / sum(weights) for pig, weight in enumerate(weights) if weight}
    points = 0, 0, 5, 5, 10, 15

    def result_of(pair):
        equal = pair[0] == pair[1]
        if max(pair) < 2:  # both on a side
            return Choice(1, "throw") if equal else BUST
        return Choice(sum(points[pig] for pig in pair) * (2 if equal else 1), "throw")

    outcomes = [
        Outcome(o.probability * apart, o.result) for o in outcomes_of([(pigs, 2)], result_of)
    ]
    outcomes += [Outcome(1 - apart, RESET)] if apart < 1 else []
    return Game("Pass the Pigs", target, Mode("throw", outcomes), finish)


GAMES = {
    game.__name__.replace("_", "-"): game
    for game in (
        pig,
        piglet,
        two_dice_pig,
        double_trouble,
        big_pig,
        hog,
        toss_up,
        pass_the_pigs,
        ten_thousand,
        farkle,
        facebook_farkle,
        zilch,
        kingdom_come,
    )
}
PLAYED = {  # where one plays, in a notebook and in the browser, by name: the games without registers, solved in seconds
    "Pig": pig,
    "Two-dice Pig": two_dice_pig,
    "Double Trouble": double_trouble,
    "Ten Thousand": ten_thousand,
    "Farkle": farkle,
    "Big Pig": big_pig,
    "Hog": hog,
    "Toss Up": toss_up,
    "Pass the Pigs": pass_the_pigs,
    "Kingdom Come": kingdom_come,
    "Piglet": piglet,
}
