"""Systems written by sentences: events as data and as functions, equations, switches, inputs, structured models."""

import math
import unittest

import numpy as np

import pawl


def ball(e=0.7):
    ball = pawl.System("ball")
    height, speed = ball.states(height=1.0, speed=0.0)
    g, e = ball.parameters(g=9.81, e=e)
    resting = ball.discrete("resting", False)
    ball.rates({height: speed, speed: pawl.where(resting, 0, -g)})
    ball.guard("ground", height, falling=True, unilateral=True, only_when=~resting, then={speed: -e * speed},
               at_accumulation={height: 0, speed: 0, resting: True})
    return ball


class Events(unittest.TestCase):
    def test_impacts_accumulate_at_the_closed_form(self):
        model = ball()
        run = model.simulate(3, rtol=1e-10)
        first = math.sqrt(2 / 9.81)
        self.assertEqual(run.outcome, "finished")
        self.assertAlmostEqual(run.events[0].t, first, places=10)
        self.assertAlmostEqual(run.events[-1].t, first * 1.7 / 0.3, places=9)
        self.assertEqual(run.final["resting"], True)
        self.assertEqual(run.guarantees, {"ground": "proved"})
        self.assertGreaterEqual(run["height"].min(), 0)

    def test_keywords_set_parameters_and_starts(self):
        run = ball().simulate(1, e=0.5, height=2.0, rtol=1e-10)
        self.assertAlmostEqual(run.events[0].t, math.sqrt(4 / 9.81), places=10)
        before, after = run.before(run.events[0].t), run(run.events[0].t)
        self.assertAlmostEqual(after["speed"], -0.5 * before["speed"], places=14)

    def test_data_and_functions_do_the_same(self):
        def called():
            model = pawl.System("ball")
            height, speed = model.states(height=1.0, speed=0.0)
            g, e = model.parameters(g=9.81, e=0.7)
            resting = model.discrete("resting", False)
            model.rates({height: speed, speed: pawl.where(resting, 0, -g)})

            def bounce(jump):
                jump[speed] = -jump[e] * jump.pre(speed)

            def rest(jump):
                jump[height] = jump[speed] = 0
                jump[resting] = True

            model.guard("ground", height, falling=True, unilateral=True, only_when=~resting, then=bounce, at_accumulation=rest)
            return model

        data, function = ball(), called()
        self.assertTrue(data.is_traced)
        self.assertFalse(function.is_traced)
        a, b = data.simulate(3, rtol=1e-9), function.simulate(3, rtol=1e-9)
        self.assertEqual([e.t for e in a.events], [e.t for e in b.events])
        np.testing.assert_array_equal(a.y, b.y)

    def test_reads_before_and_writes_at_once(self):
        swap = pawl.System("swap")
        a, b = swap.states(a=1.0, b=2.0)
        swap.rates({a: 0, b: 0})
        swap.at(0.5, {a: b, b: a})
        final = swap.simulate(1).final
        self.assertEqual((final[a], final[b]), (2.0, 1.0))

    def test_stop_ends_the_run_with_its_reason(self):
        fall = pawl.System("fall")
        x = fall.state("x", 1.0)
        fall.rates({x: -1})
        fall.guard("floor", x, falling=True, stop="on the floor")
        run = fall.simulate(5)
        self.assertEqual(run.outcome, "terminated")
        self.assertAlmostEqual(run.t_end, 1.0, places=14)
        self.assertIn("on the floor", run.reason)

    def test_periodic_scheduled_and_counted(self):
        clock = pawl.System("clock")
        x = clock.state("x", 0.0)
        n, due = clock.discrete("n", 0), clock.discrete("due", 0.0)
        clock.rates({x: 1})
        tick = clock.every(0.25, {n: n + 1, due: clock.t + 0.25})
        bell = clock.time_event("bell")

        @clock.transition
        def arrange(jump):
            if jump.is_start:
                jump.schedule(bell, 0.6)

        run = clock.simulate(1)
        self.assertEqual(run.final[n], 4)
        self.assertEqual(run.final[due], 1.25)
        np.testing.assert_allclose(run.times_of(tick), [0.25, 0.5, 0.75, 1.0])
        np.testing.assert_allclose(run.times_of("bell"), [0.6])

    def test_conditions_relations_and_decisions(self):
        tank = pawl.System("tank")
        level = tank.state("level", 1.0)
        filling = tank.discrete("filling", False)
        low = tank.condition("low", 0.2 - level)
        high = tank.condition("high", level > 0.8)
        tank.decide(filling, low | (filling & ~high))
        tank.rates({level: pawl.where(filling, 1.0, -1.0)})
        run = tank.simulate(3, rtol=1e-10)
        np.testing.assert_allclose(run.times_of(filling), [0.8, 1.4, 2.0, 2.6], atol=1e-9)
        sign = pawl.System("sign")
        x = sign.state("x", -1.0)
        s = sign.relation("s", x)
        after = sign.discrete("after", False)
        sign.decide(after, s > 0)
        sign.rates({x: pawl.where(s < 0, 1.0, 2.0)})
        self.assertAlmostEqual(sign.simulate(2, rtol=1e-10).final[x], 2.0, places=12)

    def test_sliding(self):
        slide = pawl.System("slide")
        x, v = slide.states(x=1.0, v=0.5)
        u = slide.relay("u", v, below=1, above=-1)
        slide.rates({x: v, v: 0.3 + u})
        run = slide.simulate(2)
        self.assertIn("slide", [e.kind for e in run.events])
        self.assertAlmostEqual(run.final[v], 0, places=14)
        self.assertAlmostEqual(run.final[u], -0.3, places=12)

    def test_a_block_of_guards(self):
        many = pawl.System("many")
        x = many.state("x", 0.0)
        n = many.discrete("n", 0)
        many.rates({x: 1})
        a, b = many.guards(["a", "b"], [x - 0.25, x - 0.75], then=[{n: n + 1}, {n: n + 10}])
        run = many.simulate(1)
        self.assertEqual(run.final[n], 11)
        np.testing.assert_allclose(run.times_of(b), [0.75])

    def test_functions_that_are_called(self):
        model = pawl.System("called")
        x, v = model.states(x=1.0, v=0.0)
        model.rates(lambda at: {x: at[v], v: -math.sin(at[x]) if at[x] < 99 else 0.0})
        hit = model.guard("hit", lambda at: at[x])
        model.observable("energy", lambda at: at[v] ** 2 / 2 - math.cos(at[x]))
        run = model.simulate(6, rtol=1e-9)
        self.assertFalse(model.is_traced)
        low, high = run.range("energy")
        self.assertLess(high - low, 1e-7)
        self.assertEqual(run.guarantees["hit"], "sampled")
        self.assertEqual(len(run.times_of(hit)), 2)


