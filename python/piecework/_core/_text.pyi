"""The first stages and the last one by themselves."""

from collections.abc import Callable, Iterable, Sequence
from typing import final

@final
class Stage:
    """A normalizer or a pre-tokenizer by itself, ready for many texts.

    >>> from piecework._core import Stage
    >>> Stage('{"normalizer": {"type": "NFKC"}}', []).normalize("ﬁve")
    'five'
    >>> split = '{"pre_tokenizer": {"type": "piecework.Function", "index": 0}}'
    >>> Stage(split, [str.split]).pre_tokenize("to be")
    [('to', (0, 2)), ('be', (3, 5))]
    """

    def __new__(cls, splitter: str, functions: Sequence[Callable[[str], object]]) -> Stage: ...
    def normalize(self, text: str) -> str:
        """Give the text as the normalizer leaves it."""

    def pre_tokenize(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """Give the words of a text, with their spans of characters."""

def decode_tokens(decoder: str, tokens: Iterable[str]) -> str:
    """Give the text that `decoder` (JSON) makes of tokens.

    >>> from piecework._core import decode_tokens
    >>> decode_tokens('{"type": "BPEDecoder", "suffix": "</w>"}', ["to</w>", "be</w>"])
    'to be'
    """

def charsmap_named(name: str) -> bytes | None:
    """Give SentencePiece's rules of a name as a model holds them, or None for those that change nothing.

    >>> from piecework._core import charsmap_named
    >>> charsmap_named("identity")
    """

def charsmap_of(rules: Sequence[tuple[str, str]]) -> bytes:
    r"""Give rules, strings and what they become, as a model holds them.

    >>> from piecework._core import charsmap_of
    >>> charsmap_of([("a", "b")])[-2:]
    b'b\x00'
    """
