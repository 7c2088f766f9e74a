#!/usr/bin/env python3
"""Three contact problems by the time stepping of Siconos (Moreau-Jean, theta = 1/2), for comparison.

  python3 siconos_contact.py CASE STEP        CASE: ball, belt, rocking

Prints one JSON object per run: the errors are those of quantities that are known exactly.
  ball     falls 1 m onto a floor, e = 0.5, g = 9.81: comes to rest at sqrt(2/g) (1 + e)/(1 - e)
  belt     unit mass, spring and weight on a belt of speed 0.5, mu = 0.3, from x = 2 at rest, to t = 20: slips, sticks once
           and then swings for ever; piecewise harmonic
  rocking  block, height / width = 4, mu = 0.8, e = 0, released at half its critical angle: the first impact, where the
           rate of rotation falls by 1 - 1.5 sin(alpha)^2 (Housner 1963)
"""
import json
import math
import sys
import time

import numpy as np
import siconos.kernel as sk
import siconos.numerics as sn

GRAVITY = 9.81


def stepping(bodies, contacts, end, step, friction):
    """The simulation of these bodies; contacts: pairs of an interaction and the body it belongs to; friction: 0, or the
    dimension of its problem."""
    model = sk.NonSmoothDynamicalSystem(0, end)
    for body in bodies:
        model.insertDynamicalSystem(body)
    for interaction, body in contacts:
        model.link(interaction, body)
    if friction:
        problem = sk.FrictionContact(friction, sn.SICONOS_FRICTION_2D_ENUM if friction == 2 else sn.SICONOS_FRICTION_3D_NSGS)
    else:
        problem = sk.LCP()
    problem.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_TOL] = 1e-12
    return sk.TimeStepping(model, sk.TimeDiscretisation(0, step), sk.MoreauJeanOSI(0.5), problem)


def cone_violation(interaction, mu):
    """Of the impulse of the last step: how far friction is beyond mu times the normal part."""
    impulse = interaction.lambda_(1)
    return math.hypot(*impulse[1:]) - mu * impulse[0]


def ball(step):
    e, end = 0.5, 2.0
    body = sk.LagrangianLinearTIDS(np.array([1.0]), np.array([0.0]), np.eye(1))
    body.setFExtPtr(np.array([-GRAVITY]))
    floor = sk.Interaction(sk.NewtonImpactNSL(e), sk.LagrangianLinearTIR(np.array([[1.0]])))
    simulation = stepping([body], [(floor, body)], end, step, friction=0)
    lowest, last_motion, steps = 0.0, 0.0, 0
    began = time.process_time()
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        steps += 1
        lowest = min(lowest, body.q()[0])
        if abs(body.velocity()[0]) > 1e-12:
            last_motion = simulation.nextTime()
        simulation.nextStep()
    seconds = time.process_time() - began
    rest = math.sqrt(2 / GRAVITY) * (1 + e) / (1 - e)
    return {"cpu_seconds": seconds, "steps": steps,
            "errors": {"time of rest": last_motion - rest, "height at rest": body.q()[0], "speed at rest": body.velocity()[0]},
            "worst_penetration": -lowest, "worst_cone_violation": None}


def exact_belt(end, mu=0.3, speed=0.5):
    """Position and velocity: arcs around +mu (slower than the belt) and -mu (faster), until it sticks."""
    t, x, v = 0.0, 2.0, 0.0
    while True:
        centre = mu if v < speed or (v == speed and x > mu) else -mu
        size, phase = math.hypot(x - centre, v), math.atan2(-v, x - centre)
        # v = -size sin(phase + s) = speed, next time
        best = math.inf
        if size > speed:
            root = math.asin(-speed / size)
            for angle in (root, math.pi - root):
                s = (angle - phase) % (2 * math.pi)
                if 1e-9 < s < 2 * math.pi - 1e-9:
                    best = min(best, s)
        if t + best > end:
            s = end - t
            return centre + size * math.cos(phase + s), -size * math.sin(phase + s)
        t, x, v = t + best, centre + size * math.cos(phase + best), speed
        if abs(x) <= mu:  # sticks until the spring pulls with mu; from there on it never reaches the belt again
            stuck = (mu - x) / speed
            if t + stuck > end:
                return x + speed * (end - t), speed
            s = end - t - stuck
            return mu + speed * math.sin(s), speed * math.cos(s)


def belt(step):
    mu, speed, end = 0.3, 0.5, 20.0
    heavy = 1e12  # the belt: nothing changes its speed
    body = sk.LagrangianLinearTIDS(np.array([2.0, 0.0, 0.0]), np.array([0.0, 0.0, speed]), np.diag([1.0, 1.0, heavy]))
    body.setKPtr(np.diag([1.0, 0.0, 0.0]))
    body.setFExtPtr(np.array([0.0, -1.0, 0.0]))
    contact = sk.Interaction(sk.NewtonImpactFrictionNSL(0, 0, mu, 2),
                             sk.LagrangianLinearTIR(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, -1.0]])))
    simulation = stepping([body], [(contact, body)], end, step, friction=2)
    lowest, violation, steps, now = 0.0, 0.0, 0, 0.0
    began = time.process_time()
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        steps += 1
        now = simulation.nextTime()
        lowest = min(lowest, body.q()[1])
        violation = max(violation, cone_violation(contact, mu))
        simulation.nextStep()
    seconds = time.process_time() - began
    x, v = exact_belt(now)
    return {"cpu_seconds": seconds, "steps": steps,
            "errors": {"position": body.q()[0] - x, "velocity": body.velocity()[0] - v},
            "worst_penetration": -lowest, "worst_cone_violation": violation / step}


