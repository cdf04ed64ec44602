"""Random Unigram models over random texts: piecework against SentencePiece and (converted) `tokenizers`.

    PYTHONPATH=tests/helpers:tests/slow python -m parity.unigrams --trials 5000 --seed 7 --processes 2
    PYTHONPATH=tests/helpers:tests/slow python -m parity.unigrams --trial 7:482

A trial is one random model of SentencePiece with some texts. It is read as a `.model`, and as the tokenizer.json that
`transformers` makes of it. A difference is printed as a line of JSON, whose trial can be run again. The last lines count cases
and differences; the exit status is 1 if there was a difference.
"""

import argparse
import json
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import live_unigram as live
import piecework as pw
from converted_unigram import CONVERTERS, MORE_CONVERTERS, converted
from parity.pipeline_check import Pair
from parity.pipeline_texts import Texts
from parity.unigram_models import Made, made, text_for
from paths import data_folder
from piecework.tokenizer._batch import Call, EncodedBatch
from piecework.tokenizer._options import UNLIMITED

Json = dict[str, Any]

DATA = data_folder()
TEXTS, CONVERTED_TEXTS, LISTS = 14, 6, 3
SHORT = 200
LONG_LIST = 64
DELIBERATE = ("occurs twice", "duplicate token")
"""The errors of the core and of Python that `tokenizers` does not raise: duplicate tokens."""


class Difference(NamedTuple):
    """A difference between two results, and its text."""

    what: str
    text: Any
    theirs: Any
    ours: Any

    def line(self, trial: str, how: Json) -> str:
        """Returns it as a line of JSON."""
        seen = {"theirs": ascii(self.theirs)[:400], "ours": ascii(self.ours)[:400]}
        row = {"what": self.what, "text": self.text, **seen, "trial": trial, "model": how}
        return json.dumps(row)


class Results(NamedTuple):
    """Results of trials: cases by kind, notes, and lines of differences."""

    cases: Counter[str]
    notes: Counter[str]
    lines: list[str]

    def add(self, other: "Results") -> None:
        """Adds the results of other trials."""
        self.cases.update(other.cases)
        self.notes.update(other.notes)
        self.lines.extend(other.lines)


# One model


def loaded(model: bytes) -> pw.Tokenizer:
    """Returns our tokenizer of a model."""
    return pw.Tokenizer.from_bytes(model)


