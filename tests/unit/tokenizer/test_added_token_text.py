"""Added tokens and byte-level decoders: an added token is decoded to its own text."""

import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import AddedToken, decoders, models, normalizers, pre_tokenizers
from piecework.reference.text.bytes import BYTE_ALPHABET

pytestmark = pytest.mark.smoke

MERGES = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("Ã", "©")]
ENTRIES = [*BYTE_ALPHABET, *(left + right for left, right in MERGES)]
NAMES = ["među", "<é>", "汉é", "Ġthe中", "a é", "ĀĀĀ", "Ġfoo", "<|Ã©|>", "plain"]
"""Texts of added tokens: of characters for bytes alone, with others, and of ASCII."""


def byte_level(decoder: decoders.Decoder | None = None, **more: Any) -> pw.Tokenizer:
    """Returns a byte-level BPE of a few merges."""
    return pw.Tokenizer(
        models.BPE(ENTRIES, MERGES),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoder=decoder or decoders.ByteLevel(),
        **more,
    )


def check(tok: pw.Tokenizer, ids: list[int], text: str) -> None:
    """Checks every way of decoding, before and after saving."""
    for each in (tok, pw.Tokenizer.from_str(tok.to_str())):
        assert each.decode(ids, skip_special_tokens=False) == text
        assert each.decode_batch([ids], skip_special_tokens=False) == [text]
        assert each.decode_bytes(ids, skip_special_tokens=False) == text.encode()
        assert each.decode_bytes_batch([ids], skip_special_tokens=False) == [text.encode()]
        assert "".join(each.decode_stream(skip_special_tokens=False).pieces(ids)) == text
        stream = each.decode_bytes_stream(skip_special_tokens=False)
        assert b"".join(stream.pieces(ids)) == text.encode()


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_an_added_token_is_its_text(name: str, special: bool) -> None:
    tok = byte_level().with_added_tokens([name], special=special)
    text = f"é {name} the 鸡"
    ids = tok.encode_ids(text)
    assert tok.token_to_id(name) in ids
    check(tok, ids, text)
    number = tok.token_to_id(name)
    assert number is not None
    assert tok.display_token(name) == tok.display_token(number) == name
    evaluation = pw.evaluate(tok, [text] * 3)
    assert evaluation["changed_texts"] == 0


def test_an_entry_that_the_model_makes_stays_bytes() -> None:
    tok = byte_level().with_added_tokens(["Ġthe", "é", "Ã©", "Ġ"])
    assert len(tok.vocab) == len(ENTRIES)
    the, byte, e_acute = (tok.token_to_id(name) or 0 for name in ("Ġthe", "é", "Ã©"))
    check(tok, [the, e_acute], " theé")
    assert tok.decode_bytes([byte]) == b"\xe9"
    assert tok.decode(tok.encode_ids("the 鸡")) == "the 鸡"


def test_a_rank_stays_bytes(tmp_path: Path) -> None:
    path = tmp_path / "small.tiktoken"
    ranks = [bytes([byte]) for byte in range(256)] + [b" t", b" th", b"xyz"]
    lines = [f"{base64.b64encode(data).decode()} {rank}" for rank, data in enumerate(ranks)]
    path.write_text("\n".join(lines))
    specials = {"<é>": 300, "Ġfoo": 301, "među": 302, "汉": 303}
    tok = pw.Tokenizer.from_tiktoken(path, pattern=r"\S+|\s+\S*", special_tokens=specials)
    assert [tok.decode([i], skip_special_tokens=False) for i in specials.values()] == [*specials]
    # A word with the bytes of the name of a special token is not that token.
    assert tok.encode_ids(" foo") == [*b" foo"]
    assert tok.encode_ids("xyz") == [258]
    tok = tok.with_added_tokens(["Ġth", "Ġt"])
    assert tok.decode([257, 256]) == " th t"


@pytest.mark.parametrize(
    "model",
    [
        models.WordLevel(["[UNK]", "[é]", "Ġto", "é"], unk_token="[UNK]"),
        models.WordPiece(["[UNK]", "[é]", "Ġto", "é"]),
        models.Unigram([("[UNK]", 0.0), ("[é]", -1.0), ("Ġto", -1.0), ("é", -1.0)], unk_id=0),
    ],
    ids=["WordLevel", "WordPiece", "Unigram"],
)
def test_other_models(model: models.Model) -> None:
    tok = pw.Tokenizer(
        model,
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoder=decoders.ByteLevel(),
        added_tokens=[AddedToken("[é]", special=True), AddedToken("Ġto"), AddedToken("é")],
    ).with_added_tokens(["<é>"])
    check(tok, [1, 2, 4], "[é] to<é>")
    assert tok.decode_bytes([3]) == b"\xe9"


def test_trained_special_tokens_and_symbols() -> None:
    texts = ["to be <é> or među not to be"] * 5
    trainer = pw.BpeTrainer(
        300, alphabet="byte", user_defined_symbols=["<é>", "među"], special_tokens=["[é]"]
    )
    for normalizer, pre_tokenizer in [
        (None, pre_tokenizers.ByteLevel(add_prefix_space=False)),
        (normalizers.ByteLevel(), None),
        (normalizers.ByteLevel(), pre_tokenizers.ByteLevel(add_prefix_space=False)),
    ]:
        tok = pw.train(texts, trainer, normalizer=normalizer, pre_tokenizer=pre_tokenizer)
        text = "be <é> međumeđu [é]é"
        check(tok, tok.encode_ids(text, add_special_tokens=False), text)


