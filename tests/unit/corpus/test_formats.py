"""The files of each format, read by others or by the layout that the format's own program documents."""

import struct
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

import piecework as pw
from corpora import InProcess, expected, large_vocabulary, texts, tokenizer, write_lines
from piecework.corpus import CorpusLayout, Dataset, tokenize
from piecework.corpus._layouts import LAYOUTS
from piecework.errors import ConfigError

TOK = tokenizer()
DOCUMENTS = texts(80)
END = TOK.token_to_id("[SEP]")
WANTED = expected(TOK, DOCUMENTS, END)
ALL = list(chain.from_iterable(WANTED))


def made(folder: Path, kind: Any, tok: pw.Tokenizer = TOK, **settings: Any) -> Path:
    """Returns the only shard's path, without suffix."""
    source = write_lines(folder / "in" / "a.jsonl", DOCUMENTS)
    settings = {"end_of_document": "[SEP]", "engine": InProcess()} | settings
    tokenize(tok, pw.Corpus(source), folder / "out", layout=kind, **settings)
    return folder / "out" / "shard-00000"


def test_parquet(tmp_path: Path) -> None:
    path = made(tmp_path, "parquet", keep=["id"]).with_suffix(".parquet")
    table = pq.read_table(path)
    assert table["ids"].to_pylist() == WANTED
    assert str(table.schema.field("ids").type.value_type) == "uint16"
    frame = pl.read_parquet(path)
    assert frame["ids"].to_list() == WANTED
    assert frame["id"].to_list() == [str(number) for number in range(len(DOCUMENTS))]


def test_npy(tmp_path: Path) -> None:
    path = made(tmp_path, "npy")
    ids = np.load(path.with_suffix(".npy"), mmap_mode="r", allow_pickle=False)
    offsets = np.load(path.with_suffix(".offsets.npy"), allow_pickle=False)
    assert ids.dtype == np.uint16
    assert [ids[start:end].tolist() for start, end in pairwise(offsets)] == WANTED


def test_npy_of_sequences_is_a_matrix(tmp_path: Path) -> None:
    path = made(tmp_path, "npy", sequence_length=8)
    matrix = np.load(path.with_suffix(".npy"), allow_pickle=False)
    assert matrix.tolist() == np.array(ALL[: len(ALL) // 8 * 8]).reshape(-1, 8).tolist()


def test_megatron(tmp_path: Path) -> None:
    path = made(tmp_path, "megatron")
    index = path.with_suffix(".idx").read_bytes()
    assert index[:9] == b"MMIDIDX\x00\x00"
    version, code, rows, documents = struct.unpack_from("<QBQQ", index, 9)
    assert (version, code, rows, documents) == (1, 8, len(WANTED), len(WANTED) + 1)
    lengths = np.frombuffer(index, np.int32, rows, 34)
    pointers = np.frombuffer(index, np.int64, rows, 34 + 4 * rows)
    begins = np.frombuffer(index, np.int64, documents, 34 + 12 * rows)
    assert len(index) == 34 + 12 * rows + 8 * documents
    data = path.with_suffix(".bin").read_bytes()
    found = [
        np.frombuffer(data, np.uint16, length, pointer).tolist()
        for length, pointer in zip(lengths, pointers, strict=True)
    ]
    assert found == WANTED
    assert begins.tolist() == list(range(len(WANTED) + 1))


def test_nanogpt(tmp_path: Path) -> None:
    path = made(tmp_path, "nanogpt").with_suffix(".bin")
    assert np.memmap(path, np.uint16, "r").tolist() == ALL


def test_llm_c(tmp_path: Path) -> None:
    data = made(tmp_path, "llm.c").with_suffix(".bin").read_bytes()
    header = np.frombuffer(data, np.int32, 256)
    assert header[:3].tolist() == [20240520, 1, len(ALL)]
    assert not header[3:].any()
    assert np.frombuffer(data, np.uint16, -1, 1024).tolist() == ALL


def test_llm_c_of_a_large_vocabulary(tmp_path: Path) -> None:
    path = made(tmp_path, "llm.c", large_vocabulary(70_000), end_of_document="<end>")
    data = path.with_suffix(".bin").read_bytes()
    assert np.frombuffer(data, np.int32, 3).tolist()[:2] == [20240801, 7]
    assert np.frombuffer(data, np.uint32, -1, 1024)[-1] == 69_999


def test_datatrove(tmp_path: Path) -> None:
    path = made(tmp_path, "datatrove")
    ids = np.fromfile(path.with_suffix(".ds"), np.uint16)
    ends = np.fromfile(path.with_suffix(".ds.index"), np.uint64).tolist()
    assert [ids[start:end].tolist() for start, end in pairwise([0, *ends])] == WANTED
    name, count, readable = path.with_suffix(".ds.metadata").read_text().split("\n")
    assert (name, count, readable) == (f"{TOK.fingerprint}|2", str(len(ALL)), "1.03 kT")


@pytest.mark.parametrize(
    ("size", "kinds"),
    [
        (65_499, dict.fromkeys(["npy", "parquet", "megatron", "datatrove", "nanogpt"], "<u2")),
        (65_500, {"npy": "<u2", "parquet": "<u2", "megatron": "<i4", "nanogpt": "<u2"}),
        (65_536, {"npy": "<u2", "datatrove": "<u2", "megatron": "<i4", "llm.c": "<u2"}),
        (65_537, {"npy": "<u4", "llm.c": "<u4"}),
        (70_000, {"npy": "<u4", "parquet": "<u4", "megatron": "<i4", "datatrove": "<u4"}),
    ],
)
def test_types_by_the_size_of_the_vocabulary(
    tmp_path: Path, size: int, kinds: dict[str, str]
) -> None:
    tok = large_vocabulary(size)
    source = write_lines(tmp_path / "in" / "a.jsonl", [f"w0 w{size - 3} other", ""])
    for kind, dtype in kinds.items():
        out = tmp_path / kind
        settings: Any = {"layout": kind, "end_of_document": "<end>", "engine": InProcess()}
        assert tokenize(tok, pw.Corpus(source), out, **settings).dtype == dtype
        wanted = [[1, size - 2, 0, size - 1], [size - 1]]
        shard = Dataset(out, sequence_length=1 if kind in {"nanogpt", "llm.c"} else None).shard(0)
        assert shard.ids.tolist() == list(chain.from_iterable(wanted))
        assert shard.ids.dtype == np.dtype(dtype)


def test_nanogpt_cannot_hold_large_ids(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ids of 16 bits, and the largest id is 69,999"):
        made(tmp_path, "nanogpt", large_vocabulary(70_000), end_of_document=None)
    assert not (tmp_path / "out").exists()


def test_datatrove_reads_its_format(tmp_path: Path) -> None:
    reason = "datatrove is not installed; requirements/bench.txt has it"
    merger = pytest.importorskip("datatrove.pipeline.tokens.merger", reason=reason)
    path = made(tmp_path, "datatrove")
    ends = merger.load_doc_ends(path.with_suffix(".ds.index").open("rb"))
    read = merger.get_data_reader(path.with_suffix(".ds").open("rb"), ends.tolist(), 2)
    assert [np.frombuffer(data, np.uint16).tolist() for data in read] == WANTED


def test_names_of_layouts_are_those_of_the_choice() -> None:
    assert tuple(LAYOUTS) == get_args(CorpusLayout)
