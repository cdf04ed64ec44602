"""Documents of Arrow IPC files and streams, and of Feather files."""

import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pytest

from piecework import errors
from piecework._io.document_batch import Documents, Range, ReadOptions
from piecework._io.documents import place_of, read, split
from piecework._io.sources import Source, find_sources

ROWS = [f"row {number} " + "é" * (number % 50) for number in range(500)]
KINDS = ["file", "stream", "feather"]


def write(folder: Path, table: pa.Table, kind: str, rows: int = 120) -> Source:
    path = folder / f"t.{'feather' if kind == 'feather' else 'arrow'}"
    if kind == "feather":
        pyarrow.feather.write_feather(table, path, chunksize=rows)
    else:
        new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
        with new(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
    [source] = find_sources(path)
    assert source.format == "arrow"
    return source


def texts(batches: list[Documents]) -> list[Any]:
    return [text for batch in batches for text in pa.array(batch.texts).to_pylist()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "type_", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())], ids=str
)
def test_rows_are_documents(tmp_path: Path, kind: str, type_: pa.DataType) -> None:
    table = pa.table({"n": range(500), "text": pa.array(ROWS).cast(type_), "id": range(500)})
    source = write(tmp_path, table, kind)
    for batch_bytes in (1, 1000, 1 << 20):
        batches = list(read(source, ReadOptions(keep=("id",)), batch_bytes=batch_bytes))
        assert texts(batches) == ROWS
        assert all(batch.text_bytes <= batch_bytes or len(batch) == 1 for batch in batches)
        rows = [row for batch in batches for row in batch.positions.tolist()]
        assert rows == [row for b in batches for row in pa.array(b.kept["id"]).to_pylist()]
        assert rows == list(range(500))
        read_bytes = [batch.bytes_read for batch in batches]
        assert read_bytes == sorted(read_bytes)
        assert read_bytes[-1] <= (source.size or 0)


