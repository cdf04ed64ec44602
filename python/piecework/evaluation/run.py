"""Evaluates texts and corpora."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from piecework.arguments import check_flag, check_index, check_str, check_threads, named_tokenizers
from piecework.errors import ConfigError, WorkerError, shown, warn, wrong_type
from piecework.evaluation.agreement import Agreement
from piecework.evaluation.measuring import (
    GroupMeter,
    GroupPart,
    GroupSums,
    ListEntries,
    MeasurePart,
    Measures,
)
from piecework.evaluation.metrics import metrics_of
from piecework.evaluation.parity import Parity, check_parallel, reference_of
from piecework.evaluation.result import Evaluation, TextResult, TokenizerResult
from piecework.evaluation.sums import TextSums
from piecework.evaluation.vocabulary import Vocabulary
from piecework.io.document_batch import DEFAULT_FIELD
from piecework.io.documents import find_place, warn_of_skipped
from piecework.io.sources import total_size
from piecework.io.texts import batches_of
from piecework.jobs import divide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeVar

    from piecework.arguments import Specials, TokenizerLike
    from piecework.engines import Engine
    from piecework.evaluation.agreement import Disagreement
    from piecework.evaluation.measuring import PartEntries, PartSums
    from piecework.evaluation.sums import ChangedText
    from piecework.io.corpus import Corpus
    from piecework.io.documents import ReadOptions
    from piecework.io.sources import Source
    from piecework.io.texts import TextBatch
    from piecework.progress import Report
    from piecework.tokenizer import Tokenizer

    Result = TypeVar("Result", PartSums, PartEntries)

__all__ = ["Settings", "evaluate_corpus", "evaluate_texts", "groups_of"]

_FREQUENT = 20
"""The number of most frequent tokens in a result."""


class Settings:
    """Holds what all evaluations have in common, checked.

    Attributes:
        measures: What is measured.
        power: The power of the Rényi efficiency.
    """

    def __init__(
        self,
        tokenizers: TokenizerLike | Sequence[TokenizerLike] | Mapping[str, TokenizerLike],
        *,
        specials: Specials | None,
        power: Any,
        parallel: bool,
        reference: str | None,
        disagreements: int | None,
    ) -> None:
        """Checks the settings."""
        if isinstance(disagreements, bool):
            raise wrong_type("disagreements", "an integer or None", disagreements)
        if disagreements is not None:
            disagreements = check_index("disagreements", disagreements)
            if disagreements < 0:
                message = f"expected an integer from 0 on, found {disagreements}"
                raise ConfigError(message, setting="disagreements")
        self.measures = Measures(named_tokenizers(tokenizers), specials, disagreements)
        self.power = power
        self._parallel, self._reference = check_flag("parallel", parallel), reference
        if isinstance(power, bool) or not isinstance(power, int | float) or not 0 < power < 1e3:
            message = f"expected a number above 0 and below 1000, found {shown(power)}"
            raise ConfigError(message, setting="renyi_power")
        if reference is not None and not parallel:
            message = "requires parallel texts"
            raise ConfigError(message, setting="reference", hint="pass `parallel=True`")
        for tok in self.measures.tokenizers.values():
            tok.encode_ids("", specials=specials, sampling=None)  # checks `specials`

    def reference(self, groups: Sequence[str]) -> str | None:
        """Returns the language that others are compared with, or None without parallel texts."""
        return reference_of(groups, self._reference) if self._parallel else None

    def evaluation(
        self, groups: Mapping[str | None, GroupSums], reference: str | None
    ) -> Evaluation:
        """Returns the result for the sums of each group; the group None has all texts if there are no groups."""
        sums = {name: each for name, each in groups.items() if name is not None}
        if reference is not None:
            check_parallel({name: each.sums[0].texts for name, each in sums.items()})
        results = (
            self._result(
                place, {name: each.sums[place] for name, each in groups.items()}, reference
            )
            for place in range(len(self.measures.tokenizers))
        )
        agreements = {name: each.agreement for name, each in groups.items() if each.agreement}
        most = self.measures.disagreements
        return Evaluation(
            tuple(results),
            tuple(sums),
            float(self.power),
            None if most is None else Agreement.total(agreements.values(), most),
            {name: each for name, each in agreements.items() if name is not None},
        )

    def _result(
        self, place: int, sums: Mapping[str | None, TextSums], reference: str | None
    ) -> TokenizerResult:
        """Returns the result of a tokenizer for its sums of each group."""
        name, tok = list(self.measures.tokenizers.items())[place]
        vocabulary = Vocabulary(tok)

        def result(each: TextSums) -> TextResult:
            return TextResult(each, metrics_of(each, vocabulary, self.power))

        total = sums[None] if None in sums else TextSums.total(sums.values())
        groups = {name: each for name, each in sums.items() if name is not None}
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


def evaluate_texts(
    settings: Settings, texts: Any, threads: int | None, report: Report
) -> Evaluation:
    """Implements :func:`piecework.evaluate` for texts, which are read once."""
    check_threads(threads)
    groups = {None: texts} if not isinstance(texts, Mapping) else groups_of(texts)
    reference = settings.reference([name for name in groups if name is not None])
    done, sums = 0, {}
    for number, (name, each) in enumerate(groups.items()):
        meter, start = GroupMeter(settings.measures, threads), 0
        prefix = "" if name is None else f"{name}: "
        for batch in batches_of(each):
            meter.add(batch.texts, _placing(batch, number, start, prefix))
            start += len(batch.texts)
            done += len(batch.texts)
            report("evaluating", done, 0)
        sums[name] = meter.sums()
    return settings.evaluation(sums, reference)


def groups_of(groups: Mapping[Any, Any]) -> dict[str | None, Any]:
    """Returns groups that are given as a mapping of names."""
    if not groups:
        raise ConfigError("expected at least one group", setting="texts")
    return {check_str("texts: the name of a group", key): value for key, value in groups.items()}


def _placing(
    batch: TextBatch, group: int, start: int, prefix: str
) -> Callable[[int], tuple[int, int, str]]:
    """Returns the function for the place of a text of a batch, whose first text has the number `start` in its group."""
    return lambda index: (group, start + index, f"{prefix}{batch.place(index)}")


def evaluate_corpus(
    settings: Settings,
    groups: Mapping[str | None, Corpus],
    *,
    member: str | None,
    part_bytes: int,
    threads: int | None,
    engine: Engine | None,
    report: Report,
) -> Evaluation:
    """Implements :func:`piecework.evaluate` for files.

    Args:
        settings: What is evaluated.
        groups: The files of each group; the group None has all files if there are no groups, or those of a member.
        member: The member or column whose values are the groups.
        part_bytes: The bytes of input that are measured as one part.
        threads: The number of threads.
        engine: Where the parts run.
        report: The callback for progress.
    """
    check_threads(threads)
    names = [name for name in groups if name is not None]
    reference = settings.reference(names)
    if member is not None:
        _check_member(member, groups.values())
        groups = {name: each._with(keep=(member,)) for name, each in groups.items()}
    readings = {name: each._reading for name, each in groups.items()}
    files = [(source, each._reading) for each in groups.values() for source in each._sources]
    parts = list(_parts(groups, part_bytes))
    threads = threads if engine is None or threads is not None else 1
    if reference is not None and any(each.on_error == "skip" for each in readings.values()):
        parts = _without_pairs_of_skipped(parts, names, ListEntries(readings), engine)
    measure = MeasurePart(settings.measures, readings, member, threads)
    results, total, done = {}, total_size(source for source, _ in files), 0
    for part, result in _results(measure, parts, engine):
        results[part.number] = result
        done += part.bytes
        report("evaluating", done, total)
    ordered = [results[number] for number in sorted(results)]
    if reference is None:
        first = next(filter(None, (each.first_skipped for each in ordered)), None)
        warn_of_skipped(sum(each.skipped for each in ordered), first)
    sums: dict[str | None, GroupSums] = {}
    if member is None:
        sums = {name: GroupMeter(settings.measures, threads).sums() for name in groups}
    for result in ordered:
        for name, each in result.groups.items():
            known = sums.get(name)
            most = settings.measures.disagreements or 0
            sums[name] = each if known is None else known.plus(each, most)
    return settings.evaluation(
        {name: _placed(each, files) for name, each in sums.items()}, reference
    )


def _check_member(member: str, corpora: Iterable[Corpus]) -> None:
    """Raises ConfigError for the member that has the texts themselves."""
    if any(member == (each._reading.field or DEFAULT_FIELD) for each in corpora):
        raise ConfigError(f"the member {shown(member)} has the texts themselves", setting="by")


def _parts(groups: Mapping[str | None, Corpus], part_bytes: int) -> Iterator[GroupPart]:
    """Iterates over the parts of all groups; a part belongs to one group."""
    number = first = 0
    for group, corpus in groups.items():
        for part in divide(corpus._sources, part_bytes, corpus._reading):
            numbered = tuple((first + place, source, span) for place, source, span in part.ranges)
            yield GroupPart(number, group, numbered, part.bytes)
            number += 1
        first += len(corpus._sources)


def _results(
    fn: Callable[[GroupPart], Result], parts: Sequence[GroupPart], engine: Engine | None
) -> Iterator[tuple[GroupPart, Result]]:
    """Iterates over the results of all parts, each once, in any order."""
    missing = {part.number: part for part in parts}
    for result in map(fn, parts) if engine is None else engine.run(fn, parts):
        part = missing.pop(result.number, None)
        if part is not None:  # an engine may run a part twice
            yield part, result
    if missing:
        raise WorkerError(f"the engine returned no result for part {min(missing)}")


def _without_pairs_of_skipped(
    parts: Sequence[GroupPart],
    names: Sequence[str],
    entries: ListEntries,
    engine: Engine | None,
) -> list[GroupPart]:
    """Returns the parts without the entries of which one in any group is no document, and warns of these.

    Parallel texts are those with the same number in their groups, so an entry is skipped in all groups.
    """
    listed = {part.number: result for part, result in _results(entries, parts, engine)}
    counts = dict.fromkeys(names, 0)
    starts, skipped = {}, set[int]()
    for part in parts:
        name = str(part.group)
        start, own = counts[name], listed[part.number]
        starts[part.number] = start
        skipped.update(start + number for number in own.skipped)
        counts[name] += own.size
    check_parallel(counts)
    first = next(filter(None, (listed[part.number].first_skipped for part in parts)), None)
    if first:
        number = "1 text was" if len(skipped) == 1 else f"{len(skipped):,} texts were"
        warn(f"{number} skipped in every group; the first is {first}")
    ordered = sorted(skipped)

    def without(part: GroupPart) -> GroupPart:
        start, size = starts[part.number], listed[part.number].size
        inside = ordered[bisect_left(ordered, start) : bisect_left(ordered, start + size)]
        return part._replace(omitted=tuple(number - start for number in inside))

    return [without(part) for part in parts]


def _placed(sums: GroupSums, files: Sequence[tuple[Source, ReadOptions]]) -> GroupSums:
    """Returns sums whose examples name the lines of the files, which are given with their options of reading."""

    def place(each: ChangedText | Disagreement) -> str:
        source, reading = files[each.source]
        return find_place(source, each.position, reading)

    texts = (
        replace(
            each,
            changed=tuple(changed._replace(place=place(changed)) for changed in each.changed),
        )
        for each in sums.sums
    )
    agreement = sums.agreement
    if agreement is not None:
        found = (replace(each, place=place(each)) for each in agreement.disagreements)
        agreement = replace(agreement, disagreements=tuple(found))
    return GroupSums(tuple(texts), agreement)
