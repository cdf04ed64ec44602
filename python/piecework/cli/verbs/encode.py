"""Implements `piecework encode`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from piecework._display import quoted
from piecework.cli import options
from piecework.cli.declare import Option, given_of
from piecework.cli.input import STDIN
from piecework.cli.length import Limits
from piecework.cli.messages import OptionError
from piecework.cli.output import as_json, printing
from piecework.cli.progress import bar
from piecework.cli.sampling import Sampling
from piecework.cli.texts import Batch, joined, read_batches
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework import Encoding, Tokenizer

_PAIR = 2


def encode(
    *,
    tokenizer: options.TokenizerFile,
    file: options.DocumentFile = STDIN,
    tokens: bool = False,
    readable: bool = False,
    json: options.AsJsonLines = False,
    pair: bool = False,
    pretokenized: bool = False,
    nbest: Annotated[int | None, Option(min=1, max=10_000)] = None,
    limits: Limits,
    sampling: Sampling,
    add_special_tokens: options.SpecialTokens = True,
    specials: options.OnSpecials = None,
    reading: options.Reading,
    stream: options.Stream = False,
    threads: options.Threads = None,
    no_progress: options.NoProgress = False,
    loading: options.Loading,
) -> None:
    """Encode each line of text, or document of JSON lines, Parquet or Arrow, to a line of token ids.

    With --json each line is an object of ids, tokens, and offsets in characters of the line; with --pair also type_ids,
    with --pretokenized word_ids (offsets then count in the word), with padding attention_mask, and with truncation
    overflowing, a list of such objects. Truncation and padding are those of the tokenizer unless options override them.
    --nbest applies neither, and with --json prints a list of objects with their scores.

    Options:
        tokens: Print tokens instead of ids.
        readable: Print tokens in readable form: bytes as text, tokens with spaces in quotes.
        pair: Encode lines of two texts separated by a tab.
        pretokenized: Encode each word separately; words are separated by white space.
        nbest: Print the N best segmentations of each line, each after its score and a tab (requires Unigram, or WordPiece with
            --segmentation likeliest).

    Examples:
      piecework encode tokenizer.json story.txt >ids.txt
      piecework encode tokenizer.json corpus.jsonl.gz --field content >ids.txt
      echo "hello world" | piecework encode tokenizer.json --tokens
      echo "hello world" | piecework encode gpt2.json --readable
      piecework encode vocab.txt story.txt --no-lowercase --json
      piecework encode model-folder story.txt --max-length 128 --pad 128
      piecework encode tokenizer.json story.txt --max-length 128 --stride 32 --json
      echo "hello world" | piecework encode unigram.json --tokens --nbest 5
      piecework encode unigram.json story.txt --sample --alpha 0.1 --seed 1
    """
    tok = loading.load(tokenizer)
    tok = tok.replace(truncation=limits.truncation(tok), padding=limits.padding(tok))
    to_longest = tok.padding is not None and tok.padding.length is None
    _check(limits, json=json, pair=pair, streams_to_longest=stream and to_longest)
    sampling.check(tok)
    if nbest is not None:
        _check_nbest([pair, pretokenized, given_of(sampling), given_of(limits)])

    optional = {
        "type_ids": pair,
        "word_ids": pretokenized,
        "attention_mask": tok.padding is not None,
        "overflowing": tok.truncation is not None,
    }
    columns = ["ids", "tokens", "offsets", *(name for name, is_on in optional.items() if is_on)]

    text_of = partial(_text, tok, tokens=tokens, readable=readable)

    def rows(batch: Batch) -> Iterable[str]:
        inputs = _inputs(batch, pair, pretokenized) if pair or pretokenized else batch.texts
        with batch.located():
            encoded = tok.encode_batch(
                inputs,
                is_pretokenized=pretokenized,
                add_special_tokens=add_special_tokens,
                specials=specials,
                threads=threads,
                sampling=sampling.at(batch.first),
            )
        if json:
            return (as_json(_object(encoding, columns)) for encoding in encoded)
        if readable or tokens:
            return map(text_of, encoded)
        return (" ".join(map(str, ids)) for ids in encoded.to_list())  # which needs no `Encoding`

    def best(batch: Batch) -> Iterator[str]:
        for index, text in enumerate(batch.each()):
            with batch.located(index):
                scored = tok.lm.nbest(
                    text, nbest or 1, add_special_tokens=add_special_tokens, specials=specials
                )
            if json:
                yield as_json(
                    [{"score": score, **_object(each, columns)} for each, score in scored]
                )
            else:
                yield from (f"{score:.6g}\t{text_of(encoding)}" for encoding, score in scored)

    corpus = reading.corpus([file])
    with bar(no_progress or stream) as show, printing(stream) as write:
        batches = read_batches(corpus, show, "encoding", stream=stream)
        for batch in joined(batches) if to_longest else batches:
            for row in rows(batch) if nbest is None else best(batch):
                write(row)


def _check(limits: Limits, *, json: bool, pair: bool, streams_to_longest: bool) -> None:
    """Raises OptionError for limits without effect, or that a stream cannot have."""
    if limits.stride and not json:
        raise OptionError("--stride", "requires --json")
    if limits.truncation_strategy and not pair:
        raise OptionError("--truncation-strategy", "requires --pair")
    if streams_to_longest:
        raise OptionError(
            "--stream", "cannot pad to the longest line; pass --pad N or --no-padding"
        )


def _check_nbest(others: list[object]) -> None:
    if any(others):
        raise OptionError(
            "--nbest",
            "cannot be combined with --pair, --pretokenized, sampling, truncation or padding",
        )


def _inputs(batch: Batch, pair: bool, pretokenized: bool) -> list[Any]:
    """Returns the texts or pairs of lines."""
    inputs = []
    for index, text in enumerate(batch.each()):
        with batch.located(index):
            inputs.append(_input(text, pair, pretokenized))
    return inputs


def _input(line: str, pair: bool, pretokenized: bool) -> Any:
    """Returns the text or pair of a line, as an input of a batch."""
    texts = line.split("\t") if pair else [line]
    if pair and len(texts) != _PAIR:
        raise FormatError(f"expected two texts separated by a tab, found {len(texts)}")
    parts = [text.split() if pretokenized else text for text in texts]
    return tuple(parts) if pair else parts[0]


def _text(tok: Tokenizer, encoding: Encoding, *, tokens: bool, readable: bool) -> str:
    """Returns the ids or tokens of an encoding on a line."""
    if readable:
        return " ".join(quoted(tok.display_token(token)) for token in encoding.tokens)
    return " ".join(encoding.tokens if tokens else map(str, encoding.ids))


def _object(encoding: Encoding, columns: list[str]) -> dict[str, Any]:
    values = {name: getattr(encoding, name) for name in columns}
    if "overflowing" in values:
        parts = [name for name in columns if name != "overflowing"]
        values["overflowing"] = [_object(part, parts) for part in values["overflowing"]]
    return values
