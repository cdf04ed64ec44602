"""Holds the tokenizers of a page by their names."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from piecework._messages import shown
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from piecework.play.vocabulary import VocabularyTable
    from piecework.tokenizer import Tokenizer

__all__ = ["MAX_ADDED", "Session"]

MAX_ADDED = 8
"""The number of tokenizers that the page can add; a further one replaces the oldest."""


class Session:
    r"""Holds tokenizers: those the server was started with, and the last ones that the page added.

    Args:
        tokenizers: The tokenizers to start with, by their names.

    >>> import piecework as pw
    >>> session = Session({"hug": pw.Tokenizer.from_str("[UNK]\nhug\n")})
    >>> session.add("pug", pw.Tokenizer.from_str("[UNK]\npug\n"))
    'pug'
    >>> [each["name"] for each in session.to_dicts()]
    ['hug', 'pug']
    """

    def __init__(self, tokenizers: Mapping[str, Tokenizer]) -> None:
        """Holds tokenizers by their names."""
        self._given = dict(tokenizers)
        self._added: dict[str, Tokenizer] = {}
        self._tables: dict[str, VocabularyTable] = {}
        self._lock = Lock()

    def add(self, name: str, tokenizer: Tokenizer) -> str:
        """Adds a tokenizer, in place of one that the page added by the same name.

        Returns:
            Its name, with a number if the server was started with one of this name.
        """
        with self._lock:
            chosen, number = name, 2
            while chosen in self._given:
                chosen, number = f"{name} ({number})", number + 1
            self._added.pop(chosen, None)
            self._tables.pop(chosen, None)
            self._added[chosen] = tokenizer
            while len(self._added) > MAX_ADDED:
                oldest = next(iter(self._added))
                del self._added[oldest]
                self._tables.pop(oldest, None)
            return chosen

    def __getitem__(self, name: str) -> Tokenizer:
        """Returns a tokenizer.

        Raises:
            ConfigError: There is none of this name.
        """
        with self._lock:
            found = self._given.get(name, self._added.get(name))
        if found is None:
            raise ConfigError(f"there is no tokenizer {shown(name)}; load its file again")
        return found

    def chosen(self, names: Sequence[str]) -> dict[str, Tokenizer]:
        """Returns several tokenizers by their names.

        Raises:
            ConfigError: There is none of one of the names.
        """
        return {name: self[name] for name in names}

    def vocabulary(self, name: str) -> VocabularyTable:
        """Returns the vocabulary of a tokenizer as a table, which is made once.

        Raises:
            ConfigError: There is no tokenizer of this name.
        """
        from piecework.play.vocabulary import VocabularyTable

        tokenizer = self[name]
        with self._lock:
            table = self._tables.get(name)
            if table is None or table.tokenizer is not tokenizer:
                table = self._tables[name] = VocabularyTable(tokenizer)
        return table

    def to_dicts(self) -> list[dict[str, Any]]:
        """Returns the name, model and size of each tokenizer as JSON values."""
        with self._lock:
            every = {**self._given, **self._added}
        return [
            {
                "name": name,
                "model": tok.model_type,
                "vocab_size": tok.vocab_size,
                "has_history": bool(tok.training),
            }
            for name, tok in every.items()
        ]
