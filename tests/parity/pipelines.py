"""Random pipelines over random texts, ours beside live `tokenizers`.

    python -m tests.parity.pipelines --cases 1000000 --seed 7 --processes 2
    python -m tests.parity.pipelines --trial 7:482
    python -m tests.parity.pipelines --replay faults.jsonl

A trial is one random document and ten cases with it. A difference is shrunk and printed as a line
of JSON, which `--replay` runs again; what else is said goes to the standard error output. The last
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

from .pipeline_check import Engine, Finding, Mirror, Ours, Pair, check
from .pipeline_documents import Json, Maker, numbers
from .pipeline_shrink import shrunk
from .pipeline_texts import Texts

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

CASES_A_TRIAL = 10
TRIALS_A_CHUNK = 25
FAULTS_A_CHUNK = 3  # then its other trials are left out: a fault takes long to shrink
LONGEST_TRIAL = 120  # seconds, shrinking included
MOST_MEMORY = 6 << 30
DATA = Path(os.environ.get("PIECEWORK_DATA", Path(__file__).parents[3] / "shared" / "data"))


class Fault(NamedTuple):
    """A difference, and the smallest case that shows it."""

    what: str
    theirs: Any
    ours: Any
    case: Json
    trial: str

    def line(self) -> str:
        """Gives the fault as a line of JSON."""
        seen = {"theirs": repr(self.theirs)[:400], "ours": repr(self.ours)[:400]}
        return json.dumps({"what": self.what, **seen, "trial": self.trial, "case": self.case})


class Tally(NamedTuple):
    """What some trials came to: counts by component, remarks on the library, faults."""

    seen: Counter[str]
    remarks: Counter[str]
    faults: list[Fault]

    def add(self, other: "Tally") -> None:
        """Takes over what other trials came to."""
        self.seen.update(other.seen)
        self.remarks.update(other.remarks)
        self.faults.extend(other.faults)


# Trials


def actions(rng: random.Random, texts: Texts, document: Json) -> Iterator[Json]:
    """Gives the cases of a trial."""
    for _ in range(CASES_A_TRIAL - 3):
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
    """Gives a text and perhaps another, both as words if `split`."""
    one = texts.list_of_words if split else texts.text
    return one(), one() if rng.random() < 0.35 else None


def trial(name: str, data: Path | None, ours: type[Engine] = Ours) -> Tally:
    """Does a trial; its name says which."""
    document, cases = made(name, data)
    pair = Pair(document, data, ours)
    tally = Tally(Counter(), Counter(), [])
    labels = list(labels_of(document))
    kinds: set[str] = set()
    for action in cases if pair.is_loaded else [None]:
        found = pair.check(action) if action else pair.loading()
        tally.seen.update([*labels, f"action {kind_of(action)}"])
        tally.remarks.update(finding.what for finding in found if not finding.is_fault)
        faults = [finding for finding in found if finding.is_fault]
        if faults and faults[0].kind not in kinds:  # one of a kind is enough to mend it
            kinds.add(faults[0].kind)
            case = {"document": document, "action": action}
            tally.faults.append(small(faults[0], case, data, ours)._replace(trial=name))
    return tally


def small(finding: Finding, case: Json, data: Path | None, ours: type[Engine]) -> Fault:
    """Shrinks a case while it shows a fault of the same kind, and says what is seen in the end."""

    def same(candidate: Json) -> list[Finding]:
        found = (f for f in check(candidate, data, ours) if f.is_fault and f.kind == finding.kind)
        return list(islice(found, 1))

    smallest = shrunk(case, lambda candidate: bool(same(candidate)))
    last = (same(smallest) or [finding])[0]
    return Fault(last.what, last.theirs, last.ours, smallest, "")


def kind_of(action: Json | None) -> str:
    """Gives the name under which a case is counted."""
    if action is None:
        return "load (one of the two refused)"
    if action["do"] != "encode":
        return str(action["do"])
    split = "split " if isinstance(action["text"], list) else ""
    return f"encode, {split}{'single' if action['pair'] is None else 'pair'}"


def labels_of(document: Json) -> Iterator[str]:
    """Gives the names of all that a document consists of."""
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


def chunk(names: list[str], data: Path | None, ours: type[Engine], folder: Path) -> Tally:
    """Runs some trials in a row; a file says which one it is at, should the process die of it."""
    tally = Tally(Counter(), Counter(), [])
    note = folder / str(os.getpid())
    for name in names:
        note.write_text(name)
        signal.alarm(LONGEST_TRIAL)
        tally.add(trial(name, data, ours))
        signal.alarm(0)
        if len(tally.faults) >= FAULTS_A_CHUNK:
            break
    note.unlink()
    return tally


def run(asked: argparse.Namespace, data: Path | None) -> Tally:
    """Runs all trials that were asked for, in processes of their own."""
    trials = iter([asked.trial] if asked.trial else _trials(asked.seed, asked.cases))
    chunks = iter(lambda: list(islice(trials, TRIALS_A_CHUNK)), [])
    ours = Mirror if asked.against == "tokenizers" else Ours
    tally, start = Tally(Counter(), Counter(), []), time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(asked.processes, initializer=prepare) as pool,
    ):
        tasks = (partial(chunk, names, data, ours, Path(folder)) for names in chunks)
        try:
            for done in _as_done(pool, tasks):
                tally.add(_told(done.result()))
                _progress(tally, asked.cases, start)
                if len(tally.faults) >= asked.most_faults:
                    say("\nenough faults: stopped")
                    pool.shutdown(cancel_futures=True)
                    break
        except BrokenProcessPool:
            names = sorted(note.read_text() for note in Path(folder).iterdir())
            raise SystemExit(f"a process died, or a trial had no end: one of {names}") from None
    return tally


def _trials(seed: str, cases: int) -> Iterator[str]:
    return (f"{seed}:{number}" for number in range(-(-cases // CASES_A_TRIAL)))


def _told(tally: Tally) -> Tally:
    for fault in tally.faults:
        sys.stdout.write(f"{fault.line()}\n")
        sys.stdout.flush()
    return tally


def _as_done(pool: ProcessPoolExecutor, tasks: Iterable[Any]) -> Iterator[Future[Tally]]:
    """Gives the tasks as they are done; few wait at a time, so that a long run needs no memory."""
    tasks = iter(tasks)
    waiting = {pool.submit(task) for task in islice(tasks, 8)}
    while waiting:
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        waiting |= {pool.submit(task) for task in islice(tasks, len(done))}
        yield from done


def prepare() -> None:
    """Bounds a worker's memory, and sends its standard error output nowhere: panics print there."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _progress(tally: Tally, cases: int, start: float) -> None:
    done, seconds = cases_in(tally), time.monotonic() - start
    rate = done / seconds if seconds else 0
    sys.stderr.write(f"\r{done:,} of {cases:,} cases, {len(tally.faults)} faults, {rate:,.0f}/s ")
    sys.stderr.flush()


