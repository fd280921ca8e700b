"""Approximation, policy gradients, actor and critic: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction

import numpy as np
from scipy.special import expit

from collection import textbook
from collection.course.exercises import PIG, coin, exercise

VARIES = {
    "arm_pays": range(5, 13),
    "arm_share": [Fraction(*each) for each in ((1, 3), (2, 3), (1, 4), (3, 4), (1, 5), (2, 5), (3, 5), (4, 5))],
    "feature_of_b": range(3, 8),  # at 8 equal weights are safe for γ = 9/10
    "fitted_start": range(1, 10),
    "lasting_wear": [Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), Fraction(4, 5)],  # in whole days on average
    "lasting_cost": range(2, 9),
    "served_price": range(6, 14),
    "trace_weight": [n / 20 for n in (3, 5, 7, 9, 11, 13, 15)],
    "triad_bust": [Fraction(*each) for each in ((1, 5), (1, 7), (1, 8), (2, 7), (2, 9), (2, 11), (3, 10), (3, 8))],
    "triad_weight": range(2, 10),
}


def factor(go_on, weight=1, c=2):
    """The factor of a projected Bellman step with the features 1 and c, where B has `weight` times the weight of A."""
    return go_on * (c + weight * c**2) / (1 + weight * c**2)


@exercise(
    "12.1",
    "the factor with equal weights",
    "the factor with the visits as weights",
    wrong={
        "The first number is the factor 1 − p₀ of the Bellman operator. The projection changes it.": (
            lambda triad_bust: [1 - triad_bust, None]
        ),
        "The second number gives A the weight of B, and B that of A.": (
            lambda triad_bust: [None, factor(1 - triad_bust, triad_bust / (1 - triad_bust))]
        ),
        "The factor has the probability to go on in it, not that of a bust.": (
            lambda triad_bust: [factor(triad_bust), None]
        ),
    },
)
def two_factors(*, triad_bust=Fraction(1, 4)):
    """With your triad_bust as $p_0$."""
    return [factor(1 - triad_bust), factor(1 - triad_bust, (1 - triad_bust) / triad_bust)]


@exercise(
    "12.3",
    calls=[
        [[[0, 0.9], [0, 0.9]], [1, 1], [[1], [2]], [1, 1], 3],
        [[[0, 0.9], [0, 0.9]], [1, 1], [[1], [2]], [0.1, 0.9], 50],
        [[[0.2, 0.5, 0.1], [0, 0.3, 0.6], [0.1, 0.2, 0.3]], [1, 2, 0], [[1, 0], [1, 1], [1, 2]], [1, 2, 3], 7],
    ],
    wrong={
        "That is one step fewer.": lambda P, costs, X, weights, sweeps, fitted_start: fitted(
            P, costs, X, weights, sweeps - 1, fitted_start=fitted_start
        ),
        "That gives all states the same weight.": lambda P, costs, X, weights, sweeps, fitted_start: fitted(
            P, costs, X, np.ones(len(P)), sweeps, fitted_start=fitted_start
        ),
        "That has the squares of the weights. Each weight stands before a square once.": (
            lambda P, costs, X, weights, sweeps, fitted_start: fitted(
                P, costs, X, np.square(weights), sweeps, fitted_start=fitted_start
            )
        ),
    },
)
def fitted(P, costs, X, weights, sweeps, *, fitted_start=0):
    """Begin with your fitted_start in every component of θ."""
    P, X, root = np.array(P), np.array(X), np.sqrt(weights)
    theta = np.full(X.shape[1], float(fitted_start))
    for _ in range(sweeps):
        theta = np.linalg.lstsq(root[:, None] * X, root * (costs + P @ X @ theta))[0]
    return theta


def soft_turn(die, theta, unit=1, lots_at_0=False, last=200):
    """The points J of a turn with a soft threshold, with the features 1 and k/unit, and the gradient of J."""
    chances, k = np.array(die, dtype=float), np.arange(last)
    roll = np.where((k == 0) & (not lots_at_0), 1, expit(theta[0] + theta[1] * k / unit))
    V, Q, visits = np.arange(last + len(die), dtype=float), np.zeros(last), np.eye(last + len(die))[0]
    for s in reversed(k):
        Q[s] = chances[1:] @ V[s + 1 : s + len(die)]
        V[s] = roll[s] * Q[s] + (1 - roll[s]) * s
    for s in k:
        visits[s + 1 : s + len(die)] += visits[s] * roll[s] * chances[1:]
    gradient = visits[:last] * roll * (1 - roll) * (Q - k)
    return [V[0], gradient.sum(), gradient @ k / unit]


@exercise(
    "12.5",
    "J",
    "∂J/∂θ₁",
    "∂J/∂θ₂",
    calls=[[0, 0], [2, -1], [-1, 0.3]],
    wrong={
        "That draws lots at 0, too. A turn begins with a roll.": (
            lambda theta1, theta2, tails: soft_turn(coin(tails), (theta1, theta2), lots_at_0=True)
        ),
        "That takes k/10 as the second feature, as the chapter does. Here it is k.": (
            lambda theta1, theta2, tails: soft_turn(coin(tails), (theta1, theta2), unit=10)
        ),
    },
)
def coin_gradient(theta1, theta2, *, tails=Fraction(1, 2)):
    """With your tails as the probability of tails."""
    return soft_turn(coin(tails), (theta1, theta2))


def td_fit(P, costs, X, start, weight=0, visits=None):
    """The fixed point (6) of TD(λ) with λ = `weight`; the start is a distribution."""
    P, X, unit = np.array(P), np.array(X), np.eye(len(P))
    mu = np.linalg.solve(unit - P.T, start) if visits is None else visits
    returns = np.linalg.inv(unit - weight * P)
    onward = (1 - weight) * P @ returns
    return np.linalg.solve((X.T * mu) @ (unit - onward) @ X, (X.T * mu) @ returns @ costs)


def queue(limit, price):
    """The moves, the costs, and the features 1 and n, if one admits with fewer than `limit` customers."""
    process = textbook.admission(price=price)
    names, costs, moves = process.matrices()
    policy = ["admit" if n < limit else "reject" for n, _ in process.actions]
    action = [names.index(policy[s] if state[1] else "wait") for s, state in enumerate(process.actions)]
    P = [moves[a].toarray()[s] for s, a in enumerate(action)]
    return P, [costs[a, s] for s, a in enumerate(action)], [[1, n] for n, _ in process.actions]


EVENLY = np.full(18, 1 / 18)  # over the states of the queue


@exercise(
    "12.7",
    "θ of the constant",
    "θ of n",
    calls=[[1], [2], [4], [8]],
    wrong={
        "This is the best fit (3). The fixed point (5) of temporal differences is another one.": (
            lambda limit, served_price: td_fit(*queue(limit, served_price), EVENLY, weight=1)
        ),
        "These weights are uniform. The start is, but the weights are the expected visits from it.": (
            lambda limit, served_price: td_fit(*queue(limit, served_price), EVENLY, visits=EVENLY)
        ),
        "That starts with an empty queue and nobody at the door.": (
            lambda limit, served_price: td_fit(*queue(limit, served_price), np.eye(18)[0])
        ),
    },
)
def queue_fit(limit, *, served_price=5):
    """With your served_price as what a customer pays: `textbook.admission(price=served_price)`."""
    return td_fit(*queue(limit, served_price), EVENLY)


@exercise(
    "12.h1",
    "c",
    "the largest bust probability",
    wrong={
        "The second number is the smallest probability to go on. The bust has the rest.": (
            lambda triad_weight: [None, 1 - largest_factor(triad_weight=triad_weight)[1]]
        ),
        "The derivative is zero at this c, too. But its factor is the smallest.": (
            lambda triad_weight: [1 - (1 + 1 / triad_weight) ** 0.5, None]
        ),
        "The second number is for the features 1 and 2. Another c has a larger factor.": (
            lambda triad_weight: [None, 1 - 1 / factor(1, triad_weight)]
        ),
    },
)
def largest_factor(*, triad_weight=1):
    """Give B your triad_weight as its weight, and A the weight 1, in place of equal weights."""
    c = 1 + (1 + 1 / triad_weight) ** 0.5  # the derivative has the numerator 1 + 2wc − wc², for the weight w
    return [c, 1 - 1 / factor(1, triad_weight, c)]


@exercise(
    "12.h2",
    calls=[
        [[[0, 0.9], [0, 0.9]], [1, 1], [[1], [2]], 0],
        [[[0.2, 0.5, 0.1], [0, 0.3, 0.6], [0.1, 0.2, 0.3]], [1, 2, 0], [[1, 0], [1, 1], [1, 2]], 0],
        [
            [[0, 0.5, 0.5, 0], [0, 0, 0.5, 0.5], [0, 0, 0, 0.8], [0.1, 0, 0, 0]],
            [1, 1, 2, 3],
            [[1, 3], [1, 2], [1, 1], [1, 0]],
            0,
        ],
    ],
    wrong={
        "This is the best fit (3). Temporal differences have another fixed point.": (
            lambda P, costs, X, start, trace_weight: td_fit(P, costs, X, np.eye(len(P))[start], weight=1)
        ),
        "That gives all states the same weight. The weights are the expected visits.": (
            lambda P, costs, X, start, trace_weight: td_fit(P, costs, X, None, trace_weight, np.ones(len(P)))
        ),
        "Your visits follow the moves backward: their equation has the transpose of P.": (
            lambda P, costs, X, start, trace_weight: td_fit(
                P, costs, X, None, trace_weight, np.linalg.inv(np.eye(len(P)) - P)[:, start]
            )
        ),
    },
)
def td_fixed_point(P, costs, X, start, *, trace_weight=0):
    """With your trace_weight as λ: the solution of (6), which is that of (5) for λ = 0."""
    return td_fit(P, costs, X, np.eye(len(P))[start], trace_weight)


@exercise(
    "12.h3",
    "J",
    "∂J/∂θ₁",
    "∂J/∂θ₂",
    wrong={
        "That takes k as the second feature. In (9) it is k/10.": lambda die: soft_turn(die, (8, -4)),
        "The last number is a derivative by the coefficient of k, and θ₂ is that of k/10.": (
            lambda die: [None, None, 10 * soft_turn(die, (8, -4), unit=10)[2]]
        ),
        "That draws lots at 0, too. A turn begins with a roll.": (
            lambda die: soft_turn(die, (8, -4), unit=10, lots_at_0=True)
        ),
    },
)
def soft_threshold(*, die=PIG):
    """With your die in place of Pig's."""
    return soft_turn(die, (8, -4), unit=10)


