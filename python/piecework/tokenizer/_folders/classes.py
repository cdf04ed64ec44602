"""Defines the components that the known tokenizer classes of ``transformers`` set, whatever a tokenizer.json contains.

A class of release 5 uses the vocabulary and merges of a tokenizer.json and builds its normalizer, its pre-tokenizer and the
settings of its model anew; most classes build the post-processor and the decoder too. The classes of BERT, Funnel, MPNet, GPT-2,
RoBERTa, CLIP, T5, ALBERT, XLNet, Llama, Pegasus and Qwen2 are known, and those that share their code.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any, Literal

from piecework import decoders as d, normalizers as n, pre_tokenizers as p
from piecework.patterns import SPLIT_PATTERNS, Regex
from piecework.processors import (
    BertProcessing,
    PostProcessor,
    RobertaProcessing,
    TemplateProcessing,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._folders.read import ModelFolder
    from piecework.tokenizer._folders.settings import FolderSettings

__all__ = [
    "NAMED_AT_ENDS",
    "builds_its_model",
    "class_parts",
    "class_post_processor",
    "differences",
    "named_token",
    "with_class_model",
]

NAMED_AT_ENDS = {
    "bert": {"cls_token": "[CLS]", "sep_token": "[SEP]"},
    "funnel": {"cls_token": "<cls>", "sep_token": "<sep>"},
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
    **dict.fromkeys(("bert", "funnel", "mpnet"), ("WordPiece", _WORDPIECE)),
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
    """Returns the normalizer, the pre-tokenizer and the decoder of a class; empty for a class that uses those of the file."""
    if settings.keeps_components:
        return {}
    rules = _rules(tokenizer)
    words = p.Sequence([p.WhitespaceSplit(), p.Metaspace(prepend_scheme=_scheme(settings))])
    space = bool(settings.add_prefix_space)
    spaces = d.Metaspace(prepend_scheme=_scheme(settings))
    parts: tuple[n.Normalizer | None, p.PreTokenizer, d.Decoder | None]
    match settings.family:
        case "bert" | "funnel" | "mpnet":
            flags: Any = settings.bert_settings()
            parts = n.BertNormalizer(**flags), p.BertPreTokenizer(), d.WordPiece()
        case "gpt2" | "roberta":
            parts = None, p.ByteLevel(add_prefix_space=space), d.ByteLevel()
        case "clip":
            clean = n.Sequence([n.NFC(), n.Replace(Regex(r"\s+"), " "), n.Lowercase()])
            pattern = Regex(_CLIP_SPECIALS + SPLIT_PATTERNS["clip"])
            split = p.Split(pattern, "removed", invert=True)
            steps = p.Sequence([split, p.ByteLevel(add_prefix_space=False)])
            parts = clean, steps, tokenizer.decoder
        case "qwen2":
            split = p.Split(Regex(SPLIT_PATTERNS["qwen2"]), "isolated")
            letters = p.ByteLevel(add_prefix_space=space, use_regex=False)
            parts = n.NFC(), p.Sequence([split, letters]), d.ByteLevel()
        case "t5":
            parts = rules, words, spaces
        case "albert" | "xlnet":
            latin = [*_plain_latin(settings), *([rules] if rules else [])]
            parts = n.Sequence(latin), words, spaces
        case "pegasus":
            joined = [rules or n.Replace(Regex(r"\n"), " "), n.Replace(Regex(" {2,}"), " ")]
            parts = n.Sequence(joined), p.Metaspace(), spaces
        case "llama":
            ends = [] if settings.add_prefix_space is False else [d.Strip(" ", left=1)]
            joined_bytes = [d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), *ends]
            unsplit = p.Metaspace(prepend_scheme=_scheme(settings), split=False)
            parts = None, unsplit, d.Sequence(joined_bytes)
        case _:
            return {}
    return dict(zip(("normalizer", "pre_tokenizer", "decoder"), parts, strict=True))


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
    single = [f"{first}:2" if family == "funnel" else first, "$A", last]
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


def builds_its_model(tokenizer: Tokenizer, settings: FolderSettings) -> bool:
    """Returns whether a class builds a model of the type of a tokenizer's, so that it can use its vocabulary."""
    return settings.family in _MODELS and tokenizer.model_type == _MODELS[settings.family][0]


