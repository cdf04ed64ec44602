"""Defines the result of pruning and extending: a tokenizer, and how its ids map to the old ones."""

from __future__ import annotations

import os
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from piecework._messages import shown, wrong_type
from piecework._result import Result
from piecework._settings.immutable import dataclass
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from piecework._io.files import Pathish
    from piecework._show.document import Block
    from piecework.tokenizer import Tokenizer

Scalar = TypeVar("Scalar", bound="np.generic")

_MAX_TOKENS = 100
"""The number of tokens that a list shows."""


@dataclass(frozen=True, eq=False, repr=False)
class VocabularyChange(Result[str]):
    r"""Holds a tokenizer with another vocabulary, and what its embedding matrix is made of; a sequence of the changed tokens.

    Attributes:
        tokenizer: The new tokenizer.
        id_map: The new id of each old id, as an array of ``int64``; -1 for a removed token, and for an id without token.
        initial_rows: For each id that no old id maps to, the old ids whose rows its row is the mean of: those that the old
            tokenizer splits the token into. None if it has no token for it; its row is then the mean of all.
        removed: The removed tokens, in order of their old ids.
        added: The new tokens, in order of their ids.
        intermediate: Those of them that BPE needs only to make others: no word of the corpus, or none of the given words, is
            encoded to them.

    >>> import numpy as np
    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n##ging\n")
    >>> change = pw.extend(tok, {"hugging": 9}, new_tokens=1)
    >>> change.added, change.initial_rows
    (('hugging',), {4: (1, 3)})
    >>> change.apply(np.array([[0.0], [1.0], [2.0], [3.0]]))[4]
    array([2.])
    """

    tokenizer: Tokenizer
    id_map: npt.NDArray[np.int64]
    initial_rows: Mapping[int, tuple[int, ...]]
    removed: tuple[str, ...]
    added: tuple[str, ...]
    intermediate: tuple[str, ...] = ()

    def apply(
        self, matrix: npt.NDArray[Scalar], *, gaps: Literal["keep", "mean"] | float = "keep"
    ) -> npt.NDArray[Scalar]:
        r"""Returns the rows of a matrix for the new ids: those of kept tokens as they are, those of new tokens as means.

        Use it for embeddings, for the output layer and for its bias. Rows beyond the largest old id are dropped.

        Args:
            matrix: An array whose first axis has a row for each old id.
            gaps: The rows of ids without token, which only :func:`extend` leaves: ``"keep"`` for those of the same ids,
                ``"mean"`` for the mean of the rows of kept tokens, or a number for all their values.

        Returns:
            A new array of the same type, with ``tokenizer.max_id + 1`` rows.

        Raises:
            ConfigError: The array has fewer rows than old ids, or `gaps` is another string.
            TypeError: `matrix` is no array, or `gaps` neither a string nor a number.

        >>> import numpy as np
        >>> import piecework as pw
        >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\ncat\n##s\n")
        >>> pw.prune(tok, {"hugs": 9}, vocab_size=3, keep_alphabet=False).apply(np.array([10, 11, 12, 13]))
        array([10, 11, 13])
        """
        if not isinstance(matrix, np.ndarray):
            raise wrong_type("matrix", "a NumPy array", matrix)
        rows = len(self.id_map)
        if matrix.ndim == 0 or len(matrix) < rows:
            raise ConfigError(
                f"expected at least {rows:,} rows, one for each old id, found the shape {shown(matrix.shape)}",
                setting="matrix",
            )
        _check_gaps(gaps)
        made = np.zeros((id_count(self.tokenizer), *matrix.shape[1:]), matrix.dtype)
        kept = np.flatnonzero(self.id_map >= 0)
        made[self.id_map[kept]] = matrix[kept]
        for number, sources in self.initial_rows.items():
            made[number] = _mean(matrix[list(sources)] if sources else matrix[kept])
        known = [*self.id_map[kept], *self.initial_rows]
        empty = np.setdiff1d(np.arange(len(made)), known)
        if len(empty):
            by_name = {"keep": lambda: matrix[empty], "mean": lambda: _mean(matrix[kept])}
            made[empty] = by_name[gaps]() if isinstance(gaps, str) else gaps
        return made

    def to_dict(self) -> dict[str, Any]:
        r"""Returns JSON values: the map of ids, and the ids whose rows new ones are made of.

        >>> import piecework as pw
        >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\ncat\n##s\n")
        >>> pw.prune(tok, {"hugs": 9}, vocab_size=3, keep_alphabet=False).to_dict()
        {'id_map': [0, 1, -1, 2], 'initial_rows': {}}
        """
        rows = {str(number): list(sources) for number, sources in self.initial_rows.items()}
        return {"id_map": self.id_map.tolist(), "initial_rows": rows}

    def __eq__(self, other: object) -> bool:
        """Returns whether tokenizers, tokens and maps are equal."""
        if not isinstance(other, VocabularyChange):
            return NotImplemented
        names = ("tokenizer", "removed", "added", "intermediate")
        is_equal = all(getattr(self, name) == getattr(other, name) for name in names)
        return is_equal and self.to_dict() == other.to_dict()

    __hash__ = None  # equal by content, and that can be large

    @property
    def _rows(self) -> tuple[str, ...]:
        """Returns the removed and the added tokens."""
        return (*self.removed, *self.added)

    def _summary(self) -> str:
        counts = f"{len(self.removed):,} removed, {len(self.added):,} added"
        return f"{len(self.tokenizer):,} tokens: {counts}"

    def _document(self) -> Iterator[Block]:
        from piecework._show.document import Tree, tokens_line

        names = ("removed", "added", "intermediate")
        lists = {name: getattr(self, name) for name in names}
        below = [tokens_line(name, lists[name], _MAX_TOKENS) for name in names if lists[name]]
        yield Tree(self._summary(), below)

    def save_map(self, path: Pathish) -> None:
        """Writes the map of ids to a file.

        Args:
            path: The file, created or replaced atomically: for a name in ``.npy`` the array `id_map`, otherwise JSON with the
                values of :meth:`to_dict`.

        Raises:
            FileError: The file cannot be written.
        """
        import io
        import json

        from piecework._io.files import write_aside

        if os.fspath(path).endswith(".npy"):
            buffer = io.BytesIO()
            np.save(buffer, self.id_map)
            write_aside(path, buffer.getvalue())
        else:
            write_aside(path, f"{json.dumps(self.to_dict())}\n".encode())


