"""Invariants of the core: batches, offsets, sums of counts, serialization round trips."""

import copy
import pickle
import random
from typing import Any

import pytest
from hypothesis import given, strategies as st

import impls
import piecework as pw
import strategies
from profiles import examples

CORE = impls.Core()


def core_of(encoder: tuple[list[str], dict[str, Any]]) -> pw.Tokenizer:
    return CORE.encoder(*encoder).tokenizer


# Encoding


@given(strategies.encoders(), strategies.corpora, st.sampled_from([None, 1, 2, 3, 8]))
@examples(300)
def test_batch_equals_single_calls(
    encoder: tuple[list[str], dict[str, Any]], texts: list[str], threads: int | None
) -> None:
    tokenizer = core_of(encoder)
    batch = tokenizer.encode_batch(texts, threads=threads)
    rows = [tokenizer.encode_ids(text) for text in texts]
    assert batch.to_list() == rows
    assert [encoding.ids for encoding in batch] == rows
    assert tokenizer.count(texts) == [len(row) for row in rows]
    assert batch.row_offsets.tolist() == [sum(map(len, rows[:i])) for i in range(len(rows) + 1)]


def test_large_batch_does_not_depend_on_threads(tokenizer: pw.Tokenizer) -> None:
    rng = random.Random(5)
    texts = ["".join(rng.choices("abc [CLS]é中\u0301.", k=rng.randrange(400))) for _ in range(3000)]
    one = tokenizer.encode_batch(texts, threads=1)
    for threads in (2, 3, 8):
        other = tokenizer.encode_batch(texts, threads=threads)
        assert other.ids.tobytes() == one.ids.tobytes()
        assert other.row_offsets.tobytes() == one.row_offsets.tobytes()


@given(strategies.encoders(), strategies.texts, strategies.specials)
@examples(200)
def test_offsets_are_monotone_and_within_text(
    encoder: tuple[list[str], dict[str, Any]], text: str, specials: str | list[str]
) -> None:
    encoding = core_of(encoder).encode(text, add_special_tokens=False, specials=specials)
    starts = [start for start, _ in encoding.offsets]
    assert starts == sorted(starts)
    assert all(0 <= start < end <= len(text) for start, end in encoding.offsets)
    data = text.encode()
    as_bytes = [data[start:end].decode() for start, end in encoding.byte_offsets]
    assert as_bytes == [text[start:end] for start, end in encoding.offsets]
    word_ids = [number for number in encoding.word_ids if number is not None]
    assert word_ids == sorted(word_ids)
    assert set(word_ids) == set(range(len(set(word_ids))))


@given(strategies.encoders(), strategies.texts)
@examples(200)
def test_pieces_of_a_word_cover_it(encoder: tuple[list[str], dict[str, Any]], text: str) -> None:
    tokenizer = core_of(encoder)
    explained = tokenizer.explain(text)
    encoding = tokenizer.encode(text, add_special_tokens=False)
    assert [piece.id for piece in explained.pieces] == encoding.ids
    for word in explained.words:
        at = 0
        for piece in word.pieces:
            start, end = piece.span
            assert start == at
            at = end
            is_text = piece.kind not in {"unknown", "special"}
            assert not is_text or piece.token.endswith(word.text[start:end])
        assert at == len(word.text), "the word is covered to its end"


@given(strategies.encoders(), strategies.texts, strategies.texts)
@examples(200)
def test_pair_equals_its_texts(
    encoder: tuple[list[str], dict[str, Any]], text: str, pair: str
) -> None:
    tokenizer = core_of(encoder)
    both = tokenizer.encode(text, pair, add_special_tokens=False)
    parts = [tokenizer.encode(part, add_special_tokens=False) for part in (text, pair)]
    assert both.ids == parts[0].ids + parts[1].ids
    assert both.offsets == parts[0].offsets + parts[1].offsets
    assert both.word_ids == parts[0].word_ids + parts[1].word_ids
    assert both.type_ids == [0] * len(parts[0]) + [1] * len(parts[1])
    assert both.sequence_ids == both.type_ids


# Counting and training


@pytest.fixture(scope="module")
def tokenizer() -> pw.Tokenizer:
    return pw.train(["abc cab [CLS] é 中 a.b.c"] * 3, pw.WordPieceTrainer(vocab_size=30))


