"""The golden files made anew: ``python -m tests.by_hand.golden FOLDER``, some ten minutes; with ``--full`` an hour.

They are written to FOLDER, a new one, and never over ``data/golden``: compare both, ask of every difference which side
is right, and only then move the files. Without ``--full`` the rows that take long are taken from ``data/golden``.

Every value is confirmed before it is written, by one or more of these, most by two, which the column `confirmed` names:

- "fractions": solved again in rational arithmetic, ``dl.solve(…, exact=True)``;
- "oracle": optimal play from the rules alone, in fractions, by ``tests/conformance/oracle.py``, which has no solver;
- "textbook": value iteration or policy iteration of ``collection.course.textbook``, to 1e-11;
- "match": the optimal policy against itself, by linear equations, to 1e-12;
- "turns of the policy": the mean number of turns of the optimal policy, by linear equations, to 1e-12;
- "certificate": every value enclosed, by interval arithmetic; for a policy, every decision proven to be optimal;
- "enclosed": bounds of all values by interval arithmetic, ``proofs.bounds``, in long races;
- "print": the number that somebody else has printed, to its last digit;
- "simulation": a million games of the optimal policy against itself, within 4 standard errors.

A policy is confirmed by the certificate, or by the same hash in fractions; in games with registers by a best response
to it, which has the value of the game.
"""

import csv
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import click
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))

import oracle

import dicelab as dl
from collection import textbook
from collection.papers.published import half_unit, read_table, write_sums
from collection.verify import COLUMNS, COUNTS, GOLDEN, NONE, judge, policy_hash, solution_of
from dicelab.games.named import parse_game
from dicelab_extras import proofs
from dicelab_extras.play.situation import format_game
from dicelab_extras.proofs.rules import may_stall

DEFAULT = (
    "pig 100", "piglet 10", "two-dice-pig 100", "double-trouble 100", "big-pig 100", "hog 100", "toss-up 100",
    "pass-the-pigs 100", "ten-thousand 200", "farkle 60", "kingdom-come 80",
)  # fmt: skip
WITH_REGISTERS = (
    "ten-thousand 40 opening=500",
    "facebook-farkle 20 lowest=-10",
    "zilch 20 lowest=-10",
)
SMALL = (
    "pig",
    "piglet",
    "two-dice-pig",
    "double-trouble",
    "big-pig",
    "hog",
    "toss-up",
    "pass-the-pigs",
    "ten-thousand",
)
VALUES = [
    *((game, "win") for game in (*DEFAULT, *WITH_REGISTERS, "pig 1000", "farkle 200")),
    *((f"{name} {target}", "win") for name in SMALL for target in (5, 10, 20)),
    *((f"{name} 4", "win") for name in ("farkle", "kingdom-come")),
    *((f"{name} 5 finish=exact", "win") for name in ("pig", "piglet", "two-dice-pig")),
    *(
        (f"pig {target} finish={finish}", "win")
        for target in (8, 20)
        for finish in ("equal-turns", "last-licks")
    ),
    ("pig 100 finish=exact", "win"),
    *((game, "turns") for game in DEFAULT),
    *((game, "score") for game in DEFAULT if game != "toss-up 100"),  # solve refuses it in float64
    *((game, "margin") for game in DEFAULT if game.split()[0] in SMALL[:5] or "pigs" in game),
    *((game, "turns") for game in WITH_REGISTERS),
    ("pig 20", "deadline 3 turns"),
    ("pig 100", "deadline 10 turns"),
    ("two-dice-pig 100", "deadline 5 turns"),
    ("piglet 4", "win 3 players"),
    ("pig 30", "win 3 players"),
]
POLICIES = [
    *(
        (game, "win")
        for game in (*DEFAULT, *WITH_REGISTERS, "pig 20 finish=exact")
        if game != "ten-thousand 200"
    ),
    # To 200 the certificate refutes 22 decisions, by advantages below 1e-12.
    ("ten-thousand 60", "win"),
    *((f"{name} 10", "win") for name in SMALL),
    *(
        (game, objective)
        for game in ("pig 100", "two-dice-pig 100")
        for objective in ("margin", "turns")
    ),
]
LONG_VALUES = [
    ("hog 300", "win"),
    ("toss-up 300", "win"),
    ("big-pig 1000", "win"),
    ("facebook-farkle 200", "win"),
]
LONG_POLICIES = [("pig 200", "win")]
PRINTED = {"facebook-farkle 200": "0.53487"}  # M. Busche 2016, by value iteration: 53.487 %
SITUATIONS = [
    "pig 100: 30-45 +22", "pig 100: 30-45 +25", "pig 100: 0-0", "pig 100: 78-95 +12", "pig 100: 41-49 +27",
    "piglet 10: 3-8 +2", "two-dice-pig 100: 40-60 +23", "two-dice-pig 100: 95-20 +4", "double-trouble 100: 30-45 +18",
    "double-trouble 100: 30-45 +18 @forced", "big-pig 100: 50-50 +25", "hog 100: 0-0", "hog 100: 93-60",
    "toss-up 100: 20-30 +8 @2 dice", "toss-up 100: 20-30 +12 @10 dice", "pass-the-pigs 100: 60-75 +21",
    "ten-thousand 200: 20-30 +4 rolled 1 5 5 2 3", "ten-thousand 200: 100-150 +9 @2 dice",
    "farkle 60: 10-20 +6 @3 dice", "farkle 60: 10-20 rolled 1 1 5 5 3 4", "kingdom-come 80: 30-30 +10 @2 dice",
    "ten-thousand 40 opening=500: 0 (not opened)-12 (opened) +8 @3 dice",
    "facebook-farkle 20 lowest=-10: -3 (2 farkles)-8 (0 farkles) +6 @3 dice",
    "zilch 20 lowest=-10: 5 (1 zilch)-12 (0 zilches) +7 @2 dice", "pig 100 finish=exact: 90-94 +4",
    "pig 30: 7-8-0 +20", "pig 30: 3-7-0 +12",
]  # fmt: skip


