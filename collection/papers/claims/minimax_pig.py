"""How the claims of minimax-pig (Crocce and Mordecki 2009) are checked: `CHECKS`, a function for every claim.

The race is Pig to 200. Statements about stochastic games in general are checked on short races, written out as
stochastic games with all their states, and on a game in which both players decide at once.
"""

from functools import cache

import numpy as np

from dicelab.engine.race import seated
from dicelab.evaluation.loss import loss
from dicelab.evaluation.match import evaluate
from dicelab.evaluation.studies import turn_points
from dicelab.games.catalogue import pig, piglet
from dicelab.rules_of_thumb import hold_at

from ...course.textbook.stochastic import (
    as_stochastic_game,
    simultaneous_hog,
    solve_stochastic,
)
from .findings import exceptions, solved, taste, verdict_of

__all__ = ["CHECKS"]

TARGET = 200
FAR = TARGET // 4  # both scores below: far from the target
NEAR = 187  # the opponent's score from which the paper's figure is gray
SHORT = pig(4), pig(6), piglet(5)  # races with few states
RACES = "Pig to 4 and 6, Piglet to 5"
STAGES = 1500  # after which none of them goes on


@cache
def _solution(name):
    """The solution of one of the three games, by its name in `GAMES`."""
    return solved(pig(TARGET, "exact")) if name == "exact" else solved(pig(TARGET), name)


@cache
def _mask(name):
    return _solution(name).policy.roll_mask()


@cache
def _lowest(name):
    """The lowest turn total at which to hold, by both scores."""
    return _solution(name).policy.hold_thresholds()


@cache
def _stages(game):
    """A short race as a stochastic game, a dict by state."""
    return as_stochastic_game(game).stages


@cache
def _shapley_solution(game):
    """The values and strategies of a short race, by iterating Shapley's operator."""
    return solve_stochastic(as_stochastic_game(game))


def _survival(stages, steps):
    """The largest probabilities, over all states and strategies, that play goes on after 1, …, `steps` stages."""
    moves = {
        state: [
            [(float(q), after) for after, q in next_states.items()]
            for _, next_states in pairs.values()
        ]
        for state, pairs in stages.items()
    }
    alive, largest = dict.fromkeys(moves, 1.0), []
    for _ in range(steps):
        alive = {
            state: max(sum(q * alive[a] for q, a in move) for move in pairs)
            for state, pairs in moves.items()
        }
        largest.append(max(alive.values()))
    return largest


def _guaranteed(game, strategies, player):
    """The values that one player's strategies guarantee against every answer, by state; a stochastic game."""
    values, change = dict.fromkeys(game.stages, 0.0), 1.0
    while change > 1e-13:
        before = dict(values)
        for state, both in strategies.items():
            mixed = np.array([*both[player].values()])
            matrix = game.matrix(state, values)
            values[state] = float((mixed @ matrix).min() if player == 0 else (matrix @ mixed).max())
        change = max(abs(values[state] - before[state]) for state in values)
    return values


# Section 1


@cache
def _fewest_player():
    return solved(pig(TARGET), "turns").policy


def _haigh_roters_better():
    """Section 1: the strategy of Haigh and Roters is better than that of Roters."""
    fewest = solved(pig(TARGET), "turns").values
    rule = np.asarray(evaluate(pig(TARGET), hold_at(20)).turns_by_score)
    lost = [loss(_solution("win"), player) for player in (_fewest_player(), hold_at(20))]
    found = f"fewer turns; against the optimum it loses {lost[0]:.2%} of the games, hold at 20 {lost[1]:.2%}"
    return exceptions((fewest <= rule + 1e-12) & (lost[0] < lost[1]), "own scores", found)


def _opponent_relevant():
    """Section 1: the opponent's points are clearly relevant in order to win."""
    varied = (_lowest("win")[:-2] != _lowest("win")[:-2, :1]).any(axis=1)
    lost = loss(_solution("win"), _fewest_player())
    found = f"the rule depends on the opponent at {varied.sum()} of {varied.size} own scores below {TARGET - 2}"
    return verdict_of(
        varied.any() and lost > 0,
        f"{found}; the player who does not look loses {lost:.2%} of the games",
    )


def _size(error):
    """An error as "at most" a power of ten, which does not depend on the machine."""
    return f"at most 1e{int(np.ceil(np.log10(max(error, 1e-12))))}"


# Section 2


