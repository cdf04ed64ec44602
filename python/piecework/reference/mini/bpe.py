"""Byte-pair encoding: train, encode and decode, without settings.

    hug 10, pug 5, pun 12, bun 4, hugs 5        the words of a text, with their counts
    h u g</w>   p u g</w>   p u n</w>   ...     each word begins as its characters
    h u g</w>   pu g</w>    pu n</w>    ...     p u occurs 17 times, more than any other pair
    hu g</w>    pu g</w>    pu n</w>    ...     h u occurs 15 times, and so on

The list of merges is the model: a new word is encoded by the same merges in the same order. `</w>`
marks the end of a word, so that decoding knows where to put spaces.

Source: Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword
Units". The full reference gives an equal vocabulary with `BpeTrainer(size, ties="first",
end_of_word_suffix="</w>")`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

UNKNOWN = "<unk>"  # the token of characters that did not occur in training; its id is 0
END = "</w>"  # the end of a word, attached to its last character

Pair = tuple[str, str]
Table = dict[str, list[str]]  # word -> its symbols


def count_words(text: str) -> dict[str, int]:
    """Counts the words of a text. Training needs nothing else: equal words are split alike."""
    return dict(Counter(text.split()))


def split(word: str) -> list[str]:
    """Splits a word into characters, the symbols that training begins with."""
    return [*word[:-1], word[-1] + END]


def count_pairs(table: Table, counts: dict[str, int]) -> dict[Pair, int]:
    """Counts adjacent symbols. A pair in a word that occurs ten times occurs ten times."""
    pairs: Counter[Pair] = Counter()
    for word, symbols in table.items():
        for pair in pairwise(symbols):
            pairs[pair] += counts[word]
    return dict(pairs)


def merge(symbols: list[str], pair: Pair) -> list[str]:
    """Joins each occurrence of a pair, from left to right: in `a a a` only the first two join."""
    merged: list[str] = []
    i = 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == pair:
            merged.append("".join(pair))
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged


def alphabet(table: Table) -> list[str]:
    """Returns each symbol of a table once, in order of first occurrence."""
    return list(dict.fromkeys(symbol for symbols in table.values() for symbol in symbols))


def learn(counts: dict[str, int]) -> Iterator[tuple[Pair, int, Table]]:
    """Yields each merge until no pair is left: the pair, its count, and the table after it."""
    table = {word: split(word) for word in counts}
    known = {UNKNOWN, *alphabet(table)}
    while True:
        # A text may spell `<unk>` or `</w>`: no merge makes what is an entry already.
        pairs = count_pairs(table, counts)
        candidates = [pair for pair in pairs if "".join(pair) not in known]
        if not candidates:
            return
        best = max(candidates, key=lambda pair: pairs[pair])  # of ties, the one that occurs first
        table = {word: merge(symbols, best) for word, symbols in table.items()}
        known.add("".join(best))
        yield best, pairs[best], table


def train(counts: dict[str, int], size: int) -> tuple[list[str], list[Pair]]:
    """Learns a vocabulary of at most `size` entries.

    Returns:
        The entries, whose indices are their ids, and the merges in order.
    """
    vocabulary = [UNKNOWN, *alphabet({word: split(word) for word in counts})]
    merges: list[Pair] = []
    for pair, _, _ in learn(counts):
        if len(vocabulary) >= size:
            break
        merges.append(pair)
        vocabulary.append("".join(pair))
    return vocabulary, merges


def tokenize(word: str, merges: Iterable[Pair]) -> list[str]:
    """Splits a word into tokens by replaying the training: all merges, in the order learned.

    One pass is enough. A merge makes a new symbol, and only later merges can contain that symbol.
    """
    symbols = split(word)
    for pair in merges:
        symbols = merge(symbols, pair)
    return symbols


def encode(text: str, vocabulary: list[str], merges: list[Pair]) -> list[int]:
    """Returns the ids of a text. A token that is no entry is a character that training never saw."""
    ids = {token: i for i, token in enumerate(vocabulary)}
    tokens = (token for word in text.split() for token in tokenize(word, merges))
    return [ids.get(token, 0) for token in tokens]


def decode(ids: Iterable[int], vocabulary: list[str]) -> str:
    """Returns the text of ids: the end of a word is a space, and the rest is joined."""
    return "".join(vocabulary[i] for i in ids).replace(END, " ").rstrip()


if __name__ == "__main__":  # print a training step by step, and a word that does not occur in it
    counts = count_words("hug " * 10 + "pug " * 5 + "pun " * 12 + "bun " * 4 + "hugs " * 5)
    print("words:", counts)
    print("start:", " | ".join(" ".join(split(word)) for word in counts))
    for pair, count, table in learn(counts):
        print(f"{' '.join(pair):12} occurs {count:2} times:", end=" ")
        print(" | ".join(" ".join(symbols) for symbols in table.values()))
    vocabulary, merges = train(counts, size=16)
    print("vocabulary of 16:", " ".join(vocabulary))
    ids = encode("bug hugs", vocabulary, merges)
    print("bug hugs ->", " ".join(vocabulary[i] for i in ids), "->", ids)
    print(ids, "->", decode(ids, vocabulary))
