"""Every result is one line in the terminal, with the number that a person wants."""

import re

import numpy as np
import pytest

import dicelab as dl
from collection.papers import FinishesAtOnce
from dicelab._shown import with_interval
from dicelab_extras import proofs

PIG = dl.pig(20)
LONG = dl.Game("A very <b>long</b>\nname " * 9, 20, PIG.modes)
SOLUTION = dl.solve(dl.pig(30))


MATCH = dl.evaluate(
    SOLUTION.game, SOLUTION.policy, dl.Rule("mine", lambda own, opponent, total: total > 3)
)
ESTIMATE = dl.simulate(SOLUTION.game, dl.hold_at(25), dl.hold_at(20), games=1000)


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (
            dl.pig(),
            "<Game Pig to 100: the first roll busts with probability 1/6, a roll adds at most 6>",
        ),
        (PIG.modes[0], '<Mode "roll": a roll busts with probability 1/6, adds at most 6>'),
        (PIG.modes[0].outcomes[1], "<Outcome 1/6: +2 to roll>"),
        (
            dl.ten_thousand(20, "exact"),
            "Ten Thousand to 20 chips (1,000 points) exactly: the first roll busts with probability 25/324",
        ),
        (LONG, "<Game A very <b>long</b> name A very … to 20: "),
        (dl.solve(LONG), "<Solution of A very "),
        (
            SOLUTION,
            f'"win": {SOLUTION.value:.6g} to the player to move, error {SOLUTION.error:.0e}>',
        ),
        (dl.solve(PIG, "turns"), " turns, error "),
        (dl.solve(PIG, "score"), '"score": 8.14179 expected from one turn, error '),
        (dl.solve(PIG, exact=True), "to the player to move, exact>"),
        (dl.best_response(PIG, dl.hold_at(20)), '"win" against hold at 20: '),
        (
            dl.solve(dl.pig(80)).policy,
            "<OptimalPolicy of Pig to 80: at scores 0 and 0 it holds at 2",
        ),
        (SOLUTION.policy, "<OptimalPolicy of Pig to 30: at scores 0 and 0 it rolls until it wins>"),
        (dl.solve(dl.double_trouble(60)).policy, "in mode 'free' at scores 0 and 0 it holds at "),
        (
            FinishesAtOnce(SOLUTION.policy),
            "<FinishesAtOnce of Pig to 30: optimal policy, taking every win>",
        ),
        (dl.hold_at(20), '<Rule "hold at 20">'),
        (dl.scoring_turns(4), '<Rule "4 scoring turns", 4 internal states>'),
        (MATCH, f"optimal policy wins {MATCH.first_wins:.6f} against mine, moving first "),
        (MATCH.second, '<RecordedPolicy of Pig to 30: "mine">'),
        (ESTIMATE, "1,000 games: hold at 25 wins 0."),
        (proofs.certify(SOLUTION), 'of Pig to 30, "win": optimal, values within '),
    ],
    ids=lambda value: type(value).__name__,
)
def test_one_line(thing, said):
    line = repr(thing)
    assert said in line and not re.search(r"\n|np\.", line) and len(line) < 160
    assert line.startswith(f"<{type(thing).__name__} ")


@pytest.mark.parametrize(
    ("number", "error", "said"),
    [
        (0.543482, 0.0016, "0.5435 ± 0.0031 (95 %)"),
        (19.4372, 0.5, "19.44 ± 0.98 (95 %)"),
        (1944.0, 100.0, "1944 ± 196 (95 %)"),
        (1.0, 0.0, "1"),
        (np.inf, np.nan, "inf"),
    ],
)
def test_an_estimate_has_its_interval(number, error, said):
    assert with_interval(number, error) == said
