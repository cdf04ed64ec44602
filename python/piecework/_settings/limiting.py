"""Holds the limits of the loader that runs, and checks sizes against them.

:class:`piecework.Limits` is what users pass. Its class is not imported here, since most calls pass none.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from piecework._messages import wrong_type
from piecework.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework._core import Tokenizer as CoreTokenizer
    from piecework._settings.limits import Limits


NESTING = 127
"""The deepest nesting of JSON that the parser of the core reads."""
LONGEST_TEMPLATE = 1 << 18
"""The number of characters of the longest chat template that is compiled."""
DEFAULTS: Mapping[str, int] = {
    "file_bytes": 1 << 26,
    "unpacked_bytes": 1 << 26,
    "nesting": NESTING,
    "values": 1 << 23,
    "entries": 2_000_000,
    "vocabulary_bytes": 1 << 24,
    "entry_bytes": 1 << 16,
    "components": 128,
    "pattern_bytes": 4_000,
    "padding": 1 << 17,
    "template_steps": 3_000_000,
    "template_characters": 1 << 24,
}
"""The limits of loaders. The largest files of published models have 35 MB, a million entries and patterns of 1,500 bytes."""
_WORDS = {
    "file_bytes": "the file has more bytes than the limit of {most}",
    "unpacked_bytes": "the file unpacks to more bytes than the limit of {most}",
    "nesting": "arrays and objects are nested {found} levels deep, which is over the limit of {most}",
    "values": "JSON of {found} values in all is over the limit of {most}",
    "entries": "{found} entries are over the limit of {most}",
    "vocabulary_bytes": "entries of {found} bytes together are over the limit of {most}",
    "entry_bytes": "an entry of {found} bytes is over the limit of {most}",
    "components": "{found} components are over the limit of {most}",
    "pattern_bytes": "regular expressions of {found} bytes are over the limit of {most}",
    "padding": "padding or post-processing adds {found} tokens to a text, which is over the limit of {most}",
}
_DEFAULT: ContextVar[Mapping[str, int]] = ContextVar("default limits", default=DEFAULTS)
_IN_FORCE: ContextVar[_Loading | None] = ContextVar("limits in force", default=None)


class _Loading(NamedTuple):
    """Holds the limits of a loader that runs, how errors say that others are given, and the values of the JSON that it has read.

    The values are by the places that errors name.
    """

    limits: Mapping[str, int]
    remedy: str
    values: dict[str, int]


@contextmanager
def default_limits(limits: Limits) -> Iterator[None]:
    """Returns a context manager of a block whose loaders have these limits unless they get others."""
    token = _DEFAULT.set(limits.to_dict())
    try:
        yield
    finally:
        _DEFAULT.reset(token)


@contextmanager
def limiting(limits: Limits | None, remedy: str = "pass") -> Iterator[None]:
    """Returns a context manager of a block in which files are read within limits.

    Args:
        limits: The limits; None for those of the loader that calls this one, or else for the default ones.
        remedy: What errors say before ``limits=...``, the argument that raises a limit.

    Raises:
        TypeError: `limits` is something else.
    """
    loading = _IN_FORCE.get()
    if limits is not None or loading is None:
        loading = _Loading(_values(limits), remedy, {})
    token = _IN_FORCE.set(loading)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


def _values(limits: Limits | None) -> Mapping[str, int]:
    if limits is None:
        return _DEFAULT.get()
    from piecework._settings.limits import Limits

    if not isinstance(limits, Limits):
        raise wrong_type("limits", "a piecework.Limits or None", limits)
    return limits.to_dict()


def limit(name: str) -> int | None:
    """Returns a limit of the loader that runs; None if there is none."""
    loading = _IN_FORCE.get()
    return None if loading is None else loading.limits[name]


class TemplateLimits(NamedTuple):
    """Holds the limits of a rendering, besides those that its input allows.

    Attributes:
        steps: The number of steps.
        characters: The number of characters of the output, and of any text that a template makes.
    """

    steps: int
    characters: int

    @classmethod
    def of_loader(cls) -> TemplateLimits:
        """Returns those of the loader that runs, or the default ones."""
        loading = _IN_FORCE.get()
        values = _DEFAULT.get() if loading is None else loading.limits
        return cls(values["template_steps"], values["template_characters"])


def check(name: str, found: int, place: str = "", *, is_whole: bool = True) -> None:
    """Raises LimitError if a size is over the limit of the loader that runs.

    Args:
        name: The name of the limit.
        found: The size.
        place: What the message begins with, such as the name of the file.
        is_whole: Whether that is the whole size, not that of what was read until now.
    """
    loading = _IN_FORCE.get()
    if loading is not None and found > (most := loading.limits[name]):
        problem = _WORDS[name].format(found=f"{found:,}", most=f"{most:,}")
        number = f"{found}" if is_whole else "..."
        hint = f"if you trust the file, {loading.remedy} `limits=pw.Limits({name}={number})`"
        if name == "nesting" and found > NESTING:
            hint = "write it with fewer levels; more cannot be read"
        raise LimitError(problem, hint=hint, place=place)


def values_with(place: str, values: int) -> int:
    """Returns the number of values in all JSON files of the loader that runs, with those of one.

    Args:
        place: What errors about the file begin with; a file that is read twice counts once.
        values: The number of its values.
    """
    loading = _IN_FORCE.get()
    if loading is None:
        return values
    loading.values[place] = values
    return sum(loading.values.values())


def check_sizes(core: CoreTokenizer, place: str) -> None:
    """Raises LimitError if a size of a tokenizer is over the limit of the loader that runs."""
    if _IN_FORCE.get() is not None:
        for name, size in core.sizes().items():
            check(name, size, place)
