"""Expressions: what a model is written with. Each is a node of its model's graph."""

import math
import numbers

import numpy as np

from . import _pawl
from .errors import BRANCH_ADVICE, Branch, Misuse

OP = {word: number for number, word in enumerate(_pawl.op_words)}
OP["neg"] = _pawl.op_words.index("-")  # the first of two operations that are written so
_ADD, _SUB, _MUL, _DIV = OP["+"], OP["-"], OP["*"], OP["/"]
TIME, STATE, RATE, PARAMETER, NUMBER, MODE, TRUTH, RELAY, INPUT = range(1, 10)
GUARD, TIME_EVENT, CONTACT, OBSERVABLE, CONSTRAINT = range(100, 105)


class Expr:
    """A quantity of a model, or something computed from such quantities.

    >>> import pawl
    >>> ball = pawl.System("ball")
    >>> height = ball.state("height", 1.0)
    >>> pawl.sqrt(2 * height / 9.81)
    sqrt(2 * height / 9.81)
    """

    __slots__ = ("_graph", "_node")

    def __hash__(self):
        return hash((id(self._graph), self._node))

    def __init__(self, graph, node):
        self._graph = graph
        self._node = node

    # Arithmetic.
    def __add__(self, other):
        return _binary(_ADD, self, other)

    def __radd__(self, other):
        return _binary(_ADD, other, self)

    def __sub__(self, other):
        return _binary(_SUB, self, other)

    def __rsub__(self, other):
        return _binary(_SUB, other, self)

    def __mul__(self, other):
        return _binary(_MUL, self, other)

    def __rmul__(self, other):
        return _binary(_MUL, other, self)

    def __truediv__(self, other):
        return _binary(_DIV, self, other)

    def __rtruediv__(self, other):
        return _binary(_DIV, other, self)

    def __pow__(self, other):
        return _binary(OP["pow"], self, other)

    def __rpow__(self, other):
        return _binary(OP["pow"], other, self)

    def __neg__(self):
        return Expr(self._graph, self._graph.unary(OP["neg"], self._node))

    def __pos__(self):
        return self

    def __abs__(self):
        return Expr(self._graph, self._graph.unary(OP["abs"], self._node))

    # Comparisons: of what is held, a held truth; of what moves, something for where(...) and condition(...).
    def __gt__(self, other):
        return _compare(self, other, ">")

    def __ge__(self, other):
        return _compare(self, other, ">=")

    def __lt__(self, other):
        return _compare(self, other, "<")

    def __le__(self, other):
        return _compare(self, other, "<=")

    def __eq__(self, other):
        return _equal(self, other)

    def __ne__(self, other):
        made = _equal(self, other)
        return (not made) if isinstance(made, bool) else ~made

    # Logic of held truths.
    def __invert__(self):
        return truth_of(self).negated()

    def __and__(self, other):
        return truth_of(self) & other

    def __or__(self, other):
        return truth_of(self) | other

    __rand__ = __and__
    __ror__ = __or__

    def __bool__(self):
        raise Branch(BRANCH_ADVICE.format(what=f"`{self!r}`"))

    def __float__(self):
        raise Branch(BRANCH_ADVICE.format(what=f"`{self!r}`"))

    __int__ = __index__ = __round__ = __float__

    def __complex__(self):
        raise Branch(BRANCH_ADVICE.format(what=f"`{self!r}`"))

    def __repr__(self):
        return self._graph.text(self._node, 6)

    def __reduce__(self):
        raise Misuse(f"`{self!r}` belongs to its model: pickle the model and read its handles by name, model['name']")

    # numpy.
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        from .arrays import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        from .arrays import apply_function

        return apply_function(func, args, kwargs)

    # What numpy calls on the elements of an array of objects.
    def conjugate(self):
        return self

    @property
    def real(self):
        return self

    @property
    def imag(self):
        return 0.0

    @property
    def ndim(self):
        return 0

    @property
    def shape(self):
        return ()

    def item(self):
        return self


def _whose(x):
    system = getattr(x, "_system", None)
    return f", '{system.name}'" if system is not None else ""


def common_graph(*operands):
    """The graph of the operands that have one; a free one only where there is no other."""
    found = None
    for x in operands:
        graph = x._graph if isinstance(x, Expr) else x.graph if isinstance(x, Truth) else None
        if graph is not None and (found is None or found is FREE):
            found = graph
    return found


