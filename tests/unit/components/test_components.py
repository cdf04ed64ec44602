"""Components: settings, JSON, and error messages."""

import copy
import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import models, normalizers, pre_tokenizers, processors
from piecework._settings.component import Component
from piecework.errors import (
    ConfigError,
    FormatError,
    InvalidUtf8Error,
    SurrogateError,
    UnsupportedError,
    VocabularyError,
)

pytestmark = pytest.mark.smoke

SPECIALS = [("[CLS]", 2), ("[SEP]", 3)]
COMPONENTS: list[Component] = [
    normalizers.NFC(),
    normalizers.NFD(),
    normalizers.NFKC(),
    normalizers.NFKD(),
    normalizers.Nmt(),
    normalizers.Lowercase(),
    normalizers.Strip(),
    normalizers.Strip(left=False, right=True),
    normalizers.StripAccents(),
    normalizers.Replace("a", "b"),
    normalizers.Replace(pw.Regex(r"\s+"), " "),
    normalizers.Prepend(),
    normalizers.ByteLevel(),
    normalizers.BertNormalizer(),
    normalizers.BertNormalizer(strip_accents=False),
    normalizers.Sequence([]),
    normalizers.Sequence([normalizers.NFC(), normalizers.Sequence([normalizers.Strip()])]),
    pre_tokenizers.BertPreTokenizer(),
    pre_tokenizers.Whitespace(),
    pre_tokenizers.WhitespaceSplit(),
    pre_tokenizers.Punctuation(),
    pre_tokenizers.Punctuation("removed"),
    pre_tokenizers.Digits(),
    pre_tokenizers.Digits(individual_digits=True),
    pre_tokenizers.CharDelimiterSplit("|"),
    pre_tokenizers.Split("a", "isolated"),
    pre_tokenizers.Split(pw.Regex("a|b"), "merged_with_previous", invert=True),
    pre_tokenizers.Split("a", "merged_with_next"),
    pre_tokenizers.Split("a", "contiguous"),
    pre_tokenizers.ByteLevel(),
    pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False),
    pre_tokenizers.Metaspace(),
    pre_tokenizers.Metaspace("_", "first", split=False),
    pre_tokenizers.UnicodeScripts(),
    pre_tokenizers.FixedLength(),
    pre_tokenizers.FixedLength(3),
    pre_tokenizers.Sequence([]),
    pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits()]),
    processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2)),
    processors.RobertaProcessing(("</s>", 2), ("<s>", 0)),
    processors.RobertaProcessing(("</s>", 2), ("<s>", 0), False, False),
    processors.ByteLevel(),
    processors.ByteLevel(trim_offsets=False),
    processors.TemplateProcessing(),
    processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", SPECIALS),
    processors.TemplateProcessing(
        single=["x y", "$0", "$A:0", "$:3", "$1", "$"],
        pair="$a $5 $b $B:7",
        special_tokens=[{"id": "x y", "ids": [4, 5], "tokens": ["x", "y"]}, (6, "z")],
    ),
    processors.Sequence([processors.ByteLevel(), processors.TemplateProcessing()]),
    models.WordPiece({"[UNK]": 0, "a": 2, "##b": 1}),
    models.WordPiece({"<unk>": 0}, "<unk>", 7, "@@"),
    models.WordLevel({"<unk>": 0, "a": 1}),
    models.WordLevel(["x"], unk_token="x"),
    models.BPE(["a", "b", "ab"], [("a", "b")]),
    models.BPE(["a</w>", "a", "<unk>"], dropout=0.5, unk_token="<unk>", end_of_word_suffix="</w>"),
    models.BPE(["a", "ab", "b"], ranks=[None, 3, None], byte_fallback=True, ignore_merges=True),
    models.Unigram([("<unk>", 0.0), ("a", -1.5)], 0, byte_fallback=True),
]
PIECEWORK_COMPONENTS: list[Component] = [
    normalizers.SentencePiece(),
    normalizers.SentencePiece(bytes(1024), add_dummy_prefix=False, user_defined_symbols=["<x>"]),
    normalizers.Precompiled(b"\0" * 8),
    pre_tokenizers.Dictionary(["New York", "New"], single_word=True),
    pre_tokenizers.Jieba(hmm=False, user_words=["杭研大厦", ("云计算", 5), ("创新办", 3, "i")]),
    models.WordPiece(["a"], unk_token=None),
    models.WordPiece(["[UNK]"], unk_token=None),
    models.WordPiece(["[UNK]"], unknown="run", max_input_chars_per_word=None),
    models.Unigram([("a", 0.0), ("b", -1.0)], precision="float32", reserved=["a"]),
]
NAMES = [
    f"{type(c).__name__}-{place}" for place, c in enumerate([*COMPONENTS, *PIECEWORK_COMPONENTS])
]
BASES = (
    normalizers.Normalizer,
    pre_tokenizers.PreTokenizer,
    processors.PostProcessor,
    models.Model,
)


