"""All kernels over random games with every index checked: ``python -m tests.by_hand.bounds --games 2000 --seed 1``.

Compiled code does not look whether an index is in its array. Here it does, by numba's own check, and a negative index,
which numba takes to count from the end, is refused, too: no kernel means one. As the kernels are compiled for that,
which takes one or two minutes, they have a cache of their own, in a folder that is removed at the end. Games are small
and odd: several modes, choices, forced modes, resets, both finishes, rolls of more points than the target.

A game that some solver refuses, by an error that it may raise, and an answer that takes too long are none of our
business here; an IndexError ends the run.
"""

import faulthandler
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from fractions import Fraction

import click
import numpy as np

CALLS = ("solve", "certify", "bounds", "evaluate", "best_response", "turns", "simulate", "learn")
REFUSALS = ValueError, NotImplementedError, ArithmeticError, MemoryError
LONG = 300  # seconds that a game may take


def refuse_negative_indices():
    """Let numba take an index as it is; then its check of the bounds refuses what is below 0.

    `Rules.beyond`, the one array with four dimensions, is meant to be read from its end.
    """
    from numba.core import types
    from numba.np import arrayobj

    basic_indexing = arrayobj.basic_indexing
    wrapped = arrayobj.fix_integer_index
    dimensions = []

    def indexing(context, builder, kind, *more, **options):
        dimensions[:] = [kind.ndim]
        return basic_indexing(context, builder, kind, *more, **options)

    def as_it_is(context, builder, kind, index, size):
        if dimensions == [4]:
            return wrapped(context, builder, kind, index, size)
        return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)

    arrayobj.basic_indexing, arrayobj.fix_integer_index = indexing, as_it_is


def random_game(random, most_target):
    """A game with random rules."""
    import dicelab as dl

    names = ["a", "b", "c"][: random.integers(1, 4)]
    target = int(random.integers(1, most_target + 1))
    most = int(random.choice([1, 3, target + 3]))
    resets, forced, choices = (random.random(3) < [0.3, 0.5, 0.6]).tolist()

    def some_choices(size):
        modes = (
            random.choice(names, size) if random.random() < 0.5 else [random.choice(names)] * size
        )
        return [dl.Choice(random.integers(1, most + 1), str(mode)) for mode in modes]

    def mode(name):
        sizes = random.integers(1, 4 if choices else 2, random.integers(1, 4))
        results = [some_choices(size) for size in sizes]
        results += ["bust"] * (random.random() < 0.8) + ["reset"] * (
            resets and random.random() < 0.6
        )
        weights = [
            int(weight)
            for weight in random.integers(1, 10 ** random.choice([1, 1, 1, 7]), len(results))
        ]
        outcomes = [
            dl.Outcome(Fraction(w, sum(weights)), r) for w, r in zip(weights, results, strict=True)
        ]
        return dl.Mode(name, outcomes, may_hold=not (forced and random.random() < 0.6))

    while True:
        with suppress(ValueError):  # no way to score, or a turn that never ends
            finish = random.choice(["reach", "exact"]).item()
            return dl.Game("random", target, [mode(name) for name in names], finish)


def random_policy(random, game):
    """A policy that decides at random whatever may be decided."""
    import dicelab as dl
    from dicelab.policies import branching_outcomes

    size = game.target
    forced = [not mode.may_hold for mode in game.modes]
    rolls = random.random((size, size, len(forced), size)) < random.random()
    rolls[:, :, forced], rolls[..., 0] = True, True
    rolls &= np.add.outer(np.arange(size), np.arange(size))[:, None, None] < size
    counts = np.array([len(outcome.choices) for outcome in branching_outcomes(game)], dtype=int)
    takes = random.integers(0, counts[:, None], (size, size, len(counts), size)).astype(np.uint8)

    class Table(dl.Policy):
        def decisions_at(self, game, own, memory=0):
            return rolls[own]

        def choices(self, game, own, memory=0):
            return takes[own]

    return Table()


def asked(game, policies, calls, random):
    """All questions about a game; a generator of functions, each of which asks one."""
    import dicelab as dl
    from dicelab.evaluation import studies
    from dicelab_extras import learning, proofs

    first, second = (policies[k] for k in random.integers(0, len(policies), 2))
    solutions = {}

    def solve(objective, **more):
        solutions[objective, *more] = dl.solve(game, objective, **more)

    def evaluate():
        found = dl.evaluate(game, first, second)
        found.margin, found.turns_mean, found.turns_distribution()

    if "solve" in calls:
        yield from (
            lambda objective=objective: solve(objective)
            for objective in ("win", "margin", "turns", "score")
        )
        yield lambda: solve("margin", overshoot=True)
    for solution in list(solutions.values()):
        yield lambda solution=solution: [
            solution.policy.actions_at(game, own) for own in range(game.target)
        ]
        if "certify" in calls:
            yield lambda solution=solution: proofs.certify(solution)
        if "bounds" in calls:
            yield lambda solution=solution: proofs.bounds(solution)
    if ("win",) in solutions:
        policies.append(solutions["win",].policy)
        scores = random.integers(0, game.target, 2)
        yield lambda: dl.action_values(solutions["win",], *scores)
        yield lambda: dl.loss(solutions["win",], first)
        first = policies[random.integers(0, len(policies))]
    if "evaluate" in calls:
        yield evaluate
    if "best_response" in calls:
        yield lambda: dl.best_response(game, second)
    if "turns" in calls:
        yield lambda: studies.turn_points(game, first)
        yield lambda: studies.turns_needed(game, second)
    if "simulate" in calls:
        yield lambda: dl.simulate(
            game, first, second, games=int(random.choice([1, 70, 300])), n_jobs=1
        )
    if "learn" in calls:
        yield lambda: learning.learn(
            game, str(random.choice(["q", "sarsa", "mc"])), games=50, seed=1
        )


def run(games, seed, calls, most_target):
    """Ask everything about so many random games; IndexError at the first index that is out of bounds."""
    refuse_negative_indices()
    import dicelab as dl

    answers = refusals = 0
    for number in range(games):
        faulthandler.dump_traceback_later(LONG, exit=True)
        random = np.random.default_rng([seed, number])
        game = random_game(random, most_target)
        held = dl.hold_at(int(random.integers(1, game.target + 1)))
        policies = [
            held,
            dl.scoring_turns(2),
            random_policy(random, game),
            random_policy(random, game),
        ]
        for ask in asked(game, policies, calls, random):
            try:
                ask()
                answers += 1
            except REFUSALS:
                refusals += 1
            except IndexError:
                click.echo(f"game {number} of seed {seed}: {game!r}", err=True)
                raise
    faulthandler.cancel_dump_traceback_later()
    return f"{games:,} games, {answers:,} answers, {refusals:,} refusals: no index out of bounds"


@click.command(help=__doc__.partition("\n")[0])
@click.option("--games", default=2000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--calls", multiple=True, default=CALLS, type=click.Choice(CALLS), help="All, if none is named."
)
@click.option("--most-target", default=8, show_default=True)
def main(games, seed, calls, most_target):
    """Run in a process whose kernels are compiled with checks."""
    if os.environ.get("NUMBA_BOUNDSCHECK") == "1":
        click.echo(run(games, seed, calls, most_target))
        return
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-m", "tests.by_hand.bounds", *sys.argv[1:]]
        sys.exit(subprocess.run(command, env=environment).returncode)


if __name__ == "__main__":
    main()
