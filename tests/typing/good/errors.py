"""Catches errors and reads what they say."""

from typing import assert_type

import piecework as pw

tok = pw.Tokenizer.from_str("[UNK]\nhug\n")

try:
    tok.decode([7])
except pw.errors.TokenIdError as error:
    assert_type(error.hint, str | None)
    as_index: IndexError = error

try:
    pw.Padding(length=-1)
except pw.errors.ConfigError as error:
    assert_type(error.setting, str | None)
    assert_type(error.problem, str)
    base: pw.PieceworkError = error

try:
    pw.Tokenizer.from_file("no such file")
except FileNotFoundError as error:
    assert_type(error, FileNotFoundError)
