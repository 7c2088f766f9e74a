"""The interpreter and the engine: exceptions, Ctrl-C, the lock, memory."""

import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
import unittest
import warnings

import numpy as np

import pawl
from test_system import ball


class Broken(Exception):
    pass


def breaks_later(t, y):
    if t > 0.5:
        raise Broken("at this line")
    return -y


class Exceptions(unittest.TestCase):
    def check(self, f, *args, **kwargs):
        try:
            f(*args, **kwargs)
        except Broken as error:  # assertRaises would take its traceback away
            return error
        self.fail("nothing was raised")

    def test_of_the_users_function(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error = self.check(pawl.solve_ivp, breaks_later, (0, 1), [1.0])
        frames = traceback.extract_tb(error.__traceback__)
        self.assertEqual((frames[-1].name, frames[-1].line), ("breaks_later", 'raise Broken("at this line")'))
        self.assertGreater(error.run.t_end, 0.1)
        self.assertLessEqual(error.run.t_end, 0.5)
        self.assertEqual(error.run.outcome, "failed")

    def test_at_the_start(self):
        def at_once(t, y):
            raise Broken

        self.check(pawl.solve_ivp, at_once, (0, 1), [1.0])

    def test_of_an_event(self):
        model = ball()

        def breaks(jump):
            raise Broken("in a jump")

        model.at(0.25, breaks)
        error = self.check(model.simulate, 1)
        self.assertEqual(error.run.t_end, 0.25)
        self.assertEqual(error.run._result.code, "transition-threw")

    def test_of_an_observable(self):
        model = ball()

        def breaks(at):
            raise Broken("when it is read")

        model.observable("o", breaks)
        run = model.simulate(0.1)
        self.check(lambda: run["o"])

    def test_of_a_guard_and_of_rates_of_a_system(self):
        model = pawl.System("model")
        x = model.state("x", 1.0)

        def breaks(at):
            if at.t > 0.3:
                raise Broken
            return 1.0

        model.rates({x: -x})
        model.guard("g", breaks)
        self.check(model.simulate, 1)
        model = pawl.System("model")
        x = model.state("x", 1.0)
        model.rates(lambda at: [-breaks(at)])
        self.check(model.simulate, 1)

    def test_of_a_stepped_run(self):
        model = ball()

        def breaks(jump):
            raise Broken

        model.at(0.25, breaks)
        run = model.simulation(1)
        self.check(run.advance_to, 0.5)

    def test_a_run_within_a_run(self):
        def f(t, y):
            inner = pawl.solve_ivp(lambda s, z: -z, (0, 0.1), [1.0], rtol=1e-6)
            return [-inner.y[0, -1] * float(y[0])]

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            r = pawl.solve_ivp(f, (0, 1), [1.0], rtol=1e-6, atol=1e-9)
        self.assertAlmostEqual(r.y[0, -1], np.exp(-np.exp(-0.1)), places=5)


def endless():
    model = pawl.System("endless")
    x, v = model.states(x=1.0, v=0.0)
    model.rates({x: v, v: -x})
    return model


class Interrupt(unittest.TestCase):
    def interrupted(self, f):
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt) as caught:
                f()
            return caught.exception
        finally:
            timer.join()

    def test_a_traced_run_stops_and_gives_what_it_has(self):
        error = self.interrupted(lambda: endless().simulate(1e9, keep="end"))
        self.assertEqual(error.run.outcome, "stopped")
        self.assertGreater(error.run.t_end, 0)
        self.assertLess(error.run.t_end, 1e9)

    def test_a_run_that_is_stepped(self):
        run = endless().simulation(1e9, keep="end")
        self.interrupted(lambda: run.advance_to(9e8))
        self.assertTrue(run.has_ended)
        self.assertEqual(run.finish().outcome, "stopped")

    def test_a_function_that_is_called(self):
        def f(t, y):
            return [y[1], -y[0]] if t < 1e99 else y

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error = self.interrupted(lambda: pawl.solve_ivp(f, (0, 1e9), [1.0, 0.0]))
        self.assertGreater(error.run.t_end, 0)


class Threads(unittest.TestCase):
    def test_the_lock_is_free_while_a_traced_model_runs(self):
        model, counted, done = endless(), [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        model.simulate(20000.0, keep="end", rtol=1e-10)
        seen = counted[0]
        done.set()
        thread.join()
        self.assertGreater(seen, 5)

    def test_many_threads_one_model(self):
        model = ball()
        alone = model.simulate(3, rtol=1e-9)
        found = [None] * 8

        def work(i):
            found[i] = model.simulate(3, rtol=1e-9)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for run in found:
            np.testing.assert_array_equal(run.y, alone.y)


class Exit(unittest.TestCase):
    def test_threads_that_run_on_while_the_interpreter_ends(self):
        program = """if True:
            import threading, time, pawl
            model = pawl.System("m")
            x = model.state("x", 1.0)
            model.rates(lambda at: {x: -at[x]})
            model.observable("o", lambda at: at[x] ** 2)
            def work():
                while True:
                    model.simulate(1)["o"]
            for _ in range(2):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.05)
            print("over")
        """
        for _ in range(5):
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "over\n", ""))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Memory(unittest.TestCase):
    def grows_by(self, f, times):
        for _ in range(times // 4):
            f()
        gc.collect()
        before = resident()
        for _ in range(times):
            f()
        gc.collect()
        return resident() - before

    def test_simulations_in_a_loop(self):
        model = ball()
        self.assertLess(self.grows_by(lambda: model.simulate(0.5), 2000), 2_000_000)

    def test_models_in_a_loop(self):
        self.assertLess(self.grows_by(lambda: ball().simulate(0.5), 400), 2_000_000)

    def test_models_with_functions_in_a_loop(self):
        def one():
            model = ball()
            model.at(0.1, lambda jump, model=model: model.name)
            model.simulate(0.2)

        self.assertLess(self.grows_by(one, 400), 2_000_000)

    def test_solve_ivp_in_a_loop(self):
        def f(t, y):
            return [y[1], -y[0]] if t < 1e9 else y

        def traced():
            pawl.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1), [1, 0], events=lambda t, y: y[0])

        def called():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pawl.solve_ivp(f, (0, 1), [1, 0])

        self.assertLess(self.grows_by(traced, 400), 2_000_000)
        self.assertLess(self.grows_by(called, 400), 2_000_000)


if __name__ == "__main__":
    unittest.main()
