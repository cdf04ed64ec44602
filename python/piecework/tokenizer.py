"""The tokenizer: immutable; what a call may change are its arguments.

Settings, batches and JSON are imported where they are used: loading a file and encoding a text take none of them, and a
process that does no more starts the sooner.
"""

from __future__ import annotations

import operator
import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, cast

from piecework import _core
from piecework._immutable import Immutable
from piecework.arguments import (
    DEFAULT,
    FAST,
    UNCACHED,
    Default,
    Way,
    as_column,
    as_ids,
    check_index,
    check_iterable,
    check_str,
)
from piecework.errors import (
    ConfigError,
    FormatError,
    MissingFileError,
    TokenIdError,
    UnsupportedError,
    VocabularyError,
    hint,
    id_error,
    shown,
    to_utf8,
    warn,
    wrong_type,
)
from piecework.io import (
    check_start,
    check_text,
    make_folder,
    may_block,
    packed,
    read_bytes,
    read_unpacked,
    size,
    write_aside,
)
from piecework.io.files import checked

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from piecework._core import ArrowTexts, Encoding, Options
    from piecework._core import Tokenizer as CoreTokenizer
    from piecework.added_tokens import AddedToken
    from piecework.arguments import ArrowColumn, Segmentation, Specials, Text, UnknownPolicy
    from piecework.decoders import Decoder
    from piecework.encoding_settings import Padding, PaddingLike, Truncation, TruncationLike
    from piecework.explain import Explanation, Merging
    from piecework.formats import Format
    from piecework.io.files import Pathish
    from piecework.io.folder import ModelFolder
    from piecework.models import BPE, Model
    from piecework.normalizers import Normalizer
    from piecework.patterns import Regex
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.processors import PostProcessor
    from piecework.streams import DecodeStream
    from piecework.types import Call, EncodedBatch, Merge, ProgressLike, ScoredEncoding, UnigramStep

__all__ = ["LoadSettings", "Tokenizer"]


class Parts(TypedDict, total=False):
    """What :meth:`Tokenizer.with_parts` can change."""

    normalizer: Normalizer | None
    pre_tokenizer: PreTokenizer | None
    post_processor: PostProcessor | None
    decoder: Decoder | None
    truncation: TruncationLike
    padding: PaddingLike


class ModelSettings(TypedDict, total=False):
    """What :meth:`Tokenizer.with_settings` can change."""

    unknown: UnknownPolicy
    unk_token: str | None
    max_input_chars_per_word: int | None
    segmentation: Segmentation
    probabilities: Mapping[str, float] | None


class LoadSettings(ModelSettings, total=False):
    """What a file may leave open.

    Attributes:
        lowercase: vocab.txt: as for :class:`BertNormalizer`, like the next three.
        strip_accents: vocab.txt.
        clean_text: vocab.txt.
        handle_chinese_chars: vocab.txt.
        normalizer: vocab.txt: a normalizer in place of these four; None for nothing. vocab.json with merges.txt: by default
            what the vocabulary tells, and nothing beside a pre-tokenizer.
        pre_tokenizer: vocab.txt: BERT's by default; None for one word a text. vocab.json with merges.txt: likewise.
        continuing_subword_prefix: vocab.txt: what marks a token that continues a word.
        unknown: What becomes of characters that no piece covers.
        unk_token: The unknown token's text; None if there is none.
        max_input_chars_per_word: Longer words are unknown; None for no limit.
        segmentation: ``"likeliest"`` in place of the longest match.
        probabilities: How likely each token is, which that needs where there was no training; the others have 2**-52.
        truncation: How calls truncate that do not say it; None for not at all. By default, what a tokenizer.json says.
        padding: The same for padding.
    """

    lowercase: bool
    strip_accents: bool | None
    clean_text: bool
    handle_chinese_chars: bool
    normalizer: Normalizer | None
    pre_tokenizer: PreTokenizer | None
    continuing_subword_prefix: str
    truncation: TruncationLike
    padding: PaddingLike


_MOST_OPTIONS = 64
"""A server has few ways to call; whoever has more pays for each."""
_NO_LIMIT = (1 << 32) - 1
"""No text has so many characters: how a tokenizer.json, which must give a number, says that there is no limit."""
_BLOCK = 1 << 18
"""What is read of a file at a time: enough to be worth a turn, little enough to stay in a cache."""
_TEXT = (str, bytes, bytearray, memoryview)
_BERT = ("lowercase", "strip_accents", "clean_text", "handle_chinese_chars")
_VOCAB_ONLY = (*_BERT, "normalizer", "pre_tokenizer", "continuing_subword_prefix")
_LIMITS = ("truncation", "padding")
_ADDED = ("added_tokens", "special_tokens")
_LIKELIEST = ("segmentation", "probabilities")
_MODEL = ("unknown", "unk_token", "max_input_chars_per_word", *_LIKELIEST)
_SPLITTING = ("normalizer", "pre_tokenizer")
_ALONE = {
    "merges.txt": "a vocabulary or merges of BPE, which belong together; expected the files vocab.json and merges.txt",
    "tiktoken": "a file of ranks, which does not say how text is split; call from_tiktoken with a file",
}
"""Why bytes without a file do not suffice."""

_MOST_SEGMENTATIONS = 10_000
"""So many of the best at most, which is twenty times what SentencePiece gives."""


