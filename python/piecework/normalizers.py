"""Normalizers: what a text is changed by before it is split into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from piecework import _core
from piecework._component import Component, splitter_json
from piecework.errors import ConfigError, FormatError

__all__ = ["BertNormalizer", "Normalizer"]


class Normalizer(Component):
    """The base of all normalizers."""

    def normalize_str(self, text: str) -> str:
        """Give the text as the normalizer leaves it.

        Args:
            text: Any text.

        Returns:
            The normalized text.

        Raises:
            SurrogateError: The text holds a lone surrogate.

        >>> BertNormalizer().normalize_str("Héllo 中国")
        'hello  中  国 '
        """
        return _core.normalize(splitter_json(self, None), text)


@dataclass(frozen=True)
class BertNormalizer(Normalizer):
    r"""The normalization of BERT: clean, pad CJK characters, strip accents, lower-case.

    Characters are classed as ``tokenizers`` 0.23 classes them. The cost is linear in the text.

    Args:
        clean_text: Drop control characters and make every white space a plain space.
        handle_chinese_chars: Put a space on both sides of each CJK ideograph.
        strip_accents: Drop nonspacing marks after canonical decomposition; None follows ``lowercase``.
        lowercase: Lower-case each character by itself.

    >>> BertNormalizer(lowercase=False).normalize_str("Ünder\tground")
    'Ünder ground'
    """

    type_name: ClassVar[str] = "BertNormalizer"

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    def __post_init__(self) -> None:
        """Check the types, which the core does."""
        try:
            _core.normalize(splitter_json(self, None), "")
        except FormatError as error:
            raise ConfigError(str(error).removeprefix("$.normalizer.")) from None


def from_dict(parts: dict[str, Any] | None) -> Normalizer | None:
    """Give the normalizer that ``to_dict`` wrote."""
    if parts is None:
        return None
    parts = dict(parts)
    kinds: dict[str, type[Normalizer]] = {"BertNormalizer": BertNormalizer}
    return kinds[parts.pop("type")](**parts)
