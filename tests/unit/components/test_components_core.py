"""Components in the core: normalization, splitting and errors."""

import threading
from typing import Any

import pytest

import piecework as pw
from piecework import normalizers as n, pre_tokenizers as p
from piecework.errors import PieceworkError, SurrogateError

pytestmark = pytest.mark.smoke

NORMALIZED: list[tuple[n.Normalizer, str, str]] = [
    (n.NFC(), "e\u0301", "é"),
    (n.NFD(), "é", "e\u0301"),
    (n.NFKC(), "ﬁ２", "fi2"),
    (n.NFKD(), "ﬁé", "fie\u0301"),
    (n.Nmt(), "a\u200bb\x01c", "a bc"),
    (n.Lowercase(), "ÀΣ", "àσ"),
    (n.Strip(), "  a ", "a"),
    (n.Strip(left=False), "  a ", "  a"),
    (n.StripAccents(), "e\u0301", "e"),
    (n.Replace("a", "bb"), "banana", "bbbnbbnbb"),
    (n.Replace(pw.Regex(r"\s+"), "_"), "a \t b", "a_b"),
    (n.Prepend("▁"), "a", "▁a"),
    (n.Prepend("▁"), "", ""),
    (n.ByteLevel(), "é\n", "Ã©Ċ"),
    (n.BertNormalizer(), "Ünï 中", "uni  中 "),
    (n.Sequence([]), "Aé", "Aé"),
    (n.Sequence([n.NFD(), n.StripAccents(), n.Lowercase()]), "Crème", "creme"),
]
PRE_TOKENIZED: list[tuple[p.PreTokenizer, str, list[str]]] = [
    (p.BertPreTokenizer(), "a b.", ["a", "b", "."]),
    (p.Whitespace(), "a b...", ["a", "b", "..."]),
    (p.WhitespaceSplit(), "a b.", ["a", "b."]),
    (p.Punctuation("removed"), "a.b", ["a", "b"]),
    (p.Digits(), "a12", ["a", "12"]),
    (p.Digits(individual_digits=True), "a12", ["a", "1", "2"]),
    (p.CharDelimiterSplit("|"), "a|b", ["a", "b"]),
    (p.Split("-", "merged_with_next"), "a-b", ["a", "-b"]),
    (p.Split(pw.Regex(r"\d"), "removed", invert=True), "a1b2", ["1", "2"]),
    (p.ByteLevel(), "to be", ["Ġto", "Ġbe"]),
    (p.Metaspace(), "to be", ["▁to", "▁be"]),
    (p.UnicodeScripts(), "aあ", ["a", "あ"]),
    (p.FixedLength(2), "abc", ["ab", "c"]),
    (p.Sequence([p.WhitespaceSplit(), p.Digits()]), "a1 b", ["a", "1", "b"]),
    (p.Dictionary(["New York", "New"]), "in New York", ["in ", "New York"]),
]


@pytest.mark.parametrize("case", range(len(NORMALIZED)))
def test_normalizers_change_text(case: int) -> None:
    normalizer, text, wanted = NORMALIZED[case]
    assert normalizer.normalize_str(text) == wanted


@pytest.mark.parametrize("case", range(len(PRE_TOKENIZED)))
def test_pre_tokenizers_split_text(case: int) -> None:
    pre_tokenizer, text, wanted = PRE_TOKENIZED[case]
    assert [word for word, _ in pre_tokenizer.pre_tokenize_str(text)] == wanted


def test_spans_count_characters() -> None:
    assert p.WhitespaceSplit().pre_tokenize_str("é 中b") == [("é", (0, 1)), ("中b", (2, 4))]
    assert p.ByteLevel().pre_tokenize_str("é 中") == [("ĠÃ©", (0, 1)), ("Ġä¸Ń", (1, 3))]


def test_jieba_finds_user_words() -> None:
    words = [word for word, _ in p.Jieba().pre_tokenize_str("我来到北京清华大学")]
    assert words == ["我", "来到", "北京", "清华大学"]
    own = p.Jieba(user_words=["来到北京"])
    assert "来到北京" in [word for word, _ in own.pre_tokenize_str("我来到北京清华大学")]


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (str.split, [("é", (0, 1)), ("中b", (2, 4))]),
        (lambda text: iter(["中"]), [("中", (2, 3))]),
        (lambda text: [(0, 1), (2, 4)], [("é", (0, 1)), ("中b", (2, 4))]),
        (lambda text: [], []),
    ],
    ids=["words", "iterator", "spans", "nothing"],
)
def test_functions_split_text(function: Any, wanted: list[tuple[str, tuple[int, int]]]) -> None:
    assert p.Function(function).pre_tokenize_str("é 中b") == wanted


@pytest.mark.parametrize(
    "function",
    [
        lambda text: ["z"],
        lambda text: [(0, 99)],
        lambda text: [(2, 1)],
        lambda text: [(1, 2), (0, 1)],
        lambda text: [3],
        lambda text: None,
    ],
    ids=["elsewhere", "beyond", "backward", "disordered", "number", "none"],
)
def test_invalid_results_of_functions_raise(function: Any) -> None:
    with pytest.raises((PieceworkError, TypeError, ValueError)):
        p.Function(function).pre_tokenize_str("é 中b")


def test_errors_of_functions_propagate() -> None:
    def fail(text: str) -> list[str]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        p.Sequence([p.Whitespace(), p.Function(fail)]).pre_tokenize_str("a b")


def test_several_functions_are_called_in_order() -> None:
    halves = p.Function(lambda text: [(0, 1), (1, len(text))])
    whole = p.Sequence([p.Function(str.split), halves])
    assert [word for word, _ in whole.pre_tokenize_str("abc de")] == ["a", "bc", "d", "e"]


def test_functions_work_in_threads() -> None:
    results: list[Any] = []
    split = p.Function(str.split)
    threads = [
        threading.Thread(target=lambda: results.append(split.pre_tokenize_str("a b " * 100)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(result) for result in results] == [200] * 4


def test_settings_checked_by_the_core_raise() -> None:
    for call in (
        lambda: n.Replace(pw.Regex("("), "").normalize_str("a"),
        lambda: p.Split(pw.Regex("["), "removed").pre_tokenize_str("a"),
        lambda: n.Precompiled(b"\xff" * 9).normalize_str("a"),
    ):
        with pytest.raises(PieceworkError):
            call()


def test_lone_surrogates_raise() -> None:
    for call in (
        lambda: n.NFC().normalize_str("\ud800"),
        lambda: p.Whitespace().pre_tokenize_str("\ud800"),
    ):
        with pytest.raises(SurrogateError):
            call()
