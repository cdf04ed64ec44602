"""Names and ids of the tokens that post-processing and padding insert, checked against the vocabulary."""

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import decoders, hf, models, normalizers, processors
from piecework.errors import ConfigError, PieceworkWarning, VocabularyError

LINES = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhug\n##s\n"
OTHERS = {
    "bert": processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101)),
    "roberta": processors.RobertaProcessing(("[SEP]", 102), ("[CLS]", 101)),
    "template": processors.TemplateProcessing(
        "[CLS] $A [SEP]", special_tokens=[("[CLS]", 101), ("[SEP]", 102)]
    ),
    "swapped": processors.TemplateProcessing(
        "[CLS] $A [SEP]", special_tokens=[("[CLS]", 3), ("[SEP]", 2)]
    ),
    "sequence": processors.Sequence(
        [processors.ByteLevel(), processors.BertProcessing(("[SEP]", 5), ("[CLS]", 2))]
    ),
    "several": processors.TemplateProcessing(
        "x $A", special_tokens=[{"id": "x", "ids": [2, 101], "tokens": ["[CLS]", "[SEP]"]}]
    ),
}


def tokenizer() -> pw.Tokenizer:
    return pw.Tokenizer.from_str(LINES)


def file_with(**members: Any) -> str:
    return json.dumps(json.loads(tokenizer().to_str()) | members)


@pytest.mark.parametrize("name", OTHERS)
def test_ids_of_another_vocabulary_are_an_error(name: str) -> None:
    part = OTHERS[name]
    with pytest.raises(ConfigError, match=r"^post_processor: it inserts .*with_ids"):
        tokenizer().replace(post_processor=part)
    with pytest.raises(ConfigError, match=r"^post_processor: it inserts .*with_ids"):
        pw.Tokenizer(tokenizer().model, post_processor=part)
    resolved = part.with_ids(tokenizer().vocab)
    assert type(resolved) is type(part)
    encoding = tokenizer().replace(post_processor=resolved).encode("hug")
    assert encoding.ids == [tokenizer().vocab[token] for token in encoding.tokens]
    assert resolved.with_ids(tokenizer().vocab) == resolved


def test_the_pipeline_of_another_tokenizer() -> None:
    bert = pw.Tokenizer.from_str("\n".join([*map(str, range(9)), *LINES.split()]))
    trainer = pw.WordPieceTrainer(30, special_tokens=["[UNK]", "[CLS]", "[SEP]"])
    stages: Any = {"normalizer": bert.normalizer, "pre_tokenizer": bert.pre_tokenizer}
    trained = pw.train(["low lower lowest"] * 3, trainer, **stages)
    with pytest.raises(ConfigError, match=r"'\[CLS\]' with the id 11, which is .*has the id 1;"):
        trained.replace(post_processor=bert.post_processor)
    assert bert.post_processor is not None
    fitted = trained.replace(post_processor=bert.post_processor.with_ids(trained.vocab))
    assert fitted.encode_ids("low")[0] == trained.vocab["[CLS]"]


def test_a_name_that_the_vocabulary_lacks_stands_for_the_token_of_its_id() -> None:
    part = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", 2)])
    tok = tokenizer().replace(post_processor=part)
    assert tok.encode("hug").tokens == ["<s>", "hug"]
    with pytest.raises(VocabularyError, match=r"'<s>', which the post-processor inserts"):
        part.with_ids(tok.vocab)
    (finding,) = pw.lint(tok, select=["mismatched-id"]).findings
    assert (finding.token, finding.id) == ("<s>", 2)
    with pytest.raises(ConfigError, match=r"it inserts '<s>' .*remove it by `replace`"):
        tok.with_added_tokens(["<s>"])


