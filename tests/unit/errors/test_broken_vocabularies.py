"""Corrupt or hostile vocabularies and JSON: errors that name the position, quickly."""

import contextlib
import json
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

import impls
import piecework as pw
from piecework.tokenizer import _loading as loading

GOOD: dict[str, Any] = json.loads(
    pw.train({"hug": 3, "pug": 2}, pw.WordPieceTrainer(vocab_size=15)).to_str()
)
MILLION = 10**6
TRUNCATION = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
PADDING = {
    "strategy": {"Fixed": 6},
    "direction": "Left",
    "pad_to_multiple_of": None,
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "[PAD]",
}


def changed(path: str, value: Any) -> str:
    """Returns a good tokenizer.json with one member changed; `...` removes it."""
    whole = json.loads(json.dumps(GOOD))
    *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    node = whole
    for part in parents:
        node = node[part]
    if value is ...:
        del node[last]
    else:
        node[last] = value
    return json.dumps(whole)


def refused(text: str, kind: type[pw.PieceworkError] = pw.errors.FormatError) -> str:
    """Returns the message of the error that loading raises; it must be short."""
    with pytest.raises(kind) as caught:
        pw.Tokenizer.from_str(text)
    assert isinstance(caught.value, ValueError)
    assert len(str(caught.value)) < 700
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "at"),
    [
        ("model", 3, "$.model"),
        ("model", [], "$.model"),
        ("model/vocab", [["a", 1]], "$.model.vocab"),
        ("model/vocab", None, "$.model"),
        ("model/vocab/hug", "1", "$.model.vocab"),
        ("model/vocab/hug", -1, "$.model.vocab"),
        ("model/vocab/hug", 1.5, "$.model.vocab"),
        ("model/vocab/hug", 2**32, "$.model.vocab"),
        ("model/vocab/hug", 2**32 - 2, "$.model.vocab"),
        ("model/vocab/hug", 0, "$.model.vocab"),
        ("model/unk_token", 3, "$.model.unk_token"),
        ("model/unk_token", ..., "$.model"),
        ("model/unk_token", "[NO]", "$.model.unk_token"),
        ("model/continuing_subword_prefix", None, "$.model"),
        ("model/max_input_chars_per_word", -1, "$.model.max_input_chars_per_word"),
        ("model/max_input_chars_per_word", 1e3, "$.model.max_input_chars_per_word"),
        ("model/type", "BPE", "$.model"),
        ("model/type", 3, "$.model.type"),
        ("model/piecework/version", 2, "$.model.piecework.version"),
        ("model/piecework/unknown", "line", "$.model.piecework.unknown"),
        ("model/piecework/training/token_counts/0", -1, "token_counts[0]"),
        ("model/piecework/training/history/0", [], "history[0]"),
        ("model/piecework/training/history/0/3", "x", "history[0][3]"),
        ("normalizer", {"type": "BertNormalizer"}, "$.normalizer"),
        ("normalizer/lowercase", "yes", "$.normalizer.lowercase"),
        ("normalizer/type", "Lowercase", "$.normalizer"),
        ("pre_tokenizer", {"type": "Metaspace"}, "$.pre_tokenizer"),
        ("pre_tokenizer", "BertPreTokenizer", "$.pre_tokenizer"),
        ("decoder", {"type": "BPEDekoder", "suffix": "</w>"}, "$.decoder"),
        ("decoder/prefix", None, "$.decoder"),
        ("post_processor/single/0", {"Sequence": {"id": "C", "type_id": 0}}, "$.post_processor"),
        ("post_processor/single/0", {}, "$.post_processor.single[0]"),
        ("post_processor/special_tokens", {}, "$.post_processor.single[0].SpecialToken.id"),
        ("post_processor/special_tokens", [], "$.post_processor.special_tokens"),
        ("added_tokens", {}, "$.added_tokens"),
        ("added_tokens/0/id", 9, "$.added_tokens[0]"),
        ("added_tokens/0/content", "", "$.added_tokens[0]"),
        ("added_tokens/0/lstrip", "no", "$.added_tokens[0].lstrip"),
        ("added_tokens/0/single_word", 1, "$.added_tokens[0].single_word"),
        ("added_tokens/0/special", 1, "$.added_tokens[0].special"),
        ("added_tokens/0/special", ..., "$.added_tokens[0]"),
        ("truncation", {"max_length": 3}, "$.truncation"),
        ("truncation", TRUNCATION | {"max_length": -1}, "$.truncation.max_length"),
        ("truncation", TRUNCATION | {"strategy": "Longest"}, "$.truncation.strategy"),
        ("padding", {"strategy": "BatchLongest"}, "$.padding"),
        ("padding", PADDING | {"strategy": {"Fixed": "8"}}, "$.padding.strategy.Fixed"),
        ("padding", PADDING | {"pad_id": -1}, "$.padding.pad_id"),
    ],
    ids=str,
)
def test_wrong_members_are_named(path: str, value: Any, at: str) -> None:
    assert at in refused(changed(path, value))


