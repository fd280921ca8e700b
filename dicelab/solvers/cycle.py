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

Both functions serve float64, kernels and fractions.
"""

from .._compile import shared

__all__ = ["joined", "passed"]


@shared
def joined(constant, leave, onward, away):
    """K and E of x = constant + (1 - leave)·y and y = onward + (1 - away)·z."""
    return constant + (1 - leave) * onward, leave + away - leave * away


@shared
def passed(total, constant, leave):
    """The constant of total - y' in terms of total - z', if y' = constant + (1 - leave)·z'."""
    return total * leave - constant
