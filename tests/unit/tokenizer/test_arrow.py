"""Conversion of batches to Arrow without a copy."""

import pytest

import piecework as pw

TEXTS = ["hug pun", "", "bun hugs!", "x"]


@pytest.fixture(scope="module")
def batch() -> pw.EncodedBatch:
    tok = pw.train({"hug": 10, "pun": 5, "bun": 2, "hugs": 5}, pw.WordPieceTrainer(20))
    return tok.encode_batch(TEXTS, add_special_tokens=False)


def test_pyarrow_shares_the_memory(batch: pw.EncodedBatch) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    array = pyarrow.array(batch)
    array.validate(full=True)
    assert array.type == pyarrow.large_list(pyarrow.field("item", pyarrow.uint32(), nullable=False))
    assert array.to_pylist() == batch.to_list()
    assert array.values.buffers()[1].address == batch.ids.ctypes.data, "no copy"
    assert array.offsets.buffers()[1].address == batch.row_offsets.ctypes.data
    field = pyarrow.field(batch)
    assert field.type == array.type


def test_pyarrow_array_outlives_the_batch() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    tok = pw.train({"hug": 10, "pun": 5}, pw.WordPieceTrainer(20))
    array = pyarrow.array(tok.encode_batch(["hug pun"] * 10_000))
    hug, pun = tok.vocab["hug"], tok.vocab["pun"]
    del tok
    assert array[9_999].as_py()[1:3] == [hug, pun]
    assert array.to_pylist()[5] == array.to_pylist()[-1]


def test_polars_reads_batches(batch: pw.EncodedBatch) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    series = polars.Series("ids", batch)
    assert series.dtype == polars.List(polars.UInt32)
    assert series.to_list() == batch.to_list()
    values = series.filter(series.list.len() > 0).to_list()
    assert values == [row for row in batch.to_list() if row]


def test_polars_shares_the_memory() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    tok = pw.train({"hug": 10, "pun": 5}, pw.WordPieceTrainer(20))
    batch = tok.encode_batch(["hug pun", "hug"] * 100)
    values = polars.Series("ids", batch).explode().to_numpy(allow_copy=False)
    assert values.ctypes.data == batch.ids.ctypes.data, "no copy"


def test_empty_batches_convert_to_arrow() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    tok = pw.Tokenizer.from_str("[UNK]\n")
    assert pyarrow.array(tok.encode_batch([])).to_pylist() == []
    assert pyarrow.array(tok.encode_batch([""])).to_pylist() == [[]]
