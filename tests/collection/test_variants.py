"""Papers' notebooks at parameters other than the paper's: nothing false, nothing empty."""

import random
import re

import nbformat
import pytest

from collection.papers.published import PAPERS, published
from collection.runner import reproduce

DICE = ["1/2", "1/2"], ["1/3", "0", "2/3"], ["1/4", "1/4", "1/4", "0", "1/4"]
HEADING = re.compile(r"#+ .*")
EMPTY = re.compile(r"<tbody>\s*</tbody>|Empty DataFrame|Series\(\[\]")


def drawn(slug, seed):
    """Small parameters of a paper's notebook, none of them the paper's."""
    lots = random.Random(seed)
    target, n = lots.randint(21, 60), lots.randint(5, 12)
    return {
        "generalized-pig": {
            "die": lots.choice(DICE),
            "largest_target": target + 40,
            "exact_target": lots.randint(10, 14),
            "stopped_target": lots.randint(10, 30),
            "piglet_target": lots.randint(1, 5),
            "a": lots.randint(1, 5),
            "b": lots.randint(1, 5),
            "polygon_sizes": lots.sample(range(2, 20), 2),
        },
        "two-dice-pig": {
            "target": target,
            "goals": lots.sample(range(10, 70), 3),
            "lowest_n": n,
            "highest_n": n + lots.randint(0, 4),
            "opponents": [lots.randint(0, 20), 99],
            "three_goals": [lots.randint(2, 9), 10],
            "games": 1000,
        },
        "minimax-pig": {"target": target + 40, "opponents": [lots.randint(0, 50)], "games": 1000},
        "ten-thousand": {"target": lots.randint(2, 30), "farkle_target": n, "games": 1000},
        "literature": {"target": target, "hold": n, "goal": lots.randint(1, 8)},
    }[slug]


def texts_of(cell):
    """What a reader sees of a cell."""
    yield cell.source if cell.cell_type == "markdown" else ""
    for out in cell.get("outputs", ()):
        data = out.get("data", {})
        yield data.get("text/html") or data.get("text/markdown") or data.get("text/plain", "")
        yield out.get("text", "")


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.slug)
def test_nothing_is_false_or_empty_at_other_parameters(paper, seed, tmp_path):
    parameters = drawn(paper.slug, seed)
    (result,) = reproduce([paper.slug], parameters, progress=False, into=tmp_path)
    assert result.ok, f"{parameters}: {result.error}"
    cells = nbformat.read(result.executed, as_version=4).cells
    if paper.own:
        assert not [cell.source for cell in cells if "paper" in cell.metadata.get("tags", [])]
    lines = [
        line
        for cell in cells
        for text in texts_of(cell)
        for line in text.splitlines()
        if line.strip()
    ]
    assert not [line for line in lines if EMPTY.search(line)]
    for above, below in zip(lines, [*lines[1:], "# end"], strict=True):
        if HEADING.fullmatch(above) and HEADING.fullmatch(below):
            assert below.index(" ") > above.index(" "), f"nothing stands below {above!r}"
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    said = {*re.findall(r"\d+\.\d{3,}", prose)}
    printed = {text for name in paper.tables for text in published(paper.slug, name)["printed"]}
    assert not (paper.own and said & printed), f"{parameters}: {said & printed}"
