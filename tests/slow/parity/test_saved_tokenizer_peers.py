"""Saved tokenizers with every component, read by `tokenizers`."""

import json
import random
from typing import Any

import pytest

import parts
import piecework as pw
from piecework import decoders, hf, models, normalizers, pre_tokenizers


def live(tok: pw.Tokenizer) -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle is not installed")
    return tokenizers.Tokenizer.from_str(tok.to_str())


@pytest.mark.parametrize("model", parts.MODELS, ids=repr)
@pytest.mark.parametrize(
    ("name", "part"),
    [(name, part) for name, part in parts.EVERY if part not in parts.PIECEWORK_PRE_TOKENIZERS],
)
def test_saved_tokenizers_work_in_tokenizers(model: models.Model, name: str, part: Any) -> None:
    tok = parts.made(model, **{name: part}, added_tokens=parts.ADDED)
    theirs = live(tok)
    for text in parts.TEXTS:
        for pair in (None, "ab New"):
            found, wanted = tok.encode(text, pair), theirs.encode(text, pair)
            assert found.ids == wanted.ids
            assert found.tokens == wanted.tokens
            assert found.offsets == wanted.offsets
            assert found.word_ids == wanted.word_ids
            assert [o.ids for o in found.overflowing] == [o.ids for o in wanted.overflowing]
        if isinstance(part, decoders.Strip):
            continue  # panics in `tokenizers` on short tokens
        wanted_text = theirs.decode(found.ids)
        assert hf.Tokenizer.from_str(tok.to_str()).decode(found.ids) == wanted_text
        if not isinstance(
            part, decoders.ByteLevel
        ):  # which reads the characters of added tokens as bytes there
            assert tok.decode(found.ids) == wanted_text


@pytest.mark.parametrize("pre_tokenizer", parts.PIECEWORK_PRE_TOKENIZERS, ids=repr)
def test_tokenizers_refuses_piecework_pre_tokenizers(
    pre_tokenizer: pre_tokenizers.PreTokenizer,
) -> None:
    with pytest.raises(Exception, match=r"variant|unknown"):
        live(parts.made(pre_tokenizer=pre_tokenizer))


@pytest.mark.parametrize("model", parts.PIECEWORK_MODELS, ids=repr)
def test_tokenizers_refuses_piecework_models(model: models.Model) -> None:
    with pytest.raises(Exception, match=r"variant|unknown"):
        live(parts.made(model))


def test_added_tokens_outside_the_vocabulary_equal_tokenizers() -> None:
    # The model has no "##b": matching the added token is the only way to its id.
    ours = pw.Tokenizer(
        models.WordPiece({"[UNK]": 0, "a": 1}),
        normalizer=normalizers.BertNormalizer(),
        pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
        added_tokens=[
            pw.AddedToken(content, special=True, normalized=False)
            for content in ("[UNK]", "##b", "b")
        ],
    )
    theirs = live(ours)
    for text in ["ab", "B", "a b", "a ##b", "ba", "A##B"]:
        assert ours.encode_ids(text) == theirs.encode(text).ids, text


def test_template_name_with_two_ids_equals_tokenizers() -> None:
    members = json.loads(pw.Tokenizer.from_str("[UNK]\na\nb\nX\nY\n").to_str())
    members["post_processor"] = {"type": "BertProcessing", "sep": ["X", 4], "cls": ["X", 3]}
    with pytest.warns(pw.errors.PieceworkWarning, match="'X' has the id 3"):
        ours = pw.Tokenizer.from_str(json.dumps(members))
    assert ours.encode_ids("a") == live(ours).encode("a").ids == [3, 1, 4]


def test_as_bpe_equals_tokenizers() -> None:
    rng = random.Random(5)
    words = {
        "".join(rng.choices("abcde", k=rng.randrange(1, 9))): rng.randrange(1, 9)
        for _ in range(300)
    }
    differ = 0
    criteria: tuple[Any, ...] = ("likelihood", "frequency", "sum", "pmi")
    for criterion in criteria:
        tok = pw.train(words, pw.WordPieceTrainer(90, criterion=criterion, ties="first"))
        bpe = tok.as_bpe()
        theirs = live(bpe)
        for word in words:
            assert bpe.tokenize(word) == theirs.encode(word, add_special_tokens=False).tokens
            differ += bpe.tokenize(word) != tok.tokenize(word)
    assert differ > 20  # the two algorithms differ
