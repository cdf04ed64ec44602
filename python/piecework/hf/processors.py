"""Defines post-processors, which add special tokens to encoded texts.

>>> from piecework.hf import processors
>>> processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1)).num_special_tokens_to_add(is_pair=True)
3
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from piecework._messages import shown as _shown
from piecework._settings import arguments as _settings_arguments
from piecework.hf import _arguments, _encoding, _state
from piecework.hf._arguments import flag as _flag, number32 as _number32, string as _string
from piecework.hf._declared import Kind as _Kind, setting as _setting

if TYPE_CHECKING:
    from collections.abc import Sequence as Sequence2

    from piecework._core import Tokenizer as CoreTokenizer

__all__ = [
    "BertProcessing",
    "ByteLevel",
    "PostProcessor",
    "RobertaProcessing",
    "Sequence",
    "TemplateProcessing",
]

_Token = tuple[str, int]
_Piece = dict[str, dict[str, Any]]


class PostProcessor(_state.Component):
    """Serves as the base of all post-processors."""

    _kind = "PostProcessor"
    _added: ClassVar[tuple[int, int]] = (0, 0)
    """The number of tokens that are added to a text, and to a pair."""

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Returns the number of special tokens that are added to a text, or to a pair.

        >>> from piecework.hf.processors import BertProcessing
        >>> BertProcessing(("[SEP]", 2), ("[CLS]", 1)).num_special_tokens_to_add(is_pair=False)
        2
        """
        return self._added[bool(is_pair)]

    def process(
        self,
        encoding: _encoding.Encoding,
        pair: _encoding.Encoding | None = None,
        add_special_tokens: bool = True,
    ) -> _encoding.Encoding:
        """Returns the combination of the encodings of a text or pair.

        Args:
            encoding: The encoding of the text, without special tokens.
            pair: The encoding of a second text.
            add_special_tokens: Whether special tokens are added.

        Returns:
            A new encoding.

        >>> from piecework.hf import Tokenizer, models, processors
        >>> tok = Tokenizer(models.WordLevel({"hug": 0}, "hug"))
        >>> processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1)).process(tok.encode("hug")).tokens
        ['[CLS]', 'hug', '[SEP]']
        """
        _arguments.instance(encoding, _encoding.Encoding)
        core = _core_of(self)
        options = core.options(
            _flag(add_special_tokens), "match", False, False, _settings_arguments.FAST
        )
        return encoding._processed(core, pair, options)


def _core_of(processor: PostProcessor) -> CoreTokenizer:
    """Returns a tokenizer without vocabulary that has the post-processor."""
    from piecework._core import Tokenizer as CoreTokenizer

    model = {"type": "WordLevel", "vocab": {}, "unk_token": ""}
    parts = {"post_processor": processor._write(), "model": model}
    return CoreTokenizer.from_json(_state.dumps(parts).encode(), True, False)


def _token(value: Any) -> list[Any]:
    """Returns a tuple of token and id as JSON."""
    _arguments.instance(value, tuple)
    name, number = value
    return [_string(name), _number32(number)]


_TOKEN = _Kind(_token, tuple)


