"""Implements `piecework count`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from piecework._display import visible
from piecework.cli import options
from piecework.cli.output import as_json, printing
from piecework.cli.progress import bar
from piecework.cli.texts import Batch, read_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@dataclass(slots=True)
class FileCounts:
    """Holds the counts of a file."""

    tokens: int = 0
    lines: int = 0
    words: int = 0
    characters: int = 0
    bytes: int = 0


_NAMES = [field.name for field in fields(FileCounts)]


def count(
    *,
    tokenizer: options.TokenizerFile,
    files: options.DocumentFiles = None,
    json: options.AsJson = False,
    add_special_tokens: options.SpecialTokens = True,
    specials: options.OnSpecials = None,
    reading: options.Reading,
    threads: options.Threads = None,
    no_progress: options.NoProgress = False,
    loading: options.Loading,
) -> None:
    """Count tokens, lines, words, characters and bytes of files.

    Each line or document is encoded separately, without truncation and padding. Words are separated by white space;
    characters and bytes, in UTF-8, include the line ends of text files. For JSON lines, Parquet and Arrow, lines are
    documents, and characters and bytes those of their texts. With --json there is an object for each file and one for the
    total.

    Examples:
      piecework count tokenizer.json story.txt poem.txt
      cat *.txt | piecework count tokenizer.json --no-special-tokens --json
    """
    corpus = reading.corpus(files, keep_line_ends=True)
    tok = loading.load(tokenizer)

    def count_tokens(texts: Sequence[str]) -> int:
        batch = tok.encode_batch(
            texts,
            add_special_tokens=add_special_tokens,
            specials=specials,
            truncation=None,
            padding=None,
            threads=threads,
        )
        return len(batch.ids)

    with bar(no_progress) as show:
        rows = [
            (
                name,
                _count_file(
                    read_batches(file, show, f"counting {visible(name)}"),
                    count_tokens,
                    have_ends=file._has_line_ends(),
                ),
            )
            for file in corpus._each()
            for name in file.files
        ]
    total = FileCounts(*(sum(getattr(counts, name) for _, counts in rows) for name in _NAMES))
    with printing() as write:
        write(_json(rows, total) if json else _table(rows, total))


def _count_file(
    batches: Iterable[Batch], count_tokens: Callable[[Sequence[str]], int], *, have_ends: bool
) -> FileCounts:
    """Returns the counts of the texts of a file, which may include their line ends; tokens do not."""
    counts = FileCounts()
    for batch in batches:
        texts = list(batch.each())
        with batch.located():
            counts.tokens += count_tokens(list(map(_without_end, texts)) if have_ends else texts)
        counts.lines += len(texts)
        counts.words += sum(len(text.split()) for text in texts)
        counts.characters += sum(map(len, texts))
        counts.bytes += len("".join(texts).encode())
    return counts


def _without_end(line: str) -> str:
    """Returns a line without its line feed, and without a carriage return before it."""
    return line.removesuffix("\n").removesuffix("\r")


def _json(rows: list[tuple[str, FileCounts]], total: FileCounts) -> str:
    files = [{"file": file, **asdict(counts)} for file, counts in rows]
    return as_json({"files": files, "total": asdict(total)})


def _table(rows: list[tuple[str, FileCounts]], total: FileCounts) -> str:
    from piecework._show.terminal import columns

    cells = [[*_NAMES, "file"]]
    for file, counts in [*rows, ("total", total)] if len(rows) > 1 else rows:
        cells.append([*(str(getattr(counts, name)) for name in _NAMES), visible(file)])
    return "\n".join(columns(cells, lambda column: column < len(_NAMES)))
