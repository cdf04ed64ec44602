"""Files of ids alone: nanoGPT's without a header, llm.c's with one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._io.arrays import map_array, read_array
from piecework.corpus._layouts.layout import Layout, ShardContents, Target, smallest_dtype
from piecework.errors import ConfigError, FormatError

if TYPE_CHECKING:
    from piecework.corpus._parts import Rows

_HEADER_INTEGERS = 256
_HEADER_BYTES = _HEADER_INTEGERS * 4
_MAGIC = {"<u2": (20240520, 1), "<u4": (20240801, 7)}
"""The first two integers of llm.c's header: magic number and version, for GPT-2 and for Llama 3."""


class _Flat(Layout):
    """Writes ids alone to one file."""

    suffixes = (".bin",)
    has_rows = False

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.ids = self.file(".bin")

    def add(self, rows: Rows) -> None:
        """Appends rows."""
        self.ids.write(rows.ids.data)


class NanoGpt(_Flat):
    """Writes and reads nanoGPT's format: ids of 16 bits, without a header."""

    @staticmethod
    def dtype(id_limit: int) -> str:
        """Returns 16 bits.

        Raises:
            ConfigError: There are larger ids.
        """
        dtype = smallest_dtype(id_limit)
        if dtype != "<u2":
            message = f"nanoGPT's files have ids of 16 bits, and the largest id is {id_limit - 1:,}"
            raise ConfigError(
                message, setting="layout", hint='use `layout="llm.c"`, or another one'
            )
        return dtype

    @staticmethod
    def read(target: Target) -> ShardContents:
        """Returns the tokens of a shard."""
        return ShardContents(map_array(target.path(".bin"), target.dtype, 0, target.tokens), None)


class LlmC(_Flat):
    """Writes and reads llm.c's format: 256 integers of 32 bits, then the ids."""

    def __init__(self, target: Target) -> None:
        import numpy as np

        super().__init__(target)
        header = np.zeros(_HEADER_INTEGERS, "<i4")
        header[:3] = (*_MAGIC[target.dtype], target.tokens)
        self.ids.write(header.data)

    @staticmethod
    def read(target: Target) -> ShardContents:
        """Returns the tokens of a shard."""
        path = target.path(".bin")
        found = tuple(read_array(path, "<i4", 0, 3).tolist())
        expected = (*_MAGIC[target.dtype], target.tokens)
        if found != expected:
            raise FormatError(f"expected the header {expected}, found {found}", place=f"{path}: ")
        return ShardContents(map_array(path, target.dtype, _HEADER_BYTES, target.tokens), None)
