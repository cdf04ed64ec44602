"""A new vocabulary for the pipeline of a known tokenizer: everything else stays, ids are by name."""

import json
from pathlib import Path
from typing import Any

import pytest

import live_unigram
import piecework as pw
from piecework import decoders, hf, models, normalizers, pre_tokenizers
from piecework.errors import ConfigError

TEXTS = ["low lower lowest <tool> new", "newer newest <mask> wide", "wider widest Ünï 中文"] * 4
NEW = ["a quick <tool> brown fox", "quicker browner foxes <mask>", "zebra Straße"] * 4


def bert() -> pw.Tokenizer:
    tok = pw.train(TEXTS, pw.WordPieceTrainer(80))
    return tok.replace(
        truncation=16,
        padding=pw.Padding(length=4),
        unknown="char",
    ).with_added_tokens([pw.AddedToken("<tool>", lstrip=True)])


def gpt() -> pw.Tokenizer:
    trainer = pw.BpeTrainer(300, alphabet="byte", special_tokens=["<|end|>"])
    return pw.train(TEXTS, trainer).with_added_tokens([pw.AddedToken("<mask>", special=True)])


def bytes_of_letters() -> pw.Tokenizer:
    letters = [*"<>abcdefghijklmnopqrstuvwxyz▁", *(f"<0x{byte:02X}>" for byte in range(256))]
    model = models.BPE(
        ["<unk>", *letters], [], unk_token="<unk>", byte_fallback=True, fuse_unk=True
    )
    return pw.Tokenizer(
        model,
        normalizer=normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
        decoder=decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
        ),
        added_tokens=["<unk>"],
    )


def unigram() -> pw.Tokenizer:
    return pw.train(TEXTS, pw.UnigramTrainer(40)).with_added_tokens(["<tool>"])


MADE = {
    "WordPiece": bert,
    "BPE on bytes": gpt,
    "BPE with byte fallback": bytes_of_letters,
    "Unigram": unigram,
    "WordLevel": lambda: pw.train(TEXTS, pw.WordLevelTrainer(30)),
}


@pytest.mark.parametrize("name", MADE)
def test_all_but_the_vocabulary_stays(name: str) -> None:
    tok = MADE[name]()
    new = pw.train(NEW, like=tok, vocab_size=tok.vocab_size)
    assert new.vocab_size <= tok.vocab_size
    for part in ("normalizer", "pre_tokenizer", "decoder", "truncation", "model_type", "unk_token"):
        assert getattr(new, part) == getattr(tok, part), part
    assert type(new.post_processor) is type(tok.post_processor)
    assert sorted(new.added_tokens.values(), key=str) == sorted(tok.added_tokens.values(), key=str)
    assert set(new.special_tokens) == set(tok.special_tokens)
    for number, token in new.added_tokens.items():
        assert new.token_to_id(token.content) == number
    for text in NEW:
        ids = tok.encode(text).ids
        if tok.unk_token is None or tok.token_to_id(tok.unk_token) not in ids:
            assert new.decode(new.encode(text).ids) == tok.decode(ids)
    ours, theirs = (json.loads(each.to_str())["model"] for each in (new, tok))
    learned = {"vocab", "merges", "unk_id", "piecework"}
    assert {k: v for k, v in ours.items() if k not in learned} == {
        k: v for k, v in theirs.items() if k not in learned
    }
    assert new.training.trainer is not None
    again = pw.Tokenizer.from_str(new.to_str())
    assert again == new
    assert again.history == new.history
    assert pw.train(NEW, like=tok, vocab_size=tok.vocab_size) == new


def test_ids_are_by_name() -> None:
    tok = bert()
    new = pw.train(NEW, like=tok, vocab_size=70)
    encoding = new.encode("quick <tool> fox", "zebra", padding=None)
    names = [token for token in encoding.tokens if token.strip().startswith(("[", "<"))]
    assert names == ["[CLS]", " <tool>", "[SEP]", "[SEP]"]
    assert [new.token_to_id(token.strip()) for token in encoding.tokens] == encoding.ids
    assert new.encode("fox").tokens[-1] in {"[PAD]", "[SEP]"}
    assert new.padding is not None
    assert new.padding.pad_id == new.token_to_id("[PAD]")
    # The tokens at which encoding cuts are in no entry.
    assert not [entry for entry in new.vocab if "<tool>" in entry and entry != "<tool>"]


def test_settings_of_the_trainer_apply() -> None:
    tok = gpt()
    trainer = pw.BpeTrainer(max_merges=3, ties="hf")
    new = pw.train(NEW, trainer, like=tok)
    assert len(new.history) == 3
    assert new.vocab_size == 256 + 2 + 3
    counts = pw.count_words(NEW, normalizer=tok.normalizer, pre_tokenizer=tok.pre_tokenizer)
    assert pw.train(counts, trainer, like=tok).history


def test_settings_that_the_tokenizer_decides_are_errors() -> None:
    wrong: list[tuple[Any, Any, str]] = [
        (gpt(), pw.BpeTrainer(300, user_defined_symbols=["<u>"]), "user_defined_symbols: has no"),
        (gpt(), pw.BpeTrainer(300, unk_token="<u>"), "unk_token: is that of `like`"),
        (gpt(), pw.BpeTrainer(300, end_of_word_suffix="</w>"), "end_of_word_suffix: is that of"),
        (bert(), pw.WordPieceTrainer(80, special_tokens=["[X]"]), "special_tokens: is that of"),
        (unigram(), pw.UnigramTrainer(30, byte_fallback=True), "byte_fallback: is that of"),
    ]
    for tok, trainer, message in wrong:
        with pytest.raises(ConfigError, match=message):
            pw.train(NEW, trainer, like=tok)
    pw.train(
        NEW, pw.BpeTrainer(300, alphabet="byte", special_tokens=["<|end|>", "<mask>"]), like=gpt()
    )