class BertProcessing(PostProcessor):
    """Adds BERT's special tokens, ``[CLS] A [SEP] B [SEP]``.

    Args:
        sep: The token after each text, and its id.
        cls_token: The token before the first text, and its id.

    >>> from piecework.hf.processors import BertProcessing
    >>> BertProcessing(("[SEP]", 2), ("[CLS]", 1)).sep
    ('[SEP]', 2)
    """

    sep: tuple[str, int] = _setting(_TOKEN)
    cls: tuple[str, int] = _setting(_TOKEN, alias="cls_token")
    _added = (2, 3)

    def __getnewargs__(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """Returns the arguments with which `tokenizers` unpickles the post-processor."""
        return ("", 0), ("", 0)


class RobertaProcessing(PostProcessor):
    """Adds RoBERTa's special tokens, ``<s> A </s></s> B </s>``.

    Args:
        sep: The token after each text, and its id.
        cls_token: The token before the first text, and its id.
        trim_offsets: Whether offsets exclude spaces.
        add_prefix_space: Whether the pre-tokenizer prepended a space.

    >>> from piecework.hf.processors import RobertaProcessing
    >>> RobertaProcessing(("</s>", 2), ("<s>", 0)).num_special_tokens_to_add(is_pair=True)
    4
    """

    sep: tuple[str, int] = _setting(_TOKEN)
    cls: tuple[str, int] = _setting(_TOKEN, alias="cls_token")
    trim_offsets: bool = _setting(_flag, default=True)
    add_prefix_space: bool = _setting(_flag, default=True)
    _added = (2, 4)

    def __getnewargs__(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """Returns the arguments with which `tokenizers` unpickles the post-processor."""
        return ("", 0), ("", 0)


_TRUE = _Kind(_flag, None, lambda value: True if value is None else _flag(value))


class ByteLevel(PostProcessor):
    """Excludes spaces from the offsets of byte-level tokens.

    Args:
        add_prefix_space: Whether the pre-tokenizer prepended a space; True by default.
        trim_offsets: Whether offsets exclude spaces; True by default.
        use_regex: Kept for files; True by default.
        **_kwargs: Ignored.

    >>> from piecework.hf.processors import ByteLevel
    >>> ByteLevel(trim_offsets=False).trim_offsets
    False
    """

    add_prefix_space: bool = _setting(_TRUE, default=None)
    trim_offsets: bool = _setting(_TRUE, default=None)
    use_regex: bool = _setting(_TRUE, default=None)

    def __init__(
        self,
        add_prefix_space: bool | None = None,
        trim_offsets: bool | None = None,
        use_regex: bool | None = None,
        **_kwargs: Any,
    ) -> None:
        """Checks the settings."""
        self._fill([add_prefix_space, trim_offsets, use_regex])


def _template(value: Any) -> list[_Piece]:
    """Returns a template, a string or a list of its items, as JSON."""
    from piecework._settings.fields import Mismatch
    from piecework.processors import _TEMPLATE

    if not isinstance(value, str | list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"Expected Union[str, List[str]], found {_shown(value)}")
    pieces: list[_Piece] = []
    for item in value.split(" ") if isinstance(value, str) else value:
        try:
            # As in `tokenizers`: two spaces in a row have a special token without name between them.
            pieces += _TEMPLATE.write(_TEMPLATE.check([item])) if item else [_UNNAMED]
        except Mismatch as error:
            message = f'Cannot build Piece from string "{item}": {error.message}'
            raise ValueError(message) from None
    return pieces


_UNNAMED: _Piece = {"SpecialToken": {"id": "", "type_id": 0}}


def _special(value: Any) -> dict[str, Any]:
    """Returns a special token of a template as JSON."""
    if isinstance(value, dict):
        for member in ("id", "ids", "tokens"):
            if member not in value:
                raise ValueError(f"`{member}` must be specified")
        ids, tokens = ([_number32(x) for x in value["ids"]], [_string(x) for x in value["tokens"]])
        if len(ids) != len(tokens):
            raise ValueError(
                "SpecialToken: ids and tokens must be of the same length, "
                f"found {len(ids)} and {len(tokens)}"
            )
        return {"id": _string(value["id"]), "ids": ids, "tokens": tokens}
    kinds = tuple(map(type, value)) if isinstance(value, tuple) else ()
    if len(kinds) != 2 or kinds.count(str) != 1:
        raise TypeError(
            f"Expected Union[Tuple[str, int], Tuple[int, str], dict], found {_shown(value)}"
        )
    name, number = value if isinstance(value[0], str) else reversed(value)
    return {"id": _string(name), "ids": [_number32(number)], "tokens": [name]}


def _items(template: list[_Piece], kind: str) -> list[str]:
    return [piece[kind]["id"] for piece in template if kind in piece]


class TemplateProcessing(PostProcessor):
    """Adds special tokens by templates for a text and for a pair.

    In a template ``$A`` and ``$B`` are the texts, all other items are special tokens; ``:1`` after an item is its type id.

    Args:
        single: The template for a text, a string of items separated by spaces or a list of items; ``"$A"`` by default.
        pair: The template for a pair; ``"$A $B:1"`` by default.
        special_tokens: The special tokens of both: tuples of token and id, or dictionaries of ``id``, ``ids`` and
            ``tokens``.

    Raises:
        ValueError: A template is invalid, or has a special token without id.

    >>> from piecework.hf.processors import TemplateProcessing
    >>> TemplateProcessing("<s> $A", "<s> $A $B", [("<s>", 1)]).num_special_tokens_to_add(is_pair=False)
    1
    """

    def __init__(
        self,
        single: str | list[str] | None = None,
        pair: str | list[str] | None = None,
        special_tokens: Sequence2[Any] | None = None,
    ) -> None:
        """Checks the templates."""
        first = _template("$A" if single is None else single)
        second = _template("$A:0 $B:1" if pair is None else pair)
        specials = {token["id"]: token for token in map(_special, special_tokens or ())}
        if {*_items(second, "Sequence")} != {"A", "B"}:
            raise ValueError("Template for `pair` must use both sequences")
        names = {*_items(first, "SpecialToken"), *_items(second, "SpecialToken")}
        if missing := names - specials.keys():
            raise ValueError(f"Missing SpecialToken(s) with id(s) `{', '.join(sorted(missing))}`")
        ordered = {name: specials[name] for name in sorted(specials)}
        self._set({"single": first, "pair": second, "special_tokens": ordered})

    @property
    def single(self) -> str:
        """Returns the template for a text, in the notation of `tokenizers`."""
        pieces = [
            f'SpecialToken {{ id: "{inner["id"]}", type_id: {inner["type_id"]} }}'
            if kind == "SpecialToken"
            else f"Sequence {{ id: {inner['id']}, type_id: {inner['type_id']} }}"
            for piece in self._values["single"]
            for kind, inner in piece.items()
        ]
        return f"Template([{', '.join(pieces)}])"

    @single.setter
    def single(self, single: str | list[str]) -> None:
        self._change("single", _template(single))

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Returns the number of ids of the special tokens of a template."""
        specials = self._values["special_tokens"]
        names = _items(self._values["pair" if is_pair else "single"], "SpecialToken")
        return sum(len(specials[name]["ids"]) for name in names)


class Sequence(PostProcessor, _state.IndexedParts):
    """Applies several post-processors in order.

    Args:
        processors_py: The post-processors; a change of one of them takes effect here, too.

    >>> from piecework.hf.processors import Sequence
    >>> Sequence([]).num_special_tokens_to_add(is_pair=False)
    0
    """

    _member = "processors"
    _base = PostProcessor

    def __init__(self, processors_py: list[PostProcessor]) -> None:
        """Checks the post-processors."""
        self._hold(processors_py)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Returns the sum over the post-processors."""
        return sum(part.num_special_tokens_to_add(is_pair) for part in self._parts())