def cases_in(tally: Tally) -> int:
    """Gives the number of cases that were tried."""
    return sum(count for label, count in tally.seen.items() if label.startswith("action "))


def say(line: str) -> None:
    """Writes a line to the standard error output."""
    sys.stderr.write(f"{line}\n")


def summary(tally: Tally) -> Iterator[str]:
    """Gives the lines that close a run."""
    yield f"\n{cases_in(tally):,} cases, {len(tally.faults)} faults"
    yield "\ncases by component:"
    yield from (f"{count:>10,}  {label}" for label, count in sorted(tally.seen.items()))
    yield "\nwhere the library refuses, panics or is of two minds:"
    yield from (f"{count:>10,}  {remark}" for remark, count in tally.remarks.most_common())


def replay(path: Path, data: Path | None) -> int:
    """Runs the cases of a file again, and gives the number of faults."""
    faults = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        for finding in check(case.get("case", case), data):
            faults += finding.is_fault
            sys.stdout.write(f"{'fault' if finding.is_fault else 'remark'}: {finding.what}\n")
            sys.stdout.write(f"  theirs {finding.theirs!r}\n  ours   {finding.ours!r}\n")
    return faults


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--most-faults", type=int, default=20, help="stop after so many")
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
    tally = run(asked, data)
    for line in summary(tally):
        say(line)
    return int(bool(tally.faults))


if __name__ == "__main__":
    sys.exit(main())
