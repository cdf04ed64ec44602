"""Files that are not text and are not named by their format: the error names their type and a remedy."""

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import shlex
import sqlite3
import tarfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet as pq
import pytest

import piecework as pw
from piecework._io.kinds import check_text

TEXT = "low lower lowest\nnewer newest\n" * 20
OBJECTS = "".join(json.dumps({"text": line, "id": 3}) + "\n" for line in TEXT.splitlines())
TRAINER = pw.BpeTrainer(60)
TOKENIZER = pw.train([TEXT], TRAINER)


def parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"text": TEXT.splitlines()}), out)
    return out.getvalue()


def arrow(*, stream: bool) -> bytes:
    out, table = io.BytesIO(), pa.table({"text": TEXT.splitlines()})
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(out, table.schema) as file:
        file.write_table(table)
    return out.getvalue()


def orc(compression: str) -> bytes:
    out = io.BytesIO()
    pyarrow.orc.write_table(pa.table({"text": TEXT.splitlines()}), out, compression=compression)
    return out.getvalue()


def array() -> bytes:
    out = io.BytesIO()
    np.save(out, np.array(TEXT.splitlines()))
    return out.getvalue()


def tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        file.addfile(tarfile.TarInfo("a.txt"), io.BytesIO())
    return out.getvalue()


def database() -> bytes:
    with sqlite3.connect(":memory:") as base:
        base.execute("create table texts (text)")
        return base.serialize()


def archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.txt", TEXT)
    return out.getvalue()


GZIP = "give it a name that ends with .gz, or decompress it first: gzip -dc {}"
ZSTD = "give it a name that ends with .zst, or decompress it first: zstd -dc {}"
PARQUET = "give it a name that ends with .parquet to read its column of texts"
ARROW = "give it a name that ends with .arrow to read its column of texts"
FIELD = 'pass `field="text"`, the member with the text'

KINDS: dict[str, tuple[bytes, str, str]] = {
    "packed": (gzip.compress(TEXT.encode()), "gzip-compressed data", GZIP),
    "t.bz2": (bz2.compress(TEXT.encode()), "bzip2-compressed data", "bzip2 -dc {}"),
    "t.xz": (lzma.compress(TEXT.encode()), "xz-compressed data", "xz -dc {}"),
    "t.zip": (archive(), "a ZIP archive", "unzip -p {}"),
    "t.zs": (pa.compress(TEXT.encode(), "zstd", asbytes=True), "Zstandard-compressed", ZSTD),
    "t.jsonl.zs": (pa.compress(OBJECTS.encode(), "zstd", asbytes=True), "Zstandard", ZSTD),
    "t.table": (parquet(), "a Parquet file", PARQUET),
    "t.txt": (gzip.compress(TEXT.encode()), "gzip-compressed data", GZIP),
    "no suffix": (parquet(), "a Parquet file", PARQUET),
    "file.table": (arrow(stream=False), "an Arrow file", ARROW),
    "stream.table": (arrow(stream=True), "an Arrow file", ARROW),
    "t.objects": (OBJECTS.encode(), "JSON lines", FIELD),
    "objects.txt": (OBJECTS.encode(), "JSON lines", FIELD),
    "t.array": (
        json.dumps([{"text": "low"}, {"text": "lower"}]).encode(),
        "a JSON array of objects",
        "to a file whose name ends with .jsonl: jq -c '.[]' {}",
    ),
    "t.lzma": (lzma.compress(b"low", lzma.FORMAT_ALONE), "LZMA", "xz --format=lzma -dc {}"),
    "t.lz4": (pa.compress(TEXT.encode(), "lz4", asbytes=True), "LZ4-compressed", "lz4 -dc {}"),
    "t.sz": (b"\xff\x06\0\0sNaPpY\0\x05\0\0low", "Snappy-compressed", "snzip -dc {}"),
    "t.7z": (b"7z\xbc\xaf\x27\x1c\0\x04", "a 7z archive", "7z x -so {}"),
    "t.tar": (tar(), "a tar archive", "tar -xOf {}"),
    "t.sqlite": (database(), "an SQLite database", "sqlite3 {} 'select text from TABLE'"),
    "t.pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document", "pdftotext {} -"),
    "t.mark": (b"\xef\xbb\xbf" + OBJECTS.encode(), "JSON lines", FIELD),
}

