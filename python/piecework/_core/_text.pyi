"""Runs normalizers, pre-tokenizers and decoders without a tokenizer."""

from collections.abc import Callable, Iterable, Sequence
from typing import final

@final
class TextStages:
    """Runs a normalizer or a pre-tokenizer.

    >>> from piecework._core import TextStages
    >>> TextStages('{"normalizer": {"type": "NFKC"}}', []).normalize("ﬁve")
    'five'
    >>> split = '{"pre_tokenizer": {"type": "piecework.Function", "index": 0}}'
    >>> TextStages(split, [str.split]).pre_tokenize("to be")
    [('to', (0, 2)), ('be', (3, 5))]
    """

    def __new__(cls, splitter: str, functions: Sequence[Callable[[str], object]]) -> TextStages: ...
    def normalize(self, text: str) -> str:
        """Returns the normalized text."""

    def normalize_aligned(self, text: str) -> tuple[str, list[tuple[int, int]]]:
        """Returns the normalized text, with the original characters of each of its characters.

        >>> from piecework._core import TextStages
        >>> TextStages('{"normalizer": {"type": "NFKC"}}', []).normalize_aligned("ﬁ")
        ('fi', [(0, 1), (0, 1)])
        """

    def pre_tokenize_aligned(self, text: str) -> list[tuple[str, list[tuple[int, int]]]]:
        """Returns the words of a text, each with the original characters of its characters.

        >>> from piecework._core import TextStages
        >>> split = '{"pre_tokenizer": {"type": "WhitespaceSplit"}}'
        >>> TextStages(split, []).pre_tokenize_aligned("to be")
        [('to', [(0, 1), (1, 2)]), ('be', [(3, 4), (4, 5)])]
        """

    def pre_tokenize(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """Returns the words of a text with their start and end in characters."""

def decode_tokens(decoder: str, tokens: Iterable[str]) -> str:
    """Returns the text of tokens, decoded by `decoder` (JSON).

    >>> from piecework._core import decode_tokens
    >>> decode_tokens('{"type": "BPEDecoder", "suffix": "</w>"}', ["to</w>", "be</w>"])
    'to be'
    """

def charsmap_named(name: str) -> bytes | None:
    """Returns the character map of SentencePiece's named rules, or None for rules without effect.

    >>> from piecework._core import charsmap_named
    >>> charsmap_named("identity")
    """

def charsmap_of(rules: Sequence[tuple[str, str]]) -> bytes:
    r"""Returns the character map of rules, pairs of a string and its replacement.

    >>> from piecework._core import charsmap_of
    >>> charsmap_of([("a", "b")])[-2:]
    b'b\x00'
    """
