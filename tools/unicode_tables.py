"""Writes the Unicode tables of the core (bytes, and how they are read) by asking `tokenizers`.

`tokenizers` takes its character facts from several libraries that follow several versions of
Unicode. No published table has that mixture, so nothing is copied here: every scalar value passes
through the library, one step at a time, and the result is the fact.

    python tools/unicode_tables.py            write the tables
    python tools/unicode_tables.py --check    exit with 1 if they are out of date

How each fact is measured:

* control: `clean_text` drops the character (so NUL and U+FFFD are among them);
* white space: BERT's pre-tokenizer removes it. `clean_text` turns exactly those that are not control
  characters into a space, and `WhitespaceSplit` and the `\\s` of both regular expression engines agree;
  the sweep fails if that changes;
* punctuation: BERT's pre-tokenizer isolates it, and so does `Punctuation`;
* word: `Whitespace`, which is `\\w+|[^\\w\\s]+`, neither removes nor isolates it;
* numeric: `Digits` isolates it;
* category: `Split` finds it by `\\p{Lu}`, by `\\p{N}` and so on; the core joins those that no known split
  pattern distinguishes;
* Han: `Split` finds it by `\\p{Han}`;
* combining mark: `StripAccents` removes it;
* nonspacing mark: `strip_accents` removes it;
* CJK: `handle_chinese_chars` pads it;
* decomposition, lower case: the results of `NFD` and `Lowercase`;
* combining class: `NFD` swaps two neighbours exactly if the left one has the higher class and
  neither has class 0. A character has the class whose representative does not swap with it on
  either side. `unicodedata` only lists the classes and proposes the representatives;
* active under a form: the form changes the character, or it may act on the text before it: its
  full decomposition begins with a mark, or with the last part of a character that the form
  composes. A character that decomposes and that `NFC` does not change is one that `NFC` composes;
* script: `UnicodeScripts` begins a piece between two scripts. It never does so before a character
  without a script, and skips such characters to find the previous script.
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import tokenizers
from tokenizers import Regex
from tokenizers.normalizers import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    BertNormalizer,
    Lowercase,
    StripAccents,
)
from tokenizers.pre_tokenizers import (
    BertPreTokenizer,
    Digits,
    PreTokenizer,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)

ROOT = Path(__file__).resolve().parent.parent
RUST = ROOT / "crates/core/src/text/unicode/tables.rs"
BINARY = RUST.with_suffix(".bin")

SCALARS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
CHUNK = 4096  # characters in one call: enough to amortize its cost, few enough for the alignments
SEPARATOR = "|"  # a starter that no step changes, so it separates its neighbours
NUL = "\0"  # such a starter for the compatibility forms, which change a wide `|`
HANGUL = range(0xAC00, 0xAC00 + 11172)  # the syllables
CATEGORIES = ("Lu", "Lt", "Ll", "Lm", "Lo", "M", "N", "P", "S")  # those that split patterns use

Runs = list[tuple[int, int, int]]  # (first, last, value)


@dataclass(frozen=True)
class Facts:
    """Facts by character; a mapping omits the characters that it does not change."""

    control: set[str]
    whitespace: set[str]
    punctuation: set[str]
    nonspacing_mark: set[str]
    cjk: set[str]
    word: set[str]
    numeric: set[str]
    category: dict[str, set[str]]  # of CATEGORIES
    han: set[str]
    combining_mark: set[str]
    may_change_nfc: set[str]
    may_change_nfkc: set[str]
    may_change_nfkd: set[str]
    decomposition: dict[str, str]  # without the Hangul syllables
    lowercase: dict[str, str]
    combining_class: dict[str, int]
    script: dict[str, int]


class SweepError(Exception):
    """Raised if the library does something that the tables cannot express."""


def require(condition: bool, message: str) -> None:
    """Stops the sweep if one of its assumptions does not hold."""
    if not condition:
        raise SweepError(message)


# ---------------------------------------------------------------- the sweep


def sweep() -> Facts:
    """Measures every fact about every scalar value."""
    nfd = images(NFD().normalize_str, SCALARS)
    lowercase = images(Lowercase().normalize_str, SCALARS)
    require(lowercase == images(bert(lowercase=True), SCALARS), "two kinds of lower case")
    decomposition = without_hangul(changes(nfd))
    whitespace, punctuation = removed_and_isolated(BertPreTokenizer())
    see_white_space_and_punctuation(whitespace, punctuation)
    category = swept_categories()
    require(
        not any(whitespace & found for found in category.values()),
        "a character of a category is white space",
    )
    combining_class = swept_combining_classes([c for c in SCALARS if nfd[c] == c])
    nfkd = images(NFKD().normalize_str, SCALARS, NUL)
    may_change_nfc, may_change_nfkc = swept_may_change_composed(nfd, nfkd, combining_class)
    return Facts(
        control=swept_control(whitespace),
        whitespace=whitespace,
        punctuation=punctuation,
        nonspacing_mark=swept_nonspacing_marks(nfd),
        cjk=swept_cjk(),
        word=swept_word(whitespace),
        numeric=removed_and_isolated(Digits(individual_digits=True))[1],
        category=category,
        han=swept_regex(r"\p{Han}"),
        combining_mark=swept_combining_marks(),
        may_change_nfc=may_change_nfc,
        may_change_nfkc=may_change_nfkc,
        may_change_nfkd=set(changes(nfkd)) | set(combining_class),
        decomposition=decomposition,
        lowercase=changes(lowercase),
        combining_class=combining_class,
        script=swept_scripts(),
    )


def bert(**flags: bool) -> Callable[[str], str]:
    """Returns BERT's normalizer with only the named steps."""
    off = dict.fromkeys(("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"), False)
    return BertNormalizer(**{**off, **flags}).normalize_str


