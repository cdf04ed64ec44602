"""Pre-tokenizers that only piecework has: Dictionary, Jieba, and Python functions."""

import pickle
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import parts
import piecework as pw
from piecework import normalizers as n, pre_tokenizers as p
from piecework.errors import ConfigError, CountsError, PieceworkWarning, SurrogateError

pytestmark = pytest.mark.smoke

Spans = list[tuple[str, tuple[int, int]]]


def words(pre_tokenizer: p.PreTokenizer, text: str) -> list[str]:
    return [word for word, _ in pre_tokenizer.pre_tokenize_str(text)]


# Phrases


@pytest.mark.parametrize(
    ("phrases", "text", "wanted"),
    [
        (["New", "New York"], "in New York", ["in ", "New York"]),
        (["New York", "New"], "New Yor", ["New", " Yor"]),
        (["a b", "b c d e"], "a b c d e", ["a b", " c d e"]),
        (["aa"], "aaaaa", ["aa", "aa", "a"]),
        (["a", "aaa"], "aaaaa", ["aaa", "a", "a"]),
        (["人工", "人工智能", "智能手机"], "人工智能手机", ["人工智能", "手机"]),
        (["."], "a.b", ["a", ".", "b"]),
        ([" "], "a  b", ["a", " ", " ", "b"]),
        (["é"], "e\u0301é", ["e\u0301", "é"]),
        (["x"], "", []),
        (["New York"], "new york", ["new york"]),
        (["\0", "\U0010ffff"], "a\0\U0010ffff", ["a", "\0", "\U0010ffff"]),
    ],
    ids=str,
)
def test_phrases_match_leftmost_longest(phrases: list[str], text: str, wanted: list[str]) -> None:
    assert words(p.Dictionary(phrases), text) == wanted
    assert words(p.Dictionary(reversed(phrases)), text) == wanted


@pytest.mark.parametrize(
    ("phrases", "text", "wanted"),
    [
        (["cat"], "concatenate cat", ["concatenate ", "cat"]),
        (["cat"], "cat, cat_ cat1 (cat)", ["cat", ", cat_ cat1 (", "cat", ")"]),
        (["cat"], "écat caté", ["écat caté"]),
        (["数据"], "大数据 数据", ["大数据 ", "数据"]),
        (["New York", "New"], "New Yorker", ["New", " Yorker"]),
        (["b c", "a"], "a b c", ["a", " ", "b c"]),
        (["."], "a.b .", ["a.b ", "."]),
        (["a b", "b"], "xa b", ["xa ", "b"]),
        (
            ["cafe"],
            "cafe\u0301 cafe",
            ["cafe\u0301 ", "cafe"],
        ),  # a combining mark belongs to its letter
    ],
    ids=str,
)
def test_single_word_phrases_match_whole_words(
    phrases: list[str], text: str, wanted: list[str]
) -> None:
    assert words(p.Dictionary(phrases, single_word=True), text) == wanted


LATER_STEPS: list[p.PreTokenizer] = [
    p.WhitespaceSplit(),
    p.BertPreTokenizer(),
    p.Whitespace(),
    p.Punctuation(),
    p.Digits(individual_digits=True),
    p.CharDelimiterSplit(" "),
    p.Split(" ", "removed"),
    p.Split(pw.Regex("."), "isolated"),
    p.UnicodeScripts(),
    p.FixedLength(1),
    p.Jieba(),
    p.Function(list),
    p.Function(lambda _: []),
    p.Dictionary(["York", "x"]),
    p.Sequence([p.FixedLength(2), p.Sequence([p.Function(list)])]),
]


@pytest.mark.parametrize(
    "later", LATER_STEPS, ids=[str(place) for place in range(len(LATER_STEPS))]
)
def test_later_steps_do_not_split_phrases(later: p.PreTokenizer) -> None:
    both = p.Sequence([p.Dictionary(["New York, 12中文"]), later])
    found = both.pre_tokenize_str("to New York, 12中文x")
    assert ("New York, 12中文", (3, 17)) in found
    rest = p.Sequence([p.Dictionary(["|"]), later]).pre_tokenize_str("to ")
    assert found[: len(rest)] == rest


