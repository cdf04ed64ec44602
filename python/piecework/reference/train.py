"""Training: count everything, merge the best pair, and again.

    hug 10, pug 5, pun 12, bun 4, hugs 5            criterion "frequency"
    h ##u ##g | p ##u ##g | p ##u ##n | ...         ##u ##g stands 20 times: merge it
    h ##ug    | p ##ug    | p ##u ##n | ...         ##u ##n stands 16 times: merge it, and so on

This trainer recounts the whole table at every step. That is slow, merges times table, and it is the
point: there is no state that could go stale, so what it does is what WordPiece training *is*.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

from piecework.reference.alphabet import Run, alphabet_of, check_sum, kept_characters, runs_of
from piecework.reference.criteria import likelihood, recorded
from piecework.reference.probability import emitted, token_counts
from piecework.reference.settings import WordPieceTrainer
from piecework.reference.table import Pair, Tally, joined, merged, tally

PRUNING_ROUNDS = 4
ROUNDING = 1e-12  # what rounding can leave of a gain that is zero, for each merge


class Merge(NamedTuple):
    """Gives one line of the history: what was merged, and the counts just before.

    Args:
        left: Left token, as rendered.
        right: Right token, as rendered.
        token: The new entry, as rendered.
        score: The criterion's value.
        pair_count: Occurrences of the pair, as the criterion counts them.
        left_count: Occurrences of the left symbol.
        right_count: Occurrences of the right symbol.
        ties: How many candidates had exactly this score, this one included.
    """

    left: str
    right: str
    token: str
    score: float
    pair_count: int
    left_count: int
    right_count: int
    ties: int


class Trained(NamedTuple):
    """Gives what training yields: the entries by id, every merge, and the count of each entry."""

    vocabulary: list[str]
    history: list[Merge]
    counts: list[int]


class Candidate(NamedTuple):
    """Gives a pair that may be merged, and its value."""

    pair: Pair
    value: Any


@dataclass
class Training:
    """Gives a training that can be watched: `candidates` looks, `step` merges, `finish` does all.

    Source: notes 000 to 004 and `spec/wordpiece.md`. Ties: as `trainer.ties` says. Cost of a step:
    the whole table, and one evaluation for each different pair.

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

    words: Mapping[str, int]
    trainer: WordPieceTrainer
    runs: list[Run] = field(init=False)
    learned: list[str] = field(default_factory=list, init=False)
    history: list[Merge] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        options = self.trainer
        whole = set(options.user_defined_symbols)
        floor = max(1, options.min_word_frequency)
        self.words = {
            w: n for w, n in self.words.items() if w and n >= (1 if w in whole else floor)
        }
        if not self.words:
            raise ValueError("empty corpus: no word is left to train on")
        check_sum(self.words)
        self._prefix = options.continuing_subword_prefix
        words = {w: count for w, count in self.words.items() if w not in whole}
        kept = kept_characters(words, options.initial_alphabet, options.limit_alphabet)
        self.runs = [r for w, n in words.items() for r in runs_of(w, n, kept, self._prefix)]
        alphabet = alphabet_of(self.runs, options.initial_alphabet, self._prefix, options.ties)
        self._symbol_ids = {symbol: i for i, symbol in enumerate(alphabet)}
        rendered = [symbol.rendered(self._prefix) for symbol in alphabet]
        self._named = {*options.special_tokens, *whole}
        self._alphabet = [text for text in rendered if text not in self._named]
        # No merge may give these. A user-defined symbol it may give, once.
        self._taken = {*options.special_tokens, *rendered}
        if len(self.vocabulary) > options.vocab_size:
            raise ValueError(
                f"vocab_size={options.vocab_size} is too small: special tokens, user-defined "
                f"symbols and alphabet need at least {len(self.vocabulary)}"
            )

    @property
    def vocabulary(self) -> list[str]:
        """Gives the entries so far, in order of their ids."""
        specials, first = list(self.trainer.special_tokens), self.trainer.special_tokens_first
        text = [*self.trainer.user_defined_symbols, *self._alphabet, *self.learned]
        return specials + text if first else text + specials

    def candidates(self) -> list[Candidate]:
        """Gives the pairs that the filters let through, by their first occurrence in the table.

        Returns:
            Each pair with its value, in order of first occurrence; none when nothing can merge.
        """
        return self._candidates(self._tally())

    def step(self) -> Merge | None:
        """Does one merge, or finds that a stop rule holds.

        Returns:
            The merge as the history keeps it, or None when training is over.
        """
        now = self._tally()
        candidates = self._candidates(now)
        if self._is_over(now) or not candidates:
            return None
        best, ties = self._best(candidates)
        if self.trainer.stop_without_gain and not self._gains(best.pair):
            return None
        merge = self._record(best, ties, now)
        self._symbol_ids.setdefault(joined(best.pair), len(self._symbol_ids))
        self._taken.add(merge.token)
        if merge.token not in self._named:
            self.learned.append(merge.token)
        self.history.append(merge)
        self.runs = [merged(run, best.pair) for run in self.runs]
        return merge

    def prune(self) -> bool:
        """Drops the learned entries that longest match never gives.

        Dropped entries stay spelled out in the table and are not learned again.

        Returns:
            Whether there were any.
        """
        counts = emitted(self.words, self.vocabulary, self._prefix)
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
        vocabulary = self.vocabulary
        counts = token_counts(self.words, vocabulary, self._prefix, self.trainer.special_tokens)
        return Trained(vocabulary, self.history, counts)

    def _tally(self) -> Tally:
        return tally(self.runs, merges=self.trainer.rule is likelihood)

    def _is_over(self, now: Tally) -> bool:
        options = self.trainer
        if len(self.vocabulary) >= options.vocab_size:
            return True
        if options.max_merges is not None and len(self.history) >= options.max_merges:
            return True
        most = max(now.pairs.values(), default=0)
        return options.stop_at_pair_frequency is not None and most <= options.stop_at_pair_frequency

    def _candidates(self, now: Tally) -> list[Candidate]:
        return [
            Candidate(pair, self._value(pair, now))
            for pair, n in now.pairs.items()
            if n >= self.trainer.min_frequency and self._may_be_entry(pair)
        ]

    def _may_be_entry(self, pair: Pair) -> bool:
        longest = self.trainer.max_token_length
        if longest is not None and len(joined(pair).text) > longest:
            return False
        return self._token(pair) not in self._taken

    def _token(self, pair: Pair) -> str:
        return joined(pair).rendered(self._prefix)

    def _value(self, pair: Pair, now: Tally) -> Any:
        rule, (left, right) = self.trainer.rule, pair
        counts = now.pairs[pair], now.symbols[left], now.symbols[right], now.total
        if rule is likelihood:
            return likelihood(*counts, same=left == right)
        value = rule(*counts)
        if isinstance(value, float) and isnan(value):
            raise ValueError(f"the criterion gives no number for {self._token(pair)!r}: {value!r}")
        return value

    def _best(self, candidates: list[Candidate]) -> tuple[Candidate, int]:
        most = max(candidate.value for candidate in candidates)
        tied = [candidate for candidate in candidates if candidate.value == most]
        return min(tied, key=lambda candidate: self._rank(candidate.pair)), len(tied)

    def _rank(self, pair: Pair) -> tuple[Any, ...]:
        if self.trainer.ties == "first":
            return ()  # all alike: candidates come by first occurrence, and min takes the first
        if self.trainer.ties == "lex":
            return tuple(symbol.rendered(self._prefix).encode() for symbol in pair)
        return tuple(self._symbol_ids[symbol] for symbol in pair)

    def _gains(self, pair: Pair) -> bool:
        now, (left, right) = tally(self.runs, merges=True), pair
        n, a, b = now.pairs[pair], now.symbols[left], now.symbols[right]
        return likelihood(n, a, b, now.total, same=left == right) > ROUNDING * n

    def _record(self, best: Candidate, ties: int, now: Tally) -> Merge:
        (left, right), n = best.pair, now.pairs[best.pair]
        a, b = now.symbols[left], now.symbols[right]
        score = recorded(self.trainer.rule, best.value, n, a, b)
        left_text, right_text = left.rendered(self._prefix), right.rendered(self._prefix)
        return Merge(left_text, right_text, self._token(best.pair), score, n, a, b, ties)


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
