"""Results: arrays, instants, display, pickling, stepping by hand, verification and advice."""

import os
import pickle
import subprocess
import sys
import unittest

import numpy as np

import pawl
from test_system import ball


def steered(t, y):
    return -y if t < 9 else y


class Results(unittest.TestCase):
    def setUp(self):
        self.model = ball()
        self.run_ = self.model.simulate(3, rtol=1e-9)

    def test_arrays(self):
        run = self.run_
        self.assertEqual(run.t.shape, run["height"].shape)
        self.assertEqual(run.y.shape, (2, len(run.t)))
        np.testing.assert_array_equal(run.y[0], run["height"])
        self.assertEqual(run["resting"].dtype, bool)
        self.assertTrue(np.all(np.diff(run.t) >= 0))

    def test_expressions_of_the_model(self):
        model, run = self.model, self.run_
        height, speed, g = model["height"], model["speed"], model["g"]
        energy = run[g * height + speed**2 / 2]
        np.testing.assert_allclose(energy, 9.81 * run[height] + run[speed] ** 2 / 2, rtol=1e-15)
        self.assertAlmostEqual(run(0.1)[g * height + speed**2 / 2], 9.81, places=9)
        self.assertEqual(run(0.25)[pawl.t * 2], 0.5)

    def test_report(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.html")
            self.run_.report(path, self.model["height"], "height,speed", title="<a ball>")
            with open(path, encoding="utf-8") as file:
                page = file.read()
            self.assertIn("default-src 'none'", page)
            self.assertIn("&lt;a ball&gt;", page)
            self.assertNotIn("<a ball>", page)
            with self.assertRaisesRegex(RuntimeError, "^cannot write '.*missing.ball.html': No such file or directory$"):
                self.run_.report(os.path.join(folder, "missing", "ball.html"))
            end = self.model.simulate(0.1, keep="end")
            with self.assertRaisesRegex(pawl.Misuse, "polynomials"):
                end.report(path)

    def test_both_sides_of_an_event(self):
        run, t = self.run_, self.run_.events[0].t
        self.assertAlmostEqual(run(t)["speed"], -0.7 * run.before(t)["speed"], places=14)
        np.testing.assert_allclose(run([t, t])["speed"], [run(t)["speed"]] * 2)
        np.testing.assert_allclose(run.before([t])["speed"], [run.before(t)["speed"]])

    def test_sample(self):
        sample = self.run_.sample(200)
        self.assertEqual(sample["height"].shape, (201,))
        self.assertEqual((sample.t[0], sample.t[-1]), (0.0, 3.0))

    def test_requested_times_alone(self):
        run = self.model.simulate(1, times=[0.25, 0.5], keep="samples")
        np.testing.assert_allclose(run.t, [0.25, 0.5])

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = self.run_.to_pandas()
        self.assertEqual(list(frame.columns), ["height", "speed"])
        self.assertEqual(len(frame), len(self.run_.t))
        events = self.run_.events.to_pandas()
        self.assertEqual(len(events), len(self.run_.events))
        self.assertEqual(events["kind"].iloc[-1], "accumulation")

    def test_repr_has_six_lines(self):
        lines = repr(self.run_).split("\n")
        self.assertEqual(len(lines), 6)
        self.assertTrue(all(len(line) <= 110 for line in lines))
        self.assertEqual(lines[0], "ball: finished at t = 3 (from 0)")
        self.assertIn("ground x ", lines[3])
        self.assertIn("proved", lines[3])

    def test_the_notebook_cell_is_small_and_escaped(self):
        html = self.run_._repr_html_()
        self.assertLess(len(html.encode()), 100_000)
        self.assertIn("<svg", html)
        hostile = pawl.System("<script>alert(1)</script>")
        x = hostile.state("<b>", 1.0)
        hostile.rates({x: -x})
        html = hostile.simulate(1)._repr_html_()
        self.assertNotIn("<script>", html)
        self.assertNotIn("<b>,", html)
        large = pawl.problem("brusselator-1d").simulate()
        self.assertLess(len(large._repr_html_().encode()), 100_000)
        self.assertEqual(len(repr(large).split("\n")), 6)

    def test_the_notebook_cell_shows_what_a_few_steps_take(self):
        run = pawl.problem("vdpol").simulate()  # the speed is above 1000 for a thousandth of 2000
        low, high = run.range("v")
        self.assertGreater(high, 1000)
        self.assertIn(f">{high:.3g}<", run._repr_html_())
        self.assertIn(f">{low:.3g}<", run._repr_html_())

    def test_plot(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        ax = self.run_.plot("height", self.model["speed"] ** 2)
        self.assertEqual(len(ax.get_lines()), 2)
        self.assertGreaterEqual(ax.get_lines()[0].get_ydata().min(), -1e-12)

    def test_a_failure_is_an_outcome(self):
        blow = pawl.System("blow")
        x = blow.state("x", 1.0)
        blow.rates({x: x**2})
        run = blow.simulate(2)
        self.assertEqual(run.outcome, "failed")
        self.assertLess(abs(run.t_end - 1), 1e-3)
        self.assertTrue(run.reason)

    def test_verify_and_advise(self):
        check = self.run_.verify()
        self.assertTrue(check.is_verified, check)
        self.assertGreater(check.digits, 3)
        advice = pawl.problem("robertson").advise(1e5)
        self.assertTrue(advice.is_stiff)
        self.assertIn("robertson", str(advice))


class Pickling(unittest.TestCase):
    def again(self, x):
        return pickle.loads(pickle.dumps(x))

    def test_models(self):
        for model in (ball(), pawl.problem("bouncing-ball")):
            other = self.again(model)
            a, b = model.simulate(2, rtol=1e-9), other.simulate(2, rtol=1e-9)
            np.testing.assert_array_equal(a.y, b.y)
            self.assertEqual([repr(e) for e in a.events], [repr(e) for e in b.events])
            self.assertEqual(b[other["height"]].shape, b.t.shape)

    def test_every_model_of_the_tests(self):
        import test_catalogue as c

        for make in (c.robertson, c.kepler, c.coulomb_oscillator, c.driven_rc, c.rod_pendulum, c.ph_pendulum, c.transistor_amplifier, c.bead_hoop):
            with self.subTest(make.__name__):
                model = make()
                other = self.again(model)
                a, b = model.simulate(0.05), other.simulate(0.05)
                np.testing.assert_array_equal(a.y, b.y)

    def test_results(self):
        model = ball()
        run = model.simulate(3, rtol=1e-9)
        other = self.again(run)
        np.testing.assert_array_equal(run.y, other.y)
        np.testing.assert_array_equal(run.sample(50)["height"], other.sample(50)["height"])
        self.assertEqual(repr(run), repr(other))
        self.assertEqual(run.times_of("resting").tolist(), other.times_of("resting").tolist())
        t = run.events[0].t
        self.assertEqual(run.before(t)["speed"], other.before(t)["speed"])
        self.assertEqual(other(2.9)["resting"], True)

    def test_results_of_mechanisms(self):
        import test_catalogue as c

        run = c.rod_pendulum().simulate(0.5)
        other = self.again(run)
        self.assertEqual(run(0.3)["energy"], other(0.3)["energy"])
        self.assertEqual(run(0.3)["pivot[1]"], other(0.3)["pivot[1]"])

    def test_results_of_solve_ivp(self):
        r = pawl.solve_ivp(lambda t, y: -y, (0, 1), [1.0], events=lambda t, y: y[0] - 0.5)
        other = self.again(r)
        np.testing.assert_array_equal(r.sol([0.3, 0.6]), other.sol([0.3, 0.6]))
        self.assertEqual(r.t_events[0].tolist(), other.run.times_of("event 1").tolist())
        with self.assertWarns(pawl.NotTraced):
            r = pawl.solve_ivp(steered, (0, 1), [1.0])
        np.testing.assert_array_equal(r.sol(0.3), self.again(r).sol(0.3))
        with self.assertWarns(pawl.NotTraced):
            r = pawl.solve_ivp(lambda t, y: -y if t < 9 else y, (0, 1), [1.0])
        with self.assertRaises((pickle.PicklingError, AttributeError)):
            pickle.dumps(r)

    def test_another_process_reads_them(self):
        run = ball().simulate(3, rtol=1e-9)
        program = "import sys, pickle, pawl; run = pickle.load(sys.stdin.buffer); print(repr(float(run(2.0)['height'])), len(run.events))"
        out = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(run), capture_output=True, check=True, env=dict(os.environ)).stdout
        self.assertEqual(out.decode().split(), [repr(float(run(2.0)["height"])), str(len(run.events))])

    def test_a_copy_is_edited_apart(self):
        model = ball()
        other = model.copy()
        other.state("more", 0.0)
        self.assertEqual((len(model.state_names), len(other.state_names)), (2, 3))

    def test_functions_of_a_copy_know_its_handles(self):
        model = pawl.System("called")
        x = model.state("x", 1.0)
        model.rates(lambda at: {x: -at[x]})
        model.at(0.5, lambda jump: jump.__setitem__(x, 2.0))
        np.testing.assert_array_equal(model.copy().simulate(1)["x"], model.simulate(1)["x"])


class Stepping(unittest.TestCase):
    def test_standing_still_changes_nothing(self):
        model = ball()
        whole = model.simulate(3, rtol=1e-9)
        run = model.simulation(3, rtol=1e-9)
        for t in (0.1, 0.5, 1.7):
            self.assertTrue(run.advance_to(t))
            self.assertEqual(run.t, t)
            self.assertEqual(run["height"], whole(t)["height"])
        np.testing.assert_array_equal(run.finish().y, whole.y)

    def test_changes_snapshots_and_steps(self):
        model = ball()
        run = model.simulation(3, rtol=1e-9)
        steps = 0
        while run.step():
            steps += 1
            if steps == 3:
                here = run.snapshot()
        self.assertTrue(run.has_ended)
        first = run.finish()
        run.restore(here)
        self.assertFalse(run.has_ended)
        np.testing.assert_array_equal(run.finish().y, first.y)
        run.restore(here)
        run.change({"g": 1.62, model["e"]: 0.1})
        self.assertEqual((run["g"], run["e"]), (1.62, 0.1))
        self.assertIn("change", [e.kind for e in run.finish().events])


if __name__ == "__main__":
    unittest.main()
