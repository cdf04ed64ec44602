"""Describes a tokenized corpus: the file .manifest.json, which is written last."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._io.atomic import WrittenFile
from piecework._io.checked_json import of_checked, to_checked
from piecework._io.files import Pathish, read_bytes, write_aside
from piecework._result import MAX_ROWS, Result
from piecework._settings.immutable import Record, dataclass
from piecework.errors import FormatError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._io.sources import Source
    from piecework._show.document import Block
    from piecework.engines._jobs.tasks import Receipt

MANIFEST = ".manifest.json"
SKIPPED = ".skipped.jsonl"
"""Readers of folders of Parquet and other formats pass over names that begin with a point."""
_FORMAT = "piecework.corpus"
_VERSION = 1


class SourceRecord(NamedTuple):
    """Describes what a file of the input contributed.

    Attributes:
        name: The file.
        bytes: Its size as stored; None if unknown.
        documents: The number of its documents.
        text_bytes: The number of bytes of their texts.
        tokens: The number of their tokens.
        skipped: The number of lines that are no documents.
        empty: The number of documents without tokens that were left out.
    """

    name: str
    bytes: int | None
    documents: int
    text_bytes: int
    tokens: int
    skipped: int
    empty: int


class ShardRecord(NamedTuple):
    """Describes a shard.

    Attributes:
        name: The name of its files, without suffix.
        rows: The number of its rows.
        tokens: The number of its tokens.
        files: Its files with sizes and hashes.
    """

    name: str
    rows: int
    tokens: int
    files: tuple[WrittenFile, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Manifest(Result["ShardRecord"]):
    """Describes a tokenized corpus, whose rows are its shards.

    Attributes:
        fingerprint: That of the tokenizer.
        id_limit: The largest id of the tokenizer plus 1.
        dtype: The type of the ids, such as ``"<u2"``.
        settings: The settings of the run, as JSON values.
        plan: The hash of the plan.
        sources: The files of the input.
        shards: The shards.
        documents: The number of documents.
        tokens: The number of tokens in the shards.
        dropped_tokens: The number of tokens after the last whole sequence, which are not in the shards.
        skipped: The number of lines that are no documents; they are listed in .skipped.jsonl.
        empty: The number of documents without tokens that were left out.
        skipped_file: That file; None if there are no such lines.
    """

    fingerprint: str
    id_limit: int
    dtype: str
    settings: dict[str, Any]
    plan: str
    sources: tuple[SourceRecord, ...]
    shards: tuple[ShardRecord, ...]
    documents: int
    tokens: int
    dropped_tokens: int
    skipped: int
    empty: int
    skipped_file: WrittenFile | None

    @property
    def rows(self) -> int:
        """Returns the number of rows: documents or sequences."""
        return sum(shard.rows for shard in self.shards)

    @property
    def text_bytes(self) -> int:
        """Returns the number of bytes of all texts."""
        return sum(source.text_bytes for source in self.sources)

    @property
    def files(self) -> list[WrittenFile]:
        """Returns all files of the corpus but the manifest."""
        files = [file for shard in self.shards for file in shard.files]
        return files + ([self.skipped_file] if self.skipped_file else [])

    @property
    def sha256(self) -> str:
        """Returns the hash of the file .manifest.json: of the whole corpus, since it contains the hashes of all files."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Returns the manifest as JSON values."""
        return {
            "format": _FORMAT,
            "version": _VERSION,
            **Record.to_dict(self),
        }

    @property
    def _rows(self) -> tuple[ShardRecord, ...]:
        return self.shards

    def _summary(self) -> str:
        return f"{self.documents:,} documents, {self.tokens:,} tokens in {len(self):,} shards"

    def _document(self) -> Iterator[Block]:
        from piecework._show.document import Table, Text

        yield Text(self._summary())
        rows = [(shard.name, f"{shard.rows:,}", f"{shard.tokens:,}") for shard in self]
        yield Table(("shard", "rows", "tokens"), rows[:MAX_ROWS], "lr", total=len(rows))

    def to_bytes(self) -> bytes:
        """Returns the bytes of .manifest.json."""
        return to_checked(self.to_dict(), indent=1)

    def save(self, folder: str) -> None:
        """Writes .manifest.json; the folder is a corpus from then on.

        Raises:
            FileError: The file cannot be written.
        """
        write_aside(os.path.join(folder, MANIFEST), self.to_bytes())

    @classmethod
    def load(cls, folder: Pathish) -> Manifest:
        """Returns the manifest of a folder.

        Raises:
            MissingFileError: There is none: the folder has no corpus, or its run has not ended.
            FormatError: The file is damaged, or of another version.
        """
        path = os.path.join(os.fspath(folder), MANIFEST)
        try:
            data = read_bytes(path)
        except MissingFileError:
            message = "is missing; the folder has no tokenized corpus, or its run has not ended"
            raise MissingFileError(2, message, path) from None
        hint = "take the file from a copy, or pass `overwrite=True` to `corpus.tokenize` to make the corpus again"
        try:
            value = of_checked(data)
        except ValueError as error:
            raise FormatError(f"damaged: {error}", place=f"{path}: ", hint=hint) from None
        try:
            return cls._of(value)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            message = f"not a manifest of version {_VERSION}: {error}"
            raise FormatError(message, place=f"{path}: ", hint=hint) from None

    @classmethod
    def _of(cls, value: dict[str, Any]) -> Manifest:
        if value.pop("format") != _FORMAT or value.pop("version") != _VERSION:
            raise ValueError("another format or version")
        shards = (
            ShardRecord(**{**shard, "files": tuple(WrittenFile(**file) for file in shard["files"])})
            for shard in value.pop("shards")
        )
        sources = (SourceRecord(**source) for source in value.pop("sources"))
        skipped_file = value.pop("skipped_file")
        return cls(
            **value,
            sources=tuple(sources),
            shards=tuple(shards),
            skipped_file=skipped_file and WrittenFile(**skipped_file),
        )


def source_records(sources: Sequence[Source], parts: Sequence[Receipt]) -> tuple[SourceRecord, ...]:
    """Returns what each file contributed, by the receipts of the parts."""
    sums = [Counter(documents=0, text_bytes=0, tokens=0, skipped=0, empty=0) for _ in sources]
    for part in parts:
        for place, counts in part.figures["sources"].items():
            sums[int(place)].update(counts)
    return tuple(
        SourceRecord(source.name, source.size, **each)
        for source, each in zip(sources, sums, strict=True)
    )
