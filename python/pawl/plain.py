"""Systems made from plain functions of (t, y): what solve_ivp and solve_dae run."""

import numpy as np

from . import _pawl
from .expr import OP, RELAY, Expr
from .system import System, declares


class PlainSystem(System):
    """A system whose states are y0, y1, ..., made from plain functions."""

    @declares
    def plain_states(self, y0):
        for i, value in enumerate(y0):
            self._core.state(f"y{i}", float(value))

    def _plain(self, name, *args):
        self._log.append((name, args, {}))

    def plain_rates(self, rows, made=None):
        """Rows of expressions (their function may be made already), or a Python function of (t, y)."""
        if callable(rows):
            self.is_traced = False
            self._core.rates_called(rows, self._core.size)
        else:
            self._core.rates(made or self._function(*rows), list(range(len(rows))))
        self._plain("plain_rates", rows)

    def plain_equations(self, rows, made=None):
        if callable(rows):
            self.is_traced = False
            self._core.equations_called("fun", rows, self._core.size)
        else:
            self._core.equations("fun", made or self._function(*rows))
        self._plain("plain_equations", rows)

    def plain_jacobian(self, f):
        self._core.jacobian_called(_Dense(f), self._core.size)
        self._plain("plain_jacobian", f)

    def plain_event(self, number, g, direction, terminal, made=None):
        name = f"event {number}"
        then = None
        if terminal == 1:
            then = _pawl.Assigned(self._graph, [], [], name)
        elif terminal:
            then = _Counted(terminal, name)
        if callable(g):
            self.is_traced = False
            made = _pawl.CalledGuard(g, self._core.size)
        made = made or self._function(g)
        self._core.guard(name, made, direction, False, False, False, _pawl.Logic(), then, None, 0.0, 0.0)
        self._plain("plain_event", number, g, direction, terminal)


class _Dense:
    """A Jacobian as a full matrix: a function of (t, y), or a constant."""

    def __init__(self, f):
        self._f = f

    def __call__(self, t, y):
        matrix = self._f(t, y) if callable(self._f) else self._f
        return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix, float)


class _Counted:
    """Ends a run at an event that has happened so often."""

    def __init__(self, most, name):
        self._most, self._name, self._seen = most, name, 0

    def __call__(self, view):
        self._seen += 1
        if self._seen == self._most:
            view.terminate(self._name)


def with_relays(system, y0):
    """The same system with every select of its rates as a relay; None where a switch depends on another."""
    rates = next(args[0] for name, args, _ in system._log if name == "plain_rates")
    made = PlainSystem(system.name)
    made._graph = system._graph  # it grows; the nodes of the rates stay
    made.plain_states([float(value) for value in y0])
    graph, relays, new = system._graph, {}, {}
    for node in graph.order([row._node for row in rates]):
        op, a, b, c = graph.node(node)
        if op < 10:
            new[node] = node
        elif op == OP["select"]:
            if graph.reads([new[a]], RELAY) != [[]]:
                return None
            new[node] = _switched(made, relays, new[a], new[b], new[c])
        elif c >= 0:
            new[node] = graph.choose(new[a], new[b], new[c])
        else:
            new[node] = graph.unary(op, new[a]) if b < 0 else graph.binary(op, new[a], new[b])
    if not relays:
        return None
    made.plain_rates([Expr(graph, new[row._node]) for row in rates])
    for name, args, _ in system._log:
        if name == "plain_event":
            made.plain_event(*args)
    return made


def _switched(system, relays, g, a, b):
    """b + u (a - b), with u from 0 to 1 where g rises through zero; -g has the relay of g."""
    graph = system._graph
    opposite = graph.unary(OP["neg"], g)
    op, left, right, _ = graph.node(g)
    turned = graph.binary(OP["-"], right, left) if op == OP["-"] and right >= 0 else opposite
    for other in (opposite, turned):
        if other in relays:
            return graph.binary(OP["+"], a, graph.binary(OP["*"], relays[other], graph.binary(OP["-"], b, a)))
    if g not in relays:
        relays[g] = system.relay(f"switch {len(relays) + 1}", Expr(graph, g), below=0.0, above=1.0)._node
    return graph.binary(OP["+"], b, graph.binary(OP["*"], relays[g], graph.binary(OP["-"], a, b)))
