"""Trains tokenizers and records the trainings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, TypedDict, Unpack, cast, overload

from piecework import _core
from piecework._messages import shown, wrong_type
from piecework._progress import ProgressLike, reporting
from piecework._settings.arguments import DEFAULT, ArrowColumn, Default, check_index, check_iterable
from piecework.errors import ConfigError
from piecework.trainers import BpeTrainer, Trainer, UnigramTrainer, WordPieceTrainer
from piecework.training._tracing.criteria import CriteriaTrace
from piecework.training._tracing.merges import MergeTrace
from piecework.training._tracing.steps import CRITERIA
from piecework.training._tracing.unigram import UnigramTrace
from piecework.training._train import TrainingJob, prepare_training

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from piecework._io.corpus import Corpus
    from piecework._settings.choices import Criterion
    from piecework.corpus._counts import WordCounts
    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer

    Texts: TypeAlias = Iterable[str] | ArrowColumn | WordCounts | Mapping[str, int]

_LARGEST = 2**31
"""The largest limit of a record, which no training reaches."""


class _TraceOptions(TypedDict, total=False):
    """Lists the options of :func:`trace`."""

    top: int
    words: int | None
    normalizer: Normalizer | Default | None
    pre_tokenizer: PreTokenizer | Default | None
    threads: int | None
    progress: ProgressLike


@overload
def trace(
    texts: Texts,
    trainer: WordPieceTrainer | BpeTrainer,
    **options: Unpack[_TraceOptions],
) -> MergeTrace: ...
@overload
def trace(
    texts: Texts, trainer: UnigramTrainer, **options: Unpack[_TraceOptions]
) -> UnigramTrace: ...
@overload
def trace(
    texts: Texts, trainer: Trainer, **options: Unpack[_TraceOptions]
) -> MergeTrace | UnigramTrace: ...
def trace(
    texts: Iterable[str] | ArrowColumn | Corpus | WordCounts | Mapping[str, int],
    trainer: Trainer,
    *,
    top: int = 10,
    words: int | None = 100,
    normalizer: Normalizer | Default | None = DEFAULT,
    pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
    threads: int | None = None,
    progress: ProgressLike = False,
) -> MergeTrace | UnigramTrace:
    """Trains a tokenizer and records each step: the merge with its runners-up, scores and counts, or the step of Unigram.

    The tokenizer is that of :func:`train` with the same arguments. Before each merge the best candidates are selected once
    more, which takes time for these and for the pairs whose bounds exceed their scores, not for all pairs.

    Args:
        texts: Texts or word counts, as for :func:`train`.
        trainer: The settings of the training of WordPiece, BPE or Unigram.
        top: The number of candidates or pieces to record for each step, the merged one included; at least 1.
        words: The number of words whose segmentations are recorded, the most frequent ones; None for all. Unigram has none.
        normalizer: The normalizer; by default as for :func:`train`.
        pre_tokenizer: The pre-tokenizer; by default as for :func:`train`.
        threads: The number of threads for counting, and for Unigram; by default one per core.
        progress: Whether to show progress, or a callback for it.

    Returns:
        A :class:`~piecework.training._tracing.MergeTrace` or a :class:`~piecework.training._tracing.UnigramTrace`, with the tokenizer.

    Raises:
        ConfigError: A limit is out of range, or the settings do not fit the data.
        CountsError: There are no words, or the word counts have another normalizer or pre-tokenizer.
        CountOverflowError: A sum does not fit into 64 bits.
        SurrogateError: A text contains a lone surrogate.

    >>> import piecework as pw
    >>> traced = pw.trace({"hug": 10, "hugs": 5}, pw.WordPieceTrainer(20, max_merges=2), top=3)
    >>> print(traced[1])
    step 2: h + ##ug -> hug, score 23.9018, pair 15, left 15, right 15
      rank  pair        score  count  left  right
         1  h ##ug    23.9018     15    15     15
         2  ##ug ##s  4.80636      5    15      5
    """
    limits = _checked_limits(top, words, trainer)
    job = prepare_training(
        texts,
        trainer,
        normalizer=normalizer,
        pre_tokenizer=pre_tokenizer,
        threads=threads,
        progress=progress,
    )
    return _record(job, *limits, threads=threads, progress=progress)


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
    names = _checked_criteria(criteria)
    limits = _checked_limits(top, words, trainer)
    job = prepare_training(
        texts,
        trainer,
        normalizer=normalizer,
        pre_tokenizer=pre_tokenizer,
        threads=threads,
        progress=progress,
    )
    traces: dict[Criterion, MergeTrace] = {}
    for name in names:
        each = job._replace(trainer=replace(trainer, criterion=name))
        found = _record(each, *limits, threads=threads, progress=progress)
        traces[name] = cast("MergeTrace", found)
    return CriteriaTrace(traces)


def _checked_criteria(criteria: Iterable[Criterion]) -> list[Criterion]:
    names = list(check_iterable("criteria", criteria, "names of criteria"))
    for name in names:
        if name not in CRITERIA or names.count(name) > 1:
            expected = f"expected different names among {', '.join(CRITERIA)}"
            raise ConfigError(f"{expected}; found {shown(name)}", setting="criteria")
    return names


def _checked_limits(top: int, words: int | None, trainer: object) -> tuple[int, int | None]:
    """Returns the checked limits of a record; raises a TypeError for a trainer without steps."""
    if not isinstance(trainer, WordPieceTrainer | BpeTrainer | UnigramTrainer):
        raise wrong_type("trainer", "a WordPieceTrainer, a BpeTrainer or a UnigramTrainer", trainer)
    most = None if words is None else _checked("words", words, 0)
    return _checked("top", top, 1), most


def _checked(name: str, value: int, least: int) -> int:
    number = check_index(name, value)
    if isinstance(value, bool) or not least <= number <= _LARGEST:
        raise ConfigError(
            f"expected an integer from {least} to 2^31, found {shown(value)}", setting=name
        )
    return number


def _record(
    job: TrainingJob,
    top: int,
    words: int | None,
    *,
    threads: int | None,
    progress: ProgressLike,
) -> MergeTrace | UnigramTrace:
    """Runs a prepared training and returns its record; the limits are those of :func:`trace`."""
    with reporting(progress) as report:
        core, merges, steps = _core.train_traced(
            job.counts._core, job.settings, threads, report, (top, words)
        )
        tokenizer = job.trained(core, report)
    if isinstance(job.trainer, UnigramTrainer):
        return UnigramTrace(tokenizer, top, steps)
    return MergeTrace(tokenizer, top, merges)
