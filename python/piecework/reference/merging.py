"""Learning by merging: count everything, merge the best pair, and again.

    hug 10, pug 5, pun 12, bun 4, hugs 5            criterion "frequency"
    h ##u ##g | p ##u ##g | p ##u ##n | ...         ##u ##g stands 20 times: merge it
    h ##ug    | p ##ug    | p ##u ##n | ...         ##u ##n stands 16 times: merge it, and so on

This trainer recounts the whole table at every step. That is slow, merges times table, and it is the
point: there is no state that could go stale, so what it does is what learning by merging *is*.
`train` and `bpe_train` say what WordPiece and BPE add to it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

from piecework.reference.alphabet import (
    Run,
    Symbol,
    alphabet_of,
    check_sum,
    cut,
    kept_characters,
    symbols_of,
)
from piecework.reference.criteria import likelihood, recorded
from piecework.reference.settings import MergeTrainer
from piecework.reference.table import Pair, Tally, joined, merged, tally


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
class Merging:
    """Gives a training that can be watched: `now` and `candidates` look, `step` merges.

    Ties: as `trainer.ties` says. Cost of a step: the whole table, and one evaluation for each
    different pair.

    Args:
        words: word -> count in order of first sight; normalized and pre-tokenized.
        trainer: The settings.

    Raises:
        ValueError: no word is left, the size cannot hold what it must, or two symbols of the alphabet
            are written alike.
        OverflowError: the characters are more than 64 bits can count.
    """

    words: Mapping[str, int]
    trainer: MergeTrainer
    runs: list[Run] = field(init=False)
    learned: list[str] = field(default_factory=list, init=False)
    history: list[Merge] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        options, given = self.trainer, set(self.trainer.user_defined_symbols)
        floor = max(1, options.min_word_frequency)
        self.words = {
            w: n for w, n in self.words.items() if w and n >= (1 if w in given else floor)
        }
        if not self.words:
            raise ValueError("empty corpus: no word is left to train on")
        check_sum(self.words)
        words = {w: count for w, count in self.words.items() if w not in given}
        self._kept = kept_characters(words, self._characters(), options.limit_alphabet)
        self.runs = [run for w, n in words.items() for run in cut(self._symbols(w), n)]
        rule = options.ties, options.continuing_subword_prefix, self._suffix()
        alphabet = alphabet_of(self.runs, self._wanted(), *rule)
        self._symbol_ids = {symbol: i for i, symbol in enumerate(alphabet)}
        rendered = [self._rendered(symbol) for symbol in alphabet]
        for text, count in Counter(rendered).items():
            if count > 1:
                raise ValueError(f"two symbols are written {text!r}: take another prefix or suffix")
        self._named = {*options.special_tokens, *given}
        self._alphabet = [text for text in rendered if text not in self._named]
        # No merge may give these. What is given it may give, once.
        self._taken = {*options.special_tokens, *rendered}
        if options.vocab_size is not None and len(self.vocabulary) > options.vocab_size:
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

    def now(self) -> Tally:
        """Gives the counts of the table as it stands, as the criterion counts them."""
        return tally(self.runs, merges=self.trainer.rule is likelihood)

    def candidates(self) -> list[Candidate]:
        """Gives the pairs that the filters let through, by their first occurrence in the table.

        Returns:
            Each pair with its value, in order of first occurrence; none when nothing can merge.
        """
        return self._candidates(self.now())

    def step(self) -> Merge | None:
        """Does one merge, or finds that a stop rule holds.

        Returns:
            The merge as the history keeps it, or None when training is over.
        """
        now = self.now()
        candidates = self._candidates(now)
        if self._is_over(now) or not candidates:
            return None
        best, ties = self._best(candidates)
        if not self._is_worth(best.pair):
            return None
        merge = self._record(best, ties, now)
        self._symbol_ids.setdefault(joined(best.pair), len(self._symbol_ids))
        self._taken.add(merge.token)
        if merge.token not in self._named:
            self.learned.append(merge.token)
        self.history.append(merge)
        self.runs = [merged(run, best.pair) for run in self.runs]
        return merge

    # What WordPiece and BPE have each for itself

    def _characters(self) -> Sequence[str]:
        """Gives characters to have, seen or not."""
        return self.trainer.initial_alphabet

    def _wanted(self) -> Iterable[Symbol]:
        """Gives symbols to have, seen or not."""
        plain = not self.trainer.continuing_subword_prefix
        return (Symbol(i, c) for c in self._characters() for i in (True, plain))

    def _suffix(self) -> str:
        """Gives what final symbols are rendered with."""
        return ""

    def _symbols(self, word: str) -> list[Symbol | None]:
        """Takes a word apart."""
        return symbols_of(word, self._kept, self.trainer.continuing_subword_prefix)

    def _is_worth(self, pair: Pair) -> bool:  # noqa: ARG002  # WordPiece asks of which
        """Says whether the best pair is to be merged at all."""
        return True

    def _may_be_entry(self, pair: Pair) -> bool:
        """Says whether what the pair makes is short enough, and new."""
        longest = self.trainer.max_token_length
        if longest is not None and len(joined(pair).text) > longest:
            return False
        return self._rendered(joined(pair)) not in self._taken

    def _rank(self, pair: Pair) -> tuple[Any, ...]:
        """Gives what the lowest of the tied pairs has the lowest of."""
        if self.trainer.ties == "first":
            return ()  # all alike: candidates come by first occurrence, and min takes the first
        if self.trainer.ties == "lex":
            return tuple(self._rendered(symbol).encode() for symbol in pair)
        return tuple(self._symbol_ids[symbol] for symbol in pair)

    # What they share

    def _rendered(self, symbol: Symbol) -> str:
        return symbol.rendered(self.trainer.continuing_subword_prefix, self._suffix())

    def _is_over(self, now: Tally) -> bool:
        options = self.trainer
        if options.vocab_size is not None and len(self.vocabulary) >= options.vocab_size:
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

    def _value(self, pair: Pair, now: Tally) -> Any:
        rule, (left, right) = self.trainer.rule, pair
        counts = now.pairs[pair], now.symbols[left], now.symbols[right], now.total
        if rule is likelihood:
            return likelihood(*counts, same=left == right)
        value = rule(*counts)
        if isinstance(value, float) and isnan(value):
            token = self._rendered(joined(pair))
            raise ValueError(f"the criterion gives no number for {token!r}: {value!r}")
        return value

    def _best(self, candidates: list[Candidate]) -> tuple[Candidate, int]:
        most = max(candidate.value for candidate in candidates)
        tied = [candidate for candidate in candidates if candidate.value == most]
        return min(tied, key=lambda candidate: self._rank(candidate.pair)), len(tied)

    def _record(self, best: Candidate, ties: int, now: Tally) -> Merge:
        (left, right), n = best.pair, now.pairs[best.pair]
        a, b = now.symbols[left], now.symbols[right]
        names = self._rendered(left), self._rendered(right), self._rendered(joined(best.pair))
        return Merge(*names, recorded(self.trainer.rule, best.value, n, a, b), n, a, b, ties)
