"""Writes the configuration of a tokenizer for the folder of a model of ``transformers``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework.errors import ConfigError, did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ROLES", "configuration", "roles_of"]

_NAMES = {
    "pad_token": ("[PAD]", "<pad>", "<|pad|>", "<PAD>"),
    "unk_token": ("[UNK]", "<unk>", "<UNK>"),
    "bos_token": ("<s>", "[BOS]", "<bos>", "<|begin_of_text|>", "<|startoftext|>"),
    "eos_token": ("</s>", "[EOS]", "<eos>", "<|end_of_text|>", "<|endoftext|>", "<|im_end|>"),
    "cls_token": ("[CLS]", "<cls>"),
    "sep_token": ("[SEP]", "<sep>"),
    "mask_token": ("[MASK]", "<mask>"),
}
ROLES = tuple(_NAMES)
"""The roles of special tokens that `transformers` knows."""


def roles_of(
    special: Mapping[str, int],
    unk_token: str | None,
    pad_token: str | None,
    given: Mapping[str, str | None],
) -> dict[str, str]:
    """Returns the special token of each role.

    Args:
        special: The special tokens.
        unk_token: The unknown token of the model, or None.
        pad_token: The token of the padding settings, or None.
        given: Tokens by role, which take precedence; None for no token.

    Returns:
        The roles that have a token. By default a role has the token with a usual name. Padding falls back on the end of a
        text, then on the unknown token, so that batches can always be padded.

    Raises:
        ConfigError: A token is not in the vocabulary, or a role is unknown.
    """
    for role in given:
        if role not in ROLES:
            hint = did_you_mean(role, ROLES)
            raise ConfigError(
                f"{shown(role)} is no role of a special token", setting=role, hint=hint
            )
    found: dict[str, str | None] = {
        role: next((name for name in names if name in special), None)
        for role, names in _NAMES.items()
    }
    found["unk_token"] = unk_token or found["unk_token"]
    found["pad_token"] = pad_token or found["pad_token"]
    # In models such as BERT, texts begin with [CLS] and end with [SEP].
    found["bos_token"] = found["bos_token"] or found["cls_token"]
    found["eos_token"] = found["eos_token"] or found["sep_token"]
    found |= given
    if "pad_token" not in given:
        found["pad_token"] = found["pad_token"] or found["eos_token"] or found["unk_token"]
    return {role: token for role, token in found.items() if token is not None}


def configuration(
    roles: Mapping[str, str], model_max_length: int | None, padding_side: str
) -> dict[str, bytes]:
    """Returns the contents of tokenizer_config.json and special_tokens_map.json."""
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "padding_side": padding_side,
    }
    if model_max_length is not None:
        config["model_max_length"] = model_max_length
    return {
        "tokenizer_config.json": _json(config | dict(roles)),
        "special_tokens_map.json": _json(roles),
    }


def _json(values: Mapping[str, Any]) -> bytes:
    return (json.dumps(dict(values), ensure_ascii=False, indent=2) + "\n").encode()
