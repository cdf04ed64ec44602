"""Calls that write files: what they write, undisturbed, and what must be there after one that was stopped."""

from __future__ import annotations

import importlib
import os
import random
import shutil
import signal
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scaling import files

import piecework as pw
from torture.trials import Broken, in_child

if TYPE_CHECKING:
    from collections.abc import Callable

    Files = dict[str, bytes | None]
    """The files and folders of a folder by name; a folder has None."""

ENTRIES = 20_000
"""The size of the vocabularies that are saved, which take some milliseconds."""
PARTIAL = "stdout.txt"
"""A file that a shell has opened, to which a program writes when all is done; a part may be there."""


class Writing(NamedTuple):
    """Describes a call that writes into a folder.

    Attributes:
        call: Writes version 0 or 1 of its files.
        is_resumed: Whether what is left of a call that was stopped is for the next one.
        is_program: Whether the call replaces the process by a program.
    """

    call: Callable[[Path, int], object]
    is_resumed: bool = False
    is_program: bool = False


def listed(folder: Path) -> Files:
    """Returns what a folder has, with the content of its files."""
    found: Files = {}
    for path in sorted(folder.rglob("*")):
        found[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() else None
    return found


def check_whole(name: str, folder: Path, old: Files, new: Files) -> int:
    """Checks that each file is the old one or the new one, and returns the number of others.

    Raises:
        Broken: A file is neither.
    """
    found = listed(folder)
    for file, data in found.items():
        versions = [files[file] for files in (old, new) if file in files]
        if file == PARTIAL and data is not None:
            versions = [data] if any((v or b"").startswith(data) for v in versions) else []
        if versions and data not in versions:
            raise Broken(f"{name}: {file} is neither the old file nor the new one")
    for file in old.keys() - found.keys():
        raise Broken(f"{name}: {file} is gone")
    return len(found.keys() - old.keys() - new.keys())


def check_again(name: str, folder: Path, new: Files) -> None:
    """Checks that a folder has what an undisturbed call writes, and nothing else.

    Raises:
        Broken: It has other files.
    """
    found = listed(folder)
    if found == new:
        return
    names = sorted(set(found) ^ set(new)) or [file for file in new if found[file] != new[file]]
    raise Broken(f"{name}: differs from an undisturbed call after the next one: {', '.join(names)}")


def undisturbed(name: str, version: int, folder: Path) -> Files:
    """Returns what a call writes into an empty folder.

    Raises:
        Broken: The call fails.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(name, folder, version)
    return listed(folder)


def run(name: str, folder: Path, version: int = 1) -> None:
    """Runs a call to its end, in a process of its own.

    Raises:
        Broken: The call fails.
    """
    with warnings.catch_warnings(action="ignore"):
        if failure := in_child(lambda: WRITINGS[name].call(folder, version)):
            raise Broken(f"{name}: fails undisturbed: {failure}")


# What is written, made once in the folder of the kind of trials

INPUTS = Path()


def prepare(folder: Path) -> None:
    """Writes the inputs of all calls into a folder."""
    global INPUTS  # noqa: PLW0603  # processes that are forked have it, too
    INPUTS = folder / "inputs"
    INPUTS.mkdir()
    choice, words = random.Random(2), files.entries(3000)
    for version in (0, 1):
        lines = [" ".join(choice.choices(words, k=12)) for _ in range(1000)]
        (INPUTS / f"{version}.txt").write_text("\n".join(lines))
    for make in (_word_piece, _bpe, _unigram, _ranks):
        make(0), make(1)
    importlib.import_module("pyarrow.parquet")  # once, not in each process
    _word_piece(1).save(INPUTS / "tokenizer.json")


@cache
def _word_piece(version: int) -> pw.Tokenizer:
    return files.word_piece(ENTRIES + version)


@cache
def _bpe(version: int) -> pw.Tokenizer:
    return files.bpe(ENTRIES // 4 + version)


@cache
def _ranks(version: int) -> pw.Tokenizer:
    return pw.train(_corpus(0), pw.BpeTrainer(2000 + version, alphabet="byte", special_tokens=()))


@cache
def _unigram(version: int) -> pw.Tokenizer:
    return files.unigram(ENTRIES + version)


def _save(
    make: Callable[[int], pw.Tokenizer], file: str, kind: Any = None, **settings: Any
) -> Writing:
    return Writing(lambda folder, version: make(version).save(folder / file, kind, **settings))


def _corpus(version: int, *, per: Any = "line") -> pw.Corpus:
    return pw.Corpus(INPUTS / f"{version}.txt", per=per)


def _engine(workers: int) -> Any:
    from corpora import InProcess

    return pw.engines.Local(workers) if workers else InProcess()


def _tokenize(workers: int, layout: Any, **settings: Any) -> Writing:
    def call(folder: Path, version: int) -> object:
        out, tok = folder / "ids", _word_piece(1)
        small: Any = {"part_bytes": 12_000, "shard_tokens": 8000} | settings
        pw.corpus.tokenize(tok, _corpus(1), out, layout=layout, engine=_engine(workers), **small)
        if found := pw.corpus.verify(out, tok):
            raise Broken(f"corpus.verify: {found}")
        return None

    return Writing(call, is_resumed=True)


def _count(workers: int) -> Writing:
    """Returns the counting into a file with a work folder, in parts if there is an engine."""

    def call(folder: Path, version: int) -> object:
        engine: Any = {"engine": _engine(workers), "part_bytes": 12_000} if workers else {}
        return pw.WordCounts.count_to_file(
            _corpus(1), folder / "a.counts", work_dir=folder, max_memory="1MB", **engine
        )

    return Writing(call, is_resumed=True)


def _train(trainer: Any, file: str) -> Writing:
    return Writing(lambda folder, version: pw.train(_corpus(version), trainer).save(folder / file))


def _program(*arguments: str) -> Writing:
    """Returns a call of the command line; `{in}` and `{out}` are the folders, `{version}` is the number."""

    def call(folder: Path, version: int) -> None:
        names = {"in": INPUTS, "out": folder, "version": version}
        out = os.open(folder / PARTIAL, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.environ["TMPDIR"] = str(folder)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        command = [sys.executable, "-m", "piecework", *arguments]
        os.execv(sys.executable, [part.format_map(names) for part in command])

    return Writing(call, is_program=True)


WRITINGS: dict[str, Writing] = {
    "save tokenizer.json": _save(_word_piece, "tokenizer.json"),
    "save vocab.txt": _save(_word_piece, "vocab.txt"),
    "save merges.txt": _save(_bpe, "bpe", "merges.txt"),
    "save tiktoken": _save(_ranks, "a.tiktoken"),
    "save SentencePiece": _save(_unigram, "a.model", approximate=True),
    "save_folder": Writing(lambda folder, version: _bpe(version).save_folder(folder / "model")),
    "save counts": Writing(
        lambda folder, version: pw.WordCounts(
            dict.fromkeys(_word_piece(version).vocab, version + 1)
        ).save(folder / "a.counts")
    ),
    "count_to_file, work folder": _count(0),
    "count_to_file, two processes": _count(2),
    "train WordPiece, save": _train(pw.WordPieceTrainer(600), "tokenizer.json"),
    "train Unigram, save": _train(pw.UnigramTrainer(600), "tokenizer.json"),
    "corpus.tokenize, npy": _tokenize(0, "npy", end_of_document="[SEP]"),
    "corpus.tokenize, parquet": _tokenize(0, "parquet"),
    "corpus.tokenize, two processes": _tokenize(2, "npy", sequence_length=32, shuffle=1),
    "piecework train": _program(
        *("train", "{in}/{version}.txt", "-o", "{out}/tokenizer.json", "--vocab-size", "600"),
    ),
    "piecework encode": _program("encode", "{in}/tokenizer.json", "{in}/{version}.txt"),
    "piecework count-words": _program(
        *("count-words", "{in}/{version}.txt", "-o", "{out}/a.counts", "--max-memory", "1MB"),
    ),
}
