"""Tokenizers composed of components: equality, pickling, explanations, training and warnings."""

import copy
import json
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import decoders, models, normalizers, pre_tokenizers, processors

pytestmark = pytest.mark.smoke

VOCAB = ["[UNK]", "[PAD]", "[CLS]", "[SEP]", "to", "be", "or", "not", "new york", "中国", "人"]
LOWERCASE = normalizers.Lowercase()


def words(text: str) -> list[str]:
    """Splits at white space; defined at module level, so that it can be pickled."""
    return text.split()


def spans(text: str) -> list[tuple[int, int]]:
    """Splits at white space, and returns spans."""
    return [(start, start + len(word)) for start, word in _with_positions(text)]


def _with_positions(text: str) -> list[tuple[int, str]]:
    positioned, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        positioned.append((at, word))
        at += len(word)
    return positioned


def made(pre_tokenizer: pre_tokenizers.PreTokenizer | None = None, **parts: Any) -> pw.Tokenizer:
    return pw.Tokenizer(
        models.WordPiece(VOCAB), **{"normalizer": LOWERCASE, "pre_tokenizer": pre_tokenizer} | parts
    )


SPLITS: dict[str, pre_tokenizers.PreTokenizer] = {
    "function": pre_tokenizers.Function(words),
    "functions": pre_tokenizers.Sequence(
        [pre_tokenizers.Function(words), pre_tokenizers.Digits(), pre_tokenizers.Function(spans)]
    ),
    "dictionary": pre_tokenizers.Sequence(
        [pre_tokenizers.Dictionary(["new york"]), pre_tokenizers.Dictionary(["to"])]
    ),
    "jieba": pre_tokenizers.Jieba(user_words=[("中国人", 1)]),
}
WORD_LEVEL = pw.Tokenizer(
    models.WordLevel(VOCAB, "[UNK]"),
    normalizer=LOWERCASE,
    pre_tokenizer=pre_tokenizers.Whitespace(),
    added_tokens=[pw.AddedToken("<name>", lstrip=True)],
)
TOKENIZERS: dict[str, pw.Tokenizer] = {name: made(split) for name, split in SPLITS.items()} | {
    "model alone": pw.Tokenizer(models.WordPiece(VOCAB)),
    "word level": WORD_LEVEL,
    "no unknown token": pw.Tokenizer(models.WordPiece(VOCAB[1:], None, None, "")),
    "limits": made(truncation=pw.Truncation(4, 1), padding=pw.Padding(8, direction="left")),
    "added": made().with_added_tokens(
        [pw.AddedToken("<x>", rstrip=True, single_word=True), pw.AddedToken("be", special=True)]
    ),
    "all": pw.Tokenizer(
        models.WordPiece(VOCAB, unknown="char"),
        normalizer=normalizers.Sequence([normalizers.NFC(), LOWERCASE]),
        pre_tokenizer=SPLITS["functions"],
        post_processor=processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2)),
        decoder=decoders.WordPiece(),
        added_tokens=["<x>"],
        truncation=5,
        padding="longest",
    ),
}
TEXTS = ["to be  or not", "", "New York 2b <x> <name> be", "中国人 X"]


# Values


@pytest.mark.parametrize("name", TOKENIZERS)
def test_pickles_and_copies_are_equal(name: str) -> None:
    tok = TOKENIZERS[name]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        reloaded = pickle.loads(pickle.dumps(tok, protocol))
        assert reloaded == tok
        assert hash(reloaded) == hash(tok)
        assert repr(reloaded) == repr(tok)
    assert copy.deepcopy(tok) is copy.copy(tok) is tok
    if name != "no unknown token":
        assert reloaded.encode_batch(TEXTS).to_list() == tok.encode_batch(TEXTS).to_list()


def test_different_tokenizers_are_unequal() -> None:
    for name, tok in TOKENIZERS.items():
        assert [other for other in TOKENIZERS if TOKENIZERS[other] == tok] == [name]


