"""Programs that take a `tokenizers.Tokenizer` run on ours, with equal results."""

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import class_folders
from hf_peers import OURS, THEIRS

TEXTS = ["Hello world", "a much longer text, with Zürich and 你好 in it", "x", ""]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
NAMES = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
CORPUS = [*TEXTS, "to be or not to be, that is the question", "Hello worlds, hello words!"] * 5


@pytest.fixture(scope="module")
def transformers() -> Any:
    return class_folders.transformers()


@pytest.fixture(scope="module")
def bert() -> str:
    """Returns a tokenizer.json with BERT's components."""
    tok = OURS.BertWordPieceTokenizer()
    tok.train_from_iterator(CORPUS, vocab_size=200, min_frequency=1, show_progress=False)
    sep, cls = ((token, tok.token_to_id(token)) for token in ("[SEP]", "[CLS]"))
    tok.post_processor = OURS.processors.BertProcessing(sep, cls)
    return str(tok.to_str())


@pytest.fixture(scope="module")
def gpt() -> str:
    """Returns a tokenizer.json with GPT-2's components."""
    tok = OURS.ByteLevelBPETokenizer()
    special = ["<|endoftext|>"]
    tok.train_from_iterator(CORPUS, vocab_size=400, special_tokens=special, show_progress=False)
    return str(tok.to_str())


def loaded(text: str) -> tuple[Any, Any]:
    return THEIRS.Tokenizer.from_str(text), OURS.Tokenizer.from_str(text)


def wrapped(transformers: Any, text: str, **names: str) -> tuple[Any, Any]:
    theirs, ours = (
        transformers.PreTrainedTokenizerFast(tokenizer_object=k, **names) for k in loaded(text)
    )
    return theirs, ours


CALLS: list[dict[str, Any]] = [
    {},
    {"padding": True},
    {"padding": True, "truncation": True, "max_length": 8, "return_tensors": "np"},
    {"padding": "max_length", "max_length": 20, "return_special_tokens_mask": True},
    {"return_offsets_mapping": True},
    {"truncation": True, "max_length": 12, "stride": 2, "return_overflowing_tokens": True},
    {"add_special_tokens": False, "return_length": True},
    {"padding": True, "pad_to_multiple_of": 8, "return_tensors": "np"},
]


def check_call(theirs: Any, ours: Any, *texts: Any, **call: Any) -> None:
    wanted, found = theirs(*texts, **call), ours(*texts, **call)
    assert found.keys() == wanted.keys()
    for name in wanted:
        if "return_tensors" in call:
            assert np.array_equal(found[name], wanted[name]), name
            assert found[name].dtype == wanted[name].dtype
        else:
            assert found[name] == wanted[name], name


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_transformers_calls(transformers: Any, bert: str, call: dict[str, Any]) -> None:
    theirs, ours = wrapped(transformers, bert, **NAMES)
    assert type(ours._tokenizer) is OURS.Tokenizer
    check_call(theirs, ours, TEXTS, **call)
    check_call(theirs, ours, TEXTS, TEXTS[::-1], **call)
    check_call(theirs, ours, [text.split() for text in TEXTS], is_split_into_words=True, **call)


def test_transformers_maps_and_tokens(transformers: Any, bert: str) -> None:
    theirs, ours = (k(TEXTS, TEXTS[::-1]) for k in wrapped(transformers, bert, **NAMES))
    for row in range(len(TEXTS)):
        assert ours.tokens(row) == theirs.tokens(row)
        assert ours.word_ids(row) == theirs.word_ids(row)
        assert ours.sequence_ids(row) == theirs.sequence_ids(row)
        for place in range(20):
            assert ours.char_to_token(row, place, 1) == theirs.char_to_token(row, place, 1)
            assert ours.char_to_word(row, place) == theirs.char_to_word(row, place)
        for token in range(len(ours.tokens(row))):
            assert ours.token_to_chars(row, token) == theirs.token_to_chars(row, token)
            assert ours.token_to_word(row, token) == theirs.token_to_word(row, token)


