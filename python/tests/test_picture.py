"""Pictures: what Python declares is what C++ declares, and it travels with the model."""

import base64
import gzip
import json
import os
import pickle
import re
import struct
import tempfile
import unittest

import pawl
from pawl.shapes import Arrow, Box, Disk, Floor, Ring, Rod, Sphere, Spring, Touch, Trace, Wall


def head_of(run, **words):
    """What a report says beside the numbers of its curves. Its data are the one gzipped text in the page."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.html")
        run.report(path, **words)
        with open(path, encoding="utf-8") as file:
            data = re.search(r"H4sI[A-Za-z0-9+/=]{100,}", file.read()).group(0)
    packed = gzip.decompress(base64.b64decode(data))
    length = struct.unpack("<I", packed[:4])[0]
    return json.loads(packed[4:4 + length])


def pendulum_stop():
    model = pawl.Mechanics("pendulum-stop")
    x, y = model.coordinate("x", 1), model.coordinate("y", 0)
    l, g, e, wall = model.parameters(length=1, gravity=9.81, restitution=0.6, wall=0.5)
    model.start({x: l})
    for q in (x, y):
        model.mass(q, 1.0)
    model.potential(g * y)
    model.constraint("rod", (x**2 + y**2 - l**2) / 2)
    stop = model.contact("stop", x - wall, restitution=e)
    model.energy()
    model.picture([Rod((0, 0), (x, y)), Disk((x, y), 0.06), Disk((0, 0), 0.03), Wall((wall, -1.1), (wall, -0.6)),
                   Trace((x, y), 0.5), Touch(stop, (x, y), (1, 0))])
    model.impact_loss()
    return model


class Report(unittest.TestCase):
    def test_says_how_it_was_made(self):
        ball = pawl.System("ball")
        height, speed = ball.states(height=1.0, speed=0.0)
        g, e = ball.parameters(g=9.81, e=0.7)
        ball.rates({height: speed, speed: -g})
        ball.guard("ground", height, falling=True, unilateral=True, then={speed: -e * speed})
        run = ball.simulate(2, rtol=1e-8, e=0.5, values={g: 1.6}, history=True)
        head = head_of(run)
        texts = dict(head["texts"])
        self.assertEqual(head["command"], "ball.simulate(2.0, rtol=1e-08, history=True, g=1.6, e=0.5)")
        self.assertEqual(texts["Model"].splitlines()[2:], [
            "rates({height: speed, speed: -g})",
            "guard('ground', height, falling=True, unilateral=True, then={speed: -(e * speed)})"])
        self.assertIn("advice", texts["What the advisor says"])
        again = eval(head["command"], {"ball": ball})
        self.assertEqual((again.t.tolist(), again[height].tolist()), (run.t.tolist(), run[height].tolist()))
        self.assertIn("history", head)
        self.assertNotIn("history", head_of(ball.simulate(2)))

    def test_draws_what_a_second_opinion_found(self):
        model = pawl.System("swing")
        x, v = model.states(x=1.0, v=0.0)
        model.rates({x: v, v: -x})
        run = model.simulate(5)
        self.assertEqual([curve["name"] for curve in head_of(run)["curves"]], ["x", "v"])
        second = run.verify()
        head = head_of(run, verification=second)
        others = [curve["name"] for curve in head["curves"] if curve["name"].startswith("x, ")]
        self.assertEqual(len(others), 2 * len([o for o in others if not o.endswith(" - this run")]))
        self.assertIn(["x"] + [o for o in others if not o.endswith(" - this run")], head["stacked"])
        copy = pickle.loads(pickle.dumps(second))
        self.assertEqual((copy.verdict, copy.text), (second.verdict, second.text))
        with self.assertRaises(pawl.Misuse) as caught:
            run.report("never.html", verification=copy)
        self.assertEqual(str(caught.exception), "a verification that has been copied or pickled has left its runs behind: call run.verify() again")

    def test_of_a_model_that_the_advisor_cannot_look_at_is_written_all_the_same(self):
        wrong = pawl.System("wrong")
        x = wrong.state("x", -1.0)
        wrong.rates({x: pawl.log(x)})
        run = wrong.simulate(1)
        self.assertEqual(run.outcome, "failed")
        self.assertEqual([heading for heading, _ in head_of(run)["texts"]], ["What the advisor says", "Model"])


class Pictures(unittest.TestCase):
    def test_the_same_as_from_cpp(self):
        ours = head_of(pendulum_stop().simulate(1, rtol=1e-9))
        theirs = head_of(pawl.problem("pendulum-stop").simulate(1, rtol=1e-9))
        self.assertEqual(ours["picture"], theirs["picture"])
        self.assertEqual([one["kind"] for one in ours["picture"]["shapes"]], ["rod", "disk", "disk", "wall", "trace", "touch"])
        self.assertTrue(ours["picture"]["shapes"][-1]["events"])

    def test_it_travels_with_the_model(self):
        model = pendulum_stop()
        first = head_of(model.simulate(1))
        for other in (model.copy(), pickle.loads(pickle.dumps(model))):
            self.assertEqual(head_of(other.simulate(1))["picture"], first["picture"])
        self.assertEqual(head_of(pickle.loads(pickle.dumps(model.simulate(1))))["picture"], first["picture"])

    def test_every_shape_in_space(self):
        model = pawl.Mechanics("thrown")
        z = model.coordinate("z", 1.0, mass=2.0)
        turn = model.attitude("turn", angular_velocity=(1, 2, 3))
        model.kinetic_energy(sum(0.1 * turn.speed(i) ** 2 for i in range(3)) / 2)
        model.potential(9.81 * 2 * z)
        rail = model.constraint("rail", z - 1)
        height = model.observable("height", z + 0.5)
        low = model.guard("low", z - 2)
        at = (0, 0, z)
        model.picture([Sphere(at, 0.2, turn), Box(at, (0.3, 0.2, 0.1), (1, 0, 0, 0)), Ring(at, 0.5 + 0 * z), Floor((0, 0, 0), 3), Spring((0, 0, 0), at),
                       Arrow(at, (0, 0, rail)), Disk((0, 0, height), 0.1, pawl.t), Touch(low, at)])
        picture = head_of(model.simulate(0.1))["picture"]
        self.assertTrue(picture["space"])
        self.assertEqual([one["kind"] for one in picture["shapes"]], ["sphere", "box", "ring", "floor", "spring", "arrow", "disk", "touch"])
        self.assertEqual([len(one["turn"]) for one in picture["shapes"]], [4, 4, 0, 0, 0, 0, 1, 0])
        self.assertEqual(picture["shapes"][1]["sizes"], [0.3, 0.2, 0.1])

    def test_what_is_no_picture(self):
        model, other = pawl.Mechanics("one"), pawl.Mechanics("two")
        x, y = model.coordinate("x", 0, mass=1), other.coordinate("y", 0, mass=1)
        guard = other.guard("far", y)
        for wrong, text in (
            (lambda: model.picture([(0, 0)]), "a picture is a list of shapes (pawl.shapes), not (0, 0)"),
            (lambda: Rod((0,), (1, 1)), "a place of a rod has two or three numbers, not 1"),
            (lambda: Box((0, 0), (1, 2)), "a box has three lengths, not 2"),
            (lambda: Disk((0, 0), turn=(1, 2)), "a turn is an angle, an attitude or a quaternion of four numbers, not 2 numbers"),
            (lambda: Wall((0, 0), "ab"), None),
            (lambda: Trace((0, 0), "long"), "a size of a trace is a number, not 'long'"),
            (lambda: model.picture([Disk((x, float("nan")))]),
             "a number of a disk is a constant, an expression, an observable or a multiplier, not nan"),
            (lambda: model.picture([Touch(x, (0, 0))]), "what touches is a contact or a guard, not x"),
            (lambda: model.picture([Touch(guard, (0, 0))]), "'far' belongs to the system 'two', not to 'one'"),
            (lambda: model.picture([Disk((y, 0))]), "'y' belongs to the system 'two', not to 'one'"),
        ):
            if text is None:
                self.assertRaises(pawl.Misuse, lambda: model.picture([wrong()]))
                continue
            with self.assertRaises(pawl.Misuse) as caught:
                wrong()
            self.assertEqual(str(caught.exception), text)


if __name__ == "__main__":
    unittest.main()
