"""How the claims of minimax-pig (Crocce and Mordecki 2009) are checked: `CHECKS`, a function for every claim.

The race is Pig to 200. Statements about stochastic games in general are checked on short races, written out as
stochastic games with all their states, and on a game in which both players decide at once.
"""

from collections import Counter
from functools import cache, partial

import numpy as np

from dicelab.engine.race import seated
from dicelab.evaluation.best_response import best_response
from dicelab.evaluation.loss import loss
from dicelab.evaluation.match import both_orders, evaluate
from dicelab.evaluation.studies import turn_points
from dicelab.games.catalogue import pig, piglet
from dicelab.rules_of_thumb import hold_at

from ...course.textbook.stochastic import (
    StochasticGame,
    as_stochastic_game,
    shapley,
    simultaneous_hog,
    solve_stochastic,
)
from ...course.textbook.two_player import value_iteration
from .findings import VERDICTS, Finding, exceptions, solved, taste, verdict_of
from .pair_by_pair import probabilities

__all__ = ["CHECKS", "payoff"]

TARGET = 200
FAR = TARGET // 4  # both scores below: far from the target
NEAR = 187  # the opponent's score from which the paper's figure is gray
SHORT = pig(4), pig(6), piglet(5)  # races with few states
RACES = "Pig to 4 and 6, Piglet to 5"
STAGES = 1500  # after which none of them goes on


@cache
def _solution(name):
    """The solution of one of the three games: "win", "exact" or "margin"."""
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


def _margin(game, player, own, other, total, _):
    """What player 2 pays in a state, if the winner is paid the points that the loser needs."""
    return (3 - 2 * player) * (game.target - other) * (own + total == game.target)


@cache
def _shapley_solution(game, objective="win"):
    """The values and strategies of a short race, by iterating Shapley's operator."""
    stages = _stages(game)
    if objective == "margin":
        stages = {
            state: {pair: (_margin(game, *state), moves) for pair, (_, moves) in pairs.items()}
            for state, pairs in stages.items()
        }
    return solve_stochastic(StochasticGame(stages))


def _starts(values, game):
    """The values of a short race at the start of turns: by player to move, that player's score and the other one's."""
    shape = 2, game.target, game.target
    name = game.modes[0].name
    return np.reshape([values[k + 1, i, j, 0, name] for k, i, j in np.ndindex(shape)], shape)


def payoff(found, games=SHORT, objective="win", values_of=lambda *race: solved(*race).values):
    """Sections 3.1 and 4.2: expected payments are win probabilities, or margins, whoever moves first."""
    off = []
    for game in games:
        first, second = _starts(_shapley_solution(game, objective)[0], game)
        values, total = values_of(game, objective), objective == "win"
        off += [abs(first - values).max(), abs(second + values - total).max()]
    return verdict_of(max(off) < 1e-9, f"{found} {_size(max(off))}")


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


def _unknown(found):
    """A Finding about a sentence of which our copy lacks a number or a formula."""
    return Finding(verdict=VERDICTS[6], found=found)


# Section 1


@cache
def _fewest_player():
    return solved(pig(TARGET), "turns").policy


def _haigh_roters_better():
    """Section 1: the strategy of Haigh and Roters is better than that of Roters."""
    fewest = solved(pig(TARGET), "turns").values
    rule = np.asarray(evaluate(pig(TARGET), hold_at(20)).turns_by_score)
    lost = [loss(_solution("win"), player) for player in (_fewest_player(), hold_at(20))]
    found = f"fewer turns; against the optimum it wins {0.5 - lost[0]:.2%}, hold at 20 {0.5 - lost[1]:.2%}"
    return exceptions((fewest <= rule + 1e-12) & (lost[0] < lost[1]), "own scores", found)


