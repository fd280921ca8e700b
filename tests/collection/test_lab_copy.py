"""``make lab``: a copy of the notebooks that readers may change, which is brought up to date without a loss."""

import pytest

from collection import lab


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A repository with two notebooks; and a function that copies, and says what it copied."""
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    folder = tmp_path / "notebooks" / "papers"
    (folder / ".ipynb_checkpoints").mkdir(parents=True)
    (folder / ".ipynb_checkpoints" / "a.ipynb").write_text("saved by Jupyter")
    for name in ("a", "b"):
        (folder / f"{name}.ipynb").write_text(f"{name} 1")

    def copy():
        older = lab.copy_notebooks(tmp_path / "lab")
        made = (tmp_path / "lab" / "notebooks").glob("**/*.*")
        return {path.stem: path.read_text() for path in made if path.is_file()}, older

    return tmp_path, copy


def test_what_readers_have_changed_stays(house):
    root, copy = house
    source, mine = (root / place / "notebooks" / "papers" for place in ("", "lab"))
    assert copy() == copy() == ({"a": "a 1", "b": "b 1"}, [])
    (mine / "a.ipynb").write_text("mine")
    assert copy() == ({"a": "mine", "b": "b 1"}, [])
    for name in ("a", "b"):
        (source / f"{name}.ipynb").write_text(f"{name} 2")
    for _ in range(2):
        assert copy() == ({"a": "mine", "b": "b 2"}, ["notebooks/papers/a.ipynb"])
    (mine / "a.ipynb").unlink()
    assert copy() == ({"a": "a 2", "b": "b 2"}, [])
