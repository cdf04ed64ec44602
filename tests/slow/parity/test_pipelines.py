"""Random pipelines against `tokenizers`, and tests that the comparison detects mistakes."""

import copy
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")

from parity import pipeline_texts, pipelines, precompiled
from parity.pipeline_check import Engine, Facade, Mirror, Ours, Pair, Theirs, check
from paths import data_folder

DATA = data_folder() if data_folder().is_dir() else None
SEED = "20261121"
CASES = int(os.environ.get("PIPELINE_CASES", "100000"))


def test_shared_tables_and_corpora_are_available(data: Path) -> None:
    """Without them, the other tests use only generated data; this test reports that."""
    assert len(precompiled.names(data)) > 1
    assert pipeline_texts.lines(data)


def faults(names: Iterator[str], ours: type[Engine] = Ours) -> list[str]:
    return [fault.line() for name in names for fault in pipelines.trial(name, DATA, ours).faults]


@pytest.mark.parametrize("part", range(12))
def test_random_pipelines_equal_tokenizers(part: int) -> None:
    assert faults(f"{SEED}:{number}" for number in range(30 * part, 30 * part + 30)) == []


@pytest.mark.parametrize("part", range(6))
def test_random_pipelines_equal_tokenizers_through_its_interface(part: int) -> None:
    names = (f"{SEED}:hf:{number}" for number in range(30 * part, 30 * part + 30))
    assert faults(names, Facade) == []


