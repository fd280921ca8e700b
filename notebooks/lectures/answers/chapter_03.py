"""Contraction: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction
from functools import cache
from math import ceil, e, floor, log

from scipy.optimize import brentq

from collection.course.exercises import PIG, exercise

VARIES = {
    "rare_bust": [Fraction(1, n) for n in (11, 13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24)],
    "swap_price": [3, 3.2, 3.4, 3.6, 3.8, 4.2, 4.4, 4.6, 4.8, 5],  # of a new machine; at 6 the discount would be 1
    "tails": [Fraction(*each) for each in ((1, 3), (1, 4), (2, 5), (2, 7), (3, 8), (1, 5), (2, 9), (3, 10))],
    "series_discount": [n / 100 for n in (70, 74, 78, 80, 85, 88, 92, 94)],  # smaller than 5/6, and larger
    "yearly_discount": [Fraction(7, 10), Fraction(3, 4), Fraction(4, 5), Fraction(9, 10)],
    "yearly_price": range(2, 8),  # of a machine that is old after a year
    "ruin": range(4, 9),  # a firm is bankrupt with probability 1/ruin
    "robot_load": range(6, 31, 3),  # its price at the better place
    "way_back": [Fraction(*each) for each in ((1, 4), (4, 9), (9, 16), (1, 9), (16, 25), (4, 25), (9, 25), (1, 16))],
}


def mean(die):
    """The mean of the points of a roll, where a bust counts 0."""
    return sum(p * face for face, p in enumerate(die))


def steps(error, factor, accuracy=0.01, rounded=ceil):
    """The smallest n with error · factorⁿ ≤ accuracy."""
    return rounded(log(error / accuracy) / -log(factor))


@exercise(
    "3.1",
    "the steps for the die",
    "the steps for the rare bust",
    decimals=0,
    wrong={
        "The first number is rounded down. After so many steps the bound is still above 0.01.": (
            lambda die, rare_bust: [steps(mean(die) / die[0], 1 - die[0], rounded=floor), None]
        ),
        "The second number is rounded down. After so many steps the bound is still above 0.01.": (
            lambda die, rare_bust: [None, steps(mean(die) / die[0], 1 - rare_bust, rounded=floor)]
        ),
        "That takes the probability of a bust as the factor. In Theorem A it is the probability to go on.": (
            lambda die, rare_bust: [steps(mean(die) / die[0], bust) for bust in (die[0], rare_bust)]
        ),
    },
)
def promised(*, die=PIG, rare_bust=Fraction(1, 20)):
    """With the premium $m / p_0$ of your die in place of 20, in both questions, and your rare_bust in place of 1/20."""
    return [steps(mean(die) / die[0], 1 - bust) for bust in (die[0], rare_bust)]


@exercise(
    "3.2",
    "δ with a tie at 5",
    "δ with a tie at 10",
    "δ with a tie at 15",
    wrong={
        "That keeps all k points after a roll. A bust loses them.": lambda die: [
            k / (mean(die) + k) for k in (5, 10, 15)
        ],
        "That takes the mean of the faces that score. In m a bust counts 0.": lambda die: [
            k / (mean(die) / (1 - die[0]) + (1 - die[0]) * k) for k in (5, 10, 15)
        ],
    },
)
def ties(*, die=PIG):
    """With your die."""
    return [k / (mean(die) + (1 - die[0]) * k) for k in (5, 10, 15)]  # (7) is k


def first_roll(die, cost=0):
    """The value of a turn that begins with a roll, if every roll costs something."""

    @cache
    def V(k):
        return k if k >= mean(die) / die[0] else max(k, roll(k))

    def roll(k):
        return sum(p * V(k + face) for face, p in enumerate(die) if face and p) - cost

    return roll(0)


@exercise(
    "3.3",
    calls=[
        [["1/6", 0, "1/6", "1/6", "1/6", "1/6", "1/6"], 1e-8],
        [["1/4", "1/4", "1/4", "1/4"], 1e-8],
        [["1/20", 0, "19/20"], 1e-8],
    ],
    wrong={
        "That is the first iterate at 0: one roll, and then a hold.": (
            lambda probabilities, accuracy: mean(map(Fraction, probabilities))
        ),
        "That is m/p₀, which no premium exceeds.": (
            lambda probabilities, accuracy: mean(map(Fraction, probabilities)) / Fraction(probabilities[0])
        ),
    },
)
def turn_value(probabilities, accuracy):
    """The same for everybody."""
    return first_roll([Fraction(p) for p in probabilities])


def weighted(die, x):
    """The sum of p_d xᵈ over the faces that score."""
    return float(sum(p * x**face for face, p in enumerate(die) if face))


@exercise(
    "3.4",
    "the factor γ at x = 1.02",
    wrong={
        "That counts the bust, too. The sum is over the faces that score, d ≥ 1.": (
            lambda die: weighted(die, 1.02) + die[0]
        ),
        "That raises x to the mean of the faces. Take the mean of the powers.": (
            lambda die: (1 - die[0]) * 1.02 ** float(mean(die) / (1 - die[0]))
        ),
    },
)
def factor(*, die=PIG):
    """With your die."""
    return weighted(die, 1.02)


def growth(die):
    """The x > 1 with the weighted sum 1; by convexity it is at most 1 + p₀/m."""
    return brentq(lambda x: weighted(die, x) - 1, 1, 1 + die[0] / mean(die))


def five_faces(bust):
    """A die that busts with some probability, and has the faces 2 to 6 with equal ones."""
    return [bust, 0, *[(1 - bust) / 5] * 5]


@exercise(
    "3.5",
    "the growth x",
    wrong={
        "That is 1 + p₀ ÷ mean, which is right only in the limit of small p₀.": (
            lambda rare_bust: 1 + rare_bust / mean(five_faces(rare_bust))
        ),
        "That is the growth for Pig's die.": lambda rare_bust: growth(PIG),
        "That is 1/(1 − p₀), the growth for a coin, whose heads scores 1 point.": lambda rare_bust: 1 / (1 - rare_bust),
    },
)
def growth_of_five_faces(*, rare_bust=Fraction(1, 12)):
    """With your rare_bust as $p_0$."""
    return growth(five_faces(rare_bust))


@exercise(
    "3.8",
    "the discount",
    wrong={
        "That is the discount if V(0) is 0. But the machine of wear 0 wears out, and costs something later.": (
            lambda swap_price: 1 - 2 / swap_price
        ),
        "That is the other root of the quadratic equation. A discount is less than 1.": (
            lambda swap_price: (2 * swap_price - 1 + (4 * swap_price + 1) ** 0.5) / swap_price
        ),
    },
)
def change_of_mind(*, swap_price=4):
    """With your swap_price in place of 4: at which discount is it optimal to replace from wear 2 on, and from 3 on?"""
    # With the price c, to keep at 2 costs as much as to replace: (1 − γ) V(0) = γc + 2 − c.
    # To keep at 0 and at 1:  (1 − γ) V(0) = γ/2 + γ²c/4.  So  γ²c/4 − γ(c − 1/2) + c − 2 = 0.
    return (2 * swap_price - 1 - (4 * swap_price + 1) ** 0.5) / swap_price


@exercise(
    "3.h1",
    "the growth x",
    "the factor c",
    wrong={
        "The growth is 1/p₀. A roll goes on with heads.": lambda tails: [1 / tails, None],
        "The factor c is that for all real k. Here k is an integer.": lambda tails: [None, 1 / (e * -log(1 - tails))],
        "The factor c looks at k = 1 alone. The solution has to be at least k for every k.": (
            lambda tails: [None, 1 - tails]
        ),
    },
)
def coin_solution(*, tails=Fraction(1, 2)):
    """With your tails as the probability of tails."""
    x = 1 / (1 - tails)
    return [x, max(k / x**k for k in range(1, 50))]


@exercise(
    "3.h2",
    calls=[[0], [0.5], [1], [2]],
    wrong={
        "That charges for the first roll only. Every roll costs c.": lambda c, die: first_roll(die) - c,
        "That charges only for the rolls that score. A bust costs c, too.": (
            lambda c, die: first_roll(die, c * float(1 - die[0]))
        ),
    },
)
def value(c, *, die=PIG):
    """With your die."""
    return first_roll(die, c)


@exercise(
    "3.h3",
    calls=[[0.5], [0.8], [0.9], [0.99]],
    wrong={
        "That is the series of Proposition B, where a turn follows a bust, too.": (
            lambda discount, die: first_roll(die) / (1 - discount)
        ),
        "That is the value of a single turn.": lambda discount, die: first_roll(die),
    },
)
def series_value(discount, *, die=PIG):
    """With your die."""
    # Let U(k) = V(k) − δV(0). Then U is a turn in which each roll costs p₀δV(0), and U(0) = (1 − δ)V(0).
    return brentq(
        lambda v: first_roll(die, float(die[0]) * discount * v) - (1 - discount) * v,
        0,
        first_roll(die) / (1 - discount),
    )


@exercise(
    "3.h4",
    "the turn total to hold at",
    "the factor γ",
    wrong={
        "The total is that of a single turn. Here a bust loses all later turns, too.": (
            lambda die, series_discount: [ceil(mean(die) / die[0]), None]
        ),
        "The factor is (5), where a turn follows a bust.": (
            lambda die, series_discount: [None, 1 - float(die[0]) * (1 - series_discount)]
        ),
        "The factor is that of a roll and a hold together. Which of the two leaves more of a difference?": (
            lambda die, series_discount: [None, series_discount * float(1 - die[0])]
        ),
    },
)
def series_policy(*, die=PIG, series_discount=0.9):
    """With your die, and your series_discount as δ."""
    later = series_discount * series_value(series_discount, die=die)  # at stake, beside the turn total
    return [ceil(mean(die) / die[0] - later), max(series_discount, 1 - die[0])]


@exercise(
    "3.x1",
    "V₁(old)",
    "V₂(new)",
    "V₂(old)",
    "the number of steps",
    "the bound after two steps",
    rubric={
        "(a) $V(\\text{new}) = \\min\\{\\gamma V(\\text{old}),\\, {{ yearly_price }} + \\gamma V(\\text{old})\\}$ and "
        "$V(\\text{old}) = \\min\\{ {{ yearly_price + 1 }} + \\gamma V(\\text{old}),\\, {{ yearly_price }} + "
        "\\gamma V(\\text{old})\\}$ with $\\gamma$ = {{ yearly_discount }}: who replaces has an old machine next year, "
        "too.": 2,
        "(b) $V_1$ is 0 for new and {{ answer[0] }} for old; $V_2$ is {{ answer[1] }} and {{ answer[2] }}.": 3,
        "(c) $\\frac{\\gamma^n}{1 - \\gamma} \\cdot {{ yearly_price }} \\le 0.1$ from $n$ = {{ answer[3] }} on. The "
        "last change is {{ answer[1] }}, so that the error after two steps is at most {{ answer[4] }}.": 3,
    },
)
def yearly_machine(*, yearly_price=2, yearly_discount=Fraction(4, 5)):
    r"""A machine is new or old. A year costs 0 with a new one and {{ yearly_price + 1 }} with an old one. A new machine
    is old the next year. At the beginning of each year it may be replaced by a new one for {{ yearly_price }}. The next
    year counts $\gamma$ = {{ yearly_discount }} times as much as this year.

    (a) Write down the Bellman equation.

    (b) Value iteration starts at $V_0 = 0$. Compute $V_1$ and $V_2$.

    (c) After how many steps does the a priori bound promise an error of at most 0.1? What does the a posteriori bound
    say after two steps?
    """
    change = yearly_discount * yearly_price  # from V₁ to V₂, of both states
    last = steps(yearly_price / (1 - yearly_discount), yearly_discount, accuracy=0.1)
    bound = yearly_discount / (1 - yearly_discount) * change
    return [yearly_price, change, yearly_price + change, last, bound]


@exercise(
    "3.x2",
    "the discount",
    "the price to sell at",
    "the value two below it",
    "the growth of other solutions",
    rubric={
        "(a) {{ answer[0] }}, the probability that the firm lives on.": 1,
        "(b) From {{ answer[1] }} on: with $m$ = {{ answer[0] }} this is $m / p_0$. Two below, one keeps twice: "
        "{{ answer[1] }} times the square of {{ answer[0] }}, which is {{ answer[2] }}.": 3,
        "(c) $c\\,x^k$ with $x$ = {{ answer[3] }} and a $c$ with $c\\,x^k \\ge k$ for all $k$, for example "
        "$c$ = {{ ruin }}. Its distance from $k$ is not bounded.": 3,
    },
)
def rumour(*, ruin=5):
    """There is a rumour about a firm. Each day you may sell your share for its price $k$ and stop, or keep it. If you
    keep it, the firm is bankrupt with probability 1/{{ ruin }} and the share is worth nothing; else its price rises to
    $k + 1$.

    (a) Which discount is hidden here?

    (b) From which price on do you sell? At a tie, sell. What is the value of a share whose price is two below that?

    (c) Name a solution of the Bellman equation that is not the value, and say why Theorem A does not exclude it. By
    which factor does it grow from $k$ to $k + 1$?
    """
    lives = 1 - Fraction(1, ruin)
    return [lives, ruin - 1, lives**2 * (ruin - 1), 1 / lives]


@exercise(
    "3.x3",
    "V(A)",
    "V(B)",
    "the smallest factor",
    "w(A)",
    rubric={
        "(a) $V(A) = \\max\\{ {{ robot_load }}, V(B)\\}$ and $V(B) = \\max\\{ {{ robot_load // 3 }}, "
        "{{ way_back }} \\cdot V(A)\\}$, so $V(A)$ = {{ answer[0] }} and $V(B)$ = {{ answer[1] }}.": 2,
        "(b) At A the robot surely arrives. If two functions differ by 1 at both places, and are large enough that it "
        "goes on, they differ by 1 at A after the step.": 2,
        "(c) At A the difference may be $1/w(A)$ times as large, at B {{ way_back }} times $w(A)$. Both are "
        "{{ answer[2] }} for $w(A)$ = {{ answer[3] }}. A larger weight makes the second one larger, a smaller weight "
        "the first.": 3,
        "(d) $V(A) = V(B) = v$ for every $v$ above {{ robot_load }}. To go on forever is greedy against it, and "
        "brings 0.": 1,
    },
)
def robot(*, robot_load=18, way_back=Fraction(1, 4)):
    """A robot carries a load, and is at A or at B. It may sell the load and stop, for {{ robot_load }} at A and for
    {{ robot_load // 3 }} at B, or go to the other place. From A it surely arrives at B. From B it arrives at A with
    probability {{ way_back }}; else it is lost, and brings nothing. There is no discount.

    (a) Write down the Bellman equation, and find the value.

    (b) Why does one step of the Bellman operator not shorten all distances $\\max_s |U(s) - V(s)|$?

    (c) Take the weights $w(A)$ and $w(B) = 1$, and the norm $\\max_s |V(s)| / w(s)$. For which $w(A)$ does the operator
    have the smallest factor of a contraction, and which factor is it?

    (d) Now the robot surely arrives at A, too. Name a solution of the Bellman equation that is not the value, and a
    policy that is greedy against it and not optimal.
    """
    root = Fraction(float(way_back) ** 0.5).limit_denominator(99)
    return [robot_load, max(Fraction(robot_load, 3), way_back * robot_load), root, 1 / root]
