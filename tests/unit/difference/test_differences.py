"""Differences of two tokenizers: every kind of planted change is found, by what differs and by behaviour."""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import piecework as pw
from corpora import write_lines
from piecework import decoders, models, normalizers, pre_tokenizers, processors
from piecework.analysis._difference.result import Difference

TEXTS = ["hug pug pun bun hugs " * 4, "hug pun pun " * 3]
TRAINERS: dict[str, Any] = {
    "WordPiece": pw.WordPieceTrainer(vocab_size=18),
    "BPE": pw.BpeTrainer(vocab_size=20),
    "Unigram": pw.UnigramTrainer(vocab_size=17),
    "WordLevel": pw.WordLevelTrainer(vocab_size=10),
}
TRAINED = {name: pw.train(TEXTS, trainer) for name, trainer in TRAINERS.items()}
TOK = TRAINED["WordPiece"]


def edited(tok: pw.Tokenizer, edit: Callable[[dict[str, Any]], object]) -> pw.Tokenizer:
    """Returns the tokenizer of a tokenizer.json after an edit of its values, without training record."""
    value = json.loads(tok.to_str())
    value["model"].pop("piecework", None)
    edit(value)
    return pw.Tokenizer.from_str(json.dumps(value))


def plain(tok: pw.Tokenizer) -> pw.Tokenizer:
    return edited(tok, lambda value: None)


@pytest.mark.parametrize("name", TRAINED)
def test_equal_tokenizers_have_no_difference(name: str) -> None:
    tok = TRAINED[name]
    for other in (tok, pickle.loads(pickle.dumps(tok)), pw.Tokenizer.from_str(tok.to_str())):
        found = pw.diff(tok, other)
        assert not found
        assert found.is_empty
        assert found.ids_compatible
        assert found.same_fingerprint
        assert found.texts_tried > 10
        assert str(found) == "no difference"
        assert repr(found) == "Difference(none)"


STAGES: dict[str, dict[str, Any]] = {
    "normalizer": {"normalizer": normalizers.BertNormalizer(lowercase=False)},
    "no normalizer": {"normalizer": None},
    "pre_tokenizer": {"pre_tokenizer": pre_tokenizers.WhitespaceSplit()},
    "post_processor": {
        "post_processor": processors.TemplateProcessing(
            single="[CLS] $A", special_tokens=[("[CLS]", 2)]
        )
    },
    "unknown": {"unknown": "char"},
    "max_input_chars_per_word": {"max_input_chars_per_word": 3},
}


@pytest.mark.parametrize("name", STAGES)
def test_a_change_of_a_stage_is_found_in_settings_and_behaviour(name: str) -> None:
    found = pw.diff(TOK, TOK.replace(**STAGES[name]))
    assert found
    assert not found.same_fingerprint
    assert (found.added, found.removed, found.renumbered, found.merges) == ({}, {}, (), None)
    assert all(name.rpartition(" ")[2] in change.path for change in found.settings)
    assert found.settings
    assert found.texts_changed > 0
    assert found.texts
    for text in found.texts:
        old, new = TOK.encode(text.text), TOK.replace(**STAGES[name]).encode(text.text)
        assert (text.old.ids, text.new.ids) == (tuple(old.ids), tuple(new.ids))
        assert text.old.tokens == tuple(old.tokens)
        assert text.old != text.new


RESULTS: dict[str, dict[str, Any]] = {
    "decoder": {"decoder": decoders.WordPiece(cleanup=False)},
    "truncation": {"truncation": 8},
    "padding": {"padding": pw.Padding()},
}


@pytest.mark.parametrize("name", RESULTS)
def test_stages_outside_the_fingerprint_are_differences(name: str) -> None:
    found = pw.diff(TOK, TOK.replace(**RESULTS[name]))
    assert found
    assert found.same_fingerprint
    assert found.texts_changed == 0
    assert found.settings[0].path.startswith(f"$.{name}")
    assert "equal: every text has the same ids" in str(found)


def test_the_training_record_alone_is_no_difference_of_results() -> None:
    found = pw.diff(TOK, plain(TOK))
    assert not found
    assert not found.is_empty
    assert {change.path for change in found.training} == {
        "$.training.trainer",
        "$.training.counts_sha256",
        "$.training.token_counts",
        "$.training.history",
    }
    assert "training record (changes no result): 4" in str(found)
    counted = pw.train([*TEXTS, "hug"], TRAINERS["WordPiece"])
    assert not pw.diff(TOK, counted)
    likeliest = [tok.replace(segmentation="likeliest") for tok in (TOK, counted)]
    assert pw.diff(*likeliest).scores


