"""Compares tokenizers on files of documents: figures for each file or language, and where the tokenizers disagree."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from piecework._immutable import Immutable, dataclass
from piecework.display import visible
from piecework.errors import ConfigError
from piecework.explain.columns import aligned_lines
from piecework.explain.comparison import checked_tokenizers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from piecework.arguments import TokenizerLike
    from piecework.explain.comparison import Block
    from piecework.io.files import Pathish
    from piecework.results import ProgressLike

__all__ = ["ALL", "Disagreement", "Figures", "FilesComparison", "GroupComparison", "compare_files"]

ALL = "all"
"""The name of the group of all documents."""
_BATCH_BYTES = 1 << 20
"""The bytes of text that are compared at a time; the arrays of the alignment take about 50 times as much."""


@dataclass(frozen=True, slots=True)
class Figures(Immutable):
    """Holds the figures of a tokenizer on a group of documents.

    Attributes:
        tokens: The number of tokens, without added special tokens.
        unknown: The number of unknown tokens.
        chars_per_token: The number of characters divided by that of tokens; None without tokens.
        bytes_per_token: The number of bytes of UTF-8 divided by that of tokens; None without tokens.
        unknown_rate: The share of unknown tokens, from 0 to 1; None without tokens.
    """

    tokens: int
    unknown: int
    chars_per_token: float | None
    bytes_per_token: float | None
    unknown_rate: float | None


@dataclass(frozen=True, slots=True)
class GroupComparison(Immutable):
    """Compares tokenizers on a group of documents.

    Attributes:
        name: The file or language; ``"all"`` for all documents.
        documents: The number of documents.
        chars: The number of characters.
        bytes: The number of bytes of UTF-8.
        same_documents: The number of documents that all tokenizers cut in the same way.
        same_chars: The number of characters in blocks that all tokenizers cut in the same way.
        figures: The figures of each tokenizer by its name.
    """

    name: str
    documents: int
    chars: int
    bytes: int
    same_documents: int
    same_chars: int
    figures: Mapping[str, Figures]

    @property
    def document_agreement(self) -> float:
        """Returns the share of documents that all tokenizers cut in the same way; 1 without documents."""
        return self.same_documents / self.documents if self.documents else 1.0

    @property
    def text_agreement(self) -> float:
        """Returns the share of characters in blocks that all tokenizers cut in the same way; 1 without characters."""
        return self.same_chars / self.chars if self.chars else 1.0


@dataclass(frozen=True, slots=True)
class Disagreement(Immutable):
    """Shows the first part of a document that tokenizers cut differently.

    Attributes:
        place: The file, and the line or row.
        start: The first character of the part in the document.
        text: The part: the text of the first block that tokenizers cut differently.
        tokens: The tokens of each tokenizer in it, in readable form, by its name.
        blocks: The block, and a few before and after it.
    """

    place: str
    start: int
    text: str
    tokens: Mapping[str, tuple[str, ...]]
    blocks: tuple[Block, ...]

    def __str__(self) -> str:
        """Returns the place and the aligned segmentations."""
        return "\n".join([visible(self.place), *aligned_lines(list(self.tokens), self.blocks)])

    def to_dict(self) -> dict[str, Any]:
        """Returns the disagreement as JSON values.

        Returns:
            The place, the start, the text, and the tokens of each tokenizer.
        """
        tokens = {name: list(each) for name, each in self.tokens.items()}
        return {"place": self.place, "start": self.start, "text": self.text, "tokens": tokens}


@dataclass(frozen=True, slots=True, repr=False)
class FilesComparison(Immutable):
    """Holds the figures of tokenizers on files; print it for a table.

    Attributes:
        groups: The figures of each file or language, in order of the first document; empty if not asked for.
        total: The figures of all documents.
        disagreements: The first documents that tokenizers cut differently.
    """

    groups: tuple[GroupComparison, ...]
    total: GroupComparison
    disagreements: tuple[Disagreement, ...]

    def __repr__(self) -> str:
        """Returns the size of the corpus, the tokenizers and their agreement."""
        names = ", ".join(self.total.figures)
        return (
            f"<FilesComparison: {self.total.documents:,} documents: {names}: "
            f"{self.total.document_agreement:.1%} of documents agree>"
        )

    def __str__(self) -> str:
        """Returns a table of the figures, the agreement, and the first disagreements."""
        from piecework.explain.files_table import table

        return "\n".join(table(self))

    def to_dict(self) -> dict[str, Any]:
        """Returns the figures as JSON values.

        Returns:
            The groups, the total, and the disagreements with their places and segmentations.
        """
        return {
            "groups": [_dict(group) for group in self.groups],
            "total": _dict(self.total),
            "disagreements": [each.to_dict() for each in self.disagreements],
        }


def _dict(group: GroupComparison) -> dict[str, Any]:
    figures = {name: asdict(each) for name, each in group.figures.items()}
    return {
        "name": group.name,
        "documents": group.documents,
        "chars": group.chars,
        "bytes": group.bytes,
        "document_agreement": group.document_agreement,
        "text_agreement": group.text_agreement,
        "tokenizers": figures,
    }


def compare_files(
    paths: Pathish | Iterable[Pathish],
    tokenizers: Mapping[str, TokenizerLike],
    *,
    by: str | None = None,
    examples: int = 5,
    threads: int | None = None,
    progress: ProgressLike = False,
    encoding: str = "utf-8",
    errors: str = "strict",
    field: str | None = None,
    column: str | None = None,
    on_error: str = "raise",
) -> FilesComparison:
    r"""Compares tokenizers on files of documents, in bounded memory.

    Args:
        paths: One file or several; also compressed (.gz, .zst), folders, patterns and URLs ([docs/files.md](docs/files.md)).
        tokenizers: A mapping of names to tokenizers.
        by: ``"file"`` for figures of each file; any other name is that of a member of JSON lines or a column of Parquet, such
            as ``"lang"``, whose values are the groups. None for the total alone.
        examples: The maximum number of disagreements to return.
        threads: The number of threads; by default one per core. The result does not depend on it.
        progress: Whether to show progress, or a callback for it.
        encoding: The character encoding of the files, or ``"auto"`` to detect that of each file.
        errors: ``"strict"`` raises on invalid bytes, ``"replace"`` replaces them by U+FFFD.
        field: The member of JSON lines or the column of Parquet with the text; ``"text"`` by default.
        column: Another name for `field`.
        on_error: ``"raise"`` raises for a line or row that is no document, ``"skip"`` skips it and warns at the end.

    Returns:
        The figures; print them for a table.

    Raises:
        ConfigError: There are no tokenizers, or the options contradict each other.
        FileError: A file cannot be read; for a missing file the error is also a ``FileNotFoundError``.
        DocumentError: A line or row is no document.
        UnknownTokenError: A word is unknown to a tokenizer without unknown token; the message contains its name and place.

    >>> import pathlib, tempfile
    >>> import piecework as pw
    >>> tok = pw.train({"hug": 10, "pug": 5, "hugs": 5}, pw.WordPieceTrainer(vocab_size=12))
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_text("hug\nhugs\n")
    >>> compared = pw.compare_files(path, {"pieces": tok, "merges": tok.as_bpe()})
    >>> compared.total.figures["pieces"].chars_per_token, compared.total.document_agreement
    (2.3333333333333335, 1.0)
    """
    from piecework.arguments import check_index, check_threads
    from piecework.explain.accumulation import Accumulation
    from piecework.io.document_batch import check_name
    from piecework.io.documents import find_all_documents, read_all, read_options
    from piecework.io.sources import total_size
    from piecework.progress import reporting

    check_threads(threads)
    check_name("by", by)
    tokenizers = checked_tokenizers(tokenizers)
    if not tokenizers:
        raise ConfigError("expected at least one tokenizer, found none", setting="tokenizers")
    kept = None if by in {None, "file"} else by
    options = read_options(
        field,
        column,
        keep=(kept,) if kept else (),
        encoding=encoding,
        errors=errors,
        on_error=on_error,
    )
    sources = find_all_documents(paths, options)
    size = total_size(sources)
    sums = Accumulation(tokenizers, options, check_index("examples", examples), threads)
    with reporting(progress) as report:
        for source, documents, done in read_all(sources, options, _BATCH_BYTES):
            name = source.shown_name if by == "file" else None
            sums.add(source, documents, name, kept)
            report("comparing", done, size)
    return sums.result()