@pytest.mark.parametrize(
    ("later", "phrase"),
    [
        (p.ByteLevel(), "ĠNewĠYork"),
        (p.ByteLevel(add_prefix_space=False), "NewĠYork"),
        (p.Metaspace(), "▁New▁York"),
        (p.Metaspace(prepend_scheme="never"), "New▁York"),
    ],
    ids=str,
)
def test_steps_that_rewrite_text_keep_phrases_whole(later: p.PreTokenizer, phrase: str) -> None:
    found = p.Sequence([p.Dictionary(["New York"]), later]).pre_tokenize_str("to New York")
    assert found[-1] == (phrase, (3, 11))


def test_earlier_steps_may_split_phrases() -> None:
    both = p.Sequence([p.WhitespaceSplit(), p.Dictionary(["New York", "or"])])
    assert words(both, "New York") == ["New", "Y", "or", "k"]


def test_offsets_of_phrases_refer_to_the_text() -> None:
    tok = parts.made(
        normalizer=n.Sequence([n.NFKC(), n.Replace(pw.Regex(r"\s+"), " "), n.Lowercase()]),
        pre_tokenizer=p.Sequence([p.Dictionary(["ab 12", "中文"]), p.WhitespaceSplit()]),
    )
    text = "ＡＢ \t①② x中文"
    encoding = tok.encode(text)
    assert encoding.word_ids == [0, 1, 2]
    assert [text[start:end] for start, end in encoding.offsets] == ["ＡＢ \t①②", "x", "中文"]
    for byte, character in zip(encoding.byte_offsets, encoding.offsets, strict=True):
        start, end = (len(text[:place].encode()) for place in character)
        assert byte == (start, end)


def test_training_takes_phrases_as_words() -> None:
    settings: dict[str, Any] = {
        "normalizer": n.Lowercase(),
        "pre_tokenizer": p.Sequence([p.Dictionary(["new york"]), p.WhitespaceSplit()]),
    }
    texts = ["In New York we", "new york", "york in new"]
    counts = pw.WordCounts.from_texts(texts, **settings)
    assert dict(counts.items()) == {"in": 2, "new york": 2, "we": 1, "york": 1, "new": 1}
    trainer = pw.WordPieceTrainer(60, user_defined_symbols=["new york"])
    for tok in (pw.train(texts, trainer, **settings), pw.train(counts, trainer, **settings)):
        assert tok.tokenize("In New York") == ["in", "new york"]
        assert tok.encode("x New York", add_special_tokens=False).offsets[-1] == (2, 10)
        assert pw.Tokenizer.from_str(tok.to_str()) == tok
    without = pw.train(texts, pw.WordPieceTrainer(60, max_merges=0), **settings)
    assert without.token_to_id("new york") is None


def test_counts_of_phrases_train_with_their_dictionary() -> None:
    pre_tokenizer = p.Sequence([p.Dictionary(["a b"]), p.WhitespaceSplit()])
    tok = pw.train({"a b": 3, "c": 1}, pw.WordPieceTrainer(30), pre_tokenizer=pre_tokenizer)
    assert tok.tokenize("c a b") == ["c", "a b"]


def test_hundred_thousand_phrases() -> None:
    phrases = [f"p{number} q" for number in range(100_000)]
    dictionary = p.Dictionary(phrases)
    assert words(dictionary, "p99999 q, p7 qq") == ["p99999 q", ", ", "p7 q", "q"]
    tok = parts.made(pre_tokenizer=dictionary)
    assert tok.pre_tokenizer == dictionary
    assert pw.Tokenizer.from_str(tok.to_str()) == tok


@pytest.mark.parametrize("given", [[], "abc", [""], [3], {""}, None, {"a": 1}], ids=repr)
def test_invalid_phrases_raise(given: Any) -> None:
    with pytest.raises(ConfigError, match="phrases"):
        p.Dictionary(given)


# Chinese words


