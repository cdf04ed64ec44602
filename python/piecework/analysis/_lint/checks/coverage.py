"""Finds bytes and characters without an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._display import describe_character
from piecework.analysis._lint.byte_text import UNUSED_BYTES, byte_characters
from piecework.analysis._lint.checks.problem import Problem
from piecework.analysis._lint.texts import starts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.analysis._lint.subject import Subject

__all__ = ["missing_bytes", "missing_characters"]

_ASCII = "".join(map(chr, range(0x21, 0x7F)))


def missing_bytes(subject: Subject) -> Iterator[Problem]:
    """Iterates over the bytes of UTF-8 that a byte-level vocabulary, or byte fallback, lacks."""
    if subject.tokenizer.model_type == "WordLevel" or subject.is_opaque:
        return
    vocab = subject.tokenizer._core.model_vocab()
    if subject.is_byte_level:
        for byte, character in byte_characters().items():
            if _is_needed(subject, byte):
                for form in _forms(subject, character):
                    if form not in vocab:
                        yield Problem(None, None, f"no entry {form!r} for the byte 0x{byte:02X}")
    elif subject.model.get("byte_fallback"):
        for byte in range(256):
            token = f"<0x{byte:02X}>"
            is_entry = byte < 0x80 and chr(byte) in vocab
            if token not in vocab and not is_entry and _is_needed(subject, byte):
                yield Problem(None, None, f"no entry {token} for byte fallback")


def _is_needed(subject: Subject, byte: int) -> bool:
    """Returns whether a byte can occur in a word."""
    return byte not in UNUSED_BYTES and (byte >= 0x80 or subject.words.is_possible(chr(byte)))


def _forms(subject: Subject, character: str) -> list[str]:
    """Returns the entries that a character needs: at the start, within and at the end of a word."""
    prefix, suffix = subject.prefix, subject.suffix
    bare = dict.fromkeys([character, prefix + character])
    is_attached = suffix and subject.model.get("suffix_style") != "separate"
    return [*bare, *(form + suffix for form in bare)] if is_attached else list(bare)


def missing_characters(subject: Subject) -> Iterator[Problem]:
    """Iterates over the characters of entries, and of printable ASCII, that are unknown alone or within a word."""
    is_other = subject.is_byte_level or subject.model.get("byte_fallback")
    if is_other or subject.tokenizer.model_type == "WordLevel":
        return
    vocab = subject.tokenizer._core.model_vocab()
    words = subject.words
    of_entries = {c for entry in subject.entries for c in entry.text or ""}
    found = [c for c in sorted({*of_entries, *_ASCII}) if words.is_possible(c)]
    alone = [c for c in found if c not in vocab]
    for c, is_unknown in zip(alone, _are_unknown(subject, alone), strict=True):
        if is_unknown:
            source = "of other entries" if c in of_entries else "of ASCII"
            yield Problem(None, None, f"{describe_character(c)}, a character {source}, is unknown")
    if subject.prefix:
        inner = [
            c for c in found if subject.prefix + c not in vocab and not words.is_always_first(c)
        ]
        yield from _unknown_within(subject, inner)


def _unknown_within(subject: Subject, characters: list[str]) -> Iterator[Problem]:
    """Iterates over the characters that are unknown after another one, though they are known alone."""
    vocab = subject.tokenizer._core.model_vocab()
    known = [c for c in characters if c in vocab]
    results = [_are_unknown(subject, [start + c for c in known]) for start in starts(subject)]
    for c, *are_unknown in zip(known, *results, strict=True):
        if any(are_unknown):
            entry = subject.prefix + c
            reason = f"no entry {entry!r}: {describe_character(c)} is unknown within words"
            yield Problem(None, None, reason)


def _are_unknown(subject: Subject, texts: list[str]) -> list[bool]:
    """Returns for each text whether some of it is unknown or lost."""
    tokenizer = subject.tokenizer
    unk_token = tokenizer.unk_token
    unknown = None if unk_token is None else tokenizer.token_to_id(unk_token)
    return [not ids or unknown in ids for ids in subject.rows(texts)]
