"""Policy iteration: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction

import numpy as np

from collection import textbook
from collection.course.exercises import PIG, exercise

VARIES = {  # beside them machine_wear and shop_lost, as in chapter 2
    "first_tails": [Fraction(*each) for each in ((1, 4), (1, 3), (3, 8), (3, 7), (4, 7), (3, 5), (5, 8), (2, 3))],
    "worn_day": [4, 5, 7, 8, 10, 11],  # the cost of a day with a worn machine; multiples of 3 would be easier
    "value_error": [Fraction(n, 20) for n in (1, 3, 4, 5, 6, 7, 8, 9)],
    "greedy_discount": [Fraction(3, 4), Fraction(4, 5), Fraction(9, 10), Fraction(7, 8)],
    "newton_tails": [Fraction(*each) for each in ((4, 7), (3, 5), (5, 8), (2, 3), (5, 7), (3, 4))],  # above 1/2
}


@exercise(
    "6.1",
    "the turns of holding after the first heads",
    "the turns of rolling on",
    "p with a tie",
    wrong={
        "The first number is the expected number of turns for one point, and two are needed.": (
            lambda first_tails: [1 / (1 - first_tails), None, None]
        ),
        "The second number has heads twice in a row with the probability of tails twice in a row.": (
            lambda first_tails: [None, 1 / first_tails**2, None]
        ),
        "At this p, heads comes twice in a row as often as not. Set the two numbers of turns equal.": (
            lambda first_tails: [None, None, 1 - 0.5**0.5]
        ),
    },
)
def two_policies(*, first_tails=Fraction(2, 5)):
    """With your first_tails as the bust probability."""
    heads = 1 - first_tails
    return [2 / heads, 1 / heads**2, Fraction(1, 2)]  # a tie if 2 · heads = 1


@exercise(
    "6.2",
    "V(new) without replacement",
    "V(worn) without replacement",
    "V(new) with replacement",
    "V(worn) with replacement",
    "the price with a tie",
    wrong={
        "The third number has a new machine one day later. It is there at once, so that V(worn) = 1 + V(new), without "
        "a discount.": lambda machine_wear: [None, None, 0.9 * machine_wear / (0.1 + 0.09 * machine_wear), None, None],
        "The first number has the discount 0.9 on the worn branch alone. A new machine that stays new goes on, too.": (
            lambda machine_wear: [9, None, None, None, None]
        ),
        "The price has a new machine one day later. It is there at once: q + V(new) = V(worn).": (
            lambda machine_wear: [*[None] * 4, 10 - 0.9 * never_replaced(machine_wear)]
        ),
    },
)
def small_machine(*, machine_wear=Fraction(1, 2)):
    """With your machine_wear as the probability that a new machine wears in a day."""
    never = never_replaced(machine_wear)
    replaced = 9 * machine_wear  # V = 0.9 V + 0.9 · wear · 1: each wear costs 1, and then the machine is new
    return [never, 10, replaced, replaced + 1, 10 - never]


def never_replaced(wear):
    """The value of a new machine, from V = 0.9 (1 − wear) V + 0.9 · wear · 10."""
    return 9 * wear / (1 - 0.9 * (1 - wear))


def action_costs(actions, V):
    """What each action costs, and V afterwards."""
    return [cost + sum(p * V[after] for after, p in moves.items()) for cost, moves in actions.values()]


def greedy_shop(order, sweeps, shop_lost):
    """By stock: the values after so many sweeps, those of the policy that is greedy against them, and the best."""
    shop = textbook.inventory(order=order, lost=shop_lost)
    V = dict.fromkeys(shop.actions, 0)
    for _ in range(sweeps):
        V = {stock: min(action_costs(actions, V)) for stock, actions in shop.actions.items()}
    greedy = {  # the smallest order of several
        stock: {"": actions[np.argmin(action_costs(actions, V))]} for stock, actions in shop.actions.items()
    }
    followed, _, _ = textbook.policy_iteration(textbook.DecisionProcess(greedy))
    best, _, _ = textbook.policy_iteration(shop)
    return [np.array([*values.values()]) for values in (V, followed, best)]


def error(order, sweeps, shop_lost):
    """The largest error of the values."""
    V, _, best = greedy_shop(order, sweeps, shop_lost)
    return abs(V - best).max()


@exercise(
    "6.4",
    calls=[[4, 0], [4, 1], [8, 1], [8, 2], [12, 2], [12, 3]],
    wrong={
        "That is the error of the values. Asked is what the greedy policy loses.": error,
        "That is the bound (4). Asked is what the greedy policy loses.": (
            lambda order, sweeps, shop_lost: 38 * error(order, sweeps, shop_lost)
        ),
        "That is the loss after one sweep more. After 0 sweeps the values are 0.": (
            lambda order, sweeps, shop_lost: loss(order, sweeps + 1, shop_lost=shop_lost)
        ),
    },
)
def loss(order, sweeps, *, shop_lost=8):
    """With your shop_lost as the cost of a lost customer."""
    _, followed, best = greedy_shop(order, sweeps, shop_lost)
    return max(followed - best)


def held_at_once(N, chances):
    """The turns of the policy that holds after every roll that scores, by score; 0 from N points on."""
    V = np.zeros(N + len(chances) - 1)
    for score in reversed(range(N)):
        V[score] = (1 + chances[1:] @ V[score + 1 : score + len(chances)]) / (1 - chances[0])
    return V


def hold_and_roll(V, chances):
    """What a hold and a roll cost, and V afterwards. In V a row is a score, and a column a score plus a turn total."""
    N = len(V)
    scored = sum(p * V[:, face : N + face] for face, p in enumerate(chances) if face)
    roll = np.eye(N) + chances[0] * V.diagonal()[:, None] + scored  # the first roll of a turn costs 1
    hold = np.tile(V.diagonal(), (N, 1))
    np.fill_diagonal(hold, np.inf)  # not at once
    return hold, roll


def rounds_of(N, m, rounds, die, start=held_at_once):
    """V(0, 0) after some rounds of modified policy iteration."""
    chances = np.array(die, dtype=float)
    V = np.tile(start(N, chances), (N, 1))
    for _ in range(rounds):
        hold, roll = hold_and_roll(V, chances)
        holds = hold <= roll
        for _ in range(m + 1):  # the first of these sweeps is the improvement
            V[:, :N] = np.where(holds, *hold_and_roll(V, chances))
    return V[0, 0]


@exercise(
    "6.h1",
    calls=[[20, 3, 4], [30, 5, 6], [30, 0, 12]],
    wrong={
        "That begins with V = 0. Begin with the value of the policy that holds after every roll that scores.": (
            lambda N, m, rounds, die: rounds_of(
                N, m, rounds, die, start=lambda N, chances: np.zeros(N + len(chances) - 1)
            )
        ),
        "That is the value after one round less.": lambda N, m, rounds, die: rounds_of(N, m, rounds - 1, die),
        "That counts the improvement as one of the m sweeps. The m sweeps come after it.": (
            lambda N, m, rounds, die: rounds_of(N, m - 1, rounds, die) if m else None
        ),
    },
)
def modified(N, m, rounds, *, die=PIG):
    """With your die in place of Pig's."""
    return rounds_of(N, m, rounds, die)


