"""What tells values and functions apart, as text: equal texts mean equal behaviour, in another process, too.

A value has one if it is made of numbers, texts and the like, of arrays, or of frozen dataclasses that are equal if
their fields are, as games are, and rules made by functions of this package. Anything else is told apart by nothing but
its place in memory: a policy that was solved, a function within an object, an instance of some class.

A function's has its code in it, what it has as defaults and around it, and, if they are of the same module, the global
names that it uses; functions and classes of other modules go by their names.
"""

import dis
import functools
import hashlib
import json
import sys
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

import numpy as np

__all__ = ["NoIdentity", "digest", "of_function", "of_value"]

PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes, Decimal, Fraction, range)
GLOBAL = "LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"


class NoIdentity(ValueError):
    """Nothing tells this value from others; it is `value`."""

    def __init__(self, value):
        super().__init__(f"nothing tells {type(value).__name__} from others of its kind")
        self.value = value


def digest(identity):
    """An identity in 64 letters, SHA-256."""
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()


def of_value(value):
    """The identity of a value, JSON; NoIdentity if it has none."""
    try:
        return _value(value)
    except RecursionError:  # a list that contains itself
        raise NoIdentity(value) from None


def of_function(function):
    """The identity of a function, JSON; NoIdentity if it has none."""
    try:
        return _function(function, getattr(_unwrapped(function), "__module__", None), [])
    except RecursionError:
        raise NoIdentity(function) from None


def _value(value):
    kind = type(value)
    if kind in (int, Fraction):
        return [kind.__name__, f"{value.numerator:x}/{value.denominator:x}"]  # of any length
    if kind in PLAIN:
        return [kind.__name__, value.hex() if kind is bytes else repr(value)]
    if kind in (list, tuple):
        return [kind.__name__, *map(_value, value)]
    if kind in (set, frozenset):
        return [kind.__name__, *sorted(map(_value, value), key=json.dumps)]
    if kind is dict:
        return ["dict", *([_value(key), _value(part)] for key, part in value.items())]
    if kind is np.ndarray and value.dtype.hasobject:
        return ["array", list(value.shape), *map(_value, value.ravel().tolist())]
    if kind is np.ndarray or (isinstance(value, np.generic) and kind.__module__ == "numpy"):
        if value.dtype.hasobject:
            raise NoIdentity(value)
        data = np.ascontiguousarray(value)
        return ["array", kind.__name__, repr(value.dtype.descr), list(np.shape(value)), _sha(data.tobytes())]
    if isinstance(value, Enum) and _is_importable(kind):
        return ["enum", _name(kind), value.name]
    if isinstance(value, PurePath) and kind.__module__.partition(".")[0] == "pathlib":
        return ["path", str(value)]
    if isinstance(value, tuple) and hasattr(kind, "_fields") and _is_importable(kind):
        return ["tuple", _name(kind), *map(_value, value)]
    if isinstance(value, FunctionType | BuiltinFunctionType | np.ufunc | type) and _is_importable(value):
        return _function(value, value.__module__, [])
    if _is_data(value):
        return ["data", _name(kind), *([part.name, _value(getattr(value, part.name))] for part in fields(value))]
    raise NoIdentity(value)


def _is_data(value):
    """Whether a value is nothing but its fields, which do not change, and says so."""
    kind = type(value)
    declared = is_dataclass(kind) and "__dataclass_params__" in vars(kind) and kind.__dataclass_params__
    plain = declared and declared.frozen and declared.eq and _is_importable(kind)
    return plain and getattr(value, "__dict__", {}).keys() <= {part.name for part in fields(value)}


def _function(function, home, seen):
    """Functions of the module `home` by what they do, others by name; `seen` are those that are being looked at."""
    function = _unwrapped(function)
    if any(function is known for known in seen):
        return ["again", _name(function)]
    if isinstance(function, functools.partial):
        around = [_part(part, home, seen) for part in (*function.args, *function.keywords.values())]
        return ["partial", _function(function.func, home, seen), list(function.keywords), around]
    if isinstance(function, MethodType):
        return ["method", _function(function.__func__, home, seen), _part(function.__self__, home, seen)]
    if isinstance(function, FunctionType):
        if function.__module__ != home and _is_importable(function):
            return ["function", _name(function)]
        seen = [*seen, function]
        names = sorted(_globals_of(function.__code__) & function.__globals__.keys())
        around = [_inside(cell) for cell in function.__closure__ or ()]
        around += [function.__defaults__, sorted((function.__kwdefaults__ or {}).items())]
        around += [function.__globals__[name] for name in names]
        parts = [_part(part, home, seen) for part in around]
        return ["function", _name(function), _code(function.__code__), names, parts]
    if isinstance(function, BuiltinFunctionType | np.ufunc | type) and _is_importable(function):
        return ["function", _name(function)]
    if _is_data(function):
        return ["call", _function(type(function).__call__, home, seen), _value(function)]
    raise NoIdentity(function)


def _part(value, home, seen):
    """The identity of what a function uses: a value, a module or a function."""
    if isinstance(value, ModuleType):
        return ["module", value.__name__]
    if isinstance(value, tuple | list) and type(value) in (tuple, list):
        return [type(value).__name__, *(_part(part, home, seen) for part in value)]
    try:
        return _value(value)
    except NoIdentity:
        if not callable(value):
            raise
        return _function(value, home, seen)


def _inside(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not yet filled
        return None


def _unwrapped(function):
    """The Python function that is compiled by numba, or whose answers are kept by functools."""
    if isinstance(function, functools._lru_cache_wrapper):
        return function.__wrapped__
    return getattr(function, "py_func", function)


def _globals_of(code):
    """The global names that code uses, that of functions within it included."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in GLOBAL}
    return names.union(*(_globals_of(part) for part in code.co_consts if isinstance(part, CodeType)))


def _code(code):
    parts = [_code(part) if isinstance(part, CodeType) else _value(part) for part in code.co_consts]
    names = [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount, code.co_flags]
    return [_sha(code.co_code), _value(names), parts, code.co_posonlyargcount, code.co_kwonlyargcount]


def _is_importable(thing):
    """Whether there is one such thing in its module, under its name."""
    found = sys.modules.get(getattr(thing, "__module__", None) or "builtins")
    for name in getattr(thing, "__qualname__", getattr(thing, "__name__", "")).split("."):
        found = getattr(found, name, None)
    return found is thing


def _name(thing):
    return f"{getattr(thing, '__module__', None)}.{getattr(thing, '__qualname__', getattr(thing, '__name__', ''))}"


def _sha(data):
    return hashlib.sha256(data).hexdigest()
