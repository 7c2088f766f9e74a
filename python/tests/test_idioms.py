"""How people write right-hand sides with numpy: each is traced with equal values, or called as it is, and said so."""

import functools
import math
import random
import time
import unittest
import warnings

import numpy as np
from math import exp, sin
from numpy import cos, zeros

import pawl

A = np.array([[0.0, 1.0, 0.0], [-1.0, -0.1, 0.2], [0.3, 0.0, -0.5]])
TABLE_T, TABLE_F = np.linspace(-2, 6, 17), np.sin(np.linspace(-2, 6, 17))
k = 0.7


def helper(x):
    made = np.zeros(3)
    made[0] = x[1]
    return made


class Model:
    gain = 0.5

    def rhs(self, t, y):
        return [y[1], -self.gain * y[0], 0.0]

    def __call__(self, t, y):
        return -self.gain * y


def zeros_assigned(t, y):
    d = np.zeros(3)
    d[0] = y[1]
    d[1] = -y[0]
    return d


def empty_assigned(t, y):
    d = np.empty(3)
    d[:] = y * k
    return d


def from_numpy_zeros(t, y):
    d = zeros(3)
    d[2] = cos(y[0])
    return d


def unpacked(t, y):
    a, b, c = y
    return b, -a, c * t


def loop(t, y):
    d = np.zeros_like(y)
    for i in range(len(y)):
        d[i] = -y[i] + 0.1 * y[(i + 1) % len(y)]
    return d


def keyword(t, y, *, rate=0.3):
    return -rate * y


def star(t, y, *rest):
    return -y


def in_place(t, y):
    d = -y
    d += 0.1 * y[::-1]
    d[1] *= 2
    return d


def changes_its_argument(t, y):
    y[0] = max(y[0], 0.0)
    y *= 2
    return -y


def nested(t, y):
    def inner(x):
        return x * np.exp(-x)

    return [inner(v) for v in y]


def sized(t, y):
    d = np.zeros(y.shape)
    d[0], d[-1] = y[-1], y[0]
    return d


def annotated(t: float, y: np.ndarray) -> np.ndarray:
    return np.full(3, y.sum())


