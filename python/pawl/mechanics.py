"""Mechanics: a mechanism as an engineer writes it: masses, forces, joints, contacts."""

import numbers

import numpy as np

from . import _pawl
from .arrays import plain, to_array
from .errors import Misuse
from .expr import CONSTRAINT, NUMBER, OBSERVABLE, PARAMETER, STATE
from .handles import Contact, Handle, Named, logic_of
from .system import System, _scalar, declares


class Compliance:
    """A contact that gives way: force = stiffness d**exponent (1 + dissipation d') + damping d', never drawing."""

    __slots__ = ("numbers",)

    def __init__(self, stiffness, exponent=1.0, damping=0.0, dissipation=0.0):
        self.numbers = [float(stiffness), float(exponent), float(damping), float(dissipation)]

    @classmethod
    def spring_damper(cls, stiffness, damping):
        return cls(stiffness, 1.0, damping)

    @classmethod
    def hertz(cls, stiffness):
        return cls(stiffness, 1.5)

    @classmethod
    def hunt_crossley(cls, stiffness, dissipation):
        return cls(stiffness, 1.5, 0.0, dissipation)

    def __reduce__(self):
        return (Compliance, tuple(self.numbers))


class Attitude:
    """An orientation in space: attitude[0..3] is a unit quaternion, attitude.speed(0..2) the spin in body axes."""

    def __init__(self, parts, speeds):
        self._parts, self._speeds = parts, speeds

    def __getitem__(self, i):
        return self._parts[i]

    def speed(self, axis):
        return self._speeds[axis]


