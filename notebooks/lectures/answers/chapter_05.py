"""Shortest paths: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction
from functools import cache
from itertools import count
from math import ceil, floor

from scipy.optimize import brentq

import dicelab as dl
from collection import textbook
from collection.course.exercises import PIG, exercise

VARIES = {
    "large_tails": [Fraction(n, 100) for n in (22, 23, 24, 27, 28, 29, 31, 32, 34, 35, 36, 37)],  # no 1/p is whole
    "middle_tails": [Fraction(n, 100) for n in (11, 12, 13, 14, 16, 17, 18, 19)],
    "small_tails": [Fraction(n, 200) for n in range(11, 20)],
    "robot_slip": [0.06, 0.07, 0.08, 0.09, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16],  # to each side; no two steps tie
    "race_tails": [Fraction(*each) for each in ((1, 4), (2, 7), (3, 10), (4, 11), (2, 5), (5, 12), (3, 7), (4, 9))],
    "small_race": range(4, 7),
    "door_cost": range(2, 7),
    "door_chance": [Fraction(1, 3), Fraction(1, 4), Fraction(1, 5), Fraction(2, 3), Fraction(2, 5)],
    "sweep_discount": [Fraction(3, 4), Fraction(4, 5), Fraction(9, 10), Fraction(19, 20)],
    "sweep_fall": range(12, 31, 2),
    "sweep_rise": range(2, 11),
    "slow_tails": [Fraction(*each) for each in ((1, 3), (1, 4), (1, 5), (2, 5), (2, 3), (3, 4), (4, 5), (3, 5))],
}


@exercise(
    "5.1",
    "V with three points missing",
    "V with four points missing",
    wrong={
        "The first number is right if every roll that scores ends the race. With three points missing not all do.": (
            lambda die: [1 / (1 - die[0]), None]
        ),
        "The second number is right if every roll that scores ends the race. With four points missing not all do.": (
            lambda die: [None, 1 / (1 - die[0])]
        ),
        "The first number holds after every roll that scores. After a hold another turn is to come.": (
            lambda die: [dl.evaluate(dl.generalized_pig(die, 4), 1).turns_by_score[1], None]
        ),
        "The second number holds after every roll that scores. After a hold another turn is to come.": (
            lambda die: [None, dl.evaluate(dl.generalized_pig(die, 4), 1).turns_by_score[0]]
        ),
    },
)
def three_and_four_missing(*, die=PIG):
    """With your die."""
    four, three, _, _ = dl.solve(dl.generalized_pig(die, 4), "turns", exact=True).values
    return [three, four]


@exercise(
    "5.2",
    "n for the first p",
    "n for the second p",
    "n for the third p",
    decimals=0,
    wrong={
        "The first number is 1/p, rounded up. Compare hold at n with hold at n + 1.": (
            lambda large_tails, middle_tails, small_tails: [ceil(1 / large_tails), None, None]
        ),
        "The second number is 1/p, rounded up. Compare hold at n with hold at n + 1.": (
            lambda large_tails, middle_tails, small_tails: [None, ceil(1 / middle_tails), None]
        ),
        "The third number is 1/p, rounded up. Compare hold at n with hold at n + 1.": (
            lambda large_tails, middle_tails, small_tails: [None, None, ceil(1 / small_tails)]
        ),
    },
)
def best_for_a_long_race(*, large_tails=Fraction(3, 10), middle_tails=Fraction(3, 20), small_tails=Fraction(7, 100)):
    """With your large_tails, middle_tails and small_tails as the three p, in this order."""
    return [floor(1 / p) for p in (large_tails, middle_tails, small_tails)]


@exercise(
    "5.4",
    calls=[[10, 3], [30, 10]],
    wrong={
        "That is the value after so many sweeps of the chapter. In place, an update uses the newest values.": (
            lambda N, n, die: textbook.mdp_value_iteration(textbook.turns_process(dl.generalized_pig(die, N)))[1][n][0]
        ),
        "That takes the lower scores and turn totals first. Then an update uses old values only.": (
            lambda N, n, die: gauss_seidel(N, n, iter, die=die)
        ),
    },
)
def gauss_seidel(N, n, order=reversed, *, die=PIG):  # order: of the scores, and of the turn totals
    """With your die."""
    V = {}
    states = [(i, k) for i in order(range(N)) for k in order(range(N - i))]
    for i, k in states * n:
        ends = [(float(p), (i, k + face if face else 0)) for face, p in enumerate(die) if p]
        rolled = sum(p * V.get(end, 0) for p, end in ends)
        V[i, k] = min(V.get((i + k, 0), 0), rolled) if k else 1 + rolled
    return V[0, 0]


@exercise(
    "5.5",
    decimals=4,
    calls=[[10], [20]],
    wrong={
        "That is the largest expected number of rolls. A hold is a step, too.": (
            lambda N, die: most_steps(N, 0, die=die)
        ),
        "That leaves out the last hold.": lambda N, die: most_steps(N, die=die) - 1,
    },
)
def most_steps(N, hold=1, *, die=PIG):  # hold: the steps that a hold counts
    """With your die."""
    rows = textbook.turns_process(dl.generalized_pig(die, N)).actions
    counts = {"roll": -1, "hold": -hold}
    steps = {s: {name: (counts[name], moves) for name, (_, moves) in of.items()} for s, of in rows.items()}
    return -textbook.policy_iteration(textbook.DecisionProcess(steps))[0][0, 0, "roll"]


def left_side(n, die, x):
    """The left-hand side of (5) at λ = x for hold at n: each roll divides by x, and a bust counts 1."""

    @cache
    def B(k):
        return sum(float(p) * (B(k + face) if face else 1) for face, p in enumerate(die)) / x if k < n else 0

    return B(0)


@exercise(
    "5.6",
    calls=[[1], [20], [25]],
    wrong={
        "That is the probability that a turn busts, the sum of the $b_j$. In (5) every roll divides by λ.": (
            lambda n, die: left_side(n, die, 1)
        ),
        "That is 1/λ: in (5) a roll divides by λ, and does not multiply with it.": (
            lambda n, die: 1 / factor(n, die=die)
        ),
    },
)
def factor(n, *, die=PIG):
    """With your die."""
    return brentq(lambda x: left_side(n, die, x) - 1, float(die[0]) / 2, 1)


@exercise(
    "5.8",
    calls=[[0.01], [0.04], [0.1], [0.5], [2.0]],
    wrong={
        "That is half of 1 less the utility, which counts the cost of the steps as if it came from the pit.": (
            lambda step, robot_slip: (1 + textbook.policy_iteration(textbook.grid(step, robot_slip))[0][1, 1]) / 2
        ),
        "That is the probability to end at the other exit.": (
            lambda step, robot_slip: pit(step, (4, 3), robot_slip=robot_slip)
        ),
        "That follows the policy of the chapter, which is optimal for steps that cost 0.04.": (
            lambda step, robot_slip: pit(step, planned=0.04, robot_slip=robot_slip)
        ),
    },
)
def pit(step, square=(4, 2), planned=None, *, robot_slip=0.1):  # planned: for another cost of a step
    """With your robot_slip as the probability to go aside, to each side: `textbook.grid(step, robot_slip)`."""
    rows = textbook.grid(step, robot_slip).actions
    policy = textbook.policy_iteration(textbook.grid(planned or step, robot_slip))[1]
    # The expected cost, if the exit that is asked for costs 1, and nothing else does.
    ends = {s: {"go": (float(s == square), rows[s][policy[s]][1])} for s in rows}
    return textbook.policy_iteration(textbook.DecisionProcess(ends))[0][1, 1]


def coin_turns(missing, tails):
    """The fewest turns: of all n, the best to throw n heads in one turn, and then to go on from there."""
    if not missing:
        return Fraction(0)
    return min((1 - tails) ** -n + coin_turns(missing - n, tails) for n in range(1, missing + 1))


@exercise(
    "5.h1",
    "V with one point missing",
    "V with two points missing",
    "V with three points missing",
    wrong={
        "The first number forgets that the second turn can bust, too.": lambda race_tails: [1 + race_tails, None, None],
        "The second number is that of a hold after every head.": lambda race_tails: [None, 2 / (1 - race_tails), None],
        "The third number is that of a hold after every head.": lambda race_tails: [None, None, 3 / (1 - race_tails)],
        "The third number is that of a player who never holds before the target.": (
            lambda race_tails: [None, None, (1 - race_tails) ** -3]
        ),
    },
)
def coin_race(*, race_tails=Fraction(1, 3)):
    """With your race_tails as the probability of a bust."""
    return [coin_turns(missing, race_tails) for missing in (1, 2, 3)]


def coin_sweep(V, tails):
    """One sweep of value iteration in the race of a coin; V has the states (i, k) below the target."""
    rolled = {(i, k): tails * V[i, 0] + (1 - tails) * V.get((i, k + 1), 0) for i, k in V}
    return {(i, k): min(V.get((i + k, 0), 0), roll) if k else 1 + roll for (i, k), roll in rolled.items()}


def sweeps(N, tails, far):
    """The first number of sweeps for which `far` no longer holds of the iterates: below, before it, and above."""
    states = [(i, k) for i in range(N) for k in range(N - i)]
    below = dict.fromkeys(states, 0)
    above = {(i, k): (N - i - k) / (1 - tails) for i, k in states}
    for n in count(1):
        before, below, above = below, coin_sweep(below, tails), coin_sweep(above, tails)
        if not far(below[0, 0], before[0, 0], above[0, 0]):
            return n


@exercise(
    "5.h2",
    decimals=0,
    calls=[[0.5, 0.001], [0.9, 0.001], [0.25, 1e-06]],
    wrong={
        "That is when a sweep from below changes the start by less than eps. A small change is not a small error.": (
            lambda q, eps, small_race: sweeps(small_race, q, lambda below, before, above: below - before >= eps)
        ),
        "That is one too many. The two starts, before the first sweep, do not count as a sweep.": (
            lambda q, eps, small_race: bracket(q, eps, small_race=small_race) + 1
        ),
    },
)
def bracket(q, eps, *, small_race=3):
    """With a race to your small_race."""
    return sweeps(small_race, q, lambda below, before, above: above - below >= eps)


@exercise(
    "5.x1",
    "the cost from door 1 to door 2",
    "the largest x",
    rubric={
        "(a) $V_1 = {{ door_cost }} + {{ 1 - door_chance }}\\, V_1 + {{ door_chance }}\\, V_2$, so $V_1 = "
        "{{ answer[0] }} + V_2$; and $V_2 = \\min\\{ {{ door_cost }} + {{ 1 - door_chance }}\\, V_1,\\; x \\}$.": 2,
        "(b) Who always goes on has $V_2 = {{ door_cost }} + {{ 1 - door_chance }}\\, ({{ answer[0] }} + V_2)$, so "
        "$V_2$ = {{ answer[1] }}. The guide is optimal for $x$ up to {{ answer[1] }}.": 3,
        "(c) Yes: from every state each policy leaves within two steps with probability {{ door_chance ** 2 }} at "
        "least.": 1,
        "(d) Infinitely many. $V_1 = \\min\\{V_1, \\dots\\}$ holds for all $V_1 \\le {{ answer[0] }} + V_2$, for "
        "example for all $V_1 \\le 0$ with $V_2 = "
        "\\min\\{ {{ door_cost }} + {{ 1 - door_chance }}\\, V_1,\\; x \\}$.": 2,
    },
)
def doors(*, door_cost=1, door_chance=Fraction(1, 2)):
    r"""A robot stands at one of two doors. At door 1 a step costs {{ door_cost }}, and leads to door 2 with
    probability ${{ door_chance }}$; otherwise it stays. At door 2 it may go on, which costs {{ door_cost }} and leads
    out with probability ${{ door_chance }}$, and else back to door 1; or it may wait for a guide, who costs $x$ and
    leads out with certainty.

    (a) Write the Bellman equation.

    (b) For which $x$ is it optimal to wait for the guide?

    (c) Are all stationary policies proper?

    (d) A third action at door 1, "rest", costs 0 and stays. How many solutions has the equation now?
    """
    return [door_cost / door_chance, door_cost / door_chance**2]


@exercise(
    "5.x2",
    "the bound of Banach's theorem",
    "the width of MacQueen's bracket",
    "the upper end of the bracket, less the iterate",
    rubric={
        "(a) $\\gamma / (1 - \\gamma)$ is {{ sweep_discount / (1 - sweep_discount) }}, and the largest change is "
        "{{ [sweep_fall, sweep_rise] | max }}. So the bound is {{ answer[0] }}.": 2,
        "(b) The bracket is {{ answer[1] }} wide, and its upper end is {{ answer[2] }} above the iterate.": 3,
        "(c) All changes, $TV - V$, become smaller by $(1 - \\gamma)\\, c$. So the bound of Banach's theorem "
        "changes. The bracket keeps its width, which is made of the difference of two changes.": 2,
    },
)
def one_sweep(*, sweep_discount=Fraction(9, 10), sweep_fall=20, sweep_rise=10):
    r"""A process of costs has the discount ${{ sweep_discount }}$. In one sweep of value iteration the values change by
    at least $-{{ sweep_fall }}$ and at most ${{ sweep_rise }}$, and both occur.

    (a) How far is the new iterate from the value at most, by the bound of Banach's theorem?

    (b) How wide is MacQueen's bracket, and how far above the new iterate is its upper end?

    (c) Before the sweep, a constant $c$ is added to all values. Which of the two numbers, the bound in (a) and the
    width in (b), depends on $c$, and why?
    """
    still_to_come = sweep_discount / (1 - sweep_discount)
    return [still_to_come * most for most in (max(sweep_fall, sweep_rise), sweep_fall + sweep_rise, sweep_rise)]


@exercise(
    "5.x3",
    "V(1, 0)",
    "the change in the third sweep",
    "the error after it",
    "V(0, 0)",
    rubric={
        "(a) $V(1, 0) = 1 + {{ slow_tails }}\\, V(1, 0)$, so it is {{ answer[0] }}.": 2,
        "(b) The iterates are 1, {{ 1 + slow_tails }} and {{ 1 + slow_tails + slow_tails ** 2 }}. The change is "
        "{{ answer[1] }}, and the error {{ answer[2] }}, which is ${{ slow_tails / (1 - slow_tails) }}$ times the "
        "change.": 3,
        "(c) To hold needs {{ 2 * answer[0] }} turns, and to roll {{ answer[0] ** 2 }}. "
        "So $V(0, 0)$ = {{ answer[3] }}.": 2,
    },
)
def slow_coin(*, slow_tails=Fraction(3, 4)):
    r"""A coin busts with probability ${{ slow_tails }}$ and scores 1 otherwise. You want 2 points in as few turns as
    possible, on average.

    (a) Find $V(1, 0)$, where one point is missing.

    (b) Value iteration begins with $V_0 = 0$. At the state $(1, 0)$, how large are the change in the third sweep, and
    the error after it? What is the ratio of the two?

    (c) At the start, do you hold after the first head? Find $V(0, 0)$.
    """
    return [coin_turns(1, slow_tails), slow_tails**2, slow_tails**3 / (1 - slow_tails), coin_turns(2, slow_tails)]