def differences(tokenizer: Tokenizer, folder: ModelFolder) -> list[str]:
    """Returns the names of components of a tokenizer.json that its class replaces and that the tokenizer has kept.

    Args:
        tokenizer: The configured tokenizer.
        folder: The folder of the tokenizer.

    Returns:
        The names for a message, such as ``"post-processor"`` and ``"unk_token of the model"``.
    """
    settings = folder.settings
    if folder.format != "tokenizer.json" or settings.family not in _MODELS:
        return []
    if folder.is_byte_level and settings.family == "llama":
        return []
    # Missing tokens of BERT raise a warning of their own.
    names = ["post-processor"] * (settings.family != "bert" and _lacks_ends(tokenizer, settings))
    if settings.keeps_components:
        return names
    if not builds_its_model(tokenizer, settings):
        return ["normalizer", "pre-tokenizer", *names, "model"]
    changed = _changed_settings(_object(folder.data)["model"], settings)
    return [*names, *(f"{name} of the model" for name in changed)]


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


def _changed_settings(model: Mapping[str, Any], settings: FolderSettings) -> dict[str, Any]:
    """Returns the settings of the model of a tokenizer.json that the class replaces, with its values; none without effect."""
    ids = _ids(model.get("vocab"))
    kind, wanted = _model(ids, settings)
    changed = {k: v for k, v in wanted.items() if _set(k, model.get(k)) != _set(k, v)}
    return changed if changed.keys() - _without_effect(ids, kind, model) else {}


def with_class_model(folder: ModelFolder) -> bytes | None:
    """Returns the tokenizer.json of a folder with the settings of the model that its class builds; None if none differs.

    Args:
        folder: The folder, whose class replaces the components of the file.
    """
    tree = _object(folder.data)
    model = tree.get("model")
    if not isinstance(model, dict) or model.get("type") != _MODELS[folder.settings.family or ""][0]:
        return None
    changed = _changed_settings(model, folder.settings)
    if not changed:
        return None
    # The class takes vocabulary and merges, and no record of this library about the model.
    public = {name: value for name, value in model.items() if name != "piecework"}
    return json.dumps(tree | {"model": public | changed}).encode()


def _object(data: bytes) -> dict[str, Any]:
    """Returns the members of a tokenizer.json; none of a malformed one, of which its reader raises the error."""
    with contextlib.suppress(ValueError, RecursionError):
        tree = json.loads(data.decode("utf-8-sig"))
        if isinstance(tree, dict):
            return tree
    return {}


def _ids(vocab: Any) -> Mapping[str, Any]:
    """Returns the ids of the entries of a vocabulary in a tokenizer.json."""
    if isinstance(vocab, list):
        pairs = (entry if isinstance(entry, list) else [entry] for entry in vocab)
        return {str(pair[0]): number for number, pair in enumerate(pairs) if pair}
    return vocab if isinstance(vocab, dict) else {}


def _set(name: str, value: Any) -> Any:
    """Returns the value of a setting; None for a value that equals a missing one."""
    return value if name == "unk_id" else value or None


def _model(ids: Mapping[str, Any], settings: FolderSettings) -> tuple[str, dict[str, Any]]:
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
                named = ids.get(unknown.content if unknown else "<unk>")
                number = number if named is None else named
            return kind, shared | {"unk_id": number}
    is_clip = family == "clip"
    return kind, shared | {
        "unk_token": unknown.content if is_clip and unknown else None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": "</w>" if is_clip else None,
    }


def _without_effect(ids: Mapping[str, Any], kind: str, found: Mapping[str, Any]) -> set[str]:
    """Returns the settings of a BPE model that have no effect, since its vocabulary spells every byte."""
    if kind != "BPE":
        return set()
    suffixes = {"", found.get("end_of_word_suffix") or ""}
    letters = (letter + suffix for letter in _LETTERS for suffix in suffixes)
    if all(letter in ids for letter in letters):
        return {*_WITHOUT_UNKNOWN, "byte_fallback"}
    pieces = (f"<0x{byte:02X}>" for byte in range(256))
    is_complete = all(piece in ids for piece in pieces)
    return _WITHOUT_UNKNOWN if is_complete and found.get("byte_fallback") else set()
