"""Games in which dice are set aside: Ten Thousand, Farkle, Facebook Farkle, Zilch, and dice of Kingdom Come.

In all of them the player sets aside some scoring dice after each roll, and may roll the others. Scores are in chips. A
game is given by the score of the dice that are set aside together; :func:`_set_aside_game` makes its modes, one for
every hand: the numbers of dice of each kind that are left.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import chain, combinations, combinations_with_replacement, permutations, product

from .._validation import check_int, check_name, check_option, check_sequence, invalid
from .model import BUST, FAIR, Choice, Game, Mode, check_game, outcomes_of
from .registers import Register

__all__ = [
    "KINDS",
    "facebook_farkle",
    "farkle",
    "hand_name",
    "kingdom_come",
    "restrict_discards",
    "set_aside_game",
    "ten_thousand",
    "zilch",
]

LONG_RACE = 50_000  # points; a target of so many in chips was most likely meant in points
SIX = {"dice": (FAIR, 6)}
SINGLES = {(1,): 2, (5,): 1}  # chips of 50 points, by combination
TRIPLES = {1: 20, 2: 4, 3: 6, 4: 8, 5: 10, 6: 12}  # by face
DOUBLING = SINGLES | {  # each further die of a kind doubles the score
    (face,) * n: TRIPLES[face] << n - 3 for face in TRIPLES for n in range(3, 7)
}
STRAIGHT = 1, 2, 3, 4, 5, 6
THREE_PAIRS = [tuple(sorted(faces * 2)) for faces in combinations(STRAIGHT, 3)]
WEIGHTS = {  # of the faces 1 to 6 by kind of dice (Hayes 2022)
    "Standard": (1, 1, 1, 1, 1, 1),
    "Alfonse's": (385, 77, 77, 77, 154, 230),
    "Ambrose's": (2860, 2140, 715, 715, 1430, 2140),
    "Biased": (3, 4, 1, 1, 2, 1),
    "Even Number": (1, 4, 1, 4, 1, 4),
    "Henry's Beta": (1, 4, 1, 1, 1, 1),
    "Heavenly Kingdom": (368, 105, 105, 105, 105, 212),
    "Holy Trinity": (182, 228, 455, 45, 45, 45),
    "Lu/Ci/Fer": (13, 13, 13, 13, 13, 35),
    "Lucky": (273, 45, 91, 136, 182, 273),
    "Lucky Playing": (6, 0, 1, 1, 6, 4),
    "Die of Misfortune": (46, 227, 227, 227, 227, 46),
    "Odd": (4, 1, 4, 1, 4, 1),
    "Shrinking": (2, 1, 1, 1, 1, 3),
    "Strip": (4, 2, 2, 2, 3, 3),
    "The Commonest": (1, 1, 1, 1, 1, 1),
    "Unpopular": (1, 3, 2, 2, 2, 1),
}


KINDS = {
    name: {face: Fraction(w, sum(weights)) for face, w in enumerate(weights, start=1) if w}
    for name, weights in WEIGHTS.items()
}


def ten_thousand(target: int = 200, finish: str = "reach", *, opening: int = 0) -> Game:
    """Ten Thousand with five dice, in chips of 50 points (Crocce and Mordecki 2014, section 2).

    A one scores 2 chips and a five 1 chip. Three of a kind score twice the face, but three ones 20 and three fives 10.
    A roll without a score busts. If all dice score, the player rolls all five again. Otherwise the player sets aside
    some or all of the scoring combinations, and may roll the other dice.

    Parameters
    ----------
    target : int
        Chips, at least 1. 200 chips are ten thousand points.
    finish : {"reach", "exact", "equal turns", "last licks"}
    opening : int
        The points that a player must collect in one turn to bank for the first time, a multiple of 50; most often 500.
        By default the rule is left out.

    Returns
    -------
    Game
        With a mode for every number of dice in hand, "5 dice" first. With an opening minimum it has two registers, "not
        opened" and "opened".

    Raises
    ------
    ValueError
        If the target is 1,000 chips or more: 50,000 points, a race of hours. It may be meant in points. For a game that
        is so long, use ``dataclasses.replace(ten_thousand(), target=1000)``. Or if `opening` is not as described, or
        above the target.

    Examples
    --------
    >>> mode, outcome = ten_thousand().classify_roll([1, 5, 2, 2, 3])
    >>> [(choice.points, choice.mode, choice.aside) for choice in outcome.choices]
    [(3, '3 dice', (1, 5)), (2, '4 dice', (1,)), (1, '4 dice', (5,))]
    >>> [(register.name, register.least_hold) for register in ten_thousand(opening=500).registers]
    [('not opened', 10), ('opened', 1)]
    """
    return _set_aside_game(
        "Ten Thousand",
        {"dice": (FAIR, 5)},
        SINGLES | {(face,) * 3: TRIPLES[face] for face in TRIPLES},
        target,
        finish,
        registers=_opening(opening),
    )


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
    opening: int = 0,
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
    opening : int
        The points that a player must collect in one turn to bank for the first time; 0, the default, leaves this out.

    Returns
    -------
    Game
        With a mode for every number of dice in hand, "6 dice" first. With an opening minimum it has two registers, "not
        opened" and "opened".

    Raises
    ------
    ValueError
        If a score is negative or not a multiple of the unit, `triples` does not have six entries, the target is 50,000
        points or more, as in :func:`ten_thousand`, or `opening` is above the target.

    Examples
    --------
    >>> mode, outcome = farkle().classify_roll([1, 5, 2, 2, 3, 6])
    >>> [(choice.points, choice.mode, choice.aside) for choice in outcome.choices]
    [(3, '4 dice', (1, 5)), (2, '5 dice', (1,)), (1, '5 dice', (5,))]
    """
    unit = check_int(unit, "unit", 1)
    expected = "six scores, for three ones, …, three sixes"
    if len(given := check_sequence(triples, "triples", expected)) != 6:
        raise invalid("triples", triples, expected)
    points: dict[str, tuple[int, list]] = {  # by argument, with the combinations that score them
        "one": (one, [(1,)]),
        "five": (five, [(5,)]),
        **{f"triples[{k}]": (triple, [(k + 1,) * 3]) for k, triple in enumerate(given)},
        "four": (four, [(face,) * 4 for face in FAIR]),
        "five_of_a_kind": (five_of_a_kind, [(face,) * 5 for face in FAIR]),
        "six": (six, [(face,) * 6 for face in FAIR]),
        "straight": (straight, [STRAIGHT]),
        "three_pairs": (three_pairs, THREE_PAIRS),
    }
    scores = {
        faces: _chips(number, field, unit)
        for field, (number, scoring) in points.items()
        for faces in scoring
    }
    return _set_aside_game(
        "Farkle",
        SIX,
        scores,
        target,
        finish,
        unit,
        partial_hot_dice=True,
        registers=_opening(opening, unit),
    )