def only_given(**sizes: int | None) -> tuple[str, int]:
    """Returns the name and the value of the only size that is given.

    Raises:
        ConfigError: None or several are given.
    """
    given = [(name, size) for name, size in sizes.items() if size is not None]
    if len(given) != 1:
        found = "both" if given else "neither"
        raise ConfigError(f"expected either {' or '.join(sizes)}, found {found}")
    return given[0]


def id_count(tok: Tokenizer) -> int:
    """Returns one more than the largest id of a tokenizer, the number of rows of its embedding matrix."""
    return 0 if tok.max_id is None else tok.max_id + 1


def map_of_ids(tok: Tokenizer, new_ids: Mapping[int, int]) -> npt.NDArray[np.int64]:
    """Returns the new id of each old id of a tokenizer; -1 for one that has none."""
    id_map = np.full(id_count(tok), -1, np.int64)
    id_map[list(new_ids)] = list(new_ids.values())
    return id_map


def _check_gaps(gaps: object) -> None:
    """Raises an error for a value that is neither ``"keep"`` nor ``"mean"`` nor a number."""
    expected = 'expected "keep", "mean" or a number'
    if isinstance(gaps, bool) or not isinstance(gaps, str | Real):
        raise TypeError(f"gaps: {expected}, found {shown(gaps)}")
    if isinstance(gaps, str) and gaps not in {"keep", "mean"}:
        raise ConfigError(f"{expected}, found {shown(gaps)}", setting="gaps")


def _mean(rows: npt.NDArray[Any]) -> Any:
    """Returns the mean of rows, in 64 bits before it is rounded to the type of a matrix."""
    is_real = np.issubdtype(rows.dtype, np.floating) or np.issubdtype(rows.dtype, np.integer)
    return rows.mean(axis=0, dtype=np.float64 if is_real else rows.dtype)