def base_of(component: Component) -> Any:
    """Returns the base class of a component's stage."""
    return next(base for base in BASES if isinstance(component, base))


@pytest.mark.parametrize("component", [*COMPONENTS, *PIECEWORK_COMPONENTS], ids=NAMES)
def test_json_round_trip(component: Component) -> None:
    data = component.to_dict()
    assert json.loads(json.dumps(data)) == data
    for cls in (base_of(component), type(component)):
        reloaded = cls.from_dict(data)
        assert type(reloaded) is type(component)
        assert reloaded == component
        assert reloaded.to_dict() == data


@pytest.mark.parametrize("component", [*COMPONENTS, *PIECEWORK_COMPONENTS], ids=NAMES)
def test_components_are_immutable_values(component: Component) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(component, protocol)) == component
    assert copy.deepcopy(component) == component
    assert dataclasses.replace(component) == component  # type: ignore[type-var]
    assert hash(copy.deepcopy(component)) == hash(component)
    assert component.functions() == []
    assert json.loads(component.to_core()[0]) == component.to_dict()
    name = dataclasses.fields(component)[0].name if dataclasses.fields(component) else "new"  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        setattr(component, name, 3)


def test_different_components_are_unequal() -> None:
    for at, one in enumerate(COMPONENTS):
        assert COMPONENTS.index(one) == at


def test_every_class_has_a_test_case() -> None:
    covered = {type(component) for component in (*COMPONENTS, *PIECEWORK_COMPONENTS)} | {
        pre_tokenizers.Function
    }
    for module in (normalizers, pre_tokenizers, processors, models):
        named = [getattr(module, name) for name in module.__all__]
        components = {
            c for c in named if isinstance(c, type) and issubclass(c, Component) and c not in BASES
        }
        assert components <= covered
        for cls in components:
            assert ">>>" in cls.__doc__


def test_reprs_are_short() -> None:
    many = [str(n) for n in range(100_000)]
    for component in (
        normalizers.Precompiled(bytes(100_000)),
        pre_tokenizers.Dictionary(many),
        pre_tokenizers.Jieba(user_words=many),
        models.WordPiece(many),
        models.WordLevel(many),
    ):
        assert len(repr(component)) < 200
        assert "100,000" in repr(component)
    assert repr(normalizers.Strip(left=False)) == "Strip(left=False, right=True)"
    template = processors.TemplateProcessing("[CLS] $A", "$A $B:1", [("[CLS]", 1)])
    assert eval(repr(template), vars(processors)) == template


# Errors


