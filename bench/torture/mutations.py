"""Changes bytes at random: as a disk or a network damages them, and as somebody who knows the format does."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    Mutation = Callable[[bytes, Random], bytes]

LARGEST = 1 << 21
"""The most bytes of a changed file."""
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
HUGE = (
    *("-1", "0", "255", "65536", "2147483647", "2147483648", "4294967295", "4294967296"),
    *("9007199254740993", "9223372036854775807", "18446744073709551615", "18446744073709551616"),
    *("1e308", "1e999", "-1e999", "0.5", "NaN", "1" + "0" * 400, "1000000000", "-2147483649"),
)
"""Numbers that do not fit where small ones do."""
WORDS = (
    *(b"{", b"}", b"[", b"]", b'"', b",", b":", b"[" * 3000, b'{"a":' * 3000, b"(" * 300, b"\\"),
    *(b"null", b"true", b"{}", b"[]", b'""', b"\\ud800", b"\\u0000", b"\\", b"\0", b"\n", b"\r\n"),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xe2\x96\x81"),
    *(b" ", b"  ", b"\t", b"#version: 0.2\n", b"</w>", b"##", b"@@", b"<unk>", b"[UNK]", b"<0x00>"),
    *(b"a" * 5000, b"(a+)+$", b"(?=x)", b"\\p{L}", b"(?<n>x)\\k<n>", b"x{1000000}", b"[^\\s]"),
    *(b"\xff" * 9 + b"\x01", b"\x80\x80\x80\x80\x10", b"\x0a\xff\xff\xff\xff\x0f"),
    *(b"Sequence", b"BPE", b"Unigram", b"WordPiece", b"WordLevel", b"Replace", b"Precompiled"),
    *(b"ByteLevel", b"Metaspace", b"Split", b"Regex", b"String", b"piecework.Function"),
    *(b"{% for x in range(999999999) %}", b"{{ ''.__class__ }}", b"{{ x * 99999999 }}", b"{%"),
)
"""What means something in one of the formats."""


def mutated(data: bytes, choice: Random) -> bytes:
    """Returns bytes with one to five changes."""
    for _ in range(choice.choice((1, 1, 1, 2, 3, 5))):
        change = choice.choice(MUTATIONS + (STRUCTURE if data[:1] in {b"{", b"["} else ()))
        data = change(data, choice)[:LARGEST]
    return data


def _span(data: bytes, choice: Random) -> tuple[int, int]:
    """Returns the start and end of a part of bytes, mostly a short one."""
    start = choice.randrange(len(data) + 1)
    longest = choice.choice((1, 4, 16, 256, 4096, len(data)))
    return start, min(len(data), start + choice.randint(1, max(1, longest)))


def _flip(data: bytes, choice: Random) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(choice.choice((1, 1, 2, 8))):
        changed[choice.randrange(len(changed))] ^= 1 << choice.randrange(8)
    return bytes(changed)


def _replace_byte(data: bytes, choice: Random) -> bytes:
    place = choice.randrange(len(data) + 1)
    return data[:place] + choice.randbytes(1) + data[place + 1 :]


def _cut_end(data: bytes, choice: Random) -> bytes:
    return data[: choice.randrange(len(data) + 1)]


def _cut(data: bytes, choice: Random) -> bytes:
    start, end = _span(data, choice)
    return data[:start] + data[end:]


def _repeat(data: bytes, choice: Random) -> bytes:
    start, end = _span(data, choice)
    times = min(choice.choice((1, 2, 100, 100_000)), 1 + LARGEST // 4 // max(1, end - start))
    return data[:start] + data[start:end] * times + data[start:]


def _swap(data: bytes, choice: Random) -> bytes:
    (start, end), (low, high) = sorted((_span(data, choice), _span(data, choice)))
    if end > low:
        return data
    return data[:start] + data[low:high] + data[end:low] + data[start:end] + data[high:]


def _insert(data: bytes, choice: Random) -> bytes:
    place, word = choice.randrange(len(data) + 1), choice.choice(WORDS)
    return data[:place] + word + data[place + choice.choice((0, len(word))) :]


def _number(data: bytes, choice: Random) -> bytes:
    found = [*NUMBER.finditer(data)]
    if not found:
        return data
    number = choice.choice(found)
    return data[: number.start()] + choice.choice(HUGE).encode() + data[number.end() :]


def _lines(data: bytes, choice: Random) -> bytes:
    lines = data.split(b"\n")
    one, other = choice.randrange(len(lines)), choice.randrange(len(lines))
    if choice.random() < 0.5:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines[one] = lines[other]
    return b"\n".join(lines)


def _structure(data: bytes, choice: Random) -> bytes:
    """Changes a value of JSON to another one of the same file, or to one of another type."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return data
    places = [*_places(tree)]
    if not places:
        return data
    # The entries of a vocabulary would be nearly all of the places.
    few = [place for place in places if len(place[0]) < 30] or places
    holder, key = choice.choice(few if choice.random() < 0.8 else places)
    _change(holder, key, choice.choice(few), choice)
    try:
        return json.dumps(tree, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):  # a value that was put into itself
        return data


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Returns the places of all values in a tree: the objects or arrays that hold them, with their keys or indexes."""
    found, holders = [], [tree]
    while holders:
        holder = holders.pop()
        keys = holder if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                holders.append(holder[key])
    return found


def _change(holder: Any, key: Any, other: tuple[Any, Any], choice: Random) -> None:
    values = (None, True, 0, -1, 2**31, 2**32, 2**63, 2**64, 10**30, 0.5, 1e308, float("nan"))
    values += ("", "a", "\0", "\ud800", "a" * 5000, [], {}, [[]], [None], {"type": "Sequence"})
    how = choice.randrange(4)
    if how == 0:
        del holder[key]
    elif how == 1:
        holder[key] = json.loads(json.dumps(other[0][other[1]]))
    elif how == 2:
        holder[key] = choice.choice(values)
    elif isinstance(holder, list):
        holder.extend([holder[key]] * choice.choice((1, 100)))
    else:
        holder[choice.choice(("", "type", f"{key}x", "\0"))] = holder[key]


MUTATIONS: tuple[Mutation, ...] = (
    *(_flip, _replace_byte, _cut_end, _cut, _repeat, _swap, _insert, _insert, _number, _number),
    _lines,
)
STRUCTURE: tuple[Mutation, ...] = (_structure,) * len(MUTATIONS)
"""The changes of JSON, as likely as all others."""
