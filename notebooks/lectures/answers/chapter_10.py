"""Judging a policy: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction
from functools import cache

import numpy as np
from scipy.stats import binom, norm

from collection import textbook
from collection.course.exercises import PIG, exercise

VARIES = {  # beside them shop_order and shop_lost, as in chapter 2
    "you_need": [4, 5],
    "match_wins": range(71, 79),
    "match_games": [110, 120, 130, 140],
    "interval_errors": [1.28, 1.44, 1.64, 1.88, 2.05, 2.33, 2.58, 2.81],
    "printed_share": [0.561, 0.572, 0.583, 0.594, 0.614, 0.623, 0.637, 0.641],
    "printed_games": [1600, 1800, 2000, 3000, 3600, 4000],
    "variance_factor": [0.2, 0.3, 0.4, 0.6, 0.7, 0.8],
    "duel_heads": [Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4), Fraction(2, 5), Fraction(3, 5)],
    "worn_loss": range(6, 19, 3),  # more than 3/4 of any rollout_price, so that the rollout replaces
    "rollout_price": range(2, 8),
    "program_wins": [515, 520, 525, 535, 540, 545],
    "shown_edge": [0.01, 0.02, 0.04, 0.05],
    "swift_chance": [Fraction(2, 3), Fraction(3, 4), Fraction(3, 5), Fraction(4, 5)],
    "slow_chance": [Fraction(1, 3), Fraction(1, 4), Fraction(2, 5), Fraction(1, 5)],
}


@cache
def turn(hold, die):
    """The probabilities of the points of a turn that holds at `hold`; 0 is a bust."""
    law = np.eye(1, 150)[0]
    for k in range(hold):
        reached, law[k] = law[k], 0
        law[[0, *range(k + 1, k + len(die))]] += reached * np.array(die, dtype=float)
    return law


def with_the_move(one, other):
    """The probability to win with the move, by (2), from the probabilities of both players that a turn fails."""
    return (1 - one) / (1 - one * other)


@exercise(
    "10.1",
    "the probability to win",
    wrong={
        "That is the probability to win in this turn. After a bust the opponent can bust, too.": (
            lambda die, you_need: 1 - turn(you_need, tuple(die))[0]
        ),
        "That is the probability if every roll that scores were enough.": lambda die, you_need: 1 / (1 + die[0]),
        "That is your opponent's probability to win with the move.": (
            lambda die, you_need: with_the_move(turn(2, tuple(die))[0], turn(you_need, tuple(die))[0])
        ),
    },
)
def roll_until_won(*, die=PIG, you_need=3):
    """With your die, if you need your you_need points; your opponent needs 2."""
    return with_the_move(turn(you_need, tuple(die))[0], turn(2, tuple(die))[0])


@exercise(
    "10.2",
    "the standard error",
    "the number of games",
    decimals=4,
    wrong={
        "That is the standard deviation of a single game.": (
            lambda match_wins, match_games: [binom.std(1, match_wins / match_games), None]
        ),
        "That is the standard deviation of the number of wins. The standard error is that of their share.": (
            lambda match_wins, match_games: [binom.std(match_games, match_wins / match_games), None]
        ),
        "Twice as many games divide the standard error by √2 only.": (
            lambda match_wins, match_games: [None, 2 * match_games]
        ),
        "So many games are to be added. How many are there then in all?": (
            lambda match_wins, match_games: [None, 3 * match_games]
        ),
    },
)
def few_games(*, match_wins=53, match_games=100):
    """If you win your match_wins of your match_games games."""
    return [binom.std(match_games, match_wins / match_games) / match_games, 4 * match_games]


def moves(hold, target, die):
    """The matrix of a turn, by the scores below the target before and after it; N points are missing."""
    return np.array([np.pad(turn(min(hold, N), die)[:N], (target - N, 0)) for N in range(target, 0, -1)])


def over_rounds(X, P, Q):
    """The expected sum of X over the rounds to come; P and Q are the moves of the first and of the second player."""
    while P.max() * Q.max() > 1e-20:  # the sum of Pⁿ X Qⁿ, by doubling the number of rounds
        X, P, Q = X + P @ X @ Q.T, P @ P, Q @ Q
    return X


@cache
def match(hold_1, hold_2, target, die):
    """The expected turns of both players, and the first player's probability to win with the move, by their scores."""
    P, Q = moves(hold_1, target, die), moves(hold_2, target, die)
    first = over_rounds(np.ones((target, target)), P, Q)  # turns; the second player has P @ first
    return first + P @ first, first - P @ first  # the winner has the last turn


