"""Answers each kind of request with the data of the library as JSON values.

An answer reads the members of its request, then calls one function of the library. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import piecework as pw
from piecework.play.cancellation import Cancellation
from piecework.play.entry import describe_entry, tokens_of_merges
from piecework.play.fields import MAX_TEXT, Fields
from piecework.play.samples import PARALLEL_TEXTS
from piecework.play.training import examples_with_criteria, readable_tokens, train
from piecework.play.uploads import load_files, read_files
from piecework.play.vocabulary import KINDS, SORTS, VocabularyQuery
from piecework.training._tracing.examples import EXAMPLES
from piecework.training._tracing.unigram import UnigramTrace

if TYPE_CHECKING:
    from piecework.play.session import Session

Answer = Callable[["Session", Fields, Cancellation], dict[str, Any]]
"""Answers a request until it is cancelled; raises PieceworkError for an invalid one."""

_MAX_TOKENIZERS = 4
"""The number of tokenizers that are compared."""
_MAX_LANGUAGES = 50
_MAX_ROWS = 500
"""The number of rows of the vocabulary in one answer."""
_MAX_CHARACTERS = 20_000
"""The number of characters that are compared or explained in one answer; figures are those of the whole text."""
_MAX_BLOCK = 2000
"""The number of tokens of a block that are listed."""
_MAX_TOKENS = 100_000
"""The number of tokens whose offsets are listed."""
_NBEST = 5


def describe_session(session: Session) -> dict[str, Any]:
    """Returns what the page starts with: version, tokenizers, limits, examples and texts in several languages."""
    return {
        "version": pw.__version__,
        "tokenizers": session.to_dicts(),
        "limits": {
            "tokenizers": _MAX_TOKENIZERS,
            "text": MAX_TEXT,
            "rows": _MAX_ROWS,
            "languages": _MAX_LANGUAGES,
        },
        "examples": dict(EXAMPLES),
        "examples_with_criteria": examples_with_criteria(),
        "parallel_texts": dict(PARALLEL_TEXTS),
    }


def _compare(session: Session, fields: Fields, _: Cancellation) -> dict[str, Any]:
    text = fields.text("text")
    names = fields.texts("tokenizers", _MAX_TOKENIZERS)
    start, end = fields.span("span") or (0, len(text))
    fields.end()
    # A shorter text than the one before may end before the part that was shown.
    first = min(start, max(len(text) - 1, 0))
    span = (first, max(first, min(end, first + _MAX_CHARACTERS, len(text))))
    compared = pw.compare(session.chosen(names), text, span=span)
    # The page has the text. Tokens are listed once, not where they occur: half the bytes. Of a word that is a megabyte, the
    # first tokens are enough.
    splits = [
        {
            "name": split.name,
            "model": split.model,
            "count": split.count,
            "readable": dict(zip(split.ids, split.display_tokens, strict=True)),
            "ids": split.ids[:_MAX_TOKENS],
            "offsets": split.offsets[:_MAX_TOKENS],
        }
        for split in compared.splits
    ]
    blocks = [
        {
            "start": block.start,
            "end": block.end,
            "ids": [ids[:_MAX_BLOCK] for ids in block.ids],
            "counts": list(map(len, block.ids)),
            "agrees": block.agrees,
        }
        for block in compared.blocks
    ]
    return {"characters": len(text), "splits": splits, "blocks": blocks}


def _evaluate(session: Session, fields: Fields, _: Cancellation) -> dict[str, Any]:
    names = fields.texts("tokenizers", _MAX_TOKENIZERS)
    if fields.has("text"):
        texts = [fields.text("text")]
        fields.end()
        return pw.evaluate(session.chosen(names), texts).to_dict()
    languages = fields.pairs("languages", _MAX_LANGUAGES)
    reference = fields.optional_text("reference", 1000)
    fields.end()
    groups = {language: [text] for language, text in languages.items()}
    # A single language is compared with none.
    return pw.evaluate(
        session.chosen(names), groups, parallel=len(groups) > 1, reference=reference
    ).to_dict()


def _explain(session: Session, fields: Fields, _: Cancellation) -> dict[str, Any]:
    text = fields.text("text")
    tokenizer = session[fields.text("tokenizer")]
    span = fields.span("span")
    fields.end()
    explanation = tokenizer.explain(
        text, span=span, max_characters=_MAX_CHARACTERS, nbest=_NBEST
    ).to_dict()
    pieces = [piece for word in explanation["words"] for piece in word["pieces"]]
    names = set(tokens_of_merges(merge for piece in pieces for merge in piece["merges"]))
    return {**explanation, "readable": {name: tokenizer.display_token(name) for name in names}}


def _token(session: Session, fields: Fields, _: Cancellation) -> dict[str, Any]:
    tokenizer = session[fields.text("tokenizer")]
    number = fields.integer("id", 0, (1 << 32) - 1)
    fields.end()
    return describe_entry(tokenizer, number)


def _trace(session: Session, fields: Fields, cancellation: Cancellation) -> dict[str, Any]:
    traces = train(fields, cancellation)
    cancellation.check()
    first = next(iter(traces.values()))
    name = session.add(f"trained {first.tokenizer.model_type}", first.tokenizer)
    return {
        "tokenizer": name,
        "kind": "unigram" if isinstance(first, UnigramTrace) else "merges",
        "readable": readable_tokens(traces.values()),
        "traces": {criterion: trace.to_dict() for criterion, trace in traces.items()},
    }


def _vocabulary(session: Session, fields: Fields, cancellation: Cancellation) -> dict[str, Any]:
    name = fields.text("tokenizer")
    query = VocabularyQuery(
        search=fields.optional_text("search", 1000) or "",
        sort=fields.choice("sort", SORTS, "id"),
        is_descending=fields.flag("descending"),
        script=fields.optional_text("script", 100),
        kind=fields.choice("kind", KINDS, "all"),
        text=fields.optional_text("text"),
    )
    start = fields.integer("start", 0, 1 << 32, 0)
    fields.end()
    return session.vocabulary(name).find(query, start, _MAX_ROWS, cancellation)


def _add_tokenizer(session: Session, fields: Fields, _: Cancellation) -> dict[str, Any]:
    files = read_files(fields)
    fields.end()
    name = session.add(" + ".join(files), load_files(files))
    return {"name": name, "tokenizers": session.to_dicts()}


ANSWERS: Mapping[str, Answer] = {
    "compare": _compare,
    "evaluate": _evaluate,
    "explain": _explain,
    "token": _token,
    "tokenizers": _add_tokenizer,
    "trace": _trace,
    "vocabulary": _vocabulary,
}
"""The functions that answer, by the last part of the address."""
