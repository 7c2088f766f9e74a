"""System: what is simulated. Declarations read as sentences; each returns the handle that later reads the same quantity."""

import functools
import math
import numbers

import numpy as np

from . import _pawl
from .arrays import array_of, plain, to_array
from .errors import Misuse
from .expr import (CONSTRAINT, GUARD, INPUT, MODE, NUMBER, OBSERVABLE, PARAMETER, RATE, RELAY, STATE, TIME, TIME_EVENT, TRUTH,
                   Expr, Truth, node_of)
from .handles import Handle, Named, logic_of
from .jump import called_at, called_jump
from .model import Model, _number
from .shapes import Shape
from .signals import core_signal
from .written import again, written

WRITABLE = (STATE, PARAMETER, NUMBER, MODE, INPUT)


def declares(method):
    """A sentence of the model: refused while it runs, and remembered, so that the model can be copied and pickled."""

    @functools.wraps(method)
    def wrapped(self, *args, **kwargs):
        if self._running:
            raise Misuse(f"the system '{self.name}' is edited while it runs: declare everything first, or edit a copy, system.copy()")
        if self._depth:
            return method(self, *args, **kwargs)
        self._depth += 1
        try:
            made = method(self, *args, **kwargs)
        finally:
            self._depth -= 1
        self._log.append((method.__name__, args, kwargs))
        return made

    return wrapped


