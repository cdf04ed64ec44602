"""The first stages by themselves."""

def normalize(splitter: str, text: str) -> str:
    """Give the text as the normalizer of `splitter` (JSON) leaves it."""

def pre_tokenize(splitter: str, text: str) -> list[tuple[str, tuple[int, int]]]:
    """Give the words that `splitter` (JSON) makes of a text, with their spans of characters."""

def detect_encoding(data: bytes, whole: bool) -> str:
    """Guess the character set of bytes that begin a file, and are all of it if `whole`.

    >>> from piecework._core import detect_encoding
    >>> detect_encoding("naïve".encode(), True)
    'UTF-8'
    """
