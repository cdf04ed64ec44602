"""Counting takes a fast road where it can: the table is that of the general one, on real text too."""

from collections.abc import Callable
from pathlib import Path

import pytest

import piecework as pw
from piecework import normalizers as n
from piecework import pre_tokenizers as p

SPLITS = {
    "bert": (n.BertNormalizer(), p.BertPreTokenizer()),
    "cased": (n.BertNormalizer(lowercase=False), p.BertPreTokenizer()),
    "accents": (n.Sequence([n.NFD(), n.Lowercase(), n.StripAccents()]), p.Whitespace()),
    "spaces": (None, p.WhitespaceSplit()),
}


def table(counts: pw.WordCounts) -> bytes:
    """Gives words, counts and first sights, without the line that says how they were made."""
    return counts.to_bytes().split(b"\n", 1)[1]


@pytest.mark.parametrize("folder", ["code", "en", "multi", "nasty", "zh"])
@pytest.mark.parametrize("split", SPLITS)
def test_both_roads_count_the_corpora_alike(
    data: Path,
    corpus_bytes: Callable[[str], bytes],
    tmp_path: Path,
    folder: str,
    split: str,
) -> None:
    normalizer, pre_tokenizer = SPLITS[split]
    # The last step finds nothing to do, and the fast road does not know it.
    general = p.Sequence([pre_tokenizer, p.Split(" ", "removed")])
    paths = []
    for path in sorted((data / "corpora" / folder).iterdir()):
        paths.append(tmp_path / path.name)
        paths[-1].write_bytes(corpus_bytes(f"{folder}/{path.name.removesuffix('.zst')}"))
    assert paths
    found, expected = (
        pw.WordCounts.from_files(
            paths, normalizer=normalizer, pre_tokenizer=way, errors="replace", threads=threads
        )
        for way, threads in [(pre_tokenizer, 2), (general, 1)]
    )
    assert table(found) == table(expected)
