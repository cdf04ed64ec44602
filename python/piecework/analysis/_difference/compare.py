"""Compares two versions of a tokenizer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from piecework._io.given import as_corpus
from piecework._progress import ProgressLike, reporting
from piecework._settings.arguments import ArrowColumn, check_index, check_threads
from piecework.analysis._difference import changes
from piecework.analysis._difference.behaviour import BehaviourMeter
from piecework.analysis._difference.probes import changed_entries, probe_texts
from piecework.analysis._difference.result import Difference
from piecework.analysis._measuring import measure, threads_of_meter
from piecework.tokenizer._arguments import TokenizerLike, as_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework._io.corpus import Corpus
    from piecework.engines import Engine
    from piecework.tokenizer import Tokenizer


def diff(
    old: TokenizerLike,
    new: TokenizerLike,
    texts: Iterable[str] | ArrowColumn | Corpus | None = None,
    *,
    examples: int = 10,
    threads: int | None = None,
    engine: Engine | None = None,
    progress: ProgressLike = False,
) -> Difference:
    r"""Compares two versions of a tokenizer, by what they consist of and by how they encode texts.

    Args:
        old: The old version.
        new: The new version.
        texts: The texts to encode: an iterable of ``str``, a string column or a :class:`piecework.Corpus`. By default they are
            made of the changed entries, the special tokens, and a few sentences on which normalizers and pre-tokenizers differ.
        examples: The maximum number of texts with different encodings to return.
        threads: The number of threads; by default one per core, and with an engine one for each part.
        engine: Where the parts of a corpus run, such as :class:`piecework.engines.Local`; by default in this process.
        progress: Whether to show progress, or a callback for it.

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
    check_threads(threads)
    old, new = as_tokenizer("old", old), as_tokenizer("new", new)
    vocabs = old.vocab, new.vocab
    models = changes.model_parts(old), changes.model_parts(new)
    moved = tuple(changes.renumbered(*vocabs))
    added = {token: number for token, number in vocabs[1].items() if token not in vocabs[0]}
    removed = {token: number for token, number in vocabs[0].items() if token not in vocabs[1]}
    merges = changes.merges_change(models[0].merges, models[1].merges)
    common = (token for token in vocabs[0] if token in vocabs[1])
    scores = tuple(changes.score_changes(models[0].scores, models[1].scores, common))

    meanings = {number: token for token, number in vocabs[1].items()}
    reused = frozenset(
        number for token, number in vocabs[0].items() if meanings.get(number, token) != token
    )
    examples = check_index("examples", examples)
    threads = threads_of_meter(threads, engine)
    names = [*added, *removed, *(each.token for each in moved)]
    if texts is None:
        probes = probe_texts(old, new, changed_entries(names, merges, scores, models))
        texts = iter(dict.fromkeys(probes))
    with reporting(progress) as report:
        found = measure(
            partial(BehaviourMeter, old, new, examples, reused, threads),
            {None: texts},
            engine=engine,
            report=partial(report, "encoding"),
        )[None]
    is_of_files = as_corpus(texts) is not None
    return Difference(
        fingerprints=(_fingerprint(old), _fingerprint(new)),
        added=added,
        removed=removed,
        renumbered=moved,
        settings=tuple(changes.setting_changes(old, new, models)),
        merges=merges,
        scores=scores,
        texts_tried=found.tried,
        texts_changed=found.changed,
        texts=tuple(
            replace(change, place=place[2]) if is_of_files else change
            for place, change in found.texts
        ),
        training=tuple(changes.training_changes(old, new)),
    )


def _fingerprint(tokenizer: Tokenizer) -> str | None:
    return None if tokenizer._functions else tokenizer.fingerprint
