"""The turn of one of n players: where it begins and leads, its best decisions, and what they leave to everybody.

A position has the places of all players, from the player to move on, and in "equal turns" the role; see :class:`Race`.
With z the own chance after a bust, a turn that is played by fixed decisions gives the player to move A + (1 - L)·z, L
being the probability that it does not bust, and seat q the chance c(q) + (1 - L)·(the chance of seat q after the bust).
:func:`evaluate_turn` finds the best decisions at z, and the *piece* (A, L, c(1), …, c(n - 1)); it goes over the points
missing, backwards from where every hold is right.

**Last turns.** Whoever reaches the target leaves one last turn to each of the others, in order of play: in "last licks"
to all, to beat the largest score so far, and in "equal turns" to those who come later in the round; there those who
have the largest score in the end share the win. Given a score to beat, the players who have it, and the k players who
have a last turn yet, everybody's chances V are a table by the places of these, the number of those and that score,
found from that of k - 1 (:func:`play_last_turns`): a turn that falls short leaves nothing to its player. A hold at the
target or above it leads to the table with one player who has the score. How far above the target a roll may be right,
:func:`cuts_of` says.

"""

import math
from copy import deepcopy
from functools import lru_cache, partial
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from .._accuracy import CLOSE, UNLIKELY
from .._compile import bare, compiled, shared
from .._limits import check_memory
from ..games.absorption import risk_above
from ..games.model import LAST_TURN, roles_of
from ..games.positions import classes_of
from ..games.registers import scores_of
from ._kernels import choose_above, rules_of
from .cycle import close_chains, joined

__all__ = [
    "FLAT",
    "STEEP",
    "TIE",
    "WIDTH",
    "action_chances",
    "decide",
    "farthest",
    "last_turns_of",
    "led_back",
    "led_to",
    "new_workspace",
    "own_chances",
    "placed",
    "places_of",
    "race_of",
    "respond_turns",
    "start_of",
]

LEFT, LEAD, WIDTH, CUT = range(4)  # see Race
FLAT, STEEP = 0, 1  # of equal actions the one with the larger L, as a hold, or the smaller
MUCH = 1e3  # a chance after a bust that is better than any end
TIE = 1e-13  # actions this close are equal, and bust values this close to the end of a piece are on it


class Race(NamedTuple):
    """The positions of n players, and where turns lead from them.

    The *place* of a player who needs a points and is in register f is (a - 1)·R + f, with R registers, one of S. The
    *row* of a position is the number with these digits in base S, in order of play from the player to move on; before
    them stands the role.

    A finish leads to `lead`: V after a turn that ends at the target or above it, in rows by the number of players who
    have the score to beat, the places of those who have a last turn yet, and the points above the target.
    """

    players: int
    registers: int  # R
    places: int  # S
    after_hold: np.ndarray  # (R,)
    after_bust: np.ndarray  # (S,) the place after a bust; below 0 after one that reaches the target
    least_hold: np.ndarray  # (R,)
    mode: np.ndarray  # (R,) in which turns begin
    exactly: bool  # whether the target must be hit
    back: int  # how many places resets and penalties lead to, which are numbered
    reset: int  # the number of the place after a reset
    number: np.ndarray  # (S,) that of the place after a bust with a penalty; -1 for others
    ends: np.ndarray  # (roles, 4) after a finish: how many have a last turn, LEFT; the row in
    # `lead` of the target, LEAD, which may come before the first one; the rows for the places of
    # those who are left, WIDTH (0: one row, whatever the points); and the first entry in `cut`, CUT
    lead: np.ndarray  # (rows, n)
    cut: np.ndarray  # (…,) by these places: so many points above the target every hold is right
    draws: int  # the first of some rows to work in, where equal scores share the win; else 0


class Start(NamedTuple):
    """How a turn begins, and where it may lead."""

    row: int  # of the values: a hold with r points missing leads to row + (r - 1)·R
    back: int  # the row of the values after a reset
    missing: int  # the points that reach the target; of a hold that must take more, these
    holds: int  # with r = 1, …, holds points missing a hold is allowed
    finish: int  # 1, or 0 where the finish counts as a bust
    mode: int
    edge: int  # so many points above the target every hold is right
    lead: int  # the row of `lead` for a hold at the target
    climb: int  # 1 if every point more is another row of `lead`, else 0