class Mechanics(System):
    """A mechanism. Derivatives, index and stabilization follow from what is declared.

    >>> import pawl
    >>> pendulum = pawl.Mechanics("pendulum")
    >>> x, y = pendulum.coordinate("x", 1, mass=1), pendulum.coordinate("y", 0, mass=1)
    >>> pendulum.potential(9.81 * y)
    >>> rod = pendulum.constraint("rod", (x**2 + y**2 - 1) / 2)
    >>> run = pendulum.simulate(1, rtol=1e-9)
    >>> abs(run.final[x]**2 + run.final[y]**2 - 1) < 1e-12
    True
    """

    _core_class = _pawl.Mechanics

    @declares
    def coordinate(self, name, position, speed=0.0, mass=None):
        """A coordinate; x.dot is its speed, a state of its own named x'."""
        index, at_speed = self._core.coordinate(name, float(position), float(speed))
        made = self._handle(STATE, index, name)
        made._dot = self._handle(STATE, at_speed, f"{name}'")
        if mass is not None:
            self.mass(made, mass)
        return made

    @declares
    def attitude(self, name, orientation=(1, 0, 0, 0), angular_velocity=(0, 0, 0)):
        """An orientation in space."""
        first, speed = self._core.attitude(name, [float(x) for x in orientation], [float(x) for x in angular_velocity])
        return Attitude([self._handle(STATE, first + i) for i in range(4)], [self._handle(STATE, speed + i) for i in range(3)])

    @declares
    def mass(self, coordinate, value=None):
        """mass(x, m) adds to the diagonal; mass({(x, y): entry}) writes entries that may move, once for both partners."""
        if isinstance(coordinate, dict):
            return self._core.masses(*self._entries(coordinate, "the mass matrix"))
        self._own(coordinate, "mass")
        self._core.mass(coordinate.index, _coefficient(self, value, "a mass"))

    @declares
    def kinetic_energy(self, energy):
        """Kinetic energy of coordinates, speeds and time, at most quadratic in the speeds; several add up."""
        self._core.kinetic_energy(self._function(_scalar(energy, "a kinetic energy")))

    @declares
    def potential(self, energy):
        """Potential energy; several add up."""
        self._core.potential(self._function(_scalar(energy, "a potential")))

    @declares
    def force(self, forces):
        """Generalized forces {x: expression}; of an attitude, torques in body axes, {spin.speed(0): ...}."""
        states, rows = self._pairs(forces, "forces")
        self._core.force(self._function(*rows), states)

    def _constraint(self, declare, name, g, only_when):
        rows = list(np.ravel(plain(to_array(g))))
        names = [name] if len(rows) == 1 else [f"{name}[{i + 1}]" for i in range(len(rows))]
        made = [declare(one, self._function(_scalar(row, f"'{one}'")), logic_of(only_when)) for one, row in zip(names, rows)]
        return Named(self, CONSTRAINT, made[0], name, len(rows))

    @declares
    def constraint(self, name, g, *, only_when=None):
        """A joint g(t, q) = 0; a list is several rows. run[joint] is its multiplier."""
        return self._constraint(self._core.constraint, name, g, only_when)

    @declares
    def velocity_constraint(self, name, h, *, only_when=None):
        """Rolling and the like, h(t, q, v) = 0."""
        return self._constraint(self._core.velocity_constraint, name, h, only_when)

    def _words(self, **words):
        made = {}
        for word, value in words.items():
            if value is None:
                continue
            if word in ("restitution", "friction", "static_friction"):
                made[word] = _coefficient(self, value, word)
            elif word == "compliance":
                made[word] = value.numbers
            elif word == "impact" and value not in ("poisson", "newton"):
                raise Misuse(f"impact is 'poisson' or 'newton', not {value!r}")
            else:
                made[word] = value
        return made

    def _slip(self, slip, name):
        rows = list(np.ravel(plain(to_array(slip))))
        if len(rows) not in (1, 2):
            raise Misuse(f"the slip of '{name}' has one speed in the plane, two in space, not {len(rows)}")
        return self._function(*(_scalar(row, f"the slip of '{name}'") for row in rows)), len(rows)

    @declares
    def contact(self, name, gap, slip=None, *, restitution=0.0, friction=0.0, static_friction=None, impact="poisson",
                sequential=False, compliance=None, slip_speed=0.0):
        """Surfaces that must not penetrate: gap >= 0. With friction: slip is the speed of one along the other."""
        words = self._words(restitution=restitution, friction=friction, static_friction=static_friction, impact=impact,
                            sequential=bool(sequential), compliance=compliance, slip_speed=float(slip_speed))
        made, tangents = (None, 0) if slip is None else self._slip(slip, name)
        return Contact(self, name, *self._core.contact(name, self._function(_scalar(gap, f"the gap of '{name}'")), made, words), tangents)

    @declares
    def dry_friction(self, name, slip, normal_force, *, friction, static_friction=None, slip_speed=0.0):
        """Dry friction under a given normal force: a brake or a clutch."""
        words = self._words(friction=friction, static_friction=static_friction, slip_speed=float(slip_speed))
        made, tangents = self._slip(slip, name)
        return Contact(self, name, *self._core.dry_friction(name, made, self._function(_scalar(normal_force, f"'{name}'")), words), tangents)

    @declares
    def joint_friction(self, name, joint, slip, *, friction, static_friction=None, slip_speed=0.0):
        """Dry friction in a joint, whose force presses the surfaces together."""
        words = self._words(friction=friction, static_friction=static_friction, slip_speed=float(slip_speed))
        made, tangents = self._slip(slip, name)
        return Contact(self, name, *self._core.joint_friction(name, self._own(joint, "joint_friction").index, made, words), tangents)

    @declares
    def friction_work(self, name="friction work"):
        """A state that adds up what friction takes."""
        return self._handle(STATE, self._core.friction_work(name), name)

    @declares
    def impact_loss(self, name="impact loss"):
        """A held number that adds up what impacts take."""
        return self._handle(NUMBER, self._core.impact_loss(name), name)

    @declares
    def energy(self, name="energy", kept=False):
        """Watches kinetic plus potential energy; kept=True holds the motion on its level."""
        return self._handle(OBSERVABLE, self._core.energy(name, bool(kept)), name)


def _coefficient(system, value, what):
    if isinstance(value, Handle):
        if system._own(value, what).kind != PARAMETER:
            raise Misuse(f"{what} is a number or a parameter; '{value.name}' is neither")
        return (value.index,)
    if not isinstance(value, numbers.Real):
        raise Misuse(f"{what} is a number or a parameter, not {value!r}")
    return float(value)
