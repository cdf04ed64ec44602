"""Trainings through `piecework.hf`: those of `tokenizers` where they are the same in each of its runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from hf_peers import OURS, THEIRS

LINES = [*Path(__file__).read_text(encoding="utf-8").splitlines(), "été é hôtel", "你好 世界"]


def trained(
    module: Any, model: str, trainer: str, settings: dict[str, Any], **model_settings: Any
) -> Any:
    tok = module.Tokenizer(getattr(module.models, model)(**model_settings))
    tok.pre_tokenizer = module.pre_tokenizers.Whitespace()
    tok.normalizer = module.normalizers.Lowercase()
    special = [
        module.AddedToken(t, lstrip=True) if t == "<m>" else t
        for t in settings.get("special_tokens", [])
    ]
    made = getattr(module.trainers, trainer)(
        **settings | {"show_progress": False, "special_tokens": special}
    )
    tok.train_from_iterator(LINES, made)
    return tok


EQUAL: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("BPE", "BpeTrainer", {"vocab_size": 300}, {}),
    ("BPE", "BpeTrainer", {"vocab_size": 5}, {}),
    (
        "BPE",
        "BpeTrainer",
        {"vocab_size": 200, "limit_alphabet": 20, "min_frequency": 3},
        {"unk_token": "[UNK]"},
    ),
    (
        "BPE",
        "BpeTrainer",
        {
            "vocab_size": 200,
            "special_tokens": ["[UNK]", "<m>", "[UNK]"],
            "initial_alphabet": ["ß", "xy"],
        },
        {"unk_token": "[UNK]", "dropout": 0.0, "fuse_unk": True, "byte_fallback": True},
    ),
    ("BPE", "BpeTrainer", {"vocab_size": 300, "max_token_length": 4}, {"ignore_merges": True}),
    (
        "WordLevel",
        "WordLevelTrainer",
        {"vocab_size": 100, "special_tokens": ["[UNK]", "<m>"]},
        {"unk_token": "[UNK]"},
    ),
    ("WordLevel", "WordLevelTrainer", {"min_frequency": 2}, {}),
]


@pytest.mark.parametrize(("model", "trainer", "settings", "model_settings"), EQUAL, ids=str)
def test_trainings_are_equal(
    model: str, trainer: str, settings: dict[str, Any], model_settings: dict[str, Any]
) -> None:
    theirs, ours = (trained(m, model, trainer, settings, **model_settings) for m in (THEIRS, OURS))
    wanted, found = json.loads(theirs.to_str()), json.loads(ours.to_str())
    found["model"].pop("piecework")
    assert found == wanted
    assert ours.model.__class__.__name__ == model


@pytest.mark.parametrize(
    ("model", "trainer", "settings"),
    [
        ("WordPiece", "WordPieceTrainer", {"vocab_size": 200, "special_tokens": ["[UNK]"]}),
        ("BPE", "BpeTrainer", {"vocab_size": 200, "end_of_word_suffix": "</w>"}),
        (
            "WordPiece",
            "WordPieceTrainer",
            {"vocab_size": 120, "criterion": "pmi", "min_frequency": 2},
        ),
        ("Unigram", "UnigramTrainer", {"vocab_size": 120, "unk_token": "<unk>"}),
    ],
)
def test_trainings_are_the_same_in_each_run(
    model: str, trainer: str, settings: dict[str, Any]
) -> None:
    first, second = (trained(OURS, model, trainer, settings) for _ in range(2))
    assert first.to_str() == second.to_str()
    assert first.get_vocab_size() <= settings["vocab_size"]


def test_a_word_piece_training_merges_as_bpe_does() -> None:
    settings = {"vocab_size": 150, "special_tokens": ["[UNK]"]}
    tok = trained(OURS, "WordPiece", "WordPieceTrainer", settings, unk_token="[UNK]")
    bpe = trained(OURS, "BPE", "BpeTrainer", settings | {"continuing_subword_prefix": "##"})
    assert tok.get_vocab() == bpe.get_vocab()
    by_criterion = trained(
        OURS, "WordPiece", "WordPieceTrainer", settings | {"criterion": "likelihood"}
    )
    assert by_criterion.get_vocab() != tok.get_vocab()


def test_iterators_of_texts_and_of_lists() -> None:
    for texts in (
        ["ab ab", "ab"],
        [["ab ab"], ["ab"]],
        iter(["ab ab", "ab"]),
        (x for x in [["ab", "ab"], "ab"]),
    ):
        tok = OURS.Tokenizer(OURS.models.BPE())
        tok.pre_tokenizer = OURS.pre_tokenizers.Whitespace()
        tok.train_from_iterator(texts, OURS.trainers.BpeTrainer(show_progress=False), length=2)
        assert tok.get_vocab() == {"a": 0, "b": 1, "ab": 2}


def test_training_on_nothing_and_again() -> None:
    trainer = OURS.trainers.BpeTrainer(
        special_tokens=["x"], initial_alphabet=["q", "a"], show_progress=False
    )
    tok = OURS.Tokenizer(OURS.models.BPE())
    tok.train_from_iterator([], trainer)
    assert tok.get_vocab() == {"x": 0, "a": 1, "q": 2}
    model = tok.model
    tok.train_from_iterator(["ab"], trainer)
    assert tok.get_vocab() == {"x": 0, "a": 1, "b": 2, "q": 3, "ab": 4}
    assert model.token_to_id("ab") == 4, "the model is trained in place"
    assert trainer.get_word_count() == 1
    words = OURS.Tokenizer(OURS.models.WordLevel())
    words.train_from_iterator(
        [], OURS.trainers.WordLevelTrainer(special_tokens=["x"], show_progress=False)
    )
    assert words.get_vocab() == {"x": 0}


def test_files_keep_their_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("ab\nab\n\nc", encoding="utf-8")
    vocabs = []
    for module in (THEIRS, OURS):
        tok = module.Tokenizer(module.models.BPE())
        tok.train([str(path)], module.trainers.BpeTrainer(show_progress=False))
        vocabs.append(tok.get_vocab())
    assert vocabs[0] == vocabs[1]


@pytest.mark.parametrize(
    ("model", "trainer"),
    [
        ("BPE", "BpeTrainer"),
        ("WordPiece", "WordPieceTrainer"),
        ("WordLevel", "WordLevelTrainer"),
        ("Unigram", "UnigramTrainer"),
    ],
)
def test_trainers_of_tokenizers_are_accepted(model: str, trainer: str) -> None:
    vocabularies = []
    for module in (THEIRS, OURS):
        tok = OURS.Tokenizer(getattr(OURS.models, model)())
        tok.pre_tokenizer = OURS.pre_tokenizers.Whitespace()
        special = ["<s>", module.AddedToken("</s>", lstrip=True)]
        settings = {"vocab_size": 90, "special_tokens": special, "show_progress": False}
        tok.train_from_iterator(LINES, getattr(module.trainers, trainer)(**settings))
        vocabularies.append((tok.get_vocab(), tok.get_added_tokens_decoder()))
    assert vocabularies[0] == vocabularies[1]


def test_errors() -> None:
    for module in (THEIRS, OURS):
        tok = module.Tokenizer(module.models.BPE())
        with pytest.raises(Exception, match="WordPiece"):
            tok.train_from_iterator(["a"], module.trainers.WordPieceTrainer(show_progress=False))
        with pytest.raises(TypeError):
            tok.train_from_iterator(["a"], 3)
        with pytest.raises(TypeError):
            tok.train_from_iterator(["a", 3])
        with pytest.raises(TypeError):
            tok.train_from_iterator(3)
        with pytest.raises(TypeError):
            tok.train("file")
        with pytest.raises(Exception, match=r"[Nn]o such file"):
            tok.train(["/missing"])


def test_the_training_record_names_the_trainer() -> None:
    from piecework import Tokenizer

    tok = trained(
        OURS,
        "BPE",
        "BpeTrainer",
        {"vocab_size": 100, "special_tokens": ["[UNK]"]},
        unk_token="[UNK]",
    )
    own = Tokenizer.from_str(tok.to_str())
    assert own.training.trainer is not None
    assert own.training.trainer["ties"] == "hf"
    assert len(own.history) > 0
