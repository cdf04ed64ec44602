"""Unigram in SentencePiece files: reading and writing against the library, and broken files."""

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
    """Returns texts that different readers of a model would encode differently."""
    symbols = "the mask<mask>ing the  end a b ﬁne <c> <pad>"
    return [*live.HARD_TEXTS, symbols, "a\0b", "\0", " \0 ﬁ\0", *live_bpe.texts()]


def same(theirs: Any, ours: pw.Tokenizer, some: list[str]) -> None:
    """Checks that ids, pieces and decoded texts equal those of SentencePiece."""
    for text in some:
        wanted, found = theirs.encode(text), ours.encode(text, specials="text")
        assert found.ids == wanted, ascii(text)[:300]
        if ours.control_symbols:  # none in a tokenizer.json
            assert ours.encode_ids(text) == wanted, ascii(text)[:300]
        assert ours.encode_ids(text, specials="text") == wanted, ascii(text)[:300]
        assert found.tokens == theirs.encode(text, out_type=str), ascii(text)[:300]
        assert ours.decode(wanted) == theirs.decode(wanted), ascii(text)[:300]


def lines_of(corpus_lines: Lines, each: int) -> list[str]:
    """Returns the first lines of several corpora."""
    return [line for corpus in CORPORA for line in itertools.islice(corpus_lines(corpus), each)]


@pytest.mark.parametrize("name", live.MODELS)
def test_shared_models_equal_sentencepiece(
    data: Path, tmp_path: Path, name: str, corpus_lines: Lines
) -> None:
    model = live.shared_model(data, name)
    theirs, ours = live.processor(model), pw.Tokenizer.from_bytes(model)
    some = [*texts(), *lines_of(corpus_lines, 150)]
    same(theirs, ours, some)
    assert len(ours) == theirs.get_piece_size()
    ours.save(tmp_path / "new.model", "sentencepiece")
    same(live.processor((tmp_path / "new.model").read_bytes()), ours, some)
    (tmp_path / "old.model").write_bytes(model)
    ours.save(tmp_path / "same.model", "sentencepiece", base=tmp_path / "old.model")
    assert (tmp_path / "same.model").read_bytes() == model
    again = pw.Tokenizer.from_str(ours.to_str())
    assert again.to_str() == ours.to_str()
    same(theirs, again, some)


@pytest.mark.parametrize(
    "settings",
    SETTINGS,
    ids=lambda s: ",".join(f"{k}={v}" for k, v in s.items()).encode("ascii", "replace").decode(),
)
def test_trained_models_equal_sentencepiece(
    settings: dict[str, Any], tmp_path: Path, corpus_lines: Lines
) -> None:
    lines = [line for line in itertools.islice(corpus_lines("en/botchan.txt"), 900) if line.strip()]
    model = live.trained(lines[:600], **{"vocab_size": 500, **settings})
    theirs, ours = live.processor(model), pw.Tokenizer.from_bytes(model)
    some = [*texts(), *lines[-100:]]
    same(theirs, ours, some)
    ours.save(tmp_path / "m.model", "sentencepiece")
    written = (tmp_path / "m.model").read_bytes()
    same(live.processor(written), ours, some)
    assert pw.Tokenizer.from_bytes(written).to_str() == ours.to_str()


def test_japanese_model_equals_sentencepiece(corpus_lines: Lines) -> None:
    lines = [line for line in itertools.islice(corpus_lines("multi/ja-wagahai.txt"), 900) if line]
    model = live.trained(lines[:600], 2500, character_coverage=0.98, byte_fallback=True)
    same(live.processor(model), pw.Tokenizer.from_bytes(model), [*texts(), *lines[-200:]])


PIECES: list[live.Piece] = [("<unk>", 0.0, live.UNKNOWN), ("▁", -3.0, 1), ("a", -1.5, 1)]


