"""Cutting words at the tokens that encoding always matches, so that nothing is learned across them.

    <a>user 5, user 1, with the symbol <a>          <a> 5, user 6

The rules are those of P70 in `spec/pipeline.md`.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from piecework.reference.text.bytes import BYTE_OF_CHARACTER


def cut_words(
    words: Mapping[str, int],
    special: Collection[str],
    symbols: Collection[str] = (),
    *,
    in_bytes: bool = False,
) -> dict[str, int]:
    """Returns the words cut at tokens, in order of first occurrence.

    Args:
        words: word -> count; a word that occurs 0 times is left out.
        special: Tokens whose occurrences are left out.
        symbols: Tokens whose occurrences are words of their own.
        in_bytes: Whether words are written in byte characters. A word that equals a token is that
            token in any case.

    Returns:
        word -> count. Tie rule: leftmost, then longest. Cost: linear in the words for each token.

    Raises:
        OverflowError: a count does not fit 64 bits.

    >>> cut_words({"<a>user": 5, "user": 1, "[S]": 2}, ["[S]"], ["<a>"])
    {'<a>': 5, 'user': 6}
    """
    tokens = dict.fromkeys([*special, *symbols])
    spellings = {_in_bytes(token) if in_bytes else token: token for token in tokens}
    parts: Counter[str] = Counter()
    for word, count in words.items():
        if count == 0:
            continue
        for part in [word] if word in tokens else _parts(word, spellings):
            if part not in special:
                parts[part] += count
                if parts[part] >= 2**64:
                    raise OverflowError(f"the count of {part!r} does not fit 64 bits")
    return dict(parts)


def _in_bytes(token: str) -> str:
    character_of_byte = {byte: character for character, byte in BYTE_OF_CHARACTER.items()}
    return "".join(character_of_byte[byte] for byte in token.encode())


def _parts(word: str, spellings: Mapping[str, str]) -> Iterator[str]:
    """Yields the parts of a word between tokens, and the tokens."""
    longest_first = sorted(spellings, key=len, reverse=True)
    start = at = 0
    while at < len(word):
        found = next((s for s in longest_first if s and word.startswith(s, at)), None)
        if found is None:
            at += 1
            continue
        if start < at:
            yield word[start:at]
        yield spellings[found]
        start = at = at + len(found)
    if start < len(word) or not word:
        yield word[start:]
