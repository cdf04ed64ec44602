"""Extensions: the core learns the reference's tokens, and keeps what it promises; pruning keeps encodings."""

import json
import random
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import piecework as pw
import strategies
from piecework import models, normalizers, pre_tokenizers
from piecework.errors import ConfigError, PieceworkError
from piecework.reference.learn.extension import ExtensionSettings, extend_bpe, extend_wordpiece
from piecework.reference.learn.unigram_extension import UnigramBase, extend_unigram
from piecework.reference.model.wordpiece import LongestMatchEncoder
from profiles import examples
from reference_models import bpe_encoder, wordpiece

pytestmark = pytest.mark.filterwarnings("ignore::piecework.errors.PieceworkWarning")

Words = Mapping[str, int]
SPECIAL = "<s>"

words = st.text("ab", min_size=1, max_size=9) | st.text("▁abc#é中", min_size=1, max_size=9)
tables: st.SearchStrategy[dict[str, int]] = st.dictionaries(
    words, st.integers(1, 4) | st.integers(1, 10**6), min_size=1, max_size=10
)
settings = st.fixed_dictionaries(
    {
        "new_tokens": st.integers(1, 12),
        "min_frequency": st.integers(1, 4),
        "max_token_length": st.none() | st.integers(1, 8),
    }
)
criteria = st.sampled_from(["likelihood", "pmi", "sum", "frequency"])


@st.composite
def bpe_models(draw: st.DrawFn) -> models.BPE:
    """Draws a trained BPE model, with other settings of unknown characters."""
    marks = draw(
        st.sampled_from(
            [
                {},
                {"continuing_subword_prefix": "##"},
                {"end_of_word_suffix": "</w>"},
                {"end_of_word_suffix": "b"},
            ]
        )
    )
    trainer = pw.BpeTrainer(
        max_merges=draw(st.integers(0, 9)),
        special_tokens=[SPECIAL, "<unk>"],
        unk_token="<unk>",
        initial_alphabet=draw(st.sampled_from(["ab", "ab▁", "abc#é中▁"])),
        **marks,
    )
    tok = pw.train(draw(tables), trainer, normalizer=None, pre_tokenizer=None)
    saved = json.loads(tok.to_str())["model"]
    vocab = saved["vocab"]
    if draw(st.booleans()):
        vocab |= {f"<0x{byte:02X}>": len(vocab) + byte for byte in range(256)}
    model = models.BPE(
        vocab,
        saved["merges"],
        unk_token=draw(st.sampled_from(["<unk>", None])),
        fuse_unk=draw(st.booleans()),
        byte_fallback=draw(st.booleans()),
        ignore_merges=draw(st.booleans()),
        **marks,
    )
    if marks or not draw(st.booleans()):
        return model
    made = {"".join(pair): rank for rank, pair in enumerate(saved["merges"])}
    ranks = [made.get(entry) for entry in model.vocab]
    return models.BPE(
        model.vocab, ranks=ranks, unk_token=model.unk_token, byte_fallback=model.byte_fallback
    )


@st.composite
def wordpiece_models(draw: st.DrawFn) -> models.WordPiece:
    """Draws a trained WordPiece model."""
    trainer = pw.WordPieceTrainer(
        60,
        max_merges=draw(st.integers(0, 9)),
        special_tokens=[SPECIAL, "[UNK]"],
        initial_alphabet=draw(st.sampled_from(["ab", "abc#é中▁"])),
        continuing_subword_prefix=draw(st.sampled_from(["##", "", "#"])),
    )
    tok = pw.train(draw(tables), trainer, normalizer=None, pre_tokenizer=None)
    return models.WordPiece(
        tok.vocab,
        continuing_subword_prefix=trainer.continuing_subword_prefix,
        unknown=draw(st.sampled_from(["word", "run", "char"])),
        max_input_chars_per_word=draw(st.sampled_from([None, 4, 100])),
    )


