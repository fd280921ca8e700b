"""How the claims of minimax-pig (Crocce and Mordecki 2009) are checked: `CHECKS`, a function for every claim.

The race is Pig to 200. Statements about stochastic games in general are checked on short races, written out as
stochastic games with all their states, and on a game in which both players decide at once.
"""

from fractions import Fraction
from functools import cache

import numpy as np

from ..evaluation.best_response import best_response
from ..evaluation.loss import loss
from ..evaluation.match import evaluate
from ..evaluation.turn_outcomes import turn_outcomes, turn_points, turns_needed
from ..games.catalogue import pig, piglet
from ..policies import hold_at
from ..textbook.stochastic import (
    StochasticGame,
    as_stochastic_game,
    matrix_game,
    shapley,
    simultaneous_hog,
    solve_stochastic,
)
from ..textbook.two_player import value_iteration
from .claims import VERDICTS, Finding, exceptions, solved, verdict_of

__all__ = ["CHECKS"]

TARGET = 200
FAR = TARGET // 4  # both scores below: far from the target
NEAR = 187  # the opponent's score from which the paper's figure is gray
SHORT = pig(4), pig(6), piglet(5)  # races with few states
RACES = "Pig to 4 and 6, Piglet to 5"
STAGES = 1500  # after which none of them goes on
GAMES = "win", "exact", "margin"


def _unknown(found):
    return Finding(verdict=VERDICTS[3], found=found)


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
        state: [[(float(q), after) for after, q in next_states.items()] for _, next_states in pairs.values()]
        for state, pairs in stages.items()
    }
    alive, largest = dict.fromkeys(moves, 1.0), []
    for _ in range(steps):
        alive = {state: max(sum(q * alive[a] for q, a in move) for move in pairs) for state, pairs in moves.items()}
        largest.append(max(alive.values()))
    return largest


def _guaranteed(game, strategies, player):
    """The values that one player's strategies guarantee against every answer, by state; a stochastic game."""
    values, change = dict.fromkeys(game.stages, 0.0), 1.0
    while change > 1e-13:
        before = dict(values)
        for state, both in strategies.items():
            mixed, matrix = np.array([*both[player].values()]), game.matrix(state, values)
            values[state] = float((mixed @ matrix).min() if player == 0 else (matrix @ mixed).max())
        change = max(abs(values[state] - before[state]) for state in values)
    return values


# Section 1


def _roters_turns():
    """Section 1: Roters's rule is a good way of minimising the number of turns: we ask for 5 % over the fewest."""
    fewest = solved(pig(TARGET), "turns").values[0]
    turns = {n: turns_needed(pig(TARGET), hold_at(n))[0] for n in range(15, 31)}
    best = min(turns, key=turns.get)
    found = f"{turns[20]:.4f} turns to {TARGET}, {turns[20] / fewest - 1:.2%} over the fewest, {fewest:.4f}"
    return verdict_of(turns[20] < 1.05 * fewest, f"{found}; the best hold at n is at {best}, {turns[best]:.4f}")


@cache
def _fewest_player():
    return solved(pig(TARGET), "turns").policy


def _haigh_roters_better():
    """Section 1: the strategy of Haigh and Roters is better than that of Roters."""
    fewest, rule = solved(pig(TARGET), "turns").values, np.asarray(turns_needed(pig(TARGET), hold_at(20)))
    lost = [loss(_solution("win"), player) for player in (_fewest_player(), hold_at(20))]
    found = f"fewer turns; against the optimum it loses {lost[0]:.2%} of the games, hold at 20 {lost[1]:.2%}"
    return exceptions((fewest <= rule + 1e-12) & (lost[0] < lost[1]), "own scores", found)


def _opponent_relevant():
    """Section 1: the opponent's points are clearly relevant in order to win."""
    varied = (_lowest("win")[:-2] != _lowest("win")[:-2, :1]).any(axis=1)
    lost = loss(_solution("win"), _fewest_player())
    found = f"the rule depends on the opponent at {varied.sum()} of {varied.size} own scores below {TARGET - 2}"
    return verdict_of(varied.any() and lost > 0, f"{found}; the player who does not look loses {lost:.2%} of the games")


