"""What every model has, however it was declared: its name, its handles by name, and ways to run it."""

import contextlib
import math
import threading

import numpy as np

from . import _pawl
from .errors import Misuse
from .expr import (CONSTRAINT, GUARD, INPUT, MODE, NUMBER, OBSERVABLE, PARAMETER, RELAY, STATE, TIME_EVENT, TRUTH, Expr)
from .handles import WORDS, Handle, Named
from .signals import Signal, core_signal

OPTIONS = (
    "start", "rtol", "atol", "method", "step", "first_step", "max_step", "keep", "samples", "times", "events",
    "event_tolerance", "concurrency_window", "max_events", "at_accumulation", "formulation", "stabilization",
    "start_by", "fixed", "linear_solver", "history",
)


class Model:
    """A model that can be run. Made by pawl.System, pawl.Mechanics, pawl.PortHamiltonian or pawl.problem."""

    def __init__(self, core, graph):
        self._core, self._graph = core, graph
        self._handles = {}
        self._log = []
        self._called = []  # Python functions of the model
        self._running, self._lock = 0, threading.Lock()

    @property
    def name(self):
        return self._core.name

    def _handle(self, kind, index, name=None):
        """The handle of that kind and index; made where there is none yet."""
        known = self._handles.get((kind, index))
        if known is None:
            name = self._core.names()[WORDS[kind]][index] if name is None else name
            made = Handle if kind in (STATE, PARAMETER, NUMBER, MODE, TRUTH, RELAY, INPUT) else Named
            known = self._handles[(kind, index)] = made(self, kind, index, name)
        return known

    def __getitem__(self, name):
        """The handle of that name.

        >>> import pawl
        >>> pawl.problem("bouncing-ball")["height"]
        height
        """
        names = self._core.names()
        for kind in (STATE, PARAMETER, INPUT, MODE, NUMBER, OBSERVABLE, CONSTRAINT, TRUTH, RELAY, GUARD, TIME_EVENT):
            if name in names[WORDS[kind]]:
                return self._handle(kind, names[WORDS[kind]].index(name))
        raise KeyError(f"the system '{self.name}' has nothing named '{name}'")

    @property
    def state_names(self):
        return list(self._core.names()["state"])

    def _own(self, handle, what):
        if not isinstance(handle, (Handle, Named)) and getattr(handle, "kind", None) is None:
            raise Misuse(f"{what} takes handles of the system '{self.name}', not {handle!r}")
        if handle._system is not self:
            raise Misuse(f"'{handle.name}' belongs to the system '{handle._system.name}', not to '{self.name}'")
        return handle

    # Running.
    @contextlib.contextmanager
    def _in_use(self):
        with self._lock:
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

    def _values(self, values, named):
        given = []
        for key, value in dict(values or {}).items():
            given.append(self._value(key, value))
        for key, value in named.items():
            given.append(self._value(key, value))
        return given

    def _value(self, key, value):
        if isinstance(value, Expr):
            raise Misuse(f"a run is given numbers, not `{value!r}`: values that follow from parameters are system.start({{...}})")
        is_course = isinstance(value, Signal)
        if isinstance(key, str):
            return (key, value._core if is_course else _number(value, key))
        self._own(key, "values")
        if key.kind not in (STATE, PARAMETER, NUMBER, MODE, INPUT):
            raise Misuse(f"'{key.name}' cannot be given a value at the start")
        return (key.kind, key.index, core_signal(value) if key.kind == INPUT else _number(value, key.name))

    def _options(self, end, words):
        options = {"end": _number(end, "end")}
        if math.isnan(options["end"]):
            raise Misuse("end is not a number")
        for word in OPTIONS:
            if word not in words:
                continue
            value = words.pop(word)
            if value is None:
                continue
            if word == "atol":
                value = [float(x) for x in np.ravel(value)] if np.ndim(value) else float(value)
            elif word == "times":
                value = [float(x) for x in np.ravel(value)]
            elif word in ("samples", "max_events"):
                value = int(value)
            elif word not in ("method", "keep", "events", "at_accumulation", "formulation", "stabilization", "start_by", "linear_solver", "fixed", "history"):
                value = _number(value, word)
            elif word == "history":
                value = bool(value)
            elif word == "fixed":
                value = [x if isinstance(x, str) else x.name for x in value]
            options[word] = value
        return options

    def simulate(self, end, *, values=None, **words):
        """Runs the model from `start` (default 0) to `end` and returns a Run.

        Options are keywords: rtol (1e-6), atol (rtol / 1000, or one per state), method ("auto"), step, first_step,
        max_step, samples, times, keep ("everything", "samples" or "end"), events, max_events, at_accumulation
        ("stop" or "fail"), formulation, stabilization, history (True keeps order, method and error estimate of every
        step, for reports). Every other keyword is the name of a parameter, start value,
        discrete variable or input; `values` takes handles or any name. pawl's default tolerance is 1e-6; that of
        solve_ivp is scipy's 1e-3.

        >>> import pawl
        >>> decay = pawl.System("decay")
        >>> amount = decay.state("amount", 1.0)
        >>> rate = decay.parameter("rate", 0.5)
        >>> decay.rates({amount: -rate * amount})
        >>> run = decay.simulate(2, rtol=1e-10, rate=1.0)
        >>> round(float(run.final[amount]), 9)
        0.135335283
        """
        from .result import Run

        options = self._options(end, words)
        given = self._values(values, words)
        core, length = self._core.copy(), len(self._log)
        with self._in_use():
            result, error = _pawl.simulate(core, given, options)
        run = Run(self, core, result, given, options, length)
        if error is not None:
            error.run = run
            raise error
        return run

    def sweep(self, end, *, keep=("final",), values=None, design=None, runs=None, seed=0, indices=False, out=None, jobs=0,
              part=None, max_steps=None, max_seconds=None, **words):
        """Many runs on all cores, and returns a Sweep: arrays with a number per run.

        Keywords that are no options of simulate() are names: an array of levels is varied, every level with every
        other; a distribution in words is drawn `runs` times ("normal(2e4,1e3)", "uniform(0.5,0.9)", ...), by `design`
        "random", "sobol" or "latin"; a number holds for all runs. `keep` names what is kept of a run (docs/sweeps.md),
        or is a function of a Run that gives a dictionary of numbers; Python calls that one run after another, on one
        core. With `out`, a folder, nothing is lost: the same call goes on where an earlier one was stopped.

        >>> import pawl
        >>> decay = pawl.System("decay")
        >>> x, k = decay.state("x", 1.0), decay.parameter("k", 1.0)
        >>> decay.rates({x: -k * x})
        >>> s = decay.sweep(1, k=[1, 2], rtol=1e-9)
        >>> [round(float(value), 6) for value in s["x"]]
        [0.367879, 0.135335]
        """
        from .sweep import make

        return make(self, end, keep=keep, values=values, design=design, runs=runs, seed=seed, indices=indices, out=out,
                    jobs=jobs, part=part, max_steps=max_steps, max_seconds=max_seconds, words=words)

    def advise(self, end, *, values=None, **words):
        """What the model consists of, how stiff it is, and what to integrate it with, measured along a short run."""
        options = self._options(end, words)
        with self._in_use():
            return Advice(_pawl.advise(self._core.copy(), self._values(values, words), options))

    def simulation(self, end, *, values=None, **words):
        """A run that is stepped by hand: see pawl.Simulation."""
        from .simulation import Simulation

        return Simulation(self, end, values=values, **words)


