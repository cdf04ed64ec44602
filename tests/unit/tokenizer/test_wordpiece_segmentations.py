"""WordPiece's likeliest segmentation and MaxMatch-Dropout: core against cases and reference."""

import json
import pickle
from collections import Counter
from math import inf, log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import paths
import piecework as pw
from piecework import errors, models, pre_tokenizers
from piecework.reference.model.likeliest import LikeliestEncoder
from piecework.reference.model.probability import probability
from piecework.reference.model.wordpiece import Piece
from piecework.reference.numbers.prng import SplitMix64
from reference_models import ReferenceTokenizer

Json = dict[str, Any]
CASES = paths.CASES / "unigram_encode.json"
TABLE = json.loads(CASES.read_text(encoding="utf-8"))
TRAINED = json.loads(pw.train({"a": 1}, pw.WordPieceTrainer(vocab_size=9)).to_str())
HUGS = ["[UNK]", "h", "##u", "##g", "##s", "hu", "##gs", "hug"]


def model_json(model: Json) -> Json:
    """Returns a model of the reference as the model of a tokenizer.json."""
    own = {"version": 1, "unknown": "word", "has_unk": True, **model["piecework"]}
    if "training" in own:
        own["training"] = TRAINED["model"]["piecework"]["training"] | own["training"]
    return {**model, "type": "piecework.WordPiece", "piecework": own}


def tokenizer(model: Json, **config: Any) -> pw.Tokenizer:
    return pw.Tokenizer.from_str(
        json.dumps({"model": model_json(model), "added_tokens": [], **config})
    )


def is_word_piece(case: Json) -> bool:
    model: Json = TABLE["models"][case["config"]["model"]]
    return str(model["type"]).endswith("WordPiece")


@pytest.mark.parametrize(
    "case", [*filter(is_word_piece, TABLE["cases"])], ids=lambda case: case["name"]
)
def test_case_equals_table(case: Json) -> None:
    config = {name: value for name, value in case["config"].items() if name != "model"}
    tok = tokenizer(TABLE["models"][case["config"]["model"]], **config)
    sampling = pw.Sampling(seed=case.get("seed", 0))
    for made in (tok, pw.Tokenizer.from_str(tok.to_str())):
        # Only inputs of a batch have a number.
        number = case.get("number", 0)
        encoding = made.encode_batch([case["text"]] * (number + 1), sampling=sampling)[number]
        for name in ("ids", "tokens", "offsets", "word_ids"):
            assert json.loads(json.dumps(getattr(encoding, name))) == case.get(name), name


entries = st.text("ab#é", min_size=1, max_size=4)
words = st.text("ab#éx", min_size=1, max_size=14)


@st.composite
def settings(draw: st.DrawFn) -> Json:
    prefix = draw(st.sampled_from(["##", "", "#"]))
    pieces = draw(st.lists(st.tuples(entries, st.booleans()), max_size=12))
    names = dict.fromkeys(["[UNK]", *(prefix * inside + entry for entry, inside in pieces)])
    own: Json = {"unknown": draw(st.sampled_from(["word", "run", "char"]))}
    counts = st.integers(0, 9) | st.integers(0, 2**50)
    own["training"] = {
        "token_counts": draw(st.lists(counts, min_size=len(names), max_size=len(names)))
    }
    return {
        "type": "piecework.WordPiece",
        "vocab": {name: number for number, name in enumerate(names)},
        "unk_token": "[UNK]",
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": 12,
        "piecework": own,
    }


@given(settings(), words)
def test_likeliest_equals_reference(model: Json, word: str) -> None:
    model["piecework"]["segmentation"] = "likeliest"
    wanted = ReferenceTokenizer({"model": model}).encode(word)
    found = tokenizer(model).encode(word)
    assert (found.ids, found.offsets) == (wanted.ids, wanted.offsets)


