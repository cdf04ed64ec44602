"""Training: word counts and a trainer's settings to a tokenizer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal

from piecework import _core, normalizers, pre_tokenizers
from piecework._component import splitter_json
from piecework.arguments import DEFAULT, ArrowColumn, Default, check_iterable
from piecework.counts import WordCounts, with_defaults
from piecework.errors import warn, wrong_type
from piecework.io import check_text
from piecework.normalizers import SentencePiece
from piecework.pre_tokenizers import ByteLevel, Metaspace, Split, WhitespaceSplit
from piecework.progress import reporting
from piecework.tokenizer import Tokenizer
from piecework.trainers import BpeTrainer, Trainer, UnigramTrainer, WordPieceTrainer

if TYPE_CHECKING:
    from piecework.io.files import Pathish
    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.types import ProgressLike

__all__ = ["train", "train_files"]


def train(
    texts: Iterable[str] | ArrowColumn | WordCounts | Mapping[str, int],
    trainer: Trainer,
    *,
    normalizer: Normalizer | Default | None = DEFAULT,
    pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
    threads: int | None = None,
    progress: ProgressLike = False,
) -> Tokenizer:
    """Train a tokenizer.

    Args:
        texts: An iterable of ``str``, each a document, or a column of strings as for :meth:`Tokenizer.encode_batch`; or
            word counts; or a mapping of words to counts, whose words are taken as they are.
        trainer: The settings.
        normalizer: What a text is changed by: by default what word counts were made with, else BERT's for WordPiece and
            nothing for BPE and Unigram.
        pre_tokenizer: How it is split: by default as word counts were, else as BERT does for WordPiece, as GPT-2 does for
            BPE on bytes, at white space for BPE on characters, and for Unigram before it, by ``Metaspace``, which with
            user-defined symbols puts a space before the first word alone.
        threads: How many to count with, and to learn Unigram with; one for each core by default. They do not change the result.
        progress: Whether to show progress, or what to call with it.

    Returns:
        The tokenizer, with its history and token counts.

    Raises:
        ConfigError: Settings that do not fit the data, such as a vocabulary smaller than the alphabet.
        CountsError: No words, or word counts made with other settings.
        CountOverflowError: A sum does not fit into 64 bits.
        SurrogateError: A text holds a lone surrogate.

    >>> tok = train(["the cat sat on the mat"], WordPieceTrainer(vocab_size=30))
    >>> tok.tokenize("the cat")
    ['the', 'cat']
    """
    _check_trainer_type(trainer)
    if isinstance(texts, Mapping):
        counts = WordCounts(texts)
    elif isinstance(texts, WordCounts):
        counts = texts
    else:
        normalizer, pre_tokenizer = splitting_for(trainer, normalizer, pre_tokenizer)
        counts = WordCounts.from_texts(
            texts,
            normalizer=normalizer,
            pre_tokenizer=pre_tokenizer,
            threads=threads,
            progress=progress,
        )
    return _train(counts, trainer, normalizer, pre_tokenizer, threads=threads, progress=progress)


def train_files(
    paths: Pathish | Iterable[Pathish],
    trainer: Trainer,
    *,
    normalizer: Normalizer | Default | None = DEFAULT,
    pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
    threads: int | None = None,
    progress: ProgressLike = False,
    encoding: str = "utf-8",
    errors: str = "strict",
) -> Tokenizer:
    """Train a tokenizer on text files, each line of which is a document.

    For BPE, lines keep their ends, as in ``tokenizers``: with a pre-tokenizer that leaves white space in words they are
    learned from.

    Args:
        paths: One file or several.
        trainer: The settings.
        normalizer: What a text is changed by, None for nothing; by default as in :func:`train`.
        pre_tokenizer: How it is split, None for one word a line; by default as in :func:`train`.
        threads: How many to count with, and to learn Unigram with; one for each core by default. They do not change the result.
        progress: Whether to show progress, or what to call with it.
        encoding: The files' character set, or ``"auto"`` to detect it for each.
        errors: ``"strict"`` makes broken bytes an error, ``"replace"`` puts U+FFFD in their place.

    Returns:
        The tokenizer, with its history and token counts.

    Raises:
        FileError: A file cannot be read; a missing file also is a ``FileNotFoundError``.
        FormatError: A file is not text but compressed data, a Parquet file, or JSON lines.
        InvalidUtf8Error: Broken bytes, with file, line and byte.
        ConfigError: Settings that do not fit the data.
        CountsError: The files hold no words.
    """
    _check_trainer_type(trainer)
    normalizer, pre_tokenizer = splitting_for(trainer, normalizer, pre_tokenizer)
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    paths = list(check_iterable("paths", paths, "a path or an iterable of paths"))
    for path in paths:
        check_text(path, "train - -o tokenizer.json")
    counts = WordCounts.from_files(
        paths,
        normalizer=normalizer,
        pre_tokenizer=pre_tokenizer,
        threads=threads,
        progress=progress,
        encoding=encoding,
        errors=errors,
        keep_line_ends=isinstance(trainer, BpeTrainer),
    )
    return _train(counts, trainer, normalizer, pre_tokenizer, threads=threads, progress=progress)


def _check_trainer_type(trainer: object) -> None:
    if not isinstance(trainer, Trainer):
        expected = "a WordPieceTrainer, a BpeTrainer or a UnigramTrainer"
        raise wrong_type("trainer", expected, trainer)


def splitting_for(
    trainer: Trainer,
    normalizer: Normalizer | Default | None = DEFAULT,
    pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
) -> tuple[Normalizer | Default | None, PreTokenizer | Default | None]:
    """Put what BPE and Unigram have where nothing was given; the defaults of word counts are WordPiece's."""
    if not isinstance(trainer, WordPieceTrainer):
        if isinstance(normalizer, Default):
            normalizer = _normalizer_for(trainer)
        if isinstance(pre_tokenizer, Default):
            pre_tokenizer = _splitter_for(trainer)
    return normalizer, pre_tokenizer


