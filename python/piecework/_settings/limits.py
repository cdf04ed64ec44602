"""Defines the limits of what reading a tokenizer may cost."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from piecework._messages import shown
from piecework._settings.immutable import Record, dataclass
from piecework._settings.limiting import DEFAULTS, NESTING
from piecework.errors import ConfigError

__all__ = ["Limits"]


def _default(name: str) -> Any:
    return field(default=DEFAULTS[name])


@dataclass(frozen=True, kw_only=True)
class Limits(Record):
    r"""Bounds what a tokenizer's file, which somebody else may have written, costs to read and to use.

    A file that exceeds a limit is a `LimitError`, which names it.

    Args:
        file_bytes: The size of each file in bytes; so a pipe without an end is refused, too.
        unpacked_bytes: The size of a compressed file after decompression in bytes.
        nesting: The depth of arrays and objects in JSON, at most 127.
        values: The number of values in the JSON files of a tokenizer together, arrays, objects and the names of their members
            included.
        entries: The number of entries, added tokens and phrases included; in files of lines also that of merges.
        vocabulary_bytes: The length of all entries together in bytes.
        entry_bytes: The length in bytes of an entry, and of a text that a normalizer, a decoder or padding inserts.
        components: The number of normalizers, pre-tokenizers, decoders and parts of a template; those of a sequence count one
            by one.
        pattern_bytes: The length of all regular expressions together in bytes; each counts 100 more, since an automaton, which
            may take 0.1 seconds, is built for it.
        padding: The number of tokens that are added to a text, by padding or by post-processing; a token counts once for each
            64 bytes that it has.
        template_steps: The number of steps of a chat template, besides those that the messages allow; a step takes at most
            about half a microsecond.
        template_characters: The number of characters that a chat template writes, besides those that the messages allow.

    Raises:
        ConfigError: A limit is no integer from 0 on, or `nesting` is over 127.

    >>> import piecework as pw
    >>> pw.Tokenizer.from_str("[UNK]\nhug\n##s\n", limits=pw.Limits(entries=2))
    Traceback (most recent call last):
    ...
    piecework.errors.LimitError: 3 entries are over the limit of 2; if you trust the file, pass `limits=pw.Limits(entries=3)`
    """

    file_bytes: int = _default("file_bytes")
    unpacked_bytes: int = _default("unpacked_bytes")
    nesting: int = _default("nesting")
    values: int = _default("values")
    entries: int = _default("entries")
    vocabulary_bytes: int = _default("vocabulary_bytes")
    entry_bytes: int = _default("entry_bytes")
    components: int = _default("components")
    pattern_bytes: int = _default("pattern_bytes")
    padding: int = _default("padding")
    template_steps: int = _default("template_steps")
    template_characters: int = _default("template_characters")

    def to_dict(self) -> dict[str, int]:
        """Returns the limits by their names."""
        return {name: getattr(self, name) for name in DEFAULTS}

    def __post_init__(self) -> None:
        """Checks the numbers."""
        for name in DEFAULTS:
            most: Any = getattr(self, name)
            if isinstance(most, bool) or not isinstance(most, int) or most < 0:
                raise ConfigError(
                    f"expected an integer from 0 on, found {shown(most)}", setting=name
                )
        if self.nesting > NESTING:
            message = f"expected at most {NESTING}, which the stack of the parser holds, found {self.nesting}"
            raise ConfigError(message, setting="nesting")
