"""Uses the classes of the module `tokenizers`."""

from typing import assert_type

import piecework as pw
import piecework.hf as tokenizers
from piecework.hf.models import WordPiece

tok = tokenizers.Tokenizer(WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}))
tok.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
encoding = tok.encode("hugs", "hug")
assert_type(encoding, tokenizers.Encoding)
assert_type(encoding.ids, list[int])
assert_type(encoding.offsets, list[tuple[int, int]])
assert_type(tok.encode_batch(["hugs", ("hug", "hugs")]), list[tokenizers.Encoding])
assert_type(tok.decode([1, 2]), str)
assert_type(tok.decode_batch([[1, 2]]), list[str])
assert_type(tok.get_vocab(), dict[str, int])
assert_type(tok.token_to_id("hug"), int | None)
assert_type(tok.to_str(), str)

# Components are made of declared settings, which are attributes, too.
strip = tokenizers.normalizers.Strip(right=False)
assert_type(strip.left, bool)
bert = tokenizers.processors.BertProcessing(("[SEP]", 2), cls_token=("[CLS]", 1))
assert_type(bert.cls, tuple[str, int])
tok.decoder = tokenizers.decoders.Strip("_", left=1)
trainer = tokenizers.trainers.BpeTrainer(vocab_size=99, special_tokens=["<s>"])
assert_type(trainer.vocab_size, int)
trainer.limit_alphabet = None
assert_type(tokenizers.AddedToken("<s>").lstrip, bool)

# Every function takes its tokenizers, too.
assert_type(pw.evaluate(tok, ["hugs"]), pw.analysis.Evaluation)
assert_type(pw.extend(tok, {"hugs": 3}, new_tokens=1), pw.VocabularyChange)
