"""The cycle: busts tie positions together, and going round once is one affine equation.

Let the decisions be given, and let L be the probability that a turn *leaves the bust value*, that is, ends in any
other way than a bust. The turn has the value x = A + (1 - L)·y to a player, where A collects all other ends, and y is
the value, to the same player, of the position after a bust. Turns that follow each other by busts compose to

    x = K + (1 - E)·z,                                                                                      (1)

where z is the value of the position after the last of these busts, K collects all other ends of these turns, and
E = 1 - Π (1 - L) is the probability that one of them leaves its bust value. If the last position is the first one
again, z = x, and x = K / E if E > 0. If E = 0 nobody ever leaves the cycle: (1) says nothing, and the caller must
decide what endless play counts. With given decisions K / E is the value. With those that are best at some x it is a
step of policy iteration.

E is composed by L + E' - L·E', never as 1 minus a product. That is at least as large as L and E', so that it keeps its
digits even where turns nearly always bust. K is a sum of terms of the order of E, and its rounding error, too, is of
that order, so that of K / E is of the order of a value's.

In a race of two, `total` is the sum of both players' values, and a value v to one is `total` - v to the other. Let the
position after a bust have the value y' = K' + (1 - E')·z' to the player who moves there. To the one who has bust it has
y = total - y', and with z = total - z' that is

    y = (total·E' - K') + (1 - E')·z,                                                                       (2)

(1) again with the constant of :func:`passed`. Its rounding error is of the order of E', not of `total`.

Policy iteration on a cycle of two players
------------------------------------------
All but the values on the cycle is known. Let x be a guess of the value of the first position to the player who moves
there, and h(x) what comes out after one round, against the direction of the busts, with the best decisions in every
turn. A round is an even number of turns, so that it ends with the same player to move. The value of a turn is the
largest of finitely many A + (1 - L)·B: convex, nondecreasing and piecewise linear in its bust value B, and with a
larger B the best L is no larger (Crocce and Mordecki 2018, Proposition 1, for Pig). The players take turns. With a
larger x the bust values of the player who moves first are no smaller, and those of the other one no larger. Let 1 - α
be the product of 1 - L over the turns of the first player, and 1 - β that of the other one. So α does not increase in
x, β does not decrease, and h is nondecreasing and piecewise linear, in general neither convex nor concave, with the
slopes

    1 - E = (1 - α)·(1 - β).                                                                                (3)

Let E > 0 for all decisions that are best at some x between the smallest and the largest value of any play. There
D(x) = x - h(x) is strictly increasing. D is at most 0 at the smallest one and at least 0 at the largest one, so that
x = h(x) has exactly one solution between them. From some x there, a step of policy iteration leads to
x' = x - D(x) / E(x): what the decisions that are best at x are worth if they are kept (Newton's method). The sign of
D(x) tells on which side of x the solution lies, so that x becomes a bound. At first the bounds are the smallest and the
largest value; these have not been tried. **Proposition.** Unless D(x) = 0, a step stays strictly inside a bound that
has been tried, and does not pass one that has not. *Proof.* For u < t < v we have
E(t) ≤ α(t) + β(t) ≤ α(u) + β(v) ≤ E(u) + E(v), whichever decisions are taken of several that are best. (The bust value
of a turn is the same at u and t, or at t and v, only if a later turn of the round has L = 1 between these. Then E(u) or
E(v) is 1, and (4) holds: no E exceeds 1, and the other one is positive.) D(v) - D(u) is the integral of E, and so

    D(v) - D(u) < (E(u) + E(v))·(v - u).                                                                    (4)

Were both sides equal, α(t)·β(t) would be 0 for some t, with α(t) = α(u) = E(u) and β(t) = β(v) = E(v): so E(u) or E(v)
would be 0. Let x be the upper bound now, and u the lower one, which has been tried. A step led from u to u', and u' was
tried next. It did not become the lower bound, so it was the upper one, and x ≤ u'. Therefore D(u) = -E(u)·(u' - u)
≤ -E(u)·(x - u), and (4) with v = x gives D(x) < E(x)·(x - u), that is, x' > u. The same holds with all signs reversed.
A bound that has not been tried is not passed, since x' is the value of a play. □

*Why it ends.* Decisions that have been taken have their x' at a bound that has been tried, or beyond, and no step leads
there. So there are no more steps than decisions to choose among, but for a last one that confirms; in practice one or
two. Where rounding breaks this, solvers bisect the interval; a step that hits a bound that has not been tried may be
bisected as well.

:func:`joined` and :func:`passed` serve float64, kernels and fractions. Where busts change registers, positions are tied
together in chains, which may lead into a cycle: with given decisions kernels solve these by :func:`close_chains`.
"""

from .._compile import inlined, shared

__all__ = ["close_chains", "joined", "passed"]


@shared
def joined(constant, leave, onward, away):
    """K and E of x = constant + (1 - leave)·y and y = onward + (1 - away)·z."""
    return constant + (1 - leave) * onward, leave + away - leave * away


@shared
def passed(total, constant, leave):
    """The constant of y by (2), if y' = constant + (1 - leave)·z'."""
    return total * leave - constant


@inlined
def add_next(constant, leave, right, away, at):
    """Do as :func:`joined` for a row of constants, in place, with ``right[at]`` and ``away[at]`` for y; return E."""
    for p in range(len(constant)):
        constant[p], _ = joined(constant[p], leave, right[at, p], away[at])
    return joined(0.0, leave, 0.0, away[at])[1]


@inlined
def close_chains(right, leave, onward, seen, values):
    """Solve u[k] = right[k] + (1 - leave[k])·u[onward[k]] for n numbered states, by (1).

    States on a cycle are solved first, each by going round once; then those whose chain leads into one. No walk visits
    a state twice, so that it ends.

    Parameters
    ----------
    right : ndarray (n, sides)
        A column for each of some expected values.
    leave : ndarray (n,)
        The probability L of each state; on every cycle some L must be positive, or else the values there are nan.
    onward : ndarray of int (n,)
        The state after a bust, or -1 where u is `right`, and L is 1. Overwritten.
    seen : ndarray of int (n,)
        Workspace.
    values : ndarray (n, sides)
        Filled with u.
    """
    size, sides = right.shape
    for k in range(size):
        seen[k] = -1
    for k in range(size):
        for p in range(sides):
            values[k, p] = right[k, p]
        away = leave[k]
        at = onward[k]
        while at >= 0 and at != k and seen[at] != k:
            away = add_next(values[k], away, right, leave, at)
            seen[at], at = k, onward[at]
        if at == k:
            for p in range(sides):
                values[k, p] /= away
        elif at != -1:  # a chain that leads into a cycle: it waits for the next state's value
            onward[k] = -2 - onward[k]
    for k in range(size):
        if onward[k] < -1:
            for p in range(sides):
                values[k, p] = right[k, p]
            away = leave[k]
            at = -2 - onward[k]
            while onward[at] < -1:
                away = add_next(values[k], away, right, leave, at)
                at = -2 - onward[at]
            for p in range(sides):
                values[k, p] += (1 - away) * values[at, p]
            onward[k] = -1
