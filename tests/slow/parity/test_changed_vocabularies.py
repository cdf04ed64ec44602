"""Real vocabularies, extended by a domain and pruned to it: ids, embedding rows, encodings, and saved files."""

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import piecework as pw
from paths import data_folder, unpacked
from piecework.errors import PieceworkWarning

DATA = data_folder()
pytestmark = [
    pytest.mark.parity,
    pytest.mark.skipif(
        not (DATA / "vocabs").is_dir(), reason="set PIECEWORK_DATA to a folder with vocabs/"
    ),
]


class Domain(NamedTuple):
    """A vocabulary, the corpus of a domain, and the smallest share of tokens that an extension must save."""

    vocab: str
    corpus: str
    saved: float
    format: str


DOMAINS = {
    "BERT, a dictionary": Domain(
        "bert-base-uncased-vocab.txt", "en/gcide-a.txt.zst", 0.03, "v.txt"
    ),
    "T5, Spanish": Domain("t5-spiece.model", "multi/es-docs.txt.zst", 0.1, "v.model"),
    "GPT-2, Python": Domain("gpt2-encoder.json", "code/python-cpython-lib.txt.zst", 0.3, "v.json"),
    "cl100k, Python": Domain(
        "cl100k_base.tiktoken", "code/python-cpython-lib.txt.zst", 0.02, "cl100k_base.tiktoken"
    ),
    "Llama 2, Polish": Domain("llama2-tokenizer.model", "multi/pl-docs.txt.zst", 0.2, "v.model"),
    "CLIP, a dictionary": Domain(
        "clip-bpe_simple_vocab_16e6.txt.gz", "en/gcide-a.txt.zst", 0.03, "v.json"
    ),
}


def lines_of(domain: Domain) -> tuple[list[str], list[str]]:
    """Returns the lines to learn from, and one in five that is held out."""
    text = unpacked(DATA / "corpora" / domain.corpus).decode()[:1_500_000]
    lines = text.splitlines(keepends=True)
    return [line for place, line in enumerate(lines) if place % 5], lines[::5]


@pytest.mark.parametrize("name", DOMAINS)
def test_extension(name: str, tmp_path: Path) -> None:
    domain = DOMAINS[name]
    tok = pw.Tokenizer.from_file(DATA / "vocabs" / domain.vocab)
    train, held_out = lines_of(domain)
    change = pw.extend(tok, train, new_tokens=1000)
    extended, new = change.tokenizer, change.initial_rows.keys()
    assert len(change.added) == 1000
    assert tok.vocab.items() <= extended.vocab.items()
    assert len(extended) == len(tok) + 1000
    assert extended.unreachable_tokens() == tok.unreachable_tokens()
    before, after = (sum(each.count(held_out)) for each in (tok, extended))
    assert after < before * (1 - domain.saved)
    other = unpacked(DATA / "corpora" / "en" / "botchan.txt.zst").decode().splitlines()[:2000]
    same = 0
    for line in [*held_out[:2000], *other]:
        ids = extended.encode_ids(line)
        if new.isdisjoint(ids):
            assert ids == tok.encode_ids(line)
            same += 1
        assert extended.decode(ids) == tok.decode(tok.encode_ids(line))
    assert same > 500
    assert tok.max_id is not None
    matrix = np.random.default_rng(1).random((tok.max_id + 1, 4), np.float32)
    made = change.apply(matrix)
    known = list(tok.vocab.values())
    assert (made[known] == matrix[known]).all()
    for number, sources in change.initial_rows.items():
        assert np.allclose(made[number], matrix[list(sources)].mean(axis=0))
        assert "".join(map(str, map(tok.id_to_token, sources))).replace("##", "") in (
            extended.id_to_token(number) or ""
        ).removeprefix("##")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PieceworkWarning)  # gaps of ids; control symbols
        extended.save(tmp_path / domain.format)
        read = pw.Tokenizer.from_file(tmp_path / domain.format)
    assert all(read.encode_ids(line) == extended.encode_ids(line) for line in held_out[:500])


@pytest.mark.parametrize("name", DOMAINS)
def test_pruning(name: str) -> None:
    domain = DOMAINS[name]
    tok = pw.Tokenizer.from_file(DATA / "vocabs" / domain.vocab)
    texts, others = lines_of(domain)
    used = pw.prune(tok, texts, min_count=1)
    for line in texts[:3000]:
        assert used.id_map[tok.encode_ids(line)].tolist() == used.tokenizer.encode_ids(line)
    size = (len(tok) + len(used.tokenizer)) // 2
    for change in (used, pw.prune(tok, texts, vocab_size=size)):
        kept = 0
        for line in others[:3000]:
            ids = change.id_map[tok.encode_ids(line)]
            if (ids >= 0).all():
                assert ids.tolist() == change.tokenizer.encode_ids(line)
                kept += 1
        assert kept > 50
    assert len(change.tokenizer) == size
    assert tok.max_id is not None
    matrix = np.arange(tok.max_id + 1)
    names = [tok.id_to_token(number) for number in used.apply(matrix)]
    assert names == list(used.tokenizer.vocab)
    read = pw.Tokenizer.from_str(used.tokenizer.to_str())
    assert all(
        read.encode_ids(line, specials="text") == used.tokenizer.encode_ids(line, specials="text")
        for line in others[:500]
    )