@exercise(
    "6.x1",
    "V(new), never replaced",
    "V(worn), never replaced",
    "the limit of the price",
    "V(new), replaced",
    "V(worn), replaced",
    "the deviation",
    rubric={
        "(a) $V(\\text{worn}) = {{ worn_day }} / (1 - \\frac45)$ = {{ answer[1] }}, and $V(\\text{new}) = "
        "\\frac25 V(\\text{new}) + \\frac25 V(\\text{worn})$, so $V(\\text{new})$ = {{ answer[0] }}.": 2,
        "(b) To replace a worn machine costs $q + V(\\text{new})$. This is less than $V(\\text{worn})$ for $q$ < "
        "{{ answer[2] }}.": 2,
        "(c) $V(\\text{worn}) = {{ worn_day + 1 }} + V(\\text{new})$ and the equation for new of (a) give "
        "$V(\\text{new})$ = {{ answer[3] }} and $V(\\text{worn})$ = {{ answer[4] }}.": 2,
        "(c) The deviation is $d(\\text{worn}) = {{ worn_day + 1 }} + V(\\text{new}) - V(\\text{worn})$ with the "
        "values of (a), which is {{ answer[5] }}. From worn there are $\\mu = 1 + \\frac25 \\mu + \\frac25 \\nu$ "
        "visits to worn and $\\nu = \\frac25 \\mu + \\frac25 \\nu$ to new under the new policy, so $\\mu = 3$. Three "
        "times the deviation is {{ answer[4] - answer[1] }} = {{ answer[4] }} − {{ answer[1] }}.": 2,
    },
)
def improved_machine(*, worn_day=2):
    r"""A machine is new or worn. New, a day costs nothing, and the machine wears with probability $\frac12$. Worn, a
    day costs {{ worn_day }}. The discount is $\frac45$. A new machine costs $q$, is there at once, and wears on its
    first day, too, with probability $\frac12$.

    (a) Evaluate *never replace*.

    (b) For which $q$ does policy iteration change this policy?

    (c) Let $q$ = {{ worn_day + 1 }}. Evaluate the improved policy. Then confirm the performance difference lemma at the
    start with a worn machine.
    """
    q, worn = worn_day + 1, 5 * Fraction(worn_day)
    new = Fraction(2, 3) * worn  # from V = 2/5 V + 2/5 · worn
    return [new, worn, worn - new, 2 * q, 3 * q, q + new - worn]  # V = 2/5 V + 2/5 (q + V), so V = 2q


