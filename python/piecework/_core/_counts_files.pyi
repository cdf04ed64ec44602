"""Merges files of word counts."""

from collections.abc import Sequence
from os import PathLike

def merge_counts(
    paths: Sequence[str | PathLike[str]],
    out: str | PathLike[str],
    work_dir: str | PathLike[str] | None,
    first_documents: Sequence[int] | None,
) -> tuple[int, int, str]:
    """Writes the sum of the tables of files to an existing file, a word at a time; `work_dir` is for temporary files.

    Returns the number of words, the sum of their counts and their fingerprint.
    """
