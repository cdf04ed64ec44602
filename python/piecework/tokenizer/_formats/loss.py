"""Describes what a format cannot represent of a tokenizer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework.errors import PieceworkWarning, VocabularyError
from piecework.tokenizer._formats.detect import Format, stem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from piecework._core import Tokenizer as CoreTokenizer


def tiktoken_settings(core: CoreTokenizer) -> tuple[str | None, dict[str, int]]:
    """Returns what a file of ranks lacks: the split pattern, if there is exactly one, and the special tokens."""
    parts = json.loads(core.parts())
    special_tokens = dict(core.special_tokens())
    match parts["pre_tokenizer"]:
        case {"type": "ByteLevel", "use_regex": True, "add_prefix_space": False}:
            return _core.encoding_named("gpt2")[0], special_tokens
        case {
            "type": "Sequence",
            "pretokenizers": [
                {
                    "type": "Split",
                    "behavior": "Isolated",
                    "invert": False,
                    "pattern": {"Regex": regex},
                },
                {"type": "ByteLevel", "use_regex": False, "add_prefix_space": False},
            ],
        }:
            return str(regex), special_tokens
    return None, special_tokens


def reload(core: CoreTokenizer, kind: Format, files: Mapping[str, bytes]) -> CoreTokenizer:
    """Returns the tokenizer that is read back from files; ranks get the pattern and the special tokens."""
    if kind == "tiktoken":
        pattern, special_tokens = tiktoken_settings(core)
        return _core.from_tiktoken(files[""], pattern or "", list(special_tokens.items()))
    if kind != "merges.txt":
        return _core.read_format(kind, files[""])
    splitter = None if _implies_splitter(files) else core.splitter()
    return _core.from_merges(files["vocab.json"], files["merges.txt"], splitter, [])


def _implies_splitter(files: Mapping[str, bytes]) -> bool:
    """Returns whether the pre-tokenizer can be inferred from a vocabulary."""
    try:
        _core.from_merges(files["vocab.json"], b"", None, [])
    except VocabularyError:
        return False
    return True


_OF_THE_MODEL = (
    "dropout",
    "unk_token",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "fuse_unk",
    "byte_fallback",
)


def describe_loss(
    core: CoreTokenizer,
    kind: Format,
    files: Mapping[str, bytes],
    name: str,
    stages: Mapping[str, object],
) -> PieceworkWarning | None:
    """Returns a warning of what the files of a format lack, with the settings to load them with as its hint.

    Args:
        core: The tokenizer.
        kind: The format.
        files: The written files.
        name: The name of the file.
        stages: The normalizer and the pre-tokenizer.

    Returns:
        The warning, or None if nothing is lost. `ignore_merges` is not compared, since writers reject tokenizers for which
        it matters.
    """
    # Symbols of SentencePiece are never special; another warning says so.
    symbols = _symbols(core) if kind == "sentencepiece" else frozenset()
    ours, theirs = _facts(core, symbols), _facts(reload(core, kind, files), symbols)
    lost = [fact for fact in ours if ours[fact] != theirs[fact]]
    settings = []
    if kind == "tiktoken":
        settings = _missing_settings(core, name)
        if tiktoken_settings(core)[0] is not None:
            lost = [fact for fact in lost if fact != "pre_tokenizer"]
    elif kind == "merges.txt":
        required = [] if _implies_splitter(files) else ["pre_tokenizer"]
        settings = [f"{fact}={stages[fact]!r}" for fact in stages if fact in {*lost, *required}]
        lost = [fact for fact in lost if fact not in stages]
    elif kind == "sentencepiece":
        # The writer rejects other normalizers; this one may be read as an equivalent one.
        lost = [fact for fact in lost if fact != "normalizer"]
    problem = f"the format {kind} cannot represent all of this tokenizer"
    return warning_of_loss(problem, lost, settings, "load it" if lost else "load it unchanged")


def warning_of_loss(
    problem: str, lost: Sequence[str], settings: Sequence[str], effect: str
) -> PieceworkWarning | None:
    """Returns a warning of what a file lacks, and of the settings that its loading needs; None if there is neither."""
    if not settings and not lost:
        return None
    changes = f"; it lacks or changes {', '.join(lost)}" if lost else ""
    written = ", ".join(f"`{setting}`" for setting in settings)
    hint = f"pass {written} to {effect}" if settings else None
    return PieceworkWarning(f"{problem}{changes}", hint=hint)


def _missing_settings(core: CoreTokenizer, name: str) -> list[str]:
    """Returns the settings that a file of ranks needs when it is loaded."""
    pattern, special_tokens = tiktoken_settings(core)
    settings = pattern, list(special_tokens.items())
    names = [known for known in _core.encoding_names() if _core.encoding_named(known) == settings]
    if names:
        return [] if stem(name) in names else [f'name="{names[0]}"']
    if pattern is None:
        return []
    return [f"pattern={pattern!r}", f"special_tokens={special_tokens!r}"]


def _symbols(core: CoreTokenizer) -> frozenset[str]:
    """Returns the symbols that a normalizer of SentencePiece leaves unchanged."""
    normalizer = json.loads(core.parts())["normalizer"]
    return frozenset((normalizer or {}).get("user_defined_symbols", ()))


def _facts(core: CoreTokenizer, plain: frozenset[str]) -> dict[str, Any]:
    """Returns what a file may lack of a tokenizer, of which the tokens in `plain` count as not special."""
    model = json.loads(core.model_json())
    added = [
        (number, flags)
        for number, (*flags, special) in core.added_tokens()
        if not special or flags[0] in plain
    ]
    return {
        "ids": core.vocab(),
        **{name: model.get(name) for name in _OF_THE_MODEL},
        **json.loads(core.parts()),
        "special_tokens": [token for token in core.special_tokens() if token[0] not in plain],
        "added_tokens": added,
        "training": core.training(),
    }
