"""Hostile components and inputs: errors with a message in a short time, never a crash."""

import functools
import json
import pickle
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import parts
import piecework as pw
from piecework import (
    decoders as d,
    models as m,
    normalizers as n,
    pre_tokenizers as p,
    processors as q,
)
from piecework.errors import ConfigError, FormatError, PieceworkError, SurrogateError, TokenIdError

MILLION = 10**6
LONE = "a\ud800"


def document(**members: Any) -> str:
    """Returns a tokenizer.json with some members replaced."""
    return json.dumps(json.loads(parts.made().to_str()) | members)


def refused(text: str) -> str:
    """Returns the message of the FormatError that loading raises; it must be short."""
    with pytest.raises(FormatError) as caught:
        pw.Tokenizer.from_str(text)
    assert len(str(caught.value)) < 700
    return str(caught.value)


# Members


REGEX = {"Regex": "a"}
WRONG: list[tuple[str, Any, str]] = [
    ("normalizer", 3, "$.normalizer: expected an object"),
    ("normalizer", {}, "$.normalizer"),
    ("normalizer", {"type": 3}, "$.normalizer.type"),
    ("normalizer", {"type": "NFKX"}, 'did you mean "NFKC"'),
    ("normalizer", {"type": "nfc"}, 'did you mean "NFC"'),
    ("normalizer", {"type": "Whitespace"}, "$.normalizer"),
    ("normalizer", {"type": "NFC", "form": 1}, '"form" is unknown'),
    ("normalizer", {"type": "Strip", "strip_left": True}, "strip_right"),
    ("normalizer", {"type": "Strip", "strip_left": 1, "strip_right": True}, ".strip_left"),
    ("normalizer", {"type": "Strip", "strip_lef": 1, "strip_right": 1}, '"strip_left"'),
    ("normalizer", {"type": "Prepend", "prepend": 3}, "$.normalizer.prepend"),
    ("normalizer", {"type": "Replace", "pattern": "a", "content": ""}, "$.normalizer.pattern"),
    ("normalizer", {"type": "Replace", "pattern": {}, "content": ""}, "$.normalizer.pattern"),
    (
        "normalizer",
        {"type": "Replace", "pattern": REGEX | {"String": "a"}, "content": ""},
        "$.normalizer.pattern",
    ),
    (
        "normalizer",
        {"type": "Replace", "pattern": {"Regex": "(a"}, "content": ""},
        "$.normalizer.pattern.Regex: the regex",
    ),
    ("normalizer", {"type": "Sequence", "normalizers": {}}, "$.normalizer.normalizers"),
    (
        "normalizer",
        {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "X"}]},
        "$.normalizer.normalizers[1]",
    ),
    ("normalizer", {"type": "Precompiled", "precompiled_charsmap": 3}, "precompiled_charsmap"),
    ("normalizer", {"type": "Precompiled", "precompiled_charsmap": "@@"}, "precompiled_charsmap"),
    ("normalizer", {"type": "Precompiled", "precompiled_charsmap": ""}, "precompiled_charsmap"),
    ("normalizer", {"type": "Precompiled", "precompiled_charsmap": "AAAA"}, "precompiled_charsmap"),
    ("pre_tokenizer", [], "$.pre_tokenizer: expected an object"),
    ("pre_tokenizer", {"type": "WhiteSpace"}, 'did you mean "Whitespace"'),
    ("pre_tokenizer", {"type": "Jieba"}, '"piecework.Jieba"'),
    ("pre_tokenizer", {"type": "piecework.Function", "index": 0}, "$.pre_tokenizer"),
    ("pre_tokenizer", {"type": "piecework.Dictionary"}, "phrases"),
    (
        "pre_tokenizer",
        {"type": "piecework.Dictionary", "phrases": [], "single_word": False},
        "$.pre_tokenizer.phrases",
    ),
    (
        "pre_tokenizer",
        {"type": "piecework.Dictionary", "phrases": ["a", 3], "single_word": False},
        "$.pre_tokenizer.phrases[1]",
    ),
    (
        "pre_tokenizer",
        {"type": "piecework.Jieba", "hmm": True, "user_words": [["a", -1, None]]},
        "$.pre_tokenizer.user_words[0][1]",
    ),
    ("pre_tokenizer", {"type": "FixedLength", "length": 0}, "$.pre_tokenizer.length"),
    ("pre_tokenizer", {"type": "FixedLength", "length": -1}, "$.pre_tokenizer.length"),
    ("pre_tokenizer", {"type": "FixedLength", "length": 1.5}, "$.pre_tokenizer.length"),
    ("pre_tokenizer", {"type": "FixedLength", "length": 2**64}, "$.pre_tokenizer.length"),
    ("pre_tokenizer", {"type": "CharDelimiterSplit", "delimiter": "ab"}, ".delimiter"),
    ("pre_tokenizer", {"type": "CharDelimiterSplit", "delimiter": ""}, ".delimiter"),
    ("pre_tokenizer", {"type": "Metaspace", "replacement": "__"}, "$.pre_tokenizer.replacement"),
    (
        "pre_tokenizer",
        {"type": "Metaspace", "replacement": "_", "prepend_scheme": "Always"},
        '"always"',
    ),
    ("pre_tokenizer", {"type": "Punctuation", "behavior": "Isolate"}, "$.pre_tokenizer.behavior"),
    (
        "pre_tokenizer",
        {"type": "Split", "pattern": REGEX, "behavior": "Removed", "invert": "no"},
        "$.pre_tokenizer.invert",
    ),
    ("post_processor", {"type": "BertProcessing", "sep": ["a", 1]}, "cls"),
    ("post_processor", {"type": "BertProcessing", "sep": ["a"], "cls": ["b", 1]}, ".sep"),
    ("post_processor", {"type": "BertProcessing", "sep": [1, "a"], "cls": ["b", 1]}, ".sep"),
    ("post_processor", {"type": "BertProcessing", "sep": ["a", -1], "cls": ["b", 1]}, ".sep"),
    ("post_processor", {"type": "BertProcessing", "sep": ["a", 2**32], "cls": ["b", 1]}, ".sep"),
    ("post_processor", {"type": "RobertaProcesing"}, 'did you mean "RobertaProcessing"'),
    ("post_processor", {"type": "Sequence", "processors": [3]}, "$.post_processor.processors[0]"),
    ("decoder", {"type": "Strip", "content": "ab", "start": 0, "stop": 0}, "$.decoder.content"),
    ("decoder", {"type": "Strip", "content": "a", "start": -1, "stop": 0}, "$.decoder.start"),
    ("decoder", {"type": "Sequence", "decoders": [{"type": "Fuze"}]}, 'did you mean "Fuse"'),
    ("truncation", 5, "$.truncation"),
    ("truncation", {"max_length": 5}, "$.truncation"),
    ("padding", {"strategy": "BatchLongest"}, "$.padding"),
    ("added_tokens", [{"id": 0}], "$.added_tokens[0]"),
    ("added_tokens", [3], "$.added_tokens[0]"),
    ("added_token", [], 'did you mean "added_tokens"'),
    ("model", {"type": "WordLevels", "vocab": {}}, 'did you mean "WordLevel"'),
    ("model", {"type": "WordLevel", "vocab": {}}, "unk_token"),
    ("model", {"type": "WordLevel", "vocab": [], "unk_token": "a"}, "$.model.vocab"),
    ("model", {"type": "WordLevel", "vocab": {"a": 0, "b": 0}, "unk_token": "a"}, "$.model.vocab"),
]