def test_offsets_of_chinese_words_refer_to_the_text() -> None:
    tok = parts.made(
        normalizer=n.BertNormalizer(handle_chinese_chars=False),
        pre_tokenizer=p.Sequence([p.BertPreTokenizer(), p.Jieba()]),
    )
    text = "Ｘ\u0301 我来到\u200b北京清华大学。中文ab"
    encoding = tok.encode(text)
    found = [text[start:end] for start, end in encoding.offsets]
    assert found == ["Ｘ", "我", "来到", "北京", "清华大学", "。", "中文", "ab"]
    assert encoding.word_ids == list(range(8))


def test_user_words_are_found() -> None:
    text = "他来到了网易杭研大厦"
    assert "杭研大厦" in words(p.Jieba(user_words=["杭研大厦"]), text)
    assert "杭研大厦" not in words(p.Jieba(hmm=False), text)
    rare = p.Jieba(hmm=False, user_words=[("来到了网易", 10**8, "x")])
    assert "来到了网易" in words(rare, text)


def test_hmm_joins_unknown_characters() -> None:
    assert words(p.Jieba(), "杭研") == ["杭研"]
    assert words(p.Jieba(hmm=False), "杭研") == ["杭", "研"]


def test_user_dictionary_is_read(tmp_path: Path) -> None:
    path = tmp_path / "user.txt"
    path.write_text("\ufeff杭研大厦\n\n云 计算 5 n\n创新办 3\n", encoding="utf-8")
    jieba = p.Jieba.from_user_dictionary(path)
    assert jieba.user_words == (
        ("杭研大厦", None, None),
        ("云 计算", 5, "n"),
        ("创新办", 3, None),
    )
    assert "杭研大厦" in words(jieba, "来到杭研大厦")
    assert pickle.loads(pickle.dumps(jieba)) == jieba
    path.write_text("词 99999999999999999999\n", encoding="utf-8")
    with pytest.raises(pw.errors.FormatError, match=r"user\.txt: line 1: .*too large"):
        p.Jieba.from_user_dictionary(path)


def test_training_with_jieba() -> None:
    texts = ["我来到北京清华大学", "北京大学 hello"]
    settings: dict[str, Any] = {
        "normalizer": n.BertNormalizer(handle_chinese_chars=False),
        "pre_tokenizer": p.Jieba(),
    }
    counts = pw.WordCounts.from_texts(texts, **settings)
    assert counts["北京"] + counts["北京大学"] == 2
    assert "清华大学" in dict(counts.items())
    tok = pw.train(texts, pw.WordPieceTrainer(60), **settings)
    assert "".join(tok.tokenize("来到北京")).replace("##", "") == "来到北京"
    assert pw.Tokenizer.from_str(tok.to_str()) == tok
    assert pickle.loads(pickle.dumps(tok)) == tok


PADDING_NORMALIZER = n.BertNormalizer()
PADDED_CALLS: list[Callable[[], object]] = [
    lambda: parts.made(normalizer=PADDING_NORMALIZER, pre_tokenizer=p.Jieba()),
    lambda: parts.made(
        normalizer=n.Sequence([n.NFC(), PADDING_NORMALIZER]), pre_tokenizer=p.Jieba()
    ),
    lambda: parts.made(
        normalizer=PADDING_NORMALIZER,
        pre_tokenizer=p.Sequence([p.Digits(), p.Sequence([p.Jieba()])]),
    ),
    lambda: parts.made(normalizer=PADDING_NORMALIZER).replace(pre_tokenizer=p.Jieba()),
    lambda: parts.made(pre_tokenizer=p.Jieba()).replace(normalizer=PADDING_NORMALIZER),
    lambda: pw.train(["中文"], pw.WordPieceTrainer(30), pre_tokenizer=p.Jieba()),
    lambda: pw.WordCounts.from_texts(["中文"], pre_tokenizer=p.Jieba()),
    lambda: pw.Tokenizer.from_str("[UNK]\n", pre_tokenizer=p.Jieba()),
]


@pytest.mark.parametrize("case", range(len(PADDED_CALLS)))
def test_jieba_refuses_a_normalizer_that_pads_characters(case: int) -> None:
    with pytest.raises(ConfigError, match="handle_chinese_chars=False"):
        PADDED_CALLS[case]()


