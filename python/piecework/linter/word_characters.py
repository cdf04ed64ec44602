"""Finds what words can contain: the characters that come out of the normalizer, and those that are always separated."""

from __future__ import annotations

import base64
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from piecework._core import Stage

if TYPE_CHECKING:
    import numpy.typing as npt

    from piecework.linter.subject import Subject

    Flags = npt.NDArray[np.bool_]
    Codes = npt.NDArray[np.uint32]

__all__ = ["WordCharacters"]

_LIMIT = 0x110000
_SEPARATOR = "q"
"""A letter that no normalizer changes or joins with a character next to it."""

_BY_CHARACTER = {"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt", "StripAccents"}
"""The normalizers whose output has no character that is not also in the output for some single character."""
_BY_RULES = {"Precompiled", "piecework.SentencePiece"}
"""The normalizers with rules for several characters, whose replacements are in a table."""
_EACH_ALONE = {"BertNormalizer", "Lowercase", "NFD", "StripAccents"}
"""The normalizers that map each character by itself, except for the order of marks (spec/pipeline.md, P51)."""
_LOCAL = {
    "BertPreTokenizer",
    "CharDelimiterSplit",
    "Digits",
    "Punctuation",
    "Whitespace",
    "WhitespaceSplit",
}
"""The pre-tokenizers for which only two adjacent characters decide whether a word ends between them."""
_KEEPS_TEXT = {"FixedLength", "Split", "UnicodeScripts", "piecework.Function", "piecework.Jieba"}
"""Other pre-tokenizers that change no character, and join nothing."""
_CLASSES = "a1.©_中\u0301 "
"""A character of each class that the local pre-tokenizers distinguish."""


class WordCharacters:
    """Answers which characters and pairs of characters words can contain.

    Each answer "impossible" is certain for every text; "possible" may be wrong.
    """

    def __init__(self, subject: Subject) -> None:
        """Wraps the normalizer and the pre-tokenizer of a tokenizer."""
        self._subject = subject
        self._separations: dict[str, bool] = {}
        self._lone: dict[str, bool] = {}
        self._removed: dict[str, bool] = {}

    def is_possible(self, c: str) -> bool:
        """Returns whether a word can contain a character."""
        return self.is_normalized(c) and not self.is_removed(c)

    def is_normalized(self, c: str) -> bool:
        """Returns whether the normalizer, or a pre-tokenizer after it, can write a character."""
        if c in self._written:
            return True
        return self._image is None or bool(self._image[ord(c)])

    def is_removed(self, c: str) -> bool:
        """Returns whether the pre-tokenizer removes or replaces a character everywhere."""
        if c not in self._removed:
            is_replaced = c == " " and self._metaspace is not None
            self._removed[c] = c not in self._written and (is_replaced or self._ends_words(c))
        return self._removed[c]

    def _ends_words(self, c: str) -> bool:
        """Returns whether a local pre-tokenizer removes a character."""
        return any(not stage.pre_tokenize(c) for stage in self._local)

    def is_separated(self, left: str, right: str) -> bool:
        """Returns whether a word always ends between two adjacent characters."""
        if left in self._written or right in self._written:
            metaspace = self._metaspace or {}
            return right == metaspace.get("replacement") and metaspace.get("split", True) is True
        pair = left + right
        if pair not in self._separations:
            words = (stage.pre_tokenize(pair) for stage in self._local)
            self._separations[pair] = any(all(word != pair for word, _ in each) for each in words)
        return self._separations[pair]

    def is_alone(self, c: str) -> bool:
        """Returns whether no word has a character before this one, or after it."""
        if c not in self._lone:
            self._lone[c] = self._is_padded(c) or all(
                self.is_separated(c, other) and self.is_separated(other, c)
                for other in (*_CLASSES, *self._written, c)
            )
        return self._lone[c]

    def is_always_first(self, c: str) -> bool:
        """Returns whether no word has a character before this one."""
        return self.is_alone(c) or all(
            self.is_separated(other, c)
            for other in (*_CLASSES, *self._written, c)
            if self.is_possible(other)
        )

    def _is_padded(self, c: str) -> bool:
        """Returns whether the normalizer always puts spaces around a character, at which words end."""
        if self._joined is None or self._written or not self._ends_words(" "):
            return False
        return not self._joined[ord(c)]

    @cached_property
    def _local(self) -> list[Stage]:
        """Returns the local pre-tokenizers that see the characters of the normalized text."""
        stages = []
        for step in self._subject.pre_tokenizers:
            if step["type"] in _LOCAL:
                stages.append(_stage("pre_tokenizer", step))
            elif step["type"] not in _KEEPS_TEXT:
                break
        return stages

    @cached_property
    def _metaspace(self) -> dict[str, Any] | None:
        """Returns the settings of `Metaspace`, unless a pre-tokenizer before it may keep what it would split."""
        for step in self._subject.pre_tokenizers:
            if step["type"] == "Metaspace":
                return step
            if step["type"] not in _LOCAL | _KEEPS_TEXT:
                break
        return None

    @cached_property
    def _written(self) -> frozenset[str]:
        """Returns the characters that pre-tokenizers put before words: of `Metaspace`, and the space of `ByteLevel`."""
        steps = self._subject.pre_tokenizers
        metaspaces = {step["replacement"] for step in steps if step["type"] == "Metaspace"}
        spaces = {" " for step in steps if step.get("add_prefix_space", False)}
        return frozenset(metaspaces | spaces)

    @cached_property
    def _image(self) -> Flags | None:
        """Returns for each code point whether the normalizer can write it; None if that is unknown."""
        image = np.ones(_LIMIT, dtype=bool)
        image[0xD800:0xE000] = False
        for step in self._subject.normalizers:
            if step["type"] == "ByteLevel":
                break  # entries are compared as the text that it writes as bytes
            following = _image_of(step, image)
            if following is None:
                return None
            image = following
        return image

    @cached_property
    def _joined(self) -> Flags | None:
        """Returns for each code point whether normalized text has it without spaces around it; None if that is unknown."""
        steps = self._subject.normalizers
        if not any(step.get("handle_chinese_chars", False) for step in steps):
            return None
        if any(step["type"] not in _EACH_ALONE for step in steps):
            return None
        codes = _codes(_normalized_alone(steps, np.ones(_LIMIT, dtype=bool)))
        is_space = codes == ord(" ")
        joined = np.zeros(_LIMIT, dtype=bool)
        joined[codes[~(np.append(True, is_space[:-1]) & np.append(is_space[1:], True))]] = True
        return joined