@st.composite
def unigram_models(draw: st.DrawFn) -> models.Unigram:
    """Draws a Unigram model of random scores."""
    letters = draw(st.sampled_from(["ab", "ab▁", "abc#é中▁"]))
    longer = draw(st.sets(st.text("ab▁c", min_size=2, max_size=4), max_size=8))
    pieces = {piece: draw(st.floats(-12, 1)) for piece in [*letters, *sorted(longer)]}
    symbols = draw(st.sampled_from([(), ("aa",), ("ab", "b▁")]))
    pieces |= dict.fromkeys(symbols, 0.0)
    return models.Unigram(
        [("<unk>", 0.0), (SPECIAL, 0.0), *pieces.items()],
        0,
        precision=draw(st.sampled_from(["float64", "float32"])),
        user_defined=symbols,
        reserved=draw(st.sampled_from([(), ("<unk>", SPECIAL)])),
    )


def tokenizer(model: models.Model) -> pw.Tokenizer:
    tok = pw.Tokenizer(model)
    return tok.with_added_tokens([SPECIAL], special=True)


def learned(tok: pw.Tokenizer, counts: Words, **arguments: Any) -> Any:
    """Returns the outcome of an extension: tokens, scores, and merges."""
    from piecework import _core

    table = pw.WordCounts(counts)._core
    names = ("criterion", "new_tokens", "min_frequency", "max_token_length")
    return _core.extend(tok._core, table, tuple(arguments.get(name) for name in names), *3 * [None])


@given(bpe_models(), tables, settings)
@examples(300)
def test_bpe_learns_as_the_reference(
    model: models.BPE, counts: Words, given: dict[str, Any]
) -> None:
    tok = tokenizer(model)
    encode = bpe_encoder(model.to_dict(), [SPECIAL])
    wanted = extend_bpe(encode, counts, tok.vocab, ExtensionSettings(**given))
    tokens, scores, history = learned(tok, counts, criterion="likelihood", **given)
    assert (tokens, scores) == (wanted.entries, [])
    assert list(map(tuple, history)) == list(map(tuple, wanted.history))


@given(wordpiece_models(), tables, settings, criteria)
@examples(300)
def test_wordpiece_learns_as_the_reference(
    model: models.WordPiece, counts: Words, given: dict[str, Any], criterion: str
) -> None:
    tok = tokenizer(model)
    encode = wordpiece(model.to_dict(), [SPECIAL])
    assert isinstance(encode, LongestMatchEncoder)
    given_settings = ExtensionSettings(**given, criterion=criterion)
    wanted = extend_wordpiece(encode, counts, tok.vocab, given_settings, model.unk_token)
    tokens, scores, history = learned(tok, counts, criterion=criterion, **given)
    assert (tokens, scores) == (wanted.entries, [])
    assert list(map(tuple, history)) == list(map(tuple, wanted.history))


@given(unigram_models(), tables, settings)
@examples(300)
def test_unigram_learns_as_the_reference(
    model: models.Unigram, counts: Words, given: dict[str, Any]
) -> None:
    tok = tokenizer(model)
    others = {"<unk>", SPECIAL, *model.user_defined, *model.reserved}
    base = UnigramBase(
        {piece: score for piece, score in model.vocab if piece not in others},
        model.user_defined,
        others,
    )
    try:
        wanted = extend_unigram(base, counts, ExtensionSettings(**given))
    except ValueError:
        with pytest.raises(PieceworkError):
            learned(tok, counts, criterion="likelihood", **given)
        return
    tokens, scores, history = learned(tok, counts, criterion="likelihood", **given)
    assert list(zip(tokens, scores, strict=True)) == wanted
    assert history == []


def texts_of(counts: Words, seed: int) -> list[str]:
    """Returns random texts of the characters of words, and the words."""
    draw = random.Random(seed)
    letters = "".join(counts) + "ab▁"
    return [*counts, *("".join(draw.choices(letters, k=draw.randrange(12))) for _ in range(30))]


all_models: st.SearchStrategy[models.Model] = st.one_of(
    bpe_models(), wordpiece_models(), unigram_models()
)


