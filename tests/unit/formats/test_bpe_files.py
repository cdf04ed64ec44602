"""BPE files: reading, writing, and what each format cannot represent."""

from __future__ import annotations

import dataclasses
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

import live_bpe
import piecework as pw
from bpe_files import BYTES, SMALL, UNK, A, field, proto, ranks
from piecework import models

if TYPE_CHECKING:
    from pathlib import Path

# --- tiktoken ------------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Returns the path of a small tiktoken file."""
    path = tmp_path / "small.tiktoken"
    path.write_text(ranks(SMALL))
    return path


def test_cl100k_is_written_byte_for_byte(data: Path, tmp_path: Path) -> None:
    path, copy = (
        live_bpe.vocab_file(data, "cl100k_base.tiktoken"),
        tmp_path / "cl100k_base.tiktoken",
    )
    tok = pw.Tokenizer.from_file(path)
    tok.save(copy, "tiktoken")
    assert copy.read_bytes() == path.read_bytes()
    # A tokenizer.json lists the merges that the ranks imply; these imply the same ranks again.
    pw.Tokenizer.from_str(tok.to_str()).save(copy, "tiktoken")
    assert copy.read_bytes() == path.read_bytes()


def test_saving_tiktoken_warns_of_settings_it_omits(small: Path, tmp_path: Path) -> None:
    tok = pw.Tokenizer.from_tiktoken(small, pattern=r"\w+|\W", special_tokens={"<x>": 300})
    with pytest.warns(
        pw.errors.PieceworkWarning, match=r"pass `pattern='.*'`, `special_tokens=\{'<x>': 300\}` to"
    ):
        tok.save(tmp_path / "x", "tiktoken")
    with pytest.warns(pw.errors.PieceworkWarning, match="it lacks or changes pre_tokenizer"):
        tok.replace(pre_tokenizer=pw.pre_tokenizers.Whitespace()).save(tmp_path / "y", "tiktoken")
    cl100k = pw.Tokenizer.from_tiktoken(small, "r50k_base", special_tokens={})
    named = cl100k.with_added_tokens([pw.AddedToken("<|endoftext|>", special=True)])
    with pytest.warns(pw.errors.PieceworkWarning, match="special_tokens"):
        named.save(tmp_path / "r50k_base.tiktoken", "tiktoken")


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (
            "YQ== 0\nYg==\n",
            pw.errors.FormatError,
            r"line 2: not two parts; expected a token's bytes in base 64",
        ),
        ("YQ== 0\nYg== 1 2\n", pw.errors.FormatError, "line 2: not two parts"),
        ("YQ== 0\n!!!! 1\n", pw.errors.FormatError, "line 2: not base 64"),
        ("YQ== 0\nYg== -1\n", pw.errors.FormatError, "line 2: the rank is not an integer"),
        ("YQ== 0\nYg== 99999999999\n", pw.errors.FormatError, "line 2: the rank is not an integer"),
        ("YQ== 0\nYg== 4294967295\n", pw.errors.FormatError, "line 2: token .* far beyond"),
        (
            "YQ== 0\nYQ== 1\n",
            pw.errors.FormatError,
            'line 2: token "a" occurs twice, with the ids 0 and 1',
        ),
        (
            "YQ== 0\nYg== 0\n",
            pw.errors.FormatError,
            'line 2: the tokens "a" and "b" share the id 0',
        ),
        ("YQ== 0\n 1\n", pw.errors.FormatError, "line 2: the token is empty"),
        ("", pw.errors.FormatError, "empty"),
        (
            "YQ== 0\n",
            pw.errors.VocabularyError,
            "255 of the 256 bytes are no tokens, the first of them 0x00",
        ),
    ],
)
def test_broken_ranks_raise_with_line_number(
    tmp_path: Path, content: str, kind: type[Exception], message: str
) -> None:
    path = tmp_path / "broken.tiktoken"
    path.write_text(content)
    with pytest.raises(kind, match=message) as error:
        pw.Tokenizer.from_tiktoken(path, pattern="a")
    assert str(error.value).startswith(str(path))