def _roters_turns():
    """Section 1: Roters's rule is a good way of minimising the number of turns."""
    fewest = solved(pig(TARGET), "turns").values[0]
    turns = {n: evaluate(pig(TARGET), hold_at(n)).turns_mean for n in range(18, 25)}
    best = min(turns, key=turns.get)
    found = f"{turns[20]:.4f} turns to {TARGET}, {turns[20] / fewest - 1:.2%} over the fewest, {fewest:.4f}"
    return taste(f"{found}; the best hold at n is at {best}, {turns[best]:.4f}")


def _opponent_relevant():
    """Section 1: the opponent's points are clearly relevant in order to win."""
    varied = (_lowest("win")[:-2] != _lowest("win")[:-2, :1]).any(axis=1)
    lost = loss(_solution("win"), _fewest_player())
    found = f"the rule depends on the opponent at {varied.sum()} of {varied.size} own scores below {TARGET - 2}"
    return verdict_of(
        varied.any() and lost > 0,
        f"{found}; the player who does not look wins {0.5 - lost:.2%} of the games",
    )


def _all_strategies():
    """Section 1: the solution holds among all strategies, non-stationary and randomised ones included."""
    answer = best_response(pig(TARGET), _solution("win").policy).value
    found = f"the best answer to the optimal player wins {answer:.6f} moving first, no more than the value"
    return verdict_of(abs(answer - _solution("win").value) < 1e-12, found)


def _size(error):
    """An error as "at most" a power of ten, which does not depend on the machine."""
    return f"at most 1e{int(np.ceil(np.log10(max(error, 1e-12))))}"


# Section 2


def _equation():
    """Theorem 2.1: the value is the only solution of the matrix-game equations: two starts end there."""
    off = []
    for game in SHORT[:2]:
        values, solution = dict.fromkeys(_stages(game), 2.0), _shapley_solution(game)[0]
        for _ in range(150):
            values = shapley(as_stochastic_game(game), values)
        off += [abs(values[state] - solution[state]) for state in values]
    found = f"Pig to 4 and 6: from 0 and from 2 the iteration ends at values that differ by {_size(max(off))}"
    return verdict_of(max(off) < 1e-9, found)


def _guarantees(games, found):
    """Theorem 2.1 and Remark 2.1: strategies that are optimal in the matrix games guarantee both players the value."""
    off, mixed = [], 0
    for game in games:
        values, strategies = solve_stochastic(game, 1e-14)
        held = [_guaranteed(game, strategies, player) for player in (0, 1)]
        off += [abs(part[state] - values[state]) for part in held for state in values]
        mixed += sum(max(both[0].values()) < 1 for both in strategies.values())
    return verdict_of(max(off) < 1e-9, f"{found.format(mixed)} within {_size(max(off))}")


def _contraction():
    """Remark 2.1: some number of steps of the map is a contraction."""
    largest = {f"{game.name} to {game.target}": _survival(_stages(game), 40) for game in SHORT}
    steps = {name: chances.count(1.0) for name, chances in largest.items()}
    found = [
        f"{n + 1} steps for {name} (factor {largest[name][min(n, 39)]:.4f})"
        for name, n in steps.items()
    ]
    return verdict_of(max(steps.values()) < 40, ", ".join(found))


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


def _stop_at_zero():
    """Section 3.1: it makes no sense to stop at a turn total of 0: a turn is worth at least what is left without it."""
    values = _solution("win").values
    return exceptions(values + values.T >= 1 - 1e-13, "pairs of scores")


def _at_states(right, games=SHORT, things="states", found=RACES):
    """Whether something is right of all states of short races: of the game, the state, and its stage."""
    holds = [right(game, s, pairs) for game in games for s, pairs in _stages(game).items()]
    return exceptions([hold for hold in holds if hold is not None], things, found)


def _allowed(game, state, pairs):
    """Table 1: the actions of the player who moves."""
    player, own, _, total, _ = state
    names = ["roll"] * (own + total < game.target) + ["hold"] * (total > 0)
    return {*pairs} == {(name, "wait")[:: 3 - 2 * player] for name in names}


