"""Charsmaps for the normalizer `Precompiled`: from shared models, and a small generated one."""

import base64
import struct
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

MODELS = (
    "t5-spiece.model",
    "llama2-tokenizer.model",
    "privately-corp-albert-30k-clean.model",
    "sentencepiece-test_model.model",
)
NAME_PREFIX = "@"  # prefix of the name that replaces a table in a document

SMALL = {
    "ﬁ": "fi",
    "Å": "Å",
    "e\u0301": "é",
    "a\u0301": "á",
    "ab": "X",
    "abab": "YY",
    "™": "TM",
    "\x1e": "",
    "\t": " ",
    "\u3000": " ",
    "１": "1",
    "中": "zhong",
    "\u1112\u1161": "하",
    "👍": "+1",
    "c": "",
    "lo": "low",
}


@cache
def names(data: Path | None) -> tuple[str, ...]:
    """Returns the names of the available tables."""
    found = (name for name in MODELS if data and _table_of(data / "vocabs" / name))
    return ("small", *found)


@cache
def table(name: str, data: Path | None) -> str:
    """Returns a table in base 64, as in a tokenizer.json."""
    raw = packed(SMALL) if name == "small" else _table_of((data or Path()) / "vocabs" / name)
    return base64.b64encode(raw).decode()


def _table_of(path: Path) -> bytes:
    """Returns the table of a SentencePiece model: field 2 of its normalizer, which is field 3 of the model."""
    if not path.is_file():
        return b""
    for number, spec in _fields(path.read_bytes()):
        if number == 3:
            return next((value for inner, value in _fields(spec) if inner == 2), b"")
    return b""


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Iterates over the length-delimited fields of a protobuf message."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 2:
            size, at = _varint(message, at)
            yield key >> 3, message[at : at + size]
            at += size
        elif kind == 0:
            _, at = _varint(message, at)
        else:
            at += 8 if kind == 1 else 4


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return value, at


def packed(mapping: Mapping[str, str]) -> bytes:
    """Packs replacements: the size of the trie, the trie, and NUL-terminated replacements."""
    texts, places = b"", {}
    for key, value in mapping.items():
        places[key.encode()] = len(texts)
        texts += value.encode() + b"\0"
    units = _double_array(places)
    return struct.pack("<I", 4 * len(units)) + struct.pack(f"<{len(units)}I", *units) + texts


def _double_array(places: Mapping[bytes, int]) -> list[int]:
    """Returns a trie as a double array: a child is at its parent's base XOR its byte."""
    taken = {0: 0}
    waiting = [(b"", 0)]
    while waiting:
        prefix, at = waiting.pop()
        children = sorted({key[len(prefix)] for key in places if _is_under(key, prefix)})
        base = next(
            b for b in range(1, 1 << 20) if not taken.keys() & {b, *(b ^ c for c in children)}
        )
        leaf = prefix in places
        taken[base] = places[prefix] | 1 << 31 if leaf else 0
        taken[at] |= (base ^ at) << 10 | leaf << 8
        for child in children:
            taken[base ^ child] = child
            waiting.append((prefix + bytes([child]), base ^ child))
    size = (max(taken) // 256 + 1) * 256  # so that looking up any byte finds a unit
    return [taken.get(unit, 0) for unit in range(size)]


def _is_under(key: bytes, prefix: bytes) -> bool:
    return key.startswith(prefix) and len(key) > len(prefix)
