"""Every character in the core and in `tokenizers`, whose tables the core's were swept from.

What the tool asked character by character is here compared on long texts, so the two would not be
wrong in the same way.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from paths import REPOSITORY
from piecework import Regex, normalizers as n, pre_tokenizers as p

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

tokenizers = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")

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


def separated(text: str) -> str:
    """Puts a starter before each character, so that no two marks are adjacent."""
    return "".join(STARTER + c for c in text)


def bert(step: str) -> dict[str, bool]:
    """Returns the flags of BERT's normalizer with only the named step."""
    steps = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    return {name: name == step for name in steps}


STEPS = ["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"]
NORMALIZERS: dict[str, tuple[n.Normalizer, Any]] = {
    **{
        step: (
            n.BertNormalizer(**bert(step)),
            tokenizers.normalizers.BertNormalizer(**bert(step)),
        )
        for step in STEPS
    },
    **{
        name: (getattr(n, name)(), getattr(tokenizers.normalizers, name)())
        for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")
    },
}
CLASSES = r"\p{L}+|\p{N}+|\s+|[^\s\p{L}\p{N}]+"
PRE_TOKENIZERS: dict[str, tuple[p.PreTokenizer, Any]] = {
    **{
        name: (getattr(p, name)(), getattr(tokenizers.pre_tokenizers, name)())
        for name in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts", "Digits", "Punctuation")
    },
    "classes": (
        p.Split(Regex(CLASSES), "isolated"),
        tokenizers.pre_tokenizers.Split(tokenizers.Regex(CLASSES), "isolated"),
    ),
    "words": (
        p.Split(Regex(r"\w+|\p{Han}+"), "isolated"),
        tokenizers.pre_tokenizers.Split(tokenizers.Regex(r"\w+|\p{Han}+"), "isolated"),
    ),
}  # fmt: skip
SPREADS = pytest.mark.parametrize("spread", [str, separated], ids=["side by side", "separated"])


@SPREADS
@pytest.mark.parametrize("name", NORMALIZERS)
def test_normalized_characters_equal_tokenizers(name: str, spread: Callable[[str], str]) -> None:
    ours, live = NORMALIZERS[name]
    for text in map(spread, CHUNKS):
        assert ours.normalize_str(text) == live.normalize_str(text)


@SPREADS
@pytest.mark.parametrize("name", PRE_TOKENIZERS)
def test_words_of_characters_equal_tokenizers(name: str, spread: Callable[[str], str]) -> None:
    ours, live = PRE_TOKENIZERS[name]
    for text in map(spread, CHUNKS):
        assert ours.pre_tokenize_str(text) == live.pre_tokenize_str(text)


def test_every_pair_of_scripts_is_split_as_in_tokenizers() -> None:
    ours, live = PRE_TOKENIZERS["UnicodeScripts"]
    letters = [c for c in SCALARS if unicodedata.category(c)[0] == "L"]
    first = {unicodedata.name(c, "?").split()[0]: c for c in reversed(letters)}.values()
    assert len(first) > 150
    for c in first:
        text = "".join(c + other for other in first)
        assert ours.pre_tokenize_str(text) == live.pre_tokenize_str(text)


def test_combining_class_order_of_every_mark_and_class() -> None:
    """Checks both orders, so that a class between two known ones would show."""
    ours, live = NORMALIZERS["NFD"]
    marks = [c for c in SCALARS if unicodedata.combining(c)]
    representatives = {unicodedata.combining(c): c for c in reversed(marks)}.values()
    assert len(representatives) >= 54
    for mark in representatives:
        text = "".join(STARTER + c + mark + STARTER + mark + c for c in marks)
        assert ours.normalize_str(text) == live.normalize_str(text)


@pytest.mark.parametrize("mark", ["\u0334", "\u0345"], ids=["class 1", "class 240"])
def test_every_character_beside_the_lowest_and_the_highest_class(mark: str) -> None:
    """A character with a class swaps with the lowest or the highest one."""
    ours, live = NORMALIZERS["NFD"]
    for chunk in CHUNKS:
        text = "".join(STARTER + c + mark + STARTER + mark + c for c in chunk)
        assert ours.normalize_str(text) == live.normalize_str(text)


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
