"""Special tokens in texts and segments: only trusted text produces them."""

import itertools
from typing import Any

import pytest
from hypothesis import given, strategies as st

import parts
import piecework as pw
from piecework import models as m, normalizers as n, pre_tokenizers as p, processors as q
from piecework.errors import ConfigError, SpecialTokenError, SurrogateError
from profiles import examples

pytestmark = pytest.mark.smoke

VOCAB = ["[UNK]", "[CLS]", "[SEP]", "a", "b", "[", "]", "SEP", "##a", "▁a", "▁", "▁[SEP]", "x"]
CLS, SEP = VOCAB.index("[CLS]"), VOCAB.index("[SEP]")
TOKENS = [
    pw.AddedToken("[CLS]", special=True),
    pw.AddedToken("[SEP]", special=True),
    pw.AddedToken("<plain>", normalized=False),
    pw.AddedToken("<Norm>", normalized=True),
]


def made(model: m.Model | None = None, **given: Any) -> pw.Tokenizer:
    settings = {"pre_tokenizer": p.BertPreTokenizer(), "added_tokens": TOKENS} | given
    return pw.Tokenizer(model or m.WordPiece(VOCAB), **settings)


def tokens(tok: pw.Tokenizer, text: str, specials: Any) -> list[str]:
    return tok.tokenize(text, specials=specials)


# `specials=`


def test_added_tokens_that_are_not_special_are_always_matched() -> None:
    tok = made()
    text = "<plain>a<Norm>[SEP]"
    before = ["<plain>", "a", "<Norm>"]
    assert tokens(tok, text, "match") == [*before, "[SEP]"]
    assert tokens(tok, text, "text") == [*before, "[", "SEP", "]"]
    assert tokens(tok, text, {"[SEP]"}) == [*before, "[SEP]"]
    assert tokens(tok, text, {"[CLS]"}) == [*before, "[", "SEP", "]"]
    assert tokens(tok, text, set()) == [*before, "[", "SEP", "]"]
    assert tokens(tok, "<plain>a<Norm>", "error") == before
    with pytest.raises(SpecialTokenError, match=r'"\[SEP\]" at character 14'):
        tokens(tok, text, "error")


def test_special_token_that_is_an_entry_is_no_whole_word() -> None:
    # With `ignore_merges`, a word that equals an entry is that entry, unless it is a special token.
    letters = pw.train(["a"], pw.BpeTrainer(256, alphabet="byte")).vocab
    model = m.BPE([*letters, "SYS"], ignore_merges=True)
    tok = pw.Tokenizer(
        model,
        pre_tokenizer=p.ByteLevel(add_prefix_space=False),
        added_tokens=[pw.AddedToken("SYS", special=True)],
    )
    assert tok.tokenize("SYS") == ["SYS"]
    apart = ["S", "Y", "S"]
    assert tok.tokenize("SYS", specials="text") == apart
    assert tok.encode("SYS", specials="text").tokens == apart
    assert tok.encode_segments([("SYS", False)]).tokens == apart
    assert tok.encode_batch(["SYS"], specials="text")[0].tokens == apart


def test_specials_set_accepts_only_special_tokens() -> None:
    for wrong in ({"<plain>"}, {"[SEP]", "a"}, {"no such"}, {""}):
        with pytest.raises(ConfigError, match="not among the special tokens"):
            made().encode("a", specials=wrong)
    with pytest.raises(SurrogateError):
        made().encode("a", specials={"\ud800"})
    with pytest.raises(TypeError):
        made().encode("a", specials={3})  # type: ignore[arg-type]


def test_disallowed_token_does_not_hide_allowed_tokens() -> None:
    special = [pw.AddedToken(c, special=True) for c in ("<a>", "<a><b>", "<b>", "b><a")]
    tok = made(added_tokens=special)
    assert tokens(tok, "<a><b>", "match") == ["<a><b>"]
    assert tokens(tok, "<a><b>", {"<b>"})[-1] == "<b>"
    assert tokens(tok, "<a><b>", {"<a>", "<b>"}) == ["<a>", "<b>"]
    assert tokens(tok, "<b><a>", {"<a>"})[-1] == "<a>"


