"""A model as data: its sentences, with expressions as numbers of outputs of one graph. Copies and pickles are made by saying them again."""

import numpy as np

from . import _pawl
from .arrays import array_of, plain
from .expr import CONSTRAINT, GUARD, Expr, Truth, node_of
from .handles import Contact, Handle, Named
from .shapes import Shape


def written(model, length):
    nodes = []

    def encode(x):
        if isinstance(x, (Handle, Named)):
            return _Ref("handle", (x.kind, x.index, x.name))
        if isinstance(x, Contact):
            return _Ref("contact", x.index)
        if isinstance(x, Expr):
            nodes.append(node_of(x, model._graph))
            return _Ref("node", len(nodes) - 1)
        if isinstance(x, Truth):
            return _Ref("truth", (x.kind, [encode(y) for y in x.parts]))
        if isinstance(x, Shape):
            return _Ref("shape", [encode(y) for y in (x.kind, x.places, x.turn, x.numbers, x.sizes, x.what)])
        if isinstance(x, dict):
            return _Ref("dict", [(encode(k), encode(v)) for k, v in x.items()])
        if isinstance(x, (list, tuple)):
            return _Ref(type(x).__name__, [encode(y) for y in x])
        if isinstance(x, np.ndarray) and x.dtype == object:
            return _Ref("array", (x.shape, [encode(y) for y in plain(x).ravel()]))
        return x

    log = [(name, encode(args), encode(kwargs)) for name, args, kwargs in model._log[:length]]
    return model._graph.write(nodes), log


class _Ref:
    __slots__ = ("kind", "value")

    def __init__(self, kind, value):
        self.kind, self.value = kind, value

    def __reduce__(self):
        return (_Ref, (self.kind, self.value))


def again(cls, name, text, log):
    model = cls(name)
    model._graph, nodes = _pawl.Graph.read(text)
    contacts = {}

    def decode(x):
        if not isinstance(x, _Ref):
            return x
        if x.kind == "handle":
            kind, index, handle_name = x.value
            if kind in (GUARD, CONSTRAINT):
                return Named(model, kind, index, handle_name)
            return model._handle(kind, index, handle_name)
        if x.kind == "contact":
            return contacts[x.value]
        if x.kind == "node":
            return Expr(model._graph, nodes[x.value])
        if x.kind == "truth":
            return Truth(model._graph, x.value[0], *(decode(y) for y in x.value[1]))
        if x.kind == "dict":
            return {decode(k): decode(v) for k, v in x.value}
        if x.kind == "array":
            return array_of([decode(y) for y in x.value[1]], x.value[0])
        made = [decode(y) for y in x.value]
        if x.kind == "shape":
            kind, places, turn, *others = made
            return Shape(kind, places, turn or None, *others)
        return tuple(made) if x.kind == "tuple" else made

    for method, args, kwargs in log:
        made = getattr(model, method)(*decode(args), **decode(kwargs))
        if isinstance(made, Contact):
            contacts[made.index] = made
    return model
