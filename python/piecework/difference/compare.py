"""Compares two versions of a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.difference.result import Difference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework.arguments import ArrowColumn, TokenizerLike
    from piecework.io.corpus import Corpus
    from piecework.tokenizer import Tokenizer

__all__ = ["diff"]

_BATCH_BYTES = 2 << 20
"""The number of bytes of a corpus that are encoded at a time."""


def diff(
    old: TokenizerLike,
    new: TokenizerLike,
    texts: Iterable[str] | ArrowColumn | Corpus | None = None,
    *,
    examples: int = 10,
) -> Difference:
    r"""Compares two versions of a tokenizer, by what they consist of and by how they encode texts.

    Args:
        old: The old version.
        new: The new version.
        texts: The texts to encode: an iterable of ``str``, a string column or a :class:`piecework.Corpus`. By default they are
            made of the changed entries, the special tokens, and a few sentences on which normalizers and pre-tokenizers differ.
        examples: The maximum number of texts with different encodings to return.

    Returns:
        The difference, which is false if both always give the same results; print it for a report. Texts are encoded with
        special tokens, and without truncation, padding and sampling.

    Raises:
        PieceworkError: A corpus cannot be read; see :class:`piecework.Corpus`.

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
    from piecework.io.texts import batches_of

    old, new = as_tokenizer("old", old), as_tokenizer("new", new)
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
    if texts is None:
        texts = probe_texts(old, new, changed_entries(names, merges, scores, models))
    for batch in batches_of(texts, _BATCH_BYTES):
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
