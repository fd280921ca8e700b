"""How each paper's table of printed numbers is computed: `RECIPES`, a function for every table."""

import math
from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from dicelab.engine.race import led_to, seated
from dicelab.evaluation.loss import loss
from dicelab.evaluation.match import evaluate
from dicelab.evaluation.solving import solve
from dicelab.evaluation.studies import hold_at_n, turn_points
from dicelab.games.catalogue import (
    double_trouble,
    hog,
    pass_the_pigs,
    pig,
    piglet,
    toss_up,
    two_dice_pig,
)
from dicelab.games.set_aside import farkle, kingdom_come, restrict_discards, ten_thousand, zilch
from dicelab.policies import decisions_shape
from dicelab.rules_of_thumb import end_race_or_keep_pace, hold_at, scoring_turns

from .alone import PointsToGo, most_points_in_the_long_run, within_turns

__all__ = [
    "COLUMNS",
    "RECIPES",
    "always_rolls_from",
    "given_up",
    "in_both_orders",
    "kinds_of_rolls",
    "last_safe_score",
    "moves",
    "numbers_of_turns",
    "optimal_against_hold_at_n",
    "rolls_again",
    "simulated_beside",
    "turn_state",
    "turn_states",
    "with_standard_errors",
]


def _piglet_by_needs():
    """Table 2 of generalized-pig: v(a, b) for Piglet to 3, in Fractions."""
    values = solve(piglet(3), exact=True).values
    return {(a, b): values[3 - a, 3 - b] for a in (1, 2, 3) for b in (1, 2, 3)}


def _best_turns():
    """Numbers in the text of generalized-pig: the best single turn."""
    numbers = {}
    for game in (pig(), piglet()):
        best = solve(game, "score", exact=True)
        numbers[f"{game.name}: turn total to hold at for the most points of a turn"] = (
            len(best.values) - 1
        )
        numbers[f"{game.name}: most points of a turn"] = best.value
    return numbers


GOALS = 80, 90, 100, 110, 120, 130, 140, 150, 160, 180, 200  # of Table A1
TOTALS = range(10, 36)  # the n of Tables A2 and A3
BEST_TOTALS = (pig(), 25), (two_dice_pig(), 23), (double_trouble(), 18)  # of Table 1


@cache
def _played(game, totals, against):
    return hold_at_n(game, totals, against=against)


def played(game, totals, against="optimal"):
    """The result of :func:`dicelab.hold_at_n`, kept, as notebooks and claims ask for the same matches."""
    return _played(game, tuple(totals), against if against == "optimal" else tuple(against))


def in_both_orders(game, players, opponent):
    """How often each player, by name, beats an opponent, moving first and second, a DataFrame."""
    wins = {
        name: (
            evaluate(game, player, opponent).first_wins,
            1 - evaluate(game, opponent, player).first_wins,
        )
        for name, player in players.items()
    }
    return pd.DataFrame(wins, index=["moves first", "moves second"]).T


def optimal_against_hold_at_n(game, totals):
    """The optimal player's win probabilities against hold at n, a DataFrame by n.

    Columns "optimal first", "optimal average", "optimal second", as the curves of Figures 6 and 8 of two-dice-pig.
    """
    optimal = 1 - played(game, totals)
    names = {"second": "optimal first", "average": "optimal average", "first": "optimal second"}
    return optimal.rename(columns=names)[[*names.values()]]


def pairs_seen(game, first, second):
    """The pairs of scores at which a turn can begin when two policies play.

    A breadth-first search on the graph of the pairs: a turn leads from (i, j) to (j, i') where it can hold at i', and
    to (j, i) where it can bust.

    Returns
    -------
    ndarray of bool, (2, target, target)
        Indexed [player about to move, that player's score, the other's score]; player 0 has moved first. In a game
        with registers scores are given by their places in ``game.scores``.

    Examples
    --------
    >>> pairs_seen(piglet(4), hold_at(2), hold_at(3))[1].astype(int)  # the second player holds at 3, the first at 2
    array([[1, 0, 1, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0],
           [1, 0, 1, 0]])
    """
    race = seated(game, [first, second])
    reached = led_to(race.steps, [race.positions.start])
    shape = (len(game.scores), race.memory) * 2
    starts = [race.positions.offset[phase, 0] for phase in range(2)]
    seen = np.stack([reached[start : start + np.prod(shape)] for start in starts])
    return seen.reshape(2, *shape).any((2, 4))


