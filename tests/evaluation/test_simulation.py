"""Simulation where rules are odd: choices past the target, games that never end, and games that hardly do."""

import subprocess
import sys
from functools import partial
from itertools import product

import joblib
import numpy as np
import pytest
from conftest import mode_of

import dicelab as dl
from collection.papers.published import ROOT

few_games = partial(dl.simulate, games=10_000)


FREE = mode_of("free", ("1/2", [(1, "must")]), ("1/2", [(1, "free")]))
MUST = mode_of(
    "must",
    ("999/1000", [(1, "must"), (3, "must")]),
    ("1/2000", [(1, "free")]),
    ("1/2000", "bust"),
    may_hold=False,
)
PAST = dl.Game("past", 2, (FREE, MUST))
RARE = ["65535/65536", "1/65536"]


def test_choices_are_none_past_the_target():
    """Some thousand rolls past it, one still chooses, between what is the same there. A turn wins in 3 of 4 cases."""
    estimate = dl.simulate(PAST, dl.hold_at(2), dl.hold_at(2), games=20_000)
    assert (
        abs(estimate.first_wins - dl.evaluate(PAST, dl.hold_at(2), dl.hold_at(2)).first_wins)
        <= 0.02
    )
    assert estimate.first_wins == pytest.approx(8 / 11, abs=4 * estimate.first_wins_se)


def test_endless_play_is_a_draw():
    """Resets keep both from the target; or one may not arrive."""
    never = dl.simulate(dl.two_dice_pig(3, "exact"), dl.hold_at(1), dl.hold_at(1), games=1)
    assert (never.first_wins, never.first_wins_se, never.turns_mean) == (0.5, 0, np.inf)
    assert np.isnan([never.turns_sd, never.turns_mean_se, never.turns_sd_se]).all()
    threes = dl.Game(
        "Threes",
        4,
        [mode_of("m", ("1/4", "bust"), ("1/4", "reset"), ("1/2", [(1, "m"), (3, "m")]))],
        "exact",
    )
    drawn = 0
    for game, n in product((threes, dl.pig(9, "exact")), (1, 2, 3)):
        for first, second in ((dl.hold_at(n), dl.hold_at(2)), (dl.scoring_turns(n), dl.hold_at(3))):
            estimate, match = (ask(game, first, second) for ask in (few_games, dl.evaluate))
            assert abs(estimate.first_wins - match.first_wins) <= 4 * estimate.first_wins_se + 1e-12
            drawn += estimate.first_wins_se > 0 and np.isinf(estimate.turns_mean)
    assert drawn >= 3


@pytest.mark.parametrize("finish", ["reach", "exact"])
def test_games_of_many_turns(finish):
    """To score takes one turn in 65,536."""
    game = dl.generalized_pig(RARE, 1, finish=finish)
    estimate = dl.simulate(game, dl.hold_at(1), dl.hold_at(1), games=300)
    assert abs(estimate.turns_mean - 2**16) <= 4 * estimate.turns_mean_se
    assert abs(estimate.turns_sd - 2**16) <= 4 * estimate.turns_sd_se


@pytest.mark.parametrize(
    ("finish", "share", "turns"), [("equal turns", 1 / 2, 8 / 3), ("last licks", 2 / 3, 3)]
)
def test_a_last_turn_by_hand(finish, share, turns):
    """One roll a turn, which scores or busts: a last turn draws at best, or loses; the second may win at once."""
    roll = mode_of("roll", ("1/2", [(1, "stop")]), ("1/2", "bust"))
    game = dl.Game("tie", 1, [roll, dl.Mode("stop", [])], finish)
    estimate = few_games(game, dl.hold_at(1), dl.hold_at(1))
    assert abs(estimate.first_wins - share) <= 4 * estimate.first_wins_se
    assert abs(estimate.turns_mean - turns) <= 4 * estimate.turns_mean_se
    game = dl.Game("more", 3, [mode_of("roll", ("1", [(1, "roll")]))], finish)
    estimate = few_games(game, dl.hold_at(3), dl.hold_at(2))  # rolls on until it is ahead
    assert (estimate.first_wins, estimate.turns_mean, estimate.turns_sd) == (0, 2, 0)


def test_workers_do_not_matter():
    """In threads and in processes."""

    told = partial(dl.simulate, PAST, dl.hold_at(9), dl.hold_at(7), games=60_000)
    expected = told(n_jobs=1)
    assert told(n_jobs=2) == expected == told() != told(seed=4)
    with joblib.parallel_config(backend="loky"):
        assert told(n_jobs=2) == expected


def test_a_game_without_an_end_in_sight_is_a_draw():
    """One turn in 10^12 scores, and a million are played."""
    game = dl.generalized_pig([f"{10**12 - 1}/{10**12}", f"1/{10**12}"], 1)
    found = dl.simulate(game, dl.hold_at(1), dl.hold_at(1), games=4)
    assert (found.first_wins, found.first_wins_se, found.turns_mean) == (0.5, 0, np.inf)


@pytest.mark.slow
def test_no_index_is_out_of_bounds():
    """Matches and simulations of random games, by kernels that look; all others: ``python -m tests.by_hand.bounds``."""
    calls = [word for call in ("evaluate", "turns", "simulate") for word in ("--calls", call)]
    command = [sys.executable, "-m", "tests.by_hand.bounds", "--games", "40", *calls]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("40 games,") and result.stdout.endswith(
        ": no index out of bounds\n"
    )
