"""Arguments, rules, numerals and files at random: each is read, or refused by an error of the package's own kinds."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from collection.notebooks import UsageError
from collection.papers import published
from collection.runner import parameters_of
from dicelab import _validation
from dicelab._accuracy import ConvergenceError
from dicelab.evaluation import sweep

REFUSED = (
    ValueError,
    _validation.WrongTypeError,
    NotImplementedError,
    ConvergenceError,
    MemoryError,
    UsageError,
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4)
    | st.decimals() | st.fractions() | st.complex_numbers() | st.integers(10**90, 10**120)
    | st.sampled_from(["bust", "reset", "roll", "reach", "exact", "win", np.int8(3), np.float32(0.5), np.arange(3)]),
    lambda v: st.lists(v, max_size=4) | st.tuples(v) | st.dictionaries(st.text(max_size=4), v, max_size=2),
    max_leaves=6,
)  # fmt: skip


def result_or_refusal(function, *arguments, **options):
    """The result of a function, or None if it refuses its arguments."""
    try:
        return function(*arguments, **options)
    except REFUSED as error:
        assert type(error) in REFUSED and 5 < len(str(error)) < 2000
        return None


@settings(max_examples=400)
@given(anything)
def test_checks_and_records(value):
    for check, *more in (
        (_validation.check_int, "n", 0),
        (_validation.check_probability,),
        (_validation.check_sequence, "n", "a sequence"),
        (_validation.check_option, "n", ["a"]),
        (_validation.check_path, "n", (".csv",)),
        (_validation.check_jobs, "n"),
        (_validation.check_real, "n", 0, 1),
    ):
        result_or_refusal(check, value, *more)
    for record, fields in ((dl.Choice, 3), (dl.Outcome, 2), (dl.Mode, 2), (dl.Game, 4)):
        result_or_refusal(record, *[value] * fields)


@settings(max_examples=300)
@given(
    anything,
    st.sampled_from(["target", "finish", "probabilities", "dice", "bust", "reset", "name"]),
)
def test_arguments_of_a_game(value, argument):
    game = result_or_refusal(
        dl.generalized_pig, **({"probabilities": ["1/2", "1/2"], "target": 5} | {argument: value})
    )
    assert game is None or (isinstance(game, dl.Game) and type(game.target) is int)


@settings(max_examples=500)
@given(st.text("0123456789eE+-./_ %nainf١½", max_size=12))
def test_numerals_are_the_numbers_that_python_reads(text):
    found = result_or_refusal(_validation.check_probability, text)
    if found is not None:
        assert 0 <= found <= 1 and found == Fraction(text)
    result_or_refusal(published.as_number, text)


chances = st.sampled_from(
    ["1/2", "1/3", "1/6", 0.5, 0.25, Fraction(1, 4), 1, 0, "0.1", Decimal("0.5"), "1e-12", "1e-300"]
)
choice = st.builds(dl.Choice, st.integers(0, 4), st.sampled_from("abc"))
outcome = st.builds(dl.Outcome, st.sampled_from(["1/2", "1/3", "1/6", 1]), st.sampled_from(["bust", "reset"]) | choice
                    | st.lists(choice, min_size=2, max_size=2))  # fmt: skip
mode = st.tuples(st.sampled_from("abc"), st.lists(outcome, max_size=3), st.booleans())


def check_every_objective(game):
    """Each is solved, with values in their range and in agreement with fractions, or refused."""
    for objective in ("win", "margin", "turns", "score"):
        solution = result_or_refusal(dl.solve, game, objective)
        if solution:
            assert not np.isnan(solution.values).any()
            assert (
                objective != "win"
                or -1e-12 <= solution.values.min() <= solution.values.max() <= 1 + 1e-12
            )
            exact = (
                result_or_refusal(dl.solve, game, objective, exact=True)
                if game.target <= 5
                else None
            )
            if exact:
                wanted = exact.values.astype(float)
                np.testing.assert_allclose(
                    solution.values, wanted, rtol=1e-11, atol=1e-12 * game.target
                )


@settings(max_examples=100)
@given(
    st.lists(chances, max_size=5),
    st.integers(-1, 12),
    st.integers(0, 4),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_dice_are_solved_or_refused(faces, target, number, bust, reset):
    game = result_or_refusal(
        dl.generalized_pig, faces, target, dice=number, bust=bust, reset=reset or None
    )
    if game:
        check_every_objective(game)


@settings(max_examples=300)
@given(st.lists(mode, max_size=3), st.integers(0, 6), st.sampled_from(["reach", "exact", "both"]))
def test_rules_are_solved_or_refused(parts, target, finish):
    game = result_or_refusal(
        dl.Game, "any", target, [result_or_refusal(dl.Mode, *part) for part in parts], finish
    )
    if game:
        check_every_objective(game)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "x"


@settings(max_examples=400)
@given(text=st.text('target,printed\n0123456789.e"/%- x\0', max_size=40) | st.binary(max_size=30))
def test_tables_are_read_or_refused(file, text):
    file.write_bytes(text if isinstance(text, bytes) else ("target,printed\n" + text).encode())
    found = result_or_refusal(published.read_table, file, ["target", "printed"])
    for printed in found["printed"] if found is not None else []:
        result_or_refusal(published.as_number, printed)


json_values = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda v: st.lists(v) | st.dictionaries(st.text(), v),
)


@pytest.mark.slow
@settings(max_examples=300)
@given(lines=st.lists(json_values.map(json.dumps) | st.text(max_size=20), max_size=3))
def test_files_of_sweeps_are_read_or_refused(file, lines):
    file.write_text("\n".join([*lines, ""]), newline="\n")
    before = file.read_bytes()
    done = result_or_refusal(sweep._read, file)
    assert done is None or all(isinstance(found, dict) for found in done.values())
    assert file.read_bytes() in (before, before[: before.rfind(b"\n") + 1])


@pytest.mark.slow
@settings(max_examples=300)
@given(text=st.text('{}[]":, abcells0', max_size=40) | json_values.map(json.dumps))
def test_notebooks_are_read_or_refused(file, text):
    file.write_text(text)
    result_or_refusal(parameters_of, file)