def is_number(x):
    return isinstance(x, numbers.Real) or (isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype.kind in "fiub")


FREE = _pawl.Graph()  # of expressions that belong to no system and join any: pawl.t and what is made of it alone
t = Expr(FREE, FREE.input(TIME, 0))


def _joined(x, graph):
    """A free expression as a node of a system's graph."""
    made = {}
    for node in FREE.order([x._node]):
        op, a, b, c = FREE.node(node)
        if op == 0:
            made[node] = graph.constant(FREE.value_of(node))
        elif op < 10:
            made[node] = graph.input(op, a)
        elif c >= 0:
            made[node] = (graph.select if op == OP["select"] else graph.choose)(made[a], made[b], made[c])
        else:
            made[node] = graph.unary(op, made[a]) if b < 0 else graph.binary(op, made[a], made[b])
    return made[x._node]


def node_of(x, graph):
    """The node of an expression or number in this graph."""
    if isinstance(x, Expr):
        if x._graph is graph:
            return x._node
        if x._graph is FREE:
            return _joined(x, graph)
        raise Misuse(f"`{x!r}` belongs to another system{_whose(x)}")
    if isinstance(x, Truth):
        return x.expr(graph)._node
    if isinstance(x, numbers.Real):
        return graph.constant(float(x))
    if isinstance(x, np.ndarray) and x.ndim == 0:
        return node_of(x.item(), graph)
    raise TypeError(f"{x!r} is neither a number nor an expression")


def _binary(op, x, y):
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return NotImplemented
    graph = common_graph(x, y)
    try:
        return Expr(graph, graph.binary(op, node_of(x, graph), node_of(y, graph)))
    except TypeError:
        if isinstance(x, (Expr, Truth, numbers.Real)) and isinstance(y, (Expr, Truth, numbers.Real)):
            raise
        return NotImplemented


def unary(word, x):
    return Expr(x._graph, x._graph.unary(OP[word], x._node))


class Truth:
    """A comparison, or several joined by & and |. It has no value yet: it goes into where(...), condition(...), only_when=.

    Inside: a tree of leaves ("moving", left - right, strict), held expressions, and their logic.
    """

    __slots__ = ("graph", "kind", "parts")
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __array_function__(self, func, types, args, kwargs):
        from .arrays import apply_function

        return apply_function(func, args, kwargs)

    def __init__(self, graph, kind, *parts):
        self.graph, self.kind, self.parts = graph, kind, parts

    def negated(self):
        if self.kind == "not":
            return self.parts[0]
        return Truth(self.graph, "not", self)

    __invert__ = negated

    def __and__(self, other):
        return _join("and", self, other)

    def __or__(self, other):
        return _join("or", self, other)

    __rand__ = __and__
    __ror__ = __or__

    def __bool__(self):
        raise Branch(BRANCH_ADVICE.format(what=f"`{self!r}`"))

    def __float__(self):
        raise Branch(BRANCH_ADVICE.format(what=f"`{self!r}`"))

    def choose(self, a, b):
        """a where it holds, b where not, as an expression."""
        if self.kind == "not":
            return self.parts[0].choose(b, a)
        if self.kind == "and":
            return self.parts[0].choose(self.parts[1].choose(a, b), b)
        if self.kind == "or":
            return self.parts[0].choose(a, self.parts[1].choose(a, b))
        graph = common_graph(self, a, b)
        by, a, b = node_of(self.parts[0], graph), node_of(a, graph), node_of(b, graph)
        return Expr(graph, (graph.choose if self.kind == "held" else graph.select)(by, a, b))

    def expr(self, graph):
        made = self.choose(1.0, 0.0)
        return Expr(graph, node_of(made, graph))

    def __mul__(self, other):
        return self.expr(self.graph) * other

    __rmul__ = __mul__

    def __add__(self, other):
        return self.expr(self.graph) + other

    __radd__ = __add__

    def __rsub__(self, other):
        return other - self.expr(self.graph)

    def __sub__(self, other):
        return self.expr(self.graph) - other

    def __repr__(self):
        if self.kind == "not":
            return f"not ({self.parts[0]!r})"
        if self.kind in ("and", "or"):
            return f"({self.parts[0]!r} {self.kind} {self.parts[1]!r})"
        return f"{self.parts[0]!r}" if self.kind == "held" else f"{self.parts[0]!r} > 0"