@cache
def certified(text, objective):
    """The certificate of a solution."""
    return proofs.certify(solution_of(text, objective))


def confirmed_by(game, objective, solution, value, small):
    """The names of all that confirm a value. AssertionError if one contradicts."""
    found = []
    kind = objective.split()[0]
    scale = max(1, abs(value))
    two = (
        kind in ("win", "margin")
        and "players" not in objective
        and isinstance(solution, dl.Solution)
    )
    plain = game.finish in ("reach", "exact") and not game.registers

    def agree(name, other, close):
        assert abs(other - value) <= close * scale, (game, objective, name, other, value)
        found.append(name)

    if small:
        agree(
            "fractions",
            float(_first(solution_of(format_game(game), objective, exact=True).value)),
            1e-12,
        )
    if two and plain and game.target <= 5:
        agree(
            "oracle",
            float(
                oracle.optimum(game, kind).values[0, 0] + (Fraction(1, 2) if kind == "win" else 0)
            ),
            1e-12,
        )
    if two and plain and game.target <= 20:
        agree("textbook", textbook.value_iteration(game, kind)[0][0, 0], 1e-11)
    if kind == "turns" and plain and game.target <= 100 and len(game.modes) == 1:
        process = textbook.turns_process(game)
        agree("textbook", textbook.policy_iteration(process)[0][0, 0, game.modes[0].name], 1e-11)
    if kind == "deadline" and game.target <= 20:
        turns = int(objective.split()[1])
        chances = textbook.deadline_chances(game, turns)
        agree("textbook", float(chances[turns, 0]), 1e-12)
    if (
        isinstance(solution, dl.Solution)
        and kind in ("win", "margin")
        and game.target <= 300
        and len(game.scores) < 500
    ):
        match = dl.evaluate(game, solution.policy, solution.policy)
        agree("match", match.first_wins if kind == "win" else match.margin, 1e-12)
    if "players" in objective:
        match = dl.evaluate(game, *[solution.policy] * 3)
        agree("match", _first(match.wins), 1e-12)
    if kind == "turns":
        agree(
            "turns of the policy",
            dl.evaluate(game, solution.policy).turns_by_score[game.index(game.after_reset)],
            1e-12,
        )
    provable = plain and (kind == "turns" or (two and not may_stall(game)))
    if provable and game.target * len(game.scores) < 50_000:
        assert not certified(format_game(game), objective).outside, (game, objective)
        found.append("certificate")
    elif provable and kind == "win":
        lower, upper = proofs.bounds(solution)
        assert lower[0, 0] <= value <= upper[0, 0], (game, objective)
        found.append("enclosed")
    if printed := objective == "win" and PRINTED.get(format_game(game)):
        agree("print", float(printed), float(half_unit(printed)))
    elif kind == "win" and len(found) < 2 and isinstance(solution, dl.Solution):
        estimate = dl.simulate(game, solution.policy, solution.policy, games=1_000_000, seed=1)
        agree("simulation", estimate.first_wins, 4 * estimate.first_wins_se)
    return found