class Equations(unittest.TestCase):
    def test_a_circuit_of_index_one(self):
        rc = pawl.System("rc")
        u, i = rc.states(u=0.0, i=0.0)
        rc.equation("loop", 10 * pawl.sin(314 * pawl.t) - 5 * i, u)
        rc.equation("capacitor", 1e-3 * u.dot, i)
        run = rc.simulate(0.02, rtol=1e-9)
        w, tau, t = 314.0, 5e-3, 0.02
        exact = 10 / (1 + (w * tau) ** 2) * (math.sin(w * t) - w * tau * math.cos(w * t) + w * tau * math.exp(-t / tau))
        self.assertAlmostEqual(run.final[u], exact, places=7)

    def test_ideal_diode(self):
        rectifier = pawl.System("rectifier")
        u, i, ud = rectifier.states(u=0.0, i=0.0, ud=0.0)
        source = 10 * pawl.sin(2 * math.pi * pawl.t)
        rectifier.equation("loop", source - ud - 5.0 * i)
        conducts = rectifier.diode("D", ud, i)
        rectifier.rates({u: i})
        run = rectifier.simulate(1.0, rtol=1e-9)
        self.assertAlmostEqual(run.final[u], 2.0 / math.pi, places=7)  # the charge of half a wave
        self.assertIn(0.5, np.round(run.times_of(conducts), 9))

    def test_thyristor_and_switch(self):
        chopper = pawl.System("chopper")
        q, i, ud = chopper.states(q=0.0, i=0.0, ud=0.0)
        closed = chopper.discrete("closed", True)
        chopper.equation("loop", 1.0 - ud - i)
        chopper.ideal_switch("S", closed, ud, i)
        chopper.rates({q: i})
        chopper.every(0.25, {closed: ~closed})
        self.assertAlmostEqual(chopper.simulate(1.0, rtol=1e-9).final[q], 0.5, places=9)
        gated = pawl.System("gated")
        q, i, ud = gated.states(q=0.0, i=0.0, ud=0.0)
        gate = gated.discrete("gate", False)
        gated.equation("loop", 10 * pawl.sin(2 * math.pi * pawl.t) - ud - i)
        gated.thyristor("T", ud, i, gate)
        gated.rates({q: i})
        gated.at(0.25, {gate: True})
        self.assertAlmostEqual(gated.simulate(1.0, rtol=1e-9).final[q], 5 / math.pi, places=7)

    def test_invariants(self):
        orbit = pawl.System("orbit")
        x, y = orbit.states(x=1.0, y=0.0)
        orbit.rates({x: -y, y: x})
        orbit.invariant("circle", x**2 + y**2 - 1)
        run = orbit.simulate(100, rtol=1e-4)
        self.assertAlmostEqual(run.final[x] ** 2 + run.final[y] ** 2, 1, places=14)


