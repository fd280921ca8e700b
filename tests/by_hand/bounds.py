"""All kernels over random games with every index checked: ``python -m tests.by_hand.bounds --games 2000 --seed 1``.

Compiled code does not look whether an index is in its array. Here it does, by numba's own check, and a negative index,
which numba takes to count from the end, is refused, too: no kernel means one. As the kernels are compiled for that,
which takes one or two minutes, they have a cache of their own, in a folder that is removed at the end. Games are small
and odd: those of `tests/conformance/checks.py`, also where the oracle is of no use.

A game that some solver refuses, by an error that it may raise, and an answer that takes too long are none of our
business here; an IndexError ends the run.
"""

import faulthandler
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

import click
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))

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


def random_game(rng):
    """A game with random rules."""
    import checks

    while True:
        with suppress(ValueError):  # no way to score, or a turn that never ends
            return checks.random_die(rng) if rng.random() < 0.3 else checks.random_modes(rng)


def random_policy(random, game):
    """A policy that decides at random whatever may be decided."""
    import dicelab as dl
    from dicelab.policies import branching_outcomes

    size = game.target
    forced = [not mode.may_hold for mode in game.modes]
    rolls = random.random((size, size, len(forced), size)) < random.random()
    rolls[:, :, forced], rolls[..., 0] = True, True
    rolls[:, :, [not mode.outcomes for mode in game.modes], 1:] = False
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
    """All questions about a game: pairs of the call that asks it, and a function without arguments."""
    import dicelab as dl
    from dicelab.evaluation import studies
    from dicelab_extras import learning, proofs

    first, second = (policies[k] for k in random.integers(0, len(policies), 2))

    def solve(objective, **more):
        solution = dl.solve(game, objective, **more)
        for own in range(game.target):
            solution.policy.actions_at(game, own)
        for name, prove in (("certify", proofs.certify), ("bounds", proofs.bounds)):
            with suppress(*REFUSALS):
                if name in calls:
                    prove(solution)
        if objective == "win":
            dl.action_values(solution, *random.integers(0, game.target, 2))
            dl.loss(solution, first)

    def evaluate():
        found = dl.evaluate(game, first, second)
        found.margin, found.turns_mean, found.turns_distribution()

    method, games = str(random.choice(["q", "sarsa", "mc"])), int(random.choice([1, 70, 300]))
    questions = [("solve", partial(solve, each)) for each in ("win", "margin", "turns", "score")]
    return [
        *questions,
        ("solve", partial(solve, "margin", overshoot=True)),
        ("evaluate", evaluate),
        ("best_response", partial(dl.best_response, game, second)),
        ("turns", partial(studies.turn_points, game, first)),
        ("turns", lambda: dl.evaluate(game, second).turns_by_score),
        ("simulate", partial(dl.simulate, game, first, second, games=games, n_jobs=1)),
        ("learn", partial(learning.learn, game, method, games=50, seed=1)),
    ]


def run(games, seed, calls):
    """Ask everything about so many random games; IndexError at the first index that is out of bounds."""
    refuse_negative_indices()
    import dicelab as dl

    answers = refusals = 0
    for number in range(games):
        faulthandler.dump_traceback_later(LONG, exit=True)
        random = np.random.default_rng([seed, number])
        game = random_game(Random(f"{seed} {number}"))
        held = dl.hold_at(int(random.integers(1, game.target + 1)))
        policies = [held, dl.scoring_turns(2), *(random_policy(random, game) for _ in "ab")]
        for ask in (ask for call, ask in asked(game, policies, calls, random) if call in calls):
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
def main(games, seed, calls):
    """Run in a process whose kernels are compiled with checks."""
    if os.environ.get("NUMBA_BOUNDSCHECK") == "1":
        click.echo(run(games, seed, calls))
        return
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-m", "tests.by_hand.bounds", *sys.argv[1:]]
        sys.exit(subprocess.run(command, env=environment).returncode)


if __name__ == "__main__":
    main()