@given(settings(), words, st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.integers(0, 2**64 - 1))
def test_dropout_equals_reference(model: Json, word: str, p: float, seed: int) -> None:
    plain = tokenizer(model)
    model["piecework"]["dropout"] = p
    wanted = ReferenceTokenizer({"model": model}).encode(word, seed=seed)
    for found in (
        plain.encode(word, sampling=pw.Sampling(dropout=p, seed=seed)),
        tokenizer(model).encode(word, sampling=pw.Sampling(seed=seed)),
    ):
        assert (found.ids, found.offsets) == (wanted.ids, wanted.offsets)
    if p == 0:
        assert plain.encode(word) == found


@given(settings(), words, st.integers(1, 9), st.floats(0, 3), st.integers(0, 99))
def test_nbest_samples_and_probabilities_equal_reference(
    model: Json, word: str, wanted: int, alpha: float, seed: int
) -> None:
    own = model["piecework"] | {"segmentation": "likeliest"}
    counts = own["training"]["token_counts"]
    probabilities = {
        name: probability(counts[number], sum(counts)) for name, number in model["vocab"].items()
    }
    split = LikeliestEncoder(
        probabilities,
        model["continuing_subword_prefix"],
        own["unknown"],
        model["max_input_chars_per_word"],
    )
    tok = tokenizer(model | {"piecework": own})

    def reference_entries(pieces: list[Piece]) -> list[tuple[str, tuple[int, int]]]:
        return [(piece.entry or "[UNK]", (piece.start, piece.end)) for piece in pieces]

    def core_entries(encoding: pw.Encoding) -> list[tuple[str, tuple[int, int]]]:
        return [*zip(encoding.tokens, encoding.offsets, strict=True)]

    found = [(core_entries(encoding), score) for encoding, score in tok.lm.nbest(word, wanted)]
    assert found == [
        (reference_entries(pieces), score) for pieces, score in split.nbest(word, wanted)
    ]
    assert tok.lm.marginal_log_likelihood(word) == split.marginal_log_likelihood(word)
    for size in (None, wanted):
        drawn = split.sample(word, alpha, SplitMix64.for_input(seed, 0), size)
        assert core_entries(
            tok.encode(word, sampling=pw.Sampling(alpha=alpha, nbest_size=size, seed=seed))
        ) == reference_entries(drawn)


# The likeliest


@pytest.fixture(scope="module")
def trained() -> pw.Tokenizer:
    words = {"hu": 30, "hug": 4, "bugs": 40, "hus": 3, "bus": 5, "rags": 20}
    return pw.train(words, pw.WordPieceTrainer(17, special_tokens=["[UNK]"]))


def test_likeliest_of_a_trained_model(trained: pw.Tokenizer) -> None:
    likeliest = trained.replace(segmentation="likeliest")
    assert trained.tokenize("hugs") == ["hug", "##s"]
    assert likeliest.tokenize("hugs") == ["hu", "##gs"]
    for text in ("hugs", "bugs", "rug", "hugbug", "shu"):
        encodings = trained.encode(text), likeliest.encode(text)
        longest, most = (tok.lm.log_likelihood(text) for tok in (trained, likeliest))
        assert most >= longest - 1e-9
        assert encodings[0].offsets[-1][1] == encodings[1].offsets[-1][1]
    assert likeliest.replace(segmentation="longest") == trained
    assert likeliest != trained
    assert pw.Tokenizer.from_str(likeliest.to_str()) == likeliest
    assert likeliest.model == models.Model.from_dict(likeliest.model.to_dict())
    assert isinstance(likeliest.model, models.WordPiece)
    assert likeliest.model.segmentation == "likeliest"
    results = [likeliest.encode_ids("hugs bugs hugs", cache=cache) for cache in (True, True, False)]
    assert results == [likeliest.encode("hugs bugs hugs").ids] * 3


def test_likeliest_without_counts_raises() -> None:
    plain = pw.Tokenizer(models.WordPiece(HUGS))
    with pytest.raises(errors.MissingCountsError, match="needs token counts"):
        plain.replace(segmentation="likeliest")
    with pytest.raises(errors.MissingCountsError, match="needs token counts"):
        pw.Tokenizer(models.WordPiece(HUGS, segmentation="likeliest"))


