"""Defines models, which segment a word into tokens.

>>> from piecework import models
>>> models.WordPiece(["[UNK]", "hug", "##s"])
WordPiece(vocab=<3 tokens>, unk_token='[UNK]', max_input_chars_per_word=100, continuing_subword_prefix='##', unknown='word', segmentation='longest', dropout=None, probabilities=None)
"""

from __future__ import annotations

import itertools
import math
import operator
import re
import sys
from collections import abc
from dataclasses import field
from typing import Any, ClassVar, Literal, Self, TypedDict, Unpack

from piecework import _messages, errors as _errors
from piecework._settings import (
    choices as _choices,
    component as _component,
    fields as _fields,
    immutable as _immutable,
)
from piecework._settings.choices import SuffixStyle

__all__ = [
    "BPE",
    "MergeList",
    "Model",
    "PieceList",
    "Precision",
    "SuffixStyle",
    "Unigram",
    "Vocabulary",
    "WordLevel",
    "WordPiece",
]


class Vocabulary(abc.Mapping[str, int]):
    """Maps tokens to ids; immutable, and iterated in order of the ids.

    Args:
        tokens: A mapping of tokens to ids, or an iterable of tokens in order of their ids.

    Raises:
        VocabularyError: A token or an id is a duplicate.

    >>> vocab = Vocabulary({"b": 1, "a": 0})
    >>> vocab, list(vocab.items())
    (<2 tokens>, [('a', 0), ('b', 1)])
    """

    __slots__ = ("_ids",)

    _ids: dict[str, int]

    def __init__(self, tokens: abc.Mapping[str, int] | abc.Iterable[str]) -> None:
        if hasattr(self, "_ids"):
            raise AttributeError("cannot call __init__ again: a Vocabulary is immutable")
        try:
            self._ids = _ids(tokens)
        except _fields.Mismatch as error:
            raise error.setting_error("tokens") from None

    @classmethod
    def _of(cls, tokens: Any) -> Vocabulary:
        """Returns a vocabulary, or raises `Mismatch`."""
        vocabulary = cls.__new__(cls)
        vocabulary._ids = _ids(tokens)
        return vocabulary

    def __getitem__(self, token: str) -> int:
        return self._ids[token]

    def __iter__(self) -> abc.Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __hash__(self) -> int:
        return hash(frozenset(self._ids.items()))

    def __repr__(self) -> str:
        return f"<{_messages.quantity(len(self), 'token')}>"


_TOKEN = _fields.Text()


def _ids(tokens: Any) -> dict[str, int]:
    """Returns tokens with their ids, in order of the ids."""
    ids = sorted(_pairs(tokens), key=operator.itemgetter(1))
    for (token, i), (other, other_id) in itertools.pairwise(ids):
        if i == other_id:
            raise _errors.VocabularyError(
                f"duplicate id {i}, of {_messages.shown(token)} and of {_messages.shown(other)}"
            )
    return dict(ids)


def _pairs(tokens: Any) -> list[tuple[str, int]]:
    """Returns checked tokens with their ids."""
    if isinstance(tokens, abc.Mapping):
        return [(_TOKEN.check(token), _fields.NUMBER.check(i)) for token, i in tokens.items()]
    if isinstance(tokens, str | bytes) or not isinstance(tokens, abc.Iterable):
        raise _fields.Mismatch(
            f"expected a mapping of tokens to ids, or a list of tokens, found {_messages.shown(tokens)}"
        )
    return _numbered(tokens)


def _numbered(tokens: abc.Iterable[str]) -> list[tuple[str, int]]:
    """Returns checked tokens, numbered from 0."""
    ids: dict[str, int] = {}
    for i, token in enumerate(tokens):
        first = ids.setdefault(_TOKEN.check(token), i)
        if first != i:
            raise _errors.VocabularyError(
                f"duplicate token {_messages.shown(token)}, at index {first} and at index {i}",
                hint="remove one of them",
            )
    return list(ids.items())


class _Vocab(_fields.Kind):
    """Checks a vocabulary; in JSON an object of ids."""

    def check(self, value: Any) -> Vocabulary:
        if isinstance(value, Vocabulary):
            return value
        return Vocabulary._of(value)

    def read(self, data: Any) -> Vocabulary:
        return self.check(_fields.members(data))

    def write(self, value: Vocabulary) -> dict[str, int]:
        return dict(value)


