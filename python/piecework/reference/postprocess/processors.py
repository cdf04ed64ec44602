"""Post-processing: special tokens around texts.

A post-processor maps the encodings of one text or a pair to the encodings to be merged, of which
some are its own. Each text arrives with its range, and its index as type id.

Added tokens have no word, the span (0, 0), and are marked special. Overflowing parts get the
special tokens of the text that they were cut off.
"""

from collections.abc import Mapping, Sequence as SequenceOf
from dataclasses import dataclass, replace
from typing import Any

from piecework.reference.postprocess.encoding import Encoding, TokenRow, merge_encodings
from piecework.reference.text import unicode
from piecework.reference.text.bytes import BYTE_ALPHABET

TokenId = tuple[str, int]


class PostProcessor:
    """Adds special tokens around the encodings of an input.

    >>> BertProcessing(("[SEP]", 2), ("[CLS]", 1)).count_added(2)
    3
    """

    def count_added(self, sequence_count: int) -> int:
        """Returns the number of special tokens added to an input of `sequence_count` texts."""
        raise NotImplementedError

    def process(self, texts: list[Encoding], *, add_special_tokens: bool) -> list[Encoding]:
        """Returns the encodings to be merged."""
        raise NotImplementedError


def post_process(
    texts: SequenceOf[Encoding], processor: PostProcessor | None, *, add_special_tokens: bool = True
) -> Encoding:
    """Merges the encodings of one or two texts, with special tokens.

    Args:
        texts: The encodings, with their overflowing parts.
        processor: The post-processor; None concatenates the texts.
        add_special_tokens: Add special tokens.

    Returns:
        The encoding. Without a processor, and for one text, it has no ranges.

    >>> a = Encoding((TokenRow(5, "a", (0, 1), 0, 0),))
    >>> post_process([a, a], BertProcessing(("[SEP]", 2), ("[CLS]", 1))).ids
    [1, 5, 2, 5, 2]
    """
    if processor is None:
        return (
            texts[0]
            if len(texts) == 1
            else merge_encodings(t.as_sequence(i) for i, t in enumerate(texts))
        )
    sequences = [
        replace(
            text.as_sequence(i), overflowing=tuple(o.as_sequence(i) for o in text.overflowing)
        ).with_type_id(i)
        for i, text in enumerate(texts)
    ]
    return merge_encodings(processor.process(sequences, add_special_tokens=add_special_tokens))


def _special(token: TokenId, type_id: int) -> TokenRow:
    return TokenRow(token[1], token[0], (0, 0), None, type_id, special=True)


@dataclass(frozen=True)
class BertProcessing(PostProcessor):
    """Makes `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`.

    Args:
        sep: The token after each text, with its id.
        cls: The token before the first text, with its id.

    >>> BertProcessing(("[SEP]", 2), ("[CLS]", 1)).count_added(1)
    2
    """

    sep: TokenId
    cls: TokenId

    def count_added(self, sequence_count: int) -> int:  # noqa: D102
        return 1 + sequence_count

    def process(self, texts: list[Encoding], *, add_special_tokens: bool) -> list[Encoding]:  # noqa: D102
        if not add_special_tokens:
            return texts
        cls, ends = (_special(self.cls, 0),), ((_special(self.sep, 0),), (_special(self.sep, 1),))
        return [
            _surround(() if i else cls, text, ends[min(i, 1)], min(i, 1))
            for i, text in enumerate(texts)
        ]


def _surround(
    before: tuple[TokenRow, ...], text: Encoding, after: tuple[TokenRow, ...], i: int
) -> Encoding:
    """Puts rows around a text and each of its parts, whose special and padding rows become text."""

    def surround_part(part: Encoding) -> Encoding:
        rows = tuple(row._replace(special=False, attention=True) for row in part.rows)
        span = len(before), len(before) + len(rows)
        return Encoding(before + rows + after, (), {i: span})

    return replace(surround_part(text), overflowing=tuple(map(surround_part, text.overflowing)))


