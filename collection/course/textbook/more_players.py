"""Three players and more, plain and slow, in fractions: all equilibria of a race, by trying every combination of turns.

The players sit in order of play and take turns; everybody maximizes the own probability to win. A *position* is the
tuple of the points that they need, that of the player to move first, and chances are given by seat in the same order.

A turn that is played by fixed decisions ends without a bust with known chances for everybody, and busts with a known
probability (:class:`Turn`). So the player to move gets A + B·z, where B is the probability of a bust and z the own
chance after it. A bust passes the move on and changes no score. The positions that lead to each other by busts are thus
the n rotations of one tuple of needs, and once a turn is chosen for each of them, everybody's chances follow from n
linear equations (:func:`chances_of`). The turns are an *equilibrium* if every player's turn is best for the own z.

We solve a race backwards from the target. For every tuple we list the turns of each player, try all combinations, and
keep the equilibria. Which turns are listed may be chosen: all pure policies (:func:`turn_policies`), or only those that
are best for some z, the pieces of a convex function (:func:`turn_pieces`).
"""

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod
from typing import NamedTuple

from dicelab._validation import check_int, check_option, invalid
from dicelab.games.absorption import beyond_target
from dicelab.games.model import check_game

__all__ = ["Equilibrium", "Turn", "enumerate_equilibria", "turn_pieces", "turn_policies"]


class Turn(NamedTuple):
    """What a turn comes to by fixed decisions, from the first roll on.

    Examples
    --------
    >>> Turn(Fraction(1, 2), (Fraction(1, 4), Fraction(1, 8), Fraction(1, 8))).own(Fraction(1, 3))
    Fraction(5, 12)
    """

    bust: Fraction  # the probability of a bust
    chances: tuple  # by seat: the probability that the turn does not bust, and that this player then wins

    def own(self, z):
        """The chance of the player to move, whose chance after a bust is `z`."""
        return self.chances[0] + self.bust * z


class Equilibrium(NamedTuple):
    """An equilibrium of one tuple of needs.

    Examples
    --------
    >>> from dicelab import piglet
    >>> values, equilibria = enumerate_equilibria(piglet(1), 3)
    >>> [str(chance) for chance in equilibria[1, 1, 1][0].chances[0]]
    ['4/7', '2/7', '1/7']
    """

    turns: tuple  # by player: the turn; of a mixture, the average
    shares: tuple  # by player: how often the second of two turns is played; 0 in a pure strategy
    chances: tuple  # by rotation: everybody's chances, by player


# The turns of one player


def mix(weighted):
    """The average of turns: pairs (weight, turn)."""
    chances = [[w * c for c in turn.chances] for w, turn in weighted]
    return Turn(
        sum(w * turn.bust for w, turn in weighted), tuple(map(sum, zip(*chances, strict=True)))
    )


def lose_all(players):
    """A turn that busts."""
    return Turn(Fraction(1), (Fraction(0),) * players)


def past_target(game, players):
    """A dict by mode and r, the points missing, r ≤ 0: the turn that goes on from there."""
    (way,), turns = beyond_target(game), {}
    for mode, ends in zip(game.modes, way, strict=True):
        for r, (finishes, *_) in zip(range(1 - game.most_points, 1), ends, strict=True):
            turns[mode.name, r] = Turn(1 - finishes, (finishes, *[Fraction(0)] * (players - 1)))
    return turns


def turn_policies(game, held, missing, players):
    """All pure policies of a turn, as a list of different Turns.

    A policy decides at every mode and number of points that the turn can get to: whether to hold, and which choice to
    take. The number of policies doubles with every decision. In Piglet, a turn has only one path, so that a policy is
    "hold at k", for k = 1, …, `missing`, and the list is as short.

    Parameters
    ----------
    game : Game
        Without resets, with a tiny target.
    held : callable
        ``held(r)`` is everybody's chances, by seat in this turn, after a hold with r points missing.
    missing : int
        The points that the player needs at the start of the turn.
    players : int

    Examples
    --------
    >>> from dicelab import piglet
    >>> third = (Fraction(1, 3),) * 3
    >>> [turn.bust for turn in turn_policies(piglet(3), lambda r: third, 3, 3)]
    [Fraction(1, 2), Fraction(3, 4), Fraction(7, 8)]
    """
    beyond = past_target(game, players)
    options = {}
    reached = [(game.modes[0].name, missing)]
    for name, r in reached:
        mode = game.modes[game.mode(name)]
        if mode.may_hold and r < missing:
            options[name, r] = ("hold",) if mode.must_hold else ("hold", "roll")
        for outcome in mode.changes:
            if len(outcome.choices) > 1:
                options[name, r, outcome] = outcome.choices
            after = [
                (choice.mode, r - choice.points) for choice in outcome.choices if choice.points < r
            ]
            reached += [state for state in dict.fromkeys(after) if state not in reached]

    def play(name, r, decisions):
        if r <= 0:
            return beyond[name, r]
        if decisions.get((name, r)) == "hold":
            return Turn(Fraction(0), held(r))
        weighted = []
        for outcome in game.modes[game.mode(name)].changes:
            after = lose_all(players)
            if outcome.choices:
                choice = decisions.get((name, r, outcome), outcome.choices[0])
                after = play(choice.mode, r - choice.points, decisions)
            weighted.append((outcome.probability, after))
        return mix(weighted)

    policies = (dict(zip(options, taken, strict=True)) for taken in product(*options.values()))
    return list(dict.fromkeys(play(*reached[0], policy) for policy in policies))


