"""Sampling among the n-best list against SentencePiece."""

from math import exp
from pathlib import Path

import live_unigram
import piecework as pw


def test_sampling_among_nbest_equals_sentencepiece(data: Path) -> None:
    """Compares the frequency of the best segmentation in both libraries with its probability."""
    model = live_unigram.shared_model(data, "t5-spiece")
    theirs, ours = live_unigram.processor(model), pw.Tokenizer.from_bytes(model)
    text, alpha, size, draws = "Unrelatedness", 0.2, 8, 3000
    found = ours.lm.nbest(text, size, add_special_tokens=False)
    shares = [exp(alpha * score) for _, score in found]
    best, share = found[0].encoding.ids, shares[0] / sum(shares)
    drawn = [
        [
            theirs.encode(text, enable_sampling=True, alpha=alpha, nbest_size=size)
            for _ in range(draws)
        ],
        ours.encode_batch(
            [text] * draws,
            sampling=pw.Sampling(alpha=alpha, nbest_size=size, seed=5),
            add_special_tokens=False,
        ).to_list(),
    ]
    for rows in drawn:  # each exceeds 4 standard deviations once in 15,000 runs
        assert abs(rows.count(best) - draws * share) < 4 * (draws * share * (1 - share)) ** 0.5
