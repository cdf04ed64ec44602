"""Defines post-processors, which add special tokens to a text or a pair of texts.

They have the parameters and results of ``tokenizers`` 0.23.

>>> template = TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)])
>>> template.num_special_tokens_to_add(is_pair=True)
3
"""

from __future__ import annotations

import re
from collections import abc
from dataclasses import field, replace
from typing import Any, ClassVar, Literal, Self

from piecework import _messages, errors as _errors
from piecework._settings import component as _component, fields as _fields, immutable as _immutable

__all__ = [
    "BertProcessing",
    "ByteLevel",
    "PostProcessor",
    "RobertaProcessing",
    "Sequence",
    "SpecialToken",
    "Template",
    "TemplatePiece",
    "TemplateProcessing",
]


class PostProcessor(_component.Component):
    """Serves as the base of all post-processors."""

    _added: ClassVar[tuple[int, int]] = (0, 0)
    """The number of tokens added to a text, and to a pair."""

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Returns the number of tokens added to a text or to a pair of texts.

        Args:
            is_pair: Whether there are two texts.

        Returns:
            The number.

        >>> RobertaProcessing(("</s>", 2), ("<s>", 0)).num_special_tokens_to_add(is_pair=True)
        4
        """
        return self._added[bool(is_pair)]

    def with_ids(self, vocab: abc.Mapping[str, int]) -> Self:
        """Returns a post-processor that inserts the same tokens with the ids of another vocabulary.

        Args:
            vocab: The ids of the tokens, such as :attr:`piecework.Tokenizer.vocab`.

        Raises:
            VocabularyError: A token that it inserts is not in the vocabulary.

        >>> bert = BertProcessing(("[SEP]", 102), ("[CLS]", 101))
        >>> bert.with_ids({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "hug": 3})
        BertProcessing(sep=('[SEP]', 2), cls=('[CLS]', 1))
        """
        if not isinstance(vocab, abc.Mapping):
            raise _messages.wrong_type(
                "vocab", "a mapping of tokens to ids, such as tokenizer.vocab", vocab
            )
        return self._with_each(lambda token: _id_in(vocab, token))

    def _with_each(self, change: abc.Callable[[str], int]) -> Self:  # noqa: ARG002  # most insert some
        """Returns a post-processor with the id that a function returns for each token that is inserted."""
        return self


def _id_in(vocab: abc.Mapping[str, int], token: str) -> int:
    try:
        return vocab[token]
    except KeyError:
        raise _errors.VocabularyError(
            f"{_messages.shown(token)}, which the post-processor inserts, is not in the vocabulary",
            hint="add it to the tokenizer (`with_added_tokens`, or `special_tokens=` of the trainer)",
        ) from None


class _Token(_fields.Kind):
    """Checks a token with its id; in JSON an array of both."""

    def check(self, value: Any) -> tuple[str, int]:
        pair = _fields.items(value)
        if len(pair) != 2:
            raise _fields.Mismatch(f"expected a token and its id, found {_messages.shown(value)}")
        return _fields.TEXT.check(pair[0]), _fields.NUMBER.check(pair[1])

    def write(self, value: tuple[str, int]) -> list[Any]:
        return list(value)


@_immutable.dataclass(frozen=True)
class BertProcessing(PostProcessor):
    """Adds BERT's special tokens: ``[CLS] A [SEP]``, and ``[CLS] A [SEP] B [SEP]`` with type id 1 from B on.

    Args:
        sep: The token after each text, and its id.
        cls: The first token, and its id.

    >>> BertProcessing(("[SEP]", 102), ("[CLS]", 101)).num_special_tokens_to_add(is_pair=False)
    2
    """

    _added: ClassVar[tuple[int, int]] = (2, 3)

    sep: tuple[str, int] = field(metadata=_fields.takes(_Token()))
    cls: tuple[str, int] = field(metadata=_fields.takes(_Token()))

    def _with_each(self, change: abc.Callable[[str], int]) -> Self:
        return replace(
            self, sep=(self.sep[0], change(self.sep[0])), cls=(self.cls[0], change(self.cls[0]))
        )


@_immutable.dataclass(frozen=True)
class RobertaProcessing(PostProcessor):
    """Adds RoBERTa's special tokens: ``<s> A </s>``, and ``<s> A </s></s> B </s>``; all type ids are 0.

    Args:
        sep: The token after each text and before the second one, and its id.
        cls: The first token, and its id.
        trim_offsets: Whether the offsets of tokens exclude white space at their ends.
        add_prefix_space: Whether the pre-tokenizer prepends a space to the text.

    >>> RobertaProcessing(("</s>", 2), ("<s>", 0)).num_special_tokens_to_add(is_pair=False)
    2
    """

    _added: ClassVar[tuple[int, int]] = (2, 4)

    sep: tuple[str, int] = field(metadata=_fields.takes(_Token()))
    cls: tuple[str, int] = field(metadata=_fields.takes(_Token()))
    trim_offsets: bool = True
    add_prefix_space: bool = True

    def _with_each(self, change: abc.Callable[[str], int]) -> Self:
        return replace(
            self, sep=(self.sep[0], change(self.sep[0])), cls=(self.cls[0], change(self.cls[0]))
        )


@_immutable.dataclass(frozen=True)
class ByteLevel(PostProcessor):
    """Excludes white space at the ends of byte-level tokens from their offsets; adds no tokens.

    Args:
        add_prefix_space: Whether the pre-tokenizer prepends a space to the text.
        trim_offsets: Whether offsets are trimmed.
        use_regex: Stored, but without effect; see :class:`piecework.pre_tokenizers.ByteLevel`.

    >>> ByteLevel(trim_offsets=False)
    ByteLevel(add_prefix_space=True, trim_offsets=False, use_regex=True)
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = field(default=True, metadata=_fields.takes(may_lack=True))


