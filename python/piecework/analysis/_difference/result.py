"""Defines the difference of two tokenizers."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from piecework._result import Result
from piecework._settings.immutable import Record, dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework._show.document import Block


@dataclass(frozen=True, slots=True)
class IdChange(Record):
    """Describes an entry with another id, or one that only one version has.

    Attributes:
        token: The entry.
        old: Its old id; None if it is new.
        new: Its new id; None if it is removed.
    """

    token: str
    old: int | None
    new: int | None


@dataclass(frozen=True, slots=True)
class SettingChange(Record):
    """Describes a setting with another value.

    Attributes:
        path: Where it is, as a JSON path such as ``$.normalizer.lowercase``.
        old: The old value as in a tokenizer.json; None also for an absent one.
        new: The new value.
    """

    path: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class MergesChange(Record):
    """Describes different lists of merges of two BPE models.

    Attributes:
        rank: The first rank, from 0, at which the lists differ.
        old: The old merge of this rank; None after the end of the list.
        new: The new merge of this rank; None after the end of the list.
        added: The merges that only the new list has, in its order.
        removed: The merges that only the old list has, in its order.
    """

    rank: int
    old: tuple[str, str] | None
    new: tuple[str, str] | None
    added: tuple[tuple[str, str], ...]
    removed: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ScoreChange(Record):
    """Describes an entry with another score, probability or count, where these decide segmentations.

    Attributes:
        token: The entry, which both versions have.
        old: The old value; None for none.
        new: The new value; None for none.
    """

    token: str
    old: float | None
    new: float | None


@dataclass(frozen=True, slots=True)
class Outcome(Record):
    """Holds the encoding of a text, or the error.

    Attributes:
        tokens: The tokens.
        display_tokens: The tokens in readable form.
        ids: The ids.
        error: The message of the error; None for none.
    """

    tokens: tuple[str, ...]
    display_tokens: tuple[str, ...]
    ids: tuple[int, ...]
    error: str | None = None


@dataclass(frozen=True, slots=True)
class TextChange(Record):
    """Describes a text that the two versions encode differently.

    Attributes:
        text: The text.
        place: The file, and the line or row; None for a text that is not from a file.
        old: The old encoding.
        new: The new encoding.
    """

    text: str
    place: str | None
    old: Outcome
    new: Outcome

    @property
    def only_ids(self) -> bool:
        """Returns whether the tokens are equal, so that only their ids differ."""
        return self.old.tokens == self.new.tokens and self.old.error == self.new.error


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Result["IdChange | SettingChange | MergesChange | ScoreChange | TextChange"]):
    """Holds the difference of two tokenizers; true if they can give different results. Print it for a report.

    Attributes:
        fingerprints: The old and the new fingerprint; None for a tokenizer with a Python function.
        added: The new entries with their ids, in order of the ids.
        removed: The entries that the new version lacks, with their old ids.
        renumbered: The entries with other ids, in order of the old ids.
        settings: The settings with other values, of all stages and of the model.
        merges: The change of the merges; None if they are equal, or if neither model is BPE.
        scores: The entries of both versions with other scores, where these decide segmentations.
        texts_tried: The number of texts that both versions encoded.
        texts_changed: The number of these that they encoded differently.
        texts: The first of these.
        training: The parts of the training record that differ; they change no result.
    """

    fingerprints: tuple[str | None, str | None]
    added: Mapping[str, int]
    removed: Mapping[str, int]
    renumbered: tuple[IdChange, ...]
    settings: tuple[SettingChange, ...]
    merges: MergesChange | None
    scores: tuple[ScoreChange, ...]
    texts_tried: int
    texts_changed: int
    texts: tuple[TextChange, ...]
    training: tuple[SettingChange, ...]

    def __bool__(self) -> bool:
        """Returns whether the two can give different results; a different training record alone cannot."""
        entries = self.added or self.removed or self.renumbered
        return bool(entries or self.settings or self.merges or self.scores or self.texts_changed)

    @property
    def is_empty(self) -> bool:
        """Returns whether nothing differs, the training record included."""
        return not self and not self.training

    @property
    def ids_compatible(self) -> bool:
        """Returns whether every old id still means the same entry, so that a model's embeddings stay valid."""
        return not self.removed and not self.renumbered

    @property
    def same_fingerprint(self) -> bool:
        """Returns whether both have a fingerprint, and they are equal: then every text has the same ids."""
        old, new = self.fingerprints
        return old is not None and old == new

    @property
    def _rows(
        self,
    ) -> tuple[IdChange | SettingChange | MergesChange | ScoreChange | TextChange, ...]:
        """Returns all changes, those of the training record last."""
        ids = chain(
            (IdChange(token, None, new) for token, new in self.added.items()),
            (IdChange(token, old, None) for token, old in self.removed.items()),
            self.renumbered,
        )
        merges = () if self.merges is None else (self.merges,)
        return (*ids, *self.settings, *merges, *self.scores, *self.texts, *self.training)

    def _summary(self) -> str:
        names = ("added", "removed", "renumbered", "settings", "scores")
        numbers = ((len(getattr(self, name)), name) for name in names)
        parts = [f"{number:,} {name}" for number, name in numbers if number]
        if self.merges is not None:
            parts.append("other merges")
        if self.texts_changed:
            parts.append(f"{self.texts_changed:,} of {self.texts_tried:,} texts")
        if self.training:
            parts.append("another training record")
        return ", ".join(parts) or "none"

    def report(self, limit: int | None = 10) -> str:
        """Returns a report.

        Args:
            limit: The maximum number of items of each list; None for all.
        """
        from piecework._show.terminal import as_text

        return as_text(self._document(limit))

    def _document(self, limit: int | None = 10) -> Iterator[Block]:
        from piecework.analysis._difference.report import document

        return document(self, limit)

    def to_dict(self) -> dict[str, Any]:
        """Returns the difference as JSON values.

        Returns:
            The attributes, `ids_compatible`, and whether the results can differ.
        """
        return {
            "differs": bool(self),
            "ids_compatible": self.ids_compatible,
            **Record.to_dict(self),
        }
