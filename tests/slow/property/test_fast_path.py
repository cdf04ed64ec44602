"""Fast path and generic path give the same tokens, for every character and every pipeline of the fast path."""

import itertools
import random
import unicodedata
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import piecework as pw
from piecework import normalizers as n, pre_tokenizers as p
from piecework._settings.arguments import EncodingPath
from piecework.patterns import SPLIT_PATTERNS
from piecework.tokenizer._batch import Call, EncodedBatch
from piecework.tokenizer._options import UNLIMITED

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
    "unchanged, \\w": (None, p.Whitespace()),
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
        for name in ("gpt2", "cl100k", "llama3", "qwen2", "qwen35", "o200k", "kimi", "tekken")
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
    "grammar gpt2, bytes after a space": (None, p.ByteLevel()),
    "grammar gpt2, compatible": (n.NFKC(), p.ByteLevel(add_prefix_space=False)),
    "grammar cl100k, decomposed": (
        n.Sequence([n.NFC(), n.NFD()]),
        p.Split(pw.Regex(SPLIT_PATTERNS["cl100k"]), "removed", invert=True),
    ),
}
METASPACES: dict[str, tuple[n.Normalizer | None, p.PreTokenizer]] = {
    "metaspace": (None, p.Metaspace()),
    "metaspace, none before a text": (None, p.Metaspace(prepend_scheme="never")),
    "metaspace, joined": (n.Replace(pw.Regex(" {2,}"), " "), p.Metaspace()),
    "metaspace, folded": (
        n.Sequence([n.NFKC(), n.Lowercase()]),
        p.Metaspace(prepend_scheme="first"),
    ),
    "metaspace, white space split": (None, p.Sequence([p.WhitespaceSplit(), p.Metaspace()])),
    "metaspace, white space split, first": (
        None,
        p.Sequence([p.WhitespaceSplit(), p.Metaspace(prepend_scheme="first")]),
    ),
    "metaspace, rules": (
        n.Sequence([n.Precompiled.of("nmt_nfkc"), n.Replace(pw.Regex(" {2,}"), " ")]),
        p.Metaspace(),
    ),
    "metaspace, folding rules, white space split": (
        n.Sequence([n.Precompiled.of("nmt_nfkc_cf"), n.Strip(left=False)]),
        p.Sequence([p.WhitespaceSplit(), p.Metaspace()]),
    ),
}


def isolated(pattern: str) -> p.Split:
    """Returns the pre-tokenizer that makes each match of a pattern a word."""
    return p.Split(pw.Regex(pattern), "isolated")


