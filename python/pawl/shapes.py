"""Shapes: what a model looks like, for the moving picture of its reports.

>>> import pawl
>>> from pawl.shapes import Disk, Rod, Trace
>>> pendulum = pawl.Mechanics("pendulum")
>>> angle = pendulum.coordinate("angle", 1.0, mass=1)
>>> pendulum.potential(-9.81 * pawl.cos(angle))
>>> bob = pawl.sin(angle), -pawl.cos(angle)
>>> pendulum.picture([Rod((0, 0), bob), Disk(bob, 0.08), Trace(bob, 0.5)])

A place is two or three numbers; every number is a constant, an expression of the model, an observable or the multiplier of
a joint. A turn is an angle in the plane, an attitude, or a quaternion of four numbers. A picture is in space as soon as one
z is not the constant 0.
"""

import math
import numbers

from .errors import Misuse
from .expr import CONSTRAINT, CONTACT, GUARD, OBSERVABLE, STATE, Expr
from .handles import Handle, Named

__all__ = ["Arrow", "Box", "Disk", "Floor", "Ring", "Rod", "Shape", "Sphere", "Spring", "Touch", "Trace", "Wall"]


class Shape:
    """A part of a picture: a kind, places, a turn, numbers that may move, sizes that do not."""

    __slots__ = ("kind", "places", "turn", "numbers", "sizes", "what")

    def __init__(self, kind, places, turn=None, numbers=(), sizes=(), what=None):
        self.kind, self.places, self.turn, self.numbers, self.what = kind, [_place(one, kind) for one in places], _turn(turn), list(numbers), what
        self.sizes = [_size(one, kind) for one in sizes]

    def __repr__(self):
        return f"<pawl.shapes {self.kind}>"

    def drawn(self, model):
        """As the engine takes it."""
        what = None
        if self.kind == "touch":
            if getattr(self.what, "kind", None) not in (CONTACT, GUARD):
                raise Misuse(f"what touches is a contact or a guard, not {self.what!r}")
            model._own(self.what, "a picture")
            what = self.what._indices() if self.what.kind == CONTACT else (self.what.index,)
        number = lambda x: _number(model, x, self.kind)
        return (self.kind, [[number(x) for x in place] for place in self.places], [number(x) for x in self.turn],
                [number(x) for x in self.numbers], self.sizes, what)


def _place(place, kind):
    made = list(place) if hasattr(place, "__len__") else [place]
    if len(made) not in (2, 3):
        raise Misuse(f"a place of a {kind} has two or three numbers, not {len(made)}")
    return made + [0.0] * (3 - len(made))


def _turn(turn):
    if turn is None:
        return []
    if hasattr(turn, "_parts"):  # an attitude
        return list(turn._parts)
    made = list(turn) if hasattr(turn, "__len__") else [turn]
    if len(made) not in (1, 4):
        raise Misuse(f"a turn is an angle, an attitude or a quaternion of four numbers, not {len(made)} numbers")
    return made


def _size(size, kind):
    if not isinstance(size, numbers.Real) or math.isnan(size):
        raise Misuse(f"a size of a {kind} is a number, not {size!r}")
    return float(size)


def _number(model, x, kind):
    if isinstance(x, (Handle, Named)) and x.kind in (STATE, OBSERVABLE, CONSTRAINT):
        return (x.kind, model._own(x, "a picture").index)
    if isinstance(x, Expr):
        return model._function(x)
    if not isinstance(x, numbers.Real) or math.isnan(x):
        raise Misuse(f"a number of a {kind} is a constant, an expression, an observable or a multiplier, not {x!r}")
    return float(x)


def Rod(start, end, width=0.0):
    """A bar between two places; a line unless it has a width."""
    return Shape("rod", [start, end], sizes=[width])


def Disk(center, radius=0.1, turn=None):
    """A wheel with a mark that shows its turn; in space it is flat, across the z of its body."""
    return Shape("disk", [center], turn, [radius])


def Sphere(center, radius=0.1, turn=None):
    """A ball."""
    return Shape("sphere", [center], turn, [radius])


def Box(center, size=(0.2, 0.1, 0.1), turn=None):
    """A box of these three lengths around its center."""
    if len(size) != 3:
        raise Misuse(f"a box has three lengths, not {len(size)}")
    return Shape("box", [center], turn, sizes=size)


def Spring(start, end):
    """A spring between two places."""
    return Shape("spring", [start, end])


def Wall(start, end):
    """Something that stands still, hatched: a segment in the plane."""
    return Shape("wall", [start, end])


def Ring(center, radius=1.0, turn=None):
    """A circle whose inside is free: a hoop, a jar."""
    return Shape("ring", [center], turn, [radius])


def Floor(center, size=2.0, turn=None):
    """A floor in space: a square of this size, across the z of its turn."""
    return Shape("floor", [center], turn, sizes=[size])


def Trace(of, seconds=1.0):
    """The way a place has gone in the last seconds of the model's time."""
    return Shape("trace", [of], sizes=[seconds])


def Touch(what, at, direction=None):
    """A place that flashes at every event of a contact or guard; with a direction, an arrow as long as the contact's force."""
    return Shape("touch", [at] if direction is None else [at, direction], what=what)


def Arrow(at, force):
    """A force at a place."""
    return Shape("arrow", [at, force])