def turn_pieces(game, held, missing, players):
    """The turns that are best for some bust value z in [0, 1], from z = 0 on.

    Of decisions that are equally good for all z the first is listed: a hold before a roll, an earlier choice before a
    later one. Parameters as in :func:`turn_policies`; the target may be larger.

    Examples
    --------
    >>> from dicelab import piglet
    >>> third = (Fraction(1, 3),) * 3
    >>> [turn.bust for turn in turn_pieces(piglet(3), lambda r: third, 3, 3)]
    [Fraction(1, 2), Fraction(7, 8)]
    """
    best = {
        at: [(Fraction(1), turn)] for at, turn in past_target(game, players).items()
    }  # functions of z
    bust = [(Fraction(1), lose_all(players))]
    for r in range(1, missing + 1):
        for mode in (game.modes[m] for m in game.order):
            if mode.must_hold:
                best[mode.name, r] = (
                    [(Fraction(1), Turn(Fraction(0), held(r)))] if r < missing else bust
                )
                continue
            roll = []
            for outcome in mode.changes:
                options = [best[choice.mode, r - choice.points] for choice in outcome.choices] or [
                    bust
                ]
                while len(options) > 1:
                    options[:2] = [maximum(*options[:2])]
                roll.append((outcome.probability, options[0]))
            ends = sorted({end for _, function in roll for end, _ in function})
            function = joined([(end, mix([(p, turn_at(f, end)) for p, f in roll])) for end in ends])
            if mode.may_hold and r < missing:
                function = maximum([(Fraction(1), Turn(Fraction(0), held(r)))], function)
            best[mode.name, r] = function
    return [turn for _, turn in best[game.modes[0].name, missing]]


# A function of z: a list of pairs (end, turn), with the turn that is best from the end of the pair before to `end`.


def turn_at(function, end):
    """The turn of the piece that goes up to `end` or beyond."""
    return next(turn for last, turn in function if last >= end)


def maximum(first, second):
    """The better of two functions at every z; where they are equal, the first."""
    pieces, start = [], Fraction(0)
    for end in sorted({end for end, _ in [*first, *second]}):
        one, other = turn_at(first, end), turn_at(second, end)
        cuts = [start, end]
        if one.bust != other.bust:
            cuts[1:1] = [z for z in [crossing(one, other)] if start < z < end]
        for low, high in pairwise(cuts):
            middle = (low + high) / 2
            pieces.append((high, other if other.own(middle) > one.own(middle) else one))
        start = end
    return joined(pieces)


def crossing(one, other):
    """The z at which two turns with different probabilities of a bust are equally good."""
    return (one.chances[0] - other.chances[0]) / (other.bust - one.bust)


def joined(pieces):
    """The same function without ends at which the turn does not change."""
    return [
        piece
        for piece, after in zip(pieces, [*pieces[1:], (None, None)], strict=True)
        if piece[1] != after[1]
    ]


# One tuple of needs


def chances_of(turns):
    """Everybody's chances in all rotations: V[i][p] of player p when player i moves, for the turns of all players.

    V[i][p] = c + b·V[i + 1][p], where c and b are of the turn of player i. Endless play counts 1/n for each.
    """
    n, sure = len(turns), prod(turn.bust for turn in turns)
    if sure == 1:
        return ((Fraction(1, n),) * n,) * n
    start = []
    for p in range(n):
        total, reach = Fraction(0), Fraction(1)
        for i, turn in enumerate(turns):
            total, reach = total + reach * turn.chances[p - i], reach * turn.bust
        start.append(total / (1 - sure))
    rows = [start]
    for i in range(n - 1, 0, -1):
        rows.append([turns[i].chances[p - i] + turns[i].bust * rows[-1][p] for p in range(n)])
    return tuple(map(tuple, [start, *rows[:0:-1]]))


def is_best(turn, options, z):
    """Whether no other turn is better at the bust value `z`."""
    return all(turn.own(z) >= other.own(z) for other in options)


