"""Applies the record of a tokenizer class of ``transformers`` to a tokenizer, whatever a tokenizer.json contains."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from piecework._byte_text import byte_characters
from piecework._settings.component import steps
from piecework.errors import FormatError, VocabularyError
from piecework.normalizers import Precompiled
from piecework.tokenizer._checks import check_file
from piecework.tokenizer._folders.components import Ends, around
from piecework.tokenizer._rebuild import model_tree, rebuilt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework.processors import PostProcessor
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._folders.read import ModelFolder
    from piecework.tokenizer._folders.settings import FolderSettings


_SETTINGS: dict[str, dict[str, Any]] = {
    "WordPiece": {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100},
    "BPE": {
        **dict.fromkeys(("ignore_merges", "fuse_unk", "byte_fallback"), False),
        **dict.fromkeys(
            ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")
        ),
    },
    "Unigram": {"byte_fallback": False, "unk_id": 0},
}
"""The settings of the model that classes build, by its type."""

_WITHOUT_UNKNOWN = {"unk_token", "fuse_unk"}
"""The settings without effect if no character is unknown."""


def class_parts(tokenizer: Tokenizer, settings: FolderSettings) -> dict[str, Any]:
    """Returns the normalizer, the pre-tokenizer and the decoder that the class of a folder builds; empty if it builds none."""
    if settings.family.components is None:
        return {}
    rules = next((n for n in steps(tokenizer.normalizer) if isinstance(n, Precompiled)), None)
    parts = settings.family.components(settings, rules)
    return dict(zip(("normalizer", "pre_tokenizer", "decoder"), parts, strict=True))


def class_post_processor(
    tokenizer: Tokenizer, folder: ModelFolder
) -> tuple[PostProcessor | None, bool]:
    """Returns the post-processor that the class of a folder sets, and whether it is that of the class.

    Args:
        tokenizer: The tokenizer, with its added tokens.
        folder: Its folder.

    Returns:
        The post-processor. That of the tokenizer if the class uses it, and, with False, if the vocabulary is of another model
        or lacks a special token that the class adds.
    """
    part, family = tokenizer.post_processor, folder.family
    has_file = folder.format == "tokenizer.json"
    if has_file and part is not None and (family.ends is None or family.keeps_ends):
        return part, True
    if has_file and family.model not in {None, tokenizer.model_type}:
        return part, False
    # The special tokens of a class over a .model are not followed, but for those that the files ask for.
    is_followed = family.reads_bpe_model and builds_its_model(tokenizer, folder.settings)
    is_model = folder.format.endswith(".model")
    ends = (family.ends if is_followed or not is_model else None) or around
    with contextlib.suppress(KeyError):
        return ends(Ends(tokenizer, folder.settings, family, has_file)) or part, True
    return part, False


def builds_its_model(tokenizer: Tokenizer, settings: FolderSettings) -> bool:
    """Returns whether a class builds a model of the type of a tokenizer's, so that it can use its vocabulary."""
    return tokenizer.model_type == settings.family.model


def differences(tokenizer: Tokenizer, folder: ModelFolder) -> list[str]:
    """Returns the names of components of a tokenizer.json that its class replaces and that the tokenizer has kept.

    Args:
        tokenizer: The configured tokenizer.
        folder: The folder of the tokenizer.

    Returns:
        The names for a message, such as ``"post-processor"`` and ``"unk_token of the model"``.
    """
    settings, family = folder.settings, folder.family
    if folder.format != "tokenizer.json" or family.model is None:
        return []
    # Missing tokens of BERT raise a warning of their own.
    _, has_ends = class_post_processor(tokenizer, folder)
    names = ["post-processor"] * (not has_ends and not family.has_fixed_ends)
    if family.keeps_file:
        return names
    if not builds_its_model(tokenizer, settings):
        return ["normalizer", "pre-tokenizer", *names, "model"]
    changed = _changed_settings(_object(folder)["model"], settings)
    return [*names, *(f"{name} of the model" for name in changed)]


