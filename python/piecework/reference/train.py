"""Training WordPiece: merge, and look back at the words with longest match.

The loop is that of `merging`. Longest match is how the vocabulary will be used: entries that it
never gives can be pruned, and how often it gives each is the entry's count.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from piecework.reference.criteria import likelihood
from piecework.reference.merging import Candidate, Merge, Merging, Trained
from piecework.reference.probability import emitted, token_counts
from piecework.reference.settings import WordPieceTrainer
from piecework.reference.table import Pair, tally

__all__ = ["Candidate", "Merge", "Trained", "Training", "train"]

PRUNING_ROUNDS = 4


@dataclass
class Training(Merging):
    """Gives a training that can be watched: `candidates` looks, `step` merges, `finish` does all.

    Source: notes 000 to 004 and `spec/wordpiece.md`. Ties and cost: as `Merging` says.

    Args:
        words: word -> count in order of first sight; normalized and pre-tokenized.
        trainer: The settings.

    Raises:
        ValueError: no word is left, or the size cannot hold what it must.
        OverflowError: the characters are more than 64 bits can count.

    >>> training = Training({"hug": 10, "pun": 12}, WordPieceTrainer(20, criterion="frequency"))
    >>> training.step()
    Merge(left='##u', right='##n', token='##un', score=12.0, pair_count=12, left_count=22, \
right_count=12, ties=2)
    """

    trainer: WordPieceTrainer

    def prune(self) -> bool:
        """Drops the learned entries that longest match never gives.

        Dropped entries stay spelled out in the table and are not learned again.

        Returns:
            Whether there were any.
        """
        counts = emitted(self.words, self.vocabulary, self.trainer.continuing_subword_prefix)
        used = [token for token in self.learned if counts[token]]
        dropped = len(used) < len(self.learned)
        self.learned = used
        return dropped

    def finish(self) -> Trained:
        """Merges until a stop rule holds, prunes and refills if asked to, and counts the entries.

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
        counts = token_counts(self.words, vocabulary, prefix, self.trainer.special_tokens)
        return Trained(vocabulary, self.history, counts)

    def _is_worth(self, pair: Pair) -> bool:
        if not self.trainer.stop_without_gain:
            return True
        now, (left, right) = tally(self.runs, merges=True), pair
        n, a, b = now.pairs[pair], now.symbols[left], now.symbols[right]
        return likelihood(n, a, b, now.total, same=left == right).sign() > 0


def train(words: Mapping[str, int], trainer: WordPieceTrainer) -> Trained:
    """Trains a vocabulary.

    Args:
        words: word -> count in order of first sight; normalized and pre-tokenized.
        trainer: The settings.

    Returns:
        The entries by id, every merge, and the count of each entry.

    Raises:
        ValueError: no word is left, or the size cannot hold what it must.
        OverflowError: the symbols are more than 64 bits can count.

    >>> train({"hug": 10, "hugs": 5}, WordPieceTrainer(6, special_tokens=())).vocabulary
    ['##g', '##s', '##u', 'h', '##ug', 'hug']
    """
    return Training(words, trainer).finish()
