"""Defines the tokenizer, whose parts and settings can be replaced."""

from __future__ import annotations

import importlib
import json
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from piecework import _core
from piecework._settings.limiting import check_sizes
from piecework._settings.token_runs import runs_of
from piecework.hf import _calls
from piecework.hf._added_tokens import AddedToken, Flags, checked_flags
from piecework.hf._arguments import (
    flag,
    ignored,
    instance,
    limited,
    maybe,
    number32,
    string,
    unsigned,
)
from piecework.hf._deferred import DeferredColumns
from piecework.hf._encoding import Encoding
from piecework.hf._state import Component, dumps, own, revision
from piecework.hf.models import Model, _read_core, _way
from piecework.tokenizer._checks import check_file
from piecework.tokenizer._formats.own import own_types

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from piecework._core import Options, Tokenizer as CoreTokenizer
    from piecework.hf.decoders import Decoder
    from piecework.hf.normalizers import Normalizer
    from piecework.hf.pre_tokenizers import PreTokenizer
    from piecework.hf.processors import PostProcessor
    from piecework.hf.trainers import Trainer
    from piecework.tokenizer import Tokenizer as OwnTokenizer
    from piecework.tokenizer._settings import SpecialRoles

Part = TypeVar("Part", bound=Component)
_STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


class _Stage(Generic[Part]):
    """Describes the attribute of a stage, whose component is made of its state on first use.

    Args:
        module: The module of the components, which is imported on first use.
        base: Their base.
    """

    def __init__(self, module: str, base: str) -> None:
        self._module, self._base = module, base

    def __set_name__(self, owner: type, name: str) -> None:
        """Takes the name of the attribute."""
        self.name = name
        text = f"Returns the {name}, whose changes take effect in this tokenizer, or None."
        self.__doc__ = text.replace("_", "-")

    def base(self) -> type[Part]:
        """Returns the base of the components."""
        module = importlib.import_module(f"piecework.hf.{self._module}")
        base: type[Part] = getattr(module, self._base)
        return base

    def __get__(self, tokenizer: Tokenizer | None, owner: type) -> Any:
        """Returns the component, or None."""
        if tokenizer is None:
            return self
        parts, name = tokenizer._parts, self.name
        part = parts[name]
        if isinstance(part, dict):
            # Threads that make it at once get the same one; a part that is set meanwhile is in another dictionary.
            part = parts[name] = tokenizer._components.setdefault(name, self.base()._read(part))
        return part

    def __set__(self, tokenizer: Tokenizer, part: Part | None) -> None:
        """Replaces the component."""
        found = None if part is None else own(part, self.base())
        tokenizer._parts = tokenizer._parts | {self.name: found}
        tokenizer._changed = object()


class _Applied:
    """Holds a tokenizer of the core, with what it was made from; it is never changed, so calls need no lock."""

    __slots__ = ("added", "changed", "core", "model", "parts", "revision")

    def __init__(self, core: CoreTokenizer, model: CoreTokenizer, parts: str) -> None:
        self.core, self.model, self.parts = core, model, parts
        self.revision = revision()
        self.changed: object = None
        """The value of `Tokenizer._changed`; as `revision`, it was read before the parts."""
        self.added = 0
        """The number of tokens of `Tokenizer._new_tokens` that the core has."""


class _Call:
    """Holds the settings of a call."""

    __slots__ = ("core", "is_random", "options", "padding", "truncation")
    options: Options
    is_random: bool
    """Whether segmentations are drawn at random."""

    def __init__(
        self, core: CoreTokenizer, truncation: dict[str, Any] | None, padding: dict[str, Any] | None
    ) -> None:
        self.core, self.truncation, self.padding = core, truncation, padding

    def is_deferrable(self, rows: list[Any], is_pretokenized: bool) -> bool:
        """Returns whether the ids of rows are encoded alone, and other columns when they are read."""
        return (
            not is_pretokenized
            and set(map(type, rows)) == {str}
            and not (self.truncation and self.truncation["stride"])
            and not self.is_random
        )


