"""WordPiece: train, encode and decode, without settings.

    hug 10, pug 5, pun 12, bun 4, hugs 5            the words of a text, with their counts
    h ##u ##g   p ##u ##g   ...   h ##u ##g ##s     each word begins as its characters
    h ##u ##g   p ##u ##g   ...   h ##u ##gs        ##g ##s scores 5 / (20 * 5), the most

`##` marks a symbol that continues a word. Training merges pairs as byte-pair encoding does, with
another score. Encoding differs: the merges are forgotten, and the vocabulary is the model. A word is
split by longest match, and is unknown as a whole if it has a part that no entry matches.

Source: Schuster and Nakajima 2012, "Japanese and Korean Voice Search"; Devlin et al. 2019 (BERT) for
longest match; the score is that of Hugging Face's course, since Google never published its own. The
full reference gives an equal vocabulary with `WordPieceTrainer(size, criterion="pmi", ties="first",
special_tokens=["[UNK]"])`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction  # exact, so that equal scores are equal
from itertools import pairwise

UNKNOWN = "[UNK]"  # the token of a word that the vocabulary cannot split; its id is 0
PREFIX = "##"  # begins every symbol that continues a word

Pair = tuple[str, str]
Table = dict[str, list[str]]  # word -> its symbols


def count_words(text: str) -> dict[str, int]:
    """Counts the words of a text. Training needs nothing else: equal words are split alike."""
    return dict(Counter(text.split()))


def split(word: str) -> list[str]:
    """Splits a word into characters, the symbols that training begins with."""
    return [word[0], *(PREFIX + character for character in word[1:])]


def join(pair: Pair) -> str:
    """Returns the symbol that a pair becomes: `##g` and `##s` give `##gs`."""
    return pair[0] + pair[1].removeprefix(PREFIX)


def count(table: Table, counts: dict[str, int]) -> tuple[dict[str, int], dict[Pair, int]]:
    """Counts the symbols and the adjacent pairs of a table, both in order of first occurrence."""
    symbols: Counter[str] = Counter()
    pairs: Counter[Pair] = Counter()
    for word, parts in table.items():
        for symbol in parts:
            symbols[symbol] += counts[word]
        for pair in pairwise(parts):
            pairs[pair] += counts[word]
    return dict(symbols), dict(pairs)


def score(pair: int, left: int, right: int) -> Fraction:
    """Returns the score of a pair from three counts: its own, and those of its two symbols.

    A pair scores high if its symbols rarely occur without each other. A pair that occurs once, of
    symbols that occur once, has the best score of all: on real text, rare strings come first.
    """
    return Fraction(pair, left * right)


def merge(symbols: list[str], pair: Pair) -> list[str]:
    """Joins each occurrence of a pair, from left to right."""
    merged: list[str] = []
    i = 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == pair:
            merged.append(join(pair))
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged


def learn(counts: dict[str, int]) -> Iterator[tuple[Pair, Fraction, Table]]:
    """Yields each merge until no pair is left: the pair, its score, and the table after it."""
    table = {word: split(word) for word in counts}
    known = {UNKNOWN, *count(table, counts)[0]}
    while True:
        symbols, pairs = count(table, counts)
        scores = {  # a text may spell `[UNK]` or `##`: no merge makes what is an entry already
            pair: score(n, symbols[pair[0]], symbols[pair[1]])
            for pair, n in pairs.items()
            if join(pair) not in known
        }
        if not scores:
            return
        best = max(scores, key=lambda pair: scores[pair])  # of ties, the one that occurs first
        table = {word: merge(parts, best) for word, parts in table.items()}
        known.add(join(best))
        yield best, scores[best], table


def train(counts: dict[str, int], size: int) -> list[str]:
    """Learns a vocabulary of at most `size` entries, whose indices are their ids."""
    alphabet, _ = count({word: split(word) for word in counts}, counts)
    vocabulary = [UNKNOWN, *alphabet]
    for pair, _, _ in learn(counts):
        if len(vocabulary) >= size:
            break
        vocabulary.append(join(pair))
    return vocabulary


def tokenize(word: str, vocabulary: Iterable[str]) -> list[str]:
    """Splits a word by longest match: the longest entry that is a prefix, then the same for the rest."""
    entries = set(vocabulary)
    tokens: list[str] = []
    start = 0
    while start < len(word):
        prefix = PREFIX if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if prefix + word[start:end] in entries), None)
        if end is None:
            return [UNKNOWN]
        tokens.append(prefix + word[start:end])
        start = end
    return tokens


def encode(text: str, vocabulary: list[str]) -> list[int]:
    """Returns the ids of a text."""
    return [vocabulary.index(t) for word in text.split() for t in tokenize(word, vocabulary)]


def decode(ids: Iterable[int], vocabulary: list[str]) -> str:
    """Returns the text of ids: a space before each token that does not continue a word."""
    return " ".join(vocabulary[i] for i in ids).replace(" " + PREFIX, "")


if __name__ == "__main__":  # print a training step by step, and words that do not occur in it
    counts = count_words("hug " * 10 + "pug " * 5 + "pun " * 12 + "bun " * 4 + "hugs " * 5)
    print("words:", counts)
    print("start:", " | ".join(" ".join(split(word)) for word in counts))
    for pair, value, table in learn(counts):
        print(f"{' '.join(pair):12} scores {value!s:5}:", end=" ")
        print(" | ".join(" ".join(symbols) for symbols in table.values()))
    vocabulary = train(counts, size=11)
    print("vocabulary of 11:", " ".join(vocabulary))
    ids = encode("hugs bugs bum", vocabulary)
    print("hugs bugs bum ->", " ".join(vocabulary[i] for i in ids), "->", ids)
    print(ids, "->", decode(ids, vocabulary))
