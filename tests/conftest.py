"""What all tests share: the data beside the repository, and how Hypothesis searches."""

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).parents[1]

# `ci` tries the same examples on every machine, so that a failure is a change of ours; `fuzz` looks
# for new ones. No deadline: the machine is shared, and a slow moment is no fault.
settings.register_profile("ci", derandomize=True, deadline=None, database=None, print_blob=True)
settings.register_profile(
    "fuzz",
    deadline=None,
    max_examples=20_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def data_folder() -> Path:
    """Gives the folder of shared data, whether it is there or not."""
    return Path(os.environ.get("PIECEWORK_DATA", REPOSITORY.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of shared data: `corpora/` with real text, `vocabs/` with real tokenizers."""
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip(f"no test data: {folder} is not there (PIECEWORK_DATA names another folder)")
    return folder


@pytest.fixture(scope="session")
def corpus_bytes(data: Path) -> Callable[[str], bytes]:
    """Reads one corpus: `corpus_bytes("en/botchan.txt")`, stored as it is or as `.zst`."""

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
    """Reads the lines of one corpus, without their line ends; only `\\n` ends a line."""

    def read(name: str) -> Iterator[str]:
        text = io.StringIO(corpus_bytes(name).decode("utf-8"), newline="\n")
        return (line.removesuffix("\n") for line in text)

    return read


def unpacked(path: Path) -> bytes:
    """Gives the content of a Zstandard file."""
    zstandard = pytest.importorskip("zstandard", reason="the corpora are packed: no zstandard")
    with path.open("rb") as packed:
        return bytes(zstandard.ZstdDecompressor().stream_reader(packed).read())
