"""Tracing: a plain numpy function evaluated with expressions, which writes it down as a graph.

The function itself is not touched. A copy of it runs, whose names numpy, math, max, float, ... lead to functions that know
expressions (and, where they are given numbers, do what they always did). Afterwards graph and function are compared at
several points: what reads hidden state or draws random numbers is found there, or because it changes something that
outlives the call. Whatever cannot be traced is a NotTraceable with the line and the reason; nothing else is ever lost.
"""

import builtins
import dis
import functools
import linecache
import math
import os
import random
import time
import types

import numpy as np

from . import _pawl, arrays
from .errors import Branch
from .expr import Expr, Truth, node_of

_STORE_GLOBAL, _STORE_DEREF = dis.opmap["STORE_GLOBAL"], dis.opmap["STORE_DEREF"]
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


class NotTraceable(Exception):
    """Why a function is called as it is: `place` is file:line and the text of that line."""

    def __init__(self, reason, place=""):
        super().__init__(f"{place}: {reason}" if place else reason)


class Wrapped:
    """A user's function behind a call of ours: call(f, extra, *arguments)."""

    def __init__(self, call, f, extra=None):
        self.call, self.f, self.extra = call, f, extra

    def __call__(self, *arguments):
        return self.call(self.f, self.extra, *arguments)


def _unwrapped(f):
    while isinstance(f, (Wrapped, functools.partial)):
        f = f.f if isinstance(f, Wrapped) else f.func
    return f


class _Refused(Exception):
    pass


def _refusing(reason):
    def refuse(*_, **__):
        raise _Refused(reason)

    return refuse


class _Proxy:
    """A module some of whose functions are others."""

    def __init__(self, module, others):
        self.__dict__["_module"], self.__dict__["_others"] = module, others

    def __getattr__(self, name):
        others = self._others
        return others[name] if name in others else getattr(self._module, name)


class _RefusingModule:
    def __init__(self, reason):
        self._reason = reason

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise _Refused(self._reason)

    def __call__(self, *_, **__):
        raise _Refused(self._reason)


_RANDOM = _RefusingModule("it draws random numbers, which a graph would draw once")
_CLOCK = _RefusingModule("it reads a clock, which a graph would read once")


def _made(fill):
    def f(shape, dtype=None, *args, **kwargs):
        if not arrays._is_float(dtype):
            return _NUMPY_MAKERS[fill](shape, dtype, *args, **kwargs)
        count = int(np.prod(shape))
        return arrays.array_of([fill] * count, shape)

    return f


_NUMPY_MAKERS = {0.0: np.zeros, 1.0: np.ones}


def _full(shape, value, *args, **kwargs):
    return arrays.array_of([value] * int(np.prod(shape)), shape)


def _array(x, dtype=None, *args, **kwargs):
    if arrays._has_expr(x) or (isinstance(x, np.ndarray) and x.dtype == object):
        made = arrays.to_array(x)
        return made.copy().view(arrays.ExprArray) if isinstance(x, np.ndarray) else made
    return np.array(x, dtype, *args, **kwargs)


def _asarray(x, dtype=None, *args, **kwargs):
    if arrays._has_expr(x) or (isinstance(x, np.ndarray) and x.dtype == object):
        return arrays.to_array(x)
    return np.asarray(x, dtype, *args, **kwargs)


def _pairwise(f, plain):
    def g(*items, **kwargs):
        flat = items[0] if len(items) == 1 else items
        if kwargs or not arrays._has_expr(list(flat)):
            return plain(*items, **kwargs)
        return arrays._fold(f, list(flat))

    return g


def _float(x=0.0):
    return x if isinstance(x, Expr) else float(x)


def _isscalar(x):
    return isinstance(x, Expr) or np.isscalar(x)


