"""The rules of a plain race as arrays, how turns end at the target and beyond, and where players may be stuck or wait.

A race is plain if it has no registers and no last turns.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

from dicelab.engine.fixed_points import solve_linear
from dicelab.games.absorption import choices_are_ranked, closed_within, moves_of
from dicelab.games.model import BUST, RESET, check_game

__all__ = ["Rules", "beyond_target", "cannot_finish", "may_stall", "rules_of"]

MOST_RANKED = 6  # modes without a hold
ZERO = Fraction(0)


class Rules(NamedTuple):
    """A game's mode graph as arrays: M modes, O scoring outcomes, C choices, and K ways to choose beyond the target.

    Mode m has the outcomes ``outcomes[m]:outcomes[m + 1]``, those with one choice first, and outcome o has the choices
    ``choices[o]:choices[o + 1]``. All probabilities are conditional on a change.
    """

    order: np.ndarray  # (M,) the modes, each after those to which it leads with 0 points
    may_hold: np.ndarray  # (M,) bool
    stops: np.ndarray  # (M,) bool, whether the player must hold
    bust: np.ndarray  # (M,) probability that a roll busts; 1 where one must hold
    reset: np.ndarray  # (M,) probability that a roll resets
    beyond: np.ndarray  # (K, M, P, 3) how a turn ends beyond the target: see beyond_target
    outcomes: np.ndarray  # (M + 1,) the first outcome of each mode
    probability: np.ndarray  # (O,)
    choices: np.ndarray  # (O + 1,) the first choice of each outcome
    branch: np.ndarray  # (O,) outcomes with more than one choice are numbered; -1 for the others
    points: np.ndarray  # (C,)
    mode: np.ndarray  # (C,) index of the next mode
    all_hold: bool  # whether every mode allows a hold
    cannot_finish: np.ndarray  # (N + 1,) bool, by points missing


@lru_cache(maxsize=256)
def rules_of(game, surely=False):
    """The :class:`Rules` of a game, probabilities as float64; `surely` is as for :func:`cannot_finish`."""
    game = game.until_change
    scoring = [
        sorted((o for o in mode.outcomes if o.choices), key=lambda o: len(o.choices) > 1)
        for mode in game.modes
    ]
    flat = [outcome for outcomes in scoring for outcome in outcomes]
    choices = [choice for outcome in flat for choice in outcome.choices]
    several = np.array([len(outcome.choices) > 1 for outcome in flat])
    return Rules(
        order=np.array(game.order),
        may_hold=np.array([mode.may_hold for mode in game.modes]),
        stops=np.array([mode.must_hold for mode in game.modes]),
        bust=np.array([float(mode.chance(BUST) + mode.must_hold) for mode in game.modes]),
        reset=np.array([float(mode.chance(RESET)) for mode in game.modes]),
        beyond=np.array(beyond_target(game), dtype=float),
        outcomes=np.cumsum([0, *map(len, scoring)]),
        probability=np.array([float(outcome.probability) for outcome in flat]),
        choices=np.cumsum([0, *(len(outcome.choices) for outcome in flat)]),
        branch=np.where(several, several.cumsum() - 1, -1),
        points=np.array([choice.points for choice in choices]),
        mode=np.array([game.mode(choice.mode) for choice in choices]),
        all_hold=all(mode.may_hold for mode in game.modes),
        cannot_finish=cannot_finish(game, surely),
    )


# At the target and beyond it


def beyond_target(game):
    """How a turn ends from each mode once the target is reached or passed.

    Returns
    -------
    list of list of list of tuple
        For each of one or more ways to choose, for each mode, for r = 1 - P, …, 0 points missing (P being
        ``game.most_points``), Fractions: the probabilities to finish and to reset, and the expected points beyond the
        target, where turns that do not finish count nothing. With the remaining probability the turn busts.

    Raises
    ------
    NotImplementedError
        If choices must be ranked in a game with more than 6 modes without a hold.

    Notes
    -----
    With ``finish="reach"`` a player who may hold finishes. A player who may not is led from mode to mode, and of
    several choices takes the one whose mode has the highest value. So a way to choose is a ranking of the forced modes
    (modes with a hold come first), and each ranking gives one system of linear equations, solved exactly. Without
    resets the best way has the largest probabilities to finish. With resets that depends on the reset value, and all
    ways are returned.
    """
    game = check_game(game).until_change
    width, ranked = game.most_points, choices_are_ranked(game)
    if game.finish == "exact":
        if ranked and game.resets:
            raise NotImplementedError(
                f'{game.name}: choices of 0 points in modes without a hold, with a reset and finish="exact", are not'
                " ranked at the target"
            )
        return [[[(ZERO,) * 3] * (width - 1) + [(*ends, ZERO)] for ends in _at_target(game)]]
    points = game.reached_with_points
    forced = [mode for mode in game.modes if not mode.may_hold and mode.name in points]
    if ranked and len(forced) > MOST_RANKED:
        raise NotImplementedError(
            f"{game.name}: choices in {len(forced)} modes without a hold; at most {MOST_RANKED} can be ranked"
        )
    rankings = permutations(forced) if ranked else [forced]
    ways = {tuple(ends) for ranking in rankings if (ends := _absorption(game, ranking))}
    if not game.resets:
        ways = [[max(ends) for ends in zip(*ways, strict=True)]]
    return [
        [[(f, z, more - r * f) for r in range(1 - width, 1)] for f, z, more in way] for way in ways
    ]


def _at_target(game):
    """By mode, the probabilities to finish and to reset at the target exactly, which no choice may pass."""
    ends = [(Fraction(mode.may_hold), ZERO) for mode in game.modes]
    for m, mode in ((m, game.modes[m]) for m in game.order if not game.modes[m].may_hold):
        rolls = [
            (o.probability, [ends[game.mode(c.mode)] for c in o.choices if not c.points])
            for o in mode.outcomes
        ]
        finish, reset = (sum(p * max(after)[k] for p, after in rolls if after) for k in (0, 1))
        ends[m] = ZERO + finish, mode.chance(RESET) + reset
    return ends


def _absorption(game, ranking):
    """By mode, the probabilities to finish and to reset, and the expected points gained on the way to the finish.

    Forced modes are preferred as ranked; None if play by the ranking never ends. The probabilities solve
    q(m) = Σ p·q(next mode), the points e(m) = Σ p·(points·q(next mode) + e(next mode)).
    """
    rank = {mode.name: k for k, mode in enumerate(ranking)}

    # A hold is best, then the modes as ranked; of choices that lead there, the most points.
    def taken(choices):
        return min(choices, key=lambda c: (rank.get(c.mode, -1), -c.points), default=None)

    rolls = [[(o.probability, taken(o.choices)) for o in mode.outcomes] for mode in ranking]
    onward = [[[(rank.get(c.mode),)] if c else [] for _, c in roll] for roll in rolls]
    if closed_within(rank.values(), onward):
        return None
    rolls = [[(p, c) for p, c in roll if c] for roll in rolls]
    n, each = len(rolls), range(len(rolls))
    stay = [
        [(i == k) - sum(p for p, c in rolls[i] if rank.get(c.mode) == k) for k in each]
        for i in each
    ]
    stay = np.array(stay, dtype=object).reshape(n, n) * Fraction(1)
    leave = [sum(p for p, c in roll if c.mode not in rank) for roll in rolls]
    finish, resets = (
        solve_linear(stay, right) for right in (leave, [mode.chance(RESET) for mode in ranking])
    )
    by_name = dict(zip(rank, finish, strict=True))
    gained = [sum(p * c.points * by_name.get(c.mode, 1) for p, c in roll) for roll in rolls]
    ends = zip(rank, finish, resets, solve_linear(stay, gained), strict=True)
    found = {name: tuple(parts) for name, *parts in ends}
    return [found.get(mode.name, (Fraction(mode.may_hold), ZERO, ZERO)) for mode in game.modes]


# Where players may be stuck, or wait


def turn_levels(game, bust, reset, done, surely=True):
    """The level of a turn by points missing, 0, …, N, an array, if the player chooses well.

    Every end of a turn has a level, 0 for the worst: `bust`, `reset`, and `done` for the finish. A hold has the level
    of a turn that begins there, but 0 if that at best busts, which only repeats it. A choice has the level of what it
    leads to, an outcome that of its best choice, and a roll the highest level of its outcomes; but 0 if any of these
    has 0, unless `surely` is False. Beyond the target a turn that surely does not finish has the level 1, others 0;
    or it busts, if the target must be hit exactly.
    """
    game, ends, exactly = game.until_change, {BUST: bust, RESET: reset}, game.finish == "exact"
    moves = moves_of(game)
    forced = {m for m, mode in enumerate(game.modes) if not mode.may_hold}
    onward = [[to for to in roll if not isinstance(to, str)] for roll in moves]
    past = closed_within(forced, onward)
    levels = [[int(m in past) for m in range(len(moves))]]  # by points missing and mode
    turns = [done]

    def level(r, to):
        if isinstance(to, str):
            return ends[to]
        return max(bust if exactly and k > r else levels[max(r - k, 0)][m] for m, k in to)

    def enter(r, hold):
        for m in game.order:
            rolled = [level(r, to) for to in moves[m] if r or m in forced]
            best = 0 if surely and 0 in rolled else max(rolled, default=0)
            levels[r][m] = best if m in forced else max(best, hold)

    if exactly:
        enter(0, done)
    for r in range(1, game.target + 1):
        levels.append([0] * len(moves))
        enter(r, 0)  # without points one may not hold
        turns.append(levels[r][0])
        if turns[r] > bust:
            enter(r, turns[r])
    return np.array(turns)


def cannot_finish(game, surely=False):
    """The points missing from which a player can never finish; or, `surely`, cannot make sure to finish in the end.

    There are such scores only with ``finish="exact"``: for example one point missing in Pig, where no face counts 1.

    Returns
    -------
    ndarray of bool, (target + 1,)
        By points missing; False at 0.
    """
    bust, again, done = 1, 2, 3
    if game.finish != "exact":
        return np.zeros(game.target + 1, dtype=bool)
    turns = turn_levels(game, bust, again, done, surely)
    if turns[-1] == done:  # a player who returns to the start again and again finishes in the end
        return turns < again
    return turn_levels(game, bust, 0, done, surely) < done


def may_stall(game):
    """Whether a player who could finish may wait for ever: make sure that turn after turn busts or resets."""
    return bool(((turn_levels(game, 1, 1, 0) > 0) & ~cannot_finish(game)).any())
