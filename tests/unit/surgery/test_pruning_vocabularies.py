"""`pw.prune`: fewer tokens, with the same encoding of texts that use only kept ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import piecework as pw
from piecework import models, pre_tokenizers, processors
from piecework.errors import ConfigError, CountsError, PieceworkWarning, VocabularyError

LETTERS = [*"hugs", *(f"##{letter}" for letter in "hugs")]
BERT = pw.Tokenizer.from_str(
    "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, "hug", "##gs", "hu"])
)


def test_the_least_used_tokens_are_removed() -> None:
    change = pw.prune(BERT, ["hug hugs hug"], vocab_size=13)
    assert change.removed == ("##gs", "hu")
    assert change.tokenizer.encode("hugs").tokens == ["[CLS]", "hug", "##s", "[SEP]"]
    assert change.id_map.tolist() == [*range(13), -1, -1]
    assert not change.added
    assert not change.initial_rows


def test_ids_of_special_tokens_follow() -> None:
    tok = pw.Tokenizer.from_str("x\nxx\n[UNK]\nhug\n[CLS]\n##s\n[SEP]\n[PAD]\n").replace(
        padding="longest"
    )
    tok = tok.with_added_tokens(["<new>"])
    change = pw.prune(tok, ["hugs"], min_count=1, keep_alphabet=False)
    assert change.removed == ("x", "xx")
    pruned = change.tokenizer
    assert pruned.vocab == {
        "[UNK]": 0,
        "hug": 1,
        "[CLS]": 2,
        "##s": 3,
        "[SEP]": 4,
        "[PAD]": 5,
        "<new>": 6,
    }
    assert pruned.encode("hugs <new>").ids == [2, 1, 3, 6, 4]
    assert pruned.encode_batch(["hugs", ""]).padded().ids.tolist() == [[2, 1, 3, 4], [2, 4, 5, 5]]
    assert pw.Tokenizer.from_str(pruned.to_str()).fingerprint == pruned.fingerprint


@pytest.mark.parametrize(
    "processor",
    [
        processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2)),
        processors.RobertaProcessing(("[SEP]", 3), ("[CLS]", 2)),
        processors.Sequence(
            [processors.ByteLevel(), processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))]
        ),
    ],
)
def test_post_processors(processor: processors.PostProcessor) -> None:
    tok = pw.Tokenizer(
        models.WordPiece(["x", "[UNK]", "[CLS]", "[SEP]", "hug"]),
        pre_tokenizer=pre_tokenizers.Whitespace(),
        post_processor=processor,
    )
    pruned = pw.prune(tok, ["hug"], vocab_size=4, keep_alphabet=False).tokenizer
    assert pruned.encode("hug").ids == [1, 3, 2]
    of_others = processors.BertProcessing(("[SEP]", 30), ("[CLS]", 2)).to_dict()
    with pytest.warns(PieceworkWarning, match="it inserts"):
        broken = pw.Tokenizer.from_str(
            json.dumps(json.loads(tok.to_str()) | {"post_processor": of_others})
        )
    with pytest.raises(VocabularyError, match="inserts the id 30, which has no token"):
        pw.prune(broken, ["hug"], vocab_size=4, keep_alphabet=False)


def test_what_kept_tokens_are_merged_from_stays() -> None:
    merges = [("a", "b"), ("ab", "c"), ("c", "d"), ("abc", "d")]
    tok = pw.Tokenizer(models.BPE([*"abcd", *("".join(pair) for pair in merges)], merges))
    assert tok.tokenize("abcd") == ["abcd"]
    change = pw.prune(tok, {"abcd": 5}, vocab_size=7)
    assert change.removed == ("cd",)
    assert change.tokenizer.model.merges == (("a", "b"), ("ab", "c"), ("abc", "d"))  # type: ignore[attr-defined]
    assert change.tokenizer.tokenize("abcd") == ["abcd"]
    assert pw.prune(tok, {"cd": 5}, vocab_size=6).removed == ("abc", "abcd")
    assert pw.prune(tok, {"abc": 5}, min_count=1).removed == ("cd", "abcd")


def test_only_the_last_pair_of_an_entry_is_needed() -> None:
    # A file may list all pairs that concatenate to an entry; only one of them is ever merged.
    merges = [("a", "b"), ("b", "c"), ("a", "bc"), ("ab", "c")]
    tok = pw.Tokenizer(models.BPE([*"abc", "ab", "bc", "abc"], merges))
    assert tok.tokenize("abc") == ["abc"]
    assert pw.prune(tok, {"abc": 5}, vocab_size=5).removed == ("bc",)


def test_ranks() -> None:
    # Equal ranks cannot be written as merges.
    tok = pw.Tokenizer(models.BPE([*"abc", "bc", "ab", "abc"], ranks=[None, None, None, 9, 3, 3]))
    change = pw.prune(tok, {"abc": 5}, vocab_size=5)
    assert change.removed == ("bc",)
    assert change.tokenizer.model.ranks == (None, None, None, 3, 3)  # type: ignore[attr-defined]
    assert change.tokenizer.tokenize("abcb") == ["abc", "b"]


def test_unused_entries_stay() -> None:
    merges = [("a", "b"), ("ab", "c")]
    tok = pw.Tokenizer(models.BPE([*"abc", "ab", "abc", "x"], merges, unused=["ab"]))
    change = pw.prune(tok, {"abc": 5}, min_count=1, keep_alphabet=False)
    assert change.removed == ("x",)
    assert change.tokenizer.tokenize("abab") == ["a", "b", "a", "b"]


def test_unigram_keeps_what_unknown_characters_need() -> None:
    pieces = [("<unk>", 0.0), ("a", -2.0), ("b", -2.0), ("ab", -1.0), ("ba", -9.0), ("aba", -8.0)]
    tok = pw.Tokenizer(models.Unigram(pieces, 0, user_defined=["ba"], precision="float32"))
    change = pw.prune(tok, {"ab": 5}, min_count=1)
    assert change.removed == ()
    plain = pw.Tokenizer(models.Unigram(pieces, 0))
    assert pw.prune(plain, {"ab": 5}, min_count=1).removed == ("aba",)
    assert pw.prune(plain, {"ab": 5}, min_count=1, keep_alphabet=False).removed == ("a", "b", "aba")


def test_the_piece_that_unknown_characters_get_their_score_from_stays_beside_a_reserved_one() -> (
    None
):
    pieces = [
        ("<unk>", 0.0),
        ("a", -1.0),
        ("b", -2.0),
        ("c", -3.0),
        ("bc", -9.0),
        ("cb", -8.0),
        ("r", -50.0),
    ]
    tok = pw.Tokenizer(models.Unigram(pieces, 0, reserved=["r"], precision="float32"))
    assert pw.prune(tok, {"a": 5}, min_count=1).removed == ("cb",)


def test_byte_tokens_and_word_level() -> None:
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "a", "b", "ab"]
    tok = pw.Tokenizer(models.BPE(tokens, [("a", "b")], unk_token="<unk>", byte_fallback=True))
    assert pw.prune(tok, {"é": 1}, min_count=1).removed == ("ab",)
    words = pw.Tokenizer(models.WordLevel(["<unk>", "to", "be"]))
    assert pw.prune(words, {"be": 3}, vocab_size=2).removed == ("to",)


def test_characters_stay_unless_asked() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nh\n##u\nhu\n##ug\nhug\n")
    # `##ug` has a character without an entry of its own, and so has `hug`.
    assert pw.prune(tok, ["h"], min_count=1).removed == ("hu",)
    assert pw.prune(tok, ["h h h h"], min_count=1, keep_alphabet=False).removed == (
        "##u",
        "hu",
        "##ug",
        "hug",
    )


def test_probabilities_of_the_likeliest_segmentation_stay() -> None:
    words = {"hu": 30, "hug": 4, "bugs": 40, "hus": 3, "bus": 5, "rags": 20}
    tok = pw.train(words, pw.WordPieceTrainer(vocab_size=17, special_tokens=["[UNK]"]))
    tok = tok.replace(segmentation="likeliest")
    change = pw.prune(tok, {"hugs": 9}, min_count=1)
    assert change.removed
    assert change.tokenizer.tokenize("hugs") == tok.tokenize("hugs")
    model = change.tokenizer.model
    assert isinstance(model, models.WordPiece)
    assert dict(model.probabilities or ()).keys() <= model.vocab.keys()


def test_kinds_of_counts() -> None:
    texts = ["hug hugs", "hug"]
    wanted = pw.prune(BERT, texts, vocab_size=13).tokenizer
    words = pw.WordCounts.from_texts(texts)
    counts = np.zeros(len(BERT), np.int64)
    counts[[12, 11]] = 3, 1
    import pyarrow as pa

    for corpus in (words, {"hug": 2, "hugs": 1}, counts, pa.array(texts), iter(texts)):
        assert pw.prune(BERT, corpus, vocab_size=13).tokenizer == wanted
    with pytest.raises(ConfigError, match=r"texts: expected 15 integers .* found the shape \(3,\)"):
        pw.prune(BERT, np.zeros(3, np.int64), vocab_size=13)
    with pytest.raises(CountsError, match="another pre-tokenizer"):
        pw.prune(BERT, pw.WordCounts.from_texts(texts, pre_tokenizer=None), vocab_size=13)


@pytest.mark.parametrize(
    "corpus", [[], iter([]), [""], {}, pw.WordCounts({}), np.zeros(15, np.int64)]
)
def test_an_empty_corpus_is_an_error(corpus: Any) -> None:
    with pytest.raises(CountsError, match="texts: the texts have no token; pass texts"):
        pw.prune(BERT, corpus, min_count=1)


def test_more_removals_than_tokens_need_consent() -> None:
    with pytest.raises(
        ConfigError, match=r"texts: 2 tokens would be removed, .* only 1 token"
    ) as error:
        pw.prune(BERT, ["hug"], vocab_size=13)
    assert error.value.hint == "pass more text, or `force=True`"
    assert len(pw.prune(BERT, ["hug"], vocab_size=13, force=True).removed) == 2
    assert len(pw.prune(BERT, ["hug hug"], vocab_size=13).removed) == 2
    with pytest.raises(TypeError, match="force: expected a bool"):
        pw.prune(BERT, ["hug"], vocab_size=13, force=1)  # type: ignore[arg-type]  # the test


def test_keep() -> None:
    assert pw.prune(BERT, ["hug"], min_count=1, keep=["##gs"]).removed == ("hu",)
    with pytest.raises(VocabularyError, match="keep: 'cat' is not in the vocabulary"):
        pw.prune(BERT, ["hug"], min_count=1, keep=["cat"])
    with pytest.raises(TypeError, match="keep: expected an iterable of tokens"):
        pw.prune(BERT, ["hug"], min_count=1, keep="hug")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ConfigError, "expected either vocab_size or min_count, found neither"),
        ({"vocab_size": 13, "min_count": 1}, ConfigError, "found both"),
        (
            {"vocab_size": 3},
            ConfigError,
            "vocab_size: 3 is too small: 12 tokens are never removed.*pass at least 12, or `keep",
        ),
        (
            {"vocab_size": 1, "keep_alphabet": False, "keep": ["hug", "##s"]},
            ConfigError,
            r"tokens are never removed \(special tokens, bytes and .*; pass at least \d+$",
        ),
        ({"min_count": 0}, ConfigError, "min_count: expected an integer from 1"),
        ({"min_count": 1, "keep_alphabet": 1}, TypeError, "keep_alphabet: expected a bool"),
    ],
)
def test_errors_of_arguments(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pw.prune(BERT, ["hug"], **arguments)


def test_maps_of_ids_as_files(tmp_path: Path) -> None:
    change = pw.prune(BERT, ["hug hug"], vocab_size=13)
    change.save_map(tmp_path / "map.npy")
    assert np.load(tmp_path / "map.npy").tolist() == change.id_map.tolist()
    change.save_map(tmp_path / "map.json")
    saved = json.loads((tmp_path / "map.json").read_text())
    assert saved == {"id_map": change.id_map.tolist(), "initial_rows": {}}
    assert repr(change) == "VocabularyChange(13 tokens: 2 removed, 0 added)"


def test_a_size_that_removes_nothing_is_said() -> None:
    with pytest.warns(PieceworkWarning, match="vocab_size: no token is removed.*has 15 tokens"):
        change = pw.prune(BERT, ["hug hugs hug"] * 5, vocab_size=16)
    assert change.removed == ()
