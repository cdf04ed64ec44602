"""Defines a tokenizer like those of SentencePiece's BPE models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import hf as _hf
from piecework.hf import _tokenizer, models as _models, normalizers as _normalizers
from piecework.hf.implementations import base_tokenizer as _base_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework.hf._added_tokens import AddedToken

__all__ = ["SentencePieceBPETokenizer"]


class SentencePieceBPETokenizer(_base_tokenizer.BaseTokenizer):
    """Encodes with BPE over characters, where a visible character represents a space.

    Args:
        vocab: The tokens and their ids, or the name of a vocab.json; None before a training.
        merges: The merges in order, or the name of a merges.txt.
        unk_token: The token for unknown characters.
        replacement: The character that represents a space.
        add_prefix_space: Whether a space is prepended to a text.
        dropout: The probability that a merge is skipped.
        fuse_unk: Whether adjacent unknown characters are one token.
    """

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        merges: str | list[tuple[str, str]] | None = None,
        unk_token: str | AddedToken = "<unk>",
        replacement: str = "▁",
        add_prefix_space: bool = True,
        dropout: float | None = None,
        fuse_unk: bool | None = False,
    ) -> None:
        """Creates the tokenizer."""
        if vocab is None or merges is None:
            vocab = merges = None
        model = _models.BPE(
            vocab, merges, dropout=dropout, unk_token=str(unk_token), fuse_unk=fuse_unk
        )
        tokenizer = _tokenizer.Tokenizer(model)
        _base_tokenizer._add_known(tokenizer, [unk_token])
        scheme = "always" if add_prefix_space else "never"
        tokenizer.normalizer = _normalizers.NFKC()
        tokenizer.pre_tokenizer = _hf.pre_tokenizers.Metaspace(replacement, scheme)
        tokenizer.decoder = _hf.decoders.Metaspace(replacement, scheme)
        parameters = {
            "model": "SentencePieceBPE",
            "unk_token": unk_token,
            "replacement": replacement,
            "add_prefix_space": add_prefix_space,
            "dropout": dropout,
        }
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(
        vocab_filename: str, merges_filename: str, **kwargs: Any
    ) -> SentencePieceBPETokenizer:
        """Returns the tokenizer of two files; for the other arguments see the class."""
        return SentencePieceBPETokenizer(
            *_models.BPE.read_file(vocab_filename, merges_filename), **kwargs
        )

    def train(
        self,
        files: str | list[str],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Sequence[str | AddedToken] = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        show_progress: bool = True,
    ) -> None:
        """Trains on files; for the settings see :class:`piecework.hf.trainers.BpeTrainer`."""
        self._train(files, _hf.trainers.BpeTrainer(**_base_tokenizer._merge_settings(locals())))

    def train_from_iterator(
        self,
        iterator: Iterable[str] | Iterable[Iterable[str]],
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Sequence[str | AddedToken] = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        show_progress: bool = True,
        length: int | None = None,
    ) -> None:
        """Trains on texts; for the settings see :class:`piecework.hf.trainers.BpeTrainer`."""
        self._train_texts(
            iterator, _hf.trainers.BpeTrainer(**_base_tokenizer._merge_settings(locals())), length
        )
