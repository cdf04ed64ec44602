"""Measures the speed of a corpus run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from piecework._progress import Progress
from piecework._settings.immutable import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class CorpusProgress(Progress):
    """Describes the progress of a corpus run.

    Attributes:
        stage: ``"encoding"`` or ``"writing"``.
        done: The bytes of input that were encoded, or the tokens that were written.
        total: All of them; 0 if unknown.
        tokens: The number of tokens so far.
        seconds: The time of the stage so far.
        done_before: What an earlier run had done.
        tokens_before: The tokens of an earlier run.
    """

    tokens: int
    seconds: float
    done_before: int
    tokens_before: int

    @property
    def unit(self) -> str:
        """Returns the unit of `done` and `total`: bytes or tokens."""
        return "bytes" if self.stage == "encoding" else "tokens"

    @property
    def rate(self) -> float:
        """Returns bytes (or tokens) per second in this run."""
        return (self.done - self.done_before) / self.seconds if self.seconds else 0.0

    @property
    def tokens_per_second(self) -> float:
        """Returns tokens per second in this run."""
        return (self.tokens - self.tokens_before) / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Returns the time that the rest of the stage takes at this rate; None if unknown."""
        return max(0, self.total - self.done) / self.rate if self.total and self.rate else None


class Meter:
    """Counts what is done in a stage, and reports it."""

    def __init__(self, stage: str, total: int, report: Callable[[CorpusProgress], object]) -> None:
        """Begins a stage."""
        self._stage, self._total, self._report = stage, total, report
        self._start = time.monotonic()
        self._done = self._tokens = self._done_before = self._tokens_before = 0

    def add(self, done: int, tokens: int, *, is_new: bool) -> None:
        """Reports a part; `is_new` is false for one of an earlier run."""
        self._done += done
        self._tokens += tokens
        if not is_new:
            self._done_before += done
            self._tokens_before += tokens
        self._report(
            CorpusProgress(
                self._stage,
                self._done,
                self._total,
                self._tokens,
                time.monotonic() - self._start,
                self._done_before,
                self._tokens_before,
            )
        )