def reachable(game, policy):
    """The turn totals that a turn can have under a policy.

    Returns
    -------
    ndarray of bool, (target, target, modes, target)
        Indexed [own, opponent, mode, turn total]; includes the totals at which the policy holds.

    Examples
    --------
    >>> reachable(pig(9), hold_at(5))[0, 0, 0].astype(int)  # a turn from 0 against 0: no roll adds 1
    array([1, 0, 1, 1, 1, 1, 1, 1, 1])
    """
    race, size = seated(game, [policy, policy]), len(game.scores)
    reached = np.zeros(decisions_shape(game), dtype=bool)
    for place, own in enumerate(game.scores):
        turns = race.positions.at(np.array([(place, other) for other in range(size)]))
        met = race.met(turns, *policy.actions_at(game, own))[..., : game.longest]
        reached[place, ..., : met.shape[-1]] = met > 0
    return reached


KINDS = {  # of rolls, by what the rules of two-dice games lead to
    "reset": "two ones: all points are lost",
    "bust": "a single one: the turn total is lost",
    "forced": "a double: the sum joins the turn total, roll again",
    "roll": "no one: the sum joins the turn total",
    "free": "no one, no double: the sum joins the turn total",
}


def kinds_of_rolls(game):
    """What a roll of a two-dice game leads to, in words, a Series of the chances as text, in 36ths."""
    chances = Counter()
    for outcome in game.modes[0].outcomes:
        after = outcome.choices[0].mode if outcome.choices else outcome.result
        chances[KINDS[after]] += 36 * outcome.probability
    written = {kind: f"{chance}/36" for kind, chance in chances.items()}
    return pd.Series(written, name="probability").rename_axis("roll")


def rolls_again(policy):
    """Where a policy rolls although it would have held at a smaller turn total.

    Returns
    -------
    ndarray of bool, (target, target, target)
        Indexed [own, opponent, turn total].
    """
    rolls = policy.roll_mask()
    again = np.zeros_like(rolls)
    again[..., 1:] = rolls[..., 1:] & ~np.logical_and.accumulate(rolls, axis=2)[..., :-1]
    return again


def with_standard_errors(rates):
    """The entries of Tables A2 and A3 of two-dice-pig, from the result of `optimal_against_hold_at_n`.

    Returns a dict by (n, "first" | "second" | "average"): the optimal player's win probability, and its standard error
    after one simulated game, or one game of each kind for the average.
    """
    entries = {}
    for n, first, average, second in rates.itertuples():
        variances = first * (1 - first), second * (1 - second)
        entries[n, "first"], entries[n, "second"] = (
            (first, variances[0] ** 0.5),
            (second, variances[1] ** 0.5),
        )
        entries[n, "average"] = average, sum(variances) ** 0.5 / 2
    return entries


def numbers_of_turns(games):
    """Mean and standard deviation of the number of turns, for the optimal player and hold at n against each other.

    `games` are pairs of a Game and its n. Returns a dict by (name of the game, first, second, "mean" | "sd"), where the
    players are "optimal" or "rule": the number, and its standard error after one simulated game.
    """
    return {key: number for pair in games for key, number in _turns_of(*pair).items()}


@cache
def _turns_of(game, n):
    players, numbers = {"optimal": solve(game).policy, "rule": hold_at(n)}, {}
    for first, second in (("optimal", "rule"), ("rule", "optimal"), ("optimal", "optimal")):
        match = evaluate(game, players[first], players[second])
        turns, sd = match.turns_distribution(), match.turns_sd
        fourth = float((turns * (turns.index - match.turns_mean) ** 4).sum())  # central moment
        numbers[game.name, first, second, "mean"] = match.turns_mean, sd
        numbers[game.name, first, second, "sd"] = sd, (fourth - sd**4) ** 0.5 / (2 * sd)
    return numbers


