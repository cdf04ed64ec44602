"""`piecework count`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from shlex import quote
from typing import TYPE_CHECKING

from piecework.cli.input import STDIN, Input, without_end
from piecework.cli.options import (
    AsJson,
    Errors,
    Model,
    NoProgress,
    OnBrokenBytes,
    OnSpecials,
    SpecialTokens,
    Splitting,
    TextFiles,
    Threads,
    TokenizerFile,
    load,
)
from piecework.cli.output import as_json, printing, rendered, shown
from piecework.cli.progress import bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.types import Progress


@dataclass(slots=True)
class Tally:
    """What is counted of a file."""

    tokens: int = 0
    lines: int = 0
    words: int = 0
    characters: int = 0
    bytes: int = 0


_NAMES = [field.name for field in fields(Tally)]


def count(
    *,
    tokenizer: TokenizerFile,
    files: TextFiles = None,
    json: AsJson = False,
    special_tokens: SpecialTokens = True,
    specials: OnSpecials = None,
    errors: OnBrokenBytes = Errors.strict,
    threads: Threads = None,
    no_progress: NoProgress = False,
    splitting: Splitting,
    model: Model,
) -> None:
    """Count tokens, lines, words, characters and bytes of files.

    Each line is encoded by itself and whole, also where the tokenizer prescribes truncation or padding. Words are what white space divides; characters and bytes include line ends. With
    --json there is an object for each file and one for the total.

    Examples:
      piecework count tokenizer.json story.txt poem.txt
      cat *.txt | piecework count tokenizer.json --no-special-tokens --json
    """
    tok = load(tokenizer, splitting, model)

    def count_tokens(lines: list[str]) -> int:
        batch = tok.encode_batch(
            lines,
            add_special_tokens=special_tokens,
            specials=specials and specials.value,
            truncation=None,
            padding=None,
            threads=threads,
        )
        return len(batch.ids)

    with bar(no_progress) as show:
        tallies = [
            (file, _tally(file, errors, f"count {quote(tokenizer)} -", count_tokens, show))
            for file in files or [STDIN]
        ]
    total = Tally(*(sum(getattr(tally, name) for _, tally in tallies) for name in _NAMES))
    with printing() as write:
        write(_json(tallies, total) if json else _table(tallies, total))


def _tally(
    file: str,
    errors: Errors,
    command: str,
    count_tokens: Callable[[list[str]], int],
    show: Callable[[Progress], None],
) -> Tally:
    tally = Tally()
    with Input(file, errors.value, command) as source:
        for batch in source.batches():
            tally.tokens += source.blaming(count_tokens, [without_end(line) for line in batch])
            tally.words += sum(len(line.split()) for line in batch)
            tally.characters += sum(map(len, batch))
            show(source.progress(f"counting {shown(file)}"))
    tally.lines, tally.bytes = source.line, source.bytes
    return tally


def _json(tallies: list[tuple[str, Tally]], total: Tally) -> str:
    each = [{"file": file, **asdict(tally)} for file, tally in tallies]
    return as_json({"files": each, "total": asdict(total)})


def _table(tallies: list[tuple[str, Tally]], total: Tally) -> str:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in _NAMES:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("file", overflow="fold")
    for file, tally in [*tallies, ("total", total)] if len(tallies) > 1 else tallies:
        table.add_row(*(str(getattr(tally, name)) for name in _NAMES), Text(shown(file)))
    return rendered(table)
