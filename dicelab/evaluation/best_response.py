"""The best response to fixed policies: the turn operator for the player who responds, linear equations for the others.

The *responder* plays best, the others as given. In a cell, let x be the own chance at the start of the turn. The turns
of the others are fixed, so (1) of :mod:`dicelab.evaluation.markov_chain` makes the chance after a bust A + B·x, with B
the probability that all others bust as well. With the turn operator f,

    x = f(A + B·x).                                                                                           (1)

f is convex, so we solve (1) by policy iteration from below: the tangent leads up to the solution, never beyond it, and
each step evaluates one of finitely many policies. Where the others surely bust and the responder can wait, waiting is a
draw, and the iteration begins there. In the end the policy that is returned is evaluated by the chain, as any other.
Its own chances must equal x everywhere.

**Several opponents, registers, last turns** (:func:`respond_in_role`). A bust may change a register, so that busts tie
several cells together; (1) is then one equation for each, and its cycles are closed as everywhere. Where others have a
last turn, a finish is worth what their policies leave, and the responder's own last turns come first, from the last
one back. How far above the target a roll may be right, :func:`~dicelab.evaluation.match.led_against` says.

**One opponent, and neither registers nor last turns** (:func:`respond_to_one`). A kernel of its own is kept, since it
is six to twelve times faster; both are compared in the tests. After a reset its values are first iterated to a fixed
point. Then comes policy iteration for the whole match: evaluate the policy by its Markov chain, take the values after
resets from there, and improve, until these values no longer change.
"""

from functools import partial
from typing import overload

import numpy as np

from .._accuracy import (
    ACCURACY,
    CLOSE,
    RAREST,
    ROUNDING,
    TIE,
    TIME,
    ConvergenceError,
    check_error,
    check_residual,
    check_told_apart,
    settle,
)
from .._limits import check_memory
from .._recorded import record_policies
from .._shown import name_of
from ..engine.questions import check_ends
from ..games.absorption import may_be_endless
from ..games.model import LAST_TURN, Game, roles_of
from ..games.named import read_game
from ..games.registers import scores_of
from ..solution import OptimalPolicy, Solution
from ..solvers._kernels import decide_positions, new_turn, payoffs_of, respond, rules_of
from ..solvers.last_turn import ladder_of
from ..solvers.turn import (
    WIDTH,
    decide,
    farthest,
    new_workspace,
    own_chances,
    placed,
    places_of,
    respond_turns,
)
from ..strategies import Strategy, read_policies
from .markov_chain import MatchChain, costs_points, turns_of_others
from .match import chain_of, from_first, names_of, record_players, turns_against, turns_bytes
from .turn_outcomes import outcomes_bytes, turn_outcomes

__all__ = ["best_response", "respond_to_players"]

MOST_POLICIES = 50  # steps of policy iteration with resets; a few suffice
SETTLED = 2e-14  # change of the values after resets at which this iteration stops


@overload
def best_response(game: Game | str, opponent: Strategy) -> Solution[float]: ...
@overload
def best_response(
    game: Game | str, opponent: Strategy, second: Strategy, /, *more: Strategy
) -> Solution[tuple[float, ...]]: ...
def best_response(game: Game | str, opponent: Strategy, *more: Strategy) -> Solution:
    """The best response to a fixed policy, or to those of several opponents.

    Parameters
    ----------
    game : Game or str
    opponent : strategy
        A policy, or whatever else plays; see :func:`dicelab.evaluate`.
    *more : strategy
        Of more opponents. All sit in order of play: `opponent` moves next after the player who responds.

    Returns
    -------
    Solution
        With objective "win": ``values[own, opponent]`` is the probability to win with the move, against `opponent`; in
        a game with registers by the places of both scores in ``game.scores``.
        Against several, ``values[own, next, …, last]`` are everybody's probabilities by seat, the player's first.

    Raises
    ------
    ValueError
        If an argument is not allowed, or the policy is for another game; and in games with registers or a last turn for
        matches that need not end, where a penalty or a reset leads back.
    NotImplementedError
        If an opponent has a memory.
    ConvergenceError
        If the residual is more than 1e-13, or the estimated error more than 1e-12.
    MemoryError
        Beforehand, if the solution would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(best_response(pig(), hold_at(20)).value, 6)
    0.587368
    >>> [round(chance, 6) for chance in best_response(pig(30), hold_at(20), hold_at(15)).value]
    [0.551972, 0.257726, 0.190303]
    """
    rules = read_game(game)
    if more or rules.registers or rules.finish in LAST_TURN:
        return respond_to_players(rules, names_of({"opponent": opponent}, more))
    return respond_to_one(rules, opponent)