def test_error_position_counts_characters_of_the_text() -> None:
    token = pw.AddedToken("sep", special=True, normalized=True)
    tok = made(normalizer=n.Sequence([n.NFKC(), n.Lowercase()]), added_tokens=[token])
    for text, place in (("ＳＥＰ", 0), ("é ﬁ SEP", 4), ("a\nｘSep", 3)):
        with pytest.raises(SpecialTokenError, match=f"at character {place};"):
            tok.encode(text, specials="error")
        with pytest.raises(SpecialTokenError, match=f"text 1: .*at character {place};"):
            tok.encode_batch(["a", text], specials="error")


INJECTIONS: dict[str, tuple[pw.Tokenizer, list[str]]] = {
    "plain": (made(), ["[SEP]", "a[SEP]b", "[SEP][CLS]", "[[SEP]]", "[CLS][SEP"]),
    "word of the vocabulary": (
        made(m.WordLevel(VOCAB, "[UNK]"), pre_tokenizer=p.WhitespaceSplit()),
        ["[SEP]", " [SEP] ", "a [SEP] b", "[CLS] [SEP]"],
    ),
    "WordPiece on white space": (
        made(pre_tokenizer=p.WhitespaceSplit()),
        ["[SEP]", "a [SEP] b", "[SEP]a", "x[SEP]"],
    ),
    "no pre-tokenizer": (made(pre_tokenizer=None), ["[SEP]", "[CLS]"]),
    "no pre-tokenizer, unknown runs": (
        made(m.WordPiece(VOCAB, unknown="run"), pre_tokenizer=None),
        ["[SEP]a", "a[SEP]", "[SEP][SEP]"],
    ),
    "full width": (
        made(
            m.WordLevel(VOCAB, "[UNK]"),
            normalizer=n.NFKC(),
            pre_tokenizer=p.WhitespaceSplit(),
            added_tokens=[
                pw.AddedToken("[CLS]", special=True, normalized=True),
                pw.AddedToken("[SEP]", special=True, normalized=True),
            ],
        ),
        ["［ＳＥＰ］", "[SEP]", "a ［ＳＥＰ] b", "［ＣＬＳ］［ＳＥＰ］"],
    ),
    "full width, matched before normalization": (
        made(m.WordLevel(VOCAB, "[UNK]"), normalizer=n.NFKC(), pre_tokenizer=p.WhitespaceSplit()),
        ["［ＳＥＰ］", "a ［ＳＥＰ］"],
    ),
    "dropped characters": (
        made(
            m.WordLevel(VOCAB, "[UNK]"),
            normalizer=n.BertNormalizer(lowercase=False),
            pre_tokenizer=p.WhitespaceSplit(),
        ),
        ["[S\u200bEP]", "\x01[SEP]", "[SE\u0301P]"],
    ),
    "replaced": (
        made(
            m.WordLevel(VOCAB, "[UNK]"),
            normalizer=n.Replace("?", "[SEP]"),
            pre_tokenizer=p.WhitespaceSplit(),
        ),
        ["?", "a ? b"],
    ),
    "from a Python function": (
        made(m.WordLevel(VOCAB, "[UNK]"), pre_tokenizer=p.Function(lambda text: [text])),
        ["[SEP]", "[CLS]"],
    ),
    "from a dictionary": (
        made(m.WordLevel(VOCAB, "[UNK]"), pre_tokenizer=p.Dictionary(["[SEP]"])),
        ["[SEP]", "a[SEP]"],
    ),
    "in single characters": (
        made(
            m.WordPiece([*VOCAB, "#", "##b"], continuing_subword_prefix=""),
            pre_tokenizer=None,
            added_tokens=[pw.AddedToken("[SEP]", special=True), pw.AddedToken("#", special=True)],
        ),
        ["a[SEP]", "#", "a#", "[SEP]#"],
    ),
}


@pytest.mark.parametrize("name", INJECTIONS)
def test_untrusted_text_gives_no_special_tokens(name: str) -> None:
    tok, texts = INJECTIONS[name]
    special = set(tok.special_tokens.values())
    for text in texts:
        for ids in (
            tok.encode_ids(text, specials="text", add_special_tokens=False),
            tok.encode_ids(text, "a " + text, specials=set(), add_special_tokens=False),
            tok.encode_ids([text, text], is_pretokenized=True, specials="text"),
            tok.encode_batch([text] * 3, specials="text").ids.tolist(),
            tok.encode_segments([(text, False)]).ids,
            tok.encode_segments([("[SEP]", False), (text, False), (text, False)]).ids,
            tok.encode_segments([(text[:2], False), (text[2:], False)]).ids,
            tok.encode_segments([(c, False) for c in text]).ids,
        ):
            assert not special.intersection(ids), (text, ids)