def test_user_defined_and_reserved_pieces(tmp_path: Path) -> None:
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
    ("pieces", "message"),
    [
        ([("<unk>", 0.0, 2), ("a", math.nan, 1)], 'pieces: the score of "a" is NaN'),
        ([("<unk>", 0.0, 2), ("a", -math.inf, 1)], 'pieces: the score of "a" is -inf'),
        ([("a", 0.0, 1)], "pieces: the model has no piece for what is unknown"),
        ([("<unk>", 0.0, 2), ("<u>", 0.0, 2)], 'both "<unk>" and "<u>" stand for what is unknown'),
        ([*PIECES, ("a", 0.0, 1)], 'pieces: token "a" occurs twice'),
        ([*PIECES, ("", 0.0, 1)], "pieces: the piece with the id 3 is empty"),
    ],
)
def test_broken_models_raise(pieces: list[live.Piece], message: str) -> None:
    with pytest.raises(pw.errors.FormatError, match=message):
        pw.Tokenizer.from_bytes(live.model_of(pieces))


def test_truncated_models_raise_or_load() -> None:
    model = live.model_of([*PIECES, ("▁a", -1.0, 1)])
    for size in range(len(model)):
        try:
            pw.Tokenizer.from_bytes(model[:size])
        except pw.errors.PieceworkError:
            continue
        pieces = live.read(model[:size]).pieces
        assert pieces, size


def test_byte_piece_takes_precedence_over_nul_piece(tmp_path: Path) -> None:
    bytes_ = [(f"<0x{byte:02X}>", 0.0, live.BYTE) for byte in range(256)]
    model = live.model_of([*PIECES, ("\0", -0.5, 1), *bytes_], byte_fallback=True)
    theirs, ours = live.processor(model), pw.Tokenizer.from_bytes(model)
    same(theirs, ours, ["a\0a", "\0", "\0\0b"])
    assert ours.encode("a\0").tokens == ["a", "<0x00>"]
    ours.save(tmp_path / "m.model", "sentencepiece")
    same(live.processor((tmp_path / "m.model").read_bytes()), ours, ["a\0a"])


@pytest.mark.parametrize("piece", ["\0", "a\0b"])
def test_pieces_with_nul_cannot_be_saved(piece: str, tmp_path: Path) -> None:
    vocab = [("<unk>", 0.0), ("a", -1.0), (piece, -1.0)]
    ours = pw.Tokenizer(pw.models.Unigram(vocab, 0, precision="float32"))
    with pytest.raises(pw.errors.ConfigError, match="cannot hold NUL, as the token"):
        ours.save(tmp_path / "m.model", "sentencepiece")


def test_byte_fallback_without_byte_pieces_raises() -> None:
    with pytest.raises(pw.errors.FormatError, match="falls back to bytes, but has no piece"):
        pw.Tokenizer.from_bytes(live.model_of(PIECES, byte_fallback=True))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "cannot hold scores that are added up in 64 bits"),
        ({"precision": "float32", "unk_id": None}, "cannot hold a model without an unknown token"),
        ({"precision": "float32", "byte_fallback": True}, 'byte_fallback unless "<0x00>" is a res'),
    ],
)
def test_models_that_sentencepiece_cannot_represent(
    settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    model = pw.models.Unigram([("<unk>", 0.0), ("a", -1.0)], **{"unk_id": 0, **settings})
    with pytest.raises(pw.errors.ConfigError, match=message):
        pw.Tokenizer(model).save(tmp_path / "x.model", "sentencepiece")
    ours = pw.models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0, precision="float32")
    with pytest.raises(pw.errors.ConfigError, match='the added token "b" of a unigram model'):
        pw.Tokenizer(ours, added_tokens=["b"]).save(tmp_path / "x.model", "sentencepiece")


def test_largest_float32_score_survives_saving(tmp_path: Path) -> None:
    score = struct.unpack("<f", struct.pack("<f", -1.7e38))[0]
    tok = pw.Tokenizer.from_bytes(live.model_of([*PIECES, ("b", score, 1)]))
    tok.save(tmp_path / "x.model", "sentencepiece")
    assert live.read((tmp_path / "x.model").read_bytes()).pieces[3] == ("b", score, 1)