_PieceKind = Literal["Sequence", "SpecialToken"]


@_immutable.dataclass(frozen=True)
class TemplatePiece:
    """Represents an item of a template: one of the texts, or a special token.

    Attributes:
        kind: ``"Sequence"`` or ``"SpecialToken"``.
        id: ``"A"`` or ``"B"``, or the name of the special token.
        type_id: The type id of its tokens.
    """

    kind: _PieceKind
    id: str
    type_id: int = 0

    def __str__(self) -> str:
        name = f"${self.id}" if self.kind == "Sequence" else self.id
        return f"{name}:{self.type_id}" if self.type_id else name


@_immutable.dataclass(frozen=True)
class SpecialToken:
    """Maps a special token of a template to token ids.

    Attributes:
        id: Its name in the template.
        ids: The ids that are added, usually one.
        tokens: The tokens of the ids.
    """

    id: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]


_IDS, _TOKENS = _fields.ListOf(_fields.NUMBER), _fields.ListOf(_fields.TEXT)


class _Template(_fields.ListOf):
    """Checks a template: a string such as ``[CLS] $A [SEP]:1``, or a list of its items."""

    def check(self, value: Any) -> tuple[TemplatePiece, ...]:
        if isinstance(value, str):
            # Only the space is a delimiter: a token may contain other white space.
            value = [piece for piece in value.split(" ") if piece]
        return super().check(value)


class _Piece(_fields.Kind):
    """Checks an item of a template."""

    def check(self, value: Any) -> TemplatePiece:
        if isinstance(value, TemplatePiece):
            return _piece(value.kind, value.id, value.type_id)
        return _parsed(_fields.TEXT.check(value))

    def read(self, data: Any) -> TemplatePiece:
        outer = _fields.members(data)
        if len(outer) != 1 or not outer.keys() <= {"Sequence", "SpecialToken"}:
            raise _fields.Mismatch(
                f"expected either 'Sequence' or 'SpecialToken', found {_messages.shown(data)}"
            )
        ((kind, inner),) = outer.items()
        inner = _fields.members(inner)
        if inner.keys() != {"id", "type_id"}:
            raise _fields.Mismatch(
                f"expected the members 'id' and 'type_id', found {_messages.shown(inner)}",
                f".{kind}",
            )
        with _fields.under(f".{kind}"):
            return _piece(kind, inner["id"], inner["type_id"])

    def write(self, value: TemplatePiece) -> dict[str, Any]:
        return {value.kind: {"id": value.id, "type_id": value.type_id}}


