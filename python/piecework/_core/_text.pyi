"""The first stages and the last one by themselves."""

from collections.abc import Iterable

def normalize(splitter: str, text: str) -> str:
    """Give the text as the normalizer of `splitter` (JSON) leaves it."""

def pre_tokenize(splitter: str, text: str) -> list[tuple[str, tuple[int, int]]]:
    """Give the words that `splitter` (JSON) makes of a text, with their spans of characters."""

def decode_tokens(decoder: str, tokens: Iterable[str]) -> str:
    """Give the text that `decoder` (JSON) makes of tokens.

    >>> from piecework._core import decode_tokens
    >>> decode_tokens('{"type": "BPEDecoder", "suffix": "</w>"}', ["to</w>", "be</w>"])
    'to be'
    """

def canonical_decoder(decoder: str) -> str:
    """Give a decoder (JSON) as files have it: checked, with every member, earlier forms brought up to date."""

def detect_encoding(data: bytes, whole: bool) -> str:
    """Guess the character set of bytes that begin a file, and are all of it if `whole`.

    >>> from piecework._core import detect_encoding
    >>> detect_encoding("naïve".encode(), True)
    'UTF-8'
    """
