"""Implements `piecework corpus tokenize`."""

from __future__ import annotations

import shlex
from pathlib import Path  # noqa: TC003  # read at run time
from typing import TYPE_CHECKING, Annotated, Any

from piecework._display import visible
from piecework._messages import quantity
from piecework._settings.choices import CorpusLayout  # read at run time
from piecework.cli import options
from piecework.cli.declare import Argument, Option
from piecework.cli.engine import EngineName, engine_of
from piecework.cli.output import as_json, printing
from piecework.cli.progress import rate_line
from piecework.cli.streams import report

if TYPE_CHECKING:
    from piecework.corpus import Manifest


def tokenize(
    *,
    tokenizer: options.TokenizerFile,
    files: Annotated[list[str], Argument("FILE")],
    output: Annotated[Path, Option("--output", "-o", metavar="DIR")],
    layout: CorpusLayout = "npy",
    keep: Annotated[list[str] | None, Option(metavar="NAME")] = None,
    reading: options.Reading,
    end_of_document: Annotated[str | None, Option(metavar="TOKEN")] = None,
    add_special_tokens: Annotated[bool, Option("--special-tokens/--no-special-tokens")] = False,
    specials: options.OnSpecials = None,
    sequence_length: int | None = None,
    shuffle: Annotated[int | None, Option(metavar="SEED")] = None,
    shard_tokens: int = 100_000_000,
    part_bytes: int = 1 << 25,
    skip_empty: bool = False,
    engine: EngineName = "local",
    address: Annotated[str | None, Option(metavar="ADDRESS")] = None,
    workers: int | None = None,
    overwrite: bool = False,
    json: options.AsJson = False,
    no_progress: options.NoProgress = False,
    loading: options.Loading,
) -> None:
    """Encode the documents of files of any size into a folder of files of ids.

    With --on-error skip, lines that are no documents are listed in the file .skipped.jsonl. The .manifest.json of the folder is written last. A run that was interrupted resumes when the same command is repeated,
    with the same result.

    Arguments:
        files: Files, folders, patterns or URLs of text, JSON lines, Parquet or Arrow, also .gz or .zst.

    Options:
        output: A new folder, or that of a run that was interrupted.
        layout: Write files of this layout.
        keep: Keep this member or column beside the ids (requires --layout parquet); repeat for several.
        end_of_document: Write this token after each document.
        add_special_tokens: Include the special tokens of the post-processor, such as [CLS] and [SEP].
        sequence_length: Write rows of N tokens, which may begin and end within documents.
        shuffle: Write documents in a random order.
        shard_tokens: Write at most N tokens to a shard.
        part_bytes: Encode about N bytes of input at a time in each process.
        skip_empty: Leave out documents without tokens, and count them in the manifest.
        engine: Run the parts in processes of this machine, or on a cluster of Ray or Spark; the result does not depend on it.
        address: Connect to this cluster: auto or host:port for ray, a master such as spark://host:7077 for spark (default: this
            machine).
        workers: Run N parts at once, each in a process (default: one per core); the result does not depend on it.
        overwrite: Replace a corpus or an unfinished run.

    Examples:
      piecework corpus tokenize tokenizer.json texts.jsonl -o tokens
      piecework corpus tokenizer.json 'data/*.jsonl.zst' -o tokens --layout megatron
      piecework corpus gpt2.json data/ -o tokens --field content --end-of-document '<|endoftext|>'
      piecework corpus tokenizer.json data/ -o shared/tokens --engine spark --address spark://head:7077
      piecework corpus tokenizer.json data/ -o tokens --sequence-length 2048 --shuffle 1
    """
    from piecework import corpus
    from piecework._io.files import exists
    from piecework.corpus._manifest import MANIFEST

    runs, was_there = engine_of(engine, address, workers), exists(output / MANIFEST)
    tok = loading.load(tokenizer)
    with rate_line(no_progress) as show:
        manifest = corpus.tokenize(
            tok,
            reading.corpus(files),
            output,
            layout=layout,
            keep=keep or (),
            end_of_document=end_of_document,
            add_special_tokens=add_special_tokens,
            specials=specials,
            sequence_length=sequence_length,
            shuffle=shuffle,
            shard_tokens=shard_tokens,
            part_bytes=part_bytes,
            skip_empty=skip_empty,
            engine=runs,
            overwrite=overwrite,
            progress=show,
        )
    if was_there and not overwrite:
        folder = shlex.quote(str(output))
        note = f"the corpus was there already; the sizes of its files were compared: piecework corpus verify {folder}"
        report(f"note: {note}")
    with printing() as write:
        write(as_json(_summary(manifest, output)) if json else _summary_line(manifest, output))


def _summary(manifest: Manifest, output: Path) -> dict[str, Any]:
    names = (
        "documents",
        "rows",
        "tokens",
        "dropped_tokens",
        "skipped",
        "empty",
        "fingerprint",
        "dtype",
    )
    figures = {name: getattr(manifest, name) for name in names}
    return {
        "output": str(output),
        **figures,
        "shards": len(manifest.shards),
        "manifest_sha256": manifest.sha256,
    }


def _summary_line(manifest: Manifest, output: Path) -> str:
    from piecework.corpus._manifest import SKIPPED

    parts = [quantity(manifest.documents, "document")]
    if manifest.rows != manifest.documents:
        parts.append(quantity(manifest.rows, "sequence"))
    tokens = quantity(manifest.tokens, "token")
    parts.append(f"{tokens} in {quantity(len(manifest.shards), 'shard')}")
    if manifest.dropped_tokens:
        parts.append(f"{quantity(manifest.dropped_tokens, 'token')} left out")
    if manifest.skipped:
        parts.append(f"{quantity(manifest.skipped, 'line')} skipped (see {SKIPPED})")
    if manifest.empty:
        parts.append(f"{quantity(manifest.empty, 'empty document')} left out")
    return f"{visible(str(output))}: {', '.join(parts)}"
