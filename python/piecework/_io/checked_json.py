"""JSON files that carry a checksum of themselves, so that any byte that changed is noticed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_CHECKSUM = "checksum"
"""The last member: the SHA-256 of the file without it."""


def to_checked(value: dict[str, Any], indent: int | None = None) -> bytes:
    """Returns the bytes of a JSON object with a checksum.

    Args:
        value: The object.
        indent: The number of spaces by which lines are indented; None writes one line.
    """
    checksum = hashlib.sha256(_written(value, indent)).hexdigest()
    return _written({**value, _CHECKSUM: checksum}, indent)


def of_checked(data: bytes) -> dict[str, Any]:
    r"""Returns the JSON object that :func:`to_checked` has written, without the checksum.

    Raises:
        ValueError: The bytes are others than were written.

    >>> of_checked(to_checked({"tokens": 7}))
    {'tokens': 7}
    >>> of_checked(to_checked({"tokens": 7}).replace(b"7", b"8", 1))
    Traceback (most recent call last):
    ...
    ValueError: it was changed after it was written
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no JSON: {error}") from None
    if not isinstance(value, dict) or _CHECKSUM not in value:
        raise ValueError("it has no checksum")
    del value[_CHECKSUM]
    if to_checked(value, 1 if data.startswith(b"{\n") else None) != data:
        raise ValueError("it was changed after it was written")
    return value


def _written(value: dict[str, Any], indent: int | None) -> bytes:
    return json.dumps(value, indent=indent).encode() + b"\n"
