"""Lattices of Unigram and WordPiece against a brute-force list of all segmentations."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise, product
from math import exp, isclose, log

import pytest
from hypothesis import given, strategies as st

from piecework.reference.model import lattice
from piecework.reference.model.likeliest import LikeliestEncoder
from piecework.reference.model.nbest import extend_segmentations
from piecework.reference.model.unigram import UnigramEncoder, UnigramSettings
from piecework.reference.model.wordpiece import LongestMatchEncoder
from piecework.reference.numbers.floats import WideFloat
from piecework.reference.numbers.prng import SplitMix64

SINGLES = ("a", "b", "c")
texts = st.text("abc", min_size=1, max_size=8)
scores = st.floats(-20, 0)
vocabularies = st.dictionaries(st.text("abc", min_size=2, max_size=4), scores).flatmap(
    lambda longer: st.builds(
        lambda own: {**dict(zip(SINGLES, own, strict=True)), **longer},
        st.tuples(scores, scores, scores),
    )
)


def segmentations(text: str, entries: Mapping[str, float]) -> Iterator[list[str]]:
    """Iterates over all segmentations of a text into entries."""
    if not text:
        yield []
    for end in range(1, len(text) + 1):
        if text[:end] in entries:
            yield from ([text[:end], *rest] for rest in segmentations(text[end:], entries))


@given(vocabularies, texts)
def test_best_segmentation_has_highest_score(vocab: dict[str, float], text: str) -> None:
    pieces = [piece.entry or "" for piece in UnigramEncoder(vocab, UnigramSettings())(text)]
    assert "".join(pieces) == text
    most = max(sum(vocab[piece] for piece in row) for row in segmentations(text, vocab))
    assert isclose(sum(vocab[piece] for piece in pieces), most, abs_tol=1e-9)


@given(vocabularies, texts, st.integers(1, 40))
def test_nbest_equals_brute_force(vocab: dict[str, float], text: str, wanted: int) -> None:
    found = UnigramEncoder(vocab, UnigramSettings()).nbest(text, wanted)
    rows = [tuple(piece.entry or "" for piece in pieces) for pieces, _ in found]
    everything = [tuple(row) for row in segmentations(text, vocab)]
    assert len(set(rows)) == len(rows) == min(wanted, len(everything))
    assert set(rows) <= set(everything)
    known = sorted((sum(vocab[p] for p in row) for row in everything), reverse=True)
    for (_, score), most in zip(found, known, strict=False):
        assert isclose(score, most, abs_tol=1e-9)
    assert all(first >= second - 1e-9 for (_, first), (_, second) in pairwise(found))


few = st.lists(st.floats(-9, 0), min_size=1, max_size=9).map(
    lambda scores: [*enumerate(sorted(scores, reverse=True))]
)


@given(st.lists(few, max_size=3), st.integers(1, 30))
def test_nbest_of_several_words_equals_brute_force(
    words: list[list[tuple[int, float]]], wanted: int
) -> None:
    rows: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    for paths in words:
        rows = extend_segmentations(rows, paths[:wanted], wanted)
    known = sorted((sum(s for _, s in row) for row in product(*words)), reverse=True)[:wanted]
    assert [score for _, score in rows] == pytest.approx(known)
    assert len({row for row, _ in rows}) == len(rows)


@given(vocabularies, texts)
def test_log_probability_sums_over_all_segmentations(vocab: dict[str, float], text: str) -> None:
    whole = sum(exp(sum(vocab[p] for p in row)) for row in segmentations(text, vocab))
    found = UnigramEncoder(vocab, UnigramSettings()).marginal_log_likelihood(text)
    assert isclose(found, log(whole), rel_tol=1e-9, abs_tol=1e-9)


@given(vocabularies, texts)
def test_lattice_shares_are_expected_counts(vocab: dict[str, float], text: str) -> None:
    edges = list(lattice.find_edges(text, vocab, 4))
    weights = [WideFloat.of(exp(vocab[edge.entry])) for edge in edges]
    sums = lattice.forward_sums(len(text), edges, weights)
    found: Counter[str] = Counter()
    for edge, share in lattice.expected_counts(edges, weights, sums, WideFloat.of(1.0)):
        found[edge.entry] += float(share)  # type: ignore[assignment]
    rows = {tuple(r): exp(sum(vocab[p] for p in r)) for r in segmentations(text, vocab)}
    whole = sum(rows.values())
    for entry in vocab:
        wanted = sum(row.count(entry) * weight / whole for row, weight in rows.items())
        assert isclose(found[entry], wanted, rel_tol=1e-9, abs_tol=1e-12)


SAMPLED = {"a": -1.0, "b": -2.0, "ab": -1.5, "ba": -4.0, "aba": -3.0}
CHI_SQUARE = 31.26  # 11 degrees of freedom: a correct sampler exceeds it once in a thousand runs


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_sampling_follows_probabilities(alpha: float) -> None:
    text, draws = "ababa", 6000
    encode = UnigramEncoder(SAMPLED, UnigramSettings())
    rows = {
        tuple(row): alpha * sum(SAMPLED[p] for p in row) for row in segmentations(text, SAMPLED)
    }
    whole = sum(exp(score) for score in rows.values())
    drawn = Counter(
        tuple(p.entry or "" for p in encode.sample(text, alpha, SplitMix64.for_input(1, number)))
        for number in range(draws)
    )
    assert set(drawn) <= set(rows)
    assert len(rows) == 12
    expected = {row: draws * exp(score) / whole for row, score in rows.items()}
    assert sum((drawn[row] - n) ** 2 / n for row, n in expected.items()) < CHI_SQUARE


def test_long_word_does_not_underflow() -> None:
    encode = UnigramEncoder({"a": -20.0, "aa": -30.0}, UnigramSettings())
    assert -160_000 < encode.marginal_log_likelihood("a" * 10_000) < -140_000
    assert len(encode.sample("a" * 1000, 1.0, SplitMix64(0))) >= 500


# WordPiece


@given(vocabularies, texts)
def test_likeliest_wordpiece_segmentation_has_highest_score(
    vocab: dict[str, float], text: str
) -> None:
    chances = {entry: exp(score) for entry, score in vocab.items()}
    chances |= {f"##{entry}": exp(score - 1) for entry, score in vocab.items()}
    pieces = LikeliestEncoder(chances)(text)
    spelled = [(piece.entry or "").removeprefix("##") for piece in pieces]
    assert "".join(spelled) == text
    most = max(sum(vocab[p] for p in row) - len(row) + 1 for row in segmentations(text, vocab))
    assert isclose(sum(vocab[p] for p in spelled) - len(spelled) + 1, most, abs_tol=1e-9)


@given(vocabularies, texts, st.integers(1, 40))
def test_wordpiece_nbest_and_probability_equal_brute_force(
    vocab: dict[str, float], text: str, wanted: int
) -> None:
    chances = {entry: exp(score) for entry, score in vocab.items()}
    chances |= {f"##{entry}": exp(score - 1) for entry, score in vocab.items()}
    split = LikeliestEncoder(chances)
    known = [sum(vocab[p] for p in row) - len(row) + 1 for row in segmentations(text, vocab)]
    found = [score for _, score in split.nbest(text, wanted)]
    assert found == pytest.approx(sorted(known, reverse=True)[:wanted])
    assert split.marginal_log_likelihood(text) == pytest.approx(log(sum(map(exp, known))), abs=1e-9)


@pytest.mark.parametrize("unknown", ["word", "run", "char"])
def test_unknown_parts_equal_those_of_longest_match(unknown: str) -> None:
    chances = {"a": 0.5, "##a": 0.2, "##b": 0.2, "##ab": 0.1}
    likeliest = LikeliestEncoder(chances, unknown=unknown, max_input_chars_per_word=6)
    longest = LongestMatchEncoder(chances, unknown=unknown, max_input_chars_per_word=6)
    for text in ("xa", "axxb", "x", "abx", "aaaaaaa", ""):
        missing = [[p for p in split(text) if not p.entry] for split in (likeliest, longest)]
        assert missing[0] == missing[1], text


@given(st.floats(0, 1), texts, st.integers(0, 2**64 - 1))
def test_dropout_spells_the_word_and_depends_on_seed_alone(
    dropout: float, text: str, seed: int
) -> None:
    entries = {*SINGLES, "ab", "abc", "bc", *(f"##{e}" for e in (*SINGLES, "ab", "abc", "bc"))}
    split = LongestMatchEncoder(entries, dropout=dropout)
    pieces = split(text, SplitMix64(seed))
    assert "".join((piece.entry or "").removeprefix("##") for piece in pieces) == text
    assert pieces == split(text, SplitMix64(seed))
    if dropout == 0:
        assert pieces == LongestMatchEncoder(entries)(text)
    if dropout == 1:
        assert len(pieces) == len(text)


def test_dropout_rate_equals_setting() -> None:
    split = LongestMatchEncoder({"a", "##b", "ab"}, dropout=0.3)
    dropped = sum(len(split("ab", SplitMix64.for_input(0, n))) == 2 for n in range(4000))
    assert abs(dropped - 1200) < 4 * (4000 * 0.3 * 0.7) ** 0.5  # wrong once in 15,000 runs