def test_special_token_is_not_matched_across_segments() -> None:
    tok = made()
    for cut in range(1, 5):
        for trust in itertools.product((True, False), repeat=2):
            halves = zip(("[SEP]"[:cut], "[SEP]"[cut:]), trust, strict=True)
            assert SEP not in tok.encode_segments(halves).ids


# Segments


def test_trusted_segments_match_specials_and_others_do_not() -> None:
    tok = made(
        post_processor=q.BertProcessing(("[SEP]", SEP), ("[CLS]", CLS)),
        normalizer=n.Lowercase(),
    )
    for text in ("a[SEP]b", "", " ", "É [CLS] <plain><NORM>a"):
        assert tok.encode_segments([(text, True)]) == tok.encode(text)
        assert tok.encode_segments([(text, False)]) == tok.encode(text, specials="text-all")
        plain = tok.encode_segments([(text, False)], add_special_tokens=False)
        assert plain == tok.encode(text, specials="text-all", add_special_tokens=False)
        flagged = tok.encode_segments([(text, False)], specials="text")
        assert flagged == tok.encode(text, specials="text")


def test_no_segments_equal_an_empty_text() -> None:
    tok = made(post_processor=q.BertProcessing(("[SEP]", SEP), ("[CLS]", CLS)))
    for nothing in ([], [("", True)], [("", False)] * 5, iter([("", True)])):
        assert tok.encode_segments(nothing) == tok.encode("")


def test_empty_segments_have_no_effect() -> None:
    tok = made(pre_tokenizer=p.Metaspace(prepend_scheme="first"))
    some = [("a [SEP]", True), ("a [SEP]", False), ("b", True)]
    wanted = tok.encode_segments(some)
    for place in range(4):
        for trusted in (True, False):
            more = [*some[:place], ("", trusted), *some[place:]]
            assert tok.encode_segments(more) == wanted


def test_offsets_refer_to_the_joined_text() -> None:
    tok = made(normalizer=n.Sequence([n.NFKC(), n.Lowercase()]))
    segments = [("é [SEP]", True), ("", False), ("中ﬁＡ[SEP]", False), ("\U0001f600<NORM>", True)]
    text = "".join(part for part, _ in segments)
    encoding = tok.encode_segments(segments)
    found = [text[start:end] for start, end in encoding.offsets]
    assert found == ["é", "[SEP]", "中ﬁＡ", "[", "SEP", "]", "\U0001f600", "<NORM>"]
    for (a, b), (start, end) in zip(encoding.byte_offsets, encoding.offsets, strict=True):
        assert (a, b) == (len(text[:start].encode()), len(text[:end].encode()))
    assert encoding.word_ids == list(range(8))


def test_metaspace_first_applies_to_the_first_segment() -> None:
    first = made(pre_tokenizer=p.Metaspace(prepend_scheme="first"))
    assert first.encode_segments([("a", False), ("a", False)]).tokens == ["▁a", "a"]
    assert first.encode_segments([("", True), ("a", False), ("a", True)]).tokens == ["▁a", "a"]
    assert first.encode_segments([("[SEP]", True), ("a", False)]).tokens == ["[SEP]", "a"]
    always = made(pre_tokenizer=p.Metaspace())
    assert always.encode_segments([("a", False), ("a", False)]).tokens == ["▁a", "▁a"]


def test_segments_are_normalized_separately() -> None:
    tok = made(m.WordLevel([*VOCAB, "é"], "[UNK]"), normalizer=n.NFC())
    assert tok.encode("e\u0301").tokens == ["é"]
    separate = tok.encode_segments([("e", True), ("\u0301", True)])
    assert separate.offsets == [(0, 1), (1, 2)]
    strip = made(normalizer=n.Strip())
    assert strip.encode_segments([(" a ", True), (" b ", True)]).offsets == [(1, 2), (4, 5)]