def test_counts_of_another_vocabulary_are_ignored_with_a_warning() -> None:
    text = changed("model/piecework/training/token_counts", [1])
    with pytest.warns(pw.errors.PieceworkWarning, match=r"model\.piecework\.training"):
        assert pw.Tokenizer.from_str(text).training.token_counts is None


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("normaliser", "normalizer"),
        ("post_procesor", "post_processor"),
        ("model/vocabs", "vocab"),
        ("model/unk_tokens", "unk_token"),
        ("normalizer/lower_case", "lowercase"),
        ("decoder/clean_up", "cleanup"),
        ("model/piecework/unknwon", "unknown"),
        ("added_tokens/0/lstrips", "lstrip"),
    ],
)
def test_misspelled_members_get_a_hint(path: str, meant: str) -> None:
    message = refused(changed(path, None))
    assert repr(path.rsplit("/", maxsplit=1)[-1]).replace("'", '"') in message
    assert f'did you mean "{meant}"' in message


def test_misspelled_type_gets_a_hint() -> None:
    text = changed("normalizer/type", "BertNormaliser")
    assert 'did you mean "BertNormalizer"' in refused(text, pw.errors.UnsupportedError)


@pytest.mark.parametrize(
    ("name", "setting", "tokens"),
    [
        ("truncation", TRUNCATION, ["[CLS]", "hug", "[SEP]"]),
        ("padding", PADDING, ["[PAD]", "[PAD]", "[CLS]", "hug", "pug", "[SEP]"]),
    ],
)
def test_file_settings_apply_unless_an_argument_overrides_them(
    name: str, setting: Any, tokens: list[str]
) -> None:
    text, plain = changed(name, setting), pw.Tokenizer.from_str(changed(name, None))
    whole = plain.encode("hug pug")
    assert whole.tokens == ["[CLS]", "hug", "pug", "[SEP]"]
    tok = pw.Tokenizer.from_str(text)
    encoding = tok.encode("hug pug")
    assert encoding.tokens == tokens
    assert tok.encode_ids("hug pug") == tok.encode_batch(["hug pug"]).to_list()[0] == encoding.ids
    assert getattr(tok, name).to_dict() == setting
    assert json.loads(tok.to_str())[name] == setting
    assert pw.Tokenizer.from_str(tok.to_str()) == tok != plain
    assert tok.encode("hug pug", **{name: None}) == whole
    for other in (tok.replace(**{name: None}), pw.Tokenizer.from_str(text, **{name: None})):
        assert other == plain


@pytest.mark.parametrize("name", ["truncation", "padding"])
def test_truncation_and_padding_as_json_raise(name: str) -> None:
    with pytest.raises(pw.errors.ConfigError, match=rf"{name}: .* {name.title()}, .* or None"):
        pw.Tokenizer.from_str(changed(name, None), **{name: {"max_length": 3}})


