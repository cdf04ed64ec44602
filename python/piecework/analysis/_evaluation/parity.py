"""Compares languages by parallel texts: premiums, and the Gini coefficient of their tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._io.sources import normal_name
from piecework._messages import did_you_mean, shown
from piecework._settings.immutable import Record, dataclass
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from piecework.analysis._evaluation.metrics import Value


@dataclass(frozen=True, slots=True)
class Parity(Record):
    """Compares the tokens of parallel texts in several languages.

    Attributes:
        reference: The language whose premium is 1.
        premiums: For each language its tokens, divided by those of the reference; None without tokens there.
        gini: The Gini coefficient of the tokens of the languages: 0 if all have equally many; None without tokens.
    """

    reference: str
    premiums: Mapping[str, float | None]
    gini: float | None

    @classmethod
    def of(cls, tokens: Mapping[str, int], reference: str) -> Parity:
        """Returns the comparison of the numbers of tokens by language.

        >>> Parity.of({"en": 100, "de": 150}, "en").premiums
        {'en': 1.0, 'de': 1.5}
        """
        own = tokens[reference]
        premiums = {name: count / own if own else None for name, count in tokens.items()}
        return cls(reference, premiums, gini(list(tokens.values())))

    @property
    def largest_premium(self) -> float | None:
        """Returns the largest premium, or None without tokens of the reference."""
        return max((each for each in self.premiums.values() if each is not None), default=None)

    def metrics(self) -> dict[str, Value]:
        """Returns the metrics of all languages by their names."""
        return {"largest_premium": self.largest_premium, "gini": self.gini}

    def to_dict(self) -> dict[str, Any]:
        """Returns the comparison as JSON values."""
        return {"reference": self.reference, "premiums": dict(self.premiums), **self.metrics()}


def gini(values: Sequence[int]) -> float | None:
    """Returns the Gini coefficient of values: their mean absolute difference, divided by twice their mean.

    It takes time n log n, by the values in ascending order.

    >>> gini([1, 1, 1]), gini([0, 0, 3]), gini([0])
    (0.0, 0.6666666666666666, None)
    """
    total, count = sum(values), len(values)
    if not total:
        return None
    weighted = sum((2 * rank - count - 1) * each for rank, each in enumerate(sorted(values), 1))
    return weighted / (count * total)


def reference_of(groups: Sequence[str], reference: str | None) -> str:
    """Returns the language that others are compared with: the given one, or the first.

    Raises:
        ConfigError: There is no such group, or there are not several.
    """
    if len(groups) < 2:
        raise ConfigError(
            "requires several groups of texts, one for each language",
            setting="parallel",
            hint='pass a mapping of languages to texts, or `by="file"`',
        )
    if reference is None:
        return groups[0]
    # The name of a file may be spelled in several ways.
    reference = reference if reference in groups else normal_name(reference)
    if reference not in groups:
        message = f"no group is named {shown(reference)}"
        hint = (
            did_you_mean(reference, groups) or f"the groups are {', '.join(map(shown, groups[:8]))}"
        )
        raise ConfigError(message, setting="reference", hint=hint)
    return reference
