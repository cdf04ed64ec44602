"""Holds the tokenizers of a page by their names."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from piecework._messages import shown
from piecework.errors import ConfigError
from piecework.play.vocabulary import VocabularyTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from piecework.tokenizer import Tokenizer

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
        self._given = {name: VocabularyTable(tok) for name, tok in tokenizers.items()}
        self._added: dict[str, VocabularyTable] = {}
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
            self._added[chosen] = VocabularyTable(tokenizer)
            while len(self._added) > MAX_ADDED:
                del self._added[next(iter(self._added))]
            return chosen

    def __getitem__(self, name: str) -> Tokenizer:
        """Returns a tokenizer.

        Raises:
            ConfigError: There is none of this name.
        """
        return self.vocabulary(name).tokenizer

    def chosen(self, names: Sequence[str]) -> dict[str, Tokenizer]:
        """Returns several tokenizers by their names.

        Raises:
            ConfigError: There is none of one of the names.
        """
        return {name: self[name] for name in names}

    def vocabulary(self, name: str) -> VocabularyTable:
        """Returns the vocabulary of a tokenizer as a table.

        Raises:
            ConfigError: There is no tokenizer of this name.
        """
        with self._lock:
            found = self._given.get(name, self._added.get(name))
        if found is None:
            raise ConfigError(f"there is no tokenizer {shown(name)}; load its file again")
        return found

    def to_dicts(self) -> list[dict[str, Any]]:
        """Returns the name, model and size of each tokenizer as JSON values."""
        with self._lock:
            every = {**self._given, **self._added}
        return [
            {
                "name": name,
                "model": table.tokenizer.model_type,
                "vocab_size": table.tokenizer.vocab_size,
                "has_history": bool(table.tokenizer.training),
            }
            for name, table in every.items()
        ]
