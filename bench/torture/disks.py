"""Fills the file system, and takes the right to write, while calls write."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import subprocess
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from piecework import errors
from piecework.errors import PieceworkError
from torture import writing
from torture.trials import Broken, Kind, Trial, in_child

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NEW_MOUNTS, NEW_USERS = 0x0002_0000, 0x1000_0000
"""The flags of namespaces in sched.h."""
CAPABILITIES = 0x2008_0522
"""The version of the interface of capabilities in linux/capability.h."""
ENOUGH = "size=256m"
NAMES = [name for name, made in writing.WRITINGS.items() if not made.is_program]


def missing() -> str:
    """Returns why a file system cannot be mounted here."""
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "true"], capture_output=True, check=False
    )
    return "" if done.returncode == 0 else "this system allows no mount namespace"


def trial(seed: int, folder: Path) -> Trial:
    """Returns the trial of a seed: a call in a folder that is full or read-only, and again when it is not."""
    choice = random.Random(f"disks {seed}")
    name = NAMES[seed // 4 % len(NAMES)]
    how, is_replaced = [*HOW][seed % 4], choice.random() < 0.5
    _enter_namespaces()

    def call() -> int:
        old, new = _undisturbed(name, folder.parent)
        if not is_replaced:
            old = {}
        sizes = [sum(len(data or b"") for data in files.values()) for files in (old, new)]
        size = int(sizes[0] * 1.1) + choice.randrange(4096, 3 * sizes[1] + 65536)
        with _mounted(folder / "disk", ENOUGH) as disk:
            target = disk / "out"
            if is_replaced:
                shutil.copytree(folder.parent / f"{name}-0", target)
            else:
                target.mkdir()
            return _check(name, target, old, new, lambda call: HOW[how](disk, size, call))

    return Trial(how, call)


def _check(
    name: str,
    target: Path,
    old: writing.Files,
    new: writing.Files,
    disturbed: Callable[[Callable[[], object]], None],
) -> int:
    """Runs a call while something disturbs it, then undisturbed, and returns the number of files in between.

    Raises:
        Broken: Files are damaged or left over.
        PieceworkError: The error of the call that was disturbed.
    """
    failure: PieceworkError | None = None
    try:
        disturbed(lambda: writing.WRITINGS[name].call(target, 1))
    except PieceworkError as error:
        failure = error
    left = writing.check_whole(name, target, old, new)
    if failure and left and not writing.WRITINGS[name].is_resumed:
        raise Broken(f"{name}: leaves {sorted(set(writing.listed(target)) - set(old))}")
    writing.run(name, target)
    writing.check_again(name, target, new)
    if failure:
        raise failure
    return left


@cache
def _undisturbed(name: str, folder: Path) -> tuple[writing.Files, writing.Files]:
    return (
        writing.undisturbed(name, 0, folder / f"{name}-0"),
        writing.undisturbed(name, 1, folder / f"{name}-1"),
    )


@cache
def _enter_namespaces() -> None:
    """Gives this process its own mounts, and the rights to make some, as `unshare --map-root-user --mount` does."""
    user, group = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_USERS | NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


@contextmanager
def _mounted(folder: Path, options: str) -> Iterator[Path]:
    """Mounts a file system in memory for the block."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", options, "none", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _full(disk: Path, size: int, call: Callable[[], object]) -> None:
    """Runs a call on a disk of a size."""
    blocks = os.statvfs(disk)
    used = (blocks.f_blocks - blocks.f_bfree) * blocks.f_frsize
    _mount("-o", f"remount,size={max(size, used + 4096)}", str(disk))
    try:
        call()
    finally:
        _mount("-o", f"remount,{ENOUGH}", str(disk))


def _read_only(disk: Path, size: int, call: Callable[[], object]) -> None:
    """Runs a call on a file system that is read-only."""
    _mount("-o", "remount,ro", str(disk))
    try:
        call()
    finally:
        _mount("-o", "remount,rw", str(disk))


def _limited(disk: Path, size: int, call: Callable[[], object]) -> None:
    """Runs a call whose files may have a size at most."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        call()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _no_right(disk: Path, size: int, call: Callable[[], object]) -> None:
    """Runs a call in a folder whose mode lets nobody write; in a process that has lost the rights of root."""
    folders = [path for path in [disk, *disk.rglob("*")] if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)

    def without_rights() -> None:
        header, data = (ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
        if ctypes.CDLL(None, use_errno=True).capset(header, data):
            raise OSError(ctypes.get_errno(), "capset")
        call()

    try:
        failure = in_child(without_rights)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    if failure.startswith(OWN_ERRORS):
        raise PieceworkError(failure)
    if failure:
        raise Broken(failure)


OWN_ERRORS = tuple(f"{name}: " for name in errors.__all__)
"""How the descriptions of errors of piecework begin."""
HOW: dict[str, Callable[[Path, int, Callable[[], object]], None]] = {
    "full": _full,
    "read-only": _read_only,
    "size limit": _limited,
    "mode 555": _no_right,
}
KIND = Kind("disks", 0.1, trial, writing.prepare, missing, in_process=1000, seconds=90)
