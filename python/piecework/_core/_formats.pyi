"""Files of other libraries, as bytes: to a tokenizer and back."""

from collections.abc import Callable, Sequence

from piecework._core._tokenizer import Tokenizer
from piecework.formats import Format

def file_formats() -> list[tuple[str, str | None, list[tuple[str, str]]]]:
    """Give the table of formats: name, the ending of file names that stands for it, endings of files that belong together.

    >>> from piecework._core import file_formats
    >>> [suffix for name, suffix, _ in file_formats() if name == "tiktoken"]
    ['.tiktoken']
    """

def detect_format(data: bytes, name: str) -> Format:
    r"""Give the name of the format of bytes; the file's name decides where they leave it open.

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
    """Read ranks; the pattern splits text, and special tokens have their ids."""

def from_merges(
    vocab: bytes,
    merges: bytes,
    splitter: str | None,
    functions: Sequence[Callable[[str], object]],
    kind: str | None = None,
) -> Tokenizer:
    """Read a vocab.json and a merges.txt; a splitter (JSON) and a kind go before what the vocabulary tells."""

def from_subword_nmt(data: bytes, kept: tuple[bytes, int | None, str] | None = None) -> Tokenizer:
    """Read codes; kept are the tokens of a file with counts, of at least some count, and what marks one within a word."""

def first_gap(tokenizer: Tokenizer) -> int | None:
    """Give the smallest id without a token although a larger one has one."""

def encoding_names() -> list[str]:
    """Give the names of the encodings that are known.

    >>> from piecework._core import encoding_names
    >>> encoding_names()[0]
    'gpt2'
    """

def encoding_named(name: str) -> tuple[str, list[tuple[str, int]]]:
    """Give the pattern and the special tokens of an encoding.

    >>> from piecework._core import encoding_named
    >>> encoding_named("r50k_base")[1]
    [('<|endoftext|>', 50256)]
    """
