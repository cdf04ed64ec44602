"""Defines a tokenizer like GPT-2's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import hf as _hf
from piecework.hf import _tokenizer, models as _models, normalizers as _normalizers
from piecework.hf.implementations import base_tokenizer as _base_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework.hf._added_tokens import AddedToken

__all__ = ["ByteLevelBPETokenizer"]


class ByteLevelBPETokenizer(_base_tokenizer._MergesTokenizer):
    """Encodes with BPE over bytes, and GPT-2's pre-tokenizer.

    Args:
        vocab: The tokens and their ids, or the name of a vocab.json; None before a training.
        merges: The merges in order, or the name of a merges.txt.
        add_prefix_space: Whether a space is prepended to a text without one.
        lowercase: Whether the text is lowercased.
        dropout: The probability that a merge is skipped.
        unicode_normalizer: ``"nfc"``, ``"nfd"``, ``"nfkc"``, ``"nfkd"`` or None.
        continuing_subword_prefix: The prefix of tokens that continue a word.
        end_of_word_suffix: The suffix of tokens that end a word.
        trim_offsets: Whether offsets exclude spaces.
    """

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        merges: str | list[tuple[str, str]] | None = None,
        add_prefix_space: bool = False,
        lowercase: bool = False,
        dropout: float | None = None,
        unicode_normalizer: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        trim_offsets: bool = False,
    ) -> None:
        """Creates the tokenizer."""
        parameters = _base_tokenizer._parameters("ByteLevelBPE", locals())
        model = _models.BPE()
        if vocab is not None and merges is not None:
            model = _models.BPE(
                vocab,
                merges,
                dropout=dropout,
                continuing_subword_prefix=continuing_subword_prefix or "",
                end_of_word_suffix=end_of_word_suffix or "",
            )
        tokenizer = _tokenizer.Tokenizer(model)
        steps: list[Any] = []
        if unicode_normalizer:
            steps.append(_normalizers.unicode_normalizer_from_str(unicode_normalizer))
        if lowercase:
            steps.append(_normalizers.Lowercase())
        tokenizer.normalizer = _base_tokenizer._in_order(steps)
        tokenizer.pre_tokenizer = _hf.pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
        tokenizer.decoder = _hf.decoders.ByteLevel()
        tokenizer.post_processor = _hf.processors.ByteLevel(trim_offsets=trim_offsets)
        super().__init__(tokenizer, parameters)

    def train(
        self,
        files: str | list[str],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Sequence[str | AddedToken] = (),
    ) -> None:
        """Trains on files; for the settings see :class:`piecework.hf.trainers.BpeTrainer`."""
        self._train(files, _trainer(locals()))

    def train_from_iterator(
        self,
        iterator: Iterable[str] | Iterable[Iterable[str]],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Sequence[str | AddedToken] = (),
        length: int | None = None,
    ) -> None:
        """Trains on texts; for the settings see :class:`piecework.hf.trainers.BpeTrainer`."""
        self._train_texts(iterator, _trainer(locals()), length)


def _trainer(given: dict[str, Any]) -> _hf.trainers.BpeTrainer:
    """Returns a trainer whose alphabet has all bytes."""
    alphabet = _hf.pre_tokenizers.ByteLevel.alphabet()
    return _hf.trainers.BpeTrainer(
        **_base_tokenizer._merge_settings(given), initial_alphabet=alphabet
    )