def test_equality_covers_functions_and_other_components() -> None:
    one, two = (pre_tokenizers.Function(f) for f in (words, spans))
    assert made(one) == made(one)
    assert made(one) != made(two)
    assert made(one) != made(pre_tokenizers.Sequence([one]))
    assert made(one) != made(pre_tokenizers.Sequence([one, pre_tokenizers.Digits()]))
    assert made(one) != made(one, decoder=decoders.Fuse())
    assert made(one).replace(decoder=None) == made(one)
    assert made(one).replace(unknown="char").pre_tokenizer == one
    assert made(one).with_added_tokens(["x"]).pre_tokenizer == one


def test_lambdas_cannot_be_pickled_or_saved() -> None:
    tok = made(pre_tokenizers.Function(lambda text: [text]))
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(tok)
    for save in (tok.to_str, lambda: tok.save("not-written")):
        with pytest.raises(pw.errors.ConfigError, match=r"a Python function .* cannot be saved"):
            save()
    assert copy.deepcopy(tok) == tok


@pytest.mark.parametrize("name", TOKENIZERS)
def test_repr_lists_components(name: str) -> None:
    tok = TOKENIZERS[name]
    shown = repr(tok)
    assert len(shown) < 600
    for part in (tok.model_type, tok.normalizer, tok.pre_tokenizer, tok.truncation, tok.padding):
        assert part is None or str(part) in shown
    assert ("unknown=" in shown) == (tok.model_type == "WordPiece")


@pytest.mark.parametrize("name", TOKENIZERS)
def test_rebuilding_from_properties_gives_an_equal_tokenizer(name: str) -> None:
    tok = TOKENIZERS[name]
    parts = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")
    rebuilt = pw.Tokenizer(
        tok.model,
        **{part: getattr(tok, part) for part in parts},
        added_tokens=tok.added_tokens.values(),
    )
    assert rebuilt == tok
    assert rebuilt.vocab == tok.vocab


def test_components_of_another_stage_are_refused() -> None:
    for wrong in ("", 0, "BertNormalizer", pre_tokenizers.Digits(), normalizers.NFC):
        with pytest.raises(TypeError, match=r"normalizer must be one of piecework\.normalizers"):
            made().replace(normalizer=wrong)  # type: ignore[typeddict-item]
    with pytest.raises(TypeError, match=r"model must be one of piecework\.models"):
        pw.Tokenizer("WordPiece")  # type: ignore[arg-type]


# EncodedBatch


def all_values(encoding: pw.Encoding) -> list[Any]:
    """Returns all columns and alignments of an encoding."""
    columns = ("ids", "tokens", "offsets", "byte_offsets", "word_ids", "sequence_ids", "type_ids")
    masks = ("attention_mask", "special_tokens_mask", "n_sequences")
    columns_ = [getattr(encoding, name) for name in (*columns, *masks)]
    chars = [encoding.token_to_chars(place) for place in range(len(encoding))]
    ranges = [encoding.word_to_tokens(word, text) for word in range(4) for text in range(2)]
    return [
        *columns_,
        chars,
        ranges,
        repr(encoding),
        [all_values(part) for part in encoding.overflowing],
    ]


@pytest.mark.parametrize("name", TOKENIZERS)
def test_encodings_survive_pickling(name: str) -> None:
    tok = TOKENIZERS[name]
    texts = [""] if name == "no unknown token" else TEXTS
    for encoding in [tok.encode(text) for text in texts] + [
        tok.encode(text, pair, truncation=pw.Truncation(8, 1), padding=None)
        for text in texts
        for pair in texts
    ]:
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            reloaded = pickle.loads(pickle.dumps(encoding, protocol))
            assert reloaded == encoding
            assert all_values(reloaded) == all_values(encoding)
        assert copy.deepcopy(encoding) == copy.copy(encoding) == encoding


def test_broken_pickle_state_is_refused() -> None:
    cls, (state,) = made(truncation=3).encode("to be or not", "be").__reduce__()
    assert all_values(cls(state)) == all_values(made(truncation=3).encode("to be or not", "be"))
    for place, column in enumerate(state):
        for broken in ([*column, *column, 1], [[]], None, "x", [2**40]):
            if broken == [1]:
                continue  # a valid list of ids
            with pytest.raises((TypeError, ValueError, OverflowError)):
                cls((*state[:place], broken, *state[place + 1 :]))
    for wrong in ((), state[1:], [], None):
        with pytest.raises((TypeError, ValueError)):
            cls(wrong)


# Explanations


