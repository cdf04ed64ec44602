"""Folders that classes of `transformers` write: `from_folder` beside `AutoTokenizer`, and what is warned of by name."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import class_folders as live
import live_bpe
import piecework as pw
from conftest import unpacked

Folder = Callable[[str], Path]
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
LLAMA = {"tokenizer_class": "LlamaTokenizer", "unk_token": "<unk>"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Folder:
    """Gives the folder of a class, which is written once."""
    path, made = tmp_path_factory.mktemp("classes"), dict[str, Path]()

    def folder(name: str) -> Path:
        if name not in made:
            made[name] = live.folder(name, data, path)
        return made[name]

    return folder


@pytest.fixture
def changed(written: Folder, tmp_path: Path) -> Folder:
    """Gives a copy of such a folder that a test may change."""
    return lambda name: Path(shutil.copytree(written(name), tmp_path / name))


@pytest.mark.parametrize("name", live.CLASSES)
def test_what_classes_write(written: Folder, name: str) -> None:
    live.same(written(name), live.texts())


@pytest.mark.parametrize("name", ["PegasusTokenizer", "XLNetTokenizer"])
def test_a_class_alone(changed: Folder, name: str) -> None:
    live.same(live.configure(changed(name), {"tokenizer_class": name}), live.texts())


def older(tokenizer: dict[str, Any]) -> None:
    """Makes a tokenizer.json as release 4 wrote it: Pegasus split at white space, and Llama put its space in a normalizer."""
    if tokenizer["model"]["type"] == "Unigram":
        splits = [{"type": "WhitespaceSplit"}, METASPACE]
        tokenizer["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": splits}
        return
    tokenizer["pre_tokenizer"] = None
    escaped = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    steps = [{"type": "Prepend", "prepend": "▁"}, escaped]
    tokenizer["normalizer"] = {"type": "Sequence", "normalizers": steps}


def test_pegasus_makes_its_pre_tokenizer_anew(changed: Folder) -> None:
    path = changed("PegasusTokenizer")
    config = json.loads((path / "tokenizer_config.json").read_text("utf-8"))
    live.same(live.configure(path, config, older), live.texts())
    ours = pw.Tokenizer.from_folder(path)
    assert ours.pre_tokenizer == pw.pre_tokenizers.Metaspace()
    assert ours.encode_ids("the cats ") != pw.Tokenizer.from_file(
        path / "tokenizer.json"
    ).encode_ids("the cats ")


@pytest.mark.parametrize("legacy", [None, True, False])
def test_llama_makes_its_pre_tokenizer_anew(changed: Folder, legacy: bool | None) -> None:
    config = LLAMA | ({} if legacy is None else {"legacy": legacy})
    path = live.configure(changed("LlamaTokenizer"), config, older)
    live.same(path, live.texts(150))
    scheme = "always" if legacy else "first"
    built = pw.pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)  # type: ignore[arg-type]
    assert pw.Tokenizer.from_folder(path).pre_tokenizer == built


def test_a_llama_of_bytes_is_as_its_file_says(tmp_path: Path) -> None:
    tok = pw.Tokenizer(
        pw.models.BPE(["a", "b", "ab"], [("a", "b")]), pre_tokenizer=pw.pre_tokenizers.ByteLevel()
    )
    tok.save(tmp_path / "tokenizer.json")
    live.configure(tmp_path, {"tokenizer_class": "LlamaTokenizerFast"})
    assert pw.Tokenizer.from_folder(tmp_path).pre_tokenizer == tok.pre_tokenizer


def test_albert_and_its_settings(changed: Folder) -> None:
    path = changed("AlbertTokenizer")
    config = json.loads((path / "tokenizer_config.json").read_text("utf-8"))
    for more in (
        {"do_lower_case": False},
        {"keep_accents": True, "add_prefix_space": False},
    ):
        live.same(live.configure(path, config | more), live.texts(100))


def test_scores_are_read_as_they_are_written(changed: Folder) -> None:
    # Sums of these tie or do not, as the last bit says, which `tokenizers` reads otherwise than Python.
    live.same(changed("T5Tokenizer"), ["_" * length for length in range(1, 300, 7)])


# BERT

BERT = {"tokenizer_class": "BertTokenizer"}
BERT_TEXTS = ["the cats", "", "a <s> b </s> [MASK]", "[UNK] x [SEP]", "<new> [PAD]"]


def bert(data: Path, path: Path, config: dict[str, Any], **renamed: str) -> Path:
    """Makes a folder of BERT's vocab.txt, with tokens renamed."""
    lines = live_bpe.vocab_file(data, "bert-base-uncased-vocab.txt").read_text("utf-8").split("\n")
    lines = [renamed.get(line.strip("[]"), line) if line[:1] == "[" else line for line in lines]
    (path / "vocab.txt").write_text("\n".join(lines), "utf-8")
    return live.configure(path, BERT | config)


