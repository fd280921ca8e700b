"""Writing a file whole or not at all."""

import os
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path

__all__ = ["atomic_write"]


@contextmanager
def atomic_write(path):
    """Give a temporary path beside `path` to write to. On success rename it to `path`, otherwise remove it.

    Its name cannot be guessed. A file that is replaced keeps its permissions; a new file gets those of the umask.
    """
    path = Path(path)
    part = path.with_name(f".{secrets.token_hex(16)}.part")
    try:
        yield part
        if path.is_file() and not path.is_symlink():
            shutil.copymode(path, part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