def test_probabilities_of_likeliest(trained: pw.Tokenizer) -> None:
    likeliest = trained.replace(segmentation="likeliest")
    (first, score), (_, other) = likeliest.lm.nbest("hugs", 2)
    assert first == likeliest.encode("hugs")
    assert score > other
    assert likeliest.lm.score(first) == pytest.approx(score) == likeliest.lm.log_likelihood("hugs")
    assert likeliest.lm.marginal_log_likelihood("hugs") > score
    assert likeliest.lm.marginal_log_likelihood("x") == likeliest.lm.score(["[UNK]"]) < -40
    drawn = {
        tuple(likeliest.encode("hugs", sampling=pw.Sampling(alpha=0.1, seed=n)).tokens)
        for n in range(40)
    }
    assert drawn == {("hu", "##gs"), ("hug", "##s")}
    with pytest.raises(errors.ConfigError, match='pass `segmentation="likeliest"`'):
        trained.encode("hugs", sampling=pw.Sampling(alpha=0.1))


PROBABILITIES = {"hu": 0.3, "hug": 0.1, "##gs": 0.2, "##s": 0.1, "h": 0.0}


def test_given_probabilities_are_used(tmp_path: Path) -> None:
    plain = pw.Tokenizer(models.WordPiece(HUGS))
    model = models.WordPiece(HUGS, segmentation="likeliest", probabilities=PROBABILITIES)
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(HUGS), encoding="utf-8")
    given = {"segmentation": "likeliest", "probabilities": PROBABILITIES}
    for tok in (
        pw.Tokenizer(model),
        plain.replace(**given),
        pw.Tokenizer.from_str(pw.Tokenizer(model).to_str()),
        pw.Tokenizer.from_file(path, **given),
        pickle.loads(pickle.dumps(pw.Tokenizer(model))),
    ):
        assert tok.model == model
        assert tok.tokenize("hugs") == ["hu", "##gs"]
        assert tok.lm.log_likelihood("hugs") == pytest.approx(log(0.06))
        assert tok.tokenize("huh") == ["[UNK]"]
        assert tok.replace(segmentation="longest").tokenize("hugs") == ["hug", "##s"]
        with pytest.raises(errors.MissingCountsError, match="or pass `probabilities="):
            tok.replace(probabilities=None)
    assert models.Model.from_dict(model.to_dict()) == model
    assert dict(model.probabilities or ()) == {k: p for k, p in PROBABILITIES.items() if p}
    wanted = ReferenceTokenizer({"model": model.to_dict()}).encode("hugs")
    assert pw.Tokenizer(model).encode("hugs").ids == wanted.ids
    with pytest.warns(
        errors.PieceworkWarning, match="lacks or changes segmentation, probabilities,"
    ):
        pw.Tokenizer(model).save(path, "vocab.txt")


def test_given_probabilities_override_counts(trained: pw.Tokenizer) -> None:
    probabilities = dict.fromkeys(trained.vocab, 0.01) | {"hug": 0.5}
    tok = trained.replace(segmentation="likeliest", probabilities=probabilities)
    assert tok.tokenize("hugs") == ["hug", "##s"]
    back = tok.replace(probabilities=None)
    assert back == trained.replace(segmentation="likeliest")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"no": 0.5}, '"no" has a probability and is not in the vocabulary'),
        ({"hu": 1.5}, "'hu': expected a number from 0 to 1"),
        ({"hu": "a"}, "'hu': expected a number from 0 to 1"),
        ({1: 0.5}, "probabilities"),
        ([0.5], "expected a mapping of tokens to numbers"),
    ],
)
def test_invalid_probabilities_raise(given: Any, message: str) -> None:
    plain = pw.Tokenizer(models.WordPiece(HUGS))
    with pytest.raises((errors.PieceworkError, TypeError), match=message):
        plain.replace(segmentation="likeliest", probabilities=given)
    with pytest.raises(errors.PieceworkError, match=r"probabilities|not in the vocabulary"):
        pw.Tokenizer(models.WordPiece(HUGS, segmentation="likeliest", probabilities=given))
    own = {"segmentation": "likeliest", "probabilities": given}
    file = {"vocab": {name: n for n, name in enumerate(HUGS)}, "unk_token": "[UNK]"}
    limits = {"continuing_subword_prefix": "##", "max_input_chars_per_word": 9}
    with pytest.raises(errors.FormatError, match=r"\$\.model\.piecework\.probabilities: "):
        tokenizer(file | limits | {"piecework": own})


