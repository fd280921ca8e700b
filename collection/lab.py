"""Open a copy of the notebooks in JupyterLab, ``make lab``: running a notebook there leaves the repository as it is.

The copy is ``build/lab/notebooks``. What readers have changed in it stays. All else is copied anew each time, so that
it fits the package after an update.
"""

import json
import os
import sys
from hashlib import sha256

from dicelab._files import atomic_write

from .course.pages import built, write
from .papers.published import ROOT

__all__ = ["command", "copy_notebooks"]

LAB = ROOT / "build" / "lab"
LINKED = "benchmarks", "data", "docs", "figures"  # the folders that notebooks link to
NOT_AS_ROOT = "Jupyter does not run as root unless it is told to: make lab LAB=--allow-root"


def copy_notebooks(folder):
    """Copy the notebooks, and all that is beside them, to a folder in which they may have been changed.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    list of str
        The files that stay as readers have changed them, although those of the repository have changed, too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / ".copied.json"  # by name, the digest of the file that was copied
    copied = json.loads(record.read_text("utf-8")) if record.exists() else {}
    paths = [path.relative_to(ROOT) for path in sorted(ROOT.glob("notebooks/**/*.*"))]
    files = {str(path) for path in paths if not any(part[0] == "." for part in path.parts)}
    older = []
    for name in sorted(files | copied.keys()):
        mine, content = folder / name, (ROOT / name).read_bytes() if name in files else b""
        digest, before = sha256(content).hexdigest(), copied.get(name)
        if mine.exists() and sha256(mine.read_bytes()).hexdigest() not in (digest, before):
            older += [name] if digest != before else []
        elif name in files:
            mine.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(mine) as part:
                part.write_bytes(content)
            copied[name] = digest
        else:
            mine.unlink(missing_ok=True)
    for name in LINKED:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(os.path.relpath(ROOT / name, folder))
    with atomic_write(record) as part:
        part.write_text(json.dumps(copied, indent=0), "utf-8")
    return older


def command(folder, options=()):
    """The command that opens the copy in a folder, where it is to be run. It listens on this machine alone."""
    root = f"--ServerApp.root_dir={folder}"
    return [sys.executable, "-m", "jupyterlab", root, "notebooks/start.ipynb", *options]


if __name__ == "__main__":
    options = sys.argv[1:]
    if os.geteuid() == 0 and "--allow-root" not in options:
        sys.exit(NOT_AS_ROOT)
    write(built())
    older = copy_notebooks(LAB)
    print(f"A copy of the notebooks, yours to change: {LAB / 'notebooks'}")
    if older:
        print(f"You have changed these; remove one to get the new one: {', '.join(older)}")
    sys.stdout.flush()
    os.chdir(LAB)
    os.execv(sys.executable, command(LAB, options))
