"""Writing a file whole or not at all."""

import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def atomic_write(path):
    """Give a path in a temporary folder beside `path` to write to. On success move it to `path`, otherwise remove it.

    `path` is a Path. A file that is replaced keeps its permissions; a new file gets those of the umask.
    """
    with TemporaryDirectory(prefix=".", dir=path.parent) as folder:
        part = Path(folder) / path.name
        yield part
        if path.is_file() and not path.is_symlink():
            shutil.copymode(path, part)
        part.replace(path)