def _text():
    """Numbers in the text of two-dice-pig."""
    numbers = {
        f"first player's win probability at goal {goal}, percent": 100
        * solve(two_dice_pig(goal)).value
        for goal in (100, 200)
    }
    for game, name in ((two_dice_pig(), "two-dice Pig"), (double_trouble(), "Double Trouble")):
        rates = optimal_against_hold_at_n(game, TOTALS)
        numbers[f"best n in {name}"] = int(rates["optimal average"].idxmin())
    return numbers


def _text_simulated():
    """Numbers in the text of two-dice-pig that were simulated."""
    numbers = {}
    for game, n, name in (
        (two_dice_pig(), 23, "two-dice Pig"),
        (double_trouble(), 18, "Double Trouble"),
    ):
        optimal, error = with_standard_errors(optimal_against_hold_at_n(game, TOTALS))[n, "average"]
        numbers[f"average win probability of hold at {n} against the optimum in {name}"] = (
            1 - optimal,
            error,
        )
    turns = numbers_of_turns(BEST_TOTALS)
    return numbers | {
        "turns in Double Trouble, both optimal": turns[
            "Double Trouble", "optimal", "optimal", "mean"
        ]
    }


def _minimax_text():
    """Numbers in the text of minimax-pig."""
    always = always_rolls_from(solve(pig(200)).policy)
    return {
        "smallest opponent's score from which on every decision is to roll": always,
        "exact finish: largest score at which no roll overshoots and one wins": last_safe_score(
            pig(200, "exact")
        ),
    }


def always_rolls_from(policy):
    """The smallest opponent's score from which on a policy rolls until it wins, whatever its own score.

    Examples
    --------
    >>> always_rolls_from(solve(pig(200)).policy)
    187
    """
    thresholds = policy.hold_thresholds()
    holds = thresholds < np.arange(len(thresholds), 0, -1)[:, None]
    return int(np.flatnonzero(holds.any(axis=0)).max(initial=-1)) + 1


def last_safe_score(game):
    """The largest score from which one roll may finish exactly and none overshoots, as the game's followed turns say.

    A turn of a single roll busts by a one, or by points beyond the target. So at the score sought it busts with the
    probability of a one alone, and finishes with a positive probability.
    """
    steps = seated(game, [hold_at(1)], "turns").steps.toarray()[2:]  # after two ends
    one = float(game.modes[0].chance("bust"))
    safe = (steps[:, 1] > 0) & (abs(steps[:, 2:].diagonal() - one) < 1e-12)
    return int(safe.nonzero()[0].max())


def _roters():
    """The most points of one turn (Roters 1998)."""
    best = solve(pig(), "score", exact=True)
    return {
        "most points of a turn": best.value,
        "turn total to hold at for the most points": len(best.values) - 1,
    }


def _haigh_roters():
    """The fewest turns to 100 points, and those of hold at 20 (Haigh and Roters 2000)."""
    game = pig()
    turns = evaluate(game, hold_at(20)).turns_mean
    return {"fewest turns to 100": solve(game, "turns").value, "turns to 100 of hold at 20": turns}


def _neller_presser():
    """The optimal player against itself and against hold at 20 (Neller and Presser 2004)."""
    game, rule = pig(), hold_at(20)
    optimum = solve(game)
    wins = [
        evaluate(game, *players).first_wins
        for players in ((optimum.policy, rule), (rule, optimum.policy))
    ]
    return {
        "first player's win probability, both optimal": optimum.value,
        "optimal player moves first against hold at 20: the optimal player wins": wins[0],
        "hold at 20 moves first against the optimal player: hold at 20 wins": wins[1],
    }


def _hold_at_20():
    """Hold at 20 (Neller 2010)."""
    game, rule = pig(), hold_at(20)
    return {
        f"a turn of hold at 20: chance of {k} points": chance
        for k, chance in turn_points(game, rule).items()
    } | {"first player's win probability, both hold at 20": evaluate(game, rule, rule).first_wins}


