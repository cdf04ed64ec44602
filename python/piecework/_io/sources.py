"""Finds the files of a corpus: names, folders, patterns, URLs and standard input."""

from __future__ import annotations

import errno
import glob
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from piecework._exceptions import warn, wrap_os_error
from piecework._io.files import Pathish, checked, refuse_device
from piecework._io.remote import find_files, is_url
from piecework._messages import shown
from piecework._settings.arguments import check_iterable
from piecework.errors import ConfigError, FileError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

STDIN = "-"
"""The name of standard input."""

FORMATS = ("text", "jsonl", "parquet", "arrow")
_FORMAT_OF = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_COMPRESSION_OF = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_HIDDEN = (".", "_")
"""The first characters of names that folders leave out, by the convention of Hadoop, Spark and Arrow."""
_OF_DATASETS = ("dataset_info.json", "state.json", "dataset_dict.json")
"""The files that `datasets` writes beside Arrow files, and that are no documents."""


@dataclass(frozen=True, slots=True)
class Source:
    """Describes a file of documents, without opening it.

    Attributes:
        name: The path or URL; ``"-"`` for standard input.
        size: The number of bytes as stored; None if unknown, as for standard input and pipes.
        format: ``"text"``, ``"jsonl"``, ``"parquet"`` or ``"arrow"``.
        compression: None, ``"gzip"`` or ``"zstd"``.
        is_given: Whether the format is a given one, so that lines of text may look like JSON.

    >>> Source("corpus.jsonl.gz", 1000, "jsonl", "gzip").to_json()
    {'name': 'corpus.jsonl.gz', 'size': 1000, 'format': 'jsonl', 'compression': 'gzip'}
    """

    name: str
    size: int | None
    format: str = "text"
    compression: str | None = None
    is_given: bool = False

    def to_json(self) -> dict[str, Any]:
        """Returns the source as JSON values, for plans."""
        values = asdict(self)
        if not self.is_given:
            del values["is_given"]
        return values

    @property
    def is_table(self) -> bool:
        """Returns whether the documents are rows."""
        return self.format in {"parquet", "arrow"}

    @property
    def shown_name(self) -> str:
        """Returns the name for messages."""
        return "standard input" if self.name == STDIN else self.name


def total_size(sources: Iterable[Source]) -> int:
    """Returns the number of bytes of all sources, as far as they are known."""
    return sum(source.size or 0 for source in sources)


def describe_name(name: str) -> tuple[str, str | None]:
    """Returns the format and the compression that the name of a file implies.

    A name without a known suffix is that of a text file.

    >>> describe_name("wiki.jsonl.zst"), describe_name("README")
    (('jsonl', 'zstd'), ('text', None))
    """
    # The query of a URL is no part of the file's name.
    path = name.partition("?")[0] if is_url(name) else name
    stem, suffix = os.path.splitext(path.lower())
    compression = _COMPRESSION_OF.get(suffix)
    if compression:
        suffix = os.path.splitext(stem)[1]
    return _FORMAT_OF.get(suffix, "text"), compression


def find_sources(
    paths: Pathish | Iterable[Pathish],
    *,
    format: str | None = None,  # noqa: A002  # an argument's name hides nothing here
    unnamed: str = "text",
) -> list[Source]:
    """Returns the files that paths name, in the order of the paths, as often as they are named.

    The files of one folder or pattern are sorted by name, each once. If a folder or pattern has files that a path before it
    named, a warning says so.

    Args:
        paths: Files, folders, patterns such as ``"data/**/*.jsonl.gz"``, URLs of file systems that fsspec knows, and
            ``"-"`` for standard input. Folders are searched recursively, without names that begin with a point or an
            underscore. A file with the name of a pattern is that file.
        format: ``"text"``, ``"jsonl"``, ``"parquet"`` or ``"arrow"`` for all files; by default their names decide.
        unnamed: The format of files whose names say none.

    Returns:
        The files; none of them was opened.

    Raises:
        FileError: A path does not exist, matches no file, or cannot be listed.
        MissingExtraError: A path is a URL, and fsspec or the package of its file system is not installed.
        ConfigError: The format is unknown, a Parquet file is compressed as a whole, or there are no paths.

    >>> find_sources("-", format="jsonl")
    [Source(name='-', size=None, format='jsonl', compression=None, is_given=True)]
    """
    if isinstance(paths, str | bytes | os.PathLike):
        paths = [paths]
    each = check_iterable("paths", paths, "a path or an iterable of paths")
    names = [checked(path, "paths") for path in each]
    if not names:
        raise ConfigError("expected at least one path, found none", setting="paths")
    if format is not None and format not in FORMATS:
        problem = f"expected {', '.join(map(repr, FORMATS[:-1]))} or {FORMATS[-1]!r}, found {shown(format)}"
        raise ConfigError(problem, setting="format")
    found = [_named(name) for name in names]
    if len(found) > 1:
        _warn_of_repeated(names, found)
    return [_source(name, size, format, unnamed) for files in found for name, size in files]


