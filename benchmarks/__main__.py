"""``make bench``: time the solvers beside others in the same run, and write ``benchmarks/results.md``."""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from random import Random
from statistics import median

import numpy as np
import pandas as pd
from tqdm import tqdm

import dicelab as dl
from dicelab_extras import proofs

from . import others
from .in_browser import page_rows
from .numpy_race import pig_values

RESULTS = Path(__file__).with_name("results.md")
# Calls of which the median counts, and seconds that they take, up to 200 calls.
TIMES, AT_LEAST = 7, 0.3
TARGETS = (50, 100, 200, 500, 1000, 2000)


def seconds(function, *arguments, times=None):
    """The median time of some calls, the first two not counting; of more, if they are short, unless `times` says."""
    function(*arguments)
    _, once = others.timed(function, *arguments)
    times = times or min(max(TIMES, int(AT_LEAST / once)), 200)
    return median(others.timed(function, *arguments)[1] for _ in range(times))


def alone(code, **environment):
    """What a program prints in a process of its own, as JSON, and the most memory that it took, in GB."""
    program = f"import json, resource\n{code}\nmost = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
    program += f"print(json.dumps([found, most / {1e9 if sys.platform == 'darwin' else 1e6}]))"
    options = {"env": os.environ | environment, "stdout": subprocess.PIPE, "check": True}
    return json.loads(subprocess.run([sys.executable, "-c", program], **options).stdout)


def in_a_new_process(target, cores, what, times=1):
    """The median time of ``what(n)``, lines of Python, for Pig to n in a new process with so many threads, and GB."""
    program = f"""
import os, time
os.cpu_count = lambda: {cores}
import dicelab as dl
{what}
def timed(n):
    start = time.perf_counter()
    said = what(n)
    return time.perf_counter() - start, said
timed(2)
found = sorted(timed({target}) for _ in range({times}))[{times // 2}]
"""
    (taken, said), memory = alone(program)
    return taken, said, memory


def by_target():
    """Pig at several targets, beside plain NumPy and C."""
    c = others.hand_written_c()
    for target in tqdm(TARGETS, desc="Pig"):
        solution = dl.solve(dl.pig(target))
        taken = seconds(lambda n: dl.solve(dl.pig(n)), target)
        plain = seconds(pig_values, target, times=1) if target <= 200 else np.nan
        plainly = (
            seconds(c, target, times=3 if target <= 500 else 1) if c and target <= 1000 else np.nan
        )
        yield {
            "target": target,
            "solve, ms": 1e3 * taken,
            "NumPy, ms": 1e3 * plain,
            "times faster": plain / taken,
            "C, ms": 1e3 * plainly,
            "times faster than C": plainly / taken,
            "residual": solution.residual,
        }


def large_targets():
    """Pig far out, each in a new process: time by threads, and memory; and bounds that are proven."""
    solve = "def what(n):\n    return dl.solve(dl.pig(n)).error"
    bound = (
        "from dicelab_extras import proofs\n"
        "def what(n):\n    lower, upper = proofs.bounds(dl.solve(dl.pig(n)))\n    return float((upper - lower).max())"
    )
    cores = os.cpu_count()
    for target in tqdm((1000, 2000, 10_000), desc="large targets"):
        times = TIMES if target <= 2000 else 1
        row = {"target": target}
        row["one thread, s"] = (
            in_a_new_process(target, 1, solve, times)[0] if target <= 2000 else np.nan
        )
        found = in_a_new_process(target, cores, solve, times)
        row |= dict(
            zip((f"{cores} threads, s", "error, estimated", "memory, GB"), found, strict=True)
        )
        if target <= 2000:
            found = in_a_new_process(target, cores, bound)
            row |= dict(
                zip(("with bounds, s", "widest bounds", "memory of that, GB"), found, strict=True)
            )
        yield row


def games():
    """Every game of the collection: solve, one match, simulate, certify."""
    cases = [
        (dl.pig(), 25),
        (dl.two_dice_pig(), 23),
        (dl.two_dice_pig(200), 23),
        (dl.double_trouble(), 18),
    ]
    for game, n in tqdm(
        [*cases, (dl.double_trouble(200), 18), (dl.ten_thousand(), 6), (dl.farkle(100), 8)],
        desc="games",
    ):
        solution = dl.solve(game)
        rule = dl.hold_at(n)
        row = {}
        optimal = solution.policy
        row["solve, s"] = seconds(dl.solve, game)
        row["one match, s"] = seconds(dl.evaluate, game, optimal, rule)
        row["million games a second"] = 0.2 / seconds(dl.simulate, game, optimal, rule, 200_000)
        row["certify, s"] = seconds(proofs.certify, solution, times=1)
        certificate = proofs.certify(solution)
        row["widest bounds"] = (certificate.upper - certificate.lower).max()
        yield {"game": f"{game.name} to {game.target}", **row}
    rule = dl.hold_at(25)
    rate = 4 / seconds(dl.simulate, dl.pig(), rule, dl.hold_at(20), 4_000_000)
    yield {"game": "Pig to 100, hold at 25 against 20", "million games a second": rate}


