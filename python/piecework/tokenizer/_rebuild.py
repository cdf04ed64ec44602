"""Rebuilds a tokenizer around another model, with its ids in added tokens, post-processing and padding."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._messages import shown
from piecework.errors import VocabularyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.tokenizer import Tokenizer


_OWN = ("sep", "cls")
"""The members of a post-processor that are a token with its id."""


def model_tree(tok: Tokenizer) -> dict[str, Any]:
    r"""Returns the JSON values of a model, without the record of its training.

    >>> import piecework as pw
    >>> model_tree(pw.Tokenizer.from_str("[UNK]\nhug\n##s\n"))["vocab"]
    {'[UNK]': 0, 'hug': 1, '##s': 2}
    """
    tree: dict[str, Any] = json.loads(tok._core.model_json())
    own = tree.get("piecework") or {}
    own.pop("training", None)
    return tree


def rebuilt(tok: Tokenizer, model: dict[str, Any], new_id: Callable[[int], int]) -> Tokenizer:
    """Returns a tokenizer with another model and other ids; everything else is equal.

    Args:
        tok: The tokenizer.
        model: The JSON values of the new model.
        new_id: Maps the old id of each added token, and of each token that post-processing or padding inserts, to its new id.

    Returns:
        A new tokenizer, without a record of a training.

    Raises:
        VocabularyError: Post-processing or padding inserts an id that has no token.
    """
    tree = json.loads(tok._without_functions._core.to_json())
    own = tree["model"].get("piecework") or {}
    if "decoder" in own:
        model.setdefault("piecework", {"version": own["version"]})["decoder"] = own["decoder"]
    tree["model"] = model
    for token in tree["added_tokens"]:
        token["id"] = new_id(token["id"])
    _visit(tree, _checked(tok, new_id))
    core = _core.Tokenizer.from_json(json.dumps(tree).encode(), True, True, "file")
    made = type(tok)._wrap(core)._of_folder(tok._folder)._with_controls(tok.control_symbols)
    made = made._viewed(tok._view)
    return made.replace(pre_tokenizer=tok.pre_tokenizer) if tok._functions else made


def inserted_ids(tok: Tokenizer) -> set[int]:
    r"""Returns the ids of added tokens, and of tokens that post-processing and padding insert.

    Raises:
        VocabularyError: Post-processing or padding inserts an id that has no token.

    >>> import piecework as pw
    >>> sorted(inserted_ids(pw.Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\nhug\n")))
    [0, 1, 2]
    """
    same = _checked(tok, int)
    return set(tok.added_tokens) | {same(number) for _, _, number in tok._core.inserted_tokens()}


def _checked(tok: Tokenizer, new_id: Callable[[int], int]) -> Callable[[int], int]:
    """Returns a map of ids that refuses those without token."""

    def change(number: int) -> int:
        if tok.id_to_token(number) is None:
            raise VocabularyError(
                f"the post-processor or the padding inserts the id {shown(number)}, which has no token",
                hint="replace the post-processor and the padding first: tok.replace(...)",
            )
        return new_id(number)

    return change


def _visit(tree: dict[str, Any], change: Callable[[int], int]) -> None:
    """Changes the ids of post-processing and padding in a tokenizer.json."""
    if tree["post_processor"]:
        _visit_processor(tree["post_processor"], change)
    if tree["padding"]:
        tree["padding"]["pad_id"] = change(tree["padding"]["pad_id"])


def _visit_processor(part: dict[str, Any], change: Callable[[int], int]) -> None:
    for other in part.get("processors", ()):
        _visit_processor(other, change)
    for name in _OWN:
        if name in part:
            token, number = part[name]
            part[name] = [token, change(number)]
    for special in (part.get("special_tokens") or {}).values():
        special["ids"] = [change(number) for number in special["ids"]]
