"""Reading and checking a tokenized corpus."""

import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import piecework as pw
from corpora import InProcess, expected, texts, tokenizer, write_lines
from piecework._io.checked_json import of_checked, to_checked
from piecework.corpus import Dataset, Manifest, tokenize, verify
from piecework.errors import ConfigError, FormatError, MissingExtraError, MissingFileError

TOK = tokenizer()
DOCUMENTS = texts(60)
WANTED = expected(TOK, DOCUMENTS, None)


@pytest.fixture(params=["npy", "parquet", "megatron", "datatrove"])
def folder(request: Any, tmp_path: Path) -> Path:
    source = write_lines(tmp_path / "in" / "a.jsonl", DOCUMENTS)
    settings: Any = {"layout": request.param, "shard_tokens": 200, "engine": InProcess()}
    tokenize(TOK, pw.Corpus(source), tmp_path / "out", **settings)
    return tmp_path / "out"


def test_rows_by_number(folder: Path) -> None:
    dataset = Dataset(folder)
    assert len(dataset) == len(DOCUMENTS)
    assert [dataset[n].tolist() for n in reversed(range(60))] == WANTED[::-1]
    assert dataset[-1].tolist() == WANTED[-1]
    for number in (60, -61):
        with pytest.raises(IndexError, match=f"there is no row {number}; the corpus has 60"):
            _ = dataset[number]
    with pytest.raises(TypeError, match="row: expected an integer"):
        _ = dataset[1.5]  # type: ignore[index]


def test_a_dataset_is_pickled_without_its_files(folder: Path) -> None:
    dataset = Dataset(folder)
    _ = dataset[0]
    data = pickle.dumps(dataset)
    assert len(data) < 20_000
    assert pickle.loads(data)[3].tolist() == WANTED[3]
    assert repr(dataset) == f"Dataset('{folder}', 60 rows, {sum(map(len, WANTED))} tokens)"


def test_the_length_of_sequences(folder: Path) -> None:
    assert len(Dataset(folder, sequence_length=50)) == sum(
        shard.tokens // 50 for shard in Dataset(folder).manifest.shards
    )


