"""Encodes a corpus into a folder of files of ids: plans, encodes the parts, writes the shards, and the manifest last."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from piecework._io.atomic import AtomicFile, WrittenFile
from piecework._io.files import Pathish, make_folder, read_bytes
from piecework._io.lock import locked_folder
from piecework._io.remote import is_url
from piecework._io.sources import total_size
from piecework._io.texts import divisible
from piecework._messages import shown
from piecework._settings.arguments import check_flag
from piecework.corpus._encoding import EncodePart
from piecework.corpus._layouts import LAYOUTS
from piecework.corpus._manifest import SKIPPED, Manifest, ShardRecord, source_records
from piecework.corpus._order import Shard, chunks, document_shards, named, sequence_shards
from piecework.corpus._output import Output
from piecework.corpus._parts import Run
from piecework.corpus._plan import CorpusSettings, Plan, id_of
from piecework.corpus._progress import CorpusProgress, Meter
from piecework.corpus._shards import WriteShard
from piecework.engines import Engine, Local, check_engine, connected
from piecework.engines._jobs.tasks import Receipt, complete
from piecework.errors import ConfigError
from piecework.tokenizer._arguments import TokenizerLike, as_tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework._io.corpus import Corpus
    from piecework._settings.arguments import Specials
    from piecework._settings.choices import CorpusLayout
    from piecework.tokenizer import Tokenizer

    Report = Callable[[CorpusProgress], object]


def tokenize(
    tokenizer: TokenizerLike,
    texts: Corpus,
    output: Pathish,
    *,
    layout: CorpusLayout = "npy",
    keep: Sequence[str] = (),
    end_of_document: str | int | None = None,
    add_special_tokens: bool = False,
    specials: Specials | None = None,
    sequence_length: int | None = None,
    shuffle: int | None = None,
    shard_tokens: int = 100_000_000,
    part_bytes: int = 1 << 25,
    skip_empty: bool = False,
    engine: Engine | None = None,
    overwrite: bool = False,
    progress: Callable[[CorpusProgress], object] | None = None,
) -> Manifest:
    r"""Encodes the documents of files of any size into a folder of files of ids.

    The bytes of the output are a function of the files, the tokenizer and the settings; neither the number of workers nor an
    interruption changes them. A call that was interrupted resumes when it is repeated; of a corpus that is finished it compares
    the sizes of the files alone (:func:`verify` reads them). Truncation and padding of the
    tokenizer do not apply. Memory is bounded by the number of workers, not by the input; a document is encoded as a whole.

    Args:
        tokenizer: The tokenizer.
        texts: The files and how they are read. Documents are in their order. With ``on_error="skip"`` a line that is no document
            is listed in the file .skipped.jsonl.
        output: A new folder, or that of a run that was interrupted.
        layout: ``"npy"``, ``"parquet"``, ``"megatron"``, ``"nanogpt"``, ``"llm.c"`` or ``"datatrove"``.
        keep: Other members of JSON Lines or columns, which a Parquet output has beside the ids.
        end_of_document: A token, or its id, after each document.
        add_special_tokens: Whether the post-processor adds its special tokens to each document.
        specials: How special tokens in a document are treated; see :meth:`Tokenizer.encode`.
        sequence_length: The number of tokens of each row, which may begin and end within documents; by default a row is a
            document. Tokens after the last whole row are left out, and counted in the manifest.
        shuffle: A seed for a random order of documents; None keeps the order of the input.
        shard_tokens: The largest number of tokens of a shard, unless one document has more.
        part_bytes: The bytes of input that a worker encodes at a time. With `shuffle` another value gives another order.
        skip_empty: Leave out documents without tokens, which some readers cannot have; `Manifest.empty` counts them.
        engine: Where the parts run; by default one process for each core of this machine.
        overwrite: Replace the corpus or the unfinished run in the folder.
        progress: A function that is called with the progress after each part.

    Returns:
        The manifest, which is the file .manifest.json of the folder, too.

    Raises:
        ConfigError: A setting is invalid, or the layout cannot hold the ids or columns.
        FileError: A file cannot be read or written, or the folder has something else.
        DocumentError: A line is no document, with ``on_error="raise"``.
        InvalidUtf8Error: A line is not UTF-8, with ``on_error="raise"``.
        MissingExtraError: A layout requires a package that is not installed.
        WorkerError: The worker of a part died at each of three attempts.

    Cost: time linear in the input; disk for the tokens twice, until the manifest is written.
    """
    tok, corpus = as_tokenizer("tokenizer", tokenizer), divisible(texts)
    settings = CorpusSettings(
        layout,
        replace(corpus._reading, keep=keep),
        id_of(tok, end_of_document),
        add_special_tokens,
        specials,
        sequence_length,
        shuffle,
        shard_tokens,
        part_bytes,
        check_flag("skip_empty", skip_empty),
    )
    engine = Local() if engine is None else engine
    check_engine(engine)
    LAYOUTS[layout].check()
    tok = tok.replace(truncation=None, padding=None)  # a document is encoded whole
    dtype = LAYOUTS[layout].dtype(_id_limit_of(tok))
    if is_url(os.fspath(output)) or not os.fspath(output):
        message = f"expected a local folder, found {shown(output)}"
        raise ConfigError(message, setting="output")
    tok.encode_ids("", specials=settings.specials)  # checks `specials` before the work begins
    plan = Plan.of(tok.fingerprint, settings, corpus._sources)
    folder = os.path.join(
        os.getcwd(), make_folder(output)
    )  # a normal form would not be that of the system
    with locked_folder(folder):
        out = Output(folder, plan)
        done = None if overwrite else out.finished()
        if done is not None:
            return done
        out.start(overwrite=overwrite)
        report = progress or (lambda progress: None)
        encode = EncodePart(plan.sha256, out.work, tok, settings, dtype, out.inputs)
        write = WriteShard(plan.sha256, out.work, settings, plan.fingerprint, dtype, folder)
        with connected(engine):
            parts = _encoded(engine, plan, encode, report)
            shards = _written(engine, _shards(out.work, settings, parts), write, report)
        manifest = _manifest(encode, plan, parts, shards, _write_skipped(folder, out.work, parts))
        out.finish(manifest)
    return manifest


def _encoded(engine: Engine, plan: Plan, encode: EncodePart, report: Report) -> list[Receipt]:
    """Encodes the parts that have no receipt yet, and returns the receipts of all in order."""
    meter = Meter("encoding", total_size(plan.sources), report)
    sizes = {part.name: part.bytes for part in plan.parts}

    def note(receipt: Receipt, is_new: bool) -> None:
        tokens = sum(source.get("tokens", 0) for source in receipt.figures["sources"].values())
        meter.add(sizes[receipt.name], tokens, is_new=is_new)

    return complete(engine, plan.parts, encode, note)


def _written(
    engine: Engine, shards: Sequence[Shard], write: WriteShard, report: Report
) -> list[Receipt]:
    """Writes the shards that have no receipt yet, and returns the receipts of all in order."""
    meter = Meter("writing", sum(shard.tokens for shard in shards), report)

    def note(receipt: Receipt, is_new: bool) -> None:
        meter.add(receipt.figures["tokens"], receipt.figures["tokens"], is_new=is_new)

    return complete(engine, shards, write, note)


def _shards(work: str, settings: CorpusSettings, parts: Sequence[Receipt]) -> list[Shard]:
    """Returns the shards that the documents of the parts make."""
    runs = [Run(*run) for part in parts for run in part.figures["runs"]]
    shuffled = settings.shuffle is not None
    contents = chunks(work, runs, shuffled)
    if settings.sequence_length is not None:
        return named(sequence_shards(contents, settings.shard_tokens, settings.sequence_length))
    return named(document_shards(work, contents, settings.shard_tokens, shuffled))


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
    sources = source_records(plan.sources, parts)
    records = tuple(
        ShardRecord(shard.name, shard.figures["rows"], shard.figures["tokens"], shard.files)
        for shard in shards
    )
    tokens = sum(record.tokens for record in records)
    return Manifest(
        fingerprint=plan.fingerprint,
        id_limit=_id_limit_of(encode.tokenizer),
        dtype=encode.dtype,
        settings=plan.settings.to_json(),
        plan=encode.plan,
        sources=sources,
        shards=records,
        documents=sum(source.documents for source in sources),
        tokens=tokens,
        dropped_tokens=sum(source.tokens for source in sources) - tokens,
        skipped=sum(source.skipped for source in sources),
        empty=sum(source.empty for source in sources),
        skipped_file=skipped_file,
    )


def _id_limit_of(tok: Tokenizer) -> int:
    """Returns the largest id of a tokenizer plus 1."""
    return 0 if tok.max_id is None else tok.max_id + 1
