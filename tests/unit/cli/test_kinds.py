"""Files and standard input that are not text: the error names the kind, and the command to pass them through."""

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
    "encode": ("encode {tok} {bad}", "encode {tok} -"),
    "count": ("count {tok} {bad}", "count {tok} -"),
    "decode": ("decode {tok} {bad}", "decode {tok} -"),
    "train": ("train {bad} -o new.json --vocab-size 50", "train - -o tokenizer.json"),
    "count-words": ("count-words {bad}", "count-words -"),
    "counts": (
        "train --counts {bad} -o new.json --vocab-size 50",
        "train --counts - -o tokenizer.json",
    ),
    "symbols": (
        "train {text} -o new.json --vocab-size 50 --user-defined-symbols-file {bad}",
        "train FILE -o tokenizer.json --user-defined-symbols-file -",
    ),
    "dictionary": ("train {text} -o new.json --vocab-size 50 --dictionary {bad}", ""),
    "jieba": (
        "train {text} -o new.json --vocab-size 50 --pre-tokenizer jieba --no-handle-chinese-chars "
        "--jieba-dictionary {bad}",
        "",
    ),
}
FROM_STANDARD_INPUT = {
    "explain": ("explain {tok}", "explain {tok}"),
    "compare": ("compare -t {tok} -t {tok}", "compare -t {tok} -t {tok}"),
    **{name: made for name, made in READERS.items() if name not in ("dictionary", "jieba")},
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["gzip", "Parquet"])
def test_files(name: str, kind: str, run: Run, tok_file: Path, text_file: Path) -> None:
    bad = tok_file.with_name("it is bad")
    bad.write_bytes(PACKED if kind == "gzip" else TABLE)
    command, then = READERS[name]
    words = [word.format(tok=tok_file, text=text_file, bad=bad) for word in command.split()]
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    reason = "gzip-compressed data, not text; decompress it first: gzip -dc"
    if kind == "gzip":
        piped = f" | piecework {then.format(tok=tok_file)}" if then else ""
        assert ended.err == f"error: {bad}: this is {reason} '{bad}'{piped}\n"
    else:
        assert ended.err.startswith(f"error: {bad}: this is a Parquet file, not text; extract ")
        assert ("in Python" in ended.err) == then.startswith("train")


@pytest.mark.parametrize("name", FROM_STANDARD_INPUT)
def test_standard_input(name: str, run: Run, tok_file: Path, text_file: Path) -> None:
    command, then = FROM_STANDARD_INPUT[name]
    words = [word.format(tok=tok_file, text=text_file, bad="-") for word in command.split()]
    ended = run(*words, stdin=PACKED)
    assert (ended.code, ended.out) == (2, "")
    reason = "this is gzip-compressed data, not text; decompress it first: gzip -dc FILE"
    piped = f" | piecework {then.format(tok=tok_file)}"
    assert ended.err == f"error: standard input: {reason}{piped}\n"


LEARNERS = {
    "train": ("train - -o new.json --vocab-size 80", "train - -o tokenizer.json"),
    "train, bpe": ("train - -o new.json --vocab-size 80 --model bpe", "train - -o tokenizer.json"),
    "count-words": ("count-words -", "count-words -"),
    "latin-1": ("count-words - --encoding latin-1", "count-words -"),
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
@pytest.mark.parametrize("learner", LEARNERS)
def test_array_of_objects(learner: str, name: str, source: str, run: Run, tmp_path: Path) -> None:
    (command, then), file = LEARNERS[learner], tmp_path / "no suffix"
    file.write_text(ARRAYS[name])
    words = [str(tmp_path / word) if word == "new.json" else word for word in command.split()]
    is_named = source == "named"
    words = [str(file) if word == "-" and is_named else word for word in words]
    ended = run(*words, stdin=None if is_named else ARRAYS[name])
    given = f"'{file}'" if is_named else "FILE"
    way_out = f"jq -r '.[].text' {given} | piecework {then}"
    place = file if is_named else "standard input"
    reason = "this is a JSON array of objects, not text; extract the texts first"
    assert ended == (2, "", f"error: {place}: {reason}: {way_out}\n")


@pytest.mark.parametrize("name", READERS)
def test_json_lines_in_a_file_without_suffix(
    name: str, run: Run, tok_file: Path, text_file: Path
) -> None:
    command, then = READERS[name]
    if name in {"counts", "decode"}:
        return
    bad = tok_file.with_name("bad")
    bad.write_text(OBJECTS)
    words = [word.format(tok=tok_file, text=text_file, bad=bad) for word in command.split()]
    ended = run(*words)
    piped = f" | piecework {then.format(tok=tok_file)}" if then else ""
    way_out = f"extract the texts first: jq -r .text {bad}{piped}"
    assert ended == (2, "", f"error: {bad}: this is JSON lines, not text; {way_out}\n")


@pytest.mark.parametrize("name", JSON_LINES)
@pytest.mark.parametrize("learner", LEARNERS)
def test_json_lines_on_standard_input(
    learner: str, name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (command, then), (text, member) = LEARNERS[learner], JSON_LINES[name]
    ended = run(*command.split(), stdin=text)
    reason = "this is JSON lines, not text; extract the texts first"
    way_out = f"jq -r .{member} FILE | piecework {then}"
    assert ended == (2, "", f"error: standard input: {reason}: {way_out}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_text_on_standard_input(name: str, encoding: str, run: Run) -> None:
    command = ["count-words", "-", "--pre-tokenizer", "none", "--normalizer", "none"]
    ended = run(*command, "--encoding", encoding, stdin=TEXTS[name])
    assert ended.err == ""
    counted = pw.WordCounts.from_bytes(ended.out.encode())
    assert list(counted) == list(dict.fromkeys(filter(None, TEXTS[name].splitlines())))


def test_json_lines_are_text_for_whoever_does_not_learn(run: Run, tok_file: Path) -> None:
    """Counting or explaining the tokens of objects is a sensible wish, and a file can be called anything."""
    for command in ("encode {}", "count {}", "explain {}", "compare -t {}"):
        assert run(*command.format(tok_file).split(), stdin=OBJECTS).code == 0
    ended = run("encode", tok_file, "--json", stdin="the cat\n" * 9)
    assert run("decode", tok_file, stdin=ended.out).out == "the cat\n" * 9


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
@pytest.mark.parametrize("read", [pw.WordCounts.from_files, None])
def test_json_lines_in_a_pipe(read: Callable[..., object] | None, tmp_path: Path, run: Run) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(OBJECTS,))
    writer.start()
    way_out = "extract the texts first: jq -r .text FILE | piecework count-words -"
    try:
        if read:
            with pytest.raises(pw.errors.FormatError) as caught:
                read(pipe)
            assert str(caught.value) == f"{pipe}: this is JSON lines, not text; {way_out}"
        else:
            ended = run("count-words", pipe)
            assert ended.err == f"error: {pipe}: this is JSON lines, not text; {way_out}\n"
    finally:
        writer.join(30)
