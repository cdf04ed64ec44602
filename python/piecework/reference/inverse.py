r"""The decoder that training chooses: it undoes what splitting and the model write into tokens.

    BertPreTokenizer, prefix "##"         un ##able to        spaces before words, no prefixes
    WhitespaceSplit, suffix "</w>"        un able</w> to</w>  a suffix is a space
    ByteLevel, suffix "</w>"              un able</w> Ġto</w> a suffix is nothing, Ġ is a space

The settings of all parts are the members that a `tokenizer.json` has for them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from piecework.reference import normalize, pretokenize
from piecework.reference.aligned import identity
from piecework.reference.decode import decode

Json = Mapping[str, Any]

SPACED_TEXT = "a b"
SPACE_AS_BYTE = "Ġ"
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": True,
    "trim_offsets": True,
    "use_regex": True,
}
# A space before nothing but characters that stand for bytes.
SPACE_BEFORE_BYTES = "\\A (?=[!-~¡-¬®-Ń]*\\z)"


@dataclass(frozen=True)
class TokenMarks:
    """Gives what a model writes into the tokens of a word.

    Args:
        prefix: What a token that continues a word begins with; it may be empty.
        suffix: What the last token of a word ends with; it may be empty.
        is_suffix_separate: The suffix may be a token of its own.
        byte_fallback: Tokens such as `<0x61>` are bytes.
        cleanup: Clean up the text, where a prefix shows the beginnings of words.

    >>> TokenMarks(prefix="##").suffix
    ''
    """

    prefix: str = ""
    suffix: str = ""
    is_suffix_separate: bool = False
    byte_fallback: bool = False
    cleanup: bool = False


@dataclass(frozen=True)
class SpaceMark:
    """Gives a mark that is written for spaces.

    Args:
        text: The mark.
        leads: One more is written before the text.
        trails: One more is written after the text.
        metaspace: The decoder of the pre-tokenizer that writes it; None if a normalizer does.

    >>> SpaceMark("▁").leads
    False
    """

    text: str
    leads: bool = False
    trails: bool = False
    metaspace: Json | None = None


Layer = SpaceMark | None
"""A mark for spaces, or None for bytes as characters."""


def decoder_for(
    normalizer: Json | None, pre_tokenizer: Json | None, marks: TokenMarks
) -> dict[str, Any] | None:
    r"""Gives the decoder that undoes what a splitter and a model write (P60).

    Args:
        normalizer: As in a tokenizer.json.
        pre_tokenizer: Likewise.
        marks: What the model writes.

    Returns:
        The decoder as in a tokenizer.json; None joins tokens by spaces.

    >>> decoder_for(None, {"type": "WhitespaceSplit"}, TokenMarks(suffix="</w>"))
    {'type': 'BPEDecoder', 'suffix': '</w>'}
    >>> decoder_for(None, None, TokenMarks(suffix="</w>"))["pattern"]
    {'Regex': '(?!\\A)</w>\\z'}
    """
    layers = list(_layers(normalizer, pre_tokenizer))
    apart = removes_spaces(normalizer, pre_tokenizer)
    steps: list[dict[str, Any]] = [{"type": "ByteFallback"}] if marks.byte_fallback else []
    spaced = bool(apart and marks.prefix and not marks.suffix)
    if spaced:
        steps.append({"type": "WordPiece", "prefix": marks.prefix, "cleanup": marks.cleanup})
    else:
        steps += _without_marks(marks, apart=apart, has_bytes=None in layers)
    steps += _undone(layers, apart=apart, spaced=spaced)
    if apart and marks.suffix and None in layers:
        steps.append(_without_last_space())
    if not steps and not apart:
        steps.append({"type": "Fuse"})
    return _sequence(steps)


def removes_spaces(normalizer: Json | None, pre_tokenizer: Json | None) -> bool:
    """Says whether words have lost the spaces that were between them.

    A pre-tokenizer that does nothing but remove what it finds separates words by that. Of the
    others, splitting a text shows it.

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
    steps = _undone(layers, apart=False, spaced=False)
    undone = {"type": "Sequence", "decoders": steps}
    value = identity(SPACED_TEXT)
    value = normalize.from_dict(normalizer).apply(value) if normalizer else value
    words = [part.text for part in pretokenize.from_dict(pre_tokenizer)(value)]
    return " " in decode([value.text], undone).strip() and " " not in decode(words, undone).strip()


