"""Tests tokenizer.json files that a person edited, and ids of added tokens that do not follow from counting."""

import json
import pickle
import random
import warnings
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import live_bpe
import piecework as pw
from piecework import decoders, hf, models, pre_tokenizers


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


def test_the_warning_names_the_file(tmp_path: Path) -> None:
    tree = json.loads(trained().to_str())
    append(tree)
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(tree), encoding="utf-8")
    for load in (pw.Tokenizer.from_file, hf.Tokenizer.from_file):
        with pytest.warns(pw.errors.PieceworkWarning, match="training") as found:
            load(str(file))
        assert str(found[0].message).startswith(f"{file}: model.piecework.training was")
    with pytest.warns(pw.errors.PieceworkWarning, match="training") as found:
        pw.Tokenizer.from_folder(tmp_path)
    assert str(found[0].message).startswith(f"{file}: ")


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


def test_cl100k_with_another_token_is_read_by_both(data: Path) -> None:
    cl100k = pw.Tokenizer.from_tiktoken(live_bpe.vocab_file(data, "cl100k_base.tiktoken"))
    tok = cl100k.with_added_tokens(["<|im_start|>"])
    saved, text = tok.to_str(), "a <|im_start|>user<|endofprompt|> b<|endoftext|>"
    read = pw.Tokenizer.from_str(saved)
    assert tok.token_to_id("<|im_start|>") == 100277
    theirs = tokenizers.Tokenizer.from_str(saved)
    assert tok.encode_ids(text) == read.encode_ids(text) == theirs.encode(text).ids
    plain = tok.encode_ids(text, specials="text")
    assert read.encode_ids(text, specials="text") == plain
    assert read.decode(tok.encode_ids(text)) == tok.decode(tok.encode_ids(text))
    again = pw.Tokenizer.from_str(theirs.to_str())
    assert again.encode_ids(text) == tok.encode_ids(text)


def test_ignored_merges_would_match_what_is_one_word() -> None:
    split = pre_tokenizers.WhitespaceSplit()
    tok = pw.Tokenizer.from_str(gapped({"<x>": 7}, ignore_merges=True), added_token_ids="file")
    for changes in ({}, {"pre_tokenizer": split}):
        with pytest.raises(pw.errors.ConfigError, match=r"id 7.*would give it 2.*in words"):
            tok.replace(**changes).to_str()
    parted = tok.replace(pre_tokenizer=pre_tokenizers.Whitespace())
    saved = parted.to_str()
    for text in ("<x>", "a<x>b", "< x>", "x"):
        assert parted.encode_ids(text) == pw.Tokenizer.from_str(saved).encode_ids(text)
        assert parted.encode_ids(text) == tokenizers.Tokenizer.from_str(saved).encode(text).ids


@pytest.mark.parametrize("data_decoder", [None, {"type": "Fuse"}])
def test_the_decoder_of_a_saved_model_file_can_be_changed(data: Path, data_decoder: Any) -> None:
    llama = pw.Tokenizer.from_file(live_bpe.vocab_file(data, "llama2-tokenizer.model"))
    tree = json.loads(llama.to_str())
    tree["decoder"] = data_decoder
    with pytest.warns(pw.errors.PieceworkWarning, match=r"model\.piecework\.decoder"):
        tok = read(tree)
    ids = llama.encode_ids("hello  world é")
    assert tok.decode(ids) == tokenizers.Tokenizer.from_str(json.dumps(tree)).decode(ids)


def test_every_loader_takes_the_argument_and_the_error_names_the_file(tmp_path: Path) -> None:
    text = gapped({"<x>": 7})
    path = tmp_path / "tokenizer.json"
    path.write_text(text, encoding="utf-8")
    loaders = [
        lambda **ids: pw.Tokenizer.from_bytes(text.encode(), **ids),
        lambda **ids: pw.Tokenizer.from_file(path, **ids),
        lambda **ids: pw.Tokenizer.from_folder(tmp_path, **ids),
    ]
    for load in loaders:
        assert load(added_token_ids="file").token_to_id("<x>") == 7
        assert load(added_token_ids="tokenizers").token_to_id("<x>") == 2
        with pytest.raises(pw.errors.FormatError, match=r"id 7.*added_token_ids"):
            load()
    for load in loaders[1:]:
        with pytest.raises(pw.errors.FormatError, match=r"tokenizer\.json: .*id 7"):
            load()
    assert hf.Tokenizer.from_str(text).token_to_id("<x>") == 2  # as `tokenizers` does


def test_unusual_ids_survive_pickling() -> None:
    for ignore_merges in (False, True):
        text = gapped({"<x>": 7, "é": 4}, ignore_merges=ignore_merges)
        tok = pw.Tokenizer.from_str(text, added_token_ids="file")
        again = pickle.loads(pickle.dumps(tok))
        assert again == tok
        assert again.encode_ids("a<x>é") == tok.encode_ids("a<x>é") == [0, 7, 4]


@pytest.mark.parametrize("model", ["BPE", "WordPiece", "Unigram"])
def test_a_file_that_tokenizers_changed_is_read(model: str) -> None:
    trainer: Any = {
        "BPE": pw.BpeTrainer,
        "WordPiece": pw.WordPieceTrainer,
        "Unigram": pw.UnigramTrainer,
    }[model]
    tok = pw.train(["low lower lowest newer wider"] * 3, trainer(22))
    theirs = tokenizers.Tokenizer.from_str(tok.to_str())
    theirs.add_tokens(["<new>"])
    theirs.normalizer = tokenizers.normalizers.Lowercase()
    with warnings.catch_warnings(action="error"):
        read_again = pw.Tokenizer.from_str(theirs.to_str())
    for text in ("LOW<new>er", "wider newest"):
        assert read_again.encode_ids(text) == theirs.encode(text).ids


def test_anything_that_is_saved_is_read_as_it_was() -> None:
    rng = random.Random(36)
    texts = ["low lower é lowest newer wider <x>", "ab 12, ab", "<yy>low"]
    trainers: list[Any] = [
        pw.BpeTrainer,
        pw.WordPieceTrainer,
        pw.UnigramTrainer,
        pw.WordLevelTrainer,
    ]
    saved = 0
    for _ in range(120):
        trainer = rng.choice(trainers)
        tok = pw.train(texts * 2, trainer(rng.randrange(30, 39)))
        if rng.random() < 0.5:
            names = rng.sample(["<x>", "<yy>", "é", "low", "ab ab"], 2)
            tok = tok.with_added_tokens(names, special=rng.random() < 0.5)
        if rng.random() < 0.4:
            tree = json.loads(tok.to_str())
            for token in tree["added_tokens"]:
                if token["content"] not in json.dumps(tree["model"]["vocab"]):
                    token["id"] += rng.randrange(3) * 5
            tok = pw.Tokenizer.from_str(json.dumps(tree), added_token_ids="file")
        if rng.random() < 0.4:
            tok = tok.replace(
                truncation=pw.Truncation(4), decoder=rng.choice([None, decoders.Fuse()])
            )
        try:
            text = tok.to_str()
        except pw.errors.ConfigError as error:
            assert "would give it" in str(error)  # noqa: PT017
            continue
        saved += 1
        with warnings.catch_warnings(action="error"):
            again = pw.Tokenizer.from_str(text)
        assert again.to_str() == text
        for sample in texts:
            ids = tok.encode_ids(sample)
            assert again.encode_ids(sample) == ids
            assert again.decode(ids) == tok.decode(ids)
    assert saved > 80
