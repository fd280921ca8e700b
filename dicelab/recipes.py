"""How each table of printed numbers is computed."""

from collections import Counter

from .catalogue import double_trouble, giving_up, pig, piglet, ten_thousand, two_dice_pig
from .published import published
from .rules_of_thumb import end_race_or_keep_pace, hold_at, scoring_turns
from .solver import solve

# pandas, and what needs numba, is imported where it is used: it takes longer than all of dicelab.

__all__ = ["COLUMNS", "RECIPES", "against_hold_at", "numbers_of_turns", "turn_state"]


def _first_player_advantage():
    """Table 1 of generalized-pig: the value of Pig by target, all from one solve."""
    return solve(pig(1000)).by_target().to_dict()


def _piglet_by_needs():
    """Table 2 of generalized-pig: v(a, b) for Piglet to 3, in Fractions."""
    values = solve(piglet(3), exact=True).values
    return {(a, b): values[3 - a, 3 - b] for a in (1, 2, 3) for b in (1, 2, 3)}


def _best_turns():
    """Numbers that the text of generalized-pig quotes: the best single turn."""
    found = {}
    for game in (pig(), piglet()):
        best = solve(game, "score", exact=True)
        found[f"{game.name}: turn total to hold at for the most points of a turn"] = len(best.values) - 1
        found[f"{game.name}: most points of a turn"] = best.value
    return found


BEST_TOTALS = ((pig(), 25), (two_dice_pig(), 23), (double_trouble(), 18))


def _by_goal():
    """Table A1 of two-dice-pig: the value of two-dice Pig by goal."""
    return {int(goal): solve(two_dice_pig(int(goal))).value for goal in published("two-dice-pig", "table-a1")["goal"]}


def against_hold_at(game, totals, play=None):
    """How often the optimal player wins against hold at n, moving first, second, and on average.

    Parameters
    ----------
    game : Game
    totals : iterable of int
        The n.
    play : callable, optional
        By default :func:`dicelab.evaluate`; or one that simulates, for example.

    Returns
    -------
    dict
        By (n, "first" | "second" | "average"): the probability, and the standard error that it has after one game,
        or one of each kind, is simulated.
    """
    import joblib

    from .match import evaluate

    play, optimal, totals, found = play or evaluate, solve(game).policy, list(totals), {}
    players = [players for n in totals for players in ((optimal, hold_at(n)), (hold_at(n), optimal))]
    matches = joblib.Parallel(n_jobs=-1, prefer="threads")(joblib.delayed(play)(game, *both) for both in players)
    for n, one, other in zip(totals, matches[::2], matches[1::2], strict=True):
        first, second = one.first_wins, 1 - other.first_wins
        spreads = first * (1 - first), second * (1 - second)
        found[n, "first"], found[n, "second"] = (first, spreads[0] ** 0.5), (second, spreads[1] ** 0.5)
        found[n, "average"] = (first + second) / 2, sum(spreads) ** 0.5 / 2
    return found


def numbers_of_turns(games):
    """Mean and standard deviation of the number of turns, the optimal player and hold at n against each other.

    Parameters
    ----------
    games : iterable of (Game, int)
        Games, and the n of each.

    Returns
    -------
    dict
        By (name of the game, first, second, "mean" | "sd"), the players being "optimal" or "rule": the number, and the
        standard error that it has after one game is simulated.
    """
    from .match import evaluate

    found = {}
    for game, n in games:
        players = {"optimal": solve(game).policy, "rule": hold_at(n)}
        for first, second in (("optimal", "rule"), ("rule", "optimal"), ("optimal", "optimal")):
            match = evaluate(game, players[first], players[second])
            turns, sd = match.turns_distribution(), match.turns_sd
            fourth = float((turns * (turns.index - match.turns_mean) ** 4).sum())
            found[game.name, first, second, "mean"] = match.turns_mean, sd
            found[game.name, first, second, "sd"] = sd, (fourth - sd**4) ** 0.5 / (2 * sd)
    return found


