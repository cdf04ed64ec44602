"""Random pipelines over random texts: piecework against `tokenizers`.

    PYTHONPATH=tests/helpers:tests/slow python -m parity.pipelines --cases 1000000 --seed 7 --processes 2
    PYTHONPATH=tests/helpers:tests/slow python -m parity.pipelines --trial 7:482
    PYTHONPATH=tests/helpers:tests/slow python -m parity.pipelines --replay faults.jsonl

A trial is one random document and ten cases with it. A difference is shrunk and printed as a line
of JSON, which `--replay` runs again; all other output goes to standard error. The last
lines count the cases by component, and what the library refused or panicked at. The exit status is
1 if there was a fault.
"""

import argparse
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from paths import data_folder

from .pipeline_check import Engine, Finding, Mirror, Ours, Pair, check
from .pipeline_documents import Json, Maker, numbers
from .pipeline_shrink import shrunk
from .pipeline_texts import Texts

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

CASES_PER_TRIAL = 10
TRIALS_PER_TASK = 25
FAULTS_PER_TASK = 3  # further trials of the task are skipped: shrinking a fault takes long
LONGEST_TRIAL = 120  # seconds, shrinking included
MOST_MEMORY = 6 << 30
DATA = data_folder()


class Fault(NamedTuple):
    """A difference and the smallest case that shows it."""

    what: str
    theirs: Any
    ours: Any
    case: Json
    trial: str

    def line(self) -> str:
        """Returns the fault as a line of JSON."""
        seen = {"theirs": repr(self.theirs)[:400], "ours": repr(self.ours)[:400]}
        return json.dumps({"what": self.what, **seen, "trial": self.trial, "case": self.case})


class Results(NamedTuple):
    """Results of trials: counts by component, notes about the library, faults."""

    seen: Counter[str]
    notes: Counter[str]
    faults: list[Fault]

    def add(self, other: "Results") -> None:
        """Adds the results of other trials."""
        self.seen.update(other.seen)
        self.notes.update(other.notes)
        self.faults.extend(other.faults)


# Trials


def actions(rng: random.Random, texts: Texts, document: Json) -> Iterator[Json]:
    """Returns the cases of a trial."""
    for _ in range(CASES_PER_TRIAL - 3):
        text, pair = row(rng, texts, split=rng.random() < 0.2)
        places = sorted({rng.randrange(12), rng.randrange(30), rng.randrange(90)})
        add = rng.random() < 0.7
        yield {"do": "encode", "text": text, "pair": pair, "add": add, "places": places}
    split = rng.random() < 0.2
    rows = [row(rng, texts, split=split) for _ in range(rng.randint(0, 5))]
    yield {"do": "batch", "rows": [list(one) for one in rows], "add": rng.random() < 0.7}
    top = len(document["model"]["vocab"]) + len(document["added_tokens"]) + 2
    ids = [rng.randrange(top) for _ in range(rng.choice((0, 1, 3, 8, 20)))]
    yield {"do": "decode", "ids": ids, "skip": rng.random() < 0.5}
    tokens = [texts.part() for _ in range(8)] + rng.choices([*numbers(document["model"]), ""], k=4)
    yield {"do": "look up", "tokens": tokens, "ids": rng.choices(range(top), k=8)}


def made(name: str, data: Path | None) -> tuple[Json, list[Json]]:
    """Makes the document and the actions of a trial."""
    rng = random.Random(name)
    texts = Texts(rng, data)
    document = Maker(rng, texts, data).document()
    return document, list(actions(rng, texts, document))


def row(rng: random.Random, texts: Texts, *, split: bool) -> tuple[Any, Any]:
    """Returns a text and perhaps another, both as words if `split`."""
    one = texts.list_of_words if split else texts.text
    return one(), one() if rng.random() < 0.35 else None


