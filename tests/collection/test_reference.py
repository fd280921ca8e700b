"""The reference: every public name is on the page of one task, with an example."""

from inspect import getdoc

import pytest

import collection
import dicelab as dl
from collection import first_move, textbook
from collection.reference import reference_tasks, unsorted_names
from dicelab import plots
from dicelab_extras import grading, learning, proofs
from dicelab_extras.learning import environments
from dicelab_extras.play import widgets

MODULES = {
    "dicelab": dl,
    "dicelab_extras.learning.environments": environments,
    "dicelab_extras.learning": learning,
    "dicelab.plots": plots,
    "dicelab_extras.play.widgets": widgets,
    "dicelab_extras.grading": grading,
    "dicelab_extras.proofs": proofs,
    "collection": collection,
    "collection.first_move": first_move,
    "collection.textbook": textbook,
}
ENTRIES = [entry["name"] for _, entries in reference_tasks() for entry in entries]
OF_PAPERS = "check", "compare", "published"  # of the names of `collection`


def test_every_public_name_has_a_task():
    left = unsorted_names()
    assert not left, f"no task of collection/reference.py has {', '.join(left)}; add them to TASKS"
    of_modules = {
        f"{module}.{name}"
        for module, found in MODULES.items()
        for name in (OF_PAPERS if found is collection else found.__all__)
        if name.upper() != name
    }
    rare = {*dl.games.__all__} - {*dl.__all__, "GAMES", "restrict_discards", "set_aside_game"}
    of_modules |= {f"dicelab.games.{name}" for name in rare}
    of_modules |= {f"dicelab.{name}" for name in ("Estimate", "Match", "Solution")}
    assert sorted(ENTRIES) == sorted(of_modules)


@pytest.mark.parametrize("name", ENTRIES)
def test_every_name_has_an_example(name):
    """`test_house` runs the examples."""
    owner, _, attribute = name.rpartition(".")
    thing = getattr(dl.games if owner == "dicelab.games" else MODULES[owner], attribute)
    if callable(thing) and not (isinstance(thing, type) and issubclass(thing, Exception)):
        assert ">>> " in getdoc(thing), f"{name}: its docstring needs an Examples section"
