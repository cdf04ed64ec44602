"""The reference against subword-nmt, with both styles of end-of-word suffix.

Codes are in the order of training. With codes in another order, subword-nmt merges all occurrences of a pair
first; here, as in `tokenizers`, a pair that a merge has created may come before them.
"""

import io
import random
from collections import Counter

import pytest

from piecework.reference import BpeTrainer, train_bpe
from piecework.reference.model import bpe

apply_bpe = pytest.importorskip("subword_nmt.apply_bpe", reason="subword-nmt is not installed")

VERSIONS = {"separate": "0.1", "attached": "0.2"}


@pytest.mark.parametrize("style", VERSIONS)
def test_codes_equal_subword_nmt(style: str) -> None:
    rng = random.Random(4)
    for _ in range(300):
        letters = rng.choice(["ab", "abc", "abcdé"])
        words = ["".join(rng.choices(letters, k=rng.randrange(1, 9))) for _ in range(20)] + ["abab"]
        trainer = BpeTrainer(
            max_merges=rng.randrange(1, 25),
            end_of_word_suffix="</w>",
            suffix_style=style,
            initial_alphabet=[*letters],
        )
        trained = train_bpe(Counter(words), trainer)
        merges = [(merge.left, merge.right) for merge in trained.history]
        codes = "".join(f"{left} {right}\n" for left, right in merges)
        live = apply_bpe.BPE(io.StringIO(f"#version: {VERSIONS[style]}\n{codes}"))
        settings = bpe.BpeSettings(end_of_word_suffix="</w>", suffix_style=style)
        encode = bpe.BpeEncoder(trained.vocabulary, bpe.ListedMerges(merges), settings)
        for _ in range(10):
            word = "".join(rng.choices(letters, k=rng.randrange(1, 14)))
            tokens = [piece.entry.removesuffix("</w>") for piece in encode(word) if piece.entry]
            wanted = [token.removesuffix("@@") for token in live.segment_tokens([word])]
            assert [token for token in tokens if token] == wanted, (merges, word)
