"""From a table of words to symbols: the input of training by merging.

A symbol is a subword with a flag for the start of a word. "hug" starts as three symbols, rendered
`h ##u ##g`. The rendering is for people and for the vocabulary; internally a symbol is the pair (is
initial, text), so that a literal "##u" in the corpus differs from a continuing `u`. With an empty
prefix the two forms are equal, and every symbol counts as initial. With a suffix for the end of a
word (`h u g</w>`), a symbol also has a flag for it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from piecework.reference.learn.counts import LARGEST_COUNT


class Symbol(NamedTuple):
    """Holds the text of a subword, and whether a word begins or ends with it.

    >>> Symbol(False, "u").render("##")
    '##u'
    """

    is_initial: bool
    text: str
    is_final: bool = False

    def render(self, prefix: str, suffix: str = "") -> str:
        """Returns the symbol as the vocabulary writes it.

        >>> Symbol(True, "h").render("##"), Symbol(True, "g", is_final=True).render("", "</w>")
        ('h', 'g</w>')
        """
        return ("" if self.is_initial else prefix) + self.text + (suffix if self.is_final else "")


class SymbolRun(NamedTuple):
    """Holds adjacent symbols of a word, and the count of that word."""

    symbols: list[Symbol]
    weight: int


def check_character_total(words: Mapping[str, int]) -> None:
    """Raises if the characters of a table, times the counts of their words, exceed 64 bits.

    Args:
        words: word -> count.

    Raises:
        OverflowError: the sum is greater than 2**64 - 1.

    >>> check_character_total({"ab": 2**63})
    Traceback (most recent call last):
    OverflowError: the characters of all words are more than 64 bits can count
    """
    if sum(len(word) * count for word, count in words.items()) > LARGEST_COUNT:
        raise OverflowError("the characters of all words are more than 64 bits can count")


def select_characters(
    words: Mapping[str, int], required: Sequence[str], limit: int | None
) -> frozenset[str]:
    """Returns the characters that `limit_alphabet` keeps.

    Required characters stay and count toward the limit; then the most frequent ones (occurrences
    times the count of the word). Tie rule: the lower code point. Cost: linear, and a sort of the
    alphabet.

    Args:
        words: word -> count.
        required: `initial_alphabet`.
        limit: Most characters to keep; None keeps all.

    Returns:
        The characters that stay.

    >>> sorted(select_characters({"abc": 1, "cb": 1}, ["z"], 2))
    ['b', 'z']
    """
    weights: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            weights[character] += count
    if limit is None:
        return frozenset(weights).union(required)
    others = sorted(weights.keys() - set(required), key=lambda c: (-weights[c], c))
    return frozenset(required).union(others[: max(0, limit - len(set(required)))])


def split_runs(symbols: Iterable[Symbol | None], weight: int) -> list[SymbolRun]:
    """Splits the symbols of a word where one is missing.

    Args:
        symbols: The symbols of a word; None where a character is not kept.
        weight: The count of the word.

    Returns:
        The runs of adjacent symbols; none is empty.

    >>> len(split_runs([None, Symbol(True, "a"), None, None, Symbol(True, "b")], 1))
    2
    """
    runs = [SymbolRun([], weight)]
    for symbol in symbols:
        if symbol:
            runs[-1].symbols.append(symbol)
        elif runs[-1].symbols:
            runs.append(SymbolRun([], weight))
    return [run for run in runs if run.symbols]


def split_symbols(word: str, kept: frozenset[str], prefix: str) -> list[Symbol | None]:
    """Splits a word into one symbol for each character.

    Args:
        word: A word.
        kept: The characters that may be symbols.
        prefix: `continuing_subword_prefix`.

    Returns:
        A symbol for each character, None for one that is not kept. Characters after it still
        continue the word.

    >>> runs = split_runs(split_symbols("a-bc", frozenset("abc"), "##"), 1)
    >>> [[symbol.render("##") for symbol in run.symbols] for run in runs]
    [['a'], ['##b', '##c']]
    """
    return [Symbol(i == 0 or not prefix, c) if c in kept else None for i, c in enumerate(word)]


def build_alphabet(
    runs: Iterable[SymbolRun], required: Iterable[Symbol], ties: str, prefix: str, suffix: str = ""
) -> list[Symbol]:
    """Returns the initial symbols, in the order of their ids in the vocabulary.

    `first`: by first occurrence, word by word, left to right; then the required symbols that do not
    occur. `hf`: by code point; the plain forms first, then the final, the continuing, and those
    that are both. Otherwise: by the UTF-8 bytes of the rendering.

    Args:
        runs: The table as symbols.
        required: Symbols to include even if they do not occur.
        ties: The tie rule.
        prefix: `continuing_subword_prefix`.
        suffix: `end_of_word_suffix`.

    Returns:
        Every symbol once.

    >>> runs = split_runs(split_symbols("hug", frozenset("hug"), "##"), 1)
    >>> alphabet = build_alphabet(runs, [Symbol(False, "g"), Symbol(True, "g")], "first", "##")
    >>> [symbol.render("##") for symbol in alphabet]
    ['h', '##u', '##g', 'g']
    """
    seen = dict.fromkeys(symbol for run in runs for symbol in run.symbols)
    seen |= dict.fromkeys(required)
    if ties == "first":
        return list(seen)
    if ties == "hf":
        return sorted(
            seen, key=lambda symbol: (not symbol.is_initial, symbol.is_final, symbol.text)
        )
    return sorted(seen, key=lambda symbol: symbol.render(prefix, suffix).encode())
