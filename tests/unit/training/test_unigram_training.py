"""Unigram training through the public functions: inputs, settings, results and errors."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import piecework as pw
from piecework import decoders, models, pre_tokenizers
from piecework.reference.learn.settings import UnigramTrainer as Reference

WORDS = {"▁hug": 10, "▁pug": 5, "▁pun": 12, "▁bun": 4, "▁hugs": 5}
TEXTS = ["the cat sat on the mat", "the cats sat, and the mats sat", "a cat 中文 é"] * 3


def test_defaults_equal_reference() -> None:
    ours, theirs = pw.UnigramTrainer(90), Reference(90)
    for name in theirs.__dataclass_fields__.keys() - {"_"}:
        assert getattr(ours, name) == getattr(theirs, name), name


def test_trained_pipeline() -> None:
    tok = pw.train(TEXTS, pw.UnigramTrainer(28))
    assert (tok.model_type, len(tok), tok.unk_token) == ("Unigram", 28, "<unk>")
    assert (tok.normalizer, tok.pre_tokenizer) == (None, pre_tokenizers.Metaspace())
    assert tok.decoder == decoders.Metaspace()
    assert list(tok.vocab)[:3] == list(tok.special_tokens) == ["<unk>", "<s>", "</s>"]
    assert tok.decode(tok.encode("the cat sat").ids) == "the cat sat"
    assert tok.encode("x").ids == [tok.token_to_id("▁"), tok.token_to_id("<unk>")]
    assert tok.history == ()


def test_files_iterators_and_tables_train_alike(tmp_path: Path) -> None:
    trainer = pw.UnigramTrainer(28)
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXTS), encoding="utf-8")
    whole = pw.train(iter(TEXTS), trainer)
    table = pw.WordCounts.from_texts(
        TEXTS, normalizer=None, pre_tokenizer=pre_tokenizers.Metaspace()
    )
    assert pw.train(table, trainer) == pw.train(pw.Corpus(path), trainer, threads=1) == whole
    assert (
        pw.train({word: table[word] for word in reversed(list(table))}, trainer).model
        == whole.model
    )


def test_byte_fallback_and_symbols() -> None:
    trainer = pw.UnigramTrainer(279, byte_fallback=True, user_defined_symbols=["<mask>", "at"])
    tok = pw.train(TEXTS, trainer)
    assert tok.tokenize("x")[-1] == "<0x78>"
    assert tok.decode(tok.encode("the <mask> 𝄞 cat").ids) == "the <mask> 𝄞 cat"
    assert {"<mask>", "at"} <= set(tok.tokenize("a <mask> cat"))
    learned = list(tok.vocab)[261:]
    assert not [piece for piece in learned if "at" in piece]


def test_suffix_without_matching_normalizer_raises_a_warning() -> None:
    trainer = pw.UnigramTrainer(18, treat_whitespace_as_suffix=True)
    for normalizer in (None, pw.normalizers.SentencePiece(), pw.normalizers.NFC()):
        with pytest.warns(pw.errors.PieceworkWarning, match="appends no ▁ to words"):
            pw.train(TEXTS, trainer, normalizer=normalizer)
    suffixing = pw.normalizers.SentencePiece(treat_whitespace_as_suffix=True)
    pw.train(TEXTS, trainer, normalizer=pw.normalizers.Sequence([pw.normalizers.NFC(), suffixing]))


def test_saved_scores_are_exact() -> None:
    words = {f"▁{a}{b}{c}": 1 + len(a * 3 + b) for a in "abcd" for b in "efg" for c in "hijkl"}
    for size in range(16, 60):
        tok = pw.train(words, pw.UnigramTrainer(size))
        assert pw.Tokenizer.from_str(tok.to_str()) == tok


def test_training_without_unknown_token() -> None:
    tok = pw.train(TEXTS, pw.UnigramTrainer(28, special_tokens=[], unk_token=None))
    assert tok.unk_token is None
    with pytest.raises(pw.errors.UnknownTokenError):
        tok.encode("x")


def test_special_tokens_at_the_end() -> None:
    trainer = pw.UnigramTrainer(
        28, special_tokens=["?", "[PAD]"], unk_token="?", special_tokens_first=False
    )
    assert list(pw.train(TEXTS, trainer).vocab)[-2:] == ["?", "[PAD]"]


def test_steps_are_saved() -> None:
    tok = pw.train(WORDS, pw.UnigramTrainer(13))
    again = pw.Tokenizer.from_str(tok.to_str())
    assert again == tok
    assert [done.removed for done in again.training.steps] == [None] * len(tok.training.steps)
    assert again.training.steps == tuple(replace(done, removed=None) for done in tok.training.steps)
    assert any(done.removed for done in tok.replace(decoder=None).training.steps)
    assert [done.pieces for done in tok.training.steps] == sorted(
        (d.pieces for d in tok.training.steps), reverse=True
    )
    assert tok.training.steps[-1].log_likelihood is not None
    assert json.loads(again.to_str())["model"]["piecework"]["training"]["history"] == []


@pytest.mark.parametrize(
    "row",
    [[], [1], [1, None, ["a"]], ["1", None], [-1, None], [1, "x"], [1, [0]]],
)
def test_broken_steps_raise(row: list[object]) -> None:
    data = json.loads(pw.train(WORDS, pw.UnigramTrainer(13)).to_str())
    data["model"]["piecework"]["training"]["rounds"][1] = row
    with pytest.raises(pw.errors.FormatError, match=r"rounds\[1\]"):
        pw.Tokenizer.from_str(json.dumps(data))


def test_token_counts_equal_those_of_the_words() -> None:
    tok = pw.train(WORDS, pw.UnigramTrainer(14))
    counts = dict.fromkeys(tok.vocab, 0)
    bare = tok.replace(pre_tokenizer=None)
    for word, count in WORDS.items():
        for piece in bare.tokenize(word):
            counts[piece] += count
    assert tok.training.token_counts == counts


def test_step_log_likelihood_is_that_of_the_model_before() -> None:
    tok = pw.train(WORDS, pw.UnigramTrainer(16))
    last = [done.log_likelihood for done in tok.training.steps if done.log_likelihood is not None][
        -2:
    ]
    assert last[0] < last[1] < 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"vocab_size": 9}, "at least 11"),
        ({"vocab_size": 99}, "19 entries at most"),
        ({"shrinking_factor": 1.0}, "shrinking_factor"),
        ({"shrinking_factor": "1"}, "shrinking_factor"),
        ({"shrinking_factor": 10**400}, "shrinking_factor"),
        ({"vocab_size": 1 << 63}, r"from 1 to under 2\^63"),
        ({"character_coverage": 1.5}, "character_coverage"),
        ({"character_coverage": float("nan")}, "character_coverage"),
        ({"em_steps": 0}, "em_steps"),
        ({"max_piece_length": 0}, "max_piece_length"),
        ({"seed_size": -1}, "seed_size"),
        ({"required_chars": ["ab"]}, "required_chars"),
        ({"unk_token": "[UNK]"}, "special_tokens"),
        ({"user_defined_symbols": ["<s>"]}, "special token"),
        ({"user_defined_symbols": ["<0x41>"], "byte_fallback": True}, "twice"),
        ({"split_digits": 1}, "split_digits"),
        ({"special_tokens": "<unk>"}, "special_tokens"),
    ],
)
def test_impossible_settings_raise(settings: dict[str, object], message: str) -> None:
    with pytest.raises(pw.errors.ConfigError, match=message):
        pw.train(WORDS, pw.UnigramTrainer(**{"vocab_size": 16} | settings))  # type: ignore[arg-type]


def test_empty_training_data_raises() -> None:
    for words in ({}, {"a": 1}):
        with pytest.raises(pw.errors.CountsError, match="nothing to learn"):
            pw.train(words, pw.UnigramTrainer(9, min_word_frequency=2), pre_tokenizer=None)


def test_progress_is_reported() -> None:
    calls: list[pw.Progress] = []
    tok = pw.train(WORDS, pw.UnigramTrainer(13), progress=calls.append)
    assert calls[-1] == pw.Progress("learning", len(tok), len(tok))


def test_numpy_numbers_are_accepted() -> None:
    numpy = pytest.importorskip("numpy")
    trainer = pw.UnigramTrainer(numpy.int64(13), shrinking_factor=numpy.float32(0.5))
    assert pw.train(WORDS, trainer).training.trainer == json.loads(
        pw.UnigramTrainer(13, shrinking_factor=0.5).to_json()
    )
    assert isinstance(pw.train(WORDS, trainer).model, models.Unigram)


def test_saved_scores_give_an_equal_tokenizer() -> None:
    """Some floats have no decimal form that both parsers read exactly; training avoids them."""
    trainer = pw.UnigramTrainer(
        vocab_size=4,
        special_tokens=["▁", "<unk>"],
        required_chars="<",
        split_by_unicode_script=False,
        split_by_number=False,
        split_by_whitespace=False,
        allow_whitespace_only_pieces=True,
    )
    tok = pw.train(["aaaa aaaa"], trainer, normalizer=None)
    assert pw.Tokenizer.from_str(tok.to_str()) == tok
    for size in range(20, 140):
        words = {f"{number % 7}{number * number}": number + 1 for number in range(size)}
        tok = pw.train(words, pw.UnigramTrainer(14), normalizer=None, pre_tokenizer=None)
        assert pw.Tokenizer.from_str(tok.to_str()) == tok, size


def test_token_count_overflow_raises() -> None:
    trainer = pw.UnigramTrainer(vocab_size=4, character_coverage=1e-9)
    with pytest.raises(pw.errors.CountOverflowError, match="divide all counts by a common factor"):
        pw.train({"abababab": 2**61}, trainer, normalizer=None, pre_tokenizer=None)
