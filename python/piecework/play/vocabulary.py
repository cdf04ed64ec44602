"""Searches and sorts the entries of a vocabulary."""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category, name

from piecework.linter import lint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework.tokenizer import Tokenizer

__all__ = ["KINDS", "SORTS", "VocabularyQuery", "VocabularyTable", "script_of"]

KINDS = ("all", "unused", "unreachable")
"""Which entries a query finds: all, those without an occurrence, or those that no text produces."""
SORTS = ("id", "token", "count", "length", "script")
_UNREACHABLE = ("unreachable", "not-produced")
"""The rules of lint that find entries that no text produces."""
_OTHER = "Other"


class VocabularyQuery(NamedTuple):
    """Describes the entries to find.

    Attributes:
        search: A part of the entry in readable form, whatever its case.
        sort: The column by which they are sorted.
        is_descending: Whether the order is reversed.
        script: The script of the entries; None for all.
        kind: One of `KINDS`.
        text: The text in which entries are counted; None for the counts of the training.
    """

    search: str = ""
    sort: str = "id"
    is_descending: bool = False
    script: str | None = None
    kind: str = "all"
    text: str | None = None


class VocabularyTable:
    r"""Holds the entries of a tokenizer in readable form, with their lengths, scripts and counts.

    >>> import piecework as pw
    >>> table = VocabularyTable(pw.Tokenizer.from_str("[UNK]\nhug\n##s\nHug\n"))
    >>> found = table.find(VocabularyQuery("hug", text="hug hug"), 0, 10)
    >>> [(row["display_token"], row["count"]) for row in found["rows"]]
    [('hug', 2), ('Hug', 0)]
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Holds a tokenizer; its entries are read when they are needed."""
        self.tokenizer = tokenizer
        self._lock = Lock()

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        """Returns the entries in order of their ids."""
        show, specials = self.tokenizer.display_token, self.tokenizer.special_tokens
        rows = []
        for token, number in sorted(self.tokenizer.vocab.items(), key=lambda item: item[1]):
            shown = show(number)
            rows.append(
                {
                    "id": number,
                    "token": token,
                    "display_token": shown,
                    "length": len(shown),
                    "script": script_of(shown),
                    "is_special": token in specials,
                }
            )
        return rows

    @cached_property
    def _training_counts(self) -> dict[int, int] | None:
        counts = self.tokenizer.training.token_counts
        if counts is None:
            return None
        ids = self.tokenizer.vocab
        return {ids[token]: count for token, count in counts.items() if token in ids}

    @cached_property
    def _reasons(self) -> dict[int, str]:
        """Returns for each entry that no text produces the reason."""
        findings = lint(self.tokenizer, select=_UNREACHABLE).findings
        return {each.id: each.reason for each in findings if each.id is not None}

    def find(self, query: VocabularyQuery, start: int, limit: int) -> dict[str, Any]:
        """Returns the entries of a query as JSON values.

        Args:
            query: The entries to find.
            start: The number of entries to skip.
            limit: The maximum number of rows.

        Returns:
            Rows with id, token, readable form, length in characters, script, count (null if it is unknown), and the reason
            why no text produces it (null unless asked for); the number of all entries found; and the number of entries of
            each script.

        Raises:
            UnknownTokenError: A word of the text is unknown, and the tokenizer has no unknown token.
        """
        with self._lock:  # lint and counting happen once, whichever request is first
            rows, counts = self._rows, self._counts(query.text)
            reasons = self._reasons if query.kind == "unreachable" else {}
        search = query.search.casefold()
        found = [row for row in rows if search in row["display_token"].casefold()]
        scripts = _count(row["script"] for row in found)
        if query.script is not None:
            found = [row for row in found if row["script"] == query.script]
        if query.kind == "unused" and counts is not None:
            found = [row for row in found if not counts.get(row["id"], 0)]
        elif query.kind == "unused":
            found = []
        elif query.kind == "unreachable":
            found = [row for row in found if row["id"] in reasons]
        found = _sorted(found, query, counts)
        listed = [
            row
            | {
                "count": None if counts is None else counts.get(row["id"], 0),
                "reason": reasons.get(row["id"]),
            }
            for row in found[start : start + limit]
        ]
        return {
            "rows": listed,
            "start": start,
            "total": len(found),
            "entries": len(rows),
            "scripts": scripts,
            "has_counts": counts is not None,
        }

    def _counts(self, text: str | None) -> dict[int, int] | None:
        if text is None:
            return self._training_counts
        return _count(
            self.tokenizer.encode_ids(
                text, add_special_tokens=False, truncation=None, padding=None, sampling=None
            )
        )


def _sorted(
    rows: Sequence[dict[str, Any]], query: VocabularyQuery, counts: dict[int, int] | None
) -> list[dict[str, Any]]:
    """Returns rows in the order of a column; equal ones in the order of their ids."""

    def key(row: dict[str, Any]) -> Any:
        if query.sort == "count":
            return 0 if counts is None else counts.get(row["id"], 0)
        return row["display_token" if query.sort == "token" else query.sort]

    return sorted(rows, key=key, reverse=query.is_descending)


def _count(values: Any) -> dict[Any, int]:
    from collections import Counter

    return dict(Counter(values).most_common())


def script_of(text: str) -> str:
    """Returns the script of the first letter of a text, by the first word of its name in Unicode.

    >>> script_of("##s"), script_of(" не"), script_of("，中"), script_of("123")
    ('Latin', 'Cyrillic', 'Cjk', 'Other')
    """
    for c in text:
        if category(c).startswith("L"):
            return name(c, _OTHER).split()[0].capitalize()
    return _OTHER
