"""All tokenizer files at hand through `piecework.hf` and `tokenizers`, on lines of all corpora."""

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hf_peers import OURS, THEIRS, check_encodings
from parity import pipeline_texts
from paths import data_folder, unpacked

DATA = data_folder()
FILES = sorted(path.name for path in (DATA / "vocabs").glob("*tokenizer.json*"))
pytestmark = pytest.mark.slow


@cache
def both(name: str) -> tuple[Any, Any]:
    path = DATA / "vocabs" / name
    data = unpacked(path) if name.endswith(".zst") else path.read_bytes()
    return THEIRS.Tokenizer.from_buffer(data), OURS.Tokenizer.from_buffer(data)


@cache
def texts() -> list[str]:
    """Returns lines of all corpora, and mixtures of them."""
    rng = random.Random(5)
    lines = [
        line
        for corpus in pipeline_texts.lines(DATA)
        for line in rng.sample(corpus, min(60, len(corpus)))
    ]
    return lines + [" ".join(rng.sample(lines, 3)) for _ in range(100)]


def test_files_are_there(data: Path) -> None:
    """Without them the other tests are absent; this test reports that."""
    assert (data / "vocabs").is_dir()
    assert len(FILES) > 3


@pytest.mark.parametrize("name", FILES)
def test_all_columns_are_equal(name: str) -> None:
    theirs, ours = both(name)
    some = texts()
    assert (ours.padding, ours.truncation) == (theirs.padding, theirs.truncation)
    for change in (
        lambda k: (k.no_padding(), k.no_truncation()),
        lambda k: (k.enable_truncation(24, stride=3), k.enable_padding(pad_to_multiple_of=8)),
    ):
        for k in (theirs, ours):
            change(k)
        for wanted, found in zip(theirs.encode_batch(some), ours.encode_batch(some), strict=True):
            check_encodings(wanted, found)
        for wanted, found in zip(
            theirs.encode_batch_fast(some), ours.encode_batch_fast(some), strict=True
        ):
            check_encodings(wanted, found)
        ids = [encoding.ids for encoding in theirs.encode_batch(some)]
        assert ours.decode_batch(ids) == theirs.decode_batch(ids)


@pytest.mark.parametrize("name", FILES)
def test_files_are_written_alike(name: str) -> None:
    theirs, ours = both(name)
    assert ours.to_str() == theirs.to_str()
    assert ours.get_vocab() == theirs.get_vocab()
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)