def test_gaps_in_ids_raise_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "gap.tiktoken"
    path.write_text(ranks({token: rank for rank, token in enumerate(BYTES)} | {b"hu": 300}))
    with pytest.warns(pw.errors.PieceworkWarning, match="no token has the id 256"):
        tok = pw.Tokenizer.from_tiktoken(path, pattern=r"\w+|\W")
    assert tok.encode_ids("hu") == [300]
    with pytest.raises(pw.errors.TokenIdError):
        tok.decode([270])


def test_special_tokens_fill_gaps_in_ids(tmp_path: Path) -> None:
    path = tmp_path / "filled.tiktoken"
    path.write_text(ranks({token: rank for rank, token in enumerate(BYTES)} | {b"hu": 257}))
    tok = pw.Tokenizer.from_tiktoken(path, pattern=r"\w+|\W", special_tokens={"<x>": 256})
    assert tok.encode_ids("hu<x>") == [257, 256]
    with pytest.raises(
        pw.errors.ConfigError, match='special_tokens: the tokens "hu" and "<x>" share the id 257'
    ):
        pw.Tokenizer.from_tiktoken(path, pattern="a", special_tokens={"<x>": 257})


@pytest.mark.parametrize("pattern", [r"\p{N}{1,3}+|\D", r"\w+$|\W|\w", r"^a|[^a]|a"])
def test_patterns_read_differently_by_tiktoken_raise_a_warning(small: Path, pattern: str) -> None:
    with pytest.warns(pw.errors.PieceworkWarning, match="the pattern is compiled by Oniguruma"):
        pw.Tokenizer.from_tiktoken(small, pattern=pattern)


@pytest.mark.parametrize("number", [-1, 1 << 32, 1 << 70])
def test_special_token_ids_out_of_range_raise(small: Path, number: int) -> None:
    with pytest.raises(pw.errors.ConfigError, match=f"the id of '<x>' is {number}; expected"):
        pw.Tokenizer.from_tiktoken(small, pattern="a", special_tokens={"<x>": number})


def test_surrogates_raise(small: Path) -> None:
    with pytest.raises(pw.errors.SurrogateError):
        pw.Tokenizer.from_tiktoken(small, pattern="a", special_tokens={"\ud800": 300})
    with pytest.raises(pw.errors.SurrogateError):
        pw.Tokenizer.from_tiktoken(small, pattern="\ud800")


def test_unknown_encoding_names_and_patterns_raise(small: Path) -> None:
    with pytest.raises(pw.errors.ConfigError, match='did you mean "cl100k_base"'):
        pw.Tokenizer.from_tiktoken(small, "cl100k-base")
    with pytest.raises(
        pw.errors.ConfigError, match=r'no encoding "small" is known.*pass `name=\.\.\.` or `pattern'
    ):
        pw.Tokenizer.from_file(small)
    with pytest.raises(pw.errors.RegexError, match="does not compile"):
        pw.Tokenizer.from_tiktoken(small, pattern="(")
    with pytest.raises(pw.errors.ConfigError, match="expected a string, found 3"):
        pw.Tokenizer.from_tiktoken(small, pattern=3)  # type: ignore[arg-type]
    tok = pw.Tokenizer.from_tiktoken(small, "o200k_base")
    assert tok.special_tokens == {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}


# --- vocab.json and merges.txt ---------------------------------------------------------------------


def byte_level(more: list[str], **others: Any) -> dict[str, int]:
    """Returns a vocabulary with all 256 bytes."""
    letters = "".join(
        chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x144))
    )
    assert len(letters) == 256
    return {token: number for number, token in enumerate([*letters, *more])} | others