def test_jieba_works_without_padded_characters() -> None:
    unpadded = n.BertNormalizer(handle_chinese_chars=False)
    tok = parts.made(normalizer=unpadded, pre_tokenizer=p.Jieba())
    assert tok.encode("中文 字").tokens == ["中文", "[UNK]"]
    assert pw.Tokenizer.from_str(
        "[UNK]\n中文\n", pre_tokenizer=p.Jieba(), normalizer=unpadded
    ).tokenize("中文") == ["中文"]


@pytest.mark.parametrize(
    "given",
    [
        [""],
        [("中", -1)],
        [("中", 2**64)],
        [("中", 1, "")],
        [("中", "n")],
        [3],
        [()],
        "中",
        ["\ud800"],
    ],
    ids=repr,
)
def test_invalid_user_words_raise(given: Any) -> None:
    with pytest.raises((ConfigError, SurrogateError)):
        p.Jieba(user_words=given)


# Functions


def halves(text: str) -> list[tuple[int, int]]:
    return [(0, len(text) // 2), (len(text) // 2, len(text))]


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (str.split, [("é", (0, 1)), ("中b", (2, 4))]),
        (list, [("é", (0, 1)), (" ", (1, 2)), ("中", (2, 3)), ("b", (3, 4))]),
        (lambda text: text, [("é", (0, 1)), (" ", (1, 2)), ("中", (2, 3)), ("b", (3, 4))]),
        (halves, [("é ", (0, 2)), ("中b", (2, 4))]),
        (lambda _: [(0, 1), "b"], [("é", (0, 1)), ("b", (3, 4))]),
        (lambda _: ["b"], [("b", (3, 4))]),
        (lambda _: ["", (0, 0), (0, 1), (1, 1)], [("é", (0, 1))]),
        (lambda _: (span for span in [(1, 3)]), [(" 中", (1, 3))]),
        (lambda _: (), []),
    ],
)
def test_functions_may_return_words_or_spans(function: Any, wanted: Spans) -> None:
    assert p.Function(function).pre_tokenize_str("é 中b") == wanted


def test_functions_get_normalized_text_without_added_tokens() -> None:
    seen = []

    def note(text: str) -> list[str]:
        seen.append(text)
        return text.split()

    tok = parts.made(
        normalizer=n.Lowercase(),
        pre_tokenizer=p.Sequence([p.CharDelimiterSplit("|"), p.Function(note)]),
        added_tokens=[pw.AddedToken("<X>", special=True)],
    )
    assert tok.encode("A|B<X>ab").tokens == ["a", "b", "<X>", "ab"]
    assert seen == ["a", "b", "ab"]


def test_offsets_of_functions_refer_to_the_text() -> None:
    tok = parts.made(normalizer=n.NFKD(), pre_tokenizer=p.Function(str.split))
    text = "ﬁ é①② x"
    assert [text[a:b] for a, b in tok.encode(text).offsets] == ["ﬁ", "é①②", "x"]


class UserException(Exception):  # noqa: N818  # any exception of a user
    """An exception defined by this test."""


