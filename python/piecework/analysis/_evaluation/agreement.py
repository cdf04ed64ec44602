"""Defines how much of texts tokenizers cut in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._settings.immutable import Record, dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from piecework._show import Block as ShownBlock
    from piecework.analysis._comparison.comparison import Block

__all__ = ["Agreement", "Disagreement"]


@dataclass(frozen=True, slots=True)
class Disagreement(Record):
    """Shows the first part of a text that tokenizers cut differently.

    Attributes:
        source: The number of the file, or of the group of texts.
        position: The position in the file as :attr:`Documents.positions`, or the number of the text from 0.
        place: The file and the line or row, or the number of the text.
        start: The first character of the part in the text.
        text: The part: the text of the first block that tokenizers cut differently.
        tokens: The tokens of each tokenizer in it, in readable form, by its name.
        blocks: The block, and a few before and after it.
    """

    source: int
    position: int
    place: str
    start: int
    text: str
    tokens: Mapping[str, tuple[str, ...]]
    blocks: tuple[Block, ...]

    def __str__(self) -> str:
        """Returns the place and the aligned segmentations."""
        from piecework._show import as_text

        return as_text(self._document())

    def _document(self) -> Iterator[ShownBlock]:
        from piecework._show import Text
        from piecework.analysis._comparison.comparison import alignment

        yield Text(self.place)
        yield alignment([(name,) for name in self.tokens], self.blocks)

    def to_dict(self) -> dict[str, Any]:
        """Returns the place, the start, the text, and the tokens of each tokenizer as JSON values."""
        tokens = {name: list(each) for name, each in self.tokens.items()}
        return {"place": self.place, "start": self.start, "text": self.text, "tokens": tokens}


@dataclass(frozen=True, slots=True)
class Agreement(Record):
    r"""Holds how much of some texts all tokenizers cut in the same way, apart from tokens of white space alone.

    Attributes:
        texts: The number of texts.
        characters: The number of their characters.
        equal_texts: The number of texts that all tokenizers cut in the same way.
        equal_characters: The number of characters in blocks that all tokenizers cut in the same way.
        disagreements: The first texts that they cut differently.

    >>> import piecework as pw
    >>> two = {"a": pw.Tokenizer.from_str("[UNK]\nlow\n##er\n"), "b": pw.Tokenizer.from_str("[UNK]\nlower\nlow\n")}
    >>> agreement = pw.evaluate(two, ["low", "lower"], disagreements=1).agreement
    >>> agreement.text_agreement, agreement.disagreements[0].tokens
    (0.5, {'a': ('low', '##er'), 'b': ('lower',)})
    """

    texts: int = 0
    characters: int = 0
    equal_texts: int = 0
    equal_characters: int = 0
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def text_agreement(self) -> float:
        """Returns the share of texts that all tokenizers cut in the same way; 1 without texts."""
        return self.equal_texts / self.texts if self.texts else 1.0

    @property
    def character_agreement(self) -> float:
        """Returns the share of characters in blocks that all tokenizers cut in the same way; 1 without characters."""
        return self.equal_characters / self.characters if self.characters else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers, the shares and the disagreements as JSON values."""
        return {
            "texts": self.texts,
            "characters": self.characters,
            "text_agreement": self.text_agreement,
            "character_agreement": self.character_agreement,
            "disagreements": [each.to_dict() for each in self.disagreements],
        }

    @classmethod
    def total(cls, parts: Iterable[Agreement], most: int) -> Agreement:
        """Returns the sum of parts, with at most the first `most` disagreements."""
        each = tuple(parts)
        found = [disagreement for part in each for disagreement in part.disagreements]
        found.sort(key=lambda one: (one.source, one.position))
        return cls(
            sum(part.texts for part in each),
            sum(part.characters for part in each),
            sum(part.equal_texts for part in each),
            sum(part.equal_characters for part in each),
            tuple(found[:most]),
        )