def test_another_length_than_that_of_the_corpus(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in" / "a.jsonl", DOCUMENTS)
    tokenize(TOK, pw.Corpus(source), tmp_path / "out", sequence_length=16, engine=InProcess())
    with pytest.raises(ConfigError, match="sequence_length: the rows of the corpus have 16 tokens"):
        Dataset(tmp_path / "out", sequence_length=8)


def test_tensors(folder: Path) -> None:
    try:
        import torch  # noqa: F401  # is it there?
    except ImportError:
        with pytest.raises(MissingExtraError, match="requires the package torch"):
            Dataset(folder).to_torch()
    else:
        assert Dataset(folder).to_torch()[3].tolist() == WANTED[3]


def test_a_changed_byte_a_missing_and_a_strange_file_are_found(folder: Path) -> None:
    first, second, *_ = Manifest.load(folder).files
    path = folder / first.name
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    (folder / second.name).unlink()
    (folder / "other.bin").touch()
    (folder / ".hidden").touch()
    assert verify(folder) == [
        (first.name, "has other bytes than were written"),
        (second.name, "is missing"),
        ("other.bin", "does not belong to the corpus"),
    ]
    path.write_bytes(data[:-1])
    assert verify(folder)[0].problem == f"has {len(data) - 1:,} bytes; {len(data):,} were written"


def test_another_tokenizer_is_found(folder: Path) -> None:
    assert verify(folder, TOK.replace(decoder=None)) == []
    (finding,) = verify(folder, TOK.with_added_tokens(["<new>"]))
    assert finding.problem.startswith(f"the ids are those of the tokenizer {TOK.fingerprint[:12]}")


def test_ids_outside_the_vocabulary_are_found(folder: Path) -> None:
    path = folder / ".manifest.json"
    path.write_bytes(to_checked(of_checked(path.read_bytes()) | {"id_limit": 5}, 1))
    problems = {finding.problem for finding in verify(folder)}
    assert problems == {"has ids that are not in the vocabulary"}


@pytest.mark.parametrize(
    "change", [{"format": "other"}, {"version": 2}, {"shards": [{}]}, {"unknown": 1}, None]
)
def test_damaged_manifests(folder: Path, change: Any) -> None:
    path = folder / ".manifest.json"
    data = path.read_bytes()
    changed = data[:-30] if change is None else to_checked(of_checked(data) | change, 1)
    path.write_bytes(changed)
    message = "damaged: it is no JSON" if change is None else "not a manifest of version 1"
    with pytest.raises(FormatError, match=rf"/\.manifest\.json: {message}.*; take the file from"):
        Dataset(folder)


def test_every_changed_byte_of_a_manifest_is_found(folder: Path) -> None:
    path = folder / ".manifest.json"
    data = path.read_bytes()
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << place % 7
        path.write_bytes(changed)
        with pytest.raises(FormatError, match=r"\.manifest\.json: damaged: it "):
            Manifest.load(folder)


@pytest.mark.parametrize(
    ("member", "problem"),
    [
        ("documents", "states 61 documents; 60 were counted"),
        ("tokens", "tokens; "),
        ("skipped", "states 1 skipped lines; 0 were counted"),
        ("empty", "states 1 empty documents; 0 were counted"),
    ],
)
def test_verify_counts_again(folder: Path, member: str, problem: str) -> None:
    path = folder / ".manifest.json"
    value = of_checked(path.read_bytes())
    path.write_bytes(to_checked(value | {member: value[member] + 1}, 1))
    found = verify(folder)
    assert {finding.file for finding in found} == {".manifest.json"}
    assert problem in found[0].problem


def parquet(tmp_path: Path) -> Path:
    """Returns the only shard of a corpus of Parquet."""
    source = write_lines(tmp_path / "in" / "a.jsonl", DOCUMENTS)
    tokenize(TOK, pw.Corpus(source), tmp_path / "out", layout="parquet", engine=InProcess())
    return tmp_path / "out" / "shard-00000.parquet"


def test_damaged_parquet_of_a_corpus(tmp_path: Path) -> None:
    path = parquet(tmp_path)
    data = path.read_bytes()
    footer, found = int.from_bytes(data[-8:-4], "little") + 8, list[str]()
    for seed in range(400):
        choice, changed = random.Random(seed), bytearray(data)
        for _ in range(choice.randint(1, 4)):
            place = choice.randrange(footer if seed % 2 else len(data))
            changed[-1 - place] ^= 1 << choice.randrange(8)
        path.write_bytes(changed)
        try:
            list(Dataset(tmp_path / "out"))
        except FormatError as error:
            found.append(str(error))
    assert 50 < len(found) < 350
    assert all(problem.startswith(f"{path}: ") for problem in found)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"ids": [[1], [2]]}, "2 rows and 2 tokens; expected 60 and"),
        ({"ids": [1, 2]}, "expected lists of ids, found int64"),
        ({"ids": [[1], None]}, "expected lists of ids, found nulls"),
        ({"ids": [[1, None]]}, "expected lists of ids, found nulls"),
        ({"other": [1]}, "damaged: "),
    ],
)
def test_other_parquet_than_that_of_a_corpus(tmp_path: Path, table: Any, problem: str) -> None:
    path = parquet(tmp_path)
    pq.write_table(pa.table(table), path)
    with pytest.raises(FormatError, match=rf"shard-00000\.parquet: {problem}"):
        list(Dataset(tmp_path / "out"))


def test_missing_files_of_a_corpus(folder: Path) -> None:
    for path in folder.glob("shard-*"):
        path.unlink()
    with pytest.raises(MissingFileError, match="shard-0"):
        list(Dataset(folder))


def test_a_folder_without_a_manifest(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(MissingFileError, match=r"manifest\.json: .*or its run has not ended"):
            verify(path)


def test_threads_share_a_dataset(folder: Path) -> None:
    dataset = Dataset(folder)
    order = random.Random(0).choices(range(60), k=400)

    def read(_: int) -> bool:
        return all(dataset[row].tolist() == WANTED[row] for row in order)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, range(4)))


@pytest.mark.parametrize("length", [0, -5, "5", True])
def test_wrong_lengths_of_sequences(folder: Path, length: Any) -> None:
    with pytest.raises(ConfigError, match="sequence_length: expected a positive integer"):
        Dataset(folder, sequence_length=length)


def test_formats_without_rows(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in" / "a.jsonl", DOCUMENTS)
    tokenize(TOK, pw.Corpus(source), tmp_path / "out", layout="nanogpt", engine=InProcess())
    dataset = Dataset(tmp_path / "out")
    assert " rows" not in repr(dataset)
    for call in (lambda: len(dataset), lambda: dataset[0], lambda: next(iter(dataset))):
        with pytest.raises(ConfigError, match="do not say where documents end"):
            call()
    assert verify(tmp_path / "out") == []
