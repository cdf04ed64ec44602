"""Explains the likeliest segmentation: its score, its share of the probability, and the second best."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

from piecework._immutable import Immutable, dataclass
from piecework.display import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework.tokenizer import Tokenizer

__all__ = ["Choice", "Segmentation", "choice", "has_scores"]

Scores = tuple[float, "list[tuple[list[int], float]]"]
"""The logarithm of a word's probability, and its best segmentations: ids and score."""

_LARGEST_RATIO = 1e6
"""The largest ratio of probabilities that is written as a number; larger ones are powers of e."""


@dataclass(frozen=True, slots=True)
class Segmentation(Immutable):
    """Holds a segmentation of a word.

    Attributes:
        tokens: The tokens.
        display_tokens: The tokens in readable form.
        score: The natural logarithm of its probability: the sum of its tokens' scores.
    """

    tokens: tuple[str, ...]
    display_tokens: tuple[str, ...]
    score: float

    def __str__(self) -> str:
        """Returns the tokens in readable form."""
        return " ".join(map(quoted, self.display_tokens))


@dataclass(frozen=True, slots=True)
class Choice(Immutable):
    """Compares the segmentation of a word with all its segmentations.

    Attributes:
        word: The word after normalization.
        taken: The segmentation that the tokenizer returns.
        share: Its fraction of the word's probability, which is the sum over all segmentations; from 0 to 1.
        next: The best other segmentation; None if there is none.
    """

    word: str
    taken: Segmentation
    share: float
    next: Segmentation | None

    def __str__(self) -> str:
        """Returns the score, the share and the second-best segmentation on one line."""
        score = f"score {self.taken.score:.6g}"
        if self.next is None:
            return f"{score}; no other segmentation"
        share = f"{self.share:.1%} of the word's probability"
        return (
            f"{score}, {share}; next best {self.next}, score {self.next.score:.6g}, {self._ratio()}"
        )

    def _ratio(self) -> str:
        """Returns how much less likely the second-best segmentation is."""
        distance = self.taken.score - self.next.score if self.next else 0.0
        if distance <= 0:
            return "equally likely"
        times = exp(min(distance, 99.0))
        return (
            f"{times:.3g} times less likely"
            if times < _LARGEST_RATIO
            else f"e^{distance:.3g} times less likely"
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the comparison as JSON values.

        Returns:
            The word, the tokens with their score and share, and the second-best segmentation.
        """
        return {
            "word": self.word,
            **_dict(self.taken),
            "share": self.share,
            "next": self.next and _dict(self.next),
        }


def _dict(segmentation: Segmentation) -> dict[str, Any]:
    return {
        "tokens": list(segmentation.tokens),
        "display_tokens": list(segmentation.display_tokens),
        "score": segmentation.score,
    }


def has_scores(tokenizer: Tokenizer) -> bool:
    """Returns whether a tokenizer takes the likeliest segmentation."""
    if tokenizer.model_type == "WordPiece":
        return tokenizer._core.model()[-1] == "likeliest"
    return tokenizer.model_type == "Unigram"


def choice(tokenizer: Tokenizer, word: str, ids: Sequence[int], scores: Scores) -> Choice:
    """Returns how the segmentation of a word compares with its other segmentations.

    Args:
        tokenizer: The tokenizer.
        word: The word.
        ids: The token ids of the segmentation.
        scores: The logarithm of the word's probability, and its best segmentations.

    Returns:
        The comparison.
    """
    word_score, best = scores
    # Unknown characters can be fused in several ways, which give equal tokens.
    others = (row for row in best if row[0] != list(ids))
    score = next((score for own, score in best if own == list(ids)), None)
    taken = _segmentation(tokenizer, ids, tokenizer.lm.score(ids) if score is None else score)
    runner_up = next((_segmentation(tokenizer, *row) for row in others), None)
    return Choice(word, taken, min(exp(min(taken.score - word_score, 0.0)), 1.0), runner_up)


def _segmentation(tokenizer: Tokenizer, ids: Sequence[int], score: float) -> Segmentation:
    tokens = tuple(tokenizer.id_to_token(number) or "" for number in ids)
    return Segmentation(tokens, tuple(map(tokenizer.display_token, tokens)), score)
