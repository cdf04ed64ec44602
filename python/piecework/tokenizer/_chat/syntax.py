"""Inserts calls into the syntax tree of a template, where Jinja would compare, join or loop without asking the sandbox.

They are filters, which Jinja compiles to plain calls, under names that no template can write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any

from jinja2 import nodes
from jinja2.runtime import Undefined
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

from piecework.errors import ChatTemplateError
from piecework.tokenizer._chat.budget import CONVERTED, MEASURED
from piecework.tokenizer._chat.marked import Marked
from piecework.tokenizer._chat.state import STATE, current_budget, lift

_SHORT = 512
"""The length of texts whose comparison is not counted."""


def operand(value: Any) -> Any:
    """Returns an operand of a comparison, whose size is counted."""
    kind = type(value)
    if kind is str:
        if len(value) > _SHORT:
            current_budget().read(len(value))
        return value if value.isascii() else lift(value)
    if kind is Marked:
        current_budget().read(len(value))
    elif kind in MEASURED or isinstance(value, tuple):  # such as the groups of `groupby`
        current_budget().measure(value)
    return value


def _sliced(value: Any, start: Any, stop: Any, step: Any) -> Any:
    """Returns a slice of a value."""
    return current_budget().check_result(lift(value)[start:stop:step])


def contained(value: Any, values: Any) -> Any:
    """Returns ``value in values``."""
    value = lift(operand(value))
    if type(values) is dict:
        return value in values
    if isinstance(values, str):
        return _found(value, lift(values))
    if isinstance(values, range):
        if type(value) is not int:  # Python compares it with each number
            current_budget().spend(len(values))
    elif isinstance(values, Iterator):
        values = list(counted(values))
    return value in operand(values)


def _found(value: Any, text: str) -> bool:
    """Returns whether a text contains a value, after counting the search."""
    if isinstance(value, str):
        current_budget().search(len(text), len(value))
        if type(value) is Marked:
            return value._text in value._table.text_of(text)
    return value in text


def loop(values: Any, steps: int = 1) -> Any:
    """Returns what a loop iterates over, of which each item takes some steps; their number is recorded."""
    values = lift(values)
    if type(values) in {list, dict, str} or isinstance(values, Sized):
        number = len(values)
        current_budget().spend(steps * number + 1)
        STATE.note(number)
        return values
    return counted(values, steps) if isinstance(values, Iterable) else values


def counted(values: Iterable[Any], steps: int = 1) -> Iterator[Any]:
    """Iterates over values, each of which takes some steps."""
    spend, note = current_budget().spend, STATE.note
    for value in values:
        spend(steps)
        note(1)
        yield value
    note(0)


def _joined(values: tuple[Any, ...]) -> str:
    """Returns the texts of values, joined (``~``)."""
    return concatenate([str(written(value)) for value in values])


def concatenate(pieces: Iterable[str]) -> str:
    """Returns texts as one, whose length is checked first."""
    pieces = list(pieces)
    current_budget().make(sum(map(str.__len__, pieces)))
    return "".join(pieces)


def _sum(value: Any, *others: Any) -> Any:
    """Returns the sum of values (``+``), which are mostly texts."""
    for other in others:
        if not isinstance(value, str):
            current_budget().check_operation("+", value, other)
        value = value + other
        if isinstance(value, str):
            if len(value) > 64:
                current_budget().make(len(value))
        elif type(value) is int:
            current_budget().check_bits(value.bit_length())
    if type(value) is Markup:  # escapes the others
        current_budget().read(CONVERTED * len(value) * len(others))
    return value


def _container(values: Any) -> Any:
    """Returns a list, tuple or dictionary that the template wrote, whose nested values are counted."""
    current_budget().measure(values)
    if STATE.table is None:
        return values
    if isinstance(values, dict):
        return {lift(key): lift(value) for key, value in values.items()}
    return type(values)(map(lift, values))


def _decided(value: Any) -> bool:
    """Returns whether a condition holds, which is recorded."""
    holds = value if value is True or value is False else bool(lift(value))
    STATE.note(holds)
    return holds


def _tested(value: Any) -> Any:
    """Returns the left operand of `and` and `or`; whether it is true is recorded."""
    STATE.note(bool(value))
    return value


def _subscript(value: Any) -> Any:
    """Returns a computed subscript, which is recorded."""
    note_key(value)
    return value


def note_key(value: Any) -> None:
    """Records by which value a member is chosen; that of a text, whose comparisons follow its characters, is recorded too."""
    if isinstance(value, str):
        value = hash(lift(value))
    STATE.note(value if isinstance(value, int | float) else 0)


def written(value: Any) -> Any:
    """Returns a value that is written as text; others than texts and numbers are measured first."""
    kind = type(value)
    if kind is not str and kind is not Marked and not isinstance(value, _PLAIN):
        budget = current_budget()
        budget.read(CONVERTED * budget.measure(value))
    return value


_PLAIN = (str, int, float, type(None), Undefined)


def _weigh(text: str, steps: int) -> str:
    """Counts the steps of a body; returns the empty text that is written there."""
    current_budget().spend(steps)
    return text


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
_START, _END, _WEIGHT = " start", " end", " weight"
_DECIDED, _TESTED, _SUBSCRIPT = " decided", " tested", " subscript"
_STEPS_OF_CALL = 10
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
    _WEIGHT: _weigh,
    _DECIDED: _decided,
    _TESTED: _tested,
    _SUBSCRIPT: _subscript,
}


class Inserting(NodeTransformer):
    """Inserts calls into a syntax tree, from its leaves up."""

    def __init__(self, source: nodes.Template) -> None:
        """Finds the conditions of a template that need no record."""
        changed = _changed_names(source)
        conditions = source.find_all(tuple(_CONDITIONS))
        self._plain = {
            id(node)
            for node in conditions
            if _is_plain(getattr(node, _CONDITIONS[type(node)]), changed)
        }

    def visit(self, node: nodes.Node, *args: Any, **keywords: Any) -> Any:
        """Returns a node with the calls in and around it."""
        self.generic_visit(node, *args, **keywords)
        change = None if id(node) in self._plain else _CHANGES.get(type(node))
        return change(node) if change else node


def _changed_names(source: nodes.Template) -> set[str]:
    """Returns the names whose values may differ in a rendering with sentinels by more than these."""
    given: list[tuple[nodes.Node, nodes.Node]] = [
        (each.target, each.node) for each in source.find_all(nodes.Assign)
    ]
    given += [(each.target, each.iter) for each in source.find_all(nodes.For)]
    changed = {name.name for name in source.find_all(nodes.Name) if name.ctx == "param"}
    changed |= {"caller", "self"}
    for each in source.find_all(nodes.AssignBlock):
        changed |= _targets(each.target)
    users: dict[str, set[str]] = {}  # the names whose values are made of that of a name
    for target, value in given:
        names = _plain_names(value)
        if names is None:
            changed |= _targets(target)
        for name in names or ():
            users.setdefault(name, set()).update(_targets(target))
    waiting = list(changed)
    while waiting:
        new = users.pop(waiting.pop(), set()) - changed
        changed |= new
        waiting += new
    return changed


def _targets(node: nodes.Node) -> set[str]:
    """Returns the names that are given a value, or a member of theirs is."""
    kinds = (nodes.Name, nodes.NSRef)
    found: Iterable[Any] = [node] if isinstance(node, kinds) else node.find_all(kinds)
    return {each.name for each in found}


def _is_plain(node: nodes.Node, changed: set[str]) -> bool:
    """Returns whether an expression has the same value with sentinels, whose methods are those of the texts behind them."""
    names = _plain_names(node)
    return names is not None and changed.isdisjoint(names)


def _plain_names(node: nodes.Node) -> set[str] | None:
    """Returns the names that decide whether an expression is plain; None if it is not, whatever they are."""
    names: set[str] = set()
    stack = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, nodes.Name):
            names.add(each.name)
        elif not _is_plain_node(each):
            return None
        else:
            stack += each.iter_child_nodes()
    return names


def _is_plain_node(node: nodes.Node) -> bool:
    if isinstance(node, nodes.Test):
        return node.name in _PLAIN_TESTS and not node.args
    if isinstance(node, nodes.Filter):
        return node.name in _PLAIN_FILTERS and not node.args and node.node is not None
    if isinstance(node, nodes.Call):
        called = node.node
        if isinstance(called, nodes.Name):
            return called.name == "namespace"
        return isinstance(called, nodes.Getattr) and called.attr in _PLAIN_METHODS
    return isinstance(node, _PLAIN_NODES)


_PLAIN_TESTS = frozenset("defined undefined none string mapping iterable sequence number".split())
_PLAIN_FILTERS = frozenset({"length", "trim"})
_PLAIN_METHODS = frozenset("split strip lstrip rstrip startswith endswith items keys".split())
_PLAIN_NODES = (
    nodes.Const,
    nodes.Getattr,
    nodes.Getitem,
    nodes.Compare,
    nodes.Operand,
    nodes.Not,
    nodes.And,
    nodes.Or,
    nodes.CondExpr,
    nodes.Slice,
    nodes.Sub,
    nodes.Neg,
    nodes.Keyword,
)
_CONDITIONS: dict[type[nodes.Node], str] = {
    nodes.If: "test",
    nodes.CondExpr: "test",
    nodes.And: "left",
    nodes.Or: "left",
}


def _call(name: str, node: nodes.Expr, *arguments: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, list(arguments), [], None, None, lineno=node.lineno)


def _change_for(node: nodes.For) -> nodes.Node:
    steps = nodes.Const(1 + _steps_of(node.body))
    node.iter = _call(_LOOP, node.iter, steps)  # type: ignore[arg-type]  # declared as any node
    if node.test is not None:
        node.test = _call(_DECIDED, node.test)  # type: ignore[arg-type]
    return node


def _weighed(node: Any) -> Any:
    """Returns a node whose body counts its size, in addition to the call."""
    steps = _steps_of(node.body)
    if steps > _STEPS_OF_CALL:
        weight = _call(_WEIGHT, nodes.Const("", lineno=node.lineno), nodes.Const(steps))
        node.body.insert(0, nodes.Output([weight], lineno=node.lineno))
    return node


def _steps_of(body: list[nodes.Node]) -> int:
    """Returns the steps of statements: one for each node, and two more for each value that is written."""
    outputs = (each for node in body for each in (node, *node.find_all(nodes.Output)))
    written = sum(len(each.nodes) for each in outputs if isinstance(each, nodes.Output))
    return sum(map(count_nodes, body)) + 2 * written


def count_nodes(node: nodes.Node) -> int:
    """Returns the number of nodes of a syntax tree."""
    number, stack = 0, [node]
    while stack:
        number += 1
        stack += stack.pop().iter_child_nodes()
    return number


def _change_condition(node: nodes.If | nodes.CondExpr) -> nodes.Node:
    node.test = _call(_DECIDED, node.test)  # type: ignore[arg-type]
    return node


def _change_logic(node: nodes.And | nodes.Or) -> nodes.Node:
    node.left = _call(_TESTED, node.left)
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
        none = nodes.Const(None, lineno=node.lineno)
        ends = (node.arg.start, node.arg.stop, node.arg.step)
        return _call(_SLICED, node.node, *(each or none for each in ends))
    if not isinstance(node.arg, nodes.Const):
        node.arg = _call(_SUBSCRIPT, node.arg)
    return node


def _change_tuple(node: nodes.Tuple) -> nodes.Node:
    return _container_node(node, node.items) if node.ctx == "load" else node


def _change_list(node: nodes.List) -> nodes.Node:
    return _container_node(node, node.items)


def _change_dict(node: nodes.Dict) -> nodes.Node:
    for pair in node.items:
        pair.key = _operand_node(pair.key)  # a mapping hashes its keys before it can be measured
    return _container_node(node, [each for pair in node.items for each in (pair.key, pair.value)])


def _container_node(node: nodes.Expr, items: list[nodes.Expr]) -> nodes.Expr:
    if all(isinstance(item, nodes.Const) for item in items):
        return node
    return _call(_CONTAINER, node)


_CHANGES: dict[type[nodes.Node], Callable[[Any], nodes.Node]] = {
    nodes.For: _change_for,
    nodes.If: _change_condition,
    nodes.CondExpr: _change_condition,
    nodes.And: _change_logic,
    nodes.Or: _change_logic,
    nodes.Macro: _weighed,
    nodes.CallBlock: _weighed,
    nodes.Concat: _change_concat,
    nodes.Add: _change_add,
    nodes.Compare: _change_compare,
    nodes.Getitem: _change_getitem,
    nodes.Tuple: _change_tuple,
    nodes.List: _change_list,
    nodes.Dict: _change_dict,
}


_UNDECLARED = frozenset({"varargs", "kwargs"})
"""The names under which Jinja collects the arguments that a macro does not declare, in values that nothing has measured."""


def refuse_undeclared(source: nodes.Template) -> None:
    """Raises ChatTemplateError for a template that reads arguments that its macros do not declare."""
    for node in source.find_all(nodes.Name):
        if node.name in _UNDECLARED:
            raise ChatTemplateError(
                f"the name `{node.name}` is not supported in chat templates",
                hint="declare the arguments of the macro",
                place=f"line {node.lineno}: ",
            )


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
            body = inline_blocks(node.body)
            _end_at_breaks(body, line)
            inlined += (start, nodes.Scope(body, lineno=line), end)
        else:
            inlined.append(node)
    return inlined


def _end_at_breaks(body: list[nodes.Node], line: int) -> None:
    """Writes the end of a block before each statement that leaves it for the loop around it."""
    for at in reversed(range(len(body))):
        node = body[at]
        if isinstance(node, nodes.For):
            continue
        for name in _BODIES.get(type(node), ()):
            _end_at_breaks(getattr(node, name), line)
        if isinstance(node, nodes.Break | nodes.Continue):
            end = _call(_END, nodes.Const("", lineno=line))
            body.insert(at, nodes.Output([end], lineno=line))


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
