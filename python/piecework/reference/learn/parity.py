"""Parity-aware BPE: the language that is compressed least chooses the next merge.

    en: hug 9, hugs 4     hi: ab 2, abc 1         lengths 43 and 7: English merges first
    en: h ug, h ug s                              lengths 30 and 7: English again

Every step counts the pairs of all languages again, so the code is the definition (section 4.1 of
`spec/bpe.md`). A table maps each word to its counts by language.
"""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Words = Sequence[Mapping[str, int]]
"""The words of each language with their counts."""


@dataclass(frozen=True, kw_only=True)
class ParityTrainer:
    """Holds the settings of a parity-aware training.

    Args:
        num_merges: Most merges to learn.
        variant: `base`, or `window` for a limit on the turns of a language.
        min_frequency: A pair that occurs less often in the language whose turn it is never merges.
        global_merges: The number of first merges that all languages choose together.
        window_size: The number of latest turns that the limit of `window` looks at.
        alpha: The share of these turns that a language may have, times the number of languages.
        total_symbols: Whether the entries before the first merge count as merges.
        special_tokens: The first entries.
        limit_alphabet: Most characters to keep, by frequency.
        initial_alphabet: Characters to keep even if they do not occur.
        continuing_subword_prefix: Prefix of entries inside a word.
        end_of_word_suffix: Suffix of entries that end a word.
        max_token_length: A token of three or more characters must have fewer.
    """

    num_merges: int = 32000
    variant: str = "base"
    min_frequency: int = 0
    global_merges: int = 0
    window_size: int = 100
    alpha: float = 2.0
    total_symbols: bool = False
    special_tokens: Sequence[str] = ()
    limit_alphabet: int | None = None
    initial_alphabet: Sequence[str] = ()
    continuing_subword_prefix: str = ""
    end_of_word_suffix: str = ""
    max_token_length: int | None = None