def _hold_at_20_simulated():
    """Hold at 20, with the standard errors of one simulated turn or game (Neller 2010)."""
    game, rule = pig(), hold_at(20)
    means = evaluate(game, rule).turns_by_score
    steps = seated(game, [rule], "turns").steps.toarray()[2:, 2:]
    # E (1 + T')² = 2 E T - 1 + E T'².
    squares = np.linalg.solve(np.eye(game.target) - steps, 2 * means - 1)
    chances = {
        name: (chance, (chance * (1 - chance)) ** 0.5) for name, chance in _hold_at_20().items()
    }
    return chances | {"turns to 100 of hold at 20": (means[0], (squares[0] - means[0] ** 2) ** 0.5)}


def _piglet_holds():
    """When to hold in Piglet to 3, 6 and 9 (Neller 2003), a dict by (goal, own, opponent); in fractions."""
    holds = {goal: solve(piglet(goal), exact=True).policy.hold_thresholds() for goal in (3, 6, 9)}
    return {
        (goal, *scores): int(n)
        for goal, table in holds.items()
        for scores, n in np.ndenumerate(table)
    }


def _every_hold():
    """The lowest turn total to hold at in Pig, by both scores (C. Anzilotti and others)."""
    return dict(np.ndenumerate(solve(pig()).policy.hold_thresholds()))


def _against_hold_at_n():
    """Who moves first wins: the optimal player of Pig and hold at n, by pair of players, with standard errors."""
    optimum = solve(pig())
    wins = {("optimal", "optimal"): solve(pig()).value}
    for n in range(20, 24):
        rule, name = hold_at(n), f"hold at {n}"
        wins["optimal", name] = evaluate(pig(), optimum.policy, rule).first_wins
        wins[name, "optimal"] = evaluate(pig(), rule, optimum.policy).first_wins
        wins["optimal, by lots", name] = (wins["optimal", name] + 1 - wins[name, "optimal"]) / 2
    return {pair: (p, (p * (1 - p)) ** 0.5) for pair, p in wins.items()}


def _scoring_rolls():
    """The share of rolls that score in Farkle, by the number of dice."""
    return {mode.dice: 1 - mode.chance("bust") for mode in farkle().modes}


def _within_turns():
    """The best chance to reach 100 points of two-dice Pig, a dict by (own, turns) (B. Butler)."""
    chances = solve(two_dice_pig(), "deadline", turns=15).values
    return {(own, turns): chance for (turns, own), chance in np.ndenumerate(chances)}


def _simple_rules():
    """The losses of simple rules to the optimum, moving first and second together (Neller and Presser 2010)."""
    optimum = solve(pig())
    rules = (hold_at(20), hold_at(25), scoring_turns(4), end_race_or_keep_pace())
    return {rule.name: 2 * loss(optimum, rule) for rule in rules}


TABLE_1 = {"each 5": (5,), "each 1": (1,)} | {f"three {face}s": (face,) * 3 for face in range(1, 7)}


def _scores():
    """Table 1 of ten-thousand: the scores of dice, in points and chips."""
    game, scores = ten_thousand(), {}
    for name, dice in TABLE_1.items():
        _, outcome = game.classify_roll(dice)
        chips = max(choice.points for choice in outcome.choices)
        scores[name, "chips"], scores[name, "points"] = chips, 50 * chips
    return scores


def given_up(scoring, aside):
    """The name of a move, as in Table 3 of ten-thousand, by the scoring dice of a roll and those that are kept.

    >>> given_up((1, 5, 5), (5,)), given_up((1, 2, 2, 2), (1,)), given_up((5,), (5,))
    ('m51', 'mt2', '')
    """
    given = sorted((Counter(scoring) - Counter(aside)).elements(), reverse=True)
    name = f"t{given[0]}" if given in [[face] * 3 for face in given] else "".join(map(str, given))
    return f"m{name}" if given else ""