def race_of(game, players):
    """The :class:`Race` of a game, and the places in ``game.scores`` that resets and penalties lead to, an array."""
    scores, registers = scores_of(game), len(game.registers) or 1
    ours = places_of(game)
    number = np.full(len(ours), -1)
    costs = classes_of(game).penalty[np.arange(len(ours)) % registers] > 0
    back = np.unique(np.append(scores.after_bust[costs], scores.begin))
    number[ours[costs]] = np.searchsorted(back, scores.after_bust[costs])
    after_bust = np.empty_like(ours)
    ahead = (scores.after_bust - len(ours)) // registers
    after_bust[ours] = np.where(
        ahead < 0, np.append(ours, 0)[np.minimum(scores.after_bust, len(ours))], -1 - ahead
    )
    first, roles, none = slice(registers), roles_of(game, players), np.zeros(1, dtype=int)
    wins = np.zeros((players if roles > 1 else 1, players))  # shared by 1, 2, …
    wins[:, -1] = [1 / (k + 1) for k in range(len(wins))]
    race = Race(
        players=players,
        registers=registers,
        places=len(ours),
        after_hold=scores.after_hold[first] % registers,
        after_bust=after_bust,
        least_hold=scores.least_hold[first],
        mode=scores.mode[first],
        exactly=game.finish == "exact",
        back=len(back),
        reset=int(np.searchsorted(back, scores.begin)),
        number=number,
        ends=np.zeros((roles, 4), dtype=int),
        lead=wins,
        cut=none,
        draws=0,
    )
    return race, back


def led_to(race, lead, width, cut, left, reach=0, first=0):
    """The race in which a finish leads to a table of V, as all last turns have it.

    Parameters
    ----------
    race : Race
    lead : ndarray (rows, n)
        V by how many have the score to beat, where equal scores share the win, by the places of those who have a last
        turn yet, and by the points above the target.
    width : int
        The rows of `lead` for the points, from `first` above the target on; 0 if one row stands for all.
    cut : ndarray of int
        By the places of those who have a last turn yet: so many points above the target every hold is right.
    left : int
        How many these are.
    reach : int
        The most points of a roll, where equal scores share the win: rows to work in are added. Otherwise 0.
    first : int
        The points above the target of the first row of `lead`.
    """
    spare = 0
    if reach:
        spare = int(max(cut.max(), race.least_hold.max())) + reach
    return race._replace(
        ends=np.array([[left, -first, width, 0]]),
        lead=np.concatenate([lead, np.zeros((spare, race.players), dtype=lead.dtype)]),
        cut=cut,
        draws=len(lead) if reach else 0,
    )


def new_workspace(game, players, above=0):
    """Arrays for a turn that may go on to so many points above the target, in float64.

    Returns
    -------
    turn : ndarray (M, P + N, n + 1)
        By mode and points missing: W - z, L, and c of seats 1, …, n - 1.
    piece : ndarray (n + 1,)
        A, L, c(1), …, c(n - 1).
    """
    shape = len(game.modes), game.most_points + game.longest + above, players + 1
    return np.zeros(shape), np.zeros(players + 1)


def farthest(race):
    """The most points above the target at which a turn may go on."""
    return int(max(race.cut.max(), race.least_hold.max())) if race.ends[:, WIDTH].any() else 0


def placed(game, players, values):
    """Rows of values by the places of a :class:`Race`, put in the order of those in ``game.scores``, or back."""
    places, shape = places_of(game), (-1, *(len(game.scores),) * players)
    return values.reshape(*shape, values.shape[-1])[:, *np.ix_(*(places,) * players)].reshape(
        values.shape
    )


def places_of(game):
    """The places of a :class:`Race` by those in ``game.scores``; this is its own inverse."""
    registers = len(game.registers) or 1
    return np.arange(len(game.scores)).reshape(-1, registers)[::-1].ravel()


def led_back(values, race, back):
    """The values where the last player is at one of the places `back`, a table as :func:`evaluate_turn` takes it."""
    table = values.reshape(-1, race.places, values.shape[-1])
    return np.ascontiguousarray(table[:, back]).reshape(-1, values.shape[-1])


def own_chances(race):
    """The :class:`Race` with two columns of V, of which the second is the own chance."""
    return race._replace(lead=np.stack([np.zeros(len(race.lead)), race.lead[:, -1]], axis=1))


# One turn


@shared
def row_of(race, places, role=0):
    """The row of a position, or the number of the places of some players in it."""
    row = role
    for place in places:
        row = row * race.places + place
    return row


@shared
def start_of(race, places, role):
    """How the turn at a position begins."""
    others = row_of(race, places[1:])
    return start_in(race, places[0], others, role, first_of(race, others, role))


@shared
def first_of(race, others, role):
    """Of the others in a row, those who have a last turn after a finish in a role; 0 if that makes no difference."""
    return (
        others // race.places ** (race.players - 1 - race.ends[role, LEFT])
        if race.ends[role, WIDTH]
        else 0
    )


