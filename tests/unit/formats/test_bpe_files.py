"""BPE files of other libraries: reading, writing, and what each format cannot represent."""

from __future__ import annotations

import base64
import dataclasses
import functools
import gzip
import io
import json
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import live_bpe
import piecework as pw
from piecework import models

if TYPE_CHECKING:
    from pathlib import Path

# --- tiktoken ------------------------------------------------------------------------------------

BYTES = [bytes([byte]) for byte in range(256)]


def ranks(tokens: dict[bytes, int] | list[bytes]) -> str:
    """Returns the content of a tiktoken file."""
    numbered = tokens if isinstance(tokens, dict) else {token: i for i, token in enumerate(tokens)}
    return "".join(
        f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in numbered.items()
    )


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Returns the path of a small tiktoken file."""
    path = tmp_path / "small.tiktoken"
    path.write_text(ranks([*BYTES, b"hu", b"hug", b" h", " é".encode()]))
    return path


def test_cl100k_ids_equal_tiktoken(data: Path) -> None:
    path = live_bpe.vocab_file(data, "cl100k_base.tiktoken")
    theirs, ours = live_bpe.tiktoken_cl100k(path), pw.Tokenizer.from_file(path)
    texts = live_bpe.texts()
    assert (len(ours), ours.max_id) == (100_261, theirs.max_token_value)
    live_bpe.compare(theirs.encode_ordinary, live_bpe.as_text(ours), texts)
    live_bpe.compare(
        lambda text: theirs.encode(text, allowed_special="all"), ours.encode_ids, texts
    )
    for text in texts:
        assert ours.decode(ours.encode_ids(text), skip_special_tokens=False) == text
    assert ours == pw.Tokenizer.from_tiktoken(
        path, pattern=live_bpe.CL100K, special_tokens=ours.special_tokens
    )


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
        pw.errors.PieceworkWarning, match=r"pass pattern='.*', special_tokens=\{'<x>': 300\} to"
    ):
        tok.save(tmp_path / "x", "tiktoken")
    with pytest.warns(pw.errors.PieceworkWarning, match="it lacks or changes pre tokenizer"):
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
        pw.errors.ConfigError, match=r'no encoding "small" is known.*pass name=\.\.\. or pattern'
    ):
        pw.Tokenizer.from_file(small)
    with pytest.raises(pw.errors.RegexError, match="does not compile"):
        pw.Tokenizer.from_tiktoken(small, pattern="(")
    with pytest.raises(pw.errors.ConfigError, match="expected a string, found 3"):
        pw.Tokenizer.from_tiktoken(small, pattern=3)  # type: ignore[arg-type]
    tok = pw.Tokenizer.from_tiktoken(small, "o200k_base")
    assert tok.special_tokens == {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}


@pytest.mark.parametrize(
    "name", ["r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"]
)
def test_named_encodings_equal_tiktoken(small: Path, name: str) -> None:
    public = pytest.importorskip("tiktoken_ext.openai_public", reason="tiktoken is not installed")
    tiktoken = pytest.importorskip("tiktoken")
    table = {
        base64.b64decode(line.split()[0]): int(line.split()[1])
        for line in small.read_text().splitlines()
    }
    before, public.load_tiktoken_bpe = public.load_tiktoken_bpe, lambda *_, **__: table
    try:
        arguments = public.ENCODING_CONSTRUCTORS[name]()
    finally:
        public.load_tiktoken_bpe = before
    arguments["explicit_n_vocab"] = None
    theirs, ours = tiktoken.Encoding(**arguments), pw.Tokenizer.from_tiktoken(small, name)
    # Of two tokens with one id, the first keeps it.
    wanted = {
        token: id_
        for token, id_ in arguments["special_tokens"].items()
        if token != "<|reserved_200018|>"
    }
    assert ours.special_tokens == wanted
    live_bpe.compare(theirs.encode_ordinary, live_bpe.as_text(ours), live_bpe.texts())


# --- vocab.json and merges.txt ---------------------------------------------------------------------


def test_gpt2_ids_equal_tokenizers(data: Path, tmp_path: Path) -> None:
    vocab = live_bpe.vocab_file(data, "gpt2-encoder.json")
    merges = live_bpe.vocab_file(data, "gpt2-vocab.bpe")
    theirs, ours = live_bpe.hugging_face_gpt2(vocab, merges), pw.Tokenizer.from_file(vocab)
    assert ours == pw.Tokenizer.from_file(merges)
    live_bpe.compare(lambda text: theirs.encode(text).ids, ours.encode_ids, live_bpe.texts())
    ours.save(tmp_path, "merges.txt")
    assert (tmp_path / "merges.txt").read_bytes() == merges.read_bytes()
    assert json.loads((tmp_path / "vocab.json").read_text()) == json.loads(vocab.read_text())
    assert pw.Tokenizer.from_folder(tmp_path) == ours
    ours.save(tmp_path / "gpt2.tiktoken", "tiktoken")
    as_ranks = pw.Tokenizer.from_file(tmp_path / "gpt2.tiktoken")
    live_bpe.compare(ours.encode_ids, as_ranks.encode_ids, live_bpe.texts())


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
            "254 of the 256 bytes.*pass pre_tokenizer=",
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
        pw.errors.PieceworkWarning, match=r"pass pre_tokenizer=.*; it lacks or changes dropout"
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


def test_clip_ids_equal_tokenizers(data: Path) -> None:
    path = live_bpe.vocab_file(data, "clip-bpe_simple_vocab_16e6.txt.gz")
    theirs = live_bpe.hugging_face_clip(gzip.decompress(path.read_bytes()).decode())
    ours = pw.Tokenizer.from_file(path)
    assert ours.vocab == theirs.get_vocab(with_added_tokens=True)
    live_bpe.compare(lambda text: theirs.encode(text).ids, ours.encode_ids, live_bpe.texts())
    assert ours.decode(ours.encode_ids("A photo of a naïve cat!")) == "a photo of a naïve cat !"


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
    with pytest.warns(pw.errors.PieceworkWarning, match="it lacks or changes ids, added tokens"):
        small_clip.with_added_tokens(["<x>"]).save(target, "clip")
    with pytest.warns(pw.errors.PieceworkWarning, match="it lacks or changes dropout, unk token"):
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
    with pytest.raises(pw.errors.FormatError, match="cannot be decompressed"):
        pw.Tokenizer.from_file(path)


# --- subword-nmt -----------------------------------------------------------------------------------


def test_codes_equal_subword_nmt(data: Path, tmp_path: Path) -> None:
    path = live_bpe.vocab_file(data, "subword-nmt-bpe.ref.codes")
    theirs, ours = live_bpe.subword_nmt(path.read_bytes()), pw.Tokenizer.from_file(path)
    for text in live_bpe.texts():
        for line in text.split("\n"):
            assert live_bpe.segmented(ours, line) == theirs.segment(line), ascii(line)
    ours.save(tmp_path / "codes", "subword-nmt")
    assert (tmp_path / "codes").read_bytes() == path.read_bytes()
    assert pw.Tokenizer.from_subword_nmt(tmp_path / "codes") == ours


def test_codes_with_duplicate_pairs_equal_subword_nmt(tmp_path: Path) -> None:
    codes = b"#version: 0.2\na b\nb c</w>\na b\n"
    (tmp_path / "codes").write_bytes(codes)
    theirs, ours = live_bpe.subword_nmt(codes), pw.Tokenizer.from_file(tmp_path / "codes")
    for word in ("abc", "abcabc", "ab", "bc", "c"):
        assert live_bpe.segmented(ours, word) == theirs.segment(word)


def vocabulary_of(codes: str, text: str, draw: random.Random) -> str:
    """Returns some tokens of a text with their counts, as `get-vocab` writes them."""
    counts = Counter(live_bpe.subword_nmt(codes.encode()).segment(text).split())
    return "".join(f"{token} {n}\n" for token, n in counts.items() if draw.random() < 0.8)


def random_codes(draw: random.Random, letters: str) -> str:
    """Returns codes of random merges; some have equal results, and some are duplicates."""
    within, merges = [*letters], list[str]()
    symbols = [*letters, *(letter + "</w>" for letter in letters)]
    for _ in range(draw.randint(1, 30)):
        left, right = draw.choice(within), draw.choice(symbols)
        if len(left + right) < 14:
            merges.append(f"{left} {right}\n")
            symbols.append(left + right)
            within += [] if right.endswith("</w>") else [left + right]
    return "#version: 0.2\n" + "".join(merges)


def test_vocabulary_filter_equals_subword_nmt(tmp_path: Path) -> None:
    draw, path, vocab = random.Random(3), tmp_path / "codes", tmp_path / "vocab"
    library = pytest.importorskip("subword_nmt.apply_bpe", reason="subword-nmt is not installed")
    split = 0
    for number in range(60):
        letters = "abcdé中"[: draw.randint(2, 6)]
        words = ["".join(draw.choices(letters, k=draw.randint(1, 12))) for _ in range(40)]
        codes = random_codes(draw, letters)
        path.write_text(codes, "utf-8")
        vocab.write_text(vocabulary_of(codes, " ".join(words), draw), "utf-8")
        threshold = draw.choice([None, 1, 2, 3, 9])
        kept = library.read_vocabulary(io.StringIO(vocab.read_text("utf-8")), threshold)
        theirs = library.BPE(io.StringIO(codes), vocab=kept)
        ours = pw.Tokenizer.from_subword_nmt(path, vocab, vocab_threshold=threshold)
        again = pw.Tokenizer.from_str(ours.to_str())
        plain = pw.Tokenizer.from_subword_nmt(path)
        for line in [*words, " ".join(words), "x" + words[0] + "xx", "", "  ", " a  b\r"]:
            wanted = theirs.process_line(line)
            assert ours.to_subword_nmt(line) == again.to_subword_nmt(line) == wanted, (number, line)
            split += plain.to_subword_nmt(line) != wanted
    assert split > 100


def test_separator_argument(tmp_path: Path) -> None:
    (tmp_path / "codes").write_text("#version: 0.2\nl o\nlo w</w>\ne r</w>\n")
    (tmp_path / "vocab").write_text("lo~ 7\nlow 2\n")
    tok = pw.Tokenizer.from_subword_nmt(tmp_path / "codes", tmp_path / "vocab", separator="~")
    assert tok.to_subword_nmt("lower low\n lo", separator="~") == "lo~ w~ e~ r low\n l~ o"


def test_added_tokens_equal_glossaries_of_subword_nmt(tmp_path: Path) -> None:
    codes = "#version: 0.2\n1 9\n3 4</w>\nU S\nUS A\n"
    (tmp_path / "codes").write_text(codes)
    library = pytest.importorskip("subword_nmt.apply_bpe", reason="subword-nmt is not installed")
    theirs = library.BPE(io.StringIO(codes), glossaries=["USA"])
    ours = pw.Tokenizer.from_file(tmp_path / "codes").with_added_tokens(["USA"])
    for line in ("1934USABUSA", "USA", "xUSA USA1934 19", "USAUSA"):
        assert ours.to_subword_nmt(line) == theirs.segment(line), line


def test_broken_codes_and_vocabularies_raise(tmp_path: Path) -> None:
    codes, vocab = tmp_path / "codes", tmp_path / "vocab"
    read = pw.Tokenizer.from_subword_nmt
    codes.write_text("#version: 0.2\nl o\n")
    with pytest.raises(pw.errors.ConfigError, match="vocab_threshold= requires vocab="):
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
    with pytest.raises(pw.errors.VocabularyError, match="leave the continuing_subword_prefix"):
        pw.Tokenizer(models.BPE(["a"], unused=["a"], continuing_subword_prefix="#"))


def test_codes_of_version_0_1_equal_subword_nmt(tmp_path: Path) -> None:
    merges = "l o\nlo w\ns t\nw </w>\ne st\nest </w>\nlow </w>\n"
    for codes in (merges, f"#version: 0.1\n{merges}"):
        (tmp_path / "codes").write_text(codes)
        theirs = live_bpe.subword_nmt(codes.encode())
        ours = pw.Tokenizer.from_subword_nmt(tmp_path / "codes")
        for word in ("low", "lows", "lowest", "w", "sow", "lost west", "x lx", " low  slow "):
            assert live_bpe.segmented(ours, word) == theirs.segment(word), word
        assert ours.decode(ours.encode_ids("low lowest")) == "low lowest"
        ours.save(tmp_path / "again", "subword-nmt")
        assert (tmp_path / "again").read_text() == f"#version: 0.1\n{merges}"
        with pytest.raises(pw.errors.ConfigError, match='a symbol "</w>" of its own'):
            ours.save(tmp_path / "x", "merges.txt")


def test_codes_that_merge_to_the_unknown_token(tmp_path: Path) -> None:
    codes = "#version: 0.2\n< u\nn k\n<u nk\n<unk >\n<unk> <unk>\na b\n"
    (tmp_path / "codes").write_text(codes)
    theirs = live_bpe.subword_nmt(codes.encode())
    ours = pw.Tokenizer.from_subword_nmt(tmp_path / "codes")
    for word in ("a<unk>b", "<unk><unk>b", "xya", "axxxx", "<unk>x<unk>"):
        assert live_bpe.segmented(ours, word) == theirs.segment(word)
    assert ours.tokenize("xya") == ["< unk>", "< unk>", "a</w>"]


def test_empty_codes_raise(tmp_path: Path) -> None:
    (tmp_path / "codes").touch()
    with pytest.raises(pw.errors.FormatError, match="the file is empty; expected a merge a line"):
        pw.Tokenizer.from_subword_nmt(tmp_path / "codes")


def test_codes_of_unknown_version_raise() -> None:
    with pytest.raises(pw.errors.UnsupportedError, match=r'line 1: the codes are of version "0.3"'):
        pw.Tokenizer.from_str("#version: 0.3\nl o\n")


# --- SentencePiece ---------------------------------------------------------------------------------


def test_llama2_ids_equal_sentencepiece(data: Path, tmp_path: Path) -> None:
    path = live_bpe.vocab_file(data, "llama2-tokenizer.model")
    model = path.read_bytes()
    theirs, ours = live_bpe.sentencepiece(model), pw.Tokenizer.from_file(path)
    texts = live_bpe.texts()
    live_bpe.compare(theirs.encode, live_bpe.as_text(ours), texts)
    check_decoding(theirs, ours)
    byte_ids = [ours.vocab[piece] for piece in ("<0xC3>", "<s>", "<0xA9>", "</s>", "\u2581a")]
    assert ours.decode(byte_ids) == theirs.decode(byte_ids) == "\ufffd\ufffd a"
    assert "".join(ours.decode_stream().pieces(byte_ids)) == "\ufffd\ufffd a"
    ours.save(tmp_path / "same.model", "sentencepiece", base=path)
    assert (tmp_path / "same.model").read_bytes() == model
    ours.save(tmp_path / "new.model", "sentencepiece")
    again = live_bpe.sentencepiece((tmp_path / "new.model").read_bytes())
    live_bpe.compare(again.encode, live_bpe.as_text(ours), texts)
    assert pw.Tokenizer.from_file(tmp_path / "new.model") == ours


def test_saved_llama2_works_in_tokenizers(data: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle tokenizers is not installed")
    ours = pw.Tokenizer.from_file(live_bpe.vocab_file(data, "llama2-tokenizer.model"))
    theirs = tokenizers.Tokenizer.from_str(ours.to_str())
    for text in live_bpe.texts():
        found = theirs.encode(text).ids
        assert ours.encode_ids(text, specials="match") == found, ascii(text)
        assert ours.decode(found) == theirs.decode(found), ascii(text)
    again = pw.Tokenizer.from_str(ours.to_str())
    assert again.to_str() == ours.to_str()
    live_bpe.compare(lambda text: theirs.encode(text).ids, again.encode_ids, live_bpe.texts())


def check_decoding(theirs: Any, ours: pw.Tokenizer) -> None:
    """Compares the decoded text of random ids, which include bytes of broken UTF-8."""
    rng = random.Random(2)
    for _ in range(300):
        ids = [rng.randrange(min(600, len(ours))) for _ in range(rng.randrange(9))]
        assert ours.decode(ids) == theirs.decode(ids), ids


TEXT = [
    "the cat sat on the mat ﬁve ½ times",
    "naïve cats, 12 hats & ＡＢＣ",
    "中文 字 ▁ x<sep>y",
] * 20
SETTINGS: list[dict[str, Any]] = [
    {},
    {"byte_fallback": True},
    {"normalization_rule_name": "identity", "remove_extra_whitespaces": False},
    {"normalization_rule_name": "identity", "add_dummy_prefix": False, "byte_fallback": True},
    {
        "normalization_rule_name": "nmt_nfkc_cf",
        "user_defined_symbols": ["<sep>", "ﬁ", "a b", "\n", "▁▁", "  "],
    },
    {"treat_whitespace_as_suffix": True, "control_symbols": ["<c>"]},
    {
        "remove_extra_whitespaces": False,
        "add_dummy_prefix": False,
        "user_defined_symbols": ["at", "<sep>"],
    },
]


@pytest.mark.parametrize(
    "settings", SETTINGS, ids=lambda settings: ",".join(settings) or "defaults"
)
def test_trained_models_equal_sentencepiece(settings: dict[str, Any], tmp_path: Path) -> None:
    size = 400 if settings.get("byte_fallback") else 120
    model = live_bpe.trained_sentencepiece(TEXT, size, hard_vocab_limit=False, **settings)
    theirs, ours = live_bpe.sentencepiece(model), pw.Tokenizer.from_bytes(model)
    texts = [*live_bpe.texts(), "<sep>", " a b <sep>\n", "a\n\nb", "  a  b▁ ▁", "catat ﬁﬁ"]
    # With normalization rules, the library takes NUL for the end of a text.
    texts = [text for text in texts if "\0" not in text]
    live_bpe.compare(theirs.encode, live_bpe.as_text(ours), texts)
    pieces = functools.partial(theirs.encode, out_type=str)
    live_bpe.compare(theirs.encode, ours.encode_ids, texts)
    live_bpe.compare(pieces, lambda text: ours.encode(text).tokens, texts)
    check_decoding(theirs, ours)
    assert pw.Tokenizer.from_str(ours.to_str()).to_str() == ours.to_str()
    ours.save(tmp_path / "m.model", "sentencepiece")
    again = live_bpe.sentencepiece((tmp_path / "m.model").read_bytes())
    live_bpe.compare(again.encode, theirs.encode, texts)
    (tmp_path / "base.model").write_bytes(model)
    ours.save(tmp_path / "m.model", "sentencepiece", base=tmp_path / "base.model")
    assert (tmp_path / "m.model").read_bytes() == model


def test_runs_of_equal_score_merge_from_the_left() -> None:
    pieces = [("<unk>", 0.0, 2), ("▁", -1.0, 1), ("x", -1.0, 1)]
    pieces += [("▁" * length, -5.0, 1) for length in (2, 3, 4, 7)] + [("▁▁x", -2.0, 1)]
    model = proto(pieces, remove_extra_whitespaces=False)
    theirs, ours = live_bpe.sentencepiece(model), pw.Tokenizer.from_bytes(model)
    texts = [" " * length + tail for length in range(40) for tail in ("", "x", "x  x")]
    live_bpe.compare(theirs.encode, ours.encode_ids, texts)
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle tokenizers is not installed")
    read = tokenizers.Tokenizer.from_str(ours.to_str())
    live_bpe.compare(theirs.encode, lambda text: read.encode(text).ids, texts)


def test_other_equal_scores_use_piecework_model_type() -> None:
    pieces = [("<unk>", 0.0, 2), *((c, -9.0, 1) for c in "▁abc"), ("ab", -1.0, 1), ("bc", -1.0, 1)]
    model = proto(pieces, remove_extra_whitespaces=False)
    theirs, ours = live_bpe.sentencepiece(model), pw.Tokenizer.from_bytes(model)
    live_bpe.compare(theirs.encode, ours.encode_ids, ["abc", "bcab", "ababcbc"])
    assert json.loads(ours.to_str())["model"]["type"] == "piecework.BPE"
    assert pw.Tokenizer.from_str(ours.to_str()) == ours


def field(number: int, value: bytes | float) -> bytes:
    """Returns a field of a protocol buffer; integers must be below 128."""
    import struct

    if isinstance(value, float):
        return bytes([number << 3 | 5]) + struct.pack("<f", value)
    if isinstance(value, int):
        return (
            bytes([number << 3 & 127, value])
            if number < 16
            else bytes([(number << 3 & 127) | 128, number >> 4, value])
        )
    length = len(value)
    size = bytes([length]) if length < 128 else bytes([length & 127 | 128, length >> 7])
    return bytes([number << 3 | 2]) + size + value


def proto(
    pieces: list[tuple[str, float, int]],
    model_type: int = 2,
    *,
    byte_fallback: bool = False,
    **normalizer: bool,
) -> bytes:
    """Returns a .model file with these pieces (text, score, type)."""
    numbers = {"add_dummy_prefix": 3, "remove_extra_whitespaces": 4, "escape_whitespaces": 5}
    messages = [
        field(1, text.encode()) + field(2, score) + field(3, kind) for text, score, kind in pieces
    ]
    settings = b"".join(field(numbers[name], int(value)) for name, value in normalizer.items())
    return (
        b"".join(field(1, message) for message in messages)
        + field(2, field(3, model_type) + (field(35, 1) if byte_fallback else b""))
        + field(3, settings)
    )


UNK, A = ("<unk>", 0.0, 2), ("a", 0.0, 1)


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


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_unused_pieces_are_resegmented(tmp_path: Path, byte_fallback: bool) -> None:
    library = pytest.importorskip(
        "sentencepiece", reason="the oracle sentencepiece is not installed"
    )
    draw, path, split = random.Random(5), tmp_path / "x.model", 0
    bytes_of = [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)] if byte_fallback else []
    for number in range(60):
        letters = ["▁", *"abcé中"[: draw.randint(2, 5)]]
        made = ["".join(draw.choices(letters, k=draw.randint(2, 5))) for _ in range(30)]
        made = list(dict.fromkeys(["ab", "ba", "abab", *made, *letters]))
        scores = [-float(i // (number % 3 or 1)) for i in range(len(made))]
        kinds = [5 if draw.random() < 0.3 else 1 for _ in made]
        pieces = [UNK, *bytes_of, *zip(made, scores, kinds, strict=True)]
        switches = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces"), number % 2 == 0)
        path.write_bytes(proto(pieces, byte_fallback=byte_fallback, **switches))
        theirs = library.SentencePieceProcessor(model_proto=path.read_bytes())
        tok = pw.Tokenizer.from_file(path)
        tok.save(tmp_path / "again.model", "sentencepiece")
        again = pw.Tokenizer.from_file(tmp_path / "again.model")
        kept = pw.Tokenizer.from_str(tok.to_str())
        used = pw.Tokenizer(dataclasses.replace(tok.model, unused=()), normalizer=tok.normalizer)
        for _ in range(20):
            text = "".join(draw.choices([*letters, " ", "x"], k=draw.randint(1, 60)))
            wanted = theirs.encode(text)
            for each in (tok, again, kept):
                assert each.encode_ids(text, specials="text") == wanted, (number, text)
            split += used.encode_ids(text) != wanted
    assert split > 500


def test_unknown_fields_are_kept(tmp_path: Path) -> None:
    model = proto([UNK, A, ("b", 0.0, 1), ("ab", -1.0, 1)]) + field(15, b"whatever")
    (tmp_path / "old.model").write_bytes(model)
    tok = pw.Tokenizer.from_file(tmp_path / "old.model")
    tok.save(tmp_path / "same.model", "sentencepiece", base=tmp_path / "old.model")
    assert (tmp_path / "same.model").read_bytes() == model
    more = tok.with_added_tokens(["<c>"], special=True)
    with pytest.warns(
        pw.errors.PieceworkWarning, match="control symbols: the saved file treats '<c>' in a text"
    ):
        more.save(tmp_path / "new.model", "sentencepiece", base=tmp_path / "old.model")
    assert (tmp_path / "new.model").read_bytes().endswith(field(15, b"whatever"))
    assert pw.Tokenizer.from_file(tmp_path / "new.model") == pw.Tokenizer.from_bytes(
        (tmp_path / "new.model").read_bytes()
    )
    assert pw.Tokenizer.from_file(tmp_path / "new.model").special_tokens == {"<c>": 4}


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
        match="lowercase= cannot be given: a sentencepiece file contains",
    ):
        pw.Tokenizer.from_file(path, lowercase=True)
    assert pw.Tokenizer.from_file(path, truncation=3).encode_ids("a b c d e f") == [263, 289, 274]


def test_saving_unknown_format_raises(tmp_path: Path) -> None:
    tok = pw.Tokenizer(models.BPE(["a"], []))
    with pytest.raises(
        pw.errors.ConfigError, match=r"unknown format .*; expected one of tokenizer.json"
    ):
        tok.save(tmp_path / "x", "tokenizer")  # type: ignore[arg-type]
