"""`piecework.hf` beside `tokenizers`: messages of errors, changed arguments, and texts that are kept after a callback."""

from types import ModuleType
from typing import Any

import pytest

from hf_peers import OURS, THEIRS, check_same, evaluated, outcome

BUILD = "k = Tokenizer(models.WordLevel({'a': 0, 'b': 1, 'u': 2}, 'u')); k.pre_tokenizer = pre_tokenizers.Whitespace(); "

TEMPLATES = [
    f"processors.TemplateProcessing({arguments})"
    for arguments in (
        "single='[CLS] $$ [SEP]'",
        "single='[CLS] $A: [SEP]'",
        "single='$C'",
        "single=['$$']",
        "single='a:1:2'",
        "single='$A:-1'",
        "single='$99999999999'",
        "single='$A  $B'",
        "single=''",
        "single=['[CLS]']",
        "pair='$A'",
        "single=3",
        "single=[3]",
        "special_tokens=[3]",
        "special_tokens=[('a', 'b')]",
        "special_tokens=[{'id': 'a'}]",
        "special_tokens=[{'ids': [1]}]",
        "special_tokens=[{'id': 'a', 'ids': [1]}]",
        "special_tokens=[{'id': 'a', 'ids': [1], 'tokens': []}]",
    )
]
TRAINERS = [
    f"k = Tokenizer(models.{model}()); k.{call}, trainers.{trainer}Trainer(show_progress=False))"
    for trainer, model in (
        ("Bpe", "WordPiece"),
        ("WordPiece", "BPE"),
        ("WordLevel", "Unigram"),
        ("Unigram", "BPE"),
    )
    for call in ("train_from_iterator(['a']", "train([]")
]
OTHERS = f"""\
{BUILD}k.encode('a b').truncate(2, 1, 'bad')
{BUILD}k.encode('a b').pad(9, direction='bad')
{BUILD}k.enable_truncation(3, strategy='bad')
{BUILD}k.enable_truncation(3, direction='bad')
{BUILD}k.enable_padding(direction='bad')
{BUILD}k.encode(3)
{BUILD}k.encode(['a'])
{BUILD}k.encode('a', is_pretokenized=True)
{BUILD}k.encode_batch([3])
{BUILD}k.add_tokens([3])
{BUILD}k.add_special_tokens([3])
trainers.BpeTrainer(special_tokens=[3])
trainers.UnigramTrainer(special_tokens=[3])
trainers.ParityBpeTrainer(variant='bad')
pre_tokenizers.Split('a', 'bad')
pre_tokenizers.Punctuation('bad')
pre_tokenizers.Metaspace(prepend_scheme='bad')
decoders.Metaspace(prepend_scheme='bad')
pre_tokenizers.Metaspace('')
normalizers.unicode_normalizer_from_str('x')
normalizers.Sequence([])[0]
pre_tokenizers.Sequence([])[0]
processors.Sequence([])[0]
k = normalizers.Sequence([]); k.__setitem__(0, normalizers.NFC())
normalizers.Replace('a', 'b').pattern
pre_tokenizers.Split('a', 'removed').pattern
normalizers.Replace('a', 'b').__setattr__('pattern', 'x')
pre_tokenizers.Split('a', 'removed').__setattr__('pattern', 'x')
NormalizedString('a b').split('a', 'bad')
NormalizedString('a b').filter(3)
NormalizedString('a b').map(3)
NormalizedString('a b').for_each(3)
NormalizedString('a b')[-9]
PreTokenizedString('a b').split(3)
PreTokenizedString('a b').normalize(3)
PreTokenizedString('a b').tokenize(3)
PreTokenizedString('a b').to_encoding()
PreTokenizedString('a b').get_splits('bad')
PreTokenizedString('a b').get_splits('original', 'bad')
normalizers.NFC().__setstate__(b'{{}}').a
pre_tokenizers.Digits().__setstate__(b'bad').a""".splitlines()


