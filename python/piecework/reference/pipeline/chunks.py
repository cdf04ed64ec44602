r"""Safe split points: where a text can be split so that its parts encode as the whole does.

Most stages look at one character at a time, the pre-tokenizer at two adjacent ones, and canonical
reordering never moves marks past a character that is no mark. So a text can be split where a word
certainly ends. The text between two split points is a *chunk*. A chunk is not a word: it may hold
several words, or none; its tokens do not depend on its context. The core caches the tokens of
chunks.

See `spec/pipeline.md`, P51 to P54.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from piecework.reference.text import unicode

__all__ = ["CharacterKind", "Chunker"]

CharacterKind = Literal["separator", "isolated", "word", "other", "unstable"]
"""The kind of a character: `separator` lies between chunks, `isolated` is a chunk by itself, `word`
and `other` are split from each other, `unstable` stays with its neighbours."""

_NORMALIZERS = {"BertNormalizer", "Lowercase", "NFD", "StripAccents"}
_SEPARATING = {"BertPreTokenizer", "Whitespace", "WhitespaceSplit"}
_PRE_TOKENIZERS = _SEPARATING | {"Digits", "Punctuation"}


@dataclass(frozen=True)
class Chunker:
    """Splits texts into chunks for one pipeline.

    Args:
        drops_control: Whether normalization removes control characters.
        pads_cjk: Whether CJK ideographs are words by themselves.
        isolates_punctuation: Whether punctuation characters are words by themselves.
        separates_words: Whether word characters are split from all others.

    >>> chunker = Chunker(drops_control=True, pads_cjk=True, isolates_punctuation=True)
    >>> ["Don't go, 去吧!"[start:end] for start, end in chunker.chunks("Don't go, 去吧!")]
    ['Don', "'", 't', 'go', ',', '去', '吧', '!']
    """

    drops_control: bool = False
    pads_cjk: bool = False
    isolates_punctuation: bool = False
    separates_words: bool = False

    @classmethod
    def from_stages(
        cls, normalizer: Mapping[str, Any] | None, pre_tokenizer: Mapping[str, Any] | None
    ) -> "Chunker | None":
        """Returns the chunker of a tokenizer.json's stages, or None if no split point is safe.

        >>> Chunker.from_stages({"type": "NFD"}, {"type": "WhitespaceSplit"}) == Chunker()
        True
        >>> Chunker.from_stages({"type": "NFC"}, {"type": "WhitespaceSplit"}) is None
        True
        """
        normalizers = list(_flatten(normalizer, "normalizers"))
        splitters = list(_flatten(pre_tokenizer, "pretokenizers"))
        names = {step["type"] for step in splitters}
        if (
            not {step["type"] for step in normalizers} <= _NORMALIZERS
            or not names <= _PRE_TOKENIZERS
            or not names & _SEPARATING
            or any(step.get("behavior", "Isolated") != "Isolated" for step in splitters)
        ):
            return None
        return cls(
            drops_control=any(step.get("clean_text", False) for step in normalizers),
            pads_cjk=any(step.get("handle_chinese_chars", False) for step in normalizers),
            isolates_punctuation=bool(names & {"BertPreTokenizer", "Punctuation"}),
            separates_words="Whitespace" in names,
        )

    def kind(self, c: str) -> CharacterKind:
        r"""Returns the kind of a character.

        >>> [Chunker(isolates_punctuation=True).kind(c) for c in "a.\té"]
        ['word', 'isolated', 'separator', 'unstable']
        """
        if self.drops_control and unicode.is_control(c):
            return "unstable"  # removed, so that its neighbours become adjacent
        if unicode.is_whitespace(c):
            return "separator"
        if _is_unstable(c):
            return "unstable"
        if (self.pads_cjk and unicode.is_cjk(c)) or (
            self.isolates_punctuation and unicode.is_punctuation(c)
        ):
            return "isolated"
        if not c.isascii():
            return "unstable"
        return "other" if self.separates_words and not unicode.is_word(c) else "word"

    def chunks(self, text: str) -> Iterator[tuple[int, int]]:
        """Yields the (start, end) span of each chunk of a text, in characters.

        Cost: linear in the text.

        >>> list(Chunker().chunks(" ab c"))
        [(1, 3), (4, 5)]
        """
        start = 0
        kinds = [self.kind(c) for c in text]
        for at in range(1, len(text) + 1):
            if at == len(text) or is_cut(kinds[at - 1], kinds[at]):
                if kinds[start] != "separator":
                    yield start, at
                start = at


def is_cut(left: CharacterKind, right: CharacterKind) -> bool:
    """Returns whether a text is split between characters of two kinds.

    >>> is_cut("word", "separator"), is_cut("word", "other"), is_cut("unstable", "other")
    (True, True, False)
    """
    if left == right == "separator":
        return False
    if {left, right} & {"separator", "isolated"}:
        return True
    return left != right and "unstable" not in (left, right)


def _is_unstable(c: str) -> bool:
    """Returns whether normalization may change the character or its neighbours."""
    return (
        unicode.decompose(c) != c
        or unicode.combining_class(c) > 0
        or unicode.is_nonspacing_mark(c)
        or unicode.is_combining_mark(c)
    )


def _flatten(component: Mapping[str, Any] | None, members: str) -> Iterator[Mapping[str, Any]]:
    """Yields the steps of a component, with sequences flattened."""
    if component is None:
        return
    if component["type"] != "Sequence":
        yield component
        return
    for member in component[members]:
        yield from _flatten(member, members)
