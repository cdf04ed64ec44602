"""Implements `piecework explain`."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from piecework.cli.input import stdin_lines
from piecework.cli.options import AsJsonLines, Loading, TokenizerFile
from piecework.cli.output import as_json, printing

if TYPE_CHECKING:
    from piecework.explain import Explanation, Piece


def explain(
    *,
    tokenizer: TokenizerFile,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORD", help="Words (default: the lines of standard input)."),
    ] = None,
    json: AsJsonLines = False,
    loading: Loading,
) -> None:
    """Explain how words are segmented.

    Prints for each piece the longer prefixes that are not in the vocabulary, and the merges that created it. For the
    likeliest segmentation (Unigram) it prints the scores and the second-best segmentation. With --json each word is an
    object, and a piece's merges are a list in the order of the training.

    Examples:
      piecework explain tokenizer.json tokenization
      piecework explain tokenizer.json hugging face --json
    """
    tok = loading.load(tokenizer)
    with printing() as write:
        for word in words or stdin_lines(f"explain {quote(tokenizer)}"):
            explanation = tok.explain(word)
            write(as_json(_parts(explanation)) if json else str(explanation))


def _parts(explanation: Explanation) -> dict[str, Any]:
    parts = {"text": explanation.text, "pieces": [_piece(piece) for piece in explanation.pieces]}
    words = [choice.to_dict() for choice in explanation.choices]
    return parts | ({"words": words} if words else {})


def _piece(piece: Piece) -> dict[str, Any]:
    return {
        "token": piece.token,
        "display_token": piece.display_token,
        "id": piece.id,
        "word": piece.word,
        "span": piece.span,
        "failed": piece.failed,
        "kind": piece.kind,
        "merges": piece.lineage.to_dicts() if piece.lineage else [],
        **({} if piece.score is None else {"score": piece.score}),
    }