def _bellman():
    """Section 1: the Bellman equation of Neller and Presser is a consequence of the theorem."""
    worst = 0.0
    for game in SHORT:
        values, _ = _shapley_solution(game)
        other, _ = value_iteration(game)
        starts = np.array(
            [[values[1, i, j, 0, game.modes[0].name] for j in range(len(other))] for i in range(len(other))]
        )
        worst = max(worst, abs(starts - other).max())
    found = f"{RACES}: Shapley's operator and value iteration differ by {_size(worst)}"
    return verdict_of(worst < 1e-9, found)


def _size(error):
    """An error as "at most" a power of ten, which does not depend on the machine."""
    return f"at most 1e{int(np.ceil(np.log10(max(error, 1e-12))))}"


def _all_strategies():
    """Section 1: the solution holds among all strategies, non-stationary and randomised ones included."""
    answer = best_response(pig(TARGET), _solution("win").policy)
    gain = abs(answer.value - _solution("win").value)
    return verdict_of(
        gain < 1e-12,
        f"the best answer to the optimal player wins {answer.value:.6f} moving first, no more than the value",
    )


# Section 2


def _equation():
    """Theorem 2.1: the value is the only solution of the matrix-game equations."""
    worst, generator = 0.0, np.random.default_rng(1)
    for game in SHORT:
        values, _ = _shapley_solution(game)
        stochastic = as_stochastic_game(game)
        for start in (
            dict.fromkeys(values, 1.0),
            dict(zip(values, generator.uniform(-1, 2, len(values)), strict=True)),
        ):
            for _ in range(150):
                start = shapley(stochastic, start)
            worst = max(worst, max(abs(start[state] - values[state]) for state in values))
    return verdict_of(worst < 1e-9, f"from three starts the iteration ends at values that differ by {_size(worst)}")


def _optimal_strategies():
    """Theorem 2.1: strategies that are optimal in the matrix games are optimal in the stochastic game."""
    worst, mixed = 0.0, 0
    for game in (as_stochastic_game(pig(4)), simultaneous_hog(6)):
        values, strategies = solve_stochastic(game)
        for player in (0, 1):
            held = _guaranteed(game, strategies, player)
            worst = max(worst, max(abs(held[state] - values[state]) for state in values))
        mixed += sum(max(both[0].values()) < 1 for both in strategies.values())
    found = (
        f"Pig to 4 and simultaneous Hog to 6, with mixed strategies at {mixed} states: guaranteed within {_size(worst)}"
    )
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
        worst < 1e-9, f"both players guarantee the value by looking at the state alone, within {_size(worst)}"
    )


def _contraction():
    """Remark 2.1: some number of steps of the map is a contraction."""
    found = []
    for game in SHORT:
        largest = _survival(_stages(game), 40)
        steps = next((n for n, chance in enumerate(largest, 1) if chance < 1), None)
        found.append(f"{steps} steps for {game.name} to {game.target} (factor {largest[(steps or 1) - 1]:.4f})")
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


def _half_of_the_games():
    """Section 3: the optimal strategy wins with probability at least 1/2, whatever the opponent does."""
    first = _solution("win").value
    found = "how play leaves the initial state is missing in our copy; exactly 1/2 if lots are drawn there"
    return _unknown(f"{found}, {first:.4f} for who moves first and {1 - first:.4f} for who moves second")


def _pure():
    """Section 3: the optimal strategy is pure and stationary."""
    chances = [
        max(player.values()) for game in SHORT for both in _shapley_solution(game)[1].values() for player in both
    ]
    return exceptions(np.array(chances) == 1.0, "decisions", RACES)


def _stop_at_zero():
    """Section 3.1: it makes no sense to stop at a turn total of 0."""
    values = _solution("win").values
    return exceptions(
        values + values.T >= 1 - 1e-13, "pairs of scores", "a turn is worth at least what is left without it"
    )


