"""How far values can be from the truth: a radius, proven on the way, for two players with one die; compiled.

It is for the objective "win" if a turn is one die rolled again and again, which busts with a probability β > 0, and
nothing is ever reset. Sums are a + b, what both players need, as in :mod:`dicelab.race`; ε = 2⁻⁵³.

**One turn.** Let B be what a bust is worth with the values as found, and f what the turn then is exactly worth. As each
roll may bust, a turn has at most 1 / β of them on average, whatever is decided; so what goes wrong at one total counts
no more than 1 / β times:

- Rounding. The products at a total, and those in its E (:mod:`dicelab.gains`), sum to at most 1; with that of the
  probabilities it is less than 24·ε. The slope, by which a Newton step counts, is off by up to 13·ε / β.
- Rolls that are not made. One that gains up to SLACK·β is a hold, and the step may add as much. Where walks do not go,
  a roll gains up to SLACK·β if a bust is worth what is on record there (`level`), and what follows what it was found
  to be worth then. B may be larger by SLACK, which adds SLACK·β. So a roll would gain 2·SLACK·β at most.

With some ε for what is rounded once, the worth x found at a, y at b, and the decisions at a as found, π, are such that

    |x - f(y)|, |y - g(x)|, |x - f_π(y)| ≤ u = 40·ε / β + 2·SLACK + residual.

**One pair.** Let the true values of all smaller sums be within M of those found. Let v = V(a, b) and d = 1 - V(b, a) be
as found, p the probability that π busts, r = min(1, d / v), and η = u·(1 + p) / (1 - p·r). Then truly

    V(a, b) ≥ v - M - η,    1 - V(b, a) ≥ d - M - u - r·η.

*Proof.* Let F(z) be what the turn at a is worth to a if a bust leaves z, and G(z) what the turn at b leaves to a, who
has z after a bust; both with the true values of smaller sums, and for negative z, too, as the same formulas. They rise
with slopes up to 1. As everything is worth no more than M less than found, F_π(d - M) ≥ v - M - u, and
G(v - M) ≥ d - M - u. Truly V(a, b) = F(D) and D = G(V(a, b)), neither below 0; so bounds below 0 need no proof. If
v ≤ M, the first is such a bound, and D ≥ G(v - M). Else G, which is concave, as b chooses what is least for a, and not
below 0 at 0, falls from v - M on at most in proportion, by (d - M - u) / (v - M) ≤ d / v if d ≤ v, and by 1 anyway: it
is at least d - M - u - r·η at v - M - η, or at 0 if that is more, where D is not below it. F_π is at least
v - M - u - p·(u + r·η) = v - M - η there. So F and G make of these two bounds nothing smaller, and F(G(z)) - z, which
falls, is 0 at V(a, b) only. □

With the roles changed, these are the bounds from above. So from sum to sum the radius grows by at most u times the
largest 1 + (1 + p) / (1 - p·r) of all pairs with v > M, and no more often than a sum can become less: a roll scores at
least the least face. It is linear in the target, some 2.5e-13 a point for Pig. (Errors would count 1 / (1 - p·q) times,
q being what p is for the turn at b, were that played as found; but it is the best reply that counts, and where v is
hardly more than M, that could be anything.)
"""

from .turn import SLACK, inlined

__all__ = ["looser", "radius_of"]

EPSILON = 2.0**-53
MORE = 1.01  # for the rounding of this, of p, and of what a solution shows: 1 - (1 - v)


@inlined
def looser(so_far, total, slope, worth, left):
    """The larger of `so_far` and (1 + p) / (1 - p·r), p = `slope`, v = `worth`, d = `left`, a + b = `total`.

    If v ≤ M, it is `so_far`. M is u·(1 + loosest)·⌊(a + b - 2) / least face⌋, and so no less than
    4·SLACK·⌊(a + b - 2) / 6⌋, if `so_far` begins with 1.
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
        The largest (1 + p) / (1 - p·r) of all pairs that count: see :func:`looser`.
    residual : float
        How far x = f(y) and y = g(x) are from agreeing, as evaluated.
    """
    bust, least = float(rules.bust[0]), 1 + int((rules.weight[0] > 0).argmax())
    if rules.reset[0] or not 13 * EPSILON * loosest < 0.005 * bust:  # then p is too rough
        return None
    turn = 40 * EPSILON / bust + 2 * SLACK + residual
    sums = 1 + (2 * target - 2) // least
    return MORE * turn * (1 + loosest) * sums
