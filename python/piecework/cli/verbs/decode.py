"""Implements `piecework decode`."""

from __future__ import annotations

import json
import re
from typing import Any

from piecework.cli import options
from piecework.cli.input import STDIN, Input, at_line
from piecework.cli.output import as_json, printing
from piecework.cli.progress import bar
from piecework.errors import FormatError

_SEPARATORS = re.compile(r"[\s,]+", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,10}")
_LINES_PER_UPDATE = 4096
"""The number of lines between two updates of the progress bar."""


def decode(
    *,
    tokenizer: options.TokenizerFile,
    file: options.TextFile = STDIN,
    special_tokens: options.SpecialTokens = False,
    as_json_lines: options.AsJsonLines = False,
    stream: options.Stream = False,
    no_progress: options.NoProgress = False,
    loading: options.Loading,
) -> None:
    """Decode each line of token ids to a line of text.

    A line contains ids separated by spaces or commas, a JSON array of ids, or an object of `encode --json`.

    Examples:
      piecework decode tokenizer.json ids.txt
      echo "2 41 17 3" | piecework decode tokenizer.json
      piecework encode tokenizer.json story.txt | piecework decode tokenizer.json --special-tokens
    """
    tok = loading.load(tokenizer)
    with (
        Input(file, json_lines=True) as source,
        bar(no_progress or stream) as show,
        printing(stream) as write,
    ):
        for line in source.lines():
            with at_line(source.name, source.line):
                text = tok.decode(_ids(line), skip_special_tokens=not special_tokens)
            write(as_json({"text": text}) if as_json_lines else text)
            if source.line % _LINES_PER_UPDATE == 0:
                show(source.progress("decoding"))


def _ids(line: str) -> list[int]:
    line = line.strip()
    parts = (
        _from_json(line)
        if line[:1] in ("[", "{")
        else [part for part in _SEPARATORS.split(line) if part]
    )
    return [_id(part) for part in parts]


def _from_json(line: str) -> list[Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from None
    ids = value.get("ids") if isinstance(value, dict) else value
    if not isinstance(ids, list):
        raise FormatError('expected token ids, a JSON array of them, or an object with "ids"')
    return ids


def _id(part: object) -> int:
    number = int(part) if isinstance(part, str) and _NUMBER.fullmatch(part) else part
    if type(number) is not int or not 0 <= number < 1 << 32:
        raise FormatError(f"{str(part)[:60]!r} is not a token id")
    return number