def images(
    step: Callable[[str], str], texts: Iterable[str], separator: str = SEPARATOR
) -> dict[str, str]:
    """Returns the result of a step for each text alone, with many texts in one call."""
    result = {separator: step(separator)}
    for chunk in chunks([text for text in texts if text != separator]):
        parts = step(separator.join(chunk)).split(separator)
        require(len(parts) == len(chunk), f"a separator was lost or made after {chunk[0]!a}")
        result.update(zip(chunk, parts, strict=True))
    return result


def chunks(texts: list[str]) -> Iterator[list[str]]:
    """Cuts a list into pieces of one call each."""
    for start in range(0, len(texts), CHUNK):
        yield texts[start : start + CHUNK]


def changes(mapping: dict[str, str]) -> dict[str, str]:
    """Returns the mapping without characters that map to themselves."""
    return {key: value for key, value in mapping.items() if key != value}


def removed_and_isolated(
    pre_tokenizer: PreTokenizer, filler: str = "a", characters: list[str] = SCALARS
) -> tuple[set[str], set[str]]:
    """Returns the characters that a pre-tokenizer removes, and those that it isolates.

    Each is between two fillers: a removed character is in no part, an isolated one is a part.
    """
    pre_tokenize = pre_tokenizer.pre_tokenize_str
    removed: set[str] = set()
    isolated: set[str] = set()
    for chunk in chunks(characters):
        pieces = [span for _, span in pre_tokenize(filler + "".join(c + filler for c in chunk))]
        kept = {at for start, end in pieces for at in range(start, end)}
        alone = {start for start, end in pieces if end - start == 1}
        removed.update(c for i, c in enumerate(chunk) if 2 * i + 1 not in kept)
        isolated.update(c for i, c in enumerate(chunk) if 2 * i + 1 in alone)
    return removed, isolated


def swept_regex(pattern: str) -> set[str]:
    """Returns the characters that the engine of `Split` finds by a pattern of one character."""
    return removed_and_isolated(Split(Regex(pattern), "removed"), SEPARATOR)[0]


def swept_categories() -> dict[str, set[str]]:
    """Returns the characters of each category, and checks that each has only one."""
    found = {name: swept_regex(rf"\p{{{name}}}") for name in CATEGORIES}
    members = set().union(*found.values())
    require(len(members) == sum(map(len, found.values())), "a character has two categories")
    letters = set().union(*(found[name] for name in CATEGORIES if name.startswith("L")))
    require(letters == swept_regex(r"\p{L}"), "a letter has no category")
    return found


def see_white_space_and_punctuation(whitespace: set[str], punctuation: set[str]) -> None:
    """Checks that every pre-tokenizer has the same white space and the same punctuation."""
    require(removed_and_isolated(WhitespaceSplit())[0] == whitespace, "two kinds of white space")
    require(swept_regex(r"\s") == whitespace, r"white space and the \s of Split differ")
    require(removed_and_isolated(Punctuation())[1] == punctuation, "two kinds of punctuation")


def swept_word(whitespace: set[str]) -> set[str]:
    r"""Returns the characters that are `\w`, and checks that `\s` of that engine is white space."""
    removed, isolated = removed_and_isolated(Whitespace())
    require(removed == whitespace, r"white space and the \s of Whitespace differ")
    return set(SCALARS) - removed - isolated


