"""Makes texts that may be encoded to an entry: its own text in many contexts."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING

from piecework._byte_text import continuation_bytes

if TYPE_CHECKING:
    from piecework.analysis._lint.subject import Entry, Subject

Context = tuple[str, str]
"""The texts before and after that of an entry."""

_ISOLATING = "ꡀᚠ𐐀⍟⧳᠐"
"""Characters of several classes, which few vocabularies have, so that nothing merges with them."""
_BEFORE = ("", " ", "a", "A", "é", "1", ".", "'", "_", "\n", "  ", "中", "$", *_ISOLATING)
_AFTER = (
    *("", " ", "a", "A", "é", "1", ".", "'", "_", "\n", "中", "\u0301", *_ISOLATING),
    *("s", "re", "ll", "RE"),  # contractions, which many split patterns keep together
)
FIRST_CONTEXTS: tuple[Context, ...] = (("", ""), ("a", ""), (" ", ""), ("", "a"), ("a", "a"))
"""The contexts that are tried for every entry."""
ALL_CONTEXTS: tuple[Context, ...] = tuple(product(_BEFORE, _AFTER))
"""The contexts that are tried for entries that no other text produced."""
_STARTS = 48
"""The number of entries of one character, and of longer ones, that are put before an entry that continues a word."""
_LEADS = {2: range(0xC2, 0xE0), 3: range(0xE0, 0xF0), 4: range(0xF0, 0xF5)}
"""The first bytes of characters by their number of bytes."""


def forms(subject: Subject, entry: Entry, completed: int) -> list[str]:
    """Returns the texts that an entry may stand for, the likeliest first.

    Args:
        subject: The tokenizer.
        entry: The entry.
        completed: The number of completions, if its bytes are not complete characters.
    """
    if entry.data is None:
        return [entry.token]
    text = entry.text
    if text is None:
        return completions(entry.data, completed)
    texts = [text.replace("▁", " ")] if subject.writes_metaspaces else []
    # The normalizer may put the spaces.
    bare = [text.replace(" ", "")] if " " in text else []
    return list(dict.fromkeys([*texts, text, entry.token, *bare]))


def starts(subject: Subject) -> list[str]:
    """Returns texts of entries that begin a word: of one character, evenly chosen, and the shortest others."""
    texts = {entry.text or "" for entry in subject.entries if not entry.continues}
    single = sorted(text for text in texts if len(text) == 1)
    others = sorted((text for text in texts if len(text) > 1), key=lambda text: (len(text), text))
    return single[:: max(1, len(single) // _STARTS)] + others[:_STARTS]


def completions(data: bytes, number: int) -> list[str]:
    r"""Returns different texts that contain bytes, with random characters completed at their ends.

    Args:
        data: The bytes.
        number: The maximum number of texts; fewer if there are not that many.

    Returns:
        The texts, equal in every call; none if no text of UTF-8 contains the bytes.

    >>> completions(b"\xe4\xb8", 2), completions(b"\xc3a", 2)
    (['东', '丁'], [])
    """
    random = Random(data)
    continuing = continuation_bytes(data)
    lacking = 0 if continuing == len(data) else _lacking(data)
    found: dict[str, None] = {}
    for _ in range(4 * number):
        before, after = _around(random, continuing, len(data), lacking)
        try:
            found[(before + data + after).decode()] = None
        except UnicodeDecodeError:
            continue
        if len(found) == number:
            break
    return list(found)


def _around(random: Random, continuing: int, length: int, lacking: int) -> tuple[bytes, bytes]:
    """Returns random bytes before and after bytes of which `continuing` at the start continue a character."""
    if not continuing:
        return b"", _continuation(random, lacking)
    size = random.randint(min(continuing, 3) + 1, 4)
    missing = size - 1 - continuing
    # All bytes may be in the middle of one character.
    after = random.randint(0, max(0, missing)) if continuing == length else 0
    lead = bytes([random.choice(_LEADS[size])])
    before = lead + _continuation(random, max(0, missing - after))
    return before, _continuation(random, after if continuing == length else lacking)


def _continuation(random: Random, number: int) -> bytes:
    return bytes(random.randrange(0x80, 0xC0) for _ in range(number))


def _lacking(data: bytes) -> int:
    """Returns the number of bytes that the last character lacks."""
    lead = next((at for at in range(1, 5) if data[-at:][:1] >= b"\xc0"), None)
    if lead is None:
        return 0
    size = next((size for size, leads in _LEADS.items() if data[-lead] in leads), 1)
    return max(0, size - lead)
