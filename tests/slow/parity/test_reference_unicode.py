"""`piecework.reference.unicode` against the library that its tables were swept from.

Every scalar value, every fact. What the tool asked character by character is here predicted for
long texts, so the two would not be wrong in the same way.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable, Iterator
from itertools import groupby, pairwise
from types import ModuleType
from typing import Any

import pytest

from paths import REPOSITORY
from piecework.reference.text import _unicode_tables, unicode

tokenizers = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")
if tokenizers.__version__ != _unicode_tables.TOKENIZERS_VERSION:
    reason = f"the tables are of tokenizers {_unicode_tables.TOKENIZERS_VERSION}"
    pytest.skip(reason, allow_module_level=True)

TOOL = REPOSITORY / "tools" / "unicode_tables.py"
SCALARS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
CHUNKS = ["".join(SCALARS[start : start + 4096]) for start in range(0, len(SCALARS), 4096)]
STARTER = "x"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """Returns the module that generates the tables."""
    spec = importlib.util.spec_from_file_location(TOOL.stem, TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[TOOL.stem] = module  # its dataclass looks up its module there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def facts(tool: ModuleType) -> Any:
    """Returns the facts of a new sweep."""
    return tool.sweep()


def bert(step: str) -> Callable[[str], str]:
    """Returns BERT's normalizer with only the named step."""
    steps = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    flags = {name: name == step for name in steps}
    normalize: Callable[[str], str] = tokenizers.normalizers.BertNormalizer(**flags).normalize_str
    return normalize


def separated(text: str) -> str:
    """Puts a starter before each character, so that no two marks are adjacent."""
    return "".join(STARTER + c for c in text)


def test_clean_text_equals_control_and_white_space_tables() -> None:
    def cleaned(c: str) -> str:
        if unicode.is_control(c):
            return ""
        return " " if unicode.is_whitespace(c) else c

    for text in CHUNKS:
        assert bert("clean_text")(text) == "".join(map(cleaned, text))


def test_padded_characters_equal_cjk_table() -> None:
    for text in CHUNKS:
        padded = "".join(f" {c} " if unicode.is_cjk(c) else c for c in text)
        assert bert("handle_chinese_chars")(text) == padded


def test_lowercasing_equals_table() -> None:
    for text in CHUNKS:
        expected = "".join(map(unicode.lowercase, text))
        assert bert("lowercase")(text) == expected
        assert tokenizers.normalizers.Lowercase().normalize_str(text) == expected


def test_decomposition_equals_table() -> None:
    for text in map(separated, CHUNKS):
        expected = "".join(map(unicode.decompose, text))
        assert tokenizers.normalizers.NFD().normalize_str(text) == expected


def test_stripped_accents_equal_nonspacing_marks() -> None:
    for text in map(separated, CHUNKS):
        parts = "".join(map(unicode.decompose, text))
        stripped = "".join(c for c in parts if not unicode.is_nonspacing_mark(c))
        assert bert("strip_accents")(text) == stripped
        assert "".join(c for c in stripped if not unicode.is_nonspacing_mark(c)) == stripped


def test_character_is_nonspacing_mark_iff_all_its_parts_are() -> None:
    for c in SCALARS:
        parts = map(unicode.is_nonspacing_mark, unicode.decompose(c))
        assert unicode.is_nonspacing_mark(c) == all(parts), ascii(c)


def pieces(text: str) -> Iterator[str]:
    """Splits by white space and isolates punctuation, by the tables of the reference."""
    word = ""
    for c in text:
        if not (unicode.is_whitespace(c) or unicode.is_punctuation(c)):
            word += c
            continue
        if word:
            yield word
        if not unicode.is_whitespace(c):
            yield c
        word = ""
    if word:
        yield word


@pytest.mark.parametrize("spread", [str, separated], ids=["side by side", "separated"])
def test_bert_pre_tokenizer_equals_tables(spread: Callable[[str], str]) -> None:
    pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    for text in map(spread, CHUNKS):
        found = [piece for piece, _ in pre_tokenizer.pre_tokenize_str(text)]
        assert found == list(pieces(text))


def test_punctuation_and_white_space_splits_equal_tables() -> None:
    punctuation = tokenizers.pre_tokenizers.Punctuation("removed")
    white_space = tokenizers.pre_tokenizers.WhitespaceSplit()
    for text in CHUNKS:
        found = [piece for piece, _ in punctuation.pre_tokenize_str(text)]
        assert found == kinds(text, unicode.is_punctuation, {False})
        found = [piece for piece, _ in white_space.pre_tokenize_str(text)]
        assert found == kinds(text, unicode.is_whitespace, {False})


def kinds(text: str, kind: Callable[[str], object], kept: set[object]) -> list[str]:
    """Groups neighbours of one kind, and keeps the groups of some kinds."""
    return ["".join(group) for key, group in groupby(text, kind) if key in kept]


def engine_kind(c: str) -> str:
    """Returns the kind of a character: letter, number, white space or other."""
    if unicode.is_letter(c):
        return "letter"
    if unicode.is_number(c):
        return "number"
    return "space" if unicode.is_whitespace(c) else "rest"


def word_kind(c: str) -> str:
    """Returns the kind of a character that `Whitespace` distinguishes."""
    if unicode.is_word(c):
        return "word"
    return "space" if unicode.is_whitespace(c) else "rest"


