"""From a table of words to symbols: the material that training starts from.

A symbol is a piece of a word and whether it stands at the word's beginning. "hug" starts as three
symbols, rendered `h ##u ##g`. The rendering is for people and for the vocabulary; inside, a symbol
is the pair (initial?, text), so that a literal "##u" in the corpus cannot be taken for a `u` that
continues. With an empty prefix there is nothing to tell apart, and every symbol counts as initial.
Where a suffix marks the end of a word (`h u g</w>`), a symbol also says whether it is final.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from piecework.reference.counts import LARGEST_COUNT


class Symbol(NamedTuple):
    """Gives a piece of a word: its text, whether a word begins with it, and whether one ends so.

    >>> Symbol(False, "u").rendered("##")
    '##u'
    """

    initial: bool
    text: str
    final: bool = False

    def rendered(self, prefix: str, suffix: str = "") -> str:
        """Gives the symbol as the vocabulary writes it.

        >>> Symbol(True, "h").rendered("##"), Symbol(True, "g", final=True).rendered("", "</w>")
        ('h', 'g</w>')
        """
        return ("" if self.initial else prefix) + self.text + (suffix if self.final else "")


class Run(NamedTuple):
    """Gives symbols that stand side by side in a word, and how often that word occurs."""

    symbols: list[Symbol]
    weight: int


def check_sum(words: Mapping[str, int]) -> None:
    """Refuses a table with more characters, word counts included, than 64 bits can count.

    Args:
        words: word -> count.

    Raises:
        OverflowError: they are more.

    >>> check_sum({"ab": 2**63})
    Traceback (most recent call last):
    OverflowError: the characters of all words are more than 64 bits can count
    """
    if sum(len(word) * count for word, count in words.items()) > LARGEST_COUNT:
        raise OverflowError("the characters of all words are more than 64 bits can count")


def kept_characters(
    words: Mapping[str, int], wanted: Sequence[str], limit: int | None
) -> frozenset[str]:
    """Chooses the characters that `limit_alphabet` leaves.

    The wanted ones stay and count toward the limit; then the heaviest (occurrences times the count
    of the word). Tie rule: the lower code point. Cost: linear, and a sort of the alphabet.

    Args:
        words: word -> count.
        wanted: `initial_alphabet`.
        limit: Most characters to keep; None keeps all.

    Returns:
        The characters that stay.

    >>> sorted(kept_characters({"abc": 1, "cb": 1}, ["z"], 2))
    ['b', 'z']
    """
    weights: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            weights[character] += count
    if limit is None:
        return frozenset(weights).union(wanted)
    others = sorted(weights.keys() - set(wanted), key=lambda c: (-weights[c], c))
    return frozenset(wanted).union(others[: max(0, limit - len(set(wanted)))])


def cut(symbols: Iterable[Symbol | None], weight: int) -> list[Run]:
    """Parts symbols where one is missing.

    Args:
        symbols: The symbols of a word; None where a character is not kept.
        weight: The count of the word.

    Returns:
        The runs between the cuts, none of them empty.

    >>> len(cut([None, Symbol(True, "a"), None, None, Symbol(True, "b")], 1))
    2
    """
    runs = [Run([], weight)]
    for symbol in symbols:
        if symbol:
            runs[-1].symbols.append(symbol)
        elif runs[-1].symbols:
            runs.append(Run([], weight))
    return [run for run in runs if run.symbols]


def symbols_of(word: str, kept: frozenset[str], prefix: str) -> list[Symbol | None]:
    """Takes a word apart.

    Args:
        word: A word.
        kept: The characters that may be symbols.
        prefix: `continuing_subword_prefix`.

    Returns:
        A symbol for each character, None for one that is not kept. What follows it still continues
        the word.

    >>> runs = cut(symbols_of("a-bc", frozenset("abc"), "##"), 1)
    >>> [[symbol.rendered("##") for symbol in run.symbols] for run in runs]
    [['a'], ['##b', '##c']]
    """
    return [Symbol(i == 0 or not prefix, c) if c in kept else None for i, c in enumerate(word)]


def alphabet_of(
    runs: Iterable[Run], wanted: Iterable[Symbol], ties: str, prefix: str, suffix: str = ""
) -> list[Symbol]:
    """Gives the symbols to begin with, in the order the vocabulary lists them.

    `first`: as seen, word by word, left to right, and then the wanted ones that were not. `hf`: by
    code point; the plain forms first, then the final, the continuing, and those that are both.
    Otherwise: by the UTF-8 bytes of the rendering.

    Args:
        runs: The table as symbols.
        wanted: Symbols to have, seen or not.
        ties: The tie rule.
        prefix: `continuing_subword_prefix`.
        suffix: `end_of_word_suffix`.

    Returns:
        Every symbol once.

    >>> runs = cut(symbols_of("hug", frozenset("hug"), "##"), 1)
    >>> alphabet = alphabet_of(runs, [Symbol(False, "g"), Symbol(True, "g")], "first", "##")
    >>> [symbol.rendered("##") for symbol in alphabet]
    ['h', '##u', '##g', 'g']
    """
    seen = dict.fromkeys(symbol for run in runs for symbol in run.symbols)
    seen |= dict.fromkeys(wanted)
    if ties == "first":
        return list(seen)
    if ties == "hf":
        return sorted(seen, key=lambda symbol: (not symbol.initial, symbol.final, symbol.text))
    return sorted(seen, key=lambda symbol: symbol.rendered(prefix, suffix).encode())
