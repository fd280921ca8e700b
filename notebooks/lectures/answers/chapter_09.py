"""Two players: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

import dicelab as dl
from collection import textbook
from collection.course.exercises import PIG, coin, exercise

VARIES = {  # beside them bust, as in chapter 1, and shop_lost, as in chapter 2
    "piglet_heads": [Fraction(*each) for each in ((5, 9), (4, 7), (3, 5), (5, 8), (7, 10), (3, 4), (7, 11), (7, 12))],
    "three_heads": [Fraction(*each) for each in ((3, 8), (3, 7), (4, 9), (5, 9), (4, 7), (3, 5), (5, 8), (3, 4))],
    "race_heads": [Fraction(*each) for each in ((1, 4), (1, 5), (2, 9), (1, 6), (2, 5), (3, 5), (3, 4), (4, 5))],
    "level_f": [Fraction(n, 100) for n in (9, 11, 12, 13, 14)],
    "level_g": [Fraction(n, 100) for n in range(21, 29)],
    "maintenance": [2, 3, 4],
    "breakdown": [16, 18, 22, 24, 26, 32, 34, 36, 44, 46],  # not ten times the maintenance, a tie
    "penalty_target": range(6, 13),
    "round_heads": [Fraction(*each) for each in ((2, 5), (3, 7), (4, 7), (3, 5), (2, 3), (5, 8))],
}
LAWS = {"steady": {1: 0.5, 2: 0.5}, "lumpy": {0: 0.5, 3: 0.5}, "a fair coin": dict.fromkeys(range(4), 0.25)}


@exercise(
    "9.1",
    "the probability to win",
    wrong={
        "That is the probability to win in this turn. After a bust the opponent can bust, too.": lambda bust: 1 - bust,
        "That ends after your second turn. If both players bust again, the race still goes on.": (
            lambda bust: (1 - bust) * (1 + bust**2)
        ),
    },
)
def last_points(*, bust=Fraction(1, 6)):
    """With your bust as the bust probability of a die whose other faces score at least 2 points."""
    return 1 / (1 + bust)


@exercise(
    "9.2",
    "V(2, 2)",
    "the largest h",
    decimals=4,
    wrong={
        "The first number would be right if it did not matter who moves first.": lambda piglet_heads: [0.5, None],
        "The first number is for a player who holds with one head. Compare this with one more toss.": (
            lambda piglet_heads: [
                (1 - piglet_heads**2 / (1 + piglet_heads - piglet_heads**2)) / (2 - piglet_heads),
                None,
            ]
        ),
        "Up to this h it is right to hold at (2, 1). At (2, 2) the opponent needs two points.": (
            lambda piglet_heads: [None, 1 - 0.5**0.5]
        ),
    },
)
def two_points_each(*, piglet_heads=Fraction(1, 2)):
    """With your piglet_heads as the probability of heads for V(2, 2). The second number is the same for everybody."""
    return [
        dl.solve(dl.generalized_pig(coin(1 - piglet_heads), 2)).value,
        1 - sorted(np.roots([2, -4, 0, 1]))[1],  # 2q²(2 − q) = 1; the middle root is a probability, that of tails
    ]


@cache
def never_held(a, die, beyond=1):
    """The probability to score a points; it counts as `beyond` if there are more."""
    return sum(p * never_held(a - d, die, beyond) for d, p in enumerate(die) if d) if a > 0 else (beyond if a else 1)


@exercise(
    "9.3",
    decimals=8,
    calls=[[1], [2], [7], [20], [100]],
    wrong={
        "That is the probability to score exactly a points. More points are right, too.": (
            lambda a, die: never_held(a, tuple(map(float, die)), beyond=0)
        ),
        "That is the probability of a bust on the way.": lambda a, die: 1 - never_held(a, tuple(map(float, die))),
    },
)
def finish_probability(a, *, die=PIG):
    """With your die in place of Pig's."""
    return never_held(a, tuple(map(float, die)))


def crossing(f, g):
    """The x where a line (c, β) of f and one of g cross, by (6)."""
    return (f[0] + f[1] * (1 - g[0] - g[1])) / (1 - f[1] * g[1])


