"""The tokenizer: immutable; what a call may change are its arguments."""

from __future__ import annotations

import json
import os
import re
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

import numpy as np

from piecework import _core, normalizers, pre_tokenizers
from piecework._component import splitter_json
from piecework.errors import (
    ConfigError,
    FormatError,
    PieceworkWarning,
    TokenIdError,
    VocabularyError,
    to_utf8,
)
from piecework.io import read_bytes, write_aside
from piecework.normalizers import BertNormalizer, Normalizer
from piecework.pre_tokenizers import BertPreTokenizer, PreTokenizer
from piecework.types import Encoding, Encodings, Merge, Specials, UnknownPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework._core import Tokenizer as CoreTokenizer
    from piecework.explain import Explanation
    from piecework.io.files import Pathish

__all__ = ["LoadSettings", "Tokenizer"]


class ModelSettings(TypedDict, total=False):
    """What :meth:`Tokenizer.with_settings` can change."""

    unknown: UnknownPolicy
    unk_token: str | None
    max_input_chars_per_word: int | None


class LoadSettings(ModelSettings, total=False):
    """What a file may leave open.

    Attributes:
        lowercase: vocab.txt: as for :class:`BertNormalizer`, like the next three.
        strip_accents: vocab.txt.
        clean_text: vocab.txt.
        handle_chinese_chars: vocab.txt.
        normalizer: vocab.txt: a normalizer in place of these four; None for nothing.
        pre_tokenizer: vocab.txt: BERT's by default; None for one word a text.
        continuing_subword_prefix: vocab.txt: what marks a token that continues a word.
        unknown: What becomes of characters that no piece covers.
        unk_token: The unknown token's text; None if there is none.
        max_input_chars_per_word: Longer words are unknown; None for no limit.
        truncation: tokenizer.json: None loads a file that prescribes truncation, without it.
        padding: tokenizer.json: None loads a file that prescribes padding, without it.
    """

    lowercase: bool
    strip_accents: bool | None
    clean_text: bool
    handle_chinese_chars: bool
    normalizer: Normalizer | None
    pre_tokenizer: PreTokenizer | None
    continuing_subword_prefix: str
    truncation: None
    padding: None


_NO_LIMIT = (1 << 32) - 1
"""No text has so many characters: how a tokenizer.json, which must give a number, says that there is no limit."""
_BERT = ("lowercase", "strip_accents", "clean_text", "handle_chinese_chars")
_VOCAB_ONLY = (*_BERT, "normalizer", "pre_tokenizer", "continuing_subword_prefix")
_JSON_ONLY = ("truncation", "padding")
_MODEL = ("unknown", "unk_token", "max_input_chars_per_word")


