"""Extras: packages that only figures, notebooks or the site need, and the command that installs them.

``pyproject.toml`` lists them. A test checks that they are imported inside :func:`extra`, and all others outside.
"""

from contextlib import contextmanager


@contextmanager
def extra(name):
    """Import what belongs to the extra `name`. ModuleNotFoundError, with the pip command, if a module is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = error.name.partition(".")[0]
        raise ModuleNotFoundError(
            f"{missing} is missing; install it with: pip install 'dicelab[{name}]'", name=missing
        ) from None