PYTHON_KINDS = {
    "feather.table": (b"FEA1" + b"\0" * 8, "a Feather file", "pyarrow"),
    "t.orc": (orc("zlib"), "an ORC file", "pyarrow.orc"),
    "plain.orc": (orc("uncompressed"), "an ORC file", "pyarrow.orc"),
    "t.avro": (b"Obj\x01\x04\x16avro.schema", "an Avro file", "fastavro"),
    "t.npy": (array(), "a NumPy array", "numpy.load"),
    **{
        f"{version}.pkl": (pickle.dumps(TEXT, version), "a Python pickle", "pickle.load")
        for version in range(2, 6)
    },
    "t.png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image", "pass a text file"),
}

READERS: dict[str, Callable[[Path], object]] = {
    "train": lambda path: pw.train(pw.Corpus(path), TRAINER),
    "train, several": lambda path: pw.train(pw.Corpus([path, path]), TRAINER),
    "train, replace": lambda path: pw.train(pw.Corpus(path, errors="replace"), TRAINER),
    "train, latin-1": lambda path: pw.train(pw.Corpus(path, encoding="latin-1"), TRAINER),
    "train, auto": lambda path: pw.train(pw.Corpus(path, encoding="auto"), TRAINER),
    "count": lambda path: pw.WordCounts.from_texts(pw.Corpus(path)),
    "count, replace": lambda path: pw.WordCounts.from_texts(pw.Corpus(path, errors="replace")),
    "encode": lambda path: TOKENIZER.encode_batch(pw.Corpus(path, per="file")),
    "encode, replace": lambda path: TOKENIZER.encode_batch(pw.Corpus(path, errors="replace")),
}


READS_TWICE = {"train, several", "train, auto"}


# In Latin-1, the bytes of the mark of UTF-8 are text.
PAIRS = [(n, r) for n in KINDS for r in READERS if (n, r) != ("t.mark", "train, latin-1")]


@pytest.mark.parametrize(("name", "reader"), PAIRS)
def test_error_names_the_file_type_and_a_remedy(name: str, reader: str, tmp_path: Path) -> None:
    data, kind, suggestion = KINDS[name]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(pw.errors.FormatError) as caught:
        READERS[reader](path)
    message = str(caught.value)
    assert message.startswith(f"{path}: this is {kind}")
    quoted = f"'{path}'" if " " in name else str(path)
    assert message.endswith(suggestion.format(quoted))
    assert len(message) <= 1000


@pytest.mark.parametrize("name", PYTHON_KINDS)
def test_error_names_the_file_type_and_a_module(name: str, tmp_path: Path) -> None:
    data, kind, remedy = PYTHON_KINDS[name]
    path = tmp_path / name
    path.write_bytes(data)
    for read in READERS.values():
        with pytest.raises(pw.errors.FormatError) as caught:
            read(path)
        message = str(caught.value)
        assert message.startswith(f"{path}: this is {kind}, not text; ")
        assert remedy in message
        assert " | " not in message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
