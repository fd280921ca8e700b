"""Games as Markov decision processes, solved by QuantEcon, which knows nothing of dice."""

from importlib import import_module

import numpy as np
import pytest
from scipy.sparse import diags_array, eye_array, vstack
from scipy.sparse.linalg import spsolve

import dicelab as dl

UNDISCOUNTED = 1 - 1e-13


@pytest.fixture(scope="module")
def solved_elsewhere(kept):
    """QuantEcon's solver. The first import compiles and keeps files, which two processes at once would spoil."""
    kept.make("quantecon", lambda folder: import_module("quantecon").__name__)
    from quantecon.markov import DiscreteDP

    def solve(mdp):
        states, actions = np.indices(mdp.rewards.shape).reshape(2, -1, order="F")
        transitions = vstack(mdp.transitions, format="csr")
        process = DiscreteDP(mdp.rewards.ravel("F"), transitions, UNDISCOUNTED, states, actions)
        return process.solve(method="policy_iteration")

    return solve


@pytest.mark.parametrize(
    ("game", "against"),
    [
        (dl.pig(50), 20),
        (dl.two_dice_pig(20), 15),  # resets
        (dl.double_trouble(15), 10),  # rolls that are forced, also beyond the target
        (dl.pig(20, finish="exact"), 8),
        (dl.Game("one", 12, dl.pig(12).modes, registers=[dl.Register("one", penalty=-1)]), 5),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_best_responses(solved_elsewhere, game, against):
    mdp = dl.to_mdp(game, against)
    for matrix in mdp.transitions:
        assert abs(np.asarray(matrix.sum(axis=1)) - 1).max() <= 1e-12
    best = dl.best_response(game, against)
    found = solved_elsewhere(mdp)
    assert found.v[mdp.start] == pytest.approx(best.value, abs=1e-10)
    states = mdp.states[(mdp.states["mode"] != "") & (mdp.states["turn_total"] == 0)]
    one = states[(states["own"] == 4) & (states["opponent"] == 5)].index[0]
    if not game.registers:
        assert found.v[one] == pytest.approx(best.values[4, 5], abs=1e-10)


def test_a_policy_against_one_that_remembers():
    mdp, other = dl.to_mdp("pig 12", dl.scoring_turns(3)), dl.scoring_turns(3)
    (hold, roll), holds = mdp.transitions, mdp.states["turn_total"].to_numpy() >= 5
    here = np.flatnonzero(mdp.states["own"] >= 0)
    chain = (diags_array(1.0 * holds) @ hold + diags_array(1.0 * ~holds) @ roll).tocsr()[here][
        :, here
    ]
    rewards = np.where(holds, mdp.rewards[:, 0], mdp.rewards[:, 1])[here]
    values = spsolve((eye_array(len(here)) - chain).tocsc(), rewards)
    assert values[here == mdp.start] == pytest.approx(
        dl.evaluate("pig 12", 5, other).first_wins, abs=1e-12
    )


@pytest.mark.parametrize("game", ["pig 30", "two-dice-pig 15", "double-trouble 15"])
def test_fewest_turns(solved_elsewhere, game):
    mdp = dl.to_mdp(game)
    best = dl.solve(game, "turns")
    found = solved_elsewhere(mdp)
    assert -found.v[mdp.start] == pytest.approx(best.value, abs=1e-10)
    states = mdp.states
    free = states["mode"] == dl.solve(game).game.modes[0].name  # in which one may hold
    asked = states[free & (states["own"] == 3) & states["turn_total"].between(1, 8)]
    rolls = [best.policy.rolls(3, 0, total) for total in asked["turn_total"]]
    assert [bool(found.sigma[state]) for state in asked.index] == rolls


def test_what_it_refuses():
    with pytest.raises(NotImplementedError, match="Ten Thousand: a roll offers choices"):
        dl.to_mdp("ten-thousand 20")
    with pytest.raises(NotImplementedError, match="last licks"):
        dl.to_mdp(dl.pig(20, finish="last licks"))
    with pytest.raises(ValueError, match="against: 'nobody' is not allowed"):
        dl.to_mdp("pig 20", "nobody")
