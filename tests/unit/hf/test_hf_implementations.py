"""The ready-made tokenizers of `piecework.hf` and of `tokenizers`: equal parts, trainings and calls."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hf_peers import OURS, THEIRS, check_encodings

TEXTS = [
    "To be, or not to be: that is the question.",
    "Whether 'tis nobler in the mind",
    "É ﬁve",
] * 3
NAMES = [
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
]
BERT = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "to": 4, "be": 5, "##o": 6}
BPE = ({"a": 0, "b": 1, "ab": 2, "<unk>": 3, "▁": 4}, [("a", "b")])
SUFFIXED = ({"a": 0, "b</w>": 1, "ab</w>": 2, "<unk>": 3}, [("a", "b</w>")])
UNIGRAM = [("<unk>", 0.0), ("▁to", -1.0), ("▁", -2.0), ("b", -3.0), ("e", -3.5)]
SETTINGS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("BertWordPieceTokenizer", (), {}),
    ("BertWordPieceTokenizer", (BERT,), {}),
    (
        "BertWordPieceTokenizer",
        (BERT,),
        {"lowercase": False, "strip_accents": True, "clean_text": False},
    ),
    ("BertWordPieceTokenizer", (BERT,), {"handle_chinese_chars": False, "wordpieces_prefix": "@"}),
    ("ByteLevelBPETokenizer", (), {}),
    (
        "ByteLevelBPETokenizer",
        BPE,
        {"add_prefix_space": True, "trim_offsets": True, "dropout": 0.0},
    ),
    ("ByteLevelBPETokenizer", BPE, {"lowercase": True, "unicode_normalizer": "nfkc"}),
    ("CharBPETokenizer", (), {}),
    ("CharBPETokenizer", SUFFIXED, {"lowercase": True, "unicode_normalizer": "nfd"}),
    ("CharBPETokenizer", SUFFIXED, {"bert_normalizer": False, "split_on_whitespace_only": True}),
    ("SentencePieceBPETokenizer", (), {}),
    ("SentencePieceBPETokenizer", BPE, {"add_prefix_space": False, "fuse_unk": True}),
    ("SentencePieceUnigramTokenizer", (), {}),
    ("SentencePieceUnigramTokenizer", (UNIGRAM,), {"add_prefix_space": False}),
]


def both(name: str, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    theirs, ours = (getattr(module, name)(*args, **kwargs) for module in (THEIRS, OURS))
    return theirs, ours


@pytest.mark.parametrize(("name", "args", "kwargs"), SETTINGS, ids=str)
def test_parts_are_equal(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    theirs, ours = both(name, *args, **kwargs)
    assert json.loads(ours.to_str()) == json.loads(theirs.to_str())
    assert repr(ours) == repr(theirs)
    if args and "Unigram" not in name:
        for text in TEXTS:
            check_encodings(theirs.encode(text), ours.encode(text))


@pytest.mark.parametrize("name", NAMES)
def test_calls_are_passed_on(name: str) -> None:
    theirs, ours = both(
        name,
        *{"BertWordPieceTokenizer": (BERT,), "SentencePieceUnigramTokenizer": (UNIGRAM,)}.get(
            name, SUFFIXED if "Char" in name else BPE
        ),
    )
    for k in (theirs, ours):
        k.add_tokens(["xyz"])
        k.add_special_tokens(["<s>", "<unk>"])
        k.enable_padding(length=8)
        k.enable_truncation(6)
    assert (ours.padding, ours.truncation) == (theirs.padding, theirs.truncation)
    for call in (
        lambda k: k.get_vocab(),
        lambda k: k.get_vocab_size(with_added_tokens=False),
        lambda k: repr(k.get_added_tokens_decoder()),
        lambda k: (k.token_to_id("xyz"), k.id_to_token(1), k.num_special_tokens_to_add(True)),
        lambda k: k.decode([0, 1, 2]),
        lambda k: k.decode_batch([[0], [1, 2]], skip_special_tokens=False),
        lambda k: asyncio.run(k.async_decode_batch([[0], [1, 2]])),
        lambda k: json.loads(k.to_str()),
        lambda k: [
            repr(part) for part in (k.normalizer, k.pre_tokenizer, k.post_processor, k.decoder)
        ],
    ):
        assert call(ours) == call(theirs)
    if "Unigram" not in name:
        check_encodings(theirs.encode("to xyz"), ours.encode("to xyz"))
        for wanted, found in zip(
            theirs.encode_batch(["to", "be"]), ours.encode_batch(["to", "be"]), strict=True
        ):
            check_encodings(wanted, found)
        found = asyncio.run(ours.async_encode_batch(["to"]))
        assert [e.ids for e in found] == [
            e.ids for e in asyncio.run(ours.async_encode_batch_fast(["to"]))
        ]
    for call in ("encode", "encode_batch", "decode", "decode_batch"):
        with pytest.raises(ValueError, match="None"):
            getattr(ours, call)(None)
    ours.no_padding()
    ours.no_truncation()
    assert ours.padding is ours.truncation is None
    if ours.normalizer:
        assert ours.normalize("É ﬁ") == theirs.normalize("É ﬁ")


@pytest.mark.parametrize("name", [name for name in NAMES if "Unigram" not in name])
def test_trainings_are_equal(name: str, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("\n".join(TEXTS), encoding="utf-8")
    for source in ("texts", "file"):
        theirs, ours = both(name)
        for k in (theirs, ours):
            if source == "texts":
                k.train_from_iterator(TEXTS, vocab_size=300, show_progress=False)
            else:
                k.train(str(file), vocab_size=300, show_progress=False)
        if "Bert" in name or "Char" in name:
            # The order of their symbols with a prefix or suffix differs from run to run.
            assert len(ours.get_vocab()) == len(theirs.get_vocab())
        else:
            assert ours.get_vocab() == theirs.get_vocab()
        again = getattr(OURS, name)()
        again.train_from_iterator(TEXTS, vocab_size=300, show_progress=False)
        assert source == "file" or again.to_str() == ours.to_str()
        if source == "file":
            continue  # lines keep their ends, which a merges.txt cannot hold
        names = ours.save_model(str(tmp_path))
        loaded = getattr(OURS, name).from_file(*names)
        assert loaded.encode("to be").ids == ours.encode("to be").ids or "Bert" in name


def test_a_unigram_training() -> None:
    tok = OURS.SentencePieceUnigramTokenizer()
    tok.train_from_iterator(
        TEXTS, vocab_size=60, unk_token="<unk>", special_tokens=["<s>"], show_progress=False
    )
    assert tok.decode(tok.encode("to be or").ids) == "to be or"
    assert tok.token_to_id("<s>") == 1
    assert tok.get_vocab_size() <= 60


def test_a_sentencepiece_model(data: Path) -> None:
    tok = OURS.SentencePieceUnigramTokenizer.from_spm(str(data / "vocabs" / "t5-spiece.model"))
    assert tok.encode("Hello world").tokens == ["▁Hello", "▁world"]
    with pytest.raises(ValueError, match="Unigram"):
        OURS.SentencePieceUnigramTokenizer.from_spm(str(data / "vocabs" / "llama2-tokenizer.model"))


def test_special_tokens_must_be_in_the_vocabulary() -> None:
    for module in (THEIRS, OURS):
        with pytest.raises(TypeError, match="sep_token"):
            module.BertWordPieceTokenizer({"[UNK]": 0, "[CLS]": 1})