@exercise(
    "10.3",
    calls=[[25, 20, 60], [20, 25, 100], [10, 8, 20]],
    wrong={
        "That counts the turns of the first player alone.": (
            lambda hold_1, hold_2, target, die: np.add(*match(hold_1, hold_2, target, tuple(die)))[0, 0] / 2
        ),
        "That counts the turns of the second player alone.": (
            lambda hold_1, hold_2, target, die: np.subtract(*match(hold_1, hold_2, target, tuple(die)))[0, 0] / 2
        ),
    },
)
def turns_mean(hold_1, hold_2, target, *, die=PIG):
    """With your die."""
    return match(hold_1, hold_2, target, tuple(die))[0][0, 0]


@exercise(
    "10.4",
    calls=[[0.5, 100], [0.02, 100], [0.01, 1000]],
    wrong={
        "That is the coverage of the interval with the standard error at the share of wins.": (
            lambda p, n, interval_errors: wilson_coverage(p, n, np.arange(n + 1) / n, interval_errors=interval_errors)
        ),
        "That is the probability by the normal distribution. The number of wins is binomial.": (
            lambda p, n, interval_errors: 1 - 2 * norm.sf(interval_errors)
        ),
        "That is the probability that the interval does not contain p.": (
            lambda p, n, interval_errors: 1 - wilson_coverage(p, n, interval_errors=interval_errors)
        ),
    },
)
def wilson_coverage(p, n, shares=None, *, interval_errors=1.96):  # shares: at which the standard error is taken, or p
    """With your interval_errors in place of 1.96."""
    return binom.pmf(np.arange(n + 1), n, p) @ (  # the probability that the number of wins is so near to its mean
        abs(np.arange(n + 1) - n * p) <= interval_errors * binom.std(n, p if shares is None else shares)
    )


@exercise(
    "10.5",
    "the factor",
    decimals=4,
    wrong={
        "That is by what the variance is multiplied. It falls by the factor one over it.": (
            lambda die, target: 1 / exchanged(die=die, target=target)
        ),
        "That is the first player's probability to win, from which η follows.": (
            lambda die, target: match(20, 20, target, tuple(die))[1][0, 0]
        ),
        "That is 1/η: the variance of a single game depends on η, too.": (
            lambda die, target: 2 * exchanged(die=die, target=target) - 1
        ),
    },
)
def exchanged(*, die=PIG, target=100):
    """With your die, for a race to your target."""
    return 0.5 + 0.5 / (2 * match(20, 20, target, tuple(die))[1][0, 0] - 1)


@exercise(
    "10.6",
    "the factor",
    wrong={
        "That is the factor of one turn. The probability falls by the factor that is asked for every two turns.": (
            lambda die: turn(25, tuple(die))[0]
        ),
        "That is the factor at the end of the race, where each roll that scores wins. Where is a race slowest?": (
            lambda die: die[0] ** 2
        ),
    },
)
def tail(*, die=PIG):
    """With your die."""
    return turn(25, tuple(die))[0] ** 2


@exercise(
    "10.7",
    "the standard deviation of Y",
    decimals=5,
    wrong={
        "That is the variance. The standard deviation is its root.": (
            lambda die, target: adjusted_deviation(die=die, target=target) ** 2
        ),
        "That subtracts the whole change of V in a turn. Its luck is what exceeds the mean under the policies that "
        "play.": lambda die, target: 0,
        "That is the standard deviation of the result itself.": (
            lambda die, target: binom.std(1, match(22, 20, target, tuple(die))[1][0, 0])
        ),
    },
)
def adjusted_deviation(*, die=PIG, target=100):
    """With your die, for a race to your target."""
    played, other = moves(22, target, tuple(die)), moves(20, target, tuple(die))
    W = match(22, 20, target, tuple(die))[1] - match(25, 20, target, tuple(die))[1]
    # A round adds the Bellman error of V to Y. W is the mean of all that is still added, and each round changes it.
    return (over_rounds(W**2 - (played @ W @ other.T) ** 2, played, other) - W**2)[0, 0] ** 0.5


def cost_of(process, policy):
    """The costs of a policy, by the state."""
    return textbook.policy_iteration(
        textbook.DecisionProcess({s: {action: process.actions[s][action]} for s, action in policy.items()})
    )[0]


@exercise(
    "10.8",
    "the cost from an empty stock",
    decimals=4,
    wrong={
        "That is the cost of the rule itself.": (
            lambda shop_order, shop_lost: cost_of(
                textbook.inventory(order=shop_order, lost=shop_lost), {s: max(3 - s, 0) for s in range(7)}
            )[0]
        ),
        "That is the least cost of all policies. A rollout is only one step of policy iteration.": (
            lambda shop_order, shop_lost: textbook.policy_iteration(
                textbook.inventory(order=shop_order, lost=shop_lost)
            )[0][0]
        ),
    },
)
def rollout_in_the_shop(*, shop_order=4, shop_lost=8):
    """With your shop_order as the fixed cost of an order, and your shop_lost as that of a lost customer."""
    shop = textbook.inventory(order=shop_order, lost=shop_lost)
    V = cost_of(shop, {s: max(3 - s, 0) for s in range(7)})
    return cost_of(
        shop,
        {
            s: min(of, key=lambda n, of=of: of[n][0] + sum(p * V[after] for after, p in of[n][1].items()))
            for s, of in shop.actions.items()
        },
    )[0]


