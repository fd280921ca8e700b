"""A hash of a value or a function, by which `sweep` recognises finished points in a file.

The identity of a value is the hash of its pickle. A worker process sees nothing of an argument but its pickle, so two
arguments with equal pickles give equal results. What cannot be pickled has no identity.

Pickle stores a function as its name, which does not change when its code does. Therefore some functions are hashed by
what they do: their code, defaults, closure, attributes, and the global names that the code uses. These are functions of
the module in which the swept function is defined, functions of ``__main__``, and functions that cannot be imported
(lambdas, functions within functions). The same holds for classes, whose members are hashed. Functions and classes of
other modules, this package's among them, stay names.
"""

import dis
import hashlib
import io
import operator
import sys
from functools import cache, cached_property, partial
from pickle import Pickler
from types import CodeType, FunctionType, ModuleType

import numpy as np

__all__ = ["digest", "module_of"]

READS_GLOBAL = "LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"
CACHED = type(cache(abs))
MADE_BY_CLASS_STATEMENT = 1 << 9  # Py_TPFLAGS_HEAPTYPE; classes in C have no code to compare
CODE = "code exceptiontable consts names varnames freevars cellvars argcount posonlyargcount kwonlyargcount flags"


def digest(value, home):
    """The identity of a value, SHA-256 in hexadecimal.

    Parameters
    ----------
    value : object
    home : str
        The module whose functions and classes are hashed by what they do; see :func:`module_of`.

    Raises
    ------
    ValueError
        If the value cannot be pickled. The message says why.
    """
    stream = io.BytesIO()
    try:
        _Hasher(stream, home).dump(value)
    except Exception as error:  # objects raise what they like when they are pickled
        raise ValueError(str(error)) from None
    return hashlib.sha256(stream.getvalue()).hexdigest()


def module_of(function):
    """The name of the module in which a function is defined; of the innermost function if it is partial."""
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__module__", None)


class _Hasher(Pickler):
    """A pickler whose bytes are never read again."""

    def __init__(self, stream, home):
        super().__init__(stream, protocol=5)
        self.fast = (
            True  # no references to earlier parts: [x, x] has the same pickle as two equal parts
        )
        self.home, self.seen = home, []

    def persistent_id(self, value):
        """What is pickled instead of the value; None for the value itself."""
        if type(value) in (set, frozenset):  # their order differs between processes
            return type(value).__name__, sorted(digest(part, self.home) for part in value)
        if type(value) is np.ndarray:  # its order in memory may differ, too
            data = value.ravel().tolist() if value.dtype.hasobject else value.tobytes()
            return "array", value.dtype, value.shape, data
        if isinstance(value, ModuleType):
            return "module", value.__name__
        if isinstance(value, CodeType):
            return "code", [getattr(value, f"co_{name}") for name in CODE.split()]
        # the Python function within one that is made by functools.cache, or compiled by numba
        cached = isinstance(value, CACHED)
        function = value.__wrapped__ if cached else getattr(value, "py_func", value)
        in_python = isinstance(value, type) and value.__flags__ & MADE_BY_CLASS_STATEMENT
        if in_python or isinstance(function, FunctionType):
            if value.__module__ not in (self.home, "__main__") and _is_importable(value):
                return "name", value.__module__, value.__qualname__
            return self._by_content(value, function)
        return None

    def _by_content(self, value, function):
        """What a function or a class does. One that is being described already (a recursion) is a number."""
        for number, known in enumerate(self.seen):
            if value is known:
                return "seen", number
        self.seen.append(value)
        if isinstance(value, type):
            # what says what its instances do: not its documentation and the like
            members = {
                name: _functions_of(member)
                for name, member in vars(value).items()
                if callable(member) or not name.startswith(("__", "_abc_"))
            }
            return "class", value.__name__, value.__bases__, members
        code = function.__code__
        used = {
            name: function.__globals__[name]
            for name in _globals_of(code)
            if name in function.__globals__
        }
        closure = [cell.cell_contents for cell in function.__closure__ or ()]
        kind = type(value).__name__
        defaults = (function.__defaults__, function.__kwdefaults__)
        return kind, code, defaults, closure, function.__dict__, used


def _functions_of(member):
    """The functions of a method or property of a class; other members as they are."""
    if isinstance(member, classmethod | staticmethod):
        return type(member).__name__, member.__func__
    if isinstance(member, property):
        return member.fget, member.fset
    return member.func if isinstance(member, cached_property) else member


def _globals_of(code):
    """The global names that code uses, including those of functions within it, sorted."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in READS_GLOBAL}
    return sorted(
        names.union(*(_globals_of(part) for part in code.co_consts if isinstance(part, CodeType)))
    )


def _is_importable(value):
    """Whether a function or a class is found in its module under its own name."""
    try:
        return operator.attrgetter(value.__qualname__)(sys.modules[value.__module__]) is value
    except (AttributeError, KeyError):
        return False