@pytest.mark.parametrize(("name", "value", "expected"), WRONG, ids=str)
def test_wrong_members_raise_with_their_path(name: str, value: Any, expected: str) -> None:
    message = refused(document(**{name: value}))
    assert expected in message
    assert "$" in message


FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
TOKEN: dict[str, Any] = {"id": 31, "content": "<x>", "special": True} | FLAGS
ADDED: list[tuple[dict[str, Any], str]] = [
    ({"content": ""}, "$.added_tokens[0].content"),
    ({"content": None}, '$.added_tokens[0]: the member "content"'),
    ({"id": -1}, "$.added_tokens[0].id"),
    ({"id": 2**32}, "$.added_tokens[0].id"),
    ({"id": 2**32 - 1}, "the next free one is 31"),
    ({"id": 10**9}, "the next free one is 31"),
    ({"id": 0}, "the next free one is 31"),
    ({"id": "31"}, "$.added_tokens[0].id"),
    ({"lstrip": "yes"}, "$.added_tokens[0].lstrip"),
    ({"special": None}, '$.added_tokens[0]: the member "special"'),
    ({"lstrp": True}, 'did you mean "lstrip"'),
    ({"content": "a", "id": 31}, "in the vocabulary"),
]


@pytest.mark.parametrize(("changes", "expected"), ADDED, ids=str)
def test_impossible_added_tokens_raise(changes: dict[str, Any], expected: str) -> None:
    assert len(parts.VOCAB) == 31
    assert pw.Tokenizer.from_str(document(added_tokens=[TOKEN])).encode_ids("<x>") == [31]
    assert expected in refused(document(added_tokens=[TOKEN | changes]))


