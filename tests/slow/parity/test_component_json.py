"""JSON of components against `tokenizers`, in both directions."""

import inspect
import json
from typing import Any

import pytest

import piecework as pw
from piecework import models, normalizers, pre_tokenizers, processors

tokenizers = pytest.importorskip("tokenizers")

STAGES: dict[str, tuple[Any, Any]] = {
    "normalizer": (normalizers, normalizers.Normalizer),
    "pre_tokenizer": (pre_tokenizers, pre_tokenizers.PreTokenizer),
    "post_processor": (processors, processors.PostProcessor),
    "model": (models, models.Model),
}
THEIRS = {
    "normalizer": tokenizers.normalizers,
    "pre_tokenizer": tokenizers.pre_tokenizers,
    "post_processor": tokenizers.processors,
    "model": tokenizers.models,
}
SPECIALS = [("[CLS]", 2), ("[SEP]", 3)]
PIECES = {"[UNK]": 0, "a": 2, "##b": 1}
TEMPLATES: list[dict[str, Any]] = [
    {},
    {"single": "[CLS] $A [SEP]", "special_tokens": SPECIALS},
    {"pair": "[CLS] $A [SEP] $B:1 [SEP]:1", "special_tokens": SPECIALS},
    {"single": ["x y", "$0", "$A:0", "$:3", "$1", "$"], "special_tokens": [("x y", 1)]},
    {"pair": "$a $5 $b $B:7 $a:+1 $+2", "special_tokens": [(6, "z")]},
    {"single": "p:2 $A", "special_tokens": [{"id": "p", "ids": [4, 5], "tokens": ["x", "y"]}]},
    {"single": "[CLS]", "special_tokens": SPECIALS},
]
# The stage, the class, and positional arguments, which both libraries share.
CASES: list[tuple[str, str, tuple[Any, ...]]] = [
    *(("normalizer", name, ()) for name in ("NFC", "NFD", "NFKC", "NFKD", "Nmt", "Lowercase")),
    *(("normalizer", name, ()) for name in ("Strip", "StripAccents", "Prepend", "ByteLevel")),
    *(("normalizer", "Strip", (left, right)) for left in (False, True) for right in (False, True)),
    ("normalizer", "Prepend", ("x",)),
    ("normalizer", "Replace", ("a", "b")),
    ("normalizer", "BertNormalizer", ()),
    ("normalizer", "BertNormalizer", (False, False, False, False)),
    ("normalizer", "BertNormalizer", (True, False, True, True)),
    *(("pre_tokenizer", name, ()) for name in ("BertPreTokenizer", "Whitespace", "ByteLevel")),
    *(("pre_tokenizer", name, ()) for name in ("WhitespaceSplit", "Punctuation", "Metaspace")),
    *(("pre_tokenizer", name, ()) for name in ("Digits", "UnicodeScripts", "FixedLength")),
    ("pre_tokenizer", "Punctuation", ("merged_with_next",)),
    ("pre_tokenizer", "Digits", (True,)),
    ("pre_tokenizer", "CharDelimiterSplit", ("|",)),
    *(
        ("pre_tokenizer", "Split", ("a", behavior, invert))
        for behavior in pre_tokenizers._BEHAVIOR.names
        for invert in (False, True)
    ),
    ("pre_tokenizer", "ByteLevel", (False, False, False)),
    *(("pre_tokenizer", "Metaspace", ("_", s, False)) for s in ("always", "never", "first")),
    ("pre_tokenizer", "FixedLength", (3,)),
    ("post_processor", "BertProcessing", (("[SEP]", 3), ("[CLS]", 2))),
    ("post_processor", "RobertaProcessing", (("</s>", 2), ("<s>", 0))),
    ("post_processor", "RobertaProcessing", (("</s>", 2), ("<s>", 0), False, False)),
    ("post_processor", "ByteLevel", ()),
    ("post_processor", "ByteLevel", (False, True, False)),
    ("model", "WordPiece", (PIECES,)),
    ("model", "WordLevel", (PIECES,)),
]