def _piece(kind: Any, name: Any, type_id: Any) -> TemplatePiece:
    _KIND.check(kind)
    if kind == "Sequence" and name not in ("A", "B"):
        raise _fields.Mismatch(f"expected the text A or B, found {_messages.shown(name)}")
    return TemplatePiece(kind, _fields.TEXT.check(name), _fields.NUMBER.check(type_id))


_KIND = _fields.Choice.of(_PieceKind)
_TEMPLATE = _Template(_Piece())
_PIECE = re.compile(r"(?P<name>[^:]*)(?::\+?(?P<type_id>[0-9]+))?", re.DOTALL)
_SEQUENCE = re.compile(r"\$(?:(?P<name>[AaBb])|\+?(?P<type_id>[0-9]+))?")


def _parsed(text: str) -> TemplatePiece:
    """Returns the template item of a string such as ``$B:1``, ``$1`` or ``[SEP]``."""
    piece = _PIECE.fullmatch(text)
    if piece is None or not piece["name"]:
        raise _fields.Mismatch(
            f"expected $A, $B or a special token, optionally with a type id (as in $B:1), found {_messages.shown(text)}"
        )
    name, kind = piece["name"], "SpecialToken"
    type_id = int(piece["type_id"] or 0)
    if name.startswith("$"):
        sequence = _SEQUENCE.fullmatch(name)
        if sequence is None:
            raise _fields.Mismatch(f"expected the text $A or $B, found {_messages.shown(name)}")
        type_id = int(piece["type_id"] or sequence["type_id"] or 0)
        name, kind = (sequence["name"] or "A").upper(), "Sequence"
    return _piece(kind, name, type_id)


class _SpecialTokens(_fields.Kind):
    """Checks special tokens: a list of (token, id), dictionaries or :class:`SpecialToken`; in JSON an object."""

    def check(self, value: Any) -> tuple[SpecialToken, ...]:
        known: dict[str, SpecialToken] = {}
        for at, token in enumerate(_fields.ListOf(_SpecialToken()).check(value)):
            if known.setdefault(token.id, token) != token:
                raise _fields.Mismatch(
                    f"duplicate special token {_messages.shown(token.id)} with other ids",
                    f"[{at}]",
                    hint="remove one of them",
                )
        return tuple(known.values())

    def read(self, data: Any) -> tuple[SpecialToken, ...]:
        return tuple(self._one(name, token) for name, token in _fields.members(data).items())

    def _one(self, name: str, token: Any) -> SpecialToken:
        with _fields.under(f".{name}"):
            return _special(_fields.members(token) | {"id": name})

    def write(self, value: tuple[SpecialToken, ...]) -> dict[str, Any]:
        ordered = sorted(value, key=lambda token: token.id)
        return {t.id: {"id": t.id, "ids": list(t.ids), "tokens": list(t.tokens)} for t in ordered}


class _SpecialToken(_fields.Kind):
    """Checks a special token."""

    def check(self, value: Any) -> SpecialToken:
        if isinstance(value, SpecialToken):
            return _special({"id": value.id, "ids": value.ids, "tokens": value.tokens})
        if isinstance(value, abc.Mapping):
            return _special(dict(value))
        pair = _fields.items(value)
        if len(pair) == 2 and isinstance(pair[1], str):
            pair.reverse()
        name, number = _Token().check(pair)
        return SpecialToken(name, (number,), (name,))


def _special(data: dict[str, Any]) -> SpecialToken:
    if data.keys() != {"id", "ids", "tokens"}:
        raise _fields.Mismatch(
            f"expected the members 'id', 'ids' and 'tokens', found {_messages.shown(data)}"
        )
    ids, tokens = _IDS.check(data["ids"]), _TOKENS.check(data["tokens"])
    if len(ids) != len(tokens):
        raise _fields.Mismatch(
            f"expected one token per id, found {len(ids)} ids and {len(tokens)} tokens"
        )
    return SpecialToken(_fields.TEXT.check(data["id"]), ids, tokens)


Template = str | abc.Sequence[str | TemplatePiece]
"""A template as an argument: ``"[CLS] $A [SEP]"``, or a list of its items."""


