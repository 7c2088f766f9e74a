"""PortHamiltonian: a system as its energy and the paths along which power flows."""

from . import _pawl
from .expr import CONSTRAINT, OBSERVABLE, RATE, Expr
from .handles import Named
from .system import System, _scalar, declares


class _Efforts:
    """e[x] is the effort dH/dx. Inside the graph it stands where the rate of x would."""

    def __init__(self, system):
        self._system = system

    def __getitem__(self, x):
        return Expr(self._system._graph, self._system._graph.input(RATE, self._system._own(x, "e[...]").index))


class PortHamiltonian(System):
    """x' = (J - R) dH/dx - r(x, dH/dx) + drive + C multipliers, with 0 = C^T dH/dx.

    >>> import pawl
    >>> spring = pawl.PortHamiltonian("spring")
    >>> p, q = spring.states(p=0.0, q=1.0)
    >>> spring.hamiltonian((p**2 + q**2) / 2)
    >>> spring.structure({(p, q): -1, (q, p): 1})
    >>> import math
    >>> abs(spring.simulate(1, rtol=1e-10).final[q] - math.cos(1)) < 1e-9
    True
    """

    _core_class = _pawl.PortHamiltonian

    @declares
    def hamiltonian(self, energy):
        """Stored energy; several add up."""
        self._core.hamiltonian(self._function(_scalar(energy, "a Hamiltonian")))

    @declares
    def structure(self, entries):
        """Entries {(x, y): J}, exactly as they are: the partner J(y, x) = -J(x, y) is written too."""
        self._core.structure(*self._entries(entries, "structure"))

    @declares
    def dissipation(self, entries):
        """Entries {(x, y): R}, both partners."""
        self._core.dissipation(*self._entries(entries, "dissipation"))

    @declares
    def resistance(self, flows):
        """A loss that is not linear: a function of the efforts e that returns {x: what is subtracted from x'}."""
        states, rows = self._pairs(flows(_Efforts(self)), "resistances")
        self._core.resistance(self._function(*rows), states)

    @declares
    def drive(self, terms):
        """What drives the system from outside, {x: expression}; C++ says input."""
        states, rows = self._pairs(terms, "drives")
        self._core.drive(self._function(*rows), states)

    @declares
    def constraint(self, name, column):
        """One row of 0 = C^T dH/dx: {x: factor}. run[constraint] is its multiplier."""
        states, rows = self._pairs(column, "columns")
        return Named(self, CONSTRAINT, self._core.constraint(name, self._function(*rows), states), name)

    @declares
    def energy(self, name="energy", kept=False):
        """Watches the sum of the Hamiltonians; kept=True holds the motion on its level."""
        return self._handle(OBSERVABLE, self._core.energy(name, bool(kept)), name)

    def check_structure(self):
        """None where J is skew, R symmetric and semidefinite; else what is wrong, line by line."""
        is_sound, text = self._core.check_structure()
        return None if is_sound else text
