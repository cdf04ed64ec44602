"""Files of piecework and `tokenizers` load in the other library and encode alike."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import piecework as pw
import strategies
from parity_live import VOCABULARIES, case_texts, compare, entries, live, loaded, tokenizers
from profiles import examples

TEXT = [
    "The quick brown fox jumps over the lazy dog; don't panic!",
    "Ünïcode: naïve café, ĲSSELMEER, İstanbul, 中文字符, ΟΔΟΣ",
    "low lower lowest newest widest [MASK] [UNK] aaaa aaaaaa",
] * 3
CRITERIA = ("likelihood", "pmi", "sum", "frequency")
BERT, SPLIT = pw.pre_tokenizers.BertPreTokenizer(), pw.pre_tokenizers.WhitespaceSplit()


def texts() -> Iterator[str]:
    yield from TEXT[:3]
    yield from case_texts()
    rng = random.Random(3)
    for _ in range(150):
        yield "".join(rng.choices("abe loweut[]CLS#é中\u0301.", k=rng.randrange(40)))


def check_loads_in_tokenizers(tokenizer: pw.Tokenizer) -> None:
    theirs = loaded(tokenizer.to_str())
    assert theirs.get_vocab() == tokenizer.vocab
    for text in texts():
        compare(theirs, tokenizer, text)
        compare(theirs, tokenizer, text, "a second one")


def trained(**settings: Any) -> pw.Tokenizer:
    stages = {
        name: settings.pop(name) for name in ("normalizer", "pre_tokenizer") if name in settings
    }
    return pw.train(TEXT, pw.WordPieceTrainer(vocab_size=160, **settings), **stages)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_trained_tokenizers_load_in_tokenizers(criterion: str) -> None:
    check_loads_in_tokenizers(trained(criterion=criterion))


@pytest.mark.parametrize(
    "settings",
    [
        {"special_tokens_first": False},
        {"special_tokens": ("[UNK]",)},
        {"special_tokens": ("[UNK]", "[SEP]", "[CLS]", "<x>")},
        {"continuing_subword_prefix": ""},
        {"continuing_subword_prefix": "@@"},
        {"pre_tokenizer": SPLIT},
        {"pre_tokenizer": None},
        {"pre_tokenizer": None, "continuing_subword_prefix": ""},
        {"normalizer": None},
        {"normalizer": None, "pre_tokenizer": None},
        {"prune_unused": True, "ties": "first"},
    ],
    ids=str,
)
def test_settings_load_in_tokenizers(settings: dict[str, Any]) -> None:
    check_loads_in_tokenizers(trained(**settings))


@pytest.mark.parametrize("strip_accents", [None, True, False])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("clean_text", [True, False])
@pytest.mark.parametrize("handle_chinese_chars", [True, False])
def test_normalizer_flags_load_in_tokenizers(
    *, strip_accents: bool | None, lowercase: bool, clean_text: bool, handle_chinese_chars: bool
) -> None:
    normalizer = pw.normalizers.BertNormalizer(
        clean_text=clean_text,
        handle_chinese_chars=handle_chinese_chars,
        strip_accents=strip_accents,
        lowercase=lowercase,
    )
    check_loads_in_tokenizers(trained(normalizer=normalizer))


def test_missing_word_limit_loads_in_tokenizers() -> None:
    tokenizer = trained(continuing_subword_prefix="").replace(max_input_chars_per_word=None)
    theirs = loaded(tokenizer.to_str())
    for text in ("a" * 1000, "lowest" * 500, "the" * 200 + "ß"):
        compare(theirs, tokenizer, text)


@pytest.mark.parametrize("unknown", ["run", "char"])
def test_tokenizers_refuses_unknown_policies(unknown: Any) -> None:
    tokenizer = trained().replace(unknown=unknown)
    with pytest.raises(Exception, match=r"."):
        loaded(tokenizer.to_str())
    assert pw.Tokenizer.from_str(tokenizer.to_str()).unknown == unknown
    default = tokenizer.replace(unknown="word")
    assert loaded(default.to_str()).encode("zürich").ids == default.encode_ids("zürich")


@given(strategies.encoders(), st.lists(strategies.texts, max_size=5))
@examples(300)
def test_any_vocabulary_loads_in_tokenizers(
    encoder: tuple[list[str], dict[str, Any]], some: list[str]
) -> None:
    import impls

    vocab, options = encoder
    tokenizer = impls.Core().encoder(vocab, options | {"unknown": "word"}).tokenizer
    theirs = loaded(tokenizer.to_str())
    for text in some:
        compare(theirs, tokenizer, text)


# Files of `tokenizers`


def check_loads_from_tokenizers(theirs: Any, text: str, **settings: Any) -> pw.Tokenizer:
    tokenizer = pw.Tokenizer.from_str(text, **settings)
    for some in texts():
        compare(theirs, tokenizer, some)
        compare(theirs, tokenizer, some, "a second one")
    again = pw.Tokenizer.from_str(tokenizer.to_str())
    assert again == tokenizer
    assert loaded(tokenizer.to_str()).encode("naïve café").ids == tokenizer.encode_ids("naïve café")
    return tokenizer


@pytest.mark.parametrize("lowercase", [True, False])
def test_saved_bert_tokenizer_loads(data: Path, tmp_path: Path, *, lowercase: bool) -> None:
    for name in VOCABULARIES:
        theirs = live(entries(data, name), lowercase=lowercase)
        path = tmp_path / f"{name}.json"
        theirs.save(str(path))
        check_loads_from_tokenizers(theirs, path.read_text(encoding="utf-8"))


def test_tokenizer_trained_by_tokenizers_loads() -> None:
    theirs = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    theirs.normalizer = tokenizers.normalizers.BertNormalizer()
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    theirs.decoder = tokenizers.decoders.WordPiece()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=150, special_tokens=specials, show_progress=False
    )
    theirs.train_from_iterator(TEXT, trainer)
    check_loads_from_tokenizers(theirs, theirs.to_str())
    theirs.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    check_loads_from_tokenizers(theirs, theirs.to_str())
    theirs.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A [SEP]:4 [MASK]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:7",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3), ("[MASK]", 4)],
    )
    check_loads_from_tokenizers(theirs, theirs.to_str())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    theirs.decoder = tokenizers.decoders.WordPiece(prefix="##", cleanup=False)
    check_loads_from_tokenizers(theirs, theirs.to_str())
    theirs.normalizer = None
    check_loads_from_tokenizers(theirs, theirs.to_str())


def test_template_orders_texts_without_special_tokens_too() -> None:
    theirs = loaded(trained().to_str())
    theirs.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A:3 [SEP]:4",
        pair="[CLS] $B:1 [SEP] $A:2 [SEP]:7",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    check_loads_from_tokenizers(theirs, theirs.to_str())


def test_special_tokens_outside_the_vocabulary_load(data: Path) -> None:
    theirs = live(entries(data, "bert-base-uncased"))
    theirs.add_special_tokens(["<user>", "<user>!", "é\u0301"])
    tokenizer = check_loads_from_tokenizers(theirs, theirs.to_str())
    compare(theirs, tokenizer, "x<user>!y<user>é\u0301<USER>")


def test_hub_model_loads(data: Path) -> None:
    path = data / "vocabs" / "all-minilm-l6-v2-tokenizer.json"
    if not path.exists():
        pytest.skip(f"{path} is missing")
    text = path.read_text(encoding="utf-8")
    theirs = loaded(text)
    assert theirs.truncation["max_length"] == theirs.padding["length"] == 128
    check_loads_from_tokenizers(theirs, text)
    theirs.no_truncation()
    theirs.no_padding()
    check_loads_from_tokenizers(theirs, text, truncation=None, padding=None)


def test_vocab_txt_equals_tokenizers(data: Path, tmp_path: Path) -> None:
    for name in VOCABULARIES:
        path = data / "vocabs" / f"{name}-vocab.txt"
        wanted = tokenizers.models.WordPiece.read_file(str(path))
        tokenizer = pw.Tokenizer.from_file(path, lowercase=True)
        # `tokenizers` cuts off all white space, also the U+2028 that is an entry of bert-base-chinese.
        assert {token.rstrip(): number for token, number in tokenizer.vocab.items()} == wanted
        tokenizer.save(tmp_path / "vocab.txt", "vocab.txt")
        again = pw.Tokenizer.from_file(tmp_path / "vocab.txt", lowercase=True)
        assert again == tokenizer


def test_truncation_and_padding_load() -> None:
    theirs = loaded(trained().to_str())
    theirs.enable_truncation(max_length=9, stride=1, direction="left")
    theirs.enable_padding(length=9, direction="left", pad_type_id=2)
    text = theirs.to_str()
    tokenizer = check_loads_from_tokenizers(theirs, text)
    assert {len(tokenizer.encode_ids(some)) for some in texts()} == {9}
    assert tokenizer.to_str() != pw.Tokenizer.from_str(text, truncation=None).to_str()
    for off in ("truncation", "padding"):
        getattr(theirs, f"no_{off}")()
        tokenizer = check_loads_from_tokenizers(theirs, text, **dict.fromkeys(("truncation", off)))
    assert json.loads(tokenizer.to_str())["truncation"] is None