def _first(value):
    return value[0] if hasattr(value, "__len__") else value


def value_row(text, objective, run):
    """A row of values.csv."""
    game = parse_game(text)
    solution = solution_of(text, objective)
    value, exact = solution.value, NONE
    alone = objective.split()[0] in ("turns", "score", "deadline")
    most = 10 if len(game.modes) > 2 else 100 if alone else 20  # the largest target in fractions
    small = run != "full" and (objective == "score" or game.target <= most) and not game.registers
    if small and "players" not in objective:
        fraction = Fraction(solution_of(text, objective, exact=True).value)
        exact = str(fraction) if max(fraction.as_integer_ratio()) < 10**40 else NONE
    found = confirmed_by(game, objective, solution, float(_first(value)), small)
    digits = " ".join(
        f"{float(chance):.17g}" for chance in (value if hasattr(value, "__len__") else [value])
    )
    assert found, "nothing confirms it"
    return [text, objective, digits, exact, run, " and ".join(found)]


def policy_row(text, objective, run):
    """A row of policies.csv."""
    game = parse_game(text)
    solution = solution_of(text, objective)
    made, found = policy_hash(game, solution.policy), []
    if game.target <= 10 and objective == "win":
        assert policy_hash(game, solution_of(text, objective, exact=True).policy) == made, (
            text,
            objective,
        )
        found.append("fractions")
    if game.registers:
        answer = dl.best_response(game, solution.policy).value
        assert abs(answer - solution.value) <= 1e-12, (text, objective, answer)
        found.append("best response")
    elif game.target * len(game.scores) < 50_000:
        certificate = certified(text, objective)
        assert certificate.optimal, (text, objective, certificate)
        found.append(f"certificate, {len(certificate.ties)} ties")
    assert found, "nothing confirms it"
    return [text, objective, made, run, " and ".join(found)]


def situation_row(text, run):
    """A row of situations.csv."""
    best, values = judge(text)
    said = "; ".join(f"{name} {value:.12f}" for name, value in values.items())
    return [text, best, said, run]


def kept_rows(name):
    """The rows of a golden file that take long, as they are."""
    table = read_table(GOLDEN / f"{name}.csv", COLUMNS[name])
    return table[table["run"] == "full"].to_numpy().tolist()


def made(make, arguments, said, wrong):
    """The rows that a function makes; what it could not confirm is added to `wrong`."""
    rows = []
    for given in tqdm(arguments, said):
        try:
            rows.append(make(*given))
        except (AssertionError, ValueError, ArithmeticError, LookupError, MemoryError) as error:
            wrong.append(f"{given}: {type(error).__name__} {error}")
    return rows


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--full", is_flag=True, help="Compute also what takes long.")
def main(folder, full):
    """Write the golden files to FOLDER, which must not exist; nothing, if anything is not confirmed."""
    if folder.exists():
        raise click.UsageError(f"{folder} exists; give a new folder")
    wrong, rows = [], {}
    for name, make, short, long in (
        ("values", value_row, dict.fromkeys(VALUES), LONG_VALUES),
        ("policies", policy_row, dict.fromkeys(POLICIES), LONG_POLICIES),
        ("situations", situation_row, [(text,) for text in SITUATIONS], []),
    ):
        rows[name] = made(make, [(*given, "default") for given in short], name, wrong)
        asked = [(*given, "full") for given in long]
        rows[name] += made(make, asked, f"long {name}", wrong) if full else kept_rows(name)
    if wrong:
        said = "\n".join(["not confirmed, so that nothing is written:", *wrong])
        raise click.ClickException(said)
    folder.mkdir(parents=True)
    counts = read_table(GOLDEN / "counts.csv", COUNTS).set_index("part")
    for name, table in rows.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS[name], *table])
        short = sum(row[COLUMNS[name].index("run")] != "full" for row in table)
        counts.loc[name] = str(short), str(len(table))
    counts.to_csv(folder / "counts.csv", lineterminator="\n")
    write_sums(folder, ["*"])


if __name__ == "__main__":
    main()
