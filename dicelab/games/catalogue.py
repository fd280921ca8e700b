"""The catalogue of games: Pig, Piglet, Two-dice Pig, Double Trouble, Ten Thousand, Farkle, and Pig with any dice."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

from .._validation import check_int, check_probability, check_sequence, invalid
from .model import BUST, RESET, Choice, Game, Mode, Outcome, Probability, check_game

__all__ = [
    "GAMES",
    "double_trouble",
    "farkle",
    "generalized_pig",
    "pig",
    "piglet",
    "restrict_discards",
    "ten_thousand",
    "two_dice_pig",
]

FAIR = {face: Fraction(1, 6) for face in range(1, 7)}
MOST_ROLLS = 100_000  # different rolls, the order of the dice ignored
MOST_DICE = 100
LONG_RACE = 50_000  # points; a target of so many in chips was most likely meant in points


def _outcomes(die, dice, result_of):
    """The outcomes of a roll of `dice` equal dice; rolls (sorted tuples of faces) with the same result are merged.

    `die` maps faces to probabilities, and ``result_of(roll)`` is the result of a roll. Results are compared by their
    repr, because choices that set aside different dice compare equal.
    """
    merged = {}
    for roll in combinations_with_replacement(die, dice):
        orders = math.factorial(dice) // math.prod(map(math.factorial, Counter(roll).values()))
        result = result_of(roll)
        _, chances = merged.setdefault(repr(result), (result, {}))
        chances[roll] = orders * math.prod(map(die.get, roll))
    return tuple(Outcome(sum(chances.values()), result, tuple(chances)) for result, chances in merged.values())


def _sum_game(name, target, finish, die, dice=1, worst=1, bust=1, reset=None):
    """A game in which a roll scores its sum, unless the face `worst` ends the turn; see :func:`generalized_pig`."""

    def result_of(roll):
        if reset and roll.count(worst) >= reset:
            return RESET
        return BUST if roll.count(worst) >= bust else Choice(sum(roll), "roll")

    return Game(name, target, Mode("roll", _outcomes(die, dice, result_of)), finish)


def generalized_pig(
    probabilities: Sequence[Probability],
    target: int,
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
    probabilities : sequence
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
    >>> generalized_pig(["1/6", 0, *["1/6"] * 5], 100, dice=2, reset=2, name="Two-dice Pig") == two_dice_pig()
    True
    """
    faces = check_sequence(probabilities, "probabilities", "a sequence with one entry for each face")
    chances = [check_probability(p, f"probabilities[{face}]") for face, p in enumerate(faces)]
    dice = check_int(dice, "dice", 1, MOST_DICE)
    if sum(chances) != 1:
        hint = " (write '1/6' rather than the float 1/6)" if math.isclose(sum(chances), 1, abs_tol=1e-9) else ""
        raise ValueError(f"probabilities: they sum to {sum(chances)}, not to 1{hint}")
    if chances[0] == 1:
        raise ValueError("probabilities: there is no way to score; a face above 0 needs a positive probability")
    if check_int(bust, "bust", 1) > dice:
        raise invalid("bust", bust, f"a number of dice in 1, …, {dice}")
    if reset is not None and not bust <= check_int(reset, "reset", 1) <= dice:
        raise invalid("reset", reset, f"None, or a number of dice in {bust}, …, {dice}")
    die = {face: chance for face, chance in enumerate(chances) if chance}
    if (rolls := math.comb(len(die) + dice - 1, dice)) > MOST_ROLLS:
        raise ValueError(f"dice: {dice} make {rolls:,} different rolls; at most {MOST_ROLLS:,} are allowed")
    return _sum_game(name, target, finish, die, dice, 0, bust, reset)


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
    return _sum_game("Pig", target, finish, FAIR)


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
    return _sum_game("Two-dice Pig", target, finish, FAIR, dice=2, reset=2)


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

    outcomes = _outcomes(FAIR, 2, result_of)
    return Game("Double Trouble", target, (Mode("free", outcomes), Mode("forced", outcomes, may_hold=False)), finish)


