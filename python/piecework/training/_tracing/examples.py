"""Defines the small examples that tutorials work through, as word counts and trainers.

docs/notes.md works through them and says where a tutorial errs.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from piecework._messages import did_you_mean, shown
from piecework._settings.arguments import check_str
from piecework.corpus._counts import WordCounts
from piecework.errors import ConfigError
from piecework.normalizers import BertNormalizer
from piecework.trainers import BpeTrainer, Trainer, WordPieceTrainer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SENTENCES = (
    "This is the Hugging Face Course.",
    "This chapter is about tokenization.",
    "This section shows several tokenizer algorithms.",
    "Hopefully, you will be able to understand how they are trained and generate tokens.",
)
"""The sentences of Hugging Face's course."""
_HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
_TWENTY = Counter(
    "older older old fine fine finest finest finest finest finest lower lowest lower mind cat cats "
    "dogs dogs dogs dog".split()
)
_LOW = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def _wordpiece(size: int, criterion: Any, **settings: Any) -> WordPieceTrainer:
    return WordPieceTrainer(size, criterion=criterion, ties="first", **settings)


def _sentences() -> tuple[WordCounts, Trainer]:
    words = WordCounts.from_texts(SENTENCES, normalizer=BertNormalizer(lowercase=False))
    return words, _wordpiece(70, "pmi")


def _separate_suffix() -> tuple[WordCounts, Trainer]:
    suffix: Any = {"end_of_word_suffix": "</w>", "suffix_style": "separate"}
    return WordCounts(_LOW), BpeTrainer(ties="first", stop_at_pair_frequency=1, **suffix)


_EXAMPLES: Final[Mapping[str, tuple[str, Callable[[], tuple[WordCounts, Trainer]]]]] = {
    "note-000": ("four sentences, WordPiece by n / (a·b)", _sentences),
    "note-001": (
        "hug, pug, pun, bun, hugs: WordPiece by n / (a·b)",
        lambda: (WordCounts(_HUG), _wordpiece(18, "pmi")),
    ),
    "note-002": (
        "hug, pug, pun, bun, hugs: WordPiece by likelihood",
        lambda: (WordCounts(_HUG), _wordpiece(19, "likelihood", special_tokens_first=False)),
    ),
    "note-003": (
        "twenty words, BPE with </w> on the last letter",
        lambda: (WordCounts(_TWENTY), BpeTrainer(ties="first", end_of_word_suffix="</w>")),
    ),
    "note-004": (
        "hug, pug, pun, bun, hugs: WordPiece by n / (a+b)",
        lambda: (WordCounts(_HUG), _wordpiece(18, "sum", stop_at_pair_frequency=1)),
    ),
    "note-004-bpe": ("low, lower, newest, widest: BPE with </w> as a symbol", _separate_suffix),
}

EXAMPLES: Final[Mapping[str, str]] = {name: contents for name, (contents, _) in _EXAMPLES.items()}
"""The names of the examples, with their contents."""


def example(name: str) -> tuple[WordCounts, Trainer]:
    """Returns the word counts and the trainer of an example.

    Args:
        name: A name in :data:`EXAMPLES`; docs/notes.md has the figures.

    Raises:
        ConfigError: There is no example of this name.

    >>> import piecework as pw
    >>> [step.winner.token for step in pw.trace(*pw.training.example("note-001"))]
    ['##gs', 'hu', 'hugs', 'hug', 'pu', 'bu']
    """
    found = _EXAMPLES.get(check_str("name", name))
    if found is None:
        raise ConfigError(
            f"expected one of {', '.join(EXAMPLES)}; found {shown(name)}",
            setting="name",
            hint=did_you_mean(name, EXAMPLES),
        )
    return found[1]()
