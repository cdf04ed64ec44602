"""Defines the components that the known tokenizer classes of ``transformers`` set, whatever a tokenizer.json contains.

A class of release 5 uses the vocabulary and merges of a tokenizer.json and builds its normalizer, its pre-tokenizer and the
settings of its model anew; most classes build the post-processor too. The classes of BERT, GPT-2, RoBERTa, CLIP, T5, ALBERT,
XLNet, Llama, Pegasus and Qwen2 are known, and those that share their code.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from piecework import normalizers as n
from piecework import pre_tokenizers as p
from piecework.patterns import SPLIT_PATTERNS, Regex
from piecework.processors import (
    BertProcessing,
    PostProcessor,
    RobertaProcessing,
    TemplateProcessing,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.hf_folder.read import ModelFolder
    from piecework.hf_folder.settings import FolderSettings
    from piecework.tokenizer import Tokenizer

__all__ = [
    "NAMED_AT_ENDS",
    "class_parts",
    "class_post_processor",
    "differences",
    "named_token",
    "with_class_model",
]

NAMED_AT_ENDS = {
    "bert": {"cls_token": "[CLS]", "sep_token": "[SEP]"},
    "mpnet": {"sep_token": "</s>", "cls_token": "<s>"},
    "roberta": {"sep_token": "</s>", "cls_token": "<s>"},
    "clip": {"eos_token": "<|endoftext|>", "bos_token": "<|startoftext|>"},
    "t5": {"eos_token": "</s>"},
    "albert": {"cls_token": "[CLS]", "sep_token": "[SEP]"},
    "xlnet": {"sep_token": "<sep>", "cls_token": "<cls>"},
    "pegasus": {"eos_token": "</s>"},
}
"""The special tokens that the classes of a family add to a text, with their defaults."""

_BPE = {"dropout": None, "ignore_merges": False, "fuse_unk": False, "byte_fallback": False}
_WORDPIECE = {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
_MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    **dict.fromkeys(("bert", "mpnet"), ("WordPiece", _WORDPIECE)),
    **dict.fromkeys(("gpt2", "roberta", "clip", "qwen2"), ("BPE", _BPE)),
    "llama": ("BPE", _BPE | {"fuse_unk": True, "byte_fallback": True}),
    **dict.fromkeys(("t5", "albert", "xlnet", "pegasus"), ("Unigram", {"byte_fallback": False})),
}
"""The type and settings of the model that the classes of a family build; settings that depend on a file are added."""

_UNK_IDS = {"t5": 2, "albert": 1}
_CLIP_SPECIALS = r"<\|startoftext\|>|<\|endoftext\|>|"
_VISIBLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_LETTERS = [chr(code) for code in (*_VISIBLE, *range(0x100, 0x200 - len(_VISIBLE)))]
"""The 256 characters that represent bytes in a byte-level vocabulary."""
_WITHOUT_UNKNOWN = {"unk_token", "fuse_unk"}
"""The settings without effect if no character is unknown."""


def class_parts(tokenizer: Tokenizer, settings: FolderSettings) -> dict[str, Any]:
    """Returns the normalizer and the pre-tokenizer of a class; empty for a class that uses those of the file."""
    if settings.keeps_components:
        return {}
    rules = _rules(tokenizer)
    words = p.Sequence([p.WhitespaceSplit(), p.Metaspace(prepend_scheme=_scheme(settings))])
    space = bool(settings.add_prefix_space)
    parts: tuple[n.Normalizer | None, p.PreTokenizer]
    match settings.family:
        case "bert" | "mpnet":
            flags: Any = settings.bert_settings()
            parts = n.BertNormalizer(**flags), p.BertPreTokenizer()
        case "gpt2" | "roberta":
            parts = None, p.ByteLevel(add_prefix_space=space)
        case "clip":
            clean = n.Sequence([n.NFC(), n.Replace(Regex(r"\s+"), " "), n.Lowercase()])
            pattern = Regex(_CLIP_SPECIALS + SPLIT_PATTERNS["clip"])
            split = p.Split(pattern, "removed", invert=True)
            parts = clean, p.Sequence([split, p.ByteLevel(add_prefix_space=False)])
        case "qwen2":
            split = p.Split(Regex(SPLIT_PATTERNS["qwen2"]), "isolated")
            letters = p.ByteLevel(add_prefix_space=space, use_regex=False)
            parts = n.NFC(), p.Sequence([split, letters])
        case "t5":
            parts = rules, words
        case "albert" | "xlnet":
            latin = [*_plain_latin(settings), *([rules] if rules else [])]
            parts = n.Sequence(latin), words
        case "pegasus":
            joined = [rules or n.Replace(Regex(r"\n"), " "), n.Replace(Regex(" {2,}"), " ")]
            parts = n.Sequence(joined), p.Metaspace()
        case "llama":
            parts = None, p.Metaspace(prepend_scheme=_scheme(settings), split=False)
        case _:
            return {}
    return dict(zip(("normalizer", "pre_tokenizer"), parts, strict=True))


def _scheme(settings: FolderSettings) -> Literal["always", "first", "never"]:
    """Returns where the class prepends a space."""
    may_lack = settings.family in {"albert", "llama"}
    if may_lack and settings.add_prefix_space is False:
        return "never"
    return "first" if settings.family == "llama" and not settings.legacy else "always"


def _rules(tokenizer: Tokenizer) -> n.Precompiled | None:
    """Returns the SentencePiece rules in a tokenizer.json, or None."""
    steps = _steps(tokenizer.normalizer)
    return next((step for step in steps if isinstance(step, n.Precompiled)), None)


def _plain_latin(settings: FolderSettings) -> Iterator[n.Normalizer]:
    """Iterates over the first normalizers of the classes of ALBERT and XLNet."""
    is_albert = settings.family == "albert"
    yield n.Replace("``", '"')
    yield n.Replace("''", '"')
    if not (is_albert and settings.keep_accents):
        yield n.NFKD()
        yield n.StripAccents()
    if settings.do_lower_case or (is_albert and settings.do_lower_case is None):
        yield n.Lowercase()


def class_post_processor(
    tokenizer: Tokenizer, settings: FolderSettings, family: str | None
) -> PostProcessor | None:
    """Returns the post-processor that the classes of a family set.

    Args:
        tokenizer: The tokenizer, with its added tokens.
        settings: The settings of the folder.
        family: The family of the class.

    Returns:
        The post-processor. That of the tokenizer if its result is the same, if the class uses it, or if the vocabulary
        lacks a special token that the class adds.
    """
    part = tokenizer.post_processor
    ends = [
        named_token(tokenizer, settings, name, token)
        for name, token in NAMED_AT_ENDS.get(family or "", {}).items()
    ]
    tokens = [token for token in ends if token]
    if not tokens or len(tokens) < len(ends):
        return part
    first, last = tokens[0], tokens[-1]
    match family:
        case "roberta":
            trim, space = settings.trim_offsets is not False, bool(settings.add_prefix_space)
            return RobertaProcessing(first, last, trim, space)
        case "mpnet" | "clip":
            return RobertaProcessing(first, last, family == "mpnet", add_prefix_space=False)
        case "albert" if part is not None:
            return part
        case "bert" if part == BertProcessing(last, first):
            return part
    single, pair = _template(str(family), first[0], last[0])
    return TemplateProcessing(single, pair, list(dict.fromkeys(tokens)))


def _template(family: str, first: str, last: str) -> tuple[list[str], list[str]]:
    """Returns the template of a family for a text and for a pair; `first` and `last` are its special tokens."""
    match family:
        case "t5":
            return ["$A", last], ["$A", last, "$B", last]
        case "pegasus":
            return ["$A", last], ["$A", "$B", last]
        case "xlnet":
            start, end = ["$A", first], f"{last}:2"
            return [*start, end], [*start, "$B:1", f"{first}:1", end]
    single = [first, "$A", last]
    return single, [*single, "$B:1", f"{last}:1"]


def named_token(
    tokenizer: Tokenizer, settings: FolderSettings, name: str, default: str | None = None
) -> tuple[str, int] | None:
    """Returns the special token of a name with its id, otherwise a default token; None without one in the vocabulary."""
    token = settings.special_tokens.get(name)
    for content in (token.content if token else None, default):
        number = None if content is None else tokenizer.token_to_id(content)
        if content is not None and number is not None:
            return content, number
    return None


def differences(tokenizer: Tokenizer, folder: ModelFolder) -> list[str]:
    """Returns the names of components of a tokenizer.json that its class replaces and that the tokenizer has kept.

    Only differences that can change ids count.

    Args:
        tokenizer: The configured tokenizer.
        folder: The folder of the tokenizer.

    Returns:
        The names for a message, such as ``"pre-tokenizer"`` and ``"ignore_merges of the model"``.
    """
    settings = folder.settings
    if folder.format != "tokenizer.json" or settings.family not in _MODELS:
        return []
    built = class_parts(tokenizer, settings)
    if folder.is_byte_level and settings.family == "llama":
        return []
    names = [
        name.replace("_", "-")
        for name, part in built.items()
        if _plain(part) != _plain(getattr(tokenizer, name))
    ]
    # Missing tokens of BERT raise a warning of their own.
    if settings.family != "bert" and _lacks_ends(tokenizer, settings):
        names.append("post-processor")
    if built:
        changed = _changed_settings(tokenizer, folder)
        names += ["model"] if changed is None else [f"{name} of the model" for name in changed]
    return names


def _lacks_ends(tokenizer: Tokenizer, settings: FolderSettings) -> bool:
    """Returns whether the vocabulary lacks a token that the class adds to a text."""
    if settings.family == "albert" and tokenizer.post_processor is not None:
        return False
    ends = NAMED_AT_ENDS.get(settings.family or "", {})
    return not all(named_token(tokenizer, settings, name, ends[name]) for name in ends)


def _steps(part: Any) -> list[Any]:
    """Returns the steps of a normalizer or pre-tokenizer, without nested sequences."""
    if isinstance(part, n.Sequence | p.Sequence):
        nested = part.normalizers if isinstance(part, n.Sequence) else part.pre_tokenizers
        return [step for each in nested for step in _steps(each)]
    return [] if part is None else [part]


def _plain(part: Any) -> list[Any]:
    """Returns the steps of a component without settings that have no effect on ids."""
    steps = _steps(part)
    for number, step in enumerate(steps):
        if isinstance(step, p.ByteLevel):
            steps[number] = replace(step, trim_offsets=True)
        elif isinstance(step, p.Split) and isinstance(step.pattern, Regex):
            # CLIP's special tokens are matched before the text is split.
            pattern = step.pattern.pattern.removeprefix(_CLIP_SPECIALS)
            steps[number] = replace(step, pattern=Regex(pattern))
    return steps


def _changed_settings(tokenizer: Tokenizer, folder: ModelFolder) -> dict[str, Any] | None:
    """Returns the settings of the model that the class replaces, with its values; None for another type of model."""
    kind, wanted = _model(tokenizer, folder.settings)
    if tokenizer.model_type != kind:
        return None
    found: dict[str, Any] = json.loads(folder.data.decode("utf-8-sig"))["model"]
    without_effect = _without_effect(tokenizer, kind, found)
    return {
        name: value
        for name, value in wanted.items()
        if name not in without_effect and _set(name, found.get(name)) != _set(name, value)
    }


def with_class_model(tokenizer: Tokenizer, folder: ModelFolder) -> bytes | None:
    """Returns the tokenizer.json of a folder with the settings of the model that its class builds; None if they are equal.

    Args:
        tokenizer: The tokenizer of the file.
        folder: The folder, whose class replaces normalizer and pre-tokenizer.
    """
    changed = _changed_settings(tokenizer, folder)
    if not changed:
        return None
    tree: dict[str, Any] = json.loads(folder.data.decode("utf-8-sig"))
    tree["model"] |= changed
    return json.dumps(tree).encode()


def _set(name: str, value: Any) -> Any:
    """Returns the value of a setting; None for a value that equals a missing one."""
    return value if name == "unk_id" else value or None


def _model(tokenizer: Tokenizer, settings: FolderSettings) -> tuple[str, dict[str, Any]]:
    """Returns the type and the settings of the model that a class builds."""
    family = settings.family or ""
    kind, shared = _MODELS[family]
    unknown = settings.special_tokens.get("unk_token")
    match kind:
        case "WordPiece":
            return kind, shared | {"unk_token": unknown.content if unknown else "[UNK]"}
        case "Unigram":
            number = _UNK_IDS.get(family, settings.unk_id or 0)
            if family == "pegasus":
                named = tokenizer.token_to_id(unknown.content if unknown else "<unk>")
                number = number if named is None else named
            return kind, shared | {"unk_id": number}
    is_clip = family == "clip"
    return kind, shared | {
        "unk_token": unknown.content if is_clip and unknown else None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": "</w>" if is_clip else None,
    }


def _without_effect(tokenizer: Tokenizer, kind: str, found: dict[str, Any]) -> set[str]:
    """Returns the settings of a BPE model that have no effect, since its vocabulary spells every byte."""
    if kind != "BPE":
        return set()
    suffixes = {"", found.get("end_of_word_suffix") or ""}
    letters = (letter + suffix for letter in _LETTERS for suffix in suffixes)
    if all(tokenizer.token_to_id(letter) is not None for letter in letters):
        return {*_WITHOUT_UNKNOWN, "byte_fallback"}
    pieces = (f"<0x{byte:02X}>" for byte in range(256))
    is_complete = all(tokenizer.token_to_id(piece) is not None for piece in pieces)
    return _WITHOUT_UNKNOWN if is_complete and found.get("byte_fallback") else set()