@pytest.mark.parametrize("reader", [name for name in READERS if name not in READS_TWICE])
def test_compressed_pipe_raises(reader: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(KINDS["packed"][0],))
    writer.start()
    try:
        with pytest.raises(pw.errors.FormatError, match="gzip-compressed") as caught:
            READERS[reader](pipe)
        assert str(caught.value).endswith("; decompress it first: gzip -dc FILE")
    finally:
        writer.join(30)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.txt", "{}\n"),
        ("t.txt", '{"text": "low"}\n'),
        ("t.txt", "low\n" + OBJECTS),
        ("t.txt", '{"text": "low"}\nlower\n'),
        ("t.txt", '"Low," he said.\n' * 20),
        ("t.txt", '"low"\n' * 7 + "lower\n"),
        ("t.txt", '"low"\n' * 7),
        ("t.txt", "[1, 2]\n[3]\n" * 8),
        ("t.txt", "[]\n" * 20),
        ("t.txt", "[low] lower\n" * 20),
        ("t.txt", '[\n  {"text": "low"},\n  lower\n'),
        ("t.txt", '[{"text": "low"}]\nlower\n'),
        ("t.txt", '[{"text": 1}, {"text": 2}]\n'),
        ("t.txt", '[{"text": "low"}\n'),
        ("t.txt", "ORC\nFEA1\n"),
        ("t.txt", "FEA1 and ORC\n"),
        ("t.lines", "low lower\n" + OBJECTS),
        ("t.lines", "{ and more }\n"),
        ("t.lines", '"a text" and more\n["b"]\n'),
        ("t.lines", '"a text"\nand more\n["b"]\n'),
        ("t.lines", '["a"] = ["b"]\n'),
        ("t.lines", "1\n2\nnull\n"),
        ("t.txt", '["a"]\n["b"]\n'),
        ("t.lines", "{" * 5000 + "\n"),
        ("t.lines", ""),
        ("t.table", "PAR1 is how such a file begins\n"),
        ("packed", "not packed\n"),
        ("t.txt", "PAR1"),
        ("t.txt", "PAR1\nBZh9 and PK\n"),
        ("t.txt", "BZh91A\n"),
        ("t.txt", "PK\n"),
    ],
)
def test_text_files_are_read(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    counts = pw.WordCounts.from_texts(pw.Corpus(path), normalizer=None, pre_tokenizer=None)
    assert list(counts) == list(dict.fromkeys(text.splitlines()))
    assert TOKENIZER.encode_batch(pw.Corpus(path)).to_list() is not None


def test_suggested_parquet_column_can_be_trained_on(tmp_path: Path) -> None:
    """The error for Parquet files suggests a name with which they are read."""
    path = tmp_path / "t.parquet"
    path.write_bytes(KINDS["t.table"][0])
    assert pw.train(pw.Corpus(path), TRAINER) == pw.train(TEXT.splitlines(), TRAINER)


@pytest.mark.parametrize(
    ("name", "data", "command"),
    [
        ("it's a.parquet", parquet(), "duckdb -noheader -list -c "),
        ("contents.jsonl", b'{"id": "3", "content": "low lower"}\n', "jq -r .content "),
        ("odd.jsonl", b'{"my text": "low lower"}\n', "jq -r .text "),
        ("empty line.jsonl", b'\n\r\n{"text": "low lower"}\n', "jq -r .text "),
        ("mark.jsonl", b'\xef\xbb\xbf\n{"text": "low lower"}\n', "jq -r .text "),
        ("header.jsonl", b'["id", "content"]\n{"content": "low lower"}\n', "jq -r .content "),
        ("strings.jsonl", b'"low"\n"lower"\n', "jq -r . "),
        ("lists.jsonl", b'["low", "lower"]\n["newest"]\n', "jq -r '.[]' "),
    ],
)
def test_suggested_command_runs_in_a_shell(
    tmp_path: Path, name: str, data: bytes, command: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(pw.errors.FormatError) as error:
        check_text(path, "train - -o tokenizer.json")
    # The hint keeps the parts that the message may cut.
    suggestion = str(error.value.hint).split(" | ")[0]
    suggestion = suggestion[suggestion.index(command) :]
    words = shlex.split(suggestion)
    assert shlex.join(words) == suggestion
    quoted = str(path).replace("'", "''")
    assert words[-1] == (f"select text from '{quoted}'" if "duckdb" in command else str(path))


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ('[{"text": "low"}]', "jq -c '.[]' {}"),
        ('[\n  {"text": "low"},\n  {"text": "lower"}\n]\n', "jq -c '.[]' {}"),
        (json.dumps([{"id": "1", "content": "low lower"}] * 9, indent=2), "jq -c '.[]' {}"),
        (json.dumps([{"text": "low " * 999}] * 99, indent=2), "jq -c '.[]' {}"),
        ('\n \n[\n{"text": "low"}\n,{"text": "lower"}\n]\n\n', "jq -c '.[]' {}"),
        ('"low"\n' * 8, "jq -c '{{text: .}}' {}"),
        ('["low", "lower"]\n' * 8, "jq -c '.[] | {{text: .}}' {}"),
        ('{"text": "low", "id": 1}\n\n{"text": "lower"}', FIELD),
        ('{"body": "low", "id": 1}\n\n{"body": "lower"}', FIELD.replace('"text"', '"body"')),
    ],
)
def test_texts_in_json_are_recognized_without_a_suffix(
    text: str, remedy: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.txt"
    path.write_text(text)
    with pytest.raises(pw.errors.FormatError) as caught:
        pw.train(pw.Corpus(path), TRAINER)
    assert str(caught.value).endswith(remedy.format(path))