@exercise(
    "12.x1",
    "the value of new",
    "the value of worn",
    "the visits of worn",
    "the best fit",
    "the fixed point of TD(0)",
    rubric={
        "(a) $V(\\text{worn}) = {{ lasting_cost }} + {{ lasting_wear }}\\, V(\\text{worn})$ = {{ answer[1] }}, and "
        "$V(\\text{new}) = 1 + V(\\text{worn})$ = {{ answer[0] }}. One visit of new, {{ answer[2] }} of worn.": 3,
        "(b) The mean of the values with the visits as weights: {{ answer[3] }}.": 2,
        "(c) {{ answer[4] }}: by Lemma 1 the constant is exact at the start.": 2,
        "(c) By (5): $D(I - P)\\mathbf 1$ is 0 at new and 1 at worn, so θ is the sum of the visits times the costs, "
        "$1 + {{ answer[2] }} \\cdot {{ lasting_cost }}$.": 1,
    },
)
def worn_machine(*, lasting_wear=Fraction(1, 2), lasting_cost=3):
    """A machine is new, then worn. From new it always becomes worn; from worn it stays worn with probability
    {{ lasting_wear }}, else the process ends. A day costs 1 if it is new and {{ lasting_cost }} if it is worn. The
    only feature is a constant.

    (a) Compute both values and the expected visits from a new machine.

    (b) What is the best fit with these visits as weights?

    (c) At which value does TD(0) end? Give a reason without a computation, too.
    """
    days = 1 / (1 - lasting_wear)
    worn = days * lasting_cost
    return [1 + worn, worn, days, (1 + worn + days * worn) / (1 + days), 1 + worn]


