"""Unigram in SentencePiece's files: the library's ids and pieces, both ways, and files that are broken."""

import itertools
import json
import math
import struct
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import live_bpe
import live_unigram as live
import piecework as pw
from piecework import normalizers as n

Lines = Callable[[str], Iterator[str]]
CORPORA = ["en/botchan.txt", "zh/cmrc2018-a.txt", "multi/ja-docs.txt", "code/go-std.txt"]
RULES = ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"]
SETTINGS: list[dict[str, Any]] = [
    *({"normalization_rule_name": rule} for rule in RULES),
    {"byte_fallback": True, "vocab_size": 700},
    {"user_defined_symbols": ["<mask>", "ing", "▁the▁", "a b", "ﬁ"]},
    {"remove_extra_whitespaces": False},
    {"remove_extra_whitespaces": False, "normalization_rule_name": "identity"},
    {"add_dummy_prefix": False},
    {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
    {"treat_whitespace_as_suffix": True},
    {"split_by_whitespace": False, "allow_whitespace_only_pieces": True},
    {"split_digits": True, "split_by_unicode_script": False, "split_by_number": False},
    {"unk_piece": "[UNK]", "bos_id": -1, "pad_id": 3, "control_symbols": ["<c>"]},
]


def texts() -> list[str]:
    """Gives texts that tell the readers of models apart."""
    symbols = "the mask<mask>ing the  end a b ﬁne <c> <pad>"
    return [*live.TRAPS, symbols, "a\0b", "\0", " \0 ﬁ\0", *live_bpe.texts()]


def same(theirs: Any, ours: pw.Tokenizer, some: list[str]) -> None:
    """Compares ids, pieces and decoded ids."""
    for text in some:
        wanted, found = theirs.encode(text), ours.encode(text, specials="text")
        assert found.ids == wanted, ascii(text)[:300]
        if ours.control_symbols:  # as a tokenizer.json has none
            assert ours.encode_ids(text) == wanted, ascii(text)[:300]
        assert ours.encode_ids(text, specials="text") == wanted, ascii(text)[:300]
        assert found.tokens == theirs.encode(text, out_type=str), ascii(text)[:300]
        assert ours.decode(wanted) == theirs.decode(wanted), ascii(text)[:300]


def lines_of(corpus_lines: Lines, each: int) -> list[str]:
    """Gives some lines of some corpora."""
    return [line for corpus in CORPORA for line in itertools.islice(corpus_lines(corpus), each)]


@pytest.mark.parametrize("name", live.MODELS)
def test_shared_models(data: Path, tmp_path: Path, name: str, corpus_lines: Lines) -> None:
    model = live.shared_model(data, name)
    theirs, ours = live.processor(model), pw.Tokenizer.from_bytes(model)
    some = [*texts(), *lines_of(corpus_lines, 150)]
    same(theirs, ours, some)
    assert len(ours) == theirs.get_piece_size()
    ours.save(tmp_path / "new.model", "sentencepiece")
    same(live.processor((tmp_path / "new.model").read_bytes()), ours, some)
    (tmp_path / "old.model").write_bytes(model)
    ours.save_sentencepiece(tmp_path / "same.model", base=tmp_path / "old.model")
    assert (tmp_path / "same.model").read_bytes() == model
    again = pw.Tokenizer.from_str(ours.to_str())
    assert again.to_str() == ours.to_str()
    same(theirs, again, some)


@pytest.mark.parametrize(
    "settings",
    SETTINGS,
    ids=lambda s: ",".join(f"{k}={v}" for k, v in s.items()).encode("ascii", "replace").decode(),
)
def test_trained_models(settings: dict[str, Any], tmp_path: Path, corpus_lines: Lines) -> None:
    lines = [line for line in itertools.islice(corpus_lines("en/botchan.txt"), 900) if line.strip()]
    model = live.trained(lines[:600], **{"vocab_size": 500, **settings})
    theirs, ours = live.processor(model), pw.Tokenizer.from_bytes(model)
    some = [*texts(), *lines[-100:]]
    same(theirs, ours, some)
    ours.save_sentencepiece(tmp_path / "m.model")
    written = (tmp_path / "m.model").read_bytes()
    same(live.processor(written), ours, some)
    assert pw.Tokenizer.from_bytes(written).to_str() == ours.to_str()


def test_a_japanese_model(corpus_lines: Lines) -> None:
    lines = [line for line in itertools.islice(corpus_lines("multi/ja-wagahai.txt"), 900) if line]
    model = live.trained(lines[:600], 2500, character_coverage=0.98, byte_fallback=True)
    same(live.processor(model), pw.Tokenizer.from_bytes(model), [*texts(), *lines[-200:]])


PIECES: list[live.Piece] = [("<unk>", 0.0, live.UNKNOWN), ("▁", -3.0, 1), ("a", -1.5, 1)]


def test_symbols_and_reserved_pieces_are_named(tmp_path: Path) -> None:
    pieces = [*PIECES, ("<s>", 0, live.CONTROL), ("ab", -0.5, live.UNUSED), ("xa", 0.0, 4)]
    tok = pw.Tokenizer.from_bytes(live.model_of(pieces))
    model = tok.model
    assert isinstance(model, pw.models.Unigram)
    assert (model.precision, model.user_defined) == ("float32", ("xa",))
    assert model.reserved == ("<unk>", "<s>", "ab")
    assert [token.content for token in tok.added_tokens.values()] == ["<s>"]
    assert tok.encode("xab").tokens == ["xa", "b"]
    with pytest.raises(
        pw.errors.VocabularyError, match=r'user_defined\[0\]: "no" is not in the voc'
    ):
        pw.Tokenizer(pw.models.Unigram([("a", 0.0)], user_defined=["no"]))


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([("<unk>", 0.0, 2), ("a", math.nan, 1)], 'pieces: the score of "a" is NaN'),
        ([("<unk>", 0.0, 2), ("a", -math.inf, 1)], 'pieces: the score of "a" is -inf'),
        ([("a", 0.0, 1)], "pieces: the model has no piece for what is unknown"),
        ([("<unk>", 0.0, 2), ("<u>", 0.0, 2)], 'both "<unk>" and "<u>" stand for what is unknown'),
        ([*PIECES, ("a", 0.0, 1)], 'pieces: token "a" occurs twice'),
        ([*PIECES, ("", 0.0, 1)], "pieces: the piece with the id 3 is empty"),
    ],
)
def test_broken_models_are_told(pieces: list[live.Piece], said: str) -> None:
    with pytest.raises(pw.errors.FormatError, match=said):
        pw.Tokenizer.from_bytes(live.model_of(pieces))