@pytest.mark.parametrize("named", [{"cls_token": "<s>", "sep_token": "</s>"}, {}])
def test_bert_puts_the_tokens_that_are_named(
    data: Path, tmp_path: Path, named: dict[str, str]
) -> None:
    path = bert(data, tmp_path, named, CLS="<s>", SEP="</s>")
    live.same(path, BERT_TEXTS)
    ids = pw.Tokenizer.from_folder(path).encode_ids("the cats")
    # Tokens that the vocabulary does not have get new ids.
    assert (ids[0], ids[-1]) == ((101, 102) if named else (30523, 30522))


@pytest.mark.parametrize(("cls", "number"), [("[MASK]", 103), ("<new>", 30522)])
def test_bert_begins_with_another_token(data: Path, tmp_path: Path, cls: str, number: int) -> None:
    path = bert(data, tmp_path, {"cls_token": cls})
    with pytest.warns(
        pw.errors.PieceworkWarning, match=r"nothing names '\[CLS\]', which the class"
    ):
        ours = pw.Tokenizer.from_folder(path)
    wanted = live.ids(live.automatic(path), BERT_TEXTS, special=True)
    assert ours.encode_batch(BERT_TEXTS).to_list() == wanted
    assert ours.encode_ids("the")[0] == number
    pairs = live.automatic(path)([("the", "cats")])["input_ids"]
    assert ours.encode_batch([("the", "cats")]).to_list() == pairs


def test_bert_without_a_token_for_the_beginning(data: Path, tmp_path: Path) -> None:
    path = bert(data, tmp_path, {"cls_token": None})
    with pytest.warns(pw.errors.PieceworkWarning) as told:
        ours = pw.Tokenizer.from_folder(path)
    assert "cls_token names no token" in str(told[0].message)
    assert ours.encode_ids("the")[0] == 101


def test_a_vocabulary_without_a_class_has_the_tokens_that_are_named(
    data: Path, tmp_path: Path
) -> None:
    path = bert(data, tmp_path, {"tokenizer_class": None, "cls_token": "[MASK]"})
    assert pw.Tokenizer.from_folder(path).encode_ids("the")[0] == 103


@pytest.mark.parametrize("more", [{}, {"cls_token": "[MASK]"}, {"tokenizer_class": None}])
def test_limits_of_a_tokenizer_json_are_left_out(
    data: Path, tmp_path: Path, more: dict[str, Any]
) -> None:
    shared = live_bpe.vocab_file(data, "all-minilm-l6-v2-tokenizer.json")
    (tmp_path / "tokenizer.json").write_bytes(shared.read_bytes())
    assert pw.Tokenizer.from_folder(tmp_path).padding  # nothing is beside it
    path = live.configure(tmp_path, BERT | more)
    live.same(path, [*BERT_TEXTS[:4], "the cats " * 200, "[CLS]"])
    ours = pw.Tokenizer.from_folder(path)
    assert (ours.truncation, ours.padding) == (None, None)
    given = pw.Tokenizer.from_folder(path, truncation=5, padding="longest")
    assert [len(row) for row in given.encode_batch(["the cats sat on it", "a"]).to_list()] == [5, 5]


# Llama 3


@pytest.mark.parametrize(
    "named", [{"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>"}, {}]
)
def test_a_llama_of_bytes_has_no_tokens_of_the_class(
    data: Path, tmp_path: Path, named: dict[str, str]
) -> None:
    whole = unpacked(live_bpe.vocab_file(data, "llama3-tokenizer.json.zst"))
    (tmp_path / "tokenizer.json").write_bytes(whole)
    path = live.configure(tmp_path, {"tokenizer_class": "LlamaTokenizer"} | named)
    live.same(path, [*BERT_TEXTS, "<unk> <|end_of_text|>"])
    ours = pw.Tokenizer.from_folder(path)
    assert (ours.max_id, ours.token_to_id("<unk>")) == (128255, None)


# SentencePiece models


def sentencepiece(data: Path, path: Path, name: str, **config: Any) -> Path:
    """Makes a folder of a .model file."""
    (path / "tokenizer.model").write_bytes(live_bpe.vocab_file(data, name).read_bytes())
    return live.configure(path, config)


