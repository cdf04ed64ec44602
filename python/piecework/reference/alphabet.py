"""From a table of words to symbols: the material that training starts from.

A symbol is a piece of a word and whether it stands at the word's beginning. "hug" starts as three
symbols, rendered `h ##u ##g`. The rendering is for people and for the vocabulary; inside, a symbol
is the pair (initial?, text), so that a literal "##u" in the corpus cannot be taken for a `u` that
continues. With an empty prefix there is nothing to tell apart, and every symbol counts as initial.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from piecework.reference.counts import LARGEST_COUNT


class Symbol(NamedTuple):
    """Gives a piece of a word: its text, and whether a word begins with it.

    >>> Symbol(False, "u").rendered("##")
    '##u'
    """

    initial: bool
    text: str

    def rendered(self, prefix: str) -> str:
        """Gives the symbol as the vocabulary writes it.

        >>> Symbol(True, "h").rendered("##")
        'h'
        """
        return self.text if self.initial else prefix + self.text


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


def runs_of(word: str, weight: int, kept: frozenset[str], prefix: str) -> list[Run]:
    """Takes a word apart; a character that is not kept cuts it.

    No pair reaches across a cut, and what follows one still continues the word.

    Args:
        word: A word.
        weight: Its count.
        kept: The characters that may be symbols.
        prefix: `continuing_subword_prefix`.

    Returns:
        The runs between the cuts, none of them empty.

    >>> runs = runs_of("a-bc", 1, frozenset("abc"), "##")
    >>> [[symbol.rendered("##") for symbol in run.symbols] for run in runs]
    [['a'], ['##b', '##c']]
    """
    runs: list[Run] = []
    cut = True
    for i, character in enumerate(word):
        if character not in kept:
            cut = True
            continue
        if cut:
            runs.append(Run([], weight))
            cut = False
        runs[-1].symbols.append(Symbol(i == 0 or not prefix, character))
    return runs


def alphabet_of(runs: Iterable[Run], wanted: Sequence[str], prefix: str, ties: str) -> list[Symbol]:
    """Gives the symbols to begin with, in the order the vocabulary lists them.

    `first`: as seen, word by word, left to right, and then the forms of wanted characters that were
    not. `lex`: by the UTF-8 bytes of the rendering. `hf`: initial forms by code point, then the
    continuing ones.

    Args:
        runs: The table as symbols.
        wanted: `initial_alphabet`: each character is added in both forms.
        prefix: `continuing_subword_prefix`.
        ties: The tie rule.

    Returns:
        Every symbol once.

    >>> alphabet = alphabet_of(runs_of("hug", 1, frozenset("hug"), "##"), ["g"], "##", "first")
    >>> [symbol.rendered("##") for symbol in alphabet]
    ['h', '##u', '##g', 'g']
    """
    seen = dict.fromkeys(symbol for run in runs for symbol in run.symbols)
    for character in wanted:
        for initial in (True, not prefix):
            seen.setdefault(Symbol(initial, character))
    if ties == "lex":
        return sorted(seen, key=lambda symbol: symbol.rendered(prefix).encode())
    if ties == "hf":
        return sorted(seen, key=lambda symbol: (not symbol.initial, symbol.text))
    return list(seen)
