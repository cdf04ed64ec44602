"""Files and standard input that are not text: the error names the kind, and what to do."""

import gzip
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw

Run = Callable[..., Any]

PACKED = gzip.compress(b"the cat sat\n" * 10)
TABLE = b"PAR1\x15\x04\x15\x10 and more"
OBJECTS = "".join(json.dumps({"id": str(n), "text": f"the cat {n}"}) + "\n" for n in range(20))

READERS = {
    "encode": "encode {tok} {bad}",
    "normalize": "normalize {tok} {bad}",
    "count": "count {tok} {bad}",
    "decode": "decode {tok} {bad}",
    "train": "train {bad} -o new.json --vocab-size 50",
    "count-words": "count-words {bad}",
    "symbols": "train {text} -o new.json --vocab-size 50 --user-defined-symbols-file {bad}",
    "dictionary": "train {text} -o new.json --vocab-size 50 --dictionary {bad}",
    "jieba": "train {text} -o new.json --vocab-size 50 --pre-tokenizer jieba --no-handle-chinese-chars "
    "--jieba-dictionary {bad}",
}
DOCUMENTS = {"encode", "normalize", "count", "train", "count-words"}
"""The readers of documents, whose formats are known by the names of their files."""
FROM_STANDARD_INPUT = {
    "explain": "explain {tok}",
    "compare": "compare -t {tok} -t {tok}",
    "latin-1": "encode {tok} --encoding latin-1",
    "replace": "encode {tok} --errors replace",
    **{name: made for name, made in READERS.items() if name not in ("dictionary", "jieba")},
}
COUNTS = "train --counts {bad} -o new.json --vocab-size 50"
"""The command that reads word counts, whose error names the command that reads them from standard input."""


@pytest.mark.parametrize("name", [*READERS, "counts"])
@pytest.mark.parametrize("kind", ["gzip", "Parquet"])
def test_files(name: str, kind: str, run: Run, tok_file: Path, text_file: Path) -> None:
    bad = tok_file.with_name("it is bad")
    bad.write_bytes(PACKED if kind == "gzip" else TABLE)
    command = READERS.get(name, COUNTS)
    words = [word.format(tok=tok_file, text=text_file, bad=bad) for word in command.split()]
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    reason = "gzip-compressed data, not text; decompress it first: gzip -dc"
    if kind == "gzip":
        piped = " | piecework train --counts - -o tokenizer.json" if name == "counts" else ""
        if name in DOCUMENTS:
            reason = reason.replace(
                "decompress", "give it a name that ends with .gz, or decompress"
            )
        assert ended.err == f"error: {bad}: this is {reason} '{bad}'{piped}\n"
    else:
        remedy = "give it a name that ends with .parquet " if name in DOCUMENTS else "extract "
        assert ended.err.startswith(f"error: {bad}: this is a Parquet file, not text; {remedy}")


@pytest.mark.parametrize("name", FROM_STANDARD_INPUT)
def test_standard_input(name: str, run: Run, tok_file: Path, text_file: Path) -> None:
    command = FROM_STANDARD_INPUT[name]
    words = [word.format(tok=tok_file, text=text_file, bad="-") for word in command.split()]
    ended = run(*words, stdin=PACKED)
    reason = "this is gzip-compressed data, not text; decompress it first: gzip -dc FILE"
    assert ended == (2, "", f"error: standard input: {reason}\n")


