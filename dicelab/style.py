"""The look of the figures, and how they are saved: one style, the same bytes for the same results.

Okabe and Ito's colours, which colour-blind readers tell apart, and line styles that survive a black-and-white print.
"""

import os
import secrets
import stat
from contextlib import contextmanager
from functools import wraps
from pathlib import Path

import matplotlib.pyplot as plt

from .doors import refusal

__all__ = ["COLOURS", "drawing", "save", "style", "written_whole"]

COLOURS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#595959"
STYLE = {
    "figure.figsize": (5.2, 3.6),
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "svg.hashsalt": "dicelab",
    "svg.fonttype": "path",
}


@contextmanager
def style():
    """The house's style for what is drawn within; other settings are left alone, unlike by ``plt.rc_context``."""
    before = {key: plt.rcParams[key] for key in STYLE}
    plt.rcParams.update(STYLE)
    try:
        yield
    finally:
        plt.rcParams.update(before)


def drawing(**kind):
    """Decorate a function that draws on `ax`: in the house's style, on a new figure made with `kind` if ax is None."""

    def decorate(draw):
        @wraps(draw)
        def drawn(*results, ax=None):
            with style():
                if ax is None:
                    _, ax = plt.subplots(**kind)
                draw(*results, ax=ax)
            return ax

        return drawn

    return decorate


@contextmanager
def written_whole(path):
    """Give a temporary path to write to; on success rename it to `path`, else remove it.

    Its name cannot be guessed, and it is a new file: nothing that stands there is written to or followed. A file that
    is replaced passes on its permissions, a new one has those that the umask leaves. Errors name `path`.
    """
    path = Path(path)
    part = path.with_name(f".{secrets.token_hex(16)}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        try:
            yield part
            if path.is_file() and not path.is_symlink():
                part.chmod(stat.S_IMODE(path.stat().st_mode))
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        if error.filename not in (None, str(part)):
            raise
        if error.errno is None:
            raise type(error)(str(error).replace(str(part), str(path))) from None
        raise type(error)(error.errno, os.strerror(error.errno), str(path)) from None


def save(folder, name, data, ax=None):
    """Write ``name.csv``, and ``name.svg`` if there is a figure, the same bytes for the same results.

    Parameters
    ----------
    folder : str or Path
        An existing folder; "" writes nothing, so that a notebook that is only read leaves no files.
    name : str
    data : pandas.DataFrame or pandas.Series
        What the figure draws. Rounded to 12 decimals, to which results are right.
    ax : matplotlib.axes.Axes, optional

    Raises
    ------
    ValueError
        If an argument is none of these; nothing is written then.
    """
    if isinstance(folder, str) and not folder:
        return
    if not isinstance(name, str) or not name or name != Path(name).name:
        raise refusal("name", name, "the name of a file, without a folder")
    if not isinstance(folder, str | os.PathLike) or not Path(folder).is_dir():
        raise refusal("folder", folder, "the path of a folder that there is")
    if not hasattr(data, "to_csv") or not hasattr(data, "map"):
        raise refusal("data", data, "a DataFrame or a Series")
    with written_whole(Path(folder) / f"{name}.csv") as part:
        rounded = data.map(lambda value: round(value, 12) if isinstance(value, float) else value)
        rounded.to_csv(part, index=data.index.names != [None], lineterminator="\n")
    if ax is not None:
        with style(), written_whole(Path(folder) / f"{name}.svg") as part:
            ax.figure.savefig(part, format="svg", metadata={"Date": None, "Creator": "dicelab"})
