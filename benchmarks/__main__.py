"""``make bench``: time the solvers, and print one table with ratios to plain NumPy measured in the same run."""

from fractions import Fraction
from statistics import median
from time import perf_counter

import numpy as np
import pandas as pd

import dicelab as dl

from .numpy_race import pig_values


def seconds(function, argument, times=5):
    """The median time of `times` calls."""
    taken = []
    for _ in range(times):
        start = perf_counter()
        function(argument)
        taken.append(perf_counter() - start)
    return median(taken)


def random_dice(count, seed=1):
    """Solve random dice in float64 and in fractions, certify, and say how often all agree."""
    random, agree = np.random.default_rng(seed), 0
    for _ in range(count):
        parts = random.integers(1, 7, random.integers(2, 7))
        probabilities = [Fraction(int(part), int(parts.sum())) for part in parts]
        game = dl.generalized_pig(probabilities, int(random.integers(1, 11)))
        solution, exact = dl.solve(game), dl.solve(game, exact=True)
        certificate = dl.certify(solution)
        inside = ((certificate.lower <= exact.values) & (exact.values <= certificate.upper)).all()
        alike = (solution.policy.roll_mask() == exact.policy.roll_mask()).all()
        agree += inside and alike and certificate.optimal and certificate.ties == exact.ties
    return f"{agree} of {count} random dice: bounds hold, decisions equal, ties found"


def main():
    """Time Pig at several targets."""
    start = perf_counter()
    dl.solve(dl.pig(2))
    print(f"first call, compiling or loading the kernels: {perf_counter() - start:.2f} s")
    rows = []
    for target in (50, 100, 200, 500, 1000):
        solution, pairs = dl.solve(dl.pig(target)), target * (target + 1) // 2
        fast = seconds(lambda n: dl.solve(dl.pig(n)), target)
        plain = seconds(pig_values, target, times=3 if target < 200 else 1) if target <= 200 else float("nan")
        rows.append(
            {
                "Pig to": target,
                "solve (s)": fast,
                "NumPy (s)": plain,
                "ratio": plain / fast,
                "Newton steps a pair": solution.evaluations / 2 / pairs - 1,
                "totals a turn": solution.walked / solution.evaluations,
                "residual": solution.residual,
            }
        )
    print(pd.DataFrame(rows).to_string(index=False, float_format="{:.3g}".format, na_rep="-"))
    for target in (20, 50, 100):
        taken = seconds(lambda n: dl.solve(dl.pig(n), exact=True), target, times=1)
        print(f"Pig to {target} in fractions: {taken:.2f} s")
    for game in (dl.pig(), dl.two_dice_pig(), dl.double_trouble(), dl.ten_thousand(100), dl.farkle(100)):
        solution = dl.solve(game)
        print(f"{dl.certify(solution)}; {seconds(dl.certify, solution, times=3):.2f} s")
    print(random_dice(1000))
    for game, n in ((dl.pig(), 25), (dl.two_dice_pig(), 23), (dl.double_trouble(), 18)):
        solved = seconds(dl.solve, game, times=3)
        optimal, rule = dl.solve(game).policy, dl.hold_at(n)
        matched = seconds(lambda g, pair=(optimal, rule): dl.evaluate(g, *pair), game)
        played = seconds(lambda g, pair=(optimal, optimal): dl.simulate(g, *pair, games=2_000_000), game, times=3)
        print(
            f"{game.name} to 100: solved in {solved:.3g} s; one match evaluated in {matched:.3g} s;"
            f" {2e6 / played / 1e6:.2f} million optimal games a second"
        )


if __name__ == "__main__":
    main()
