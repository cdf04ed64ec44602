"""WordLevel training: the most frequent words (L2 to L5 of `spec/word_level.md`)."""

from collections.abc import Mapping
from typing import NamedTuple

from piecework.reference.learn.settings import WordLevelTrainer


class WordLevelTraining(NamedTuple):
    """Holds the vocabulary of a training, and the count of each entry."""

    vocabulary: list[str]
    token_counts: list[int]


def train_word_level(words: Mapping[str, int], trainer: WordLevelTrainer) -> WordLevelTraining:
    """Trains a vocabulary of whole words.

    Raises:
        ValueError: there is no word, or there are more special tokens than entries.

    >>> words = {"to": 4, "be": 4, "or": 2, "not": 1}
    >>> train_word_level(words, WordLevelTrainer(3))
    WordLevelTraining(vocabulary=['[UNK]', 'be', 'to'], token_counts=[3, 4, 4])
    """
    special = list(trainer.special_tokens)
    if len(special) > trainer.vocab_size:
        raise ValueError(
            f"vocab_size={trainer.vocab_size} is too small: {len(special)} special tokens"
        )
    if not any(words.values()):
        raise ValueError("empty corpus: no word is left to train on")
    least = max(1, trainer.min_frequency)
    candidates = [w for w, n in words.items() if n >= least and w and w not in special]
    candidates.sort(key=lambda word: (-words[word], word.encode()))
    vocabulary = special + candidates[: trainer.vocab_size - len(special)]
    return WordLevelTraining(vocabulary, _token_counts(words, vocabulary, trainer))


def _token_counts(
    words: Mapping[str, int], vocabulary: list[str], trainer: WordLevelTrainer
) -> list[int]:
    """Returns the number of words that each entry encodes; no word becomes a special token (L5)."""
    learned = vocabulary[len(trainer.special_tokens) :]
    counts = dict.fromkeys(vocabulary, 0) | {word: words[word] for word in learned}
    if trainer.unk_token is not None:
        counts[trainer.unk_token] = sum(words.values()) - sum(words[word] for word in learned)
    return list(counts.values())
