"""Collects the facts about a tokenizer that several rules need, each once."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from piecework._byte_text import BYTE_TOKEN, UNUSED_BYTES, byte_characters, bytes_of
from piecework._core import WordCharacters
from piecework.analysis._measuring import PLAIN
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._batch import EncodedBatch

Result = TypeVar("Result")

_PART = 1 << 15
"""The number of texts that are encoded at a time."""


class Entry(NamedTuple):
    """Describes an entry of the model that is not an added token.

    Attributes:
        token: The entry.
        id: Its id.
        data: The bytes of the text that it stands for, without the marks of its position in a word; None if a byte-level entry
            has a character that represents no byte.
        continues: Whether it has the prefix of an entry that continues a word.
        ends: Whether it has the suffix of an entry that ends a word.
    """

    token: str
    id: int
    data: bytes | None
    continues: bool
    ends: bool

    @property
    def text(self) -> str | None:
        """Returns the text that it stands for; None if its bytes are not complete characters."""
        try:
            return None if self.data is None else self.data.decode()
        except UnicodeDecodeError:
            return None

    @property
    def is_byte(self) -> bool:
        """Returns whether it stands for a single byte of an unknown character, or for one of several bytes of a character."""
        return BYTE_TOKEN.fullmatch(self.token) is not None


class Subject:
    """Holds a tokenizer and facts about it.

    Attributes:
        tokenizer: The tokenizer.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Wraps a tokenizer."""
        self.tokenizer = tokenizer
        self._results: dict[Callable[[Subject], Any], Any] = {}

    @cached_property
    def model(self) -> dict[str, Any]:
        """Returns the settings of the model as JSON values, those of `model.piecework` included."""
        model: dict[str, Any] = json.loads(self.tokenizer._core.model_json())
        return {**(model.pop("piecework", None) or {}), **model}

    @cached_property
    def normalizers(self) -> list[dict[str, Any]]:
        """Returns the normalizers in order, as JSON values."""
        return list(_steps(self.tokenizer._parts["normalizer"], "normalizers"))

    @cached_property
    def pre_tokenizers(self) -> list[dict[str, Any]]:
        """Returns the pre-tokenizers in order, as JSON values."""
        return list(_steps(self.tokenizer._parts["pre_tokenizer"], "pretokenizers"))

    @cached_property
    def kinds(self) -> list[str]:
        """Returns the types of the normalizers and pre-tokenizers in order."""
        return [step["type"] for step in [*self.normalizers, *self.pre_tokenizers]]

    @cached_property
    def is_byte_level(self) -> bool:
        """Returns whether the characters of entries represent bytes."""
        return "ByteLevel" in self.kinds

    @cached_property
    def is_opaque(self) -> bool:
        """Returns whether byte level is followed by steps that change text, so that entries cannot be read as text."""
        if not self.is_byte_level:
            return False
        place = self.kinds.index("ByteLevel")
        later = {*self.kinds[place + 1 :]}
        # A normalizer that writes bytes decides what the pre-tokenizer sees.
        return place < len(self.normalizers) or bool(later & {"ByteLevel", "Metaspace"})

    @cached_property
    def writes_metaspaces(self) -> bool:
        """Returns whether the pipeline writes a space as a metaspace."""
        text = json.dumps([self.normalizers, self.pre_tokenizers], ensure_ascii=False)
        return "▁" in text or not {"Metaspace", "piecework.SentencePiece"}.isdisjoint(self.kinds)

    @cached_property
    def drops_unknown(self) -> bool:
        """Returns whether the model may drop characters, so that their neighbours become adjacent."""
        tokenizer = self.tokenizer
        if tokenizer.model_type != "BPE" or tokenizer.unk_token is not None:
            return False
        bytes_used = set(range(256)) - UNUSED_BYTES
        if self.is_byte_level:
            needed = {c for byte, c in byte_characters().items() if byte in bytes_used}
        elif self.model.get("byte_fallback"):
            needed = {f"<0x{byte:02X}>" for byte in bytes_used}
        else:
            return True
        return not needed <= tokenizer._core.model_vocab().keys()

    @cached_property
    def prefix(self) -> str:
        """Returns the prefix of entries that continue a word; may be empty."""
        return self.tokenizer.continuing_subword_prefix

    @cached_property
    def suffix(self) -> str:
        """Returns the suffix of entries that end a word; may be empty."""
        return self.model.get("end_of_word_suffix") or ""

    @cached_property
    def entries(self) -> list[Entry]:
        """Returns the entries of the model that are not added tokens, in order of the ids, without the unknown token."""
        tokenizer = self.tokenizer
        added = tokenizer.added_tokens
        unknown = tokenizer.unk_token
        vocab = tokenizer._core.model_vocab()
        return [
            self._entry(token, number)
            for token, number in vocab.items()
            if number not in added and token != unknown
        ]

    def _entry(self, token: str, number: int) -> Entry:
        prefix, suffix = self.prefix, self.suffix
        continues = prefix != "" and token.startswith(prefix)
        core = token.removeprefix(prefix) if continues else token
        ends = suffix != "" and core.endswith(suffix)
        core = core.removesuffix(suffix) if ends else core
        data = bytes_of(core) if self.is_byte_level else core.encode()
        return Entry(token, number, data, continues, ends)

    @cached_property
    def words(self) -> WordCharacters:
        """Returns what words can contain."""
        return WordCharacters(self.tokenizer._core)

    def once(self, function: Callable[[Subject], Result]) -> Result:
        """Returns the result of a function of this object, which is computed once for all rules."""
        if function not in self._results:
            self._results[function] = function(self)
        result: Result = self._results[function]
        return result

    def produced(self, texts: Iterable[str]) -> set[int]:
        """Returns the ids in the encodings of texts; a text that cannot be encoded has none."""
        found = set[int]()
        batch = list(texts)
        for at in range(0, len(batch), _PART):
            part = batch[at : at + _PART]
            try:
                found.update(np.unique(self._encoded(part).ids).tolist())
            except PieceworkError:
                found.update(*self._encoded_alone(part))
        return found

    def rows(self, texts: Sequence[str]) -> list[list[int]]:
        """Returns the ids of each text; none for a text that cannot be encoded."""
        try:
            return self._encoded(texts).to_list()
        except PieceworkError:
            return list(self._encoded_alone(texts))

    def words_of(self, text: str) -> list[str]:
        """Returns the words of a text in readable form; none for a text that cannot be encoded."""
        try:
            words = self.tokenizer.explain(text).words
        except PieceworkError:
            return []
        return [word.display_text for word in words]

    def _encoded_alone(self, texts: Sequence[str]) -> Iterator[list[int]]:
        for text in texts:
            try:
                yield self._encoded([text]).ids.tolist()
            except PieceworkError:
                yield []

    def _encoded(self, texts: Sequence[str]) -> EncodedBatch:
        return self.tokenizer.encode_batch(texts, **PLAIN)


def _steps(part: dict[str, Any] | None, member: str) -> Iterator[dict[str, Any]]:
    """Iterates over a component, or the components of a sequence."""
    if part is None:
        return
    if part["type"] != "Sequence":
        yield part
        return
    for step in part[member]:
        yield from _steps(step, member)
