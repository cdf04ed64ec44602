"""Putting special tokens around texts.

A post-processor takes the encodings of one text or a pair and gives the encodings to be merged, some
of them its own. Each text comes with its range and its number as type id.

What it adds has no word, covers (0, 0), and is marked special. Overflowing parts get the same
special tokens as the text they were cut off.
"""

from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, replace
from typing import Any

from piecework.reference import unicode
from piecework.reference.encoding import Encoding, Row, merged
from piecework.reference.normalize import BYTE_ALPHABET

Named = tuple[str, int]


class PostProcessor:
    """Gives what becomes of the encodings of an input.

    >>> Bert(("[SEP]", 2), ("[CLS]", 1)).added(2)
    3
    """

    def added(self, texts: int) -> int:
        """Gives how many special tokens an input of so many texts gets."""
        raise NotImplementedError

    def process(self, texts: list[Encoding], *, add_special_tokens: bool) -> list[Encoding]:
        """Gives the encodings to be merged."""
        raise NotImplementedError


def process(
    texts: SequenceOf[Encoding], processor: PostProcessor | None, *, add_special_tokens: bool = True
) -> Encoding:
    """Makes one encoding of those of one or two texts.

    Args:
        texts: The encodings, with their truncated parts.
        processor: What to do with them; None puts them one after the other.
        add_special_tokens: Add special tokens.

    Returns:
        The encoding. Without a processor, and for one text, it has no ranges.

    >>> a = Encoding((Row(5, "a", (0, 1), 0, 0),))
    >>> process([a, a], Bert(("[SEP]", 2), ("[CLS]", 1))).ids
    [1, 5, 2, 5, 2]
    """
    if processor is None:
        return texts[0] if len(texts) == 1 else merged(t.of_text(i) for i, t in enumerate(texts))
    own = [
        replace(text.of_text(i), overflowing=tuple(o.of_text(i) for o in text.overflowing)).typed(i)
        for i, text in enumerate(texts)
    ]
    return merged(processor.process(own, add_special_tokens=add_special_tokens))


def _special(token: Named, type_id: int) -> Row:
    return Row(token[1], token[0], (0, 0), None, type_id, special=True)


@dataclass(frozen=True)
class Bert(PostProcessor):
    """Gives `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`.

    Args:
        sep: The token after each text, with its id.
        cls: The token in front, with its id.

    >>> Bert(("[SEP]", 2), ("[CLS]", 1)).added(1)
    2
    """

    sep: Named
    cls: Named

    def added(self, texts: int) -> int:  # noqa: D102
        return 1 + texts

    def process(self, texts: list[Encoding], *, add_special_tokens: bool) -> list[Encoding]:  # noqa: D102
        if not add_special_tokens:
            return texts
        cls, ends = (_special(self.cls, 0),), ((_special(self.sep, 0),), (_special(self.sep, 1),))
        return [
            _around(() if i else cls, text, ends[min(i, 1)], min(i, 1))
            for i, text in enumerate(texts)
        ]


def _around(before: tuple[Row, ...], text: Encoding, after: tuple[Row, ...], i: int) -> Encoding:
    """Puts rows around a text and each of its parts; what was special or padding is text again."""

    def enclosed(part: Encoding) -> Encoding:
        rows = tuple(row._replace(special=False, attention=True) for row in part.rows)
        span = len(before), len(before) + len(rows)
        return Encoding(before + rows + after, (), {i: span})

    return replace(enclosed(text), overflowing=tuple(map(enclosed, text.overflowing)))


