"""Completes the padding of a call by the pad token of a tokenizer."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, SupportsIndex

from piecework._messages import shown
from piecework._settings.encoding import Padding, PaddingLike, as_truncation
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from piecework.tokenizer._tokenizer import Tokenizer


def limit_values(name: str, value: Any, tokenizer: Tokenizer) -> dict[str, Any] | None:
    """Returns the truncation or padding argument of a call as JSON values."""
    limit = as_truncation(value) if name == "truncation" else as_padding(value, tokenizer)
    return None if limit is None else limit.to_dict()


def as_padding(value: PaddingLike, tokenizer: Tokenizer) -> Padding | None:
    """Returns the padding argument of a call as settings, by default with the pad token of the tokenizer."""
    if value is None:
        return None
    if value == "longest":
        value = Padding()
    elif isinstance(value, SupportsIndex) and not isinstance(value, bool):
        value = Padding(operator.index(value))
    elif not isinstance(value, Padding):
        raise ConfigError(
            f"expected a Padding, an integer, 'longest' or None, found {shown(value)}",
            setting="padding",
        )
    return _with_pad_token(value, tokenizer)


def _with_pad_token(padding: Padding, tokenizer: Tokenizer) -> Padding:
    if padding.pad_id is not None and padding.pad_token is not None:
        return padding
    token, number = padding.pad_token, padding.pad_id
    if token is None and number is not None:
        token = tokenizer.id_to_token(number)
        if token is None:
            raise ConfigError(
                f"the tokenizer has no token with the id {number}",
                setting="pad_id",
                hint="pass `pad_token=...`",
            )
    if token is not None and number is None:
        number = tokenizer.token_to_id(token)
        if number is None:
            raise ConfigError(
                f"{shown(token)} is not in the vocabulary",
                setting="pad_token",
                hint="pass `pad_id=...` too",
            )
    if number is None:
        number = pad_token_of(tokenizer, None)
        token = tokenizer.id_to_token(number)
    return replace(padding, pad_id=number, pad_token=token)


def pad_token_of(tokenizer: Tokenizer, padding: PaddingLike) -> int:
    """Returns the pad id of the settings, otherwise that of the tokenizer's pad token."""
    if isinstance(padding, Padding) and padding.pad_id is not None:
        return padding.pad_id
    known = tokenizer.padding
    if known is not None and known.pad_id is not None:
        return known.pad_id
    for name in ("[PAD]", "<pad>"):
        number = tokenizer.token_to_id(name)
        if number is not None:
            return number
    raise ConfigError(
        "the tokenizer has no token [PAD] or <pad>",
        hint="pass `pad_id=...` or `pad_token=...` to Padding",
    )
