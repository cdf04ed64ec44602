"""Defines the immutable :class:`Tokenizer`.

Settings, batches and JSON are imported in the functions that use them. Loading a file and encoding a text need none of
them, so a process that does only that starts faster.
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
    from piecework.batch import Call, EncodedBatch
    from piecework.decoders import Decoder
    from piecework.encoding_settings import Padding, PaddingLike, Truncation, TruncationLike
    from piecework.explain import Explanation, Merging
    from piecework.formats.detect import Format
    from piecework.hf_folder.read import ModelFolder
    from piecework.io.files import Pathish
    from piecework.models import BPE, Model
    from piecework.normalizers import Normalizer
    from piecework.patterns import Regex
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.processors import PostProcessor
    from piecework.results import Merge, ProgressLike, ScoredEncoding, UnigramStep
    from piecework.streams import DecodeStream

__all__ = ["LoadSettings", "Tokenizer"]


class Parts(TypedDict, total=False):
    """Lists the keyword arguments of :meth:`Tokenizer.with_parts`."""

    normalizer: Normalizer | None
    pre_tokenizer: PreTokenizer | None
    post_processor: PostProcessor | None
    decoder: Decoder | None
    truncation: TruncationLike
    padding: PaddingLike


class ModelSettings(TypedDict, total=False):
    """Lists the keyword arguments of :meth:`Tokenizer.with_settings`."""

    unknown: UnknownPolicy
    unk_token: str | None
    max_input_chars_per_word: int | None
    segmentation: Segmentation
    probabilities: Mapping[str, float] | None


class LoadSettings(ModelSettings, total=False):
    """Lists the settings of a tokenizer that its file may not contain.

    Attributes:
        lowercase: vocab.txt: see :class:`BertNormalizer`.
        strip_accents: vocab.txt: see :class:`BertNormalizer`.
        clean_text: vocab.txt: see :class:`BertNormalizer`.
        handle_chinese_chars: vocab.txt: see :class:`BertNormalizer`.
        normalizer: vocab.txt: a normalizer that replaces the four settings above; None for no normalizer. vocab.json with
            merges.txt: by default inferred from the vocabulary, and None if `pre_tokenizer` is given.
        pre_tokenizer: vocab.txt: BERT's by default; None makes each text one word. vocab.json with merges.txt: by default
            inferred from the vocabulary, and None if `normalizer` is given.
        continuing_subword_prefix: vocab.txt: the prefix of a token that continues a word.
        unknown: How characters that no token covers are encoded.
        unk_token: The text of the unknown token; None if there is none.
        max_input_chars_per_word: The length in characters from which on words are unknown, exclusive; None for no limit.
        segmentation: ``"longest"`` (default) or ``"likeliest"``.
        probabilities: The probability of each token, required by ``segmentation="likeliest"`` if the file has no token
            counts; tokens that are not listed have 2**-52.
        truncation: The default truncation of calls; None for none. By default that of the tokenizer.json.
        padding: The default padding of calls; None for none. By default that of the tokenizer.json.
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
"""The number of cached `Options`; a program that uses more combinations of arguments rebuilds them."""
_NO_LIMIT = (1 << 32) - 1
"""The value of `max_input_chars_per_word` in a tokenizer.json, which requires a number, that means "no limit"."""
_BLOCK = 1 << 18
"""The number of bytes read from a file at once; a block fits into the second-level cache."""
_TEXT = (str, bytes, bytearray, memoryview)
_BERT = ("lowercase", "strip_accents", "clean_text", "handle_chinese_chars")
_VOCAB_ONLY = (*_BERT, "normalizer", "pre_tokenizer", "continuing_subword_prefix")
_LIMITS = ("truncation", "padding")
_ADDED = ("added_tokens", "special_tokens")
_LIKELIEST = ("segmentation", "probabilities")
_MODEL = ("unknown", "unk_token", "max_input_chars_per_word", *_LIKELIEST)
_SPLITTING = ("normalizer", "pre_tokenizer")
_ALONE = {
    "merges.txt": "a BPE vocabulary or its merges alone; expected both files, vocab.json and merges.txt: call from_file",
    "tiktoken": "a tiktoken file of ranks, which contains no split pattern; call from_tiktoken with a file",
}
"""The errors of formats that cannot be loaded from bytes alone."""

_MOST_SEGMENTATIONS = 10_000
"""The largest `n` of `encode_nbest`, 20 times the limit of SentencePiece."""


