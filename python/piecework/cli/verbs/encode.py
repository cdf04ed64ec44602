"""`piecework encode`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from piecework.cli.input import STDIN, Input, without_end
from piecework.cli.limits import Limits  # noqa: TC001  # typer reads it
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
from piecework.errors import FormatError
from piecework.readable import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from piecework import Encoding, Encodings

_PAIR = 2


def encode(
    *,
    tokenizer: TokenizerFile,
    file: TextFile = STDIN,
    tokens: Annotated[bool, typer.Option("--tokens", help="Print tokens instead of ids.")] = False,
    readable: Annotated[
        bool,
        typer.Option(
            "--readable",
            help="Print tokens as people read them: bytes as text, in quotes where there are spaces.",
        ),
    ] = False,
    json: AsJsonLines = False,
    pair: Annotated[
        bool, typer.Option("--pair", help="A line holds two texts, with a tab between them.")
    ] = False,
    pretokenized: Annotated[
        bool,
        typer.Option(
            "--pretokenized",
            help="Texts come in words, with white space between them; each is encoded for itself.",
        ),
    ] = False,
    limits: Limits,
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

    With --json each line is an object with ids, tokens, and offsets in characters of the line's text; with --pair also
    type_ids, with --pretokenized word_ids (offsets are then those in the word), with padding attention_mask, and with
    truncation overflowing, a list of such objects. Truncation and padding are as the tokenizer prescribes them, but for
    what is given here. How text is split can be set for a vocab.txt alone; a tokenizer.json says it itself.

    Examples:
      piecework encode tokenizer.json story.txt >ids.txt
      echo "hello world" | piecework encode tokenizer.json --tokens
      echo "hello world" | piecework encode gpt2.json --readable
      piecework encode vocab.txt story.txt --no-lowercase --json
      piecework encode model-folder story.txt --max-length 128 --pad 128
      piecework encode tokenizer.json story.txt --max-length 128 --stride 32 --json
    """
    tok = load(tokenizer, splitting, model)
    tok = tok.with_parts(truncation=limits.truncation(tok), padding=limits.padding(tok))
    to_longest = tok.padding is not None and tok.padding.length is None
    if limits.stride and not json:
        raise typer.BadParameter("--stride says nothing without --json", param_hint="--stride")
    if to_longest and stream:
        message = "--stream cannot wait for the longest line; pass --pad N or --no-padding"
        raise typer.BadParameter(message, param_hint="--stream")

    def encoded(lines: list[str]) -> Encodings:
        return tok.encode_batch(
            [_text(line, pair, pretokenized) for line in lines],
            is_pretokenized=pretokenized,
            add_special_tokens=special_tokens,
            specials=specials.value,
            threads=threads,
        )

    more = {
        "type_ids": pair,
        "word_ids": pretokenized,
        "attention_mask": tok.padding is not None,
        "overflowing": tok.truncation is not None,
    }
    columns = ["ids", "tokens", "offsets", *(name for name, wanted in more.items() if wanted)]

    def told(encoding: Encoding) -> str:
        if json:
            return as_json(_object(encoding, columns))
        named = (quoted(tok.readable(t)) for t in encoding.tokens) if readable else encoding.tokens
        return " ".join(named)

    tells = told if json or readable or tokens else None
    with (
        Input(file, errors.value) as source,
        bar(no_progress or stream) as show,
        printing(stream) as write,
    ):
        for batch in _whole(source) if to_longest else source.batches(1 if stream else None):
            encodings = source.blaming(encoded, [without_end(line) for line in batch])
            for row in _rows(encodings, tells):
                write(row)
            show(source.progress("encoding"))


def _whole(source: Input) -> Iterator[list[str]]:
    """All lines at once, where there are any."""
    if lines := list(source.raw_lines()):
        yield lines


def _text(line: str, pair: bool, pretokenized: bool) -> Any:
    """What a line holds, as a batch takes it."""
    texts = line.split("\t") if pair else [line]
    if pair and len(texts) != _PAIR:
        raise FormatError(f"expected two texts with a tab between them, found {len(texts)}")
    parts = [text.split() if pretokenized else text for text in texts]
    return tuple(parts) if pair else parts[0]


def _rows(batch: Encodings, told: Callable[[Encoding], str] | None) -> Iterator[str]:
    """The lines to print: what is told of each encoding, or ids alone, for which none is made."""
    if told is None:
        return (" ".join(map(str, ids)) for ids in batch.to_list())
    return map(told, batch)


def _object(encoding: Encoding, columns: list[str]) -> dict[str, Any]:
    found = {name: getattr(encoding, name) for name in columns}
    if "overflowing" in found:
        parts = [name for name in columns if name != "overflowing"]
        found["overflowing"] = [_object(part, parts) for part in found["overflowing"]]
    return found
