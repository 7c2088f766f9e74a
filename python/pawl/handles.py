"""Handles: what a model has been told about, by name. Most are expressions as well."""

from . import _pawl
from .expr import (CONSTRAINT, CONTACT, GUARD, INPUT, MODE, NUMBER, OBSERVABLE, OP, PARAMETER, RATE, RELAY, STATE, TIME_EVENT, TRUTH, Expr, truth_of)
from .errors import Misuse

WORDS = {
    STATE: "state", PARAMETER: "parameter", NUMBER: "number", MODE: "mode", TRUTH: "truth", RELAY: "relay",
    INPUT: "input", GUARD: "guard", TIME_EVENT: "time_event", OBSERVABLE: "observable", CONSTRAINT: "constraint",
}


class Handle(Expr):
    """A quantity that was declared: a state, parameter, discrete variable, condition, relay or input."""

    __slots__ = ("_system", "kind", "index", "name", "_dot")

    def __init__(self, system, kind, index, name):
        super().__init__(system._graph, system._graph.input(kind, index))
        self._system, self.kind, self.index, self.name = system, kind, index, name
        self._dot = None
        system._graph.name(kind, index, name)

    @property
    def dot(self):
        """The rate of a state; of a coordinate its speed, a state of its own."""
        if self.kind != STATE:
            raise Misuse(f"'{self.name}' is no state: it has no rate")
        if self._dot is None:
            return Expr(self._graph, self._graph.input(RATE, self.index))
        return self._dot


class Named:
    """What a model knows by name and nobody computes with: a guard, a time event, an observable, a constraint."""

    __slots__ = ("_system", "kind", "index", "name", "rows")

    def __init__(self, system, kind, index, name, rows=1):
        self._system, self.kind, self.index, self.name, self.rows = system, kind, index, name, rows

    def __getitem__(self, row):
        if self.kind != CONSTRAINT or not 0 <= row < self.rows:
            raise IndexError(row)
        return Named(self._system, CONSTRAINT, self.index + row, f"{self.name}[{row + 1}]")

    def __repr__(self):
        return self.name

    def _refuse(self, *_):
        raise Misuse(
            f"'{self.name}' is read from results, run[{self.name!r}], and by functions that are called; nothing is computed with it in a model")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = __pow__ = _refuse
    __float__ = __gt__ = __lt__ = __ge__ = __le__ = _refuse


class Contact:
    """A contact: contact.normal and contact.slip are the forces, contact.mode is how it stands.

    The mode is 0 open, 1 closed, 2 stick, 3 slip, 4 slip_back.
    """

    __slots__ = ("_system", "kind", "index", "name", "normal", "slip", "mode")

    def __init__(self, system, name, index, normal, slip, mode, tangents):
        self._system, self.kind, self.index, self.name = system, CONTACT, index, name
        self.normal = Named(system, CONSTRAINT, normal, f"{name}.normal")
        self.slip = Named(system, CONSTRAINT, slip, f"{name}.slip", tangents) if slip >= 0 else None
        self.mode = system._handle(MODE, mode)

    def _indices(self):
        return self.index, self.normal.index, -1 if self.slip is None else self.slip.index, self.mode.index

    def __repr__(self):
        return self.name


def logic_of(x):
    """A truth as a proposition over what is held, for only_when=, decide(...) and gates."""
    if x is None or x is True:
        return _pawl.Logic()
    x = truth_of(x)
    if x.kind == "not":
        return ~logic_of(x.parts[0])
    if x.kind == "and":
        return logic_of(x.parts[0]) & logic_of(x.parts[1])
    if x.kind == "or":
        return logic_of(x.parts[0]) | logic_of(x.parts[1])
    if x.kind == "moving":
        raise Misuse(f"`{x!r}` moves: declare it, `low = system.condition('low', ...)`, and use that")
    return _logic_of_node(x.graph, x.parts[0]._node, x)


def _logic_of_node(graph, node, whole):
    op, a, b, _ = graph.node(node)
    if op == MODE:
        return _pawl.Logic.mode(a, 1)
    if op == TRUTH:
        return _pawl.Logic.condition(a)
    if op == OP["not"]:
        return ~_logic_of_node(graph, a, whole)
    if op in (OP["and"], OP["or"]):
        x, y = _logic_of_node(graph, a, whole), _logic_of_node(graph, b, whole)
        return x & y if op == OP["and"] else x | y
    if op in (OP["=="], OP["<"], OP["<="]):
        left, right = graph.node(a), graph.node(b)
        value = next((graph.value_of(i) for i in (a, b) if graph.is_constant(i)), None)
        other, is_left = (left, True) if not graph.is_constant(a) else (right, False)
        if op == OP["=="] and other[0] == MODE and value is not None and value == int(value):
            return _pawl.Logic.mode(other[1], int(value))
        if other[0] == TRUTH and value == 0:
            sign = _pawl.Logic.sign
            if op == OP["=="]:
                return sign(other[1], 0)
            if op == OP["<"]:
                return sign(other[1], -1 if is_left else 1)
            return ~sign(other[1], 1 if is_left else -1)
    raise Misuse(f"`{whole!r}` is no proposition: conditions, relations compared with 0, discrete bools and ints compared by == are")
