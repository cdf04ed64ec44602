"""Tokenizer constructor and replace: components are kept, work, and survive saving."""

import copy
import inspect
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import parts
import piecework as pw
from piecework import decoders, models, normalizers, pre_tokenizers, processors

pytestmark = pytest.mark.smoke

NAMES = [f"{name}-{place}" for place, (name, _) in enumerate(parts.EVERY)]
ALL_MODELS = [*parts.MODELS, *parts.PIECEWORK_MODELS]


def check_equal(one: pw.Tokenizer, other: pw.Tokenizer) -> None:
    """Checks that two tokenizers are equal in all public properties and results."""
    assert one == other
    assert hash(one) == hash(other)
    assert one.to_str() == other.to_str()
    assert one.vocab == other.vocab
    assert one.added_tokens == other.added_tokens
    for text in parts.TEXTS:
        assert one.encode(text) == other.encode(text)
        ids = one.encode_ids(text, "ab a")
        assert ids == other.encode_ids(text, "ab a")
        assert one.decode(ids) == other.decode(ids)
        assert one.decode(ids, skip_special_tokens=False) == other.decode(
            ids, skip_special_tokens=False
        )


@pytest.mark.parametrize(("name", "part"), parts.EVERY, ids=NAMES)
def test_components_are_kept(name: str, part: Any) -> None:
    tok = parts.made(**{name: part})
    assert getattr(tok, name) == part
    assert type(getattr(tok, name)) is type(part)
    assert getattr(parts.made().replace(**{name: part}), name) == part  # type: ignore[misc]
    assert parts.made().replace(**{name: part}) == tok  # type: ignore[misc]


@pytest.mark.parametrize(("name", "part"), parts.EVERY, ids=NAMES)
def test_components_survive_saving_and_pickling(tmp_path: Path, name: str, part: Any) -> None:
    tok = parts.made(**{name: part}, added_tokens=parts.ADDED)
    tok.save(tmp_path / "tokenizer.json")
    check_equal(tok, pw.Tokenizer.from_file(tmp_path / "tokenizer.json"))
    check_equal(tok, pw.Tokenizer.from_str(tok.to_str()))
    check_equal(tok, pickle.loads(pickle.dumps(tok)))
    assert copy.deepcopy(tok) is tok


@pytest.mark.parametrize("model", ALL_MODELS, ids=repr)
def test_models_survive_saving_and_pickling(model: models.Model) -> None:
    tok = parts.made(model, added_tokens=parts.ADDED)
    assert tok.model == model
    assert tok.model_type == type(model).__name__
    assert pw.Tokenizer.from_str(tok.to_str()).model == model
    reloaded = pickle.loads(pickle.dumps(tok))
    assert reloaded == tok
    for text in parts.TEXTS:
        if tok.unk_token is not None:
            assert reloaded.encode(text) == tok.encode(text)


def test_all_components_together_survive_saving() -> None:
    given = {name: all_[-1] for name, all_ in (parts.STAGES | parts.LIMITS).items()}
    with pytest.warns(
        pw.errors.PieceworkWarning, match="no text matches them"
    ):  # "New York" after lowercasing
        tok = parts.made(**given, added_tokens=parts.ADDED)
    assert {name: getattr(tok, name) for name in given} == given
    check_equal(tok, pw.Tokenizer.from_str(tok.to_str()))


@pytest.mark.parametrize("name", [*parts.STAGES, *parts.LIMITS])
def test_none_removes_one_component(name: str) -> None:
    given = {other: all_[0] for other, all_ in (parts.STAGES | parts.LIMITS).items()}
    tok = parts.made(**given, added_tokens=parts.ADDED)
    without = tok.replace(**{name: None})  # type: ignore[misc]
    assert getattr(without, name) is None
    assert {o: getattr(without, o) for o in given if o != name} == {
        o: given[o] for o in given if o != name
    }
    assert without.added_tokens == tok.added_tokens
    assert getattr(tok, name) == given[name], "the original is unchanged"
    assert without.replace(**{name: given[name]}) == tok  # type: ignore[misc]


def test_changes_without_arguments_give_an_equal_tokenizer() -> None:
    tok = parts.made(decoder=decoders.Fuse())
    assert tok.replace() == tok
    assert tok.with_added_tokens([]) == tok
    assert tok.replace() == tok if tok.model_type == "WordPiece" else True


def test_model_without_other_components() -> None:
    tok = pw.Tokenizer(models.WordLevel(["<unk>", "a b"]))
    assert tok.encode("a b").tokens == ["a b"]
    assert tok.encode("a b ").tokens == ["<unk>"]
    assert tok.decode([1, 0]) == "a b <unk>"
    for name in (*parts.STAGES, *parts.LIMITS):
        assert getattr(tok, name) is None
    assert tok.special_tokens == tok.added_tokens == {}