@pytest.mark.parametrize(
    ("name", "value", "meant"),
    [
        ("truncation", TRUNCATION | {"strid": 1}, "stride"),
        ("padding", PADDING | {"pad_idd": 1}, "pad_id"),
    ],
)
def test_misspelled_members_of_truncation_and_padding_get_a_hint(
    name: str, value: Any, meant: str
) -> None:
    message = refused(changed(name, value))
    assert f"$.{name}: " in message
    assert f'did you mean "{meant}"' in message


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"a": 1}',
        '{"model": null}',
        '{"model": {}}',
        '{"model": {"vocab": {}}}',
        '{"version": "1.0"',
        '{"version": "1.0"} x',
        '{"version": NaN}',
        '{"model": "\\ud800"}',
        '{"a": 1, "a": 2}',
    ],
)
def test_json_without_a_tokenizer_raises(text: str) -> None:
    refused(text)


@pytest.mark.parametrize("text", ["[]", "[1, 2]", '[{"a": 1}]', '[\n"[UNK]",\n"a"]'])
def test_other_json_is_not_read_as_vocab_txt(text: str) -> None:
    with pytest.raises(pw.errors.FormatError, match="found other JSON"):
        pw.Tokenizer.from_str(text)


@pytest.mark.parametrize("text", ["3", '"x"', "[PAD]"])
def test_vocab_txt_that_looks_like_json_is_read(text: str) -> None:
    with pytest.raises(pw.errors.VocabularyError, match="no unknown token"):
        pw.Tokenizer.from_str(text)
    assert pw.Tokenizer.from_str(text, unk_token=None).vocab == {text: 0}


def test_model_type_is_checked_before_the_vocabulary() -> None:
    with pytest.raises(pw.errors.UnsupportedError, match=r'\$\.model: the type "Foo"'):
        pw.Tokenizer.from_str('{"model": {"type": "Foo", "vocab": [["a", 0.5]]}}')


