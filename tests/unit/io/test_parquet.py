"""Documents of Parquet: columns, slices of row groups, nulls and invalid UTF-8."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from piecework import errors
from piecework._io.document_batch import Documents, Range, ReadOptions
from piecework._io.documents import read, split
from piecework._io.sources import Source, find_sources


def source_of(folder: Path, table: pa.Table, **settings: Any) -> Source:
    pq.write_table(table, folder / "t.parquet", **settings)
    return find_sources(folder / "t.parquet")[0]


def texts(batches: list[Documents]) -> list[Any]:
    return [text for batch in batches for text in pa.array(batch.texts).to_pylist()]


ROWS = [f"row {number} " + "é" * (number % 50) for number in range(500)]


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)
def test_rows_are_documents(tmp_path: Path, kind: pa.DataType) -> None:
    table = pa.table({"text": pa.array(ROWS).cast(kind), "id": range(500)})
    try:
        source = source_of(tmp_path, table, row_group_size=120)
    except pa.ArrowNotImplementedError:
        pytest.skip(f"pyarrow {pa.__version__} writes no {kind}")
    for batch_bytes in (1, 1000, 1 << 20):
        batches = list(read(source, ReadOptions(keep=("id",)), batch_bytes=batch_bytes))
        assert texts(batches) == ROWS
        assert all(batch.text_bytes <= batch_bytes or len(batch) == 1 for batch in batches)
        assert sum(batch.text_bytes for batch in batches) == len("".join(ROWS).encode())
        rows = [row for batch in batches for row in batch.positions.tolist()]
        assert rows == [row for b in batches for row in pa.array(b.kept["id"]).to_pylist()]
        assert rows == list(range(500))


def test_ranges_are_row_groups(tmp_path: Path) -> None:
    source = source_of(tmp_path, pa.table({"text": ROWS}), row_group_size=100)
    assert split(source, 1) == [Range(group, group + 1) for group in range(5)]
    assert split(source, 1 << 30) == [Range(0, 5)]
    for part_bytes in (1, 500, 1500, 5000):
        parts = [batch for part in split(source, part_bytes) for batch in read(source, range=part)]
        assert texts(parts) == ROWS
        assert [row for batch in parts for row in batch.positions.tolist()] == list(range(500))


def test_a_table_without_rows_has_no_documents(tmp_path: Path) -> None:
    source = source_of(tmp_path, pa.table({"text": pa.array([], pa.string())}))
    assert [texts(list(read(source, range=part))) for part in split(source, 100)] == [[]]


def test_members_of_structs_and_names_with_points(tmp_path: Path) -> None:
    rows = [{"text": "nested", "n": 1}, {"text": "second", "n": 2}]
    source = source_of(tmp_path, pa.table({"a": rows, "a.text": ["flat", "two"]}))
    options = ReadOptions(field="a.text", keep=("a", "a.n"))
    [batch] = read(source, options)
    assert texts([batch]) == ["nested", "second"]
    assert pa.array(batch.kept["a"]).to_pylist() == rows
    assert pa.array(batch.kept["a.n"]).to_pylist() == [1, 2]
    assert texts(list(read(source, ReadOptions(field=r"a\.text")))) == ["flat", "two"]


def test_nulls_and_invalid_utf8_are_named_or_skipped(tmp_path: Path) -> None:
    invalid = pa.array([b"x", b"y", b"z", b"\xffz"]).view(pa.binary()).cast(pa.binary())
    columns = {
        "text": ["a", None, "b", "c"],
        "other": pa.StringArray.from_buffers(4, *invalid.buffers()[1:]),
    }
    source = source_of(tmp_path, pa.table(columns), row_group_size=3)
    with pytest.raises(errors.DocumentError, match=r"t\.parquet: row 2: 'text' is null") as caught:
        list(read(source))
    assert (caught.value.line, caught.value.byte) == (2, None)
    with pytest.raises(errors.InvalidUtf8Error, match="row 4: invalid UTF-8 in 'other'") as invalid:
        list(read(source, ReadOptions(field="other")))
    assert (invalid.value.line, invalid.value.byte) == (4, 0)
    batches = list(read(source, ReadOptions(keep=("other",), on_error="skip")))
    assert texts(batches) == ["a", "b"]
    assert [row for batch in batches for row in batch.positions.tolist()] == [0, 2]
    assert [(s.line, s.byte) for batch in batches for s in batch.skipped] == [(2, None), (4, 0)]
    assert [v for b in batches for v in pa.array(b.kept["other"]).to_pylist()] == ["x", "z"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"field": "content"}, "field: no column 'content'; found text, id"),
        ({"field": "text.a"}, "field: no column 'text.a'"),
        ({"field": "id"}, "field: the column 'id' has the type int64; expected strings"),
        ({"keep": ("url",)}, "keep: no column 'url'"),
    ],
)
def test_columns_must_exist(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    source = source_of(tmp_path, pa.table({"text": ["a"], "id": [1]}))
    with pytest.raises(errors.ConfigError) as caught:
        list(read(source, ReadOptions(**options, on_error="skip")))
    assert str(caught.value).startswith(f"{source.name}: {message}")


def test_damaged_files_are_errors(tmp_path: Path) -> None:
    source = source_of(tmp_path, pa.table({"text": ROWS}), row_group_size=100)
    data = Path(source.name).read_bytes()
    for end in [*range(0, len(data), len(data) // 20), len(data) - 1]:
        Path(source.name).write_bytes(data[:end])
        with pytest.raises(errors.FormatError, match=r"t\.parquet: "):
            list(read(source))


MUTATIONS = """
import pathlib, random, sys
import piecework as pw

path, seeds = pathlib.Path(sys.argv[1]), range(int(sys.argv[2]))
good, found = path.read_bytes(), {}
footer = int.from_bytes(good[-8:-4], "little") + 8
for seed in seeds:
    choice, data = random.Random(seed), bytearray(good)
    for _ in range(choice.randint(1, 4)):
        data[-1 - choice.randrange(footer)] ^= 1 << choice.randrange(8)
    path.write_bytes(data)
    try:
        texts = list(pw.Corpus(path))
        name = "read" if len(texts) == 60 else "partly read"
    except pw.PieceworkError as error:
        name = "refused" if str(path) in str(error) else str(error)
    found[name] = found.get(name, 0) + 1
print(found)
"""


def test_no_damaged_metadata_ends_the_process(tmp_path: Path) -> None:
    table = pa.table({"text": [f"row {number}" for number in range(60)], "id": range(60)})
    source = source_of(tmp_path, table, row_group_size=20, write_page_index=True)
    run = subprocess.run(
        [sys.executable, "-c", MUTATIONS, source.name, "1500"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    found = ast.literal_eval(run.stdout)
    assert set(found) <= {"read", "partly read", "refused"}
    assert min(found["read"], found["refused"]) > 100