# Sizes


TRUNCATION = pw.Truncation(5).to_dict()
PADDING = pw.Padding(pad_id=0, pad_token="[PAD]").to_dict()
HUGE = (2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30)


@pytest.mark.parametrize("size", HUGE)
def test_enormous_sizes_are_handled(size: int) -> None:
    tok = parts.made()
    harmless = (
        lambda: tok.encode("a", truncation=size),
        lambda: parts.made(pre_tokenizer=p.FixedLength(size)).encode("a"),
        lambda: d.Strip("x", size, size).decode(["a"]),
    )
    for call in harmless:
        if size < 2**64:
            assert getattr(call(), "tokens", ["a"]) == ["a"]
        else:
            with pytest.raises(ConfigError):
                call()
    for call in (
        lambda: tok.encode("a", padding=size),
        lambda: tok.encode("a", padding=pw.Padding(pad_to_multiple_of=size)),
        lambda: tok.encode_batch(["a"], padding=size),
        lambda: pw.Truncation(5, stride=size),
        lambda: pw.Padding(pad_id=size),
        lambda: pw.Padding(pad_type_id=size),
        lambda: q.BertProcessing(("a", size), ("b", 0)),
        lambda: q.TemplateProcessing(f"$A:{size}"),
    ):
        with pytest.raises(ConfigError):
            call()
    for ids in ([size], [0, size], (-size,)):
        with pytest.raises(TokenIdError):
            tok.decode(ids)
    assert tok.id_to_token(size) is None
    for fixed in ({"strategy": {"Fixed": size}}, {"pad_to_multiple_of": size}):
        _loads_or_is_refused(document(padding=PADDING | fixed))
    _loads_or_is_refused(document(truncation=TRUNCATION | {"max_length": size}))
    _loads_or_is_refused(document(truncation=TRUNCATION | {"stride": size}))
    _loads_or_is_refused(document(pre_tokenizer={"type": "FixedLength", "length": size}))


NUMBERS = (0, 1, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64)
NUMBERED = [
    *(("pre_tokenizer", part) for part in [*parts.PRE_TOKENIZERS, *parts.PIECEWORK_PRE_TOKENIZERS]),
    *(("post_processor", part) for part in parts.POST_PROCESSORS),
    *(("decoder", part) for part in parts.DECODERS),
    *(("model", part) for part in [*parts.MODELS, *parts.PIECEWORK_MODELS]),
    ("truncation", parts.TRUNCATION),
    ("padding", parts.PADDING),
]


def with_other_numbers(data: Any) -> Iterator[Any]:
    """Iterates over copies of JSON data in which one number is replaced by one of those above."""
    items: Any = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if isinstance(value, dict | list) and key != "vocab":
            for other in with_other_numbers(value):
                yield {**data, key: other} if isinstance(data, dict) else _at(data, key, other)
        elif isinstance(value, int) and not isinstance(value, bool):
            for number in NUMBERS:
                yield {**data, key: number} if isinstance(data, dict) else _at(data, key, number)


