"""Run: everything a run found out."""

import os

import numpy as np

from . import _pawl
from .display import describe, html, plot
from .errors import Misuse
from .evaluate import evaluate
from .expr import MODE, OBSERVABLE, STATE, TIME, Expr
from .handles import Contact
from .jump import _typed
from .written import call_text, model_text


class Event:
    """One instant at which something fired, or was seen: t, kind, names, contacts, notes, mode (after it).

    contacts: pairs of a contact's name and what it did: "impact", "rest", "stick", "slip" or "release".
    """

    __slots__ = ("t", "kind", "names", "contacts", "notes", "mode", "fires", "uncertainty")

    def __init__(self, found):
        for key in self.__slots__:
            setattr(self, key, found[key])

    def __repr__(self):
        return f"t = {self.t:.10g}: {self.kind} {', '.join(self.names)}".rstrip()


class Events(list):
    """The events of a run in the order of time."""

    def to_pandas(self):
        """A DataFrame: t, kind, names, mode, uncertainty."""
        import pandas

        return pandas.DataFrame({key: [getattr(e, key) for e in self] for key in ("t", "kind", "names", "mode", "uncertainty")})


class Instant:
    """One instant of a run: instant[x] for a handle, a name or an expression."""

    def __init__(self, run, core):
        self._run, self._core = run, core

    @property
    def t(self):
        return self._core.t

    def __getitem__(self, what):
        handle = self._run.model[what] if isinstance(what, str) else what
        if getattr(handle, "kind", None) is None and isinstance(handle, Expr):
            self._run._check_expression(handle)
            return float(evaluate(handle, self._core.read))
        self._run.model._own(handle, "run[...]")
        return _typed(self._run.model, handle.kind, handle.index, self._core.read(handle.kind, handle.index))

    def __repr__(self):
        return f"<t = {self.t:.10g}: " + ", ".join(f"{n} = {self[n]:.6g}" for n in self._run.state_names[:6]) + ">"


class Instants:
    """Several instants of a run: instants[x] is an array."""

    def __init__(self, run, times, before=False):
        self._run, self.t, self._before = run, np.asarray(times, float), before

    def _read(self, kind, index):
        if kind == TIME:
            return self.t
        return self._run._result.read_at(self.t.ravel().tolist(), [(kind, index)], self._before)[0].reshape(self.t.shape)

    def __getitem__(self, what):
        return self._run._array(what, self._read)

    def to_pandas(self):
        """A DataFrame of all states and observables, by time."""
        import pandas

        names = self._run._columns()
        return pandas.DataFrame({name: self[name] for name in names}, index=pandas.Index(self.t.ravel(), name="t"))

    def __len__(self):
        return self.t.size


