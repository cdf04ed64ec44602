"""Saved tokenizers with every component, read by `tokenizers`."""

from typing import Any

import pytest

import parts
import piecework as pw
from piecework import decoders, models, pre_tokenizers


def live(tok: pw.Tokenizer) -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle is not installed")
    return tokenizers.Tokenizer.from_str(tok.to_str())


@pytest.mark.parametrize("model", parts.MODELS, ids=repr)
@pytest.mark.parametrize(
    ("name", "part"),
    [(name, part) for name, part in parts.EVERY if part not in parts.PIECEWORK_PRE_TOKENIZERS],
)
def test_saved_tokenizers_work_in_tokenizers(model: models.Model, name: str, part: Any) -> None:
    tok = parts.made(model, **{name: part}, added_tokens=parts.ADDED)
    theirs = live(tok)
    for text in parts.TEXTS:
        for pair in (None, "ab New"):
            found, wanted = tok.encode(text, pair), theirs.encode(text, pair)
            assert found.ids == wanted.ids
            assert found.tokens == wanted.tokens
            assert found.offsets == wanted.offsets
            assert found.word_ids == wanted.word_ids
            assert [o.ids for o in found.overflowing] == [o.ids for o in wanted.overflowing]
        if not isinstance(part, decoders.Strip):  # panics in `tokenizers` on short tokens
            assert tok.decode(found.ids) == theirs.decode(found.ids)


@pytest.mark.parametrize("pre_tokenizer", parts.PIECEWORK_PRE_TOKENIZERS, ids=repr)
def test_tokenizers_refuses_piecework_pre_tokenizers(
    pre_tokenizer: pre_tokenizers.PreTokenizer,
) -> None:
    with pytest.raises(Exception, match=r"variant|unknown"):
        live(parts.made(pre_tokenizer=pre_tokenizer))


@pytest.mark.parametrize("model", parts.PIECEWORK_MODELS, ids=repr)
def test_tokenizers_refuses_piecework_models(model: models.Model) -> None:
    with pytest.raises(Exception, match=r"variant|unknown"):
        live(parts.made(model))
