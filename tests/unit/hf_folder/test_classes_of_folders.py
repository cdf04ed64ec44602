"""Compares what a folder's class and configuration decide with AutoTokenizer of transformers."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import decoders
from piecework.errors import ConfigError, FormatError, PieceworkWarning, UnsupportedError
from piecework.tokenizer._folders import model_types
from piecework.tokenizer._folders.read import read_model_folder

transformers = pytest.importorskip("transformers", reason="compares with AutoTokenizer")

BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [
    "don",
    "'",
    "t",
    "it",
    "s",
    "is",
    "hello",
    "world",
    ".",
    "?",
    "!",
    ",",
    "m",
    "ve",
    "##s",
    "n",
]
TEXTS = [
    "Don't! It's hello, world. It is? 's 'm 've",
    "hello ' world ' . ' ! ,",
    "hellos",
    "it [MASK] is <mask> it",
    "",
]


def write(folder: Path, **files: Any) -> Path:
    """Writes files: lists as lines, other values as JSON; `vocab_txt` is vocab.txt."""
    for name, value in files.items():
        path = folder / ".".join(name.rsplit("_", 1))
        if isinstance(value, list):
            path.write_text("".join(f"{line}\n" for line in value), encoding="utf-8")
        else:
            path.write_text(json.dumps(value), encoding="utf-8")
    return folder


def bert_file() -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(pw.Tokenizer.from_str("\n".join([*BERT, *WORDS])).to_str())
    return tree


def check_equal(folder: Path) -> pw.Tokenizer:
    """Compares ids and decoding of a folder with those of AutoTokenizer."""
    ours = pw.Tokenizer.from_folder(folder)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    for text in TEXTS:
        ids = theirs(text)["input_ids"]
        assert ours.encode_ids(text) == ids, text
        for skips in (False, True):
            wanted = theirs.decode(ids, skip_special_tokens=skips)
            assert ours.decode(ids, skip_special_tokens=skips) == wanted
            stream = ours.decode_stream(skip_special_tokens=skips)
            assert "".join([*map(stream.step, ids), stream.finish()]) == wanted
            assert ours.decode_bytes(ids, skip_special_tokens=skips) == wanted.encode()
    return ours


@pytest.mark.parametrize("name", ["vocab_txt", "tokenizer_json"])
@pytest.mark.parametrize("kind", ["BertTokenizer", "PreTrainedTokenizerFast"])
@pytest.mark.parametrize("cleans", [True, False, None])
def test_clean_up_of_spaces(name: str, kind: str, cleans: bool | None, tmp_path: Path) -> None:
    if name == "vocab_txt" and kind != "BertTokenizer":
        pytest.skip("the class reads no vocab.txt")
    config = {"tokenizer_class": kind, "clean_up_tokenization_spaces": cleans}
    config |= {"cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    contents = [*BERT, *WORDS] if name == "vocab_txt" else bert_file()
    folder = write(tmp_path, tokenizer_config_json=config, **{name: contents})
    tok = check_equal(folder)
    assert isinstance(tok.decoder, decoders.Sequence) == bool(cleans)
    # A saved file says it, and is not cleaned twice.
    (saved := tmp_path / "saved").mkdir()
    tok.save_folder(saved, pad_token="[PAD]")
    assert check_equal(saved).decoder == tok.decoder
    import tokenizers

    peer = tokenizers.Tokenizer.from_str(tok.to_str())
    for text in TEXTS:
        ids = tok.encode_ids(text)
        assert peer.decode(ids, skip_special_tokens=False) == tok.decode(
            ids, skip_special_tokens=False
        )


def test_bpe_is_not_cleaned_up(tmp_path: Path) -> None:
    tok = pw.train(TEXTS, pw.BpeTrainer(300, alphabet="byte"))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": True}
    folder = write(tmp_path, tokenizer_json=json.loads(tok.to_str()), tokenizer_config_json=config)
    assert check_equal(folder).decoder == tok.decoder
    config["clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"] = True
    assert isinstance(
        check_equal(write(tmp_path, tokenizer_config_json=config)).decoder, decoders.Sequence
    )


def test_a_class_that_only_the_model_names(tmp_path: Path) -> None:
    tree = bert_file()
    tree["normalizer"] = None  # the class sets its own
    write(tmp_path, tokenizer_json=tree, config_json={"model_type": "bert"})
    assert check_equal(tmp_path).normalizer == pw.normalizers.BertNormalizer()
    write(tmp_path, config_json={"model_type": "esmc"})
    with pytest.warns(PieceworkWarning, match="the class 'EsmcTokenizer' is unknown"):
        pw.Tokenizer.from_folder(tmp_path)
    # The class of the tokenizer's configuration, then that of the model's, come before the type.
    write(tmp_path, config_json={"model_type": "esmc", "tokenizer_class": "BertTokenizer"})
    pw.Tokenizer.from_folder(tmp_path)
    write(
        tmp_path,
        config_json={"model_type": "esmc"},
        tokenizer_config_json={"tokenizer_class": "BertTokenizer"},
    )
    check_equal(tmp_path)


def test_the_tables_of_classes_are_those_of_transformers() -> None:
    from transformers.models.auto import configuration_auto, tokenization_auto

    backends = {model_types.BACKEND, "MistralCommonBackend"}
    classes = {
        model: name.removesuffix("Fast")
        for model, name in tokenization_auto.TOKENIZER_MAPPING_NAMES.items()
        if name and name not in backends
    }
    # A type without a configuration of transformers decides nothing.
    known = configuration_auto.CONFIG_MAPPING_NAMES
    assert {k: v for k, v in classes.items() if k in known} == model_types.CLASS_OF_MODEL
    named = tokenization_auto.TOKENIZER_MAPPING_NAMES.items()
    assert {model for model, name in named if name in backends} == model_types.BACKEND_MODELS
    wrong = tokenization_auto.MODELS_WITH_INCORRECT_HUB_TOKENIZER_CLASS
    assert wrong - model_types.BACKEND_MODELS == model_types.WRONGLY_NAMED


@pytest.mark.parametrize(
    "model", ["qwen2", "mistral", "phi3", "modernbert", "llama", "arctic", "nezha", "bert", None]
)
@pytest.mark.parametrize("named", ["LlamaTokenizerFast", "BertTokenizer", None])
@pytest.mark.parametrize("place", ["config_json", "tokenizer_config_json"])
def test_the_type_of_the_model_overrules_some_classes(
    model: str | None, named: str | None, place: str, tmp_path: Path
) -> None:
    files: dict[str, Any] = {"config_json": {"model_type": model} if model else {}}
    files.setdefault(place, {})["tokenizer_class"] = named
    write(tmp_path, tokenizer_json=bert_file(), **files)
    theirs = type(transformers.AutoTokenizer.from_pretrained(tmp_path)).__name__
    used = read_model_folder(tmp_path).settings.tokenizer_class or model_types.BACKEND
    assert used.removesuffix("Fast") == theirs


def test_a_class_that_the_model_overrules_changes_nothing(tmp_path: Path) -> None:
    # Llama's class prepends spaces; AutoTokenizer uses the file of Mistral's models unchanged.
    words = ["<unk>", "<s>", "</s>", "▁", "i", "t", "▁i", "▁it"]
    model = pw.models.BPE(words, [("▁", "i"), ("▁i", "t")], unk_token="<unk>")
    tok = pw.Tokenizer(model, normalizer=pw.normalizers.Replace(" ", "▁"))
    config = {"tokenizer_class": "LlamaTokenizer", "unk_token": "<unk>"}
    write(tmp_path, tokenizer_json=json.loads(tok.to_str()), tokenizer_config_json=config)
    write(tmp_path, config_json={"model_type": "mistral"})
    ours = pw.Tokenizer.from_folder(tmp_path)
    assert (ours.normalizer, ours.pre_tokenizer) == (tok.normalizer, None)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for text in ("it it", " it", ""):
        assert ours.encode_ids(text) == theirs(text)["input_ids"]
    write(tmp_path, config_json={"model_type": "llama"})
    ours = pw.Tokenizer.from_folder(tmp_path)
    assert ours.encode_ids("it") == [7]


def test_the_class_of_an_encoder(tmp_path: Path) -> None:
    pair = {"model_type": "encoder-decoder", "encoder": {"model_type": "bert"}}
    pair["decoder"] = {"model_type": "gpt2"}
    write(tmp_path, tokenizer_json=bert_file(), config_json=pair)
    assert read_model_folder(tmp_path).settings.tokenizer_class == "BertTokenizer"
    assert type(transformers.AutoTokenizer.from_pretrained(tmp_path)).__name__ == "BertTokenizer"
    write(tmp_path, config_json=pair | {"encoder": {"model_type": 1}})
    with pytest.raises(FormatError, match=r"\$\.encoder\.model_type"):
        pw.Tokenizer.from_folder(tmp_path)


def test_a_class_in_the_code_of_the_folder_is_kept(tmp_path: Path) -> None:
    config = {"tokenizer_class": "MyTokenizer", "auto_map": {"AutoTokenizer": ["a.B", None]}}
    write(tmp_path, tokenizer_json=bert_file(), tokenizer_config_json=config)
    write(tmp_path, config_json={"model_type": "qwen2"})
    with pytest.warns(PieceworkWarning, match="'MyTokenizer' is unknown"):
        pw.Tokenizer.from_folder(tmp_path)


def test_the_unknown_id_of_t5_is_that_of_its_class(tmp_path: Path) -> None:
    pieces = [
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        ("▁", -2.0),
        ("▁it", -1.0),
        ("s", -1.5),
    ]
    split = pw.pre_tokenizers.Metaspace()
    tok = pw.Tokenizer(pw.models.Unigram(pieces, 0), pre_tokenizer=split)
    config = {"tokenizer_class": "T5Tokenizer", "extra_ids": 0}
    write(tmp_path, tokenizer_json=json.loads(tok.to_str()), tokenizer_config_json=config)
    read = pw.Tokenizer.from_folder(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for text in ("it é its", "é", "it"):
        assert read.encode_ids(text) == theirs(text)["input_ids"]
    assert read.unk_token == "<unk>"


@pytest.mark.parametrize("lowers", [True, False])
def test_mpnet(lowers: bool, tmp_path: Path) -> None:
    vocab = [
        "<s>",
        "<pad>",
        "</s>",
        "<unk>",
        *BERT[1:],
        *WORDS,
        "<",
        ">",
        "mask",
        "[",
        "]",
        "<mask>",
    ]
    config = {"tokenizer_class": "MPNetTokenizer", "do_lower_case": lowers}
    tok = check_equal(write(tmp_path, vocab_txt=vocab, tokenizer_config_json=config))
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert tok.encode("it", "is").ids == theirs("it", "is")["input_ids"]


SETTINGS: list[dict[str, Any]] = [
    {},
    {"do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False},
    {"unk_token": "it"},
    {"cls_token": "it", "sep_token": "<sep>"},
    {"mask_token": "is", "clean_up_tokenization_spaces": True},
]
KIN = ["<s>", "</s>", "<unk>", "<sep>", "<pad>", "<cls>", "<mask>", "<", ">", "[", "]"]
PAIRS: list[tuple[str, ...]] = [
    *((text,) for text in (*TEXTS, "é É [CLS] <cls>", "<s> [UNK] <unk> x", "[SEP]a")),
    ("it is", "hellos"),
]


def check_pairs(folder: Path) -> None:
    """Compares ids, type ids and decoding of texts and pairs with AutoTokenizer, and that nothing is warned of."""
    ours = pw.Tokenizer.from_folder(folder)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    for texts in PAIRS:
        wanted = theirs(*texts, return_token_type_ids=True, return_offsets_mapping=True)
        found = ours.encode(*texts)
        assert (found.ids, found.type_ids) == (wanted["input_ids"], wanted["token_type_ids"]), texts
        assert [tuple(each) for each in found.offsets] == wanted["offset_mapping"], texts
        assert ours.decode(found.ids) == theirs.decode(found.ids, skip_special_tokens=True)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(
    "name",
    [
        *("Bert", "Funnel", "MPNet", "DistilBert", "Electra", "MobileBert", "Lxmert", "LayoutLM"),
        *("SqueezeBert", "ConvBert", "DPRQuestionEncoder", "DPRContextEncoder", "DPRReader"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_classes_that_read_a_vocab_txt(name: str, settings: dict[str, Any], tmp_path: Path) -> None:
    vocab = [*BERT, *KIN, *WORDS, "e", "É", "cls", "un", "mask", "a"]
    config = {"tokenizer_class": f"{name}Tokenizer"} | settings
    (plain := tmp_path / "plain").mkdir()
    check_pairs(write(plain, vocab_txt=vocab, tokenizer_config_json=config))
    # The class builds all but the vocabulary of a tokenizer.json anew.
    tree = json.loads(pw.Tokenizer.from_str("\n".join(vocab)).to_str())
    tree["normalizer"] = tree["decoder"] = tree["pre_tokenizer"] = None
    tree["model"] |= {"continuing_subword_prefix": "@@", "max_input_chars_per_word": 3}
    check_pairs(write(tmp_path, tokenizer_json=tree, tokenizer_config_json=config))


BYTE_LEVEL: list[dict[str, Any]] = [
    {},
    {"dropout": 0.5},
    {"unk_token": "<unk>", "fuse_unk": True},
    {"continuing_subword_prefix": "##"},
    {"byte_fallback": True, "ignore_merges": True},
]


@pytest.mark.parametrize("edits", BYTE_LEVEL)
@pytest.mark.parametrize("settings", [{}, {"add_prefix_space": True, "trim_offsets": False}])
@pytest.mark.parametrize("name", ["GPT2", "Roberta", "Bart", "Longformer", "Qwen2"])
@pytest.mark.filterwarnings("error")
def test_classes_that_build_byte_level_models(
    name: str, settings: dict[str, Any], edits: dict[str, Any], tmp_path: Path
) -> None:
    tree = json.loads(pw.train(TEXTS * 3, pw.BpeTrainer(300, alphabet="byte")).to_str())
    model = tree["model"] | edits
    model.pop("piecework", None)
    for token in ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"):
        model["vocab"][token] = len(model["vocab"])
    tree |= {"model": model, "normalizer": {"type": "NFKC"}, "decoder": None}
    config = {"tokenizer_class": f"{name}Tokenizer"} | settings
    check_pairs(write(tmp_path, tokenizer_json=tree, tokenizer_config_json=config))


def test_a_model_that_the_class_cannot_build_is_named(tmp_path: Path) -> None:
    config = {"tokenizer_class": "BertTokenizer", "unk_token": "[NONE]"}
    write(tmp_path, tokenizer_json=bert_file(), tokenizer_config_json=config)
    with pytest.warns(PieceworkWarning, match="'BertTokenizer' replaces unk_token of the model"):
        tok = pw.Tokenizer.from_folder(tmp_path)
    assert tok.unk_token == "[UNK]"


def test_a_rank_file_named_as_a_model(tmp_path: Path) -> None:
    ranks = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))
    (tmp_path / "tokenizer.model").write_bytes(ranks)
    for load in (
        pw.Tokenizer.from_folder,
        lambda path: pw.Tokenizer.from_file(path / "tokenizer.model"),
    ):
        with pytest.raises(ConfigError, match=r"file of ranks.* Tokenizer\.from_tiktoken") as error:
            load(tmp_path)
        assert "`pattern=patterns.SPLIT_PATTERNS['llama3']`" in (error.value.hint or "")
    # The advice can be followed; ids are those of tiktoken.
    pattern = pw.patterns.SPLIT_PATTERNS["llama3"]
    special = {"<|begin_of_text|>": 256}
    tok = pw.Tokenizer.from_tiktoken(
        tmp_path / "tokenizer.model", pattern=pattern, special_tokens=special
    )
    assert tok.encode_ids("a<|begin_of_text|>") == [97, 256]
    # As Llama 3.1 is published, the file lies beside a tokenizer.json, which is read.
    write(tmp_path, config_json={"model_type": "llama"}, tokenizer_json=json.loads(tok.to_str()))
    write(tmp_path, tokenizer_config_json={"tokenizer_class": "PreTrainedTokenizerFast"})
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for text in ("a<|begin_of_text|>", "Don't é 1234", ""):
        assert pw.Tokenizer.from_folder(tmp_path).encode_ids(text) == theirs(text)["input_ids"]


@pytest.mark.parametrize(
    "kind",
    [
        *("ByT5Tokenizer", "CanineTokenizer", "PerceiverTokenizer", "Wav2Vec2CTCTokenizer"),
        *("CpmAntTokenizer", "TapexTokenizer", "TapasTokenizerFast", "RagTokenizer"),
    ],
)
@pytest.mark.parametrize("has_vocab", [True, False])
def test_classes_without_subwords_are_named(kind: str, has_vocab: bool, tmp_path: Path) -> None:
    write(tmp_path, tokenizer_config_json={"tokenizer_class": kind})
    if has_vocab:
        write(tmp_path, vocab_json={"a": 0})
    with pytest.raises(
        UnsupportedError, match=f"the class {kind} is no subword tokenizer of texts: it "
    ):
        pw.Tokenizer.from_folder(tmp_path)


@pytest.mark.parametrize("name", ["sentencepiece.bpe.model", "tokenizer.model"])
def test_ids_and_pieces_in_two_files(tmp_path: Path, name: str) -> None:
    write(tmp_path, vocab_json={"a": 0}, config_json={"model_type": "m2m_100"})
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(UnsupportedError, match=f"its class takes the pieces of {name}"):
        pw.Tokenizer.from_file(tmp_path / "vocab.json")
    with pytest.raises(UnsupportedError, match="M2M100Tokenizer takes the pieces of") as error:
        pw.Tokenizer.from_folder(tmp_path)
    assert "from_sentencepiece" in (error.value.hint or "")
