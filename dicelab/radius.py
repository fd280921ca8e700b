"""How far values can be from the truth: a radius, proven on the way, for two players with one die; compiled.

It is for the objective "win" if a turn is one die rolled again and again, which busts with a probability β > 0, and
nothing is ever reset. Sums are a + b, what both players need, as in :mod:`dicelab.race`; ε = 2⁻⁵³.

**One turn.** The sums of a turn total are made with at most 24 roundings of numbers up to 1, those in E included
(:mod:`dicelab.gains`), and a roll that gains less than SLACK·β may be taken for a hold. An error counts at the next
total if the roll between does not bust; so all of them add up to (24·ε + SLACK) / β, however long the turn. Totals that
are not walked tempt by less than 2·SLACK·β, and what is known of them holds for a bust worth SLACK more. With the
slope's own rounding, up to 13·ε / β, the worth x of the turn at a, and y of the turn at b, are such that

    |x - f(y)| ≤ u,    |y - g(x)| ≤ u,    u = (40·ε + (1 + β)·SLACK) / β + residual.

**One pair.** Let the true values of all smaller sums be within M of those found. Let v = V(a, b) and d = 1 - V(b, a) be
as found, p the probability that a turn at a busts if it is played as found, r = min(1, d / v), and
η = u·(1 + p) / (1 - p·r). Then truly

    V(a, b) ≥ v - M - η,    1 - V(b, a) ≥ d - M - u - r·η.

*Proof.* Let F(z) be what the turn at a is worth to a if a bust leaves z, and G(z) what the turn at b leaves to a, who
has z after a bust; both with the true values of smaller sums. They rise with slopes up to 1; F(d - M) ≥ v - M - u and
G(v - M) ≥ d - M - u, as everything is worth no more than M less than it was found to be. Truly V(a, b) = F(D) and
D = G(V(a, b)), neither below 0. So if v ≤ M, there is nothing left to show. Else G, which is concave, as b chooses what
is least for a, and not below 0 at 0, falls on the way there at most in proportion: it is at least d - M - u - r·η at
v - M - η, or at 0 if that is more. For (d - M - u) / (v - M) ≤ d / v, unless d > v, and then slopes are at most 1. F,
played as found, is at least v - M - u - p·(u + r·η) = v - M - η there. So F and G make of these two bounds nothing
smaller, and F(G(z)) - z, which falls, is 0 at V(a, b) only. □

With the roles changed, these are the bounds from above. So from sum to sum the radius grows by at most u times the
largest 1 + (1 + p) / (1 - p·r) of all pairs with v > M, and no more often than a sum can become less: a roll scores at
least the least face. It is linear in the target, some 4e-13 a point for Pig. (Errors would count 1 / (1 - p·q) times,
q being what p is for the turn at b, were that played as found; but it is the best reply that counts, and where v is
hardly more than M, that could be anything.)
"""

from .turn import SLACK, inlined

__all__ = ["looser", "radius_of"]

EPSILON = 2.0**-53
MORE = 1.01  # for the rounding of this and of what a solution shows, 1 - (1 - v)


@inlined
def looser(so_far, total, slope, worth, left):
    """The larger of `so_far` and (1 + p) / (1 - p·r), p = `slope`, v = `worth`, d = `left`, a + b = `total`.

    If v ≤ M, it is `so_far`: M is at least 4·SLACK·⌊(a + b - 2) / 6⌋, as u is more than 2·SLACK.
    """
    if 1.0 + slope > so_far * (1.0 - slope) and worth > 0.25 * SLACK * (total - 7):
        return max(so_far, (1.0 + slope) / (1.0 - slope * min(1.0, left / worth)))
    return so_far


def radius_of(rules, target, loosest, residual):
    """The radius of all values, or None if nothing is proven.

    Parameters
    ----------
    rules : dicelab.turn.Rules
        Of a game with one die.
    target : int
    loosest : float
        The largest (1 + p) / (1 - p·r) of all pairs.
    residual : float
        How far x = f(y) and y = g(x) are from agreeing, as evaluated.
    """
    bust, least = float(rules.bust[0]), 1 + int((rules.weight[0] > 0).argmax())
    if rules.reset[0] or not bust:
        return None
    turn = (40 * EPSILON + (1 + bust) * SLACK) / bust + residual
    sums = 1 + (2 * target - 2) // least
    return MORE * turn * (1 + loosest) * sums
