"""Names tokenizers by their files, for tables and pages."""

from __future__ import annotations

from collections import Counter
from os.path import basename, normpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def tokenizer_names(paths: Iterable[str]) -> dict[str, str]:
    """Returns a name for each file or folder: that without its folder, or the path if two names are equal.

    >>> tokenizer_names(["models/bert/vocab.txt", "t5.model", "bert/vocab.txt", "t5.model"])
    {'models/bert/vocab.txt': 'models/bert/vocab.txt', 't5.model': 't5.model', 'bert/vocab.txt': 'bert/vocab.txt'}
    >>> tokenizer_names(["models/bert/", "t5/spiece.model"])
    {'models/bert/': 'bert', 't5/spiece.model': 'spiece.model'}
    """
    names = {path: basename(normpath(path)) for path in paths}
    counts = Counter(names.values())
    return {path: name if counts[name] == 1 else path for path, name in names.items()}
