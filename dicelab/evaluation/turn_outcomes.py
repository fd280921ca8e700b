"""How a turn ends under a fixed policy.

A turn at the scores i (own) and j (opponent) ends in a hold at the score i', in a bust, in a reset, or at the target.
A turn holds within a few rolls of its threshold, so we store the probabilities of the scores i' for the window of those
that occur; and only once for neighbouring scores j with the same decisions.

A policy with memory S has S states at every score: state i·S + s stands for the score i and s turns that have scored. A
hold adds one to s, up to S - 1; a reset sets it to 0. In a game with registers i is the place of the score in
``game.scores``, and a hold and a bust also change the register. So the outcomes say which states these lead to.
"""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import numpy as np

from .._accuracy import ACCURACY, UNLIKELY, ConvergenceError
from .._compile import compiled
from .._limits import check_memory
from .._recorded import CACHE, decisions_change, record
from ..games.model import LAST_TURN, Game
from ..games.registers import PLAIN, scores_of
from ..policies import Policy, branching_outcomes
from ..solvers._kernels import rules_of

__all__ = [
    "TurnOutcomes",
    "check_size",
    "farthest_points",
    "follow_states",
    "follow_turns",
    "last_turn_actions",
    "last_turn_chances",
    "last_turn_ends",
    "outcomes_bytes",
    "padded",
    "points_above",
    "reach_above",
    "turn_outcomes",
]


class TurnOutcomes(NamedTuple):
    """Probabilities of the outcomes of a turn, for n own states and m scores of the opponent."""

    finish: np.ndarray  # (n, m) the turn reaches the target
    bust: np.ndarray  # (n, m) exactly 1 where nothing else can happen
    leave: np.ndarray  # (n, m) anything but a bust, to full relative accuracy; exactly 0 where nothing else can happen
    reset: np.ndarray  # (n, m)
    # (n, m, 2) holds are at window[…, 0], …, window[…, 1] - 1 points above the lowest score.
    window: np.ndarray
    start: np.ndarray  # (n, m) the index in `hold` of the first of these scores
    hold: np.ndarray  # (L,) probabilities of holds
    memory: int  # states for one score
    begin: int  # the state at the beginning of the game, and after a reset
    step: int  # states for one point: memory times the number of registers
    # (n,) a hold at w points above the lowest score leads to the state w·step + after_hold.
    after_hold: np.ndarray
    after_bust: np.ndarray  # (n,) the state to which a bust leads
    lead: np.ndarray  # (n, m, K) where the other player has a last turn, holds at k points above the target; else K = 0


def turn_outcomes(game: Game, policy: Policy, more: int | None = None) -> TurnOutcomes:
    """The outcomes of a turn, TurnOutcomes, for every own state and opponent's score.

    Recent results are cached by the decisions of the policy.

    Raises
    ------
    ValueError
        If the policy is for another game, breaks the rules or returns anything but decisions.
    MemoryError
        If the result takes more than half of the memory; beforehand, as far as the rules tell.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> outcomes = turn_outcomes(pig(), hold_at(20))
    >>> round(float(outcomes.bust[0, 0]), 6), float(outcomes.finish[0, 0])
    (0.624541, 0.0)
    """
    check_size(game, outcomes_bytes(game, policy))
    recorded, scores = record(game, policy), len(game.scores)
    more = points_above(game, policy) if more is None else more
    check_size(game, 16 * scores * policy.memory * (scores + more * len(game.modes)) * more)

    def size(outcomes):
        return getattr(recorded, "size", 0) + sum(np.asarray(part).nbytes for part in outcomes)

    return CACHE.get(
        (recorded, more),
        lambda: follow_states(game, actions_of(game, recorded, more), recorded.memory, more),
        size,
    )


def actions_of(game, policy, more):
    """The decisions of a policy by own state, up to `more` totals above the target; of two turns the cautious one."""
    cautious = policy if policy.players == 2 else policy.when(bold=False)
    for own, memory in product(game.scores, range(policy.memory)):
        yield padded(game, own, *cautious.actions_at(game, own, memory), more, policy.above)


def bold_actions(game, policy, more):
    """Of a policy of more than two players, the places, the share and the decisions of all bold turns."""
    bold, branches = policy.when(bold=True), len(branching_outcomes(game))
    for places, share in policy.bold_turns.items():
        given = bold.decide_all([places], branches)
        own = game.scores[places[0]]
        yield places, float(share), padded(game, own, *given, more, policy.above)


def last_turn_chances(game, policy, own, memory, more):
    """The chances to win and to draw a last turn, by the points above the target to beat, two arrays (more,)."""
    lead = last_turn_ends(game, policy, own, memory, (), more)[0]
    ahead = np.arange(2 * more) - np.arange(more)[:, None]
    draws = (ahead == 0) & (game.finish == "equal turns")
    return [(lead * ends).sum(axis=1) for ends in (ahead > 0, draws)]