@shared
def start_in(race, own, others, role, left):
    """How a turn at a place begins, where the others are in a row, and those `left` have a last turn after a finish."""
    needs, register = own // race.registers + 1, own % race.registers
    least, width = race.least_hold[register], race.ends[role, WIDTH]
    fits = needs >= least or width > 0
    line = others
    if len(race.ends) > 1:
        line += (role + 1) % race.players * race.places ** (race.players - 1)
    return Start(
        line * race.places + race.after_hold[register],
        line * race.back + race.reset,
        needs if fits or race.exactly else least,
        needs - least if fits else 0,
        1 if fits or not race.exactly else 0,
        race.mode[register],
        max(race.cut[race.ends[role, CUT] + left], least - needs) if width else 0,
        race.ends[role, LEAD] + left * width,
        min(width, 1),
    )


@shared
def last_turn_at(race, reach, own, others, beaten, several, fails):
    """The last turn at a place, with a target + `beaten` to be beaten, and the others who have one yet in a row.

    Parameters
    ----------
    race : Race
        Of last turns after which these are left; rows to work in are written to.
    reach : int
        The most points of a roll.
    own, others, beaten : int
    several : int
        How many have the score to beat, less one; 0 where that makes no difference.
    fails : ndarray (2, n)
        Filled with V if the turn brings nothing, and after a bust, which may score.

    Returns
    -------
    Start
    """
    lead, width, draws = race.lead, race.ends[0, WIDTH], 1 if race.draws else 0
    n, climb = lead.shape[1], min(width, 1)
    row = others * width + race.ends[0, LEAD] * climb
    needs, register = own // race.registers + 2 + beaten - draws, own % race.registers
    least = race.least_hold[register]
    start = Start(
        0,
        0,
        needs,
        min(needs - least, 0),
        1,
        race.mode[register],
        max(race.cut[others], least - needs, draws),
        race.draws if draws else row + climb * (beaten + 1),
        max(climb, draws),
    )
    step, at = race.places ** race.ends[0, LEFT] * max(width, 1), row + beaten * climb
    for s in range(n):
        fails[0, s] = lead[several * step + at, s]
    fails[0, n - 2], fails[0, n - 1] = fails[0, n - 1], 0 * fails[0, n - 1]
    for k in range((start.edge + reach) * draws):  # a draw, and what is above it
        source = at + k * climb if k else (several + 1) * step + at
        for s in range(n):
            lead[race.draws + k, s] = lead[source, s]
    if draws:
        lead[race.draws, n - 2] = lead[race.draws, n - 1]
    ahead, busted = -1 - race.after_bust[own], fails[0]
    if draws and ahead == beaten:
        busted = lead[race.draws]
    elif ahead > beaten:
        busted = lead[row + ahead * climb]
    for s in range(n):
        fails[1, s] = busted[s]
    return start


@shared
def fill_busted(race, values, back, start, own, busted):
    """Fill in V after a bust of a turn that begins at the place `own`."""
    others, place = start.row // race.places, race.after_bust[own]
    for s in range(values.shape[1]):
        if race.number[own] >= 0:
            busted[s] = back[others * race.back + race.number[own], s]
        elif place < 0:  # it reaches the target
            busted[s] = race.lead[start.lead - (place + 1) * start.climb, s]
        else:
            busted[s] = values[others * race.places + place, s]


