"""Unigram models converted for `tokenizers` by `transformers`: plain, and for T5, ALBERT, XLM-R and others."""

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

CONVERTERS = ("Spm", "T5", "Albert", "XLMRoberta", "MBart")
MORE_CONVERTERS = (
    *("Barthez", "BigBird", "Camembert", "DebertaV2", "Gemma", "Llama", "MBart50", "Nllb"),
    *("Pegasus", "RemBert", "SeamlessM4T", "Udop", "XGLM", "XLNet"),
)


def converted(path: Path, name: str, **flags: Any) -> str:
    """Returns the tokenizer.json that a converter of `transformers` makes from a .model file."""
    pytest.importorskip("google.protobuf", reason="protobuf, which transformers needs, is not here")
    pytest.importorskip("transformers", reason="transformers, which converts, is not installed")
    module = importlib.import_module("transformers.convert_slow_tokenizer")
    pieces = importlib.import_module("sentencepiece").SentencePieceProcessor(model_file=str(path))
    slow = SimpleNamespace(
        vocab_file=str(path),
        keep_accents=flags.get("keep_accents", False),
        do_lower_case=flags.get("do_lower_case", True),
        add_prefix_space=flags.get("add_prefix_space", True),
        split_by_punct=flags.get("split_by_punct", False),
        legacy=flags.get("legacy", True),
        _extra_ids=100,
        offset=103,
        pad_token="<pad>",
        eos_token="</s>",
        eos_token_id=1,
        bos_token="<s>",
        mask_token="<mask_2>",
        mask_token_id=3,
        mask_token_sent="<mask_1>",
        unk_token_id=pieces.unk_id(),
        convert_tokens_to_ids=pieces.piece_to_id,
        convert_ids_to_tokens=pieces.id_to_piece,
    )
    converter = getattr(module, f"{name}Converter")(slow)
    converter.handle_byte_fallback |= flags.get("byte_fallback", False)
    return str(converter.converted().to_str())