@exercise(
    "9.6",
    "x",
    "y",
    calls=[
        [[[0, 1], [0.07, 0.9]], [[0.05, 0.95], [0.285, 0.7]]],
        [[[0.25, 0.75], [0.3, 0.5]], [[0.25, 0.75], [0.3, 0.5]]],
        [[[0.1, 0.9], [0.2, 0.75], [0.3, 0.5], [0.35, 0.3]], [[0.05, 0.95], [0.4, 0.4]]],
    ],
    wrong={
        "That is the first round, in which the second player keeps the first line.": (
            lambda lines_f, lines_g: hoffman_karp(lines_f, lines_g[:1])
        ),
        "That keeps the first player's first line. The first player takes the best line in each round.": (
            lambda lines_f, lines_g: hoffman_karp(lines_f[:1], lines_g)
        ),
    },
)
def hoffman_karp(lines_f, lines_g):
    """The same for everybody."""
    x = min(max(crossing(f, g) for f in lines_f) for g in lines_g)  # the second player makes x small
    return [x, max(c + beta * (1 - x) for c, beta in lines_g)]


@cache
def race(N, die, players=2, gift=0, rounds=1):
    """The first player's probability to win; a bust gives the next player so many points."""
    won = np.eye(players)
    # By needs, of the next player first: the probabilities to win of the player who has just moved, of the next, …
    V = dict.fromkeys(sorted(product(range(N + 1), repeat=players), key=sum), won[1])
    for a, b, *others in [needs for needs in V if min(needs)] * rounds:
        best = [won[0]] * (a + len(die))  # by turn total
        for k in reversed(range(a)):
            hold = V[b, *others, a - k]
            roll = die[0] * V[b - gift, *others, a] + sum(p * best[k + face] for face, p in enumerate(die) if face)
            best[k] = hold if k and hold[0] >= roll[0] else roll
        V[a, b, *others] = np.roll(best[0], 1)
    return best[0][0]


@exercise(
    "9.7",
    calls=[[1], [2], [3]],
    wrong={
        "That is the probability against one opponent. Here two others move before it is your turn again.": (
            lambda N, three_heads: race(N, tuple(map(float, coin(1 - three_heads))), rounds=200)
        ),
        "That would be right if it did not matter who moves first.": lambda N, three_heads: 1 / 3,
    },
)
def first_of_three(N, *, three_heads=Fraction(1, 2)):
    """With your three_heads as the probability of heads."""
    return race(N, tuple(map(float, coin(1 - three_heads))), players=3, rounds=200)


@cache
def guaranteed(lost, *laws, every=False):
    """The cost from an empty stock against the worst of some laws: of the orders for a fair coin, or the least."""
    shops = [textbook.inventory(lost=lost, demand=LAWS[law]).actions for law in laws]
    _, fair, _ = textbook.policy_iteration(textbook.inventory(lost=lost, demand=LAWS["a fair coin"]))
    V = dict.fromkeys(fair, 0)

    def day(cost, moves):
        return cost + sum(p * V[left] for left, p in moves.items())

    for _ in range(500):
        V = {
            stock: min(
                max(day(*shop[stock][ordered]) for shop in shops) for ordered in (shops[0][stock] if every else [best])
            )
            for stock, best in fair.items()
        }
    return V[0]


@exercise(
    "9.8",
    "the cost from an empty stock",
    decimals=4,
    wrong={
        "That is the cost if a fair coin chooses the law. The adversary chooses the worse law, each day anew.": (
            lambda shop_lost: guaranteed(shop_lost, "a fair coin")
        ),
        "That is the cost if the demand is steady every day. The adversary may change the law from day to day.": (
            lambda shop_lost: guaranteed(shop_lost, "steady")
        ),
        "That is what the robust orders guarantee. Here the shop keeps the orders for a fair coin.": (
            lambda shop_lost: guaranteed(shop_lost, "steady", "lumpy", every=True)
        ),
    },
)
def what_the_shop_risks(*, shop_lost=8):
    """With your shop_lost as the cost of a lost customer, from which `mixed_order` follows."""
    return guaranteed(shop_lost, "steady", "lumpy")


