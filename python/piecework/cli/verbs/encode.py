"""`piecework encode`."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from piecework.cli.chance import Chance  # noqa: TC001  # typer reads it
from piecework.cli.input import STDIN, Input, without_end
from piecework.cli.limits import Limits  # noqa: TC001  # typer reads it
from piecework.cli.options import (
    AsJsonLines,
    Errors,
    Model,
    NoProgress,
    OnBrokenBytes,
    OnSpecials,
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
from piecework.display import quoted
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from piecework import EncodedBatch, Encoding, ScoredEncoding

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
    nbest: Annotated[
        int | None,
        typer.Option(
            "--nbest",
            metavar="N",
            min=1,
            max=10_000,
            help="Print the N best segmentations of each line, by Unigram or by WordPiece's likelihood. Lines begin with the score and a tab.",
        ),
    ] = None,
    limits: Limits,
    chance: Chance,
    special_tokens: SpecialTokens = True,
    specials: OnSpecials = None,
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
    what is given here; --nbest has neither, and with --json a line is a list of objects, each with its score. How text is
    split can be set for a vocab.txt alone; a tokenizer.json says it itself.

    Examples:
      piecework encode tokenizer.json story.txt >ids.txt
      echo "hello world" | piecework encode tokenizer.json --tokens
      echo "hello world" | piecework encode gpt2.json --readable
      piecework encode vocab.txt story.txt --no-lowercase --json
      piecework encode model-folder story.txt --max-length 128 --pad 128
      piecework encode tokenizer.json story.txt --max-length 128 --stride 32 --json
      echo "hello world" | piecework encode unigram.json --tokens --nbest 5
      piecework encode unigram.json story.txt --sample --alpha 0.1 --seed 1
    """
    tok = load(tokenizer, splitting, model)
    tok = tok.with_parts(truncation=limits.truncation(tok), padding=limits.padding(tok))
    to_longest = tok.padding is not None and tok.padding.length is None
    _check(limits, json, stream and to_longest)
    chance.check(tok)
    if nbest is not None and (pair or pretokenized or chance.sample):
        message = "--nbest takes a text a line, and leaves nothing to chance"
        raise typer.BadParameter(message, param_hint="--nbest")

    def encoded(lines: list[str]) -> EncodedBatch:
        return tok.encode_batch(
            [_text(line, pair, pretokenized) for line in lines],
            is_pretokenized=pretokenized,
            add_special_tokens=special_tokens,
            specials=specials and specials.value,
            threads=threads,
            **chance.settings(source.line - len(lines)),
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
        named = (
            (quoted(tok.display_token(t)) for t in encoding.tokens) if readable else encoding.tokens
        )
        return " ".join(named)

    tells = told if json or readable or tokens else None

    def best(line: str) -> Iterable[str]:
        found = tok.encode_nbest(
            line,
            nbest or 1,
            add_special_tokens=special_tokens,
            specials=specials and specials.value,
        )
        return _ranked(found, columns) if json else _scored(found, tells)

    def work(lines: list[str]) -> Iterable[str]:
        if nbest is None:
            return _rows(encoded(lines), tells)
        return [row for line in lines for row in best(line)]

    with (
        Input(file, errors.value, f"encode {quote(tokenizer)} -") as source,
        bar(no_progress or stream) as show,
        printing(stream) as write,
    ):
        for batch in _whole(source) if to_longest else source.batches(1 if stream else None):
            for row in source.blaming(work, [without_end(line) for line in batch]):
                write(row)
            show(source.progress("encoding"))


def _check(limits: Limits, json: bool, waits: bool) -> None:
    """Refuse limits that say nothing, or that a stream cannot have."""
    if limits.stride and not json:
        raise typer.BadParameter("--stride says nothing without --json", param_hint="--stride")
    if waits:
        message = "--stream cannot wait for the longest line; pass --pad N or --no-padding"
        raise typer.BadParameter(message, param_hint="--stream")


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


def _rows(batch: EncodedBatch, told: Callable[[Encoding], str] | None) -> Iterator[str]:
    """The lines to print: what is told of each encoding, or ids alone, for which none is made."""
    if told is None:
        return (" ".join(map(str, ids)) for ids in batch.to_list())
    return map(told, batch)


def _scored(found: list[ScoredEncoding], told: Callable[[Encoding], str] | None) -> Iterator[str]:
    """The lines to print of the best segmentations of a text."""
    for encoding, score in found:
        yield f"{score:.6g}\t{told(encoding) if told else ' '.join(map(str, encoding.ids))}"


def _ranked(found: list[ScoredEncoding], columns: list[str]) -> list[str]:
    """The line to print of them as JSON."""
    return [as_json([{"score": score, **_object(encoding, columns)} for encoding, score in found])]


def _object(encoding: Encoding, columns: list[str]) -> dict[str, Any]:
    found = {name: getattr(encoding, name) for name in columns}
    if "overflowing" in found:
        parts = [name for name in columns if name != "overflowing"]
        found["overflowing"] = [_object(part, parts) for part in found["overflowing"]]
    return found