class Inputs(unittest.TestCase):
    def follow(self, signal, end):
        model = pawl.System("follow")
        x = model.state("x", 0.0)
        u = model.input("u", signal)
        model.rates({x: u})
        return model.simulate(end, rtol=1e-10).final[x]

    def test_courses(self):
        self.assertAlmostEqual(self.follow(2.0, 3), 6.0, places=12)
        self.assertAlmostEqual(self.follow(pawl.Signal.steps([(0, 1), (1, 3)]), 2), 4.0, places=12)
        self.assertAlmostEqual(self.follow(pawl.Signal.polyline([(0, 0), (2, 2)]), 2), 2.0, places=12)
        self.assertAlmostEqual(self.follow(pawl.sin(pawl.t), 2), 1 - math.cos(2), places=9)
        self.assertAlmostEqual(self.follow(pawl.Signal.function(lambda t: pawl.exp(-t)), 1), 1 - math.exp(-1), places=9)
        self.assertAlmostEqual(self.follow(pawl.Signal.spline([(0, 0), (1, 1), (2, 0)]), 2), 1.25, places=9)

    def test_a_run_may_have_another_course(self):
        model = pawl.System("follow")
        x = model.state("x", 0.0)
        u = model.input("u", 1.0)
        model.rates({x: u})
        self.assertAlmostEqual(model.simulate(2, values={u: pawl.Signal.steps([(0, 1), (1, 5)])}).final[x], 6.0, places=12)
        self.assertAlmostEqual(model.simulate(2, u=3.0).final[x], 6.0, places=12)


