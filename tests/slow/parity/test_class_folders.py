"""Folders saved by classes of `transformers`: `from_folder` against `AutoTokenizer`, and warnings."""

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import class_folders as live
import live_bpe
import piecework as pw
from paths import unpacked
from piecework.tokenizer._folders.families import UNKNOWN, family_of

Folder = Callable[[str], Path]
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
LLAMA = {"tokenizer_class": "LlamaTokenizer", "unk_token": "<unk>"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Folder:
    """Returns a function that gives the folder of a class, written once."""
    path, made = tmp_path_factory.mktemp("classes"), dict[str, Path]()

    def folder(name: str) -> Path:
        if name not in made:
            made[name] = live.folder(name, data, path)
        return made[name]

    return folder


@pytest.fixture
def changed(written: Folder, tmp_path: Path) -> Folder:
    """Returns a function that copies such a folder, so that a test may change it."""
    return lambda name: Path(shutil.copytree(written(name), tmp_path / name))


@pytest.mark.parametrize("name", live.CLASSES)
def test_saved_folder_equals_transformers(written: Folder, name: str) -> None:
    live.check_equal(written(name), live.texts())


@pytest.mark.parametrize("name", ["PegasusTokenizer", "XLNetTokenizer"])
def test_folder_with_only_a_class_name_equals_transformers(changed: Folder, name: str) -> None:
    live.check_equal(live.configure(changed(name), {"tokenizer_class": name}), live.texts())


def as_release_4(tokenizer: dict[str, Any]) -> None:
    """Changes a tokenizer.json to the form that release 4 wrote.

    Pegasus split at white space, and Llama prepended its space in a normalizer.
    """
    if tokenizer["model"]["type"] == "Unigram":
        splits = [{"type": "WhitespaceSplit"}, METASPACE]
        tokenizer["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": splits}
        return
    tokenizer["pre_tokenizer"] = None
    escaped = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    steps = [{"type": "Prepend", "prepend": "▁"}, escaped]
    tokenizer["normalizer"] = {"type": "Sequence", "normalizers": steps}


def test_pegasus_class_replaces_the_pre_tokenizer(changed: Folder) -> None:
    path = changed("PegasusTokenizer")
    config = json.loads((path / "tokenizer_config.json").read_text("utf-8"))
    live.check_equal(live.configure(path, config, as_release_4), live.texts())
    ours = pw.Tokenizer.from_folder(path)
    assert ours.pre_tokenizer == pw.pre_tokenizers.Metaspace()
    assert ours.encode_ids("the cats ") != pw.Tokenizer.from_file(
        path / "tokenizer.json"
    ).encode_ids("the cats ")


@pytest.mark.parametrize("legacy", [None, True, False])
def test_llama_class_replaces_the_pre_tokenizer(changed: Folder, legacy: bool | None) -> None:
    config = LLAMA | ({} if legacy is None else {"legacy": legacy})
    path = live.configure(changed("LlamaTokenizer"), config, as_release_4)
    live.check_equal(path, live.texts(150))
    scheme = "always" if legacy else "first"
    built = pw.pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)  # type: ignore[arg-type]
    assert pw.Tokenizer.from_folder(path).pre_tokenizer == built


def test_byte_level_llama_keeps_its_pre_tokenizer(tmp_path: Path) -> None:
    tok = pw.Tokenizer(
        pw.models.BPE(["a", "b", "ab"], [("a", "b")]), pre_tokenizer=pw.pre_tokenizers.ByteLevel()
    )
    tok.save(tmp_path / "tokenizer.json")
    live.configure(tmp_path, {"tokenizer_class": "LlamaTokenizerFast"})
    assert pw.Tokenizer.from_folder(tmp_path).pre_tokenizer == tok.pre_tokenizer


def test_albert_settings_are_applied(changed: Folder) -> None:
    path = changed("AlbertTokenizer")
    config = json.loads((path / "tokenizer_config.json").read_text("utf-8"))
    for more in (
        {"do_lower_case": False},
        {"keep_accents": True, "add_prefix_space": False},
    ):
        live.check_equal(live.configure(path, config | more), live.texts(100))


def test_scores_are_parsed_as_tokenizers_parses_them(changed: Folder) -> None:
    # The last bit of a score, which `tokenizers` parses differently than Python, decides ties here.
    live.check_equal(changed("T5Tokenizer"), ["_" * length for length in range(1, 300, 7)])


# Components that the class replaces