def test_every_cut_of_a_model_is_an_error_or_a_model() -> None:
    model = live.model_of([*PIECES, ("▁a", -1.0, 1)])
    for size in range(len(model)):
        try:
            pw.Tokenizer.from_bytes(model[:size])
        except pw.errors.PieceworkError:
            continue
        pieces = live.read(model[:size]).pieces
        assert pieces, size


def test_nul_is_no_piece_where_a_byte_stands_for_it(tmp_path: Path) -> None:
    bytes_ = [(f"<0x{byte:02X}>", 0.0, live.BYTE) for byte in range(256)]
    model = live.model_of([*PIECES, ("\0", -0.5, 1), *bytes_], byte_fallback=True)
    theirs, ours = live.processor(model), pw.Tokenizer.from_bytes(model)
    same(theirs, ours, ["a\0a", "\0", "\0\0b"])
    assert ours.encode("a\0").tokens == ["a", "<0x00>"]
    ours.save_sentencepiece(tmp_path / "m.model")
    same(live.processor((tmp_path / "m.model").read_bytes()), ours, ["a\0a"])


@pytest.mark.parametrize("piece", ["\0", "a\0b"])
def test_nul_is_held_by_no_model(piece: str, tmp_path: Path) -> None:
    vocab = [("<unk>", 0.0), ("a", -1.0), (piece, -1.0)]
    ours = pw.Tokenizer(pw.models.Unigram(vocab, 0, precision="float32"))
    with pytest.raises(pw.errors.ConfigError, match="cannot hold NUL, as the token"):
        ours.save_sentencepiece(tmp_path / "m.model")


def test_bytes_that_are_not_there() -> None:
    with pytest.raises(pw.errors.FormatError, match="falls back to bytes, but has no piece"):
        pw.Tokenizer.from_bytes(live.model_of(PIECES, byte_fallback=True))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "cannot hold scores that are added up in 64 bits"),
        ({"precision": "float32", "unk_id": None}, "cannot hold a model without an unknown token"),
        ({"precision": "float32", "byte_fallback": True}, 'byte_fallback unless "<0x00>" is a res'),
    ],
)
def test_what_a_model_cannot_hold(settings: dict[str, Any], said: str, tmp_path: Path) -> None:
    model = pw.models.Unigram([("<unk>", 0.0), ("a", -1.0)], **{"unk_id": 0, **settings})
    with pytest.raises(pw.errors.ConfigError, match=said):
        pw.Tokenizer(model).save(tmp_path / "x.model", "sentencepiece")
    ours = pw.models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0, precision="float32")
    with pytest.raises(pw.errors.ConfigError, match='the added token "b" of a unigram model'):
        pw.Tokenizer(ours, added_tokens=["b"]).save(tmp_path / "x.model", "sentencepiece")


