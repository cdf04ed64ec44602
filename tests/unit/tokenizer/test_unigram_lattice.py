"""N-best lists, sampling and probabilities of Unigram: core against reference, and the public methods."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise
from math import exp
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import piecework as pw
from piecework import errors, models, pre_tokenizers
from piecework.reference.model import nbest, unigram
from piecework.reference.numbers.prng import SplitMix64

SAMPLED = {"a": -1.0, "b": -2.0, "ab": -1.5, "ba": -4.0, "aba": -3.0}
TEXT = "ababa"


def model_of(scores: dict[str, float], **settings: Any) -> models.Unigram:
    return models.Unigram(scores.items(), **settings)


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    return pw.Tokenizer(
        model_of({"<unk>": 0.0, **SAMPLED}, unk_id=0),
        pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
    )


# The core and the reference


letters = st.text("ab▁é", min_size=1, max_size=4)
scores = st.floats(-20, 5) | st.sampled_from([-1.0, -2.0, -0.1])
vocabularies = st.dictionaries(letters, scores, min_size=1, max_size=12)
texts = st.text("ab▁éx", min_size=1, max_size=12)


@st.composite
def settings(draw: st.DrawFn) -> tuple[dict[str, float], unigram.UnigramSettings]:
    vocab = {"<unk>": draw(scores), **draw(vocabularies)}
    entries = st.sets(st.sampled_from(sorted(vocab.keys() - {"<unk>"})), max_size=2)
    if draw(st.booleans()):
        vocab |= {f"<0x{byte:02X}>": 0.0 for byte in range(256)}
    single = draw(st.booleans())
    return vocab, unigram.UnigramSettings(
        unk_token="<unk>",
        precision="float32" if single else "float64",
        byte_fallback="<0x00>" in vocab,
        user_defined=frozenset(draw(entries)) if single else frozenset(),
        reserved=frozenset({"<unk>"} | {e for e in vocab if e.startswith("<0x")} if single else ()),
    )


def core_and_reference(
    vocab: dict[str, float], reference_settings: unigram.UnigramSettings
) -> tuple[pw.Tokenizer, unigram.UnigramEncoder, list[str]]:
    names = list(vocab)
    model = model_of(
        vocab,
        unk_id=names.index("<unk>"),
        byte_fallback=reference_settings.byte_fallback,
        precision=reference_settings.precision,
        user_defined=sorted(reference_settings.user_defined),
        reserved=sorted(reference_settings.reserved),
    )
    return pw.Tokenizer(model), unigram.UnigramEncoder(vocab, reference_settings), names


def entries_of(tok: pw.Tokenizer, encoding: pw.Encoding) -> list[str]:
    """Returns the vocabulary entries of an encoding, where tokens show the unknown text itself."""
    return [tok.id_to_token(number) or "" for number in encoding.ids]


@given(settings(), texts, st.integers(1, 70))
def test_nbest_equals_reference(
    setting: tuple[dict[str, float], unigram.UnigramSettings], text: str, wanted: int
) -> None:
    tok, encoder, _ = core_and_reference(*setting)
    found = tok.lm.nbest(text, wanted)
    rows = [([*zip(entries_of(tok, e), e.offsets, strict=True)], score) for e, score in found]
    expected = [
        ([(p.entry or "<unk>", (p.start, p.end)) for p in pieces], score)
        for pieces, score in encoder.nbest(text, wanted)
    ]
    assert rows == expected


@given(settings(), texts, st.floats(0, 1e6) | st.sampled_from([0.0, 0.1, 1.0]), st.integers(0, 9))
def test_samples_and_probabilities_equal_reference(
    setting: tuple[dict[str, float], unigram.UnigramSettings], text: str, alpha: float, seed: int
) -> None:
    tok, encoder, _ = core_and_reference(*setting)
    drawn = encoder.sample(text, alpha, SplitMix64.for_input(seed, 0))
    found = entries_of(tok, tok.encode(text, sampling=pw.Sampling(alpha=alpha, seed=seed)))
    assert found == [p.entry or "<unk>" for p in drawn]
    assert tok.lm.marginal_log_likelihood(text) == encoder.marginal_log_likelihood(text)


@given(settings(), texts, st.floats(0, 9), st.integers(0, 9), st.integers(1, 9))
def test_samples_among_nbest_equal_reference(
    setting: tuple[dict[str, float], unigram.UnigramSettings],
    text: str,
    alpha: float,
    seed: int,
    n: int,
) -> None:
    tok, encoder, _ = core_and_reference(*setting)
    drawn = encoder.sample(text, alpha, SplitMix64.for_input(seed, 0), n)
    found = entries_of(
        tok, tok.encode(text, sampling=pw.Sampling(alpha=alpha, nbest_size=n, seed=seed))
    )
    assert found == [p.entry or "<unk>" for p in drawn]


@given(settings(), st.lists(texts, max_size=4), st.integers(1, 20))
def test_nbest_of_several_words_equals_reference(
    setting: tuple[dict[str, float], unigram.UnigramSettings], words: list[str], wanted: int
) -> None:
    tok, encoder, _ = core_and_reference(*setting)
    tok = tok.replace(pre_tokenizer=pre_tokenizers.WhitespaceSplit())
    rows: list[tuple[tuple[list[str], ...], float]] = [((), 0.0)]
    for word in words:
        paths = [([p.entry or "<unk>" for p in path], s) for path, s in encoder.nbest(word, wanted)]
        rows = nbest.extend_segmentations(rows, paths, wanted)
    found = tok.lm.nbest(" ".join(words), wanted)
    assert [(entries_of(tok, e), score) for e, score in found] == [
        ([*chain(*row)], s) for row, s in rows
    ]
    assert [tok.lm.score(e) for e, _ in found] == [
        encoder.score(entries_of(tok, e)) for e, _ in found
    ]
    sums = [encoder.marginal_log_likelihood(word) for word in words]
    assert tok.lm.marginal_log_likelihood(" ".join(words)) == sum(sums, 0.0)


def test_nbest_with_full_agenda_equals_reference() -> None:
    chance = random.Random(0)
    strings = ["".join(chance.choices("ab", k=n)) for n in range(1, 6) for _ in range(2**n)]
    vocab = {text: chance.choice([-0.5, -1.0, -1.5]) * len(text) for text in ["a", "b", *strings]}
    tok, encoder, _ = core_and_reference(
        {"<unk>": 0.0, **vocab}, unigram.UnigramSettings(unk_token="<unk>")
    )
    text = "".join(chance.choices("ab", k=150))
    for wanted in (2, 64):
        expected = [(len(row), score) for row, score in encoder.nbest(text, wanted)]
        assert [(len(e), score) for e, score in tok.lm.nbest(text, wanted)] == expected


def test_long_text_does_not_underflow() -> None:
    vocab = {"a": -20.0, "aa": -30.0}
    tok, encoder, _ = core_and_reference(
        {"<unk>": 0.0, **vocab}, unigram.UnigramSettings(unk_token="<unk>")
    )
    assert tok.lm.marginal_log_likelihood("a" * 5000) == encoder.marginal_log_likelihood("a" * 5000)
    drawn = encoder.sample("a" * 5000, 1.0, SplitMix64.for_input(3, 0))
    assert tok.encode("a" * 5000, sampling=pw.Sampling(alpha=1.0, seed=3)).tokens == [
        p.entry for p in drawn
    ]


# Sampling


def segmentations(text: str) -> Iterator[tuple[str, ...]]:
    """Returns all segmentations of a text."""
    if not text:
        yield ()
    for end in range(1, len(text) + 1):
        if text[:end] in SAMPLED:
            yield from ((text[:end], *rest) for rest in segmentations(text[end:]))


CHI_SQUARE = 31.26  # 11 degrees of freedom: a correct sampler exceeds it for one seed in a thousand


def chi_square(tok: pw.Tokenizer, drawn_with: float, alpha: float) -> float:
    """Returns the chi-square statistic of samples with one alpha against the distribution of another."""
    draws = 20_000
    weights = {row: exp(alpha * sum(map(SAMPLED.get, row))) for row in segmentations(TEXT)}  # type: ignore[arg-type]
    assert len(weights) == 12
    batch = tok.encode_batch([TEXT] * draws, sampling=pw.Sampling(alpha=drawn_with, seed=1))
    drawn = Counter(tuple(map(tok.id_to_token, row)) for row in batch.to_list())
    assert drawn.keys() <= weights.keys()
    whole = sum(weights.values())
    expected = {row: draws * weight / whole for row, weight in weights.items()}
    return sum((drawn[row] - n) ** 2 / n for row, n in expected.items())


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_sampling_follows_probabilities(tok: pw.Tokenizer, alpha: float) -> None:
    assert chi_square(tok, alpha, alpha) < CHI_SQUARE


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_statistic_detects_another_alpha(tok: pw.Tokenizer, alpha: float) -> None:
    assert chi_square(tok, alpha + 0.05, alpha) > CHI_SQUARE


@pytest.mark.parametrize("alpha", [0.0, 0.7])
def test_sampling_among_nbest(tok: pw.Tokenizer, alpha: float) -> None:
    draws, size = 6000, 4
    best = tok.lm.nbest(TEXT, size)
    weights = {tuple(encoding.ids): exp(alpha * score) for encoding, score in best}
    batch = tok.encode_batch(
        [TEXT] * draws, sampling=pw.Sampling(alpha=alpha, nbest_size=size, seed=2)
    )
    drawn = Counter(map(tuple, batch.to_list()))
    assert drawn.keys() == weights.keys()
    whole = sum(weights.values())
    expected = {row: draws * weight / whole for row, weight in weights.items()}
    # 3 degrees of freedom: a correct sampler exceeds it for one seed in a thousand.
    assert sum((drawn[row] - n) ** 2 / n for row, n in expected.items()) < 16.27
    assert batch[7].ids == batch.to_list()[7]
    assert tok.encode(TEXT, sampling=pw.Sampling(alpha=alpha, nbest_size=1, seed=3)) == tok.encode(
        TEXT
    )
    assert tok.encode(TEXT, sampling=pw.Sampling(alpha=alpha, nbest_size=99)).ids in [
        row.encoding.ids for row in tok.lm.nbest(TEXT, 12)
    ]


def test_calls_without_seed_differ() -> None:
    tok = pw.Tokenizer(models.Unigram([("a", -1.0), ("aa", -1.5)]))
    assert (
        len({str(tok.encode("a" * 60, sampling=pw.Sampling(alpha=0.5)).ids) for _ in range(5)}) > 1
    )
    assert (
        len(
            {
                str(tok.encode("a" * 60, sampling=pw.Sampling(alpha=0.5, seed=0)).ids)
                for _ in range(5)
            }
        )
        == 1
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nbest_size": 3}, "nbest_size: requires alpha"),
        ({"alpha": 1.0, "nbest_size": 0}, "nbest_size: expected an integer from 1"),
        ({"alpha": 1.0, "nbest_size": "3"}, "nbest_size: expected an integer from 1"),
    ],
)
def test_invalid_nbest_size_raises(given: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.ConfigError, match=message):
        pw.Sampling(**given)


def test_sampled_batch_equals_single_calls_for_any_threads(tok: pw.Tokenizer) -> None:
    texts = [f"{TEXT} {TEXT * 3}", TEXT, "x", ""] * 5000
    batch = tok.encode_batch(texts, sampling=pw.Sampling(alpha=0.5, seed=9))
    assert (
        batch.to_list()
        == tok.encode_batch(texts, sampling=pw.Sampling(alpha=0.5, seed=9), threads=1).to_list()
    )
    assert batch.to_list()[0] == tok.encode_ids(texts[0], sampling=pw.Sampling(alpha=0.5, seed=9))
    assert len({tuple(ids) for ids in batch.to_list()[1::4]}) > 10
    assert [batch[n].ids for n in range(40)] == batch.to_list()[:40]
    full = tok.encode_batch(texts, sampling=pw.Sampling(alpha=0.5, seed=9), offsets=True)
    assert full.to_list() == batch.to_list()
    assert batch.offsets.tolist() == full.offsets.tolist()


def test_equal_seeds_agree_and_large_alpha_gives_the_best(tok: pw.Tokenizer) -> None:
    drawn = [
        tok.encode(TEXT, sampling=pw.Sampling(alpha=0.1, seed=seed)).tokens for seed in range(40)
    ]
    assert drawn == [
        tok.encode(TEXT, sampling=pw.Sampling(alpha=0.1, seed=seed)).tokens for seed in range(40)
    ]
    assert len(set(map(tuple, drawn))) > 5
    assert tok.encode(TEXT, sampling=pw.Sampling(alpha=1e4, seed=5)) == tok.encode(TEXT)
    assert tok.encode(TEXT, sampling=pw.Sampling(alpha=1e308)).tokens[0] in SAMPLED
    assert (
        tok.encode_segments([(TEXT, True)], sampling=pw.Sampling(alpha=0.1, seed=3)).tokens
        == drawn[3]
    )


def test_sampling_does_not_change_the_cache(tok: pw.Tokenizer) -> None:
    before = tok.encode_ids(TEXT)
    tok.encode_ids(TEXT, sampling=pw.Sampling(alpha=0.0, seed=2))
    assert tok.encode_ids(TEXT) == before


def test_sampling_for_lines_of_a_file(tok: pw.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(f"{TEXT}\n" * 9)
    lines = tok.encode_batch(pw.Corpus(path), sampling=pw.Sampling(alpha=0.5, seed=4))
    assert (
        lines.to_list()
        == tok.encode_batch(
            pw.Corpus(path), sampling=pw.Sampling(alpha=0.5, seed=4), threads=1
        ).to_list()
    )
    assert lines.to_list()[0] == tok.encode_ids(TEXT, sampling=pw.Sampling(alpha=0.5, seed=4))


def test_lines_of_a_file_draw_as_texts_of_a_batch(tok: pw.Tokenizer, tmp_path: Path) -> None:
    """Also where the file is read in many blocks, and by several threads."""
    texts = [TEXT, "", TEXT] * 40_000
    path = tmp_path / "text.txt"
    path.write_text("".join(f"{text}\r\n" for text in texts), newline="")
    batch = tok.encode_batch(texts, sampling=pw.Sampling(alpha=0.5, seed=4))
    assert path.stat().st_size > 2 << 18  # several blocks
    for threads in (1, 2):
        lines = tok.encode_batch(
            pw.Corpus(path), sampling=pw.Sampling(alpha=0.5, seed=4), threads=threads
        )
        assert lines.to_list() == batch.to_list()


# N-best lists and scores


def test_nbest_of_several_words(tok: pw.Tokenizer) -> None:
    found = tok.lm.nbest("aba ab", 64)
    alone = [tok.lm.nbest(word, 64) for word in ("aba", "ab")]
    assert len(found) == len(alone[0]) * len(alone[1])
    assert found[0].encoding == tok.encode("aba ab")
    assert all(one.score >= other.score for one, other in pairwise(found))
    sums = sorted((one.score + other.score for one in alone[0] for other in alone[1]), reverse=True)
    assert [row.score for row in found] == sums
    assert all(tok.lm.score(encoding) == pytest.approx(score) for encoding, score in found)
    assert tok.lm.nbest("aba ab", 3) == found[:3]
    assert exp(tok.lm.marginal_log_likelihood("aba ab")) == pytest.approx(
        sum(exp(s) for _, s in found)
    )


def test_nbest_encodings_are_complete() -> None:
    tok = pw.Tokenizer(
        model_of({"</s>": 0.0, **SAMPLED}),
        pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
        post_processor=pw.processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 0)]),
    ).with_added_tokens(["<x>"])
    found = tok.lm.nbest("ab<x> a", 2)
    assert [encoding.tokens for encoding, _ in found] == [
        ["ab", "<x>", "a", "</s>"],
        ["a", "b", "<x>", "a", "</s>"],
    ]
    assert found[0].encoding == tok.encode("ab<x> a")
    assert found[1].encoding.offsets == [(0, 1), (1, 2), (2, 5), (6, 7), (0, 0)]
    assert found[1].encoding.word_ids == [0, 0, 1, 2, None]
    assert [score for _, score in found] == [-2.5, -4.0]
    bare = tok.lm.nbest(b"ab", 1, add_special_tokens=False)
    assert bare[0].encoding.tokens == ["ab"]
    assert tok.lm.marginal_log_likelihood("ab<x> a") == tok.lm.marginal_log_likelihood(
        "ab"
    ) + tok.lm.marginal_log_likelihood("a")
    assert tok.lm.score(["ab", "<x>"]) == -1.5


def test_sample_draws_the_rows_of_a_batch(tok: pw.Tokenizer) -> None:
    settings = pw.Sampling(alpha=0.5, nbest_size=4, seed=7)
    rows = tok.encode_batch([TEXT] * 20, sampling=settings)
    assert tok.lm.sample(TEXT, 20, alpha=0.5, nbest_size=4, seed=7) == list(rows)
    assert len({str(tok.lm.sample(TEXT * 9)) for _ in range(12)}) > 1, (
        "without a seed, calls differ"
    )
    for n in (0, 10_001, 1.5):
        with pytest.raises(errors.ConfigError, match="n: expected a number of segmentations"):
            tok.lm.sample(TEXT, n)  # type: ignore[arg-type]


def test_nbest_of_empty_texts(tok: pw.Tokenizer) -> None:
    assert [(len(encoding), score) for encoding, score in tok.lm.nbest("", 3)] == [(0, 0.0)]
    assert (tok.lm.marginal_log_likelihood(""), tok.lm.score([])) == (0.0, 0.0)
    assert tok.encode("", sampling=pw.Sampling(alpha=0.5)).tokens == []


# Errors


@pytest.mark.parametrize(
    "model", [models.WordPiece(["[UNK]", "a"]), models.BPE(["a"]), models.WordLevel(["<unk>"])]
)
def test_other_models_raise(model: models.Model) -> None:
    tok = pw.Tokenizer(model)
    message = f"a {type(model).__name__} has no probabilities of segmentations"
    for call in (
        lambda: tok.encode("a", sampling=pw.Sampling(alpha=0.5)),
        lambda: tok.encode_batch(["a"], sampling=pw.Sampling(alpha=0.0)),
        lambda: tok.lm.nbest("a", 2),
        lambda: tok.lm.marginal_log_likelihood("a"),
        lambda: tok.lm.score(["a"] if "a" in tok.vocab else []),
    ):
        with pytest.raises(errors.ConfigError, match=message):
            call()


@pytest.mark.parametrize("alpha", [-0.1, "a", True, float("nan"), float("inf")])
def test_invalid_alpha_raises(tok: pw.Tokenizer, alpha: Any) -> None:
    with pytest.raises(errors.ConfigError, match="alpha: expected a number from 0, found"):
        tok.encode("a", sampling=pw.Sampling(alpha=alpha))


@pytest.mark.parametrize("seed", [-1, 1 << 64, "1", 1.0])
def test_invalid_seed_raises(tok: pw.Tokenizer, seed: Any) -> None:
    with pytest.raises(errors.ConfigError, match="seed: expected an integer from 0 to"):
        tok.encode("a", sampling=pw.Sampling(alpha=0.5, seed=seed))


def test_unknown_text_and_tokens_raise() -> None:
    tok = pw.Tokenizer(model_of(SAMPLED))
    for call in (tok.lm.marginal_log_likelihood, lambda text: tok.lm.nbest(text, 2)):
        with pytest.raises(errors.UnknownTokenError, match="cover"):
            call("axb")
    with pytest.raises(errors.UnknownTokenError):
        tok.encode("axb", sampling=pw.Sampling(alpha=1.0))
    for token in ("x", 99, -1):
        with pytest.raises(errors.TokenIdError):
            tok.lm.score([token])


@pytest.mark.parametrize("n", [0, -1, 10_001, 1 << 32, "5", 2.0, None])
def test_invalid_number_of_segmentations_raises(tok: pw.Tokenizer, n: Any) -> None:
    with pytest.raises(errors.ConfigError, match="n: expected a number of segmentations"):
        tok.lm.nbest("a", n)


# Explanations


def test_explanation_of_bytes_and_special_tokens() -> None:
    vocab = {"<unk>": 0.0, **{f"<0x{byte:02X}>": 0.0 for byte in range(256)}, "a": -1.0}
    model = model_of(vocab, unk_id=0, byte_fallback=True, precision="float32", reserved=["<unk>"])
    tok = pw.Tokenizer(model, added_tokens=[pw.AddedToken("<s>", special=True)])
    kinds = [piece.kind for piece in tok.explain("aé<s>").pieces]
    assert kinds == ["piece", "byte", "byte", "special"]


def test_dropout_argument_raises(tok: pw.Tokenizer) -> None:
    assert tok.encode("aba", sampling=pw.Sampling(dropout=0.0)) == tok.encode("aba")
    with pytest.raises(errors.ConfigError, match="dropout: Unigram has no dropout"):
        tok.encode("aba", sampling=pw.Sampling(dropout=0.5))


@pytest.mark.parametrize("score", [float("nan"), float("-inf"), 10**400, True, "1"])
def test_invalid_scores_raise(score: Any) -> None:
    with pytest.raises(errors.ConfigError, match=r"vocab\[0\]: expected a finite number"):
        models.Unigram([("a", score)])


def test_impossible_models_raise() -> None:
    huge = model_of({"a": 1e300}, precision="float32")
    with pytest.raises(errors.VocabularyError, match=r'"a" is 1e300; expected .* stays finite'):
        pw.Tokenizer(huge)
    bare = pw.Tokenizer(model_of({"a": 0.0}))
    with pytest.raises(errors.UnknownTokenError, match=r"for Unigram `unk_id=\.\.\."):
        bare.encode("b")
