"""What a training of Unigram begins with: stretches of text, and the strings that may become pieces.

    hug 10, pug 5, pun 12, bun 4, hugs 5

    hug   15, in 3 characters   45        ug    20, in 2 characters   40
    pun   12, in 3 characters   36        hu    15: no seed, since `hug` stands wherever it does

Rules with numbers, such as U12, are those of `spec/unigram.md`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from piecework.reference.settings import UnigramTrainer
from piecework.reference.unicode import script

SPACE = "▁"
DIGITS = frozenset("0123456789０１２３４５６７８９")
SCRIPTLESS = frozenset([script(" "), script("\u0301")])
LARGEST_WEIGHT = 2**64 - 1

Texts = Mapping[str, int]


# The text to learn from


class Corpus(NamedTuple):
    """Gives what is learned from.

    Args:
        stretches: Text -> count; each is made of characters of the alphabet.
        alphabet: Character -> weight.
    """

    stretches: Texts
    alphabet: Texts


def corpus(words: Texts, trainer: UnigramTrainer) -> Corpus:
    """Cuts words into stretches (U6 to U9).

    Args:
        words: word -> count; normalized and pre-tokenized.
        trainer: The settings.

    Returns:
        The stretches and the alphabet. Cost: linear, and a sort of the alphabet.

    Raises:
        ValueError: nothing is left.
        OverflowError: the characters are more than 64 bits can count.

    >>> corpus({"▁ab": 2, "▁a": 3}, UnigramTrainer(9, required_chars="z"))
    Corpus(stretches={'▁ab': 2, '▁a': 3}, alphabet={'z': 0, 'a': 5, '▁': 5, 'b': 2})
    """
    least = max(1, trainer.min_word_frequency)
    parts: Texts = {word: count for word, count in words.items() if count >= least}
    parts = _cut(parts, lambda word: between(word, trainer.user_defined_symbols))
    alphabet = _alphabet(parts, trainer)
    parts = _cut(parts, lambda part: _inside(part, alphabet))
    if trainer.split_by_whitespace:
        parts = _cut(parts, lambda part: _at_spaces(part, trainer))
    if not parts:
        raise ValueError("nothing to learn from: there are no words, or none has a character")
    if sum(len(part) * count for part, count in parts.items()) > LARGEST_WEIGHT:
        raise OverflowError("the characters of the words do not fit 64 bits")
    return Corpus(parts, alphabet)


def _cut(texts: Texts, cut: Callable[[str], Iterable[str]]) -> Texts:
    parts: Counter[str] = Counter()
    for text, count in texts.items():
        for part in cut(text):
            parts[part] += count
    return dict(parts)


def between(word: str, symbols: Sequence[str]) -> Iterator[str]:
    """Gives what is left of a word where symbols are taken out, leftmost, and the longest first.

    >>> list(between("abcxab", ["ab", "abc"]))
    ['x']
    """
    longest_first = sorted(symbols, key=len, reverse=True)
    start = place = 0
    while place < len(word):
        found = next((s for s in longest_first if word.startswith(s, place)), None)
        if found and start < place:
            yield word[start:place]
        place += len(found) if found else 1
        start = place if found else start
    if start < len(word):
        yield word[start:]


def _alphabet(parts: Texts, trainer: UnigramTrainer) -> dict[str, int]:
    weights: Counter[str] = Counter()
    for part, count in parts.items():
        for character in part:
            weights[character] += count
    barred = set(trainer.reserved)
    everything = sum(weights.values())
    alphabet = {c: weights[c] for c in trainer.required_chars if c not in barred}
    kept = sum(alphabet.values())
    for character in sorted(weights.keys() - alphabet, key=lambda c: (-weights[c], c)):
        if float(kept) / float(everything) >= trainer.character_coverage:
            break
        kept += weights[character]
        if character not in barred:
            alphabet[character] = weights[character]
    return alphabet


def _inside(part: str, alphabet: Texts) -> Iterator[str]:
    for known, run in groupby(part, alphabet.__contains__):
        if known:
            yield "".join(run)


def _at_spaces(part: str, trainer: UnigramTrainer) -> Iterator[str]:
    places = [
        place
        for place, (last, following) in enumerate(pairwise(part), 1)
        if (last if trainer.treat_whitespace_as_suffix else following) == SPACE
        and not (trainer.allow_whitespace_only_pieces and last == following)
    ]
    return (part[start:end] for start, end in pairwise([0, *places, len(part)]))


# The strings to begin with


def is_allowed(text: str, trainer: UnigramTrainer) -> bool:
    """Says whether a string of two or more characters may be a piece, reserved entries apart (U10).

    >>> [is_allowed(text, UnigramTrainer(9)) for text in ("▁a", "a▁", "aб", "a1", "19", "かカ中")]
    [True, False, False, False, True, True]
    """
    if len(text) > trainer.max_piece_length:
        return False
    if trainer.split_digits and not DIGITS.isdisjoint(text):
        return False
    return _spaces_fit(text, trainer) and _scripts_fit(text, trainer)


def _spaces_fit(text: str, trainer: UnigramTrainer) -> bool:
    if trainer.allow_whitespace_only_pieces and set(text) == {SPACE}:
        return True
    if trainer.treat_whitespace_as_suffix:
        text = text[::-1]
    return SPACE not in text[1:] if trainer.split_by_whitespace else not text.endswith(SPACE)


def _scripts_fit(text: str, trainer: UnigramTrainer) -> bool:
    if not trainer.split_by_unicode_script:
        return True
    plain = {SPACE} if trainer.split_by_number else DIGITS | {SPACE}
    scripts = {script(character) for character in text if character not in plain}
    return len(scripts - SCRIPTLESS) <= 1


def seed_pieces(table: Corpus, trainer: UnigramTrainer) -> dict[str, int]:
    """Gives the pieces to begin with (U11 to U13).

    Args:
        table: What is learned from.
        trainer: The settings.

    Returns:
        Piece -> value: characters first, then by falling value; of equal values the lower UTF-8 bytes.
        Cost: all strings that stand in a stretch and may be pieces.

    >>> seed_pieces(corpus({"hug": 10, "hugs": 5}, UnigramTrainer(9)), UnigramTrainer(9))
    {'g': 15, 'h': 15, 'u': 15, 's': 5, 'hug': 45, 'hugs': 20}
    """
    weights = _weights(table.stretches, trainer)
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


def _weights(stretches: Texts, trainer: UnigramTrainer) -> Counter[str]:
    reserved = set(trainer.reserved)
    weights: Counter[str] = Counter()
    for text, count in stretches.items():
        for start in range(len(text)):
            reach = min(start + trainer.max_piece_length, len(text))
            for end in range(start + 2, reach + 1):
                if text[start:end] not in reserved and is_allowed(text[start:end], trainer):
                    weights[text[start:end]] += count
    return weights
