"""Counts what a vocabulary is used for: tokens of a corpus, and words of a new domain."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from piecework import _core
from piecework._component import splitter_json
from piecework.arguments import as_column, check_iterable
from piecework.counts import WordCounts
from piecework.errors import ConfigError, CountsError, shown, warn, wrong_type
from piecework.linter.byte_text import bytes_of
from piecework.progress import reporting
from piecework.tokenizer.checks import TEXT_TYPES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from piecework.arguments import ArrowColumn
    from piecework.results import ProgressLike
    from piecework.tokenizer import Tokenizer

__all__ = ["READ_ONCE", "splitting_of", "token_counts", "word_counts"]

_EXPECTED = "an iterable of texts, WordCounts, or a mapping of words to counts"
_BATCH = 4096
"""The number of texts that are encoded together."""
_SHOWN = 3
"""The number of words that a warning shows."""
READ_ONCE = "pass texts that are not empty; an iterator that was read before has none left"


def token_counts(
    tok: Tokenizer,
    corpus: Iterable[str] | ArrowColumn | WordCounts | Mapping[str, int] | npt.NDArray[Any],
    threads: int | None,
    progress: ProgressLike,
) -> npt.NDArray[np.uint64]:
    r"""Returns the number of occurrences of each token, by id, without added special tokens.

    Args:
        tok: The tokenizer.
        corpus: Texts, counted words, or the counts themselves, an array with an integer for each id.
        threads: See :meth:`Tokenizer.encode_batch`.
        progress: Whether to show progress, or a callback for it.

    Returns:
        The counts.

    Raises:
        CountsError: The words were counted with another normalizer or pre-tokenizer.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")
    >>> token_counts(tok, ["hugs hug"], None, False).tolist()
    [0, 2, 1]
    """
    import numpy as np

    if isinstance(corpus, np.ndarray):
        return _checked(tok, corpus)
    if (words := _counted(tok, corpus)) is None:
        return _of_texts(tok, corpus, threads, progress)
    with reporting(progress) as report:
        return np.array(_core.count_tokens(tok._core, words._core, report), np.uint64)


def _of_texts(
    tok: Tokenizer, corpus: object, threads: int | None, progress: ProgressLike
) -> npt.NDArray[np.uint64]:
    """Returns the number of occurrences of each token in texts."""
    import numpy as np

    with reporting(progress) as report:
        counts = np.zeros(_ids(tok), np.uint64)
        done = 0
        for texts in _batches(corpus):
            batch = tok.encode_batch(
                texts,
                add_special_tokens=False,
                truncation=None,
                padding=None,
                sampling=None,
                threads=threads,
            )
            counts += np.bincount(batch.ids, minlength=len(counts)).astype(np.uint64)
            done += len(batch)
            report("counting tokens", done, 0)
        return counts


def word_counts(
    tok: Tokenizer,
    corpus: Iterable[str] | ArrowColumn | WordCounts | Mapping[str, int],
    threads: int | None,
    progress: ProgressLike,
) -> WordCounts:
    r"""Returns the words that a tokenizer splits texts into, with their counts.

    Raises:
        CountsError: There are no words.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")
    >>> sorted(word_counts(tok, ["Hugs, hug"], None, False).items())
    [(',', 1), ('hug', 1), ('hugs', 1)]
    """
    words = _counted(tok, corpus)
    if words is None:
        texts = cast("Iterable[str] | ArrowColumn", _checked_texts(corpus))
        words = _words_of(tok, texts, threads=threads, progress=progress)
    if not words.total:
        raise CountsError("the corpus has no word", setting="corpus", hint=READ_ONCE)
    return words


def _words_of(
    tok: Tokenizer,
    texts: Iterable[str] | ArrowColumn,
    *,
    threads: int | None = None,
    progress: ProgressLike = False,
) -> WordCounts:
    return WordCounts.from_texts(
        texts,
        **splitting_of(tok),
        threads=threads,
        progress=progress,
    )


def splitting_of(tok: Tokenizer) -> dict[str, Any]:
    r"""Returns the arguments by which `WordCounts` splits texts as a tokenizer does; it matches no control symbols.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n").with_added_tokens(["<a>"])
    >>> splitting_of(tok)["added_tokens"][-1].content
    '<a>'
    """
    controls = set(tok.control_symbols)
    return {
        "normalizer": tok.normalizer,
        "pre_tokenizer": tok.pre_tokenizer,
        "added_tokens": [
            token for token in tok.added_tokens.values() if token.content not in controls
        ],
    }


def _counted(tok: Tokenizer, corpus: object) -> WordCounts | None:
    """Returns counted words, with a warning if no text contains some of them; None for texts."""
    if not isinstance(corpus, WordCounts | Mapping):
        return None
    words = corpus if isinstance(corpus, WordCounts) else WordCounts(corpus)
    if not words.has_pipeline:
        _warn_of_foreign_words(tok, words)
    return words


def _warn_of_foreign_words(tok: Tokenizer, words: WordCounts) -> None:
    """Warns of words that a text is never split into."""
    changed = words._core.foreign_to(*splitter_json(tok.normalizer, tok.pre_tokenizer), len(words))
    found = _words_of(tok, (text for word in changed for text in _texts_of(word)))
    foreign = [word for word in changed if word not in found]
    if foreign:
        warn(
            f"{len(foreign):,} of {len(words):,} words, such as {foreign[:_SHOWN]}, are in no text, since the normalizer "
            "and the pre-tokenizer change them",
            setting="corpus",
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


def _checked_texts(corpus: object) -> object:
    if isinstance(corpus, TEXT_TYPES):
        kind = type(corpus).__name__
        raise TypeError(f"corpus: expected {_EXPECTED}, found one {kind}; pass [text]")
    if as_column(corpus) is None and not isinstance(corpus, Iterable):
        raise wrong_type("corpus", _EXPECTED, corpus)
    return corpus


def _batches(corpus: object) -> Iterable[Any]:
    texts = _checked_texts(corpus)
    if (column := as_column(texts)) is not None:
        return [column]
    rest = check_iterable("corpus", cast("Iterable[str]", texts), _EXPECTED)
    return iter(lambda: list(itertools.islice(rest, _BATCH)), [])


def _ids(tok: Tokenizer) -> int:
    return 0 if tok.max_id is None else tok.max_id + 1


def _checked(tok: Tokenizer, counts: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Returns an array of counts, one for each id."""
    import numpy as np

    if (
        counts.shape != (_ids(tok),)
        or not np.issubdtype(counts.dtype, np.integer)
        or np.any(counts < 0)
    ):
        raise ConfigError(
            f"expected {_ids(tok):,} integers from 0 on, one for each id, "
            f"found the shape {shown(counts.shape)} and the type {counts.dtype}",
            setting="corpus",
        )
    return counts.astype(np.uint64)