@dataclass
class ParityTraining:
    """Trains step by step.

    Source: Foroutan et al. 2025 (arXiv 2508.04796), section 4.1 of `spec/bpe.md`. Ties: the pair
    whose left token, then right token, is last in the order of code points. Cost of a step: the
    whole table.

    Args:
        train: The words of each language, from which pairs are counted.
        trainer: The settings.
        dev: Words of each language by which the lengths of languages are compared.
        ratio: The wanted compression rate of each language; without effect if there is `dev`.

    >>> training = ParityTraining([{"hug": 9}, {"ab": 2, "abc": 1}], ParityTrainer())
    >>> [training.step() for _ in range(3)]
    [('u', 'g'), ('h', 'ug'), ('a', 'b')]
    """

    train: Words
    trainer: ParityTrainer
    dev: Words | None = None
    ratio: Sequence[float] | None = None
    vocabulary: list[str] = field(init=False)
    merges: list[tuple[str, str]] = field(default_factory=list, init=False)
    languages: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.vocabulary = list(dict.fromkeys([*self.trainer.special_tokens, *self._alphabet()]))
        kept = {*self.vocabulary}
        self.segments = {
            word: [form for character, form in self._forms(word) if character in kept]
            for table in self.train
            for word in table
        }
        marked = {symbol for symbols in self.segments.values() for symbol in symbols}
        self.vocabulary += sorted(marked - kept, key=self._kind)
        entries = {*self.vocabulary}
        self.dev_segments = {
            word: [form for _, form in self._forms(word)]
            for table in self.dev or ()
            for word in table
            if entries.issuperset(form for _, form in self._forms(word))
        }
        self._first_lengths = self.lengths()
        self._finished: set[int] = set()
        self._turns: deque[int] = deque(maxlen=self.trainer.window_size)
        taken = len(self.vocabulary) if self.trainer.total_symbols else 0
        self._most = self.trainer.num_merges - taken

    def _alphabet(self) -> list[str]:
        """Returns the characters to keep, by code point."""
        counts: Counter[str] = Counter()
        for table in [*self.train, *(self.dev or ())]:
            for word, count in table.items():
                for character in word:
                    counts[character] += count
        required = {text[0] for text in self.trainer.initial_alphabet if text}
        order = sorted(
            counts.keys() | required, key=lambda c: (c not in required, -counts[c], ord(c))
        )
        return sorted(order[: self.trainer.limit_alphabet])

    def _forms(self, word: str) -> list[tuple[str, str]]:
        """Returns each character of a word with its form, which has the prefix or the suffix."""
        options, last = self.trainer, len(word) - 1
        prefix, suffix = options.continuing_subword_prefix, options.end_of_word_suffix
        return [
            (character, f"{prefix if place else ''}{character}{suffix if place == last else ''}")
            for place, character in enumerate(word)
        ]

    def _kind(self, form: str) -> tuple[bool, bool, str]:
        """Returns the key that orders forms: final ones, continuing ones, then both."""
        prefix, suffix = self.trainer.continuing_subword_prefix, self.trainer.end_of_word_suffix
        continues = bool(prefix) and form[:-1].startswith(prefix)
        return continues, bool(suffix) and form[1:].endswith(suffix), form

    def _text(self, symbol: str) -> str:
        """Returns a symbol without its marks."""
        options = self.trainer
        return symbol.removeprefix(options.continuing_subword_prefix).removesuffix(
            options.end_of_word_suffix
        )

    def lengths(self) -> list[int]:
        """Returns the number of symbols of each language, in `dev` or else in `train`."""
        tables = self.train if self.dev is None else self.dev
        segments = self.segments if self.dev is None else self.dev_segments
        return [
            sum(len(segments.get(word, ())) * count for word, count in table.items())
            for table in tables
        ]

    def counts(self, language: int | None) -> Counter[tuple[str, str]]:
        """Returns the counts of the pairs of a language, or of all languages."""
        pairs: Counter[tuple[str, str]] = Counter()
        for table in self.train if language is None else [self.train[language]]:
            for word, count in table.items():
                for pair in pairwise(self.segments[word]):
                    pairs[pair] += count
        return pairs

    def _best(self, language: int | None) -> tuple[str, str] | None:
        """Returns the pair that a language would merge."""
        least = max(self.trainer.min_frequency, 1)
        found = [
            (count, pair)
            for pair, count in self.counts(language).items()
            if count >= least and self._is_short(self._joined(pair))
        ]
        return max(found)[1] if found else None

    def _joined(self, pair: tuple[str, str]) -> str:
        return pair[0] + pair[1].removeprefix(self.trainer.continuing_subword_prefix)

    def _is_short(self, token: str) -> bool:
        longest, length = self.trainer.max_token_length, len(self._text(token))
        return longest is None or length <= 2 or length < longest

    def _in_order(self) -> list[int]:
        """Returns the languages in which pairs are left, the one compressed least first."""
        lengths = self.lengths()
        languages = [x for x in range(len(lengths)) if x not in self._finished]
        ratio = self.ratio
        if self.dev is not None or ratio is None:
            return sorted(languages, key=lambda language: -lengths[language])
        rates = [
            first / now / ratio[language] if now else 1.0 / ratio[language]
            for language, (first, now) in enumerate(zip(self._first_lengths, lengths, strict=True))
        ]
        return sorted(languages, key=lambda language: rates[language])

    def _next(self) -> int:
        """Returns the language whose turn it is."""
        order = self._in_order()
        if self.trainer.variant == "base":
            return order[0]
        limit, size = self.trainer.alpha / len(self.train), self.trainer.window_size
        while True:
            for language in order:
                if self._turns.count(language) / size <= limit:
                    self._turns.append(language)
                    return language
            if not self._finished:
                self._turns.append(order[-1])
                return order[-1]
            self._turns.append(min(self._finished))

    def step(self) -> tuple[str, str] | None:
        """Performs one merge; returns its pair, or None when training is over."""
        if len(self.merges) >= self._most:
            return None
        pair = self._chosen()
        if pair is None:
            return None
        whole = self._joined(pair)
        if whole not in self.vocabulary:
            self.vocabulary.append(whole)
        self.merges.append(pair)
        for segments in (self.segments, self.dev_segments):
            for word, symbols in segments.items():
                segments[word] = _merge(symbols, pair, whole)
        return pair

    def _chosen(self) -> tuple[str, str] | None:
        if len(self.merges) < self.trainer.global_merges:
            return self._best(None)
        while len(self._finished) < len(self.train):
            language = self._next()
            pair = self._best(language)
            if pair is not None:
                self.languages.append(language)
                return pair
            self._finished.add(language)
        return None


def _merge(symbols: list[str], pair: tuple[str, str], whole: str) -> list[str]:
    merged: list[str] = []
    place = 0
    while place < len(symbols):
        is_pair = tuple(symbols[place : place + 2]) == pair
        merged.append(whole if is_pair else symbols[place])
        place += 2 if is_pair else 1
    return merged


def train_parity(
    train: Words,
    trainer: ParityTrainer,
    dev: Words | None = None,
    ratio: Sequence[float] | None = None,
) -> ParityTraining:
    """Returns a training that is over, with its vocabulary and merges.

    >>> train_parity([{"hug": 9}, {"ab": 2}], ParityTrainer()).vocabulary
    ['a', 'b', 'g', 'h', 'u', 'ug', 'hug', 'ab']
    """
    training = ParityTraining(train, trainer, dev, ratio)
    while training.step():
        pass
    return training
