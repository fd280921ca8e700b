"""Average reward: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction
from functools import cache
from math import ceil

from scipy.optimize import brentq

from collection.course.exercises import PIG, coin, exercise, faces

VARIES = {
    "turn_pause": range(1, 7),
    "tied_total": range(9, 15),
    "swinging_tails": [Fraction(*each) for each in ((2, 5), (3, 5), (3, 7), (4, 7), (3, 8), (5, 8), (4, 9), (5, 9))],
    "writing_time": range(2, 6),  # at 6, 1/p₀ of the dice, the threshold is that of chapter 1
    "unit_discount": [Fraction(n, 100) for n in (80, 82, 84, 85, 86, 88, 92, 94, 95, 96)],
    "replaced_at": range(2, 5),
    "daily_wear": [Fraction(*each) for each in ((1, 3), (1, 4), (1, 5), (2, 3), (2, 5), (3, 4), (3, 5), (4, 5))],
    "renewal_price": [3, 4, 5, 7, 8, 9, 10, 11, 12],  # at 6 both actions are optimal
    "work_pays": range(7, 13),  # more than lasting_pay
    "lasting_pay": range(3, 7),
    "waiting_days": range(3, 7),
    "even_tails": [Fraction(1, 3), Fraction(3, 8), Fraction(2, 5), Fraction(3, 7)],
    "even_pause": range(4, 9),
}


def ahead(n, die, held, each=0, factor=1):
    """X(0), if X(k) = held(k) from n on, and below it X(k) = each + factor · Σ p X(k + d) over the faces that score."""

    @cache
    def X(k):
        return held(k) if k >= n else each + factor * sum(p * X(k + face) for face, p in enumerate(die) if face)

    return X(0)


def gain(n, die, hold, bust):
    """The points in a unit of time if one holds at n, where after a hold and after a bust there are such pauses."""
    return ahead(n, die, lambda k: k) / ahead(n, die, lambda k: hold, each=1 + die[0] * bust)


def mean(die):
    """The mean of the points of a roll, where a bust counts 0."""
    return sum(p * face for face, p in enumerate(die))


def gains(die, hold, bust):
    """The gain of every threshold up to that of chapter 1, in floating-point numbers."""
    die = [float(Fraction(p)) for p in die]
    return {n: gain(n, die, hold, bust) for n in range(1, ceil(mean(die) / die[0]) + 1)}


def hold_from(die, price, later=0):
    """The lowest total at which a hold is optimal at a price of time, by (5); `later` is added to its right side."""
    return max(1, ceil((mean(die) - price) / die[0] + later - 1e-9))


@exercise(
    "8.1",
    "the gain",
    "the turn total",
    wrong={
        "The first number is the mean of a turn. Divide it by the time that a turn takes, with the pause.": (
            lambda die, turn_pause: [mean(die), None]
        ),
        "The gain takes the mean of the rolls that score. A bust takes its time, too, and brings nothing.": (
            lambda die, turn_pause: [mean(die) / (1 - die[0]) / (1 + turn_pause), None]
        ),
        "The gain leaves out the roll: a turn takes one roll and the pause.": (
            lambda die, turn_pause: [mean(die) / turn_pause, None] if turn_pause > 1 else None
        ),
        "The total is that without a price for time.": lambda die, turn_pause: [None, hold_from(die, 0)],
    },
)
def first_gain(*, die=PIG, turn_pause=1):
    """With your die, and your turn_pause as the pause."""
    price = gain(1, die, turn_pause, turn_pause)
    return [price, hold_from(die, price)]


@exercise(
    "8.2",
    "the pause",
    wrong={
        "That is the gain at which both tie. The pause follows from the gain by (2).": (
            lambda die, tied_total: mean(die) - die[0] * tied_total
        ),
        "That is the pause at which the two next thresholds tie. At which total do your two policies differ?": (
            lambda die, tied_total: equal_gains(1, die=die, tied_total=tied_total)
        ),
        "That is the pause at which the two thresholds before tie. At which total do your two policies differ?": (
            lambda die, tied_total: equal_gains(-1, die=die, tied_total=tied_total)
        ),
        "That is R/g, the time of a turn with its pause. The rolls have to be subtracted.": lambda die, tied_total: (
            ahead(tied_total, die, lambda k: k) / (mean(die) - die[0] * tied_total)
        ),
    },
)
def equal_gains(shift=0, *, die=PIG, tied_total=13):
    """With your die, for holding at your tied_total and for holding at one point more."""
    n = tied_total + shift
    price = mean(die) - die[0] * n  # at which a roll at n is worth as much as a hold
    return ahead(n, die, lambda k: k) / price - ahead(n, die, lambda k: 0, each=1)


@exercise(
    "8.3",
    "the gain",
    "the turn total",
    calls=[
        [["1/6", 0, "1/6", "1/6", "1/6", "1/6", "1/6"], 2],
        [["1/6", 0, "1/6", "1/6", "1/6", "1/6", "1/6"], 7],
        [["1/4", "1/4", "1/4", "1/4"], 1],
        [["1/20", 0, "19/20"], 4],
        [["1/3", "1/3", "1/3"], 50],
    ],
    wrong={
        "The gain is that of the turn with the most points. Time has a price, too.": (
            lambda probabilities, pause: [[*gains(probabilities, pause, pause).values()][-1], None]
        ),
        "The gain has no pause after a bust.": lambda probabilities, pause: [
            max(gains(probabilities, pause, 0).values()),
            None,
        ],
        "The total is that of the turn with the most points. Time has a price, too.": lambda probabilities, pause: [
            None,
            max(gains(probabilities, pause, pause)),
        ],
    },
)
def best_gain_of(probabilities, pause):
    """The same for everybody."""
    best = max(gains(probabilities, pause, pause).values())
    return [best, hold_from([*map(Fraction, probabilities)], best)]


@exercise(
    "8.4",
    "the lower bound",
    "the upper bound",
    calls=[[0], [1], [2], [10]],
    wrong={
        "These are the bounds after steps that are not damped.": (
            lambda sweeps, swinging_tails: damped(sweeps, stay=0, swinging_tails=swinging_tails)
        ),
        "These are half of the bounds: take the undamped T in (8).": (
            lambda sweeps, swinging_tails: [each / 2 for each in damped(sweeps, swinging_tails=swinging_tails)]
        ),
        "These are the bounds after one step more.": (
            lambda sweeps, swinging_tails: damped(sweeps + 1, swinging_tails=swinging_tails)
        ),
    },
)
def damped(sweeps, stay=Fraction(1, 2), *, swinging_tails=Fraction(1, 2)):
    """With your swinging_tails as the probability of a bust."""
    start, one, bust = 0, 1, 0  # T h − h at h = 0. As T is linear, a step maps it to its mean with what follows.
    for _ in range(sweeps):
        follows = (1 - swinging_tails) * one + swinging_tails * bust, start, start
        start, one, bust = (stay * d + (1 - stay) * after for d, after in zip((start, one, bust), follows, strict=True))
    return [min(start, one, bust), max(start, one, bust)]


@exercise(
    "8.5",
    "the best gain",
    "the lowest turn total to hold at",
    wrong={
        "The gain has the time of writing after a bust, too.": (
            lambda die, writing_time: [max(gains(die, writing_time, writing_time).values()), None]
        ),
        "The gain has the time of writing after a bust, in place of a hold.": (
            lambda die, writing_time: [max(gains(die, 0, writing_time).values()), None]
        ),
        "The gain has no time of writing.": lambda die, writing_time: [mean(die), None],
        "The total is (5) of the chapter at the right gain. There a hold costs no time that a bust does not cost, "
        "too.": lambda die, writing_time: [None, hold_from(die, max(gains(die, writing_time, 0).values()))],
        "The total is best if each turn is written down, whether it ends with a hold or a bust.": (
            lambda die, writing_time: [None, best_gain_of(die, writing_time)[1]]
        ),
        "The total is rounded down: there one more roll pays.": (
            lambda die, writing_time: [None, writing(die=die, writing_time=writing_time)[1] - 1]
        ),
    },
)
def writing(*, die=PIG, writing_time=3):
    """With your die, and your writing_time as the time that it takes to write down a hold."""
    best = max(gains(die, writing_time, 0).values())
    return [best, hold_from(die, best, later=writing_time * best)]


@exercise(
    "8.6",
    "(1 − γ) V at the start of a turn",
    wrong={
        "That is V at the start of a turn. Multiply it by 1 − γ.": (
            lambda die, unit_discount: discounted(die=die, unit_discount=unit_discount) / (1 - unit_discount)
        ),
        "That leaves out the pause after a bust.": (
            lambda die, unit_discount: discounted(1, die=die, unit_discount=unit_discount)
        ),
        "That discounts the points of a hold by the time of the hold, too. They come at its beginning.": (
            lambda die, unit_discount: unit_discount * discounted(die=die, unit_discount=unit_discount)
        ),
        "That is the gain, the limit for γ → 1.": lambda die, unit_discount: best_gain_of(die, 1)[0],
    },
)
def discounted(lost=2, *, die=PIG, unit_discount=Fraction(9, 10)):  # lost: the time of a bust, with its pause
    """With your die, and your unit_discount as γ."""
    turns = (  # of V = points + time · V, for every threshold
        (
            ahead(n, die, lambda k: k, factor=unit_discount),
            ahead(n, die, lambda k: unit_discount, die[0] * unit_discount**lost, unit_discount),
        )
        for n in range(1, 25)
    )
    return (1 - unit_discount) * max(points / (1 - time) for points, time in turns)


@exercise(
    "8.7",
    "the lowest price",
    "the highest price",
    wrong={
        "Between these prices it is best to replace one level earlier.": lambda replaced_at, daily_wear: replacing(
            replaced_at=replaced_at - 1, daily_wear=daily_wear
        ),
        "Between these prices it is best to replace one level later.": lambda replaced_at, daily_wear: replacing(
            replaced_at=replaced_at + 1, daily_wear=daily_wear
        ),
        "These are the prices if a day wears the machine with probability 1/2.": (
            lambda replaced_at, daily_wear: replacing(replaced_at=replaced_at)
        ),
    },
)
def replacing(*, replaced_at=3, daily_wear=Fraction(1, 2)):
    """To replace at your replaced_at, if a day wears the machine by one level with the probability daily_wear."""
    return [n * (n + 1) / (2 * daily_wear) for n in (replaced_at - 1, replaced_at)]


OTHER = faces(0, 0, 6, 6, 8, 10)


def gain_of(dice, pause):
    """The best gain, if a die is chosen before each roll: the price at which the best turn pays for its time."""
    scoring = [[(face, float(p)) for face, p in enumerate(die) if face and p] for die in dice]

    def profit(price):
        @cache
        def H(k):
            rolls = [sum(p * H(k + face) for face, p in die) - price for die in scoring] if k < 40 else []
            return max(rolls + [k] * (k > 0))

        return H(0) - price * pause

    return brentq(profit, 0, 9)


@exercise(
    "8.h1",
    calls=[[0], [1], [2], [5], [20], [100]],
    wrong={
        "That is the best gain if a turn keeps its die. Before each roll you choose again.": (
            lambda pause, die: max(gain_of([die], pause), gain_of([OTHER], pause))
        ),
        "That is the gain with one of the dice alone, and with the worse of the two.": (
            lambda pause, die: min(gain_of([die], pause), gain_of([OTHER], pause))
        ),
    },
)
def two_dice_gain(pause, *, die=PIG):
    """With your die in place of Pig's; the other die is the same for everybody."""
    return gain_of([die, OTHER], pause)


