"""The cycle: busts tie positions together, and going round once is one affine equation.

With the decisions given, a turn that leaves the bust value with probability L is worth x = A + (1 - L)·y, where y is
the value, to the same player, of the position after a bust. Turns that follow each other by busts compose to

    x = K + (1 - E)·z,                                                                                      (1)

where z is the value of the last position. If that is the first one again, x = K / E. Here E = 1 - Π (1 - L) is the
probability to leave the cycle. As a sum of positive terms it loses no digits where turns nearly always bust. With
optimal decisions K / E is a step of policy iteration, and with given ones it is the value.

In a race of two, the value of a position to its mover is `total` minus its value to the other player. Where y is such
a difference, y = total - y' with y' = K' + (1 - E')·z' and z' = total - z, equation (1) holds for y with the constant
total·E' - K'; see :func:`passed`. So nothing is subtracted from `total` that is nearly equal to it.

Both functions serve float64, kernels and fractions. Where a bust may change what a player remembers, positions are tied
together in chains, which may lead into a cycle: kernels solve these by :func:`close_chains`.
"""

from .._compile import inlined, shared

__all__ = ["close_chains", "joined", "passed"]


@shared
def joined(constant, leave, onward, away):
    """K and E of x = constant + (1 - leave)·y and y = onward + (1 - away)·z."""
    return constant + (1 - leave) * onward, leave + away - leave * away


@shared
def passed(total, constant, leave):
    """The constant of total - y' in terms of total - z', if y' = constant + (1 - leave)·z'."""
    return total * leave - constant


@inlined
def add_next(constant, leave, right, away, at):
    """The same in place for a row of constants, `at` being the row of y; return E."""
    for p in range(len(constant)):
        constant[p], _ = joined(constant[p], leave, right[at, p], away[at])
    return joined(0.0, leave, 0.0, away[at])[1]


@inlined
def close_chains(right, leave, onward, seen, values):
    """Solve u = right + (1 - leave)·u(onward) by (1), in numbered states; `onward` is -1 where a value is complete.

    Both `right` and `values` have a column for each of some expected values. `onward` and `seen` are overwritten.
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