def swept_combining_marks() -> set[str]:
    """Returns the characters that are dropped without decomposition."""
    stripped = changes(images(StripAccents().normalize_str, SCALARS))
    require(not any(stripped.values()), "stripping accents leaves a part")
    return set(stripped)


def swept_may_change_composed(
    nfd: dict[str, str], nfkd: dict[str, str], combining_class: dict[str, int]
) -> tuple[set[str], set[str]]:
    """Returns the characters that are active under NFC, and those under NFKC."""
    nfc = images(NFC().normalize_str, SCALARS)
    nfkc = images(NFKC().normalize_str, SCALARS, NUL)
    last_parts = {nfd[c][-1] for c in SCALARS if nfc[c] == c != nfd[c]}
    joins = last_parts | set(combining_class)
    return (
        {c for c in SCALARS if nfc[c] != c or nfd[c][0] in joins},
        {c for c in SCALARS if nfkc[c] != c or nfkd[c][0] in joins},
    )


def swept_scripts() -> dict[str, int]:
    """Returns the script of each character that has one, numbered from 1 as they appear.

    Boundaries between neighbours are found first; then the script of each run, by comparison with one character of each script.
    """
    scripts = UnicodeScripts()
    apart = removed_and_isolated(scripts, "a")[1] | removed_and_isolated(scripts, "\u4e2d")[1]
    scripted = [c for c in SCALARS if c in apart]
    heads = remaining = run_heads(scripted)
    numbers: dict[str, int] = {}
    while remaining:
        others = removed_and_isolated(scripts, remaining[0], remaining)[1]
        number = 1 + len(set(numbers.values()))
        numbers.update((c, number) for c in remaining if c not in others)
        remaining = [c for c in remaining if c in others]
    starts = set(heads)
    runs_of: Iterator[str] = accumulate(scripted, lambda head, c: c if c in starts else head)
    return {c: numbers[head] for c, head in zip(scripted, runs_of, strict=True)}


def run_heads(scripted: list[str]) -> list[str]:
    """Returns the first of each run of neighbours of one script; each of them has one."""
    heads = []
    previous = ""
    for chunk in chunks(scripted):
        pieces = UnicodeScripts().pre_tokenize_str(previous + "".join(chunk))
        starts = (start - len(previous) for _, (start, _) in pieces)
        heads += [chunk[start] for start in starts if start >= 0]
        previous = chunk[-1]
    return heads


def swept_control(whitespace: set[str]) -> set[str]:
    """Returns the characters that cleaning drops, and checks that it replaces white space with spaces."""
    cleaned = images(bert(clean_text=True), SCALARS)
    control = {c for c, image in cleaned.items() if image == ""}
    spaces = {c for c, image in cleaned.items() if image == " "}
    require(spaces == whitespace - control, "cleaning and splitting differ in white space")
    changed = {c for c, image in cleaned.items() if image != c}
    require(changed <= control | spaces, "cleaning makes something other than a space")
    return control


def swept_nonspacing_marks(nfd: dict[str, str]) -> set[str]:
    """Returns the characters that stripping removes."""
    stripped = images(bert(strip_accents=True), SCALARS)
    marks = {c for c, image in stripped.items() if image == ""}
    expected = {c: "".join(d for d in parts if d not in marks) for c, parts in nfd.items()}
    require(stripped == expected, "stripping is not NFD without the marks")
    return marks


def swept_cjk() -> set[str]:
    """Returns the characters that get a space on both sides."""
    padded = changes(images(bert(handle_chinese_chars=True), SCALARS))
    require(all(image == f" {c} " for c, image in padded.items()), "an odd padding")
    return set(padded)


def without_hangul(decomposition: dict[str, str]) -> dict[str, str]:
    """Removes the Hangul syllables, which need no table, after checking their arithmetic."""
    syllables = {chr(code): hangul(code - HANGUL.start) for code in HANGUL}
    require(syllables.items() <= decomposition.items(), "Hangul is not arithmetic")
    return {c: parts for c, parts in decomposition.items() if c not in syllables}


def hangul(number: int) -> str:
    """Decomposes the syllable of that number into its two or three jamo."""
    lead, rest = divmod(number, 21 * 28)
    vowel, trail = divmod(rest, 28)
    jamo = chr(0x1100 + lead) + chr(0x1161 + vowel)
    return jamo + chr(0x11A7 + trail) if trail else jamo