TRACED = {
    "list": lambda t, y: [y[1], -y[0], 0.0],
    "tuple": lambda t, y: (y[1], -y[0], 1),
    "np.array": lambda t, y: np.array([y[1], -y[0], t]),
    "np.array float": lambda t, y: np.array([y[1], -y[0], t], dtype=float),
    "np.asarray float": lambda t, y: np.asarray(y, dtype=float) * 2,
    "whole array": lambda t, y: -k * y,
    "power": lambda t, y: -y**3 + y**2 - 2.0**y,
    "matrix product": lambda t, y: A @ y,
    "np.dot": lambda t, y: np.dot(A, y),
    "np.matmul": lambda t, y: np.matmul(A, y),
    "A.dot": lambda t, y: A.dot(y),
    "np.sin of an array": lambda t, y: np.sin(y),
    "np.sin of an element": lambda t, y: [np.sin(y[0]), np.cos(y[1]), np.tan(0.1 * y[2])],
    "math.sin": lambda t, y: [math.sin(y[0]), math.sqrt(y[1] + 9), math.exp(-y[2])],
    "from math import": lambda t, y: [sin(y[0]), exp(-y[1]), 0],
    "np.exp, np.log, np.sqrt": lambda t, y: [np.exp(-y[0]), np.log(y[1] + 5), np.sqrt(y[2] ** 2 + 1)],
    "hyperbolic": lambda t, y: [np.sinh(y[0]), np.cosh(y[1]), np.tanh(y[2])],
    "inverse": lambda t, y: [np.arctan(y[0]), np.arcsin(0.1 * y[1]), np.arccos(0.1 * y[2])],
    "np.arctan2, np.hypot": lambda t, y: [np.arctan2(y[0], y[1]), np.hypot(y[0], y[2]), 0],
    "log10, log2, exp2": lambda t, y: [np.log10(y[0] + 9), np.log2(y[1] + 9), np.exp2(y[2])],
    "expm1, log1p": lambda t, y: [np.expm1(y[0]), np.log1p(y[1] + 1), np.cbrt(y[2])],
    "degrees": lambda t, y: [np.deg2rad(y[0]), np.rad2deg(y[1]), np.radians(y[2])],
    "abs": lambda t, y: [abs(y[0]), np.abs(y[1]), np.fabs(y[2])],
    "np.sign": lambda t, y: np.sign(y),
    "np.where": lambda t, y: np.where(y > 0, -y, y),
    "np.where of an element": lambda t, y: [np.where(y[0] > 0.5, 1.0, -1.0), y[1], np.where(t >= 1, y[0], 0)],
    "comparison as a number": lambda t, y: [(y[0] > 0) * y[1], 1.0 * (y[1] < 0), 0],
    "two comparisons": lambda t, y: np.where((y > -1) & (y < 1), -y, y),
    "np.heaviside": lambda t, y: np.heaviside(y, 0.5),
    "np.select": lambda t, y: [np.select([y[0] < 0, y[0] < 5], [-1.0, y[0]], 3.0), 0, 0],
    "np.maximum": lambda t, y: np.maximum(y, 0.1),
    "np.minimum": lambda t, y: np.minimum(y, y[::-1]),
    "max, min": lambda t, y: [max(y[0], 0.0), min(y[1], y[2]), max(y)],
    "np.max": lambda t, y: [np.max(y), y.min(), np.amin(y)],
    "np.clip": lambda t, y: np.clip(y, -0.5, 0.5),
    "y.clip": lambda t, y: y.clip(-0.5, 0.5),
    "np.interp": lambda t, y: [np.interp(t, TABLE_T, TABLE_F), np.interp(y[0], TABLE_T, TABLE_F), 0],
    "sum": lambda t, y: [sum(y), y.sum(), np.sum(y)],
    "np.mean": lambda t, y: [np.mean(y), y.mean(), y.prod()],
    "norm": lambda t, y: y / np.linalg.norm(y) ** 3,
    "np.cross": lambda t, y: np.cross(y, [0, 0, 1.0]),
    "np.concatenate": lambda t, y: np.concatenate([y[1:], [-y[0]]]),
    "np.hstack": lambda t, y: np.hstack([y[2], -y[:2]]),
    "np.append": lambda t, y: np.append(y[:2], y[0] * y[2]),
    "np.roll": lambda t, y: np.roll(y, 1) - 2 * y + np.roll(y, -1),
    "np.diff": lambda t, y: np.append(np.diff(y), 0),
    "np.outer": lambda t, y: np.outer(y, y).sum(axis=0),
    "np.ones_like": lambda t, y: np.ones_like(y) * t,
    "reshape": lambda t, y: y.reshape(3, 1).T.ravel(),
    "copy": lambda t, y: y.copy(),
    "float": lambda t, y: [float(y[0]), float(t), 0.0],
    "np.float64": lambda t, y: [np.float64(2.0) * y[0], np.float64(y[1]), 0.0],
    "np.square, np.power": lambda t, y: [np.square(y[0]), np.power(y[1], 3), np.reciprocal(y[2] + 9)],
    "augmented": in_place, "argument changed": changes_its_argument, "zeros": zeros_assigned, "empty": empty_assigned, "from numpy import zeros": from_numpy_zeros,
    "unpacking": unpacked, "loop": loop, "keyword": keyword, "star": star, "nested function": nested, "y.shape": sized,
    "np.full": annotated, "helper": lambda t, y: helper(y), "method": Model().rhs, "callable object": Model(),
    "partial": functools.partial(keyword, rate=0.9), "comprehension": lambda t, y: [-v * math.cos(t) for v in y],
}


def branching(t, y):
    if y[0] > 0:
        return -y
    return y


def while_loop(t, y):
    x = y[0]
    while x > 1:
        x = x / 2
    return [x, 0, 0]


def printing(t, y):
    print(end="")
    return -y


def integer_part(t, y):
    return [int(y[0]), 0, 0]


def remainder(t, y):
    return [np.mod(t, 1.0), y[0], 0]


def rounding(t, y):
    return np.floor(y)


def solving(t, y):
    return np.linalg.solve(np.eye(3) + np.outer(y, y), y)


def many_points(t, y):
    return [np.interp(t, np.arange(1000.0), np.arange(1000.0)), 0, 0]


def boolean_index(t, y):
    d = -y
    d[y > 0] = 0.5
    return d


def sorted_states(t, y):
    return np.sort(y)


CALLED = {
    "if": (branching, "if y[0] > 0:"), "while": (while_loop, "while x > 1:"), "print": (printing, "it prints"),
    "int": (integer_part, "int(y[0])"), "np.mod": (remainder, "numpy.remainder"), "np.floor": (rounding, "numpy.floor"),
    "np.linalg.solve": (solving, "solve"), "interp of 1000 points": (many_points, "up to 256"),
    "boolean index": (boolean_index, "d[y > 0] = 0.5"), "np.sort": (sorted_states, "np.sort(y)"),
    "conditional expression": (lambda t, y: -y if t < 1 else y, "t < 1"),
}


