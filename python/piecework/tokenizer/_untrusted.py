"""Describes views of a tokenizer for texts that must not spell added tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework._messages import did_you_mean, shown, wrong_type
from piecework._settings.arguments import check_iterable
from piecework.errors import ConfigError
from piecework.tokenizer._checks import checked_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from piecework._settings.choices import SegmentSpecials


class UntrustedView(NamedTuple):
    """Holds the settings of a view, see :meth:`piecework.Tokenizer.untrusted`.

    Attributes:
        keep: The added tokens that texts may spell, in ascending order.
        refuse: Whether a text with another added token is an error.
    """

    keep: tuple[str, ...] = ()
    refuse: bool = False

    @property
    def specials(self) -> SegmentSpecials:
        """The treatment of added tokens in calls without `specials`."""
        return "error-all" if self.refuse else "text-all"

    def fingerprint_of(self, ordinary: str) -> str:
        """Returns the fingerprint of the view of a tokenizer with the fingerprint `ordinary`."""
        import hashlib
        import json

        settings = ["untrusted", ordinary, self.keep, self.refuse]
        return hashlib.sha256(json.dumps(settings).encode()).hexdigest()

    def __str__(self) -> str:
        """Returns the call that makes the view.

        >>> str(UntrustedView(("<name>",), refuse=True)), str(UntrustedView())
        ("untrusted(keep=['<name>'], refuse=True)", 'untrusted()')
        """
        given = [f"keep={list(self.keep)!r}"] if self.keep else []
        return f"untrusted({', '.join([*given, *(['refuse=True'] if self.refuse else [])])})"


def checked_keep(keep: Iterable[str], added: Collection[str]) -> tuple[str, ...]:
    """Returns the names in the argument `keep`, each once and in ascending order.

    Args:
        keep: The argument.
        added: The added tokens.

    Raises:
        ConfigError: A name is not that of an added token.
        TypeError: It is a single ``str``, or no iterable.

    >>> checked_keep(["<b>", "<a>", "<b>"], {"<a>", "<b>", "<c>"})
    ('<a>', '<b>')
    """
    expected = "an iterable of added tokens, each a str"
    if isinstance(keep, str):
        raise TypeError(f"{wrong_type('keep', expected, keep)}; pass [{shown(keep)}]")
    names = sorted({checked_text("keep", name) for name in check_iterable("keep", keep, expected)})
    for name in names:
        if name not in added:
            hint = did_you_mean(name, added) or "tok.added_tokens lists them"
            message = f"{shown(name)} is not among the added tokens"
            raise ConfigError(message, setting="keep", hint=hint)
    return tuple(names)
