"""Encodes texts stage by stage in Python, for tokenizers whose components call Python objects.

The model, the post-processor and the other components are those of the core.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from piecework.hf._encoding import Encoding
from piecework.hf._strings import NormalizedString, PreTokenizedString, Token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._core import Tokenizer as CoreTokenizer
    from piecework.hf._added_tokens import Flags
    from piecework.hf._tokenizer import Tokenizer

__all__ = ["encode_rows", "words_of"]

_SPACES = re.compile(r"\s*")
_WORD = re.compile(r"\w")


def encode_rows(
    tokenizer: Tokenizer, rows: list[tuple[Any, Any]], is_pretokenized: bool, special: bool
) -> list[Encoding]:
    """Returns the encodings of texts and pairs, truncated, post-processed and padded together."""
    core = tokenizer._ready()
    matcher = _Matcher(tokenizer, core)
    unpadded = tokenizer._copied(tokenizer._parts)
    unpadded.no_padding()
    encodings = []
    for text, pair in rows:
        first = _encode(tokenizer, matcher, text, is_pretokenized, 0)
        second = None if pair is None else _encode(tokenizer, matcher, pair, is_pretokenized, 1)
        encodings.append(unpadded.post_process(first, second, special))
    if padding := tokenizer._padding:
        length = padding["length"] or max(map(len, encodings), default=0)
        multiple = padding["pad_to_multiple_of"] or 1
        names = ("direction", "pad_id", "pad_type_id", "pad_token")
        for encoding in encodings:
            encoding.pad(
                -(-length // multiple) * multiple, **{name: padding[name] for name in names}
            )
    return encodings


def words_of(tokenizer: Tokenizer, text: str) -> Iterator[str]:
    """Iterates over the words of a text that training counts."""
    parts = PreTokenizedString(text)
    if tokenizer.normalizer is not None:
        parts.normalize(tokenizer.normalizer.normalize)
    if tokenizer.pre_tokenizer is not None:
        tokenizer.pre_tokenizer.pre_tokenize(parts)
    return (word for word, _, _ in parts.get_splits() if word)


def _encode(
    tokenizer: Tokenizer, matcher: _Matcher, text: Any, is_pretokenized: bool, type_id: int
) -> Encoding:
    """Returns the encoding of a text, or of a list of words, before post-processing."""
    if not is_pretokenized:
        return _encode_text(tokenizer, matcher, text, type_id, None)
    words = [
        _encode_text(tokenizer, matcher, word, type_id, place) for place, word in enumerate(text)
    ]
    return Encoding.merge(words, growing_offsets=False)


def _encode_text(
    tokenizer: Tokenizer, matcher: _Matcher, text: str, type_id: int, word: int | None
) -> Encoding:
    parts = PreTokenizedString(text)
    matcher.match(parts, normalized=False)
    if tokenizer.normalizer is not None:
        parts.normalize(tokenizer.normalizer.normalize)
    matcher.match(parts, normalized=True)
    if tokenizer.pre_tokenizer is not None:
        tokenizer.pre_tokenizer.pre_tokenize(parts)
    parts.tokenize(tokenizer.model.tokenize)
    return parts.to_encoding(type_id, word)


class _Matcher:
    """Matches the added tokens of a tokenizer, the longest first."""

    def __init__(self, tokenizer: Tokenizer, core: CoreTokenizer) -> None:
        """Compiles a pattern for tokens of raw text, and one for those of normalized text."""
        self.tokens: dict[bool, dict[str, tuple[int, Flags]]] = {False: {}, True: {}}
        for number, flags in core.added_tokens():
            content, *_, normalized, special = flags
            if special and tokenizer.encode_special_tokens:
                continue
            if normalized and tokenizer.normalizer is not None:
                content = tokenizer.normalizer.normalize_str(content)
            if content:
                self.tokens[normalized][content] = number, flags
        self.patterns = {
            normalized: re.compile("|".join(map(re.escape, sorted(tokens, key=len, reverse=True))))
            for normalized, tokens in self.tokens.items()
            if tokens
        }

    def match(self, parts: PreTokenizedString, *, normalized: bool) -> None:
        """Splits the parts of a text at added tokens, which become tokens."""
        if normalized not in self.patterns:
            return
        splits: list[tuple[NormalizedString, list[Token] | None]] = []
        for part, tokens in parts._splits:
            if tokens is None:
                splits += self._split(part, normalized)
            else:
                splits.append((part, tokens))
        parts._splits = splits

    def _split(
        self, part: NormalizedString, normalized: bool
    ) -> Iterator[tuple[NormalizedString, list[Token] | None]]:
        text, done = part.normalized, 0
        for start, end, number in self._found(text, normalized):
            first = max(start, done)
            if done < first:
                yield part._part(done, first), None
            name = text[first:end]
            yield part._part(first, end), [Token(number, name, (0, len(name.encode())))]
            done = end
        if done < len(text):
            yield part._part(done, len(text)), None

    def _found(self, text: str, normalized: bool) -> Iterator[tuple[int, int, int]]:
        """Iterates over the matches in a text, with the white space that their tokens include."""
        for match in self.patterns[normalized].finditer(text):
            number, (_, single_word, lstrip, rstrip, _, _) = self.tokens[normalized][match[0]]
            start, end = match.span()
            if single_word and (_WORD.match(text[start - 1 : start]) or _WORD.match(text, end)):
                continue
            if lstrip:
                start = len(text[:start].rstrip())
            if rstrip:
                found = _SPACES.match(text, end)
                end = found.end() if found else end
            yield start, end, number
