"""Standard problems: what QuantEcon says about the same data, and what others have printed."""

from fractions import Fraction
from functools import cache
from importlib import import_module

import numpy as np
import pytest
from scipy.sparse import csr_array, hstack, vstack

from collection import textbook

UNDISCOUNTED = 1 - 1e-13

PROBLEMS = {
    "replacement": textbook.machine_replacement(),
    "replacement, worn sooner": textbook.machine_replacement(0.99, worst=8, wear=0.7),
    "inventory": textbook.inventory(),
    "a larger room": textbook.inventory(room=9, order=7, demand={0: 0.5, 2: 0.3, 4: 0.2}),
    "admission": textbook.admission(),
    "grid": textbook.grid(),
    "secretary": textbook.secretary(20),
    "two coins": textbook.two_armed_bandit(6),
}


@pytest.fixture(scope="module")
def solved_elsewhere(kept):
    """QuantEcon's solver; the process ends in a state of its own, which costs nothing."""
    kept.make("quantecon", lambda folder: import_module("quantecon").__name__)
    from quantecon.markov import DiscreteDP

    def solve(process):
        states, _, costs, moves = process.arrays()
        end = csr_array(1 - moves.sum(axis=1)[:, None])
        stays = csr_array(([1.0], ([0], [moves.shape[1]])), shape=(1, moves.shape[1] + 1))
        actions = np.concatenate([np.arange(n) for n in np.bincount(states)] + [[0]])
        return DiscreteDP(
            np.append(-costs, 0.0),
            vstack([hstack([moves, end]), stays], format="csr"),
            UNDISCOUNTED,
            np.append(states, moves.shape[1]),
            actions,
        ).solve(method="policy_iteration")

    return solve


@pytest.mark.parametrize("name", PROBLEMS)
def test_quantecon_says_the_same(name, solved_elsewhere):
    """Values, and the policy unless two actions are equally good."""
    process = PROBLEMS[name]
    for moves in (moves for actions in process.actions.values() for _, moves in actions.values()):
        assert 0 <= sum(moves.values()) <= 1 + 1e-12 and all(p > 0 for p in moves.values())
        assert moves.keys() <= process.actions.keys()
    values, policy, _ = textbook.policy_iteration(process)
    found = solved_elsewhere(process)
    assert [*values.values()] == pytest.approx(-found.v[:-1], rel=1e-10, abs=1e-9)
    agree = sum(
        [*process.actions[state]][number] == policy[state]
        for state, number in zip(process.actions, found.sigma, strict=False)
    )
    assert agree >= 0.5 * len(policy) and (name == "two coins" or agree == len(policy))


def test_the_grid_is_that_of_the_book():
    """The utilities of Russell and Norvig (2010), figure 17.3."""
    printed = {(1, 3): 0.812, (2, 3): 0.868, (3, 3): 0.918, (1, 2): 0.762, (3, 2): 0.660}
    printed |= {(1, 1): 0.705, (2, 1): 0.655, (3, 1): 0.611, (4, 1): 0.388, (4, 2): -1, (4, 3): 1}
    values, _, _ = textbook.policy_iteration(textbook.grid())
    assert {square: round(-value, 3) for square, value in values.items()} == printed


def test_the_order_is_up_to_a_level():
    """(s, S): where something is ordered, always up to the same stock, and only at low stocks (Scarf 1960)."""
    for order, lost in ((2, 8), (4, 8), (7, 12)):
        process = textbook.inventory(room=9, order=order, lost=lost)
        policy = textbook.policy_iteration(process)[1]
        ordering = [stock for stock, number in policy.items() if number]
        assert ordering == [*range(len(ordering))]
        assert len({stock + policy[stock] for stock in ordering}) == 1


def test_the_secretary_in_fractions():
    """By the best r: pass r - 1 candidates, and take the next best so far; (r - 1)/n times the sum of 1/(k - 1)."""
    for n in (3, 10, 25):
        chances = [
            Fraction(r - 1, n) * sum(Fraction(1, k - 1) for k in range(r, n + 1))
            for r in range(2, n + 1)
        ]
        best = max([Fraction(1, n), *chances])
        values, policy, _ = textbook.policy_iteration(textbook.secretary(n))
        assert -values[1] == pytest.approx(float(best), abs=1e-12)
        assert min(k for k in policy if policy[k] == "take") == chances.index(best) + 2


def test_two_coins_in_fractions():
    @cache
    def most(a, b, c, d, left):
        """The most heads that are expected in the tosses left."""
        if not left:
            return Fraction(0)
        p, q = Fraction(a + 1, a + b + 2), Fraction(c + 1, c + d + 2)
        first = p * (1 + most(a + 1, b, c, d, left - 1)) + (1 - p) * most(a, b + 1, c, d, left - 1)
        other = q * (1 + most(a, b, c + 1, d, left - 1)) + (1 - q) * most(a, b, c, d + 1, left - 1)
        return max(first, other)

    for tosses in (2, 5, 10):
        values, _, _ = textbook.policy_iteration(textbook.two_armed_bandit(tosses))
        assert -values[0, 0, 0, 0] == pytest.approx(float(most(0, 0, 0, 0, tosses)), abs=1e-12)
