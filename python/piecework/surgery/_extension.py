"""Extends a vocabulary by tokens learned from a new domain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from piecework import _core
from piecework._exceptions import warn
from piecework._messages import shown
from piecework._progress import ProgressLike, reporting
from piecework._settings.arguments import ArrowColumn, as_bytes, check_index, check_threads
from piecework._settings.choices import Criterion
from piecework.errors import ConfigError
from piecework.surgery._change import VocabularyChange, id_count, map_of_ids, only_given
from piecework.surgery._characters import NewCharacters, UnknownCharacters, check_characters
from piecework.surgery._models import extended, is_cut
from piecework.surgery._usage import word_counts
from piecework.surgery._words import NewEntries, entries_of_words, sources_of_merges
from piecework.tokenizer._arguments import TokenizerLike, as_tokenizer
from piecework.tokenizer._rebuild import model_tree, rebuilt
from piecework.tokenizer._results import Merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from piecework._io.corpus import Corpus
    from piecework.corpus._counts import WordCounts
    from piecework.engines import Engine
    from piecework.tokenizer import Tokenizer

_CRITERIA = get_args(Criterion)
_MIN_FREQUENCY = 2
_MORE_TEXT = "pass more text, or lower `min_frequency`"
_NOTABLE = 0.005
"""The share of words with unknown characters from which a warning names it."""


def extend(
    tokenizer: TokenizerLike,
    texts: Iterable[str] | ArrowColumn | Corpus | WordCounts | Mapping[str, int] | None = None,
    *,
    words: Iterable[str] | None = None,
    vocab_size: int | None = None,
    new_tokens: int | None = None,
    new_characters: NewCharacters | None = None,
    criterion: Criterion | None = None,
    min_frequency: int = _MIN_FREQUENCY,
    max_token_length: int | None = None,
    threads: int | None = None,
    max_memory: str | int | None = None,
    engine: Engine | None = None,
    progress: ProgressLike = False,
) -> VocabularyChange:
    """Adds tokens on top of a vocabulary, whose ids do not change: learned from texts, or given words.

    The old tokenizer splits the words of the texts, and learning goes on from its tokens. BPE appends merges, so a text
    without a new merge encodes as before. WordPiece adds entries by its criterion, and the longest match prefers them in all
    texts. Unigram keeps the scores of old pieces, and EM estimates those of new ones ([docs/surgery.md](docs/surgery.md)).
    No new character is learned, unless `new_characters` adds them first.

    Args:
        tokenizer: The tokenizer, with a WordPiece, BPE or Unigram model.
        texts: Texts of the domain: an iterable of ``str``, a string column or a :class:`piecework.Corpus`; or words with their
            counts, as the tokenizer splits them.
        words: Texts that become single tokens, instead of texts to learn from; each is one word for the tokenizer, such as
            ``" kubernetes"`` for GPT-2 where it follows another word. BPE makes shorter words first, and gets the merges and
            intermediate entries that they need.
        vocab_size: The number of tokens of the result.
        new_tokens: The number of tokens to add, instead of `vocab_size`.
        new_characters: The characters that the vocabulary lacks and that become entries first, the most frequent ones: a number
            of them, a share of their occurrences (a float above 0 up to 1.0), or ``"all"``. They are among the new tokens. With
            a byte alphabet they are characters of several tokens, whose bytes are merged.
        criterion: The criterion of WordPiece, as for :class:`piecework.WordPieceTrainer`; None for ``"likelihood"``. Other
            models have none.
        min_frequency: The smallest number of occurrences of a new token.
        max_token_length: The largest number of characters of a new token, without prefix and suffix; None for no limit,
            and for 16 with Unigram.
        threads: The number of threads for counting, and for Unigram; by default one per core. The result does not depend
            on it.
        max_memory: The memory for the words and the training, as for :func:`piecework.train`.
        engine: Where the files of a corpus are counted, such as :class:`piecework.engines.Local`; by default in this process.
        progress: Whether to show progress, or a callback for it.

    Returns:
        The new tokenizer, without a record of a training; and for each new id the old ids that it was made of. If the texts
        have fewer new tokens than wanted, all of them, with a warning.

    Raises:
        ConfigError: Neither or both of `vocab_size` and `new_tokens` are given, a setting is invalid, the model cannot be
            extended, or cannot make one of `words` a single token; or the training does not fit into `max_memory`.
        CountsError: The texts have no word, or the words were counted with another normalizer or pre-tokenizer.

    >>> import piecework as pw
    >>> tok = pw.train({"low": 5, "lower": 2, "newest": 6, "widest": 3}, pw.BpeTrainer(vocab_size=16))
    >>> change = extend(tok, {"lowest": 9, "slowest": 4}, new_tokens=2)
    >>> change.added, change.initial_rows
    (('lowest', 'slowest'), {16: (14, 12), 17: (8, 14, 12)})
    >>> tok.tokenize("lowest"), change.tokenizer.tokenize("lowest")
    (['low', 'est'], ['lowest'])
    >>> change = extend(tok, words=["slower"])
    >>> change.added, change.intermediate
    (('slow', 'slowe', 'slower'), ('slow', 'slowe'))
    """
    check_threads(threads)
    tok = as_tokenizer("tokenizer", tokenizer)
    if tok.model_type == "WordLevel":
        raise ConfigError(
            "a WordLevel vocabulary has whole words, which need no training",
            hint="add them with `tok.with_added_tokens`, or train a new vocabulary",
        )
    if new_characters is not None:
        check_characters(new_characters)
    if words is not None:
        _refuse(
            texts=texts,
            vocab_size=vocab_size,
            new_tokens=new_tokens,
            new_characters=new_characters,
            criterion=criterion,
            min_frequency=None if min_frequency == _MIN_FREQUENCY else min_frequency,
            max_token_length=max_token_length,
        )
        return _changed(tok, entries_of_words(tok, words))
    if texts is None:
        raise ConfigError("expected texts or words, found neither")
    wanted = _wanted(tok, vocab_size, new_tokens)
    criterion = _criterion(tok, criterion)
    min_frequency = _positive("min_frequency", min_frequency)
    if max_token_length is not None:
        max_token_length = _positive("max_token_length", max_token_length)
    counts = word_counts(
        tok, texts, threads=threads, max_memory=max_memory, engine=engine, progress=progress
    )
    first = _with_characters(tok, counts, new_characters, wanted)
    base, before = (first.tokenizer, len(first.added)) if first else (tok, 0)
    wanted -= before
    if first and not wanted:
        return first
    with reporting(progress) as report:
        tokens, scores, rows = _core.extend(
            base._core,
            counts._core,
            (criterion, wanted, min_frequency, max_token_length),
            threads,
            report,
            as_bytes("max_memory", max_memory),
        )
    if len(tokens) < wanted:
        warn(
            f"the texts have fewer new tokens than {before + wanted:,}: {before + len(tokens):,}",
            setting="new_tokens" if vocab_size is None else "vocab_size",
            hint=_hint(base, counts) if new_characters is None else _MORE_TEXT,
        )
    history = [Merge(*row) for row in rows]
    sources = _sources(base, tokens, history)
    change = _changed(base, NewEntries(tokens, sources, scores, history))
    change = _joined(first, change) if first else change
    if tok.model_type != "BPE":
        return change
    return replace(change, intermediate=_unused(change, counts))


def _refuse(**learning: object) -> None:
    """Raises ConfigError for an argument of learning, which is given beside words."""
    for name, value in learning.items():
        if value is not None:
            raise ConfigError("has no effect with `words`", setting=name, hint="remove it")


def _with_characters(
    tok: Tokenizer, counts: WordCounts, new_characters: NewCharacters | None, limit: int
) -> VocabularyChange | None:
    """Returns a tokenizer with entries for characters of a corpus; None if none are wanted or missing."""
    if new_characters is None:
        return None
    unknown = UnknownCharacters(tok, counts)
    chosen = unknown.chosen(new_characters)
    new = unknown.fitting(chosen, limit)
    return _changed(tok, new) if new.tokens else None


def _hint(tok: Tokenizer, counts: WordCounts) -> str:
    """Returns what to do if a corpus has too few new tokens."""
    share = UnknownCharacters(tok, counts).share
    if share < _NOTABLE:
        return _MORE_TEXT
    return (
        f"{share:.0%} of the words were cut at characters that the vocabulary lacks: "
        'pass `new_characters="all"`, a number of them or a share'
    )


def _joined(first: VocabularyChange, second: VocabularyChange) -> VocabularyChange:
    """Returns one change for two, of which the first only added entries."""
    known = first.initial_rows
    rows = {
        number: tuple(old for source in sources for old in known.get(source, (source,)))
        for number, sources in second.initial_rows.items()
    }
    return replace(
        second,
        id_map=first.id_map,
        initial_rows={**known, **rows},
        added=first.added + second.added,
        intermediate=first.intermediate + second.intermediate,
    )


def _changed(tok: Tokenizer, new: NewEntries) -> VocabularyChange:
    """Returns a tokenizer with new entries."""
    old = model_tree(tok)
    model = extended(tok, old, new.tokens, new.scores, new.history)
    _warn_of_files(tok, old, model)
    return VocabularyChange(
        tokenizer=rebuilt(tok, model, int),
        id_map=map_of_ids(tok, {number: number for number in tok.vocab.values()}),
        initial_rows=dict(enumerate(new.sources, id_count(tok))),
        removed=(),
        added=tuple(new.tokens),
        intermediate=tuple(new.intermediate),
    )


def _unused(change: VocabularyChange, words: WordCounts) -> tuple[str, ...]:
    """Returns the new entries that no word of the corpus contains any more, since others were made of them."""
    used = _core.count_tokens(change.tokenizer._core, words._core, None, None)
    return tuple(
        token
        for number, token in zip(change.initial_rows, change.added, strict=True)
        if not used[number]
    )


def _warn_of_files(tok: Tokenizer, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Warns of added tokens because of which other libraries cannot read the result."""
    if tok.model_type == "Unigram":
        if old["type"] == new["type"]:
            return
        inside = {token.content for token in tok.added_tokens.values() if is_cut(tok, token)}
        problem = "is reserved in the model; `tokenizers` refuses such a file"
    else:
        inside, problem = new["vocab"], "stays outside of the model; no tokenizer.json holds its id"
    outside = [token.content for token in tok.added_tokens.values() if token.content not in inside]
    if outside:
        warn(
            f"the added token {shown(outside[0])}, which words may contain, {problem}",
            hint="extend a tokenizer without it and add it afterwards, with another id",
        )