_Files = list[tuple[str, int | None]]
"""The names and sizes of files."""


def _named(name: str) -> _Files:
    """Returns the files of a path, sorted by name, each once."""
    return sorted({normal_name(path): size for path, size in _expand(name)}.items())


def normal_name(name: str) -> str:
    """Returns one spelling of the name of a file or folder.

    >>> normal_name("./data//a.txt")
    'data/a.txt'
    """
    # What is before ".." may be a link to another folder.
    if name == STDIN or is_url(name) or os.pardir in name.replace(os.sep, "/").split("/"):
        return name
    path = os.path.normpath(name)
    return os.path.join(os.curdir, path) if path == STDIN else path


def _warn_of_repeated(names: Sequence[str], found: Sequence[_Files]) -> None:
    """Warns if a folder or pattern has files that were named before; a file that is listed again is meant so."""
    known: set[str] = set()
    repeated: list[tuple[str, str]] = []
    for name, files in zip(names, found, strict=True):
        own = [
            path if path == STDIN or is_url(path) else os.path.abspath(path) for path, _ in files
        ]
        if [path for path, _ in files] != [normal_name(name)]:
            again = (path for (path, _), place in zip(files, own, strict=True) if place in known)
            repeated += [(name, path) for path in again]
        known.update(own)
    if repeated:
        name, path = repeated[0]
        count = "1 file" if len(repeated) == 1 else f"{len(repeated):,} files"
        problem = f"{count} of folders and patterns were named before; the first is {path}, of {shown(name)}"
        warn(
            problem,
            hint="they are read as often as they are named; name them once to read them once",
        )


def _source(name: str, size: int | None, required: str | None, unnamed: str) -> Source:
    """Returns the description of a file: in a required format, in that of its name, or in that of files without one."""
    found, compression = describe_name(name)
    kind = required or (unnamed if found == "text" else found)
    source = Source(name, size, kind, compression, required is not None)
    if source.is_table and compression:
        problem = f"a table within {compression} cannot be read; Parquet and Arrow compress their own columns"
        raise ConfigError(problem, place=f"{name}: ", hint="decompress the file")
    return source


def _expand(name: str) -> _Files:
    """Returns the files of a path."""
    if name == STDIN:
        return [(name, None)]
    if is_url(name):
        return find_files(name, _HIDDEN)
    try:
        if os.path.isdir(name):
            found, problem = _documents(list(_folder(name, ()))), "the folder has no files"
        elif glob.has_magic(name) and not os.path.lexists(name):
            found = [file for match in glob.iglob(name, recursive=True) for file in _expand(match)]
            problem = "no file matches this pattern"
        else:
            refuse_device(name)
            return [(name, _size(os.stat(name)))]
    except OSError as error:
        raise _located(error, name) from None
    if not found:
        raise MissingFileError(errno.ENOENT, problem, name)
    return found


def _folder(folder: str, above: tuple[tuple[int, int], ...]) -> Iterator[tuple[str, int | None]]:
    """Iterates over the files in a folder; `above` identifies the folders that contain it."""
    status = os.stat(folder)
    identity = status.st_dev, status.st_ino
    if identity in above:
        raise FileError(errno.ELOOP, "a cycle of symbolic links", folder)
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_HIDDEN):
                continue
            if entry.is_dir():
                yield from _folder(entry.path, (*above, identity))
            elif entry.is_file():
                yield entry.path, entry.stat().st_size
            else:
                os.stat(entry.path)  # raises for a link without a target
                raise FileError(errno.EINVAL, "is neither a file nor a folder", entry.path)


def _documents(files: _Files) -> _Files:
    """Returns the files of a folder but those that `datasets` writes beside Arrow files."""
    if not any(path.endswith(".arrow") for path, _ in files):
        return files
    return [file for file in files if os.path.basename(file[0]) not in _OF_DATASETS]


def _size(status: os.stat_result) -> int | None:
    """Returns the size of a file, or None for a pipe or device."""
    import stat

    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _located(error: OSError, name: str) -> FileError:
    """Returns the error with the file that it is about, which may be in the folder `name`."""
    return error if isinstance(error, FileError) else wrap_os_error(error, error.filename or name)
