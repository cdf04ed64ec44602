"""Notices files that change while a job runs, or between its runs."""

from __future__ import annotations

import errno
import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework._io.files import exists, size
from piecework._io.folders import time_of_change
from piecework._io.remote import is_url
from piecework.errors import FileError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from piecework._io.sources import Source


@dataclass(frozen=True)
class Inputs:
    """Records when files were last changed.

    Attributes:
        changed: The time of the last change of each file, by its name; None if unknown, as for URLs.
        remedy: What to do when a file has changed, for the error.
    """

    changed: Mapping[str, int | None]
    remedy: str

    @classmethod
    def of(cls, sources: Iterable[Source], remedy: str) -> Inputs:
        """Returns the record of some files."""
        return cls({source.name: time_of_change(source.name) for source in sources}, remedy)

    def check(self, source: Source) -> None:
        """Compares a file with the record.

        Raises:
            MissingFileError: There is no such file where the part runs.
            FileError: The file has another size or time of change.
        """
        if is_url(source.name):
            return
        if not exists(source.name):
            message = (
                f"is missing on {platform.node()}; all workers must have the input under this name"
            )
            raise MissingFileError(errno.ENOENT, message, source.name)
        is_same = time_of_change(source.name) == self.changed[source.name]
        if not is_same or (source.size is not None and size(source.name) != source.size):
            message = "was changed during the run"
            raise FileError(errno.EIO, message, source.name, hint=self.remedy)
