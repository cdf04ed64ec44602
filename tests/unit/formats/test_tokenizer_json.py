"""tokenizer.json: its members, and that saving and loading keeps all of them."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

import impls
import piecework as pw

pytestmark = pytest.mark.smoke

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
MEMBERS = [
    "version",
    "truncation",
    "padding",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
    "model",
]


@pytest.fixture(scope="module")
def tokenizer() -> pw.Tokenizer:
    return pw.train(WORDS, pw.WordPieceTrainer(vocab_size=20))


def test_members_are_those_of_tokenizers(tokenizer: pw.Tokenizer) -> None:
    whole = json.loads(tokenizer.to_str())
    assert list(whole) == MEMBERS
    assert whole["model"].keys() - {"piecework"} == {
        "type",
        "unk_token",
        "continuing_subword_prefix",
        "max_input_chars_per_word",
        "vocab",
    }
    assert whole["model"]["type"] == "WordPiece"


def test_training_record_is_saved(tokenizer: pw.Tokenizer) -> None:
    training = json.loads(tokenizer.to_str())["model"]["piecework"]["training"]
    assert training["trainer"]["criterion"] == "likelihood"
    assert training["trainer"]["vocab_size"] == 20
    assert training["counts_sha256"] == pw.WordCounts(WORDS).fingerprint
    assert tokenizer.training.token_counts is not None
    assert training["token_counts"] == list(tokenizer.training.token_counts.values())
    assert [row[2] for row in training["history"]] == [m.token for m in tokenizer.history]


def test_user_defined_symbols_are_saved_and_optional(tokenizer: pw.Tokenizer) -> None:
    trainer = pw.WordPieceTrainer(vocab_size=20, user_defined_symbols=["bug", "pun"])
    forced = pw.train(WORDS, trainer)
    assert pw.Tokenizer.from_str(forced.to_str()).training.trainer == json.loads(trainer.to_json())
    assert (
        json.loads(forced.to_str())["added_tokens"]
        == json.loads(tokenizer.to_str())["added_tokens"]
    )
    whole = json.loads(tokenizer.to_str())
    del whole["model"]["piecework"]["training"]["trainer"]["user_defined_symbols"]
    assert pw.Tokenizer.from_str(json.dumps(whole)) == tokenizer


@pytest.mark.parametrize("unknown", ["run", "char"])
def test_unknown_policy_changes_the_model_type(tokenizer: pw.Tokenizer, unknown: Any) -> None:
    text = tokenizer.replace(unknown=unknown).to_str()
    assert json.loads(text)["model"]["type"] == "piecework.WordPiece"
    assert pw.Tokenizer.from_str(text).unknown == unknown


@pytest.mark.parametrize("limit", [None, 0, 1, 100, 2**20])
def test_word_limit_survives_saving(tokenizer: pw.Tokenizer, limit: int | None) -> None:
    text = tokenizer.replace(max_input_chars_per_word=limit).to_str()
    assert pw.Tokenizer.from_str(text).max_input_chars_per_word == limit


def test_unk_token_setting_is_saved(tokenizer: pw.Tokenizer) -> None:
    other = tokenizer.replace(unk_token="[MASK]")
    assert other.tokenize("x") == ["[MASK]"]
    assert pw.Tokenizer.from_str(other.to_str()).tokenize("x") == ["[MASK]"]
    assert tokenizer.tokenize("x") == ["[UNK]"]


def test_saving_again_gives_equal_bytes(tokenizer: pw.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizer.save(path)
    first = path.read_bytes()
    assert first.decode() == tokenizer.to_str()
    pw.Tokenizer.from_file(path).save(str(path))
    assert path.read_bytes() == first
    assert os.listdir(tmp_path) == ["tokenizer.json"]


def test_any_file_name_extension_works(tokenizer: pw.Tokenizer, tmp_path: Path) -> None:
    for name in ("tokenizer", "tokenizer.JSON", "tokenizer.bin", "名前.json"):
        tokenizer.save(tmp_path / name)
        assert pw.Tokenizer.from_file(tmp_path / name) == tokenizer


def test_formatting_and_order_of_members_do_not_matter(tokenizer: pw.Tokenizer) -> None:
    whole = json.loads(tokenizer.to_str())
    for text in (
        json.dumps(whole),
        json.dumps(whole, indent=4, ensure_ascii=False),
        "\n " + json.dumps(whole),
    ):
        assert pw.Tokenizer.from_str(text) == tokenizer
    shuffled = {key: whole[key] for key in reversed(MEMBERS)}
    assert pw.Tokenizer.from_str(json.dumps(shuffled)) == tokenizer


@pytest.mark.skipif(os.name == "nt", reason="modes and links are those of POSIX")
def test_file_modes_and_links_are_kept(tokenizer: pw.Tokenizer, tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        tokenizer.save(tmp_path / "new.json")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new.json").stat().st_mode) == 0o640
    (tmp_path / "old.json").write_text("old", encoding="utf-8")
    (tmp_path / "old.json").chmod(0o600)
    (tmp_path / "link.json").symlink_to("old.json")
    tokenizer.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert stat.S_IMODE((tmp_path / "old.json").stat().st_mode) == 0o600
    assert pw.Tokenizer.from_file(tmp_path / "old.json") == tokenizer


def test_ids_may_be_unordered_and_have_gaps() -> None:
    whole = json.loads(impls.tokenizer_json(["[UNK]", "a", "##b"], {}))
    whole["model"]["vocab"] = {"##b": 7, "[UNK]": 3, "a": 5}
    whole["added_tokens"][0]["id"] = 3
    tokenizer = pw.Tokenizer.from_str(json.dumps(whole))
    assert tokenizer.encode_ids("ab x") == [5, 7, 3]
    assert list(tokenizer.vocab.items()) == [("[UNK]", 3), ("a", 5), ("##b", 7)]
    assert (len(tokenizer), tokenizer.id_to_token(4), tokenizer.id_to_token(7)) == (3, None, "##b")
    assert pw.Tokenizer.from_str(tokenizer.to_str()) == tokenizer
    with pytest.raises(pw.errors.TokenIdError, match="4"):
        tokenizer.decode([5, 4])
    with pytest.raises(pw.errors.VocabularyError, match="id 0"):
        tokenizer.save("not-written", "vocab.txt")


def test_special_tokens_outside_the_vocabulary() -> None:
    whole = json.loads(impls.tokenizer_json(["[UNK]", "a"], {}))
    whole["added_tokens"].append(whole["added_tokens"][0] | {"id": 2, "content": "<x>"})
    tokenizer = pw.Tokenizer.from_str(json.dumps(whole))
    assert tokenizer.encode("a<x>A").tokens == ["a", "<x>", "a"]
    assert tokenizer.special_tokens == {"[UNK]": 0, "<x>": 2}
    assert pw.Tokenizer.from_str(tokenizer.to_str()) == tokenizer


def test_vocab_txt_settings_are_refused(tokenizer: pw.Tokenizer) -> None:
    for settings in (
        {"lowercase": False},
        {"normalizer": None},
        {"pre_tokenizer": None},
        {"continuing_subword_prefix": ""},
    ):
        with pytest.raises(pw.errors.ConfigError, match=next(iter(settings))):
            pw.Tokenizer.from_str(tokenizer.to_str(), **settings)


def test_model_settings_are_applied(tokenizer: pw.Tokenizer) -> None:
    text = tokenizer.to_str()
    split = pw.Tokenizer.from_str(text, unknown="char").tokenize("xhug")
    assert split == ["[UNK]", "[UNK]", "##ug"]
    assert pw.Tokenizer.from_str(text, max_input_chars_per_word=2).tokenize("hug") == ["[UNK]"]
