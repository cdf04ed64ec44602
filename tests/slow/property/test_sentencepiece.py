"""SentencePiece normalization and decoding: the core equals the reference, offsets included."""

import base64
import itertools

from hypothesis import given, strategies as st

import piecework as pw
from piecework import decoders, models, normalizers
from piecework.reference.decode.decoders import decode
from piecework.reference.normalize import charsmap
from piecework.reference.normalize.normalizers import from_dict

PAIRS = {"ﬁ": "fi", "½": " 1/2", "\t": " ", "\u200b": "", "ab": "x", "abc": "y ", "é": "e\u0301"}
ALPHABET = "abc ▁\tﬁ½é\u200b<>"
SYMBOLS = ("ab", "<a b>", "▁▁", "<")


def charsmap_bytes() -> bytes:
    """Returns a charsmap as a .model file stores it."""
    rules = charsmap.CharsMap.from_pairs(PAIRS)
    units = b"".join(unit.to_bytes(4, "little") for unit in rules.units)
    return len(units).to_bytes(4, "little") + units + rules.replacements


FLAGS = (
    "add_dummy_prefix",
    "remove_extra_whitespaces",
    "escape_whitespaces",
    "treat_whitespace_as_suffix",
)
flags = st.fixed_dictionaries({name: st.booleans() for name in FLAGS})
symbols = st.lists(st.sampled_from(SYMBOLS), unique=True)


@given(flags, st.booleans(), symbols, st.text(ALPHABET, max_size=20))
def test_normalization_equals_reference(
    flags: dict[str, bool], has_rules: bool, symbols: list[str], text: str
) -> None:
    settings = normalizers.SentencePiece(
        charsmap_bytes() if has_rules else None, **flags, user_defined_symbols=symbols
    )
    wanted = from_dict(settings.to_dict())(text)
    assert settings.normalize_str(text) == wanted.text
    vocab = dict.fromkeys([*ALPHABET, *"xyfie/12\u0301"])
    tok = pw.Tokenizer(models.BPE(list(vocab)), normalizer=settings)
    assert tok.encode(text).offsets == wanted.alignment


@given(flags, symbols, st.sampled_from([*SYMBOLS, "a b", " a ", "ﬁ"]))
def test_added_tokens_match_in_normalized_form(
    flags: dict[str, bool], symbols: list[str], token: str
) -> None:
    settings = normalizers.SentencePiece(charsmap_bytes(), **flags, user_defined_symbols=symbols)
    form = from_dict(settings.to_dict()).normalize_added_token(token)
    vocab = dict.fromkeys([*ALPHABET, *"xyfie/12\u0301"])
    tok = pw.Tokenizer(models.BPE(list(vocab)), normalizer=settings, added_tokens=[token])
    text = f"c{token}c"
    found = tok.token_to_id(token) in tok.encode_ids(text)
    assert found == (bool(form) and form in settings.normalize_str(text))


PIECES = ["▁", "▁a", "b", "▁▁", "<unk>", "<0xE4>", "<0xBD>", "<0xA0>", "<0x41>", "<0xff>", "▁b▁"]


@given(st.lists(st.sampled_from(PIECES)))
def test_decoding_equals_reference(pieces: list[str]) -> None:
    for settings in itertools.product((True, False), repeat=3):
        decoder = decoders.SentencePiece(*settings)
        assert decoder.decode(pieces) == decode(pieces, decoder.to_dict())


def test_charsmap_of_json_equals_pairs() -> None:
    written = base64.b64encode(charsmap_bytes()).decode()
    assert charsmap.CharsMap.from_base64(written) == charsmap.CharsMap.from_pairs(PAIRS)
