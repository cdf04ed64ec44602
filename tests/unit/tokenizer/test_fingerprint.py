"""Fingerprints: equal for what gives equal ids, different after each change of it."""

import json
import random
from typing import Any

import pytest

import piecework as pw
from piecework import models, normalizers, pre_tokenizers, processors

TEXTS = ["hug pug pun bun hugs " * 4, "hug pun pun " * 3]
TRAINERS = [
    pw.WordPieceTrainer(vocab_size=18),
    pw.BpeTrainer(vocab_size=20),
    pw.UnigramTrainer(vocab_size=17),
    pw.WordLevelTrainer(vocab_size=10),
]


def trained(trainer: Any) -> pw.Tokenizer:
    return pw.train(TEXTS, trainer)


@pytest.mark.parametrize("trainer", TRAINERS, ids=lambda trainer: type(trainer).__name__)
def test_saving_and_loading_keep_the_fingerprint(trainer: Any) -> None:
    tok = trained(trainer)
    saved = tok.to_str()
    assert json.loads(saved)["model"]["piecework"]["fingerprint"] == tok.fingerprint
    back = pw.Tokenizer.from_str(saved)
    assert back.fingerprint == tok.fingerprint
    assert back.to_str() == saved


@pytest.mark.parametrize("trainer", TRAINERS, ids=lambda trainer: type(trainer).__name__)
def test_history_and_the_order_of_members_do_not_matter(trainer: Any) -> None:
    tok = trained(trainer)
    value = json.loads(tok.to_str())
    del value["model"]["piecework"]
    draw = random.Random(0)

    def shuffled(json_value: Any) -> Any:
        if isinstance(json_value, list):
            return [shuffled(each) for each in json_value]
        if not isinstance(json_value, dict):
            return json_value
        members = list(json_value.items())
        draw.shuffle(members)
        return {name: shuffled(each) for name, each in members}

    text = json.dumps(shuffled(value), indent=1)
    assert pw.Tokenizer.from_str(text).fingerprint == tok.fingerprint


def test_settings_of_calls_and_the_decoder_do_not_matter() -> None:
    tok = trained(pw.WordPieceTrainer(vocab_size=18))
    for changed in (
        tok.replace(decoder=None),
        tok.replace(truncation=8),
        tok.replace(padding=pw.Padding()),
    ):
        assert changed.fingerprint == tok.fingerprint


def test_every_change_of_ids_matters() -> None:
    tok = trained(pw.WordPieceTrainer(vocab_size=18))
    variants = [
        tok,
        tok.replace(normalizer=normalizers.Lowercase()),
        tok.replace(pre_tokenizer=pre_tokenizers.WhitespaceSplit()),
        tok.replace(post_processor=None),
        tok.replace(
            post_processor=processors.RobertaProcessing(sep=("[SEP]", 3), cls=("[CLS]", 2))
        ),
        tok.replace(unknown="char"),
        tok.replace(max_input_chars_per_word=7),
        tok.replace(segmentation="likeliest"),
        tok.with_added_tokens(["<new>"]),
        tok.with_added_tokens([pw.AddedToken("<new>", lstrip=True)]),
        trained(pw.WordPieceTrainer(vocab_size=17)),
    ]
    assert len({each.fingerprint for each in variants}) == len(variants)


def test_merges_in_another_order_matter() -> None:
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}
    one = pw.Tokenizer(models.BPE(vocab, [("a", "b"), ("b", "c")]))
    other = pw.Tokenizer(models.BPE(vocab, [("b", "c"), ("a", "b")]))
    assert one.fingerprint != other.fingerprint


def test_token_counts_matter_where_they_decide_segmentations() -> None:
    trainer = pw.WordPieceTrainer(vocab_size=18)
    one, other = pw.train(TEXTS, trainer), pw.train([*TEXTS, "hug"], trainer)
    assert one.vocab == other.vocab
    assert one.fingerprint == other.fingerprint
    likeliest = [tok.replace(segmentation="likeliest") for tok in (one, other)]
    assert likeliest[0].fingerprint != likeliest[1].fingerprint


def test_a_function_has_no_fingerprint() -> None:
    function = pre_tokenizers.Function(str.split)
    tok = trained(pw.WordPieceTrainer(vocab_size=18)).replace(pre_tokenizer=function)
    with pytest.raises(pw.errors.ConfigError, match="Python function"):
        _ = tok.fingerprint


def test_control_symbols_matter_and_a_file_has_none(tmp_path: Any) -> None:
    tok = pw.Tokenizer.from_str("[UNK]\n[SEP]\nhug\n")
    control = pw.Tokenizer._wrap(tok._core.with_control_symbols(["[SEP]"]), tok._functions)
    assert control.fingerprint != tok.fingerprint
    assert pw.Tokenizer.from_str(control.to_str()).fingerprint == tok.fingerprint
    assert json.loads(control.to_str())["model"]["piecework"]["fingerprint"] == tok.fingerprint
