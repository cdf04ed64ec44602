"""Encodes a corpus into a folder of files of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._settings.choices import CorpusLayout
from piecework.corpus._dataset import Dataset
from piecework.corpus._manifest import Manifest, ShardRecord, SourceRecord
from piecework.corpus._progress import CorpusProgress
from piecework.corpus._settings import CorpusSettings, id_of
from piecework.corpus._verify import Finding, verify

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework._io.corpus import Corpus
    from piecework._io.files import Pathish
    from piecework._settings.arguments import Specials
    from piecework.engines import Engine
    from piecework.tokenizer._arguments import TokenizerLike

__all__ = [
    "CorpusLayout",
    "CorpusProgress",
    "Dataset",
    "Finding",
    "Manifest",
    "ShardRecord",
    "SourceRecord",
    "tokenize",
    "verify",
]


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
    engine: Engine | None = None,
    overwrite: bool = False,
    progress: Callable[[CorpusProgress], object] | None = None,
) -> Manifest:
    r"""Encodes the documents of files of any size into a folder of files of ids.

    The bytes of the output are a function of the files, the tokenizer and the settings; neither the number of workers nor an
    interruption changes them. A call that was interrupted resumes when it is repeated. Truncation and padding of the
    tokenizer do not apply. Memory is bounded by the number of workers, not by the input; a document is encoded as a whole.

    Args:
        tokenizer: The tokenizer.
        texts: The files and how they are read. Documents are in their order. With ``on_error="skip"`` a line that is no document
            is listed in the file skipped.jsonl.
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
        engine: Where the parts run; by default one process for each core of this machine.
        overwrite: Replace the corpus or the unfinished run in the folder.
        progress: A function that is called with the progress after each part.

    Returns:
        The manifest, which is the file manifest.json of the folder, too.

    Raises:
        ConfigError: A setting is invalid, or the layout cannot hold the ids or columns.
        FileError: A file cannot be read or written, or the folder has something else.
        DocumentError: A line is no document, with ``on_error="raise"``.
        InvalidUtf8Error: A line is not UTF-8, with ``on_error="raise"``.
        MissingExtraError: A format requires a package that is not installed.
        WorkerError: The worker of a part died at each of three attempts.

    Cost: time linear in the input; disk for the tokens twice, until the manifest is written.
    """
    from dataclasses import replace

    from piecework._io.texts import divisible
    from piecework.corpus._run import run
    from piecework.tokenizer._arguments import as_tokenizer

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
    )
    return run(
        tok,
        corpus._sources,
        output,
        settings,
        engine=engine,
        overwrite=overwrite,
        report=progress or _ignore,
    )


def _ignore(progress: CorpusProgress) -> None:
    """Reports nothing."""
