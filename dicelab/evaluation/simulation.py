"""Monte Carlo simulation of policies against each other, with standard errors.

Games are played in blocks of a fixed size, each with random numbers of its own, spawned from the seed. What is kept of
a block are whole numbers. So the result depends on the seed and the number of games, but not on the number of threads.
A player who must roll beyond the target rolls on; of choices, which all lead to the same mode there, the first is
taken.

**Dice.** A random number is an integer u below 2^BITS. If the probabilities of a roll have the common denominator D,
the roll is the face ⌊u·D / 2^BITS⌋ of D, and u·D mod 2^BITS is again a random number, with log D bits less. It is used
as long as SPARE bits remain, so that probabilities are off by less than 2^-30: five rolls of a die from one number. If
D is large, the outcome is found by cumulative probabilities, to 2^-BITS.

**Side by side.** In a game with one mode, without choices and registers, several rolls are drawn at once, and 64 games
are played side by side: :mod:`dicelab.evaluation._lockstep`.

**One by one.** All other games are played one roll after the other, with any number of players. Decisions are looked up
by the number of the turn, as in :mod:`dicelab.evaluation.markov_chain`. Bold turns of a mixed equilibrium are more rows
at the end of the table; at the start of such a turn one more random number chooses between both. With three players and
more there is one random number a roll.

**Last turns.** A score of the target or more, which the other player has a last turn to beat, is one more opponent's
score, for which there are decisions. In these games all decisions go as far above the target as turns do, as in
:mod:`dicelab.evaluation.turn_outcomes`.

**Endless play.** From some scores no roll may lead to an end any more: both players can only bust, or resets keep both
from the target. All scores from which some end can be reached are known from the graph of the match
(:mod:`dicelab.evaluation.markov_chain`). A game that gets to any other is a draw: half a win, after infinitely many
turns. All other games end with probability 1, but there is no bound on their length. So a block is played in parts of a
fraction of a second, between which it can be interrupted and reports its progress.
"""

from __future__ import annotations

import math
import numbers
import os
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import NamedTuple

import joblib
import numpy as np

from .._compile import bare
from .._limits import check_memory, progress
from .._recorded import record, record_policies
from .._shown import title_of, with_interval
from .._validation import check_int, check_jobs, invalid
from ..games.absorption import beyond_target
from ..games.model import LAST_TURN, RESET, Game, roles_of
from ..games.named import read_game
from ..games.registers import scores_of
from ..policies import Policy, branching_outcomes
from ..strategies import Strategy, read_policies
from ._lockstep import BITS, MOST_FACES, UNUSED, draw, lanes_of, side_by_side, stretches_of
from ._old_match import chain_of, in_roles, record_players
from .markov_chain import distinct
from .match import OfPlayers, names_of
from .turn_outcomes import (
    actions_of,
    bold_actions,
    last_turn_actions,
    outcomes_bytes,
    points_above,
    reach_above,
)

__all__ = ["Estimate", "simulate"]

SPARE = 30  # bits of a random number that are left unused
BUSTED, RESETTED = -1, -2  # instead of points


class Rolls(NamedTuple):
    """The rolls of M modes, of F faces in all, with C choices, those of an outcome side by side.

    A bust and a reset count as choices, with -1 and -2 points. A mode without outcomes, where nobody rolls, has a bust.
    """

    may_hold: np.ndarray  # (M,)
    bits: np.ndarray  # (M,) that a roll uses up
    faces: np.ndarray  # (M,) the common denominator D, or 1 if that is large
    first: np.ndarray  # (M,) the faces of mode m are first[m], first[m] + 1, …
    gain: np.ndarray  # (F,) points
    onward: np.ndarray  # (F,) the next mode
    plain: np.ndarray  # (F,) whether these are sure
    choice: np.ndarray  # (F,) the first choice of the outcome; where D is large, of the mode
    below: np.ndarray  # (C,) where D is large, cumulative probability of the outcome, times 2^BITS; elsewhere 2^BITS
    several: np.ndarray  # (C,) number of choices of the outcome
    # (C,) the number of the outcome if it has several, see dicelab.solvers._kernels.Rules; or -1.
    branch: np.ndarray
    # (C,) the number of the choice taken at the target and beyond it, of the outcome.
    beyond: np.ndarray
    points: np.ndarray  # (C,)
    mode: np.ndarray  # (C,) the next mode