@exercise(
    "8.h2",
    "the second best threshold",
    "the points lost in 1000 units of time",
    decimals=4,
    wrong={
        "The threshold is the best one.": lambda die, turn_pause: [
            second_best(0, die=die, turn_pause=turn_pause)[0],
            None,
        ],
        "The threshold is the third best. Look on both sides of the best one.": lambda die, turn_pause: [
            second_best(2, die=die, turn_pause=turn_pause)[0],
            None,
        ],
        "The points are those that the third best threshold loses.": lambda die, turn_pause: [
            None,
            second_best(2, die=die, turn_pause=turn_pause)[1],
        ],
        "The points are those that are lost in one unit of time.": lambda die, turn_pause: [
            None,
            second_best(die=die, turn_pause=turn_pause)[1] / 1000,
        ],
    },
)
def second_best(rank=1, *, die=PIG, turn_pause=2):  # rank: 0 for the best
    """With your die, and your turn_pause as the pause."""
    ranked = sorted(((g, n) for n, g in gains(die, turn_pause, turn_pause).items()), reverse=True)
    return [ranked[rank][1], 1000 * (ranked[0][0] - ranked[rank][0])]


@exercise(
    "8.x1",
    "the cost per day",
    "h(1)",
    "h(2)",
    "the cost of keeping at level 2",
    "the cost of replacing at level 2",
    rubric={
        "(a) {{ answer[0] }}. A cycle has two days at each of the levels 0 and 1, and costs "
        "{{ renewal_price }} + 2.": 3,
        "(b) ${{ answer[0] }} + h(0) = 0 + \\frac12 h(0) + \\frac12 h(1)$ gives $h(1)$ = {{ answer[1] }}, and "
        "${{ answer[0] }} + h(1) = 1 + \\frac12 h(1) + \\frac12 h(2)$ gives $h(2)$ = {{ answer[2] }}. The equation of "
        "the replacement agrees.": 3,
        "(c) With $h(3) = h(2)$, keeping costs {{ answer[3] }}, and replacing {{ answer[4] }}. "
        "{% if answer[3] == answer[4] %}Both are optimal.{% else %}So {{ 'no' if answer[3] < answer[4] else 'yes' }}."
        "{% endif %}": 3,
    },
)
def renewal(*, renewal_price=6):
    r"""A machine wears by one level with probability $\frac12$ a day, and a day costs as much as the machine is worn.
    A new machine costs {{ renewal_price }}; it is there at once, and works from the same day on.

    (a) Find the cost per day of *replace at wear 2* by the renewal-reward theorem.

    (b) Find the relative values of this policy for the levels 0, 1, 2 with $h(0) = 0$.

    (c) Is it optimal at level 2 to replace, if level 3 is replaced, too?
    """
    cost = Fraction(renewal_price + 2, 4)
    return [cost, 2 * cost, renewal_price, 2 + renewal_price, renewal_price + cost]


