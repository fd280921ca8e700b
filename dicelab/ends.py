"""How a turn ends when the player's decisions are fixed.

A turn at the scores i (own) and j ends in a hold at the score i', in a bust, in a reset, or at the target. The chances
of all scores i' are kept for the window of those that occur, since a turn holds within a few rolls of its threshold,
and once for neighbouring scores j against which a policy decides the same.

A policy with a memory (the number of turns that scored so far) has as many states at a score as its memory has; state
i·S + s stands for the score i and the memory s of S. A hold adds one to the memory, up to S - 1; a reset clears it.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from .finish import choices_are_ranked
from .games import as_game
from .memory import check_memory
from .players import KEPT, as_player, followed, known
from .policies import branch_numbers, table_shape
from .turn import compiled, inlined, rules_of

__all__ = ["ENDLESS", "FOREVER", "TurnEnds", "check_players", "reachable", "turn_ends", "turn_points"]

FOREVER = 1e300  # expected turns of endless play: infinity, but for 0 times it being 0
ENDLESS = 1e290  # expected turns beyond this have endless play among them


class TurnEnds(NamedTuple):
    """How a turn ends, for the n own states and the m scores of the opponent of a game to m."""

    finish: np.ndarray  # (n, m) chance to reach the target
    bust: np.ndarray  # (n, m); exactly 1 where nothing else can happen
    leave: np.ndarray  # (n, m) chance of all else, to full relative accuracy; exactly 0 where there is nothing else
    reset: np.ndarray  # (n, m)
    window: np.ndarray  # (n, m, 2) holds are at scores from the first of these up to, not including, the second
    start: np.ndarray  # (n, m) where the chances of these scores begin in `hold`
    hold: np.ndarray  # (L,)


def turn_ends(game, policy):
    """How a turn ends, for every own state and opponent's score; the chances of each sum to 1.

    The latest answers are kept, by what a policy decides.

    Parameters
    ----------
    game : Game
    policy : Policy

    Returns
    -------
    TurnEnds

    Raises
    ------
    ValueError
        If the policy is for another game, or what it decides is no decision.
    MemoryError
        If that takes more than half of the memory; beforehand, as far as the rules tell.
    """
    check_memory(ends_bytes(game, policy), _said(game), "take a smaller target")
    player = known(game, policy)
    return KEPT.get(player, lambda: _turn_ends(player), lambda ends: player.size + sum(part.nbytes for part in ends))


def _turn_ends(player):
    game, rows, used = player.game, [], 0
    for own, memory in product(range(game.target), range(player.memory)):
        rows.append(fill_ends(rules_of(game), own, *player.both(game, own, memory)))
        used += sum(array.nbytes for array in rows[-1])
        check_memory(2 * used, _said(game), "take a smaller target")
    offsets = np.cumsum([0, *(row[-1].size for row in rows[:-1])])
    finish, bust, leave, reset, window, starts, hold = zip(*rows, strict=True)
    starts = [start + offset for start, offset in zip(starts, offsets, strict=True)]
    return TurnEnds(*map(np.array, (finish, bust, leave, reset, window, starts)), np.concatenate(hold))


def _said(game):
    return f"following {game.name} to {game.target}, played by one policy,"


def ends_bytes(game, policy):
    """About what :func:`turn_ends` takes: a turn holds at few totals, unless some mode leads it on from there."""
    most = game.target if len(game.modes) > 1 else min(game.target, 2 * game.most_points)
    return policy.memory * game.target**2 * (2 * 48 + 12 * most)


@inlined
def as_before(rolls, takes, opponent):
    """Whether a policy decides everything as against an opponent with a point less: then so do turns end."""
    before, same = opponent - 1, True
    for m in range(rolls.shape[1]):
        for total in range(rolls.shape[2]):
            same &= rolls[opponent, m, total] == rolls[before, m, total]
    for b in range(takes.shape[1]):
        for total in range(takes.shape[2]):
            same &= takes[opponent, b, total] == takes[before, b, total]
    return same


@compiled
def fill_ends(rules, own, rolls, takes):
    """The arrays of :class:`TurnEnds` for one own score and its decisions, by following each turn forwards."""
    target, modes, _ = rolls.shape
    finish, bust, leave, reset = np.zeros(target), np.zeros(target), np.zeros(target), np.zeros(target)
    ends = np.zeros(4)
    window, start = np.zeros((target, 2), dtype=np.int64), np.zeros(target, dtype=np.int64)
    hold, used = np.empty(target * (target - own)), 0
    for opponent in range(target):
        if opponent > 0 and as_before(rolls, takes, opponent):
            finish[opponent], bust[opponent], reset[opponent], leave[opponent] = ends
            window[opponent], start[opponent] = window[opponent - 1], start[opponent - 1]
            continue
        going = np.zeros((target - own, modes))
        going[0, 0] = 1.0
        held = np.zeros(target)
        ends[:] = 0.0  # finish, bust, reset, all but a bust
        for total in range(target - own):
            for m in range(modes):
                mass = going[total, m]
                if mass == 0.0:
                    continue
                ends[1] += mass * rules.bust[m]
                ends[2] += mass * rules.reset[m]
                for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                    c = rules.choices[o]
                    if rules.branch[o] >= 0:
                        c += takes[opponent, rules.branch[o], total]
                    q, onward, after = mass * rules.probability[o], rules.mode[c], total + rules.points[c]
                    if own + after >= target:
                        finishes, resets, _ = rules.beyond[0, onward, target - own - after - 1]
                        ends[0] += q * finishes
                        ends[1] += q * (1.0 - finishes - resets)
                        ends[2] += q * resets
                    elif rolls[opponent, onward, after]:
                        going[after, onward] += q
                    else:
                        held[own + after] += q
        first, last = 0, target
        while last > 0 and held[last - 1] == 0.0:
            last -= 1
        while first < last and held[first] == 0.0:
            first += 1
        ends[3] = ends[0] + ends[2]
        for score in range(first, last):
            ends[3] += held[score]
        if ends[3] == 0.0:
            ends[1] = 1.0
        hold[used : used + last - first] = held[first:last]
        finish[opponent], bust[opponent], reset[opponent], leave[opponent] = ends
        window[opponent] = first, last
        start[opponent] = used
        used += last - first
    return finish, bust, leave, reset, window, start, hold[:used].copy()


def reachable(game, policy):
    """The turn totals that a turn can have if it is played by a policy.

    Parameters
    ----------
    game : Game
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
    reached = np.zeros(table_shape(game), dtype=bool)
    (policy,) = followed(game, policy=policy)
    reached[:, :, 0, 0] = True
    branches = branch_numbers(game)
    for own in range(game.target):
        rolls, takes = policy.both(game, own)
        for total, (index, mode) in product(range(game.target - own), enumerate(game.modes)):
            going = reached[own, :, index, total] & rolls[:, index, total]
            for k, (number, choice) in ((k, c) for k, o in enumerate(mode.outcomes) for c in enumerate(o.choices)):
                if own + total + choice.points < game.target:
                    branch = branches.get((index, k))
                    taken = True if branch is None else takes[:, branch, total] == number
                    reached[own, :, game.mode(choice.mode), total + choice.points] |= going & taken
    return reached


