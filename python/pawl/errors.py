"""What pawl raises."""

from ._pawl import Misuse

__all__ = ["Branch", "Misuse", "NotTraced"]

Misuse.__module__ = "pawl"
Misuse.__doc__ = "A call that cannot mean anything: the text says what is allowed."


class Branch(TypeError):
    """Something that moves was asked for a value while a model is being written.

    An expression stands for a course over time; it has no value yet that an ``if`` or ``float`` could use.
    """


class NotTraced(UserWarning):
    """A function is called as it is, because it could not be written down as a graph; the text says which line and why."""


BRANCH_ADVICE = (
    "{what} has no value while the model is written. Ways out: pawl.where(x > 0, a, b) for a kink, min, max, abs;"
    " system.condition(...) or system.relay(...) where the switch is an event; a discrete variable for what is held"
)