BYTES = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
DIGITS = {"type": "Digits", "individual_digits": True}
EDITS: list[tuple[str, str, Any]] = [
    *(("normalizer", "normalizer", {"type": name}) for name in ("NFC", "NFKC", "Lowercase")),
    ("normalizer", "normalizer", None),
    *(("pre-tokenizer", "pre_tokenizer", part) for part in (None, {"type": "Whitespace"}, BYTES)),
    (
        "pre-tokenizer",
        "pre_tokenizer",
        {"type": "Sequence", "pretokenizers": [DIGITS, BYTES | {"add_prefix_space": False}]},
    ),
    *(("post-processor", "post_processor", part) for part in (None, BYTES)),
    ("unk_id of the model", "model", {"unk_id": 0}),
    ("unk_id of the model", "model", {"unk_id": 7}),
    ("ignore_merges of the model", "model", {"ignore_merges": True}),
    ("byte_fallback of the model", "model", {"byte_fallback": False}),
    ("max_input_chars_per_word of the model", "model", {"max_input_chars_per_word": 5}),
]
"""The name of a component in a warning, its member in a tokenizer.json, and its new value."""


def differs_with_warning(path: Path, name: str, component: str, some: list[str]) -> bool:
    """Returns whether ids differ from those of `transformers`; then checks that a warning names the component."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours = pw.Tokenizer.from_folder(path)
    messages = [str(each.message) for each in caught]
    named = [m for m in messages if f"the class '{name}' replaces" in m and component in m]
    theirs = live.auto_tokenizer(path)
    for special in (True, False):
        found = ours.encode_batch(some, add_special_tokens=special).to_list()
        if found != live.ids(theirs, some, special=special):
            assert named, (component, messages)
            return True
    return False


EACH_RUN = ("LlamaTokenizer", "Qwen2Tokenizer", "T5Tokenizer")
"""The classes whose edited folders are compared in every run, each with a third of the edits; an edit takes half a second."""


@pytest.mark.parametrize(
    ("name", "edits"),
    [
        *((name, EDITS[place::3]) for place, name in enumerate(EACH_RUN)),
        *(pytest.param(name, EDITS, marks=pytest.mark.parity) for name in live.CLASSES),
    ],
)
def test_edited_component_equals_transformers_or_raises_a_warning(
    changed: Folder, name: str, edits: list[tuple[str, str, Any]]
) -> None:
    path, some = changed(name), live.texts(60)
    whole = json.loads((path / "tokenizer.json").read_text("utf-8"))
    for component, member, value in edits:
        edited = dict(whole)
        edited[member] = whole[member] | value if member == "model" else value
        if member == "model" and not value.keys() <= whole[member].keys():
            continue
        (path / "tokenizer.json").write_text(json.dumps(edited), "utf-8")
        differs_with_warning(path, name, component, some)


@pytest.mark.parametrize(
    ("source", "name", "component"),
    [
        ("BertTokenizer", "BartTokenizer", "model"),
        ("BertTokenizer", "LEDTokenizer", "normalizer"),
        ("BertTokenizer", "GPT2TokenizerFast", "pre-tokenizer"),
    ],
)
def test_class_over_the_file_of_another_raises_a_warning(
    changed: Folder, source: str, name: str, component: str
) -> None:
    path = live.configure(changed(source), {"tokenizer_class": name})
    assert differs_with_warning(path, name, component, live.texts(60))


@pytest.mark.parametrize(
    ("source", "name"),
    [("GPT2Tokenizer", "CLIPTokenizer"), ("LlamaTokenizer", "Qwen2TokenizerFast")],
)
@pytest.mark.filterwarnings("error")
def test_class_over_the_vocabulary_of_another_equals_transformers(
    changed: Folder, source: str, name: str
) -> None:
    live.check_equal(live.configure(changed(source), {"tokenizer_class": name}), live.texts(60))


@pytest.mark.parametrize("name", ["BartTokenizer", "LEDTokenizer", "GPT2TokenizerFast"])
def test_class_over_an_equal_file_adds_its_own_tokens(changed: Folder, name: str) -> None:
    live.check_equal(
        live.configure(changed("GPT2Tokenizer"), {"tokenizer_class": name}), live.texts(60)
    )


def test_classes_that_use_the_file_raise_no_warning(changed: Folder) -> None:
    def edited(tokenizer: dict[str, Any]) -> None:
        parts = {"normalizer": {"type": "NFC"}, "pre_tokenizer": {"type": "Whitespace"}}
        tokenizer.update(parts, post_processor=None)

    for source, name in (
        ("BertTokenizer", "ConvBertTokenizer"),
        ("AlbertTokenizer", "FNetTokenizer"),
    ):
        path = changed(source)
        config = json.loads((path / "tokenizer_config.json").read_text("utf-8"))
        config |= {"tokenizer_class": name, "add_prefix_space": None}
        live.configure(path, config, edited)
        live.check_equal(path, live.texts(60))


def test_components_without_effect_raise_no_warning(changed: Folder) -> None:
    def as_published(tokenizer: dict[str, Any]) -> None:
        """Changes CLIP's and Llama's files to the form in which they were published."""
        model, splits = tokenizer["model"], tokenizer["pre_tokenizer"].get("pretokenizers")
        model |= {"unk_token": "<unk>" if model["byte_fallback"] else None, "fuse_unk": True}
        if splits:
            pattern = splits[0]["pattern"]
            pattern["Regex"] = pattern["Regex"].removeprefix(r"<\|startoftext\|>|<\|endoftext\|>|")
            splits[1]["trim_offsets"] = False

    for name in ("CLIPTokenizer", "LlamaTokenizer"):
        path = changed(name)
        config = json.loads((path / "tokenizer_config.json").read_text("utf-8"))
        live.check_equal(live.configure(path, config, as_published), live.texts(60))


# BPE vocabularies and merges

NAMES = ["GPT2Tokenizer", "RobertaTokenizer", "LEDTokenizer", "CLIPTokenizer", "Qwen2Tokenizer"]


@pytest.mark.parametrize("added", ["add_bos_token", "add_eos_token", None])
@pytest.mark.parametrize("name", NAMES)
def test_class_over_vocabulary_and_merges_equals_transformers(
    written: Folder, tmp_path: Path, name: str, added: str | None
) -> None:
    own = "RobertaTokenizer" if name == "LEDTokenizer" else name
    source = written(own).parent / f"source-{own}"
    for file in ("vocab.json", "merges.txt"):
        shutil.copy(source / file, tmp_path / file)
    path = live.configure(tmp_path, {"tokenizer_class": name} | ({added: True} if added else {}))
    live.check_equal(path, live.texts(60))
    if name == "CLIPTokenizer":
        ids = pw.Tokenizer.from_folder(path).encode_ids("the cats")
        assert (ids[0], ids[-1]) == (49406, 49407)


# BERT

BERT = {"tokenizer_class": "BertTokenizer"}
BERT_TEXTS = ["the cats", "", "a <s> b </s> [MASK]", "[UNK] x [SEP]", "<new> [PAD]"]


def bert(data: Path, path: Path, config: dict[str, Any], **renamed: str) -> Path:
    """Writes a folder with BERT's vocab.txt, with tokens renamed."""
    lines = live_bpe.vocab_file(data, "bert-base-uncased-vocab.txt").read_text("utf-8").split("\n")
    lines = [renamed.get(line.strip("[]"), line) if line[:1] == "[" else line for line in lines]
    (path / "vocab.txt").write_text("\n".join(lines), "utf-8")
    return live.configure(path, BERT | config)


