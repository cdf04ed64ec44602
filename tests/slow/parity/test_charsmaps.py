"""Generated normalization rules against SentencePiece's: the rules, and all scalar values."""

import struct
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

import live_unigram as live
import piecework as pw
from parity_live import CONTEXTS, scalars

RULES: tuple[pw.normalizers.RuleName, ...] = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf")
BYTES = np.arange(1, 256)
LINES = ["a b c d e f g"] * 20 + ["hello world"] * 10


def model(rule: str) -> bytes:
    """Returns a tiny model with SentencePiece's rules of a name."""
    return live.trained(LINES, 20, normalization_rule_name=rule, hard_vocab_limit=False)


def rules_of(charsmap: bytes) -> dict[str, str]:
    """Returns all rules of a charsmap: strings and their replacements."""
    (size,) = struct.unpack_from("<I", charsmap)
    units, pool = np.frombuffer(charsmap, "<u4", size // 4, 4), charsmap[4 + size :]

    @cache
    def below(node: int) -> list[tuple[bytes, str]]:
        """Returns the suffixes of all strings below a node; equal subtrees are shared."""
        found = []
        for byte in BYTES[units[node ^ BYTES] & 0x800000FF == BYTES].tolist():
            unit = int(units[node ^ byte])
            after = node ^ byte ^ _offset(unit)
            if unit >> 8 & 1:
                start = int(units[after]) & 0x7FFFFFFF
                found.append((bytes([byte]), pool[start : pool.index(b"\0", start)].decode()))
            found += [(bytes([byte]) + rest, to) for rest, to in below(after)]
        return found

    return {key.decode(): to for key, to in below(_offset(int(units[0])))}


def _offset(unit: int) -> int:
    return unit >> 10 << ((unit & 1 << 9) >> 6)


@pytest.mark.parametrize("rule", RULES)
def test_named_rules_equal_sentencepiece(rule: pw.normalizers.RuleName) -> None:
    ours = pw.normalizers.Precompiled.of(rule).precompiled_charsmap
    assert rules_of(ours) == rules_of(live.read(model(rule)).normalizer[2])


def test_identity_has_no_rules() -> None:
    assert live.read(model("identity")).charsmap is None
    assert pw.normalizers.SentencePiece.of("identity") == pw.normalizers.SentencePiece()
    with pytest.raises(pw.errors.ConfigError, match="'identity' replaces nothing"):
        pw.normalizers.Precompiled.of("identity")


def compare(rule: pw.normalizers.RuleName, texts: Iterator[str]) -> None:
    """Compares normalized texts."""
    theirs, ours = live.processor(model(rule)), pw.normalizers.SentencePiece.of(rule)
    for text in texts:
        assert ours.normalize_str(text) == theirs.normalize(text), ascii(text)


@pytest.mark.parametrize("rule", RULES)
def test_some_scalar_values_equal_sentencepiece(rule: pw.normalizers.RuleName) -> None:
    compare(rule, (f"a{c}b" for c in scalars(17) if c != "\0"))


@pytest.mark.parity
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("rule", RULES)
def test_all_scalar_values_equal_sentencepiece(rule: pw.normalizers.RuleName, context: str) -> None:
    compare(rule, (context.format(c=c) for c in scalars() if c != "\0"))


def test_sentencepiece_reads_our_charsmaps() -> None:
    rules = {"colour": "color", "ﬁ": "fi", "a": "", "e\u0301": "é", "zz": "a longer one"}
    settings = pw.normalizers.SentencePiece.of(rules)
    pieces = [("<unk>", 0.0), *((c, -1.0) for c in "▁abcdefghijklmnopqrstuvwxyzé")]
    unigram = pw.models.Unigram(pieces, 0, precision="float32", reserved=["<unk>"])
    tok = pw.Tokenizer(unigram, normalizer=settings)
    from piecework import _core

    theirs = live.processor(_core.write_format(tok._core, "sentencepiece")[""])
    for text in ["colours and ﬁsh", "cafe\u0301", "zzz", "acolour", "aaa", "colou"]:
        assert tok.encode_ids(text) == theirs.encode(text), text


def test_sentencepiece_finds_no_nul_in_our_charsmaps() -> None:
    settings = pw.normalizers.SentencePiece.of("nfkc_cf", remove_extra_whitespaces=False)
    pieces = [("<unk>", 0.0), *((c, -1.0) for c in "▁abc")]
    unigram = pw.models.Unigram(pieces, 0, precision="float32", reserved=["<unk>"])
    from piecework import _core

    tok = pw.Tokenizer(unigram, normalizer=settings)
    theirs = live.processor(_core.write_format(tok._core, "sentencepiece")[""])
    for c in scalars(17):
        text = f"a\0{c}b"
        assert theirs.normalize(text) == settings.normalize_str(text), ascii(text)


def test_invalid_rules_raise() -> None:
    of = pw.normalizers.Precompiled.of
    for rules, message in [
        ("nfkcc", 'no rules are called "nfkcc"'),
        ({"": "a"}, 'the rule for "" replaces nothing'),
        ({"a": "b\0"}, 'the rule for "a" holds NUL'),
        ({"a": 1}, "rules: expected a string, found"),
        (["a"], "expected the name of rules, or a mapping"),
    ]:
        with pytest.raises(pw.errors.ConfigError, match=message):
            of(rules)  # type: ignore[arg-type]
