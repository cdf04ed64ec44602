r"""Where a text may be cut so that its parts can be encoded one by one, and nothing changes.

Most stages look at one character at a time, the pre-tokenizer at the border of two, and canonical
reordering never past a character that is no mark. So a text may be cut where a word surely ends. What
lies between two cuts is a *chunk*. A chunk is no word: it may hold several, or none; it only has to be
cut in the same way wherever it stands. The core keeps the tokens of chunks that it met before.

See `spec/pipeline.md`, P51 to P54.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from piecework.reference import unicode

__all__ = ["Cutter", "Kind"]

Kind = Literal["space", "alone", "word", "other", "glue"]
"""What a character is to the cutter: between chunks, a chunk by itself, of one of two kinds that are
parted from each other, or with whatever stands beside it."""

_NORMALIZERS = {"BertNormalizer", "Lowercase", "NFD", "StripAccents"}
_DIVIDING = {"BertPreTokenizer", "Whitespace", "WhitespaceSplit"}
_PRE_TOKENIZERS = _DIVIDING | {"Digits", "Punctuation"}


@dataclass(frozen=True)
class Cutter:
    """Gives the chunks of texts for one pipeline.

    Args:
        cleans: Control characters vanish.
        pads: Ideographs are words by themselves.
        isolates: Punctuation is, too.
        parts_words: What is of the class word is parted from what is not.

    >>> cutter = Cutter(cleans=True, pads=True, isolates=True)
    >>> ["Don't go, 去吧!"[start:end] for start, end in cutter.chunks("Don't go, 去吧!")]
    ['Don', "'", 't', 'go', ',', '去', '吧', '!']
    """

    cleans: bool = False
    pads: bool = False
    isolates: bool = False
    parts_words: bool = False

    @classmethod
    def of(
        cls, normalizer: Mapping[str, Any] | None, pre_tokenizer: Mapping[str, Any] | None
    ) -> "Cutter | None":
        """Gives the cutter for the stages of a tokenizer.json, or None where texts may not be cut.

        >>> Cutter.of({"type": "NFD"}, {"type": "WhitespaceSplit"})
        Cutter(cleans=False, pads=False, isolates=False, parts_words=False)
        >>> Cutter.of({"type": "NFC"}, {"type": "WhitespaceSplit"}) is None
        True
        """
        normalizers = list(_steps(normalizer, "normalizers"))
        splitters = list(_steps(pre_tokenizer, "pretokenizers"))
        names = {step["type"] for step in splitters}
        if (
            not {step["type"] for step in normalizers} <= _NORMALIZERS
            or not names <= _PRE_TOKENIZERS
            or not names & _DIVIDING
            or any(step.get("behavior", "Isolated") != "Isolated" for step in splitters)
        ):
            return None
        return cls(
            cleans=any(step.get("clean_text", False) for step in normalizers),
            pads=any(step.get("handle_chinese_chars", False) for step in normalizers),
            isolates=bool(names & {"BertPreTokenizer", "Punctuation"}),
            parts_words="Whitespace" in names,
        )

    def kind(self, c: str) -> Kind:
        r"""Gives the kind of a character.

        >>> [Cutter(isolates=True).kind(c) for c in "a.\té"]
        ['word', 'alone', 'space', 'glue']
        """
        if self.cleans and unicode.is_control(c):
            return "glue"  # it vanishes, and what stands beside it comes together
        if unicode.is_whitespace(c):
            return "space"
        if _changes(c):
            return "glue"
        if (self.pads and unicode.is_cjk(c)) or (self.isolates and unicode.is_punctuation(c)):
            return "alone"
        if not c.isascii():
            return "glue"
        return "other" if self.parts_words and not unicode.is_word(c) else "word"

    def chunks(self, text: str) -> Iterator[tuple[int, int]]:
        """Gives the first character and the end of each chunk of a text.

        >>> list(Cutter().chunks(" ab c"))
        [(1, 3), (4, 5)]
        """
        start = 0
        kinds = [self.kind(c) for c in text]
        for at in range(1, len(text) + 1):
            if at == len(text) or is_cut(kinds[at - 1], kinds[at]):
                if kinds[start] != "space":
                    yield start, at
                start = at


def is_cut(left: Kind, right: Kind) -> bool:
    """Tell whether a text is cut between characters of two kinds.

    >>> is_cut("word", "space"), is_cut("word", "other"), is_cut("glue", "other")
    (True, True, False)
    """
    if left == right == "space":
        return False
    if {left, right} & {"space", "alone"}:
        return True
    return left != right and "glue" not in (left, right)


def _changes(c: str) -> bool:
    """Whether normalization may make something else of it, or of what stands beside it."""
    return (
        unicode.decompose(c) != c
        or unicode.combining_class(c) > 0
        or unicode.is_nonspacing_mark(c)
        or unicode.is_combining_mark(c)
    )


def _steps(component: Mapping[str, Any] | None, members: str) -> Iterator[Mapping[str, Any]]:
    """Gives the steps of a component, those of sequences one by one."""
    if component is None:
        return
    if component["type"] != "Sequence":
        yield component
        return
    for member in component[members]:
        yield from _steps(member, members)
