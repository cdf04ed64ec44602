"""One component for each of its settings, and tokenizers made of them."""

from typing import Any

import piecework as pw
from piecework import (
    decoders as d,
    models as m,
    normalizers as n,
    pre_tokenizers as p,
    processors as q,
)

# A charsmap without rules: its trie has only a root, padded to the shortest valid length.
NO_RULES = (256 * 4).to_bytes(4, "little") + bytes(256 * 4)

NORMALIZERS: list[n.Normalizer] = [
    n.NFC(),
    n.NFD(),
    n.NFKC(),
    n.NFKD(),
    n.Nmt(),
    n.Lowercase(),
    n.Strip(),
    n.Strip(left=False),
    n.StripAccents(),
    n.Replace("a", "bb"),
    n.Replace(pw.Regex(r"\s+"), " "),
    n.Prepend("▁"),
    n.ByteLevel(),
    n.BertNormalizer(),
    n.BertNormalizer(
        clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False
    ),
    n.Precompiled(NO_RULES),
    n.Sequence([]),
    n.Sequence([n.NFD(), n.StripAccents(), n.Sequence([n.Lowercase()])]),
]
PRE_TOKENIZERS: list[p.PreTokenizer] = [
    p.BertPreTokenizer(),
    p.Whitespace(),
    p.WhitespaceSplit(),
    *(p.Punctuation(behavior) for behavior in p._BEHAVIOR.names),  # type: ignore[arg-type]
    p.Digits(),
    p.Digits(individual_digits=True),
    p.CharDelimiterSplit("|"),
    p.Split(",", "isolated"),
    p.Split(pw.Regex(r"\w+"), "removed", invert=True),
    p.Split(pw.Regex("a|b"), "merged_with_next"),
    p.ByteLevel(),
    p.ByteLevel(add_prefix_space=False, use_regex=False),
    p.Metaspace(),
    p.Metaspace("_", "first", split=False),
    p.Metaspace(prepend_scheme="never"),
    p.UnicodeScripts(),
    p.FixedLength(3),
    p.Sequence([]),
    p.Sequence([p.WhitespaceSplit(), p.Sequence([p.Digits(), p.Punctuation()])]),
]
PIECEWORK_PRE_TOKENIZERS: list[p.PreTokenizer] = [
    p.Dictionary(["New York", "New", "中文 b"]),
    p.Dictionary(["ab"], single_word=True),
    p.Jieba(),
    p.Jieba(hmm=False, user_words=["中文字", ("云计算", 5, "n")]),
    p.Sequence([p.Dictionary(["New York"]), p.WhitespaceSplit(), p.Jieba()]),
]
POST_PROCESSORS: list[q.PostProcessor] = [
    q.BertProcessing(("[SEP]", 3), ("[CLS]", 2)),
    q.RobertaProcessing(("[SEP]", 3), ("[CLS]", 2)),
    q.RobertaProcessing(("[SEP]", 3), ("[CLS]", 2), trim_offsets=False, add_prefix_space=False),
    q.TemplateProcessing("[CLS] $A", "[CLS]:1 $B:1 [SEP] $A:2", [("[CLS]", 2), ("[SEP]", 3)]),
    q.ByteLevel(),
    q.ByteLevel(add_prefix_space=False, trim_offsets=False),
    q.Sequence([q.ByteLevel(), q.BertProcessing(("[SEP]", 3), ("[CLS]", 2))]),
]
DECODERS: list[d.Decoder] = [
    d.WordPiece(),
    d.WordPiece("@@", cleanup=False),
    d.BPEDecoder(),
    d.ByteLevel(),
    d.ByteFallback(),
    d.Metaspace(),
    d.Metaspace("_", "never", split=False),
    d.Fuse(),
    d.Strip("a", 1, 2),
    d.Replace("a", " "),
    d.Replace(pw.Regex("a|b"), ""),
    d.CTC(),
    d.CTC("a", "b", cleanup=False),
    d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), d.Strip(" ", 1)]),
]
LETTERS = ["a", "b", "ab", "##b", "##a", "New", "York", "中", "文", "中文", "é", "1", "12", "12a"]
SUFFIXED = ["▁a", "▁", "_a", "Ġa", "Ġ", "ä¸Ń", "Ã©", "bb", "##bb", ",", ".", "!", "|"]
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, *SUFFIXED]
MODELS: list[m.Model] = [
    m.WordPiece(VOCAB),
    m.WordPiece(VOCAB, max_input_chars_per_word=3, continuing_subword_prefix="@@"),
    m.WordLevel(VOCAB, unk_token="[UNK]"),
]
PIECEWORK_MODELS: list[m.Model] = [
    m.WordPiece(VOCAB, unknown="run"),
    m.WordPiece(VOCAB, unknown="char", max_input_chars_per_word=None),
    m.WordPiece(VOCAB, unk_token=None, unknown="run"),
]
ADDED: list[pw.AddedToken] = [
    pw.AddedToken("[CLS]", special=True),
    pw.AddedToken("<new>", lstrip=True, special=True),
    pw.AddedToken("Wörd", single_word=True),
    pw.AddedToken("x y", rstrip=True, normalized=False),
]
TEXTS = [
    "",
    " ",
    "a ab,b. New York 12a é",
    "  aba\tab|b\n<new> Wörd wörd x  y x y  ",
    "中文字 b,中文 ａ①",
    "e\u0301[CLS] a\u0301\u0323b \u200b\x01 Éé",
    "👩‍👩‍👧 ab\U0001f600 [PAD][SEP]a",
]
TRUNCATION = pw.Truncation(7, 1, "longest_first", "left")
PADDING = pw.Padding(9, 4, "left", pad_id=0, pad_type_id=1, pad_token="[PAD]")


def made(model: m.Model | None = None, **parts: Any) -> pw.Tokenizer:
    """Returns a tokenizer of the vocabulary above, which splits at white space by default."""
    return pw.Tokenizer(
        model or m.WordLevel(VOCAB, "[UNK]"), **({"pre_tokenizer": p.Whitespace()} | parts)
    )


STAGES: dict[str, list[Any]] = {
    "normalizer": NORMALIZERS,
    "pre_tokenizer": [*PRE_TOKENIZERS, *PIECEWORK_PRE_TOKENIZERS],
    "post_processor": POST_PROCESSORS,
    "decoder": DECODERS,
}
LIMITS: dict[str, list[Any]] = {
    "truncation": [pw.Truncation(5), TRUNCATION],
    "padding": [PADDING, pw.Padding(pad_id=0, pad_token="[PAD]")],
}
EVERY = [(name, part) for name, all_ in (STAGES | LIMITS).items() for part in all_]
