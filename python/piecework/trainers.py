"""Trainers: the settings of a training.

>>> from piecework import trainers
>>> trainers.BpeTrainer(vocab_size=300, alphabet="byte").alphabet
'byte'
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, asdict, fields
from numbers import Real
from operator import index
from typing import Any, ClassVar, Literal

from piecework import _core
from piecework._immutable import Immutable, dataclass
from piecework.arguments import DEFAULT, Default
from piecework.errors import ConfigError, FormatError, from_surrogate, shown, to_utf8

__all__ = ["BpeTrainer", "Trainer", "UnigramTrainer", "WordPieceTrainer"]

Criterion = Literal["likelihood", "pmi", "sum", "frequency"]
Ties = Literal["lex", "first", "hf"]
BpeTies = Literal["lex", "first", "hf", "sentencepiece"]
Alphabet = Literal["char", "byte"]
SuffixStyle = Literal["attached", "separate"]

_LEAST = {
    "vocab_size": 1,
    "min_frequency": 1,
    "min_word_frequency": 1,
    "max_merges": 0,
    "stop_at_pair_frequency": 0,
    "limit_alphabet": 1,
    "max_token_length": 1,
    "seed_size": 0,
    "em_steps": 1,
    "max_piece_length": 1,
}
_UNKNOWN = ("<unk>", "[UNK]")
_NAMES = ("special_tokens", "user_defined_symbols")
_CHARACTERS = ("initial_alphabet", "required_chars")


class Trainer(Immutable):
    """The base of all trainers: dataclasses of settings, which the core reads as JSON."""

    type_name: ClassVar[str]
    _optional: ClassVar[frozenset[str]] = frozenset(
        {"max_merges", "stop_at_pair_frequency", "limit_alphabet", "max_token_length"}
    )

    special_tokens: Sequence[str]
    user_defined_symbols: Sequence[str]

    def __post_init__(self) -> None:
        """Check types and ranges; the core checks them against the data."""
        own = {field.name for field in fields(self)}  # type: ignore[arg-type]  # trainers are dataclasses
        for name in own.intersection(_NAMES + _CHARACTERS):
            value = getattr(self, name)
            if not isinstance(value, Iterable):
                raise ConfigError(f"{name} must be a sequence of str, not {shown(value)}")
            if name in _NAMES and isinstance(value, str):
                raise ConfigError(
                    f"{name} must be a sequence of str, not one str; pass [{shown(value)}]"
                )
            object.__setattr__(self, name, tuple(value))
            self._check_texts(name)
        self._check_names()
        for name in own.intersection(_LEAST):
            least = _LEAST[name]
            object.__setattr__(self, name, self._integer(name, getattr(self, name), least))
        try:
            _core.check_trainer(self.to_json())
        except FormatError as error:
            raise ConfigError(str(error).removeprefix("$.")) from None

    def _check_texts(self, name: str) -> None:
        """Refuse what is no text where it stands, not where the settings as JSON have it."""
        for place, text in enumerate(getattr(self, name)):
            if not isinstance(text, str):
                raise ConfigError(f"{name}[{place}]: expected a str, found {shown(text)}")
            self._check_unicode(f"{name}[{place}]", text)

    def _check_unicode(self, name: str, text: str) -> None:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise from_surrogate(error, f"{name}: ") from None

    def _check_names(self) -> None:
        for name in _NAMES:
            for token, times in Counter(getattr(self, name)).items():
                if not token or times > 1:
                    raise ConfigError(f"{name}: {shown(token)} is empty or given twice")
        for token in self.user_defined_symbols:
            if token in self.special_tokens:
                raise ConfigError(f"user_defined_symbols: {shown(token)} is a special token")

    def _integer(self, name: str, value: object, least: int) -> int | None:
        """The integer, also where it is one of NumPy's."""
        if value is None and name in self._optional:
            return None
        try:
            number = index(value)  # type: ignore[arg-type]  # what is none raises
        except TypeError:
            number = -1
        if isinstance(value, bool) or not least <= number < 1 << 63:
            raise ConfigError(
                f"{name} must be an integer from {least} to 2^63 - 1, not {shown(value)}"
            )
        return number

    def _values(self) -> dict[str, object]:
        """Return the settings by name, as JSON has them."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]  # the trainers are dataclasses

    def to_json(self) -> str:
        """Give the settings as JSON."""
        settings = self._values()
        try:
            text = json.dumps({"type": self.type_name} | settings, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            wrong = [name for name, value in settings.items() if not _is_json(value)]
            raise ConfigError(f"{', '.join(wrong)}: a setting of the wrong type") from None
        to_utf8(text)
        return text


def _is_json(value: object) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


@dataclass(frozen=True)
class WordPieceTrainer(Trainer):
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

    >>> import piecework as pw
    >>> tok = pw.train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, WordPieceTrainer(vocab_size=18))
    >>> [merge.token for merge in tok.history]
    ['##ug', '##un', 'hug', 'pun', 'pug', 'bun']
    >>> tok = pw.train({"hug": 10, "hugs": 5}, WordPieceTrainer(10, user_defined_symbols=["hug"]))
    >>> tok.token_to_id("hug"), tok.tokenize("hugs")
    (5, ['hug', '##s'])
    """

    type_name: ClassVar[str] = "WordPieceTrainer"

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