def points_above(game, *policies):
    """The points above the target that a turn may come to, where the other player has a last turn; otherwise 0.

    Where a player must roll on, up to where a turn comes once in 1e20.
    """
    return reach_above(game, max(policy.above for policy in policies))


def reach_above(game, above):
    """The same for players who may roll on up to `above` points above the target."""
    return farthest_points(game, above) if game.finish in LAST_TURN else 0


def farthest_points(game, above):
    """How many points above the target a turn may come before it ends, with or without a last turn afterwards."""
    forced = [mode for mode in game.until_change.modes if not mode.may_hold]
    stays, rolls = {mode.name: 1 for mode in forced}, 1
    while rolls <= len(forced):  # a mode may surely lead to another one that is left at some time
        stays = {
            m.name: sum(
                o.probability * max((stays.get(c.mode, 0) for c in o.choices), default=0)
                for o in m.outcomes
            )
            for m in forced
        }
        if max(stays.values()) < 1:
            break
        rolls += 1
    most = max(stays.values(), default=0)
    if most:
        rolls = rolls * math.ceil(math.log(UNLIKELY) / math.log(most)) if most < 1 else 200
    least = max(register.least_hold for register in game.registers or (PLAIN,))
    return max(max(least, above) + (rolls + 1) * game.most_points, game.most_paid)


def last_turn_actions(game, policy, own, memory, more, still=0, holders=1):
    """The decisions of a last turn at one own score, by the points to beat, up to twice `more` above the target.

    A policy of more than two players also looks at the scores of those `still` to have a last turn, by which the rows
    go first, and at how many `holders` of the score to beat there are.
    """
    if policy.players == 2:
        rolls, choices = policy.last_turn_at(game, own, more, memory)
    else:
        size, gone = len(game.scores), policy.players - 1 - holders - still
        others = np.indices((*(size,) * still, more)).reshape(still + 1, -1).T
        others[:, -1] += size
        over = np.zeros((len(others), gone), dtype=int)  # whose turn was in vain
        others = np.hstack([others, others[:, -1:].repeat(holders - 1, 1), over])
        positions = np.insert(others, 0, game.index(own), axis=1)
        rolls, choices = policy.decide_all(positions, len(branching_outcomes(game)))
    return padded(game, own, rolls, choices, 2 * more, rolls.shape[-1])


def last_turn_ends(game, policy, own, memory, rest, more, holders=1):
    """How far above the target a last turn ends, below 2·`more`, with 0, …, `more` - 1 points above it to beat.

    So many `holders` have the score to beat.

    Returns
    -------
    ndarray (1 or more, `more`, 2·`more`)
        By the states of the `rest`, the policies of those who come after, if the player looks at their scores.
    """
    given = last_turn_actions(game, policy, own, memory, more, len(rest), holders)
    *_, lead, _ = follow_turns(rules_of(game), scores_of(game), game.index(own), *given, 2 * more)
    if policy.players > 2:
        lead = lead.reshape(*(len(game.scores),) * len(rest), more, 2 * more)
        for k, other in enumerate(rest):  # who does not look at what the others remember
            lead = lead.repeat(other.memory, axis=k)
    return lead.reshape(-1, more, 2 * more)


def padded(game, own, rolls, choices, more, known):
    """Decisions up to `more` totals above the target. Behind the last that is `known` a player holds who may.

    A choice there is as before.
    """
    if not more:
        return rolls, choices
    last = max(game.missing(own), known and rolls.shape[-1])
    rolls, choices = rolls[..., :last], choices[..., :last]
    wide = [(0, 0), (0, 0), (0, game.longest + more - last)]
    rolls = np.pad(rolls, wide)
    rolls[:, [m for m, mode in enumerate(game.modes) if not mode.may_hold], last:] = True
    return rolls, np.pad(choices, wide, mode="edge")