class ModelPair:
    """A model loaded by SentencePiece and by piecework."""

    def __init__(self, model: bytes) -> None:
        self.read = live.read(model)
        self.theirs = live.processor(model)
        self.ours = loaded(model)
        self.paths = {
            path: self.ours._options({"specials": "text", **UNLIMITED})
            if path == "fast"
            else self.ours._new_options({"specials": "text", **UNLIMITED}, path=path)
            for path in ("fast", "uncached", "generic")
        }

    def check(self, text: str) -> Iterator[Difference]:
        """Compares all results for a text."""
        pieces = proto(self.theirs.encode(text, return_type="serialized_proto"))
        ids = [piece["id"] for piece in pieces]
        tokens = [piece["piece"] for piece in pieces]
        encoding = self.ours.encode(text, specials="text")
        yield from compare("ids", text, ids, encoding.ids)
        yield from compare("tokens", text, tokens, encoding.tokens)
        yield from compare("ids alone", text, ids, self.ours.encode_ids(text, specials="text"))
        if not (self.read.charsmap or self.read.of_kind(live.USER_DEFINED)):
            yield from self._spans(text, pieces, encoding)
        yield from self.decoded(ids)

    def _spans(self, text: str, pieces: list[Json], encoding: Any) -> Iterator[Difference]:
        """Compares spans without spaces and metaspaces at their ends, whose positions differ."""
        ends = np.cumsum([0, *(len(c.encode()) for c in text)]).tolist()
        raw = text.encode()
        for piece, (start, end) in zip(pieces, encoding.offsets, strict=False):
            wanted = without_spaces(raw, piece["begin"], piece["end"])
            if wanted[0] < wanted[1]:
                found = without_spaces(raw, ends[start], ends[end])
                yield from compare(f"span of {piece['piece']!r}", text, wanted, found)

    def decoded(self, ids: list[int]) -> Iterator[Difference]:
        """Compares decoding, whole and streaming."""
        wanted = self.theirs.decode(ids)
        yield from compare("decoded", ids, wanted, self.ours.decode(ids))
        stream = self.ours.decode_stream()
        grown = "".join([*map(stream.step, ids), stream.finish()])
        yield from compare("decoded by streaming", ids, wanted, grown)

    def check_batch(self, texts: list[str]) -> Iterator[Difference]:
        """Compares batches on all paths, with a cold and a warm cache."""
        wanted = self.theirs.encode(texts)
        for path in ("fast", "fast", "uncached", "generic"):
            call = Call(self.ours, texts, {"specials": "text", **UNLIMITED})
            options = self.paths[path]
            for columns in (False, True):
                made = self.ours._core.encode_batch(texts, False, options, columns, 1)
                rows = EncodedBatch(made, call, 1).to_list()
                for text, ids, found in zip(texts, wanted, rows, strict=True):
                    yield from compare(f"ids of a batch, {path}", text, ids, found)

    def check_written(self, texts: list[str]) -> Iterator[Difference]:
        """Compares with SentencePiece on the model that we save."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.model"
            self.ours.save(path, "sentencepiece")
            again = live.processor(path.read_bytes())
        yield from compare(
            "ids of what we write", texts, self.theirs.encode(texts), again.encode(texts)
        )
        saved = pw.Tokenizer.from_str(self.ours.to_str())
        rows = saved.encode_batch(texts, specials="text").to_list()
        yield from compare(
            "ids of the tokenizer.json that we save", texts, self.theirs.encode(texts), rows
        )

    def check_list(self, text: str, wanted: int) -> Iterator[Difference]:
        """Compares n-best lists and their scores."""
        if not self.theirs.encode(text):
            return
        serialized = self.theirs.nbest_encode(
            text, nbest_size=wanted, return_type="serialized_proto"
        )
        theirs = []
        for _, segmentation in live.fields(serialized):
            found = dict(live.fields(segmentation))
            theirs.append(([piece["id"] for piece in proto(segmentation)], found.get(3, 0.0)))
        ours = [(e.ids, score) for e, score in self.ours.lm.nbest(text, wanted, specials="text")]
        yield from compare(f"{wanted} best", text, theirs, ours)


def proto(serialized: bytes) -> list[Json]:
    """Returns the pieces of SentencePiece's message."""
    names = {1: "piece", 2: "id", 3: "surface", 4: "begin", 5: "end"}
    rows = [
        {names[field.number]: field.value for field in live.fields(value)}
        for number, value in live.fields(serialized)
        if number == 2
    ]
    empty = {"piece": b"", "id": 0, "begin": 0, "end": 0}
    return [empty | row | {"piece": row.get("piece", b"").decode()} for row in rows]


def without_spaces(text: bytes, start: int, end: int) -> tuple[int, int]:
    """Returns a span without the spaces and metaspaces at its ends."""
    part = text[start:end].decode().replace("▁", " " * len("▁".encode())).encode()
    return start + len(part) - len(part.lstrip(b" ")), start + len(part.rstrip(b" "))


def compare(what: str, text: Any, theirs: Any, ours: Any) -> Iterator[Difference]:
    """Yields the difference, if there is one."""
    if theirs != ours:
        yield Difference(what, text, theirs, ours)


# Trials


def trial(name: str, data: Path | None) -> Results:
    """Runs the trial of a name, which determines it."""
    rng = random.Random(name)
    texts = Texts(rng, data)
    model = made(rng, texts)
    results = Results(Counter(), Counter(), [])
    for what, found in (
        ("as a .model", as_model(rng, texts, model, results)),
        ("converted", as_json(rng, texts, model, results)),
    ):
        kinds = set()
        for difference in found:
            if difference.what not in kinds:  # one difference of a kind is enough
                kinds.add(difference.what)
                row = difference._replace(what=f"{what}: {difference.what}")
                results.lines.append(row.line(name, model.how))
    return results


