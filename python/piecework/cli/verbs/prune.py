"""Implements `piecework prune`."""

from __future__ import annotations

from typing import Annotated

from piecework.cli import options
from piecework.cli.counting import Counting
from piecework.cli.declare import Option
from piecework.cli.input import STDIN
from piecework.cli.messages import OptionError
from piecework.cli.output import check_targets
from piecework.cli.progress import bar
from piecework.cli.vocabulary_change import write_change


def prune(
    *,
    tokenizer: options.TokenizerFile,
    files: options.DocumentFiles = None,
    output: options.ChangedTokenizer,
    vocab_size: Annotated[int | None, Option(min=1)] = None,
    min_count: Annotated[int | None, Option(min=1)] = None,
    keep: Annotated[list[str] | None, Option(metavar="TOKEN")] = None,
    keep_alphabet: bool = True,
    force: bool = False,
    id_map: options.IdMap = None,
    counts: options.AreCounts = False,
    json: options.AsJson = False,
    loading: options.Loading,
    counting: Counting,
) -> None:
    """Remove the tokens that text files, JSON lines or Parquet use least.

    Each line of text is a document. Special tokens, single characters and what kept tokens of BPE are merged from stay. Ids are
    renumbered in their order; --map writes the new id of each old one. Texts that use only kept tokens keep their tokens.

    Options:
        vocab_size: Keep the N tokens that are used most.
        min_count: Keep the tokens that occur N times or more.
        keep: Keep this token; repeat for several.
        keep_alphabet: Keep all single characters, so that no known character becomes unknown.
        force: Remove more tokens than the files have, which is otherwise an error.

    Examples:
      piecework prune bert-vocab.txt story.txt -o small.json --vocab-size 10000 --map map.npy
      piecework prune t5.model corpus/ -o german.model --min-count 5
      piecework prune tokenizer.json --counts counts.txt -o small.json --min-count 1 --keep "##ing"
    """
    if (vocab_size is None) == (min_count is None):
        raise OptionError("--vocab-size", "expected --vocab-size or --min-count")
    names = files or [STDIN]
    check_targets({"--output": output, "--map": id_map}, tokenizer, *names, *loading.files())
    tok = loading.load(tokenizer)
    with bar(counting.no_progress) as show:
        from piecework import prune as run

        change = run(
            tok,
            counting.words(names, tok, are_counts=counts, progress=show),
            vocab_size=vocab_size,
            min_count=min_count,
            keep=keep or (),
            keep_alphabet=keep_alphabet,
            force=force,
            progress=show,
        )
    write_change(tok, change, output, id_map, json=json)
