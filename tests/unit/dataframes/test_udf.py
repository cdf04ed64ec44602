"""Functions for the text columns of data frames on clusters."""

import pickle
from importlib.util import find_spec
from typing import Any

import pyarrow as pa
import pytest

import piecework as pw
from piecework.errors import ArrowError, ConfigError, MissingExtraError, WorkerError
from piecework.tokenizer import _udf as udf

TOK = pw.train(["low lower lowest new newer"], pw.WordPieceTrainer(40))
TEXTS = ["low newer", None, "", "lowest \U0001f600"]


def ids(texts: list[str | None], **settings: Any) -> list[list[int] | None]:
    return [None if text is None else TOK.encode_ids(text, **settings) for text in texts]


def same(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("add_special_tokens", [True, False])
@pytest.mark.parametrize("travel", [lambda value: value, same], ids=["here", "pickled"])
def test_ids_beside_the_texts(travel: Any, add_special_tokens: bool) -> None:
    encode = travel(TOK.arrow_udf("text", add_special_tokens=add_special_tokens))
    table = pa.table({"text": TEXTS, "n": range(4)})
    found = encode(table)
    assert found.column_names == ["text", "n", "ids"]
    assert found["ids"].to_pylist() == ids(TEXTS, add_special_tokens=add_special_tokens)
    (batch,) = table.to_batches()
    assert encode(batch)["ids"].to_pylist() == found["ids"].to_pylist()


@pytest.mark.parametrize("texts", [TEXTS, ["a"], [], [None], [None, None, "low"]])
def test_chunked_and_sliced_columns(texts: list[str | None]) -> None:
    for column in (
        pa.chunked_array([texts, texts[:1], []], pa.string()),
        pa.array(["x", *texts], pa.large_string()).slice(1),
    ):
        table = TOK.arrow_udf("t", output="o")(pa.table({"t": column}))
        assert table["o"].to_pylist() == ids(column.to_pylist())


@pytest.mark.parametrize("kind", [pa.null(), pa.string_view(), pa.large_string()])
def test_nulls_of_every_type_of_text(kind: Any) -> None:
    column = pa.array([None, None], kind)
    assert TOK.arrow_udf("t")(pa.table({"t": column}))["ids"].to_pylist() == [None, None]


def test_spark_gets_signed_integers() -> None:
    column = same(udf.SparkUdf(TOK, {"threads": 1}))(pa.array(TEXTS))
    assert column.type == pa.list_(pa.int32())
    assert column.to_pylist() == ids(TEXTS)


def test_truncation_but_no_padding() -> None:
    padded = TOK.replace(padding=pw.Padding(length=9), truncation=pw.Truncation(4))
    table = pa.table({"text": ["low low low low low"]})
    assert len(padded.arrow_udf("text")(table)["ids"][0]) == 4
    assert len(padded.arrow_udf("text", truncation=None)(table)["ids"][0]) == 7


def test_a_worker_reads_the_tokenizer_once() -> None:
    one, other = (same(TOK.arrow_udf("text")) for _ in range(2))
    assert one.tokenizer is other.tokenizer
    assert one.tokenizer is not same(TOK.replace(unknown="char").arrow_udf("text")).tokenizer


def test_another_version_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(TOK.arrow_udf("text"))
    monkeypatch.setattr(pw, "__version__", "9.9")
    udf._tokenizer.cache_clear()
    with pytest.raises(WorkerError, match=r"the worker has piecework 9\.9; the program has 0"):
        pickle.loads(data)


def test_wrong_tables() -> None:
    with pytest.raises(ConfigError, match="column: no column 'text'; the table has 'a', 'b'"):
        TOK.arrow_udf("text")(pa.table({"a": ["x"], "b": ["y"]}))
    with pytest.raises(ConfigError, match="output: the table has a column 'ids' already"):
        TOK.arrow_udf("text")(pa.table({"text": ["x"], "ids": [1]}))
    with pytest.raises(ArrowError):
        TOK.arrow_udf("text")(pa.table({"text": [1, None]}))
    with pytest.raises(ConfigError, match="specials"):
        TOK.arrow_udf("text", specials="bogus")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="column"):
        TOK.arrow_udf(3)  # type: ignore[arg-type]


@pytest.mark.skipif(bool(find_spec("pyspark")), reason="Spark is installed here")
def test_spark_is_an_extra() -> None:
    with pytest.raises(MissingExtraError, match="pip install pyspark pyarrow pandas"):
        TOK.spark_udf("text")
