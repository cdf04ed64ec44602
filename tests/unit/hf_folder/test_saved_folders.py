"""`save_folder` writes what `transformers` needs: roles of special tokens, and padding at once."""

import itertools
import json
import pickle
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import class_folders
import live_bpe
import piecework as pw
from piecework import hf
from piecework.tokenizer._folders.write import ROLES
from profiles import examples

TEXTS = ["hug pugs", "a longer text with hugs and pugs", ""]
WORDS = {"hug": 10, "pug": 5, "hugs": 5, "pugs": 3}


@pytest.fixture(scope="module")
def transformers() -> Any:
    return class_folders.transformers()


SPECIAL = ["<unk>", "<s>", "</s>", "<pad>"]
TRAINERS: dict[str, tuple[Any, dict[str, str]]] = {
    "wordpiece": (
        pw.WordPieceTrainer(20),
        {
            "pad_token": "[PAD]",
            "unk_token": "[UNK]",
            "cls_token": "[CLS]",
            "sep_token": "[SEP]",
            "mask_token": "[MASK]",
        },
    ),
    "bpe": (
        pw.BpeTrainer(20, special_tokens=SPECIAL),
        {"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"},
    ),
    "unigram": (
        pw.UnigramTrainer(15, special_tokens=SPECIAL),
        {"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"},
    ),
    "wordlevel": (
        pw.WordLevelTrainer(8, special_tokens=["[UNK]", "[PAD]"]),
        {"pad_token": "[PAD]", "unk_token": "[UNK]"},
    ),
}
"""A trainer of each model, and the roles of its special tokens."""


def config_of(path: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((path / "tokenizer_config.json").read_text("utf-8"))
    return config


def trained(name: str) -> pw.Tokenizer:
    return pw.train(WORDS, TRAINERS[name][0], pre_tokenizer=pw.pre_tokenizers.Whitespace())


def check_equal(tok: pw.Tokenizer, theirs: Any, texts: list[str]) -> None:
    """Checks ids, offsets, type ids and texts of `AutoTokenizer` against a tokenizer."""
    whole = tok.replace(truncation=None, padding=None)
    for text in texts:
        own, found = whole.encode(text), theirs(text, return_offsets_mapping=True)
        assert found["input_ids"] == list(own.ids), ascii(text)
        assert found["offset_mapping"] == [tuple(span) for span in own.offsets], ascii(text)
        for skips in (True, False) if own.ids else ():
            wanted = whole.decode(own.ids, skip_special_tokens=skips)
            assert theirs.decode(own.ids, skip_special_tokens=skips) == wanted, ascii(text)
    # transformers takes an empty second text for none.
    for pair in itertools.pairwise(text for text in texts if text):
        own, found = whole.encode(*pair), theirs(*pair, return_token_type_ids=True)
        assert found["input_ids"] == list(own.ids)
        assert found["token_type_ids"] == list(own.type_ids)


@pytest.mark.parametrize("name", TRAINERS)
@pytest.mark.parametrize("through", ["own", "hf"])
def test_transformers_pads_at_once(
    transformers: Any, name: str, through: str, tmp_path: Path
) -> None:
    tok, (_, roles) = trained(name), TRAINERS[name]
    saved: Any = tok if through == "own" else hf.Tokenizer.from_str(tok.to_str())
    saved.save_folder(str(tmp_path / "model"), model_max_length=6)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path / "model")
    assert {role: loaded.special_tokens_map.get(role) for role in ROLES} == {
        role: roles.get(role) for role in ROLES
    }
    batch = loaded(TEXTS, padding=True, truncation=True, return_tensors="np")
    assert batch["input_ids"].shape[0] == 3
    assert batch["input_ids"].shape[1] <= 6
    check_equal(tok, loaded, [*TEXTS, *SPECIAL, "x [PAD] hugs<pad>"])
    assert pw.Tokenizer.from_folder(tmp_path / "model") == tok


