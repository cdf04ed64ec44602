r"""The rewriting table of a SentencePiece model: `Precompiled` in a tokenizer.json.

The file holds a little-endian 32-bit length, a trie of so many bytes, and then all replacements as
UTF-8, each ended by NUL. The trie is a double array over UTF-8 bytes: 32-bit units, of which

    bits 0-7    the byte that leads here (with bit 31: this unit is a value, not a node)
    bit 8       a value hangs below, at the unit's own offset
    bit 9       the offset counts in steps of 256
    bits 10-30  the offset

From a node at `i` with the offset `o`, the byte `b` leads to `i ^ o ^ b`. A value is the place of a
replacement among all of them.

The rewriting goes by grapheme clusters. A cluster of fewer than six bytes is looked up whole, any
other and each that was not found, character by character. Looking up follows the trie and takes the
*first* value on the way, that of the shortest entry that the text begins with: of `\r\n`, the
table's entry for `\r` replaces both. That is odd, and it is what the library does.
"""

import base64
import struct
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

Change = tuple[str, int]


@dataclass(frozen=True)
class CharsMap:
    """Gives a rewriting table.

    Args:
        units: The double array.
        replacements: All replacements, each ended by NUL.

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
        r"""Reads the form in which a tokenizer.json holds the table.

        Raises:
            ValueError: it is cut, or no base64.

        >>> CharsMap.from_base64("BAAAAAAAAABhAA==")
        CharsMap(units=(0,), replacements=b'a\x00')
        """
        data = base64.b64decode(written, validate=True)
        if len(data) < 4:
            raise ValueError("the table of replacements is cut")
        (size,) = struct.unpack_from("<I", data)
        if len(data) < 4 + size:
            raise ValueError("the table of replacements is cut")
        units = struct.unpack_from(f"<{size // 4}I", data, 4)
        return cls(units, data[4 + size // 4 * 4 :])

    @classmethod
    def from_pairs(cls, pairs: dict[str, str]) -> "CharsMap":
        """Builds a table: what tests need, and a way to see how the double array is laid out.

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
        place = {b"": 0}
        for key in sorted(children, key=len):
            own = units[place[key]] & 0xFF
            offset = place[key] ^ block[key]
            units[place[key]] = own | (key in values) << 8 | _written_offset(offset)
            if key in values:
                units[block[key]] = values[key] | 1 << 31
            for byte in children[key]:
                place[key + bytes([byte])] = block[key] ^ byte
                units[block[key] ^ byte] = byte
        return cls(tuple(units), replacements)

    def lookup(self, text: str) -> str | None:
        """Gives the replacement of the shortest entry that a text begins with.

        Returns:
            The replacement, or None where no entry is found.

        >>> CharsMap.from_pairs({"a": "1", "ab": "2"}).lookup("ab")
        '1'
        """
        return next((found for _, found in self._entries(text)), None)

    def longest(self, text: str) -> tuple[int, str] | None:
        """Gives the longest entry that a text begins with, which is what SentencePiece itself applies.

        Returns:
            How many characters it replaces, and by what; None where no entry is found.

        >>> CharsMap.from_pairs({"a": "1", "ab": "2"}).longest("abc")
        (2, '2')
        """
        encoded, longest = text.encode("utf-8"), None
        for size, found in self._entries(text):
            longest = len(encoded[:size].decode("utf-8")), found
        return longest

    def _entries(self, text: str) -> Iterator[tuple[int, str]]:
        """Gives the entries that a text begins with, short ones first: their bytes, and what replaces them."""
        node = _offset(self.units[0])
        for place, byte in enumerate(text.encode("utf-8")):
            node ^= byte
            if byte == 0 or node >= len(self.units) or self.units[node] & 0x800000FF != byte:
                return
            unit = self.units[node]
            node ^= _offset(unit)
            if unit >> 8 & 1:
                start = self.units[node] & 0x7FFFFFFF
                end = self.replacements.find(b"\0", start)
                found = self.replacements[start:] if end < 0 else self.replacements[start:end]
                yield place + 1, found.decode("utf-8")

    def changes(self, text: str) -> list[Change] | None:
        """Gives the rewriting of a text as changes (see `normalize.transform`).

        Of a replacement that is longer than what it replaces, the last characters are inserted; of
        a shorter one, the last character removes the rest. An empty replacement leaves that to the
        character *before* it, an inserted one included; before the first character there is none,
        and the spans of what follows lag behind.

        Returns:
            The changes, or None where nothing is found to replace.

        >>> CharsMap.from_pairs({"x": ""}).changes("axb")
        [('a', -1), ('b', 0)]
        """
        changes: list[Change] = []
        modified = False
        for cluster in graphemes(text):
            short = len(cluster.encode("utf-8")) < 6
            whole = self.lookup(cluster) if short else None
            for part in [cluster] if whole is not None else cluster:
                found = self.lookup(part)
                if found is None:
                    changes.append((part, 0))
                else:
                    modified = True
                    _add(changes, len(part), found)
        return changes if modified else None


def _offset(unit: int) -> int:
    return unit >> 10 << ((unit & 1 << 9) >> 6)


def _written_offset(offset: int) -> int:
    return offset >> 8 << 10 | 1 << 9 if offset % 256 == 0 else offset << 10


def _add(changes: list[Change], replaced: int, new: str) -> None:
    longer = len(new) - replaced
    changes += [(c, int(i >= len(new) - longer)) for i, c in enumerate(new)]
    if longer < 0 and changes:
        changes[-1] = changes[-1][0], changes[-1][1] + longer


_JOINERS = "\u200c\u200d\uff9e\uff9f"
_PREPENDED = frozenset([*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xD4E])
# Thai and Lao vowels that follow their letter though they are letters themselves.
_SPACING = "\u0e33\u0eb3"
# Spacing marks of Myanmar and others that Unicode does not count as parts of a cluster.
_APART = frozenset(
    chr(int(code, 16))
    for code in (
        "102b 102c 1038 1062 1063 1064 1067 1068 1069 106a 106b 106c 106d 1083 1087"
        " 1088 1089 108a 108b 108c 108f 109a 109b 109c 1a61 1a63 1a64 aa7b aa7d"
    ).split()
)


def graphemes(text: str) -> list[str]:
    r"""Cuts a text into grapheme clusters, as far as clusters of fewer than six bytes go.

    A mark or joiner stays with what stands before it, a number sign of Arabic with what follows;
    a control character is alone, but for `\r\n`. What only makes clusters of six bytes and more
    (Hangul, flags, emoji, conjuncts) is not joined here, as the longer cluster would be read
    character by character anyway. Marks are those of the Python that runs.

    >>> [len(cluster) for cluster in graphemes("e\u0301\r\na")]
    [2, 2, 1]
    """
    clusters: list[str] = []
    for c in text:
        last = clusters[-1][-1] if clusters else ""
        if last and _stays(last, c):
            clusters[-1] += c
        else:
            clusters.append(c)
    return clusters


def _stays(last: str, c: str) -> bool:
    if last == "\r":
        return c == "\n"
    if _is_control(last) or _is_control(c):
        return False
    mark = unicodedata.category(c)[0] == "M" and c not in _APART
    return mark or c in _JOINERS or c in _SPACING or ord(last) in _PREPENDED


def _is_control(c: str) -> bool:
    if c in _JOINERS or ord(c) in _PREPENDED:
        return False
    return unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")
