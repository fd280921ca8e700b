"""A folder of strategies in one table: what each wins against best play, and its place in the exact round robin.

Each file is asked in a process of its own (:mod:`dicelab_extras.grading.sandbox`), as many at a time as there are
cores. The matches are played in threads, which compiled code lets run side by side: they share one cache of how turns
end. As it has room for some hundred seats, matches between the same `SIDE` strategies and `SIDE` others come together.
"""

from functools import partial
from itertools import combinations
from pathlib import Path

import joblib
import pandas as pd

from dicelab._accuracy import ACCURACY
from dicelab._validation import invalid
from dicelab.evaluation.match import both_orders
from dicelab.evaluation.sweep import sweep

from .sandbox import policy_of_file
from .tables import ENDINGS

__all__ = ["standings_of"]

READ = ".py", *ENDINGS
SIDE = 16


def standings_of(game, folder, referee, **meant):
    """The table of a folder, as :func:`~dicelab_extras.grading.grade` returns it.

    The strategies play against the opponent of the referee. What their True and None mean is in `meant`.
    """
    files = sorted(file for file in Path(folder).iterdir() if file.suffix.lower() in READ)
    if not files:
        raise invalid("strategy", str(folder), f"a folder with files that end in {', '.join(READ)}")
    with joblib.parallel_config("threading"):
        ask = partial(asked, game, at_once=joblib.cpu_count(), **meant)
        table = sweep(ask, {"file": files}).set_index("name")
        policies = table["policy"].dropna()
        wins = [both_orders(game, policy, referee.opponent) for policy in policies]
        found = pd.DataFrame(wins, policies.index, ["first", "second"], dtype=float)
        found["loss"] = (float(referee.best.value) + referee.second - found.sum(axis=1)) / 2
        found["round robin"] = round_robin(game, [*policies])
    place = (-found["round robin"] / ACCURACY).round().rank(method="min")
    found = found.assign(place=place.astype("Int64")).join(table, how="right")
    return found.drop(columns=["file", "policy"]).sort_values(["place", "name"])


def asked(game, file, **meant):
    """The policy of a file, and how it was read; or the sentence that says why it was refused."""
    try:
        policy, said = policy_of_file(game, str(file), **meant), ""
    except ValueError as error:
        policy, said = None, str(error).removeprefix(f"{file}: ").removeprefix("strategy: ")
    return {
        "name": file.name,
        "policy": policy,
        "read as": getattr(policy, "read_as", ""),
        "refused": said,
    }


def round_robin(game, policies):
    """The mean probability of each policy to win against the others, moving first and second; alone, 1/2."""

    def play(i, j):
        return sum(both_orders(game, policies[i], policies[j])) / 2

    n = len(policies)
    if n < 2:
        return [0.5] * n
    pairs = sorted(combinations(range(n), 2), key=lambda pair: [k // SIDE for k in pair])
    jobs = joblib.Parallel(n_jobs=-1, prefer="threads")
    won = pd.Series(jobs(joblib.delayed(play)(*pair) for pair in pairs), pd.Index(pairs))
    both = pd.concat([won.droplevel(1), 1 - won.droplevel(0)])
    return both.groupby(level=0).mean().to_numpy()
