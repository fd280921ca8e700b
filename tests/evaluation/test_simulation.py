"""Simulation where rules are odd: choices past the target, games that never end, and games that hardly do."""

import signal
import subprocess
import sys
from itertools import product

import joblib
import numpy as np
import psutil
import pytest
from conftest import until

import dicelab as dl
from collection.papers.published import ROOT
from dicelab.engine.play import draw
from dicelab.evaluation import simulation as montecarlo


def mode(name, *outcomes, may_hold=True):
    """A mode; an outcome is a chance and a result, or pairs (points, mode)."""
    read = [
        (p, r if isinstance(r, str) else [dl.Choice(*choice) for choice in r]) for p, r in outcomes
    ]
    return dl.Mode(name, [dl.Outcome(*outcome) for outcome in read], may_hold)


FREE = mode("free", ("1/2", [(1, "must")]), ("1/2", [(1, "free")]))
MUST = mode(
    "must",
    ("999/1000", [(1, "must"), (3, "must")]),
    ("1/2000", [(1, "free")]),
    ("1/2000", "bust"),
    may_hold=False,
)
PAST = dl.Game("past", 2, (FREE, MUST))
RARE = ["65535/65536", "1/65536"]


def test_random_words_are_numpys():
    """The stream that NumPy draws from the same state."""
    source, drawn = np.random.SFC64(5), []
    state = tuple(source.state["state"]["state"])
    with np.errstate(over="ignore"):  # uncompiled: an inlined kernel has no entry from Python
        for _ in range(1000):
            word, *state = draw.py_func(*map(np.uint64, state))
            drawn.append(int(word))
    assert drawn == source.random_raw(1000).tolist()


def test_choices_are_none_past_the_target():
    """Some thousand rolls past it, one still chooses, between what is the same there. A turn wins in 3 of 4 cases."""
    estimate = dl.simulate(PAST, dl.hold_at(2), dl.hold_at(2), games=20_000)
    assert (
        abs(estimate.first_wins - dl.evaluate(PAST, dl.hold_at(2), dl.hold_at(2)).first_wins)
        <= 0.02
    )
    assert estimate.first_wins == pytest.approx(8 / 11, abs=4 * estimate.first_wins_se)


def test_endless_play_is_a_draw():
    """Resets keep both from the target; or one may not arrive; or only some scores lead there."""
    never = dl.simulate(dl.two_dice_pig(3, "exact"), dl.hold_at(1), dl.hold_at(1), games=1)
    assert (never.first_wins, never.first_wins_se, never.turns_mean) == (0.5, 0, np.inf)
    assert np.isnan([never.turns_sd, never.turns_mean_se, never.turns_sd_se]).all()
    threes = dl.Game(
        "Threes",
        4,
        [mode("m", ("1/4", "bust"), ("1/4", "reset"), ("1/2", [(1, "m"), (3, "m")]))],
        "exact",
    )
    trap = mode("trap", ("1", "reset"), may_hold=False)
    trapped = dl.Game(
        "Trapped",
        4,
        [mode("m", ("1/2", [(2, "m")]), ("1/4", [(1, "trap")]), ("1/4", "bust")), trap],
    )
    drawn = 0
    for game, n in product((threes, trapped, dl.pig(9, "exact")), (1, 2, 3)):
        for first, second in ((dl.hold_at(n), dl.hold_at(2)), (dl.scoring_turns(n), dl.hold_at(3))):
            estimate, match = (ask(game, first, second) for ask in (few_games, dl.evaluate))
            assert abs(estimate.first_wins - match.first_wins) <= 4 * estimate.first_wins_se + 1e-12
            drawn += estimate.first_wins_se > 0 and np.isinf(estimate.turns_mean)
    assert drawn >= 3