def _wanted(tok: Tokenizer, vocab_size: int | None, new_tokens: int | None) -> int:
    """Returns the number of tokens to add."""
    name, given = only_given(vocab_size=vocab_size, new_tokens=new_tokens)
    size = _positive(name, given)
    if name == "new_tokens":
        return size
    if size <= len(tok):
        raise ConfigError(
            f"expected more than the {len(tok):,} tokens of the tokenizer, found {size:,}",
            setting="vocab_size",
        )
    return size - len(tok)


def _criterion(tok: Tokenizer, criterion: Criterion | None) -> Criterion:
    """Returns the criterion of the extension, which models other than WordPiece ignore."""
    if criterion is None:
        return "likelihood"
    if criterion not in _CRITERIA:
        raise ConfigError(
            f"expected one of {', '.join(_CRITERIA)}, found {shown(criterion)}", setting="criterion"
        )
    if tok.model_type != "WordPiece":
        message = f"has no effect with a {tok.model_type} model"
        raise ConfigError(message, setting="criterion", hint="remove it")
    return criterion


def _positive(name: str, value: int) -> int:
    number = check_index(name, value)
    if isinstance(value, bool) or not 1 <= number < 1 << 32:
        raise ConfigError(
            f"expected an integer from 1 to 2^32 - 1, found {shown(value)}", setting=name
        )
    return number


def _sources(
    tok: Tokenizer, tokens: Sequence[str], history: Sequence[Merge]
) -> list[tuple[int, ...]]:
    """Returns the old ids that each new token was made of."""
    if not history:
        alone = type(tok)._wrap(tok._core.model_alone())
        return [tuple(alone.encode_ids(token, add_special_tokens=False)) for token in tokens]
    sources = sources_of_merges(history, tok._core.token_to_id)
    return [sources[token] for token in tokens]
