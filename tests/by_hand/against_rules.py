"""Random games against the oracle, as many as one likes: ``python -m tests.by_hand.against_rules --games 20000``.

Each game has a seed of its own: the first of them is printed, and ``--seed`` takes it again.
"""

import random
import sys
from pathlib import Path

import click
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))

import checks


@click.command(help=__doc__.partition("\n")[0])
@click.option("--games", default=1000, show_default=True)
@click.option("--seed", type=int, help="Of the first game; by default a random one.")
def main(games, seed):
    """Compare games, and name those that fail."""
    seed = random.SystemRandom().randrange(10**9) if seed is None else seed
    click.echo(f"--seed {seed}")
    report = checks.Report()
    for number in tqdm(range(seed, seed + games), unit=" games"):
        rng = random.Random(number)
        game, before = checks.random_game(rng), len(report.failures)
        checks.check_game(game, rng, report)
        for kind, detail in report.failures[before:]:
            click.echo(f"{kind}: {detail}\n  seed {number}, {game!r}")
    click.echo(f"{report.comparisons.total():,} comparisons, {len(report.failures)} failures")
    sys.exit(bool(report.failures))


if __name__ == "__main__":
    main()
