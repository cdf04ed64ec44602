"""Defines the encoding of a chat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from piecework._core import Encoding
from piecework.tokenizer._checks import read_only

if TYPE_CHECKING:
    from collections.abc import Sequence


class ChatEncoding(Encoding):
    r"""Holds the tokens of a chat, and what they are the tokens of.

    It is an :class:`piecework.Encoding`, with offsets in characters of `text`. What :meth:`truncate` and :meth:`pad` return is a
    plain :class:`piecework.Encoding`.

    Attributes:
        text: The text that the template wrote.
        assistant_mask: 1 for each token of a block ``{% generation %}``, else 0; None if the template has no such block.
        message_indices: The indices of the messages that were rendered; all, unless `max_tokens` left some out.

    >>> from piecework import Tokenizer
    >>> tok = Tokenizer.from_str("[UNK]\n[SEP]\nhug\n##s\n")
    >>> template = "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}[SEP]{% endfor %}"
    >>> chat = tok.chat([{"role": "assistant", "content": "hugs"}], template=template)
    >>> chat.text, chat.assistant_mask, chat.message_indices
    ('hugs[SEP]', [1, 1, 0], [0])
    """

    __slots__ = ("_assistant_mask", "_message_indices", "_text")

    _text: str
    _assistant_mask: tuple[int, ...] | None
    _message_indices: tuple[int, ...]

    def __new__(
        cls,
        encoding: Any,
        text: str = "",
        assistant_mask: Sequence[int] | None = None,
        message_indices: Sequence[int] = (),
    ) -> Self:
        """Returns the encoding of a text with its attributes."""
        self = super().__new__(cls, encoding)
        mask = None if assistant_mask is None else tuple(assistant_mask)
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "_assistant_mask", mask)
        object.__setattr__(self, "_message_indices", tuple(message_indices))
        return self

    @property
    def text(self) -> str:
        """Returns the text that the template wrote."""
        return self._text

    @property
    def assistant_mask(self) -> list[int] | None:
        """Returns 1 for each token of the assistant, else 0; None for a template without ``{% generation %}``."""
        return None if self._assistant_mask is None else list(self._assistant_mask)

    @property
    def message_indices(self) -> list[int]:
        """Returns the indices of the messages that were rendered."""
        return list(self._message_indices)

    def __setattr__(self, name: str, value: object) -> None:
        """Raises AttributeError."""
        raise AttributeError(f"{read_only(self, name)}")

    def __delattr__(self, name: str) -> None:
        """Raises AttributeError."""
        raise AttributeError(f"{read_only(self, name)}")

    def _parts(self) -> tuple[Any, ...]:
        return self._text, self._assistant_mask, self._message_indices

    def __eq__(self, other: object) -> bool:
        """Returns whether tokens, text, mask and messages are equal."""
        if isinstance(other, ChatEncoding) and self._parts() != other._parts():
            return False
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        """Returns whether the encodings differ."""
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # as that of Encoding

    def __reduce__(self) -> Any:
        """Pickles the columns, the text and the mask."""
        _, (state,) = super().__reduce__()
        return type(self), (state, *self._parts())