@pytest.mark.parametrize("name", ["mistral-tokenizer.model.v3", "llama2-tokenizer.model"])
def test_a_model_keeps_its_ids_and_the_class_is_named(
    data: Path, tmp_path: Path, name: str
) -> None:
    path = sentencepiece(data, tmp_path, name, **LLAMA)
    with pytest.warns(pw.errors.PieceworkWarning) as told:
        ours = pw.Tokenizer.from_folder(path)
    assert len(told) == 1
    assert "the class 'LlamaTokenizer' puts no space before a text that begins with one" in str(
        told[0].message
    )
    assert "load a tokenizer.json that `transformers` saves" in str(told[0].message)
    library = live_bpe.sentencepiece((path / "tokenizer.model").read_bytes())
    plain = [text for text in live.texts() if "<" not in text and "[" not in text]
    live_bpe.compare(library.encode, ours.encode_ids, plain)
    wanted = live.ids(live.automatic(path), plain, special=True)
    others = [t for t, w in zip(plain, wanted, strict=True) if ours.encode_ids(t) != w]
    assert others
    assert all(text[:1] in " ▁" or "  " in text for text in others), others


def test_a_configured_model_matches_its_special_tokens(data: Path, tmp_path: Path) -> None:
    path = sentencepiece(data, tmp_path, "llama2-tokenizer.model")
    assert pw.Tokenizer.from_folder(path).encode_ids("<s>") != [1]
    with pytest.warns(pw.errors.PieceworkWarning, match="'LlamaTokenizer'"):
        ours = pw.Tokenizer.from_folder(live.configure(path, LLAMA))
    assert (ours.control_symbols, ours.encode_ids("<s>")) == ((), [1])
    assert live.ids(live.automatic(path), ["<s>"], special=True) == [[1]]


@pytest.mark.filterwarnings("ignore:.*the class 'LlamaTokenizer':piecework.errors.PieceworkWarning")
@pytest.mark.parametrize("named", [{}, {"bos_token": "</s>", "eos_token": "<s>"}])
def test_the_class_names_the_tokens_at_the_ends(
    data: Path, tmp_path: Path, named: dict[str, str]
) -> None:
    config = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "add_eos_token": True}
    path = sentencepiece(data, tmp_path, "mistral-tokenizer.model.v3", **config, **named)
    ours, some = pw.Tokenizer.from_folder(path), ["a b", "", "the cats", "中文"]
    ids = ours.encode_batch(some).to_list()
    assert ids == live.ids(live.automatic(path), some, special=True)
    assert all((row[0], row[-1]) == ((2, 1) if named else (1, 2)) for row in ids)


def test_nothing_names_a_token_for_the_beginning(data: Path, tmp_path: Path) -> None:
    path = sentencepiece(data, tmp_path, "llama2-tokenizer.model", add_bos_token=True)
    with pytest.warns(pw.errors.PieceworkWarning, match="nothing names a bos_token"):
        ours = pw.Tokenizer.from_folder(path)
    assert 1 not in ours.encode_ids("a")


# Other classes


def test_other_classes_are_warned_of_by_name(tmp_path: Path) -> None:
    words = pw.Tokenizer(pw.models.WordPiece(["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]", "a"]))
    words.save(tmp_path / "tokenizer.json")
    for name in ("NllbTokenizer", "XLMRobertaTokenizerFast", "MyTokenizer"):
        live.configure(tmp_path, {"tokenizer_class": name})
        with pytest.warns(
            pw.errors.PieceworkWarning, match=f"the class '{name}' is not known here"
        ) as told:
            pw.Tokenizer.from_folder(tmp_path)
        assert len(told) == 1
        assert "compare ids with `transformers`" in str(told[0].message)
    for name in ("PreTrainedTokenizerFast", "TokenizersBackend"):
        pw.Tokenizer.from_folder(live.configure(tmp_path, {"tokenizer_class": name}))
    live.configure(tmp_path, {"tokenizer_class": "BertTokenizerFast"})
    with pytest.warns(
        pw.errors.PieceworkWarning,
        match="'BertTokenizerFast' makes its normalizer and pre-tokenizer anew",
    ):
        ours = pw.Tokenizer.from_folder(tmp_path)
    assert (ours.normalizer, ours.pre_tokenizer) == (None, None)
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n")
    live.configure(tmp_path, {"tokenizer_class": "MPNetTokenizer"})
    with pytest.warns(
        pw.errors.PieceworkWarning, match="'MPNetTokenizer' is not known here.* vocab.txt says"
    ):
        pw.Tokenizer.from_folder(tmp_path)