class Tokenizer(Immutable):
    r"""A tokenizer: text to token ids and back.

    Made by :func:`piecework.train`, :meth:`from_file`, :meth:`from_str` or :meth:`from_bytes`. It never changes, and any
    number of threads may use it at once.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n")
    >>> tok.encode("Hugs").tokens
    ['[CLS]', 'hug', '##s', '[SEP]']
    """

    _core: CoreTokenizer
    _functions: tuple[Callable[[str], object], ...] = ()

    def __init__(
        self,
        model: Model,
        *,
        normalizer: Normalizer | None = None,
        pre_tokenizer: PreTokenizer | None = None,
        post_processor: PostProcessor | None = None,
        decoder: Decoder | None = None,
        added_tokens: Iterable[str | AddedToken] = (),
        truncation: TruncationLike = None,
        padding: PaddingLike = None,
    ) -> None:
        r"""Put a tokenizer together; one is trained by :func:`piecework.train` and loaded by :meth:`from_file`.

        Args:
            model: One of :mod:`piecework.models`.
            normalizer: What a text is changed by.
            pre_tokenizer: How it is split into words; None makes it one word.
            post_processor: Where special tokens go.
            decoder: How tokens become text; None joins them with spaces.
            added_tokens: As for :meth:`with_added_tokens`.
            truncation: How calls truncate that do not say it.
            padding: How calls pad that do not say it.

        Raises:
            ConfigError: Parts that do not go together.
            VocabularyError: The vocabulary lacks its unknown token.

        >>> from piecework import models, normalizers, pre_tokenizers
        >>> tok = Tokenizer(
        ...     models.WordLevel(["[UNK]", "to", "be"], unk_token="[UNK]"),
        ...     normalizer=normalizers.Lowercase(),
        ...     pre_tokenizer=pre_tokenizers.Whitespace(),
        ... )
        >>> tok.encode("To be!").tokens
        ['to', 'be', '[UNK]']
        """
        import json

        from piecework.models import Model

        if "_core" in self.__dict__:
            self._refuse_initializing()
        tree = {"version": "1.0", "model": _checked("model", model, Model).to_dict()}
        # A tokenizer remembers its parts once they are asked for: this one gets its core when all are in their places.
        try:
            whole = self._wrap(
                _core.Tokenizer.from_json(json.dumps(tree).encode(), [], False, True)
            )
        except FormatError as error:
            raise VocabularyError(str(error).removeprefix("$.")) from None
        changes: Any = {
            "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer,
            "post_processor": post_processor,
            "decoder": decoder,
            "truncation": truncation,
            "padding": padding,
        }
        tokens = _added_tuples("added_tokens", added_tokens, special=False)
        whole = self._wrap(whole._core.with_added_tokens(tokens))
        whole = whole.with_parts(**{name: p for name, p in changes.items() if p is not None})
        self.__dict__.update(_core=whole._core, _functions=whole._functions)

    @classmethod
    def _wrap(
        cls, core: CoreTokenizer, functions: Sequence[Callable[[str], object]] = ()
    ) -> Tokenizer:
        tokenizer = cls.__new__(cls)
        tokenizer.__dict__.update(_core=core, _functions=tuple(functions))
        return tokenizer

    # --- reading and writing -----------------------------------------------------------------

    @classmethod
    def from_file(cls, path: Pathish, **settings: Unpack[LoadSettings]) -> Tokenizer:
        """Load a tokenizer, from a file of any format that is known.

        A tokenizer.json, a vocab.txt, a vocab.json or merges.txt with the other beside it (or GPT-2's encoder.json and
        vocab.bpe), tiktoken's ranks, a SentencePiece model, subword-nmt's codes, or CLIP's list of merges.

        Args:
            path: The file, perhaps packed by gzip. Its content tells the format; where that leaves it open, its name does.
                Ranks have to be called like their encoding, as ``cl100k_base.tiktoken``; see :meth:`from_tiktoken`.
            **settings: What the file leaves open, see :class:`LoadSettings`.

        Returns:
            The tokenizer. From a vocab.txt it has the special tokens that the file contains, and BERT's
            template if ``[CLS]`` and ``[SEP]`` are among them.

        Raises:
            FileError: The file cannot be read; a missing file also is a ``FileNotFoundError``.
            FormatError: It is not what it should be; the message has the line or JSON path.
            UnsupportedError: It asks for what this version cannot do.
            VocabularyError: The vocabulary lacks the unknown token or bytes, or has duplicates.
            ConfigError: A setting that the file says itself, or ranks whose encoding is not known.
        """
        return cls._load(checked(path), read_unpacked(path), settings)

    @classmethod
    def _load(
        cls, name: str, data: bytes, settings: LoadSettings, bpe: str | None = None
    ) -> Tokenizer:
        """Load a file that was read; a vocab.json with merges.txt may be known to be of some kind."""
        from piecework.formats import detect_format

        kind = detect_format(data, os.path.basename(name))
        if kind == "tiktoken":
            return cls._with_limits(cls.from_tiktoken(name), kind, settings)
        if kind == "merges.txt":
            return cls._from_merges(name, data, settings, bpe)
        try:
            return cls._parse(data, os.path.splitext(name)[1].lower(), settings)
        except (FormatError, VocabularyError) as error:
            raise type(error)(f"{name}: {error}") from None

    @classmethod
    def from_tiktoken(
        cls,
        path: Pathish,
        name: str | None = None,
        *,
        pattern: Regex | str | None = None,
        special_tokens: Mapping[str, int] | None = None,
    ) -> Tokenizer:
        r"""Load ranks of tiktoken: a token in base64 and its rank a line. Nothing is downloaded.

        Args:
            path: The file.
            name: The encoding: ``gpt2``, ``r50k_base``, ``p50k_base``, ``p50k_edit``, ``cl100k_base``, ``o200k_base`` or
                ``o200k_harmony``. By default the file's name says it.
            pattern: What splits texts, in the syntax of Oniguruma, or as tiktoken writes one of its own; by default that of
                the encoding. A warning tells if tiktoken would read another one otherwise.
            special_tokens: Special tokens and their ids; by default those of the encoding, and none beside a pattern.

        Returns:
            The tokenizer. With ``specials="text"`` it gives the ids of tiktoken's ``encode_ordinary``, by default those of
            ``encode(text, allowed_special="all")``. The ids are the ranks; a warning tells if they leave gaps.

        Raises:
            FileError: The file cannot be read; a missing file also is a ``FileNotFoundError``.
            FormatError: A line is no token with its rank, or repeats one; the message names the line.
            VocabularyError: Some of the 256 bytes are no tokens.
            ConfigError: No encoding has that name, or special tokens have ids that are taken or none at all.
            RegexError: The pattern does not compile.

        >>> import base64, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "mine.tiktoken")
        >>> tokens = [bytes([byte]) for byte in range(256)] + [b"hu", b"hug"]
        >>> lines = [f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(tokens)]
        >>> _ = path.write_text("\n".join(lines))
        >>> Tokenizer.from_tiktoken(path, pattern=r"\w+|\W+").encode("hugs").ids
        [257, 115]
        """
        from piecework import patterns
        from piecework.formats import encoding

        file = checked(path)
        if name is not None:
            to_utf8(check_str("name", name))
        is_told = pattern is not None and name is None
        said, specials = ("", {}) if is_told else encoding(file, name)
        if pattern is not None:
            said = (
                pattern if isinstance(pattern, patterns.Regex) else patterns.Regex(pattern)
            ).pattern
            if patterns.from_tiktoken(said) is None and patterns.is_read_otherwise(said):
                message = (
                    f"{file}: the pattern is read as Oniguruma does, to which ^ and $ also stand at the ends of lines, and "
                    r"{1,3}+ repeats; if that is not meant, write \A, \z and (?>...{1,3})"
                )
                warn(message)
        if special_tokens is not None:
            specials = _checked_specials(special_tokens)
        data = read_unpacked(path)
        try:
            core = _core.from_tiktoken(data, said, list(specials.items()))
        except (FormatError, VocabularyError) as error:
            raise type(error)(f"{file}: {error}") from None
        gap = _core.first_gap(core)
        if gap is not None and gap < len(core) - len(specials):
            message = f"{file}: the ranks leave gaps, no token has the id {gap}; to decode such an id is an error"
            warn(message)
        return cls._wrap(core)

    @classmethod
    def from_sentencepiece(cls, path: Pathish) -> Tokenizer:
        """Load a SentencePiece model of the type Unigram or BPE, such as those of T5 and of Llama 2.

        Control symbols are special tokens, and ordinary text where a text spells them, as in SentencePiece, unless a call asks
        for ``specials="match"``; see :attr:`control_symbols`. The library adds none by itself, so there is no post-processor.
        Symbols that the user defined are added tokens of BPE, and pieces of Unigram that go before others.

        Args:
            path: The ``.model`` file.

        Returns:
            The tokenizer. Where ``tokenizers`` has components that do the same it is made of these; else its normalizer is
            :class:`piecework.normalizers.SentencePiece`.

        Raises:
            FileError: The file cannot be read; a missing file also is a ``FileNotFoundError``.
            FormatError: It is not a SentencePiece model, or cut short.
            UnsupportedError: The model is of another type, or has rules for decoded text.
        """
        return cls._from_format("sentencepiece", path)

    @classmethod
    def from_subword_nmt(
        cls,
        path: Pathish,
        vocab: Pathish | None = None,
        *,
        vocab_threshold: int | None = None,
        separator: str = "@@",
    ) -> Tokenizer:
        r"""Load codes of subword-nmt, version 0.1 or 0.2: a merge a line.

        Codes know no ids. Here the unknown token has the first, then come the characters in the order in which the codes
        name them, without and with ``</w>``, then what the merges make. A token that ends a word ends in ``</w>``, which in
        version 0.1 may be a token of its own; the library writes ``@@`` behind all others instead. Words are what spaces
        and line ends divide.

        Args:
            path: The file.
            vocab: A file of tokens and their counts, as the library's ``get-vocab`` writes it: a token that it lacks is split
                again into what it was merged from, until all parts are in it or none can be split.
            vocab_threshold: The least count of a token that counts; None if all do.
            separator: What stands in that file behind a token that does not end its word.

        Returns:
            The tokenizer; a character that no code names is ``<unk>``. :meth:`to_subword_nmt` writes tokens as the library does.

        Raises:
            FileError: The file cannot be read; a missing file also is a ``FileNotFoundError``.
            FormatError: A line is no merge, or no token with its count; the message names it.
            UnsupportedError: The codes are of another version, or of version 0.1 beside a vocabulary.
            ConfigError: A threshold without a vocabulary.

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> codes, vocab = folder / "codes", folder / "vocab"
        >>> _ = codes.write_text("#version: 0.2\nl o\nlo w</w>\n")
        >>> _ = vocab.write_text("lo@@ 7\nlow 2\n")
        >>> Tokenizer.from_subword_nmt(codes).tokenize("low lows")
        ['low</w>', 'lo', 'w', '<unk>']
        >>> Tokenizer.from_subword_nmt(codes, vocab, vocab_threshold=3).to_subword_nmt("low lows")
        'lo@@ w lo@@ w@@ s'
        """
        to_utf8(check_str("separator", separator))
        if vocab_threshold is not None:
            number = check_index("vocab_threshold", vocab_threshold)
            vocab_threshold = max(-_NO_LIMIT, min(number, _NO_LIMIT))
        if vocab is None:
            if vocab_threshold is not None:
                raise ConfigError("vocab_threshold= says nothing without vocab=")
            return cls._from_format("subword-nmt", path)
        checked(vocab, "vocab")
        data, filtered = read_unpacked(path), (read_unpacked(vocab), vocab_threshold, separator)
        try:
            return cls._wrap(_core.from_subword_nmt(data, filtered))
        except UnsupportedError as error:
            raise UnsupportedError(f"{os.fspath(path)}: {error}") from None
        except FormatError as error:
            cls._from_format("subword-nmt", path)  # which tells if it is the codes that are broken
            raise FormatError(f"{os.fspath(vocab)}: {error}") from None

    @classmethod
    def _from_format(cls, kind: Format, path: Pathish) -> Tokenizer:
        """Load a file that says all by itself."""
        from piecework.formats import read

        data = read_unpacked(path)
        try:
            return cls._wrap(read(kind, data))
        except (FormatError, VocabularyError) as error:
            raise type(error)(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def _from_merges(
        cls, name: str, data: bytes, settings: LoadSettings, kind: str | None
    ) -> Tokenizer:
        """Load a vocab.json and a merges.txt; `data` is one of them, and the other lies beside it."""
        from piecework.formats import companion_file

        other = companion_file(name)
        if other is None:
            raise FormatError(
                f"{name}: a vocabulary of BPE without its merges; call it vocab.json and put merges.txt beside it"
            )
        try:
            beside = read_unpacked(other)
        except MissingFileError:
            message = (
                f"{name}: a vocabulary and its merges belong together, and {other} is not there"
            )
            raise FormatError(message) from None
        is_vocab = name.lower().endswith(".json")
        vocab, merges = (data, beside) if is_vocab else (beside, data)
        splitter, functions = _merges_splitter(settings)
        try:
            core = _core.from_merges(vocab, merges, splitter, functions, kind)
        except (FormatError, VocabularyError) as error:
            names = (name, other) if is_vocab else (other, name)
            raise type(error)(f"{names[0]}, {os.path.basename(names[1])}: {error}") from None
        splitting: Any = {k: v for k, v in settings.items() if k not in _SPLITTING}
        return cls._with_limits(cls._wrap(core, functions), "merges.txt", splitting)

    @classmethod
    def _with_limits(
        cls,
        tokenizer: Tokenizer,
        kind: Format,
        settings: LoadSettings,
    ) -> Tokenizer:
        """Apply the settings that every format leaves open, and refuse all others."""
        _refuse_unknown(settings, LoadSettings.__optional_keys__, "a tokenizer's settings")
        _refuse(settings, (*_VOCAB_ONLY, *_MODEL), f"the format {kind} says itself")
        limits: Any = dict(settings)
        return tokenizer.with_parts(**limits) if limits else tokenizer

    @classmethod
    def from_str(cls, text: str, **settings: Unpack[LoadSettings]) -> Tokenizer:
        """Load the text of a file that says all by itself; see :meth:`from_file`."""
        if not isinstance(text, str):
            raise wrong_type("text", "a str (from_bytes takes bytes)", text)
        return cls._parse(to_utf8(text), "", settings)

    @classmethod
    def from_bytes(cls, data: bytes, **settings: Unpack[LoadSettings]) -> Tokenizer:
        """Load the bytes of a file that says all by itself; see :meth:`from_file`."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise wrong_type("data", "bytes (from_str takes a str)", data)
        return cls._parse(bytes(data), "", settings)

    @classmethod
    def _parse(cls, data: bytes, suffix: str, settings: LoadSettings) -> Tokenizer:
        from piecework.formats import detect_format, is_scored, read

        _refuse_unknown(settings, LoadSettings.__optional_keys__, "a tokenizer's settings")
        if not data.strip():
            raise FormatError("the file is empty; expected a tokenizer.json or a vocab.txt")
        kind = detect_format(data, suffix)
        if kind in ("merges.txt", "tiktoken"):
            raise FormatError(_ALONE[kind])
        if kind not in ("tokenizer.json", "vocab.txt"):
            return cls._with_limits(cls._wrap(read(kind, data)), kind, settings)
        is_json = kind == "tokenizer.json"
        if not is_json and suffix != ".txt" and is_scored(data):
            raise FormatError(
                "a .vocab of SentencePiece, which holds pieces and scores alone; load the .model beside it, or make a tokenizer "
                "of models.Unigram.from_vocab(text)"
            )
        try:
            tokenizer = (
                cls._from_json(data, settings) if is_json else cls._from_vocab(data, settings)
            )
        except VocabularyError as error:
            if is_json or suffix == ".txt" or not _is_json(data):
                raise
            raise FormatError(
                "expected a tokenizer.json or a vocab.txt with a token a line; found other JSON, whose lines are no tokens"
            ) from error
        limits = {name: settings[name] for name in _LIMITS if name in settings}  # type: ignore[literal-required]
        return tokenizer.with_parts(**limits) if limits else tokenizer

    @classmethod
    def _from_json(
        cls, data: bytes, settings: LoadSettings, *, exact_numbers: bool = False
    ) -> Tokenizer:
        _refuse_unknown(settings, LoadSettings.__optional_keys__, "a tokenizer's settings")
        _refuse(settings, _VOCAB_ONLY, "a tokenizer.json says itself")
        core = _core.Tokenizer.from_json(data, [], "unk_token" in settings, exact_numbers)
        changes = {name: settings[name] for name in _MODEL if name in settings}  # type: ignore[literal-required]
        tokenizer = cls._wrap(core)
        return tokenizer.with_settings(**changes) if changes else tokenizer

    @classmethod
    def _from_vocab(cls, data: bytes, settings: LoadSettings) -> Tokenizer:
        flags = {name: settings[name] for name in _BERT if name in settings}  # type: ignore[literal-required]
        if flags and "normalizer" in settings:
            raise ConfigError(
                f"normalizer= and {', '.join(flags)} exclude each other; set them in the normalizer"
            )
        splitter, functions = _vocab_splitter(settings, flags)
        prefix = settings.get("continuing_subword_prefix", "##")
        unk_token = settings.get("unk_token", "[UNK]")
        core = _core.Tokenizer.from_vocab(
            data,
            splitter,
            functions,
            (
                _checked_text("continuing_subword_prefix", prefix),
                None if unk_token is None else _checked_text("unk_token", unk_token),
                cast("UnknownPolicy", _checked_text("unknown", settings.get("unknown", "word"))),
                _checked_limit(settings.get("max_input_chars_per_word", 100)),
                "longest",
            ),
        )
        changes = {name: settings[name] for name in _LIKELIEST if name in settings}  # type: ignore[literal-required]
        tokenizer = cls._wrap(core, functions)
        return tokenizer.with_settings(**changes) if changes else tokenizer

    @classmethod
    def from_folder(cls, path: Pathish, **settings: Unpack[LoadSettings]) -> Tokenizer:
        """Load what a model ships: a folder with a tokenizer, and the files that configure it.

        The tokenizer is the first there is of tokenizer.json, vocab.txt, vocab.json with merges.txt, encoder.json with
        vocab.bpe, tokenizer.model, spiece.model, sentencepiece.bpe.model and spm.model. A SentencePiece model has its own ids, which
        a class of ``transformers`` may give otherwise; a warning names the class and tells it.

        Special tokens and flags of added tokens that ``tokenizer_config.json`` and ``special_tokens_map.json`` give are
        added to those of the tokenizer, as ``transformers`` does. With GPT-2's and RoBERTa's classes ``add_prefix_space``,
        RoBERTa's ``cls_token``, ``sep_token`` and ``trim_offsets``, BERT's ``cls_token`` and ``sep_token``, the normalizer and pre-tokenizer that the classes of T5, ALBERT,
        XLNet, Pegasus and Llama make anew, and beside a vocab.json or a SentencePiece model
        ``add_bos_token`` and ``add_eos_token`` are applied, too; a warning tells what is said and not done. What they say about a model rather than its tokens
        (``model_max_length``, the sides of truncation and padding) is not applied, nor are truncation and padding of a
        tokenizer.json: a text is cut where you ask for it.

        Args:
            path: The folder.
            **settings: As for :meth:`from_file`; they go before what the files say.

        Returns:
            The tokenizer.

        Raises:
            FileError: The folder or a file in it cannot be read, or there is no tokenizer in it.
            FormatError: A file is not what it should be; the message has its name and the JSON path.
        """
        from piecework.folders import configured, is_rebuilt, unmet
        from piecework.io.folder import FolderSettings, read_model_folder

        folder = read_model_folder(path)
        limits: Any = {name: value for name, value in settings.items() if name in _LIMITS}
        others: Any = {name: value for name, value in settings.items() if name not in _LIMITS}
        if folder.format == "vocab.txt":
            others = folder.settings.vocab_settings(others) | others
        if is_rebuilt(folder):
            tokenizer = cls._from_exact_json(folder, others)
        else:
            tokenizer = cls._load(folder.path, folder.data, others, folder.settings.kind)
        if folder.settings != FolderSettings():
            tokenizer = tokenizer._with_controls(())
        known = {token.content for token in tokenizer.added_tokens.values()}
        tokenizer = tokenizer.with_added_tokens(folder.settings.tokens_to_add(known))
        tokenizer._compare_ids(folder)
        changes: Any = limits | {
            name: part for name, part in configured(tokenizer, folder).items() if name not in others
        }
        tokenizer = tokenizer.with_parts(**changes) if changes else tokenizer
        for said in unmet(tokenizer, folder):
            warn(f"{folder.config_path}: {said}")
        return tokenizer

    @classmethod
    def _from_exact_json(cls, folder: ModelFolder, settings: LoadSettings) -> Tokenizer:
        """Load a tokenizer.json with its scores as they are written, and not as ``tokenizers`` reads them."""
        try:
            return cls._from_json(folder.data, settings, exact_numbers=True)
        except (FormatError, VocabularyError) as error:
            raise type(error)(f"{folder.path}: {error}") from None

    def _compare_ids(self, folder: ModelFolder) -> None:
        """Warn of added tokens to which the files beside the tokenizer give other ids."""
        for token, number in folder.settings.added_ids.items():
            if (own := self.token_to_id(token)) != number:
                warn(
                    f"{folder.path}: the added token {shown(token)} has the id {own} here, and {number} by the files beside it"
                )

    def save(
        self,
        path: Pathish,
        format: Format | None = None,  # noqa: A002
        *,
        approximate: bool = False,
    ) -> None:
        """Write the tokenizer as its file's name says, by default as a tokenizer.json, which ``tokenizers`` 0.23 loads too.

        With a setting that it cannot honour (``unknown`` other than ``"word"``) the file has a model type that it
        refuses, so that no id changes in silence. Other formats hold less; a warning tells what is lost, and what would
        change how text is encoded is an error. In a tokenizer.json :attr:`control_symbols` are special tokens like others:
        whoever loads it, ``tokenizers`` too, matches them in a text by default. A warning tells it.

        Args:
            path: The file, made or replaced as a whole; of ``"merges.txt"`` the folder that gets a vocab.json beside it.
            format: ``"tokenizer.json"`` (history and counts included), ``"vocab.txt"``, ``"merges.txt"``, ``"tiktoken"``,
                ``"sentencepiece"``, ``"subword-nmt"`` or ``"clip"``, which is packed if the name ends in ``.gz``. If it is
                not given, names in ``.model`` say ``"sentencepiece"``, those in ``.tiktoken`` ``"tiktoken"``, those in ``.txt``
                ``"vocab.txt"``, and all others ``"tokenizer.json"``.
            approximate: Of Unigram, to a tokenizer.json or a SentencePiece model: write the closest that the other library loads,
                also where ids may change; a warning tells what does.

        Raises:
            FileError: It cannot be written; what was there before is untouched.
            ConfigError: The format cannot hold the tokenizer, or the name stands for no whole one (``.vocab``, merges.txt).

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> from piecework import models
        >>> model = models.BPE(["l", "o", "w", "lo", "lo</w>"], [("l", "o")], end_of_word_suffix="</w>")
        >>> Tokenizer(model).save(folder / "mine.tiktoken")
        Traceback (most recent call last):
        ...
        piecework.errors.ConfigError: a tiktoken file cannot hold the marks "" and "</w>" of tokens in a word; save a tokenizer.json
        """
        from piecework.formats import format_from_name

        kind = format or format_from_name(os.path.basename(checked(path)))
        check_str("format", kind)
        tok = self._approximate(kind) if approximate else self
        if kind == "tokenizer.json":
            data = tok.to_str().encode()
            self._warn_of_controls()
            write_aside(path, data)
        elif kind == "vocab.txt":
            tok._save_vocab(path)
        else:
            tok._save_as(path, kind, None)

    def _warn_of_matched(self) -> None:
        """Warn that special tokens which are matched in texts become control symbols of a SentencePiece model."""
        matched = [token for token in self.special_tokens if token not in self.control_symbols]
        if not matched:
            return
        warn(
            f"a SentencePiece model has control symbols: {_some(matched)} in a text are ordinary text once it is loaded, and are matched "
            "here; pass specials='match' to calls of the loaded tokenizer"
        )

    def _warn_of_controls(self) -> None:
        """Warn that a tokenizer.json has no control symbols."""
        if not self.control_symbols:
            return
        warn(
            f"a tokenizer.json has no control symbols: {_some(self.control_symbols)} in a text are matched once it is loaded, and are ordinary "
            "text here; pass specials='text' to calls of the loaded tokenizer"
        )

    def save_sentencepiece(self, path: Pathish, base: Pathish | None = None) -> None:
        """Write a SentencePiece model; see :meth:`save`.

        Args:
            path: The file, made or replaced as a whole.
            base: Another ``.model`` file: what a tokenizer does not hold, such as the settings of its training, is taken
                from it, fields that are not known here included.

        Raises:
            FileError: A file cannot be read or written.
            ConfigError: The format cannot hold the tokenizer.
            FormatError: The other model normalizes or decodes otherwise.
        """
        self._save_as(
            path, "sentencepiece", None if base is None else read_bytes(checked(base, "base"))
        )

    def _approximate(self, kind: Format) -> Tokenizer:
        """Returns the closest that another library loads, with a warning that lists what changes."""
        from piecework.approximate import Stages, for_sentencepiece, for_tokenizers
        from piecework.models import Unigram

        converters = {"tokenizer.json": for_tokenizers, "sentencepiece": for_sentencepiece}
        if kind not in converters or not isinstance(self.model, Unigram):
            raise ConfigError(
                "approximate= is for Unigram, to a tokenizer.json or a SentencePiece model"
            )
        added = list(self.added_tokens.values())
        own = Stages(self.model, self.normalizer, self.pre_tokenizer, self.decoder, added, [])
        stages = converters[kind](own)
        if stages == own:
            return self
        lost = ["the history of the training is left out"] if self.steps else []
        if changes := [*stages.changes, *lost]:
            warn(f"the file is the closest that {kind} can hold: {'; '.join(changes)}")
        return Tokenizer(
            stages.model,
            normalizer=stages.normalizer,
            pre_tokenizer=stages.pre_tokenizer,
            post_processor=self.post_processor,
            decoder=stages.decoder,
            added_tokens=stages.added_tokens,
            truncation=self.truncation,
            padding=self.padding,
        )

    def _save_as(self, path: Pathish, kind: Format, base: bytes | None) -> None:
        from piecework.formats import describe_loss, write

        if self._functions:
            self.to_str()  # which says that no file holds a function
        files = write(self._core, kind, base)
        if said := describe_loss(self._core, kind, files, os.path.basename(os.fspath(path))):
            warn(said)
        if kind == "sentencepiece":
            self._warn_of_matched()
        if kind == "clip" and os.fspath(path).endswith(".gz"):
            files = {name: packed(data) for name, data in files.items()}
        for name, data in files.items():
            write_aside(os.path.join(make_folder(path), name) if name else path, data)

    def to_str(self) -> str:
        """Give the tokenizer.json that :meth:`save` writes.

        Without its warning that control symbols become special tokens, which texts match: see :attr:`control_symbols`.
        """
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
        self._save_vocab(path)

    def _save_vocab(self, path: Pathish) -> None:
        text = self._core.to_vocab()
        if lost := self._lost_in_vocab(text):
            warn(
                f"a vocab.txt holds the tokens alone; this one encodes the same only with {', '.join(lost)}"
            )
        write_aside(path, text.encode())

    def _lost_in_vocab(self, text: str) -> list[str]:
        """What a vocab.txt of this tokenizer encodes the same with: settings to pass, and what it cannot hold."""
        from piecework.normalizers import BertNormalizer
        from piecework.pre_tokenizers import BertPreTokenizer

        model: dict[str, tuple[object, object]] = {
            "continuing_subword_prefix": (self.continuing_subword_prefix, "##"),
            "unknown": (self.unknown, "word"),
            "max_input_chars_per_word": (self.max_input_chars_per_word, 100),
        }
        stages: dict[str, tuple[object, object]] = {
            "normalizer": (self.normalizer, BertNormalizer()),
            "pre_tokenizer": (self.pre_tokenizer, BertPreTokenizer()),
            "unk_token": (self.unk_token, "[UNK]"),
            "truncation": (self.truncation, None),
            "padding": (self.padding, None),
        }
        settings = stages | model if self.model_type == "WordPiece" else stages
        lost = [
            f"{name}={value!r}" for name, (value, default) in settings.items() if value != default
        ]
        given = {name: value for name, (value, _) in settings.items() if name not in _LIMITS}
        own = self._implied()
        back = self._from_vocab(text.encode(), cast("LoadSettings", given))._implied()
        return lost + [
            f"its {name}, which it cannot hold" for name in own if own[name] != back[name]
        ]

    def _implied(self) -> dict[str, object]:
        """What a vocab.txt does not say and no setting does: its reader implies it."""
        added, model = self.added_tokens.items(), self.model
        return {
            "model": self.model_type,
            "segmentation": getattr(model, "segmentation", "longest"),
            "dropout": getattr(model, "dropout", None),
            "probabilities": getattr(model, "probabilities", None),
            "special tokens": {number: token for number, token in added if token.special},
            "added tokens": {number: token for number, token in added if not token.special},
            "post-processor": self._parts["post_processor"],
            "decoder": self._parts["decoder"],
        }

    def with_settings(self, **settings: Unpack[ModelSettings]) -> Tokenizer:
        r"""Give the same tokenizer with other settings of its model.

        Args:
            **settings: ``unknown`` (``"word"``, ``"run"`` or ``"char"``), ``unk_token``,
                ``max_input_chars_per_word`` (None for no limit), ``segmentation`` (``"longest"`` or ``"likeliest"``, the
                pieces whose probabilities multiply to most), ``probabilities`` (a mapping of tokens to numbers from 0 to 1, in place
                of those in the training; other tokens have 2**-52; None for those in the training).

        Returns:
            A new tokenizer; this one stays as it is.

        Raises:
            ConfigError: The vocabulary has no such unknown token.
            VocabularyError: A token with a probability is not in the vocabulary, or that is not from 0 to 1.
            MissingCountsError: The likeliest segmentation, and the tokenizer has neither probabilities nor token counts of a
                training.

        >>> tok = Tokenizer.from_str("[UNK]\nx\n##x\n##c\n##luo\n")
        >>> tok.tokenize("ğxcluo"), tok.with_settings(unknown="run").tokenize("ğxcluo")
        (['[UNK]'], ['[UNK]', '##x', '##c', '##luo'])
        >>> import piecework as pw
        >>> words = {"hu": 30, "hug": 4, "bugs": 40, "hus": 3, "bus": 5, "rags": 20}
        >>> tok = pw.train(words, pw.WordPieceTrainer(vocab_size=17, special_tokens=["[UNK]"]))
        >>> tok.tokenize("hugs"), tok.with_settings(segmentation="likeliest").tokenize("hugs")
        (['hug', '##s'], ['hu', '##gs'])
        >>> tok = Tokenizer.from_str("[UNK]\nhu\nhug\n##gs\n##s\n")
        >>> chances = {"hu": 0.3, "hug": 0.1, "##gs": 0.2, "##s": 0.1}
        >>> tok.with_settings(segmentation="likeliest", probabilities=chances).tokenize("hugs")
        ['hu', '##gs']
        """
        _refuse_unknown(settings, ModelSettings.__optional_keys__, "a model's settings")
        prefix, unk_token, unknown, limit, segmentation = self._core.model()
        wanted = settings.get("unk_token", unk_token)
        if wanted is not None:
            _checked_text("unk_token", wanted)
        if "unk_token" in settings and wanted is not None and self.token_to_id(wanted) is None:
            raise ConfigError(f"the unknown token {shown(wanted)} is not in the vocabulary")
        model = (
            prefix,
            wanted,
            cast("UnknownPolicy", _checked_text("unknown", settings.get("unknown", unknown))),
            _checked_limit(settings.get("max_input_chars_per_word", limit)),
            cast(
                "Segmentation",
                _checked_text("segmentation", settings.get("segmentation", segmentation)),
            ),
        )
        chances = settings["probabilities"] or {} if "probabilities" in settings else None
        return self._wrap(self._core.with_model(model, _chances(chances)), self._functions)

    def as_bpe(self) -> Tokenizer:
        r"""Give the same tokenizer with its words merged as in its training, in place of the longest match.

        So one sees what the two algorithms make of one training (note 001): WordPiece keeps the vocabulary alone, and takes
        the longest piece; byte-pair encoding keeps the merges, and applies them in their order.

        Returns:
            A tokenizer with a :class:`piecework.models.BPE` of the same vocabulary. A character that is no token is unknown,
            and not its word; there is no limit to a word's length. It has no token counts, which are those of the
            longest match.

        Raises:
            ConfigError: A model other than WordPiece, one whose history is not known, or one that was pruned.

        >>> import piecework as pw
        >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        >>> tok = pw.train(words, pw.WordPieceTrainer(20, criterion="pmi", max_merges=2, ties="first"))
        >>> tok.as_bpe().tokenize("hugs"), tok.as_bpe().tokenize("mug"), tok.tokenize("mug")
        (['hu', '##gs'], ['[UNK]', '##u', '##g'], ['[UNK]'])
        """
        return self._wrap(self._core.as_bpe(), self._functions)

    def with_parts(self, **parts: Unpack[Parts]) -> Tokenizer:
        r"""Give the same tokenizer with other parts.

        Args:
            **parts: ``normalizer``, ``pre_tokenizer``, ``post_processor``, ``decoder``, ``truncation``, ``padding``; None
                for none.

        Returns:
            A new tokenizer; this one stays as it is.

        Raises:
            ConfigError: Parts that do not go together, or padding without a pad token.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.with_parts(normalizer=None).tokenize("Hugs hugs")
        ['[UNK]', 'hug', '##s']
        """
        _refuse_unknown(parts, Parts.__optional_keys__, "a tokenizer's parts")
        from piecework._component import numbered
        from piecework.decoders import Decoder
        from piecework.encoding_settings import as_padding, as_truncation
        from piecework.normalizers import Normalizer
        from piecework.pre_tokenizers import PreTokenizer, warn_of_foreign_phrases
        from piecework.processors import PostProcessor

        bases: dict[str, Any] = {
            "normalizer": Normalizer,
            "pre_tokenizer": PreTokenizer,
            "post_processor": PostProcessor,
            "decoder": Decoder,
        }
        tree: dict[str, Any] = {}
        for name, part in parts.items():
            if name in bases:
                tree[name] = None if part is None else _checked(name, part, bases[name])._write()
        if "truncation" in parts:
            truncation = as_truncation(parts["truncation"])
            tree["truncation"] = truncation and truncation.to_dict()
        if "padding" in parts:
            padding = as_padding(parts["padding"], self)
            tree["padding"] = padding and padding.to_dict()
        if "pre_tokenizer" not in parts and self._functions:
            tree["pre_tokenizer"] = self.pre_tokenizer and self.pre_tokenizer._write()
        if "normalizer" in parts or "pre_tokenizer" in parts:
            both = {"normalizer": self.normalizer, "pre_tokenizer": self.pre_tokenizer} | parts
            warn_of_foreign_phrases(both["normalizer"], both["pre_tokenizer"])
        text, functions = numbered(tree)
        return self._wrap(self._core.with_parts(text, functions), functions)

    def with_added_tokens(
        self, tokens: Iterable[str | AddedToken], *, special: bool = False
    ) -> Tokenizer:
        r"""Give the same tokenizer with more added tokens, which are found in the text before the model sees it.

        Args:
            tokens: Their texts, or :class:`piecework.AddedToken` with flags. One that is in the vocabulary keeps its id,
                others get the next ones; one that was added before takes on the new flags.
            special: Whether those given as ``str`` are special tokens. Special tokens are matched in a text by default, also those
                that were among :attr:`control_symbols`.

        Returns:
            A new tokenizer; this one stays as it is.

        Raises:
            ConfigError: An empty token.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n").with_added_tokens(["<name>"])
        >>> tok.tokenize("hugs <NAME>"), tok.token_to_id("<name>")
        (['hug', '##s', '<name>'], 3)
        """
        tuples = _added_tuples("tokens", tokens, bool(special))
        return self._wrap(self._core.with_added_tokens(tuples), self._functions)

    def _with_controls(self, names: Sequence[str]) -> Tokenizer:
        """Give the same tokenizer, of whose special tokens just these are control symbols."""
        if tuple(names) == self.control_symbols:
            return self
        return self._wrap(self._core.with_control_symbols(list(names)), self._functions)

    # --- encoding and decoding ----------------------------------------------------------------

    def encode(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        truncation: TruncationLike | Default = DEFAULT,
        padding: PaddingLike | Default = DEFAULT,
        cache: bool = True,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int | None = None,
    ) -> Encoding:
        r"""Encode a text, or a pair of texts.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``; with ``is_pretokenized`` a list of words.
            pair: A second text, whose tokens get type id 1.
            is_pretokenized: Whether texts come in words. Each word is encoded for itself, and its offsets count in it.
            add_special_tokens: Whether the post-processor's special tokens are added.
            specials: What special tokens in the text are: matched (``"match"``), ordinary text (``"text"``, which
                cannot smuggle one in), an error (``"error"``), or matched if in the given set, else text. By default as the
                library of the tokenizer's file does: matched, but for :attr:`control_symbols`, which are text.
            truncation: A :class:`piecework.Truncation`, its ``max_length`` alone, or None; by default as the tokenizer has
                it. What is cut off is in ``overflowing``.
            padding: A :class:`piecework.Padding`, a length, or None; by default as the tokenizer has it.
            cache: Whether words that were met before may be looked up, and new ones kept. The result is the same.
            dropout: How likely BPE passes a merge over, and WordPiece a token of more than one character (MaxMatch-Dropout),
                from 0 to 1; None: as the model has it.
            alpha: Draw a segmentation, of Unigram or of WordPiece with ``segmentation="likeliest"``, each with its probability to the
                power of ``alpha``: 1 draws from the model, 0 makes all alike, a large one nearly always takes the best; None takes
                the best.
            nbest_size: With ``alpha``, draw among so many of the best segmentations of each word; None, which is SentencePiece's -1,
                draws among all.
            seed: The seed of ``dropout`` and ``alpha``: the same seed gives the same tokens; None draws anew at each call.

        Returns:
            Ids, tokens, offsets (characters of the original text), word ids, type ids and masks.

        Raises:
            SpecialTokenError: A special token in the text, with ``specials="error"``.
            UnknownTokenError: An unknown word, where the tokenizer has no unknown token.
            SurrogateError: The text holds a lone surrogate.
            InvalidUtf8Error: The bytes are not UTF-8.
            TruncationError: There is no room beside the special tokens, or no second text to truncate.
            RegexError: A pattern gave up on the text.
            ConfigError: An ``alpha`` for a model without probabilities of segmentations, or ``dropout`` for Unigram or the
                likeliest segmentation of WordPiece.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode("hugs hug").offsets
        [(0, 3), (3, 4), (5, 8)]
        >>> tok.encode("hugs hug", truncation=2).tokens
        ['hug', '##s']
        """
        options = self._options(
            add_special_tokens,
            specials,
            truncation,
            padding,
            cache,
            dropout,
            alpha,
            nbest_size,
            seed,
        )
        return self._core.encode(text, pair, is_pretokenized, options)

    def _encode_input(
        self,
        number: int,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None,
        call: Call,
        padding: PaddingLike | Default,
    ) -> Encoding:
        """Encode an input of a batch as the batch did."""
        options = self._options(
            call.add_special_tokens,
            call.specials,
            call.truncation,
            padding,
            call.cache,
            call.dropout,
            call.alpha,
            call.nbest_size,
            call.seed,
            number,
        )
        return self._core.encode(text, pair, call.is_pretokenized, options)

    def encode_segments(
        self,
        segments: Iterable[tuple[str, bool]],
        *,
        add_special_tokens: bool = True,
        truncation: TruncationLike | Default = DEFAULT,
        padding: PaddingLike | Default = DEFAULT,
        cache: bool = True,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int | None = None,
    ) -> Encoding:
        r"""Encode one text that comes in segments, some of which may hold special tokens.

        Args:
            segments: Pairs of a text and whether it is trusted. Special tokens in trusted segments are matched, in others
                they are ordinary text. No word reaches from one segment into the next.
            add_special_tokens: As for :meth:`encode`, like the next three.
            truncation: Likewise.
            padding: Likewise.
            cache: Likewise.
            dropout: Likewise, and the next three.
            alpha: Likewise.
            nbest_size: Likewise.
            seed: Likewise.

        Returns:
            The encoding; offsets count in all segments put together.

        >>> tok = Tokenizer.from_str("[UNK]\n[SEP]\nhug\n##s\n")
        >>> tok.encode_segments([("hugs[SEP]", True), ("[SEP]", False)]).tokens
        ['hug', '##s', '[SEP]', '[UNK]', '[UNK]', '[UNK]']
        """
        options = self._options(
            add_special_tokens,
            "match",
            truncation,
            padding,
            cache,
            dropout,
            alpha,
            nbest_size,
            seed,
        )
        return self._core.encode_segments(segments, options)

    def encode_ids(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        truncation: TruncationLike | Default = DEFAULT,
        padding: PaddingLike | Default = DEFAULT,
        cache: bool = True,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int | None = None,
    ) -> list[int]:
        """Give the token ids of a text or pair, and nothing else; arguments as for :meth:`encode`."""
        options = self._options(
            add_special_tokens,
            specials,
            truncation,
            padding,
            cache,
            dropout,
            alpha,
            nbest_size,
            seed,
        )
        return self._core.encode_ids(text, pair, is_pretokenized, options)

    def encode_nbest(
        self,
        text: Text,
        n: int,
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
    ) -> list[ScoredEncoding]:
        """Give the best segmentations of a text, best first, with their scores.

        A* search from the end of a word, which knows what is best to reach each place (as SentencePiece does it).
        Of equal scores that one comes first which that library lists first. Each takes as many steps as it has tokens, if few
        others are nearly as good.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``.
            n: How many to give, if there are so many; 10,000 at most, since each takes the memory of an encoding.
            add_special_tokens: As for :meth:`encode`.
            specials: As for :meth:`encode`.

        Returns:
            EncodedBatch, neither truncated nor padded, and scores: natural logarithms of their probabilities, in which special
            tokens do not count. They are those of SentencePiece, for its models and ``n`` from 2 on. Several words are
            combined. Of very long words there may be the best alone, where too many are nearly as good, as in that library.

        Raises:
            ConfigError: The model has no probabilities: it is neither Unigram nor WordPiece with
                ``segmentation="likeliest"``; or ``n`` is not from 1 to 10,000.
            PieceworkError: As for :meth:`encode`.

        >>> from piecework import models
        >>> vocab = [("h", -3.0), ("u", -2.3), ("g", -2.4), ("s", -2.4), ("hug", -1.2), ("gs", -3.0)]
        >>> for encoding, score in Tokenizer(models.Unigram(vocab)).encode_nbest("hugs", 2):
        ...     print(encoding.tokens, round(score, 4))
        ['hug', 's'] -3.6
        ['h', 'u', 'gs'] -8.3
        """
        from piecework.types import ScoredEncoding

        if not _is_integer(n, 1, _MOST_SEGMENTATIONS):
            raise ConfigError(
                f"n: expected how many segmentations to give, from 1 to {_MOST_SEGMENTATIONS:,}, found {shown(n)}"
            )
        options = self._options(add_special_tokens, specials, None, None)
        return [ScoredEncoding(*found) for found in self._core.encode_nbest(text, n, options)]

    def encode_batch(
        self,
        texts: Iterable[Any] | ArrowColumn | ArrowTexts,
        *,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        truncation: TruncationLike | Default = DEFAULT,
        padding: PaddingLike | Default = DEFAULT,
        offsets: bool = False,
        cache: bool = True,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int | None = None,
        threads: int | None = None,
    ) -> EncodedBatch:
        r"""Encode many texts into one flat array of ids.

        Args:
            texts: An iterable of texts as :meth:`encode` takes them, or of pairs (tuples) of them; or a column of strings
                of pyarrow, polars or whatever else has the Arrow PyCapsule interface, which is read where it lies.
            is_pretokenized: As for :meth:`encode`, like the next four.
            add_special_tokens: Likewise.
            specials: Likewise.
            truncation: Likewise.
            padding: Likewise; ``Padding()`` pads to the longest of the batch.
            offsets: Whether offsets, word ids, type ids and masks are computed at the same time, instead of when they are
                asked for.
            cache: As for :meth:`encode`.
            dropout: Likewise. Texts differ in their chance by their place in the batch.
            alpha: Likewise.
            nbest_size: Likewise.
            seed: Likewise.
            threads: How many to use; one for each core by default. They do not change the result.

        Returns:
            The ids and where each text's begin; all else on demand.

        Raises:
            PieceworkError: As for :meth:`encode`; the message has the number of the text.
            ArrowError: A column that holds something else than texts, nulls included.

        >>> import pyarrow as pa
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode_batch(pa.array(["hugs", "hug hug"])).to_list()
        [[1, 2], [1, 1]]
        """
        from piecework.types import Call, EncodedBatch

        rows = _listed(texts, is_pretokenized)
        seed = self._seed(seed, dropout, alpha)  # drawn once: `batch[i]` encodes with it again
        specials = _frozen(specials)
        options = self._options(
            add_special_tokens,
            specials,
            truncation,
            padding,
            cache,
            dropout,
            alpha,
            nbest_size,
            seed,
        )
        batch = self._core.encode_batch(rows, is_pretokenized, options, bool(offsets), threads)
        call = Call(
            self,
            rows,
            is_pretokenized,
            add_special_tokens,
            specials,
            truncation,
            padding,
            cache,
            dropout,
            alpha,
            nbest_size,
            seed,
        )
        return EncodedBatch(batch, call, threads)

    def encode_file(
        self,
        path: Pathish,
        *,
        lines: bool = False,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        errors: Literal["strict", "replace"] = "strict",
        cache: bool = True,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int | None = None,
        threads: int | None = None,
        progress: ProgressLike = False,
    ) -> EncodedBatch:
        r"""Encode a file of UTF-8 into one flat array of ids, neither truncated nor padded.

        It is read in blocks, so that memory holds the ids and little more. Where no place to cut a text is certain, as with
        most tokenizers that do not divide at white space, a file that is one text is read whole; a text of more than 1 GiB
        is an error then, and so is such a line.

        Args:
            path: The file.
            lines: Whether each line, without its end, is a text; by default the file is one.
            add_special_tokens: As for :meth:`encode`, like the next.
            specials: Likewise.
            errors: ``"strict"`` makes broken bytes an error, ``"replace"`` puts U+FFFD in their place.
            cache: As for :meth:`encode`.
            dropout: Likewise. Lines differ in their chance by their number, as texts of :meth:`encode_batch` do.
            alpha: Likewise.
            nbest_size: Likewise.
            seed: Likewise.
            threads: How many to use; one for each core by default. They do not change the result.
            progress: Whether to show progress, or what to call with it.

        Returns:
            The ids and where each text's begin. The texts are not kept, so nothing else is to be had of them.

        Raises:
            FileError: The file cannot be read; a missing file also is a ``FileNotFoundError``.
            FormatError: The file is not text but compressed data, a Parquet file, or JSON lines.
            InvalidUtf8Error: Broken bytes, with line and byte.
            PieceworkError: As for :meth:`encode`; the message has the line, or the character of the file.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "text.txt")
        >>> _ = path.write_text("hugs\nhug hug\n")
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode_file(path).ids
        array([1, 2, 1, 1], dtype=uint32)
        >>> tok.encode_file(path, lines=True).to_list()
        [[1, 2], [1, 1]]
        """
        from piecework.progress import reporting
        from piecework.types import Call, EncodedBatch, FileTexts

        if errors not in ("strict", "replace"):
            raise ConfigError(f'errors must be "strict" or "replace", not {shown(errors)}')
        seed = self._seed(seed, dropout, alpha)
        specials = _frozen(specials)
        options = self._options(
            add_special_tokens, specials, None, None, cache, dropout, alpha, nbest_size, seed
        )
        name = checked(path)
        command = "encode TOKENIZER -"
        check_text(path, command)
        # The core waits for bytes; where they may not come, Python does, which listens for Ctrl-C.
        data = read_bytes(path) if may_block(path) else None
        check_start(data or b"", name, command)
        total = size(path)
        with reporting(progress) as report:
            batch = self._core.encode_file(
                name,
                data,
                bool(lines),
                errors == "replace",
                options,
                threads,
                lambda read: report("encoding bytes", read, total),
                _BLOCK,
            )
        call = Call(
            self,
            FileTexts(name),
            False,
            add_special_tokens,
            specials,
            None,
            None,
            cache,
            dropout,
            alpha,
            nbest_size,
            seed,
        )
        return EncodedBatch(batch, call, threads)

    def _options(  # noqa: PLR0917 (by place: names would cost every call)
        self,
        add_special_tokens: bool,
        specials: Specials | None,
        truncation: TruncationLike | Default = DEFAULT,
        padding: PaddingLike | Default = DEFAULT,
        cache: bool = True,
        dropout: float | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        seed: int | None = None,
        first_input: int = 0,
    ) -> Options:
        """What a call asks for, as the core takes it; kept, as most calls ask for the same."""
        if (
            add_special_tokens is cache is True
            and specials is None
            and truncation is padding is DEFAULT
            and dropout is alpha is nbest_size is seed is None
            and first_input == 0
            and (plain := self._plain_options) is not None
        ):
            return plain
        way = self._way(cache, dropout, alpha, nbest_size, seed)
        if first_input:
            way = way._replace(first_input=first_input)
        is_name = specials is None or isinstance(specials, str)
        if way not in (FAST, UNCACHED) or not is_name:
            return self._made_options(add_special_tokens, specials, truncation, padding, way)
        # True and 1 are equal, but only one of them is a length.
        limits = type(truncation), truncation, type(padding), padding
        key = add_special_tokens, specials, cache, *limits
        known = self._known_options
        try:
            options = known.get(key)
        except TypeError:  # something that is no setting; it is told which
            return self._made_options(add_special_tokens, specials, truncation, padding, way)
        if options is None:
            options = self._made_options(add_special_tokens, specials, truncation, padding, way)
            if len(known) >= _MOST_OPTIONS:
                known.clear()
            known[key] = options
        return options

    @cached_property
    def _plain_options(self) -> Options | None:
        """What most calls ask for; None where each call draws a seed."""
        if self._has_dropout:
            return None
        return self._made_options(True, None, DEFAULT, DEFAULT, FAST)

    @cached_property
    def _has_dropout(self) -> bool:
        """Whether the model drops merges or tokens where a call says nothing about it."""
        return self._core.has_dropout()

    def _seed(self, seed: int | None, dropout: float | None, alpha: float | None) -> int | None:
        """Return the seed of a call: the given one, a new one where tokens are sampled without, else None."""
        if seed is not None:
            return seed
        is_sampled = alpha is not None or (self._has_dropout if dropout is None else dropout != 0)
        return int.from_bytes(os.urandom(8)) if is_sampled else None

    def _way(
        self,
        cache: bool,
        dropout: float | None,
        alpha: float | None,
        nbest_size: int | None,
        seed: int | None,
    ) -> Way:
        """How the core gets to tokens: on the fast road, if there is one, with or without a cache."""
        way = FAST if cache else UNCACHED
        drawn = self._seed(seed, dropout, alpha)
        number = 0 if drawn is None else drawn
        if dropout is alpha is nbest_size is None and number == 0:
            return way
        _check_number("dropout", dropout, 1)
        _check_number("alpha", alpha, None)
        if nbest_size is not None and (alpha is None or not _is_integer(nbest_size, 1, 2**32 - 1)):
            raise ConfigError(
                f"nbest_size: expected an integer from 1 on beside alpha=, or None, found {shown(nbest_size)} with alpha={alpha!r}"
            )
        if not _is_integer(number, 0, 2**64 - 1):
            raise ConfigError(f"seed: expected an integer from 0 to 2^64 - 1, found {shown(seed)}")
        return way._replace(
            dropout=dropout, alpha=alpha, nbest_size=nbest_size, seed=operator.index(number)
        )

    @cached_property
    def _known_options(self) -> dict[Hashable, Options]:
        return {}

    def _made_options(
        self,
        add_special_tokens: bool,
        specials: Specials | None,
        truncation: TruncationLike | Default,
        padding: PaddingLike | Default,
        way: Way,
    ) -> Options:
        limits = self._limit("truncation", truncation), self._limit("padding", padding)
        return self._core.options(bool(add_special_tokens), specials, *limits, way)

    def _limit(self, name: Literal["truncation", "padding"], value: Any) -> str | bool:
        """JSON, True for what the tokenizer has, or False for none."""
        if value is None or isinstance(value, Default):
            return value is not None
        import json

        from piecework.encoding_settings import as_padding, as_truncation

        limit = as_truncation(value) if name == "truncation" else as_padding(value, self)
        return json.dumps(limit and limit.to_dict())

    def tokenize(self, text: str, *, specials: Specials | None = None) -> list[str]:
        r"""Give the tokens of a text, without special tokens around it, all of them.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").tokenize("Hugs!")
        ['hug', '##s', '[UNK]']
        """
        options = self._options(False, specials, None, None)
        return self._core.encode(text, None, False, options).tokens

    def to_subword_nmt(self, text: str, *, separator: str = "@@") -> str:
        r"""Write a text with spaces between its tokens, as subword-nmt does.

        Args:
            text: The text; its lines stay lines.
            separator: What is written behind a token that does not end its word.

        Returns:
            Of each token the stretch of the text that it stands for, so that what is unknown stays as it is.

        >>> from piecework import models, pre_tokenizers
        >>> model = models.BPE(["l", "o", "w", "lo", "w</w>"], [("l", "o")], end_of_word_suffix="</w>")
        >>> Tokenizer(model, pre_tokenizer=pre_tokenizers.WhitespaceSplit()).to_subword_nmt("low\n low ")
        'lo@@ w\n lo@@ w '
        """
        check_str("separator", separator)
        lines = check_str("text", text).split("\n")
        return "\n".join(self._segmented(line, separator) for line in lines)

    def _segmented(self, line: str, separator: str) -> str:
        body = line.strip("\r ")
        before, _, behind = line.partition(body) if body else (line, "", "")
        options = self._options(False, "match", None, None)
        parts, end = list[str](), 0
        for start, stop in self._core.encode(body, None, False, options).offsets:
            if stop <= end:
                continue  # the mark at the end of a word has no text of its own
            if parts:
                parts.append(" " if start > end else f"{separator} ")
            parts.append(body[max(start, end) : stop])
            end = stop
        return before + "".join(parts) + behind

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
        return self._core.decode(as_ids(ids), skip_special_tokens)

    def decode_batch(
        self, batch: EncodedBatch | Iterable[Iterable[int]], *, skip_special_tokens: bool = True
    ) -> list[str]:
        """Give the texts of many rows of token ids; see :meth:`decode`."""
        return [self.decode(row, skip_special_tokens=skip_special_tokens) for row in _rows(batch)]

    def decode_bytes(self, ids: Iterable[int], *, skip_special_tokens: bool = True) -> bytes:
        r"""Give the text of token ids as bytes, those that tokens stand for as they are.

        Where :meth:`decode` has U+FFFD because bytes are no UTF-8, as in half a character, these bytes are given: those of
        byte-level tokens and of tokens such as ``<0xE4>``, by the decoder. A regular expression of the decoder looks at
        text alone; behind it they are U+FFFD here, too.

        Args:
            ids: Token ids.
            skip_special_tokens: Whether special tokens are left out.

        Returns:
            The bytes; UTF-8, where the tokens are.

        Raises:
            TokenIdError: An id that is not in the vocabulary.

        >>> from piecework import decoders, models
        >>> vocab = ["Ġna", "Ã", "¯", "ve"]
        >>> tok = Tokenizer(models.WordLevel(vocab, unk_token="ve"), decoder=decoders.ByteLevel())
        >>> tok.decode_bytes([0, 1]), tok.decode([0, 1]), tok.decode([0, 1, 2, 3])
        (b' na\xc3', ' na�', ' naïve')
        """
        return self._core.decode_bytes(as_ids(ids), skip_special_tokens)

    def decode_bytes_batch(
        self, batch: EncodedBatch | Iterable[Iterable[int]], *, skip_special_tokens: bool = True
    ) -> list[bytes]:
        """Give the bytes of many rows of token ids; see :meth:`decode_bytes`."""
        rows = _rows(batch)
        return [self.decode_bytes(row, skip_special_tokens=skip_special_tokens) for row in rows]

    def decode_stream(self, *, skip_special_tokens: bool = True) -> DecodeStream[str]:
        r"""Give a stream that decodes token ids as they come, as from a model that generates.

        Args:
            skip_special_tokens: Whether special tokens are left out.

        Returns:
            The stream; :meth:`DecodeStream.step` gives what is new.

        >>> stream = Tokenizer.from_str("[UNK]\nhug\n##s\n").decode_stream()
        >>> stream.step(1), stream.step([2, 1]), stream.finish()
        ('hug', 's hug', '')
        """
        from piecework.streams import DecodeStream

        return DecodeStream(self._core.decode_stream(bool(skip_special_tokens), False))

    def decode_bytes_stream(self, *, skip_special_tokens: bool = True) -> DecodeStream[bytes]:
        """Give a stream that decodes as :meth:`decode_bytes` does; see :meth:`decode_stream`.

        Bytes are given as they come, also those that begin a character.
        """
        from piecework.streams import DecodeStream

        return DecodeStream(self._core.decode_stream(bool(skip_special_tokens), True))

    def display_token(self, token: str | int) -> str:
        r"""Give a token as people read it.

        What the decoder does to single tokens is done: characters that stand for bytes become text, tokens such as ``<0x61>``
        and marks of spaces as well. Prefixes and suffixes that mark the place in a word stay.

        Args:
            token: The token, or its id.

        Returns:
            Text on one line; bytes that are no UTF-8 by themselves as ``<0xE4>``, control characters escaped.

        Raises:
            TokenIdError: An id that is not in the vocabulary.

        >>> from piecework import decoders, models
        >>> vocab = ["Ġna", "Ã", "¯ve", "Ċ"]
        >>> tok = Tokenizer(models.WordLevel(vocab, unk_token="Ċ"), decoder=decoders.ByteLevel())
        >>> [tok.display_token(token) for token in ["Ġna", 1, 2, "Ċ"]]
        [' na', '<0xC3>', '<0xAF>ve', '\\n']
        """
        from piecework.display import display_token

        if not isinstance(token, str):
            name = self.id_to_token(check_index("token", token))
            if name is None:
                raise TokenIdError(f"id {shown(token)} is not in the vocabulary")
            token = name
        return display_token(self._core.token_bytes(token))

    def count(
        self,
        text_or_texts: Text | Iterable[Text] | ArrowColumn,
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        cache: bool = True,
    ) -> Any:
        r"""Count tokens without making a list of them, neither truncated nor padded.

        Args:
            text_or_texts: A text as for :meth:`encode`, or an iterable or an Arrow column of texts.
            add_special_tokens: As for :meth:`encode`.
            specials: As for :meth:`encode`.
            cache: As for :meth:`encode`.

        Returns:
            The number of tokens (``int``), or a list of such numbers.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").count(["hugs", "hug"])
        [2, 1]
        """
        options = self._options(add_special_tokens, specials, cache=cache)
        if isinstance(text_or_texts, _TEXT):
            return self._core.count(text_or_texts, options)
        if (column := as_column(text_or_texts)) is not None:
            batch = self.encode_batch(
                column,
                add_special_tokens=add_special_tokens,
                specials=specials,
                truncation=None,
                padding=None,
                cache=cache,
            )
            return batch._lengths().tolist()
        texts: Any = text_or_texts
        each = check_iterable("text_or_texts", texts, "a text or an iterable of texts")
        return [self._core.count(text, options) for text in each]

    def log_probability(self, text: Text, *, specials: Specials | None = None) -> float:
        """Give the logarithm of the probability of a text, however it is segmented.

        The model is Unigram, or WordPiece with ``segmentation="likeliest"``.

        The cost is that of finding the best segmentation: linear in the text.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``.
            specials: As for :meth:`encode`.

        Returns:
            A natural logarithm: of each word, of the sum over all its segmentations; words add up, added tokens count nothing.

        Raises:
            ConfigError: The model has no probabilities.
            PieceworkError: As for :meth:`encode`.

        >>> from piecework import models
        >>> round(Tokenizer(models.Unigram([("a", -1.0), ("aa", -2.0)])).log_probability("aa"), 4)
        -1.3069
        """
        return self._core.log_probability(text, self._options(False, specials))

    def score(self, tokens: Iterable[str | int]) -> float:
        """Give the score of a segmentation: the sum of its tokens' scores, logarithms of probabilities.

        The model is Unigram, or WordPiece with ``segmentation="likeliest"``.

        Args:
            tokens: Tokens or their ids, such as an :class:`Encoding`.

        Returns:
            A natural logarithm. The unknown token counts as an unknown character; special tokens count nothing, and bytes
            that SentencePiece falls back to neither.

        Raises:
            ConfigError: The model has no probabilities.
            TokenIdError: A token that is not in the vocabulary.

        >>> from piecework import models
        >>> tok = Tokenizer(models.Unigram([("a", -1.0), ("b", -2.0), ("ab", -1.5)]))
        >>> tok.score(["a", "b"]), tok.score(tok.encode("ab"))
        (-3.0, -1.5)
        """
        each = check_iterable("tokens", tokens, "an iterable of tokens or ids")
        return self._core.score([self._id(token) for token in each])

    def _id(self, token: str | int) -> int:
        if not isinstance(token, str):
            if not 0 <= check_index("tokens", token) < 1 << 32:
                raise id_error()
            return token
        number = self.token_to_id(token)
        if number is None:
            raise TokenIdError(f"the token {shown(token)} is not in the vocabulary")
        return number

    def log_likelihood(self, text: str, *, specials: Specials | None = None) -> float:
        """Give the log-likelihood of a text: the sum of ln p over its tokens (note 002).

        A token's p is what ``probabilities`` say, or its share of all tokens when the training words are encoded; one that never occurs there, and
        the unknown token, have 2**-52, so the sum is finite. No special tokens are added around the text.

        Raises:
            MissingCountsError: The tokenizer has no token counts, as one read from a vocab.txt.

        >>> import piecework as pw
        >>> tok = pw.train({"a": 3, "b": 1}, pw.WordPieceTrainer(7))
        >>> round(tok.log_likelihood("a b"), 4)  # ln 3/4 + ln 1/4
        -1.674
        """
        return self._core.log_likelihood(text, self._options(False, specials))

    def explain(self, word: str) -> Explanation:
        """Tell how a word came to be split as it is.

        Args:
            word: A word, or a text of a few.

        Returns:
            For each piece, the longer prefixes that were tried and are no tokens, and the merges that the piece was born
            by, down to characters; where the likeliest segmentation is taken, the scores of the pieces, how much of the word's
            probability they have together, and the next best; ``print`` shows it.

        >>> import piecework as pw
        >>> tok = pw.train({"hug": 10, "pug": 5, "hugs": 5}, pw.WordPieceTrainer(vocab_size=12))
        >>> print(tok.explain("hugs"))
        hugs -> hug ##s
          hug: tried hugs, which is not in the vocabulary
            hug = h + ##ug (merge 2)
              ##ug = ##u + ##g (merge 1)
          ##s: a character of the alphabet
        >>> words = {"▁hug": 10, "▁pug": 5, "▁pun": 12, "▁bun": 4, "▁hugs": 5}
        >>> print(pw.train(words, pw.UnigramTrainer(16)).explain("puns"))
        puns -> ' pun' s
          ' pun': score -1.20397
          s: score -4.38203
          together score -5.586, 100.0% of all that spells it; next ' ' p u n s, score -21.9101, e^16.3 times less likely
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
        """The number of tokens, special tokens included; see :attr:`max_id` for the largest id."""
        return len(self._core)

    def __len__(self) -> int:
        """Give the number of tokens, special tokens included."""
        return len(self._core)

    @property
    def max_id(self) -> int | None:
        r"""The largest id, and None of an empty vocabulary; an embedding table needs ``max_id + 1`` rows.

        Ids may have gaps, so that this is more than ``len(tok) - 1``: cl100k_base has 100,261 tokens, and ids up to 100,276.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").max_id
        2
        """
        return self._core.max_id()

    def token_to_id(self, token: str) -> int | None:
        """Give the id of a token, or None."""
        return self._core.token_to_id(token)

    def id_to_token(self, id: int) -> str | None:  # noqa: A002  # the name that the field uses
        """Give the token of an id, or None."""
        number = check_index("id", id)
        return self._core.id_to_token(number) if 0 <= number < 1 << 32 else None

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens and their ids."""
        return dict(self._core.special_tokens())

    @cached_property
    def control_symbols(self) -> tuple[str, ...]:
        r"""The special tokens that are ordinary text where a text spells them, unless a call says otherwise.

        These are the control symbols of a SentencePiece model, which that library never matches in a text. Pickling keeps
        them; a tokenizer.json cannot, and :meth:`with_added_tokens` makes of one a special token that is matched. Other formats
        have none.

        >>> Tokenizer.from_str("[UNK]\n[SEP]\nhug\n").control_symbols
        ()
        """
        return tuple(self._core.control_symbols())

    @property
    def added_tokens(self) -> dict[int, AddedToken]:
        """The added tokens, special ones among them, by id; a new dictionary each time."""
        from piecework.added_tokens import AddedToken

        return {number: AddedToken(*flags) for number, flags in self._core.added_tokens()}

    @cached_property
    def _not_special(self) -> frozenset[int]:
        """The ids of added tokens that are not special."""
        return frozenset(
            number for number, (*_, special) in self._core.added_tokens() if not special
        )

    @property
    def unknown(self) -> UnknownPolicy:
        """What becomes of characters that no piece covers; of a model other than WordPiece, ``"word"``."""
        return self._core.model()[2] if self.model_type == "WordPiece" else "word"

    @property
    def unk_token(self) -> str | None:
        """The unknown token, or None if there is none."""
        unk_token = self._core.unk_token()
        known = unk_token is not None and self.token_to_id(unk_token) is not None
        return unk_token if known else None

    @property
    def continuing_subword_prefix(self) -> str:
        """What marks a token that continues a word; empty if nothing does."""
        return self._core.continuing_subword_prefix()

    @property
    def max_input_chars_per_word(self) -> int | None:
        """Longer words, in characters after normalization, are unknown; None for no limit."""
        return self._core.model()[3] if self.model_type == "WordPiece" else None

    @property
    def model_type(self) -> str:
        """The kind of model: ``"WordPiece"``, ``"BPE"``, ``"Unigram"`` or ``"WordLevel"``."""
        return self._core.model_type()

    @property
    def model(self) -> Model:
        """The model, its vocabulary included; a new one each time."""
        import json

        from piecework.models import Model

        return Model.from_dict(json.loads(self._core.model_json()))

    @cached_property
    def _parts(self) -> dict[str, Any]:
        import json

        parts: dict[str, Any] = json.loads(self._core.parts())
        return parts

    @cached_property
    def normalizer(self) -> Normalizer | None:
        """What a text is changed by."""
        from piecework.normalizers import Normalizer

        part = self._parts["normalizer"]
        return part and Normalizer.from_dict(part)

    @cached_property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """How a text is split into words."""
        from piecework.pre_tokenizers import PreTokenizer

        part = self._parts["pre_tokenizer"]
        return part and PreTokenizer.from_dict(part, self._functions)

    @cached_property
    def post_processor(self) -> PostProcessor | None:
        """Where special tokens go."""
        from piecework.processors import PostProcessor

        part = self._parts["post_processor"]
        return part and PostProcessor.from_dict(part)

    @cached_property
    def decoder(self) -> Decoder | None:
        """How tokens become text."""
        from piecework.decoders import Decoder

        part = self._parts["decoder"]
        return part and Decoder.from_dict(part)

    @cached_property
    def truncation(self) -> Truncation | None:
        """How calls truncate that do not say it."""
        from piecework.encoding_settings import prescribed

        part = self._parts["truncation"]
        return part and prescribed(part)

    @cached_property
    def padding(self) -> Padding | None:
        """How calls pad that do not say it."""
        from piecework.encoding_settings import Padding

        part = self._parts["padding"]
        return part and Padding.from_dict(part)

    @property
    def generic_path_reason(self) -> str | None:
        r"""Why texts take the generic path; None if they take the fast path.

        Both paths give the same tokens. The fast path cuts a text where words end for certain, and looks up in a cache
        the words that it has encoded before; docs/pipeline.md lists the pipelines that it serves.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").generic_path_reason is None
        True
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").with_parts(pre_tokenizer=None).generic_path_reason
        'without a pre-tokenizer a text is one word'
        """
        return self._core.generic_path_reason()

    @property
    def split_backends(self) -> tuple[str, ...]:
        r"""What finds the patterns of the pre-tokenizer, in their order.

        Patterns of well-known models (`piecework.patterns.SPLIT_PATTERNS`) are found by grammars, plain strings by a search,
        all others by Oniguruma. Each finds what Oniguruma finds.

        >>> from piecework import pre_tokenizers
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.with_parts(pre_tokenizer=pre_tokenizers.ByteLevel()).split_backends
        ('grammar gpt2',)
        """
        return tuple(self._core.split_backends())

    def unreachable_tokens(self) -> list[str]:
        """Give the tokens of a BPE vocabulary that no text becomes, since no merges lead to them.

        They waste room. A training makes none, but for user-defined symbols, which are found before merging; a vocabulary
        that was put together otherwise may have them.

        Returns:
            The tokens in the order of their ids, without added ones; none for other models than BPE.

        >>> from piecework import models
        >>> Tokenizer(models.BPE(["a", "b", "c", "bc", "abc"], [("b", "c")])).unreachable_tokens()
        ['abc']
        """
        return self._core.unreachable_tokens()

    @cached_property
    def history(self) -> tuple[Merge, ...]:
        """The merges of the training in their order; empty if they are not known, and of Unigram, which has `rounds`."""
        from piecework.types import Merge

        return tuple(Merge(*merge) for merge in self._core.history() or ())

    @cached_property
    def steps(self) -> tuple[UnigramStep, ...]:
        """What a training of Unigram did, in order: steps of EM and prunings; empty if it is not known.

        What was removed is known of the tokenizer that :func:`train` gave. A file keeps the rest.

        >>> from piecework import UnigramTrainer, train
        >>> tok = train({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, UnigramTrainer(12))
        >>> tok.steps[1]
        UnigramStep(pieces=10, log_likelihood=None, removed=('▁hugs',))
        """
        from piecework.types import UnigramStep

        return tuple(
            UnigramStep(pieces, log_likelihood, None if removed is None else tuple(removed))
            for pieces, log_likelihood, removed in self._core.steps() or ()
        )

    @cached_property
    def _steps(self) -> dict[str, int]:
        """The place in the history of the merge that made each token."""
        return {merge.token: place for place, merge in enumerate(self.history)}

    @cached_property
    def _merging(self) -> Merging | None:
        """The merges of a BPE model, for explanations; None of other models."""
        if self.model_type != "BPE":
            return None
        from piecework.explain import Merging

        return Merging(cast("BPE", self.model))

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
        import json

        return self._training and json.loads(self._training[0])

    @property
    def counts_sha256(self) -> str | None:
        """The fingerprint of the word counts of the training; None if it is not known."""
        return self._training and self._training[1]

    @property
    def token_counts(self) -> dict[str, int] | None:
        """How often each token occurs when the training words are encoded, in order of the ids; None if not known.

        A new dictionary each time. Tokens that were added after the training are not in it.

        >>> import piecework as pw
        >>> tok = pw.train({"hug": 10, "hugs": 5}, pw.WordPieceTrainer(10, special_tokens=[]))
        >>> tok.token_counts
        {'##g': 0, '##s': 0, '##u': 0, 'h': 0, '##ug': 0, 'hug': 10, 'hugs': 5}
        """
        if self._training is None:
            return None
        counts = self._training[2]
        return {token: counts[number] for token, number in self._core.model_vocab().items()}

    def _instead_of_setting(self, name: str) -> str:
        """Return how to change a setting of the model, which only WordPiece lets a tokenizer do."""
        if self.model_type == "WordPiece":
            return f"call tok.with_settings({name}=...)"
        return (
            "it is one of the model; make another of a model: Tokenizer(model, normalizer=..., ...)"
        )

    def _instead(self, name: str) -> str:
        """Return what to call instead of assigning to an attribute."""
        ways = {
            "model": "make another of a model: Tokenizer(model, normalizer=..., ...)",
            **dict.fromkeys(Parts.__optional_keys__, f"call tok.with_parts({name}=...)"),
            **dict.fromkeys(_LIMITS, f"call tok.with_parts({name}=...), or pass {name}= to a call"),
            **dict.fromkeys(ModelSettings.__optional_keys__, self._instead_of_setting(name)),
            **dict.fromkeys(_ADDED, "call tok.with_added_tokens([...])"),
        }
        if name in ways:
            return f"a Tokenizer is immutable; {ways[name]}"
        known = [own for own in dir(type(self)) if not own.startswith("_")]
        if name.startswith("_"):
            return "a Tokenizer is immutable"
        if name in known:
            return "a Tokenizer is immutable, and this is read from it"
        return f"Tokenizer has no attribute of this name{hint(name, known)}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a tokenizer.json, and a pre-tokenizer that no file holds, a Python function, beside it."""
        text, pre_tokenizer = self._without_functions.to_str(), None
        if self._functions:
            pre_tokenizer = self.pre_tokenizer
        return _unpickle, (text, pre_tokenizer, self.control_symbols, type(self))

    def __copy__(self) -> Tokenizer:
        """Give itself: it never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tokenizer:
        """Give itself: it never changes."""
        return self

    def __eq__(self, other: object) -> bool:
        """Compare everything that a file would hold, and what control symbols are."""
        if not isinstance(other, Tokenizer):
            return NotImplemented
        if self._core is other._core:
            return True
        if self._core.splitter() != other._core.splitter() or self._functions != other._functions:
            return False
        if self.control_symbols != other.control_symbols:
            return False
        return self._without_functions.to_str() == other._without_functions.to_str()

    @property
    def _without_functions(self) -> Tokenizer:
        """The same tokenizer, without its pre-tokenizer if that calls Python."""
        return self.with_parts(pre_tokenizer=None) if self._functions else self

    def __hash__(self) -> int:
        """Hash by size and stages, which equal tokenizers share."""
        return hash((len(self), self._core.splitter()))

    def __repr__(self) -> str:
        """Tell model, size, stages and training."""
        parts = [
            self.model_type,
            f"{len(self):,} tokens",
            repr(self.normalizer),
            repr(self.pre_tokenizer),
        ]
        if self.model_type == "WordPiece":
            parts.append(f"unknown={self.unknown!r}")
        parts += [f"{limit!r}" for limit in (self.truncation, self.padding) if limit is not None]
        if training := self.trainer:
            # A WordPiece learns by a criterion, and BPE by frequency.
            criterion = [training["criterion"]] if "criterion" in training else []
            done = f"{len(self.steps)} rounds" if self.steps else f"{len(self.history):,} merges"
            parts += [*criterion, done]
        return f"Tokenizer({', '.join(parts)})"


def _unpickle(
    text: str,
    pre_tokenizer: PreTokenizer | None,
    control_symbols: Sequence[str] = (),
    kind: type[Tokenizer] = Tokenizer,
) -> Tokenizer:
    core = _core.Tokenizer.from_json(text.encode(), [], True, False)
    tokenizer = kind._wrap(core)._with_controls(control_symbols)
    return tokenizer.with_parts(pre_tokenizer=pre_tokenizer) if pre_tokenizer else tokenizer


_AddedTuple = tuple[str, bool, bool, bool, bool, bool]


def _added_tuples(
    name: str, tokens: Iterable[str | AddedToken], special: bool
) -> list[_AddedTuple]:
    """The flags of added tokens, an argument of this name."""
    expected = "an iterable of str or AddedToken"
    if isinstance(tokens, str):
        raise wrong_type(name, expected, tokens)
    each = check_iterable(name, tokens, expected)
    return [_added_tuple(name, token, special) for token in each]


def _added_tuple(name: str, token: str | AddedToken, special: bool) -> _AddedTuple:
    """The flags of an added token; those of a str are the usual ones."""
    if isinstance(token, str):
        to_utf8(token)  # which refuses surrogates
        return token, False, False, False, not special, special
    from piecework.added_tokens import AddedToken

    if not isinstance(token, AddedToken):
        raise wrong_type(name, "only str or AddedToken", token)
    return (
        token.content,
        token.single_word,
        token.lstrip,
        token.rstrip,
        bool(token.normalized),
        token.special,
    )


def _checked(name: str, part: Any, base: type[Any]) -> Any:
    if not isinstance(part, base):
        raise TypeError(
            f"{name} must be one of piecework.{base.__module__.split('.')[-1]}, not {shown(part)}"
        )
    return part


def _chances(given: Any) -> Mapping[str, float] | None:
    """Probabilities as the core takes them; it knows which tokens there are."""
    from collections import abc

    if given is None:
        return None
    if not isinstance(given, abc.Mapping):
        raise ConfigError(
            f"probabilities: expected a mapping of tokens to numbers, found {shown(given)}"
        )
    for token, probability in given.items():
        _checked_text("probabilities", token)
        _check_number(f"probabilities: {shown(token)}", probability, 1)
    return dict(given)


def _some(tokens: Sequence[str]) -> str:
    """Return the first few tokens for a message."""
    return ", ".join([*map(shown, tokens[:3]), *(["..."] if len(tokens) > 3 else [])])


def _is_integer(value: Any, least: int, most: int) -> bool:
    """Whether a value is an integer, also one of NumPy's, from the least to the most."""
    try:
        return least <= operator.index(value) <= most
    except TypeError:
        return False


def _check_number(name: str, value: Any, most: int | None) -> None:
    """Refuse what is neither None nor a number from 0 to the most there may be."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None or (
        is_number and 0 <= value <= (sys.float_info.max if most is None else most)
    ):
        return
    limit = "" if most is None else f" to {most}"
    raise ConfigError(f"{name}: expected a number from 0{limit}, or None, found {shown(value)}")


def _is_json(data: bytes) -> bool:
    """Whether it is a JSON array or object."""
    import json

    try:
        return isinstance(json.loads(data), list | dict)
    except (ValueError, RecursionError):
        return False


def _copied(text: Any) -> Any:
    """A text in words, or a pair of them, that nobody else can change."""
    if isinstance(text, tuple):
        return tuple(list(part) if isinstance(part, list) else part for part in text)
    return list(text) if isinstance(text, list) else text


def _listed(texts: Any, is_pretokenized: bool) -> Sequence[Any] | ArrowTexts:
    """Texts that can be looked at again: a list, or an Arrow column where it lies."""
    if isinstance(texts, _TEXT):
        kind = type(texts).__name__
        raise TypeError(
            f"texts must be an iterable of texts, not one {kind}; pass [text], or call encode"
        )
    if is_pretokenized:
        return [_copied(text) for text in check_iterable("texts", texts, _TEXTS)]
    column = as_column(texts)
    return list(check_iterable("texts", texts, _TEXTS)) if column is None else column


_TEXTS = "an iterable of texts"


def _frozen(specials: Any) -> str | frozenset[str] | None:
    """What a call says of special tokens, as it may be kept: nobody else can change it."""
    if specials is None or isinstance(specials, str):
        return specials
    try:
        return frozenset(specials)
    except TypeError:
        expected = 'None, "match", "text", "error" or a set of special tokens, each a str'
        raise wrong_type("specials", expected, specials) from None


def _rows(batch: EncodedBatch | Iterable[Iterable[int]]) -> Iterable[Iterable[int]]:
    """Token ids row by row."""
    from piecework.types import EncodedBatch

    if isinstance(batch, EncodedBatch):
        return batch.to_list()
    return check_iterable("batch", batch, "EncodedBatch or an iterable of rows of token ids")


def _checked_text(name: str, text: object) -> str:
    if not isinstance(text, str):
        raise ConfigError(f"{name} must be a str, not {shown(text)}")
    to_utf8(text)
    return text


def _checked_specials(tokens: Mapping[str, int]) -> dict[str, int]:
    from collections import abc

    if not isinstance(tokens, abc.Mapping):
        raise wrong_type("special_tokens", "a mapping of tokens to ids", tokens)
    for token, number in tokens.items():
        _checked_text("special_tokens: a token", token)
        if not _is_integer(number, 0, _NO_LIMIT):
            raise ConfigError(
                f"special_tokens: the id of {shown(token)} is {shown(number)}; expected an integer from 0 to 2^32 - 1"
            )
    return dict(tokens)


def _checked_limit(limit: Any) -> int | None:
    if limit is not None and (
        isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit < 1 << 63
    ):
        raise ConfigError(
            f"max_input_chars_per_word must be an integer from 0 on or None, not {shown(limit)}"
        )
    return None if limit is None or limit >= _NO_LIMIT else limit


def _vocab_splitter(
    settings: LoadSettings, flags: dict[str, Any]
) -> tuple[str | None, Sequence[Callable[[str], object]]]:
    """The stages of a vocab.txt as the core takes them; None stands for BERT's."""
    if not flags and "normalizer" not in settings and "pre_tokenizer" not in settings:
        return None, ()
    from piecework._component import splitter_json
    from piecework.normalizers import BertNormalizer
    from piecework.pre_tokenizers import BertPreTokenizer

    return splitter_json(
        settings["normalizer"] if "normalizer" in settings else BertNormalizer(**flags),
        settings["pre_tokenizer"] if "pre_tokenizer" in settings else BertPreTokenizer(),
    )


def _merges_splitter(
    settings: LoadSettings,
) -> tuple[str | None, Sequence[Callable[[str], object]]]:
    """The stages that go before those which a vocabulary tells; None for none."""
    if not any(name in settings for name in _SPLITTING):
        return None, ()
    from piecework._component import splitter_json

    return splitter_json(settings.get("normalizer"), settings.get("pre_tokenizer"))


def _refuse_unknown(settings: Any, known: Iterable[str], what: str) -> None:
    known = sorted(known)
    for name in settings:
        if name not in known:
            near = hint(name, known) or f"; there are {', '.join(known)}"
            raise TypeError(f"{shown(name)} is not among {what}{near}")


def _refuse(settings: Any, names: Iterable[str], why: str) -> None:
    for name in names:
        if name in settings:
            raise ConfigError(f"{name}= is something that {why}")