def _number(value, what):
    if isinstance(value, Expr):
        raise Misuse(f"{what} is a number, not `{value!r}`")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Misuse(f"{what} is a number, not {value!r}") from None


class Advice:
    """What pawl.advise found; str() is a page to read."""

    def __init__(self, found):
        self.text = found["text"]
        self.method, self.why, self.is_stiff = found["method"], found["why"], found["is_stiff"]
        self.index = found.get("index")
        self.degrees_of_freedom = found.get("degrees_of_freedom")
        self.eigenvalues = np.array(found.get("eigenvalues", []))

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text.rstrip()


class Problem(Model):
    """A problem of the catalogue. Its handles are read by name: problem["height"]."""

    def __init__(self, name, **assignments):
        core, entry = _pawl.problem(name, {k: float(v) for k, v in assignments.items()})
        super().__init__(core, _pawl.Graph())
        self._assignments = dict(assignments)
        self.summary, self.source, self.start, self.end = entry["summary"], entry["source"], entry["start"], entry["end"]

    def simulate(self, end=None, *, values=None, **words):
        words.setdefault("start", self.start)
        return super().simulate(self.end if end is None else end, values=values, **{**self._assignments, **words})

    def sweep(self, end=None, **words):
        words.setdefault("start", self.start)
        return super().sweep(self.end if end is None else end, **{**self._assignments, **words})

    def reference(self, t):
        """The state at t to 16 digits, where it is known for the declared values; else None."""
        known = _pawl.reference(self.name, float(t))
        return None if known is None else np.array(known)

    def __reduce__(self):
        return (_problem_again, (self.name, self._assignments))

    def __repr__(self):
        return f"{self.name}: {self.summary}"


def _problem_again(name, assignments):
    return Problem(name, **assignments)


def problem(name, **assignments):
    """A problem of pawl's catalogue by its name.

    >>> import pawl
    >>> ball = pawl.problem("bouncing-ball")
    >>> run = ball.simulate(rtol=1e-9)
    >>> run.outcome, run.events[-1].kind, round(run.events[-1].t, 4)
    ('finished', 'accumulation', 4.0637)
    """
    return Problem(name, **assignments)


def catalogue():
    """The names of all problems and one line about each.

    >>> import pawl
    >>> "bouncing-ball" in pawl.catalogue()
    True
    """
    return {entry["name"]: entry["summary"] for entry in _pawl.catalogue()}
