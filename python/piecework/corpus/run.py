"""Turns a corpus into tokens: plans, encodes the parts, writes the shards, and the manifest last."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, TypeVar

from piecework.corpus.encoding import EncodePart
from piecework.corpus.layouts import LAYOUTS
from piecework.corpus.manifest import (
    MANIFEST,
    SKIPPED,
    Manifest,
    ShardRecord,
    source_records,
)
from piecework.corpus.order import chunks, document_shards, sequence_shards
from piecework.corpus.parts import Run
from piecework.corpus.plan import Plan
from piecework.corpus.progress import Meter
from piecework.corpus.receipts import read_receipt
from piecework.corpus.shards import WriteShard
from piecework.engines import Local
from piecework.errors import ConfigError, FileError
from piecework.io import exists, make_folder, read_if_exists, write_aside
from piecework.io.atomic import AtomicFile
from piecework.io.folders import list_folder, remove_file, remove_folder, time_of_change
from piecework.io.sources import STDIN, find_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from piecework.corpus.order import Shard
    from piecework.corpus.plan import Part
    from piecework.corpus.receipts import Receipt
    from piecework.corpus.settings import CorpusSettings
    from piecework.engines import Engine
    from piecework.io.atomic import WrittenFile
    from piecework.io.files import Pathish
    from piecework.io.sources import Source
    from piecework.tokenizer import Tokenizer

__all__ = ["run"]

Work = TypeVar("Work", "Part", "Shard")

_WORK_FOLDER = ".piecework"
"""The folder in the output with everything that is not complete."""


def run(
    tok: Tokenizer,
    inputs: Pathish | Iterable[Pathish],
    output: Pathish,
    settings: CorpusSettings,
    *,
    input_format: str | None,
    engine: Engine | None,
    overwrite: bool,
    report: Callable[..., object],
) -> Manifest:
    """Implements :func:`piecework.corpus.tokenize`."""
    layout = LAYOUTS[settings.format]
    layout.check()
    tok = tok.replace(truncation=None, padding=None)  # a document is encoded whole
    dtype = layout.dtype(id_limit_of(tok))
    sources = find_sources(inputs, format=input_format)
    if any(source.name == STDIN for source in sources):
        message = "standard input cannot be read again after an interruption"
        raise ConfigError(message, setting="inputs", hint="write it to a file")
    plan = Plan.of(tok.fingerprint, settings, sources)
    folder = os.path.abspath(make_folder(output))
    if (done := _finished(folder, plan, overwrite)) is not None:
        return done
    work = os.path.join(folder, _WORK_FOLDER)
    _start(folder, work, plan, overwrite)
    job = _Job(plan, work, engine or Local(), report)
    encode = EncodePart(tok, settings, plan.sha256(), work, dtype)
    parts = job.parts(encode)
    write = WriteShard(settings, encode.plan, plan.fingerprint, dtype, work, folder)
    shards = job.shards(write, _shards(work, settings, parts))
    manifest = _manifest(encode, plan, parts, shards, _write_skipped(folder, work, parts))
    manifest.save(folder)
    remove_folder(work)
    return manifest


def _finished(folder: str, plan: Plan, overwrite: bool) -> Manifest | None:
    """Returns the manifest if the folder has the result of this plan already."""
    if overwrite or not exists(os.path.join(folder, MANIFEST)):
        return None
    manifest = Manifest.load(folder)
    if manifest.plan == plan.sha256():
        return manifest
    message = "has a corpus of another tokenizer, of other settings or of other files"
    raise FileError(17, message, folder, hint="pass `overwrite=True` to replace it")


def _start(folder: str, work: str, plan: Plan, overwrite: bool) -> None:
    """Makes the folder of unfinished work, unless it has that of this plan, and writes the plan."""
    planned = plan.to_json()
    value = {"plan": planned, "changed": _times(plan.sources)}
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape")
    path = os.path.join(work, "plan.json")
    found = None if overwrite else read_if_exists(path)
    if found == data:
        return
    if found is not None:
        other = json.loads(found)["plan"]
        is_same = all(other[name] == planned[name] for name in ("fingerprint", "settings"))
        what = (
            "of files that changed since" if is_same else "of another tokenizer or other settings"
        )
        message = f"has an unfinished run {what}"
        raise FileError(17, message, folder, hint="pass `overwrite=True` to start anew")
    own = _own_names(folder)
    others = [name for name in list_folder(folder) if name not in own]
    if others:
        message = f"has other files, such as {others[0]!r}"
        raise FileError(39, message, folder, hint="choose a new folder")
    _remove(folder, own)
    make_folder(work)
    write_aside(path, data)


def _own_names(folder: str) -> set[str]:
    """Returns the names in a folder that belong to a corpus or to an unfinished run."""
    if exists(os.path.join(folder, MANIFEST)):
        manifest = Manifest.load(folder)
        return {MANIFEST, _WORK_FOLDER, *(file.name for file in manifest.files)}
    if not exists(os.path.join(folder, _WORK_FOLDER)):
        return set()
    suffixes = {suffix for layout in LAYOUTS.values() for suffix in layout.suffixes}
    shard = re.compile(f"shard-[0-9]+({'|'.join(map(re.escape, suffixes))})")
    shards = filter(shard.fullmatch, list_folder(folder))
    return {SKIPPED, _WORK_FOLDER, *shards}


def _remove(folder: str, own: set[str]) -> None:
    """Removes a corpus or an unfinished run: the manifest first, since without it the folder is no corpus."""
    for name in sorted(own & set(list_folder(folder)), key=lambda name: name != MANIFEST):
        path = os.path.join(folder, name)
        if name == _WORK_FOLDER:
            remove_folder(path)
        else:
            remove_file(path)


def _times(sources: Sequence[Source]) -> list[int | None]:
    return [time_of_change(source.name) for source in sources]


class _Job:
    """Runs what has no receipt yet, and reports progress."""

    def __init__(
        self, plan: Plan, work: str, engine: Engine, report: Callable[..., object]
    ) -> None:
        self._plan, self._work, self._engine, self._report = plan, work, engine, report
        self._hash = plan.sha256()

    def parts(self, encode: EncodePart) -> list[Receipt]:
        """Encodes the parts, and returns their receipts in order."""
        total = sum(source.size or 0 for source in self._plan.sources)
        meter = Meter("encoding", total, self._report)
        sizes = {part.name: part.bytes for part in self._plan.parts}

        def note(receipt: Receipt, is_new: bool) -> None:
            tokens = sum(source.get("tokens", 0) for source in receipt.figures["sources"].values())
            meter.add(sizes[receipt.name], tokens, is_new=is_new)

        return self._complete(self._plan.parts, encode, self._work, note)

    def shards(self, write: WriteShard, shards: Sequence[Shard]) -> list[Receipt]:
        """Writes the shards, and returns their receipts in order."""
        meter = Meter("writing", sum(shard.tokens for shard in shards), self._report)

        def note(receipt: Receipt, is_new: bool) -> None:
            meter.add(receipt.figures["tokens"], receipt.figures["tokens"], is_new=is_new)

        return self._complete(shards, write, write.output, note)

    def _complete(
        self,
        items: Sequence[Work],
        fn: Callable[[Work], Receipt],
        folder: str,
        note: Callable[[Receipt, bool], None],
    ) -> list[Receipt]:
        """Returns the receipts of all items; those whose files are complete are not run again."""
        receipts: dict[str, Receipt] = {}
        for item in items:
            if found := read_receipt(self._work, self._hash, item.name, folder):
                receipts[item.name] = found
                note(found, False)
        missing = [item for item in items if item.name not in receipts]
        for receipt in self._engine.run(fn, missing):
            receipts[receipt.name] = receipt
            note(receipt, True)
        return [receipts[item.name] for item in items]


def _shards(work: str, settings: CorpusSettings, parts: Sequence[Receipt]) -> list[Shard]:
    """Returns the shards that the documents of the parts make."""
    runs = [Run(*run) for part in parts for run in part.figures["runs"]]
    shuffled = settings.shuffle is not None
    contents = chunks(work, runs, shuffled)
    if settings.sequence_length is not None:
        return sequence_shards(contents, settings.shard_tokens, settings.sequence_length)
    return document_shards(work, contents, settings.shard_tokens, shuffled)


def _write_skipped(folder: str, work: str, parts: Sequence[Receipt]) -> WrittenFile | None:
    """Writes the list of lines that are no documents, if there are any."""
    names = ("name", "line", "byte", "reason")
    skipped = [
        dict(zip(names, each, strict=True)) for part in parts for each in part.figures["skipped"]
    ]
    if not skipped:
        return None
    with AtomicFile(os.path.join(folder, SKIPPED), work) as file:
        for each in skipped:
            file.write(
                json.dumps(each, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"
            )
        return file.commit()


def _manifest(
    encode: EncodePart,
    plan: Plan,
    parts: Sequence[Receipt],
    shards: Sequence[Receipt],
    skipped_file: WrittenFile | None,
) -> Manifest:
    sources = source_records([(source.name, source.size) for source in plan.sources], parts)
    records = tuple(
        ShardRecord(shard.name, shard.figures["rows"], shard.figures["tokens"], shard.files)
        for shard in shards
    )
    tokens = sum(record.tokens for record in records)
    return Manifest(
        fingerprint=plan.fingerprint,
        id_limit=id_limit_of(encode.tokenizer),
        dtype=encode.dtype,
        settings=plan.settings.to_json(),
        plan=encode.plan,
        sources=sources,
        shards=records,
        documents=sum(source.documents for source in sources),
        tokens=tokens,
        dropped_tokens=sum(source.tokens for source in sources) - tokens,
        skipped=sum(source.skipped for source in sources),
        skipped_file=skipped_file,
    )


def id_limit_of(tok: Tokenizer) -> int:
    """Returns the largest id of a tokenizer plus 1."""
    return 0 if tok.max_id is None else tok.max_id + 1
