"""Each kind of game with each verb; what is refused today is an expected failure. See matrix.py."""

import re

import matrix
import pytest
from conftest import LONG

REFUSED = matrix.refused()


def cells():
    """A parameter for each cell. Kinds with more than one special thing are for `make test-all`."""
    for kind in matrix.KINDS:
        for verb in matrix.VERBS:
            marks = [] if matrix.one_special(kind) else [LONG]
            if said := REFUSED.get((*kind, verb)):
                marks.append(pytest.mark.xfail(strict=True, raises=matrix.REFUSALS, reason=said))
            yield pytest.param(kind, verb, marks=marks, id=f"{', '.join(kind)}: {verb}")


@pytest.mark.parametrize(("kind", "verb"), list(cells()))
def test_it_combines(kind, verb, tmp_path):
    matrix.VERBS[verb](matrix.game_of(*kind), tmp_path)


def test_the_page_for_readers():
    """It has a row for each verb, and says each reason once."""
    rows = re.findall(r"^\| ([^|]+) \| (.+) \|$", matrix.page(), re.MULTILINE)[1:]
    assert [verb for verb, _ in rows] == [*matrix.VERBS]
    cells = [cell for _, row in rows for cell in row.split(" | ")]
    reasons = re.findall(r"^(\d+)\. .+", matrix.page(), re.MULTILINE)
    assert {*cells} == {"✓", *reasons} and len(reasons) == len({*reasons}) > 1
