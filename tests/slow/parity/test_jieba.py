"""The Jieba pre-tokenizer against jieba."""

import functools
import itertools
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import piecework as pw

with warnings.catch_warnings():
    # jieba's code raises warnings in new versions of Python, and it prints messages.
    warnings.simplefilter("ignore")
    jieba = pytest.importorskip("jieba", reason="the oracle `jieba` is not installed")
    jieba.setLogLevel(60)
    jieba.initialize()

CORPORA = ("zh/cmrc2018-a.txt", "zh/laws-a.txt", "zh/poems-tang-a.txt")
OTHERS = ("multi/zh-docs.txt", "multi/ja-docs.txt", "multi/tatoeba-112langs.tsv")
FIRST = 2_000  # lines of each corpus in the normal suite
TEXTS = 300  # random texts in the normal suite
WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
SIGNS = "aZ09+#&._%-@, \t\r\n\u3000\x1c\u2028。「」々〇鿕鿖㐀γéか조\U00020000\U0001f600"

UserWord = tuple[str, int | None, str | None]


@pytest.fixture(autouse=True)
def no_forced_splits() -> Iterator[None]:
    # jieba keeps one set of forced splits for all segmenters of a process.
    jieba.finalseg.Force_Split_Words.clear()
    yield
    jieba.finalseg.Force_Split_Words.clear()


def ours(*, hmm: bool, user_words: list[UserWord] | None = None) -> Callable[[str], list[Any]]:
    return pw.pre_tokenizers.Jieba(hmm=hmm, user_words=user_words or []).pre_tokenize_str


def theirs(*, hmm: bool, user_words: list[UserWord] | None = None) -> Callable[[str], list[Any]]:
    segmenter = jieba.Tokenizer() if user_words else jieba.dt
    for word in user_words or []:
        segmenter.add_word(*word)

    def cut(text: str) -> list[Any]:
        found = segmenter.tokenize(text, HMM=hmm)
        return [(word, (start, end)) for word, start, end in found if word.strip(WHITE)]

    return cut


def compare(found: Callable[[str], Any], wanted: Callable[[str], Any], text: str) -> None:
    assert found(text) == wanted(text), ascii(text)[:300]


@functools.cache
def known_words() -> tuple[str, ...]:
    return tuple(word for word, frequency in jieba.dt.FREQ.items() if frequency)


def random_text(chosen: random.Random) -> str:
    def part() -> str:
        word = chosen.choice(known_words())
        han = chr(chosen.randrange(0x4E00, 0x9FD6))
        return chosen.choice((word, word[:1], word[-1], han, chosen.choice(SIGNS)))

    return "".join(part() for _ in range(chosen.randint(1, 40)))


def random_words(chosen: random.Random) -> list[UserWord]:
    def word() -> str:
        parts = [chosen.choice(known_words()) for _ in range(chosen.randint(1, 2))]
        return chosen.choice(("".join(parts), parts[0][:2], parts[0] + chosen.choice(SIGNS)))

    frequencies = (None, None, 0, 1, chosen.randint(2, 10**6), chosen.randint(1, 10**16))
    return [
        (word(), chosen.choice(frequencies), chosen.choice((None, "n")))
        for _ in range(chosen.choice((1, 10, 200)))
    ]


@pytest.mark.parametrize("hmm", [True, False])
@pytest.mark.parametrize("name", CORPORA + OTHERS)
def test_first_lines_equal_jieba(
    corpus_lines: Callable[[str], Iterator[str]], name: str, *, hmm: bool
) -> None:
    found, wanted = ours(hmm=hmm), theirs(hmm=hmm)
    lines = list(itertools.islice(corpus_lines(name), FIRST))
    for line in lines:
        compare(found, wanted, line)
    compare(found, wanted, "\r\n".join(lines))


@pytest.mark.parity
@pytest.mark.parametrize("hmm", [True, False])
@pytest.mark.parametrize("name", CORPORA + OTHERS)
def test_every_line_equals_jieba(
    corpus_lines: Callable[[str], Iterator[str]], name: str, *, hmm: bool
) -> None:
    found, wanted = ours(hmm=hmm), theirs(hmm=hmm)
    for line in corpus_lines(name):
        compare(found, wanted, line)


@pytest.mark.parametrize("hmm", [True, False])
def test_random_texts_equal_jieba(*, hmm: bool) -> None:
    found, wanted = ours(hmm=hmm), theirs(hmm=hmm)
    chosen = random.Random(1)
    for _ in range(TEXTS):
        compare(found, wanted, random_text(chosen))


@pytest.mark.parity
def test_every_character_equals_jieba() -> None:
    found, wanted = ours(hmm=True), theirs(hmm=True)
    for code in itertools.chain(range(0xD800), range(0xE000, 0x110000)):
        compare(found, wanted, f"中{chr(code)}a{chr(code)}国人")


@pytest.mark.parametrize("seed", range(3))
def test_user_words_equal_jieba(seed: int) -> None:
    words = random_words(random.Random(seed))
    for hmm in (True, False):
        found, wanted = ours(hmm=hmm, user_words=words), theirs(hmm=hmm, user_words=words)
        chosen = random.Random(seed)
        for _ in range(TEXTS):
            text = random_text(chosen) + chosen.choice(words)[0] + random_text(chosen)
            compare(found, wanted, text)
