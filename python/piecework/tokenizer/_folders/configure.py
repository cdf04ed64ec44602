"""Applies the configuration files of a model's folder to its tokenizer, like ``transformers``.

Where releases 4 and 5 of ``transformers`` differ, this follows release 5. The post-processor is that of the tokenizer class
(:mod:`piecework.tokenizer._folders.classes`); with a class that sets none it is that of the ``tokenizer.json``. A known class uses only
the vocabulary of a ``tokenizer.json``: its normalizer, pre-tokenizer and decoder replace those of the file. If it cannot use the
vocabulary, the components of the file apply, and a warning names those that the class would replace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import decoders
from piecework._messages import shown
from piecework.errors import PieceworkWarning
from piecework.tokenizer._folders.classes import (
    builds_its_model,
    class_parts,
    class_post_processor,
    differences,
)
from piecework.tokenizer._folders.components import named_token
from piecework.tokenizer._folders.families import UNKNOWN
from piecework.tokenizer._folders.sentencepiece import is_of_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.decoders import Decoder
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._folders.read import ModelFolder
    from piecework.tokenizer._folders.settings import FolderSettings

__all__ = ["configured", "is_rebuilt", "unmet"]

_MERGES = {"vocab.json", "encoder.json"}
"""The names of a BPE vocabulary with merges next to it."""

_CLEAN_UP = [
    *(decoders.Replace(f" {mark}", mark) for mark in ".?!,"),
    decoders.Replace(" ' ", "'"),
    *(decoders.Replace(f" {end}", end) for end in ("n't", "'m", "'s", "'ve", "'re")),
]
"""What ``clean_up_tokenization_spaces`` replaces in a decoded text, in the order of ``transformers``."""

_JOINED = decoders.WordPiece(prefix="\0", cleanup=False)
"""The decoder that joins tokens with spaces, as texts are decoded without a decoder."""

_SPACES = ("Ġ", "▁")
"""The characters for a space in byte-level words and in those of SentencePiece."""


def configured(tokenizer: Tokenizer, folder: ModelFolder) -> dict[str, Any]:
    """Returns the parts of a tokenizer that the configuration files change.

    Args:
        tokenizer: The tokenizer, with its added tokens.
        folder: The folder of the tokenizer.

    Returns:
        Arguments for :meth:`piecework.Tokenizer.replace`.
    """
    parts: dict[str, Any] = {
        "post_processor": class_post_processor(tokenizer, folder),
        "decoder": tokenizer.decoder,
    }
    is_built = builds_its_model(tokenizer, folder.settings)
    is_plain = folder.format in _MERGES and folder.family.merges is not None
    if (is_built and (is_rebuilt(folder) or is_plain)) or is_of_class(tokenizer, folder):
        parts |= class_parts(tokenizer, folder.settings)
    if folder.settings.cleans_up(tokenizer.model_type):
        parts["decoder"] = _cleaned_up(parts["decoder"])
    return {name: part for name, part in parts.items() if part != getattr(tokenizer, name)}


def is_rebuilt(folder: ModelFolder) -> bool:
    """Returns whether the class uses only the vocabulary of the folder's tokenizer.json.

    Args:
        folder: The folder.

    Returns:
        Whether the class replaces the other components, and parses scores exactly.
    """
    family = folder.family
    return folder.format == "tokenizer.json" and family.model is not None and not family.keeps_file


def _cleaned_up(part: Decoder | None) -> Decoder | None:
    """Returns a decoder with the clean-up of spaces at its end."""
    steps = list(part.decoders) if isinstance(part, decoders.Sequence) else [part or _JOINED]
    if steps[-len(_CLEAN_UP) :] == _CLEAN_UP:
        return part
    return decoders.Sequence([*steps, decoders.Fuse(), *_CLEAN_UP])


def unmet(tokenizer: Tokenizer, folder: ModelFolder) -> Iterator[PieceworkWarning]:
    """Iterates over warnings about settings of the configuration that the tokenizer does not follow.

    Args:
        tokenizer: The configured tokenizer.
        folder: The folder of the tokenizer.

    Yields:
        The warnings.
    """
    settings = folder.settings
    if settings.tokenizer_class:
        yield from _unmet_of_class(tokenizer, folder)
    elif settings.add_bos_token and not settings.special_tokens.get("bos_token"):
        yield PieceworkWarning(
            "add_bos_token is true, but there is no bos_token; none is added to texts"
        )
    if settings.split_special_tokens:
        hint = "pass `specials='text'` when encoding"
        yield PieceworkWarning("split_special_tokens is not applied", hint=hint)
    settings_and_effects = {
        "add_prefix_space": (settings.add_prefix_space, _puts_space(tokenizer)),
        **dict(_ends(tokenizer, settings)),
    }
    for name, (setting, effect) in settings_and_effects.items():
        if setting is not None and setting != effect:
            problem = f"{name} is {str(setting).lower()}, but {folder.format} differs"
            yield PieceworkWarning(f"{problem} and takes precedence")


def _unmet_of_class(tokenizer: Tokenizer, folder: ModelFolder) -> Iterator[PieceworkWarning]:
    """Iterates over warnings about the class of the tokenizer."""
    settings, name = folder.settings, shown(folder.settings.tokenizer_class)
    if folder.format in {"vocab.json", "encoder.json"}:
        if not settings.family.merges:
            yield PieceworkWarning(
                f"the class {name} is unknown, so the pre-tokenizer is inferred from the vocabulary",
                hint="pass `pre_tokenizer=...` to change it",
            )
    elif folder.format.endswith(".model"):
        yield from _unmet_of_sentencepiece(tokenizer, folder)
    elif settings.family is UNKNOWN:
        yield PieceworkWarning(
            f"the class {name} is unknown: it may normalize and split text differently from {folder.format}, and add other "
            "special tokens",
            hint="compare ids with `transformers`, or set tokenizer_class to 'TokenizersBackend' if the file is right",
        )
    elif settings.family.has_fixed_ends:
        yield from _unmet_of_ends(folder.settings)
    if others := differences(tokenizer, folder):
        listed = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
        yield PieceworkWarning(
            f"the class {name} replaces {listed}; here those of tokenizer.json apply",
            hint="pass those of the class to `replace` to change that",
        )


def _unmet_of_ends(settings: FolderSettings) -> Iterator[PieceworkWarning]:
    name = shown(settings.tokenizer_class)
    for end in ("cls_token", "sep_token"):
        token = settings.family.tokens[end]
        if end not in settings.special_tokens:
            yield PieceworkWarning(
                f"{end} is missing, so the class {name} adds a token of a fixed id to texts; here {token!r} is added if it "
                "is in the vocabulary",
                hint=f"set {end}",
            )


def _unmet_of_sentencepiece(
    tokenizer: Tokenizer, folder: ModelFolder
) -> Iterator[PieceworkWarning]:
    name = shown(folder.settings.tokenizer_class)
    if tokenizer.model_type == "Unigram":
        yield PieceworkWarning(
            f"the class {name} adds special tokens and may renumber all tokens; here the ids are those of "
            f"{folder.format}, and no special tokens are added",
            hint="load a tokenizer.json saved by `transformers`",
        )
    elif folder.family is UNKNOWN or (folder.family.model and not is_of_class(tokenizer, folder)):
        yield PieceworkWarning(
            f"the class {name} prepends no space to a text that starts with one, or after a special token, and may normalize "
            f"and merge differently, as with several spaces; here the ids are those of {folder.format}",
            hint="load a tokenizer.json saved by `transformers` to get those of the class",
        )


def _puts_space(tokenizer: Tokenizer) -> bool:
    """Returns whether a space is prepended to a text that starts without one."""
    text = "a"
    if tokenizer.normalizer:
        text = tokenizer.normalizer.normalize_str(text)
    if tokenizer.pre_tokenizer:
        text = "".join(word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text))
    return text.startswith(_SPACES)


def _ends(
    tokenizer: Tokenizer, settings: FolderSettings
) -> Iterator[tuple[str, tuple[bool | None, bool]]]:
    """Iterates over the settings of the tokens at both ends of a text, each with whether the token is added."""
    encoding = tokenizer.encode("a")
    is_added = list(zip(encoding.ids, encoding.special_tokens_mask, strict=True))
    for name, ends in (("bos_token", is_added[:1]), ("eos_token", is_added[-1:])):
        if token := named_token(tokenizer, settings, name):
            yield f"add_{name}", (getattr(settings, f"add_{name}"), ends == [(token[1], 1)])
