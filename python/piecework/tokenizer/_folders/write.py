"""Writes the configuration of a tokenizer for the folder of a model of ``transformers``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework._exceptions import warn
from piecework._messages import did_you_mean, shown
from piecework._settings.arguments import check_str
from piecework._settings.component import steps
from piecework.errors import ConfigError
from piecework.processors import ByteLevel
from piecework.tokenizer._folders.chat_templates import template_files, template_setting
from piecework.tokenizer._folders.families import WRITTEN
from piecework.tokenizer._folders.settings import FolderSettings
from piecework.tokenizer._formats.own import own_types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework._settings.added_tokens import AddedToken
    from piecework.tokenizer import Tokenizer


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
    tok: Tokenizer, folder: FolderSettings | None, given: Mapping[str, str | None]
) -> dict[str, str]:
    """Returns the roles of a tokenizer's special tokens, and warns of those that are uncertain.

    A role has the token that is given, or that of the folder from which the tokenizer was loaded, or that of the model
    (the unknown token) or the padding, or the only special token with a usual name. No other token gets a role.

    Args:
        tok: The tokenizer.
        folder: The settings of its folder, or None.
        given: Tokens by role, which take precedence; None for no token.

    Returns:
        The token of each role that has one.

    Raises:
        ConfigError: A token is not in the vocabulary, or a role is unknown.
    """
    for role, token in given.items():
        if role not in ROLES:
            meant = f"{role}_token" if f"{role}_token" in ROLES else role
            hint = did_you_mean(meant, ROLES) or f"expected one of {', '.join(ROLES)}"
            raise ConfigError(
                f"{shown(role)} is no role of a special token", setting=role, hint=hint
            )
        if token is not None and tok.token_to_id(check_str(role, token)) is None:
            raise ConfigError(f"{shown(token)} is not in the vocabulary", setting=role)
    special = set(tok.special_tokens)
    found = dict(_inferred(tok, folder, given))
    for role, token in given.items():
        if token is not None and token not in special:
            warn(
                f"{role}={shown(token)} is no special token here, but transformers makes it one: it matches it in texts, "
                "and skips it in decoding",
                hint="add it with `with_added_tokens([...], special=True)` before saving",
            )
    named = {role: token for role in ROLES if (token := (found | dict(given)).get(role))}
    if "pad_token" not in named and "pad_token" not in given:
        warn(
            "the tokenizer has no padding token, so transformers cannot pad batches",
            hint="pass `pad_token=...`, or `pad_token=None` for none",
        )
    return named


def _inferred(
    tok: Tokenizer, folder: FolderSettings | None, given: Mapping[str, str | None]
) -> Iterator[tuple[str, str]]:
    """Iterates over the roles that are not given, each with its token."""
    special = set(tok.special_tokens)
    pad_token = tok.padding.pad_token if tok.padding else None
    own = {"unk_token": tok.unk_token, "pad_token": pad_token}
    recorded = {
        role: token.content for role, token in (folder.special_tokens if folder else {}).items()
    }
    for role, names in _NAMES.items():
        if role in given:
            continue
        certain = (recorded.get(role), own.get(role))
        if role == "pad_token":  # that of the padding is what batches get
            certain = certain[::-1]
        tokens = [token for token in certain if token]
        usual = [name for name in names if name in special]
        if found := next((token for token in tokens if token in special), None):
            yield role, found
        elif tokens and tok.token_to_id(tokens[0]) is not None:
            warn(
                f"{role} is not written: {shown(tokens[0])} is no special token here, and transformers would match it in texts",
                hint=f"pass `{role}={tokens[0]!r}` to write it",
            )
        elif usual:
            # A folder without this role says that its tokens have other ones.
            if folder and folder.special_tokens:
                continue
            if len(usual) > 1:
                warn(
                    f"{role} is {shown(usual[0])}, but {', '.join(map(shown, usual[1:]))} could be it, too",
                    hint=f"pass `{role}=...`",
                )
            yield role, usual[0]


def configuration(
    tok: Tokenizer,
    roles: Mapping[str, str],
    folder: FolderSettings | None,
    model_max_length: int | None,
) -> dict[str, bytes]:
    """Returns the contents of tokenizer_config.json, special_tokens_map.json and the chat templates.

    Args:
        tok: The tokenizer.
        roles: The special tokens that have a role.
        folder: The settings of the folder from which it was loaded, or None.
        model_max_length: The largest number of tokens; None for that of the truncation, or of the folder.

    Returns:
        The contents by name of the file.
    """
    given = folder or FolderSettings()
    config: dict[str, Any] = {
        "tokenizer_class": WRITTEN,
        # With them transformers ignores an added_tokens.json that was in the folder before.
        "added_tokens_decoder": {
            str(number): _flags(token) for number, token in sorted(tok.added_tokens.items())
        },
        "clean_up_tokenization_spaces": False,
        "model_input_names": list(given.model_input_names or _input_names(tok)),
        "padding_side": tok.padding.direction if tok.padding else given.padding_side or "right",
        "truncation_side": tok.truncation.direction
        if tok.truncation
        else given.truncation_side or "right",
    }
    if model_max_length is None:
        limit = tok.truncation.max_length if tok.truncation else None
        model_max_length = limit or given.model_max_length
    if model_max_length is not None:
        config["model_max_length"] = model_max_length
    tokens: dict[str, Any] = dict(roles)
    if others := [token for token in tok.special_tokens if token not in roles.values()]:
        tokens["additional_special_tokens"] = others
    return {
        "tokenizer_config.json": _json(config | tokens | template_setting(given.chat_templates)),
        "special_tokens_map.json": _json(tokens),
        **template_files(given.chat_templates),
    }


def own_types_of(text: str) -> list[str]:
    """Returns the types in the text of a tokenizer.json that ``tokenizers`` does not have, such as ``"piecework.Jieba"``."""
    tree = json.loads(text)
    parts = [tree[name] for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder")]
    return list(own_types([{"type": tree["model"]["type"]}, *parts]))


def _flags(token: AddedToken) -> dict[str, Any]:
    flags = {name: getattr(token, name) for name in ("single_word", "lstrip", "rstrip", "special")}
    return {"content": token.content, "normalized": bool(token.normalized)} | flags


def _input_names(tok: Tokenizer) -> tuple[str, ...]:
    """Returns the names of the columns of a model's input; with type ids if the post-processor gives others than 0."""
    # ByteLevel trims offsets alone; the type ids next to it are those of any pair.
    if all(isinstance(part, ByteLevel) for part in steps(tok.post_processor)):
        return ("input_ids", "attention_mask")
    whole = tok.replace(truncation=None, padding=None)
    encodings = [whole.encode("a"), whole.encode("a", "a")]
    if any(number for encoding in encodings for number in encoding.type_ids):
        return ("input_ids", "token_type_ids", "attention_mask")
    return ("input_ids", "attention_mask")


def _json(values: Mapping[str, Any]) -> bytes:
    return (json.dumps(dict(values), ensure_ascii=False, indent=2) + "\n").encode()
