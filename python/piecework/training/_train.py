"""Trains tokenizers from texts or word counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework import _core
from piecework._exceptions import warn
from piecework._io.given import as_corpus
from piecework._messages import shown, wrong_type
from piecework._progress import ProgressLike, reporting
from piecework._settings.arguments import (
    DEFAULT,
    ArrowColumn,
    Default,
    as_bytes,
    check_threads,
)
from piecework._settings.component import splitter_json
from piecework.corpus._counts import WordCounts, count_within, with_defaults
from piecework.corpus._splitting import (
    ends_words_with_spaces,
    is_on_bytes,
    splitter_for,
    splitting_for,
)
from piecework.errors import ConfigError
from piecework.tokenizer import Tokenizer
from piecework.tokenizer._arguments import TokenizerLike, as_tokenizer
from piecework.trainers import BpeTrainer, Trainer, WordPieceTrainer
from piecework.training._retraining import like_with_vocabulary, trainer_like, writes_bytes

if TYPE_CHECKING:
    from piecework._io.corpus import Corpus
    from piecework._io.files import Pathish
    from piecework.engines import Engine
    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer


def train(
    texts: Iterable[str] | ArrowColumn | Corpus | WordCounts | Mapping[str, int],
    trainer: Trainer | None = None,
    *,
    like: TokenizerLike | None = None,
    vocab_size: int | None = None,
    normalizer: Normalizer | Default | None = DEFAULT,
    pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
    threads: int | None = None,
    progress: ProgressLike = False,
    max_memory: str | int | None = None,
    work_dir: Pathish | None = None,
    engine: Engine | None = None,
    part_bytes: int | None = None,
) -> Tokenizer:
    """Trains a tokenizer on texts or word counts.

    For BPE, lines of text files keep their line ends unless the corpus says otherwise, as in ``tokenizers``, so a
    pre-tokenizer that keeps white space in words learns from them.

    Args:
        texts: An iterable of ``str``, one per document; a string column as for :meth:`Tokenizer.encode_batch`; files, a
            :class:`Corpus`; word counts; or a mapping of words to counts, whose words are neither normalized nor split.
        trainer: The settings of the training; with `like` by default those of the kind of its model.
        like: A tokenizer for whose pipeline a new vocabulary is learned: its normalizer, pre-tokenizer, post-processor, decoder,
            alphabet and settings of the model stay, and so do its added tokens with their flags, with new ids.
        vocab_size: The number of tokens, with `like` and without `trainer`; by default that of the tokenizer.
        normalizer: The normalizer: by default that of the word counts, otherwise BERT's for WordPiece and none for BPE
            and Unigram.
        pre_tokenizer: The pre-tokenizer: by default that of the word counts; otherwise BERT's for WordPiece, GPT-2's for
            BPE on bytes, white space for BPE on characters, and ``Metaspace`` for Unigram, which with user-defined symbols
            prepends a space only to the first word. None makes each text one word.
        threads: The number of threads for counting, and for Unigram; by default one per core. The result does not depend
            on it.
        progress: Whether to show progress, or a callback for it.
        max_memory: The memory for the words and the training, such as ``"2GB"`` or a number of bytes; by default unlimited.
            While words are counted, those that exceed it are in temporary files; the training holds each different word, and
            if it does not fit, ends with an error that has the size.
        work_dir: The folder for temporary files of the counting, as for :meth:`WordCounts.from_texts`.
        engine: Where the words of a corpus are counted ([docs/cluster.md](docs/cluster.md)); by default in threads of this
            process. The tokenizer does not depend on it.
        part_bytes: The bytes of input that a worker of the engine counts at a time; 64 MiB by default.

    Returns:
        The tokenizer, with its history and token counts.

    Raises:
        ConfigError: The settings do not fit the data, such as a vocabulary smaller than the alphabet, or the training does
            not fit into `max_memory`.
        CountsError: There are no words, or the word counts have another normalizer or pre-tokenizer.
        CountOverflowError: A sum does not fit into 64 bits.
        SurrogateError: A text contains a lone surrogate.
        PieceworkError: A corpus cannot be read; see :class:`Corpus`.

    >>> tok = train(["the cat sat on the mat"], WordPieceTrainer(vocab_size=30))
    >>> tok.tokenize("the cat")
    ['the', 'cat']
    >>> train(["a new domain"] * 2, like=tok).encode("domain").tokens
    ['[CLS]', 'domain', '[SEP]']
    """
    known = None if like is None else as_tokenizer("like", like)
    if known is not None:
        if not isinstance(normalizer, Default) or not isinstance(pre_tokenizer, Default):
            name = "pre_tokenizer" if isinstance(normalizer, Default) else "normalizer"
            hint = f"replace that of the tokenizer, like.replace({name}=...)"
            raise ConfigError("cannot be combined with `like`", setting=name, hint=hint)
        trainer = trainer_like(known, trainer, vocab_size)
        normalizer, pre_tokenizer = known.normalizer, known.pre_tokenizer
    elif vocab_size is not None:
        hint = "pass it to the trainer"
        raise ConfigError("requires `like`", setting="vocab_size", hint=hint)
    job = prepare_training(
        texts,
        trainer,
        normalizer=normalizer,
        pre_tokenizer=pre_tokenizer,
        threads=threads,
        progress=progress,
        max_memory=max_memory,
        work_dir=work_dir,
        engine=engine,
        part_bytes=part_bytes,
    )
    with reporting(progress) as report:
        memory = as_bytes("max_memory", max_memory)
        core = _core.train(job.counts._core, job.settings, threads, report, memory)
        tok = job.trained(core, report)
    return tok if known is None else like_with_vocabulary(known, tok)


class TrainingJob(NamedTuple):
    """Holds the checked arguments of a training.

    Attributes:
        counts: The word counts.
        trainer: The settings.
        splitter: The normalizer and the pre-tokenizer of the tokenizer, as JSON.
        functions: The functions that the splitter refers to by index.
    """

    counts: WordCounts
    trainer: Trainer
    splitter: str
    functions: list[Callable[[str], object]]

    @property
    def settings(self) -> tuple[str, list[Callable[[str], object]], str]:
        """Returns the settings as the core takes them."""
        return self.splitter, self.functions, self.trainer.to_json()

    def trained(
        self, core: _core.Tokenizer, report: Callable[[str, int, int], object]
    ) -> Tokenizer:
        """Returns the tokenizer that the core has trained, and reports the end of the training."""
        tok = Tokenizer._wrap(core, self.functions)
        report("learning" if tok.training.steps else "merging", len(tok), len(tok))
        return tok


def prepare_training(
    texts: Iterable[str] | ArrowColumn | Corpus | WordCounts | Mapping[str, int],
    trainer: Trainer | None,
    *,
    normalizer: Normalizer | Default | None = DEFAULT,
    pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
    threads: int | None = None,
    max_memory: str | int | None = None,
    engine: Engine | None = None,
    **settings: Any,
) -> TrainingJob:
    """Checks the arguments of a training and counts the words of texts; arguments and errors as in :func:`train`."""
    if not isinstance(trainer, Trainer):
        expected = "a WordPieceTrainer, a BpeTrainer, a UnigramTrainer or a WordLevelTrainer"
        raise wrong_type("trainer", expected, trainer)
    check_threads(threads)
    if isinstance(texts, Mapping | WordCounts):
        _refuse_counting(engine=engine, **settings)
        counts = WordCounts(texts) if isinstance(texts, Mapping) else texts
        return _job(counts, trainer, normalizer, pre_tokenizer)
    normalizer, pre_tokenizer = splitting_for(trainer, normalizer, pre_tokenizer)
    corpus = as_corpus(texts)
    counts = count_within(
        texts if corpus is None else corpus._learned_by(bpe=isinstance(trainer, BpeTrainer)),
        normalizer=normalizer,
        pre_tokenizer=pre_tokenizer,
        added_tokens=trainer.added_tokens,
        threads=threads if engine is None else None,  # with an engine, they are for the training
        max_memory=max_memory,
        engine=engine,
        **settings,
    )
    return _job(counts, trainer, normalizer, pre_tokenizer)


def _refuse_counting(*, progress: object = False, **settings: object) -> None:
    """Raises ConfigError for settings of the counting, but `progress`, if the words are counted already."""
    for name, value in settings.items():
        if value is not None:
            message = "has no effect on words that are counted already"
            raise ConfigError(message, setting=name, hint="remove it")


def _job(
    counts: WordCounts,
    trainer: Trainer,
    normalizer: Normalizer | Default | None,
    pre_tokenizer: PreTokenizer | Default | None,
) -> TrainingJob:
    if counts.has_pipeline:
        normalizer = counts.normalizer if isinstance(normalizer, Default) else normalizer
        pre_tokenizer = (
            counts.pre_tokenizer if isinstance(pre_tokenizer, Default) else pre_tokenizer
        )
    normalizer, pre_tokenizer = with_defaults(*splitting_for(trainer, normalizer, pre_tokenizer))
    splitter, functions = splitter_json(normalizer, pre_tokenizer)
    _warn_of_commas(trainer)
    if isinstance(trainer, WordPieceTrainer):
        _warn_of_rare_pairs(counts, trainer)
        _warn_of_foreign_symbols(trainer, splitter, functions)
    if isinstance(trainer, BpeTrainer) and trainer.unknown_token is None and trainer.ties != "hf":
        _warn_of_dropped_characters(trainer, normalizer, pre_tokenizer)
    if ends_words_with_spaces(trainer) and pre_tokenizer == splitter_for(trainer):
        _warn_of_missing_suffix(normalizer)
    if not counts.has_pipeline and not is_on_bytes(trainer):
        _warn_of_foreign_words(counts, splitter, functions)
    return TrainingJob(counts, trainer, splitter, functions)


def _warn_of_commas(trainer: Trainer) -> None:
    """Warns of special tokens, and of symbols in brackets, that look like a list of several."""
    for setting, kind in (("special_tokens", "special token"), ("user_defined_symbols", "symbol")):
        for token in getattr(trainer, setting):
            parts = [part.strip() for part in token.split(",") if part.strip()]
            in_brackets = len(parts) > 1 and all(part[0] in "<[" for part in parts)
            if in_brackets or ("," in token and parts and kind == "special token"):
                warn(
                    f"{shown(token)} is one {kind} that contains a comma",
                    setting=setting,
                    hint=f"for several tokens pass `{setting}={parts}`",
                )


def _warn_of_dropped_characters(
    trainer: BpeTrainer, normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None
) -> None:
    dropped = "encoding drops characters that are not in the alphabet"
    if trainer.alphabet == "char":
        setting, problem = "unk_token", f"without an unknown token, {dropped}"
    elif not (writes_bytes(normalizer) or writes_bytes(pre_tokenizer)):
        setting, problem = "alphabet", f"without ByteLevel and an unknown token, {dropped}"
    else:
        return
    warn(problem, setting=setting, hint="pass `unk_token=...`")


_MANY_WORDS = 10_000
"""The number of different words from which on a table is a corpus rather than an example."""


def _warn_of_rare_pairs(counts: WordCounts, trainer: WordPieceTrainer) -> None:
    has_minimum = (
        trainer.min_frequency > 1 or trainer.limit_alphabet or trainer.min_word_frequency > 1
    )
    if trainer.criterion == "pmi" and not has_minimum and len(counts) > _MANY_WORDS:
        warn(
            '"pmi" without a minimum frequency merges pairs whose symbols occur only together, even once',
            setting="criterion",
            hint="pass `min_frequency=...`, `min_word_frequency=...` or `limit_alphabet=...`",
        )


def _warn_of_missing_suffix(normalizer: Normalizer | None) -> None:
    if normalizer is None or not normalizer.normalize_str("a b").startswith("a▁"):
        warn(
            "the normalizer appends no ▁ to words",
            setting="treat_whitespace_as_suffix",
            hint="pass a SentencePiece normalizer with `treat_whitespace_as_suffix=True`, or a Sequence that ends in one",
        )


def _warn_of_foreign_words(
    counts: WordCounts, splitter: str, functions: list[Callable[[str], object]]
) -> None:
    """Warns of words that the tokenizer never produces: a mapping may come from any splitter, and is accepted with any."""
    foreign = counts._core.foreign_to(splitter, functions, 3)
    if foreign:
        warn(
            "the tokenizer's normalizer and pre-tokenizer change words of the mapping, such as "
            f"{foreign}, so no text contains them after splitting",
            hint="pass the `normalizer=...` and `pre_tokenizer=...` of the words (None for none)",
        )


def _warn_of_foreign_symbols(
    trainer: WordPieceTrainer, splitter: str, functions: list[Callable[[str], object]]
) -> None:
    # A symbol that begins with the prefix is matched inside words, without the prefix.
    prefix = trainer.continuing_subword_prefix
    words = {
        symbol.removeprefix(prefix) or symbol: symbol for symbol in trainer.user_defined_symbols
    }
    foreign = WordCounts(dict.fromkeys(words, 1))._core.foreign_to(splitter, functions, 3)
    if foreign:
        warn(
            "the tokenizer's normalizer and pre-tokenizer change user-defined symbols, such as "
            f"{[words[word] for word in foreign]}, so no text matches them",
            hint="pass them in normalized form, or a pre-tokenizer that does not split them",
        )
