"""Defines the options of truncation and padding (`--max-length`, `--pad`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from piecework._settings.choices import Side  # noqa: TC001  # read at run time
from piecework.cli.declare import Option, given_of
from piecework.cli.messages import number_or, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework import Padding, Tokenizer, Truncation

Strategy = Literal["longest-first", "only-first", "only-second"]
"""The text of a pair that is truncated."""


@dataclass(frozen=True)
class Limits:
    """Holds the options of truncation and padding; None for the tokenizer's default.

    Options:
        max_length: Truncate to N tokens, special tokens included. Only --json prints the removed tokens, as overflowing.
        stride: Repeat the last N tokens of each part in the next overflowing part (requires --json).
        truncation_side: Truncate at this end (default: right).
        truncation_strategy: Truncate this text of a pair (default: longest-first; requires --pair).
        no_truncation: Ignore the tokenizer's truncation.
        pad: Pad to the number of tokens of the longest line, or to N tokens.
        pad_to_multiple_of: Pad to a multiple of N tokens.
        padding_side: Pad at this end (default: right).
        no_padding: Ignore the tokenizer's padding.
    """

    section: ClassVar[str] = "Truncation and padding"

    max_length: Annotated[int | None, Option(min=1)] = None
    stride: Annotated[int | None, Option(min=0)] = None
    truncation_side: Side | None = None
    truncation_strategy: Strategy | None = None
    no_truncation: bool = False
    pad: Annotated[str | None, Option(metavar="longest|N")] = None
    pad_to_multiple_of: Annotated[int | None, Option(min=1)] = None
    padding_side: Side | None = None
    no_padding: bool = False

    def truncation(self, tok: Tokenizer) -> Truncation | None:
        """Returns the tokenizer's truncation, overridden by the given options."""
        from piecework import Truncation

        given = self._given(_TRUNCATION)
        if self.no_truncation:
            refuse(given, "cannot be combined with --no-truncation")
            return None
        if self.max_length is None and not tok.truncation:
            refuse(given, "requires --max-length, since the tokenizer has no truncation")
            return None
        settings = {_TRUNCATION[name]: value for name, value in given.items()}
        return replace(tok.truncation, **settings) if tok.truncation else Truncation(**settings)

    def padding(self, tok: Tokenizer) -> Padding | None:
        """Returns the tokenizer's padding, overridden by the given options."""
        from piecework import Padding

        given = self._given(_PADDING)
        if self.no_padding:
            refuse(given, "cannot be combined with --no-padding")
            return None
        if self.pad is None and not tok.padding:
            refuse(given, "requires --pad, since the tokenizer has no padding")
            return None
        settings = {_PADDING[name]: value for name, value in given.items()}
        if self.pad is not None:
            settings["length"] = number_or("longest", self.pad, "--pad", digits=9)  # 32 bits
        return replace(tok.padding or Padding(), **settings)

    def _given(self, names: Mapping[str, str]) -> dict[str, Any]:
        return {
            name: value.replace("-", "_") if name == "truncation_strategy" else value
            for name, value in given_of(self).items()
            if name in names
        }


_TRUNCATION = {
    "max_length": "max_length",
    "stride": "stride",
    "truncation_side": "direction",
    "truncation_strategy": "strategy",
}
_PADDING = {
    "pad": "length",
    "pad_to_multiple_of": "pad_to_multiple_of",
    "padding_side": "direction",
}
"""The settings of `Truncation` and `Padding` by the option that sets them."""