def _at(values: list[Any], place: int, value: Any) -> list[Any]:
    return [*values[:place], value, *values[place + 1 :]]


@pytest.mark.filterwarnings("ignore:.* it inserts :piecework.errors.PieceworkWarning")
@pytest.mark.parametrize(
    ("name", "part"), NUMBERED, ids=[str(place) for place in range(len(NUMBERED))]
)
def test_loaded_components_have_python_values(name: str, part: Any) -> None:
    for data in with_other_numbers(part.to_dict()):
        try:
            tok = pw.Tokenizer.from_str(document(**{name: data}))
        except PieceworkError:
            continue
        assert getattr(tok, name) is not None
        assert repr(tok)
        assert tok.replace(**{name: getattr(tok, name)}) == tok if name != "model" else True  # type: ignore[misc]
        assert pickle.loads(pickle.dumps(tok)) == tok


def _loads_or_is_refused(text: str) -> None:
    """Checks that a file loads or raises a PieceworkError, without using up the memory."""
    try:
        tok = pw.Tokenizer.from_str(text)
        for name in ("truncation", "padding", "pre_tokenizer"):
            getattr(tok, name)
        assert pw.Tokenizer.from_str(tok.to_str()) == tok
        tok.encode("a b")
        tok.encode_batch(["a b", "a"], offsets=True)
    except PieceworkError as error:
        assert len(str(error)) <= 1000  # noqa: PT017  # loading is fine too


@pytest.mark.parametrize("length", [2**28 + 1, 2**31, 2**32 - 1])
def test_padding_beyond_the_memory_raises(length: int) -> None:
    tok = parts.made()
    for padding in (length, pw.Padding(pad_to_multiple_of=length), pw.Padding(3, length)):
        for offsets in (True, False):
            with pytest.raises(ConfigError, match=r"2\^28"):
                tok.encode_batch(["a"], padding=padding, offsets=offsets)
        with pytest.raises(ConfigError, match=r"2\^28"):
            tok.encode("a", padding=padding)


def test_empty_batch_needs_no_padding() -> None:
    assert len(parts.made().encode_batch([], padding=2**28)) == 0


def test_ids_far_beyond_the_vocabulary_raise() -> None:
    for number in (2**32 - 1, 2**31, 10**8):
        for make in (m.WordLevel, m.WordPiece):
            with pytest.raises(PieceworkError, match=f"{number}, far beyond"):
                pw.Tokenizer(make({"[UNK]": 0, "a": number}, "[UNK]"))
    for number in (2**32, -1, 2**70):
        with pytest.raises(PieceworkError):
            m.WordLevel({"[UNK]": 0, "a": number}, "[UNK]")


def test_enormous_fixed_length_works() -> None:
    assert p.FixedLength(2**32 - 1).pre_tokenize_str("ab") == [("ab", (0, 2))]


def test_enormous_strip_works() -> None:
    assert d.Strip("a", 2**32 - 1, 2**32 - 1).decode(["aab", "", "baa"]) == "bb"


BLOWN: list[tuple[n.Normalizer, str]] = [
    (n.Replace("", "x" * 10**6), "a" * 2_000),
    (n.Replace(pw.Regex("."), "x" * 10**6), "a" * 2_000),
    (n.Sequence([n.Replace("a", "a" * 200)] * 9), "aa"),
    (n.Sequence([n.Replace("", "x" * 60_000)] * 3), "aa"),
]


@pytest.mark.parametrize(
    ("normalizer", "text"), BLOWN, ids=[str(place) for place in range(len(BLOWN))]
)
def test_normalizers_with_huge_output_raise(normalizer: n.Normalizer, text: str) -> None:
    for call in (
        lambda: normalizer.normalize_str(text),
        lambda: parts.made(normalizer=normalizer).encode_batch([text]),
        lambda: pw.WordCounts.from_texts([text], normalizer=normalizer),
    ):
        with pytest.raises(pw.errors.TextTooLongError, match="over the limit of"):
            call()