def turn_points(game, policy):
    """How many points the first turn brings.

    Parameters
    ----------
    game : Game
    policy : Policy

    Returns
    -------
    pandas.Series
        Probabilities, by points; 0 is a bust or a reset, the target is the finish.

    Raises
    ------
    ValueError
        If the policy is for another game.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(float(turn_points(pig(), hold_at(20))[0]), 4)
    0.6245
    """
    import pandas as pd

    check_players(game, policy=policy)
    check_memory(ends_bytes(game, policy), _said(game), "take a smaller target")
    ends = turn_ends(game, *followed(game, policy=policy))
    (first, last), start = ends.window[0, 0], ends.start[0, 0]
    chances = {0: ends.bust[0, 0] + ends.reset[0, 0]}
    chances |= dict(zip(range(first, last), ends.hold[start : start + last - first], strict=True))
    chances |= {game.target: ends.finish[0, 0]} if ends.finish[0, 0] else {}
    return pd.Series(chances, dtype=float)


def check_players(game, **policies):
    """Refuse what cannot be played: ValueError names the argument."""
    as_game(game)
    if choices_are_ranked(game):
        raise NotImplementedError(f"{game.name}: choices beyond the target, in modes without a hold, are not played")
    for name, policy in policies.items():
        as_player(policy, name)