def facebook_farkle(
    target: int = 200, *, lowest: int = -50, minimum: int = 300, penalty: int = 500
) -> Game:
    """Farkle as it was on Facebook: three farkles in a row cost points (Busche 2016), in chips of 50 points.

    Six dice. A one scores 2 chips and a five 1 chip. Three of a kind score twice the face, but three ones 20; four,
    five and six of a kind score two, three and four times as much. A straight scores 30, three different pairs 15. The
    player sets aside some or all of what scores and may roll the other dice; when all six have scored, all six. A roll
    without a score is a farkle, which ends the turn. A third farkle in a row costs 500 points, and the count begins
    again. A turn must bank at least 300 points, also the one that wins.

    Parameters
    ----------
    target : int
        Chips, at least `minimum`. 200 chips are ten thousand points.
    lowest : int
        The lowest score, in chips, at most 0: a penalty that would lead below leads there. Busche chose -50.
    minimum : int
        The fewest points that a turn may bank, a multiple of 50, at least 50.
    penalty : int
        The points that the third farkle in a row costs, a multiple of 50, at least 50.

    Returns
    -------
    Game
        With a mode for every number of dice in hand, and three registers: "0 farkles", "1 farkle", "2 farkles".

    Raises
    ------
    ValueError
        If an argument is not as described, or the target is 50,000 points or more, as in :func:`ten_thousand`.

    Notes
    -----
    M. Busche, "Maximizing Win Probability in the Game of Farkle", 2 August 2016,
    https://www.mattbusche.org/blog/article/optimal_farkle/, counts 423,765,000 states and finds that the first player
    wins with probability 53.487 %. The scores are those of his page "Farkle Scoring",
    http://www.mattbusche.org/projects/farkle/scoring.php, where four of a kind and a pair are not three pairs. The
    penalty is told by "Love Yahtzee? Try Farkle on Facebook",
    https://modemoxie.com/love-yahtzee-try-farkle-on-facebook/, and the 300 points by
    http://www.life123.com/technology/online-games/farkle/farkle-2.shtml. His count of states fits these rules, if the
    300 points are needed in every turn, also in the one that wins. He leaves open whether dice that score may be rolled
    again when all six score. We allow it; without it his number is the same in all printed digits.

    Examples
    --------
    >>> game = facebook_farkle()
    >>> [(register.name, register.after_bust, register.penalty) for register in game.registers]
    [('0 farkles', '1 farkle', 0), ('1 farkle', '2 farkles', 0), ('2 farkles', '0 farkles', 10)]
    >>> [(choice.points, choice.mode) for choice in game.classify_roll([4, 4, 4, 4, 2, 3])[1].choices]
    [(16, '2 dice'), (8, '3 dice')]
    """
    scores = (
        SINGLES
        | {(face,) * n: TRIPLES[face] * (n - 2) for face in TRIPLES for n in range(3, 7)}
        | {STRAIGHT: 30}
        | dict.fromkeys(THREE_PAIRS, 15)
    )
    names = "0 farkles", "1 farkle", "2 farkles"
    return _farkles("Facebook Farkle", scores, target, lowest, minimum, penalty, names)


