"""Learning by merging: count everything, merge the best pair, repeat.

    hug 10, pug 5, pun 12, bun 4, hugs 5            criterion "frequency"
    h ##u ##g | p ##u ##g | p ##u ##n | ...         ##u ##g occurs 20 times: merge it
    h ##ug    | p ##ug    | p ##u ##n | ...         ##u ##n occurs 16 times: merge it, and so on

This trainer recounts the whole table at every step, which costs the number of merges times the
table. There is no incremental state that could be wrong, so the code is the definition of learning
by merging. `wordpiece_train` and `bpe_train` define what WordPiece and BPE add.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

from piecework.reference.learn.alphabet import (
    Symbol,
    SymbolRun,
    build_alphabet,
    check_character_total,
    select_characters,
    split_runs,
    split_symbols,
)
from piecework.reference.learn.criteria import history_score, likelihood
from piecework.reference.learn.cut import cut_words
from piecework.reference.learn.pairs import Pair, SymbolCounts, count_symbols, join_pair, merge_pair
from piecework.reference.learn.settings import MergeTrainer


class Merge(NamedTuple):
    """Holds one line of the history: a merge, and the counts just before it.

    Args:
        left: Left token, as rendered.
        right: Right token, as rendered.
        token: The new entry, as rendered.
        score: The criterion's value.
        pair_count: Occurrences of the pair, as the criterion counts them.
        left_count: Occurrences of the left symbol.
        right_count: Occurrences of the right symbol.
        ties: Number of candidates with exactly this score, this one included.
    """

    left: str
    right: str
    token: str
    score: float
    pair_count: int
    left_count: int
    right_count: int
    ties: int


class TrainedVocabulary(NamedTuple):
    """Holds the result of a training: entries by id, all merges, and the count of each entry."""

    vocabulary: list[str]
    history: list[Merge]
    counts: list[int]


class Candidate(NamedTuple):
    """Holds a pair that may be merged, and its value."""

    pair: Pair
    value: Any


@dataclass
class MergeTraining:
    """Trains by merging step by step: `count` and `candidates` inspect the table, `step` merges.

    Ties: see `trainer.ties`. Cost of a step: the whole table, and one evaluation for each distinct
    pair.

    Args:
        words: word -> count in order of first occurrence; normalized and pre-tokenized.
        trainer: The settings.

    Raises:
        ValueError: no word is left, the size is too small for the required entries, or two symbols
            of the alphabet have one rendering.
        OverflowError: the number of characters exceeds 64 bits.
    """

    words: Mapping[str, int]
    trainer: MergeTrainer
    runs: list[SymbolRun] = field(init=False)
    learned: list[str] = field(default_factory=list, init=False)
    history: list[Merge] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        options, user_defined = self.trainer, set(self.trainer.user_defined_symbols)
        self.words = self._cut(self.words)
        floor = max(1, options.min_word_frequency)
        self.words = {
            w: n for w, n in self.words.items() if w and n >= (1 if w in user_defined else floor)
        }
        if not self.words:
            raise ValueError("empty corpus: no word is left to train on")
        check_character_total(self.words)
        words = {w: count for w, count in self.words.items() if w not in user_defined}
        self._kept = select_characters(words, self._required_characters(), options.limit_alphabet)
        self.runs = [run for w, n in words.items() for run in split_runs(self._symbols(w), n)]
        rule = options.ties, options.continuing_subword_prefix, self._suffix()
        alphabet = build_alphabet(self.runs, self._required_symbols(), *rule)
        self._symbol_ids = {symbol: i for i, symbol in enumerate(alphabet)}
        names = [self._render(symbol) for symbol in alphabet]
        for text, count in Counter(names).items():
            if count > 1:
                raise ValueError(f"two symbols are written {text!r}: take another prefix or suffix")
        self._reserved = {*options.special_tokens, *user_defined}
        self._alphabet = [text for text in names if text not in self._reserved]
        # No merge may make these. User-defined symbols a merge may make, once.
        self._forbidden = {*options.special_tokens, *names}
        if options.vocab_size is not None and len(self.vocabulary) > options.vocab_size:
            raise ValueError(
                f"vocab_size={options.vocab_size} is too small: special tokens, user-defined "
                f"symbols and alphabet need at least {len(self.vocabulary)}"
            )

    @property
    def vocabulary(self) -> list[str]:
        """Returns the current entries, in order of their ids."""
        specials, first = list(self.trainer.special_tokens), self.trainer.special_tokens_first
        text = [*self.trainer.user_defined_symbols, *self._alphabet, *self.learned]
        return specials + text if first else text + specials

    def count(self) -> SymbolCounts:
        """Returns the counts of the current table, as the criterion counts them."""
        return count_symbols(self.runs, count_merges=self.trainer.criterion_function is likelihood)

    def candidates(self) -> list[Candidate]:
        """Returns the pairs that pass the filters, with their values.

        Returns:
            Candidates in order of first occurrence; none when nothing can merge.
        """
        return self._candidates(self.count())

    def step(self) -> Merge | None:
        """Performs one merge, unless a stop rule applies.

        Returns:
            The merge as the history keeps it, or None when training is over.
        """
        counts = self.count()
        candidates = self._candidates(counts)
        if self._is_over(counts) or not candidates:
            return None
        best, ties = self._best(candidates)
        if not self._is_accepted(best.pair):
            return None
        merge = self._record(best, ties, counts)
        self._symbol_ids.setdefault(join_pair(best.pair), len(self._symbol_ids))
        self._forbidden.add(merge.token)
        if merge.token not in self._reserved:
            self.learned.append(merge.token)
        self.history.append(merge)
        self.runs = [merge_pair(run, best.pair) for run in self.runs]
        return merge

    # Overridden by WordPiece and BPE

    def _cut(self, words: Mapping[str, int]) -> Mapping[str, int]:
        """Cuts words at the tokens that encoding always matches."""
        return cut_words(words, self.trainer.special_tokens)

    def _required_characters(self) -> Sequence[str]:
        """Returns the characters to include even if they do not occur."""
        return self.trainer.initial_alphabet

    def _required_symbols(self) -> Iterable[Symbol]:
        """Returns the symbols to include even if they do not occur."""
        plain = not self.trainer.continuing_subword_prefix
        return (Symbol(i, c) for c in self._required_characters() for i in (True, plain))

    def _suffix(self) -> str:
        """Returns the suffix of rendered final symbols."""
        return ""

    def _symbols(self, word: str) -> list[Symbol | None]:
        """Splits a word into symbols."""
        return split_symbols(word, self._kept, self.trainer.continuing_subword_prefix)

    def _is_accepted(self, pair: Pair) -> bool:  # noqa: ARG002  # WordPiece asks of which
        """Returns whether the best pair is to be merged at all."""
        return True

    def _may_be_entry(self, pair: Pair) -> bool:
        """Returns whether the merged token of a pair is short enough and new."""
        longest = self.trainer.max_token_length
        if longest is not None and len(join_pair(pair).text) > longest:
            return False
        return self._render(join_pair(pair)) not in self._forbidden

    def _tie_key(self, pair: Pair) -> tuple[Any, ...]:
        """Returns the key whose minimum decides among tied pairs."""
        if self.trainer.ties == "first":
            return ()  # min takes the first candidate, the first occurrence
        if self.trainer.ties == "lex":
            return tuple(self._render(symbol).encode() for symbol in pair)
        return tuple(self._symbol_ids[symbol] for symbol in pair)

    # Shared by WordPiece and BPE

    def _render(self, symbol: Symbol) -> str:
        return symbol.render(self.trainer.continuing_subword_prefix, self._suffix())

    def _is_over(self, counts: SymbolCounts) -> bool:
        options = self.trainer
        if options.vocab_size is not None and len(self.vocabulary) >= options.vocab_size:
            return True
        if options.max_merges is not None and len(self.history) >= options.max_merges:
            return True
        most = max(counts.pairs.values(), default=0)
        return options.stop_at_pair_frequency is not None and most <= options.stop_at_pair_frequency

    def _candidates(self, counts: SymbolCounts) -> list[Candidate]:
        return [
            Candidate(pair, self._value(pair, counts))
            for pair, n in counts.pairs.items()
            if n >= self.trainer.min_frequency and self._may_be_entry(pair)
        ]

    def _value(self, pair: Pair, counts: SymbolCounts) -> Any:
        rule, (left, right) = self.trainer.criterion_function, pair
        values = counts.pairs[pair], counts.symbols[left], counts.symbols[right], counts.total
        if rule is likelihood:
            return likelihood(*values, is_same_symbol=left == right)
        value = rule(*values)
        if isinstance(value, float) and isnan(value):
            token = self._render(join_pair(pair))
            raise ValueError(f"criterion: the value for {token!r} is {value!r}; expected a number")
        return value

    def _best(self, candidates: list[Candidate]) -> tuple[Candidate, int]:
        most = max(candidate.value for candidate in candidates)
        tied = [candidate for candidate in candidates if candidate.value == most]
        return min(tied, key=lambda candidate: self._tie_key(candidate.pair)), len(tied)

    def _record(self, best: Candidate, ties: int, counts: SymbolCounts) -> Merge:
        (left, right), n = best.pair, counts.pairs[best.pair]
        a, b = counts.symbols[left], counts.symbols[right]
        names = self._render(left), self._render(right), self._render(join_pair(best.pair))
        return Merge(
            *names,
            history_score(self.trainer.criterion_function, best.value, n, a, b),
            n,
            a,
            b,
            ties,
        )
