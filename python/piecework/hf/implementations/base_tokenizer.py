"""Defines the base of ready-made tokenizers, which passes calls on to a tokenizer."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from piecework import hf as _hf
from piecework._messages import shown as _shown
from piecework.hf import models as _models
from piecework.hf._arguments import string as _string
from piecework.hf._tokenizer import Tokenizer as _Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from piecework.hf._added_tokens import AddedToken
    from piecework.hf._encoding import Encoding
    from piecework.hf.trainers import Trainer

__all__ = ["BaseTokenizer"]


_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def _given(value: Any, call: str, name: str) -> Any:
    """Returns an argument, or raises ValueError for None."""
    if value is None:
        raise ValueError(f"{call}: {name} must not be None")
    return value


def _passed(
    method: Callable[Concatenate[_Tokenizer, _Arguments], _Result], required: str = ""
) -> Callable[Concatenate[BaseTokenizer, _Arguments], _Result]:
    """Returns a method that passes a call on to the same method of the tokenizer, if its first argument is not None."""

    @wraps(method)
    def call(
        self: BaseTokenizer, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> _Result:
        if required:
            _given(args[0] if args else kwargs.get(required, ""), method.__name__, required)
        result: _Result = getattr(self._tokenizer, method.__name__)(*args, **kwargs)
        return result

    return call


class _Part:
    """Passes an attribute on to the same attribute of the tokenizer."""

    def __set_name__(self, owner: type, name: str) -> None:
        """Takes the name of the attribute."""
        self.name = name
        self.__doc__ = getattr(_Tokenizer, name).__doc__

    def __get__(self, wrapper: BaseTokenizer | None, owner: type) -> Any:
        """Returns the value."""
        return self if wrapper is None else getattr(wrapper._tokenizer, self.name)

    def __set__(self, wrapper: BaseTokenizer, value: Any) -> None:
        """Sets the value."""
        setattr(wrapper._tokenizer, self.name, value)


class BaseTokenizer:
    """Passes calls on to a :class:`piecework.hf.Tokenizer`.

    Args:
        tokenizer: The tokenizer.
        parameters: The settings that `repr` shows.
    """

    def __init__(self, tokenizer: _Tokenizer, parameters: dict[str, Any] | None = None) -> None:
        """Takes the tokenizer."""
        self._tokenizer = tokenizer
        self._parameters = {} if parameters is None else parameters

    def __repr__(self) -> str:
        """Returns the number of tokens and the settings."""
        settings = ", ".join(f"{name}={value}" for name, value in self._parameters.items())
        return f"Tokenizer(vocabulary_size={self._tokenizer.get_vocab_size()}, {settings})"

    # --- vocabulary ----------------------------------------------------------------------------

    get_vocab = _passed(_Tokenizer.get_vocab)
    get_vocab_size = _passed(_Tokenizer.get_vocab_size)
    get_added_tokens_decoder = _passed(_Tokenizer.get_added_tokens_decoder)
    token_to_id = _passed(_Tokenizer.token_to_id)
    id_to_token = _passed(_Tokenizer.id_to_token)
    add_tokens = _passed(_Tokenizer.add_tokens)
    num_special_tokens_to_add = _passed(_Tokenizer.num_special_tokens_to_add)

    def add_special_tokens(self, special_tokens: list[str | AddedToken]) -> int:
        """Adds special tokens; see :meth:`piecework.hf.Tokenizer.add_tokens`."""
        return self._tokenizer.add_special_tokens(special_tokens)

    # --- truncation and padding -----------------------------------------------------------------

    def enable_padding(
        self,
        direction: str = "right",
        pad_to_multiple_of: int | None = None,
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
    ) -> None:
        """Pads the encodings of later calls; see :meth:`piecework.hf.Tokenizer.enable_padding`."""
        given = dict(locals())
        del given["self"]
        self._tokenizer.enable_padding(**given)

    no_padding = _passed(_Tokenizer.no_padding)

    @property
    def padding(self) -> dict[str, Any] | None:
        """Returns the settings of padding, or None."""
        return self._tokenizer.padding

    def enable_truncation(
        self, max_length: int, stride: int = 0, strategy: str = "longest_first"
    ) -> None:
        """Truncates the encodings of later calls; see :meth:`piecework.hf.Tokenizer.enable_truncation`."""
        self._tokenizer.enable_truncation(max_length, stride=stride, strategy=strategy)

    no_truncation = _passed(_Tokenizer.no_truncation)

    @property
    def truncation(self) -> dict[str, Any] | None:
        """Returns the settings of truncation, or None."""
        return self._tokenizer.truncation

    # --- encoding and decoding ------------------------------------------------------------------

    def normalize(self, sequence: str) -> str:
        """Returns the normalized text; without a normalizer the text itself."""
        normalizer = self._tokenizer.normalizer
        text: str = _string(sequence) if normalizer is None else normalizer.normalize_str(sequence)
        return text

    encode = _passed(_Tokenizer.encode, "sequence")

    def encode_batch(
        self, inputs: list[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encodes many texts or pairs; see :meth:`piecework.hf.Tokenizer.encode_batch`."""
        texts = _given(inputs, "encode_batch", "inputs")
        return self._tokenizer.encode_batch(texts, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, inputs: list[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encodes many texts or pairs in another thread."""
        texts = _given(inputs, "async_encode_batch", "inputs")
        return await self._tokenizer.async_encode_batch(texts, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, inputs: list[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encodes many texts or pairs, without offsets, in another thread."""
        texts = _given(inputs, "async_encode_batch_fast", "inputs")
        tokenizer = self._tokenizer
        return await tokenizer.async_encode_batch_fast(texts, is_pretokenized, add_special_tokens)

    decode = _passed(_Tokenizer.decode, "ids")
    decode_batch = _passed(_Tokenizer.decode_batch, "sequences")

    async def async_decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        """Decodes many lists of token ids in another thread."""
        rows = _given(sequences, "async_decode_batch", "sequences")
        return await self._tokenizer.async_decode_batch(rows, skip_special_tokens)

    post_process = _passed(_Tokenizer.post_process)

    # --- files -----------------------------------------------------------------------------------

    def save_model(self, directory: str, prefix: str | None = None) -> list[str]:
        """Writes the files of the model; see :meth:`piecework.hf.models.Model.save`."""
        names: list[str] = self._tokenizer.model.save(directory, prefix=prefix)
        return names

    save = _passed(_Tokenizer.save)
    to_str = _passed(_Tokenizer.to_str)

    # --- training ----------------------------------------------------------------------------------

    def _train(self, files: str | list[str], trainer: Trainer) -> None:
        """Trains on one file or several."""
        self._tokenizer.train([files] if isinstance(files, str) else files, trainer=trainer)

    def _train_texts(self, texts: Iterable[Any], trainer: Trainer, length: int | None) -> None:
        """Trains on texts."""
        self._tokenizer.train_from_iterator(texts, trainer=trainer, length=length)

    # --- parts -----------------------------------------------------------------------------------

    model: Any = _Part()
    normalizer: Any = _Part()
    pre_tokenizer: Any = _Part()
    post_processor: Any = _Part()
    decoder: Any = _Part()


class _MergesTokenizer(BaseTokenizer):
    """Serves as the base of tokenizers with a BPE model."""

    @classmethod
    def from_file(cls, vocab_filename: str, merges_filename: str, **kwargs: Any) -> Self:
        """Returns the tokenizer of two files; for the other arguments see the class."""
        kind: Any = cls  # each subclass takes a vocabulary and merges
        made: Self = kind(*_models.BPE.read_file(vocab_filename, merges_filename), **kwargs)
        return made


def _bpe(vocab: Any, merges: Any, unk_token: str | AddedToken, **settings: Any) -> _Tokenizer:
    """Returns a tokenizer with a BPE model, which is empty unless both vocabulary and merges are given."""
    if vocab is None or merges is None:
        vocab = merges = None
    tokenizer = _Tokenizer(_models.BPE(vocab, merges, unk_token=_token_text(unk_token), **settings))
    _add_known(tokenizer, [unk_token])
    return tokenizer


def _parameters(model: str, given: dict[str, Any], hidden: str = "") -> dict[str, Any]:
    """Returns the arguments of a class that `repr` shows."""
    names = given.keys() - {"self", "vocab", "merges", hidden}
    shown = {n: value for n, value in given.items() if n in names and not n.startswith("__")}
    return {"model": model} | shown


def _set_spaces(tokenizer: _Tokenizer, replacement: str, add_prefix_space: bool) -> None:
    """Sets the pre-tokenizer and the decoder that represent a space by a visible character."""
    scheme = "always" if add_prefix_space else "never"
    tokenizer.pre_tokenizer = _hf.pre_tokenizers.Metaspace(replacement, scheme)
    tokenizer.decoder = _hf.decoders.Metaspace(replacement, scheme)


def _token_text(token: object) -> str:
    """Returns the content of a special token, given as a `str` or as an `AddedToken`."""
    if not isinstance(token, str | _hf.AddedToken | type(None)):
        raise TypeError(f"expected a str or an AddedToken, found {_shown(token)}")
    return str(token)


def _add_known(tokenizer: _Tokenizer, tokens: Iterable[Any]) -> None:
    """Adds the special tokens that are in the vocabulary."""
    for name in map(_token_text, tokens):
        if tokenizer.token_to_id(name) is not None:
            tokenizer.add_special_tokens([name])


def _in_order(normalizers: list[Any]) -> Any:
    """Returns normalizers as one; None for none."""
    from piecework.hf.normalizers import Sequence

    if len(normalizers) > 1:
        return Sequence(normalizers)
    return normalizers[0] if normalizers else None


def _merge_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Returns those arguments of a training that trainers which merge pairs share."""
    names = ("vocab_size", "min_frequency", "limit_alphabet", "initial_alphabet", "show_progress")
    shared = {name: given[name] for name in names if name in given}
    return shared | {"special_tokens": list(given["special_tokens"])}
