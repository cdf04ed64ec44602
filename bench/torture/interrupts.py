"""Interrupts calls at random moments, and measures how long each takes to end."""

from __future__ import annotations

import importlib
import random
import time
from functools import cache
from typing import TYPE_CHECKING

from scaling import files, interrupts
from scaling.segmenting import words

from torture.trials import Broken, Kind, Trial

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LATEST = 0.6
"""The latest moment of a signal, in seconds after the start of a call."""
TRIES = 5
"""How often a signal at one moment may take too long, since another program may be the reason."""
CHOSEN = (
    *("encode", "encode_ids", "encode_batch with offsets", "encode a word", "count", "decode"),
    *("truncate_text left", "decode_with_offsets", "step of a stream", "explain", "WordCounts"),
    "evaluate",
)
"""The calls of a tokenizer; `make scaling ARGS=interrupts` has all."""


@cache
def _calls() -> dict[str, Callable[[], object]]:
    """Returns calls on long texts."""
    importlib.import_module("numpy")  # which cannot be imported again after a signal in its import
    text = words(interrupts.TEXT // 4)
    calls = dict(interrupts.of_tokenizer(files.word_piece(25_000), text))
    trainings = dict(interrupts.of_trainings(text[: interrupts.TRAINED]))
    return {name: calls[name] for name in CHOSEN} | trainings


def _waited(call: Callable[[], object], moment: float) -> tuple[float, float]:
    """Returns the seconds that a call takes to stop, and about how many it would if it had a processor alone."""
    wall, own = time.perf_counter(), time.process_time()
    waited = interrupts.seconds_to_stop(call, moment) or 0.0
    share = (time.process_time() - own) / (time.perf_counter() - wall)
    return waited, waited * min(1.0, share)


def trial(seed: int, folder: Path) -> Trial:
    """Returns the trial of a seed: a call that is interrupted at a random moment."""
    choice = random.Random(f"interrupts {seed}")
    name = [*_calls()][seed % len(_calls())]
    moment = choice.random() * LATEST

    def call() -> int:
        for _ in range(TRIES):
            waited, own = _waited(_calls()[name], moment)
            if own <= interrupts.LIMIT and waited <= interrupts.HOPELESS:
                return 0
        raise Broken(
            f"{waited:.2f} seconds to stop, {own:.2f} of its own, {moment:.2f} after the start"
        )

    return Trial(name, call)


KIND = Kind("interrupts", 0.05, trial, in_process=1000, seconds=60)
