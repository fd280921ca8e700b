"""Three players and more: an equilibrium of the race, by tuples of needs solved backwards from the target.

The n players sit in order of play, and everybody maximizes the own probability to win. A *position* is the tuple of the
points that the players still need, beginning with the player to move. V(a₀, …, aₙ₋₁) is the vector of the chances to
win by seat, that of the player to move first. A strategy tells what to do at every position and turn total; it looks at
the position, not at who sits where. An *equilibrium* is a strategy from which nobody gains by deviating, in any turn.

One turn
--------
A hold with r points missing leads to the position (a₁, …, aₙ₋₁, r), a bust to the rotation (a₁, …, aₙ₋₁, a₀), a reset
to (a₁, …, aₙ₋₁, N). So a turn that is played by fixed decisions gives the player to move A + (1 - L)·z, where z is the
own chance after a bust (the *bust value*) and L the probability that the turn does not bust, and it gives seat q the
chance c(q) + (1 - L)·(the chance of seat q after the bust). The best decisions depend on z alone, and

    f(z) = max over decisions of A + (1 - L)·z                                                                     (1)

is convex, nondecreasing and piecewise linear. We call (A, L, c(1), …, c(n - 1)) a *piece*: on it the decisions are the
same, and so is everybody's vector c. Where two pieces meet the player to move is indifferent; the others need not be.

One tuple
---------
Holds lead to tuples of a smaller sum, which are solved before. The n rotations of a tuple lead to each other by busts.
Let player i be the one who moves in rotation i. With a piece chosen for every player,

    V of player p in rotation i = Σ over k = 0, …, n - 1 of  (1 - Lᵢ)···(1 - Lᵢ₊ₖ₋₁)·cᵢ₊ₖ(p)  /  (1 - Π (1 - Lⱼ)),   (2)

indices modulo n, where cᵢ(p) is what player i's piece gives to player p, and cᵢ(i) = Aᵢ. The pieces are an equilibrium
of the tuple if every player's bust value zᵢ, the chance of player i in rotation i + 1 by (2), lies on the player's own
piece. With two players the chances add up to 1, z decides about both, and there is exactly one equilibrium. With three
there may be several, or none in pure strategies: what player i does changes how the *other two* share the rest.

**All equilibria in pure strategies are found, up to ties.** Every chance is in [0, 1], and they add up to 1. From
bounds on the zᵢ, one pass over each turn gives bounds on all chances after it: the pass leaves open only the decisions
that differ between the bounds (:func:`narrow`). We repeat this until no decision is left open, or a round makes the
widest bounds narrower by less than 1 %, at most ROUNDS times. At all but 148 of 333,400 tuples of Pig to 100 no
decision is left open, and the equilibrium is unique, mixed ones included. For the others we list the pieces between the
bounds (:func:`find_pieces`), drop those that no bust value can reach, and try every combination by (2), of which there
are finitely many; a turn with more than MOST_PIECES pieces is refused. So the count is of equilibria in pure
strategies; a tuple with one may have mixed ones, too, as (34, 72, 50) in Pig. Of decisions that are tied on a whole
piece, and of several that are tied at one breakpoint, only one or two ways to break the tie are tried.

**Existence.** Let a player at z mix between the pieces that are best at z: this set is convex and depends on z upper
semicontinuously, and z depends on the mixtures continuously wherever some turn may end without a bust. By Kakutani's
theorem (1941) the map from mixtures to best mixtures has a fixed point; if rotations of the tuple are the same position
we restrict it to the strategies that are the same there. So if no combination of pieces is an equilibrium there is one
in which players mix, at bust values t where two neighbouring pieces meet (:func:`solve_mixture`). Whether z of player i
is t does not depend on the own mixture, as both pieces are equally good at t; it is a condition on the shares of the
others, linear in each. So one player who mixes alone would need a coincidence, and in general at least two do. A
mixture of two pieces is played by choosing one of two turns at the start. The shares solve polynomial equations, by
Newton's method from three starts, STEPS steps each.

**What is guaranteed.** An equilibrium exists where mixtures are looked for, but Newton's method need not find it, and
mixtures of more than two pieces are not tried: then the solver raises. What it returns is checked: the residual is the
most that one player gains by another action at any position, and above 1e-13 it is refused.

**Several.** If there are several, `prefer` decides which one is taken at every tuple: "cautious", the one in which all
players together bust with the smallest probability Π (1 - Lᵢ), or "bold", the largest; if these are equal, the one in
which the first player, or the first who differs, busts with the smallest or the largest probability. "First" counts
from the smallest rotation of the tuple. Between two equilibria in pure strategies there is usually one in which two
players mix; :func:`list_equilibria` lists all. There are two kinds. In Pig with (35, 55, 55) points missing both who
need 55 hold at 25, or both at 26: if one busts more often the bust value of the other is larger, and a bust hurts less.
With (43, 43, 50) one of those who need 43 rolls until the finish and the other holds at 22, whichever is which: if one
runs, the bust value of the other is smaller, and caution is better.

**Endless play**, with the target to be hit exactly, counts 1/n for each.

**Registers.** A bust may change the register of the player, so that busts lead from a tuple through several positions
with the same needs. They come back to some of these, on cycles of C positions, C a multiple of n; on each, (2) and all
that follows hold with C instead of n. Without registers there is one cycle, of the n rotations. From the other
positions a bust leads to what is solved already, so that z is known, and a best turn is an equilibrium.

**Last turns**: :mod:`dicelab.solvers.turn`. In "equal turns" a position also has the *role* of the player to move, the
place in the round; the n rotations of a tuple have different roles.

**Resets and penalties** lead out of the tuple. The values of the positions to which they lead are iterated to a fixed
point, as for two players; in fractions they follow from the policy in float64
(:func:`dicelab.solvers.rational.values_led_back`), and one sweep must find them again. The verdicts are then about each
cycle, given these values.

The same functions do the work in float64, compiled, and in fractions, as they stand (`exact`), with a tie of 0. There
bounds are rounded outwards, to short fractions.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from .._accuracy import (
    RAREST,
    ROUNDING,
    ConvergenceError,
    check_residual,
    check_told_apart,
    settle,
)
from .._compile import bare, shared
from .._exact import as_exact
from .._limits import THREADS, check_memory, progress
from .._numbers import Number
from .._shown import title_of
from ..games.absorption import may_be_endless
from ..games.model import roles_of
from ..games.positions import classes_of
from ..solution import OptimalPolicy, Solution
from ._kernels import rules_of
from .turn import (
    FLAT,
    OTHER,
    STEEP,
    TIE,
    arithmetic,
    bound_turn,
    decide,
    decide_turn,
    evaluate_turn,
    farthest,
    fill_busted,
    last_turns_of,
    led_back,
    new_workspace,
    own_chances,
    placed,
    places_of,
    row_of,
    start_of,
)

__all__ = ["solve_players"]

ROUNDS = 60  # of narrowing the bounds; a few suffice, more where turns nearly always bust
SHRINKS = 0.99  # the factor by which a round must shrink the widest bounds, or it is the last
GRID = 2**40  # denominators of bounds in fractions
MOST_PIECES = 400  # of one turn; usual are as many as turn totals, times modes
MOST_EQUILIBRIA = 64  # of one tuple that are told apart
STEPS = 50  # of Newton's method for a mixture


class Room(NamedTuple):
    """Workspace for one cycle of C positions of n players: float64, or objects for fractions.

    Without registers these are the n rotations of a tuple.
    """

    turn: np.ndarray  # (M, P + N, n + 1) by mode and total: W - z, L, and c of seats 1, …, n - 1
    bounds: np.ndarray  # (M, P + N, 2·n) the least and the largest chance of every seat
    best: np.ndarray  # (2·n,) those of the choices of one outcome, and of a whole turn
    low: np.ndarray  # (C, n) bounds on the chance of seat s in position i
    high: np.ndarray  # (C, n)
    pieces: np.ndarray  # (C, K, n + 3) A, L, c(1), …, c(n - 1), and for which z the piece is best
    first: np.ndarray  # (C,) int: the pieces that are left in position i are first[i], …
    last: np.ndarray  # (C,) int: … last[i]
    option: np.ndarray  # (C,) int: 2·k is piece k, 2·k + 1 a mixture of k and k + 1
    share: np.ndarray  # (C,) of the upper piece in a mixture
    played: np.ndarray  # (C, n + 1) A, L and c of the piece or mixture in every position
    chance: np.ndarray  # (C, n) the chance of seat s in position i, by (2)
    taken: np.ndarray  # (C, n + 2) of the equilibrium that is taken: see `note`
    known: np.ndarray  # (E, C, n + 2) of all equilibria
    system: np.ndarray  # (C, C + 1) linear equations
    places: np.ndarray  # (C, n) int: of the players in every position, from the mover on


class Found(NamedTuple):
    """What is found for T cycles of C positions."""

    equilibria: np.ndarray  # (T,) int: in pure strategies; or as in :func:`raise_for`
    mixing: np.ndarray  # (T,) int: in how many positions players mix
    share: np.ndarray  # (T, C) of the upper piece; 0 unless a player mixes, or is indifferent
    spread: np.ndarray  # (T,) the largest difference of a chance between two equilibria
    kingmaking: np.ndarray  # (T,) the largest effect of an indifferent player on another's chance
    gain: np.ndarray  # (T,) the most that another decision gains, up to rounding 0


def new_room(game, players, kind, size, above=0):
    """An empty workspace for cycles of so many positions; `kind` is float or object.

    Turns may go on to so many points above the target.
    """
    n, modes = players, len(game.modes)
    width = game.most_points + game.longest + above
    whole = {"first", "last", "option", "places"}
    shapes = {
        "turn": (modes, width, n + 1),
        "bounds": (modes, width, 2 * n),
        "best": (2 * n,),
        "pieces": (size, MOST_PIECES, n + 3),
        "played": (size, n + 1),
        "system": (size, size + 1),
        "taken": (size, n + 2),
        "known": (MOST_EQUILIBRIA, size, n + 2),
    } | dict.fromkeys(("low", "high", "chance", "places"), (size, n))
    return Room(
        *(np.zeros(shapes.get(f, size), dtype=int if f in whole else kind) for f in Room._fields)
    )


# One cycle


@shared
def narrow(rules, race, values, back, tie, room):
    """Bound the chances of all players in all positions of a cycle; see the page above."""
    size, n = room.places.shape
    low, high = room.low, room.high
    nothing = 0 * rules.bust[0]
    low[:], high[:] = nothing, 1 + nothing
    before, slack = np.inf, tie / 10 if tie > 0 else tie  # for rounding: the chances stay between
    for _ in range(ROUNDS):
        open_ones, width = 0, nothing
        for i in range(size - 1, -1, -1):
            j, start = (i + 1) % size, start_of(race, room.places[i], i % len(race.ends))
            open_ones += bound_turn(
                rules, race, values, back, start, low[j], high[j], tie, room.bounds, room.best
            )
            lows, highs = nothing, nothing
            for s in range(n):
                low[i, s] = max(low[i, s], room.best[s] - slack)
                high[i, s] = min(high[i, s], room.best[n + s] + slack)
                lows, highs = lows + low[i, s], highs + high[i, s]
            for s in range(n):  # all chances add up to 1
                least = 1 - (highs - high[i, s]) - slack
                most = 1 - (lows - low[i, s]) + slack
                low[i, s] = shorter(max(low[i, s], least), 1, tie)
                high[i, s] = shorter(min(high[i, s], most), -1, tie)
                width = max(width, high[i, s] - low[i, s])
        if open_ones == 0 or width <= tie or width > SHRINKS * before:
            break  # at a tie the bounds meet with a decision open
        before = width


@shared
def shorter(bound, sign, tie):
    """A bound in fractions, rounded to a short one, down or, with the sign -1, up; in float64, with a tie, it stays."""
    if tie > 0:
        return bound
    return sign * (0 * bound + sign * bound * GRID // 1) / GRID


@shared
def share_bounds(room, period):
    """Give the same positions the same bounds, so that their players have the same pieces."""
    size, n = room.low.shape
    for i in range(size - period):
        for s in range(n):
            low = max(room.low[i, s], room.low[i + period, s])
            high = min(room.high[i, s], room.high[i + period, s])
            for k in range(i % period, size, period):
                room.low[k, s], room.high[k, s] = low, high


@shared
def find_pieces(rules, race, values, back, tie, room):
    """List the pieces between the bounds, from the left to the right; False if there is no room for all of them."""
    size, n = room.places.shape
    for i in range(size):
        j, start = (i + 1) % size, start_of(race, room.places[i], i % len(race.ends))
        pieces, count = room.pieces[i], 0
        z, end = room.low[j, n - 1] - tie, room.high[j, n - 1] + tie
        while count == 0 or z < end:
            if count == len(pieces):
                return False
            piece = pieces[count]
            ties = STEEP if count else FLAT
            evaluate_turn(rules, race, values, back, start, z, ties, tie, room.turn, piece)
            piece[n + 1], z = z, piece[n + 2]
            here, before = pieces[count : count + 1, : n + 1], pieces[count - 1 : count, : n + 1]
            if count and largest_difference(here, before) <= tie:
                pieces[count - 1, n + 2] = z  # they differ where the turn does not get to
            else:
                count += 1
        room.first[i], room.last[i] = 0, count - 1
    return True


@shared
def drop_pieces(room, period, tie):
    """Drop the pieces that no bust value can reach, with bounds from those that are left, until all may be reached."""
    size, n = room.low.shape
    low, high, more = room.low, room.high, True
    while more:
        more = False
        for i in range(size - 1, -1, -1):
            j = (i + 1) % size
            for q in range(n):
                s = (q - 1) % n
                least, most = np.inf, -np.inf
                for k in range(room.first[i], room.last[i] + 1):
                    piece = room.pieces[i, k]
                    c, on = piece[0 if q == 0 else q + 1], 1 - piece[1]
                    least, most = min(least, c + on * low[j, s]), max(most, c + on * high[j, s])
                low[i, q], high[i, q] = max(low[i, q], least), min(high[i, q], most)
        share_bounds(room, period)
        for i in range(size):
            least = room.low[(i + 1) % size, n - 1] - tie
            most = room.high[(i + 1) % size, n - 1] + tie
            while room.first[i] < room.last[i] and room.pieces[i, room.first[i], n + 2] < least:
                room.first[i], more = room.first[i] + 1, True
            while room.first[i] < room.last[i] and room.pieces[i, room.last[i], n + 1] > most:
                room.last[i], more = room.last[i] - 1, True


@shared
def list_pieces(rules, race, values, back, period, tie, room):
    """List the pieces that some bust value can reach; False if there is no room for all of them."""
    narrow(rules, race, values, back, tie, room)
    share_bounds(room, period)
    if not find_pieces(rules, race, values, back, tie, room):
        return False
    drop_pieces(room, period, tie)
    return True


@shared
def play_option(room, i):
    """Fill in what is played in position i by ``room.option`` and ``room.share``."""
    k = room.option[i] // 2
    for v in range(room.played.shape[1]):
        room.played[i, v] = room.pieces[i, k, v]
        if room.option[i] % 2:
            room.played[i, v] += room.share[i] * (room.pieces[i, k + 1, v] - room.played[i, v])


@shared
def expected(room, i, s, turns):
    """What seat s in position i gets of so many turns from there on, and the probability that all of them bust."""
    size, n = room.low.shape
    total, on = 0 * room.played[0, 1], 1 + 0 * room.played[0, 1]
    for k in range(turns):
        j, seat = (i + k) % size, (s - k) % n
        total += on * room.played[j, 0 if seat == 0 else seat + 1]
        on *= 1 - room.played[j, 1]
    return total, on


@shared
def play_options(room):
    """Fill ``room.played`` by ``room.option`` and ``room.share``, and ``room.chance`` by (2); return Π (1 - Lᵢ)."""
    size, n = room.low.shape
    stay, leave = 1 + 0 * room.played[0, 1], 0 * room.played[0, 1]
    for i in range(size):
        play_option(room, i)
        leave += stay * room.played[i, 1]
        stay *= 1 - room.played[i, 1]
    for i in range(size):
        for s in range(n):
            total, _ = expected(room, i, s, size)
            room.chance[i, s] = total / leave if leave > 0 else 1 / (n + leave)
    return stay


@shared
def is_equilibrium(room, tie):
    """Whether every player's bust value is on the piece that the player is on; of a mixture, at its end."""
    size, n = room.low.shape
    for i in range(size):
        piece = room.pieces[i, room.option[i] // 2]
        least = piece[n + 1 + room.option[i] % 2]
        if not least - tie <= room.chance[(i + 1) % size, n - 1] <= piece[n + 2] + tie:
            return False
    return True


@shared
def is_preferred(room, ahead, bold, tie):
    """Whether the equilibrium in the workspace, whose Π (1 - Lᵢ) is larger by `ahead`, is preferred to that taken."""
    size, n = room.low.shape
    for i in range(size):
        if abs(ahead) <= tie:
            ahead = 1 - room.played[i, 1] - room.taken[i, n]
    return abs(ahead) > tie and (ahead > 0) == bold


@shared
def note(room, noted, tie):
    """Note the equilibrium in the workspace: in every position the chances, 1 - L, and the share of the upper piece.

    That is 1 at the start of a piece, where the piece before is as good.
    """
    size, n = room.low.shape
    for i in range(size):
        for s in range(n):
            noted[i, s] = room.chance[i, s]
        k, z = room.option[i] // 2, room.chance[(i + 1) % size, n - 1]
        upper = k > room.first[i] and z <= room.pieces[i, k, n + 1] + tie
        noted[i, n] = 1 - room.played[i, 1]
        noted[i, n + 1] = room.share[i] if room.option[i] % 2 else (1 if upper else 0) + 0 * z


@shared
def find_equilibria(room, period, step, bold, half, tie, count, every):
    """Try all combinations of pieces, list in ``room.known`` the equilibria with different chances, and take one.

    Parameters
    ----------
    room : Room
    period : int
    step : int
        2 for pure strategies; 1 for mixtures alone, of which the one is taken in which the fewest players mix.
    bold : bool
    half : float or Fraction
    tie : float
    count : int
        How many are listed already.
    every : bool
        Whether mixtures of more players than in the one that is taken are listed, too.

    Returns
    -------
    count : int
        How many there are.
    spread : float
        The largest difference of a chance between two of them.
    mixing : int
        In how many positions players mix in the one that is taken; 0 if there is none.
    """
    size = len(room.first)
    fewest = size + 1
    # Of Newton's method for a mixture: 1/2, 1/20, 19/20.
    begins = half, half / 10, half * 18 / 10 + half / 10
    spread = stays = 0 * half
    total = 1
    for i in range(period):
        total *= 2 * (room.last[i] - room.first[i]) // step + 1
    room.share[:] = 0 * half
    for number in range(total):
        rest, mixing = number, 0
        for i in range(size):  # positions `period` apart are the same
            if i < period:
                several = 2 * (room.last[i] - room.first[i]) // step + 1
                room.option[i] = 2 * room.first[i] + rest % several * step
                rest //= several
            else:
                room.option[i] = room.option[i - period]
            mixing += room.option[i] % 2
        mixed = mixing > 0 and (every or mixing <= fewest)
        for start in range(1 if step == 2 else 3 if mixed else 0):
            if mixed and not solve_mixture(room, period, begins[start], tie):
                continue
            stay = play_options(room)
            if is_equilibrium(room, tie):
                if mixing < fewest or is_preferred(room, stay - stays, bold, tie):
                    fewest, stays = mixing, stay
                    note(room, room.taken, tie)
                new = count < len(room.known)
                for e in range(count):
                    apart = largest_difference(room.known[e], room.chance)
                    new, spread = new and apart > tie, max(spread, apart)
                if new:
                    note(room, room.known[count], tie)
                    count += 1
            if mixing <= 2:  # the equations are linear
                break
    return count, spread, fewest if fewest <= size else 0


@shared
def largest_difference(first, second):
    """The largest difference of a matrix, and what is in the same places of another one."""
    largest = abs(first[0, 0] - second[0, 0])
    for i in range(second.shape[0]):
        for s in range(second.shape[1]):
            largest = max(largest, abs(first[i, s] - second[i, s]))
    return largest


@shared
def mixture_excess(room, i):
    """By how much the bust value in position i, of a mixture, is above the end of the piece.

    It is linear in the share of every other position.
    """
    size, n = room.low.shape
    piece = room.pieces[i, room.option[i] // 2]
    total, on = expected(room, i + 1, n - 1, size - 1)
    return total + on * (piece[0] + (1 - piece[1]) * piece[n + 2]) - piece[n + 2]


@shared
def bound_shares(room, tie):
    """Whether all shares are in [0, 1], up to the tie; they are rounded to it."""
    for i in range(len(room.share)):
        if not -tie <= room.share[i] <= 1 + tie:
            return False
        room.share[i] = min(max(room.share[i], 0 * room.share[i]), 1 + 0 * room.share[i])
    return True


@shared
def solve_mixture(room, period, begin, tie):
    """Find the shares at which all players who mix are indifferent, by Newton's method; whether they are in [0, 1].

    The derivative by each share is a difference, exactly, as the excess is linear in it. With two who mix in different
    rotations one step is enough; it is exact in fractions.
    """
    size, system = len(room.first), room.system
    for i in range(size):
        room.share[i] = begin if room.option[i] % 2 else 0 * begin
    for _ in range(STEPS if tie > 0 else 3):
        worst = 0 * begin
        for i in range(size):
            play_option(room, i)
        for a in range(period):
            system[a, : period + 1] = 0 * begin
            if room.option[a] % 2 == 0:
                system[a, a] = 1 + 0 * begin
                continue
            excess = mixture_excess(room, a)
            worst, system[a, period] = max(worst, abs(excess)), excess
            for j in range(size):
                if room.option[j] % 2 and j != a:
                    kept, above = room.share[j], 0 * begin
                    for share in (1, 0):
                        room.share[j] = share + 0 * begin
                        play_option(room, j)
                        above = mixture_excess(room, a) - above
                    system[a, j % period] -= above
                    room.share[j] = kept
                    play_option(room, j)
        if worst <= tie / 100:
            return bound_shares(room, tie)
        for a in range(period):  # elimination
            pivot = a
            for b in range(a + 1, period):
                if abs(system[b, a]) > abs(system[pivot, a]):
                    pivot = b
            if system[pivot, a] == 0:
                return False
            for k in range(period + 1):
                system[a, k], system[pivot, k] = system[pivot, k], system[a, k]
            for b in range(period):
                factor = system[b, a] / system[a, a] if b != a else 0 * begin
                for k in range(a, period + 1):
                    system[b, k] -= factor * system[a, k]
        for i in range(size):
            room.share[i] -= system[i % period, period] / system[i % period, i % period]
    return False


@shared
def effect_of_ties(rules, race, values, back, tie, room):
    """The largest effect that a player who is indifferent in the taken equilibrium has on another player's chance."""
    size, n = room.places.shape
    largest = 0 * room.low[0, 0]
    for i in range(size):
        j, start = (i + 1) % size, start_of(race, room.places[i], i % len(race.ends))
        z = room.taken[j, n - 1]
        for ties in (FLAT, STEEP, OTHER):
            first, other = room.pieces[i, FLAT], room.pieces[i, ties]
            evaluate_turn(rules, race, values, back, start, z, ties, tie, room.turn, other)
            for q in range(1, n):
                change = first[1 + q] - other[1 + q] + (other[1] - first[1]) * room.taken[j, q - 1]
                largest = max(largest, abs(change))
    return largest


@shared
def period_of(places, roles):
    """After how many positions a cycle is the same again, where the needs of some players are the same."""
    size = len(places)
    for d in range(1, size):
        repeats = size % d == 0 and d % roles == 0
        if repeats and largest_difference(places[d:], places[: size - d]) == 0:
            return d
    return size


@shared
def set_places(race, needs, registers, i, places):
    """Fill in the places of the players, with these needs in order of play, in rotation i, from the mover on."""
    n = len(needs)
    for k in range(n):
        places[k] = (needs[(i + k) % n] - 1) * race.registers + registers[k]


@shared
def solve_tuples(rules, race, values, back, tuples, registers, bold, tie, half, room, found):
    """Solve cycles that do not depend on each other: fill `found` and, in all their positions, `values`.

    Parameters
    ----------
    rules : Rules
    race : Race
    values, back : ndarray
        See :func:`evaluate_turn`; all positions with a smaller sum are filled in.
    tuples : ndarray of int (T, n)
        The needs in the first positions of the cycles.
    registers : ndarray of int (C, n)
        In all positions of every cycle, from the mover on.
    bold : bool
        Which of several equilibria is taken.
    tie : float
    half : float or Fraction
    room : Room
    found : Found
    """
    size, n = registers.shape
    for t in range(len(tuples)):
        for i in range(size):
            set_places(race, tuples[t], registers[i], i, room.places[i])
        period = period_of(room.places, len(race.ends))
        if not list_pieces(rules, race, values, back, period, tie, room):
            found.equilibria[t] = -1
            continue
        count, spread, mixing = find_equilibria(room, period, 2, bold, half, tie, 0, False)
        if count == 0:
            _, _, mixing = find_equilibria(room, period, 1, bold, half, tie, 0, False)
        found.equilibria[t], found.mixing[t], tied = count, mixing, 0
        found.spread[t] = spread if count > 1 else 0 * spread
        if count == len(room.known) or count + mixing == 0:
            found.equilibria[t] = -3 if count else -2
            continue
        for i in range(size):
            found.share[t, i] = room.taken[i, n + 1]
            places, role = room.places[i], i % len(race.ends)
            row, start = row_of(race, places, role), start_of(race, places, role)
            for s in range(n):
                values[row, s] = room.taken[i, s]
            z, piece = room.taken[(i + 1) % size, n - 1], room.pieces[i, 0]
            tied += evaluate_turn(rules, race, values, back, start, z, FLAT, tie, room.turn, piece)
            gain = piece[0] + (1 - piece[1]) * z - room.taken[i, 0]
            found.gain[t] = max(found.gain[t], abs(gain))
        if tied:
            found.kingmaking[t] = effect_of_ties(rules, race, values, back, tie, room)


@shared
def follow_tuples(rules, race, values, back, tuples, registers, tie, room):
    """Solve the positions that are on no cycle: from each a bust leads to what is known.

    Parameters
    ----------
    rules, race, values, back, tuples, tie, room
        See :func:`solve_tuples`.
    registers : ndarray of int (Q, n)
        Of all such positions, in the order of the work.
    """
    n, places = race.players, room.places[0]
    piece, busted = room.pieces[0, 0], room.best
    for t in range(len(tuples)):
        for q in range(len(registers)):
            for i in range(n):
                set_places(race, tuples[t], registers[q], i, places)
                role = i % len(race.ends)
                row, start = row_of(race, places, role), start_of(race, places, role)
                fill_busted(race, values, back, start, places[0], busted)
                z = busted[n - 1]
                evaluate_turn(rules, race, values, back, start, z, FLAT, tie, room.turn, piece)
                values[row, 0] = piece[0] + (1 - piece[1]) * z
                for s in range(1, n):
                    values[row, s] = piece[1 + s] + (1 - piece[1]) * busted[s - 1]


solve_compiled, follow_compiled = bare(solve_tuples), bare(follow_tuples)


# The race


def tuples_of(longest, players, roles=1):
    """All tuples of needs, (T, n), by their sums; without roles up to rotation, each from its smallest rotation on."""
    needs = np.indices((longest,) * players).reshape(players, -1).T + 1
    weights = (longest + 1) ** np.arange(players)[::-1]
    number = needs @ weights
    smallest = np.all(
        [number <= np.roll(needs, -s, axis=1) @ weights for s in range(1, players)], axis=0
    )
    needs = needs[smallest | (roles > 1)]
    return np.ascontiguousarray(needs[np.argsort(needs.sum(axis=1), kind="stable")])


class Cycles(NamedTuple):
    """The cycles on which busts lead from T tuples of needs, with C positions each."""

    tuples: np.ndarray  # (T, n) int: the needs in the first position
    registers: np.ndarray  # (C, n) int: in all positions, from the mover on


def cycles_of(game, players, tuples):
    """All :class:`Cycles`, a list, and the registers of the positions that are on none, (Q, n), in order of the work.

    A cycle of classes goes round until it comes back to the same player. If a tuple is the same after p of its n
    rotations, cycles that begin in rotations p apart are the same.
    """
    classes, n = classes_of(game, players), players
    roles, size = len(classes.next_role), len(classes.after_hold)
    role, *registers = np.unravel_index(classes.order, (roles, *(size,) * n))
    registers = np.array(registers).T
    same = np.array(
        [np.all(tuples == np.roll(tuples, -d, axis=1), axis=1) for d in range(1, n + 1)]
    )
    periods = same.argmax(axis=0) + 1 if roles == 1 else np.full(len(tuples), n)
    cycles, loose = [], [np.zeros((0, n), dtype=int)]
    for first, last, cyclic in zip(classes.steps, classes.steps[1:], classes.cyclic, strict=False):
        now = registers[first:last]
        if not cyclic:
            loose.append(now[role[first:last] == 0])  # the same in all roles
            continue
        size, begins = last - first, np.flatnonzero(role[first:last] == 0)[0]
        around = now[(begins + np.arange(math.lcm(size, n))) % size]
        for begin in range(1 if roles > 1 else math.gcd(size, n)):
            new = np.array([begin < math.gcd(size, p) for p in periods.tolist()])
            cycles.append(Cycles(np.roll(tuples[new], -begin, axis=1), around))
    none = Cycles(tuples[:0], np.zeros((n, n), dtype=int))  # where every bust costs points
    return cycles or [none], np.concatenate(loose)


def players_bytes(game, players):
    """About the memory that the solution takes at its peak."""
    n, registers = players, len(game.registers) or 1
    size, modes = len(game.scores) ** n, len(game.modes)
    rooms = THREADS * n * (MOST_PIECES * (n + 3) + 4 * modes * (game.longest + game.most_points))
    return 8 * (size * (3 * n + 3) + size * (2 * n + 6) // n + rooms * registers**n)


def solve_players(game, players, exact=False, prefer="cautious", known=None):
    """Find an equilibrium of the race of three and more players; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
    players : int
        n, at least 2.
    exact : bool
        In fractions.
    prefer : {"cautious", "bold"}
        Which of several equilibria of a tuple is taken.
    known : ndarray, optional
        In fractions, the values after resets and penalties, as :func:`led_back` gives them, in one row.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If a match with registers need not end.
    NotImplementedError
        In fractions, if an equilibrium with rational chances is not found.
    ConvergenceError
        If no equilibrium of a tuple is found, somebody could gain more than 1e-13 by another decision, the values
        after resets and penalties do not settle, or an outcome is too rare for float64.
    MemoryError
        Beforehand, if the solution would take more than half of the memory.
    """
    goes_back = game.resets or game.has_penalties
    n, target, roles = players, game.target, roles_of(game, players)
    if not exact and (game.registers or game.resets):
        check_told_apart(game, RAREST)
    if game.registers and may_be_endless(game):
        raise ValueError(
            f"{game.name}: a player can make sure never to finish, so that a match need not end, and there may be any"
            " number of equilibria"
        )
    check_memory(
        players_bytes(game, n),
        f"solving {game.name} to {target} for {n} players",
        "take a smaller target, or fewer players",
    )
    tuples = tuples_of(game.longest, n, roles)
    race, back, _ = last_turns_of(game, n, exact)
    cycles, loose = cycles_of(game, n, tuples)
    found, worst = None, 0
    values = np.zeros((roles * race.places**n, n), dtype=object if exact else float)
    back = places_of(game)[back]

    def sweep(known):
        nonlocal found, worst
        found = sweep_tuples(
            game, race, tuples, cycles, loose, values, known.reshape(-1, n), prefer == "bold", exact
        )
        change = led_back(values, race, back).ravel() - known
        worst = abs(change).max()
        return change

    start = known
    if known is None:
        start = np.full_like(led_back(values, race, back).ravel(), 0 if exact else 1.0 / n)
    change = sweep(start)
    if known is not None and worst:
        raise ConvergenceError(
            f"{game.name}: what resets and penalties are worth is not what an equilibrium makes of it"
        )
    if goes_back and known is None:
        settle(sweep, start + change, game)  # the last sweep is that of the values that it returns
    found = [Found(*map(as_exact, part)) for part in found]
    residual = max(max(part.gain.max(initial=0) for part in found), worst if goes_back else 0)
    check_residual(game, residual)
    error = 0.0 if exact else ROUNDING * (n * target) ** 0.5 + residual
    after = np.stack([np.zeros(len(values)), values[:, n - 1].astype(float)], axis=1)
    shares = shares_of(race, cycles, found, places_of(game))
    by_scores = placed(game, n, as_exact(values)).reshape(
        (roles,) * (roles > 1) + (race.places,) * n + (n,)
    )
    return Solution(
        game=game,
        objective="win",
        players=n,
        values=by_scores if n > 2 else by_scores[..., 0],
        policy=OptimalPolicy(
            game,
            partial(decide, game, n, after),
            f"{prefer} equilibrium",
            farthest(race),
            players=n,
            bold_shares=shares,
        ),
        exact=exact,
        residual=residual,
        error=error,
        prefer=prefer,
        list_equilibria=list_equilibria,
        cycles=tuple(zip(cycles, found, strict=True)),
    )


def sweep_tuples(game, race, tuples, cycles, loose, values, back, bold, exact):
    """Solve all positions, given the values after resets and penalties: fill `values`.

    Returns
    -------
    list of Found
        By `cycles`.
    """
    n, kind = race.players, values.dtype
    solve, follow = (solve_tuples, follow_tuples) if exact else (solve_compiled, follow_compiled)
    rules, tie, half = arithmetic(game, exact)
    found = [
        Found(
            *np.zeros((2, len(part.tuples)), dtype=int),
            np.zeros((len(part.tuples), len(part.registers)), dtype=kind),
            *np.zeros((3, len(part.tuples)), dtype=kind),
        )
        for part in cycles
    ]
    sums = np.arange(n, n * game.longest + 2)
    starts = [
        np.searchsorted(table.sum(axis=1), sums)
        for table in (tuples, *(part.tuples for part in cycles))
    ]
    threads = 1 if exact else THREADS
    rooms = [
        [new_room(game, n, kind, len(part.registers), farthest(race)) for part in cycles]
        for _ in range(threads)
    ]
    arrays = rules, race, values, back

    def cuts_of(starts, level, number):
        first, last = starts[level : level + 2]
        return slice(*(first + (last - first) * (number + k) // threads for k in range(2)))

    def solve_part(number, level):
        for part, several, known, room in zip(
            cycles, starts[1:], found, rooms[number], strict=True
        ):
            cut = cuts_of(several, level, number)
            some = Found(*(numbers[cut] for numbers in known))
            solve(*arrays, part.tuples[cut], part.registers, bold, tie, half, room, some)
            failed = np.flatnonzero(some.equilibria < 0)
            if failed.size:
                needs = part.tuples[cut][failed[0]].tolist()
                raise_for(game, needs, some.equilibria[failed[0]], exact)

    def follow_part(number, level):
        if len(loose):
            cut = cuts_of(starts[0], level, number)
            follow(*arrays, tuples[cut], loose, tie, rooms[number][0])

    with (
        ThreadPoolExecutor(threads) as pool,
        progress(None, title_of(game), "tuple", len(tuples)) as bar,
    ):
        for level in range(len(sums) - 1):  # tuples of one sum do not depend on each other
            list(pool.map(solve_part, range(threads), [level] * threads))
            list(pool.map(follow_part, range(threads), [level] * threads))
            bar.update(int(starts[0][level + 1] - starts[0][level]))
    return found


def raise_for(game, needs, reason, exact):
    """Raise for a tuple without a result: -1, too many pieces; -2, no equilibrium; -3, too many of them."""
    where = f"{game.name}, with {needs} points missing in order of play"
    if exact and reason == -2:
        raise NotImplementedError(
            f"{where}: no equilibrium in fractions was found, it may be irrational; solve without exact=True"
        )
    said = {
        -1: f"a turn has more than {MOST_PIECES} pieces",
        -2: "no equilibrium was found",
        -3: f"there are {MOST_EQUILIBRIA} equilibria in pure strategies or more",
    }
    raise ConvergenceError(f"{where}: {said[int(reason)]}")


def shares_of(race, cycles, found, places):
    """The share of the upper piece, where it is not 0: a dict by places in ``game.scores`` and, if any, the role."""
    shares, n = {}, race.players
    for part, known in zip(cycles, found, strict=True):
        for t, i in np.argwhere(known.share > 0).tolist():
            needs = np.roll(part.tuples[t], -i) - 1
            at = places[needs * race.registers + part.registers[i]].tolist()
            shares[(*at, *[i % n] * (len(race.ends) > 1))] = known.share.item(t, i)
    return shares


# All equilibria of one tuple


def list_equilibria(solution, needs, registers):
    """All equilibria of a tuple of needs, see :meth:`dicelab.Solution.equilibria`.

    Returns
    -------
    registers : ndarray of int (C, n)
        In all C positions that busts lead to, from the mover on.
    equilibria : list of tuple
        Of arrays: everybody's chances by position and seat (C, n); by position (C,) the probability of a bust, the
        share of the bold turn, and the lowest turn totals at which the cautious and the bold turn hold.
    """
    game, n, exact = solution.game, solution.players, solution.exact
    race, back_places, _ = last_turns_of(game, n, exact)
    around = next(
        (
            np.roll(part.registers, -k, axis=0)
            for part, _ in solution.cycles
            for k, now in enumerate(part.registers.tolist())
            if now == registers and len(part.tuples)
        ),
        None,
    )
    if around is None:
        raise ValueError(
            f"registers: busts do not lead back to these of {game.name}; so each turn is best for known values, and"
            " there is one equilibrium"
        )
    values = placed(game, n, solution.values.reshape(-1, n))
    if exact:
        values = np.array(
            [[Number(x.numerator, x.denominator) for x in row] for row in values.tolist()]
        )
    back, needs = led_back(values, race, places_of(game)[back_places]), np.array(needs)
    rules, tie, half = arithmetic(game, exact)
    size = len(around)
    known = np.zeros((MOST_EQUILIBRIA**2, size, n + 2), dtype=values.dtype)  # with mixed ones
    room = new_room(game, n, values.dtype, size, above=farthest(race))._replace(known=known)
    for i in range(size):
        set_places(race, needs, around[i], i, room.places[i])
    period = period_of(room.places, len(race.ends))
    if not list_pieces(rules, race, values, back, period, tie, room):
        raise_for(game, needs.tolist(), -1, exact)
    count = 0
    for step in (2, 1):  # pure strategies, then mixtures
        count, _, _ = find_equilibria(room, period, step, False, half, tie, count, True)
    if count == len(known):
        raise ConvergenceError(f"{game.name}: there are {count:,} equilibria or more")
    near, own = rules_of(game), own_chances(last_turns_of(game, n)[0])
    tables = [np.ascontiguousarray(table[:, [0, n - 1]], dtype=float) for table in (values, back)]
    turn, piece = new_workspace(game, 2, above=farthest(race))

    def hold_at(chance, ties):
        """The lowest turn totals at which to hold, by position."""
        found = []
        for i, at in enumerate(room.places):
            start = start_of(own, at, i % len(race.ends))
            end, z = start.missing + start.edge, float(chance[(i + 1) % size, n - 1])
            rolls = np.zeros((len(game.modes), end), dtype=bool)
            asked = start, z, ties, TIE, turn, piece
            decide_turn(near, own, *tables, asked, rolls, np.zeros((0, end), dtype=np.uint8))
            found.append(int(np.append(rolls[0], False).argmin()))
        return found

    return around, [
        (
            *map(as_exact, (one[:, :n], one[:, n], one[:, n + 1])),
            *map(partial(hold_at, one), (FLAT, STEEP)),
        )
        for one in known[:count]
    ]
