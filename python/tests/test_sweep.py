"""Sweeps: the same numbers as single runs, as arrays."""

import math
import pathlib
import tempfile
import unittest

import numpy as np

import pawl


def falling(name="ball"):
    ball = pawl.System(name)
    height, speed = ball.state("height", 1.0), ball.state("speed", 0.0)
    g, e = ball.parameter("g", 9.81), ball.parameter("e", 0.8)
    ball.rates({height: speed, speed: -g})
    ball.guard("ground", height, falling=True, unilateral=True, then={speed: -e * speed})
    ball.observable("energy", speed * speed / 2 + g * height)
    return ball


class SweepTest(unittest.TestCase):
    def test_a_grid_gives_what_single_runs_give(self):
        ball = falling()
        s = ball.sweep(1.0, e=np.linspace(0.5, 0.9, 5), g=[9.7, 9.81], rtol=1e-9, keep=["final", "events", "range:energy", "time_of:ground"])
        self.assertEqual(len(s), 10)
        self.assertEqual(s.names, ["e", "g", "height", "speed", "events", "min energy", "max energy", "time_of:ground"])
        for i in range(10):
            run = ball.simulate(1.0, e=s["e"][i], g=s["g"][i], rtol=1e-9, keep="end")
            self.assertEqual(s["height"][i], run.final["height"])
            self.assertEqual(s["time_of:ground"][i], run.events[0].t)
        np.testing.assert_allclose(s["time_of:ground"], np.sqrt(2 / s["g"]), rtol=1e-9)

    def test_a_function_of_the_run_is_kept(self):
        ball = falling()
        s = ball.sweep(1.0, e=[0.5, 0.9], keep=lambda run: {"hit": run.events[0].t, "middle": run(0.2)["height"]})
        self.assertEqual(s.columns, ["hit", "middle"])
        np.testing.assert_allclose(s["middle"], 1 - 9.81 * 0.04 / 2, rtol=1e-6)

    def test_what_a_function_raises_is_a_reason(self):
        def keep(run):
            if run.final["e"] > 0.7:
                raise RuntimeError("too lively")
            return {"hit": run.events[0].t}

        s = falling().sweep(1.0, e=[0.5, 0.9], keep=keep)
        self.assertEqual(list(s.outcome), ["finished", "threw"])
        self.assertEqual([(one["run"], one["e"]) for one in s.failed], [(1, 0.9)])
        self.assertIn("too lively", s.failed[0]["reason"])

    def test_draws_follow_from_the_seed(self):
        ball = falling()
        words = dict(g="uniform(9,10.5)", runs=64, design="sobol", keep="time_of:ground", rtol=1e-9)
        one, same, other = ball.sweep(1.0, seed=3, **words), ball.sweep(1.0, seed=3, jobs=1, **words), ball.sweep(1.0, seed=4, **words)
        np.testing.assert_array_equal(one["time_of:ground"], same["time_of:ground"])
        self.assertFalse(np.any(one["g"] == other["g"]))
        found = one.summary("time_of:ground")
        exact = 2 * math.sqrt(2) * (math.sqrt(10.5) - 3) / 1.5
        self.assertAlmostEqual(found["mean"], exact, delta=3 * found["deviation"] / 8)

    def test_a_folder_is_filled_once_and_read_again(self):
        ball = falling()
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "x.sweep"
            words = dict(e=np.linspace(0.5, 0.9, 9), out=out, keep="events")
            made = ball.sweep(1.0, **words)
            np.testing.assert_array_equal(pawl.read_sweep(out)["events"], made["events"])
            np.testing.assert_array_equal(ball.sweep(1.0, **words)["events"], made["events"])
            with self.assertRaisesRegex(pawl.Misuse, "the option 'end' was 1, and now it is 2"):
                ball.sweep(2.0, **words)
            heavier = falling()
            heavier.observable("twice", 2 * heavier["height"])
            with self.assertRaisesRegex(pawl.Misuse, "the model 'ball', or a value set in it, has changed since"):
                heavier.sweep(1.0, **words)
            made.write(out / "all.npz")
            np.testing.assert_array_equal(np.load(out / "all.npz")["events"], made["events"])

    def test_pandas_and_numpy(self):
        s = falling().sweep(1.0, e=[0.5, 0.9], keep="events")
        frame = s.to_pandas()
        self.assertEqual(list(frame.columns), ["outcome", "e", "events"])
        self.assertEqual(list(frame["e"]), [0.5, 0.9])
        self.assertEqual(s.to_numpy()["e"][1], 0.9)

    def test_bad_input_is_named(self):
        ball = falling()
        for words, text in (
            ({"q": [1, 2]}, "has no parameter"),
            ({"e": []}, "'e' is varied over no level"),
            ({"e": [math.nan]}, "a level of 'e' is nan, no finite number"),
            ({"e": "normal(1,-1)", "runs": 3}, r"normal\(1,-1\): deviation -1 must be greater than 0"),
            ({"e": "uniform(0,1)"}, r"say with runs=\.\.\. how many draws are made"),
            ({"e": "uniform(0,1)", "runs": 0}, "0 runs: a sweep has one or more"),
            ({"e": [1], "runs": 3}, "nothing is"),
            ({"e": [1], "keep": "evnts"}, "did you mean 'events'"),
            ({}, "a sweep varies something"),
        ):
            with self.assertRaisesRegex(pawl.Misuse, text, msg=str(words)):
                ball.sweep(1.0, **words)


if __name__ == "__main__":
    unittest.main()
