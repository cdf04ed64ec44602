"""Describes a corpus run: its settings, and its plan, which decides every byte of the output."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from piecework._messages import shown
from piecework._settings.arguments import Specials, check_index
from piecework._settings.choices import CorpusLayout
from piecework._settings.immutable import Immutable, dataclass
from piecework.corpus._layouts import LAYOUTS
from piecework.engines._jobs.parts import Part, divide
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._io.document_batch import ReadOptions
    from piecework._io.sources import Source
    from piecework.tokenizer import Tokenizer

VERSION = 1
"""Changes when the same plan gives other bytes."""
_MOST_TOKENS = 2**31
"""The exclusive limit of the tokens of a shard: those of llm.c's files, and of a list in Arrow."""


@dataclass(frozen=True)
class CorpusSettings(Immutable):
    """Holds what decides the bytes of a tokenized corpus, apart from the tokenizer and the files.

    Attributes:
        layout: The layout of the output.
        reading: How documents are read.
        end_of_document: The id after each document; None for none.
        add_special_tokens: Whether the post-processor adds its special tokens to each document.
        specials: How special tokens in a document are treated; see :meth:`Tokenizer.encode`.
        sequence_length: The number of tokens of each row, which then may begin and end within documents; None for one row
            per document.
        shuffle: The seed of the order of documents; None for the order of the input.
        shard_tokens: The largest number of tokens of a shard, unless one document has more.
        part_bytes: The number of bytes of input that a worker encodes at a time.
        skip_empty: Whether documents without tokens are left out.
    """

    layout: CorpusLayout
    reading: ReadOptions
    end_of_document: int | None = None
    add_special_tokens: bool = False
    specials: Specials | None = None
    sequence_length: int | None = None
    shuffle: int | None = None
    shard_tokens: int = 100_000_000
    part_bytes: int = 1 << 25
    skip_empty: bool = False

    def __post_init__(self) -> None:
        """Checks the settings."""
        if self.layout not in get_args(CorpusLayout):
            expected = ", ".join(map(repr, get_args(CorpusLayout)))
            raise ConfigError(
                f"expected one of {expected}, found {shown(self.layout)}", setting="layout"
            )
        _check_number("shard_tokens", self.shard_tokens, 1, _MOST_TOKENS)
        _check_number("part_bytes", self.part_bytes, 1, 1 << 63)
        if self.shuffle is not None:
            _check_number("shuffle", self.shuffle, 0, 1 << 64)
        if self.sequence_length is not None:
            _check_number("sequence_length", self.sequence_length, 1, self.shard_tokens + 1)
        if self.reading.keep and not LAYOUTS[self.layout].has_columns:
            message = f"the layout {self.layout!r} has no columns beside the ids"
            raise ConfigError(message, setting="keep", hint='use `layout="parquet"`')
        if self.reading.keep and self.sequence_length is not None:
            message = "requires rows of whole documents"
            raise ConfigError(message, setting="keep", hint="leave out `sequence_length`")
        if "ids" in self.reading.keep:
            message = "'ids' is the name of the column of ids"
            raise ConfigError(message, setting="keep", hint="rename the column")
        specials = self.specials
        if specials is not None and not isinstance(specials, str):
            object.__setattr__(self, "specials", tuple(sorted(specials)))

    def to_json(self) -> dict[str, Any]:
        """Returns the settings as JSON values, for the plan and the manifest."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        # A plan and a manifest call the layout a format.
        return {"format": values.pop("layout"), **values, "reading": self.reading.to_json()}


def _check_number(name: str, value: object, least: int, limit: int) -> None:
    if type(value) is not int or not least <= value < limit:
        message = f"expected an integer from {least:,} to {limit - 1:,}, found {shown(value)}"
        raise ConfigError(message, setting=name)


@dataclass(frozen=True)
class Plan(Immutable):
    """Describes a corpus run completely: it decides every byte of the output.

    Attributes:
        fingerprint: That of the tokenizer.
        settings: The settings of the run.
        sources: The files, in their order.
        parts: The parts, in their order.
    """

    fingerprint: str
    settings: CorpusSettings
    sources: tuple[Source, ...]
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, fingerprint: str, settings: CorpusSettings, sources: Sequence[Source]) -> Plan:
        """Returns the plan for some files; it depends on no number of workers."""
        parts = divide(sources, settings.part_bytes, settings.reading)
        return cls(fingerprint, settings, tuple(sources), parts)

    def to_json(self) -> dict[str, Any]:
        """Returns the plan as JSON values."""
        return {
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "settings": self.settings.to_json(),
            "sources": [source.to_json() for source in self.sources],
            "parts": [
                [[place, span.start, span.end] for place, _, span in part.ranges]
                for part in self.parts
            ],
        }

    @cached_property
    def sha256(self) -> str:
        """Returns the hash of the plan, as 64 hexadecimal digits."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()


def id_of(tok: Tokenizer, token: str | int | None) -> int | None:
    """Returns the id of a token that is given by its text or its id.

    Raises:
        ConfigError: The token is not in the vocabulary.
    """
    number = tok.token_to_id(token) if isinstance(token, str) else _id(token)
    if token is None or (number is not None and tok.id_to_token(number) is not None):
        return number
    hint = "pass a token of the vocabulary, or its id"
    if specials := [
        name for name in tok.special_tokens if "end" in name or "/s" in name or "eo" in name.lower()
    ]:
        hint = f"the tokenizer has {shown(specials[0])}"
    message = f"{shown(token)} is not in the vocabulary"
    raise ConfigError(message, setting="end_of_document", hint=hint)


def _id(token: object) -> int | None:
    """Returns an id that is given as an integer of Python or NumPy; None for no token."""
    if isinstance(token, bool):
        raise ConfigError(f"expected a token or an id, found {token}", setting="end_of_document")
    return None if token is None else check_index("end_of_document", token)
