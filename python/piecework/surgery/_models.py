"""Changes the entries of models: removes some and renumbers the rest, or appends new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework.analysis._lint.subject import Subject
from piecework.errors import ConfigError
from piecework.surgery._change import id_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from piecework._settings.added_tokens import AddedToken
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._results import Merge


def reduced(tok: Tokenizer, model: dict[str, Any], new_ids: Mapping[int, int]) -> dict[str, Any]:
    r"""Returns a model without the entries that have no new id.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\ncat\n##s\n")
    >>> reduced(tok, {"type": "WordPiece", "vocab": tok.vocab}, {0: 0, 1: 1, 3: 2})["vocab"]
    {'[UNK]': 0, 'hug': 1, '##s': 2}
    """
    if tok.model_type == "Unigram":
        return _reduced_unigram(model, new_ids)
    vocab = {
        entry: new_ids[number] for entry, number in model["vocab"].items() if number in new_ids
    }
    changed = model | {"vocab": vocab}
    own = dict(model.get("piecework") or {})
    if own.get("probabilities"):
        own["probabilities"] = {
            entry: share for entry, share in own["probabilities"].items() if entry in vocab
        }
    if own.get("ranks") is not None:
        kept = sorted((number, place) for place, number in new_ids.items())
        own["ranks"] = [own["ranks"][place] for _, place in kept if place < len(own["ranks"])]
    if own:
        changed["piecework"] = own
    if tok.model_type == "BPE":
        prefix = model.get("continuing_subword_prefix") or ""
        changed["merges"] = [pair for pair in model["merges"] if _is_kept(pair, vocab, prefix)]
    return changed


def _is_kept(pair: Sequence[str], vocab: Mapping[str, int], prefix: str) -> bool:
    left, right = pair
    return left in vocab and right in vocab and left + right[len(prefix) :] in vocab


def _reduced_unigram(model: dict[str, Any], new_ids: Mapping[int, int]) -> dict[str, Any]:
    vocab = [piece for number, piece in enumerate(model["vocab"]) if number in new_ids]
    unk_id = model["unk_id"]
    return model | {"vocab": vocab, "unk_id": None if unk_id is None else new_ids[unk_id]}


def extended(
    tok: Tokenizer,
    model: dict[str, Any],
    tokens: Sequence[str],
    scores: Sequence[float],
    history: Sequence[Merge],
) -> dict[str, Any]:
    r"""Returns a model with new entries, whose ids follow the largest id of the tokenizer.

    Added tokens outside the vocabulary become entries, unless the model could then match them in words: ``tokenizers``
    numbers those outside after the entries.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")
    >>> extended(tok, {"type": "WordPiece", "vocab": tok.vocab}, ["hugs"], [], [])["vocab"]
    {'[UNK]': 0, 'hug': 1, '##s': 2, 'hugs': 3}
    """
    first = id_count(tok)
    if tok.model_type == "Unigram":
        return _extended_unigram(tok, model, tokens, scores, first)
    new = {token: first + place for place, token in enumerate(tokens)}
    ids = tok.vocab
    added = {
        token: ids[token] for token in sorted(tok._core.possible_entries(), key=ids.__getitem__)
    }
    changed = model | {"vocab": model["vocab"] | added | new}
    if tok.model_type == "BPE":
        ranks = (model.get("piecework") or {}).get("ranks")
        if ranks is None:
            changed["merges"] = model["merges"] + [[merge.left, merge.right] for merge in history]
        else:
            changed["piecework"] = model["piecework"] | {
                "ranks": _extended_ranks(ranks, first, len(tokens))
            }
    return changed


def _extended_ranks(ranks: Sequence[int | None], first: int, count: int) -> list[int | None]:
    """Returns ranks by id, with new ones after the largest."""
    largest = max((rank for rank in ranks if rank is not None), default=-1)
    gap = [None] * (first - len(ranks))
    return [*ranks, *gap, *range(largest + 1, largest + 1 + count)]


def _extended_unigram(
    tok: Tokenizer,
    model: dict[str, Any],
    tokens: Sequence[str],
    scores: Sequence[float],
    first: int,
) -> dict[str, Any]:
    """Returns a Unigram model with new pieces, and added tokens between them and the old ones.

    An added token is a piece with the score 0, as in files of ``tokenizers``, if every text is cut at it; otherwise, and where
    the model has reserved pieces anyway, it is reserved.
    """
    names = {number: token for token, number in tok.vocab.items()}
    places = range(len(model["vocab"]), first)
    if gap := next((number for number in places if number not in names), None):
        raise ConfigError(
            f"the added tokens have ids with gaps (no token has the id {gap}), and pieces of Unigram have none",
            hint="add the tokens in the order of their ids, without gaps after the vocabulary",
        )
    between = [names[number] for number in places]
    new = zip(tokens, scores, strict=True)
    changed = model | {
        "vocab": [*model["vocab"], *([token, 0.0] for token in between), *map(list, new)]
    }
    own = model.get("piecework")
    are_cut = all(is_cut(tok, token) for token in tok.added_tokens.values())
    if between and (own or not are_cut):
        own = own or {"version": 1, "precision": "float64", "user_defined": [], "reserved": []}
        changed["type"] = "piecework.Unigram"
        changed["piecework"] = own | {"reserved": [*own["reserved"], *between]}
    return changed


def is_cut(tok: Tokenizer, token: AddedToken) -> bool:
    """Returns whether texts are cut at an added token wherever they contain it."""
    spaces = [step.get("replacement") for step in Subject(tok).pre_tokenizers]
    is_written = any(space and space in token.content for space in spaces)
    return not (token.single_word or token.content in tok.control_symbols or is_written)