def _normalizer_for(trainer: Trainer) -> Normalizer | None:
    if not _ends_words_with_spaces(trainer):
        return None
    return SentencePiece(remove_extra_whitespaces=False, treat_whitespace_as_suffix=True)


def _splitter_for(trainer: Trainer) -> PreTokenizer:
    if _ends_words_with_spaces(trainer):
        return Split("▁", "merged_with_previous")
    if isinstance(trainer, UnigramTrainer):
        # No word begins behind a symbol, where none began in training; pieces with inner spaces are of no word.
        scheme: Literal["first", "always"] = "first" if trainer.user_defined_symbols else "always"
        return Metaspace(prepend_scheme=scheme, split=_keeps_to_words(trainer))
    return ByteLevel(add_prefix_space=False) if _is_on_bytes(trainer) else WhitespaceSplit()


def _keeps_to_words(trainer: UnigramTrainer) -> bool:
    return trainer.split_by_whitespace and not trainer.allow_whitespace_only_pieces


def _ends_words_with_spaces(trainer: Trainer) -> bool:
    return isinstance(trainer, UnigramTrainer) and trainer.treat_whitespace_as_suffix


def _train(
    counts: WordCounts,
    trainer: Trainer,
    normalizer: Normalizer | Default | None,
    pre_tokenizer: PreTokenizer | Default | None,
    *,
    threads: int | None,
    progress: ProgressLike,
) -> Tokenizer:
    if counts.has_pipeline:
        normalizer = counts.normalizer if isinstance(normalizer, Default) else normalizer
        pre_tokenizer = (
            counts.pre_tokenizer if isinstance(pre_tokenizer, Default) else pre_tokenizer
        )
    normalizer, pre_tokenizer = with_defaults(*splitting_for(trainer, normalizer, pre_tokenizer))
    splitter, functions = splitter_json(normalizer, pre_tokenizer)
    if isinstance(trainer, WordPieceTrainer):
        _warn_of_rarities(counts, trainer)
        _warn_of_foreign_symbols(trainer, splitter, functions)
    if isinstance(trainer, BpeTrainer) and trainer.unknown_token is None and trainer.ties != "hf":
        _warn_of_dropped_characters(trainer, normalizer, pre_tokenizer)
    if _ends_words_with_spaces(trainer) and pre_tokenizer == _splitter_for(trainer):
        _warn_of_spaces_in_front(normalizer)
    if not counts.has_pipeline and not _is_on_bytes(trainer):
        _warn_of_foreign_words(counts, splitter, functions)
    with reporting(progress) as report:
        core = _core.train(counts._core, splitter, functions, trainer.to_json(), threads, report)
        tok = Tokenizer._wrap(core, functions)
        report("learning" if tok.steps else "merging", len(tok), len(tok))
        return tok


