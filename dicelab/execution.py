"""Notebooks executed: kernels, one run at a time, and files that are moved whole to where they belong."""

import os
import shutil
from contextlib import contextmanager, suppress

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

__all__ = ["UsageError", "as_timeout", "execute", "execute_all", "move", "replace", "running"]

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
        If another run is working there.
    """
    build.mkdir(parents=True, exist_ok=True)
    lock, folder = FileLock(build / ".lock", timeout=0), build / ".running"
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(f"{build}: another run is writing there; wait for its end") from None
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


def move(source, destination):
    """Move the files of `source`, those in folders too, over those of `destination`, each by a rename."""
    destination.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.rglob("*")):
        target = destination / path.relative_to(source)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        else:
            os.replace(path, target)


def replace(source, destination):
    """Like :func:`move`; and what is in `destination` besides is removed."""
    made = {path.relative_to(source) for path in source.rglob("*")}
    move(source, destination)
    for path in sorted(destination.rglob("*"), reverse=True):
        if path.relative_to(destination) not in made:
            path.rmdir() if path.is_dir() else path.unlink()
