"""Makes tokenizers of parts, and reads and changes their parts."""

from collections.abc import Mapping
from typing import assert_type

import piecework as pw

model = pw.models.BPE(["l", "o", "w", "lo", "low"], [("l", "o"), ("lo", "w")])
tok = pw.Tokenizer(
    model,
    normalizer=pw.normalizers.Sequence([pw.normalizers.NFC(), pw.normalizers.Lowercase()]),
    pre_tokenizer=pw.pre_tokenizers.Split(pw.Regex(r"\s+"), "removed"),
    added_tokens=["[PAD]", pw.AddedToken("[SEP]", special=True)],
    truncation=pw.Truncation(8, direction="left"),
    padding=pw.Padding(pad_token="[PAD]"),
)
assert_type(tok.normalizer, pw.normalizers.Normalizer | None)
assert_type(tok.pre_tokenizer, pw.pre_tokenizers.PreTokenizer | None)
assert_type(tok.post_processor, pw.processors.PostProcessor | None)
assert_type(tok.decoder, pw.decoders.Decoder | None)
assert_type(tok.truncation, pw.Truncation | None)
assert_type(tok.padding, pw.Padding | None)
assert_type(tok.vocab, Mapping[str, int])
assert_type(tok.added_tokens, Mapping[int, pw.AddedToken])
assert_type(tok.special_tokens, dict[str, int])
assert_type(tok.fingerprint, str)
assert_type(tok.generic_path_reason, str | None)
if isinstance(tok.model, pw.models.BPE):
    assert_type(tok.model, pw.models.BPE)
    assert_type(list(tok.model.vocab), list[str])

assert_type(tok.replace(normalizer=None, truncation=4, padding=None), pw.Tokenizer)
assert_type(tok.with_added_tokens(["[MASK]"], special=True), pw.Tokenizer)
assert_type(pw.Tokenizer.from_str(tok.to_str()), pw.Tokenizer)
assert_type(pw.Tokenizer.from_bytes(b"[UNK]\nhug\n", normalizer=None), pw.Tokenizer)

charsmap = pw.normalizers.SentencePiece.of("nmt_nfkc", add_dummy_prefix=False)
assert_type(charsmap, pw.normalizers.SentencePiece)
assert_type(charsmap.normalize_str("a"), str)
unigram = pw.models.Unigram.from_vocab("<unk>\t0\na\t-1\n", precision="float32")
assert_type(unigram, pw.models.Unigram)
split = pw.pre_tokenizers.WhitespaceSplit()
assert_type(split.pre_tokenize_str("low low"), list[tuple[str, tuple[int, int]]])

lm = pw.Tokenizer(unigram).lm
assert_type(lm.nbest("a", 2), list[pw.ScoredEncoding])
assert_type(lm.nbest("a", 2)[0].score, float)
assert_type(lm.sample("a", 2, alpha=0.5, seed=0), list[pw.Encoding])
assert_type(lm.score(["a"]), float)
assert_type(pw.Sampling(alpha=0.1), pw.Sampling)
