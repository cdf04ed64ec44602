"""Reads a tokenized corpus."""

from __future__ import annotations

import os
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

from piecework._messages import shown
from piecework._settings.arguments import check_index
from piecework.corpus._layouts import LAYOUTS
from piecework.corpus._layouts.layout import ShardContents, Target
from piecework.corpus._manifest import Manifest, ShardRecord
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    from piecework._io.files import Pathish
    from piecework.corpus._layouts.layout import Ids
    from piecework.corpus._torch_dataset import TorchDataset


class Dataset:
    """Reads the rows of a tokenized corpus, as an iterator or by their numbers.

    The ids of ``.npy``, Megatron, datatrove, nanoGPT and llm.c files are mapped into memory and read when they are used;
    Parquet is decompressed, one shard at a time, so rows are better read in order. Threads may share a dataset. A pickled dataset opens its files again, so workers of a loader can have it.
    With torch, it is a map-style dataset for ``torch.utils.data.DataLoader``: pass :meth:`to_torch`.

    Args:
        path: The folder of a corpus.
        sequence_length: Divides the tokens of each shard into rows of this number, for layouts that do not say where rows
            end; by default that of the corpus.

    Raises:
        MissingFileError: The folder has no manifest: it has no corpus, or its run has not ended.
        ConfigError: The sequence length is not that of the corpus. Reading rows raises it, too, if the layout does not say
            where they end, and there is no `sequence_length`.
    """

    def __init__(self, path: Pathish, *, sequence_length: int | None = None) -> None:
        """Reads the manifest."""
        self.path = os.fspath(path)
        self.manifest = Manifest.load(path)
        own = self.manifest.settings["sequence_length"]
        self._layout = LAYOUTS[self.manifest.settings["format"]]
        if sequence_length is not None and (
            type(sequence_length) is not int or sequence_length < 1
        ):
            message = f"expected a positive integer, found {shown(sequence_length)}"
            raise ConfigError(message, setting="sequence_length")
        if sequence_length is not None and own is not None and sequence_length != own:
            message = f"the rows of the corpus have {own} tokens"
            raise ConfigError(message, setting="sequence_length")
        self._length: int | None = own if sequence_length is None else sequence_length
        self._open: dict[int, ShardContents] = {}

    @property
    def dtype(self) -> str:
        """Returns the type of the ids, such as ``"<u2"``."""
        return self.manifest.dtype

    @cached_property
    def _ends(self) -> list[int]:
        """Returns the number of rows up to the end of each shard."""
        if self._length is None and not self._layout.has_rows:
            message = f"{self.manifest.settings['format']} files do not say where documents end"
            hint = "pass `sequence_length`, or read the ids of a whole shard"
            raise ConfigError(message, setting="sequence_length", hint=hint)
        return list(accumulate(self._rows(shard) for shard in self.manifest.shards))

    def _rows(self, shard: ShardRecord) -> int:
        own = self.manifest.settings["sequence_length"]
        return shard.rows if self._length == own else shard.tokens // (self._length or 1)

    def __len__(self) -> int:
        """Returns the number of rows: documents, or sequences of one length."""
        return self._ends[-1]

    def __getitem__(self, row: int) -> Ids:
        """Returns the ids of a row, an array of :attr:`dtype`; a negative number counts from the end.

        Raises:
            IndexError: There is no such row.
        """
        number = check_index("row", row)
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(f"there is no row {shown(number)}; the corpus has {len(self):,}")
        shard = bisect_right(self._ends, place)
        return self._row(self.shard(shard), place - (self._ends[shard - 1] if shard else 0))

    def __iter__(self) -> Iterator[Ids]:
        """Iterates over the ids of all rows in order."""
        start = 0
        for number, end in enumerate(self._ends):
            contents = self.shard(number)
            for row in range(end - start):
                yield self._row(contents, row)
            start = end

    def _row(self, contents: ShardContents, row: int) -> Ids:
        if self._length is not None:
            return contents.ids[row * self._length : (row + 1) * self._length]
        ends = cast("npt.NDArray[np.int64]", contents.ends)  # `_ends` has checked it
        return contents.ids[int(ends[row - 1]) if row else 0 : int(ends[row])]

    def shard(self, number: int) -> ShardContents:
        """Returns the ids of all rows of a shard, and where the rows end.

        Args:
            number: The index of the shard in its manifest, from 0.

        Raises:
            ConfigError: There is no such shard.
            FileError: A file is missing, or is too short.
            FormatError: A file does not have its layout.
        """
        number, shards = check_index("number", number), self.manifest.shards
        if not 0 <= number < len(shards):
            message = f"there is no shard {shown(number)}; the corpus has {len(shards):,}"
            raise ConfigError(message, setting="number")
        # Threads may change the dictionary meanwhile; a shard that is read twice is the same.
        contents = self._open.get(number)
        if contents is None:
            contents = self._layout.read(self._target(shards[number]))
            if len(self._open) >= self._layout.most_open:
                self._open = {}
            self._open[number] = contents
        return contents

    def _target(self, shard: ShardRecord) -> Target:
        manifest = self.manifest
        return Target(
            self.path,
            shard.name,
            manifest.dtype,
            shard.rows,
            shard.tokens,
            manifest.settings["sequence_length"],
            manifest.fingerprint,
        )

    def to_torch(self) -> TorchDataset:
        """Returns a ``torch.utils.data.Dataset`` of int64 tensors of ids.

        Raises:
            MissingExtraError: torch is not installed.
        """
        from piecework.corpus._torch_dataset import TorchDataset

        return TorchDataset(self)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state without the open shard."""
        return {**self.__dict__, "_open": {}}

    def __repr__(self) -> str:
        """Returns the folder, the number of rows and of tokens."""
        has_rows = self._length is not None or self._layout.has_rows
        rows = f"{len(self):,} rows, " if has_rows else ""
        return f"Dataset({self.path!r}, {rows}{self.manifest.tokens:,} tokens)"
