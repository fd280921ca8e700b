"""How a turn ends when the player's decisions are fixed.

A turn at the scores i (own) and j ends in a hold at the score i', in a bust, in a reset, or at the target. The chances
of all scores i' are kept for the window of those that occur, since a turn holds within a few rolls of its threshold.

A policy with a memory (the number of turns that scored so far) has as many states at a score as its memory has; state
i·S + s stands for the score i and the memory s of S. A hold adds one to the memory, up to S - 1; a reset clears it.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .games import Game
from .policies import Policy
from .turn import compiled, rules_of

__all__ = ["FOREVER", "TurnEnds", "check_players", "reachable", "turn_ends"]

FOREVER = 1e300  # expected turns of endless play: infinity, but for 0 times it being 0


class TurnEnds(NamedTuple):
    """How a turn ends, for the n own states and the m scores of the opponent of a game to m."""

    finish: np.ndarray  # (n, m) chance to reach the target
    bust: np.ndarray  # (n, m); exactly 1 where nothing else can happen
    reset: np.ndarray  # (n, m)
    window: np.ndarray  # (n, m, 2) holds are at scores from the first of these up to, not including, the second
    start: np.ndarray  # (n, m) where the chances of these scores begin in `hold`
    hold: np.ndarray  # (L,)


@lru_cache(maxsize=64)
def turn_ends(game, policy):
    """How a turn ends, for every own state and opponent's score; the chances of each sum to 1.

    Parameters
    ----------
    game : Game
        Without choices.
    policy : Policy

    Returns
    -------
    TurnEnds

    Raises
    ------
    ValueError
        If the policy is for another game, or its decisions take more than 1 GiB.
    """
    memories = [fill_ends(rules_of(game), policy.table(game, memory)) for memory in range(policy.memory)]
    offsets = np.cumsum([0, *(ends[-1].size for ends in memories[:-1])])
    *chances, starts = ([ends[k] for ends in memories] for k in range(5))
    starts = [start + offset for start, offset in zip(starts, offsets, strict=True)]
    by_state = (np.stack(arrays, axis=1).reshape(-1, *arrays[0].shape[1:]) for arrays in (*chances, starts))
    return TurnEnds(*by_state, np.concatenate([ends[-1] for ends in memories]))


@compiled
def fill_ends(rules, table):
    """The arrays of :class:`TurnEnds` for the decisions in `table`, by following each turn forwards."""
    target, _, modes, _ = table.shape
    finish, bust, reset = np.zeros((target, target)), np.zeros((target, target)), np.zeros((target, target))
    window, start = np.zeros((target, target, 2), dtype=np.int64), np.zeros((target, target), dtype=np.int64)
    hold, used = np.empty(32 * target * target), 0
    for own in range(target):
        for opponent in range(target):
            going = np.zeros((target - own, modes))
            going[0, 0] = 1.0
            held = np.zeros(target)
            ends = np.zeros(3)  # finish, bust, reset
            for total in range(target - own):
                for m in range(modes):
                    mass = going[total, m]
                    if mass == 0.0:
                        continue
                    ends[1] += mass * rules.bust[m]
                    ends[2] += mass * rules.reset[m]
                    for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                        c = rules.choices[o]
                        q, onward, after = mass * rules.probability[o], rules.mode[c], total + rules.points[c]
                        if own + after >= target:
                            finishes, resets, _ = rules.beyond[0, onward, target - own - after - 1]
                            ends[0] += q * finishes
                            ends[1] += q * (1.0 - finishes - resets)
                            ends[2] += q * resets
                        elif table[own, opponent, onward, after]:
                            going[after, onward] += q
                        else:
                            held[own + after] += q
            first, last = 0, target
            while last > 0 and held[last - 1] == 0.0:
                last -= 1
            while first < last and held[first] == 0.0:
                first += 1
            if last == 0 and ends[0] == 0.0 and ends[2] == 0.0:
                ends[1] = 1.0
            if used + last - first > hold.size:
                hold = np.concatenate((hold, np.empty(hold.size)))
            hold[used : used + last - first] = held[first:last]
            finish[own, opponent], bust[own, opponent], reset[own, opponent] = ends
            window[own, opponent] = first, last
            start[own, opponent] = used
            used += last - first
    return finish, bust, reset, window, start, hold[:used].copy()


def reachable(game, policy):
    """The turn totals that a turn can have if it is played by a policy.

    Parameters
    ----------
    game : Game
        Without choices.
    policy : Policy
        Without a memory.

    Returns
    -------
    ndarray of bool, (target, target, modes, target)
        Indexed [own, opponent, mode, turn total]; totals at which the policy holds are among them.

    Raises
    ------
    ValueError, NotImplementedError
        As :func:`dicelab.evaluate`.
    """
    check_players(game, policy=policy)
    rolls = policy.table(game)
    reached = np.zeros_like(rolls)
    reached[:, :, 0, 0] = True
    for total in range(game.target):
        for index, mode in enumerate(game.modes):
            going = reached[:, :, index, total] & rolls[:, :, index, total]
            for choice in mode.choices:
                if total + choice.points < game.target:
                    after = reached[:, :, game.mode(choice.mode), total + choice.points]
                    after |= going & (np.arange(game.target)[:, None] + total + choice.points < game.target)
    return reached


def check_players(game, **policies):
    """Refuse what cannot be played: ValueError names the argument, NotImplementedError the rule that is missing."""
    if not isinstance(game, Game):
        raise ValueError(f"game: {game!r} is not allowed; give a Game, for example dicelab.pig()")
    if any(len(outcome.choices) > 1 for mode in game.modes for outcome in mode.outcomes):
        raise NotImplementedError(f"{game.name} has choices, and a policy does not say yet which it takes")
    for name, policy in policies.items():
        if not isinstance(policy, Policy):
            raise ValueError(f"{name}: {policy!r} is not allowed; give a policy, for example dicelab.hold_at(20)")