def _with_more_actions(game, at_zero):
    """A short race in which a player may also stop at 0 points, or else roll where stopping wins."""
    stages, name = {state: dict(pairs) for state, pairs in _stages(game).items()}, game.modes[0].name
    for player, own, other, total, mode in stages:
        actions = {}
        if at_zero and total == 0:
            actions["hold"] = 0, {(3 - player, other, own, 0, name): 1}
        if not at_zero and own + total == game.target:
            bust = game.modes[0].chance("bust")
            stay = {(player, own, other, total, mode): 1 - bust, (3 - player, other, own, 0, name): bust}
            actions["roll"] = 0, stay
        stages[player, own, other, total, mode] |= {(key, "wait"): action for key, action in actions.items()}
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


def _actions_of(game):
    """Whether the actions of each state are those of Table 1, by state."""
    for (player, own, _, total, _), pairs in _stages(game).items():
        roll, stop = own + total < game.target, total > 0
        wanted = {name for name, allowed in (("roll", roll), ("hold", stop)) if allowed}
        taken, waits = ({pair[k] for pair in pairs} for k in ((0, 1) if player == 1 else (1, 0)))
        yield taken == wanted and waits == {"wait"}


def _table_1():
    """Table 1: the actions of both players by state."""
    return exceptions([right for game in SHORT for right in _actions_of(game)], "states", RACES)


def _count_states():
    """Section 3.1: the number of states; the formula and the number are missing in our copy."""
    totals = TARGET - np.arange(TARGET)  # turn totals below the target, by own score
    states, choices = 2 * TARGET * totals.sum(), 2 * TARGET * (totals - 1).sum()
    return _unknown(f"missing in our copy; {states:,} states below the target, {choices:,} of them with a choice")


def _roll_moves(game):
    """Whether a roll leads to the states of the die with its chances, a bust included; by state in which one rolls."""
    die = {
        outcome.choices[0].points if outcome.choices else 0: outcome.probability for outcome in game.modes[0].outcomes
    }
    for (player, own, other, total, mode), pairs in _stages(game).items():
        wanted = {}
        for points, chance in die.items():
            after = (player, own, other, min(total + points, game.target - own), mode) if points else None
            after = after or (3 - player, other, own, 0, mode)
            wanted[after] = wanted.get(after, 0) + chance
        yield from (moves == wanted for pair, (_, moves) in pairs.items() if "roll" in pair)


def _figure_1_roll():
    """Figure 1, as the text describes it: a roll has the chances of the die, and loses the turn with 1/6."""
    lost = pig(TARGET).modes[0].chance("bust")
    right = [right and lost == Fraction(1, 6) for game in SHORT[:2] for right in _roll_moves(game)]
    return exceptions(right, "states", f"Pig to 4 and 6; the turn is lost with {lost}")


def _winning_states():
    """Section 3.1: from a winning state the transition is to the final state, with probability one."""
    right = [
        list(pairs.values()) == [(int(player == 1), {})]
        for game in SHORT
        for (player, own, _, total, _), pairs in _stages(game).items()
        if own + total == game.target
    ]
    return exceptions(right, "winning states", RACES)


def _symmetric():
    """Section 3.1: transitions for player two are completely symmetric."""
    right = []
    for game in SHORT:
        stages = _stages(game)
        for (player, *rest), pairs in stages.items():
            swapped = {
                pair[::-1]: {(3 - mover, *after): q for (mover, *after), q in moves.items()}
                for pair, (_, moves) in pairs.items()
            }
            right.append(swapped == {pair: moves for pair, (_, moves) in stages[3 - player, *rest].items()})
    return exceptions(right, "states", RACES)