@exercise(
    "12.x2",
    "the factor, divided by γ",
    "the largest discount that is safe",
    "the factor for γ = 9/10 with the visits as weights",
    rubric={
        "(a) Minimise $(\\theta' - {{ feature_of_b }}\\gamma\\theta)^2 + ({{ feature_of_b }}\\theta' - "
        "{{ feature_of_b }}\\gamma\\theta)^2$: the factor is {{ answer[0] }} γ.": 3,
        "(b) It diverges for γ > {{ answer[1] }}.": 2,
        "(c) The visits of A and B are 1 and 9: the factor is {{ answer[2] }} < 1. With equal weights it is "
        "{{ answer[0] * 9 / 10 }} > 1. The weights are those of the policy, so one of the deadly triad is missing.": 3,
    },
)
def other_feature(*, feature_of_b=3):
    """In the example with two states take the features $x(A) = 1$ and $x(B) = {{ feature_of_b }}$, and the discount γ.

    (a) Let the weights be equal. By which factor does a projected Bellman step change θ?

    (b) For which γ does it diverge?

    (c) Let γ = 9/10. By which factor does a step change θ if the weights are the visits, from A on? Why is this better?
    """
    growth = factor(Fraction(1), c=feature_of_b)
    return [growth, 1 / growth, factor(Fraction(9, 10), 9, feature_of_b)]