def rolls_of(game):
    """The arrays of a game's rolls."""
    faces, choice, choices, branches = [], [], [], 0
    finishes = [float(ends[-1][0]) for ends in beyond_target(game)[0]]
    for mode in game.modes:
        common = math.lcm(*(outcome.probability.denominator for outcome in mode.outcomes))
        total = 0
        faces.append(common if common <= MOST_FACES else 1)
        choice += [len(choices)] if faces[-1] == 1 else []
        for outcome in mode.outcomes:
            total += outcome.probability
            choice += [len(choices)] * int(outcome.probability * faces[-1] if faces[-1] > 1 else 0)
            ends = [(c.points, game.mode(c.mode)) for c in outcome.choices]
            ends = ends or [(RESETTED if outcome.result == RESET else BUSTED, 0)]
            ways = [
                (finishes[mode] * (game.finish != "exact" or not points), points)
                for points, mode in ends
            ]
            number = branches if len(ends) > 1 else -1
            below = int(total * 2**BITS) if faces[-1] == 1 else 2**BITS
            given = below, len(ends), number, ways.index(max(ways))
            choices += [(*given, *end) for end in ends]
            branches += len(ends) > 1
        choices += [(2**BITS, 1, -1, 0, BUSTED, 0)] if mode.must_hold else []
    below, *by_choice = np.array(choices).T
    faces, choice, below = (
        np.array(numbers, dtype=np.uint64) for numbers in (faces, choice, below)
    )
    bits = np.array([(int(common) - 1).bit_length() if common > 1 else BITS for common in faces])
    may_hold = np.array([mode.may_hold for mode in game.modes])
    _, branch, _, points, onward = by_choice
    plain = (branch[choice] < 0) & (below[choice] == 2**BITS)
    by_face = np.cumsum(faces) - faces, points[choice], onward[choice], plain, choice
    return Rolls(may_hold, bits, faces, *by_face, below, *by_choice)


BLOCK = 50_000  # games
PART = 2**25  # rolls, and outcomes that are looked at for one, that are played at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate(OfPlayers):
    """What a number of simulated games tell of a match; every `_se` is the standard error of what it is named after.

    Attributes
    ----------
    game : Game
    policies : tuple of Policy
        Of the n players, in order of play; `first` and `second` are those of the first two.
    games, seed : int
    wins, wins_se : tuple of float
        The probabilities to win, in order of play; `first_wins` and `first_wins_se` are those of the first player. A
        win that several share counts in equal parts, and so does a game that cannot end.
    turns_mean, turns_mean_se, turns_sd, turns_sd_se : float
        Mean and standard deviation of the number of turns, all players' together; infinite and nan if a game cannot
        end.

    Examples
    --------
    >>> from dicelab import hold_at, pig, simulate
    >>> estimate = simulate(pig(), hold_at(25), hold_at(20), games=100_000)
    >>> estimate.first_wins_se < 0.002
    True
    """

    KEYS = (
        "game",
        "policies",
        "games",
        "seed",
        "wins",
        "wins_se",
        "turns_mean",
        "turns_mean_se",
        "turns_sd",
        "turns_sd_se",
    )
    COLUMNS = ("policies", "wins", "wins_se")

    game: Game
    policies: tuple[Policy, ...] = field(repr=False)
    games: int
    seed: int
    wins: tuple[float, ...]
    wins_se: tuple[float, ...]
    turns_mean: float
    turns_mean_se: float
    turns_sd: float
    turns_sd_se: float

    @property
    def first_wins_se(self) -> float:
        """The standard error of `first_wins`."""
        return self.wins_se[0]

    def __repr__(self):
        said = self._who_wins(list(map(with_interval, self.wins, self.wins_se)))
        return f"<Estimate of {title_of(self.game)}, {self.games:,} games: {said}>"


class Tables(NamedTuple):
    """The decisions of n players, in a table of T turns and, at its end, B bold turns, by turn totals below N.

    With a last turn, the scores to beat are more of the opponent's scores, from the number of scores on. For a policy
    of more than two players they are tables of their own, by how many others have a last turn yet.
    """

    # (T + B, M, ⌈N / 64⌉ + 1) uint64, whether to roll: a bit for each turn total, and 64 more.
    decisions: np.ndarray
    takes: np.ndarray  # (T + B, branches, N) uint8, the choices taken
    bold: np.ndarray  # (T,) which bold turn may be played instead; -1 for none
    share: np.ndarray  # (B,) uint64: how often it is, times 2^BITS
    base: np.ndarray  # (n,) the player's first turn; one state's turns stand side by side
    columns: np.ndarray  # (n,) how many these are
    leads: np.ndarray  # (n,) whether by the leader's score, or by the scores of all others
    above: int  # the number of scores to beat
    # (n, n) the first row of last turns, by player and how many others have one yet.
    chasing: np.ndarray
    memory: np.ndarray  # (n,)
    strides: np.ndarray  # (n, n) as in dicelab.evaluation.markov_chain.MatchChain
    ending: np.ndarray  # (n, cells) whether an end can be reached, by mover and cell


