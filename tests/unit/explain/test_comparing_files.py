"""Comparison on files: figures equal those of single texts, in groups, in any batches."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from corpora import WORDS, texts, write_lines
from piecework import models
from piecework.explain import files as module

PIECES = pw.train([" ".join(WORDS)] * 3, pw.WordPieceTrainer(vocab_size=60))
TWO = {
    "pieces": PIECES,
    "short": pw.train([" ".join(WORDS)] * 3, pw.WordPieceTrainer(60, max_merges=3)),
}


def expected(documents: list[str]) -> dict[str, Any]:
    """Returns the figures by definition: of each text alone."""
    alone = [pw.compare(TWO, text) for text in documents]
    chars = sum(map(len, documents))
    size = sum(len(text.encode()) for text in documents)
    figures = {}
    for index, (name, tok) in enumerate(TWO.items()):
        tokens = sum(len(each.splits[index]) for each in alone)
        unk = sum(each.splits[index].tokens.count(str(tok.unk_token)) for each in alone)
        figures[name] = {
            "tokens": tokens,
            "unknown": unk,
            "chars_per_token": chars / tokens if tokens else None,
            "bytes_per_token": size / tokens if tokens else None,
            "unknown_rate": unk / tokens if tokens else None,
        }
    agreeing = [b for each in alone for b in each.blocks if b.agrees]
    same = sum(all(block.agrees for block in each.blocks) for each in alone)
    return {
        "documents": len(documents),
        "chars": chars,
        "bytes": size,
        "document_agreement": same / len(documents) if documents else 1.0,
        "text_agreement": sum(b.end - b.start for b in agreeing) / chars if chars else 1.0,
        "tokenizers": figures,
    }


@pytest.mark.parametrize("batch", [1 << 20, 50])
def test_figures_equal_those_of_single_texts(
    batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BATCH_BYTES", batch)
    paths, every = [], {}
    for number in range(3):
        documents = [*texts(20, number), "Ωmega unknown", ""]
        path = tmp_path / f"{number}.txt"
        path.write_text("".join(f"{text}\n" for text in documents), encoding="utf-8")
        paths.append(path)
        every[str(path)] = documents
    compared = pw.compare_files(paths, TWO, by="file", examples=4)
    values = compared.to_dict()
    assert [group.pop("name") for group in values["groups"]] == list(every)
    assert values["groups"] == [expected(documents) for documents in every.values()]
    total = values["total"]
    assert total.pop("name") == "all"
    assert total == expected([text for documents in every.values() for text in documents])
    assert compared.groups[0].document_agreement == values["groups"][0]["document_agreement"]
    assert json.loads(json.dumps(values)) == values

    # The disagreements are the first documents that are cut differently, with their lines.
    wanted = [
        (f"{path}: line {line}", text)
        for path, documents in every.items()
        for line, text in enumerate(documents, 1)
        if not all(block.agrees for block in pw.compare(TWO, text).blocks)
    ]
    assert len(wanted) > 4
    for found, (place, text) in zip(compared.disagreements, wanted[:4], strict=True):
        assert found.place == place
        block = next(each for each in pw.compare(TWO, text).blocks if not each.agrees)
        assert (found.start, found.text) == (block.start, text[block.start : block.end])
        assert tuple(found.tokens.values()) == block.tokens
        assert str(found).splitlines()[0] == place
        assert "^" in str(found).splitlines()[-1]


def test_groups_by_a_member(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [("de", "low lower"), ("en", "newest"), ("de", "wide"), ("en", "wider low")]
    lines = (json.dumps({"lang": lang, "text": text}) for lang, text in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    compared = pw.compare_files(path, TWO, by="lang")
    assert [(group.name, group.documents) for group in compared.groups] == [("de", 2), ("en", 2)]
    german = compared.to_dict()["groups"][0]
    assert german.pop("name") == "de"
    assert german == expected(["low lower", "wide"])
    path.write_text('{"text": "a"}\n', encoding="utf-8")
    with pytest.raises(pw.errors.ConfigError, match=r"'lang' in every document"):
        pw.compare_files(path, TWO, by="lang")
    text = tmp_path / "a.txt"
    text.write_text("low\n", encoding="utf-8")
    with pytest.raises(pw.errors.ConfigError, match=r"have no member 'lang'.*by=\"file\""):
        pw.compare_files(text, TWO, by="lang")


def test_lines_of_compressed_files_and_json(tmp_path: Path) -> None:
    documents = [*["low"] * 30, "zzz", "Lowest\u202e"]
    packed = tmp_path / "a.txt.gz"
    packed.write_bytes(gzip.compress("".join(f"{text}\n" for text in documents).encode()))
    other = pw.Tokenizer.from_str("[UNK]\nlow\n##est\nzz\n##z\n")
    two = {"pieces": PIECES, "other": other}
    compared = pw.compare_files([packed, write_lines(tmp_path / "b.jsonl", documents)], two)
    places = [found.place.rpartition(": ")[2] for found in compared.disagreements]
    assert places[0] == "line 31"
    assert len(places) == 4
    assert "\u202e" not in str(compared)


def test_table() -> None:
    assert repr(pw.compare_files([__file__], TWO)).startswith("<FilesComparison: ")
    lines = str(pw.compare_files([__file__], TWO, examples=0)).splitlines()
    assert lines[0].split() == [
        "tokenizer",
        "documents",
        "tokens",
        "chars/token",
        "bytes/token",
        "unknown",
    ]
    assert [line.split()[0] for line in lines[1:3]] == ["all", "short"]
    assert lines[4].startswith("all: all tokenizers agree on ")


def test_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("low\nb\n", encoding="utf-8")
    with pytest.raises(pw.errors.ConfigError, match="at least one tokenizer"):
        pw.compare_files(path, {})
    with pytest.raises(TypeError, match="a mapping of names"):
        pw.compare_files(path, [PIECES])  # type: ignore[arg-type]
    strict = pw.Tokenizer(models.WordPiece(["low"], unk_token=None))
    with pytest.raises(pw.errors.UnknownTokenError, match=r"^strict: .*a\.txt.*byte 4"):
        pw.compare_files(path, {"strict": strict})
    with pytest.raises(FileNotFoundError):
        pw.compare_files(tmp_path / "none.txt", TWO)
    path.write_bytes(b"a\xff\n")
    with pytest.raises(pw.errors.InvalidUtf8Error):
        pw.compare_files(path, TWO)
    assert pw.compare_files(path, TWO, errors="replace").total.chars == 2


def test_an_empty_file_and_one_tokenizer(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("", encoding="utf-8")
    compared = pw.compare_files(path, TWO, by="file")
    assert compared.total.documents == 0
    assert compared.total.document_agreement == compared.total.text_agreement == 1.0
    assert compared.total.figures["pieces"].chars_per_token is None
    path.write_text("zzz low\n", encoding="utf-8")
    assert pw.compare_files(path, {"one": PIECES}).total.document_agreement == 1.0
