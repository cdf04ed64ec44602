"""docs/models.md states the path of tokenizers with the components of known models, whose ids equal those of other libraries."""

import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest

import live_bpe
import model_families
import piecework as pw
from class_folders import PARTS
from model_families import FLAGS, Family, entries, family
from paths import unpacked

MORE = (
    *(" ", "\n", "  lead", "trail  ", "\t\ttabs", "12345678 ½", "a\u0301e\u0323\u0301 ʼn"),
    *("\u3000全角 スペース", "don't DON'T won't", "``quoted'' text", "İstanbul ﬀ ǅ", "กำ 한 ি ، …"),
)
pytestmark = pytest.mark.slow  # the vocabularies of all models take seconds


def texts(entry: dict[str, Any]) -> list[str]:
    """Returns texts in many languages, code, odd spaces, and mixtures with the added tokens of an entry."""
    added = [token if isinstance(token, str) else token["content"] for token in added_tokens(entry)]
    rng = random.Random(3)
    pool = [*PARTS, *MORE, *added]
    mixed = ["".join(rng.choices(pool, k=rng.randint(1, 8))) for _ in range(150)]
    found = [*model_families.TEXTS, *live_bpe.HARD, *MORE, *mixed, ""]
    return [text for text in found if "\0" not in text]  # SentencePiece ends a text at NUL


def added_tokens(entry: dict[str, Any]) -> list[Any]:
    """Returns the added or special tokens of an entry."""
    return [*entry.get("added_tokens", []), *entry.get("special_tokens", [])]


def test_the_page_is_current() -> None:
    pytest.importorskip("sentencepiece", reason="the oracle sentencepiece is not installed")
    assert model_families.PAGE.read_text(encoding="utf-8") == model_families.page(), (
        "run tools/make_models_docs.py"
    )


def test_every_entry_names_its_sources_and_its_components() -> None:
    components = {
        "added_tokens",
        "normalizer",
        "pre_tokenizer",
        "post_processor",
        "decoder",
        "model",
    }
    others = {"tiktoken": {"pattern", "special_tokens"}, "sentencepiece": {"trainer"}}
    loaded = json.loads(model_families.DATA.read_text(encoding="utf-8"))
    assert len(loaded) == len(entries())
    for entry in loaded:
        members = components if "format" not in entry else {"format", *others[entry["format"]]}
        assert set(entry) == {"models", "source", *members}, entry["models"]
        assert entry["source"]
        flags = (set(token) for token in added_tokens(entry) if not isinstance(token, str))
        assert all(names <= {"content", "special", *FLAGS} for names in flags)


@pytest.mark.parametrize("models", entries())
def test_ids_equal_those_of_the_live_library(models: str) -> None:
    found = family(models)
    compare = {"tiktoken": with_tiktoken, "sentencepiece": with_sentencepiece}
    compare.get(found.entry.get("format", ""), with_tokenizers)(found, texts(found.entry))


def with_tokenizers(found: Family, some: list[str]) -> None:
    """Compares with `tokenizers`."""
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle tokenizers is not installed")
    theirs = tokenizers.Tokenizer.from_str(found.content.decode())
    for special in (True, False):
        ours = found.tokenizer.encode_batch(some, add_special_tokens=special).to_list()
        wanted = theirs.encode_batch(some, add_special_tokens=special)
        for text, ids, encoding in zip(some, ours, wanted, strict=True):
            assert ids == encoding.ids, ascii(text)


def with_tiktoken(found: Family, some: list[str]) -> None:
    """Compares with tiktoken."""
    tiktoken = pytest.importorskip("tiktoken", reason="the oracle tiktoken is not installed")
    lines = (line.split() for line in found.content.splitlines())
    theirs = tiktoken.Encoding(
        "small",
        pat_str=found.entry["pattern"],
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
        special_tokens={
            name: found.tokenizer.token_to_id(name) for name in found.entry["special_tokens"]
        },
    )
    for text in some:
        wanted = theirs.encode(text, allowed_special="all")
        assert list(found.tokenizer.encode_ids(text)) == wanted, ascii(text)


def with_sentencepiece(found: Family, some: list[str]) -> None:
    """Compares with SentencePiece."""
    theirs = live_bpe.sentencepiece(found.content)
    for text in some:
        ids = list(found.tokenizer.encode_ids(text, add_special_tokens=False))
        assert ids == theirs.encode(text), ascii(text)


@pytest.mark.parametrize("models", entries())
def test_the_fast_path_has_a_kernel_and_the_generic_path_a_reason(models: str) -> None:
    tok = family(models).tokenizer
    assert (tok._core.kernel() is None) == (tok.generic_path_reason is not None)


@pytest.mark.parametrize(
    ("models", "name"),
    [
        (
            "BERT uncased, DistilBERT, ELECTRA, MiniLM, E5, BGE, GTE",
            "all-minilm-l6-v2-tokenizer.json",
        ),
        ("DeepSeek V3, R1, V3.2, V4", "deepseek-tokenizer.json.zst"),
        ("Llama 3, 3.1, 3.2, 3.3, SmolLM3", "llama3-tokenizer.json.zst"),
        ("StarCoder, StarCoder2, PowerMoE, SmolLM, SmolLM2", "starcoder-tokenizer.json.zst"),
        ("Llama 2 (.model)", "llama2-tokenizer.model"),
        ("Mistral v3 (.model)", "mistral-tokenizer.model.v3"),
        ("T5 (.model)", "t5-spiece.model"),
    ],
)
def test_a_real_file_has_the_path_and_the_components_of_its_row(
    models: str, name: str, data: Path
) -> None:
    path = live_bpe.vocab_file(data, name)
    content = unpacked(path) if path.suffix == ".zst" else path.read_bytes()
    real, small = pw.Tokenizer.from_bytes(content), family(models).tokenizer
    assert real.generic_path_reason == small.generic_path_reason
    assert real.split_backends == small.split_backends
    assert real.pre_tokenizer == small.pre_tokenizer
    assert shown(real.normalizer) == shown(small.normalizer)


def shown(normalizer: Any) -> list[str]:
    """Returns the steps of a normalizer as the page shows them."""
    found = model_families.steps(normalizer)
    return [model_families.shown_step(step, iter(())) for step in found]
