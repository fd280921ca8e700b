"""Mutants of the solvers, and whether the tests notice: ``python -m tests.by_hand.mutants --sample 200 --seed 1``.

A mutant is a module with one small change: + for -, < for <=, 2 for 1, `or` for `and`, no pass of a loop. They are made
by the operators of cosmic-ray (``pip install cosmic-ray``, which only this program needs). A sample of all mutants is
drawn and tried in a copy of this checkout's last commit, on tests that are quick without the compiler. A mutant that
passes them has survived. Then either its change means nothing, for which ``mutants.csv`` gives the reason, or a test is
missing.

Code without an effect on results is not changed: annotations, ``__all__``, raised messages, progress bars, and
estimates of memory, which ``tests/test_limits.py`` compares with measured peaks. Results are appended to a file as they
come. When started again, the program tries the mutants that are missing or survived. The draw of a mutant depends on
its own line only.
"""

import ast
import csv
import difflib
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
MODULES = [
    "solvers/_kernels",
    "solvers/two_player",
    "solvers/one_player",
    "solvers/rational",
    "evaluation/markov_chain",
    "evaluation/match",
]
KERNELS = "tests/solvers/test_kernels.py"
ELSEWHERE = [  # other quick tests, of errors
    "tests/test_house.py::test_the_package_imports_without_numba_and_says_what_is_missing",
    "tests/solvers/test_one_player.py::test_a_turn_that_can_lose_nothing_has_no_best",
    "tests/evaluation/test_match.py::test_what_is_not_played_is_refused",
    "tests/solvers/test_rational.py::test_a_round_limit_raises",
    "tests/solvers/test_rational.py::test_ties_of_a_race",
]
LONG = 100  # seconds of a processor that a mutant has
ARITHMETIC = ("Add", "Sub", "Mul", "Div")
COMPARISONS = ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")
OPERATORS = [
    *(f"ReplaceBinaryOperator_{a}_{b}" for a in ARITHMETIC for b in ARITHMETIC if a != b),
    *(
        "ReplaceBinaryOperator_FloorDiv_Div",
        "ReplaceBinaryOperator_Mod_FloorDiv",
        "ReplaceBinaryOperator_Pow_Mul",
    ),
    *(f"ReplaceComparisonOperator_{a}_{b}" for a in COMPARISONS for b in COMPARISONS if a != b),
    *("ReplaceComparisonOperator_Is_IsNot", "ReplaceComparisonOperator_IsNot_Is", "AddNot"),
    *(
        "ReplaceUnaryOperator_Delete_Invert",
        "ReplaceUnaryOperator_Delete_Not",
        "ReplaceUnaryOperator_Delete_USub",
    ),
    *(
        "NumberReplacer",
        "ReplaceTrueWithFalse",
        "ReplaceFalseWithTrue",
        "ReplaceAndWithOr",
        "ReplaceOrWithAnd",
    ),
    *(
        "ReplaceBreakWithContinue",
        "ReplaceContinueWithBreak",
        "ZeroIterationForLoop",
        "ExceptionReplacer",
    ),
]
READY = [
    "numba",
    "pandas",
    "scipy.optimize",
    "scipy.sparse.linalg",
    "sympy",
    "hypothesis",
    "pytest",
    "nbformat",
]


def explained():
    """Why a change means nothing, by module and what the line becomes."""
    with Path(__file__).with_suffix(".csv").open(newline="") as file:
        return {(row["module"], row["becomes"]): row["why"] for row in csv.DictReader(file)}


def calls(node, name):
    """Whether a node of the syntax tree is a call of what has this name."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == name


def sets(node, name):
    """Whether it assigns to what has this name."""
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return isinstance(node, ast.Assign | ast.AugAssign) and getattr(targets[0], "id", "") == name


def unseen(source):
    """What is left as it is: pairs of places, (line, column), from and to."""
    for node in ast.walk(ast.parse(source)):
        parts = []
        function = isinstance(node, ast.FunctionDef)
        named = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
        if isinstance(node, ast.Raise) or named or (function and node.name.endswith("_bytes")):
            parts = [node]
        elif function and any(calls(inner, "check_memory") for inner in ast.walk(node)):
            parts = [
                inner
                for inner in ast.walk(node)
                if calls(inner, "check_memory") or sets(inner, "size")
            ]
        elif (
            calls(node, "tqdm") or calls(node, "progress") or calls(node, "zip")
        ):  # zip's `strict` only finds mistakes
            parts = node.keywords
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            parts = [node.annotation]
        for part in parts:
            yield (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)


def mutants(module, seed):
    """What all mutants of a module are: dicts with a `mark`, a number drawn from the line and what is done to it."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator

    source = (ROOT / "dicelab" / f"{module}.py").read_text()
    kept = list(unseen(source))
    tree = get_ast(source)
    lines = source.splitlines()
    same = Counter()
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        places = [place for node in ast_nodes(tree) for place in operator.mutation_positions(node)]
        for occurrence, (start, _) in enumerate(places):
            if any(begin <= start < end for begin, end in kept):
                continue
            said = f"{module} {name} {lines[start[0] - 1]} {start[1]}"
            mark = sha256(f"{seed} {said} {same[said]}".encode()).hexdigest()[:16]
            same[said] += 1
            yield {
                "module": module,
                "line": start[0],
                "operator": name,
                "mark": mark,
                "occurrence": occurrence,
            }


