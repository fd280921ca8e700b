"""How the claims of the collection "literature" are checked: `CHECKS`, a function for every claim."""

import numpy as np

from dicelab.evaluation.loss import loss
from dicelab.evaluation.match import evaluate
from dicelab.evaluation.studies import turn_points
from dicelab.games.catalogue import pig, piglet
from dicelab.games.set_aside import kingdom_come
from dicelab.rules_of_thumb import end_race_or_keep_pace, hold_at

from ..alone import PointsToGo
from .findings import exceptions, solved, taste, verdict_of

__all__ = ["CHECKS"]


def _mean_points(game, policy):
    """The mean points of a turn far from the target."""
    chances = turn_points(game, policy)
    return float((chances * chances.index).sum())


def _most_points():
    """Roters 1998: hold at 20 maximises the expected points of a turn."""
    points = {n: _mean_points(pig(), hold_at(n)) for n in range(2, 41)}
    best = [n for n, mean in points.items() if mean > max(points.values()) - 1e-12]
    found = f"of hold at 2 to 40 the best are {' and '.join(map(str, best))}, with {points[best[0]]:.4f} points"
    return verdict_of(20 in best, found)


def _fair_bet():
    """Neller, Russell and Markov 2005, section 1.1, after Knizia: at 20 points a roll is a fair bet."""
    (mode,) = pig().modes
    gain = sum(o.probability * choice.points for o in mode.outcomes for choice in o.choices)
    risk = mode.chance("bust")
    found = f"a roll gains {gain} points on average and risks the turn total with {risk}: fair at {gain / risk}"
    return verdict_of(gain == 20 * risk, found)


def _no_simple_rule():
    """Neller and Presser 2004: the optimal policy is more complex than a simple rule."""
    policy = solved(pig()).policy
    rolls = policy.roll_mask()
    own, _, total = np.indices(rolls.shape, sparse=True)
    again = rolls[:, :, 1:] & ~rolls[:, :, :-1] & ((own + total < 100) & (total > 1))[:, :, 1:]
    first = policy.hold_thresholds()
    below = np.unique(first[first < 100 - np.arange(100)[:, None]])
    found = f"holds begin at {below[0]} to {below[-1]}; at {again.any(axis=2).sum():,} of 10,000 pairs of scores "
    return verdict_of(len(below) > 1 and again.any(), found + "a roll follows a hold")


def _first_player():
    """Neller 2010, First-Player Advantage: who moves first has an advantage when both hold at 20."""
    wins = {n: evaluate(pig(), hold_at(n), hold_at(n)).first_wins for n in (10, 15, 20, 25, 30)}
    found = f"{wins[20]:.4f} at 20, and {min(wins.values()):.4f} to {max(wins.values()):.4f} for n from 10 to 30"
    return verdict_of(min(wins.values()) > 0.5, found)


def _roll_once_more():
    """Possibly Wrong 2014: at 41 against 49 roll to 22, but at 27 roll once more."""
    rolls = solved(pig()).policy.roll_mask()[41, 49]
    lowest = int(rolls.argmin())
    later = (lowest + np.flatnonzero(rolls[lowest:])).tolist()
    found = f"holds begin at {lowest}; later rolls at {later}"
    return verdict_of((lowest, later[0]) == (22, 27), found)


def _twenty_or_21():
    """Mathematics Stack Exchange 827404: hold at 20 and hold at 21 give the same expected points."""
    twenty, more = (_mean_points(pig(), hold_at(n)) for n in (20, 21))
    tied = any(tie[0] == 20 for tie in solved(pig(), "score", exact=True).ties)
    return verdict_of(
        tied and abs(twenty - more) < 1e-13,
        f"{twenty:.12f} and {more:.12f} points; a tie in fractions",
    )


def _fewest_turns():
    """Haigh and Roters 2000: the player of the fewest turns needs fewer turns than hold at 20."""
    fewest = solved(pig(), "turns").values
    rule = np.asarray(evaluate(pig(), hold_at(20)).turns_by_score)
    players = solved(pig(), "turns").policy, hold_at(20)
    first = [evaluate(pig(), *order).first_wins for order in (players, players[::-1])]
    found = f"{fewest[0]:.4f} and {rule[0]:.4f} turns from the start; moving first the one wins {first[0]:.2%}"
    better = (fewest <= rule + 1e-12) & (first[0] > first[1])
    return exceptions(better, "scores", f"{found}, the other {first[1]:.2%}")


def _close_to_optimal():
    """Neller and Presser 2010: a rule of three integers closely approximates optimal play."""
    lost = 2 * loss(solved(pig()), end_race_or_keep_pace())
    best = min(2 * loss(solved(pig()), hold_at(n)) for n in range(18, 31))
    found = f"it loses {lost:.2%} to the optimum; the best hold at n from 18 to 30 loses {best:.2%}"
    return verdict_of(lost < best, found)


def _last_points():
    """Neller 2003: with one point missing, hold at 1; an opponent one point short leaves only the roll for the goal."""
    holds = [solved(piglet(goal), exact=True).policy.hold_thresholds() for goal in (3, 6, 9)]
    column = np.concatenate(
        [table[:-1, -1] == len(table) - np.arange(len(table) - 1) for table in holds]
    )
    return exceptions(
        column, "scores", "goals 3, 6 and 9, the opponent one point short: roll for the goal"
    )


def _rare_busts():
    """Hayes 2022: six standard dice bust on the first roll with about 3 %; that is, rounded."""
    chance = kingdom_come().modes[0].chance("bust")
    return verdict_of(round(100 * chance) == 3, f"{chance}, or {float(chance):.2%}")


def _turns_alone():
    """Hayes 2022: 4,000 points in about 7.5 turns."""
    turns = evaluate(kingdom_come(), PointsToGo(kingdom_come())).turns_mean
    return taste(f"with his policy {turns:.2f} turns on average")


CHECKS = {
    "most-points": _most_points,
    "fair-bet": _fair_bet,
    "no-simple-rule": _no_simple_rule,
    "first-player": _first_player,
    "roll-once-more": _roll_once_more,
    "twenty-or-21": _twenty_or_21,
    "fewest-turns": _fewest_turns,
    "close-to-optimal": _close_to_optimal,
    "last-points": _last_points,
    "rare-busts": _rare_busts,
    "turns-alone": _turns_alone,
}