CALLS: dict[str, Callable[[p.Function], object]] = {
    "alone": lambda f: f.pre_tokenize_str("a b"),
    "encode": lambda f: parts.made(pre_tokenizer=f).encode("a b"),
    "encode_ids": lambda f: parts.made(pre_tokenizer=f).encode_ids("a b", "b"),
    "batch": lambda f: parts.made(pre_tokenizer=f).encode_batch(["a b"]),
    "threads": lambda f: parts.made(pre_tokenizer=f).encode_batch(["a b"] * 40_000, threads=2),
    "columns": lambda f: parts.made(pre_tokenizer=f).encode_batch(["a b"], offsets=True),
    "segments": lambda f: parts.made(pre_tokenizer=f).encode_segments([("a b", True)]),
    "count": lambda f: parts.made(pre_tokenizer=f).count("a b"),
    "tokenize": lambda f: parts.made(pre_tokenizer=f).tokenize("a b"),
    "words": lambda f: parts.made(pre_tokenizer=f).encode(["a b"], is_pretokenized=True),
    "train": lambda f: pw.train(["a b"], pw.WordPieceTrainer(30), pre_tokenizer=f),
    "counts": lambda f: pw.WordCounts.from_texts(["a b"] * 300, pre_tokenizer=f),
}
FAILURES = (
    UserException,
    ZeroDivisionError,
    StopIteration,
    RecursionError,
    KeyboardInterrupt,
    SystemExit,
)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("failure", FAILURES)
def test_exceptions_of_functions_propagate_unchanged(
    name: str, failure: type[BaseException]
) -> None:
    raised = failure("a message")

    def fail(_: str) -> list[str]:
        raise raised

    with pytest.raises(failure) as caught:
        CALLS[name](p.Function(fail))
    assert caught.value is raised


def fail_late(text: str) -> Iterable[str]:
    yield text[:1]
    raise UserException


@pytest.mark.parametrize("name", CALLS)
def test_exceptions_during_iteration_propagate(name: str) -> None:
    with pytest.raises(UserException):
        CALLS[name](p.Function(fail_late))


WRONG: dict[str, tuple[Callable[[str], Any], str]] = {
    "nothing": (lambda _: None, "iterated"),
    "a number": (lambda _: 3, "iterated"),
    "numbers": (lambda _: [3], "as str, or spans"),
    "bytes": (lambda _: [b"a"], "as str, or spans"),
    "fractions": (lambda _: [(0.0, 1.0)], "as str, or spans"),
    "three": (lambda _: [(0, 1, 2)], "as str, or spans"),
    "negative": (lambda _: [(-1, 1)], "as str, or spans"),
    "huge": (lambda _: [(0, 2**70)], "as str, or spans"),
    "beyond": (lambda _: [(0, 9)], r"\(0, 9\) of a text of 3"),
    "backward": (lambda _: [(2, 1)], r"\(2, 1\) of a text of 3"),
    "overlapping": (lambda _: [(0, 2), (1, 3)], r"\(1, 3\) of a text of 3"),
    "disordered": (lambda _: ["b", "a"], 'gave "a"'),
    "twice": (lambda _: ["a", "a"], 'gave "a"'),
    "elsewhere": (lambda _: ["z"], 'gave "z"'),
    "long": (lambda _: ["z" * 10**6], "gave"),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", CALLS)
def test_invalid_results_of_functions_raise(name: str, wrong: str) -> None:
    function, message = WRONG[wrong]
    with pytest.raises(ConfigError, match=f"pre-tokenizer function .*{message}") as caught:
        CALLS[name](p.Function(function))
    assert len(str(caught.value)) < 400


def test_lone_surrogate_from_a_function_raises() -> None:
    with pytest.raises(SurrogateError):
        p.Function(lambda _: ["\ud800"]).pre_tokenize_str("a")


@pytest.mark.parametrize("given", [3, None, "split", [str.split]], ids=repr)
def test_non_callables_raise(given: Any) -> None:
    with pytest.raises(ConfigError, match="function: expected a function"):
        p.Function(given)


def test_function_is_called_from_several_threads() -> None:
    seen = set()

    def split(text: str) -> list[str]:
        seen.add(threading.get_ident())
        return text.split()

    tok = parts.made(pre_tokenizer=p.Function(split))
    texts = [f"a b ab{number % 7} 12" for number in range(2000)]
    wanted = [tok.encode_ids(text) for text in texts]

    def work(number: int) -> bool:
        some = texts[number::16]
        one_by_one = [tok.encode(text).ids for text in some] == wanted[number::16]
        together = tok.encode_batch(some, threads=1 + number % 3).to_list() == wanted[number::16]
        return one_by_one and together

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(16)))
    assert len(seen) > 1
    for threads in (1, 2, 8):
        assert tok.encode_batch(texts * 20, threads=threads).to_list() == wanted * 20


