"""Finds the entries that no text is encoded to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework._display import quoted, visible
from piecework.analysis._lint.proofs import Proofs
from piecework.analysis._lint.texts import ALL_CONTEXTS, FIRST_CONTEXTS, completions, forms, starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework.analysis._lint.subject import Entry, Subject

_COMPLETED = 24
"""The number of completions of incomplete characters that are tried for every entry."""
_ALL_COMPLETED = 4096
"""The number that is tried for entries that no other text produced."""
_MAX_CHARACTERS = 20_000_000
"""The maximum number of characters of the texts that are tried for the entries that are still left."""


class _Unproduced(NamedTuple):
    """Holds the entries that no tried text was encoded to, each with a reason.

    Attributes:
        certain: The entries that no text can produce.
        unknown: The other entries.
    """

    certain: list[tuple[Entry, str]]
    unknown: list[tuple[Entry, str]]


def unproduced_entries(subject: Subject) -> _Unproduced:
    """Returns the entries that no tried text was encoded to.

    An entry that is in the encoding of any text is not among them. Single bytes are left out, since they complete the bytes.
    """
    pending = {entry.id: entry for entry in subject.entries if not _completes_bytes(subject, entry)}
    _try(
        subject,
        pending,
        (_in_context(subject, pending, *context) for context in FIRST_CONTEXTS),
    )
    proofs = Proofs(subject)
    certain = []
    for entry in list(pending.values()):
        reason = proofs.reason(entry)
        if reason is not None:
            certain.append((pending.pop(entry.id), reason))
    _try(subject, pending, _more_texts(subject, pending))
    unknown = [(entry, _likely_reason(subject, entry)) for entry in pending.values()]
    return _Unproduced(certain, unknown)


def _completes_bytes(subject: Subject, entry: Entry) -> bool:
    """Returns whether an entry is one of the 256 bytes, of byte level or of byte fallback."""
    if subject.is_byte_level and entry.data is not None and len(entry.data) == 1:
        return True
    return entry.is_byte and bool(subject.model.get("byte_fallback"))


def _try(subject: Subject, pending: dict[int, Entry], rounds: Iterable[list[str]]) -> None:
    """Encodes texts in rounds, and removes the entries that are produced."""
    for texts in rounds:
        for number in subject.produced(texts):
            pending.pop(number, None)


def _more_texts(subject: Subject, pending: dict[int, Entry]) -> Iterator[list[str]]:
    """Iterates over rounds of texts in many contexts, and with other completions of incomplete characters."""
    tried = 0
    for texts in _texts_in_contexts(subject, pending):
        tried += sum(map(len, texts))
        if tried > _MAX_CHARACTERS:
            break
        yield texts
    for entry in list(pending.values()):
        if entry.data is not None and entry.text is None:
            yield completions(entry.data, _ALL_COMPLETED)


def _texts_in_contexts(subject: Subject, pending: dict[int, Entry]) -> Iterator[list[str]]:
    for start in starts(subject):
        inner = {number: entry for number, entry in pending.items() if entry.continues}
        yield _in_context(subject, inner, start, "")
    for before, after in ALL_CONTEXTS:
        yield _in_context(subject, pending, before, after)


def _in_context(subject: Subject, pending: dict[int, Entry], before: str, after: str) -> list[str]:
    """Returns the texts of entries with texts before and after them."""
    return [
        f"{before}{text}{after}"
        for entry in pending.values()
        for text in forms(subject, entry, _COMPLETED)
    ]


def _likely_reason(subject: Subject, entry: Entry) -> str:
    """Returns what the text of an entry is encoded to instead."""
    text = next(iter(forms(subject, entry, _COMPLETED)), "")
    words = subject.words_of(text)
    if len(words) > 1:
        shown = " ".join(map(quoted, words))
        return f"'{visible(text)}' is split into the words {shown}, and no other text that was tried has it"
    (ids,) = subject.rows([text])
    tokens = " ".join(quoted(subject.tokenizer.display_token(number)) for number in ids)
    return f"'{visible(text)}' is encoded as {tokens or 'no tokens'}, and no other text that was tried has it"