def _optimal_strategies():
    """Theorem 2.1: strategies that are optimal in the matrix games are optimal in the stochastic game."""
    worst, mixed = 0.0, 0
    for game in (as_stochastic_game(pig(4)), simultaneous_hog(6)):
        values, strategies = solve_stochastic(game)
        for player in (0, 1):
            held = _guaranteed(game, strategies, player)
            worst = max(worst, max(abs(held[state] - values[state]) for state in values))
        mixed += sum(max(both[0].values()) < 1 for both in strategies.values())
    found = f"Pig to 4 and simultaneous Hog to 6, with mixed strategies at {mixed} states: "
    found += f"guaranteed within {_size(worst)}"
    return verdict_of(worst < 1e-9, found)


def _stationary():
    """Remark 2.1: there are optimal strategies for both players, and they are stationary."""
    worst = 0.0
    for game in SHORT:
        values, strategies = _shapley_solution(game)
        stochastic = as_stochastic_game(game)
        held = [_guaranteed(stochastic, strategies, player) for player in (0, 1)]
        worst = max(worst, max(abs(held[0][state] - held[1][state]) for state in values))
    return verdict_of(
        worst < 1e-9,
        f"both players guarantee the value by looking at the state alone, within {_size(worst)}",
    )


def _contraction():
    """Remark 2.1: some number of steps of the map is a contraction."""
    found = []
    for game in SHORT:
        largest = _survival(_stages(game), 40)
        steps = next((n for n, chance in enumerate(largest, 1) if chance < 1), None)
        found.append(
            f"{steps} steps for {game.name} to {game.target} (factor {largest[(steps or 1) - 1]:.4f})"
        )
    return verdict_of(not any(text.startswith("None") for text in found), ", ".join(found))


def _numerical_method():
    """Remark 2.1: iterating the map finds the value of the game."""
    differences = {
        f"{game.name} to {game.target}": abs(
            _shapley_solution(game)[0][1, 0, 0, 0, game.modes[0].name] - solved(game).value
        )
        for game in SHORT
    }
    found = f"{', '.join(differences)}: it differs from the solver's value by {_size(max(differences.values()))}"
    return verdict_of(max(differences.values()) < 1e-9, found)


# Section 3


def _pure():
    """Section 3: the optimal strategy is pure and stationary."""
    chances = [
        max(player.values())
        for game in SHORT
        for both in _shapley_solution(game)[1].values()
        for player in both
    ]
    return exceptions(np.array(chances) == 1.0, "decisions", RACES)


def _with_more_actions(game, at_zero):
    """A short race in which a player may also stop at 0 points, or else roll where stopping wins."""
    stages = {state: dict(pairs) for state, pairs in _stages(game).items()}
    name = game.modes[0].name
    for player, own, other, total, mode in stages:
        actions = {}
        if at_zero and total == 0:
            actions["hold"] = 0, {(3 - player, other, own, 0, name): 1}
        if not at_zero and own + total == game.target:
            bust = game.modes[0].chance("bust")
            stay = {
                (player, own, other, total, mode): 1 - bust,
                (3 - player, other, own, 0, name): bust,
            }
            actions["roll"] = 0, stay
        stages[player, own, other, total, mode] |= {
            (key, "wait"): action for key, action in actions.items()
        }
    return stages


def _endless(at_zero):
    with_it = min(_survival(_with_more_actions(game, at_zero), STAGES)[-1] for game in SHORT)
    without = max(_survival(_stages(game), STAGES)[-1] for game in SHORT)
    found = f"then play goes on for {STAGES:,} stages with probability {with_it:.4f}, else with at most 1e-9"
    return verdict_of(with_it > 1 - 1e-12 and without < 1e-9, found)


def _endless_stops():
    """Section 3.1: were stopping at 0 points allowed, two strategies would make the game infinite."""
    return _endless(True)


def _endless_rolls():
    """Section 3.1: the same if rolling were allowed where stopping wins."""
    return _endless(False)