@pytest.mark.parametrize("expression", TEMPLATES + TRAINERS + OTHERS)
def test_messages_begin_as_theirs(expression: str) -> None:
    theirs, ours = outcome(THEIRS, expression), outcome(OURS, expression)
    assert isinstance(theirs, Exception)
    assert isinstance(ours, type(theirs))
    # Ours can go on, with what was found; the reasons of their parser of JSON are its own.
    wanted = str(theirs).rstrip(".").split(": expected value")[0].split(": data did not")[0]
    assert str(ours).startswith(wanted)


def test_truncation_names_the_direction_alone() -> None:
    message = str(outcome(OURS, f"{BUILD}k.encode('a b').truncate(2, 1, 'bad')"))
    assert message == "Invalid truncation direction value : bad"


STATES = [
    "pre_tokenizers.ByteLevel()",
    "pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)",
    "pre_tokenizers.Metaspace('_', 'first', False)",
    "pre_tokenizers.Digits(True)",
    "pre_tokenizers.FixedLength(3)",
    "pre_tokenizers.CharDelimiterSplit('a')",
    "pre_tokenizers.Whitespace()",
    "normalizers.BertNormalizer(lowercase=False)",
    "normalizers.Prepend('a')",
    "normalizers.NFC()",
    "decoders.ByteLevel()",
    "decoders.WordPiece('@', False)",
    "decoders.Metaspace('_', 'never', False)",
    "decoders.BPEDecoder('x')",
    "decoders.CTC('p', 'w', False)",
    "decoders.ByteFallback()",
    "processors.ByteLevel(trim_offsets=False)",
    "models.WordPiece({'a': 0})",
    "models.WordLevel({'a': 0})",
]


@pytest.mark.parametrize("component", STATES)
def test_constructors_take_the_members_of_states(component: str) -> None:
    kind = component.split("(", maxsplit=1)[0]
    state = f"s = json.loads({component}.__getstate__()); "
    check_same(f"{state}s.pop('type'); {kind}(**s)")
    check_same(f"{state}{kind}(**s)")
    check_same(f"{kind}(bogus=1)")


def test_a_decoder_ignores_its_settings() -> None:
    check_same("decoders.ByteLevel(add_prefix_space=False).decode(['Ġa'])")


BY = [f"k.add_{kind}tokens([t])" for kind in ("special_", "")] + [
    f"trainers.{name}Trainer(special_tokens=[t])"
    for name in ("Bpe", "WordPiece", "WordLevel", "Unigram", "ParityBpe")
]


@pytest.mark.parametrize("call", BY)
@pytest.mark.parametrize("token", ["AddedToken('the')", "AddedToken('the', normalized=True)"])
def test_added_tokens_of_the_caller(call: str, token: str) -> None:
    check_same(f"{BUILD}t = {token}; {call}; (t.special, t.normalized, repr(t))")


def test_an_attribute_marks_the_tokens_of_the_caller() -> None:
    check_same("t = AddedToken('q'); k = trainers.BpeTrainer(); k.special_tokens = [t]; repr(t)")


AGAIN = f"{BUILD}k.add_special_tokens(['x', 'y']); k.add_tokens(['x']); "


@pytest.mark.parametrize(
    "expression",
    [
        "(k.decode([3, 0]), k.decode([3, 0], skip_special_tokens=False), k.decode_batch([[3, 4]]))",
        "repr(k.get_added_tokens_decoder())",
        "k.to_str()",
        "k.encode_special_tokens = True; [k.encode('a x y b').tokens, k.encode('x').ids]",
        "k.encode('ax b').tokens",
        "Tokenizer.from_str(k.to_str()).decode([3, 0])",
        "import copy; n = copy.deepcopy(k); (n.decode([3, 0]), n.to_str())",
        "import pickle; pickle.loads(pickle.dumps(k)).decode([3, 0])",
        "(k.add_tokens(['x']), k.add_special_tokens(['x']), k.add_tokens(['x']), k.decode([3, 0]))",
        "n = Tokenizer.from_str(k.to_str()); n.add_tokens(['y']); n.decode([3, 4, 0])",
        "k.add_tokens([AddedToken('z', special=True)]); k.add_tokens(['z']); k.decode([5, 0])",
        "k.decoder = decoders.Decoder.custom(str); k.decoder = decoders.Fuse(); k.decode([3, 0])",
    ],
)
def test_a_special_token_added_again_as_a_plain_one(expression: str) -> None:
    check_same(AGAIN + expression)