def zilch(target: int = 200, *, lowest: int = -50, minimum: int = 300, penalty: int = 500) -> Game:
    """Zilch by G. Vanhegan: Farkle in which six dice never fail, in chips of 50 points.

    Six dice. A one scores 2 chips and a five 1 chip. Three of a kind score twice the face, but three ones 20; each
    further die of the kind doubles this. A straight and three pairs score 30, and six dice without any score 10. The
    player sets aside some or all of what scores and may roll the other dice; when all six have scored, all six. A roll
    without a score is a zilch, which ends the turn. A third zilch in a row costs 500 points, and the count begins
    again. A turn must bank at least 300 points.

    Parameters
    ----------
    target, lowest, minimum, penalty : int
        As in :func:`facebook_farkle`.

    Returns
    -------
    Game
        With a mode for every number of dice in hand, and three registers: "0 zilches", "1 zilch", "2 zilches".

    Raises
    ------
    ValueError
        As :func:`facebook_farkle`.

    Notes
    -----
    The rules are those of G. Vanhegan, "Zilch", http://zilch.playr.co.uk/rules.php. For them M. Busche, "Maximizing
    Expected Scores in the Game of Zilch", 19 August 2010, https://www.mattbusche.org/blog/article/zilch/, finds 620.855
    points a turn at best. This fits if four of a kind and a pair are three pairs; otherwise it would be 611.794. The
    rules leave open how the game ends, and whether a fourth zilch in a row costs points as well. We take the first
    player with ten thousand points, and a count that begins again. `lowest` is ours.

    Examples
    --------
    >>> [(choice.points, choice.mode) for choice in zilch().classify_roll([2, 2, 3, 3, 4, 6])[1].choices]
    [(10, '6 dice')]
    >>> zilch().modes[0].chance("bust")
    Fraction(0, 1)
    """
    scores = (
        DOUBLING
        | {STRAIGHT: 30}
        | dict.fromkeys(THREE_PAIRS, 30)
        | {tuple(sorted((a,) * 4 + (b,) * 2)): 30 for a, b in permutations(FAIR, 2)}
        # Six dice without any score: two of these faces twice.
        | {tuple(sorted((2, 3, 4, 6, *twice))): 10 for twice in combinations((2, 3, 4, 6), 2)}
    )
    names = "0 zilches", "1 zilch", "2 zilches"
    return _farkles("Zilch", scores, target, lowest, minimum, penalty, names)


