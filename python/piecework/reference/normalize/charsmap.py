r"""The normalization rules of a SentencePiece model: `Precompiled` in a tokenizer.json.

The file holds a little-endian 32-bit length, a trie of that many bytes, and then all replacements
as UTF-8, each terminated by NUL. The trie is a double array over UTF-8 bytes: 32-bit units, of
which

    bits 0-7    the byte that leads here (with bit 31: this unit is a value, not a node)
    bit 8       the node has a value, at the unit's own offset
    bit 9       the offset counts in steps of 256
    bits 10-30  the offset

From a node at `i` with the offset `o`, the byte `b` leads to `i ^ o ^ b`. A value is the byte
position of a replacement among all of them.

Text is normalized by grapheme clusters. A cluster of fewer than six bytes is looked up whole; any
other cluster, and each that is not found, character by character. A look-up follows the trie and
takes the *first* value, that of the shortest entry that is a prefix of the text: of `\r\n`, the
table's entry for `\r` replaces both. The library does this.
"""

import base64
import struct
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

Change = tuple[str, int]


@dataclass(frozen=True)
class CharsMap:
    """Holds the normalization rules of a SentencePiece model.

    Args:
        units: The double array.
        replacements: All replacements as UTF-8, each terminated by NUL.

    >>> table = CharsMap.from_pairs({"ﬁ": "fi", "x": ""})
    >>> table.lookup("ﬁ"), table.lookup("x"), table.lookup("y")
    ('fi', '', None)
    >>> table.changes("aﬁxb")
    [('a', 0), ('f', 0), ('i', 0), ('b', 0)]
    """

    units: tuple[int, ...]
    replacements: bytes

    @classmethod
    def from_base64(cls, written: str) -> "CharsMap":
        r"""Reads the base64 form of a tokenizer.json.

        Raises:
            ValueError: the table is truncated or is not base64.

        >>> CharsMap.from_base64("BAAAAAAAAABhAA==")
        CharsMap(units=(0,), replacements=b'a\x00')
        """
        data = base64.b64decode(written, validate=True)
        if len(data) < 4:
            raise ValueError(f"precompiled_charsmap has {len(data)} bytes; expected at least 4")
        (size,) = struct.unpack_from("<I", data)
        if len(data) < 4 + size:
            raise ValueError(
                f"precompiled_charsmap has {len(data)} bytes; expected at least {4 + size}"
            )
        units = struct.unpack_from(f"<{size // 4}I", data, 4)
        return cls(units, data[4 + size // 4 * 4 :])

    @classmethod
    def from_pairs(cls, pairs: dict[str, str]) -> "CharsMap":
        """Builds a table from pairs, for tests and to show the layout of the double array.

        Each node gets a block of 256 units of its own, so that no two can collide.

        >>> CharsMap.from_pairs({"é": "e"}).lookup("é")
        'e'
        """
        children: dict[bytes, set[int]] = {b"": set()}
        values: dict[bytes, int] = {}
        replacements = b""
        for source, target in pairs.items():
            key = source.encode()
            for i, byte in enumerate(key):
                children.setdefault(key[:i], set()).add(byte)
            children.setdefault(key, set())
            values[key] = len(replacements)
            replacements += target.encode() + b"\0"
        block = {key: 256 * (i + 1) for i, key in enumerate(children)}
        units = [0] * (256 * (len(block) + 1))
        nodes = {b"": 0}
        for key in sorted(children, key=len):
            own = units[nodes[key]] & 0xFF
            offset = nodes[key] ^ block[key]
            units[nodes[key]] = own | (key in values) << 8 | _encode_offset(offset)
            if key in values:
                units[block[key]] = values[key] | 1 << 31
            for byte in children[key]:
                nodes[key + bytes([byte])] = block[key] ^ byte
                units[block[key] ^ byte] = byte
        return cls(tuple(units), replacements)

    def lookup(self, text: str) -> str | None:
        """Returns the replacement of the shortest entry that is a prefix of a text.

        Returns:
            The replacement, or None if no entry matches. Cost: linear in the entry's bytes.

        >>> CharsMap.from_pairs({"a": "1", "ab": "2"}).lookup("ab")
        '1'
        """
        return next((found for _, found in self._entries(text)), None)

    def longest_match(self, text: str) -> tuple[int, str] | None:
        """Returns the longest entry that is a prefix of a text, as SentencePiece applies it.

        Returns:
            The number of characters that it replaces, and the replacement; None if no entry
            matches.

        >>> CharsMap.from_pairs({"a": "1", "ab": "2"}).longest_match("abc")
        (2, '2')
        """
        encoded, longest = text.encode("utf-8"), None
        for size, found in self._entries(text):
            longest = len(encoded[:size].decode("utf-8")), found
        return longest

    def _entries(self, text: str) -> Iterator[tuple[int, str]]:
        """Yields the entries that are prefixes of a text, shortest first: bytes and replacement."""
        node = _decode_offset(self.units[0])
        for index, byte in enumerate(text.encode("utf-8")):
            node ^= byte
            if byte == 0 or node >= len(self.units) or self.units[node] & 0x800000FF != byte:
                return
            unit = self.units[node]
            node ^= _decode_offset(unit)
            if unit >> 8 & 1:
                start = self.units[node] & 0x7FFFFFFF
                end = self.replacements.find(b"\0", start)
                found = self.replacements[start:] if end < 0 else self.replacements[start:end]
                yield index + 1, found.decode("utf-8")

    def changes(self, text: str) -> list[Change] | None:
        """Returns the normalization of a text as changes (see `alignment.transform`).

        The last characters of a replacement longer than its source are inserted; the last character
        of a shorter one removes the rest. With an empty replacement the character *before* it
        removes the source, even if it was inserted; at the start of the text there is none, and
        later spans are shifted.

        Returns:
            The changes, or None if no entry matches.

        >>> CharsMap.from_pairs({"x": ""}).changes("axb")
        [('a', -1), ('b', 0)]
        """
        changes: list[Change] = []
        modified = False
        for cluster in split_graphemes(text):
            short = len(cluster.encode("utf-8")) < 6
            whole = self.lookup(cluster) if short else None
            for part in [cluster] if whole is not None else cluster:
                found = self.lookup(part)
                if found is None:
                    changes.append((part, 0))
                else:
                    modified = True
                    _append_replacement(changes, len(part), found)
        return changes if modified else None


def _decode_offset(unit: int) -> int:
    return unit >> 10 << ((unit & 1 << 9) >> 6)


def _encode_offset(offset: int) -> int:
    return offset >> 8 << 10 | 1 << 9 if offset % 256 == 0 else offset << 10


def _append_replacement(changes: list[Change], replaced: int, new: str) -> None:
    longer = len(new) - replaced
    changes += [(c, int(i >= len(new) - longer)) for i, c in enumerate(new)]
    if longer < 0 and changes:
        changes[-1] = changes[-1][0], changes[-1][1] + longer


_JOINERS = "\u200c\u200d\uff9e\uff9f"
_PREPENDED = frozenset([*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xD4E])
# Thai and Lao vowels: letters that extend the cluster of the letter before.
_SPACING = "\u0e33\u0eb3"
# Spacing marks of Myanmar and others that do not extend a cluster.
_NOT_EXTENDING = frozenset(
    chr(int(code, 16))
    for code in (
        "102b 102c 1038 1062 1063 1064 1067 1068 1069 106a 106b 106c 106d 1083 1087"
        " 1088 1089 108a 108b 108c 108f 109a 109b 109c 1a61 1a63 1a64 aa7b aa7d"
    ).split()
)


def split_graphemes(text: str) -> list[str]:
    r"""Splits a text into grapheme clusters, exact for clusters of fewer than six bytes.

    A mark or joiner stays with the character before it, a number sign of Arabic with the one after
    it; a control character is alone, except in `\r\n`. Sequences that only form clusters of six
    bytes and more (Hangul, flags, emoji, conjuncts) stay apart, since the longer cluster would be
    looked up character by character anyway. Marks are those of the running Python. Source: UAX #29.
    Cost: linear.

    >>> [len(cluster) for cluster in split_graphemes("e\u0301\r\na")]
    [2, 2, 1]
    """
    clusters: list[str] = []
    for c in text:
        last = clusters[-1][-1] if clusters else ""
        if last and _extends_cluster(last, c):
            clusters[-1] += c
        else:
            clusters.append(c)
    return clusters


def _extends_cluster(last: str, c: str) -> bool:
    if last == "\r":
        return c == "\n"
    if _is_control(last) or _is_control(c):
        return False
    mark = unicodedata.category(c)[0] == "M" and c not in _NOT_EXTENDING
    return mark or c in _JOINERS or c in _SPACING or ord(last) in _PREPENDED


def _is_control(c: str) -> bool:
    if c in _JOINERS or ord(c) in _PREPENDED:
        return False
    return unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")
