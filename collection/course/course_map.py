"""The map of the course: which lecture and which theorem needs which, ``python -m collection.course.course_map``.

Nothing is listed here. What a lecture needs is in the table of ``notebooks/lectures/README.md``; it uses the theorems
that it names; and a theorem needs those that its statement and its proof name, in ``definitions.md``. The picture is
``notebooks/lectures/map.svg``.
"""

import re
from textwrap import fill

from dicelab._extras import extra
from dicelab._files import atomic_write
from dicelab.views.style import on_axes, style

from ..slides import LECTURES, heading_of

with extra("plots"):
    import matplotlib.pyplot as plt
    from matplotlib.patches import Circle, FancyBboxPatch
with extra("papers"):
    import nbformat

__all__ = ["MAP", "draw_map", "drawn_edges", "lectures_of_the_course", "theorems_of_the_course"]

MAP = LECTURES / "map.svg"
THEOREMS = re.compile(r"Theorems? ((?:\d+(?: \([a-z]\))?(?:, | or | and | to )?)+)")
ROW = re.compile(r"^\| \[(\d+)\. [^|]*\| [^|]* \| ([^|]*) \|", re.MULTILINE)
PALE, BLUE = "#d5e6f2", "#0a5c93"  # of lectures
SAND, BROWN = "#f7e3cf", "#9a4f00"  # of theorems
ARROW = "#858585"  # in the light and in the dark
WIDTH, HEIGHT = 0.92, 0.6  # of a box; places are one apart
COLUMNS = 6
LEGEND = (
    "An arrow leads from what is needed to what needs it. What is needed by way of another box has no arrow. "
    "A number in a circle is a theorem that the lecture uses. Dashed boxes are electives."
)


