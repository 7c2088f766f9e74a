"""Many runs of one model: arrays of what was varied and of what was kept."""

import numpy as np

from . import _pawl
from .errors import Misuse

STATES = np.array(["missing", "finished", "terminated", "failed", "threw", "gave up"])


class Sweep:
    """What came of a sweep: a row per run. s["e"] is the array of a parameter or of something that was kept.

    >>> import numpy as np, pawl
    >>> ball = pawl.problem("bouncing-ball")
    >>> s = ball.sweep(e=np.linspace(0.5, 0.7, 3), gravity=[9.7, 9.81], keep=["events", "last_time_of:ground"])
    >>> len(s), s.names
    (6, ['e', 'gravity', 'events', 'last_time_of:ground'])
    >>> exact = np.sqrt(2 / s["gravity"]) * (1 + s["e"]) / (1 - s["e"])
    >>> bool(np.max(np.abs(s["last_time_of:ground"] - exact)) < 1e-4)
    True
    """

    def __init__(self, core):
        self._core = core

    @property
    def model(self):
        return self._core.model

    @property
    def parameters(self):
        """Names of what was varied or drawn."""
        return list(self._core.parameters)

    @property
    def columns(self):
        """Names of what was kept."""
        return list(self._core.columns)

    @property
    def names(self):
        return self.parameters + self.columns

    def __len__(self):
        return len(self._core)

    def __getitem__(self, name):
        return self._core.all(name)

    @property
    def outcome(self):
        """A word per run: finished, terminated (by the model), failed, threw, gave up, missing."""
        return STATES[self._core.states()]

    @property
    def failed(self):
        """The runs without values: a list of dictionaries with run, outcome, reason and what was varied."""
        outcome = self.outcome
        wanted = np.flatnonzero(~np.isin(outcome, ["finished", "terminated", "missing"]))
        arrays = {name: self[name] for name in self.parameters} if len(wanted) else {}
        return [{"run": int(i), "outcome": str(outcome[i]), "reason": self._core.reason(int(i)),
                 **{name: float(values[i]) for name, values in arrays.items()}} for i in wanted]

    def summary(self, name):
        """Mean, deviation, extremes with their runs, and quantiles at 5, 25, 50, 75 and 95 %."""
        return self._core.summary(name)

    def indices(self, name):
        """Sobol indices of first and total order per parameter, of a sweep made with indices=True."""
        return self._core.indices(name)

    def to_numpy(self):
        """A structured array, one row per run."""
        rows = np.empty(len(self), dtype=[("run", "i8"), ("outcome", "U10")] + [(name, "f8") for name in self.names])
        rows["run"], rows["outcome"] = np.arange(len(self)), self.outcome
        for name in self.names:
            rows[name] = self[name]
        return rows

    def to_pandas(self):
        """A DataFrame, one row per run."""
        import pandas

        return pandas.DataFrame({"outcome": self.outcome, **{name: self[name] for name in self.names}},
                                index=pandas.RangeIndex(len(self), name="run"))

    def write(self, path):
        """As a .csv or .npz file, a row per run."""
        self._core.write(str(path))

    def plot(self, x, y, ax=None, **words):
        """One dot per run; returns the axes of matplotlib."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        ax.plot(self[x], self[y], **{"linestyle": "none", "marker": ".", **words})
        ax.set(xlabel=x, ylabel=y)
        return ax

    def __repr__(self):
        words, counts = np.unique(self.outcome, return_counts=True)
        said = ", ".join(f"{count} {word}" for word, count in zip(words, counts))
        return f"Sweep of {self.model}: {len(self)} runs ({said}); {', '.join(self.names)}"


def read_sweep(folder):
    """The sweep in a folder, made by model.sweep(out=...) or `pawl sweep --out`, finished or not."""
    return Sweep(_pawl.read_sweep(str(folder)))


def make(model, end, *, keep, values, design, runs, seed, indices, out, jobs, part, max_steps, max_seconds, words):
    from .model import OPTIONS
    from .result import Run

    if "keep" in words:
        raise Misuse("keep says what is kept of a run")
    varied = []
    for name in [name for name in words if name not in OPTIONS]:
        value = words[name]
        if isinstance(value, str):
            varied.append((name, value))
        elif np.ndim(value) > 0:
            varied.append((name, [float(x) for x in np.ravel(value)]))
        else:
            continue
        del words[name]
    is_random = any(isinstance(value, str) for _, value in varied)
    if is_random and runs is None:
        raise Misuse("say with runs=... how many draws are made")
    if runs is not None and not is_random:
        raise Misuse(f"runs={runs}: the number of draws of what is random, and nothing is: e=\"uniform(0.5,0.9)\" would be")
    options = model._options(end, words)
    given = model._values(values, words)
    core, length, graph = model._core.copy(), len(model._log), model._graph
    function, names = None, []
    if callable(keep):
        def row(result):
            found = dict(keep(Run(model, core, result, given, options, length)))
            if names and list(found) != names:
                raise Misuse(f"keep gave {list(found)} where it had given {names} before")
            return [float(value) for value in found.values()] if names else found

        first = [(name, value[0]) for name, value in varied if not isinstance(value, str)]
        result, error = _pawl.simulate(core, given + first, options)
        if error is not None:
            raise error
        names = list(row(result))  # of a run at the first levels and the declared values of what is random
        function = row
    how = {
        "keep": [] if callable(keep) else [keep] if isinstance(keep, str) else list(keep), "names": names,
        "design": design or "random", "runs": 1 if runs is None else int(runs), "seed": int(seed), "indices": bool(indices),
        "jobs": int(jobs), "part": tuple(part or (1, 1)), "max_steps": max_steps, "max_seconds": max_seconds,
        "out": "" if out is None else str(out),
        "fingerprint": repr([graph.value_of(i) if graph.is_constant(i) else graph.node(i) for i in range(len(graph))]),
    }
    with model._in_use():
        return Sweep(_pawl.sweep(core, given, options, varied, how, function))
