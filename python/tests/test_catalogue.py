"""Problems of the catalogue written in Python: the same events, and the same digits as those written in C++."""

import json
import math
import os
import pathlib
import subprocess
import sys
import unittest

import numpy as np

import pawl


def compere_pendulum():
    rod = pawl.System("compere-pendulum")
    theta, omega = rod.states(theta=20 * math.pi / 180, omega=1.0)
    m, l, g = rod.parameters(m=36, l=1, g=9.81)
    rod.rates({theta: omega, omega: -3 * g / (2 * l) * pawl.sin(theta)})
    rod.observable("energy", m * l**2 / 6 * omega**2 - m * g * l / 2 * pawl.cos(theta))
    return rod


def lorenz():
    flow = pawl.System("lorenz")
    x, y, z = flow.states(x=1, y=1, z=1)
    sigma, rho, beta = flow.parameters(sigma=10, rho=28, beta=8 / 3)
    flow.rates({x: sigma * (y - x), y: x * (rho - z) - y, z: x * y - beta * z})
    return flow


def robertson():
    reactor = pawl.System("robertson")
    y1, y2, y3 = reactor.states(y1=1, y2=0, y3=0)
    reactor.nominal(y1, 1e-4)
    reactor.nominal(y2, 1e-9)
    slow, fastest, fast = reactor.parameters(k1=0.04, k2=3e7, k3=1e4)
    forward, made = slow * y1 - fast * y2 * y3, fastest * y2**2
    reactor.rates({y1: -forward, y2: forward - made, y3: made})
    reactor.guard("y3 reaches 0.01", y3 - 0.01, rising=True)
    reactor.guard("y1 falls to 1e-4", y1 - 1e-4, falling=True)
    return reactor


def vdpol():
    oscillator = pawl.System("vdpol")
    y, v = oscillator.states(y=2, v=0)
    mu = oscillator.parameter("mu", 1000)
    oscillator.rates({y: v, v: mu * (1 - y**2) * v - y})
    return oscillator


def hires():
    plant = pawl.System("hires")
    y = plant.state("y", [1, 0, 0, 0, 0, 0, 0, 0.0057])
    for reactant in y:
        plant.nominal(reactant, 1e-3)
    bound = 280 * y[5] * y[7]
    plant.rates([(y, np.array([
        -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007,
        1.71 * y[0] - 8.75 * y[1],
        -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4],
        8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
        -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6],
        -bound + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
        bound - 1.81 * y[6],
        -bound + 1.81 * y[6]]))])
    return plant


def kepler():
    planet = pawl.System("kepler")
    x, y, vx, vy = planet.states(x=0.4, y=0, vx=0, vy=2)
    e = planet.parameter("e", 0.6)
    planet.start({x: 1 - e, vy: pawl.sqrt((1 + e) / (1 - e))})
    r2 = x**2 + y**2
    pull = 1 / (r2 * pawl.sqrt(r2))
    planet.rates({x: vx, y: vy, vx: -pull * x, vy: -pull * y})
    planet.observable("energy", (vx**2 + vy**2) / 2 - 1 / pawl.sqrt(x**2 + y**2))
    planet.observable("momentum", x * vy - y * vx)
    return planet


def relay():
    plant = pawl.System("relay")
    x = plant.state("x", 0)
    u = plant.relay("u", x, below=1, above=-1, hysteresis=1)
    plant.rates({x: u - x})
    return plant


def coulomb_oscillator():
    oscillator = pawl.System("coulomb-oscillator")
    x, v = oscillator.states(x=12, v=6)
    r = oscillator.relay("friction", v, below=1, above=-1)
    oscillator.rates({x: v, v: -x + r})
    return oscillator


def bouncing_ball():
    ball = pawl.System("bouncing-ball")
    height, speed = ball.states(height=1, speed=0)
    gravity, e = ball.parameters(gravity=9.81, e=0.8)
    resting = ball.discrete("resting", False)
    ball.rates({height: speed, speed: pawl.where(resting, 0, -gravity)})
    ball.guard("ball hits the ground", height, falling=True, unilateral=True, only_when=~resting, then={speed: -e * speed},
               at_accumulation={height: 0, speed: 0, resting: True})
    return ball


