"""Extending a vocabulary by merging: the old model splits the words, and learning goes on from there.

    low 5, lower 2                                  old tokens: l o w e r, and lo w as merges
    low | low e r                                   e r occurs 2 times: merge it

As in `merging`, the whole table is recounted at every step. Rules with numbers, such as B37, are
those of `spec/bpe.md` and `spec/wordpiece.md`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from piecework.reference.learn.criteria import CRITERIA, history_score, likelihood
from piecework.reference.learn.merging import Merge
from piecework.reference.model.bpe import BpeEncoder, byte_entries
from piecework.reference.model.probability import count_longest_matches
from piecework.reference.model.wordpiece import LongestMatchEncoder, Piece
from piecework.reference.text.bytes import METASPACE

REPLACING_ROUNDS = 4


@dataclass(frozen=True)
class ExtensionSettings:
    """Holds the settings of an extension.

    Args:
        new_tokens: Number of entries to learn, if that many can be learned.
        min_frequency: Smallest number of occurrences of a learned entry.
        max_token_length: Most characters of a learned entry, without prefix and suffix; None sets no
            limit for merges, and 16 for Unigram.
        criterion: The criterion of WordPiece.
    """

    new_tokens: int
    min_frequency: int = 2
    max_token_length: int | None = None
    criterion: str = "likelihood"


class TokenRun(NamedTuple):
    """Holds adjacent tokens of a word, and the count of that word."""

    tokens: list[str]
    weight: int


class LearnedEntries(NamedTuple):
    """Holds new entries in the order of their ids, and all merges."""

    entries: list[str]
    history: list[Merge]


class MergeExtension:
    """Learns merges of tokens step by step.

    Ties: the lower left token by UTF-8 bytes, then the right one. Cost of a step: the whole table.

    Args:
        runs: The words as runs of tokens.
        taken: The names that no merge makes.
        settings: The settings.
        criterion: The name of the criterion.
        prefix: Prefix of tokens that continue a word.
        suffix: Suffix of tokens that end a word.

    >>> runs = [TokenRun(["low", "e", "r"], 2)]
    >>> learning = MergeExtension(runs, {"low", "e", "r"}, ExtensionSettings(1), "frequency")
    >>> learning.step().token, learning.step()
    ('er', None)
    """

    def __init__(
        self,
        runs: Iterable[TokenRun],
        taken: Iterable[str],
        settings: ExtensionSettings,
        criterion: str,
        *,
        prefix: str = "",
        suffix: str = "",
    ) -> None:
        self.runs, self.settings = list(runs), settings
        self.learned: list[str] = []
        self.history: list[Merge] = []
        self._taken, self._criterion = set(taken), CRITERIA[criterion]
        self._prefix = prefix
        self._lengths = {
            token: len(token.removeprefix(prefix).removesuffix(suffix))
            for run in self.runs
            for token in run.tokens
        }

    def finish(self) -> None:
        """Merges until the number of entries is reached, or no candidate is left."""
        while self.step():
            pass

    def step(self) -> Merge | None:
        """Performs one merge.

        Returns:
            The merge, or None if enough entries are learned or there is no candidate.
        """
        if len(self.learned) >= self.settings.new_tokens:
            return None
        symbols, pairs = self._count()
        total = sum(symbols.values())
        values = {
            pair: self._value(pair, n, symbols, total)
            for pair, n in pairs.items()
            if n >= max(1, self.settings.min_frequency) and self._may_be_entry(pair)
        }
        if not values:
            return None
        most = max(values.values())
        tied = [pair for pair, value in values.items() if value == most]
        left, right = min(tied, key=lambda pair: (pair[0].encode(), pair[1].encode()))
        n, a, b = pairs[left, right], symbols[left], symbols[right]
        token = self._join(left, right)
        score = history_score(self._criterion, values[left, right], n, a, b)
        self.history.append(merge := Merge(left, right, token, score, n, a, b, len(tied)))
        self.learned.append(token)
        self._lengths[token] = self._lengths[left] + self._lengths[right]
        self._taken.add(token)
        self.runs = [
            TokenRun(self._merged(run.tokens, left, right), run.weight) for run in self.runs
        ]
        return merge

    def _count(self) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
        symbols: dict[str, int] = {}
        pairs: dict[tuple[str, str], int] = {}
        counts_merges = self._criterion is likelihood
        for tokens, weight in self.runs:
            for token in tokens:
                symbols[token] = symbols.get(token, 0) + weight
            is_taken = False
            for pair in pairwise(tokens):
                is_taken = counts_merges and pair[0] == pair[1] and not is_taken
                if is_taken or not counts_merges or pair[0] != pair[1]:
                    pairs[pair] = pairs.get(pair, 0) + weight
        return symbols, pairs

    def _value(self, pair: tuple[str, str], n: int, symbols: Mapping[str, int], total: int) -> Any:
        counts = n, symbols[pair[0]], symbols[pair[1]], total
        if self._criterion is likelihood:
            return likelihood(*counts, is_same_symbol=pair[0] == pair[1])
        return self._criterion(*counts)

    def _join(self, left: str, right: str) -> str:
        return left + right[len(self._prefix) :]

    def _may_be_entry(self, pair: tuple[str, str]) -> bool:
        longest = self.settings.max_token_length
        if longest is not None and self._lengths[pair[0]] + self._lengths[pair[1]] > longest:
            return False
        return self._join(*pair) not in self._taken

    def _merged(self, tokens: list[str], left: str, right: str) -> list[str]:
        merged, i = list[str](), 0
        while i < len(tokens):
            is_pair = tokens[i : i + 2] == [left, right]
            merged.append(self._join(left, right) if is_pair else tokens[i])
            i += 2 if is_pair else 1
        return merged


def _runs(
    encode: Callable[[str], Sequence[Piece]],
    words: Mapping[str, int],
    separators: frozenset[str],
    *,
    splits: bool,
) -> Iterator[TokenRun]:
    """Yields the words as their tokens, cut at unknown pieces and separators.

    With `splits` they are cut before each metaspace, too. A word that cannot be encoded has none.
    """
    for word, count in words.items():
        run = TokenRun([], count)
        try:
            pieces = encode(word)
        except ValueError:
            continue
        for token, _, _ in pieces:
            separates = token is None or token in separators
            if separates or (splits and token and token.startswith(METASPACE)):
                yield run
                run = TokenRun([], count)
            if token is not None and not separates:
                run.tokens.append(token)
        yield run


def extend_bpe(
    encode: BpeEncoder, words: Mapping[str, int], taken: Iterable[str], settings: ExtensionSettings
) -> LearnedEntries:
    """Learns merges to append to those of a BPE model (B37 to B39).

    Args:
        encode: The model, without dropout and special tokens.
        words: word -> count in order of first occurrence; normalized and pre-tokenized.
        taken: The entries of the tokenizer.
        settings: The settings.

    Returns:
        The entries and the merges.

    >>> from piecework.reference.model.bpe import BpeSettings, ListedMerges
    >>> encode = BpeEncoder(["h", "u", "g", "ug"], ListedMerges([("u", "g")]), BpeSettings())
    >>> extend_bpe(encode, {"hug": 5}, encode.entries, ExtensionSettings(1)).entries
    ['hug']
    """
    model = encode.settings
    separators = set(byte_entries(bytes(range(256)))) if model.byte_fallback else set[str]()
    if model.unk_token is not None:
        separators.add(model.unk_token)
    learning = MergeExtension(
        _runs(encode, words, frozenset(separators), splits=True),
        taken,
        settings,
        "frequency",
        prefix=model.continuing_subword_prefix,
        suffix=model.end_of_word_suffix,
    )
    learning.finish()
    return LearnedEntries(learning.learned, learning.history)


def extend_wordpiece(
    encode: LongestMatchEncoder,
    words: Mapping[str, int],
    taken: Iterable[str],
    settings: ExtensionSettings,
    unknown_token: str | None = None,
) -> LearnedEntries:
    """Learns entries to add to those of a WordPiece model (W25 to W27).

    Args:
        encode: The model, without dropout and special tokens.
        words: word -> count in order of first occurrence; normalized and pre-tokenized.
        taken: The entries of the tokenizer.
        settings: The settings.
        unknown_token: The unknown token, if it is an entry that text may become.

    Returns:
        The entries and the merges.

    >>> encode = LongestMatchEncoder(["hug", "##s"])
    >>> extend_wordpiece(encode, {"hugs": 5}, encode.entries, ExtensionSettings(1)).entries
    ['hugs']
    """
    separators = frozenset(() if unknown_token is None else [unknown_token])
    runs = _runs(encode, words, separators, splits=False)
    learning = MergeExtension(runs, taken, settings, settings.criterion, prefix=encode.prefix)
    learning.finish()
    for _ in range(REPLACING_ROUNDS):
        entries = [*encode.entries, *learning.learned]
        counts = count_longest_matches(words, entries, encode.prefix)
        used = [entry for entry in learning.learned if counts[entry]]
        if len(used) == len(learning.learned):
            break
        learning.learned = used
        learning.finish()
    return LearnedEntries(learning.learned, learning.history)