@pytest.mark.parametrize("name", live.MODELS)
def test_approximate_tokenizer_json_mostly_agrees(
    data: Path, tmp_path: Path, name: str, corpus_lines: Lines
) -> None:
    library = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")
    ours = pw.Tokenizer.from_bytes(live.shared_model(data, name))
    with (
        pytest.warns(pw.errors.PieceworkWarning, match="running scores have 64 bits"),
        pytest.warns(pw.errors.PieceworkWarning, match="has no control symbols"),
    ):
        ours.save(tmp_path / "tokenizer.json", approximate=True)
    theirs = library.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    lines = [line.rstrip() for line in lines_of(corpus_lines, 100)]
    same = [theirs.encode(line).ids == ours.encode_ids(line) for line in lines]
    assert sum(same) > 0.97 * len(same)


def test_approximate_model_mostly_agrees(data: Path, tmp_path: Path, corpus_lines: Lines) -> None:
    converted = json.dumps(live.as_transformers_json(live.shared_model(data, "t5-spiece")))
    ours = pw.Tokenizer.from_str(converted)
    with pytest.warns(
        pw.errors.PieceworkWarning, match="running scores have 32 bits.*a space is prepended"
    ):
        ours.save(tmp_path / "t5.model", "sentencepiece", approximate=True)
    theirs = live.processor((tmp_path / "t5.model").read_bytes())
    lines = [line.rstrip() for line in lines_of(corpus_lines, 100)]
    same = [theirs.encode(line) == ours.encode_ids(line) for line in lines]
    assert sum(same) > 0.9 * len(same)