def bouncing_ball_fmi():
    ball = pawl.System("bouncing-ball-fmi")
    h, v = ball.states(h=1, v=0)
    g, e, slowest = ball.parameters(g=9.81, e=0.7, v_min=0.1)
    resting = ball.discrete("resting", False)
    ball.rates({h: v, v: pawl.where(resting, 0, -g)})
    after = -e * v
    ball.guard("ball hits the ground", h, falling=True, unilateral=True, only_when=~resting,
               then={h: 0, v: pawl.where(after >= slowest, after, 0), resting: after < slowest})
    return ball


def driven_rc():
    circuit = pawl.System("driven-rc")
    v = circuit.state("v", 0)
    tau = circuit.parameter("tau", 0.5)
    u = circuit.input("u", pawl.Signal.polyline([(0, 0), (1, 5), (3, 5), (4, -5), (6, 0)]))
    circuit.rates({v: (u - v) / tau})
    circuit.observable("drop", u - v)
    return circuit


def rod_pendulum():
    rod = pawl.Mechanics("rod-pendulum")
    x, y, theta = rod.coordinate("x", 0.5), rod.coordinate("y", 0), rod.coordinate("theta", 20 * math.pi / 180, 1)
    m, l, g = rod.parameters(mass=36, length=1, gravity=9.81)
    at_x, at_y = l / 2 * pawl.cos(theta), l / 2 * pawl.sin(theta)
    rod.start({x: at_x, y: at_y, x.dot: -at_y * theta.dot, y.dot: at_x * theta.dot})
    rod.mass(x, m)
    rod.mass(y, m)
    rod.mass({(theta, theta): m * l**2 / 12})
    rod.potential(-m * g * x)
    rod.constraint("pivot", [x - at_x, y - at_y])
    rod.energy()
    return rod


def ph_pendulum():
    pendulum = pawl.PortHamiltonian("ph-pendulum")
    theta, pJ, px, py = pendulum.states(theta=0, pJ=0, px=0, py=0)
    J, M, r, R, gravity = pendulum.parameters(J=0.1, M=1, r=1, R=0.1, gravity=9.81)
    pendulum.hamiltonian(pJ**2 / (2 * J) + (px**2 + py**2) / (2 * M) - M * gravity * r * pawl.sin(theta))
    pendulum.structure({(theta, pJ): 1, (pJ, theta): -1})
    pendulum.dissipation({(pJ, pJ): R})
    pendulum.constraint("end x", {pJ: r * pawl.sin(theta), px: 1})
    pendulum.constraint("end y", {pJ: -r * pawl.cos(theta), py: 1})
    pendulum.energy()
    return pendulum


def transistor_amplifier():
    amplifier = pawl.System("transistor-amplifier")
    Ub, Uf, alpha, beta, R0, R = 6.0, 0.026, 0.99, 1e-6, 1000.0, 9000.0
    y = amplifier.state("y", [0, Ub / 2, Ub / 2, Ub, Ub / 2, Ub / 2, Ub, 0])
    amplitude, f = amplifier.parameters(amplitude=0.1, f=100)
    mass = {(y[2], y[2]): -2e-6, (y[5], y[5]): -4e-6}
    for a, b, C in ((0, 1, 1e-6), (3, 4, 3e-6), (6, 7, 5e-6)):
        mass.update({(y[a], y[a]): -C, (y[b], y[b]): -C, (y[a], y[b]): C, (y[b], y[a]): C})
    amplifier.mass_matrix(mass)
    signal = amplitude * pawl.sin(2 * math.pi * f * amplifier.t)
    first, second = beta * (pawl.exp((y[1] - y[2]) / Uf) - 1), beta * (pawl.exp((y[4] - y[5]) / Uf) - 1)
    amplifier.rates([(y, np.array([
        (y[0] - signal) / R0,
        y[1] / R + (y[1] - Ub) / R + (1 - alpha) * first,
        y[2] / R - first,
        (y[3] - Ub) / R + alpha * first,
        y[4] / R + (y[4] - Ub) / R + (1 - alpha) * second,
        y[5] / R - second,
        (y[6] - Ub) / R + alpha * second,
        y[7] / R]))])
    return amplifier


def bead_hoop():
    bead = pawl.Mechanics("bead-hoop")
    x, y = bead.coordinate("x", 0), bead.coordinate("y", 0)
    r, g, mu, start = bead.parameters(radius=1, gravity=9.81, friction=0.2, start=2.5)
    bead.start({x: r * pawl.sin(start), y: -r * pawl.cos(start)})
    for q in (x, y):
        bead.mass(q, 1.0)
    bead.potential(g * y)
    hoop = bead.constraint("hoop", (x**2 + y**2 - r**2) / (2 * r))
    bead.joint_friction("bore", hoop, (x * y.dot - y * x.dot) / r, friction=mu)
    bead.energy()
    bead.friction_work()
    return bead


