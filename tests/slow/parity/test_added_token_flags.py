"""Added tokens and their flags against `tokenizers`."""

import itertools
import json
import time
from typing import Any

import pytest

import piecework as pw
from parity_live import loaded
from piecework import decoders as d, hf, models as m, normalizers as n, pre_tokenizers as p

pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")

Token = pw.AddedToken
VOCAB = ["[UNK]", "a", "b", "x", "ab", "##a", "##b", "[SEP]", "中", "ａ", " ", "▁a", "▁"]
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
EVERY_FLAG = [
    dict(zip(FLAGS, flags, strict=True)) for flags in itertools.product((False, True), repeat=5)
]
WHITE = " \t\n\u3000\x85"
AROUND = [
    "[T]",
    "a[T]b",
    "a [T] b",
    f"a{WHITE}[T]{WHITE}b",
    "[T][T] [T]",
    " [T]  [T] ",
    "_[T]1",
    "é[T]\u0301",
    "\u0301[T]中",
    "-[T]-",
    "[T]\u200d[T]",
    "[t] [T] ［Ｔ］",
    "[T",
    "T]",
    "",
    "   ",
]
NORMALIZERS: list[n.Normalizer | None] = [
    None,
    n.Lowercase(),
    n.NFKC(),
    n.BertNormalizer(),
    n.Strip(),
    n.Replace("[", "("),
    n.Replace(pw.Regex(r"\W"), ""),
    n.Prepend("▁"),
    n.ByteLevel(),
    n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")]),
]


def tokenizer(tokens: list[Any], **parts: Any) -> pw.Tokenizer:
    model = m.WordPiece(VOCAB)
    return pw.Tokenizer(
        model, **({"pre_tokenizer": p.WhitespaceSplit()} | parts), added_tokens=tokens
    )


def compare(tok: pw.Tokenizer, texts: list[str]) -> None:
    theirs, like_theirs = loaded(tok.to_str()), hf.Tokenizer.from_str(tok.to_str())
    for text in texts:
        for pair in (None, "a[T] b"):
            found, wanted = tok.encode(text, pair), theirs.encode(text, pair)
            for column in ("ids", "tokens", "offsets", "word_ids", "special_tokens_mask"):
                assert getattr(found, column) == getattr(wanted, column), (column, ascii(text))
            assert tok.encode_ids(text, pair) == wanted.ids
        compare_decoded(tok, like_theirs, theirs, found.ids)


def compare_decoded(tok: pw.Tokenizer, like_theirs: Any, theirs: Any, ids: list[int]) -> None:
    """Compares texts; where the decoder reads the characters of added tokens as bytes, only `piecework.hf` does."""
    for skip in (True, False):
        wanted = theirs.decode(ids, skip_special_tokens=skip)
        assert like_theirs.decode(ids, skip_special_tokens=skip) == wanted, ids
        if not isinstance(tok.decoder, d.ByteLevel):
            assert tok.decode(ids, skip_special_tokens=skip) == wanted, ids


@pytest.mark.parametrize(
    "flags", EVERY_FLAG, ids=lambda f: "+".join(k for k in f if f[k]) or "none"
)
def test_every_combination_of_flags_equals_tokenizers(flags: dict[str, bool]) -> None:
    for normalizer in NORMALIZERS:
        compare(tokenizer([Token("[T]", **flags)], normalizer=normalizer), AROUND)


def test_adjacent_tokens_with_flags_equal_tokenizers() -> None:
    texts = ["[A] [B]", " [A]  [B] ", "[A][B]", "a [B] [A] b", "[B]  [B][A]  [A]", "x[A]  [B]x"]
    for one, two in itertools.product(EVERY_FLAG[:8], repeat=2):
        for normalizer in (None, n.Lowercase()):
            tokens = [Token("[A]", **one), Token("[B]", **two | {"normalized": True})]
            compare(tokenizer(tokens, normalizer=normalizer), texts)


