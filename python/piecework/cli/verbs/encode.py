"""`piecework encode`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from piecework.cli.input import STDIN, Input, without_end
from piecework.cli.options import (
    AsJsonLines,
    Errors,
    Model,
    NoProgress,
    OnBrokenBytes,
    OnSpecials,
    Specials,
    SpecialTokens,
    Splitting,
    Stream,
    TextFile,
    Threads,
    TokenizerFile,
    load,
)
from piecework.cli.output import as_json, printing
from piecework.cli.progress import bar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework import Encoding, Encodings


def encode(
    *,
    tokenizer: TokenizerFile,
    file: TextFile = STDIN,
    tokens: Annotated[bool, typer.Option("--tokens", help="Print tokens instead of ids.")] = False,
    json: AsJsonLines = False,
    special_tokens: SpecialTokens = True,
    specials: OnSpecials = Specials.match,
    errors: OnBrokenBytes = Errors.strict,
    stream: Stream = False,
    threads: Threads = None,
    no_progress: NoProgress = False,
    splitting: Splitting,
    model: Model,
) -> None:
    """Encode text: a line in, a line of token ids out.

    With --json each line is an object with ids, tokens, and offsets in characters of the line. How text is split can be
    set for a vocab.txt alone; a tokenizer.json says it itself. Lines are truncated and padded as it prescribes, but never
    to the length of others: each stands by itself.

    Examples:
      piecework encode tokenizer.json story.txt >ids.txt
      echo "hello world" | piecework encode tokenizer.json --tokens
      piecework encode vocab.txt story.txt --no-lowercase --json
    """
    tok = load(tokenizer, splitting, model)
    if tok.padding and tok.padding.length is None:
        tok = tok.with_parts(padding=None)

    def encoded(lines: list[str]) -> Encodings:
        return tok.encode_batch(
            lines, add_special_tokens=special_tokens, specials=specials.value, threads=threads
        )

    rows = _json_rows if json else _token_rows if tokens else _id_rows
    with (
        Input(file, errors.value) as source,
        bar(no_progress or stream) as show,
        printing(stream) as write,
    ):
        for batch in source.batches(1 if stream else None):
            lines = [without_end(line) for line in batch]
            for row in rows(source.blaming(encoded, lines)):
                write(row)
            show(source.progress("encoding"))


def _id_rows(batch: Encodings) -> Iterator[str]:
    return (" ".join(map(str, ids)) for ids in batch.to_list())


def _token_rows(batch: Iterable[Encoding]) -> Iterator[str]:
    return (" ".join(encoding.tokens) for encoding in batch)


def _json_rows(batch: Iterable[Encoding]) -> Iterator[str]:
    for encoding in batch:
        yield as_json({"ids": encoding.ids, "tokens": encoding.tokens, "offsets": encoding.offsets})
