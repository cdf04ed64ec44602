"""Finds the characters of a corpus that a vocabulary lacks, and makes entries of them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from functools import cached_property
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._byte_text import byte_characters, bytes_of
from piecework._messages import shown
from piecework.analysis._lint.subject import Subject
from piecework.errors import ConfigError
from piecework.surgery._required import character_forms
from piecework.surgery._words import Model, NewEntries, merged_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework.corpus._counts import WordCounts
    from piecework.tokenizer import Tokenizer

NewCharacters = int | float | str
"""The characters that become entries: a number of them, a share of their occurrences, or ``"all"``."""

_SPACES = {" ", "▁"}


class UnknownCharacters:
    """Holds the characters of a corpus that a model has no entries for.

    Attributes:
        counts: The occurrences of each.
        share: The share of the words of the corpus that have some.
    """

    def __init__(self, tok: Tokenizer, words: WordCounts) -> None:
        """Counts them; with a byte alphabet those that are several tokens, which are known."""
        self._tok, self._model, self._words = tok, Model(tok), words
        self._is_byte_level = tok.model_type == "BPE" and Subject(tok).is_byte_level
        self.counts: Counter[str] = Counter()
        self._forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._known = set(tok.vocab)
        added = {token.content for token in tok.added_tokens.values()}
        unknown = 0
        for word, count in words.items():
            if word not in added and self._count(word, count):
                unknown += count
        self.share = 0.0 if self._is_byte_level else unknown / words.total

    def _count(self, word: str, count: int) -> bool:
        """Counts the characters of a word; returns whether some are unknown."""
        is_unknown = False
        for character, form in self._forms_of(word):
            if character not in _SPACES and form not in self._known:
                self.counts[character] += count
                self._forms[character][form] += count
                is_unknown = True
        return is_unknown

    def _forms_of(self, word: str) -> Iterable[tuple[str, str]]:
        """Iterates over the characters of a word with the entries of one character that it can be split into."""
        if self._is_byte_level:
            text = (bytes_of(word) or b"").decode(errors="ignore")
            return ((character, _in_bytes(character)) for character in text)
        suffix = "" if self._model.has_separate_suffix else self._model.suffix
        return zip(
            word,
            character_forms(word, self._tok.continuing_subword_prefix, suffix),
            strict=True,
        )

    def chosen(self, new_characters: Any) -> list[str]:
        """Returns the characters that become entries, most frequent first."""
        ordered = sorted(self.counts, key=lambda character: (-self.counts[character], character))
        if new_characters == "all":
            return ordered
        if isinstance(new_characters, Integral):
            return ordered[: int(new_characters)]
        wanted, chosen = float(new_characters) * self.counts.total(), 0
        for place, character in enumerate(ordered):
            if chosen >= wanted:
                return ordered[:place]
            chosen += self.counts[character]
        return ordered

    def entries(self, characters: Sequence[str]) -> NewEntries:
        """Returns the entries that characters need."""
        model = self._model
        if self._is_byte_level:
            if model.suffix:
                raise ConfigError(
                    "has no effect with a byte alphabet and a suffix at the ends of words",
                    setting="new_characters",
                    hint="remove it: merges of bytes are learned anyway",
                )
            pieces = {form: model.pieces(form, form) for form in map(_in_bytes, characters)}
            several = {
                form: split
                for form, split in pieces.items()
                if len(split) > 1 and all(piece in form and piece in model.vocab for piece in split)
            }
            return merged_entries(model, several, dict.fromkeys(several, ""))
        tokens = [form for character in characters for form in sorted(self._forms[character])]
        return NewEntries(tokens, [model.ids(form) for form in tokens], self._scores(tokens))

    def fitting(self, characters: Sequence[str], limit: int) -> NewEntries:
        """Returns the entries of as many characters as a number of entries allows."""

        def size(number: int) -> int:
            return len(self.entries(characters[:number]).tokens)

        too_many = bisect_right(range(len(characters) + 1), limit, key=size)
        return self.entries(characters[: too_many - 1])

    def _scores(self, tokens: Sequence[str]) -> list[float]:
        """Returns the scores of pieces of Unigram: the logarithm of the share of all tokens, not below the lowest score."""
        if self._tok.model_type != "Unigram":
            return []
        lowest = min((score for _, score in self._model.tree["vocab"]), default=0.0)
        return [
            max(lowest, math.log(min(1.0, self.counts[token] / self._total))) for token in tokens
        ]

    @cached_property
    def _total(self) -> int:
        """Returns the number of tokens of the corpus before the extension."""
        return sum(_core.count_tokens(self._tok._core, self._words._core, None, None)) or 1


def check_characters(value: Any) -> None:
    """Checks the argument `new_characters`."""
    if isinstance(value, bool) or not isinstance(value, Real | str):
        is_valid = False
    elif isinstance(value, str):
        is_valid = value == "all"
    else:
        is_valid = int(value) >= 1 if isinstance(value, Integral) else 0 < float(value) <= 1
    if not is_valid:
        raise ConfigError(
            f'expected an integer from 1, a share above 0 up to 1.0, or "all", found {shown(value)}',
            setting="new_characters",
        )


def _in_bytes(text: str) -> str:
    characters = byte_characters()
    return "".join(characters[byte] for byte in text.encode())
