"""Each error of reading has the remedy of its kind, and a reader who follows it reads the texts."""

import ast
import bz2
import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from piecework import Corpus, errors
from piecework._io.document_batch import ReadOptions
from piecework._io.documents import read, split
from piecework._io.sources import Source, find_sources

SKIP = '`on_error="skip"` to skip such lines'
needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")


def sources_of(path: Path, reading: ReadOptions) -> list[Source]:
    """Returns the sources of a path as a corpus finds them."""
    return find_sources(path, unnamed="jsonl" if reading.field else "text")


def texts(path: Path, **options: Any) -> list[str]:
    reading = ReadOptions(**options)
    sources = sources_of(path, reading)
    batches = [batch for source in sources for batch in read(source, reading)]
    return [text for batch in batches for text in pa.array(batch.texts).to_pylist()]


def hint_of(path: Path, **options: Any) -> str:
    with pytest.raises(errors.PieceworkError) as caught:
        texts(path, **options)
    assert caught.value.hint is not None
    return caught.value.hint


def settings_of(hint: str) -> list[dict[str, Any]]:
    """Returns the settings that a hint names, each by itself."""
    return [
        {name: ast.literal_eval(value)}
        for name, value in re.findall(r"`(\w+)=([^`]+)`", hint)
        if value != "..."
    ]


def run_command(hint: str, output: Path) -> None:
    """Writes what the shell command at the end of a hint writes."""
    _, _, command = hint.partition(": ")
    with output.open("wb") as file:
        subprocess.run(command, shell=True, check=True, stdout=file)


LINES: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"text", "correct the line, or pass "),
    "truncated in a string": (b'{"text": "b', "correct the line, or pass "),
    "truncated": (b'{"text": "b"', "correct the line, or pass "),
    "control character": (b'{"text": "\t"}', "correct the line, or pass "),
    "array": (
        b'["b"]',
        'write an object such as {"text": "..."} on each line, or pass ',
    ),
    "null": (b'{"text": null}', "add its text, or pass "),
    "no member": (b'{"id": 3}', "add its text, or pass "),
    "other member": (b'{"content": "b"}', 'pass `field="content"` to read that member, or '),
    "number": (b'{"text": 3, "t": "b"}', 'pass `field="t"` to read that member, or '),
    "twice": (b'{"text": "b", "text": "b"}', "remove one of them, or pass "),
    "surrogate": (
        b'{"text": "\\ud83d"}',
        "write the character as a pair of surrogates, or pass ",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_has_the_remedy_of_its_fault(name: str, tmp_path: Path) -> None:
    line, remedy = LINES[name]
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "a"}\n' + line + b'\n{"text": "c"}\n')
    assert hint_of(path) == remedy + SKIP
    assert texts(path, on_error="skip") == ["a", "c"]


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"content": "low", "n": 3}, "content"),
        ({"id": "7", "body": "low lower"}, "body"),
        ({"text": None, "title": "low"}, "title"),
        ({"a.b": "low"}, "a\\.b"),
        ({'my "text"': "low"}, 'my "text"'),
        ({"größe\t": "low"}, None),
        ({"a`b": "low"}, None),
    ],
)
def test_the_member_that_is_named_has_the_text(
    members: dict[str, Any], field: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(members) + "\n")
    hint = hint_of(path)
    if field is None:
        assert hint.startswith("pass `field=...` to read that member")
    else:
        assert settings_of(hint)[0] == {"field": field}
        strings = [value for value in members.values() if isinstance(value, str)]
        assert texts(path, field=field) == [max(strings, key=len)]