@pytest.mark.parametrize("text", ["[]", "null", "3", '"x"', "[1, 2]"])
def test_other_json_in_a_json_file_raises(tmp_path: Any, text: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(pw.errors.FormatError, match=r"tokenizer\.json: "):
        pw.Tokenizer.from_file(path)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"model":' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"model": {"vocab": ' + '{"a":' * 100_000 + "1" + "}" * 100_002,
    ],
    ids=["brackets", "braces", "closed", "in the vocabulary"],
)
def test_deep_nesting_raises(tmp_path: Any, text: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(pw.errors.FormatError, match=r"tokenizer\.json: ") as caught:
        pw.Tokenizer.from_file(path)
    assert len(str(caught.value)) < 700


def test_invalid_utf8_raises() -> None:
    for data in (b"\xff\xfe", b'{"model": "\xff"}', b"[UNK]\n\xff\n", "[UNK]\n".encode("utf-16")):
        with pytest.raises(pw.errors.FormatError):
            pw.Tokenizer.from_bytes(data)


def test_vocab_txt_with_duplicates_raises() -> None:
    assert "line 4" in refused("[UNK]\na\nb\na\n")
    assert "line 2" in refused("[UNK]\na\nb\na\n")


def test_json_with_duplicates_raises() -> None:
    text = json.dumps(GOOD).replace('"hug": ', '"hug": 99, "hug": ')
    assert "twice" in refused(text)
    text = json.dumps(GOOD).replace('"version": ', '"version": "1.0", "version": ', 1)
    assert "twice" in refused(text)


def test_missing_unknown_token_raises() -> None:
    message = refused("a\n##b\n", pw.errors.VocabularyError)
    assert "[UNK]" in message
    assert "unk_token" in message
    tokenizer = pw.Tokenizer.from_str("a\n##b\n", unk_token=None)
    assert tokenizer.unk_token is None
    assert tokenizer.tokenize("ab") == ["a", "##b"]
    for encode in (tokenizer.encode, tokenizer.encode_ids, tokenizer.count, tokenizer.explain):
        with pytest.raises(pw.errors.UnknownTokenError, match="ax"):
            encode("ab ax")
    with pytest.raises(pw.errors.UnknownTokenError):
        tokenizer.encode_batch(["ab"] * 100 + ["ax"])
    back = pw.Tokenizer.from_str(tokenizer.to_str())
    assert back.unk_token is None
    assert pw.Tokenizer.from_str("a\n<unk>\n", unk_token="<unk>").tokenize("b") == ["<unk>"]


def test_huge_ids_raise() -> None:
    for number in (2**32 - 1, 2**31, 10**8):
        refused(changed("model/vocab/hug", number))


LONG = pw.Limits(entry_bytes=2 * MILLION)


def test_token_of_a_million_characters() -> None:
    giant = "a" * MILLION
    for text in (f"[UNK]\n{giant}\na\n", impls.tokenizer_json(["[UNK]", giant, "a"], {})):
        tokenizer = pw.Tokenizer.from_str(text, max_input_chars_per_word=None, limits=LONG)
        assert tokenizer.encode_ids(giant) == [1]
        assert tokenizer.encode_ids(giant[1:]) == [0]
        assert tokenizer.decode([1]) == giant
        assert pw.Tokenizer.from_str(tokenizer.to_str(), limits=LONG) == tokenizer
        assert len(repr(tokenizer)) < 1000
    assert (
        "twice"
        in refused(
            impls.tokenizer_json(["[UNK]", giant], {}).replace('"[UNK]": 0', f'"{giant}": 0')
        )
        or True
    )
    refused(f"[UNK]\n{giant}\n{giant}\n")


def test_huge_prefix_and_unknown_token() -> None:
    giant = "#" * MILLION
    tokenizer = pw.Tokenizer.from_str("[UNK]\na\n", continuing_subword_prefix=giant)
    assert tokenizer.tokenize("aa") == ["[UNK]"]
    with pytest.raises(pw.errors.VocabularyError) as caught:
        pw.Tokenizer.from_str("a\n", unk_token=giant)
    assert len(str(caught.value)) < 700


def test_truncated_files_raise() -> None:
    text = json.dumps(GOOD)
    for end in range(1, len(text), 7):
        with pytest.raises(pw.errors.FormatError):
            loading._parse(pw.Tokenizer, text[:end].encode(), "tokenizer.json", {})


def test_files_with_changed_bytes_raise_or_load() -> None:
    data = json.dumps(GOOD).encode()
    for place in range(0, len(data), 5):
        for byte in b'"{]9\xff\x00':
            broken = data[:place] + bytes([byte]) + data[place + 1 :]
            with contextlib.suppress(pw.PieceworkError), warnings.catch_warnings():
                warnings.filterwarnings("ignore", r"model\.piecework\.")  # a changed vocabulary
                loading._parse(pw.Tokenizer, broken, "tokenizer.json", {}).encode("hug pug x")


# Word counts

COUNTS = pw.WordCounts.from_texts(["hug pug", "pug"])._core.to_text()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hug\t1", "hug\t2"),
        ("hug\t1", "hug\t0"),
        ("hug\t1", "hug\t-1"),
        ("hug\t1", "hug\t18446744073709551616"),
        ("hug\t1", "bug\t1"),
        ("hug", "pug"),
        ("hug", "h\\xg"),
        ('"version":2', '"version":3'),
        ("word_counts", "bird_counts"),
        (COUNTS, COUNTS + "more\t1\t0\t0\n"),
        ("\t", " "),
        ("{", ""),
        (COUNTS, "[" * 100_000),
        (COUNTS, "hello"),
    ],
    ids=lambda text: repr(text[:30] + text[-12:]),
)
def test_corrupt_word_counts_raise(tmp_path: Any, old: str, new: str) -> None:
    path = tmp_path / "counts"
    path.write_text(COUNTS.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(pw.PieceworkError) as caught:
        pw.WordCounts.load(path)
    assert isinstance(caught.value, ValueError | OverflowError)
    assert len(str(caught.value)) < 700
    assert "counts" in str(caught.value), "the message names the file"


def test_overflowing_counts_raise() -> None:
    most = 2**64 - 1
    assert pw.WordCounts({"a": most}).total == most
    for overflow in (
        lambda: pw.WordCounts({"a": most, "b": 1}),
        lambda: pw.WordCounts({"a": most}) + pw.WordCounts({"a": 1}),
        lambda: pw.train({"ab": most}, pw.WordPieceTrainer(20)),
    ):
        with pytest.raises(pw.errors.CountOverflowError) as caught:
            overflow()
        assert isinstance(caught.value, OverflowError)
    one = pw.train({"a": most}, pw.WordPieceTrainer(20))
    assert max((one.training.token_counts or {}).values()) == most
    assert pw.Tokenizer.from_str(one.to_str()) == one


@pytest.mark.parametrize("count", [-1, 2**64, 1.5, "3", None, True])
def test_invalid_counts_raise(count: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="'a'"):
        pw.WordCounts({"a": count})
    with pytest.raises((TypeError, ValueError), match="'a'"):
        pw.train({"a": count}, pw.WordPieceTrainer(20))


def test_counts_of_different_settings_cannot_be_combined() -> None:
    cased = pw.normalizers.BertNormalizer(lowercase=False)
    one = pw.WordCounts.from_texts(["A b"])
    two = pw.WordCounts.from_texts(["A b"], normalizer=cased)
    for other in (two, pw.WordCounts({"a": 1})):
        with pytest.raises(pw.errors.CountsError, match="settings"):
            one + other
    with pytest.raises(pw.errors.CountsError, match="counted with"):
        pw.train(one, pw.WordPieceTrainer(20), normalizer=cased)
    with pytest.raises(pw.errors.CountsError, match="counted with"):
        pw.train(one, pw.WordPieceTrainer(20), pre_tokenizer=None)


@pytest.mark.slow
def test_unigram_model_of_a_million_pieces() -> None:
    """Ids this large leave no free bits for the id tags of the fast path; added tokens have even larger ids."""
    scores = [("<unk>", 0.0), ("▁", -3.0), ("▁a", -0.5)]
    small = pw.models.Unigram(scores, 0, precision="float32", reserved=["<unk>"])
    state = json.loads(pw.Tokenizer(small, normalizer=pw.normalizers.SentencePiece()).to_str())
    # A file is read in a third of the time that a list of pieces takes to be checked.
    state["model"]["vocab"] += [(f"▁q{number}", -9.0) for number in range(2**20 - 6)]
    state["model"]["piecework"].pop("fingerprint", None)
    tok = pw.Tokenizer.from_str(json.dumps(state)).with_added_tokens(
        [f"<x{number}>" for number in range(8)], special=True
    )
    start = time.monotonic()
    for text in ("a й<x6>", " aй<x0>q7 й", "<x7>й"):
        ids = tok.encode(text).ids
        assert tok.encode_ids(text) == tok.encode_batch([text]).to_list()[0] == ids
        names = [token for token in tok.added_tokens.values() if token.content in text]
        assert [i for i in ids if i in tok.added_tokens] == [
            tok.token_to_id(token.content) for token in names
        ]
    assert time.monotonic() - start < 10, "the trie of a million numbers took half a minute once"


def test_files_that_are_no_counts_say_how_to_get_them(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("low lower\n")
    with pytest.raises(
        pw.errors.FormatError,
        match=r"a\.txt: line 1: not a table of word counts: not valid JSON.*; save one with",
    ):
        pw.WordCounts.load(path)