class Run:
    """The result of a run.

    run.t and run[x] are numpy arrays at the accepted steps (or the requested times); at an event two columns have the
    same time, before and after it. run(t) and run.before(t) read any instant, run.sample(n) n equal intervals. What is
    read may be a handle, a name, or an expression of the model.

    >>> import pawl
    >>> decay = pawl.System("decay")
    >>> x = decay.state("x", 1.0)
    >>> decay.rates({x: -x})
    >>> run = decay.simulate(1, rtol=1e-9)
    >>> bool(abs(run(0.5)[x] - 0.6065306597) < 1e-9), run.sample(4)[2 * x].shape
    (True, (5,))
    """

    def __init__(self, model, system, result, given, options, length):
        self.model, self._system, self._result = model, system, result
        self._given, self._options, self._length = given, options, length
        self._events = None

    # How it went.
    @property
    def outcome(self):
        """"finished", "terminated" (by the model), "stopped" (by the user) or "failed"; `reason` says why."""
        return self._result.outcome

    @property
    def reason(self):
        return self._result.reason

    @property
    def finished(self):
        return self.outcome == "finished"

    @property
    def method(self):
        return self._result.method

    @property
    def statistics(self):
        """Work and sizes: rhs, steps, rejected, seconds, events, drifts."""
        return self._result.statistics()

    @property
    def guarantees(self):
        """What each guard was promised: "proved", "bounded" or "sampled"."""
        return self.statistics["guarantees"]

    @property
    def messages(self):
        return [text for _, _, _, text in self._result.messages()]

    notes = messages

    @property
    def events(self):
        if self._events is None:
            self._events = Events(Event(found) for found in self._result.events())
        return self._events

    def times_of(self, what, kind=None):
        """Times at which this guard, condition, relay, contact, time event or discrete variable fired or changed.

        kind: of a contact, "impact", "rest", "stick", "slip" or "release" alone.
        """
        handle = self.model[what] if isinstance(what, str) else what
        self.model._own(handle, "times_of(...)")
        if isinstance(handle, Contact):
            return self._result.times_of_contact(*handle._indices(), kind)
        if kind is not None:
            raise Misuse(f"times_of(..., kind={kind!r}): kinds are those of contacts, and '{handle}' is none")
        return self._result.times_of(handle.kind, handle.index)

    # Values.
    @property
    def state_names(self):
        return self._system.names()["state"]

    @property
    def t(self):
        return self._result.read_samples(TIME, 0)

    @property
    def y(self):
        """All states: one row per state, one column per instant of run.t."""
        return self._result.states_of_samples()

    @property
    def t_start(self):
        return self._result.t_start

    @property
    def t_end(self):
        return self._result.t_end

    def _check_expression(self, expr):
        from .expr import FREE

        if expr._graph is not self.model._graph and expr._graph is not FREE:
            raise Misuse(f"`{expr!r}` belongs to another system than '{self.model.name}'")

    def _array(self, what, read):
        handle = self.model[what] if isinstance(what, str) and what != "t" else what
        if isinstance(handle, str):
            return read(TIME, 0)
        if isinstance(handle, np.ndarray):
            return np.array([self._array(one, read) for one in handle.ravel()]).reshape(handle.shape + (-1,))
        if getattr(handle, "kind", None) is None and isinstance(handle, Expr):
            self._check_expression(handle)
            made = np.asarray(evaluate(handle, read), float)
            return np.broadcast_to(made, np.shape(read(TIME, 0))).copy()
        self.model._own(handle, "run[...]")
        values = read(handle.kind, handle.index)
        if handle.kind == MODE:
            return values.astype(bool if self._system.mode_is_bool(handle.index) else int)
        return values

    def __getitem__(self, what):
        return self._array(what, self._result.read_samples)

    def __call__(self, t):
        """The state at t, after an event there; of an array of times, arrays."""
        return Instants(self, t) if np.ndim(t) else Instant(self, self._result.at(float(t)))

    def before(self, t):
        """The same, before an event there."""
        return Instants(self, t, True) if np.ndim(t) else Instant(self, self._result.before(float(t)))

    def sample(self, intervals):
        """n + 1 instants, n equal intervals from start to end."""
        return Instants(self, np.linspace(self.t_start, self.t_end, int(intervals) + 1))

    @property
    def final(self):
        return Instant(self, self._result.final())

    @property
    def start(self):
        return Instant(self, self._result.begin())

    def range(self, what):
        """Smallest and largest value of a state or observable over the run."""
        handle = self.model[what] if isinstance(what, str) else what
        if self.model._own(handle, "range(...)").kind not in (STATE, OBSERVABLE):
            raise Misuse(f"'{handle.name}' is neither a state nor an observable")
        return self._result.range(handle.kind, handle.index)

    def _columns(self):
        names = self._system.names()
        return list(names["state"]) + list(names["observable"])

    def to_pandas(self):
        """A DataFrame of states and observables at run.t."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self._columns()}, index=pandas.Index(self.t, name="t"))

    # Trust.
    def verify(self, quick=False):
        """Runs the model again by other means and compares: see docs/verify.md."""
        with self.model._in_use():
            return Verification(_pawl.verify(self._system, self._given, self._options, self._result, bool(quick)))

    # Display.
    def plot(self, *what, ax=None):
        """Draws quantities over time with matplotlib, exact between steps, and returns the axes."""
        return plot(self, what, ax)

    def report(self, path, *plots, title=None, exact=False, verification=None):
        """Writes the run as one HTML file that opens offline in any browser: see docs/report.md.

        plots name what is drawn first: "x" over time, "x,y" for y over x. exact keeps all digits, instead of 1e-6 of each range.
        The page has what the advisor says, the sentences of the model and the call that makes the run again; with
        simulate(..., history=True) also order, method and error estimate of every step. verification, what verify() has
        found, draws the second runs over this one, with their differences.
        """
        if verification is not None and verification._made is None:
            raise Misuse("a verification that has been copied or pickled has left its runs behind: call run.verify() again")
        names = [one if isinstance(one, str) else one.name for one in plots]
        texts = [("What the advisor says", self._advice()), ("Model", model_text(self.model, self._length))]
        _pawl.report(self._result, os.fspath(path), self._options, title or "", call_text(self), names, texts, bool(exact),
                     None if verification is None else verification._made)

    def _advice(self):
        try:
            with self.model._in_use():
                return _pawl.advise(self._system.copy(), self._given, self._options)["text"]
        except Exception as error:  # the report is of the run, which is there
            return f"the advisor cannot look at this model: {error}"

    def __repr__(self):
        return describe(self)

    def _repr_html_(self):
        return html(self)

    # Pickling.
    def __reduce__(self):
        from .system import System
        from .written import written

        if isinstance(self.model, System):
            recipe = (type(self.model), self.model.name, *written(self.model, self._length))
        else:
            recipe = self.model.__reduce__()
        if any(isinstance(entry[-1], _pawl.Signal) for entry in self._given):
            raise Misuse("a run whose inputs were given courses for it cannot be pickled: give them to the model")
        return (_run_again, (recipe, self._given, self._options, self._result.state()))


def _run_again(recipe, given, options, state):
    from .written import again

    model = recipe[0](*recipe[1]) if len(recipe) == 2 else again(*recipe)
    core = model._core.copy()
    return Run(model, core, _pawl.restored(core, given, options, state), given, options, len(model._log))


class Verification:
    """What run.verify() found: verdict ("verified", "disagrees", "unknown"), digits, summary, advice."""

    def __init__(self, found):
        self.verdict, self.summary, self.advice = found["verdict"], found["summary"], found["advice"]
        self.digits, self.wanted_digits, self.text = found["digits"], found["wanted_digits"], found["text"]
        self._made = found["made"]  # with the runs themselves

    def __getstate__(self):
        return {**self.__dict__, "_made": None}

    @property
    def is_verified(self):
        return self.verdict == "verified"

    def __repr__(self):
        return self.text.rstrip()
