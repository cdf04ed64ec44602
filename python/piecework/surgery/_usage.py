"""Counts what a vocabulary is used for: tokens of a corpus, and words of a new domain."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from piecework import _core
from piecework._byte_text import bytes_of
from piecework._exceptions import locate, warn
from piecework._io.given import as_corpus
from piecework._messages import shown
from piecework._progress import ProgressLike, reporting
from piecework._settings.component import splitter_json
from piecework.analysis._measuring import PLAIN, measure, threads_of_meter
from piecework.corpus._counts import CountSettings, WordCounts, count_within
from piecework.corpus._splitting import splitting_of
from piecework.errors import ConfigError, CountsError, PieceworkError
from piecework.surgery._change import id_count

if TYPE_CHECKING:
    import numpy.typing as npt

    from piecework._core import ArrowTexts
    from piecework._io.corpus import Corpus
    from piecework._settings.arguments import ArrowColumn
    from piecework.analysis._measuring import Place
    from piecework.engines import Engine
    from piecework.tokenizer import Tokenizer

_SHOWN = 3
"""The number of words that a warning shows."""
READ_ONCE = "pass texts that are not empty; an iterator that was read before has none left"


def token_counts(
    tokenizer: Tokenizer,
    texts: Iterable[str] | ArrowColumn | Corpus | WordCounts | Mapping[str, int] | npt.NDArray[Any],
    threads: int | None,
    progress: ProgressLike,
    engine: Engine | None = None,
) -> npt.NDArray[np.uint64]:
    r"""Returns the number of occurrences of each token, by id, without added special tokens.

    Args:
        tokenizer: The tokenizer.
        texts: Texts, counted words, or the counts themselves, an array with an integer for each id.
        threads: See :meth:`Tokenizer.encode_batch`.
        progress: Whether to show progress, or a callback for it.
        engine: Where the parts of a corpus run.

    Returns:
        The counts.

    Raises:
        CountsError: The words were counted with another normalizer or pre-tokenizer.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")
    >>> token_counts(tok, ["hugs hug"], None, False).tolist()
    [0, 2, 1]
    """
    if isinstance(texts, np.ndarray):
        return _checked(tokenizer, texts)
    words = _counted(tokenizer, texts)
    with reporting(progress) as report:
        if words is not None:
            return np.array(
                _core.count_tokens(tokenizer._core, words._core, threads, report), np.uint64
            )
        sums = measure(
            partial(_TokenMeter, tokenizer, threads_of_meter(threads, engine)),
            {None: _as_learned(tokenizer, texts)},
            engine=engine,
            report=partial(report, "counting tokens"),
        )
        return sums[None].counts


@dataclass(frozen=True)
class _Counts:
    """Holds the number of occurrences of each token, by id."""

    counts: npt.NDArray[np.uint64]

    def plus(self, other: _Counts) -> _Counts:
        """Returns the sums of both."""
        return _Counts(self.counts + other.counts)

    def placed(self, place: object) -> _Counts:  # noqa: ARG002  # no text is kept
        """Returns the sums, which keep no text."""
        return self


class _TokenMeter:
    """Adds up the tokens of texts."""

    def __init__(self, tokenizer: Tokenizer, threads: int | None) -> None:
        self._tokenizer, self._threads = tokenizer, threads
        self._counts = np.zeros(id_count(tokenizer), np.uint64)

    def add(self, texts: ArrowTexts | Sequence[str], place: Callable[[int], Place]) -> None:
        """Adds texts, which follow those of earlier calls."""
        try:
            encoded = self._tokenizer.encode_batch(texts, threads=self._threads, **PLAIN)
        except PieceworkError as error:
            locate(error, lambda index: place(index)[2])
            raise
        found = np.bincount(encoded.ids, minlength=len(self._counts))
        self._counts += found.astype(np.uint64)

    def sums(self) -> _Counts:
        """Returns the counts so far."""
        return _Counts(self._counts.copy())


def _as_learned(tok: Tokenizer, texts: Any) -> Any:
    """Returns texts as a trainer of the model reads them: with line ends for BPE, unless the corpus says otherwise."""
    corpus = as_corpus(texts)
    return texts if corpus is None else corpus._learned_by(bpe=tok.model_type == "BPE")


def word_counts(
    tok: Tokenizer,
    texts: Iterable[str] | ArrowColumn | Corpus | WordCounts | Mapping[str, int],
    **settings: Unpack[CountSettings],
) -> WordCounts:
    r"""Returns the words that a tokenizer splits texts into, with their counts; settings as for :func:`count_words`.

    Raises:
        CountsError: There are no words.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")
    >>> sorted(word_counts(tok, ["Hugs, hug"]).items())
    [(',', 1), ('hug', 1), ('hugs', 1)]
    """
    words = _counted(tok, texts)
    if words is None:
        words = count_within(_as_learned(tok, texts), **splitting_of(tok), **settings)
    if not words.total:
        raise CountsError("the texts have no word", setting="texts", hint=READ_ONCE)
    return words


def _counted(tok: Tokenizer, texts: object) -> WordCounts | None:
    """Returns counted words, with a warning if no text contains some of them; None for texts."""
    if not isinstance(texts, WordCounts | Mapping):
        return None
    words = texts if isinstance(texts, WordCounts) else WordCounts(texts)
    if not words.has_pipeline:
        _warn_of_foreign_words(tok, words)
    return words


def _warn_of_foreign_words(tok: Tokenizer, words: WordCounts) -> None:
    """Warns of words that a text is never split into."""
    changed = words._core.foreign_to(*splitter_json(tok.normalizer, tok.pre_tokenizer), len(words))
    texts = (text for word in changed for text in _texts_of(word))
    found = WordCounts.from_texts(texts, **splitting_of(tok))
    foreign = [word for word in changed if word not in found]
    if foreign:
        warn(
            f"{len(foreign):,} of {len(words):,} words, such as {foreign[:_SHOWN]}, are in no text, since the normalizer "
            "and the pre-tokenizer change them",
            setting="texts",
            hint="pass texts, or words as `WordCounts.from_texts` of texts has them",
        )


def _texts_of(word: str) -> Iterator[str]:
    """Iterates over texts that may be split into a word: of byte-level characters, and with spaces for ``▁``."""
    yield word
    spaced = word.replace("▁", " ")
    yield spaced
    yield spaced.lstrip(" ")
    with contextlib.suppress(UnicodeDecodeError):
        yield (bytes_of(word) or b"").decode()


def _checked(tok: Tokenizer, counts: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Returns an array of counts, one for each id."""
    if (
        counts.shape != (id_count(tok),)
        or not np.issubdtype(counts.dtype, np.integer)
        or np.any(counts < 0)
    ):
        raise ConfigError(
            f"expected {id_count(tok):,} integers from 0 on, one for each id, "
            f"found the shape {shown(counts.shape)} and the type {counts.dtype}",
            setting="texts",
        )
    return counts.astype(np.uint64)