def swept_combining_classes(candidates: list[str]) -> dict[str, int]:
    """Returns the class of each character that has one, of those that do not decompose."""
    proposed = representatives(candidates)
    lowest, highest = proposed[min(proposed)], proposed[max(proposed)]
    movable = swapped(candidates, after=lowest) | swapped(candidates, before=highest)
    require({lowest, highest} <= movable, "the outer classes are not there")
    marks = sorted(movable)
    known = representatives(marks)
    lower = {number: swapped(marks, before=mark) for number, mark in known.items()}
    higher = {number: swapped(marks, after=mark) for number, mark in known.items()}
    return {c: only_class(c, lower, higher) for c in marks}


def representatives(characters: Iterable[str]) -> dict[int, str]:
    """Returns the first of the characters in each class that `unicodedata` knows, by class."""
    first: dict[int, str] = {}
    for c in characters:
        if unicodedata.combining(c):
            first.setdefault(unicodedata.combining(c), c)
    return first


def swapped(candidates: list[str], *, after: str = "", before: str = "") -> set[str]:
    """Returns the candidates that NFD swaps with the mark before or after them.

    `after="x"` selects those that belong after x: c x becomes x c. `before="x"` is its mirror image.
    """
    pairs = {c: before + c + after for c in candidates if c != SEPARATOR}
    ordered = images(NFD().normalize_str, pairs.values())
    return {c for c, pair in pairs.items() if ordered[pair] == after + c + before != pair}


def only_class(c: str, lower: dict[int, set[str]], higher: dict[int, set[str]]) -> int:
    """Returns the class whose representative does not swap with c on either side, and checks it."""
    equal = [number for number in lower if c not in lower[number] | higher[number]]
    require(len(equal) == 1, f"{c!a} belongs to the classes {equal}")
    for number, below in lower.items():
        require((c in below) == (equal[0] < number), f"{c!a} is out of order")
        require((c in higher[number]) == (equal[0] > number), f"{c!a} is out of order")
    return equal[0]


# ---------------------------------------------------------------- Rust

VERSION = tokenizers.__version__
NOTE = f"Generated by `tools/unicode_tables.py` from tokenizers {VERSION}; do not edit."

PROPERTIES = [
    "CONTROL",
    "WHITESPACE",
    "PUNCTUATION",
    "NONSPACING_MARK",
    "CJK",
    "DECOMPOSITION",
    "LOWERCASE",
    "COMBINING_CLASS",
    "WORD",
    "NUMERIC",
    "COMBINING_MARK",
    "MAY_CHANGE_NFC",
    "MAY_CHANGE_NFKC",
    "MAY_CHANGE_NFKD",
    "HAN",
]
BITS = {name: 1 << at for at, name in enumerate(PROPERTIES)}
KINDS = {
    "UPPER": ("Lu", "Lt"),
    "LOWER": ("Ll",),
    "CASELESS": ("Lm", "Lo"),
    "MARK": ("M",),
    "NUMBER": ("N",),
    "PUNCT": ("P",),
    "SYMBOL": ("S",),
}
KIND_BITS = {name: 1 << at for at, name in enumerate([*KINDS, "BLANK"])}
SHIFT = 7  # 128 characters in a block give the smallest sum of index and blocks


def render_rust(facts: Facts) -> tuple[str, bytes]:
    """Returns the Rust source of the tables (two stages for each fact, one pool of characters) and their bytes."""
    pool = Pool()
    decomposition = {ord(c): pool.slot(text) for c, text in facts.decomposition.items()}
    lowercase = {ord(c): pool.slot(text) for c, text in facts.lowercase.items()}
    combining = {ord(c): number for c, number in facts.combining_class.items()}
    arrays = [
        *two_stages("CLASS", "u16", class_bits(facts)),
        *two_stages("CATEGORY", "u8", category_bits(facts)),
        *two_stages("COMBINING", "u8", combining),
        *two_stages("SCRIPT", "u8", {ord(c): number for c, number in facts.script.items()}),
        *two_stages("DECOMPOSITION", "u16", decomposition),
        *two_stages("LOWERCASE", "u16", lowercase),
        Array("MAPPED", "char", [ord(c) for c in pool.text]),
    ]
    starts = accumulate((len(array.data()) for array in arrays), initial=0)
    lines = [
        f"//! {NOTE}",
        "//!",
        "//! Two stages each: an index names the block of a character, which holds its value. The arrays lie one after the other in",
        "//! `tables.bin`, in little-endian order, and are read from it when the core is compiled.",
        "",
        "use super::arrays::{chars, u8s, u16s};",
        "",
        f"pub(super) const SHIFT: u32 = {SHIFT};",
        *(f"pub(super) const {name}: u16 = {bit};" for name, bit in BITS.items()),
        *(f"pub(super) const {name}: u8 = {bit};" for name, bit in KIND_BITS.items()),
        "",
        f'const BYTES: &[u8] = include_bytes!("{BINARY.name}");',
        "",
        *(array.declared(start) for array, start in zip(arrays, starts, strict=False)),
    ]
    return "\n".join(lines) + "\n", b"".join(array.data() for array in arrays)


