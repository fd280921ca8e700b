"""The catalogue of games."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

from .doors import as_items, as_probability, as_whole, check_denominator, in_short, refusal
from .games import BUST, RESET, Choice, Game, Mode, Outcome, as_game

__all__ = [
    "GAMES",
    "double_trouble",
    "farkle",
    "generalized_pig",
    "giving_up",
    "pig",
    "piglet",
    "ten_thousand",
    "two_dice_pig",
]


FAIR = {face: Fraction(1, 6) for face in range(1, 7)}
MOST_ROLLS = 100_000  # that differ by more than the order of the dice
MOST_DICE = 100


def _chances(die, dice):
    """The probability of every roll of so many dice, by the roll, faces ascending; `die` has those of the faces."""
    return {
        roll: math.factorial(dice)
        // math.prod(map(math.factorial, Counter(roll).values()))
        * math.prod(map(die.get, roll))
        for roll in combinations_with_replacement(die, dice)
    }


def _outcomes(chances, result_of):
    """Rolls as outcomes: those of which ``result_of(roll)`` is the same, dice set aside included, are one."""
    found = {}
    for roll in chances:
        result = result_of(roll)
        found.setdefault(repr(result), (result, []))[1].append(roll)
    return tuple(Outcome(sum(map(chances.get, rolls)), result, tuple(rolls)) for result, rolls in found.values())


def _summed(name, target, finish, die, dice=1, worst=1, bust=1, reset=None):
    """A game in which a roll scores its sum, unless so many dice show the `worst` face; see :func:`generalized_pig`."""

    def result_of(roll):
        if reset and roll.count(worst) >= reset:
            return RESET
        return BUST if roll.count(worst) >= bust else Choice(sum(roll), "roll")

    return Game(name, target, Mode("roll", _outcomes(_chances(die, dice), result_of)), finish)


def generalized_pig(probabilities, target, *, dice=1, bust=1, reset=None, finish="reach", name="Generalized Pig"):
    """Pig with any die (Crocce and Mordecki 2018, section 1), or several of them.

    Parameters
    ----------
    probabilities : sequence
        ``probabilities[f]`` is the probability of face f. Face 0 is the bust; face f scores f points. They must sum
        to exactly 1; see :func:`dicelab.doors.as_fraction` for what is read as one. Faces of chance 0 are left out.
    target : int
        Points, at least 1.
    dice : int
        How many such dice are rolled at a time, in 1, …, 100. A roll scores its sum.
    bust : int
        The turn ends with nothing if so many dice, or more, show face 0; in 1, …, `dice`.
    reset : int, optional
        The player's banked points are lost, too, if so many dice, or more, show face 0; in `bust`, …, `dice`. By
        default they never are.
    finish : {"reach", "exact"}
    name : str

    Returns
    -------
    Game
        With one mode, "roll".

    Raises
    ------
    ValueError
        If a probability is not one, they do not sum to 1, or no face scores (``probabilities[0] == 1`` included).
        ``probabilities[0] == 0`` is allowed: whoever moves first wins. Also if there are more than 100,000 rolls.

    Examples
    --------
    >>> generalized_pig(["1/2", "1/2"], 3).most_points
    1
    >>> generalized_pig(["1/6", 0, *["1/6"] * 5], 100, dice=2, reset=2, name="Two-dice Pig") == two_dice_pig()
    True
    """
    faces = as_items(probabilities, "probabilities", "a sequence, one entry a face")
    chances = [as_probability(p, f"probabilities[{face}]") for face, p in enumerate(faces)]
    dice = as_whole(dice, "dice", 1, MOST_DICE)
    check_denominator(chances, "probabilities", dice)
    if sum(chances) != 1:
        hint = " (write '1/6' rather than the float 1/6)" if math.isclose(sum(chances), 1, abs_tol=1e-9) else ""
        raise ValueError(f"probabilities: they sum to {in_short(sum(chances))}, not to 1{hint}")
    if chances[0] == 1:
        raise ValueError("probabilities: there is no way to score; a face above 0 needs a positive probability")
    die = {face: chance for face, chance in enumerate(chances) if chance}
    bust = as_whole(bust, "bust", 1)
    if bust > dice:
        raise refusal("bust", bust, f"a number of dice in 1, …, {dice}")
    if reset is not None and not bust <= as_whole(reset, "reset", 1) <= dice:
        raise refusal("reset", reset, f"None, or a number of dice in {bust}, …, {dice}")
    if (rolls := math.comb(len(die) + dice - 1, dice)) > MOST_ROLLS:
        raise ValueError(f"dice: {dice} make {rolls:,} different rolls; at most {MOST_ROLLS:,} are allowed")
    return _summed(name, target, finish, die, dice, 0, bust, reset)


def pig(target=100, finish="reach"):
    """Pig: one die; a one busts, any other face scores its number (Neller and Presser 2004).

    Parameters
    ----------
    target : int
        Points, at least 1.
    finish : {"reach", "exact"}

    Returns
    -------
    Game

    Examples
    --------
    >>> print(pig())
    Pig to 100
      roll: 1/6 bust, 1/6 +2 to roll, 1/6 +3 to roll, 1/6 +4 to roll, 1/6 +5 to roll, 1/6 +6 to roll
    """
    return _summed("Pig", target, finish, FAIR)


def piglet(target=10, finish="reach"):
    """Piglet: a coin; tails busts, heads scores one point (Neller and Presser 2004).

    Parameters
    ----------
    target, finish
        See :func:`pig`.

    Returns
    -------
    Game
    """
    half = Fraction(1, 2)
    return generalized_pig([half, half], target, finish=finish, name="Piglet")


def two_dice_pig(target=100, finish="reach"):
    """Pig with two dice: a single one busts, two ones cost all points (Zhu and Ma 2022, Figure 1).

    Parameters
    ----------
    target, finish
        See :func:`pig`.

    Returns
    -------
    Game
    """
    return _summed("Two-dice Pig", target, finish, FAIR, dice=2, reset=2)


def double_trouble(target=100, finish="reach"):
    """Two-dice Pig in which a double, two ones apart, must be rolled again, above the target too (ibid., Figure 7).

    Parameters
    ----------
    target, finish
        See :func:`pig`.

    Returns
    -------
    Game
    """

    def result_of(roll):
        if 1 in roll:
            return RESET if roll == (1, 1) else BUST
        return Choice(sum(roll), "forced" if roll[0] == roll[1] else "free")

    outcomes = _outcomes(_chances(FAIR, 2), result_of)
    return Game("Double Trouble", target, (Mode("free", outcomes), Mode("forced", outcomes, may_hold=False)), finish)


def ten_thousand(target=200, finish="reach"):
    """Ten Thousand with five dice, in chips of 50 points (Crocce and Mordecki 2014, section 2).

    A one scores 2 chips, a five 1; three of a kind together 20 (ones), or twice the face (fives 10). What does not
    score is rolled again; if nothing scores, the turn busts; if all dice do, all five are rolled anew. Otherwise the
    player may give up some of the scoring combinations, to roll more dice.

    Parameters
    ----------
    target : int
        In chips, at least 1; 200 are ten thousand points.
    finish : {"reach", "exact"}

    Returns
    -------
    Game
        With a mode for every number of dice in hand, "5 dice" first.

    Notes
    -----
    A minimum score to open with is no part of the game: it would make the rules depend on whether the player has
    opened, that is, on the own score, which the mode graph of a turn does not know.

    Examples
    --------
    >>> mode, outcome = ten_thousand().rolled([1, 5, 2, 2, 3])
    >>> [(choice.points, choice.mode, choice.aside) for choice in outcome.choices]
    [(3, '3 dice', (1, 5)), (2, '4 dice', (1,)), (1, '4 dice', (5,))]
    """

    def score(aside):
        ones, fives = aside[1], aside[5]
        others = {face: number for face, number in aside.items() if face not in (1, 5)}
        if any(number != 3 for number in others.values()):
            return 0
        return fives + 2 * ones + 14 * (ones >= 3) + 7 * (fives >= 3) + sum(2 * face for face in others)

    return _setting_aside("Ten Thousand", 5, score, target, finish)


def farkle(
    target=200,
    finish="reach",
    *,
    one=100,
    five=50,
    triples=(1000, 200, 300, 400, 500, 600),
    four=1000,
    five_of_a_kind=2000,
    six=3000,
    straight=1500,
    three_pairs=1500,
    unit=50,
):
    """Farkle with six dice and the common scoring.

    The player sets aside one or more scoring combinations and rolls what is left; all six anew once all have scored. A
    roll without any busts.

    Parameters
    ----------
    target : int
        In units, at least 1; 200 units of 50 are ten thousand points.
    finish : {"reach", "exact"}
    one, five : int
        Points for a single one and a single five.
    triples : sequence of int
        Points for three ones, three twos, …, three sixes.
    four, five_of_a_kind, six : int
        Points for so many of a kind.
    straight, three_pairs : int
        Points for 1 to 6, and for three pairs, in one roll.
    unit : int
        Points of a unit, which must divide all of the others. 0 points for a combination that does not count.

    Returns
    -------
    Game
        With a mode for every number of dice in hand, "6 dice" first. As to opening scores see :func:`ten_thousand`.

    Raises
    ------
    ValueError
        If a score is negative or no multiple of the unit, or there are not six triples.
    """
    unit = as_whole(unit, "unit", 1)

    def points(value, field):
        score = as_whole(value, field, 0)
        if score % unit:
            raise refusal(field, value, f"a multiple of the unit, {unit}")
        return score

    one, five, four, six = points(one, "one"), points(five, "five"), points(four, "four"), points(six, "six")
    five_of_a_kind, straight = points(five_of_a_kind, "five_of_a_kind"), points(straight, "straight")
    three_pairs, said = points(three_pairs, "three_pairs"), "six scores, of three ones, …, three sixes"
    triples = as_items(triples, "triples", said)
    if len(triples) != 6:
        raise refusal("triples", triples, said)
    triples = [points(value, f"triples[{k}]") for k, value in enumerate(triples)]

    def of_a_kind(face, number):
        """The best score of so many dice of one face, none of them left out; 0 if that cannot be."""
        single = {1: one, 5: five}.get(face, 0)
        best = number * single
        for size, points in ((3, triples[face - 1]), (4, four), (5, five_of_a_kind), (6, six)):
            rest = of_a_kind(face, number - size) if number > size else 0
            if points and number >= size and (rest or number == size):
                best = max(best, points + rest)
        return best

    def score(aside):
        by_face = [of_a_kind(face, number) for face, number in aside.items()]
        best = sum(by_face) if all(by_face) else 0
        if len(aside) == 6:
            best = max(best, straight)
        if sorted(aside.values()) == [2, 2, 2]:
            best = max(best, three_pairs)
        return best // unit

    return _setting_aside("Farkle", 6, score, target, finish, all_or_some=True)


def _setting_aside(name, most, score, target, finish, all_or_some=False):
    """A game in which scoring dice are set aside and the others rolled, with up to `most` dice.

    ``score(aside)`` is what a Counter of faces scores, 0 if some die of it does not. Rolls with the same scoring
    dice are one outcome. If all dice of a roll score, they are set aside, or, if `all_or_some`, some of them may be.
    """
    titles = {n: f"{n} dice" if n > 1 else "1 die" for n in range(1, most + 1)}

    def result_of(roll):
        return _choices(roll, most, score, titles, all_or_some) or BUST

    modes = [Mode(titles[n], _outcomes(_chances(FAIR, n), result_of), dice=n) for n in range(most, 0, -1)]
    return Game(name, target, tuple(modes), finish)


def _choices(roll, most, score, titles, all_or_some):
    """What can be set aside of a sorted roll, as choices, the most points first."""
    subsets = {aside for size in range(1, len(roll) + 1) for aside in combinations(roll, size)}
    scored = {aside: points for aside in subsets if (points := score(Counter(aside)))}
    whole = [aside for aside in scored if len(aside) == len(roll)]
    if whole and not all_or_some:
        scored = {aside: scored[aside] for aside in whole}
    best = {}
    for aside in sorted(scored, key=lambda aside: (-scored[aside], len(aside), aside)):
        best.setdefault((scored[aside], titles[len(roll) - len(aside) or most]), aside)
    return tuple(Choice(points, mode, aside) for (points, mode), aside in best.items())


def giving_up(game, allowed):
    """A game in which only some of the scoring dice may be given up.

    Parameters
    ----------
    game : Game
        In which dice are set aside.
    allowed : sequence of tuple of int
        The faces that may be given up together, for example ``[(5,), (1, 5)]``; to give up nothing always may.

    Returns
    -------
    Game

    Raises
    ------
    ValueError
        If an argument is none of what is allowed.
    """
    as_game(game)
    allowed = as_items(allowed, "allowed", "a sequence of faces that may be given up together")
    for k, faces in enumerate(allowed):
        for face in as_items(faces, f"allowed[{k}]", "a tuple of faces"):
            as_whole(face, f"allowed[{k}]", 1, 6)
    allowed = [Counter(), *map(Counter, allowed)]

    def kept(outcome):
        scoring = Counter(outcome.scoring)
        choices = tuple(choice for choice in outcome.choices if scoring - Counter(choice.aside) in allowed)
        return replace(outcome, result=choices or outcome.result)

    modes = [replace(mode, outcomes=tuple(map(kept, mode.outcomes))) for mode in game.modes]
    return replace(game, modes=tuple(modes))


GAMES = {
    game.__name__.replace("_", "-"): game for game in (pig, piglet, two_dice_pig, double_trouble, ten_thousand, farkle)
}
