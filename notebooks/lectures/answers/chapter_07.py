"""Linear programs and occupancy: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction
from functools import cache

import numpy as np
from scipy.optimize import linprog

import dicelab as dl
from collection import textbook
from collection.course.exercises import PIG, exercise

VARIES = {
    "loss_limit": [Fraction(1, n) for n in range(4, 10)],
    "lots_target": range(12, 20),  # below `target`: the tests solve three linear programs for each race
    "price_bust": [Fraction(1, 7), Fraction(2, 11), Fraction(3, 16), Fraction(1, 5), Fraction(2, 9)],
    "queue_limit": [Fraction(n, 20) for n in range(11, 30)],
    "reduced_gain": [Fraction(n, 10) for n in (1, 3, 4, 6, 7, 8, 9)],
    "reduced_visits": range(3, 10),
    "toss_bust": [Fraction(1, 4), Fraction(2, 7), Fraction(3, 10), Fraction(3, 11), Fraction(4, 13), Fraction(4, 15)],
    "toss_limit": [Fraction(n, 20) for n in range(58, 63)],
    "visit_discount": [Fraction(4, 5), Fraction(5, 6), Fraction(6, 7), Fraction(7, 8), Fraction(9, 10)],
    "visit_wear": [Fraction(1, 3), Fraction(2, 3), Fraction(2, 5), Fraction(3, 5), Fraction(3, 4), Fraction(3, 7)],
}


@cache
def race(N, die):
    """The race for the fewest turns: scores and turn totals, the costs by action, and the moves of hold and of roll."""
    process = textbook.turns_process(dl.generalized_pig(die, N))
    _, costs, moves = process.matrices()
    return np.array([state[:2] for state in process.actions]).T, costs, [P.toarray() for P in moves]


def visits(N, die, rolls):
    """The expected visits by state, of a player who rolls where `rolls` says so."""
    *_, (hold, roll) = race(N, die)
    return np.linalg.solve(np.eye(len(rolls)) - hold.T * (1 - rolls) - roll.T * rolls, np.eye(len(rolls))[0])


@cache
def optimum(N, die, limit=1e6, lost=False):
    """The best occupancy measure, its turns, and the price, if rolls (or points lost in busts) are limited."""
    (_, totals), costs, moves = race(N, die)
    result = linprog(
        np.where(costs < np.inf, costs, 0).ravel(),
        A_eq=np.hstack([np.eye(len(totals)) - P.T for P in moves]),
        b_eq=np.eye(len(totals))[0],
        A_ub=[[*np.zeros(len(totals)), *(float(die[0]) * totals if lost else np.ones(len(totals)))]],
        b_ub=[limit],
        bounds=[(0, None if cost < np.inf else 0) for cost in costs.ravel()],
        method="highs-ds",
    )
    return result.x.reshape(costs.shape), result.fun, -result.ineqlin.marginals[0]


def mixture(limit, uses, costs, visits):
    """The best mixture of two policies, the second with the larger use; their visits are to the state with lots.

    Returns the cost, the probability of the second policy's action in that state, and the price.
    """
    weight = (limit - uses[0]) / (uses[1] - uses[0])
    shares = (1 - weight) * visits[0], weight * visits[1]
    return [
        (1 - weight) * costs[0] + weight * costs[1],
        shares[1] / sum(shares),
        (costs[0] - costs[1]) / (uses[1] - uses[0]),
    ]


@exercise(
    "7.1",
    "rolls at (0, 0)",
    "rolls at (0, 1)",
    wrong={
        "These are the visits of the first turn. After a bust the race begins anew.": (
            lambda toss_bust: [1, 1 - toss_bust]
        ),
        "That comes back to (0, 0) after a bust at (0, 0) alone. A bust at (0, 1) leads there, too.": (
            lambda toss_bust: [1 / (1 - toss_bust), 1]
        ),
    },
)
def visits_of_the_coin(*, toss_bust=Fraction(1, 4)):
    """With your toss_bust as the probability of a bust."""
    return [1 / (1 - toss_bust) ** 2, 1 / (1 - toss_bust)]


@exercise(
    "7.2",
    "days that begin with a new machine",
    "days that begin with a worn machine",
    wrong={
        "The first number has a new machine one day after it is bought. It is there at once.": (
            lambda visit_wear, visit_discount: [
                1 / (1 - visit_discount * (1 - visit_wear) - visit_discount**2 * visit_wear),
                None,
            ]
        ),
        "That draws the first machine like all the others. The first one is new.": (
            lambda visit_wear, visit_discount: [
                (1 - visit_wear) / (1 - visit_discount),
                visit_wear / (1 - visit_discount),
            ]
        ),
    },
)
def visits_of_the_machine(*, visit_wear=Fraction(1, 2), visit_discount=Fraction(9, 10)):
    """With your visit_wear as the probability that a day wears the machine, and with your visit_discount."""
    return [  # each day after the first follows a day with a new machine
        1 + (1 - visit_wear) * visit_discount / (1 - visit_discount),
        visit_wear * visit_discount / (1 - visit_discount),
    ]


@cache
def banked(N, n, die, bust):
    """By score, the expected turns of hold at n that begin there, less the part `bust` of all rolls there."""
    (scores, totals), *_ = race(N, die)
    rolls = totals < np.minimum(n, N - scores)
    return np.bincount(scores, visits(N, die, rolls) * ((totals == 0) - float(bust) * rolls))


@exercise(
    "7.3",
    calls=[[20, 10], [30, 20]],
    wrong={
        "These are the expected numbers of turns that begin there. A turn that busts begins there once more.": (
            lambda N, n, die: banked(N, n, tuple(die), 0)
        ),
        "That rolls at a turn total of n, too. Who holds at n holds there.": (
            lambda N, n, die: banked(N, n + 1, tuple(die), die[0])
        ),
    },
)
def reached(N, n, *, die=PIG):
    """With your die."""
    return banked(N, n, tuple(die), die[0])  # of the turns at a score that is reached, one does not bust


@exercise(
    "7.4",
    decimals=4,
    calls=[[20, 2], [20, 4]],
    wrong={
        "That is without a limit on the points lost.": (
            lambda N, L, die: dl.solve(dl.generalized_pig(die, N), "turns").value
        ),
        "That loses the points of the turn with each roll. They are lost only if it busts.": (
            lambda N, L, die: optimum(N, tuple(die), float(L * die[0]), lost=True)[1]
        ),
    },
)
def fewest_turns(N, L, *, die=PIG):
    """With your die."""
    return optimum(N, tuple(die), L, lost=True)[1]


@cache
def lots(N, die):
    """The weight of the policy with more rolls, and the probability to roll in the state with lots; halfway."""
    first_roll = race(N, die)[0][1] == 0
    fewest = visits(N, die, first_roll)[first_roll].sum()  # of rolls, by a hold after each that scores
    mu, *_ = optimum(N, die, (fewest + optimum(N, die)[0][1].sum()) / 2)
    drawn = mu.min(axis=0).argmax()
    return mu[1, drawn] / visits(N, die, mu[1] > 1e-9)[drawn], mu[1, drawn] / mu[:, drawn].sum()


@exercise(
    "7.5",
    "the probability of the policy with more rolls",
    decimals=3,
    wrong={
        "That is the probability to roll in the state with lots. The two policies visit that state a different number "
        "of times.": lambda lots_target, die: lots(lots_target, tuple(die))[1],
        "That is the probability of the policy with fewer rolls.": (
            lambda lots_target, die: 1 - lots(lots_target, tuple(die))[0]
        ),
    },
)
def one_lot(*, lots_target=50, die=PIG):
    """With your die, and your lots_target in place of the number of points $N$."""
    return lots(lots_target, tuple(die))[0]


def queue(threshold, at=0):
    """With a threshold, the mean number in the queue, the cost of a step, and the visits with `at` in the queue."""
    n = np.arange(threshold + 1)
    moves = (np.eye(len(n))[np.minimum(n + 1, threshold)] + np.eye(len(n))[np.maximum(n - 1, 0)]) / 2
    visits = np.linalg.solve(np.eye(len(n)) - 0.95 * moves.T, np.eye(len(n))[0])
    return 0.05 * visits @ n, -5 * 0.05 * (0.95 / 2) * visits[:-1].sum(), visits[at]


def between(queue_limit):
    """Between which thresholds a limit lies: the lower one, and the weight of the higher one, as its fraction."""
    return np.interp(float(queue_limit), [queue(threshold)[0] for threshold in range(9)], range(9))


@exercise(
    "7.6",
    "the number in the queue",
    "the probability of admission",
    "the cost of waiting",
    decimals=4,
    wrong={
        "The second number is the weight of the higher threshold. The two rules come to this state a different number "
        "of times.": lambda queue_limit: [None, between(queue_limit) % 1, None],
        "With so many in the queue both thresholds reject. They differ with one customer less.": (
            lambda queue_limit: [int(between(queue_limit)) + 1, None, None]
        ),
    },
)
def tighter_limit(*, queue_limit=Fraction(3, 4)):
    """With your queue_limit on the mean number in the queue."""
    t = int(between(queue_limit))
    return [t, *mixture(float(queue_limit), *zip(queue(t, t), queue(t + 1, t), strict=True))[1:]]


@exercise(
    "7.h1",
    "the fewest expected turns",
    "the probability to roll",
    "the price of a toss",
    wrong={
        "The second number is the weight of the policy that rolls on. It comes to the first heads more often than the "
        "other.": lambda toss_bust, toss_limit: [
            None,
            (toss_limit * (1 - toss_bust) ** 2 - 2 * (1 - toss_bust)) / toss_bust,
            None,
        ],
        "The first number is for a hold after the first heads, and no lots. That does not use up the limit.": (
            lambda toss_bust, toss_limit: [2 / (1 - toss_bust), None, None]
        ),
    },
)
def limited_tosses(*, toss_bust=Fraction(1, 3), toss_limit=Fraction(7, 2)):
    """With your toss_bust as the probability of a bust, and at most toss_limit tosses on average."""
    return mixture(
        toss_limit,
        uses=(2 / (1 - toss_bust), sum(visits_of_the_coin(toss_bust=toss_bust))),
        costs=(2 / (1 - toss_bust), 1 / (1 - toss_bust) ** 2),
        visits=(1, 1 / (1 - toss_bust)),
    )


@exercise(
    "7.h2",
    decimals=3,
    calls=[[20, 8], [30, 12], [30, 11]],
    wrong={
        "A price is positive: with more rolls the turns get fewer.": (
            lambda N, R, price_bust: -price(N, R, price_bust=price_bust)
        ),
        "That is how many rolls a turn is worth. How many turns is a roll worth?": (
            lambda N, R, price_bust: 1 / price(N, R, price_bust=price_bust)
        ),
    },
)
def price(N, R, *, price_bust=Fraction(1, 6)):
    """With your price_bust as the probability of a bust; the faces 2 to 6 share the rest equally."""
    return optimum(N, (price_bust, 0, *[(1 - price_bust) / 5] * 5), R)[2]


@exercise(
    "7.x1",
    "new days, never replaced",
    "worn days, never replaced",
    "new days, replaced when worn",
    "replacements, replaced when worn",
    "the probability to replace",
    rubric={
        "(a) With the days $\\mu_n$ with a new machine, $\\mu_k$ with a worn one that is kept and $\\mu_r$ with a worn "
        "one that is replaced, $\\mu_n = 1 + {{ visit_discount * (1 - visit_wear) }}\\, (\\mu_n + \\mu_r)$ and $\\mu_k "
        "+ \\mu_r = {{ visit_discount * visit_wear }}\\, (\\mu_n + \\mu_r) + {{ visit_discount }}\\, \\mu_k$.": 3,
        "(b) Never: $\\mu_n$ = {{ answer[0] }} and $\\mu_k$ = {{ answer[1] }}. When worn: $\\mu_n$ = {{ answer[2] }} "
        "and $\\mu_r$ = {{ answer[3] }}.": 3,
        "(c) The mixture of the two measures with the weight {{ 1 / answer[3] }} on *when worn* has $\\mu_r = 1$. The "
        "probability is $\\mu_r / (\\mu_r + \\mu_k)$ = {{ answer[4] }}.": 3,
    },
)
def few_machines(*, visit_wear=Fraction(1, 2), visit_discount=Fraction(4, 5)):
    """A machine is new or worn. New, a day costs nothing, and the machine is worn the next day with probability
    {{ visit_wear }}. Worn, a day costs 1. Replacing a worn machine costs $q$; the new one is there at once, and wears
    on its first day, too, with probability {{ visit_wear }}. The discount is {{ visit_discount }}, and the first
    machine is new.

    (a) Write down the balance of the occupancy measure.

    (b) Find the occupancy measures of *never replace* and of *replace when worn*.

    (c) You may buy at most one machine on average, after the first one. With which probability does the best policy
    replace a worn machine, if a worn day is dear?
    """
    new, replaced = visits_of_the_machine(visit_wear=visit_wear, visit_discount=visit_discount)
    only = 1 / (1 - visit_discount * (1 - visit_wear))  # days before the first machine is worn; then it is kept
    return [
        only,
        only * replaced,
        new,
        replaced,
        mixture(1, uses=(0, replaced), costs=(0, 0), visits=(only * replaced, replaced))[1],
    ]


@exercise(
    "7.x2",
    "the gain at the start",
    rubric={
        "(a) What it costs to take $a$ once and then to follow $\\pi$, less the cost of $\\pi$.": 2,
        "(b) {{ reduced_visits }} · {{ reduced_gain }} = {{ answer[0] }}, by the lemma of reduced costs.": 2,
        "(c) The performance difference lemma.": 1,
    },
)
def gain(*, reduced_gain=Fraction(1, 5), reduced_visits=5):
    """(a) State what a reduced cost means in a decision process.

    (b) A policy $\\pi$ is not optimal. In a state $s$ the action $a$ has the reduced cost $-{{ reduced_gain }}$, and
    in all others no action has a negative one. The improved policy takes $a$ in $s$ and follows $\\pi$ elsewhere, and
    visits $s$ {{ reduced_visits }} times on average. By how much is it better at the start?

    (c) Which theorem of chapter 6 is this?
    """
    return [reduced_gain * reduced_visits]


@exercise(
    "7.x3",
    "the fewest expected turns",
    "the probability to toss again",
    "the price of a point",
    rubric={
        "(a) Hold: one visit, {{ 2 / (1 - toss_bust) }} turns, no point lost. Toss again: {{ 1 / (1 - toss_bust) }} "
        "visits, {{ 1 / (1 - toss_bust) ** 2 }} turns, and {{ toss_bust / (1 - toss_bust) }} points lost.": 3,
        "(b) The weight of *toss again* is {{ loss_limit * (1 - toss_bust) / toss_bust }}. So {{ answer[0] }} turns, "
        "and the probability is {{ answer[1] }}.": 4,
        "(c) The turns of *hold* less those of *toss again*, divided by the points lost: {{ answer[2] }} turns.": 2,
    },
)
def limited_loss(*, toss_bust=Fraction(1, 3), loss_limit=Fraction(1, 4)):
    """A coin shows tails, a bust, with probability {{ toss_bust }}, and heads scores a point. You need 2 points, in
    turns as in Pig. After one heads you hold or toss again; a bust then loses the point of the turn. You want few
    turns, but may lose at most {{ loss_limit }} of a point on average in a race.

    (a) For *hold* and for *toss again* at score 0, find the expected visits to the state after the first heads, the
    expected turns and the expected points lost.

    (b) Find the fewest expected turns, and the probability with which you toss again after the first heads.

    (c) Find the price of a point: by how many turns a race gets shorter for each point more that you may lose.
    """
    return mixture(
        loss_limit,
        uses=(0, toss_bust / (1 - toss_bust)),
        costs=(2 / (1 - toss_bust), 1 / (1 - toss_bust) ** 2),
        visits=(1, 1 / (1 - toss_bust)),
    )
