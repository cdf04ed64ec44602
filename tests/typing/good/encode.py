"""Encodes texts, pairs, batches, words and columns."""

from collections.abc import Mapping
from typing import assert_type

import numpy as np
import numpy.typing as npt
import polars as pl

import piecework as pw

tok = pw.Tokenizer.from_str("[UNK]\n[PAD]\nhug\n##s\n", lowercase=False, unknown="char")

encoding = tok.encode("hugs", "hug", truncation=8, padding=pw.Padding(length=8))
assert_type(encoding, pw.Encoding)
assert_type(encoding.ids, list[int])
assert_type(encoding.tokens, list[str])
assert_type(encoding.offsets, list[tuple[int, int]])
assert_type(encoding.word_ids, list[int | None])
assert_type(list(encoding.overflowing), list[pw.Encoding])
assert_type(encoding.overflowing[:2], list[pw.Encoding])
assert_type(encoding.char_to_token(0), int | None)
assert_type(encoding[0], int)
assert_type(tok.encode(b"hugs", specials={"[PAD]"}), pw.Encoding)
assert_type(tok.encode(["hugs", "hug"], is_pretokenized=True), pw.Encoding)
assert_type(tok.encode_segments([("hug", True), ("hugs", False)]), pw.Encoding)
assert_type(tok.encode_segments([("hug", False)], specials="error-all"), pw.Encoding)
assert_type(tok.encode_segments_batch([[("hug", True)]], threads=1), pw.EncodedBatch)
assert_type(tok.untrusted(keep=["[PAD]"], refuse=True), pw.Tokenizer)
assert_type(tok.untrusted().tokenize("hugs", specials="text-all"), list[str])

assert_type(tok.encode_ids("hugs"), list[int])
assert_type(tok.encode_ids("hugs", as_array=False), list[int])
assert_type(tok.encode_ids("hugs", as_array=True), npt.NDArray[np.uint32])
as_array = bool(len(encoding))
assert_type(tok.encode_ids("hugs", as_array=as_array), list[int] | npt.NDArray[np.uint32])
assert_type(tok.tokenize("hugs", specials="text"), list[str])

batch = tok.encode_batch(["hugs", b"hug", ("hug", "hugs")], truncation=None, threads=1)
assert_type(batch, pw.EncodedBatch)
assert_type(batch.ids, npt.NDArray[np.uint32])
assert_type(batch.row_offsets, npt.NDArray[np.int64])
assert_type(batch.to_list(), list[list[int]])
assert_type(batch.to_numpy(), list[npt.NDArray[np.uint32]])
assert_type(batch[0], pw.Encoding)
assert_type(batch[1:], list[pw.Encoding])
assert_type([row.tokens for row in batch], list[list[str]])
padded = batch.padded(side="left", pad_id=0)
assert_type(padded, pw.PaddedBatch)
assert_type(padded.ids, npt.NDArray[np.int64])
assert_type(padded.type_ids, npt.NDArray[np.int64] | None)

texts: npt.NDArray[np.str_] = np.array(["hugs", "hug"])
column = pl.Series(["hugs", "hug"])
assert_type(tok.encode_batch(texts), pw.EncodedBatch)
assert_type(tok.encode_batch(column, offsets=True), pw.EncodedBatch)
assert_type(tok.encode_batch([["hugs", "hug"]], is_pretokenized=True), pw.EncodedBatch)
assert_type(tok.encode_batch(text for text in ("hugs", "hug")), pw.EncodedBatch)

assert_type(tok.count("hugs"), int)
assert_type(tok.count(b"hugs"), int)
assert_type(tok.count(["hugs", b"hug"]), list[int])
assert_type(tok.count(column), list[int])
assert_type(tok.count(texts), list[int])

truncated = tok.truncate_text("hugs hugs", 3, side="left")
assert_type(truncated, pw.TruncatedText)
assert_type(truncated.is_longest, bool)
assert_type(tok.to_subword_nmt("hugs"), str)
assert_type(tok.arrow_udf("text", output="tokens").output, str)
chat = tok.chat([{"role": "user", "content": "hug"}], template="{{ messages[0].content }}", flag=1)
assert_type(chat, pw.ChatEncoding)
assert_type(chat.text, str)
assert_type(chat.assistant_mask, list[int] | None)
assert_type(chat.message_indices, list[int])
assert_type(chat.ids, list[int])
assert_type(tok.chat_templates, Mapping[str, str])
