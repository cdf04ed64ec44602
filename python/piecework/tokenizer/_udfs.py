"""Makes functions that encode the columns of data frames on clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._settings.arguments import DEFAULT, check_str
from piecework.tokenizer._encoding import EncodingMethods

if TYPE_CHECKING:
    from pyspark.sql import Column

    from piecework._settings.arguments import Default, Specials
    from piecework._settings.encoding import TruncationLike
    from piecework.tokenizer._udf import ArrowUdf

__all__ = ["UdfMethods"]


class UdfMethods(EncodingMethods):
    """Serves as a base of `Tokenizer` with the methods for data frames on clusters."""

    def arrow_udf(
        self,
        column: str,
        *,
        output: str = "ids",
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        truncation: TruncationLike | Default | None = DEFAULT,
        threads: int | None = 1,
    ) -> ArrowUdf:
        r"""Returns a function that appends the ids of a text column to an Arrow table.

        It is what `map_batches` of Ray Data takes: ``dataset.map_batches(tok.arrow_udf("text"), batch_format="pyarrow")``. It
        can be pickled; a worker that receives it several times reads the tokenizer once, and keeps its cache of words.

        Args:
            column: The name of the column with the texts.
            output: The name of the new column, of type ``large_list<uint32>``.
            add_special_tokens: See :meth:`encode`.
            specials: See :meth:`encode`.
            truncation: See :meth:`encode`.
            threads: The number of threads of a call; on a cluster the engine already uses all cores.

        Returns:
            A function of a table or record batch of pyarrow; the ids of a null are null. It raises ConfigError for a table
            without the column, or with one of the name of the output.

        >>> import pyarrow as pa
        >>> from piecework import Tokenizer
        >>> encode = Tokenizer.from_str("[UNK]\nhug\n##s\n").arrow_udf("text")
        >>> encode(pa.table({"text": ["hugs", None]}))["ids"].to_pylist()
        [[1, 2], None]
        """
        from piecework.tokenizer._udf import ArrowUdf

        settings = _settings(self, add_special_tokens, specials, truncation, threads)
        return ArrowUdf(self, check_str("column", column), check_str("output", output), settings)

    def spark_udf(
        self,
        column: str,
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        truncation: TruncationLike | Default | None = DEFAULT,
    ) -> Column:
        """Returns the column of the ids of a text column, for a Spark DataFrame.

        It is an expression as any other: ``frame.withColumn("ids", tok.spark_udf("text"))``. Spark sends the tokenizer to each
        machine once; a Python worker reads it once, and keeps its cache of words.

        Args:
            column: The name of the column with the texts.
            add_special_tokens: See :meth:`encode`.
            specials: See :meth:`encode`.
            truncation: See :meth:`encode`.

        Returns:
            A ``pyspark.sql.Column`` of type ``array<int>``, since Spark has no unsigned integers (``array<bigint>`` for ids
            from 2³¹ on); the ids of a null are null.

        Raises:
            MissingExtraError: Spark is not installed.
            ConfigError: There is no SparkSession.
        """
        from piecework.tokenizer._udf import spark_column

        settings = _settings(self, add_special_tokens, specials, truncation, 1)
        return spark_column(self, check_str("column", column), settings)


def _settings(
    tokenizer: EncodingMethods,
    add_special_tokens: bool,
    specials: Specials | None,
    truncation: TruncationLike | Default | None,
    threads: int | None,
) -> dict[str, Any]:
    """Returns the arguments of a batch, after checking them; a row of a table has no padding."""
    settings: dict[str, Any] = {
        "add_special_tokens": add_special_tokens,
        "specials": specials,
        "padding": None,
        "threads": threads,
    }
    if truncation is not DEFAULT:
        settings["truncation"] = truncation
    tokenizer.encode_batch([""], **settings)
    return settings
