"""Files, folders, patterns, URLs and compressed files."""

import gzip
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pytest
import zstandard

import piecework as pw
from piecework import errors, hf
from piecework._io.document_batch import ReadOptions
from piecework._io.documents import read, split
from piecework._io.sources import Source, describe_name, find_sources


def texts(source: Source, options: ReadOptions | None = None, **settings: Any) -> list[str]:
    batches = read(source, options, **settings)
    return [text for batch in batches for text in pa.array(batch.texts).to_pylist()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns a folder with files of several formats, which is the current one."""
    for name in ("b.txt", "a.jsonl", "sub/c.txt.gz", "sub/deep/d.parquet", ".hidden", "_SUCCESS"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"abc")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(inputs: Any) -> list[str]:
    return [source.name for source in find_sources(inputs)]


def test_folders_and_patterns_are_searched(folder: Path) -> None:
    inside = ["a.jsonl", "b.txt", "sub/c.txt.gz", "sub/deep/d.parquet"]
    assert names(str(folder)) == [f"{folder}/{name}" for name in inside]
    assert names("sub") == inside[2:]
    assert names("**/*.*") == inside
    assert names(["_SUCCESS", ".hidden", "a.jsonl"]) == ["_SUCCESS", ".hidden", "a.jsonl"]
    (folder / "[x].txt").write_bytes(b"")
    assert names("[x].txt") == ["[x].txt"]
    assert find_sources("sub/c.txt.gz") == [Source("sub/c.txt.gz", 3, "text", "gzip")]
    assert find_sources("b.txt", format="jsonl")[0].format == "jsonl"


def test_files_are_named_as_often_as_they_are_listed(folder: Path) -> None:
    assert names(["b.txt", "a.jsonl", "./b.txt", "b.txt"]) == ["b.txt", "a.jsonl", "b.txt", "b.txt"]
    assert names(["sub", "sub/c.txt.gz"]) == ["sub/c.txt.gz", "sub/deep/d.parquet", "sub/c.txt.gz"]
    # A pattern may find a file and the folder that it is in.
    assert names("sub/**") == ["sub/c.txt.gz", "sub/deep/d.parquet"]
    for again, count in (
        ("sub/*.gz", "1 file"),
        ("./sub", "2 files"),
        (str(folder / "s*"), "2 files"),
    ):
        with pytest.warns(errors.PieceworkWarning, match=f"^{count} of folders and patterns"):
            found = names(["sub", again])
        assert found[:2] == ["sub/c.txt.gz", "sub/deep/d.parquet"]
        assert len(found) == 2 + int(count[0])


def test_inputs_that_name_no_file_are_errors(folder: Path) -> None:
    (folder / "empty").mkdir()
    for name in ("missing.txt", "*.missing", "empty", "missing/*"):
        with pytest.raises(errors.MissingFileError, match=name.replace("*", r"\*")):
            find_sources(name)
    (folder / "empty/link").symlink_to("nowhere")
    with pytest.raises(errors.MissingFileError, match="empty/link"):
        find_sources("empty")
    for inputs, settings in (([], {}), ("b.txt", {"format": "csv"}), (["x.parquet.gz"], {})):
        (folder / "x.parquet.gz").touch()
        with pytest.raises(errors.ConfigError):
            find_sources(inputs, **settings)


def test_links_are_followed_and_cycles_are_errors(folder: Path) -> None:
    (folder / "link").symlink_to("sub")
    assert "link/c.txt.gz" in names(".") or "./link/c.txt.gz" in names(".")
    (folder / "sub/up").symlink_to("..")
    with pytest.raises(errors.FileError, match="cycle of symbolic links"):
        find_sources(".")


def test_many_files_are_listed_quickly(tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"{number}.txt").touch()
    start = time.process_time()
    assert len(find_sources(tmp_path)) == 3000
    assert time.process_time() - start < 1


def test_names_describe_files() -> None:
    assert describe_name("A.JSONL.GZ") == ("jsonl", "gzip")
    assert describe_name("c4.json.gz") == ("jsonl", "gzip")
    assert describe_name("https://x.org/a.ndjson.zst?download=1.txt") == ("jsonl", "zstd")
    assert describe_name("a.gz") == ("text", "gzip")
    assert describe_name("a.parquet") == ("parquet", None)


ROWS = [f"row {number} é" for number in range(2000)]
LINES = "".join(json.dumps({"text": row}) + "\n" for row in ROWS).encode()


def zstd(data: bytes) -> bytes:
    """Returns data in frames without a content size, one of which is to be skipped."""
    half = len(data) // 2
    frames = [zstandard.ZstdCompressor(write_content_size=False).compress(data[:half])]
    frames += [b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc", zstandard.compress(data[half:])]
    return b"".join(frames)


PACKED = {
    "a.jsonl.gz": gzip.compress(LINES),
    "members.jsonl.gz": gzip.compress(LINES[:999]) + gzip.compress(LINES[999:]) + b"\0" * 99,
    "a.jsonl.zst": zstandard.compress(LINES),
    "frames.jsonl.zst": zstd(LINES),
}


@pytest.mark.parametrize("name", PACKED)
def test_compressed_files_are_read(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(PACKED[name])
    [source] = find_sources(tmp_path)
    assert len(split(source, 1)) == 1
    for batch_bytes in (1000, 1 << 24):
        batches = list(read(source, batch_bytes=batch_bytes))
        assert [text for b in batches for text in pa.array(b.texts).to_pylist()] == ROWS
        assert batches[-1].bytes_read == source.size


@pytest.mark.parametrize("name", PACKED)
def test_damaged_files_are_errors(name: str, tmp_path: Path) -> None:
    """A truncated or damaged file is never read without an error, also if lines are skipped."""
    data, path = PACKED[name], tmp_path / name
    changed = bytearray(data)
    changed[len(data) // 2] ^= 0xFF
    # None of them is between two members or frames, where a shorter file is a valid one.
    ends = range(2, len(data) - 100, len(data) // 50)
    damaged = [data[:end] for end in ends] + [data[:-110], b""]
    if not name.startswith("members"):
        damaged += [data[:-1]]
    if name.endswith("gz"):  # frames of Zstandard have no checksum by default
        damaged += [bytes(changed), data + b"more"]
    for each in damaged:
        path.write_bytes(each)
        assert texts_or_none(find_sources(path)[0]) is None, f"{len(each)} of {len(data)} bytes"


def texts_or_none(source: Source) -> list[str] | None:
    """Returns the texts of a file; None for an error that names it."""
    try:
        return texts(source, ReadOptions(on_error="skip"))
    except errors.FormatError as error:
        return None if str(error).startswith(f"{source.name}: ") else ["no name"]


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


def test_urls_are_listed_and_read(memory: Any) -> None:
    for name in ("/set/a.jsonl", "/set/sub/b.jsonl.gz", "/set/_SUCCESS", "/set/.x/c.jsonl"):
        memory.pipe(name, gzip.compress(LINES) if name.endswith("gz") else LINES)
    both = ["memory:///set/a.jsonl", "memory:///set/sub/b.jsonl.gz"]
    listed = [name.replace("memory:///", "memory://") for name in both]
    for url in ("memory://set", "memory://set/**/*.jsonl*", "memory://set/"):
        found = names(url)
        assert [name.replace("memory:///", "memory://") for name in found][-1] == listed[-1]
        assert [text for source in find_sources(url) for text in texts(source)][: len(ROWS)] == ROWS
    [source] = find_sources(both[0])
    parts = split(source, 1000)
    assert len(parts) > 10
    assert [text for part in parts for text in texts(source, range=part)] == ROWS


def test_urls_without_files_are_errors(memory: Any) -> None:
    for url in ("memory://no.txt", "memory://no/*.txt"):
        with pytest.raises(errors.MissingFileError, match="memory"):
            find_sources(url)
    with pytest.raises(errors.ConfigError, match="nosuch"):
        find_sources("nosuch://a.txt")


@pytest.mark.parametrize(
    ("module", "name"),
    [("pyarrow", "a.parquet"), ("zstandard", "a.txt.zst"), ("fsspec", "memory://a.txt")],
)
def test_missing_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str, name: str
) -> None:
    if module == "zstandard" and sys.version_info >= (3, 14):
        pytest.skip("Zstandard is in the standard library")
    for loaded in [each for each in sys.modules if each.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setattr(sys, "meta_path", [_Refusing(module), *sys.meta_path])
    monkeypatch.chdir(tmp_path)
    Path("a.parquet").write_bytes(b"PAR1")
    Path("a.txt.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    with pytest.raises(
        errors.MissingExtraError, match=rf"{name}: .*{module}; install it: pip install {module}$"
    ) as caught:
        list(read(find_sources(name)[0]))
    assert isinstance(caught.value, ImportError)


class _Refusing:
    """Refuses to find a package, as if it were not installed."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, *_: object) -> None:
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(name, name=name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_pipes_are_read_in_one_range(tmp_path: Path) -> None:
    import threading

    os.mkfifo(tmp_path / "pipe.jsonl")
    [source] = find_sources(tmp_path / "pipe.jsonl")
    assert source.size is None
    writer = threading.Thread(target=(tmp_path / "pipe.jsonl").write_bytes, args=(LINES,))
    writer.start()
    assert texts(source) == ROWS
    writer.join(30)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="the system has no such devices")
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/urandom"])
def test_devices_without_an_end_are_refused(name: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: pw.Corpus(name),
        lambda: pw.count_words(pw.Corpus([name])),
        lambda: pw.Tokenizer.from_file(name),
        lambda: pw.Tokenizer.from_sentencepiece(name),
        lambda: pw.WordCounts.load(name),
        lambda: pw.WordCounts.load_files([name]),
        lambda: hf.Tokenizer.from_file(name),
    ]
    for call in calls:
        with pytest.raises(errors.FileError, match=f"{name}: is a device, which may have no end"):
            call()


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="the system has no such devices")
def test_the_null_device_is_empty() -> None:
    assert list(pw.Corpus("/dev/null")) == []
