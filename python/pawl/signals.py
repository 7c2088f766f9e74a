"""Courses of inputs over time."""

from . import _pawl
from .errors import Misuse
from .expr import TIME, Expr, node_of, t as time


class Signal:
    """The course of an input: a number, steps, a polyline, a spline, or a function of time.

    >>> import pawl
    >>> tank = pawl.System("tank")
    >>> level = tank.state("level", 0.0)
    >>> inflow = tank.input("inflow", pawl.Signal.polyline([(0, 0), (1, 2), (4, 2)]))
    >>> tank.rates({level: inflow})
    >>> round(float(tank.simulate(2).final[level]), 12)
    3.0
    """

    __slots__ = ("_kind", "_points", "_core")

    def __init__(self, constant):
        self._set("constant", float(constant))

    def _set(self, kind, points):
        self._kind, self._points = kind, points
        if kind == "constant":
            self._core = _pawl.Signal(points)
        elif kind == "function":
            text, corners = points
            graph, outputs = _pawl.Graph.read(text)
            self._core = _pawl.Signal.function(_pawl.GraphFunction(graph, outputs), corners)
        else:
            self._core = getattr(_pawl.Signal, kind)([(float(t), float(value)) for t, value in points])

    @classmethod
    def _of(cls, kind, points):
        made = cls.__new__(cls)
        made._set(kind, points)
        return made

    @classmethod
    def steps(cls, points):
        """From each point (t, value) on its value, until the next."""
        return cls._of("steps", list(points))

    @classmethod
    def polyline(cls, points):
        """Straight lines from point to point."""
        return cls._of("polyline", list(points))

    @classmethod
    def spline(cls, points):
        """The natural cubic spline through the points."""
        return cls._of("spline", list(points))

    @classmethod
    def function(cls, f, corners=()):
        """A function of time, smooth but for the corners: an expression of pawl.t, or a function that makes one."""
        made = f(time) if callable(f) else f
        graph = _pawl.Graph()
        if isinstance(made, Expr) and made._graph.order([made._node]):
            reads = [made._graph.node(n)[0] for n in made._graph.order([made._node])]
            if any(0 < op < 10 and op != TIME for op in reads):
                raise Misuse(f"`{made!r}` is no function of time alone")
        node = node_of(made, graph)
        return cls._of("function", (graph.write([node]), [float(c) for c in corners]))

    def __reduce__(self):
        return (Signal._of, (self._kind, self._points))

    def __repr__(self):
        return f"Signal.{self._kind}" if self._kind != "constant" else f"Signal({self._points})"


def core_signal(value):
    """A number, a Signal, an expression of time or a function of it, as the engine has it."""
    if isinstance(value, Signal):
        return value._core
    if isinstance(value, Expr) or callable(value):
        return Signal.function(value)._core
    return _pawl.Signal(float(value))
