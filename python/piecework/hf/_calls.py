"""Checks the arguments of calls of a tokenizer, and converts its settings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from piecework.hf._arguments import number32, string, unsigned
from piecework.hf._state import Component, Parts, dumps

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

Result = TypeVar("Result")

_DIRECTIONS = {"left": "Left", "right": "Right"}
_STRATEGIES = {
    "longest_first": "LongestFirst",
    "only_first": "OnlyFirst",
    "only_second": "OnlySecond",
}


def _choice(value: Any, names: dict[str, str], what: str) -> str:
    """Returns a name, after checking that it is known."""
    if string(value) not in names:
        raise ValueError(f"Unknown `{what}`: `{value}`. Use one of {listed_names(names)}")
    return str(value)


def listed_names(names: Iterable[str]) -> str:
    """Returns names as the errors of `tokenizers` list them."""
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)}{',' * (len(first) > 1)} or {last}"


def checked_direction(direction: Any) -> str:
    """Returns a side, after checking its name."""
    return _choice(direction, _DIRECTIONS, "direction")


def checked_truncation(
    max_length: Any, stride: Any, strategy: Any, direction: Any
) -> dict[str, Any]:
    """Returns settings of truncation."""
    return {
        "max_length": unsigned(max_length),
        "stride": unsigned(stride),
        "strategy": _choice(strategy, _STRATEGIES, "strategy"),
        "direction": checked_direction(direction),
    }


def check_stride(settings: dict[str, Any], added: int) -> None:
    """Raises ValueError if the stride is greater than the number of tokens without the special tokens of a text."""
    kept = settings["max_length"] - added
    if 0 <= kept < settings["stride"]:
        raise ValueError(
            f"stride: expected at most {kept}, the number of tokens without special tokens, "
            f"found {settings['stride']}; lower it"
        )


def _converted(
    settings: dict[str, Any], names: str, variants: dict[str, dict[str, str]]
) -> dict[str, Any]:
    """Returns the settings with these names, after converting those that have variants."""
    return {
        name: variants[name][settings[name]] if name in variants else settings[name]
        for name in names.split()
    }


_WRITTEN = {"direction": _DIRECTIONS, "strategy": _STRATEGIES}
_READ = {name: {there: here for here, there in all_.items()} for name, all_ in _WRITTEN.items()}
"""The variants of settings in JSON by their names in Python, and the reverse."""


def truncation_json(settings: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns settings of truncation as in a tokenizer.json."""
    return settings and _converted(settings, "direction max_length strategy stride", _WRITTEN)


def truncation_of(data: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns the settings of truncation of a tokenizer.json."""
    return data and _converted(data, "max_length stride strategy direction", _READ)


def padding_json(settings: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns settings of padding as in a tokenizer.json."""
    if settings is None:
        return None
    length, names = settings["length"], "direction pad_to_multiple_of pad_id pad_type_id pad_token"
    strategy = "BatchLongest" if length is None else {"Fixed": length}
    return {"strategy": strategy} | _converted(settings, names, _WRITTEN)


def padding_of(data: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns the settings of padding of a tokenizer.json."""
    if data is None:
        return None
    strategy, names = data["strategy"], "pad_to_multiple_of pad_id pad_token pad_type_id direction"
    length = None if strategy == "BatchLongest" else strategy["Fixed"]
    return {"length": length} | _converted(data, names, _READ)


def json_or_none(settings: dict[str, Any] | None) -> str | bool:
    """Returns settings as JSON; False for none."""
    return False if settings is None else dumps(settings)


def written(component: Component | dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns the state of a component, which may be given by its state."""
    return component._write() if isinstance(component, Component) else component


def has_custom(component: Component | dict[str, Any] | None) -> bool:
    """Returns whether a component, or one within it, calls a Python object."""
    if not isinstance(component, Component):
        return False
    parts = component._parts() if isinstance(component, Parts) else ()
    return component._custom is not None or any(map(has_custom, parts))


def checked_text(text: Any, is_pretokenized: bool) -> Any:
    """Returns a text, or a list of words."""
    if not is_pretokenized:
        if not isinstance(text, str):
            raise TypeError(f"TextInputSequence must be str, found {type(text).__name__!r}")
        return text
    words = _listed(text)
    if words is None or not all(isinstance(word, str) for word in words):
        raise TypeError("PreTokenizedInputSequence must be Union[List[str], Tuple[str]]")
    return words


def _listed(value: Any) -> list[Any] | None:
    """Returns a list, a tuple or a NumPy array as a list; None for other values."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    return list(value) if isinstance(value, list | tuple) else None


def checked_rows(texts: Any, is_pretokenized: bool) -> list[Any]:
    """Returns the texts and pairs of a batch, pairs as tuples."""
    rows = _listed(texts)
    if rows is None:
        if isinstance(texts, str | dict) or not hasattr(texts, "__getitem__"):
            raise TypeError(f"expected a list of texts, found {type(texts).__name__!r}")
        rows = list(texts)
    if not is_pretokenized and set(map(type, rows)) <= {str}:
        return rows
    return [_row(row, is_pretokenized) for row in rows]


_ROW = "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]"
_PRETOKENIZED_ROW = (
    "PreTokenizedEncodeInput must be Union[PreTokenizedInputSequence, "
    "Tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]]"
)
"""The errors of a row of a wrong type; they use the names that `piecework.hf` has for these types."""


def _row(row: Any, is_pretokenized: bool) -> Any:
    """Returns a text, or a pair as a tuple."""
    if isinstance(row, str) and not is_pretokenized:
        return row
    parts = _listed(row)
    if parts is None or (not is_pretokenized and len(parts) != 2):
        raise TypeError(_PRETOKENIZED_ROW if is_pretokenized else _ROW)
    if len(parts) == 2 and not (is_pretokenized and isinstance(parts[0], str)):
        return tuple(checked_text(part, is_pretokenized) for part in parts)
    return checked_text(row, is_pretokenized)


def checked_ids(ids: Any) -> list[int]:
    """Returns token ids as a list."""
    if isinstance(ids, str) or not hasattr(ids, "__iter__"):
        raise TypeError(f"expected a list of ids, found {type(ids).__name__!r}")
    numbers = ids.tolist() if hasattr(ids, "tolist") else list(ids)
    for number in numbers:
        number32(number)
    return numbers


def in_thread(function: Callable[..., Result], *args: Any) -> Awaitable[Result]:
    """Starts a call in another thread; returns its future.

    Raises:
        RuntimeError: No event loop is running.
    """
    import asyncio
    import contextvars

    context = contextvars.copy_context()
    return asyncio.get_running_loop().run_in_executor(None, partial(context.run, function, *args))