def changed(mutant):
    """The whole code of a mutant, and its lines that differ."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    source = (ROOT / "dicelab" / f"{mutant['module']}.py").read_text()
    code = mutate_code(source, get_operator(f"core/{mutant['operator']}")(), mutant["occurrence"])
    differ = difflib.unified_diff(source.splitlines(), code.splitlines(), lineterm="", n=0)
    return {"code": code, "diff": [line for line in differ if line[0] in "+-"][2:]}


def begin(folder):
    """Run tests without the compiler, in a child of this process, which has imported all but the package."""
    child = os.fork()
    if child:
        return child
    os.setsid()
    out = os.open(folder.parent / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1), os.dup2(out, 2)
    os.chdir(folder)
    sys.path[:] = [str(folder), *(place for place in sys.path if Path(place).resolve() != ROOT)]
    sys.dont_write_bytecode = True
    code = 3
    try:
        import pytest

        code = int(
            pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--tb=line", KERNELS, *ELSEWHERE])
        )
    finally:
        os._exit(code)


def why(mutant):
    """Why it means nothing, if that is known."""
    return explained().get((mutant["module"], mutant["diff"][-1][1:].strip()))


def outcome(folder, seconds):
    """The result of the tests: "passed", "failed" or "time", if they took more of a processor's time than this."""
    child = begin(folder)
    resource.prlimit(child, resource.RLIMIT_CPU, (seconds, seconds))
    _, status = os.waitpid(child, 0)
    return "passed" if status == 0 else "time" if os.WIFSIGNALED(status) else "failed"


def tried(folder, mutant):
    """What becomes of a module's tests with a mutant in its place."""
    path = folder / "dicelab" / f"{mutant['module']}.py"
    whole = path.read_text()
    path.write_text(mutant["code"])
    try:
        return outcome(folder, LONG)
    finally:
        path.write_text(whole)


def table(drawn, found):
    """What became of the mutants, a line a module, and the survivors, those that are explained first."""
    counts = {name: Counter() for name in MODULES}
    for mutant in drawn:
        passed = "means nothing" if why(mutant) else "survived"
        counts[mutant["module"]][found[mutant["mark"]].replace("passed", passed)] += 1
    counts["all"] = sum(counts.values(), Counter())
    kinds = "failed", "time", "means nothing", "survived"
    yield f"| module | mutants | noticed | {' | '.join(kinds)} |\n{'|---' * (3 + len(kinds))}|"
    for name, count in counts.items():
        total = sum(count.values())
        noticed = count["failed"] + count["time"]
        share = f"{noticed}, {100 * noticed / max(total, 1):.1f} %"
        yield f"| {name} | {total} | {share} | {' | '.join(str(count[kind]) for kind in kinds)} |"
    for mutant in sorted(
        (m for m in drawn if found[m["mark"]] == "passed"), key=lambda m: not why(m)
    ):
        said = f"{mutant['module']}.py, line {mutant['line']}: {why(mutant) or 'SURVIVED'}"
        yield "\n".join(["", said, *mutant["diff"]])


@click.command()
@click.option("--sample", default=200, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--module", "modules", multiple=True, default=MODULES, type=click.Choice(MODULES))
@click.option(
    "--results", default=ROOT / "build" / "mutants.jsonl", type=click.Path(path_type=Path)
)
def main(sample, seed, modules, results):
    """Draw, try, and report."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    for name in READY:
        importlib.import_module(name)
    every = sorted(
        (m for module in modules for m in mutants(module, seed)), key=lambda m: m["mark"]
    )
    drawn = [mutant | changed(mutant) for mutant in every[:sample]]
    click.echo(f"{len(every)} mutants, of which {len(drawn)} are drawn")
    results.parent.mkdir(parents=True, exist_ok=True)
    lines = results.read_text().splitlines() if results.exists() else []
    found = {entry["mark"]: entry["tests"] for entry in map(json.loads, lines)}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "dicelab"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        if outcome(folder, 10 * LONG) != "passed":
            raise click.ClickException(
                f"the tests fail without a mutant\n{(folder.parent / 'log').read_text()}"
            )
        for number, mutant in enumerate(drawn, 1):
            if found.get(mutant["mark"], "passed") != "passed":
                continue
            begun_at = time.monotonic()
            found[mutant["mark"]] = tests = tried(folder, mutant)
            entry = {key: mutant[key] for key in ("module", "line", "operator", "mark", "diff")} | {
                "tests": tests
            }
            with results.open("a") as file:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
            said = f"{mutant['module']}.py:{mutant['line']} {mutant['operator']}: {tests}"
            click.echo(f"{number}: {said}, {time.monotonic() - begun_at:.0f} s")
    click.echo("\n".join(table(drawn, found)))


if __name__ == "__main__":
    main()
