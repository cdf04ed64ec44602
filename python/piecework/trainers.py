"""Defines trainers, the settings of a training.

>>> from piecework import trainers
>>> trainers.BpeTrainer(vocab_size=300, alphabet="byte").alphabet
'byte'
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import KW_ONLY, field
from typing import TYPE_CHECKING, Any, ClassVar

from piecework import _core, _messages, errors as _errors
from piecework._settings import (
    added_tokens as _added_tokens,
    arguments as _arguments,
    fields as _fields,
    immutable as _immutable,
)
from piecework._settings.choices import Alphabet, BpeTies, Criterion, SuffixStyle, Ties

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "Alphabet",
    "BpeTies",
    "BpeTrainer",
    "Criterion",
    "SuffixStyle",
    "Ties",
    "Trainer",
    "UnigramTrainer",
    "WordLevelTrainer",
    "WordPieceTrainer",
]


_UNKNOWN = ("<unk>", "[UNK]")


class _Token(_fields.Text):
    """Checks a token, which is its text alone."""

    def check(self, value: Any) -> str:
        if isinstance(value, _added_tokens.AddedToken):
            content = _messages.shown(value.content)
            hint = (
                f"pass {content}; `with_added_tokens` of the trained tokenizer takes an AddedToken"
            )
            raise _fields.Mismatch("expected a string, found an AddedToken", hint=hint)
        return super().check(value)


class _Tokens(_fields.ListOf):
    """Checks tokens, of which none is empty or a duplicate."""

    def check(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            hint = f"pass {_messages.shown(value.split(','))}"
            raise _fields.Mismatch("expected a list of strings, found one string", hint=hint)
        if isinstance(value, _added_tokens.AddedToken):
            value = [value]
        tokens = super().check(value)
        for token, times in Counter(tokens).items():
            if not token or times > 1:
                problem = "is a duplicate" if token else "is empty"
                raise _fields.Mismatch(f"{_messages.shown(token)} {problem}", hint="remove it")
        return tokens


class _Characters(_fields.ListOf):
    """Checks characters: a list, or one string of them."""

    def check(self, value: Any) -> tuple[str, ...]:
        return super().check(list(value) if isinstance(value, str) else value)


_LIMIT = 1 << 63
_TOKENS = _fields.takes(_Tokens(_Token()))
_CHARACTERS = _fields.takes(_Characters(_fields.TEXT))
_COUNT = _fields.takes(_fields.Number(1, _LIMIT))
_COUNT_FROM_0 = _fields.takes(_fields.Number(0, _LIMIT))
_MAYBE_COUNT = _fields.takes(_fields.Maybe(_fields.Number(1, _LIMIT)))
_MAYBE_COUNT_FROM_0 = _fields.takes(_fields.Maybe(_fields.Number(0, _LIMIT)))
_FRACTION = _fields.takes(_fields.PROBABILITY)
_MAYBE_TOKEN = _fields.takes(_fields.Maybe(_Token(1)))


_BY_ORDER = "ids follow the order of `special_tokens`"


class Trainer(_fields.Settings):
    """Serves as the base of all trainers, settings that the core reads as JSON."""

    _OTHER_NAMES: ClassVar[Mapping[str, str]] = {
        "add_dummy_prefix": "pass normalizer=piecework.normalizers.SentencePiece.of(...) to piecework.train",
        "bos_id": _BY_ORDER,
        "control_symbols": "pass them as `special_tokens`",
        "eos_id": _BY_ORDER,
        "hard_vocab_limit": "the size is exact; the error for too large a size names the largest",
        "input": "pass the files to piecework.train(piecework.Corpus(files), trainer)",
        "input_sentence_size": "pass the texts that count: piecework.train(itertools.islice(texts, n), trainer)",
        "max_sentencepiece_length": "pass `max_piece_length`",
        "model_prefix": "call save(path) of the trained tokenizer",
        "model_type": "choose BpeTrainer, UnigramTrainer, WordLevelTrainer or WordPieceTrainer",
        "normalization_rule_name": "pass normalizer=piecework.normalizers.SentencePiece.of(...) to piecework.train",
        "num_sub_iterations": "pass `em_steps`",
        "num_threads": "pass threads=... to piecework.train",
        "pad_id": _BY_ORDER,
        "remove_extra_whitespaces": "pass normalizer=piecework.normalizers.SentencePiece.of(...) to piecework.train",
        "seed_sentencepiece_size": "pass `seed_size`",
        "show_progress": "pass progress=... to piecework.train",
        "unk_id": _BY_ORDER,
        "unk_piece": "pass `unk_token`",
    }
    type_name: ClassVar[str]

    special_tokens: Sequence[str]
    user_defined_symbols: Sequence[str]

    def __post_init__(self) -> None:
        """Checks the settings; the core checks them against each other, and later against the data."""
        super().__post_init__()
        for token in self.user_defined_symbols:
            if token in self.special_tokens:
                raise _errors.ConfigError(
                    f"{_messages.shown(token)} is also a special token",
                    setting="user_defined_symbols",
                    hint="remove one of them",
                )
        _core.check_trainer(self.to_json())

    @property
    def added_tokens(self) -> tuple[_added_tokens.AddedToken, ...]:
        """Returns the tokens at which training cuts texts, since encoding always does.

        They are the special tokens, and for BPE and Unigram the user-defined symbols. With ``ties="hf"`` BPE has none, as the
        trainer of ``tokenizers`` cuts no text.

        >>> [token.content for token in BpeTrainer(300, user_defined_symbols=["<a>"]).added_tokens]
        ['<unk>', '<a>']
        """
        special = (
            _added_tokens.AddedToken(token, special=True) for token in self._special_tokens()
        )
        return (*special, *map(_added_tokens.AddedToken, self._cutting_symbols()))

    def _special_tokens(self) -> Sequence[str]:
        return self.special_tokens

    def _cutting_symbols(self) -> Sequence[str]:
        """Returns the user-defined symbols at which texts are cut."""
        return self.user_defined_symbols

    def _write(self) -> dict[str, Any]:
        return {"type": self.type_name} | super()._write()

    def to_json(self) -> str:
        """Returns the settings as JSON."""
        return json.dumps(self._write(), ensure_ascii=False)


@_immutable.dataclass(frozen=True)
class WordPieceTrainer(Trainer):
    """Holds the settings of a WordPiece training.

    Words are split into characters; all but the first get ``continuing_subword_prefix``. Then the adjacent pair with the
    best score is merged repeatedly, and the merged token is added to the vocabulary. For symbols that occur a and b
    times, and a pair that occurs n times, the score is

    ============  =====================================================  =======================================
    likelihood    the exact gain of the corpus log-likelihood            Schuster and Nakajima 2012
    pmi           n / (a·b)                                              Church and Hanks 1990; HF course
    sum           n / (a + b)                                            half the Dice coefficient
    frequency     n                                                      BPE: Sennrich et al. 2016
    ============  =====================================================  =======================================

    ``pmi`` is a pure ratio, which is largest for pairs whose symbols occur once, together: pass ``min_frequency`` or
    ``limit_alphabet`` too.

    ``ties`` orders pairs of equal score: ``"lex"`` by the bytes of left and right token as rendered, ``"first"`` by the
    earliest occurrence, ``"hf"`` by ids. The vocabulary is a pure function of the word counts, these settings and the
    version of the algorithm. A merge takes time for the occurrences of its pair and of adjacent pairs.

    Args:
        vocab_size: The number of tokens; special tokens, user-defined symbols and alphabet included.
        criterion: The score of a pair.
        min_frequency: The minimum count of a pair to merge.
        min_word_frequency: The minimum count of a word to learn from; user-defined symbols are exempt.
        max_merges: The maximum number of merges.
        stop_at_pair_frequency: Stop when no pair occurs more often.
        stop_without_gain: Stop before a merge that would not raise the log-likelihood.
        ties: The order of pairs of equal score.
        special_tokens: Tokens that represent no text; ``[UNK]`` among them is the unknown token.
        special_tokens_first: Whether special tokens get the first ids or the last.
        user_defined_symbols: Whole words in normalized form, such as the phrases of a dictionary, that are tokens from the
            start, with ids after the special tokens. A word that equals one is that token, and nothing is learned from
            it, not even its characters; see `initial_alphabet`.
        initial_alphabet: Characters that become tokens, at the start of a word and inside, even if they never occur.
        limit_alphabet: The number of characters to keep, most frequent first; words are split at the others.
        continuing_subword_prefix: The prefix of a token that continues a word; may be empty.
        max_token_length: The maximum length of a token in characters, prefix excluded.
        prune_unused: Remove tokens that do not occur in the encoded training words, and learn others instead.

    Raises:
        ConfigError: A setting is invalid.

    >>> import piecework as pw
    >>> tok = pw.train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, WordPieceTrainer(vocab_size=18))
    >>> [merge.token for merge in tok.history]
    ['##ug', '##un', 'hug', 'pun', 'pug', 'bun']
    >>> tok = pw.train({"hug": 10, "hugs": 5}, WordPieceTrainer(10, user_defined_symbols=["hug"]))
    >>> tok.token_to_id("hug"), tok.tokenize("hugs")
    (5, ['hug', '##s'])
    """

    type_name: ClassVar[str] = "WordPieceTrainer"

    vocab_size: int = field(metadata=_COUNT)
    _: KW_ONLY
    criterion: Criterion = "likelihood"
    min_frequency: int = field(default=1, metadata=_COUNT)
    min_word_frequency: int = field(default=1, metadata=_COUNT)
    max_merges: int | None = field(default=None, metadata=_MAYBE_COUNT_FROM_0)
    stop_at_pair_frequency: int | None = field(default=None, metadata=_MAYBE_COUNT_FROM_0)
    stop_without_gain: bool = False
    ties: Ties = "lex"
    special_tokens: Sequence[str] = field(
        default=("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), metadata=_TOKENS
    )
    special_tokens_first: bool = True
    user_defined_symbols: Sequence[str] = field(default=(), metadata=_TOKENS)
    initial_alphabet: Iterable[str] = field(default=(), metadata=_CHARACTERS)
    limit_alphabet: int | None = field(default=None, metadata=_MAYBE_COUNT)
    continuing_subword_prefix: str = "##"
    max_token_length: int | None = field(default=None, metadata=_MAYBE_COUNT)
    prune_unused: bool = False

    def _cutting_symbols(self) -> Sequence[str]:
        return ()  # they are entries like others


class _UnknownToken(_fields.Maybe):
    """Checks an unknown token, None, or the sign for the default."""

    def check(self, value: Any) -> Any:
        return value if isinstance(value, _arguments.Default) else super().check(value)

    def write(self, value: Any) -> Any:
        return value  # `BpeTrainer` writes the token that applies


_UNK = _fields.takes(_UnknownToken(_fields.Text(1)))


@_immutable.dataclass(frozen=True)
class BpeTrainer(Trainer):
    """Holds the settings of a BPE training.

    Words are split into characters. Then the most frequent pair of adjacent symbols is merged repeatedly, and the merged
    token is added to the vocabulary. Encoding applies the merges in the same order.

    With ``alphabet="byte"`` words consist of byte-level characters, as the pre-tokenizer ``ByteLevel`` writes them, and
    the vocabulary has all 256 of them: no text is unknown.

    ``ties`` orders pairs of equal frequency:

    =================  ================================================================================================
    ``lex``            by the bytes of left and right symbol as rendered
    ``first``          by the earliest occurrence
    ``hf``             by ids; all else is as in ``tokenizers`` too: a character that ``limit_alphabet`` excludes is removed,
                       the alphabet is ordered by code points and contains every character without prefix and suffix,
                       merges may create special tokens, and ``max_token_length`` is one less
    ``sentencepiece``  by the length of the merged token, then by its bytes
    =================  ================================================================================================

    The result is a pure function of the word counts, these settings and the version of the algorithm.

    Args:
        vocab_size: The number of tokens; special tokens, user-defined symbols and alphabet included. None for no limit.
        max_merges: The maximum number of merges. Without `vocab_size` and `max_merges` merging ends when no pair is left.
        min_frequency: The minimum count of a pair to merge.
        min_word_frequency: The minimum count of a word to learn from; user-defined symbols are exempt.
        stop_at_pair_frequency: Stop when no pair occurs more often.
        ties: The order of pairs of equal frequency.
        special_tokens: Tokens that represent no text.
        special_tokens_first: Whether special tokens get the first ids or the last.
        unk_token: The token for characters that are not in the alphabet. If it is not in `special_tokens`, it is added as
            the first of them; it counts towards `vocab_size`. By default ``<unk>`` or ``[UNK]``, whichever is in
            `special_tokens`; otherwise ``<unk>`` with ``alphabet="char"``, and None with ``alphabet="byte"`` (no character
            is unknown) or ``ties="hf"`` (as in ``tokenizers``); see :attr:`unknown_token`. With None, encoding drops
            unknown characters; training on characters with ``unk_token=None`` raises a warning, but not with
            ``ties="hf"``. Merges do not depend on it.
        user_defined_symbols: Tokens in normalized form that are matched in the normalized text before it is split; nothing
            is learned across them.
        alphabet: ``"char"`` for the characters that occur, ``"byte"`` for the 256 byte-level characters.
        initial_alphabet: Characters that become tokens even if they never occur.
        limit_alphabet: The number of characters to keep, most frequent first; words are split at the others.
        continuing_subword_prefix: The prefix of a token that continues a word.
        end_of_word_suffix: The suffix of a token that ends a word, such as ``</w>``.
        suffix_style: Whether the suffix is ``"attached"`` to the last character or a ``"separate"`` symbol.
        max_token_length: The maximum length of a token in characters, prefix and suffix excluded.

    Raises:
        ConfigError: A setting is invalid.

    >>> import piecework as pw
    >>> tok = pw.train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, pw.BpeTrainer(max_merges=3))
    >>> [(merge.left, merge.right, merge.pair_count) for merge in tok.history]
    [('u', 'g', 20), ('u', 'n', 16), ('h', 'ug', 15)]
    >>> tok.tokenize("hugs"), tok.tokenize("mug")
    (['hug', 's'], ['<unk>', 'ug'])
    """

    type_name: ClassVar[str] = "BpeTrainer"

    vocab_size: int | None = field(default=None, metadata=_MAYBE_COUNT)
    _: KW_ONLY
    max_merges: int | None = field(default=None, metadata=_MAYBE_COUNT_FROM_0)
    min_frequency: int = field(default=1, metadata=_COUNT)
    min_word_frequency: int = field(default=1, metadata=_COUNT)
    stop_at_pair_frequency: int | None = field(default=None, metadata=_MAYBE_COUNT_FROM_0)
    ties: BpeTies = "lex"
    special_tokens: Sequence[str] = field(default=(), metadata=_TOKENS)
    special_tokens_first: bool = True
    unk_token: str | _arguments.Default | None = field(default=_arguments.DEFAULT, metadata=_UNK)
    user_defined_symbols: Sequence[str] = field(default=(), metadata=_TOKENS)
    alphabet: Alphabet = "char"
    initial_alphabet: Iterable[str] = field(default=(), metadata=_CHARACTERS)
    limit_alphabet: int | None = field(default=None, metadata=_MAYBE_COUNT)
    continuing_subword_prefix: str = ""
    end_of_word_suffix: str = ""
    suffix_style: SuffixStyle = "attached"
    max_token_length: int | None = field(default=None, metadata=_MAYBE_COUNT)

    def __post_init__(self) -> None:
        """Checks the settings, also that the unknown token is no symbol."""
        super().__post_init__()
        unk_token = self.unknown_token
        if unk_token in self.user_defined_symbols:
            raise _errors.ConfigError(
                f"{_messages.shown(unk_token)} is the unknown token",
                setting="user_defined_symbols",
                hint="pass another `unk_token=...`",
            )

    def _write(self) -> dict[str, Any]:
        return super()._write() | {"unk_token": self.unknown_token}

    @property
    def added_tokens(self) -> tuple[_added_tokens.AddedToken, ...]:
        """Returns the tokens at which training cuts texts; see :attr:`Trainer.added_tokens`."""
        return () if self.ties == "hf" else super().added_tokens

    def _special_tokens(self) -> Sequence[str]:
        unknown = self.unknown_token
        is_new = unknown is not None and unknown not in self.special_tokens
        return (unknown, *self.special_tokens) if unknown and is_new else self.special_tokens

    @property
    def unknown_token(self) -> str | None:
        """Returns the token for unknown characters: `unk_token` or its default."""
        if not isinstance(self.unk_token, _arguments.Default):
            return self.unk_token
        for name in _UNKNOWN:
            if name in self.special_tokens:
                return name
        return _UNKNOWN[0] if self.alphabet == "char" and self.ties != "hf" else None


@_immutable.dataclass(frozen=True)
class UnigramTrainer(Trainer):
    """Holds the settings of a Unigram language model training (Kudo 2018, *Subword regularization*).

    The training starts with the substrings of the words that cover most of the text. Then it alternates EM, which estimates
    the probability of each piece over all segmentations, and pruning of the pieces whose removal costs the least likelihood,
    until the size is reached. Words are split at white space, which is written as ``▁``, as the pre-tokenizer ``Metaspace``
    does. Pieces of equal value are kept in order of their UTF-8 bytes.

    By default nothing is normalized, as for BPE, so decoding restores the text, without one space at its start and with
    spaces for ``▁``. For SentencePiece's default, pass
    ``normalizers.SentencePiece.of("nmt_nfkc")`` to :func:`piecework.train` as ``normalizer=``. Without a normalizer, line ends
    and runs of spaces are learned, too.

    A step takes time proportional to the characters of the different words times the pieces that start at one position. The
    result is a pure function of the word counts, these settings and the version of the algorithm; it does not depend on
    the order of the words, on threads or on the machine. Memory: about 20 bytes for each character of the different
    words, 150 bytes for each seed string, and 16 bytes for each seed string and thread.

    Args:
        vocab_size: The exact number of tokens; special tokens, user-defined symbols, bytes and alphabet included. If it
            cannot be reached, the error contains the largest possible number.
        seed_size: The maximum number of seed strings, single characters excluded. The default, SentencePiece's, bounds
            memory on large corpora; smaller corpora have fewer repeated strings. For a vocabulary of a few hundred, 20
            times its size suffices.
        shrinking_factor: The fraction of the pieces that a pruning keeps.
        em_steps: The number of EM steps before each pruning.
        max_piece_length: The maximum length of a piece in characters.
        min_frequency: The minimum count of a seed string; strings that occur once are never seeds.
        min_word_frequency: The minimum count of a word to learn from.
        special_tokens: Tokens that represent no text.
        special_tokens_first: Whether special tokens get the first ids or the last.
        unk_token: The special token for unknown characters. With None such a character is an error, unless `byte_fallback`
            encodes it.
        user_defined_symbols: Tokens in normalized form that are matched in the normalized text before it is split; nothing
            is learned across them. A ``SentencePiece`` normalizer with the same symbols leaves them as they are.
        byte_fallback: Whether the 256 bytes are tokens, which encode unknown characters. As in ``tokenizers``, text that
            spells one, such as ``<0x41>``, becomes it, and is decoded as that byte; not so in a SentencePiece model.
        character_coverage: The fraction of the text that the kept characters cover, most frequent first; words are split
            at the others.
        required_chars: Characters to keep in any case, even if they never occur.
        split_by_unicode_script: Whether pieces contain one script only; kana count as Han.
        split_by_number: Whether pieces never mix digits and letters.
        split_digits: Whether each digit is a piece.
        split_by_whitespace: Whether ``▁`` occurs only at the start of a piece. If not, a text is one word by default.
        allow_whitespace_only_pieces: Whether several ``▁`` may form a piece; then a text is one word by default.
        treat_whitespace_as_suffix: Whether ``▁`` ends a word, as in ``hug▁``, and occurs only at the end of a piece. By
            default texts are then normalized by ``normalizers.SentencePiece`` and split after white space.

    Raises:
        ConfigError: A setting is invalid.

    >>> import piecework as pw
    >>> words = {"▁hug": 10, "▁pug": 5, "▁pun": 12, "▁bun": 4, "▁hugs": 5}
    >>> tok = pw.train(words, UnigramTrainer(16))
    >>> tok.tokenize("hugs pun")
    ['▁hugs', '▁pun']
    >>> [(step.pieces, step.removed) for step in tok.training.steps if step.removed]
    [(16, ('un', 'ug')), (14, ('▁pu',))]
    """

    type_name: ClassVar[str] = "UnigramTrainer"

    vocab_size: int = field(metadata=_COUNT)
    _: KW_ONLY
    seed_size: int = field(default=1_000_000, metadata=_COUNT_FROM_0)
    shrinking_factor: float = field(default=0.75, metadata=_FRACTION)
    em_steps: int = field(default=1, metadata=_COUNT)
    max_piece_length: int = field(default=16, metadata=_COUNT)
    min_frequency: int = field(default=2, metadata=_COUNT)
    min_word_frequency: int = field(default=1, metadata=_COUNT)
    special_tokens: Sequence[str] = field(default=("<unk>", "<s>", "</s>"), metadata=_TOKENS)
    special_tokens_first: bool = True
    unk_token: str | None = field(default="<unk>", metadata=_MAYBE_TOKEN)
    user_defined_symbols: Sequence[str] = field(default=(), metadata=_TOKENS)
    byte_fallback: bool = False
    character_coverage: float = field(default=0.9995, metadata=_FRACTION)
    required_chars: Iterable[str] = field(default=(), metadata=_CHARACTERS)
    split_by_unicode_script: bool = True
    split_by_number: bool = True
    split_digits: bool = False
    split_by_whitespace: bool = True
    allow_whitespace_only_pieces: bool = False
    treat_whitespace_as_suffix: bool = False


@_immutable.dataclass(frozen=True)
class WordLevelTrainer(Trainer):
    """Holds the settings of a training of whole words.

    The vocabulary is the special tokens, then the most frequent words; words of equal count are in order of their UTF-8
    bytes. The result is a pure function of the word counts and these settings. Cost: the time to sort the words.

    Args:
        vocab_size: The largest number of tokens, special tokens included.
        min_frequency: The minimum count of a word.
        special_tokens: Tokens that represent no text, with the first ids.
        unk_token: The special token for unknown words. With None an unknown word is an error.

    Raises:
        ConfigError: A setting is invalid.

    >>> import piecework as pw
    >>> pw.train(["to be or not to be"], WordLevelTrainer(4)).vocab
    {'[UNK]': 0, 'be': 1, 'to': 2, 'not': 3}
    """

    type_name: ClassVar[str] = "WordLevelTrainer"
    user_defined_symbols: ClassVar[Sequence[str]] = ()  # type: ignore[misc]  # it has none

    vocab_size: int = field(metadata=_COUNT)
    _: KW_ONLY
    min_frequency: int = field(default=1, metadata=_COUNT)
    special_tokens: Sequence[str] = field(default=("[UNK]",), metadata=_TOKENS)
    unk_token: str | None = field(default="[UNK]", metadata=_MAYBE_TOKEN)
