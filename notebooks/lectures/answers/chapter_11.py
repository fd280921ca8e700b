"""Learning without the rules: the answers to the exercises, and wrong answers to expect."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise
from statistics import mean

import dicelab as dl
from collection.course.exercises import exercise
from dicelab_extras import learning

VARIES = {
    "table_start": [0.35, 0.36, 0.38, 0.4, 0.42, 0.44, 0.45, 0.46, 0.48],  # above 1/3, where ties change the third game
    "constant_step": [0.02, 0.04, 0.06, 0.08, 0.1, 0.12],
    "target_variance": [0.16, 0.18, 0.2, 0.22, 0.24],
    "exploring_rolls": [0.2, 0.3, 0.4, 0.6, 0.7, 0.8],
    "log_discount": [0.7, 0.75, 0.8, 0.85, 0.9, 0.95],
    "seen_heads": range(1, 4),
    "seen_tails": range(1, 4),
    "learner_tails": [Fraction(*each) for each in ((1, 3), (1, 4), (2, 5), (3, 5), (2, 7), (3, 7), (4, 7), (3, 8))],
    "step_power": [0.55, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9],
    "updates_made": range(500, 1000, 50),
    "later_toss": [Fraction(*each) for each in ((1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (9, 10))],
    "logged_keep": range(3, 12, 2),
    "logged_replace": range(2, 11, 2),  # another number than any logged_keep
    "worse_entry": [Fraction(n, 10) for n in (2, 3, 4)],
    "better_entry": [Fraction(n, 10) for n in (6, 7, 8)],
    "passed_entry": [Fraction(n, 20) for n in (7, 9, 11, 13)],
    "update_number": range(3, 7),
}


@exercise(
    "11.1",
    "Q(1, 1, 0; roll)",
    "Q(0, 1, 1; hold)",
    "Q(0, 0, 1; hold)",
    wrong={
        "The first number counts the initial value as a target. At the first update of a pair the step is 1, and the "
        "initial value is forgotten.": lambda table_start: [(table_start + 2) / 3, None, None],
        "The second number is the newest target alone. With ω = 1 the entry is the mean of all its targets.": (
            lambda table_start: [None, 0, None]
        ),
        "The second number is the entry after the first game. By the second game the entry of the next state has "
        "changed.": lambda table_start: [None, 1 - table_start, None],
        "The second number does not change the side. A hold passes the dice: the entry of the next state is the "
        "opponent's, and one minus it is ours.": lambda table_start: [None, (1 + table_start) / 2, None],
        "The third number is the share of games won, as in Monte Carlo. The target of Q-learning is an entry of the "
        "next state.": lambda table_start: [None, None, 2 / 3],
    },
)
def three_games(*, table_start=0.5):
    """With your table_start in place of ½ in the table."""
    # Both hold after their first roll, and the first player wins from 1 : 1. In game 3 the second rolls on and wins.
    return [
        1,
        mean([1 - table_start, 0]),  # the entry of the roll at 1 : 1 is the initial one in game 1, and 1 in game 2
        mean([1 - table_start, 1 - table_start, 0.5]),  # the entry of the roll at 0 : 1 is ½ from game 2 on
    ]


@exercise(
    "11.2",
    "the standard deviation",
    wrong={
        "That is the variance. The standard deviation is its root.": (
            lambda constant_step, target_variance: (
                deviation(constant_step=constant_step, target_variance=target_variance) ** 2
            )
        ),
        "That is √(α/2) σ, which is right only for small α. Sum the squares of all weights.": (
            lambda constant_step, target_variance: (target_variance * constant_step / 2) ** 0.5
        ),
        "That is α σ, which is the part of the newest target alone.": (
            lambda constant_step, target_variance: constant_step * target_variance**0.5
        ),
    },
)
def deviation(*, constant_step=0.05, target_variance=0.25):
    """For your constant_step as α, and your target_variance as σ²."""
    return (target_variance * constant_step / (2 - constant_step)) ** 0.5


@exercise(
    "11.3",
    calls=[[0.4, 0.6, 0.1, False], [0.7, 0.2, 0.5, True], [0.5, 0.5, 1.0, False], [0.1, 0.9, 0.0, True]],
    wrong={
        "With probability ε the player draws lots between both actions. The better one may come out, too.": (
            lambda hold, roll, epsilon, passed, exploring_rolls: side(
                (1 - epsilon) * max(hold, roll) + epsilon * min(hold, roll), passed
            )
        ),
        "If the dice were passed, the entries are the opponent's. One minus them is ours.": (
            lambda hold, roll, epsilon, passed, exploring_rolls: expected_target(
                hold, roll, epsilon, False, exploring_rolls=exploring_rolls
            )
        ),
        "That is the target of Q-learning, which supposes that from now on nobody explores.": (
            lambda hold, roll, epsilon, passed, exploring_rolls: side(max(hold, roll), passed)
        ),
    },
)
def expected_target(hold, roll, epsilon, passed, *, exploring_rolls=0.5):
    """If a player who explores rolls with your exploring_rolls as the probability, and holds otherwise."""
    explores = exploring_rolls * roll + (1 - exploring_rolls) * hold
    return side((1 - epsilon) * max(hold, roll) + epsilon * explores, passed)


def side(value, passed):
    """The value to the player who has moved."""
    return 1 - value if passed else value


def steps(text):
    """A log: in each state 0, 1, … one may hold, h, for two points a step, or roll, r, which may bust, b."""
    return [
        [int(s), int(move != "h"), 2 * int(s) * (move == "h"), int(s) + 1 if move == "r" else -1]
        for s, move in text.split()
    ]


SHORT = steps("0r 1r 2b 0h 0h 0h 0b 0h 0h 0h 0h 0r")
LONG = steps(
    "0r 1h 0h 0r 1r 2r 3b 0r 1r 2h 0h 0h 0h 0r 1h 0h 0r 1b 0b 0r 1h 0h 0r 1h 0h 0r 1h 0h 0h 0r "
    "1h 0b 0h 0h 0h 0r 1h 0b 0r 1h 0r 1h 0h 0h 0r 1r 2h 0b 0h 0r 1r 2b 0h 0b 0h 0r 1r 2h 0h 0h"
)


def table(log, omega, log_discount, *, sarsa=False, start=0.0, late=0):
    """The table after a log: of Q-learning, or of Sarsa; from other entries; or with the steps of later updates."""
    Q, updates = {state: [start, start] for state in sorted({state for state, *_ in log})}, Counter()
    for (state, action, G, after), (_, next_action, *_) in pairwise([*log, log[0]]):
        if after >= 0:
            entries = Q.get(after, [start, start])
            G += log_discount * (entries[next_action] if sarsa else max(entries))
        updates[state, action] += 1
        Q[state][action] += (updates[state, action] + late) ** -omega * (G - Q[state][action])
    return [[state, *entries] for state, entries in Q.items()]


@exercise(
    "11.4",
    "the state",
    "hold",
    "roll",
    calls=[
        [[[1, 0, 2, -1], [1, 0, 4, -1], [0, 1, 0, 1], [1, 1, 1, -1]], 1],
        [[[0, 1, 2, -1], [0, 1, 4, -1]], 1],
        [SHORT, 0.6],
        [LONG, 0.8],
    ],
    wrong={
        "The step does not fall. At the n-th update of a pair it is n to the power −ω.": (
            lambda log, omega, log_discount: table(log, 0, log_discount)
        ),
        "The first step is too small. At the first update of a pair n is 1, and so is the step.": (
            lambda log, omega, log_discount: table(log, omega, log_discount, late=1)
        ),
        "This target has the action that the log takes next. Q-learning takes the largest entry, whatever is done "
        "then.": lambda log, omega, log_discount: table(log, omega, log_discount, sarsa=True),
        "The table begins with 0, not with ½.": (
            lambda log, omega, log_discount: table(log, omega, log_discount, start=0.5)
        ),
    },
)
def learn_from_log(log, omega, *, log_discount=1):
    """With your log_discount: it multiplies the largest entry of the next state in the target."""
    return table(log, omega, log_discount)


@cache
def heads(left, h, f, k, g, best=False):
    """The heads in the tosses that are left, of a greedy or of the best player, after h, k heads and f, g tails."""
    if not left:
        return 0
    p, q = (1 + h) / (2 + h + f), (1 + k) / (2 + k + g)
    first = p * (1 + heads(left - 1, h + 1, f, k, g, best)) + (1 - p) * heads(left - 1, h, f + 1, k, g, best)
    second = q * (1 + heads(left - 1, h, f, k + 1, g, best)) + (1 - q) * heads(left - 1, h, f, k, g + 1, best)
    return max(first, second) if best else first if p >= q else second


@exercise(
    "11.8",
    calls=[[2], [5], [10], [20]],
    wrong={
        "This is the optimum. The greedy player looks at the next toss alone.": (
            lambda tosses, seen_heads, seen_tails: heads(tosses, 0, 0, seen_heads, seen_tails, best=True)
        ),
        "This player tosses one and the same coin all the time. The greedy player looks at the means before each "
        "toss.": lambda tosses, seen_heads, seen_tails: (
            tosses * max(0.5, (1 + seen_heads) / (2 + seen_heads + seen_tails))
        ),
    },
)
def greedy_heads(tosses, *, seen_heads=0, seen_tails=0):
    """If the second coin has shown your seen_heads heads and your seen_tails tails before the first toss."""
    return heads(tosses, 0, 0, seen_heads, seen_tails)


@exercise(
    "11.h1",
    "V(0, 0)",
    wrong={
        "That is the value if both play as well as they can.": (
            lambda learner_tails: learning.action_values(piglet(learner_tails))[0, 0, 0, 1]
        ),
        "That is the value if only half of the actions are random.": (
            lambda learner_tails: learning.action_values(piglet(learner_tails), 0.5)[0, 0, 0, 1]
        ),
        "That is the value if both players hold after each heads.": (
            lambda learner_tails: dl.evaluate(piglet(learner_tails), 1, 1).first_wins
        ),
        "That is the value if nobody holds before the target.": (
            lambda learner_tails: dl.evaluate(piglet(learner_tails), 3, 3).first_wins
        ),
    },
)
def at_random(*, learner_tails=Fraction(1, 2)):
    """With your learner_tails as the probability of tails."""
    return learning.action_values(piglet(learner_tails), 1)[0, 0, 0, 1]


def piglet(tails):
    """Piglet to 3."""
    return dl.generalized_pig([tails, 1 - tails], 3)


@exercise(
    "11.h2",
    "the state",
    "hold",
    "roll",
    calls=[[[[0, 1, 0, 1], [1, 0, 4, -1], [0, 1, 0, 1], [1, 1, 0, -1]], 1], [SHORT[:11], 0.6], [LONG, 0.8]],
    wrong={
        "This target has the largest entry of the next state, as in Q-learning.": (
            lambda log, omega, log_discount: table(log, omega, log_discount)
        ),
        "The step does not fall. At the n-th update of a pair it is n to the power −ω.": (
            lambda log, omega, log_discount: table(log, 0, log_discount, sarsa=True)
        ),
        "The table begins with 0, not with ½.": (
            lambda log, omega, log_discount: table(log, omega, log_discount, sarsa=True, start=0.5)
        ),
    },
)
def sarsa_from_log(log, omega, *, log_discount=1):
    """With your log_discount: it multiplies the entry of the next state in the target."""
    return table(log, omega, log_discount, sarsa=True)


def variance(omega, updates):
    """The variance of an entry, if the targets have the variance 1."""
    V = 0.0
    for n in range(1, updates + 1):
        V = (1 - n**-omega) ** 2 * V + n ** (-2 * omega)
    return V


@exercise(
    "11.h3",
    "the variance for the smaller ω",
    "the variance for ω = 1",
    wrong={
        "The first number is that of the long run with the last step held constant, α/(2 − α).": (
            lambda step_power, updates_made: [1 / (2 * updates_made**step_power - 1), None]
        ),
        "These are the standard deviations. The variances are asked for.": (
            lambda step_power, updates_made: [variance(step_power, updates_made) ** 0.5, updates_made**-0.5]
        ),
        "These are the parts of the newest target alone.": (
            lambda step_power, updates_made: [updates_made ** (-2 * step_power), updates_made**-2]
        ),
    },
)
def two_variances(*, step_power=0.6, updates_made=1000):
    """After your updates_made updates, for your step_power as the smaller ω."""
    return [variance(step_power, updates_made), 1 / updates_made]


@exercise(
    "11.x1",
    "the heads in two tosses",
    "the value of the other coin",
    "the value of the first coin",
    "the regret",
    rubric={
        "(a) {{ answer[0] }}. The first toss brings ½. After heads (probability ½) toss the same coin again, with ⅔; "
        "after tails toss the other, with ½: $\\frac12 + {{ later_toss }} \\cdot \\left(\\frac12 \\cdot \\frac23 + "
        "\\frac12 \\cdot \\frac12\\right)$.": 4,
        "(b) The other coin. It brings $\\frac12 + {{ later_toss }} \\cdot \\left(\\frac12 \\cdot \\frac23 + \\frac12 "
        "\\cdot \\frac13\\right)$ = {{ answer[1] }}: after heads you toss it again, and after tails both coins have "
        "the mean ⅓. The first coin brings $\\frac13 + {{ later_toss }} \\cdot \\frac12$ = {{ answer[2] }}, as the "
        "best mean afterwards is ½ in either case.": 2,
        "(c) $\\frac23 \\cdot \\left(1 + {{ later_toss }}\\right)$ less {{ answer[0] }}: {{ answer[3] }}.": 2,
    },
)
def two_tosses(*, later_toss=Fraction(1)):
    r"""You may toss two coins, one at a time, whose probabilities of heads are unknown, independent and uniform on
    $[0, 1]$. Heads pays 1 in the first of the tosses that are left, and ${{ later_toss }}$ in the second.

    (a) What is the largest expected payoff of two tosses, and with which policy?

    (b) One coin was tossed before, and showed tails. Two tosses are left. Which coin do you toss next? Give the largest
    expected payoff if you begin with the other coin, and if you begin with this one.

    (c) What is the least expected regret of two tosses, if nothing was tossed before? The larger of two uniform numbers
    is $\frac23$ on average.
    """
    most = Fraction(1, 2) + later_toss * Fraction(7, 12)
    return [
        most,
        (1 + later_toss) / 2,
        Fraction(1, 3) + later_toss / 2,
        Fraction(2, 3) * (1 + later_toss) - most,
    ]


@exercise(
    "11.x2",
    "Q(1, keep)",
    "Q(0, keep) after the second update",
    "Q(1, replace)",
    "Q(0, keep) after the fourth update",
    "the greedy action",
    rubric={
        "First: ${{ logged_keep }} + \\frac12 \\min(0, 0)$, so Q(1, keep) = {{ answer[0] }}.": 1,
        "Second: $\\frac12 \\min({{ logged_keep }}, 0) = 0$, so Q(0, keep) = 0.": 1,
        "Third: ${{ logged_replace }} + \\frac12 \\min(0, 0)$, so Q(1, replace) = {{ answer[2] }}.": 1,
        "Fourth: the target is $\\frac12 \\min({{ logged_keep }}, {{ logged_replace }})$. It is the second of this "
        "pair, so the step is ½, and Q(0, keep) = {{ answer[3] }}.": 2,
        "Greedy in state 1: {{ answer[4] }}.": 1,
    },
)
def machine_log(*, logged_keep=4, logged_replace=2):
    r"""A machine has the states 0 (new) and 1 (worn), and the actions keep and replace. Q-learning with $\omega = 1$
    begins with a table of 0, for costs that are to be least, with the discount $\frac12$. It sees (state, action, cost,
    next state): (1, keep, {{ logged_keep }}, 1), (0, keep, 0, 1), (1, replace, {{ logged_replace }}, 0),
    (0, keep, 0, 1).

    (a) Write down the entry that changes, or stays, in each update.

    (b) Which action is greedy in state 1?
    """
    return [
        logged_keep,
        0,
        logged_replace,
        Fraction(min(logged_keep, logged_replace), 4),
        "keep" if logged_keep < logged_replace else "replace",
    ]


@exercise(
    "11.x3",
    "Monte Carlo",
    "Sarsa",
    "Q-learning",
    "Q(s', hold)",
    "the target of expected Sarsa",
    rubric={
        "(a) The targets are 1, {{ worse_entry }} and {{ better_entry }}. The step is 1/{{ update_number }}, so the "
        "new entries are {{ answer[0] }}, {{ answer[1] }} and {{ answer[2] }}.": 3,
        "(b) The target is 1 − {{ passed_entry }} for both, because a turn begins with a roll: the largest entry is "
        "that of the action taken. The new entry is {{ answer[3] }}.": 3,
        "(c) $\\frac45 \\cdot {{ better_entry }} + \\frac1{10} \\cdot ({{ worse_entry }} + {{ better_entry }})$ = "
        "{{ answer[4] }}. It is the mean of Sarsa's target, without the noise of the next action.": 2,
    },
)
def one_step_each(
    *, worse_entry=Fraction(3, 10), better_entry=Fraction(7, 10), passed_entry=Fraction(9, 20), update_number=4
):
    r"""A learner plays both sides. In a state $s$ the player rolls and scores. The next state $s'$ has the entries
    $Q(s', \text{hold}) = {{ worse_entry }}$ and $Q(s', \text{roll}) = {{ better_entry }}$. There the player explores,
    and holds. That passes the dice to a state $s''$ with $Q(s'', \text{roll}) = {{ passed_entry }}$, where a turn
    begins. In the end the player who rolled in $s$ wins. Before, $Q(s, \text{roll}) = \frac12$. All steps are
    $\frac1n$, and each of the two pairs $(s, \text{roll})$ and $(s', \text{hold})$ is updated for the time number
    $n = {{ update_number }}$.

    (a) Which is the new entry $Q(s, \text{roll})$ of Monte Carlo control, of Sarsa and of Q-learning?

    (b) Which is the new entry $Q(s', \text{hold})$ of Sarsa, and of Q-learning?

    (c) Find the target of expected Sarsa for $Q(s, \text{roll})$ with $\varepsilon = \frac15$. What is its advantage
    over that of Sarsa?
    """
    return [
        *(moved(Fraction(1, 2), G, update_number) for G in (1, worse_entry, better_entry)),
        moved(worse_entry, 1 - passed_entry, update_number),
        Fraction(9, 10) * better_entry + worse_entry / 10,  # with ε/2 the worse one
    ]


def moved(entry, G, n):
    """An entry after its n-th update, with the target G."""
    return entry + (G - entry) / n