@dataclass(frozen=True)
class Roberta(PostProcessor):
    """Gives `<s> A </s>` and `<s> A </s></s> B </s>`, with type id 0 throughout.

    Args:
        sep: The token after each text and before the second, with its id.
        cls: The token in front, with its id.
        trim_offsets: Leave white space at the ends of tokens out of their spans.
        add_prefix_space: Whether the pre-tokenizer put a space in front (see `trimmed`).

    >>> Roberta(("</s>", 2), ("<s>", 0)).added(2)
    4
    """

    sep: Named
    cls: Named
    trim_offsets: bool = True
    add_prefix_space: bool = True

    def added(self, texts: int) -> int:  # noqa: D102
        return 2 * texts

    def process(self, texts: list[Encoding], *, add_special_tokens: bool) -> list[Encoding]:  # noqa: D102
        if self.trim_offsets:
            texts = [trimmed(text, add_prefix_space=self.add_prefix_space) for text in texts]
        texts = [text.typed(0) for text in texts]
        if not add_special_tokens:
            return texts
        cls, sep = (_special(self.cls, 0),), (_special(self.sep, 0),)
        around = [_around(sep if i else cls, text, sep, min(i, 1)) for i, text in enumerate(texts)]
        return [replace(text.typed(0), overflowing=_all_zero(text)) for text in around]


def _all_zero(text: Encoding) -> tuple[Encoding, ...]:
    return tuple(part.typed(0) for part in text.overflowing)


@dataclass(frozen=True)
class ByteLevel(PostProcessor):
    """Adds nothing; corrects spans for the spaces that byte-level tokens begin with.

    Args:
        trim_offsets: Leave white space at the ends of tokens out of their spans.
        add_prefix_space: Whether the pre-tokenizer put a space in front (see `trimmed`).
    """

    trim_offsets: bool = True
    add_prefix_space: bool = True

    def added(self, texts: int) -> int:  # noqa: ARG002, D102
        return 0

    def process(  # noqa: D102
        self,
        texts: list[Encoding],
        *,
        add_special_tokens: bool,  # noqa: ARG002
    ) -> list[Encoding]:
        if self.trim_offsets:
            texts = [trimmed(text, add_prefix_space=self.add_prefix_space) for text in texts]
        return [text.of_text(i) for i, text in enumerate(texts)]


def trimmed(text: Encoding, *, add_prefix_space: bool) -> Encoding:
    """Leaves white space at the ends of tokens out of their spans.

    A token at the start of the encoding or of the input that begins with exactly one space keeps
    it where `add_prefix_space` says that the space was never in the input.

    Args:
        text: An encoding.
        add_prefix_space: Whether the pre-tokenizer put a space in front.

    Returns:
        The encoding and its overflowing parts with narrower spans.

    >>> rows = (Row(0, "Ġa", (0, 2), 0, 0), Row(0, "Ġb", (2, 4), 1, 0))
    >>> trimmed(Encoding(rows), add_prefix_space=False).offsets
    [(1, 2), (3, 4)]
    """
    rows = tuple(_trimmed_row(i, row, add_prefix_space) for i, row in enumerate(text.rows))
    parts = tuple(trimmed(part, add_prefix_space=add_prefix_space) for part in text.overflowing)
    return replace(text, rows=rows, overflowing=parts)


def _trimmed_row(i: int, row: Row, add_prefix_space: bool) -> Row:
    leading, trailing = _spaces(row.token), _spaces(row.token[::-1])
    start, end = row.span
    if (i == 0 or start == 0) and add_prefix_space and leading == 1:
        leading = 0
    start = min(start + leading, end)
    if end >= trailing:
        end = max(end - trailing, start)
    return row._replace(span=(start, end))


def _spaces(token: str) -> int:
    """Gives how many characters of white space, or of what stands for a space, lead a token."""
    spaces = [c == BYTE_ALPHABET[0x20] or unicode.is_whitespace(c) for c in token]
    return spaces.index(False) if False in spaces else len(spaces)


@dataclass(frozen=True)
class Piece:
    """Gives a place in a template.

    Args:
        name: `A` or `B` for a text, or the name of a special token.
        type_id: The type id of its tokens.
        special: Whether it is a special token.
    """

    name: str
    type_id: int
    special: bool


