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


def model_text(model, length):
    """The sentences of a model as one would write them, for people to read."""
    sentences = getattr(model, "_log", [])[:length]
    if not sentences:
        return getattr(model, "summary", "") or model.name

    def said(x):
        if isinstance(x, Shape):
            return x.kind
        if isinstance(x, (Handle, Named, Contact)):
            return x.name
        if isinstance(x, Expr):
            return x._graph.text(x._node, 20)
        if isinstance(x, dict):
            return "{" + ", ".join(f"{said(k)}: {said(v)}" for k, v in x.items()) + "}"
        if isinstance(x, (list, tuple, np.ndarray)):
            return "[" + ", ".join(said(y) for y in x) + "]"
        if callable(x):
            return f"<function {getattr(x, '__qualname__', '?')}>"
        return repr(x)

    lines = []
    for name, args, kwargs in sentences:
        words = [said(x) for x in args] + [f"{key}={said(value)}" for key, value in kwargs.items()]
        lines.append(f"{name}({', '.join(words)})")
    return "\n".join(lines)


def call_text(run):
    """The call that makes a run again."""
    options = dict(run._options)
    words = [repr(options.pop("end", run.t_end))] + [f"{key}={value!r}" for key, value in options.items()]
    named, values = [], []
    for *key, value in run._given:
        name = key[0] if len(key) == 1 else run.model._handle(*key).name
        (named if name.isidentifier() else values).append((name, "..." if isinstance(value, _pawl.Signal) else repr(value)))
    words += [f"{name}={value}" for name, value in named]
    if values:
        words.append("values={" + ", ".join(f"{name!r}: {value}" for name, value in values) + "}")
    return f"{run.model.name if run.model.name.isidentifier() else 'model'}.simulate({', '.join(words)})"
