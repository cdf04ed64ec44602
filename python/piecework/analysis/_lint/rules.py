"""Defines the rules: what each finds, why it matters, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._settings.immutable import Immutable, dataclass
from piecework.analysis._lint.checks import (
    characters,
    coverage,
    duplicates,
    merging,
    numbering,
    specials,
    unproduced,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from piecework.analysis._lint.checks.problem import Problem
    from piecework.analysis._lint.result import Severity
    from piecework.analysis._lint.subject import Subject

__all__ = ["RULES", "Rule"]


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
    check: Callable[[Subject], Iterator[Problem]]


RULES: tuple[Rule, ...] = (
    Rule(
        "unreachable",
        "error",
        is_exact=True,
        finds="entries that no text can produce, with the proof",
        matters="they take rows of the embedding table that are never trained",
        remedy="remove them, or use them for added tokens",
        check=unproduced.unreachable,
    ),
    Rule(
        "not-produced",
        "warning",
        is_exact=False,
        finds="entries that none of many texts with them produced, without a proof",
        matters="they are probably unreachable; a rare context may still produce them",
        remedy="search a corpus for them before you remove them",
        check=unproduced.not_produced,
    ),
    Rule(
        "unmatched-added-token",
        "warning",
        is_exact=False,
        finds="added tokens whose own text is not encoded to them",
        matters="a text cannot contain them, such as behind another added token or in a form that the normalizer changes",
        remedy="add the form that occurs in texts, or change the flags `normalized` and `single_word`",
        check=specials.unmatched,
    ),
    Rule(
        "unused-merge",
        "warning",
        is_exact=True,
        finds="merges of BPE that no word applies",
        matters="they make the file longer, and hide which merges make an entry",
        remedy="remove them",
        check=merging.unused_merges,
    ),
    Rule(
        "missing-byte",
        "error",
        is_exact=True,
        finds="bytes of UTF-8 without an entry, with byte level or byte fallback",
        matters="characters with these bytes are unknown or lost",
        remedy="add the entries of the missing bytes",
        check=coverage.missing_bytes,
    ),
    Rule(
        "missing-character",
        "warning",
        is_exact=True,
        finds="characters that are unknown by themselves: of other entries, and printable ASCII",
        matters="words with them are unknown or lose them",
        remedy="add the characters as entries",
        check=coverage.missing_characters,
    ),
    Rule(
        "mismatched-id",
        "error",
        is_exact=True,
        finds="tokens that the post-processor or the padding inserts with the id of another token, or of none",
        matters="a model gets other tokens than the names say, or ids that its embedding table lacks",
        remedy="look the ids up by name: `post_processor.with_ids(tokenizer.vocab)`, `Padding(pad_token=...)`",
        check=numbering.mismatched_ids,
    ),
    Rule(
        "special-in-text",
        "note",
        is_exact=True,
        finds="special tokens that ordinary text can spell",
        matters="a text from outside can contain them, and so control a model",
        remedy='pass `specials="text"` for texts that you do not trust',
        check=specials.in_text,
    ),
    Rule(
        "control-character",
        "note",
        is_exact=True,
        finds="entries with control or invisible characters other than tab, line feed and carriage return",
        matters="they come from broken text, look like other entries, and can hide text",
        remedy="clean the training text, for example with `clean_text` or nmt_nfkc",
        check=characters.control_characters,
    ),
    Rule(
        "differs-by-case",
        "note",
        is_exact=True,
        finds="entries that differ from an earlier one only by the case of letters",
        matters="they share a meaning, but not an embedding",
        remedy="lowercase the text, if case does not matter",
        check=duplicates.by_case,
    ),
    Rule(
        "differs-by-space",
        "note",
        is_exact=True,
        finds="entries that differ from an earlier one only by white space",
        matters="they share a meaning, but not an embedding",
        remedy="put a space before every text, or split white space off, if it does not matter",
        check=duplicates.by_space,
    ),
    Rule(
        "id-gap",
        "note",
        is_exact=True,
        finds="ids without an entry between others",
        matters="the embedding table has rows for them, and decoding them is an error",
        remedy="renumber the entries before a model is trained, or reserve the ids by added tokens",
        check=numbering.gaps,
    ),
)
"""All rules, in the order of reports."""