def test_the_largest_score_of_32_bits(tmp_path: Path) -> None:
    score = struct.unpack("<f", struct.pack("<f", -1.7e38))[0]
    tok = pw.Tokenizer.from_bytes(live.model_of([*PIECES, ("b", score, 1)]))
    tok.save(tmp_path / "x.model", "sentencepiece")
    assert live.read((tmp_path / "x.model").read_bytes()).pieces[3] == ("b", score, 1)


@pytest.mark.parametrize("name", live.MODELS)
def test_the_nearest_tokenizer_json(
    data: Path, tmp_path: Path, name: str, corpus_lines: Lines
) -> None:
    library = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")
    ours = pw.Tokenizer.from_bytes(live.shared_model(data, name))
    with (
        pytest.warns(pw.errors.PieceworkWarning, match="scores are added up in 64 bits"),
        pytest.warns(pw.errors.PieceworkWarning, match="has no control symbols"),
    ):
        ours.save(tmp_path / "tokenizer.json", approximate=True)
    theirs = library.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    lines = [line.rstrip() for line in lines_of(corpus_lines, 100)]
    same = [theirs.encode(line).ids == ours.encode_ids(line) for line in lines]
    assert sum(same) > 0.97 * len(same)


def test_the_nearest_model(data: Path, tmp_path: Path, corpus_lines: Lines) -> None:
    converted = json.dumps(live.like_tokenizers(live.shared_model(data, "t5-spiece")))
    ours = pw.Tokenizer.from_str(converted)
    with pytest.warns(
        pw.errors.PieceworkWarning, match="scores are added up in 32 bits.*one space is put"
    ):
        ours.save(tmp_path / "t5.model", "sentencepiece", approximate=True)
    theirs = live.processor((tmp_path / "t5.model").read_bytes())
    lines = [line.rstrip() for line in lines_of(corpus_lines, 100)]
    same = [theirs.encode(line) == ours.encode_ids(line) for line in lines]
    assert sum(same) > 0.9 * len(same)