def kingdom_come(
    target: int = 80, dice: Sequence[str] = ("Standard",) * 6, finish: str = "reach"
) -> Game:
    """The dice game of Kingdom Come: Deliverance, with dice of several kinds, in chips of 50 points (Hayes 2022).

    A one scores 2 chips and a five 1 chip. Three of a kind score twice the face, but three ones 20; each further die of
    the kind doubles this. 1 to 5 score 10, 2 to 6 score 15, and 1 to 6 score 30; a sixth die beside five in a row may
    score its own 1 or 5. The player sets aside some or all of what scores and may roll the other dice; when all have
    scored, all of them again. A roll without a score busts.

    Parameters
    ----------
    target : int
        Chips, at least 1. 80 chips are 4,000 points.
    dice : sequence of str
        The kinds of both players' dice, one to six of them, for example ``["Standard"] * 4 + ["Odd"] * 2``. The kinds
        are "Standard", "Alfonse's", "Ambrose's", "Biased", "Even Number", "Henry's Beta", "Heavenly Kingdom", "Holy
        Trinity", "Lu/Ci/Fer", "Lucky", "Lucky Playing", "Die of Misfortune", "Odd", "Shrinking", "Strip", "The
        Commonest", and "Unpopular".
    finish : {"reach", "exact", "equal turns", "last licks"}

    Returns
    -------
    Game
        With a mode for every hand: "6 dice" or, with dice of several kinds, for example "4 Standard, 2 Odd".

    Raises
    ------
    ValueError
        If a kind of dice is unknown, there are more than six dice, or the target is 50,000 points or more, as in
        :func:`ten_thousand`.

    Notes
    -----
    Rules and dice are those of P. Hayes, "Kingdom Come: Deliverance - Optimal Dice Strategy", 2022,
    https://github.com/phlip9/kcddice, commit 2b2a319. Jokers and badges are left out, as there. Of two choices with the
    same dice left, the one with fewer points is left out, unless the finish is exact.

    Examples
    --------
    >>> game = kingdom_come(dice=["Standard"] * 4 + ["Odd"] * 2)
    >>> _, outcome = game.classify_roll([2, 3, 4, 6, 5, 5])  # the odd dice come last
    >>> [(choice.points, choice.mode, choice.aside) for choice in outcome.choices]
    [(16, '4 Standard, 2 Odd', (2, 3, 4, 6, 5, 5)), (15, '1 Odd', (2, 3, 4, 6, 5)), (2, '4 Standard', (5, 5)), \
(1, '4 Standard, 1 Odd', (5,))]
    """
    expected = "a sequence of one to six kinds of dice"
    named = [
        check_option(kind, f"dice[{k}]", list(KINDS))
        for k, kind in enumerate(check_sequence(dice, "dice", expected))
    ]
    if not 1 <= len(named) <= 6:
        raise invalid("dice", dice, expected)
    scores = DOUBLING | {STRAIGHT[:-1]: 10, STRAIGHT[1:]: 15, STRAIGHT: 30}
    numbers = Counter(named)
    kinds = {
        kind if len(numbers) > 1 else "dice": (KINDS[kind], number)
        for kind, number in numbers.items()
    }
    name = (
        "Kingdom Come"
        if numbers.keys() == {"Standard"}
        else f"Kingdom Come with {hand_name(**numbers)}"
    )
    return _set_aside_game(
        name,
        kinds,
        scores,
        target,
        finish,
        partial_hot_dice=True,
        most_points=finish != "exact",
    )


