"""Writes the results of the verbs that change a vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._display import visible
from piecework.cli.output import as_json, printing
from piecework.cli.streams import report

if TYPE_CHECKING:
    from pathlib import Path

    from piecework import Tokenizer, VocabularyChange


def write_change(
    old: Tokenizer, change: VocabularyChange, output: Path, map_file: Path | None, *, json: bool
) -> None:
    """Writes the tokenizer and the map of ids, and reports what changed."""
    with printing() as write:
        change.tokenizer.save(output)
        if map_file:
            change.save_map(map_file)
        if json:
            write(as_json(_summary(old, change, output)))
    report(_line(old, change, output))


def _summary(old: Tokenizer, change: VocabularyChange, output: Path) -> dict[str, Any]:
    return {
        "output": str(output),
        "vocab_size": len(change.tokenizer),
        "old_vocab_size": len(old),
        "added": list(change.added),
        "intermediate": list(change.intermediate),
        "removed": list(change.removed),
    }


def _line(old: Tokenizer, change: VocabularyChange, output: Path) -> str:
    counts = [
        f"{len(tokens):,} {what}"
        for tokens, what in ((change.added, "added"), (change.removed, "removed"))
        if tokens
    ]
    changes = ", ".join(counts) or "nothing changed"
    return (
        f"{visible(str(output))}: {len(change.tokenizer):,} tokens, {len(old):,} before: {changes}"
    )