def _stage(name: str, *steps: dict[str, Any]) -> Stage:
    member = "normalizers" if name == "normalizer" else "pretokenizers"
    return Stage(json.dumps({name: {"type": "Sequence", member: list(steps)}}), [])


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


def _normalized_alone(steps: list[dict[str, Any]], characters: Flags) -> str:
    """Returns the normalized forms of characters, with a letter before and after each."""
    codes = np.flatnonzero(characters)
    codes = codes[(codes < 0xD800) | (codes >= 0xE000)]
    text = np.full(2 * len(codes) + 1, ord(_SEPARATOR), dtype=np.uint32)
    text[1::2] = codes
    return _stage("normalizer", *steps).normalize(text.tobytes().decode("utf-32-le"))


def _image_of(step: dict[str, Any], characters: Flags) -> Flags | None:
    """Returns the characters that a normalizer can write for texts of characters; None if they are unknown."""
    kind = step["type"]
    image = characters.copy()
    if kind == "Strip":
        return image
    if kind == "Replace":
        removed = step["pattern"].get("String", "")
        if len(removed) == 1:
            image[ord(removed)] = False
        image[_codes(step["content"])] = True
        return image
    if kind == "Prepend":
        image[_codes(step["prepend"])] = True
        return image
    if kind not in _BY_CHARACTER | _BY_RULES:
        return None
    image[:] = False
    image[_codes(_normalized_alone([step], characters))] = True
    if kind in _BY_RULES:
        for text in (_replacements(step), *step.get("user_defined_symbols", ())):
            image[_codes(text)] = True
    return image


def _replacements(step: dict[str, Any]) -> str:
    """Returns the replacements in the table of a normalizer: after its size, a trie of that size, then the texts."""
    table = base64.b64decode(step.get("precompiled_charsmap") or "")
    return table[4 + int.from_bytes(table[:4], "little") :].decode("utf-8", "ignore")