def _layers(normalizer: Json | None, pre_tokenizer: Json | None) -> Iterator[Layer]:
    """Gives what is written in place of characters, in its order; of marks for spaces one."""
    changes = _flat(normalizer, "normalizers")
    splits = _flat(pre_tokenizer, "pretokenizers")
    metaspaces = [step for step in splits if step["type"] == "Metaspace"]
    marks = [(step, _mark_of(step, changes)) for step in changes]
    own = next((step for step, mark in marks if mark and not metaspaces), None)
    for step, mark in marks:
        if step["type"] == "ByteLevel":
            yield None
        elif step is own:
            yield mark
    for step in splits:
        if step["type"] == "ByteLevel":
            yield None
        elif metaspaces and step is metaspaces[0]:
            leads = step.get("prepend_scheme", "always") != "never"
            yield SpaceMark(step["replacement"], leads, metaspace=step)


def _flat(part: Json | None, members: str) -> list[Json]:
    if part is None:
        return []
    if part["type"] != "Sequence":
        return [part]
    return [step for each in part[members] for step in _flat(each, members)]


def _mark_of(step: Json, steps: Sequence[Json]) -> SpaceMark | None:
    if step["type"] == "piecework.SentencePiece":
        dummy, behind = step["add_dummy_prefix"], step["treat_whitespace_as_suffix"]
        text = "▁" if step["escape_whitespaces"] else " "
        return SpaceMark(text, dummy and not behind, dummy and behind)
    if step["type"] == "Replace" and step["pattern"] == {"String": " "} and step["content"]:
        # As in the normalizer of Llama.
        return SpaceMark(step["content"], {"type": "Prepend", "prepend": step["content"]} in steps)
    return None


def _without_marks(marks: TokenMarks, *, apart: bool, has_bytes: bool) -> list[dict[str, Any]]:
    steps = []
    if marks.prefix:
        # A token that is the prefix continues nothing: it is text.
        steps.append(_replace({"Regex": rf"\A{_escaped(marks.prefix)}(?!\z)"}, ""))
    if not marks.suffix:
        return steps
    if apart and has_bytes:
        return [*steps, _replace({"String": marks.suffix}, SPACE_AS_BYTE)]
    if apart:
        return [*steps, {"type": "BPEDecoder", "suffix": marks.suffix}]
    # Attached to a character, it never is the whole token: a token that is the suffix is text.
    begin = "" if marks.is_suffix_separate else r"(?!\A)"
    return [*steps, _replace({"Regex": rf"{begin}{_escaped(marks.suffix)}\z"}, "")]


def _undone(layers: Sequence[Layer], *, apart: bool, spaced: bool) -> list[dict[str, Any]]:
    """Gives what undoes the layers, the last one first.

    Args:
        layers: What was written.
        apart: Spaces between words were removed.
        spaced: The parts have literal spaces in their place.
    """
    steps: list[dict[str, Any]] = []
    fused = False
    for place in range(len(layers) - 1, -1, -1):
        mark, over_bytes = layers[place], None in layers[:place]
        if mark is None:
            if spaced:
                steps.append(_replace({"Regex": SPACE_BEFORE_BYTES}, SPACE_AS_BYTE))
            steps.append(BYTE_LEVEL)
            if over_bytes:
                # What is below has no spaces: one here is a prefix, or stands between words.
                steps.append(_replace({"String": " "}, SPACE_AS_BYTE if apart else ""))
            spaced, fused = False, True
        elif over_bytes:
            steps.append(_replace({"String": mark.text}, ""))
        else:
            steps += _undone_mark(mark, fused=fused)
    return steps


def _undone_mark(mark: SpaceMark, *, fused: bool) -> Iterator[dict[str, Any]]:
    if mark.metaspace and mark.metaspace.get("split", True) and not fused:
        yield {
            "type": "Metaspace",
            "replacement": mark.text,
            "prepend_scheme": mark.metaspace.get("prepend_scheme", "always"),
            "split": True,
        }
        return
    # The first part may hold the marks of several spaces, of which `Metaspace` would keep none.
    if mark.text != " ":
        yield _replace({"String": mark.text}, " ")
    if mark.leads or mark.trails:
        if not fused:
            yield {"type": "Fuse"}
        if mark.leads:
            yield {"type": "Strip", "content": " ", "start": 1, "stop": 0}
        if mark.trails:
            yield _without_last_space()


def _escaped(text: str) -> str:
    return re.sub(r"[\\.\[\]{}()*+?^$|]", r"\\\g<0>", text)


def _replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _without_last_space() -> dict[str, Any]:
    # `tokenizers` panics where `Strip` is to do that to an empty text.
    return _replace({"Regex": r" (?![\s\S])"}, "")


def _sequence(steps: list[dict[str, Any]]) -> dict[str, Any] | None:
    if len(steps) > 1:
        return {"type": "Sequence", "decoders": steps}
    return steps[0] if steps else None
