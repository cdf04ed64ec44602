"""Detects, reads and writes file formats, and describes what a format cannot represent."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from piecework import _core
from piecework.errors import ConfigError, VocabularyError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework._core import Tokenizer as CoreTokenizer

__all__ = [
    "FORMATS",
    "Format",
    "companion_file",
    "describe_loss",
    "detect_format",
    "encoding",
    "format_from_name",
    "is_scored",
    "read",
    "reload",
    "tiktoken_settings",
    "write",
]

Format = Literal[
    "tokenizer.json", "vocab.txt", "merges.txt", "tiktoken", "sentencepiece", "subword-nmt", "clip"
]
"""A file format of tokenizers."""

FORMATS: Final = get_args(Format)

_SCORED = re.compile(rb"[^\t\n]+\t-?\d[\d.e+-]*\r?(?:\n|\Z)")
# Of the core's table: which formats a name stands for, and which files belong together.
_TABLE: Final = _core.file_formats()
_SUFFIXES: Final[Mapping[str, str]] = {suffix: name for name, suffix, _ in _TABLE if suffix}
_COMPANIONS: Final = [pair for *_, pairs in _TABLE for pair in pairs]


def detect_format(data: bytes, name: str = "") -> Format:
    r"""Returns the format of a file.

    Args:
        data: The bytes of the file, decompressed.
        name: The name of the file, which decides if the bytes are ambiguous.

    Returns:
        The format; that of a vocab.json is ``"merges.txt"``, since it needs that file.

    >>> detect_format(b"#version: 0.2\nl o\n", "merges.txt"), detect_format(b"IQ== 0\nIg== 1\n")
    ('merges.txt', 'tiktoken')
    """
    # A name may have bytes that are no UTF-8; its ending alone matters.
    return _core.detect_format(data, name.encode(errors="replace").decode())


def format_from_name(name: str) -> Format:
    """Returns the format to write for a file name, consistent with :func:`detect_format`.

    Args:
        name: The name of the file.

    Returns:
        The format, by default ``"tokenizer.json"``.

    Raises:
        ConfigError: A file of that name contains only a part of a tokenizer.

    >>> format_from_name("t5.model"), format_from_name("vocab.txt"), format_from_name("tokenizer.json"), format_from_name("mine")
    ('sentencepiece', 'vocab.txt', 'tokenizer.json', 'tokenizer.json')
    """
    suffix = os.path.splitext(name)[1].lower()
    if suffix != ".json" and (other := companion_file(name)):
        raise ConfigError(
            f'{name} requires {other} too; pass their folder and the format "merges.txt"'
        )
    if suffix == ".vocab":
        raise ConfigError(
            f"{name} would contain only pieces and scores (see models.Unigram.to_vocab()); "
            "pass another name, or the format"
        )
    return cast("Format", _SUFFIXES.get(suffix, "tokenizer.json"))


def is_scored(data: bytes) -> bool:
    r"""Returns whether bytes start with a piece, a tab and a score, like a SentencePiece ``.vocab`` file.

    >>> is_scored(b"<unk>\t0\n"), is_scored(b"<unk>\nhug\n")
    (True, False)
    """
    return _SCORED.match(data) is not None


def companion_file(name: str) -> str | None:
    """Returns the other file of a vocabulary or of a list of merges, or None for other names.

    >>> companion_file("gpt2-encoder.json"), companion_file("merges.txt"), companion_file("codes.txt")
    ('gpt2-vocab.bpe', 'vocab.json', None)
    """
    for pair in (*_COMPANIONS, *(tuple(reversed(pair)) for pair in _COMPANIONS)):
        if name.lower().endswith(pair[0]):
            return name[: len(name) - len(pair[0])] + pair[1]
    return None


def read(kind: Format, data: bytes) -> CoreTokenizer:
    r"""Returns the tokenizer of a format that has no further settings.

    >>> len(read("subword-nmt", b"#version: 0.2\nl o</w>\n"))
    6
    """
    return _core.read_format(kind, data)


def encoding(path: str, name: str | None) -> tuple[str, dict[str, int]]:
    """Returns the pattern and the special tokens of a tiktoken encoding.

    Args:
        path: The file of ranks, whose name is the default of `name`.
        name: The name of the encoding.

    Returns:
        The pattern in Oniguruma's syntax, and special tokens with their ids.

    Raises:
        ConfigError: The encoding is unknown.

    >>> encoding("r50k_base.tiktoken", None)[1]
    {'<|endoftext|>': 50256}
    """
    try:
        pattern, special_tokens = _core.encoding_named(_stem(path) if name is None else name)
    except ConfigError as error:
        if name is not None:
            raise
        message = (
            f"{path}: a file of ranks contains no split pattern, and its name is not that of an encoding: {error}; pass "
            "name=... or pattern=... to Tokenizer.from_tiktoken"
        )
        raise ConfigError(message) from None
    return pattern, dict(special_tokens)


def _stem(path: str) -> str:
    return os.path.basename(path).split(".", 1)[0]


# --- writing ------------------------------------------------------------------------------------


def write(core: CoreTokenizer, kind: Format, base: bytes | None = None) -> dict[str, bytes]:
    """Returns the files of a format by name; the empty name is that of a single file.

    Args:
        core: The tokenizer.
        kind: The format.
        base: A .model file from which fields are copied that a tokenizer does not contain.

    Raises:
        ConfigError: The format cannot represent the tokenizer, or is unknown.
    """
    if kind not in FORMATS:
        known = ", ".join(FORMATS)
        raise ConfigError(f"unknown format {shown(kind)}; expected one of {known}")
    return _core.write_format(core, kind, base)


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
        return read(kind, files[""])
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
    core: CoreTokenizer, kind: Format, files: Mapping[str, bytes], name: str
) -> str | None:
    """Returns a description of what the files of a format lack, and of the settings to load them with.

    Args:
        core: The tokenizer.
        kind: The format.
        files: The written files.
        name: The name of the file.

    Returns:
        A sentence, or None if nothing is lost. `ignore_merges` is not compared, since writers reject tokenizers for which
        it matters.
    """
    ours, theirs = _facts(core), _facts(reload(core, kind, files))
    lost = [fact for fact in ours if ours[fact] != theirs[fact]]
    settings = []
    if kind == "tiktoken":
        settings = _missing_settings(core, name)
        if tiktoken_settings(core)[0] is not None:
            lost = [fact for fact in lost if fact != "pre_tokenizer"]
    elif kind == "merges.txt":
        stages = ["normalizer", "pre_tokenizer"]
        required = [] if _implies_splitter(files) else ["pre_tokenizer"]
        settings = [f"{fact}=..." for fact in stages if fact in {*lost, *required}]
        lost = [fact for fact in lost if fact not in stages]
    elif kind == "sentencepiece":
        # The writer rejects other normalizers; this one may be read as an equivalent one.
        lost = [fact for fact in lost if fact != "normalizer"]
    parts = [f"pass {', '.join(settings)} to load it unchanged"] if settings else []
    # With spaces, as in `inspect`, since the command line rewrites names of settings as options.
    parts += [f"it lacks or changes {', '.join(lost).replace('_', ' ')}"] if lost else []
    return (
        f"the format {kind} cannot represent all of this tokenizer: {'; '.join(parts)}"
        if parts
        else None
    )


def _missing_settings(core: CoreTokenizer, name: str) -> list[str]:
    """Returns the settings that a file of ranks needs when it is loaded."""
    pattern, special_tokens = tiktoken_settings(core)
    settings = pattern, list(special_tokens.items())
    names = [known for known in _core.encoding_names() if _core.encoding_named(known) == settings]
    if names:
        return [] if _stem(name) in names else [f'name="{names[0]}"']
    if pattern is None:
        return []
    return [f"pattern={pattern!r}", f"special_tokens={special_tokens!r}"]


def _facts(core: CoreTokenizer) -> dict[str, Any]:
    model = json.loads(core.model_json())
    added = [token for token in core.added_tokens() if not token[1][-1]]
    return {
        "ids": core.vocab(),
        **{name: model.get(name) for name in _OF_THE_MODEL},
        **json.loads(core.parts()),
        "special_tokens": core.special_tokens(),
        "added_tokens": added,
        "training": core.training(),
    }
