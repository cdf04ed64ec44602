"""Implements `piecework extend`."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from piecework._settings.choices import Criterion  # read at run time
from piecework.cli import options
from piecework.cli.counting import Counting
from piecework.cli.declare import Option
from piecework.cli.input import STDIN, words_of
from piecework.cli.messages import OptionError
from piecework.cli.output import check_targets
from piecework.cli.progress import bar
from piecework.cli.vocabulary_change import write_change


def extend(
    *,
    tokenizer: options.TokenizerFile,
    files: options.DocumentFiles = None,
    output: options.ChangedTokenizer,
    words: Annotated[str | None, Option(metavar="FILE")] = None,
    vocab_size: Annotated[int | None, Option(min=1)] = None,
    new_tokens: Annotated[int | None, Option(min=1)] = None,
    new_characters: Annotated[str | None, Option(metavar="N|SHARE|all")] = None,
    criterion: Criterion | None = None,
    min_frequency: Annotated[int, Option(min=1)] = 2,
    max_token_length: Annotated[int | None, Option(min=1)] = None,
    id_map: options.IdMap = None,
    counts: options.AreCounts = False,
    json: options.AsJson = False,
    loading: options.Loading,
    counting: Counting,
) -> None:
    """Add tokens that are learned from text files, JSON lines or Parquet of a new domain, or given words.

    Each line of text is a document; for BPE it includes its line end. Old ids do not change, and new ones follow the largest.
    BPE learns merges on top of its own, WordPiece entries by its criterion, Unigram pieces by EM with the old scores fixed.
    --map also writes the old ids that each new token was made of, whose embedding rows may be averaged.

    Options:
        words: Make each line of this file a single token, instead of learning tokens.
        vocab_size: Add tokens until there are N.
        new_tokens: Add N tokens.
        new_characters: First add N of the characters that the vocabulary lacks, a share of their occurrences, such as 0.99, or
            all.
        criterion: Score pairs by this criterion (WordPiece; default: likelihood).
        min_frequency: Learn tokens that occur N times or more.
        max_token_length: Learn tokens of at most N characters (default: no limit; 16 for Unigram).

    Examples:
      piecework extend gpt2/vocab.json code.py -o code.json --new-tokens 2000
      piecework extend bert-vocab.txt medicine.txt -o medicine.json --vocab-size 32000 --map map.json
      piecework extend llama2.model polish.txt -o polish.model --new-tokens 4000
      piecework extend llama2.model amharic.txt -o amharic.model --new-tokens 4000 --new-characters all
      piecework extend gpt2/vocab.json --words terms.txt -o more.json
    """
    from piecework import extend as run

    if words is not None:
        learning = [vocab_size, new_tokens, new_characters, criterion, max_token_length]
        if files or counts or any(learning) or min_frequency != 2:
            raise OptionError("--words", "takes neither files of texts nor options of learning")
    elif (vocab_size is None) == (new_tokens is None):
        raise OptionError("--new-tokens", "expected --vocab-size or --new-tokens")
    names = files or [STDIN] if words is None else [words]
    check_targets({"--output": output, "--map": id_map}, tokenizer, *names, *loading.files())
    tok = loading.load(tokenizer)
    if words is not None:
        change = run(tok, words=words_of(words))
        write_change(tok, change, output, id_map, json=json)
        return
    with bar(counting.no_progress) as show:
        change = run(
            tok,
            counting.words(names, tok, are_counts=counts, progress=show),
            vocab_size=vocab_size,
            new_tokens=new_tokens,
            new_characters=_characters(new_characters),
            criterion=criterion,
            min_frequency=min_frequency,
            max_token_length=max_token_length,
            threads=counting.threads,
            max_memory=counting.max_memory,
            progress=show,
        )
    write_change(tok, change, output, id_map, json=json)


def _characters(text: str | None) -> int | float | str | None:
    """Returns the number, the share or the word of an option."""
    if text is None:
        return None
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text
