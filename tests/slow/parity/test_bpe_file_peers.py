"""BPE files of other libraries against these libraries: ids, and files written by piecework."""

import base64
import dataclasses
import functools
import gzip
import io
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import live_bpe
import piecework as pw
from bpe_files import SMALL, UNK, proto, ranks

# --- tiktoken ------------------------------------------------------------------------------------


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


def test_special_tokens_of_any_text_equal_tiktoken(data: Path) -> None:
    tiktoken = pytest.importorskip("tiktoken", reason="the oracle tiktoken is not installed")
    from tiktoken.load import load_tiktoken_bpe

    path = live_bpe.vocab_file(data, "cl100k_base.tiktoken")
    names = ["<é>", "među", "汉字", "<|ÿđ|>", "Ġfoozle", "Ã©Ã©Ã©", "a é", "<|plain|>", "ĀĀĀĀ"]
    specials = {name: 100_300 + place for place, name in enumerate(names)}
    ranks = load_tiktoken_bpe(str(path))
    theirs = tiktoken.Encoding(
        "more", pat_str=live_bpe.CL100K, mergeable_ranks=ranks, special_tokens=specials
    )
    ours = pw.Tokenizer.from_tiktoken(path, pattern=live_bpe.CL100K, special_tokens=specials)
    spelled = " foozle me\x11u é éé <\xe9> \x00\x00\x00\x00"
    for text in [*names, f"é 鸡 {' '.join(names)}{''.join(names)}", spelled]:
        ids = theirs.encode(text, allowed_special="all")
        assert ours.encode_ids(text) == ids
        assert ours.encode_ids(text, specials="text") == theirs.encode_ordinary(text)
        assert ours.decode(ids, skip_special_tokens=False) == theirs.decode(ids) == text
        assert ours.decode_bytes(ids, skip_special_tokens=False) == theirs.decode_bytes(ids)
        stream = ours.decode_stream(skip_special_tokens=False)
        assert "".join(stream.pieces(ids)) == text


@pytest.mark.parametrize(
    "name", ["r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"]
)
def test_named_encodings_equal_tiktoken(tmp_path: Path, name: str) -> None:
    small = tmp_path / "small.tiktoken"
    small.write_text(ranks(SMALL))
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


# --- CLIP ------------------------------------------------------------------------------------------


def test_clip_ids_equal_tokenizers(data: Path) -> None:
    path = live_bpe.vocab_file(data, "clip-bpe_simple_vocab_16e6.txt.gz")
    theirs = live_bpe.hugging_face_clip(gzip.decompress(path.read_bytes()).decode())
    ours = pw.Tokenizer.from_file(path)
    assert ours.vocab == theirs.get_vocab(with_added_tokens=True)
    live_bpe.compare(lambda text: theirs.encode(text).ids, ours.encode_ids, live_bpe.texts())
    assert ours.decode(ours.encode_ids("A photo of a naïve cat!")) == "a photo of a naïve cat !"


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


def test_added_tokens_equal_glossaries_of_subword_nmt(tmp_path: Path) -> None:
    codes = "#version: 0.2\n1 9\n3 4</w>\nU S\nUS A\n"
    (tmp_path / "codes").write_text(codes)
    library = pytest.importorskip("subword_nmt.apply_bpe", reason="subword-nmt is not installed")
    theirs = library.BPE(io.StringIO(codes), glossaries=["USA"])
    ours = pw.Tokenizer.from_file(tmp_path / "codes").with_added_tokens(["USA"])
    for line in ("1934USABUSA", "USA", "xUSA USA1934 19", "USAUSA"):
        assert ours.to_subword_nmt(line) == theirs.segment(line), line


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
        tok.save(tmp_path / "again.model")
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
