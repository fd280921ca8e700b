"""What is asked of a race, as results: its solution."""

from fractions import Fraction

import numpy as np

from .._accuracy import ENDLESS, ROUNDING, ConvergenceError, check_residual
from .._exact import as_exact
from ..games.absorption import may_be_endless
from ..games.model import LAST_TURN
from ..solution import ALONE, NAMES, OptimalPolicy, Solution
from .positions import LEAST
from .race import solve

__all__ = ["solved"]


def solved(game, objective, exact=False, turns=None, overshoot=False):
    """The solution of a race for one player or two, or of one turn."""
    check_ends(game, objective)
    race = solve(game, objective, turns=turns, exact=exact, overshoot=overshoot)
    if objective == "score":
        values, ties = one_turn(race)
    else:
        values, ties = values_of(race), ties_of(race) if exact and objective != "deadline" else None
    units = {"turns": abs(values.flat[0]), "score": 10 * len(values), "margin": game.target}
    unit = units.get(objective, 1)
    if race.unsettled:
        raise ConvergenceError(f"{game.name}: decisions on {race.unsettled:,} cycles do not settle")
    check_residual(game, race.residual / max(1, float(unit)))
    spread = (2 * game.longest) ** 0.5 if objective != "score" else 1
    return Solution(
        game=game,
        objective=objective,
        values=values,
        policy=OptimalPolicy(
            game, race.fill, NAMES[objective], race.rolled * race.positions.last, clock=turns
        ),
        exact=exact,
        residual=Fraction(0) if exact else race.residual / (unit if objective == "turns" else 1),
        error=0.0 if exact else race.growth * (race.residual + ROUNDING * spread * unit),
        ties=ties,
        turns=turns,
        overshoot=overshoot,
    )


def check_ends(game, objective="win"):
    """Raise ValueError if a player can wait for ever where busts cost points, or where a reset leads back."""
    goes_back = game.has_penalties or game.resets and (game.registers or game.finish in LAST_TURN)
    if objective not in ALONE and goes_back and may_be_endless(game):
        raise ValueError(
            f"{game.name}: a player can make sure never to finish, and a bust or a reset leads back, so that a match"
            " need not end and its equations have many solutions"
        )


def values_of(race):
    """The values at the start of all turns, by phase where there are several, and by the places of scores."""
    positions, objective = race.positions, race.positions.objective
    shape = (positions.scores,) * positions.players
    starts = [positions.offset[phase, 0] for phase in range(positions.phases)]
    values = np.stack([race.values[start : start + np.prod(shape), 0] for start in starts])
    values = values.reshape(-1, *shape) * (-1 if objective == "turns" else 1)
    if objective == "deadline":
        values = np.concatenate([0 * values[:1], values[::-1]])
    values = np.where(values <= ENDLESS, as_exact(values) if race.exact else values, np.inf)
    return values if len(values) > 1 else values[0]


def ties_of(race):
    """Where rolling and holding have the same value in fractions: tuples of scores, turn total and mode."""
    positions, game = race.positions, race.positions.game
    places = np.indices((positions.scores,) * positions.players).reshape(positions.players, -1).T
    found = []
    for phase in range(positions.phases):
        for at, turn in zip(places.tolist(), positions.at(places, phase), strict=True):
            scores = [phase] * (positions.phases > 1) + [game.scores[place] for place in at]
            hold, roll, _ = race.actions(turn)
            found += [
                (*scores, total, mode.name)
                for m, mode in enumerate(game.modes)
                if mode.may_hold and not mode.must_hold
                for total in range(
                    game.register(game.scores[at[0]]).least_hold, game.missing(game.scores[at[0]])
                )
                if roll[m, total, 0] == hold[total, 0]
            ]
    return tuple(sorted(found))


def one_turn(race):
    """The values of one turn by total, up to the threshold from which on all hold who may, and by mode; exact ties."""
    game, turns = race.positions.game, race.positions.turns
    rolls, picks = race.decisions(turns)
    may_hold = np.array([mode.may_hold and not mode.must_hold for mode in game.modes])
    reached = [mode.name in game.reached() for mode in game.modes]
    width = rolls.shape[2] - game.most_points - 1
    rolled = rolls[:, may_hold & reached, 1:width].any(axis=(0, 1))
    changes = (picks[:, :, 1:width] != picks[:, :, width : width + 1]).any(axis=(0, 1))
    known = 2 + max(np.flatnonzero(rolled | changes), default=-1)
    known = max(known, *(int(turn[LEAST]) for turn in turns), 1)
    hold, roll, best = (part[..., : known + 1, 0] for part in race.actions(turns[0]))
    values = as_exact(best.T.copy())
    values[:, np.logical_not(reached)] = np.nan
    least = int(turns[0, LEAST])
    ties = sorted(
        (k, game.modes[m].name) for m, k in np.argwhere(roll == hold) if may_hold[m] and k >= least
    )
    return values, tuple(ties) if race.exact else None