@exercise(
    "8.x2",
    "the gain of work",
    "the gain of wait",
    "the difference of the total rewards",
    rubric={
        "(a) {{ lasting_pay }} for both.": 2,
        "(b) {{ answer[2] }}. Compared with {{ lasting_pay }} a step, *work* is {{ work_pays - lasting_pay }} ahead "
        "once, and *wait* loses {{ lasting_pay - 1 }} a step for {{ waiting_days }} steps on average.": 3,
        "(c) *Work*: its total reward is larger for all discounts near 1, though the gains are equal.": 2,
    },
)
def work_or_wait(*, work_pays=4, lasting_pay=3, waiting_days=3):
    r"""In a state you may *work*, which pays {{ work_pays }} and leads to a state that pays {{ lasting_pay }} forever.
    Or you *wait*, which pays 1; it keeps you in the state with probability
    $\frac{ {{ waiting_days - 1 }} }{ {{ waiting_days }} }$, and leads with probability $\frac{1}{ {{ waiting_days }} }$
    to the state that pays {{ lasting_pay }} forever.

    (a) Which gain has each policy?

    (b) By how much is the total reward of *work* larger in the long run?

    (c) Which policy is Blackwell optimal, and why is it not enough to compare the gains?
    """
    return [lasting_pay, lasting_pay, work_pays - lasting_pay + waiting_days * (lasting_pay - 1)]