def follow_states(game, actions, memory, more=0):
    """TurnOutcomes of turns whose decisions are given: `actions` yields rolls and choices by own state.

    Rows of `rolls` and `choices`, and so the columns of the result, are usually the opponent's scores; but any will do.
    """
    rules = rules_of(game)
    scores = scores_of(game)
    rows = []
    used = 0
    for state, (rolls, choices) in enumerate(actions):
        new = decisions_change(rolls, choices)
        *row, hold = follow_turns(rules, scores, state // memory, rolls[new], choices[new], more)
        rows.append((*(part[new.cumsum() - 1] for part in row), hold))
        used += sum(part.nbytes for part in rows[-1])
        check_size(game, 2 * used)
    finish, bust, leave, reset, window, start, lead, hold = zip(*rows, strict=True)
    wrong = np.abs(np.array(bust) + np.array(leave) - 1.0).max()
    if not wrong <= ACCURACY:
        raise ConvergenceError(
            f"{game.name}: the probabilities of how a turn ends sum to 1 only within {wrong:.1e}"
        )
    offsets = np.cumsum([0, *(part.size for part in hold[:-1])])
    parts = map(np.array, (finish, bust, leave, reset, window))
    place, turns = np.divmod(np.arange(len(rows)), memory)
    return TurnOutcomes(
        *parts,
        np.array(start) + offsets[:, None],
        np.concatenate(hold),
        memory,
        begin=scores.begin * memory,
        step=scores.step * memory,
        after_hold=scores.after_hold[place] % scores.step * memory
        + np.minimum(turns + 1, memory - 1),
        after_bust=np.minimum(scores.after_bust, len(scores.missing) - 1)[place] * memory + turns,
        lead=np.array(lead),
    )


def check_size(game, size):
    """Refuse to follow turns that need too much memory."""
    check_memory(
        size,
        f"following {game.name} to {game.target}, played by one policy,",
        "take a smaller target",
    )


def outcomes_bytes(game, policy):
    """The approximate size of :func:`turn_outcomes`. With one mode, a turn holds within two rolls of its threshold."""
    most = game.longest if len(game.modes) > 1 else min(game.longest, 2 * game.most_points)
    return policy.memory * len(game.scores) ** 2 * (2 * 48 + 12 * most)


@compiled
def follow_turns(rules, scores, own, rolls, choices, more):
    """Follow turns from one own score forwards; a row of `rolls` and `choices` has the decisions of one turn.

    `own` is the place of the score. A mode in which one must hold is a bust where there are too few points to hold. If
    the other player has a last turn, turns are followed to `more` points above the target, and one that goes on from
    there is a bust; otherwise that is 0. A bust that scores may finish.

    Returns
    -------
    finish, bust, leave, reset, window, start, lead, hold : ndarray
        As in :class:`TurnOutcomes`, by row instead of opponent's score.
    """
    size, modes, _ = rolls.shape
    longest = len(scores.missing) // scores.step
    least_hold = scores.least_hold[own]
    points = own // scores.step
    missing = scores.missing[own] if more == 0 else longest - points + more
    after_bust = scores.after_bust[own]
    barred = missing < least_hold  # the target must be hit exactly, and not with so few points
    finish, bust, leave, reset = np.zeros((4, size))
    window = np.zeros((size, 2), dtype=np.int64)
    start = np.zeros(size, dtype=np.int64)
    lead = np.zeros((size, more))
    hold, used = np.empty(size * missing), 0
    for row in range(size):
        # rolling[k, m]: the probability that the turn rolls in mode m at turn total k; held[w]: that it holds at w
        rolling = np.zeros((missing, modes))
        held = np.zeros(longest + more)
        rolling[0, scores.mode[own]] = 1.0
        for total in range(missing):
            for m in rules.order[::-1]:  # each before the modes to which it leads with 0 points
                mass = rolling[total, m]
                if mass == 0.0:
                    continue
                bust[row] += mass * rules.bust[m]
                reset[row] += mass * rules.reset[m]
                for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                    c = rules.choices[o]
                    if rules.branch[o] >= 0:
                        c += choices[row, rules.branch[o], total]
                    q = mass * rules.probability[o]
                    mode = rules.mode[c]
                    after = total + rules.points[c]
                    if after >= missing and more == 0:
                        finishes, resets, _ = rules.beyond[0, mode, missing - after - 1]
                        finishes = 0.0 if barred else finishes
                        finish[row] += q * finishes
                        bust[row] += q * (1.0 - finishes - resets)
                        reset[row] += q * resets
                    elif after >= missing or (rules.stops[mode] and after < least_hold):
                        bust[row] += q  # of the first kind are turns that go on and on
                    elif rolls[row, mode, after]:
                        rolling[after, mode] += q
                    else:
                        held[points + after] += q
        for k in range(more):
            lead[row, k] = held[longest + k]
            finish[row] += held[longest + k]
        if after_bust >= len(scores.missing):
            if more > 0:
                lead[row, (after_bust - len(scores.missing)) // scores.step] += bust[row]
            finish[row] += bust[row]
            bust[row] = 0.0
        # the window of scores at which the turn may hold
        first, last = 0, longest
        while last > 0 and held[last - 1] == 0.0:
            last -= 1
        while first < last and held[first] == 0.0:
            first += 1
        # the probability to leave is a sum of positive terms: 1 - bust would lose its digits
        leave[row] = finish[row] + reset[row]
        for score in range(first, last):  # one by one: a slice compiles 1.7 s longer
            leave[row] += held[score]
            hold[used + score - first] = held[score]
        if leave[row] == 0.0:
            bust[row] = 1.0
        window[row, 0], window[row, 1], start[row] = first, last, used
        used += last - first
    return finish, bust, leave, reset, window, start, lead, hold[:used].copy()
