"""Defines trainings with several criteria on the same word counts, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from piecework._messages import shown, wrong_type
from piecework._result import MAX_ROWS
from piecework._settings.arguments import DEFAULT, check_iterable
from piecework._settings.choices import Criterion
from piecework.errors import ConfigError
from piecework.trainers import WordPieceTrainer
from piecework.training._tracing.base import Saved
from piecework.training._tracing.merges import COLUMNS
from piecework.training._tracing.record import checked_limits, record
from piecework.training._tracing.steps import CRITERIA
from piecework.training._train import prepare_training

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework._io.corpus import Corpus
    from piecework._progress import ProgressLike
    from piecework._settings.arguments import ArrowColumn, Default
    from piecework._show.document import Block
    from piecework.corpus._counts import WordCounts
    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.training._tracing.merges import MergeTrace
    from piecework.training._tracing.steps import MergeTraceStep

__all__ = ["CriteriaTrace", "trace_criteria"]


class CriteriaTrace(Saved, Mapping[Criterion, "MergeTrace"]):
    """Holds a trace for each criterion; a mapping by their names. Print it for a table of steps by criterion.

    >>> import piecework as pw
    >>> hug = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> print(pw.trace_criteria(hug, pw.WordPieceTrainer(15, ties="first")))
    step  likelihood     pmi             sum             frequency
       1  ##ug  28.0178  ##gs      0.05  ##ug  0.357143  ##ug  20
       2  ##un  42.6973  hu   0.0277778  ##un       0.5  ##un  16
       3  hug   26.7232  hugs 0.0666667  hug   0.428571  hug   15
    """

    _traces: dict[Criterion, MergeTrace]
    _function = "trace_criteria"

    def __init__(self, traces: Mapping[Criterion, MergeTrace]) -> None:
        """Holds traces by criterion, in their order."""
        self.__dict__["_traces"] = dict(traces)

    def __getitem__(self, criterion: Criterion) -> MergeTrace:
        return self._traces[criterion]

    def steps(
        self, steps: slice = slice(None)
    ) -> Iterator[tuple[int, dict[Criterion, MergeTraceStep | None]]]:
        """Iterates over the numbers of steps, from 1, with the step of each criterion; None after its end.

        Args:
            steps: The range of steps, by their indices from 0.
        """
        for index in range(max(map(len, self.values()), default=0))[steps]:
            row = {
                criterion: trace[index] if index < len(trace) else None
                for criterion, trace in self.items()
            }
            yield index + 1, row

    def to_dict(self) -> dict[str, Any]:
        """Returns the traces as JSON values, by criterion."""
        return {criterion: trace.to_dict() for criterion, trace in self.items()}

    def columns(self) -> list[tuple[str, str]]:
        """Returns the names of the columns of :meth:`to_rows`, with their types as Arrow names them."""
        return [("criterion", "string"), *COLUMNS]

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns the rows of all traces, with their criterion."""
        return [
            {"criterion": criterion} | row
            for criterion, trace in self.items()
            for row in trace.to_rows()
        ]

    def to_lines(self, steps: slice = slice(None)) -> Iterator[dict[str, Any]]:
        """Iterates over the steps of all traces as JSON values, with their criterion.

        Args:
            steps: The range of steps, by their indices from 0.
        """
        for criterion, trace in self.items():
            for line in trace.to_lines(steps):
                yield {"criterion": criterion} | line

    @property
    def _rows(self) -> tuple[Criterion, ...]:
        return tuple(self._traces)

    def _summary(self) -> str:
        return ", ".join(f"{name} {len(trace)}" for name, trace in self.items())

    def _document(self, steps: slice = slice(MAX_ROWS)) -> list[Block]:
        from piecework.training._tracing.document import criteria_table

        return [criteria_table(self, steps)]


def trace_criteria(
    texts: Iterable[str] | ArrowColumn | Corpus | WordCounts | Mapping[str, int],
    trainer: WordPieceTrainer,
    *,
    criteria: Iterable[Criterion] = CRITERIA,
    top: int = 10,
    words: int | None = 100,
    normalizer: Normalizer | Default | None = DEFAULT,
    pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
    threads: int | None = None,
    progress: ProgressLike = False,
) -> CriteriaTrace:
    """Trains WordPiece once with each criterion on the same word counts, and records the trainings.

    Args:
        texts: Texts or word counts, as for :func:`train`; texts are counted once.
        trainer: The settings of the trainings; its criterion is replaced.
        criteria: The criteria, by default all four.
        top: The number of candidates to record for each step, as for :func:`trace`.
        words: The number of words whose segmentations are recorded, as for :func:`trace`.
        normalizer: The normalizer; by default as for :func:`train`.
        pre_tokenizer: The pre-tokenizer; by default as for :func:`train`.
        threads: The number of threads for counting; by default one per core.
        progress: Whether to show progress, or a callback for it.

    Returns:
        The traces by criterion.

    Raises:
        ConfigError: A criterion is unknown or repeated; otherwise as for :func:`trace`.
    """
    if not isinstance(trainer, WordPieceTrainer):
        raise wrong_type("trainer", "a WordPieceTrainer, which has a criterion", trainer)
    names = _checked(criteria)
    limits = checked_limits(top, words, trainer)
    jobs = prepare_training(
        texts,
        trainer,
        normalizer=normalizer,
        pre_tokenizer=pre_tokenizer,
        threads=threads,
        progress=progress,
    )
    traces: dict[Criterion, MergeTrace] = {}
    for name in names:
        job = jobs._replace(trainer=replace(trainer, criterion=name))
        traces[name] = cast("MergeTrace", record(job, *limits, threads=threads, progress=progress))
    return CriteriaTrace(traces)


def _checked(criteria: Iterable[Criterion]) -> list[Criterion]:
    names = list(check_iterable("criteria", criteria, "names of criteria"))
    for name in names:
        if name not in CRITERIA or names.count(name) > 1:
            expected = f"expected different names among {', '.join(CRITERIA)}"
            raise ConfigError(f"{expected}; found {shown(name)}", setting="criteria")
    return names
