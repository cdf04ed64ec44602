"""Loads tokenizers from files that the page sends."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import TYPE_CHECKING

from piecework._io.compression import decompressed
from piecework._io.files import write_aside
from piecework._io.folders import temporary_folder
from piecework.errors import ConfigError, FormatError, PieceworkError
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework.play.fields import Fields

_MAX_FILES = 4
_MAX_DECOMPRESSED = 1 << 26
"""The largest size of a file of gzip in bytes, decompressed."""
_MAX_NAME = 120
"""The largest number of characters of the name of a file."""
_NOT_IN_NAMES = frozenset('/\\:*?"<>|')


def read_files(fields: Fields) -> dict[str, bytes]:
    """Reads the member ``files``: names with contents in Base64.

    Raises:
        ConfigError: The member is missing, a name contains a path, or a content is not Base64.
    """
    pairs = fields.pairs("files", _MAX_FILES, limit=1 << 27)
    for name in pairs:
        if not _is_file_name(name):
            raise ConfigError("expected names of files without folders", setting="files")
    try:
        return {name: base64.b64decode(data, validate=True) for name, data in pairs.items()}
    except ValueError:
        raise ConfigError("expected contents in Base64", setting="files") from None


def _is_file_name(name: str) -> bool:
    r"""Returns whether a name is that of a file on any system, so that no path leads out of a folder with it.

    >>> [_is_file_name(name) for name in ("it's 1.txt", "../a.txt", "..", "a\\b", "")]
    [True, False, False, False, False]
    """
    if not 0 < len(name) <= _MAX_NAME or name.startswith("."):
        return False
    return name.isprintable() and _NOT_IN_NAMES.isdisjoint(name)


def load_files(files: Mapping[str, bytes]) -> Tokenizer:
    """Returns the tokenizer of a file, or of files that belong together, such as vocab.json and merges.txt.

    Raises:
        FormatError: No file is that of a tokenizer.
    """
    with temporary_folder() as folder:
        try:
            return _load(folder, files)
        except PieceworkError as error:
            # The folder of the copies says nothing to the user.
            raise FormatError(str(error).replace(f"{folder}/", "")) from None


def _load(folder: str, files: Mapping[str, bytes]) -> Tokenizer:
    paths = [f"{folder}/{name}" for name in files]
    for path, data in zip(paths, files.values(), strict=True):
        write_aside(path, _decompressed(path, data))
    errors = []
    for path in paths:
        try:
            return Tokenizer.from_file(path)
        except PieceworkError as error:
            errors.append(error)
    raise errors[0]


def _decompressed(path: str, data: bytes) -> bytes:
    """Returns the content of a file, decompressed if it is gzip; a small file must not fill the memory."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    content = bytearray()
    for block in decompressed(BytesIO(data).read, path, "gzip"):
        content += block
        if len(content) > _MAX_DECOMPRESSED:
            raise FormatError(f"{path}: larger than {_MAX_DECOMPRESSED:,} bytes, decompressed")
    return bytes(content)
