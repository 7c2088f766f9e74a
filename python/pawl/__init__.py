"""pawl: simulation of stiff, discontinuous, high-index systems.

>>> import pawl
>>> r = pawl.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 10), [1, 0], rtol=1e-9, events=lambda t, y: y[0])
>>> len(r.t_events[0]), r.run.guarantees
(3, {'event 1': 'proved'})
"""

from . import shapes
from ._pawl import version as __version__
from .arrays import (absolute, arccos, arcsin, arctan, arctan2, cbrt, clip, cos, cosh, exp, hypot, interp, log, maximum, minimum, power, sign, sin,
                     sinh, sqrt, square, tan, tanh)
from .errors import Branch, Misuse, NotTraced
from .expr import Expr, t, where
from .handles import Contact
from .mechanics import Compliance, Mechanics
from .model import Model, Problem, catalogue, problem
from .port_hamiltonian import PortHamiltonian
from .result import Run
from .signals import Signal
from .simulation import Simulation
from .solve import OdeResult, solve_dae, solve_ivp
from .sweep import Sweep, read_sweep
from .system import System

abs, min, max = absolute, minimum, maximum  # by the words of C++
asin, acos, atan, atan2, sqr, pow, select = arcsin, arccos, arctan, arctan2, square, power, where

__all__ = [
    "Branch", "Compliance", "Contact", "Expr", "Mechanics", "Misuse", "Model", "NotTraced", "OdeResult", "PortHamiltonian", "Problem",
    "Run", "Signal", "Simulation", "Sweep", "System", "catalogue", "problem", "read_sweep", "solve_dae", "solve_ivp", "t", "where",
]