class _Probabilities(_fields.Kind):
    """Checks a mapping of tokens to probabilities, stored as sorted pairs without zeros; in JSON an object."""

    def check(self, value: Any) -> tuple[tuple[str, float], ...]:
        try:
            given = dict(value) if isinstance(value, tuple) else value
        except (TypeError, ValueError):  # a tuple of anything but pairs
            given = None
        if not isinstance(given, abc.Mapping):
            raise _fields.Mismatch(
                f"expected a mapping of tokens to probabilities, found {_messages.shown(value)}"
            )
        pairs = []
        for token, probability in given.items():
            with _fields.under(f"[{_messages.shown(token)}]"):
                pairs.append((_TOKEN.check(token), _fields.PROBABILITY.check(probability)))
        return tuple(sorted(pair for pair in pairs if pair[1]))

    def write(self, value: tuple[tuple[str, float], ...]) -> dict[str, float]:
        return dict(value)


@_immutable.dataclass(frozen=True)
class _Own(_fields.Settings):
    """Holds the member ``piecework`` of a model in a file: settings that ``tokenizers`` lacks; that of a training is ignored."""

    accepted: ClassVar[tuple[str, ...]] = ("training", "decoder")

    version: int = field(default=1, metadata=_fields.takes(_fields.Number(1, 2)))

    @classmethod
    def of(cls, **arguments: Any) -> Self:
        """Returns the member of a model with these constructor arguments."""
        return cls(**arguments)

    def arguments(self) -> dict[str, Any]:
        """Returns the settings as constructor arguments of the model."""
        return {name: value for name, value in vars(self).items() if name != "version"}


_OWN = "piecework."
"""The beginning of the type of a model that ``tokenizers`` would encode otherwise."""


