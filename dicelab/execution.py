"""Notebooks executed: kernels, one run at a time, and files that are moved whole to where they belong."""

import hashlib
import json
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path

import joblib
import nbformat
import papermill
import psutil
from filelock import FileLock, Timeout
from jupyter_client.kernelspec import NoSuchKernel
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.exceptions import PapermillExecutionError
from tqdm import tqdm
from traitlets.config import Config

from .doors import as_whole
from .style import written_whole

__all__ = ["UsageError", "as_timeout", "execute", "execute_all", "free", "move", "replace", "running"]

NO_BARS = "--IPKernelApp.exec_lines=import os; os.environ['TQDM_DISABLE'] = '1'; del os"  # a kernel has no terminal
KERNELS = {"KernelManager": {"transport_encryption": "auto"}, "NotebookClient": {"shutdown_kernel": "immediate"}}
PAPERMILLS_TAGS = {"injected-parameters", "papermill-error-cell-tag"}  # cells that papermill adds


class UsageError(ValueError):
    """What was asked for cannot be run; nothing has been written."""


def as_timeout(value):
    """Read `value` as the seconds that a cell may take: at most some 31 years, which clocks can count."""
    return as_whole(value, "timeout", 1, 10**9)


@contextmanager
def running(build):
    """Give a new folder in `build` for one run to work in, and remove it at the end; an interrupted run's kernels end.

    Raises
    ------
    UsageError
        If another run is working there, or a link stands where its files belong.
    """
    build.mkdir(parents=True, exist_ok=True)
    try:
        lock, folder = FileLock(free(build, ".lock"), timeout=0), free(build, ".running")
        lock.acquire()
    except Timeout:
        raise UsageError(f"{build}: another run is writing there; wait for its end") from None
    except OSError as error:
        raise UsageError(str(error)) from None
    others = set(psutil.Process().children(recursive=True))
    try:
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
        folder.mkdir()
        yield folder
    except (KeyboardInterrupt, SystemExit):
        for kernel in set(psutil.Process().children(recursive=True)) - others:
            with suppress(psutil.NoSuchProcess):
                kernel.kill()
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def execute(notebook, output, parameters, timeout, place=0):
    """Execute `notebook` into `output`; why it failed, or ""."""
    bar = {"desc": notebook.stem, "position": place - 1, "leave": True} if place else False
    try:
        papermill.execute_notebook(
            *(str(path).replace("{", "{{").replace("}", "}}") for path in (notebook, output)),
            parameters=parameters,
            kernel_name="python3",
            language="python",
            progress_bar=bar,
            execution_timeout=timeout,
            resources={"metadata": {"path": str(notebook.parent)}},
            extra_arguments=[NO_BARS],
            config=Config(KERNELS),
        )
    except PapermillExecutionError as error:
        return _mark(output, f"raised {error.ename}: {error.evalue}")
    except CellTimeoutError:
        return _mark(output, f"took more than {timeout} s")
    except DeadKernelError:
        return _mark(output, "ended the kernel")
    except NoSuchKernel as error:
        return _mark(output, f"there is no kernel named {error.name}; pip install ipykernel brings it")
    except Exception as error:  # a kernel that does not start, a disk that is full: the other notebooks go on
        return _mark(output, f"{type(error).__name__}: {error}")
    return ""


def execute_all(copies, timeout):
    """Execute notebooks on all cores.

    Parameters
    ----------
    copies : dict of Path to Path
        By notebook, where its executed copy goes.
    timeout : int
        Seconds that one cell may take.

    Returns
    -------
    dict of Path to str
        By notebook, why it failed; "" where it did not.
    """
    for copy in copies.values():
        copy.parent.mkdir(parents=True, exist_ok=True)
    jobs = (joblib.delayed(execute)(notebook, copy, {}, timeout) for notebook, copy in copies.items())
    said = joblib.Parallel(n_jobs=-1, return_as="generator", backend="threading")(jobs)
    return dict(zip(copies, tqdm(said, total=len(copies), desc="notebooks", leave=False), strict=True))


def _mark(output, reason):
    """Say in the executed copy, before the last cell that was begun, why the run stopped there; what was said."""
    reason = reason.partition("\n")[0]
    with suppress(OSError, ValueError):  # a copy that was not begun, or not written whole: the disk is full
        notebook = nbformat.read(output, as_version=4)
        begun = [k for k, cell in enumerate(notebook.cells) if cell.metadata.get("papermill", {}).get("start_time")]
        last = max(begun, default=0)
        own = [cell for cell in notebook.cells[: last + 1] if not PAPERMILLS_TAGS & set(cell.metadata.get("tags", []))]
        said = f"cell {len(own)} {reason}" if begun else reason
        note = f"**The run stopped at the next cell:** {said}"
        notebook.cells.insert(last, nbformat.v4.new_markdown_cell(note, metadata={"tags": ["failed"]}))
        nbformat.write(notebook, output)
        return said
    output.unlink(missing_ok=True)
    return reason


def free(base, place):
    """The path of `place` in the folder `base`; OSError if a link stands anywhere on the way there."""
    path = Path(base)
    for part in Path(place).parts:
        path /= part
        if path.is_symlink():
            raise OSError(f"{path} is a link; nothing is written or removed through it")
    return path


def move(source, base, place):
    """Move the files of `source`, those in folders too, into the folder `place` of `base`, each by a rename.

    Raises
    ------
    OSError
        If a link stands in the way, or a folder where a file belongs; nothing has been moved then.
    """
    files = sorted(path for path in source.rglob("*") if not path.is_dir())
    targets = [free(base, place / path.relative_to(source)) for path in files]
    for target in targets:
        if target.is_dir():
            raise OSError(f"{target} is a folder; a file belongs there")
    free(base, place).mkdir(parents=True, exist_ok=True)
    for path, target in zip(files, targets, strict=True):
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)


def replace(source, base, place, record):
    """Like :func:`move`; and files of an earlier run that are not made any more are removed, all others left alone.

    Parameters
    ----------
    source, base, place : Path
    record : Path
        A file, in which a run notes what it has written: names and SHA-256. A file is an earlier run's if it is noted
        there and has not been changed since.

    Returns
    -------
    list of Path
        The files in the folder that are of no run.

    Raises
    ------
    OSError
        As :func:`move`.
    """
    made = {str(path.relative_to(source)): _digest(path) for path in source.rglob("*") if path.is_file()}
    move(source, base, place)
    folder = free(base, place)
    for name, digest in _noted(record).items():
        with suppress(OSError):  # a link on the way, or nothing there any more
            path = free(folder, name)
            if name not in made and _digest(path) == digest:
                path.unlink()
                for parent in list(path.relative_to(folder).parents)[:-1]:
                    (folder / parent).rmdir()
    with written_whole(record) as part:
        part.write_text(json.dumps(made, indent=0, sort_keys=True), encoding="utf-8")
    return [
        path
        for path in sorted(folder.rglob("*"))
        if not path.is_dir() or path.is_symlink()
        if str(path.relative_to(folder)) not in made
    ]


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _noted(record):
    """What an earlier run noted, a dict of names within its folder; empty if there is no such note."""
    try:
        noted = json.loads(record.read_text(encoding="utf-8"))
        return {name: str(digest) for name, digest in noted.items() if not {"..", "/"} & set(Path(name).parts)}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
