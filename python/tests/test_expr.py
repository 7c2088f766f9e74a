"""Expressions: every function equals numpy's, truths are those of Python, free expressions join any system."""

import itertools
import math
import unittest

import numpy as np

import pawl
from pawl.arrays import UFUNCS
from pawl.evaluate import evaluate
from pawl.expr import STATE, Expr, node_of

COMPARISONS = {np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal, np.logical_not, np.invert, np.logical_and,
               np.logical_or, np.bitwise_and, np.bitwise_or}


def value(system, expr, *states):
    """By the graph and by numpy, which have to agree."""
    by_graph = system._function(expr)(0.5, list(states), [])[0]
    by_numpy = float(evaluate(Expr(system._graph, node_of(expr, system._graph)), lambda kind, index: states[index] if kind == STATE else 0.5))
    assert by_graph == by_numpy or abs(by_graph - by_numpy) <= 1e-14 * abs(by_numpy), (expr, by_graph, by_numpy)
    return by_graph


class Functions(unittest.TestCase):
    def setUp(self):
        self.system = pawl.System("s")
        self.x, self.y = self.system.states(x=0.0, y=0.0)

    def test_every_ufunc_is_numpys(self):
        compared = 0
        for ufunc in UFUNCS:
            if ufunc in COMPARISONS:
                continue
            for a, b in ((0.3, 0.7), (0.9, -0.4), (0.05, 2.5)):
                operands, numbers = ((self.x,), (a,)) if ufunc.nin == 1 else ((self.x, self.y), (a, b))
                with self.subTest(ufunc.__name__, a=a, b=b):
                    np.testing.assert_allclose(value(self.system, ufunc(*operands), a, b), ufunc(*numbers), rtol=2e-15, atol=1e-16)
                    compared += 1
        self.assertGreater(compared, 100)

    def test_words_of_cpp(self):
        x, y = self.x, self.y
        for made, exact in ((pawl.sqr(x), 0.09), (pawl.atan2(x, y), math.atan2(0.3, 0.7)), (pawl.min(x, y), 0.3), (pawl.max(x, y), 0.7),
                            (pawl.abs(-x), 0.3), (pawl.pow(x, 3), 0.3**3), (pawl.select(x > 0.5, 1, 2), 2)):
            self.assertAlmostEqual(value(self.system, made, 0.3, 0.7), exact, places=15)

    def test_interp_is_numpys(self):
        xp, fp = [0.0, 0.5, 2.0, 3.0], [1.0, -1.0, 4.0, 4.5]
        for at in (-1.0, 0.0, 0.25, 0.5, 1.7, 2.0, 2.9, 3.0, 7.0):
            self.assertAlmostEqual(value(self.system, pawl.interp(self.x, xp, fp), at, 0), np.interp(at, xp, fp), places=14)

    def test_truths_are_pythons(self):
        x, y = self.x, self.y
        for a, b in itertools.product((-1.0, 0.0, 1.0), repeat=2):
            cases = {
                x > y: a > b, x >= y: a >= b, x < y: a < b, x <= y: a <= b, (x > 0) & (y > 0): a > 0 and b > 0,
                (x > 0) | (y >= 0): a > 0 or b >= 0, ~(x > 0): not a > 0, ~((x > 0) & (y < 0)): not (a > 0 and b < 0), 0 < x: 0 < a,
                (x > 0) & True: a > 0, (x > 0) | True: True,
            }
            for truth, exact in cases.items():
                self.assertEqual(value(self.system, pawl.where(truth, 1.0, 0.0), a, b), float(exact), f"{truth!r} at {a}, {b}")

    def test_free_expressions_join_any_system(self):
        wave = pawl.sin(2 * pawl.t) + pawl.where(pawl.t > 0.2, 1.0, 0.0)
        for system in (self.system, pawl.System("other")):
            self.assertAlmostEqual(system._function(wave)(0.5, [0, 0], [])[0], math.sin(1) + 1, places=15)
        self.assertAlmostEqual(value(self.system, self.x * pawl.t, 3.0, 0), 1.5, places=15)

    def test_a_dead_branch_does_no_harm(self):
        tank = pawl.System("tank")
        level = tank.state("level", 0.01)
        tank.rates({level: pawl.where(level > 0, -pawl.sqrt(level), 0.0)})
        for method in ("auto", "radau"):
            run = tank.simulate(1, method=method, rtol=1e-6)
            self.assertAlmostEqual(run(0.1)[level], 0.0025, places=6, msg=method)  # (0.1 - t / 2)^2

    def test_what_is_held_chooses_one_side(self):
        choice = pawl.System("choice")
        x = choice.state("x", 1.0)
        k = choice.parameter("k", 1.0)
        choice.rates({x: pawl.where(k > 2, pawl.sqrt(-x), -k * x)})
        self.assertAlmostEqual(choice.simulate(1, rtol=1e-9).final[x], math.exp(-1), places=8)
        gear = pawl.System("gear")
        x = gear.state("x", 0.0)
        n = gear.discrete("n", 1)
        gear.rates({x: pawl.where(n == 2, 10.0, 1.0)})
        gear.guard("shift", x - 0.5, then={n: 2}, only_when=(n == 1))
        self.assertAlmostEqual(gear.simulate(1, rtol=1e-9).final[x], 5.5, places=9)


if __name__ == "__main__":
    unittest.main()