class Catalogue(unittest.TestCase):
    def check(self, ours, end=None, rtol=1e-9, **options):
        theirs = pawl.problem(ours.name)
        a = ours.simulate(theirs.end if end is None else end, rtol=rtol, start=theirs.start, **options)
        b = theirs.simulate(end, rtol=rtol, **options)
        self.assertEqual(a.outcome, "finished")
        self.assertEqual((a.outcome, a.method, a.state_names), (b.outcome, b.method, b.state_names))
        self.assertEqual([(e.kind, e.names) for e in a.events], [(e.kind, e.names) for e in b.events])
        for ours_event, theirs_event in zip(a.events, b.events):
            self.assertAlmostEqual(ours_event.t, theirs_event.t, delta=1e-12 * max(1, abs(theirs_event.t)))
        for name in a.state_names:
            scale = max(1e-3, abs(b.final[name]))
            self.assertAlmostEqual(a.final[name], b.final[name], delta=1e-12 * scale, msg=name)
        return a

    def test_smooth(self):
        self.check(compere_pendulum())
        self.check(kepler())
        self.check(lorenz(), end=2.0)

    def test_stiff(self):
        run = self.check(robertson())
        self.assertEqual(len(run.events), 2)
        self.check(vdpol())
        self.check(hires())

    def test_resets_and_accumulation(self):
        run = self.check(bouncing_ball())
        self.assertEqual(run.events[-1].kind, "accumulation")
        run = self.check(bouncing_ball_fmi())
        self.assertEqual(len(run.events), 11)

    def test_relays(self):
        self.check(relay())
        run = self.check(coulomb_oscillator())
        self.assertIn("slide", [event.kind for event in run.events])

    def test_inputs(self):
        self.check(driven_rc())

    def test_mechanisms(self):
        self.check(rod_pendulum())
        self.check(bead_hoop())

    def test_port_hamiltonian(self):
        self.check(ph_pendulum())

    def test_mass_matrix(self):
        self.check(transistor_amplifier())


PROBLEMS = [compere_pendulum, lorenz, robertson, vdpol, hires, kepler, relay, coulomb_oscillator, bouncing_ball,
            bouncing_ball_fmi, driven_rc, rod_pendulum, ph_pendulum, transistor_amplifier, bead_hoop]


def every_bit():
    """Final states and events of all these problems, with every bit."""
    told = {}
    for problem in PROBLEMS:
        model = problem()
        run = model.simulate(pawl.problem(model.name).end if model.name != "lorenz" else 20, rtol=1e-8)
        told[model.name] = {
            "finished": run.outcome == "finished",
            "final": [float(run.final[name]).hex() for name in run.state_names],
            "events": [(event.kind, event.names, float(event.t).hex()) for event in run.events],
        }
    return told


class Bits(unittest.TestCase):
    def test_interpreted_and_native_are_equal(self):
        script = "import json, test_catalogue; print(json.dumps(test_catalogue.every_bit()))"
        environment = {**os.environ, "PAWL_INTERPRETED": "1"}
        child = subprocess.run([sys.executable, "-c", script], cwd=pathlib.Path(__file__).parent, env=environment,
                               capture_output=True, text=True, check=True)
        native = json.loads(json.dumps(every_bit()))
        self.assertEqual(len(native), len(PROBLEMS))
        for name, told in json.loads(child.stdout).items():
            self.assertTrue(told["finished"], name)
            self.assertEqual(told, native[name], name)


class Names(unittest.TestCase):
    def test_the_nearest_name_is_offered(self):
        with self.assertRaises(pawl.Misuse) as caught:
            pawl.problem("bouncing-bal")
        self.assertEqual(str(caught.exception), "unknown model 'bouncing-bal'; did you mean 'bouncing-ball'? (`pawl list` shows the catalogue)")

    def test_a_parameter_may_shape_the_model(self):
        three, four = (len(pawl.problem("marble-jar", n=n).state_names) for n in (3, 4))
        self.assertEqual(3 * four, 4 * three)


if __name__ == "__main__":
    unittest.main()
