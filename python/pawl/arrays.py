"""Expressions in numpy: arrays of them, numpy's functions on them, and the functions pawl.sin, pawl.sqrt, ..."""

import builtins
import math

import numpy as np

from .expr import LN2, LN10, OP, Expr, Truth, _binary, truth_of, where


class ExprArray(np.ndarray):
    """An array of objects whose elements may be expressions."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        return apply_function(func, args, kwargs)

    def max(self, axis=None, **_):
        return _fold(maximum, self, axis)

    def min(self, axis=None, **_):
        return _fold(minimum, self, axis)

    def clip(self, low=None, high=None, **_):
        return clip(self, low, high)

    def astype(self, dtype, *args, **kwargs):
        return self.copy() if _is_float(dtype) else super().astype(dtype, *args, **kwargs)

    def mean(self, axis=None, **_):
        count = self.size if axis is None else self.shape[axis]
        return self.sum(axis=axis) / count

    def __bool__(self):
        return bool(self.item())


def _is_float(dtype):
    return dtype is None or dtype is float or (dtype is not object and np.dtype(dtype).kind == "f")


def array_of(values, shape=None):
    """An ExprArray of these elements."""
    values = list(values)
    made = np.empty(len(values), dtype=object)
    made[:] = values
    if shape is not None:
        made = made.reshape(shape)
    return made.view(ExprArray)


def plain(x):
    return x.view(np.ndarray) if isinstance(x, ExprArray) else x


def elementwise(f, *operands):
    """f on the broadcast elements of arrays; of scalars, f itself."""
    arrays = [x if isinstance(x, np.ndarray) else _object(x) for x in operands]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    flat = [np.broadcast_to(plain(x), shape).ravel() for x in arrays]
    made = [f(*(x.item() if isinstance(x, np.ndarray) else x for x in row)) for row in zip(*flat)]
    return made[0] if shape == () else array_of(made, shape)


def _object(x):
    if isinstance(x, (list, tuple)):
        return to_array(x)
    made = np.empty((), dtype=object)
    made[()] = x
    return made


def to_array(x):
    """Nested lists, arrays and expressions as an array; of objects where one is an expression."""
    if isinstance(x, np.ndarray):
        return x
    made = np.array(x, dtype=object) if _has_expr(x) else np.asarray(x)
    return made.view(ExprArray) if made.dtype == object else made


def _has_expr(x):
    if isinstance(x, (Expr, Truth)):
        return True
    if isinstance(x, np.ndarray):
        return x.dtype == object and builtins.any(_has_expr(y) for y in x.ravel())
    return isinstance(x, (list, tuple)) and builtins.any(_has_expr(y) for y in x)


def _fold(f, x, axis=None):
    x = to_array(x)
    if axis is None:
        items = list(plain(x).ravel())
        made = items[0]
        for item in items[1:]:
            made = f(made, item)
        return made
    rows = np.moveaxis(plain(x), axis, 0)
    made = rows[0]
    for row in rows[1:]:
        made = elementwise(f, made, row)
    return made


# One function per numpy ufunc, for scalars: numbers by numpy, expressions by nodes.
def _lifted(word, of_number, doc):
    op = OP[word]

    def f(x):
        if isinstance(x, Expr):
            return Expr(x._graph, x._graph.unary(op, x._node))
        if isinstance(x, (np.ndarray, list, tuple)):
            return elementwise(f, x) if _has_expr(x) else of_number(x)
        return of_number(x)

    f.__name__ = f.__qualname__ = of_number.__name__
    f.__doc__ = doc
    return f


def _lifted_pair(word, of_number, doc):
    op = OP[word]

    def f(x, y):
        if isinstance(x, (np.ndarray, list, tuple)) or isinstance(y, (np.ndarray, list, tuple)):
            return elementwise(f, x, y) if _has_expr(x) or _has_expr(y) else of_number(x, y)
        if isinstance(x, (Expr, Truth)) or isinstance(y, (Expr, Truth)):
            return _binary(op, *((z.expr(z.graph) if isinstance(z, Truth) else z) for z in (x, y)))
        return of_number(x, y)

    f.__name__ = f.__qualname__ = of_number.__name__
    f.__doc__ = doc
    return f


_DOC = "{} of numbers, expressions, and arrays of them."
sqrt = _lifted("sqrt", np.sqrt, _DOC.format("The square root"))
cbrt = _lifted("cbrt", np.cbrt, _DOC.format("The cubic root"))
exp = _lifted("exp", np.exp, _DOC.format("The exponential"))
log = _lifted("log", np.log, _DOC.format("The natural logarithm"))
sin = _lifted("sin", np.sin, _DOC.format("The sine"))
cos = _lifted("cos", np.cos, _DOC.format("The cosine"))
tan = _lifted("tan", np.tan, _DOC.format("The tangent"))
arcsin = _lifted("asin", np.arcsin, _DOC.format("The arc sine"))
arccos = _lifted("acos", np.arccos, _DOC.format("The arc cosine"))
arctan = _lifted("atan", np.arctan, _DOC.format("The arc tangent"))
sinh = _lifted("sinh", np.sinh, _DOC.format("The hyperbolic sine"))
cosh = _lifted("cosh", np.cosh, _DOC.format("The hyperbolic cosine"))
tanh = _lifted("tanh", np.tanh, _DOC.format("The hyperbolic tangent"))
absolute = _lifted("abs", np.absolute, _DOC.format("The absolute value"))
square = _lifted("sqr", np.square, _DOC.format("The square"))
arctan2 = _lifted_pair("atan2", np.arctan2, _DOC.format("The angle of (x, y), first y then x,"))
hypot = _lifted_pair("hypot", np.hypot, _DOC.format("The length of (x, y)"))
minimum = _lifted_pair("min", np.minimum, _DOC.format("The smaller"))
maximum = _lifted_pair("max", np.maximum, _DOC.format("The larger"))
power = _lifted_pair("pow", np.power, _DOC.format("x to the power y"))
_add = _lifted_pair("+", np.add, "")
_subtract = _lifted_pair("-", np.subtract, "")
_multiply = _lifted_pair("*", np.multiply, "")
_divide = _lifted_pair("/", np.true_divide, "")


def sign(x):
    """-1, 0 or 1. A switch that the motion meets again and again is better declared: system.relay(...).

    >>> import pawl
    >>> pawl.sign(-3.0)
    -1.0
    """
    if isinstance(x, Expr):
        return where(x > 0, 1.0, where(x < 0, -1.0, 0.0))
    return elementwise(sign, x) if _has_expr(x) else np.sign(x)


def clip(x, low, high):
    """Between low and high."""
    if low is not None:
        x = maximum(x, low)
    return x if high is None else minimum(x, high)


def interp(x, xp, fp, left=None, right=None):
    """Straight lines through the points (xp, fp), as numpy.interp: up to 256 points.

    >>> import pawl
    >>> float(pawl.interp(0.5, [0, 1], [2, 4]))
    3.0
    """
    if isinstance(x, (np.ndarray, list, tuple)) and _has_expr(x):
        return elementwise(lambda one: interp(one, xp, fp, left, right), x)
    if not isinstance(x, Expr):
        return np.interp(x, xp, fp, left, right)
    xp, fp = np.asarray(xp, float), np.asarray(fp, float)
    if len(xp) > 256:
        raise TypeError(f"interp through {len(xp)} points: a graph takes up to 256")
    left, right = fp[0] if left is None else left, fp[-1] if right is None else right

    def piece(low, high):  # between xp[low] and xp[high], by halves
        if high - low == 1:
            slope = (fp[high] - fp[low]) / (xp[high] - xp[low])
            return slope * (x - xp[low]) + fp[low]
        middle = (low + high) // 2
        return where(x < xp[middle], piece(low, middle), piece(middle, high))

    return where(x < xp[0], left, where(x > xp[-1], right, piece(0, len(xp) - 1)))


def _negative(x):
    return -x


def _reciprocal(x):
    return 1.0 / x


def _expm1(x):
    half = 0.5 * x
    return 2.0 * sinh(half) * exp(half)


def _heaviside(x, at_zero):
    return where(x > 0, 1.0, where(x < 0, 0.0, at_zero))


def _logaddexp(x, y):
    return maximum(x, y) + log(1.0 + exp(-absolute(x - y)))


def _not(x):
    return ~truth_of(x) if isinstance(x, (Expr, Truth)) else not x


def _and(x, y):
    x, y = (y, x) if not isinstance(x, (Expr, Truth)) else (x, y)
    return truth_of(x) & y


def _or(x, y):
    x, y = (y, x) if not isinstance(x, (Expr, Truth)) else (x, y)
    return truth_of(x) | y


UFUNCS = {
    np.add: _add, np.subtract: _subtract, np.multiply: _multiply, np.true_divide: _divide, np.power: power,
    np.float_power: power, np.negative: _negative, np.positive: lambda x: x, np.absolute: absolute, np.fabs: absolute,
    np.sqrt: sqrt, np.cbrt: cbrt, np.square: square, np.reciprocal: _reciprocal, np.exp: exp, np.log: log,
    np.exp2: lambda x: exp(LN2 * x), np.log2: lambda x: log(x) / LN2, np.log10: lambda x: log(x) / LN10,
    np.expm1: _expm1, np.log1p: lambda x: log(1.0 + x), np.sin: sin, np.cos: cos, np.tan: tan, np.arcsin: arcsin,
    np.arccos: arccos, np.arctan: arctan, np.arctan2: arctan2, np.hypot: hypot, np.sinh: sinh, np.cosh: cosh,
    np.tanh: tanh, np.minimum: minimum, np.maximum: maximum, np.fmin: minimum, np.fmax: maximum, np.sign: sign,
    np.deg2rad: lambda x: x * (math.pi / 180), np.radians: lambda x: x * (math.pi / 180),
    np.rad2deg: lambda x: x * (180 / math.pi), np.degrees: lambda x: x * (180 / math.pi),
    np.heaviside: _heaviside, np.logaddexp: _logaddexp, np.greater: lambda x, y: x > y,
    np.greater_equal: lambda x, y: x >= y, np.less: lambda x, y: x < y, np.less_equal: lambda x, y: x <= y,
    np.equal: lambda x, y: x == y, np.not_equal: lambda x, y: x != y, np.logical_not: _not, np.invert: _not,
    np.logical_and: _and, np.logical_or: _or, np.bitwise_and: _and, np.bitwise_or: _or, np.conjugate: lambda x: x,
}


def apply_ufunc(ufunc, method, inputs, kwargs):
    out = kwargs.pop("out", None)
    kwargs.pop("dtype", None)
    kwargs.pop("casting", None)
    if method == "__call__" and ufunc in UFUNCS and not kwargs:
        f = UFUNCS[ufunc]
        inputs = [to_array(x) if isinstance(x, (list, tuple)) else x for x in inputs]
        if builtins.any(isinstance(x, np.ndarray) for x in inputs):
            made = elementwise(lambda *row: f(*row) if _has_expr(row) else ufunc(*row), *inputs)
        else:
            made = f(*inputs)
    elif method == "reduce" and ufunc in (np.maximum, np.minimum, np.fmax, np.fmin):
        made = _fold(UFUNCS[ufunc], inputs[0], kwargs.get("axis", 0))
    elif ufunc in (np.add, np.multiply, np.subtract, np.matmul) or ufunc is np.matmul:
        made = getattr(ufunc, method)(*(_unwrapped(x) for x in inputs), **kwargs)
        if isinstance(made, np.ndarray) and made.dtype == object:
            made = made.view(ExprArray)
    else:
        raise TypeError(f"numpy.{ufunc.__name__} cannot be written as a graph")
    if out is not None:
        plain(out[0])[...] = made
        return out[0]
    return made


def _unwrapped(x):
    if isinstance(x, Expr):
        return _object(x)
    return plain(x)


def _norm(x, ord=None, axis=None):
    if ord not in (None, 2) or axis is not None:
        raise TypeError("numpy.linalg.norm of expressions is the Euclidean one of all elements")
    items = plain(to_array(x)).ravel()
    return sqrt(builtins.sum(item * item for item in items))


def _piecewise_select(conditions, choices, default=0):
    made = default
    for truth, choice in reversed(list(zip(conditions, choices))):
        made = where(truth, choice, made)
    return made


def _trapz(y, x=None, dx=1.0, axis=-1):
    y = plain(to_array(y))
    d = dx if x is None else np.diff(x)
    return (d * (y[1:] + y[:-1]) / 2.0).sum()


def _like(fill):
    def f(a, dtype=None, *args, **kwargs):
        shape = kwargs.get("shape")
        return array_of([fill] * int(np.prod(np.shape(a) if shape is None else shape)), np.shape(a) if shape is None else shape)

    return f


def _array(x, dtype=None, *args, **kwargs):
    return to_array(x).copy() if isinstance(x, np.ndarray) else to_array(x)


def _full_like(a, value, *args, **kwargs):
    return array_of([value] * int(np.size(a)), np.shape(a))


def _copy(x, *args, **kwargs):
    return to_array(x).copy()


FUNCTIONS = {
    np.where: where, np.interp: interp, np.clip: lambda a, a_min=None, a_max=None, **_: clip(a, a_min, a_max),
    np.linalg.norm: _norm, np.max: lambda a, axis=None, **_: _fold(maximum, a, axis),
    np.min: lambda a, axis=None, **_: _fold(minimum, a, axis), np.amax: lambda a, axis=None, **_: _fold(maximum, a, axis),
    np.amin: lambda a, axis=None, **_: _fold(minimum, a, axis), np.select: _piecewise_select, np.zeros_like: _like(0.0),
    np.empty_like: _like(0.0), np.ones_like: _like(1.0), np.full_like: _full_like, np.copy: _copy, np.trapz: _trapz,
    np.ndim: lambda a: len(np.shape(plain(to_array(a)))), np.nan_to_num: None, np.real: lambda x: x,
    np.mean: lambda a, axis=None, **_: to_array(a).view(ExprArray).mean(axis),
}
# numpy's own code on arrays of objects, which only moves, adds and multiplies them.
STRUCTURAL = {
    np.sum, np.prod, np.cumsum, np.cumprod, np.dot, np.vdot, np.inner, np.outer, np.cross, np.diff, np.concatenate, np.stack, np.hstack,
    np.vstack, np.column_stack, np.append, np.roll, np.reshape, np.ravel, np.transpose, np.tile, np.repeat, np.split,
    np.array_split, np.flip, np.pad, np.insert, np.delete, np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d,
    np.shape, np.size, np.trace, np.diag, np.take, np.moveaxis, np.swapaxes, np.broadcast_to, np.kron, np.tensordot,
    np.convolve, np.fliplr, np.flipud, np.meshgrid, np.tril, np.triu, np.rot90,
}


def apply_function(func, args, kwargs):
    if func in FUNCTIONS and FUNCTIONS[func] is not None:
        return FUNCTIONS[func](*args, **kwargs)
    if func in STRUCTURAL:
        made = func(*(_stripped(x) for x in args), **{k: _stripped(x) for k, x in kwargs.items()})
        return _dressed(made)
    raise TypeError(f"numpy.{func.__name__} cannot be written as a graph")


def _stripped(x):
    if isinstance(x, Expr):
        return _object(x)
    if isinstance(x, (list, tuple)):
        return type(x)(_stripped(y) if isinstance(y, (np.ndarray, list, tuple, Expr)) else y for y in x) if _has_expr(x) else x
    return plain(x)


def _dressed(x):
    if isinstance(x, np.ndarray) and x.dtype == object:
        return x.item() if x.ndim == 0 else x.view(ExprArray)
    return [_dressed(y) for y in x] if isinstance(x, list) else x
