"""Encodes the text columns of data frames on clusters: functions for Ray Data and for Spark."""

from __future__ import annotations

import pickle
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from piecework._io.extras import import_extra
from piecework._messages import shown
from piecework._settings.immutable import Immutable, dataclass
from piecework.errors import ConfigError, WorkerError
from piecework.tokenizer._checks import refuse_unknown
from piecework.tokenizer._options import RowOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa
    from pyspark.sql import Column

    from piecework.tokenizer._tokenizer import Tokenizer


ArrowTable = TypeVar("ArrowTable", bound="pa.Table | pa.RecordBatch")

_SIGNED_LIMIT = 1 << 31


@dataclass(frozen=True, slots=True)
class ArrowUdf(Immutable):
    """Appends a column of ids to Arrow tables; see :meth:`piecework.Tokenizer.arrow_udf`.

    Attributes:
        tokenizer: The tokenizer.
        column: The name of the text column.
        output: The name of the new column.
        settings: The arguments of :meth:`piecework.Tokenizer.encode_batch`.
    """

    tokenizer: Tokenizer
    column: str
    output: str
    settings: Mapping[str, Any]

    @property
    def __name__(self) -> str:
        """Returns the name that Ray Data shows for the function."""
        return f"encode_{self.column}"

    def __call__(self, table: ArrowTable) -> ArrowTable:
        """Returns a table or record batch with the new column; the ids of a null are null.

        Raises:
            ConfigError: The table has no text column of the name, or has the new column already.
            ArrowError: The column is not a string column.
        """
        names = table.schema.names
        if self.column not in names:
            message = f"no column {shown(self.column)}; the table has {', '.join(map(repr, names))}"
            raise ConfigError(message, setting="column")
        if self.output in names:
            message = f"the table has a column {shown(self.output)} already"
            raise ConfigError(message, setting="output", hint="pass another name")
        ids = encoded(self.tokenizer, table.column(self.column), self.settings)
        with_ids: ArrowTable = table.append_column(self.output, ids)
        return with_ids

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the tokenizer apart, so that a worker reads it once for all batches."""
        others = (self.column, self.output, dict(self.settings))
        return _unpickle, (type(self), _packed(self.tokenizer), *others)


@dataclass(frozen=True, slots=True)
class SparkUdf(Immutable):
    """Maps Arrow columns of texts to columns of ids, in signed integers, since Spark has no others.

    Attributes:
        tokenizer: The tokenizer.
        settings: The arguments of :meth:`piecework.Tokenizer.encode_batch`.
    """

    tokenizer: Tokenizer
    settings: Mapping[str, Any]

    def __call__(self, texts: pa.Array | pa.ChunkedArray) -> pa.ListArray:
        """Returns the ids of a column."""
        import pyarrow as pa

        ids = encoded(self.tokenizer, texts, self.settings)
        mask = ids.is_null() if ids.null_count else None
        # Below 2^31 the bytes are those of signed integers.
        is_large = has_large_ids(self.tokenizer)
        values = ids.values.cast(pa.int64()) if is_large else ids.values.view(pa.int32())
        return pa.ListArray.from_arrays(ids.offsets.cast(pa.int32()), values, mask=mask)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the tokenizer apart, so that a worker reads it once for all batches."""
        return _unpickle, (type(self), _packed(self.tokenizer), dict(self.settings))


def row_settings(tokenizer: Tokenizer, options: RowOptions, threads: int | None) -> dict[str, Any]:
    """Returns the arguments of a batch, after checking them; a row of a table has no padding."""
    refuse_unknown(options, RowOptions.__optional_keys__, "the options of a column of texts")
    settings: dict[str, Any] = {**options, "padding": None, "threads": threads}
    tokenizer.encode_batch([""], **settings)
    return settings


def spark_column(tokenizer: Tokenizer, column: str, settings: Mapping[str, Any]) -> Column:
    """Returns the column of ids of a text column, for a DataFrame of Spark.

    Raises:
        MissingExtraError: Spark is not installed.
        ConfigError: There is no session.
    """
    functions = import_extra("pyspark.sql.functions", "spark", "spark_udf")
    pa = import_extra("pyarrow", "spark", "spark_udf")
    from piecework.engines._spark import is_connected

    if not is_connected():
        raise ConfigError("spark_udf requires a SparkSession", hint="create the session first")

    encode = SparkUdf(tokenizer, settings)

    def ids(texts: Any) -> Any:
        return encode(texts)

    ids.__annotations__ = {"texts": pa.Array, "return": pa.Array}  # Spark reads the types
    kind = "bigint" if has_large_ids(tokenizer) else "int"
    return functions.arrow_udf(ids, returnType=f"array<{kind}>")(column)


def has_large_ids(tokenizer: Tokenizer) -> bool:
    """Returns whether an id does not fit into a signed integer of 32 bits."""
    return tokenizer.max_id is not None and tokenizer.max_id >= _SIGNED_LIMIT


def encoded(tokenizer: Tokenizer, texts: Any, settings: Mapping[str, Any]) -> Any:
    """Returns the ids of a column of pyarrow, as a list column of the same length; the ids of a null are null."""
    pa = import_extra("pyarrow", "parquet", "a column of texts")

    if pa.types.is_null(texts.type):  # a column of nulls alone has no type
        texts = texts.cast(pa.string())
    if pa.types.is_string_view(texts.type):
        texts = texts.cast(pa.large_string())
    is_text = pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)
    nulls = texts.is_null() if texts.null_count and is_text else None
    batch = tokenizer.encode_batch(texts if nulls is None else texts.fill_null(""), **settings)
    ids = pa.array(batch)
    if nulls is None:
        return ids
    mask = nulls.combine_chunks() if isinstance(nulls, pa.ChunkedArray) else nulls
    return type(ids).from_arrays(ids.offsets, ids.values, mask=mask)


def _packed(tokenizer: Tokenizer) -> tuple[str, str, bytes]:
    """Returns the version of piecework, the fingerprint of a tokenizer, and the tokenizer as bytes."""
    import piecework

    return piecework.__version__, tokenizer.fingerprint, pickle.dumps(tokenizer)


@lru_cache(maxsize=4)
def _tokenizer(packed: tuple[str, str, bytes]) -> Tokenizer:
    """Returns a tokenizer that was sent to this worker, whose cache lives as long as the worker.

    Raises:
        WorkerError: The worker has another version of piecework.
    """
    import piecework

    version, fingerprint, data = packed
    if version != piecework.__version__:
        raise WorkerError(
            f"the worker has piecework {piecework.__version__}; the program has {version}",
            hint=f"install piecework {version} where the workers run",
        )
    tokenizer: Tokenizer = pickle.loads(data)
    if tokenizer.fingerprint != fingerprint:
        raise WorkerError(
            "the worker computes another fingerprint of the tokenizer than the program",
            hint="install the same build of piecework on all machines",
        )
    return tokenizer


def _unpickle(kind: Callable[..., Any], packed: tuple[str, str, bytes], *others: Any) -> Any:
    """Returns a function that was sent to this worker."""
    return kind(_tokenizer(packed), *others)
