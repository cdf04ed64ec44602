"""From tokens back to text.

What normalization removed is lost; what a decoder undoes is the splitting. A decoder maps a list of
parts, at first the tokens, to a list of parts; the concatenated parts are the text. So decoders can
be chained. Each decoder is a function here, and its settings are its members in a tokenizer.json.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from piecework.reference.text.bytes import BYTE_OF_CHARACTER, METASPACE

# (match, replacement), in this order: the table of `tokenizers`.
CLEANUP = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


def decode(tokens: Iterable[str], settings: Mapping[str, Any] | None) -> str:
    """Joins tokens to text.

    Args:
        tokens: Entries of a vocabulary, with or without special tokens.
        settings: The decoder as in a tokenizer.json; None puts a space between tokens.

    Returns:
        The text. Cost: linear, except for regular expressions.

    >>> decode(["to", "be"], None)
    'to be'
    >>> decode(["▁to", "▁be"], {"type": "Metaspace", "replacement": "▁"})
    'to be'
    """
    if settings is None:
        return " ".join(tokens)
    return "".join(apply_decoder(list(tokens), settings))


def decode_bytes(tokens: Iterable[str], settings: Mapping[str, Any] | None) -> bytes:
    r"""Joins tokens to text, in which the bytes that tokens stand for are kept.

    Until the last step a byte that is not UTF-8 is a surrogate, as in Python's file names.

    Args:
        tokens: As for `decode`.
        settings: As for `decode`.

    Returns:
        The bytes.

    >>> decode_bytes(["ĠÃ", "a"], {"type": "ByteLevel"})
    b' \xc3a'
    """
    text = decode(tokens, None if settings is None else _with_raw_bytes(settings))
    return text.encode("utf-8", "surrogateescape")


def _with_raw_bytes(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the decoder with `raw` set for the steps that make bytes."""
    if settings["type"] == "Sequence":
        return {**settings, "decoders": [_with_raw_bytes(each) for each in settings["decoders"]]}
    is_raw = settings["type"] in ("ByteLevel", "ByteFallback")
    return {**settings, "raw": True} if is_raw else dict(settings)


def apply_decoder(parts: Sequence[str], settings: Mapping[str, Any]) -> list[str]:
    """Returns the parts that a decoder makes of parts.

    >>> apply_decoder(["a", "b"], {"type": "Fuse"})
    ['ab']
    """
    members = dict(settings)
    return DECODERS[members.pop("type")](parts, **members)


def join_wordpiece(tokens: Iterable[str], prefix: str = "##", *, cleanup: bool = True) -> str:
    """Joins tokens to text, as the WordPiece decoder of Hugging Face `tokenizers` does.

    >>> join_wordpiece(["hug", "##s", ",", "he", "said"])
    'hugs, he said'
    """
    return "".join(wordpiece(list(tokens), prefix, cleanup=cleanup))


def wordpiece(parts: Sequence[str], prefix: str, *, cleanup: bool) -> list[str]:
    """Joins each part that has the prefix to its left neighbour, and puts a space before others.

    Args:
        parts: The tokens.
        prefix: The prefix of continuing tokens; the first part keeps it. With an empty prefix no
            spaces are added.
        cleanup: Remove spaces before punctuation and English contractions. Each part is cleaned
            alone: `do` and `not` stay apart as two tokens, and the space of ` 's` is removed only
            if it is one token.

    >>> wordpiece(["do", "not", "##s"], "##", cleanup=True)
    ['do', ' not', 's']
    """
    parts_with_spaces = [_with_space(part, prefix, i == 0) for i, part in enumerate(parts)]
    return [_clean(part) for part in parts_with_spaces] if cleanup else parts_with_spaces


def _with_space(token: str, prefix: str, is_first: bool) -> str:
    if is_first:
        return token
    return token[len(prefix) :] if token.startswith(prefix) else " " + token


def _clean(text: str) -> str:
    for match, replacement in CLEANUP:
        text = text.replace(match, replacement)
    return text


def bpe(parts: Sequence[str], suffix: str) -> list[str]:
    """Replaces each suffix by a space, and by nothing in the last part.

    >>> bpe(["a</w>", "b</w>"], "</w>")
    ['a ', 'b']
    """
    last = len(parts) - 1
    return [part.replace(suffix, "" if i == last else " ") for i, part in enumerate(parts)]