@pytest.mark.parametrize(
    ("padding", "message"),
    [
        (pw.Padding(pad_id=6, pad_token="<none>"), "id 6, which no token has; leave `pad_id` out"),
        (pw.Padding(pad_id=1, pad_token="[PAD]"), r"which is '\[UNK\]'; '\[PAD\]' has the id 0"),
    ],
)
def test_padding_is_checked(padding: pw.Padding, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tokenizer().replace(padding=padding)
    with pytest.raises(ConfigError, match=message):
        pw.Tokenizer(tokenizer().model, padding=padding)
    with pytest.raises(ConfigError, match=message):
        pw.Tokenizer.from_str(LINES, padding=padding)
    assert tokenizer().replace(padding=pw.Padding(pad_token="[PAD]")).padding.pad_id == 0  # type: ignore[union-attr]


def test_a_file_keeps_its_ids_and_warns_once(tmp_path: Path) -> None:
    text = file_with(post_processor=OTHERS["bert"].to_dict())
    path = tmp_path / "tokenizer.json"
    path.write_text(text, encoding="utf-8")
    for load, place in (
        (lambda: pw.Tokenizer.from_str(text), ""),
        (lambda: pw.Tokenizer.from_bytes(text.encode()), ""),
        (lambda: pw.Tokenizer.from_file(path), f"{path}: "),
        (lambda: pw.Tokenizer.from_folder(tmp_path), f"{path}: "),
    ):
        with pytest.warns(PieceworkWarning, match=r"the ids of the file are kept") as found:
            tok = load()
        assert len(found) == 1
        assert str(found[0].message).startswith(f"{place}post_processor: it inserts '[CLS]'")
        assert tok.encode_ids("hug") == [101, 4, 102]
    with warnings.catch_warnings(action="error"):
        changed = tok.replace(decoder=decoders.Fuse()).with_added_tokens(["<x>"])
        assert pickle.loads(pickle.dumps(changed)) == changed
        fitted = tok.replace(post_processor=tok.post_processor.with_ids(tok.vocab))  # type: ignore[union-attr]
        assert pw.Tokenizer.from_str(fitted.to_str()).encode_ids("hug") == [2, 4, 3]
    rules = {finding.id for finding in pw.lint(tok, select=["mismatched-id"]).findings}
    assert rules == {101, 102}


def test_the_default_padding_of_tokenizers_is_only_a_finding() -> None:
    padding = pw.Padding(pad_id=0, pad_token="[PAD]").to_dict()
    for lines in ("[UNK]\nhug\n", "[UNK]\n[PAD]\nhug\n"):
        tree = json.loads(pw.Tokenizer.from_str(lines).to_str())
        with warnings.catch_warnings(action="error"):
            tok = pw.Tokenizer.from_str(json.dumps(tree | {"padding": padding}))
            assert tok.with_added_tokens(["[PAD]"]).encode_ids("hug") == tok.encode_ids("hug")
        (finding,) = pw.lint(tok, select=["mismatched-id"]).findings
        assert (finding.token, finding.id) == ("[PAD]", 0)


def test_hf_accepts_any_ids() -> None:
    tok = hf.Tokenizer(hf.models.WordLevel({"a": 0, "[SEP]": 1, "[CLS]": 2}, "a"))
    with warnings.catch_warnings(action="error"):
        tok.post_processor = hf.processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
        tok.enable_padding(pad_id=7, pad_token="<none>", length=4)
        assert tok.encode("a").ids == [101, 0, 102, 7]
        assert hf.Tokenizer.from_str(tok.to_str()).encode("a").ids == [101, 0, 102, 7]


def test_tokens_without_ids_in_common() -> None:
    model = models.BPE(["a", "b", "ab"], [("a", "b")])
    with pytest.raises(ConfigError, match="id 3, which no token has"):
        pw.Tokenizer(model, post_processor=processors.BertProcessing(("c", 3), ("a", 0)))


def test_a_token_that_is_found_in_another_form_has_its_own_id() -> None:
    tok = pw.Tokenizer(
        models.WordLevel(["[UNK]"], unk_token="[UNK]"),
        normalizer=normalizers.Prepend("▁"),
        added_tokens=[pw.AddedToken("<s>", special=True, normalized=True)],
    )
    part = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", 1)])
    with warnings.catch_warnings(action="error"):
        made = pw.Tokenizer.from_str(tok.replace(post_processor=part).to_str())
    assert (made.id_to_token(1), made.encode_ids("<s>")) == ("▁<s>", [1, 1])
    assert not pw.lint(made, select=["mismatched-id"])


def test_a_folder_keeps_its_ids(tmp_path: Path) -> None:
    part = processors.BertProcessing(("<eos>", 3), ("[CLS]", 2)).to_dict()
    (tmp_path / "tokenizer.json").write_text(file_with(post_processor=part), encoding="utf-8")
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<eos>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.warns(PieceworkWarning, match="it inserts '<eos>'"):
        assert pw.Tokenizer.from_folder(tmp_path).encode_ids("hug") == [2, 4, 3]


def test_with_ids_needs_a_mapping() -> None:
    for vocab in (None, 5, ["[CLS]", "[SEP]"], tokenizer()):
        with pytest.raises(TypeError, match="vocab: expected a mapping of tokens to ids"):
            OTHERS["bert"].with_ids(vocab)  # type: ignore[arg-type]