def moves(game):
    """The moves of Table 3 of ten-thousand, with the numbers of rolled dice after which they are possible, a Series."""
    found = {
        (given_up(outcome.scoring, choice.aside), mode.dice)
        for mode in game.modes
        for outcome in mode.outcomes
        for choice in outcome.choices
    }
    table = pd.DataFrame(sorted(found), columns=["move", "dice rolled"]).query("move != ''")
    return table.astype(str).groupby("move")["dice rolled"].agg(", ".join)


def _restricted():
    """Table 4 of ten-thousand: the value if only some moves are allowed, by the number and the names of the actions."""
    allowed, games = {"m5": (5,), "m1": (1,), "m55": (5, 5), "m51": (5, 1)}, {}
    for k in range(len(allowed) + 1):
        names = ", ".join(["s", "r", *allowed][: 2 + k])
        games[2 + k, names] = restrict_discards(ten_thousand(), [*allowed.values()][:k])
    games[15, "all"] = ten_thousand()
    return {actions: solve(game, "score", exact=True).value for actions, game in games.items()}


def _configurations():
    """Table 5 of ten-thousand: configurations, their scores, and how many of the 6ⁿ rolls of n dice have them."""
    cells = {}
    for mode in ten_thousand().modes:
        for outcome in mode.outcomes:
            aside = outcome.scoring
            triple = next((face for face in aside if face not in (1, 5)), 0)
            name = f"{aside.count(5)}, {aside.count(1)}, {triple}"
            cells[name, "scoring dice"] = len(aside)
            cells[name, "scoring combinations"] = aside.count(5) + aside.count(1) + (triple > 0)
            cells[name, "score"] = max((choice.points for choice in outcome.choices), default=0)
            cells[name, f"frequency among {mode.dice} dice"] = outcome.probability * 6**mode.dice
    return cells


COLUMNS = {  # of Table 6: dice in hand, scoring dice of the last roll where a move from them may pay, fewest chips
    "n = 5": (5, (), 0),
    "n = 4": (4, (), 1),
    "n = 3, [2, 0, 0] or [1, 1, 0]": (3, (5, 5), 2),
    "n = 3, [0, 2, 0]": (3, (1, 1), 4),
    "n = 3, other": (3, (), 2),
    "n = 2, [2, 1, 0]": (2, (1, 5, 5), 4),
    "n = 2, [1, 2, 0]": (2, (1, 1, 5), 5),
    "n = 2, [2, 0, 0] or [1, 1, 0]": (2, (5, 5), 3),
}


def after_a_roll(game, own, turn_total):
    """What a roll may lead to, in words, a Series of the chances as text.

    Parameters
    ----------
    game : Game
        With one die.
    own, turn_total : int
        The player's score and turn total before the roll.

    Examples
    --------
    >>> from dicelab import pig
    >>> after_a_roll(pig(200, finish="exact"), 180, 16).to_dict()
    {'loses the turn': '1/2', 'turn total 18': '1/6', 'turn total 19': '1/6', 'reaches the target': '1/6'}
    """
    after = Counter()
    for outcome in game.modes[0].outcomes:
        name = "loses the turn"
        for choice in outcome.choices:  # none after a bust
            missing = game.target - own - turn_total - choice.points
            if missing > 0:
                name = f"turn total {turn_total + choice.points}"
            elif missing == 0 or game.finish != "exact":
                name = "reaches the target"
        after[name] += outcome.probability
    return pd.Series(after, name="probability").map(str).rename_axis("roll")


def simulated_beside(exact, runs, number="first_wins"):
    """Simulated numbers beside exact ones.

    Parameters
    ----------
    exact : Series or dict
    runs : dict of Estimate
        By the same keys.
    number : str
        The attribute of a run with the number; that with "_se" has its standard error.

    Returns
    -------
    pandas.DataFrame
        Columns simulated, standard error, exact, and off: the difference in standard errors.
    """
    rows = {key: [getattr(run, number), getattr(run, f"{number}_se")] for key, run in runs.items()}
    table = pd.DataFrame(rows, index=["simulated", "standard error"]).T.assign(exact=exact)
    return table.assign(off=(table["simulated"] - table["exact"]) / table["standard error"])


