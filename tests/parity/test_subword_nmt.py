"""The reference against live subword-nmt, whose codes mark the end of a word in both ways.

Codes are taken as training wrote them. In codes out of order subword-nmt merges a pair wherever it stands before it looks
at another; here, as in `tokenizers`, what a merge made possible may come first.
"""

import io
import random
from collections import Counter

import pytest

from piecework.reference import BpeTrainer, bpe, train_bpe

apply_bpe = pytest.importorskip("subword_nmt.apply_bpe", reason="subword-nmt is not installed")

VERSIONS = {"separate": "0.1", "attached": "0.2"}


@pytest.mark.parametrize("style", VERSIONS)
def test_codes(style: str) -> None:
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
        settings = bpe.Settings(end_of_word_suffix="</w>", suffix_style=style)
        encode = bpe.Encoder(trained.vocabulary, bpe.Listed(merges), settings)
        for _ in range(10):
            word = "".join(rng.choices(letters, k=rng.randrange(1, 14)))
            tokens = [piece.entry.removesuffix("</w>") for piece in encode(word) if piece.entry]
            wanted = [token.removesuffix("@@") for token in live.segment_tokens([word])]
            assert [token for token in tokens if token] == wanted, (merges, word)
