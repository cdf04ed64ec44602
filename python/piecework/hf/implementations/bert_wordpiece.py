"""Defines a tokenizer like BERT's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import hf as _hf
from piecework.hf import (
    _tokenizer,
    models as _models,
    normalizers as _normalizers,
    pre_tokenizers as _pre_tokenizers,
    processors as _processors,
)
from piecework.hf.implementations import base_tokenizer as _base_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework.hf._added_tokens import AddedToken

__all__ = ["BertWordPieceTokenizer"]

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class BertWordPieceTokenizer(_base_tokenizer.BaseTokenizer):
    """Encodes with WordPiece and BERT's normalizer, pre-tokenizer and special tokens.

    Args:
        vocab: The tokens and their ids, or the name of a vocab.txt; None before a training.
        unk_token: The token for unknown words.
        sep_token: The token after each text.
        cls_token: The token before a text.
        pad_token: The padding token.
        mask_token: The mask token.
        clean_text: Whether control characters are removed and white space becomes spaces.
        handle_chinese_chars: Whether spaces are put around Chinese characters.
        strip_accents: Whether accents are removed; None for the value of `lowercase`.
        lowercase: Whether the text is lowercased.
        wordpieces_prefix: The prefix of tokens that continue a word.

    Raises:
        TypeError: `sep_token` or `cls_token` is not in the vocabulary.
    """

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        unk_token: str | AddedToken = "[UNK]",
        sep_token: str | AddedToken = "[SEP]",
        cls_token: str | AddedToken = "[CLS]",
        pad_token: str | AddedToken = "[PAD]",
        mask_token: str | AddedToken = "[MASK]",
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        """Creates the tokenizer."""
        parameters = _base_tokenizer._parameters("BertWordPiece", locals())
        tokenizer = _tokenizer.Tokenizer(
            _models.WordPiece(vocab, unk_token=_base_tokenizer._token_text(unk_token))
        )
        _base_tokenizer._add_known(
            tokenizer, (unk_token, sep_token, cls_token, pad_token, mask_token)
        )
        tokenizer.normalizer = _normalizers.BertNormalizer(
            clean_text, handle_chinese_chars, strip_accents, lowercase
        )
        tokenizer.pre_tokenizer = _pre_tokenizers.BertPreTokenizer()
        if vocab is not None:
            sep = _pair(tokenizer, "sep_token", sep_token)
            tokenizer.post_processor = _processors.BertProcessing(
                sep, _pair(tokenizer, "cls_token", cls_token)
            )
        tokenizer.decoder = _hf.decoders.WordPiece(wordpieces_prefix)
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab: str, **kwargs: Any) -> BertWordPieceTokenizer:
        """Returns the tokenizer of a vocab.txt; for the other arguments see the class."""
        return BertWordPieceTokenizer(_models.WordPiece.read_file(vocab), **kwargs)

    def train(
        self,
        files: str | list[str],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        special_tokens: Sequence[str | AddedToken] = _SPECIAL,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        """Trains on files; for the settings see :class:`piecework.hf.trainers.WordPieceTrainer`."""
        self._train(files, _trainer(locals()))

    def train_from_iterator(
        self,
        iterator: Iterable[str] | Iterable[Iterable[str]],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        special_tokens: Sequence[str | AddedToken] = _SPECIAL,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
        length: int | None = None,
    ) -> None:
        """Trains on texts; for the settings see :class:`piecework.hf.trainers.WordPieceTrainer`."""
        self._train_texts(iterator, _trainer(locals()), length)


def _pair(tokenizer: _tokenizer.Tokenizer, name: str, token: str | AddedToken) -> tuple[str, int]:
    """Returns a special token and its id."""
    number = tokenizer.token_to_id(str(token))
    if number is None:
        raise TypeError(f"{name}: {str(token)!r} is not in the vocabulary")
    return str(token), number


def _trainer(given: dict[str, Any]) -> _hf.trainers.WordPieceTrainer:
    """Returns the trainer of the arguments of a training."""
    return _hf.trainers.WordPieceTrainer(
        **_base_tokenizer._merge_settings(given),
        continuing_subword_prefix=given["wordpieces_prefix"],
    )