def turn_state(best, column, chips):
    """A state of a turn of Ten Thousand, named as in Table 6: its value and the best action, "s", "r", "m5", ….

    Parameters
    ----------
    best : Solution
        Of Ten Thousand, objective "score".
    column : str
        One of `COLUMNS`.
    chips : int
        The turn total, at least the fewest chips in `COLUMNS`.
    """
    game, (hand, scoring, _) = best.game, COLUMNS[column]
    if scoring:
        _, outcome = game.classify_roll([*scoring, *(2, 3, 4)[:hand]])
        options = {
            choice.aside: (choice.points, game.mode(choice.mode)) for choice in outcome.choices
        }
    else:
        options = {
            (): (0, next(index for index, mode in enumerate(game.modes) if mode.dice == hand))
        }
    before = chips - options[scoring][0]
    values = {
        aside: best.values[before + points, mode] for aside, (points, mode) in options.items()
    }
    aside = max(values, key=lambda aside: (values[aside], len(aside)))
    stops = aside == scoring and values[aside] == chips > 0
    return values[aside], "s" if stops else given_up(scoring, aside) or "r"


def turn_states(best):
    """Every state of Table 6 of ten-thousand, a DataFrame by column and chips: its value, and the best action.

    Parameters
    ----------
    best : Solution
        Of Ten Thousand, objective "score".
    """
    states = {
        (column, chips): turn_state(best, column, chips)
        for column, (*_, fewest) in COLUMNS.items()
        for chips in range(fewest, len(best.values) - 1)
    }
    keys = pd.MultiIndex.from_tuples(states, names=["column", "chips"])
    return pd.DataFrame([*states.values()], keys, ["value", "action"])


@cache
def _turn_states():
    """Those of the game as the paper has it, in fractions."""
    return turn_states(solve(ten_thousand(), "score", exact=True))


def _best_actions():
    """Table 6 of ten-thousand, last row: the action of each column, in all cells where it is not to stop."""
    actions = _turn_states()["action"].loc[lambda action: action != "s"].groupby("column").unique()
    return actions.map(" or ".join).to_dict()


def _ten_thousand_text():
    """Numbers in the text of ten-thousand."""
    game = ten_thousand()
    single = solve(pig(), "score", exact=True)
    best = solve(game, "score", exact=True)
    return {
        "critical threshold": len(best.values) - 1,
        "value of the game": best.value,
        "value without moves": solve(restrict_discards(game, []), "score", exact=True).value,
        "actions": 2 + len(moves(game)),
        "solitaire Pig: critical threshold": len(single.values) - 1,
        "solitaire Pig: value": single.value,
        "solitaire Pig: growth of another solution": brentq(
            lambda x: sum(x**f for f in range(2, 7)) / 6 - 1, 1, 2
        ),
    }


def _hog():
    """The expected points of a turn of Hog by the number of dice (Feldman and Morgan 2003), in Fractions."""
    modes = {mode.name: mode for mode in hog().modes}
    return {dice: _mean_gain(modes[f"{dice} dice"]) for dice in (5, 6)}


def _mean_gain(mode):
    """The expected points of a roll, if no choice is left; a Fraction."""
    return sum(
        outcome.probability * choice.points
        for outcome in mode.outcomes
        for choice in outcome.choices
    )


def _toss_up():
    """The turn total below which a roll of Toss Up gains more than it risks, by dice in hand (Johnson 2012)."""
    game, found = toss_up(), {}
    for dice, mode in enumerate(reversed(game.modes), start=1):
        bound = _mean_gain(mode) / mode.chance("bust")
        least = 10 - dice  # points of a turn with so few dice in hand
        found[dice] = (
            "never" if bound <= least else "always" if bound >= game.target else math.ceil(bound)
        )
    return found


def _pigs():
    """When a throw is a fair bet (Batten 2015): jowlers 0.7 %, pigs that never touch."""
    (mode,) = pass_the_pigs(
        frequencies=("34.9", "30.2", "22.4", "8.8", "3.0", "0.7"), touching=0
    ).modes
    return {"points at which a throw is a fair bet": _mean_gain(mode) / mode.chance("bust")}