# Regular expressions


BROKEN = ["(", "[", "*", "(?<n>a)\\k<m>", "\\", "(?z)", "[b-a]", "\\p{Nope}"]


@pytest.mark.parametrize("source", BROKEN)
def test_invalid_regexes_raise(source: str) -> None:
    regex = pw.Regex(source)
    for call in (
        lambda: n.Replace(regex, "").normalize_str("a"),
        lambda: p.Split(regex, "removed").pre_tokenize_str("a"),
        lambda: d.Replace(regex, "").decode(["a"]),
        lambda: parts.made(normalizer=n.Sequence([n.NFC(), n.Replace(regex, "")])),
        lambda: parts.made().replace(pre_tokenizer=p.Split(regex, "removed")),
        lambda: parts.made(decoder=d.Replace(regex, "")),
        lambda: pw.WordCounts.from_texts(["a"], normalizer=n.Replace(regex, "")),
        lambda: pw.train(["a"], pw.WordPieceTrainer(9), pre_tokenizer=p.Split(regex, "removed")),
        lambda: pw.Tokenizer.from_str("[UNK]\n", normalizer=n.Replace(regex, "")),
    ):
        with pytest.raises(ConfigError, match=r"Regex: the regex .* does not compile"):
            call()
    pattern = {
        "type": "Split",
        "pattern": {"Regex": source},
        "behavior": "Removed",
        "invert": False,
    }
    assert "$.pre_tokenizer.pattern.Regex" in refused(document(pre_tokenizer=pattern))


@pytest.mark.slow
@pytest.mark.parametrize("source", ["(a|aa)+(?=c)", "(?i)(a|aa)+c", "(a*)*c|(a*)*$", r"(a+)+\b\B"])
def test_backtracking_regexes_give_up(source: str) -> None:
    regex, text = pw.Regex(source), "a" * 3_000 + "é"
    for call in (
        lambda: n.Replace(regex, "").normalize_str(text),
        lambda: parts.made(pre_tokenizer=p.Split(regex, "isolated")).encode(text),
        lambda: parts.made(normalizer=n.Replace(regex, "")).encode_batch(["a", text]),
        lambda: d.Replace(regex, "").decode([text]),
    ):
        started = time.monotonic()
        with pytest.raises(pw.errors.RegexError, match="gave up"):
            call()
        assert time.monotonic() - started < 30


def test_unusual_regex_matches_are_handled() -> None:
    for source in (
        r"(?=a\K)",
        r"a\Kb|",
        "",
        r"\b",
        r"(?<=a)",
        r"\G",
        r"\z",
        r"(?!)",
        r"\Ka",
        "(?i)ſ",
    ):
        for behavior in p._BEHAVIOR.names:
            for text in ("", "a", "ab éa", "\U0001f600ab"):
                for invert in (True, False):
                    split: Any = p.Split(pw.Regex(source), behavior, invert)  # type: ignore[arg-type]
                    _words_or_error(split, text)


def _words_or_error(split: p.PreTokenizer, text: str) -> None:
    try:
        found = split.pre_tokenize_str(text)
    except pw.errors.RegexError:
        return
    assert all(text[start:end] == word for word, (start, end) in found)


@pytest.mark.parametrize(
    "source",
    [
        "(" * 100_000,
        "(" * 100_000 + "a" + ")" * 100_000,
        "a" * MILLION,
        "a|" * 100_000,
        "[" * 9_999,
    ],
    ids=["open", "closed", "long", "alternatives", "brackets"],
)
def test_enormous_regexes_raise_or_work(source: str) -> None:
    try:
        p.Split(pw.Regex(source), "removed").pre_tokenize_str("a")
    except ConfigError as error:
        assert len(str(error)) < 400  # noqa: PT017  # an error is not required


# Nesting