TRAINER = pw.WordPieceTrainer(vocab_size=200, special_tokens=("[UNK]",))


def trained_json_or_error(counts: pw.WordCounts) -> str:
    try:
        return pw.train(counts, TRAINER).to_str()
    except pw.PieceworkError as error:
        return str(error)


@given(strategies.corpora, st.randoms(use_true_random=False), st.sampled_from([1, 2, 8]))
@examples(300)
def test_training_does_not_depend_on_shards_or_order(
    texts: list[str], rng: random.Random, threads: int
) -> None:
    whole = pw.WordCounts.from_texts(texts, threads=1)
    parts, start = [], 0
    while start < len(texts):
        end = rng.randrange(start, len(texts)) + 1
        shard = texts[start:end]
        parts.append(pw.WordCounts.from_texts(shard, threads=threads, first_document=start))
        start = end
    rng.shuffle(parts)
    total = pw.WordCounts.from_texts([])
    for part in parts:
        total = total + part if rng.random() < 0.5 else part + total
    assert total == whole
    assert total.fingerprint == whole.fingerprint
    shuffled = rng.sample(texts, len(texts))
    assert trained_json_or_error(total) == trained_json_or_error(whole)
    assert trained_json_or_error(pw.WordCounts.from_texts(shuffled)) == trained_json_or_error(whole)


@given(strategies.tables, strategies.tables, strategies.tables)
@examples(200)
def test_adding_counts_is_associative_and_commutative(
    one: dict[str, int], two: dict[str, int], three: dict[str, int]
) -> None:
    a, b, c = pw.WordCounts(one), pw.WordCounts(two), pw.WordCounts(three)
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert (a + b).total == sum(one.values()) + sum(two.values())


@given(strategies.corpora, strategies.pipelines())
@examples(200)
def test_counts_survive_pickling(texts: list[str], pipeline: dict[str, Any]) -> None:
    pipeline = impls.DEFAULTS | pipeline
    counts = pw.WordCounts.from_texts(
        texts,
        normalizer=impls.core_normalizer(pipeline),
        pre_tokenizer=impls.core_pre_tokenizer(pipeline),
    )
    reloaded = pickle.loads(pickle.dumps(counts))
    assert reloaded == counts
    assert list(reloaded.items()) == list(counts.items())
    assert [reloaded.first_occurrence(word) for word in reloaded] == [
        counts.first_occurrence(w) for w in counts
    ]
    assert (reloaded.normalizer, reloaded.pre_tokenizer) == (
        counts.normalizer,
        counts.pre_tokenizer,
    )
    assert (reloaded.total, reloaded.fingerprint) == (counts.total, counts.fingerprint)


# Serialization


@given(strategies.tables, strategies.trainers(), strategies.texts)
@examples(300)
def test_trained_tokenizer_survives_serialization_and_copies(
    words: dict[str, int], trainer: dict[str, Any], text: str
) -> None:
    try:
        made = pw.train(words, pw.WordPieceTrainer(**trainer), normalizer=None, pre_tokenizer=None)
    except pw.PieceworkError:
        return
    for reloaded in (
        pw.Tokenizer.from_str(made.to_str()),
        pickle.loads(pickle.dumps(made)),
        copy.copy(made),
        copy.deepcopy(made),
    ):
        assert reloaded == made
        assert hash(reloaded) == hash(made)
        assert reloaded.to_str() == made.to_str()
        assert reloaded.vocab == made.vocab
        assert reloaded.history == made.history
        assert reloaded.training.token_counts == made.training.token_counts
        assert reloaded.training.trainer == made.training.trainer
        assert repr(reloaded) == repr(made)
        if made.unk_token:
            assert reloaded.encode(text) == made.encode(text)
            assert reloaded.lm.log_likelihood(text) == made.lm.log_likelihood(text)


@given(strategies.encoders(), strategies.texts)
@examples(200)
def test_settings_survive_serialization(
    encoder: tuple[list[str], dict[str, Any]], text: str
) -> None:
    tokenizer = core_of(encoder)
    reloaded = pw.Tokenizer.from_bytes(tokenizer.to_str().encode())
    assert reloaded == tokenizer
    for name in ("unknown", "unk_token", "max_input_chars_per_word", "normalizer", "pre_tokenizer"):
        assert getattr(reloaded, name) == getattr(tokenizer, name)
    assert reloaded.encode(text) == tokenizer.encode(text)
