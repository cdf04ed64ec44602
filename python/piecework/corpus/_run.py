"""Turns a corpus into tokens: plans, encodes the parts, writes the shards, and the manifest last."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from piecework._io.atomic import AtomicFile
from piecework._io.files import make_folder, read_bytes
from piecework._io.lock import locked_folder
from piecework._io.remote import is_url
from piecework._io.sources import total_size
from piecework._messages import shown
from piecework.corpus._encoding import EncodePart
from piecework.corpus._layouts import LAYOUTS
from piecework.corpus._manifest import SKIPPED, Manifest, ShardRecord, source_records
from piecework.corpus._order import chunks, document_shards, sequence_shards
from piecework.corpus._output import Output
from piecework.corpus._parts import Run
from piecework.corpus._plan import Plan
from piecework.corpus._progress import Meter
from piecework.corpus._shards import WriteShard
from piecework.engines import Local, check_engine, connected
from piecework.engines._jobs.complete import complete
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework._io.atomic import WrittenFile
    from piecework._io.files import Pathish
    from piecework._io.sources import Source
    from piecework.corpus._order import Shard
    from piecework.corpus._settings import CorpusSettings
    from piecework.engines import Engine
    from piecework.engines._jobs.receipts import Receipt
    from piecework.tokenizer import Tokenizer

__all__ = ["run"]


def run(
    tok: Tokenizer,
    sources: Sequence[Source],
    output: Pathish,
    settings: CorpusSettings,
    *,
    engine: Engine | None,
    overwrite: bool,
    report: Callable[..., object],
) -> Manifest:
    """Implements :func:`piecework.corpus.tokenize`."""
    if engine is not None:
        check_engine(engine)
    layout = LAYOUTS[settings.layout]
    layout.check()
    tok = tok.replace(truncation=None, padding=None)  # a document is encoded whole
    dtype = layout.dtype(id_limit_of(tok))
    if is_url(os.fspath(output)) or not os.fspath(output):
        message = f"expected a local folder, found {shown(output)}"
        raise ConfigError(message, setting="output")
    tok.encode_ids("", specials=settings.specials)  # checks `specials` before the work begins
    plan = Plan.of(tok.fingerprint, settings, sources)
    folder = os.path.abspath(make_folder(output))
    with locked_folder(folder):
        out = Output(folder, plan)
        done = None if overwrite else out.finished()
        if done is not None:
            return done
        out.start(overwrite=overwrite)
        engine = engine or Local()
        job = _Job(plan, out.work, engine, report)
        encode = EncodePart(tok, settings, plan.sha256, out.work, dtype, out.inputs)
        with connected(engine):
            parts = job.parts(encode)
            write = WriteShard(settings, encode.plan, plan.fingerprint, dtype, out.work, folder)
            shards = job.shards(write, _shards(out.work, settings, parts))
        manifest = _manifest(encode, plan, parts, shards, _write_skipped(folder, out.work, parts))
        out.finish(manifest)
    return manifest


class _Job:
    """Runs what has no receipt yet, and reports progress."""

    def __init__(
        self, plan: Plan, work: str, engine: Engine, report: Callable[..., object]
    ) -> None:
        self._plan, self._work, self._engine, self._report = plan, work, engine, report
        self._hash = plan.sha256

    def parts(self, encode: EncodePart) -> list[Receipt]:
        """Encodes the parts, and returns their receipts in order."""
        meter = Meter("encoding", total_size(self._plan.sources), self._report)
        sizes = {part.name: part.bytes for part in self._plan.parts}

        def note(receipt: Receipt, is_new: bool) -> None:
            tokens = sum(source.get("tokens", 0) for source in receipt.figures["sources"].values())
            meter.add(sizes[receipt.name], tokens, is_new=is_new)

        return complete(
            self._engine,
            self._plan.parts,
            encode,
            plan=self._hash,
            work_folder=self._work,
            files_folder=self._work,
            note=note,
        )

    def shards(self, write: WriteShard, shards: Sequence[Shard]) -> list[Receipt]:
        """Writes the shards, and returns their receipts in order."""
        meter = Meter("writing", sum(shard.tokens for shard in shards), self._report)

        def note(receipt: Receipt, is_new: bool) -> None:
            meter.add(receipt.figures["tokens"], receipt.figures["tokens"], is_new=is_new)

        return complete(
            self._engine,
            shards,
            write,
            plan=self._hash,
            work_folder=self._work,
            files_folder=write.output,
            note=note,
        )


def _shards(work: str, settings: CorpusSettings, parts: Sequence[Receipt]) -> list[Shard]:
    """Returns the shards that the documents of the parts make."""
    runs = [Run(*run) for part in parts for run in part.figures["runs"]]
    shuffled = settings.shuffle is not None
    contents = chunks(work, runs, shuffled)
    if settings.sequence_length is not None:
        return sequence_shards(contents, settings.shard_tokens, settings.sequence_length)
    return document_shards(work, contents, settings.shard_tokens, shuffled)


def _write_skipped(folder: str, work: str, parts: Sequence[Receipt]) -> WrittenFile | None:
    """Writes the list of invalid lines, if there are any."""
    names = [file.name for part in parts for file in part.files if file.name.endswith(".skipped")]
    with AtomicFile(os.path.join(folder, SKIPPED), work) as file:
        count = sum(file.write(read_bytes(os.path.join(work, name))) for name in names)
        return file.commit() if count else None


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