DIVISIONS: dict[str, tuple[n.Normalizer | None, p.PreTokenizer]] = {
    "starcoder": (
        None,
        p.Sequence([p.Digits(individual_digits=True), p.ByteLevel(add_prefix_space=False)]),
    ),
    "deepseek": (
        n.Sequence([]),
        p.Sequence(
            [
                isolated(r"\p{N}{1,3}"),
                isolated("[一-龥\u3040-ゟ゠-ヿ]+"),
                isolated(
                    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
                    r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
                ),
                p.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        ),
    ),
    "deepseek-coder": (
        None,
        p.Sequence(
            [
                *map(isolated, (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+")),
                p.Digits(individual_digits=True),
                p.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        ),
    ),
    "bloom": (
        None,
        p.Sequence(
            [
                isolated(r" ?[^(\s|[.,!?…。，、।۔،])]+"),
                p.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        ),
    ),
    "white space within words": (None, isolated(r"[0-9]+")),
    "falcon": (
        None,
        p.Sequence(
            [
                p.Punctuation("contiguous"),
                p.ByteLevel(add_prefix_space=False),
                p.Digits(),
                isolated("[0-9][0-9][0-9]"),
            ]
        ),
    ),
    "starcoder, compatible": (
        n.NFKC(),
        p.Sequence([p.Digits(individual_digits=True), p.ByteLevel(add_prefix_space=False)]),
    ),
    "punctuation, composed": (n.NFC(), p.Sequence([p.Punctuation(), isolated(r"\s?\p{L}+")])),
}
OTHERS |= GRAMMARS | METASPACES | DIVISIONS
SELECTED = ("bert 1111", "bert 1100", "bert 0000", *OTHERS)
SWEPT = (
    *("bert 1111", "folded, \\w", "metaspace, folded"),
    *("grammar cl100k", "grammar o200k", "grammar clip, lower case"),
)
"""Pipelines that the normal suite tries with every character."""
STEP = 1 << 12
PLANE = 1 << 16
SURROGATES = range(0xD800, 0xE000)
COLUMNS = ("ids", "offsets", "word_ids")


def pieces() -> list[str]:
    """Returns a vocabulary with characters of many scripts, as words and as continuations, and some words."""
    text = "abcxyz0189.,!?<>$éàñßøŁİıſΟΔςσабвגدहिไทยあ漢字한글①ﬁ½\u0301\u0323\u20e3\u200d😀"
    words = ["ab", "##ab", "acb", "##b", "a1", "é", "한", "##국"]
    both = ([c, f"##{c}"] for c in text)
    return list(dict.fromkeys(["[UNK]", *itertools.chain.from_iterable(both), *words]))


def tokenizer(pipeline: str) -> pw.Tokenizer:
    """Returns a tokenizer with a token for each unknown character."""
    normalizer, pre_tokenizer = (BERT | OTHERS)[pipeline]
    vocab = {piece: number for number, piece in enumerate(pieces())}
    model = pw.models.WordPiece(vocab, unknown="char")
    made = pw.Tokenizer(model, normalizer=normalizer, pre_tokenizer=pre_tokenizer)
    assert made.generic_path_reason is None, made.generic_path_reason
    return made


def encoded(
    tok: pw.Tokenizer, texts: list[str], path: EncodingPath, *, columns: bool = True
) -> EncodedBatch:
    """Encodes texts on one of the paths."""
    call = Call(tok, texts, {"specials": "match", **UNLIMITED})
    options = tok._new_options({"specials": "match", **UNLIMITED}, path=path)
    return EncodedBatch(tok._core.encode_batch(texts, False, options, columns, 1), call, 1)


def check_paths_agree(tok: pw.Tokenizer, texts: list[str]) -> None:
    """Checks that all paths give the same columns, with a cold cache, a warm one, and none."""
    wanted = encoded(tok, texts, "generic")
    for path in ("fast", "fast", "uncached"):
        found = encoded(tok, texts, path)
        assert np.array_equal(found.row_offsets, wanted.row_offsets), differing(tok, texts)
        for column in COLUMNS:
            assert np.array_equal(getattr(found, column), getattr(wanted, column)), column
    for path in ("fast", "uncached"):
        ids = encoded(tok, texts, path, columns=False).ids
        assert np.array_equal(ids, wanted.ids), differing(tok, texts)


def differing(tok: pw.Tokenizer, texts: list[str]) -> list[str]:
    """Returns the texts whose ids on the fast path differ."""
    paths: tuple[EncodingPath, EncodingPath] = ("fast", "generic")
    return [
        text
        for text in texts
        if len({tuple(encoded(tok, [text], path).ids.tolist()) for path in paths}) > 1
    ]


def blocks(*, every: bool) -> Iterator[list[str]]:
    """Iterates over all Unicode scalar values in blocks.

    Unless `every`, it omits blocks within a plane that have no character, or private ones only.
    """
    for start in range(0, 0x110000, STEP):
        at_edge = start % PLANE in (0, PLANE - STEP)
        block = [chr(code) for code in range(start, start + STEP) if code not in SURROGATES]
        if every or at_edge or any(map(is_assigned, block)):
            yield block


def is_assigned(c: str) -> bool:
    """Returns whether a code point is a character of Unicode."""
    return unicodedata.category(c) not in ("Cn", "Co")


@pytest.mark.parametrize(
    ("pipeline", "every"),
    [
        *((name, False) for name in SWEPT),
        *(pytest.param(name, True, marks=pytest.mark.parity) for name in BERT | OTHERS),
    ],
)
def test_paths_agree_on_every_character(pipeline: str, every: bool) -> None:
    tok = tokenizer(pipeline)
    for some in blocks(every=every):
        check_paths_agree(tok, [f"{c} a{c}b a {c} b a{c}\u0301b {c}{c}1 .{c}" for c in some])


@pytest.mark.parametrize("pipeline", [name for name in METASPACES if "rules" in name])
def test_removed_first_characters_shift_all_offsets(pipeline: str) -> None:
    starts = ["\x7f", "\x7f\x7f", "\u200b", "\u0301", "\x7f\x7fé"]
    ends = ["", "a", "a b c", " a b", "ab  é", "a\x7f b", "<s>\x7fa b"]
    texts = [start + end for start in starts for end in ends]
    texts += [f"a {text}" for text in texts] + texts
    check_paths_agree(tokenizer(pipeline), texts)
    marked = tokenizer(pipeline).with_added_tokens([pw.AddedToken("<s>", special=True)])
    check_paths_agree(marked, texts)


@pytest.mark.parametrize("pipeline", ["metaspace, folded", "bert 1101"])
def test_rejected_tokens_stay_rejected_in_a_range(pipeline: str) -> None:
    tokens = [
        pw.AddedToken("1", normalized=False),
        pw.AddedToken("a>b", single_word=True, normalized=False),
        pw.AddedToken("中", special=True),
        pw.AddedToken("c", single_word=True, normalized=False),
        pw.AddedToken("B", normalized=True),
        pw.AddedToken("<s>", normalized=True),
    ]
    texts = ["a>b1", "▁<s>c中", "é<s> a>bé B", "ca>b<s>c1", "‹é<s>c"]
    check_paths_agree(tokenizer(pipeline).with_added_tokens(tokens), texts)


def test_blocks_hold_every_character() -> None:
    assigned = {c for c in range(0x110000) if is_assigned(chr(c))}
    for every, least in ((True, set(range(0x110000))), (False, assigned)):
        found = {ord(c) for block in blocks(every=every) for c in block}
        assert found >= least - set(SURROGATES)


HARD_TEXTS = (
    "a\U0002b820b a\U0002b920b a\u0378b a\x0bb a\x85b a\x00b a\ufffdb a\xadb \ufeffhello",
    "İstanbul ΟΔΟΣ ẞ \u212a ﬁ a\u20ddb a\u1ac1b a\u0323\u0307b a\u0307\u0323b",
    "한글 각각 हिन्दी ไทยเขียน می\u200cخواهم 👩\u200d👩\u200d👧 漢字かな",
    "'re've y'all'd've 'ſ I'LLa \r\n\r\n  \n  x !\n/\n/x 中文ABC HTTPServer 1234567 ",
    "I'LL'S T\u0308 t\u0308 " + "x-Y_2." * 20 + "é " + "x-Y_2." * 20 + "\u3000" + "Word" * 30,
    "a;\u037eb \u1fef \u0344x .\u0338 \u0301\u0323 \u00a0\u3000\u2028x",
    "##ing un##able ## " + "a" * 101 + " " + "é" * 70 + " " + "e\u0301" * 40,
)


FILLS = ("a", " ", ".", "é", "漢")


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.parity)])
@pytest.mark.parametrize("pipeline", SELECTED)
@pytest.mark.parametrize("text", HARD_TEXTS)
def test_paths_agree_at_every_position_in_a_block(pipeline: str, text: str, every: bool) -> None:
    """Without `every`, a position is tried with one fill, which differs between texts, and an end of a text at one position."""
    tok = tokenizer(pipeline)
    before = [fill * count for fill in FILLS for count in range(65)]
    ends = [text[:cut] for cut in range(len(text))]
    if every:
        check_paths_agree(tok, [prefix + text for prefix in before])
        check_paths_agree(tok, [prefix + end for prefix in before[::13] for end in ends])
    else:
        shift = HARD_TEXTS.index(text)
        fills = [FILLS[(count + shift) % len(FILLS)] for count in range(65)]
        check_paths_agree(tok, [fill * count + text for count, fill in enumerate(fills)])
        prefixes = itertools.cycle(before[::13])
        check_paths_agree(tok, [prefix + end for prefix, end in zip(prefixes, ends, strict=False)])


@pytest.mark.parametrize("name", ["multi/tatoeba-112langs.tsv", "nasty/synthetic-zalgo.txt"])
@pytest.mark.parametrize(
    "size", [200_000, pytest.param(1_000_000, marks=pytest.mark.parity)], ids=str
)
def test_paths_agree_on_corpora(corpus_bytes: Callable[[str], bytes], name: str, size: int) -> None:
    text = corpus_bytes(name).decode("utf-8", "replace")[:size]
    texts = [text[at : at + 3_000] for at in range(0, len(text), 3_000)]
    for pipeline in SELECTED:
        check_paths_agree(tokenizer(pipeline), texts)


def test_each_specials_policy_has_its_own_cache() -> None:
    """Chunks cached with special tokens matched are not used where they are text, and vice versa."""
    tok = pw.Tokenizer.from_str("[UNK]\n[SEP]\nsep\n[\n]\n##sep")
    for _ in range(2):
        assert tok.encode_ids("[SEP]", specials="match") == [1]
        assert tok.encode_ids("[SEP]", specials="text") == [3, 2, 4]
        assert tok.encode("[SEP]", specials="text").ids == [3, 2, 4]
    more = tok.with_added_tokens([pw.AddedToken("sep", normalized=False)])
    assert more.encode_ids("sep") == tok.encode_ids("sep") == [2]
    assert more.encode_ids("xsep", cache=False) == [0, 2]


FLAGGED = [
    pw.AddedToken("<a", normalized=False),
    pw.AddedToken("a>b", normalized=True),
    pw.AddedToken("b<a", normalized=True, lstrip=True, rstrip=True),
    pw.AddedToken("one", normalized=True, single_word=True),
    pw.AddedToken("<s>", special=True, normalized=True),
]


@pytest.mark.parametrize(
    ("pipeline", "normalizer"),
    [
        ("starcoder", None),
        ("starcoder", n.Sequence([])),
        ("starcoder", n.NFKC()),
        ("grammar gpt2, bytes after a space", None),
        ("grammar qwen2, composed", n.NFC()),
        ("bert 1111", n.BertNormalizer()),
        ("bert 0000", n.BertNormalizer(lowercase=False)),
        ("folded, \\w", n.Sequence([n.Lowercase(), n.NFD(), n.StripAccents()])),
        ("metaspace, folded", n.Sequence([n.NFKC(), n.Lowercase()])),
        ("grammar clip, lower case", n.Sequence([n.NFC(), n.Lowercase()])),
    ],
)
def test_added_tokens_are_matched_in_normalized_text(
    pipeline: str, normalizer: n.Normalizer | None
) -> None:
    tok = tokenizer(pipeline).replace(normalizer=normalizer).with_added_tokens(FLAGGED)
    assert tok.generic_path_reason is None
    dice = random.Random(1)
    common = [
        "<a",
        "<A",
        ">",
        "b",
        "B",
        "<s>",
        "<S>",
        " ",
        "one",
        "One",
        "x",
        "  ",
        "1",
        "a>b",
        "\n",
    ]
    rare = ["é", "\t", "\x00", "\u0301", "½", "İ", "中", "\x7f", "\x85"]
    for parts in (common, common + rare):
        texts = ["".join(dice.choices(parts, k=dice.randrange(12))) for _ in range(800)]
        check_paths_agree(tok, texts)


@pytest.mark.parametrize(
    ("normalizer", "pre_tokenizer"),
    [
        (None, p.Metaspace(prepend_scheme="first", split=False)),
        (None, p.Metaspace(prepend_scheme="always", split=False)),
        (None, p.Metaspace(prepend_scheme="never", split=False)),
        (n.Replace(" ", "▁"), p.Split(" ", "merged_with_previous")),
        (n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")]), p.Split(pw.Regex(" "), "removed")),
        (n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")]), None),
    ],
    ids=str,
)
def test_paths_agree_where_a_text_is_one_word(
    normalizer: n.Normalizer | None, pre_tokenizer: p.PreTokenizer | None
) -> None:
    letters = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁abcx.<>"]
    merges = [("a", "b"), ("▁", "a"), ("▁a", "b"), ("▁", "▁"), ("c", "▁"), ("x", "."), ("ab", "c")]
    vocab = {token: number for number, token in enumerate([*letters, *map("".join, merges)])}
    model = pw.models.BPE(vocab, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    tok = pw.Tokenizer(model, normalizer=normalizer, pre_tokenizer=pre_tokenizer)
    assert tok.generic_path_reason is None
    dice = random.Random(1)
    parts = [*"abcx.", " ", "  ", "▁", "é", "中", "<s>", "ab", "\n", "one"]
    texts = ["".join(dice.choices(parts, k=dice.randrange(14))) for _ in range(800)]
    check_paths_agree(tok, texts)
    check_paths_agree(tok.with_added_tokens(FLAGGED), texts)


def test_fallback_bytes_keep_their_names_beside_a_token_of_another_name() -> None:
    """An added token whose normal form differs from its entry makes the paths compare names."""
    fallback = [f"<0x{byte:02X}>" for byte in range(256)]
    vocab = [("<unk>", 0.0), *((token, -3.0) for token in fallback), ("▁", -1.0), ("x y", -3.0)]
    model = pw.models.Unigram(
        vocab, unk_id=0, byte_fallback=True, precision="float32", reserved=["<unk>", *fallback]
    )
    tok = pw.Tokenizer(model, normalizer=n.SentencePiece())
    tok = tok.with_added_tokens([pw.AddedToken("x y", normalized=True)])
    paths: tuple[EncodingPath, EncodingPath] = ("generic", "fast")
    options = [tok._new_options({"specials": "text", **UNLIMITED}, path=path) for path in paths]
    generic, fast = (tok._core.encode("b\u20dd", None, False, each) for each in options)
    assert fast == generic


def test_paths_agree_while_the_cache_is_bypassed() -> None:
    """Text without repetition bypasses the cache; the text after it gives the same tokens."""
    tok = tokenizer("bert 1111")
    words = (f"{number:x}{number * 7919 % 10007:x}é" for number in range(60_000))
    check_paths_agree(tok, [" ".join(words), "abc é " * 20_000])
