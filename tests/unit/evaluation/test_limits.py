"""Limits of metrics: which side is allowed, and what is reported."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import piecework as pw
from piecework.analysis._evaluation.metrics import METRICS, PARITY_METRICS
from piecework.errors import ConfigError

TOK = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n")
EVALUATION = pw.evaluate(TOK, ["low lower", "x"])


def test_limits_that_are_kept() -> None:
    assert EVALUATION.check() == []
    assert EVALUATION.check(fail_under={"whole_words": 1 / 3}, fail_over={"fertility": 4 / 3}) == []


def test_failed_limits_in_their_order() -> None:
    failed = EVALUATION.check(
        fail_under={"whole_words": 0.5, "bytes_per_token": 9}, fail_over={"unknown_rate": 0.2}
    )
    assert [str(each) for each in failed] == [
        "whole_words is 33.33%, under 0.5",
        "bytes_per_token is 2.500, under 9",
        "unknown_rate is 25.00%, over 0.2",
    ]
    assert [each.is_under for each in failed] == [True, True, False]


def test_each_tokenizer_must_keep_each_limit() -> None:
    both = pw.evaluate({"a": TOK, "b": TOK}, ["x"])
    assert [str(each) for each in both.check(fail_over={"unknown_rate": 0})] == [
        "a: unknown_rate is 100.00%, over 0",
        "b: unknown_rate is 100.00%, over 0",
    ]


def test_an_undefined_metric_keeps_no_limit() -> None:
    (failure,) = pw.evaluate(TOK, []).check(fail_over={"fertility": 99})
    assert failure.value is None
    assert (
        str(failure) == "fertility is undefined on these texts, so it is not known to be at most 99"
    )


@pytest.mark.parametrize("name", [*METRICS, *PARITY_METRICS])
def test_the_wrong_side_is_an_error_that_names_the_right_one(name: str) -> None:
    is_higher = {**METRICS, **PARITY_METRICS}[name].better == "higher"
    wrong: Any = {("fail_over" if is_higher else "fail_under"): {name: 1.5}}
    right = "fail_under" if is_higher else "fail_over"
    with pytest.raises(
        ConfigError, match=f"better when {'higher' if is_higher else 'lower'}.*{right}"
    ):
        EVALUATION.check(**wrong)


@pytest.mark.parametrize("limit", ["1", None, True, math.nan, 10**400, 1j])
@pytest.mark.parametrize("metric", ["compression", "fertility"])
def test_limits_are_numbers(limit: Any, metric: str) -> None:
    with pytest.raises(ConfigError, match=f"fail_under: expected a number for {metric}, found"):
        EVALUATION.check(fail_under={metric: limit})


def test_kinds_of_numbers() -> None:
    limits: list[Any] = [np.float32(0.5), np.int64(1), Fraction(1, 2)]
    for limit in limits:
        (failure,) = EVALUATION.check(fail_over={"fertility": limit})
        assert failure.limit == limit
    assert EVALUATION.check(fail_over={"fertility": math.inf}) == []
    with pytest.raises(TypeError, match="fail_under: expected a mapping of metrics to numbers"):
        EVALUATION.check(fail_under=["compression"])  # type: ignore[arg-type]  # the test


def test_limits_are_checked() -> None:
    with pytest.raises(ConfigError, match=r"no metric 'fertilty'.*fertility"):
        EVALUATION.check(fail_over={"fertilty": 1})
    with pytest.raises(ConfigError, match="expected a number for fertility"):
        EVALUATION.check(fail_over={"fertility": math.nan})
    with pytest.raises(ConfigError, match="requires parallel texts"):
        EVALUATION.check(fail_over={"gini": 0.1})
    with pytest.raises(ConfigError, match="no metric 'fertilty'"):
        EVALUATION["fertilty"]
