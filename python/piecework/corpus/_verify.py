"""Checks a tokenized corpus against its manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework._io.folders import list_folder
from piecework.corpus._dataset import Dataset
from piecework.corpus._manifest import MANIFEST, Manifest
from piecework.errors import PieceworkError
from piecework.tokenizer._arguments import TokenizerLike, as_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._io.files import Pathish


class Finding(NamedTuple):
    """Describes something wrong with a corpus.

    Attributes:
        file: The name of the file.
        problem: What is wrong with it.
    """

    file: str
    problem: str


def verify(path: Pathish, tok: TokenizerLike | None = None) -> list[Finding]:
    """Returns what is wrong with a tokenized corpus: files that are missing, changed, or not of the run.

    Every byte is read, rows and tokens are counted again, and the sums of the manifest are those of its files and shards. Other files
    whose names begin with a point do not count.

    Args:
        path: The folder of the corpus.
        tok: The tokenizer whose ids the corpus should have; by default any.

    Returns:
        The findings; empty if the corpus is as it was written.

    Raises:
        MissingFileError: There is no manifest: the folder has no corpus, or its run has not ended.
        FormatError: The manifest is damaged.
    """
    expected = None if tok is None else as_tokenizer("tok", tok).fingerprint
    dataset = Dataset(path)
    findings = list(_changed(dataset)) or [*_misread(dataset), *_miscounted(dataset.manifest)]
    known = {MANIFEST, *(file.name for file in dataset.manifest.files)}
    others = (name for name in list_folder(path) if not name.startswith(".") and name not in known)
    findings += (Finding(name, "does not belong to the corpus") for name in others)
    if expected is not None and expected != dataset.manifest.fingerprint:
        message = (
            f"the ids are those of the tokenizer {dataset.manifest.fingerprint[:12]}…, "
            f"and the given one is {expected[:12]}…"
        )
        findings.append(Finding(MANIFEST, message))
    return findings


def _changed(dataset: Dataset) -> Iterator[Finding]:
    """Iterates over files that are not as they were written."""
    for file in dataset.manifest.files:
        if problem := file.problem_in(dataset.path):
            yield Finding(file.name, problem)


def _misread(dataset: Dataset) -> Iterator[Finding]:
    """Iterates over shards whose files do not have the rows, tokens and ids of the manifest."""
    for number, record in enumerate(dataset.manifest.shards):
        try:
            contents = dataset.shard(number)
        except PieceworkError as error:
            yield Finding(record.name, str(error))
            continue
        ends = contents.ends
        if len(contents.ids) != record.tokens or (ends is not None and len(ends) != record.rows):
            yield Finding(record.name, "has other numbers of rows or tokens than the manifest")
        elif len(contents.ids) and int(contents.ids.max()) >= dataset.manifest.id_limit:
            yield Finding(record.name, "has ids that are not in the vocabulary")


def _miscounted(manifest: Manifest) -> Iterator[Finding]:
    """Iterates over the sums of a manifest that its files and shards do not have."""
    sources, shards = manifest.sources, manifest.shards
    sums = {
        "tokens": (manifest.tokens, sum(shard.tokens for shard in shards)),
        "tokens of the files": (
            manifest.tokens + manifest.dropped_tokens,
            sum(source.tokens for source in sources),
        ),
        "documents": (manifest.documents, sum(source.documents for source in sources)),
        "skipped lines": (manifest.skipped, sum(source.skipped for source in sources)),
        "empty documents": (manifest.empty, sum(source.empty for source in sources)),
    }
    if manifest.settings.get("sequence_length") is None:
        sums["rows"] = manifest.documents, manifest.rows
    for name, (stated, counted) in sums.items():
        if stated != counted:
            yield Finding(MANIFEST, f"states {stated:,} {name}; {counted:,} were counted")
