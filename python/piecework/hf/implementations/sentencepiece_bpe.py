"""Defines a tokenizer like those of SentencePiece's BPE models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework import hf as _hf
from piecework.hf import normalizers as _normalizers
from piecework.hf.implementations import base_tokenizer as _base_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework.hf._added_tokens import AddedToken

__all__ = ["SentencePieceBPETokenizer"]


class SentencePieceBPETokenizer(_base_tokenizer._MergesTokenizer):
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
        parameters = _base_tokenizer._parameters("SentencePieceBPE", locals(), "fuse_unk")
        tokenizer = _base_tokenizer._bpe(
            vocab, merges, unk_token, dropout=dropout, fuse_unk=fuse_unk
        )
        tokenizer.normalizer = _normalizers.NFKC()
        _base_tokenizer._set_spaces(tokenizer, replacement, add_prefix_space)
        super().__init__(tokenizer, parameters)

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
