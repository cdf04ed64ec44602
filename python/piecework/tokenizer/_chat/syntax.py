"""Inserts calls into the syntax tree of a template, where Jinja would compare, join or loop without asking the sandbox.

They are filters, which Jinja compiles to plain calls, under names that no template can write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any

from jinja2 import nodes
from jinja2.runtime import Undefined
from jinja2.visitor import NodeTransformer

from piecework.tokenizer._chat.marked import Marked
from piecework.tokenizer._chat.state import STATE, lift, limits


def operand(value: Any) -> Any:
    """Returns an operand of a comparison, whose size is counted."""
    kind = type(value)
    if kind is str:
        if len(value) > 1024:
            limits().check_length(len(value))
        return value if value.isascii() else lift(value)
    if kind in {list, tuple, dict}:
        limits().measure(value)
    return value


def _sliced(value: Any) -> Any:
    """Returns a value of which a slice is taken."""
    limits().count_input(value)
    return lift(value)


def contained(value: Any, values: Any) -> Any:
    """Returns ``value in values``."""
    value = lift(value)
    if type(values) is dict:
        return value in values
    values = lift(values)
    limits().count_input(values)
    if type(value) is Marked and isinstance(values, str):
        return value._text in value._table.text_of(values)
    return value in values


def loop(values: Any) -> Any:
    """Returns what a loop iterates over, whose items are counted."""
    values = lift(values)
    if type(values) in {list, dict, str} or isinstance(values, Sized):
        limits().spend(len(values) + 1)
        return values
    return counted(values) if isinstance(values, Iterable) else values


def counted(values: Iterable[Any]) -> Iterator[Any]:
    """Iterates over values, each of which is a step."""
    spend = limits().spend
    for value in values:
        spend(1)
        yield value


def _joined(values: tuple[Any, ...]) -> str:
    """Returns the texts of values, joined (``~``)."""
    return concatenate([str(written(value)) for value in values])


def concatenate(pieces: Iterable[str]) -> str:
    """Returns texts as one, whose length is checked first."""
    pieces = list(pieces)
    limits().check_length(sum(map(str.__len__, pieces)))
    return "".join(pieces)


def _sum(value: Any, *others: Any) -> Any:
    """Returns the sum of values (``+``), which are mostly texts."""
    for other in others:
        if not isinstance(value, str):
            limits().check_operation("+", value, other)
        value = value + other
        if type(value) is str and len(value) > 1024:
            limits().check_length(len(value))
    return value


def _container(values: Any) -> Any:
    """Returns a list, tuple or dictionary that the template wrote, whose nested values are counted."""
    limits().measure(values)
    return values


def written(value: Any) -> Any:
    """Returns a value that is written as text; others than texts and numbers are measured first."""
    kind = type(value)
    if kind is not str and kind is not Marked and not isinstance(value, _PLAIN):
        limits().measure(value)
    return value


_PLAIN = (str, int, float, type(None), Undefined)


def _start(text: str) -> str:
    """Records where a block of the assistant starts; returns the empty text that is written there."""
    STATE.open_blocks.append(STATE.written)
    return text


def _end(text: str) -> str:
    """Records where a block of the assistant ends; returns the empty text that is written there."""
    STATE.blocks.append((STATE.open_blocks.pop(), STATE.written))
    return text


# A space keeps templates from using the names.
_OPERAND, _CONTAINED, _SLICED, _LOOP = " operand", " contained", " sliced", " loop"
_JOINED, _SUM, _CONTAINER = " joined", " sum", " container"
_START, _END = " start", " end"
INSERTED: dict[str, Callable[..., Any]] = {
    _OPERAND: operand,
    _CONTAINED: contained,
    _SLICED: _sliced,
    _LOOP: loop,
    _JOINED: _joined,
    _SUM: _sum,
    _CONTAINER: _container,
    _START: _start,
    _END: _end,
}


class Inserting(NodeTransformer):
    """Inserts calls into a syntax tree, from its leaves up."""

    def visit(self, node: nodes.Node, *args: Any, **keywords: Any) -> Any:
        """Returns a node with the calls in and around it."""
        self.generic_visit(node, *args, **keywords)
        change = _CHANGES.get(type(node))
        return change(node) if change else node


def _call(name: str, node: nodes.Expr, *arguments: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, list(arguments), [], None, None, lineno=node.lineno)


def _change_for(node: nodes.For) -> nodes.Node:
    node.iter = _call(_LOOP, node.iter)  # type: ignore[arg-type]  # declared as any node
    return node


def _change_concat(node: nodes.Concat) -> nodes.Node:
    return _call(_JOINED, nodes.Tuple(node.nodes, "load", lineno=node.lineno))


def _change_add(node: nodes.Add) -> nodes.Node:
    if isinstance(node.left, nodes.Filter) and node.left.name == _SUM:
        node.left.args.append(node.right)
        return node.left
    return _call(_SUM, node.left, node.right)


def _change_compare(node: nodes.Compare) -> nodes.Node:
    first = node.ops[0]
    if len(node.ops) == 1 and first.op in {"in", "notin"}:
        found = _call(_CONTAINED, node.expr, first.expr)
        return found if first.op == "in" else nodes.Not(found, lineno=node.lineno)
    node.expr = _operand_node(node.expr)
    for each in node.ops:
        each.expr = _operand_node(each.expr)
    return node


def _operand_node(node: nodes.Expr) -> nodes.Expr:
    return node if isinstance(node, nodes.Const) else _call(_OPERAND, node)


def _change_getitem(node: nodes.Getitem) -> nodes.Node:
    # A subscript calls the environment, a slice does not.
    if isinstance(node.arg, nodes.Slice):
        node.node = _call(_SLICED, node.node)
    return node


def _change_tuple(node: nodes.Tuple) -> nodes.Node:
    return _container_node(node, node.items) if node.ctx == "load" else node


def _change_list(node: nodes.List) -> nodes.Node:
    return _container_node(node, node.items)


def _change_dict(node: nodes.Dict) -> nodes.Node:
    return _container_node(node, [each for pair in node.items for each in (pair.key, pair.value)])


def _container_node(node: nodes.Expr, items: list[nodes.Expr]) -> nodes.Expr:
    if all(isinstance(item, nodes.Const) for item in items):
        return node
    return _call(_CONTAINER, node)


_CHANGES: dict[type[nodes.Node], Callable[[Any], nodes.Node]] = {
    nodes.For: _change_for,
    nodes.Concat: _change_concat,
    nodes.Add: _change_add,
    nodes.Compare: _change_compare,
    nodes.Getitem: _change_getitem,
    nodes.Tuple: _change_tuple,
    nodes.List: _change_list,
    nodes.Dict: _change_dict,
}


def inline_blocks(body: list[nodes.Node]) -> list[nodes.Node]:
    """Returns statements with the blocks of the assistant written where they stand, instead of by a call of a function.

    Only where the output is not collected first, as that of a macro is: there the number of characters before a block is known.
    """
    inlined: list[nodes.Node] = []
    for node in body:
        for name in _BODIES.get(type(node), ()):
            if not getattr(node, "recursive", False):
                setattr(node, name, inline_blocks(getattr(node, name)))
        if isinstance(node, nodes.CallBlock) and _is_generation(node.call):
            line = node.lineno
            start, end = (
                nodes.Output([_call(name, nodes.Const("", lineno=line))], lineno=line)
                for name in (_START, _END)
            )
            inlined += (start, nodes.Scope(inline_blocks(node.body), lineno=line), end)
        else:
            inlined.append(node)
    return inlined


_BODIES: dict[type[nodes.Node], tuple[str, ...]] = {
    nodes.If: ("body", "elif_", "else_"),
    nodes.For: ("body", "else_"),
    nodes.With: ("body",),
    nodes.Scope: ("body",),
    nodes.Block: ("body",),
}
"""The statements whose parts are written at once."""


def _is_generation(call: nodes.Call) -> bool:
    return isinstance(call.node, nodes.ExtensionAttribute) and call.node.name == "_record"