@exercise(
    "9.h1",
    "V(1, 1)",
    "V(2, 1)",
    "V(1, 2)",
    wrong={
        "The first number is the probability to win in this turn. After tails the opponent can bust, too.": (
            lambda race_heads: [race_heads, None, None]
        ),
        "The second number holds with one head. Compare this with one more toss.": (
            lambda race_heads: [None, (1 - race_heads) / (2 - race_heads) ** 2, None]
        ),
        "The second number tosses again with one head. Compare this with a hold.": (
            lambda race_heads: [None, race_heads / (1 + race_heads - race_heads**2), None]
        ),
    },
)
def first_values(*, race_heads=Fraction(2, 3)):
    """With your race_heads as the probability of heads."""
    return dl.solve(dl.generalized_pig(coin(1 - race_heads), 2)).values[[1, 0, 1], [1, 1, 0]]  # by scores


@exercise(
    "9.h2",
    calls=[[1], [3], [8], [20]],
    wrong={
        "That is the race in which a bust gives nothing.": lambda N, die: dl.solve(dl.generalized_pig(die, N)).value,
        "That is the opponent's probability to win.": lambda N, die: 1 - race(N, tuple(map(float, die)), gift=1),
    },
)
def gift_race(N, *, die=PIG):
    """With your die in place of Pig's."""
    return race(N, tuple(map(float, die)), gift=1)  # not circular, so that one round is enough


def newton(f, g, x):
    """The guesses after x, up to the solution, for two lists of lines."""
    ben = max(g, key=lambda line: line[0] + line[1] * (1 - x))
    ana = max(f, key=lambda line: line[0] + line[1] * (1 - ben[0] - ben[1] * (1 - x)))
    found = crossing(ana, ben)
    return [] if found == x else [found, *newton(f, g, found)]


@exercise(
    "9.h3",
    wrong={
        "The first number is f(g(1)), a step of value iteration. Newton's method goes to where the two lines cross.": (
            lambda level_f, level_g: [1 - level_g, None, None]
        ),
        "That begins with the first guess itself. The guesses after it are asked for.": (
            lambda level_f, level_g: [1, *newton_by_hand(level_f=level_f, level_g=level_g)[:2]]
        ),
    },
)
def newton_by_hand(*, level_f=Fraction(1, 10), level_g=Fraction(1, 5)):
    """With your level_f in place of 1/10, and your level_g in place of 1/5."""
    return newton(
        [(0, 1), (level_f, Fraction(4, 5))],
        [(Fraction(1, 20), Fraction(19, 20)), (level_g, Fraction(7, 10))],
        1,
    )


@exercise(
    "9.x1",
    "V(w), maintained",
    "V(w), not maintained",
    "V(b) of the best policy",
    "to maintain is best",
    rubric={
        "(a) $V(b) = {{ breakdown }} + V(w)/2$. $V(w)$ is the smaller of ${{ maintenance }} + \\max_{p \\le 1/4} "
        "[(1 - p) V(w) + p V(b)]/2$ and $\\max_{1/4 \\le p \\le 1/2} [(1 - p) V(w) + p V(b)]/2$.": 2,
        "(b) Without maintenance no day costs more than {{ breakdown }}, and the first day of a working machine costs "
        "nothing. So $V(w) \\le {{ breakdown }}/2 + {{ breakdown }}/4 + \\dots = {{ breakdown }} \\le V(b)$, and the "
        "bracket does not fall in $p$.": 2,
        "(c) Maintained, $V(w) = {{ maintenance }} + [3 V(w) + V(b)]/8$ gives {{ answer[0] }}. Not maintained, "
        "$V(w) = [V(w) + V(b)]/4$ gives {{ answer[1] }}. So it is best {{ '' if answer[3] else 'not ' }}to maintain, "
        "and $V(b)$ = {{ answer[2] }}.": 4,
    },
)
def machine_and_adversary(*, maintenance=1, breakdown=28):
    """Each morning a working machine is maintained for {{ maintenance }}, or not. Then an adversary chooses the
    probability that it breaks during the day: between 0 and 1/4 if it was maintained, between 1/4 and 1/2 if not. A
    machine that is broken in the morning costs {{ breakdown }} that day and works the next morning. The discount is
    1/2.

    (a) Write the equations of the least cost that the owner can guarantee, $V(w)$ with a working machine and $V(b)$
    with a broken one.

    (b) Show that the adversary always chooses the largest probability.

    (c) Find $V(w)$ if the machine is always maintained, and if it never is. Which is best, and what is $V(b)$ then?
    """
    values = [
        Fraction(16 * maintenance + 2 * breakdown, 9),  # V = maintenance + 3/8 V + 1/8 (breakdown + V/2)
        Fraction(2 * breakdown, 5),  # V = 1/4 V + 1/4 (breakdown + V/2)
    ]
    return [*values, breakdown + min(values) / 2, values[0] < values[1]]


