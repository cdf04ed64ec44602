"""Unigram in SentencePiece files against SentencePiece and `tokenizers`: ids, and approximate conversion."""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import live_bpe
import live_unigram as live
import piecework as pw

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
    ours.save(tmp_path / "m.model")
    written = (tmp_path / "m.model").read_bytes()
    same(live.processor(written), ours, some)
    assert pw.Tokenizer.from_bytes(written).to_str() == ours.to_str()


def test_japanese_model_equals_sentencepiece(corpus_lines: Lines) -> None:
    lines = [line for line in itertools.islice(corpus_lines("multi/ja-wagahai.txt"), 900) if line]
    model = live.trained(lines[:600], 2500, character_coverage=0.98, byte_fallback=True)
    same(live.processor(model), pw.Tokenizer.from_bytes(model), [*texts(), *lines[-200:]])


def test_byte_piece_takes_precedence_over_nul_piece(tmp_path: Path) -> None:
    bytes_ = [(f"<0x{byte:02X}>", 0.0, live.BYTE) for byte in range(256)]
    model = live.model_of([*live.PIECES, ("\0", -0.5, 1), *bytes_], byte_fallback=True)
    theirs, ours = live.processor(model), pw.Tokenizer.from_bytes(model)
    same(theirs, ours, ["a\0a", "\0", "\0\0b"])
    assert ours.encode("a\0").tokens == ["a", "<0x00>"]
    ours.save(tmp_path / "m.model")
    same(live.processor((tmp_path / "m.model").read_bytes()), ours, ["a\0a"])


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