def _is_on_bytes(trainer: Trainer) -> bool:
    """Whether words are written in characters that stand for bytes, which splitting them again would change."""
    return isinstance(trainer, BpeTrainer) and trainer.alphabet == "byte"


def _warn_of_dropped_characters(
    trainer: BpeTrainer, normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None
) -> None:
    if trainer.alphabet == "char":
        reason = "unk_token=None"
    elif not (_writes_bytes(normalizer) or _writes_bytes(pre_tokenizer)):
        reason = (
            'alphabet="byte" without ByteLevel, as normalizer or pre-tokenizer, and unk_token=None'
        )
    else:
        return
    warn(
        f"{reason}: encoding will drop characters that are not in the alphabet; name a token for them with unk_token"
    )


def _writes_bytes(part: Normalizer | PreTokenizer | None) -> bool:
    """Whether a part writes bytes as characters, so that no character is unknown."""
    if isinstance(part, normalizers.Sequence):
        return any(map(_writes_bytes, part.normalizers))
    if isinstance(part, pre_tokenizers.Sequence):
        return any(map(_writes_bytes, part.pre_tokenizers))
    return isinstance(part, normalizers.ByteLevel | pre_tokenizers.ByteLevel)


_MANY_WORDS = 10_000
"""So many different words are a corpus and no example."""


def _warn_of_rarities(counts: WordCounts, trainer: WordPieceTrainer) -> None:
    floors = trainer.min_frequency > 1 or trainer.limit_alphabet or trainer.min_word_frequency > 1
    if trainer.criterion == "pmi" and not floors and len(counts) > _MANY_WORDS:
        warn(
            'criterion="pmi" without a floor fills the vocabulary with pairs that occur once and always '
            "together; pass min_frequency=, min_word_frequency= or limit_alphabet="
        )


def _warn_of_spaces_in_front(normalizer: Normalizer | None) -> None:
    if normalizer is None or not normalizer.normalize_str("a b").startswith("a▁"):
        warn(
            "treat_whitespace_as_suffix=True, and the normalizer puts no ▁ behind words; pass "
            "normalizers.SentencePiece(..., treat_whitespace_as_suffix=True), or a sequence that ends in it"
        )


def _warn_of_foreign_words(
    counts: WordCounts, splitter: str, functions: list[Callable[[str], object]]
) -> None:
    foreign = counts._core.foreign_to(splitter, functions, 3)
    if foreign:
        warn(
            f"the tokenizer's normalizer and pre-tokenizer would change words of the mapping, such as {foreign}, so text "
            "will never give them; pass normalizer= and pre_tokenizer= as the words were made with (None for neither)"
        )


def _warn_of_foreign_symbols(
    trainer: WordPieceTrainer, splitter: str, functions: list[Callable[[str], object]]
) -> None:
    # What begins with the prefix is also looked for inside words, without it.
    prefix = trainer.continuing_subword_prefix
    words = {
        symbol.removeprefix(prefix) or symbol: symbol for symbol in trainer.user_defined_symbols
    }
    foreign = WordCounts(dict.fromkeys(words, 1))._core.foreign_to(splitter, functions, 3)
    if foreign:
        warn(
            f"the tokenizer's normalizer and pre-tokenizer would change user-defined symbols, such as "
            f"{[words[word] for word in foreign]}, so text will never match them; write them as they are after "
            "normalization, or change what splits them"
        )