@needs_jq
@pytest.mark.parametrize("name", ["a.json", "it's a.json.gz"])
def test_values_on_several_lines_are_written_on_one(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    data = "\n".join(json.dumps({"text": text}, indent=2) for text in ("low", "lower")).encode()
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    hint = hint_of(path)
    assert hint.startswith("write each value on one line, to a file whose name ends with .jsonl: ")
    run_command(hint, tmp_path / "new.jsonl")
    assert texts(tmp_path / "new.jsonl") == ["low", "lower"]


@pytest.mark.parametrize(
    "data", [b'{"text": "a"\n', b'{"text": "a"\n\n', b'{"text": "a"\n{"text": "b"}\n']
)
def test_a_truncated_first_line_is_no_value_on_several_lines(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    assert hint_of(path) == LINES["truncated"][1] + SKIP


@pytest.mark.parametrize("data", ["low lower\nnewest\n", '"low"\n[3]\n'])
def test_a_text_file_is_read_without_field(data: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(data)
    assert hint_of(path, field="content") == "leave out `field` to read lines of text"
    assert texts(path) == data.splitlines()


FRENCH = "L'élève a été reçu à l'école où il étudie déjà depuis l'été.\n" * 20


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl"])
def test_invalid_bytes_name_the_encoding(name: str, tmp_path: Path) -> None:
    lines = FRENCH.splitlines()
    path = tmp_path / name
    rows = [json.dumps({"text": line}, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(rows if name == "a.jsonl" else lines), encoding="cp1252")
    hint = hint_of(path)
    encoding, replaced, skipped = settings_of(hint)
    assert encoding == {"encoding": "auto"}
    assert "cp1252 here" in hint
    assert texts(path, **encoding) == lines
    assert texts(path, **replaced)[0].startswith("L'\ufffdl\ufffdve")
    assert texts(path, **skipped) == []


def test_a_damaged_byte_of_utf_8_names_no_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("L'été\n".encode() * 50 + b"low\xff\n")
    hint = hint_of(path)
    assert settings_of(hint) == [{"errors": "replace"}, {"on_error": "skip"}]
    assert texts(path, errors="replace")[-1] == "low\ufffd"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_an_encoding_without_its_mark_is_our_error(
    encoding: str, on_error: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("low\nlower".encode(f"{encoding}-le"))
    with pytest.raises(errors.InvalidUtf8Error, match="no byte order mark at the start") as caught:
        texts(path, encoding=encoding, on_error=on_error)
    assert (caught.value.line, caught.value.byte) == (1, 0)
    first, _ = settings_of(str(caught.value.hint))
    assert texts(path, **first) == ["low", "lower"]


def test_bytes_invalid_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"low\n\xe9\n")
    hint = hint_of(path, encoding="ascii")
    assert hint.startswith("pass another `encoding=...`, ")
    assert texts(path, encoding="ascii", on_error="skip") == ["low"]


def table(path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_a_missing_column_names_those_of_strings(tmp_path: Path) -> None:
    path = table(tmp_path / "a.parquet", n=[1, 2], **{"my.text": ["low", "lower"]})
    assert settings_of(hint_of(path)) == [{"field": "my\\.text"}]
    assert texts(path, **settings_of(hint_of(path))[0]) == ["low", "lower"]
    assert settings_of(hint_of(path, field="n")) == [{"field": "my\\.text"}]
    path = table(tmp_path / "a.parquet", title=["a"], content=["low"])
    assert hint_of(path) == "pass `field=...`, one of the columns of strings: title, content"
    path = table(tmp_path / "a.parquet", n=[1])
    with pytest.raises(errors.ConfigError) as caught:
        texts(path)
    assert caught.value.hint is None


def test_a_skipped_row_is_called_a_row(tmp_path: Path) -> None:
    path = table(tmp_path / "a.parquet", text=["low", None])
    assert hint_of(path) == 'pass `on_error="skip"` to skip such rows'
    reading = ReadOptions(on_error="skip")
    [source] = sources_of(path, reading)
    [batch] = read(source, reading)
    assert str(batch.skipped[0]) == f"{path}: row 2: 'text' is null; expected a string"


@pytest.mark.parametrize("suffix", [".gz", ".parquet", ".arrow"])
def test_the_name_of_a_format_makes_it_readable(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    if suffix == ".gz":
        path.write_bytes(gzip.compress(b"low\nlower\n"))
    elif suffix == ".parquet":
        table(path, text=["low", "lower"])
    else:
        rows = pa.table({"text": ["low", "lower"]})
        with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, rows.schema) as file:
            file.write_table(rows)
    assert hint_of(path).startswith(f"give it a name that ends with {suffix}")
    assert texts(path.rename(tmp_path / f"b{suffix}")) == ["low", "lower"]


def test_other_compressed_files_are_decompressed(tmp_path: Path) -> None:
    path = tmp_path / "a b.txt"
    path.write_bytes(bz2.compress(b"low\n"))
    hint = hint_of(path)
    assert hint == f"decompress it first: bzip2 -dc '{path}'"
    if shutil.which("bzip2"):
        run_command(hint, tmp_path / "new.txt")
        assert texts(tmp_path / "new.txt") == ["low"]


def test_json_lines_under_another_name_are_read_by_field(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text('{"id": "3", "content": "low lower"}\n' * 9)
    assert settings_of(hint_of(path)) == [{"field": "content"}]
    assert texts(path, field="content") == ["low lower"] * 9


@needs_jq
@pytest.mark.parametrize("name", ["a.txt", "a.json"])
def test_an_array_of_objects_is_written_as_lines(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(json.dumps([{"text": "low"}, {"text": "lower"}], indent=1))
    run_command(hint_of(path), tmp_path / "new.jsonl")
    assert texts(tmp_path / "new.jsonl") == ["low", "lower"]


@needs_jq
@pytest.mark.parametrize(
    ("line", "expected"), [('"low"', ["low"] * 9), ('["low", "lower"]', ["low", "lower"] * 9)]
)
def test_strings_are_written_as_objects(line: str, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{line}\n" * 9)
    run_command(hint_of(path), tmp_path / "new.jsonl")
    assert texts(tmp_path / "new.jsonl") == expected


@pytest.mark.parametrize("name", ["UTF-8", "utf8", "UTF8", "U8", "utf_8"])
def test_utf_8_has_one_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("low\n" * 100)
    corpus = Corpus(path, encoding=name)
    assert corpus == Corpus(path)
    assert len(split(corpus._sources[0], 40, corpus._reading)) == 10


def test_the_options_of_a_plan_are_unchanged() -> None:
    """Plans of unfinished runs hash these."""
    expected = {
        "field": None,
        "keep": [],
        "per": "line",
        "encoding": None,
        "errors": "strict",
        "on_error": "raise",
        "keep_line_ends": False,
    }
    assert json.dumps(ReadOptions().to_json()) == json.dumps(expected)


def test_documents_have_the_numbers_of_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n\n{"text": 3}\n{"text": "b"}\n')
    reading = ReadOptions(on_error="skip")
    [source] = sources_of(path, reading)
    [batch] = read(source, reading)
    assert batch.lines is not None
    assert batch.lines.tolist() == [0, 3]
