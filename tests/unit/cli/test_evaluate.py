"""`piecework evaluate`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw

Run = Callable[..., Any]


def test_prints_a_table(run: Run, tok: pw.Tokenizer, tok_file: Path, text_file: Path) -> None:
    ended = run("evaluate", tok_file, text_file)
    assert (ended.code, ended.err) == (0, "")
    found = pw.evaluate({tok_file.name: tok}, pw.Corpus(text_file))
    assert ended.out == f"{found}\n"
    assert run("evaluate", tok_file, stdin=text_file.read_bytes()).out == ended.out


def test_prints_json(run: Run, tok: pw.Tokenizer, tok_file: Path, text_file: Path) -> None:
    ended = run("evaluate", tok_file, text_file, "--json", "--renyi-power", 2)
    wanted = pw.evaluate({tok_file.name: tok}, pw.Corpus(text_file), renyi_power=2).to_dict()
    assert json.loads(ended.out) == wanted


def test_several_tokenizers_and_groups(
    run: Run, tok_file: Path, vocab_file: Path, text_file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("a\nb\nc\nd\n")
    words = ("evaluate", tok_file, text_file, other, "-t", vocab_file, "--by", "file")
    found = json.loads(run(*words, "--parallel", "--reference", other, "--json").out)
    assert [each["name"] for each in found["tokenizers"]] == [tok_file.name, vocab_file.name]
    assert found["tokenizers"][1]["parity"]["premiums"][str(other)] == 1.0
    lines = run(*words).out.splitlines()
    titles = [line for line in lines if line.startswith("Groups: ")]
    assert titles == ["Groups: tokenizer.json", "Groups: vocab.txt"]
    other.write_text("a\n")
    ended = run(*words, "--parallel")
    assert ended.code == 2
    assert "--parallel: " in ended.err


def test_the_first_file_that_is_listed_is_the_reference(
    run: Run, tok_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "en.txt").write_text("a b c\n")
    (tmp_path / "de.txt").write_text("a b c a b c a b c\n")
    monkeypatch.chdir(tmp_path)
    words = ("evaluate", tok_file, "en.txt", "de.txt", "--by", "file", "--parallel")
    ended = run(*words, "--fail-over", "largest_premium=2")
    assert ended.code == 1
    assert "largest_premium is 3" in ended.err
    assert "premium (reference en.txt)" in ended.out
    assert run(*words, "--reference", "./de.txt").out.count("premium (reference de.txt)") == 1


def test_a_file_counts_as_often_as_it_is_listed(run: Run, tok_file: Path, text_file: Path) -> None:
    def texts(*files: Path) -> int:
        found = json.loads(run("evaluate", tok_file, *files, "--by", "file", "--json").out)
        [tokenizer] = found["tokenizers"]
        assert len(tokenizer["groups"]) == 1
        return int(tokenizer["total"]["texts"])

    assert texts(text_file, text_file) == 2 * texts(text_file)


def test_disagreements(run: Run, tok: pw.Tokenizer, tok_file: Path, text_file: Path) -> None:
    small = text_file.with_name("vocab.txt")
    small.write_text("[UNK]\nthe\nc\n##a\n##t\n", encoding="utf-8")
    two = {tok_file.name: tok, small.name: pw.Tokenizer.from_file(small)}
    words = ("evaluate", tok_file, text_file, "-t", small)
    wanted = pw.evaluate(two, pw.Corpus(text_file), by="file", disagreements=1)
    ended = run(*words, "--by", "file", "--disagreements", 1)
    assert (ended.code, ended.out) == (0, f"{wanted}\n")
    assert "Agreement of all tokenizers" in ended.out
    found = json.loads(run(*words, "--disagreements", 0, "--json").out)
    assert found["agreement"]["texts"] == 4
    assert found["agreement"]["disagreements"] == []


def test_groups_by_a_member(run: Run, tok_file: Path, tmp_path: Path) -> None:
    texts = tmp_path / "a.jsonl"
    texts.write_text('{"text": "the cat", "lang": "en"}\n{"text": "hat", "lang": "de"}\n')
    words = ("evaluate", tok_file, texts, "--by", "lang", "--json")
    ended = run(*words)
    assert json.loads(ended.out)["groups"] == ["en", "de"]
    assert run(*words, "--engine", "local", "--workers", 1).out == ended.out


def test_limits(run: Run, tok_file: Path, text_file: Path) -> None:
    words = ("evaluate", tok_file, text_file, "--json")
    kept = run(*words, "--fail-over", "fertility=99", "--fail-under", "bytes_per_token=0.1")
    assert (kept.code, kept.err) == (0, "")
    failed = run(*words, "--fail-over", "fertility=0.5", "--fail-under", "bytes_per_token=99")
    assert failed.code == 1
    assert failed.out == kept.out
    first, second = failed.err.splitlines()
    assert first.startswith("failed: bytes_per_token is ")
    assert first.endswith(", under 99")
    assert second.endswith(", over 0.5")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--fail-under", "fertility=1"),
            "--fail-under: fertility is better when lower; pass --fail-over fertility=1\n",
        ),
        (
            ("--fail-over", "fertilty=1"),
            "--fail-over: no metric 'fertilty'; did you mean 'fertility'?",
        ),
        (("--fail-over", "fertility"), "--fail-over: expected METRIC=VALUE, found 'fertility'"),
        (("--fail-over", "fertility=low"), "expected METRIC=VALUE"),
        (("--fail-over", "gini=0.1"), "--fail-over: gini requires parallel texts; pass --parallel"),
        (("--parallel",), "--parallel: requires several groups"),
        (("--reference", "a"), "--reference: requires parallel texts; pass --parallel"),
        (("--renyi-power", "0"), "--renyi-power: expected a number above 0"),
        (("--by", "line"), "--by: "),
        (("--part-bytes", "9"), "--part-bytes: requires --engine"),
        (("--html", "/no/such/folder/a.html"), "/no/such/folder"),
    ],
)
def test_errors(
    run: Run, tok_file: Path, text_file: Path, words: tuple[str, ...], message: str
) -> None:
    ended = run("evaluate", tok_file, text_file, *words)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert len(ended.err.splitlines()) == 1


def test_limits_are_checked_before_the_texts_are_read(run: Run, tok_file: Path) -> None:
    ended = run("evaluate", tok_file, "missing.txt", "--fail-over", "gini=0.1")
    assert "gini requires parallel texts; pass --parallel" in ended.err


def test_the_character_encoding(run: Run, tok_file: Path, tmp_path: Path) -> None:
    text = tmp_path / "latin.txt"
    text.write_bytes("hug é\n".encode("latin-1"))
    ended = run("evaluate", tok_file, text, "--encoding", "latin-1", "--json")
    assert json.loads(ended.out)["tokenizers"][0]["total"]["bytes"] == len("hug é".encode())


def test_both_reports_need_a_file_each(run: Run, tok_file: Path, text_file: Path) -> None:
    report = text_file.with_name("report")
    ended = run("evaluate", tok_file, text_file, "--html", report, "--markdown", report)
    assert (ended.code, report.exists()) == (2, False)
    assert "--markdown: expected another file than that of --html" in ended.err


def test_reports(run: Run, tok_file: Path, text_file: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    assert run("evaluate", tok_file, text_file, "--markdown", report).code == 0
    assert report.read_text(encoding="utf-8").startswith("# Evaluation of tokenizers\n")
    ended = run("evaluate", tok_file, text_file, "--markdown", text_file)
    assert ended.code == 2
    assert "is also an input" in ended.err


def test_html_report(run: Run, tok_file: Path, text_file: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert run("evaluate", tok_file, text_file, "--html", page).code == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