def few_games(*match):
    return dl.simulate(*match, games=10_000)


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
    roll = mode("roll", ("1/2", [(1, "stop")]), ("1/2", "bust"))
    game = dl.Game("tie", 1, [roll, dl.Mode("stop", [])], finish)
    estimate = few_games(game, dl.hold_at(1), dl.hold_at(1))
    assert abs(estimate.first_wins - share) <= 4 * estimate.first_wins_se
    assert abs(estimate.turns_mean - turns) <= 4 * estimate.turns_mean_se
    game = dl.Game("sure", 1, [mode("roll", ("1", [(1, "stop")])), dl.Mode("stop", [])], finish)
    estimate = few_games(game, dl.hold_at(1), dl.hold_at(1))
    sure = estimate.first_wins, estimate.turns_mean, estimate.turns_sd
    assert sure == (0.5 if finish == "equal turns" else 1.0, 2, 0)
    assert estimate.first_wins_se == 0
    game = dl.Game("more", 3, [mode("roll", ("1", [(1, "roll")]))], finish)
    estimate = few_games(game, dl.hold_at(3), dl.hold_at(2))  # rolls on until it is ahead
    assert (estimate.first_wins, estimate.turns_mean, estimate.turns_sd) == (0, 2, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [dl.pig(30), dl.pig(20, "exact"), PAST],
    ids=lambda game: game.name,
)
def test_parts_do_not_matter(game, monkeypatch):
    """A game goes on exactly where it was left, within a turn or between two; in threads and in processes."""

    def told(n_jobs):
        found = dl.simulate(game, dl.hold_at(9), dl.hold_at(7), games=200, n_jobs=n_jobs)
        return [found.first_wins, found.turns_mean, found.turns_sd, found.turns_sd_se]

    expected = told(1)
    for part in (1, 2, 50) if game != PAST else (1000,):
        monkeypatch.setattr(montecarlo, "PART", part)
        monkeypatch.setattr(montecarlo, "BLOCK", 200)
        np.testing.assert_equal(told(1), expected)
    np.testing.assert_equal(told(2), expected)
    if game == PAST:
        with joblib.parallel_config(backend="loky"):
            np.testing.assert_equal(told(2), expected)


SLOW = """
import signal, sys, threading, time
import dicelab as dl
from dicelab import _limits
_limits.audience = lambda: "terminal"  # a log is told of the end alone
signal.signal(signal.SIGINT, signal.default_int_handler)  # what is begun in the background of a shell ignores it
must = dl.Mode("must", [dl.Outcome(f"{10**12 - 1}/{10**12}", dl.Choice(1, "must")),
                        dl.Outcome(f"1/{10**12}", dl.Choice(1, "free"))], may_hold=False)
games = {
    "many turns": dl.generalized_pig(["65535/65536", "1/65536"], 3),
    "one turn": dl.Game("one turn", 2, [dl.Mode("free", [dl.Outcome("1", dl.Choice(1, "must"))]), must]),
}
try:
    dl.simulate(games[sys.argv[1]], dl.hold_at(3), dl.hold_at(3), games=200_000, n_jobs=int(sys.argv[2]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
    ended, rests = time.monotonic(), False
    while not rests and time.monotonic() < ended + 60:  # a part is played to its end
        used = time.process_time()
        time.sleep(0.5)
        rests = time.process_time() - used < 0.1
    print(rests)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("slow", "n_jobs"), [("many turns", 2), ("one turn", 1)])
def test_a_slow_game_shows_that_it_is_played_and_can_be_interrupted(slow, n_jobs, tmp_path):
    """At once, and no thread goes on; no game of these ever ended."""
    said = tmp_path / "said"

    def played():
        """The turns of the longest game in play, the most that was shown so far; -1 before anything is."""
        if slow == "one turn":  # which never ends
            return 0 if "the longest game in play" in said.read_text() else -1
        numbers = [
            part.replace(",", "")
            for part in said.read_text().split()
            if part[0].isdigit() and "," in part
        ]
        return max(map(int, numbers), default=-1)

    with said.open("w") as errors:
        command = [sys.executable, "-c", SLOW, slow, str(n_jobs)]
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        until(lambda: played() >= (0 if slow == "one turn" else 100_000))
        worked = psutil.Process(process.pid).cpu_times
        before = worked()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert worked().user - before.user < 4 * n_jobs, (
            "seconds of work, not of waiting for a core"
        )
        assert process.communicate()[0] == "True\n"
    assert process.returncode == 0


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
