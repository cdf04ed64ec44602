"""Defines the base of ready-made tokenizers, which passes calls on to a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework.hf._added_tokens import AddedToken
    from piecework.hf._encoding import Encoding
    from piecework.hf._tokenizer import Tokenizer
    from piecework.hf.trainers import Trainer

__all__ = ["BaseTokenizer"]


def _given(value: Any, call: str, name: str) -> Any:
    """Returns an argument, or raises ValueError for None."""
    if value is None:
        raise ValueError(f"{call}: {name} must not be None")
    return value


class BaseTokenizer:
    """Passes calls on to a :class:`piecework.hf.Tokenizer`.

    Args:
        tokenizer: The tokenizer.
        parameters: The settings that `repr` shows.
    """

    def __init__(self, tokenizer: Tokenizer, parameters: dict[str, Any] | None = None) -> None:
        """Takes the tokenizer."""
        self._tokenizer = tokenizer
        self._parameters = {} if parameters is None else parameters

    def __repr__(self) -> str:
        """Returns the number of tokens and the settings."""
        settings = ", ".join(f"{name}={value}" for name, value in self._parameters.items())
        return f"Tokenizer(vocabulary_size={self._tokenizer.get_vocab_size()}, {settings})"

    # --- vocabulary ----------------------------------------------------------------------------

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Returns the tokens and their ids; see :meth:`piecework.hf.Tokenizer.get_vocab`."""
        return self._tokenizer.get_vocab(with_added_tokens)

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Returns the number of tokens."""
        return self._tokenizer.get_vocab_size(with_added_tokens)

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """Returns the added tokens by their ids."""
        return self._tokenizer.get_added_tokens_decoder()

    def token_to_id(self, token: str) -> int | None:
        """Returns the id of a token, or None if it is not in the vocabulary."""
        return self._tokenizer.token_to_id(token)

    def id_to_token(self, id: int) -> str | None:  # noqa: A002  # as tokenizers
        """Returns the token of an id, or None if it is not in the vocabulary."""
        return self._tokenizer.id_to_token(id)

    def add_tokens(self, tokens: list[str | AddedToken]) -> int:
        """Adds tokens; see :meth:`piecework.hf.Tokenizer.add_tokens`."""
        return self._tokenizer.add_tokens(tokens)

    def add_special_tokens(self, special_tokens: list[str | AddedToken]) -> int:
        """Adds special tokens; see :meth:`piecework.hf.Tokenizer.add_tokens`."""
        return self._tokenizer.add_special_tokens(special_tokens)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Returns the number of special tokens that the post-processor adds to a text, or to a pair."""
        return self._tokenizer.num_special_tokens_to_add(is_pair)

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
        self._tokenizer.enable_padding(
            direction=direction,
            pad_to_multiple_of=pad_to_multiple_of,
            pad_id=pad_id,
            pad_type_id=pad_type_id,
            pad_token=pad_token,
            length=length,
        )

    def no_padding(self) -> None:
        """Ends padding."""
        self._tokenizer.no_padding()

    @property
    def padding(self) -> dict[str, Any] | None:
        """Returns the settings of padding, or None."""
        return self._tokenizer.padding

    def enable_truncation(
        self, max_length: int, stride: int = 0, strategy: str = "longest_first"
    ) -> None:
        """Truncates the encodings of later calls; see :meth:`piecework.hf.Tokenizer.enable_truncation`."""
        self._tokenizer.enable_truncation(max_length, stride=stride, strategy=strategy)

    def no_truncation(self) -> None:
        """Ends truncation."""
        self._tokenizer.no_truncation()

    @property
    def truncation(self) -> dict[str, Any] | None:
        """Returns the settings of truncation, or None."""
        return self._tokenizer.truncation

    # --- encoding and decoding ------------------------------------------------------------------

    def normalize(self, sequence: str) -> str:
        """Returns the normalized text."""
        text: str = self._tokenizer.normalizer.normalize_str(sequence)
        return text

    def encode(
        self,
        sequence: Any,
        pair: Any | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Encoding:
        """Encodes a text or a pair; see :meth:`piecework.hf.Tokenizer.encode`."""
        text = _given(sequence, "encode", "sequence")
        return self._tokenizer.encode(text, pair, is_pretokenized, add_special_tokens)

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

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """Decodes token ids; see :meth:`piecework.hf.Tokenizer.decode`."""
        return self._tokenizer.decode(_given(ids, "decode", "ids"), skip_special_tokens)

    def decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        """Decodes many lists of token ids."""
        rows = _given(sequences, "decode_batch", "sequences")
        return self._tokenizer.decode_batch(rows, skip_special_tokens)

    async def async_decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        """Decodes many lists of token ids in another thread."""
        rows = _given(sequences, "async_decode_batch", "sequences")
        return await self._tokenizer.async_decode_batch(rows, skip_special_tokens)

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Post-processes encodings; see :meth:`piecework.hf.Tokenizer.post_process`."""
        return self._tokenizer.post_process(encoding, pair, add_special_tokens)

    # --- files -----------------------------------------------------------------------------------

    def save_model(self, directory: str, prefix: str | None = None) -> list[str]:
        """Writes the files of the model; see :meth:`piecework.hf.models.Model.save`."""
        names: list[str] = self._tokenizer.model.save(directory, prefix=prefix)
        return names

    def save(self, path: str, pretty: bool = True) -> None:
        """Writes the tokenizer.json to a file."""
        self._tokenizer.save(path, pretty)

    def to_str(self, pretty: bool = False) -> str:
        """Returns the tokenizer.json."""
        return self._tokenizer.to_str(pretty)

    # --- training ----------------------------------------------------------------------------------

    def _train(self, files: str | list[str], trainer: Trainer) -> None:
        """Trains on one file or several."""
        self._tokenizer.train([files] if isinstance(files, str) else files, trainer=trainer)

    def _train_texts(self, texts: Iterable[Any], trainer: Trainer, length: int | None) -> None:
        """Trains on texts."""
        self._tokenizer.train_from_iterator(texts, trainer=trainer, length=length)

    # --- parts -----------------------------------------------------------------------------------

    @property
    def model(self) -> Any:
        """Returns the model."""
        return self._tokenizer.model

    @model.setter
    def model(self, model: Any) -> None:
        self._tokenizer.model = model

    @property
    def normalizer(self) -> Any:
        """Returns the normalizer, or None."""
        return self._tokenizer.normalizer

    @normalizer.setter
    def normalizer(self, normalizer: Any) -> None:
        self._tokenizer.normalizer = normalizer

    @property
    def pre_tokenizer(self) -> Any:
        """Returns the pre-tokenizer, or None."""
        return self._tokenizer.pre_tokenizer

    @pre_tokenizer.setter
    def pre_tokenizer(self, pre_tokenizer: Any) -> None:
        self._tokenizer.pre_tokenizer = pre_tokenizer

    @property
    def post_processor(self) -> Any:
        """Returns the post-processor, or None."""
        return self._tokenizer.post_processor

    @post_processor.setter
    def post_processor(self, post_processor: Any) -> None:
        self._tokenizer.post_processor = post_processor

    @property
    def decoder(self) -> Any:
        """Returns the decoder, or None."""
        return self._tokenizer.decoder

    @decoder.setter
    def decoder(self, decoder: Any) -> None:
        self._tokenizer.decoder = decoder


def _add_known(tokenizer: Tokenizer, tokens: Iterable[Any]) -> None:
    """Adds the special tokens that are in the vocabulary."""
    for name in map(str, tokens):
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
    shared = {name: given[name] for name in names}
    return shared | {"special_tokens": list(given["special_tokens"])}