def respond_to_one(game, opponent):
    """The best response to one fixed policy, a Solution; see :func:`best_response`."""
    (opponent,) = read_policies(game, opponent=opponent)
    check_told_apart(game, RAREST)
    check_memory(
        outcomes_bytes(game, opponent) + 32 * len(game.scores) ** 2,
        f"the best response in {game.name} to {game.target}",
        "take a smaller target",
    )
    if opponent.memory > 1:
        raise NotImplementedError(
            f"opponent: {opponent} remembers its turns; the best response would have to, too"
        )
    (opponent,) = record_policies(game, opponent=opponent)
    outcomes, payoffs = turn_outcomes(game, opponent), payoffs_of(game, "win")
    start, second = np.full((2, game.target), 0.5), None
    # Discounted values tell actions of equal value apart.
    if rules_of(game).may_stall and game.resets:
        hurried = payoffs_of(game, "win", discount=1.0 - TIME)
        _, after, start, _ = _respond(game, hurried, outcomes, start, True)
        second = hurried, after
    values, after, resets, residual = _respond(game, payoffs, outcomes, start, game.resets)
    error = ROUNDING * (2 * game.target) ** 0.5

    def greedy(**tie):
        decide = partial(greedy_decisions, game, payoffs, after, second, **tie)
        return OptimalPolicy(game, decide, f"best response to {name_of(opponent)}")

    def achieved(policy):
        """The values that a policy achieves, those after resets, and their error."""
        chain = MatchChain(game, turn_outcomes(game, policy), outcomes)
        u_1, u_2, _, error = chain.win_probability()
        return u_1, np.array([u_2[:, 0], u_1[:, 0]]), error

    policy = greedy()
    if game.resets:
        for _ in range(MOST_POLICIES):
            strict = greedy(tie=TIE if second else CLOSE)
            best, new_resets, error = achieved(strict)
            change, resets = np.abs(resets - new_resets).max(), new_resets
            if change <= SETTLED:  # actions within a tie count as equal
                values, error = best, max(error, TIE / 2 if second else 0.0)
                break
            values, after, _, residual = _respond(game, payoffs, outcomes, resets, False)
        residual, policy = max(residual, change), greedy()
        if not np.abs(achieved(policy)[0] - values).max() <= ACCURACY:
            policy = strict  # taking ties for equal adds up
    check_residual(game, residual)
    check_error(game, error)
    return Solution(
        game=game,
        objective="win",
        values=values,
        policy=policy,
        residual=residual,
        error=error,
        against=opponent,
    )


def greedy_decisions(game, payoffs, after, second, pairs, rolls, choices, tie=TIE):
    """Do as :func:`decide_positions` in a game without roles, where `after`, and the values of `second`, are (S, S)."""
    ladder = ladder_of(game)._replace(payoffs=payoffs)
    discounted = second and (second[0], second[1][None])
    decide_positions(
        game, ladder, after[None], pairs, rolls, choices, tie=tie, discounted=discounted
    )


def _respond(game, payoffs, outcomes, start, repeated):
    """Call :func:`respond` with the values after resets from `start`; `repeated`, these go to a fixed point.

    Returns
    -------
    values, after : ndarray (N, N)
    resets : ndarray (2, N)
    residual : float
    """
    rules, target = rules_of(game), game.target
    values, after = np.empty((2, target, target))
    turn, residuals = new_turn(rules, target), []

    def clipped(resets):
        return np.clip(resets, 0.0, 1.0).reshape(2, target)

    def change(resets):
        residuals.append(respond(rules, payoffs, outcomes, clipped(resets), values, after, turn))
        return np.append(after[:, 0], values[:, 0]) - resets

    step, resets = change(start.ravel()), start.ravel()
    resets = settle(change, resets + step, game) if repeated else resets
    return values, after, clipped(resets), residuals[-1]


# Several opponents, registers, last turns


def respond_to_players(game, policies):
    """The best response to the fixed policies of all others; see :func:`dicelab.best_response`.

    Parameters
    ----------
    game : Game
    policies : dict
        Of the others in order of play, by the names of the caller's arguments.

    Returns
    -------
    Solution
    """
    n = len(policies) + 1
    if game.registers or game.finish in LAST_TURN:
        check_ends(game)
    if game.registers or game.finish in LAST_TURN or game.resets:
        check_told_apart(game, RAREST)
    others = record_players(game, policies, n, cell=8 * n + 24, more=turns_bytes(game, n))
    for name, policy in policies.items():
        if getattr(policy, "memory", 1) > 1:
            raise NotImplementedError(
                f"{name}: {policy} remembers its turns; the best response would have to, too"
            )
    roles = roles_of(game, n)
    found = [respond_in_role(game, others, role) for role in range(roles)]
    values, decisions, above, residual, error = zip(*found, strict=True)
    check_residual(game, max(residual))
    check_error(game, max(error))
    *most, last = map(name_of, others)
    name = f"best response to {', '.join(most)} and {last}" if most else f"best response to {last}"
    decision = partial(decide_in_role, decisions) if roles > 1 else decisions[0]
    return Solution(
        game=game,
        objective="win",
        players=n,
        values=np.array(values) if roles > 1 else values[0].copy(),
        policy=OptimalPolicy(game, decision, name, max(above), players=n),
        residual=float(max(residual)),
        error=max(error),
        against=others if n > 2 else others[0],
    )


