"""Bad input: each a clear exception, with its whole text."""

import math
import threading
import unittest
import warnings


import pawl


class BadInput(unittest.TestCase):
    def says(self, text, f, *args, error=pawl.Misuse, **kwargs):
        with self.assertRaises(error) as caught:
            f(*args, **kwargs)
        self.assertEqual(str(caught.exception), text)

    def ball(self):
        ball = pawl.System("ball")
        height, speed = ball.states(height=1.0, speed=0.0)
        ball.rates({height: speed, speed: -9.81})
        return ball, height, speed

    def test_wrong_shapes(self):
        f = lambda t, y: -y
        self.says("y0 has 2 dimensions; it must be a row of numbers: y0.ravel()", pawl.solve_ivp, f, (0, 1), [[1, 2], [3, 4]])
        self.says("y0 is empty: there is nothing to solve for", pawl.solve_ivp, f, (0, 1), [])
        self.says("y0 is a row of numbers, not ['a']", pawl.solve_ivp, f, (0, 1), ["a"])
        self.says("t_span is two numbers, (start, end), not 3", pawl.solve_ivp, f, 3, [1.0])
        self.says("fun(t, y) returned 1 number, not 2", pawl.solve_ivp, lambda t, y: [y[0]], (0, 1), [1.0, 2.0], error=ValueError)
        self.says("fun(t, y) returned 3 numbers, not 2", pawl.solve_ivp, lambda t, y: [1, 2, 3], (0, 1), [1.0, 2.0], error=ValueError)
        self.says("`atol` has wrong shape.", pawl.solve_ivp, f, (0, 1), [1.0], atol=[1, 2], error=ValueError)
        self.says("Values in `t_eval` are not within `t_span`.", pawl.solve_ivp, f, (0, 1), [1.0], t_eval=[2], error=ValueError)
        self.says("fun is a function fun(t, y), not 3", pawl.solve_ivp, 3, (0, 1), [1.0])

    def test_starts_that_are_no_numbers(self):
        self.says("y0[1] is nan: a start must be finite", pawl.solve_ivp, lambda t, y: -y, (0, 1), [1.0, math.nan])
        ball, height, speed = self.ball()
        self.says("system 'ball': the start value of 'height' is nan, it must be finite", ball.simulate, 1, height=math.nan)
        self.says("end is not a number", ball.simulate, math.nan)

    def test_strings_returned(self):
        self.says("fun(t, y) returned ['a', 'b'], which is not a row of real numbers", pawl.solve_ivp, lambda t, y: ["a", "b"], (0, 1), [1.0, 2.0], error=TypeError)
        self.says("fun(t, y) returned None, which is not a row of real numbers", pawl.solve_ivp, lambda t, y: None, (0, 1), [1.0], error=TypeError)

    def test_strings_returned_later(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.says("fun(t, y) returned ['a'], which is not a row of real numbers", pawl.solve_ivp, lambda t, y: ["a"] if t > 0.5 else [1.0], (0, 1), [1.0], error=TypeError)

    def test_equality_of_what_moves(self):
        ball, height, speed = self.ball()
        self.says(
            "`height == 0`: what moves is never compared by ==. An equation of the model is system.equation(name, left, right);"
            " an instant at which both are equal is system.guard(name, left - right)", lambda: height == 0, error=pawl.Branch)
        self.assertTrue(height == height)

    def test_if_of_what_moves(self):
        ball, height, speed = self.ball()
        advice = (" has no value while the model is written. Ways out: pawl.where(x > 0, a, b) for a kink, min, max, abs;"
                  " system.condition(...) or system.relay(...) where the switch is an event; a discrete variable for what is held")
        self.says("`height > 0`" + advice, lambda: bool(height > 0), error=pawl.Branch)
        self.says("`height`" + advice, lambda: float(height), error=pawl.Branch)
        self.says("`height + speed`" + advice, lambda: math.sin(height + speed), error=pawl.Branch)

    def test_handles_of_another_system(self):
        ball, height, speed = self.ball()
        other = pawl.System("other")
        x = other.state("x", 0.0)
        self.says("'x' belongs to the system 'other', not to 'ball'", ball.rates, {x: 1.0})
        self.says("`x` belongs to another system, 'other'", lambda: height + x)
        self.says("'x' belongs to the system 'other', not to 'ball'", ball.guard, "g", height, then={x: 0})
        run = ball.simulate(0.1)
        self.says("'x' belongs to the system 'other', not to 'ball'", lambda: run[x])
        self.says("'x' belongs to the system 'other', not to 'ball'", ball.simulate, 1, values={x: 1.0})

    def test_names(self):
        ball, height, speed = self.ball()
        self.says("system 'ball' has no parameter or state 'heigth'; did you mean 'height'?", ball.simulate, 1, heigth=2.0)
        self.says("system 'ball': the name 'height' is declared twice", ball.state, "height", 0.0)
        with self.assertRaises(KeyError):
            ball["nothing"]

    def test_what_events_may_not_do(self):
        ball, height, speed = self.ball()
        low = ball.condition("low", 0.5 - height)
        self.says("'low' is decided by the engine: events assign states, parameters, discrete variables and inputs", ball.guard, "g", height, then={low: 1})
        self.says("`der(height)` cannot be read by an event; states, parameters, discrete variables, conditions and inputs can",
                  ball.guard, "h", height, then={speed: height.dot})
        self.says("`height > 0` moves: declare it, `low = system.condition('low', ...)`, and use that", ball.guard, "i", speed, only_when=height > 0)

    def test_no_numbers(self):
        ball, height, speed = self.ball()
        self.says("the start of 'z' is a number, not 'one'", ball.state, "z", "one")
        self.says("end is a number, not 'later'", ball.simulate, "later")
        self.says("rates of 'height' is an expression or a number, not 'fast'", ball.rates, {height: "fast"})
        self.says("keep is 'everything', 'samples' or 'end', not 'all'", ball.simulate, 1, keep="all")

    def test_a_model_that_is_edited_while_it_runs(self):
        ball, height, speed = self.ball()
        inside, go_on = threading.Event(), threading.Event()

        def wait(jump):
            inside.set()
            go_on.wait(10)

        ball.at(0.1, wait)
        thread = threading.Thread(target=lambda: ball.simulate(1))
        thread.start()
        self.assertTrue(inside.wait(10))
        try:
            self.says("the system 'ball' is edited while it runs: declare everything first, or edit a copy, system.copy()", ball.state, "more", 0.0)
            self.assertEqual(len(ball.copy().state_names), 2)
        finally:
            go_on.set()
            thread.join()
        ball.parameter("later", 0.0)

    def test_views_that_outlive_their_call(self):
        ball, height, speed = self.ball()
        kept = []
        ball.at(0.1, kept.append)
        ball.simulate(1)
        self.says("a jump is used after the function it was given to has returned", lambda: kept[0][height])

    def test_what_reads_no_value(self):
        pendulum = pawl.Mechanics("pendulum")
        x, y = pendulum.coordinate("x", 1, mass=1), pendulum.coordinate("y", 0, mass=1)
        rod = pendulum.constraint("rod", x**2 + y**2 - 1)
        self.says("'rod' is read from results, run['rod'], and by functions that are called; nothing is computed with it in a model", lambda: 2 * rod)


if __name__ == "__main__":
    unittest.main()