def set_aside_game(
    scores: Mapping[tuple[int, ...], int] | Callable[[tuple[int, ...]], int],
    target: int = 200,
    finish: str = "reach",
    *,
    dice: int = 6,
    unit: int = 50,
    opening: int = 0,
    name: str = "Dice set aside",
) -> Game:
    """A game in which dice are set aside, with one's own scores.

    After each roll the player sets aside some dice that score, and may roll the others; when all have scored, all of
    them again. A roll without a score busts.

    Parameters
    ----------
    scores : mapping or function
        What combinations score, points by faces: ``{(1,): 100, (5,): 50, (1, 1, 1): 1000}``. Dice that are set aside
        together score as combinations side by side, each die in one of them, in the best way. Or a function of all dice
        that are set aside together, a tuple of faces in ascending order, which returns points, or 0 if one of the dice
        does not score.
    target : int
        Chips of `unit` points, at least 1.
    finish : {"reach", "exact", "equal turns", "last licks"}
    dice : int
        1 to 8.
    unit : int
        Points in a chip. All scores must be multiples of it.
    opening : int
        The points that a player must collect in one turn to bank for the first time; 0, the default, leaves this out.
    name : str

    Returns
    -------
    Game
        With a mode for every number of dice in hand.

    Raises
    ------
    ValueError
        If a score is negative, no whole number or not a multiple of the unit, a combination is no tuple of faces, no
        roll scores, or another argument is not as described.

    Examples
    --------
    Three of a kind, of which each further die doubles the score:

    >>> scores = {(1,): 100, (5,): 50}
    >>> for face, triple in enumerate([1000, 200, 300, 400, 500, 600], start=1):
    ...     scores |= {(face,) * number: triple << number - 3 for number in range(3, 7)}
    >>> game = set_aside_game(scores)
    >>> _, outcome = game.classify_roll([4, 4, 4, 4, 1, 3])
    >>> [(choice.points, choice.aside) for choice in outcome.choices][:2]
    [(18, (1, 4, 4, 4, 4)), (16, (4, 4, 4, 4))]
    """
    unit = check_int(unit, "unit", 1)
    allowed = "points by combinations of faces, or a function"
    if isinstance(scores, Mapping):
        chips = [_chips(points, f"scores[{faces}]", unit) for faces, points in scores.items()]
        combined = [
            sorted(
                check_int(face, f"scores[{faces}]", 1, 6)
                for face in check_sequence(faces, "scores", allowed)
            )
            for faces in scores
        ]
        score = _in_combinations(tuple(zip(map(tuple, combined), chips, strict=True)))
    elif callable(scores):

        def score(faces):
            return _chips(scores(faces), f"scores[{faces}]", unit)
    else:
        raise invalid("scores", scores, allowed)
    return _set_aside_game(
        check_name(name, "name", "a non-empty name"),
        {"dice": (FAIR, check_int(dice, "dice", 1, 8))},
        score,
        target,
        finish,
        unit,
        partial_hot_dice=True,
        registers=_opening(opening, unit),
    )


@lru_cache(64)
def _in_combinations(scores):
    """The score of dice that are set aside together, as combinations side by side; 0 if one of them does not score.

    `scores` has pairs of a combination, a tuple of faces in ascending order, and its chips, of which 0 stands for no
    score. Dice are such tuples, too.
    """

    @cache
    def best(dice):
        ways = (  # to score with the first die, and the dice that are left
            (chips, tuple(sorted((Counter(dice) - Counter(faces)).elements())))
            for faces, chips in scores
            if chips and dice[:1] == faces[:1] != () and Counter(faces) <= Counter(dice)
        )
        return max(
            (chips + best(rest) for chips, rest in ways if best(rest) or not rest), default=0
        )

    return best


def _chips(points, field, unit=50, least=0):
    """Read `points`, an argument named `field`, as a number of chips of so many points."""
    number, rest = divmod(check_int(points, field, least), unit)
    if rest:
        raise invalid(field, points, f"a multiple of {unit}")
    return number


def _opening(points, unit=50):
    """The registers of an opening minimum; none if it is 0 points."""
    least = _chips(points, "opening", unit)
    return (
        (Register("not opened", after_hold="opened", least_hold=least), Register("opened"))
        if least
        else ()
    )


def _farkles(name, scores, target, lowest, minimum, penalty, names):
    """A game with six dice in which a third bust in a row costs a penalty; `names` are those of its registers."""
    least = _chips(minimum, "minimum", least=1)
    costs = 0, 0, _chips(penalty, "penalty", least=1)
    registers = [
        Register(name, names[0], after_bust, cost, least)
        for name, after_bust, cost in zip(names, (*names[1:], names[0]), costs, strict=True)
    ]
    return _set_aside_game(
        name,
        SIX,
        scores,
        target,
        "reach",
        partial_hot_dice=True,
        most_points=True,
        registers=registers,
        lowest=lowest,
    )