@dataclass(frozen=True)
class BpeTrainer(Trainer):
    """The settings of a BPE training.

    Words are split into characters. Then, again and again, the most frequent pair of adjacent symbols becomes one: that is
    a merge, and what it makes an entry of the vocabulary. In encoding the merges are applied again, in their order.

    With ``alphabet="byte"`` the characters of words stand for bytes, as the pre-tokenizer ``ByteLevel`` writes them, and
    the vocabulary has all 256: no text is unknown.

    Among pairs of equal frequency ``ties`` decides:

    =================  ================================================================================================
    ``lex``            the first by the bytes of left and right symbol as rendered
    ``first``          the one whose earliest occurrence comes first
    ``hf``             the one with the smaller ids; and all else is as in ``tokenizers``, too: a character that
                       ``limit_alphabet`` leaves out vanishes, the alphabet is ordered by code points and has every character
                       without prefix and suffix, merges may make special tokens, and ``max_token_length`` is one less
    ``sentencepiece``  the shorter merged token, then the first by its bytes
    =================  ================================================================================================

    The result is a pure function of the word counts, these settings and the version of the algorithm.

    Args:
        vocab_size: The entries to reach; special tokens, user-defined symbols and alphabet included. None for no limit.
        max_merges: Stop after so many merges. Without either, merging ends when nothing is left to merge.
        min_frequency: Pairs that occur less often are not merged.
        min_word_frequency: Words that occur less often are left out, unless they are user-defined symbols.
        stop_at_pair_frequency: Stop when the most frequent pair occurs at most so often.
        ties: Which of equally frequent pairs is merged.
        special_tokens: Entries that stand for no text.
        special_tokens_first: Whether they have the first ids, or the last.
        unk_token: The token for characters that are not in the alphabet. If it is not in ``special_tokens``, it is added as
            the first of them; it counts towards ``vocab_size``. By default ``<unk>`` or ``[UNK]``, whichever is in
            ``special_tokens``; otherwise ``<unk>`` with ``alphabet="char"``, and None with ``alphabet="byte"`` (no character
            is unknown) or ``ties="hf"`` (as in ``tokenizers``); :attr:`unknown_token` says which. With None, encoding drops
            unknown characters; training on characters with ``unk_token=None`` raises a warning, but not with
            ``ties="hf"``. Merges do not depend on it.
        user_defined_symbols: Entries that are found in a text before it is split; nothing is learned from words that equal
            one.
        alphabet: ``"char"`` for the characters that occur, ``"byte"`` for those that stand for bytes.
        initial_alphabet: Characters that become entries even if never seen.
        limit_alphabet: Keep so many characters, the most frequent; a word is cut where another one stood.
        continuing_subword_prefix: What marks a token that continues a word.
        end_of_word_suffix: What marks a token that ends a word, such as ``</w>``.
        suffix_style: Whether that is ``"attached"`` to the last character, or ``"separate"``, a symbol of its own.
        max_token_length: No longer tokens, in characters without prefix and suffix.

    Raises:
        ConfigError: A setting that is impossible.

    >>> import piecework as pw
    >>> tok = pw.train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, pw.BpeTrainer(max_merges=3))
    >>> [(merge.left, merge.right, merge.pair_count) for merge in tok.history]
    [('u', 'g', 20), ('u', 'n', 16), ('h', 'ug', 15)]
    >>> tok.tokenize("hugs"), tok.tokenize("mug")
    (['hug', 's'], ['<unk>', 'ug'])
    """

    type_name: ClassVar[str] = "BpeTrainer"
    _optional: ClassVar[frozenset[str]] = Trainer._optional | {"vocab_size"}

    vocab_size: int | None = None
    _: KW_ONLY
    max_merges: int | None = None
    min_frequency: int = 1
    min_word_frequency: int = 1
    stop_at_pair_frequency: int | None = None
    ties: BpeTies = "lex"
    special_tokens: Sequence[str] = ()
    special_tokens_first: bool = True
    unk_token: str | Default | None = DEFAULT
    user_defined_symbols: Sequence[str] = ()
    alphabet: Alphabet = "char"
    initial_alphabet: Iterable[str] = ()
    limit_alphabet: int | None = None
    continuing_subword_prefix: str = ""
    end_of_word_suffix: str = ""
    suffix_style: SuffixStyle = "attached"
    max_token_length: int | None = None

    def _check_names(self) -> None:
        super()._check_names()
        unk_token: Any = self.unknown_token
        if not (unk_token is None or (isinstance(unk_token, str) and unk_token)):
            raise ConfigError(f"unk_token must be a non-empty str or None, not {shown(unk_token)}")
        self._check_unicode("unk_token", unk_token or "")
        if unk_token in self.user_defined_symbols:
            raise ConfigError(
                f"user_defined_symbols: {shown(unk_token)} is the unknown token; pass another unk_token"
            )

    def _values(self) -> dict[str, object]:
        return super()._values() | {"unk_token": self.unknown_token}

    @property
    def unknown_token(self) -> str | None:
        """The token for unknown characters: ``unk_token``, or what that is by default."""
        if not isinstance(self.unk_token, Default):
            return self.unk_token
        for name in _UNKNOWN:
            if name in self.special_tokens:
                return name
        return _UNKNOWN[0] if self.alphabet == "char" and self.ties != "hf" else None