def test_no_role_is_invented(transformers: Any, tmp_path: Path) -> None:
    trainer = pw.BpeTrainer(20, special_tokens=["<unk>", "</s>"])
    tok = pw.train(WORDS, trainer)
    with pytest.warns(pw.errors.PieceworkWarning, match="pad_token=None"):
        tok.save_folder(tmp_path)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert loaded.pad_token is None
    assert loaded.eos_token == "</s>"
    tok.save_folder(tmp_path, pad_token="</s>")
    assert transformers.AutoTokenizer.from_pretrained(tmp_path).pad_token == "</s>"
    tok.save_folder(tmp_path, pad_token=None)
    several = tok.with_added_tokens(["<|im_end|>"], special=True)
    with pytest.warns(
        pw.errors.PieceworkWarning, match=r"<\|im_end\|>.*could be.*eos_token="
    ) as seen:
        several.save_folder(tmp_path, pad_token=None)
    assert len(seen) == 1
    several.save_folder(tmp_path, pad_token=None, eos_token="<|im_end|>")


def test_tokens_that_are_not_special(transformers: Any, tmp_path: Path) -> None:
    tok = pw.Tokenizer(
        pw.models.WordLevel(["<unk>", "to", "be", "<p>"], unk_token="<unk>"),
        pre_tokenizer=pw.pre_tokenizers.WhitespaceSplit(),
        padding=pw.Padding(pad_token="<p>"),
    )
    with pytest.warns(pw.errors.PieceworkWarning) as seen:
        tok.save_folder(tmp_path)
    messages = [str(warning.message) for warning in seen]
    assert any("unk_token='<unk>'" in message for message in messages)
    assert any("pad_token='<p>'" in message for message in messages)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path)
    check_equal(tok, loaded, ["to be", "to <unk> be<unk>"])
    with pytest.warns(pw.errors.PieceworkWarning, match="skips it in decoding"):
        tok.save_folder(tmp_path, unk_token="<unk>", pad_token=None)


def test_settings_of_calls(transformers: Any, tmp_path: Path) -> None:
    tok = trained("wordpiece").replace(
        truncation=pw.Truncation(5, direction="left"), padding=pw.Padding(direction="left")
    )
    tok.save_folder(tmp_path / "model")
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path / "model")
    assert (loaded.model_max_length, loaded.padding_side, loaded.truncation_side) == (
        5,
        "left",
        "left",
    )
    found = loaded(TEXTS, TEXTS, padding=True, truncation=True)
    own = tok.encode_batch([(text, text) for text in TEXTS])
    assert found["input_ids"] == own.to_list()
    assert found["token_type_ids"] == [list(encoding.type_ids) for encoding in own]
    assert found["attention_mask"] == [list(encoding.attention_mask) for encoding in own]
    tok.save_folder(tmp_path / "model", model_max_length=7)
    assert config_of(tmp_path / "model")["model_max_length"] == 7
    for wrong in (0, -1, "7", 1.5, True):
        with pytest.raises((pw.errors.ConfigError, TypeError)):
            tok.save_folder(tmp_path / "wrong", model_max_length=wrong)  # type: ignore[arg-type]
    assert not (tmp_path / "wrong").exists()


def test_type_ids_of_padding(transformers: Any, tmp_path: Path) -> None:
    tok = trained("wordpiece").replace(padding=pw.Padding(pad_type_id=3))
    with pytest.warns(pw.errors.PieceworkWarning, match="_pad_token_type_id"):
        tok.save_folder(tmp_path)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path)
    loaded._pad_token_type_id = 3
    own = [list(encoding.type_ids) for encoding in tok.encode_batch(TEXTS)]
    assert loaded(TEXTS, padding=True)["token_type_ids"] == own


@pytest.mark.parametrize("name", ["bpe", "wordpiece"])
def test_type_ids_are_those_of_the_post_processor(
    transformers: Any, name: str, tmp_path: Path
) -> None:
    tok = trained(name)
    tok.save_folder(tmp_path)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert ("token_type_ids" in loaded("hug", "pug")) == (name == "wordpiece")
    byte_level = tok.replace(post_processor=pw.processors.ByteLevel())
    byte_level.save_folder(tmp_path)
    assert config_of(tmp_path)["model_input_names"] == ["input_ids", "attention_mask"]
    template = pw.processors.TemplateProcessing("$A", "$A $B:1", special_tokens=[])
    both = pw.processors.Sequence([pw.processors.ByteLevel(), template])
    tok.replace(post_processor=both).save_folder(tmp_path)
    assert "token_type_ids" in config_of(tmp_path)["model_input_names"]


