"""Documents of text and JSON lines: columns, positions, ranges and bounded batches."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import piecework as pw
from piecework import errors
from piecework._io.document_batch import Documents, Range, ReadOptions
from piecework._io.documents import read, split
from piecework._io.sources import Source, find_sources


def source_of(path: Path, data: bytes) -> Source:
    """Writes a file and returns its description."""
    path.write_bytes(data)
    return find_sources(path)[0]


def texts(batches: list[Documents]) -> list[str]:
    """Returns the texts of all batches."""
    return [text for batch in batches for text in pa.array(batch.texts).to_pylist()]


def positions(batches: list[Documents]) -> list[int]:
    return [position for batch in batches for position in batch.positions.tolist()]


def kept(batches: list[Documents], name: str) -> list[Any]:
    return [value for batch in batches for value in pa.array(batch.kept[name]).to_pylist()]


def test_lines_of_text_are_documents(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.txt", b"one\r\ntwo\n\n\xef\xbb\xbfthr\ree\0")
    [batch] = read(source)
    assert texts([batch]) == ["one", "two", "", "\ufeffthr\ree\0"]
    assert batch.positions.tolist() == [0, 5, 9, 10]
    assert (len(batch), batch.text_bytes, batch.bytes_read, batch.skipped) == (4, 16, 20, [])


def test_a_whole_file_is_a_document(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.txt", b"one\r\ntwo\n")
    options = ReadOptions(per="file")
    assert texts(list(read(source, options, batch_bytes=3))) == ["one\r\ntwo\n"]
    assert split(source, 1, options) == [Range(0, None)]


def test_members_of_json_lines(tmp_path: Path) -> None:
    lines = [
        {"text": 'é"\\\n\u0000😀', "id": 1, "meta": {"lang": "en"}},
        {"id": "x", "meta": {"lang": None}, "text": "", "other": [{"text": 3}]},
        {"text": "b", "id": {"a": [1, 2]}},
        {"text": "c", "id": None, "meta": 3},
    ]
    data = "\n".join(map(json.dumps, lines)) + "\r\n \t\n\n"
    source = source_of(tmp_path / "a.jsonl", data.encode())
    [batch] = read(source, ReadOptions(keep=("id", "meta.lang")))
    assert texts([batch]) == [line["text"] for line in lines]
    assert kept([batch], "id") == ["1", "x", '{"a": [1, 2]}', None]
    assert kept([batch], "meta.lang") == ["en", None, None, None]
    starts = [0, *(at + 1 for at, byte in enumerate(data.encode()) if byte == 10)]
    assert batch.positions.tolist() == starts[:4]


def test_nested_members_and_names_with_points(tmp_path: Path) -> None:
    line = b'{"a": {"b": "nested"}, "a.b": "flat", "t\\u0065xt": "escaped"}'
    source = source_of(tmp_path / "a.jsonl", line)
    for field, text in {"a.b": "nested", r"a\.b": "flat", "text": "escaped"}.items():
        assert texts(list(read(source, ReadOptions(field=field)))) == [text]


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ranges_divide_a_source(tmp_path: Path, name: str, end: str) -> None:
    rows = ["", "é", "abc", "d" * 20, "e"]
    lines = rows if name == "a.txt" else [json.dumps({"text": row}) for row in rows]
    source = source_of(tmp_path / name, end.join(lines).encode())
    whole = list(read(source))
    assert texts(whole) == rows
    for part_bytes in range(1, 80):
        ranges = split(source, part_bytes)
        assert [ranges[0].start, ranges[-1].end] == [0, source.size]
        parts = [batch for part in ranges for batch in read(source, range=part)]
        assert (texts(parts), positions(parts)) == (rows, positions(whole))


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl"])
def test_batches_are_bounded(tmp_path: Path, name: str) -> None:
    rows = ["x" * length for length in [3, 40, 200, 0, 7, 1000, 2]]
    lines = rows if name == "a.txt" else [json.dumps({"text": row}) for row in rows]
    source = source_of(tmp_path / name, ("\n".join(lines) + "\n").encode())
    for batch_bytes in (1, 10, 64, 300, 5000):
        batches = list(read(source, batch_bytes=batch_bytes))
        assert texts(batches) == rows
        for batch in batches:
            longest = max(len(text) for text in texts([batch]))
            assert batch.text_bytes - (longest if longest > batch_bytes else 0) <= batch_bytes
        reads = [batch.bytes_read for batch in batches]
        assert reads == sorted(reads)


def test_texts_and_columns_enter_a_tokenizer(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.jsonl", b'{"text": "the cat"}\n{"text": "sat"}\n')
    tok = pw.train(["the cat sat"] * 3, pw.WordPieceTrainer(vocab_size=30))
    [batch] = read(source)
    expected = tok.encode_batch(["the cat", "sat"]).to_list()
    assert tok.encode_batch(batch.texts).to_list() == expected


def test_options_and_sources_travel_as_json(tmp_path: Path) -> None:
    options = ReadOptions(field="a", keep=("b",), on_error="skip")
    assert ReadOptions(**json.loads(json.dumps(options.to_json()))) == options
    source = source_of(tmp_path / "a.jsonl", b"")
    assert Source(**json.loads(json.dumps(source.to_json()))) == source
    assert list(read(source)) == []


@pytest.mark.parametrize(
    ("options", "setting"),
    [({"per": "word"}, "per"), ({"on_error": "x"}, "on_error"), ({"keep": "id"}, "keep")],
)
def test_unknown_options_are_errors(options: dict[str, Any], setting: str) -> None:
    with pytest.raises(errors.ConfigError) as caught:
        ReadOptions(**options)
    assert caught.value.setting == setting
