"""Training: word counts and a trainer's settings to a tokenizer."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass
from operator import index
from typing import TYPE_CHECKING, Literal

from piecework import _core
from piecework._component import splitter_json
from piecework.arguments import DEFAULT, ArrowColumn, Default
from piecework.counts import WordCounts, with_defaults
from piecework.errors import ConfigError, FormatError, PieceworkWarning, to_utf8
from piecework.progress import reporting
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from piecework.io.files import Pathish
    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.types import ProgressLike

__all__ = ["WordPieceTrainer", "train", "train_files"]

Criterion = Literal["likelihood", "pmi", "sum", "frequency"]
Ties = Literal["lex", "first", "hf"]


@dataclass(frozen=True)
class WordPieceTrainer:
    """The settings of a WordPiece training.

    Words are split into characters, all but the first marked by ``continuing_subword_prefix``. Then, again and
    again, the best pair of adjacent symbols becomes one, and the token it makes an entry of the vocabulary. With
    symbols that occur a and b times, a pair that occurs n times, and N symbols in all, a pair is worth

    ============  =====================================================  =======================================
    likelihood    the exact gain of the corpus log-likelihood            Schuster & Nakajima 2012; notes 002, 003
    pmi           n / (a·b)                                              notes 000, 001
    sum           n / (a + b)                                            note 004
    frequency     n                                                      BPE
    ============  =====================================================  =======================================

    A pure ratio such as ``pmi`` rewards pairs that occur once and always together: without ``min_frequency`` or
    ``limit_alphabet`` it fills the vocabulary with rarities.

    Among pairs of equal worth ``ties`` decides: ``"lex"`` takes the first by the bytes of left and right token as
    rendered, ``"first"`` the one whose earliest occurrence comes first, ``"hf"`` the one with the smaller ids. The
    vocabulary is a pure function of the word counts, these settings and the version of the algorithm. A merge
    costs time for the occurrences of its pair and the pairs it touches, not for the table.

    Args:
        vocab_size: The entries to reach; special tokens, user-defined symbols and alphabet included.
        criterion: What makes a pair good.
        min_frequency: Pairs that occur less often are not merged.
        min_word_frequency: Words that occur less often are left out, unless they are user-defined symbols.
        max_merges: Stop after so many merges.
        stop_at_pair_frequency: Stop when the most frequent pair occurs at most so often.
        stop_without_gain: Stop before a merge that would not raise the log-likelihood.
        ties: Which of equally good pairs is merged.
        special_tokens: Entries that stand for no text; ``[UNK]`` among them is the unknown token.
        special_tokens_first: Whether they have the first ids, or the last.
        user_defined_symbols: Whole words, such as the phrases of a domain dictionary, that are ordinary entries from
            the start, after the special tokens that come first. They are written as they are after normalization. A
            word that equals one is that one token, and nothing is learned from it, not even its characters: see
            ``initial_alphabet``.
        initial_alphabet: Characters that become entries, at the start of a word and inside, even if never seen.
        limit_alphabet: Keep so many characters, the most frequent; a word is cut where another one stood.
        continuing_subword_prefix: What marks a token that continues a word; may be empty.
        max_token_length: No longer tokens, in characters without the prefix.
        prune_unused: Drop tokens that encoding the training words never uses, and learn others instead.

    Raises:
        ConfigError: A setting that is impossible.

    >>> tok = train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, WordPieceTrainer(vocab_size=18))
    >>> [merge.token for merge in tok.history]
    ['##ug', '##un', 'hug', 'pun', 'pug', 'bun']
    >>> tok = train({"hug": 10, "hugs": 5}, WordPieceTrainer(10, user_defined_symbols=["hug"]))
    >>> tok.token_to_id("hug"), tok.tokenize("hugs")
    (5, ['hug', '##s'])
    """

    vocab_size: int
    _: KW_ONLY
    criterion: Criterion = "likelihood"
    min_frequency: int = 1
    min_word_frequency: int = 1
    max_merges: int | None = None
    stop_at_pair_frequency: int | None = None
    stop_without_gain: bool = False
    ties: Ties = "lex"
    special_tokens: Sequence[str] = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    special_tokens_first: bool = True
    user_defined_symbols: Sequence[str] = ()
    initial_alphabet: Iterable[str] = ()
    limit_alphabet: int | None = None
    continuing_subword_prefix: str = "##"
    max_token_length: int | None = None
    prune_unused: bool = False

    def __post_init__(self) -> None:
        """Check types and ranges; the core checks them against the data."""
        for name in ("special_tokens", "user_defined_symbols", "initial_alphabet"):
            value = getattr(self, name)
            if not isinstance(value, Iterable):
                raise ConfigError(f"{name} must be a sequence of str, not {value!r}")
            if name != "initial_alphabet" and isinstance(value, str):
                raise ConfigError(
                    f"{name} must be a sequence of str, not one str; pass [{value!r}]"
                )
            object.__setattr__(self, name, tuple(value))
        self._check_names()
        for name, least in _LEAST.items():
            object.__setattr__(self, name, _checked_integer(name, getattr(self, name), least))
        try:
            _core.check_trainer(self.to_json())
        except FormatError as error:
            raise ConfigError(str(error).removeprefix("$.")) from None

    def _check_names(self) -> None:
        for name in ("special_tokens", "user_defined_symbols"):
            for token, times in Counter(getattr(self, name)).items():
                if not token or times > 1:
                    raise ConfigError(f"{name}: {token!r} is empty or given twice")
        for token in self.user_defined_symbols:
            if token in self.special_tokens:
                raise ConfigError(f"user_defined_symbols: {token!r} is a special token")

    def to_json(self) -> str:
        """Give the settings as JSON."""
        try:
            text = json.dumps({"type": "WordPieceTrainer"} | asdict(self), ensure_ascii=False)
        except TypeError:
            wrong = [name for name, value in asdict(self).items() if not _is_json(value)]
            raise ConfigError(f"{', '.join(wrong)}: a setting of the wrong type") from None
        to_utf8(text)
        return text


def _is_json(value: object) -> bool:
    try:
        json.dumps(value)
    except TypeError:
        return False
    return True


_LEAST = {
    "vocab_size": 1,
    "min_frequency": 1,
    "min_word_frequency": 1,
    "max_merges": 0,
    "stop_at_pair_frequency": 0,
    "limit_alphabet": 1,
    "max_token_length": 1,
}
_OPTIONAL = {"max_merges", "stop_at_pair_frequency", "limit_alphabet", "max_token_length"}


def _checked_integer(name: str, value: object, least: int) -> int | None:
    """The integer, also where it is one of NumPy's."""
    if value is None and name in _OPTIONAL:
        return None
    try:
        number = index(value)  # type: ignore[arg-type]  # what is none raises
    except TypeError:
        number = -1
    if isinstance(value, bool) or not least <= number < 1 << 63:
        raise ConfigError(f"{name} must be an integer from {least} on, not {value!r}")
    return number