@dataclass(frozen=True)
class RobertaProcessing(PostProcessor):
    """Makes `<s> A </s>` and `<s> A </s></s> B </s>`, with type id 0 throughout.

    Args:
        sep: The token after each text and before the second, with its id.
        cls: The token before the first text, with its id.
        trim_offsets: Exclude white space at the ends of tokens from their spans.
        add_prefix_space: Whether the pre-tokenizer prepended a space (see `trim_spans`).

    >>> RobertaProcessing(("</s>", 2), ("<s>", 0)).count_added(2)
    4
    """

    sep: TokenId
    cls: TokenId
    trim_offsets: bool = True
    add_prefix_space: bool = True

    def count_added(self, sequence_count: int) -> int:  # noqa: D102
        return 2 * sequence_count

    def process(self, texts: list[Encoding], *, add_special_tokens: bool) -> list[Encoding]:  # noqa: D102
        if self.trim_offsets:
            texts = [trim_spans(text, add_prefix_space=self.add_prefix_space) for text in texts]
        texts = [text.with_type_id(0) for text in texts]
        if not add_special_tokens:
            return texts
        cls, sep = (_special(self.cls, 0),), (_special(self.sep, 0),)
        around = [
            _surround(sep if i else cls, text, sep, min(i, 1)) for i, text in enumerate(texts)
        ]
        return [
            replace(text.with_type_id(0), overflowing=_parts_of_type_zero(text)) for text in around
        ]


def _parts_of_type_zero(text: Encoding) -> tuple[Encoding, ...]:
    return tuple(part.with_type_id(0) for part in text.overflowing)


@dataclass(frozen=True)
class ByteLevel(PostProcessor):
    """Adds no tokens; corrects spans for the leading spaces of byte-level tokens.

    Args:
        trim_offsets: Exclude white space at the ends of tokens from their spans.
        add_prefix_space: Whether the pre-tokenizer prepended a space (see `trim_spans`).
    """

    trim_offsets: bool = True
    add_prefix_space: bool = True

    def count_added(self, sequence_count: int) -> int:  # noqa: ARG002, D102
        return 0

    def process(  # noqa: D102
        self,
        texts: list[Encoding],
        *,
        add_special_tokens: bool,  # noqa: ARG002
    ) -> list[Encoding]:
        if self.trim_offsets:
            texts = [trim_spans(text, add_prefix_space=self.add_prefix_space) for text in texts]
        return [text.as_sequence(i) for i, text in enumerate(texts)]


def trim_spans(text: Encoding, *, add_prefix_space: bool) -> Encoding:
    """Excludes white space at the ends of tokens from their spans.

    A token at the start of the encoding or of the input that begins with exactly one space keeps it
    if `add_prefix_space` says that the space was never in the input.

    Args:
        text: An encoding.
        add_prefix_space: Whether the pre-tokenizer prepended a space.

    Returns:
        The encoding and its overflowing parts with narrower spans.

    >>> rows = (TokenRow(0, "Ġa", (0, 2), 0, 0), TokenRow(0, "Ġb", (2, 4), 1, 0))
    >>> trim_spans(Encoding(rows), add_prefix_space=False).offsets
    [(1, 2), (3, 4)]
    """
    rows = tuple(_trim_row(i, row, add_prefix_space) for i, row in enumerate(text.rows))
    parts = tuple(trim_spans(part, add_prefix_space=add_prefix_space) for part in text.overflowing)
    return replace(text, rows=rows, overflowing=parts)


def _trim_row(i: int, row: TokenRow, add_prefix_space: bool) -> TokenRow:
    leading, trailing = _count_leading_spaces(row.token), _count_leading_spaces(row.token[::-1])
    start, end = row.span
    if (i == 0 or start == 0) and add_prefix_space and leading == 1:
        leading = 0
    start = min(start + leading, end)
    if end >= trailing:
        end = max(end - trailing, start)
    return row._replace(span=(start, end))


def _count_leading_spaces(token: str) -> int:
    """Returns the number of leading characters that are white space or stand for a space."""
    spaces = [c == BYTE_ALPHABET[0x20] or unicode.is_whitespace(c) for c in token]
    return spaces.index(False) if False in spaces else len(spaces)


@dataclass(frozen=True)
class TemplatePiece:
    """Holds one position of a template.

    Args:
        name: `A` or `B` for a text, or the name of a special token.
        type_id: The type id of its tokens.
        special: Whether it is a special token.
    """

    name: str
    type_id: int
    special: bool


