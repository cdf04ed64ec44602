"""Post-processors: the special tokens put around one text or a pair of texts.

They are those of ``tokenizers`` 0.23, with its parameters, and give what it gives.

>>> template = TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)])
>>> template.num_special_tokens_to_add(is_pair=True)
3
"""

from __future__ import annotations

import re
from collections import abc
from dataclasses import field
from typing import Any, ClassVar, Literal

from piecework._component import Component, Part
from piecework._immutable import dataclass
from piecework._settings import (
    FLAG,
    NUMBER,
    TEXT,
    Choice,
    Kind,
    ListOf,
    Mismatch,
    items,
    members,
    takes,
    under,
)
from piecework.errors import ConfigError, hint, shown

__all__ = [
    "BertProcessing",
    "ByteLevel",
    "PostProcessor",
    "RobertaProcessing",
    "Sequence",
    "SpecialToken",
    "TemplatePiece",
    "TemplateProcessing",
]


class PostProcessor(Component):
    """The base of all post-processors."""

    _added: ClassVar[tuple[int, int]] = (0, 0)
    """How many tokens are added to a text, and to a pair."""

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Give how many tokens are added to a text, or to a pair of texts.

        Args:
            is_pair: Whether there are two texts.

        Returns:
            The number.

        >>> RobertaProcessing(("</s>", 2), ("<s>", 0)).num_special_tokens_to_add(is_pair=True)
        4
        """
        return self._added[bool(is_pair)]


class _Token(Kind):
    """A token and its id: an array of both."""

    def check(self, value: Any) -> tuple[str, int]:
        pair = items(value)
        if len(pair) != 2:
            raise Mismatch(f"expected a token and its id, found {shown(value)}")
        return TEXT.check(pair[0]), NUMBER.check(pair[1])

    def write(self, value: tuple[str, int]) -> list[Any]:
        return list(value)


@dataclass(frozen=True)
class BertProcessing(PostProcessor):
    """BERT's: ``[CLS] A [SEP]``, and ``[CLS] A [SEP] B [SEP]`` whose second part has type id 1.

    Args:
        sep: The token after each text, and its id.
        cls: The token before all, and its id.

    >>> BertProcessing(("[SEP]", 102), ("[CLS]", 101)).num_special_tokens_to_add(is_pair=False)
    2
    """

    type_name: ClassVar[str] = "BertProcessing"
    _added: ClassVar[tuple[int, int]] = (2, 3)

    sep: tuple[str, int] = field(metadata=takes(_Token()))
    cls: tuple[str, int] = field(metadata=takes(_Token()))


@dataclass(frozen=True)
class RobertaProcessing(PostProcessor):
    """RoBERTa's: ``<s> A </s>``, and ``<s> A </s></s> B </s>``; all type ids are 0.

    Args:
        sep: The token around the texts, and its id.
        cls: The token before all, and its id.
        trim_offsets: Whether the spans of tokens leave out the white space at their ends.
        add_prefix_space: Whether the pre-tokenizer puts a space before the text.

    >>> RobertaProcessing(("</s>", 2), ("<s>", 0)).num_special_tokens_to_add(is_pair=False)
    2
    """

    type_name: ClassVar[str] = "RobertaProcessing"
    _added: ClassVar[tuple[int, int]] = (2, 4)

    sep: tuple[str, int] = field(metadata=takes(_Token()))
    cls: tuple[str, int] = field(metadata=takes(_Token()))
    trim_offsets: bool = field(default=True, metadata=takes(FLAG))
    add_prefix_space: bool = field(default=True, metadata=takes(FLAG))


@dataclass(frozen=True)
class ByteLevel(PostProcessor):
    """The spans of byte-level tokens leave out the white space at their ends; no token is added.

    Args:
        add_prefix_space: Whether the pre-tokenizer puts a space before the text.
        trim_offsets: Whether spans are trimmed at all.
        use_regex: Kept for files that have it; it is the pre-tokenizer's that counts.

    >>> ByteLevel(trim_offsets=False)
    ByteLevel(add_prefix_space=True, trim_offsets=False, use_regex=True)
    """

    type_name: ClassVar[str] = "ByteLevel"

    add_prefix_space: bool = field(default=True, metadata=takes(FLAG))
    trim_offsets: bool = field(default=True, metadata=takes(FLAG))
    use_regex: bool = field(default=True, metadata=takes(FLAG, may_lack=True))


@dataclass(frozen=True)
class TemplatePiece:
    """A piece of a template: one of the texts, or a special token.

    Attributes:
        kind: ``"Sequence"`` or ``"SpecialToken"``.
        id: ``"A"`` or ``"B"``, or the name of the special token.
        type_id: The type id of its tokens.
    """

    kind: Literal["Sequence", "SpecialToken"]
    id: str
    type_id: int = 0

    def __str__(self) -> str:
        name = f"${self.id}" if self.kind == "Sequence" else self.id
        return f"{name}:{self.type_id}" if self.type_id else name


@dataclass(frozen=True)
class SpecialToken:
    """What a special token of a template stands for.

    Attributes:
        id: Its name in the template.
        ids: The ids that are added; mostly one.
        tokens: Their tokens.
    """

    id: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]


_IDS, _TOKENS = ListOf(NUMBER), ListOf(TEXT)


class _Template(Kind):
    """Pieces as a tuple, from a string like ``[CLS] $A [SEP]:1``, a list of such pieces, or JSON."""

    def check(self, value: Any) -> tuple[TemplatePiece, ...]:
        if isinstance(value, str):
            # Only the space divides: a token may hold other white space.
            value = [piece for piece in value.split(" ") if piece]
        return _PIECES.check(value)

    def read(self, data: Any) -> tuple[TemplatePiece, ...]:
        return _PIECES.read(data)

    def write(self, value: tuple[TemplatePiece, ...]) -> list[Any]:
        return [{p.kind: {"id": p.id, "type_id": p.type_id}} for p in value]


class _Piece(Kind):
    """One piece."""

    def check(self, value: Any) -> TemplatePiece:
        if isinstance(value, TemplatePiece):
            return _piece(value.kind, value.id, value.type_id)
        return _parsed(TEXT.check(value))

    def read(self, data: Any) -> TemplatePiece:
        outer = members(data)
        if len(outer) != 1 or not outer.keys() <= {"Sequence", "SpecialToken"}:
            raise Mismatch(f"expected either 'Sequence' or 'SpecialToken', found {shown(data)}")
        ((kind, inner),) = outer.items()
        inner = members(inner)
        if inner.keys() != {"id", "type_id"}:
            raise Mismatch(
                f"expected the members 'id' and 'type_id', found {shown(inner)}", f".{kind}"
            )
        with under(f".{kind}"):
            return _piece(kind, inner["id"], inner["type_id"])


def _piece(kind: Any, name: Any, type_id: Any) -> TemplatePiece:
    _KIND.check(kind)
    if kind == "Sequence" and name not in ("A", "B"):
        raise Mismatch(f"the texts are A and B, not {shown(name)}")
    return TemplatePiece(kind, TEXT.check(name), NUMBER.check(type_id))


_KIND = Choice({name: name for name in ("Sequence", "SpecialToken")})
_PIECES = ListOf(_Piece())
_PIECE = re.compile(r"(?P<name>[^:]*)(?::\+?(?P<type_id>[0-9]+))?", re.DOTALL)
_SEQUENCE = re.compile(r"\$(?:(?P<name>[AaBb])|\+?(?P<type_id>[0-9]+))?")


def _parsed(text: str) -> TemplatePiece:
    """Give the piece that a string like ``$B:1``, ``$1`` or ``[SEP]`` stands for."""
    piece = _PIECE.fullmatch(text)
    if piece is None or not piece["name"]:
        raise Mismatch(
            f"expected $A, $B or a special token, with a type id perhaps (as in $B:1), found {shown(text)}"
        )
    name, kind = piece["name"], "SpecialToken"
    type_id = int(piece["type_id"] or 0)
    if name.startswith("$"):
        sequence = _SEQUENCE.fullmatch(name)
        if sequence is None:
            raise Mismatch(f"the texts are $A and $B, not {shown(name)}")
        type_id = int(piece["type_id"] or sequence["type_id"] or 0)
        name, kind = (sequence["name"] or "A").upper(), "Sequence"
    return _piece(kind, name, type_id)


class _SpecialTokens(Kind):
    """Special tokens by name: a list of (token, id), dictionaries or :class:`SpecialToken`; JSON has an object."""

    def check(self, value: Any) -> tuple[SpecialToken, ...]:
        known: dict[str, SpecialToken] = {}
        for at, token in enumerate(ListOf(_SpecialToken()).check(value)):
            if known.setdefault(token.id, token) != token:
                raise Mismatch(f"{shown(token.id)} stands for other ids before", f"[{at}]")
        return tuple(known.values())

    def read(self, data: Any) -> tuple[SpecialToken, ...]:
        return tuple(self._one(name, token) for name, token in members(data).items())

    def _one(self, name: str, token: Any) -> SpecialToken:
        with under(f".{name}"):
            return _special(members(token) | {"id": name})

    def write(self, value: tuple[SpecialToken, ...]) -> dict[str, Any]:
        ordered = sorted(value, key=lambda token: token.id)
        return {t.id: {"id": t.id, "ids": list(t.ids), "tokens": list(t.tokens)} for t in ordered}


class _SpecialToken(Kind):
    """One special token."""

    def check(self, value: Any) -> SpecialToken:
        if isinstance(value, SpecialToken):
            return _special({"id": value.id, "ids": value.ids, "tokens": value.tokens})
        if isinstance(value, abc.Mapping):
            return _special(dict(value))
        pair = items(value)
        if len(pair) == 2 and isinstance(pair[1], str):
            pair.reverse()
        name, number = _Token().check(pair)
        return SpecialToken(name, (number,), (name,))


def _special(data: dict[str, Any]) -> SpecialToken:
    if data.keys() != {"id", "ids", "tokens"}:
        raise Mismatch(f"expected the members 'id', 'ids' and 'tokens', found {shown(data)}")
    ids, tokens = _IDS.check(data["ids"]), _TOKENS.check(data["tokens"])
    if len(ids) != len(tokens):
        raise Mismatch(f"{len(ids)} ids and {len(tokens)} tokens; expected as many of both")
    return SpecialToken(TEXT.check(data["id"]), ids, tokens)


Template = str | abc.Sequence[str | TemplatePiece]
"""A template as it is given: ``"[CLS] $A [SEP]"``, or a list of its pieces."""


@dataclass(frozen=True, init=False, repr=False)
class TemplateProcessing(PostProcessor):
    """Templates for one text and for a pair.

    In a template ``$A`` and ``$B`` are the texts, everything else is a special token; ``:1`` after a piece is its type
    id, else that is 0. ``$`` and ``$0`` are ``$A``; ``$1`` is ``$A:1``.

    Args:
        single: The template for one text, a string with spaces between the pieces or a list of them; ``"$A"`` by default.
        pair: The template for a pair; ``"$A $B:1"`` by default.
        special_tokens: The special tokens of both templates: each a tuple of token and id, or, where one name stands for
            several, a dictionary of ``id``, ``ids`` and ``tokens``.

    >>> TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    TemplateProcessing(single='<s> $A </s>', pair='$A $B:1', special_tokens=[('<s>', 0), ('</s>', 2)])
    """

    type_name: ClassVar[str] = "TemplateProcessing"

    single: tuple[TemplatePiece, ...] = field(metadata=takes(_Template()))
    pair: tuple[TemplatePiece, ...] = field(metadata=takes(_Template()))
    special_tokens: tuple[SpecialToken, ...] = field(metadata=takes(_SpecialTokens()))

    def __init__(
        self,
        single: Template | None = None,
        pair: Template | None = None,
        special_tokens: abc.Iterable[
            tuple[str, int] | tuple[int, str] | abc.Mapping[str, Any] | SpecialToken
        ] = (),
    ) -> None:
        self._fill(
            single="$A" if single is None else single,
            pair="$A:0 $B:1" if pair is None else pair,
            special_tokens=special_tokens,
        )
        self._check_texts()
        self._check_special_tokens()

    def _check_texts(self) -> None:
        if "B" in _texts(self.single):
            raise ConfigError("single: the template for one text uses $B")
        if not self.single:
            raise ConfigError("single: the template is empty; expected at least $A")
        if missing := {"A", "B"} - _texts(self.pair):
            names = " and ".join(f"${name}" for name in sorted(missing))
            raise ConfigError(f"pair: the template for a pair lacks {names}")

    def _check_special_tokens(self) -> None:
        known = [token.id for token in self.special_tokens]
        for name, template in (("single", self.single), ("pair", self.pair)):
            for piece in template:
                if piece.kind == "SpecialToken" and piece.id not in known:
                    raise ConfigError(
                        f"{name}: the id of {shown(piece.id)} is missing in special_tokens{hint(piece.id, known)}"
                    )

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Give how many ids the special tokens of a template stand for."""
        ids = {token.id: token.ids for token in self.special_tokens}
        template = self.pair if is_pair else self.single
        return sum(len(ids[piece.id]) for piece in template if piece.kind == "SpecialToken")

    def __repr__(self) -> str:
        tokens = [(t.id, *t.ids) if t.tokens == (t.id,) else t for t in self.special_tokens]
        return (
            f"TemplateProcessing(single={_written(self.single)}, pair={_written(self.pair)}, "
            f"special_tokens={tokens!r})"
        )


def _texts(template: tuple[TemplatePiece, ...]) -> set[str]:
    return {piece.id for piece in template if piece.kind == "Sequence"}


def _written(template: tuple[TemplatePiece, ...]) -> str:
    """Give a template as it would be given: a string if that means the same, else its pieces."""
    text = " ".join(map(str, template))
    try:
        same = _Template().check(text) == template
    except Mismatch:
        same = False
    return repr(text if same else template)


@dataclass(frozen=True)
class Sequence(PostProcessor):
    """Several post-processors, one after the other.

    Args:
        processors: The post-processors, kept as a tuple.

    >>> Sequence([ByteLevel(), BertProcessing(("[SEP]", 3), ("[CLS]", 2))]).num_special_tokens_to_add(is_pair=True)
    3
    """

    type_name: ClassVar[str] = "Sequence"

    processors: abc.Sequence[PostProcessor] = field(metadata=takes(ListOf(Part(PostProcessor))))

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Give the sum over the post-processors."""
        return sum(part.num_special_tokens_to_add(is_pair) for part in self.processors)