@shared
def evaluate_turn(rules, race, values, back, start, z, ties, tie, turn, piece):
    """Evaluate a turn at the bust value `z`, and find the piece that z is on, as the page above says.

    Parameters
    ----------
    rules : Rules
    race : Race
    values : ndarray (S**n, n)
        V by the row of the position.
    back : ndarray (S**(n - 1)·B, n)
        V after resets and penalties, by the row of the others and the number of the place.
    start : Start
    z : float
    ties : {FLAT, STEEP}
    tie : float
        Actions whose values differ by at most this are of equal value.
    turn : ndarray
        See :func:`new_workspace`, as for `piece`. If it has twice the modes, the second half has the same of a roll at
        once.
    piece : ndarray (n + 1,)
        Filled.
    """
    width, n, modes = rules.beyond.shape[2], values.shape[1], len(rules.may_hold)
    reset, other = back[start.back], piece
    for r in range(1 - width - start.edge, start.missing + 1):
        at = width - 1 + start.edge + r
        for m in rules.order:
            node = turn[m, at]
            if r <= -start.edge:
                for way in range(len(rules.beyond)):
                    finishes, returns, _ = rules.beyond[way, m, at]
                    finishes = finishes * start.finish
                    held = race.lead[start.lead - r * start.climb]
                    other = node if way == 0 else piece
                    other[0] = finishes * (held[n - 1] - z) + returns * (reset[n - 1] - z)
                    other[1] = finishes + returns
                    for q in range(1, n):
                        other[1 + q] = finishes * held[q - 1] + returns * reset[q - 1]
                    if way > 0:
                        taken = is_taken(other[0] - node[0], other[1] - node[1], ties, tie)
                        for k in range(n + 1 if taken else 0):
                            node[k] = other[k]
            else:
                node[0], node[1] = rules.reset[m] * (reset[n - 1] - z), rules.reset[m]
                for q in range(1, n):
                    node[1 + q] = rules.reset[m] * reset[q - 1]
                for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                    c, p = rules.choices[o], rules.probability[o]
                    best = turn[rules.mode[c], at - rules.points[c]]
                    for d in range(c + 1, rules.choices[o + 1]):
                        other = turn[rules.mode[d], at - rules.points[d]]
                        taken = is_taken(other[0] - best[0], other[1] - best[1], ties, tie)
                        best = other if taken else best
                    for k in range(n + 1):
                        node[k] += p * best[k]
            for k in range(n + 1 if len(turn) > modes else 0):
                turn[modes + m, at, k] = node[k]
            if rules.may_hold[m] and -start.edge < r <= start.holds:
                row, above = start.row + (r - 1) * race.registers, start.lead - r * start.climb
                held = values[row] if r > 0 else race.lead[above]
                piece[0], piece[1], taken = held[n - 1] - z, 1, False  # L of a hold is 1
                if not rules.stops[m]:
                    taken = is_taken(node[0] - piece[0], node[1] - piece[1], ties, tie)
                if not taken:
                    node[0], node[1] = piece[0], piece[1]
                    for q in range(1, n):
                        node[1 + q] = held[q - 1]
    node = turn[start.mode, width - 1 + start.edge + start.missing]
    piece[0] = node[0] + node[1] * z
    for k in range(1, n + 1):
        piece[k] = node[k]


@shared
def is_taken(ahead, flatter, ties, tie):
    """Whether an action that is `ahead` of another one by so much, and whose L is larger by `flatter`, is taken."""
    if abs(ahead) > tie:
        return ahead > 0
    return flatter > tie if ties == FLAT else flatter < 0


# Last turns


@bare
def play_last_turns(rules, race, size, left, tie, turn, piece, fails, found):
    """V of last turns, by the number of players who have the score to beat, and what else `lead` is by.

    By seat: first come those who have a last turn yet, in order of play. The last seat has the score to beat. Those
    between have no chance.

    Parameters
    ----------
    race : Race
        Whose `lead` has V with one player less, and `cut` is for these.
    size : int
        So many scores to beat, from that of the first row of `lead` on.
    left : int
        How many players have a last turn yet.
    fails : ndarray (2, n)
        Workspace.
    found : ndarray (rows, n)
        Filled.
    """
    n, rows, reach = race.players, race.places ** (left - 1), rules.beyond.shape[2]
    for number in range(len(found)):
        beaten, others = number % size - race.ends[0, LEAD], number // size % rows
        place, several = number // size // rows % race.places, number // size // rows // race.places
        start = last_turn_at(race, reach, place, others, beaten, several, fails)
        busted, chances = fails[1], found[number]
        z = busted[n - 1]
        evaluate_turn(rules, race, fails, fails, start, z, FLAT, tie, turn, piece)
        chances[0] = piece[0] + (1 - piece[1]) * z
        for s in range(1, left):
            chances[s] = piece[1 + s] + (1 - piece[1]) * busted[s - 1]
        chances[n - 1] = piece[n] + (1 - piece[1]) * busted[n - 2]


def last_turns_of(game, players):
    """The :class:`Race` with V after a finish, the places that are led back to, and the races of last turns.

    These are a function of how many players have a last turn afterwards, and of the points above the target to beat.
    """
    race, back, _ = tables_of(game, players, 0)
    return race, back, partial(race_above, game, players)