_MATH = {
    "sqrt": arrays.sqrt, "exp": arrays.exp, "log": lambda x, *base: arrays.log(x) / math.log(*base) if base else arrays.log(x), "sin": arrays.sin,
    "cos": arrays.cos, "tan": arrays.tan, "asin": arrays.arcsin, "acos": arrays.arccos, "atan": arrays.arctan,
    "atan2": arrays.arctan2, "hypot": arrays.hypot, "sinh": arrays.sinh, "cosh": arrays.cosh, "tanh": arrays.tanh,
    "fabs": arrays.absolute, "pow": arrays.power, "log10": lambda x: arrays.UFUNCS[np.log10](x),
    "log2": lambda x: arrays.UFUNCS[np.log2](x), "expm1": lambda x: arrays.UFUNCS[np.expm1](x),
    "log1p": lambda x: arrays.UFUNCS[np.log1p](x), "radians": lambda x: x * (math.pi / 180),
    "degrees": lambda x: x * (180 / math.pi), "fsum": builtins.sum, "prod": lambda xs: _product(xs),
}


def _product(xs):
    made = 1.0
    for x in xs:
        made = made * x
    return made


def _only_expressions(f, plain):
    """Numbers go where they always went, so that their bits do not change."""

    def g(*args, **kwargs):
        return f(*args, **kwargs) if arrays._has_expr(list(args)) else plain(*args, **kwargs)

    return g


_MATH_OTHERS = {name: _only_expressions(f, getattr(math, name)) for name, f in _MATH.items()}
_NUMPY_OTHERS = {
    "zeros": _made(0.0), "empty": _made(0.0), "ones": _made(1.0), "full": _full, "array": _array, "asarray": _asarray,
    "asfarray": _asarray, "ascontiguousarray": _asarray, "asanyarray": _asarray, "isscalar": _isscalar, "random": _RANDOM,
    "float64": _float, "float_": _float, "double": _float,
}
_REPLACED = {id(getattr(np, name)): made for name, made in _NUMPY_OTHERS.items() if hasattr(np, name)}
_REPLACED.update({id(getattr(math, name)): made for name, made in _MATH_OTHERS.items()})
_REPLACED.update({id(np.random): _RANDOM, id(random): _RANDOM, id(time): _CLOCK, id(np.float64): _float})
_REPLACED.update({id(getattr(random, name)): _RANDOM for name in ("random", "uniform", "gauss", "randint", "normalvariate", "choice")})
_REPLACED.update({id(getattr(np.random, name)): _RANDOM for name in ("rand", "randn", "random", "normal", "uniform")})
_REPLACED.update({id(getattr(time, name)): _CLOCK for name in ("time", "perf_counter", "monotonic")})
_REPLACED[id(np)] = _Proxy(np, _NUMPY_OTHERS)
_REPLACED[id(math)] = _Proxy(math, _MATH_OTHERS)
_BUILTINS = {
    "max": _pairwise(arrays.maximum, max), "min": _pairwise(arrays.minimum, min), "float": _float,
    "print": _refusing("it prints"), "open": _refusing("it opens a file"), "input": _refusing("it asks for input"),
}


class _Globals(dict):
    """The names of a function's module, with numpy and the like replaced when they are looked up."""

    def __init__(self, original, retraced):
        super().__init__(original)
        self._retraced = retraced

    def __getitem__(self, name):
        try:
            return self._retraced.value(dict.__getitem__(self, name))
        except KeyError:
            if name in _BUILTINS:
                return _BUILTINS[name]
            raise


