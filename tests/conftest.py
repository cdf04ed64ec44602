"""Shared fixtures: the data next to the repository, and the profiles of Hypothesis."""

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from paths import data_folder, unpacked

# `ci` tries the same examples on every machine, so that only a change of the code can fail; `fuzz` tries
# new ones. There is no deadline, since the machine is shared.
settings.register_profile("ci", derandomize=True, deadline=None, database=None, print_blob=True)
settings.register_profile(
    "fuzz",
    deadline=None,
    max_examples=20_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def data() -> Path:
    """Returns the folder of shared data: `corpora/` with texts, `vocabs/` with tokenizers."""
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip(f"no test data: {folder} does not exist (PIECEWORK_DATA names another folder)")
    return folder


@pytest.fixture(scope="session")
def corpus_bytes(data: Path) -> Callable[[str], bytes]:
    """Returns a function that reads a corpus, such as "en/botchan.txt", decompressed if it is a `.zst`."""

    def read(name: str) -> bytes:
        plain = data / "corpora" / name
        packed = plain.with_name(f"{plain.name}.zst")
        if plain.is_file():
            return plain.read_bytes()
        if not packed.is_file():
            pytest.skip(f"no corpus {name} in {data / 'corpora'}")
        return unpacked(packed)

    return read


@pytest.fixture(scope="session")
def corpus_lines(corpus_bytes: Callable[[str], bytes]) -> Callable[[str], Iterator[str]]:
    """Returns a function that reads the lines of a corpus; only `\\n` ends a line."""

    def read(name: str) -> Iterator[str]:
        text = io.StringIO(corpus_bytes(name).decode("utf-8"), newline="\n")
        return (line.removesuffix("\n") for line in text)

    return read
