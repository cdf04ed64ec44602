"""The text columns of data frames of Ray Data and of Spark."""

import pyarrow as pa
import pytest

import piecework as pw
from corpora import texts, tokenizer

TOK = tokenizer()
TEXTS = [None if number % 50 == 7 else text for number, text in enumerate(texts(3000))]
WANTED = [None if text is None else TOK.encode_ids(text) for text in TEXTS]
TABLE = pa.table({"text": pa.array(TEXTS, pa.string()), "n": range(len(TEXTS))})


@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")
@pytest.mark.xdist_group("ray")
def test_map_batches() -> None:
    import ray.data

    from piecework.engines import Ray, connected

    with connected(Ray(workers=2)):
        rows = (
            ray.data.from_arrow(TABLE)
            .repartition(5)
            .map_batches(TOK.arrow_udf("text"), batch_format="pyarrow", batch_size=500)
            .sort("n")
            .take_all()
        )
    assert [None if row["ids"] is None else list(row["ids"]) for row in rows] == WANTED
    assert [row["text"] for row in rows] == TEXTS


@pytest.mark.xdist_group("spark")
def test_a_column_of_a_spark_data_frame() -> None:
    from pyspark.errors import PythonException

    from piecework.engines import Spark, connected

    with connected(Spark(workers=2)):
        from pyspark.sql import SparkSession

        session = SparkSession.getActiveSession()
        frame = session.createDataFrame(TABLE).repartition(5)
        frame = frame.withColumn("ids", TOK.spark_udf("text"))
        assert dict(frame.dtypes)["ids"] == "array<int>"
        rows = frame.orderBy("n").collect()
        assert [None if row.ids is None else list(row.ids) for row in rows] == WANTED
        shorter = frame.select(TOK.spark_udf("text", truncation=pw.Truncation(3)).alias("ids"))
        assert max(len(row.ids) for row in shorter.collect() if row.ids is not None) == 3
        with pytest.raises(PythonException, match="special token"):
            frame.selectExpr("text || '[SEP]' AS text").select(
                TOK.spark_udf("text", specials="error")
            ).collect()
