"""Defines the immutable :class:`Tokenizer`.

Settings, batches and JSON are imported in the functions that use them. Loading a file and encoding a text need none of
them, so a process that does only that starts faster: to create a dataclass takes longer than to encode a sentence. NumPy
is imported for the first array.
"""

from __future__ import annotations

import sys
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Unpack, cast, overload

from piecework import _core, errors
from piecework._io.given import as_corpus
from piecework._messages import did_you_mean, shown, with_hint
from piecework._settings.arguments import (
    FAST,
    as_column,
    as_ids,
    check_flag,
    check_index,
    check_iterable,
    check_str,
)
from piecework._settings.immutable import ReadOnlyDict
from piecework.tokenizer import _checks, _loading
from piecework.tokenizer._inserted import check_inserted, mismatched
from piecework.tokenizer._options import UNLIMITED, CallOptions, CountOptions
from piecework.tokenizer._settings import (
    LIMITS,
    Changes,
    LoadSettings,
    ModelSettings,
    Parts,
    SpecialRoles,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt
    from pyspark.sql import Column

    from piecework._core import ArrowTexts, DecodeStream, Encoding, Tokenizer as CoreTokenizer
    from piecework._io.corpus import Corpus
    from piecework._io.files import Pathish
    from piecework._settings.added_tokens import AddedToken
    from piecework._settings.arguments import ArrowColumn, EncodeInput, Specials, Stops, Text
    from piecework._settings.choices import Side, UnknownPolicy
    from piecework._settings.encoding import Padding, PaddingLike, Truncation, TruncationLike
    from piecework._settings.limits import Limits
    from piecework.decoders import Decoder
    from piecework.models import Model
    from piecework.normalizers import Normalizer
    from piecework.patterns import Regex
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.processors import PostProcessor
    from piecework.tokenizer._batch import EncodedBatch
    from piecework.tokenizer._chat.encoding import ChatEncoding
    from piecework.tokenizer._decoded import DecodedBatch, DecodedText, StreamStep, TokenBytes
    from piecework.tokenizer._explain.explanation import Explanation
    from piecework.tokenizer._explain.lineage import Lineage
    from piecework.tokenizer._folders.settings import FolderSettings
    from piecework.tokenizer._formats.detect import Format
    from piecework.tokenizer._inserted import Mismatched
    from piecework.tokenizer._lm import LanguageModel
    from piecework.tokenizer._options import EncodeOptions, RowOptions, SegmentOptions
    from piecework.tokenizer._results import MergeHistory, TruncatedText
    from piecework.tokenizer._training_info import TrainingInfo
    from piecework.tokenizer._udf import ArrowUdf
    from piecework.tokenizer._untrusted import UntrustedView


_ADDED = ("added_tokens", "special_tokens")
_SET_AGAIN = "remove it by `replace`, and set it again with the ids of the new tokens"
_COUNTING = CountOptions.__optional_keys__
_TOKENS_ALONE = {"add_special_tokens": False, **UNLIMITED}
_CHARACTERS_PER_TOKEN, _SMALLEST_PART = 16, 1024
"""The number of characters of the first part of a text that is truncated, for each token and at least."""


class Tokenizer(CallOptions):
    r"""Converts text to token ids and back.

    Create one with :func:`piecework.train`, :meth:`from_file`, :meth:`from_str` or :meth:`from_bytes`. A tokenizer is
    immutable, and threads may share it.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n")
    >>> tok.encode("Hugs").tokens
    ['[CLS]', 'hug', '##s', '[SEP]']
    """

    _functions: tuple[Callable[[str], object], ...] = ()
    """The Python functions of the pre-tokenizer."""
    _folder: FolderSettings | None = None
    """The settings of the folder that the tokenizer was loaded from."""

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
        tree = {"version": "1.0", "model": _checks.checked_part("model", model, Model).to_dict()}
        # `self` caches its parts on first access, so it gets its core only when the core is complete.
        try:
            whole = self._wrap(_core.Tokenizer.from_json(json.dumps(tree).encode(), False, True))
        except errors.FormatError as error:
            setting = error.place.removeprefix("$.").removesuffix(": ")
            raise errors.VocabularyError(error.problem, setting=setting, hint=error.hint) from None
        changes: Any = {
            "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer,
            "post_processor": post_processor,
            "decoder": decoder,
            "truncation": truncation,
            "padding": padding,
        }
        tokens = _checks.added_runs("added_tokens", added_tokens, special=False)
        whole = self._wrap(whole._core.with_added_tokens(tokens))
        whole = whole.replace(**{name: p for name, p in changes.items() if p is not None})
        self._set_core(whole._core, whole._functions)

    @classmethod
    def _wrap(
        cls,
        core: CoreTokenizer,
        functions: Sequence[Callable[[str], object]] = (),
        view: UntrustedView | None = None,
    ) -> Tokenizer:
        tokenizer = cls.__new__(cls)
        tokenizer._set_core(core, functions, view)
        return tokenizer

    def _derived(
        self, core: CoreTokenizer, functions: Sequence[Callable[[str], object]]
    ) -> Tokenizer:
        """Returns a tokenizer of another core, with the settings of this one's folder and view."""
        return self._wrap(core, functions, self._view)._of_folder(self._folder)

    def _of_folder(self, settings: FolderSettings | None) -> Tokenizer:
        """Sets the settings of the folder that a new tokenizer was loaded from, for :meth:`save_folder`."""
        self.__dict__["_folder"] = settings
        return self

    def _set_core(
        self,
        core: CoreTokenizer,
        functions: Sequence[Callable[[str], object]],
        view: UntrustedView | None = None,
    ) -> None:
        """Sets the attributes that every call reads; none is a cached property, whose access is slower."""
        specials = None if view is None else view.specials
        call = (True, specials, True, True, FAST, view is not None)
        self.__dict__.update(
            _core=core,
            _functions=tuple(functions),
            _view=view,
            _default_options=None if core.has_dropout() else core.options(*call),
            _cached_options={},
        )

    def build_tables(self, specials: Specials | None = None) -> None:
        r"""Builds the tables that encoding needs, unless they are there.

        Loading builds them. Otherwise the first call that encodes does, in about 0.1 s for 100,000 tokens: after training,
        unpickling, a change of the vocabulary or the model, and loading with ``build_tables=False``.

        Args:
            specials: The treatment of special tokens in later calls, see :meth:`encode`; ``"text"``, ``"text-all"`` and
                ``"match"`` may need different tables. By default that of calls without `specials`.

        Raises:
            ConfigError: `specials` is unknown.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n", build_tables=False)
        >>> tok.build_tables()
        >>> tok.tokenize("hugs")
        ['hug', '##s']
        """
        self._core.build_tables(self._specials(specials), self._view is not None)

    # --- reading and writing -----------------------------------------------------------------

    @classmethod
    def from_file(
        cls,
        path: Pathish,
        *,
        build_tables: bool = True,
        limits: Limits | None = None,
        **settings: Unpack[LoadSettings],
    ) -> Tokenizer:
        """Loads a tokenizer from a file of any supported format.

        The formats are tokenizer.json, vocab.txt, vocab.json with merges.txt in the same folder (or GPT-2's encoder.json
        and vocab.bpe), tiktoken's ranks, SentencePiece models, subword-nmt's codes and CLIP's list of merges.

        Args:
            path: The file, optionally compressed by gzip. The format is detected from the content, and from the name if the
                content is ambiguous. A file of ranks must be named after its encoding, such as ``cl100k_base.tiktoken``;
                see :meth:`from_tiktoken`.
            build_tables: Whether to build the tables that encoding needs. False saves time where the tokenizer only decodes or
                is inspected; if it encodes after all, its first call builds them. See :meth:`build_tables`.
            limits: What the file may cost to read and to use; None for the limits of ``Limits()``.
            **settings: Settings that the file does not contain, see :class:`piecework.tokenizer.LoadSettings`.

        Returns:
            The tokenizer. A vocab.txt gives the special tokens that it contains, and BERT's template if ``[CLS]`` and
            ``[SEP]`` are among them.

        Raises:
            FileError: The file cannot be read; for a missing file the error is also a ``FileNotFoundError``.
            FormatError: The file is malformed; the message contains the line or JSON path.
            LimitError: The file exceeds one of the limits.
            UnsupportedError: The file requires a feature that this version lacks.
            VocabularyError: The vocabulary lacks the unknown token or byte tokens, or contains duplicates.
            ConfigError: A setting that the file contains itself, or ranks of an unknown encoding.
        """
        load = partial(_loading.load_file, cls, path, settings)
        return _loading.loaded(load, limits, path, build_tables=build_tables)

    @classmethod
    def from_tiktoken(
        cls,
        path: Pathish,
        name: str | None = None,
        *,
        pattern: Regex | str | None = None,
        special_tokens: Mapping[str, int] | None = None,
        build_tables: bool = True,
        limits: Limits | None = None,
    ) -> Tokenizer:
        r"""Loads a file of tiktoken ranks, with a token in base64 and its rank on each line; nothing is downloaded.

        Args:
            path: The file.
            name: The encoding: ``gpt2``, ``r50k_base``, ``p50k_base``, ``p50k_edit``, ``cl100k_base``, ``o200k_base`` or
                ``o200k_harmony``. By default the name of the file.
            pattern: The split pattern, in Oniguruma's syntax or exactly as tiktoken writes one of its own; by default that
                of the encoding. A pattern that tiktoken's regex engine would read differently raises a warning.
            special_tokens: Special tokens and their ids; by default those of the encoding, or none if `pattern` is given.
            build_tables: See :meth:`from_file`.
            limits: See :meth:`from_file`.

        Returns:
            The tokenizer, whose ids are the ranks. With ``specials="text"`` its ids equal those of tiktoken's
            ``encode_ordinary``, by default those of ``encode(text, allowed_special="all")``. Gaps between the ids raise a
            warning.

        Raises:
            PieceworkError: See :meth:`from_file`. ConfigError: an id of a special token is taken or invalid; RegexError: the
                pattern does not compile.
        """
        load = partial(_loading.load_tiktoken, cls, path, name, pattern, special_tokens)
        return _loading.loaded(load, limits, path, build_tables=build_tables)

    @classmethod
    def from_sentencepiece(
        cls, path: Pathish, *, build_tables: bool = True, limits: Limits | None = None
    ) -> Tokenizer:
        """Loads a SentencePiece model of type Unigram or BPE, such as those of T5 and Llama 2.

        Control symbols become special tokens. As in SentencePiece, their text in the input is ordinary text unless a call
        passes ``specials="match"``; see :attr:`control_symbols`. SentencePiece inserts none by itself, so there is no
        post-processor. User-defined symbols become added tokens of BPE, and pieces of Unigram that take precedence.

        Args:
            path: The ``.model`` file.
            build_tables: See :meth:`from_file`.
            limits: See :meth:`from_file`.

        Returns:
            The tokenizer. It consists of components that ``tokenizers`` has too if these are equivalent; otherwise its
            normalizer is :class:`piecework.normalizers.SentencePiece`.

        Raises:
            PieceworkError: See :meth:`from_file`. UnsupportedError: a model of another type, or with denormalization rules.
        """
        load = partial(_loading.load_format, cls, "sentencepiece", path)
        return _loading.loaded(load, limits, path, build_tables=build_tables)

    @classmethod
    def from_subword_nmt(
        cls,
        path: Pathish,
        vocab: Pathish | None = None,
        *,
        vocab_threshold: int | None = None,
        separator: str = "@@",
        build_tables: bool = True,
        limits: Limits | None = None,
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
            build_tables: See :meth:`from_file`.
            limits: See :meth:`from_file`.

        Returns:
            The tokenizer; a character that no code contains is ``<unk>``. :meth:`to_subword_nmt` writes tokens as subword-nmt
            does.

        Raises:
            PieceworkError: See :meth:`from_file`. ConfigError: `vocab_threshold` without `vocab`; UnsupportedError: codes of
                another version, or of version 0.1 with `vocab`.

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "codes").write_text("#version: 0.2\nl o\nlo w</w>\n")
        >>> Tokenizer.from_subword_nmt(folder / "codes").tokenize("low lows")
        ['low</w>', 'lo', 'w', '<unk>']
        """
        load = partial(_loading.load_subword_nmt, cls, path, vocab, vocab_threshold, separator)
        return _loading.loaded(load, limits, path, build_tables=build_tables)

    @classmethod
    def from_str(
        cls,
        text: str,
        *,
        build_tables: bool = True,
        limits: Limits | None = None,
        **settings: Unpack[LoadSettings],
    ) -> Tokenizer:
        """Loads a tokenizer from the text of a single file; see :meth:`from_file`."""
        load = partial(_loading.load_text, cls, text, settings)
        return _loading.loaded(load, limits, build_tables=build_tables)

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        *,
        build_tables: bool = True,
        limits: Limits | None = None,
        **settings: Unpack[LoadSettings],
    ) -> Tokenizer:
        """Loads a tokenizer from the bytes of a single file; see :meth:`from_file`."""
        load = partial(_loading.load_bytes, cls, data, settings)
        return _loading.loaded(load, limits, build_tables=build_tables)

    @classmethod
    def from_folder(
        cls,
        path: Pathish,
        *,
        build_tables: bool = True,
        limits: Limits | None = None,
        **settings: Unpack[LoadSettings],
    ) -> Tokenizer:
        """Loads a tokenizer from a model's folder, with the files that configure it.

        The tokenizer is the first of these files that exists: tokenizer.json, vocab.txt, vocab.json with merges.txt,
        encoder.json with vocab.bpe, tokenizer.model, spiece.model, sentencepiece.bpe.model and spm.model. A SentencePiece
        model keeps its own ids; if the ``transformers`` class of the model changes them, a warning names the class.

        Settings of ``tokenizer_config.json`` and ``special_tokens_map.json`` are applied as the class of ``transformers``
        that they name does: special tokens, flags of added tokens, and the components and settings of docs/formats.md.
        A setting that is not supported raises a warning. ``model_max_length``, the sides of truncation and padding, and
        truncation and padding of a tokenizer.json are not applied: pass ``truncation=`` and ``padding=``. Chat templates are
        read for :meth:`chat`.

        Args:
            path: The folder.
            build_tables: See :meth:`from_file`.
            limits: See :meth:`from_file`.
            **settings: See :meth:`from_file`; they take precedence over the files.

        Returns:
            The tokenizer.

        Raises:
            PieceworkError: See :meth:`from_file`; FileError: the folder contains no tokenizer.
        """
        load = partial(_loading.load_folder, cls, path, settings)
        return _loading.loaded(load, limits, path, build_tables=build_tables)

    def save(
        self,
        path: Pathish,
        format: Format | None = None,  # noqa: A002
        *,
        base: Pathish | None = None,
        approximate: bool = False,
    ) -> None:
        r"""Writes the tokenizer to a file, by default a tokenizer.json, in the format of its name.

        ``tokenizers`` 0.23 loads the tokenizer.json too. If the tokenizer has a setting that ``tokenizers`` lacks
        (``unknown`` other than ``"word"``), the file gets a model type that ``tokenizers`` rejects, so ids never change
        silently. Other formats contain less, a vocab.txt only the tokens: lost data raises a warning that lists it; a
        SentencePiece model, subword-nmt's or CLIP's file that would change ids is an error. In a tokenizer.json
        :attr:`control_symbols` are ordinary special tokens, which are matched in texts by default once the file is loaded;
        this raises a warning.

        Args:
            path: The file, which is created or replaced atomically; for ``"merges.txt"`` the folder of vocab.json and
                merges.txt.
            format: ``"tokenizer.json"`` (with history and counts), ``"vocab.txt"``, ``"merges.txt"``, ``"tiktoken"``,
                ``"sentencepiece"``, ``"subword-nmt"`` or ``"clip"``, which is compressed if the name ends in ``.gz``. By
                default ``"sentencepiece"`` for names in ``.model``, ``"tiktoken"`` for ``.tiktoken``, ``"vocab.txt"`` for
                ``.txt``, and ``"tokenizer.json"`` for all others.
            base: For SentencePiece, a ``.model`` file from which fields are copied that a tokenizer does not contain, such as
                the settings of its training; unknown fields included.
            approximate: For Unigram, to a tokenizer.json or a SentencePiece model: write the closest tokenizer that the other
                library loads, even if ids may change; the changes raise a warning.

        Raises:
            FileError: The file cannot be written, an existing file is unchanged; or `base` cannot be read.
            ConfigError: The format cannot represent the tokenizer, or the name is that of a partial file (``.vocab``,
                merges.txt), or `base` is given for another format or together with `approximate`.
            VocabularyError: A token cannot be written on one line of a vocab.txt.
            FormatError: `base` normalizes or decodes differently.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "tokenizer.json")
        >>> Tokenizer.from_str("[UNK]\nhug\n").save(path)
        >>> Tokenizer.from_file(path).tokenize("hug")
        ['hug']
        """
        from piecework.tokenizer._saving import save

        save(self, path, format, base, build=Tokenizer if approximate else None)

    def save_folder(
        self,
        path: Pathish,
        *,
        model_max_length: int | None = None,
        approximate: bool = False,
        **special_tokens: Unpack[SpecialRoles],
    ) -> None:
        r"""Writes a folder that ``transformers`` loads: tokenizer.json, tokenizer_config.json and special_tokens_map.json.

        ``AutoTokenizer.from_pretrained(path)`` then gives the same ids, offsets and texts, has the roles of special tokens,
        and returns ``token_type_ids`` if the post-processor sets them. It truncates and pads only in calls that ask for it.
        :attr:`chat_templates` are written too.
        Its own ``save_pretrained`` drops the record of the training, unless it was created with ``piecework.hf.Tokenizer``.

        Args:
            path: The folder, which is created if it does not exist.
            model_max_length: The largest number of tokens, for ``truncation=True``. By default that of the tokenizer's
                truncation, or of the folder that it was loaded from; without any of these ``truncation=True`` does nothing.
            approximate: For Unigram: write the closest tokenizer that ``transformers`` loads, even if ids may change; the
                changes raise a warning.
            **special_tokens: ``pad_token``, ``unk_token``, ``bos_token``, ``eos_token``, ``cls_token``, ``sep_token`` and
                ``mask_token``; None for no token. By default those of the folder that the tokenizer was loaded from, the
                unknown token of the model, the token of the padding, and special tokens with a usual name, such as
                ``"[PAD]"``. A warning names each role that several tokens could have, and a missing ``pad_token``.

        Raises:
            FileError: A file cannot be written.
            ConfigError: A token is not in the vocabulary, an argument is unknown or not a positive number, or
                ``transformers`` cannot load the tokenizer (such as a Unigram ``.model`` without `approximate`).

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> Tokenizer.from_str("[UNK]\n[PAD]\nhug\n").save_folder(folder)
        >>> sorted(path.name for path in folder.iterdir())
        ['special_tokens_map.json', 'tokenizer.json', 'tokenizer_config.json']
        """
        from piecework.tokenizer._saving import save_folder

        build = Tokenizer if check_flag("approximate", approximate) else None
        roles = cast("Mapping[str, str | None]", special_tokens)
        save_folder(self, path, model_max_length, roles, build=build)

    def to_str(self) -> str:
        """Returns the text of the tokenizer.json that :meth:`save` writes, with the :attr:`fingerprint`.

        Unlike :meth:`save` it raises no warning that :attr:`control_symbols` become special tokens that texts match. A view
        for :meth:`untrusted` texts is written as the ordinary tokenizer.
        """
        return self._core.to_saved_json()

    # --- encoding ----------------------------------------------------------------------------

    def encode(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        **options: Unpack[EncodeOptions],
    ) -> Encoding:
        r"""Encodes a text or a pair of texts.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``; with `is_pretokenized` a list of words.
            pair: A second text, whose tokens get type id 1.
            **options: `add_special_tokens`, `specials`, `is_pretokenized`, `truncation`, `padding`, `cache` and `sampling`;
                :class:`piecework.tokenizer.EncodeOptions` describes them.

        Returns:
            Ids, tokens, offsets (in characters of the original text), word ids, type ids and masks.

        Raises:
            SpecialTokenError: The text contains a special token, and `specials` is ``"error"``; or it contains another added
                token, and `specials` is ``"error-all"``.
            UnknownTokenError: A word is unknown, and the tokenizer has no unknown token.
            SurrogateError: The text contains a lone surrogate.
            InvalidUtf8Error: The bytes are not UTF-8.
            TruncationError: `max_length` is too small for the special tokens, or there is no second text to truncate.
            RegexError: A pattern exceeded its limit of steps.
            ConfigError: `sampling` with `alpha` and a model without segmentation probabilities, or with `dropout` and Unigram
                or WordPiece's likeliest segmentation.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode("hugs hug").offsets
        [(0, 3), (3, 4), (5, 8)]
        >>> tok.encode("hugs hug", truncation=2).tokens
        ['hug', '##s']
        """
        if not options and (default := self._default_options) is not None:
            return self._core.encode(text, pair, False, default)
        in_words = options.get("is_pretokenized", False)
        return self._core.encode(text, pair, in_words, self._options(options))

    def encode_segments(
        self, segments: Iterable[tuple[str, bool]], **options: Unpack[SegmentOptions]
    ) -> Encoding:
        r"""Encodes one text given as segments, of which only trusted ones may contain special and other added tokens.

        Args:
            segments: Pairs of a text and whether it is trusted. All added tokens are matched in trusted segments. In others
                they are ordinary text, except for those of white space alone that are not special, and for those that
                :meth:`untrusted` keeps. No word spans two segments.
            **options: See :class:`piecework.tokenizer.EncodeOptions`; without `is_pretokenized`. `specials` is the treatment
                of untrusted segments: ``"text-all"`` (the default, unless a view for :meth:`untrusted` texts refuses tokens),
                ``"error-all"``, or ``"text"`` and ``"error"`` for special tokens alone.

        Returns:
            The encoding, with offsets in characters of the concatenated segments.

        Raises:
            SpecialTokenError: An untrusted segment contains a token that is refused.
            PieceworkError: See :meth:`encode`.

        >>> tok = Tokenizer.from_str("[UNK]\n[SEP]\nhug\n##s\n")
        >>> tok.encode_segments([("hugs[SEP]", True), ("[SEP]", False)]).tokens
        ['hug', '##s', '[SEP]', '[UNK]', '[UNK]', '[UNK]']
        """
        chosen = self._options(self._segment_options(options))
        try:
            return self._core.encode_segments(segments, chosen)
        except errors.SpecialTokenError as error:
            error.hint = _checks.REFUSED_IN_SEGMENT
            raise

    def encode_segments_batch(
        self,
        rows: Iterable[Iterable[tuple[str, bool]]],
        *,
        offsets: bool = False,
        threads: int | None = None,
        **options: Unpack[SegmentOptions],
    ) -> EncodedBatch:
        r"""Encodes many texts given as segments into one flat array of ids.

        Args:
            rows: The texts, each as its segments; see :meth:`encode_segments`.
            offsets: See :meth:`encode_batch`.
            threads: See :meth:`encode_batch`.
            **options: See :meth:`encode_segments`.

        Returns:
            The ids, and the offset of each text's ids in the array; other columns are computed on first access.

        Raises:
            PieceworkError: See :meth:`encode_segments`; the message contains the position of the text.

        >>> tok = Tokenizer.from_str("[UNK]\n[SEP]\nhug\n##s\n")
        >>> tok.encode_segments_batch([[("hug[SEP]", True), ("hugs", False)], [("[SEP]", True)]]).to_list()
        [[2, 1, 2, 3], [1]]
        """
        from piecework.tokenizer._batch import encode_segments_batch

        return encode_segments_batch(
            self, rows, options, offsets=check_flag("offsets", offsets), threads=threads
        )

    def chat(
        self,
        messages: Iterable[Mapping[str, object]],
        tools: Iterable[Mapping[str, object]] | None = None,
        *,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        documents: Iterable[Mapping[str, object]] | None = None,
        template: str | None = None,
        max_tokens: int | None = None,
        trusted: bool = False,
        **variables: object,
    ) -> ChatEncoding:
        r"""Encodes a chat by a Jinja template, as ``apply_chat_template`` of ``transformers`` does, but safely.

        The text of the template and the contents is encoded as one text. Added tokens are matched only where the template
        wrote them: messages, tools and documents are ordinary text, whatever they spell. Requires the package ``jinja2``.

        Args:
            messages: Mappings with ``"role"``, and mostly ``"content"``; see docs/chat.md.
            tools: The JSON schemas of functions that the model may call.
            add_generation_prompt: Whether the text ends with the start of an answer.
            continue_final_message: Whether the text ends with the last message, so that a model continues it; or the name of
                the member that is continued, such as ``"reasoning_content"``.
            documents: The documents for an answer, mostly with ``"title"`` and ``"text"``.
            template: The name of a template in :attr:`chat_templates`, or a template. By default ``"tool_use"`` if there are
                tools and it exists, else ``"default"``.
            max_tokens: The maximum number of tokens. The oldest messages after the system message are left out, up to one
                of a user.
            trusted: Whether added tokens are matched in all texts, as ``transformers`` does.
            **variables: Further variables of the template, such as ``enable_thinking=False``. Texts are
                trusted, but not those in lists and mappings.

        Returns:
            The encoding, with the text, the messages that it contains, and a mask of the assistant's tokens.

        Raises:
            ChatTemplateError: There is no template, it is faulty or raises an error, it computes too much, or it changes a
                content so that its characters cannot be followed.
            TruncationError: The last turn has more than `max_tokens` tokens.
            ConfigError: An argument is invalid.
            MissingExtraError: The package ``jinja2`` is not installed.

        >>> tok = Tokenizer.from_str("[UNK]\n[SEP]\nhug\n##s\n")
        >>> template = "{% for message in messages %}{{ message.content }}[SEP]{% endfor %}"
        >>> tok.chat([{"role": "user", "content": "hugs [SEP]"}], template=template).tokens
        ['hug', '##s', '[UNK]', '[UNK]', '[UNK]', '[SEP]']
        """
        from piecework.tokenizer._chat.chat import ChatArguments, chat

        given = ChatArguments(
            tools,
            documents,
            template,
            add_generation_prompt,
            continue_final_message,
            max_tokens,
            trusted,
            variables,
        )
        return chat(self, messages, given)

    @property
    def chat_templates(self) -> Mapping[str, str]:
        r"""Returns the chat templates of the folder that the tokenizer was loaded from, by name.

        A folder with a single template has it under ``"default"``.

        >>> Tokenizer.from_str("[UNK]\nhug\n").chat_templates
        {}
        """
        return ReadOnlyDict(self._folder.chat_templates if self._folder else {})

    @cached_property
    def _structural_words(self) -> frozenset[str]:
        """Returns the names of members in chats that no added token contains."""
        from piecework.tokenizer._chat.chat import structural_words

        return structural_words(self)

    @overload
    def encode_ids(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        as_array: Literal[False] = False,
        **options: Unpack[EncodeOptions],
    ) -> list[int]: ...

    @overload
    def encode_ids(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        as_array: Literal[True],
        **options: Unpack[EncodeOptions],
    ) -> npt.NDArray[np.uint32]: ...

    @overload
    def encode_ids(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        as_array: bool,
        **options: Unpack[EncodeOptions],
    ) -> list[int] | npt.NDArray[np.uint32]: ...

    def encode_ids(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        as_array: bool = False,
        **options: Unpack[EncodeOptions],
    ) -> list[int] | npt.NDArray[np.uint32]:
        r"""Returns only the token ids of a text or pair.

        Args:
            text: See :meth:`encode`.
            pair: See :meth:`encode`.
            as_array: Whether to return a NumPy array, which is faster than a list.
            **options: See :class:`piecework.tokenizer.EncodeOptions`.

        Returns:
            The ids as a list, or as a new writable array of ``uint32``.

        Raises:
            PieceworkError: See :meth:`encode`.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode_ids("hugs hug")
        [1, 2, 1]
        >>> tok.encode_ids("hugs hug", as_array=True)
        array([1, 2, 1], dtype=uint32)
        """
        if not options and (default := self._default_options) is not None:
            return self._core.encode_ids(text, pair, False, default, as_array)
        in_words = options.get("is_pretokenized", False)
        return self._core.encode_ids(text, pair, in_words, self._options(options), as_array)

    def encode_batch(
        self,
        texts: Iterable[EncodeInput] | ArrowColumn | ArrowTexts | Corpus,
        *,
        offsets: bool = False,
        threads: int | None = None,
        **options: Unpack[EncodeOptions],
    ) -> EncodedBatch:
        r"""Encodes many texts into one flat array of ids.

        Args:
            texts: An iterable of texts (see :meth:`encode`) or of pairs (tuples) of texts; or a string column of pyarrow,
                polars or any library with the Arrow PyCapsule interface, which is read without a copy; or files, a
                :class:`Corpus`, which are read in blocks, so that memory holds little more than the ids. Their texts are not
                kept: the batch has ids and no other columns.
            offsets: Whether offsets, word ids, type ids and masks are computed together with the ids, instead of on first
                access.
            threads: The number of threads; by default one per core. The result does not depend on it.
            **options: See :class:`piecework.tokenizer.EncodeOptions`. ``padding=Padding()`` pads to the longest text of the
                batch. The position of a text in the batch is part of the random seed of `sampling`.

        Returns:
            The ids and the offset of each text's ids in the array; other columns are computed on first access.

        Raises:
            PieceworkError: See :meth:`encode`; the message contains the position of the text.
            ArrowError: The column is not a string column, or contains nulls.
            ConfigError: `offsets`, `is_pretokenized` or padding is requested for a corpus.

        >>> import pyarrow as pa
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode_batch(pa.array(["hugs", "hug hug"])).to_list()
        [[1, 2], [1, 1]]
        """
        from piecework.tokenizer._batch import encode_batch

        return encode_batch(
            self, texts, options, offsets=check_flag("offsets", offsets), threads=threads
        )

    def truncate_text(
        self,
        text: str,
        n: int,
        *,
        side: Side = "right",
        add_special_tokens: bool = True,
        specials: Specials | None = None,
    ) -> TruncatedText:
        r"""Returns the longest prefix of a text that encodes to at most `n` tokens, or the longest suffix.

        Cutting at the offset of a token may give more tokens, so candidates are encoded. The cost depends on the part that is
        kept if the pipeline has a fast path (:attr:`generic_path_reason`), otherwise on the text. Where words depend on text
        after them, the result ends (or begins) at a word of the whole text; `is_longest` is False if a longer part may fit.

        Args:
            text: The text.
            n: The largest number of tokens, with the special tokens that are added.
            side: The side that is cut off: ``"right"`` keeps a prefix, ``"left"`` a suffix.
            add_special_tokens: Whether the post-processor adds special tokens.
            specials: See :meth:`encode`. With ``"error"`` or ``"error-all"``, a token that is kept in part is an error, too.

        Returns:
            The part of the text, a `str` with the attribute `is_longest`. A part that cannot be encoded, as it is unknown to a
            tokenizer without unknown token, does not count.

        Raises:
            TruncationError: `n` is too small for the special tokens.
            SpecialTokenError: The cut divides a token that `specials` refuses.
            SurrogateError: The text contains a lone surrogate near the part that is kept.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.truncate_text("hug hugs hug", 3), tok.truncate_text("hug hugs hug", 1, side="left")
        ('hug hugs ', ' hug')
        >>> tok.truncate_text("hug hugs hug", 3).is_longest
        True
        """
        from piecework.tokenizer._results import TruncatedText

        check_str("text", text)
        limit = check_index("n", n)
        if isinstance(n, bool) or limit < 0:
            raise errors.ConfigError(
                f"expected an integer from 0 on, found {shown(n)}", setting="n"
            )
        if side not in ("left", "right"):
            raise errors.ConfigError(
                f'expected "left" or "right", found {shown(side)}', setting="side"
            )
        given = {"add_special_tokens": add_special_tokens, "specials": specials, "sampling": None}
        options = self._options(given | UNLIMITED)
        limit, is_left = min(limit, sys.maxsize), side == "left"
        # Parts of the text, so that a long text is not converted.
        size = max(_SMALLEST_PART, _CHARACTERS_PER_TOKEN * limit)
        while size < len(text):
            part = text[-size:] if is_left else text[:size]
            try:
                kept = self._core.truncate_text(part, limit, is_left, True, options)
            except errors.SpecialTokenError:
                break  # the error of the whole text has the position in it
            if kept is not None:
                return TruncatedText(*kept)
            size *= 4
        kept = self._core.truncate_text(text, limit, is_left, False, options)
        return TruncatedText(*cast("tuple[str, bool]", kept))

    def tokenize(self, text: str, *, specials: Specials | None = None) -> list[str]:
        r"""Returns all tokens of a text, neither truncated nor padded, without added special tokens.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").tokenize("Hugs!")
        ['hug', '##s', '[UNK]']
        """
        given = {**_TOKENS_ALONE, "specials": specials}
        return self._core.encode(text, None, False, self._options(given)).tokens

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
        options = self._options({**_TOKENS_ALONE, "specials": None if self._view else "match"})
        parts, end = list[str](), 0
        for start, stop in self._core.encode(body, None, False, options).offsets:
            if stop <= end:
                continue  # the end-of-word suffix covers no text
            if parts:
                parts.append(" " if start > end else f"{separator} ")
            parts.append(body[max(start, end) : stop])
            end = stop
        return before + "".join(parts) + after

    @overload
    def count(  # type: ignore[overload-overlap]  # a `str` is an iterable of `str`, and counts as a text
        self, text_or_texts: Text, **options: Unpack[CountOptions]
    ) -> int: ...

    @overload
    def count(
        self,
        text_or_texts: Iterable[Text] | ArrowColumn | Corpus,
        **options: Unpack[CountOptions],
    ) -> list[int]: ...

    def count(
        self,
        text_or_texts: Text | Iterable[Text] | ArrowColumn | Corpus,
        **options: Unpack[CountOptions],
    ) -> int | list[int]:
        r"""Counts the tokens of a text or of each text, without truncation and padding.

        Args:
            text_or_texts: A text (see :meth:`encode`), or texts: an iterable, an Arrow column or a :class:`Corpus`.
            **options: See :class:`piecework.tokenizer.EncodeOptions`.

        Returns:
            The number of tokens (``int``) of a text, a list of numbers for several texts.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").count(["hugs", "hug"])
        [2, 1]
        """
        if options and not _COUNTING.issuperset(options):
            _checks.refuse_unknown(options, _COUNTING, "the options of counting")
        if isinstance(text_or_texts, _checks.TEXT_TYPES):
            return self._core.count(text_or_texts, self._options(options))
        column = as_corpus(text_or_texts) or as_column(text_or_texts)
        if column is not None:
            batch = self.encode_batch(column, truncation=None, padding=None, **options)
            lengths: list[int] = batch._lengths().tolist()
            return lengths
        texts: Any = text_or_texts
        each = check_iterable("text_or_texts", texts, "a text or an iterable of texts")
        chosen = self._options(options)
        return [self._core.count(text, chosen) for text in each]

    # --- decoding ----------------------------------------------------------------------------

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
        return self._core.decode_batch(_checks.rows_of(batch), skip_special_tokens)

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
        return self._core.decode_bytes_batch(_checks.rows_of(batch), skip_special_tokens)

    def decode_tokens_bytes(
        self, ids: Iterable[int], *, skip_special_tokens: bool = True
    ) -> list[bytes]:
        r"""Decodes token ids to the bytes of each id, as they are in the whole text.

        The bytes of an id are those that :meth:`decode_bytes_stream` returns for it; at the end of the text, the rest are
        those of the last id. So a space that a decoder adds between words belongs to the token after it.

        Args:
            ids: Token ids, in any order.
            skip_special_tokens: Whether special tokens have no bytes.

        Returns:
            The bytes of each id; their concatenation equals :meth:`decode_bytes`.

        Raises:
            TokenIdError: An id is not in the vocabulary.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.decode_tokens_bytes([1, 2, 1])
        [b'hug', b's', b' hug']
        """
        return self._core.decode_tokens_bytes(as_ids(ids), skip_special_tokens)

    def decode_with_offsets(
        self, ids: Iterable[int], *, skip_special_tokens: bool = True
    ) -> DecodedText:
        r"""Decodes token ids to text, with the position of each id in it.

        Args:
            ids: Token ids, in any order.
            skip_special_tokens: Whether special tokens are omitted; such an id starts where the next one does.

        Returns:
            The text; the start of each id in it, in characters; and its start in :meth:`decode_bytes`, in bytes. A character
            of several ids belongs to the first of them.

        Raises:
            TokenIdError: An id is not in the vocabulary.

        >>> Tokenizer.from_str("[UNK]\nhüg\n##s\n").decode_with_offsets([1, 2, 1])
        DecodedText(text='hügs hüg', starts=[0, 3, 4], byte_starts=[0, 4, 5])
        """
        from piecework.tokenizer._decoded import DecodedText

        return DecodedText(*self._core.decode_offsets(as_ids(ids), skip_special_tokens))

    def decode_with_offsets_batch(
        self, batch: EncodedBatch | Iterable[Iterable[int]], *, skip_special_tokens: bool = True
    ) -> DecodedBatch:
        r"""Decodes rows of token ids to texts, with the position of each id in columns; see :meth:`decode_with_offsets`.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> decoded = tok.decode_with_offsets_batch([[1, 2], [1, 1]])
        >>> decoded.texts, decoded.starts.tolist(), decoded.row_offsets.tolist()
        (['hugs', 'hug hug'], [0, 3, 0, 3], [0, 2, 4])
        """
        from piecework.tokenizer._decoded import DecodedBatch

        rows = _checks.rows_of(batch)
        return DecodedBatch(*self._core.decode_offsets_batch(rows, skip_special_tokens))

    @overload
    def decode_stream(
        self,
        *,
        stop: Stops = (),
        after: Iterable[int] = (),
        skip_special_tokens: bool = True,
        details: Literal[False] = False,
    ) -> DecodeStream[str]: ...

    @overload
    def decode_stream(
        self,
        *,
        stop: Stops = (),
        after: Iterable[int] = (),
        skip_special_tokens: bool = True,
        details: Literal[True],
    ) -> DecodeStream[StreamStep, str]: ...

    def decode_stream(
        self,
        *,
        stop: Stops = (),
        after: Iterable[int] = (),
        skip_special_tokens: bool = True,
        details: bool = False,
    ) -> DecodeStream[str] | DecodeStream[StreamStep, str]:
        r"""Returns a stream that decodes token ids incrementally, such as those of a generating model, up to a stop.

        Args:
            stop: Strings and token ids that end the text; they are not part of it. A string is found wherever it is in the
                text, over the ends of tokens. Where special tokens are omitted, a string that is spelled like one is met by
                its id. The stop that ends first counts, and of several that end together the longest.
            after: Token ids before those of the stream, such as a prompt: the text continues theirs, which is not returned and
                not searched for stops. To resume a stream, pass the ids that it had to one :meth:`DecodeStream.step` instead.
            skip_special_tokens: Whether special tokens are omitted.
            details: Whether a step returns a :class:`StreamStep`, with the bytes and the position of its ids.

        Returns:
            The stream; :meth:`DecodeStream.step` returns the new text that is safe to show: neither later tokens nor a stop
            can change it.

        Raises:
            TokenIdError: A stop, or an id of `after`, is not in the vocabulary.
            ConfigError: A stop is an empty string.

        >>> stream = Tokenizer.from_str("[UNK]\nhug\n##s\n").decode_stream(stop="s h")
        >>> stream.step(1), stream.step(2), stream.step(1), stream.stopped, stream.rest
        ('hug', '', '', 's h', 'ug')
        """
        skip = check_flag("skip_special_tokens", skip_special_tokens)
        output: Literal["text", "details"] = "details" if check_flag("details", details) else "text"
        return self._core.decode_stream(
            skip, output, _checks.as_stops(stop), _checks.ids_before(after)
        )

    def decode_bytes_stream(
        self,
        *,
        stop: Stops = (),
        after: Iterable[int] = (),
        skip_special_tokens: bool = True,
    ) -> DecodeStream[bytes]:
        """Returns a stream that decodes token ids to bytes; see :meth:`decode_stream`.

        Bytes of incomplete characters are returned at once.
        """
        skip = check_flag("skip_special_tokens", skip_special_tokens)
        return self._core.decode_stream(
            skip, "bytes", _checks.as_stops(stop), _checks.ids_before(after)
        )

    def token_bytes(self) -> TokenBytes:
        r"""Returns the bytes that each token adds to a text between other tokens, as constrained decoding needs them.

        A token that begins a word has the space before it: ``▁the`` of Llama and ``the`` of BERT are both ``b" the"``. Special
        tokens have their own text. The first token of a text may have other bytes: :meth:`decode_tokens_bytes`.

        Returns:
            One buffer for all ids, which is computed once for a tokenizer: ``tok.token_bytes()[id]``.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> list(tok.token_bytes())
        [b' [UNK]', b' hug', b's']
        """
        return self._token_bytes

    @cached_property
    def _token_bytes(self) -> TokenBytes:
        from piecework.tokenizer._decoded import TokenBytes

        return TokenBytes(*self._core.all_token_bytes())

    def display_token(self, token: str | int) -> str:
        r"""Returns a token in readable form.

        Byte-level characters, tokens such as ``<0x61>`` and metaspaces are decoded. Prefixes and suffixes that mark the
        position in a word are kept. An added token is shown as its own text.

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
        from piecework._display import display_token

        if not isinstance(token, str):
            number = check_index("token", token)
            if self.id_to_token(number) is None:
                raise errors.TokenIdError(f"id {shown(token)} is not in the vocabulary")
            return display_token(self._core.token_bytes(number))
        known = self.token_to_id(token)
        if known is None:
            return display_token(self._core.text_bytes(token))
        if self.id_to_token(known) != token:
            # The text of an added token that is matched, and decoded, in its normalized form.
            return display_token(token.encode())
        return display_token(self._core.token_bytes(known))

    # --- columns of data frames -----------------------------------------------------------------

    def arrow_udf(
        self,
        column: str,
        *,
        output: str = "ids",
        threads: int | None = 1,
        **options: Unpack[RowOptions],
    ) -> ArrowUdf:
        r"""Returns a function that appends the ids of a text column to an Arrow table.

        It is what `map_batches` of Ray Data takes: ``dataset.map_batches(tok.arrow_udf("text"), batch_format="pyarrow")``. It
        can be pickled; a worker that receives it several times reads the tokenizer once, and keeps its cache of words.

        Args:
            column: The name of the column with the texts.
            output: The name of the new column, of type ``large_list<uint32>``.
            threads: The number of threads of a call; on a cluster the engine already uses all cores.
            **options: See :class:`piecework.tokenizer.EncodeOptions`; without `padding` and `is_pretokenized`.

        Returns:
            A function of a table or record batch of pyarrow; the ids of a null are null. It raises ConfigError for a table
            without the column, or with one of the name of the output.

        >>> import pyarrow as pa
        >>> encode = Tokenizer.from_str("[UNK]\nhug\n##s\n").arrow_udf("text")
        >>> encode(pa.table({"text": ["hugs", None]}))["ids"].to_pylist()
        [[1, 2], None]
        """
        from piecework.tokenizer._udf import ArrowUdf, row_settings

        settings = row_settings(self, options, threads)
        return ArrowUdf(self, check_str("column", column), check_str("output", output), settings)

    def spark_udf(self, column: str, **options: Unpack[RowOptions]) -> Column:
        """Returns the column of the ids of a text column, for a Spark DataFrame.

        It is an expression as any other: ``frame.withColumn("ids", tok.spark_udf("text"))``. Spark sends the tokenizer to each
        machine once; a Python worker reads it once, and keeps its cache of words.

        Args:
            column: The name of the column with the texts.
            **options: See :class:`piecework.tokenizer.EncodeOptions`; without `padding` and `is_pretokenized`.

        Returns:
            A ``pyspark.sql.Column`` of type ``array<int>``, since Spark has no unsigned integers (``array<bigint>`` for ids
            from 2³¹ on); the ids of a null are null.

        Raises:
            MissingExtraError: Spark is not installed.
            ConfigError: There is no SparkSession.
        """
        from piecework.tokenizer._udf import row_settings, spark_column

        settings = row_settings(self, options, threads=1)
        return spark_column(self, check_str("column", column), settings)

    # --- changes --------------------------------------------------------------------------------

    def replace(self, **changes: Unpack[Changes]) -> Tokenizer:
        r"""Returns a tokenizer with other stages, truncation or padding, or with other settings of its model.

        Args:
            **changes: ``normalizer``, ``pre_tokenizer``, ``post_processor``, ``decoder``, ``truncation``, ``padding``; None
                removes one. ``regex_retries``: see :attr:`regex_retries`. Settings of a WordPiece model: ``unknown`` (``"word"``, ``"run"`` or ``"char"``),
                ``unk_token``, ``max_input_chars_per_word`` (None for no limit), ``segmentation`` (``"longest"`` or
                ``"likeliest"``, the segmentation with the largest product of token probabilities), ``probabilities`` (a
                mapping of tokens to numbers from 0 to 1 that replaces those of the training; tokens that are not listed
                have 2**-52; None restores those of the training).

        Returns:
            A new tokenizer; this one is unchanged.

        Raises:
            ConfigError: The parts do not fit together, padding lacks a pad token, the unknown token is not in the
                vocabulary, a setting is not one of the model, or post-processor or padding insert a token with an id that is
                not its own (:meth:`piecework.processors.PostProcessor.with_ids` looks the ids up by name).
            VocabularyError: A token with a probability is not in the vocabulary, or a probability is not from 0 to 1.
            MissingCountsError: ``segmentation="likeliest"``, and the tokenizer has neither probabilities nor token counts.

        >>> tok = Tokenizer.from_str("[UNK]\nx\n##x\n##c\n##luo\n")
        >>> tok.tokenize("ğXcluo"), tok.replace(normalizer=None, unknown="run").tokenize("ğxcluo")
        (['[UNK]'], ['[UNK]', '##x', '##c', '##luo'])
        """
        made = self._replaced(changes)
        check_inserted(made._core, self._core)
        return made

    def _replaced(self, changes: Changes) -> Tokenizer:
        """Implements :meth:`replace`, but accepts all ids that post-processor and padding insert, as those of a file."""
        from piecework.tokenizer._replacing import replaced

        return self._derived(*replaced(self, changes))

    def _mismatched_ids(self) -> list[Mismatched]:
        """Returns the tokens that post-processor and padding insert with ids that are not their own."""
        return mismatched(self._core)

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
        return self._derived(self._core.as_bpe(), self._functions)

    def with_added_tokens(
        self, tokens: Iterable[str | AddedToken], *, special: bool = False
    ) -> Tokenizer:
        r"""Returns a tokenizer with more added tokens, which are matched in the text before the model runs.

        Args:
            tokens: Their texts, or :class:`piecework.AddedToken` with flags. A token of the vocabulary keeps its id, others
                get the next free ids; a token that was added before gets the new flags. On a tokenizer of a SentencePiece
                ``.model`` they become user-defined symbols, matched in normalized text whatever `normalized` is.
            special: Whether all of them are special; an :class:`AddedToken` may also say so itself. Special tokens are
                matched in texts by default, even if they were :attr:`control_symbols` before.

        Returns:
            A new tokenizer; this one is unchanged.

        Raises:
            ConfigError: A token is empty, or gets another id than the post-processor or the padding have for its name.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n").with_added_tokens(["<name>"])
        >>> tok.tokenize("hugs <NAME>"), tok.token_to_id("<name>")
        (['hug', '##s', '<name>'], 3)
        """
        made = self._with_added(tokens, special=check_flag("special", special))
        check_inserted(made._core, self._core, _SET_AGAIN)
        return made

    if not TYPE_CHECKING:  # type checkers report an attribute that does not exist

        def __getattr__(self, name: str) -> NoReturn:
            """Raises AttributeError, with what replaces a name of another library."""
            from piecework.tokenizer._other_names import METHODS

            problem = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(with_hint(problem, METHODS.get(name)), name=name, obj=self)

    def _with_added(
        self, tokens: Iterable[str | AddedToken], *, special: bool = False
    ) -> Tokenizer:
        """Implements :meth:`with_added_tokens`, but accepts all ids that post-processor and padding insert."""
        runs = _checks.added_runs("tokens", tokens, special)
        return self._derived(self._core.with_symbols(runs), self._functions)

    def _with_controls(self, names: Sequence[str]) -> Tokenizer:
        """Returns a tokenizer of whose special tokens exactly `names` are control symbols."""
        if tuple(names) == self.control_symbols:
            return self
        return self._derived(self._core.with_control_symbols(list(names)), self._functions)

    def untrusted(self, keep: Iterable[str] = (), *, refuse: bool = False) -> Tokenizer:
        r"""Returns a view of the tokenizer for texts that must not spell its added tokens.

        Its calls that encode take all added tokens in a text as ordinary text: special tokens, and those that are not flagged
        special, such as ``</think>`` and ``<tool_call>`` of many chat models. Added tokens of white space alone that are not
        special are still matched, as some models encode indentation with them. A call's `specials` is for all these tokens:
        ``"text"``, ``"error"``, or a set of those to match; ``"match"`` matches all added tokens.

        The view shares the vocabulary, so it costs little. It is the untrusted text of :meth:`encode_segments`, for whole
        texts. Stages that are replaced, pickling, and the workers of engines keep it. A saved file is that of the ordinary
        tokenizer, since no file format has such a setting.

        Args:
            keep: Added tokens that texts may spell, such as words of a domain; special ones too, if they are named. They
                replace those that this view keeps.
            refuse: Whether a text with another added token is an error.

        Returns:
            A tokenizer of the same class; this one is unchanged.

        Raises:
            ConfigError: A name in `keep` is not an added token.

        >>> tok = Tokenizer.from_str("[UNK]\n[SEP]\nhug\n").with_added_tokens(["<call>", "<name>"])
        >>> tok.tokenize("hug<call>"), tok.tokenize("hug[SEP]", specials="text")
        (['hug', '<call>'], ['hug', '[UNK]', '[UNK]', '[UNK]'])
        >>> safe = tok.untrusted(keep=["<name>"])
        >>> safe.tokenize("hug<call>"), safe.tokenize("hug<name>")
        (['hug', '[UNK]', '[UNK]', '[UNK]'], ['hug', '<name>'])
        >>> tok.untrusted(refuse=True).encode("hug<call>")
        Traceback (most recent call last):
        ...
        piecework.errors.SpecialTokenError: the text holds the added token "<call>" at character 3; ...
        """
        from piecework.tokenizer._untrusted import UntrustedView, checked_keep

        added = {token.content for token in self.added_tokens.values()}
        view = UntrustedView(checked_keep(keep, added), check_flag("refuse", refuse))
        return self._viewed(view)

    def _viewed(self, view: UntrustedView | None) -> Tokenizer:
        """Returns the view with these settings, or for None the ordinary tokenizer."""
        if view == self._view:
            return self
        kept, keep = (each.keep if each else () for each in (self._view, view))
        core = self._core if keep == kept else self._core.with_kept(list(keep))
        return self._wrap(core, self._functions, view)._of_folder(self._folder)

    def explain(
        self,
        text: str,
        *,
        specials: Specials | None = None,
        max_characters: int | None = 10_000,
        nbest: int = 5,
        span: tuple[int, int] | None = None,
    ) -> Explanation:
        """Explains how a text is segmented; print the result, or let a notebook show it.

        Args:
            text: A word, or any text.
            specials: See :meth:`encode`.
            max_characters: The number of characters of words that are explained; the rest is only counted. None for all.
                Words of more than 2,000 characters have no steps.
            nbest: The number of best segmentations that are listed, for Unigram and WordPiece's likeliest segmentation.
            span: The start and end of a part of the text, in characters; only the words that overlap with it are explained,
                each as a whole and as it is in the whole text. None for all.

        Returns:
            The text after normalization, its words, and for each word its pieces and the steps of the model: for WordPiece
            the prefixes that were tried, for BPE the merges in order and what they blocked, for the likeliest segmentation
            the lattice with its scores and the best segmentations. Offsets link text, normalized text, words and pieces.
            Nothing is drawn at random, and no special tokens are added.

        Raises:
            PieceworkError: See :meth:`encode`. ConfigError: `max_characters` or `nbest` is not positive, or `span` is no range.

        >>> import piecework as pw
        >>> words = {"hug": 10, "pug": 5, "hugs": 5}
        >>> print(pw.train(words, pw.WordPieceTrainer(vocab_size=12)).explain("hugs"))
        hugs -> hug ##s
          hug (id 11, 0-3): tried hugs, which is not in the vocabulary
            hug = h + ##ug (merge 2)
              ##ug = ##u + ##g (merge 1)
          ##s (id 6, 3-4): a character of the alphabet
        """
        from piecework.tokenizer._explain.build import explain

        return explain(
            self,
            check_str("text", text),
            specials=specials,
            max_characters=max_characters,
            nbest=nbest,
            span=span,
        )

    def lineage(self, token: str) -> Lineage:
        """Returns the tree of the merges that created a token, with its count at birth and at the end; print it.

        Args:
            token: A token, as in the vocabulary.

        Returns:
            The tree, down to characters. A token that no merge created, such as a piece of Unigram, has no parts; so has any
            token of a WordPiece vocabulary without history, whose `merges_known` is false.

        Raises:
            VocabularyError: The token is not in the vocabulary.

        >>> import piecework as pw
        >>> words = {"hug": 10, "pug": 5, "hugs": 5}
        >>> print(pw.train(words, pw.WordPieceTrainer(vocab_size=12)).lineage("hug"))
        hug = h + ##ug (merge 2), count 15 at birth, count 15 at the end
          h, count 0 at the end
          ##ug = ##u + ##g (merge 1), count 20 at birth, count 5 at the end
            ##u, count 0 at the end
            ##g, count 0 at the end
        """
        from piecework.tokenizer._explain.lineage import lineage

        return lineage(self, check_str("token", token))

    # --- vocabulary, model and stages ----------------------------------------------------------

    @cached_property
    def vocab(self) -> Mapping[str, int]:
        r"""Returns tokens and their ids, in order of the ids, as a dictionary that cannot be changed.

        It is computed once for a tokenizer.

        >>> Tokenizer.from_str("[UNK]\nhug\n").vocab
        {'[UNK]': 0, 'hug': 1}
        """
        return ReadOnlyDict(self._core.vocab())

    @property
    def vocab_size(self) -> int:
        """Returns the number of tokens, special tokens included; see :attr:`max_id` for the largest id."""
        return len(self._core)

    @cached_property
    def fingerprint(self) -> str:
        r"""Returns the SHA-256 of what decides the ids of a text, as 64 hexadecimal digits.

        These are normalizer, pre-tokenizer, model, added tokens and post-processor. Decoder, truncation, padding, the record
        of the training, and the order and the form in which a file has its members do not change it. Equal fingerprints
        mean equal ids; unequal ones may, too, since two settings can have the same effect. It takes about as long as
        saving the tokenizer. That of a view for :meth:`untrusted` texts depends on the settings of the view, too.

        Raises:
            ConfigError: The pre-tokenizer is a Python function.

        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.fingerprint[:8], tok.replace(decoder=None).fingerprint == tok.fingerprint
        ('485198e7', True)
        >>> tok.replace(unknown="char").fingerprint == tok.fingerprint
        False
        """
        ordinary = self._core.fingerprint()
        return ordinary if self._view is None else self._view.fingerprint_of(ordinary)

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

    @cached_property
    def added_tokens(self) -> Mapping[int, AddedToken]:
        """Returns the added tokens, special tokens included, by id, as a dictionary that cannot be changed."""
        from piecework._settings.added_tokens import AddedToken

        return ReadOnlyDict(
            {number: AddedToken(*flags) for number, flags in self._core.added_tokens()}
        )

    @property
    def is_untrusted(self) -> bool:
        """Returns whether the tokenizer is a view for :meth:`untrusted` texts; its repr shows the settings of the view."""
        return self._view is not None

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

    @cached_property
    def model(self) -> Model:
        """Returns the model with its vocabulary, which is computed once for a tokenizer."""
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
        from piecework._settings.encoding import prescribed

        part = self._parts["truncation"]
        return part and prescribed(part)

    @cached_property
    def padding(self) -> Padding | None:
        """Returns the default padding of calls, or None."""
        from piecework._settings.encoding import Padding

        part = self._parts["padding"]
        return part and Padding.from_dict(part)

    @property
    def regex_retries(self) -> int | None:
        r"""Returns how often a regular expression may go back in a text before the call is an error, or None.

        A regular expression that Oniguruma runs (:attr:`split_backends`) may try many ways to match, and the number of retries
        may grow with the square of a text's length, or faster. By default 10 million at one position of a text are an error,
        and there is no limit for a whole text. ``tok.replace(regex_retries=1_000_000)`` bounds the time that a text of others
        may cost: no text is an error that takes fewer retries, and each one is that takes twice as many (and 1,000 for each
        character). Files have no such setting; pickling keeps it.

        >>> tok = Tokenizer.from_str("[UNK]\nx\n").replace(regex_retries=1_000_000)
        >>> tok.regex_retries
        1000000
        """
        retries: int | None = self._parts["regex_retries"]
        return retries

    @property
    def generic_path_reason(self) -> str | None:
        r"""Returns why texts take the generic path, or None if they take the fast path.

        Both paths give the same tokens. The fast path cuts a text at safe split points and looks up the chunks in a cache;
        docs/pipeline.md lists the pipelines that support it.

        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").generic_path_reason is None
        True
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").replace(pre_tokenizer=None).generic_path_reason
        'without a pre-tokenizer a text is one word'
        """
        return self._core.generic_path_reason()

    @property
    def split_backends(self) -> tuple[str, ...]:
        r"""Returns the matcher of each split pattern of the pre-tokenizer, in order.

        Patterns of well-known models (such as `piecework.patterns.SPLIT_PATTERNS`) are matched by grammars, runs of one set of
        characters (``\p{N}{1,3}``) and plain strings without a regex engine, others without look-around, references and
        options by an automaton, all others by Oniguruma. All of them match what Oniguruma matches.

        >>> from piecework import pre_tokenizers
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.replace(pre_tokenizer=pre_tokenizers.ByteLevel()).split_backends
        ('grammar gpt2',)
        """
        return tuple(self._core.split_backends())

    def unreachable_tokens(self) -> list[str]:
        """Returns the tokens that no text is encoded to, as far as this follows from merges and added tokens.

        No merges of a BPE model produce them, or, with any model, they contain an added token that is matched wherever it
        occurs. A trained vocabulary has none. Edited vocabularies may have some. :func:`piecework.lint` finds others.

        Returns:
            The tokens in order of their ids, without added tokens.

        Raises:
            PieceworkError: The normalizer cannot normalize an added token.

        >>> from piecework import models
        >>> Tokenizer(models.BPE(["a", "b", "c", "bc", "abc"], [("b", "c")])).unreachable_tokens()
        ['abc']
        >>> tok = Tokenizer(models.WordLevel(["[UNK]", "new", "newer"]), added_tokens=["new"])
        >>> tok.unreachable_tokens()
        ['newer']
        """
        return self._core.unreachable_tokens()

    @property
    def lm(self) -> LanguageModel:
        """Returns the language model: n-best segmentations, random segmentations, scores and likelihoods."""
        from piecework.tokenizer._lm import LanguageModel

        return LanguageModel(self)

    @cached_property
    def training(self) -> TrainingInfo:
        """Returns the training: its settings, word counts, token counts, and merges or steps."""
        from piecework.tokenizer._training_info import TrainingInfo

        return TrainingInfo(self._core)

    @property
    def history(self) -> MergeHistory:
        """Returns the merges of the training, ``training.history``."""
        return self.training.history

    def _setting_remedy(self, name: str) -> str:
        """Returns how to change a setting of the model; only those of WordPiece can be replaced."""
        if self.model_type == "WordPiece":
            return f"call tok.replace({name}=...)"
        return "it is a setting of the model; build a tokenizer from another model: Tokenizer(model, ...)"

    def _instead(self, name: str) -> str:
        """Returns the error for an assignment to an attribute, with what to call instead."""
        remedies = {
            "model": "build a tokenizer from another model: Tokenizer(model, normalizer=..., ...)",
            **dict.fromkeys(Parts.__optional_keys__, f"call tok.replace({name}=...)"),
            **dict.fromkeys(LIMITS, f"call tok.replace({name}=...), or pass {name}= to a call"),
            **dict.fromkeys(ModelSettings.__optional_keys__, self._setting_remedy(name)),
            **dict.fromkeys(_ADDED, "call tok.with_added_tokens([...])"),
            "regex_retries": "call tok.replace(regex_retries=...)",
        }
        if name in remedies:
            return f"a Tokenizer is immutable; {remedies[name]}"
        known = [own for own in dir(type(self)) if not own.startswith("_")]
        if name.startswith("_"):
            return "a Tokenizer is immutable"
        if name in known:
            return "a Tokenizer is immutable, and this attribute is read-only"
        return with_hint("Tokenizer has no attribute of this name", did_you_mean(name, known))

    def _to_piecework(self) -> Tokenizer:
        """Returns itself; see :class:`piecework._settings.arguments.TokenizerLike`."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles a tokenizer.json, and separately a pre-tokenizer that is a Python function, and a view."""
        if self._view is not None:
            return _loading.unpickle_view, (self._viewed(None), self._view)
        if self.regex_retries is not None:
            unbounded = self._replaced({"regex_retries": None})
            return _loading.unpickle_bounded, (unbounded, self.regex_retries)
        text, pre_tokenizer = self._without_functions._core.to_json(), None
        if self._functions:
            pre_tokenizer = self.pre_tokenizer
        return _loading.unpickle, (
            text,
            pre_tokenizer,
            self.control_symbols,
            type(self),
            self._folder,
        )

    def __copy__(self) -> Tokenizer:
        """Returns itself, since it is immutable."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tokenizer:
        """Returns itself, since it is immutable."""
        return self

    def __eq__(self, other: object) -> bool:
        """Returns whether the tokenizer.json, the Python functions, the control symbols and the views are equal."""
        if not isinstance(other, Tokenizer):
            return NotImplemented
        if self._view != other._view:
            return False
        if self._core is other._core:
            return True
        if self._core.splitter() != other._core.splitter() or self._functions != other._functions:
            return False
        if self.control_symbols != other.control_symbols:
            return False
        one, two = self._without_functions._core, other._without_functions._core
        return one.to_json() == two.to_json()

    @property
    def _without_functions(self) -> Tokenizer:
        """Returns the tokenizer without a pre-tokenizer that is a Python function."""
        return self.replace(pre_tokenizer=None) if self._functions else self

    def __hash__(self) -> int:
        """Returns a hash of the size, the stages and the view, which equal tokenizers share."""
        return hash((len(self), self._core.splitter(), self._view))

    def __repr__(self) -> str:
        """Returns the model type, size, stages, training and view."""
        parts = [
            self.model_type,
            f"{len(self):,} tokens",
            repr(self.normalizer),
            repr(self.pre_tokenizer),
        ]
        if self.model_type == "WordPiece":
            parts.append(f"unknown={self.unknown!r}")
        parts += [f"{limit!r}" for limit in (self.truncation, self.padding) if limit is not None]
        if self.training:
            parts.append(self.training._summary())
        if self._view:
            parts.append(str(self._view))
        return f"Tokenizer({', '.join(parts)})"
