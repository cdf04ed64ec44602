"""Formats the state of components as text, as `repr` and `str` of `tokenizers` do."""

from __future__ import annotations

from typing import Any

from piecework.tokenizer._formats.own import PIECEWORK

MANY, SEVERAL = 99, 5
"""The number of elements of a list or mapping that `repr` and `str` show."""

_LONG = 100
"""The number of characters of a string that `str` shows."""

_ENUMS = frozenset({"behavior", "direction", "prepend_scheme", "progress_format", "strategy"})
"""The members whose values are names of variants, written without quotes."""

_KINDS = {"bpe_trainer": "BpeTrainer", "padding": "PaddingParams", "truncation": "TruncationParams"}
"""The types of objects that do not name them."""


def describe(state: Any, limit: int) -> str:
    """Returns the JSON state of a component as text, with at most `limit` elements of each list."""
    if isinstance(state, dict):
        return _object(state, limit)
    if isinstance(state, list):
        return f"[{_joined([describe(item, limit) for item in state[:limit]], len(state), limit)}]"
    return _scalar(state, limit)


def _object(state: dict[str, Any], limit: int) -> str:
    """Returns a component, a variant with its value, or a mapping."""
    if "type" in state:
        if state["type"].startswith(PIECEWORK):
            limit = SEVERAL  # such components can hold dictionaries and rules of many kilobytes
        members = {name: value for name, value in state.items() if name != "type"}
        return f"{state['type']}({_members(members, limit)})"
    if len(state) != 1:
        return _mapping(state, limit)
    ((variant, value),) = state.items()
    if isinstance(value, dict):
        return f"{variant}({_members(value, limit)})"
    return f"{variant}({describe(value, limit)})"


def _members(members: dict[str, Any], limit: int) -> str:
    return ", ".join(f"{name}={_member(name, value, limit)}" for name, value in members.items())


def _member(name: str, value: Any, limit: int) -> str:
    """Returns the value of a member, whose name decides how lists and mappings are written."""
    if isinstance(value, str):
        is_enum = name in _ENUMS or (name == "id" and value in {"A", "B"})
        return value if is_enum else _scalar(value, limit)
    if isinstance(value, list):
        return _list(name, value, limit)
    if isinstance(value, dict):
        return _dict(name, value, limit)
    return _scalar(value, limit)


def _list(name: str, value: list[Any], limit: int) -> str:
    if name in {"sep", "cls"}:
        return _tuple(value, limit)
    if name in {"merges", "vocab"}:
        rows = [_tuple(row, limit) for row in value[:limit]]
    elif name == "added_tokens":
        rows = [_mapping(row, limit) for row in value[:limit]]
    else:
        return describe(value, limit)
    return f"[{_joined(rows, len(value), limit)}]"


def _dict(name: str, value: dict[str, Any], limit: int) -> str:
    if name in {"piecework", "probabilities", "vocab", "words"}:
        return _mapping(value, limit)
    if name == "special_tokens":
        return _mapping(value, limit, "SpecialToken")
    if name in _KINDS:
        return f"{_KINDS[name]}({_members(value, limit)})"
    return describe(value, limit)


def _mapping(items: dict[str, Any], limit: int, kind: str = "") -> str:
    """Returns the first items of a mapping; objects are written as `kind`."""
    shown: list[str] = []
    for name, value in items.items():
        if len(shown) == limit:
            break
        text = f"{kind}({_members(value, limit)})" if kind else _member(name, value, limit)
        shown.append(f'"{name}":{text}')
    return f"{{{_joined(shown, len(items), limit)}}}"


def _tuple(values: list[Any], limit: int) -> str:
    return f"({', '.join(describe(value, limit) for value in values)})"


def _joined(shown: list[str], count: int, limit: int) -> str:
    return ", ".join([*shown, "..."] if count > limit else shown)


def _scalar(value: Any, limit: int) -> str:
    if isinstance(value, str):
        is_cut = limit == SEVERAL and len(value) > _LONG
        return f'"{value[:_LONG]}..."' if is_cut else f'"{value}"'
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