@exercise(
    "12.x3",
    "J",
    "the derivative of J",
    "the variance without a baseline",
    "the best baseline",
    rubric={
        "(a) $J = \\pi \\cdot {{ arm_pays }} + (1 - \\pi) \\cdot 2$ = {{ answer[0] }}, and $J' = \\pi (1 - \\pi) "
        "({{ arm_pays }} - 2)$ = {{ answer[1] }}.": 3,
        "(b) $G\\,Z$ is ${{ arm_pays }}\\,(1 - \\pi)$ for the first arm and $-2\\,\\pi$ for the second. The mean is "
        "$J'$, and the variance is {{ answer[2] }}.": 3,
        "(c) $b = (1 - \\pi) \\cdot {{ arm_pays }} + \\pi \\cdot 2$ = {{ answer[3] }}, where both arms give the same "
        "estimate and the variance is 0. It isn't $J$.": 3,
    },
)
def two_arms(*, arm_pays=8, arm_share=Fraction(1, 4)):
    r"""A machine has two arms. The first always pays {{ arm_pays }}, and the second always 2; nobody has told the
    learner. The policy pulls the first arm with probability $\pi = 1/(1 + e^{-\theta})$. At present
    $\pi = {{ arm_share }}$. A round is one pull.

    (a) Find the expected pay $J$ of a round, and its derivative by θ.

    (b) REINFORCE plays one round, without a baseline. Which two values can its estimate of the derivative have? Find
    the mean and the variance.

    (c) Which constant baseline makes the variance smallest, and how large is it then? Is this baseline $J$?
    """
    p, best = arm_share, (1 - arm_share) * arm_pays + arm_share * 2
    return [p * arm_pays + (1 - p) * 2, p * (1 - p) * (arm_pays - 2), p * (1 - p) * best**2, best]