def more_players():
    """Pig for three and four, each race in a new process: time, memory, the cost of a tuple of needs, and verdicts."""
    cases = [(3, 25), (3, 50), (3, 75), (3, 100), (4, 15), (4, 30), (5, 12)]
    cores = os.cpu_count()
    for players, target in tqdm(cases, desc="more players"):
        what = f"""
def what(n):
    found = dl.solve(dl.pig(n), players={players}).verdicts["verdict"].value_counts()
    return [int(found[name]) for name in ("one", "several", "none")]
"""
        one, _, _ = in_a_new_process(target, 1, what)
        taken, (single, several, none), memory = in_a_new_process(target, cores, what)
        tuples = single + several + none
        row = {"players": players, "target": target, "tuples": tuples, "one thread, s": one}
        row |= {
            f"{cores} threads, s": taken,
            "µs a tuple": 1e6 * taken / tuples,
            "memory, GB": memory,
        }
        yield row | {"several equilibria": several, "none in pure strategies": none}


def everybody():
    """What people use today, where it is installed."""
    cases = [
        ("plain Python, value iteration", "python_value_iteration", 20, "win"),
        ("OpenSpiel, value iteration", "open_spiel", 20, "win"),
        ("QuantEcon, its Bellman operator", "quantecon", 100, "win"),
        ("MDPSolver, modified policy iteration", "mdpsolver", 100, "turns"),
    ]
    for title, name, target, objective in tqdm(cases, desc="others"):
        try:
            value, taken = getattr(others, name)(target)
        except ImportError:
            continue
        ours = dl.solve(dl.pig(target), objective)
        own = seconds(dl.solve, dl.pig(target), objective)
        row = {
            "solver": title,
            "problem": f"Pig to {target}, {objective}",
            "its time, s": taken,
            "ours, ms": 1e3 * own,
        }
        yield {**row, "times faster": taken / own, "its error": abs(value - ours.value)}


def steps_a_second(environment, steps=20_000):
    """How many steps of random actions, allowed ones where the environment has a mask, are made in a second."""
    random, (_, info) = Random(1), environment.reset(seed=1)
    start = time.perf_counter()
    for _ in range(steps):
        mask = info.get("action_mask")
        action = random.choice((0, 1) if mask is None else np.flatnonzero(mask).tolist())
        _, _, terminated, truncated, info = environment.step(action)
        if terminated or truncated:
            _, info = environment.reset()
    return steps / (time.perf_counter() - start)


def environments():
    """Steps a second of environments for learning, by turns with those of Blackjack; the first of each not counting."""
    import gymnasium

    made = {"Blackjack-v1": gymnasium.make("Blackjack-v1")}
    for name in ("dicelab/Pig-v0", "dicelab/TwoDicePig-v0", "dicelab/TenThousand-v0"):
        made[name] = gymnasium.make(f"dicelab_extras.learning.environments:{name}")
    rates = {name: [] for name in made}
    for _ in tqdm(range(1 + TIMES), desc="environments"):
        for name, environment in made.items():
            rates[name].append((steps_a_second(environment), steps_a_second(environment.unwrapped)))
    middle = {name: np.median(found[1:], axis=0).tolist() for name, found in rates.items()}
    for name, (wrapped, alone) in middle.items():
        row = {"environment": name, "steps a second": wrapped, "without wrappers": alone}
        yield row | {"times Blackjack": wrapped / middle["Blackjack-v1"][0]}


def page():
    """The page that solves: its solver beside ours, and frames of dragging; a text."""
    measured = page_rows()
    if measured is None:
        return "Not measured: this needs Playwright and Chromium."
    solved, dragged = map(markdown, measured)
    said = (
        "A frame is the time from a slider's input until the game is solved, the map is drawn anew, and two frames of "
        "the browser have passed, 33 ms at least."
    )
    return f"{solved}\n\n{said}\n\n{dragged}"


def exactly():
    """Pig in fractions."""
    for target in tqdm((20, 50, 100), desc="fractions"):
        yield {
            "target": target,
            "in fractions, s": seconds(lambda n: dl.solve(dl.pig(n), exact=True), target, times=1),
        }