def test_approximate_model_warns_of_all_changes(tmp_path: Path) -> None:
    ours = pw.train({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, pw.UnigramTrainer(12))
    with pytest.warns(pw.errors.PieceworkWarning) as caught:
        ours.save(tmp_path / "hug.model", "sentencepiece", approximate=True)
    assert len(caught) == 2
    assert "'<s>', '</s>' in a text as ordinary text" in str(caught[1].message)
    # All else is held, or refused.
    assert "<unk> is not a special token, and is decoded as ⁇" in str(caught[0].message)
    assert str(caught[0].message).endswith("the history of the training is lost")
    assert pw.Tokenizer.from_file(tmp_path / "hug.model").tokenize("hugs bun") == ours.tokenize(
        "hugs bun"
    )


def test_approximate_model_keeps_ids_of_added_tokens(tmp_path: Path) -> None:
    pieces = [("<unk>", 0.0), ("▁", -3.0), ("a", -3.0), ("▁a", -2.0), ("b", -4.0)]
    tok = pw.Tokenizer(
        pw.models.Unigram(pieces, 0), pre_tokenizer=pw.pre_tokenizers.Metaspace()
    ).with_added_tokens([pw.AddedToken("<x>", special=True), pw.AddedToken("bar", lstrip=True)])
    with (
        pytest.warns(pw.errors.PieceworkWarning, match="match without adjacent white space"),
        pytest.warns(pw.errors.PieceworkWarning, match="'<x>' in a text as ordinary text"),
    ):
        tok.save(tmp_path / "x.model", approximate=True)
    theirs = live.processor((tmp_path / "x.model").read_bytes())
    for token in ("<x>", "bar"):
        assert theirs.piece_to_id(token) == tok.token_to_id(token)
    assert theirs.encode("a bar b") == [3, 1, 6, 1, 4]
    assert pw.Tokenizer.from_file(tmp_path / "x.model").encode_ids("a bar b") == [3, 1, 6, 1, 4]


def test_approximate_tokenizer_json_matches_added_tokens_within_words(
    data: Path, tmp_path: Path
) -> None:
    library = pytest.importorskip("tokenizers")
    tok = pw.Tokenizer.from_bytes(live.shared_model(data, "t5-spiece"))
    with pytest.warns(pw.errors.PieceworkWarning) as caught:
        tok.with_added_tokens(["NEWTOK"]).save(tmp_path / "x.json", approximate=True)
    for part in ("matched in the original text", "to reserved pieces (3)", "into a special token"):
        assert part in str(caught[0].message)
    theirs = library.Tokenizer.from_file(str(tmp_path / "x.json"))
    assert "NEWTOK" in theirs.encode("aNEWTOKb").tokens
    assert "NEWTOK" in pw.Tokenizer.from_file(tmp_path / "x.json").tokenize("aNEWTOKb")
    wide = "\uff1c/s\uff1e"
    assert theirs.encode(wide).ids[:2] != tok.encode_ids(wide)[:2], "as the warning says"


def test_approximate_keeps_an_exactly_representable_tokenizer(tmp_path: Path) -> None:
    tok = pw.train({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, pw.UnigramTrainer(12))
    with warnings.catch_warnings(action="error"):
        tok.save(tmp_path / "x.json", approximate=True)
    assert pw.Tokenizer.from_file(tmp_path / "x.json") == tok


@pytest.mark.parametrize(
    ("normalizer", "message"),
    [
        (
            n.Sequence([n.Precompiled.of("nmt_nfkc_cf"), n.Precompiled.of("nfkc")]),
            "cannot represent the normalizer Precompiled",
        ),
        (n.Replace(pw.Regex(" {2,}"), "b"), "cannot represent the normalizer Replace"),
        (n.Replace(pw.Regex(" {2,}"), ""), "cannot represent the normalizer Replace"),
    ],
)
def test_normalizers_without_approximation_are_refused(
    normalizer: Any, message: str, tmp_path: Path
) -> None:
    model = pw.models.Unigram([("<unk>", 0.0), ("▁", -1.0)], 0)
    tok = pw.Tokenizer(model, normalizer=normalizer, pre_tokenizer=pw.pre_tokenizers.Metaspace())
    with pytest.raises(pw.errors.ConfigError, match=message):
        tok.save(tmp_path / "x.model", approximate=True)


def test_approximate_model_warns_of_another_unknown_score(tmp_path: Path) -> None:
    pieces = [("<unk>", -1000.0), ("ab", -60.0), ("cd", -60.0), ("bcd", -1.0)]
    tok = pw.Tokenizer(pw.models.Unigram(pieces, 0))
    with pytest.warns(pw.errors.PieceworkWarning, match="unknown characters have another score"):
        tok.replace(pre_tokenizer=pw.pre_tokenizers.Metaspace()).save(
            tmp_path / "x.model", approximate=True
        )


def test_models_without_approximation_are_refused(tmp_path: Path) -> None:
    words = pw.Tokenizer(pw.models.WordLevel(["<unk>"]))
    with pytest.raises(pw.errors.ConfigError, match="approximate= requires a Unigram model"):
        words.save(tmp_path / "x.json", approximate=True)
    unigram = pw.models.Unigram([("<unk>", 0.0)], 0)
    splits = pw.Tokenizer(unigram, pre_tokenizer=pw.pre_tokenizers.Digits())
    with pytest.raises(pw.errors.ConfigError, match="cannot represent the pre-tokenizer Digits"):
        splits.save(tmp_path / "x.model", "sentencepiece", approximate=True)


def test_vocab_text_equals_sentencepiece(data: Path) -> None:
    theirs = live.processor(live.shared_model(data, "t5-spiece"))
    size = theirs.get_piece_size()
    text = "".join(f"{theirs.id_to_piece(i)}\t{theirs.get_score(i):g}\n" for i in range(size))
    model = pw.models.Unigram.from_vocab(text, precision="float32")
    assert [piece for piece, _ in model.vocab] == [theirs.id_to_piece(i) for i in range(size)]
    assert model.unk_id == theirs.unk_id()
    assert pw.models.Unigram.from_vocab(model.to_vocab(), precision="float32") == model
    assert pw.models.Unigram.from_vocab("\ufeff" + text, precision="float32") == model
    for broken, message in [
        ("a\t-1\nb", "line 2: expected a piece"),
        ("a\tnan", "line 1: expected a piece, a tab and a finite score"),
        ("a\t1_0", "line 1: expected a piece, a tab and a finite score"),
        ("\t-1", "line 1: expected a piece, a tab and a finite score"),
        ("m.vocab", "line 1: expected a piece, a tab and a finite score"),
    ]:
        with pytest.raises(pw.errors.FormatError, match=message):
            pw.models.Unigram.from_vocab(broken)
    with pytest.raises(
        pw.errors.FormatError, match=r"a SentencePiece \.vocab file, which contains only pieces"
    ):
        pw.Tokenizer.from_str(text)
    with pytest.raises(pw.errors.ConfigError, match="contains a line end"):
        pw.models.Unigram([("a\nb", 0.0)]).to_vocab()
