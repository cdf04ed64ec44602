"""Defines a tokenizer like that of the first GPT."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import hf as _hf
from piecework.hf import normalizers as _normalizers
from piecework.hf.implementations import base_tokenizer as _base_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework.hf._added_tokens import AddedToken

__all__ = ["CharBPETokenizer"]


class CharBPETokenizer(_base_tokenizer._MergesTokenizer):
    """Encodes with BPE over characters, with a suffix at the end of a word.

    Args:
        vocab: The tokens and their ids, or the name of a vocab.json; None before a training.
        merges: The merges in order, or the name of a merges.txt.
        unk_token: The token for unknown characters.
        suffix: The suffix of tokens that end a word.
        dropout: The probability that a merge is skipped.
        lowercase: Whether the text is lowercased.
        unicode_normalizer: ``"nfc"``, ``"nfd"``, ``"nfkc"``, ``"nfkd"`` or None.
        bert_normalizer: Whether BERT's normalizer is applied.
        split_on_whitespace_only: Whether words end only at white space, not at punctuation.
    """

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        merges: str | list[tuple[str, str]] | None = None,
        unk_token: str | AddedToken = "<unk>",
        suffix: str = "</w>",
        dropout: float | None = None,
        lowercase: bool = False,
        unicode_normalizer: str | None = None,
        bert_normalizer: bool = True,
        split_on_whitespace_only: bool = False,
    ) -> None:
        """Creates the tokenizer."""
        parameters = _base_tokenizer._parameters("BPE", locals())
        tokenizer = _base_tokenizer._bpe(
            vocab, merges, unk_token, dropout=dropout, end_of_word_suffix=suffix
        )
        steps: list[Any] = []
        if unicode_normalizer:
            steps.append(_normalizers.unicode_normalizer_from_str(unicode_normalizer))
        if bert_normalizer:
            steps.append(_normalizers.BertNormalizer(lowercase=False))
        if lowercase:
            steps.append(_normalizers.Lowercase())
        tokenizer.normalizer = _base_tokenizer._in_order(steps)
        tokenizer.pre_tokenizer = (
            _hf.pre_tokenizers.WhitespaceSplit()
            if split_on_whitespace_only
            else _hf.pre_tokenizers.BertPreTokenizer()
        )
        tokenizer.decoder = _hf.decoders.BPEDecoder(suffix=suffix)
        super().__init__(tokenizer, parameters)

    def train(
        self,
        files: str | list[str],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Sequence[str | AddedToken] = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        suffix: str | None = "</w>",
        show_progress: bool = True,
    ) -> None:
        """Trains on files; for the settings see :class:`piecework.hf.trainers.BpeTrainer`."""
        self._train(files, _trainer(locals()))

    def train_from_iterator(
        self,
        iterator: Iterable[str] | Iterable[Iterable[str]],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Sequence[str | AddedToken] = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        suffix: str | None = "</w>",
        show_progress: bool = True,
        length: int | None = None,
    ) -> None:
        """Trains on texts; for the settings see :class:`piecework.hf.trainers.BpeTrainer`."""
        self._train_texts(iterator, _trainer(locals()), length)


def _trainer(given: dict[str, Any]) -> _hf.trainers.BpeTrainer:
    """Returns the trainer of the arguments of a training."""
    return _hf.trainers.BpeTrainer(
        **_base_tokenizer._merge_settings(given), end_of_word_suffix=given["suffix"]
    )
