"""Defines models, which split words into tokens of a vocabulary.

>>> from piecework.hf import models
>>> model = models.WordPiece({"[UNK]": 0, "hug": 1, "##s": 2})
>>> [token.value for token in model.tokenize("hugs")]
['hug', '##s']
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Self

from piecework._settings import arguments as _settings_arguments
from piecework.hf import _arguments, _state
from piecework.hf._arguments import flag as _flag, string as _string
from piecework.hf._declared import Kind as _Kind, setting as _setting
from piecework.tokenizer._formats import own as _own

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._core import Tokenizer as CoreTokenizer
    from piecework.hf._strings import Token
    from piecework.hf.trainers import Trainer

__all__ = ["BPE", "Model", "Unigram", "WordLevel", "WordPiece"]

_Vocab = dict[str, int]
_Merges = list[tuple[str, str]]
_Span = tuple[int, int]


class Model(_state.Component):
    """Serves as the base of all models; without arguments it is a :class:`BPE` without vocabulary."""

    __slots__ = ("_bare", "_empty", "_has_part", "_owner", "_saved")
    _kind = "Model"

    _bare: CoreTokenizer | None
    """The model alone, made on first use; None after a change."""
    _owner: CoreTokenizer | None
    """A tokenizer with this model, from which `_values` are read on first use."""
    _saved: dict[str, Any] | None
    _empty: tuple[str, ...]
    """The members that a file states as empty strings, which are null to the core."""
    _has_part: bool
    """Whether a file states by a part of piecework that there is no unknown token.

    The core writes that part, too, where `tokenizers` states it by the absence of the token from the vocabulary.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Returns a model; of the base class, one without vocabulary."""
        model: Any = super().__new__(BPE if cls is Model else cls)
        model._custom = model._saved = model._owner = model._bare = None
        model._empty, model._has_part = (), False
        if cls is Model and not args and not kwargs:
            model._values = BPE._defaults() | {"vocab": {}, "merges": []}
        return model  # type: ignore[no-any-return]  # of the base class, a BPE

    def __init__(self) -> None:
        """Creates a model without vocabulary."""

    @staticmethod
    def _of_core(core: CoreTokenizer, data: bytes = b"") -> Model:
        """Returns the model of a tokenizer of the core, and of a tokenizer.json if it was read from one."""
        kind = Model._kinds()[core.model_type()]
        model = kind.__new__(kind)
        model._owner, model._empty = core, _empty_members(data)
        model._has_part = _PART.search(data) is not None
        return model

    @property
    def _values(self) -> dict[str, Any]:  # read on first use
        if self._saved is None:
            assert self._owner is not None
            state = json.loads(self._owner.model_json()) | dict.fromkeys(self._empty, "")
            self._saved = _values_of(state, has_part=self._has_part)
        return self._saved

    @_values.setter
    def _values(self, values: dict[str, Any]) -> None:
        self._saved = values
        self._bare = self._owner = None

    def _create(self, given: dict[str, Any], **others: Any) -> None:
        """Takes the arguments of a new model, after checking those that are attributes, and other checked values."""
        checked = {s.member: s.kind.check_argument(given[s.alias]) for s in self._settings}
        self._values = checked | others
        self._core()

    def _change(self, member: str, value: Any) -> None:
        """Takes a new value of a setting, which makes another model of the core."""
        self._values = self._values | {member: value}
        _state.changes()

    def _replace(self, core: CoreTokenizer) -> None:
        """Replaces the model by that of a tokenizer of the core."""
        self._owner, self._bare, self._saved = core, None, None
        self._empty, self._has_part = (), False
        _state.changes()

    def _core(self) -> CoreTokenizer:
        """Returns a tokenizer of the core with this model, and perhaps with other parts."""
        core = self._bare if self._owner is None else self._owner
        if core is None:
            core = self._bare = _read_core(_state.dumps({"model": self._write()}))
        return core

    def _model_json(self) -> str:
        """Returns the model as JSON, without parsing it if possible."""
        if self._saved is not None:
            return _state.dumps(self._write())
        text = self._core().model_json()
        for name in self._empty:
            text = text.replace(f'"{name}":null', f'"{name}":""', 1)
        return _state.dumps(self._write()) if '"piecework":{"version"' in text else text

    @classmethod
    def _read(cls, state: dict[str, Any]) -> Any:
        """Returns the model of a state, of the subclass that its type names."""
        kind = cls._kinds()[state["type"].removeprefix(_own.PIECEWORK)]
        model = kind.__new__(kind)
        model._take(state)
        return model

    @classmethod
    def _is_type(cls, name: object) -> bool:
        """Returns whether states of a type are states of this class."""
        return str(name).removeprefix(_own.PIECEWORK) == cls._type_name

    def _take(self, state: dict[str, Any]) -> None:
        """Takes a state, whose type is that of this class."""
        self._values = _values_of(state, has_part=True)

    def __getstate__(self) -> bytes:
        """Returns the model as JSON."""
        return self._model_json().encode()

    def __copy__(self) -> Model:
        """Returns a model that can be changed independently, with a shared vocabulary."""
        copied = Model._of_core(self._core())
        copied._saved, copied._empty, copied._has_part = self._saved, self._empty, self._has_part
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        """Returns a model that can be changed independently, with a shared vocabulary."""
        return self.__copy__()

    def _alone(self) -> CoreTokenizer:
        """Returns a tokenizer of the core with this model alone."""
        core = self._core()
        if self._bare is None:
            self._bare = core.model_alone()
        return self._bare

    def tokenize(self, sequence: str) -> list[Token]:
        """Returns the tokens of a word, with offsets in bytes.

        Args:
            sequence: The word, which is neither normalized nor split.

        Returns:
            The tokens.

        Raises:
            UnknownTokenError: The word is unknown, and so is the unknown token.

        >>> from piecework.hf.models import WordPiece
        >>> [token.as_tuple() for token in WordPiece({"hug": 0, "##s": 1}, unk_token="hug").tokenize("hugs")]
        [(0, 'hug', (0, 3)), (1, '##s', (3, 4))]
        """
        from piecework.hf._strings import Token

        core = self._alone()
        options = core.options(False, "text", False, False, _way(core, self))
        found = core.encode(_string(sequence), None, False, options)
        spans = self._spans(found.tokens, found.byte_offsets)
        columns = zip(found.ids, found.tokens, spans, strict=True)
        return [Token(number, token, span) for number, token, span in columns]

    def _spans(self, tokens: list[str], spans: list[_Span]) -> list[_Span]:  # noqa: ARG002  # for subclasses
        """Returns the offsets of tokens whose spans are those of whole characters."""
        return spans

    def token_to_id(self, token: str) -> int | None:
        """Returns the id of a token, or None if it is not in the vocabulary.

        >>> from piecework.hf.models import WordLevel
        >>> WordLevel({"hug": 0}, "hug").token_to_id("hug")
        0
        """
        return self._alone().token_to_id(_string(token))

    def id_to_token(self, id: int) -> str | None:  # noqa: A002  # as tokenizers
        """Returns the token of an id, or None if it is not in the vocabulary.

        >>> from piecework.hf.models import WordLevel
        >>> WordLevel({"hug": 0}, "hug").id_to_token(0)
        'hug'
        """
        return self._alone().id_to_token(_arguments.number32(id))

    def get_trainer(self) -> Trainer:
        """Returns a trainer for this kind of model, with its default settings.

        >>> from piecework.hf.models import BPE
        >>> BPE().get_trainer().vocab_size
        30000
        """
        from piecework.hf import trainers

        kinds = trainers.Trainer.__subclasses__()
        trainer: Trainer = next(kind for kind in kinds if kind._trains == self._type_name)()
        return trainer

    def save(self, folder: str, prefix: str | None = None, name: str | None = None) -> list[str]:
        """Writes the files of the model to a folder.

        Args:
            folder: The folder, which must exist.
            prefix: The beginning of the names of the files, before a hyphen.
            name: Deprecated; the same as `prefix`.

        Returns:
            The names of the files.

        Raises:
            FileError: A file cannot be written.

        >>> from piecework.hf.models import WordLevel
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> WordLevel({"hug": 0}, "hug").save(folder, "my") == [f"{folder}/my-vocab.json"]
        True
        """
        from piecework._io.files import write_aside

        if name is not None:
            import warnings

            message = "name is deprecated; pass prefix"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            prefix = name
        paths = []
        start = "" if prefix is None else f"{_string(prefix)}-"
        for suffix, text in self._files():
            path = os.path.join(folder, start + suffix)
            write_aside(path, text.encode())
            paths.append(path)
        return paths

    def _sampling(self) -> tuple[float, int | None] | None:
        """Returns alpha and the number of segmentations to draw from; None if none are drawn."""
        return None

    def _files(self) -> list[tuple[str, str]]:
        """Returns the names and the contents of the files."""
        raise NotImplementedError

    def _ordered(self) -> _Vocab:
        """Returns the vocabulary in order of the ids."""
        return dict(sorted(self._values["vocab"].items(), key=lambda item: item[1]))


def _values_of(state: dict[str, Any], *, has_part: bool) -> dict[str, Any]:
    """Returns a state without its training, and without its type unless only piecework has that type.

    For `has_part` see :class:`Model`.
    """
    values = dict(state)
    part = values.pop("piecework", {})
    is_own = values["type"].startswith(_own.PIECEWORK)
    if not is_own:
        del values["type"]
    if is_own or (has_part and part) or part.keys() & _KEPT_WITHOUT_TYPE:
        values["piecework"] = part | {"training": None}
    return values


_KEPT_WITHOUT_TYPE = {"probabilities"}
"""The members of a part of piecework that change no encoding, so that the type is one of `tokenizers`."""


def _read_core(text: str) -> CoreTokenizer:
    """Returns the tokenizer of the core of a tokenizer.json."""
    from piecework._core import Tokenizer as CoreTokenizer

    return CoreTokenizer.from_json(text.encode(), True, False)


_EMPTY = re.compile(rb'"(continuing_subword_prefix|end_of_word_suffix)"\s*:\s*""')
"""Matches members of a model that are empty strings."""


def _empty_members(data: bytes) -> tuple[str, ...]:
    """Returns the members of the model of a tokenizer.json that are empty strings."""
    names = {match[1].decode() for match in _EMPTY.finditer(data)}
    if not names:
        return ()
    model = json.loads(data)["model"]  # the settings of a training can have such members, too
    return tuple(sorted(name for name in names if model.get(name) == ""))


_PART = re.compile(rb'"has_unk"\s*:\s*false')
"""Matches a part of piecework by which a model has no unknown token."""


def _whole_model(core: CoreTokenizer) -> dict[str, Any]:
    """Returns the model of a tokenizer of the core as JSON values, with its training."""
    model: dict[str, Any] = json.loads(core.to_json())["model"]
    return model


def _way(core: CoreTokenizer, model: Model) -> Any:
    """Returns the path of a call, with a random seed if the model draws segmentations."""
    sampling = model._sampling()
    if sampling is None and not core.has_dropout():
        return _settings_arguments.FAST
    seed = int.from_bytes(os.urandom(8), "little")
    alpha, nbest_size = sampling or (None, None)
    return _settings_arguments.FAST._replace(seed=seed, alpha=alpha, nbest_size=nbest_size)


def _dropout(value: Any) -> float | None:
    """Returns a probability with the fewest digits that mean the same 32-bit float."""
    if value is None:
        return None
    wanted = _rounded(_arguments.real(value))
    digits = (float(f"{wanted:.{count}g}") for count in range(1, 10))
    return next((short for short in digits if _rounded(short) == wanted), wanted)


def _rounded(value: float) -> float:
    """Returns a number as the 32-bit float that the core stores."""
    import struct

    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded


_DROPOUT = _Kind(_dropout, _arguments.maybe(_rounded))


def _vocab(value: Any) -> _Vocab:
    """Returns a mapping of tokens to ids."""
    _arguments.instance(value, dict)
    try:
        return {_string(token): _arguments.number32(number) for token, number in value.items()}
    except OverflowError as error:
        raise TypeError(f"expected ids as values of vocab: {error}") from None


def _read_json(path: str) -> Any:
    from piecework._io.files import read_bytes
    from piecework.tokenizer._checks import check_file

    with _arguments.limited():
        data = read_bytes(path)
        check_file("json", data, f"{path}: ")
    return json.loads(data)


# The characters of Unicode's property White_Space, which `tokenizers` cuts off; str.rstrip also cuts U+001C to U+001F.
_WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000"
)


def _read_lines(path: str) -> list[str]:
    """Returns the lines of a text file; a line ends at LF or CR LF, and a CR at the end of the file stays."""
    from piecework._io.files import read_bytes
    from piecework.tokenizer._checks import check_file

    with _arguments.limited():
        data = read_bytes(path)
        check_file("vocab.txt", data, f"{path}: ")
    *lines, last = data.decode().split("\n")
    return [line.removesuffix("\r") for line in lines] + ([last] if last else [])


_optional = _arguments.maybe(_string)
_BYTES = re.compile("(<0x[0-9A-F]{2}>)+")
"""Matches tokens of byte fallback."""


class BPE(Model):
    """Merges adjacent symbols of a word in the order of a list of merges.

    Args:
        vocab: The tokens and their ids, or the name of a file (see :meth:`from_file`).
        merges: The merges in order, or the name of a file.
        cache_capacity: Ignored: the cache of piecework has a fixed limit.
        dropout: The probability that a merge is skipped.
        unk_token: The token for unknown characters.
        continuing_subword_prefix: The prefix of tokens that continue a word.
        end_of_word_suffix: The suffix of tokens that end a word.
        fuse_unk: Whether adjacent unknown characters are one token.
        byte_fallback: Whether unknown characters become tokens of their bytes, such as ``<0x61>``.
        ignore_merges: Whether a word that is a token is that token.
        **kwargs: Ignored, with a warning.

    Raises:
        ValueError: Only one of `vocab` and `merges` is given, or a merge has a token that is not in the vocabulary.

    >>> from piecework.hf.models import BPE
    >>> [token.value for token in BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).tokenize("aba")]
    ['ab', 'a']
    """

    dropout: float | None = _setting(_DROPOUT, default=None)
    unk_token: str | None = _setting(_optional, default=None)
    continuing_subword_prefix: str | None = _setting(_optional, default=None)
    end_of_word_suffix: str | None = _setting(_optional, default=None)
    fuse_unk: bool = _setting(_Kind(_flag, check_argument=bool), default=False)
    byte_fallback: bool = _setting(_flag, default=False)
    ignore_merges: bool = _setting(_flag, default=False)

    def __init__(
        self,
        vocab: _Vocab | str | None = None,
        merges: _Merges | str | None = None,
        cache_capacity: int | None = None,  # as tokenizers
        dropout: float | None = None,
        unk_token: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        fuse_unk: bool | None = None,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
        **kwargs: Any,
    ) -> None:
        """Checks the vocabulary, the merges and the settings."""
        _arguments.ignored(kwargs, "BPE")
        if (vocab is None) != (merges is None):
            raise ValueError("vocab and merges must be given together")
        if isinstance(vocab, str) and isinstance(merges, str):
            vocab, merges = BPE.read_file(vocab, merges)
        self._create(locals(), vocab=_vocab(vocab or {}), merges=_pairs(merges or []))

    @staticmethod
    def read_file(vocab: str, merges: str) -> tuple[_Vocab, _Merges]:
        """Returns the vocabulary and the merges of two files.

        Args:
            vocab: A JSON file of tokens and ids.
            merges: A text file with a merge in each line.

        >>> from piecework.hf.models import BPE
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> vocab, merges = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).save(folder)
        >>> BPE.read_file(vocab, merges)
        ({'a': 0, 'b': 1, 'ab': 2}, [('a', 'b')])
        """
        pairs = []
        for number, line in enumerate(_read_lines(merges), 1):
            if line.startswith("#version"):
                continue
            left, space, right = line.partition(" ")
            if not space or " " in right:
                raise ValueError(f"{merges}: line {number}: expected two tokens, found {line!r}")
            pairs.append((left, right))
        return _vocab(_read_json(vocab)), pairs

    @classmethod
    def from_file(cls, vocab: str, merges: str, **kwargs: Any) -> BPE:
        """Returns the model of two files; for the arguments see :meth:`read_file` and the class.

        >>> from piecework.hf.models import BPE
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> vocab, merges = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).save(folder)
        >>> BPE.from_file(vocab, merges).token_to_id("ab")
        2
        """
        return cls(*BPE.read_file(vocab, merges), **kwargs)

    def _spans(self, tokens: list[str], spans: list[_Span]) -> list[_Span]:
        """Returns the offsets of tokens; those of byte fallback have their own bytes of a character."""
        if not self.byte_fallback:
            return spans
        found: list[_Span] = []
        for token, (first, last) in zip(tokens, spans, strict=True):
            start, end = first, last
            if _BYTES.fullmatch(token):
                start = max(first, found[-1][1] if found else 0)
                end = min(last, start + len(token) // len("<0x00>"))
            found.append((start, end))
        return found

    def _described(self) -> dict[str, Any]:
        return self._write() | {"dropout": self.dropout}

    def _files(self) -> list[tuple[str, str]]:
        if self._values.get("piecework", {}).get("ranks") is not None:
            from piecework.errors import UnsupportedError

            problem = "the model has ranks in place of merges, which no merges.txt can hold"
            raise UnsupportedError(problem, hint="save the tokenizer")
        merges = "".join(f"{left} {right}\n" for left, right in self._values["merges"])
        return [
            ("vocab.json", _state.dumps(self._ordered())),
            ("merges.txt", f"#version: 0.2\n{merges}"),
        ]


def _pairs(merges: Any) -> list[list[str]]:
    """Returns merges as JSON."""
    if isinstance(merges, str):
        raise TypeError("expected a list of pairs as merges, found a str")
    pairs = []
    for merge in merges:
        _arguments.instance(merge, tuple)
        left, right = merge
        pairs.append([_string(left), _string(right)])
    return pairs


class WordPiece(Model):
    """Splits a word into the longest tokens, from left to right.

    Args:
        vocab: The tokens and their ids, or the name of a file with a token in each line.
        unk_token: The token for unknown words.
        max_input_chars_per_word: The number of characters above which a word is unknown.
        continuing_subword_prefix: The prefix of tokens that continue a word.
        **kwargs: Ignored, with a warning.

    >>> from piecework.hf.models import WordPiece
    >>> [token.value for token in WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}).tokenize("hugs")]
    ['hug', '##s']
    """

    unk_token: str = _setting(_string)
    continuing_subword_prefix: str = _setting(_string)
    max_input_chars_per_word: int = _setting(_arguments.unsigned)

    def __init__(
        self,
        vocab: _Vocab | str | None = None,
        *,
        unk_token: str = "[UNK]",
        max_input_chars_per_word: int = 100,
        continuing_subword_prefix: str = "##",
        **kwargs: Any,
    ) -> None:
        """Checks the vocabulary and the settings."""
        _arguments.ignored(kwargs, "WordPiece")
        if isinstance(vocab, str):
            vocab = WordPiece.read_file(vocab)
        self._create(locals(), vocab=_vocab(vocab or {}))

    def _change(self, member: str, value: Any) -> None:
        super()._change(member, value)
        if member == "unk_token" and (part := self._values.get("piecework")):
            # The part may state that there is no unknown token.
            self._values = self._values | {"piecework": part | {"has_unk": True}}

    @staticmethod
    def read_file(vocab: str) -> _Vocab:
        """Returns the vocabulary of a text file with a token in each line.

        >>> from piecework.hf.models import WordPiece
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> (vocab,) = WordPiece({"[UNK]": 0, "hug": 1}).save(folder)
        >>> WordPiece.read_file(vocab)
        {'[UNK]': 0, 'hug': 1}
        """
        return {line.rstrip(_WHITE_SPACE): number for number, line in enumerate(_read_lines(vocab))}

    @classmethod
    def from_file(cls, vocab: str, **kwargs: Any) -> WordPiece:
        """Returns the model of a file; for the arguments see :meth:`read_file` and the class.

        >>> from piecework.hf.models import WordPiece
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> (vocab,) = WordPiece({"[UNK]": 0, "hug": 1}).save(folder)
        >>> WordPiece.from_file(vocab).token_to_id("hug")
        1
        """
        return cls(WordPiece.read_file(vocab), **kwargs)

    def _files(self) -> list[tuple[str, str]]:
        return [("vocab.txt", "".join(f"{token}\n" for token in self._ordered()))]


class WordLevel(Model):
    """Takes each word as a token.

    Args:
        vocab: The tokens and their ids, or the name of a JSON file of them.
        unk_token: The token for unknown words.

    >>> from piecework.hf.models import WordLevel
    >>> WordLevel({"hug": 0}, "hug").token_to_id("hug")
    0
    """

    unk_token: str = _setting(_string)

    def __init__(self, vocab: _Vocab | str | None = None, unk_token: str | None = None) -> None:
        """Checks the vocabulary."""
        if isinstance(vocab, str):
            vocab = WordLevel.read_file(vocab)
        name = "<unk>" if unk_token is None else _string(unk_token)
        self._values = {"vocab": _vocab(vocab or {}), "unk_token": name}
        self._core()

    @staticmethod
    def read_file(vocab: str) -> _Vocab:
        """Returns the vocabulary of a JSON file.

        >>> from piecework.hf.models import WordLevel
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> (vocab,) = WordLevel({"hug": 0}, "hug").save(folder)
        >>> WordLevel.read_file(vocab)
        {'hug': 0}
        """
        return _vocab(_read_json(vocab))

    @classmethod
    def from_file(cls, vocab: str, unk_token: str | None = None) -> WordLevel:
        """Returns the model of a JSON file.

        >>> from piecework.hf.models import WordLevel
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> (vocab,) = WordLevel({"hug": 0}, "hug").save(folder)
        >>> WordLevel.from_file(vocab, unk_token="hug").unk_token
        'hug'
        """
        return cls(WordLevel.read_file(vocab), unk_token)

    def _files(self) -> list[tuple[str, str]]:
        return [("vocab.json", _state.dumps(self._ordered()))]


class Unigram(Model):
    """Splits a word into the tokens with the largest sum of scores.

    Args:
        vocab: The tokens and their scores, in order of the ids.
        unk_id: The id of the token for unknown characters.
        byte_fallback: Whether unknown characters become tokens of their bytes, such as ``<0x61>``.
        alpha: The power of the probabilities when a segmentation is drawn at random; None takes the best.
        nbest_size: The number of best segmentations to draw from; None for all.

    >>> from piecework.hf.models import Unigram
    >>> model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("ab", -1.5)], unk_id=0)
    >>> [token.value for token in model.tokenize("aba")]
    ['ab', 'a']
    """

    __slots__ = ("_alpha", "_nbest_size")

    def __init__(
        self,
        vocab: Sequence[tuple[str, float]] | None = None,
        unk_id: int | None = None,
        byte_fallback: bool | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
    ) -> None:
        """Checks the vocabulary."""
        if vocab is None:
            vocab, unk_id = [("<unk>", 0.0)], 0 if unk_id is None else unk_id
        rows = [[_string(token), _arguments.real(score)] for token, score in vocab]
        if not rows:
            raise ValueError("the vocabulary is empty; it needs an unknown token at least")
        self._values = {
            "unk_id": _arguments.maybe(_arguments.unsigned)(unk_id),
            "vocab": rows,
            "byte_fallback": bool(byte_fallback),
        }
        self.alpha, self.nbest_size = alpha, nbest_size
        self._core()

    @property
    def alpha(self) -> float | None:
        """Returns the power of the probabilities when a segmentation is drawn; None for the best."""
        return getattr(self, "_alpha", None)

    @alpha.setter
    def alpha(self, alpha: float | None) -> None:
        self._alpha = None if alpha is None else float(alpha)
        _state.changes()

    @property
    def nbest_size(self) -> int | None:
        """Returns the number of best segmentations to draw from; None for all."""
        return getattr(self, "_nbest_size", None)

    @nbest_size.setter
    def nbest_size(self, nbest_size: int | None) -> None:
        self._nbest_size = None if nbest_size is None else _arguments.unsigned(nbest_size)
        _state.changes()

    def _sampling(self) -> tuple[float, int | None] | None:
        if self.alpha is None or self.nbest_size in {0, 1}:
            return None
        return self.alpha, self.nbest_size

    def _files(self) -> list[tuple[str, str]]:
        text = json.dumps(self._write(), ensure_ascii=False, indent=2)
        return [("unigram.json", text)]