def waiting():
    """What a user waits for, each in a new process."""
    start, stop = (
        "import time\nstart = time.perf_counter()\nimport dicelab as dl\n",
        "found = time.perf_counter() - start",
    )
    program = f"{start}dl.solve(dl.pig())\n{stop}"
    bytecode = {"PYTHONDONTWRITEBYTECODE": ""}
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        alone(program, NUMBA_CACHE_DIR=one, **bytecode)  # from here on there is bytecode
        for what in (
            "import and solve Pig to 100, compiling",
            "import and solve Pig to 100, from the cache",
        ):
            yield {"what": what, "seconds": alone(program, NUMBA_CACHE_DIR=other, **bytecode)[0]}
    yield {"what": "import", "seconds": alone(start + stop, **bytecode)[0]}
    solving = "dl.solve(dl.pig(1000))\n"
    again = f"import dicelab as dl\nfor _ in range(9):\n    {solving}{start}{solving}{stop}"
    with tempfile.TemporaryDirectory() as one:
        for what in ("compiled in the same process", "from the cache"):
            taken = alone(again, NUMBA_CACHE_DIR=one, **bytecode)[0]
            yield {"what": f"solve Pig to 1000 once more, {what}", "seconds": taken}


def random_dice(count, seed=1):
    """Solve random dice in float64 and in fractions, certify, and say how often all agree."""
    random, agree = np.random.default_rng(seed), 0
    for _ in tqdm(range(count), desc="random dice"):
        parts = random.integers(1, 7, random.integers(2, 7))
        probabilities = [Fraction(int(part), int(parts.sum())) for part in parts]
        game = dl.generalized_pig(probabilities, int(random.integers(1, 11)))
        solution, exact = dl.solve(game), dl.solve(game, exact=True)
        certificate = proofs.certify(solution)
        inside = ((certificate.lower <= exact.values) & (exact.values <= certificate.upper)).all()
        alike = (solution.policy.roll_mask() == exact.policy.roll_mask()).all()
        agree += inside and alike and certificate.optimal and certificate.ties == exact.ties
    return f"{agree} of {count} random dice: bounds hold, decisions equal those in fractions, ties found."


def machine():
    """The machine and what runs on it, in a line."""
    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(
            (line.split(":")[1].strip() for line in lines if line.startswith("model name")), model
        )
    packages = []
    for name in (
        "numpy",
        "numba",
        "scipy",
        "gmpy2",
        "gymnasium",
        "open_spiel",
        "quantecon",
        "mdpsolver",
    ):
        try:
            packages.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            packages.append(f"no {name}")
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{model}, {os.cpu_count()} cores; {system}; {', '.join(packages)}."


def markdown(rows):
    """A table."""
    frame = pd.DataFrame(rows)
    cells = [
        [f"{float(f'{cell:.3g}'):,g}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in frame.to_numpy(object)
    ]
    cells = [["–" if cell == "nan" else cell for cell in row] for row in cells]
    return "\n".join(
        f"| {' | '.join(row)} |" for row in [list(frame), ["---"] * len(frame.columns), *cells]
    )


def main():
    """Measure everything, print it and write it down."""
    # QuantEcon, told of no discount.
    warnings.filterwarnings("ignore", "infinite horizon solution methods")
    race = list(by_target())
    fit = np.polyfit(
        *np.log([[row["target"] for row in race], [row["solve, ms"] for row in race]]), 1
    )[0]
    far = np.polyfit(
        *np.log([[row["target"] for row in race[-3:]], [row["solve, ms"] for row in race[-3:]]]), 1
    )[0]
    parts = [
        "# Benchmarks",
        f"Made by `make bench`: medians, in one run. {machine()}",
        "## Pig\n\nBeside some lines of NumPy that walk every turn total (`numpy_race.py`), and the same in C, eight "
        "pairs side by side, on one core (`pig.c`).",
        markdown(race),
        f"Time grows like target^{fit:.2f}; from {TARGETS[-3]} on, like target^{far:.2f}. The papers' algorithms walk "
        "every total: target^3.",
        markdown(large_targets()),
        "## Others\n\nWhat is installed of `pip install -e '.[bench]'`, on problems that it solves in reasonable time.",
        markdown(everybody()),
        "## All games",
        markdown(games()),
        "## More than two players\n\nPig for three and more: an equilibrium, and a verdict for every tuple of needs up "
        "to rotation.",
        markdown(more_players()),
        "## Environments\n\nSteps a second with random actions that are allowed, by `gymnasium.make` with its wrappers "
        "and without them, once tables are made. Ours give the exact regret of every action.",
        markdown(environments()),
        "## The page that solves\n\nJavaScript in headless Chromium beside `dl.solve`, the same games in the same run.",
        page(),
        "## Fractions",
        markdown(exactly()),
        random_dice(1000),
        "## Waiting",
        markdown(waiting()),
    ]
    text = "\n\n".join(parts) + "\n"
    RESULTS.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
