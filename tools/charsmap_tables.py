"""Writes the data of SentencePiece's normalization rules: Unicode's compatibility forms and case folding.

    pip install unicodedata2==17.0.*
    python tools/charsmap_tables.py            write the table
    python tools/charsmap_tables.py --check    exit with 1 if the table is out of date

SentencePiece 0.2.3 takes its rules from Unicode 17, which no supported Python has yet; so the data come from the package
`unicodedata2`. Case folding is Python's, plus the additions of later versions of Unicode. `tests/slow/parity/test_charsmaps.py`
compares the rules that the core builds from the table with the library's.

A line has code points in hexadecimal: a character, a tab, and its NFKC; in the second part, after an empty line, a decomposed
string and its NFC; in the third, a character and its case folding. Hangul syllables are omitted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import unicodedata2

TABLE = Path(__file__).parents[1] / "crates" / "core" / "src" / "normalize" / "rules.tsv"
UNICODE = "17.0.0"
HANGUL = range(0xAC00, 0xD7A4)
LATER_FOLDS = (
    (range(0x1C89, 0x1C8A), 0x1C8A),
    (range(0xA7CB, 0xA7CC), 0x0264),
    *((range(code, code + 1), code + 1) for code in (0xA7CC, 0xA7CE, 0xA7D2, 0xA7D4, 0xA7DA)),
    (range(0xA7DC, 0xA7DD), 0x019B),
    (range(0x10D50, 0x10D66), 0x10D70),
    (range(0x16EA0, 0x16EB9), 0x16EBB),
)
"""Capitals since Unicode 15, and the first of the small letters that they fold to."""

Pair = tuple[str, str]


def characters() -> Iterator[str]:
    """Returns all characters except NUL and the Hangul syllables."""
    codes = range(1, sys.maxunicode + 1)
    return (chr(c) for c in codes if not 0xD800 <= c < 0xE000 and c not in HANGUL)


def compatible() -> Iterator[Pair]:
    """Returns characters and their NFKC."""
    forms = ((c, unicodedata2.normalize("NFKC", c)) for c in characters())
    return ((c, form) for c, form in forms if c != form)


def composed() -> list[Pair]:
    """Returns decomposed strings and their NFC."""
    parts = {unicodedata2.normalize("NFKD", c) for c in characters()}
    forms = ((text, unicodedata2.normalize("NFC", text)) for text in sorted(parts))
    return [(text, form) for text, form in forms if len(text) > 1 and text != form]


def folded() -> Iterator[Pair]:
    """Yields characters and their simple case folding."""
    later = {
        chr(code): chr(first + place)
        for codes, first in LATER_FOLDS
        for place, code in enumerate(codes)
    }
    for c in characters():
        forms = (later.get(c, c), c.casefold(), c.lower())
        fold = next((form for form in forms if len(form) == 1 and form != c), c)
        if len(c.casefold()) == 1 and c not in later:
            fold = c.casefold()
        if fold != c:
            yield c, fold


def lines(pairs: Iterable[Pair]) -> str:
    """Writes pairs, one a line."""
    return "".join(f"{_codes(one)}\t{_codes(other)}\n" for one, other in pairs)


def _codes(text: str) -> str:
    return " ".join(f"{ord(c):X}" for c in text)


def main() -> None:
    """Writes the table, or checks it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    if unicodedata2.unidata_version != UNICODE:
        sys.exit(f"unicodedata2 has Unicode {unicodedata2.unidata_version}, expected {UNICODE}")
    table = "\n".join(map(lines, (compatible(), composed(), folded())))
    if not check:
        TABLE.write_text(table, encoding="ascii", newline="\n")
    elif TABLE.read_text(encoding="ascii") != table:
        sys.exit(f"{TABLE.name} is stale: run tools/{Path(__file__).name}")


if __name__ == "__main__":
    main()