def test_word_digit_letter_and_number_classes_equal_tables() -> None:
    whitespace = tokenizers.pre_tokenizers.Whitespace()
    digits = tokenizers.pre_tokenizers.Digits()
    pattern = tokenizers.Regex(r"\p{L}+|\p{N}+|\s+|[^\s\p{L}\p{N}]+")
    engine = tokenizers.pre_tokenizers.Split(pattern, "isolated")
    for text in CHUNKS:
        found = [piece for piece, _ in whitespace.pre_tokenize_str(text)]
        assert found == kinds(text, word_kind, {"word", "rest"})
        found = [piece for piece, _ in digits.pre_tokenize_str(text)]
        assert found == kinds(text, unicode.is_numeric, {False, True})
        found = [piece for piece, _ in engine.pre_tokenize_str(text)]
        assert found == kinds(text, engine_kind, {"letter", "number", "space", "rest"})


def test_strip_accents_equals_combining_marks() -> None:
    for text in CHUNKS:
        expected = "".join(c for c in text if not unicode.is_combining_mark(c))
        assert tokenizers.normalizers.StripAccents().normalize_str(text) == expected


def split_scripts(text: str) -> list[str]:
    """Splits between scripts; drops the text before the first character with a script."""
    found: list[str] = []
    last = 0
    for c in text:
        here = unicode.script(c)
        if here and here != last:
            found.append("")
            last = here
        if found:
            found[-1] += c
    return found


def test_unicode_scripts_equals_table() -> None:
    pre_tokenizer = tokenizers.pre_tokenizers.UnicodeScripts()
    for text in CHUNKS:
        found = [piece for piece, _ in pre_tokenizer.pre_tokenize_str(text)]
        assert found == split_scripts(text)


def test_every_pair_of_scripts_is_split() -> None:
    pre_tokenizer = tokenizers.pre_tokenizers.UnicodeScripts()
    first = {unicode.script(c): c for c in reversed(SCALARS)}
    del first[0]
    for c in first.values():
        text = "".join(c + other for other in first.values())
        found = [piece for piece, _ in pre_tokenizer.pre_tokenize_str(text)]
        assert found == split_scripts(text)


def canonical(text: str) -> str:
    """Decomposes a text and sorts each run of marks by class, with a stable sort."""
    result: list[str] = []
    run: list[str] = []
    for part in "".join(map(unicode.decompose, text)):
        if unicode.combining_class(part) == 0:
            result += sorted(run, key=unicode.combining_class)
            result.append(part)
            run = []
        else:
            run.append(part)
    return "".join(result + sorted(run, key=unicode.combining_class))


def test_combining_class_order_of_every_mark_and_class() -> None:
    """Checks both orders, so that a class between two known ones would show."""
    nfd = tokenizers.normalizers.NFD()
    marks = [c for c in SCALARS if unicode.combining_class(c)]
    representatives = {unicode.combining_class(c): c for c in marks}.values()
    assert len(representatives) == 54
    for mark in representatives:
        text = "".join(STARTER + c + mark + STARTER + mark + c for c in marks)
        assert nfd.normalize_str(text) == canonical(text)


@pytest.mark.parametrize("mark", ["\u0334", "\u0345"], ids=["class 1", "class 240"])
def test_no_character_has_an_unknown_combining_class(mark: str) -> None:
    """A character with a class swaps with the lowest or the highest one."""
    nfd = tokenizers.normalizers.NFD()
    for chunk in CHUNKS:
        # The tables say that these stay in their places, so that there is nothing to sort.
        inert = {c for c in chunk if not unicode.combining_class(c) and unicode.decompose(c) == c}
        for some, expected in ((inert, str), (set(chunk) - inert, canonical)):
            text = "".join(STARTER + c + mark + STARTER + mark + c for c in sorted(some))
            assert nfd.normalize_str(text) == expected(text)


@pytest.mark.parametrize("code", [0xD800, 0xDFFF])
def test_lone_surrogates_have_no_property(code: int) -> None:
    c = chr(code)
    predicates = (
        unicode.is_control,
        unicode.is_whitespace,
        unicode.is_punctuation,
        unicode.is_nonspacing_mark,
        unicode.is_cjk,
        unicode.is_word,
        unicode.is_numeric,
        unicode.is_letter,
        unicode.is_number,
        unicode.is_combining_mark,
        unicode.script,
        unicode.combining_class,
    )
    assert not any(predicate(c) for predicate in predicates)
    assert unicode.decompose(c) == unicode.lowercase(c) == c


def random_text(dice: random.Random, active: list[str]) -> str:
    """Returns a text of characters that may act on their neighbours, whole, decomposed, and among others."""
    text = ""
    for _ in range(dice.randrange(1, 6)):
        c = dice.choice(active)
        parts = list(tokenizers.normalizers.NFD().normalize_str(c))
        text += dice.choice(
            [c, dice.choice(SCALARS), "".join(parts), dice.choice(active).join(parts)]
        )
    return text


@pytest.mark.parity
@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFKD"])
def test_texts_may_be_split_before_unchanged_characters(facts: Any, form: str) -> None:
    changeable: set[str] = getattr(facts, f"may_change_{form.lower()}")
    normalize = getattr(tokenizers.normalizers, form)().normalize_str
    inert = "".join(c for c in SCALARS if c not in changeable)
    assert normalize(inert) == inert
    dice = random.Random(0)
    candidates = sorted(changeable) + [chr(code) for code in range(0xAC00, 0xAC1D)]
    for _ in range(10_000):
        text = random_text(dice, candidates)
        cuts = [0, *(at for at, c in enumerate(text) if c not in changeable), len(text)]
        parts = [normalize(text[a:b]) for a, b in pairwise(cuts)]
        assert "".join(parts) == normalize(text), ascii(text)


@pytest.mark.parity
def test_generated_files_are_current(tool: ModuleType, facts: Any) -> None:
    rust, binary = tool.render_rust(facts)
    assert tool.is_current(tool.RUST, rust.encode())
    assert tool.is_current(tool.BINARY, binary)
    assert tool.is_current(tool.PYTHON, tool.render_python(facts).encode())