def test_added_tokens_do_not_strip_white_space_of_other_segments() -> None:
    greedy = pw.AddedToken("<g>", lstrip=True, rstrip=True, special=True)
    tok = made(added_tokens=[greedy])
    together = tok.encode_segments([("a  <g>  b", True)])
    assert together.offsets == [(0, 1), (1, 8), (8, 9)]
    separate = tok.encode_segments([("a  ", False), ("<g>", True), ("  b", False)])
    assert separate.offsets == [(0, 1), (3, 6), (8, 9)]


def test_segment_boundaries_are_word_boundaries() -> None:
    tok = made(added_tokens=[pw.AddedToken("x", single_word=True)])
    number = tok.token_to_id("x")
    assert number not in tok.encode("axa").word_ids[3:]
    assert tok.encode_segments([("a", True), ("x", True), ("a", True)]).tokens == ["a", "x", "a"]


def test_segments_are_truncated_and_padded() -> None:
    tok = made(post_processor=q.BertProcessing(("[SEP]", SEP), ("[CLS]", CLS)))
    some = [("a b [SEP]", True), ("[SEP]", False)]
    cut = tok.encode_segments(some, truncation=5)
    assert cut.tokens == ["[CLS]", "a", "b", "[SEP]", "[SEP]"]
    assert [more.tokens[1:-1] for more in cut.overflowing] == [["[", "SEP", "]"]]
    pad = pw.Padding(12, pad_token="x", direction="left")
    assert tok.encode_segments(some, padding=pad).tokens[:4] == ["x"] * 4
    own = tok.replace(truncation=4, padding=pad)
    assert own.encode_segments(some).tokens == [*["x"] * 8, "[CLS]", "a", "b", "[SEP]"]
    assert len(own.encode_segments(some, truncation=None, padding=None)) == 8


def test_ten_thousand_segments() -> None:
    tok = made()
    encoding = tok.encode_segments([("[SEP]", place % 2 == 0) for place in range(10_000)])
    assert encoding.ids.count(SEP) == 5_000
    assert encoding.offsets[-1] == (49_999, 50_000)


@pytest.mark.parametrize(
    "segments",
    [
        "ab",
        ["ab"],
        [("a",)],
        [("a", True, True)],
        [("a", 1)],
        [(b"a", True)],
        [(True, "a")],
        3,
        None,
    ],
    ids=repr,
)
def test_invalid_segments_raise(segments: Any) -> None:
    with pytest.raises(TypeError) as caught:
        made().encode_segments(segments)
    assert str(caught.value)


def test_lone_surrogate_in_a_segment_raises() -> None:
    with pytest.raises(SurrogateError):
        made().encode_segments([("a", True), ("\ud800", False)])


PIECES = st.sampled_from(
    ["[SEP]", "[CLS]", "<plain>", "<Norm>", "a", " ", "[", "]", "é", "[S", "中"]
)
ALONE: Any = {"add_special_tokens": False}
SEGMENTS = st.lists(st.tuples(st.lists(PIECES, max_size=5).map("".join), st.booleans()), max_size=6)
MADE = [
    made(),
    made(normalizer=n.Sequence([n.NFKC(), n.Lowercase()])),
    made(pre_tokenizer=p.Metaspace(prepend_scheme="first")),
    made(pre_tokenizer=p.ByteLevel(), normalizer=n.NFD()),
    parts.made(normalizer=n.BertNormalizer(), added_tokens=parts.ADDED),
]


@given(SEGMENTS, st.sampled_from(MADE))
@examples(400)
def test_segments_equal_their_single_encodings(
    segments: list[tuple[str, bool]], tok: pw.Tokenizer
) -> None:
    """Segments are independent, except for the beginning of the text."""
    encoding = tok.encode_segments(segments)
    text = "".join(part for part, _ in segments)
    assert all(0 <= start <= end <= len(text) for start, end in encoding.offsets)
    first = isinstance(tok.pre_tokenizer, p.Metaspace)
    ids, at = [], 0
    for part, trusted in segments:
        specials: Any = "match" if trusted else "text-all"
        alone = tok.encode(part, specials=specials)
        if not (first and at):
            ids += alone.ids
            spans = [(start + at, end + at) for start, end in alone.offsets]
            assert encoding.offsets[len(ids) - len(spans) : len(ids)] == spans or first
        at += len(part)
    if not first:
        assert encoding.ids == ids
    untrusted = [(part, False) for part, _ in segments]
    assert not tok.added_tokens.keys() & tok.encode_segments(untrusted, **ALONE).ids
