"""What functions that are called see: `at`, one instant of the motion, and `jump`, one round of an event."""

import weakref

from .errors import Misuse
from .evaluate import evaluate
from .expr import INPUT, MODE, TIME_EVENT, TRUTH, Expr
from .handles import Contact
from .signals import Signal


def _typed(system, kind, index, value):
    if kind == MODE:
        return bool(value) if system._core.mode_is_bool(index) else int(value)
    if kind == TRUTH:
        return int(value)
    return value


class _View:
    __slots__ = ("_system", "_view")

    def __init__(self, system, view):
        self._system, self._view = system, view

    @property
    def t(self):
        return self._view.t

    def _own(self, handle, what):
        """The handle; a function of a copied model has those of the original, which stand for the same."""
        same = self._system._handles.get((getattr(handle, "kind", None), getattr(handle, "index", None)))
        if same is not None and same.name == handle.name and handle._system.name == self._system.name:
            return same
        return self._system._own(handle, what)

    def _read(self, what, read):
        kind = getattr(what, "kind", None)
        if kind is None and isinstance(what, Expr):
            return float(evaluate(what, read))
        handle = self._own(what, "jump[...]")
        return _typed(self._system, kind, handle.index, read(kind, handle.index))

    def __getitem__(self, what):
        return self._read(what, self._view.read)


class At(_View):
    """One instant: at[handle], at[expression], at.t. It is dead once the function has returned."""


class Jump(_View):
    """One round of an event: jump[x] reads and assigns, jump.pre(x) is what was before the round."""

    def pre(self, what):
        return self._read(what, self._view.pre)

    def __setitem__(self, what, value):
        handle = self._own(what, "jump[...]")
        if isinstance(value, Signal):
            if handle.kind != INPUT:
                raise Misuse(f"'{handle.name}' is no input: it takes no course")
            return self._view.give(handle.index, value._core)
        self._view.write(handle.kind, handle.index, float(value))

    def fired(self, what, kind=None):
        """Whether this guard, condition, relay, contact or time event fired in this round.

        kind: of a contact, "impact", "rest", "stick", "slip" or "release". Contacts are decided after the jumps of a
        round: asked in the round that follows.
        """
        handle = self._own(what, "fired(...)")
        if isinstance(handle, Contact):
            return self._view.fired_contact(*handle._indices(), kind)
        if kind is not None:
            raise Misuse(f"fired(..., kind={kind!r}): kinds are those of contacts, and '{handle}' is none")
        return self._view.fired(handle.kind, handle.index)

    @property
    def is_start(self):
        return self._view.is_start

    @property
    def is_accumulation(self):
        return self._view.is_accumulation

    def schedule(self, event, t):
        """The time event happens (next) at t, after this instant; infinity: not any more."""
        handle = self._own(event, "schedule(...)")
        if handle.kind != TIME_EVENT:
            raise Misuse(f"'{handle.name}' is no time event")
        self._view.schedule(handle.index, float(t))

    def terminate(self, reason):
        """Ends the run here."""
        self._view.terminate(str(reason))


# The engine must not own what owns the engine: Python's collector does not see through it. The model keeps the function,
# and the engine a weak way back to the model.
def _called(system, f, view_class):
    number = len(system._called)
    system._called.append(f)
    back = weakref.ref(system)

    def call(view):
        model = back()
        return model._called[number](view_class(model, view))

    return call


def called_jump(system, f):
    return _called(system, f, Jump)


def called_at(system, f):
    return _called(system, f, At)
