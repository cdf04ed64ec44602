"""Reads the argument `texts` of every call that takes texts: an iterable, a string column or a corpus, in batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from piecework._core import ArrowTexts
from piecework._io.files import is_file
from piecework._io.given import as_corpus
from piecework._io.sources import total_size
from piecework._messages import shown, wrong_type
from piecework._settings.arguments import ArrowColumn, as_column
from piecework.errors import ArrowError

if TYPE_CHECKING:
    from piecework._io.corpus import Corpus

_TEXTS_AT_A_TIME = 4096
_CHARACTERS_AT_A_TIME = 1 << 22
"""The size of a batch of texts: enough to keep the threads busy, few enough to hold in memory."""
_ITEMS = 256
"""The number of items of an iterable that are looked at together."""
_SAMPLED = 16
"""One of this number of items is measured, and stands for the others."""
_EXPECTED = "an iterable of str, a string column or a piecework.Corpus"
_MANY_FILES, _LONGEST_NAME = 1000, 4096
"""The largest number of texts that are tested for names of files, and the largest length of a name, in characters."""


class TextBatch(NamedTuple):
    """Holds some of the texts.

    Attributes:
        texts: The texts.
        place: Returns the place of a text of the batch for people, by its index: the number of the text, or file and line.
        done: The number of texts so far, with this batch; for a corpus the number of bytes, as stored.
        total: The number of all of them; 0 if it is unknown.
    """

    texts: ArrowTexts | list[str]
    place: Callable[[int], str]
    done: int
    total: int


def batches_of(
    texts: Iterable[str] | ArrowColumn | Corpus,
    batch_bytes: int = 1 << 22,
    *,
    checks_items: bool = True,
) -> Iterator[TextBatch]:
    """Iterates over texts in batches of bounded size, in order; a column is one batch.

    Args:
        texts: The texts.
        batch_bytes: The number of bytes of a batch of a corpus.
        checks_items: Whether each text is checked to be a `str`; otherwise the caller does so, by :func:`check_items`.

    Raises:
        TypeError: The argument or one of the texts has a wrong type; the message says what to pass instead.
        ArrowError: The column is not a string column.
        PieceworkError: A file of the corpus cannot be read; see :meth:`Corpus.__iter__`.

    >>> [batch.texts for batch in batches_of(["low", "lower"])]
    [['low', 'lower']]
    """
    check_texts(texts)
    refuse_file_names(texts)
    corpus = as_corpus(texts)
    if corpus is not None:
        return _batches_of_corpus(corpus, batch_bytes)
    column = _column_of(texts)
    if column is not None:
        return iter([TextBatch(column, _numbered(0), len(column), len(column))])
    return _batches_of_iterable(iter(texts), checks_items)  # type: ignore[arg-type]  # checked


def check_texts(texts: object) -> None:
    """Raises a TypeError, which says what to pass instead, for what is no texts: one text, a path, a mapping, no iterable."""
    if isinstance(texts, str | os.PathLike):
        name = shown(os.fspath(texts))
        hint = f"pass piecework.Corpus({name}) for a file"
        hint += ", or [text] for one text" if isinstance(texts, str) else ""
        found = f"one {'str' if isinstance(texts, str) else 'path'}"
        raise TypeError(f"texts: expected {_EXPECTED}, found {found}; {hint}")
    if isinstance(texts, bytes | bytearray | memoryview):
        kind = type(texts).__name__
        raise TypeError(f"texts: expected {_EXPECTED}, found one {kind}; pass [text.decode()]")
    if isinstance(texts, Mapping):
        hint = "pass its values, texts.values()"
        raise TypeError(f"texts: expected {_EXPECTED}, found a mapping; {hint}")
    if not isinstance(texts, Iterable) and as_column(texts) is None:
        try:
            iter(texts)  # type: ignore[call-overload]  # what has only `__getitem__` is iterable, too
        except TypeError:
            raise wrong_type("texts", _EXPECTED, texts) from None


def divisible(texts: object, expected: str = "a piecework.Corpus") -> Corpus:
    """Returns texts that are a corpus, whose files other processes can read in parts.

    Raises:
        TypeError: They are no corpus.
        ConfigError: The corpus has standard input.
    """
    corpus = as_corpus(texts)
    if corpus is None:
        check_texts(texts)  # has more to say about one path
        refuse_file_names(texts)
        raise wrong_type("texts", expected, texts)
    corpus._check_can_be_divided("texts")
    return corpus


def refuse_file_names(texts: object) -> None:
    """Raises a TypeError for a list of names of files, which functions of other libraries take."""
    if (
        isinstance(texts, list | tuple)
        and 0 < len(texts) <= _MANY_FILES
        and all(map(_is_file, texts))
    ):
        name = shown(texts[0])
        hint = "pass piecework.Corpus(texts) to read them, or iter(texts) for the names themselves"
        raise TypeError(f"texts: expected texts, found names of files such as {name}; {hint}")


def _is_file(text: object) -> bool:
    is_name = isinstance(text, str) and 0 < len(text) <= _LONGEST_NAME and text.isprintable()
    return is_name and is_file(text)  # type: ignore[arg-type]  # a str


def _numbered(first: int) -> Callable[[int], str]:
    return lambda index: f"text {first + index}"


def _batches_of_corpus(corpus: Corpus, batch_bytes: int) -> Iterator[TextBatch]:
    from piecework._io.documents import place_in, read_all  # whoever has a corpus has imported it

    total = total_size(corpus._sources)
    for source, documents, done in read_all(corpus._sources, corpus._reading, batch_bytes):
        place = partial(place_in, source, documents, corpus._reading)
        yield TextBatch(ArrowTexts(documents.texts), place, done, total)


def _batches_of_iterable(texts: Iterator[str], checks_items: bool) -> Iterator[TextBatch]:
    batch: list[str] = []
    done = characters = 0
    while True:
        items = list(islice(texts, _ITEMS))
        if checks_items and items and set(map(type, items)) != {str}:
            check_items(items, done + len(batch))
        batch += items
        # To measure all of them takes longer than what the limit saves.
        characters += _SAMPLED * sum(map(_length, items[::_SAMPLED]))
        is_full = len(batch) >= _TEXTS_AT_A_TIME or characters >= _CHARACTERS_AT_A_TIME
        if batch and (is_full or not items):
            done += len(batch)
            yield TextBatch(batch, _numbered(done - len(batch)), done, 0)
            batch, characters = [], 0
        if not items:
            return


def _length(text: object) -> int:
    """Returns the number of characters of a text; 0 for what is none, which is reported later."""
    return len(text) if isinstance(text, str) else 0


def check_items(items: Iterable[object], first: int = 0) -> None:
    """Raises a TypeError for the first item that is not a `str`; `first` is the number of the first item."""
    each = list(items)
    for number, item in enumerate(each, first):
        if not isinstance(item, str):
            kind = type(item).__name__
            raise TypeError(f"text {number}: expected a str, found {kind}{_remedy(each)}")


def _remedy(texts: Iterable[object]) -> str:
    """Returns the end of the error for texts that are not `str`: what to pass instead, if known."""
    wrong = (_as_list(text) for text in texts if not isinstance(text, str))
    # An empty list does not show what the lists contain.
    first = next((each for each in wrong if not isinstance(each, list | tuple) or each), None)
    if isinstance(first, bytes | os.PathLike):
        return _DECODE if isinstance(first, bytes) else _READ
    if isinstance(first, Mapping):
        name = next((name for name, value in first.items() if isinstance(value, str)), None)
        return "" if name is None else f"; pass the text of the record, row[{shown(name)}]"
    if isinstance(first, set | frozenset):
        return _COUNT_WORDS if first and all(isinstance(each, str) for each in first) else ""
    if isinstance(first, tuple) and tuple(map(type, first)) == (str, int):
        return "; pass words with counts as a mapping, dict(texts)"
    if not isinstance(first, list | tuple) or not first:
        return ""
    kinds = (remedy for kind, remedy in _REMEDIES if all(isinstance(each, kind) for each in first))
    return _BATCHES if _is_batch(first) else next(kinds, "")


def _is_batch(texts: Iterable[object]) -> bool:
    """Returns whether a list has texts of several words, so that it is a batch of texts and no text in words."""
    each = list(texts)
    are_texts = all(isinstance(text, str) for text in each)
    return are_texts and any(len(str(text).split(maxsplit=1)) > 1 for text in each)


def _as_list(text: object) -> object:
    """Returns an array, a column or a scalar of Arrow as a list; other objects unchanged."""
    for name in ("tolist", "to_list", "as_py"):
        if callable(convert := getattr(text, name, None)):
            return convert()
    return text


_DECODE = "; decode it, text.decode()"
_READ = "; pass piecework.Corpus(texts) to read files"
_BATCHES = "; pass the texts of all batches, itertools.chain.from_iterable(texts)"
_COUNT_WORDS = (
    "; pass word counts, WordCounts(collections.Counter(word for text in texts for word in text))"
)
_REMEDIES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (
        str,
        '; pass a text that is split into words as one str, " ".join(text), or'
        + _COUNT_WORDS.removeprefix(";"),
    ),
    (bool, ""),
    (int, "; decode token ids, tokenizer.decode(ids)"),
    (
        (list, tuple),
        "; flatten nested lists, itertools.chain.from_iterable(texts)",
    ),
)
"""What to pass instead of a list whose items all have a type; the first match applies."""
_LISTS = ('"+l"', '"+L"', '"+vl"', '"+vL"', '"+w:')
"""The Arrow formats of lists in messages: of any length with offsets of 32 and 64 bits, as views, and of one length."""


def _column_of(texts: object) -> ArrowTexts | None:
    """Returns an Arrow column of texts, or None for another object; the error for a column of lists has a hint."""
    try:
        return as_column(texts)
    except ArrowError as error:
        if any(name in error.problem for name in _LISTS):
            error.hint = (
                'pass the words of each text as one str, [" ".join(map(str, words)) for words in column], or pass word '
                "counts, WordCounts(collections.Counter(str(word) for words in column for word in words))"
            )
        raise
