"""Corpus runs: their tokens, whatever the engine, the parts, the order and the interruptions."""

import json
import os
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import piecework as pw
from corpora import Doubled, InProcess, Stopping, corpus_of, expected, texts, tokenizer, write_lines
from piecework.corpus import CorpusProgress, Dataset, Manifest, tokenize, verify
from piecework.corpus._order import Shard, named
from piecework.engines import Local
from piecework.errors import (
    ConfigError,
    FileError,
    FormatError,
    InvalidUtf8Error,
    MissingFileError,
    WorkerError,
)

FORMATS: list[Any] = ["npy", "parquet", "megatron", "datatrove"]
TOK = tokenizer()
END = TOK.token_to_id("[SEP]")
DOCUMENTS = texts(300)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "in" / "a.jsonl", DOCUMENTS)


def run(source: Path, name: str = "out", **settings: Any) -> Manifest:
    settings = {"engine": InProcess(), "part_bytes": 3000, "end_of_document": "[SEP]"} | settings
    settings = {**settings}
    return tokenize(TOK, corpus_of(source, settings), source.parents[1] / name, **settings)


def rows(source: Path, name: str = "out", **settings: Any) -> list[list[int]]:
    return [row.tolist() for row in Dataset(source.parents[1] / name, **settings)]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("shard_tokens", [100_000, 700, 3])
def test_every_format_has_the_tokens_of_every_document(
    lines: Path, kind: Any, shard_tokens: int
) -> None:
    manifest = run(lines, layout=kind, shard_tokens=shard_tokens)
    wanted = expected(TOK, DOCUMENTS, END)
    assert rows(lines) == wanted
    assert (manifest.documents, manifest.rows, manifest.tokens) == (
        len(DOCUMENTS),
        len(DOCUMENTS),
        sum(map(len, wanted)),
    )
    longest = max(map(len, wanted))
    assert all(shard.tokens <= max(shard_tokens, longest) for shard in manifest.shards)
    assert verify(lines.parents[1] / "out", TOK) == []
    assert sorted(os.listdir(lines.parents[1] / "out")) == sorted(
        [".sources.json", ".manifest.json", *(file.name for file in manifest.files)]
    )