@pytest.mark.fuzz
def test_new_random_pipelines_equal_tokenizers() -> None:
    seed = str(time.time_ns())
    for number in range(CASES // pipelines.CASES_PER_TRIAL):
        assert faults(iter([f"{seed}:{number}"])) == []


# Self-test of the comparison: the library equals itself, and a copy with one mistake differs.


def test_library_equals_itself() -> None:
    assert faults((f"mirror:{number}" for number in range(100)), Mirror) == []


def stage(name: str) -> Callable[[Any], bool]:
    def drop(document: Any) -> bool:
        had = document[name] not in (None, [])
        document[name] = [] if name == "added_tokens" else None
        return had

    return drop


def setting(name: str, turn: Callable[[Any], Any], kind: str = "") -> Callable[[Any], bool]:
    """Changes a setting in all components of a kind."""

    def walk(part: Any) -> bool:
        if isinstance(part, list):
            return (
                sum(walk(member) for member in part) > 0
            )  # no `any`, which would stop at the first
        if not isinstance(part, dict):
            return False
        changed = sum(walk(member) for key, member in part.items() if key != "vocab") > 0
        if name in part and kind in ("", part.get("type")):
            before, part[name] = part[name], turn(part[name])
            changed |= before != part[name]
        return changed

    return walk


def renamed(before: str, after: str) -> Callable[[Any], bool]:
    return setting("type", lambda kind: after if kind == before else kind)


def flipped(value: Any) -> Any:
    return not value if isinstance(value, bool) else value


def without_last(members: list[Any]) -> list[Any]:
    return members[:-1]


def scores_of_others(document: Any) -> bool:
    """Exchanges the scores of a Unigram model's pieces."""
    model = document["model"]
    if model["type"] != "Unigram":
        return False
    scores = [score for _, score in model["vocab"]]
    rows = zip(model["vocab"], reversed(scores), strict=True)
    model["vocab"] = [[entry, score] for (entry, _), score in rows]
    return scores != scores[::-1]


MISTAKES: dict[str, Callable[[Any], bool]] = {
    **{f"no {name}": stage(name) for name in ("normalizer", "pre_tokenizer", "post_processor")},
    **{f"no {name}": stage(name) for name in ("decoder", "truncation", "padding", "added_tokens")},
    **{f"{name} flipped": setting(name, flipped) for name in ("lstrip", "rstrip", "single_word")},
    **{f"{name} flipped": setting(name, flipped) for name in ("normalized", "special", "invert")},
    **{
        f"{name} flipped": setting(name, flipped) for name in ("clean_text", "lowercase", "cleanup")
    },
    **{f"{name} flipped": setting(name, flipped) for name in ("add_prefix_space", "use_regex")},
    **{f"{name} flipped": setting(name, flipped) for name in ("trim_offsets", "split")},
    **{f"{name} flipped": setting(name, flipped) for name in ("strip_left", "strip_right")},
    "individual digits": setting("individual_digits", flipped),
    "last normalizer forgotten": setting("normalizers", without_last),
    "last pre-tokenizer forgotten": setting("pretokenizers", without_last),
    "last processor forgotten": setting("processors", without_last),
    "last decoder forgotten": setting("decoders", without_last),
    "NFC for NFKC": renamed("NFKC", "NFC"),
    "NFD for NFKD": renamed("NFKD", "NFD"),
    "NFD for NFC": renamed("NFC", "NFD"),
    "WhitespaceSplit for Whitespace": renamed("Whitespace", "WhitespaceSplit"),
    "Bert for Whitespace": renamed("Whitespace", "BertPreTokenizer"),
    "merged with the other": setting(
        "behavior", lambda b: "MergedWithNext" if b == "MergedWithPrevious" else b
    ),
    "contiguous as isolated": setting("behavior", lambda b: "Isolated" if b == "Contiguous" else b),
    "first as always": setting("prepend_scheme", lambda s: "always" if s == "first" else s),
    "one longer": setting("length", lambda n: n + 1),
    "one character more a word": setting("max_input_chars_per_word", lambda n: n + 1),
    "prefix lost": setting("continuing_subword_prefix", lambda p: "##" if p != "##" else "@@"),
    "stride forgotten": setting("stride", lambda n: 0),
    "truncated at the right": setting("direction", lambda d: "Right"),
    "one type": setting("type_id", lambda n: 0),
    "multiple forgotten": setting("pad_to_multiple_of", lambda n: None),
    "only first for longest first": setting(
        "strategy", lambda s: "OnlyFirst" if s == "LongestFirst" else s
    ),
    "table forgotten": renamed("Precompiled", "NFC"),
    "content lost": setting("content", lambda c: c if len(c) else "x", "Replace"),
    "prefix of the decoder": setting("prefix", lambda p: "##"),
    "suffix": setting("suffix", lambda s: "##"),
    "delimiter of CTC": setting("word_delimiter_token", lambda s: "~"),
    "one end": setting("stop", lambda n: 0, "Strip"),
    "no bytes": renamed("ByteFallback", "Fuse"),
    "bytes for what is unknown": setting("byte_fallback", flipped),
    "nothing unknown": setting("unk_id", lambda _: None),
    "scores of others": scores_of_others,
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_in_a_component_is_detected(mistake: str) -> None:
    change = MISTAKES[mistake]

    class Mistaken(Mirror):
        def __init__(self, text: str) -> None:
            document = json.loads(text)
            changed = copy.deepcopy(document)
            super().__init__(json.dumps(changed if change(changed) else document))

    assert is_detected(Mistaken, mistake)


class Column:
    """An encoding with one wrong column."""

    def __init__(self, encoding: Any, name: str, change: Callable[[Any], Any]) -> None:
        self.encoding, self.name, self.change = encoding, name, change

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.encoding, name)
        if name == "overflowing" != self.name:
            return [Column(more, self.name, self.change) for more in value]
        return self.change(value) if name == self.name else value


def off_by_one(call: Callable[..., Any]) -> Callable[..., Any]:
    return lambda place, *sequence: call(place + 1, *sequence)


COLUMNS: dict[str, Callable[[Any], Any]] = {
    "offsets": lambda spans: [(start, end + 1) for start, end in spans],
    "word_ids": lambda words: [word and 0 for word in words],
    "sequence_ids": lambda ids: [0 for _ in ids],
    "special_tokens_mask": lambda mask: [0 for _ in mask],
    "attention_mask": lambda mask: [1 for _ in mask],
    "tokens": lambda tokens: [token.lower() for token in tokens],
    "n_sequences": lambda number: 1,
    "overflowing": lambda more: more[:1],
    "char_to_token": off_by_one,
    "char_to_word": off_by_one,
    "token_to_chars": off_by_one,
    "token_to_word": off_by_one,
    "token_to_sequence": lambda call: lambda place: 0,
    "word_to_chars": off_by_one,
    "word_to_tokens": off_by_one,
}


@pytest.mark.parametrize("column", COLUMNS)
def test_mistake_in_a_column_is_detected(column: str) -> None:
    class Mistaken(Mirror):
        def encode(self, text: Any, pair: Any, *, add: bool) -> Any:
            return Column(super().encode(text, pair, add=add), column, COLUMNS[column])

    assert is_detected(Mistaken, column)


def test_faults_are_shrunk_and_replayed(tmp_path: Path) -> None:
    class Mistaken(Mirror):
        def encode(self, text: Any, pair: Any, *, add: bool) -> Any:
            return Column(super().encode(text, pair, add=add), "offsets", COLUMNS["offsets"])

    (fault, *_) = pipelines.trial("shrunk:1", DATA, Mistaken).faults
    assert fault.what == "offsets: differs"
    case = json.loads(fault.line())["case"]
    assert len(case["document"]["model"]["vocab"]) == 1
    assert sum(part is not None for part in case["document"].values()) <= 4
    assert len(case["action"]["text"]) <= 1
    assert [finding.what for finding in check(case, DATA, Mistaken)] == ["offsets: differs"]
    assert check(case, DATA, Mirror) == []


def test_panic_of_ours_is_detected() -> None:
    class Panicking(Theirs):
        @staticmethod
        def is_error(error: BaseException) -> bool:
            return not isinstance(error, BaseException)

    assert is_detected(Panicking, "panic")


def is_detected(ours: type[Engine], name: str, most: int = 1500) -> bool:
    """Returns whether trials find a fault, without shrinking it."""
    return any(_has_fault(f"{name}:{number}", ours) for number in range(most))


def _has_fault(name: str, ours: type[Engine]) -> bool:
    document, actions = pipelines.made(name, DATA)
    pair = Pair(document, DATA, ours)
    found = pair.loading()
    if pair.is_loaded:
        found = [finding for action in actions for finding in pair.check(action)]
    return any(finding.is_fault for finding in found)
