"""Added tokens, truncation and padding: settings and JSON."""

import copy
import pickle
from typing import Any

import pytest

import piecework as pw
from piecework.errors import ConfigError, FormatError

pytestmark = pytest.mark.smoke

TRUNCATION = {"max_length": 5, "stride": 0, "strategy": "LongestFirst", "direction": "Right"}
PADDING = {
    "strategy": "BatchLongest",
    "direction": "Right",
    "pad_to_multiple_of": None,
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "[PAD]",
}
SETTINGS: list[Any] = [
    pw.Truncation(5),
    pw.Truncation(5, 4, "only_first", "left"),
    pw.Truncation(1, strategy="only_second"),
    pw.Padding(),
    pw.Padding(9, 8, "left", 3, 1, "x"),
    pw.AddedToken("x"),
    pw.AddedToken("[MASK]", lstrip=True, special=True),
    pw.AddedToken("x", single_word=True, rstrip=True, normalized=False),
]


@pytest.mark.parametrize("settings", SETTINGS, ids=repr)
def test_settings_are_immutable_values(settings: Any) -> None:
    assert type(settings).from_dict(settings.to_dict()) == settings
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert copy.deepcopy(settings) == settings
    assert hash(copy.deepcopy(settings)) == hash(settings)
    assert eval(repr(settings), vars(pw)) == settings
    with pytest.raises(AttributeError):
        settings.direction = "left"


def test_json_of_settings() -> None:
    assert pw.Truncation(5).to_dict() == TRUNCATION
    assert pw.Padding(pad_id=0, pad_token="[PAD]").to_dict() == PADDING
    assert pw.Padding(length=7).to_dict()["strategy"] == {"Fixed": 7}
    assert pw.Padding().to_dict()["pad_id"] is None
    assert pw.AddedToken("x", lstrip=True).to_dict() == {
        "content": "x",
        "single_word": False,
        "lstrip": True,
        "rstrip": False,
        "normalized": True,
        "special": False,
    }


def test_optional_members_of_the_json() -> None:
    short = {name: value for name, value in TRUNCATION.items() if name != "direction"}
    assert pw.Truncation.from_dict(short) == pw.Truncation(5)
    assert pw.Padding.from_dict(PADDING | {"pad_to_multiple_of": 0}).pad_to_multiple_of is None
    assert pw.AddedToken.from_dict({"content": "x"}) == pw.AddedToken("x")
    theirs = {"__type": "AddedToken", "content": "x", "id": 3, "special": True}
    assert pw.AddedToken.from_dict(theirs) == pw.AddedToken("x", special=True)


def test_fixed_padding_of_zero_is_read() -> None:
    none = pw.Padding.from_dict(PADDING | {"strategy": {"Fixed": 0}})
    assert none == pw.Padding(0, pad_id=0, pad_token="[PAD]")
    tok = pw.Tokenizer.from_str("[PAD]\n[UNK]\na\n")
    assert tok.encode_ids("a a", padding=none) == tok.encode_ids("a a") == [2, 2]


def test_special_tokens_are_not_normalized_by_default() -> None:
    assert pw.AddedToken("x").normalized is True
    assert pw.AddedToken("x", special=True).normalized is False
    assert pw.AddedToken("x", normalized=True, special=True).normalized is True


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("Truncation(0)", "max_length: expected an integer from 1"),
        ("Truncation(-1)", "max_length: expected an integer from 1"),
        ("Truncation(5.0)", "max_length: expected an integer from 1"),
        ("Truncation(True)", "max_length: expected an integer from 1"),
        ("Truncation(None)", "max_length: expected an integer from 1"),
        ("Truncation(5, -1)", "stride: expected an integer from 0"),
        ("Truncation(5, 5)", "stride: expected less than 5, the maximum length, found 5"),
        ("Truncation(5, strategy='longest')", "did you mean 'longest_first'"),
        ("Truncation(5, direction='Right')", "direction: expected 'left' or 'right'"),
        ("Padding(-3)", "length: expected an integer from 0"),
        ("Padding(1 << 64)", r"length: .* under 2\^64"),
        ("Padding('longest')", "length: expected an integer from 0"),
        ("Padding(pad_to_multiple_of=0)", "pad_to_multiple_of: expected an integer from 1"),
        ("Padding(direction='middle')", "direction: expected 'left' or 'right'"),
        ("Padding(pad_id=-1)", "pad_id: expected an integer from 0"),
        ("Padding(pad_id=1 << 32)", r"pad_id: .* under 2\^32"),
        ("Padding(pad_type_id=None)", "pad_type_id: expected an integer"),
        ("Padding(pad_token=0)", "pad_token: expected a string"),
        ("AddedToken('')", "content: .* empty"),
        ("AddedToken(3)", "content: expected a string"),
        ("AddedToken('x', lstrip=1)", "lstrip: expected a boolean"),
        ("AddedToken('x', normalized='no')", "normalized: expected a boolean"),
    ],
)
def test_impossible_settings_raise(call: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        eval(call, vars(pw))


@pytest.mark.parametrize(
    ("cls", "data", "message"),
    [
        (pw.Truncation, None, r"\$: expected an object"),
        (pw.Truncation, {}, r"\$: the member 'max_length' is missing"),
        (pw.Truncation, TRUNCATION | {"max_length": 0}, r"\$\.max_length: expected an integer"),
        (pw.Truncation, TRUNCATION | {"stride": 5}, r"\$: stride: expected less than 5"),
        (pw.Truncation, TRUNCATION | {"strategy": "OnlyFist"}, r"\$\.strategy: .* 'OnlyFirst'"),
        (pw.Truncation, TRUNCATION | {"strid": 1}, r"'strid' is unknown; did you mean 'stride'"),
        (
            pw.Padding,
            PADDING | {"strategy": {"Fixed": -1}},
            r"\$\.strategy\.Fixed: expected an int",
        ),
        (pw.Padding, PADDING | {"strategy": "Fixed"}, r"\$\.strategy: expected 'BatchLongest' or"),
        (
            pw.Padding,
            PADDING | {"direction": "right"},
            r"\$\.direction: expected 'Left' or 'Right'",
        ),
        (pw.AddedToken, {"content": ""}, r"\$\.content: .* empty"),
        (pw.AddedToken, {"special": True}, r"\$: the member 'content' is missing"),
    ],
)
def test_broken_json_raises(cls: Any, data: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        cls.from_dict(data)