def written(stage: str, component: Any) -> Any:
    """Returns the JSON of a component of `tokenizers`."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0}))
    setattr(tokenizer, stage, component)
    return json.loads(tokenizer.to_str())[stage]


def read(stage: str, data: Any) -> Any:
    """Returns the JSON that `tokenizers` writes after reading a component of ours."""
    tokenizer = json.loads(tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0})).to_str())
    tokenizer[stage] = data
    return json.loads(tokenizers.Tokenizer.from_str(json.dumps(tokenizer)).to_str())[stage]


def check(stage: str, own: Any, theirs: Any) -> None:
    """Compares a component with one of `tokenizers`."""
    data = own.to_dict()
    assert data == written(stage, theirs)
    assert read(stage, data) == data
    assert STAGES[stage][1].from_dict(written(stage, theirs)) == own


@pytest.mark.parametrize(("stage", "name", "arguments"), CASES, ids=str)
def test_json_equals_tokenizers(stage: str, name: str, arguments: tuple[Any, ...]) -> None:
    own = getattr(STAGES[stage][0], name)(*arguments)
    check(stage, own, getattr(THEIRS[stage], name)(*arguments))


@pytest.mark.parametrize("settings", TEMPLATES, ids=str)
def test_templates_equal_tokenizers(settings: dict[str, Any]) -> None:
    own = processors.TemplateProcessing(**settings)
    theirs = tokenizers.processors.TemplateProcessing(**settings)
    check("post_processor", own, theirs)
    for is_pair in (False, True):
        assert own.num_special_tokens_to_add(is_pair) == theirs.num_special_tokens_to_add(is_pair)


def test_regexes_equal_tokenizers() -> None:
    for stage, name, rest in (
        ("normalizer", "Replace", "b"),
        ("pre_tokenizer", "Split", "removed"),
    ):
        own = getattr(STAGES[stage][0], name)(pw.Regex(r"\s+|'"), rest)
        check(stage, own, getattr(THEIRS[stage], name)(tokenizers.Regex(r"\s+|'"), rest))


def test_model_settings_equal_tokenizers() -> None:
    """Models of `tokenizers` take no positional settings."""
    settings: dict[str, Any] = {"max_input_chars_per_word": 7, "continuing_subword_prefix": "@@"}
    their = tokenizers.models
    own: models.Model = models.WordPiece(PIECES, "a", **settings)
    check("model", own, their.WordPiece(PIECES, unk_token="a", **settings))
    check("model", models.WordLevel(PIECES, "a"), their.WordLevel(PIECES, unk_token="a"))


def test_sequences_equal_tokenizers() -> None:
    own = normalizers.Sequence([normalizers.NFC(), normalizers.Strip()])
    their = tokenizers.normalizers
    check("normalizer", own, their.Sequence([their.NFC(), their.Strip()]))
    words = pre_tokenizers.Sequence([pre_tokenizers.Digits(), pre_tokenizers.Whitespace()])
    their = tokenizers.pre_tokenizers
    check("pre_tokenizer", words, their.Sequence([their.Digits(), their.Whitespace()]))
    both = [("[SEP]", 3), ("[CLS]", 2)]
    last = processors.Sequence([processors.ByteLevel(), processors.BertProcessing(*both)])
    their = tokenizers.processors
    check("post_processor", last, their.Sequence([their.ByteLevel(), their.BertProcessing(*both)]))


def test_nested_sequences_are_read() -> None:
    """`tokenizers` flattens sequences made in Python and keeps those that it reads."""
    nested = pre_tokenizers.Sequence([pre_tokenizers.Sequence([pre_tokenizers.Digits()])])
    assert read("pre_tokenizer", nested.to_dict()) == nested.to_dict()


def test_tokenizers_refuses_piecework_components() -> None:
    own: list[tuple[str, Any]] = [
        ("pre_tokenizer", pre_tokenizers.Dictionary(["a"])),
        ("pre_tokenizer", pre_tokenizers.Jieba()),
        ("model", models.WordPiece(["[UNK]"], unknown="run")),
        ("model", models.BPE(["a", "b", "ab"], ranks=[None, None, 0])),
        ("model", models.BPE(["a", "_"], end_of_word_suffix="_", suffix_style="separate")),
    ]
    for stage, component in own:
        with pytest.raises(Exception, match=r"variant|unknown"):
            read(stage, component.to_dict())
    data = {"type": "piecework.Function", "index": 0}
    with pytest.raises(Exception, match=r"variant|unknown"):
        read("pre_tokenizer", data)


def test_every_component_of_tokenizers_exists() -> None:
    for stage, module in THEIRS.items():
        names = {name for name, found in inspect.getmembers(module, inspect.isclass)}
        assert names <= set(STAGES[stage][0].__all__)


def test_truncation_and_padding_equal_tokenizers() -> None:
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0}))
    for settings in (
        {"max_length": 5},
        {"max_length": 5, "stride": 2, "strategy": "only_first", "direction": "left"},
        {"max_length": 5, "strategy": "only_second"},
    ):
        tokenizer.enable_truncation(**settings)
        theirs, own = json.loads(tokenizer.to_str())["truncation"], pw.Truncation(**settings)
        assert own.to_dict() == theirs == read("truncation", own.to_dict())
        assert pw.Truncation.from_dict(theirs) == own
    for settings in (
        {"pad_id": 0, "pad_token": "[PAD]"},
        {"pad_id": 3, "pad_token": "x", "pad_type_id": 1, "length": 9, "direction": "left"},
        {"pad_id": 3, "pad_token": "x", "pad_to_multiple_of": 8},
    ):
        tokenizer.enable_padding(**settings)
        theirs, own = json.loads(tokenizer.to_str())["padding"], pw.Padding(**settings)  # type: ignore[arg-type]
        assert own.to_dict() == theirs == read("padding", own.to_dict())
        assert pw.Padding.from_dict(theirs) == own


def test_added_tokens_equal_tokenizers() -> None:
    for special in (False, True):
        for normalized in (None, False, True):
            flags = {"special": special, "lstrip": True, "single_word": True}
            given = flags if normalized is None else flags | {"normalized": normalized}
            theirs = tokenizers.AddedToken("x", **given)
            own = pw.AddedToken("x", **given)
            assert own.to_dict() == theirs.__getstate__()
            tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0}))
            tokenizer.add_tokens([theirs])
            assert pw.AddedToken.from_dict(json.loads(tokenizer.to_str())["added_tokens"][0]) == own