def train(
    texts: Iterable[str] | ArrowColumn | WordCounts | Mapping[str, int],
    trainer: WordPieceTrainer,
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
        normalizer: What a text is changed by: by default what word counts were made with, else BERT's.
        pre_tokenizer: How it is split: by default as word counts were, else as BERT does.
        threads: How many to count with; one for each core by default. They do not change the result.
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
        counts = WordCounts.from_texts(
            texts,
            normalizer=normalizer,
            pre_tokenizer=pre_tokenizer,
            threads=threads,
            progress=progress,
        )
    return _train(counts, trainer, normalizer, pre_tokenizer, progress)


def train_files(
    paths: Pathish | Iterable[Pathish],
    trainer: WordPieceTrainer,
    *,
    normalizer: Normalizer | Default | None = DEFAULT,
    pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
    threads: int | None = None,
    progress: ProgressLike = False,
    encoding: str = "utf-8",
    errors: str = "strict",
) -> Tokenizer:
    """Train a tokenizer on text files, each line of which is a document.

    Args:
        paths: One file or several.
        trainer: The settings.
        normalizer: What a text is changed by; BERT's by default, None for nothing.
        pre_tokenizer: How it is split; BERT's by default, None for one word a line.
        threads: How many to count with; one for each core by default. They do not change the result.
        progress: Whether to show progress, or what to call with it.
        encoding: The files' character set, or ``"auto"`` to detect it for each.
        errors: ``"strict"`` makes broken bytes an error, ``"replace"`` puts U+FFFD in their place.

    Returns:
        The tokenizer, with its history and token counts.

    Raises:
        FileError: A file cannot be read; a missing file also is a ``FileNotFoundError``.
        InvalidUtf8Error: Broken bytes, with file, line and byte.
        ConfigError: Settings that do not fit the data.
        CountsError: The files hold no words.
    """
    _check_trainer_type(trainer)
    counts = WordCounts.from_files(
        paths,
        normalizer=normalizer,
        pre_tokenizer=pre_tokenizer,
        threads=threads,
        progress=progress,
        encoding=encoding,
        errors=errors,
    )
    return _train(counts, trainer, normalizer, pre_tokenizer, progress)


def _check_trainer_type(trainer: object) -> None:
    if not isinstance(trainer, WordPieceTrainer):
        raise TypeError(f"expected a WordPieceTrainer, found {type(trainer).__name__}")


def _train(
    counts: WordCounts,
    trainer: WordPieceTrainer,
    normalizer: Normalizer | Default | None,
    pre_tokenizer: PreTokenizer | Default | None,
    progress: ProgressLike,
) -> Tokenizer:
    if counts.knows_its_words:
        normalizer = counts.normalizer if isinstance(normalizer, Default) else normalizer
        pre_tokenizer = (
            counts.pre_tokenizer if isinstance(pre_tokenizer, Default) else pre_tokenizer
        )
    normalizer, pre_tokenizer = with_defaults(normalizer, pre_tokenizer)
    splitter, functions = splitter_json(normalizer, pre_tokenizer)
    _warn_of_rarities(counts, trainer)
    if not counts.knows_its_words:
        _warn_of_foreign_words(counts, splitter, functions)
    _warn_of_foreign_symbols(trainer, splitter, functions)
    with reporting(progress) as report:
        core = _core.train(counts._core, splitter, functions, trainer.to_json(), report)
        tok = Tokenizer._wrap(core, functions)
        report("merging", len(tok), len(tok))
        return tok


_MANY_WORDS = 10_000
"""So many different words are a corpus and no example."""


def _warn_of_rarities(counts: WordCounts, trainer: WordPieceTrainer) -> None:
    floors = trainer.min_frequency > 1 or trainer.limit_alphabet or trainer.min_word_frequency > 1
    if trainer.criterion == "pmi" and not floors and len(counts) > _MANY_WORDS:
        warnings.warn(
            'criterion="pmi" without a floor fills the vocabulary with pairs that occur once and always '
            "together; pass min_frequency=, min_word_frequency= or limit_alphabet=",
            PieceworkWarning,
            stacklevel=4,
        )


def _warn_of_foreign_words(
    counts: WordCounts, splitter: str, functions: list[Callable[[str], object]]
) -> None:
    foreign = counts._core.foreign_to(splitter, functions, 3)
    if foreign:
        warnings.warn(
            f"the tokenizer's normalizer and pre-tokenizer would change words of the mapping, such as {foreign}, so text "
            "will never give them; pass normalizer= and pre_tokenizer= as the words were made with (None for neither)",
            PieceworkWarning,
            stacklevel=4,
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
        warnings.warn(
            f"the tokenizer's normalizer and pre-tokenizer would change user-defined symbols, such as "
            f"{[words[word] for word in foreign]}, so text will never match them; write them as they are after "
            "normalization, or change what splits them",
            PieceworkWarning,
            stacklevel=4,
        )
