"""Options about how long encodings are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from piecework.errors import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework import Padding, Tokenizer, Truncation

__all__ = ["Limits", "Side", "Strategy"]


class Side(Enum):
    """An end of a text."""

    left = "left"
    right = "right"


class Strategy(Enum):
    """Which text of a pair is cut."""

    longest_first = "longest-first"
    only_first = "only-first"
    only_second = "only-second"


@dataclass(frozen=True)
class Limits:
    """How long encodings are. What was not given is None, and as the tokenizer prescribes it."""

    max_length: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Cut after N tokens, special tokens included. What is cut off is printed with --json alone, under "
            "overflowing.",
        ),
    ] = None
    stride: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="--json: each overflowing part shares N tokens with the part before.",
        ),
    ] = None
    truncation_side: Annotated[
        Side | None, typer.Option(help="The end that is cut; right by default.")
    ] = None
    truncation_strategy: Annotated[
        Strategy | None,
        typer.Option(help="--pair: the text that is cut; longest-first by default."),
    ] = None
    no_truncation: Annotated[
        bool,
        typer.Option("--no-truncation", help="Cut nothing, whatever the tokenizer prescribes."),
    ] = False
    pad: Annotated[
        str | None,
        typer.Option(
            metavar="longest|N",
            help="Fill up with the pad token to as many tokens as the longest line has, or to N.",
        ),
    ] = None
    pad_to_multiple_of: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Pad to a multiple of N tokens.")
    ] = None
    padding_side: Annotated[
        Side | None, typer.Option(help="The end that is filled up; right by default.")
    ] = None
    no_padding: Annotated[
        bool,
        typer.Option("--no-padding", help="Fill up nothing, whatever the tokenizer prescribes."),
    ] = False

    def truncation(self, tok: Tokenizer) -> Truncation | None:
        """Give how to truncate: what the tokenizer prescribes, with what was given in its place."""
        from piecework import Truncation

        given = self._given(_TRUNCATION)
        if self.no_truncation:
            _refuse(given, "beside --no-truncation")
            return None
        if self.max_length is None and not tok.truncation:
            _refuse(given, "without --max-length: the tokenizer prescribes no truncation")
            return None
        settings = {_TRUNCATION[name]: value for name, value in given.items()}
        return replace(tok.truncation, **settings) if tok.truncation else Truncation(**settings)

    def padding(self, tok: Tokenizer) -> Padding | None:
        """Give how to pad: what the tokenizer prescribes, with what was given in its place."""
        from piecework import Padding

        given = self._given(_PADDING)
        if self.no_padding:
            _refuse(given, "beside --no-padding")
            return None
        if self.pad is None and not tok.padding:
            _refuse(given, "without --pad: the tokenizer prescribes no padding")
            return None
        settings = {_PADDING[name]: value for name, value in given.items()}
        if self.pad is not None:
            settings["length"] = _length(self.pad)
        return replace(tok.padding or Padding(), **settings)

    def _given(self, names: Mapping[str, str]) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in names}
        return {
            name: value.value.replace("-", "_") if isinstance(value, Enum) else value
            for name, value in values.items()
            if value is not None
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
"""Options and the settings that they stand for."""


def _refuse(given: Mapping[str, object], why: str) -> None:
    for name in given:
        option = f"--{name.replace('_', '-')}"
        raise typer.BadParameter(f"{option} says nothing {why}", param_hint=option)


def _length(text: str) -> int | None:
    """A number of tokens, or None for the longest."""
    if text == "longest":
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):  # 32 bits
        raise typer.BadParameter(
            f"{shown(text)} is neither a number nor longest", param_hint="--pad"
        )
    return int(text)
