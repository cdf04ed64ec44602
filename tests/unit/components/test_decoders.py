"""Decoders as Python values: equality, pickling, and checks of their settings."""

import copy
import pickle
import time
from typing import Any

import pytest

import piecework as pw
from piecework import decoders
from piecework.decoders import Decoder

pytestmark = pytest.mark.smoke

EVERY: list[Decoder] = [
    decoders.BPEDecoder("_"),
    decoders.ByteFallback(),
    decoders.ByteLevel(use_regex=False),
    decoders.CTC("p", "d", cleanup=False),
    decoders.Fuse(),
    decoders.Metaspace("_", "first", split=False),
    decoders.Replace("a", "b"),
    decoders.Replace(pw.Regex(r"\s+"), " "),
    decoders.Sequence([decoders.Fuse(), decoders.Sequence([decoders.Strip("a", 1, 2)])]),
    decoders.Strip("é", left=2),
    decoders.WordPiece("", cleanup=False),
]


@pytest.mark.parametrize("decoder", EVERY, ids=repr)
def test_decoders_are_immutable_values(decoder: Decoder) -> None:
    namespace = vars(decoders) | {"Regex": pw.Regex}
    twins = [
        copy.deepcopy(decoder),
        pickle.loads(pickle.dumps(decoder)),
        Decoder.from_dict(decoder.to_dict()),
        eval(repr(decoder), namespace),
    ]
    for twin in twins:
        assert twin == decoder
        assert hash(twin) == hash(decoder)
        assert type(twin) is type(decoder)
    assert sum(other == decoder for other in EVERY) == 1
    with pytest.raises(AttributeError):
        decoder.content = "x"  # type: ignore[attr-defined]


def test_decode_accepts_any_iterable() -> None:
    assert decoders.WordPiece().decode(iter(["a", "##b"])) == "ab"
    with pytest.raises(TypeError, match="found str"):
        decoders.Fuse().decode("ab")
    with pytest.raises(TypeError, match="token 1: expected a str, found int"):
        decoders.Fuse().decode(["a", 1])  # type: ignore[list-item]
    with pytest.raises(pw.errors.SurrogateError):
        decoders.Fuse().decode(["\ud800"])


WRONG: list[tuple[Any, str]] = [
    (lambda: decoders.WordPiece(3), "prefix: expected a string, found 3"),  # type: ignore[arg-type]
    (lambda: decoders.Strip("ab"), "content: expected one character, found 'ab'"),
    (lambda: decoders.Strip("a", left=-1), "left: expected an integer from 0 to .*, found -1"),
    (
        lambda: decoders.Metaspace("_", "Always"),  # type: ignore[arg-type]
        "prepend_scheme: expected 'always', 'never' or 'first', found 'Always'; .* 'always'",
    ),
    (
        lambda: decoders.Sequence([decoders.Fuse(), "Fuse"]),  # type: ignore[list-item]
        r"decoders\[1\]: expected a Decoder, found 'Fuse'",
    ),
    (lambda: decoders.Replace(3, ""), "pattern: expected a string, found 3"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_settings_raise(make: Any, message: str) -> None:
    with pytest.raises(pw.errors.ConfigError, match=message):
        make()


def test_lone_surrogates_are_refused() -> None:
    with pytest.raises(pw.errors.SurrogateError, match=r"U\+D800"):
        decoders.Replace("a", "\ud800")


def test_broken_regex_raises_on_use() -> None:
    broken = decoders.Replace(pw.Regex("(a"), "")
    with pytest.raises(
        pw.errors.ConfigError, match=r"^pattern\.Regex: the regex \"\(a\" does not compile"
    ):
        broken.decode(["a"])
    tok = pw.Tokenizer.from_str("[UNK]\na\n")
    with pytest.raises(
        pw.errors.ConfigError, match=r"^decoder\.pattern\.Regex: the regex \"\(a\" does not"
    ):
        tok.replace(decoder=broken)


def test_broken_json_raises() -> None:
    with pytest.raises(pw.errors.UnsupportedError, match="did you mean 'Fuse'"):
        Decoder.from_dict({"type": "Fuze"})
    with pytest.raises(
        pw.errors.FormatError, match=r"\$\.decoders\[0\]: the member 'b' is unknown"
    ):
        Decoder.from_dict({"type": "Sequence", "decoders": [{"type": "Fuse", "b": 1}]})


def test_backtracking_regex_gives_up() -> None:
    decoder = decoders.Replace(pw.Regex("(a|aa)+(?=$)"), "")
    started = time.monotonic()
    with pytest.raises(pw.errors.RegexError, match="gave up after 10000000 retries near byte 0"):
        decoder.decode(["a" * 1_000_000 + "b"])
    assert time.monotonic() - started < 30


def test_replacement_beyond_the_length_limit_raises() -> None:
    blow = decoders.Replace("", "x" * 1_000_000)
    with pytest.raises(pw.errors.TextTooLongError):
        blow.decode(["a" * 100_000])


def test_deeply_nested_sequence_raises() -> None:
    nested: Decoder = decoders.Fuse()
    for _ in range(60):
        nested = decoders.Sequence([nested])
    assert nested.decode(["a", "b"]) == "ab"
    parts = nested.to_dict()
    for _ in range(60):
        parts = {"type": "Sequence", "decoders": [parts]}
    with pytest.raises(pw.errors.FormatError, match=r"nested (too deeply|more than)"):
        Decoder.from_dict(parts)
