"""The first stages and the last one by themselves."""

from collections.abc import Callable, Iterable, Sequence

def normalize(normalizer: str, text: str) -> str:
    """Give the text as `normalizer` (JSON) leaves it.

    >>> from piecework._core import normalize
    >>> normalize('{"type": "NFKC"}', "ﬁve")
    'five'
    """

def pre_tokenize(
    pre_tokenizer: str, functions: Sequence[Callable[[str], object]], text: str
) -> list[tuple[str, tuple[int, int]]]:
    """Give the words that `pre_tokenizer` (JSON) makes of a text, with their spans of characters.

    `functions` are the Python functions that a "piecework.Function" means by its "index".

    >>> from piecework._core import pre_tokenize
    >>> pre_tokenize('{"type": "piecework.Function", "index": 0}', [str.split], "to be")
    [('to', (0, 2)), ('be', (3, 5))]
    """

def decode_tokens(decoder: str, tokens: Iterable[str]) -> str:
    """Give the text that `decoder` (JSON) makes of tokens.

    >>> from piecework._core import decode_tokens
    >>> decode_tokens('{"type": "BPEDecoder", "suffix": "</w>"}', ["to</w>", "be</w>"])
    'to be'
    """

def detect_encoding(data: bytes, whole: bool) -> str:
    """Guess the character set of bytes that begin a file, and are all of it if `whole`.

    >>> from piecework._core import detect_encoding
    >>> detect_encoding("naïve".encode(), True)
    'UTF-8'
    """