def test_padding_token_defaults_to_that_of_the_vocabulary() -> None:
    tok = parts.made(padding=4)
    assert tok.padding == pw.Padding(4, pad_id=0, pad_token="[PAD]")
    assert tok.encode("a").tokens == ["a", "[PAD]", "[PAD]", "[PAD]"]
    assert parts.made(padding="longest").padding == pw.Padding(pad_id=0, pad_token="[PAD]")
    own = parts.made(padding=pw.Padding(3, pad_token="b"))
    assert own.encode("a").tokens == ["a", "b", "b"]
    number = parts.VOCAB.index("b")
    assert parts.made(padding=pw.Padding(3, pad_id=number)) == own


def test_truncation_accepts_an_integer() -> None:
    assert parts.made(truncation=3).truncation == pw.Truncation(3)
    assert parts.made(truncation=3).encode("a b a b").tokens == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"normalizer": pre_tokenizers.Whitespace()}, "normalizer"),
        ({"normalizer": "NFC"}, "normalizer"),
        ({"normalizer": normalizers.NFC}, "normalizer"),
        ({"pre_tokenizer": normalizers.NFC()}, "pre_tokenizer"),
        ({"pre_tokenizer": str.split}, "pre_tokenizer"),
        ({"post_processor": decoders.Fuse()}, "post_processor"),
        ({"decoder": processors.ByteLevel()}, "decoder"),
        ({"decoder": pre_tokenizers.ByteLevel()}, "decoder"),
        ({"normalizer": ""}, "normalizer"),
        ({"decoder": 0}, "decoder"),
        ({"pre_tokenizer": []}, "pre_tokenizer"),
        ({"post_processor": False}, "post_processor"),
    ],
)
def test_components_of_another_stage_raise(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        parts.made(**changes)
    with pytest.raises(TypeError, match=message):
        parts.made().replace(**changes)


def test_wrong_arguments_raise() -> None:
    with pytest.raises(TypeError, match="model"):
        pw.Tokenizer({"[UNK]": 0})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="did you mean 'normalizer'"):
        parts.made().replace(normaliser=None)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        pw.Tokenizer(models.WordLevel(["a"], "a"), normalizers.NFC())  # type: ignore[misc]


def test_added_tokens_may_be_an_iterator() -> None:
    tok = parts.made(added_tokens=iter(["<a>", pw.AddedToken("<b>", special=True)]))
    assert tok.encode("<b><a>").tokens == ["<b>", "<a>"]
    assert parts.made(added_tokens=iter([])) == parts.made()


def test_added_tokens_get_the_next_ids() -> None:
    tok = parts.made(added_tokens=["<a>", "ab", "<b>", "<a>"])
    size = len(parts.VOCAB)
    numbers = {token.content: number for number, token in tok.added_tokens.items()}
    assert numbers == {"ab": parts.VOCAB.index("ab"), "<a>": size, "<b>": size + 1}
    assert (len(tok), tok.vocab_size) == (size + 2, size + 2)
    assert tok.id_to_token(size + 1) == "<b>"
    more = tok.with_added_tokens(["<c>"])
    assert more.token_to_id("<c>") == size + 2
    assert tok.token_to_id("<c>") is None


def test_adding_a_token_again_changes_its_flags() -> None:
    tok = parts.made(added_tokens=["<a>"])
    reloaded = tok.with_added_tokens([pw.AddedToken("<a>", special=True, lstrip=True)])
    assert list(reloaded.added_tokens) == list(tok.added_tokens)
    assert reloaded.special_tokens == {"<a>": len(parts.VOCAB)}
    assert reloaded.encode("a <a>").offsets == [(0, 1), (1, 5)]


def test_every_property_has_a_docstring() -> None:
    for name, value in inspect.getmembers(pw.Tokenizer):
        if not name.startswith("_"):
            assert inspect.getdoc(value), name


def test_piecework_types_have_a_prefix() -> None:
    for part in parts.PIECEWORK_PRE_TOKENIZERS:
        assert "piecework." in json.dumps(json.loads(parts.made(pre_tokenizer=part).to_str()))


def test_parts_and_settings_are_replaced_together() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n##x\n")
    both = tok.replace(normalizer=None, unknown="run")
    assert both == tok.replace(unknown="run").replace(normalizer=None)
    assert both.tokenize("Hugs ğs") == ["[UNK]", "##s", "[UNK]", "##s"]
    assert tok.replace() == tok
