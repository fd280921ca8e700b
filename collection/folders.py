"""Results moved into place without following links: a folder's files, or a whole folder at once."""

import hashlib
import json
import os
import shutil
import stat
from pathlib import Path

from dicelab._files import atomic_write

__all__ = ["move_files", "no_links", "only_files", "replace_files"]


def no_links(folder, inside):
    """The path `folder`/`inside`. OSError if any part of `inside` is a symbolic link."""
    path = Path(folder)
    for part in Path(inside).parts:
        path /= part
        if path.is_symlink():
            raise OSError(f"{path} is a link; nothing is written or removed through it")
    return path


def move_files(source, folder, inside):
    """Move all files below `source` to `folder`/`inside`, each by a rename.

    Raises
    ------
    OSError
        If a link stands in the way, or a folder where a file belongs. Nothing has been moved then.
    """
    files = sorted(path for path in source.rglob("*") if not path.is_dir())
    targets = [no_links(folder, inside / path.relative_to(source)) for path in files]
    for target in targets:
        if target.is_dir():
            raise OSError(f"{target} is a folder; a file belongs there")
    no_links(folder, inside).mkdir(parents=True, exist_ok=True)
    for path, target in zip(files, targets, strict=True):
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)


def replace_files(source, folder, inside, record):
    """Replace the folder `folder`/`inside` by what a run has made in `source`, whole or not at all.

    The new folder is filled beside the old one, on its file system, and takes its place by a rename. Files of others in
    the old folder stay; those of an earlier run go. A run that was killed between two renames is made good by the next.

    Parameters
    ----------
    source, folder, inside : Path
    record : Path
        A JSON file in which each run notes the names and SHA-256 digests of the files that it has made. A file belongs
        to an earlier run if its name and digest are noted there.

    Returns
    -------
    list of Path
        The files in `folder`/`inside` that no run has made.

    Raises
    ------
    OSError
        If `source` has anything but files and folders, or a link or a folder stands where a file belongs. Nothing has
        been replaced then.
    """
    target = no_links(folder, inside)
    new, old = (no_links(target.parent, f".{target.name}.{word}") for word in ("new", "old"))
    _make_good(target, old)
    made = {str(path.relative_to(source)): _digest(path) for path in only_files(source)}
    noted = _recorded(record)
    foreign = []
    for path in sorted(target.rglob("*")):
        name = str(path.relative_to(target))
        if name in made or path.is_symlink() or not path.is_dir():
            ours = name in made or (not path.is_symlink() and noted.get(name) == _digest(path))
            foreign += [] if ours else [path]
    for name in made:
        if no_links(target, name).is_dir():
            raise OSError(f"{target / name} is a folder; a file belongs there")
    try:
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(source, new)
        for path in foreign:
            there = new / path.relative_to(target)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, there, follow_symlinks=False)
        with atomic_write(record) as part:
            part.write_text(json.dumps(made, indent=0, sort_keys=True), encoding="utf-8")
        if target.exists():
            os.rename(target, old)
        os.rename(new, target)
    finally:
        shutil.rmtree(new, ignore_errors=True)
        _make_good(target, old)
    return foreign


def _make_good(target, old):
    """After the two renames remove the old folder; between them, as a kill leaves it, put it back."""
    if old.exists() and not target.exists():
        os.rename(old, target)
    shutil.rmtree(old, ignore_errors=True)


def only_files(folder):
    """All files below a folder, a sorted list. OSError for a link or a device, which could be of anybody."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir()]
    for path in paths:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise OSError(f"{path} is a link or a device; only files and folders may be left there")
    return paths


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _recorded(record):
    """The digests that an earlier run noted, by name; empty if there is no valid record."""
    try:
        noted = json.loads(record.read_text(encoding="utf-8"))
        return {
            name: str(digest)
            for name, digest in noted.items()
            if not {"..", "/"} & set(Path(name).parts)
        }
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