@dataclass(frozen=True)
class Array:
    """A static array of the core: its name, the type of its items, and their values."""

    name: str
    kind: str
    values: list[int]

    def data(self) -> bytes:
        """Give the items in little-endian order."""
        size = {"u8": 1, "u16": 2, "char": 4}[self.kind]
        return b"".join(value.to_bytes(size, "little") for value in self.values)

    def declared(self, start: int) -> str:
        """Render the declaration of an array whose items begin at a byte."""
        return f"pub(super) static {self.name}: [{self.kind}; {len(self.values)}] = {self.kind}s(BYTES, {start});"


def class_bits(facts: Facts) -> dict[int, int]:
    """Returns the bits of each code point that has any of the properties."""
    members: dict[str, Iterable[str]] = {
        "CONTROL": facts.control,
        "WHITESPACE": facts.whitespace,
        "PUNCTUATION": facts.punctuation,
        "NONSPACING_MARK": facts.nonspacing_mark,
        "CJK": facts.cjk,
        "DECOMPOSITION": [*facts.decomposition, *map(chr, HANGUL)],
        "LOWERCASE": facts.lowercase,
        "COMBINING_CLASS": facts.combining_class,
        "WORD": facts.word,
        "NUMERIC": facts.numeric,
        "COMBINING_MARK": facts.combining_mark,
        "MAY_CHANGE_NFC": facts.may_change_nfc,
        "MAY_CHANGE_NFKC": facts.may_change_nfkc,
        "MAY_CHANGE_NFKD": facts.may_change_nfkd,
        "HAN": facts.han,
    }
    bits: dict[int, int] = {}
    for name, characters in members.items():
        for c in characters:
            bits[ord(c)] = bits.get(ord(c), 0) | BITS[name]
    return bits


def category_bits(facts: Facts) -> dict[int, int]:
    """Returns the bit of each code point that split patterns distinguish."""
    members = {
        kind: set().union(*(facts.category[name] for name in names))
        for kind, names in KINDS.items()
    }
    members["BLANK"] = facts.whitespace
    return {ord(c): KIND_BITS[kind] for kind, characters in members.items() for c in characters}


class Pool:
    """The characters of all mappings; a slot is `offset * 4 + length - 1`, and 0 means none."""

    def __init__(self) -> None:
        """Creates a pool of one character that no slot points at, so that 0 stays free."""
        self.text = "\0"

    def slot(self, text: str) -> int:
        """Returns the slot of a text, which joins the pool unless it is there already."""
        require(1 <= len(text) <= 4, f"{text!a} does not fit a slot")
        offset = self.text.find(text, 1)
        if offset < 0:
            offset = len(self.text)
            self.text += text
        require(offset < 1 << 14, "the pool of mappings is full")
        return offset * 4 + len(text) - 1


def two_stages(name: str, kind: str, values: dict[int, int]) -> list[Array]:
    """Returns a table of two stages; past its last block every value is 0."""
    size = 1 << SHIFT
    numbers: dict[tuple[int, ...], int] = {}
    index = []
    for start in range(0, max(values) + 1, size):
        block = tuple(values.get(code, 0) for code in range(start, start + size))
        index.append(numbers.setdefault(block, len(numbers)))
    width = "u8" if len(numbers) <= 256 else "u16"
    return [
        Array(f"{name}_INDEX", width, index),
        Array(f"{name}_BLOCKS", kind, [value for block in numbers for value in block]),
    ]


# ---------------------------------------------------------------- command line


def main() -> int:
    """Writes the files, or with `--check` compares them."""
    parser = argparse.ArgumentParser(description="Make the Unicode tables from `tokenizers`.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if stale")
    check = parser.parse_args().check
    facts = sweep()
    rust, binary = render_rust(facts)
    files = {RUST: rust.encode(), BINARY: binary}
    stale = [path for path, data in files.items() if not is_current(path, data)]
    for path in stale:
        if not check:
            path.write_bytes(files[path])
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}")
    return 1 if check and stale else 0


def is_current(path: Path, data: bytes) -> bool:
    """Returns whether a file contains exactly these bytes."""
    return path.exists() and path.read_bytes() == data


if __name__ == "__main__":
    sys.exit(main())
