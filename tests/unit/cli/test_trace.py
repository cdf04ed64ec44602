"""`piecework trace`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

import piecework as pw
from piecework.cli.verbs.trace import ExampleName

Run = Callable[..., Any]
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def test_examples_are_those_of_the_module() -> None:
    assert list(get_args(ExampleName)) == list(pw.training.EXAMPLES)


@pytest.mark.parametrize("name", pw.training.EXAMPLES)
def test_examples(run: Run, name: str) -> None:
    trace = pw.trace(*pw.training.example(name))
    ended = run("trace", "--example", name)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == trace.to_text() + "\n"
    lines = run("trace", "--example", name, "--json").out.splitlines()
    assert [json.loads(line) for line in lines] == json.loads(json.dumps(list(trace.to_lines())))


def test_figures_of_the_notes(run: Run) -> None:
    out = run("trace", "--example", "note-001", "--format", "table").out
    rows = [line.split() for line in out.splitlines()[1:]]
    assert [(row[3], row[4]) for row in rows] == [
        *(("##gs", "0.05"), ("hu", "0.0277778"), ("hugs", "0.0666667")),
        *(("hug", "0.0666667"), ("pu", "0.047619"), ("bu", "0.25")),
    ]
    out = run("trace", "--example", "note-002").out
    for figure in ("28.0178", "42.6973", "26.7232", "11.1664", "16.2541", "13.4982"):
        assert f"score {figure}" in out
    assert "log-likelihood -198.5343" in out
    assert "log-likelihood -54.5224" in out


def test_traces_text_and_counts_alike(run: Run, text_file: Path, tmp_path: Path) -> None:
    counts = tmp_path / "counts"
    run("count-words", text_file, "-o", counts)
    options = ("--vocab-size", 50, "--top", 3, "--words", "all", "--json")
    texts = text_file.read_text(encoding="utf-8")
    made = [
        run("trace", text_file, *options),
        run("trace", *options, stdin=texts),
        run("trace", "--counts", counts, *options),
        run("trace", "--counts", "-", *options, stdin=counts.read_bytes()),
    ]
    assert {(ended.code, ended.err) for ended in made} == {(0, "")}
    assert len({ended.out for ended in made}) == 1
    trace = pw.trace(texts.splitlines(), pw.WordPieceTrainer(50), top=3, words=None)
    lines = [json.loads(line) for line in made[0].out.splitlines()]
    assert lines == json.loads(json.dumps(list(trace.to_lines())))
    tokenizer = pw.train(pw.Corpus(text_file), pw.WordPieceTrainer(50))
    assert [line["candidates"][0]["token"] for line in lines] == [
        merge.token for merge in tokenizer.history
    ]


@pytest.mark.parametrize(
    ("steps", "numbers"),
    [("2:4", [2, 3, 4]), (":2", [1, 2]), ("5:", [5, 6]), ("3", [3]), ("6:9", [6]), ("9:", [])],
)
def test_steps(run: Run, steps: str, numbers: list[int]) -> None:
    lines = run("trace", "--example", "note-001", "--steps", steps, "--json").out.splitlines()
    assert [json.loads(line)["step"] for line in lines] == numbers
    text = run("trace", "--example", "note-001", "--steps", steps).out
    assert [f"step {n}:" in text for n in range(1, 7)] == [n in numbers for n in range(1, 7)]
    table = run("trace", "--example", "note-001", "--steps", steps, "--format", "table").out
    assert len(table.splitlines()) == len(numbers) + 1


def test_criteria(run: Run) -> None:
    out = run("trace", "--example", "note-002", "--criteria", "all").out
    assert out.split()[:5] == ["step", "likelihood", "pmi", "sum", "frequency"]
    assert len(out.splitlines()) == 8
    some = run("trace", "--example", "note-002", "--criteria", "pmi,sum", "--json").out
    rows = [json.loads(line) for line in some.splitlines()]
    assert [row["criterion"] for row in rows] == ["pmi"] * 7 + ["sum"] * 7


def test_options_change_an_example(run: Run) -> None:
    options = ("--criterion", "frequency", "--max-merges", 2, "--top", 1)
    lines = run("trace", "--example", "note-001", *options, "--json").out.splitlines()
    tokens = [json.loads(line)["candidates"][0]["token"] for line in lines]
    assert tokens == ["##ug", "##un"]
    last = ("trace", "--example", "note-002", "--format", "json")
    for order, first in ((), "h"), (("--special-tokens-first",), "[PAD]"):
        assert json.loads(run(*last, *order).out)["initial_vocab"][0] == first
    assert run("trace", "--example", "note-003", "--model", "bpe").code == 0


@pytest.mark.parametrize("name", ["t.parquet", "t.ndjson", "t.json", "t.txt"])
def test_output_name_decides_the_format(run: Run, tmp_path: Path, name: str) -> None:
    target, expected = tmp_path / name, tmp_path / f"x{name}"
    ended = run("trace", "--example", "note-001", "-o", target)
    assert (ended.code, ended.out) == (0, "")
    assert "6 merges" in ended.err
    trace = pw.trace(*pw.training.example("note-001"))
    if name == "t.txt":
        assert target.read_text(encoding="utf-8") == trace.to_text() + "\n"
    else:
        trace.save(expected)
        assert target.read_bytes() == expected.read_bytes()


def test_whole_trace_as_json(run: Run) -> None:
    out = run("trace", "--example", "note-001", "--format", "json").out
    trace = pw.trace(*pw.training.example("note-001"))
    assert json.loads(out) == json.loads(json.dumps(trace.to_dict()))


def test_unigram(run: Run, text_file: Path) -> None:
    options = ("--model", "unigram", "--vocab-size", 20)
    text = run("trace", text_file, *options)
    assert text.code == 0, text.err
    assert text.out.startswith("Unigram: ")
    assert "most probable:" in text.out
    table = run("trace", text_file, *options, "--format", "table").out.splitlines()
    lines = run("trace", text_file, *options, "--json").out.splitlines()
    assert len(table) == len(lines) + 1
    assert {json.loads(line)["kind"] for line in lines} <= {"em", "pruning"}


EXAMPLE = ("trace", "--example", "note-001")
WRONG: dict[tuple[Any, ...], str] = {
    (*EXAMPLE, "text.txt"): "--example: cannot be combined with FILE",
    (*EXAMPLE, "--counts"): "--example: cannot be combined with --counts",
    (*EXAMPLE, "--no-lowercase"): "--example: cannot be combined with text options",
    (*EXAMPLE, "--field", "a"): "--example: cannot be combined with reading options",
    (*EXAMPLE, "--encoding", "auto"): "--example: cannot be combined with reading options",
    (*EXAMPLE, "--max-memory", "1MB"): "--example: cannot be combined with --max-memory",
    (*EXAMPLE, "--em-steps", 2): "--em-steps: has no effect with --example note-001",
    (*EXAMPLE, "--steps", "0:3"): "--steps: expected numbers from 1",
    (*EXAMPLE, "--steps", "a"): "--steps: expected A:B",
    (*EXAMPLE, "--steps", "5:2"): "--steps: expected a first step that is not after the last",
    (*EXAMPLE, "--model", "bpe"): "--model: has no effect with --example note-001",
    (*EXAMPLE, "--steps", "1:2", "--format", "json"): "cannot be combined with the format json",
    (*EXAMPLE, "--words", "x"): "--words: expected a number or all",
    (*EXAMPLE, "--criteria", "dice"): "--criteria: expected all",
    (*EXAMPLE, "--criteria", "all", "--criterion", "pmi"): "cannot be combined with --criterion",
    (*EXAMPLE, "--format", "parquet"): "--format: parquet requires --output",
    (*EXAMPLE, "--json", "--format", "table"): "--json: cannot be combined with --format table",
    (*EXAMPLE, "-o", "no/folder.txt"): "no: no such folder",
    (*EXAMPLE, "--vocab-size", 3): "--vocab-size: 3 is too small",
    ("trace", "absent", "--vocab-size", 50): "absent: no such file",
    ("trace", "absent"): "--vocab-size: required with --model wordpiece",
    ("trace", "absent", "--model", "bpe", "--criteria", "all"): "--criteria: requires WordPiece",
    ("trace", "--counts", "absent", "--vocab-size", 9, "--field", "a"): "has no effect",
}


@pytest.mark.parametrize("words", WRONG, ids=lambda words: " ".join(map(str, words[1:])))
def test_errors(run: Run, words: tuple[Any, ...]) -> None:
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert WRONG[words] in ended.err
    assert len(ended.err.splitlines()) == 1


def test_wordlevel_is_refused(run: Run, text_file: Path) -> None:
    ended = run("trace", text_file, "--model", "wordlevel", "--vocab-size", 9)
    assert (ended.code, ended.out) == (2, "")
    assert "wordlevel" in ended.err


def test_output_is_no_input(run: Run, text_file: Path) -> None:
    before = text_file.read_bytes()
    ended = run("trace", text_file, "--vocab-size", 50, "-o", text_file)
    assert ended.code == 2
    assert text_file.read_bytes() == before


def test_hostile_text_is_escaped(run: Run) -> None:
    ended = run("trace", "--vocab-size", 60, "--pre-tokenizer", "none", "--normalizer", "none",
                stdin="\u202eab\x1b[31m\n\u202eab\n")  # fmt: skip
    assert ended.code == 0, ended.err
    assert not {"\u202e", "\x1b"}.intersection(ended.out)
