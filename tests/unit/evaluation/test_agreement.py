"""Agreement of tokenizers on texts and files: equal to that of single texts, in groups, in any batches and parts."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from corpora import WORDS, texts, write_lines
from piecework import models
from piecework.analysis._evaluation import agreement as module
from piecework.engines import Local

PIECES = pw.train([" ".join(WORDS)] * 3, pw.WordPieceTrainer(vocab_size=60))
TWO = {
    "pieces": PIECES,
    "short": pw.train([" ".join(WORDS)] * 3, pw.WordPieceTrainer(60, max_merges=3)),
}


def expected(documents: list[str]) -> dict[str, Any]:
    """Returns the figures by definition: of each text alone."""
    alone = [pw.compare(TWO, text) for text in documents]
    characters = sum(map(len, documents))
    agreeing = [b for each in alone for b in each.blocks if b.agrees]
    same = sum(all(block.agrees for block in each.blocks) for each in alone)
    equal = sum(b.end - b.start for b in agreeing)
    return {
        "texts": len(documents),
        "characters": characters,
        "text_agreement": same / len(documents) if documents else 1.0,
        "character_agreement": equal / characters if characters else 1.0,
    }


def without_disagreements(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != "disagreements"}


@pytest.mark.parametrize("batch", [1 << 20, 50])
@pytest.mark.parametrize("settings", [{}, {"engine": Local(1), "part_bytes": 300}], ids=str)
def test_figures_equal_those_of_single_texts(
    batch: int, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHARACTERS", batch)
    paths, every = [], {}
    for number in range(3):
        documents = [*texts(20, number), "Ωmega unknown", ""]
        path = tmp_path / f"{number}.txt"
        path.write_text("".join(f"{text}\n" for text in documents), encoding="utf-8")
        paths.append(path)
        every[str(path)] = documents
    evaluation = pw.evaluate(TWO, pw.Corpus(paths), by="file", disagreements=4, **settings)
    assert evaluation.agreement is not None
    assert {
        name: without_disagreements(each.to_dict()) for name, each in evaluation.agreements.items()
    } == {path: expected(documents) for path, documents in every.items()}
    total = without_disagreements(evaluation.agreement.to_dict())
    assert total == expected([text for documents in every.values() for text in documents])
    values = evaluation.to_dict()
    assert json.loads(json.dumps(values)) == values

    # The disagreements are the first documents that are cut differently, with their lines.
    wanted = [
        (f"{path}: line {line}", text)
        for path, documents in every.items()
        for line, text in enumerate(documents, 1)
        if not all(block.agrees for block in pw.compare(TWO, text).blocks)
    ]
    assert len(wanted) > 4
    for found, (place, text) in zip(evaluation.agreement.disagreements, wanted[:4], strict=True):
        assert found.place == place
        block = next(each for each in pw.compare(TWO, text).blocks if not each.agrees)
        assert (found.start, found.text) == (block.start, text[block.start : block.end])
        assert tuple(found.tokens.values()) == block.tokens
        assert str(found).splitlines()[0] == place
        assert "^" in str(found).splitlines()[-1]
    in_memory = pw.evaluate(
        TWO, {name: iter(each) for name, each in every.items()}, disagreements=4
    )
    assert in_memory.agreement is not None
    assert without_disagreements(in_memory.agreement.to_dict()) == total
    assert [each.text for each in in_memory.agreement.disagreements] == [
        each.text for each in evaluation.agreement.disagreements
    ]


@pytest.mark.parametrize("settings", [{}, {"engine": Local(1), "part_bytes": 40}], ids=str)
def test_groups_by_a_member(tmp_path: Path, settings: Any) -> None:
    path = tmp_path / "a.jsonl"
    rows = [("de", "low lower"), ("en", "newest"), ("de", "wide"), ("en", "wider low")]
    lines = (json.dumps({"lang": lang, "text": text}) for lang, text in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    corpus = pw.Corpus(path)
    evaluation = pw.evaluate(TWO, corpus, by="lang", disagreements=0, **settings)
    assert [(name, each.texts) for name, each in evaluation.agreements.items()] == [
        ("de", 2),
        ("en", 2),
    ]
    assert without_disagreements(evaluation.agreements["de"].to_dict()) == expected(
        ["low lower", "wide"]
    )
    groups = {lang: [text for own, text in rows if own == lang] for lang in ("de", "en")}
    wanted = pw.evaluate(TWO, groups, disagreements=0)
    for one, other in zip(evaluation.tokenizers, wanted.tokenizers, strict=True):
        assert {name: each.metrics for name, each in one.groups.items()} == {
            name: each.metrics for name, each in other.groups.items()
        }
    path.write_text('{"text": "a"}\n', encoding="utf-8")
    with pytest.raises(pw.errors.ConfigError, match=r"'lang' in every document"):
        pw.evaluate(TWO, corpus, by="lang", **settings)
    text = tmp_path / "a.txt"
    text.write_text("low\n", encoding="utf-8")
    with pytest.raises(pw.errors.ConfigError, match=r"have no member 'lang'.*by=\"file\""):
        pw.evaluate(TWO, pw.Corpus(text), by="lang", **settings)


def test_lines_of_compressed_files_and_json(tmp_path: Path) -> None:
    documents = [*["low"] * 30, "zzz", "Lowest\u202e"]
    packed = tmp_path / "a.txt.gz"
    packed.write_bytes(gzip.compress("".join(f"{text}\n" for text in documents).encode()))
    other = pw.Tokenizer.from_str("[UNK]\nlow\n##est\nzz\n##z\n")
    two = {"pieces": PIECES, "other": other}
    corpus = pw.Corpus([packed, write_lines(tmp_path / "b.jsonl", documents)])
    evaluation = pw.evaluate(two, corpus, disagreements=5)
    assert evaluation.agreement is not None
    places = [found.place.rpartition(": ")[2] for found in evaluation.agreement.disagreements]
    assert places[0] == "line 31"
    assert len(places) == 4
    assert "\u202e" not in str(evaluation)


def test_table() -> None:
    lines = str(pw.evaluate(TWO, pw.Corpus(__file__), disagreements=0)).splitlines()
    assert lines[-3:-1] == [
        "Agreement of all tokenizers",
        "group  texts  of texts  of characters",
    ]
    assert lines[-1].split()[0] == "all"
    assert pw.evaluate(TWO, ["low"]).agreement is None


def test_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("low\nb\n", encoding="utf-8")
    strict = pw.Tokenizer(models.WordPiece(["low"], unk_token=None))
    with pytest.raises(pw.errors.UnknownTokenError, match=r"^strict: .*a\.txt: line 2: "):
        pw.evaluate({"a": PIECES, "strict": strict}, pw.Corpus(path), disagreements=1)
    for wrong in (-1, "1"):
        with pytest.raises((pw.errors.ConfigError, TypeError), match="disagreements"):
            pw.evaluate(TWO, ["low"], disagreements=wrong)  # type: ignore[arg-type]