N, P, R, M = BASES
REPLACE = {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}
TEMPLATE = processors.TemplateProcessing("[CLS] $A", None, SPECIALS).to_dict()
PIECE = models.WordPiece(["[UNK]"]).to_dict()
BROKEN: list[tuple[Any, Any, str]] = [
    (N, None, r"\$: expected an object, found None"),
    (N, [], r"\$: expected an object, found \[\]"),
    (N, {}, r"\$: the member 'type' is missing"),
    (N, {"type": "Lowercas"}, r"\$: the type 'Lowercas' .* did you mean 'Lowercase'"),
    (N, {"type": None}, r"\$: the type None"),
    (N, {"type": []}, r"\$: the type \[\]"),
    (N, {"type": "NFC", "form": 1}, r"\$: the member 'form' is unknown"),
    (N, {"type": "Strip"}, r"\$: the member 'strip_left' is missing"),
    (
        N,
        {"type": "Strip", "strip_left": True, "strip_rigth": True},
        r"\$: the member 'strip_rigth' is unknown; did you mean 'strip_right'",
    ),
    (N, {"type": "Strip", "strip_left": 1, "strip_right": True}, r"\$\.strip_left: expected a boo"),
    (N, REPLACE | {"pattern": "a"}, r"\$\.pattern: expected an object, found 'a'"),
    (N, REPLACE | {"pattern": {}}, r"\$\.pattern: expected either"),
    (N, REPLACE | {"pattern": {"Regexp": "a"}}, r"\$\.pattern: expected either"),
    (N, REPLACE | {"pattern": {"Regex": 3}}, r"\$\.pattern\.Regex: expected a string, found 3"),
    (N, {"type": "Sequence", "normalizers": {}}, r"\$\.normalizers: expected an array"),
    (
        N,
        {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "NFX"}]},
        r"\$\.normalizers\[1\]: the type 'NFX'",
    ),
    (
        N,
        {"type": "Sequence", "normalizers": [{"type": "Sequence", "normalizers": [3]}]},
        r"\$\.normalizers\[0\]\.normalizers\[0\]: expected an object, found 3",
    ),
    (N, {"type": "Precompiled", "precompiled_charsmap": "@"}, r"charsmap: not base64"),
    (N, {"type": "Precompiled", "precompiled_charsmap": ""}, r"charsmap: expected the bytes"),
    (P, {"type": "Split"}, r"\$: the member 'pattern' is missing"),
    (P, {"type": "Punctuation", "behavior": "isolated"}, r"behavior: .* did you mean 'Isolated'"),
    (P, {"type": "CharDelimiterSplit", "delimiter": "ab"}, r"delimiter: expected one character"),
    (P, {"type": "CharDelimiterSplit", "delimiter": ""}, r"delimiter: .* empty"),
    (P, {"type": "FixedLength", "length": 0}, r"\$\.length: expected an integer from 1"),
    (P, {"type": "FixedLength", "length": 2.0}, r"\$\.length: expected an integer from 1"),
    (P, {"type": "FixedLength", "length": True}, r"\$\.length: expected an integer from 1"),
    (P, {"type": "Metaspace"}, r"\$: the member 'replacement' is missing"),
    (
        P,
        {"type": "Metaspace", "replacement": "_", "add_prefix_space": False},
        r"\$: add_prefix_space is false",
    ),
    (
        P,
        {"type": "piecework.Function", "index": 0},
        r"\$\.index: the pre-tokenizer was a Python function",
    ),
    (P, {"type": "piecework.Dictionary", "phrases": "ab"}, r"\$\.phrases: expected an array"),
    (
        P,
        {"type": "piecework.Jieba", "user_words": [["a", "b"]]},
        r"\$\.user_words\[0\]: expected a",
    ),
    (R, {"type": "BertProcessing", "sep": ["a", 1]}, r"\$: the member 'cls' is missing"),
    (R, {"type": "BertProcessing", "sep": ["a"], "cls": ["a", 1]}, r"\$\.sep: expected a token"),
    (R, TEMPLATE | {"pair": []}, r"\$: pair: the template for a pair lacks \$A and \$B"),
    (R, TEMPLATE | {"single": []}, r"\$: single: the template is empty"),
    (R, TEMPLATE | {"special_tokens": {}}, r"\$: single: '\[CLS\]' has no id"),
    (R, TEMPLATE | {"special_tokens": {"a": {"id": "a"}}}, r"\$\.special_tokens\.a: expected the"),
    (R, TEMPLATE | {"single": [{"Sequence": {"id": "A"}}]}, r"\$\.single\[0\]\.Sequence: expected"),
    (R, TEMPLATE | {"single": [{"Token": {}}]}, r"\$\.single\[0\]: expected either"),
    (
        R,
        TEMPLATE | {"single": [{"Sequence": {"id": "C", "type_id": 0}}]},
        r"\$\.single\[0\]\.Sequence: expected the text A or B, found 'C'",
    ),
    (M, {"type": "CPE"}, r"\$: the type 'CPE' is not among those known here"),
    (M, PIECE | {"vocab": {"a": -1}}, r"\$\.vocab: expected an integer from 0"),
    (M, PIECE | {"vocab": {"a": 1, "b": 1}}, r"\$\.vocab: duplicate id 1, of 'a' and of 'b'"),
    (M, PIECE | {"vocab": ["a"]}, r"\$\.vocab: expected an object"),
    (M, PIECE | {"piecework": {}}, r"\$\.piecework: the member 'version' is missing"),
    (
        M,
        PIECE | {"piecework": {"version": 2, "unknown": "word", "has_unk": True}},
        r"\$\.piecework\.version: expected 1, found 2",
    ),
    (
        M,
        PIECE | {"piecework": {"version": 1, "unknown": "line", "has_unk": True}},
        r"\$\.piecework\.unknown: expected 'word', 'run' or 'char', found 'line'",
    ),
]


