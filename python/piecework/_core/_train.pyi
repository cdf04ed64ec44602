"""Training."""

from collections.abc import Callable, Sequence

from piecework._core._counts import WordCounts
from piecework._core._tokenizer import Tokenizer

def train(
    counts: WordCounts,
    splitter: str,
    functions: Sequence[Callable[[str], object]],
    trainer: str,
    threads: int | None,
    progress: Callable[[str, int, int], object] | None,
) -> Tokenizer:
    """Train on word counts; `splitter` and `trainer` are JSON, `progress` gets stage, done, total.

    `threads` are for Unigram; they do not change the result.

    `functions` are those that the splitter means by their numbers.
    """

def check_trainer(trainer: str) -> None:
    """Refuse settings (JSON) that no trainer can have."""