@dataclass(frozen=True)
class UnigramTrainer(Trainer):
    """The settings of a training of a unigram language model.

    It begins with many strings of the words, those that cover most of the text. Then, again and again, it learns how probable each
    is, over all ways to spell the words (EM), and drops those that are missed least, until the size is reached (Kudo 2018,
    *Subword regularization*). Words are cut at white space, which is written as ``▁``, as the pre-tokenizer ``Metaspace`` does. Of
    pieces that are worth the same, those that come first by their UTF-8 bytes stay.

    By default nothing is normalized, as for BPE, so that decoding gives texts back. SentencePiece's own default are the rules
    ``normalizers.Precompiled.of("nmt_nfkc")``, passed to :func:`piecework.train` as ``normalizer=`` beside the trainer, and one
    space for several, ``normalizers.Replace(pw.Regex(" {2,}"), " ")``; where many stand side by side in the corpus, the latter
    keeps the mark for a space by itself from being learned as a word.

    A step costs time for the characters of the different words, times the pieces that begin at one place. The result is a
    pure function of the word counts, these settings and the version of the algorithm: its bits do not depend on the order of the words, on threads, or on
    the machine. Memory: some 20 bytes for each character of the different words, 150 for
    each string to begin with, and 16 for each of those in each thread.

    Args:
        vocab_size: The entries at the end; special tokens, user-defined symbols, bytes and alphabet included. There are exactly so
            many, or the error says how many there can be.
        seed_size: The most strings to begin with, the characters apart. The default, SentencePiece's, is a bound for memory on
            large corpora: smaller ones have fewer strings that repeat, and are as quick with it as without. For a vocabulary of a few
            hundred, some twenty times as many are enough.
        shrinking_factor: The share of the pieces that a round leaves.
        em_steps: The steps of EM in each round.
        max_piece_length: No longer pieces, in characters.
        min_frequency: Strings that occur less often are not begun with; those that occur once never are.
        min_word_frequency: Words that occur less often are left out.
        special_tokens: Entries that stand for no text.
        special_tokens_first: Whether they have the first ids, or the last.
        unk_token: Which of them stands for unknown characters. With None such a character is an error, unless ``byte_fallback``
            spells it.
        user_defined_symbols: Entries that are found in a text before it is split; nothing is learned across them.
        byte_fallback: Whether the 256 bytes are entries, which spell what is unknown.
        character_coverage: Keep the most frequent characters, so that they make up this share of the text; words are cut at the
            others.
        required_chars: Characters to keep in any case, even if never seen.
        split_by_unicode_script: No piece has characters of two scripts; kana go with Han.
        split_by_number: Nor digits beside letters.
        split_digits: A digit is a piece by itself.
        split_by_whitespace: ``▁`` stands only at the front of a piece. Without, a text is one word, if nothing else is said.
        allow_whitespace_only_pieces: Several ``▁`` are a piece, too; a text is one word then, as well.
        treat_whitespace_as_suffix: ``▁`` ends a word, ``hug▁``, and stands only at the end of a piece. By default texts are then
            normalized by ``normalizers.SentencePiece`` and split behind white space.

    Raises:
        ConfigError: A setting that is impossible.

    >>> import piecework as pw
    >>> words = {"▁hug": 10, "▁pug": 5, "▁pun": 12, "▁bun": 4, "▁hugs": 5}
    >>> tok = pw.train(words, UnigramTrainer(16))
    >>> tok.tokenize("hugs pun")
    ['▁hugs', '▁pun']
    >>> [(done.pieces, done.removed) for done in tok.steps if done.removed]
    [(16, ('un', 'ug')), (14, ('▁pu',))]
    """

    type_name: ClassVar[str] = "UnigramTrainer"

    vocab_size: int
    _: KW_ONLY
    seed_size: int = 1_000_000
    shrinking_factor: float = 0.75
    em_steps: int = 1
    max_piece_length: int = 16
    min_frequency: int = 2
    min_word_frequency: int = 1
    special_tokens: Sequence[str] = ("<unk>", "<s>", "</s>")
    special_tokens_first: bool = True
    unk_token: str | None = "<unk>"
    user_defined_symbols: Sequence[str] = ()
    byte_fallback: bool = False
    character_coverage: float = 0.9995
    required_chars: Iterable[str] = ()
    split_by_unicode_script: bool = True
    split_by_number: bool = True
    split_digits: bool = False
    split_by_whitespace: bool = True
    allow_whitespace_only_pieces: bool = False
    treat_whitespace_as_suffix: bool = False

    def __post_init__(self) -> None:
        """Check types and ranges, those of shares first."""
        for name in ("shrinking_factor", "character_coverage"):
            value = getattr(self, name)
            is_number = isinstance(value, Real) and not isinstance(value, bool)
            if not is_number or not 0 <= value <= 1:
                raise ConfigError(f"{name} must be a number from 0 to 1, not {shown(value)}")
            object.__setattr__(self, name, float(value))
        super().__post_init__()
