"""Implements `piecework count-words`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # read at run time
from typing import Annotated

from piecework.cli import options
from piecework.cli.counting import Counting, summary_of
from piecework.cli.declare import Option
from piecework.cli.engine import EngineOptions
from piecework.cli.input import STDIN
from piecework.cli.messages import OptionError
from piecework.cli.output import as_json, check_target, printing
from piecework.cli.progress import bar
from piecework.cli.training import LikeTokenizer


def count_words(
    *,
    files: options.DocumentFiles = None,
    output: Annotated[Path | None, Option("--output", "-o")] = None,
    json: options.AsJson = False,
    splitting: options.Splitting,
    like: LikeTokenizer = None,
    special_tokens: Annotated[list[str] | None, Option(metavar="TOKEN")] = None,
    user_defined_symbols: Annotated[list[str] | None, Option(metavar="WORD")] = None,
    keep_line_ends: bool = False,
    counting: Counting,
    engine: EngineOptions,
) -> None:
    """Count the words of text files, JSON lines or Parquet for a training.

    Each line of text is a document and is split into words as for training. The table is text and contains the normalizer and the
    pre-tokenizer of its words. `train --counts` adds up any number of tables, so several machines can count for one
    training. With --json a summary is printed.

    Options:
        output: Write to this file (default: standard output).
        special_tokens: Cut texts at a special token of the training; repeat for several.
        user_defined_symbols: Cut texts at a user-defined symbol of the training (BPE and Unigram); repeat for several.
        keep_line_ends: Keep line ends in documents, as for training BPE.

    Examples:
      piecework count-words story.txt poem.txt -o counts.txt
      piecework count-words story.txt -o counts.txt --max-memory 300MB
      piecework count-words corpus/ -o counts.txt --engine ray --address auto --work-dir shared/
      piecework count-words corpus/ "more/*.jsonl.zst" --field content -o counts.txt
      piecework train --counts counts.txt more-counts.txt -o tokenizer.json --vocab-size 4000
    """
    names = files or [STDIN]
    if json and not output:
        raise OptionError(
            "--json", "requires --output, since the table is written to standard output"
        )
    if counting.max_memory and not output:
        raise OptionError(
            "--max-memory", "requires --output, since standard output is held back until the end"
        )
    if output:
        check_target(output, *names, *splitting.files())
    from piecework import AddedToken, WordCounts

    added = [
        *(AddedToken(token, special=True) for token in special_tokens or ()),
        *map(AddedToken, user_defined_symbols or ()),
    ]
    corpus = counting.reading.corpus(names, keep_line_ends=keep_line_ends or None)
    splits = splitting.settings() | {"added_tokens": added}
    if like is not None:
        given = [name for name, value in splits.items() if value]
        if given:
            raise OptionError(
                "--like",
                "has no effect on the words of another tokenizer; remove the options of splitting",
            )
        splits = {"like": options.load(like)}
    with bar(counting.no_progress) as show, printing() as write:
        settings = splits | counting.settings(show, engine)
        if not output:
            counts = WordCounts.from_texts(corpus, **settings)
            write(counts.to_bytes().decode().removesuffix("\n"))
            return
        summary = WordCounts.count_to_file(corpus, output, **settings)
        if json:
            write(as_json(summary_of(output, summary)))
