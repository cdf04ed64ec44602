"""Implements :func:`piecework.evaluate`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from piecework._io.document_batch import check_name
from piecework._io.given import as_corpus
from piecework._io.sources import normal_name
from piecework._messages import did_you_mean, shown, wrong_type
from piecework._progress import ProgressLike, reporting
from piecework._settings.arguments import (
    check_flag,
    check_index,
    check_positive,
    check_str,
    check_threads,
)
from piecework.analysis._evaluation.agreement import Agreement
from piecework.analysis._evaluation.metrics import Vocabulary, metrics_of
from piecework.analysis._evaluation.result import Evaluation, Parity, TextResult, TokenizerResult
from piecework.analysis._evaluation.sums import GroupMeter, GroupSums, TextSums
from piecework.analysis._measuring import measure, threads_of_meter
from piecework.analysis._measuring.pairs import check_parallel
from piecework.engines import Engine, check_engine
from piecework.errors import ConfigError
from piecework.tokenizer._arguments import TokenizerLike, named_tokenizers

if TYPE_CHECKING:
    from piecework._io.corpus import Corpus
    from piecework._settings.arguments import ArrowColumn, Specials
    from piecework.tokenizer import Tokenizer

_FREQUENT = 20
"""The number of most frequent tokens in a result."""


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
    disagreements = _checked_number(disagreements)
    named = named_tokenizers(tokenizers)
    parallel = check_flag("parallel", parallel)
    _check_power(renyi_power)
    if reference is not None and not parallel:
        message = "requires parallel texts"
        raise ConfigError(message, setting="reference", hint="pass `parallel=True`")
    for tok in named.values():
        tok.encode_ids("", specials=specials, sampling=None)  # checks `specials`
    check_positive("part_bytes", part_bytes)
    check_threads(threads)
    groups = _groups(texts, by, engine)
    member = None if by in {None, "file", "folder"} else by
    if member is not None and parallel:
        message = "texts of a member are in no order of translations"
        hint = 'pass `by="file"`, or a mapping of languages to texts'
        raise ConfigError(message, setting="parallel", hint=hint)
    if part_bytes is not None and not _are_corpora(groups):
        raise ConfigError("requires a piecework.Corpus", setting="part_bytes", hint="remove it")
    languages = [name for name in groups if name is not None]
    compared = _reference(languages, reference) if parallel else None
    threads = threads_of_meter(threads, engine)
    with reporting(progress) as report:
        sums = measure(
            partial(GroupMeter, named, specials, disagreements, threads),
            groups,
            engine=engine,
            report=partial(report, "evaluating"),
            member=member,
            is_parallel=parallel,
            part_bytes=part_bytes,
        )
    return _evaluation(named, sums, compared, renyi_power, disagreements)


def _checked_number(disagreements: int | None) -> int | None:
    """Returns the number of disagreements."""
    if isinstance(disagreements, bool):
        raise wrong_type("disagreements", "an integer or None", disagreements)
    number = None if disagreements is None else check_index("disagreements", disagreements)
    if number is not None and number < 0:
        message = f"expected an integer from 0 on, found {shown(number)}"
        raise ConfigError(message, setting="disagreements")
    return number


def _check_power(power: object) -> None:
    if isinstance(power, bool) or not isinstance(power, int | float) or not 0 < power < 1e3:
        message = f"expected a number above 0 and below 1000, found {shown(power)}"
        raise ConfigError(message, setting="renyi_power")


def _groups(texts: Any, by: str | None, engine: Engine | None) -> dict[str | None, Any]:
    """Returns the texts of each group; the group None has all texts if there are no groups, or those of a member.

    Args:
        texts: A corpus or other texts, or a mapping of groups to them.
        by: What makes the groups of a corpus; see :func:`piecework.evaluate`.
        engine: Where the parts of files run.

    Raises:
        ConfigError: `by` is given with a mapping.
        TypeError: `by` or an engine is given, and the texts are not those of files that they can divide.
    """
    check_name("by", by)
    if engine is not None:
        check_engine(engine)
    groups: dict[str | None, Any] = {None: texts}
    if isinstance(texts, Mapping):
        if by is not None:
            message = "cannot be combined with a mapping of groups"
            raise ConfigError(message, setting="by", hint="pass a Corpus")
        if not texts:
            raise ConfigError("expected at least one group", setting="texts")
        groups = {
            check_str("texts: the name of a group", name): each for name, each in texts.items()
        }
    if (engine is not None or by is not None) and not _are_corpora(groups):
        setting = "by" if engine is None else "engine"
        raise wrong_type("texts", f"a piecework.Corpus, whose files `{setting}` divides", texts)
    return texts._groups(by) if by in {"file", "folder"} else groups


def _are_corpora(groups: Mapping[str | None, object]) -> bool:
    return all(as_corpus(each) is not None for each in groups.values())


def _reference(groups: Sequence[str], reference: str | None) -> str:
    """Returns the language that others are compared with: the given one, or the first.

    Raises:
        ConfigError: There is no such group, or there are not several.
    """
    if len(groups) < 2:
        raise ConfigError(
            "requires several groups of texts, one for each language",
            setting="parallel",
            hint='pass a mapping of languages to texts, or `by="file"`',
        )
    if reference is None:
        return groups[0]
    # The name of a file may be spelled in several ways.
    reference = reference if reference in groups else normal_name(reference)
    if reference not in groups:
        message = f"no group is named {shown(reference)}"
        hint = (
            did_you_mean(reference, groups) or f"the groups are {', '.join(map(shown, groups[:8]))}"
        )
        raise ConfigError(message, setting="reference", hint=hint)
    return reference


def _evaluation(
    tokenizers: Mapping[str, Tokenizer],
    groups: Mapping[str | None, GroupSums],
    reference: str | None,
    power: float,
    disagreements: int | None,
) -> Evaluation:
    """Returns the result for the sums of each group; the group None has all texts if there are no groups."""
    names = tuple(name for name in groups if name is not None)
    if reference is not None:
        check_parallel({name: groups[name].sums[0].texts for name in names})
    results = (
        _result(
            name, tok, {group: each.sums[place] for group, each in groups.items()}, reference, power
        )
        for place, (name, tok) in enumerate(tokenizers.items())
    )
    agreements = {name: each.agreement for name, each in groups.items() if each.agreement}
    return Evaluation(
        tuple(results),
        names,
        float(power),
        None if disagreements is None else Agreement.total(agreements.values(), disagreements),
        {name: each for name, each in agreements.items() if name is not None},
    )


def _result(
    name: str,
    tok: Tokenizer,
    sums: Mapping[str | None, TextSums],
    reference: str | None,
    power: float,
) -> TokenizerResult:
    """Returns the result of a tokenizer for its sums of each group."""
    vocabulary = Vocabulary(tok)

    def result(each: TextSums) -> TextResult:
        return TextResult(each, metrics_of(each, vocabulary, power))

    total = sums[None] if None in sums else TextSums.total(sums.values())
    groups = {group: each for group, each in sums.items() if group is not None}
    tokens = {group: each.tokens for group, each in groups.items()}
    return TokenizerResult(
        name,
        tok.model_type,
        tok.vocab_size,
        tok.fingerprint,
        result(total),
        {group: result(each) for group, each in groups.items()},
        None if reference is None else Parity.of(tokens, reference),
        _frequent(tok, total),
    )


def _frequent(tok: Tokenizer, sums: TextSums) -> tuple[tuple[str, int], ...]:
    """Returns the most frequent tokens in readable form; of equally frequent ones those of the smallest ids."""
    order = (-sums.counts).argsort(kind="stable")[:_FREQUENT]
    pairs = zip(sums.ids[order].tolist(), sums.counts[order].tolist(), strict=True)
    return tuple((tok.display_token(number), count) for number, count in pairs)
