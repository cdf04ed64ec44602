"""Converts the arguments of encode calls to options of the core."""

from __future__ import annotations

import os
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypedDict, cast

from piecework._messages import shown
from piecework._settings.arguments import DEFAULT, FAST, UNCACHED, Default, Way, check_flag
from piecework._settings.immutable import Immutable
from piecework.errors import ConfigError
from piecework.tokenizer._checks import checked_segment_specials, refuse, refuse_unknown

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from piecework._core import Options, Tokenizer as CoreTokenizer
    from piecework._settings.arguments import EncodingPath, Specials
    from piecework._settings.choices import SegmentSpecials
    from piecework._settings.encoding import PaddingLike, Sampling, TruncationLike
    from piecework.tokenizer._tokenizer import Tokenizer
    from piecework.tokenizer._untrusted import UntrustedView


_MOST_OPTIONS = 64
"""The number of cached `Options`; a program that uses more combinations of arguments rebuilds them."""


UNLIMITED: Final = {"truncation": None, "padding": None}
"""The arguments of a call that neither truncates nor pads."""


class CountOptions(TypedDict, total=False):
    """Lists the keyword arguments of :meth:`Tokenizer.count`, which :class:`EncodeOptions` describes."""

    add_special_tokens: bool
    specials: Specials | None
    cache: bool


class RowOptions(CountOptions, total=False):
    """Lists the keyword arguments of :meth:`Tokenizer.arrow_udf`, which :class:`EncodeOptions` describes."""

    truncation: TruncationLike | Default
    sampling: Sampling | Default | None


class EncodeOptions(RowOptions, total=False):
    """Lists the keyword arguments of :meth:`Tokenizer.encode` and other methods that encode.

    Attributes:
        add_special_tokens: Whether the post-processor adds special tokens; by default it does.
        specials: How special tokens in the text are treated: ``"match"`` matches them, ``"text"`` encodes them as
            ordinary text, ``"error"`` raises, a set matches only those in it. ``"text-all"`` and ``"error-all"`` do the
            same for all added tokens but those of white space alone, so they are safe for untrusted input:
            many files have chat markers that are not special. The default is that of the library of the tokenizer's
            file: match all but :attr:`Tokenizer.control_symbols`. See :meth:`Tokenizer.untrusted`, where ``"text"``,
            ``"error"`` and a set are for all these added tokens.
        is_pretokenized: Whether texts are lists of words. Each word is encoded separately, with offsets in the word.
        truncation: A :class:`piecework.Truncation`, its ``max_length``, or None; by default that of the tokenizer. The
            removed tokens are in ``overflowing``.
        padding: A :class:`piecework.Padding`, a length in tokens, or None; by default that of the tokenizer.
        cache: Whether encoded words are looked up in a cache and added to it; by default they are. The result does not
            depend on it.
        sampling: A :class:`piecework.Sampling`, which draws segmentations at random, or None for the best one; by default
            None, or the dropout of the model.
    """

    is_pretokenized: bool
    padding: PaddingLike | Default


class SegmentOptions(TypedDict, total=False):
    """Lists the keyword arguments of :meth:`Tokenizer.encode_segments`; :class:`EncodeOptions` describes the others.

    Attributes:
        specials: How added tokens in untrusted segments are treated: by default all but those of white space alone are
            ordinary text, ``"text-all"``, and with ``"error-all"`` they raise. ``"text"`` and ``"error"`` are for special
            tokens alone, and match the others.
    """

    add_special_tokens: bool
    specials: SegmentSpecials | None
    cache: bool
    truncation: TruncationLike | Default
    padding: PaddingLike | Default
    sampling: Sampling | Default | None


class _Cached(NamedTuple):
    """Holds the options of a call, and the arguments that must be the same objects: True equals 1, which is no bool."""

    options: Options
    exact: tuple[tuple[str, object], ...]