READING = {
    "train": "train - -o new.json --vocab-size 80",
    "train, bpe": "train - -o new.json --vocab-size 80 --model bpe",
    "count-words": "count-words -",
    "latin-1": "count-words - --encoding latin-1",
    "encode": "encode {tok} -",
    "count": "count {tok} -",
    "normalize": "normalize {tok} -",
    "evaluate": "evaluate {tok} -",
}
JSON_LINES = {
    "many": (OBJECTS, "text"),
    "two": ("".join(OBJECTS.splitlines(keepends=True)[:2]), "text"),
    "empty lines": ("\n\r\n" + OBJECTS.replace("\n", "\n\n"), "text"),
    "no last line end": (OBJECTS.rstrip("\n"), "text"),
    "another name": (OBJECTS.replace('"text"', '"content"'), "content"),
    "other members": ('{"a": "x", "b": "low", "c": 1}\n{"b": "lower"}\n', "b"),
    "then text": (OBJECTS + "the cat\n", "text"),
    "strings": ('"the cat"\n' * 8 + "the cat\n", ""),
}
ARRAYS = {
    "one line": json.dumps([{"text": "the cat"}, {"text": "sat"}]),
    "lines": json.dumps([{"text": "the cat", "id": n} for n in range(20)], indent=1) + "\n",
}
TEXTS = {
    "one object": '{"text": "the cat"}\n',
    "objects and text": '{"text": "the cat"}\nthe cat\n' + OBJECTS,
    "no strings": '{"a": 1}\n{"a": 2}\n{"a": 3}\n',
    "no common name": '{"a": "x"}\n{"b": "x"}\n',
    "code": '{"a": "x",\n "b": "x"}\n',
    "braces": "{}\n{}\n{\n}\n",
    "a set": "{'a': 'b'}\n{'a': 'b'}\n",
    "arrays": '["a"]\n["b"]\n',
    "strings": '"a"\n"b"\n',
    "late": "the cat\n" + OBJECTS,
    "nested": "{" * 5000 + "\n" + "{" * 5000 + "\n",
    "nothing": "",
}


@pytest.mark.parametrize("source", ["stdin", "named"])
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("verb", READING)
def test_array_of_objects(
    *, verb: str, name: str, source: str, run: Run, tok_file: Path, tmp_path: Path
) -> None:
    file, is_named = tmp_path / "no suffix", source == "named"
    file.write_text(ARRAYS[name])
    words = [word.format(tok=tok_file) for word in READING[verb].split()]
    words = [str(tmp_path / word) if word == "new.json" else word for word in words]
    words = [str(file) if word == "-" and is_named else word for word in words]
    ended = run(*words, stdin="" if is_named else ARRAYS[name])
    given = f"'{file}'" if is_named else "FILE"
    place = file if is_named else "standard input"
    reason = "this is a JSON array of objects, not text; write its objects on a line each"
    way_out = f"to a file whose name ends with .jsonl: jq -c '.[]' {given}"
    assert ended == (2, "", f"error: {place}: {reason}, {way_out}\n")


@pytest.mark.parametrize("name", READERS)
def test_json_lines_in_a_file_without_suffix(
    name: str, run: Run, tok_file: Path, text_file: Path
) -> None:
    if name == "decode":
        return
    bad = tok_file.with_name("bad")
    bad.write_text(OBJECTS)
    words = [word.format(tok=tok_file, text=text_file, bad=bad) for word in READERS[name].split()]
    ended = run(*words)
    way_out = "pass --field text, the member with the text"
    if name in {"symbols", "dictionary", "jieba"}:
        way_out = f"extract the texts first: jq -r .text {bad}"
    assert ended == (2, "", f"error: {bad}: this is JSON lines, not text; {way_out}\n")


@pytest.mark.parametrize("name", JSON_LINES)
@pytest.mark.parametrize("verb", READING)
def test_json_lines_on_standard_input(
    *,
    verb: str,
    name: str,
    run: Run,
    tok_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    text, member = JSON_LINES[name]
    ended = run(*(word.format(tok=tok_file) for word in READING[verb].split()), stdin=text)
    way_out = f"pass --field {member}, the member with the text"
    if not member:
        way_out = "write each string as an object, to a file whose name ends with .jsonl: jq -c '{text: .}' FILE"
    reason = f"this is JSON lines, not text; {way_out}"
    assert ended == (2, "", f"error: standard input: {reason}\n")
    assert list(tmp_path.iterdir()) == [tok_file]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_text_on_standard_input(name: str, encoding: str, run: Run) -> None:
    command = ["count-words", "-", "--pre-tokenizer", "none", "--normalizer", "none"]
    ended = run(*command, "--encoding", encoding, stdin=TEXTS[name])
    assert ended.err == ""
    counted = pw.WordCounts.from_bytes(ended.out.encode())
    assert list(counted) == list(dict.fromkeys(filter(None, TEXTS[name].splitlines())))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_json_lines_in_a_pipe(tmp_path: Path, run: Run) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(OBJECTS,))
    writer.start()
    try:
        ended = run("count-words", pipe)
    finally:
        writer.join(30)
    way_out = "pass --field text, the member with the text"
    assert ended.err == f"error: {pipe}: this is JSON lines, not text; {way_out}\n"
