"""Maps of numbers as shapes: neighbouring cells of the same number become one shape, so that a map is sharp and small.

The outline of a set of cells consists of the edges between a cell of the set and a cell outside it. Each edge is
directed so that the set is on its left. Following the edges from corner to corner gives closed curves: the set's rim
runs counter-clockwise, and the rims of its holes clockwise, so that holes stay unfilled.

Where neighbours differ little, shapes that lie on each other are smaller: the shape of a number then has all cells of
this number or a greater one, and the shapes are painted in increasing order.
"""

from collections import defaultdict

import numpy as np

from .._extras import extra
from .style import whole_ticks

with extra("plots"):
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

__all__ = ["cells", "outlines"]


def cells(ax, numbers, x=None, y=None):
    """Draw a map: each cell in the colour of its number.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    numbers : ndarray or numpy.ma.MaskedArray, (columns, rows)
        Masked cells are left out.
    x, y : sequence of float, optional
        The centres of the columns and rows, evenly spaced; by default 0, 1, ….

    Returns
    -------
    matplotlib.collections.PathCollection
        One path for each number, in increasing order; the numbers are its array.
    """
    numbers = np.ma.asarray(numbers)
    found = np.unique(numbers.compressed())
    kinds = np.ma.array(np.searchsorted(found, numbers.data), mask=numbers.mask).filled(-1)
    spans = [
        _edges(size if centres is None else centres)
        for size, centres in zip(numbers.shape, (x, y), strict=True)
    ]
    (left, width), (bottom, height) = spans
    paths = [
        Path(np.add((left, bottom), (width, height) * corners), codes)
        for corners, codes in _fewest(kinds)
    ]
    shapes = PathCollection(paths, array=found, cmap="viridis", edgecolors="face", linewidths=0.25)
    ax.add_collection(shapes, autolim=False)
    ax.set(
        xlim=(left, left + width * numbers.shape[0]),
        ylim=(bottom, bottom + height * numbers.shape[1]),
    )
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(whole_ticks())
    return shapes


def _edges(centres):
    """The first edge of evenly spaced cells, and their width; `centres` may be their number."""
    if isinstance(centres, int):
        return -0.5, 1
    first = centres[0]
    width = (centres[-1] - centres[0]) / (len(centres) - 1) if len(centres) > 1 else 1
    return first - width / 2, width


def _fewest(kinds):
    """The outlines with fewer corners: nested or not."""
    jumps = np.concatenate(
        [
            np.abs(np.diff(np.pad(kinds, 1, constant_values=-1), axis=axis)).ravel()
            for axis in (0, 1)
        ]
    )
    edges = 2 * np.count_nonzero(jumps)
    nested_edges = jumps.sum()
    tried = [
        outlines(kinds, nested)
        for nested in (False, True)
        if not nested or nested_edges < 10 * edges
    ]
    return min(tried, key=lambda shapes: sum(len(corners) for corners, _ in shapes))


def outlines(kinds, nested=False):
    """The outlines of the cells of each kind.

    Parameters
    ----------
    kinds : ndarray of int, (columns, rows)
        Negative cells belong to no kind.
    nested : bool, optional
        Whether the cells of greater kinds belong to a kind, too.

    Returns
    -------
    list of tuple
        By kind 0, 1, …: the corners, an array (n, 2) with cell (0, 0) between the corners (0, 0) and (1, 1), and
        matplotlib's codes for drawing them.
    """
    edges = _directed_edges(kinds, nested)
    shapes = []
    for kind in range(kinds.max(initial=-1) + 1):
        corners = []
        codes = []
        follow = edges[kind]
        while follow:
            curve, corner = [], min(follow)
            while corner in follow:
                curve.append(corner)
                ends = follow[corner]
                corner = ends.pop()
                if not ends:
                    del follow[curve[-1]]
            curve = _turns(np.array(curve))
            corners += [*curve, curve[0]]
            codes += [Path.MOVETO] + [Path.LINETO] * (len(curve) - 1) + [Path.CLOSEPOLY]
        shapes.append((np.reshape(corners, (-1, 2)), codes))
    return shapes


def _directed_edges(kinds, nested):
    """By kind, a dict: from each corner, the corners to which an edge leads that has the kind on its left."""
    padded = np.pad(kinds, 1, constant_values=-1)
    edges = defaultdict(lambda: defaultdict(list))
    vertical = padded[:-1, 1:-1], padded[1:, 1:-1], (0, 1)
    horizontal = padded[1:-1, 1:], padded[1:-1, :-1], (1, 0)
    for left, right, (dx, dy) in (vertical, horizontal):
        for x, y in np.argwhere(left != right).tolist():
            start = (x, y)
            end = (x + dx, y + dy)
            one = left[x, y]
            other = right[x, y]
            for kind in range(other + 1, one + 1) if nested else (one,):
                edges[kind][start].append(end)
            for kind in range(one + 1, other + 1) if nested else (other,):
                edges[kind][end].append(start)
    return edges


def _turns(curve):
    """The corners of a closed curve at which it turns."""
    before = curve - np.roll(curve, 1, axis=0)
    after = np.roll(curve, -1, axis=0) - curve
    return curve[(before != after).any(axis=1)]
