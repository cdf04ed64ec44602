"""Shrinking of cases: drops parts of a case as long as it shows the fault."""

from collections.abc import Callable, Iterator
from typing import Any

from .pipeline_documents import FLAGS, Json, numbers, renumbered

STAGES = ("truncation", "padding", "post_processor", "decoder", "normalizer", "pre_tokenizer")
MEMBERS = ("normalizers", "pretokenizers", "processors", "decoders")
MOST_ATTEMPTS = 3000


def shrunk(case: Json, is_fault: Callable[[Json], bool], attempts: int = MOST_ATTEMPTS) -> Json:
    """Returns a case no smaller variant of which shows the fault (or the last one within the limit)."""
    while True:
        for candidate in smaller(case):
            attempts -= 1
            if attempts < 0:
                return case
            if is_fault(candidate):
                case = candidate
                break
        else:
            return case


def smaller(case: Json) -> Iterator[Json]:
    """Iterates over smaller variants of a case, the smallest first."""
    for document in _smaller_documents(case["document"]):
        yield {**case, "document": document}
    if case["action"]:
        for action in _smaller_actions(case["action"]):
            yield {**case, "action": action}


def _smaller_documents(document: Json) -> Iterator[Json]:
    for stage in STAGES:
        if document[stage] is not None:
            yield {**document, stage: None}
            for component in _smaller_components(document[stage]):
                yield {**document, stage: component}
    vocab = numbers(document["model"])
    tokens = document["added_tokens"]
    for some in _parts(tokens):
        yield {**document, "added_tokens": renumbered(some, vocab)}
    for number, token in enumerate(tokens):
        for flag in FLAGS:
            if token[flag]:
                plainer = {**token, flag: False}
                yield {
                    **document,
                    "added_tokens": [*tokens[:number], plainer, *tokens[number + 1 :]],
                }
    yield from _smaller_vocabularies(document)


def _smaller_vocabularies(document: Json) -> Iterator[Json]:
    model = document["model"]
    vocab = numbers(model)
    unk = [*vocab][model["unk_id"]] if model.get("unk_id") is not None else model.get("unk_token")
    for entries in _parts([entry for entry in vocab if entry != unk]):
        kept = {*entries, unk}
        some = {entry: None for entry in vocab if entry in kept}
        smaller = _with_entries(model, {entry: number for number, entry in enumerate(some)})
        added = renumbered(document["added_tokens"], numbers(smaller))
        yield {**document, "model": smaller, "added_tokens": added}


def _with_entries(model: Json, vocab: dict[str, int]) -> Json:
    """Returns the model with a part of its entries."""
    if model["type"] != "Unigram":
        return {**model, "vocab": vocab}
    unk_id = model["unk_id"]
    unk = None if unk_id is None else vocab[model["vocab"][unk_id][0]]
    scores = [[entry, score] for entry, score in model["vocab"] if entry in vocab]
    return {**model, "unk_id": unk, "vocab": scores}


def _smaller_components(component: Json) -> Iterator[Json]:
    for key in MEMBERS:
        members = component.get(key, [])
        yield from members
        for number, member in enumerate(members):
            yield {**component, key: members[:number] + members[number + 1 :]}
            for less in _smaller_components(member):
                yield {**component, key: [*members[:number], less, *members[number + 1 :]]}
    for key in ("single", "pair"):
        for pieces in _parts(component.get(key, [])):
            yield {**component, key: pieces}
    for key in ("content", "prepend"):
        if isinstance(component.get(key), str):
            for text in _shorter(component[key]):
                yield {**component, key: text}


def _smaller_actions(action: Json) -> Iterator[Json]:
    if action.get("pair") is not None:
        yield {**action, "pair": None}
        for pair in _shorter(action["pair"]):
            yield {**action, "pair": pair}
    if "text" in action:
        for text in _shorter(action["text"]):
            yield {**action, "text": text}
    for key in ("rows", "ids", "tokens", "places"):
        for some in _parts(action.get(key, [])):
            yield {**action, key: some}
    for number, row in enumerate(action.get("rows", [])):
        for one in _smaller_rows(row):
            yield {**action, "rows": [*action["rows"][:number], one, *action["rows"][number + 1 :]]}


def _smaller_rows(row: list[Any]) -> Iterator[list[Any]]:
    text, pair = row
    if pair is not None:
        yield [text, None]
        for some in _shorter(pair):
            yield [text, some]
    for some in _shorter(text):
        yield [some, pair]


def _shorter(text: Any) -> Iterator[Any]:
    """Iterates over shorter variants of a text or a list of words."""
    yield from _parts(text)
    if isinstance(text, list):
        for number, word in enumerate(text):
            for some in _parts(word):
                yield [*text[:number], some, *text[number + 1 :]]


def _parts(whole: Any) -> Iterator[Any]:
    """Iterates over copies without a half, a quarter, and so on to a single member."""
    step = len(whole)
    while step:
        for start in range(0, len(whole), step):
            yield whole[:start] + whole[start + step :]
        step //= 2
