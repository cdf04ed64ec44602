"""Defines :class:`Corpus`, the files of texts and how they are read."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._core import ArrowTexts
from piecework._display import visible
from piecework._io.document_batch import ReadOptions
from piecework._io.documents import read_all
from piecework._io.kinds import check_documents, check_start
from piecework._io.lines import codec_name
from piecework._io.opening import open_stream
from piecework._io.remote import is_url
from piecework._io.sources import STDIN, Source, find_sources, total_size
from piecework._messages import shown, wrong_type
from piecework._settings.arguments import check_flag
from piecework._settings.immutable import Immutable
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework._io.files import Pathish
    from piecework._settings.choices import OnError, Per, TextFormat

_START = 1 << 16
"""The number of bytes of a file by which its format is recognized."""


class Document(NamedTuple):
    """Holds a text of a corpus and where it comes from.

    Attributes:
        text: The text.
        file: The name of the file.
        line: The line where it begins, or the row of a table, from 1.
        byte: The byte of the file where its line begins, decompressed, from 0; None in a table, and where bytes are decoded
            by another encoding than UTF-8, ``"auto"`` or ``errors="replace"``.
    """

    text: str
    file: str
    line: int
    byte: int | None


class Corpus(Immutable):
    r"""Describes files of texts and how they are read; each line, row or file is a text.

    It is a value: the files are listed once, nothing is opened before it is read, and it can be read again, compared and
    pickled. Every call that takes texts takes a corpus.

    Args:
        paths: A file, folder, pattern such as ``"data/**/*.jsonl.zst"`` or URL, or several, read in this order and as often as
            they are listed; ``"-"`` is standard input. The files of a folder or pattern are sorted by name. Text, JSON Lines,
            Parquet and Arrow are known by their names, and may be compressed (``.gz``, ``.zst``).
        format: The format of all files, if their names do not say it.
        field: The member of JSON Lines, or the column of Parquet and Arrow, with the text; ``"text"`` by default. If given,
            files whose names say no format are JSON Lines. A point leads to a member of a member.
        per: Whether each ``"line"`` of a text file is a text, or the whole ``"file"``.
        encoding: The character encoding of text and JSON Lines, or ``"auto"`` to detect that of each file.
        errors: ``"strict"`` raises on invalid bytes, ``"replace"`` replaces them by U+FFFD.
        on_error: ``"raise"`` raises for a line or row that is no text, ``"skip"`` skips it and warns at the end.
        keep_line_ends: Whether a line of a text file includes its line end. By default it does where a BPE trainer learns from
            it, as in ``tokenizers``, and nowhere else.

    Raises:
        FileError: A path does not exist, matches no file, or cannot be listed.
        ConfigError: An option has an unknown value, or there are no paths.
        MissingExtraError: A path is a URL, and the package of its file system is not installed.

    Cost: one call of the system for each file; memory for their names.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("low lower\nlowest\n")
    >>> _ = (folder / "b.jsonl").write_text('{"text": "new"}\n')
    >>> corpus = Corpus(folder)
    >>> list(corpus)
    ['low lower', 'lowest', 'new']
    """

    __slots__ = ("_keep_line_ends", "_reading", "_sources")

    _sources: tuple[Source, ...]
    _reading: ReadOptions
    _keep_line_ends: bool | None

    def __init__(
        self,
        paths: Pathish | Iterable[Pathish],
        *,
        format: TextFormat | None = None,  # noqa: A002  # hides nothing here
        field: str | None = None,
        per: Per = "line",
        encoding: str = "utf-8",
        errors: str = "strict",
        on_error: OnError = "raise",
        keep_line_ends: bool | None = None,
    ) -> None:
        """Lists the files."""
        if hasattr(self, "_sources"):
            self._refuse_initializing()
        if keep_line_ends is not None:
            keep_line_ends = check_flag("keep_line_ends", keep_line_ends)
        codec = codec_name("utf-8" if encoding == "auto" else encoding, errors)
        is_utf8 = codec == "utf-8" and encoding != "auto"
        reading = ReadOptions(
            field,
            per=per,
            encoding=None if is_utf8 else encoding,
            errors=errors,
            on_error=on_error,
            keep_line_ends=bool(keep_line_ends),
        )
        if isinstance(paths, Corpus):
            raise wrong_type("paths", "a path or an iterable of paths", paths)
        sources = find_sources(paths, format=format, unnamed="jsonl" if field else "text")
        if per != "line" and not any(source.format == "text" for source in sources):
            message = "has no effect, since no file is text"
            raise ConfigError(message, setting="per", hint="remove it")
        if field is not None and format == "text":
            message = "has no effect on files that are read as text"
            raise ConfigError(message, setting="field", hint="remove it")
        self._fill(tuple(sources), reading, keep_line_ends)

    def _fill(
        self, sources: tuple[Source, ...], reading: ReadOptions, keep_line_ends: bool | None
    ) -> None:
        object.__setattr__(self, "_sources", sources)
        object.__setattr__(self, "_reading", reading)
        object.__setattr__(self, "_keep_line_ends", keep_line_ends)

    @classmethod
    def _of(
        cls, sources: Iterable[Source], reading: ReadOptions, keep_line_ends: bool | None = None
    ) -> Corpus:
        corpus = cls.__new__(cls)
        corpus._fill(tuple(sources), reading, keep_line_ends)
        return corpus

    @property
    def files(self) -> tuple[str, ...]:
        """Returns the names of the files, in order and as often as they are read."""
        return tuple(source.name for source in self._sources)

    @property
    def bytes(self) -> int:
        """Returns the number of bytes of all files as stored, as far as they are known."""
        return total_size(self._sources)

    def __iter__(self) -> Iterator[str]:
        """Iterates over the texts, which are read in blocks.

        Raises:
            FileError: A file cannot be read.
            FormatError: A file is damaged or of another format.
            DocumentError: A line or row is no text, with ``on_error="raise"``.
            InvalidUtf8Error: A line is not UTF-8, with ``on_error="raise"``.
            MissingExtraError: A format requires a package that is not installed.
        """
        for _, documents, _ in read_all(self._sources, self._reading):
            texts = ArrowTexts(documents.texts)
            yield from (texts[index] for index in range(len(texts)))

    def documents(self) -> Iterator[Document]:
        r"""Iterates over the texts with the file, line and byte of each.

        Raises:
            PieceworkError: See :meth:`__iter__`.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
        >>> _ = path.write_text("low\nlower\n")
        >>> [(each.text, each.line, each.byte) for each in Corpus(path).documents()]
        [('low', 1, 0), ('lower', 2, 4)]
        """
        for source, documents, _ in read_all(self._sources, self._reading):
            texts, lines = ArrowTexts(documents.texts), documents.lines
            rows = (documents.positions if lines is None else lines).tolist()
            # In a table, a text has no byte; in other encodings than UTF-8 its position is that of the decoded text.
            has_bytes = lines is not None and not self._reading.is_decoded
            starts = documents.positions.tolist() if has_bytes else [None] * len(rows)
            for index, (row, start) in enumerate(zip(rows, starts, strict=True)):
                yield Document(texts[index], source.name, row + 1, start)

    def _each(self) -> Iterator[Corpus]:
        """Iterates over the corpora of one file each, in order and as often as they are read."""
        for source in self._sources:
            yield self._of([source], self._reading, self._keep_line_ends)

    def _has_line_ends(self) -> bool:
        """Returns whether the texts of the first file include their line ends."""
        is_lines = self._sources[0].format == "text" and self._reading.per == "line"
        return is_lines and self._reading.keep_line_ends

    def _groups(self, by: str) -> dict[str | None, Corpus]:
        """Returns the files of each group: of each ``"file"``, or of each ``"folder"``."""
        groups: dict[str | None, list[Source]] = {}
        for source in self._sources:
            name = source.name if by == "file" else os.path.dirname(source.name) or "."
            groups.setdefault(name, []).append(source)
        return {
            name: self._of(sources, self._reading, self._keep_line_ends)
            for name, sources in groups.items()
        }

    def _learned_by(self, *, bpe: bool) -> Corpus:
        """Returns the corpus as a trainer reads it: for BPE with line ends, unless the corpus says otherwise."""
        return self if self._keep_line_ends is not None else self._with(keep_line_ends=bpe)

    def _with(self, **options: Any) -> Corpus:
        return self._of(self._sources, replace(self._reading, **options), self._keep_line_ends)

    def _by_reader(self, core_can_read: bool) -> Iterator[tuple[bool, tuple[Source, ...]]]:
        """Iterates over the sources in order, those together that the core reads itself, in several threads, or Python.

        The core reads local text files in UTF-8. It cannot be interrupted while it waits for bytes, so Python reads pipes,
        whose size is unknown.

        Args:
            core_can_read: Whether the core supports the work on text files; otherwise Python reads all.

        Yields:
            Whether the core reads the sources, and the sources.
        """
        reading = self._reading
        is_possible = (
            core_can_read
            and reading.encoding is None
            and reading.on_error == "raise"
            and reading.errors in {"strict", "replace"}
        )

        def is_read_by_core(source: Source) -> bool:
            is_text = source.format == "text" and not source.compression
            is_local = source.size is not None and not is_url(source.name)
            return is_possible and is_text and is_local

        for by_core, sources in groupby(self._sources, is_read_by_core):
            yield by_core, tuple(sources)

    def _check_is_text(self, source: Source) -> None:
        """Raises FormatError for a text file whose first bytes are those of another format, before the core reads it."""
        with open_stream(source) as stream:
            start = stream.read(_START)
        check_start(start, source.shown_name)
        if not source.is_given:
            check_documents(start, source.shown_name, is_json=False)

    def _check_can_be_divided(self, setting: str) -> None:
        """Raises ConfigError if a file can be read by this process alone."""
        if STDIN in self.files:
            message = "standard input cannot be read in parts"
            raise ConfigError(message, setting=setting, hint="write it to a file")

    def __eq__(self, other: object) -> bool:
        """Returns whether the files and the options of reading are equal."""
        if not isinstance(other, Corpus):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        """Returns the hash of the files and the options."""
        return hash(self._values())

    def _values(self) -> tuple[object, ...]:
        return self._sources, self._reading, self._keep_line_ends

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the list of files, so that another machine reads the same ones."""
        return Corpus._of, self._values()

    def _instead(self, name: str) -> str:  # noqa: ARG002  # one answer for all
        """Returns the error for an assignment to any attribute, with what to do instead."""
        return "Corpus is immutable; create another with Corpus(...)"

    def __repr__(self) -> str:
        """Returns the number of files, their size, their formats and the field."""
        count, field = len(self._sources), self._reading.field
        parts = [visible(self._sources[0].shown_name) if count == 1 else f"{count:,} files"]
        if any(source.size is not None for source in self._sources):
            parts.append(_size_of(self.bytes))
        parts += dict.fromkeys(_format_of(source) for source in self._sources)
        if field:
            parts.append(f"field {shown(field)}")
        return f"<Corpus: {', '.join(parts)}>"


def _format_of(source: Source) -> str:
    return f"{source.format} ({source.compression})" if source.compression else source.format


def _size_of(size: int) -> str:
    """Returns a number of bytes in a readable unit.

    >>> _size_of(999), _size_of(3_400_000_000)
    ('999 bytes', '3.4 GB')
    """
    if size < 1000:
        return f"{size} bytes"
    value = float(size)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if value < 999.95 or unit == "TB":
            break
    return f"{value:.1f} {unit}"