def test_functions_in_training_and_counting() -> None:
    texts = ["a-b ab", "ab-ab"] * 50
    split = p.Function(lambda text: text.replace("-", " ").split())
    for threads in (1, 3):
        counts = pw.WordCounts.from_texts(texts, pre_tokenizer=split, threads=threads)
        assert dict(counts.items()) == {"a": 50, "b": 50, "ab": 150}
    tok = pw.train(texts, pw.WordPieceTrainer(30), pre_tokenizer=split)
    assert tok.tokenize("ab-b") == ["ab", "b"]
    assert pw.train(counts, pw.WordPieceTrainer(30), pre_tokenizer=split) == tok
    other = p.Function(str.split)
    with pytest.raises(CountsError):
        counts + pw.WordCounts.from_texts(texts, pre_tokenizer=other)
    with pytest.raises(CountsError):
        pw.train(counts, pw.WordPieceTrainer(30), pre_tokenizer=other)


def test_saving_a_function_raises_with_alternatives(tmp_path: Path) -> None:
    split = p.Sequence([p.Digits(), p.Function(str.split)])
    tok = parts.made(parts.MODELS[0], pre_tokenizer=split)
    path = tmp_path / "file"
    counts = pw.WordCounts.from_texts(["a"], pre_tokenizer=split)
    for save in (
        lambda: tok.save(path),
        tok.to_str,
        lambda: counts.save(path),
        split.to_dict,
        split.pre_tokenizers[1].to_dict,
    ):
        with pytest.raises(
            ConfigError, match=r"cannot be saved.*Split|cannot be saved.*Dictionary"
        ):
            save()
    assert not path.exists()
    saved = tok.replace(pre_tokenizer=None).to_str()
    assert pw.Tokenizer.from_str(saved).replace(pre_tokenizer=split) == tok


def test_function_in_a_file_raises() -> None:
    for index in ("", ', "index": 0'):
        text = parts.made().to_str()
        text = text.replace('"type": "Whitespace"', f'"type": "piecework.Function"{index}')
        with pytest.raises(pw.errors.FormatError, match=r"\$\.pre_tokenizer"):
            pw.Tokenizer.from_str(text)


def test_changed_tokenizers_keep_functions() -> None:
    first, second = p.Function(str.split), p.Function(list)
    split = p.Sequence([first, p.Digits(), p.Sequence([second])])
    tok = parts.made(pre_tokenizer=split)
    for changed in (
        tok,
        tok.replace(normalizer=n.Lowercase()),
        tok.with_added_tokens(["<x>"]),
        tok.replace(truncation=9, padding=2),
    ):
        assert changed.pre_tokenizer == split
        assert changed.encode("ab b1").tokens == ["a", "b", "b", "1"]
    assert tok.replace(pre_tokenizer=second).pre_tokenizer == second
    assert tok != parts.made(pre_tokenizer=p.Sequence([second, p.Digits(), p.Sequence([first])]))
    assert tok == parts.made(pre_tokenizer=split)
    assert hash(tok) == hash(parts.made(pre_tokenizer=split))


def test_function_is_called_once_per_word() -> None:
    seen: list[str] = []
    split = p.Function(lambda text: seen.append(text) or [text])  # type: ignore[func-returns-value]
    parts.made(pre_tokenizer=p.Sequence([p.WhitespaceSplit(), split])).encode("a b a")
    assert seen == ["a", "b", "a"]


def test_unmatchable_phrases_raise_a_warning() -> None:
    split = p.Sequence([p.Dictionary(["ab", "北京", "New"]), p.WhitespaceSplit()])
    bert = pw.normalizers.BertNormalizer()
    with pytest.warns(PieceworkWarning, match=r"\['北京', 'New'\].*handle_chinese_chars=False"):
        parts.made(normalizer=bert, pre_tokenizer=split)
    with pytest.warns(PieceworkWarning, match="no text matches them"):
        pw.WordCounts.from_texts(["a"], pre_tokenizer=split)
    prepend = pw.normalizers.Prepend("_")
    parts.made(
        normalizer=prepend, pre_tokenizer=split
    )  # no warning: it changes texts, but no phrase within them
