"""Writes crates/core/src/pretokenize/jieba/tables.bin: the dictionary and the model of jieba.

Run it with a Python that has jieba 0.42.1:

    python tools/jieba_tables.py            write the tables
    python tools/jieba_tables.py --check    exit with 1 if they are out of date

Numbers are LEB128 unless a width is given; numbers with a width are little-endian. In order:

* the sum of the dictionary's frequencies (jieba counts a duplicate line twice);
* the number of distinct frequencies, then these, the most common first;
* the number of nodes of the trie of the words, without the root; their labels, breadth first, 16 bits
  each: the character's code, and the highest bit where no sibling follows;
* for the root and each node: 2 * value + (1 if it has children), where value is 0 for no word
  and otherwise one more than the index of the word's frequency;
* the hidden Markov model as 64-bit floats: the four states' logarithms of starting, then for each
  state those of transitions from its two predecessors. States are in the order B E M S;
* its distinct logarithms of emission, like the frequencies above, 64 bits each; then for every Han
  character and each state 0, if there is none, or one more than its index.
"""

from __future__ import annotations

import argparse
import struct
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TARGET = Path(__file__).resolve().parents[1] / "crates/core/src/pretokenize/jieba/tables.bin"
VERSION = "0.42.1"

HAN = range(0x4E00, 0x9FD6)  # the Han characters of jieba
OTHERS = 0x400  # characters below have their own code point as code; Han characters follow
LAST_SIBLING = 1 << 15
STATES = "BEMS"
PREDECESSORS = {"B": "ES", "E": "BM", "M": "BM", "S": "ES"}

Trie = dict[str, Any]  # from a character to the child node


def jieba() -> Any:
    """Returns jieba with its dictionary loaded and its messages switched off."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba.finalseg
    if jieba.__version__ != VERSION:
        sys.exit(f"found jieba {jieba.__version__}, expected {VERSION}")
    jieba.setLogLevel(60)
    jieba.initialize()
    return jieba


def number(value: int) -> bytes:
    """Writes a number, seven bits per byte, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def numbers(values: Iterable[int]) -> bytes:
    """Writes numbers one after the other."""
    return b"".join(map(number, values))


def ranked(values: Iterable[Any]) -> list[Any]:
    """Returns the distinct values, the most common first."""
    counts = Counter(values)
    return sorted(counts, key=lambda value: (-counts[value], value))


def code(character: str) -> int:
    """Returns the 15-bit code of a character."""
    if ord(character) < OTHERS:
        return ord(character)
    return OTHERS + HAN.index(ord(character))


def trie_of(words: Iterable[str]) -> Trie:
    """Returns the trie of the words."""
    root: Trie = {}
    for word in words:
        node = root
        for character in word:
            node = node.setdefault(character, {})
    return root


def breadth_first(root: Trie) -> Iterator[tuple[str, bool, Trie]]:
    """Yields each node as its word, whether it is the last of its siblings, and its children."""
    level = [("", True, root)]
    while level:
        yield from level
        level = [
            (word + character, at == len(node), node[character])
            for word, _, node in level
            for at, character in enumerate(sorted(node, key=code), 1)
        ]


def dictionary(frequencies: dict[str, int], total: int) -> bytes:
    """Writes the words with their frequencies; 0 marks a string that is only a prefix of words."""
    words = {word: frequency for word, frequency in frequencies.items() if frequency}
    values = ranked(words.values())
    places = {value: place for place, value in enumerate(values, 1)}
    nodes = list(breadth_first(trie_of(words)))
    if {word for word, _, _ in nodes[1:]} != set(frequencies):
        sys.exit("the prefixes in jieba's dictionary are not exactly those of its words")
    labels = [code(word[-1]) | LAST_SIBLING * last for word, last, _ in nodes[1:]]
    kinds = [2 * places.get(words.get(word, 0), 0) + bool(node) for word, _, node in nodes]
    return b"".join(
        (
            number(total),
            number(len(values)),
            numbers(values),
            number(len(labels)),
            struct.pack(f"<{len(labels)}H", *labels),
            numbers(kinds),
        )
    )


def model(finalseg: Any) -> bytes:
    """Writes the hidden Markov model."""
    start = [finalseg.start_P[state] for state in STATES]
    steps = [finalseg.trans_P[before][state] for state in STATES for before in PREDECESSORS[state]]
    rows = [[finalseg.emit_P[state].get(chr(han)) for state in STATES] for han in HAN]
    values = ranked(value for row in rows for value in row if value is not None)
    places = {value: place for place, value in enumerate(values, 1)}
    return b"".join(
        (
            struct.pack("<12d", *start, *steps),
            number(len(values)),
            struct.pack(f"<{len(values)}d", *values),
            numbers(places.get(value, 0) for row in rows for value in row),
        )
    )


def main() -> None:
    """Writes or checks the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 on differences")
    arguments = parser.parse_args()
    module = jieba()
    tables = dictionary(module.dt.FREQ, module.dt.total) + model(module.finalseg)
    if not arguments.check:
        TARGET.write_bytes(tables)
    elif TARGET.read_bytes() != tables:
        sys.exit(f"{TARGET} is stale: run tools/jieba_tables.py")


if __name__ == "__main__":
    main()