def test_a_folder_survives_a_round_trip(transformers: Any, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    tok = trained("bpe").with_added_tokens(["<end>", "<x>"], special=True)
    tok.save_folder(first, eos_token="<end>", bos_token=None, pad_token="<end>", model_max_length=9)
    config = config_of(first)
    config |= {
        "padding_side": "left",
        "truncation_side": "left",
        "model_input_names": ["input_ids"],
    }
    (first / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    loaded = pw.Tokenizer.from_folder(first)
    pickled = pickle.loads(pickle.dumps(loaded))
    for again in (loaded, pickled, pw.prune(loaded, ["hug"], min_count=1, force=True).tokenizer):
        again.save_folder(second)
        assert config_of(second) | {"added_tokens_decoder": None} == config | {
            "added_tokens_decoder": None
        }
    more = loaded.with_added_tokens(["<more>"]).replace(normalizer=pw.normalizers.NFC())
    more.save_folder(second)
    theirs = transformers.AutoTokenizer.from_pretrained(second)
    assert (theirs.eos_token, theirs.bos_token, theirs.pad_token) == ("<end>", None, "<end>")
    assert "<x>" in theirs.all_special_tokens
    loaded.save_folder(second, pad_token="<x>", model_max_length=4)
    assert (config_of(second)["pad_token"], config_of(second)["model_max_length"]) == ("<x>", 4)


def test_flags_of_added_tokens_and_older_files(transformers: Any, tmp_path: Path) -> None:
    tok = trained("wordpiece").with_added_tokens(
        [pw.AddedToken("[MASK]", lstrip=True, special=True), pw.AddedToken("pug", single_word=True)]
    )
    (tmp_path / "added_tokens.json").write_text('{"stale": 7, "hug": 12}')
    tok.save_folder(tmp_path)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path)
    check_equal(tok, loaded, ["hug [MASK] pug pugs", "stale hug"])
    assert pw.Tokenizer.from_folder(tmp_path) == tok


@pytest.mark.parametrize("file", ["t5-spiece.model", "privately-corp-albert-30k-clean.model"])
def test_a_unigram_model_is_approximated_on_request(
    transformers: Any, data: Path, file: str, tmp_path: Path
) -> None:
    tok = pw.Tokenizer.from_file(live_bpe.vocab_file(data, file))
    with pytest.raises(pw.errors.ConfigError, match="approximate=True"):
        tok.save_folder(tmp_path / "model")
    assert not (tmp_path / "model").exists()
    with pytest.warns(pw.errors.PieceworkWarning) as seen:
        tok.save_folder(tmp_path / "model", approximate=True)
    assert any("approximates the tokenizer" in str(warning.message) for warning in seen)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path / "model")
    assert loaded.pad_token == "<pad>"
    own = pw.Tokenizer.from_folder(tmp_path / "model")
    check_equal(own, loaded, [text for text in class_folders.texts(60) if text])
    assert own.encode_ids("Hello World, this is it!") == tok.encode_ids("Hello World, this is it!")


def test_what_tokenizers_lacks_is_refused(tmp_path: Path) -> None:
    tok = trained("wordpiece")
    unsupported = {
        "piecework.WordPiece": tok.replace(unknown="run"),
        "piecework.Dictionary": tok.replace(
            pre_tokenizer=pw.pre_tokenizers.Sequence(
                [pw.pre_tokenizers.Whitespace(), pw.pre_tokenizers.Dictionary(["hug"])]
            )
        ),
        "piecework.SentencePiece": tok.replace(normalizer=pw.normalizers.SentencePiece()),
    }
    for name, other in unsupported.items():
        with pytest.raises(pw.errors.ConfigError, match=name) as error:
            other.save_folder(tmp_path / "model")
        assert "approximate" not in str(error.value)
        with pytest.raises(pw.errors.ConfigError, match="approximate"):
            other.save_folder(tmp_path / "model", approximate=True)
    assert not (tmp_path / "model").exists()


