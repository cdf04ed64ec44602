"""Implements `piecework convert`."""

from __future__ import annotations

import errno
from pathlib import Path  # noqa: TC003  # read at run time
from typing import TYPE_CHECKING, Annotated, Literal

from piecework.cli import options
from piecework.cli.declare import Argument, Option
from piecework.cli.messages import OptionError
from piecework.cli.output import check_target
from piecework.errors import FileError

if TYPE_CHECKING:
    from piecework import Tokenizer


Target = Literal[
    "tokenizer.json", "vocab.txt", "merges.txt", "tiktoken", "sentencepiece", "subword-nmt", "clip"
]
"""The output formats."""


def convert(
    *,
    tokenizer: options.TokenizerFile,
    target: Annotated[Path, Argument("TARGET")],
    to: Target | None = None,
    name: Annotated[str | None, Option(metavar="NAME")] = None,
    base: Annotated[str | None, Option(metavar="FILE")] = None,
    approximate: bool = False,
    loading: options.Loading,
) -> None:
    """Write a tokenizer in another format.

    Lost data raises a warning that lists it; for a .model, CLIP and subword-nmt, losses that change ids are errors.

    Arguments:
        target: The file to write; with --to merges.txt the folder of vocab.json and merges.txt.

    Options:
        to: Write this format (default: by the name of TARGET: sentencepiece for x.model, tiktoken for x.tiktoken, vocab.txt
            for x.txt, otherwise tokenizer.json).
        name: Read ranks of this tiktoken encoding, such as cl100k_base (default: the name of the file).
        base: Copy other fields from this .model (requires --to sentencepiece).
        approximate: Write the closest tokenizer that the other library loads, and list the changes (Unigram).

    Examples:
      piecework convert cl100k_base.tiktoken tokenizer.json
      piecework convert tokenizer.json gpt2 --to merges.txt
      piecework convert llama2.model tokenizer.json
      piecework convert t5.model tokenizer.json --approximate
      piecework convert unigram.json unigram.model --approximate
    """
    from piecework.tokenizer._formats.detect import format_from_name

    kind = to or format_from_name(target.name)
    if base and kind != "sentencepiece":
        raise OptionError("--base", "requires --to sentencepiece")
    if base and approximate:
        raise OptionError("--base", "cannot be combined with --approximate")
    _check_targets(target, kind, [tokenizer, base])
    tok = _load_ranks(tokenizer, name) if name else loading.load(tokenizer)
    tok.save(target, kind, base=base, approximate=approximate)


def _check_targets(target: Path, kind: str, inputs: list[str | None]) -> None:
    """Raises FileError for files that cannot be written, or that are also inputs."""
    from piecework.tokenizer._formats.detect import companion_file

    if kind != "merges.txt":
        check_target(target, *inputs)
        return
    if target.exists() and not target.is_dir():
        raise FileError(errno.ENOTDIR, "is a file; expected a folder", str(target))
    companions = [companion_file(name) for name in inputs if name]
    for name in ("vocab.json", "merges.txt") if target.exists() else ():
        check_target(target / name, *inputs, *companions)


def _load_ranks(path: str, name: str) -> Tokenizer:
    from piecework import Tokenizer
    from piecework._io.files import read_unpacked
    from piecework.tokenizer._formats.detect import detect_format

    if detect_format(read_unpacked(path), path) != "tiktoken":
        raise OptionError("--name", f"{path} is not a tiktoken file of ranks")
    return Tokenizer.from_tiktoken(path, name, build_tables=False)