@pytest.mark.parametrize("named", [{"cls_token": "<s>", "sep_token": "</s>"}, {}])
def test_bert_adds_the_configured_tokens(data: Path, tmp_path: Path, named: dict[str, str]) -> None:
    path = bert(data, tmp_path, named, CLS="<s>", SEP="</s>")
    live.check_equal(path, BERT_TEXTS)
    ids = pw.Tokenizer.from_folder(path).encode_ids("the cats")
    # Tokens outside the vocabulary get new ids.
    assert (ids[0], ids[-1]) == ((101, 102) if named else (30523, 30522))


@pytest.mark.parametrize(("cls", "number"), [("[MASK]", 103), ("<new>", 30522)])
def test_bert_adds_another_cls_token(data: Path, tmp_path: Path, cls: str, number: int) -> None:
    path = bert(data, tmp_path, {"cls_token": cls})
    ours = pw.Tokenizer.from_folder(path)
    assert "[CLS]" not in ours.special_tokens
    wanted = live.ids(live.auto_tokenizer(path), BERT_TEXTS, special=True)
    assert ours.encode_batch(BERT_TEXTS).to_list() == wanted
    assert ours.encode_ids("the")[0] == number
    pairs = live.auto_tokenizer(path)([("the", "cats")])["input_ids"]
    assert ours.encode_batch([("the", "cats")]).to_list() == pairs


