"""Finds special tokens that ordinary text can spell, and added tokens that no text matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.analysis._lint.checks.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.analysis._lint.subject import Subject

__all__ = ["in_text", "unmatched"]

_CONTEXTS = ("{}", "a {} a", "a{}a", " {}", "{} ", ".{}.")


def in_text(subject: Subject) -> Iterator[Problem]:
    """Iterates over the special tokens that are matched in a text by default."""
    for number, content, is_special in _added(subject):
        if (
            is_special
            and content not in subject.tokenizer.control_symbols
            and _is_matched(subject, number, content)
        ):
            yield Problem(content, number, "the text that spells it is encoded to it")


def unmatched(subject: Subject) -> Iterator[Problem]:
    """Iterates over the added tokens that their own texts do not produce, without control symbols."""
    for number, content, _ in _added(subject):
        if content not in subject.tokenizer.control_symbols and not _is_matched(
            subject, number, content
        ):
            yield Problem(content, number, "its own text is encoded to other tokens")


def _added(subject: Subject) -> Iterator[tuple[int, str, bool]]:
    for number, token in subject.tokenizer.added_tokens.items():
        yield number, token.content, token.special


def _is_matched(subject: Subject, number: int, content: str) -> bool:
    """Returns whether an added token is found in a text with it."""
    return number in subject.produced(context.replace("{}", content) for context in _CONTEXTS)