def test_vocab_txt_warns_of_lost_segmentation(trained: pw.Tokenizer, tmp_path: Path) -> None:
    with pytest.warns(errors.PieceworkWarning, match="lacks or changes segmentation"):
        trained.replace(segmentation="likeliest").save(tmp_path / "vocab.txt", "vocab.txt")


def test_invalid_segmentation_raises(trained: pw.Tokenizer) -> None:
    with pytest.raises(errors.ConfigError, match='segmentation: expected "longest" or "likeliest"'):
        trained.replace(segmentation="shortest")  # type: ignore[typeddict-item]
    with pytest.raises(errors.ConfigError, match="segmentation"):
        models.WordPiece(HUGS, segmentation="shortest")  # type: ignore[arg-type]
    likeliest = trained.replace(segmentation="likeliest")
    with pytest.raises(errors.ConfigError, match="the likeliest segmentation has no dropout"):
        likeliest.encode("hugs", sampling=pw.Sampling(dropout=0.5))
    assert likeliest.encode("hugs", sampling=pw.Sampling(dropout=0.0)) == likeliest.encode("hugs")
    model = {
        "segmentation": "likeliest",
        "dropout": 0.5,
        "training": {"token_counts": [1] * len(HUGS)},
    }
    file = {
        "vocab": {name: n for n, name in enumerate(HUGS)},
        "unk_token": "[UNK]",
        "piecework": model,
    }
    limits = {"continuing_subword_prefix": "##", "max_input_chars_per_word": 9}
    with pytest.raises(errors.PieceworkError, match="the likeliest segmentation has no dropout"):
        tokenizer(file | limits)
    for wrong in ({"segmentation": "x"}, {"segmentation": 1}, {"dropout": 1.5}, {"dropout": "a"}):
        with pytest.raises(errors.FormatError, match=next(iter(wrong))):
            tokenizer(file | limits | {"piecework": wrong})


# Dropout


def test_default_settings_are_not_saved() -> None:
    plain = models.WordPiece(HUGS)
    assert "piecework" not in plain.to_dict()
    some = models.WordPiece(HUGS, dropout=0.25)
    assert some.to_dict()["type"] == "piecework.WordPiece"
    assert pw.Tokenizer.from_str(pw.Tokenizer(some).to_str()).model == some
    assert "segmentation" not in models.WordPiece(HUGS, unknown="run").to_dict()["piecework"]


CHI_SQUARE = 13.82  # 2 degrees of freedom: correct dropout exceeds it for one seed in a thousand


def test_dropout_rate_equals_setting() -> None:
    tok = pw.Tokenizer(models.WordPiece(HUGS), pre_tokenizer=pre_tokenizers.WhitespaceSplit())
    p, draws = 0.3, 9000
    batch = tok.encode_batch(["hug"] * draws, sampling=pw.Sampling(dropout=p, seed=5))
    drawn = Counter(" ".join(map(str, row)) for row in batch.to_list())
    expected = {"7": 1 - p, "5 3": p * (1 - p), "1 2 3": p * p}
    assert drawn.keys() == expected.keys()
    distance = sum((drawn[row] - draws * q) ** 2 / (draws * q) for row, q in expected.items())
    assert distance < CHI_SQUARE < inf
    assert (
        batch.to_list()
        == tok.encode_batch(
            ["hug"] * draws, sampling=pw.Sampling(dropout=p, seed=5), threads=1
        ).to_list()
    )
    assert tok.encode_ids("hug hug") == [7, 7]


def test_explanation_of_likeliest_has_no_failed_prefixes(trained: pw.Tokenizer) -> None:
    likeliest = trained.replace(segmentation="likeliest")
    longest, likely = trained.explain("hugs"), likeliest.explain("hugs")
    assert ("tried hugs" in str(longest), "tried" in str(likely)) == (True, False)
    assert [piece.token for piece in likely.pieces] == ["hu", "##gs"]