@exercise(
    "8.x3",
    "the gain of hold at 1",
    "the gain of hold at 2",
    "the pause at which they tie",
    "the right side of (5)",
    rubric={
        "(a) {{ answer[0] }}: hold at 1 brings {{ 1 - even_tails }} points in 1 roll. And {{ answer[1] }}: hold at 2 "
        "brings {{ 2 * (1 - even_tails) ** 2 }} points in {{ 2 - even_tails }} rolls.": 3,
        "(b) {{ answer[2] }}.": 2,
        "(c) At the price {{ answer[1] }} the best turn holds from {{ answer[3] }} on, by (5), so at 2. It makes a "
        "profit of 0 at this price, and by Theorem A no policy has a larger gain.": 3,
    },
)
def coin_with_a_pause(*, even_tails=Fraction(1, 3), even_pause=4):
    r"""A coin busts with probability ${{ even_tails }}$ and scores 1 otherwise. After each turn, there is a pause that
    takes as long as {{ even_pause }} rolls.

    (a) Which gains have *hold at 1* and *hold at 2*?

    (b) With which pause would both have the same gain?

    (c) Show that the better of the two is the best of all policies.
    """
    one, two = (gain(n, coin(even_tails), even_pause, even_pause) for n in (1, 2))
    return [one, two, even_tails / (1 - 2 * even_tails), (1 - even_tails - two) / even_tails]
