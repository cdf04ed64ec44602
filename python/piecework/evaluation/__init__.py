r"""Computes what tokenizers do to texts: lengths, whole words, use of the vocabulary, languages, round trips.

`docs/evaluation.md` defines each metric and names its source.

>>> import piecework as pw
>>> tok = pw.train(["hug pug pun bun hugs"] * 3, pw.WordPieceTrainer(vocab_size=17))
>>> evaluation = evaluate(tok, ["hug pugs", "a bun"])
>>> evaluation["fertility"], evaluation["changed_texts"]
(1.5, 1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from piecework.evaluation.limits import FailedLimit
from piecework.evaluation.metrics import METRICS, PARITY_METRICS, Metric
from piecework.evaluation.parity import Parity
from piecework.evaluation.result import Evaluation, TextResult, TokenizerResult
from piecework.evaluation.run import (
    By,
    Settings,
    evaluate_groups_of_files,
    evaluate_groups_of_texts,
)
from piecework.evaluation.sums import ChangedText, TextSums

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from piecework.arguments import ArrowColumn, Specials, TokenizerLike
    from piecework.engines import Engine
    from piecework.io.files import Pathish
    from piecework.results import ProgressLike

__all__ = [
    "METRICS",
    "PARITY_METRICS",
    "By",
    "ChangedText",
    "Evaluation",
    "FailedLimit",
    "Metric",
    "Parity",
    "TextResult",
    "TextSums",
    "TokenizerResult",
    "evaluate",
    "evaluate_files",
]


def evaluate(
    tokenizers: TokenizerLike | Mapping[str, TokenizerLike],
    texts: Iterable[str] | ArrowColumn | Mapping[str, Iterable[str] | ArrowColumn],
    *,
    parallel: bool = False,
    reference: str | None = None,
    specials: Specials | None = None,
    renyi_power: float = 2.5,
    threads: int | None = None,
    progress: ProgressLike = False,
) -> Evaluation:
    r"""Evaluates one or several tokenizers on texts.

    Texts are encoded without added special tokens, truncation, padding and dropout. Memory does not grow with the number of
    texts.

    Args:
        tokenizers: A tokenizer, or a mapping of names to tokenizers.
        texts: Any iterable of ``str``, or a string column as for :meth:`Tokenizer.encode_batch`; or a mapping of groups,
            such as languages, to them.
        parallel: Whether the groups are translations of each other, text by text, so that their tokens are compared.
        reference: The group that others are compared with; by default the first.
        specials: How special tokens in a text are treated; see :meth:`Tokenizer.encode`.
        renyi_power: The power of the Rényi efficiency; 1 is Shannon's.
        threads: The number of threads; by default one per core. The result does not depend on it.
        progress: Whether to show progress, or a callback for it.

    Returns:
        The metrics of each tokenizer on all texts and on each group; print it for a table.

    Raises:
        ConfigError: A setting is invalid, or parallel groups have different numbers of texts.
        UnknownTokenError: A word is unknown to a tokenizer without unknown token.
        SurrogateError: A text contains a lone surrogate.
        ArrowError: The column is not a string column, or contains nulls.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n")
    >>> languages = {"en": ["low"], "de": ["lower"]}
    >>> evaluate(tok, languages, parallel=True).tokenizers[0].parity.premiums
    {'en': 1.0, 'de': 2.0}
    """
    from piecework.progress import reporting

    settings = Settings(tokenizers, specials, renyi_power, parallel, reference)
    with reporting(progress) as report:
        return evaluate_groups_of_texts(settings, texts, threads, report)


def evaluate_files(
    tokenizers: TokenizerLike | Mapping[str, TokenizerLike],
    inputs: Pathish | Iterable[Pathish] | Mapping[str, Pathish | Iterable[Pathish]],
    *,
    by: By | None = None,
    parallel: bool = False,
    reference: str | None = None,
    input_format: Literal["text", "jsonl", "parquet", "arrow"] | None = None,
    field: str | None = None,
    column: str | None = None,
    per: Literal["line", "file"] = "line",
    encoding: str | None = None,
    errors: str = "strict",
    on_error: Literal["raise", "skip"] = "raise",
    specials: Specials | None = None,
    renyi_power: float = 2.5,
    part_bytes: int = 1 << 25,
    threads: int | None = None,
    engine: Engine | None = None,
    progress: ProgressLike = False,
) -> Evaluation:
    r"""Evaluates one or several tokenizers on the documents of files of any size.

    Memory does not grow with the size of the files; a document is encoded as a whole.

    Args:
        tokenizers: A tokenizer, or a mapping of names to tokenizers.
        inputs: Files, folders, patterns and URLs: text, JSON lines, Parquet or Arrow by their names, also compressed; or a mapping
            of groups, such as languages, to them.
        by: Makes a group of each ``"file"``, or of the files of each ``"folder"``; by default there are no groups.
        parallel: Whether the groups are translations of each other, document by document.
        reference: The group that others are compared with; by default the first.
        input_format: The format of all files, if their names do not say it.
        field: The member of JSON lines, or the column of Parquet, with the text; ``"text"`` by default.
        column: Another name for `field`.
        per: Whether each ``"line"`` of a text file is a document, or the whole ``"file"``.
        encoding: The character encoding of text and JSON lines; UTF-8 by default, ``"auto"`` to detect it.
        errors: ``"strict"`` raises on invalid bytes, ``"replace"`` replaces them by U+FFFD.
        on_error: ``"raise"`` raises for a line that is no document, ``"skip"`` skips it and warns at the end.
        specials: How special tokens in a document are treated; see :meth:`Tokenizer.encode`.
        renyi_power: The power of the Rényi efficiency; 1 is Shannon's.
        part_bytes: The bytes of input that are measured as one part.
        threads: The number of threads; by default one per core, and with an engine one for each part.
        engine: Where the parts run, such as :class:`piecework.engines.Local`; by default in this process. The result depends
            neither on it nor on `threads` and `part_bytes`.
        progress: Whether to show progress, or a callback for it.

    Returns:
        The metrics of each tokenizer on all documents and on each group; print it for a table.

    Raises:
        ConfigError: A setting is invalid, or parallel groups have different numbers of documents.
        FileError: A file cannot be read.
        FormatError: A file is damaged or of another format.
        DocumentError: A line is no document, with ``on_error="raise"``.
        InvalidUtf8Error: A line is not UTF-8, with ``on_error="raise"``.
        MissingExtraError: A format requires a package that is not installed.
        UnknownTokenError: A word is unknown to a tokenizer without unknown token.
        WorkerError: The worker of a part died at each of three attempts.

    >>> import os, tempfile
    >>> import piecework as pw
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "a.txt"), "w") as file:
    ...     _ = file.write("low lower\nLOW\n")
    >>> tok = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n")
    >>> evaluation = evaluate_files(tok, folder)
    >>> evaluation["bytes_per_token"], evaluation["changed_texts"]
    (3.0, 1)
    """
    from piecework.io.documents import read_options
    from piecework.progress import reporting

    settings = Settings(tokenizers, specials, renyi_power, parallel, reference)
    reading = read_options(
        field, column, per=per, encoding=encoding, errors=errors, on_error=on_error
    )
    with reporting(progress) as report:
        return evaluate_groups_of_files(
            settings,
            inputs,
            reading,
            by=by,
            input_format=input_format,
            part_bytes=part_bytes,
            threads=threads,
            engine=engine,
            report=report,
        )