def explained(tok: pw.Tokenizer, text: str) -> list[tuple[str, str]]:
    return [(piece.token, piece.kind) for piece in tok.explain(text).pieces]


def test_word_level_explanation() -> None:
    assert explained(WORD_LEVEL, "To york") == [("to", "word"), ("[UNK]", "unknown")]
    assert str(WORD_LEVEL.explain("To york")).splitlines() == [
        "To york -> to [UNK]",
        "  normalized: 'to york'",
        "  to (0-2) -> to",
        "    to (id 4, 0-2): a word of the vocabulary",
        "  york (3-7) -> [UNK]",
        "    [UNK] (id 0, 3-7): 'york' is not in the vocabulary",
    ]
    assert "the text is the unknown token itself" in str(
        WORD_LEVEL.with_added_tokens(["[UNK]"], special=True).explain("[UNK]")
    )


def test_explanation_of_added_tokens() -> None:
    assert explained(WORD_LEVEL, "to  <name>be") == [
        ("to", "word"),
        ("<name>", "added"),
        ("be", "word"),
    ]
    assert "<name> (id 11, 2-10): an added token" in str(WORD_LEVEL.explain("to  <name>be"))
    tok = pw.train({"hug": 10, "pug": 5, "hugs": 5}, pw.WordPieceTrainer(12)).with_added_tokens(
        [
            "<x>",
            pw.AddedToken("hug", single_word=True),
            pw.AddedToken("[MASK]", lstrip=True, special=True),
        ]
    )
    found = explained(tok, "hug<x>hugs [MASK] hug")
    assert [kind for _, kind in found] == [
        "added",
        "added",
        "merged",
        "alphabet",
        "special",
        "added",
    ]
    assert [line for line in str(tok.explain("hugs hug")).splitlines() if "tried" in line] == [
        "    hug (id 11, 0-3): tried hugs, which is not in the vocabulary"
    ]


@pytest.mark.parametrize("name", TOKENIZERS)
def test_explanations_agree_with_encoding(name: str) -> None:
    tok = TOKENIZERS[name]
    for text in ["", "tobe"] if name == "no unknown token" else TEXTS:
        ids = [piece.id for piece in tok.explain(text).pieces]
        assert ids == tok.encode_ids(text, add_special_tokens=False, truncation=None, padding=None)
        assert str(tok.explain(text)).startswith(f"{text} ->")


# vocab.txt


