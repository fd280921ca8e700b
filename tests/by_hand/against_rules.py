"""Random games against the oracle, as many as one likes: ``python -m tests.by_hand.against_rules --games 20000``.

Games are compared in processes of their own, so that one that dies, or never ends, is a failure like others. Each game
has a seed of its own: the first of them is printed, and ``--seed`` takes it again.
"""

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))

import checks

import dicelab as dl

SECONDS = 20  # for a game, after which it counts as one that never ends
SHRINKING = 10  # seconds to make a game's failures smaller
EXAMPLES = 2  # of a kind, that are made smaller


def compare(seed):
    """The game of a seed, and what came of it."""
    rng, report = random.Random(seed), checks.Report()
    game = checks.random_game(rng)
    try:
        checks.check_game(game, rng, report)
    except AssertionError as error:  # the oracle's own
        report.failures.append((f"oracle: {error}", ""))
    return game, report


def smaller(game):
    """Games that are like a given one, but for one thing that is simpler."""
    if game.target > 1:
        yield lambda: replace(game, target=game.target - 1)
    for k, mode in enumerate(game.modes):
        if k and not any(
            c.mode == mode.name for other in game.modes if other is not mode for c in other.choices
        ):
            yield lambda k=k: replace(game, modes=game.modes[:k] + game.modes[k + 1 :])
        for simpler in simpler_modes(game, mode):
            yield lambda k=k, simpler=simpler: replace(
                game, modes=(*game.modes[:k], simpler(), *game.modes[k + 1 :])
            )
    if game.finish == "exact":
        yield lambda: replace(game, finish="reach")


def simpler_modes(game, mode):
    """A mode with an outcome or a choice less, fewer points, another mode to go on in, or simpler probabilities."""

    def put(o, outcome):
        return replace(mode, outcomes=(*mode.outcomes[:o], *outcome, *mode.outcomes[o + 1 :]))

    size = len(mode.outcomes)
    if size > 1:
        for o in range(size):
            rest = mode.outcomes[:o] + mode.outcomes[o + 1 :]
            gone = mode.outcomes[o].probability
            yield lambda rest=rest, gone=gone: replace(
                mode,
                outcomes=tuple(replace(r, probability=r.probability / (1 - gone)) for r in rest),
            )
        if any(outcome.probability.denominator != size for outcome in mode.outcomes):
            yield lambda: replace(
                mode, outcomes=tuple(replace(r, probability=f"1/{size}") for r in mode.outcomes)
            )
    for o, outcome in enumerate(mode.outcomes):
        if outcome.result == "reset":
            yield lambda o=o, outcome=outcome: put(o, [replace(outcome, result="bust")])
        for c, choice in enumerate(outcome.choices):
            others = outcome.choices[:c], outcome.choices[c + 1 :]
            if others[0] + others[1]:
                yield lambda o=o, outcome=outcome, others=others: put(
                    o, [replace(outcome, result=others[0] + others[1])]
                )
            changes = [{"points": choice.points - 1}] * (choice.points > 1)
            changes += [{"mode": game.modes[0].name}] * (choice.mode != game.modes[0].name)
            for change in changes:
                result = (*others[0], replace(choice, **change), *others[1])
                yield lambda o=o, outcome=outcome, result=result: put(
                    o, [replace(outcome, result=result)]
                )
    if not mode.may_hold:
        yield lambda: replace(mode, may_hold=True)


def shrink(game, kind, seed, end):
    """A smaller game that fails in the same way."""
    again = True
    while again and time.monotonic() < end:
        again = False
        for make in smaller(game):
            try:
                other = make()
            except ValueError:  # no game
                continue
            if checks.oracle.turns_may_be_endless(other) or time.monotonic() > end:
                continue
            report = checks.Report()
            checks.check_game(other, random.Random(seed), report)
            if any(found == kind for found, _ in report.failures):
                game, again = other, True
                break
    return game


def work(pipe):
    """Compare games whose seeds come through a pipe, and send back what came of them."""
    while True:
        task = pipe.recv()
        if task is None:
            return
        seed, seen = task
        game, report = compare(seed)
        failures, end = [], time.monotonic() + SHRINKING
        for kind, detail in dict(reversed(report.failures)).items():
            small = shrink(game, kind, seed, end) if seen.get(kind, 0) < EXAMPLES else game
            failures.append((kind, detail, checks.code(small)))
        pipe.send((report.comparisons, report.refusals, failures))


class Worker:
    """A process that compares games; another one takes its place if it dies."""

    def __init__(self):
        self.start()

    def start(self):
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(
            target=work, args=(theirs,), daemon=True
        )
        self.process.start()
        theirs.close()

    def give(self, seed, seen):
        self.seed, self.since = seed, time.monotonic()
        self.pipe.send((seed, dict(seen)))

    def end(self):
        self.process.kill()
        self.process.join()


def take(worker, found):
    """Add what a worker has found, or what has become of it; whether it is free."""
    game = checks.code(checks.random_game(random.Random(worker.seed)))
    limit = SECONDS + 2 * SHRINKING
    if worker.pipe.poll():
        try:
            comparisons, refusals, failures = worker.pipe.recv()
        except EOFError:
            worker.process.join()
            comparisons, refusals = {}, {}
            failures = [(f"the process died: exit code {worker.process.exitcode}", "", game)]
            worker.end(), worker.start()
    elif time.monotonic() - worker.since > limit:
        comparisons = {}
        refusals = {}
        failures = [(f"no end within {limit} seconds", "", game)]
        worker.end(), worker.start()
    else:
        return False
    found["comparisons"] += Counter(comparisons)
    found["refusals"] += Counter(refusals)
    for kind, detail, example in failures:
        found["failures"][kind] += 1
        found["examples"].setdefault(kind, []).append((len(example), worker.seed, example, detail))
    return True


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, help="of the first game; by default a random one")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    options = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"--seed {seed}", flush=True)
    seeds = iter(range(seed, seed + options.games))
    found = {"comparisons": Counter(), "refusals": Counter(), "failures": Counter(), "examples": {}}
    busy = [Worker() for _ in range(options.jobs)]
    for worker in list(busy):
        give_next(worker, seeds, busy, found)
    with tqdm(total=options.games, unit=" games") as bar:
        while busy:
            wait([worker.pipe for worker in busy], timeout=1)
            for worker in list(busy):
                if take(worker, found):
                    bar.update()
                    bar.set_postfix(failures=found["failures"].total())
                    give_next(worker, seeds, busy, found)
    tell(options.games, found)
    return 1 if found["failures"] else 0


def give_next(worker, seeds, busy, found):
    """Give a worker the next game, or end it."""
    seed = next(seeds, None)
    if seed is None:
        worker.end()
        busy.remove(worker)
    else:
        worker.give(seed, found["failures"])


def tell(games, found):
    """Print what came of it."""
    for kind, count in sorted(found["failures"].items()):
        _, seed, example, detail = min(found["examples"][kind])
        print(
            f"\n{kind}: {count} games, for example (seed {seed})\n    {example}\n    {str(detail)[:300]}"
        )
    print(
        f"\n{games:,} games, {found['comparisons'].total():,} comparisons (dicelab from {Path(dl.__file__).parent})"
    )
    print("\nRefusals, by what was asked:")
    for (kind, error), count in sorted(found["refusals"].items()):
        print(f"{count:8,}  {error:20} {kind}")
    print("\nGames that failed, by kind:" if found["failures"] else "\nNo failures.")
    for kind, count in found["failures"].most_common():
        print(f"{count:8,}  {kind}")


if __name__ == "__main__":
    sys.exit(main())
