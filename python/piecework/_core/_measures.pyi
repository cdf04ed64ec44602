"""Sums over texts, for the metrics of a tokenizer."""

from collections.abc import Sequence
from typing import TypedDict, final

import numpy as np
import numpy.typing as npt

from piecework._core._arrow import ArrowTexts
from piecework._core._options import Options
from piecework._core._tokenizer import Tokenizer

class _Figures(TypedDict):
    """The sums; the last counters of `words_by_tokens` and `tokens_by_bytes` also count all longer ones."""

    texts: int
    bytes: int
    characters: int
    words: int
    whole_words: int
    changed_texts: int
    words_by_tokens: npt.NDArray[np.uint64]
    tokens_by_bytes: npt.NDArray[np.uint64]
    texts_by_tokens: npt.NDArray[np.uint64]
    ids: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint64]

@final
class TextMeasures:
    r"""Adds up texts: their tokens by id, their words, and those that encoding and decoding changes.

    A word is a longest run of characters that are not white space; a token belongs to the words that it overlaps.

    >>> import piecework as pw
    >>> from piecework._core import TextMeasures
    >>> tok = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n")
    >>> measures = TextMeasures()
    >>> measures.add(tok._core, ["low lower", "LOW"], tok._options({"add_special_tokens": False}), 1, None)
    [1]
    >>> figures = measures.figures()
    >>> figures["words"], figures["whole_words"], figures["ids"], figures["counts"]
    (3, 2, array([1, 2], dtype=uint32), array([3, 1], dtype=uint64))
    """

    def __new__(cls) -> TextMeasures: ...
    def add(
        self,
        tokenizer: Tokenizer,
        texts: Sequence[str] | ArrowTexts,
        options: Options,
        most: int,
        threads: int | None,
    ) -> list[int]:
        """Adds texts on some threads; returns the indices of the first `most` that encoding and decoding changes.

        After an error, which names the first text that has one, no text of the call is added.
        """

    def figures(self) -> _Figures:
        """Returns the sums."""