@cache
def _most_sixes():
    """The most sixes that can be rolled in a row before the game ends, whatever the players do.

    In steps of six points, a turn that holds after k sixes leaves the other player to move.
    """
    steps = -(-TARGET // 6)  # sixes that reach the target
    longest, before = np.zeros((steps, steps), dtype=int), None
    while before is None or (before != longest).any():
        before = longest.copy()
        for own, other in np.ndindex(steps, steps):
            longest[own, other] = max(
                [steps - own, *(k + before[other, own + k] for k in range(1, steps - own))]
            )
    return int(longest[0, 0])


def _seventy_sixes():
    """Section 3.1: seventy sixes in a row always end the game."""
    most = _most_sixes()
    return verdict_of(most <= 70, f"at most {most} sixes are rolled, whatever the players do")


def _transient():
    """Section 3.1: the model is transient: play ends for all strategies."""
    alive = [_survival(_stages(game), STAGES) for game in SHORT]
    found = f"{RACES}: at most {max(map(sum, alive)) + 1:.1f} stages are expected, whatever the players do"
    return verdict_of(max(chances[-1] for chances in alive) < 1e-9, found)


def _far(name, rule):
    """How far the rule of a game is from hold at 20, both scores being far from the target."""
    lowest = _lowest(name)[:FAR, :FAR]
    found = f"holds begin at {lowest.min()} to {lowest.max()}, at {lowest[0, 0]} with no points on either side"
    return exceptions(rule(lowest), f"pairs of scores below {FAR}", found)


def _far_roters():
    """Section 3.2: with low scores roll below 20 and stop from 20 on, as Roters found.

    At a turn total of 20 a roll is worth as much as a hold for the most points of a turn, so 21 follows Roters, too.
    """
    return _far("win", lambda lowest: np.isin(lowest, (20, 21)))


def _largest_steps():
    """Section 3.2: far from the target it is optimal to approach it in the largest steps."""
    points = turn_points(pig(TARGET), _solution("win").policy)
    mean = float((points * points.index).sum())
    most = float(solved(pig(TARGET), "score").value)
    return verdict_of(
        mean > 0.999 * most,
        f"the first turn scores {mean:.6f} points on average; the most are {most:.6f}",
    )


def _riskier():
    """Section 3.2: the larger the opponent's score, the riskier the strategy."""
    steps = np.diff(_lowest("win"), axis=1)
    found = f"the largest fall of the hold total is {-steps.min()} points"
    return exceptions(steps >= 0, "steps of the opponent's score", found)


def _all_gray():
    """Section 3.2: from the opponent's score 187 on the figure is all gray."""
    gray = _never_holds("win")
    found = (
        f"and the player to move wins {_solution('win').values[0, NEAR]:.4f} from 0 against {NEAR}"
    )
    return exceptions(gray[NEAR:], f"opponent's scores from {NEAR} on", found)


def _not_gray_below():
    """Section 3.2: 187 is where it becomes gray: below it there is a state to hold in."""
    return exceptions(~_never_holds("win")[:NEAR], f"opponent's scores below {NEAR}")


def _never_holds(name):
    """By opponent's score, whether every decision is to roll."""
    return (_lowest(name) == TARGET - np.arange(TARGET)[:, None]).all(axis=0)


@cache
def _against_fewest():
    """How often the optimal player wins against the player of the fewest turns, moving first and second."""
    optimal, other = _solution("win").policy, _fewest_player()
    return evaluate(pig(TARGET), optimal, other).first_wins, 1 - evaluate(
        pig(TARGET), other, optimal
    ).first_wins


def _beats_fewest():
    """Section 3.2: the comparison is in favour of the optimal strategy."""
    first, second = _against_fewest()
    return verdict_of(
        (first + second) / 2 > 0.5,
        f"{(first + second) / 2:.4f} on average; moving second {second:.4f}",
    )


# Section 4.1


@cache
def _one_roll():
    """A turn of one roll in the game to exactly 200: the probabilities to finish and to lose it, by score."""
    steps = seated(pig(TARGET, "exact"), [hold_at(1)], "turns").steps
    return steps.toarray()[2:, 1], steps.diagonal()[2:]


def _above_194():
    """Section 4.1: above 194 one roll can exceed the target."""
    risk = _one_roll()[1] > 1 / 6 + 1e-12
    return exceptions(
        risk == (np.arange(TARGET) > 194), "scores", f"one roll can exceed from {risk.argmax()} on"
    )


def _figure_4():
    """Figure 4, as the text describes it: at 180 + 16 points a 1, 5 or 6 loses the turn."""
    finish, bust = (part[180 + 16] for part in _one_roll())
    return verdict_of(
        abs(bust - 3 / 6) < 1e-12, f"lost with probability {bust:.4f}, won with {finish:.4f}"
    )


def _exact_far():
    """Section 4.1: far from the target the strategy is similar to that of the classical game."""
    return taste(_far("exact", lambda lowest: abs(lowest - 20) <= 3).found)


def _exact_risk():
    """Section 4.1: the strategy never becomes so risky."""
    gray = _never_holds("exact")
    return exceptions(
        ~gray,
        "opponent's scores",
        f"there it holds somewhere; in the race it never holds at {_never_holds('win').sum()}",
    )


def _largest_safe():
    """Section 4.1: 194 is the largest score without risk from which a six wins."""
    finish, bust = _one_roll()
    safe = np.flatnonzero((finish > 0) & (bust < 1 / 6 + 1e-12))
    return verdict_of(
        safe.max() == 194,
        f"the scores without further risk from which one roll wins: {safe.tolist()}",
    )


def _exact_formulation():
    """Section 4.1: the formulation is quite similar; but the theorem needs a transient game."""
    # No turn can finish from there.
    never = seated(pig(TARGET, "exact"), [hold_at(TARGET)], "turns").steps.toarray()[2:, 1] == 0
    found = f"from {' and '.join(map(str, np.flatnonzero(never)))} nobody can finish: not transient there"
    return exceptions(~(never[:, None] & never), "pairs of scores", found)


# Section 4.2


@cache
def _choices():
    """Whether a state has a choice, by own score, opponent's score and turn total."""
    own, _, total = np.indices((TARGET,) * 3, sparse=True)
    return np.broadcast_to((own + total < TARGET) & (total > 0), (TARGET,) * 3)


def _margin_risk():
    """Section 4.2: a player close to win takes the risk of rolling, for any score of the opponent."""
    at_risk = np.array([_mask("margin")[TARGET - 1 - k, :, k] for k in range(21, 31)])
    below = (~at_risk[:, :NEAR]).sum()
    found = (
        f"one point short with 21 to 30 points at risk; {below} of them against less than {NEAR}"
    )
    return exceptions(at_risk, "states", found)


def _margin_against_win():
    """Section 4.2: there the strategy differs from the classical one."""
    pairs = [
        (_mask("margin")[TARGET - 1 - k, :, k], _mask("win")[TARGET - 1 - k, :, k])
        for k in range(21, 31)
    ]
    margin, win = (np.array(part) for part in zip(*pairs, strict=True))
    return exceptions(margin[~win], "states one point short in which the race holds")


def _main_difference():
    """Section 4.2: the main difference is the risk taken by a player close to win."""
    changed = (_mask("margin") != _mask("win")) & _choices()
    own, _, total = np.indices(changed.shape, sparse=True)
    near, wider = (changed & (own + total >= TARGET - most) for most in (6, 40))
    share = near.sum() / changed.sum()
    risks = (near & _mask("margin")).sum()
    found = (
        f"{share:.1%} of {changed.sum():,} decisions that differ are within 6 points of the win, "
    )
    found += f"{wider.sum() / changed.sum():.1%} within 40; of those within 6 points "
    found += f"{risks:,} roll where the race holds, {near.sum() - risks:,} hold"
    early = near[:, : TARGET // 2 + 1]
    low = _mask("margin")[:, : TARGET // 2 + 1]
    return taste(
        f"{found}; against {TARGET // 2} points or less {(early & low).sum():,} roll, {(early & ~low).sum():,} hold"
    )


CHECKS = {
    "haigh-roters-better": _haigh_roters_better,
    "opponent-relevant": _opponent_relevant,
    "optimal-strategies": _optimal_strategies,
    "stationary": _stationary,
    "contraction": _contraction,
    "numerical-method": _numerical_method,
    "pure": _pure,
    "endless-stops": _endless_stops,
    "endless-rolls": _endless_rolls,
    "seventy-sixes": _seventy_sixes,
    "transient": _transient,
    "far-roters": _far_roters,
    "largest-steps": _largest_steps,
    "riskier": _riskier,
    "all-gray": _all_gray,
    "not-gray-below": _not_gray_below,
    "beats-fewest": _beats_fewest,
    "above-194": _above_194,
    "figure-4": _figure_4,
    "exact-far": _exact_far,
    "exact-risk": _exact_risk,
    "largest-safe": _largest_safe,
    "exact-formulation": _exact_formulation,
    "margin-risk": _margin_risk,
    "margin-against-win": _margin_against_win,
    "main-difference": _main_difference,
}
