"""Proves for entries that no text can produce them; each proof holds for every text."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from piecework._byte_text import BYTE_TOKEN, bytes_of, is_part_of_text
from piecework._display import describe_character

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.analysis._lint.subject import Entry, Subject

_ROUNDING = {"float32": 0.01, "float64": 1e-5}
"""The bound of the rounding error of a sum of scores for each of its terms.

Sums of SentencePiece stay below about 100,000 (U32), where a 32-bit float has a precision of 2**-7. Other sums are below 2**36
for the longest text, where a 64-bit float has one of 2**-16.
"""
_MAX_SHOWN = 8
"""The maximum number of entries of a split that are shown."""


class Proofs:
    """Finds a reason why no text can be encoded to an entry."""

    def __init__(self, subject: Subject) -> None:
        """Wraps a tokenizer."""
        self._subject = subject
        self._characters = subject.words
        self._kind = subject.tokenizer.model_type
        self._impossible: dict[str, str | None] = {}

    def reason(self, entry: Entry) -> str | None:
        """Returns why no text produces an entry; None if that is not certain."""
        proofs = (self._of_model, self._of_bytes, self._of_text)
        for proof in proofs[:1] if self._subject.is_opaque else proofs:
            if (reason := proof(entry)) is not None:
                return reason
        return None

    def _of_model(self, entry: Entry) -> str | None:
        """Returns why the model never returns an entry, for any word."""
        if not entry.token:
            return "it stands for no text"
        if entry.token in self._unused:
            return "the model marks it as not used"
        if entry.token in self._unreachable:
            return self._of_merges(entry)
        if self._kind == "Unigram" or self._is_likeliest:
            return self._better_split(entry)
        if self._kind == "WordPiece":
            return self._too_long(entry)
        return None

    @cached_property
    def _unused(self) -> frozenset[str]:
        """Returns the entries that the model never returns by its settings."""
        model = self._subject.model
        return frozenset([*(model.get("unused") or ()), *(model.get("reserved") or ())])

    def _of_merges(self, entry: Entry) -> str:
        """Returns why an entry is among the unreachable tokens."""
        text = entry.text or entry.token
        added = self._subject.tokenizer.added_tokens.values()
        found = next((token.content for token in added if token.content in text), None)
        if found is None:
            return "merges never make it"
        return f"the added token {found!r} is always matched inside it"

    @cached_property
    def _unreachable(self) -> frozenset[str]:
        return frozenset(self._subject.tokenizer.unreachable_tokens())

    @property
    def _is_likeliest(self) -> bool:
        return self._kind == "WordPiece" and self._subject.model.get("segmentation") == "likeliest"

    def _too_long(self, entry: Entry) -> str | None:
        """Returns why longest match never returns an entry of WordPiece."""
        limit = self._subject.tokenizer.max_input_chars_per_word
        length = len(entry.token)
        if entry.continues:  # at least one character precedes it
            length += 1 - len(self._subject.prefix)
        if limit is None or length <= limit:
            return None
        return f"a word with it has at least {length} characters, more than max_input_chars_per_word={limit}"

    def _better_split(self, entry: Entry) -> str | None:
        """Returns other entries for the text of an entry that have a higher sum of scores, beyond any rounding.

        They are better in every word, since the score of a segmentation is the sum of the scores of its tokens.
        """
        own = self._scores.get(entry.token)
        if own is None:
            return None
        best = self._best_split(entry)
        precision = self._subject.model.get("precision") or "float64"
        if best is None or best[0] - own <= _ROUNDING[precision] * (len(best[1]) + 1):
            return None
        shown = [*map(repr, best[1][:_MAX_SHOWN]), *(["…"] if len(best[1]) > _MAX_SHOWN else [])]
        return f"{' + '.join(shown)} always have a higher score: {best[0]:.6g} instead of {own:.6g}"

    def _best_split(self, entry: Entry) -> tuple[float, list[str]] | None:
        """Returns the best segmentation of the text of an entry into shorter entries, and its score."""
        prefix = self._subject.prefix
        text = entry.token.removeprefix(prefix) if entry.continues else entry.token
        # For each end the score, and where the last entry begins.
        best: list[tuple[float, int] | None] = [(0.0, 0)]

        def part(start: int, end: int) -> str:
            is_inner = prefix and (start or entry.continues)
            return f"{prefix}{text[start:end]}" if is_inner else text[start:end]

        for end in range(1, len(text) + 1):
            found = None
            for start in (end - length for length in self._lengths if length <= end):
                before = best[start]
                score = self._scores.get(part(start, end))
                if before is None or score is None or end - start == len(text):
                    continue
                if found is None or before[0] + score > found[0]:
                    found = before[0] + score, start
            best.append(found)
        last = best[len(text)]
        if last is None or not text:
            return None
        parts, end = list[str](), len(text)
        while end:
            _, start = best[end] or (0.0, 0)
            parts.append(part(start, end))
            end = start
        return last[0], parts[::-1]

    @cached_property
    def _lengths(self) -> list[int]:
        """Returns the different numbers of characters of entries, without the prefix."""
        prefix = self._subject.prefix
        bare = (token.removeprefix(prefix) if prefix else token for token in self._scores)
        return sorted({*map(len, bare), *map(len, self._scores)} - {0})

    @cached_property
    def _scores(self) -> dict[str, float]:
        """Returns the scores of ordinary entries: none of those that are not used, or whose score the model replaces."""
        subject = self._subject
        special = {*self._unused, *(subject.model.get("user_defined") or ())}
        tokenizer = subject.tokenizer
        if self._is_likeliest:
            return {entry.token: tokenizer.lm.score([entry.id]) for entry in subject.entries}
        # Entries that are also added tokens may be excluded from the model.
        ordinary = {entry.token for entry in subject.entries} - special
        return {token: score for token, score in subject.model["vocab"] if token in ordinary}

    def _of_bytes(self, entry: Entry) -> str | None:
        """Returns why no text has the bytes of an entry."""
        if self._subject.drops_unknown:  # which joins the bytes around it
            return None
        if entry.data is None:
            return "it has a character that represents no byte"
        if self._subject.is_byte_level and not is_part_of_text(entry.data):
            return "no text of UTF-8 contains its bytes"
        return None

    def _of_text(self, entry: Entry) -> str | None:
        """Returns why no word contains the text of an entry, at the position in the word that it marks."""
        if self._contains_unknown(entry):
            return None
        reasons = [
            self._of_word_part(text, is_inner=is_inner) for text, is_inner in self._readings(entry)
        ]
        return None if None in reasons else next(iter(reasons), None)

    def _contains_unknown(self, entry: Entry) -> bool:
        """Returns whether merges may have made an entry of what replaces unknown characters."""
        subject = self._subject
        unknown = subject.tokenizer.unk_token
        has_bytes = bool(subject.model.get("byte_fallback")) and BYTE_TOKEN.search(entry.token)
        return bool(has_bytes) or (unknown is not None and unknown in entry.token)

    def _readings(self, entry: Entry) -> Iterator[tuple[str, bool]]:
        """Iterates over the texts of an entry, each with whether something precedes it in its word.

        An entry with a prefix or suffix is also the text that spells it.
        """
        if entry.data or not entry.continues:
            yield (entry.data or b"").decode("utf-8", "ignore"), entry.continues
        if entry.continues or entry.ends:
            data = bytes_of(entry.token) if self._subject.is_byte_level else entry.token.encode()
            if data is not None:
                yield data.decode("utf-8", "ignore"), False

    def _of_word_part(self, text: str, *, is_inner: bool) -> str | None:
        characters = self._characters
        for c in text:
            if c not in self._impossible:
                self._impossible[c] = self._of_character(c)
            if (reason := self._impossible[c]) is not None:
                return reason
        if is_inner and text and characters.is_always_first(text[0]):
            return f"no word has a character before {describe_character(text[0])}"
        for left, right in () if self._subject.drops_unknown else pairwise(text):
            if characters.is_separated(left, right):
                return f"a word always ends between {describe_character(left)} and {describe_character(right)}"
        alone = next((c for c in text if characters.is_alone(c)), None) if len(text) > 1 else None
        return alone and f"{describe_character(alone)} is always a word of its own"

    def _of_character(self, c: str) -> str | None:
        if not self._characters.is_written(c):
            return f"the normalizer never writes {describe_character(c)}"
        if self._characters.is_removed(c):
            return f"the pre-tokenizer removes or replaces {describe_character(c)}"
        return None