class _Retraced:
    """Copies of functions with other names in reach."""

    def __init__(self):
        self.functions, self.globals = {}, {}
        self.codes = set()

    def value(self, value):
        other = _REPLACED.get(id(value))
        if other is not None:
            return other
        if isinstance(value, types.FunctionType):
            return self.function(value)
        if isinstance(value, (np.random.Generator, np.random.RandomState, random.Random)):
            return _RANDOM
        return value

    def function(self, f):
        known = self.functions.get(f)
        if known is not None:
            return known
        module = f.__globals__.get("__name__", "") or ""
        if module.split(".")[0] in ("numpy", "pawl", "scipy") and not module.startswith("pawl.test"):
            return f
        scope = self.globals.get(id(f.__globals__))
        if scope is None:
            scope = self.globals[id(f.__globals__)] = _Globals(f.__globals__, self)
        made = types.FunctionType(f.__code__, scope, f.__name__, f.__defaults__, None if f.__closure__ is None else tuple(types.CellType() for _ in f.__closure__))
        made.__kwdefaults__ = f.__kwdefaults__
        self.functions[f] = made
        self.codes.add(f.__code__)
        for new, old in zip(made.__closure__ or (), f.__closure__ or ()):
            try:
                new.cell_contents = self.value(old.cell_contents)
            except ValueError:
                pass  # an empty cell stays one
        return made

    def callable(self, f):
        """The copy of anything that can be called and has Python code."""
        if isinstance(f, Wrapped):
            return Wrapped(f.call, self.callable(f.f), f.extra)
        if isinstance(f, types.FunctionType):
            return self.function(f)
        if isinstance(f, types.MethodType) and isinstance(f.__func__, types.FunctionType):
            return types.MethodType(self.function(f.__func__), f.__self__)
        if isinstance(f, functools.partial):
            return functools.partial(self.callable(f.func), *f.args, **f.keywords)
        call = getattr(type(f), "__call__", None)
        if isinstance(call, types.FunctionType):
            return types.MethodType(self.function(call), f)
        return f


def _remembered(f):
    """What a function might change and find again at its next call: (name, object) of containers, arrays and itself."""
    f, owner = _unwrapped(f), None
    if isinstance(f, types.MethodType):
        owner, f = f.__self__, f.__func__
    elif not isinstance(f, types.FunctionType):
        owner, f = f, getattr(type(f), "__call__", None)
    found = []
    if isinstance(f, types.FunctionType):
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
            try:
                found.append((name, cell.cell_contents))
            except ValueError:
                pass
        found += [(name, f.__globals__[name]) for name in f.__code__.co_names if name in f.__globals__]
        found += list(zip(f.__code__.co_varnames[f.__code__.co_argcount - len(f.__defaults__ or ()):], f.__defaults__ or ()))
    if owner is not None and hasattr(owner, "__dict__"):
        found += [(f"self.{name}", value) for name, value in vars(owner).items()]
    return found


def _picture(found):
    made = []
    for name, value in found:
        if isinstance(value, (list, dict, set, bytearray)):
            made.append((name, len(value), repr(value) if len(value) < 100 else None))
        elif isinstance(value, np.ndarray) and value.dtype != object and value.size < 100_000:
            made.append((name, value.tobytes()))
        elif isinstance(value, (int, float, complex, str, bool, type(None), tuple)):
            made.append((name, repr(value)))
    return made


def _stores(f):
    """The name of a variable outside that the code assigns, if there is one."""
    f = _unwrapped(f)
    if isinstance(f, types.MethodType):
        f = f.__func__
    if not isinstance(f, types.FunctionType):
        f = getattr(type(f), "__call__", None)
    if not isinstance(f, types.FunctionType):
        return None
    operations = f.__code__.co_code[::2]
    if _STORE_GLOBAL not in operations and (_STORE_DEREF not in operations or not f.__code__.co_freevars):
        return None
    for instruction in dis.get_instructions(f):
        if instruction.opname == "STORE_GLOBAL" or (instruction.opname == "STORE_DEREF" and instruction.argval in f.__code__.co_freevars):
            return instruction.argval
    return None


def _place(error, codes):
    """file:line and the line where a traceback leaves the user's code."""
    own, other, trace = None, None, error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        here, name = (code.co_filename, trace.tb_lineno), code.co_filename
        if code in codes:
            own = here
        elif not (name.startswith((_PACKAGE, "<__array_function__")) or os.sep + "numpy" + os.sep in name):
            other = here
        trace = trace.tb_next
    last = own or other
    if last is None:
        return ""
    text = linecache.getline(*last).strip()
    return f"{os.path.basename(last[0])}:{last[1]}" + (f": `{text}`" if text else "")


def _reason(error):
    if isinstance(error, Branch):
        return "it asks for the value of something that moves; pawl.where(x > 0, a, b), min, max and abs need none"
    if isinstance(error, _Refused):
        return str(error)
    return f"{type(error).__name__}: {error}"


