"""A game as a Markov decision process of one player, as arrays that other people's solvers take."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, csr_matrix, diags_array

from .._limits import check_memory
from .._shown import title_of
from ..engine.positions import BEYOND, BUST, EXACTLY, LEAST, MODE, NEED, ROW, SMALLER
from ..engine.race import Race, solve
from ..engine.seats import hold_rows, remembering
from ..games.model import RESULTS, Game, check_game
from ..games.named import read_game
from ..policies import branching_outcomes
from ..rules_of_thumb import hold_at
from ..strategies import Strategy
from .match import read_players

__all__ = ["MDP", "to_mdp"]

ENTRY = 100  # bytes, at the peak, of an entry of a matrix
ACTIONS = ("hold", "roll")


class MDP(NamedTuple):
    """A Markov decision process with S states: what :func:`to_mdp` returns.

    Attributes
    ----------
    states : pandas.DataFrame (S rows)
        By number: "own", "opponent", "turn_total" and "mode". The mode is "" in the opponent's turns, or alone before
        a turn, and at the ends, where the scores are -1.
    actions : tuple of str
        "hold" and "roll".
    transitions : tuple of csr_matrix (S, S)
        For each action the probabilities, [state, next state]. Where only one action is allowed, both are it.
    rewards : ndarray (S, 2)
        The expected reward of an action in a state.
    start : int
        The number of the state at the start.
    """

    states: pd.DataFrame
    actions: tuple[str, ...]
    transitions: tuple[csr_matrix, ...]
    rewards: np.ndarray
    start: int


def to_mdp(game: Game | str, against: Strategy | None = None) -> MDP:
    """The race as a Markov decision process of one player, without discount, for other solvers.

    Parameters
    ----------
    game : Game or str
        Without a last turn, and without a choice after a roll.
    against : strategy, optional
        The opponent, who moves second; see :func:`dicelab.evaluate`. A win is rewarded with 1. Without one the player
        is alone, and each turn costs 1.

    Returns
    -------
    MDP

    Raises
    ------
    ValueError
        If an argument is not allowed.
    NotImplementedError
        For a finish with a last turn, or a game in which a roll offers choices.
    MemoryError
        Beforehand, if it would take more than half of the memory.

    Examples
    --------
    pymdptoolbox takes ``transitions`` and ``rewards`` as they are, and a discount. QuantEcon takes pairs of states and
    actions, and 0.9999999999999 as no discount:

    >>> from dicelab import hold_at
    >>> mdp = to_mdp("pig 20", hold_at(10))
    >>> states, actions = np.indices(mdp.rewards.shape).reshape(2, -1, order="F")
    >>> # DiscreteDP(mdp.rewards.ravel("F"), scipy.sparse.vstack(mdp.transitions), beta, states, actions)
    >>> [matrix.shape for matrix in mdp.transitions]
    [(5004, 5004), (5004, 5004)]
    """
    rules = check_game(read_game(game), last_turn=False)
    if branching_outcomes(rules):
        raise NotImplementedError(
            f"{rules.name}: a roll offers choices, and here the actions are hold and roll alone"
        )
    alone = against is None
    policy = hold_at(1) if alone else read_players(rules, players=2, against=against)[0]
    kind = partial(Race, seats=[policy], game=rules)
    race = solve(
        remembering(rules, policy.memory), "turns" if alone else "win", 2 - alone, kind=kind
    )
    modes, ends = rules.until_change.modes, race.positions.terminals
    once = np.unique(race.positions.turns[:, ROW], return_index=True)[1]
    turns = race.positions.turns[once]
    # States are all rows, which are the ends and the opponent's turns, or alone one's own; then those within turns.
    first = race.positions.size + np.cumsum([0, *(turns[:, NEED] + 1)]) * len(modes)
    entries = int(first[-1]) * (2 + max(len(mode.outcomes) for mode in modes))
    check_memory(ENTRY * entries, f"the decision process of {title_of(rules)}", SMALLER)
    place = np.repeat(np.arange(len(turns)), turns[:, NEED] + 1)
    turn, begins = turns[place], first[:-1] + turns[:, MODE]
    total = np.arange(len(turn)) - (first[place] - first[0]) // len(modes)
    missing, least = turn[:, NEED] - total, turn[:, LEAST]
    may, sure = np.zeros((2, first[-1]), dtype=bool)
    rolls, holds = [(np.arange(ends), np.arange(ends), 1.0)], []  # states, next states, chances
    for m, mode in enumerate(modes):
        here = first[place] + total * len(modes) + m
        may[here] = mode.may_hold & ((missing == 0) | (total >= least))
        sure[here] = may[here] & (mode.must_hold | (missing == 0))
        holds.append((here, hold_rows(turn, missing, race.positions.after), 1.0))
        rolls += [(here, turn[:, BUST], 1.0)] * mode.must_hold  # with too few points
        for outcome in mode.outcomes:
            to = turn[:, BUST + RESULTS.index(outcome.result)] if not outcome.choices else None
            for choice in outcome.choices:
                at = first[place] + np.minimum(total + choice.points, turn[:, NEED]) * len(modes)
                over = (choice.points > missing) & (turn[:, BEYOND] == EXACTLY)
                to = np.where(over, turn[:, BUST], at + rules.mode(choice.mode))
            rolls.append((here, to, float(outcome.probability)))
    if alone:
        rolls.append((turns[:, ROW], begins, 1.0))
    else:
        steps = race.steps.tocoo()
        rolls.append((steps.row, np.append(np.arange(ends), begins)[steps.col], steps.data))
    roll, hold = (
        sum(
            csr_array((np.broadcast_to(p, s.shape), (s, to)), shape=(first[-1],) * 2)
            for s, to, p in parts
        )
        for parts in (rolls, holds)
    )
    transitions = tuple(
        csr_matrix(diags_array(1.0 * part) @ hold + diags_array(1.0 - part) @ roll)
        for part in (may, sure)
    )
    rows, states = race.positions.size, np.arange(first[-1])
    if alone:
        rewards = np.where((states >= ends) & (states < rows), -1.0, 0.0)[:, None].repeat(2, axis=1)
    else:  # the ends say who has won from the next player on, and after a player's turn that is the opponent
        won = np.where(states < rows, 1, 2)
        rewards = np.stack([np.asarray(matrix[states, won])[0] for matrix in transitions], axis=1)
        rewards[:ends] = 0
    scores = np.array(race.positions.game.scores, dtype=int)[race.positions.places(turns)]
    within = np.repeat(scores, (turns[:, NEED] + 1) * len(modes), axis=0)
    known = np.concatenate([np.full((ends, len(scores[0])), -1), scores[:, ::-1], within])
    found = pd.DataFrame(known, columns=["own", "opponent"][: len(scores[0])])
    found["turn_total"] = np.append(np.zeros(rows, dtype=int), total.repeat(len(modes)))
    found["mode"] = [""] * rows + [mode.name for mode in modes] * len(total)
    starts = np.arange(ends, rows) if alone else begins
    return MDP(found, ACTIONS, transitions, rewards, int(starts[race.positions.start - ends]))