def test_entries_added_removed_and_renumbered() -> None:
    old = pw.Tokenizer.from_str("[UNK]\nhug\n##s\npug\n")
    new = pw.Tokenizer.from_str("[UNK]\nhug\n##gs\n##s\n")
    found = pw.diff(old, new)
    assert (found.added, found.removed) == ({"##gs": 2}, {"pug": 3})
    assert [(each.token, each.old, each.new) for each in found.renumbered] == [("##s", 2, 3)]
    assert not found.ids_compatible
    # The entries are tried without a corpus.
    assert any("pug" in change.text and not change.only_ids for change in found.texts)
    appended = pw.diff(old, pw.Tokenizer.from_str("[UNK]\nhug\n##s\npug\npugs\n"))
    assert appended.ids_compatible
    assert dict(appended.added) == {"pugs": 4}
    assert "ids: every old id keeps its meaning" in str(appended)
    assert any(change.text == "pugs" for change in appended.texts)


def test_an_id_with_another_meaning_is_another_encoding() -> None:
    old = pw.Tokenizer.from_str("[UNK]\nhug\npug\n")
    new = pw.Tokenizer.from_str("[UNK]\npug\nhug\n")
    one, other = pw.diff(old, new, ["hug"]), pw.diff(old, new, ["hug pug", "xyz", ""])
    assert [(change.old.ids, change.new.ids, change.only_ids) for change in one.texts] == [
        ((1,), (2,), True)
    ]
    assert (other.texts_tried, other.texts_changed) == (3, 1)
    renamed = pw.Tokenizer.from_str(
        "[UNK]\nhug\nbug\n", normalizer=normalizers.Replace("pug", "bug")
    )
    (change,) = pw.diff(old, renamed, ["pug"]).texts
    assert change.old.ids == change.new.ids
    assert (change.old.tokens, change.new.tokens) == (("pug",), ("bug",))


def test_merges_in_another_order_added_and_removed() -> None:
    vocab = ["a", "b", "c", "ab", "bc"]
    one = pw.Tokenizer(models.BPE(vocab, [("a", "b"), ("b", "c")]))
    swapped = pw.diff(one, pw.Tokenizer(models.BPE(vocab, [("b", "c"), ("a", "b")])))
    assert swapped.merges is not None
    assert (swapped.merges.rank, swapped.merges.old) == (0, ("a", "b"))
    assert swapped.merges.added == swapped.merges.removed == ()
    assert "merges: the same in another order\n  first difference at rank 0: a b -> b c" in str(
        swapped
    )
    fewer = pw.diff(one, pw.Tokenizer(models.BPE(vocab, [("a", "b")])))
    assert fewer.merges is not None
    assert (fewer.merges.rank, fewer.merges.new, fewer.merges.removed) == (1, None, (("b", "c"),))
    assert any(change.text == "bc" for change in fewer.texts)
    assert "merges: 0 added, 1 removed\n  first difference at rank 1: b c -> none" in str(fewer)


@pytest.mark.parametrize("name", ["BPE", "Unigram"])
def test_merges_and_scores_of_trained_models(name: str) -> None:
    old = plain(TRAINED[name])

    def swap(value: dict[str, Any]) -> None:
        model = value["model"]
        if name == "BPE":
            model["merges"][:2] = model["merges"][1::-1]
        else:
            model["vocab"][-1][1] -= 0.5

    found = pw.diff(old, edited(TRAINED[name], swap))
    assert found
    assert found.ids_compatible
    if name == "BPE":
        assert found.merges is not None
        assert found.merges.rank == 0
    else:
        (change,) = found.scores
        assert change.old is not None
        assert change.new == pytest.approx(change.old - 0.5)


ADDED: list[tuple[str, dict[str, Any]]] = [
    ("single_word", {"single_word": True}),
    ("lstrip", {"lstrip": True}),
    ("rstrip", {"rstrip": True}),
    ("normalized", {"normalized": False}),
    ("special", {"special": True, "normalized": True}),
]


@pytest.mark.parametrize(("flag", "flags"), ADDED, ids=[flag for flag, _ in ADDED])
def test_flags_of_added_tokens(flag: str, flags: dict[str, Any]) -> None:
    old = TOK.with_added_tokens([pw.AddedToken("<new>")])
    new = TOK.with_added_tokens([pw.AddedToken("<new>", **flags)])
    found = pw.diff(old, new)
    assert [change.path for change in found.settings] == [f'$.added_tokens["<new>"].{flag}']
    if flag in {"single_word", "normalized"}:  # the others change no ids of this pipeline
        assert found.texts_changed > 0
    added = pw.diff(TOK, new)
    assert dict(added.added) == {"<new>": len(TOK)}
    assert added.texts_changed > 0