@pytest.mark.parametrize(("base", "data", "message"), BROKEN, ids=map(str, range(len(BROKEN))))
def test_broken_json_raises(base: Any, data: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        base.from_dict(data)
    assert isinstance(caught.value, UnsupportedError) == (
        "the type" in message or "Python" in message
    )


def test_deeply_nested_json_raises() -> None:
    data: dict[str, Any] = {"type": "NFC"}
    for _ in range(5000):
        data = {"type": "Sequence", "normalizers": [data]}
    with pytest.raises(FormatError, match="nested too deeply"):
        N.from_dict(data)


def test_from_dict_of_a_class_refuses_other_types() -> None:
    with pytest.raises(UnsupportedError, match="'NFC' is not among those known here, Strip"):
        normalizers.Strip.from_dict({"type": "NFC"})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("normalizers.Strip(left=3)", "left: expected a boolean, found 3"),
        ("normalizers.Prepend(None)", "prepend: expected a string"),
        ("normalizers.Replace(3, '')", "pattern: expected a string"),
        ("normalizers.Precompiled('x')", "charsmap: expected bytes"),
        ("normalizers.Precompiled(b'')", "charsmap: expected the bytes"),
        ("normalizers.Sequence([3])", r"normalizers\[0\]: expected a Normalizer"),
        ("normalizers.Sequence(normalizers.NFC())", "normalizers: expected a list"),
        (
            "normalizers.Sequence([pre_tokenizers.Whitespace()])",
            r"normalizers\[0\]: expected a Normalizer, found Whitespace",
        ),
        ("pw.Regex(3)", "pattern: expected a string"),
        ("pre_tokenizers.Split('a', 'isolate')", "did you mean 'isolated'"),
        ("pre_tokenizers.Punctuation('Isolated')", "did you mean 'isolated'"),
        ("pre_tokenizers.FixedLength(0)", "length: expected an integer from 1"),
        ("pre_tokenizers.FixedLength(1 << 64)", r"under 2\^64"),
        ("pre_tokenizers.CharDelimiterSplit('')", "delimiter"),
        ("pre_tokenizers.Metaspace('ab')", "replacement: expected one character"),
        ("pre_tokenizers.Dictionary('ab')", "phrases: expected a list"),
        ("pre_tokenizers.Dictionary(['a', ''])", r"phrases\[1\]: .* empty"),
        ("pre_tokenizers.Dictionary({'a', 3})", r"phrases\[0\]: expected a string, found 3"),
        ("pre_tokenizers.Jieba(user_words=[('a', -1)])", r"user_words\[0\]: .* found -1"),
        ("pre_tokenizers.Jieba(user_words=[()])", r"user_words\[0\]: expected a word"),
        ("pre_tokenizers.Jieba(user_words={'a': 1})", "user_words: expected a list"),
        ("pre_tokenizers.Function('f')", "function: expected a function"),
        ("processors.BertProcessing('[SEP]', ('a', 1))", "sep: expected an array"),
        ("models.WordPiece('ab')", "vocab: expected a mapping"),
        ("models.WordPiece({'a': True})", "vocab: expected an integer"),
        ("models.WordPiece(['a'], unknown='line')", "unknown: expected 'word'"),
        ("models.WordPiece(['a'], max_input_chars_per_word=-1)", "found -1"),
        ("models.WordLevel(['a'], unk_token=None)", "unk_token: expected a string"),
    ],
)
def test_impossible_settings_raise(call: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        eval(call)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"single": "$A [X]"}, r"single: '\[X\]' has no id in special_tokens"),
        (
            {"single": "$A [SEP]", "special_tokens": [("[SEP}", 1)]},
            r"did you mean '\[SEP\}'",
        ),
        ({"single": "$A $B"}, r"single: .* contains \$B"),
        ({"single": ""}, "single: the template is empty"),
        ({"pair": "$A"}, r"pair: .* lacks \$B"),
        ({"pair": "$B $B"}, r"pair: .* lacks \$A"),
        ({"pair": "$A $C"}, r"pair\[1\]: expected the text \$A or \$B, found '\$C'"),
        ({"single": "a:b:1"}, r"single\[0\]: expected .* found 'a:b:1'"),
        ({"single": "$A:-1"}, r"single\[0\]: expected"),
        ({"single": "$A:"}, r"single\[0\]: expected"),
        ({"single": "$A:4294967296"}, r"single\[0\]: expected an integer"),
        ({"single": [3]}, r"single\[0\]: expected a string"),
        (
            {"special_tokens": [("a", 1), ("b", 2), ("a", 3)]},
            r"special_tokens\[2\]: duplicate special token 'a'",
        ),
        ({"special_tokens": ["ab"]}, r"special_tokens\[0\]"),
        ({"special_tokens": [("a", "b")]}, r"special_tokens\[0\]"),
        ({"special_tokens": {"a": 1}}, "special_tokens: expected a list"),
        ({"special_tokens": [{"id": "a", "ids": [1], "tokens": []}]}, "1 ids and 0 tokens"),
    ],
)
def test_impossible_templates_raise(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        processors.TemplateProcessing(**settings)


def test_lone_surrogates_are_refused() -> None:
    for call in (
        lambda: normalizers.Prepend("\ud800"),
        lambda: pw.Regex("\ud800"),
        lambda: pre_tokenizers.Dictionary(["\ud800"]),
        lambda: models.WordLevel(["\ud800"]),
        lambda: pw.AddedToken("\ud800"),
    ):
        with pytest.raises(SurrogateError):
            call()


# Details of single components


def test_older_json_of_metaspace_is_read() -> None:
    old = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "str_rep": "▁"}
    assert P.from_dict(old) == pre_tokenizers.Metaspace()
    never = old | {"add_prefix_space": False, "prepend_scheme": "never", "split": None}
    assert P.from_dict(never) == pre_tokenizers.Metaspace(prepend_scheme="never")


