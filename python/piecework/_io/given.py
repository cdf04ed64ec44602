"""Recognizes a corpus among arguments, without importing what reads it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._io.corpus import Corpus


def as_corpus(texts: object) -> Corpus | None:
    """Returns texts that are a :class:`piecework.Corpus`, or None for anything else."""
    # Who has a corpus has imported its module; others start faster without it.
    module = sys.modules.get("piecework._io.corpus")
    return texts if module is not None and isinstance(texts, module.Corpus) else None
