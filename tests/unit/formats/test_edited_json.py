"""Tests tokenizer.json files that a person edited, and ids of added tokens that do not follow from counting."""

import json
import random
import warnings
from typing import Any

import pytest
import tokenizers

import piecework as pw
from piecework import decoders, models


def trained() -> pw.Tokenizer:
    return pw.train(["low lower lowest newer wider"] * 3, pw.BpeTrainer(40))


def bpe(**settings: Any) -> pw.Tokenizer:
    return pw.Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], **settings))


def gapped(tokens: dict[str, int], **model: Any) -> str:
    """Returns the text of a file whose added tokens have these ids."""
    tree = json.loads(pw.Tokenizer(models.BPE({"a": 0, "b": 1}, [], **model)).to_str())
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    tree["added_tokens"] = [
        {"id": number, "content": text, **flags, "special": True} for text, number in tokens.items()
    ]
    return json.dumps(tree)


def read(tree: Any) -> pw.Tokenizer:
    return pw.Tokenizer.from_str(json.dumps(tree))


def append(tree: Any) -> None:
    tree["model"]["vocab"]["zz"] = len(tree["model"]["vocab"])


def remove(tree: Any) -> None:
    vocab = tree["model"]["vocab"]
    vocab.pop(max(vocab, key=vocab.get))
    tree["model"]["merges"].pop()


def reorder(tree: Any) -> None:
    vocab = tree["model"]["vocab"]
    one, other = list(vocab)[-2:]
    vocab[one], vocab[other] = vocab[other], vocab[one]


@pytest.mark.parametrize(
    "edit", [append, remove, reorder, lambda tree: tree["model"]["merges"].pop()]
)
def test_a_training_of_another_vocabulary_is_dropped(edit: Any) -> None:
    tree = json.loads(trained().to_str())
    edit(tree)
    with pytest.warns(pw.errors.PieceworkWarning, match=r"model\.piecework\.training") as found:
        tok = read(tree)
    assert len(found) == 1
    assert "training" not in json.loads(tok.to_str())["model"]["piecework"]
    assert {text: tok.token_to_id(text) for text in tree["model"]["vocab"]} == tree["model"][
        "vocab"
    ]


@pytest.mark.parametrize(
    "member", ["normalizer", "decoder", "post_processor", "padding", "truncation"]
)
def test_edits_that_leave_the_training_true_keep_it(member: Any) -> None:
    tree = json.loads(trained().to_str())
    tree[member] = None
    with warnings.catch_warnings(action="error"):
        assert read(tree).training.token_counts


@pytest.mark.parametrize(
    "decoder",
    [
        None,
        {"type": "Fuse"},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    ],
)
def test_the_decoder_of_the_file_decides(decoder: Any) -> None:
    own = bpe().replace(decoder=decoders.SentencePiece())
    tree = json.loads(own.to_str())
    with warnings.catch_warnings(action="error"):
        assert read(tree).decoder == own.decoder
    tree["decoder"] = decoder
    with pytest.warns(pw.errors.PieceworkWarning, match=r"model\.piecework\.decoder") as found:
        tok = read(tree)
    assert len(found) == 1
    assert json.loads(tok.to_str())["decoder"] == decoder


def test_a_type_of_the_library_decides() -> None:
    tree = json.loads(pw.Tokenizer(models.WordPiece(["[UNK]", "a"], unknown="char")).to_str())
    tree["model"]["type"] = "WordPiece"
    with pytest.warns(pw.errors.PieceworkWarning, match=r"model\.piecework\.unknown"):
        assert json.loads(read(tree).to_str())["model"]["type"] == "WordPiece"


def test_names_that_are_no_entries_are_dropped() -> None:
    unused = models.BPE({"a": 0, "b": 1, "c": 2}, [], unused=["b", "c"])
    tree = json.loads(pw.Tokenizer(unused).to_str())
    del tree["model"]["vocab"]["c"]
    with pytest.warns(
        pw.errors.PieceworkWarning, match=r'"c" in model\.piecework\.unused'
    ) as found:
        tok = read(tree)
    assert len(found) == 1
    assert list(tok.model.unused) == ["b"]  # type: ignore[attr-defined]


def test_ids_with_a_gap_are_an_error_that_names_the_way() -> None:
    text = gapped({"<x>": 7, "<y>": 5})
    with pytest.raises(
        pw.errors.FormatError, match=r"'?<x>\"? has the id 7.*is 2.*added_token_ids"
    ):
        pw.Tokenizer.from_str(text)
    mine = pw.Tokenizer.from_str(text, added_token_ids="file")
    assert mine.encode_ids("a<x>b<y>") == [0, 7, 1, 5]
    theirs = pw.Tokenizer.from_str(text, added_token_ids="tokenizers")
    assert (
        theirs.encode_ids("a<x>b<y>") == tokenizers.Tokenizer.from_str(text).encode("a<x>b<y>").ids
    )
    with pytest.raises(pw.errors.ConfigError, match="added_token_ids"):
        pw.Tokenizer.from_str(text, added_token_ids="ours")
    with pytest.raises(pw.errors.ConfigError, match="added_token_ids"):
        pw.Tokenizer.from_str("[UNK]\na\n", added_token_ids="file")


def test_random_ids_are_saved_so_that_both_read_them() -> None:
    rng = random.Random(8)
    refused = 0
    for _ in range(150):
        ids = rng.sample(range(2, 12), rng.randrange(1, 5))
        names = rng.sample(["<x>", "<yy>", "é", "zz", "<unk>", "ab"], len(ids))
        text = gapped(dict(zip(names, ids, strict=True)), ignore_merges=rng.random() < 0.2)
        tok = pw.Tokenizer.from_str(text, added_token_ids="file")
        try:
            saved = tok.to_str()
        except pw.errors.ConfigError as error:
            refused += 1
            assert "would give it" in str(error)  # noqa: PT017
            continue
        sample = "ab".join(names) + "ba"
        expected = tok.encode_ids(sample)
        assert pw.Tokenizer.from_str(saved).encode_ids(sample) == expected
        assert tokenizers.Tokenizer.from_str(saved).encode(sample).ids == expected
    assert 0 < refused < 120


def test_a_model_that_would_match_in_words_is_not_saved() -> None:
    tree = json.loads(pw.Tokenizer(models.WordPiece(["[UNK]", "a"])).to_str())
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized", "special"], False)
    tree["added_tokens"] = [{"id": 9, "content": "<x>", **flags}]
    tok = pw.Tokenizer.from_str(json.dumps(tree), added_token_ids="file")
    with pytest.raises(pw.errors.ConfigError, match=r"has the id 9.*would give it 2"):
        tok.to_str()
