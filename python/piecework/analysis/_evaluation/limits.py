"""Checks metrics against limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._messages import did_you_mean, shown, wrong_type
from piecework.analysis._evaluation.metrics import (
    ALL_METRICS,
    PARITY_METRICS,
    Better,
    Value,
    formatted,
)
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from piecework.analysis._evaluation.result import Evaluation

_SETTING: dict[Better, str] = {"higher": "fail_under", "lower": "fail_over"}
"""The setting of the limit of a metric, by the values that are better."""


class FailedLimit(NamedTuple):
    """Describes a metric that does not keep its limit; its text says so.

    Attributes:
        tokenizer: The name of the tokenizer; None if it is the only one.
        metric: The name of the metric.
        value: Its value; None if it is undefined.
        limit: The limit.
        is_under: Whether the value is under the limit, not over it.
    """

    tokenizer: str | None
    metric: str
    value: Value
    limit: float
    is_under: bool

    def __str__(self) -> str:
        """Returns the metric, its value and the limit."""
        metric = ALL_METRICS[self.metric]
        name = self.metric if self.tokenizer is None else f"{self.tokenizer}: {self.metric}"
        side = "under" if self.is_under else "over"
        if self.value is None:
            return f"{name} is undefined on these texts, so it is not known to be {'at least' if self.is_under else 'at most'} {self.limit:g}"
        return f"{name} is {formatted(metric, self.value)}, {side} {self.limit:g}"


def check_limits(
    fail_under: Mapping[str, Any], fail_over: Mapping[str, Any], *, parallel: bool
) -> None:
    """Raises an error for a limit of an unknown metric, on the wrong side, or that is no number.

    Args:
        fail_under: The least values.
        fail_over: The largest values.
        parallel: Whether the texts are parallel, which some metrics require.

    Raises:
        ConfigError: A limit is invalid.
        TypeError: The limits are no mappings.
    """
    for setting, limits in (("fail_under", fail_under), ("fail_over", fail_over)):
        if not isinstance(limits, Mapping):
            raise wrong_type(setting, "a mapping of metrics to numbers", limits)
        for name, limit in limits.items():
            _check_limit(setting, name, limit, parallel)


def _check_limit(setting: str, name: str, limit: Any, parallel: bool) -> None:
    if name not in ALL_METRICS:
        hint = did_you_mean(name, ALL_METRICS) or f"the metrics are {', '.join(ALL_METRICS)}"
        raise ConfigError(f"no metric {shown(name)}", setting=setting, hint=hint)
    if not _is_number(limit):
        message = f"expected a number for {name}, found {shown(limit)}"
        raise ConfigError(message, setting=setting)
    better = ALL_METRICS[name].better
    if _SETTING[better] != setting:
        message = f"{name} is better when {better}"
        hint = f"pass `{_SETTING[better]}={{{name!r}: {limit:g}}}`"
        raise ConfigError(message, setting=setting, hint=hint)
    if name in PARITY_METRICS and not parallel:
        message = f"{name} requires parallel texts"
        raise ConfigError(message, setting=setting, hint="pass `parallel=True`")


def _is_number(limit: object) -> bool:
    """Returns whether a limit is a number (NumPy's included) that a float can be."""
    if isinstance(limit, bool) or not isinstance(limit, Real):
        return False
    try:
        return not math.isnan(limit)
    except OverflowError:
        return False


def check(
    evaluation: Evaluation, fail_under: Mapping[str, float], fail_over: Mapping[str, float]
) -> list[FailedLimit]:
    """Returns the limits that are not kept; see :meth:`Evaluation.check`."""
    parallel = all(result.parity is not None for result in evaluation.tokenizers)
    check_limits(fail_under, fail_over, parallel=parallel)
    return [*_failed(evaluation, fail_under, True), *_failed(evaluation, fail_over, False)]


def _failed(
    evaluation: Evaluation, limits: Mapping[str, float], is_under: bool
) -> Iterator[FailedLimit]:
    is_only = len(evaluation.tokenizers) == 1
    for result in evaluation.tokenizers:
        for name, limit in limits.items():
            value = result.metrics[name]
            keeps = value is not None and (value >= limit if is_under else value <= limit)
            if not keeps:
                yield FailedLimit(None if is_only else result.name, name, value, limit, is_under)