@exercise(
    "6.x2",
    "the largest loss",
    "the colleague's largest loss",
    "the bound for the colleague's values",
    rubric={
        "(a) At most $2 \\gamma \\varepsilon / (1 - \\gamma)$ = {{ answer[0] }}.": 2,
        "(b) A constant adds the same to every action of every state, and changes no comparison. It is the same "
        "policy, which loses at most {{ answer[1] }}.": 2,
        "(c) The error may be 1000 more, so that the bound is {{ answer[2] }}. It looks only at the size of the error, "
        "and not at its form.": 2,
    },
)
def constant_error(*, value_error=Fraction(1, 10), greedy_discount=Fraction(9, 10)):
    r"""You have values $V$ with $|V - V^*| \le$ {{ value_error }} in every state, and the discount is
    {{ greedy_discount }}.

    (a) How much can a policy lose that is greedy against $V$?

    (b) Your colleague adds 1000 to every value. Under every action every state goes on with a probability of exactly
    {{ greedy_discount }}. How much does the colleague's greedy policy lose at most?

    (c) What does the bound of the chapter say for the colleague's values? Why is it so much larger?
    """
    factor = 2 * greedy_discount / (1 - greedy_discount)
    return [factor * value_error, factor * value_error, factor * (1000 + value_error)]


@exercise(
    "6.x3",
    "the x of the kink",
    "the first iterate",
    "the second iterate",
    "the slope",
    rubric={
        "(a) A roll brings tails and $x$ more turns, or heads. After heads a hold needs $1/(1 - p)$ more turns, and a "
        "roll $p\\,x$. They are equal at $x$ = {{ answer[0] }}.": 3,
        "(b) At 0 the piece of rolling on counts. Its line $1 + p\\,x + (1 - p)\\,p\\,x$ meets the diagonal at "
        "{{ answer[1] }}, beyond the kink. There the piece of holding counts, and $2 + p\\,x$ meets the diagonal at "
        "{{ answer[2] }}. This is beyond the kink, too, and the solution.": 3,
        "(c) {{ answer[3] }}. It is the probability that the turn banks nothing under the optimal policy, which holds "
        "after the first heads.": 2,
    },
)
def newton_by_hand(*, newton_tails=Fraction(3, 5)):
    r"""A coin shows tails, which is a bust, with probability $p$ = {{ newton_tails }}; heads scores 1 point. You need 2
    points in as few turns as possible. Let $\varphi(x)$ be the least expected number of turns from 0 points on, if a
    bust costs $x$ more turns.

    (a) Why is $\varphi(x) = 1 + p\,x + (1 - p) \min\{\frac{1}{1 - p},\, p\,x\}$? At which $x$ does it have a kink?

    (b) Newton's method for $x = \varphi(x)$ begins at 0. Find all its iterates.

    (c) What is the slope of $\varphi$ at the solution, and what does it mean?
    """
    p, heads = newton_tails, 1 - newton_tails
    return [1 / (p * heads), 1 / heads**2, 2 / heads, p]