def test_a_normalized_token_is_its_normal_form() -> None:
    tok = byte_level(normalizer=normalizers.Lowercase()).with_added_tokens(
        [AddedToken("<É>", normalized=True), AddedToken("<Đ>", normalized=False)]
    )
    ids = tok.encode_ids("<É><Đ>")
    check(tok, ids, "<é><Đ>")
    assert [tok.display_token(number) for number in ids] == ["<é>", "<Đ>"]
    assert tok.display_token("<É>") == "<É>"


SEQUENCES: list[list[decoders.Decoder]] = [
    [decoders.ByteLevel(), decoders.Fuse()],
    [decoders.Fuse(), decoders.ByteLevel()],
    [decoders.Sequence([decoders.ByteLevel()]), decoders.Strip("*", 1, 1)],
    [decoders.Replace("▁", "Ġ"), decoders.ByteLevel()],
    [decoders.ByteFallback(), decoders.ByteLevel()],
    [decoders.ByteLevel(), decoders.Replace("*", "-")],
]


@pytest.mark.parametrize("steps", SEQUENCES, ids=str)
def test_sequences_with_byte_level(steps: list[decoders.Decoder]) -> None:
    tok = byte_level(decoders.Sequence(steps)).with_added_tokens(NAMES)
    text = "é " + " ".join(NAMES) + " 鸡"
    check(tok, tok.encode_ids(text), text)


def test_words_that_a_decoder_separates() -> None:
    texts = ["the cat sat <é> on the mat"] * 3
    tok = pw.train(
        texts,
        pw.WordPieceTrainer(60, special_tokens=["[UNK]", "[đ]"]),
        normalizer=None,
        pre_tokenizer=pre_tokenizers.Sequence(
            [pre_tokenizers.Whitespace(), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        ),
    ).with_added_tokens(["<é>", "<|đ|>"])
    ids = tok.encode_ids("the <é> cat [đ] <|đ|>", add_special_tokens=False)
    check(tok, ids, "the <é> cat [đ] <|đ|>")


def test_other_decoders_are_unchanged() -> None:
    words = ["[UNK]", "▁to", "##be"]
    for decoder, text in [
        (decoders.Metaspace(), "to<é> to"),
        (decoders.WordPiece(), "▁to <é> ▁to"),
        (None, "▁to <é> ▁to"),
    ]:
        tok = pw.Tokenizer(models.WordLevel(words, unk_token="[UNK]"), decoder=decoder)
        check(tok.with_added_tokens(["<é>"]), [1, 3, 1], text)


def test_explanations_show_the_text() -> None:
    tok = byte_level().with_added_tokens(["među"])
    explanation = tok.explain("đ među")
    piece = explanation.pieces[-1]
    assert (piece.token, piece.display_token, piece.bytes) == ("među", "među", "među".encode())
    assert "među" in str(explanation)
    assert "\\x11" not in str(explanation)
    # The word is the bytes 6D 65 11 75.
    piece, *_ = tok.explain("\x11").pieces
    assert piece.display_token == "\\x11"
    assert "\\x11" not in tok.encode("među")._repr_html_()
    assert "\\x11" not in tok.encode_batch(["među"])._repr_html_()
    assert tok.lineage("među").display_token == "među"


def decoded(tok: pw.Tokenizer, ids: list[int], *, skip: bool) -> str:
    """Decodes with `tokenizers`, where an added token is the characters of the bytes of its text (P69)."""
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle is not installed")
    data = json.loads(tok.to_str())
    live = tokenizers.Tokenizer.from_str(json.dumps(data | {"added_tokens": []}))
    in_decoder = json.dumps(data["decoder"]).count("ByteLevel")
    in_normalizer = json.dumps(data["normalizer"]).count("ByteLevel")
    special = {token.content for token in tok.added_tokens.values() if token.special}
    parts = []
    for number in ids:
        token, levels = tok.added_tokens.get(number), in_decoder
        name = token.content if token else ENTRIES[number]
        if token and token.normalized:
            name = live.normalizer.normalize_str(name) if live.normalizer else name
            levels -= in_normalizer
        if skip and name in special:
            continue
        for _ in range(0 if token is None or token.content in ENTRIES else levels):
            name = "".join(BYTE_ALPHABET[byte] for byte in name.encode())
        parts.append(name)
    return str(live.decoder.decode(parts))


def test_random_tokenizers_decode_as_tokenizers_given_bytes() -> None:
    rng = random.Random(5)
    for _ in range(60):
        steps = rng.sample(
            [
                decoders.ByteLevel(),
                decoders.ByteLevel(),
                decoders.Fuse(),
                decoders.Replace("Ġ", "_"),
                decoders.ByteFallback(),
            ],
            rng.randrange(1, 4),
        )
        decoder = decoders.Sequence(list(steps))
        normalizer = rng.choice([None, normalizers.Lowercase(), normalizers.ByteLevel()])
        names = ["".join(rng.choices("éđĠaÃ©中 <", k=rng.randrange(1, 4))) for _ in range(8)]
        tokens = [
            AddedToken(name, normalized=rng.random() < 0.5, special=rng.random() < 0.3)
            for name in names
        ]
        tok = byte_level(decoder, normalizer=normalizer).with_added_tokens(tokens)
        choices = [*tok.added_tokens, *rng.choices(range(len(ENTRIES)), k=5)]
        for _ in range(10):
            ids = rng.choices(choices, k=rng.randrange(5))
            skip = rng.random() < 0.5
            text = tok.decode(ids, skip_special_tokens=skip)
            assert text == decoded(tok, ids, skip=skip)
            stream = tok.decode_stream(skip_special_tokens=skip)
            assert "".join(stream.pieces(ids)) == text
