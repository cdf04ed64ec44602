"""From ids back to a text, with the added tokens of a tokenizer.json.

To a byte-level decoder, `é` is the byte E9. An added token `<é>` is a text, though, so the decoder
gets the characters of the bytes of that text. Entries that the model makes of bytes stay as they
are, even if they are added tokens too (P69).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from piecework.reference.decode.decoders import decode
from piecework.reference.model import models
from piecework.reference.normalize import normalizers
from piecework.reference.pipeline.added import AddedToken, assign_ids
from piecework.reference.text.bytes import BYTE_ALPHABET, BYTE_OF_CHARACTER

MOST_LEVELS = 4
"""With more byte-level decoders, each of which doubles the length of text, added tokens stay."""


def decode_ids(
    ids: Iterable[int], data: Mapping[str, Any], *, skip_special_tokens: bool = True
) -> str:
    """Decodes ids to text.

    Args:
        ids: Ids of the vocabulary or of added tokens.
        data: The object of a tokenizer.json.
        skip_special_tokens: Omit special tokens.

    Returns:
        The text.

    Raises:
        KeyError: an id is unknown.

    >>> model = {"type": "WordLevel", "vocab": {"Ã": 0, "©": 1}, "unk_token": "Ã"}
    >>> tokens = [{"content": "<é>", "id": 2}]
    >>> file = {"model": model, "added_tokens": tokens, "decoder": {"type": "ByteLevel"}}
    >>> decode_ids([0, 1, 2], file)
    'é<é>'
    """
    vocabulary = models.read_vocabulary(data["model"])
    written = [AddedToken(**token) for token in data.get("added_tokens") or []]
    added = {token.id: token for token in assign_ids(written, vocabulary)}
    names = {number: token for token, number in vocabulary.items()}
    names |= {number: _matched_form(token, data) for number, token in added.items()}
    special = {token.content for token in added.values() if token.special}
    parts = []
    for number in ids:
        name = names[number]
        if not (skip_special_tokens and name in special):
            parts.append(_decoder_input(name, added.get(number), data))
    return decode(parts, data.get("decoder"))


def _matched_form(token: AddedToken, data: Mapping[str, Any]) -> str:
    """Returns the form in which an added token is matched, and decoded."""
    settings = data.get("normalizer")
    if not token.normalized or settings is None:
        return token.content
    return normalizers.from_dict(settings).normalize_added_token(token.content)


def _decoder_input(name: str, token: AddedToken | None, data: Mapping[str, Any]) -> str:
    """Returns the part that the decoder gets for a token."""
    if token is None or _is_made(token, data["model"]):
        return name
    levels = _byte_levels(data.get("decoder"), "decoders")
    if levels > MOST_LEVELS:
        return name
    if token.normalized:
        levels -= _byte_levels(data.get("normalizer"), "normalizers")
    for _ in range(levels):
        name = "".join(BYTE_ALPHABET[byte] for byte in name.encode())
    return name


def _byte_levels(step: Mapping[str, Any] | None, members: str) -> int:
    """Returns how many steps of a sequence replace bytes by characters or characters by bytes."""
    if step is None:
        return 0
    if step["type"] == "Sequence":
        return sum(_byte_levels(each, members) for each in step[members])
    return int(step["type"] == "ByteLevel")


def _is_made(token: AddedToken, model: Mapping[str, Any]) -> bool:
    """Returns whether an added token is an entry that the model makes of bytes."""
    content = token.content
    if models.read_vocabulary(model).get(content) != token.id:
        return False
    if not all(c in BYTE_OF_CHARACTER for c in content):
        return False
    if model["type"] == "BPE":
        return _is_character(content, model) or content in _results_of_merges(model)
    return len(content) == 1 or (not token.special and _is_in_text(content))


def _is_character(content: str, model: Mapping[str, Any]) -> bool:
    prefix = model.get("continuing_subword_prefix") or ""
    suffix = model.get("end_of_word_suffix") or ""
    return len(content.removeprefix(prefix).removesuffix(suffix)) <= 1


def _results_of_merges(model: Mapping[str, Any]) -> Iterator[str]:
    prefix = model.get("continuing_subword_prefix") or ""
    for merge in model["merges"]:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        yield left + right.removeprefix(prefix)


def _is_in_text(content: str) -> bool:
    """Returns whether the bytes of an entry are part of some text: a few may end a character."""
    data = bytes(BYTE_OF_CHARACTER[c] for c in content)
    while data and len(content) - len(data) < 3 and data[0] & 0xC0 == 0x80:
        data = data[1:]
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True
