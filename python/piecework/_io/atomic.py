"""Writes large files piece by piece; a reader sees a whole file or none."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from typing import BinaryIO, NamedTuple

from piecework._exceptions import wrap_os_error
from piecework._io.files import Pathish, checked, naming_errors
from piecework._io.temporary import TemporaryFile
from piecework.errors import FileError


class WrittenFile(NamedTuple):
    """Describes a file that was written.

    Attributes:
        name: Its name in its folder.
        bytes: Its size.
        sha256: The hash of its bytes, as 64 hexadecimal digits.
    """

    name: str
    bytes: int
    sha256: str

    def problem_in(self, folder: str) -> str | None:
        """Returns what is wrong with the file in a folder: missing, or of another size or hash; None for nothing."""
        path = os.path.join(folder, self.name)
        if not os.path.exists(path):
            return "is missing"
        size = os.path.getsize(path)
        if size != self.bytes:
            return f"has {size:,} bytes; {self.bytes:,} were written"
        with naming_errors(path), open(path, "rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return None if sha256 == self.sha256 else "has other bytes than were written"


class AtomicFile(contextlib.AbstractContextManager["AtomicFile"]):
    """Writes a file under a temporary name, which :meth:`commit` replaces by its own.

    A block that ends without `commit` leaves nothing. Two writers of one file do not disturb each other: the last commit wins.

    Attributes:
        temporary: The temporary name, under which another writer may fill the file in place of :meth:`write`.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with AtomicFile(os.path.join(folder, "ids.bin"), folder) as file:
    ...     file.write(b"abc")
    ...     file.commit().bytes
    3
    3
    >>> os.listdir(folder)
    ['ids.bin']
    """

    def __init__(self, path: Pathish, temporary_folder: Pathish) -> None:
        """Opens the temporary file.

        Args:
            path: The file; an existing one is replaced.
            temporary_folder: A folder on the same file system.

        Raises:
            FileError: The temporary file cannot be created.
        """
        self._path = checked(path)
        self._hash = hashlib.sha256()
        self._size = 0
        with naming_errors(temporary_folder) as folder:
            self._own = TemporaryFile(folder, self._path)
            self._file = self._opened()
        self.temporary = self._own.name

    def _opened(self) -> BinaryIO:
        try:
            return open(self._own.name, "wb", buffering=1 << 20)
        except BaseException:
            self._own.close()
            raise

    def write(self, data: bytes | memoryview) -> int:
        """Appends bytes and returns their number.

        Raises:
            FileError: The disk is full, or the file cannot be written.
        """
        view = memoryview(data).cast("B")
        try:
            self._file.write(view)
        except OSError as error:
            raise self._failure(error) from None
        self._hash.update(view)
        self._size += len(view)
        return len(view)

    def commit(self, *, sync: bool = True) -> WrittenFile:
        """Gives the file its own name, and returns its size and hash.

        Args:
            sync: Whether the disk has the bytes before the file has its name; not needed where its hash is checked later.

        Raises:
            FileError: The disk is full, or the file cannot be written or renamed.
        """
        try:
            self._file.close()
            if not self._size:
                self._measure()
            self._own.publish(sync=sync)
        except OSError as error:
            raise self._failure(error) from None
        return WrittenFile(os.path.basename(self._path), self._size, self._hash.hexdigest())

    def _measure(self) -> None:
        """Reads the size and the hash of what another writer has put into the file."""
        with open(self.temporary, "rb") as file:
            self._hash = hashlib.file_digest(file, hashlib.sha256)
            self._size = os.fstat(file.fileno()).st_size

    def _failure(self, error: OSError) -> FileError:
        if error.errno == errno.ENOSPC:  # other files may have been written before
            return FileError(errno.ENOSPC, "no space left on the disk", self._path)
        return wrap_os_error(error, self._path)

    def __exit__(self, *_: object) -> None:
        """Removes the temporary file, unless it was committed."""
        with contextlib.suppress(OSError):  # a full disk fails again when the buffer is flushed
            self._file.close()
        self._own.close()


class AtomicFiles(contextlib.ExitStack):
    """Writes several files, all of which :meth:`commit` gives their own names; a block without it leaves none."""

    def __init__(self, temporary_folder: Pathish) -> None:
        """Creates no file yet; `temporary_folder` as for :class:`AtomicFile`."""
        super().__init__()
        self._folder = temporary_folder
        self._files: list[AtomicFile] = []

    def create(self, path: Pathish) -> AtomicFile:
        """Returns a new file.

        Raises:
            FileError: The temporary file cannot be created; the others are removed.
        """
        try:
            file = self.enter_context(AtomicFile(path, self._folder))
        except FileError:
            self.close()
            raise
        self._files.append(file)
        return file

    def commit(self, *, sync: bool = True) -> tuple[WrittenFile, ...]:
        """Commits all files, and returns their sizes and hashes; see :meth:`AtomicFile.commit`."""
        return tuple(file.commit(sync=sync) for file in self._files)
