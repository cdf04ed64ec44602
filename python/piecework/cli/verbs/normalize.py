"""Implements `piecework normalize`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._display import quoted, visible
from piecework.cli import options
from piecework.cli.input import STDIN
from piecework.cli.output import as_json, printing
from piecework.cli.texts import located_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework import Tokenizer
    from piecework._core import TextStages

PreTokens = list[tuple[str, tuple[int, int]]]


def normalize(
    *,
    tokenizer: options.TokenizerFile,
    file: options.DocumentFile = STDIN,
    json: options.AsJsonLines = False,
    reading: options.Reading,
    stream: options.Stream = False,
    loading: options.Loading,
) -> None:
    """Show the normalized text and the pre-tokens of each line or document.

    Prints the normalized text, then a line for each pre-token: its span in the original line, in characters, a tab, and its
    text. An empty line separates the results. Special tokens in the text are treated as ordinary text. With --json each
    line is an object of text, normalized and pre_tokens.

    Examples:
      piecework normalize tokenizer.json story.txt --json
      echo "Héllo, World" | piecework normalize vocab.txt
      echo "to be" | piecework normalize vocab.txt --pre-tokenizer byte-level --no-lowercase
    """
    stages = _stages(loading.load(tokenizer))
    corpus = reading.corpus([file])
    with printing(stream) as write:
        for number, (text, located) in enumerate(located_texts(corpus)):
            with located:
                normalized, pre_tokens = stages.normalize(text), stages.pre_tokenize(text)
            if json:
                write(as_json({"text": text, "normalized": normalized, "pre_tokens": pre_tokens}))
                continue
            if number:
                write("")
            for row in _rows(normalized, pre_tokens):
                write(row)


def _stages(tok: Tokenizer) -> TextStages:
    """Returns the normalizer and the pre-tokenizer of a tokenizer."""
    from piecework._core import TextStages
    from piecework._settings.component import splitter_json

    return TextStages(*splitter_json(tok.normalizer, tok.pre_tokenizer))


def _rows(normalized: str, pre_tokens: PreTokens) -> Iterator[str]:
    """Iterates over the output lines of a text."""
    yield visible(normalized)
    for pre_token, (start, end) in pre_tokens:
        yield f"{start}-{end}\t{quoted(visible(pre_token))}"
