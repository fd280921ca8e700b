"""How a result presents itself: the words of its one-line ``repr``, and the way to its card in Jupyter."""

import math
from functools import cache
from importlib.metadata import entry_points


@cache
def view(name):
    """The function that is an entry point of this name; ImportError without one, or without the libraries it needs."""
    for found in entry_points(group="dicelab.views", name=name):
        return found.load()
    raise ImportError(f"no installed package is an entry point {name!r} of dicelab.views")


class Shown:
    """The base class of what is a card in Jupyter."""

    def _repr_html_(self):
        try:
            return view("card")(self)
        except ImportError:  # without the libraries for figures there is the repr
            return None


def shorten(text, most=32):
    """A text in one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def title_of(game):
    """The name of a game, its target and finish: "Pig to 9, last licks", "Farkle to 200 chips (10,000 points)"."""
    target = game.target if game.chip == 1 else game.with_unit(game.target)
    finish = {"reach": "", "exact": " exactly"}.get(game.finish, f", {game.finish}")
    return f"{shorten(game.name)} to {target}{finish}"


def name_of(policy):
    """The name of a policy; of one without a name, that of its class."""
    return shorten(getattr(policy, "name", None) or type(policy).__name__)


def how_read(*policies):
    """How strategies were read that somebody brought, for the end of a line; "" if there was nothing to read."""
    said = {
        f"{name_of(policy)}: {policy.read_as}"
        for policy in policies
        if getattr(policy, "read_as", "")
    }
    return f" (read as: {'; '.join(sorted(said))})" if said else ""


def in_words(probability):
    """A fraction as "1/6"; as a decimal if it is long."""
    return str(probability) if probability.denominator < 10**6 else f"{float(probability):.6g}"


def with_interval(number, standard_error):
    """An estimate with its interval of 95 %, to two digits of the latter: "0.5435 ± 0.0031 (95 %)"."""
    half = 1.96 * standard_error  # so many on both sides, by the normal distribution
    if not 0 < half < math.inf:
        return f"{number:.6g}"
    decimals = max(0, 1 - math.floor(math.log10(half)))
    return f"{number:.{decimals}f} ± {half:.{decimals}f} (95 %)"