def pure_equilibria(options, period):
    """All equilibria in pure strategies, with different chances: a list of Equilibrium.

    Parameters
    ----------
    options : list of list of Turn
        By player.
    period : int
        Players `period` seats apart are in the same position and play the same turn.
    """
    n, found = len(options), {}
    for combination in product(*options[:period]):
        turns = combination * (n // period)
        chances = chances_of(turns)
        if all(is_best(turns[i], options[i], chances[(i + 1) % n][i]) for i in range(n)):
            found.setdefault(chances, Equilibrium(turns, (0,) * n, chances))
    return list(found.values())


def mixed_equilibria(options):
    """All equilibria in which exactly two players mix, each between two turns: a list of Equilibrium.

    Player j is indifferent between two turns at one bust value t. With the turns of the others fixed, except for the
    share s of the second turn of player k, j's bust value minus t is linear in s, and so s follows. In the same way j's
    share follows from k.
    """
    n, found = len(options), {}
    ties = [
        [
            (one, other, z)
            for one, other in combinations(turns, 2)
            if one.bust != other.bust
            and 0 <= (z := crossing(one, other)) <= 1
            and is_best(one, turns, z)
        ]
        for turns in options
    ]

    def share_of(k, j, t, turns, pair):
        """The share of the second turn of `pair`, played by k, at which the bust value of j is t; None if undefined."""
        excess = []
        for turn in pair:
            total, reach = -t, Fraction(1)
            for i in range(j + 1, j + n + 1):
                played = turn if i % n == k else turns[i % n]
                total, reach = (
                    total + reach * (played.own(t) if i == j + n else played.chances[j - i % n]),
                    reach * played.bust,
                )
            excess.append(total)
        return excess[0] / (excess[0] - excess[1]) if excess[0] != excess[1] else None

    for j, k in combinations(range(n), 2):
        others = [[None] if i in (j, k) else options[i] for i in range(n)]
        for (j0, j1, at_j), (k0, k1, at_k), rest in product(ties[j], ties[k], product(*others)):
            turns = list(rest)
            turns[j], turns[k] = j0, k0
            share_k = share_of(k, j, at_j, turns, (k0, k1))
            share_j = share_of(j, k, at_k, turns, (j0, j1))
            if any(share is None or not 0 <= share <= 1 for share in (share_j, share_k)):
                continue
            turns[j] = mix([(1 - share_j, j0), (share_j, j1)])
            turns[k] = mix([(1 - share_k, k0), (share_k, k1)])
            chances = chances_of(turns)
            if all(is_best(turns[i], options[i], chances[(i + 1) % n][i]) for i in range(n)):
                shares = tuple({j: share_j, k: share_k}.get(i, 0) for i in range(n))
                found.setdefault(chances, Equilibrium(tuple(turns), shares, chances))
    return list(found.values())


# The race


def enumerate_equilibria(game, players, turns=turn_pieces, prefer="cautious"):
    """All equilibria of all tuples of needs of a race, in fractions.

    Parameters
    ----------
    game : Game
        Without resets, with a small target.
    players : int
        n, at least 2.
    turns : {turn_pieces, turn_policies}
        What lists the turns of a player.
    prefer : {"cautious", "bold"}
        Which of several equilibria is taken, so that the tuples with more points missing build on it. "cautious" takes
        the one in which all players together bust with the smallest probability, "bold" the largest. If these
        probabilities are equal, the first player's decide, then the next one's. If there is no equilibrium in pure
        strategies, one in which two players mix is taken.

    Returns
    -------
    values : dict
        By needs in order of play, everybody's chances by seat.
    equilibria : dict
        By needs in order of play, from the smallest rotation on, the list of all Equilibrium in pure strategies; if
        there is none, of all in which two players mix.

    Raises
    ------
    NotImplementedError
        If the game has resets.
    ArithmeticError
        If more than two players must mix.

    Examples
    --------
    >>> from dicelab import piglet
    >>> values, equilibria = enumerate_equilibria(piglet(2), 3)
    >>> values[2, 2, 2]
    (Fraction(16, 37), Fraction(12, 37), Fraction(9, 37))
    >>> {len(found) for found in equilibria.values()}
    {1}
    """
    if not callable(turns):
        raise invalid("turns", turns, "turn_pieces or turn_policies")
    n = check_int(players, "players", 2)
    extreme = check_option(prefer, "prefer", ("cautious", "bold"))
    if check_game(game, last_turn=False, registers=False).resets:
        raise NotImplementedError(
            f"{game.name} has resets; its tuples of needs depend on each other"
        )
    values, equilibria = {}, {}
    for needs in sorted(product(range(1, game.target + 1), repeat=n), key=sum):
        rotations = [needs[i:] + needs[:i] for i in range(n)]
        if needs != min(rotations):
            continue
        period = rotations[1:].index(needs) + 1 if needs in rotations[1:] else n

        def held(i, r, rotations=rotations):
            after = values[(*rotations[i][1:], r)]
            return after[-1:] + after[:-1]

        options = [turns(game, lambda r, i=i: held(i, r), rotations[i][0], n) for i in range(n)]
        found = pure_equilibria(options, period) or mixed_equilibria(options)
        if not found:
            raise ArithmeticError(
                f"{game.name}: no equilibrium in which at most two players mix, with needs {needs}"
            )
        equilibria[needs] = found
        key = max if extreme == "bold" else min
        busts = [[turn.bust for turn in one.turns] for one in found]
        taken = found[busts.index(key(busts, key=lambda bust: (prod(bust), *bust)))]
        for i in range(n):
            values[rotations[i]] = taken.chances[i][i:] + taken.chances[i][:i]
    return values, equilibria