def _payoff():
    """Section 3.1: maximising the payoffs is maximising the probability of winning."""
    worst = 0.0
    for game in SHORT:
        values, _ = _shapley_solution(game)
        name, race = game.modes[0].name, solved(game).values
        for own, other in np.ndindex(race.shape):
            moves_first = values[1, own, other, 0, name] - race[own, other]
            moves_second = values[2, own, other, 0, name] - (1 - race[own, other])
            worst = max(worst, abs(moves_first), abs(moves_second))
    return verdict_of(worst < 1e-9, f"a payment of 1 for a win: values and win probabilities differ by {_size(worst)}")


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
            longest[own, other] = max([steps - own, *(k + before[other, own + k] for k in range(1, steps - own))])
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


def _max_or_min():
    """Section 3.2: the value of the matrix game is a maximum, a minimum, or the only entry."""
    right = []
    for game in SHORT:
        values, _ = _shapley_solution(game)
        stochastic = as_stochastic_game(game)
        for state in stochastic.stages:
            matrix = stochastic.matrix(state, values)
            best = matrix.max() if state[0] == 1 else matrix.min()
            right.append(matrix_game(matrix)[0] == best)
    return exceptions(right, "states", RACES)


def _not_at_once():
    """Section 3.2: there are no states in which both players have to decide."""
    right = [1 in (len(rows), len(columns)) for rows, columns in _both_actions()]
    return exceptions(right, "states", RACES)


def _both_actions():
    for game in SHORT:
        stochastic = as_stochastic_game(game)
        yield from (stochastic.actions(state) for state in stochastic.stages)


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
    mean, most = float((points * points.index).sum()), float(solved(pig(TARGET), "score").value)
    return verdict_of(
        mean > 0.999 * most, f"the first turn scores {mean:.6f} points on average; the most are {most:.6f}"
    )


def _riskier():
    """Section 3.2: the larger the opponent's score, the riskier the strategy."""
    steps = np.diff(_lowest("win"), axis=1)
    found = f"the largest fall of the hold total is {-steps.min()} points"
    return exceptions(steps >= 0, "steps of the opponent's score", found)


def _all_gray():
    """Section 3.2: from the opponent's score 187 on the figure is all gray."""
    gray = _never_holds("win")
    found = f"and the player to move wins {_solution('win').values[0, NEAR]:.4f} from 0 against {NEAR}"
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
    return evaluate(pig(TARGET), optimal, other).first_wins, 1 - evaluate(pig(TARGET), other, optimal).first_wins


def _simulated_share():
    """Section 3.2: the share of simulated games; the number is missing in our copy."""
    first, second = _against_fewest()
    mean = (first + second) / 2
    return _unknown(
        f"missing in our copy; exactly {first:.4f} moving first, {second:.4f} second, {mean:.4f} on average"
    )


def _beats_fewest():
    """Section 3.2: the comparison is in favour of the optimal strategy."""
    first, second = _against_fewest()
    return verdict_of((first + second) / 2 > 0.5, f"{(first + second) / 2:.4f} on average; moving second {second:.4f}")


# Section 4.1


@cache
def _one_roll():
    """A turn of one roll in the game to exactly 200: the probabilities to finish and to lose it, by score."""
    turn = turn_outcomes(pig(TARGET, "exact"), hold_at(1))
    return turn.finish[:, 0], turn.bust[:, 0]


def _above_194():
    """Section 4.1: above 194 one roll can exceed the target."""
    risk = _one_roll()[1] > 1 / 6 + 1e-12
    return exceptions(risk == (np.arange(TARGET) > 194), "scores", f"one roll can exceed from {risk.argmax()} on")


def _figure_4():
    """Figure 4, as the text describes it: at 180 + 16 points a 1, 5 or 6 loses the turn."""
    finish, bust = (part[180 + 16] for part in _one_roll())
    return verdict_of(abs(bust - 3 / 6) < 1e-12, f"lost with probability {bust:.4f}, won with {finish:.4f}")


def _exact_far():
    """Section 4.1: far from the target the strategy is similar to that of the classical game."""
    return _far("exact", lambda lowest: abs(lowest - 20) <= 3)