def test_optional_members_have_defaults() -> None:
    assert P.from_dict({"type": "Punctuation"}) == pre_tokenizers.Punctuation()
    assert P.from_dict({"type": "FixedLength"}) == pre_tokenizers.FixedLength()
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
    assert P.from_dict(byte_level) == pre_tokenizers.ByteLevel()
    assert R.from_dict(byte_level) == processors.ByteLevel()
    bert = normalizers.BertNormalizer().to_dict()
    del bert["strip_accents"]
    assert N.from_dict(bert) == normalizers.BertNormalizer()


def test_any_iterable_is_accepted_as_list() -> None:
    parts = [normalizers.NFC(), normalizers.Strip()]
    assert normalizers.Sequence(iter(parts)) == normalizers.Sequence(tuple(parts))  # type: ignore[arg-type]
    assert isinstance(normalizers.Sequence(parts).normalizers, tuple)
    assert pre_tokenizers.Dictionary(p for p in "bab").phrases == ("b", "a")
    assert pre_tokenizers.Dictionary({"b", "a", "c"}).phrases == ("a", "b", "c")
    words = pre_tokenizers.Jieba(user_words=(w for w in ["a", ("b", 0)])).user_words
    assert words == (("a", None, None), ("b", 0, None))


def halves(text: str) -> list[tuple[int, int]]:
    """Splits in the middle; defined at module level, so that it can be pickled."""
    middle = len(text) // 2
    return [(0, middle), (middle, len(text))]


