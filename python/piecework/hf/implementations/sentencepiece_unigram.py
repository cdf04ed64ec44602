"""Defines a tokenizer like those of SentencePiece's Unigram models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import hf as _hf
from piecework.hf import _patterns, _tokenizer, models as _models
from piecework.hf.implementations import base_tokenizer as _base_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework.hf._added_tokens import AddedToken

__all__ = ["SentencePieceUnigramTokenizer"]


class SentencePieceUnigramTokenizer(_base_tokenizer.BaseTokenizer):
    """Encodes with Unigram, where a visible character represents a space.

    Args:
        vocab: The tokens and their scores; None before a training.
        replacement: The character that represents a space.
        add_prefix_space: Whether a space is prepended to a text.
    """

    def __init__(
        self,
        vocab: list[tuple[str, float]] | None = None,
        replacement: str = "▁",
        add_prefix_space: bool = True,
    ) -> None:
        """Creates the tokenizer."""
        parameters = _base_tokenizer._parameters("SentencePieceUnigram", locals())
        tokenizer = _tokenizer.Tokenizer(_models.Unigram(vocab))
        tokenizer.normalizer = _hf.normalizers.Sequence(
            [_hf.normalizers.Nmt(), _hf.normalizers.NFKC(), _one_space()]
        )
        _base_tokenizer._set_spaces(tokenizer, replacement, add_prefix_space)
        super().__init__(tokenizer, parameters)

    def train(
        self,
        files: str | list[str],
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] | None = None,
        initial_alphabet: list[str] | None = None,
        unk_token: str | None = None,
    ) -> None:
        """Trains on files; for the settings see :class:`piecework.hf.trainers.UnigramTrainer`."""
        self._train(files, _trainer(locals()))

    def train_from_iterator(
        self,
        iterator: Iterable[str] | Iterable[Iterable[str]],
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] | None = None,
        initial_alphabet: list[str] | None = None,
        unk_token: str | None = None,
        length: int | None = None,
    ) -> None:
        """Trains on texts; for the settings see :class:`piecework.hf.trainers.UnigramTrainer`."""
        self._train_texts(iterator, _trainer(locals()), length)

    @staticmethod
    def from_spm(filename: str) -> SentencePieceUnigramTokenizer:
        """Returns the tokenizer of a SentencePiece model, read by piecework.

        Args:
            filename: The file.

        Raises:
            ValueError: The file is no Unigram model.
        """
        import json

        from piecework.tokenizer import Tokenizer as OwnTokenizer

        core = OwnTokenizer.from_file(filename)._core
        model: Any = json.loads(core.model_json())
        if core.model_type() != "Unigram":
            raise ValueError(f"{filename}: expected a Unigram model, found {core.model_type()}")
        vocab = [(token, score) for token, score in model["vocab"]]
        tokenizer = _tokenizer.Tokenizer(
            _models.Unigram(vocab, model["unk_id"], model["byte_fallback"])
        )
        rules = _rules_of(json.loads(core.parts())["normalizer"])
        tokenizer.normalizer = _hf.normalizers.Sequence([*rules, _one_space()])
        _base_tokenizer._set_spaces(tokenizer, "▁", add_prefix_space=True)
        made = SentencePieceUnigramTokenizer()
        _base_tokenizer.BaseTokenizer.__init__(made, tokenizer, {"model": "SentencePieceUnigram"})
        return made


def _trainer(given: dict[str, Any]) -> _hf.trainers.UnigramTrainer:
    """Returns the trainer of the arguments of a training."""
    names = "vocab_size show_progress special_tokens initial_alphabet unk_token"
    return _hf.trainers.UnigramTrainer(**{name: given[name] for name in names.split()})


def _one_space() -> _hf.normalizers.Replace:
    """Returns a normalizer that replaces runs of spaces by one."""
    return _hf.normalizers.Replace(_patterns.Regex(" {2,}"), " ")


def _rules_of(state: Any) -> list[_hf.normalizers.Precompiled]:
    """Returns the normalization rules within a normalizer of the core."""
    import base64

    if isinstance(state, list):
        return [rule for part in state for rule in _rules_of(part)]
    if not isinstance(state, dict):
        return []
    if rules := state.get("precompiled_charsmap"):
        return [_hf.normalizers.Precompiled(base64.b64decode(rules))]
    return [rule for part in state.values() for rule in _rules_of(part)]
