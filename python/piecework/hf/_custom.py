"""Encodes texts stage by stage in Python, for tokenizers whose components call Python objects.

The model, the post-processor and the other components are those of the core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._settings.arguments import FAST
from piecework.hf._added_tokens import AddedToken, Flags
from piecework.hf._encoding import Encoding
from piecework.hf._state import dumps
from piecework.hf._strings import NormalizedString, PreTokenizedString, Split, Token
from piecework.hf.models import _read_core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from piecework._core import Tokenizer as CoreTokenizer
    from piecework.hf._tokenizer import Tokenizer

_Row = tuple[Any, Any]


def encode_rows(
    tokenizer: Tokenizer, rows: list[_Row], words: bool, special: bool
) -> list[Encoding]:
    """Returns the encodings of texts and pairs, or of those of `words`, post-processed and padded together."""
    encoder = _Encoder(tokenizer)
    unpadded = tokenizer._copied(tokenizer._parts)
    unpadded.no_padding()
    encodings = []
    for text, pair in rows:
        first = encoder.encode(text, words, 0)
        second = None if pair is None else encoder.encode(pair, words, 1)
        encodings.append(unpadded.post_process(first, second, special))
    if padding := tokenizer._padding:
        length = padding["length"] or max(map(len, encodings), default=0)
        multiple = padding["pad_to_multiple_of"] or 1
        names = ("direction", "pad_id", "pad_type_id", "pad_token")
        settings = {name: padding[name] for name in names}
        for encoding in encodings:
            encoding.pad(-(-length // multiple) * multiple, **settings)
    return encodings


def words_of(tokenizer: Tokenizer, text: str) -> Iterator[str]:
    """Iterates over the words of a text that training counts."""
    parts = _split(tokenizer, text, lambda parts, normalized: None)
    return (word for word, _, _ in parts.get_splits() if word)


def _split(
    tokenizer: Tokenizer, text: str, match: Callable[[PreTokenizedString, bool], None]
) -> PreTokenizedString:
    """Returns the words of a text; a function splits it at added tokens before and after it is normalized."""
    parts = PreTokenizedString(text)
    match(parts, False)
    if tokenizer.normalizer is not None:
        parts.normalize(tokenizer.normalizer.normalize)
    match(parts, True)
    if tokenizer.pre_tokenizer is not None:
        tokenizer.pre_tokenizer.pre_tokenize(parts)
    return parts


class _Encoder:
    """Encodes texts before post-processing; added tokens are found by tokenizers of the core that have nothing else."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Makes a tokenizer for tokens of raw text, and one for those of normalized text."""
        self.tokenizer = tokenizer
        tokens: dict[bool, dict[str, tuple[int, Flags]]] = {False: {}, True: {}}
        for number, flags in tokenizer._ready().added_tokens():
            content, *_, normalized, special = flags
            if special and tokenizer.encode_special_tokens:
                continue
            if normalized and tokenizer.normalizer is not None:
                content = tokenizer.normalizer.normalize_str(content)
            if content:
                tokens[normalized][content] = number, flags
        self.cores = {normalized: _finder(found) for normalized, found in tokens.items() if found}
        self.numbers = {
            normalized: [None, *(number for number, _ in found.values())]
            for normalized, found in tokens.items()
        }
        """The ids of the added tokens by their ids in the tokenizers that find them, where 0 is other text."""

    def encode(self, text: Any, words: bool, type_id: int) -> Encoding:
        """Returns the encoding of a text, or of a list of words."""
        if not words:
            return self._encode(text, type_id, None)
        encodings = [self._encode(word, type_id, place) for place, word in enumerate(text)]
        return Encoding.merge(encodings, growing_offsets=False)

    def _encode(self, text: str, type_id: int, word: int | None) -> Encoding:
        parts = _split(self.tokenizer, text, self._match)
        parts.tokenize(self.tokenizer.model.tokenize)
        return parts.to_encoding(type_id, word)

    def _match(self, parts: PreTokenizedString, normalized: bool) -> None:
        """Splits the parts of a text at added tokens, which become tokens."""
        if normalized in self.cores:
            parts._replace(lambda _number, part: self._found(part, normalized))

    def _found(self, part: NormalizedString, normalized: bool) -> Iterator[Split]:
        core = self.cores[normalized]
        options = core.options(False, "match", False, False, FAST)
        found = core.encode(part.normalized, None, False, options)
        for place, (start, end) in zip(found.ids, found.offsets, strict=True):
            number, name = self.numbers[normalized][place], part.normalized[start:end]
            token = None if number is None else [Token(number, name, (0, len(name.encode())))]
            yield part._part(start, end), token


def _finder(tokens: dict[str, tuple[int, Flags]]) -> CoreTokenizer:
    """Returns a tokenizer of the core with added tokens, for which all other text is unknown."""
    unknown = "?" * (1 + max(map(len, tokens)))
    added = [
        {"id": place} | AddedToken._of(flags).__getstate__() | {"content": content}
        for place, (content, (_, flags)) in enumerate(tokens.items(), 1)
    ]
    model = {"type": "WordLevel", "vocab": {unknown: 0}, "unk_token": unknown}
    return _read_core(dumps({"added_tokens": added, "model": model}))