def test_functions_are_passed_to_the_core_by_index() -> None:
    function = pre_tokenizers.Function(halves)
    whole = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Whitespace(),
            function,
            pre_tokenizers.Sequence([pre_tokenizers.Function(str.split)]),
        ]
    )
    text, functions = whole.to_core()
    assert functions == whole.functions() == [halves, str.split]
    parts = json.loads(text)["pretokenizers"]
    assert parts[1] == {"type": "piecework.Function", "index": 0}
    assert parts[2]["pretokenizers"] == [{"type": "piecework.Function", "index": 1}]
    assert P.from_dict(json.loads(text), functions) == whole
    assert P.from_dict({"type": "piecework.Function", "index": 0}, [halves]) == function
    for short in ([halves], []):
        with pytest.raises(
            UnsupportedError, match=r"pretokenizers\[.*\]\.index: the pre-tokenizer was a Python"
        ):
            P.from_dict(json.loads(text), short)


def test_functions_cannot_be_saved() -> None:
    for part in (
        pre_tokenizers.Function(halves),
        pre_tokenizers.Sequence([pre_tokenizers.Function(halves)]),
    ):
        with pytest.raises(ConfigError, match=r"halves cannot be saved; .*Dictionary"):
            part.to_dict()
        assert pickle.loads(pickle.dumps(part)) == part


def test_functions_compare_by_identity() -> None:
    first, second = (pre_tokenizers.Function(lambda text: [text]) for _ in range(2))
    assert first == copy.copy(first)
    assert first != second
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(first)


def test_template_special_tokens() -> None:
    both = [("a", 1), {"id": "b", "ids": [2, 3], "tokens": ["x", "y"]}, ("a", 1)]
    template = processors.TemplateProcessing("a $A b", "a $A b $B:1 b:1", both)  # type: ignore[arg-type]
    assert [t.id for t in template.special_tokens] == ["a", "b"]
    assert template.num_special_tokens_to_add(is_pair=False) == 3
    assert template.num_special_tokens_to_add(is_pair=True) == 5
    again = processors.TemplateProcessing(template.single, template.pair, template.special_tokens)
    assert again == template
    assert [str(piece) for piece in template.pair] == ["a", "$A", "b", "$B:1", "b:1"]


def test_special_token_names_with_template_syntax() -> None:
    """Names of special tokens in JSON may look like other items of a template string."""
    name = "$x:1"
    data = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": name, "type_id": 2}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {name: {"id": name, "ids": [1], "tokens": [name]}},
    }
    template = R.from_dict(data)
    assert template.to_dict() == data
    assert eval(repr(template), vars(processors)) == template


@pytest.mark.parametrize(
    ("processor", "single", "pair"),
    [
        (processors.BertProcessing(("a", 1), ("b", 2)), 2, 3),
        (processors.RobertaProcessing(("a", 1), ("b", 2)), 2, 4),
        (processors.ByteLevel(), 0, 0),
        (processors.TemplateProcessing(), 0, 0),
        (processors.Sequence([]), 0, 0),
    ],
    ids=repr,
)
def test_number_of_special_tokens_to_add(
    processor: processors.PostProcessor, single: int, pair: int
) -> None:
    assert processor.num_special_tokens_to_add(is_pair=False) == single
    assert processor.num_special_tokens_to_add(is_pair=True) == pair
    twice = processors.Sequence([processor, processor])
    assert twice.num_special_tokens_to_add(is_pair=True) == 2 * pair


