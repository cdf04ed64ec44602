"""Converts the arguments of encode calls to options of the core."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from piecework._messages import shown
from piecework._settings.arguments import DEFAULT, FAST, UNCACHED, Default, Way, check_flag
from piecework.errors import ConfigError
from piecework.tokenizer._parts import TokenizerParts

if TYPE_CHECKING:
    from collections.abc import Hashable

    from piecework._core import Options
    from piecework._settings.arguments import Specials
    from piecework._settings.encoding import PaddingLike, Sampling, TruncationLike

__all__ = ["CallOptions", "EncodeOptions"]

_MOST_OPTIONS = 64
"""The number of cached `Options`; a program that uses more combinations of arguments rebuilds them."""


class EncodeOptions(TypedDict, total=False):
    """Names the options of encoding, which :meth:`Tokenizer.encode` describes."""

    is_pretokenized: bool
    add_special_tokens: bool
    specials: Specials | None
    truncation: TruncationLike | Default
    padding: PaddingLike | Default
    cache: bool
    sampling: Sampling | Default | None


class CallOptions(TokenizerParts):
    """Serves as the base of `Tokenizer` with the options of its calls."""

    _default_options: Options | None
    """The options of a call with default arguments; None if each call draws a seed."""
    _cached_options: dict[Hashable, Options]

    def _options(  # noqa: PLR0917 (positional, since keywords would slow every call)
        self,
        add_special_tokens: bool,
        specials: Specials | None,
        truncation: TruncationLike | Default = DEFAULT,
        padding: PaddingLike | Default = DEFAULT,
        cache: bool = True,
        sampling: Sampling | Default | None = DEFAULT,
        first_input: int = 0,
    ) -> Options:
        """Returns the options of a call for the core, from a cache if they are common."""
        if (
            add_special_tokens is cache is True
            and specials is None
            and truncation is padding is sampling is DEFAULT
            and first_input == 0
            and (default := self._default_options) is not None
        ):
            return default
        are_flags = type(add_special_tokens) is type(cache) is bool
        if not are_flags:
            add_special_tokens = check_flag("add_special_tokens", add_special_tokens)
            cache = check_flag("cache", cache)
        way = FAST if cache else UNCACHED
        if sampling is not DEFAULT or self._default_options is None:
            way = self._way(cache, sampling)
        if first_input:
            way = way._replace(first_input=first_input)
        is_name = specials is None or isinstance(specials, str)
        if way not in (FAST, UNCACHED) or not is_name:
            return self._new_options(add_special_tokens, specials, truncation, padding, way)
        key: Hashable = (add_special_tokens, specials, cache)
        if not truncation is padding is DEFAULT:
            # The types are part of the key: True equals 1, but only 1 is a length.
            limits = type(truncation), truncation, type(padding), padding
            key = add_special_tokens, specials, cache, *limits
        cached = self._cached_options
        try:
            options = cached.get(key)
        except TypeError:  # unhashable, so not a valid setting; the constructor raises the error
            return self._new_options(add_special_tokens, specials, truncation, padding, way)
        if options is None:
            options = self._new_options(add_special_tokens, specials, truncation, padding, way)
            if len(cached) >= _MOST_OPTIONS:
                cached.clear()
            cached[key] = options
        return options

    @cached_property
    def _has_dropout(self) -> bool:
        """Returns whether the model uses dropout by default."""
        return self._core.has_dropout()

    def _new_options(
        self,
        add_special_tokens: bool,
        specials: Specials | None,
        truncation: TruncationLike | Default,
        padding: PaddingLike | Default,
        way: Way,
    ) -> Options:
        limits = self._limit("truncation", truncation), self._limit("padding", padding)
        return self._core.options(add_special_tokens, specials, *limits, way)

    def _limit(self, name: Literal["truncation", "padding"], value: Any) -> str | bool:
        """Returns truncation or padding as JSON, True for that of the tokenizer, or False for none."""
        if value is None or isinstance(value, Default):
            return value is not None
        import json

        from piecework._settings.encoding import as_truncation
        from piecework.tokenizer._padding import as_padding

        limit = as_truncation(value) if name == "truncation" else as_padding(value, self)
        return json.dumps(limit and limit.to_dict())

    def _seeded(self, sampling: Sampling | Default | None) -> Sampling | Default | None:
        """Returns the sampling of a call, with a new seed if tokens are sampled without one."""
        if sampling is None or (isinstance(sampling, Default) and not self._has_dropout):
            return sampling
        from piecework._settings.encoding import Sampling

        if isinstance(sampling, Default):
            sampling = Sampling()
        elif not isinstance(sampling, Sampling):
            raise ConfigError(
                f"expected a Sampling or None, found {shown(sampling)}", setting="sampling"
            )
        dropout = self._has_dropout if sampling.dropout is None else sampling.dropout
        if sampling.seed is not None or (sampling.alpha is None and not dropout):
            return sampling
        return Sampling(
            sampling.alpha, sampling.nbest_size, sampling.dropout, int.from_bytes(os.urandom(8))
        )

    def _way(self, cache: bool, sampling: Sampling | Default | None) -> Way:
        """Returns how the core encodes: fast path, cache, and the settings of sampling."""
        way = FAST if cache else UNCACHED
        sampling = self._seeded(sampling)
        if isinstance(sampling, Default):
            return way
        if sampling is None:
            return way._replace(dropout=0.0) if self._has_dropout else way
        return way._replace(
            dropout=sampling.dropout,
            alpha=sampling.alpha,
            nbest_size=sampling.nbest_size,
            seed=sampling.seed or 0,
        )
