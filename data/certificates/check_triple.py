"""Check by fractions which equilibria three players of Pig have at a few triples of needs; standard library only.

Usage: python check_triple.py

The table holds-three-players.csv gives everybody's chances after each hold of a turn; we take its decimals as they are.
For every bust value z, the own chance after a bust, a turn has a best way to be played. The best chance f(z) is convex
and piecewise linear. We compute all pieces in [0, 1], try all combinations of the three players' pieces, and keep those
in which everybody's z lies on the own piece.

How exact must the decimals be? Let every one be off by at most d. With fixed decisions all chances are averages of hold
values. So a bust value moves by at most d, and the advantage of a roll over a hold by at most 2d. This advantage rises
with z with a slope of at least 1/6, as every roll busts that often. So an end of a piece moves by at most 12d, and the
distance of a bust value from an end by at most 13d. The result stands if 13d is less than the margin, the smallest of
the distances that decide, and if all ends are more than 24d apart, so that they keep their order.
"""

from csv import DictReader
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

HOLDS = Path(__file__).with_name("holds-three-players.csv")


class Turn(NamedTuple):
    """A turn by fixed decisions: how often it busts, everybody's chances by the other ways, and where it holds."""

    bust: Fraction
    chances: tuple
    holds: tuple

    def own(self, player, z):
        """The chance of the player whose turn it is."""
        return self.chances[player] + self.bust * z


def best_turn(player, need, held, z):
    """The best turn at the bust value z; with r points missing a hold gives the chances ``held[r]``."""
    after = {
        r: Turn(Fraction(0), tuple(Fraction(p == player) for p in range(3)), ())
        for r in range(-5, 1)
    }
    for r in range(1, need + 1):
        scored = [after[r - face] for face in range(2, 7)]
        chances = tuple(sum(turn.chances[p] for turn in scored) / 6 for p in range(3))
        totals = tuple(sorted({total for turn in scored for total in turn.holds}))
        after[r] = Turn((1 + sum(turn.bust for turn in scored)) / 6, chances, totals)
        if r < need and held[r][player] >= after[r].own(player, z):
            after[r] = Turn(Fraction(0), held[r], (need - r,))
    return after[need]


def pieces_of(player, need, held):
    """All pieces of f from z = 0 to 1, as pairs (end, turn): between two lines lies another, or they meet on f."""

    def between(first, last):
        if first.bust == last.bust:
            return []
        z = (first.chances[player] - last.chances[player]) / (last.bust - first.bust)
        turn = best_turn(player, need, held, z)
        if turn.own(player, z) == first.own(player, z):
            return [(z, first)]
        return between(first, turn) + between(turn, last)

    first, last = (best_turn(player, need, held, Fraction(z)) for z in (0, 1))
    return [*between(first, last), (Fraction(1), last)]


def bust_values(turns):
    """The three bust values if these turns are played for ever: z of player i is the chance when i + 1 moves."""
    values, (a, b, c) = [], (turn.bust for turn in turns)
    for i in range(3):
        one, two = turns[(i + 1) % 3], turns[(i + 2) % 3]
        after = one.chances[i] + one.bust * (two.chances[i] + two.bust * turns[i].chances[i])
        values.append(after / (1 - a * b * c))
    return values


def piece_at(z, pieces):
    """The number of the piece that is best at z; at an end, the one before it."""
    return next(k for k, (end, _) in enumerate(pieces) if z <= end)


def distance(z, k, pieces):
    """How far z is outside piece k; inside, minus the distance to the nearer end. 0 and 1 are not ends."""
    low = pieces[k - 1][0] if k else z - 1
    high = pieces[k][0] if k + 1 < len(pieces) else z + 1
    return max(low - z, z - high)


def all_equilibria(pieces):
    """All equilibria in pure strategies, as numbers of pieces, and the margin of the list."""
    found, margin = [], Fraction(1)
    for numbers in product(*(range(len(player)) for player in pieces)):
        values = bust_values([player[k][1] for player, k in zip(pieces, numbers, strict=True)])
        off = max(
            distance(z, k, player) for z, k, player in zip(values, numbers, pieces, strict=True)
        )
        margin = min(margin, abs(off))
        if off <= 0:
            found.append(numbers)
    return found, margin


