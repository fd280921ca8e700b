"""How any notebook is executed, by papermill, one run at a time; for the runner, the slides and the site."""

import errno
import os
import re
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path

import joblib

from dicelab._extras import extra
from dicelab._limits import progress
from dicelab._validation import check_int, invalid

from .folders import no_links
from .papers.published import ROOT

with extra("papers"):
    import nbformat
    import papermill
    import psutil
    from filelock import FileLock, Timeout
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillExecutionError
    from traitlets.config import Config

__all__ = [
    "VECTORS",
    "UsageError",
    "check_into",
    "check_timeout",
    "exclusive_run",
    "execute",
    "execute_all",
    "reason_of",
]

SHARP = "--InlineBackend.figure_formats=['retina']"  # two pixels for each point: slides show figures larger
VECTORS = "--InlineBackend.figure_formats=['retina', 'svg']"  # and drawings for print
KERNELS = {
    "KernelManager": {"transport_encryption": "auto"},
    "NotebookClient": {"shutdown_kernel": "immediate"},
}
ELSEWHERE = "write to another folder with --into FOLDER"
ADVICE = dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOLCK), ELSEWHERE)
ADVICE |= dict.fromkeys((errno.ENOSPC, errno.EDQUOT), f"make room there, or {ELSEWHERE}")
FIELD = re.compile(r"\{\{ (.+?) \}\}")  # in Markdown
APART = "\x1f"  # between printed values
PAPERMILL_TAGS = {"injected-parameters", "papermill-error-cell-tag"}  # of cells that papermill adds


class UsageError(ValueError):
    """A request that cannot be run. Nothing has been written."""


def check_timeout(value):
    """Read `value` as the seconds that one cell may take, at most 10⁹ (some 31 years)."""
    return check_int(value, "timeout", 1, 10**9)


def check_into(value, inside=("build",)):
    """Read `value` as the folder below which a run writes, a Path; None is the repository.

    Parameters
    ----------
    value : path or None
    inside : sequence of str
        The folders in it that the run writes to.

    Raises
    ------
    ValueError
        If it is not a folder and cannot become one, or nothing can be written there. Nothing has been written then.
    """
    if not isinstance(value, str | os.PathLike | None) or str(value) == "" or "\0" in str(value):
        raise invalid("into", value, "the path of a folder", (str, os.PathLike))
    root = ROOT if value is None else Path(value).absolute()
    if root.exists() and not root.is_dir():
        raise invalid("into", str(value), "a folder; this is a file")
    if not root.exists() and not root.parent.is_dir():
        raise invalid(
            "into",
            str(value),
            f"a path in an existing folder; there is no folder {str(root.parent)!r}",
        )
    for folder in (root / name for name in inside):
        there = next(path for path in (folder, *folder.parents) if path.exists())
        if not os.access(there, os.W_OK | os.X_OK):
            raise UsageError(
                f"{there}: nothing can be written there; give a folder of your own with --into FOLDER"
            )
    return root


@contextmanager
def exclusive_run(build):
    """Lock the folder `build`, and give a new folder in it to work in; remove that folder at the end.

    If the run is interrupted, its kernels are killed. What a killed run has left is removed by the next run.

    Raises
    ------
    OSError
        If another run holds the lock, a link stands in place of the lock or a folder, or nothing can be written there.
    """
    try:
        no_links(build.parent, build.name)
        build.mkdir(parents=True, exist_ok=True)
        lock = FileLock(no_links(build, ".lock"), timeout=0)
        folder = no_links(build, ".running")
        lock.acquire()
    except Timeout:
        raise BlockingIOError(f"{build}: another run is writing there; wait for its end") from None
    except (OSError, NotImplementedError) as error:  # the latter where there are no locks
        raise OSError(reason_of(error, build)) from None
    others = set(psutil.Process().children(recursive=True))
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        yield folder
    except (KeyboardInterrupt, SystemExit):
        for kernel in set(psutil.Process().children(recursive=True)) - others:
            with suppress(psutil.NoSuchProcess):
                kernel.kill()
        raise
    finally:
        for _ in range(10):  # the thread of a killed kernel may still write a copy or two
            shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def execute(notebook, output, parameters, timeout, bar_position=None, figures=SHARP, left_out=None):
    """Execute a notebook and write its copy to `output`, with a progress bar on this line of the terminal, or without.

    In Markdown, ``{{ loss:.4f }}`` becomes the value at that place, as an f-string writes it. Cells with the tag
    `left_out` are left out. Returns the reason of the failure, or "". After a failure the executed copy says the
    reason, too.
    """
    bar = (
        {"desc": notebook.stem, "position": bar_position, "leave": False}
        if bar_position is not None
        else False
    )
    try:
        source = nbformat.read(notebook, as_version=4)
        source.cells = [c for c in source.cells if left_out not in c.metadata.get("tags", [])]
        source.cells = [*map(_asked, source.cells)]
        papermill.execute_notebook(
            source,
            str(output).replace("{", "{{").replace("}", "}}"),
            parameters=parameters,
            kernel_name="python3",
            language="python",
            progress_bar=bar,
            execution_timeout=timeout,
            resources={"metadata": {"path": str(notebook.parent)}},
            extra_arguments=[figures],
            config=Config(KERNELS),
        )
    except PapermillExecutionError as error:
        return _mark_failure(output, f"raised {error.ename}: {error.evalue}")
    except CellTimeoutError:
        return _mark_failure(output, f"took more than {timeout} s")
    except DeadKernelError:
        return _mark_failure(output, "ended the kernel")
    except NoSuchKernel as error:
        return _mark_failure(
            output, f"there is no kernel named {error.name}; pip install ipykernel brings it"
        )
    except (
        Exception
    ) as error:  # a kernel that does not start, a full disk: the other notebooks continue
        return _mark_failure(output, reason_of(error, output))
    executed = nbformat.read(output, as_version=4)
    for cell in executed.cells:
        if cell.cell_type == "code" and cell.metadata.papermill.status != "completed":
            return _mark_failure(output, "ended the notebook before its last cell")
    executed.cells = [*map(_filled, executed.cells)]
    try:
        nbformat.write(executed, output)
    except OSError as error:  # a full disk
        return _mark_failure(output, reason_of(error, output))
    return ""