OVERLAPPING = [
    ["ab", "abc", "b", "bc"],
    ["a", "aa", "aaa"],
    ["ab", "bc", "cd", "abcd"],
    ["a b", "b a", "a"],
    ["[A]", "[A][B]", "[B]", "][B"],
    ["é", "\u0301"],
    ["a", "ab", "ａ中"],
    [" ", "  ", " a"],
]


@pytest.mark.parametrize("contents", OVERLAPPING, ids=str)
@pytest.mark.parametrize("normalized", [True, False])
def test_overlapping_tokens_equal_tokenizers(contents: list[str], *, normalized: bool) -> None:
    texts = [
        "abcdabcab",
        "aaaaaaa",
        "a b a a b",
        "[A][B][A]][B",
        "ée\u0301\u0301e",
        "aAａ A",
        "x   a  ",
    ]
    for order in (contents, contents[::-1]):
        for flags in EVERY_FLAG[::4]:
            tokens = [Token(c, **flags | {"normalized": normalized}) for c in order]
            for normalizer in (None, n.Lowercase(), n.NFKC()):
                compare(tokenizer(tokens, normalizer=normalizer), texts)


def test_tokens_matched_before_and_after_normalization() -> None:
    tokens = [
        Token("Ab", normalized=False),
        Token("aB", normalized=True),
        Token("b", normalized=True),
    ]
    texts = ["Ab aB ab AB", "bAbaBb", "xAbaB"]
    for normalizer in (None, n.Lowercase(), n.NFKC()):
        compare(tokenizer(tokens, normalizer=normalizer), texts)


def test_first_token_of_equal_normalized_forms_is_matched() -> None:
    """`tokenizers` matches one of them at random."""
    tokens = ["A", "ａ", "Ａ"]
    normalizer = n.Sequence([n.NFKC(), n.Lowercase()])
    for order in itertools.permutations(tokens):
        tok = tokenizer(list(order), normalizer=normalizer)
        first = min(tok.added_tokens)
        assert tok.encode_ids("Ａ a") == [first, first]


def test_token_with_empty_normalized_form_is_never_matched() -> None:
    """`tokenizers` matches it between all bytes, which panics or splits all characters."""
    tok = tokenizer([Token("\u200b\u200b", normalized=True)], normalizer=n.BertNormalizer())
    assert tok.encode_ids("a\u200b\u200bb") == [VOCAB.index("ab")]
    assert tok.decode([len(VOCAB)], skip_special_tokens=False) == ""


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=str)
def test_ids_equal_tokenizers(normalizer: n.Normalizer | None) -> None:
    contents = ["new", "a", "[SEP]", "New", "new", "x y", "b"]
    theirs = loaded(tokenizer([], normalizer=normalizer).to_str())
    theirs.add_tokens(contents)
    theirs.add_special_tokens(["<s>", "new"])
    ours = tokenizer(contents, normalizer=normalizer).with_added_tokens(
        ["<s>", "new"], special=True
    )
    wanted = {token.content: number for number, token in theirs.get_added_tokens_decoder().items()}
    assert {token.content: number for number, token in ours.added_tokens.items()} == wanted
    assert ours.vocab_size == theirs.get_vocab_size()
    assert ours.vocab == dict(sorted(theirs.get_vocab().items(), key=lambda entry: entry[1]))
    theirs = loaded(
        theirs.to_str()
    )  # otherwise "new" would still decode to its former normalized form
    for number in range(len(ours) + 2):
        assert ours.id_to_token(number) == theirs.id_to_token(number)
    for content in (*contents, "<s>", "new", "nothing"):
        assert ours.token_to_id(content) == theirs.token_to_id(content)
    for text in ("new New x y <s>a [SEP]", "NEW X Y"):
        assert ours.encode_ids(text) == theirs.encode(text).ids