class Corner(sk.NewtonEuler3DR):
    """A corner of a block in the plane y = 0, against the floor z = 0. The block is a body in space with two corners in
    its middle plane: of the relations that can be written in Python, those with a Jacobian of their own crash (4.4)."""

    def __init__(self, across, up):
        super().__init__()
        self.across, self.up = across, up

    def place(self, q):
        angle = 2 * math.atan2(q[5], q[3])  # about the axis y
        c, s = math.cos(angle), math.sin(angle)
        return np.array([q[0] + c * self.across + s * self.up, 0.0, q[2] - s * self.across + c * self.up])

    def computeh(self, when, q, y):
        corner = self.place(q)
        y[0] = corner[2]
        self.pc1()[:] = corner
        self.pc2()[:] = [corner[0], 0.0, 0.0]
        self.nc()[:] = [0.0, 0.0, 1.0]


def rocking_reference(width, height, start):
    """Time of the first impact and the rates before and after it, by quadrature of the energy over the angle."""
    alpha, radius = math.atan2(width, height), math.hypot(width, height) / 2
    # 2/3 R theta'^2 = g (cos(alpha - start) - cos(alpha - theta)) with theta = start cos(u)^2: smooth at both ends
    points, weights = np.polynomial.legendre.leggauss(60)
    total = 0.0
    for p, w in zip(points, weights):
        u = (p + 1) * math.pi / 4  # 0 .. pi/2: theta from start to 0
        theta = start * math.cos(u) ** 2
        fall = 2 * math.sin((start - theta) / 2) * math.sin(alpha - (start + theta) / 2)
        total += w * math.pi / 4 * start * math.sin(2 * u) / math.sqrt(1.5 * GRAVITY / radius * fall)
    fall = math.cos(alpha - start) - math.cos(alpha)
    before = math.sqrt(1.5 * GRAVITY / radius * fall)
    return total, before, (1 - 1.5 * math.sin(alpha) ** 2) * before


def rocking(step):
    width, height, mu, end = 0.25, 1.0, 0.8, 1.0
    alpha, radius = math.atan2(width, height), math.hypot(width, height) / 2
    start = alpha / 2
    # It stands on its right corner (turned about y, clockwise as seen from -y), the corner at the origin.
    lean = alpha - start
    q = np.array([-radius * math.sin(lean), 0.0, radius * math.cos(lean), math.cos(start / 2), 0.0, math.sin(start / 2), 0.0])
    inertia = np.diag([1.0, (width**2 + height**2) / 12, 1.0])
    body = sk.NewtonEulerDS(q, np.zeros(6), 1.0, inertia)
    body.setFExtPtr(np.array([0.0, 0.0, -GRAVITY]))
    law = sk.NewtonImpactFrictionNSL(0, 0, mu, 3)
    corners = [Corner(side * width / 2, -height / 2) for side in (-1, 1)]
    contacts = [sk.Interaction(law, corner) for corner in corners]
    simulation = stepping([body], [(contact, body) for contact in contacts], end, step, friction=3)
    first, before_exact, after_exact = rocking_reference(width, height, start)
    lowest, violation, steps = 0.0, 0.0, 0
    impact, before, after, last = math.nan, math.nan, math.nan, 0.0
    began = time.process_time()
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        steps += 1
        angle, rate = 2 * math.atan2(body.q()[5], body.q()[3]), -body.twist()[4]
        if math.isnan(impact) and rate < last - 1e-9 and steps > 10:
            impact, before, after = simulation.nextTime(), last, rate
        last = rate
        for corner, contact in zip(corners, contacts):
            lowest = min(lowest, corner.place(body.q())[2])
            violation = max(violation, cone_violation(contact, mu))
        simulation.nextStep()
    seconds = time.process_time() - began
    return {"cpu_seconds": seconds, "steps": steps,
            "errors": {"time of impact": impact - first, "rate before": before - before_exact, "rate after": after - after_exact,
                       "ratio of rates": after / before - (1 - 1.5 * math.sin(alpha) ** 2)},
            "worst_penetration": -lowest, "worst_cone_violation": violation / step}


if __name__ == "__main__":
    cases = {"ball": ball, "belt": belt, "rocking": rocking}
    if len(sys.argv) != 3 or sys.argv[1] not in cases:
        sys.exit(__doc__)
    h = float(sys.argv[2])
    print(json.dumps({"case": sys.argv[1], "peer": "siconos", "h": h, **cases[sys.argv[1]](h)}))