@pytest.mark.parametrize("name", MADE)
def test_counts_like_a_tokenizer_give_its_vocabulary(name: str, tmp_path: Path) -> None:
    tok = MADE[name]()
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{text}\n" for text in NEW), encoding="utf-8")
    corpus = pw.Corpus(path)
    counts = pw.count_words(corpus, like=tok)
    assert pw.train(counts, like=tok) == pw.train(corpus, like=tok)


@pytest.mark.parametrize(
    "trainer",
    [
        pw.WordPieceTrainer(60),
        pw.BpeTrainer(60, special_tokens=["<mask>"]),
        pw.BpeTrainer(300, alphabet="byte", user_defined_symbols=["<tool>"]),
        pw.UnigramTrainer(42),
        pw.UnigramTrainer(40, treat_whitespace_as_suffix=True),
        pw.WordLevelTrainer(20),
    ],
    ids=str,
)
def test_counts_like_a_trainer_give_its_vocabulary(trainer: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{text}\n" for text in NEW), encoding="utf-8")
    corpus = pw.Corpus(path)
    assert pw.train(pw.count_words(corpus, like=trainer), trainer) == pw.train(corpus, trainer)
    assert pw.train(pw.count_words(NEW, like=trainer), trainer) == pw.train(NEW, trainer)
    for name in ("normalizer", "pre_tokenizer"):
        with pytest.raises(ConfigError, match=f"{name}: cannot be combined with `like`"):
            pw.count_words(NEW, like=trainer, **{name: None})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="like: expected a piecework"):
        pw.count_words(NEW, like="bpe")  # type: ignore[arg-type]


def test_functions_stay() -> None:
    function = pre_tokenizers.Function(str.split)
    tok = pw.train(TEXTS, pw.WordPieceTrainer(80), pre_tokenizer=function)
    new = pw.train(NEW, like=tok)
    assert new.pre_tokenizer == function
    assert new.tokenize("quick fox")


def test_hf_tokenizers_are_accepted() -> None:
    tok = gpt()
    assert pw.train(NEW, like=hf.Tokenizer.from_str(tok.to_str())) == pw.train(NEW, like=tok)


def test_wrong_arguments() -> None:
    tok = gpt()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"like": tok, "trainer": pw.UnigramTrainer(60)}, "trainer: the tokenizer has a BPE model"),
        ({"like": tok, "trainer": pw.BpeTrainer(60), "vocab_size": 3}, "vocab_size: has no effect"),
        ({"vocab_size": 30, "trainer": pw.BpeTrainer(60)}, "vocab_size: requires `like`"),
        ({"like": tok, "normalizer": None}, "normalizer: cannot be combined with `like`"),
        ({"like": tok, "pre_tokenizer": None}, "pre_tokenizer: cannot be combined with `like`"),
        ({"like": tok, "vocab_size": 10}, "vocab_size: "),
    ]
    for arguments, message in wrong:
        with pytest.raises(ConfigError, match=message):
            pw.train(NEW, **arguments)
    with pytest.raises(TypeError, match="like: expected a piecework"):
        pw.train(NEW, like="tokenizer.json")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="trainer: expected a WordPieceTrainer"):
        pw.train(NEW)


def test_merges_equal_train_new_from_iterator() -> None:
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    tok = pw.Tokenizer.from_str(gpt().to_str())
    theirs = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer.from_str(tok.to_str())
    ).train_new_from_iterator(iter(NEW), 280, show_progress=False)
    ours = pw.train(NEW, pw.BpeTrainer(280, ties="hf"), like=tok)
    merges = [
        tuple(pair) for pair in json.loads(theirs.backend_tokenizer.to_str())["model"]["merges"]
    ]
    assert [(merge.left, merge.right) for merge in ours.history][: len(merges)] == merges
    assert len(merges) > 10


@pytest.mark.parametrize("settings", [{}, {"byte_fallback": True, "control_symbols": ["<c>"]}])
def test_a_model_of_sentencepiece_stays_one(settings: dict[str, Any], tmp_path: Path) -> None:
    live_unigram.library()
    (tmp_path / "old.model").write_bytes(
        live_unigram.trained(
            TEXTS, 30 + 257 * bool(settings), user_defined_symbols=["<tool>"], **settings
        )
    )
    old = pw.Tokenizer.from_file(tmp_path / "old.model")
    new = pw.train(NEW, like=old, vocab_size=36 + 257 * bool(settings))
    assert new.model.reserved == old.model.reserved
    assert new.model.user_defined == old.model.user_defined == ("<tool>",)
    with pytest.warns(pw.errors.PieceworkWarning, match="it lacks or changes training"):
        new.save(tmp_path / "new.model")
    live = live_unigram.processor((tmp_path / "new.model").read_bytes())
    for text in [*NEW, *TEXTS, "a<unk>b", "<s>", "<0x41>", "  a  b ", "<c><tool>", "龘"]:
        assert new.encode_ids(text) == live.encode(text), text
