"""Word counts as a file."""

from pathlib import Path

import pytest

import piecework as pw

pytestmark = pytest.mark.smoke

AWKWARD = {"plain": 3, "tab\there": 1, "back\\slash\\t": 2, "two\nlines\r": 5, "中文 é": 2**63}


def test_counts_survive_saving(tmp_path: Path) -> None:
    counts = pw.WordCounts(AWKWARD)
    counts.save(tmp_path / "counts")
    reloaded = pw.WordCounts.load(tmp_path / "counts")
    assert reloaded == counts
    assert dict(reloaded.items()) == AWKWARD
    assert reloaded.total == sum(AWKWARD.values())


def test_equal_tables_give_equal_files(tmp_path: Path) -> None:
    texts = ["b a", "c a b"]
    one = pw.WordCounts.from_texts(texts)
    two = pw.WordCounts.from_texts(texts[1:], first_document=1) + pw.WordCounts.from_texts(
        texts[:1]
    )
    one.save(tmp_path / "one")
    two.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_settings_survive_saving(tmp_path: Path) -> None:
    settings = {
        "normalizer": pw.normalizers.BertNormalizer(lowercase=False, strip_accents=True),
        "pre_tokenizer": pw.pre_tokenizers.WhitespaceSplit(),
    }
    counts = pw.WordCounts.from_texts(["A b."], **settings)
    counts.save(tmp_path / "counts")
    reloaded = pw.WordCounts.load(tmp_path / "counts")
    assert (reloaded.normalizer, reloaded.pre_tokenizer) == tuple(settings.values())
    tokenizer = pw.train(reloaded, pw.WordPieceTrainer(vocab_size=20))
    assert tokenizer.normalizer == settings["normalizer"]
    assert tokenizer.tokenize("b.") == ["b."]


def test_training_from_saved_counts_equals_training_from_text(tmp_path: Path) -> None:
    texts = ["the cat sat", "on the mat. The end!"]
    trainer = pw.WordPieceTrainer(vocab_size=45)
    pw.WordCounts.from_texts(texts).save(tmp_path / "counts")
    assert pw.train(pw.WordCounts.load(tmp_path / "counts"), trainer) == pw.train(texts, trainer)
    path = tmp_path / "text"
    path.write_text("\n".join(texts), encoding="utf-8")
    assert pw.train(pw.Corpus(path), trainer) == pw.train(texts, trainer)
