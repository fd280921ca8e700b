"""Notebooks that students hand in, run behind walls; what their ``check(…)`` was given comes back as data.

The kernel, and what runs it, see the installed packages and nothing else of the computer: no home, no key, no hand-in
of somebody else, no network. What they write goes to a small disk in memory, which ends with them. Time and memory are
limited. This is the work of bubblewrap (``bwrap``), for Linux. It does not protect the kernel of Linux itself.
"""

import json
import os
import shutil
import sys
import time
from pathlib import Path

from dicelab._extras import extra

from .given import SECONDS, results_of
from .sandbox import run_apart

with extra("papers"):
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

__all__ = ["Recorder", "answers_of", "walls"]

ALONE = [  # no network, no rights, an empty disk of 256 MB
    *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
    *(
        "--size",
        str(2**28),
        "--tmpfs",
        "/tmp",
        "--chdir",
        "/tmp",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
    ),
]
MOST = 2**20  # characters of all answers
SHOWN = 200  # characters of an error
WRITTEN = "answers.json"  # in the folder in which a hand-in runs
ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "dicelab", ROOT / "dicelab_extras", ROOT / "pyproject.toml"
SYSTEM = "/usr", "/bin", "/lib", "/lib64", "/etc/fonts", "/etc/alternatives", "/etc/ld.so.cache"
BEGIN = """from importlib import import_module
from dicelab_extras.grading.handins import Recorder

import_module({module!r}).check = Recorder({calls!r})
"""


def walls(*files):
    """The command that runs another one behind walls, where it sees some files; ValueError without bubblewrap."""
    bwrap = shutil.which("bwrap")
    if not bwrap:
        raise ValueError(
            "hand-ins run behind walls, which bubblewrap builds: apt install bubblewrap, on Linux (also in WSL); "
            "elsewhere run this command in a container with Linux"
        )
    seen = {*SYSTEM, sys.prefix, sys.base_prefix, *map(str, (*PACKAGES, *files))}
    seen |= {path for path in sys.path if "-packages" in path}
    shown = [
        part for path in sorted(seen) if os.path.exists(path) for part in ("--ro-bind", path, path)
    ]
    variables = {"HOME": "/tmp", "PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(sys.path)}
    named = [part for pair in variables.items() for part in ("--setenv", *pair)]
    return [bwrap, *ALONE, *shown, *named]


def answers_of(file, package, calls, seconds, at_once=1):
    """What a notebook that is handed in gives to ``check``; a dict with "answers", by exercise, and "errors".

    Parameters
    ----------
    file : Path
    package : str
        What ``check`` is imported from.
    calls : dict of str to list
        The exercises, with the arguments of the calls of those that ask for a function.
    seconds : int
        The time that it has.
    at_once : int
        How many share the memory.

    Raises
    ------
    ValueError
        If it is no notebook, or its process ends, or is ended, before it has told.
    """
    try:
        text = file.read_text(encoding="utf-8")
        nbformat.reads(text, as_version=4)
    except Exception as error:  # whatever else is in the file
        raise ValueError(f"it is not a notebook: {type(error).__name__}") from None
    told = run_apart(
        *(file.name, executed, text, package, calls, seconds),
        seconds=seconds + 60,  # until a kernel runs, and has ended
        at_once=at_once,
        walls=walls(ROOT / package),
    )
    return json.loads(told)


def executed(text, package, calls, seconds):
    """Run a notebook in this process's folder, and return what `Recorder` has written, and the errors."""
    notebook = nbformat.reads(text, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(BEGIN.format(module=package, calls=calls)))
    end, errors, file = time.monotonic() + seconds, [], Path(WRITTEN)
    client = NotebookClient(notebook, allow_errors=True, interrupt_on_timeout=True)
    client.timeout_func = lambda _: max(1, int(end - time.monotonic()))
    try:
        client.execute()
    except (CellTimeoutError, DeadKernelError) as error:
        errors.append(str(error).splitlines()[0])
    for number, cell in enumerate(notebook.cells):
        failed = [output for output in cell.get("outputs", ()) if output.output_type == "error"]
        errors += [
            f"Cell {number}: {each.ename}: {each.evalue or 'stopped, as its time was over'}"[:SHOWN]
            for each in failed
        ]
    told = json.loads(file.read_text()[:MOST]) if file.is_file() else {}
    return json.dumps({"answers": told if isinstance(told, dict) else {}, "errors": errors})


class Recorder:
    """What stands for ``check`` in the kernel of a hand-in: it writes down what it is given."""

    def __init__(self, calls):
        self.calls, self.written = calls, {}

    def __call__(self, exercise, answer, *, rules=None, **_):
        """As ``check``; what is asked about the lecture's own rules does not count."""
        if rules is not None and answer is not ...:
            try:
                given = results_of(self.calls.get(exercise, ()), answer, SECONDS)
                self.written[exercise] = json.loads(json.dumps(given, default=str))
            except ValueError as problem:  # a FormError, or an integer of too many digits
                self.written[exercise] = str(problem)
            Path(WRITTEN).write_text(json.dumps(self.written))
        return f"Exercise {exercise} is handed in."
