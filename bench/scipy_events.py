#!/usr/bin/python3
"""Cases of the gauntlet with scipy.integrate.solve_ivp: what its event detection finds, by method.

Writes {case: {method: "found" or "found + n false"}} as JSON to the file named; bench/event_peers.cpp prints it beside the
others. Default step control, no maximum step; tolerances of the case. After an event the run is restarted from it; because scipy would
report the same zero again for ever, the first 1e-9 after a start or restart at a zero are integrated without events. Names and true events are those of src/problems/gauntlet_*.cpp.
"""
import json
import math
import signal
import sys
import warnings

import numpy as np
from scipy.integrate import solve_ivp

METHODS = ["RK45", "DOP853", "LSODA", "Radau"]
PI = math.pi


class Case:
    """guards: list of (name, g(t, y), direction, jump(t, y, held) -> y); true: list of (t, name);
    optional: events that may be passed over; must_stay: g of a guard that must not end beyond zero."""

    def __init__(self, name, rates, start, span, guards, true, rtol=1e-6, held=None, optional=(), must_stay=None):
        self.name, self.rates, self.start, self.span = name, rates, start, span
        self.guards, self.true, self.rtol, self.held = guards, true, rtol, held or {}
        self.optional, self.must_stay = list(optional), must_stay


def still(name, span, g, true, **more):
    return Case(name, lambda t, y, held: [0.0], [1.0], span, [("g", lambda t, y, held: g(t), 0, None)],
                [(t, "g") for t in true], **more)


def clock(name, span, gs, true, start=0.0, **more):
    return Case(name, lambda t, y, held: [1.0], [start], span, gs, true, **more)


def of_clock(name, end, g, true):
    return clock(name, (0, end), [("g", lambda t, y, held: g(y[0]), 0, None)], [(t, "g") for t in true])


def cases():
    def flip(t, y, held):
        held["m"] = -held["m"]
        return y

    latched = Case("y' = m y, m latched by sin(20 pi t)", lambda t, y, held: [held["m"] * y[0]], [1.0], (0, 3.5),
                   [("g", lambda t, y, held: math.sin(20 * PI * t), 0, flip)], [(k / 20, "g") for k in range(1, 71)],
                   held={"m": 1.0})
    yield latched


    def turn(m):
        def jump(t, y, held):
            held["m"] = m
            return y
        return jump

    yield Case("y' = y while sin(20 pi t) >= 0", lambda t, y, held: [held["m"] * y[0]], [0.1], (0, 3.5),
               [("down", lambda t, y, held: math.sin(20 * PI * t), -1, turn(0.0)),
                ("up", lambda t, y, held: math.sin(20 * PI * t), 1, turn(1.0))],
               [(k / 20, "down" if k % 2 else "up") for k in range(1, 71)], rtol=1e-9, held={"m": 1.0})
    yield still("sin(20 pi t), y' = 0", (0, 3.5), lambda t: math.sin(20 * PI * t), [k / 20 for k in range(1, 71)])
    secants = [("A = 0.403", 0.403, [0.88404789131968774, 2.44675488624797680, 2.47133413082483051]),
               ("A = tangent (1 - 1e-6)", 0.4033001509642802, [0.88396841278037929, 2.45857390223124470, 2.45947421862072101]),
               ("A = tangent (1 - 1e-8)", 0.40330055023182887, [0.88396830706132763, 2.45897901741558243, 2.45906904904732460]),
               ("A = tangent (1 + 1e-6)", 0.4033009575653887, [0.88396819920655147])]
    for (name, a, roots), rtol in zip(secants, [1e-9, 1e-11, 1e-12, 1e-11]):
        yield still("sin(pi t) - A t, " + name, (0, 3), lambda t, a=a: math.sin(PI * t) - a * t, roots)

        def kick(t, y, held):
            held["u"] = -held["u"] * y[0]
            return y

        yield Case("y1 - A t on a circle, " + name, lambda t, y, held: [PI * y[1], -PI * y[0], held["u"] ** 3], [0.0, 1.0, 0.0],
                   (0, 3), [("g", lambda t, y, held, a=a: y[0] - a * t, 0, kick)], [(r, "g") for r in roots], rtol=rtol,
                   held={"u": 1.0})
    half = 2 * math.asin(math.sqrt(1e-7 / 2))
    yield Case("x - 0.9999999 on a circle", lambda t, y, held: [y[1], -y[0]], [0.0, 1.0], (0, 20),
               [("g", lambda t, y, held: y[0] - (1 - 1e-7), 0, None)],
               [(top * PI + side * half, "g") for top in (0.5, 2.5, 4.5) for side in (-1, 1)], rtol=1e-10)
    e, first = 0.7, math.sqrt(2 / 9.81)
    bounces = [(first * (1 + e) / (1 - e) - 2 * first * e**n / (1 - e), "g") for n in range(1, 121)]
    yield Case("ball, restitution 0.7, past its accumulation", lambda t, y, held: [y[1], -9.81], [1.0, 0.0], (0, 5),
               [("g", lambda t, y, held: y[0], -1, lambda t, y, held: [y[0], -e * y[1]])], bounces[:36],
               optional=bounces[36:], must_stay=lambda y: y[0])
    yield clock("a reset that jumps across a second guard", (0, 2),
                [("first", lambda t, y, held: y[0] - 1, 1, lambda t, y, held: [3.0]),
                 ("second", lambda t, y, held: y[0] - 2, 1, None)], [(1, "first"), (1, "second")])
    yield of_clock("root exactly at the end, of a state", 1, lambda s: s - 1, [1])
    yield still("root exactly at the end, of t", (0, 1), lambda t: t - 1, [1])
    yield still("1 - sin t touches", (0, 20), lambda t: 1 - math.sin(t), [PI / 2 + 2 * PI * k for k in range(3)])
    for text, width in (("1e-2", 1e-2), ("1e-3", 1e-3), ("1e-4", 1e-4)):
        s = width / (2 * math.sqrt(math.log(2)))
        yield Case(f"dip {text} wide on [0, 10]", lambda t, y, held: [-y[0]], [1.0], (0, 10),
                   [("g", lambda t, y, held, s=s: 1 - 2 * math.exp(-((t - 5.4321) / s) ** 2), 0, None)],
                   [(5.4321 - width / 2, "g"), (5.4321 + width / 2, "g")])
    for text, width in (("1", 1.0), ("1e-1", 1e-1), ("1e-2", 1e-2), ("1e-3", 1e-3), ("1e-6", 1e-6)):
        yield of_clock(f"dip {text} wide", 1.2,
                       lambda s, w=width: 1 - 2 / (1 + ((s - 0.6180339887) * (2 / w)) ** 2),
                       [0.6180339887 - width / 2, 0.6180339887 + width / 2])
    for text, gap in (("1e-3", 1e-3), ("1e-9", 1e-9)):
        yield of_clock(f"two roots {text} apart", 1, lambda s, gap=gap: (s - 0.5) * (s - (0.5 + gap)), [0.5, 0.5 + gap])
    yield of_clock("zero at the start, root later", 1, lambda s: s * (s - 0.7), [0.7])
    yield of_clock("back across 1e-9 after a zero start", 1, lambda s: s * (s - 1e-9), [1e-9])
    yield of_clock("root at 1e-9, in the first step", 1, lambda s: s - 1e-9, [1e-9])
    yield of_clock("root of multiplicity 3", 1, lambda s: (s - 0.3) ** 3, [0.3])
    yield clock("four guards at the same bit", (0, 1),
                [(n, lambda t, y, held: y[0] - 0.5, 0, None) for n in "abcd"], [(0.5, n) for n in "abcd"])
    yield clock("two guards 1e-12 apart", (0, 1),
                [("second", lambda t, y, held: y[0] - (0.5 + 1e-12), 0, lambda t, y, held: y),
                 ("first", lambda t, y, held: y[0] - 0.5, 0, lambda t, y, held: y)], [(0.5, "first"), (0.5, "second")])
    yield clock("sawtooth", (0, 5.0625), [("g", lambda t, y, held: y[0] - 0.125, 1, lambda t, y, held: [0.0])],
                [(k / 8, "g") for k in range(1, 41)])
    yield still("sin(20 pi t) backward", (3.52, 0.01), lambda t: math.sin(20 * PI * t), [k / 20 for k in range(70, 0, -1)])


