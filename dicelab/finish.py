"""The end of the race, by the rules alone: how a turn ends beyond the target, in Fractions, and who can never win."""

from fractions import Fraction
from itertools import permutations

import numpy as np

from .games import RESET
from .memory import check_memory

__all__ = ["beyond_target", "choices_are_ranked", "forced_modes", "hopeless", "may_wait", "solve_linear"]

FRACTIONS = 600  # bytes, of three of them


def beyond_target(game):
    """How a turn ends from each mode once the target is reached or passed.

    Returns
    -------
    list of list of list of tuple
        For each of one or more ways to choose, for each mode, for r = 1 - P, …, 0 points missing (P being
        ``game.most_points``), Fractions: the probabilities to finish and to reset, with the rest the turn busts, and
        the expected points beyond the target, those of turns that do not finish counting nothing.

    Raises
    ------
    NotImplementedError
        If choices must be ranked in a game with more than 6 modes without a hold.

    Notes
    -----
    With ``finish="reach"`` a player who may hold finishes. One who may not is led from mode to mode, and takes of
    several choices the one whose mode is worth most. So a way to choose is a ranking of the forced modes, modes with a
    hold coming first, and each ranking gives one system of linear equations, solved exactly. Without resets the best is
    the one with the largest chances to finish; with resets that depends on what they are worth, and all are returned.
    """
    width, none = game.most_points, (Fraction(0),) * 3
    check_memory(FRACTIONS * width * len(game.modes), f"one roll of {game.name}, of up to {width:,} points,")
    if game.finish == "exact":
        held = (Fraction(1), Fraction(0), Fraction(0))
        at_target = [held if mode.may_hold else (Fraction(0), mode.chance(RESET), Fraction(0)) for mode in game.modes]
        return [[[none] * (width - 1) + [ends] for ends in at_target]]
    forced = forced_modes(game)
    if choices_are_ranked(game) and len(forced) > 6:
        raise NotImplementedError(
            f"{game.name}: choices in {len(forced)} modes without a hold; at most 6 can be ranked"
        )
    rankings = permutations(forced) if choices_are_ranked(game) else [forced]
    ways = {tuple(ends) for ranking in rankings if (ends := _absorption(game, ranking))}
    if not game.resets:
        ways = [[max(ends) for ends in zip(*ways, strict=True)]]
    return [[[(f, z, more - r * f) for r in range(1 - width, 1)] for f, z, more in way] for way in ways]


def forced_modes(game):
    """The modes without a hold that a turn can be in, a list."""
    reached = game.reached()
    return [mode for mode in game.modes if not mode.may_hold and mode.name in reached]


def choices_are_ranked(game):
    """Whether a player who may not hold has a choice of modes, so that what is best past the target is to be found."""
    outcomes = [outcome for mode in forced_modes(game) for outcome in mode.outcomes]
    return game.finish == "reach" and any(len({choice.mode for choice in outcome.choices}) > 1 for outcome in outcomes)


def _absorption(game, ranking):
    """By mode, the chances to finish and to reset, and the points gained on the way to the finish, as expected.

    Forced modes are preferred as ranked; None if play by the ranking never ends. The chances solve
    q(m) = Σ p·q(next mode), the points e(m) = Σ p·(points·q(next mode) + e(next mode)).
    """
    place = {mode.name: index for index, mode in enumerate(ranking)}
    size = len(ranking)
    stay = [[Fraction(i == k) for k in range(size)] for i in range(size)]
    finish = [Fraction(0)] * size
    moves = []  # (from, to, probability, points), `to` being `size` where one may hold
    for i, mode in enumerate(ranking):
        for outcome in (outcome for outcome in mode.outcomes if outcome.choices):
            onward = min(place.get(choice.mode, -1) for choice in outcome.choices)
            points = max(c.points for c in outcome.choices if place.get(c.mode, -1) == onward)
            moves.append((i, onward if onward >= 0 else size, outcome.probability, points))
    for i, onward, chance, _ in moves:
        if onward == size:
            finish[i] += chance
        else:
            stay[i][onward] -= chance
    solved = solve_linear(stay, [[f, mode.chance(RESET)] for f, mode in zip(finish, ranking, strict=True)])
    if solved is None:
        return None
    finishes = [row[0] for row in solved] + [Fraction(1)]
    gained = [Fraction(0)] * size
    for i, onward, chance, points in moves:
        gained[i] += chance * points * finishes[onward]
    more = solve_linear(stay, [[g] for g in gained])
    held, nowhere = (Fraction(1), Fraction(0), Fraction(0)), (Fraction(0),) * 3  # no turn is in the latter
    return [
        held
        if mode.may_hold
        else (*solved[place[mode.name]], *more[place[mode.name]])
        if mode.name in place
        else nowhere
        for mode in game.modes
    ]


