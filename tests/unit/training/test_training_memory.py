"""The limit of memory of a training: it holds, or the training ends with an error that has the size."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import piecework as pw

TRAINERS: dict[str, Any] = {
    "wordpiece": pw.WordPieceTrainer(600),
    "bpe": pw.BpeTrainer(600),
    "unigram": pw.UnigramTrainer(600),
    "wordlevel": pw.WordLevelTrainer(600),
}
MB = 10**6
SIZE = re.compile(r"max_memory: the (?:training needs at least|\d+ different words take) (\d+) MB")


def words(number: int) -> dict[str, int]:
    """Returns different words of eight letters."""
    letters = "etaoinsh"
    return {
        "".join(letters[number >> 3 * place & 7] for place in range(8)): number % 97 + 1
        for number in range(1, 31 * number, 31)
    }


def trained(name: str, counts: pw.WordCounts, limit: str | int | None = None) -> str:
    """Trains on words within a limit."""
    stages: dict[str, Any] = {"normalizer": None, "pre_tokenizer": None}
    return pw.train(counts, TRAINERS[name], **stages, max_memory=limit).to_str()


@pytest.fixture(scope="module")
def counts() -> pw.WordCounts:
    return pw.WordCounts(words(20_000))


@pytest.fixture(scope="module")
def whole(counts: pw.WordCounts) -> dict[str, str]:
    return {name: trained(name, counts) for name in TRAINERS}


@given(name=st.sampled_from(sorted(TRAINERS)), limit=st.integers(MB, 60 * MB))
def test_a_training_fits_or_names_its_size(
    name: str, limit: int, counts: pw.WordCounts, whole: dict[str, str]
) -> None:
    result, refusal = "", ""
    try:
        result = trained(name, counts, limit)
    except pw.errors.ConfigError as error:
        refusal = str(error)
    size = SIZE.match(refusal)
    assert int(size[1]) * MB >= limit if size else result == whole[name], refusal


@pytest.mark.parametrize("name", TRAINERS)
def test_the_least_limits(name: str, counts: pw.WordCounts, whole: dict[str, str]) -> None:
    assert trained(name, counts, "100MB") == whole[name]
    if name != "wordlevel":
        with pytest.raises(pw.errors.ConfigError, match=SIZE):
            trained(name, counts, "1MB")


def test_words_that_do_not_fit_are_counted_to_the_end(tmp_path: Path) -> None:
    # Their table takes 3 % more than the limit: the estimate while they are counted, a tenth below, is always less.
    table = words(43_000)
    path = tmp_path / "text"
    path.write_text("\n".join(table), encoding="utf-8")
    problem = "^max_memory: the 43000 different words take 2 MB, and training needs more; raise it$"
    trainer = pw.WordPieceTrainer(600)
    with pytest.raises(pw.errors.ConfigError, match=problem):
        pw.train(pw.Corpus(path), trainer, max_memory="1MB")
    with pytest.raises(pw.errors.ConfigError, match=problem):
        pw.train(pw.Corpus(path), trainer, engine=pw.engines.Local(2), max_memory="1MB")
    assert len(pw.WordCounts.from_texts(pw.Corpus(path), max_memory="1MB")) == len(table)


@pytest.mark.parametrize("threads", [1, 3])
def test_counting_ends_when_the_words_cannot_fit(tmp_path: Path, threads: int) -> None:
    path = tmp_path / "text"
    table = [*words(200_000)]
    path.write_text("\n".join(table * 20), encoding="utf-8")
    problem = "^max_memory: the different words so far take at least [2-5] MB, and training needs more; raise it, or count"
    trainer = pw.WordPieceTrainer(600)
    for texts in (pw.Corpus(path), iter(table * 20)):
        seen: list[pw.Progress] = []
        with pytest.raises(pw.errors.ConfigError, match=problem):
            pw.train(texts, trainer, threads=threads, max_memory="2MB", progress=seen.append)
        assert all(progress.stage != "counting" for progress in seen)
    assert len(pw.WordCounts.from_texts(pw.Corpus(path), max_memory="2MB")) == len(table)


def test_an_extension_has_the_limit(tmp_path: Path) -> None:
    tok = pw.train({"etaoinsh" * 2: 3, "hsniotae": 2}, pw.BpeTrainer(20))
    table = words(60_000)
    with pytest.raises(pw.errors.ConfigError, match=SIZE):
        pw.extend(tok, table, new_tokens=100, max_memory="3MB")
    limited = pw.extend(tok, table, new_tokens=100, max_memory="1GB")
    assert limited.added == pw.extend(tok, table, new_tokens=100).added


PEAK = """
import sys
import piecework as pw
from tests.unit.training.test_training_memory import trained, words

def status(name):
    lines = open("/proc/self/status", encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

name, limit = sys.argv[1], int(sys.argv[2])
counts = pw.WordCounts(words(200_000))
trained("wordlevel", pw.WordCounts({"a": 1}))
open("/proc/self/clear_refs", "w", encoding="ascii").write("5")
before = status("VmRSS")
try:
    trained(name, counts, limit)
    print("trained", status("VmHWM") - before)
except pw.errors.ConfigError:
    print("refused", status("VmHWM") - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
@pytest.mark.parametrize("name", TRAINERS)
def test_the_peak_is_within_the_limit(name: str) -> None:
    outcomes = []
    for limit in (8, 20, 60, 160):
        run = [sys.executable, "-c", PEAK, name, str(limit * MB)]
        ended = subprocess.run(run, capture_output=True, text=True, check=True)
        outcome, peak = ended.stdout.split()
        outcomes.append(outcome)
        assert int(peak) <= limit * MB, (name, limit, outcome)
    assert outcomes == sorted(outcomes), "what fits into a limit fits into a higher one"
    assert outcomes[-1] == "trained"