def byte_level(parts: Sequence[str], *, raw: bool = False, **unused: bool) -> list[str]:
    """Returns one part of the bytes that the characters stand for, with U+FFFD for invalid UTF-8.

    A part with a character that stands for no byte is text, and gives its own UTF-8.

    Args:
        parts: The tokens.
        raw: Keep bytes that are not UTF-8, as surrogates.
        unused: Settings of the pre-tokenizer of this name, which files hold here too.

    >>> byte_level(["Ã¯", "ĠÃ", "汉"])
    ['ï \ufffd汉']
    """
    whole = b"".join(_to_bytes(part) for part in parts)
    return [whole.decode("utf-8", "surrogateescape" if raw else "replace")]


def _to_bytes(part: str) -> bytes:
    if all(c in BYTE_OF_CHARACTER for c in part):
        return bytes(BYTE_OF_CHARACTER[c] for c in part)
    return part.encode()


# The library's number parser accepts a plus sign as a digit.
BYTE_TOKEN = re.compile("<0x([0-9A-Fa-f+][0-9A-Fa-f])>")


def byte_fallback(parts: Sequence[str], *, raw: bool = False) -> list[str]:
    """Decodes each run of tokens such as `<0x61>`; invalid UTF-8 becomes U+FFFD for each token.

    Args:
        parts: The tokens.
        raw: Decode a run that is not UTF-8 too, with its bytes as surrogates.

    >>> byte_fallback(["<0xC3>", "<0xAF>", "a", "<0xC3>", "<0x61>"])
    ['ï', 'a', '\ufffd', '\ufffd']
    """
    decoded: list[str] = []
    for is_byte, run in groupby(parts, lambda part: BYTE_TOKEN.fullmatch(part) is not None):
        tokens = list(run)
        decoded += _decode_run(tokens, raw=raw) if is_byte else tokens
    return decoded


def _decode_run(run: list[str], *, raw: bool) -> list[str]:
    errors = "surrogateescape" if raw else "strict"
    try:
        return [bytes(int(token[3:5], 16) for token in run).decode("utf-8", errors)]
    except UnicodeDecodeError:
        return ["\ufffd"] * len(run)


def metaspace(
    parts: Sequence[str], replacement: str, prepend_scheme: str = "always", **unused: object
) -> list[str]:
    """Replaces each metaspace by a space, and by nothing in the first part.

    Args:
        parts: The tokens.
        replacement: The metaspace character.
        prepend_scheme: With `never`, the first part gets spaces too.
        unused: Settings of the pre-tokenizer of this name, which files hold here too.

    >>> metaspace(["▁a▁b", "▁c"], "▁")
    ['ab', ' c']
    """
    first = " " if prepend_scheme == "never" else ""
    return [part.replace(replacement, " " if i else first) for i, part in enumerate(parts)]


def fuse(parts: Sequence[str]) -> list[str]:
    """Concatenates all parts to one part, which is empty if there are none.

    >>> fuse([])
    ['']
    """
    return ["".join(parts)]


def strip(parts: Sequence[str], content: str, start: int, stop: int) -> list[str]:
    """Removes a character from the start and then from the end of each part.

    Args:
        parts: The tokens.
        content: The character.
        start: Most characters to remove at the start.
        stop: Most characters to remove at the end. The library panics on a part with fewer
            characters; here it becomes empty.

    >>> strip(["aaba", "aa", ""], "a", 1, 2)
    ['ab', '', '']
    """
    return [_strip(part, content, start, stop) for part in parts]


def _strip(part: str, content: str, start: int, stop: int) -> str:
    part = part[min(start, len(part) - len(part.lstrip(content))) :]
    return part[: len(part) - min(stop, len(part) - len(part.rstrip(content)))]


def replace(parts: Sequence[str], pattern: Mapping[str, str], content: str) -> list[str]:
    r"""Replaces the matches of a pattern in each part.

    Args:
        parts: The tokens.
        pattern: `{"String": text}` or `{"Regex": expression}`. The expressions are Oniguruma's;
            this function uses Python's `re`, so it supports only what both read alike.
        content: The replacement, verbatim.

    >>> replace(["a  b"], {"Regex": r"\s+"}, "_")
    ['a_b']
    >>> replace(["ab", ""], {"String": ""}, "_")
    ['_a_b_', '']
    """
    found = pattern["Regex"] if "Regex" in pattern else re.escape(pattern["String"])
    return [_replace(part, re.compile(found), content) for part in parts]


