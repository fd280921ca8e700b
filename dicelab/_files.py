"""Writing a file whole or not at all."""

import os
import secrets
import stat
from contextlib import contextmanager
from pathlib import Path

__all__ = ["atomic_write"]


@contextmanager
def atomic_write(path):
    """Give a temporary path to write to. On success rename it to `path`, otherwise remove it.

    The temporary file is new and its name cannot be guessed, so nothing that exists is overwritten or followed. A file
    that is replaced keeps its permissions; a new file gets those of the umask. Errors name `path`.
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
