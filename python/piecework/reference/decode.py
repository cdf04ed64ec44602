"""From tokens back to text: the inverse as far as there is one.

Normalization has lost what it lost; what can be undone is the splitting. A decoder takes a list of parts,
at first the tokens, and gives a list of parts; the parts in a row are the text. So one decoder can
work on what another one made. Each is a function here, and its settings are the members that a
`tokenizer.json` has for it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

# (what is replaced, by what), in this order: the table of the reference.
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
        tokens: Entries of a vocabulary, special tokens left out or not.
        settings: The decoder as a `tokenizer.json` has it; None puts a space between tokens.

    Returns:
        The text. Cost: linear, but for regular expressions.

    >>> decode(["to", "be"], None)
    'to be'
    >>> decode(["▁to", "▁be"], {"type": "Metaspace", "replacement": "▁"})
    'to be'
    """
    if settings is None:
        return " ".join(tokens)
    return "".join(chain(list(tokens), settings))


def decode_bytes(tokens: Iterable[str], settings: Mapping[str, Any] | None) -> bytes:
    r"""Joins tokens to text, in which bytes that tokens stand for are as they are.

    Until the end a byte that is no UTF-8 is a surrogate, as Python has it for names of files.

    Args:
        tokens: As for `decode`.
        settings: Likewise.

    Returns:
        The bytes.

    >>> decode_bytes(["ĠÃ", "a"], {"type": "ByteLevel"})
    b' \xc3a'
    """
    text = decode(tokens, None if settings is None else _raw(settings))
    return text.encode("utf-8", "surrogateescape")