def solve_linear(matrix, right):
    """The rows X of matrix·X = right, in Fractions by Gauss-Jordan elimination; None if there is no one solution."""
    rows, size = [[*row, *given] for row, given in zip(matrix, right, strict=True)], len(matrix)
    for i in range(size):
        pivot = next((k for k in range(i, size) if rows[k][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [entry - rows[k][i] * other for entry, other in zip(rows[k], rows[i], strict=True)]
    return [row[size:] for row in rows]


def hopeless(game):
    """The points missing from which a player can never finish, whatever is rolled and chosen.

    There are such scores only with ``finish="exact"``: one point missing in Pig, where no face is worth 1.

    Returns
    -------
    ndarray of bool, (target + 1,)
        By points missing; False at 0.
    """
    target, modes = game.target, game.modes

    def hopes(of_reset):
        """By r, whether a turn may lead to the finish that starts there; `onward` says it of a turn in mode m."""
        onward = np.zeros((target + 1, len(modes)), dtype=bool)
        onward[0] = [mode.may_hold or (of_reset and mode.chance(RESET) > 0) for mode in modes]
        start = np.ones(target + 1, dtype=bool)
        for r in range(1, target + 1):
            rolled = [
                (of_reset and mode.chance(RESET) > 0)
                or any(c.points <= r and onward[r - c.points, game.mode(c.mode)] for c in mode.choices)
                for mode in modes
            ]
            start[r] = rolled[0]
            onward[r] = [roll or (mode.may_hold and start[r]) for roll, mode in zip(rolled, modes, strict=True)]
        return start

    if game.finish == "reach":
        return np.zeros(target + 1, dtype=bool)
    start = hopes(False)
    return ~(hopes(True) if start[target] else start)


def may_wait(game, reset=False):
    """The points missing from which a player can let a whole turn come to nothing, for certain.

    Such a turn surely ends in a bust, whatever is rolled, or, if `reset`, in a bust or a reset: every roll offers a
    choice that overshoots, or that leads on to such rolls. Where both players can do this, play may be endless.

    Returns
    -------
    ndarray of bool, (target + 1,)
        By points missing; False at 0.
    """
    modes, exactly, width = game.modes, game.finish == "exact", game.most_points
    index = {mode.name: m for m, mode in enumerate(modes)}
    options = [[{(index[c.mode], c.points) for c in o.choices} for o in mode.outcomes if o.choices] for mode in modes]
    for m, mode in enumerate(modes):
        if mode.chance(RESET) and not reset:
            options[m].append(set())  # no choice helps
    beyond = np.array([not mode.may_hold for mode in modes])  # a turn comes to nothing at the target, or past it
    still = np.zeros(0)
    while not np.array_equal(still, beyond):
        still = beyond
        ends = [all(any(exactly or beyond[m] for m, _ in option) for option in rolls) for rolls in options]
        beyond = beyond & ends
    waits = np.zeros(game.target + 1, dtype=bool)
    if not exactly and all(options) and not beyond.any():
        return waits  # every roll may score, so that some rolls in succession finish
    rolls_on = np.zeros((len(modes), width + game.target), dtype=bool)  # column width - 1 + r: r points missing
    rolls_on[:, :width] = beyond[:, None]
    rolls_on[:, : width - exactly] |= exactly
    for at in range(width, width + game.target):
        for m, rolls in enumerate(options):
            rolls_on[m, at] = all(any(rolls_on[to, at - points] for to, points in option) for option in rolls)
        waits[at - width + 1] = rolls_on[0, at]
    return waits