@pytest.mark.parametrize("kind", KINDS)
def test_parts_are_the_whole(tmp_path: Path, kind: str) -> None:
    source = write(tmp_path, pa.table({"text": ROWS}), kind, 100)
    for part_bytes in (1, 500, 5000, 1 << 30):
        ranges = split(source, part_bytes)
        parts = [batch for part in ranges for batch in read(source, range=part)]
        assert texts(parts) == ROWS
        assert [row for batch in parts for row in batch.positions.tolist()] == list(range(500))
    assert len(split(source, 1)) == (1 if kind == "stream" else 5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_without_rows_has_no_documents(tmp_path: Path, kind: str) -> None:
    source = write(tmp_path, pa.table({"text": pa.array([], pa.string())}), kind)
    assert [texts(list(read(source, range=part))) for part in split(source, 100)] == [[]]


def test_members_of_structs_and_names_with_points(tmp_path: Path) -> None:
    rows = [{"text": "nested", "n": 1}, {"text": "second", "n": 2}]
    source = write(tmp_path, pa.table({"a": rows, "a.text": ["flat", "two"]}), "stream")
    [batch] = read(source, ReadOptions(field="a.text", keep=("a",)))
    assert texts([batch]) == ["nested", "second"]
    assert pa.array(batch.kept["a"]).to_pylist() == rows
    assert texts(list(read(source, ReadOptions(field=r"a\.text")))) == ["flat", "two"]


@pytest.mark.parametrize("kind", KINDS)
def test_faults_are_named_or_skipped(tmp_path: Path, kind: str) -> None:
    source = write(tmp_path, pa.table({"text": ["a", None, "b"], "n": [1, 2, 3]}), kind)
    with pytest.raises(errors.DocumentError, match="row 2: 'text' is null"):
        list(read(source))
    [batch] = read(source, ReadOptions(on_error="skip"))
    assert texts([batch]) == ["a", "b"]
    assert place_of(source, 1).endswith(": row 2")
    with pytest.raises(errors.ConfigError, match="no column 'content'; found text, n"):
        list(read(source, ReadOptions(field="content")))
    with pytest.raises(errors.ConfigError, match="type int64; expected strings"):
        list(read(source, ReadOptions(field="n")))


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files(tmp_path: Path, kind: str) -> None:
    source = write(tmp_path, pa.table({"text": ROWS}), kind)
    data = Path(source.name).read_bytes()
    for size in (1, 7, 100, len(data) // 2, len(data) - 1):
        Path(source.name).write_bytes(data[:size])
        [shorter] = find_sources(source.name)
        problem, found = "", []
        try:
            for batch in read(shorter):
                found += texts([batch])
        except errors.FormatError as error:
            problem = str(error)
        # A stream may end after any of its batches.
        assert problem.startswith(f"{source.name}: ") or (not problem and kind == "stream")
        assert found == ROWS[: len(found)]


def overwritten(source: Source, old: bytes, new: bytes) -> None:
    data = Path(source.name).read_bytes()
    assert data.count(old) == 1
    Path(source.name).write_bytes(data.replace(old, new))


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize(
    ("type_", "old", "new"),
    [
        (pa.string(), (0, 3, 8, 12), (0, 3, 2**30, 12)),
        (pa.string(), (0, 3, 8, 12), (0, 3, 8, 2**30)),
        (pa.string(), (0, 3, 8, 12), (-(2**30), 3, 8, 12)),
        (pa.dictionary(pa.int32(), pa.string()), (0, 1, 2, 0), (0, 1, 2**30, 0)),
    ],
    ids=["an offset", "the last", "the first", "an index"],
)
def test_damaged_offsets_do_not_end_the_process(
    tmp_path: Path, kind: str, type_: pa.DataType, old: tuple[int, ...], new: tuple[int, ...]
) -> None:
    words = ["low", "lower", "newx"] if type_ == pa.string() else ["low", "lower", "newx", "low"]
    rows = pa.array(words).cast(type_)
    source = write(tmp_path, pa.table({"text": rows}), kind)
    overwritten(source, *(struct.pack("<4i", *each) for each in (old, new)))
    for options in (ReadOptions(), ReadOptions(on_error="skip")):
        with pytest.raises(errors.FormatError, match=r"out of bounds|offset|monotonic") as caught:
            list(read(source, options))
        assert str(caught.value).startswith(f"{source.name}: ")


@pytest.mark.parametrize("type_", [pa.string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_texts_that_are_not_utf_8_are_faults_of_rows(tmp_path: Path, type_: pa.DataType) -> None:
    source = write(tmp_path, pa.table({"text": pa.array(["low", "zzz"]).cast(type_)}), "stream")
    overwritten(source, b"lowzzz", b"low\xff\xff\xff")
    with pytest.raises(errors.InvalidUtf8Error, match="row 2: invalid UTF-8 in 'text'"):
        list(read(source))
    assert texts(list(read(source, ReadOptions(on_error="skip")))) == ["low"]


def test_a_stream_that_names_more_bytes_than_it_has(tmp_path: Path) -> None:
    source = write(tmp_path, pa.table({"text": ROWS}), "stream")
    start = Path(source.name).read_bytes()[:8]
    overwritten(source, start, start[:4] + struct.pack("<i", 2**31 - 1))
    with pytest.raises(errors.FormatError, match=r"t\.arrow: .*Expected to read"):
        list(read(source))


@pytest.mark.parametrize("kind", KINDS[:2])
def test_two_columns_of_one_name(tmp_path: Path, kind: str) -> None:
    table = pa.table([["a"], ["b"]], names=["text", "text"])
    source = write(tmp_path, table, kind)
    with pytest.raises(errors.FormatError, match=r"t\.arrow: 2 columns 'text'; rename"):
        list(read(source))


def test_feather_of_version_1(tmp_path: Path) -> None:
    (tmp_path / "a.feather").write_bytes(b"FEA1" + bytes(60) + b"FEA1")
    [source] = find_sources(tmp_path / "a.feather")
    with pytest.raises(errors.FormatError, match="Feather file of version 1") as caught:
        list(read(source))
    assert str(caught.value).startswith(str(tmp_path / "a.feather"))


def test_a_folder_of_datasets(tmp_path: Path) -> None:
    for name in ("train", "test"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, pa.table({"text": [name]}), "stream")
        for record in ("dataset_info.json", "state.json"):
            (tmp_path / name / record).write_text("{}")
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    sources = find_sources(tmp_path)
    assert [text for source in sources for text in texts(list(read(source)))] == ["test", "train"]
    (tmp_path / "data.jsonl").write_text('{"text": "a"}\n')
    assert len(find_sources(tmp_path)) == 3
    # In a folder without Arrow files, these are files like others.
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "state.json").write_text('{"text": "a"}\n')
    assert len(find_sources(tmp_path / "json")) == 1


def test_ranges_of_a_file_are_batches(tmp_path: Path) -> None:
    source = write(tmp_path, pa.table({"text": ROWS}), "file", 100)
    assert split(source, 1 << 30) == [Range(0, 5)]
    assert split(source, 1) == [Range(batch, batch + 1) for batch in range(5)]