WRAPS: dict[str, tuple[Any, Callable[[Any], Any], Callable[[Any], object]]] = {
    "normalizer": (n.NFC(), lambda x: n.Sequence([x]), lambda x: x.normalize_str("a")),
    "pre_tokenizer": (
        p.Whitespace(),
        lambda x: p.Sequence([x]),
        lambda x: x.pre_tokenize_str("a"),
    ),
    "post_processor": (
        q.ByteLevel(),
        lambda x: q.Sequence([x]),
        lambda x: x.num_special_tokens_to_add(is_pair=True),
    ),
    "decoder": (d.Fuse(), lambda x: d.Sequence([x]), lambda x: x.decode(["a"])),
}


def nested(name: str, levels: int) -> Any:
    inner, wrap, _ = WRAPS[name]
    return functools.reduce(lambda part, _: wrap(part), range(levels), inner)


@pytest.mark.parametrize("name", WRAPS)
@pytest.mark.parametrize("levels", [100, 1_000, 100_000])
def test_deeply_nested_sequences_raise(name: str, levels: int) -> None:
    with pytest.raises(ConfigError, match="nested"):
        nested(name, levels)


@pytest.mark.parametrize("name", WRAPS)
def test_nested_sequences_work(name: str) -> None:
    part = nested(name, 60)
    WRAPS[name][2](part)
    tok = parts.made(**{name: part})
    assert getattr(tok, name) == part
    assert pw.Tokenizer.from_str(tok.to_str()) == tok
    assert part.from_dict(part.to_dict()) == part
    assert repr(part)
    assert hash(part) == hash(nested(name, 60))


@pytest.mark.parametrize("name", WRAPS)
@pytest.mark.parametrize("levels", [63, 64, 100, 1_000, 20_000])
def test_deeply_nested_files_raise(name: str, levels: int) -> None:
    part = nested(name, 0).to_dict()
    member = next(key for key in nested(name, 1).to_dict() if key != "type")
    opened = f'{{"type": "Sequence", "{member}": [' * levels
    text = f"{opened}{json.dumps(part)}{']}' * levels}"
    whole = document(**{name: "HERE"}).replace('"HERE"', text)
    assert "nested over 127 levels deep" in refused(whole) or levels < 100
    if levels < 10_000:
        tree = functools.reduce(
            lambda part, _: {"type": "Sequence", member: [part]}, range(levels), part
        )
        with pytest.raises(FormatError, match="nested"):
            type(nested(name, 0)).__mro__[1].from_dict(tree)


# Charsmaps


@pytest.mark.slow
def test_random_charsmaps_raise_or_work() -> None:
    rng = random.Random(7)
    for number in range(3_000):
        size = rng.choice((4, 8, 64, 256, 1024, 2048, 4096)) * (number % 3 > 0)
        data = rng.randbytes(size)
        if number % 2:  # a trie of the declared length, and a pool that is UTF-8
            trie = rng.randbytes(rng.choice((4, 1024, 1028, 2048)))
            pool = rng.choice((b"", b"a\0b\0", "é\0中\0".encode(), b"\0" * 9, b"a"))
            data = len(trie).to_bytes(4, "little") + trie + pool
        _normalizes_or_is_refused(data)


def _normalizes_or_is_refused(data: bytes) -> None:
    try:
        normalizer = n.Precompiled(data)
        for text in ("", "a", "ﬁ①é\u0301 ab\0", "".join(map(chr, range(1, 600))), "👩‍👩‍👧\r\n"):
            normalizer.normalize_str(text)
            parts.made(normalizer=normalizer).encode(text)
    except ConfigError as error:
        assert len(str(error)) < 300  # noqa: PT017  # a working normalizer is fine too