def numbers_in(text):
    """The numbers in a text, as a set; "1–4" and "1 to 4" are four of them."""
    found = set()
    for first, last in re.findall(r"(\d+)(?:(?:–| to )(\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def named_theorems(text):
    """The numbers of the theorems that a text names."""
    return set().union(*(numbers_in(numbers) for numbers in THEOREMS.findall(text)))


def lectures_of_the_course():
    """The lectures, by number.

    Returns
    -------
    dict of int to dict
        "title", its words up to a colon or a comma; "needs" and "theorems", the numbers of lectures and of theorems,
        as sets; "elective", a bool.
    """
    table, _, electives = (LECTURES / "README.md").read_text("utf-8").partition("*Electives*")
    needs = {int(number): numbers_in(before) for number, before in ROW.findall(table + electives)}
    lectures = {}
    for path in sorted(LECTURES.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        number, _, title = heading_of(notebook).partition(". ")
        lectures[int(number)] = {
            "title": re.split("[:,]", title)[0],
            "needs": needs[int(number)],
            "theorems": named_theorems(text),
            "elective": f"[{number}. " in electives,
        }
    return lectures


def theorems_of_the_course():
    """The theorems of ``definitions.md``, by number: "title", and "needs", the numbers of other theorems, as a set."""
    blocks = (LECTURES / "definitions.md").read_text("utf-8").split("</a>**Theorem ")[1:]
    theorems = {}
    for block in blocks:
        number, title = re.match(r"(\d+) \(([^;)]*)", block).groups()
        proven = block.partition(r"$\square$")[0]
        theorems[int(number)] = {
            "title": title,
            "needs": named_theorems(proven) - {int(number)},
        }
    return theorems


def drawn_edges(needs):
    """The pairs (needed, needing) of what is needed directly: not by way of something else that is needed.

    Parameters
    ----------
    needs : dict of int to set of int
        Without a circle.

    Examples
    --------
    >>> drawn_edges({1: set(), 2: {1}, 3: {1, 2}})
    [(1, 2), (2, 3)]
    """

    def reached(number):
        return needs[number].union(*map(reached, needs[number]))

    return sorted(
        (before, number)
        for number, all_before in needs.items()
        for before in all_before
        if not any(before in reached(other) for other in all_before)
    )


def places_of(needs, first, last):
    """Where the boxes stand, (column, row): below all that they need, between two columns, and near what they need."""
    edges = drawn_edges(needs)
    places = {}
    rest = set(needs)
    while rest:
        row = 1 + max((row for _, row in places.values()), default=-1)
        ready = {number for number in rest if needs[number] <= set(places)}
        wanted = {}
        for number in ready:
            columns = [places[before][0] for before, after in edges if after == number]
            wanted[number] = sum(columns) / len(columns) if columns else (first + last) / 2
        order = sorted(ready, key=lambda number: (wanted[number], number))
        columns = []
        for number in order:
            columns.append(max([wanted[number], *(column + 1 for column in columns[-1:])]))
        shift = sum(columns) / len(columns) - sum(wanted.values()) / len(wanted)
        shift = min(max(shift, columns[-1] - last), columns[0] - first)
        places |= {
            number: (column - shift, row) for number, column in zip(order, columns, strict=True)
        }
        rest -= ready
    return places


@on_axes(figsize=(7.4, 9.8), layout="none")
def draw_map(lectures, theorems, *, ax=None):
    """Lectures and theorems as boxes, with arrows from what is needed to what needs it.

    Parameters
    ----------
    lectures : dict of int to dict
        As from :func:`lectures_of_the_course`.
    theorems : dict of int to dict
        As from :func:`theorems_of_the_course`.

    Examples
    --------
    >>> ax = draw_map(lectures_of_the_course(), theorems_of_the_course())
    """
    needs = {number: lecture["needs"] for number, lecture in lectures.items()}
    places = places_of(needs, 0, COLUMNS - 1)
    rows = max(row for _, row in places.values())
    _arrows(ax, needs, places)
    for number, lecture in lectures.items():
        look = {"linestyle": "--"} if lecture["elective"] else {}
        x, y = _box(ax, places[number], f"{number}. {lecture['title']}", PALE, BLUE, **look)
        used = sorted(lecture["theorems"])
        for place, theorem in enumerate(used):
            at = (x + 0.19 * (place - (len(used) - 1) / 2), y + HEIGHT / 2)
            ax.add_patch(Circle(at, 0.085, facecolor=SAND, edgecolor=BROWN, zorder=4))
            ax.text(
                *at, str(theorem), ha="center", va="center", fontsize=7.5, color="black", zorder=5
            )
    needs = {number: theorem["needs"] for number, theorem in theorems.items()}
    places = places_of(needs, COLUMNS - 2, COLUMNS - 1)
    _arrows(ax, needs, places)
    for number, theorem in theorems.items():
        _box(ax, places[number], f"Theorem {number}: {theorem['title']}", SAND, BROWN)
    _box(ax, (COLUMNS - 2, rows), LEGEND, "#f2f2f2", ARROW, width=2.9, columns=58)
    ax.set(xlim=(-0.5, COLUMNS - 0.5), ylim=(rows + 0.42, -0.34), position=(0, 0, 1, 1))
    ax.set_axis_off()


def _arrows(ax, needs, places):
    """Arrows between boxes, from what is needed."""
    for before, after in drawn_edges(needs):
        (x, y), (u, v) = places[before], places[after]
        look = {"arrowstyle": "-|>", "color": ARROW, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.2}
        ax.annotate("", (u, v - HEIGHT / 2), (x, y + HEIGHT / 2), arrowprops=look, zorder=1)


def _box(ax, place, text, face, edge, width=WIDTH, columns=16, **look):
    """A box with a text, so many letters a line; returns its middle."""
    corner = (place[0] - width / 2, place[1] - HEIGHT / 2)
    rounded = "round,pad=0,rounding_size=0.06"
    box = FancyBboxPatch(corner, width, HEIGHT, boxstyle=rounded, facecolor=face, edgecolor=edge)
    box.set(zorder=2, **look)
    ax.add_patch(box)
    ax.text(
        *place, fill(text, columns), ha="center", va="center", fontsize=8, zorder=3, color="black"
    )
    return place


def write_map(file=MAP):
    """Draw the map of the course into a file, without a background."""
    ax = draw_map(lectures_of_the_course(), theorems_of_the_course())
    with atomic_write(file) as part, style():
        ax.figure.savefig(part, format="svg", transparent=True, metadata={"Date": None})
    plt.close(ax.figure)


if __name__ == "__main__":
    write_map()
