"""The finite horizon, and what a state must remember: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction
from functools import cache
from math import ceil

import numpy as np

from collection.course.exercises import PIG, exercise, faces

VARIES = {
    "clock_heads": [Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4), Fraction(2, 5), Fraction(3, 5)],
    "closing_lost": [6, 8, 10, 11, 16],
    "closing_order": range(1, 6),
    "delivery_days": range(1, 4),
    "guarantee_days": range(2, 7),
    "guarantee_wear": range(2, 7),
    "sale_cost": range(1, 5),
    "sale_price": range(9, 16),
    "shelf_days": range(2, 5),
}
DEMAND = [Fraction(1, 5), Fraction(3, 10), Fraction(3, 10), Fraction(1, 5)]  # of 0, 1, 2, 3 items
ROOM = 6


@cache
def shop(days, order, lost, most=ROOM, item=1):
    """The least costs, and the stocks after the order, by the stock in the morning, with so many days left."""
    if not days:
        return [0] * (ROOM + 1), []
    V, _ = shop(days - 1, order, lost, most, item)
    G = [
        item * y + sum(p * (max(y - d, 0) + lost * max(d - y, 0) + V[max(y - d, 0)]) for d, p in enumerate(DEMAND))
        for y in range(ROOM + 1)
    ]
    total = [[G[y] + order * (y > x) for y in range(min(x + most, ROOM) + 1)] for x in range(ROOM + 1)]
    after = [min(range(x, len(costs)), key=costs.__getitem__) for x, costs in enumerate(total)]
    return [total[x][y] - item * x for x, y in enumerate(after)], after


def s_and_S(stocks):
    """The rule as a pair, from the stocks after the order."""
    return [max(x for x, after in enumerate(stocks) if after > x), stocks[0]]


@exercise(
    "4.1",
    "s",
    "S",
    decimals=0,
    wrong={
        "So many items make the cost of the night least, but G also has the price of the items.": (
            lambda closing_order, closing_lost: [None, shop(1, closing_order, closing_lost, item=0)[1][0]]
        ),
        "That orders wherever G is above its minimum. An order also has to pay for its fixed cost.": (
            lambda closing_order, closing_lost: s_and_S(shop(1, 0, closing_lost)[1])
        ),
        "The s is the largest stock with which the shop orders, not the smallest with which it doesn't.": (
            lambda closing_order, closing_lost: [s_and_S(shop(1, closing_order, closing_lost)[1])[0] + 1, None]
        ),
    },
)
def last_day(*, closing_order=2, closing_lost=6):
    """With your closing_order as the cost $K$ of an order, and your closing_lost as that of a lost customer."""
    return s_and_S(shop(1, closing_order, closing_lost)[1])


@exercise(
    "4.2",
    "(a)",
    "(b)",
    "(c)",
    "(d)",
    "(e)",
    decimals=0,
    wrong={
        "(a): two shops with the same stock may expect different deliveries.": lambda **days: [False] + [None] * 4,
        "(a): the order is there before the next one, so nothing is on its way.": lambda **days: [True] + [None] * 4,
        "(b): the number of days left tells which day of the week it is.": lambda **days: [None, True] + [None] * 3,
        "(c): the stock does not show how many customers came yesterday.": (
            lambda **days: [None, None, False, None, None]
        ),
        "(d): the stock does not show how many items must be thrown away tonight.": (
            lambda **days: [None] * 3 + [False, None]
        ),
        "(d): all items that are there in the morning are equally old.": lambda **days: [None] * 3 + [True, None],
        "(e): the stock shows whether the shelf is empty.": lambda **days: [None] * 4 + [True],
    },
)
def new_coordinates(*, delivery_days=2, shelf_days=3):
    """In (a) an order arrives delivery_days days later, before the shop orders again; in (d) an item is thrown away
    if it is not sold on day number shelf_days after its arrival, which is day 1.
    """
    return [delivery_days > 1, False, True, shelf_days > 2, False]


def best_turn(X, sure, die, points=0, reset=0):
    """The best turn, by the score. X is worth what follows it below the goal, and `sure` from the goal on.

    A turn total is worth `points` for each point; a roll loses the whole score with the probability `reset`.
    """
    last = max(len(X), ceil(sum(face * p for face, p in enumerate(die)) / die[0]))  # hold there, for points, too
    after = np.append(X, np.full(last + len(die), sure))
    W = np.array([points * k + after[k : k + len(X)] for k in range(last + len(die))])  # hold at the turn total k
    for k in reversed(range(last)):
        roll = float(die[0]) * X + reset * X[0] + np.array(die[1:], dtype=float) @ W[k + 1 : k + len(die)]
        W[k] = np.maximum(W[k], roll) if k else roll
    return W[0]


@cache
def to_come(turns, goal, die, points=0, bonus=1, reset=0):
    """The most expected points and bonus still to come, by the score below the goal; without points, a chance."""
    if not turns:
        return np.zeros(goal)
    sure = bonus + (turns - 1) * best_turn(np.zeros(1), 0, die, points)[0]
    return best_turn(to_come(turns - 1, goal, die, points, bonus, reset), sure, die, points, reset)


def two_dice(turns, score, die, resets=True):
    """The best chance to have 100 points, with two dice."""
    bust, scoring = float(die[0]), np.array([0, *die[1:]], dtype=float)
    law = 2 * bust - (1 + resets) * bust**2, *np.convolve(scoring, scoring)[1:]
    return to_come(turns, 100, law, reset=resets * bust**2)[score]


@exercise(
    "4.3",
    calls=[[1, 90], [2, 90], [5, 76], [8, 99], [7, 50], [10, 0]],
    wrong={
        "With two busts at once the whole score is lost, not the turn alone.": (
            lambda turns, score, die: two_dice(turns, score, die, resets=False)
        ),
        "That is the chance with one turn fewer.": (
            lambda turns, score, die: two_dice(turns - 1, score, die) if turns > 1 else None
        ),
    },
)
def reach(turns, score, *, die=faces(0, 2, 3, 4, 5, 6)):
    """With two of your dice: one bust loses the turn, and two at once lose the whole score."""
    return two_dice(turns, score, die)


@exercise(
    "4.4",
    decimals=5,
    calls=[[1, 20, 10], [3, 30, 0], [3, 30, 25], [5, 50, 40], [2, 100, 300]],
    wrong={
        "That leaves the bonus out.": (lambda turns, goal, bonus, die: to_come(turns, goal, tuple(die), 1, bonus=0)[0]),
        "That adds the bonus times the best chance to reach the goal. No policy does best for both, points and goal.": (
            lambda turns, goal, bonus, die: (
                to_come(turns, goal, tuple(die), 1, bonus=0)[0] + bonus * to_come(turns, goal, tuple(die))[0]
            )
        ),
    },
)
def with_bonus(turns, goal, bonus, *, die=PIG):
    """With your die."""
    return to_come(turns, goal, tuple(die), 1, bonus)[0]


def numbered(marks):
    """The marks by numbers, in the order in which they first come."""
    return [list(dict.fromkeys(marks)).index(mark) for mark in marks]


def split(P, classes):
    """Split the classes by the probabilities to go to each class."""
    into = [[sum(p for p, to in zip(row, classes, strict=True) if to == one) for one in set(classes)] for row in P]
    return numbered([(own, *np.round(row, 9)) for own, row in zip(classes, into, strict=True)])


@exercise(
    "4.5",
    decimals=0,
    calls=[
        [[[0, 0.5, 0.5, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], [0, 0, 0, 1]],
        [[[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]], [0, 0, 0, 1]],
        [
            [
                [0, 0.25, 0.25, 0.5, 0, 0],
                [0, 0, 0, 0, 0.5, 0.5],
                [0, 0, 0, 0, 1, 0],
                [0, 0, 0, 0, 0.5, 0.25],
                [0, 0, 0, 0, 0, 0],
                [0, 0, 0, 0, 0, 0],
            ],
            [0, 0, 0, 0, 1, 1],
        ],
        [
            [[0, 0.5, 0.5, 0, 0], [0.5, 0, 0, 0.5, 0], [0.5, 0, 0, 0, 0.5], [0, 0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0, 0]],
            [0, 0, 0, 0, 0],
        ],
        [
            [[0, 0.5, 0.5, 0, 0], [0.5, 0, 0, 0.5, 0], [0.5, 0, 0, 0, 0.5], [0, 0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0, 0]],
            [1, 0, 0, 2, 2],
        ],
    ],
    wrong={
        "These are the classes of equal rewards. They have to be split.": lambda P, r: numbered(r),
        "That stops after the first split. The new classes may have to be split again.": (lambda P, r: split(P, r)),
    },
)
def lump(P, r):
    """The same for everybody."""
    finer = split(P, r)
    return finer if finer == r else lump(P, finer)


@exercise(
    "4.6",
    decimals=0,
    calls=[[3, 4, 6], [1, 8, 6], [5, 1, 2], [20, 4, 3], [4, 6, 2]],
    wrong={
        "This is the rule without a bound on the delivery.": (
            lambda days, order, most, closing_lost: shop(days, order, closing_lost)[1]
        ),
        "These are the numbers of items ordered. The stocks after the order are asked for.": (
            lambda days, order, most, closing_lost: np.subtract(
                shop(days, order, closing_lost, most)[1], range(ROOM + 1)
            )
        ),
        "That leaves out the fixed cost of an order.": (
            lambda days, order, most, closing_lost: shop(days, 0, closing_lost, most)[1]
        ),
    },
)
def levels(days, order, most, *, closing_lost=8):
    """With your closing_lost as the cost of a lost customer."""
    return shop(days, order, closing_lost, most)[1]


@exercise(
    "4.h1",
    decimals=8,
    calls=[[1, 7], [3, 12], [5, 20], [8, 25]],
    wrong={
        "That never holds before the goal. With three or more turns left it may be better to hold.": (
            lambda turns, goal, die: 1 - (1 - to_come(1, goal, tuple(die))[0]) ** turns
        ),
        "That is the chance with one turn fewer.": (
            lambda turns, goal, die: to_come(turns - 1, goal, tuple(die))[0] if turns > 1 else None
        ),
    },
)
def chance(turns, goal, *, die=faces(0, 2, 3, 4)):
    """With your die."""
    return to_come(turns, goal, tuple(die))[0]


@exercise(
    "4.x1",
    "the profit of one day",
    "the profit of two days",
    "the items to order with two days left",
    rubric={
        "(a) One item: $V_1(0) = -{{ sale_cost }} + \\tfrac12 \\cdot {{ sale_price }}$ = {{ answer[0] }}, more than 0. "
        "A second item can't be sold.": 3,
        "(b) One item brings $-{{ sale_cost }} + \\tfrac12 ({{ sale_price }} + V_1(0)) + \\tfrac12 V_1(1)$ = "
        "{{ answer[1] }}, where $V_1(1) = \\tfrac12 \\cdot {{ sale_price }}$.": 3,
        "(c) Two items bring {{ sale_price - 2 * sale_cost }}, because $V_1(2) = V_1(1)$, and no order brings "
        "$V_1(0)$ = {{ answer[0] }}. So order one item, and $V_2(0)$ = {{ answer[1] }}.": 2,
    },
)
def sale(*, sale_cost=2, sale_price=5):
    """A shop sells an item that costs {{ sale_cost }} and is sold for {{ sale_price }}. It orders in the morning,
    without a fixed cost, and the items arrive at once. Each day one customer comes with probability 1/2, and buys an
    item if there is one. To keep an item over night costs nothing. After the last day all that is left is worth
    nothing. $V_n(x)$ is the largest expected profit with $n$ days left and $x$ items in stock.

    (a) With one day left, what does the shop order with no stock, and what is $V_1(0)$?

    (b) With two days left and no stock, the shop orders one item. Which profit does it expect?

    (c) Is it better to order two items, or none? What is $V_2(0)$?
    """
    one_day = Fraction(sale_price, 2) - sale_cost
    return [one_day, one_day + (one_day + Fraction(sale_price, 2)) / 2, 1]  # today, and then V₁(0) or V₁(1)


@exercise(
    "4.x2",
    "the values of the new coordinate",
    "the pairs",
    rubric={
        "(a) The wear and the number of days on which repairs are still free, 0, …, {{ guarantee_days }} (or the age, "
        "counted up to {{ guarantee_days }}): {{ answer[0] }} values. All older machines are alike, and may be "
        "lumped.": 3,
        "(b) Two histories with the same wear, in one of which the machine was bought yesterday, and in the other long "
        "ago. The expected costs of the day differ: condition 2 fails.": 2,
        "(c) {{ answer[1] }} = {{ guarantee_wear + 1 }} · {{ answer[0] }} pairs.": 1,
    },
)
def guarantee(*, guarantee_days=3, guarantee_wear=5):
    """Each morning you keep a machine or replace it by a new one, which works on the same day. The wear $s$ was enough
    as a state. Now a new machine has a guarantee: on its first {{ guarantee_days }} days, that of the purchase
    included, repairs are free. On the first morning you have a new machine.

    (a) Which state is enough now? How many values has the new coordinate, if it has as few as possible?

    (b) Give two histories that show that $s$ alone is not Markov, and name the condition that fails.

    (c) The wear is 0, …, {{ guarantee_wear }}. How many pairs of the two coordinates are there, with those that can't
    occur?
    """
    return [guarantee_days + 1, (guarantee_wear + 1) * (guarantee_days + 1)]


@exercise(
    "4.x3",
    "the chance with two turns left",
    "hold or toss",
    "the chance with three turns left",
    rubric={
        "(a) If you hold, both turns have to bring a point. If you toss again, you have the same chance to get it now, "
        "and after tails there is still the last turn. So each turn is tossed to 2 heads, and with $q$ = "
        "{{ clock_heads }} the chance is $1 - (1 - q^2)^2$ = {{ answer[0] }}.": 4,
        "(b) A hold is worth $1 - (1 - q)^2$ = {{ 1 - (1 - clock_heads) ** 2 }}, and a toss $q + (1 - q) U_2(2)$ = "
        "{{ clock_heads + (1 - clock_heads) * answer[0] }}. So {{ answer[1] }}.": 3,
        "(c) $q$ times the larger of the two numbers in (b), and $1 - q$ times {{ answer[0] }}: {{ answer[2] }}.": 2,
    },
)
def two_points(*, clock_heads=Fraction(1, 2)):
    """A coin shows heads with probability {{ clock_heads }}. Heads scores a point, and then you may hold, which ends
    the turn and banks its points, or toss again. Tails ends the turn, and its points are lost. You want at least 2
    points within a number of turns. $U_n(a)$ is the best chance with $n$ turns left and $a$ points missing.

    (a) Two turns are left, 2 points are missing, and the first toss of the turn was heads. Show that to toss again is
    better than to hold. Find $U_2(2)$.

    (b) Three turns are left, 2 points are missing, and the first toss of the turn was heads. Do you hold or toss?

    (c) Find $U_3(2)$.
    """
    two_left = 1 - (1 - clock_heads**2) ** 2  # one of two turns has to bring both points
    hold, toss = 1 - (1 - clock_heads) ** 2, clock_heads + (1 - clock_heads) * two_left
    three_left = clock_heads * max(hold, toss) + (1 - clock_heads) * two_left
    return [two_left, "hold" if hold > toss else "toss", three_left]
