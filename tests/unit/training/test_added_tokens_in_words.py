"""Tests that nothing is learned across tokens that encoding always matches."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import piecework as pw
from piecework import engines, models, normalizers, pre_tokenizers, surgery, trainers
from piecework.errors import CountsError, FormatError, PieceworkWarning
from piecework.reference.learn.bpe_train import train_bpe
from piecework.reference.learn.settings import BpeTrainer as ReferenceBpe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXTS = [
    "<a>user: hi there<b><a>bot: hello there é<b>",
    "<a>user: bye<b> x newer newest new",
    "[S]the[S] new newer",
] * 5
SYMBOLS = ["<a>", "<b>", "new", "é"]
TRAINERS = [
    pw.BpeTrainer(120, special_tokens=["[S]"], user_defined_symbols=SYMBOLS),
    pw.BpeTrainer(
        340, alphabet="byte", special_tokens=["[S]", "there"], user_defined_symbols=SYMBOLS
    ),
    pw.BpeTrainer(
        120,
        user_defined_symbols=SYMBOLS,
        continuing_subword_prefix="##",
        end_of_word_suffix="</w>",
        ties="sentencepiece",
    ),
    pw.UnigramTrainer(30, special_tokens=["<unk>", "[S]"], user_defined_symbols=SYMBOLS),
    pw.UnigramTrainer(
        30, special_tokens=["<unk>", "[S]"], user_defined_symbols=SYMBOLS, split_by_whitespace=False
    ),
    pw.WordPieceTrainer(90, special_tokens=["[UNK]", "[S]", "there", "new"]),
    pw.WordLevelTrainer(40, special_tokens=["[UNK]", "[S]", "there", "new"]),
]
NAMES = ["bpe", "bytes", "suffix", "unigram", "sentences", "wordpiece", "wordlevel"]


def spelled(trainer: trainers.Trainer) -> list[str]:
    contents = [token.content for token in trainer.added_tokens]
    return [*contents, "Ã©"] if "é" in contents else contents


def crossing(tok: pw.Tokenizer, tokens: list[str]) -> list[str]:
    """Returns the entries that contain a token and more."""
    return [entry for entry in tok.vocab if any(t in entry and t != entry for t in tokens)]


@pytest.mark.parametrize("trainer", TRAINERS, ids=NAMES)
def test_texts_and_words_are_cut(trainer: trainers.Trainer) -> None:
    tok = pw.train(TEXTS, trainer)
    assert crossing(tok, spelled(trainer)) == []
    assert tok.unreachable_tokens() == []
    pipeline = {"normalizer": tok.normalizer, "pre_tokenizer": tok.pre_tokenizer}
    same = pw.WordCounts.from_texts(TEXTS, **pipeline, added_tokens=trainer.added_tokens)
    assert pw.train(same, trainer).vocab == tok.vocab
    for added in ([], ["x", "<a>"], ["user"]):
        counts = pw.WordCounts.from_texts(TEXTS, **pipeline, added_tokens=added)
        other = pw.train(counts, trainer)
        assert crossing(other, spelled(trainer)) == []
        assert other.unreachable_tokens() == []


def test_the_trainer_of_tokenizers_cuts_nothing() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    trainer = pw.BpeTrainer(60, ties="hf", special_tokens=["new"])
    assert trainer.added_tokens == ()
    tok = pw.train(TEXTS, trainer, pre_tokenizer=pre_tokenizers.WhitespaceSplit())
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    settings = {"vocab_size": 60, "special_tokens": ["new"], "show_progress": False}
    theirs.train_from_iterator(TEXTS, tokenizers.trainers.BpeTrainer(**settings))
    assert tok.vocab == theirs.get_vocab()
    assert "newest" in tok.vocab
    assert "newest" in tok.unreachable_tokens()


def test_user_defined_symbols_of_word_piece_are_entries_like_others() -> None:
    trainer = pw.WordPieceTrainer(60, user_defined_symbols=["new"])
    assert "new" not in [token.content for token in trainer.added_tokens]
    assert "newest" in pw.train(TEXTS, trainer).vocab


def test_tables_name_their_tokens(tmp_path: Path) -> None:
    tokens = [pw.AddedToken("[S]", special=True), pw.AddedToken("new", single_word=True)]
    counts = pw.WordCounts.from_texts(["a[S]b newer new"], added_tokens=tokens)
    assert dict(counts.items()) == {"a": 1, "[S]": 1, "b": 1, "newer": 1, "new": 1}
    assert counts.added_tokens == tuple(tokens)
    counts.save(tmp_path / "counts")
    assert '"version":3' in (tmp_path / "counts").read_text().splitlines()[0]
    assert pw.WordCounts.load(tmp_path / "counts") == counts == pickle.loads(pickle.dumps(counts))
    plain = pw.WordCounts.from_texts(["a[S]b newer new"])
    assert plain.added_tokens == ()
    assert '"version":2' in plain.to_bytes().decode().splitlines()[0]
    with pytest.raises(CountsError, match="added tokens"):
        _ = counts + plain
    plain.save(tmp_path / "plain")
    with pytest.raises(CountsError, match="added tokens"):
        pw.WordCounts.merge_files([tmp_path / "counts", tmp_path / "plain"], tmp_path / "sum")
    reordered = pw.WordCounts.from_texts(["[S]"], added_tokens=tokens[::-1])
    assert (counts + reordered)["[S]"] == 2
    damaged = counts.to_bytes().replace(b'"content":"[S]"', b'"content":""')
    with pytest.raises(FormatError):
        pw.WordCounts.from_bytes(damaged)


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match="added_tokens"):
        pw.WordCounts.from_texts(["a"], added_tokens="<a>")
    with pytest.raises(TypeError, match="added_tokens"):
        pw.WordCounts.from_texts(["a"], added_tokens=[1])  # type: ignore[list-item]


@pytest.mark.parametrize("trainer", TRAINERS[:4], ids=NAMES[:4])
def test_any_sharding_equals_the_whole(trainer: trainers.Trainer, tmp_path: Path) -> None:
    paths = []
    for number in range(3):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_text("\n".join(TEXTS[number::3]), encoding="utf-8")
    whole = pw.train(pw.Corpus(paths), trainer)
    assert crossing(whole, spelled(trainer)) == []
    engine = engines.Local(workers=1)
    parts = pw.train(pw.Corpus(paths), trainer, engine=engine, work_dir=tmp_path)
    assert parts.to_str() == whole.to_str()
    pipeline = {"normalizer": whole.normalizer, "pre_tokenizer": whole.pre_tokenizer}
    settings: Any = {**pipeline, "added_tokens": trainer.added_tokens}
    reading: Any = {"keep_line_ends": isinstance(trainer, pw.BpeTrainer)}
    count = pw.count_words(pw.Corpus(paths, **reading), **settings, max_memory="1MB")
    tables, first = [], 0
    for path in paths:
        tables.append(pw.count_words(pw.Corpus(path, **reading), **settings, first_document=first))
        first += len(path.read_text(encoding="utf-8").splitlines())
    assert tables[2] + tables[0] + tables[1] == count
    assert pw.train(count, trainer).vocab == whole.vocab


def test_extension_cuts_at_added_tokens() -> None:
    tok = pw.train(
        ["the cat sat", "the mat ( sat )."] * 3,
        pw.BpeTrainer(40),
        normalizer=normalizers.Replace(" ", "▁"),
        pre_tokenizer=None,
    )
    tok = tok.with_added_tokens(["(", ")", "."])
    texts = ["sat(cat).", "the(mat)."] * 20
    pipeline = {"normalizer": tok.normalizer, "pre_tokenizer": tok.pre_tokenizer}
    counts = pw.WordCounts.from_texts(texts, **pipeline)
    for corpus in (texts, counts):
        with pytest.warns(PieceworkWarning, match="fewer new tokens"):
            change = surgery.extend(tok, corpus, new_tokens=300)
        assert change.added
        assert not [token for token in change.added if set(token) & set("().")]
        assert not set(change.added) & set(change.tokenizer.unreachable_tokens())


def test_unreachable_tokens_of_all_models() -> None:
    entries = ["[UNK]", "new", "newer", "##new", "##newer", "er"]
    for model in (
        models.WordPiece(entries),
        models.WordLevel(entries),
        models.Unigram([(entry, -1.0) for entry in entries], unk_id=0),
    ):
        tok = pw.Tokenizer(model, added_tokens=["new"])
        wanted = [entry for entry in entries if "new" in entry and entry != "new"]
        assert tok.unreachable_tokens() == wanted
        for flags in ({"single_word": True}, {"normalized": False}):
            token = pw.AddedToken("new", **flags)
            tok = pw.Tokenizer(model, added_tokens=[token], normalizer=normalizers.Lowercase())
            assert tok.unreachable_tokens() == []
    found = pw.lint(pw.Tokenizer(models.WordLevel(entries), added_tokens=["new"]))
    assert "the added token 'new' is always matched inside it" in str(found)


def words_of(text: str) -> Iterator[str]:
    """Yields the words of a text: a special token matches it, others match it in lower case."""
    for part in re.split("(<S>)", text):
        for piece in [part] if part == "<S>" else re.split("(<a>|new)", part.lower()):
            yield from ["<A>"] if piece == "<a>" else piece.split()


def test_counting_cuts_as_splitting_does_and_the_reference_trains_alike() -> None:
    texts = ["A<S>new newer", "<A>low <a>lower"] * 3
    tokens = [pw.AddedToken("<S>", special=True), pw.AddedToken("<A>"), pw.AddedToken("new")]
    counts = pw.WordCounts.from_texts(
        texts,
        normalizer=normalizers.Lowercase(),
        pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
        added_tokens=tokens,
    )
    places = [(word, n, i) for n, text in enumerate(texts) for i, word in enumerate(words_of(text))]
    assert Counter(word for word, *_ in places) == dict(counts.items())
    first = {word: (n, i) for word, n, i in reversed(places)}
    assert {word: counts.first_occurrence(word) for word in first} == first
    settings = {"special_tokens": ["<s>"], "user_defined_symbols": ["new", "<a>"]}
    words = {"<s>newer": 3, "newest<a>": 4, "low": 2}
    own = pw.train(words, pw.BpeTrainer(60, **settings))  # type: ignore[arg-type]
    assert train_bpe(words, ReferenceBpe(vocab_size=60, **settings)).vocabulary == list(own.vocab)