class Tokenizer:
    r"""A tokenizer: text to token ids and back.

    Made by :func:`piecework.train`, :meth:`from_file`, :meth:`from_str` or :meth:`from_bytes`. It never changes, and any
    number of threads may use it at once.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n")
    >>> tok.encode("Hugs").tokens
    ['[CLS]', 'hug', '##s', '[SEP]']
    """

    _core: CoreTokenizer

    def __init__(self) -> None:
        """Refuse: tokenizers are trained or loaded."""
        raise TypeError(
            "use piecework.train(...), Tokenizer.from_file(...), from_str(...) or from_bytes(...)"
        )

    @classmethod
    def _wrap(cls, core: CoreTokenizer) -> Tokenizer:
        tokenizer = cls.__new__(cls)
        tokenizer._core = core
        return tokenizer

    # --- reading and writing -----------------------------------------------------------------

    @classmethod
    def from_file(cls, path: Pathish, **settings: Unpack[LoadSettings]) -> Tokenizer:
        """Load a tokenizer.json or a vocab.txt.

        Args:
            path: The file. Its ending (``.json``, ``.txt``) tells the format, else its first bytes do.
            **settings: What the file leaves open, see :class:`LoadSettings`.

        Returns:
            The tokenizer. From a vocab.txt it has the special tokens that the file contains, and BERT's
            template if ``[CLS]`` and ``[SEP]`` are among them.

        Raises:
            FileError: The file cannot be read; a missing file also is a ``FileNotFoundError``.
            FormatError: It is not what it should be; the message has the line or JSON path.
            UnsupportedError: It asks for what this version cannot do.
            VocabularyError: The vocabulary lacks the unknown token, or has duplicates.
        """
        try:
            return cls._parse(read_bytes(path), os.path.splitext(path)[1].lower(), settings)
        except (FormatError, VocabularyError) as error:
            raise type(error)(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def from_str(cls, text: str, **settings: Unpack[LoadSettings]) -> Tokenizer:
        """Load the text of a tokenizer.json or a vocab.txt; see :meth:`from_file`."""
        if not isinstance(text, str):
            raise TypeError(f"expected str, found {type(text).__name__}; from_bytes takes bytes")
        return cls._parse(to_utf8(text), "", settings)

    @classmethod
    def from_bytes(cls, data: bytes, **settings: Unpack[LoadSettings]) -> Tokenizer:
        """Load the bytes of a tokenizer.json or a vocab.txt; see :meth:`from_file`."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"expected bytes, found {type(data).__name__}; from_str takes str")
        return cls._parse(bytes(data), "", settings)

    @classmethod
    def _parse(cls, data: bytes, suffix: str, settings: LoadSettings) -> Tokenizer:
        _refuse_unknown(settings, LoadSettings.__optional_keys__, "a tokenizer's settings")
        if not data.strip():
            raise FormatError("the file is empty; expected a tokenizer.json or a vocab.txt")
        is_json = suffix == ".json" or (
            suffix != ".txt" and re.match(rb'\s*\{\s*["}]', data) is not None
        )
        return cls._from_json(data, settings) if is_json else cls._from_vocab(data, settings)

    @classmethod
    def _from_json(cls, data: bytes, settings: LoadSettings) -> Tokenizer:
        _refuse(settings, _VOCAB_ONLY, "a tokenizer.json says itself")
        for name in _JSON_ONLY:
            if settings.get(name) is not None:
                raise ConfigError(f"{name} can only be None here, which loads the file without it")
        core = _core.Tokenizer.from_json(
            data, "truncation" in settings, "padding" in settings, "unk_token" in settings
        )
        changes = {name: settings[name] for name in _MODEL if name in settings}  # type: ignore[literal-required]
        tokenizer = cls._wrap(core)
        return tokenizer.with_settings(**changes) if changes else tokenizer

    @classmethod
    def _from_vocab(cls, data: bytes, settings: LoadSettings) -> Tokenizer:
        _refuse(settings, _JSON_ONLY, "a vocab.txt does not have")
        flags = {name: settings[name] for name in _BERT if name in settings}  # type: ignore[literal-required]
        if flags and "normalizer" in settings:
            raise ConfigError(
                f"normalizer= and {', '.join(flags)} exclude each other; set them in the normalizer"
            )
        splitter = splitter_json(
            settings["normalizer"] if "normalizer" in settings else BertNormalizer(**flags),
            settings["pre_tokenizer"] if "pre_tokenizer" in settings else BertPreTokenizer(),
        )
        unk_token = settings.get("unk_token", "[UNK]")
        model = (
            _checked_text(
                "continuing_subword_prefix", settings.get("continuing_subword_prefix", "##")
            ),
            None if unk_token is None else _checked_text("unk_token", unk_token),
            settings.get("unknown", "word"),
            _checked_limit(settings.get("max_input_chars_per_word", 100)),
        )
        return cls._wrap(_core.Tokenizer.from_vocab(data, splitter, model))

    def save(self, path: Pathish) -> None:
        """Write a tokenizer.json, history and counts included, which ``tokenizers`` 0.23 loads too.

        With a setting that it cannot honour (``unknown`` other than ``"word"``) the file has a model type that it
        refuses, so that no id changes in silence.

        Args:
            path: The file, made or replaced as a whole.

        Raises:
            FileError: It cannot be written; what was there before is untouched.
        """
        write_aside(path, self.to_str().encode())

    def to_str(self) -> str:
        """Give the tokenizer.json that :meth:`save` writes."""
        return self._core.to_json()

    def save_vocab(self, path: Pathish) -> None:
        """Write a vocab.txt: the tokens alone, one a line; all else is left out.

        A warning names what must be passed to load it as it was, where the defaults do not, and what is lost.

        Args:
            path: The file, made or replaced as a whole.

        Raises:
            VocabularyError: A token that a line cannot hold.
            FileError: It cannot be written.
        """
        text = self._core.to_vocab()
        if lost := self._lost_in_vocab(text):
            warnings.warn(
                f"a vocab.txt holds the tokens alone; this one encodes the same only with {', '.join(lost)}",
                PieceworkWarning,
                stacklevel=2,
            )
        write_aside(path, text.encode())

    def _lost_in_vocab(self, text: str) -> list[str]:
        """The settings without which a vocab.txt of this tokenizer would encode otherwise."""
        settings: dict[str, tuple[object, object]] = {
            "normalizer": (self.normalizer, BertNormalizer()),
            "pre_tokenizer": (self.pre_tokenizer, BertPreTokenizer()),
            "continuing_subword_prefix": (self.continuing_subword_prefix, "##"),
            "unk_token": (self.unk_token, "[UNK]"),
            "unknown": (self.unknown, "word"),
            "max_input_chars_per_word": (self.max_input_chars_per_word, 100),
        }
        lost = [
            f"{name}={value!r}" for name, (value, default) in settings.items() if value != default
        ]
        given = {name: value for name, (value, _) in settings.items()}
        back = self._from_vocab(text.encode(), cast("LoadSettings", given))
        parts, others = _parts(self), _parts(back)
        return lost + [
            f"its {name}, which it cannot hold" for name in parts if parts[name] != others[name]
        ]

    def with_settings(self, **settings: Unpack[ModelSettings]) -> Tokenizer:
        r"""Give the same tokenizer with other settings of its model.

        Args:
            **settings: ``unknown`` (``"word"``, ``"run"`` or ``"char"``), ``unk_token``,
                ``max_input_chars_per_word`` (None for no limit).

        Returns:
            A new tokenizer; this one stays as it is.

        Raises:
            ConfigError: The vocabulary has no such unknown token.

        >>> tok = Tokenizer.from_str("[UNK]\nx\n##x\n##c\n##luo\n")
        >>> tok.tokenize("ğxcluo"), tok.with_settings(unknown="run").tokenize("ğxcluo")
        (['[UNK]'], ['[UNK]', '##x', '##c', '##luo'])
        """
        _refuse_unknown(settings, ModelSettings.__optional_keys__, "a model's settings")
        prefix, unk_token, unknown, limit = self._core.model()
        wanted = settings.get("unk_token", unk_token)
        if wanted is not None:
            _checked_text("unk_token", wanted)
        if "unk_token" in settings and wanted is not None and self.token_to_id(wanted) is None:
            raise ConfigError(f"the unknown token {wanted!r} is not in the vocabulary")
        model = (
            prefix,
            wanted,
            settings.get("unknown", unknown),
            _checked_limit(settings.get("max_input_chars_per_word", limit)),
        )
        return self._wrap(self._core.with_model(model))

    # --- encoding and decoding ----------------------------------------------------------------

    def encode(
        self,
        text: str,
        pair: str | None = None,
        *,
        add_special_tokens: bool = True,
        specials: Specials = "match",
    ) -> Encoding:
        r"""Encode a text, or a pair of texts.

        Args:
            text: The text.
            pair: A second text, whose tokens get type id 1.
            add_special_tokens: Whether the template's special tokens are added.
            specials: What special tokens in the text are: matched (``"match"``), ordinary text (``"text"``, which
                cannot smuggle one in), an error (``"error"``), or matched if in the given set, else text.

        Returns:
            Ids, tokens, offsets (characters of the original text), word ids, type ids and masks.

        Raises:
            SpecialTokenError: A special token in the text, with ``specials="error"``.
            UnknownTokenError: An unknown word, where the tokenizer has no unknown token.
            SurrogateError: The text holds a lone surrogate.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode("hugs hug").offsets
        [(0, 3), (3, 4), (5, 8)]
        """
        return self._core.encode(text, pair, add_special_tokens, specials)

    def encode_ids(
        self,
        text: str,
        pair: str | None = None,
        *,
        add_special_tokens: bool = True,
        specials: Specials = "match",
    ) -> list[int]:
        """Give the token ids of a text or pair, and nothing else; arguments as for :meth:`encode`."""
        return self._core.encode_ids(text, pair, add_special_tokens, specials)

    def encode_batch(
        self,
        texts: Iterable[str],
        *,
        add_special_tokens: bool = True,
        specials: Specials = "match",
        threads: int | None = None,
    ) -> Encodings:
        """Encode many texts into one flat array of ids.

        Args:
            texts: An iterable of ``str``.
            add_special_tokens: As for :meth:`encode`.
            specials: As for :meth:`encode`.
            threads: How many to use; one for each core by default. They do not change the result.

        Returns:
            The ids and where each text's begin; all else on demand.

        Raises:
            PieceworkError: As for :meth:`encode`.
        """
        texts = _listed(texts)
        specials = specials if isinstance(specials, str) else frozenset(specials)
        batch = self._core.encode_batch(texts, add_special_tokens, specials, threads)
        return Encodings(
            batch, self, texts, add_special_tokens=add_special_tokens, specials=specials
        )

    def tokenize(self, text: str, *, specials: Specials = "match") -> list[str]:
        r"""Give the tokens of a text, without special tokens around it.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").tokenize("Hugs!")
        ['hug', '##s', '[UNK]']
        """
        return self._core.encode(text, None, False, specials).tokens

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = True) -> str:
        r"""Give the text of token ids.

        Args:
            ids: Token ids.
            skip_special_tokens: Whether special tokens are left out.

        Returns:
            The text: what was normalized away or unknown does not come back.

        Raises:
            TokenIdError: An id that is not in the vocabulary.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.decode([1, 2, 1])
        'hugs hug'
        """
        try:
            return self._core.decode(_ids(ids), skip_special_tokens)
        except OverflowError:
            raise TokenIdError(
                f"an id is negative or over 2^32; ids go from 0 to {len(self) - 1}"
            ) from None

    def decode_batch(
        self, batch: Encodings | Iterable[Iterable[int]], *, skip_special_tokens: bool = True
    ) -> list[str]:
        """Give the texts of many rows of token ids; see :meth:`decode`."""
        rows = batch.to_list() if isinstance(batch, Encodings) else batch
        return [self.decode(row, skip_special_tokens=skip_special_tokens) for row in rows]

    def count(
        self,
        text_or_texts: str | Iterable[str],
        *,
        add_special_tokens: bool = True,
        specials: Specials = "match",
    ) -> Any:
        r"""Count tokens without making a list of them.

        Args:
            text_or_texts: A text, or an iterable of texts.
            add_special_tokens: As for :meth:`encode`.
            specials: As for :meth:`encode`.

        Returns:
            The number of tokens (``int``), or a list of such numbers.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").count(["hugs", "hug"])
        [2, 1]
        """
        if isinstance(text_or_texts, str):
            return self._core.count(text_or_texts, add_special_tokens, specials)
        return [self._core.count(text, add_special_tokens, specials) for text in text_or_texts]

    def log_likelihood(self, text: str, *, specials: Specials = "match") -> float:
        """Give the log-likelihood of a text: the sum of ln p over its tokens (note 002).

        A token's p is its share of all tokens when the training words are encoded; one that never occurs there, and
        the unknown token, have 2**-52, so the sum is finite. No special tokens are added around the text.

        Raises:
            MissingCountsError: The tokenizer has no token counts, as one read from a vocab.txt.

        >>> import piecework as pw
        >>> tok = pw.train({"a": 3, "b": 1}, pw.WordPieceTrainer(7))
        >>> round(tok.log_likelihood("a b"), 4)  # ln 3/4 + ln 1/4
        -1.674
        """
        return self._core.log_likelihood(text, specials)

    def explain(self, word: str) -> Explanation:
        """Tell how a word came to be split as it is.

        Args:
            word: A word, or a text of a few.

        Returns:
            For each piece, the longer prefixes that were tried and are no tokens, and the merges that the piece was born
            by, down to characters; ``print`` shows it.

        >>> import piecework as pw
        >>> tok = pw.train({"hug": 10, "pug": 5, "hugs": 5}, pw.WordPieceTrainer(vocab_size=12))
        >>> print(tok.explain("hugs"))
        hugs -> hug ##s
          hug: tried hugs, which is not in the vocabulary
            hug = h + ##ug (merge 2)
              ##ug = ##u + ##g (merge 1)
          ##s: a character of the alphabet
        """
        from piecework.explain import explain

        return explain(self, word)

    # --- what it is made of -------------------------------------------------------------------

    @property
    def vocab(self) -> dict[str, int]:
        """Tokens and their ids, in order of the ids; a new dictionary each time."""
        return self._core.vocab()

    @property
    def vocab_size(self) -> int:
        """The number of tokens, special tokens included."""
        return len(self._core)

    def __len__(self) -> int:
        """Give the number of tokens, special tokens included."""
        return len(self._core)

    def token_to_id(self, token: str) -> int | None:
        """Give the id of a token, or None."""
        return self._core.token_to_id(token)

    def id_to_token(self, id: int) -> str | None:  # noqa: A002  # the name that the field uses
        """Give the token of an id, or None."""
        return self._core.id_to_token(id) if 0 <= id < 1 << 32 else None

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens and their ids."""
        return dict(self._core.special_tokens())

    @property
    def unknown(self) -> UnknownPolicy:
        """What becomes of characters that no piece covers."""
        return self._core.model()[2]

    @property
    def unk_token(self) -> str | None:
        """The unknown token, or None if there is none."""
        unk_token = self._core.model()[1]
        known = unk_token is not None and self.token_to_id(unk_token) is not None
        return unk_token if known else None

    @property
    def continuing_subword_prefix(self) -> str:
        """What marks a token that continues a word."""
        return self._core.model()[0]

    @property
    def max_input_chars_per_word(self) -> int | None:
        """Longer words, in characters after normalization, are unknown; None for no limit."""
        return self._core.model()[3]

    @cached_property
    def normalizer(self) -> Normalizer | None:
        """What a text is changed by."""
        return normalizers.from_dict(json.loads(self._core.splitter())["normalizer"])

    @cached_property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """How a text is split into words."""
        return pre_tokenizers.from_dict(json.loads(self._core.splitter())["pre_tokenizer"])

    @cached_property
    def history(self) -> tuple[Merge, ...]:
        """The merges of the training in their order; empty if they are not known."""
        return tuple(Merge(*merge) for merge in self._core.history() or ())

    @cached_property
    def _steps(self) -> dict[str, int]:
        """The place in the history of the merge that made each token."""
        return {merge.token: place for place, merge in enumerate(self.history)}

    @cached_property
    def _symbols(self) -> frozenset[str]:
        """The user-defined symbols of the training."""
        return frozenset((self.trainer or {}).get("user_defined_symbols", ()))

    @cached_property
    def _training(self) -> tuple[str, str, list[int]] | None:
        return self._core.training()

    @property
    def trainer(self) -> dict[str, Any] | None:
        """The settings of the training; None if they are not known."""
        return self._training and json.loads(self._training[0])

    @property
    def counts_sha256(self) -> str | None:
        """The fingerprint of the word counts of the training; None if it is not known."""
        return self._training and self._training[1]

    @property
    def token_counts(self) -> list[int] | None:
        """How often each token occurs when the training words are encoded, by id; None if not known."""
        return self._training and list(self._training[2])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a tokenizer.json."""
        return _unpickle, (self.to_str(),)

    def __copy__(self) -> Tokenizer:
        """Give itself: it never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tokenizer:
        """Give itself: it never changes."""
        return self

    def __eq__(self, other: object) -> bool:
        """Compare everything that a file would hold."""
        if not isinstance(other, Tokenizer):
            return NotImplemented
        return self._core is other._core or self.to_str() == other.to_str()

    def __hash__(self) -> int:
        """Hash by size and stages, which equal tokenizers share."""
        return hash((len(self), self._core.splitter()))

    def __repr__(self) -> str:
        """Tell model, size, stages and training."""
        training = self.trainer
        trained = f", {training['criterion']}, {len(self.history):,} merges" if training else ""
        return (
            f"Tokenizer(WordPiece, {len(self):,} tokens, {self.normalizer}, {self.pre_tokenizer}, "
            f"unknown={self.unknown!r}{trained})"
        )


def _parts(tokenizer: Tokenizer) -> dict[str, Any]:
    """What a tokenizer.json holds and a vocab.txt implies."""
    parts = json.loads(tokenizer.to_str())
    tokens = sorted(parts["added_tokens"], key=lambda token: int(token["id"]))
    return {
        "special tokens": tokens,
        "template": parts["post_processor"],
        "decoder": parts["decoder"],
    }


def _unpickle(text: str) -> Tokenizer:
    return Tokenizer._wrap(_core.Tokenizer.from_json(text.encode(), False, False, True))


def _listed(texts: Iterable[str]) -> Sequence[str]:
    if isinstance(texts, str):
        raise TypeError(
            "texts must be an iterable of str, not one str; pass [text], or call encode"
        )
    return list(texts)


def _ids(ids: Iterable[int]) -> list[int]:
    if isinstance(ids, np.ndarray):
        return ids.tolist()  # type: ignore[no-any-return]
    return list(ids)


def _checked_text(name: str, text: object) -> str:
    if not isinstance(text, str):
        raise ConfigError(f"{name} must be a str, not {text!r}")
    to_utf8(text)
    return text


def _checked_limit(limit: Any) -> int | None:
    if limit is not None and (
        isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit < 1 << 63
    ):
        raise ConfigError(
            f"max_input_chars_per_word must be an integer from 0 on or None, not {limit!r}"
        )
    return None if limit is None or limit >= _NO_LIMIT else limit


def _refuse_unknown(settings: Any, known: Iterable[str], what: str) -> None:
    import difflib

    known = sorted(known)
    for name in settings:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
            raise TypeError(f"{name!r} is not among {what}{hint}")


def _refuse(settings: Any, names: Iterable[str], why: str) -> None:
    for name in names:
        if name in settings:
            raise ConfigError(f"{name}= is something that {why}")
