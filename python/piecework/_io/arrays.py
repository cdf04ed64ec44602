"""Reads arrays of numbers from files: a part of a file, or a whole file mapped into memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from piecework._io.files import Pathish, naming_errors
from piecework.errors import FileError

if TYPE_CHECKING:
    import numpy.typing as npt


def read_array(
    path: Pathish, dtype: npt.DTypeLike, start: int = 0, count: int = -1
) -> npt.NDArray[Any]:
    """Returns a part of a file of numbers, in memory.

    Args:
        path: The file, of numbers without a header.
        dtype: The type of the numbers.
        start: The first number.
        count: How many; -1 for all.

    Raises:
        FileError: The file cannot be read, or is too short.
    """
    import numpy as np

    kind = np.dtype(dtype)
    with naming_errors(path) as name:
        found = np.fromfile(name, kind, count, offset=start * kind.itemsize)
    if count >= 0 and len(found) != count:
        raise _too_short(name, (start + count) * kind.itemsize)
    return found


def map_array(path: Pathish, dtype: npt.DTypeLike, start_byte: int, count: int) -> npt.NDArray[Any]:
    """Returns a part of a file of numbers as a read-only array, which is read when it is used.

    Args:
        path: The file.
        dtype: The type of the numbers.
        start_byte: The byte of the first number.
        count: How many.

    Raises:
        FileError: The file cannot be read, or is too short.
    """
    import numpy as np

    kind = np.dtype(dtype)
    end_byte = start_byte + count * kind.itemsize
    with naming_errors(path) as name:
        if os.stat(name).st_size < end_byte:
            raise _too_short(name, end_byte)
        if not count:  # an empty file cannot be mapped
            return np.empty(0, kind)
        mapped: npt.NDArray[Any] = np.memmap(name, kind, "r", start_byte, (count,))
    return mapped


def _too_short(name: str, expected: int) -> FileError:
    found = os.stat(name).st_size
    return FileError(5, f"has {found:,} bytes; expected at least {expected:,}", name)
