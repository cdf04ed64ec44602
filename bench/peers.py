"""Other libraries, and the comparison of their ids."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np


def tokie_of(document: str) -> Any:
    """Returns tokie's tokenizer of a tokenizer.json, or None if tokie is not installed."""
    try:
        import tokie
    except ImportError:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        file.write(document)
        file.flush()
        return tokie.Tokenizer.from_json(file.name)


def agree(what: str, found: Any, wanted: Any) -> None:
    """Ends the run if ids differ from those of the reference."""
    if not np.array_equal(found, wanted):
        raise SystemExit(f"{what}: ids differ from those of the reference")
