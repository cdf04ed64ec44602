"""Reads and writes the files of other libraries as bytes."""

from collections.abc import Callable, Sequence
from typing import Literal

from piecework._core._tokenizer import Tokenizer
from piecework.tokenizer._formats.detect import Format

def file_formats() -> list[tuple[str, str | None, list[tuple[str, str]]]]:
    """Returns the table of formats: name, suffix of file names, suffixes of companion files.

    >>> from piecework._core import file_formats
    >>> [suffix for name, suffix, _ in file_formats() if name == "tiktoken"]
    ['.tiktoken']
    """

def component_members() -> dict[str, dict[str, list[str]]]:
    """Returns the types of each stage, and the members of each type in a tokenizer.json.

    >>> from piecework._core import component_members
    >>> component_members()["decoder"]["Strip"]
    ['content', 'start', 'stop']
    """

def file_sizes(name: Format | Literal["json"], data: bytes) -> list[tuple[str, int]]:
    """Returns the sizes of a file that is not read yet, by the names of their limits.

    >>> from piecework._core import file_sizes
    >>> file_sizes("json", b'{"a": ["b"]}')
    [('nesting', 2), ('values', 4), ('entries', 0)]
    """

def detect_format(data: bytes, name: str) -> Format:
    r"""Returns the format of bytes; the file name decides where the bytes do not.

    >>> from piecework._core import detect_format
    >>> detect_format(b"IQ== 0\nIg== 1\n", "")
    'tiktoken'
    """

def read_format(name: str, data: bytes) -> Tokenizer:
    """Reads a file of a format that needs no other file."""

def write_format(tokenizer: Tokenizer, name: str, base: bytes | None = None) -> dict[str, bytes]:
    """Returns the files of a format by name (empty: any name); a .model takes all but the pieces from `base`."""

def from_tiktoken(
    data: bytes, pattern: str, special_tokens: Sequence[tuple[str, int]]
) -> Tokenizer:
    """Returns the tokenizer of tiktoken ranks, a split pattern, and special tokens with their ids."""

def from_merges(
    vocab: bytes,
    merges: bytes,
    splitter: str | None,
    functions: Sequence[Callable[[str], object]],
    kind: str | None = None,
) -> Tokenizer:
    """Returns the tokenizer of a vocab.json and a merges.txt.

    `splitter` (JSON) and `kind` replace what is inferred from the vocabulary.
    """

def from_subword_nmt(data: bytes, kept: tuple[bytes, int | None, str] | None = None) -> Tokenizer:
    """Returns the tokenizer of subword-nmt codes; `kept` is a vocabulary with counts, a minimum count and a separator."""

def first_gap(tokenizer: Tokenizer) -> int | None:
    """Returns the smallest id without a token that is less than the largest id; None if there is none."""

def encoding_names() -> list[str]:
    """Returns the names of the known tiktoken encodings.

    >>> from piecework._core import encoding_names
    >>> encoding_names()[0]
    'gpt2'
    """

def encoding_named(name: str) -> tuple[str, list[tuple[str, int]]]:
    """Returns the pattern and the special tokens of a tiktoken encoding.

    >>> from piecework._core import encoding_named
    >>> encoding_named("r50k_base")[1]
    [('<|endoftext|>', 50256)]
    """

def splitter_fingerprint(splitter: str) -> str:
    """Returns the fingerprint of normalizer and pre-tokenizer (JSON), in 64 hexadecimal digits.

    >>> from piecework._core import splitter_fingerprint
    >>> len(splitter_fingerprint('{"normalizer": null, "pre_tokenizer": null}'))
    64
    """
