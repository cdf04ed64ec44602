"""Folders of small byte-level BPE models, as GPT-2 and RoBERTa have them."""

import json
from pathlib import Path
from typing import Any

MERGES = [("h", "u"), ("hu", "g"), ("Ġ", "hug"), ("Ġ", "a")]
BYTES = [*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324)]
GPT2 = ["<|endoftext|>"]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def byte_level(**changes: Any) -> dict[str, Any]:
    """Returns a ByteLevel pre-tokenizer as tokenizer.json holds it."""
    settings = {"add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {"type": "ByteLevel", **settings, **changes}


def folder(path: Path, specials: list[str], config: dict[str, Any], **files: Any) -> Path:
    """Writes the folder of a small model, with a tokenizer.json or with vocab.json and merges.txt."""
    tokens = [*map(chr, BYTES), *("".join(pair) for pair in MERGES), *specials]
    vocab = {token: number for number, token in enumerate(tokens)}
    files = {"tokenizer_config": config, "config": {}} | files
    if whole := files.pop("tokenizer", None):
        added = [
            {"id": vocab[token], "content": token, "special": True, "normalized": False}
            | dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
            for token in specials[:2]
        ]
        merges = [" ".join(pair) for pair in MERGES]
        model = {"type": "BPE", "vocab": vocab, "merges": merges}
        files["tokenizer"] = {
            "added_tokens": added,
            "model": model,
            "decoder": byte_level(),
        } | whole
    else:
        files["vocab"] = vocab
        lines = (" ".join(pair) + "\n" for pair in MERGES)
        (path / "merges.txt").write_text("#version: 0.2\n" + "".join(lines), "utf-8")
    for name, data in files.items():
        (path / f"{name}.json").write_text(json.dumps(data), "utf-8")
    return path