def test_bert_without_cls_token_raises_a_warning(data: Path, tmp_path: Path) -> None:
    path = bert(data, tmp_path, {"cls_token": None})
    with pytest.warns(pw.errors.PieceworkWarning) as caught:
        ours = pw.Tokenizer.from_folder(path)
    assert "cls_token is missing" in str(caught[0].message)
    assert ours.encode_ids("the")[0] == 101


def test_vocabulary_without_class_adds_the_configured_tokens(data: Path, tmp_path: Path) -> None:
    path = bert(data, tmp_path, {"tokenizer_class": None, "cls_token": "[MASK]"})
    assert pw.Tokenizer.from_folder(path).encode_ids("the")[0] == 103


@pytest.mark.parametrize("more", [{}, {"cls_token": "[MASK]"}, {"tokenizer_class": None}])
def test_truncation_and_padding_of_tokenizer_json_are_dropped(
    data: Path, tmp_path: Path, more: dict[str, Any]
) -> None:
    shared = live_bpe.vocab_file(data, "all-minilm-l6-v2-tokenizer.json")
    (tmp_path / "tokenizer.json").write_bytes(shared.read_bytes())
    assert pw.Tokenizer.from_folder(tmp_path).padding  # without a configuration file
    path = live.configure(tmp_path, BERT | more)
    live.check_equal(path, [*BERT_TEXTS[:4], "the cats " * 200, "[CLS]"])
    ours = pw.Tokenizer.from_folder(path)
    assert (ours.truncation, ours.padding) == (None, None)
    given = pw.Tokenizer.from_folder(path, truncation=5, padding="longest")
    assert [len(row) for row in given.encode_batch(["the cats sat on it", "a"]).to_list()] == [5, 5]


# Llama 3


@pytest.mark.parametrize(
    "named", [{"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>"}, {}]
)
def test_byte_level_llama_adds_no_tokens_of_the_class(
    data: Path, tmp_path: Path, named: dict[str, str]
) -> None:
    whole = unpacked(live_bpe.vocab_file(data, "llama3-tokenizer.json.zst"))
    (tmp_path / "tokenizer.json").write_bytes(whole)
    path = live.configure(tmp_path, {"tokenizer_class": "LlamaTokenizer"} | named)
    live.check_equal(path, [*BERT_TEXTS, "<unk> <|end_of_text|>"])
    ours = pw.Tokenizer.from_folder(path)
    assert (ours.max_id, ours.token_to_id("<unk>")) == (128255, None)


# SentencePiece models


def sentencepiece(data: Path, path: Path, name: str, **config: Any) -> Path:
    """Writes a folder with a .model file."""
    (path / "tokenizer.model").write_bytes(live_bpe.vocab_file(data, name).read_bytes())
    return live.configure(path, config)


@pytest.mark.parametrize("name", ["mistral-tokenizer.model.v3", "llama2-tokenizer.model"])
def test_sentencepiece_model_follows_the_class(data: Path, tmp_path: Path, name: str) -> None:
    live.check_equal(sentencepiece(data, tmp_path, name, **LLAMA), live.texts())


def test_configured_model_matches_its_special_tokens(data: Path, tmp_path: Path) -> None:
    path = sentencepiece(data, tmp_path, "llama2-tokenizer.model")
    assert pw.Tokenizer.from_folder(path).encode_ids("<s>") != [1]
    ours = pw.Tokenizer.from_folder(live.configure(path, LLAMA))
    assert (ours.control_symbols, ours.encode_ids("<s>")) == ((), [1])
    assert live.ids(live.auto_tokenizer(path), ["<s>"], special=True) == [[1]]


@pytest.mark.filterwarnings("ignore:.*the class 'LlamaTokenizer':piecework.errors.PieceworkWarning")
@pytest.mark.parametrize("named", [{}, {"bos_token": "</s>", "eos_token": "<s>"}])
def test_bos_and_eos_tokens_of_the_class_are_added(
    data: Path, tmp_path: Path, named: dict[str, str]
) -> None:
    config = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "add_eos_token": True}
    path = sentencepiece(data, tmp_path, "mistral-tokenizer.model.v3", **config, **named)
    ours, some = pw.Tokenizer.from_folder(path), ["a b", "", "the cats", "中文"]
    ids = ours.encode_batch(some).to_list()
    assert ids == live.ids(live.auto_tokenizer(path), some, special=True)
    assert all((row[0], row[-1]) == ((2, 1) if named else (1, 2)) for row in ids)


