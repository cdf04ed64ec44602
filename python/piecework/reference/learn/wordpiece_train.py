"""Training WordPiece: merge, and check the words by longest match.

The loop is that of `merging`. Longest match is how the vocabulary is used: entries that it never
emits can be pruned, and an entry's count is how often it emits it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from piecework.reference.learn.criteria import likelihood
from piecework.reference.learn.merging import MergeTraining, TrainedVocabulary
from piecework.reference.learn.pairs import Pair, count_symbols
from piecework.reference.learn.settings import WordPieceTrainer
from piecework.reference.model.probability import count_longest_matches, count_tokens

PRUNING_ROUNDS = 4


@dataclass
class WordPieceTraining(MergeTraining):
    """Trains WordPiece step by step: `candidates` inspects, `step` merges, `finish` does all.

    Source: Schuster and Nakajima 2012, and `spec/wordpiece.md`. Ties and cost: see `MergeTraining`.

    Args:
        words: word -> count in order of first occurrence; normalized and pre-tokenized.
        trainer: The settings.

    Raises:
        ValueError: no word is left, or the size is too small for the required entries.
        OverflowError: the number of characters exceeds 64 bits.

    >>> trainer = WordPieceTrainer(20, criterion="frequency")
    >>> training = WordPieceTraining({"hug": 10, "pun": 12}, trainer)
    >>> training.step()
    Merge(left='##u', right='##n', token='##un', score=12.0, pair_count=12, left_count=22, \
    right_count=12, ties=2)
    """

    trainer: WordPieceTrainer

    def prune(self) -> bool:
        """Drops the learned entries that longest match never emits.

        Dropped entries stay split in the table and are not learned again.

        Returns:
            Whether any entry was dropped.
        """
        counts = count_longest_matches(
            self.words, self.vocabulary, self.trainer.continuing_subword_prefix
        )
        used = [token for token in self.learned if counts[token]]
        dropped = len(used) < len(self.learned)
        self.learned = used
        return dropped

    def finish(self) -> TrainedVocabulary:
        """Merges until a stop rule applies, prunes if the settings say so, and counts the entries.

        Returns:
            Vocabulary, history and counts.
        """
        while self.step():
            pass
        if self.trainer.prune_unused:
            for _ in range(PRUNING_ROUNDS):
                if not self.prune():
                    break
                while self.step():
                    pass
        vocabulary, prefix = self.vocabulary, self.trainer.continuing_subword_prefix
        counts = count_tokens(self.words, vocabulary, prefix, self.trainer.special_tokens)
        return TrainedVocabulary(vocabulary, self.history, counts)

    def _is_accepted(self, pair: Pair) -> bool:
        if not self.trainer.stop_without_gain:
            return True
        counts, (left, right) = count_symbols(self.runs, count_merges=True), pair
        n, a, b = counts.pairs[pair], counts.symbols[left], counts.symbols[right]
        return likelihood(n, a, b, counts.total, is_same_symbol=left == right).sign() > 0


def train(words: Mapping[str, int], trainer: WordPieceTrainer) -> TrainedVocabulary:
    """Trains a WordPiece vocabulary.

    Args:
        words: word -> count in order of first occurrence; normalized and pre-tokenized.
        trainer: The settings.

    Returns:
        The entries by id, every merge, and the count of each entry.

    Raises:
        ValueError: no word is left, or the size is too small for the required entries.
        OverflowError: the number of characters exceeds 64 bits.

    >>> train({"hug": 10, "hugs": 5}, WordPieceTrainer(6, special_tokens=())).vocabulary
    ['##g', '##s', '##u', 'h', '##ug', 'hug']
    """
    return WordPieceTraining(words, trainer).finish()