def _text():
    """Numbers in the text of two-dice-pig."""
    wins = {goal: 100 * solve(two_dice_pig(goal)).value for goal in (100, 200)}
    found = {f"first player's win probability at goal {goal}, percent": value for goal, value in wins.items()}
    for game in (two_dice_pig(), double_trouble()):
        average = {n: p for (n, who), (p, _) in against_hold_at(game, range(10, 36)).items() if who == "average"}
        name = "two-dice Pig" if game.name == "Two-dice Pig" else game.name
        found[f"best n in {name}"] = min(average, key=average.get)
    return found


def _text_simulated():
    """Numbers in the text of two-dice-pig that were simulated."""
    found = {}
    for game, n, name in ((two_dice_pig(), 23, "two-dice Pig"), (double_trouble(), 18, "Double Trouble")):
        optimal, error = against_hold_at(game, [n])[n, "average"]
        found[f"average win probability of hold at {n} against the optimum in {name}"] = 1 - optimal, error
    turns = numbers_of_turns(BEST_TOTALS[2:])
    return found | {"turns in Double Trouble, both optimal": turns["Double Trouble", "optimal", "optimal", "mean"]}


def _minimax_text():
    """Numbers in the text of minimax-pig."""
    game = pig(200)
    lowest = solve(game).policy.lowest_holds()
    always = [(column == range(200, 0, -1)).all() for column in lowest.T]
    return {
        "smallest opponent's score from which on every decision is to roll": 200 - always[::-1].index(False),
        "exact finish: largest score at which no roll overshoots and one wins": 200 - game.most_points,
    }


def _literature():
    """What others have published about Pig."""
    from .ends import turn_ends
    from .solitaire import turns_needed

    game, rule, best = pig(), hold_at(20), _best_turns()
    ends = turn_ends(game, rule)
    first, last = ends.window[0, 0]
    chances = {0: ends.bust[0, 0]} | dict(zip(range(first, last), ends.hold[ends.start[0, 0] :], strict=False))
    return {
        "Neller and Presser 2004: win probability of the first player, target 100": solve(game).value,
        "Roters 1998: most points of a turn": best["Pig: most points of a turn"],
        "Roters 1998: turn total to hold at for the most points": best[
            "Pig: turn total to hold at for the most points of a turn"
        ],
        "Haigh and Roters 2000: fewest turns to 100": solve(game, "turns").value,
        "Haigh and Roters 2000: turns to 100 of hold at 20": turns_needed(game, rule)[0],
    } | {f"Neller and Presser 2004: hold at 20, chance of {k}": chance for k, chance in chances.items()}


def _practical_rules():
    """What rules that a person can play by lose to the optimal player, both moving first (Neller and Presser 2010)."""
    from .match import evaluate

    game = pig()
    optimal = solve(game).policy
    rules = hold_at(20), hold_at(25), scoring_turns(4), end_race_or_keep_pace()
    return {
        rule.name: evaluate(game, optimal, rule).first_wins - evaluate(game, rule, optimal).first_wins for rule in rules
    }


TABLE_1 = {"each 5": (5,), "each 1": (1,)} | {f"three {face}s": (face,) * 3 for face in range(1, 7)}


def _scores():
    """Table 1 of ten-thousand: what dice score, in points and chips."""
    game, found = ten_thousand(), {}
    for name, dice in TABLE_1.items():
        _, outcome = game.rolled(dice)
        chips = max(choice.points for choice in outcome.choices)
        found[name, "chips"], found[name, "points"] = chips, 50 * chips
    return found


def _restricted():
    """Table 4 of ten-thousand: the value if only some moves are allowed."""
    moves = [(5,), (1,), (5, 5), (5, 1)]
    games = {2 + k: giving_up(ten_thousand(), moves[:k]) for k in range(5)} | {15: ten_thousand()}
    return {actions: solve(game, "score", exact=True).value for actions, game in games.items()}


def _configurations():
    """Table 5 of ten-thousand: configurations, their scores, and how many of the 6ⁿ rolls of n dice have them."""
    found = {}
    for mode in ten_thousand().modes:
        for outcome in mode.outcomes:
            aside = outcome.scoring
            triple = next((face for face in aside if face not in (1, 5)), 0)
            name = f"{aside.count(5)}, {aside.count(1)}, {triple}"
            found[name, "scoring combinations"] = aside.count(5) + aside.count(1) + (triple > 0)
            found[name, "score"] = max((choice.points for choice in outcome.choices), default=0)
            found[name, f"frequency among {mode.dice} dice"] = outcome.probability * 6**mode.dice
    return found


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