@dataclass(frozen=True)
class TemplateProcessing(PostProcessor):
    """Arranges texts and special tokens by a template.

    Args:
        single: The template for one text.
        pair: The template for two texts.
        special_tokens: For each name of a special token, its tokens with their ids.

    Raises:
        ValueError: a template names a special token that is not given, or the template for one text
            names text B.

    >>> cls = TemplatePiece("[CLS]", 0, special=True)
    >>> a = TemplatePiece("A", 0, special=False)
    >>> template = TemplateProcessing((cls, a), (), {"[CLS]": [("[CLS]", 1)]})
    >>> post_process([Encoding((TokenRow(5, "a", (0, 1), 0, 0),))], template).ids
    [1, 5]
    """

    single: tuple[TemplatePiece, ...]
    pair: tuple[TemplatePiece, ...]
    special_tokens: Mapping[str, SequenceOf[TokenId]]

    def __post_init__(self) -> None:
        if any(piece.name == "B" and not piece.special for piece in self.single):
            raise ValueError("the template for one text holds $B; remove it")
        for piece in (*self.single, *self.pair):
            if piece.special and piece.name not in self.special_tokens:
                raise ValueError(
                    f"special token {piece.name!r} of the template is not in special_tokens; add it"
                )

    def count_added(self, sequence_count: int) -> int:  # noqa: D102
        names = [piece.name for piece in self._template(sequence_count) if piece.special]
        return sum(len(self.special_tokens[name]) for name in names)

    def process(self, texts: list[Encoding], *, add_special_tokens: bool) -> list[Encoding]:  # noqa: D102
        encodings: list[Encoding] = []
        for piece in self._template(len(texts)):
            if not piece.special:
                i = "AB".index(piece.name)
                encodings.append(texts[i].with_type_id(piece.type_id).as_sequence(i))
            elif add_special_tokens:
                tokens = self.special_tokens[piece.name]
                encodings.append(
                    Encoding(tuple(_special(token, piece.type_id) for token in tokens))
                )
        return encodings

    def _template(self, sequence_count: int) -> tuple[TemplatePiece, ...]:
        if sequence_count not in (1, 2):
            raise ValueError(f"{sequence_count} texts: expected one or two")
        return self.pair if sequence_count == 2 else self.single


@dataclass(frozen=True)
class Sequence(PostProcessor):
    """Applies post-processors one after the other, each to the encodings of the one before.

    Args:
        steps: The post-processors.
    """

    steps: tuple[PostProcessor, ...] | list[PostProcessor]

    def count_added(self, sequence_count: int) -> int:  # noqa: D102
        return sum(step.count_added(sequence_count) for step in self.steps)

    def process(self, texts: list[Encoding], *, add_special_tokens: bool) -> list[Encoding]:  # noqa: D102
        for step in self.steps:
            texts = step.process(texts, add_special_tokens=add_special_tokens)
        return texts


def from_dict(data: Mapping[str, Any]) -> PostProcessor:
    """Creates a post-processor from its member in a tokenizer.json.

    Args:
        data: The object; `type` names the post-processor.

    Returns:
        The post-processor.

    Raises:
        ValueError: the type is unknown, or a setting is invalid.
        KeyError: a setting is missing.

    >>> from_dict({"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]})
    BertProcessing(sep=('[SEP]', 2), cls=('[CLS]', 1))
    """
    match data["type"]:
        case "BertProcessing":
            return BertProcessing(_token_id(data["sep"]), _token_id(data["cls"]))
        case "RobertaProcessing":
            flags = data["trim_offsets"], data["add_prefix_space"]
            return RobertaProcessing(_token_id(data["sep"]), _token_id(data["cls"]), *flags)
        case "ByteLevel":
            return ByteLevel(data["trim_offsets"], data["add_prefix_space"])
        case "TemplateProcessing":
            tokens = {
                name: list(zip(token["tokens"], token["ids"], strict=True))
                for name, token in data["special_tokens"].items()
            }
            return TemplateProcessing(_pieces(data["single"]), _pieces(data["pair"]), tokens)
        case "Sequence":
            return Sequence([from_dict(step) for step in data["processors"]])
    raise ValueError(f"post_processor: type {data['type']!r} is unknown")


def _token_id(pair: SequenceOf[Any]) -> TokenId:
    token, number = pair
    return token, number


def _pieces(template: SequenceOf[Mapping[str, Any]]) -> tuple[TemplatePiece, ...]:
    return tuple(
        TemplatePiece(piece["id"], piece["type_id"], special=kind == "SpecialToken")
        for entry in template
        for kind, piece in entry.items()
    )
