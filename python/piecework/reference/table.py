"""The table of words as symbols, and the two things done to it: counting and merging."""

from itertools import pairwise
from typing import NamedTuple

from piecework.reference.alphabet import Run, Symbol

Pair = tuple[Symbol, Symbol]


def joined(pair: Pair) -> Symbol:
    """Gives the symbol that a merge makes: it begins as the left one does and ends as the right.

    >>> joined((Symbol(True, "h"), Symbol(False, "u")))
    Symbol(initial=True, text='hu', final=False)
    """
    left, right = pair
    return Symbol(left.initial, left.text + right.text, right.final)


class Tally(NamedTuple):
    """Gives the counts of one moment: symbols, their sum, pairs in order of first occurrence."""

    symbols: dict[Symbol, int]
    total: int
    pairs: dict[Pair, int]


def tally(runs: list[Run], *, merges: bool) -> Tally:
    """Counts symbols and pairs in the table as it stands.

    Args:
        runs: The table.
        merges: Count the merges that a pass from left to right would make (`aaa` holds one
            `a a`), as the likelihood needs it; otherwise adjacent occurrences (`aaa` holds two).

    Returns:
        All counts. Cost: linear in the table.

    >>> a = Symbol(True, "a")
    >>> [tally([Run([a, a, a], 5)], merges=m).pairs[a, a] for m in (False, True)]
    [10, 5]
    """
    symbols: dict[Symbol, int] = {}
    pairs: dict[Pair, int] = {}
    for run, weight in runs:
        for symbol in run:
            symbols[symbol] = symbols.get(symbol, 0) + weight
        taken = False  # is the left symbol already part of an equal pair?
        for left, right in pairwise(run):
            taken = merges and left == right and not taken
            if taken or not merges or left != right:
                pairs[left, right] = pairs.get((left, right), 0) + weight
    return Tally(symbols, sum(symbols.values()), pairs)


def merged(run: Run, pair: Pair) -> Run:
    """Merges a pair wherever it stands in a run, from left to right, never overlapping.

    >>> a = Symbol(True, "a")
    >>> [symbol.text for symbol in merged(Run([a, a, a], 1), (a, a)).symbols]
    ['aa', 'a']
    """
    whole = joined(pair)
    symbols: list[Symbol] = []
    i = 0
    while i < len(run.symbols):
        here = tuple(run.symbols[i : i + 2]) == pair
        symbols.append(whole if here else run.symbols[i])
        i += 2 if here else 1
    return Run(symbols, run.weight)