def turn_state(best, column, chips):
    """A state of a turn of Ten Thousand, named as in Table 6: its value and the best action, "s", "r", "m5", ….

    Parameters
    ----------
    best : Solution
        Of "score".
    column : str
        One of `COLUMNS`.
    chips : int
        Of the turn, at least the fewest that `COLUMNS` has.
    """
    game, (hand, scoring, _) = best.game, COLUMNS[column]
    if scoring:
        _, outcome = game.rolled([*scoring, *(2, 3, 4)[:hand]])
        options = {choice.aside: (choice.points, game.mode(choice.mode)) for choice in outcome.choices}
    else:
        options = {(): (0, next(index for index, mode in enumerate(game.modes) if mode.dice == hand))}
    before = chips - options[scoring][0]
    values = {aside: best.values[before + points, mode] for aside, (points, mode) in options.items()}
    aside = max(values, key=lambda aside: (values[aside], len(aside)))
    given = Counter(scoring) - Counter(aside)
    action = "m" + "".join(map(str, sorted(given.elements(), reverse=True))) if given else "r"
    return values[aside], action if given or values[aside] > chips or chips == 0 else "s"


def _best_turn():
    """Table 6 of ten-thousand: the value function."""
    best = solve(ten_thousand(), "score", exact=True)
    cells = published("ten-thousand", "table-6")
    return {
        (column, chips): turn_state(best, column, chips)[0]
        for column, chips in zip(cells["column"], cells["chips"], strict=True)
    }


def _best_actions():
    """Table 6 of ten-thousand, last row: the action of each column, in all cells that are printed."""
    best = solve(ten_thousand(), "score", exact=True)
    cells = published("ten-thousand", "table-6").groupby("column")["chips"]
    actions = {column: {turn_state(best, column, k)[1] for k in chips} for column, chips in cells}
    return {column: " or ".join(sorted(found)) for column, found in actions.items()}


def _ten_thousand_text():
    """Numbers in the text of ten-thousand."""
    from scipy.optimize import brentq

    game, single = ten_thousand(), solve(pig(), "score", exact=True)
    best = solve(game, "score", exact=True)
    moves = set()
    for outcome in (outcome for mode in game.modes for outcome in mode.outcomes):
        moves |= {tuple((Counter(outcome.scoring) - Counter(choice.aside)).elements()) for choice in outcome.choices}
    return {
        "critical threshold": len(best.values) - 1,
        "value of the game": best.value,
        "value without moves": solve(giving_up(game, []), "score", exact=True).value,
        "actions": 2 + len(moves - {()}),
        "solitaire Pig: critical threshold": len(single.values) - 1,
        "solitaire Pig: value": single.value,
        "solitaire Pig: growth of another solution": brentq(lambda x: sum(x**f for f in range(2, 7)) / 6 - 1, 1, 2),
    }


RECIPES = {
    ("ten-thousand", "table-1"): _scores,
    ("ten-thousand", "table-4"): _restricted,
    ("ten-thousand", "table-5"): _configurations,
    ("ten-thousand", "table-6"): _best_turn,
    ("ten-thousand", "table-6-actions"): _best_actions,
    ("ten-thousand", "text"): _ten_thousand_text,
    ("generalized-pig", "table-1"): _first_player_advantage,
    ("generalized-pig", "table-2"): _piglet_by_needs,
    ("generalized-pig", "text"): _best_turns,
    ("minimax-pig", "text"): _minimax_text,
    ("minimax-pig", "literature"): _literature,
    ("minimax-pig", "neller-presser"): _practical_rules,
    ("two-dice-pig", "table-a1"): _by_goal,
    ("two-dice-pig", "table-a2"): lambda: against_hold_at(two_dice_pig(), range(10, 36)),
    ("two-dice-pig", "table-a3"): lambda: against_hold_at(double_trouble(), range(10, 36)),
    ("two-dice-pig", "table-1"): lambda: numbers_of_turns(BEST_TOTALS),
    ("two-dice-pig", "text"): _text,
    ("two-dice-pig", "text-simulated"): _text_simulated,
}