@pytest.mark.slow
def test_mutated_charsmaps_raise_or_work() -> None:
    rng, whole = random.Random(8), parts.NO_RULES + "é\0ab\0".encode()
    for end in range(0, len(whole), 9):
        _normalizes_or_is_refused(whole[:end])
    for _ in range(3_000):
        changed = bytearray(whole)
        for _ in range(rng.randrange(1, 40)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        changed[:4] = whole[:4]
        _normalizes_or_is_refused(bytes(changed))


# Lone surrogates


TOK = parts.made()
SURROGATES: dict[str, Callable[[], object]] = {
    "Regex": lambda: pw.Regex(LONE),
    "Replace": lambda: n.Replace(LONE, ""),
    "Replace by": lambda: n.Replace("a", LONE),
    "Prepend": lambda: n.Prepend(LONE),
    "normalize_str": lambda: n.Sequence([n.NFC()]).normalize_str(LONE),
    "Split": lambda: p.Split(LONE, "removed"),
    "CharDelimiterSplit": lambda: p.CharDelimiterSplit("\ud800"),
    "Metaspace": lambda: p.Metaspace("\ud800"),
    "Dictionary": lambda: p.Dictionary(["a", LONE]),
    "Jieba": lambda: p.Jieba(user_words=[LONE]),
    "Jieba tag": lambda: p.Jieba(user_words=[("a", 1, LONE)]),
    "pre_tokenize_str": lambda: p.Jieba().pre_tokenize_str(LONE),
    "Function": lambda: p.Function(lambda _: [LONE]).pre_tokenize_str("a"),
    "function's text": lambda: p.Function(str.split).pre_tokenize_str(LONE),
    "BertProcessing": lambda: q.BertProcessing((LONE, 0), ("a", 1)),
    "Template": lambda: q.TemplateProcessing(f"$A {LONE}", None, [(LONE, 0)]),
    "Template token": lambda: q.TemplateProcessing("$A", None, [(LONE, 0)]),
    "WordPiece decoder": lambda: d.WordPiece(LONE),
    "BPEDecoder": lambda: d.BPEDecoder(LONE),
    "CTC": lambda: d.CTC(LONE),
    "CTC delimiter": lambda: d.CTC("a", LONE),
    "Strip": lambda: d.Strip("\udfff"),
    "decoder Replace": lambda: d.Replace("a", LONE),
    "decode": lambda: d.Fuse().decode([LONE]),
    "WordLevel": lambda: m.WordLevel([LONE]),
    "WordLevel unk": lambda: m.WordLevel(["a"], LONE),
    "WordPiece": lambda: m.WordPiece({LONE: 0}),
    "WordPiece unk": lambda: m.WordPiece(["a"], LONE),
    "WordPiece prefix": lambda: m.WordPiece(["a"], continuing_subword_prefix=LONE),
    "AddedToken": lambda: pw.AddedToken(LONE),
    "with_added_tokens": lambda: TOK.with_added_tokens([LONE]),
    "Padding": lambda: pw.Padding(pad_token=LONE),
    "token_to_id": lambda: TOK.token_to_id(LONE),
    "encode_segments": lambda: TOK.encode_segments([(LONE, True)]),
    "pair": lambda: TOK.encode_batch([("a", LONE)]),
    "words": lambda: TOK.encode(["a", LONE], is_pretokenized=True),
    "batch of words": lambda: TOK.encode_batch([["a"], ["a", LONE]], is_pretokenized=True),
    "specials": lambda: TOK.encode("a", specials={LONE}),
    "specials, a word": lambda: TOK.encode("a", specials=LONE),
    "from_dict": lambda: n.Normalizer.from_dict({"type": "Prepend", "prepend": LONE}),
    "from_dict, type": lambda: n.Normalizer.from_dict({"type": LONE}),
    "from_dict, member": lambda: n.Normalizer.from_dict({"type": "NFC", LONE: 1}),
    "from_str": lambda: pw.Tokenizer.from_str(document(version=LONE)),
    "from_str, plain": lambda: pw.Tokenizer.from_str(LONE),
}


@pytest.mark.parametrize("name", SURROGATES)
def test_lone_surrogates_raise(name: str) -> None:
    with pytest.raises((PieceworkError, SurrogateError)) as caught:
        SURROGATES[name]()
    str(caught.value).encode()
