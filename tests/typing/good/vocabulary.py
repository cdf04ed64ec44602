"""Prunes and extends vocabularies, with their embeddings."""

from collections.abc import Mapping
from typing import assert_type

import numpy as np
import numpy.typing as npt

import piecework as pw

tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n##ging\n")

pruned = pw.prune(tok, {"hugs": 9}, vocab_size=4, keep=["hug"])
assert_type(pruned, pw.VocabularyChange)
assert_type(pruned.tokenizer, pw.Tokenizer)
assert_type(pruned.removed, tuple[str, ...])
extended = pw.extend(tok, ["hugging hugging"], new_tokens=1, min_frequency=1)
assert_type(extended, pw.VocabularyChange)
assert_type(extended.initial_rows, Mapping[int, tuple[int, ...]])
assert_type(extended.id_map, npt.NDArray[np.int64])

embeddings: npt.NDArray[np.float16] = np.zeros((4, 2), np.float16)
assert_type(extended.apply(embeddings, gaps="mean"), npt.NDArray[np.float16])
