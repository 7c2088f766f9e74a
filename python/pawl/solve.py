"""solve_ivp with scipy's call, and solve_dae for residuals F(t, y, y')."""

import math
import warnings

import numpy as np

from . import _pawl, tracing
from .arrays import array_of
from .errors import Misuse, NotTraced
from .expr import RATE, STATE, TIME, Expr
from .plain import PlainSystem, with_relays
from .result import Run

METHODS = {
    "RK45": "dormand-prince-5", "RK23": "bogacki-shampine-3", "DOP853": "dop853", "Radau": "radau", "BDF": "bdf", "LSODA": "auto",
}
EPS = 2.0**-52
MESSAGES = {0: "The solver successfully reached the end of the integration interval.", 1: "A termination event occurred."}


class OdeResult(dict):
    """What scipy's OdeResult has, and run, notes, guarantees beside it. Fields are attributes."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__

    def __dir__(self):
        return list(self)

    def __repr__(self):
        width = max(map(len, self), default=0)
        shown = {k: (repr(v).splitlines()[0] if k == "run" else repr(v)) for k, v in self.items()}
        return "\n".join(f"{key:>{width}}: {value}" for key, value in shown.items())


class DenseOutput:
    """sol(t): the states at any time of the run; of an array of times one column each."""

    def __init__(self, run, size, is_complex):
        self._run, self._size, self._is_complex = run, size, is_complex
        self.t_min, self.t_max = sorted((run.t_start, run.t_end))

    def __call__(self, t):
        times = np.asarray(t, float)
        made = _states_at(self._run, times.ravel(), self._size)
        if self._is_complex:
            made = made[: self._size // 2] + 1j * made[self._size // 2:]
        return made[:, 0] if times.ndim == 0 else made.reshape((-1,) + times.shape)


def _states_at(run, times, size):
    return run._result.read_at(list(map(float, times)), [(STATE, i) for i in range(size)], False)


def _checked_start(y0, what="y0"):
    try:
        start = np.array(y0)
    except ValueError:
        raise Misuse(f"{what} is a row of numbers, not {y0!r}") from None
    if start.dtype.kind not in "fiubc":
        raise Misuse(f"{what} is a row of numbers, not {y0!r}")
    if start.ndim == 1 and start.dtype.kind in "fiu" and start.size:
        start = start.astype(float)
        if all(map(math.isfinite, start.tolist())):
            return start
    if start.ndim == 0:
        start = start.reshape(1)
    if start.ndim != 1:
        raise Misuse(f"{what} has {start.ndim} dimensions; it must be a row of numbers: y0.ravel()")
    if start.size == 0:
        raise Misuse(f"{what} is empty: there is nothing to solve for")
    if not np.all(np.isfinite(start)):
        bad = int(np.flatnonzero(~np.isfinite(start))[0])
        raise Misuse(f"{what}[{bad}] is {start[bad]}: a start must be finite")
    return start if start.dtype.kind == "c" else start.astype(float)


def _span(t_span):
    try:
        t0, t1 = map(float, t_span)
    except (TypeError, ValueError):
        raise Misuse(f"t_span is two numbers, (start, end), not {t_span!r}") from None
    return t0, t1


class _Problem:
    """The system under way from plain functions, and what is said about them."""

    def __init__(self, name, y0, t0, t1):
        self.system = PlainSystem(name)
        self.size = len(y0)
        self.y0, self.t0, self.t1 = y0, t0, t1
        self.system.plain_states([float(value) for value in y0])
        self.graph = self.system._graph
        self.notes = []
        self.t = Expr(self.graph, self.graph.input(TIME, 0))

    def y(self):
        return array_of([Expr(self.graph, self.graph.input(STATE, i)) for i in range(self.size)])

    def yp(self):
        return array_of([Expr(self.graph, self.graph.input(RATE, i)) for i in range(self.size)])

    def rows(self, traced):
        return [Expr(self.graph, node) for node in traced.nodes]

    def note(self, what, why, stacklevel):
        text = f"{what} is called as it is, not traced: {why}"
        self.notes.append(text)
        warnings.warn(text, NotTraced, stacklevel=stacklevel + 1)

    def points(self):
        return tracing.points_near(self.t0, self.t1, self.y0)


def _traced_of_ty(problem, f, count, what):
    traced = tracing.Traced(f, problem.graph, (problem.t, problem.y()), count, what)
    tracing.check(f, lambda t, y: traced.function(t, list(y), []), problem.points(), what)
    return traced


def _add_rates(problem, fun, jac):
    try:
        traced = _traced_of_ty(problem, fun, problem.size, "fun")
        problem.system.plain_rates(problem.rows(traced), traced.function)
    except tracing.NotTraceable as why:
        _refuse_returned(fun(problem.t0, problem.y0.copy()), problem.size)
        problem.note("fun", why, 3)
        problem.system.plain_rates(fun)
        if jac is not None:
            problem.system.plain_jacobian(jac)


def _refuse_returned(returned, size, call="fun(t, y)"):
    try:
        array = np.asarray(returned)
    except ValueError:
        array = np.empty(0, object)
    if array.dtype.kind not in "fiub":
        text = repr(returned)
        raise TypeError(f"{call} returned {text[:80]}, which is not a row of real numbers")
    if array.size != size:
        raise ValueError(f"{call} returned {array.size} number{'' if array.size == 1 else 's'}, not {size}")


def _add_events(problem, events, wrap):
    if events is None:
        return []
    events = list(events) if isinstance(events, (list, tuple)) else [events]
    for number, event in enumerate(events, 1):
        f = wrap(event)
        direction = int(np.sign(float(getattr(event, "direction", 0) or 0)))
        terminal = getattr(event, "terminal", 0) or 0
        if not isinstance(terminal, (bool, int, np.bool_, np.integer)) or terminal < 0:
            raise ValueError("the `terminal` attribute of an event is a bool or a positive integer")
        try:
            traced = _traced_of_ty(problem, f, 1, f"event {number}")
            problem.system.plain_event(number, problem.rows(traced)[0], direction, int(terminal), traced.function)
        except tracing.NotTraceable as why:
            problem.note(f"event {number}", why, 3)
            problem.system.plain_event(number, f, direction, int(terminal))
    return events


def _simulated(system, options):
    core = system._core
    result, error = _pawl.simulate(core, [], options)
    run = Run(system, core, result, [], options, len(system._log))
    if error is not None:
        error.run = run
        raise error
    return run


def _run(problem, options, t_eval, events, is_complex):
    run = _simulated(problem.system, options)
    if run._result.code == "rates-jump" and problem.system.is_traced:
        switched = with_relays(problem.system, problem.y0)
        if switched is not None:
            run = _simulated(switched, options)
            problem.notes.append("fun switches where both sides push onto the switch: it was run again with its switches as relays, along which the motion slides")
    size = problem.size
    status = {"finished": 0, "terminated": 1}.get(run.outcome, -1)
    if t_eval is None:
        t, y = run.t, run.y
        keep = np.empty(len(t), bool)
        np.not_equal(t[1:], t[:-1], out=keep[:-1])
        keep[-1:] = True
        if not keep.all():
            t, y = t[keep], y[:, keep]
    else:
        t = t_eval[(t_eval <= run.t_end) if run.t_end >= run.t_start else (t_eval >= run.t_end)]
        y = _states_at(run, t, size)
    t_events = y_events = None
    if events:
        t_events = [run.times_of(f"event {i + 1}") for i in range(len(events))]
        y_events = [_states_at(run, times, size).T if len(times) else np.empty((0, size)) for times in t_events]
    if is_complex:
        half = size // 2
        y = y[:half] + 1j * y[half:]
        y_events = y_events and [e[:, :half] + 1j * e[:, half:] for e in y_events]
    statistics = run.statistics
    message = MESSAGES[status] if status >= 0 else run.reason
    return OdeResult(
        message=message, success=status >= 0, status=status, t=t, y=y, sol=DenseOutput(run, size, is_complex), t_events=t_events,
        y_events=y_events, nfev=statistics["rhs"], njev=statistics.get("jacobians", 0), nlu=statistics.get("factorizations", 0),
        run=run, notes=problem.notes + run.messages, guarantees=statistics["guarantees"], traced=problem.system.is_traced)


def _solver_options(t0, t1, method, rtol, atol, options, size):
    made = {"start": t0, "end": t1, "method": METHODS.get(method, method)}
    rtol = float(rtol)
    if rtol < 100 * EPS:
        warnings.warn(f"At least one element of `rtol` is too small. Setting `rtol = {100 * EPS}`.", stacklevel=3)
        rtol = 100 * EPS
    made["rtol"] = rtol
    if isinstance(atol, float):
        each = [atol]
        made["atol"] = atol
    else:
        atol = np.asarray(atol, float)
        if atol.ndim and atol.shape != (size,):
            raise ValueError("`atol` has wrong shape.")
        each = np.ravel(atol).tolist()
        made["atol"] = each if atol.ndim else each[0]
    if any(x < 0 for x in each):
        raise ValueError("`atol` must be positive.")
    for word in ("first_step", "max_step"):
        value = options.pop(word, None)
        if value is not None and np.isfinite(value):
            made[word] = float(value)
    ignored = [word for word in options if word not in ("jac", "jac_sparsity", "lband", "uband", "min_step")]
    if ignored:
        warnings.warn(f"The following arguments have no relevance for pawl: {', '.join(map(repr, ignored))}", stacklevel=3)
    return made


def _with_args(f, args, *arguments):
    return f(*arguments, *args)


def _of_columns(f, _, t, y):
    return np.ravel(f(t, y[:, None]))


def _complex_rates(f, n, t, y):
    made = np.asarray(f(t, y[:n] + 1j * y[n:]), complex)
    return np.concatenate([made.real, made.imag])


def _complex_value(f, n, t, y):
    return f(t, y[:n] + 1j * y[n:])


def _times(t_eval, t0, t1):
    if t_eval is None:
        return None
    t_eval = np.asarray(t_eval, float)
    if t_eval.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if np.any(t_eval < min(t0, t1)) or np.any(t_eval > max(t0, t1)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    d = np.diff(t_eval)
    if (t1 > t0 and np.any(d <= 0)) or (t1 < t0 and np.any(d >= 0)):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return t_eval


def solve_ivp(fun, t_span, y0, method="auto", t_eval=None, dense_output=False, events=None, vectorized=False, args=None,
              *, rtol=1e-3, atol=1e-6, **options):
    """Solves y' = fun(t, y) by scipy's call: same names, shapes and default tolerances (rtol 1e-3, atol 1e-6).

    fun is traced: it becomes a graph and native code, with exact derivatives, proved events and no interpreter's lock.
    What cannot be traced is called as it is, with one NotTraced warning that says which line and why (r.notes has it).
    The default method is pawl's "auto"; scipy's names (RK45, RK23, DOP853, Radau, BDF, LSODA) and pawl's are taken.
    r.sol is always there; r.run is the Run, r.guarantees what each event was promised.

    >>> import pawl
    >>> def cubic(t, y): return [(t + 6) * (t + 2) * (t - 2)]
    >>> r = pawl.solve_ivp(lambda t, y: [1.0], (-10, 10), [0.0], events=cubic)
    >>> [round(float(t), 9) for t in r.t_events[0]]
    [-6.0, -2.0, 2.0]
    """
    t0, t1 = _span(t_span)
    start = _checked_start(y0)
    if not callable(fun):
        raise Misuse(f"fun is a function fun(t, y), not {fun!r}")
    t_eval = _times(t_eval, t0, t1)
    if args is not None:
        try:
            args = tuple(args)
        except TypeError:
            raise TypeError(f"Supplied 'args' cannot be unpacked. Please supply `args` as a tuple (e.g. `args=({args!r},)`)") from None

    def wrap(f):
        return tracing.Wrapped(_with_args, f, args) if args else f

    right = wrap(fun)
    if vectorized:
        right = tracing.Wrapped(_of_columns, right)
    is_complex = start.dtype.kind == "c"
    event_wrap = wrap
    if is_complex:
        right = tracing.Wrapped(_complex_rates, right, len(start))
        event_wrap = lambda f, n=len(start): tracing.Wrapped(_complex_value, wrap(f), n)
        start = np.concatenate([start.real, start.imag])

    problem = _Problem(getattr(fun, "__name__", "fun").replace("<lambda>", "fun"), start, t0, t1)
    jac = options.get("jac")
    _add_rates(problem, right, None if is_complex else wrap(jac) if callable(jac) else jac)
    found = _add_events(problem, events, event_wrap)
    return _run(problem, _solver_options(t0, t1, method, rtol, atol, dict(options), problem.size), t_eval, found, is_complex)


def solve_dae(fun, t_span, y0, yp0=None, method="auto", t_eval=None, events=None, args=None, *, rtol=1e-6, atol=1e-9, **options):
    """Solves 0 = fun(t, y, yp) for y(t), with yp = dy/dt: as many residuals as unknowns, any index the engine reduces.

    A function that cannot be traced is called as it is; its index is then not reduced, and has to be 1 or 2.

    y0 need not be consistent: the start is moved onto the equations (r.notes says by how much). yp0 is a guess that
    tracing is checked with; the rates of the start follow from the equations. Tracing, events and results are those of
    solve_ivp; pawl's tolerances are the defaults.

    >>> import pawl
    >>> def circuit(t, y, yp):                            # a capacitor behind a resistor, and the current
    ...     u, i = y
    ...     return [yp[0] - i, u + i - 1.0]
    >>> r = pawl.solve_dae(circuit, (0, 1), [0.0, 1.0], rtol=1e-9)
    >>> bool(abs(r.y[0, -1] - 0.632120558829) < 1e-8)
    True
    """
    t0, t1 = _span(t_span)
    start = _checked_start(y0)
    if start.dtype.kind == "c":
        raise Misuse("solve_dae takes real unknowns")
    rates = np.zeros(len(start)) if yp0 is None else _checked_start(yp0, "yp0")
    if len(rates) != len(start):
        raise Misuse(f"yp0 has {len(rates)} numbers, y0 has {len(start)}")
    if not callable(fun):
        raise Misuse(f"fun is a function fun(t, y, yp), not {fun!r}")
    t_eval = _times(t_eval, t0, t1)
    extra = tuple(args) if args is not None else ()
    wrap = (lambda f: tracing.Wrapped(_with_args, f, extra)) if extra else (lambda f: f)
    residual = wrap(fun)
    problem = _Problem(getattr(fun, "__name__", "fun").replace("<lambda>", "fun"), start, t0, t1)
    try:
        traced = tracing.Traced(residual, problem.graph, (problem.t, problem.y(), problem.yp()), problem.size, "fun")
        points = [(t, y, rates + 0.1 * k * (1 + np.abs(rates)) * np.cos(np.arange(1, len(rates) + 1) + k))
                  for k, (t, y) in enumerate(problem.points())]
        tracing.check(residual, lambda t, y, yp: traced.function.with_rates(t, list(y), list(yp)), points, "fun")
        problem.system.plain_equations(problem.rows(traced), traced.function)
    except tracing.NotTraceable as why:
        _refuse_returned(residual(t0, start.copy(), rates.copy()), problem.size, "fun(t, y, yp)")
        problem.note("fun", why, 2)
        problem.system.plain_equations(residual)
    found = _add_events(problem, events, wrap)
    made = _run(problem, _solver_options(t0, t1, method, rtol, atol, dict(options), problem.size), t_eval, found, False)
    if not made.success and not made.traced:
        made.message += "\n  note:   fun is called as it is, so that its index is not reduced: above index 2 it has to be one that can be traced"
    return made
