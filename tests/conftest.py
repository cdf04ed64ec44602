"""Shared fixtures: the data next to the repository."""

import io
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import profiles  # noqa: F401 - it loads the profile for tests that state no number of examples
from paths import data_folder, unpacked

# A shell ignores SIGINT in processes that it starts in the background, and these pass it on: children of tests of Ctrl-C would
# run for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