def _replace(part: str, pattern: re.Pattern[str], content: str) -> str:
    pieces, end = [], 0
    for start, stop in find_matches(pattern, part):
        pieces += [part[end:start], content]
        end = stop
    return "".join([*pieces, part[end:]])


def find_matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Yields the spans of a pattern's matches; an empty match directly after another is skipped.

    An empty text has no matches. Python's own search does not skip empty matches.

    >>> list(find_matches(re.compile("x*"), "axxb"))
    [(0, 0), (1, 3), (4, 4)]
    """
    last, at = -1, 0
    while text and at <= len(text) and (found := pattern.search(text, at)):
        start, stop = found.span()
        if start == stop == last:
            at += 1
            continue
        yield start, stop
        last = at = stop


def ctc(
    parts: Sequence[str], pad_token: str, word_delimiter_token: str, *, cleanup: bool
) -> list[str]:
    """Keeps one of equal adjacent parts, removes the padding, then empty parts.

    Args:
        parts: The tokens, one for each time step.
        pad_token: The token that separates repeated tokens.
        word_delimiter_token: The token that becomes a space, if `cleanup` is on.
        cleanup: Clean up each part, too.

    >>> ctc(["a", "a", "<pad>", "a", "|"], "<pad>", "|", cleanup=True)
    ['a', 'a', ' ']
    """
    decoded = [part.replace(pad_token, "") for part, _ in groupby(parts)]
    if cleanup:
        decoded = [_clean(part).replace(word_delimiter_token, " ") for part in decoded]
    return [part for part in decoded if part]


def sequence(parts: Sequence[str], decoders: Sequence[Mapping[str, Any]]) -> list[str]:
    """Applies decoders one after the other.

    >>> sequence(["a", "b"], [{"type": "Fuse"}, {"type": "BPEDecoder", "suffix": "b"}])
    ['a']
    """
    for settings in decoders:
        parts = apply_decoder(parts, settings)
    return list(parts)


def sentencepiece(
    parts: Sequence[str],
    unk_token: str,
    unk_surface: str,
    *,
    add_dummy_prefix: bool,
    remove_extra_whitespaces: bool,
    byte_fallback: bool,
) -> list[str]:
    """Joins the pieces of a SentencePiece model to one part, as that library does.

    Args:
        parts: The pieces.
        unk_token: The unknown piece.
        unk_surface: The text of the unknown piece.
        add_dummy_prefix: The first piece loses its leading `▁`.
        remove_extra_whitespaces: Pieces lose one leading `▁` until there is text.
        byte_fallback: Pieces such as `<0x61>` are bytes; each that is not part of a character
            becomes U+FFFD.

    >>> flags = {"add_dummy_prefix": True, "remove_extra_whitespaces": False, "byte_fallback": True}
    >>> sentencepiece(["▁a", "▁b", "<0xC3>", "<0x61>"], "<unk>", " ⁇ ", **flags)
    ['a b\ufffda']
    """
    text, at_start = "", add_dummy_prefix or remove_extra_whitespaces
    for is_byte, run in groupby(parts, lambda p: byte_fallback and bool(BYTE_TOKEN.fullmatch(p))):
        if is_byte:
            text += _decode_lossy(bytes(int(token[3:5], 16) for token in run))
            continue
        for part in run:
            at_start = at_start and not text
            if part == unk_token:
                text += unk_surface
                continue
            starts = at_start and part.startswith(METASPACE)
            text += part[starts:].replace(METASPACE, " ")
            at_start = at_start and (remove_extra_whitespaces or not starts)
    return [text]


def _decode_lossy(data: bytes) -> str:
    """Returns the text of bytes, with U+FFFD for each byte that is not part of a character."""
    text = ""
    while data:
        sizes = (size for size in range(1, 5) if _is_character(data[:size]))
        size = next(sizes, 0)
        text += data[:size].decode() or "\ufffd"
        data = data[size or 1 :]
    return text


def _is_character(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False


DECODERS: dict[str, Callable[..., list[str]]] = {
    "BPEDecoder": bpe,
    "ByteFallback": byte_fallback,
    "ByteLevel": byte_level,
    "CTC": ctc,
    "Fuse": fuse,
    "Metaspace": metaspace,
    "Replace": replace,
    "Sequence": sequence,
    "Strip": strip,
    "WordPiece": wordpiece,
    "piecework.SentencePiece": sentencepiece,
}