def truth_of(x):
    """A held expression, a condition or a bool variable as a truth."""
    if isinstance(x, Truth):
        return x
    if isinstance(x, Expr):
        if x._graph.is_moving(x._node):
            raise Branch(f"`{x!r}` moves and is no truth: compare it, as in `x > 0`")
        return Truth(x._graph, "held", x)
    raise TypeError(f"{x!r} is no truth: a comparison, a condition, or a discrete bool is")


def _join(kind, x, y):
    if isinstance(y, (bool, np.bool_)):
        holds = bool(y)
        if kind == "and":
            return x if holds else Truth(x.graph, "held", Expr(x.graph, x.graph.constant(0.0)))
        return Truth(x.graph, "held", Expr(x.graph, x.graph.constant(1.0))) if holds else x
    y = truth_of(y)
    return Truth(common_graph(x, y), kind, x, y)


def _compare(x, y, how):
    if isinstance(y, np.ndarray):
        return NotImplemented
    if not isinstance(y, (Expr, numbers.Real)):
        return NotImplemented
    graph = common_graph(x, y)
    a, b = node_of(x, graph), node_of(y, graph)
    if not graph.is_moving(a) and not graph.is_moving(b):
        if how in ("<", "<="):
            return Expr(graph, graph.binary(OP["<"] if how == "<" else OP["<="], a, b))
        return Expr(graph, graph.binary(OP["<"] if how == ">" else OP["<="], b, a))
    if how == ">":
        return Truth(graph, "moving", Expr(graph, graph.binary(_SUB, a, b)))
    if how == "<":
        return Truth(graph, "moving", Expr(graph, graph.binary(_SUB, b, a)))
    if how == ">=":
        return Truth(graph, "moving", Expr(graph, graph.binary(_SUB, b, a))).negated()
    return Truth(graph, "moving", Expr(graph, graph.binary(_SUB, a, b))).negated()


def _equal(x, y):
    if y is None or isinstance(y, (str, tuple, list, dict)):
        return False
    if isinstance(y, Expr) and y._graph is not x._graph and FREE not in (x._graph, y._graph):
        return False
    if not isinstance(y, (Expr, numbers.Real)):
        return NotImplemented
    graph = common_graph(x, y)
    a, b = node_of(x, graph), node_of(y, graph)
    if a == b:
        return True  # the same quantity: dictionaries and `in` look for that
    if graph.is_moving(a) or graph.is_moving(b):
        raise Branch(
            f"`{x!r} == {y!r}`: what moves is never compared by ==. An equation of the model is"
            " system.equation(name, left, right); an instant at which both are equal is system.guard(name, left - right)"
        )
    return Expr(graph, graph.binary(OP["=="], a, b))


def where(truth, a, b):
    """a where the truth holds, b elsewhere; both may be numbers, expressions or arrays of them.

    By a held truth (a discrete bool, a condition) only one side is evaluated. By a comparison of what moves both are,
    and the kink is left to error control: a switch that matters is a condition or a relay of the model.

    >>> import pawl
    >>> ball = pawl.System("ball")
    >>> speed = ball.state("speed", 0.0)
    >>> pawl.where(speed > 0, -1, 1)
    select(speed, -1, 1)
    """
    if isinstance(truth, (Expr, Truth)) and not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray):
        return truth_of(truth).choose(a, b)
    if isinstance(truth, (bool, np.bool_)):
        return a if truth else b
    from .arrays import elementwise

    return elementwise(where, truth, a, b)


# Methods by numpy's names, which its loops over objects call, e.g. x.sin().
for _name, _word in {
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "square": "sqr", "fabs": "abs", "absolute": "abs",
}.items():
    setattr(Expr, _name, lambda self, word=_word: unary(word, self))
for _name, _word in {"arctan2": "atan2", "hypot": "hypot", "minimum": "min", "maximum": "max"}.items():
    setattr(Expr, _name, lambda self, other, op=OP[_word]: _binary(op, self, other))

LN10, LN2 = math.log(10.0), math.log(2.0)