def _asked(cell):
    """Code that prints the fields of a Markdown cell, if it has some; else the cell itself."""
    fields = FIELD.findall(cell.source)
    if cell.cell_type != "markdown" or not fields:
        return cell
    values = ", ".join(f'f"""{{{field}}}"""' for field in fields)
    metadata = cell.metadata | {"text": cell.source}
    return nbformat.v4.new_code_cell(
        f"print({values}, sep={APART!r})", metadata=metadata, id=cell.id
    )


def _filled(cell):
    """The Markdown cell with the printed values in its fields, if it had some; else the cell itself."""
    if "text" not in cell.metadata:
        return cell
    values = iter("".join(out.text for out in cell.outputs).rstrip("\n").split(APART))
    text = FIELD.sub(lambda _: next(values), cell.metadata.pop("text"))
    return nbformat.v4.new_markdown_cell(text, metadata=cell.metadata, id=cell.id)


def reason_of(error, path=""):
    """Why something failed, in a line: for an error of the machine which path, and what to do."""
    said = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror:
        said = f"{error.filename or path}: {error.strerror}"
    elif not isinstance(error, OSError | ValueError):
        said = f"{type(error).__name__}: {said}"
    advice = ADVICE.get(getattr(error, "errno", None))
    return f"{said}; {advice}" if advice else said


def execute_all(copies, timeout, figures=SHARP):
    """Execute notebooks on all cores.

    Parameters
    ----------
    copies : dict of Path to Path
        The file to write the executed copy to, by notebook.
    timeout : int
        Seconds that one cell may take.
    figures : str, optional
        `VECTORS` for figures that are drawings as well as pictures.

    Returns
    -------
    dict of Path to str
        By notebook, the reason of the failure, or "".
    """
    for copy in copies.values():
        copy.parent.mkdir(parents=True, exist_ok=True)
    jobs = (
        joblib.delayed(execute)(notebook, copy, {}, timeout, figures=figures)
        for notebook, copy in copies.items()
    )
    failures = joblib.Parallel(n_jobs=-1, return_as="generator", backend="threading")(jobs)
    done = progress(failures, "notebooks", "notebook", len(copies))
    return dict(zip(copies, done, strict=True))


def _mark_failure(output, reason):
    """Write the reason into the executed copy, before the last cell begun; return it with the number of the cell."""
    reason = reason.partition("\n")[0]
    # The copy does not exist or is incomplete, as on a full disk.
    with suppress(OSError, ValueError):
        notebook = nbformat.read(output, as_version=4)
        begun = [
            k
            for k, cell in enumerate(notebook.cells)
            if cell.metadata.get("papermill", {}).get("start_time")
        ]
        last = max(begun, default=0)
        own = [
            cell
            for cell in notebook.cells[: last + 1]
            if not PAPERMILL_TAGS & set(cell.metadata.get("tags", []))
        ]
        reason_in_cell = f"cell {len(own)} {reason}" if begun else reason
        note = f"**The run stopped at the next cell:** {reason_in_cell}"
        notebook.cells.insert(
            last, nbformat.v4.new_markdown_cell(note, metadata={"tags": ["failed"]})
        )
        nbformat.write(notebook, output)
        return reason_in_cell
    output.unlink(missing_ok=True)
    return reason
