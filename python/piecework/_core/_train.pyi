"""Training."""

from collections.abc import Callable

from piecework._core._counts import WordCounts
from piecework._core._tokenizer import Tokenizer

def train(
    counts: WordCounts,
    splitter: str,
    trainer: str,
    progress: Callable[[str, int, int], object] | None,
) -> Tokenizer:
    """Train on word counts; `splitter` and `trainer` are JSON, `progress` gets stage, done, total."""

def check_trainer(trainer: str) -> None:
    """Refuse settings (JSON) that no trainer can have."""