def solve(f, end=0.5):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        r = pawl.solve_ivp(f, (0, end), [0.3, 0.7, -0.4], rtol=1e-8, atol=1e-10)
    return r, [w for w in caught if issubclass(w.category, pawl.NotTraced)]


class Idioms(unittest.TestCase):
    def test_there_are_forty(self):
        self.assertGreaterEqual(len(TRACED) + len(CALLED), 40)

    def test_traced_and_equal(self):
        for name, f in TRACED.items():
            with self.subTest(name):
                r, said = solve(f)
                self.assertTrue(r.traced, r.notes)
                self.assertEqual(said, [])
                self.assertTrue(r.success, r.message)
                rates = r.run.model._core
                graph = pawl.solve.tracing.Traced(f, *self.arguments())
                for t, y in ((0.2, [0.3, 0.7, -0.4]), (1.3, [0.9, -0.2, 0.6])):
                    np.testing.assert_allclose(graph.function(t, y, []), np.ravel(np.asarray(f(t, np.array(y)), float)), rtol=1e-13, atol=1e-14)
                self.assertIsNotNone(rates)

    def arguments(self):
        problem = pawl.solve._Problem("idiom", np.zeros(3), 0.0, 1.0)
        return problem.graph, (problem.t, problem.y()), 3

    def test_called_and_said(self):
        for name, (f, reason) in CALLED.items():
            with self.subTest(name):
                r, said = solve(f)
                self.assertFalse(r.traced)
                self.assertEqual(len(said), 1)
                text = str(said[0].message)
                self.assertTrue(text.startswith("fun is called as it is, not traced: "), text)
                self.assertIn(reason, text)
                self.assertIn(text, r.notes)

    def test_the_whole_note(self):
        r, said = solve(branching)
        line = branching.__code__.co_firstlineno + 1
        self.assertEqual(
            str(said[0].message),
            f"fun is called as it is, not traced: test_idioms.py:{line}: `if y[0] > 0:`: it asks for the value of something"
            " that moves; pawl.where(x > 0, a, b), min, max and abs need none")

    def test_called_gives_what_traced_gives(self):
        def plain(t, y):
            return [y[1], -math.sin(y[0]), 0.0]

        def steered(t, y):
            return [y[1], -math.sin(y[0]), 0.0] if t < 1e9 else y

        a, b = solve(plain, 5.0)[0], solve(steered, 5.0)[0]
        self.assertTrue(a.traced and not b.traced)
        np.testing.assert_allclose(a.y[:, -1], b.y[:, -1], rtol=1e-6)


class HiddenState(unittest.TestCase):
    def refused(self, f, reason):
        r, said = solve(f)
        self.assertFalse(r.traced)
        self.assertIn(reason, str(said[0].message))

    def test_a_counter_in_a_closure(self):
        n = 0

        def f(t, y):
            nonlocal n
            n += 1
            return -y

        self.refused(f, "it assigns 'n', which outlives the call")

    def test_a_counter_in_a_list(self):
        calls = []

        def f(t, y):
            calls.append(t)
            return -y

        self.refused(f, "it changes 'calls', which outlives the call")
        self.assertTrue(all(type(t) is float for t in calls))

    def test_a_counter_that_matters(self):
        count = [0]

        def f(t, y):
            count[0] += 1
            return -y * (1 + 1e-6 * count[0])

        self.refused(f, "hidden state")

    def test_an_attribute(self):
        class Counter:
            calls = 0

            def __init__(self):
                self.seen = 0

            def __call__(self, t, y):
                self.seen += 1
                return -y

        self.refused(Counter(), "it changes 'self.seen', which outlives the call")

    def test_random_numbers(self):
        generator = np.random.default_rng(1)
        self.refused(lambda t, y: -y + 1e-9 * np.random.rand(3), "random numbers")
        self.refused(lambda t, y: -y + 1e-9 * random.random(), "random numbers")
        self.refused(lambda t, y: -y + 1e-9 * generator.normal(size=3), "random numbers")

    def test_a_clock(self):
        self.refused(lambda t, y: -y + 0 * time.time(), "clock")


if __name__ == "__main__":
    unittest.main()