def tables_of(game, policies):
    """The decisions of all players, and where some end can be reached."""
    n = len(policies)
    policies = [
        policy if policy.players > 2 else record(game, policy)
        for policy in in_roles(game, *policies)
    ]
    chain, more = chain_of(game, *policies), (n - 1) * points_above(game, *policies)
    size, registers = len(game.scores), len(game.registers) or 1
    base, rows, bold, shares, chasing = {}, [], {}, [], {}
    for policy in distinct(policies):
        base[id(policy)] = used = sum(len(rolls) for rolls, _ in rows)
        states = product(game.scores, range(policy.memory))
        for state, given in zip(states, actions_of(game, policy, 2 * more), strict=True):
            if more and policy.players == 2:  # in a last turn, by the score to beat
                last = last_turn_actions(game, policy, *state, more)
                given = [
                    np.concatenate([part, np.repeat(answers, registers, axis=0)])
                    for part, answers in zip(given, last, strict=True)
                ]
            rows.append(given)
        if policy.players > 2:
            for still in range(n - 1 if more else 0):
                chasing[id(policy), still] = sum(len(rolls) for rolls, _ in rows)
                for holders in range(1, n - still if roles_of(game) > 1 else 2):
                    rows += [
                        last_turn_actions(game, policy, own, 0, more, still, holders)
                        for own in game.scores
                    ]
            for places, share, given in bold_actions(game, policy, 2 * more):
                bold[used + np.ravel_multi_index(places, (size,) * n)] = given
                shares.append(share)
    rolls, takes = zip(*rows, *bold.values(), strict=True)
    bits = np.concatenate([np.packbits(each > 0, axis=-1, bitorder="little") for each in rolls])
    which = np.full(len(bits) - len(bold), -1, dtype=np.int32)
    which[list(bold)] = range(len(bold))
    leads = np.array([policy.players == 2 for policy in policies])
    return Tables(
        decisions=np.pad(bits, [(0, 0), (0, 0), (0, 8 + -bits.shape[-1] % 8)]).view(np.uint64),
        takes=np.concatenate(takes),
        bold=which,
        share=(np.array(shares, dtype=float) * 2**BITS).astype(np.uint64),
        base=np.array([base[id(policy)] for policy in policies]),
        columns=np.where(leads, size + more * registers, size ** (n - 1)),
        leads=leads,
        above=more,
        chasing=np.array(
            [[chasing.get((id(policy), still), 0) for still in range(n)] for policy in policies]
        ),
        memory=np.array([policy.memory for policy in policies]),
        strides=chain.strides,
        ending=chain.ending(),
    )