def test_new_ids_after_gaps_equal_tokenizers() -> None:
    for vocab in ({"[UNK]": 0, "a": 5}, {"[UNK]": 3, "a": 1}, {"[UNK]": 0}):
        ours = pw.Tokenizer(m.WordLevel(vocab, "[UNK]"))
        theirs = loaded(ours.to_str())
        theirs.add_tokens(["b", "c"])
        wanted = {c: theirs.token_to_id(c) for c in ("b", "c")}
        more = ours.with_added_tokens(["b", "c"])
        assert {c: more.token_to_id(c) for c in ("b", "c")} == wanted


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=str)
@pytest.mark.parametrize("decoder", [None, d.WordPiece(), d.ByteLevel(), d.Metaspace()], ids=str)
def test_normalized_tokens_decode_to_their_normalized_form(
    normalizer: n.Normalizer | None, decoder: d.Decoder | None
) -> None:
    tokens = [
        Token("New Ｙork", normalized=True),
        Token("É", normalized=True, special=True),
        Token("[X]", special=True),
        Token("ab", normalized=True),
    ]
    tok = tokenizer(tokens, normalizer=normalizer, decoder=decoder)
    theirs = loaded(tok.to_str())
    like_theirs = hf.Tokenizer.from_str(tok.to_str())
    for ids in itertools.permutations(range(len(VOCAB) - 2, len(VOCAB) + 3), 3):
        compare_decoded(tok, like_theirs, theirs, list(ids))
    compare(tok, ["new york É é [X] ab", "NEW ＹORK"])


def test_hundred_thousand_tokens_equal_tokenizers() -> None:
    contents = [f"<{number}>" for number in range(100_000)]
    started = time.perf_counter()
    tok = tokenizer(contents, normalizer=n.Lowercase())
    took = time.perf_counter() - started
    assert took < 10, "takes a second on an idle machine"
    assert len(tok) == len(VOCAB) + 100_000
    texts = ["<99999><0>a <5> <100000> <1", "".join(contents[::1000])]
    assert tok.encode_ids(texts[1]) == [len(VOCAB) + number for number in range(0, 100_000, 1000)]
    compare(tok, texts)
    again = pw.Tokenizer.from_str(tok.to_str())
    assert again == tok


def test_long_tokens_with_common_prefixes_equal_tokenizers() -> None:
    contents = ["a" * length + "b" for length in range(1, 300)]
    tok = tokenizer([Token(content, special=True) for content in contents])
    compare(tok, ["a" * 5000, "a" * 400 + "b", "ab" * 50, ("a" * 299 + "c") * 20])


@pytest.mark.parametrize(
    "pre_tokenizer",
    [
        None,
        p.Metaspace(),
        p.Metaspace(prepend_scheme="first"),
        p.Metaspace(prepend_scheme="never"),
        p.ByteLevel(),
        p.ByteLevel(add_prefix_space=False),
        p.FixedLength(2),
        p.Sequence([p.WhitespaceSplit(), p.Metaspace(prepend_scheme="first")]),
    ],
    ids=str,
)
def test_text_next_to_an_added_token_equals_tokenizers(
    pre_tokenizer: p.PreTokenizer | None,
) -> None:
    texts = ["a[T]a", " a [T] a", "[T]a a", "[T] [T]a", "a[T]", "[T]"]
    for flags in EVERY_FLAG[::2]:
        for normalizer in (None, n.Prepend("▁"), n.Strip()):
            compare(
                tokenizer(
                    [Token("[T]", **flags)], normalizer=normalizer, pre_tokenizer=pre_tokenizer
                ),
                texts,
            )


def test_saved_added_tokens_equal_tokenizers() -> None:
    tokens = [Token(f"<{place}>", **flags) for place, flags in enumerate(EVERY_FLAG)]
    ours = json.loads(tokenizer(tokens).to_str())["added_tokens"]
    theirs = json.loads(loaded(tokenizer(tokens).to_str()).to_str())["added_tokens"]
    assert ours == theirs
