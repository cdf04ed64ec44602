"""Implements `piecework inspect`."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

from piecework._display import visible
from piecework.cli import options
from piecework.cli.declare import Option
from piecework.cli.output import as_json, printing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Sized

    from piecework import AddedToken, Tokenizer
    from piecework._settings.fields import Settings

Facts = dict[str, Any]

_UNSEEN = 2.0**-52
"""The probability of a token that never occurs, and of the unknown token (see `Tokenizer.lm.log_likelihood`)."""
_MAX_ITEMS = 100
"""The maximum number of items of a list that is printed without --json."""
_MAX_CHARACTERS = 1000
"""The maximum number of characters of a string, such as a precompiled table, that is printed without --json."""


def inspect(
    *,
    tokenizer: options.TokenizerFile,
    merges: Annotated[int, Option(min=0)] = 5,
    token: Annotated[str | None, Option(metavar="TOKEN")] = None,
    json: options.AsJson = False,
    loading: options.Loading,
) -> None:
    """Show the stages of a tokenizer and its training.

    Options:
        merges: Show the first N and the last N merges.
        token: Show the id, count, probability and merges of this token.

    Examples:
      piecework inspect tokenizer.json --merges 20
      piecework inspect tokenizer.json --token "##ing"
      piecework inspect vocab.txt --json
    """
    tok = loading.load(tokenizer)
    facts = _tokenizer_facts(tok, merges) if token is None else _token_facts(tok, token)
    with printing() as write:
        if json:
            write(as_json(facts))
            return
        shown_merges = _take_merges(facts)
        if token is None:
            # The repr is shorter than JSON, and abridges lists.
            facts |= {name: part and repr(part) for name, part in _parts(tok).items()}
            facts["added_tokens"] = list(_flagged(tok.added_tokens.values()))
        for line in _fact_lines(facts):
            write(line)
        for line in _merge_lines(shown_merges):
            write(line)


def _tokenizer_facts(tok: Tokenizer, shown_merges: int) -> Facts:
    head = min(shown_merges, len(tok.history))
    tail = max(head, len(tok.history) - shown_merges)
    return {
        "model": tok.model_type,
        "vocab_size": tok.vocab_size,
        "max_id": tok.max_id,
        "fingerprint": None if tok._functions else tok.fingerprint,
        "special_tokens": tok.special_tokens,
        **({"control_symbols": list(tok.control_symbols)} if tok.control_symbols else {}),
        "added_tokens": [
            {"id": number, **asdict(token)} for number, token in tok.added_tokens.items()
        ],
        **{name: part and part.to_dict() for name, part in _parts(tok).items()},
        "split_backends": list(tok.split_backends),
        "generic_path_reason": tok.generic_path_reason,
        "kernel": tok._core.kernel(),
        "unk_token": tok.unk_token,
        **(_word_piece(tok) if tok.model_type == "WordPiece" else {}),
        "trainer": tok.training.trainer,
        "counts_sha256": tok.training.counts_sha256,
        **(
            {"steps": len(tok.training.steps)}
            if tok.training.steps
            else {"merges": len(tok.history)}
        ),
        "first_merges": _steps(tok, range(head)),
        "last_merges": _steps(tok, range(tail, len(tok.history))),
    }


def _word_piece(tok: Tokenizer) -> Facts:
    names = ("unknown", "continuing_subword_prefix", "max_input_chars_per_word")
    return {name: getattr(tok, name) for name in names}


def _parts(tok: Tokenizer) -> dict[str, Settings | None]:
    names = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")
    return {name: getattr(tok, name) for name in names}


def _token_facts(tok: Tokenizer, token: str) -> Facts:
    merges = tok.lineage(token)
    counts = tok.training.token_counts
    count = probability = None
    if counts is not None:
        count = counts.get(token, 0)
        probability = _probability(tok, token, count, sum(counts.values()))
    return {
        "token": token,
        "display_token": merges.display_token,
        "id": tok.token_to_id(token),
        "special": token in tok.special_tokens,
        "count": count,
        "probability": probability,
        "merges": merges.to_dicts(),
    }


def _flagged(tokens: Iterable[AddedToken]) -> Iterator[str]:
    """Iterates over the added tokens with their flags, without special tokens that have no flags."""
    for token in tokens:
        flags = [name for name in ("lstrip", "rstrip", "single_word") if getattr(token, name)]
        if token.normalized is token.special:
            flags.append("normalized" if token.normalized else "not normalized")
        if flags or not token.special:
            yield f"{token.content} ({', '.join(flags)})" if flags else token.content


def _probability(tok: Tokenizer, token: str, count: int, total: int) -> float:
    return count / total if count and token != tok.unk_token else _UNSEEN


def _steps(tok: Tokenizer, steps: Iterable[int]) -> list[Facts]:
    return [{"step": step + 1, **asdict(tok.history[step])} for step in steps]


def _take_merges(facts: Facts) -> list[Facts]:
    """Removes the merges from the facts and returns them, for a separate table."""
    if "token" in facts:
        merges: list[Facts] = facts.pop("merges")
        return merges
    first, last = facts.pop("first_merges"), facts.pop("last_merges")
    return [*first, *last]


def _fact_lines(facts: Facts) -> Iterator[str]:
    from piecework._show.terminal import columns

    trainer = facts.pop("trainer", None)
    if trainer:
        trainer.pop("type")
        facts["training"] = ""
        facts |= {f"  {name}": value for name, value in trainer.items()}
    rows = [(name.replace("_", " "), _format(value)) for name, value in facts.items()]
    return columns(rows, lambda _: False)


def _format(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case dict():
            pairs = (f"{visible(str(name))} {_format(each)}" for name, each in value.items())
            return ", ".join([*islice(pairs, _MAX_ITEMS), *_rest(value)]) or "none"
        case list() | tuple():
            return " ".join([*map(_format, value[:_MAX_ITEMS]), *_rest(value)]) or "none"
    text = str(value)
    return visible(text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…")


def _rest(values: Sized) -> list[str]:
    return [f"and {len(values) - _MAX_ITEMS} more"] if len(values) > _MAX_ITEMS else []


def _merge_lines(merges: Sequence[Facts]) -> Iterator[str]:
    """Iterates over an empty line and the lines of a table of merges, with a mark where some are left out."""
    from piecework._show.terminal import columns

    if not merges:
        return
    rows = [[name.replace("_", " ") for name in merges[0]]]
    last = 0
    for merge in merges:
        if merge["step"] > last + 1 and last:
            rows.append(["…", *[""] * (len(merge) - 1)])
        last = merge["step"]
        rows.append([f"{x:.6g}" if isinstance(x, float) else _format(x) for x in merge.values()])
    are_numbers = [not isinstance(value, str) for value in merges[0].values()]
    yield ""
    yield from columns(rows, are_numbers.__getitem__)