@bare
def play(rolls, scores, exactly, equal, spare, tables, most, random, state, winners, turns):
    """Play on; store the number of turns of each game that ends, 0 for one that cannot, which is a draw.

    Parameters
    ----------
    rolls : Rolls
    scores : Scores
        With a last turn, in which turns go on above the target, `missing` is N everywhere.
    exactly : bool
        Whether passing the points missing is a bust: with an exact target, and where a turn goes on and on above it.
    equal : bool
        Whether the finish is "equal turns": nobody answers the last player, and equal scores share the win.
    spare : int
        The bits of a random number that are left unused.
    tables : Tables
    most : int
        The number of rolls, and of outcomes looked at for one, after which to stop.
    random : ndarray of uint64 (5,)
        State of the random stream, and what is left of the last number.
    state : ndarray of int (2·n + 6,)
        The places of the players' scores and what each remembers, and then the mover, the turns so far, the turn total,
        the mode, the row of the turn or -1 before it, and the bits left of the last random number.
    winners : ndarray of int (n, n)
        How many games each player has won alone, or shares with one other, two others, …; increased.
    turns : ndarray of int
        As long as there are games to play.

    Returns
    -------
    int
        How many games ended.
    """
    n = len(tables.memory)
    places = len(scores.missing)
    answers = tables.above > 0
    g = 0
    bits = np.uint64(BITS)
    w, x, y, z, u = random
    at, memories = state[:n], state[n : 2 * n]
    mover, played, total, mode, row, left = state[2 * n :]
    while g < len(turns):
        own, other = at[mover], mover + 1 if mover + 1 < n else 0
        now = own * tables.memory[mover] + memories[mover]
        place, column, beat, p = now * tables.strides[mover, mover], 0, 0, mover
        for _ in range(1, n):
            p = p + 1 if p + 1 < n else 0
            place += (at[p] * tables.memory[p] + memories[p]) * tables.strides[mover, p]
            column, beat = column * places + at[p], max(beat, at[p])
        over = False
        if row < 0:  # a turn begins
            column = beat if tables.leads[mover] else column
            row = tables.base[mover] + now * tables.columns[mover] + column
            if beat >= places and not tables.leads[mover]:
                still, holders = 0, 0
                for k in range(n if equal else 0):
                    holders += at[k] // scores.step == beat // scores.step
                row, p = max(holders - 1, 0) * places + own, other
                while at[p] < places and (not equal or mover + still < n - 1):
                    still, row, p = still + 1, row * places + at[p], p + 1 if p + 1 < n else 0
                row = row * tables.above + (beat - places) // scores.step
                row += tables.chasing[mover, still]
            if beat < places and not tables.ending[mover, place]:
                over, played = True, -1
            elif tables.bold[row] >= 0:
                word, w, x, y, z = draw(w, x, y, z)
                if word >> UNUSED < tables.share[tables.bold[row]]:
                    row = len(tables.bold) + tables.bold[row]
        missing, gained, r, ends = scores.missing[own], 0, np.uint64(row), over
        while not ends and most > 0:
            most -= 1
            if left < spare + rolls.bits[mode]:
                u, w, x, y, z = draw(w, x, y, z)
                u, left = u >> UNUSED, BITS
            m = np.uint64(mode)
            stretched = u * rolls.faces[m]
            face = rolls.first[m] + (stretched >> bits)
            gained, mode = rolls.gain[face], rolls.onward[face]
            if not rolls.plain[face]:
                c = rolls.choice[face]
                while u >= rolls.below[c]:
                    c += np.uint64(rolls.several[c])
                    most -= 1
                if rolls.branch[c] >= 0 and total < missing:
                    branch = np.uint64(rolls.branch[c])
                    c += np.uint64(tables.takes[r, branch, np.uint64(total)])
                else:
                    c += np.uint64(rolls.beyond[c])
                gained, mode = rolls.points[c], rolls.mode[c]
            u = stretched & np.uint64(2**BITS - 1)
            left -= rolls.bits[m]
            total += gained
            ends = gained < 0 or (exactly and total > missing)
            if not ends and rolls.may_hold[np.uint64(mode)]:
                ends = total >= missing
                if not ends:
                    word = tables.decisions[r, np.uint64(mode), np.uint64(total >> 6)]
                    ends = (word >> np.uint64(total & 63)) & np.uint64(1) == 0
        if not ends:
            break
        played += 1
        if gained == RESETTED:
            own, memories[mover] = scores.begin, 0
        elif gained < 0 or total < scores.least_hold[own] or (exactly and total > missing):
            own = scores.after_bust[own]
        else:
            own = scores.after_hold[own] + total * scores.step
            memories[mover] = min(memories[mover] + 1, tables.memory[mover] - 1)
        answered = answers and not (equal and mover == n - 1)
        last = beat >= places and (mover == n - 1 if equal else at[other] >= places)
        if over or last or (own >= places and not answered):
            at[mover], best = own, max(own, beat) // scores.step
            p, won, several = other, 0, 0  # a bit for each player
            # The mover comes last: without shares the first who has the best score wins.
            for _ in range(n):
                if over or (at[p] // scores.step == best and (equal or several == 0)):
                    won, several = won + 2**p, several + 1
                p = p + 1 if p + 1 < n else 0
            for p in range(n):
                winners[p, several - 1] += won >> p & 1
                at[p], memories[p] = scores.begin, 0
            turns[g], g = played, g + 1
            mover, played = 0, 0
        else:
            at[mover] = min(own, places + tables.above * scores.step - 1) if answers else own
            mover = other
        total, mode, row = 0, scores.mode[at[mover]], -1
    random[:] = w, x, y, z, u
    state[2 * n :] = mover, played, total, mode, row, left
    return g


def _begin_in_turn(scores, players, seed, games):
    """The random stream, the game in play, and how many games there are left: see :func:`play`."""
    mode = scores.mode[scores.begin]
    state = [scores.begin] * players + [0] * (players + 3) + [mode, -1, 0, games]
    return np.append(np.random.SFC64(seed).state["state"]["state"], np.uint64(0)), np.array(state)


def _in_turn(*arrays):
    """Like :func:`side_by_side`, one game after the other."""
    *arrays, (random, state) = arrays
    turns = np.empty(state[-1], dtype=np.int64)
    winners = np.zeros((len(arrays[-1].memory),) * 2, dtype=np.int64)
    games = play(*arrays, PART, random, state[:-1], winners, turns)
    state[-1] -= games
    return winners, turns[:games], int(state[-6]) if state[-1] else None


def _play_part(way, arrays, block):
    """Play on in a block.

    Returns
    -------
    winners : ndarray
    lasted : dict
        How many of these took 0 (drawn), 1, 2, … turns.
    played : int or None
        The turns so far of the longest game in play; None if all games have ended.
    block
        From which to go on.
    """
    wins, turns, played = way(*arrays, block)
    if turns.max(initial=0) < BLOCK:
        counts = np.bincount(turns)  # faster
        lasted = np.flatnonzero(counts)
        counts = counts[lasted]
    else:
        lasted, counts = np.unique(turns, return_counts=True)
    return wins, dict(zip(lasted.tolist(), counts.tolist(), strict=True)), played, block


def _play_blocks(game, games, seed, n_jobs, begin, way, arrays):
    """Play all games in blocks; return the wins, as `way` counts them, and how many games took 0, 1, … turns."""
    sizes = [BLOCK] * (games // BLOCK) + [games % BLOCK] * (games % BLOCK > 0)
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    blocks = map(begin, seeds, sizes)
    players = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    wins, lasted = 0, Counter()
    with progress(
        None, title_of(game), "game", games, unit_scale=True, miniters=0, leave=True
    ) as bar:
        while blocks:
            parts, blocks = (
                players(joblib.delayed(_play_part)(way, arrays, block) for block in blocks),
                [],
            )
            for won, ended, played, block in parts:
                wins = wins + won
                lasted.update(ended)
                blocks += [] if played is None else [block]
                said = "" if ended else f"the longest game in play: {played:,} turns"
                bar.set_postfix_str(said, refresh=False)
                bar.update(sum(ended.values()))
    return wins, lasted


def _recorded(game, policies, games):
    """The policies of a simulation as they were recorded, a tuple, if there is memory for it."""
    n, size, modes = len(policies), len(game.scores), len(game.modes)
    blocks = 12_000 * (games // BLOCK + 1) + 32 * BLOCK * (os.cpu_count() or 1)
    above = (n - 1) * reach_above(game, max(getattr(p, "above", 0) for p in policies.values()))
    totals, branches = game.longest + 2 * above, len(branching_outcomes(game))
    if n > 2:
        row = 16 * modes * -(-totals // 64) + 4 + 2 * (branches + modes * (above > 0)) * totals
        several = n - 1 if roles_of(game) > 1 else 1  # who may have the score to beat
        more = blocks + n * row * size ** (n - 1) * above * several
        return record_players(game, policies, n, cell=0, row=row, more=more)
    # all decisions of both, as bytes and as bits, and their choices twice
    row = (size + above * (len(game.registers) or 1)) * totals * (2 * modes + 4 * branches)
    memories = [policy.memory for policy in policies.values()]
    tables = sum(memories) * size * row + 2 * (max(memories) * size) ** 2
    outcomes = sum(outcomes_bytes(game, policy) for policy in policies.values())
    said = f"{games:,} games of {game.name} to {game.target}"
    check_memory(blocks + tables + outcomes, said, "take a smaller target, or fewer games")
    return tuple(record_policies(game, **policies))


def _estimate(game, policies, games, seed, wins, lasted):
    """The estimate of `games`, of which each player won so many alone, or shared them; see :func:`play`."""
    parts = 1.0 / np.arange(1, len(policies) + 1)
    shares, squares = ((wins @ parts**power / games).tolist() for power in (1, 2))
    turns, frequencies = np.array(sorted(lasted.items()), dtype=float).T
    frequencies /= games
    endless = lasted[0] > 0
    mean = np.inf if endless else float(frequencies @ turns)
    variance, fourth = (
        np.nan if endless else float(frequencies @ (turns - mean) ** power) for power in (2, 4)
    )
    deviation = variance**0.5
    spread = (fourth - variance**2) / games
    return Estimate(
        game=game,
        policies=tuple(policies),
        games=games,
        seed=seed,
        wins=tuple(shares),
        wins_se=tuple(
            (max(q - p**2, 0.0) / games) ** 0.5 for p, q in zip(shares, squares, strict=True)
        ),
        turns_mean=mean,
        turns_mean_se=deviation / games**0.5,
        turns_sd=deviation,
        turns_sd_se=spread**0.5 / (2 * deviation) if deviation else 0.0,
    )


# The simulation


def simulate(
    game: Game | str,
    first: Strategy,
    second: Strategy,
    *more: Strategy,
    games: int = 10_000_000,
    seed: int = 1,
    n_jobs: int = -1,
) -> Estimate:
    """Play policies against each other many times.

    Parameters
    ----------
    game : Game or str
    first, second : strategy
        Of the player who moves first, and of the next: policies, or whatever else plays; see :func:`dicelab.evaluate`.
    *more : strategy
        Of more players, in order of play: policies, not numbers.
    games : int
        How many, at least 1. With two policies this and what follows may be given by position, too: a third number is
        that of the games, not *hold at n*.
    seed : int
        Any, at least 0. The same seed and number of games give the same result.
    n_jobs : int
        Threads, or a joblib backend's workers, at most 1000; -1 for one a core.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If an argument is none of what is allowed, or a policy is for another game.
    NotImplementedError
        As :func:`dicelab.evaluate`.
    MemoryError
        Beforehand, if that would take more than half of the memory.

    Notes
    -----
    A game that gets to scores from which no end can be reached is a draw. Other games end, some late: the bar tells how
    long one has lasted, and an interrupt ends the simulation.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> estimate = simulate(pig(), hold_at(25), hold_at(20), games=100_000)
    >>> abs(estimate.first_wins - 0.543482) < 4 * estimate.first_wins_se
    True
    """
    game = read_game(game)
    # Two players' by position.
    if len(more) <= 3 and all(isinstance(number, numbers.Integral) for number in more):
        if more and isinstance(first, numbers.Integral) | isinstance(second, numbers.Integral):
            said = "it may be a number of games, or another player's turn total to hold at"
            raise ValueError(
                f"games: {more[0]}, given by its place, is not allowed here: {said}; give games=…"
            )
        games, seed, n_jobs = (*more, *(games, seed, n_jobs)[len(more) :])
        more = ()
    policies = names_of({"first": first, "second": second}, more)
    given = {name: value for name, value in policies.items() if isinstance(value, numbers.Number)}
    for name in given if more else ():
        if name.startswith("more"):
            meant = ", ".join(map("{}={}".format, ("games", "seed", "n_jobs"), given.values()))
            allowed = f"a policy, for example dicelab.hold_at(20); did you mean {meant}?"
            raise invalid(name, given[name], allowed, kinds=())
    if not more:
        policies = dict(zip(policies, read_policies(game, **policies), strict=True))
    games, seed, n_jobs = (
        check_int(games, "games", 1),
        check_int(seed, "seed", 0),
        check_jobs(n_jobs, "n_jobs"),
    )
    policies = _recorded(game, policies, games)
    tables, stretches = tables_of(game, policies), None if more else stretches_of(game)
    if stretches and tables.memory.max() == 1 and tables.ending.all():
        size = len(game.scores)
        decisions = [
            tables.decisions[base : base + size**2, 0].reshape(size, size, -1)
            for base in tables.base
        ]
        begin, way, arrays = lanes_of, side_by_side, (stretches, np.array(decisions))
    else:
        scores = scores_of(game)
        last_turn = game.finish in LAST_TURN
        if last_turn:
            scores = scores._replace(missing=np.full_like(scores.missing, tables.takes.shape[-1]))
        exactly, equal = last_turn or game.finish == "exact", roles_of(game) > 1
        spare = BITS + 1 if more else SPARE  # with three and more, a number for each roll
        begin, way = partial(_begin_in_turn, scores, len(policies)), _in_turn
        arrays = rolls_of(game), scores, exactly, equal, spare, tables
    wins, lasted = _play_blocks(game, games, seed, n_jobs, begin, way, arrays)
    return _estimate(game, policies, games, seed, wins, lasted)
