"""The fast road and the general one lead to the same tokens: every character, with every pipeline that may take it."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import piecework as pw
from piecework import normalizers as n
from piecework import pre_tokenizers as p
from piecework.arguments import Road, Way
from piecework.patterns import SPLIT_PATTERNS
from piecework.types import EncodedBatch

FLAGS = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
BERT = {
    f"bert {''.join(map(str, map(int, flags)))}": (
        n.BertNormalizer(**dict(zip(FLAGS, flags, strict=True))),
        p.BertPreTokenizer(),
    )
    for flags in itertools.product((True, False), repeat=4)
}
OTHERS: dict[str, tuple[n.Normalizer | None, p.PreTokenizer]] = {
    "folded, \\w": (n.Sequence([n.Lowercase(), n.NFD(), n.StripAccents()]), p.Whitespace()),
    "accents first, white space": (
        n.Sequence([n.StripAccents(), n.NFD(), n.Lowercase()]),
        p.WhitespaceSplit(),
    ),
    "as it is, \\w": (None, p.Whitespace()),
    "cleaned late, punctuation": (
        n.Sequence([n.NFD(), n.BertNormalizer(lowercase=False)]),
        p.Sequence([p.Punctuation(), p.WhitespaceSplit()]),
    ),
    "digits": (
        n.NFD(),
        p.Sequence([p.Digits(individual_digits=True), p.WhitespaceSplit(), p.Digits()]),
    ),
}
GRAMMARS = {
    **{
        f"grammar {name}": (None, p.Split(pw.Regex(SPLIT_PATTERNS[name]), "isolated"))
        for name in ("gpt2", "cl100k", "llama3", "qwen2", "o200k")
    },
    "grammar clip, bytes": (
        None,
        p.Sequence(
            [
                p.Split(pw.Regex(SPLIT_PATTERNS["clip"]), "removed", invert=True),
                p.ByteLevel(add_prefix_space=False),
            ]
        ),
    ),
    "grammar clip, lower case": (
        n.Sequence([n.NFC(), n.Replace(pw.Regex(r"\s+"), " "), n.Lowercase()]),
        p.Split(pw.Regex(SPLIT_PATTERNS["clip"]), "removed", invert=True),
    ),
    "grammar qwen2, composed": (n.NFC(), p.Split(pw.Regex(SPLIT_PATTERNS["qwen2"]), "isolated")),
    "grammar gpt2, bytes": (None, p.ByteLevel(add_prefix_space=False)),
}
MARKS: dict[str, tuple[n.Normalizer | None, p.PreTokenizer]] = {
    "marks": (None, p.Metaspace()),
    "marks, none before a text": (None, p.Metaspace(prepend_scheme="never")),
    "marks, joined": (n.Replace(pw.Regex(" {2,}"), " "), p.Metaspace()),
    "marks, folded": (n.Sequence([n.NFKC(), n.Lowercase()]), p.Metaspace(prepend_scheme="first")),
    "marks, white space split": (None, p.Sequence([p.WhitespaceSplit(), p.Metaspace()])),
    "marks, white space split, first": (
        None,
        p.Sequence([p.WhitespaceSplit(), p.Metaspace(prepend_scheme="first")]),
    ),
    "marks, rules": (
        n.Sequence([n.Precompiled.of("nmt_nfkc"), n.Replace(pw.Regex(" {2,}"), " ")]),
        p.Metaspace(),
    ),
    "marks, folding rules, white space split": (
        n.Sequence([n.Precompiled.of("nmt_nfkc_cf"), n.Strip(left=False)]),
        p.Sequence([p.WhitespaceSplit(), p.Metaspace()]),
    ),
}
OTHERS |= GRAMMARS | MARKS
SOME = ("bert 1111", "bert 1100", "bert 0000", *OTHERS)
SWEPT = (
    *("bert 1111", "folded, \\w", "marks, folded"),
    *("grammar cl100k", "grammar o200k", "grammar clip, lower case"),
)
"""Pipelines that meet every character in the normal suite."""
STEP = 1 << 12
COLUMNS = ("ids", "offsets", "word_ids")


def pieces() -> list[str]:
    """A vocabulary with characters of many scripts, whole and as continuations, and some words."""
    text = "abcxyz0189.,!?<>$éàñßøŁİıſΟΔςσабвגدहिไทยあ漢字한글①ﬁ½\u0301\u0323\u20e3\u200d😀"
    words = ["ab", "##ab", "acb", "##b", "a1", "é", "한", "##국"]
    both = ([c, f"##{c}"] for c in text)
    return list(dict.fromkeys(["[UNK]", *itertools.chain.from_iterable(both), *words]))


def tokenizer(pipeline: str) -> pw.Tokenizer:
    """A tokenizer that shows what became of every character."""
    normalizer, pre_tokenizer = (BERT | OTHERS)[pipeline]
    vocab = {piece: number for number, piece in enumerate(pieces())}
    model = pw.models.WordPiece(vocab, unknown="char")
    made = pw.Tokenizer(model, normalizer=normalizer, pre_tokenizer=pre_tokenizer)
    assert made.generic_path_reason is None, made.generic_path_reason
    return made


def encoded(
    tok: pw.Tokenizer, texts: list[str], road: Road, *, columns: bool = True
) -> EncodedBatch:
    """The texts on one of the roads."""
    call = pw.types.Call(tok, texts, False, True, "match", None, None, True)
    options = tok._made_options(True, "match", None, None, Way(road))
    return EncodedBatch(tok._core.encode_batch(texts, False, options, columns, 1), call, 1)


def agree(tok: pw.Tokenizer, texts: list[str]) -> None:
    """All roads give the same, text by text, at the first time and again."""
    wanted = encoded(tok, texts, "general")
    for road in ("fast", "fast", "uncached"):
        found = encoded(tok, texts, road)
        assert np.array_equal(found.row_offsets, wanted.row_offsets), differing(tok, texts)
        for column in COLUMNS:
            assert np.array_equal(getattr(found, column), getattr(wanted, column)), column
        ids = encoded(tok, texts, road, columns=False).ids
        assert np.array_equal(ids, wanted.ids), differing(tok, texts)


def differing(tok: pw.Tokenizer, texts: list[str]) -> list[str]:
    """The texts that have other ids on the fast road."""
    roads: tuple[Road, Road] = ("fast", "general")
    return [
        text
        for text in texts
        if len({tuple(encoded(tok, [text], road).ids.tolist()) for road in roads}) > 1
    ]


def scalar_values() -> Iterator[str]:
    """Every character that a text may hold."""
    return map(chr, itertools.chain(range(0xD800), range(0xE000, 0x110000)))


@pytest.mark.parametrize(
    "pipeline",
    [
        pytest.param(name, marks=[] if name in SWEPT else [pytest.mark.parity])
        for name in BERT | OTHERS
    ],
)
def test_every_character(pipeline: str) -> None:
    tok = tokenizer(pipeline)
    characters = scalar_values()
    while some := list(itertools.islice(characters, STEP)):
        agree(tok, [f"{c} a{c}b a {c} b a{c}\u0301b {c}{c}1 .{c}" for c in some])


TRAPS = (
    "a\U0002b820b a\U0002b920b a\u0378b a\x0bb a\x85b a\x00b a\ufffdb a\xadb \ufeffhello",
    "İstanbul ΟΔΟΣ ẞ \u212a ﬁ a\u20ddb a\u1ac1b a\u0323\u0307b a\u0307\u0323b",
    "한글 각각 हिन्दी ไทยเขียน می\u200cخواهم 👩\u200d👩\u200d👧 漢字かな",
    "'re've y'all'd've 'ſ I'LLa \r\n\r\n  \n  x !\n/\n/x 中文ABC HTTPServer 1234567 ",
    "I'LL'S T\u0308 t\u0308 " + "x-Y_2." * 20 + "é " + "x-Y_2." * 20 + "\u3000" + "Word" * 30,
    "a;\u037eb \u1fef \u0344x .\u0338 \u0301\u0323 \u00a0\u3000\u2028x",
    "##ing un##able ## " + "a" * 101 + " " + "é" * 70 + " " + "e\u0301" * 40,
)


@pytest.mark.parametrize("pipeline", SOME)
@pytest.mark.parametrize("trap", TRAPS)
def test_every_place_in_a_block(pipeline: str, trap: str) -> None:
    tok = tokenizer(pipeline)
    before = [fill * count for fill in ("a", " ", ".", "é", "漢") for count in range(65)]
    agree(tok, [filled + trap for filled in before])
    agree(tok, [filled + trap[:cut] for filled in before[::13] for cut in range(len(trap))])


@pytest.mark.parametrize("name", ["multi/tatoeba-112langs.tsv", "nasty/synthetic-zalgo.txt"])
def test_corpora(corpus_bytes: Callable[[str], bytes], name: str) -> None:
    text = corpus_bytes(name).decode("utf-8", "replace")[:1_000_000]
    texts = [text[at : at + 3_000] for at in range(0, len(text), 3_000)]
    for pipeline in SOME:
        agree(tokenizer(pipeline), texts)


def test_caches_are_apart() -> None:
    """What was met where special tokens may be made of text says nothing of where they may not."""
    tok = pw.Tokenizer.from_str("[UNK]\n[SEP]\nsep\n[\n]\n##sep")
    for _ in range(2):
        assert tok.encode_ids("[SEP]", specials="match") == [1]
        assert tok.encode_ids("[SEP]", specials="text") == [3, 2, 4]
        assert tok.encode("[SEP]", specials="text").ids == [3, 2, 4]
    more = tok.with_added_tokens([pw.AddedToken("sep", normalized=False)])
    assert more.encode_ids("sep") == tok.encode_ids("sep") == [2]
    assert more.encode_ids("xsep", cache=False) == [0, 2]


def test_a_cache_may_rest_and_wake() -> None:
    """Text that does not repeat itself passes by the cache; what comes after it is the same."""
    tok = tokenizer("bert 1111")
    words = (f"{number:x}{number * 7919 % 10007:x}é" for number in range(60_000))
    agree(tok, [" ".join(words), "abc é " * 20_000])
