"""Adjacent pairs of symbols in the table of words: counting and merging."""

from itertools import pairwise
from typing import NamedTuple

from piecework.reference.learn.alphabet import Symbol, SymbolRun

Pair = tuple[Symbol, Symbol]


def join_pair(pair: Pair) -> Symbol:
    """Returns the symbol that a merge makes: initial as the left one, final as the right.

    >>> join_pair((Symbol(True, "h"), Symbol(False, "u")))
    Symbol(is_initial=True, text='hu', is_final=False)
    """
    left, right = pair
    return Symbol(left.is_initial, left.text + right.text, right.is_final)


class SymbolCounts(NamedTuple):
    """Holds the counts of symbols, their sum, and pairs in order of first occurrence."""

    symbols: dict[Symbol, int]
    total: int
    pairs: dict[Pair, int]


def count_symbols(runs: list[SymbolRun], *, count_merges: bool) -> SymbolCounts:
    """Counts the symbols and pairs of a table.

    Args:
        runs: The table.
        count_merges: Count the merges of a pass from left to right (`aaa` holds one `a a`), as the
            likelihood needs; otherwise adjacent occurrences (`aaa` holds two).

    Returns:
        All counts. Cost: linear in the table.

    >>> a = Symbol(True, "a")
    >>> runs = [SymbolRun([a, a, a], 5)]
    >>> [count_symbols(runs, count_merges=m).pairs[a, a] for m in (False, True)]
    [10, 5]
    """
    symbols: dict[Symbol, int] = {}
    pairs: dict[Pair, int] = {}
    for run, weight in runs:
        for symbol in run:
            symbols[symbol] = symbols.get(symbol, 0) + weight
        is_taken = False  # whether the left symbol is part of an equal pair already
        for left, right in pairwise(run):
            is_taken = count_merges and left == right and not is_taken
            if is_taken or not count_merges or left != right:
                pairs[left, right] = pairs.get((left, right), 0) + weight
    return SymbolCounts(symbols, sum(symbols.values()), pairs)


def merge_pair(run: SymbolRun, pair: Pair) -> SymbolRun:
    """Merges all occurrences of a pair in a run, from left to right, without overlap.

    Cost: linear in the run.

    >>> a = Symbol(True, "a")
    >>> [symbol.text for symbol in merge_pair(SymbolRun([a, a, a], 1), (a, a)).symbols]
    ['aa', 'a']
    """
    whole = join_pair(pair)
    symbols: list[Symbol] = []
    i = 0
    while i < len(run.symbols):
        is_pair = tuple(run.symbols[i : i + 2]) == pair
        symbols.append(whole if is_pair else run.symbols[i])
        i += 2 if is_pair else 1
    return SymbolRun(symbols, run.weight)