def _raw(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The decoder with the steps that make bytes told to leave them as they are."""
    if settings["type"] == "Sequence":
        return {**settings, "decoders": [_raw(each) for each in settings["decoders"]]}
    is_raw = settings["type"] in ("ByteLevel", "ByteFallback")
    return {**settings, "raw": True} if is_raw else dict(settings)


def chain(parts: Sequence[str], settings: Mapping[str, Any]) -> list[str]:
    """Gives the parts that a decoder makes of parts.

    >>> chain(["a", "b"], {"type": "Fuse"})
    ['ab']
    """
    members = dict(settings)
    return DECODERS[members.pop("type")](parts, **members)


def join(tokens: Iterable[str], prefix: str = "##", *, cleanup: bool = True) -> str:
    """Joins tokens to text, as the WordPiece decoder of Hugging Face `tokenizers` does.

    >>> join(["hug", "##s", ",", "he", "said"])
    'hugs, he said'
    """
    return "".join(wordpiece(list(tokens), prefix, cleanup=cleanup))


def wordpiece(parts: Sequence[str], prefix: str, *, cleanup: bool) -> list[str]:
    """Glues a part with the prefix to its left neighbour, and puts a space before any other.

    Args:
        parts: The tokens.
        prefix: What continuing tokens begin with; the first keeps it, having nothing to continue. An
            empty one glues everything.
        cleanup: Take out spaces before punctuation and English contractions. Each part is cleaned
            alone: `do` and `not` stay apart as two tokens, and ` 's` closes up only if it is one.

    >>> wordpiece(["do", "not", "##s"], "##", cleanup=True)
    ['do', ' not', 's']
    """
    spaced = [_spaced(part, prefix, place == 0) for place, part in enumerate(parts)]
    return [_clean(part) for part in spaced] if cleanup else spaced


def _spaced(token: str, prefix: str, first: bool) -> str:
    if first:
        return token
    return token[len(prefix) :] if token.startswith(prefix) else " " + token


def _clean(text: str) -> str:
    for dirty, tidy in CLEANUP:
        text = text.replace(dirty, tidy)
    return text


def bpe(parts: Sequence[str], suffix: str) -> list[str]:
    """Makes a space of each suffix, and nothing of those in the last part.

    >>> bpe(["a</w>", "b</w>"], "</w>")
    ['a ', 'b']
    """
    last = len(parts) - 1
    return [part.replace(suffix, "" if i == last else " ") for i, part in enumerate(parts)]


def byte_characters() -> dict[str, int]:
    """Gives the characters of byte-level BPE, each with its byte.

    A printable character of Latin-1 stands for its own byte. The other bytes, in order, are the characters
    from U+0100 on.

    >>> chars = byte_characters()
    >>> chars["a"], chars["Ġ"], len(chars)
    (97, 32, 256)
    """
    own = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    rest = [byte for byte in range(256) if byte not in own]
    strange = {chr(0x100 + i): byte for i, byte in enumerate(rest)}
    return {chr(byte): byte for byte in own} | strange


BYTES = byte_characters()


def byte_level(parts: Sequence[str], *, raw: bool = False, **unused: bool) -> list[str]:
    """Makes one part of the bytes that the characters stand for; U+FFFD for what is no UTF-8.

    A part with a character that stands for no byte is text, and gives its own UTF-8.

    Args:
        parts: The tokens.
        raw: Keep what is no UTF-8, as surrogates.
        unused: Settings of the pre-tokenizer of this name, which files hold here too.

    >>> byte_level(["Ã¯", "ĠÃ", "汉"])
    ['ï \ufffd汉']
    """
    whole = b"".join(_bytes(part) for part in parts)
    return [whole.decode("utf-8", "surrogateescape" if raw else "replace")]


def _bytes(part: str) -> bytes:
    if all(c in BYTES for c in part):
        return bytes(BYTES[c] for c in part)
    return part.encode()


# The reference's parser of numbers takes a plus sign for a digit.
BYTE_TOKEN = re.compile("<0x([0-9A-Fa-f+][0-9A-Fa-f])>")


def byte_fallback(parts: Sequence[str], *, raw: bool = False) -> list[str]:
    """Makes one part of each run of tokens such as `<0x61>`; if it is no UTF-8, U+FFFD for each token.

    Args:
        parts: The tokens.
        raw: Make one part of a run that is no UTF-8, too, with its bytes as surrogates.

    >>> byte_fallback(["<0xC3>", "<0xAF>", "a", "<0xC3>", "<0x61>"])
    ['ï', 'a', '\ufffd', '\ufffd']
    """
    decoded: list[str] = []
    for is_byte, run in groupby(parts, lambda part: BYTE_TOKEN.fullmatch(part) is not None):
        tokens = list(run)
        decoded += _from_bytes(tokens, raw=raw) if is_byte else tokens
    return decoded


def _from_bytes(run: list[str], *, raw: bool) -> list[str]:
    errors = "surrogateescape" if raw else "strict"
    try:
        return [bytes(int(token[3:5], 16) for token in run).decode("utf-8", errors)]
    except UnicodeDecodeError:
        return ["\ufffd"] * len(run)


def metaspace(
    parts: Sequence[str], replacement: str, prepend_scheme: str = "always", **unused: object
) -> list[str]:
    """Makes a space of each replacement, and nothing of those in the first part.

    Args:
        parts: The tokens.
        replacement: The character.
        prepend_scheme: With `never`, the first part is like any other.
        unused: Settings of the pre-tokenizer of this name, which files hold here too.

    >>> metaspace(["▁a▁b", "▁c"], "▁")
    ['ab', ' c']
    """
    first = " " if prepend_scheme == "never" else ""
    return [part.replace(replacement, " " if i else first) for i, part in enumerate(parts)]


def fuse(parts: Sequence[str]) -> list[str]:
    """Makes one part of all, also of none.

    >>> fuse([])
    ['']
    """
    return ["".join(parts)]


def strip(parts: Sequence[str], content: str, start: int, stop: int) -> list[str]:
    """Drops a character at the start of each part, and then at the end.

    Args:
        parts: The tokens.
        content: The character.
        start: How often at the start, at most.
        stop: How often at the end, at most. The reference crashes on a part that has not enough
            characters left; here it becomes empty.

    >>> strip(["aaba", "aa", ""], "a", 1, 2)
    ['ab', '', '']
    """
    return [_strip(part, content, start, stop) for part in parts]


def _strip(part: str, content: str, start: int, stop: int) -> str:
    part = part[min(start, len(part) - len(part.lstrip(content))) :]
    return part[: len(part) - min(stop, len(part) - len(part.rstrip(content)))]


def replace(parts: Sequence[str], pattern: Mapping[str, str], content: str) -> list[str]:
    r"""Replaces what a pattern finds in each part.

    Args:
        parts: The tokens.
        pattern: `{"String": text}` or `{"Regex": expression}`. The expressions are Oniguruma's; this
            function has Python's, so it covers those only that both understand alike.
        content: What comes in its place, as it stands.

    >>> replace(["a  b"], {"Regex": r"\s+"}, "_")
    ['a_b']
    >>> replace(["ab", ""], {"String": ""}, "_")
    ['_a_b_', '']
    """
    found = pattern["Regex"] if "Regex" in pattern else re.escape(pattern["String"])
    return [_replace(part, re.compile(found), content) for part in parts]


def _replace(part: str, pattern: re.Pattern[str], content: str) -> str:
    pieces, end = [], 0
    for start, stop in matches(pattern, part):
        pieces += [part[end:start], content]
        end = stop
    return "".join([*pieces, part[end:]])


def matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Gives the spans that a pattern finds: none in an empty text, and no empty one right after another.

    Python's own search gives these empty ones.

    >>> list(matches(re.compile("x*"), "axxb"))
    [(0, 0), (1, 3), (4, 4)]
    """
    last, place = -1, 0
    while text and place <= len(text) and (found := pattern.search(text, place)):
        start, stop = found.span()
        if start == stop == last:
            place += 1
            continue
        yield start, stop
        last = place = stop


def ctc(
    parts: Sequence[str], pad_token: str, word_delimiter_token: str, *, cleanup: bool
) -> list[str]:
    """Keeps one of equal parts in a row, drops the padding, then parts with nothing left.

    Args:
        parts: The tokens, one for each moment.
        pad_token: What separates tokens that are meant to repeat.
        word_delimiter_token: What becomes a space, if `cleanup` is on.
        cleanup: Clean up each part, too.

    >>> ctc(["a", "a", "<pad>", "a", "|"], "<pad>", "|", cleanup=True)
    ['a', 'a', ' ']
    """
    decoded = [part.replace(pad_token, "") for part, _ in groupby(parts)]
    if cleanup:
        decoded = [_clean(part).replace(word_delimiter_token, " ") for part in decoded]
    return [part for part in decoded if part]


def sequence(parts: Sequence[str], decoders: Sequence[Mapping[str, Any]]) -> list[str]:
    """Runs one decoder after the other.

    >>> sequence(["a", "b"], [{"type": "Fuse"}, {"type": "BPEDecoder", "suffix": "b"}])
    ['a']
    """
    for settings in decoders:
        parts = chain(parts, settings)
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
    """Makes one part of the pieces of a SentencePiece model, as that library does.

    Args:
        parts: The pieces.
        unk_token: The piece of what the model does not know.
        unk_surface: What stands in the text for it.
        add_dummy_prefix: The first piece loses the `▁` that it begins with.
        remove_extra_whitespaces: Pieces lose one `▁` at their beginning until there is text.
        byte_fallback: Pieces such as `<0x61>` are bytes; each that is no part of a character becomes U+FFFD.

    >>> told = {"add_dummy_prefix": True, "remove_extra_whitespaces": False, "byte_fallback": True}
    >>> sentencepiece(["▁a", "▁b", "<0xC3>", "<0x61>"], "<unk>", " ⁇ ", **told)
    ['a b\ufffda']
    """
    text, at_start = "", add_dummy_prefix or remove_extra_whitespaces
    for is_byte, run in groupby(parts, lambda p: byte_fallback and bool(BYTE_TOKEN.fullmatch(p))):
        if is_byte:
            text += _decoded(bytes(int(token[3:5], 16) for token in run))
            continue
        for part in run:
            at_start = at_start and not text
            if part == unk_token:
                text += unk_surface
                continue
            starts = at_start and part.startswith("▁")
            text += part[starts:].replace("▁", " ")
            at_start = at_start and (remove_extra_whitespaces or not starts)
    return [text]


def _decoded(data: bytes) -> str:
    """Gives the text of bytes, with U+FFFD for each byte that is no part of a character."""
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