class Traced:
    """A function as rows of a graph, checked against the function itself."""

    def __init__(self, f, graph, arguments, count=None, what="fun"):
        retraced = _Retraced()
        lists = [(value, len(value)) for _, value in _remembered(f) if isinstance(value, list)]
        try:
            try:
                returned = retraced.callable(f)(*arguments)
            finally:
                for value, length in lists:  # what it noted there are expressions, which nobody wants to find later
                    del value[length:]
        except RecursionError:
            raise NotTraceable("it calls itself without end while it is traced") from None
        except Exception as error:  # whatever it is, the function is then called as it is
            raise NotTraceable(_reason(error), _place(error, retraced.codes)) from None
        try:
            if isinstance(returned, (Expr, Truth)):
                returned = [returned]
            if not (isinstance(returned, (list, tuple)) and all(isinstance(item, (Expr, float, int)) for item in returned)):
                returned = list(arrays.plain(arrays.to_array(returned)).ravel())
            self.nodes = [node_of(item, graph) for item in returned]
        except Exception as error:
            raise NotTraceable(f"what it returns is no row of expressions: {error}") from None
        if count is not None and len(self.nodes) != count:
            raise NotTraceable(f"it returned {len(self.nodes)} values where {count} are wanted")
        self.function = _pawl.GraphFunction(graph, self.nodes)


def agree(ours, theirs):
    """Equal up to rounding, with all that is not finite in the same places."""
    if len(ours) != len(theirs):
        return False
    scale = max((abs(x) for x in theirs if math.isfinite(x)), default=0.0)
    for x, y in zip(ours, theirs):
        if math.isfinite(y):
            if not abs(x - y) <= 1e-10 * abs(y) + 1e-13 * scale:
                return False
        elif math.isfinite(x):
            return False
    return True


def _quietly(f, point):
    """Points near the start may lie outside the domain of a function."""
    with np.errstate(all="ignore"):
        return f(*_copied(point))


def _copied(point):
    """A user's function may change what it is given."""
    return [x.copy() if isinstance(x, np.ndarray) else x for x in point]


def _flat(values):
    """What a function returned, as a list of floats."""
    if isinstance(values, (list, tuple)):
        try:
            return [float(x) for x in values]
        except TypeError:
            pass
    return np.asarray(values, float).ravel().tolist()


def points_near(t0, t1, y0):
    """The start, and two points near it, the same in every call."""
    start = y0.tolist()
    floor = (max(map(abs, start)) or 1.0) * 1e-3
    yield t0, y0
    for k, far in ((1, 1e-2), (2, 1e-4)):
        yield t0 + far * k * (t1 - t0), np.array(
            [y + far * (abs(y) + floor) * (0.6180339887498949 * (i + 7 * k) % 1.0 - 0.5) for i, y in enumerate(start, 1)])


def check(f, evaluate, points, what):
    """Compares f with its graph at these points; f(*point) raises at the first as it likes. Returns what f gave there."""
    before = _picture(_remembered(f))
    name = _stores(f)
    if name is not None:
        raise NotTraceable(f"it assigns '{name}', which outlives the call")
    first, last = None, None
    for number, point in enumerate(points):
        try:
            theirs = _quietly(f, point) if number else f(*_copied(point))
        except Exception:
            if number == 0:
                raise
            continue
        theirs = _flat(theirs)
        if first is None:
            first, last = theirs, point
        if not agree(evaluate(*point), theirs):
            raise NotTraceable("its graph gives other values than the function itself: it has hidden state, draws random numbers, or branches on values")
    again = _flat(f(*_copied(last)))
    if len(again) != len(first) or any(x != y and (x == x or y == y) for x, y in zip(first, again)):
        raise NotTraceable("called twice with the same arguments it gives different values")
    after = _picture(_remembered(f))
    if after != before:
        changed = [a[0] for a, b in zip(before, after) if a != b]
        raise NotTraceable(f"it changes '{changed[0] if changed else '?'}', which outlives the call")
