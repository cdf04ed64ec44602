"""A guess at the character set of a file."""

def detect_encoding(data: bytes, whole: bool) -> str:
    """Guess the character set of bytes that begin a file, and are all of it if `whole`.

    >>> from piecework._core import detect_encoding
    >>> detect_encoding("naïve".encode(), True)
    'UTF-8'
    """