class Tokenizer(Immutable):
    r"""Converts text to token ids and back.

    Create one with :func:`piecework.train`, :meth:`from_file`, :meth:`from_str` or :meth:`from_bytes`. A tokenizer is
    immutable, and threads may share it.

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
        r"""Builds a tokenizer from its stages.

        Args:
            model: One of :mod:`piecework.models`.
            normalizer: Normalizes the text; None leaves it unchanged.
            pre_tokenizer: Splits the text into words; None makes it one word.
            post_processor: Inserts special tokens; None inserts none.
            decoder: Converts tokens to text; None joins them with spaces.
            added_tokens: See :meth:`with_added_tokens`.
            truncation: The default truncation of calls.
            padding: The default padding of calls.

        Raises:
            ConfigError: The stages do not fit together.
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
        # `self` caches its parts on first access, so it gets its core only when the core is complete.
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
        """Loads a tokenizer from a file of any supported format.

        The formats are tokenizer.json, vocab.txt, vocab.json with merges.txt in the same folder (or GPT-2's encoder.json
        and vocab.bpe), tiktoken's ranks, SentencePiece models, subword-nmt's codes and CLIP's list of merges.

        Args:
            path: The file, optionally compressed by gzip. The format is detected from the content, and from the name if the
                content is ambiguous. A file of ranks must be named after its encoding, such as ``cl100k_base.tiktoken``;
                see :meth:`from_tiktoken`.
            **settings: Settings that the file does not contain, see :class:`LoadSettings`.

        Returns:
            The tokenizer. A vocab.txt gives the special tokens that it contains, and BERT's template if ``[CLS]`` and
            ``[SEP]`` are among them.

        Raises:
            FileError: The file cannot be read; for a missing file the error is also a ``FileNotFoundError``.
            FormatError: The file is malformed; the message contains the line or JSON path.
            UnsupportedError: The file requires a feature that this version lacks.
            VocabularyError: The vocabulary lacks the unknown token or byte tokens, or contains duplicates.
            ConfigError: A setting that the file contains itself, or ranks of an unknown encoding.
        """
        return cls._load(checked(path), read_unpacked(path), settings)

    @classmethod
    def _load(
        cls, name: str, data: bytes, settings: LoadSettings, bpe: str | None = None
    ) -> Tokenizer:
        """Loads a file from its content; `bpe` names the tokenizer class of a vocab.json with merges.txt, if known."""
        from piecework.formats.detect import detect_format

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
        r"""Loads a file of tiktoken ranks, with a token in base64 and its rank on each line.

        Nothing is downloaded.

        Args:
            path: The file.
            name: The encoding: ``gpt2``, ``r50k_base``, ``p50k_base``, ``p50k_edit``, ``cl100k_base``, ``o200k_base`` or
                ``o200k_harmony``. By default the name of the file.
            pattern: The split pattern, in Oniguruma's syntax or exactly as tiktoken writes one of its own; by default that
                of the encoding. A pattern that tiktoken's regex engine would read differently raises a warning.
            special_tokens: Special tokens and their ids; by default those of the encoding, or none if `pattern` is given.

        Returns:
            The tokenizer, whose ids are the ranks. With ``specials="text"`` its ids equal those of tiktoken's
            ``encode_ordinary``, by default those of ``encode(text, allowed_special="all")``. Gaps between the ids raise a
            warning.

        Raises:
            FileError: The file cannot be read; for a missing file the error is also a ``FileNotFoundError``.
            FormatError: A line is not a token with its rank, or repeats one; the message names the line.
            VocabularyError: Some of the 256 bytes are not tokens.
            ConfigError: The encoding is unknown, or an id of a special token is taken or invalid.
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
        from piecework.formats.read import encoding

        file = checked(path)
        if name is not None:
            to_utf8(check_str("name", name))
        is_custom = pattern is not None and name is None
        regex, specials = ("", {}) if is_custom else encoding(file, name)
        if pattern is not None:
            regex = (
                pattern if isinstance(pattern, patterns.Regex) else patterns.Regex(pattern)
            ).pattern
            if patterns.from_tiktoken(regex) is None and patterns.differs_in_oniguruma(regex):
                message = (
                    f"{file}: the pattern is compiled by Oniguruma, in which ^ and $ also match at line ends and {{1,3}}+ repeats "
                    r"the group; to match as tiktoken does, write \A, \z and (?>...{1,3})"
                )
                warn(message)
        if special_tokens is not None:
            specials = _checked_specials(special_tokens)
        data = read_unpacked(path)
        try:
            core = _core.from_tiktoken(data, regex, list(specials.items()))
        except (FormatError, VocabularyError) as error:
            raise type(error)(f"{file}: {error}") from None
        gap = _core.first_gap(core)
        if gap is not None and gap < len(core) - len(specials):
            message = f"{file}: the ranks have gaps: no token has the id {gap}; decoding such an id raises an error"
            warn(message)
        return cls._wrap(core)

    @classmethod
    def from_sentencepiece(cls, path: Pathish) -> Tokenizer:
        """Loads a SentencePiece model of type Unigram or BPE, such as those of T5 and Llama 2.

        Control symbols become special tokens. As in SentencePiece, their text in the input is ordinary text unless a call
        passes ``specials="match"``; see :attr:`control_symbols`. SentencePiece inserts none by itself, so there is no
        post-processor. User-defined symbols become added tokens of BPE, and pieces of Unigram that take precedence.

        Args:
            path: The ``.model`` file.

        Returns:
            The tokenizer. It consists of components that ``tokenizers`` has too if these are equivalent; otherwise its
            normalizer is :class:`piecework.normalizers.SentencePiece`.

        Raises:
            FileError: The file cannot be read; for a missing file the error is also a ``FileNotFoundError``.
            FormatError: The file is not a SentencePiece model, or truncated.
            UnsupportedError: The model is of another type, or has denormalization rules.
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
        r"""Loads subword-nmt codes of version 0.1 or 0.2, with one merge on each line.

        Codes contain no ids. The unknown token gets id 0; then come the characters in the order of the codes, without and
        with ``</w>``, then the merged tokens. A token that ends a word ends in ``</w>``, which in version 0.1 may be a
        token of its own; subword-nmt marks all other tokens with ``@@`` instead. Words are separated by spaces and line ends.

        Args:
            path: The file.
            vocab: A file of tokens and their counts, as ``subword-nmt get-vocab`` writes it. A token that it lacks is split
                into the two parts it was merged from, until all parts are listed or cannot be split.
            vocab_threshold: The minimum count of a token in `vocab`; None keeps all of them.
            separator: The suffix in `vocab` of a token that does not end its word.

        Returns:
            The tokenizer; a character that no code contains is ``<unk>``. :meth:`to_subword_nmt` writes tokens as subword-nmt
            does.

        Raises:
            FileError: The file cannot be read; for a missing file the error is also a ``FileNotFoundError``.
            FormatError: A line is not a merge, or not a token with its count; the message names the line.
            UnsupportedError: The codes have another version, or have version 0.1 and `vocab` is given.
            ConfigError: `vocab_threshold` is given without `vocab`.

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
                raise ConfigError("vocab_threshold= requires vocab=")
            return cls._from_format("subword-nmt", path)
        checked(vocab, "vocab")
        data, filtered = read_unpacked(path), (read_unpacked(vocab), vocab_threshold, separator)
        try:
            return cls._wrap(_core.from_subword_nmt(data, filtered))
        except UnsupportedError as error:
            raise UnsupportedError(f"{os.fspath(path)}: {error}") from None
        except FormatError as error:
            cls._from_format(
                "subword-nmt", path
            )  # raises if the codes are malformed, not the vocab
            raise FormatError(f"{os.fspath(vocab)}: {error}") from None

    @classmethod
    def _from_format(cls, kind: Format, path: Pathish) -> Tokenizer:
        """Loads a file of a format that has no further settings."""
        from piecework.formats.read import read

        data = read_unpacked(path)
        try:
            return cls._wrap(read(kind, data))
        except (FormatError, VocabularyError) as error:
            raise type(error)(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def _from_merges(
        cls, name: str, data: bytes, settings: LoadSettings, kind: str | None
    ) -> Tokenizer:
        """Loads a vocab.json and a merges.txt; `data` is one of them, the other is read from the same folder."""
        from piecework.formats.detect import companion_file

        other = companion_file(name)
        if other is None:
            raise FormatError(
                f"{name}: a BPE vocabulary without its merges; name it vocab.json and put merges.txt in the same folder"
            )
        try:
            other_data = read_unpacked(other)
        except MissingFileError:
            message = f"{name}: BPE needs a vocabulary and its merges, but {other} does not exist"
            raise FormatError(message) from None
        is_vocab = name.lower().endswith(".json")
        vocab, merges = (data, other_data) if is_vocab else (other_data, data)
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
        """Applies truncation and padding, and raises ConfigError for all other settings."""
        _refuse_unknown(settings, LoadSettings.__optional_keys__, "the settings of a tokenizer")
        _refuse(settings, (*_VOCAB_ONLY, *_MODEL), f"a {kind} file contains this setting itself")
        limits: Any = dict(settings)
        return tokenizer.with_parts(**limits) if limits else tokenizer

    @classmethod
    def from_str(cls, text: str, **settings: Unpack[LoadSettings]) -> Tokenizer:
        """Loads a tokenizer from the text of a single file; see :meth:`from_file`."""
        if not isinstance(text, str):
            raise wrong_type("text", "a str (from_bytes takes bytes)", text)
        return cls._parse(to_utf8(text), "", settings)

    @classmethod
    def from_bytes(cls, data: bytes, **settings: Unpack[LoadSettings]) -> Tokenizer:
        """Loads a tokenizer from the bytes of a single file; see :meth:`from_file`."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise wrong_type("data", "bytes (from_str takes a str)", data)
        return cls._parse(bytes(data), "", settings)

    @classmethod
    def _parse(cls, data: bytes, suffix: str, settings: LoadSettings) -> Tokenizer:
        from piecework.formats.detect import detect_format, is_scored
        from piecework.formats.read import read

        _refuse_unknown(settings, LoadSettings.__optional_keys__, "the settings of a tokenizer")
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
                "a SentencePiece .vocab file, which contains only pieces and scores; load the .model file, or build "
                "Tokenizer(models.Unigram.from_vocab(text))"
            )
        try:
            tokenizer = (
                cls._from_json(data, settings) if is_json else cls._from_vocab(data, settings)
            )
        except VocabularyError as error:
            if is_json or suffix == ".txt" or not _is_json(data):
                raise
            raise FormatError(
                "expected a tokenizer.json or a vocab.txt with one token per line; found other JSON"
            ) from error
        limits = {name: settings[name] for name in _LIMITS if name in settings}  # type: ignore[literal-required]
        return tokenizer.with_parts(**limits) if limits else tokenizer

    @classmethod
    def _from_json(
        cls, data: bytes, settings: LoadSettings, *, exact_numbers: bool = False
    ) -> Tokenizer:
        _refuse_unknown(settings, LoadSettings.__optional_keys__, "the settings of a tokenizer")
        _refuse(settings, _VOCAB_ONLY, "a tokenizer.json contains this setting itself")
        core = _core.Tokenizer.from_json(data, [], "unk_token" in settings, exact_numbers)
        changes = {name: settings[name] for name in _MODEL if name in settings}  # type: ignore[literal-required]
        tokenizer = cls._wrap(core)
        return tokenizer.with_settings(**changes) if changes else tokenizer

    @classmethod
    def _from_vocab(cls, data: bytes, settings: LoadSettings) -> Tokenizer:
        flags = {name: settings[name] for name in _BERT if name in settings}  # type: ignore[literal-required]
        if flags and "normalizer" in settings:
            raise ConfigError(
                f"normalizer= cannot be combined with {', '.join(flags)}; set them on the normalizer"
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
        """Loads a tokenizer from a model's folder, with the files that configure it.

        The tokenizer is the first of these files that exists: tokenizer.json, vocab.txt, vocab.json with merges.txt,
        encoder.json with vocab.bpe, tokenizer.model, spiece.model, sentencepiece.bpe.model and spm.model. A SentencePiece
        model keeps its own ids; if the ``transformers`` class of the model changes them, a warning names the class.

        These settings of ``tokenizer_config.json`` and ``special_tokens_map.json`` are applied, as in ``transformers``:

        * special tokens and flags of added tokens;
        * of the classes of GPT-2 and RoBERTa ``add_prefix_space``, of RoBERTa's ``cls_token``, ``sep_token`` and
          ``trim_offsets``, of BERT's ``cls_token`` and ``sep_token``;
        * the normalizer and pre-tokenizer that the classes of T5, ALBERT, XLNet, Pegasus and Llama replace;
        * with a vocab.json or a SentencePiece model ``add_bos_token`` and ``add_eos_token``.

        A setting that is not supported raises a warning. ``model_max_length``, the sides of truncation and padding, and
        truncation and padding of a tokenizer.json are not applied: pass ``truncation=`` and ``padding=``.

        Args:
            path: The folder.
            **settings: See :meth:`from_file`; they take precedence over the files.

        Returns:
            The tokenizer.

        Raises:
            FileError: The folder or a file in it cannot be read, or it contains no tokenizer.
            FormatError: A file is malformed; the message contains its name and the JSON path.
        """
        from piecework.hf_folder.configure import configured, is_rebuilt, unmet
        from piecework.hf_folder.read import read_model_folder
        from piecework.hf_folder.settings import FolderSettings

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
        for message in unmet(tokenizer, folder):
            warn(f"{folder.config_path}: {message}")
        return tokenizer

    @classmethod
    def _from_exact_json(cls, folder: ModelFolder, settings: LoadSettings) -> Tokenizer:
        """Loads a tokenizer.json with correctly rounded scores, which ``tokenizers`` parses less exactly."""
        try:
            return cls._from_json(folder.data, settings, exact_numbers=True)
        except (FormatError, VocabularyError) as error:
            raise type(error)(f"{folder.path}: {error}") from None

    def _compare_ids(self, folder: ModelFolder) -> None:
        """Warns of added tokens to which the configuration files give other ids than the tokenizer."""
        for token, number in folder.settings.added_ids.items():
            if (own := self.token_to_id(token)) != number:
                warn(
                    f"{folder.path}: the added token {shown(token)} has the id {own} here, but {number} in the other files of the folder"
                )

    def save(
        self,
        path: Pathish,
        format: Format | None = None,  # noqa: A002
        *,
        approximate: bool = False,
    ) -> None:
        """Writes the tokenizer to a file, by default a tokenizer.json, in the format of its name.

        ``tokenizers`` 0.23 loads the tokenizer.json too. If the tokenizer has a setting that ``tokenizers`` lacks
        (``unknown`` other than ``"word"``), the file gets a model type that ``tokenizers`` rejects, so ids never change
        silently. Other formats contain less: lost data raises a warning, and a loss that would change encodings is an
        error. In a tokenizer.json :attr:`control_symbols` are ordinary special tokens, which are matched in texts by
        default once the file is loaded; this raises a warning.

        Args:
            path: The file, which is created or replaced atomically; for ``"merges.txt"`` the folder of vocab.json and
                merges.txt.
            format: ``"tokenizer.json"`` (with history and counts), ``"vocab.txt"``, ``"merges.txt"``, ``"tiktoken"``,
                ``"sentencepiece"``, ``"subword-nmt"`` or ``"clip"``, which is compressed if the name ends in ``.gz``. By
                default ``"sentencepiece"`` for names in ``.model``, ``"tiktoken"`` for ``.tiktoken``, ``"vocab.txt"`` for
                ``.txt``, and ``"tokenizer.json"`` for all others.
            approximate: For Unigram, to a tokenizer.json or a SentencePiece model: write the closest tokenizer that the other
                library loads, even if ids may change; the changes raise a warning.

        Raises:
            FileError: The file cannot be written; an existing file is unchanged.
            ConfigError: The format cannot represent the tokenizer, or the name is that of a partial file (``.vocab``,
                merges.txt).

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> from piecework import models
        >>> model = models.BPE(["l", "o", "w", "lo", "lo</w>"], [("l", "o")], end_of_word_suffix="</w>")
        >>> Tokenizer(model).save(folder / "mine.tiktoken")
        Traceback (most recent call last):
        ...
        piecework.errors.ConfigError: a tiktoken file cannot hold the marks "" and "</w>" of tokens in a word; save a tokenizer.json
        """
        from piecework.formats.detect import format_from_name

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
        """Warns that special tokens which are matched in texts become control symbols of a SentencePiece model."""
        matched = [token for token in self.special_tokens if token not in self.control_symbols]
        if not matched:
            return
        warn(
            f"a SentencePiece model has control symbols: the saved file treats {_some(matched)} in a text as ordinary text, while this "
            "tokenizer matches them; pass specials='match' to calls of the loaded tokenizer"
        )

    def _warn_of_controls(self) -> None:
        """Warns that a tokenizer.json has no control symbols."""
        if not self.control_symbols:
            return
        warn(
            f"a tokenizer.json has no control symbols: the saved file matches {_some(self.control_symbols)} in a text, while this tokenizer "
            "treats them as ordinary text; pass specials='text' to calls of the loaded tokenizer"
        )

    def save_sentencepiece(self, path: Pathish, base: Pathish | None = None) -> None:
        """Writes a SentencePiece model; see :meth:`save`.

        Args:
            path: The file, which is created or replaced atomically.
            base: A ``.model`` file from which fields are copied that a tokenizer does not contain, such as the settings of
                its training; unknown fields included.

        Raises:
            FileError: A file cannot be read or written.
            ConfigError: The format cannot represent the tokenizer.
            FormatError: `base` normalizes or decodes differently.
        """
        self._save_as(
            path, "sentencepiece", None if base is None else read_bytes(checked(base, "base"))
        )

    def _approximate(self, kind: Format) -> Tokenizer:
        """Returns the closest tokenizer that another library loads, and warns of the changes."""
        from piecework.convert.approximate import Stages, for_sentencepiece, for_tokenizers
        from piecework.models import Unigram

        converters = {"tokenizer.json": for_tokenizers, "sentencepiece": for_sentencepiece}
        if kind not in converters or not isinstance(self.model, Unigram):
            raise ConfigError(
                "approximate= requires a Unigram model and the format tokenizer.json or sentencepiece"
            )
        added = list(self.added_tokens.values())
        own = Stages(self.model, self.normalizer, self.pre_tokenizer, self.decoder, added, [])
        stages = converters[kind](own)
        if stages == own:
            return self
        lost = ["the history of the training is lost"] if self.steps else []
        if changes := [*stages.changes, *lost]:
            warn(f"the {kind} file approximates the tokenizer: {'; '.join(changes)}")
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
        from piecework.formats.loss import describe_loss
        from piecework.formats.write import write

        if self._functions:
            self.to_str()  # raises, since no file can contain a Python function
        files = write(self._core, kind, base)
        if message := describe_loss(self._core, kind, files, os.path.basename(os.fspath(path))):
            warn(message)
        if kind == "sentencepiece":
            self._warn_of_matched()
        if kind == "clip" and os.fspath(path).endswith(".gz"):
            files = {name: packed(data) for name, data in files.items()}
        for name, data in files.items():
            write_aside(os.path.join(make_folder(path), name) if name else path, data)

    def to_str(self) -> str:
        """Returns the text of the tokenizer.json that :meth:`save` writes.

        Unlike :meth:`save` it raises no warning that :attr:`control_symbols` become special tokens that texts match.
        """
        return self._core.to_json()

    def save_vocab(self, path: Pathish) -> None:
        """Writes a vocab.txt, which contains only the tokens, one per line.

        A warning lists the settings to pass when the file is loaded, if the defaults do not fit, and what is lost.

        Args:
            path: The file, which is created or replaced atomically.

        Raises:
            VocabularyError: A token cannot be written on one line.
            FileError: The file cannot be written.
        """
        self._save_vocab(path)

    def _save_vocab(self, path: Pathish) -> None:
        text = self._core.to_vocab()
        if lost := self._lost_in_vocab(text):
            warn(
                f"a vocab.txt contains only the tokens; to encode the same, this one needs {', '.join(lost)}"
            )
        write_aside(path, text.encode())

    def _lost_in_vocab(self, text: str) -> list[str]:
        """Returns the settings that a vocab.txt needs to encode the same, and what it cannot represent."""
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
            f"its {name}, which the format cannot represent"
            for name in own
            if own[name] != back[name]
        ]

    def _implied(self) -> dict[str, object]:
        """Returns the properties that neither a vocab.txt nor its load settings contain."""
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
        r"""Returns a tokenizer with other settings of its model.

        Args:
            **settings: ``unknown`` (``"word"``, ``"run"`` or ``"char"``), ``unk_token``,
                ``max_input_chars_per_word`` (None for no limit), ``segmentation`` (``"longest"`` or ``"likeliest"``, the
                segmentation with the largest product of token probabilities), ``probabilities`` (a mapping of tokens to
                numbers from 0 to 1 that replaces those of the training; tokens that are not listed have 2**-52; None
                restores those of the training).

        Returns:
            A new tokenizer; this one is unchanged.

        Raises:
            ConfigError: The unknown token is not in the vocabulary.
            VocabularyError: A token with a probability is not in the vocabulary, or a probability is not from 0 to 1.
            MissingCountsError: ``segmentation="likeliest"``, and the tokenizer has neither probabilities nor token counts.

        >>> tok = Tokenizer.from_str("[UNK]\nx\n##x\n##c\n##luo\n")
        >>> tok.tokenize("ğxcluo"), tok.with_settings(unknown="run").tokenize("ğxcluo")
        (['[UNK]'], ['[UNK]', '##x', '##c', '##luo'])
        >>> import piecework as pw
        >>> words = {"hu": 30, "hug": 4, "bugs": 40, "hus": 3, "bus": 5, "rags": 20}
        >>> tok = pw.train(words, pw.WordPieceTrainer(vocab_size=17, special_tokens=["[UNK]"]))
        >>> tok.tokenize("hugs"), tok.with_settings(segmentation="likeliest").tokenize("hugs")
        (['hug', '##s'], ['hu', '##gs'])
        >>> tok = Tokenizer.from_str("[UNK]\nhu\nhug\n##gs\n##s\n")
        >>> probabilities = {"hu": 0.3, "hug": 0.1, "##gs": 0.2, "##s": 0.1}
        >>> tok.with_settings(segmentation="likeliest", probabilities=probabilities).tokenize("hugs")
        ['hu', '##gs']
        """
        _refuse_unknown(settings, ModelSettings.__optional_keys__, "the settings of a model")
        prefix, unk_token, unknown, limit, segmentation = self._core.model()
        new_token = settings.get("unk_token", unk_token)
        if new_token is not None:
            _checked_text("unk_token", new_token)
        if (
            "unk_token" in settings
            and new_token is not None
            and self.token_to_id(new_token) is None
        ):
            raise ConfigError(f"the unknown token {shown(new_token)} is not in the vocabulary")
        model = (
            prefix,
            new_token,
            cast("UnknownPolicy", _checked_text("unknown", settings.get("unknown", unknown))),
            _checked_limit(settings.get("max_input_chars_per_word", limit)),
            cast(
                "Segmentation",
                _checked_text("segmentation", settings.get("segmentation", segmentation)),
            ),
        )
        probabilities = settings["probabilities"] or {} if "probabilities" in settings else None
        core = self._core.with_model(model, _checked_probabilities(probabilities))
        return self._wrap(core, self._functions)

    def as_bpe(self) -> Tokenizer:
        r"""Returns a BPE tokenizer with the vocabulary and the merges of this trained WordPiece tokenizer.

        It serves to compare the two algorithms on one training: WordPiece keeps only the vocabulary and takes the
        longest match; BPE keeps the merges and applies them in order.

        Returns:
            A tokenizer with a :class:`piecework.models.BPE` of the same vocabulary. A character that is not a token makes
            only itself unknown, not its word; word length is unlimited. It has no token counts, since these are those of
            the longest match.

        Raises:
            ConfigError: The model is not WordPiece, its history is unknown, or it was pruned.

        >>> import piecework as pw
        >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        >>> tok = pw.train(words, pw.WordPieceTrainer(20, criterion="pmi", max_merges=2, ties="first"))
        >>> tok.as_bpe().tokenize("hugs"), tok.as_bpe().tokenize("mug"), tok.tokenize("mug")
        (['hu', '##gs'], ['[UNK]', '##u', '##g'], ['[UNK]'])
        """
        return self._wrap(self._core.as_bpe(), self._functions)

    def with_parts(self, **parts: Unpack[Parts]) -> Tokenizer:
        r"""Returns a tokenizer with other stages, truncation or padding.

        Args:
            **parts: ``normalizer``, ``pre_tokenizer``, ``post_processor``, ``decoder``, ``truncation``, ``padding``; None
                removes one.

        Returns:
            A new tokenizer; this one is unchanged.

        Raises:
            ConfigError: The parts do not fit together, or padding lacks a pad token.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.with_parts(normalizer=None).tokenize("Hugs hugs")
        ['[UNK]', 'hug', '##s']
        """
        _refuse_unknown(parts, Parts.__optional_keys__, "the parts of a tokenizer")
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
        r"""Returns a tokenizer with more added tokens, which are matched in the text before the model runs.

        Args:
            tokens: Their texts, or :class:`piecework.AddedToken` with flags. A token of the vocabulary keeps its id, others
                get the next free ids; a token that was added before gets the new flags.
            special: Whether tokens given as ``str`` are special. Special tokens are matched in texts by default, even if
                they were :attr:`control_symbols` before.

        Returns:
            A new tokenizer; this one is unchanged.

        Raises:
            ConfigError: A token is empty.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n").with_added_tokens(["<name>"])
        >>> tok.tokenize("hugs <NAME>"), tok.token_to_id("<name>")
        (['hug', '##s', '<name>'], 3)
        """
        tuples = _added_tuples("tokens", tokens, bool(special))
        return self._wrap(self._core.with_added_tokens(tuples), self._functions)

    def _with_controls(self, names: Sequence[str]) -> Tokenizer:
        """Returns a tokenizer of whose special tokens exactly `names` are control symbols."""
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
        r"""Encodes a text or a pair of texts.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``; with `is_pretokenized` a list of words.
            pair: A second text, whose tokens get type id 1.
            is_pretokenized: Whether texts are lists of words. Each word is encoded separately, with offsets in the word.
            add_special_tokens: Whether the post-processor adds special tokens.
            specials: How special tokens in the text are treated: ``"match"`` matches them, ``"text"`` encodes them as
                ordinary text (safe for untrusted input), ``"error"`` raises, a set matches only those in it. The default is
                that of the library of the tokenizer's file: match all but :attr:`control_symbols`.
            truncation: A :class:`piecework.Truncation`, its ``max_length``, or None; by default that of the tokenizer. The
                removed tokens are in ``overflowing``.
            padding: A :class:`piecework.Padding`, a length in tokens, or None; by default that of the tokenizer.
            cache: Whether encoded words are looked up in a cache and added to it. The result does not depend on it.
            dropout: The probability, from 0 to 1, that BPE skips a merge, or WordPiece a token of more than one character
                (MaxMatch-Dropout); None for that of the model.
            alpha: Draw a segmentation of Unigram, or of WordPiece with ``segmentation="likeliest"``, with its probability to
                the power of `alpha`: 1 samples from the model, 0 samples uniformly, large values approach the best
                segmentation. None takes the best one.
            nbest_size: With `alpha`, the number of best segmentations of a word to draw from; None, SentencePiece's -1,
                draws from all.
            seed: The seed of `dropout` and `alpha`: equal seeds give equal tokens; None draws a new one for each call.

        Returns:
            Ids, tokens, offsets (in characters of the original text), word ids, type ids and masks.

        Raises:
            SpecialTokenError: The text contains a special token, and `specials` is ``"error"``.
            UnknownTokenError: A word is unknown, and the tokenizer has no unknown token.
            SurrogateError: The text contains a lone surrogate.
            InvalidUtf8Error: The bytes are not UTF-8.
            TruncationError: `max_length` is too small for the special tokens, or there is no second text to truncate.
            RegexError: A pattern exceeded its limit of steps.
            ConfigError: `alpha` with a model without segmentation probabilities, or `dropout` with Unigram or with
                WordPiece's likeliest segmentation.

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
        """Encodes one input of a batch with the arguments of the batch."""
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
        r"""Encodes one text given as segments, of which only trusted ones may contain special tokens.

        Args:
            segments: Pairs of a text and whether it is trusted. Special tokens are matched in trusted segments, and are
                ordinary text in others. No word spans two segments.
            add_special_tokens: See :meth:`encode`.
            truncation: See :meth:`encode`.
            padding: See :meth:`encode`.
            cache: See :meth:`encode`.
            dropout: See :meth:`encode`.
            alpha: See :meth:`encode`.
            nbest_size: See :meth:`encode`.
            seed: See :meth:`encode`.

        Returns:
            The encoding, with offsets in characters of the concatenated segments.

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
        """Returns only the token ids of a text or pair; for the arguments see :meth:`encode`."""
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
        """Returns the `n` best segmentations of a text with their scores, best first.

        The algorithm is SentencePiece's A* search from the end of a word, with the Viterbi scores as the exact heuristic.
        Equal scores are in the order of SentencePiece. A segmentation takes about as many steps as it has tokens, unless
        many others score nearly as well.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``.
            n: The maximum number of segmentations, from 1 to 10,000; each takes the memory of an encoding.
            add_special_tokens: See :meth:`encode`.
            specials: See :meth:`encode`.

        Returns:
            Encodings, neither truncated nor padded, with their scores: natural logarithms of their probabilities, special
            tokens excluded. For SentencePiece models and ``n`` from 2 on they equal the scores of SentencePiece. The
            segmentations of several words are combined. Very long words may give only the best segmentation, as in
            SentencePiece, if too many others score nearly as well.

        Raises:
            ConfigError: The model has no segmentation probabilities (it is neither Unigram nor WordPiece with
                ``segmentation="likeliest"``), or ``n`` is not from 1 to 10,000.
            PieceworkError: See :meth:`encode`.

        >>> from piecework import models
        >>> vocab = [("h", -3.0), ("u", -2.3), ("g", -2.4), ("s", -2.4), ("hug", -1.2), ("gs", -3.0)]
        >>> for encoding, score in Tokenizer(models.Unigram(vocab)).encode_nbest("hugs", 2):
        ...     print(encoding.tokens, round(score, 4))
        ['hug', 's'] -3.6
        ['h', 'u', 'gs'] -8.3
        """
        from piecework.results import ScoredEncoding

        if not _is_integer(n, 1, _MOST_SEGMENTATIONS):
            raise ConfigError(
                f"n: expected a number of segmentations from 1 to {_MOST_SEGMENTATIONS:,}, found {shown(n)}"
            )
        options = self._options(add_special_tokens, specials, None, None)
        return [ScoredEncoding(*scored) for scored in self._core.encode_nbest(text, n, options)]

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
        r"""Encodes many texts into one flat array of ids.

        Args:
            texts: An iterable of texts (see :meth:`encode`) or of pairs (tuples) of texts; or a string column of pyarrow,
                polars or any library with the Arrow PyCapsule interface, which is read without a copy.
            is_pretokenized: See :meth:`encode`.
            add_special_tokens: See :meth:`encode`.
            specials: See :meth:`encode`.
            truncation: See :meth:`encode`.
            padding: See :meth:`encode`; ``Padding()`` pads to the longest text of the batch.
            offsets: Whether offsets, word ids, type ids and masks are computed together with the ids, instead of on first
                access.
            cache: See :meth:`encode`.
            dropout: See :meth:`encode`. The position of a text in the batch is part of its random seed.
            alpha: See :meth:`encode`.
            nbest_size: See :meth:`encode`.
            seed: See :meth:`encode`.
            threads: The number of threads; by default one per core. The result does not depend on it.

        Returns:
            The ids and the offset of each text's ids in the array; other columns are computed on first access.

        Raises:
            PieceworkError: See :meth:`encode`; the message contains the position of the text.
            ArrowError: The column is not a string column, or contains nulls.

        >>> import pyarrow as pa
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode_batch(pa.array(["hugs", "hug hug"])).to_list()
        [[1, 2], [1, 1]]
        """
        from piecework.batch import Call, EncodedBatch

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
        r"""Encodes a UTF-8 file into one flat array of ids, neither truncated nor padded.

        The file is read in blocks, so memory holds little more than the ids. If the tokenizer has no safe split points, as
        most that do not split at white space, a file that is one text is read whole; then a text or line of more than 1 GiB
        is an error.

        Args:
            path: The file.
            lines: Whether each line, without its line end, is a text; by default the whole file is one text.
            add_special_tokens: See :meth:`encode`.
            specials: See :meth:`encode`.
            errors: ``"strict"`` raises on invalid UTF-8, ``"replace"`` replaces it by U+FFFD.
            cache: See :meth:`encode`.
            dropout: See :meth:`encode`. The number of a line is part of its random seed, as in :meth:`encode_batch`.
            alpha: See :meth:`encode`.
            nbest_size: See :meth:`encode`.
            seed: See :meth:`encode`.
            threads: The number of threads; by default one per core. The result does not depend on it.
            progress: Whether to show progress, or a callback for it.

        Returns:
            The ids and the offset of each text's ids in the array. The texts are not kept, so it has no other columns.

        Raises:
            FileError: The file cannot be read; for a missing file the error is also a ``FileNotFoundError``.
            FormatError: The file is compressed data, a Parquet file or JSON lines instead of text.
            InvalidUtf8Error: Invalid UTF-8; the message contains line and byte.
            PieceworkError: See :meth:`encode`; the message contains the line, or the character of the file.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "text.txt")
        >>> _ = path.write_text("hugs\nhug hug\n")
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode_file(path).ids
        array([1, 2, 1, 1], dtype=uint32)
        >>> tok.encode_file(path, lines=True).to_list()
        [[1, 2], [1, 1]]
        """
        from piecework.batch import Call, EncodedBatch, FileTexts
        from piecework.progress import reporting

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
        # The core cannot be interrupted while it waits for bytes, so Python reads pipes, which handles Ctrl-C.
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

    def _options(  # noqa: PLR0917 (positional, since keywords would slow every call)
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
        """Returns the options of a call for the core, from a cache if they are common."""
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
            return self._new_options(add_special_tokens, specials, truncation, padding, way)
        # The types are part of the key: True equals 1, but only 1 is a length.
        limits = type(truncation), truncation, type(padding), padding
        key = add_special_tokens, specials, cache, *limits
        cached = self._cached_options
        try:
            options = cached.get(key)
        except TypeError:  # unhashable, so not a valid setting; the constructor raises the error
            return self._new_options(add_special_tokens, specials, truncation, padding, way)
        if options is None:
            options = self._new_options(add_special_tokens, specials, truncation, padding, way)
            if len(cached) >= _MOST_OPTIONS:
                cached.clear()
            cached[key] = options
        return options

    @cached_property
    def _plain_options(self) -> Options | None:
        """Returns the options of a call with default arguments; None if each call draws a seed."""
        if self._has_dropout:
            return None
        return self._new_options(True, None, DEFAULT, DEFAULT, FAST)

    @cached_property
    def _has_dropout(self) -> bool:
        """Returns whether the model uses dropout by default."""
        return self._core.has_dropout()

    def _seed(self, seed: int | None, dropout: float | None, alpha: float | None) -> int | None:
        """Returns the seed of a call: the given one, a new one if tokens are sampled, else None."""
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
        """Returns how the core encodes: fast path, cache, and the settings of sampling."""
        way = FAST if cache else UNCACHED
        drawn = self._seed(seed, dropout, alpha)
        number = 0 if drawn is None else drawn
        if dropout is alpha is nbest_size is None and number == 0:
            return way
        _check_number("dropout", dropout, 1)
        _check_number("alpha", alpha, None)
        if nbest_size is not None and (alpha is None or not _is_integer(nbest_size, 1, 2**32 - 1)):
            raise ConfigError(
                f"nbest_size: expected None, or an integer from 1 on together with alpha=; found {shown(nbest_size)} with alpha={alpha!r}"
            )
        if not _is_integer(number, 0, 2**64 - 1):
            raise ConfigError(f"seed: expected an integer from 0 to 2^64 - 1, found {shown(seed)}")
        return way._replace(
            dropout=dropout, alpha=alpha, nbest_size=nbest_size, seed=operator.index(number)
        )

    @cached_property
    def _cached_options(self) -> dict[Hashable, Options]:
        return {}

    def _new_options(
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
        """Returns truncation or padding as JSON, True for that of the tokenizer, or False for none."""
        if value is None or isinstance(value, Default):
            return value is not None
        import json

        from piecework.encoding_settings import as_padding, as_truncation

        limit = as_truncation(value) if name == "truncation" else as_padding(value, self)
        return json.dumps(limit and limit.to_dict())

    def tokenize(self, text: str, *, specials: Specials | None = None) -> list[str]:
        r"""Returns all tokens of a text, neither truncated nor padded, without added special tokens.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").tokenize("Hugs!")
        ['hug', '##s', '[UNK]']
        """
        options = self._options(False, specials, None, None)
        return self._core.encode(text, None, False, options).tokens

    def to_subword_nmt(self, text: str, *, separator: str = "@@") -> str:
        r"""Returns a text with its tokens separated by spaces, as subword-nmt writes it.

        Args:
            text: The text; lines are kept.
            separator: The suffix of a token that does not end its word.

        Returns:
            The range of the text of each token, so unknown characters are kept.

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
        before, _, after = line.partition(body) if body else (line, "", "")
        options = self._options(False, "match", None, None)
        parts, end = list[str](), 0
        for start, stop in self._core.encode(body, None, False, options).offsets:
            if stop <= end:
                continue  # the end-of-word suffix covers no text
            if parts:
                parts.append(" " if start > end else f"{separator} ")
            parts.append(body[max(start, end) : stop])
            end = stop
        return before + "".join(parts) + after

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = True) -> str:
        r"""Decodes token ids to text.

        Args:
            ids: Token ids.
            skip_special_tokens: Whether special tokens are omitted.

        Returns:
            The text; normalization and unknown tokens are not reversed.

        Raises:
            TokenIdError: An id is not in the vocabulary.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.decode([1, 2, 1])
        'hugs hug'
        """
        return self._core.decode(as_ids(ids), skip_special_tokens)

    def decode_batch(
        self, batch: EncodedBatch | Iterable[Iterable[int]], *, skip_special_tokens: bool = True
    ) -> list[str]:
        """Decodes rows of token ids to texts; see :meth:`decode`."""
        return [self.decode(row, skip_special_tokens=skip_special_tokens) for row in _rows(batch)]

    def decode_bytes(self, ids: Iterable[int], *, skip_special_tokens: bool = True) -> bytes:
        r"""Decodes token ids to bytes, which need not be valid UTF-8.

        Byte-level tokens and tokens such as ``<0xE4>`` give their bytes even where :meth:`decode` returns U+FFFD, as for an
        incomplete character. Regular expressions of a decoder work on text, so invalid bytes become U+FFFD there.

        Args:
            ids: Token ids.
            skip_special_tokens: Whether special tokens are omitted.

        Returns:
            The bytes; valid UTF-8 if the tokens are.

        Raises:
            TokenIdError: An id is not in the vocabulary.

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
        """Decodes rows of token ids to bytes; see :meth:`decode_bytes`."""
        rows = _rows(batch)
        return [self.decode_bytes(row, skip_special_tokens=skip_special_tokens) for row in rows]

    def decode_stream(self, *, skip_special_tokens: bool = True) -> DecodeStream[str]:
        r"""Returns a stream that decodes token ids incrementally, such as those of a generating model.

        Args:
            skip_special_tokens: Whether special tokens are omitted.

        Returns:
            The stream; :meth:`DecodeStream.step` returns the new text.

        >>> stream = Tokenizer.from_str("[UNK]\nhug\n##s\n").decode_stream()
        >>> stream.step(1), stream.step([2, 1]), stream.finish()
        ('hug', 's hug', '')
        """
        from piecework.streams import DecodeStream

        return DecodeStream(self._core.decode_stream(bool(skip_special_tokens), False))

    def decode_bytes_stream(self, *, skip_special_tokens: bool = True) -> DecodeStream[bytes]:
        """Returns a stream that decodes token ids to bytes; see :meth:`decode_stream`.

        Bytes of incomplete characters are returned at once.
        """
        from piecework.streams import DecodeStream

        return DecodeStream(self._core.decode_stream(bool(skip_special_tokens), True))

    def display_token(self, token: str | int) -> str:
        r"""Returns a token in readable form.

        Byte-level characters, tokens such as ``<0x61>`` and metaspaces are decoded. Prefixes and suffixes that mark the
        position in a word are kept.

        Args:
            token: The token or its id.

        Returns:
            Text on one line, with invalid UTF-8 as ``<0xE4>`` and control characters escaped.

        Raises:
            TokenIdError: The id is not in the vocabulary.

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
        r"""Counts the tokens of a text or of each text, without truncation and padding.

        Args:
            text_or_texts: A text (see :meth:`encode`), or an iterable or an Arrow column of texts.
            add_special_tokens: See :meth:`encode`.
            specials: See :meth:`encode`.
            cache: See :meth:`encode`.

        Returns:
            The number of tokens (``int``) of a text, a list of numbers for several texts.

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
        """Returns the marginal log-likelihood of a text: the log of its probability over all segmentations.

        The model must be Unigram, or WordPiece with ``segmentation="likeliest"``. The forward algorithm takes time linear
        in the text.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``.
            specials: See :meth:`encode`.

        Returns:
            The sum over words of the natural logarithm of the word's probability; added tokens contribute 0.

        Raises:
            ConfigError: The model has no segmentation probabilities.
            PieceworkError: See :meth:`encode`.

        >>> from piecework import models
        >>> round(Tokenizer(models.Unigram([("a", -1.0), ("aa", -2.0)])).log_probability("aa"), 4)
        -1.3069
        """
        return self._core.log_probability(text, self._options(False, specials))

    def score(self, tokens: Iterable[str | int]) -> float:
        """Returns the score of a segmentation, the sum of the log-probabilities of its tokens.

        The model must be Unigram, or WordPiece with ``segmentation="likeliest"``.

        Args:
            tokens: Tokens or their ids, such as an :class:`Encoding`.

        Returns:
            A natural logarithm. The unknown token counts as one unknown character; special tokens and the byte tokens of
            SentencePiece's byte fallback contribute 0.

        Raises:
            ConfigError: The model has no segmentation probabilities.
            TokenIdError: A token is not in the vocabulary.

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
        """Returns the log-likelihood of a text, the sum of ln p over its tokens.

        The p of a token is that in `probabilities`, or its relative frequency in the encoded training words. Tokens that
        never occur there, and the unknown token, have 2**-52, so the sum is finite. No special tokens are added.

        Args:
            text: The text.
            specials: See :meth:`encode`.

        Returns:
            A natural logarithm.

        Raises:
            MissingCountsError: The tokenizer has no token counts, such as one read from a vocab.txt.

        >>> import piecework as pw
        >>> tok = pw.train({"a": 3, "b": 1}, pw.WordPieceTrainer(7))
        >>> round(tok.log_likelihood("a b"), 4)  # ln 3/4 + ln 1/4
        -1.674
        """
        return self._core.log_likelihood(text, self._options(False, specials))

    def explain(self, word: str) -> Explanation:
        """Explains how a word is segmented; print the result.

        Args:
            word: A word, or a text of a few words.

        Returns:
            For each piece the longer prefixes that are not tokens, and the merges that created the piece, down to
            characters. For the likeliest segmentation also the scores of the pieces, their share of the word's
            probability, and the second-best segmentation.

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
          total score -5.586, 100.0% of the word's probability; next best ' ' p u n s, score -21.9101, e^16.3 times less likely
        """
        from piecework.explain import explain

        return explain(self, word)

    # --- parts, vocabulary and training --------------------------------------------------------

    @property
    def vocab(self) -> dict[str, int]:
        """Returns tokens and their ids, in order of the ids, as a new dictionary."""
        return self._core.vocab()

    @property
    def vocab_size(self) -> int:
        """Returns the number of tokens, special tokens included; see :attr:`max_id` for the largest id."""
        return len(self._core)

    def __len__(self) -> int:
        """Returns the number of tokens, special tokens included."""
        return len(self._core)

    @property
    def max_id(self) -> int | None:
        r"""Returns the largest id, or None for an empty vocabulary.

        An embedding table needs ``max_id + 1`` rows. Ids may have gaps, so `max_id` may exceed ``len(tok) - 1``:
        cl100k_base has 100,261 tokens and ids up to 100,276.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").max_id
        2
        """
        return self._core.max_id()

    def token_to_id(self, token: str) -> int | None:
        """Returns the id of a token, or None if it is not in the vocabulary."""
        return self._core.token_to_id(token)

    def id_to_token(self, id: int) -> str | None:  # noqa: A002  # the name that the field uses
        """Returns the token of an id, or None if it is not in the vocabulary."""
        number = check_index("id", id)
        return self._core.id_to_token(number) if 0 <= number < 1 << 32 else None

    @property
    def special_tokens(self) -> dict[str, int]:
        """Returns the special tokens and their ids."""
        return dict(self._core.special_tokens())

    @cached_property
    def control_symbols(self) -> tuple[str, ...]:
        r"""Returns the special tokens whose text in the input is ordinary text by default.

        These are the control symbols of a SentencePiece model, which SentencePiece never matches in a text. Pickling keeps
        them, a tokenizer.json does not; :meth:`with_added_tokens` turns one into a special token that is matched. Other
        formats have none.

        >>> Tokenizer.from_str("[UNK]\n[SEP]\nhug\n").control_symbols
        ()
        """
        return tuple(self._core.control_symbols())

    @property
    def added_tokens(self) -> dict[int, AddedToken]:
        """Returns the added tokens, special tokens included, by id, as a new dictionary."""
        from piecework.added_tokens import AddedToken

        return {number: AddedToken(*flags) for number, flags in self._core.added_tokens()}

    @cached_property
    def _not_special(self) -> frozenset[int]:
        """Returns the ids of added tokens that are not special."""
        return frozenset(
            number for number, (*_, special) in self._core.added_tokens() if not special
        )

    @property
    def unknown(self) -> UnknownPolicy:
        """Returns how uncovered characters are encoded (:attr:`models.WordPiece.unknown`); ``"word"`` for other models."""
        return self._core.model()[2] if self.model_type == "WordPiece" else "word"

    @property
    def unk_token(self) -> str | None:
        """Returns the unknown token, or None if there is none."""
        unk_token = self._core.unk_token()
        known = unk_token is not None and self.token_to_id(unk_token) is not None
        return unk_token if known else None

    @property
    def continuing_subword_prefix(self) -> str:
        """Returns the prefix of tokens that continue a word; may be empty."""
        return self._core.continuing_subword_prefix()

    @property
    def max_input_chars_per_word(self) -> int | None:
        """Returns the maximum length of a known word in normalized characters; None for no limit."""
        return self._core.model()[3] if self.model_type == "WordPiece" else None

    @property
    def model_type(self) -> str:
        """Returns the type of the model: ``"WordPiece"``, ``"BPE"``, ``"Unigram"`` or ``"WordLevel"``."""
        return self._core.model_type()

    @property
    def model(self) -> Model:
        """Returns the model with its vocabulary, as a new object."""
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
        """Returns the normalizer, or None."""
        from piecework.normalizers import Normalizer

        part = self._parts["normalizer"]
        return part and Normalizer.from_dict(part)

    @cached_property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """Returns the pre-tokenizer, which splits a text into words, or None."""
        from piecework.pre_tokenizers import PreTokenizer

        part = self._parts["pre_tokenizer"]
        return part and PreTokenizer.from_dict(part, self._functions)

    @cached_property
    def post_processor(self) -> PostProcessor | None:
        """Returns the post-processor, which inserts special tokens, or None."""
        from piecework.processors import PostProcessor

        part = self._parts["post_processor"]
        return part and PostProcessor.from_dict(part)

    @cached_property
    def decoder(self) -> Decoder | None:
        """Returns the decoder, which converts tokens to text, or None."""
        from piecework.decoders import Decoder

        part = self._parts["decoder"]
        return part and Decoder.from_dict(part)

    @cached_property
    def truncation(self) -> Truncation | None:
        """Returns the default truncation of calls, or None."""
        from piecework.encoding_settings import prescribed

        part = self._parts["truncation"]
        return part and prescribed(part)

    @cached_property
    def padding(self) -> Padding | None:
        """Returns the default padding of calls, or None."""
        from piecework.encoding_settings import Padding

        part = self._parts["padding"]
        return part and Padding.from_dict(part)

    @property
    def generic_path_reason(self) -> str | None:
        r"""Returns why texts take the generic path, or None if they take the fast path.

        Both paths give the same tokens. The fast path cuts a text at safe split points and looks up the chunks in a cache;
        docs/pipeline.md lists the pipelines that support it.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").generic_path_reason is None
        True
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").with_parts(pre_tokenizer=None).generic_path_reason
        'without a pre-tokenizer a text is one word'
        """
        return self._core.generic_path_reason()

    @property
    def split_backends(self) -> tuple[str, ...]:
        r"""Returns the matcher of each split pattern of the pre-tokenizer, in order.

        Patterns of well-known models (`piecework.patterns.SPLIT_PATTERNS`) are matched by grammars, plain strings by a
        string search, all others by Oniguruma. All of them match what Oniguruma matches.

        >>> from piecework import pre_tokenizers
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.with_parts(pre_tokenizer=pre_tokenizers.ByteLevel()).split_backends
        ('grammar gpt2',)
        """
        return tuple(self._core.split_backends())

    def unreachable_tokens(self) -> list[str]:
        """Returns the tokens of a BPE vocabulary that no text is encoded to, since no merges produce them.

        A trained vocabulary has none except user-defined symbols, which are matched before merging. Edited vocabularies may
        have some.

        Returns:
            The tokens in order of their ids, without added tokens; an empty list for models other than BPE.

        >>> from piecework import models
        >>> Tokenizer(models.BPE(["a", "b", "c", "bc", "abc"], [("b", "c")])).unreachable_tokens()
        ['abc']
        """
        return self._core.unreachable_tokens()

    @cached_property
    def history(self) -> tuple[Merge, ...]:
        """Returns the merges of the training in order; empty if unknown, or for Unigram (see :attr:`steps`)."""
        from piecework.results import Merge

        return tuple(Merge(*merge) for merge in self._core.history() or ())

    @cached_property
    def steps(self) -> tuple[UnigramStep, ...]:
        """Returns the EM steps and prunings of a Unigram training in order; empty if unknown.

        Only the tokenizer that :func:`train` returned knows the removed pieces; a file stores the rest.

        >>> from piecework import UnigramTrainer, train
        >>> tok = train({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, UnigramTrainer(12))
        >>> tok.steps[1]
        UnigramStep(pieces=10, log_likelihood=None, removed=('▁hugs',))
        """
        from piecework.results import UnigramStep

        return tuple(
            UnigramStep(pieces, log_likelihood, None if removed is None else tuple(removed))
            for pieces, log_likelihood, removed in self._core.steps() or ()
        )

    @cached_property
    def _steps(self) -> dict[str, int]:
        """Returns the index in the history of the merge that created each token."""
        return {merge.token: place for place, merge in enumerate(self.history)}

    @cached_property
    def _merging(self) -> Merging | None:
        """Returns the merges of a BPE model, for explanations; None for other models."""
        if self.model_type != "BPE":
            return None
        from piecework.explain import Merging

        return Merging(cast("BPE", self.model))

    @cached_property
    def _symbols(self) -> frozenset[str]:
        """Returns the user-defined symbols of the training."""
        return frozenset((self.trainer or {}).get("user_defined_symbols", ()))

    @cached_property
    def _training(self) -> tuple[str, str, list[int]] | None:
        return self._core.training()

    @property
    def trainer(self) -> dict[str, Any] | None:
        """Returns the settings of the training, or None if unknown."""
        import json

        return self._training and json.loads(self._training[0])

    @property
    def counts_sha256(self) -> str | None:
        """Returns the SHA-256 of the word counts of the training, or None if unknown."""
        return self._training and self._training[1]

    @property
    def token_counts(self) -> dict[str, int] | None:
        """Returns the count of each token in the encoded training words, or None if unknown.

        The dictionary is new and in order of the ids. It lacks tokens that were added after the training.

        >>> import piecework as pw
        >>> tok = pw.train({"hug": 10, "hugs": 5}, pw.WordPieceTrainer(10, special_tokens=[]))
        >>> tok.token_counts
        {'##g': 0, '##s': 0, '##u': 0, 'h': 0, '##ug': 0, 'hug': 10, 'hugs': 5}
        """
        if self._training is None:
            return None
        counts = self._training[2]
        return {token: counts[number] for token, number in self._core.model_vocab().items()}

    def _setting_remedy(self, name: str) -> str:
        """Returns how to change a setting of the model; only WordPiece supports `with_settings`."""
        if self.model_type == "WordPiece":
            return f"call tok.with_settings({name}=...)"
        return "it is a setting of the model; build a tokenizer from another model: Tokenizer(model, ...)"

    def _instead(self, name: str) -> str:
        """Returns the error for an assignment to an attribute, with what to call instead."""
        remedies = {
            "model": "build a tokenizer from another model: Tokenizer(model, normalizer=..., ...)",
            **dict.fromkeys(Parts.__optional_keys__, f"call tok.with_parts({name}=...)"),
            **dict.fromkeys(_LIMITS, f"call tok.with_parts({name}=...), or pass {name}= to a call"),
            **dict.fromkeys(ModelSettings.__optional_keys__, self._setting_remedy(name)),
            **dict.fromkeys(_ADDED, "call tok.with_added_tokens([...])"),
        }
        if name in remedies:
            return f"a Tokenizer is immutable; {remedies[name]}"
        known = [own for own in dir(type(self)) if not own.startswith("_")]
        if name.startswith("_"):
            return "a Tokenizer is immutable"
        if name in known:
            return "a Tokenizer is immutable, and this attribute is read-only"
        return f"Tokenizer has no attribute of this name{hint(name, known)}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles a tokenizer.json, and separately a pre-tokenizer that is a Python function."""
        text, pre_tokenizer = self._without_functions.to_str(), None
        if self._functions:
            pre_tokenizer = self.pre_tokenizer
        return _unpickle, (text, pre_tokenizer, self.control_symbols, type(self))

    def __copy__(self) -> Tokenizer:
        """Returns itself, since it is immutable."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tokenizer:
        """Returns itself, since it is immutable."""
        return self

    def __eq__(self, other: object) -> bool:
        """Returns whether the tokenizer.json, the Python functions and the control symbols are equal."""
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
        """Returns the tokenizer without a pre-tokenizer that is a Python function."""
        return self.with_parts(pre_tokenizer=None) if self._functions else self

    def __hash__(self) -> int:
        """Returns a hash of the size and the stages, which equal tokenizers share."""
        return hash((len(self), self._core.splitter()))

    def __repr__(self) -> str:
        """Returns the model type, size, stages and training."""
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
            # Only WordPiece has a criterion.
            criterion = [training["criterion"]] if "criterion" in training else []
            length = f"{len(self.steps)} steps" if self.steps else f"{len(self.history):,} merges"
            parts += [*criterion, length]
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
    """Returns the flags of the added tokens in the argument `name`."""
    expected = "an iterable of str or AddedToken"
    if isinstance(tokens, str):
        raise wrong_type(name, expected, tokens)
    each = check_iterable(name, tokens, expected)
    return [_added_tuple(name, token, special) for token in each]


def _added_tuple(name: str, token: str | AddedToken, special: bool) -> _AddedTuple:
    """Returns the flags of an added token; a str has the default flags."""
    if isinstance(token, str):
        to_utf8(token)  # raises on surrogates
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


def _checked_probabilities(given: Any) -> Mapping[str, float] | None:
    """Returns checked probabilities; the core checks that the tokens are in the vocabulary."""
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
    """Returns the first few tokens for a message."""
    return ", ".join([*map(shown, tokens[:3]), *(["..."] if len(tokens) > 3 else [])])


def _is_integer(value: Any, least: int, most: int) -> bool:
    """Returns whether a value is an integer (NumPy's included) from `least` to `most`."""
    try:
        return least <= operator.index(value) <= most
    except TypeError:
        return False


def _check_number(name: str, value: Any, most: int | None) -> None:
    """Raises ConfigError unless a value is None or a number from 0 to `most`."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None or (
        is_number and 0 <= value <= (sys.float_info.max if most is None else most)
    ):
        return
    limit = "" if most is None else f" to {most}"
    raise ConfigError(f"{name}: expected a number from 0{limit}, or None, found {shown(value)}")


def _is_json(data: bytes) -> bool:
    """Returns whether the data is a JSON array or object."""
    import json

    try:
        return isinstance(json.loads(data), list | dict)
    except (ValueError, RecursionError):
        return False


def _copied(text: Any) -> Any:
    """Returns a copy of a text in words, or of a pair, that later changes by the caller do not affect."""
    if isinstance(text, tuple):
        return tuple(list(part) if isinstance(part, list) else part for part in text)
    return list(text) if isinstance(text, list) else text


def _listed(texts: Any, is_pretokenized: bool) -> Sequence[Any] | ArrowTexts:
    """Returns texts that can be iterated again: a list, or an Arrow column without a copy."""
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
    """Returns an immutable copy of `specials`."""
    if specials is None or isinstance(specials, str):
        return specials
    try:
        return frozenset(specials)
    except TypeError:
        expected = 'None, "match", "text", "error" or a set of special tokens, each a str'
        raise wrong_type("specials", expected, specials) from None


def _rows(batch: EncodedBatch | Iterable[Iterable[int]]) -> Iterable[Iterable[int]]:
    """Returns the rows of token ids."""
    from piecework.batch import EncodedBatch

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
    """Returns the stages of a vocab.txt as JSON with their functions; None for BERT's."""
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
    """Returns the stages that replace those inferred from a vocab.json; None if none are given."""
    if not any(name in settings for name in _SPLITTING):
        return None, ()
    from piecework._component import splitter_json

    return splitter_json(settings.get("normalizer"), settings.get("pre_tokenizer"))


def _refuse_unknown(settings: Any, known: Iterable[str], what: str) -> None:
    known = sorted(known)
    for name in settings:
        if name not in known:
            advice = hint(name, known) or f"; expected one of {', '.join(known)}"
            raise TypeError(f"{shown(name)} is not among {what}{advice}")


def _refuse(settings: Any, names: Iterable[str], why: str) -> None:
    for name in names:
        if name in settings:
            raise ConfigError(f"{name}= cannot be given: {why}")
