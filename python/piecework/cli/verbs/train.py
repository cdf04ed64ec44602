"""Implements `piecework train`."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path  # noqa: TC003  # read at run time
from typing import TYPE_CHECKING, Annotated, Any

from piecework._display import visible
from piecework.cli import options
from piecework.cli.counting import Counting
from piecework.cli.declare import Option
from piecework.cli.engine import EngineOptions
from piecework.cli.input import STDIN
from piecework.cli.messages import OptionError
from piecework.cli.output import as_json, check_targets, printing
from piecework.cli.progress import bar
from piecework.cli.streams import report
from piecework.cli.training import (
    LikeTokenizer,
    TrainerOptions,
    UserDefinedSymbolsFile,
    pipeline_of,
    read_symbols,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import Merge, Tokenizer, UnigramStep, WordCounts


def train(
    *,
    files: options.DocumentFiles = None,
    output: Annotated[Path, Option("--output", "-o")],
    trainer: TrainerOptions,
    user_defined_symbols_file: UserDefinedSymbolsFile = None,
    vocab_txt: Path | None = None,
    counts: options.AreCounts = False,
    like: LikeTokenizer = None,
    trace: bool = False,
    json: bool = False,
    splitting: options.Splitting,
    counting: Counting,
    engine: EngineOptions,
) -> None:
    """Train a WordPiece, BPE, Unigram or WordLevel tokenizer on text files, JSON lines or Parquet.

    Each line of text is a document; for BPE it includes its line end. By default text is split like BERT for WordPiece, at white
    space for BPE, like GPT-2 for BPE with --alphabet byte, and before white space, written as ▁, for Unigram. The
    tokenizer keeps its history, which `piecework explain` and `inspect` show.

    Options:
        output: Write the tokenizer.json to this file.
        vocab_txt: Write a vocab.txt too.
        trace: Print the merges, or the steps of Unigram, one per line.
        json: Print a summary as JSON; with --trace print one JSON object per merge or step.

    Examples:
      piecework train story.txt poem.txt -o tokenizer.json --vocab-size 4000
      piecework train big.txt.gz -o tokenizer.json --vocab-size 30000 --no-lowercase
      piecework train "corpus/**/*.parquet" --field content -o tokenizer.json --vocab-size 30000
      piecework train --counts counts.txt -o tokenizer.json --vocab-size 500 --criterion pmi --trace
      piecework train story.txt -o bytes.json --model bpe --vocab-size 8000 --alphabet byte --split-pattern cl100k
      piecework train story.txt -o unigram.json --model unigram --vocab-size 8000 --byte-fallback
      piecework train domain.txt -o domain.json --like gpt2.json --vocab-size 8000
      piecework train zh.txt -o zh.json --vocab-size 8000 --pre-tokenizer jieba --no-handle-chinese-chars --continuing-subword-prefix ""
    """
    names = files or [STDIN]
    targets = {"--output": output, "--vocab-txt": vocab_txt}
    for option, target in targets.items():
        if str(target) == STDIN:
            problem = "expected a file, found -; standard output is for --trace and --json"
            raise OptionError(option, problem)
    check_targets(targets, *names, user_defined_symbols_file, *splitting.files(), like)
    _check_name(output, trainer.model)
    more = read_symbols(user_defined_symbols_file, names)
    known = None if like is None else options.load(like)
    settings = trainer.trainer(more) if known is None else trainer.like(known, more)
    pipeline = pipeline_of(settings, splitting, known)
    with bar(counting.no_progress) as show:
        from piecework import train as run

        table = counting.words(
            names, known or settings, pipeline, are_counts=counts, progress=show, engine=engine
        )
        tok = run(
            table,
            settings,
            like=known,
            **pipeline,
            threads=counting.threads,
            max_memory=counting.max_memory,
            progress=show,
        )
    with printing() as write:
        if vocab_txt:  # first, since a token may have no place in a vocab.txt
            tok.save(vocab_txt, "vocab.txt")
        tok.save(output)
        if trace:
            history: Sequence[Merge | UnigramStep] = tok.training.steps or tok.history
            for number, step in enumerate(history, 1):
                write(as_json({"step": number, **asdict(step)}) if json else _line(number, step))
        elif json:
            write(as_json(_summary(tok, table, output)))
    report(_summary_line(tok, table, output, trainer.vocab_size))


def _check_name(output: Path, model: str) -> None:
    """Raises OptionError for a name of another format, which may lose data, before the training starts."""
    from piecework.tokenizer._formats.detect import format_from_name

    kind = format_from_name(output.name)
    if kind == "tokenizer.json":
        return
    file = shlex.quote(str(output))
    remedy = f"write a tokenizer.json, then run `piecework convert tokenizer.json {file}`"
    if kind == "vocab.txt":
        remedy = f"pass `--vocab-txt {file}` beside the name of a tokenizer.json"
    elif kind == "sentencepiece" and model == "unigram":
        remedy += " with `--approximate`, which warns of what changes"
    problem = f"expected a name for a tokenizer.json, found {output}, a name for the format {kind}"
    raise OptionError("--output", f"{problem}; {remedy}")


def _line(number: int, step: Merge | UnigramStep) -> str:
    from piecework import UnigramStep

    if isinstance(step, UnigramStep):
        return _unigram_line(number, step)
    return _merge_line(number, step)


def _unigram_line(number: int, step: UnigramStep) -> str:
    names = step.removed or ()
    removed = f"removed {len(names)}: {' '.join(map(visible, names[:5]))}"
    more = " ..." if len(names) > 5 else ""
    kind = "pruned" if step.log_likelihood is None else f"log-likelihood {step.log_likelihood:.6g}"
    return f"{number}\t{step.pieces} pieces\t{kind}\t{removed}{more}".rstrip(": ")


def _merge_line(number: int, merge: Merge) -> str:
    counts = f"pair {merge.pair_count}, left {merge.left_count}, right {merge.right_count}"
    equation = f"{visible(merge.left)} + {visible(merge.right)} -> {visible(merge.token)}"
    return f"{number}\t{equation}\tscore {merge.score:.6g}\t{counts}\tties {merge.ties}"


def _summary(tok: Tokenizer, table: WordCounts, output: Path) -> dict[str, Any]:
    return {
        "output": str(output),
        "vocab_size": tok.vocab_size,
        **(
            {"steps": len(tok.training.steps)}
            if tok.training.steps
            else {"merges": len(tok.history)}
        ),
        "words": len(table),
        "word_total": table.total,
        "counts_sha256": tok.training.counts_sha256,
        "trainer": tok.training.trainer,
    }


def _summary_line(tok: Tokenizer, table: WordCounts, output: Path, vocab_size: int | None) -> str:
    requested = "" if vocab_size in (None, tok.vocab_size) else f" of {vocab_size:,} requested"
    length = (
        f"{len(tok.training.steps)} steps" if tok.training.steps else f"{len(tok.history):,} merges"
    )
    return (
        f"{visible(str(output))}: {tok.vocab_size:,} tokens{requested}, {length}, "
        f"from {len(table):,} different words, {table.total:,} in total"
    )
