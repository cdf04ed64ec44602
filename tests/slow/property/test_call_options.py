"""Truncation and padding as arguments of single calls and batches; columns of batches."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import parts
import piecework as pw
from piecework import processors as q
from piecework.errors import ConfigError, TruncationError
from profiles import examples

BERT = q.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
TEMPLATE = q.TemplateProcessing(
    "[CLS]:1 $A:2 [SEP]", "$B:1 [SEP] $A [CLS]:3 [SEP]", [("[CLS]", 2), ("[SEP]", 3)]
)
ROBERTA = q.RobertaProcessing(("[SEP]", 3), ("[CLS]", 2))
TOKENIZERS = [
    parts.made(),
    parts.made(post_processor=BERT, added_tokens=parts.ADDED),
    parts.made(post_processor=TEMPLATE),
    parts.made(parts.MODELS[0], post_processor=ROBERTA),
    parts.made(post_processor=BERT, truncation=6, padding="longest"),
    parts.made(post_processor=TEMPLATE, truncation=parts.TRUNCATION, padding=parts.PADDING),
]

WORDS = st.sampled_from(["a", "b", "ab", "aba", "é", "中文", "12a", "[SEP]", "?", "New York", ""])
TEXTS = st.lists(WORDS, max_size=9).map(" ".join)
SPLIT_TEXTS = st.lists(WORDS, max_size=7)
ROWS = st.lists(TEXTS | st.tuples(TEXTS, TEXTS), max_size=6)
SPLIT_ROWS = st.lists(SPLIT_TEXTS | st.tuples(SPLIT_TEXTS, SPLIT_TEXTS), max_size=6)
SIDES: Any = st.sampled_from(["left", "right"])
TRUNCATIONS = st.builds(
    pw.Truncation,
    st.integers(5, 14),
    st.just(0),
    st.sampled_from(["longest_first", "only_first"]),
    SIDES,
)
PADDINGS = st.builds(
    pw.Padding,
    st.none() | st.integers(1, 20),
    st.none() | st.integers(1, 9),
    SIDES,
    st.sampled_from([None, 0, 5]),
    st.integers(0, 3),
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "truncation": st.none() | st.integers(5, 14) | TRUNCATIONS,
        "padding": st.none() | st.just("longest") | st.integers(1, 20) | PADDINGS,
        "add_special_tokens": st.booleans(),
        "specials": st.sampled_from(["match", "text"]) | st.just(set()),
    },
)


def split(row: Any) -> tuple[Any, Any]:
    return row if isinstance(row, tuple) else (row, None)


def outcome(call: Any) -> Any:
    """Returns the result of a call, or TruncationError if that is raised."""
    try:
        return call()
    except TruncationError as error:
        return type(error)


def check(tok: pw.Tokenizer, rows: list[Any], arguments: dict[str, Any], **more: Any) -> None:
    """Compares a batch with single calls, with all columns and with ids alone."""
    lean = outcome(lambda: tok.encode_batch(rows, **arguments, **more))
    full = outcome(lambda: tok.encode_batch(rows, **arguments, **more, offsets=True))
    alone = outcome(lambda: [tok.encode(*split(row), **arguments, **more) for row in rows])
    if TruncationError in (lean, full, alone):
        assert lean is full is alone is TruncationError
        return
    assert lean.to_list() == full.to_list()
    assert lean.row_offsets.tolist() == full.row_offsets.tolist()
    padding = arguments.get("padding", tok.padding)
    longest = padding == "longest" or (isinstance(padding, pw.Padding) and padding.length is None)
    if not longest:
        assert list(lean) == alone, "each row equals its single call"
        for (text, pair), encoding in zip(map(split, rows), alone, strict=True):
            assert tok.encode_ids(text, pair, **arguments, **more) == encoding.ids
    elif rows:
        lengths = {len(encoding) for encoding in lean}
        assert len(lengths) == 1
        multiple = padding.pad_to_multiple_of if isinstance(padding, pw.Padding) else None
        without = tok.encode_batch(rows, **arguments | {"padding": None}, **more)
        longest_row = max(len(encoding) for encoding in without)
        assert lengths == {-(-longest_row // (multiple or 1)) * (multiple or 1)}
        for some, bare in zip(lean, without, strict=True):
            assert [i for i, m in zip(some.ids, some.attention_mask, strict=True) if m] == bare.ids
    check_columns(lean)
    check_columns(full)
    assert list(lean) == list(full)
    assert lean[:] == list(lean)


def check_columns(batch: pw.EncodedBatch) -> None:
    """Compares the columns of a batch with those of its encodings."""
    encodings = list(batch)
    wanted: dict[str, list[Any]] = {
        name: [value for encoding in encodings for value in getattr(encoding, name)]
        for name in ("ids", "type_ids", "special_tokens_mask", "attention_mask")
    }
    for name, values in wanted.items():
        found = getattr(batch, name)
        assert found.tolist() == values, name
        assert not found.flags.writeable
    offsets = [list(span) for encoding in encodings for span in encoding.offsets]
    assert batch.offsets.tolist() == offsets
    assert batch.offsets.shape == (len(batch.ids), 2)
    word_ids = [-1 if w is None else w for encoding in encodings for w in encoding.word_ids]
    assert batch.word_ids.tolist() == word_ids
    assert batch.row_offsets.tolist() == list(itertools.accumulate(map(len, encodings), initial=0))


@given(st.sampled_from(TOKENIZERS), ROWS, ARGUMENTS)
@examples(300)
def test_batch_equals_single_calls(
    tok: pw.Tokenizer, rows: list[Any], arguments: dict[str, Any]
) -> None:
    check(tok, rows, arguments)


@given(st.sampled_from(TOKENIZERS), SPLIT_ROWS, ARGUMENTS)
@examples(200)
def test_pretokenized_batch_equals_single_calls(
    tok: pw.Tokenizer, rows: list[Any], arguments: dict[str, Any]
) -> None:
    check(tok, rows, arguments, is_pretokenized=True)


@given(st.sampled_from(TOKENIZERS), ROWS, ARGUMENTS, SIDES, st.booleans())
@examples(300)
def test_padded_matrices_hold_the_rows(
    tok: pw.Tokenizer, rows: list[Any], arguments: dict[str, Any], side: Any, offsets: bool
) -> None:
    batch = outcome(lambda: tok.encode_batch(rows, **arguments, offsets=offsets))
    if batch is TruncationError:
        return
    width = max((len(encoding) for encoding in batch), default=0)
    for length in (None, width + 3):
        padded = batch.padded(length=length, side=side, pad_id=7)
        assert padded.ids.shape == padded.attention_mask.shape == (len(rows), length or width)
        assert padded.ids.dtype == padded.attention_mask.dtype == np.int64
        for row, mask, encoding in zip(padded.ids, padded.attention_mask, batch, strict=True):
            missing = (length or width) - len(encoding)
            ids, ones = encoding.ids, encoding.attention_mask
            left = side == "left"
            assert row.tolist() == ([7] * missing + ids if left else ids + [7] * missing)
            assert mask.tolist() == ([0] * missing + ones if left else ones + [0] * missing)


@given(st.sampled_from(TOKENIZERS), TEXTS, TEXTS | st.none(), TRUNCATIONS, st.integers(0, 3))
@examples(200)
def test_overflowing_parts_rebuild_the_text(
    tok: pw.Tokenizer, text: str, pair: str | None, truncation: pw.Truncation, stride: int
) -> None:
    whole = tok.encode(text, truncation=None, padding=None, add_special_tokens=False)
    cut = pw.Truncation(truncation.max_length, stride, direction=truncation.direction)
    encoding = tok.encode(text, truncation=cut, padding=None, add_special_tokens=False)
    rows = [encoding, *encoding.overflowing]
    assert all(len(row) <= cut.max_length for row in rows)
    if cut.direction == "left":
        rows.reverse()
    ids = rows[0].ids
    for before, after in itertools.pairwise(rows):
        shared = stride if cut.direction == "right" else min(stride, len(before))
        assert after.ids[:shared] == ids[len(ids) - shared :]
        ids = ids + after.ids[shared:]
    assert ids == whole.ids
    both = outcome(lambda: tok.encode(text, pair, truncation=truncation))
    if both is not TruncationError:
        assert (
            len(tok.encode(text, pair, truncation=truncation, padding=None))
            <= truncation.max_length
        )


# Arguments that override the tokenizer's settings, and arguments that are refused


def test_argument_none_overrides_tokenizer_settings() -> None:
    tok = parts.made(truncation=2, padding=5)
    assert len(tok.encode("a b a")) == 5
    assert tok.encode("a b a", padding=None).tokens == ["a", "b"]
    assert tok.encode("a b a", truncation=None).attention_mask == [1, 1, 1, 0, 0]
    assert tok.encode("a b a", truncation=None, padding=None).tokens == ["a", "b", "a"]
    a, b = tok.encode_ids("a b", padding=None)
    assert tok.encode_ids("a b a", truncation=None, padding=None) == [a, b, a]
    batch = tok.encode_batch(["a b a", "b"], truncation=None, padding=None)
    assert [len(encoding) for encoding in batch] == [3, 1]
    assert [len(e) for e in tok.encode_batch(["a b a", "b"], truncation=3, padding="longest")] == [
        3,
        3,
    ]
    assert tok.count("a b a") == 3
    assert tok.tokenize("a b a") == ["a", "b", "a"]


def test_arguments_do_not_change_the_tokenizer() -> None:
    tok = parts.made()
    tok.encode("a b", truncation=1, padding=9)
    assert (tok.truncation, tok.padding) == (None, None)
    assert len(tok.encode("a b")) == 2


@pytest.mark.parametrize("number", [np.int64(3), np.uint8(3), 3], ids=repr)
def test_numpy_integers_are_accepted(number: Any) -> None:
    tok = parts.made()
    assert len(tok.encode("a b a b", truncation=number)) == 3
    assert len(tok.encode("a", padding=number)) == 3
    assert pw.Truncation(number) == pw.Truncation(3)
    assert tok.replace(truncation=number, padding=number).padding.length == 3  # type: ignore[union-attr]


IMPOSSIBLE_TRUNCATIONS: list[tuple[dict[str, Any], str]] = [
    ({"truncation": 1}, "max_length: 1 is too small: the post-processor adds 2"),
    ({"truncation": pw.Truncation(4, 2)}, "found 2; lower it"),
    ({"truncation": pw.Truncation(4, 3)}, "found 3; lower it"),
    ({"truncation": pw.Truncation(5, strategy="only_second")}, "only_second"),
]


@pytest.mark.parametrize(("arguments", "message"), IMPOSSIBLE_TRUNCATIONS, ids=str)
@pytest.mark.parametrize("prescribed", [True, False])
def test_impossible_truncation_is_refused(
    arguments: dict[str, Any], message: str, *, prescribed: bool
) -> None:
    tok = parts.made(post_processor=BERT, **arguments if prescribed else {})
    given: Any = {} if prescribed else arguments
    for call in (
        lambda: tok.encode("a b a b", **given),
        lambda: tok.encode_ids("a b a b", **given),
        lambda: tok.encode_segments([("a b a b", True)], **given),
        lambda: tok.encode(["a", "b", "a", "b"], is_pretokenized=True, **given),
    ):
        with pytest.raises(TruncationError, match=message):
            call()
    for offsets in (True, False):
        with pytest.raises(TruncationError, match=f"text [01]: .*{message}"):
            tok.encode_batch(["", "a b a b"], offsets=offsets, **given)


def test_smallest_possible_truncations() -> None:
    tok = parts.made(post_processor=BERT)
    assert tok.encode("a b", truncation=2).tokens == ["[CLS]", "[SEP]"]
    assert tok.encode("a b", truncation=3).tokens == ["[CLS]", "a", "[SEP]"]
    assert tok.encode("a b", truncation=1, add_special_tokens=False).tokens == ["a"]
    with pytest.raises(TruncationError, match="adds 3 special tokens"):
        tok.encode("a", "b", truncation=2)
    assert tok.encode("a", "b", truncation=3).tokens == ["[CLS]", "[SEP]", "[SEP]"]
    only_first = pw.Truncation(5, strategy="only_first")
    with pytest.raises(TruncationError, match="first text has 1 tokens, and 2"):
        tok.encode("a", "a b a", truncation=only_first)
    assert tok.encode("a b a", "b", truncation=only_first).tokens[1] == "a"


NO_PAD = pw.Tokenizer(pw.models.WordLevel(["[UNK]", "x"], "[UNK]"))


@pytest.mark.parametrize(
    ("padding", "message"),
    [
        (4, r"no token \[PAD\] or <pad>"),
        ("longest", r"no token \[PAD\] or <pad>"),
        (pw.Padding(4), r"no token \[PAD\] or <pad>"),
        (pw.Padding(4, pad_token="nope"), "'nope' is not in the vocabulary"),
        (pw.Padding(4, pad_id=2), "no token with the id 2"),
    ],
    ids=str,
)
def test_padding_without_pad_token_is_refused(padding: Any, message: str) -> None:
    for call in (
        lambda: NO_PAD.encode("x", padding=padding),
        lambda: NO_PAD.encode_batch(["x"], padding=padding),
        lambda: NO_PAD.replace(padding=padding),
        lambda: pw.Tokenizer(NO_PAD.model, padding=padding),
    ):
        with pytest.raises(ConfigError, match=message):
            call()
    assert NO_PAD.encode("x", padding=pw.Padding(3, pad_token="x")).ids == [1, 1, 1]
    assert NO_PAD.encode("x", padding=pw.Padding(3, pad_id=1)).tokens == ["x", "x", "x"]
    assert NO_PAD.encode("x", padding=pw.Padding(2, pad_id=9, pad_token="?")).tokens == ["x", "?"]
    with pytest.raises(ConfigError, match=r"no token \[PAD\] or <pad>"):
        NO_PAD.encode_batch(["x"]).padded()
    assert NO_PAD.encode_batch(["x", ""]).padded(pad_id=1).ids.tolist() == [[1], [1]]


def test_padded_batch_converts_to_arrow() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    tok = parts.made(post_processor=BERT)
    for padding, offsets in itertools.product(
        (5, "longest", pw.Padding(direction="left")), (True, False)
    ):
        batch = tok.encode_batch(["a", "a b a", ""], padding=padding, offsets=offsets)
        array = pyarrow.array(batch)
        array.validate(full=True)
        assert array.to_pylist() == batch.to_list()
        assert len(set(map(len, array.to_pylist()))) == 1
        assert array.values.buffers()[1].address == batch.ids.ctypes.data


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("offsets", [True, False])
def test_batch_does_not_depend_on_threads(threads: int, *, offsets: bool) -> None:
    rows: list[Any] = [
        ("ab 12a " * (place % 40), "é b") if place % 3 else "x" for place in range(3000)
    ]
    for tok in TOKENIZERS:
        wanted = tok.encode_batch(rows, padding="longest", threads=1, offsets=True)
        found = tok.encode_batch(rows, padding="longest", threads=threads, offsets=offsets)
        for name in ("ids", "row_offsets", "offsets", "word_ids", "type_ids", "attention_mask"):
            assert np.array_equal(getattr(found, name), getattr(wanted, name))