def race_above(game, players, left, beaten):
    """The race of a last turn with so many points above the target to beat, after which so many players are left.

    Tables for the scores from any one on are as long as those from the target on, of which the shortest has `step`
    scores to beat. So they are made for multiples of that.
    """
    step = tables_of(game, players, 0)[0].ends[0, WIDTH]
    return tables_of(game, players, int(beaten // step * step))[2][left]


@lru_cache(maxsize=16)
def cuts_of(game, players):
    """How far above the target every hold is right, and the length of the tables of V, by the players to come.

    With a score e points above the target, or above the score to beat, a hold is right if the chances of those who move
    yet to spoil it sum to at most q·v. Here q is the least risk of a loss among gains and losses, and v the least that
    a loss leaves to the others: in a last turn of "last licks" all, 1, if no bust scores. Else, and in "equal turns",
    where races and last turns share the cuts, the next player alone has at least the chance to get some points above
    the target, and above what a bust scores, times the chances that the others do not spoil these. What is spoiled is
    beaten or, where equal scores share the win, drawn. These chances fall in e, so that the cuts are right for every
    score to beat. With modes without a hold, with q = 0, and in float64 where q·v is smaller, a hold is taken as right
    where that sum is at most 1e-20.

    Raises
    ------
    ValueError
        As :func:`~dicelab.games.absorption.risk_above`; in fractions, if v is 0 where the others' chances have no end.
    """
    n, draws = players, roles_of(game, players) > 1
    risk, forced = risk_above(game)
    race, _ = race_of(game, n)
    width, least = rules_of(game).beyond.shape[2], int(race.least_hold.max())
    risk = float(risk)
    depth = 4 * (game.longest + least + width + game.most_paid)
    while True:
        check_memory(
            8 * n * race.places * depth,
            f"following {game.name} above {game.target}",
            "take another finish",
        )
        alone = led_to(race, race.lead[:1], 0, race.cut, 0)
        chance = play_all(game, alone, depth, 1).reshape(race.places, depth, n)[..., 0]
        spoils = np.roll(chance, 1, axis=1) if draws else chance
        spoils[:, : int(draws)] = 1
        holds = 1 - spoils.max(axis=0)
        beats = max(1, game.most_paid)  # more than a bust reaches
        least_chance = [  # of the next player, by its place, if so many others come after
            (chance[:, beats - 1 : -1] * math.prod([holds[beats:]] * others, start=1)).max(axis=1)
            for others in range(n)
        ]
        cuts, likely = [race.cut], np.zeros((1, depth))
        for more in range(1, n):  # players who move yet
            likely = (likely[:, None] + spoils).reshape(-1, depth)  # at most
            v = 1 + 0 * chance[:, 0]
            if draws or more == n - 1 or game.most_paid:
                v = least_chance[n - 1 if draws or more == n - 1 else more - 1]
            enough = UNLIKELY + 0 * v if forced or not risk else risk * v
            enough = np.maximum(enough, UNLIKELY)
            enough = enough.repeat(race.places ** (more - 1))
            cuts.append((likely > enough[:, None]).sum(axis=1))
        sizes = [0]  # rows of `lead`, from the end
        for cut in reversed(cuts[1:]):
            sizes.append(sizes[-1] + int(max(cut.max(initial=0), least)) + width + 1 + draws)
        if sizes[-1] < depth:
            return cuts, [0, *sizes[:0:-1]]
        depth *= 2


def play_all(game, race, size, left):
    """V of all last turns, for so many scores to beat; see :func:`play_last_turns`."""
    n, beaten = race.players, size - race.ends[0, LEAD]
    above = beaten + int(race.cut.max() + race.least_hold.max())
    turn, piece = new_workspace(game, n, above)
    holders = n - left if race.draws else 1
    found = np.zeros((holders * race.places**left * size, n))
    fails = np.zeros((2, n))
    play_last_turns(rules_of(game), race, size, left, TIE, turn, piece, fails, found)
    return found


@lru_cache(maxsize=16)
def tables_of(game, players, first):
    """What :func:`last_turns_of` returns, with a list of races for so many points above the target to beat, and more.

    With more than 0 the first race is none.
    """
    race, back = race_of(game, players)
    if game.finish not in LAST_TURN:
        return race, back, []
    cuts, sizes = cuts_of(game, players)
    reach = rules_of(game).beyond.shape[2] if len(race.ends) > 1 else 0
    tables, races = [race.lead], []
    for left in range(1, players):
        part = tables[-1], sizes[left - 1], cuts[left - 1], left - 1
        races.append(led_to(race, *part, reach, first))
        if left < players - 1 or not first:
            tables.append(play_all(game, races[-1], sizes[left], left))
    if first:
        return None, back, races
    after = range(players)[::-1] if reach else [players - 1]  # a finish, by role
    alone = [tables[k][: race.places**k * max(sizes[k], 1)] for k in after]
    ends = np.zeros((len(after), 4), dtype=int)
    ends[:, LEFT], ends[:, WIDTH] = after, [sizes[k] for k in after]
    ends[1:, LEAD] = np.cumsum([len(part) for part in alone])[:-1]
    ends[1:, CUT] = np.cumsum([len(cuts[k]) for k in after])[:-1]
    race = race._replace(
        ends=ends, lead=np.concatenate(alone), cut=np.concatenate([cuts[k] for k in after])
    )
    return race, back, races


# Decisions


@shared
def best_choice(rules, turn, o, at, ties, tie):
    """The best choice of outcome `o`, rolled in column `at` of an evaluated turn."""
    best = rules.choices[o]
    for c in range(best + 1, rules.choices[o + 1]):
        one = turn[rules.mode[best], at - rules.points[best]]
        other = turn[rules.mode[c], at - rules.points[c]]
        if is_taken(other[0] - one[0], other[1] - one[1], ties, tie):
            best = c
    return best


@compiled
def decide_turns(rules, race, after, back, places, role, steep, tie, turn, piece, rolls, choices):
    """Fill in best decisions of T turns, for a table of the own chance after a turn.

    Parameters
    ----------
    rules : Rules
    race : Race
    after : ndarray (S**n, 2)
        Column 1: the own chance after a turn, by the places of the others in order of play and of the player.
    back : ndarray (S**(n - 1)·B, 2)
        The same after resets and penalties.
    places : ndarray of int (T, n)
        From the player to move on.
    role : int
    steep : ndarray of bool (T,)
        Whether to take, of actions of equal value, the one with the smaller L, instead of holding.
    tie : float
    turn, piece : ndarray
        Workspace: see :func:`new_workspace`, for 2 players.
    rolls : ndarray of bool (T, M, N)
        By turn total; True for the first roll and in modes without a hold, False from the target on.
    choices : ndarray of uint8 (T, B, N)
    """
    for t in range(len(places)):
        ties, start = STEEP if steep[t] else FLAT, start_of(race, places[t], role)
        fill_busted(race, after, back, start, places[t, 0], piece)
        asked = start, piece[1], ties, tie, turn, piece
        decide_turn(rules, race, after, back, asked, rolls[t], choices[t])


@compiled
def decide_turn(rules, race, after, back, asked, rolls, choices):
    """Fill in best decisions of one turn; see :func:`decide_turns`."""
    start, z, ties, tie, turn, piece = asked
    width = rules.beyond.shape[2]
    evaluate_turn(rules, race, after, back, start, z, ties, tie, turn, piece)
    for r in range(1 - start.edge, start.missing + 1):
        at, total = width - 1 + start.edge + r, start.missing - r
        row, above = start.row + (r - 1) * race.registers, start.lead - r * start.climb
        hold = -np.inf
        if r <= start.holds:
            hold = (after[row, 1] if r > 0 else race.lead[above, 1]) - z
        for m in range(len(rules.may_hold)):
            held = turn[m, at, 1] == 1.0 and turn[m, at, 0] == hold
            rolls[m, total] = not rules.may_hold[m] or total == 0 or not held
            if rules.stops[m] and total > 0:
                rolls[m, total] = False
        for o in range(len(rules.branch) if len(choices) else 0):
            if rules.branch[o] >= 0:
                choices[rules.branch[o], total] = (
                    best_choice(rules, turn, o, at, ties, tie) - rules.choices[o]
                )
    ended, above = turn[: len(rules.may_hold), width - 1], start.missing + start.edge
    leave = ended[:, 1] if ties == FLAT else -ended[:, 1]
    choose_above(rules, ended[:, 0], leave, tie, choices[:, above:])


def decide(game, players, after, positions, rolls, choices, bold=None, role=0, turns=None):
    """Fill in decisions, by places in ``game.scores``, (T, n) in order of play; see :func:`decide_turns`.

    A place S + k of another player stands for k points above the target. Then it is a last turn, and the largest score
    is to be beaten. Those who have a last turn yet are, in "equal turns", the players of higher roles, otherwise those
    before the first who has reached the target. `turns` are those of :func:`last_turns_of`, or what replaces them.
    """
    race, back, last_turns = turns or last_turns_of(game, players)
    steep = np.zeros(len(positions), dtype=bool) if bold is None else bold
    best = positions.max(axis=1)
    last = best >= race.places
    rules, ours = rules_of(game), places_of(game)
    tables = after, led_back(after, race, ours[back])
    now = ours[positions[~last]], role % len(race.ends), steep[~last], TIE
    workspace = new_workspace(game, 2, above=farthest(race))
    decided = rolls[~last], choices[~last]
    decide_turns(rules, own_chances(race), *tables, *now, *workspace, *decided)
    rolls[~last], choices[~last] = decided
    workspace, fails = new_workspace(game, 2, above=rolls.shape[-1]), np.zeros((2, 2))
    race_at = lru_cache(players)(lambda *asked: own_chances(last_turns(*asked)))
    for t in np.flatnonzero(last)[np.argsort(best[last], kind="stable")]:
        own, *others = positions[t].tolist()
        now, start = last_turn_asked(game, race_at, own, others, role, fails)
        if start.missing + start.edge > rolls.shape[-1]:
            raise ValueError(
                f"{game.name}: a last turn may go on farther than a policy can be told"
            )
        asked = start, fails[1, 1], STEEP if steep[t] else FLAT, TIE, *workspace
        decide_turn(rules, now, fails, fails, asked, rolls[t], choices[t])


def left_of(game, others, role):
    """How many of the others have a last turn after the one of a player in a role, by places in ``game.scores``."""
    before = len(list(takewhile(lambda place: place < len(game.scores), others)))
    return min(before, len(others) - role) if roles_of(game) > 1 else before


def last_turn_asked(game, race_at, own, others, role, fails):
    """The last turn of a player in a role, by places in ``game.scores``; see :func:`decide`.

    Returns
    -------
    race : Race
        What `race_at` returns, given how many have a last turn afterwards, and the points above the target to beat.
    start : Start
        See :func:`last_turn_at`, which also fills `fails`.
    """
    left, best, ours = left_of(game, others, role), max(others), places_of(game)
    beaten, reach = best - len(ours), rules_of(game).beyond.shape[2]
    race = race_at(left, beaten)
    several = (others.count(best) - 1) * bool(race.draws)
    row = row_of(race, [ours[place] for place in others[:left]])
    return race, last_turn_at(race, reach, ours[own], row, beaten, several, fails)


evaluate_compiled = compiled(evaluate_turn)


def action_chances(game, after, turns, own, others, bold, role):
    """Everybody's chances by action, at every turn total of one turn.

    Parameters
    ----------
    game : Game
    after : ndarray (m, …, m, n)
        Everybody's chances when the next player is about to move, from that one on, by the places in ``game.scores`` of
        the others in order of play and of the player to move.
    turns : tuple
        As :func:`last_turns_of` returns it.
    own : int
        A place in ``game.scores``.
    others : tuple of int
        The same in order of play.
    bold : bool
        Which of two turns the player to move goes on with, where the player mixes or is indifferent.
    role : int

    Returns
    -------
    hold, roll, best : ndarray
        In the shapes (totals, n + 1), (modes, totals, n + 1) and again: for turn totals from 0 on, to the most points
        of a roll beyond the target, the chances by seat, and the probability that the turn does not bust from here on.
        Holding is nan at 0.
    """
    n, rules, ours = after.shape[-1], rules_of(game), places_of(game)
    race, back, last_turns = turns
    if last := max(others) >= race.places:
        held = back = np.zeros((2, n))
        race, start = last_turn_asked(  # with rows to work in of its own
            game, lambda *asked: deepcopy(last_turns(*asked)), own, others, role, held
        )
        busted = held[1]
    else:
        row, place = row_of(race, ours[list(others)]), int(ours[own])
        now = role % len(race.ends)
        start = start_in(race, place, row, now, first_of(race, row, now))
        after = after[others].astype(float)
        held, back = np.ascontiguousarray(after[ours]), np.ascontiguousarray(after[back])
        start = start._replace(row=int(race.after_hold[place % race.registers]), back=race.reset)
        busted = np.zeros(n)
        fill_busted(race, held, back, start, place, busted)
    modes, ties = len(game.modes), STEEP if bold else FLAT
    turn, piece = new_workspace(game, n, above=start.missing + start.edge - game.longest)
    turn = np.concatenate([turn, turn])
    evaluate_compiled(rules, race, held, back, start, busted[-1], ties, TIE, turn, piece)
    after_bust, width = np.roll(busted, 1), rules.beyond.shape[2]  # by seat in this turn
    end = start.missing + start.edge

    def chances(pieces):  # column width - 1 + r is for r points to the edge
        chance = pieces[:, width - 1 + end :: -1].copy()
        safe = pieces[:, width - 1 + end :: -1, 1:2]
        chance[:, :, 0] += after_bust[0]
        chance[:, :, 1:n] = chance[:, :, 2:] + (1 - safe) * after_bust[1:]
        chance[:, :, n:] = safe
        return np.clip(chance, 0.0, 1.0)  # rounding: off by 1e-12

    best, roll = chances(turn[:modes]), chances(turn[modes:])
    hold = np.full((best.shape[1], n + 1), np.nan)
    for r in range(1 - start.edge, start.holds + 1):
        row, above = start.row + (r - 1) * race.registers, start.lead - r * start.climb
        hold[start.missing - r] = *np.roll(held[row] if r > 0 else race.lead[above], 1), 1.0
    hold[end:] = best[np.argmax(rules.may_hold), end:]
    if last:  # the players with the score to beat are put in their seats
        beaten = max(others)
        having = [1 + k for k in range(n - 1) if others[k] == beaten]
        having = having if race.draws else having[:1]
        for part in (hold, roll, best):
            each = part[..., n - 1].copy()
            part[..., 1 + left_of(game, others, role) : n] = 0.0
            part[..., having] = each[..., None]
    return hold, roll, best


# The best turns against fixed policies


@compiled
def respond_turns(
    rules, race, right, bust, leave, after_busts, draw, waits, back, turn, piece, after, chances
):
    """The best turns of one player in the cells of G registers of the others, against their fixed policies.

    After a bust of all of them, x = f(z) and z = constant + (1 - leave)·x′, where x is the own chance at the start of a
    turn, z after it, and x′ that of the cell to which these busts lead. We solve this by policy iteration from below,
    as for two players (:mod:`dicelab.evaluation.best_response`): from the share of endless play where all can wait for
    ever, which shows in the decisions that are best if busts are worth more than any end, and otherwise from 0.

    Parameters
    ----------
    rules : Rules
    race : Race
        With a finish by the cell of the others instead of their places.
    right, bust, leave : ndarray (G, S, n)
        Of a turn of player m: what is expected unless it busts, the probability of a bust, and 1 less that. All are by
        the own place.
    after_busts : ndarray of int (G, n)
        The registers of the others after a bust of player m.
    draw : float
        The own share of endless play.
    waits : bool
        Whether a player may be able to make sure never to finish.
    back : ndarray (G, B, 2)
        Column 1: the own chance after resets and penalties.
    turn, piece : ndarray
        Workspace: see :func:`new_workspace`, for 2 players.
    after : ndarray (G, S, 2)
        Column 1 is filled with z by the own place. Column 0 is workspace.
    chances : ndarray (G, S)
        Filled with x.

    Returns
    -------
    float
        The largest residual of x = f(z).
    """
    groups, registers = len(right), race.registers
    size = groups * registers
    constant, away, x = np.zeros(size), np.zeros(size), np.zeros(size)
    lands, onward, then, seen = np.zeros((4, size), dtype=np.int64)
    own, new, left = np.zeros((size, 1)), np.zeros((size, 1)), np.zeros(size)
    worst = 0.0
    for first in range(0, race.places, registers):
        for k in range(size):
            group, place, on = k // registers, first + k % registers, 1.0
            constant[k], away[k] = 0.0, 0.0
            for m in range(1, race.players):
                constant[k] += on * right[group, place, m]
                away[k] += on * leave[group, place, m]
                on *= bust[group, place, m]
                group = after_busts[group, m]
            lands[k], x[k] = group * registers + k % registers, MUCH if waits else 0.0
        tried = not waits
        while True:
            gap, gain = 0.0, 0.0
            for k in range(size):
                z = constant[k] + (1.0 - away[k]) * x[lands[k]]
                after[k // registers, first + k % registers, 1] = z
            for k in range(size):
                group, place = k // registers, first + k % registers
                start, held = start_in(race, place, 0, 0, group), after[group]
                busted, to = race.after_bust[place], -1
                if race.number[place] < 0 and busted >= first:  # it keeps the points
                    to = group * registers + busted % registers
                    z = constant[to] + (1.0 - away[to]) * x[lands[to]]
                else:
                    fill_busted(race, held, back[group], start, place, piece)
                    z = piece[1]
                evaluate_turn(rules, race, held, back[group], start, z, FLAT, 0.0, turn, piece)
                gap = max(gap, abs(piece[0] + (1.0 - piece[1]) * z - x[k]))
                own[k, 0], left[k], onward[k] = piece[0] + (1.0 - piece[1]) * z, 1.0, -1
                if to >= 0:
                    own[k, 0], left[k] = joined(piece[0], piece[1], constant[to], away[to])
                    onward[k] = then[k] = lands[to]
            close_chains(own, left, onward, seen, new)
            if not tried:
                for k in range(size):
                    x[k] = draw if np.isnan(new[k, 0]) and onward[k] >= 0 else 0.0
                tried = True
                continue
            for k in range(size):
                if np.isnan(new[k, 0]):  # nobody leaves the cycle to which it leads
                    new[k, 0] = own[k, 0] + (1.0 - left[k]) * x[then[k]]
                if new[k, 0] > x[k]:
                    gain = max(gain, new[k, 0] - x[k])
            if gain <= CLOSE:
                break
            for k in range(size):
                if new[k, 0] > x[k]:
                    x[k] = new[k, 0]
        worst = max(worst, gap)
        for k in range(size):
            chances[k // registers, first + k % registers] = x[k]
    return worst
