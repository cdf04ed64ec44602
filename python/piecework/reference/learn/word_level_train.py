"""WordLevel training: the most frequent words (L2 to L5 of `spec/word_level.md`)."""

from collections.abc import Mapping
from typing import NamedTuple

from piecework.reference.learn.cut import cut_words
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
    parts = cut_words(words, special)
    candidates = [w for w, n in parts.items() if n >= least and w]
    candidates.sort(key=lambda word: (-parts[word], word.encode()))
    vocabulary = special + candidates[: trainer.vocab_size - len(special)]
    return WordLevelTraining(vocabulary, _token_counts(words, vocabulary, trainer))


def _token_counts(
    words: Mapping[str, int], vocabulary: list[str], trainer: WordLevelTrainer
) -> list[int]:
    """Returns the number of words that each entry encodes (L5)."""
    parts = cut_words(words, (), trainer.special_tokens)
    counts = dict.fromkeys(vocabulary, 0)
    for word, count in parts.items():
        token = word if word in counts else trainer.unk_token
        if word and token is not None:
            counts[token] += count
    return list(counts.values())
