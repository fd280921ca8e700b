"""Occupancy by the other linear program, that of values and a price, and by the package."""

import numpy as np
from scipy.optimize import brentq, linprog

import dicelab as dl
from collection import textbook


def roll(state, action):
    """A use of 1 for each roll."""
    return action == "roll"


def dual(process, limit, use=roll):
    """The largest V(start) − limit·q with V feasible if a use costs q; this price q; and the visits."""
    states, _, costs, moves = process.arrays()
    pairs = [(state, name) for state, actions in process.actions.items() for name in actions]
    found = linprog(
        [-1, *np.zeros(moves.shape[1] - 1), limit],
        A_ub=np.hstack(
            [
                np.eye(moves.shape[1])[states] - moves.toarray(),
                [[-float(use(*pair))] for pair in pairs],
            ]
        ),
        b_ub=costs,
        bounds=[(None, None)] * moves.shape[1] + [(0, None)],
    )
    return -found.fun, found.x[-1], dict(zip(pairs, -found.ineqlin.marginals, strict=True))


def race(N, die):
    """The race for the fewest turns; a state is the score and the turn total."""
    return textbook.DecisionProcess(
        {
            (i, k): {
                "roll": (
                    k == 0,
                    {(i, 0): die[0]}
                    | {(i, k + d): p for d, p in enumerate(die) if d and p and i + k + d < N},
                ),
                **({"hold": (0, {(i + k, 0): 1})} if k else {}),
            }
            for i in range(N)
            for k in range(N - i)
        }
    )


def lots(process, limit, action, use=roll):
    """The first coordinate of the state with lots, the probability of the action there, the price, and the cost."""
    cost, price, mu = dual(process, limit, use)
    taken = {
        s: [mu[s, each] for each in names] for s, names in process.actions.items() if len(names) > 1
    }
    drawn = max(taken, key=lambda state: min(taken[state]))
    return [drawn[0], mu[drawn, action] / sum(taken[drawn]), price, cost]


def reached(N, n, die):
    """Forwards, turn by turn; a turn that busts is played again."""
    die, chance = np.array(die, dtype=float), np.eye(1, N + len(die))[0]
    for i in range(N):
        hold = min(n, N - i)
        law = np.eye(1, hold + len(die))[0]  # of the turn totals
        for k in range(hold):
            law[k + 1 : k + len(die)] += law[k] * die[1:]
        chance[i + hold : i + hold + len(die)] += chance[i] * law[hold:] / law[hold:].sum()
    return chance[:N]


def turns_of(process, mu, order):
    """The turns of a player who takes the actions of μ, and where it draws lots the one that is last in the order."""
    chosen = {
        s: {a: process.actions[s][a]}
        for s in process.actions
        for a in order
        if mu.get((s, a), 0) > 1e-9
    }
    return dual(textbook.DecisionProcess(chosen), 10**3)[0]


def one_lot(lots_target, die):
    """The weight from the turns: those of the best policy with lots lie between those of the two without."""
    process, free = race(lots_target, die), dual(race(lots_target, die), 10**3)[2]
    fewest = dl.evaluate(
        dl.generalized_pig(die, lots_target), 1
    ).turns_mean  # rolls, with a hold after each
    turns, _, mu = dual(process, (fewest + sum(free[pair] * roll(*pair) for pair in free)) / 2)
    hold, roll_on = (turns_of(process, mu, order) for order in (("roll", "hold"), ("hold", "roll")))
    return (turns - hold) / (roll_on - hold)


def coin(toss_bust, limit, use=roll):
    """The turns, the probability to roll, and the price, of the coin race to 2."""
    return np.take(lots(race(2, [toss_bust, 1 - toss_bust]), limit, "roll", use), [3, 1, 2])


def machine(wear, discount, keep):
    """The discounted days that begin with a new and with a worn machine, which is kept with a probability."""
    P = np.array(
        [[1 - wear, wear], [(1 - keep) * (1 - wear), keep + (1 - keep) * wear]], dtype=float
    )
    return np.linalg.solve(np.eye(2) - float(discount) * P.T, [1, 0])


def few_machines(visit_wear, visit_discount):
    """The days of both policies, and the probability to replace with which there is one replacement on average."""
    replace = brentq(
        lambda q: q * machine(visit_wear, visit_discount, 1 - q)[1] - 1, 0, 1, xtol=1e-14
    )
    return [
        *machine(visit_wear, visit_discount, 1),
        *machine(visit_wear, visit_discount, 0),
        replace,
    ]


WAYS = {
    "7.1": lambda toss_bust: [*dual(race(2, [toss_bust, 1 - toss_bust]), 10**3)[2].values()][:2],
    "7.2": lambda visit_wear, visit_discount: machine(visit_wear, visit_discount, 0),
    "7.3": reached,
    "7.4": lambda N, L, die: dual(
        race(N, die), L, lambda s, action: roll(s, action) * die[0] * s[1]
    )[0],
    "7.5": one_lot,
    "7.6": lambda queue_limit: lots(
        textbook.admission(wait=0),
        20 * float(queue_limit),
        "admit",
        lambda s, action: s[0] + (action == "admit"),
    )[:3],
    "7.h1": lambda toss_bust, toss_limit: coin(toss_bust, toss_limit),
    "7.h2": lambda N, R, price_bust: dual(race(N, [price_bust, 0, *[(1 - price_bust) / 5] * 5]), R)[
        1
    ],
    "7.x1": few_machines,
    # π costs 1 from s; the action costs 1/visits − gain and comes back to s with the probability 1 − 1/visits
    "7.x2": lambda reduced_gain, reduced_visits: (
        1 - (1 / reduced_visits - reduced_gain) / (1 / reduced_visits)
    ),
    "7.x3": lambda toss_bust, loss_limit: coin(
        toss_bust, loss_limit, lambda s, action: roll(s, action) * toss_bust * s[1]
    ),
}
