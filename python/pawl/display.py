"""How a run shows itself: six lines, a notebook cell below 100 kB, a plot."""

import collections
import html as escape

import numpy as np

COLOURS = ("#1f6fb2", "#c4571a", "#3a8a3a")
MOST_POINTS = 400


def _facts(run):
    statistics = run.statistics
    first = f"{run.model.name}: {run.outcome} at t = {run.t_end:.10g} (from {run.t_start:.10g})"
    if run.reason:
        first += ": " + run.reason.splitlines()[0]
    seconds = statistics["seconds"]
    took = f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
    method = f"{run.method}, {statistics['steps']} steps, {statistics['rejected']} rejected, {statistics['rhs']} evaluations, {took}"
    names = run.state_names
    final = run.final
    states = ", ".join(f"{name} = {final[name]:.6g}" for name in names[:5]) + (f", ... ({len(names)} states)" if len(names) > 5 else "")
    counted = collections.Counter(name for event in run.events if event.fires for name in (event.names or [event.kind]))
    total = sum(1 for event in run.events if event.fires)
    events = f"{total}" + (": " + ", ".join(f"{name} x {n}" for name, n in counted.most_common(4)) if total else "")
    if len(counted) > 4:
        events += ", ..."
    levels = sorted(set(statistics["guarantees"].values()))
    if levels:
        events += "; " + " and ".join(levels)
    drifts = [(statistics[k], k.replace("_", " ")) for k in ("position_drift", "velocity_drift", "invariant_drift") if k in statistics]
    kept = ", ".join(f"{name} {value:.1e}" for value, name in drifts) or "no constraints"
    messages = run.messages
    notes = f"{len(messages)}: {messages[0].splitlines()[0]}" if messages else "none"
    return first, (("method", method), ("at the end", states), ("events", events), ("kept", kept), ("notes", notes))


def _cut(text, width=110):
    return text if len(text) <= width else text[: width - 3] + "..."


def describe(run):
    first, rows = _facts(run)
    return "\n".join([_cut(first)] + [_cut(f"  {key:<11} {value}") for key, value in rows])


def _curves(run, names):
    t = run.t
    if len(t) < 2:
        return []
    values = [np.asarray(run[name], float) for name in names]
    if run._options.get("keep", "everything") == "everything" and run.t_start != run.t_end:
        between = np.linspace(run.t_start, run.t_end, MOST_POINTS)
        instants = run(between)
        t = np.concatenate([t, between])
        order = np.argsort(t if run.t_start < run.t_end else -t, kind="stable")
        t = t[order]
        values = [np.concatenate([y, np.asarray(instants[name], float)])[order] for name, y in zip(names, values)]
    return [(name, *_thinned(t, y)) for name, y in zip(names, values)]


def _thinned(t, y):
    """Of many points the ends and the extremes of groups, so that what a few steps take is seen."""
    groups = MOST_POINTS // 2
    if len(t) <= 2 * groups:
        return t, y
    edges = np.linspace(0, len(t), groups + 1).astype(int)
    low, high = np.where(np.isnan(y), np.inf, y), np.where(np.isnan(y), -np.inf, y)
    pick = np.unique([0, len(t) - 1] + [a + np.argmin(low[a:b]) for a, b in zip(edges, edges[1:])] + [a + np.argmax(high[a:b]) for a, b in zip(edges, edges[1:])])
    return t[pick], y[pick]


def html(run):
    first, rows = _facts(run)
    cells = "".join(f"<tr><th style='text-align:left'>{key}</th><td style='text-align:left'>{escape.escape(_cut(value, 300))}</td></tr>" for key, value in rows)
    return f"<div><b>{escape.escape(_cut(first, 300))}</b><table>{cells}</table>{_svg(run)}</div>"


def _svg(run, width=640, height=220):
    curves = _curves(run, run.state_names[:3])
    curves = [(name, t, y) for name, t, y in curves if np.isfinite(y).any()]
    if not curves:
        return ""
    finite = np.concatenate([y[np.isfinite(y)] for _, _, y in curves])
    low, high = float(finite.min()), float(finite.max())
    span = high - low or 1.0
    start, end = run.t_start, run.t_end
    lines, legend = [], []
    for (name, t, y), colour in zip(curves, COLOURS):
        points = " ".join(f"{40 + (width - 50) * (a - start) / (end - start):.1f},{10 + (height - 40) * (high - b) / span:.1f}"
                          for a, b in zip(t, y) if np.isfinite(b))
        lines.append(f"<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='1.5'/>")
        legend.append(f"<tspan fill='{colour}' dx='12'>{escape.escape(_cut(name, 40))}</tspan>")
    return (f"<svg width='{width}' height='{height}' xmlns='http://www.w3.org/2000/svg' font-size='11' font-family='sans-serif'>"
            f"<rect x='40' y='10' width='{width - 50}' height='{height - 40}' fill='none' stroke='#999'/>{''.join(lines)}"
            f"<text x='36' y='18' text-anchor='end' fill='#777'>{high:.3g}</text><text x='36' y='{height - 30}' text-anchor='end' fill='#777'>{low:.3g}</text>"
            f"<text x='40' y='{height - 8}' fill='#777'>t = {start:.4g} ... {end:.4g}{''.join(legend)}</text></svg>")


def plot(run, what, ax=None):
    import matplotlib.pyplot as pyplot

    if ax is None:
        ax = pyplot.gca()
    keeps_polynomials = run._options.get("keep", "everything") == "everything" and run.t_start != run.t_end
    for one in what or run.state_names[:6]:
        if keeps_polynomials:  # between steps, and both sides of every event
            ends = np.unique(np.concatenate([run.t, np.linspace(run.t_start, run.t_end, 1001)]))
            if run.t_end < run.t_start:
                ends = ends[::-1]
            pairs = np.repeat(ends, 2)
            values = np.empty(len(pairs))
            values[0::2], values[1::2] = run.before(ends)[one], run(ends)[one]
            ax.plot(pairs, values, label=str(one))
        else:
            ax.plot(run.t, run[one], label=str(one))
    ax.set_xlabel("t")
    ax.set_title(run.model.name)
    ax.legend()
    return ax