def trial(name: str, data: Path | None, ours: type[Engine] = Ours) -> Results:
    """Runs the trial of a name, which determines it."""
    document, cases = made(name, data)
    pair = Pair(document, data, ours)
    results = Results(Counter(), Counter(), [])
    labels = list(labels_of(document))
    kinds: set[str] = set()
    for action in cases if pair.is_loaded else [None]:
        found = pair.check(action) if action else pair.loading()
        results.seen.update([*labels, f"action {kind_of(action)}"])
        results.notes.update(finding.what for finding in found if not finding.is_fault)
        faults = [finding for finding in found if finding.is_fault]
        if faults and faults[0].kind not in kinds:  # one fault of a kind is enough
            kinds.add(faults[0].kind)
            case = {"document": document, "action": action}
            results.faults.append(small(faults[0], case, data, ours)._replace(trial=name))
    return results


def small(finding: Finding, case: Json, data: Path | None, ours: type[Engine]) -> Fault:
    """Shrinks a case while it shows a fault of the same kind, and returns the fault."""

    def same(candidate: Json) -> list[Finding]:
        found = (f for f in check(candidate, data, ours) if f.is_fault and f.kind == finding.kind)
        return list(islice(found, 1))

    smallest = shrunk(case, lambda candidate: bool(same(candidate)))
    last = (same(smallest) or [finding])[0]
    return Fault(last.what, last.theirs, last.ours, smallest, "")


def kind_of(action: Json | None) -> str:
    """Returns the label under which a case is counted."""
    if action is None:
        return "load (one of the two refused)"
    if action["do"] != "encode":
        return str(action["do"])
    split = "split " if isinstance(action["text"], list) else ""
    return f"encode, {split}{'single' if action['pair'] is None else 'pair'}"


def labels_of(document: Json) -> Iterator[str]:
    """Iterates over the labels of all components and settings of a document."""
    for stage in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        yield from sorted(set(_labels(stage, document[stage])))
    yield f"model {document['model']['type']}"
    if truncation := document["truncation"]:
        yield f"truncation {truncation['strategy']} {truncation['direction']}"
    if padding := document["padding"]:
        yield f"padding {next(iter(padding['strategy'])) if isinstance(padding['strategy'], dict) else padding['strategy']} {padding['direction']}"
    tokens = document["added_tokens"]
    yield f"added tokens {'some' if tokens else 'none'}"
    for flag in ("single_word", "lstrip", "rstrip", "normalized", "special"):
        if any(token[flag] for token in tokens):
            yield f"added tokens {flag}"


SETTINGS = (
    "behavior",
    "invert",
    "prepend_scheme",
    "individual_digits",
    "use_regex",
    "trim_offsets",
)


def _labels(stage: str, component: Json | None) -> Iterator[str]:
    if component is None:
        yield f"{stage} none"
        return
    settings = [f"{name}={component[name]}" for name in SETTINGS if name in component]
    kind = [next(iter(component["pattern"]))] if "pattern" in component else []
    yield " ".join([stage, component["type"], *kind, *settings])
    for key in ("normalizers", "pretokenizers", "processors", "decoders"):
        if key in component and not component[key]:
            yield f"{stage} Sequence, empty"
        for member in component.get(key, []):
            yield from _labels(stage, member)


# Runs


def run_task(names: list[str], data: Path | None, ours: type[Engine], folder: Path) -> Results:
    """Runs some trials; a file names the current one, in case it ends the process."""
    results = Results(Counter(), Counter(), [])
    note = folder / str(os.getpid())
    for name in names:
        note.write_text(name)
        signal.alarm(LONGEST_TRIAL)
        results.add(trial(name, data, ours))
        signal.alarm(0)
        if len(results.faults) >= FAULTS_PER_TASK:
            break
    note.unlink()
    return results