def _one_decides(_, state, pairs):
    """Section 3.2: the other player has one action, so that the matrix game is a maximum, a minimum, or one entry."""
    return {pair[2 - state[0]] for pair in pairs} == {"wait"}


def _rolled(game, state, pairs):
    """Figure 1, as the text describes it: a roll has the chances of the die, and loses the turn with 1/6."""
    player, own, other, total, mode = state
    wanted = Counter({(3 - player, other, own, 0, mode): probabilities(game)[0]})
    for points, chance in enumerate(probabilities(game)[1:], start=1):
        wanted[player, own, other, min(total + points, game.target - own), mode] += chance
    moves = [moves for pair, (_, moves) in pairs.items() if "roll" in pair]
    return moves == [+wanted] if moves else None


def _won(game, state, pairs):
    """Section 3.1: from a winning state the transition is to the final state, with probability one."""
    won = state[1] + state[3] == game.target
    return [*pairs.values()] == [(int(state[0] == 1), {})] if won else None


def _mirrored(game, state, pairs):
    """Section 3.1: transitions for player two are completely symmetric."""
    there = _stages(game)[3 - state[0], *state[1:]]
    swapped = {
        pair[::-1]: {(3 - mover, *after): q for (mover, *after), q in moves.items()}
        for pair, (_, moves) in pairs.items()
    }
    return swapped == {pair: moves for pair, (_, moves) in there.items()}


def _with_an_action(game, at_zero):
    """The stages of a short race in which a player may also stop at 0 points, or else roll where stopping wins."""
    stages, lost = {}, 1 if at_zero else probabilities(game)[0]
    for state, pairs in _stages(game).items():
        player, own, other, total, mode = state
        moves = {state: 1 - lost, (3 - player, other, own, 0, mode): lost}
        allowed = total == 0 if at_zero else own + total == game.target
        stages[state] = pairs | ({("more", "wait"): (0, moves)} if allowed else {})
    return stages


def _endless(at_zero):
    """Section 3.1: two strategies would make the game infinite with an action more."""
    with_it = min(_survival(_with_an_action(game, at_zero), STAGES)[-1] for game in SHORT)
    without = max(_survival(_stages(game), STAGES)[-1] for game in SHORT)
    found = f"then play goes on for {STAGES:,} stages with probability {with_it:.4f}, else with at most 1e-9"
    return verdict_of(with_it > 1 - 1e-12 and without < 1e-9, found)


