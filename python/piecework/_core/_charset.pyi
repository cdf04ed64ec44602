"""Detects character encodings."""

def detect_encoding(data: bytes, whole: bool) -> str:
    """Returns the most likely encoding of the first bytes of a file, which are the whole file if `whole`.

    >>> from piecework._core import detect_encoding
    >>> detect_encoding("naïve".encode(), True)
    'UTF-8'
    """
