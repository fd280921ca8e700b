"""The best response to the fixed policies of several players.

Seat 0 plays best, the others as given. In a cell, let x be the own chance at the start of the turn, and z after a bust.
The turns of the others are fixed, so (1) of :mod:`dicelab.evaluation.markov_chain` makes z = A + B·x, with B the
probability that all of them bust. With the turn operator f of :mod:`dicelab.solvers.more_players`,

    x = f(A + B·x).                                                                                                (1)

f is convex, and policy iteration from below solves (1) cell by cell. In the end the response is evaluated by the chain,
as any other policy. Its own chances must equal x everywhere.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from .._accuracy import (
    ACCURACY,
    RAREST,
    ConvergenceError,
    check_error,
    check_residual,
    check_told_apart,
    settle,
)
from .._shown import name_of
from ..games.absorption import may_be_endless
from ..games.model import check_game
from ..games.registers import scores_of
from ..solution import OptimalPolicy, Solution
from ..solvers._kernels import rules_of
from ..solvers.more_players import (
    decide,
    new_room,
    own_chances,
    places_of,
    race_of,
    respond_turns,
)
from .markov_chain import turns_of_others
from .match import chain_of, record_players, turns_bytes

__all__ = ["check_match_ends", "respond_to_players"]


def check_match_ends(game):
    """Raise ValueError if a player can make sure never to finish."""
    if may_be_endless(game):
        raise ValueError(
            f"{game.name}: a player can make sure never to finish, so that a match need not end, and policy iteration"
            " may stop at a wrong answer"
        )


def in_order(policies):
    """The names of policies, joined: "a, b and c"."""
    *names, last = map(name_of, policies)
    return f"{', '.join(names)} and {last}" if names else last


def respond_to_players(game, policies):
    """The best response to the fixed policies of all others; see :func:`dicelab.best_response`.

    Parameters
    ----------
    game : Game
    policies : dict
        Of the others in order of play, by the names of the caller's arguments.

    Returns
    -------
    Solution
    """
    n = len(policies) + 1
    check_game(game, last_turn=False)
    if game.registers:
        check_match_ends(game)
    if game.registers or game.resets:
        check_told_apart(game, RAREST)
    others = record_players(game, policies, n, cell=8 * n + 24, more=turns_bytes(game, n))
    for name, policy in policies.items():
        if getattr(policy, "memory", 1) > 1:
            raise NotImplementedError(
                f"{name}: {policy} remembers its turns; the best response would have to, too"
            )
    chain = chain_of(game, others[0], *others)  # the first seat's turns are not used
    chances = np.zeros((n, chain.cells))
    back, residual = np.full(chain.rows, 1 / n), 0.0

    def sweep(back):
        nonlocal residual
        residual = respond_given(chain, np.clip(back, 0.0, 1.0), chances)
        return chain.led_back(chances).ravel() - back

    change = sweep(back)
    if chain.repeats:
        back = settle(sweep, back + change, game)
        residual = max(residual, abs(sweep(back)).max())
    check_residual(game, residual)
    shape, places = (len(game.scores),) * n, places_of(game)
    after = np.zeros((chain.cells, 2))
    after[:, 1] = chances[1].reshape(shape)[np.ix_(*(places,) * n)].ravel()
    name = f"best response to {in_order(others)}"
    policy = OptimalPolicy(game, partial(decide, game, n, after), name, players=n)
    values, _, error = chain_of(game, policy, *others).wins()
    check_error(game, error)
    values = values[0]  # when the responder is about to move
    short = abs(values[:, 0] - chances[0]).max()
    if not short <= ACCURACY:
        raise ConvergenceError(
            f"{game.name}: the best response falls short of its value by {short:.1e}"
        )
    return Solution(
        game=game,
        objective="win",
        players=n,
        values=values.reshape(*shape, *(n,) * (n > 2)).copy(),
        policy=policy,
        residual=float(residual),
        error=error,
        against=others if n > 2 else others[0],
    )


def respond_given(chain, back, chances):
    """Fill `chances` (n, cells), the responder's, given those after resets; return the residual of (1)."""
    game, n = chain.game, chain.players
    rules, room = rules_of(game), new_room(game, 2, float)
    if game.registers:  # every match ends, if perhaps by busts that score
        never = np.zeros_like(rules.cannot_finish)
        rules = rules._replace(cannot_finish=never, may_wait=never)
    places, turns = places_of(game), chain.turns
    busted = turns.after_bust[0]
    race = own_chances(race_of(game, n)[0])._replace(
        back=int(turns.back[0]),
        reset=int(turns.column[0, turns.begin[0]]),
        number=np.where(busted < turns.lowest[0], turns.column[0, busted], -1)[places],
    )
    size, registers = race.places, race.registers
    lines = size ** (n - 1)
    own_back = np.zeros((lines, race.back, 2))
    own_back[..., 1] = back[: race.back * lines].reshape(lines, race.back)  # seat 0 is first
    seats = np.indices((registers,) * (n - 1)).reshape(n - 1, -1).T  # the others' registers
    weights = size ** np.arange(n - 1)[::-1]
    after_bust = scores_of(game).after_bust[:registers] % registers
    after_busts = np.zeros((len(seats), n), dtype=int)
    for m in range(1, n):
        bust_of = seats.copy()
        bust_of[:, m - 1] = after_bust[bust_of[:, m - 1]]
        after_busts[:, m] = bust_of @ registers ** np.arange(n - 1)[::-1]
    right, bust, leave = np.zeros((3, len(seats), size, n))
    after, own = np.zeros((len(seats), size, 2)), np.zeros((len(seats), size))
    workspace = room.turn, room.pieces[0, 0], after, own
    points = np.indices((size // registers,) * (n - 1)).reshape(n - 1, -1).T
    worst = 0.0
    for line in points[::-1] * registers:
        group = line + seats
        turns_of_others(turns, chain.zeros, group, places, back, chances, right, bust, leave)
        lines_back = own_back[group @ weights]
        residual = respond_turns(
            rules, race, right, bust, leave, after_busts, 1 / n, lines_back, *workspace
        )
        worst = max(worst, residual)
        theirs = group @ turns.strides[:, 1:].T
        cells = theirs[..., None] + turns.strides[:, :1] * np.arange(size)
        chance = own[:, places]
        chances[0, cells[:, 0]] = chance
        for m in range(n - 1, 0, -1):
            onward = chance[after_busts[:, m]]
            chance = right[:, places, m] + bust[:, places, m] * onward
            chances[m, cells[:, m]] = chance
    return worst