class CallOptions(Immutable):
    """Serves as the base of `Tokenizer` with the options of its calls."""

    _core: CoreTokenizer
    _default_options: Options | None
    """The options of a call without arguments; None if each call draws a seed."""
    _cached_options: dict[Hashable, _Cached]
    _view: UntrustedView | None = None
    """The settings of a view for untrusted texts; None for an ordinary tokenizer."""

    def _options(self, arguments: Mapping[str, Any]) -> Options:
        """Returns the options of a call for the core, from a cache if they are common.

        Args:
            arguments: Those of :class:`EncodeOptions` that the call has; `is_pretokenized` is no option of the core.
        """
        if not arguments and self._default_options is not None:
            return self._default_options
        try:
            options, exact = self._cached_options[tuple(arguments.items())]
        except KeyError:
            return self._cache_options(arguments)
        except TypeError:  # a value cannot be hashed
            specials = arguments.get("specials")
            if not isinstance(specials, set):
                return self._new_options(arguments)
            return self._options({**arguments, "specials": frozenset(specials)})
        for name, value in exact:
            if arguments[name] is not value:
                return self._new_options(arguments)
        return options

    def _cache_options(self, arguments: Mapping[str, Any]) -> Options:
        """Returns new options, and caches them unless each call draws a seed."""
        options = self._new_options(arguments)
        sampling = arguments.get("sampling", DEFAULT)
        is_drawn = self._has_dropout if sampling is DEFAULT else sampling is not None
        has_numpy = any(type(value).__module__ == "numpy" for value in arguments.values())
        if not is_drawn and not has_numpy:
            if len(self._cached_options) >= _MOST_OPTIONS:
                self._cached_options.clear()
            given = tuple(arguments.items())
            is_exact = (isinstance(value, int) and value in (0, 1) for _, value in given)
            self._cached_options[given] = _Cached(options, tuple(compress(given, is_exact)))
        return options

    def _new_options(
        self, arguments: Mapping[str, Any], first_input: int = 0, path: EncodingPath | None = None
    ) -> Options:
        """Returns the options of a call for the core; `first_input` is the number of the first text, a part of the seed."""
        refuse_unknown(arguments, EncodeOptions.__optional_keys__, "the options of encoding")
        add_special_tokens = check_flag(
            "add_special_tokens", arguments.get("add_special_tokens", True)
        )
        cache = check_flag("cache", arguments.get("cache", True))
        way = self._way(cache, arguments.get("sampling", DEFAULT))
        if first_input or path:
            way = way._replace(first_input=first_input, path=path or way.path)
        return self._core.options(
            add_special_tokens,
            self._specials(arguments.get("specials")),
            self._limit("truncation", arguments.get("truncation", DEFAULT)),
            self._limit("padding", arguments.get("padding", DEFAULT)),
            way,
            self._view is not None,
        )

    def _specials(self, given: Specials | None) -> Specials | None:
        """Returns the treatment of added tokens that a call asks for, or that of the view."""
        return self._view.specials if given is None and self._view is not None else given

    def _segment_options(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the arguments of a call with segments, with the treatment of added tokens in untrusted ones."""
        refuse(arguments, ("is_pretokenized",), "segments are texts, trusted or not")
        given = arguments.get("specials")
        default = "text-all" if self._view is None else self._view.specials
        specials = default if given is None else checked_segment_specials(given)
        return {**arguments, "specials": specials}

    @cached_property
    def _has_dropout(self) -> bool:
        """Returns whether the model uses dropout by default."""
        return self._core.has_dropout()

    def _limit(self, name: Literal["truncation", "padding"], value: Any) -> str | bool:
        """Returns truncation or padding as JSON, True for that of the tokenizer, or False for none."""
        if value is None or isinstance(value, Default):
            return value is not None
        import json

        from piecework.tokenizer._padding import limit_values

        return json.dumps(limit_values(name, value, cast("Tokenizer", self)))

    def _seeded(self, sampling: Sampling | Default | None) -> Sampling | Default | None:
        """Returns the sampling of a call, with a new seed if tokens are sampled without one."""
        if sampling is None or (isinstance(sampling, Default) and not self._has_dropout):
            return sampling
        from piecework._settings.encoding import Sampling

        if isinstance(sampling, Default):
            sampling = Sampling()
        elif not isinstance(sampling, Sampling):
            raise ConfigError(
                f"expected a Sampling or None, found {shown(sampling)}",
                setting="sampling",
                hint="pass piecework.Sampling(alpha=0.1) for Unigram, Sampling(dropout=0.1) for BPE and WordPiece",
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