def ten_thousand(target: int = 200, finish: str = "reach") -> Game:
    """Ten Thousand with five dice, in chips of 50 points (Crocce and Mordecki 2014, section 2).

    A one scores 2 chips and a five 1 chip. Three of a kind score twice the face, but three ones 20 and three fives 10.
    A roll without a score busts. If all dice score, the player rolls all five again. Otherwise the player sets aside
    some or all of the scoring combinations, and may roll the other dice.

    Parameters
    ----------
    target : int
        Chips, at least 1. 200 chips are ten thousand points.
    finish : {"reach", "exact", "equal turns", "last licks"}

    Returns
    -------
    Game
        With a mode for every number of dice in hand, "5 dice" first.

    Raises
    ------
    ValueError
        If the target is 1,000 chips or more: 50,000 points, a race of hours. It may be meant in points. For a game that
        is so long, use ``dataclasses.replace(ten_thousand(), target=1000)``.

    Notes
    -----
    The minimum score for a player's first banked turn is left out: this rule depends on the own score, and the modes
    of a turn do not.

    Examples
    --------
    >>> mode, outcome = ten_thousand().classify_roll([1, 5, 2, 2, 3])
    >>> [(choice.points, choice.mode, choice.aside) for choice in outcome.choices]
    [(3, '3 dice', (1, 5)), (2, '4 dice', (1,)), (1, '4 dice', (5,))]
    """

    def score(aside):
        ones, fives = aside[1], aside[5]
        others = {face: number for face, number in aside.items() if face not in (1, 5)}
        if any(number != 3 for number in others.values()):
            return 0
        return fives + 2 * ones + 14 * (ones >= 3) + 7 * (fives >= 3) + sum(2 * face for face in others)

    return _set_aside_game("Ten Thousand", 5, score, target, finish, 50)


def farkle(
    target: int = 200,
    finish: str = "reach",
    *,
    one: int = 100,
    five: int = 50,
    triples: Sequence[int] = (1000, 200, 300, 400, 500, 600),
    four: int = 1000,
    five_of_a_kind: int = 2000,
    six: int = 3000,
    straight: int = 1500,
    three_pairs: int = 1500,
    unit: int = 50,
) -> Game:
    """Farkle with six dice and the common scoring, in chips of 50 points.

    After each roll the player sets aside one or more scoring combinations, and may roll the other dice; when all six
    have scored, the player rolls all six again. A roll without a score busts.

    Parameters
    ----------
    target : int
        Chips of `unit` points, at least 1. 200 chips of 50 points are ten thousand points.
    finish : {"reach", "exact", "equal turns", "last licks"}
    one, five : int
        Points for a single one and a single five.
    triples : sequence of int
        Points for three ones, three twos, …, three sixes.
    four, five_of_a_kind, six : int
        Points for four, five and six of a kind.
    straight, three_pairs : int
        Points for 1 to 6, and for three pairs, in one roll.
    unit : int
        Points in a chip. All other scores must be multiples of it. A combination with 0 points does not count.

    Returns
    -------
    Game
        With a mode for every number of dice in hand, "6 dice" first. A minimum opening score is left out, as in
        :func:`ten_thousand`.

    Raises
    ------
    ValueError
        If a score is negative or not a multiple of the unit, `triples` does not have six entries, or the target is
        50,000 points or more, as in :func:`ten_thousand`.

    Examples
    --------
    >>> mode, outcome = farkle().classify_roll([1, 5, 2, 2, 3, 6])
    >>> [(choice.points, choice.mode, choice.aside) for choice in outcome.choices]
    [(3, '4 dice', (1, 5)), (2, '5 dice', (1,)), (1, '5 dice', (5,))]
    """
    unit = check_int(unit, "unit", 1)

    def units(points, field):
        number, rest = divmod(check_int(points, field, 0), unit)
        if rest:
            raise invalid(field, points, f"a multiple of the unit, {unit}")
        return number

    expected = "six scores, for three ones, …, three sixes"
    if len(given := check_sequence(triples, "triples", expected)) != 6:
        raise invalid("triples", triples, expected)
    triples = [units(points, f"triples[{k}]") for k, points in enumerate(given)]
    singles = {1: units(one, "one"), 5: units(five, "five")}
    larger = {4: units(four, "four"), 5: units(five_of_a_kind, "five_of_a_kind"), 6: units(six, "six")}
    straight, three_pairs = units(straight, "straight"), units(three_pairs, "three_pairs")

    def of_a_kind(face, number):
        """The best score of `number` dice that show one face, if all of them score; otherwise 0."""
        best = number * singles.get(face, 0)
        for size, points in {3: triples[face - 1], **larger}.items():
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
        return best

    return _set_aside_game("Farkle", 6, score, target, finish, unit, partial_hot_dice=True)


