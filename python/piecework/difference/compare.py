"""Compares two versions of a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.difference.result import Difference
from piecework.errors import wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework.arguments import TokenizerLike
    from piecework.difference.behaviour import TextBatch
    from piecework.io.documents import ReadOptions
    from piecework.io.files import Pathish
    from piecework.tokenizer import Tokenizer

__all__ = ["diff"]


def diff(
    old: TokenizerLike,
    new: TokenizerLike,
    texts: Iterable[str] | None = None,
    *,
    files: Pathish | Iterable[Pathish] | None = None,
    examples: int = 10,
    encoding: str = "utf-8",
    errors: str = "strict",
    field: str | None = None,
    column: str | None = None,
    on_error: str = "raise",
) -> Difference:
    r"""Compares two versions of a tokenizer, by what they consist of and by how they encode texts.

    Args:
        old: The old version.
        new: The new version.
        texts: The texts to encode. Without `texts` and `files` these are made of the changed entries, the special tokens, and
            a few sentences on which normalizers and pre-tokenizers differ.
        files: Files whose documents are encoded, too; also compressed (.gz, .zst), folders, patterns and URLs.
        examples: The maximum number of texts with different encodings to return.
        encoding: The character encoding of the files, or ``"auto"`` to detect that of each file.
        errors: ``"strict"`` raises on invalid bytes, ``"replace"`` replaces them by U+FFFD.
        field: The member of JSON lines or the column of Parquet with the text; ``"text"`` by default.
        column: Another name for `field`.
        on_error: ``"raise"`` raises for a line or row that is no document, ``"skip"`` skips it and warns at the end.

    Returns:
        The difference, which is false if both always give the same results; print it for a report. Texts are encoded with
        special tokens, and without truncation, padding and sampling.

    Raises:
        FileError: A file cannot be read; for a missing file the error is also a ``FileNotFoundError``.
        DocumentError: A line or row is no document.

    >>> import piecework as pw
    >>> old, new = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n"), pw.Tokenizer.from_str("[UNK]\nhug\n##gs\n##s\n")
    >>> found = pw.diff(old, new, ["hugs"])
    >>> bool(found), dict(found.added), found.ids_compatible, found.texts[0].new.ids
    (True, {'##gs': 2}, False, (1, 3))
    """
    from piecework.arguments import as_tokenizer, check_index
    from piecework.difference.behaviour import Behaviour
    from piecework.difference.model import (
        merges_change,
        model_parts,
        renumbered,
        score_changes,
    )
    from piecework.difference.parts import setting_changes, training_changes
    from piecework.difference.probes import changed_entries, probe_texts
    from piecework.io.documents import read_options

    old, new = as_tokenizer("old", old), as_tokenizer("new", new)
    options = read_options(field, column, encoding=encoding, errors=errors, on_error=on_error)
    vocabs = old.vocab, new.vocab
    models = model_parts(old), model_parts(new)
    moved = tuple(renumbered(*vocabs))
    added = {token: number for token, number in vocabs[1].items() if token not in vocabs[0]}
    removed = {token: number for token, number in vocabs[0].items() if token not in vocabs[1]}
    merges = merges_change(models[0].merges, models[1].merges)
    common = (token for token in vocabs[0] if token in vocabs[1])
    scores = tuple(score_changes(models[0].scores, models[1].scores, common))

    meanings = {number: token for token, number in vocabs[1].items()}
    reused = frozenset(
        number for token, number in vocabs[0].items() if meanings.get(number, token) != token
    )
    behaviour = Behaviour(old, new, check_index("examples", examples), reused)
    names = [*added, *removed, *(each.token for each in moved)]
    if texts is None and files is None:
        texts = probe_texts(old, new, changed_entries(names, merges, scores, models))
    for batch in _batches(texts, files, options):
        behaviour.add(batch)
    return Difference(
        fingerprints=(_fingerprint(old), _fingerprint(new)),
        added=added,
        removed=removed,
        renumbered=moved,
        settings=tuple(setting_changes(old, new, models)),
        merges=merges,
        scores=scores,
        texts_tried=behaviour.tried,
        texts_changed=behaviour.changed,
        texts=tuple(behaviour.texts),
        training=tuple(training_changes(old, new)),
    )


def _fingerprint(tokenizer: Tokenizer) -> str | None:
    return None if tokenizer._functions else tokenizer.fingerprint


def _batches(
    texts: Iterable[str] | None, files: Pathish | Iterable[Pathish] | None, options: ReadOptions
) -> Iterator[TextBatch]:
    """Iterates over the texts and the documents of the files in batches."""
    from piecework.difference.behaviour import file_batches, text_batches

    if isinstance(texts, str):
        raise wrong_type("texts", "an iterable of texts", texts)
    if texts is not None:
        yield from text_batches(texts)
    if files is not None:
        yield from file_batches(files, options)