@exercise(
    "9.x2",
    "values solved together",
    "values solved together, if a bust costs a point",
    rubric={
        "(a) A turn from $(a, b)$ wins, busts to $(b, a)$, or holds at some $k \\ge 1$ and leads to $(b, a - k)$, with "
        "a smaller sum.": 3,
        "(b) A bust from $(a, b)$ leads to $(b, a + 1)$ while $a < {{ penalty_target }}$. The sum can grow, so all "
        "pairs have to be solved together. The race still ends with probability 1, since from every state both players "
        "may score {{ penalty_target }} points in a row, so Theorem 5 applies.": 3,
        "(c) At most {{ answer[0] }}, the values of $(a, b)$ and $(b, a)$; then all {{ answer[1] }}, as each pair "
        "leads to all others.": 2,
    },
)
def circles(*, penalty_target=10):
    """Two players toss a coin, as in Piglet: heads scores a point, and tails is a bust. The first player with
    {{ penalty_target }} points wins.

    (a) Prove that $V(a, b)$ and $V(b, a)$ have to be solved together, and no other values with them.

    (b) A bust now also costs the player one banked point, if there is one. What changes? Does the race still end?

    (c) How many values $V(a, b)$ have to be solved together at most, in the race of (a) and in that of (b)?
    """
    return [2, penalty_target**2]


@exercise(
    "9.x3",
    "L",
    "x after one round",
    "the number of rounds",
    "V(2, 1)",
    rubric={
        "(a) With the probability $h$ of heads, $F_2 = h^2$ and $F_1 = h$. So $L = (1 - h^2)(1 - h)$ = "
        "{{ answer[0] }}.": 2,
        "(b) $y = g(\\frac12) = h + \\frac12 (1 - h)$, and then $f(y) = h^2 + (1 - h^2)(1 - y)$ = {{ answer[1] }}, "
        "because a hold with one head brings only $h\\,(1 - V(1, 1)) + (1 - h)(1 - y)$, which is less.": 3,
        "(c) The first error is at most 1/2, and $\\frac12 L^n \\le \\frac{1}{100}$ from $n$ = {{ answer[2] }} on.": 2,
        "(d) The lines $h^2 + (1 - h^2)(1 - y)$ and $h + (1 - h)(1 - x)$ cross at $x$ = {{ answer[3] }}. It is the "
        "solution, because the same lines are best there.": 3,
    },
)
def rounds_by_hand(*, round_heads=Fraction(1, 2)):
    r"""A coin shows heads with probability {{ round_heads }}; heads scores a point, and tails is a bust. Ana needs two
    points, and Ben needs one. Let $x = V(2, 1)$ be Ana's probability to win at her move, and $y = V(1, 2)$ Ben's at
    his, so that $x = f(y)$ and $y = g(x)$. If each player needs one point, the player to move wins with probability
    $1/(1 + p_0)$, where $p_0$ is the probability of tails.

    (a) By which factor $L$ does each round of value iteration shorten the error of $x$ at least?

    (b) Begin with $x = \frac12$, and compute $f(g(x))$.

    (c) After how many rounds is the error surely at most $\frac{1}{100}$?

    (d) Begin with $x = \frac12$ again, and take one step of Newton's method. Why is the result the solution?
    """
    f, g = (round_heads**2, 1 - round_heads**2), (round_heads, 1 - round_heads)  # the best lines (c, β)
    return [
        f[1] * g[1],
        f[0] + f[1] * g[1] / 2,  # 1 − g(1/2) is half of g's β
        next(n for n in range(99) if (f[1] * g[1]) ** n / 2 <= Fraction(1, 100)),
        crossing(f, g),
    ]