def _check_chips(target, chip):
    """Read `target` as a number of chips; ask what was meant if it is the target in points, by mistake."""
    if chip > 1 and check_int(target, "target", 1) * chip >= LONG_RACE:
        said = f"target: {target} chips are {target * chip:,} points; for {target:,} points give {-(-target // chip)}"
        raise ValueError(f"{said}; to mean it, use dataclasses.replace(game, target={target})")
    return target


def _set_aside_game(name, most, score, target, finish, chip, partial_hot_dice=False):
    """A game with up to `most` dice in which the player sets aside scoring dice and rolls the others.

    ``score(aside)`` is the score of a Counter of faces, or 0 if one of its dice does not score. If all dice of a roll
    score, the player sets all of them aside, or also fewer if `partial_hot_dice`.
    """
    titles = {n: f"{n} dice" if n > 1 else "1 die" for n in range(1, most + 1)}

    def result_of(roll):
        subsets = {aside for size in range(1, len(roll) + 1) for aside in combinations(roll, size)}
        scores = {aside: points for aside in subsets if (points := score(Counter(aside)))}
        if roll in scores and not partial_hot_dice:
            scores = {roll: scores[roll]}
        # of the choices with the same points and the same next mode keep the first; choices with most points come first
        choices = {}
        for aside in sorted(scores, key=lambda aside: (-scores[aside], len(aside), aside)):
            mode = titles[len(roll) - len(aside) or most]
            choices.setdefault((scores[aside], mode), Choice(scores[aside], mode, aside))
        return tuple(choices.values()) or BUST

    modes = [Mode(titles[n], _outcomes(FAIR, n, result_of), dice=n) for n in range(most, 0, -1)]
    return Game(name, _check_chips(target, chip), tuple(modes), finish, chip=chip)


def restrict_discards(game, allowed):
    """A game in which the player may give up only some combinations of the scoring dice.

    Parameters
    ----------
    game : Game
        A game in which dice are set aside.
    allowed : sequence of tuple of int
        The sets of faces that may be given up together, for example ``[(5,), (1, 5)]``. Giving up nothing is always
        allowed.

    Returns
    -------
    Game
    """
    check_game(game, last_turn=True)
    discards = [Counter()]
    for k, faces in enumerate(check_sequence(allowed, "allowed", "a sequence of tuples of faces")):
        faces = check_sequence(faces, f"allowed[{k}]", "a tuple of faces")
        discards.append(Counter(check_int(face, f"allowed[{k}]", 1, 6) for face in faces))

    def restricted(outcome):
        scoring = Counter(outcome.scoring)
        choices = tuple(choice for choice in outcome.choices if scoring - Counter(choice.aside) in discards)
        return replace(outcome, result=choices or outcome.result)

    modes = [replace(mode, outcomes=tuple(map(restricted, mode.outcomes))) for mode in game.modes]
    return replace(game, modes=tuple(modes))


GAMES = {
    game.__name__.replace("_", "-"): game for game in (pig, piglet, two_dice_pig, double_trouble, ten_thousand, farkle)
}
