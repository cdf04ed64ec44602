"""The input of Unigram training: segments of text, and the seed pieces.

    hug 10, pug 5, pun 12, bun 4, hugs 5

    hug   15, in 3 characters   45        ug    20, in 2 characters   40
    pun   12, in 3 characters   36        hu    15: no seed, since it only occurs in `hug`

Rules with numbers, such as U12, are those of `spec/unigram.md`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from piecework.reference.learn.settings import UnigramTrainer
from piecework.reference.text.bytes import METASPACE
from piecework.reference.text.scripts import SHARED, script

DIGITS = frozenset("0123456789０１２３４５６７８９")
LARGEST_WEIGHT = 2**64 - 1

TextCounts = Mapping[str, int]


# The text to learn from


class TrainingCorpus(NamedTuple):
    """Holds the text that training learns from.

    Args:
        segments: Text -> count; all characters are in the alphabet.
        alphabet: Character -> weight.
    """

    segments: TextCounts
    alphabet: TextCounts


def build_corpus(
    words: TextCounts, trainer: UnigramTrainer, cut_at: Sequence[str] | None = None
) -> TrainingCorpus:
    """Splits words into segments (U6 to U9).

    Args:
        words: word -> count; normalized and pre-tokenized.
        trainer: The settings.
        cut_at: The tokens at which words are cut; None for those of the settings.

    Returns:
        The segments and the alphabet. Cost: linear, and a sort of the alphabet.

    Raises:
        ValueError: no segment is left.
        OverflowError: the number of characters exceeds 64 bits.

    >>> build_corpus({"▁ab": 2, "▁a": 3}, UnigramTrainer(9, required_chars="z"))
    TrainingCorpus(segments={'▁ab': 2, '▁a': 3}, alphabet={'z': 0, 'a': 5, '▁': 5, 'b': 2})
    """
    least = max(1, trainer.min_word_frequency)
    own = [*trainer.special_tokens, *trainer.user_defined_symbols]
    tokens = own if cut_at is None else cut_at
    parts = _split_texts(words, lambda word: split_at_symbols(word, tokens))
    parts = {part: count for part, count in parts.items() if count >= least}
    alphabet = _select_alphabet(parts, trainer)
    parts = _split_texts(parts, lambda part: _split_at_unknown(part, alphabet))
    if trainer.split_by_whitespace:
        parts = _split_texts(parts, lambda part: _split_at_metaspace(part, trainer))
    if not parts:
        raise ValueError("nothing to learn from: no word has a character")
    if sum(len(part) * count for part, count in parts.items()) > LARGEST_WEIGHT:
        raise OverflowError("the characters of the words do not fit 64 bits")
    return TrainingCorpus(parts, alphabet)


def _split_texts(texts: TextCounts, cut: Callable[[str], Iterable[str]]) -> TextCounts:
    parts: Counter[str] = Counter()
    for text, count in texts.items():
        for part in cut(text):
            parts[part] += count
    return dict(parts)


def split_at_symbols(word: str, symbols: Sequence[str]) -> Iterator[str]:
    """Yields the parts of a word between symbols, which are matched leftmost-longest.

    >>> list(split_at_symbols("abcxab", ["ab", "abc"]))
    ['x']
    """
    longest_first = sorted(symbols, key=len, reverse=True)
    start = at = 0
    while at < len(word):
        found = next((s for s in longest_first if word.startswith(s, at)), None)
        if found and start < at:
            yield word[start:at]
        at += len(found) if found else 1
        start = at if found else start
    if start < len(word):
        yield word[start:]


def _select_alphabet(parts: TextCounts, trainer: UnigramTrainer) -> dict[str, int]:
    weights: Counter[str] = Counter()
    for part, count in parts.items():
        for character in part:
            weights[character] += count
    reserved = set(trainer.reserved)
    everything = sum(weights.values())
    alphabet = {c: weights[c] for c in trainer.required_chars if c not in reserved}
    kept = sum(alphabet.values())
    for character in sorted(weights.keys() - alphabet, key=lambda c: (-weights[c], c)):
        if float(kept) / float(everything) >= trainer.character_coverage:
            break
        kept += weights[character]
        if character not in reserved:
            alphabet[character] = weights[character]
    return alphabet


def _split_at_unknown(part: str, alphabet: TextCounts) -> Iterator[str]:
    for known, run in groupby(part, alphabet.__contains__):
        if known:
            yield "".join(run)


def _split_at_metaspace(part: str, trainer: UnigramTrainer) -> Iterator[str]:
    bounds = [
        index
        for index, (last, following) in enumerate(pairwise(part), 1)
        if (last if trainer.treat_whitespace_as_suffix else following) == METASPACE
        and not (trainer.allow_whitespace_only_pieces and last == following)
    ]
    return (part[start:end] for start, end in pairwise([0, *bounds, len(part)]))


# Seed pieces


def is_allowed(text: str, trainer: UnigramTrainer) -> bool:
    """Returns whether a string of two or more characters may be a piece (U10).

    Reserved entries are checked elsewhere.

    >>> [is_allowed(text, UnigramTrainer(9)) for text in ("▁a", "a▁", "aб", "a1", "19", "かカ中")]
    [True, False, False, False, True, True]
    """
    if len(text) > trainer.max_piece_length:
        return False
    if trainer.split_digits and not DIGITS.isdisjoint(text):
        return False
    return _spaces_fit(text, trainer) and _scripts_fit(text, trainer)


def _spaces_fit(text: str, trainer: UnigramTrainer) -> bool:
    if trainer.allow_whitespace_only_pieces and set(text) == {METASPACE}:
        return True
    if trainer.treat_whitespace_as_suffix:
        text = text[::-1]
    return (
        METASPACE not in text[1:] if trainer.split_by_whitespace else not text.endswith(METASPACE)
    )


def _scripts_fit(text: str, trainer: UnigramTrainer) -> bool:
    if not trainer.split_by_unicode_script:
        return True
    plain = {METASPACE} if trainer.split_by_number else DIGITS | {METASPACE}
    scripts = {script(character) for character in text if character not in plain}
    return len(scripts - {SHARED}) <= 1


def select_seed_pieces(table: TrainingCorpus, trainer: UnigramTrainer) -> dict[str, int]:
    """Returns the seed pieces with their values (U11 to U13).

    Args:
        table: The text to learn from.
        trainer: The settings.

    Returns:
        Piece -> value: characters first, then by falling value. Tie rule: the lower UTF-8 bytes.
        Cost: all substrings of the segments that may be pieces.

    >>> trainer = UnigramTrainer(9)
    >>> select_seed_pieces(build_corpus({"hug": 10, "hugs": 5}, trainer), trainer)
    {'g': 15, 'h': 15, 'u': 15, 's': 5, 'hug': 45, 'hugs': 20}
    """
    weights = _weights(table.segments, trainer)
    least = max(2, trainer.min_frequency)
    within = {
        shorter
        for text, weight in weights.items()
        for shorter in (text[1:], text[:-1])
        if weights.get(shorter) == weight
    }
    values = {
        text: weight * len(text)
        for text, weight in weights.items()
        if weight >= least and text not in within
    }
    ranked = sorted(values, key=lambda text: (-values[text], text.encode()))
    return dict(table.alphabet) | {text: values[text] for text in ranked[: trainer.seed_size]}


def _weights(segments: TextCounts, trainer: UnigramTrainer) -> Counter[str]:
    reserved = set(trainer.reserved)
    weights: Counter[str] = Counter()
    for text, count in segments.items():
        for start in range(len(text)):
            last = min(start + trainer.max_piece_length, len(text))
            for end in range(start + 2, last + 1):
                if text[start:end] not in reserved and is_allowed(text[start:end], trainer):
                    weights[text[start:end]] += count
    return weights
