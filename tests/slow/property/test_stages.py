"""Each stage of the core equals the reference: normalization, splitting, encoding, decoding, scoring."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

import impls
import strategies
from profiles import examples

CORE, REFERENCE = impls.Core(), impls.Reference()


@given(strategies.stable_texts, strategies.pipelines())
@examples(300)
def test_normalization_equals_reference(text: str, pipeline: dict[str, Any]) -> None:
    assert CORE.normalize(text, pipeline) == REFERENCE.normalize(text, pipeline)


@given(strategies.stable_texts, strategies.pipelines())
@examples(200)
def test_pre_tokenization_equals_reference(text: str, pipeline: dict[str, Any]) -> None:
    assert CORE.words(text, pipeline) == REFERENCE.words(text, pipeline)


@given(strategies.stable_corpora, strategies.pipelines())
@examples(300)
def test_counting_equals_reference(texts: list[str], pipeline: dict[str, Any]) -> None:
    wanted = REFERENCE.count(texts, pipeline)
    assert list(CORE.count(texts, pipeline).items()) == list(wanted.items())


@given(strategies.encoders(), st.lists(strategies.stable_texts, max_size=6), strategies.specials)
@examples(400)
def test_encoding_equals_reference(
    encoder: tuple[list[str], dict[str, Any]], texts: list[str], specials: str | list[str]
) -> None:
    core, reference = CORE.encoder(*encoder), REFERENCE.encoder(*encoder)
    for text in texts:
        assert core.encode(text, specials) == reference.encode(text, specials)


@given(strategies.encoders(), strategies.stable_texts)
@examples(300)
def test_specials_error_refuses_special_tokens_in_text(
    encoder: tuple[list[str], dict[str, Any]], text: str
) -> None:
    vocab, _ = encoder
    is_contained = any(token in text for token in impls.SPECIAL_TOKENS if token in vocab)
    for impl in impls.IMPLS:
        if is_contained:
            with pytest.raises(ValueError, match=r"specials="):
                impl.encoder(*encoder).encode(text, "error")
        else:
            impl.encoder(*encoder).encode(text, "error")


@given(
    encoder=strategies.encoders(),
    ids=st.lists(st.integers(0, 60), max_size=12),
    skip=st.booleans(),
)
@examples(200)
def test_decoding_equals_reference(
    encoder: tuple[list[str], dict[str, Any]], ids: list[int], *, skip: bool
) -> None:
    ids = [i % len(encoder[0]) for i in ids]
    found = CORE.encoder(*encoder).decode(ids, skip_special_tokens=skip)
    assert found == REFERENCE.encoder(*encoder).decode(ids, skip_special_tokens=skip)


@given(strategies.encoders(), strategies.stable_texts, st.data())
@examples(300)
def test_log_likelihood_equals_reference(
    encoder: tuple[list[str], dict[str, Any]], text: str, data: st.DataObject
) -> None:
    vocab, settings_ = encoder
    some = st.integers(0, 3) | st.integers(0, 10**9)
    counts = data.draw(st.lists(some, min_size=len(vocab), max_size=len(vocab)))
    # The counts of special and unknown tokens are 0: they stand for no text.
    counts = [0 if v in impls.SPECIAL_TOKENS else n for v, n in zip(vocab, counts, strict=True)]
    found = CORE.encoder(vocab, settings_, counts).log_likelihood(text)
    wanted = REFERENCE.encoder(vocab, settings_, counts).log_likelihood(text)
    assert found == pytest.approx(wanted, rel=1e-12)
