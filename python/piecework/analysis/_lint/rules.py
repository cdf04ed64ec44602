"""Defines the rules: what each finds, why it matters, what to do, and the function that finds it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category

from piecework._byte_text import UNUSED_BYTES, byte_characters
from piecework._display import describe_character, quoted, table_cell, visible
from piecework._settings.immutable import Immutable, dataclass
from piecework.analysis._lint.reachability import unproduced_entries
from piecework.analysis._lint.texts import starts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from piecework.analysis._lint.result import Severity
    from piecework.analysis._lint.subject import Entry, Subject

    Check = Callable[[Subject], Iterator["Problem"]]

_CONTEXTS = ("{}", "a {} a", "a{}a", " {}", "{} ", ".{}.")
"""The texts in which an added token is looked for."""
_REPEATED = "is listed again later, and only its last rank counts"
_NEVER_ADJACENT = (
    "is never applied: in every word, earlier merges join one of the two with something else"
)
_ASCII = "".join(map(chr, range(0x21, 0x7F)))
_ORDINARY = "\t\n\r"
_CATEGORIES = {"Cc", "Cf", "Zl", "Zp"}
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
"""What stands for broken text; a printable character."""

_MARKUP = re.compile(
    r"<[|｜].+[|｜]>|[|｜]\w+[|｜]"  # such as <|im_start|>, and with the wide bars of DeepSeek
    r"|<</?\w+>>|\[/?[A-Z][A-Z0-9_]*\]"  # such as <<SYS>> and [INST]
    r"|</?(?P<tag>[A-Za-z]\w*)>"  # such as <tool_call>, </think> and <s>
)
_HTML = frozenset(
    "a abbr b blockquote body br caption center code col colgroup dd del div dl dt em figcaption figure font footer h1 h2 h3 "
    "h4 h5 h6 head header hr html i img ins kbd li link main mark math meta nav ol p pre q samp section small span strike "
    "strong style sub summary sup svg table tbody td tfoot th thead title tr tt u ul var video".split()
)
"""Elements of HTML, which are words of a text."""


class Problem(NamedTuple):
    """Describes one problem that a check found.

    Attributes:
        token: The entry; None if something is missing.
        id: The id of the entry, or the first missing id; None for none.
        reason: Why it is a problem.
    """

    token: str | None
    id: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Rule(Immutable):
    """Describes a rule of :func:`piecework.lint`.

    Attributes:
        name: The name.
        severity: ``"error"`` for what certainly has no use or loses text, ``"warning"`` for what probably does, ``"note"`` for
            what is often intended.
        is_exact: Whether every finding is certain; otherwise it may be wrong for texts that were not tried.
        finds: What it finds.
        matters: Why that matters.
        remedy: What to do.
        check: Iterates over the problems of a tokenizer.
    """

    name: str
    severity: Severity
    is_exact: bool
    finds: str
    matters: str
    remedy: str
    check: Check


_RULES: list[Rule] = []


def _rule(
    name: str, severity: Severity, *, finds: str, matters: str, remedy: str, is_exact: bool = True
) -> Callable[[Check], Check]:
    """Returns a decorator that adds a rule with the function that checks it."""

    def define(check: Check) -> Check:
        _RULES.append(Rule(name, severity, is_exact, finds, matters, remedy, check))
        return check

    return define


@_rule(
    "unreachable",
    "error",
    finds="entries that no text can produce, with the proof",
    matters="they take rows of the embedding table that are never trained",
    remedy="remove them, or use them for added tokens",
)
def _unreachable(subject: Subject) -> Iterator[Problem]:
    """Iterates over the entries that certainly no text produces."""
    for entry, reason in subject.once(unproduced_entries).certain:
        yield Problem(entry.token, entry.id, reason)


@_rule(
    "not-produced",
    "warning",
    is_exact=False,
    finds="entries that none of many texts with them produced, without a proof",
    matters="they are probably unreachable; a rare context may still produce them",
    remedy="search a corpus for them before you remove them",
)
def _not_produced(subject: Subject) -> Iterator[Problem]:
    """Iterates over the entries that no tried text produced, and that may have a text nevertheless."""
    for entry, reason in subject.once(unproduced_entries).unknown:
        yield Problem(entry.token, entry.id, reason)


@_rule(
    "unmatched-added-token",
    "warning",
    is_exact=False,
    finds="added tokens whose own text is not encoded to them",
    matters="a text cannot contain them, such as behind another added token or in a form that the normalizer changes",
    remedy="add the form that occurs in texts, or change the flags `normalized` and `single_word`",
)
def _unmatched(subject: Subject) -> Iterator[Problem]:
    """Iterates over the added tokens that their own texts do not produce, without control symbols."""
    controls = subject.tokenizer.control_symbols
    for number, token in subject.tokenizer.added_tokens.items():
        if token.content not in controls and not _is_matched(subject, number, token.content):
            yield Problem(token.content, number, "its own text is encoded to other tokens")


def _is_matched(subject: Subject, number: int, content: str) -> bool:
    """Returns whether an added token is found in a text with it."""
    return number in subject.produced(context.replace("{}", content) for context in _CONTEXTS)


@_rule(
    "unused-merge",
    "warning",
    finds="merges of BPE that no word applies",
    matters="they make the file longer, and hide which merges make an entry",
    remedy="remove them",
)
def _unused_merges(subject: Subject) -> Iterator[Problem]:
    """Iterates over the merges that no word applies; the entry of a problem is that of the merge."""
    tokenizer = subject.tokenizer
    unused = tokenizer._core.unused_merges()
    if not unused:
        return
    repetitions = Counter(map(tuple, subject.model["merges"]))
    for pair in unused:
        left, right = (tokenizer.id_to_token(number) or "" for number in pair)
        token = left + right.removeprefix(subject.prefix)
        shown = " + ".join(
            quoted(table_cell(visible(tokenizer.display_token(each)))) for each in (left, right)
        )
        repetitions[left, right] -= 1
        reason = _REPEATED if repetitions[left, right] else _NEVER_ADJACENT
        yield Problem(token, tokenizer.token_to_id(token), f"the merge {shown} {reason}")


@_rule(
    "missing-byte",
    "error",
    finds="bytes of UTF-8 without an entry, with byte level or byte fallback",
    matters="characters with these bytes are unknown or lost",
    remedy="add the entries of the missing bytes",
)
def _missing_bytes(subject: Subject) -> Iterator[Problem]:
    """Iterates over the bytes of UTF-8 that a byte-level vocabulary, or byte fallback, lacks."""
    if subject.tokenizer.model_type == "WordLevel" or subject.is_opaque:
        return
    vocab = subject.tokenizer._core.model_vocab()
    if subject.is_byte_level:
        for byte, character in byte_characters().items():
            if _is_needed(subject, byte):
                for form in _forms(subject, character):
                    if form not in vocab:
                        yield Problem(None, None, f"no entry {form!r} for the byte 0x{byte:02X}")
    elif subject.model.get("byte_fallback"):
        for byte in range(256):
            token = f"<0x{byte:02X}>"
            is_entry = byte < 0x80 and chr(byte) in vocab
            if token not in vocab and not is_entry and _is_needed(subject, byte):
                yield Problem(None, None, f"no entry {token} for byte fallback")


def _is_needed(subject: Subject, byte: int) -> bool:
    """Returns whether a byte can occur in a word."""
    return byte not in UNUSED_BYTES and (byte >= 0x80 or subject.words.is_possible(chr(byte)))


def _forms(subject: Subject, character: str) -> list[str]:
    """Returns the entries that a character needs: at the start, within and at the end of a word."""
    prefix, suffix = subject.prefix, subject.suffix
    bare = dict.fromkeys([character, prefix + character])
    is_attached = suffix and subject.model.get("suffix_style") != "separate"
    return [*bare, *(form + suffix for form in bare)] if is_attached else list(bare)


@_rule(
    "missing-character",
    "warning",
    finds="characters that are unknown by themselves: of other entries, and printable ASCII",
    matters="words with them are unknown or lose them",
    remedy="add the characters as entries",
)
def _missing_characters(subject: Subject) -> Iterator[Problem]:
    """Iterates over the characters of entries, and of printable ASCII, that are unknown alone or within a word."""
    is_other = subject.is_byte_level or subject.model.get("byte_fallback")
    if is_other or subject.tokenizer.model_type == "WordLevel":
        return
    vocab = subject.tokenizer._core.model_vocab()
    words = subject.words
    of_entries = {c for entry in subject.entries for c in entry.text or ""}
    found = [c for c in sorted({*of_entries, *_ASCII}) if words.is_possible(c)]
    alone = [c for c in found if c not in vocab]
    for c, is_unknown in zip(alone, _are_unknown(subject, alone), strict=True):
        if is_unknown:
            source = "of other entries" if c in of_entries else "of ASCII"
            yield Problem(None, None, f"{describe_character(c)}, a character {source}, is unknown")
    if subject.prefix:
        inner = [
            c for c in found if subject.prefix + c not in vocab and not words.is_always_first(c)
        ]
        yield from _unknown_within(subject, inner)


def _unknown_within(subject: Subject, characters: list[str]) -> Iterator[Problem]:
    """Iterates over the characters that are unknown after another one, though they are known alone."""
    vocab = subject.tokenizer._core.model_vocab()
    known = [c for c in characters if c in vocab]
    results = [_are_unknown(subject, [start + c for c in known]) for start in starts(subject)]
    for c, *are_unknown in zip(known, *results, strict=True):
        if any(are_unknown):
            entry = subject.prefix + c
            reason = f"no entry {entry!r}: {describe_character(c)} is unknown within words"
            yield Problem(None, None, reason)


def _are_unknown(subject: Subject, texts: list[str]) -> list[bool]:
    """Returns for each text whether some of it is unknown or lost."""
    tokenizer = subject.tokenizer
    unk_token = tokenizer.unk_token
    unknown = None if unk_token is None else tokenizer.token_to_id(unk_token)
    return [not ids or unknown in ids for ids in subject.rows(texts)]


@_rule(
    "mismatched-id",
    "error",
    finds="tokens that the post-processor or the padding inserts with the id of another token, or of none",
    matters="a model gets other tokens than the names say, or ids that its embedding table lacks",
    remedy="look the ids up by name: `post_processor.with_ids(tokenizer.vocab)`, `Padding(pad_token=...)`",
)
def _mismatched_ids(subject: Subject) -> Iterator[Problem]:
    """Iterates over the tokens that post-processing or padding insert with the id of another token, or of none."""
    for each in subject.tokenizer._mismatched_ids():
        yield Problem(each.token, each.id, f"{each.part}: {each.problem}")


@_rule(
    "special-in-text",
    "note",
    finds="special tokens that ordinary text can spell",
    matters="a text from outside can contain them, and so control a model",
    remedy="encode texts that you do not trust with `tok.untrusted()`",
)
def _in_text(subject: Subject) -> Iterator[Problem]:
    """Iterates over the special tokens that are matched in a text by default."""
    controls = subject.tokenizer.control_symbols
    for number, token in subject.tokenizer.added_tokens.items():
        is_listed = token.special and token.content not in controls
        if is_listed and _is_matched(subject, number, token.content):
            yield Problem(token.content, number, "the text that spells it is encoded to it")


@_rule(
    "unflagged-marker",
    "warning",
    is_exact=False,
    finds="added tokens that look like control markup, such as `<tool_call>` and `[INST]`, and are not special",
    matters='a text from outside can spell them, even in calls with `specials="text"` or `"error"`',
    remedy="encode such texts with `tok.untrusted()`, or add the tokens again with `AddedToken(..., special=True)`",
)
def _unflagged_markers(subject: Subject) -> Iterator[Problem]:
    """Iterates over the markers that are matched in texts and not special."""
    added = subject.tokenizer.added_tokens
    # Files with tags of HTML have them as words: there `<s>` means struck-out text, and not the start of a text.
    words = _HTML | {"s"} if any(token.content == "<b>" for token in added.values()) else _HTML
    for number, token in added.items():
        markup = None if token.special else _MARKUP.fullmatch(token.content)
        if markup and markup["tag"] not in words and _is_matched(subject, number, token.content):
            yield Problem(token.content, number, "it looks like control markup, and is not special")


@_rule(
    "control-character",
    "note",
    finds="entries with control or invisible characters other than tab, line feed and carriage return",
    matters="they come from broken text, look like other entries, and can hide text",
    remedy="clean the training text, for example with `clean_text` or nmt_nfkc",
)
def _control_characters(subject: Subject) -> Iterator[Problem]:
    """Iterates over the entries with control characters; single bytes are left out, since they complete the bytes."""
    for entry in subject.entries:
        data = entry.data
        if data is None or (subject.is_byte_level and len(data) == 1):
            continue
        text = data.decode("utf-8", "ignore")
        if text.isprintable() and _REPLACEMENT not in text:
            continue
        found = dict.fromkeys(filter(_is_control, text))
        if found:
            yield Problem(
                entry.token, entry.id, f"it contains {', '.join(map(describe_character, found))}"
            )


def _is_control(c: str) -> bool:
    return c == _REPLACEMENT or (category(c) in _CATEGORIES and c not in _ORDINARY)


@_rule(
    "differs-by-case",
    "note",
    finds="entries that differ from an earlier one only by the case of letters",
    matters="they share a meaning, but not an embedding",
    remedy="lowercase the text, if case does not matter",
)
def _by_case(subject: Subject) -> Iterator[Problem]:
    """Iterates over the entries that differ from an earlier one only by case."""
    return _repeated(subject, str.lower, "case")


@_rule(
    "differs-by-space",
    "note",
    finds="entries that differ from an earlier one only by white space",
    matters="they share a meaning, but not an embedding",
    remedy="put a space before every text, or split white space off, if it does not matter",
)
def _by_space(subject: Subject) -> Iterator[Problem]:
    """Iterates over the entries that differ from an earlier one only by white space; those of white space alone are left out."""

    def without_space(text: str) -> str:
        return "".join((text.replace("▁", " ") if subject.writes_metaspaces else text).split())

    return _repeated(subject, without_space, "white space")


def _repeated(
    subject: Subject, reduced: Callable[[str], str], difference: str
) -> Iterator[Problem]:
    """Iterates over the entries whose text, reduced by a function, is that of an earlier one; an empty text is not compared."""
    first: dict[tuple[str, bool, bool], Entry] = {}
    for entry in subject.entries:
        text = reduced(entry.text or "")
        other = first.setdefault((text, entry.continues, entry.ends), entry)
        if text and other is not entry:
            shown = quoted(table_cell(subject.tokenizer.display_token(other.token)))
            reason = f"it differs from {shown} ({other.id}) only by {difference}"
            yield Problem(entry.token, entry.id, reason)


@_rule(
    "id-gap",
    "note",
    finds="ids without an entry between others",
    matters="the embedding table has rows for them, and decoding them is an error",
    remedy="renumber the entries before a model is trained, or reserve the ids by added tokens",
)
def _gaps(subject: Subject) -> Iterator[Problem]:
    """Iterates over the ranges of ids without an entry."""
    ids = sorted(subject.tokenizer.vocab.values())
    for before, after in pairwise([-1, *ids]):
        first, last = before + 1, after - 1
        if first == last:
            yield Problem(None, first, f"id {first} has no entry")
        elif first < last:
            number = last - first + 1
            yield Problem(None, first, f"{number:,} ids have no entry: {first} to {last}")


RULES: tuple[Rule, ...] = tuple(_RULES)
"""All rules, in the order of reports."""