def cycle_of_replies(pieces):
    """Best replies in turn, each to the others as they are, until a combination of pieces returns: the cycle."""
    path, numbers = [], (0, 0, 0)
    while numbers not in path:
        path.append(numbers)
        for i in range(3):
            before = None
            while before != numbers:
                before = numbers
                z = bust_values([player[k][1] for player, k in zip(pieces, numbers, strict=True)])[
                    i
                ]
                numbers = (*numbers[:i], piece_at(z, pieces[i]), *numbers[i + 1 :])
            if numbers != path[-1] and i < 2:
                path.append(numbers)
    return path[path.index(numbers) :]


def mixture(pieces, pairs):
    """The equilibrium in which two players mix, each between two neighbouring pieces.

    `pairs` gives the numbers of two pieces for these players, and of one for the third. Times 1 - Π busts, the bust
    value of player j minus the end t is linear in the share of player k: its values for the two pieces of k tell the
    share at which it is 0.
    """
    j, k = (i for i in range(3) if len(pairs[i]) == 2)
    shares = {}
    turns = [pieces[i][pairs[i][0]][1] for i in range(3)]
    for i, other in ((j, k), (k, j)):
        excess = []
        for number in pairs[other]:
            played = [*turns]
            played[other] = pieces[other][number][1]
            stay = played[0].bust * played[1].bust * played[2].bust
            excess.append((bust_values(played)[i] - pieces[i][pairs[i][0]][0]) * (1 - stay))
        shares[other] = excess[0] / (excess[0] - excess[1])
    for i, share in shares.items():
        one, two = (pieces[i][number][1] for number in pairs[i])
        chances = tuple(a + share * (b - a) for a, b in zip(one.chances, two.chances, strict=True))
        turns[i] = Turn(one.bust + share * (two.bust - one.bust), chances, one.holds)
    return shares, bust_values(turns)


def shown(turn):
    """When a turn holds, in words."""
    return f"holds at {', '.join(map(str, turn.holds))}" if turn.holds else "never holds"


def check(needs, held):
    """Print what is found about a triple; return the equilibria, the margin, the least distance of ends, the shares."""
    pieces = [pieces_of(i, needs[i], held[i]) for i in range(3)]
    shares = {}
    apart = min(high[0] - low[0] for player in pieces for low, high in pairwise(player))
    found, margin = all_equilibria(pieces)
    tried = len(pieces[0]) * len(pieces[1]) * len(pieces[2])
    print(f"Needs {needs}: {tried:,} combinations, {len(found)} equilibria in pure strategies")
    print(f"  margin {float(margin):.1e}; ends of pieces at least {float(apart):.1e} apart")
    for numbers in found:
        print("  equilibrium")
        for i in range(3):
            print(f"    player {i + 1}, who needs {needs[i]}, {shown(pieces[i][numbers[i]][1])}")
    if not found:
        cycle = cycle_of_replies(pieces)
        for numbers, after in pairwise([*cycle, cycle[0]]):
            for i in range(3):
                if numbers[i] != after[i]:
                    print(
                        f"  reply of player {i + 1}, who needs {needs[i]}: {shown(pieces[i][after[i]][1])}"
                    )
        pairs = [sorted({numbers[i] for numbers in cycle}) for i in range(3)]
        shares, values = mixture(pieces, pairs)
        assert all(0 < share < 1 for share in shares.values())
        # Who mixes is indifferent, and the third player's turn is best.
        for i, z in enumerate(values):
            assert (
                z == pieces[i][pairs[i][0]][0]
                if i in shares
                else piece_at(z, pieces[i]) == pairs[i][0]
            )
        for i, share in shares.items():
            print(
                f"  mixed: player {i + 1} plays the second of the two turns with probability {float(share):.12f}"
            )
            print(
                f"    first: {shown(pieces[i][pairs[i][0]][1])}; second: {shown(pieces[i][pairs[i][1]][1])}"
            )
    return found, margin, apart, shares


def read_holds():
    """The table: by needs, for each player, by points missing after a hold, everybody's chances."""
    tables = {}
    for row in DictReader(HOLDS.read_text(encoding="utf-8").splitlines()):
        held = tables.setdefault(tuple(map(int, row["needs"].split("-"))), ({}, {}, {}))
        chances = tuple(Fraction(row[f"chance_{player}"]) for player in (1, 2, 3))
        held[int(row["player"]) - 1][int(row["missing"])] = chances
    return tables


if __name__ == "__main__":
    for needs, held in read_holds().items():
        check(needs, held)