def test_a_training_as_a_model_says_what_changes(tmp_path: Path) -> None:
    ours = pw.train({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, pw.UnigramTrainer(12))
    with pytest.warns(pw.errors.PieceworkWarning) as told:
        ours.save(tmp_path / "hug.model", "sentencepiece", approximate=True)
    assert len(told) == 2
    assert "'<s>', '</s>' in a text are ordinary text" in str(told[1].message)
    # All else is held, or refused.
    assert "<unk> is no special token, and is decoded as ⁇" in str(told[0].message)
    assert str(told[0].message).endswith("the history of the training is left out")
    assert pw.Tokenizer.from_file(tmp_path / "hug.model").tokenize("hugs bun") == ours.tokenize(
        "hugs bun"
    )


def test_the_nearest_keeps_the_ids_of_added_tokens(tmp_path: Path) -> None:
    pieces = [("<unk>", 0.0), ("▁", -3.0), ("a", -3.0), ("▁a", -2.0), ("b", -4.0)]
    tok = pw.Tokenizer(
        pw.models.Unigram(pieces, 0), pre_tokenizer=pw.pre_tokenizers.Metaspace()
    ).with_added_tokens([pw.AddedToken("<x>", special=True), pw.AddedToken("bar", lstrip=True)])
    with (
        pytest.warns(pw.errors.PieceworkWarning, match="take no white space along"),
        pytest.warns(pw.errors.PieceworkWarning, match="'<x>' in a text are ordinary text"),
    ):
        tok.save(tmp_path / "x.model", approximate=True)
    theirs = live.processor((tmp_path / "x.model").read_bytes())
    for token in ("<x>", "bar"):
        assert theirs.piece_to_id(token) == tok.token_to_id(token)
    assert theirs.encode("a bar b") == [3, 1, 6, 1, 4]
    assert pw.Tokenizer.from_file(tmp_path / "x.model").encode_ids("a bar b") == [3, 1, 6, 1, 4]


def test_the_nearest_finds_added_tokens_within_words(data: Path, tmp_path: Path) -> None:
    library = pytest.importorskip("tokenizers")
    tok = pw.Tokenizer.from_bytes(live.shared_model(data, "t5-spiece"))
    with pytest.warns(pw.errors.PieceworkWarning) as told:
        tok.with_added_tokens(["NEWTOK"]).save(tmp_path / "x.json", approximate=True)
    for part in ("as it stands", "a reserved piece (3)", "a special token of a text"):
        assert part in str(told[0].message)
    theirs = library.Tokenizer.from_file(str(tmp_path / "x.json"))
    assert "NEWTOK" in theirs.encode("aNEWTOKb").tokens
    assert "NEWTOK" in pw.Tokenizer.from_file(tmp_path / "x.json").tokenize("aNEWTOKb")
    wide = "\uff1c/s\uff1e"
    assert theirs.encode(wide).ids[:2] != tok.encode_ids(wide)[:2], "as told"


def test_the_nearest_of_what_needs_none_is_the_same(tmp_path: Path) -> None:
    tok = pw.train({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, pw.UnigramTrainer(12))
    with warnings.catch_warnings(action="error"):
        tok.save(tmp_path / "x.json", approximate=True)
    assert pw.Tokenizer.from_file(tmp_path / "x.json") == tok


@pytest.mark.parametrize(
    ("normalizer", "said"),
    [
        (
            n.Sequence([n.Precompiled.of("nmt_nfkc_cf"), n.Precompiled.of("nfkc")]),
            "cannot hold the normalizer Precompiled",
        ),
        (n.Replace(pw.Regex(" {2,}"), "b"), "cannot hold the normalizer Replace"),
        (n.Replace(pw.Regex(" {2,}"), ""), "cannot hold the normalizer Replace"),
    ],
)
def test_normalizers_without_a_nearest(normalizer: Any, said: str, tmp_path: Path) -> None:
    model = pw.models.Unigram([("<unk>", 0.0), ("▁", -1.0)], 0)
    tok = pw.Tokenizer(model, normalizer=normalizer, pre_tokenizer=pw.pre_tokenizers.Metaspace())
    with pytest.raises(pw.errors.ConfigError, match=said):
        tok.save(tmp_path / "x.model", approximate=True)


def test_the_nearest_tells_what_hangs_on_the_score_of_the_unknown(tmp_path: Path) -> None:
    pieces = [("<unk>", -1000.0), ("ab", -60.0), ("cd", -60.0), ("bcd", -1.0)]
    tok = pw.Tokenizer(pw.models.Unigram(pieces, 0))
    with pytest.warns(pw.errors.PieceworkWarning, match="what is unknown has another score"):
        tok.with_parts(pre_tokenizer=pw.pre_tokenizers.Metaspace()).save(
            tmp_path / "x.model", approximate=True
        )


def test_what_has_no_nearest(tmp_path: Path) -> None:
    words = pw.Tokenizer(pw.models.WordLevel(["<unk>"]))
    with pytest.raises(pw.errors.ConfigError, match="approximate= is for Unigram"):
        words.save(tmp_path / "x.json", approximate=True)
    unigram = pw.models.Unigram([("<unk>", 0.0)], 0)
    splits = pw.Tokenizer(unigram, pre_tokenizer=pw.pre_tokenizers.Digits())
    with pytest.raises(pw.errors.ConfigError, match="cannot hold the pre-tokenizer Digits"):
        splits.save(tmp_path / "x.model", "sentencepiece", approximate=True)


def test_the_text_of_a_vocabulary(data: Path) -> None:
    theirs = live.processor(live.shared_model(data, "t5-spiece"))
    size = theirs.get_piece_size()
    text = "".join(f"{theirs.id_to_piece(i)}\t{theirs.get_score(i):g}\n" for i in range(size))
    model = pw.models.Unigram.from_vocab(text, precision="float32")
    assert [piece for piece, _ in model.vocab] == [theirs.id_to_piece(i) for i in range(size)]
    assert model.unk_id == theirs.unk_id()
    assert pw.models.Unigram.from_vocab(model.to_vocab(), precision="float32") == model
    assert pw.models.Unigram.from_vocab("\ufeff" + text, precision="float32") == model
    for broken, said in [
        ("a\t-1\nb", "line 2: expected a piece"),
        ("a\tnan", "line 1: expected a piece, a tab and a finite score"),
        ("a\t1_0", "line 1: expected a piece, a tab and a finite score"),
        ("\t-1", "line 1: expected a piece, a tab and a finite score"),
        ("m.vocab", "line 1: expected a piece, a tab and a finite score"),
    ]:
        with pytest.raises(pw.errors.FormatError, match=said):
            pw.models.Unigram.from_vocab(broken)
    with pytest.raises(pw.errors.FormatError, match="of SentencePiece, which holds pieces"):
        pw.Tokenizer.from_str(text)
    with pytest.raises(pw.errors.ConfigError, match="has a line end"):
        pw.models.Unigram([("a\nb", 0.0)]).to_vocab()
