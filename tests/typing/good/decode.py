"""Decodes ids, at once and in streams."""

from collections.abc import Iterator
from typing import assert_type

import numpy as np

import piecework as pw

tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")

assert_type(tok.decode([1, 2]), str)
assert_type(tok.decode(np.array([1, 2], np.uint32), skip_special_tokens=False), str)
assert_type(tok.decode_bytes((1, 2)), bytes)
assert_type(tok.decode_batch(tok.encode_batch(["hugs"])), list[str])
assert_type(tok.decode_batch([[1], [1, 2]]), list[str])
assert_type(tok.decode_bytes_batch([[1], [1, 2]]), list[bytes])

stream = tok.decode_stream()
assert_type(stream, pw.DecodeStream[str])
assert_type(stream.step(1), str)
assert_type(stream.step([2, 1]), str)
assert_type(stream.finish(), str)
assert_type(stream.pieces(iter([1, 2])), Iterator[str])
assert_type(tok.decode_bytes_stream(skip_special_tokens=False), pw.DecodeStream[bytes])
assert_type(tok.decode_bytes_stream().step(1), bytes)

assert_type(tok.id_to_token(1), str | None)
assert_type(tok.token_to_id("hug"), int | None)
assert_type(tok.display_token(2), str)
assert_type(pw.decoders.WordPiece(prefix="##").decode(["hug", "##s"]), str)

details = tok.decode_stream(stop=["s", 2], after=[1], details=True)
assert_type(details, pw.DecodeStream[pw.StreamStep, str])
assert_type(details.step(1), pw.StreamStep)
assert_type(details.rest, str)
assert_type(stream.rest, str)
assert_type(stream.stopped, str | int | None)
assert_type(tok.decode_with_offsets([1]), pw.DecodedText)
assert_type(tok.decode_with_offsets_batch([[1]]), pw.DecodedBatch)
assert_type(tok.decode_tokens_bytes([1]), list[bytes])
assert_type(tok.token_bytes()[1], bytes)
assert_type(tok.token_bytes()[1:], list[bytes])
