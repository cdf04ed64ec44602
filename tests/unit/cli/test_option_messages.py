"""Errors and warnings of verbs name options instead of Python settings."""

from collections.abc import Callable
from typing import Any

import pytest

from piecework.cli.messages import Options
from piecework.errors import ConfigError

OPTIONS = Options(
    {
        "add_special_tokens": "--special-tokens",
        "errors": "--errors",
        "lowercase": "--lowercase",
        "max_input_chars_per_word": "--max-input-chars-per-word",
        "no_truncation": "--no-truncation",
        "normalizer": "--normalizer",
        "sample": "--sample",
        "truncation_strategy": "--truncation-strategy",
        "unk_token": "--unk-token",
        "user_defined_symbols": "--user-defined-symbol",
        "vocab_size": "--vocab-size",
    }
)


@pytest.mark.parametrize(
    ("hint", "written"),
    [
        ("raise `vocab_size`", "raise --vocab-size"),
        ('pass `errors="replace"`', "pass --errors replace"),
        ("pass `unk_token=None`", "pass --unk-token ''"),
        ("pass `unk_token='a b'`", "pass --unk-token 'a b'"),
        ("pass `unk_token=...`", "pass --unk-token"),
        ("pass `lowercase=True` or `lowercase=False`", "pass --lowercase or --no-lowercase"),
        ("pass `max_input_chars_per_word=None`", "pass --max-input-chars-per-word none"),
        ("pass `max_input_chars_per_word=9`", "pass --max-input-chars-per-word 9"),
        ("pass `add_special_tokens=False`", "pass --no-special-tokens"),
        ("pass `truncation=None`", "pass --no-truncation"),
        ('pass `strategy="only_first"`', "pass --truncation-strategy only-first"),
        ("pass `alpha=...`", "pass --sample"),
        ("pass `normalizer=NFC()`", "pass --normalizer"),
        ("shorten `user_defined_symbols`", "shorten --user-defined-symbol"),
        (
            "pass `probabilities=...` or `Truncation(4)`",
            "pass `probabilities=...` or `Truncation(4)`",
        ),
        ("vocab_size and errors=... stay", "vocab_size and errors=... stay"),
        (None, None),
    ],
)
def test_hints_name_options(hint: str | None, written: str | None) -> None:
    assert OPTIONS.hint(hint) == written


@pytest.mark.parametrize(
    ("setting", "written"),
    [
        ("vocab_size", "--vocab-size: wrong"),
        ("normalizer.rules[0]", "--normalizer: wrong"),
        ("user_defined_symbols[3]", "--user-defined-symbol: wrong"),
        ("template", "template: wrong"),
        ("texts", "FILE: wrong"),
        (None, "wrong"),
    ],
)
def test_settings_are_written_as_options(setting: str | None, written: str) -> None:
    error = ConfigError("wrong", setting=setting)
    assert OPTIONS.message(error) == written
    assert OPTIONS.message(error.at("t.json")) == f"t.json: {written}"


def test_invalid_values_are_named_in_plain_words(run: Callable[..., Any]) -> None:
    for option, value, message in (
        ("--model", "Wordpeice", "'Wordpeice' is not one of 'wordpiece', 'bpe', 'unigram'"),
        ("--vocab-size", "abc", "'abc' is not a valid integer"),
    ):
        ended = run("train", "-", "-o", "t.json", option, value)
        assert ended.err.startswith(f"error: {option}: {message}")
        assert ended.code == 2