def _seventy_sixes():
    """Section 3.1: seventy sixes in a row always end the game: after 33 of each player the next one does."""
    most = 2 * -(-TARGET // 6) - 1
    return verdict_of(most <= 70, f"at most {most} sixes are rolled, whatever the players do")


def _transient():
    """Section 3.1: the model is transient: play ends for all strategies."""
    alive = [_survival(_stages(game), STAGES) for game in SHORT]
    found = f"{RACES}: at most {max(map(sum, alive)) + 1:.1f} stages are expected, whatever the players do"
    return verdict_of(max(chances[-1] for chances in alive) < 1e-9, found)


def _far(name, *near):
    """Section 3.2: with low scores roll below 20 and stop from 20 on, as Roters found. How far a game is from that.

    At a turn total of 20 a roll is worth as much as a hold for the most points of a turn, so 21 follows Roters, too.
    """
    lowest = _lowest(name)[:FAR, :FAR]
    found = f"holds begin at {lowest.min()} to {lowest.max()}, at {lowest[0, 0]} with no points on either side"
    other = ~np.isin(lowest, near)
    counts = ", ".join(f"{other[:n, :n].sum()} of {n**2:,} below {n}" for n in (10, 20, 30, FAR))
    return taste(f"{found}; elsewhere at {counts}, bounds of ours")


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
    return both_orders(pig(TARGET), _solution("win").policy, _fewest_player())


def _beats_fewest():
    """Section 3.2: the comparison is in favour of the optimal strategy."""
    first, second = _against_fewest()
    return verdict_of(
        (first + second) / 2 > 0.5,
        f"{(first + second) / 2:.4f} on average; moving second {second:.4f}",
    )


# Section 4.1


def _simulated_share():
    """Section 3.2: the share of simulated games; the number is missing in our copy."""
    first, second = _against_fewest()
    return _unknown(f"missing in our copy; exactly {first:.4f} moving first, {second:.4f} second")


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


@cache
def _surest():
    """The largest probability to finish in one turn, exactly 200, by score."""
    return seated(pig(TARGET, "exact"), [hold_at(TARGET)], "turns").steps.toarray()[2:, 1]


def _exact_bound():
    """Section 4.1: the bound on the probability to win in any turn; the number is missing in our copy."""
    most = _surest()
    return _unknown(
        f"missing in our copy; the largest is {most.max():.6f}, 55/216 = {55 / 216:.6f}, at {most.argmax()}"
    )


def _zone_at_194():
    """Section 4.1: where a condition is met that is missing in our copy, the zone to roll in is larger than usual."""
    mask, sums = _mask("exact"), range(190, 195)
    shares = [np.mean([mask[points - k, :, k] for k in range(21, 31)]) for points in sums]
    found = f"{', '.join(f'{share:.1%}' for share in shares)} are rolls, usually {mask[:FAR, :, 21:31].mean():.1%}"
    return _unknown(
        f"the condition is missing in our copy; of turn totals 21 to 30 at own score + turn total 190 to 194, {found}"
    )


def _exact_formulation():
    """Section 4.1: the formulation is quite similar; but the theorem needs a transient game."""
    never = _surest() == 0
    found = f"from {' and '.join(map(str, np.flatnonzero(never)))} nobody can finish: not transient there"
    return exceptions(~(never[:, None] & never), "pairs of scores", found)


# Section 4.2


def _margin_paid():
    """Section 4.2: the winner is paid the difference between the target and the loser's score."""
    best = _solution("margin")
    paid = evaluate(pig(TARGET), best.policy, best.policy).margin
    return verdict_of(
        abs(paid - best.value) < 1e-9, f"{best.value:.4f} points to the player who moves first"
    )


def _two_readings():
    """Section 1 says the difference between their scores, section 4.2 that of the target and the loser's score."""
    other = solved(pig(TARGET), "margin", overshoot=True)
    differ = (other.policy.roll_mask() != _mask("margin"))[_choices()]
    found = f"two games: values {_solution('margin').value:.4f} and {other.value:.4f}, the second with points beyond"
    return taste(f"{found} the target; {differ.sum():,} of {differ.size:,} decisions differ")


def _three_variants():
    """Section 5: the algorithm works in three variants of the game."""
    games = (pig(12), "win"), (pig(12, "exact"), "win"), (pig(12), "margin")
    off = max(abs(value_iteration(*game)[0] - solved(*game).values).max() for game in games)
    return verdict_of(
        off < 1e-9, f"targets of 12: value iteration and the solver differ by {_size(off)}"
    )


@cache
def _choices():
    """Whether a state has a choice, by own score, opponent's score and turn total."""
    own, _, total = np.indices((TARGET,) * 3, sparse=True)
    return np.broadcast_to((own + total < TARGET) & (total > 0), (TARGET,) * 3)


def _one_short(name):
    """Where a player rolls one point short of the target, with 21 to 30 points at risk."""
    return np.array([_mask(name)[TARGET - 1 - k, :, k] for k in range(21, 31)])


def _margin_risk():
    """Section 4.2: a player close to win takes the risk of rolling, for any score of the opponent."""
    below = (~_one_short("margin")[:, :NEAR]).sum()
    found = (
        f"one point short with 21 to 30 points at risk; {below} of them against less than {NEAR}"
    )
    return exceptions(_one_short("margin"), "states", found)


def _margin_against_win():
    """Section 4.2: there the strategy differs from the classical one."""
    rolls = _one_short("margin")[~_one_short("win")]
    return exceptions(rolls, "states one point short in which the race holds")


def _main_difference():
    """Section 4.2: the main difference is the risk taken by a player close to win."""
    rolls = _mask("margin")
    changed = (rolls != _mask("win")) & _choices()
    own, _, total = np.indices(changed.shape, sparse=True)
    near, wider = (changed & (own + total >= TARGET - most) for most in (6, 40))
    early, risks = near[:, : TARGET // 2 + 1], near & rolls
    low = risks[:, : TARGET // 2 + 1].sum()
    found = (
        f"{near.sum() / changed.sum():.1%} of {changed.sum():,} decisions that differ are within 6 points of "
        f"the win, {wider.sum() / changed.sum():.1%} within 40; of those within 6 points "
        f"{risks.sum():,} roll where the race holds, {near.sum() - risks.sum():,} hold"
    )
    return taste(
        f"{found}; against {TARGET // 2} points or less {low:,} roll, {early.sum() - low:,} hold"
    )


CHECKS = {
    "roters-turns": _roters_turns,
    "haigh-roters-better": _haigh_roters_better,
    "opponent-relevant": _opponent_relevant,
    "bellman": partial(
        payoff,
        f"{RACES}: Shapley's operator and value iteration differ by",
        values_of=lambda *race: value_iteration(*race)[0],
    ),
    "all-strategies": _all_strategies,
    "equation": _equation,
    "optimal-strategies": partial(
        _guarantees,
        (as_stochastic_game(pig(4)), simultaneous_hog(6)),
        "Pig to 4 and simultaneous Hog to 6, with mixed strategies at {} states: guaranteed",
    ),
    "stationary": partial(
        _guarantees,
        [as_stochastic_game(game) for game in SHORT],
        "both players guarantee the value by looking at the state alone,",
    ),
    "contraction": _contraction,
    "numerical-method": partial(
        payoff, "Pig to 4, Pig to 6, Piglet to 5: it differs from the solver's value by"
    ),
    "pure": _pure,
    "stop-at-zero": _stop_at_zero,
    "endless-stops": partial(_endless, True),
    "endless-rolls": partial(_endless, False),
    "table-1": partial(_at_states, _allowed),
    "payoff": partial(payoff, "a payment of 1 for a win: values and win probabilities differ by"),
    "figure-1-roll": partial(
        _at_states, _rolled, SHORT[:2], found="Pig to 4 and 6; the turn is lost with 1/6"
    ),
    "winning-states": partial(_at_states, _won, things="winning states"),
    "symmetric": partial(_at_states, _mirrored),
    "seventy-sixes": _seventy_sixes,
    "transient": _transient,
    "max-or-min": partial(_at_states, _one_decides),
    "not-at-once": partial(_at_states, _one_decides),
    "far-roters": partial(_far, "win", 20, 21),
    "largest-steps": _largest_steps,
    "riskier": _riskier,
    "all-gray": _all_gray,
    "not-gray-below": _not_gray_below,
    "beats-fewest": _beats_fewest,
    "simulated-share": _simulated_share,
    "above-194": _above_194,
    "figure-4": _figure_4,
    "exact-far": partial(_far, "exact", *range(17, 24)),
    "exact-risk": _exact_risk,
    "exact-bound": _exact_bound,
    "zone-at-194": _zone_at_194,
    "largest-safe": _largest_safe,
    "exact-formulation": _exact_formulation,
    "margin-paid": _margin_paid,
    "only-the-payoff": partial(
        payoff,
        f"{RACES}: with these payoffs it differs from the solver's margins by",
        objective="margin",
    ),
    "two-readings": _two_readings,
    "margin-risk": _margin_risk,
    "margin-against-win": _margin_against_win,
    "main-difference": _main_difference,
    "three-variants": _three_variants,
}