class Keeps:
    """Keeps the text that it gets."""

    def __init__(self, change: Any) -> None:
        self.kept: list[Any] = []
        self.change = change

    def normalize(self, text: Any) -> None:
        self.change(text)
        self.kept.append(text)

    pre_tokenize = normalize


def changed(text: Any) -> None:
    text.prepend("é")
    text.uppercase()


def cut(text: Any) -> None:
    text.split(lambda _, part: part.split(" ", "removed"))


USES = {
    "normalized": lambda text: text.normalized,
    "original": lambda text: text.original,
    **{
        name: lambda text, name=name: getattr(text, name)()
        for name in "nfc nfd nfkc nfkd lowercase uppercase strip lstrip rstrip clear".split()
    },
    "append": lambda text: text.append("a"),
    "prepend": lambda text: text.prepend("a"),
    "replace": lambda text: text.replace("a", "b"),
    "split": lambda text: text.split("a", "removed"),
    "slice": lambda text: text.slice((0, 1)),
    "filter": lambda text: text.filter(str.isalpha),
    "map": lambda text: text.map(str.upper),
    "for_each": lambda text: text.for_each(print),
}
PARTS_USES = {
    "split": lambda text: text.split(print),
    "normalize": lambda text: text.normalize(print),
    "tokenize": lambda text: text.tokenize(print),
    "to_encoding": lambda text: text.to_encoding(),
    "get_splits": lambda text: text.get_splits(),
}
modules = pytest.mark.parametrize("module", [THEIRS, OURS], ids=["theirs", "ours"])


@modules
@pytest.mark.parametrize("use", USES)
def test_a_normalized_string_is_unusable_after_its_callback(module: ModuleType, use: str) -> None:
    custom = Keeps(changed)
    normalizer = module.normalizers.Normalizer.custom(custom)
    assert normalizer.normalize_str("a b") == "ÉA B"
    text = module.NormalizedString("a b")
    normalizer.normalize(text)
    assert text.normalized == "ÉA B"
    parts = module.PreTokenizedString("a b")
    parts.normalize(custom.normalize)
    assert parts.get_splits() == [("ÉA B", (0, 3), None)]
    tok = module.Tokenizer(module.models.WordLevel({"ÉA B": 0, "u": 1}, "u"))
    tok.normalizer = normalizer
    assert tok.encode("a b").ids == [0]
    assert len(custom.kept) == 4
    for kept in custom.kept:
        with pytest.raises(Exception, match="Cannot use a NormalizedStringRefMut outside"):
            USES[use](kept)
        assert "object at" in repr(kept)  # for debuggers


@modules
@pytest.mark.parametrize("use", PARTS_USES)
def test_a_pre_tokenized_string_is_unusable_after_its_callback(
    module: ModuleType, use: str
) -> None:
    custom = Keeps(cut)
    pre_tokenizer = module.pre_tokenizers.PreTokenizer.custom(custom)
    assert pre_tokenizer.pre_tokenize_str("a b") == [("a", (0, 1)), ("b", (2, 3))]
    text = module.PreTokenizedString("a b")
    pre_tokenizer.pre_tokenize(text)
    assert len(text.get_splits()) == 2
    tok = module.Tokenizer(module.models.WordLevel({"a": 0, "b": 1}, "a"))
    tok.pre_tokenizer = pre_tokenizer
    assert tok.encode("a b").ids == [0, 1]
    assert len(custom.kept) == 3
    for kept in custom.kept:
        with pytest.raises(Exception, match="Cannot use a PreTokenizedStringRefMut outside"):
            PARTS_USES[use](kept)


