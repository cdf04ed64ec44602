"""The files of other libraries: which one bytes are of, and what a file cannot hold of a tokenizer."""

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
    "said_of_tiktoken",
    "write",
]

Format = Literal[
    "tokenizer.json", "vocab.txt", "merges.txt", "tiktoken", "sentencepiece", "subword-nmt", "clip"
]
"""What a tokenizer is read from, and written to."""

FORMATS: Final = get_args(Format)

_SCORED = re.compile(rb"[^\t\n]+\t-?\d[\d.e+-]*\r?(?:\n|\Z)")
# Of the core's table: which formats a name stands for, and which files belong together.
_SUFFIXES: Final[Mapping[str, str]] = {
    suffix: name for name, suffix, _ in _core.file_formats() if suffix is not None
}
_PARTNERS: Final = [pair for *_, pairs in _core.file_formats() for pair in pairs]


def detect_format(data: bytes, name: str = "") -> Format:
    r"""Tell what bytes are a file of.

    Args:
        data: The bytes, unpacked.
        name: The file's name, which decides where the bytes leave it open.

    Returns:
        The format; a vocab.json counts as ``"merges.txt"``, which it belongs to.

    >>> detect_format(b"#version: 0.2\nl o\n", "merges.txt"), detect_format(b"IQ== 0\nIg== 1\n")
    ('merges.txt', 'tiktoken')
    """
    # A name may have bytes that are no UTF-8; its ending alone matters.
    return _core.detect_format(data, name.encode(errors="replace").decode())


def format_from_name(name: str) -> Format:
    """Tell what a file is written as if its name has to say it: what :func:`detect_format` would take it for.

    Args:
        name: The file's name.

    Returns:
        The format, ``"tokenizer.json"`` for names that say none.

    Raises:
        ConfigError: A file of that name does not hold a tokenizer by itself.

    >>> format_from_name("t5.model"), format_from_name("vocab.txt"), format_from_name("tokenizer.json"), format_from_name("mine")
    ('sentencepiece', 'vocab.txt', 'tokenizer.json', 'tokenizer.json')
    """
    suffix = os.path.splitext(name)[1].lower()
    if suffix != ".json" and (other := companion_file(name)):
        raise ConfigError(
            f'{name} belongs with {other}: give their folder, and the format "merges.txt"'
        )
    if suffix == ".vocab":
        raise ConfigError(
            f"{name} would hold pieces and their scores alone, as models.Unigram.to_vocab() gives them; "
            "give another name, or the format"
        )
    return cast("Format", _SUFFIXES.get(suffix, "tokenizer.json"))


def is_scored(data: bytes) -> bool:
    r"""Tell whether bytes begin with a piece, a tab and a score, as what SentencePiece writes beside a model does.

    >>> is_scored(b"<unk>\t0\n"), is_scored(b"<unk>\nhug\n")
    (True, False)
    """
    return _SCORED.match(data) is not None


def companion_file(name: str) -> str | None:
    """Give the file that a vocabulary or a list of merges belongs with, or None if the name tells no such.

    >>> companion_file("gpt2-encoder.json"), companion_file("merges.txt"), companion_file("codes.txt")
    ('gpt2-vocab.bpe', 'vocab.json', None)
    """
    for pair in (*_PARTNERS, *(tuple(reversed(pair)) for pair in _PARTNERS)):
        if name.lower().endswith(pair[0]):
            return name[: len(name) - len(pair[0])] + pair[1]
    return None


def read(kind: Format, data: bytes) -> CoreTokenizer:
    r"""Give the tokenizer of a file that says all by itself.

    >>> len(read("subword-nmt", b"#version: 0.2\nl o</w>\n"))
    6
    """
    return _core.read_format(kind, data)


