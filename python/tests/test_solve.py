"""solve_ivp and solve_dae: shapes and names as scipy has them, all events, fallback instead of failure."""

import math
import unittest
import warnings

import numpy as np

import pawl


def pendulum(t, y):
    return [y[1], -9.81 * np.sin(y[0])]


class Shapes(unittest.TestCase):
    def test_names_and_shapes(self):
        r = pawl.solve_ivp(pendulum, (0, 3), [1, 0], events=[lambda t, y: y[0], lambda t, y: y[1]])
        self.assertEqual((r.status, r.success), (0, True))
        self.assertEqual(r.message, "The solver successfully reached the end of the integration interval.")
        self.assertEqual(r.y.shape, (2, len(r.t)))
        self.assertEqual((r.t[0], r.t[-1]), (0.0, 3.0))
        self.assertTrue(np.all(np.diff(r.t) > 0))
        for times, states in zip(r.t_events, r.y_events):
            self.assertEqual(states.shape, (len(times), 2))
        self.assertLess(np.max(np.abs(r.y_events[0][:, 0])), 1e-12)
        self.assertEqual(r.sol(1.5).shape, (2,))
        self.assertEqual(r.sol([0.5, 1.5, 2.5]).shape, (2, 3))
        self.assertGreater(r.nfev, 0)
        self.assertEqual(r["t"] is r.t, True)

    def test_without_events(self):
        r = pawl.solve_ivp(pendulum, (0, 1), [1, 0])
        self.assertIsNone(r.t_events)
        self.assertIsNone(r.y_events)

    def test_t_eval(self):
        times = np.linspace(0, 3, 31)
        r = pawl.solve_ivp(pendulum, (0, 3), [1, 0], t_eval=times, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(r.t, times)
        np.testing.assert_allclose(r.y, r.sol(times))

    def test_args_and_vectorized(self):
        r = pawl.solve_ivp(lambda t, y, a, b: [-a * y[0] + b], (0, 1), [1.0], args=(2.0, 0.5), rtol=1e-9, atol=1e-12)
        self.assertAlmostEqual(r.y[0, -1], 0.25 + 0.75 * math.exp(-2), places=9)
        self.assertTrue(r.traced)
        r = pawl.solve_ivp(lambda t, y: -y, (0, 1), [1.0, 2.0], vectorized=True, rtol=1e-9, atol=1e-12)
        self.assertAlmostEqual(r.y[1, -1], 2 * math.exp(-1), places=9)

    def test_backward(self):
        r = pawl.solve_ivp(lambda t, y: -y, (1, 0), [math.exp(-1)], rtol=1e-9, atol=1e-12)
        self.assertAlmostEqual(r.y[0, -1], 1.0, places=8)
        self.assertTrue(np.all(np.diff(r.t) < 0))

    def test_complex(self):
        with self.assertWarns(pawl.NotTraced):
            r = pawl.solve_ivp(lambda t, y: 1j * y, (0, 1), [1 + 0j], rtol=1e-9, atol=1e-12)
        self.assertAlmostEqual(r.y[0, -1], complex(math.cos(1), math.sin(1)), places=8)

    def test_scipys_method_names(self):
        for name in ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA", "auto", "verner-7"):
            r = pawl.solve_ivp(lambda t, y: -y, (0, 1), [1.0], method=name, rtol=1e-7, atol=1e-9)
            self.assertAlmostEqual(r.y[0, -1], math.exp(-1), places=5, msg=name)

    def test_default_tolerances_are_scipys(self):
        r = pawl.solve_ivp(pendulum, (0, 1), [1, 0])
        self.assertEqual((r.run._options["rtol"], r.run._options["atol"]), (1e-3, 1e-6))

    def test_tolerance_per_component(self):
        r = pawl.solve_ivp(pendulum, (0, 1), [1, 0], atol=[1e-9, 1e-3])
        self.assertTrue(r.success)


class Events(unittest.TestCase):
    def test_the_cubic_of_scipy_9228(self):
        r = pawl.solve_ivp(lambda t, y: [1.0], (-10, 10), [0.0], events=lambda t, y: (t + 6) * (t + 2) * (t - 2))
        np.testing.assert_allclose(r.t_events[0], [-6, -2, 2], atol=1e-12)
        self.assertEqual(r.guarantees, {"event 1": "proved"})

    def test_terminal(self):
        def hits(t, y):
            return y[0]

        hits.terminal, hits.direction = True, -1
        r = pawl.solve_ivp(lambda t, y: [y[1], -9.81], (0, 5), [1, 0], events=hits, rtol=1e-9, atol=1e-12)
        self.assertEqual((r.status, r.message), (1, "A termination event occurred."))
        self.assertAlmostEqual(r.t[-1], math.sqrt(2 / 9.81), places=9)
        self.assertAlmostEqual(r.t_events[0][0], r.t[-1], places=15)

    def test_terminal_count(self):
        def hits(t, y):
            return y[0]

        hits.terminal = 3
        r = pawl.solve_ivp(lambda t, y: [np.cos(t)], (0.1, 50), [math.sin(0.1)], events=hits, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(r.t_events[0], math.pi * np.arange(1, 4), atol=1e-7)

    def test_direction(self):
        up = lambda t, y: y[0]
        down = lambda t, y: y[0]
        up.direction, down.direction = 1, -1
        r = pawl.solve_ivp(lambda t, y: [np.cos(t)], (0.1, 10), [math.sin(0.1)], events=[up, down], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(r.t_events[0], [2 * math.pi], atol=1e-7)
        np.testing.assert_allclose(r.t_events[1], [math.pi, 3 * math.pi], atol=1e-7)

    def test_an_event_that_cannot_be_traced(self):
        def steered(t, y):
            return y[0] if t < 100 else 1.0

        with self.assertWarns(pawl.NotTraced) as caught:
            r = pawl.solve_ivp(pendulum, (0, 3), [1, 0], events=steered, rtol=1e-8, atol=1e-10)
        self.assertTrue(str(caught.warning).startswith("event 1 is called as it is, not traced: "))
        exact = pawl.solve_ivp(pendulum, (0, 3), [1, 0], events=lambda t, y: y[0], rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(r.t_events[0], exact.t_events[0], atol=1e-7)


class Sliding(unittest.TestCase):
    def test_coulomb_friction_by_np_sign(self):
        def sledge(t, y):
            return [y[1], -2.0 * np.sign(y[1])]

        r = pawl.solve_ivp(sledge, (0, 3), [0.0, 1.0], rtol=1e-9, atol=1e-12)
        self.assertTrue(r.success, r.message)
        self.assertIn("with its switches as relays", " ".join(r.notes))
        self.assertAlmostEqual(r.y[0, -1], 0.25, places=9)  # v^2 / (2 a)
        self.assertAlmostEqual(r.y[1, -1], 0.0, places=12)

    def test_by_np_where_and_with_events(self):
        r = pawl.solve_ivp(lambda t, y: [np.where(y[0] >= 0.5, -1.0, 2.0)], (0, 2), [0.0], events=lambda t, y: y[0] - 0.25, rtol=1e-9, atol=1e-12)
        self.assertTrue(r.success, r.message)
        self.assertAlmostEqual(r.y[0, -1], 0.5, places=12)
        np.testing.assert_allclose(r.t_events[0], [0.125], atol=1e-9)


class Stiff(unittest.TestCase):
    def test_robertson(self):
        def f(t, y):
            forward, made = 0.04 * y[0] - 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
            return [-forward, forward - made, made]

        exact = [0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050]  # Mazzia, Magherini (2008), at 1e11
        r = pawl.solve_ivp(f, (0, 1e11), [1, 0, 0], rtol=1e-6, atol=[1e-12, 1e-16, 1e-10])
        np.testing.assert_allclose(r.y[:, -1], exact, rtol=1e-4)

        def steered(t, y):
            return f(t, y) if t < 1e99 else y

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            r = pawl.solve_ivp(steered, (0, 1e11), [1, 0, 0], rtol=1e-6, atol=[1e-12, 1e-16, 1e-10])
        np.testing.assert_allclose(r.y[:, -1], exact, rtol=1e-3)

    def test_a_given_jacobian_is_used_by_functions_that_are_called(self):
        calls = []

        def f(t, y):
            return [-1000 * (y[0] - math.cos(t)) if t < 1e9 else 0.0]

        def jac(t, y):
            calls.append(t)
            return [[-1000.0]]

        with self.assertWarns(pawl.NotTraced):
            r = pawl.solve_ivp(f, (0, 1), [0.0], method="Radau", jac=jac, rtol=1e-7, atol=1e-9)
        self.assertTrue(calls)
        exact = (1e6 * math.cos(1) + 1000 * math.sin(1)) / (1e6 + 1)
        self.assertAlmostEqual(r.y[0, -1], exact, places=6)


class Dae(unittest.TestCase):
    @staticmethod
    def pendulum(t, y, yp):
        x, z, vx, vz, tension = y
        return [yp[0] - vx, yp[1] - vz, yp[2] + tension * x, yp[3] + tension * z + 9.81, x * x + z * z - 1]

    def test_index_three(self):
        r = pawl.solve_dae(self.pendulum, (0, 2), [1, 0, 0, 0, 0], rtol=1e-9, atol=1e-11)
        self.assertTrue(r.success, r.message)
        self.assertTrue(r.traced)
        np.testing.assert_allclose(r.y[0] ** 2 + r.y[1] ** 2, 1, atol=1e-9)
        angle = pawl.solve_ivp(pendulum, (0, 2), [math.pi / 2, 0], rtol=1e-11, atol=1e-13).y[0, -1]
        self.assertAlmostEqual(r.y[0, -1], math.sin(angle), places=7)

    def test_called_as_it_is(self):
        def circuit(t, y, yp):
            if t > 1e9:
                raise AssertionError
            return [yp[0] - y[1], y[0] + y[1] - 1.0]

        with self.assertWarns(pawl.NotTraced):
            r = pawl.solve_dae(circuit, (0, 1), [0.0, 1.0], rtol=1e-8, atol=1e-10)
        self.assertTrue(r.success, r.message)
        self.assertAlmostEqual(r.y[0, -1], 1 - math.exp(-1), places=6)

    def test_index_two_and_three_called_as_they_are(self):
        def index_two(t, y, yp):
            x, z, vx, vz, tension = y
            last = x * vx + z * vz if t > 0 else z * vz + x * vx
            return [yp[0] - vx, yp[1] - vz, yp[2] + tension * x, yp[3] + tension * z + 9.81, last]

        def index_three(t, y, yp):
            return self.pendulum(t, y, yp) if t > 0 else list(self.pendulum(t, y, yp))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            r = pawl.solve_dae(index_two, (0, 0.5), [1, 0, 0, 0, 0])
            self.assertTrue(r.success and not r.traced, r.message)
            r = pawl.solve_dae(index_three, (0, 0.5), [1, 0, 0, 0, 0])
        self.assertFalse(r.success)
        self.assertEqual(r.message.splitlines()[-1], "  note:   fun is called as it is, so that its index is not reduced: above index 2 it has to be one that can be traced")

    def test_events(self):
        r = pawl.solve_dae(lambda t, y, yp: [yp[0] - y[1], y[0] + y[1] - 1.0], (0, 2), [0.0, 1.0], events=lambda t, y: y[0] - 0.5, rtol=1e-9, atol=1e-12)
        self.assertAlmostEqual(r.t_events[0][0], math.log(2), places=8)


class BesideScipy(unittest.TestCase):
    """The same numbers as scipy, where scipy is there."""

    def test_same_fields_and_shapes(self):
        try:
            from scipy.integrate import solve_ivp
        except ImportError:
            self.skipTest("scipy is not installed")
        ours = pawl.solve_ivp(pendulum, (0, 3), [1, 0], events=lambda t, y: y[0], t_eval=[0, 1, 2, 3], rtol=1e-9, atol=1e-12)
        theirs = solve_ivp(pendulum, (0, 3), [1, 0], events=lambda t, y: y[0], t_eval=[0, 1, 2, 3], rtol=1e-9, atol=1e-12)
        self.assertLessEqual(set(theirs), set(ours))
        np.testing.assert_allclose(ours.y, theirs.y, atol=1e-7)
        np.testing.assert_allclose(ours.t_events[0], theirs.t_events[0], atol=1e-7)
        self.assertEqual(ours.y_events[0].shape, theirs.y_events[0].shape)


if __name__ == "__main__":
    unittest.main()