def found_by(case, method):
    """Times and names of everything reported, restarting after events that do something."""
    t, y, held, found = case.span[0], np.array(case.start), dict(case.held), []
    functions = []
    for _, g, direction, jump in case.guards:
        event = lambda t, y, g=g: g(t, y, held)
        event.terminal, event.direction = jump is not None, direction
        functions.append(event)
    forward = math.copysign(1, case.span[1] - t)
    while t != case.span[1] and len(found) < 500:
        if any(abs(g(t, y)) < 1e-9 for g in functions) and abs(case.span[1] - t) > 2e-9:
            nudge = solve_ivp(lambda t, y: case.rates(t, y, held), (t, t + forward * 1e-9), y, rtol=case.rtol, atol=case.rtol / 1000)
            t, y = nudge.t[-1], nudge.y[:, -1]
        run = solve_ivp(lambda t, y: case.rates(t, y, held), (t, case.span[1]), y, method=method, events=functions,
                        rtol=case.rtol, atol=case.rtol / 1000)
        found += [(time, case.guards[i][0]) for i, times in enumerate(run.t_events) for time in times]
        if run.status != 1:
            break
        t, y = run.t[-1], run.y[:, -1]
        for i, times in enumerate(run.t_events):
            if case.guards[i][3] is not None and len(times) and abs(times[-1] - t) <= 1e-15 * abs(t):
                y = np.array(case.guards[i][3](t, y, held))
    return found, run.y[:, -1]


def verdict(case, method):
    found, end = found_by(case, method)
    free = sorted(found)
    count = 0
    for time, name in case.true:
        fit = next((f for f in free if f[1] == name and abs(f[0] - time) <= 1000 * case.rtol), None)
        if fit is not None:
            free.remove(fit)
            count += 1
    for time, name in case.optional:
        fit = next((f for f in free if f[1] == name and abs(f[0] - time) <= 1000 * case.rtol), None)
        if fit is not None:
            free.remove(fit)
    text = f"{count} + {len(free)} false" if free else str(count)
    return text + ", falls through" if case.must_stay is not None and case.must_stay(end) < -1e-3 else text


def out_of_time(*_):
    raise TimeoutError


def main():
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, out_of_time)
    table = {}
    for case in cases():
        row = table.setdefault(case.name, {})
        for method in METHODS:
            signal.alarm(20)
            try:
                row[method] = verdict(case, method)
            except TimeoutError:
                row[method] = "hangs"
            except Exception as error:  # LSODA, for one, ends in an exception of its own
                row[method] = type(error).__name__
            signal.alarm(0)
        print(f"{case.name:50s} {len(case.true):3d} {row}", file=sys.stderr)
    with open(sys.argv[1], "w") as file:
        json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
