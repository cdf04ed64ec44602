"""Unigram: train, encode and decode, without settings.

    seeds   start with all characters, and strings that occur twice: ug hug pun un hugs ...
    EM      count each piece over all ways to split the words; the shares of counts are the next
            probabilities
    prune   remove the pieces whose removal costs the least likelihood, and repeat

Encoding takes the segmentation whose pieces have the greatest product of probabilities.

Source: Kudo 2018, "Subword Regularization"; the prior and the schedule are those of SentencePiece.
The full reference gives an equal vocabulary with `UnigramTrainer(size, special_tokens=["<unk>"],
character_coverage=1, max_piece_length=1000, split_by_unicode_script=False, split_by_number=False)`.
"""

from collections import ChainMap, Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, pairwise
from math import exp, inf, log

UNKNOWN = "<unk>"  # the token of characters that did not occur in training; its id is 0
SPACE = "▁"  # the space before a word
Pieces = dict[str, float]


def count_words(text: str) -> dict[str, int]:
    """Counts the words of a text, each with the space before it."""
    return dict(Counter(SPACE + word for word in text.split()))


def spans(word: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each substring of a word, by start and then by end."""
    return combinations(range(len(word) + 1), 2)


def seed_pieces(counts: dict[str, int]) -> Pieces:
    """Returns the first pieces, without those that occur only within one longer string."""
    found: Counter[str] = Counter()
    for word, n in counts.items():
        for start, end in spans(word):
            found[word[start:end]] += n
    inner = {part for text in found for part in (text[1:], text[:-1]) if found[part] == found[text]}
    kept = [t for t in found if len(t) == 1 or (found[t] >= 2 and t not in inner)]
    covered = sum(found[text] * len(text) for text in kept)
    return {text: found[text] * len(text) / covered for text in kept}


def sums(word: str, pieces: Mapping[str, float]) -> list[float]:
    """Returns the probability of each prefix of a word, summed over all ways to split it."""
    total = [1.0] + [0.0] * len(word)
    for start, end in spans(word):
        total[end] += total[start] * pieces.get(word[start:end], 0.0)
    return total


def expect(counts: dict[str, int], pieces: Pieces) -> Pieces:
    """Returns the expected count of each piece (the E step), by the forward-backward algorithm."""
    expected: dict[str, float] = defaultdict(float)
    for word, n in counts.items():
        total, arriving = sums(word, pieces), [0.0] * len(word) + [float(n)]
        for start, end in reversed(list(spans(word))):  # share what arrives at each end
            share = total[start] * pieces.get(word[start:end], 0.0) * (arriving[end] / total[end])
            arriving[start] += share
            expected[word[start:end]] += share
    return {piece: round(expected[piece], 9) for piece in pieces}  # equal ones become equal


def exp_digamma(x: float) -> float:
    """Returns exp(digamma(x)): nearly x - 1/2 if x is large, and much less if x is small."""
    if x < 8:  # the series is precise for large numbers
        return exp_digamma(x + 1) * exp(-1 / x)
    z = (x - 0.5) ** -2
    return (x - 0.5) * (1 + z * (1 / 24 + z * (-37 / 5760 + z * 10313 / 2903040)))


def maximize(expected: Pieces, weight: Callable[[float], float]) -> Pieces:
    """Returns the next probabilities (the M step). With `exp_digamma`, rare pieces get less."""
    counts = {piece: max(n, 0.5) for piece, n in expected.items()}
    whole = weight(sum(counts.values()))
    return {piece: weight(n) / whole for piece, n in counts.items()}


def losses(pieces: Pieces, expected: Pieces) -> Pieces:
    """Returns the log-likelihood lost if a piece is split into others, for all but characters."""
    return {
        piece: expected[piece] * log(p / sums(piece, ChainMap({piece: 0.0}, pieces))[-1])
        for piece, p in pieces.items()
        if len(piece) > 1
    }


def without(pieces: Pieces, values: Pieces, number: int) -> Pieces:
    """Returns the pieces without those of least value; of equal ones, the first by text stay."""
    removed = set(sorted(values, key=lambda p: (-values[p], p), reverse=True)[: max(0, number)])
    return {piece: pieces[piece] for piece in pieces if piece not in removed}


def learn(counts: dict[str, int], size: int) -> Iterator[Pieces]:
    """Yields the pieces with their probabilities: the seeds, and after each round."""
    yield (pieces := seed_pieces(counts))
    is_small = False
    while not is_small:
        expected = expect(counts, pieces)
        rare = {piece: n for piece, n in expected.items() if n < 0.5 and len(piece) > 1}
        expected = without(expected, rare, len(pieces) - size)
        pieces = maximize(expected, exp_digamma)
        is_small = len(pieces) <= size * 11 // 10
        keep = size if is_small else max(size * 11 // 10, len(pieces) * 3 // 4)
        yield (pieces := without(pieces, losses(pieces, expected), len(pieces) - keep))
    for _ in range(2):
        yield (pieces := maximize(expect(counts, pieces), float))


def train(counts: dict[str, int], size: int) -> Pieces:
    """Returns a vocabulary of `size` entries: each piece with the logarithm of its probability."""
    *_, pieces = learn(counts, size - 1)
    ranked = sorted(pieces, key=lambda piece: (-pieces[piece], piece))
    return {UNKNOWN: 0.0} | {piece: log(pieces[piece]) for piece in ranked}


def tokenize(word: str, vocabulary: Pieces) -> list[str]:
    """Splits a word into the pieces with the greatest sum of scores (Viterbi's algorithm)."""
    unknown = min(vocabulary.values()) - 10  # the score of a character that is no piece
    best = [(0.0, 0)] + [(-inf, 0)] * len(word)  # of each prefix: score, start of its last piece
    for start, end in spans(word):
        score = vocabulary.get(word[start:end], unknown if end == start + 1 else -inf)
        if best[start][0] + score > best[end][0]:  # of equal ones, the longer last piece stays
            best[end] = best[start][0] + score, start
    bounds = [len(word)]
    while bounds[-1]:
        bounds.append(best[bounds[-1]][1])
    return [word[start:end] for start, end in pairwise(bounds[::-1])]


def encode(text: str, vocabulary: Pieces) -> list[int]:
    """Returns the ids of a text. A token that is no piece is an unknown character."""
    ids = {piece: i for i, piece in enumerate(vocabulary)}
    return [ids.get(t, 0) for word in text.split() for t in tokenize(SPACE + word, vocabulary)]


def decode(ids: Iterable[int], vocabulary: Pieces) -> str:
    """Returns the text of ids: the pieces joined, with spaces where `▁` stands for them."""
    return "".join(list(vocabulary)[i] for i in ids).replace(SPACE, " ").lstrip()


if __name__ == "__main__":  # print a training round by round, and a word that does not occur in it
    counts = count_words("hug " * 10 + "pug " * 5 + "pun " * 12 + "bun " * 4 + "hugs " * 5)
    for pieces in learn(counts, size=11):
        print(len(pieces), "pieces:", " ".join(f"{p} {pieces[p]:.3f}" for p in sorted(pieces)))
    ids = encode("bugs", vocabulary := train(counts, size=12))
    print("bugs ->", tokenize(SPACE + "bugs", vocabulary), "->", ids, "->", decode(ids, vocabulary))