def decide_in_role(decisions, positions, rolls, choices, role=0, **more):
    """Fill in the decisions of a response that has a function for each role."""
    decisions[role](positions, rolls, choices, role=role, **more)


def respond_in_role(game, others, role):
    """The best response in a role.

    Returns
    -------
    values : ndarray
    decide : callable
        See :class:`OptimalPolicy`.
    above : int
    residual, error : float
    """
    n, size = len(others) + 1, len(game.scores)
    after, now = np.zeros((size**n, 2)), role if roles_of(game, n) > 1 else None
    seats = from_first([others[0], *others], role)  # the responder's turns are not used
    turns, above = turns_against(game, seats, role)

    def response():
        """The policy that is best for the values `after` a turn, and the chain of its match."""
        decisions = partial(decide, game, n, after, turns=turns)
        policy = OptimalPolicy(game, decisions, above=above, players=n, role=now)
        return policy, chain_of(game, *from_first([policy, *others], role), begins=role)

    if game.finish in LAST_TURN:
        chances, _ = respond_by_cells(response()[1], turns[0])  # as if every finish won
        turns, above = turns_against(game, seats, role, chances[1])
        _, chain = response()
    else:
        chain = chain_of(game, *seats, begins=role)
    chances, residual = respond_by_cells(chain, turns[0])
    after[:, 1:] = placed(game, n, chances[1][:, None])
    policy, chain = response()
    values, _, error = chain.wins()
    short = abs(values[0, :, 0] - chances[0]).max()  # when the responder is about to move
    if not short <= ACCURACY:
        raise ConvergenceError(
            f"{game.name}: the best response falls short of its value by {short:.1e}"
        )
    shape = (size,) * n + (n,) * (n > 2)
    return values[0].reshape(shape), policy.decide, policy.above, residual, error


def respond_by_cells(chain, race):
    """The responder's chances, and the residual of (1); the race says where a finish leads.

    Returns
    -------
    chances : ndarray (n, cells)
        By mover and cell.
    residual : float
    """
    game, n, turns = chain.game, chain.players, chain.turns
    rules, workspace = rules_of(game), new_workspace(game, 2, above=farthest(race))
    waits = may_be_endless(game)
    places, back, busted = places_of(game), chain.backs[0], turns.after_bust[0]
    race = own_chances(race)._replace(
        back=len(back),
        reset=int(np.searchsorted(back, turns.begin[0])),
        number=np.where(costs_points(chain.outcomes[0]), np.searchsorted(back, busted), -1)[places],
    )
    size, registers, width = race.places, race.registers, int(race.ends[0, WIDTH])
    lines = size ** (n - 1)
    own_back = np.zeros((lines, race.back, 2))
    seats = np.indices((registers,) * (n - 1)).reshape(n - 1, -1).T  # the others' registers
    weights, digits = (base ** np.arange(n - 1)[::-1] for base in (size, registers))
    moved = (scores_of(game).after_bust % registers)[seats] - seats  # by a bust of each
    after_busts = np.arange(len(seats))[:, None] + moved * digits
    after_busts = np.ascontiguousarray(np.insert(after_busts, 0, 0, axis=1))
    right, bust, leave = np.zeros((3, len(seats), size, n))
    after, own = np.zeros((len(seats), size, 2)), np.zeros((len(seats), size))
    points = np.indices((size // registers,) * (n - 1)).reshape(n - 1, -1).T
    chances, residual = np.zeros((n, chain.cells)), 0.0
    extra = np.zeros(chances.shape) if chain.finishes is None else chain.finishes[..., 0]

    def sweep(known):
        """Fill in the chances, given those after resets and penalties; return by how much these change."""
        nonlocal residual
        chain.lead_back(chances, np.clip(known, 0.0, 1.0))
        own_back[..., 1] = chain.led_back(chances)[: race.back * lines].reshape(lines, race.back)
        residual = 0.0
        for line in points[::-1] * registers:
            group, here = line + seats, race
            cells = (group @ chain.strides[:, 1:].T)[..., None]
            cells = cells + chain.strides[:, :1] * np.arange(size)
            turns_of_others(turns, cells, places, extra, chances[..., None], right, bust, leave)
            if width:
                rows = places[group] @ weights
                lead = race.lead.reshape(lines, width, 2)[rows].reshape(-1, 2)
                here = race._replace(lead=lead, cut=race.cut[rows])
            given = right, bust, leave, after_busts, 1 / n, waits, own_back[group @ weights]
            residual = max(residual, respond_turns(rules, here, *given, *workspace, after, own))
            chance = own[:, places]
            chances[0, cells[:, 0]] = chance
            for m in range(n - 1, 0, -1):
                chance = right[:, places, m] + bust[:, places, m] * chance[after_busts[:, m]]
                chances[m, cells[:, m]] = chance
        return chain.led_back(chances).ravel() - known

    known = np.full(chain.rows, 1 / n)
    change = sweep(known)
    if chain.repeats:
        known = settle(sweep, known + change, game)
        residual = max(abs(sweep(known)).max(), residual)
    return chances, residual