class Structured(unittest.TestCase):
    def test_pendulum_keeps_its_rod_and_energy(self):
        pendulum = pawl.Mechanics("pendulum")
        x, y = pendulum.coordinate("x", 1, mass=1), pendulum.coordinate("y", 0, mass=1)
        pendulum.potential(9.81 * y)
        rod = pendulum.constraint("rod", (x**2 + y**2 - 1) / 2)
        energy = pendulum.energy()
        pull = pendulum.observable("pull", rod)
        run = pendulum.simulate(10, rtol=1e-9)
        self.assertLess(run.statistics["position_drift"], 1e-14)
        low, high = run.range(energy)
        self.assertLess(high - low, 1e-6)
        at = run(0.3)
        self.assertAlmostEqual(at[rod], at[x.dot] ** 2 + at[y.dot] ** 2 - 9.81 * at[y], places=6)
        self.assertAlmostEqual(at[pull], at[rod], places=12)

    def test_contact_with_friction(self):
        ball = pawl.Mechanics("ball")
        x, y, spin = ball.coordinate("x", 0, 3.0, mass=1), ball.coordinate("y", 0.1, mass=1), ball.coordinate("spin", 0, mass=0.4 * 0.01)
        ball.potential(9.81 * y)
        floor = ball.contact("floor", y - 0.1, x.dot + 0.1 * spin.dot, restitution=0.5, friction=0.2)
        run = ball.simulate(2, rtol=1e-9)
        self.assertAlmostEqual(run.final[x.dot], 3.0 * 5 / 7, places=8)  # rolls with five sevenths of its speed
        self.assertAlmostEqual(run.final[floor.normal], 9.81, places=8)
        self.assertAlmostEqual(run.times_of(floor)[-1], 2 * 3.0 / (7 * 0.2 * 9.81), places=7)

    def test_impacts_by_parameters_and_compliance(self):
        drop = pawl.Mechanics("drop")
        y = drop.coordinate("y", 1.0, mass=2.0)
        e = drop.parameter("e", 0.5)
        drop.potential(2.0 * 9.81 * y)
        drop.contact("floor", y, restitution=e)
        loss = drop.impact_loss()
        run = drop.simulate(0.5, rtol=1e-10, e=0.8)
        self.assertAlmostEqual(run.final[loss], 2 * 9.81 * (1 - 0.64), places=8)
        soft = pawl.Mechanics("soft")
        y = soft.coordinate("y", 0.1, -1.0, mass=1.0)
        soft.contact("pad", y, compliance=pawl.Compliance.spring_damper(100.0, 0.0))
        self.assertAlmostEqual(soft.simulate(0.1 + math.pi / 10 + 1, rtol=1e-9).final[y], 1.0, places=6)

    def test_brake(self):
        brake = pawl.Mechanics("brake")
        x = brake.coordinate("x", 0.0, 2.0, mass=1.0)
        pads = brake.dry_friction("pads", x.dot, 10.0, friction=0.5)
        run = brake.simulate(1, rtol=1e-9)
        self.assertAlmostEqual(run.final[x], 0.4, places=8)
        self.assertAlmostEqual(run.times_of(pads)[-1], 0.4, places=8)

    def test_a_circuit_beside_a_mechanism(self):
        def motor(declare):
            motor = pawl.Mechanics("motor")
            phi = motor.coordinate("phi", 0.0, mass=0.5)
            i = motor.state("i", 0.0)
            motor.force({phi: 2.0 * i - 0.1 * phi.dot})
            declare(motor, i, 12.0 - 3.0 * i - 2.0 * phi.dot)
            return motor.simulate(1.0, rtol=1e-9)

        plain = pawl.System("plain")
        phi, w, i = plain.states(phi=0.0, w=0.0, i=0.0)
        plain.rates({phi: w, w: (2.0 * i - 0.1 * w) / 0.5, i: (12.0 - 3.0 * i - 2.0 * w) / 0.2})
        exact = plain.simulate(1.0, rtol=1e-11).final
        by_rates = motor(lambda model, i, u: model.rates({i: u / 0.2}))
        by_equation = motor(lambda model, i, u: model.equation("loop", 0.2 * i.dot, u))
        for run in (by_rates, by_equation):
            self.assertAlmostEqual(run.final["i"], exact["i"], places=6)
            self.assertAlmostEqual(run.final["phi"], exact["phi"], places=6)

    def test_a_body_in_space(self):
        top = pawl.Mechanics("top")
        spin = top.attitude("q", angular_velocity=(0.1, 2.0, 0.1))
        for axis, inertia in enumerate((1.0, 2.0, 3.0)):
            top.mass(spin.speed(axis), inertia)
        run = top.simulate(5, rtol=1e-10)
        length = sum(run.final[spin[i]] ** 2 for i in range(4))
        energy = sum(m * run.final[spin.speed(i)] ** 2 for i, m in enumerate((1.0, 2.0, 3.0)))
        self.assertAlmostEqual(length, 1, places=13)
        self.assertAlmostEqual(energy, 0.01 + 8 + 0.03, places=8)

    def test_port_hamiltonian_with_constraint_and_losses(self):
        winch = pawl.PortHamiltonian("winch")
        p1, x, p2 = winch.states(p1=0, x=0, p2=0)
        winch.hamiltonian((p1**2 + p2**2) / 10 + x**2 / 0.16)
        winch.structure({(p1, x): -1, (x, p1): 1})
        winch.dissipation({(p1, p1): 0.05})
        winch.drive({p1: 5.0, p2: 6.0})
        cable = winch.constraint("cable", {p1: 1, p2: -1})
        self.assertIsNone(winch.check_structure())
        run = winch.simulate(10, rtol=1e-9)
        self.assertAlmostEqual(run.final[p1], run.final[p2], places=10)
        self.assertTrue(math.isfinite(run.final[cable]))
        cubic = pawl.PortHamiltonian("cubic")
        p = cubic.state("p", 1.0)
        cubic.hamiltonian(p**2 / 2)
        cubic.resistance(lambda e: {p: e[p] ** 3})
        self.assertAlmostEqual(cubic.simulate(4, rtol=1e-10).final[p], 1 / 3, places=8)  # p' = -p^3


if __name__ == "__main__":
    unittest.main()
