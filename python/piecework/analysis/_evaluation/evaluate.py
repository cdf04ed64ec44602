"""Implements :func:`piecework.evaluate`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from piecework._settings.arguments import check_positive, check_threads
from piecework.analysis._evaluation.run import Settings, corpus_groups, groups_of
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from piecework._io.corpus import Corpus
    from piecework._progress import ProgressLike
    from piecework._settings.arguments import ArrowColumn, Specials
    from piecework.analysis._evaluation.result import Evaluation
    from piecework.engines import Engine
    from piecework.tokenizer._arguments import TokenizerLike

__all__ = ["evaluate"]


def evaluate(
    tokenizers: TokenizerLike | Sequence[TokenizerLike] | Mapping[str, TokenizerLike],
    texts: Iterable[str]
    | ArrowColumn
    | Corpus
    | Mapping[str, Iterable[str] | ArrowColumn | Corpus],
    *,
    by: str | None = None,
    parallel: bool = False,
    reference: str | None = None,
    disagreements: int | None = None,
    specials: Specials | None = None,
    renyi_power: float = 2.5,
    part_bytes: int | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    progress: ProgressLike = False,
) -> Evaluation:
    r"""Evaluates one or several tokenizers on texts, or on files of any size.

    Texts are encoded without added special tokens, truncation, padding and dropout. Memory does not grow with the number of
    texts; each text is encoded as a whole.

    Args:
        tokenizers: A tokenizer, several in a list, or a mapping of names to tokenizers.
        texts: Any iterable of ``str``; a string column as for :meth:`Tokenizer.encode_batch`; files, a
            :class:`piecework.Corpus`; or a mapping of groups, such as languages, to them.
        by: Makes groups of a corpus: of each ``"file"``, of the files of each ``"folder"``, or of the texts of each value of
            another member of JSON Lines or column of Parquet, such as ``"lang"``; a member that is named as these two cannot
            make groups. By default there are no groups.
        parallel: Whether the groups are translations of each other, text by text, so that their tokens are compared.
        reference: The group that others are compared with; by default the first.
        disagreements: The maximum number of texts to show that the tokenizers cut differently, with 0 their number alone; by
            default it is not counted.
        specials: How special tokens in a text are treated; see :meth:`Tokenizer.encode`.
        renyi_power: The power of the Rényi efficiency; 1 is Shannon's.
        part_bytes: The bytes of a corpus that are measured as one part; 32 MiB by default.
        threads: The number of threads; by default one per core, and with an engine one for each part.
        engine: Where the parts of a corpus run, such as :class:`piecework.engines.Local`; by default in this process. The
            result depends neither on it nor on `threads` and `part_bytes`.
        progress: Whether to show progress, or a callback for it.

    Returns:
        The metrics of each tokenizer on all texts and on each group; print it for a table.

    Raises:
        ConfigError: A setting is invalid, or parallel groups have different numbers of texts.
        UnknownTokenError: A word is unknown to a tokenizer without unknown token.
        SurrogateError: A text contains a lone surrogate.
        ArrowError: The column is not a string column, or contains nulls.
        WorkerError: The worker of a part died at each of three attempts.
        PieceworkError: A corpus cannot be read; see :class:`piecework.Corpus`.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n")
    >>> languages = {"en": ["low"], "de": ["lower"]}
    >>> evaluate(tok, languages, parallel=True).tokenizers[0].parity.premiums
    {'en': 1.0, 'de': 2.0}
    """
    from piecework._progress import reporting
    from piecework.analysis._measuring import measure_texts

    settings = Settings(
        tokenizers,
        specials=specials,
        power=renyi_power,
        parallel=parallel,
        reference=reference,
        disagreements=disagreements,
    )
    check_positive("part_bytes", part_bytes)
    check_threads(threads)
    corpora = corpus_groups(texts, by, engine)
    groups = groups_of(texts) if corpora is None else corpora
    member = None if by in {None, "file", "folder"} else by
    if member is not None and parallel:
        message = "texts of a member are in no order of translations"
        hint = 'pass `by="file"`, or a mapping of languages to texts'
        raise ConfigError(message, setting="parallel", hint=hint)
    if corpora is None and part_bytes is not None:
        raise ConfigError("requires a piecework.Corpus", setting="part_bytes", hint="remove it")
    compared = settings.reference([name for name in groups if name is not None])
    with reporting(progress) as progressed:
        report = partial(progressed, "evaluating")
        if corpora is None:
            sums = measure_texts(settings.measures, groups, threads, report)
        else:
            from piecework.analysis._measuring.files import PART_BYTES, measure_files

            sums = measure_files(
                settings.measures,
                corpora,
                member=member,
                is_parallel=parallel,
                part_bytes=part_bytes or PART_BYTES,
                threads=threads,
                engine=engine,
                report=report,
            )
    return settings.evaluation(sums, compared)
