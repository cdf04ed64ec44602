"""Why a segmentation was taken where pieces have probabilities: its score, its share, and the next best."""

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

_MOST = 1e6
"""So many times less likely is told as a number, more as a power of e."""


@dataclass(frozen=True, slots=True)
class Segmentation(Immutable):
    """A way to spell a word.

    Attributes:
        tokens: Its tokens.
        display_tokens: They as people read them.
        score: The natural logarithm of its probability: the sum of its tokens' scores.
    """

    tokens: tuple[str, ...]
    display_tokens: tuple[str, ...]
    score: float

    def __str__(self) -> str:
        """Tell the tokens as people read them."""
        return " ".join(map(quoted, self.display_tokens))


@dataclass(frozen=True, slots=True)
class Choice(Immutable):
    """The segmentation of a word that was taken, beside the others there are.

    Attributes:
        word: The word after normalization.
        taken: What was taken.
        share: Its part of the probability of the word, which is the sum over all its segmentations; from 0 to 1.
        next: The best of the others; None if there is none.
    """

    word: str
    taken: Segmentation
    share: float
    next: Segmentation | None

    def __str__(self) -> str:
        """Tell the score, the share and the next best in a line."""
        score = f"score {self.taken.score:.6g}"
        if self.next is None:
            return f"{score}; nothing else spells it"
        share = f"{self.share:.1%} of all that spells it"
        return f"{score}, {share}; next {self.next}, score {self.next.score:.6g}, {self._apart()}"

    def _apart(self) -> str:
        """How much less likely the next best is."""
        distance = self.taken.score - self.next.score if self.next else 0.0
        if distance <= 0:
            return "just as likely"
        times = exp(min(distance, 99.0))
        return (
            f"{times:.3g} times less likely"
            if times < _MOST
            else f"e^{distance:.3g} times less likely"
        )

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as JSON has it.

        Returns:
            The word, the tokens that were taken with their score and share, and the next best.
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
    """Say whether a tokenizer takes the likeliest segmentation."""
    if tokenizer.model_type == "WordPiece":
        return tokenizer._core.model()[-1] == "likeliest"
    return tokenizer.model_type == "Unigram"


def choice(tokenizer: Tokenizer, word: str, ids: Sequence[int], scores: Scores) -> Choice:
    """Tell how a word's tokens compare with what else could spell it.

    Args:
        tokenizer: Whose word it is.
        word: The word.
        ids: The tokens that were taken.
        scores: What the model makes of the word.

    Returns:
        The comparison.
    """
    whole, best = scores
    # Unknown characters can be joined in several ways, which give the same tokens.
    others = (row for row in best if row[0] != list(ids))
    score = next((score for own, score in best if own == list(ids)), None)
    taken = _segmentation(tokenizer, ids, tokenizer.score(ids) if score is None else score)
    runner_up = next((_segmentation(tokenizer, *row) for row in others), None)
    return Choice(word, taken, min(exp(min(taken.score - whole, 0.0)), 1.0), runner_up)


def _segmentation(tokenizer: Tokenizer, ids: Sequence[int], score: float) -> Segmentation:
    tokens = tuple(tokenizer.id_to_token(number) or "" for number in ids)
    return Segmentation(tokens, tuple(map(tokenizer.display_token, tokens)), score)