def as_model(
    rng: random.Random, texts: Texts, made: Made, results: Results
) -> Iterator[Difference]:
    """Compares a model with SentencePiece."""
    try:
        live.processor(made.model)
    except RuntimeError as error:
        results.notes[f"SentencePiece refuses: {str(error).partition(':')[2][:60]}"] += 1
        return
    try:
        both = ModelPair(made.model)
    except pw.errors.PieceworkError as error:
        yield Difference("loading", None, "a model", str(error))
        return
    pieces = [piece for piece, _, _ in both.read.pieces]
    some = [text_for(rng, texts, pieces) for _ in range(TEXTS)]
    for text in some:
        results.cases["text"] += 1
        yield from guarded(partial(both.check, text), text)
    results.cases["batch"] += 1
    yield from guarded(partial(both.check_batch, some), some)
    results.cases["written"] += 1
    yield from guarded(partial(both.check_written, some), some)
    for text in some[:LISTS]:
        results.cases["list"] += 1
        wanted = rng.choice((2, 5, LONG_LIST))
        yield from guarded(partial(both.check_list, text[:SHORT], wanted), text[:SHORT])
    ids = [rng.randrange(len(pieces)) for _ in range(rng.choice((1, 5, 20)))]
    results.cases["ids"] += 1
    yield from guarded(partial(both.decoded, ids), ids)


def guarded(check: Callable[[], Iterator[Difference]], text: Any) -> Iterator[Difference]:
    """Compares a text; an exception is a difference too."""
    try:
        yield from check()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  (a panic is no Exception)
        yield Difference(f"raised {type(error).__name__}", text, None, str(error)[:300])


def as_json(rng: random.Random, texts: Texts, made: Made, results: Results) -> Iterator[Difference]:
    """Compares the conversion by `transformers` with `tokenizers`."""
    kind = rng.choice((*CONVERTERS, *MORE_CONVERTERS))
    flags = {
        "byte_fallback": made.how.get("byte_fallback", False),
        "add_prefix_space": rng.random() < 0.7,
        "keep_accents": rng.random() < 0.5,
        "do_lower_case": rng.random() < 0.5,
        "split_by_punct": rng.random() < 0.5,
        "legacy": rng.random() < 0.5,
    }
    try:
        document = json.loads(_converted(made.model, kind, flags))
    except Exception as error:  # noqa: BLE001  (each converter has its own requirements)
        results.notes[f"{kind} cannot convert: {type(error).__name__}"] += 1
        return
    pair = Pair(document, None)
    found = pair.loading()
    pieces = [piece for piece, _ in document["model"]["vocab"]]
    if pair.is_loaded:
        for _ in range(CONVERTED_TEXTS):
            results.cases[f"converted, {kind}"] += 1
            text = text_for(rng, texts, pieces)
            places = sorted({rng.randrange(12), rng.randrange(60)})
            found += pair.check(
                {"do": "encode", "text": text, "pair": None, "add": True, "places": places}
            )
    for finding in found:
        if finding.is_fault and not any(words in finding.what for words in DELIBERATE):
            yield Difference(finding.what, None, finding.theirs, finding.ours)
        else:
            results.notes[finding.what] += 1


def _converted(model: bytes, kind: str, flags: Json) -> str:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "m.model"
        path.write_bytes(model)
        return converted(path, kind, **flags)


# Runs


def run(seed: str, numbers: range, data: Path | None) -> Results:
    """Runs some trials one after the other."""
    results = Results(Counter(), Counter(), [])
    for number in numbers:
        results.add(trial(f"{seed}:{number}", data))
    return results


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--most-differences", type=int, default=20, help="stop after this number")
    parser.add_argument("--trial", help="run this trial, and no other")
    asked = parser.parse_args()
    data = DATA if DATA.is_dir() else None
    results, start = Results(Counter(), Counter(), []), time.monotonic()
    if asked.trial:
        results.add(_shown(trial(asked.trial, data)))
    else:
        batches = (range(at, min(at + 20, asked.trials)) for at in range(0, asked.trials, 20))
        with ProcessPoolExecutor(asked.processes) as pool:
            for done in pool.map(partial(run, asked.seed, data=data), batches):
                results.add(_shown(done))
                cases, seconds = sum(results.cases.values()), time.monotonic() - start
                sys.stderr.write(
                    f"\r{cases:,} cases, {len(results.lines)} differences, {seconds:.0f} s "
                )
                if len(results.lines) >= asked.most_differences:
                    pool.shutdown(cancel_futures=True)
                    break
    for label, count in sorted((results.cases + results.notes).items()):
        sys.stderr.write(f"\n{count:>10,}  {label}")
    sys.stderr.write(f"\n{sum(results.cases.values()):,} cases, {len(results.lines)} differences\n")
    return int(bool(results.lines))


def _shown(results: Results) -> Results:
    for line in results.lines:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return results


if __name__ == "__main__":
    sys.exit(main())