def written(folder: Path, vocab: object, merges: str) -> Path:
    """Writes vocab.json and merges.txt to a folder; returns the path of vocab.json."""
    (folder / "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
    (folder / "merges.txt").write_text(merges, encoding="utf-8")
    return folder / "vocab.json"


def test_special_tokens_of_roberta_are_recognized(tmp_path: Path) -> None:
    vocab = byte_level(["hu", "<s>", "</s>", "<mask>"])
    tok = pw.Tokenizer.from_file(written(tmp_path, vocab, "#version: 0.2\nh u\n"))
    assert tok.encode("hu <mask>").tokens == ["<s>", "hu", " <mask>", "</s>"]
    assert tok.decode(tok.encode_ids("hu é")) == "hu é"


def test_end_of_word_suffix_is_recognized(tmp_path: Path) -> None:
    vocab = {"<unk>": 0, "l": 1, "o": 2, "o</w>": 3, "lo</w>": 4}
    tok = pw.Tokenizer.from_file(written(tmp_path, vocab, "#version: 0.2\nl o</w>\n"))
    assert tok.tokenize("lo  olo x") == ["lo</w>", "o", "lo</w>", "<unk>"]
    assert tok.decode(tok.encode_ids("lo lo")) == "lo lo"


@pytest.mark.parametrize(
    ("vocab", "merges", "kind", "message"),
    [
        (
            byte_level(["hu"]),
            "#version: 0.2\nh u\nh\n",
            pw.errors.FormatError,
            "line 3 of the merges: expected a merge",
        ),
        (
            byte_level(["hu"]),
            "h u\n\n",
            pw.errors.FormatError,
            "line 2 of the merges: expected a merge",
        ),
        (
            byte_level(["hu"]),
            "h x\n",
            pw.errors.FormatError,
            'line 1 of the merges: the merge makes "hx", which is not in the',
        ),
        (
            byte_level(["hu", "lug"]),
            "l ug\n",
            pw.errors.FormatError,
            'line 1 of the merges: the merge names "ug", which is not',
        ),
        (
            {"h": 0, "u": 1, "hu": 2},
            "h u\n",
            pw.errors.VocabularyError,
            "254 of the 256 bytes.*pass `pre_tokenizer=",
        ),
        ({"h": 0, "u": 0}, "h u\n", pw.errors.FormatError, 'the tokens "h" and "u" share the id 0'),
        ({"h": 0.5}, "h u\n", pw.errors.FormatError, 'the id of "h" is not an integer'),
        ({"h": -1}, "h u\n", pw.errors.FormatError, 'the id of "h" is not an integer'),
        (["h"], "h u\n", pw.errors.FormatError, "expected an object"),
    ],
)
def test_broken_merges_raise_with_line_number(
    tmp_path: Path, vocab: object, merges: str, kind: type[Exception], message: str
) -> None:
    path = written(tmp_path, vocab, merges)
    with pytest.raises(kind, match=message) as error:
        pw.Tokenizer.from_file(path)
    assert str(error.value).startswith(f"{path}, merges.txt: ")


def test_character_vocabulary_takes_pre_tokenizer_argument(tmp_path: Path) -> None:
    path = written(tmp_path, {"h": 0, "u": 1, "hu": 2}, "h u\n")
    tok = pw.Tokenizer.from_file(path, pre_tokenizer=pw.pre_tokenizers.WhitespaceSplit())
    assert tok.tokenize("huh hu") == ["hu", "h", "hu"]


def test_vocab_json_without_merges_txt_raises(tmp_path: Path) -> None:
    path = written(tmp_path, byte_level([]), "")
    (tmp_path / "merges.txt").unlink()
    with pytest.raises(
        pw.errors.FormatError,
        match=r"BPE needs a vocabulary and its merges, but .*merges\.txt does not exist",
    ):
        pw.Tokenizer.from_file(path)
    with pytest.raises(pw.errors.FormatError, match="a BPE vocabulary or its merges alone"):
        pw.Tokenizer.from_bytes(path.read_bytes())
    other = path.rename(tmp_path / "mine.json")
    with pytest.raises(
        pw.errors.FormatError, match=r"name it vocab\.json and put merges\.txt in the same folder"
    ):
        pw.Tokenizer.from_file(other)


def test_models_that_merges_txt_cannot_represent(tmp_path: Path) -> None:
    with_space = models.BPE(["a", " ", "a "], [("a", " ")])
    with pytest.raises(pw.errors.ConfigError, match='cannot hold the token " "'):
        pw.Tokenizer(with_space).save(tmp_path / "x", "merges.txt")
    whole = models.BPE(["a", "b", "ab"], [], ignore_merges=True)
    with pytest.raises(
        pw.errors.ConfigError, match='the token "ab", which only a whole word is encoded as'
    ):
        pw.Tokenizer(whole).save(tmp_path / "x", "merges.txt")
    prefixed = models.BPE(["a", "##b", "ab"], [("a", "##b")], continuing_subword_prefix="##")
    with pytest.raises(pw.errors.ConfigError, match='cannot hold the marks "##" and ""'):
        pw.Tokenizer(prefixed).save(tmp_path / "x", "merges.txt")
    tied = models.BPE(["a", "b", "ab", "ba"], ranks=[None, None, 0, 0])
    with pytest.raises(pw.errors.ConfigError, match="merges of the same rank"):
        pw.Tokenizer(tied).save(tmp_path / "x", "merges.txt")
    assert not (tmp_path / "x").exists()
    plain = pw.Tokenizer(models.BPE(["a", "b", "ab"], [("a", "b")], dropout=0.5))
    with pytest.warns(
        pw.errors.PieceworkWarning, match=r"it lacks or changes dropout.*; pass `pre_tokenizer="
    ):
        plain.save(tmp_path / "x", "merges.txt")


def test_tiktoken_requires_merges_in_id_order(tmp_path: Path) -> None:
    letters = byte_level([])
    in_order = models.BPE(letters | {"ab": 256, "bc": 257}, [("a", "b"), ("b", "c")])
    with pytest.warns(pw.errors.PieceworkWarning):
        pw.Tokenizer(in_order).save(tmp_path / "x", "tiktoken")
    otherwise = models.BPE(letters | {"ab": 257, "bc": 256}, [("a", "b"), ("b", "c")])
    with pytest.raises(pw.errors.ConfigError, match="which the order of its ids implies"):
        pw.Tokenizer(otherwise).save(tmp_path / "x", "tiktoken")
    unreachable = models.BPE(letters | {"abc": 256}, [])
    with pytest.raises(pw.errors.ConfigError, match=r"implies|nothing is encoded as"):
        pw.Tokenizer(unreachable).save(tmp_path / "x", "tiktoken")


# --- CLIP ------------------------------------------------------------------------------------------


def test_clip_is_written_byte_for_byte(data: Path, tmp_path: Path) -> None:
    path = live_bpe.vocab_file(data, "clip-bpe_simple_vocab_16e6.txt.gz")
    tok = pw.Tokenizer.from_file(path)
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    for name in ("bpe.txt", "bpe.txt.gz"):
        tok.save(tmp_path / name, "clip")
        assert pw.Tokenizer.from_file(tmp_path / name) == tok
    written = (tmp_path / "bpe.txt").read_bytes()
    assert written == b"".join(lines[: 1 + 49152 - 256 - 2])
    packed = (tmp_path / "bpe.txt.gz").read_bytes()
    assert (packed[4:8], gzip.decompress(packed)) == (bytes(4), written)


@pytest.fixture
def small_clip(tmp_path: Path) -> pw.Tokenizer:
    """Returns a tokenizer of a CLIP file with two merges."""
    path = tmp_path / "small.txt"
    path.write_text('"bpe_simple_vocab_16e6.txt#version: 0.2\nh u\nhu g</w>\n')
    return pw.Tokenizer.from_file(path)


def test_models_that_a_clip_file_cannot_represent(small_clip: pw.Tokenizer, tmp_path: Path) -> None:
    model, target = small_clip.model, tmp_path / "x"
    assert isinstance(model, models.BPE)

    def check_refused(match: str, tok: pw.Tokenizer) -> None:
        with pytest.raises(pw.errors.ConfigError, match=match):
            tok.save(target, "clip")
        assert not target.exists()

    def with_model(**changes: Any) -> pw.Tokenizer:
        return pw.Tokenizer(
            dataclasses.replace(model, **changes),
            normalizer=small_clip.normalizer,
            pre_tokenizer=small_clip.pre_tokenizer,
        )

    check_refused("a model other than BPE", pw.Tokenizer(models.WordLevel(["a"])))
    check_refused("other marks than", with_model(end_of_word_suffix=""))
    check_refused("other marks than", with_model(suffix_style="separate"))
    check_refused("ignore_merges", with_model(ignore_merges=True))
    check_refused('the token "hu" .id 512. where', with_model(merges=model.merges[::-1]))
    check_refused('the token "hu" .id 512. where', with_model(merges=[]))
    check_refused(
        'the token "<x>" .id 516., which is neither', with_model(vocab=[*model.vocab, "<x>"])
    )
    check_refused("another normalizer or pre-tokenizer", small_clip.replace(normalizer=None))
    check_refused("another normalizer or pre-tokenizer", small_clip.replace(pre_tokenizer=None))
    with pytest.warns(pw.errors.PieceworkWarning, match="it lacks or changes decoder"):
        small_clip.replace(decoder=None).save(target, "clip")
    with pytest.warns(pw.errors.PieceworkWarning, match="it lacks or changes ids, added_tokens"):
        small_clip.with_added_tokens(["<x>"]).save(target, "clip")
    with pytest.warns(pw.errors.PieceworkWarning, match="it lacks or changes dropout, unk_token"):
        with_model(dropout=0.5, unk_token=None).save(target, "clip")


def test_clip_file_with_too_many_merges_raises(small_clip: pw.Tokenizer, tmp_path: Path) -> None:
    parts = [b"%c%c" % (left, right) for left in range(33, 127) for right in range(33, 127)]
    made = [part.decode() for part in parts][:8192]
    tokens = list(small_clip.vocab)[:512]
    merges = [(token[0], token[1]) for token in made]
    for number, token in enumerate(made * 6):
        merges.append((token, tokens[number // len(made)]))
    del merges[48895:]
    vocab = [*tokens, *("".join(pair) for pair in merges), "<|startoftext|>", "<|endoftext|>"]
    tok = pw.Tokenizer(models.BPE(vocab, merges, end_of_word_suffix="</w>"))
    with pytest.raises(pw.errors.ConfigError, match="48895 merges, as only 48894 are read"):
        tok.save(tmp_path / "x", "clip")


def test_broken_gzip_files_raise(tmp_path: Path) -> None:
    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress(b"#version: 0.2\nl o\n")[:-9])
    with pytest.raises(pw.errors.FormatError, match="within a gzip member; it is truncated"):
        pw.Tokenizer.from_file(path)


# --- subword-nmt -----------------------------------------------------------------------------------


def test_separator_argument(tmp_path: Path) -> None:
    (tmp_path / "codes").write_text("#version: 0.2\nl o\nlo w</w>\ne r</w>\n")
    (tmp_path / "vocab").write_text("lo~ 7\nlow 2\n")
    tok = pw.Tokenizer.from_subword_nmt(tmp_path / "codes", tmp_path / "vocab", separator="~")
    assert tok.to_subword_nmt("lower low\n lo", separator="~") == "lo~ w~ e~ r low\n l~ o"


def test_broken_codes_and_vocabularies_raise(tmp_path: Path) -> None:
    codes, vocab = tmp_path / "codes", tmp_path / "vocab"
    read = pw.Tokenizer.from_subword_nmt
    codes.write_text("#version: 0.2\nl o\n")
    with pytest.raises(pw.errors.ConfigError, match="vocab_threshold: requires vocab"):
        read(codes, vocab_threshold=3)
    vocab.write_text("lo@@ 3\nlo\n")
    with pytest.raises(
        pw.errors.FormatError, match=r"vocab: line 2: expected a token, a space and"
    ):
        read(codes, vocab)
    codes.write_text("#version: 0.2\nl o\nlo\n")
    with pytest.raises(pw.errors.FormatError, match=r"codes: line 3: expected a merge"):
        read(codes, vocab)
    codes.write_text("l o\n")
    with pytest.raises(pw.errors.UnsupportedError, match=r"codes: line 1: .* version 0.1"):
        read(codes, vocab)


def test_formats_without_unused_tokens_refuse_them(tmp_path: Path) -> None:
    unused = models.BPE(["a", "b", "ab", "ab</w>"], [("a", "b")], unused=["ab"])
    for name in ("tiktoken", "merges.txt", "subword-nmt"):
        suffix = "</w>" if name == "subword-nmt" else ""
        tok = pw.Tokenizer(dataclasses.replace(unused, end_of_word_suffix=suffix))
        with pytest.raises(pw.errors.ConfigError, match=r'the unused token "ab" .id 2.'):
            tok.save(tmp_path / "x", name)  # type: ignore[arg-type]
    with pytest.raises(pw.errors.VocabularyError, match=r"the unused token .* is not in the"):
        pw.Tokenizer(models.BPE(["a"], unused=["b"]))
    with pytest.raises(pw.errors.VocabularyError, match='"a" stands for what is unknown'):
        pw.Tokenizer(models.BPE(["a"], unused=["a"], unk_token="a"))
    with pytest.raises(pw.errors.VocabularyError, match="pass `continuing_subword_prefix="):
        pw.Tokenizer(models.BPE(["a"], unused=["a"], continuing_subword_prefix="#"))


def test_empty_codes_raise(tmp_path: Path) -> None:
    (tmp_path / "codes").touch()
    with pytest.raises(pw.errors.FormatError, match="the file is empty; expected a merge a line"):
        pw.Tokenizer.from_subword_nmt(tmp_path / "codes")


def test_codes_of_unknown_version_raise() -> None:
    with pytest.raises(pw.errors.UnsupportedError, match=r'line 1: the codes are of version "0.3"'):
        pw.Tokenizer.from_str("#version: 0.3\nl o\n")


# --- SentencePiece ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "kind", "message"),
    [
        (
            b"\x0a\x05ab",
            pw.errors.FormatError,
            "ModelProto: not a protocol buffer, or cut short, at byte 0 of 4",
        ),
        (proto([UNK, A])[:-3], pw.errors.FormatError, "cut short"),
        (b"not a model", pw.errors.FormatError, "cut short"),
        (proto([]), pw.errors.FormatError, "pieces: not a SentencePiece model: it has no pieces"),
        (proto([A]), pw.errors.FormatError, "pieces: the model has no piece for what is unknown"),
        (proto([UNK, ("<u>", 0.0, 2)]), pw.errors.FormatError, "stand for what is unknown"),
        (proto([UNK, A, A]), pw.errors.FormatError, 'pieces: token "a" occurs twice'),
        (proto([UNK, ("", 0.0, 1)]), pw.errors.FormatError, "the piece with the id 1 is empty"),
        (proto([UNK, ("a", 0.0, 9)]), pw.errors.FormatError, "unknown type 9"),
        (
            proto([UNK, A]) + b"\x1a\x05\x12\x03abc",
            pw.errors.FormatError,
            "normalizer_spec: not a precompiled_charsmap",
        ),
        (
            proto([UNK, A], 3),
            pw.errors.UnsupportedError,
            "the model is of the type word; piecework reads",
        ),
    ],
)
def test_broken_models_raise(
    tmp_path: Path, model: bytes, kind: type[Exception], message: str
) -> None:
    path = tmp_path / "broken.model"
    path.write_bytes(model)
    with pytest.raises(kind, match=message) as error:
        pw.Tokenizer.from_sentencepiece(path)
    assert str(error.value).startswith(str(path))


def test_unknown_fields_are_kept(tmp_path: Path) -> None:
    model = proto([UNK, A, ("b", 0.0, 1), ("ab", -1.0, 1)]) + field(15, b"whatever")
    (tmp_path / "old.model").write_bytes(model)
    tok = pw.Tokenizer.from_file(tmp_path / "old.model")
    tok.save(tmp_path / "same.model", "sentencepiece", base=tmp_path / "old.model")
    assert (tmp_path / "same.model").read_bytes() == model
    more = tok.with_added_tokens(["<c>"], special=True)
    with pytest.warns(
        pw.errors.PieceworkWarning,
        match="'<c>' become user-defined symbols: decoding no longer omits",
    ):
        more.save(tmp_path / "new.model", "sentencepiece", base=tmp_path / "old.model")
    assert (tmp_path / "new.model").read_bytes().endswith(field(15, b"whatever"))
    assert pw.Tokenizer.from_file(tmp_path / "new.model") == pw.Tokenizer.from_bytes(
        (tmp_path / "new.model").read_bytes()
    )
    read = pw.Tokenizer.from_file(tmp_path / "new.model")
    assert (read.special_tokens, read.tokenize("a<c>b")) == ({}, more.tokenize("a<c>b"))


def test_models_that_sentencepiece_cannot_represent(tmp_path: Path) -> None:
    merged = models.BPE(["<unk>", "a", "b", "ab"], [("a", "b")], unk_token="<unk>", fuse_unk=True)
    with pytest.raises(pw.errors.ConfigError, match="cannot hold a pre-tokenizer"):
        pw.Tokenizer(merged, pre_tokenizer=pw.pre_tokenizers.Whitespace()).save(
            tmp_path / "x", "sentencepiece"
        )
    with pytest.raises(pw.errors.ConfigError, match="cannot hold a normalizer of another kind"):
        pw.Tokenizer(merged, normalizer=pw.normalizers.NFC()).save(tmp_path / "x", "sentencepiece")
    unmade = models.BPE(["<unk>", "a", "b", "ab"], [], unk_token="<unk>", fuse_unk=True)
    with pytest.raises(pw.errors.ConfigError, match=r'the token "ab" .id 3., which no merge makes'):
        pw.Tokenizer(unmade).save(tmp_path / "x", "sentencepiece")
    with pytest.warns(pw.errors.PieceworkWarning, match="it lacks or changes decoder"):
        pw.Tokenizer(merged).save(tmp_path / "x", "sentencepiece")


def test_folder_with_tokenizer_model(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.model").write_bytes(proto([UNK, A, ("<s>", 0.0, 3)]))
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "<s>", "pad_token": "<pad>"}')
    tok = pw.Tokenizer.from_folder(tmp_path)
    assert tok.special_tokens == {"<s>": 2, "<pad>": 3}


# --- format names and settings ---------------------------------------------------------------------


def test_settings_defined_by_the_format_are_refused(data: Path) -> None:
    path = live_bpe.vocab_file(data, "llama2-tokenizer.model")
    with pytest.raises(
        pw.errors.ConfigError,
        match="lowercase: cannot be given: a sentencepiece file contains",
    ):
        pw.Tokenizer.from_file(path, lowercase=True)
    assert pw.Tokenizer.from_file(path, truncation=3).encode_ids("a b c d e f") == [263, 289, 274]


def test_saving_unknown_format_raises(tmp_path: Path) -> None:
    tok = pw.Tokenizer(models.BPE(["a"], []))
    with pytest.raises(
        pw.errors.ConfigError, match=r"unknown format .*; expected one of tokenizer.json"
    ):
        tok.save(tmp_path / "x", "tokenizer")  # type: ignore[arg-type]


def test_compressed_tokenizer_files(tmp_path: Path) -> None:
    tok = pw.train(["low lower lowest"] * 3, pw.BpeTrainer(vocab_size=20))
    zstandard = pytest.importorskip("zstandard")
    for name, data in (
        ("tokenizer.json.gz", gzip.compress(tok.to_str().encode())),
        ("tokenizer.json.zst", zstandard.compress(tok.to_str().encode())),
    ):
        (tmp_path / name).write_bytes(data)
        assert pw.Tokenizer.from_file(tmp_path / name).fingerprint == tok.fingerprint
