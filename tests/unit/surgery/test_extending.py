"""`pw.extend`: new tokens on top of a vocabulary."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

import piecework as pw
from piecework import models, normalizers, pre_tokenizers, processors
from piecework.errors import ConfigError, CountsError, PieceworkWarning

BERT = pw.Tokenizer.from_str("[PAD]\n[UNK]\n[CLS]\n[SEP]\nhug\n##s\n##ging\n##g\n##e\n##d\n")
WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def bpe(**settings: Any) -> pw.Tokenizer:
    return pw.train(WORDS, pw.BpeTrainer(max_merges=6, **settings))


def test_wordpiece_entries_follow_the_largest_id() -> None:
    change = pw.extend(BERT, {"hugging": 5, "hugged": 4}, new_tokens=2)
    assert change.added == ("##ged", "hugging")
    assert change.tokenizer.vocab == BERT.vocab | {"##ged": 10, "hugging": 11}
    assert change.initial_rows == {10: (7, 8, 9), 11: (4, 6)}
    assert change.tokenizer.encode("hugging hugs").tokens == [
        "[CLS]",
        "hugging",
        "hug",
        "##s",
        "[SEP]",
    ]
    assert change.id_map.tolist() == list(range(10))
    assert not change.removed
    assert not change.tokenizer.training


def test_the_criterion_of_wordpiece() -> None:
    words = {"hugs": 8, "hugged": 3, "hugging": 5}
    added = {
        criterion: pw.extend(BERT, words, new_tokens=1, criterion=criterion).added  # type: ignore[arg-type]
        for criterion in ("likelihood", "frequency", "pmi")
    }
    assert added == {"likelihood": ("##ed",), "frequency": ("hugs",), "pmi": ("##ed",)}


def test_entries_that_longest_match_never_takes_are_replaced() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\na\n##b\n##c\n##d\n")
    # `##bc` is learned first, and `abcd` always covers it.
    change = pw.extend(tok, {"abcd": 9, "ab": 2}, new_tokens=2)
    counts = [change.tokenizer.tokenize(word) for word in ("abcd", "ab")]
    assert set(change.added) <= {token for tokens in counts for token in tokens}


def test_bpe_merges_follow_the_old_ones() -> None:
    tok = bpe()
    change = pw.extend(tok, {"lowest": 9, "slowest": 4}, new_tokens=2)
    old, new = tok.model, change.tokenizer.model
    assert isinstance(old, models.BPE)
    assert isinstance(new, models.BPE)
    assert new.merges[: len(old.merges)] == old.merges
    assert new.merges[len(old.merges) :] == (("low", "est"), ("s", "lowest"))
    assert change.tokenizer.tokenize("lowest low slowest") == ["lowest", "low", "slowest"]
    ids = [tok.token_to_id(token) for token in ("s", "low", "est")]
    assert list(change.initial_rows.values()) == [tuple(ids[1:]), tuple(ids)]


def test_marks_of_bpe() -> None:
    tok = bpe(end_of_word_suffix="</w>")
    assert pw.extend(tok, {"lowest": 9}, new_tokens=2).added == ("low", "lowest</w>")
    tok = bpe(continuing_subword_prefix="##")
    assert pw.extend(tok, {"lowest": 9}, new_tokens=1).added == ("lowest",)


def test_ranks_follow_the_largest_rank() -> None:
    # Equal ranks cannot be written as merges.
    model = models.BPE([*"abcd", "ab", "abc"], ranks=[None, None, None, None, 7, 7])
    change = pw.extend(pw.Tokenizer(model), {"abcd": 2, "dd": 3}, new_tokens=2)
    assert change.added == ("dd", "abcd")
    assert change.tokenizer.model.ranks == (None, None, None, None, 7, 7, 8, 9)  # type: ignore[attr-defined]
    assert [change.tokenizer.tokenize(text) for text in ("abcd", "dddabc")] == [
        ["abcd"],
        ["dd", "d", "abc"],
    ]


def test_no_merge_spans_words_of_a_text_that_is_one_word() -> None:
    model = models.BPE([*"▁ab", "▁a"], [("▁", "a")])
    change = pw.extend(pw.Tokenizer(model), {"▁a▁b▁a▁b": 5, "▁aab": 4}, new_tokens=3)
    assert change.added == ("▁b", "ab", "▁aab")


def test_unknown_characters_and_bytes_are_not_learned() -> None:
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "a", "b"]
    model = models.BPE(tokens, unk_token="<unk>", byte_fallback=True)
    assert pw.extend(pw.Tokenizer(model), {"éaéab": 9}, new_tokens=1).added == ("ab",)
    with pytest.warns(PieceworkWarning, match=r"fewer new tokens than 2: 0; 100% of the words"):
        change = pw.extend(pw.Tokenizer(model), {"ééé": 9, "aéb": 9}, new_tokens=2)
    assert change.added == ()
    assert change.tokenizer.fingerprint == pw.Tokenizer(model).fingerprint


def test_unigram_scores_of_old_pieces_stay() -> None:
    pieces = [("<unk>", 0.0), *((letter, -3.1234567890123) for letter in "hugspn"), ("hug", -1.5)]
    tok = pw.Tokenizer(models.Unigram(pieces, 0))
    change = pw.extend(tok, {"hugs": 10, "pun": 12, "puns": 4}, new_tokens=2)
    assert change.added == ("pun", "hugs")
    vocab = change.tokenizer.model.vocab  # type: ignore[attr-defined]  # it is a Unigram
    assert list(vocab[: len(pieces)]) == pieces
    assert all(-3.1234567890123 <= score < 0 for _, score in vocab[len(pieces) :])
    assert change.initial_rows == {8: (5, 2, 6), 9: (7, 4)}
    assert change.tokenizer.tokenize("punshugs") == ["pun", "s", "hugs"]


@pytest.mark.parametrize("special", [False, True])
def test_added_tokens_between_old_and_new_pieces_become_pieces(*, special: bool) -> None:
    peer = pytest.importorskip("tokenizers", reason="the oracle is not installed")
    tok = pw.Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0)], 0))
    tok = tok.with_added_tokens(["<x>"], special=special)
    with warnings.catch_warnings(action="error"):
        made = pw.extend(tok, {"ab": 9}, new_tokens=1).tokenizer
    assert made.vocab == {"<unk>": 0, "a": 1, "b": 2, "<x>": 3, "ab": 4}
    assert made.tokenize("ab<x>ab") == ["ab", "<x>", "ab"]
    theirs = peer.Tokenizer.from_str(made.to_str())
    for text in ("ab<x>ab", "<x>", "a<b>ba", "<xx>"):
        assert made.encode_ids(text) == theirs.encode(text).ids
    assert pw.Tokenizer.from_str(made.to_str()) == made


def test_an_added_token_in_words_stays_reserved_and_warns() -> None:
    tok = pw.Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("c", -1.0)], 0))
    tok = tok.with_added_tokens([pw.AddedToken("ab", single_word=True)])
    with pytest.warns(PieceworkWarning, match="'ab', which words may contain, is reserved"):
        made = pw.extend(tok, {"ba": 9}, new_tokens=1).tokenizer
    assert made.tokenize("abc ab") == ["a", "b", "c", " ", "ab"] == tok.tokenize("abc ab")
    assert pw.Tokenizer.from_str(made.to_str()) == made


WORDS_OF = {
    "WordPiece": models.WordPiece(["[UNK]", "c", "co", "##v", "##i", "##d", "##vid"]),
    "ignore_merges": models.BPE([*"covid"], [], ignore_merges=True),
}


@pytest.mark.parametrize("name", WORDS_OF)
@pytest.mark.parametrize(
    ("token", "normalizer"),
    [
        (pw.AddedToken("covi", single_word=True), None),
        (pw.AddedToken("covid", single_word=True), None),
        # The text "x" becomes the entry, but not what the token is found by.
        (pw.AddedToken("covid", normalized=True), ("covid", "-", "x", "covid")),
        (pw.AddedToken("covid", normalized=False, special=True), ("x", "covid")),
    ],
)
def test_no_word_without_a_new_token_changes(
    name: str, token: pw.AddedToken, normalizer: tuple[str, ...] | None
) -> None:
    pairs = zip(*[iter(normalizer or ())] * 2, strict=True)
    steps = [normalizers.Replace(*pair) for pair in pairs]
    tok = pw.Tokenizer(
        WORDS_OF[name],
        normalizer=normalizers.Sequence(steps) if steps else None,
        pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
        added_tokens=[token],
    )
    text = "x" if normalizer else "xcovid covidx"
    with pytest.warns(PieceworkWarning, match="which words may contain, stays outside"):
        change = pw.extend(tok, {"civ": 9, "civi": 8}, new_tokens=2)
    made = change.tokenizer
    assert made.vocab == tok.vocab | {token: len(tok) + at for at, token in enumerate(change.added)}
    for some in (text, "covid", "covi", "a covid b"):
        assert made.tokenize(some) == tok.tokenize(some), some
    with pytest.raises(ConfigError, match="would give it"):
        made.to_str()


@pytest.mark.parametrize("token", ["<x>", "covid", "[NEW]", "co vid"])
@pytest.mark.parametrize("name", WORDS_OF)
def test_what_texts_are_cut_at_may_be_an_entry(name: str, token: str) -> None:
    peer = pytest.importorskip("tokenizers", reason="the oracle is not installed")
    tok = pw.Tokenizer(
        WORDS_OF[name],
        normalizer=normalizers.Lowercase() if token.islower() else None,
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
        added_tokens=[token],
    )
    with warnings.catch_warnings(action="error"):
        made = pw.extend(tok, {"civ": 9, "civi": 8}, new_tokens=2).tokenizer
        assert pw.Tokenizer.from_str(made.to_str()) == made
    theirs = peer.Tokenizer.from_str(made.to_str())
    for text in (token, f"co{token}v", f"a {token} {token[:2]} co vid", "covi"):
        assert made.encode_ids(text) == theirs.encode(text).ids
        assert made.tokenize(text) == tok.tokenize(text)


def test_added_tokens_outside_the_vocabulary_keep_their_ids() -> None:
    tok = BERT.with_added_tokens(["<name>"]).with_added_tokens(["<end>"], special=True)
    template = processors.TemplateProcessing("$A <end>", special_tokens=[("<end>", 11)])
    tok = tok.replace(post_processor=template)
    change = pw.extend(tok, {"hugging": 5}, new_tokens=1)
    assert change.tokenizer.vocab == tok.vocab | {"hugging": 12}
    assert change.tokenizer.encode("hugging <name>").ids == [12, 10, 11]
    assert (
        pw.Tokenizer.from_str(change.tokenizer.to_str()).fingerprint == change.tokenizer.fingerprint
    )


def test_texts_counts_and_sizes() -> None:
    texts = ["hugging hugging"] * 3
    change = pw.extend(BERT, texts, vocab_size=len(BERT) + 1)
    assert change.added == ("hugging",)
    counts = pw.WordCounts.from_texts(
        texts, normalizer=BERT.normalizer, pre_tokenizer=BERT.pre_tokenizer
    )
    assert pw.extend(BERT, counts, new_tokens=1).tokenizer == change.tokenizer
    with pytest.raises(CountsError, match="another pre-tokenizer"):
        pw.extend(BERT, pw.WordCounts.from_texts(texts, pre_tokenizer=None), new_tokens=1)


def test_embedding_rows() -> None:
    change = pw.extend(BERT, {"hugging": 5}, new_tokens=1)
    matrix = np.arange(20, dtype=np.float32).reshape(10, 2)
    made = change.apply(matrix)
    assert made.dtype == np.float32
    assert made[:10].tolist() == matrix.tolist()
    assert made[10].tolist() == [10.0, 11.0]
    assert change.apply(np.zeros((64, 2))).shape == (11, 2)
    assert change.apply(np.arange(10)).tolist() == [*range(10), 5]
    with pytest.raises(
        ConfigError, match=r"at least 10 rows, one for each old id, found the shape \(9, 2\)"
    ):
        change.apply(matrix[:9])
    with pytest.raises(TypeError, match="matrix: expected a NumPy array"):
        change.apply([[1.0]])  # type: ignore[arg-type]  # the test


def test_ids_without_token_keep_their_rows() -> None:
    tok = pw.Tokenizer(models.BPE({"a": 0, "b": 3}))
    change = pw.extend(tok, {"ab": 5}, new_tokens=1)
    assert change.id_map.tolist() == [0, -1, -1, 3]
    matrix = np.array([1.0, 2.0, 3.0, 4.0])
    assert change.apply(matrix).tolist() == [1.0, 2.0, 3.0, 4.0, 2.5]
    assert change.apply(matrix, gaps="mean").tolist() == [1.0, 2.5, 2.5, 4.0, 2.5]
    assert change.apply(matrix, gaps=-1).tolist() == [1.0, -1.0, -1.0, 4.0, 2.5]
    half = np.float32(0.5)
    assert change.apply(matrix, gaps=half).tolist() == [1.0, 0.5, 0.5, 4.0, 2.5]  # type: ignore[arg-type]  # NumPy's number
    rows = np.arange(8).reshape(4, 2)
    assert change.apply(rows, gaps="mean")[1].tolist() == [3, 4]
    with pytest.raises(pw.errors.ConfigError, match="gaps: expected"):
        change.apply(matrix, gaps="zero")  # type: ignore[arg-type]  # the test
    for wrong in (None, True, [0.0]):
        with pytest.raises(TypeError, match="gaps: expected"):
            change.apply(matrix, gaps=wrong)  # type: ignore[arg-type]  # the test


def test_a_function_as_pre_tokenizer_is_kept() -> None:
    split = pre_tokenizers.Function(lambda text: [(0, len(text))])
    tok = BERT.replace(pre_tokenizer=split)
    change = pw.extend(tok, {"hugging": 5}, new_tokens=1)
    assert change.tokenizer.pre_tokenizer == tok.pre_tokenizer


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ConfigError, "expected either vocab_size or new_tokens, found neither"),
        ({"vocab_size": 20, "new_tokens": 2}, ConfigError, "found both"),
        ({"vocab_size": 10}, ConfigError, "vocab_size: expected more than the 10 tokens"),
        ({"new_tokens": 0}, ConfigError, "new_tokens: expected an integer from 1"),
        ({"new_tokens": True}, ConfigError, "new_tokens: expected an integer from 1"),
        ({"new_tokens": 1.5}, TypeError, "new_tokens: expected an integer"),
        ({"new_tokens": 1, "min_frequency": 0}, ConfigError, "min_frequency: expected"),
        ({"new_tokens": 1, "max_token_length": 0}, ConfigError, "max_token_length: expected"),
        (
            {"new_tokens": 1, "criterion": "best"},
            ConfigError,
            "criterion: expected one of likelihood",
        ),
    ],
)
def test_errors_of_arguments(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pw.extend(BERT, {"hugging": 5}, **arguments)


def test_errors_of_corpora() -> None:
    with pytest.raises(TypeError, match=r"found one str; .* or \[text\] for one text"):
        pw.extend(BERT, "hugging", new_tokens=1)
    with pytest.raises(TypeError, match="texts: expected an iterable of str"):
        pw.extend(BERT, 5, new_tokens=1)  # type: ignore[arg-type]  # the test
    for empty in ([], [""], {}):
        with pytest.raises(CountsError, match="texts: the texts have no word; pass texts"):
            pw.extend(BERT, empty, new_tokens=1)  # type: ignore[arg-type]  # the test


def test_words_of_a_mapping_that_no_text_has() -> None:
    tok = pw.train(["hugs"], pw.BpeTrainer(257, alphabet="byte"))
    for word in (" hugs", "hu gs", "é"):
        with pytest.warns(PieceworkWarning, match=r"1 of 2 words, such as .*, are in no text"):
            pw.extend(tok, {word: 9, "Ġhugs": 9}, new_tokens=1)
    lowercasing = BERT.replace(normalizer=normalizers.BertNormalizer())
    with pytest.warns(PieceworkWarning, match=r"texts: 1 of 1 words, such as \['Hugging'\]"):
        pw.prune(lowercasing, {"Hugging": 100}, min_count=1)


@pytest.mark.parametrize(
    ("tok", "words"),
    [
        (BERT, ["hug", "!"]),
        (pw.train(["hugs é"], pw.BpeTrainer(270, alphabet="byte")), ["Ġhug", "ĠÃ©", "hug"]),
        (pw.train(["hug hugs"] * 5, pw.UnigramTrainer(9)), ["▁hug", "▁hugs"]),
    ],
)
def test_words_as_texts_have_them_are_no_warning(tok: pw.Tokenizer, words: list[str]) -> None:
    pw.prune(tok, dict.fromkeys(words, 100), min_count=1)


def test_only_wordpiece_has_a_criterion() -> None:
    for tok in (bpe(), pw.train(["hug hugs"] * 5, pw.UnigramTrainer(9))):
        with pytest.raises(ConfigError, match=r"criterion: has no effect with a .* model; remove"):
            pw.extend(tok, {"hugs": 9}, new_tokens=1, criterion="likelihood")


def test_models_that_cannot_be_extended() -> None:
    tok = pw.train({"hug": 10, "hugs": 5}, pw.WordPieceTrainer(12))
    with pytest.raises(ConfigError, match="the likeliest segmentation needs a probability"):
        pw.extend(tok.replace(segmentation="likeliest"), {"hugs": 9}, new_tokens=1)
    with pytest.raises(ConfigError, match="a WordLevel vocabulary has whole words"):
        pw.extend(pw.Tokenizer(models.WordLevel(["<unk>", "a"])), {"a": 1}, new_tokens=1)


@pytest.mark.parametrize(
    ("token", "pre_tokenizer", "text", "word"),
    [
        ("##ing", pre_tokenizers.WhitespaceSplit(), "huing", "hus"),
        ("_hug", pre_tokenizers.Metaspace("_"), "hug hug", "_ss"),
    ],
)
def test_tokens_as_words_write_them_stay_outside(
    token: str, pre_tokenizer: pre_tokenizers.PreTokenizer, text: str, word: str
) -> None:
    tok = pw.Tokenizer(
        models.WordPiece(["[UNK]", "hu", "##i", "##n", "##g", "##s", "_", "##h", "##u"]),
        pre_tokenizer=pre_tokenizer,
        added_tokens=[token],
    )
    with pytest.warns(PieceworkWarning, match="stays outside"):
        made = pw.extend(tok, {word: 9}, new_tokens=1).tokenizer
    assert made.tokenize(text) == tok.tokenize(text)


def test_pieces_of_unigram_have_no_gaps() -> None:
    tok = pw.Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0)], 0))
    tree = json.loads(tok.with_added_tokens(["<q>"]).to_str())
    tree["added_tokens"][-1]["id"] = 40
    gapped = pw.Tokenizer.from_str(json.dumps(tree), added_token_ids="file")
    with pytest.raises(ConfigError, match=r"no token has the id 3\)"):
        pw.extend(gapped, {"ab": 9}, new_tokens=1)