def test_control_symbols_raise_a_warning(transformers: Any, data: Path, tmp_path: Path) -> None:
    tok = pw.Tokenizer.from_file(live_bpe.vocab_file(data, "llama2-tokenizer.model"))
    with pytest.warns(pw.errors.PieceworkWarning) as seen:
        tok.save_folder(tmp_path)
    assert any("control symbols" in str(warning.message) for warning in seen)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path)
    texts = [text for text in class_folders.texts(60) if "s>" not in text]
    check_equal(tok, loaded, [*texts, "a <unk> b"])


@pytest.mark.slow
@examples(60)
@given(data=st.data())
def test_random_tokenizers(data: st.DataObject) -> None:
    transformers = class_folders.transformers()
    tok = trained(data.draw(st.sampled_from(sorted(TRAINERS))))
    name, text = (
        st.sampled_from(["[CLS]", "<s>", "<x>", "hug", "é"]),
        st.text("hugps <>x[]CLé", max_size=12),
    )
    flags = {flag: data.draw(st.booleans()) for flag in ("lstrip", "rstrip", "special")}
    tok = tok.with_added_tokens([pw.AddedToken(data.draw(name), **flags)])
    end = next(iter(tok.special_tokens))
    numbered = [(end, tok.special_tokens[end])]
    template = pw.processors.TemplateProcessing(f"{end} $A", f"{end} $A $B:1", numbered)
    side = st.sampled_from(["left", "right"])
    tok = tok.replace(
        post_processor=data.draw(st.sampled_from([None, template])),
        truncation=data.draw(st.none() | st.builds(pw.Truncation, st.just(5), direction=side)),
    )
    roles = data.draw(
        st.dictionaries(st.sampled_from(sorted(ROLES)), st.sampled_from(sorted(tok.special_tokens)))
    )
    with tempfile.TemporaryDirectory() as folder:
        tok.save_folder(folder, **roles)
        loaded = transformers.AutoTokenizer.from_pretrained(folder)
        texts = data.draw(st.lists(text, min_size=1))
        check_equal(tok, loaded, texts)
        limits: Any = {"truncation": tok.truncation and True}
        found = loaded(texts, **limits)["input_ids"]
        assert found == tok.encode_batch(texts).to_list()
        own = pw.Tokenizer.from_folder(folder)
        assert own == tok.replace(truncation=None)
        assert {role: loaded.special_tokens_map[role] for role in roles} == roles


def test_the_history_survives_a_file_of_our_own(transformers: Any, tmp_path: Path) -> None:
    tok = pw.train(WORDS, pw.BpeTrainer(20))
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=hf.Tokenizer.from_str(tok.to_str())
    )
    wrapped.save_pretrained(tmp_path)
    assert pw.Tokenizer.from_file(tmp_path / "tokenizer.json").history == tok.history
    assert len(tok.history) > 0


def test_given_tokens(tmp_path: Path) -> None:
    tok = pw.train(WORDS, pw.WordPieceTrainer(20))
    tok.save_folder(tmp_path, pad_token="[MASK]", bos_token=None)
    config = json.loads((tmp_path / "tokenizer_config.json").read_text("utf-8"))
    roles = json.loads((tmp_path / "special_tokens_map.json").read_text("utf-8"))
    assert config["pad_token"] == roles["pad_token"] == "[MASK]"
    assert "bos_token" not in roles
    with pytest.raises(pw.errors.ConfigError, match="not in the vocabulary"):
        tok.save_folder(tmp_path, eos_token="</s>")
    with pytest.raises(pw.errors.ConfigError, match="pad_token"):
        tok.save_folder(tmp_path, pad_tokens="</s>")
    with pytest.raises(TypeError, match="pad_token"):
        tok.save_folder(tmp_path, pad_token=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="approximate"):
        tok.save_folder(tmp_path, approximate="no")  # type: ignore[arg-type]
