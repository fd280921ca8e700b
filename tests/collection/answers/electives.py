"""The electives' exercises by a second way: that of the solutions, or the package.

A number alone stands where the answer is the program of the solutions: it is what the course had before it.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, erf, log, log2, prod

import numpy as np
from scipy.optimize import brentq, linprog
from scipy.stats import binom, chi2, norm

import dicelab as dl
from collection import papers, textbook
from dicelab_extras import proofs

TURN = textbook.score_process(dl.ten_thousand(), 56)


def pig(bust, target=100, sides=5):
    """A race with a die whose faces from 2 on are equally likely."""
    return dl.generalized_pig([bust, 0, *[(1 - bust) / sides] * sides], target)


def wins(game, one, two):
    """What a player wins beyond one half, if lots decide who begins."""
    return (dl.evaluate(game, one, two).first_wins - dl.evaluate(game, two, one).first_wins) / 2


def exploitability(game, policy):
    """What the best response wins beyond one half."""
    return wins(game, dl.best_response(game, policy).policy, policy)


def sure_of_the_friend():
    """Exercise 14.10."""
    best = dl.solve(dl.pig(100))
    trap = dl.best_response(best.game, dl.hold_at(20)).policy
    gain = wins(best.game, trap, dl.hold_at(20)) - wins(best.game, best.policy, dl.hold_at(20))
    return [gain / (gain + lost) for lost in (exploitability(best.game, trap), dl.loss(best, trap))]


def hog():
    """Homework 14.h3: player 1 may take any number of dice, or one number in all stages."""
    game = textbook.simultaneous_hog(10, sides=3)
    V, _ = textbook.solve_stochastic(game)
    value, dice = max(
        (textbook.solve_stochastic(textbook.StochasticGame(stages))[0][0, 0], dice)
        for dice in (1, 2, 3)
        for stages in [
            {
                s: {pair: now[pair] for pair in now if pair[0] == dice}
                for s, now in game.stages.items()
            }
        ]
    )
    return [sum(game.matrix(s, V).min(axis=1).max() < V[s] - 1e-9 for s in V), dice, -value]


def three_doubles():
    """Exercise 16.6: a mode for each number of doubles in a row."""
    return dl.solve(
        dl.Game(
            "Three doubles",
            100,
            tuple(
                dl.Mode(
                    str(doubles),
                    tuple(
                        dl.Outcome(
                            o.probability,
                            "bust"
                            if is_double and doubles == 2
                            else dl.Choice(o.choices[0].points, str((doubles + 1) * is_double))
                            if o.choices
                            else o.result,
                        )
                        for o in dl.double_trouble(100).modes[0].outcomes
                        for is_double in [bool(o.choices) and o.choices[0].mode == "forced"]
                    ),
                )
                for doubles in (0, 1, 2)
            ),
        )
    ).value


def number_of_rolls():
    """Homework 17.h3: the optimal policy of a turn, and a cost of 1 for each roll."""
    _, policy, _ = textbook.policy_iteration(TURN)
    return textbook.policy_iteration(
        textbook.DecisionProcess(
            {
                s: {policy[s]: (policy[s] == "roll", actions[policy[s]][1])}
                for s, actions in TURN.actions.items()
            }
        )
    )[0][0, 0, "5 dice"]


WAYS = {
    "13.1": lambda: [
        (1 + 3) / (2 + 12),
        max(range(1, 60), key=lambda k: k * prod((10 + j) / (14 + j) for j in range(k))),
    ],
    "13.2": lambda b, rolls: (
        1 / (1 + (1 / b - 1) * prod(1 / 2 if face == 1 else 5 / 4 for face in rolls))
    ),
    "13.4": lambda values, p, rho: (
        linprog(
            [*values, *np.zeros(len(p))],  # a distribution, and bounds for its distances from p
            A_ub=np.vstack(
                [np.kron([[1, -1], [-1, -1]], np.eye(len(p))), np.repeat([[0, 1]], len(p), axis=1)]
            ),
            b_ub=[*p, *np.negative(p), rho],
            A_eq=np.repeat([[1, 0]], len(p), axis=1),
            b_eq=1,
        ).fun
    ),
    "13.5": lambda alpha, beta: {2: 2.3299011, 3: 2.0788976, 4: 2 / 3, 5: 3.60704947}[alpha],
    "13.6": lambda: 0.36050045,
    "13.h1": lambda: [
        len(dl.solve(pig(Fraction(1, 5)), "score", exact=True).values) - 1,
        dl.solve(pig(Fraction(1, 5)), "score").value,
        dl.solve(dl.pig(), "score").value
        - dl.turn_points(dl.pig(), dl.hold_at(16)).pipe(lambda law: law @ law.index),
    ],
    "13.h2": lambda m, *_: {1: 0, 4: 0.5520808, 6: 0, 8: 1.37312734}[m],
    "13.h3": lambda: (  # a state has the turn total and the successes so far
        textbook.policy_iteration(
            textbook.DecisionProcess(
                {
                    (k, n): {"hold": (-k, {})}
                    | (
                        {"roll": (0, {(k + d, n + 1): p / 5 for d in range(2, 7)})}
                        if k < 40 and n < 20
                        else {}
                    )
                    for k, n in product(range(46), range(22))
                    for p in [(5 / 6 + 2 / 3 * 0.8**n) / (1 + 0.8**n)]
                }
            )
        )[0][0, 0]
        + np.mean([dl.solve(pig(Fraction(1, n)), "score").value for n in (3, 6)])
    ),
    "14.1": lambda: dl.best_response(dl.piglet(2), dl.hold_at(1)).values[::-1, ::-1].ravel(),
    "14.2": lambda: [
        number
        for matrix in ([[3, -1], [-2, 1]], [[3, 1], [2, -1]])
        for value, rows, _ in [textbook.matrix_game(matrix)]
        for number in (value, rows[0])
    ],
    "14.5": lambda: [
        np.mean([np.sign(scores[0] - scores[1]) for scores in product(*sides)])
        for pair in ((2, 1), (1, 3), (3, 2))
        for sides in [
            [
                [1 if 1 in roll else sum(roll) for roll in product(range(1, 5), repeat=n)]
                for n in pair
            ]
        ]
    ],
    "14.6": lambda sides, n, target: exploitability(
        pig(Fraction(1, sides), target, sides - 1), dl.hold_at(n)
    ),
    "14.7": lambda a, b, most: {(2, 1): -2 / 3, (2, 3): 0.4, (3, 1): -0.8, (3, 4): 0.29207273}[
        a, b
    ],
    "14.8": lambda: textbook.matrix_game(
        [
            [wins(dl.pig(), dl.hold_at(a), dl.hold_at(b)) for b in (15, 18, 20, 22, 25, 28, 30)]
            for a in (15, 18, 20, 22, 25, 28, 30)
        ]
    )[1],
    "14.10": sure_of_the_friend,
    "14.h1": lambda: (
        dl.best_response(dl.generalized_pig(["1/3", "2/3"], 2), dl.hold_at(1))
        .values[::-1, ::-1]
        .ravel()
    ),
    "14.h2": lambda: np.hstack(textbook.matrix_game([[4, 0], [1, 2], [0, 1]])),
    "14.h3": hog,
    "15.1": lambda: [
        (0.1).as_integer_ratio()[0],
        log2((0.1).as_integer_ratio()[1]),
        *(n for n in (2, 4, 6, 8, 10, 12, 20) if (1 / n).as_integer_ratio() == (1, n)),
    ],
    "15.2": lambda: [  # the distance from 3/5 falls by the factor 4/9
        *(3 / 5 + (4 / 9) ** 3 * (end - 3 / 5) for end in (0, 1)),
        ceil(10 * log(10) / log(9 / 4)),
    ],
    "15.3": lambda: [
        residual * over
        for V in [np.array([13, 15, 17, 17, 17, 17])]
        for _, costs, moves in [textbook.machine_replacement().matrices()]
        for residual in [
            max(abs(V - np.min([c + P @ V for c, P in zip(costs, moves, strict=True)], axis=0)))
        ]
        for over in (1, 1 / (1 - 0.9))
    ],
    "15.5": lambda table, _: {"174/209": 0, "173687/208373": 2, "99/179": 1, "4/11": 1}[
        table[2][1]
    ],
    "15.6": lambda target, _: [
        bounds[0, 0] for bounds in proofs.bounds(dl.solve(dl.piglet(target)))
    ],
    "15.7": lambda: sum(
        any(
            printed
            in {
                correct[:i] + correct[i + 1 : n + 1],
                *(correct[:i] + d + correct[i : n - 1] for d in "0123456789"),
            }
            for i in range(n)
        )
        for printed, correct in papers.errata()[["printed", "correct"]].to_numpy()
        for n in [len(printed)]
        if printed.replace(".", "").isdigit()
    ),
    "15.h1": lambda: [  # the distance from 6/7 falls by the factor 1/36
        *(6 / 7 + (end - 6 / 7) / 36**2 for end in (0, 1)),
        ceil(12 * log(10) / log(36)),
    ],
    "15.h2": lambda: [
        number
        for found in [proofs.certify(replace(dl.solve(dl.pig(40)), policy=dl.hold_at(15)))]
        for number in (found.proven, len(found.refuted))
    ],
    "15.h3": lambda: [
        number
        for value in [dl.solve(dl.generalized_pig(["1/3"] * 3, 8), exact=True).value]
        for number in (value, len(str(value.denominator)))
    ],
    "16.1": lambda: [True, True, False, True, False],  # a question about words
    "16.3": lambda: dl.solve(dl.double_trouble(1)).value,
    "16.5": lambda N, n: (
        dl.solve(
            dl.Game(
                "few rolls",
                N,
                (
                    *(
                        dl.Mode(
                            str(k),
                            (
                                dl.Outcome("1/6", "bust"),
                                *(dl.Outcome("1/6", dl.Choice(d, str(k + 1))) for d in range(2, 7)),
                            ),
                        )
                        for k in range(n)
                    ),
                    dl.Mode(str(n), (dl.Outcome(1, "bust"),)),
                ),
            )
        ).value
    ),
    "16.6": three_doubles,
    "16.h1": lambda: (
        dl.solve(
            dl.Game(
                "a reset",
                2,
                (
                    dl.Mode(
                        "roll",
                        (
                            dl.Outcome("1/2", dl.Choice(1, "roll")),
                            dl.Outcome("1/4", "bust"),
                            dl.Outcome("1/4", "reset"),
                        ),
                    ),
                ),
            )
        ).value
    ),
    "16.h2": lambda: np.polyfit(
        *np.log(
            [
                [
                    abs(x / 10 - 1),
                    dl.loss(
                        true, dl.solve(pig(Fraction(x, 60), 200)).policy.transfer_to(true.game)
                    ),
                ]
                for true in [dl.solve(pig(Fraction(1, 6), 200))]
                for x in (6, 7, 8, 9, 11, 12, 13, 14)
            ]
        ).T,
        1,
    )[0],
    "17.1": lambda: [
        sum(o.probability for o in mode.outcomes if not o.choices)
        for mode in reversed(dl.ten_thousand().modes)
    ],
    "17.2": lambda: [
        ceil(Fraction(1861, 648) / Fraction(17, 108)),
        next(
            k for k, value in enumerate(dl.solve(dl.farkle(), "score").values[:, 2]) if value == k
        ),
    ],
    "17.3": lambda: (
        # to announce is worth no more than to take all that scores
        dl.solve(dl.games.restrict_discards(dl.ten_thousand(), []), "score").value
    ),
    "17.4": lambda n: dl.turn_points(
        dl.games.restrict_discards(dl.ten_thousand(), []), dl.hold_at(n)
    ).pipe(lambda law: law @ law.index),
    "17.5": lambda k: np.subtract(
        *dl.solve(dl.ten_thousand(), "score").values[[k + 1, k + 2], [1, 2]]
    ),
    "17.6": lambda n: min(
        k
        for k, action in textbook.policy_iteration(textbook.secretary(n))[1].items()
        if action == "take"
    ),
    "17.7": lambda: textbook.algorithm_4_2()[0][3, (1, 0, 0), 2],
    "17.8": lambda: sum(
        sign * 10 * dl.solve(game, "score").value
        for farkle in [dl.farkle(five=40, unit=10)]
        for sign, game in ((1, farkle), (-1, dl.games.restrict_discards(farkle, [])))
    ),
    "17.h1": lambda: sum(
        o.probability
        for o in dl.ten_thousand().modes[0].outcomes
        if any(choice.mode == "5 dice" for choice in o.choices)
    ),
    "17.h2": lambda least: (
        -textbook.policy_iteration(
            textbook.DecisionProcess(
                {
                    s: {
                        name: action
                        for name, action in actions.items()
                        if name != "hold" or s[1] >= least
                    }
                    for s, actions in TURN.actions.items()
                }
            )
        )[0][0, 0, "5 dice"]
    ),
    "17.h3": number_of_rolls,
    "18.1": lambda: [
        binom(2500, 0.534).std() / 2500,
        *norm.interval(0.95, 0.534, binom(2500, 0.534).std() / 2500),
    ],
    "18.2": lambda: 0.25 / (1e-8 / 12),
    "18.3": lambda printed, exact, deviation, unit: (
        np.inf
        if sum(np.subtract(printed, exact) ** 2) <= len(printed) * unit**2 / 12
        else np.exp(
            brentq(
                lambda log_games: (
                    sum(
                        np.subtract(printed, exact) ** 2
                        / (np.square(deviation) / np.exp(log_games) + unit**2 / 12)
                    )
                    - len(printed)
                ),
                -10,
                60,
                xtol=1e-13,
            )
        )
        / 1e6
    ),
    "18.4": lambda r, n: np.diff(binom.cdf(range(-1, n + 1), n, 0.5) ** r) @ range(n + 1) / n,
    # 18.5: the sum is a quadratic form, and its variance twice the trace of the square of the matrix
    "18.5": lambda: 2 * np.trace(np.linalg.matrix_power([[1.5, 0.5], [0.5, 1.5]], 2)),
    "18.6": lambda: [
        number
        for p, q in [[sum((r - 1) / (j - 1) for j in range(r, 11)) / 10 for r in (4, 5)]]
        for number in (p, q, (norm.ppf(0.95) / (p - q)) ** 2 * (p * (1 - p) + q * (1 - q)) / 1e6)
    ],
    "18.7": lambda: [
        (norm.ppf(0.95) / np.diff(shares["optimal average"])[0]) ** 2
        * shares[["optimal first", "optimal second"]].map(lambda p: p * (1 - p)).to_numpy().sum()
        / 4e6
        for shares in [papers.optimal_against_hold_at_n(dl.double_trouble(), [18, 22])]
    ],
    "18.h1": lambda: 0.13 / np.hypot(6.2 / 10_000**0.5, 0.01 / 12**0.5),
    "18.h2": lambda m, c: 1 - chi2.cdf(c**2, 1) ** m,
    "18.h3": lambda exact, games, digits: prod(
        (erf((end + half) * scale) - erf((end - half) * scale)) / 2
        for p in exact
        for end, half, scale in [
            (round(p, digits) - p, 0.5 / 10**digits, (games / (2 * p * (1 - p))) ** 0.5)
        ]
    ),
    # 19.1: the equations of both players' values
    "19.1": lambda F: np.linalg.solve([[1, 1 - F], [1 / 6, 1]], [1, 1])[0],
    "19.3": lambda N, n: papers.pairs_seen(dl.pig(N), dl.hold_at(n), dl.hold_at(n))[0].sum(),
    "19.4": lambda: {  # with the dips alone among the larger numbers
        N: min((*range(22, 27), 34, 38), key=lambda n, best=best: dl.loss(best, dl.hold_at(n)))
        for N in (75, 100, 150, 200)
        for best in [dl.solve(dl.pig(N))]
    },
    "19.7": lambda n: len(textbook.curves(dl.solve(dl.pig(n), exact=True), n, n)[0].slopes),
    "19.h1": lambda: dl.evaluate(dl.piglet(3), dl.hold_at(1), dl.hold_at(2)).first_wins,
    "19.h2": lambda: dl.loss(
        dl.solve(dl.pig()),
        dl.Rule("20, or all", lambda own, other, total, target: (total >= 20) & (other < 75)),
    ),
    "19.h3": lambda: papers.pairs_seen(dl.pig(), dl.solve(dl.pig()).policy, dl.hold_at(25))[
        0
    ].sum(),
    "19.h4": lambda p, N: textbook.value_iteration(dl.generalized_pig(p, N), "margin")[0][0, 0],
}
