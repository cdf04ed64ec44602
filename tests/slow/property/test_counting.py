"""Counting on the fast path gives the table of the generic path, on real text."""

from collections.abc import Callable
from pathlib import Path

import pytest

import piecework as pw
from piecework import normalizers as n, pre_tokenizers as p

SPLITS = {
    "bert": (n.BertNormalizer(), p.BertPreTokenizer()),
    "cased": (n.BertNormalizer(lowercase=False), p.BertPreTokenizer()),
    "accents": (n.Sequence([n.NFD(), n.Lowercase(), n.StripAccents()]), p.Whitespace()),
    "spaces": (None, p.WhitespaceSplit()),
}


def table(counts: pw.WordCounts) -> bytes:
    """Returns words, counts and first occurrences, without the lines of settings and of the hash."""
    return b"\n".join(counts.to_bytes().split(b"\n")[1:-2])


@pytest.fixture
def corpora(
    data: Path, corpus_bytes: Callable[[str], bytes], tmp_path: Path
) -> Callable[[str, int | None], list[Path]]:
    """Returns a function that writes the beginnings of the corpora of a folder, of a size in bytes."""

    def written(folder: str, size: int | None) -> list[Path]:
        paths = []
        for path in sorted((data / "corpora" / folder).iterdir()):
            name = path.name.removesuffix(".zst")
            if name == "blns.json":  # an array, whose strings are the lines of blns.txt
                continue
            paths.append(tmp_path / name)
            paths[-1].write_bytes(corpus_bytes(f"{folder}/{name}")[:size])
        return paths

    return written


@pytest.mark.parametrize("size", [300_000, pytest.param(None, marks=pytest.mark.parity)])
@pytest.mark.parametrize("folder", ["code", "en", "multi", "nasty", "zh"])
@pytest.mark.parametrize("split", SPLITS)
def test_paths_count_corpora_alike(
    corpora: Callable[[str, int | None], list[Path]], folder: str, split: str, size: int | None
) -> None:
    normalizer, pre_tokenizer = SPLITS[split]
    # The last step changes nothing, but the fast path does not support it.
    generic = p.Sequence([pre_tokenizer, p.Split(" ", "removed")])
    paths = corpora(folder, size)
    assert paths
    found, expected = (
        pw.WordCounts.from_texts(
            pw.Corpus(paths, errors="replace"),
            normalizer=normalizer,
            pre_tokenizer=step,
            threads=threads,
        )
        for step, threads in [(pre_tokenizer, 2), (generic, 1)]
    )
    assert table(found) == table(expected)
