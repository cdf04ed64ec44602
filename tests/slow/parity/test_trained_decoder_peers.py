"""Trained tokenizers decode alike in `tokenizers`."""

import pytest

import trained

tokenizers = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")

TEXTS = [*trained.TRAINING_TEXTS, "", " ", "  ", "call  \n it's", "low 中é\t'- to call", "the </w>"]


def is_supported(name: str, pipeline: str) -> bool:
    """Returns whether `tokenizers` supports all components of a tokenizer."""
    parts = trained.PIPELINES[pipeline]
    kinds = ("Jieba", "Function", "Dictionary", "SentencePiece")
    shown = repr((parts.normalizer, parts.pre_tokenizer))
    return "separate" not in name and not any(kind in shown for kind in kinds)


PAIRS = [pair for pair in trained.PAIRS if is_supported(*pair)]


@pytest.mark.parametrize(("name", "pipeline"), PAIRS)
def test_decoding_equals_tokenizers(name: str, pipeline: str) -> None:
    ours = trained.tokenizer(name, pipeline)
    theirs = tokenizers.Tokenizer.from_str(ours.to_str())
    for text in TEXTS:
        ids = ours.encode_ids(text)
        for skips in (True, False):
            decoded = ours.decode(ids, skip_special_tokens=skips)
            assert theirs.decode(ids, skip_special_tokens=skips) == decoded
        assert ids == theirs.encode(text).ids


def test_most_pairs_are_compared() -> None:
    assert len(PAIRS) > 0.6 * len(trained.PAIRS)