@exercise(
    "10.h1",
    "the standard error",
    "the number of games",
    decimals=4,
    wrong={
        "That is the standard deviation of a single game.": (
            lambda printed_share, printed_games: [binom.std(1, printed_share), None]
        ),
        "So many games are enough for every p. Use the same estimate of p.": (
            lambda printed_share, printed_games: [None, 250_000]
        ),
        "That is not rounded up to thousands.": lambda printed_share, printed_games: [
            None,
            round(binom.var(10**6, printed_share)),
        ],
        "That divides the standard error by the number of games. It falls with the root of their number.": (
            lambda printed_share, printed_games: [binom.std(1, printed_share) / printed_games, None]
        ),
    },
)
def printed(*, printed_share=0.532, printed_games=2500):
    """If a simulation of your printed_games games prints your printed_share."""
    return [binom.std(printed_games, printed_share) / printed_games, 1000 * np.ceil(binom.var(1000, printed_share))]


@exercise(
    "10.h2",
    decimals=0,
    calls=[[0.01, 0.025, 0.2], [0.005, 0.025, 0.1], [0.02, 0.01, 0.05]],
    wrong={
        "That puts the line at the edge itself. Then an edge that exists is missed half of the time.": (
            lambda delta, false_alarm, miss, variance_factor: games_needed(
                delta, false_alarm, 0.5, variance_factor=variance_factor
            )
        ),
        "That divides the false alarm between two sides. Here it is on one side.": (
            lambda delta, false_alarm, miss, variance_factor: games_needed(
                delta, false_alarm / 2, miss, variance_factor=variance_factor
            )
        ),
        "That takes 1 for the standard deviation of a game. That of a game between equals is 1/2.": (
            lambda delta, false_alarm, miss, variance_factor: games_needed(
                delta / 2, false_alarm, miss, variance_factor=variance_factor
            )
        ),
    },
)
def games_needed(delta, false_alarm, miss, *, variance_factor=1):
    """If the variance of a mean is your variance_factor times that of as many independent games."""
    return np.ceil(variance_factor * ((norm.isf(false_alarm) + norm.isf(miss)) / (2 * delta)) ** 2)


@exercise(
    "10.h3",
    decimals=4,
    calls=[[25, 20], [20, 25], [20, 10], [21, 20]],
    wrong={
        "That is the factor of common random numbers, for the difference of the two results.": (
            lambda n, m, die: 1 / (1 - (1 - 1 / control_factor(n, m, die=die)) ** 0.5)
        ),
        "That is by what the variance is multiplied. It falls by the factor one over it.": (
            lambda n, m, die: 1 / control_factor(n, m, die=die)
        ),
        "That is the factor for the standard deviation. The variance is asked for.": (
            lambda n, m, die: control_factor(n, m, die=die) ** 0.5
        ),
    },
)
def control_factor(n, m, *, die=PIG):
    """With your die."""
    short, long = sorted([n, m])
    chances, *points = np.transpose(
        [  # of the two turns; the longer one goes on where the shorter one held
            (p * q, first, first if first >= long or not first else (first + more) * (more > 0))
            for first, p in enumerate(turn(short, tuple(die)))
            for more, q in enumerate(turn(max(long - first, 1), tuple(die)))
            if p * q
        ]
    )
    covariances = np.cov(points, aweights=chances)
    return covariances.diagonal().prod() / np.linalg.det(covariances)  # 1/(1 - ρ²)


@exercise(
    "10.h4",
    "the probability that player 1 wins",
    wrong={
        "That is the probability if player 1 moves second.": (
            lambda duel_heads: (1 - duel_heads**2) * one_at_a_time(duel_heads=duel_heads)
        ),
        "That is the probability if player 1 never holds, too.": lambda duel_heads: 1 / (2 - duel_heads**2),
        "That is the probability if player 1 has a point already.": lambda duel_heads: with_the_move(
            1 - duel_heads, 1 - duel_heads**2
        ),
    },
)
def one_at_a_time(*, duel_heads=Fraction(1, 2)):
    """With your duel_heads as the probability of heads."""
    return (1 - duel_heads**2) * with_the_move(1 - duel_heads, 1 - duel_heads**2) ** 2  # two points, one by one