def test_transformers_added_tokens_and_files(transformers: Any, bert: str, tmp_path: Path) -> None:
    theirs, ours = wrapped(transformers, bert, **NAMES)
    for k in (theirs, ours):
        assert k.add_tokens(["foo", "bar baz", transformers.AddedToken("<q>", lstrip=True)]) == 3
        assert k.add_special_tokens({"additional_special_tokens": ["<s>"]}) == 1
    texts = [*TEXTS, "foo bar baz <s> Hello <q>"]
    check_call(theirs, ours, texts, padding=True)
    assert len(ours) == len(theirs)
    assert ours.get_vocab() == theirs.get_vocab()
    assert repr(ours) == repr(theirs)
    check_call(theirs, ours, texts)
    for ids in theirs(texts)["input_ids"]:
        for skip in (True, False):
            assert ours.decode(ids, skip_special_tokens=skip) == theirs.decode(
                ids, skip_special_tokens=skip
            )
        assert ours.convert_ids_to_tokens(ids) == theirs.convert_ids_to_tokens(ids)
    check_call(theirs, ours, texts)
    for name, k in (("theirs", theirs), ("ours", ours)):
        k.save_pretrained(tmp_path / name)
    for path in sorted((tmp_path / "theirs").iterdir()):
        assert (tmp_path / "ours" / path.name).read_text("utf-8") == path.read_text("utf-8")
    again = transformers.AutoTokenizer.from_pretrained(tmp_path / "ours")
    check_call(theirs, again, texts, padding=True)


def test_transformers_copies_and_special_tokens(transformers: Any, bert: str) -> None:
    theirs, ours = wrapped(transformers, bert, **NAMES)
    for k in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert type(k._tokenizer) is OURS.Tokenizer
        check_call(theirs, k, TEXTS)
    for k in (theirs, ours):
        k.split_special_tokens = True
    check_call(theirs, ours, ["a [SEP] b"], split_special_tokens=True)
    assert ours.num_special_tokens_to_add(True) == theirs.num_special_tokens_to_add(True)


def test_bert_tokenizer_fast(transformers: Any, bert: str) -> None:
    theirs, ours = (transformers.BertTokenizerFast(tokenizer_object=k) for k in loaded(bert))
    assert type(ours._tokenizer) is OURS.Tokenizer
    check_call(theirs, ours, TEXTS, TEXTS[::-1], padding=True, return_tensors="np")


def test_gpt2_with_bos(transformers: Any, gpt: str) -> None:
    names = {
        "eos_token": "<|endoftext|>",
        "bos_token": "<|endoftext|>",
        "pad_token": "<|endoftext|>",
    }
    theirs, ours = wrapped(transformers, gpt, **names)
    check_call(theirs, ours, TEXTS, padding=True, return_offsets_mapping=True)
    template = THEIRS.processors.TemplateProcessing(
        "$A:0 <|endoftext|>", special_tokens=[("<|endoftext|>", 0)]
    )
    for k in (theirs, ours):
        k.backend_tokenizer.post_processor = template
    check_call(theirs, ours, TEXTS)


def test_semantic_text_splitter(bert: str) -> None:
    module = pytest.importorskip("semantic_text_splitter")
    text = " ".join(CORPUS)
    theirs, ours = (
        module.TextSplitter.from_huggingface_tokenizer(k, 20).chunks(text) for k in loaded(bert)
    )
    assert ours == theirs
    assert len(ours) > 3


def test_semchunk(gpt: str) -> None:
    module = pytest.importorskip("semchunk")
    text = " ".join(CORPUS)
    theirs, ours = (module.chunkerify(k, 30)(text) for k in loaded(gpt))
    assert ours == theirs
    assert len(ours) > 3


def test_llguidance(transformers: Any, gpt: str) -> None:
    module = pytest.importorskip("llguidance.hf")
    names = {"eos_token": "<|endoftext|>"}
    theirs, ours = (module.from_tokenizer(k) for k in wrapped(transformers, gpt, **names))
    for text in TEXTS:
        assert ours.tokenize_str(text) == theirs.tokenize_str(text)
    assert ours.vocab_size == theirs.vocab_size


def test_model2vec(bert: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("model2vec")
    theirs, ours = loaded(bert)
    vectors = np.random.default_rng(0).random((theirs.get_vocab_size(), 8), dtype=np.float32)
    rows = [module.StaticModel(vectors, k).encode(TEXTS[:3]) for k in (theirs, ours)]
    assert np.array_equal(rows[0], rows[1])
