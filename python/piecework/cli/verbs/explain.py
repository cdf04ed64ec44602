"""Implements `piecework explain`."""

from __future__ import annotations

from typing import Annotated

from piecework.cli import options
from piecework.cli.declare import Argument, Option
from piecework.cli.output import as_json, printing
from piecework.cli.texts import given_texts


def explain(
    *,
    tokenizer: options.TokenizerFile,
    words: Annotated[list[str] | None, Argument("TEXT")] = None,
    lineage: Annotated[list[str] | None, Option(metavar="TOKEN")] = None,
    specials: options.OnSpecials = None,
    nbest: Annotated[int, Option(min=1)] = 5,
    max_characters: Annotated[int, Option(min=1)] = 10_000,
    json: options.AsJsonLines = False,
    reading: options.Reading,
    loading: options.Loading,
) -> None:
    """Explain how texts are segmented.

    Prints the text after normalization, its words, and their pieces with ids and characters. For WordPiece it prints the
    longer prefixes that are not in the vocabulary, for BPE the merges in order and those that they block, for Unigram the
    scores and the best segmentations. With --json each text is an object that holds all stages, linked by offsets.

    Arguments:
        words: Words or texts (default: those of standard input).

    Options:
        lineage: Show the merges that created this token, with its counts, instead of texts; repeatable.
        nbest: The number of best segmentations (Unigram).
        max_characters: The number of characters to explain in a text; the rest is only counted.

    Examples:
      piecework explain tokenizer.json tokenization
      piecework explain tokenizer.json hugging face --json
      piecework explain tokenizer.json --lineage "##ing"
    """
    tok = loading.load(tokenizer)
    with printing() as write:
        for token in lineage or ():
            tree = tok.lineage(token)
            write(as_json(tree.to_dict()) if json else str(tree))
        if lineage and not words:
            reading.check_unused("without texts")
            return
        for text, located in given_texts(words, reading):
            with located:
                explanation = tok.explain(
                    text,
                    specials=specials,
                    max_characters=max_characters,
                    nbest=nbest,
                )
            write(as_json(explanation.to_dict()) if json else str(explanation))
