"""`piecework count`, `piecework explain` and `piecework inspect`."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import piecework as pw

Run = Callable[..., Any]


def test_count_prints_a_table(run: Run, tok: pw.Tokenizer, tok_file: Path, text_file: Path) -> None:
    text = text_file.read_text(encoding="utf-8")
    tokens = sum(tok.count(text.splitlines()))
    expected = [tokens, 4, 13, len(text), text_file.stat().st_size]
    head, row = run("count", tok_file, text_file).out.splitlines()
    assert head.split() == ["tokens", "lines", "words", "characters", "bytes", "file"]
    assert row.split() == [*map(str, expected), str(text_file)]
    both = run("count", tok_file, text_file, "-", stdin=text + "cat").out.splitlines()
    assert both[-1].split()[-1] == "total"
    assert int(both[-1].split()[1]) == 9


def test_count_prints_json(run: Run, tok_file: Path, text_file: Path) -> None:
    counted = json.loads(run("count", tok_file, text_file, text_file, "--json").out)
    one, two = counted["files"]
    assert one == two
    assert counted["total"] == {name: 2 * one[name] for name in one if name != "file"}


def test_count_includes_line_ends_of_text(run: Run, tok_file: Path, tmp_path: Path) -> None:
    data = "the cat\r\nnaïve\n".encode()
    (tmp_path / "a.txt").write_bytes(data)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(data))
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "the cat\n"}) + "\n")
    words = ("count", tok_file, tmp_path / "a.txt", tmp_path / "a.txt.gz", tmp_path / "a.jsonl")
    text, packed, records = json.loads(run(*words, "--json").out)["files"]
    assert (text["lines"], text["words"], text["characters"], text["bytes"]) == (2, 3, 15, 16)
    assert packed | {"file": text["file"]} == text
    assert (records["lines"], records["characters"], records["bytes"]) == (1, 8, 8)


def test_count_error_names_the_line(run: Run, tok_file: Path) -> None:
    ended = run("count", tok_file, "--specials", "error", stdin="cat\n[CLS]")
    assert (ended.code, ended.out) == (2, "")
    assert "standard input: line 2: " in ended.err


def test_explain_prints_explanations(run: Run, tok: pw.Tokenizer, tok_file: Path) -> None:
    expected = f"{tok.explain('cats')}\n{tok.explain('hat')}\n"
    assert run("explain", tok_file, "cats", "hat").out == expected
    assert run("explain", tok_file, stdin="cats\nhat\n").out == expected


def test_explain_prints_json(run: Run, tok: pw.Tokenizer, tok_file: Path) -> None:
    (line,) = run("explain", tok_file, "cats", "--json").out.splitlines()
    explained = json.loads(line)
    assert explained["text"] == "cats"
    assert explained == json.loads(json.dumps(tok.explain("cats").to_dict()))
    pieces = [piece for word in explained["words"] for piece in word["pieces"]]
    assert [piece["token"] for piece in pieces] == tok.tokenize("cats")
    for piece in pieces:
        steps = [merge["step"] for merge in piece["merges"]]
        assert steps == sorted(steps)
        assert [merge["token"] for merge in piece["merges"]][-1:] == [piece["token"]] * bool(steps)


def test_explain_without_history(run: Run, vocab_file: Path) -> None:
    assert "its merges are unknown" in run("explain", vocab_file, "cats").out
    assert run("explain", vocab_file, "caf\udce9").code == 2


def test_inspect_prints_settings(
    run: Run, tok: pw.Tokenizer, tok_file: Path, vocab_file: Path
) -> None:
    output = run("inspect", tok_file, "--merges", 2)
    assert output.code == 0
    for expected in (
        "WordPiece",
        "BertPreTokenizer",
        "likelihood",
        str(tok.training.counts_sha256),
        "…",
    ):
        assert expected in output.out
    assert run("inspect", vocab_file).code == 0
    facts = json.loads(run("inspect", tok_file, "--json").out)
    assert (facts["generic_path_reason"], facts["max_id"]) == (None, tok.max_id)


def test_inspect_shortens_long_lists(run: Run, tmp_path: Path) -> None:
    symbols = [f"word{number}" for number in range(103)]
    trainer = pw.WordPieceTrainer(300, user_defined_symbols=symbols)
    pw.train({"hug": 1}, trainer).save(tmp_path / "t.json")
    output = run("inspect", tmp_path / "t.json").out
    assert "word99 and 3 more\n" in output
    assert (
        json.loads(run("inspect", tmp_path / "t.json", "--json").out)["trainer"][
            "user_defined_symbols"
        ]
        == symbols
    )


def test_inspect_shortens_every_component(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    tok = pw.Tokenizer(
        pw.models.WordLevel(["[UNK]", "[PAD]", "a"], "[UNK]"),
        normalizer=pw.normalizers.Replace("x" * 3000, ""),
        decoder=pw.decoders.Fuse(),
        added_tokens=[f"<{number}>" for number in range(103)],
        truncation=5,
        padding=7,
    )
    tok.save(path)
    output = run("inspect", path).out
    for part in ("WordLevel", "Fuse()", "max_length=5", "length=7", "<99> and 3 more"):
        assert part in " ".join(output.split())
    facts = json.loads(run("inspect", path, "--json").out)
    assert facts["model"] == "WordLevel"
    added = {token["content"]: token["id"] for token in facts["added_tokens"]}
    assert added == {token.content: number for number, token in tok.added_tokens.items()}
    for name in ("normalizer", "decoder", "truncation", "padding"):
        assert facts[name] == getattr(tok, name).to_dict()
    assert facts["post_processor"] is None


def test_inspect_added_token(run: Run, tok: pw.Tokenizer, tmp_path: Path) -> None:
    tok.with_added_tokens(["<x>"]).save(tmp_path / "t.json")
    facts = json.loads(run("inspect", tmp_path / "t.json", "--token", "<x>", "--json").out)
    assert (facts["id"], facts["count"], facts["probability"]) == (len(tok), 0, 2**-52)
    assert "<x> (id 35, 4-7): an added token" in run("explain", tmp_path / "t.json", "the <x>").out


def test_inspect_prints_json(run: Run, tok: pw.Tokenizer, tok_file: Path) -> None:
    facts = json.loads(run("inspect", tok_file, "--json", "--merges", 2).out)
    assert facts["vocab_size"] == len(tok)
    assert facts["trainer"] == tok.training.trainer
    assert [merge["token"] for merge in facts["first_merges"]] == [m.token for m in tok.history[:2]]
    assert [merge["token"] for merge in facts["last_merges"]] == [m.token for m in tok.history[-2:]]
    everything = json.loads(run("inspect", tok_file, "--json", "--merges", 1000).out)
    assert len(everything["first_merges"]) == len(tok.history)
    assert everything["last_merges"] == []


def test_inspect_shows_all_components(run: Run, tok: pw.Tokenizer, tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    added = [
        pw.AddedToken("<x>", lstrip=True, normalized=False),
        "<y>",
        pw.AddedToken("[MASK]", rstrip=True, special=True),
    ]
    limited = tok.with_added_tokens(added).replace(truncation=9, padding=8)
    limited.save(file)
    facts = json.loads(run("inspect", file, "--json").out)
    for name in ("post_processor", "decoder", "truncation", "padding"):
        assert facts[name] == getattr(limited, name).to_dict()
    assert [token["content"] for token in facts["added_tokens"]] == [
        token.content for token in limited.added_tokens.values()
    ]
    output = run("inspect", file).out
    assert "[MASK] (rstrip) <x> (lstrip, not normalized) <y>\n" in output
    assert f"truncation                   {limited.truncation!r}\n" in output


def test_inspect_supports_other_models(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    pw.Tokenizer(pw.models.WordLevel(["[UNK]", "a"], unk_token="[UNK]")).save(file)
    facts = json.loads(run("inspect", file, "--json").out)
    assert (facts["model"], facts["unk_token"]) == ("WordLevel", "[UNK]")
    assert "continuing_subword_prefix" not in facts
    assert run("inspect", file).out.startswith("model  ")


def test_inspect_token(run: Run, tok: pw.Tokenizer, tok_file: Path, vocab_file: Path) -> None:
    counts = tok.training.token_counts
    assert counts
    facts = json.loads(run("inspect", tok_file, "--token", "cat", "--json").out)
    number = tok.token_to_id("cat")
    assert number is not None
    assert (facts["id"], facts["count"]) == (number, counts["cat"])
    assert facts["probability"] == counts["cat"] / sum(counts.values())
    assert facts["merges"][-1]["token"] == "cat"
    assert "probability" in run("inspect", tok_file, "--token", "cat").out
    assert (
        json.loads(run("inspect", tok_file, "--token", "[UNK]", "--json").out)["probability"]
        == 2**-52
    )
    assert json.loads(run("inspect", vocab_file, "--token", "cat", "--json").out)["count"] is None
    ended = run("inspect", tok_file, "--token", "##the")
    assert (ended.code, ended.out) == (2, "")
    assert "did you mean 'the'?" in ended.err