def _exact_risk():
    """Section 4.1: the strategy never becomes so risky."""
    gray = _never_holds("exact")
    return exceptions(
        ~gray,
        "opponent's scores",
        f"there it holds somewhere; in the race it never holds at {_never_holds('win').sum()}",
    )


def _exact_bound():
    """Section 4.1: the bound on the probability to win in any turn; the number is missing in our copy."""
    finishing = turn_outcomes(pig(TARGET, "exact"), hold_at(TARGET)).finish[:, 0]
    score = int(finishing.argmax())
    found = f"missing in our copy; the largest is {finishing.max():.6f} = 55/216 at {score}, so that 1/6 would be wrong"
    return _unknown(found) if abs(finishing.max() - 55 / 216) < 1e-12 else verdict_of(False, found)


def _zone_at_194():
    """Section 4.1: where a condition is met that is missing in our copy, the zone to roll in is larger than usual."""
    mask, sums = _mask("exact"), range(190, 195)
    shares = [np.mean([mask[points - k, :, k] for k in range(21, 31)]) for points in sums]
    found = (
        f"at own score + turn total {sums[0]} to {sums[-1]}, {', '.join(f'{share:.1%}' for share in shares)} are rolls"
    )
    usual = mask[:FAR, :, 21:31].mean()
    return _unknown(f"the condition is missing in our copy; of turn totals 21 to 30 {found}, usually {usual:.1%}")


def _largest_safe():
    """Section 4.1: 194 is the largest score without risk from which a six wins."""
    finish, bust = _one_roll()
    safe = np.flatnonzero((finish > 0) & (bust < 1 / 6 + 1e-12))
    return verdict_of(safe.max() == 194, f"the scores without further risk from which one roll wins: {safe.tolist()}")


def _exact_formulation():
    """Section 4.1: the formulation is quite similar; but the theorem needs a transient game."""
    never = turn_outcomes(pig(TARGET, "exact"), hold_at(TARGET)).finish[:, 0] == 0  # no turn can finish from there
    found = f"from {' and '.join(map(str, np.flatnonzero(never)))} nobody can finish: not transient there"
    return exceptions(~(never[:, None] & never), "pairs of scores", found)


# Section 4.2


def _margin_paid():
    """Section 4.2: the winner is paid the difference between the target and the loser's score."""
    optimal = _solution("margin")
    paid = evaluate(pig(TARGET), optimal.policy, optimal.policy).margin
    return verdict_of(abs(paid - optimal.value) < 1e-9, f"{optimal.value:.4f} points to the player who moves first")


def _two_readings():
    """Section 1 says the difference between their scores, section 4.2 that of the target and the loser's score."""
    other = solved(pig(TARGET), "margin", overshoot=True)
    differ = (other.policy.roll_mask() != _mask("margin"))[_choices()]
    values = f"values {_solution('margin').value:.4f} and {other.value:.4f}, the second with points beyond the target"
    return _unknown(f"two games, and both are meant: {values}; {differ.sum():,} of {differ.size:,} decisions differ")


@cache
def _choices():
    """Whether a state has a choice, by own score, opponent's score and turn total."""
    own, _, total = np.indices((TARGET,) * 3, sparse=True)
    return np.broadcast_to((own + total < TARGET) & (total > 0), (TARGET,) * 3)


def _margin_risk():
    """Section 4.2: a player close to win takes the risk of rolling, for any score of the opponent."""
    at_risk = np.array([_mask("margin")[TARGET - 1 - k, :, k] for k in range(21, 31)])
    below = (~at_risk[:, :NEAR]).sum()
    found = f"one point short with 21 to 30 points at risk; {below} of them against less than {NEAR}"
    return exceptions(at_risk, "states", found)


def _margin_against_win():
    """Section 4.2: there the strategy differs from the classical one."""
    pairs = [(_mask("margin")[TARGET - 1 - k, :, k], _mask("win")[TARGET - 1 - k, :, k]) for k in range(21, 31)]
    margin, win = (np.array(part) for part in zip(*pairs, strict=True))
    return exceptions(margin[~win], "states one point short in which the race holds")