def _zilch():
    """The most points of a turn of Zilch in the long run (Busche 2010)."""
    game = zilch()
    return {"most points a turn in the long run": game.chip * most_points_in_the_long_run(game)}


DICE = {
    "3 Standard, 2 Heavenly Kingdom, 1 Odd": ("Standard",) * 3
    + ("Heavenly Kingdom",) * 2
    + ("Odd",),
    "4 Standard, 2 Odd": ("Standard",) * 4 + ("Odd",) * 2,
}
MOST_TURNS = 50  # of kcddice


@cache
def _turns_alone():
    """The probability of the target within n turns, by the dice of `DICE`, as kcddice plays."""
    games = {name: kingdom_come(dice=dice) for name, dice in DICE.items()}
    return {name: within_turns(game, PointsToGo(game), MOST_TURNS) for name, game in games.items()}


def _kingdom_come():
    """The turns to the target in Kingdom Come, a dict by (dice, turns) (Hayes 2022)."""
    return {
        (name, n): chance
        for name, chances in _turns_alone().items()
        for n, chance in enumerate(chances)
    }


def _kingdom_come_wins():
    """Who wins in Kingdom Come if both ignore the opponent (Hayes 2022)."""
    ours, theirs = _turns_alone().values()
    game = kingdom_come()
    return {
        f"{' against '.join(DICE)}: the first player wins": np.diff(ours) @ (1 - theirs[:-1]),
        "6 Standard each: the first player wins": evaluate(
            game, PointsToGo(game), PointsToGo(game)
        ).first_wins,
    }


RECIPES = {
    # All targets from one solution.
    ("generalized-pig", "table-1"): lambda: solve(pig(1000)).by_target().to_dict(),
    ("generalized-pig", "table-2"): _piglet_by_needs,
    ("generalized-pig", "text"): _best_turns,
    ("two-dice-pig", "table-a1"): lambda: {goal: solve(two_dice_pig(goal)).value for goal in GOALS},
    ("two-dice-pig", "table-a2"): lambda: with_standard_errors(
        optimal_against_hold_at_n(two_dice_pig(), range(10, 36))
    ),
    ("two-dice-pig", "table-a3"): lambda: with_standard_errors(
        optimal_against_hold_at_n(double_trouble(), range(10, 36))
    ),
    ("two-dice-pig", "table-1"): lambda: numbers_of_turns(BEST_TOTALS),
    ("two-dice-pig", "text"): _text,
    ("two-dice-pig", "text-simulated"): _text_simulated,
    ("minimax-pig", "text"): _minimax_text,
    ("literature", "roters-1998"): _roters,
    ("literature", "haigh-roters-2000"): _haigh_roters,
    ("literature", "neller-presser-2004"): _neller_presser,
    ("literature", "neller-presser-2010"): _simple_rules,
    ("literature", "neller-2010"): _hold_at_20,
    ("literature", "neller-2010-simulated"): _hold_at_20_simulated,
    ("literature", "neller-2003"): _piglet_holds,
    ("literature", "butler"): _within_turns,
    ("literature", "anzilotti-2025"): _every_hold,
    ("literature", "stor609-2025"): _against_hold_at_n,
    ("literature", "farkle-games"): _scoring_rolls,
    ("literature", "feldman-morgan-2003"): _hog,
    ("literature", "johnson-2012"): _toss_up,
    ("literature", "batten-2015"): _pigs,
    ("literature", "busche-2010"): _zilch,
    ("literature", "hayes-2022"): _kingdom_come,
    ("literature", "hayes-2022-wins"): _kingdom_come_wins,
    ("ten-thousand", "table-1"): _scores,
    ("ten-thousand", "table-4"): _restricted,
    ("ten-thousand", "table-5"): _configurations,
    ("ten-thousand", "table-6"): lambda: _turn_states()["value"],
    ("ten-thousand", "table-6-actions"): _best_actions,
    ("ten-thousand", "text"): _ten_thousand_text,
}
