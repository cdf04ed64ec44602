r"""The decoder that training chooses: it undoes what the splitter and the model write into tokens.

    BertPreTokenizer, prefix "##"         un ##able to        spaces before words, no prefixes
    WhitespaceSplit, suffix "</w>"        un able</w> to</w>  a suffix is a space
    ByteLevel, suffix "</w>"              un able</w> Ġto</w> a suffix is nothing, Ġ is a space

The settings of all components are their members in a tokenizer.json.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from piecework.reference.decode.decoders import decode
from piecework.reference.normalize import normalizers
from piecework.reference.pretokenize import pre_tokenizers
from piecework.reference.text.alignment import identity
from piecework.reference.text.bytes import METASPACE

Json = Mapping[str, Any]

PROBE_TEXT = "a b"
SPACE_AS_BYTE = "Ġ"
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": True,
    "trim_offsets": True,
    "use_regex": True,
}
# A leading space before characters that all stand for bytes.
SPACE_BEFORE_BYTES = "\\A (?=[!-~¡-¬®-Ń]*\\z)"


@dataclass(frozen=True)
class TokenAffixes:
    """Describes what a model writes into the tokens of a word.

    Args:
        prefix: Prefix of tokens that continue a word; it may be empty.
        suffix: Suffix of the last token of a word; it may be empty.
        is_suffix_separate: The suffix may be a token of its own.
        byte_fallback: Tokens such as `<0x61>` are bytes.
        cleanup: Clean up the text, if a prefix marks the starts of words.

    >>> TokenAffixes(prefix="##").suffix
    ''
    """

    prefix: str = ""
    suffix: str = ""
    is_suffix_separate: bool = False
    byte_fallback: bool = False
    cleanup: bool = False


@dataclass(frozen=True)
class SpaceSymbol:
    """Describes a string that is written for spaces.

    Args:
        text: The string.
        is_prepended: One more is written before the text.
        is_appended: One more is written after the text.
        metaspace: The settings of the pre-tokenizer that writes it; None if a normalizer does.

    >>> SpaceSymbol("▁").is_prepended
    False
    """

    text: str
    is_prepended: bool = False
    is_appended: bool = False
    metaspace: Json | None = None


SpellingLayer = SpaceSymbol | None
"""A symbol for spaces, or None for bytes written as characters."""


def choose_decoder(
    normalizer: Json | None, pre_tokenizer: Json | None, affixes: TokenAffixes
) -> dict[str, Any] | None:
    r"""Returns the decoder that undoes what a splitter and a model write (P60).

    Args:
        normalizer: The normalizer as in a tokenizer.json.
        pre_tokenizer: The pre-tokenizer as in a tokenizer.json.
        affixes: What the model writes.

    Returns:
        The decoder as in a tokenizer.json; None joins tokens by spaces.

    >>> choose_decoder(None, {"type": "WhitespaceSplit"}, TokenAffixes(suffix="</w>"))
    {'type': 'BPEDecoder', 'suffix': '</w>'}
    >>> choose_decoder(None, None, TokenAffixes(suffix="</w>"))["pattern"]
    {'Regex': '(?!\\A)</w>\\z'}
    """
    layers = list(_layers(normalizer, pre_tokenizer))
    spaces_removed = removes_spaces(normalizer, pre_tokenizer)
    steps: list[dict[str, Any]] = [{"type": "ByteFallback"}] if affixes.byte_fallback else []
    has_spaces = bool(spaces_removed and affixes.prefix and not affixes.suffix)
    if has_spaces:
        steps.append({"type": "WordPiece", "prefix": affixes.prefix, "cleanup": affixes.cleanup})
    else:
        steps += _strip_affixes(affixes, spaces_removed=spaces_removed, has_bytes=None in layers)
    steps += _undo_layers(layers, spaces_removed=spaces_removed, has_spaces=has_spaces)
    if spaces_removed and affixes.suffix and None in layers:
        steps.append(_remove_last_space())
    if not steps and not spaces_removed:
        steps.append({"type": "Fuse"})
    return _sequence(steps)


def removes_spaces(normalizer: Json | None, pre_tokenizer: Json | None) -> bool:
    """Returns whether splitting removes the spaces between words.

    A pre-tokenizer that removes its matches separates words by them. For all others, a probe text
    is split.

    >>> removes_spaces(None, {"type": "WhitespaceSplit"})
    True
    >>> removes_spaces(None, {"type": "UnicodeScripts"})
    False
    """
    if pre_tokenizer is None:
        return False
    if pre_tokenizer["type"] == "CharDelimiterSplit" or pre_tokenizer.get("behavior") == "Removed":
        return True
    layers = list(_layers(normalizer, pre_tokenizer))
    steps = _undo_layers(layers, spaces_removed=False, has_spaces=False)
    undoing = {"type": "Sequence", "decoders": steps}
    value = identity(PROBE_TEXT)
    value = normalizers.from_dict(normalizer).apply(value) if normalizer else value
    words = [part.text for part in pre_tokenizers.from_dict(pre_tokenizer)(value)]
    return (
        " " in decode([value.text], undoing).strip() and " " not in decode(words, undoing).strip()
    )


def _layers(normalizer: Json | None, pre_tokenizer: Json | None) -> Iterator[SpellingLayer]:
    """Yields the encodings of characters in order, and at most one symbol for spaces."""
    changes = _flatten(normalizer, "normalizers")
    splits = _flatten(pre_tokenizer, "pretokenizers")
    metaspaces = [step for step in splits if step["type"] == "Metaspace"]
    symbols = [(step, _space_symbol(step, changes)) for step in changes]
    chosen = next((step for step, symbol in symbols if symbol and not metaspaces), None)
    for step, symbol in symbols:
        if step["type"] == "ByteLevel":
            yield None
        elif step is chosen:
            yield symbol
    for step in splits:
        if step["type"] == "ByteLevel":
            yield None
        elif metaspaces and step is metaspaces[0]:
            is_prepended = step.get("prepend_scheme", "always") != "never"
            yield SpaceSymbol(step["replacement"], is_prepended, metaspace=step)


def _flatten(part: Json | None, members: str) -> list[Json]:
    if part is None:
        return []
    if part["type"] != "Sequence":
        return [part]
    return [step for each in part[members] for step in _flatten(each, members)]


def _space_symbol(step: Json, steps: Sequence[Json]) -> SpaceSymbol | None:
    if step["type"] == "piecework.SentencePiece":
        dummy, is_suffix = step["add_dummy_prefix"], step["treat_whitespace_as_suffix"]
        text = METASPACE if step["escape_whitespaces"] else " "
        return SpaceSymbol(text, dummy and not is_suffix, dummy and is_suffix)
    if step["type"] == "Replace" and step["pattern"] == {"String": " "} and step["content"]:
        # The normalizer of Llama.
        return SpaceSymbol(
            step["content"], {"type": "Prepend", "prepend": step["content"]} in steps
        )
    return None


def _strip_affixes(
    affixes: TokenAffixes, *, spaces_removed: bool, has_bytes: bool
) -> list[dict[str, Any]]:
    steps = []
    if affixes.prefix:
        # A token that equals the prefix is text.
        steps.append(_replace({"Regex": rf"\A{_escaped(affixes.prefix)}(?!\z)"}, ""))
    if not affixes.suffix:
        return steps
    if spaces_removed and has_bytes:
        return [*steps, _replace({"String": affixes.suffix}, SPACE_AS_BYTE)]
    if spaces_removed:
        return [*steps, {"type": "BPEDecoder", "suffix": affixes.suffix}]
    # An attached suffix is never the whole token: a token that equals the suffix is text.
    begin = "" if affixes.is_suffix_separate else r"(?!\A)"
    return [*steps, _replace({"Regex": rf"{begin}{_escaped(affixes.suffix)}\z"}, "")]


def _undo_layers(
    layers: Sequence[SpellingLayer], *, spaces_removed: bool, has_spaces: bool
) -> list[dict[str, Any]]:
    """Returns the decoders that undo the layers, the last one first.

    Args:
        layers: The layers in the order of writing.
        spaces_removed: Whether spaces between words were removed.
        has_spaces: Whether the parts have literal spaces in their place.
    """
    steps: list[dict[str, Any]] = []
    is_fused = False
    for index in range(len(layers) - 1, -1, -1):
        symbol, has_bytes_below = layers[index], None in layers[:index]
        if symbol is None:
            if has_spaces:
                steps.append(_replace({"Regex": SPACE_BEFORE_BYTES}, SPACE_AS_BYTE))
            steps.append(BYTE_LEVEL)
            if has_bytes_below:
                # Lower layers have no spaces: a space is a prefix, or separates words.
                steps.append(_replace({"String": " "}, SPACE_AS_BYTE if spaces_removed else ""))
            has_spaces, is_fused = False, True
        elif has_bytes_below:
            steps.append(_replace({"String": symbol.text}, ""))
        else:
            steps += _undo_space_symbol(symbol, is_fused=is_fused)
    return steps


def _undo_space_symbol(symbol: SpaceSymbol, *, is_fused: bool) -> Iterator[dict[str, Any]]:
    if symbol.metaspace and symbol.metaspace.get("split", True) and not is_fused:
        yield {
            "type": "Metaspace",
            "replacement": symbol.text,
            "prepend_scheme": symbol.metaspace.get("prepend_scheme", "always"),
            "split": True,
        }
        return
    # The first part may begin with several spaces, of which `Metaspace` would keep none.
    if symbol.text != " ":
        yield _replace({"String": symbol.text}, " ")
    if symbol.is_prepended or symbol.is_appended:
        if not is_fused:
            yield {"type": "Fuse"}
        if symbol.is_prepended:
            yield {"type": "Strip", "content": " ", "start": 1, "stop": 0}
        if symbol.is_appended:
            yield _remove_last_space()


def _escaped(text: str) -> str:
    return re.sub(r"[\\.\[\]{}()*+?^$|]", r"\\\g<0>", text)


def _replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _remove_last_space() -> dict[str, Any]:
    # `tokenizers` panics where `Strip` is to do that to an empty text.
    return _replace({"Regex": r" (?![\s\S])"}, "")


def _sequence(steps: list[dict[str, Any]]) -> dict[str, Any] | None:
    if len(steps) > 1:
        return {"type": "Sequence", "decoders": steps}
    return steps[0] if steps else None
