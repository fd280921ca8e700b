"""Rules of their own for everybody in a class: a die, a target, and what else exercises depend on."""

import hmac
from random import Random

from .exercises import exercises_in, question_files

__all__ = ["rules_of"]


def rules_of(student, key, files=None):
    """The rules of a student, a dict by name: drawn from what the rules may be, each value with equal probability.

    Parameters
    ----------
    student : str
        The number of a student, or a name.
    key : bytes
        Of the teacher. Nobody without it knows what somebody else is dealt.
    files : sequence of paths, optional
        The files of the exercises; by default those of the course.
    """
    known = {}
    for file in files or question_files():
        known |= exercises_in(file)[1]
    return {
        name: Random(hmac.digest(key, f"{student}|{name}".encode(), "sha256")).choice(values)
        for name, values in known.items()
    }