@exercise(
    "10.x1",
    "the rule's cost of a worn machine",
    "the rule's cost of a good machine",
    "the cost to replace a worn machine once",
    "the rollout's cost of a worn machine",
    "the rollout's cost of a good machine",
    rubric={
        "(a) $V(w) = {{ worn_loss }} + V(w)/2$, so $V(w)$ = {{ answer[0] }}; and $V(g) = [V(g)/2 + V(w)/2]/2$, so "
        "$V(g)$ = {{ answer[1] }}.": 2,
        "(b) With a worn machine, keeping costs {{ answer[0] }}, and replacing {{ rollout_price }} + $V(g)$ = "
        "{{ answer[2] }}. So the rollout replaces a worn machine.": 3,
        "(c) $V(w) = {{ rollout_price }} + V(g)$ and $V(g) = [V(g) + V(w)]/4$, so $V(w)$ = {{ answer[3] }} and $V(g)$ "
        "= {{ answer[4] }}: less than the rule's costs in both states.": 3,
    },
)
def worn_machine(*, worn_loss=6, rollout_price=4):
    """A machine is good or worn. A day with a worn machine costs {{ worn_loss }}, with a good one nothing. If you keep
    a good machine, it is worn the next day with probability 1/2. A worn one stays worn. Replacing a worn machine costs
    {{ rollout_price }}, and it is good from that day on. The discount is 1/2. The rule is to keep always.

    (a) Compute the rule's costs.

    (b) Find its one-step rollout.

    (c) Judge the rollout exactly.
    """
    return [
        2 * worn_loss,
        Fraction(2 * worn_loss, 3),
        rollout_price + Fraction(2 * worn_loss, 3),
        Fraction(3 * rollout_price, 2),
        Fraction(rollout_price, 2),
    ]


@exercise(
    "10.x2",
    "the standard error",
    "the standard errors above one half",
    "the number of games",
    decimals=4,
    rubric={
        "(a) {{ answer[0] | round(4) }}, the root of {{ program_wins / 1000 }} · "
        "{{ (1000 - program_wins) / 1000 }}/1000.": 2,
        "(b) {{ answer[1] | round(1) }} standard errors. {% if answer[1] > 1.96 %}Above the line of 1.96: between "
        "equals the line is passed with probability 1/40 only.{% else %}A hint, below the line of 1.96: equals reach "
        "it too often.{% endif %}": 2,
        "(c) 2/{{ shown_edge }}² = {{ answer[2] | round | int }}, about.": 1,
    },
)
def program(*, program_wins=530, shown_edge=0.03):
    """A program wins {{ program_wins }} of 1,000 games.

    (a) Give the estimated standard error, to 4 decimals.

    (b) By how many standard errors is its share of wins above one half? Does this show that the program is better
    than its opponent?

    (c) About how many games would show an edge of {{ shown_edge }}?
    """
    return [
        binom.std(1000, program_wins / 1000) / 1000,
        (program_wins - 500) / binom.std(1000, program_wins / 1000),
        2 / shown_edge**2,
    ]


@exercise(
    "10.x3",
    "Ana's probability with the first move",
    "Ben's probability with the first move",
    "Ana's share of wins",
    "the expected number of turns",
    rubric={
        "(a) $V_1 + {{ 1 - swift_chance }}\\, V_2 = 1$ and ${{ 1 - slow_chance }}\\, V_1 + V_2 = 1$, so $V_1$ = "
        "{{ answer[0] }} and $V_2$ = {{ answer[1] }}.": 3,
        "(b) $(V_1 + 1 - V_2)/2$ = {{ answer[2] }}.": 2,
        "(c) {{ answer[3] }}, from $m_1 = 1 + {{ 1 - swift_chance }}\\, m_2$ and $m_2 = 1 + "
        "{{ 1 - slow_chance }}\\, m_1$.": 3,
    },
)
def one_point_each(*, swift_chance=Fraction(1, 2), slow_chance=Fraction(1, 3)):
    r"""Ana and Ben need one more point each. In each of her turns Ana wins with probability ${{ swift_chance }}$, and
    in each of his turns Ben wins with probability ${{ slow_chance }}$. Otherwise the other one is about to move.

    (a) Let $V_1$ and $V_2$ be the probabilities of Ana and of Ben to win if they are about to move. Write the two
    equations, and solve them.

    (b) Lots are drawn for the first move. What is Ana's share of wins?

    (c) Ana is about to move. How many turns of both players does the game take on average?
    """
    ends = 1 - (1 - swift_chance) * (1 - slow_chance)  # the probability that a turn of both ends the game
    return [
        swift_chance / ends,
        slow_chance / ends,
        (1 + (swift_chance - slow_chance) / ends) / 2,
        (2 - swift_chance) / ends,
    ]