def test_missing_bos_token_raises_a_warning(data: Path, tmp_path: Path) -> None:
    path = sentencepiece(data, tmp_path, "llama2-tokenizer.model", add_bos_token=True)
    with pytest.warns(pw.errors.PieceworkWarning, match="there is no bos_token"):
        ours = pw.Tokenizer.from_folder(path)
    assert 1 not in ours.encode_ids("a")


# Small vocabularies of all other classes


@pytest.mark.filterwarnings("ignore:.*takes precedence", "ignore:.*in decoding; here they are kept")
@pytest.mark.parametrize("name", live.SMALL)
def test_class_over_a_small_vocabulary_equals_the_class(
    written: Folder, changed: Folder, name: str
) -> None:
    decodes = family_of(name).decoding is None
    live.check_class(written(name), name, live.texts(), decodes=decodes)
    path, some = changed(name), live.texts(40)
    config = json.loads((path / "tokenizer_config.json").read_text("utf-8"))
    tree = json.loads((path / "tokenizer.json").read_text("utf-8"))
    (path / "tokenizer.json").write_text(json.dumps(live.without_components(tree)))
    for more in live.other_settings(name):
        live.check_class(live.configure(path, config | more), name, some, decodes=decodes)
    family = family_of(name)
    if family.merges or family.reads_bpe_model or family.model == "WordPiece":
        (path / "tokenizer.json").unlink()
        shutil.copytree(written(name).parent / f"source-{name}", path, dirs_exist_ok=True)
        for more in live.other_settings(name):
            live.check_class(live.configure(path, config | more), name, some)


# Other classes


def test_classes_in_python_raise_a_warning_of_their_own(tmp_path: Path) -> None:
    words = pw.Tokenizer(pw.models.WordPiece(["[UNK]", "a"]))
    words.save(tmp_path / "tokenizer.json")
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n")
    live.configure(tmp_path, {"tokenizer_class": "BertJapaneseTokenizer"})
    for file in ("tokenizer.json", "vocab.txt"):
        with pytest.warns(
            pw.errors.PieceworkWarning,
            match=f"'BertJapaneseTokenizer' is written in Python, and no file.* here {file}",
        ):
            pw.Tokenizer.from_folder(tmp_path)
        (tmp_path / file).unlink()


def test_decoding_that_is_not_followed_raises_a_warning(tmp_path: Path) -> None:
    pw.Tokenizer(pw.models.WordPiece(["[UNK]", "a"])).save(tmp_path / "tokenizer.json")
    live.configure(tmp_path, {"tokenizer_class": "ParakeetTokenizer"})
    with pytest.warns(pw.errors.PieceworkWarning, match="'ParakeetTokenizer' drops repeated ids"):
        pw.Tokenizer.from_folder(tmp_path)


def test_every_class_has_a_record() -> None:
    classes = [name for name in dir(live.transformers()) if name.endswith("Tokenizer")]
    unknown = {name.removesuffix("Tokenizer") for name in classes if family_of(name) is UNKNOWN}
    parts = {"Auto", "Basic", "Character", "Mecab", "Wordpiece"}
    assert unknown - parts == {"Esmc", "RoFormer"}


def test_other_classes_raise_a_warning_with_their_name(tmp_path: Path) -> None:
    words = pw.Tokenizer(pw.models.WordPiece(["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]", "a"]))
    words.save(tmp_path / "tokenizer.json")
    for name in ("EsmcTokenizer", "RoFormerTokenizerFast", "MyTokenizer"):
        live.configure(tmp_path, {"tokenizer_class": name})
        with pytest.warns(
            pw.errors.PieceworkWarning, match=f"the class '{name}' is unknown"
        ) as caught:
            pw.Tokenizer.from_folder(tmp_path)
        assert len(caught) == 1
        assert "compare ids with `transformers`" in str(caught[0].message)
    for name in ("PreTrainedTokenizerFast", "TokenizersBackend"):
        pw.Tokenizer.from_folder(live.configure(tmp_path, {"tokenizer_class": name}))
    live.configure(tmp_path, {"tokenizer_class": "BertTokenizerFast"})
    ours = pw.Tokenizer.from_folder(tmp_path)
    built = (pw.normalizers.BertNormalizer(), pw.pre_tokenizers.BertPreTokenizer())
    assert (ours.normalizer, ours.pre_tokenizer) == built
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n")
    live.configure(tmp_path, {"tokenizer_class": "MyTokenizer"})
    with pytest.warns(
        pw.errors.PieceworkWarning, match="'MyTokenizer' is unknown.* from vocab.txt"
    ):
        pw.Tokenizer.from_folder(tmp_path)
