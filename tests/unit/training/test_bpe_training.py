"""BPE training through the public functions: inputs, settings and the trained tokenizer."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import decoders, models, normalizers, pre_tokenizers
from piecework.errors import ConfigError, CountsError, PieceworkWarning, SurrogateError

TEXTS = ["the cat sat on the mat", "the dog sat on the log", "naïve 中文 the\n"]


def model_of(tokenizer: pw.Tokenizer) -> models.BPE:
    model = tokenizer.model
    assert isinstance(model, models.BPE)
    return model


def test_character_bpe_splits_at_white_space() -> None:
    tok = pw.train(TEXTS, pw.BpeTrainer(40))
    assert (tok.normalizer, tok.pre_tokenizer) == (None, pre_tokenizers.WhitespaceSplit())
    assert tok.tokenize("the mat") == ["the", "mat"] or tok.tokenize("the") == ["the"]
    assert [list(pair) for pair in model_of(tok).merges] == [[m.left, m.right] for m in tok.history]


def test_byte_level_bpe_round_trips_any_text() -> None:
    tok = pw.train(TEXTS, pw.BpeTrainer(300, alphabet="byte", special_tokens=["<|endoftext|>"]))
    assert tok.pre_tokenizer == pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert tok.decoder == decoders.ByteLevel()
    for text in [*TEXTS, "unseen: ¿Ω≈ç√?\r\n\t\0", "<|endoftext|>"]:
        assert tok.decode(tok.encode(text).ids, skip_special_tokens=False) == text


@pytest.mark.parametrize(
    "name", ["gpt2", "cl100k", "o200k", "llama3", "qwen2", "qwen35", "kimi", "tekken", r"\w+|\W+"]
)
def test_byte_level_bpe_with_split_pattern(name: str) -> None:
    split = pre_tokenizers.ByteLevel.split_by(name)
    tok = pw.train(TEXTS * 3, pw.BpeTrainer(290, alphabet="byte"), pre_tokenizer=split)
    assert tok.decode(tok.encode("the 123456 mat's\n\n").ids) == "the 123456 mat's\n\n"
    same = pw.Tokenizer.from_str(tok.to_str())
    assert same == tok
    assert same.history == tok.history


def test_vocab_size_below_the_alphabet_raises() -> None:
    with pytest.raises(pw.errors.ConfigError, match=r"at least 256; raise `vocab_size`$"):
        pw.train(TEXTS, pw.BpeTrainer(20, alphabet="byte"))
    with pytest.raises(
        pw.errors.ConfigError, match="raise `vocab_size`, or lower the alphabet with"
    ):
        pw.train(TEXTS, pw.BpeTrainer(3))


def test_clip_pattern_drops_text_between_matches() -> None:
    split = pre_tokenizers.ByteLevel.split_by("clip")
    assert [word for word, _ in split.pre_tokenize_str("the cat's 12")] == [
        "the",
        "cat",
        "'s",
        "1",
        "2",
    ]
    tok = pw.train(
        TEXTS, pw.BpeTrainer(600, alphabet="byte", end_of_word_suffix="</w>"), pre_tokenizer=split
    )
    assert tok.generic_path_reason is None


@pytest.mark.parametrize("style", ["attached", "separate"])
def test_end_of_word_suffix_styles(style: Any) -> None:
    trainer = pw.BpeTrainer(60, end_of_word_suffix="</w>", suffix_style=style)
    tok = pw.train(TEXTS, trainer)
    assert tok.decode(tok.encode("the cat sat").ids) == "the cat sat"
    for text in ("the", "cat", "on"):
        assert "".join(tok.tokenize(text)) == f"{text}</w>"
    assert pw.Tokenizer.from_str(tok.to_str()).tokenize("the mat") == tok.tokenize("the mat")
    kind = json.loads(tok.to_str())["model"]["type"]
    assert kind == ("BPE" if style == "attached" else "piecework.BPE")


def test_end_of_word_suffix_with_byte_alphabet() -> None:
    trainer = pw.BpeTrainer(600, alphabet="byte", end_of_word_suffix="</w>")
    split = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(pw.Regex(r"\p{L}+|\S"), "removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tok = pw.train(TEXTS, trainer, pre_tokenizer=split)
    assert tok.decode(tok.encode("naïve 中文 cat").ids) == "naïve 中文 cat"


@pytest.mark.parametrize("style", ["attached", "separate"])
def test_decoding_does_not_double_spaces_within_words(style: Any) -> None:
    trainer = pw.BpeTrainer(600, alphabet="byte", end_of_word_suffix="</w>", suffix_style=style)
    tok = pw.train(TEXTS, trainer)
    for text in ["low  lower ,  newest", " a ", "the</w> end</w>", *TEXTS]:
        assert tok.decode(tok.encode_ids(text)) == text


def test_training_words_encode_to_their_token_counts() -> None:
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3, "lowest": 1}
    for style in ("attached", "separate"):
        trainer = pw.BpeTrainer(max_merges=12, end_of_word_suffix="</w>", suffix_style=style)  # type: ignore[arg-type]
        tok = pw.train(words, trainer, normalizer=None, pre_tokenizer=None)
        counts = dict.fromkeys(tok.vocab, 0)
        for word, count in words.items():
            for token in tok.tokenize(word):
                counts[token] += count
        assert counts == tok.training.token_counts


def test_special_tokens_and_unknown_token() -> None:
    tok = pw.train(TEXTS, pw.BpeTrainer(50, special_tokens=["<s>", "<unk>"]))
    assert (tok.token_to_id("<s>"), model_of(tok).unk_token) == (0, "<unk>")
    assert tok.tokenize("€<s>") == ["<unk>", "<s>"]
    last = pw.train(TEXTS, pw.BpeTrainer(50, special_tokens=["<s>"], special_tokens_first=False))
    assert last.token_to_id("<s>") == len(last) - 1
    assert (model_of(last).unk_token, last.token_to_id("<unk>")) == ("<unk>", len(last) - 2)
    assert last.tokenize("€") == ["<unk>"]


def test_unknown_characters_give_tokens_or_a_warning() -> None:
    tok = pw.train(["low lower lowest"], pw.BpeTrainer(vocab_size=30))
    assert tok.tokenize("low zebra! 日本") == [
        "low",
        *("<unk>", "e", "<unk>", "r", "<unk>", "<unk>"),
        *("<unk>", "<unk>"),
    ]
    assert tok.token_to_id("<unk>") == 0
    with pytest.warns(
        PieceworkWarning, match="unk_token: without an unknown token, encoding drops"
    ) as caught:
        without = pw.train(["low lower lowest"], pw.BpeTrainer(29, unk_token=None))
    assert [warning.filename for warning in caught] == [__file__]
    assert without.tokenize("low zebra! 日本") == ["low", "e", "r"]
    assert [*tok.vocab][1:] == [*without.vocab]
    assert tok.history == without.history


@pytest.mark.parametrize(
    ("settings", "unk_token", "first"),
    [
        ({}, "<unk>", "<unk>"),
        ({"ties": "sentencepiece"}, "<unk>", "<unk>"),
        ({"special_tokens": ["<s>"]}, "<unk>", "<unk>"),
        ({"special_tokens": ["<s>", "[UNK]"]}, "[UNK]", "<s>"),
        ({"special_tokens": ["<s>", "<unk>"], "unk_token": "<unk>"}, "<unk>", "<s>"),
        ({"special_tokens": ["<unk>"], "unk_token": "?"}, "?", "?"),
        ({"ties": "hf", "special_tokens": ["<s>"]}, None, "<s>"),
        ({"ties": "hf", "unk_token": "<unk>"}, "<unk>", "<unk>"),
        ({"alphabet": "byte", "special_tokens": ["<s>"]}, None, "<s>"),
        ({"alphabet": "byte", "unk_token": "<unk>"}, "<unk>", "<unk>"),
        ({"alphabet": "byte", "special_tokens": ["<unk>"]}, "<unk>", "<unk>"),
    ],
    ids=str,
)
def test_choice_of_the_unknown_token(
    settings: dict[str, Any], unk_token: str | None, first: str
) -> None:
    trainer = pw.BpeTrainer(400, **settings)
    assert trainer.unknown_token == unk_token
    tok = pw.train(TEXTS, trainer)
    assert (model_of(tok).unk_token, next(iter(tok.vocab))) == (unk_token, first)
    assert tok.training.trainer is not None
    assert tok.training.trainer["unk_token"] == unk_token
    assert pw.Tokenizer.from_str(tok.to_str()) == tok


def test_byte_alphabet_without_byte_level_raises_a_warning() -> None:
    trainer = pw.BpeTrainer(400, alphabet="byte")
    with pytest.warns(PieceworkWarning, match="without ByteLevel"):
        tok = pw.train(["low"], trainer, pre_tokenizer=pre_tokenizers.WhitespaceSplit())
    assert tok.tokenize("日") == []


def test_files_without_unk_token_setting_load() -> None:
    tok = pw.train(TEXTS, pw.BpeTrainer(50, special_tokens=["<s>", "[UNK]"]))
    data = json.loads(tok.to_str())
    del data["model"]["piecework"]["training"]["trainer"]["unk_token"]
    assert pw.Tokenizer.from_str(json.dumps(data)) == tok


def test_user_defined_symbols_are_matched() -> None:
    trainer = pw.BpeTrainer(60, user_defined_symbols=["sat on", "dog"])
    tok = pw.train(TEXTS, trainer)
    assert tok.tokenize("the dog sat on the log")[1:3] == ["dog", "sat on"]
    assert not any("d" in merge.token and merge.token != "dog" for merge in tok.history)
    assert tok.vocab["dog"] == 2


def test_training_record_is_kept() -> None:
    counts = pw.WordCounts.from_texts(TEXTS, normalizer=normalizers.Lowercase(), pre_tokenizer=None)
    tok = pw.train(counts, pw.BpeTrainer(max_merges=5))
    assert tok.training.counts_sha256 == counts.fingerprint
    assert tok.training.trainer is not None
    assert (tok.training.trainer["type"], tok.training.trainer["max_merges"]) == ("BpeTrainer", 5)
    assert tok.normalizer == normalizers.Lowercase()
    assert len(tok.history) == 5
    assert pickle.loads(pickle.dumps(tok)) == tok


def test_lines_of_files_keep_their_ends(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"a\r\n\n b\nc" * 2)
    trainer = pw.BpeTrainer(300, alphabet="byte")
    lines = ["a\r\n", "\n", " b\n", "ca\r\n", "\n", " b\n", "c"]
    expected = pw.train(lines, trainer)
    assert pw.train(pw.Corpus(path), trainer) == expected
    path.write_text(path.read_bytes().decode(), encoding="utf-16", newline="")
    assert pw.train(pw.Corpus(path, encoding="utf-16"), trainer) == expected


def test_impossible_settings_raise() -> None:
    with pytest.raises(ConfigError, match=r"alphabet.*char.*byte"):
        pw.BpeTrainer(300, alphabet="bytes")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="vocab_size: expected an integer"):
        pw.BpeTrainer(0)
    with pytest.raises(ConfigError, match=r"needs? at least 256"):
        pw.train(TEXTS, pw.BpeTrainer(100, alphabet="byte"))
    for unk_token in ("", 1, "\ud800"):
        with pytest.raises((ConfigError, SurrogateError), match="unk_token"):
            pw.BpeTrainer(300, unk_token=unk_token)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="'<unk>' is the unknown token; pass another"):
        pw.BpeTrainer(300, user_defined_symbols=["<unk>"])
    with pytest.raises(CountsError, match=r"中文.*ByteLevel"):
        pw.train(
            TEXTS,
            pw.BpeTrainer(300, alphabet="byte", unk_token="<unk>"),
            pre_tokenizer=pre_tokenizers.Whitespace(),
        )
    with pytest.raises(TypeError, match="BpeTrainer"):
        pw.train(TEXTS, 300)  # type: ignore[arg-type]


def test_unreachable_tokens_are_listed() -> None:
    tok = pw.train(TEXTS, pw.BpeTrainer(60, special_tokens=["<s>"]))
    assert tok.unreachable_tokens() == []
    model = model_of(tok)
    dead = models.BPE([*model.vocab, "zzz"], model.merges)
    assert pw.Tokenizer(dead).unreachable_tokens() == ["<unk>", "<s>", "zzz"]
