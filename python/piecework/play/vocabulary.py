"""Searches and sorts the entries of a vocabulary."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._display import display_token
from piecework.play.cancellation import Cancellation
from piecework.play.scripts import script_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework.tokenizer import Tokenizer

KINDS = ("all", "unused", "unreachable")
"""Which entries a query finds: all, those with a count of 0, or those that no text produces."""
SORTS = ("id", "token", "count", "length", "script")
_BLOCK = 10_000
"""The number of entries that are searched between two checks whether the search is cancelled."""
_UNREACHABLE = ("unreachable", "not-produced")
"""The rules of lint that find entries that no text produces."""


class VocabularyQuery(NamedTuple):
    """Describes the entries to find.

    Attributes:
        search: A part of the entry, in readable form or as in the file, in any case.
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


class _Column:
    """Holds a value of each entry, and the orders by it once they are asked for."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values
        self._orders = dict[bool, list[int]]()

    def order(self, *, is_descending: bool) -> list[int]:
        """Returns the numbers of the entries by value; those with equal values by number, those without one before others."""
        if is_descending not in self._orders:
            keys = [-1 if value is None else value for value in self.values]
            numbers = range(len(keys))
            self._orders[is_descending] = sorted(
                numbers, key=keys.__getitem__, reverse=is_descending
            )
        return self._orders[is_descending]


class _Entries:
    """Holds the entries of a vocabulary as columns, in order of their ids."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        core = tokenizer._core
        pairs = sorted(tokenizer.vocab.items(), key=lambda pair: pair[1])
        self.tokens = [token for token, _ in pairs]
        self.ids = [number for _, number in pairs]
        data = [core.token_bytes(number) for number in self.ids]
        self.shown = [display_token(each) for each in data]
        self._folded_tokens = [token.casefold() for token in self.tokens]
        self._folded = [shown.casefold() for shown in self.shown]
        marks = core.continuing_subword_prefix(), core.end_of_word_suffix()
        texts = [_text(each, *marks) for each in data]
        self.lengths = [len(text) for text in texts]
        self.scripts = [script_of(text) for text in texts]
        self.specials = frozenset(tokenizer.special_tokens)
        self.columns = {
            "id": _Column(self.ids),
            "token": _Column(self.shown),
            "length": _Column(self.lengths),
            "script": _Column(self.scripts),
        }

    def __len__(self) -> int:
        return len(self.ids)

    def with_text(
        self, search: str, numbers: Sequence[int], cancellation: Cancellation
    ) -> list[int]:
        """Returns those of some entries that contain a text, in readable form or as in the file, in any case."""
        wanted, shown, tokens = search.casefold(), self._folded, self._folded_tokens
        found = list[int]()
        for start in range(0, len(numbers), _BLOCK):
            cancellation.check()
            block = numbers[start : start + _BLOCK]
            found += [each for each in block if wanted in shown[each] or wanted in tokens[each]]
        return found

    def row(self, number: int) -> dict[str, Any]:
        """Returns an entry as JSON values."""
        token = self.tokens[number]
        return {
            "id": self.ids[number],
            "token": token,
            "display_token": self.shown[number],
            "length": self.lengths[number],
            "script": self.scripts[number],
            "is_special": token in self.specials,
        }


def _text(data: bytes, prefix: str, suffix: str) -> str:
    """Returns an entry without the marks of its position in a word; an incomplete byte is one character."""
    text = data.decode("utf-8", "surrogateescape")
    return text.removeprefix(prefix).removesuffix(suffix) or text


class VocabularyTable:
    r"""Holds the entries of a tokenizer in readable form, with their lengths, scripts and counts.

    What a query needs is computed once: the entries at the first query, an order when it is asked for, the findings of lint
    when they are asked for, and the counts in a text until another text is given.

    >>> import piecework as pw
    >>> table = VocabularyTable(pw.Tokenizer.from_str("[UNK]\nhug\n##s\nHug\n"))
    >>> found = table.find(VocabularyQuery("hug", text="hug hug"), 0, 10)
    >>> [(row["display_token"], row["count"]) for row in found["rows"]]
    [('hug', 2), ('Hug', 0)]
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Holds a tokenizer; its entries are read when they are needed."""
        self.tokenizer = tokenizer
        self._text: str | None = None
        self._text_counts = _Column(())
        self._lock, self._lint_lock = Lock(), Lock()

    @cached_property
    def _entries(self) -> _Entries:
        return _Entries(self.tokenizer)

    @cached_property
    def _training_counts(self) -> _Column:
        known = self.tokenizer.training.token_counts or {}
        return _Column([known.get(token) for token in self._entries.tokens])

    @cached_property
    def _reasons(self) -> dict[int, str]:
        """Returns for each entry that no text produces the reason."""
        from piecework.analysis._lint.checking import lint

        findings = lint(self.tokenizer, select=_UNREACHABLE).findings
        return {each.id: each.reason for each in findings if each.id is not None}

    def find(
        self,
        query: VocabularyQuery,
        start: int,
        limit: int,
        cancellation: Cancellation | None = None,
    ) -> dict[str, Any]:
        """Returns the entries of a query as JSON values.

        Args:
            query: The entries to find.
            start: The number of entries to skip.
            limit: The maximum number of rows.
            cancellation: What can end the search; None for nothing. What later queries need as well is computed to its end.

        Returns:
            Rows with id, token, readable form, length in characters without marks such as ``##``, script, whether it is a
            special token, count (null if it is unknown), and the reason why no text produces it (null unless asked for). The
            numbers of entries found, of all entries, and of those found in each script if the query had none. Whether any
            count is known.

        Raises:
            CancelledAnswerError: The search was cancelled.
            UnknownTokenError: A word of the text is unknown, and the tokenizer has no unknown token.
        """
        cancellation = cancellation or Cancellation()
        reasons = self._found_reasons(cancellation) if query.kind == "unreachable" else {}
        with cancellation.holding(self._lock):
            entries, counts = self._entries, self._counts(query.text, cancellation)
            column = counts if query.sort == "count" else entries.columns[query.sort]
            found = column.order(is_descending=query.is_descending)
        if query.search:
            found = entries.with_text(query.search, found, cancellation)
        if query.kind == "unused":
            found = [number for number in found if counts.values[number] == 0]
        elif query.kind == "unreachable":
            found = [number for number in found if entries.ids[number] in reasons]
        scripts = Counter(map(entries.scripts.__getitem__, found))
        if query.script is not None:
            found = [number for number in found if entries.scripts[number] == query.script]
        rows = [
            entries.row(number)
            | {"count": counts.values[number], "reason": reasons.get(entries.ids[number])}
            for number in found[start : start + limit]
        ]
        return {
            "rows": rows,
            "start": start,
            "total": len(found),
            "entries": len(entries),
            "scripts": dict(scripts.most_common()),
            "has_counts": any(count is not None for count in counts.values),
        }

    def _found_reasons(self, cancellation: Cancellation) -> dict[int, str]:
        # A lock of its own, so that other queries do not wait for lint, which can take seconds.
        with cancellation.holding(self._lint_lock):
            return self._reasons

    def _counts(self, text: str | None, cancellation: Cancellation) -> _Column:
        """Returns the counts in a text; without one, those of the training."""
        if text is None:
            return self._training_counts
        if text != self._text:
            from piecework.surgery._usage import token_counts

            found = token_counts(self.tokenizer, [text], None, progress=cancellation.check)
            counts = found.tolist()
            self._text_counts = _Column([counts[number] for number in self._entries.ids])
            self._text = text
        return self._text_counts
