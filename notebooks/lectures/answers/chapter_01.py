"""One turn: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import ceil, factorial, floor, prod

from collection.course.exercises import PIG, exercise, faces

VARIES = {
    "bust": [Fraction(n, 100) for n in (7, 9, 11, 13, 15, 17, 19, 21, 22, 23, 24, 27, 28, 29)],
    "candidates": range(5, 10),
    "few": [4, 5],
    "offer": range(2, 9),
    "sides": range(4, 7),
    "top": range(4, 9),
}


def mean(die, power=1):
    """The mean of a power of the points of a roll, where a bust counts 0."""
    return sum(p * face**power for face, p in enumerate(die) if face)


def roll(die, V, k):
    """The value of a roll at the turn total k; V is a function of the total."""
    return sum(p * V(k + face) for face, p in enumerate(die) if face and p)


def threshold(die):
    """The total from which on one more roll does not pay."""
    return ceil(mean(die) / die[0])


def best_turn(die, k=0):
    """The value of a turn with k points."""
    last = threshold(die)

    @cache
    def V(k):
        return Fraction(k) if k >= last else roll(die, V, k)

    return V(k)


@exercise(
    "1.1",
    "the turn total",
    wrong={
        "That is the first total at which one more roll loses. At a tie one holds, too.": (
            lambda die: floor(mean(die) / die[0]) + 1
        ),
        "That takes the mean of the faces that score. The bust is one of the results, too.": (
            lambda die: ceil(mean(die) / (1 - die[0]) / die[0])
        ),
    },
)
def hold_from(*, die=faces(0, 1, 1, 2, 3, 5)):
    """From which turn total on do you hold with your die?"""
    return threshold(die)


def four_before(die):
    """Four points before the threshold."""
    return threshold(die) - 4


@exercise(
    "1.2",
    "V(k)",
    decimals=4,
    wrong={
        "That is the value if one holds after the roll, whatever comes. At some totals one rolls again.": (
            lambda die: roll(die, Fraction, four_before(die))
        ),
        "That is what a hold brings. A roll brings more.": four_before,
        "That divides by the faces that score. The bust is a result, too, and brings 0.": (
            lambda die: best_turn(die, four_before(die)) / (1 - die[0])
        ),
    },
)
def four_before_the_threshold(*, die=PIG):
    """Let $k$ be four points below the turn total from which on you hold with your die. What is $V(k)$?"""
    return best_turn(die, four_before(die))


def moment(n, power, die):
    """The expectation of a power of the points of a turn under hold at n."""

    @cache
    def V(k):
        return Fraction(k) ** power if k >= n else roll(die, V, k)

    return V(0)


@exercise(
    "1.3",
    calls=[[5], [20], [30]],
    wrong={
        "That is the variance. The standard deviation is its root.": (
            lambda n, die: moment(n, 2, die) - moment(n, 1, die) ** 2
        ),
        "That is the root of E[X²]. Subtract the square of E[X] first.": (
            lambda n, die: float(moment(n, 2, die)) ** 0.5
        ),
    },
)
def spread(n, *, die=PIG):
    """With your die."""
    return float(moment(n, 2, die) - moment(n, 1, die) ** 2) ** 0.5


def exactly(m, die):
    """The value of exactly m rolls, of which each may be a bust."""
    return m * mean(die) * (1 - die[0]) ** (m - 1)


@exercise(
    "1.4",
    calls=[[1], [3], [7], [12]],
    wrong={"That is the value of exactly so many rolls. With at most so many one may hold earlier.": exactly},
)
def limited_value(m, *, die=PIG):
    """With your die."""

    @cache
    def V(m, k):
        return max(Fraction(k), roll(die, lambda after: V(m - 1, after), k)) if m else Fraction(k)

    return V(m, 0)


@exercise(
    "1.5",
    "the best number of rolls",
    wrong={
        "That is 1/p₀, rounded up. For which n is w(n + 1) ≥ w(n)?": lambda bust: ceil(1 / bust),
    },
)
def best_number_of_rolls(*, bust=Fraction(3, 20)):
    """What is the best number if $p_0$ is your bust probability?"""
    return floor(1 / bust)


def dice_with_a_tie(sides, least_zeros=1, most_zeros=None, orders=False):
    """How many dice with faces from 0 to 6, so many of them zeros, have a tie."""
    dice = combinations_with_replacement(range(7), sides)
    most = sides - 1 if most_zeros is None else most_zeros
    found = [die for die in dice if least_zeros <= die.count(0) <= most and sum(die) % die.count(0) == 0]
    ways = [factorial(sides) // prod(factorial(die.count(face)) for face in range(7)) for die in found]
    return sum(ways) if orders else len(found)


@exercise(
    "1.6",
    "the number of dice with a tie",
    wrong={
        "That counts the die with busts alone, too. At least one face has to score.": (
            lambda sides: dice_with_a_tie(sides, most_zeros=sides)
        ),
        "That counts a die once for each order of its faces.": lambda sides: dice_with_a_tie(sides, orders=True),
    },
)
def number_of_ties(*, sides=6):
    """Take dice with so many sides as yours."""
    return dice_with_a_tie(sides)


def first_hold(die, u):
    """The first turn total from 1 on at which one more roll brings no more than a hold."""
    k = 1
    while sum(p * u(k + face) for face, p in enumerate(die) if face) > u(k) * (1 + 1e-12):
        k += 1
    return k


@exercise(
    "1.7",
    "the total for √k",
    "the total for k²",
    wrong={
        "The first total is the one for u(k) = k. Compare one more roll with a hold in the payment √k.": (
            lambda die: [threshold(die), None]
        ),
        "The second total is the one for u(k) = k. Compare one more roll with a hold in the payment k².": (
            lambda die: [None, threshold(die)]
        ),
    },
)
def other_payments(*, die=PIG):
    """With your die."""
    return [first_hold(die, lambda k: k**0.5), first_hold(die, lambda k: k**2)]


def secretary(candidates, take_from):
    """The chance to get the best of all, if the first who is the best so far from some number on is taken."""
    if take_from == 1:
        return Fraction(1, candidates)
    return Fraction(take_from - 1, candidates) * sum(Fraction(1, k - 1) for k in range(take_from, candidates + 1))


def best_start(candidates):
    """The number from which on a candidate who is the best so far is taken."""
    return max(range(1, candidates + 1), key=lambda k: secretary(candidates, k))


@exercise(
    "1.8",
    "k",
    "the probability to get the best of all",
    decimals=4,
    wrong={
        "The rule of 37 percent, n/e, is for many candidates. Add up the sum in (7).": (
            lambda candidates: [round(candidates / 2.718281828), None]
        ),
        "That is the chance if you take one candidate earlier.": (
            lambda candidates: [None, secretary(candidates, best_start(candidates) - 1)]
        ),
    },
)
def few_candidates(*, candidates=5):
    """With your number of candidates."""
    k = best_start(candidates)
    return [k, secretary(candidates, k)]


@exercise(
    "1.h1",
    "the critical threshold",
    "the value of a turn",
    decimals=4,
    wrong={
        "The threshold takes the mean of the faces that score. The bust is one of the results, too.": (
            lambda die: [ceil(mean(die) / (1 - die[0]) / die[0]), None]
        ),
        "The value is that of a single roll.": lambda die: [None, mean(die)],
    },
)
def threshold_and_value(*, die=faces(0, 2, 3, 4, 5, 6, 7, 8)):
    """For your die."""
    return [threshold(die), best_turn(die)]


@exercise(
    "1.h2",
    calls=[[5], [12], [20], [31]],
    wrong={
        "That is the chance that hold at m brings exactly m points.": lambda m, die: reach(m, die, exact=True),
        "That is the probability of a bust.": lambda m, die: 1 - reach(m, die),
    },
)
def chance(m, *, die=PIG):
    """With your die."""
    return reach(m, die)


def reach(m, die, exact=False):
    """The probability that a turn that holds from m points on brings so many; or `exact`, m and no more."""

    @cache
    def V(k):
        return Fraction(not exact or k == m) if k >= m else roll(die, V, k)

    return V(0)


def pairs_of_rolls(die, k=0, rolls=2):
    """The value of a turn in which one may hold after every `rolls` rolls only."""
    last = ceil(rolls * mean(die) / die[0])

    @cache
    def V(k, left):
        if left:
            return roll(die, lambda after: V(after, left - 1), k)
        return Fraction(k) if k >= last else max(Fraction(k), roll(die, lambda after: V(after, rolls - 1), k))

    return V(0, 0)


@exercise(
    "1.h3",
    "the value of a turn",
    wrong={
        "That is the value if one may hold after each roll.": best_turn,
        "That is the value if one may hold after every third roll only.": lambda die: pairs_of_rolls(die, rolls=3),
    },
)
def even_rolls(*, die=PIG):
    """With your die."""
    return pairs_of_rolls(die)


def best_search(candidates, cost):
    """The largest expected payoff if every interview costs something."""
    W = 0  # after the last interview, if nobody is taken
    for seen in range(candidates - 1, 0, -1):
        best_so_far = max(Fraction(seen + 1, candidates), W)
        W = max(0, (best_so_far + seen * W) / (seen + 1) - cost)
    return max(Fraction(1, candidates), W) - cost


@exercise(
    "1.h4",
    calls=[[5, 0], [6, 0.3], [10, 0.02], [10, 0.05], [50, 0.01]],
    wrong={
        "That leaves out the cost of the first interview.": (
            lambda candidates, cost: best_search(candidates, cost) + cost
        ),
        "That is the chance to get the best of all, without the costs.": (
            lambda candidates, cost: secretary(candidates, best_start(candidates))
        ),
    },
)
def with_costs(candidates, cost):
    """The same for everybody."""
    return best_search(candidates, cost)


@exercise(
    "1.x1",
    "the chance that candidate 2 is the best",
    "the number to take from",
    "the chance to get the best of all",
    rubric={
        "(a) {{ answer[0] }}. By (6), candidate $k$ is the next who is the best so far with probability "
        "$2/(k(k - 1))$, and nobody is with probability {{ answer[0] }}.": 3,
        "(b) The sum (7) is more than 1 before {{ answer[1] }}, and at most 1 from there on. "
        "So take from {{ answer[1] }} on; in particular, never candidate 1.": 3,
        "(c) {{ answer[2] }}, the sum over all $k$ from {{ answer[1] }} on of the chance to come there, times $k$ "
        "over the number of candidates.": 2,
    },
)
def candidates_by_hand(*, few=4):
    """{{ few }} candidates come in random order, and you want the best of them.

    (a) Candidate 2 is better than candidate 1. With which probability is candidate 2 the best of all? With which
    probabilities are the others the next one who is the best so far?

    (b) From which candidate on do you take whoever is the best so far?

    (c) With which probability do you get the best of all?
    """
    take_from = best_start(few)
    return [Fraction(2, few), take_from, secretary(few, take_from)]


def refused(offers, ends):
    """The value of a car after an offer is refused, which ends the sale with some probability."""
    value = 0
    for bar in offers:  # offers above it are taken
        taken = [offer for offer in offers if offer > bar]
        value = max(value, (1 - ends) * sum(taken) / (len(offers) - (1 - ends) * (len(offers) - len(taken))))
    return max(value, (1 - ends) * Fraction(sum(offers), len(offers)))


@exercise(
    "1.x2",
    "the value of a refusal",
    "the smallest offer that you take",
    rubric={
        "(a) The state is today's offer. A refusal, and then the next offer whatever it is, brings "
        "{{ 3 * 2 * offer }}/4 on average. So $B$ has the offers {{ 2 * offer }} and {{ 3 * offer }}.": 3,
        "(b) The theorem does not say so: from {{ 2 * offer }} a step may lead to {{ offer }}, out of $B$.": 2,
        "(c) With the value $v$ of a refusal, $v = \\tfrac34 \\cdot \\tfrac13 \\sum \\max\\{\\text{offer}, v\\}$, so "
        "$v$ = {{ answer[0] }}. The right-hand side is a contraction with the factor 3/4, so no other $v$ solves it. "
        "Refuse {{ offer }}, and take {{ answer[1] }} and more.": 3,
    },
)
def car(*, offer=4):
    """You sell a car. Each day brings an offer of {{ offer }}, {{ 2 * offer }} or {{ 3 * offer }} with probability
    1/3 each; you take it, or you refuse it for ever. After a refusal no further offer comes with probability 1/4, and
    you keep a car that is worth nothing.

    (a) What are the states, and what is the set $B$ in which one more step does not pay?

    (b) Is it enough to look one step ahead?

    (c) Find the optimal policy.
    """
    offers = [offer, 2 * offer, 3 * offer]
    value = refused(offers, Fraction(1, 4))
    return [value, min(each for each in offers if each >= value)]


@exercise(
    "1.x3",
    "the turn total",
    "the value of the turn one point before",
    rubric={
        "(a) $k$ is what a hold brings, and the sum over the faces what a roll brings; a bust adds 0.": 2,
        "(b) One more roll does not pay from {{ answer[0] }} on, where the mean of a roll, divided by the probability "
        "of a bust, is at most $k$.": 2,
        "(c) {{ answer[1] }}: after a roll from there one holds, whatever comes.": 2,
    },
)
def small_die(*, top=4):
    """A die has the faces 0, 1, …, {{ top }}, all equally probable. The 0 is a bust.

    (a) Write the Bellman equation of a turn.

    (b) From which turn total on do you hold?

    (c) Let $k$ be one less than that total. Find $V(k)$ as a fraction.
    """
    die = faces(*range(top + 1))
    return [threshold(die), best_turn(die, threshold(die) - 1)]