@given(all_models, tables, settings, st.integers(0, 99))
@examples(300)
def test_extending_keeps_ids_and_other_texts(
    model: models.Model, counts: Words, given: dict[str, Any], seed: int
) -> None:
    tok = tokenizer(model)
    try:
        change = pw.extend(tok, counts, **given)
    except PieceworkError:
        return  # no word has a known character
    extended = change.tokenizer
    vocab = extended.vocab
    assert tok.vocab.items() <= vocab.items()
    assert change.added == tuple(list(vocab)[len(tok) :])
    assert change.initial_rows.keys() == {vocab[token] for token in change.added}
    assert len(change.added) <= given["new_tokens"]
    assert extended.fingerprint == pw.Tokenizer.from_str(extended.to_str()).fingerprint
    if isinstance(model, models.Unigram):
        old = extended.model.vocab[: len(model.vocab)]  # type: ignore[attr-defined]  # it is a Unigram
        assert tuple(old) == tuple(model.vocab)
    unknown = tok.token_to_id(tok.unk_token) if tok.unk_token else None
    for text in texts_of(counts, seed):
        ids = extended.encode_ids(text)
        assert extended.decode(ids) == tok.decode(ids) if max(ids, default=0) < len(tok) else True
        has_unknown = tok.model_type == "WordPiece" and unknown in ids
        if not change.initial_rows.keys() & set(ids) and not has_unknown:
            assert ids == tok.encode_ids(text), text


@given(all_models, tables, st.integers(1, 40), st.integers(0, 99), st.booleans())
@examples(400)
def test_pruning_keeps_texts_of_kept_tokens(
    model: models.Model, counts: Words, size: int, seed: int, keep_alphabet: bool
) -> None:
    tok = tokenizer(model)
    try:
        change = pw.prune(tok, counts, vocab_size=size, keep_alphabet=keep_alphabet, force=True)
    except ConfigError as error:
        if "never removed" not in str(error):
            raise
        change = pw.prune(tok, counts, min_count=2, keep_alphabet=keep_alphabet, force=True)
    else:
        assert len(change.tokenizer) == min(size, len(tok))
    pruned, id_map = change.tokenizer, change.id_map
    kept = [token for token in tok.vocab if token not in change.removed]
    assert pruned.vocab == {token: number for number, token in enumerate(kept)}
    assert id_map[list(tok.vocab.values())].tolist() == [
        pruned.vocab.get(token, -1) for token in tok.vocab
    ]
    matrix = np.arange(len(id_map))[:, None]
    assert change.apply(matrix).ravel().tolist() == [tok.vocab[token] for token in kept]
    unknown = tok.token_to_id(tok.unk_token) if tok.unk_token else None
    for text in texts_of(counts, seed):
        ids = tok.encode_ids(text)
        has_unknown = tok.model_type == "WordPiece" and unknown in ids
        if all(id_map[number] >= 0 for number in ids) and not has_unknown:
            assert [id_map[number] for number in ids] == pruned.encode_ids(text), text


@given(all_models, tables)
@examples(100)
def test_pruning_to_everything_changes_nothing(model: models.Model, counts: Words) -> None:
    tok = tokenizer(model)
    change = pw.prune(tok, counts, vocab_size=len(tok))
    assert (change.removed, change.added) == ((), ())
    assert change.tokenizer.fingerprint == tok.fingerprint


@given(strategies.corpora, st.integers(0, 3))
@examples(100)
def test_pipelines_are_kept(corpus: list[str], kind: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tok = [
            lambda: pw.train(["ab ba aab"] * 9, pw.WordPieceTrainer(30)),
            lambda: pw.train(["ab ba aab"] * 9, pw.BpeTrainer(270, alphabet="byte")),
            lambda: pw.train(["ab ba aab"] * 9, pw.UnigramTrainer(9)),
            lambda: pw.train(["ab ba aab"] * 9, pw.BpeTrainer(20)).replace(
                normalizer=normalizers.NFKC(), pre_tokenizer=pre_tokenizers.Whitespace()
            ),
        ][kind]()
    try:
        change = pw.extend(tok, corpus, new_tokens=5)
    except PieceworkError:
        return
    for text in corpus:
        ids = change.tokenizer.encode_ids(text)
        if not change.initial_rows.keys() & set(
            ids
        ) and tok.unk_token not in change.tokenizer.tokenize(text):
            assert ids == tok.encode_ids(text)