@_immutable.dataclass(frozen=True, init=False, repr=False)
class TemplateProcessing(PostProcessor):
    """Adds special tokens by templates for one text and for a pair.

    In a template ``$A`` and ``$B`` are the texts, all other items are special tokens; ``:1`` after an item is its type id,
    0 by default. ``$`` and ``$0`` mean ``$A``; ``$1`` means ``$A:1``.

    Args:
        single: The template for one text, a string of items separated by spaces or a list of items; ``"$A"`` by default.
        pair: The template for a pair; ``"$A $B:1"`` by default.
        special_tokens: The special tokens of both templates: tuples of token and id, or, for a name with several ids,
            dictionaries of ``id``, ``ids`` and ``tokens``.

    >>> TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    TemplateProcessing(single='<s> $A </s>', pair='$A $B:1', special_tokens=[('<s>', 0), ('</s>', 2)])
    """

    single: tuple[TemplatePiece, ...] = field(metadata=_fields.takes(_TEMPLATE))
    pair: tuple[TemplatePiece, ...] = field(metadata=_fields.takes(_TEMPLATE))
    special_tokens: tuple[SpecialToken, ...] = field(metadata=_fields.takes(_SpecialTokens()))

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
            raise _errors.ConfigError(
                "the template for one text contains $B", setting="single", hint="remove it"
            )
        if not self.single:
            raise _errors.ConfigError(
                "the template is empty; expected at least $A", setting="single"
            )
        if missing := {"A", "B"} - _texts(self.pair):
            names = " and ".join(f"${name}" for name in sorted(missing))
            raise _errors.ConfigError(f"the template for a pair lacks {names}", setting="pair")

    def _check_special_tokens(self) -> None:
        known = [token.id for token in self.special_tokens]
        for name, template in (("single", self.single), ("pair", self.pair)):
            for piece in template:
                if piece.kind == "SpecialToken" and piece.id not in known:
                    raise _errors.ConfigError(
                        f"{_messages.shown(piece.id)} has no id in special_tokens",
                        setting=name,
                        hint=_messages.did_you_mean(piece.id, known),
                    )

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Returns the number of ids that the special tokens of a template add."""
        ids = {token.id: token.ids for token in self.special_tokens}
        template = self.pair if is_pair else self.single
        return sum(len(ids[piece.id]) for piece in template if piece.kind == "SpecialToken")

    def _with_each(self, change: abc.Callable[[str], int]) -> Self:
        specials = [
            SpecialToken(special.id, tuple(map(change, special.tokens)), special.tokens)
            for special in self.special_tokens
        ]
        return type(self)(self.single, self.pair, specials)

    def __repr__(self) -> str:
        tokens = [(t.id, *t.ids) if t.tokens == (t.id,) else t for t in self.special_tokens]
        return (
            f"TemplateProcessing(single={_written(self.single)}, pair={_written(self.pair)}, "
            f"special_tokens={tokens!r})"
        )


def _texts(template: tuple[TemplatePiece, ...]) -> set[str]:
    return {piece.id for piece in template if piece.kind == "Sequence"}


def _written(template: tuple[TemplatePiece, ...]) -> str:
    """Returns the repr of a template as an argument: a string if that is equivalent, else its items."""
    text = " ".join(map(str, template))
    try:
        same = _TEMPLATE.check(text) == template
    except _fields.Mismatch:
        same = False
    return repr(text if same else template)


@_immutable.dataclass(frozen=True)
class Sequence(PostProcessor):
    """Applies several post-processors in order.

    Args:
        processors: The post-processors, stored as a tuple.

    >>> Sequence([ByteLevel(), BertProcessing(("[SEP]", 3), ("[CLS]", 2))]).num_special_tokens_to_add(is_pair=True)
    3
    """

    processors: abc.Sequence[PostProcessor] = field(metadata=_component.parts(PostProcessor))

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Returns the sum over the post-processors."""
        return sum(part.num_special_tokens_to_add(is_pair) for part in self.processors)

    def _with_each(self, change: abc.Callable[[str], int]) -> Self:
        return replace(self, processors=[part._with_each(change) for part in self.processors])