@pytest.mark.parametrize("kind", ["nanogpt", "llm.c"])
def test_flat_formats_have_the_tokens_in_a_row(lines: Path, kind: Any) -> None:
    manifest = run(lines, layout=kind, shard_tokens=1000)
    dataset = Dataset(lines.parents[1] / "out", sequence_length=10)
    found = [dataset.shard(number).ids for number in range(len(manifest.shards))]
    assert np.concatenate(found).tolist() == list(
        chain.from_iterable(expected(TOK, DOCUMENTS, END))
    )
    assert len(dataset) == sum(len(ids) // 10 for ids in found)
    assert dataset[3].tolist() == found[0][30:40].tolist()
    with pytest.raises(ConfigError, match="do not say where documents end; pass `sequence_length`"):
        _ = Dataset(lines.parents[1] / "out")[0]


@pytest.mark.parametrize(("end", "special"), [(None, False), (None, True), ("[SEP]", True)])
def test_special_tokens(lines: Path, end: Any, special: bool) -> None:
    run(lines, end_of_document=end, add_special_tokens=special)
    ends = [END] if end else []
    wanted = [TOK.encode(text, add_special_tokens=special).ids + ends for text in DOCUMENTS]
    assert rows(lines) == wanted


@pytest.mark.parametrize("settings", [{}, {"shuffle": 7}, {"sequence_length": 9}], ids=str)
def test_the_result_depends_on_no_engine(lines: Path, settings: Any) -> None:
    settings |= {"shard_tokens": 600}
    engines = [InProcess(1), InProcess(2), Doubled(), Local(1), Local(3)]
    manifests = [run(lines, str(n), engine=each, **settings) for n, each in enumerate(engines)]
    assert len({manifest.sha256 for manifest in manifests}) == 1
    assert len(manifests[0].shards) > 3


@pytest.mark.parametrize("settings", [{}, {"sequence_length": 9}, {"layout": "parquet"}], ids=str)
def test_the_order_of_the_input_does_not_depend_on_the_parts(lines: Path, settings: Any) -> None:
    run(lines, "1", part_bytes=1 << 30, **settings)
    run(lines, "2", part_bytes=500, **settings)
    assert rows(lines, "1") == rows(lines, "2")


def test_shuffling(lines: Path) -> None:
    wanted = expected(TOK, DOCUMENTS, END)
    orders = []
    for seed in (0, 1, 2**64 - 1):
        run(lines, str(seed), shuffle=seed, shard_tokens=500, layout="parquet", keep=["id"])
        orders.append(rows(lines, str(seed)))
        assert sorted(orders[-1]) == sorted(wanted)
        ids = [number for each in _parquet(lines.parents[1] / str(seed)) for number in each["id"]]
        assert [wanted[int(number)] for number in ids] == orders[-1]
    assert len({str(order) for order in [wanted, *orders]}) == 4


def test_shuffled_documents_are_far_from_their_old_places(lines: Path) -> None:
    run(lines, shuffle=0, layout="parquet", keep=["id"])
    (table,) = _parquet(lines.parents[1] / "out")
    moved = [abs(place - int(number)) for place, number in enumerate(table["id"])]
    assert sum(moved) / len(moved) > len(moved) / 5  # a third of the length on average


def _parquet(folder: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    return [pq.read_table(path).to_pydict() for path in sorted(folder.glob("*.parquet"))]


@pytest.mark.parametrize("length", [1, 7, 64, 500])
@pytest.mark.parametrize("kind", [*FORMATS, "nanogpt"])
def test_sequences(lines: Path, length: int, kind: Any) -> None:
    manifest = run(lines, layout=kind, sequence_length=length, shard_tokens=1000)
    stream = list(chain.from_iterable(expected(TOK, DOCUMENTS, END)))
    whole = len(stream) // length
    assert rows(lines) == [stream[n * length : (n + 1) * length] for n in range(whole)]
    assert manifest.dropped_tokens == len(stream) % length
    assert all(shard.tokens % length == 0 for shard in manifest.shards)


def test_kept_columns(lines: Path) -> None:
    run(lines, layout="parquet", keep=["id", "source", "missing"], shard_tokens=900)
    tables = _parquet(lines.parents[1] / "out")
    found = chain.from_iterable(table["id"] for table in tables)
    assert list(found) == [str(n) for n in range(len(DOCUMENTS))]
    assert tables[0]["source"][1] == '{"n": [1]}'
    assert tables[0]["missing"][0] is None


def test_documents_of_several_files_are_in_the_order_of_names(tmp_path: Path) -> None:
    for number in range(40):
        write_lines(tmp_path / "in" / f"{39 - number:02}.jsonl", DOCUMENTS[number : number + 1])
    engine = InProcess()
    manifest = tokenize(
        TOK, pw.Corpus(tmp_path / "in"), tmp_path / "out", engine=engine, part_bytes=300
    )
    wanted = expected(TOK, DOCUMENTS[:40][::-1], None)
    assert [row.tolist() for row in Dataset(tmp_path / "out")] == wanted
    assert [source.tokens for source in manifest.sources] == list(map(len, wanted))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("documents", [[], ["", "", ""]])
def test_no_tokens(tmp_path: Path, kind: Any, documents: list[str]) -> None:
    source = write_lines(tmp_path / "in" / "a.jsonl", documents)
    manifest = run(source, layout=kind, end_of_document=None)
    assert rows(source) == [[] for _ in documents]
    assert (manifest.documents, manifest.tokens) == (len(documents), 0)
    assert verify(tmp_path / "out") == []


def test_lines_that_are_no_documents(tmp_path: Path) -> None:
    path = tmp_path / "in" / "a.jsonl"
    path.parent.mkdir()
    path.write_bytes(b'{"text": "low"}\n{"text": 3}\n{"text": "\xff"}\nnothing\n{"text": "new"}\n')
    with pytest.raises((ConfigError, ValueError), match=r"a\.jsonl.*line 2"):
        run(path, "strict")
    manifest = run(path, on_error="skip", end_of_document=None)
    assert rows(path) == expected(TOK, ["low", "new"], None)
    assert manifest.skipped == manifest.sources[0].skipped == 3
    listed = (tmp_path / "out" / ".skipped.jsonl").read_text().splitlines()
    skipped = [json.loads(line) for line in listed]
    assert [each["line"] for each in skipped] == [2, 3, 4]
    assert verify(tmp_path / "out") == []


def test_an_interrupted_run_goes_on(lines: Path) -> None:
    whole = run(lines, "whole", shard_tokens=500)
    parts = InProcess()
    run(lines, "count", shard_tokens=500, engine=parts)
    ran: list[str] = []
    for after in (3, 5, 2):
        engine = Stopping(after)
        with pytest.raises(InterruptedError):
            run(lines, shard_tokens=500, engine=engine)
        ran += engine.names
        out = lines.parents[1] / "out"
        assert [name for name in os.listdir(out) if not name.startswith((".", "shard-"))] == []
        with pytest.raises(MissingFileError, match="its run has not ended"):
            Dataset(out)
    last = InProcess()
    assert run(lines, shard_tokens=500, engine=last).sha256 == whole.sha256
    # Only the part that a stop interrupted ran twice, since its receipt was written.
    assert sorted({*ran, *last.names}) == sorted(parts.names)
    assert len([*ran, *last.names]) == len(parts.names)
    again = InProcess()
    assert run(lines, shard_tokens=500, engine=again).sha256 == whole.sha256
    assert again.names == []


def test_a_damaged_part_is_encoded_again(lines: Path) -> None:
    whole = run(lines, "whole")
    with pytest.raises(InterruptedError):
        run(lines, engine=Stopping(5))
    (path, *_) = sorted((lines.parents[1] / "out" / ".piecework").rglob("part-*.ids"))
    path.write_bytes(path.read_bytes()[:-2])
    assert run(lines).sha256 == whole.sha256


def test_another_run_in_the_folder_is_an_error(lines: Path) -> None:
    run(lines)
    with pytest.raises(
        FileError, match="has a corpus of another setting, shuffle: None instead of 1"
    ):
        run(lines, shuffle=1)
    manifest = run(lines, shuffle=1, overwrite=True)
    assert verify(lines.parents[1] / "out") == []
    assert Manifest.load(lines.parents[1] / "out") == manifest
    with pytest.raises(
        FileError, match="has a corpus of another setting, layout: 'npy' instead of"
    ):
        run(lines, layout="megatron")
    with pytest.raises(InterruptedError):
        run(lines, "other", engine=Stopping(2))
    with pytest.raises(
        FileError, match="unfinished run of another setting, shuffle: None instead of 1"
    ):
        run(lines, "other", shuffle=1)
    lines.write_bytes(lines.read_bytes() + b'{"text": "more"}\n')
    with pytest.raises(FileError, match="unfinished run of files that changed since"):
        run(lines, "other")


def test_a_folder_with_other_files_is_an_error(lines: Path) -> None:
    (lines.parents[1] / "out").mkdir()
    (lines.parents[1] / "out" / "thesis.txt").touch()
    for overwrite in (False, True):
        with pytest.raises(FileError, match=r"has other files, such as 'thesis\.txt'"):
            run(lines, overwrite=overwrite)
    assert os.listdir(lines.parents[1] / "out") == ["thesis.txt"]


def test_an_unfinished_run_with_shards_is_replaced(lines: Path) -> None:
    parts = InProcess()
    run(lines, "whole", shard_tokens=500, engine=parts)
    with pytest.raises(InterruptedError):
        run(lines, shard_tokens=500, engine=Stopping(len(parts.names) - 3))
    run(lines, overwrite=True)
    assert verify(lines.parents[1] / "out") == []


def test_progress_is_reported_after_each_part(lines: Path) -> None:
    seen: list[CorpusProgress] = []
    manifest = run(lines, progress=seen.append)
    encoding = [each for each in seen if each.stage == "encoding"]
    assert encoding[-1].done == encoding[-1].total == lines.stat().st_size
    assert encoding[-1].tokens == seen[-1].done == seen[-1].total == manifest.tokens
    assert all(each.rate > 0 and each.seconds_left is not None for each in seen)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layout": "csv"}, "layout: expected one of 'npy'"),
        ({"keep": ["id"]}, "keep: the layout 'npy' has no columns"),
        (
            {"layout": "parquet", "keep": ["id"], "sequence_length": 3},
            "keep: requires rows of whole documents",
        ),
        ({"sequence_length": 0}, "sequence_length: expected an integer from 1"),
        ({"shard_tokens": 2**31}, "shard_tokens: expected an integer from 1 to 2,147,483,647"),
        ({"shuffle": -1}, "shuffle: expected an integer from 0"),
        ({"end_of_document": "<end>"}, "end_of_document: '<end>' is not in the vocabulary"),
        ({"layout": "parquet", "keep": ["ids"]}, "keep: 'ids' is the name of the column of ids"),
        ({"end_of_document": True}, "end_of_document: expected a token or an id, found True"),
        ({"specials": "bogus"}, "specials: "),
        ({"end_of_document": 99}, "end_of_document: 99 is not in the vocabulary"),
        ({"on_error": "ignore"}, "on_error: expected 'raise' or 'skip'"),
    ],
)
def test_wrong_settings(lines: Path, settings: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        run(lines, **settings)
    assert not (lines.parents[1] / "out").exists()


def test_truncation_and_padding_of_the_tokenizer_do_not_apply(lines: Path) -> None:
    limited = TOK.replace(truncation=2, padding=pw.Padding(length=8))
    tokenize(limited, pw.Corpus(lines), lines.parents[1] / "out", engine=InProcess())
    assert rows(lines) == expected(TOK, DOCUMENTS, None)


def test_a_missing_input_and_standard_input(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        tokenize(TOK, pw.Corpus(tmp_path / "none.jsonl"), tmp_path / "out")
    with pytest.raises(ConfigError, match="standard input cannot be read in parts"):
        tokenize(TOK, pw.Corpus("-"), tmp_path / "out")


@pytest.mark.parametrize("output", ["memory://x", ""])
def test_an_output_that_is_no_local_folder(lines: Path, output: str) -> None:
    with pytest.raises(ConfigError, match="output: expected a local folder"):
        tokenize(TOK, pw.Corpus(lines), output)


def test_invalid_utf8_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "in" / "a.txt"
    path.parent.mkdir()
    path.write_bytes(b"low\nnew \xff\n")
    with pytest.raises(InvalidUtf8Error, match=r'a\.txt.*line 2.*; pass .*`on_error="skip"`'):
        run(path)
    # Nothing was done, so other settings replace the unfinished run.
    assert run(path, on_error="skip").documents == 1


def test_input_that_changed_is_not_done(lines: Path) -> None:
    first = run(lines)
    data = lines.read_bytes()
    os.utime(lines, ns=(1, 1))
    with pytest.raises(FileError, match="has a corpus of files that changed since"):
        run(lines)
    lines.write_bytes(data.replace(b"low", b"new"))
    assert run(lines, overwrite=True).sha256 != first.sha256


def test_input_that_changes_during_the_run(lines: Path) -> None:
    class Changing(InProcess):
        def run(self, fn: Any, parts: Any) -> Any:
            for receipt in super().run(fn, parts):
                os.utime(lines, ns=(len(self.names), 1))
                yield receipt

    with pytest.raises(FileError, match=r"a\.jsonl: was changed during the run"):
        run(lines, engine=Changing())


def test_a_corpus_without_one_of_its_files_is_not_done(lines: Path) -> None:
    run(lines)
    (lines.parents[1] / "out" / "shard-00000.npy").unlink()
    with pytest.raises(FileError, match=r"whose file shard-00000\.npy is missing or damaged"):
        run(lines)
    run(lines, overwrite=True)
    assert verify(lines.parents[1] / "out") == []


def test_overwriting_a_damaged_manifest(lines: Path) -> None:
    run(lines)
    (lines.parents[1] / "out" / ".manifest.json").write_text("{")
    run(lines, overwrite=True)
    assert verify(lines.parents[1] / "out") == []


class RunningOne(InProcess):
    """Runs the first item that is given, then fails."""

    def run(self, fn: Any, parts: Any) -> Any:
        yield from super().run(fn, parts[:1])
        raise InterruptedError("stopped")


def unfinished(lines: Path) -> Path:
    """Returns the hidden folder of a run that was stopped after some parts."""
    with pytest.raises(InterruptedError):
        run(lines, engine=Stopping(4))
    return lines.parents[1] / "out" / ".piecework"


def flipped(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place % len(data)] ^= 1 << place % 7
    path.write_bytes(data)


def test_a_part_whose_receipt_is_damaged_is_done_again(lines: Path) -> None:
    wanted = run(lines, "whole").sha256
    folder = unfinished(lines)
    with pytest.raises(InterruptedError):
        run(lines, engine=RunningOne())  # the first part, so that it is the first to be done again
    receipts = sorted(folder.glob("*/*.json"))
    assert len(receipts) > 3
    size = receipts[0].stat().st_size
    for place in range(0, size, max(1, size // 20)):
        flipped(receipts[0], place)
        engine = RunningOne()
        message = r"json is damaged: it .*; its part is done again"
        with pytest.warns(UserWarning, match=message), pytest.raises(InterruptedError):
            run(lines, engine=engine)
        assert engine.names == [receipts[0].stem]
    for content in (b"", b"[]", b"{}", b"\xff", b"[" * 100_000):
        receipts[0].write_bytes(content)
        with pytest.warns(UserWarning, match="is damaged"), pytest.raises(InterruptedError):
            run(lines, engine=RunningOne())
    assert run(lines).sha256 == wanted


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"plan": {}}', None])
def test_all_parts_are_done_again_if_the_plan_is_damaged(
    lines: Path, content: bytes | None
) -> None:
    wanted = run(lines, "whole").sha256
    plan = unfinished(lines) / "plan.json"
    if content is None:
        flipped(plan, 100)
    else:
        plan.write_bytes(content)
    engine = InProcess()
    with pytest.warns(UserWarning, match=r"plan\.json is damaged: it .* are done again"):
        assert run(lines, engine=engine).sha256 == wanted
    assert len(set(engine.names)) == len(engine.names) > 5


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"plan": 1}'])
def test_damaged_times_of_the_input(lines: Path, content: bytes) -> None:
    run(lines)
    path = lines.parents[1] / "out" / ".sources.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"\.sources\.json: damaged: it .*; remove it"):
        run(lines)
    path.unlink()
    run(lines)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("settings", [{}, {"shuffle": 3}, {"end_of_document": None}], ids=str)
def test_empty_documents_are_left_out(tmp_path: Path, kind: Any, settings: Any) -> None:
    documents = ["", *DOCUMENTS[:40], " ", "", *DOCUMENTS[40:60], ""]
    source = write_lines(tmp_path / "in" / "a.jsonl", documents)
    if kind == "parquet":
        settings = settings | {"keep": ["id"]}
    manifest = run(source, layout=kind, skip_empty=True, **settings)
    filled = [text for text in documents if text.strip()]
    ends = END if "end_of_document" not in settings else None
    wanted = expected(TOK, filled, ends)
    found = rows(source)
    assert (sorted(found) if "shuffle" in settings else found) == (
        sorted(wanted) if "shuffle" in settings else wanted
    )
    assert (manifest.documents, manifest.empty) == (len(filled), len(documents) - len(filled))
    assert verify(tmp_path / "out", TOK) == []
    assert run(source, "all", layout=kind, **settings).empty == 0


def test_names_of_shards_sort_as_their_numbers() -> None:
    for count, last in ((1, "shard-00000"), (100_000, "shard-99999"), (100_001, "shard-100000")):
        names = [shard.name for shard in named([Shard((), 0, 0)] * count)]
        assert names[-1] == last
        assert names == sorted(names)


def test_a_folder_of_parquet_is_read_by_others(lines: Path) -> None:
    import pyarrow.dataset
    import pyarrow.parquet

    lines.write_bytes(lines.read_bytes() + b"no document\n")
    run(lines, layout="parquet", shard_tokens=700, on_error="skip")
    folder = lines.parents[1] / "out"
    assert pyarrow.parquet.read_table(folder)["ids"].to_pylist() == rows(lines)
    assert pyarrow.dataset.dataset(folder).count_rows() == len(DOCUMENTS)


def test_a_folder_of_parquet_is_read_by_pandas_and_datasets(
    lines: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets
    import pandas as pd

    run(lines, layout="parquet", shard_tokens=700)
    folder = lines.parents[1] / "out"
    assert pd.read_parquet(folder)["ids"].map(list).tolist() == rows(lines)
    loaded = datasets.load_dataset("parquet", data_dir=str(folder), cache_dir=str(tmp_path))
    assert loaded["train"]["ids"][:] == rows(lines)


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"\xff\n.jsonl")
    with open(path, "w") as file:
        file.write('{"text": "low"}\nnone\n')
    settings: Any = {"engine": InProcess()}
    corpus = pw.Corpus(os.fsdecode(path), on_error="skip")
    manifest = tokenize(TOK, corpus, tmp_path / "out", **settings)
    assert Manifest.load(tmp_path / "out") == manifest
    assert manifest.sources[0].name == os.fsdecode(path)
    assert tokenize(TOK, corpus, tmp_path / "out", **settings) == manifest
    assert verify(tmp_path / "out") == []


def test_two_runs_into_one_folder(lines: Path) -> None:
    class Second(InProcess):
        def run(self, fn: Any, parts: Any) -> Any:
            with pytest.raises(FileError, match="another run writes into this folder"):
                run(lines)
            yield from super().run(fn, parts)

    run(lines, engine=Second())
    assert verify(lines.parents[1] / "out") == []


def test_a_file_is_read_as_often_as_it_is_listed(
    lines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(lines.parents[1])
    names = ["in/a.jsonl", "./in/a.jsonl", "in//a.jsonl"]
    for part_bytes in (3000, 1 << 20):
        folder = f"out{part_bytes}"
        manifest = tokenize(
            TOK, pw.Corpus(names), folder, engine=InProcess(), part_bytes=part_bytes
        )
        assert manifest.documents == 3 * len(DOCUMENTS)
        assert [source.name for source in manifest.sources] == ["in/a.jsonl"] * 3
        assert {source.documents for source in manifest.sources} == {len(DOCUMENTS)}
        assert verify(folder) == []


def test_files_are_encoded_in_the_order_in_which_they_are_listed(tmp_path: Path) -> None:
    texts = {"b": "low", "a": "lower"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(f"{text}\n")
    names = [tmp_path / f"{name}.txt" for name in texts]
    tokenize(TOK, pw.Corpus(names), tmp_path / "out", engine=InProcess())
    first, second = Dataset(tmp_path / "out")
    assert (TOK.decode(first), TOK.decode(second)) == ("low", "lower")


def test_columns_of_other_types_in_other_files(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: list[Any] = [[1, 2], [None, None], ["a", "b"]]
    for number, column in enumerate(columns):
        pq.write_table(pa.table({"text": ["low", ""], "v": column}), tmp_path / f"{number}.parquet")
    settings: Any = {"layout": "parquet", "keep": ["v"], "engine": InProcess()}
    inputs = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    tokenize(TOK, pw.Corpus(inputs), tmp_path / "out", **settings)
    assert _parquet(tmp_path / "out")[0]["v"] == [1, 2, None, None]
    for part_bytes in (3000, 1 << 20):
        settings["part_bytes"] = part_bytes
        with pytest.raises(FormatError, match="columns"):
            tokenize(
                TOK, pw.Corpus(tmp_path.glob("*.parquet")), tmp_path / f"{part_bytes}", **settings
            )


def test_an_engine_that_loses_or_repeats_receipts(lines: Path) -> None:
    class Losing(InProcess):
        def run(self, fn: Any, parts: Any) -> Any:
            yield from list(super().run(fn, parts))[1:]

    class Repeating(InProcess):
        def run(self, fn: Any, parts: Any) -> Any:
            yield from list(super().run(fn, parts)) * 2

    with pytest.raises(WorkerError, match="the engine returned no result for part-"):
        run(lines, engine=Losing())
    seen: list[CorpusProgress] = []
    run(lines, "twice", engine=Repeating(), progress=seen.append)
    assert max(each.done / each.total for each in seen) == 1