def save_warning(tok: pw.Tokenizer, path: Path) -> str:
    """Returns the message of the warning that `save` raises for a vocab.txt, or an empty string."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tok.save(path, "vocab.txt")
    assert len(caught) <= 1
    assert all(warning.filename == __file__ for warning in caught)
    return str(caught[0].message) if caught else ""


BERT: Callable[[], pw.Tokenizer] = lambda: pw.Tokenizer.from_str("\n".join(VOCAB))  # noqa: E731


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"normalizer": LOWERCASE}, "pass `normalizer=Lowercase()`"),
        ({"pre_tokenizer": None}, "pass `pre_tokenizer=None"),
        ({"pre_tokenizer": SPLITS["function"]}, "pass `pre_tokenizer=Function("),
        ({"pre_tokenizer": SPLITS["dictionary"]}, "pass `pre_tokenizer=Sequence("),
        ({"decoder": None}, "it lacks or changes decoder"),
        ({"post_processor": None}, "it lacks or changes post-processor"),
        ({"truncation": 7}, "pass `truncation=Truncation(max_length=7,"),
        ({"padding": 7}, "pass `padding=Padding(length=7,"),
    ],
)
def test_saving_a_vocab_names_the_arguments_to_restore_a_component(
    change: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    tok = BERT().replace(**change)  # type: ignore[typeddict-item]
    message = save_warning(tok, tmp_path / "vocab.txt")
    assert expected in message
    assert bool(expected) == bool(message)
    if change and "lacks" not in expected:
        settings = {name: getattr(tok, name) for name in change}
        assert pw.Tokenizer.from_file(tmp_path / "vocab.txt", **settings) == tok


def test_saving_a_vocab_warns_of_lost_tokens_and_models(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    assert "it lacks or changes added tokens" in save_warning(
        BERT().with_added_tokens(["<x>"]), path
    )
    assert "<x>" not in path.read_text(encoding="utf-8")
    assert "it lacks or changes special tokens" in save_warning(
        BERT().with_added_tokens(["be"], special=True), path
    )
    message = save_warning(WORD_LEVEL, path)
    assert "it lacks or changes model" in message
    assert "unknown=" not in message


# Training


@pytest.mark.parametrize("name", SPLITS)
def test_training_works_with_any_pre_tokenizer(name: str, tmp_path: Path) -> None:
    split = SPLITS[name]
    texts = ["to be or not to be in new york", "中国人 中国", "to 12"] * 3
    trainer = pw.WordPieceTrainer(60, user_defined_symbols=["to"])
    tok = pw.train(texts, trainer, normalizer=LOWERCASE, pre_tokenizer=split)
    (tmp_path / "text").write_text("\n".join(texts), encoding="utf-8")
    files = pw.train(
        pw.Corpus(tmp_path / "text"), trainer, normalizer=LOWERCASE, pre_tokenizer=split
    )
    parts = [
        pw.WordCounts.from_texts(
            texts[at : at + 2], normalizer=LOWERCASE, pre_tokenizer=split, first_document=at
        )
        for at in range(0, len(texts), 2)
    ]
    counts = pickle.loads(pickle.dumps(sum(parts[1:], parts[0])))
    assert (counts.normalizer, counts.pre_tokenizer) == (LOWERCASE, split)
    assert tok == files == pw.train(counts, trainer)
    assert tok.pre_tokenizer == split
    assert pickle.loads(pickle.dumps(tok)) == tok
    assert tok.lm.log_likelihood("to be") < 0
    assert ("to", "symbol") in explained(tok, "to")


def test_counts_with_functions_compare_and_pickle() -> None:
    one, two = (pre_tokenizers.Function(f) for f in (words, spans))
    counts, other = (pw.WordCounts.from_texts(["a b"], pre_tokenizer=f) for f in (one, two))
    assert counts == pw.WordCounts.from_texts(["a b"], pre_tokenizer=one)
    assert counts != other
    assert counts != pw.WordCounts({"a": 1, "b": 1})
    assert (counts + counts)["a"] == 2
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        reloaded = pickle.loads(pickle.dumps(counts, protocol))
        assert reloaded == counts
        assert (reloaded + counts).pre_tokenizer == one
    with pytest.raises(pw.errors.CountsError, match="settings"):
        counts + other
    with pytest.raises(pw.errors.CountsError, match="counted with"):
        pw.train(counts, pw.WordPieceTrainer(20), pre_tokenizer=two)
    with pytest.raises(pw.errors.ConfigError, match=r"a Python function .* cannot be saved"):
        counts.to_bytes()


def test_words_and_symbols_that_would_be_split_raise_a_warning() -> None:
    trainer = pw.WordPieceTrainer(40, user_defined_symbols=["new york", "中国人"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pw.train(
            ["in new york"],
            trainer,
            normalizer=LOWERCASE,
            pre_tokenizer=pre_tokenizers.Dictionary(["new york"]),
        )
    for split in (SPLITS["function"], SPLITS["jieba"]):
        with pytest.warns(pw.errors.PieceworkWarning, match=r"\['new york'"):
            pw.train(["in new york"], trainer, normalizer=LOWERCASE, pre_tokenizer=split)
        with pytest.warns(pw.errors.PieceworkWarning, match=r"\['a b'\]"):
            pw.train({"a b": 1}, pw.WordPieceTrainer(20), normalizer=LOWERCASE, pre_tokenizer=split)


def test_jieba_refuses_a_normalizer_that_pads_chinese_characters() -> None:
    with pytest.raises(pw.errors.ConfigError, match="handle_chinese_chars=False"):
        pw.train(["中国人"], pw.WordPieceTrainer(40), pre_tokenizer=pre_tokenizers.Jieba())


def test_jieba_is_saved_with_its_type_name() -> None:
    parts = json.loads(made(SPLITS["jieba"]).to_str())
    assert parts["pre_tokenizer"]["type"] == "piecework.Jieba"
    assert pw.Tokenizer.from_str(made(SPLITS["jieba"]).to_str()) == made(SPLITS["jieba"])
