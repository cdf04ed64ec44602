"""Writes a tokenizer to the files of a format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework import _core
from piecework._messages import shown
from piecework.errors import ConfigError
from piecework.tokenizer._formats.detect import FORMATS

if TYPE_CHECKING:
    from piecework._core import Tokenizer as CoreTokenizer
    from piecework.tokenizer._formats.detect import Format

__all__ = ["write"]


def write(core: CoreTokenizer, kind: Format, base: bytes | None = None) -> dict[str, bytes]:
    """Returns the files of a format by name; the empty name is that of a single file.

    Args:
        core: The tokenizer.
        kind: The format.
        base: A .model file from which fields are copied that a tokenizer does not contain.

    Raises:
        ConfigError: The format cannot represent the tokenizer, or is unknown.
    """
    if kind not in FORMATS:
        known = ", ".join(FORMATS)
        raise ConfigError(f"unknown format {shown(kind)}; expected one of {known}")
    return _core.write_format(core, kind, base)