class System(Model):
    """A model: states with rates or equations, events, and what is watched.

    >>> import pawl
    >>> ball = pawl.System("ball")
    >>> height, speed = ball.states(height=1.0, speed=0.0)
    >>> g, e = ball.parameters(g=9.81, e=0.7)
    >>> resting = ball.discrete("resting", False)
    >>> ball.rates({height: speed, speed: pawl.where(resting, 0, -g)})
    >>> ground = ball.guard("ground", height, falling=True, unilateral=True, only_when=~resting,
    ...                     then={speed: -e * speed}, at_accumulation={height: 0, speed: 0, resting: True})
    >>> run = ball.simulate(3, rtol=1e-9)
    >>> round(float(run.events[-1].t), 10), run.events[-1].kind
    (2.5586339656, 'accumulation')
    """

    _core_class = _pawl.System

    def __init__(self, name):
        super().__init__(self._core_class(str(name)), _pawl.Graph())
        self._depth = 0
        self.is_traced = True

    def __repr__(self):
        names = self._core.names()
        counts = [(len(names[kind]), word) for kind, word in
                  (("state", "state"), ("parameter", "parameter"), ("guard", "guard"), ("constraint", "constraint"))]
        said = ", ".join(f"{n} {word}{'s' if n > 1 else ''}" for n, word in counts if n)
        return f"<pawl.{type(self).__name__} '{self.name}': {said or 'nothing declared'}>"

    # Quantities.
    @property
    def t(self):
        """Time, as an expression of this system; pawl.t serves all."""
        return Expr(self._graph, self._graph.input(TIME, 0))

    @declares
    def state(self, name, start):
        """A state and its start value. A list of starts makes an array of states name1, name2, ..."""
        if np.ndim(start):
            starts = np.asarray(start, float)
            flat = [self.state(f"{name}{i + 1}", value) for i, value in enumerate(starts.ravel())]
            return array_of(flat, starts.shape)
        return self._handle(STATE, self._core.state(str(name), _number(start, f"the start of '{name}'")), name)

    @declares
    def states(self, **starts):
        """Several states: height, speed = ball.states(height=1.0, speed=0.0)."""
        return tuple(self.state(name, start) for name, start in starts.items())

    @declares
    def parameter(self, name, value):
        """A number that a run may be given another value for."""
        return self._handle(PARAMETER, self._core.parameter(str(name), _number(value, f"'{name}'")), name)

    @declares
    def parameters(self, **values):
        """Several parameters: g, e = ball.parameters(g=9.81, e=0.7)."""
        return tuple(self.parameter(name, value) for name, value in values.items())

    @declares
    def discrete(self, name, start):
        """A variable that is held between events and changed by them: a bool, an int or a float."""
        if isinstance(start, (bool, np.bool_)):
            return self._handle(MODE, self._core.discrete_bool(name, bool(start)), name)
        if isinstance(start, (int, np.integer)):
            return self._handle(MODE, self._core.discrete_int(name, int(start)), name)
        return self._handle(NUMBER, self._core.discrete_number(name, _number(start, f"the start of '{name}'")), name)

    @declares
    def input(self, name, signal):
        """A quantity given from outside: a number, a Signal, or an expression of pawl.t."""
        return self._handle(INPUT, self._core.input(name, core_signal(signal)), name)

    # Functions.
    def _function(self, *rows):
        return _pawl.GraphFunction(self._graph, [node_of(row, self._graph) for row in rows])

    def _rows(self, f, what):
        """One expression, or a Python function f(at) that is called with numbers."""
        if callable(f) and not isinstance(f, (Expr, np.ndarray)):
            self.is_traced = False
            return called_at(self, f)
        return self._function(_scalar(f, what))

    def _pairs(self, terms, what):
        """{state: expression}, or pairs of (arrays of) states and expressions, as two lists."""
        states, rows = [], []
        for key, value in terms.items() if isinstance(terms, dict) else terms:
            keys = list(plain(key).ravel()) if isinstance(key, np.ndarray) else [key]
            values = list(np.broadcast_to(plain(to_array(value)), plain(key).shape).ravel()) if isinstance(key, np.ndarray) else [value]
            for one, row in zip(keys, values):
                self._own(one, what)
                if one.kind != STATE:
                    raise Misuse(f"{what} are given for states; '{one.name}' is none")
                states.append(one.index)
                rows.append(_scalar(row, f"{what} of '{one.name}'"))
        return states, rows

    @declares
    def rates(self, rates, states=None):
        """x' = f(t, x): {state: expression}, pairs of arrays, or a Python function f(at) with the states it is for.

        A function is called as it is, with numbers: derivatives by differences, the interpreter's lock taken.
        """
        if callable(rates):
            own = [self._handle(STATE, i) for i in range(self._core.size)] if states is None else list(states)
            self.is_traced = False
            indices = [self._own(x, "rates").index for x in own]

            def row(at):
                made = rates(at)
                if not isinstance(made, dict):
                    return made
                by_index = {x.index: value for x, value in made.items()}
                return [by_index[i] for i in indices]

            return self._core.rates_called_at(called_at(self, row), indices)
        indices, rows = self._pairs(rates, "rates")
        order = sorted(range(len(indices)), key=lambda i: indices[i])
        if len(set(indices)) < len(indices):
            raise Misuse("a state is given two rates")
        self._core.rates(self._function(*(rows[i] for i in order)), [indices[i] for i in order])

    @declares
    def mass_matrix(self, entries):
        """M x' = f with f from rates(...): {(x, y): entry}; the row of a state is the line its rate stands on."""
        self._core.mass_matrix(*self._entries(entries, "the mass matrix"))

    def _entries(self, entries, what):
        places, rows = [], []
        for (x, y), value in entries.items():
            places.append((self._own(x, what).index, self._own(y, what).index))
            rows.append(_scalar(value, what))
        return self._function(*rows), places

    @declares
    def equation(self, name, left, right=0):
        """left = right, over states and their rates x.dot. Which are differential or algebraic, and the index, follow.

        >>> import pawl
        >>> rc = pawl.System("rc")
        >>> u, i = rc.states(u=0.0, i=0.0)
        >>> rc.equation("loop", 10 * pawl.sin(314 * pawl.t) - 5 * i, u)
        >>> rc.equation("capacitor", 1e-3 * u.dot, i)
        >>> rc.simulate(0.1).outcome
        'finished'
        """
        left, right = plain(to_array(left)), plain(to_array(right))
        difference = np.ravel(left - right) if left.ndim or right.ndim else [_minus(left.item(), right.item())]
        rows = [_scalar(row, f"the equation '{name}'") for row in difference]
        if len(rows) == 1:
            self._core.equation(name, self._function(*rows))
        else:
            self._core.equations(name, self._function(*rows))

    @declares
    def nominal(self, state, size):
        """The typical size of a state: its absolute tolerance is the relative one times this."""
        self._core.nominal(self._own(state, "nominal").index, _number(size, "a nominal size"))

    @declares
    def start(self, values):
        """Start values that follow from parameters and other starts: {state: expression}. A value set for a run wins."""
        states, rows = self._pairs(values, "start values")
        nodes = [node_of(row, self._graph) for row in rows]
        for node in self._graph.order(nodes):
            if 0 < self._graph.node(node)[0] < 10 and self._graph.node(node)[0] not in (PARAMETER, STATE):
                raise Misuse(f"start values follow from parameters and declared starts; `{self._graph.text(node, 1)}` is neither")
        self._core.start(self._graph, nodes, states)

    # Events.
    def _jump(self, then, stop=None):
        """What happens at an event: {handle: expression}, read before and written at once, or a function (jump)."""
        if callable(then):
            if stop:
                raise Misuse("a function ends the run by jump.terminate(reason); stop= goes with then={...}")
            self.is_traced = False
            return called_jump(self, then)
        if then is None and not stop:
            return None
        targets, nodes = [], []
        for key, value in (then or {}).items():
            self._own(key, "then={...}")
            if key.kind not in WRITABLE:
                raise Misuse(f"'{key.name}' is decided by the engine: events assign states, parameters, discrete variables and inputs")
            targets.append((key.kind, key.index))
            nodes.append(node_of(_scalar(value, f"then of '{key.name}'"), self._graph))
        for node in self._graph.order(nodes):
            if self._graph.node(node)[0] in (RATE, RELAY):
                raise Misuse(f"`{self._graph.text(node, 1)}` cannot be read by an event; states, parameters, discrete variables, conditions and inputs can")
        reason = stop if isinstance(stop, str) else "stopped by the event" if stop else ""
        return _pawl.Assigned(self._graph, nodes, targets, reason)

    @declares
    def guard(self, name, g, *, rising=False, falling=False, unilateral=False, touching=False, reporting_departure=False,
              only_when=None, then=None, stop=None, at_accumulation=None, min_width=0.0, rate_bound=0.0):
        """A function of the motion whose zeros are events.

        then={handle: expression}: what is read is read before the event, all is written at once. stop="reason" ends
        the run there. A function then=f(jump) may do anything, with the interpreter's lock. g may be a comparison.
        """
        return Named(self, GUARD, self._core.guard(
            name, self._rows(_difference(g), f"the guard '{name}'"), _direction(rising, falling), unilateral, touching, reporting_departure,
            logic_of(only_when), self._jump(then, stop), self._jump(at_accumulation), min_width, rate_bound), name)

    @declares
    def guards(self, names, g, *, rising=False, falling=False, unilateral=False, touching=False, reporting_departure=False,
               only_when=None, then=None, min_width=0.0, rate_bound=0.0):
        """Many guards that are computed together; then is a list with what each does."""
        names, rows = list(names), list(np.ravel(plain(to_array(g))))
        if len(names) != len(rows):
            raise Misuse(f"{len(names)} names are given for {len(rows)} guards")
        jumps = [self._jump(one) for one in then] if then is not None else []
        first = self._core.guards(names, self._function(*rows), _direction(rising, falling), unilateral, touching, reporting_departure,
                                  logic_of(only_when), jumps, min_width, rate_bound)
        return [Named(self, GUARD, first + i, name) for i, name in enumerate(names)]

    @declares
    def condition(self, name, g):
        """A relation g > 0, or a comparison: its truth is held between events and changes where g crosses zero."""
        return self._handle(TRUTH, self._core.condition(name, self._rows(_difference(g), f"the condition '{name}'")), name)

    @declares
    def relation(self, name, g):
        """The sign -1, 0 or 1 of g, held between events; compare it with 0."""
        return self._handle(TRUTH, self._core.relation(name, self._rows(g, f"the relation '{name}'")), name)

    @declares
    def relay(self, name, g, *, below=-1.0, above=1.0, hysteresis=0.0):
        """A switch: `below` where g < 0, `above` where g > 0. Without hysteresis the motion may slide along g = 0."""
        return self._handle(RELAY, self._core.relay(name, float(below), float(above), float(hysteresis), self._rows(_difference(g), f"the relay '{name}'")), name)

    @declares
    def decide(self, variable, truth):
        """The discrete bool follows the proposition; decisions are iterated to a fixed point at events."""
        if self._own(variable, "decide").kind != MODE:
            raise Misuse(f"'{variable.name}' is no discrete bool")
        self._core.decide(variable.index, logic_of(truth))

    @declares
    def transition(self, f):
        """The transition function, f(jump): sees every round of every event, and the start. A decorator.

        >>> import pawl
        >>> clock = pawl.System("clock")
        >>> x = clock.state("x", 0.0)
        >>> clock.rates({x: 1})
        >>> tick = clock.every(0.5)
        >>> seen = []
        >>> @clock.transition
        ... def note(jump):
        ...     if jump.fired(tick):
        ...         seen.append(jump.t)
        >>> run = clock.simulate(1.2)
        >>> seen
        [0.5, 1.0]
        """
        self._core.transition(self._jump(f))
        return f

    def _time(self, value, what):
        if isinstance(value, Handle) and value.kind in (PARAMETER, NUMBER):
            return (self._own(value, what).kind, value.index)
        return _number(value, what)

    @declares
    def at(self, time, then=None, *, stop=None, including_start=False):
        """Something happens at that time: a number, a parameter or a discrete float."""
        index = self._core.at(self._time(time, "a time"), self._jump(then if then is not None or stop else {}, stop) or self._nothing(), including_start)
        return self._handle(TIME_EVENT, index, f"time {index + 1}")

    @declares
    def every(self, period, then=None, *, phase=None, including_start=False):
        """Something happens every so often after the start of the run."""
        index = self._core.every(self._time(period, "a period"), self._jump(then) or self._nothing(),
                                 None if phase is None else self._time(phase, "a phase"), including_start)
        return self._handle(TIME_EVENT, index, f"time {index + 1}")

    @declares
    def time_event(self, name, time=None, then=None, *, stop=None):
        """A time event with a name; without a time, none before jump.schedule(event, t) sets it."""
        index = self._core.time_event(name, None if time is None else self._time(time, "a time"), self._jump(then, stop))
        return self._handle(TIME_EVENT, index, name)

    def _nothing(self):
        return _pawl.Assigned(self._graph, [], [], "")

    # Ideal switches.
    def _pair(self, voltage, current, name):
        return self._function(_scalar(voltage, f"'{name}'")), self._function(_scalar(current, f"'{name}'"))

    @declares
    def diode(self, name, voltage, current):
        """An ideal diode, one equation of the system: conducts without voltage or blocks without current."""
        return self._handle(MODE, self._core.diode(name, *self._pair(voltage, current, name)))

    @declares
    def thyristor(self, name, voltage, current, gate):
        """A diode that begins to conduct only while the gate holds."""
        return self._handle(MODE, self._core.thyristor(name, *self._pair(voltage, current, name), logic_of(gate)))

    @declares
    def ideal_switch(self, name, closed, voltage, current):
        """A switch that events open and close: no voltage while closed, no current while open."""
        self._core.ideal_switch(name, self._own(closed, "ideal_switch").index, *self._pair(voltage, current, name))

    # What is watched and kept.
    @declares
    def observable(self, name, f):
        """A quantity to watch: an expression, the multiplier of a constraint, or a function f(at)."""
        if isinstance(f, Named) and f.kind == CONSTRAINT:
            return self._handle(OBSERVABLE, self._core.multiplier(name, self._own(f, "observable").index), name)
        return self._handle(OBSERVABLE, self._core.observable(name, self._rows(f, f"the observable '{name}'")), name)

    @declares
    def picture(self, shapes):
        """What the model looks like, for the moving picture of its reports: a list of pawl.shapes."""
        made = list(shapes)
        for one in made:
            if not isinstance(one, Shape):
                raise Misuse(f"a picture is a list of shapes (pawl.shapes), not {one!r}")
        self._core.picture([one.drawn(self) for one in made])

    @declares
    def invariant(self, name, h):
        """Something the true motion keeps at zero; every accepted step ends there."""
        self._core.invariant(name, self._function(_scalar(h, f"the invariant '{name}'")))

    @declares
    def conserved(self, name, h):
        """Something the true motion keeps at its value at the start, an energy for instance."""
        self._core.conserved(name, self._function(_scalar(h, f"'{name}'")))

    # Copies.
    def copy(self):
        """The same model again, to be edited apart from this one."""
        return again(type(self), self.name, *written(self, len(self._log)))

    def __reduce__(self):
        return (again, (type(self), self.name, *written(self, len(self._log))))


def _direction(rising, falling):
    return 0 if rising == falling else 1 if rising else -1


def _difference(g):
    """A comparison as the difference whose sign it asks for."""
    if isinstance(g, Truth):
        if g.kind == "moving":
            return g.parts[0]
        if g.kind == "not" and g.parts[0].kind == "moving":
            return -g.parts[0].parts[0]
        raise Misuse(f"`{g!r}` is no single comparison of what moves")
    return g


def _scalar(x, what):
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if isinstance(x, (Expr, Truth)):
        return x
    if isinstance(x, numbers.Real):
        if math.isnan(x):
            raise Misuse(f"{what} is not a number")
        return x
    raise Misuse(f"{what} is an expression or a number, not {x!r}")


def _minus(left, right):
    return left if isinstance(right, numbers.Real) and right == 0 else left - right
