"""Learns the merges of parity-aware BPE, where languages take turns to choose a merge.

Section 4.1 of `spec/bpe.md` is the definition. The counts of pairs are kept, and those that a merge changes are updated.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_Json = dict[str, Any]
_Pair = tuple[int, int]


class _Word(NamedTuple):
    """Holds the symbols of a word, and its count in each language that has it."""

    symbols: list[int]
    counts: dict[int, int]


class _Latest(NamedTuple):
    """Holds the names of a pair; the pair that is last in the order of code points compares as less."""

    names: tuple[str, str]

    def __lt__(self, other: Any) -> bool:
        return bool(self.names > other.names)


class _Pairs:
    """Holds the counts of the pairs of one language, or of all, and finds the best."""

    def __init__(self, least: int) -> None:
        self.counts: Counter[_Pair] = Counter()
        self.least = least
        self._heap: list[tuple[int, _Latest, _Pair]] = []

    def push(self, pair: _Pair, names: tuple[str, str]) -> None:
        """Adds a pair whose count has risen."""
        if self.counts[pair] >= self.least:
            heapq.heappush(self._heap, (-self.counts[pair], _Latest(names), pair))

    def best(self) -> _Pair | None:
        """Returns the most frequent pair; of equals, the last in the order of names."""
        while self._heap:
            count, names, pair = self._heap[0]
            now = self.counts[pair]
            if now == -count:
                return pair
            if now >= self.least:
                heapq.heapreplace(self._heap, (-now, names, pair))
            else:
                heapq.heappop(self._heap)
        return None


class ParityLearner:
    """Learns merges from the words of each language.

    Args:
        settings: The settings of :class:`piecework.hf.trainers.ParityBpeTrainer`.
        train: The words of each language with their counts.
        dev: Words by which the lengths of languages are compared, or None.
        ratio: The wanted compression rate of each language, or None.
    """

    def __init__(
        self,
        settings: _Json,
        train: Sequence[Mapping[str, int]],
        dev: Sequence[Mapping[str, int]] | None,
        ratio: Sequence[float] | None,
    ) -> None:
        self._settings, self._ratio = settings, None if dev is not None else ratio
        self._prefix = settings["continuing_subword_prefix"] or ""
        self._suffix = settings["end_of_word_suffix"] or ""
        special = (token["content"] for token in settings["special_tokens"])
        kept = _kept([*train, *(dev or ())], settings)
        self.vocab = {name: number for number, name in enumerate(dict.fromkeys([*special, *kept]))}
        self._add_forms(word for table in train for word in table)
        self._names = list(self.vocab)
        self.merges: list[tuple[str, str]] = []
        self._words = _words(train, self._train_symbols)
        self._dev = None if dev is None else _words(dev, self._dev_symbols)
        self._lengths = _lengths(self._words if self._dev is None else self._dev, len(train))
        self._first_lengths = list(self._lengths)
        self._finished: set[int] = set()
        self._turns: deque[int] = deque(maxlen=settings["window_size"])
        self._count_pairs(len(train))

    # --- first symbols -------------------------------------------------------------------------

    def _forms(self, word: str) -> list[tuple[str, str]]:
        """Returns each character of a word with its form, which has the prefix or the suffix."""
        forms = [(c, f"{self._prefix}{c}" if place else c) for place, c in enumerate(word)]
        if forms and self._suffix:
            character, form = forms[-1]
            forms[-1] = character, form + self._suffix
        return forms

    def _add_forms(self, words: Iterable[str]) -> None:
        """Adds the forms of the words: final ones, continuing ones, then both, each by code point."""
        if not self._prefix and not self._suffix:
            return
        found = {
            (place > 0 and bool(self._prefix), form != (self._prefix if place else "") + c, form)
            for word in words
            for place, (c, form) in enumerate(self._forms(word))
            if c in self.vocab and form not in self.vocab
        }
        for _, _, form in sorted(found):
            self.vocab.setdefault(form, len(self.vocab))

    def _train_symbols(self, word: str) -> list[int]:
        """Returns the symbols of a word, without the characters that are not kept."""
        vocab = self.vocab
        return [vocab[form] for c, form in self._forms(word) if form in vocab and c in vocab]

    def _dev_symbols(self, word: str) -> list[int]:
        """Returns the symbols of a word; none if one of its forms is not in the vocabulary."""
        symbols = [self.vocab.get(form) for _, form in self._forms(word)]
        known = [symbol for symbol in symbols if symbol is not None]
        return known if len(known) == len(symbols) else []

    # --- counts ----------------------------------------------------------------------------------

    def _count_pairs(self, languages: int) -> None:
        """Counts the pairs of each language, and of all if they choose merges together."""
        least = max(self._settings["min_frequency"], 1)
        self._pairs = [_Pairs(least) for _ in range(languages)]
        self._all = _Pairs(least) if self._settings["global_merges"] else None
        self._places: defaultdict[_Pair, set[int]] = defaultdict(set)
        self._dev_places: defaultdict[_Pair, set[int]] = defaultdict(set)
        for place, word in enumerate(self._words):
            self._change(word, Counter(pairwise(word.symbols)), 1)
            for pair in pairwise(word.symbols):
                self._places[pair].add(place)
        for place, word in enumerate(self._dev or ()):
            for pair in pairwise(word.symbols):
                self._dev_places[pair].add(place)
        self._push(self._places)

    def _change(self, word: _Word, pairs: Mapping[_Pair, int], sign: int) -> None:
        """Adds the pairs of a word to the counts, or subtracts them."""
        for language, count in word.counts.items():
            counts = self._pairs[language].counts
            for pair, times in pairs.items():
                counts[pair] += sign * times * count
        if self._all is not None:
            total = sign * sum(word.counts.values())
            for pair, times in pairs.items():
                self._all.counts[pair] += times * total

    def _push(self, pairs: Iterable[_Pair]) -> None:
        """Adds new pairs of short tokens to the candidates."""
        for pair in pairs:
            left, right = pair
            names = self._names[left], self._names[right]
            if not self._is_short(*names):
                continue
            for table in (*self._pairs, *([self._all] if self._all is not None else [])):
                table.push(pair, names)

    def _joined(self, left: str, right: str) -> str:
        return left + right.removeprefix(self._prefix)

    def _is_short(self, left: str, right: str) -> bool:
        longest = self._settings["max_token_length"]
        if longest is None:
            return True
        text = self._joined(left, right).removeprefix(self._prefix).removesuffix(self._suffix)
        return len(text) <= 2 or len(text) < longest

    # --- turns -----------------------------------------------------------------------------------

    def _in_order(self) -> list[int]:
        """Returns the languages in which pairs are left, the one compressed least first."""
        lengths, ratio, first = self._lengths, self._ratio, self._first_lengths
        languages = [each for each in range(len(lengths)) if each not in self._finished]
        if ratio is None:
            return sorted(languages, key=lambda each: -lengths[each])
        return sorted(
            languages,
            key=lambda each: (first[each] / lengths[each] if lengths[each] else 1.0) / ratio[each],
        )

    def _next(self) -> int:
        """Returns the language whose turn it is."""
        order = self._in_order()
        if self._settings["variant"] == "base":
            return order[0]
        limit = self._settings["alpha"] / len(self._pairs)
        while True:
            for language in order:
                if self._turns.count(language) / self._settings["window_size"] <= limit:
                    self._turns.append(language)
                    return language
            if not self._finished:
                self._turns.append(order[-1])
                return order[-1]
            # Nothing is left to merge in these, so their turns pass until another language is within its limit.
            self._turns.append(min(self._finished))

    def _chosen(self) -> _Pair | None:
        """Returns the next pair to merge."""
        if self._all is not None and len(self.merges) < self._settings["global_merges"]:
            return self._all.best()
        self._all = None
        while len(self._finished) < len(self._pairs):
            language = self._next()
            pair = self._pairs[language].best()
            if pair is not None:
                return pair
            self._finished.add(language)
        return None

    # --- merges ----------------------------------------------------------------------------------

    def learn(self) -> None:
        """Merges until the number of merges is reached, or no pair is left.

        Ties and cost: as in the specification; a merge costs time linear in the words that contain its pair.
        """
        most = self._settings["num_merges"]
        if self._settings["total_symbols"]:
            most -= len(self.vocab)
        while len(self.merges) < most:
            pair = self._chosen()
            if pair is None:
                return
            self._merge(pair)

    def _merge(self, pair: _Pair) -> None:
        left, right = (self._names[symbol] for symbol in pair)
        whole = self._joined(left, right)
        new = self.vocab.setdefault(whole, len(self.vocab))
        if new == len(self._names):
            self._names.append(whole)
        self.merges.append((left, right))
        measured = self._words if self._dev is None else self._dev
        found: set[_Pair] = set()
        for words, places in ((self._words, self._places), (self._dev or [], self._dev_places)):
            for place in places.pop(pair, ()):
                word = words[place]
                before = Counter(pairwise(word.symbols))
                lost = _replace(word.symbols, pair, new)
                after = Counter(pairwise(word.symbols))
                # A merge may make a token that exists, so counts can rise, too.
                risen = after - before
                for other in risen:
                    places[other].add(place)
                if words is self._words:
                    self._change(word, before, -1)
                    self._change(word, after, 1)
                    found |= risen.keys()
                if words is measured:
                    for language, count in word.counts.items():
                        self._lengths[language] -= lost * count
        self._push(found)


def _kept(tables: Iterable[Mapping[str, int]], settings: _Json) -> list[str]:
    """Returns the characters to keep, by code point."""
    counts: Counter[str] = Counter()
    for table in tables:
        for word, count in table.items():
            for character in word:
                counts[character] += count
    required = set(settings["initial_alphabet"])
    order = sorted(counts.keys() | required, key=lambda c: (c not in required, -counts[c], c))
    return sorted(order[: settings["limit_alphabet"]])


def _words(tables: Sequence[Mapping[str, int]], symbols: Any) -> list[_Word]:
    """Returns the different words of all languages."""
    counts: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for language, table in enumerate(tables):
        for word, count in table.items():
            counts[word][language] = count
    return [_Word(symbols(word), languages) for word, languages in counts.items()]


def _lengths(words: Iterable[_Word], languages: int) -> list[int]:
    """Returns the number of symbols of each language."""
    lengths = [0] * languages
    for word in words:
        for language, count in word.counts.items():
            lengths[language] += len(word.symbols) * count
    return lengths


def _replace(symbols: list[int], pair: _Pair, new: int) -> int:
    """Merges a pair in a word, from left to right; returns the number of symbols that the word lost."""
    left, right = pair
    length, place = len(symbols), 0
    while place + 1 < len(symbols):
        if symbols[place] == left and symbols[place + 1] == right:
            symbols[place : place + 2] = [new]
        place += 1
    return length - len(symbols)
