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
from piecework.tokenizer._folders.families import BACKEND, UNKNOWN
from piecework.tokenizer._folders.sentencepiece import is_of_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.decoders import Decoder
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._folders.read import ModelFolder
    from piecework.tokenizer._folders.settings import FolderSettings


MERGES = {"vocab.json", "encoder.json"}
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
        "post_processor": class_post_processor(tokenizer, folder)[0],
        "decoder": tokenizer.decoder,
    }
    is_built = builds_its_model(tokenizer, folder.settings)
    is_plain = folder.format in MERGES and folder.family.merges is not None
    if (is_built and (is_rebuilt(folder) or is_plain)) or is_of_class(tokenizer, folder):
        parts |= class_parts(tokenizer, folder.settings)
    elif folder.format == "vocab.txt" and is_built:
        parts["decoder"] = class_parts(tokenizer, folder.settings)["decoder"]
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
    settings, family = folder.settings, folder.family
    name = f"the class {shown(settings.tokenizer_class)}"
    if problem := _problem_of_class(tokenizer, folder):
        yield PieceworkWarning(f"{name} {problem[0]}", hint=problem[1])
    elif family.has_fixed_ends:
        for end in sorted({"cls_token", "sep_token"} - settings.special_tokens.keys()):
            yield PieceworkWarning(
                f"{end} is missing, so {name} adds a token of a fixed id to texts; here {family.tokens[end]!r} is added if it "
                "is in the vocabulary",
                hint=f"set {end}",
            )
    if family.decoding:
        yield PieceworkWarning(
            f"{name} {family.decoding}; here they are kept",
            hint="drop them from the ids before decoding",
        )
    if others := differences(tokenizer, folder):
        listed = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
        yield PieceworkWarning(
            f"{name} replaces {listed}; here those of tokenizer.json apply",
            hint="pass those of the class to `replace` to change that",
        )


def _problem_of_class(tokenizer: Tokenizer, folder: ModelFolder) -> tuple[str, str] | None:
    """Returns why the class may give other ids, with a hint; None if it gives those of the tokenizer."""
    family, file = folder.family, folder.format
    if family.task is not None:
        reason = f"is written in Python, and no file describes its steps; here {file} decides"
        return reason, "compare ids with `transformers`"
    if file.endswith(".model"):
        return _problem_of_model(tokenizer, folder)
    if file in MERGES and not family.merges:
        reason = "is unknown" if family is UNKNOWN else f"reads no {file}"
        hint = "pass `pre_tokenizer=...` to change it"
        return f"{reason}, so the pre-tokenizer is inferred from the vocabulary", hint
    if family is UNKNOWN:
        return (
            f"is unknown: it may normalize and split text differently from {file}, and add other special tokens",
            f"compare ids with `transformers`, or set tokenizer_class to {BACKEND!r} if the file is right",
        )
    return None


def _problem_of_model(tokenizer: Tokenizer, folder: ModelFolder) -> tuple[str, str] | None:
    """Returns why the class may give other ids than a SentencePiece model, as :func:`_problem_of_class` does."""
    hint = "load a tokenizer.json saved by `transformers` to get those of the class"
    ours = f"here the ids are those of {folder.format}"
    if tokenizer.model_type == "Unigram":
        others = "adds special tokens and may renumber all tokens"
        return f"{others}; {ours}, and no special tokens are added", hint
    if folder.family.model is None and folder.family is not UNKNOWN:
        return None
    return (
        None
        if is_of_class(tokenizer, folder)
        else (
            "prepends no space to a text that starts with one, or after a special token, and may normalize and merge "
            f"differently, as with several spaces; {ours}",
            hint,
        )
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
