"""Evaluates texts and files."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from piecework.arguments import as_column, as_tokenizer, check_iterable, check_str, check_threads
from piecework.engines import check_engine
from piecework.errors import ConfigError, PieceworkError, WorkerError, shown, warn
from piecework.evaluation.measuring import GroupPart, ListEntries, MeasurePart, TextMeter
from piecework.evaluation.metrics import metrics_of
from piecework.evaluation.parity import Parity, check_parallel, reference_of
from piecework.evaluation.result import Evaluation, TextResult, TokenizerResult
from piecework.evaluation.sums import TextSums
from piecework.evaluation.vocabulary import Vocabulary
from piecework.io.documents import find_all_documents, find_place, warn_of_skipped
from piecework.io.sources import STDIN, find_sources, total_size
from piecework.jobs import divide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from piecework._core import ArrowTexts
    from piecework.arguments import Specials, TokenizerLike
    from piecework.engines import Engine
    from piecework.evaluation.measuring import PartEntries, PartSums
    from piecework.io.documents import ReadOptions, Skipped
    from piecework.io.sources import Source
    from piecework.progress import Report
    from piecework.tokenizer import Tokenizer

    Result = TypeVar("Result", PartSums, PartEntries)

__all__ = ["By", "Settings", "evaluate_groups_of_files", "evaluate_groups_of_texts"]

By = Literal["file", "folder"]
"""What makes a group of files: each file, or each folder."""

_TEXTS_AT_A_TIME = 4096
_CHARACTERS_AT_A_TIME = 1 << 22
"""The size of a batch of texts: enough to keep the threads busy, few enough to hold in memory."""
_FREQUENT = 20
"""The number of most frequent tokens in a result."""


class Settings:
    """Holds what all evaluations have in common, checked.

    Attributes:
        tokenizers: The tokenizers by their names.
        specials: How special tokens in texts are treated.
        power: The power of the Rényi efficiency.
    """

    def __init__(
        self,
        tokenizers: TokenizerLike | Mapping[str, TokenizerLike],
        specials: Specials | None,
        power: Any,
        parallel: bool,
        reference: str | None,
    ) -> None:
        """Checks the settings."""
        self.tokenizers = _named(tokenizers)
        self.specials = specials
        self.power = power
        self._parallel, self._reference = parallel, reference
        if isinstance(power, bool) or not isinstance(power, int | float) or not 0 < power < 1e3:
            message = f"expected a number above 0 and below 1000, found {shown(power)}"
            raise ConfigError(message, setting="renyi_power")
        if reference is not None and not parallel:
            message = "requires parallel texts"
            raise ConfigError(message, setting="reference", hint="pass `parallel=True`")
        for tok in self.tokenizers.values():
            tok.encode_ids("", specials=specials, sampling=None)  # checks `specials`

    def reference(self, groups: Sequence[str]) -> str | None:
        """Returns the language that others are compared with, or None without parallel texts."""
        return reference_of(groups, self._reference) if self._parallel else None

    def evaluation(
        self, groups: Sequence[str], sums: Sequence[Sequence[TextSums]], reference: str | None
    ) -> Evaluation:
        """Returns the result for the sums of each group, each a list by tokenizer."""
        if reference is not None:
            texts = {name: each[0].texts for name, each in zip(groups, sums, strict=True)}
            check_parallel(texts)
        results = (
            self._result(name, groups, [each[place] for each in sums], reference)
            for place, name in enumerate(self.tokenizers)
        )
        return Evaluation(tuple(results), tuple(groups), float(self.power))

    def _result(
        self, name: str, groups: Sequence[str], sums: Sequence[TextSums], reference: str | None
    ) -> TokenizerResult:
        tok = self.tokenizers[name]
        vocabulary = Vocabulary(tok)

        def result(each: TextSums) -> TextResult:
            return TextResult(each, metrics_of(each, vocabulary, self.power))

        total = sums[0] if not groups else TextSums.total(sums)
        tokens = {group: each.tokens for group, each in zip(groups, sums, strict=False)}
        return TokenizerResult(
            name,
            tok.model_type,
            tok.vocab_size,
            tok.fingerprint,
            result(total),
            {group: result(each) for group, each in zip(groups, sums, strict=False)},
            None if reference is None else Parity.of(tokens, reference),
            _frequent(tok, total),
        )


def _named(tokenizers: Any) -> dict[str, Tokenizer]:
    """Returns tokenizers by their names."""
    if not isinstance(tokenizers, Mapping):
        return {"tokenizer": as_tokenizer("tokenizers", tokenizers)}
    if not tokenizers:
        raise ConfigError("expected at least one tokenizer", setting="tokenizers")
    return {
        check_str("the name of a tokenizer", name): as_tokenizer(f"tokenizers[{shown(name)}]", tok)
        for name, tok in tokenizers.items()
    }


def _frequent(tok: Tokenizer, sums: TextSums) -> tuple[tuple[str, int], ...]:
    """Returns the most frequent tokens in readable form; of equally frequent ones those of the smallest ids."""
    order = (-sums.counts).argsort(kind="stable")[:_FREQUENT]
    pairs = zip(sums.ids[order].tolist(), sums.counts[order].tolist(), strict=True)
    return tuple((tok.display_token(number), count) for number, count in pairs)


def evaluate_groups_of_texts(
    settings: Settings, texts: Any, threads: int | None, report: Report
) -> Evaluation:
    """Implements :func:`piecework.evaluate`."""
    check_threads(threads)
    groups = _groups_of(texts, "texts")
    names = () if groups is None else tuple(groups)
    reference = settings.reference(names)
    done = 0

    def sums_of(each: Any, number: int, prefix: str) -> list[TextSums]:
        nonlocal done
        meters = [
            TextMeter(tok, settings.specials, threads) for tok in settings.tokenizers.values()
        ]
        start = 0
        for batch in _batches(each):
            _add_texts(meters, batch, number, start, prefix)
            start += len(batch)
            done += len(batch)
            report("evaluating", done, 0)
        return [meter.sums() for meter in meters]

    if groups is None:
        return settings.evaluation((), [sums_of(texts, 0, "")], reference)
    sums = [sums_of(groups[name], number, f"{name}: ") for number, name in enumerate(names)]
    return settings.evaluation(names, sums, reference)


def _groups_of(given: Any, name: str) -> dict[str, Any] | None:
    """Returns groups that are given as a mapping; None for anything else."""
    if not isinstance(given, Mapping):
        return None
    if not given:
        raise ConfigError("expected at least one group", setting=name)
    return {check_str("the name of a group", key): value for key, value in given.items()}


def _batches(texts: Any) -> Iterator[ArrowTexts | list[str]]:
    """Iterates over texts in batches of bounded size; a column is one batch."""
    if isinstance(texts, str):
        raise TypeError(
            "texts must be an iterable of str, not one str; pass [text], or call evaluate_files"
        )
    column = as_column(texts)
    if column is not None:
        yield column
        return
    batch: list[str] = []
    size = 0
    for text in check_iterable("texts", texts, "an iterable of str"):
        batch.append(check_str("texts", text))
        size += len(text)
        if len(batch) >= _TEXTS_AT_A_TIME or size >= _CHARACTERS_AT_A_TIME:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _add_texts(
    meters: Sequence[TextMeter],
    batch: ArrowTexts | list[str],
    group: int,
    start: int,
    prefix: str,
) -> None:
    """Adds texts to each tokenizer; the first one has the number `start` in its group."""

    def place(index: int) -> tuple[int, int, str]:
        return group, start + index, f"{prefix}text {start + index}"

    try:
        for meter in meters:
            meter.add(batch, place)
    except PieceworkError as error:
        number = error.place.removeprefix("text ").removesuffix(": ")
        if number.isdecimal():
            error.place = f"{place(int(number))[2]}: "
        raise


def evaluate_groups_of_files(
    settings: Settings,
    inputs: Any,
    reading: ReadOptions,
    *,
    by: By | None,
    input_format: str | None,
    part_bytes: int,
    threads: int | None,
    engine: Engine | None,
    report: Report,
) -> Evaluation:
    """Implements :func:`piecework.evaluate_files`."""
    check_threads(threads)
    groups = _sources(inputs, by, input_format, reading)
    names = tuple(name for name in groups if name is not None)
    reference = settings.reference(names)
    sources = [source for each in groups.values() for source in each]
    if engine is not None and any(source.name == STDIN for source in sources):
        message = "standard input cannot be read by other processes"
        raise ConfigError(message, setting="inputs", hint="write it to a file")
    parts = list(_parts(groups, part_bytes, reading))
    tokenizers = tuple(settings.tokenizers.values())
    if engine is not None:
        check_engine(engine)
    threads = threads if engine is None or threads is not None else 1
    if reference is not None and reading.on_error == "skip":
        parts = _without_pairs_of_skipped(parts, names, ListEntries(reading), engine)
    measure = MeasurePart(tokenizers, reading, settings.specials, threads)
    total = total_size(sources)
    sums, skipped, first = _measured(
        measure, parts, len(groups), engine=engine, total=total, report=report
    )
    if reference is None:
        warn_of_skipped(skipped, first)
    placed = [[_placed(each, sources, reading) for each in row] for row in sums]
    return settings.evaluation(names, placed, reference)


def _sources(
    inputs: Any, by: By | None, input_format: str | None, reading: ReadOptions
) -> dict[str | None, list[Source]]:
    """Returns the files of each group; the group None has all files if there are no groups."""
    groups = _groups_of(inputs, "inputs")
    if by not in (None, "file", "folder"):
        raise ConfigError(f"expected 'file', 'folder' or None, found {shown(by)}", setting="by")

    def find(names: Any) -> list[Source]:
        if input_format is None:
            return find_all_documents(names, reading)
        return find_sources(names, format=input_format)

    if groups is None:
        found = find(inputs)
        if by is None:
            return {None: found}
        grouped: dict[str | None, list[Source]] = {}
        for source in found:
            name = source.name if by == "file" else os.path.dirname(source.name) or "."
            grouped.setdefault(name, []).append(source)
        return grouped
    if by is not None:
        message = "cannot be combined with a mapping of groups"
        raise ConfigError(message, setting="by", hint="pass a list of files")
    return {group: find(each) for group, each in groups.items()}


def _parts(
    groups: Mapping[str | None, Sequence[Source]], part_bytes: int, reading: ReadOptions
) -> Iterator[GroupPart]:
    """Iterates over the parts of all groups; a part belongs to one group."""
    number = first = 0
    for group, sources in enumerate(groups.values()):
        for part in divide(sources, part_bytes, reading):
            numbered = tuple((first + place, source, span) for place, source, span in part.ranges)
            yield GroupPart(number, group, numbered, part.bytes)
            number += 1
        first += len(sources)


def _measured(
    measure: MeasurePart,
    parts: Sequence[GroupPart],
    groups: int,
    *,
    engine: Engine | None,
    total: int,
    report: Report,
) -> tuple[list[list[TextSums]], int, Skipped | None]:
    """Returns the sums of each group by tokenizer, the number of entries that were skipped, and the first of them."""
    nothing = TextSums.total(())
    sums = [[nothing for _ in measure.tokenizers] for _ in range(groups)]
    skipped, first_skipped, done = 0, {}, 0
    for part, result in _results(measure, parts, engine):
        for place, each in enumerate(result.sums):
            sums[part.group][place] = TextSums.total((sums[part.group][place], each))
        skipped += result.skipped
        first_skipped[part.number] = result.first_skipped
        done += part.bytes
        report("evaluating", done, total)
    ordered = (first_skipped[number] for number in sorted(first_skipped))
    return sums, skipped, next(filter(None, ordered), None)


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
        name = names[part.group]
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


def _placed(sums: TextSums, sources: Sequence[Source], reading: ReadOptions) -> TextSums:
    """Returns sums whose examples name the lines of the files."""
    from dataclasses import replace

    changed = tuple(
        each._replace(place=find_place(sources[each.source], each.position, reading))
        for each in sums.changed
    )
    return replace(sums, changed=changed)
