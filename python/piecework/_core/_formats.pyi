"""Files of other libraries, as bytes: to a tokenizer and back."""

from collections.abc import Callable, Sequence

from piecework._core._tokenizer import Tokenizer

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

def from_clip(data: bytes) -> Tokenizer:
    """Read CLIP's list of merges."""

def from_sentencepiece(data: bytes) -> Tokenizer:
    """Read a .model file."""

def from_subword_nmt(data: bytes, kept: tuple[bytes, int | None, str] | None = None) -> Tokenizer:
    """Read codes; kept are the tokens of a file with counts, of at least some count, and what marks one within a word."""

def to_clip(tokenizer: Tokenizer) -> str:
    """Write CLIP's list of merges."""

def to_tiktoken(tokenizer: Tokenizer) -> str:
    """Write ranks."""

def to_vocab_json(tokenizer: Tokenizer) -> str:
    """Write a vocab.json."""

def to_merges(tokenizer: Tokenizer) -> str:
    """Write a merges.txt."""

def to_sentencepiece(tokenizer: Tokenizer, like: bytes | None) -> bytes:
    """Write a .model file, with all but the pieces as another one has it."""

def to_subword_nmt(tokenizer: Tokenizer) -> str:
    """Write codes."""

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