def run(asked: argparse.Namespace, data: Path | None) -> Results:
    """Runs all requested trials in worker processes."""
    trials = iter([asked.trial] if asked.trial else _trials(asked.seed, asked.cases))
    batches = iter(lambda: list(islice(trials, TRIALS_PER_TASK)), [])
    ours = Mirror if asked.against == "tokenizers" else Ours
    results, start = Results(Counter(), Counter(), []), time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(asked.processes, initializer=prepare) as pool,
    ):
        tasks = (partial(run_task, names, data, ours, Path(folder)) for names in batches)
        try:
            for done in _as_done(pool, tasks):
                results.add(_with_faults_printed(done.result()))
                _progress(results, asked.cases, start)
                if len(results.faults) >= asked.most_faults:
                    say("\nenough faults: stopped")
                    pool.shutdown(cancel_futures=True)
                    break
        except BrokenProcessPool:
            names = sorted(note.read_text() for note in Path(folder).iterdir())
            raise SystemExit(f"a process died, or a trial had no end: one of {names}") from None
    return results


def _trials(seed: str, cases: int) -> Iterator[str]:
    return (f"{seed}:{number}" for number in range(-(-cases // CASES_PER_TRIAL)))


def _with_faults_printed(results: Results) -> Results:
    for fault in results.faults:
        sys.stdout.write(f"{fault.line()}\n")
        sys.stdout.flush()
    return results


def _as_done(pool: ProcessPoolExecutor, tasks: Iterable[Any]) -> Iterator[Future[Results]]:
    """Iterates over finished tasks; few are queued at a time, to save memory."""
    tasks = iter(tasks)
    waiting = {pool.submit(task) for task in islice(tasks, 8)}
    while waiting:
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        waiting |= {pool.submit(task) for task in islice(tasks, len(done))}
        yield from done


def prepare() -> None:
    """Limits a worker's memory, and discards its standard error output, to which panics print."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _progress(results: Results, cases: int, start: float) -> None:
    done, seconds = cases_in(results), time.monotonic() - start
    rate = done / seconds if seconds else 0
    sys.stderr.write(f"\r{done:,} of {cases:,} cases, {len(results.faults)} faults, {rate:,.0f}/s ")
    sys.stderr.flush()


def cases_in(results: Results) -> int:
    """Returns the number of cases that were tried."""
    return sum(count for label, count in results.seen.items() if label.startswith("action "))


def say(line: str) -> None:
    """Writes a line to the standard error output."""
    sys.stderr.write(f"{line}\n")


def summary(results: Results) -> Iterator[str]:
    """Iterates over the lines of the final summary."""
    yield f"\n{cases_in(results):,} cases, {len(results.faults)} faults"
    yield "\ncases by component:"
    yield from (f"{count:>10,}  {label}" for label, count in sorted(results.seen.items()))
    yield "\nwhere the library refuses, panics or varies:"
    yield from (f"{count:>10,}  {note}" for note, count in results.notes.most_common())


def replay(path: Path, data: Path | None) -> int:
    """Runs the cases of a file again and returns the number of faults."""
    faults = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        for finding in check(case.get("case", case), data):
            faults += finding.is_fault
            sys.stdout.write(f"{'fault' if finding.is_fault else 'remark'}: {finding.what}\n")
            sys.stdout.write(f"  theirs {finding.theirs!r}\n  ours   {finding.ours!r}\n")
    return faults


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--most-faults", type=int, default=20, help="stop after this number")
    parser.add_argument("--replay", type=Path, help="run the cases of this file, and no others")
    parser.add_argument("--trial", help="run this trial, and no other")
    parser.add_argument("--against", choices=("piecework", "tokenizers"), default="piecework")
    asked = parser.parse_args()
    data = DATA if DATA.is_dir() else None
    if data is None:
        say(
            f"no real tables and corpora: {DATA} is not there (PIECEWORK_DATA names another folder)"
        )
    if asked.replay:
        return int(replay(asked.replay, data) > 0)
    results = run(asked, data)
    for line in summary(results):
        say(line)
    return int(bool(results.faults))


if __name__ == "__main__":
    sys.exit(main())