def hand_name(**numbers):
    """The name of a hand from the number of dice of each kind: "3 dice", "1 die", "2 Standard, 1 Odd"."""
    named = ", ".join(f"{number} {kind}" for kind, number in numbers.items() if number)
    return "1 die" if named == "1 dice" else named


def _set_aside_game(
    name,
    kinds,
    scores,
    target,
    finish,
    chip=50,
    *,
    partial_hot_dice=False,
    most_points=False,
    registers=(),
    lowest=0,
):
    """A game in which the player sets aside scoring dice and rolls the others.

    `kinds` has the dice by kind: the die, and how many there are of it. `scores` has the chips by combination of
    faces, or is a function of all dice that are set aside together, a tuple in ascending order; it returns 0 if one of
    them does not score. If all dice of a roll score, the player sets all of them aside, or also fewer if
    `partial_hot_dice`. With `most_points`, of the choices that leave the same dice the best one is kept.
    """
    if chip > 1 and check_int(target, "target", 1) * chip >= LONG_RACE:
        raise ValueError(
            f"target: {target} chips are {target * chip:,} points; for {target:,} points give {-(-target // chip)};"
            f" to mean it, use dataclasses.replace(game, target={target})"
        )
    score = scores if callable(scores) else _in_combinations(tuple(scores.items()))
    most = sum(number for _, number in kinds.values())
    sets = chain(*(combinations_with_replacement(range(1, 7), n) for n in range(1, most + 1)))
    modes = _modes_of(
        tuple((kind, tuple(die.items()), number) for kind, (die, number) in kinds.items()),
        tuple((faces, points) for faces in sets if (points := score(faces))),
        partial_hot_dice,
        most_points,
    )
    return Game(
        name,
        target,
        modes,
        finish,
        chip=chip,
        registers=registers,
        lowest=lowest,
    )


@lru_cache(64)
def _modes_of(kinds, scores, partial_hot_dice, most_points):
    """The modes of such a game, by its `kinds` and the sets of faces that score, with their points, as tuples."""
    names, dice, full = zip(*kinds, strict=True)
    scored = dict(scores)
    hands = [hand for hand in product(*(range(number, -1, -1) for number in full)) if any(hand)]
    titles = {hand: hand_name(**dict(zip(names, hand, strict=True))) for hand in hands}

    def result_of(hand, roll):
        owners = (kind for kind, number in enumerate(hand) for _ in range(number))
        rolled = tuple(zip(owners, roll, strict=True))
        sets = {aside for size in range(1, len(roll) + 1) for aside in combinations(rolled, size)}
        scores = {
            aside: points
            for aside in sets
            if (points := scored.get(tuple(sorted(face for _, face in aside))))
        }
        if rolled in scores and not partial_hot_dice:
            scores = {rolled: scores[rolled]}
        # of the choices with the same points and the same next mode keep the first; most points come first
        choices = {}
        for aside in sorted(scores, key=lambda aside: (-scores[aside], len(aside), aside)):
            given = Counter(kind for kind, _ in aside)
            left = tuple(number - given[kind] for kind, number in enumerate(hand))
            choice = Choice(
                scores[aside], titles[left if any(left) else full], [face for _, face in aside]
            )
            choices.setdefault((0 if most_points else choice.points, choice.mode), choice)
        return tuple(choices.values()) or BUST

    return tuple(
        Mode(
            titles[hand],
            outcomes_of([*zip(map(dict, dice), hand, strict=True)], partial(result_of, hand)),
            dice=hand if len(hand) > 1 else hand[0],
        )
        for hand in hands
    )


def restrict_discards(game: Game, allowed: Sequence[tuple[int, ...]]) -> Game:
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
    check_game(game)
    discards = [
        Counter(check_sequence(faces, "allowed", "a tuple of faces"))
        for faces in check_sequence(allowed, "allowed", "a sequence of tuples of faces")
    ]

    def restricted(outcome):
        scoring = Counter(outcome.scoring)
        choices = tuple(
            choice
            for choice in outcome.choices
            if scoring - Counter(choice.aside) in [Counter(), *discards]
        )
        return replace(outcome, result=choices or outcome.result)

    modes = [replace(mode, outcomes=tuple(map(restricted, mode.outcomes))) for mode in game.modes]
    return replace(game, modes=modes)