class Model(_component.Component):
    """Serves as the base of all models."""

    _own: ClassVar[type[_Own] | None] = None
    """The class of the member ``piecework``; None for a model without settings that ``tokenizers`` lacks."""

    @classmethod
    def _types(cls) -> dict[str, type[Self]]:
        if cls._own is None:
            return super()._types()
        return {cls.type_name: cls, _OWN + cls.type_name: cls}

    @classmethod
    def _current(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the members of a file, with those in ``piecework``, as constructor arguments."""
        if cls._own is None:
            return data
        own = data.pop("piecework", None)
        with _fields.under(".piecework"):
            return data | (cls._own() if own is None else cls._own._read(own)).arguments()

    def _write(self) -> dict[str, Any]:
        """Returns JSON values, with the type that ``tokenizers`` knows only if it would encode the same."""
        data = super()._write()
        if self._own is None:
            return data
        own = self._own.of(**{name: data.pop(name) for name in self._own().arguments()})
        if own != self._own():
            data |= {"type": _OWN + self.type_name, "piecework": own.to_dict()}
        return data


_VOCAB = _fields.takes(_Vocab())
_DROPOUT = _fields.takes(_fields.Maybe(_fields.PROBABILITY))
_PROBABILITIES = _fields.takes(_fields.Maybe(_Probabilities()))
_WORD_LENGTH = _fields.takes(_fields.Maybe(_fields.Number(0, 1 << 63)))
_NO_LIMIT = _fields.ID_LIMIT - 1
"""The number that means "no limit" in a file, which requires a number."""
_ANY_UNK = "[UNK]"
"""The unknown token in a file, which requires one, of a model that has none."""


@_immutable.dataclass(frozen=True)
class _OwnWordPiece(_Own):
    """Holds the member ``piecework`` of a WordPiece model in a file."""

    accepted: ClassVar[tuple[str, ...]] = ("training",)

    unknown: _choices.UnknownPolicy = "word"
    has_unk: bool = True
    segmentation: _choices.Segmentation = field(
        default="longest", metadata=_fields.takes(may_lack=True)
    )
    dropout: float | None = field(default=None, metadata=_DROPOUT)
    probabilities: tuple[tuple[str, float], ...] | None = field(
        default=None, metadata=_PROBABILITIES
    )

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON values without defaults that older versions reject."""
        data = super().to_dict()
        if self.segmentation == "longest" and self.dropout is None:
            del data["segmentation"], data["dropout"]
        if self.probabilities is None:
            del data["probabilities"]
        return data


@_immutable.dataclass(frozen=True, init=False)
class WordPiece(Model):
    """Segments a word by longest match from left to right (WordPiece).

    Args:
        vocab: The pieces: a mapping to their ids, or a list in order of their ids.
        unk_token: The unknown token; None if there is none, in which case an unknown word is an error.
        max_input_chars_per_word: The maximum length of a known word in characters; None for no limit.
        continuing_subword_prefix: The prefix of a piece that continues a word.
        unknown: How uncovered characters are encoded: the whole ``"word"`` as one unknown token, as in ``tokenizers``, or
            each ``"run"`` of them, or each ``"char"``.
        segmentation: ``"longest"``, or ``"likeliest"`` for the segmentation with the largest product of probabilities. These
            are `probabilities`, or the relative frequencies of the tokens in the training
            (:meth:`piecework.Tokenizer.replace`); one of the two is required.
        dropout: The probability that longest match skips a piece of more than one character; None for 0.
        probabilities: A mapping of pieces to probabilities from 0 to 1; pieces that are not listed have 2**-52. Stored as a
            tuple of pairs.

    >>> WordPiece({"[UNK]": 0, "hug": 1}).vocab["hug"]
    1
    """

    _own = _OwnWordPiece

    vocab: Vocabulary = field(metadata=_VOCAB)
    unk_token: str | None
    max_input_chars_per_word: int | None = field(metadata=_WORD_LENGTH)
    continuing_subword_prefix: str
    unknown: _choices.UnknownPolicy
    segmentation: _choices.Segmentation
    dropout: float | None = field(metadata=_DROPOUT)
    probabilities: tuple[tuple[str, float], ...] | None = field(metadata=_PROBABILITIES)

    def __init__(
        self,
        vocab: abc.Mapping[str, int] | abc.Sequence[str],
        unk_token: str | None = _ANY_UNK,
        max_input_chars_per_word: int | None = 100,
        continuing_subword_prefix: str = "##",
        unknown: _choices.UnknownPolicy = "word",
        *,
        segmentation: _choices.Segmentation = "longest",
        dropout: float | None = None,
        probabilities: abc.Mapping[str, float] | tuple[tuple[str, float], ...] | None = None,
    ) -> None:
        self._fill(
            vocab=vocab,
            unk_token=unk_token,
            max_input_chars_per_word=max_input_chars_per_word,
            continuing_subword_prefix=continuing_subword_prefix,
            unknown=unknown,
            segmentation=segmentation,
            dropout=dropout,
            probabilities=probabilities,
        )

    def _write(self) -> dict[str, Any]:
        """Returns JSON values, with the type that ``tokenizers`` knows only if it would encode the same."""
        unk_token = _ANY_UNK if self.unk_token is None else self.unk_token
        has_unk = self.unk_token is not None
        is_plain = self.segmentation == "longest" and self.dropout is None
        honoured = is_plain and self.unknown == "word" and (has_unk or unk_token not in self.vocab)
        limit = self.max_input_chars_per_word
        data = {
            "type": self.type_name if honoured else _OWN + self.type_name,
            "unk_token": unk_token,
            "continuing_subword_prefix": self.continuing_subword_prefix,
            "max_input_chars_per_word": _NO_LIMIT if limit is None else min(limit, _NO_LIMIT),
            "vocab": dict(self.vocab),
        }
        if not honoured or not has_unk or self.probabilities is not None:
            own = _OwnWordPiece(
                unknown=self.unknown,
                has_unk=has_unk,
                segmentation=self.segmentation,
                dropout=self.dropout,
                probabilities=self.probabilities,
            )
            data["piecework"] = own.to_dict()
        return data

    @classmethod
    def _current(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the members of a file as constructor arguments."""
        data = super()._current(data)
        if not data.pop("has_unk"):
            data["unk_token"] = None
        limit = data.get("max_input_chars_per_word")
        if isinstance(limit, int) and limit >= _NO_LIMIT:
            data["max_input_chars_per_word"] = None
        return data


@_immutable.dataclass(frozen=True, init=False)
class WordLevel(Model):
    """Maps whole words to ids, and all words outside the vocabulary to the unknown token.

    Args:
        vocab: The words: a mapping to their ids, or a list in order of their ids.
        unk_token: The unknown token.

    >>> WordLevel(["<unk>", "to", "be"]).to_dict()
    {'type': 'WordLevel', 'vocab': {'<unk>': 0, 'to': 1, 'be': 2}, 'unk_token': '<unk>'}
    """

    vocab: Vocabulary = field(metadata=_VOCAB)
    unk_token: str

    def __init__(
        self, vocab: abc.Mapping[str, int] | abc.Sequence[str], unk_token: str = "<unk>"
    ) -> None:
        self._fill(vocab=vocab, unk_token=unk_token)


class MergeList(tuple[tuple[str, str], ...]):
    """Holds merges in order: a tuple of pairs of tokens whose repr is its length.

    >>> MergeList([("u", "g"), ("h", "ug")])
    <2 merges>
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{_messages.quantity(len(self), 'merge')}>"


class _Merges(_fields.Kind):
    """Checks merges; in JSON arrays of two tokens, or in older files strings with a space between."""

    def check(self, value: Any) -> MergeList:
        if isinstance(value, MergeList):
            return value
        if isinstance(value, str | bytes) or not isinstance(value, abc.Iterable):
            raise _fields.Mismatch(
                f"expected a list of pairs of tokens, found {_messages.shown(value)}"
            )
        return MergeList(_fields.each(_merge, value))

    def read(self, data: Any) -> MergeList:
        return self.check([x for x in _fields.items(data) if not _is_header(x)])

    def write(self, value: MergeList) -> list[list[str]]:
        return [list(pair) for pair in value]


def _merge(value: Any) -> tuple[str, str]:
    pair = value.split(" ") if isinstance(value, str) else value
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        wanted = "two tokens, or a string of them with a space between"
        raise _fields.Mismatch(f"expected {wanted}, found {_messages.shown(value)}")
    return _TOKEN.check(pair[0]), _TOKEN.check(pair[1])


def _is_header(line: object) -> bool:
    return isinstance(line, str) and line.startswith("#version")


_RANKS = _fields.takes(_fields.Maybe(_fields.ListOf(_fields.Maybe(_fields.NUMBER))))
_MAYBE_SUFFIX_STYLE = _fields.takes(_fields.Maybe(_fields.Choice.of(SuffixStyle)))
_MAYBE_TOKENS = _fields.takes(_fields.Maybe(_fields.ListOf(_fields.TEXT)))


@_immutable.dataclass(frozen=True)
class _OwnBPE(_Own):
    """Holds the member ``piecework`` of a BPE model in a file, with null for defaults."""

    ranks: tuple[int | None, ...] | None = field(default=None, metadata=_RANKS)
    suffix_style: SuffixStyle | None = field(default=None, metadata=_MAYBE_SUFFIX_STYLE)
    unused: tuple[str, ...] | None = field(default=None, metadata=_MAYBE_TOKENS)

    @classmethod
    def of(cls, **arguments: Any) -> Self:
        """Returns the member of a model with these constructor arguments."""
        style, unused = arguments["suffix_style"], arguments["unused"] or None
        style = None if style == "attached" else style
        return cls(ranks=arguments["ranks"], suffix_style=style, unused=unused)

    def arguments(self) -> dict[str, Any]:
        """Returns the settings as constructor arguments of the model."""
        style, unused = self.suffix_style or "attached", self.unused or ()
        return {"ranks": self.ranks, "suffix_style": style, "unused": unused}


@_immutable.dataclass(frozen=True, init=False)
class BPE(Model):
    """Segments a word by merging adjacent symbols, the earliest merge of the list first (byte-pair encoding).

    Args:
        vocab: The tokens: a mapping to their ids, or a list in order of their ids.
        merges: Pairs of tokens in order of priority; each creates a token.
        dropout: The probability that an applicable merge is skipped; None for 0.
        unk_token: The token of a character that is not in the vocabulary; with None such characters are dropped.
        continuing_subword_prefix: The prefix of a token that continues a word; empty for none.
        end_of_word_suffix: The suffix of a token that ends a word; empty for none.
        fuse_unk: Whether adjacent unknown characters form one unknown token.
        byte_fallback: Whether an unknown character is encoded as the tokens ``<0x00>`` to ``<0xFF>`` of its bytes, if the
            vocabulary contains them all.
        ignore_merges: Whether a word that is a token is encoded as that token without merging.
        ranks: Replaces `merges`: a rank or None for each id. Two adjacent symbols merge if they form a token with a rank, the
            lowest rank first.
        suffix_style: Whether the suffix is ``"attached"`` to the last character, as in ``tokenizers``, or is a
            ``"separate"`` symbol after it.
        unused: Tokens that may not occur in encodings: after merging, each is split into the two tokens of its first merge,
            recursively; one that no merge creates is unknown.

    >>> model = BPE(["h", "u", "g", "s", "ug", "hug"], [("u", "g"), ("h", "ug")])
    >>> model.merges[0], model.to_dict()["merges"]
    (('u', 'g'), [['u', 'g'], ['h', 'ug']])
    """

    _own = _OwnBPE

    vocab: Vocabulary = field(metadata=_VOCAB)
    merges: MergeList = field(metadata=_fields.takes(_Merges()))
    dropout: float | None = field(metadata=_DROPOUT)
    unk_token: str | None
    continuing_subword_prefix: str | None
    end_of_word_suffix: str | None
    fuse_unk: bool = field(metadata=_fields.takes(may_lack=True))
    byte_fallback: bool = field(metadata=_fields.takes(may_lack=True))
    ignore_merges: bool = field(metadata=_fields.takes(may_lack=True))
    ranks: tuple[int | None, ...] | None = field(metadata=_RANKS)
    suffix_style: SuffixStyle
    unused: tuple[str, ...]

    def __init__(
        self,
        vocab: abc.Mapping[str, int] | abc.Sequence[str],
        merges: abc.Iterable[tuple[str, str]] = (),
        *,
        dropout: float | None = None,
        unk_token: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        fuse_unk: bool = False,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
        ranks: abc.Sequence[int | None] | None = None,
        suffix_style: SuffixStyle = "attached",
        unused: abc.Iterable[str] = (),
    ) -> None:
        self._fill(
            vocab=vocab,
            merges=merges,
            dropout=dropout,
            unk_token=unk_token,
            continuing_subword_prefix=continuing_subword_prefix or None,
            end_of_word_suffix=end_of_word_suffix or None,
            fuse_unk=fuse_unk,
            byte_fallback=byte_fallback,
            ignore_merges=ignore_merges,
            ranks=ranks,
            suffix_style=suffix_style,
            unused=unused,
        )
        if ranks is not None and self.merges:
            raise _errors.ConfigError(
                "cannot be combined with ranks, which imply the merges", setting="merges"
            )


class PieceList(tuple[tuple[str, float], ...]):
    """Holds pieces with their scores in order of their ids: a tuple whose repr is its length.

    >>> PieceList([("<unk>", 0.0), ("hug", -1.2)])
    <2 pieces>
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{_messages.quantity(len(self), 'piece')}>"


class _Pieces(_fields.Kind):
    """Checks pieces with their scores; in JSON arrays of two values."""

    def check(self, value: Any) -> PieceList:
        if isinstance(value, PieceList):
            return value
        if isinstance(value, str | bytes) or not isinstance(value, abc.Iterable):
            raise _fields.Mismatch(
                f"expected a list of pieces with their scores, found {_messages.shown(value)}"
            )
        pieces = PieceList(_fields.each(_piece, value))
        _numbered(text for text, _ in pieces)
        return pieces

    def read(self, data: Any) -> PieceList:
        return self.check(_fields.items(data))

    def write(self, value: PieceList) -> list[list[str | float]]:
        return [list(piece) for piece in value]


def _piece(value: Any) -> tuple[str, float]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise _fields.Mismatch(f"expected a piece and its score, found {_messages.shown(value)}")
    text, score = value
    is_number = isinstance(score, int | float) and not isinstance(score, bool)
    if not is_number or not abs(score) <= sys.float_info.max:
        raise _fields.Mismatch(
            f"expected a finite number for a score, found {_messages.shown(score)}"
        )
    return _TOKEN.check(text), float(score)


_SCORE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def _vocab_line(number: int, line: str) -> tuple[str, float]:
    piece, _, written = line.rpartition("\t")
    # float() accepts more than other readers, such as 1_0.
    score = float(written) if _SCORE.fullmatch(written) else math.nan
    if not piece or not math.isfinite(score):
        raise _errors.FormatError(
            f"line {number}: expected a piece, a tab and a finite score, found {_messages.shown(line)}"
        )
    return piece, score


Precision = Literal["float64", "float32"]
_PRECISION = _fields.Choice.of(Precision)


@_immutable.dataclass(frozen=True)
class _OwnUnigram(_Own):
    """Holds the member ``piecework`` of a Unigram model in a file."""

    precision: Precision = field(default="float64", metadata=_fields.takes(_PRECISION))
    user_defined: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()


class _UnigramSettings(TypedDict, total=False):
    """Lists the keyword arguments of :meth:`Unigram.from_vocab`, which are settings of the class."""

    byte_fallback: bool
    precision: Precision
    user_defined: abc.Iterable[str]
    reserved: abc.Iterable[str]


@_immutable.dataclass(frozen=True, init=False)
class Unigram(Model):
    """Segments a word into its most probable sequence of pieces (Unigram language model, Kudo 2018).

    The Viterbi algorithm takes time linear in the text times the number of pieces that start at one position. Of two paths
    of equal score to a position, the one with the longer last piece is taken.

    Args:
        vocab: The pieces with their scores, natural logarithms of their probabilities, in order of their ids.
        unk_id: The id of the unknown token; None if there is none, in which case an unknown character is an error.
        byte_fallback: Whether unknown characters are encoded as the tokens ``<0x00>`` to ``<0xFF>`` of their bytes, if the
            vocabulary contains them all.
        precision: The type of running scores, whose rounding decides ties: ``"float64"`` as in ``tokenizers``, or
            ``"float32"`` as in SentencePiece.
        user_defined: Pieces that take precedence over all others, whatever their score.
        reserved: Pieces that no text is encoded to.

    Raises:
        ConfigError: A setting has the wrong type, or a score is not finite.
        VocabularyError: A piece is a duplicate.

    >>> Unigram([("<unk>", 0.0), ("hug", -1.2), ("s", -2.4)], unk_id=0)
    Unigram(vocab=<3 pieces>, unk_id=0, byte_fallback=False, precision='float64', user_defined=(), reserved=())
    """

    _own = _OwnUnigram

    vocab: PieceList = field(metadata=_fields.takes(_Pieces()))
    unk_id: int | None = field(metadata=_fields.takes(_fields.Maybe(_fields.NUMBER)))
    byte_fallback: bool = field(metadata=_fields.takes(may_lack=True))
    precision: Precision = field(metadata=_fields.takes(_PRECISION))
    user_defined: tuple[str, ...]
    reserved: tuple[str, ...]

    def __init__(
        self,
        vocab: abc.Iterable[tuple[str, float]],
        unk_id: int | None = None,
        byte_fallback: bool = False,
        *,
        precision: Precision = "float64",
        user_defined: abc.Iterable[str] = (),
        reserved: abc.Iterable[str] = (),
    ) -> None:
        self._fill(
            vocab=vocab,
            unk_id=unk_id,
            byte_fallback=byte_fallback,
            precision=precision,
            user_defined=user_defined,
            reserved=reserved,
        )

    @classmethod
    def from_vocab(
        cls, text: str, unk_token: str = "<unk>", **settings: Unpack[_UnigramSettings]
    ) -> Unigram:
        r"""Returns the model of a SentencePiece ``.vocab`` file, with a piece, a tab and its score on each line.

        The file contains neither the reserved pieces nor the normalization, and its scores have about six digits. Prefer
        the ``.model`` file, which contains everything.

        Args:
            text: The text of the file, not its name.
            unk_token: The unknown token; a model without this piece has none.
            settings: Other settings of the class.

        Returns:
            The model.

        Raises:
            FormatError: A line is not a piece with its score.
            VocabularyError: A piece is a duplicate.

        >>> Unigram.from_vocab("<unk>\t0\n▁the\t-3.25\n").vocab[1]
        ('▁the', -3.25)
        """
        if not isinstance(text, str):
            raise _messages.wrong_type("text", "a str, the content of a .vocab", text)
        lines = text.removeprefix("\ufeff").removesuffix("\n").split("\n")
        pieces = [_vocab_line(number, line) for number, line in enumerate(lines, 1)]
        unk_id = next((i for i, (piece, _) in enumerate(pieces) if piece == unk_token), None)
        return cls(pieces, unk_id, **settings)

    def to_vocab(self) -> str:
        r"""Returns the pieces as the text of a ``.vocab`` file, with all digits of their scores.

        Returns:
            A piece, a tab and its score on each line.

        Raises:
            ConfigError: A piece contains a line end.

        >>> Unigram([("<unk>", 0.0), ("a", -0.1)], 0).to_vocab()
        '<unk>\t0.0\na\t-0.1\n'
        """
        broken = next((piece for piece, _ in self.vocab if "\n" in piece), None)
        if broken is not None:
            raise _errors.ConfigError(
                f"the piece {_messages.shown(broken)} contains a line end, and a .vocab has one piece per line",
                hint="save a tokenizer.json",
            )
        return "".join(f"{piece}\t{score!r}\n" for piece, score in self.vocab)