def _changed_settings(model: Mapping[str, Any], settings: FolderSettings) -> dict[str, Any]:
    """Returns the settings of the model of a tokenizer.json that the class replaces, with its values; none without effect."""
    ids = _ids(model.get("vocab"))
    wanted = model_settings(ids, settings)
    changed = {k: v for k, v in wanted.items() if _set(k, model.get(k)) != _set(k, v)}
    return changed if changed.keys() - _without_effect(ids, model) else {}


def with_class_model(folder: ModelFolder) -> bytes | None:
    """Returns the tokenizer.json of a folder with the settings of the model that its class builds; None if none differs.

    Args:
        folder: The folder, whose class replaces the components of the file.
    """
    tree = _object(folder)
    model = tree.get("model")
    if not isinstance(model, dict) or model.get("type") != folder.family.model:
        return None
    changed = _changed_settings(model, folder.settings)
    if not changed:
        return None
    # The class takes vocabulary and merges, and no record of this library about the model.
    public = {name: value for name, value in model.items() if name != "piecework"}
    return json.dumps(tree | {"model": public | changed}).encode()


def with_class_settings(tokenizer: Tokenizer, folder: ModelFolder) -> Tokenizer:
    """Returns the tokenizer of a vocab.json and merges.txt with the unknown token that its class gives the model."""
    if not (folder.family.merges and folder.family.names_unknown):
        return tokenizer
    model = model_tree(tokenizer)
    changed = _changed_settings(model, folder.settings)
    # A token that the vocabulary lacks makes no valid model.
    with contextlib.suppress(FormatError, VocabularyError):
        return rebuilt(tokenizer, model | changed, lambda number: number) if changed else tokenizer
    return tokenizer


def _object(folder: ModelFolder) -> dict[str, Any]:
    """Returns the members of a tokenizer.json; none of a malformed one, of which its reader raises the error."""
    check_file("json", folder.data, f"{folder.path}: ")
    with contextlib.suppress(ValueError, RecursionError):
        tree = json.loads(folder.data.decode("utf-8-sig"))
        if isinstance(tree, dict):
            return tree
    return {}


def _ids(vocab: Any) -> Mapping[str, Any]:
    """Returns the ids of the entries of a vocabulary in a tokenizer.json."""
    if isinstance(vocab, list):
        pairs = (entry if isinstance(entry, list) else [entry] for entry in vocab)
        return {str(pair[0]): number for number, pair in enumerate(pairs) if pair}
    return vocab if isinstance(vocab, dict) else {}


def _set(name: str, value: Any) -> Any:
    """Returns the value of a setting; None for a value that equals a missing one."""
    return value if name == "unk_id" else value or None


def model_settings(ids: Mapping[str, Any], settings: FolderSettings) -> dict[str, Any]:
    """Returns the settings of the model that a class builds over a vocabulary."""
    family, unknown = settings.family, settings.special_tokens.get("unk_token")
    wanted = {**_SETTINGS[family.model or ""], **family.model_settings}
    if "unk_id" in family.options:
        wanted["unk_id"] = settings["unk_id"]
    if not family.names_unknown:
        return wanted
    name = unknown.content if unknown else family.tokens["unk_token"]
    if "unk_id" in wanted:
        return wanted | {"unk_id": ids.get(name, wanted["unk_id"])}
    return wanted | {"unk_token": name}


def _without_effect(ids: Mapping[str, Any], found: Mapping[str, Any]) -> set[str]:
    """Returns the settings of a BPE model that have no effect, since its vocabulary spells every byte."""
    if found["type"] != "BPE":
        return set()
    suffixes = {"", found.get("end_of_word_suffix") or ""}
    letters = (letter + suffix for letter in byte_characters().values() for suffix in suffixes)
    if all(letter in ids for letter in letters):
        return {*_WITHOUT_UNKNOWN, "byte_fallback"}
    pieces = (f"<0x{byte:02X}>" for byte in range(256))
    is_complete = all(piece in ids for piece in pieces)
    return _WITHOUT_UNKNOWN if is_complete and found.get("byte_fallback") else set()
