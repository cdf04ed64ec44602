"""`piecework train`."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path  # noqa: TC003  # typer reads it
from typing import TYPE_CHECKING, Annotated, Any

import typer

from piecework.cli.counting import count_words, load_counts
from piecework.cli.input import STDIN, Input
from piecework.cli.options import (
    Errors,
    FileEncoding,
    NoProgress,
    OnBrokenBytes,
    Splitting,
    TextFiles,
    Threads,
)
from piecework.cli.output import as_json, check_target, printing, shown
from piecework.cli.progress import bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import Merge, Tokenizer, WordCounts, WordPieceTrainer


class Criterion(Enum):
    """What makes a pair good."""

    likelihood = "likelihood"
    pmi = "pmi"
    sum = "sum"
    frequency = "frequency"


class Ties(Enum):
    """Which of equally good pairs is merged."""

    lex = "lex"
    first = "first"
    hf = "hf"


@dataclass(frozen=True)
class Trainer:
    """The settings of a WordPiece training."""

    vocab_size: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="The entries to reach; special tokens, user-defined symbols and alphabet included.",
        ),
    ]
    criterion: Annotated[Criterion, typer.Option(help="What makes a pair good.")] = (
        Criterion.likelihood
    )
    min_frequency: Annotated[
        int, typer.Option(metavar="N", min=1, help="Pairs that occur less often are not merged.")
    ] = 1
    min_word_frequency: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Words that occur less often are left out, but for user-defined symbols.",
        ),
    ] = 1
    max_merges: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Stop after so many merges.")
    ] = None
    stop_at_pair_frequency: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, help="Stop when the most frequent pair occurs at most so often."
        ),
    ] = None
    stop_without_gain: Annotated[
        bool,
        typer.Option(
            "--stop-without-gain", help="Stop before a merge that would not raise the likelihood."
        ),
    ] = False
    ties: Annotated[
        Ties,
        typer.Option(
            help="Among equally good pairs: the first by bytes, by first occurrence, or by ids."
        ),
    ] = Ties.lex
    special_tokens: Annotated[
        list[str] | None,
        typer.Option(
            "--special-tokens",
            metavar="TOKEN",
            help="A special token; give it again for each, or '' for none. By default [PAD] [UNK] [CLS] [SEP] [MASK].",
        ),
    ] = None
    special_tokens_first: Annotated[
        bool,
        typer.Option(
            "--special-tokens-first/--special-tokens-last",
            help="Whether they have the first ids, or the last.",
        ),
    ] = True
    user_defined_symbols: Annotated[
        list[str] | None,
        typer.Option(
            "--user-defined-symbol",
            metavar="WORD",
            help="A whole word to have as an entry, as it is after normalization; give it again for each.",
        ),
    ] = None
    initial_alphabet: Annotated[
        str,
        typer.Option(
            metavar="CHARACTERS", help="Characters to have even if never seen.", show_default=False
        ),
    ] = ""
    limit_alphabet: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Keep so many characters, the most frequent."),
    ] = None
    continuing_subword_prefix: Annotated[
        str, typer.Option(metavar="TEXT", help="What marks a token inside a word; may be empty.")
    ] = "##"
    max_token_length: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="No longer tokens, in characters without the prefix."
        ),
    ] = None
    prune_unused: Annotated[
        bool,
        typer.Option(
            "--prune-unused",
            help="Drop tokens that the training words never use, and learn others.",
        ),
    ] = False

    def trainer(self, more_symbols: Sequence[str] = ()) -> WordPieceTrainer:
        """Give the trainer; `more_symbols` come after those that the options name."""
        from piecework import WordPieceTrainer

        settings: dict[str, Any] = asdict(self) | {
            "criterion": self.criterion.value,
            "ties": self.ties.value,
            "user_defined_symbols": [*(self.user_defined_symbols or ()), *more_symbols],
        }
        if self.special_tokens is None:
            del settings["special_tokens"]
        elif self.special_tokens == [""]:
            settings["special_tokens"] = []
        return WordPieceTrainer(**settings)


def train(
    *,
    files: TextFiles = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The tokenizer.json to write.",
            show_default=False,
        ),
    ],
    trainer: Trainer,
    user_defined_symbols_file: Annotated[
        str | None,
        typer.Option(
            "--user-defined-symbols-file",
            metavar="FILE",
            help="More of them, one a line, UTF-8; - is standard input. Empty lines are passed over.",
            show_default=False,
        ),
    ] = None,
    vocab_txt: Annotated[
        Path | None, typer.Option("--vocab-txt", metavar="FILE", help="Write a vocab.txt too.")
    ] = None,
    counts: Annotated[
        bool,
        typer.Option(
            "--counts", help="The files are word counts, from count-words; they are added up."
        ),
    ] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Print the merges, one a line.")] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print a summary as JSON; with --trace the merges, an object a line."
        ),
    ] = False,
    splitting: Splitting,
    encoding: FileEncoding = "utf-8",
    errors: OnBrokenBytes = Errors.strict,
    threads: Threads = None,
    no_progress: NoProgress = False,
) -> None:
    """Train a WordPiece tokenizer on text files.

    Each line is a document. The tokenizer keeps its history: `piecework explain` and `inspect` tell by which merges a token was born.

    Examples:
      piecework train story.txt poem.txt -o tokenizer.json --vocab-size 4000
      zcat big.txt.gz | piecework train - -o tokenizer.json --vocab-size 30000 --no-lowercase
      piecework train --counts counts.txt -o tokenizer.json --vocab-size 500 --criterion pmi --trace
      piecework train zh.txt -o zh.json --vocab-size 8000 --pre-tokenizer jieba --no-handle-chinese-chars
    """
    names = files or [STDIN]
    symbols = [user_defined_symbols_file] if user_defined_symbols_file else []
    inputs = [*names, *symbols, *splitting.files()]
    _check_targets([output, *([vocab_txt] if vocab_txt else [])], inputs)
    settings = trainer.trainer(_symbols(user_defined_symbols_file, names))
    with bar(no_progress) as show:
        from piecework import train as run

        table = (
            load_counts(names)
            if counts
            else count_words(
                names,
                splitting=splitting,
                encoding=encoding,
                errors=errors,
                threads=threads,
                progress=show,
            )
        )
        tok = run(table, settings, **splitting.settings(), progress=show)
    with printing() as write:
        tok.save(output)
        if vocab_txt:
            tok.save_vocab(vocab_txt)
        if trace:
            for step, merge in enumerate(tok.history, 1):
                write(as_json({"step": step, **asdict(merge)}) if json else _line(step, merge))
        elif json:
            write(as_json(_summary(tok, table, output)))
    print(_told(tok, table, output, settings), file=sys.stderr)


def _symbols(file: str | None, texts: Sequence[str]) -> list[str]:
    if not file:
        return []
    if file == STDIN and STDIN in texts:
        raise typer.BadParameter(
            "standard input can be read once", param_hint="--user-defined-symbols-file"
        )
    with Input(file) as source:
        return list(filter(None, source.lines()))


def _check_targets(targets: Sequence[Path], inputs: Sequence[str]) -> None:
    for target in targets:
        if str(target) == STDIN:
            raise typer.BadParameter("a file is needed: standard output is for --trace and --json")
        check_target(target, *(name for name in inputs if name != STDIN))
    if len({target.resolve() for target in targets}) < len(targets):
        raise typer.BadParameter("the same file as --output", param_hint="--vocab-txt")


def _line(step: int, merge: Merge) -> str:
    counts = f"pair {merge.pair_count}, left {merge.left_count}, right {merge.right_count}"
    made = f"{shown(merge.left)} + {shown(merge.right)} -> {shown(merge.token)}"
    return f"{step}\t{made}\tscore {merge.score:.6g}\t{counts}\tties {merge.ties}"


def _summary(tok: Tokenizer, table: WordCounts, output: Path) -> dict[str, Any]:
    return {
        "output": str(output),
        "vocab_size": tok.vocab_size,
        "merges": len(tok.history),
        "words": len(table),
        "word_total": table.total,
        "counts_sha256": tok.counts_sha256,
        "trainer": tok.trainer,
    }


def _told(tok: Tokenizer, table: WordCounts, output: Path, trainer: WordPieceTrainer) -> str:
    short = "" if tok.vocab_size == trainer.vocab_size else f" of {trainer.vocab_size:,} asked for"
    return (
        f"{shown(str(output))}: {tok.vocab_size:,} entries{short}, {len(tok.history):,} merges, "
        f"from {len(table):,} different words, {table.total:,} in all"
    )
