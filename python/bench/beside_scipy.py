"""pawl beside scipy in one run: whole calls of solve_ivp, tracing included, medians of several. Time is that of the processor,
which a shared machine disturbs least.

    OPENBLAS_NUM_THREADS=1 PYTHONPATH=build/release/python /usr/bin/python3 python/bench/beside_scipy.py

A ratio counts where pawl's error is not larger than scipy's: pawl runs with the loosest of a ladder of tolerances for which it is not.
"""

import statistics
import time
import warnings

import numpy as np
from scipy.integrate import solve_ivp

import pawl


def pendulum(t, y):
    return [y[1], -9.81 * np.sin(y[0])]


def robertson(t, y):
    forward, made = 0.04 * y[0] - 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [-forward, forward - made, made]


def called(f):
    """The same function, which cannot be traced."""

    def g(t, y):
        return f(t, y) if t < 1e99 else None

    return g


def median(f, times):
    f()
    spent = []
    for _ in range(times):
        begin = time.process_time()
        f()
        spent.append(time.process_time() - begin)
    return statistics.median(spent)


def error(result, exact, scale):
    return float(np.max(np.abs(result.y[:, -1] - exact) / scale))


CASES = [
    ("pendulum 100 s, 1e-6", pendulum, (0, 100), [1, 0], 1e-6, 1e-9, ("DOP853", "LSODA")),
    ("pendulum 100 s, 1e-9", pendulum, (0, 100), [1, 0], 1e-9, 1e-12, ("DOP853", "LSODA")),
    ("Robertson to 1e11, 1e-6", robertson, (0, 1e11), [1, 0, 0], 1e-6, 1e-14, ("LSODA", "Radau")),
    ("Robertson to 1e11, 1e-8", robertson, (0, 1e11), [1, 0, 0], 1e-8, 1e-16, ("LSODA", "Radau")),
]
WANTED = {"DOP853": 50, "LSODA": 15, "Radau": 100}


def as_accurate(f, span, y0, rtol, atol, exact, scale, allowed):
    rtol, atol = 100 * rtol, 100 * atol
    while True:
        r = pawl.solve_ivp(f, span, y0, rtol=rtol, atol=atol)
        if error(r, exact, scale) <= allowed or rtol < 1e-12:
            return rtol, atol, error(r, exact, scale)
        rtol, atol = rtol / 2, atol / 2


def main():
    warnings.simplefilter("ignore")
    print("| problem | scipy | ms | error | pawl traced, rtol | ms | error | faster | wanted | pawl called, rtol | ms | error | over scipy's fastest |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name, f, span, y0, rtol, atol, methods in CASES:
        exact = pawl.solve_ivp(f, span, y0, rtol=1e-12, atol=1e-22 if len(y0) == 3 else 1e-14).y[:, -1]
        scale = np.abs(exact) if len(y0) == 3 else np.ones(len(y0))
        theirs = {}
        for method in methods:
            r = solve_ivp(f, span, y0, method=method, rtol=rtol, atol=atol)
            theirs[method] = (median(lambda: solve_ivp(f, span, y0, method=method, rtol=rtol, atol=atol), 3), error(r, exact, scale))
        fastest = min(theirs, key=lambda method: theirs[method][0])
        for method, (spent, allowed) in theirs.items():
            r1, a1, ours = as_accurate(f, span, y0, rtol, atol, exact, scale, allowed)
            traced = median(lambda: pawl.solve_ivp(f, span, y0, rtol=r1, atol=a1), 9)
            row = f"| {name} | {method} | {spent * 1e3:.1f} | {allowed:.0e} | {r1:.0e} | {traced * 1e3:.2f} | {ours:.0e} | {spent / traced:.0f} | {WANTED[method]} |"
            if method == fastest:
                g = called(f)
                r2, a2, error2 = as_accurate(g, span, y0, rtol, atol, exact, scale, allowed)
                untraced = median(lambda: pawl.solve_ivp(g, span, y0, rtol=r2, atol=a2), 3)
                row += f" {r2:.0e} | {untraced * 1e3:.1f} | {error2:.0e} | {untraced / spent:.2f} |"
            else:
                row += " | | | |"
            print(row, flush=True)
    cubic = lambda t, y: (t + 6) * (t + 2) * (t - 2)
    theirs = solve_ivp(lambda t, y: [1.0], (-10, 10), [0.0], events=cubic)
    ours = pawl.solve_ivp(lambda t, y: [1.0], (-10, 10), [0.0], events=cubic)
    print(f"\nThe cubic of scipy issue 9228: scipy finds {theirs.t_events[0].round(9).tolist()}, pawl {ours.t_events[0].round(9).tolist()}, {ours.guarantees['event 1']}.")


if __name__ == "__main__":
    main()