def _only_the_payoff():
    """Section 4.2: the states, actions and moves are those of the race, and only the payoffs are others."""
    worst = 0.0
    for game in SHORT:
        stages = {}
        for (player, own, other, total, mode), pairs in _stages(game).items():
            ends = (game.target - other) * (1 if player == 1 else -1) if own + total == game.target else 0
            stages[player, own, other, total, mode] = {pair: (ends, moves) for pair, (_, moves) in pairs.items()}
        values, _ = solve_stochastic(StochasticGame(stages))
        margin, name = solved(game, "margin").values, game.modes[0].name
        worst = max(worst, *(abs(values[1, i, j, 0, name] - margin[i, j]) for i, j in np.ndindex(margin.shape)))
    return verdict_of(
        worst < 1e-9, f"{RACES}: with these payoffs it differs from the solver's margins by {_size(worst)}"
    )


def _main_difference():
    """Section 4.2: the main difference is the risk taken by a player close to win."""
    changed = (_mask("margin") != _mask("win")) & _choices()
    own, _, total = np.indices(changed.shape, sparse=True)
    near, wider = (changed & (own + total >= TARGET - most) for most in (6, 40))
    share, risks = near.sum() / changed.sum(), (near & _mask("margin")).sum()
    found = f"{share:.1%} of {changed.sum():,} decisions that differ are within 6 points of the win, "
    found += f"{wider.sum() / changed.sum():.1%} within 40; of those within 6 points "
    return verdict_of(share > 0.5, f"{found}{risks:,} roll where the race holds, {near.sum() - risks:,} hold")


def _three_variants():
    """Section 5: the algorithm works in three variants of the game."""
    games = [(pig(12), "win"), (pig(12, "exact"), "win"), (pig(12), "margin")]
    worst = 0.0
    for game, objective in games:
        values, _ = value_iteration(game, objective)
        worst = max(worst, abs(values - solved(game, objective).values).max())
    return verdict_of(worst < 1e-9, f"targets of 12: value iteration and the solver differ by {_size(worst)}")


CHECKS = {
    "roters-turns": _roters_turns,
    "haigh-roters-better": _haigh_roters_better,
    "opponent-relevant": _opponent_relevant,
    "bellman": _bellman,
    "all-strategies": _all_strategies,
    "equation": _equation,
    "optimal-strategies": _optimal_strategies,
    "stationary": _stationary,
    "contraction": _contraction,
    "numerical-method": _numerical_method,
    "half-of-the-games": _half_of_the_games,
    "pure": _pure,
    "stop-at-zero": _stop_at_zero,
    "endless-stops": _endless_stops,
    "endless-rolls": _endless_rolls,
    "table-1": _table_1,
    "count-states": _count_states,
    "payoff": _payoff,
    "figure-1-roll": _figure_1_roll,
    "winning-states": _winning_states,
    "symmetric": _symmetric,
    "seventy-sixes": _seventy_sixes,
    "transient": _transient,
    "max-or-min": _max_or_min,
    "not-at-once": _not_at_once,
    "far-roters": _far_roters,
    "largest-steps": _largest_steps,
    "riskier": _riskier,
    "all-gray": _all_gray,
    "not-gray-below": _not_gray_below,
    "simulated-share": _simulated_share,
    "beats-fewest": _beats_fewest,
    "above-194": _above_194,
    "figure-4": _figure_4,
    "exact-far": _exact_far,
    "exact-risk": _exact_risk,
    "exact-bound": _exact_bound,
    "zone-at-194": _zone_at_194,
    "largest-safe": _largest_safe,
    "exact-formulation": _exact_formulation,
    "margin-paid": _margin_paid,
    "only-the-payoff": _only_the_payoff,
    "two-readings": _two_readings,
    "margin-risk": _margin_risk,
    "margin-against-win": _margin_against_win,
    "main-difference": _main_difference,
    "three-variants": _three_variants,
}
