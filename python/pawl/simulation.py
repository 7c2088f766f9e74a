"""A run that is stepped by hand."""

from . import _pawl
from .errors import Misuse
from .evaluate import evaluate
from .expr import INPUT, Expr
from .jump import _typed
from .signals import Signal


class Simulation:
    """A run that can stand still, be looked at, changed, saved and continued.

    >>> import pawl
    >>> motor = pawl.System("motor")
    >>> speed = motor.state("speed", 0.0)
    >>> voltage = motor.parameter("voltage", 12.0)
    >>> motor.rates({speed: voltage - speed})
    >>> run = motor.simulation(10)
    >>> run.advance_to(0.5)
    True
    >>> here = run.snapshot()
    >>> run[voltage] = 6.0                       # an event at this instant
    >>> low = run.finish()
    >>> run.restore(here)
    >>> high = run.finish()
    >>> round(float(low.final[speed]), 2), round(float(high.final[speed]), 2)
    (6.0, 12.0)
    """

    def __init__(self, model, end, *, values=None, **words):
        self.model = model
        self._options = model._options(end, words)
        self._given = model._values(values, words)
        self._system, self._length = model._core.copy(), len(model._log)
        with model._in_use():
            self._core = _pawl.Simulation(self._system, self._given, self._options)

    @property
    def t(self):
        return self._core.t

    @property
    def has_ended(self):
        return self._core.has_ended

    def step(self):
        """One accepted step, with the event at its end. False: the run has ended."""
        with self.model._in_use():
            return self._core.step()

    def advance_to(self, t):
        """Goes on to t. False: the run ended before."""
        with self.model._in_use():
            return self._core.advance_to(float(t))

    def __getitem__(self, what):
        """The present value of a handle, a name or an expression."""
        now = self._core.now()
        handle = self.model[what] if isinstance(what, str) else what
        if getattr(handle, "kind", None) is None and isinstance(handle, Expr):
            return float(evaluate(handle, now.read))
        self.model._own(handle, "a simulation")
        return _typed(self.model, handle.kind, handle.index, now.read(handle.kind, handle.index))

    def __setitem__(self, what, value):
        self.change({what: value})

    def change(self, values):
        """Several changes at once, as one event: {handle or name: number}; inputs take a Signal, one at a time."""
        changes = []
        for what, value in values.items():
            handle = self.model._own(self.model[what] if isinstance(what, str) else what, "a change")
            if isinstance(value, Signal):
                if handle.kind != INPUT:
                    raise Misuse(f"'{handle.name}' is no input: it takes no course")
                self._core.give(handle.index, value._core)
            else:
                changes.append((handle.kind, handle.index, float(value)))
        if changes:
            self._core.change(changes)

    def snapshot(self):
        """The run as it is now, for restore()."""
        return self._core.snapshot()

    def restore(self, snapshot):
        self._core.restore(snapshot)

    def finish(self):
        """Goes on to the end and returns the Run. Afterwards the run can only be restored."""
        from .result import Run

        with self.model._in_use():
            result = self._core.finish()
        return Run(self.model, self._system, result, self._given, self._options, self._length)

    def __repr__(self):
        return f"<pawl.Simulation of '{self.model.name}' at t = {self.t}{', ended' if self.has_ended else ''}>"