def test_control_symbols_functions_and_settings_of_the_model() -> None:
    control = pw.Tokenizer._wrap(TOK._core.with_control_symbols(["[SEP]"]), TOK._functions)
    assert [change.path for change in pw.diff(TOK, control).settings] == ["$.control_symbols"]
    one = TOK.replace(pre_tokenizer=pre_tokenizers.Function(str.split))
    other = TOK.replace(pre_tokenizer=pre_tokenizers.Function(list))
    found = pw.diff(one, other)
    assert found.fingerprints == (None, None)
    assert not found.same_fingerprint
    assert [change.path for change in found.settings] == ["$.pre_tokenizer.function"]
    assert pw.diff(one, one).is_empty
    bpe = models.BPE(["a", "b", "ab"], [("a", "b")])
    fused = models.BPE(["a", "b", "ab"], [("a", "b")], byte_fallback=True, ignore_merges=True)
    paths = [change.path for change in pw.diff(pw.Tokenizer(bpe), pw.Tokenizer(fused)).settings]
    assert paths == ["$.model.byte_fallback", "$.model.ignore_merges"]
    unigram = [models.Unigram([("a", -1.0)], precision=each) for each in ("float32", "float64")]
    assert pw.diff(*map(pw.Tokenizer, unigram)).settings[0].path == "$.model.precision"
    ranks = [
        models.BPE(["a", "b", "ab", "ba"], ranks=[None, None, *each]) for each in ((3, 3), (4, 4))
    ]
    assert pw.diff(*map(pw.Tokenizer, ranks)).settings


def test_a_normalizer_in_a_sequence_has_its_path() -> None:
    def sequence(pattern: str) -> pw.Tokenizer:
        steps = [normalizers.Lowercase(), normalizers.Replace(pattern, "b")]
        return TOK.replace(normalizer=normalizers.Sequence(steps))

    (change,) = pw.diff(sequence("a"), sequence("h")).settings
    assert change.path == "$.normalizer.normalizers[1].pattern.String"
    assert (change.old, change.new) == ("a", "h")


def test_errors_are_outcomes() -> None:
    strict = pw.Tokenizer(models.WordPiece(["a", "b"], unk_token=None))
    found = pw.diff(
        strict, pw.Tokenizer(models.WordPiece(["a", "c"], unk_token=None)), ["a", "b", "d"]
    )
    (change,) = found.texts
    assert change.old.error is None
    assert change.new.error is not None
    assert "error: " in str(found)


def test_files_and_their_lines(tmp_path: Path) -> None:
    old = pw.Tokenizer.from_str("[UNK]\nhug\npug\n")
    new = pw.Tokenizer.from_str("[UNK]\nhug\n")
    path = tmp_path / "a.txt"
    path.write_text("hug\npug\n\nhug pug\n", encoding="utf-8")
    rows = write_lines(tmp_path / "b.jsonl", ["hug", "pug"])
    found = pw.diff(old, new, pw.Corpus([path, rows]), examples=2)
    assert (found.texts_tried, found.texts_changed) == (6, 3)
    assert [change.place for change in found.texts] == [f"{path}: line 2", f"{path}: line 4"]
    assert "and 1 more" in str(found)
    column = pa.chunked_array([["pug"], ["hug"]])
    assert pw.diff(old, new, column).texts_changed == 1
    with pytest.raises(FileNotFoundError):
        pw.diff(old, new, pw.Corpus(tmp_path / "none.txt"))


def test_report_and_json() -> None:
    old = pw.Tokenizer.from_str("[UNK]\n" + "\n".join(f"w{n}" for n in range(30)))
    new = pw.Tokenizer.from_str("[UNK]\nw\u202e<b>\n")
    found = pw.diff(old, new)
    assert isinstance(found, Difference)
    assert "  … and 20 more" in str(found)
    assert found.report(None).count("\n") > str(found).count("\n")
    assert "\u202e" not in found.report(None)
    assert repr(found).startswith("Difference(1 added, 30 removed, ")
    value = json.loads(json.dumps(found.to_dict()))
    assert value["differs"] is True
    assert value["removed"]["w3"] == 4
    assert value["texts"][0]["old"]["tokens"] is not None
    assert pickle.loads(pickle.dumps(found)) == found


def test_models_of_two_kinds() -> None:
    found = pw.diff(TRAINED["BPE"], TRAINED["Unigram"])
    assert found.merges is not None
    assert any(change.path == "$.model" for change in found.settings)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match=r"old: expected a piecework\.Tokenizer"):
        pw.diff("a.json", TOK)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="texts: expected an iterable"):
        pw.diff(TOK, TOK, "text")


def test_a_long_text_is_shown_around_the_first_difference() -> None:
    old, new = (pw.Tokenizer.from_str(f"[UNK]\nhug\n{more}") for more in ("", "pug\n"))
    text = "hug " * 500 + "pug" + " hug" * 500
    shown = str(pw.diff(old, new, [text]))
    assert "… (497 equal tokens) " in shown
    assert "… (474 more tokens)" in shown
    assert len(shown) < 1500


def test_the_texts_that_are_tried_depend_on_no_hash_seed() -> None:
    program = """
import piecework as pw
from piecework.analysis._difference.probes import probe_texts
tok = pw.train(["hug pug pun bun hugs"] * 3, pw.BpeTrainer(270, alphabet="byte"))
print(list(probe_texts(tok, tok, [])))
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "1234"
    }
    assert len(found) == 1