def test_vocabularies_are_ordered_by_id() -> None:
    vocab = models.WordPiece({"b": 7, "a": 3}).vocab
    assert list(vocab.items()) == [("a", 3), ("b", 7)]
    assert (vocab["b"], len(vocab), "c" in vocab, vocab.get("c")) == (7, 2, False, None)
    assert vocab == {"b": 7, "a": 3}
    assert models.WordPiece(vocab).vocab is vocab
    for given in (["a", "a"], {"a": 1, "b": 1}):
        with pytest.raises(VocabularyError, match="a"):
            models.WordPiece(given)  # type: ignore[arg-type]


def test_settings_unknown_to_tokenizers_change_the_type() -> None:
    vocab = ["[UNK]", "a"]
    for settings, kind in (
        ({}, "WordPiece"),
        ({"unknown": "run"}, "piecework.WordPiece"),
        ({"unknown": "char"}, "piecework.WordPiece"),
        ({"unk_token": None}, "piecework.WordPiece"),
        ({"max_input_chars_per_word": None}, "WordPiece"),
    ):
        data = models.WordPiece(vocab, **settings).to_dict()  # type: ignore[arg-type]
        assert data["type"] == kind
        assert ("piecework" in data) == (kind != "WordPiece")
    data = models.WordPiece(["a"], unk_token=None).to_dict()
    assert data["type"] == "WordPiece"
    assert data["piecework"] == {"version": 1, "unknown": "word", "has_unk": False}


# Jieba's user dictionary


def test_jieba_user_dictionaries_of_the_table(tmp_path: Path) -> None:
    table = json.loads(Path("spec/cases/jieba.json").read_text(encoding="utf-8"))
    path = tmp_path / "userdict.txt"
    for name, dictionary in table["dictionaries"].items():
        path.write_bytes(dictionary["text"].encode())
        read = pre_tokenizers.Jieba.from_user_dictionary(path)
        assert [list(word) for word in read.user_words] == dictionary["words"], name


def test_jieba_user_dictionaries_are_read(tmp_path: Path) -> None:
    path = tmp_path / "userdict.txt"
    lines = [
        "\ufeff云计算 5",
        "李小福 2 nr",
        "",
        "easy_install 3 eng",
        "韩玉赏鉴 nz",
        "台中",
        "a b 7",
    ]
    path.write_text("\r\n".join(lines), encoding="utf-8")
    jieba = pre_tokenizers.Jieba.from_user_dictionary(path, hmm=False)
    assert not jieba.hmm
    assert jieba.user_words == (
        ("云计算", 5, None),
        ("李小福", 2, "nr"),
        ("easy_install", 3, "eng"),
        ("韩玉赏鉴", None, "nz"),
        ("台中", None, None),
        ("a b", 7, None),
    )
    path.write_bytes("云计算 5\n台中\n".encode("gb18030"))
    with pytest.raises(InvalidUtf8Error, match="line 1"):
        pre_tokenizers.Jieba.from_user_dictionary(path)
    read = pre_tokenizers.Jieba.from_user_dictionary(path, encoding="gb18030")
    assert read.user_words == (("云计算", 5, None), ("台中", None, None))
    path.write_text("a\nb 18446744073709551616\n")
    with pytest.raises(FormatError, match=r"userdict\.txt: line 2: the frequency"):
        pre_tokenizers.Jieba.from_user_dictionary(path)
    path.write_bytes(b"")
    assert pre_tokenizers.Jieba.from_user_dictionary(path) == pre_tokenizers.Jieba()
    with pytest.raises(FileNotFoundError):
        pre_tokenizers.Jieba.from_user_dictionary(tmp_path / "none")
