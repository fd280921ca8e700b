"""Rules of their own for everybody in a class: a die, a target, and what else exercises depend on."""

import hmac
from random import Random

from .exercises import all_exercises

__all__ = ["rules_of"]


def rules_of(student, key, *files):
    """The rules of a student, a dict by name: drawn from what the rules may be, each value with equal probability.

    Parameters
    ----------
    student : str
        The number of a student, or a name.
    key : bytes
        Of the teacher. Nobody without it knows what somebody else is dealt.
    *files : paths
        Of exercises of one's own.
    """
    return {
        name: Random(hmac.digest(key, f"{student}|{name}".encode(), "sha256")).choice(values)
        for name, values in all_exercises(*files)[1].items()
    }