@dataclass(frozen=True)
class Template(PostProcessor):
    """Gives texts and special tokens in the order that a template says.

    Args:
        single: The template for one text.
        pair: The template for two.
        special_tokens: For each name of a special token, the tokens it stands for with their ids.

    Raises:
        ValueError: a template names a special token that is not there, or text B where there is
            only A.

    >>> cls = Piece("[CLS]", 0, special=True)
    >>> template = Template((cls, Piece("A", 0, special=False)), (), {"[CLS]": [("[CLS]", 1)]})
    >>> process([Encoding((Row(5, "a", (0, 1), 0, 0),))], template).ids
    [1, 5]
    """

    single: tuple[Piece, ...]
    pair: tuple[Piece, ...]
    special_tokens: Mapping[str, SequenceOf[Named]]

    def __post_init__(self) -> None:
        if any(piece.name == "B" and not piece.special for piece in self.single):
            raise ValueError("the template for one text holds $B")
        for piece in (*self.single, *self.pair):
            if piece.special and piece.name not in self.special_tokens:
                raise ValueError(f"the template's special token {piece.name!r} is not given")

    def added(self, texts: int) -> int:  # noqa: D102
        names = [piece.name for piece in self._template(texts) if piece.special]
        return sum(len(self.special_tokens[name]) for name in names)

    def process(self, texts: list[Encoding], *, add_special_tokens: bool) -> list[Encoding]:  # noqa: D102
        made: list[Encoding] = []
        for piece in self._template(len(texts)):
            if not piece.special:
                i = "AB".index(piece.name)
                made.append(texts[i].typed(piece.type_id).of_text(i))
            elif add_special_tokens:
                tokens = self.special_tokens[piece.name]
                made.append(Encoding(tuple(_special(token, piece.type_id) for token in tokens)))
        return made

    def _template(self, texts: int) -> tuple[Piece, ...]:
        if texts not in (1, 2):
            raise ValueError(f"a template is for one or two texts, and there are {texts}")
        return self.pair if texts == 2 else self.single


@dataclass(frozen=True)
class Sequence(PostProcessor):
    """Applies post-processors one after the other, each to the encodings that the one before gave.

    Args:
        steps: The post-processors.
    """

    steps: tuple[PostProcessor, ...] | list[PostProcessor]

    def added(self, texts: int) -> int:  # noqa: D102
        return sum(step.added(texts) for step in self.steps)

    def process(self, texts: list[Encoding], *, add_special_tokens: bool) -> list[Encoding]:  # noqa: D102
        for step in self.steps:
            texts = step.process(texts, add_special_tokens=add_special_tokens)
        return texts


def from_dict(data: Mapping[str, Any]) -> PostProcessor:
    """Makes a post-processor of its entry in a tokenizer.json.

    Args:
        data: The object; `type` says which post-processor it is.

    Returns:
        The post-processor.

    Raises:
        ValueError: there is no such type, or a setting is impossible.
        KeyError: a setting is missing.

    >>> from_dict({"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]})
    Bert(sep=('[SEP]', 2), cls=('[CLS]', 1))
    """
    match data["type"]:
        case "BertProcessing":
            return Bert(_named(data["sep"]), _named(data["cls"]))
        case "RobertaProcessing":
            flags = data["trim_offsets"], data["add_prefix_space"]
            return Roberta(_named(data["sep"]), _named(data["cls"]), *flags)
        case "ByteLevel":
            return ByteLevel(data["trim_offsets"], data["add_prefix_space"])
        case "TemplateProcessing":
            tokens = {
                name: list(zip(token["tokens"], token["ids"], strict=True))
                for name, token in data["special_tokens"].items()
            }
            return Template(_pieces(data["single"]), _pieces(data["pair"]), tokens)
        case "Sequence":
            return Sequence([from_dict(step) for step in data["processors"]])
    raise ValueError(f"there is no post-processor {data['type']!r}")


def _named(pair: SequenceOf[Any]) -> Named:
    token, number = pair
    return token, number


def _pieces(template: SequenceOf[Mapping[str, Any]]) -> tuple[Piece, ...]:
    return tuple(
        Piece(piece["id"], piece["type_id"], special=kind == "SpecialToken")
        for entry in template
        for kind, piece in entry.items()
    )
