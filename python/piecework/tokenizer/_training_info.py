"""Describes the training of a tokenizer: its settings, its word counts, and its merges or steps."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from piecework._result import Result
from piecework.tokenizer._checks import read_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._core import Tokenizer as CoreTokenizer
    from piecework._show.document import Block
    from piecework.tokenizer._results import Merge, MergeHistory, UnigramHistory, UnigramStep  # noqa: F401  # in a string


class TrainingInfo(Result["Merge | UnigramStep"]):
    r"""Describes the training of a tokenizer, whose rows are its merges or steps; false if the training is unknown, such as that of a vocab.txt.

    >>> import piecework as pw
    >>> tok = pw.train({"hug": 10, "hugs": 5}, pw.WordPieceTrainer(10))
    >>> bool(tok.training), tok.training.trainer["vocab_size"], tok.training.history[0].token
    (True, 10, '##ug')
    >>> bool(pw.Tokenizer.from_str("[UNK]\nhug\n").training)
    False
    """

    _core: CoreTokenizer

    def __init__(self, core: CoreTokenizer) -> None:
        """Wraps the tokenizer of the core, which contains the training."""
        self.__dict__["_core"] = core

    def __bool__(self) -> bool:
        """Returns whether the training is known."""
        return self._record is not None

    @cached_property
    def history(self) -> MergeHistory:
        """Returns the merges of the training in order; empty if unknown, or for Unigram (see :attr:`steps`)."""
        from piecework.tokenizer._results import Merge, MergeHistory

        return MergeHistory(Merge(*merge) for merge in self._core.history() or ())

    @cached_property
    def steps(self) -> UnigramHistory:
        """Returns the EM steps and prunings of a Unigram training in order; empty if unknown.

        Only the tokenizer that :func:`train` returned knows the removed pieces; a file stores the rest.

        >>> from piecework import UnigramTrainer, train
        >>> tok = train({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, UnigramTrainer(12))
        >>> tok.training.steps[1]
        UnigramStep(pieces=10, log_likelihood=None, removed=('▁hugs',))
        """
        from piecework.tokenizer._results import UnigramHistory, UnigramStep

        return UnigramHistory(
            UnigramStep(pieces, log_likelihood, None if removed is None else tuple(removed))
            for pieces, log_likelihood, removed in self._core.steps() or ()
        )

    @cached_property
    def _merge_of(self) -> dict[str, int]:
        """Returns the index in the history of the merge that created each token."""
        return {merge.token: place for place, merge in enumerate(self.history)}

    @cached_property
    def _symbols(self) -> frozenset[str]:
        """Returns the user-defined symbols of the training."""
        return frozenset((self.trainer or {}).get("user_defined_symbols", ()))

    @cached_property
    def _record(self) -> tuple[str, str, list[int]] | None:
        """Returns settings as JSON, SHA-256 and counts by id; None if unknown."""
        return self._core.training()

    @property
    def trainer(self) -> dict[str, Any] | None:
        """Returns the settings of the training, or None if unknown."""
        import json

        return self._record and json.loads(self._record[0])

    @property
    def counts_sha256(self) -> str | None:
        """Returns the SHA-256 of the word counts of the training, or None if unknown."""
        return self._record and self._record[1]

    @property
    def token_counts(self) -> dict[str, int] | None:
        """Returns the count of each token in the encoded training words, or None if unknown.

        The dictionary is new and in order of the ids. It lacks tokens that were added after the training.

        >>> import piecework as pw
        >>> tok = pw.train({"hug": 10, "hugs": 5}, pw.WordPieceTrainer(10, special_tokens=[]))
        >>> tok.training.token_counts
        {'##g': 0, '##s': 0, '##u': 0, 'h': 0, '##ug': 0, 'hug': 10, 'hugs': 5}
        """
        if self._record is None:
            return None
        counts = self._record[2]
        return {token: counts[number] for token, number in self._vocab.items()}

    @cached_property
    def _vocab(self) -> dict[str, int]:
        """Returns the ids of the tokens of the model."""
        return self._core.model_vocab()

    def _count_of(self, number: int) -> int | None:
        """Returns the count of a token by its id, or None if it is unknown."""
        counts = self._record[2] if self._record else []
        return counts[number] if number < len(counts) else None

    def _instead(self, name: str) -> str:
        """Returns the error for an assignment."""
        return read_only(self, name)

    @property
    def _rows(self) -> MergeHistory | UnigramHistory:
        return self.steps or self.history

    def _summary(self) -> str:
        """Returns the criterion, which only WordPiece has, and the number of merges or steps."""
        if not self:
            return "unknown"
        criterion = (self.trainer or {}).get("criterion")
        return ", ".join(filter(None, [criterion, self._rows._summary()]))

    def _document(self) -> Iterator[Block]:
        from piecework._show.document import Text

        if not self:
            yield Text(self._summary())
            return
        for table in self._rows._document():
            yield table._replace(title=self._summary())

    def to_dict(self) -> dict[str, Any]:
        """Returns the settings, the counts of the tokens, and the merges or steps as JSON values."""
        return {
            "trainer": self.trainer,
            "counts_sha256": self.counts_sha256,
            "token_counts": self.token_counts,
            **self._rows.to_dict(),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the training without the tokenizer."""
        names = ("_record", "history", "steps", "_vocab")
        return _unpickle, (type(self), {name: getattr(self, name) for name in names})


def _unpickle(kind: type[TrainingInfo], values: dict[str, Any]) -> TrainingInfo:
    """Returns a training that was pickled."""
    info = kind.__new__(kind)
    info.__dict__.update(values)
    return info