def encoding(path: str, name: str | None) -> tuple[str, dict[str, int]]:
    """Give the pattern and the special tokens of an encoding.

    Args:
        path: The file of its ranks, which says the name where none is given.
        name: Its name.

    Returns:
        The pattern in Oniguruma's syntax, and special tokens with their ids.

    Raises:
        ConfigError: No such encoding is known.

    >>> encoding("r50k_base.tiktoken", None)[1]
    {'<|endoftext|>': 50256}
    """
    try:
        pattern, special_tokens = _core.encoding_named(_stem(path) if name is None else name)
    except ConfigError as error:
        if name is not None:
            raise
        message = (
            f"{path}: a file of ranks does not say how text is split, and its name does not tell: {error}; pass "
            "name=..., or pattern=... to Tokenizer.from_tiktoken"
        )
        raise ConfigError(message) from None
    return pattern, dict(special_tokens)


def _stem(path: str) -> str:
    return os.path.basename(path).split(".", 1)[0]


# --- writing ------------------------------------------------------------------------------------


def write(core: CoreTokenizer, kind: Format, base: bytes | None = None) -> dict[str, bytes]:
    """Give the files of a format, by their names; the empty name stands for one that has any.

    Args:
        core: The tokenizer.
        kind: The format.
        base: A .model file to take from what a tokenizer does not hold.

    Raises:
        ConfigError: The format cannot hold the tokenizer, or is not written.
    """
    if kind not in FORMATS:
        known = ", ".join(FORMATS)
        raise ConfigError(f"the format {shown(kind)} is not among those that are written, {known}")
    return _core.write_format(core, kind, base)


def said_of_tiktoken(core: CoreTokenizer) -> tuple[str | None, dict[str, int]]:
    """Give what a file of ranks does not say: the pattern, if text is split by one alone, and the special tokens."""
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
    """Give the tokenizer that is read back from files, of ranks with the pattern and the special tokens."""
    if kind == "tiktoken":
        pattern, special_tokens = said_of_tiktoken(core)
        return _core.from_tiktoken(files[""], pattern or "", list(special_tokens.items()))
    if kind != "merges.txt":
        return read(kind, files[""])
    splitter = None if _tells_splitter(files) else core.splitter()
    return _core.from_merges(files["vocab.json"], files["merges.txt"], splitter, [])


def _tells_splitter(files: Mapping[str, bytes]) -> bool:
    """Whether a vocabulary tells how text is split."""
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
    """Tell what the files of a format do not hold of a tokenizer, and what their reader has to be told.

    Args:
        core: The tokenizer.
        kind: The format.
        files: What was written.
        name: The name of the file to be.

    Returns:
        A sentence, or None if all is held. Whether words that are tokens are merged is left out, as files for which it
        matters are refused.
    """
    ours, theirs = _facts(core), _facts(reload(core, kind, files))
    lost = [fact for fact in ours if ours[fact] != theirs[fact]]
    told = []
    if kind == "tiktoken":
        told = _untold(core, name)
        if said_of_tiktoken(core)[0] is not None:
            lost = [fact for fact in lost if fact != "pre_tokenizer"]
    elif kind == "merges.txt":
        stages = ["normalizer", "pre_tokenizer"]
        asked = [] if _tells_splitter(files) else ["pre_tokenizer"]
        told = [f"{fact}=..." for fact in stages if fact in {*lost, *asked}]
        lost = [fact for fact in lost if fact not in stages]
    elif kind == "sentencepiece":
        # One that it cannot say is refused, and one that it can is read in other words at most.
        lost = [fact for fact in lost if fact != "normalizer"]
    parts = [f"pass {', '.join(told)} to load it as it was"] if told else []
    # With spaces, as `inspect` has them: the command line makes options of names of settings.
    parts += [f"it lacks or changes {', '.join(lost).replace('_', ' ')}"] if lost else []
    return (
        f"the format {kind} does not hold all of this tokenizer: {'; '.join(parts)}"
        if parts
        else None
    )


def _untold(core: CoreTokenizer, name: str) -> list[str]:
    """Name what a file of ranks has to be read with."""
    pattern, special_tokens = said_of_tiktoken(core)
    said = pattern, list(special_tokens.items())
    fitting = [known for known in _core.encoding_names() if _core.encoding_named(known) == said]
    if fitting:
        return [] if _stem(name) in fitting else [f'name="{fitting[0]}"']
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
