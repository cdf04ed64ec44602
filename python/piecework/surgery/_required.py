"""Finds the entries that a model needs whatever the corpus, and those that other entries are made of."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from piecework.tokenizer._rebuild import inserted_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from piecework.tokenizer import Tokenizer


def required_ids(tok: Tokenizer, model: Mapping[str, Any], *, keep_alphabet: bool) -> set[int]:
    r"""Returns the ids that are never pruned.

    These are added and inserted tokens, the unknown token, the bytes of the fallback, reserved, unused and user-defined
    entries, and with `keep_alphabet` entries of one character and those with characters that are no entries by themselves.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nh\n##u\nhu\n##ug\n")
    >>> sorted(required_ids(tok, {"unk_token": "[UNK]"}, keep_alphabet=True))
    [0, 1, 2, 4]
    """
    vocab = tok._core.model_vocab()
    own = model.get("piecework") or {}
    members = ("unused", "reserved", "user_defined")
    names = [tok.unk_token, *(name for member in members for name in own.get(member) or ())]
    if model.get("byte_fallback"):
        names += [f"<0x{byte:02X}>" for byte in range(256)]
    required = inserted_ids(tok) | {vocab[name] for name in names if name in vocab}
    if tok.model_type == "Unigram" and vocab:
        required.add(_lowest(model, vocab))
    if keep_alphabet:
        required |= _alphabet(tok, vocab, model.get("end_of_word_suffix") or "")
    return required


def _lowest(model: Mapping[str, Any], vocab: Mapping[str, int]) -> int:
    """Returns the id of the first piece with the lowest score, from which the score of unknown characters is derived."""
    own = model.get("piecework") or {}
    is_single = own.get("precision") == "float32"
    exempt = (
        {*(own.get("user_defined") or ()), *(own.get("reserved") or ())} if is_single else set()
    )
    scores = [(score, vocab[piece]) for piece, score in model["vocab"] if piece not in exempt]
    return min(scores, default=(0.0, 0))[1]


def _alphabet(tok: Tokenizer, vocab: Mapping[str, int], suffix: str) -> set[int]:
    """Returns the ids of single characters, and of entries with a character that is no entry in its position."""
    if tok.model_type == "WordLevel":
        return set()
    prefix = tok.continuing_subword_prefix
    kept = set()
    for entry, number in vocab.items():
        forms = _forms(entry, prefix, suffix)
        if len(forms) == 1 or any(form not in vocab for form in forms):
            kept.add(number)
    return kept


def _forms(entry: str, prefix: str, suffix: str) -> list[str]:
    """Returns the entries of one character that an entry can be split into, by their positions in the word."""
    begins = not (prefix and entry.startswith(prefix) and len(entry) > len(prefix))
    text = entry if begins else entry[len(prefix) :]
    ends = bool(suffix) and text.endswith(suffix) and len(text) > len(suffix)
    text = text[: -len(suffix)] if ends else text
    return character_forms(text, prefix, suffix if ends else "", begins=begins)


def character_forms(text: str, prefix: str, suffix: str, *, begins: bool = True) -> list[str]:
    """Returns the entries of the characters of a text in a word: with a prefix but at the beginning, the last with a suffix.

    >>> character_forms("hug", "##", "</w>")
    ['h', '##u', '##g</w>']
    """
    forms = [
        character if begins and not place else prefix + character
        for place, character in enumerate(text)
    ]
    return [*forms[:-1], forms[-1] + suffix] if forms else []


def parts_of(tok: Tokenizer) -> dict[int, set[int]]:
    """Returns the ids that each entry of a BPE model is merged from; empty for other models.

    >>> from piecework import Tokenizer, models
    >>> parts_of(Tokenizer(models.BPE(["h", "u", "g", "ug", "hug"], [("u", "g"), ("h", "ug")])))
    {3: {1, 2}, 4: {0, 3}}
    """
    parts: defaultdict[int, set[int]] = defaultdict(set)
    for left, right, merged in tok._core.last_pairs():
        parts[merged] |= {left, right}
    return dict(parts)


def by_need(ids: Iterable[int], parts: Mapping[int, set[int]]) -> list[int]:
    """Returns ids together with all that they are made of, each after its parts.

    Every beginning of the list contains the parts of its ids. Where the parts come first anyway, the order is that given.

    >>> by_need([4, 2, 3], {3: {1, 2}, 4: {0, 3}})
    [0, 1, 2, 3, 4]
    """
    found, order = set[int](), list[int]()
    for start in ids:
        open_ids = [(start, False)]
        while open_ids:
            number, has_parts = open_ids.pop()
            if has_parts:
                order.append(number)
            elif number not in found:
                found.add(number)
                open_ids.append((number, True))
                open_ids += [(part, False) for part in sorted(parts.get(number, ()), reverse=True)]
    return order