class Tokenizer:
    """Encodes texts to tokens and decodes them, by a model and optional stages.

    Args:
        model: The model, one of :mod:`piecework.hf.models`.

    >>> from piecework.hf import Tokenizer, models, pre_tokenizers
    >>> tok = Tokenizer(models.WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}))
    >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> tok.encode("hugs hug").tokens
    ['hug', '##s', 'hug']
    """

    _parts: dict[str, Any]
    """The components of the stages: None, or the state of one that was not used yet."""

    def __init__(self, model: Model) -> None:
        """Creates a tokenizer with a model alone."""
        model = own(model, Model)
        self._begin(model, dict.fromkeys(_STAGES), model._core().model_alone())

    def _begin(self, model: Model, parts: dict[str, Any], core: CoreTokenizer) -> None:
        """Sets the attributes, with a tokenizer of the core that has the model and the parts."""
        self._applied = _Applied(core, model._core(), _parts_json(parts))
        self._model, self._parts = model, parts
        self._components: dict[str, Component] = {}
        """The components that were made of the states in `_parts`."""
        self._changed: object = None
        """Another value after each change of a part or the model."""
        self._truncation: dict[str, Any] | None = None
        self._padding: dict[str, Any] | None = None
        self._encode_special_tokens = False
        self._added: dict[str, Flags] | None = None
        """The added tokens by their texts; None until they are needed."""
        self._new_tokens: list[Flags] = []
        """All tokens that were added since the start; the core gets them on its next use."""
        self._unmarked: dict[str, Flags] = {}
        """The special tokens that were added again as plain ones, which stay special to the core.

        As in `tokenizers`, decoding skips them until they are read from a file, where they are plain.
        """
        self._calls: dict[bool, _Call] = {}
        """The settings of calls with and without special tokens; another dictionary after a change."""

    @classmethod
    def _of_json(cls, data: bytes, place: str = "", *, build_tables: bool = True) -> Tokenizer:
        """Returns the tokenizer of a tokenizer.json; `place` names the file in warnings."""
        check_file("json", data, place)
        core = _core.Tokenizer.from_json_as_tokenizers(data, place)
        check_sizes(core, place)
        if build_tables:
            core.build_tables()
        tokenizer = cls.__new__(cls)
        state = json.loads(core.parts())
        parts = {name: state[name] for name in _STAGES}
        tokenizer._begin(Model._of_core(core, data), parts, core)
        tokenizer._truncation = _calls.truncation_of(state["truncation"])
        tokenizer._padding = _calls.padding_of(state["padding"])
        return tokenizer

    def _to_piecework(self) -> OwnTokenizer:
        """Returns it as a tokenizer of piecework, for the functions that take one."""
        from piecework.tokenizer import Tokenizer as OwnTokenizer
        from piecework.tokenizer._loading import load_text

        return load_text(OwnTokenizer, self.to_str(), {})

    # --- loading and saving ---------------------------------------------------------------------

    @staticmethod
    def from_str(json: str) -> Tokenizer:
        """Returns the tokenizer of a tokenizer.json.

        Args:
            json: Its text.

        Raises:
            FormatError: The text is no valid tokenizer.json; the message contains the place.
            LimitError: It exceeds one of the limits of ``piecework.Limits()``; :class:`piecework.Tokenizer` takes others.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> Tokenizer.from_str(tok.to_str()).encode("hug").ids
        [0]
        """
        with limited():
            return Tokenizer._of_json(string(json).encode())

    @staticmethod
    def from_buffer(buffer: bytes) -> Tokenizer:
        """Returns the tokenizer of a tokenizer.json in bytes; see :meth:`from_str`.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> Tokenizer.from_buffer(tok.to_str().encode()).get_vocab_size()
        2
        """
        instance(buffer, bytes)
        with limited():
            return Tokenizer._of_json(buffer)

    @staticmethod
    def from_file(path: str) -> Tokenizer:
        """Returns the tokenizer of a file, a tokenizer.json.

        Args:
            path: The file.

        Raises:
            FileError: The file cannot be read.
            FormatError: The file is no valid tokenizer.json.
            LimitError: See :meth:`from_str`.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "tokenizer.json")
        >>> tok.save(str(path))
        >>> Tokenizer.from_file(str(path)).get_vocab_size()
        2
        """
        from piecework._io.files import read_bytes

        with limited():
            return Tokenizer._of_json(read_bytes(path), f"{path}: ")

    @staticmethod
    def from_pretrained(
        identifier: str, revision: str = "main", token: str | None = None
    ) -> Tokenizer:
        """Returns the tokenizer of a model on the Hugging Face Hub, which `huggingface_hub` downloads.

        Args:
            identifier: The name of the model.
            revision: The branch, tag or commit.
            token: The access token.

        Raises:
            ImportError: `huggingface_hub` is not installed.
        """
        from huggingface_hub import hf_hub_download

        path = hf_hub_download(identifier, "tokenizer.json", revision=revision, token=token)
        return Tokenizer.from_file(path)

    def to_str(self, pretty: bool = False) -> str:
        """Returns the tokenizer.json.

        Args:
            pretty: Whether it is indented, with a member on each line.

        Returns:
            The text; a training by piecework, and a decoder that only piecework has, are recorded in the member
            ``piecework`` of the model, which `tokenizers` ignores.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.to_str()[-77:]
        '"model":{"type":"WordLevel","vocab":{"hug":0,"[UNK]":1},"unk_token":"[UNK]"}}'
        """
        core = self._ready()
        state = self._head(core)
        is_own = any(own_types(state["decoder"]))
        if core.training() is None and not is_own:
            model = self._model._model_json()
        else:
            whole = json.loads(core.to_json())
            model = dumps(whole["model"] | dict.fromkeys(self._model._empty, ""))
            if is_own:
                # The model holds the decoder; the member `decoder` is one that `tokenizers` reads.
                state["decoder"] = whole["decoder"]
        text = f'{dumps(state)[:-1]},"model":{model}}}'
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2) if pretty else text

    def _head(self, core: CoreTokenizer) -> dict[str, Any]:
        """Returns all members of the tokenizer.json except the model."""
        added = self._added_tokens(core)
        return {
            "version": "1.0",
            "truncation": _calls.truncation_json(self._truncation),
            "padding": _calls.padding_json(self._padding),
            "added_tokens": [
                {"id": n} | AddedToken._of(flags).__getstate__() for n, flags in added
            ],
        } | {name: _calls.written(getattr(self, name)) for name in _STAGES}

    def save(self, path: str, pretty: bool = True) -> None:
        """Writes the tokenizer.json to a file.

        Args:
            path: The file.
            pretty: Whether it is indented.

        Raises:
            FileError: The file cannot be written.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> tok.save(f"{folder}/tokenizer.json")
        >>> Tokenizer.from_file(f"{folder}/tokenizer.json").get_vocab_size()
        2
        """
        from piecework._io.files import write_aside

        write_aside(path, self.to_str(pretty=flag(pretty)).encode())

    def save_folder(
        self,
        path: str,
        *,
        model_max_length: int | None = None,
        approximate: bool = False,
        **special_tokens: Unpack[SpecialRoles],
    ) -> None:
        """Writes a folder that ``transformers`` loads; see :meth:`piecework.Tokenizer.save_folder`.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> _ = tok.add_special_tokens(["[UNK]", "[PAD]"])
        >>> tok.save_folder(folder)
        >>> import os
        >>> sorted(os.listdir(folder))
        ['special_tokens_map.json', 'tokenizer.json', 'tokenizer_config.json']
        """
        self._to_piecework().save_folder(
            path, model_max_length=model_max_length, approximate=approximate, **special_tokens
        )

    def __getstate__(self) -> bytes:
        """Returns the tokenizer.json."""
        return self.to_str().encode()

    def __setstate__(self, state: bytes) -> None:
        """Takes a tokenizer.json."""
        self.__dict__ = Tokenizer.from_buffer(state).__dict__

    def __getnewargs__(self) -> tuple[Model]:
        """Returns the arguments with which `tokenizers` unpickles a tokenizer."""
        return (Model(),)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the tokenizer.json, and the objects that custom components call."""
        custom = {name: part for name, part in self._parts.items() if _calls.has_custom(part)}
        plain = self._copied(self._parts | dict.fromkeys(custom)) if custom else self
        return _restored, (type(self), plain.to_str(), custom)

    def __copy__(self) -> Tokenizer:
        """Returns a tokenizer that can be changed independently."""
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Tokenizer:
        """Returns a tokenizer that can be changed independently; the vocabulary is shared."""
        from copy import deepcopy

        return self._copied(deepcopy(self._parts))

    def _copied(self, parts: dict[str, Any]) -> Tokenizer:
        """Returns a tokenizer with the same model, settings and added tokens, and other parts."""
        core = self._ready()
        copied = type(self).__new__(type(self))
        copied._begin(self._model.__copy__(), self._parts, core)
        copied._parts, copied._changed = parts, object()
        copied._truncation, copied._padding = self._truncation, self._padding
        copied._encode_special_tokens = self._encode_special_tokens
        copied._new_tokens = list(self._unmarked.values())
        return copied

    def _added_tokens(self, core: CoreTokenizer) -> list[tuple[int, Flags]]:
        """Returns the added tokens with their ids, as they were added last."""
        unmarked = self._unmarked
        return [(number, unmarked.get(flags[0], flags)) for number, flags in core.added_tokens()]

    def __repr__(self) -> str:
        """Returns all parts, with at most 100 elements of a list."""
        from piecework.hf._repr import MANY

        return self._described(MANY)

    def __str__(self) -> str:
        """Returns all parts, with at most five elements of a list."""
        from piecework.hf._repr import SEVERAL

        return self._described(SEVERAL)

    def _described(self, limit: int) -> str:
        from piecework.hf._repr import describe

        state = self._head(self._ready()) | {"model": self._model._described()}
        return describe({"type": "Tokenizer"} | state, limit)

    # --- the tokenizer of the core --------------------------------------------------------------

    def _ready(self) -> CoreTokenizer:
        """Returns the tokenizer of the core of the current parts."""
        applied = self._applied
        if (
            applied.revision != revision()
            or applied.changed is not self._changed
            or applied.added != len(self._new_tokens)
        ):
            applied = self._applied = self._refreshed(applied)
        return applied.core

    def _refreshed(self, applied: _Applied) -> _Applied:
        """Returns the tokenizer of the core after changes of parts, of the model and of added tokens.

        Threads may do so at once, since it changes nothing: the result of each is right for what it has read, and a later
        change is seen by the next call. A fork finds no lock held.
        """
        number, changed, count = revision(), self._changed, len(self._new_tokens)
        core, model, parts = applied.core, self._model._core(), _parts_json(self._parts)
        if model is not applied.model:
            core = _with_model(core, model.model_alone())
        if model is not applied.model or parts != applied.parts:
            core = core.with_parts(parts, [])
        if count > applied.added:
            core = core.with_added_tokens(runs_of(self._new_tokens[applied.added : count]))
        refreshed = _Applied(core, model, parts)
        refreshed.revision, refreshed.changed, refreshed.added = number, changed, count
        return refreshed

    def _call(self, core: CoreTokenizer, add_special_tokens: bool) -> _Call:
        """Returns the settings of a call, as they are at its start."""
        calls = self._calls
        call = calls.get(add_special_tokens)
        if call is None or call.core is not core:
            way = _way(core, self._model)
            call = _Call(core, self._truncation, self._padding)
            call.is_random = way.seed != 0 or way.alpha is not None or core.has_dropout()
            call.options = core.options(
                flag(add_special_tokens),
                "unmatched" if self._encode_special_tokens else "match",
                _calls.json_or_none(_calls.truncation_json(call.truncation)),
                _calls.json_or_none(_calls.padding_json(call.padding)),
                way,
            )
            if not call.is_random:
                calls[add_special_tokens] = call
        return call

    # --- parts ---------------------------------------------------------------------------------

    @property
    def model(self) -> Any:
        """Returns the model, whose changes take effect in this tokenizer."""
        return self._model

    @model.setter
    def model(self, model: Model) -> None:
        self._model = own(model, Model)
        self._added = None
        self._changed = object()

    normalizer: _Stage[Normalizer] = _Stage("normalizers", "Normalizer")
    pre_tokenizer: _Stage[PreTokenizer] = _Stage("pre_tokenizers", "PreTokenizer")
    post_processor: _Stage[PostProcessor] = _Stage("processors", "PostProcessor")
    decoder: _Stage[Decoder] = _Stage("decoders", "Decoder")

    # --- truncation and padding -----------------------------------------------------------------

    @property
    def truncation(self) -> dict[str, Any] | None:
        """Returns the settings of :meth:`enable_truncation`, or None."""
        return self._truncation and dict(self._truncation)

    def enable_truncation(
        self,
        max_length: int,
        *,
        stride: int = 0,
        strategy: str = "longest_first",
        direction: str = "right",
        **kwargs: Any,
    ) -> None:
        """Truncates the encodings of later calls.

        Args:
            max_length: The largest number of tokens, special tokens included.
            stride: The number of tokens that an overflowing encoding shares with the previous one.
            strategy: The text of a pair that is cut, ``"longest_first"``, ``"only_first"`` or ``"only_second"``.
            direction: The side that is cut off, ``"right"`` or ``"left"``.
            **kwargs: Ignored, with a warning.

        Raises:
            ValueError: A name is unknown, or `stride` is greater than the number of tokens without special tokens.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.enable_truncation(4)
        >>> tok.truncation
        {'max_length': 4, 'stride': 0, 'strategy': 'longest_first', 'direction': 'right'}
        """
        ignored(kwargs, "enable_truncation")
        settings = _calls.checked_truncation(max_length, stride, strategy, direction)
        _calls.check_stride(settings, self.num_special_tokens_to_add(is_pair=False))
        self._truncation = settings
        self._calls = {}

    def no_truncation(self) -> None:
        """Ends truncation.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.enable_truncation(4)
        >>> tok.no_truncation()
        >>> tok.truncation is None
        True
        """
        self._truncation = None
        self._calls = {}

    @property
    def padding(self) -> dict[str, Any] | None:
        """Returns the settings of :meth:`enable_padding`, or None."""
        return self._padding and dict(self._padding)

    def enable_padding(
        self,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Pads the encodings of later calls.

        Args:
            direction: The side that is padded, ``"right"`` or ``"left"``.
            pad_id: The id of the padding.
            pad_type_id: Its type id.
            pad_token: Its token.
            length: The number of tokens; None for the longest text of a batch.
            pad_to_multiple_of: The number whose multiple the length is.
            **kwargs: ``max_length``, the deprecated name of `length`; others are ignored, with a warning.

        Raises:
            ValueError: `direction` is unknown.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.enable_padding(length=3, pad_id=1, pad_token="[UNK]")
        >>> tok.encode("hug").tokens
        ['hug', '[UNK]', '[UNK]']
        """
        if "max_length" in kwargs:
            from piecework._exceptions import warn

            warn("max_length is deprecated", setting="max_length", hint="pass length")
            unused = kwargs.pop("max_length")
            length = unused if length is None else length
        ignored(kwargs, "enable_padding")
        self._padding = {
            "length": maybe(unsigned)(length),
            "pad_to_multiple_of": maybe(unsigned)(pad_to_multiple_of),
            "pad_id": number32(pad_id),
            "pad_token": string(pad_token),
            "pad_type_id": number32(pad_type_id),
            "direction": _calls.checked_direction(direction),
        }
        self._calls = {}

    def no_padding(self) -> None:
        """Ends padding.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.enable_padding(length=4)
        >>> tok.no_padding()
        >>> len(tok.encode("hug"))
        1
        """
        self._padding = None
        self._calls = {}

    @property
    def encode_special_tokens(self) -> bool:
        """Returns whether special tokens in a text are encoded as ordinary text."""
        return self._encode_special_tokens

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._encode_special_tokens = flag(value)
        self._calls = {}

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Returns the number of special tokens that the post-processor adds to a text, or to a pair.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.num_special_tokens_to_add(is_pair=True)
        0
        """
        processor = self.post_processor
        return processor.num_special_tokens_to_add(flag(is_pair)) if processor else 0

    # --- encoding ------------------------------------------------------------------------------

    def encode(
        self,
        sequence: Any,
        pair: Any | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Encoding:
        """Encodes a text or a pair of texts.

        Args:
            sequence: The text, a ``str``; with `is_pretokenized` a list of words.
            pair: A second text.
            is_pretokenized: Whether texts are lists of words.
            add_special_tokens: Whether the post-processor adds special tokens.

        Returns:
            The encoding.

        Raises:
            TypeError: A text has a wrong type.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.encode("hug", "pug").ids
        [0, 1]
        >>> tok.encode(["hug", "pug"], is_pretokenized=True).word_ids
        [0, 1]
        """
        if is_pretokenized or type(sequence) is not str:
            sequence = _calls.checked_text(sequence, is_pretokenized)
        if pair is not None:
            pair = _calls.checked_text(pair, is_pretokenized)
        core = self._ready()
        if self._is_custom():
            rows = [(sequence, pair)]
            return self._custom_encodings(rows, is_pretokenized, add_special_tokens)[0]
        options = self._call(core, add_special_tokens).options
        return Encoding._of(core.encode(sequence, pair, is_pretokenized, options))

    def encode_batch(
        self,
        input: Sequence[Any],  # noqa: A002  # as tokenizers
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> list[Encoding]:
        """Encodes many texts or pairs, on all cores.

        Args:
            input: The texts, or pairs as tuples or lists of two texts.
            is_pretokenized: Whether texts are lists of words.
            add_special_tokens: Whether the post-processor adds special tokens.

        Returns:
            The encodings, padded to one length if padding is enabled.

        Raises:
            TypeError: A text has a wrong type.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> [encoding.ids for encoding in tok.encode_batch(["hug", ("hug", "pug")])]
        [[0], [0, 1]]
        """
        return self._encode_list(input, is_pretokenized, add_special_tokens, offsets=True)

    def encode_batch_fast(
        self,
        input: Sequence[Any],  # noqa: A002  # as tokenizers
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> list[Encoding]:
        """Encodes many texts or pairs to encodings without tokens, words and offsets; see :meth:`encode_batch`.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> [encoding.offsets for encoding in tok.encode_batch_fast(["hug"])]
        [[(0, 0)]]
        """
        return self._encode_list(input, is_pretokenized, add_special_tokens, offsets=False)

    def _encode_list(
        self, texts: Any, is_pretokenized: bool, special: bool, *, offsets: bool
    ) -> list[Encoding]:
        rows = _calls.checked_rows(texts, is_pretokenized)
        core = self._ready()
        if self._is_custom():
            pairs = [row if isinstance(row, tuple) else (row, None) for row in rows]
            return self._custom_encodings(pairs, is_pretokenized, special)
        call = self._call(core, special)
        encode = partial(core.encode_list, rows, is_pretokenized, call.options, offsets, None)
        if call.is_deferrable(rows, is_pretokenized):
            batch = core.encode_batch(rows, is_pretokenized, call.options, False, None)
            return DeferredColumns(batch, encode, core.single_type_id(), call.padding).encodings()
        return list(map(_of, encode()))

    def _is_custom(self) -> bool:
        """Returns whether the normalizer or the pre-tokenizer calls a Python object."""
        return _calls.has_custom(self._parts["normalizer"]) or _calls.has_custom(
            self._parts["pre_tokenizer"]
        )

    def _custom_encodings(self, rows: list[Any], words: bool, special: bool) -> list[Encoding]:
        """Returns encodings by components that call Python objects."""
        from piecework.hf._custom import encode_rows

        return encode_rows(self, rows, words, special)

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Truncates, post-processes and pads the encodings of a text or pair.

        Args:
            encoding: The encoding of the text, without special tokens.
            pair: The encoding of a second text.
            add_special_tokens: Whether the post-processor adds special tokens.

        Returns:
            A new encoding.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.post_process(tok.encode("hug"), tok.encode("pug")).sequence_ids
        [0, 1]
        """
        instance(encoding, Encoding)
        core = self._ready()
        return encoding._processed(core, pair, self._call(core, add_special_tokens).options)

    # --- decoding ------------------------------------------------------------------------------

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """Decodes token ids to text.

        Args:
            ids: Token ids; those that are not in the vocabulary are omitted.
            skip_special_tokens: Whether special tokens are omitted.

        Returns:
            The text.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.decode([0, 0, 99])
        'hug hug'
        """
        numbers = _calls.checked_ids(ids)
        core = self._ready()
        if _calls.has_custom(self._parts["decoder"]):
            return self._custom_text(core, numbers, flag(skip_special_tokens))
        try:
            return core.decode(numbers, skip_special_tokens, added_as_entries=True)
        except ValueError as error:
            if type(error).__name__ != "TokenIdError":
                raise
            known = [number for number in numbers if core.id_to_token(number) is not None]
            return core.decode(known, skip_special_tokens, added_as_entries=True)

    def _custom_text(self, core: CoreTokenizer, ids: list[int], skip: bool) -> str:
        """Returns the text of ids by a decoder that calls a Python object."""
        special = {number for _, number in core.special_tokens()} if skip else set()
        names = [core.id_to_token(number) for number in ids if number not in special]
        text: str = self.decoder.decode([name for name in names if name is not None])
        return text

    def decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        """Decodes many lists of token ids; see :meth:`decode`.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.decode_batch([[0], [0, 1]])
        ['hug', 'hug [UNK]']
        """
        return [self.decode(ids, skip_special_tokens) for ids in sequences]

    # --- calls that can be awaited ----------------------------------------------------------------

    def async_encode(
        self,
        sequence: Any,
        pair: Any | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Awaitable[Encoding]:
        """Returns :meth:`encode` as an awaitable, which runs in another thread.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> import asyncio
        >>> async def main():
        ...     return await tok.async_encode("hug")
        >>> asyncio.run(main()).ids
        [0]
        """
        return _calls.in_thread(self.encode, sequence, pair, is_pretokenized, add_special_tokens)

    def async_encode_batch(
        self,
        input: Sequence[Any],  # noqa: A002  # as tokenizers
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Awaitable[list[Encoding]]:
        """Returns :meth:`encode_batch` as an awaitable, which runs in another thread.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> import asyncio
        >>> async def main():
        ...     return await tok.async_encode_batch(["hug", "pug"])
        >>> [encoding.ids for encoding in asyncio.run(main())]
        [[0], [1]]
        """
        return _calls.in_thread(self.encode_batch, input, is_pretokenized, add_special_tokens)

    def async_encode_batch_fast(
        self,
        input: Sequence[Any],  # noqa: A002  # as tokenizers
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Awaitable[list[Encoding]]:
        """Returns :meth:`encode_batch_fast` as an awaitable, which runs in another thread.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> import asyncio
        >>> async def main():
        ...     return await tok.async_encode_batch_fast(["hug", "pug"])
        >>> [encoding.ids for encoding in asyncio.run(main())]
        [[0], [1]]
        """
        return _calls.in_thread(self.encode_batch_fast, input, is_pretokenized, add_special_tokens)

    def async_decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> Awaitable[list[str]]:
        """Returns :meth:`decode_batch` as an awaitable, which runs in another thread.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> import asyncio
        >>> async def main():
        ...     return await tok.async_decode_batch([[0], [0, 0]])
        >>> asyncio.run(main())
        ['hug', 'hug hug']
        """
        return _calls.in_thread(self.decode_batch, sequences, skip_special_tokens)

    # --- vocabulary ----------------------------------------------------------------------------

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Returns the tokens and their ids.

        Args:
            with_added_tokens: Whether added tokens are included.

        Returns:
            A new dictionary.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.get_vocab()
        {'hug': 0, '[UNK]': 1}
        """
        core = self._ready()
        return core.vocab() if flag(with_added_tokens) else core.model_vocab()

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Returns the number of tokens; for the argument see :meth:`get_vocab`.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.add_tokens(["pug"])
        1
        >>> tok.get_vocab_size(), tok.get_vocab_size(with_added_tokens=False)
        (3, 2)
        """
        if flag(with_added_tokens):
            return len(self._ready())
        return len(self._model._alone())

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """Returns the added tokens by their ids.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.add_special_tokens(["[UNK]"])
        1
        >>> tok.get_added_tokens_decoder()[1].special
        True
        """
        added = sorted(self._added_tokens(self._ready()))
        return {number: AddedToken._of(flags) for number, flags in added}

    def token_to_id(self, token: str) -> int | None:
        """Returns the id of a token, or None if it is not in the vocabulary.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.token_to_id("hug"), tok.token_to_id("pug")
        (0, None)
        """
        return self._ready().token_to_id(string(token))

    def id_to_token(self, id: int) -> str | None:  # noqa: A002  # as tokenizers
        """Returns the token of an id, or None if it is not in the vocabulary.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.id_to_token(0), tok.id_to_token(9)
        ('hug', None)
        """
        return self._ready().id_to_token(number32(id))

    def add_tokens(self, tokens: list[str | AddedToken]) -> int:
        """Adds tokens, which are matched in the text before the model runs.

        Args:
            tokens: Their texts, or :class:`AddedToken` with flags. A token of the vocabulary keeps its id; others get the
                next ids.

        Returns:
            The number of tokens that were not added before with the same flags.

        Raises:
            TypeError: One of them is neither.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.add_tokens(["pug", "pug", "hug"]), tok.encode("pughug").tokens
        (2, ['pug', 'hug'])
        """
        return self._add(checked_flags(tokens, special=False))

    def add_special_tokens(self, tokens: list[str | AddedToken]) -> int:
        """Adds special tokens, which decoding can omit; see :meth:`add_tokens`.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> tok.add_special_tokens(["<s>"])
        1
        >>> tok.decode(tok.encode("<s>hug").ids)
        'hug'
        """
        return self._add(checked_flags(tokens, special=True))

    def _add(self, tokens: list[Flags]) -> int:
        """Adds tokens; the core gets them on its next use."""
        if self._added is None:
            self._added = {flags[0]: flags for _, flags in self._added_tokens(self._ready())}
        count = 0
        for flags in tokens:
            before = self._added.get(flags[0])
            if flags[0] and before != flags:
                self._added[flags[0]] = flags
                self._new_tokens.append(self._marked(flags, before))
                count += 1
        return count

    def _marked(self, flags: Flags, before: Flags | None) -> Flags:
        """Returns the flags of a new token for the core: a token that is special already stays so."""
        content, *others, special = flags
        was_special = content in self._unmarked or (before is not None and before[-1])
        if special or not was_special:
            self._unmarked.pop(content, None)
            return flags
        self._unmarked[content] = flags
        single_word, lstrip, rstrip, normalized = others
        return content, single_word, lstrip, rstrip, normalized, True

    # --- training ------------------------------------------------------------------------------

    def train(self, files: Sequence[str], trainer: Trainer | None = None) -> None:
        """Trains the model on text files.

        Args:
            files: Their names.
            trainer: The settings; by default those of :meth:`Model.get_trainer`.

        Raises:
            FileError: A file cannot be read.
            ConfigError: The settings do not fit the data.

        >>> from piecework.hf import Tokenizer, models, trainers
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with open(f"{folder}/text.txt", "w") as file:
        ...     file.write("pug")
        3
        >>> tok = Tokenizer(models.WordLevel())
        >>> tok.train([f"{folder}/text.txt"], trainers.WordLevelTrainer(show_progress=False))
        >>> tok.get_vocab()
        {'pug': 0}
        """
        from piecework.hf._training import train_files

        train_files(self, files, trainer)

    def train_from_iterator(
        self,
        iterator: Iterable[str] | Iterable[Iterable[str]],
        trainer: Trainer | None = None,
        length: int | None = None,
    ) -> None:
        """Trains the model on texts.

        Args:
            iterator: An iterable of texts, or of lists of texts.
            trainer: The settings; by default those of :meth:`Model.get_trainer`.
            length: The number of texts, for a progress bar.

        Raises:
            ConfigError: The settings do not fit the data.

        >>> from piecework.hf import Tokenizer, models
        >>> tok = Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, "[UNK]"))
        >>> from piecework.hf import trainers
        >>> tok.train_from_iterator(["pug"], trainers.WordLevelTrainer(show_progress=False))
        >>> tok.get_vocab()
        {'pug': 0}
        """
        from piecework.hf._training import train_texts

        maybe(unsigned)(length)
        train_texts(self, iterator, trainer)


_of: Callable[[_core.Encoding], Encoding] = Encoding._of


def _restored(kind: type[Tokenizer], text: str, custom: dict[str, Any]) -> Tokenizer:
    """Returns a pickled tokenizer."""
    tokenizer = kind._of_json(text.encode(), build_tables=False)
    tokenizer._parts |= custom
    return tokenizer


def _parts_json(parts: dict[str, Any]) -> str:
    """Returns the stages as JSON for the core, without those that call Python objects."""
    states = {
        name: _calls.written(part) for name, part in parts.items() if not _calls.has_custom(part)
    }
    return dumps(dict.fromkeys(parts) | states)


def _with_model(core: CoreTokenizer, model: CoreTokenizer) -> CoreTokenizer:
    """Returns a model with the added tokens of a tokenizer, which keep their ids if those are free."""
    added = sorted(core.added_tokens())
    if not added:
        return model
    numbered = model.with_added_tokens(runs_of(flags for _, flags in added))
    wanted = {
        flags[0]: number if (own := model.token_to_id(flags[0])) is None else own
        for number, flags in added
    }
    if all(numbered.token_to_id(token) == number for token, number in wanted.items()):
        return numbered
    if set(wanted.values()) != {numbered.token_to_id(token) for token in wanted}:
        return numbered
    tokens = [{"id": wanted[flags[0]]} | AddedToken._of(flags).__getstate__() for _, flags in added]
    return _read_core(f'{{"added_tokens":{dumps(tokens)},"model":{model.model_json()}}}')