@modules
def test_changes_before_an_error_stay(module: ModuleType) -> None:
    def fail(text: Any) -> None:
        text.uppercase()
        raise KeyError("x")

    text = module.NormalizedString("ab")
    with pytest.raises(Exception, match="KeyError"):
        module.normalizers.Normalizer.custom(Keeps(fail)).normalize(text)
    assert text.normalized == "AB"


@modules
def test_parts_of_a_split_are_copies(module: ModuleType) -> None:
    kept: list[Any] = []

    def halves(_number: int, part: Any) -> list[Any]:
        kept.extend([part, *part.split(" ", "removed")])
        return kept[1:]

    text = module.PreTokenizedString("a b")
    text.split(halves)
    for part in kept:
        part.append("x")
        part.uppercase()
    assert [part.normalized for part in kept] == ["A BX", "AX", "BX"]
    assert [part for part, _, _ in text.get_splits()] == ["a", "b"]


PLACES = (
    "-1 -2 -5 0 3 4 (0,0) (0,9) (1,1) (5,9) (4,4) slice(-2,None) slice(5,9) slice(0,-1) slice(None)"
)


@pytest.mark.parametrize("place", PLACES.split())
@pytest.mark.parametrize("text", ["a b", "né x", ""])
def test_parts_of_a_normalized_string(text: str, place: str) -> None:
    check_same(f"NormalizedString({text!r})[{place}]")


def test_tokenize_takes_tokens() -> None:
    for result in ("3", "[3]"):
        value = outcome(OURS, f"PreTokenizedString('a').tokenize(lambda part: {result})")
        assert isinstance(value, TypeError)


def test_missing_attributes_are_attribute_errors() -> None:
    for text in (OURS.NormalizedString("a"), OURS.PreTokenizedString("a")):
        with pytest.raises(AttributeError, match="no attribute 'foo'"):
            text.foo  # noqa: B018  # raises


CYCLE = "k = []; k.append(k); "


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (f"{CYCLE}processors.TemplateProcessing(k)", "Expected Union"),
        (f"{CYCLE}m.PreTokenizedString('a').get_splits(k)", "Wrong value for OffsetReferential"),
        (f"{CYCLE}m.BertWordPieceTokenizer(sep_token=k)", "a str or an AddedToken"),
        (f"{CYCLE}models.WordLevel({{'a': 0}}, 'a').save('.', k)", "an instance of 'str'"),
        ("normalizers.Normalizer.custom(None)", "with its methods, found None"),
        ("decoders.Decoder.custom(None)", "with its methods, found None"),
        ("decoders.DecodeStream().__setstate__({})", "the state of a DecodeStream"),
        ("decoders.DecodeStream().__setstate__(([1], False, [3]))", "the state of a DecodeStream"),
        ("normalizers.unicode_normalizer_from_str(10**5000)", "not a known unicode normalizer"),
        ("models.WordPiece(max_input_chars_per_word=-(10**5000))", "is not from 0"),
        ("m.Tokenizer(models.BPE()).__setstate__(10**10)", "an instance of 'bytes'"),
        ("Encoding().__setstate__('{}')", "the state of an Encoding"),
        ("Encoding().__setstate__('[' * 100_000)", "nested too deeply"),
        ('trainers.BpeTrainer().__setstate__(\'{"type": "NFC"}\')', "the state of a BpeTrainer"),
        ("trainers.BpeTrainer().__setstate__('[]')", "the state of a BpeTrainer"),
    ],
)
def test_errors_of_hostile_values(call: str, message: str) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError), match=message):
        evaluated(OURS, call)


def test_the_characters_of_a_normalized_string_end() -> None:
    text = OURS.NormalizedString("né")
    text.nfd()
    assert [part.normalized for part in text] == ["n", "e", "\u0301"]


def test_without_a_normalizer_a_text_stays() -> None:
    tok = OURS.CharBPETokenizer(bert_normalizer=False)
    assert tok.normalize("Né") == "Né"
    with pytest.raises(TypeError):
        tok.normalize(3)
