"""Learns a new vocabulary for the pipeline of a known tokenizer."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from piecework import normalizers, pre_tokenizers
from piecework._messages import shown
from piecework.errors import ConfigError
from piecework.tokenizer._rebuild import inserted_ids, model_tree, rebuilt
from piecework.trainers import BpeTrainer, UnigramTrainer, WordLevelTrainer, WordPieceTrainer

if TYPE_CHECKING:
    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.tokenizer import Tokenizer
    from piecework.trainers import Trainer

_TRAINERS: dict[str, type[Trainer]] = {
    "WordPiece": WordPieceTrainer,
    "BPE": BpeTrainer,
    "Unigram": UnigramTrainer,
    "WordLevel": WordLevelTrainer,
}
_BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
"""The tokens of bytes, which encode what the vocabulary of a model with byte fallback lacks."""
_LEARNED = ("type", "vocab", "merges", "unk_id", "piecework")
"""The members of a model that come from the training; all others are settings of encoding."""
_RECORDS = (
    "version",
    "has_unk",
    "training",
    "ranks",
    "unused",
    "probabilities",
)
"""The records of our own about a vocabulary; all others are settings of encoding."""
_KINDS = ("user_defined", "reserved")
"""The settings of a Unigram model that list pieces."""


def trainer_like(tok: Tokenizer, trainer: Trainer | None, vocab_size: int | None) -> Trainer:
    """Returns the settings of a training for the pipeline of a tokenizer.

    Args:
        tok: The tokenizer.
        trainer: The settings; None for those of the kind of the model by default.
        vocab_size: The number of tokens, without `trainer`; None for that of the tokenizer.

    Returns:
        The settings with the tokenizer's special tokens, unknown token, alphabet, prefix and suffix.

    Raises:
        ConfigError: The trainer is of another kind than the model, or both `trainer` and `vocab_size` are given.

    >>> import piecework as pw
    >>> tok = pw.train(["low lower"], pw.BpeTrainer(270, alphabet="byte", special_tokens=["<end>"]))
    >>> trainer = trainer_like(tok, None, 300)
    >>> trainer.vocab_size, trainer.alphabet, trainer.special_tokens
    (300, 'byte', ('<end>',))
    """
    kind = _TRAINERS[tok.model_type]
    if trainer is None:
        size: Any = {"vocab_size": tok.vocab_size if vocab_size is None else vocab_size}
        trainer = kind(**size)
    elif vocab_size is not None:
        hint = "pass it to the trainer"
        raise ConfigError("has no effect with a trainer", setting="vocab_size", hint=hint)
    if not isinstance(trainer, kind):
        message = f"the tokenizer has a {tok.model_type} model"
        raise ConfigError(message, setting="trainer", hint=f"pass a {kind.__name__}")
    settings: dict[str, Any] = {"special_tokens": _special_tokens(tok)}
    model: Any = tok.model
    if isinstance(trainer, BpeTrainer):
        is_on_bytes = not model.byte_fallback and (
            writes_bytes(tok.normalizer) or writes_bytes(tok.pre_tokenizer)
        )
        settings |= {
            "alphabet": "byte" if is_on_bytes else "char",
            "unk_token": tok.unk_token,
            "continuing_subword_prefix": model.continuing_subword_prefix or "",
            "end_of_word_suffix": model.end_of_word_suffix or "",
        }
    elif isinstance(trainer, WordPieceTrainer):
        settings["continuing_subword_prefix"] = model.continuing_subword_prefix
    elif isinstance(trainer, UnigramTrainer):
        settings |= {"unk_token": tok.unk_token, "byte_fallback": model.byte_fallback}
    else:
        settings["unk_token"] = tok.unk_token
    _check_given(trainer, settings)
    return replace(trainer, **settings)  # type: ignore[type-var]  # all trainers are dataclasses


def _check_given(trainer: Any, settings: dict[str, Any]) -> None:
    """Raises ConfigError for a setting of a trainer that the tokenizer decides, and in another way."""
    for each in fields(trainer):
        given = getattr(trainer, each.name)
        decided = settings.get(each.name, given)
        if given not in (
            each.default,
            decided,
            tuple(decided) if isinstance(decided, list) else decided,
        ):
            message = f"is that of `like`, {shown(decided)}"
            raise ConfigError(message, setting=each.name, hint="remove it")
    if isinstance(trainer, BpeTrainer) and trainer.user_defined_symbols:
        message = "has no effect with `like`"
        hint = "add them to the tokenizer first, like.with_added_tokens(...)"
        raise ConfigError(message, setting="user_defined_symbols", hint=hint)


def _special_tokens(tok: Tokenizer) -> list[str]:
    """Returns the tokens that no training learns, in the order of their ids."""
    unknown = None if tok.unk_token is None else tok.token_to_id(tok.unk_token)
    numbers = inserted_ids(tok) | ({unknown} if unknown is not None else set())
    names = [str(tok.id_to_token(number)) for number in sorted(numbers)]
    model: Any = tok.model
    if tok.model_type == "BPE" and model.byte_fallback:
        names += [name for name in _BYTES if name not in names]
    return names


def like_with_vocabulary(tok: Tokenizer, trained: Tokenizer) -> Tokenizer:
    """Returns a tokenizer with the vocabulary of another one, and ids by the names of the tokens.

    Args:
        tok: The tokenizer whose normalizer, pre-tokenizer, post-processor, decoder, added tokens with their flags, truncation,
            padding and settings of the model are kept.
        trained: The tokenizer of a training with :func:`trainer_like`.

    Returns:
        The tokenizer, with the record of the training.
    """
    model = json.loads(trained._without_functions.to_str())["model"]
    own = model.setdefault("piecework", {"version": 1})
    # These are hashes of the members that change here, and records of the pipeline.
    for name in ("contents_sha256", "fingerprint", "normalizer", "decoder"):
        own.pop(name, None)
    known, vocab = model_tree(tok), trained.vocab
    settings = {
        name: value
        for name, value in (known.get("piecework") or {}).items()
        if name not in _RECORDS
    }
    for name in _KINDS:
        if name in settings:
            settings[name] = [token for token in settings[name] if token in vocab]
    model |= {name: value for name, value in known.items() if name not in _LEARNED}
    if settings:
        own |= settings
        model["type"] = known["type"]
    names = {number: str(token) for token, number in tok.vocab.items()}
    return rebuilt(tok, model, lambda number: vocab[names[number]])


def writes_bytes(part: Normalizer | PreTokenizer | None) -> bool:
    """Returns whether a component converts text to byte-level characters, so that no character is unknown."""
    if isinstance(part, normalizers.Sequence):
        return any(map(writes_bytes, part.normalizers))
    if isinstance(part, pre_tokenizers.Sequence):
        return any(map(writes_bytes, part.pre_tokenizers))
    return isinstance(part, normalizers.ByteLevel | pre_tokenizers.ByteLevel)
