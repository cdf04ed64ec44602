"""Evaluations of files: parts, engines, groups, formats, examples and errors."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import piecework as pw
from piecework.analysis._evaluation.sums import TextSums
from piecework.engines import Local
from piecework.errors import (
    ConfigError,
    DocumentError,
    MissingFileError,
    PieceworkWarning,
    UnknownTokenError,
    WorkerError,
)

TEXTS = [f"The cat {number} sat\u3000on the naïve mat " * (number % 7) for number in range(400)]
TOK = pw.train(TEXTS, pw.WordPieceTrainer(60))


class Reversed:
    """Runs the last part first."""

    def run(self, fn: Any, parts: Any) -> Iterator[Any]:
        return map(fn, reversed(parts))


class Twice:
    """Runs every part twice."""

    def run(self, fn: Any, parts: Any) -> Iterator[Any]:
        return map(fn, [*parts, *parts])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{text}\n" for text in TEXTS), encoding="utf-8")
    return path


def metrics(evaluation: pw.analysis.Evaluation) -> Any:
    """Returns the results without places, which differ between texts and files."""
    found = evaluation.to_dict()
    for result in found["tokenizers"]:
        for each in (result["total"], *result["groups"].values()):
            each["changed"] = [{**one, "place": ""} for one in each["changed"]]
    return found


def test_files_have_the_metrics_of_their_texts(file: Path, tmp_path: Path) -> None:
    wanted = metrics(pw.evaluate(TOK, TEXTS))
    assert metrics(pw.evaluate(TOK, pw.Corpus(file))) == wanted
    packed = tmp_path / "packed.txt.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert metrics(pw.evaluate(TOK, pw.Corpus(packed))) == wanted
    lines = tmp_path / "texts.jsonl"
    lines.write_text("".join(json.dumps({"content": text}) + "\n" for text in TEXTS))
    assert metrics(pw.evaluate(TOK, pw.Corpus(lines, field="content"))) == wanted
    named_otherwise = tmp_path / "lines"
    lines.rename(named_otherwise)
    assert metrics(pw.evaluate(TOK, pw.Corpus(named_otherwise, field="content"))) == wanted


def test_parquet(tmp_path: Path) -> None:
    from pyarrow import parquet

    path = tmp_path / "texts.parquet"
    parquet.write_table(pa.table({"text": TEXTS}), path, row_group_size=37)
    wanted = metrics(pw.evaluate(TOK, TEXTS))
    assert metrics(pw.evaluate(TOK, pw.Corpus(path))) == wanted
    small = pw.evaluate(TOK, pw.Corpus(path), part_bytes=100)
    assert metrics(small) == wanted
    assert small.tokenizers[0].total.sums.changed[0].place == f"{path}: row 2"


@pytest.mark.parametrize("part_bytes", [80, 1000, 1 << 25])
@pytest.mark.parametrize("engine", [None, Reversed(), Twice(), Local(2)])
def test_the_result_depends_on_no_engine_and_no_parts(
    file: Path, engine: Any, part_bytes: int
) -> None:
    if isinstance(engine, Local):
        part_bytes = max(5000, part_bytes)  # hundreds of messages take seconds
    wanted = pw.evaluate(TOK, pw.Corpus(file), threads=1)
    found = pw.evaluate(TOK, pw.Corpus(file), engine=engine, part_bytes=part_bytes)
    assert found.to_dict() == wanted.to_dict()


def test_sums_add_up_in_any_order() -> None:
    parts = [
        pw.evaluate(TOK, TEXTS[at : at + 50]).tokenizers[0].total.sums for at in range(0, 400, 50)
    ]
    whole = pw.evaluate(TOK, TEXTS).tokenizers[0].total.sums
    for ordered in (parts, parts[::-1], parts[3:] + parts[:3]):
        total = TextSums.total(ordered)
        for name in ("ids", "counts", "words_by_tokens", "tokens_by_bytes", "texts_by_tokens"):
            assert getattr(total, name).tolist() == getattr(whole, name).tolist()
        assert (total.texts, total.words, total.tokens) == (whole.texts, whole.words, whole.tokens)


def test_groups_by_file_and_folder(tmp_path: Path) -> None:
    for name, texts in (("en/a", TEXTS[:9]), ("en/b", TEXTS[9:20]), ("de/a", TEXTS[20:40])):
        path = tmp_path / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    by_file = pw.evaluate(TOK, pw.Corpus(tmp_path), by="file")
    assert by_file.groups == tuple(
        str(tmp_path / name) for name in ("de/a.txt", "en/a.txt", "en/b.txt")
    )
    by_folder = pw.evaluate(TOK, pw.Corpus(tmp_path), by="folder")
    assert by_folder.groups == (str(tmp_path / "de"), str(tmp_path / "en"))
    named = pw.evaluate(TOK, {"de": pw.Corpus(tmp_path / "de"), "en": pw.Corpus(tmp_path / "en")})
    assert [each.metrics for each in named.tokenizers[0].groups.values()] == [
        each.metrics for each in by_folder.tokenizers[0].groups.values()
    ]
    for evaluation in (by_file, by_folder, named):
        wanted = pw.evaluate(TOK, TEXTS[:40])
        assert evaluation.tokenizers[0].metrics == wanted.tokenizers[0].metrics
    en = pw.evaluate(TOK, TEXTS[:20]).tokenizers[0].metrics
    assert named.tokenizers[0].groups["en"].metrics == en


def test_several_tokenizers_are_evaluated_as_each_alone(file: Path) -> None:
    other = pw.train(TEXTS, pw.BpeTrainer(80))
    both = pw.evaluate({"one": TOK, "two": other}, pw.Corpus(file))
    for result, tok in zip(both.tokenizers, (TOK, other), strict=True):
        assert result.metrics == pw.evaluate(tok, pw.Corpus(file)).tokenizers[0].metrics
        assert (result.fingerprint, result.vocab_size) == (tok.fingerprint, tok.vocab_size)
    with pytest.raises(ConfigError, match="2 tokenizers"):
        both["fertility"]


def test_parallel_languages() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n##est\n")
    languages = {"a": ["low low", "low"], "b": ["lower low", "lower"], "c": ["low", ""]}
    parity = pw.evaluate(tok, languages, parallel=True, reference="b").tokenizers[0].parity
    assert parity is not None
    assert parity.premiums == {"a": 3 / 5, "b": 1.0, "c": 1 / 5}
    assert (parity.largest_premium, parity.reference) == (1.0, "b")
    assert parity.gini == pytest.approx(2 * (2 + 2 + 4) / (2 * 3 * 9))
    evaluation = pw.evaluate(tok, languages, parallel=True)
    assert evaluation["largest_premium"] == 5 / 3
    assert pw.evaluate(tok, {"a": [""], "b": [""]}, parallel=True)["gini"] is None


ONE = ["one cat", None, "three mat", "four dog", "five", "six"]
OTHER = ["eins", "zwei", None, "vier", "fünf", None]
PAIRS = [pair for pair in zip(ONE, OTHER, strict=True) if None not in pair]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize("part_bytes", [1, 20, 1 << 20])
@pytest.mark.parametrize("engine", [None, Twice(), Reversed()], ids=["here", "twice", "reversed"])
def test_pairs_of_parallel_texts_are_skipped_whole(
    tmp_path: Path, kind: str, part_bytes: int, engine: Any
) -> None:
    paths = []
    for name, texts in (("a", ONE), ("b", OTHER)):
        # The texts of a group may be in several files, which need not end at the same pair.
        for number, part in enumerate((texts[: 2 + (name == "b")], texts[2 + (name == "b") :])):
            path = tmp_path / name / f"{number}.{kind}"
            path.parent.mkdir(exist_ok=True)
            if kind == "parquet":
                pq.write_table(
                    pa.table({"text": pa.array(part, pa.string())}), path, row_group_size=1
                )
            else:
                path.write_text("".join(f"{json.dumps({'text': text})}\n" for text in part))
        paths.append(tmp_path / name)
    with pytest.warns(
        pw.errors.PieceworkWarning, match="^3 texts were skipped in every group"
    ) as caught:
        found = pw.evaluate(
            TOK,
            pw.Corpus(paths, on_error="skip"),
            by="folder",
            parallel=True,
            part_bytes=part_bytes,
            engine=engine,
        )
    assert len(caught) == 1
    assert f"{paths[0]}/0.{kind}: " in str(caught[0].message)
    one, other = ([pair[side] for pair in PAIRS] for side in (0, 1))
    wanted = pw.evaluate(TOK, {str(paths[0]): one, str(paths[1]): other}, parallel=True)
    assert found["largest_premium"] == wanted["largest_premium"]
    for group in map(str, paths):
        own, its = (each.tokenizers[0].groups[group] for each in (found, wanted))
        assert own.metrics == its.metrics
        assert own.sums.texts == len(PAIRS)


def test_parallel_errors() -> None:
    with pytest.raises(ConfigError, match="'a' has 2 texts and 'b' has 1"):
        pw.evaluate(TOK, {"a": ["x", "y"], "b": ["x"]}, parallel=True)
    with pytest.raises(ConfigError, match="several groups"):
        pw.evaluate(TOK, ["x"], parallel=True)
    with pytest.raises(ConfigError, match=r"no group is named 'bb'.*'b'"):
        pw.evaluate(TOK, {"a": ["x"], "b": ["x"]}, parallel=True, reference="bb")
    with pytest.raises(ConfigError, match="parallel=True"):
        pw.evaluate(TOK, {"a": ["x"], "b": ["x"]}, reference="b")
    with pytest.raises(ConfigError, match="parallel=True"):
        pw.evaluate(TOK, ["x"])["gini"]


def test_examples_name_the_lines(tmp_path: Path) -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n")
    path = tmp_path / "a.txt"
    path.write_text("low\n" * 5000 + "LOW\n" + "low\n" * 5000 + ("low " * 30 + "x\n") * 9)
    for part_bytes in (1 << 25, 999):
        evaluation = pw.evaluate(tok, pw.Corpus(path), part_bytes=part_bytes)
        changed = evaluation.tokenizers[0].total.sums.changed
        assert evaluation["changed_texts"] == 10
        assert [each.place for each in changed] == [
            f"{path}: line {number}" for number in (5001, *range(10002, 10006))
        ]
        assert (changed[0].text, changed[0].decoded) == ("LOW", "low")
        assert (changed[1].text, changed[1].decoded) == (
            "low low low low low x",
            "low low low low low [UNK]",
        )
    packed = tmp_path / "b.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    first = pw.evaluate(tok, pw.Corpus(packed)).tokenizers[0].total.sums.changed[0]
    assert first.place == f"{packed}: line 5001"
    whole = pw.evaluate(tok, pw.Corpus(path, per="file")).tokenizers[0].total.sums.changed
    assert [each.place for each in whole] == [str(path)]
    texts = pw.evaluate(tok, {"a": ["low"] * 5000 + ["LOW"]}).tokenizers[0].total.sums.changed
    assert [each.place for each in texts] == ["a: text 5000"]


def test_errors_name_the_place(tmp_path: Path) -> None:
    strict = pw.Tokenizer(pw.models.WordLevel(["low"], unk_token="[UNK]"))
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "low"}\n{"text": "high"}\n')
    with pytest.raises(UnknownTokenError, match=r"a\.jsonl: line 2: "):
        pw.evaluate(strict, pw.Corpus(path))
    with pytest.raises(UnknownTokenError, match=r"^en: text 4097: "):
        pw.evaluate(strict, {"en": ["low"] * 4097 + ["high"]})
    with pytest.raises(pw.PieceworkError, match="text 1: "):
        pw.evaluate(TOK, ["a", "\ud800"])
    with pytest.raises(TypeError, match="text 1: expected a str, found tuple"):
        pw.evaluate(TOK, ["a", ("b", "c")])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"Corpus\('a.txt'\) for a file"):
        pw.evaluate(TOK, "a.txt")
    with pytest.raises(MissingFileError):
        pw.evaluate(TOK, pw.Corpus(tmp_path / "none.txt"))


def test_skipped_lines_raise_one_warning(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "low"}\n{}\n{"text": "cat"}\n[]\n')
    with pytest.raises(DocumentError):
        pw.evaluate(TOK, pw.Corpus(path))
    with pytest.warns(PieceworkWarning, match="2 lines or rows were skipped.*line 2"):
        found = pw.evaluate(TOK, pw.Corpus(path, on_error="skip"), part_bytes=16)
    assert found.tokenizers[0].total.sums.texts == 2


def test_settings_are_checked(file: Path) -> None:
    for settings, words in (
        ({"by": "line"}, "no member 'line'; pass `by=\"file\"`"),
        ({"renyi_power": 0}, "renyi_power"),
        ({"renyi_power": "x"}, "renyi_power"),
        ({"specials": "no"}, "specials"),
        ({"by": ""}, "name of a member or column"),
    ):
        with pytest.raises(ConfigError, match=words):
            pw.evaluate(TOK, pw.Corpus(file), **settings)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="at least one tokenizer"):
        pw.evaluate({}, pw.Corpus(file))
    with pytest.raises(ConfigError, match="at least one group"):
        pw.evaluate(TOK, {})
    with pytest.raises(TypeError, match="tokenizers"):
        pw.evaluate("tokenizer.json", ["a"])  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="mapping of groups"):
        pw.evaluate(TOK, {"a": pw.Corpus(file)}, by="file")
    with pytest.raises(ConfigError, match="standard input"):
        pw.evaluate(TOK, pw.Corpus("-"), engine=Local(1))


def test_an_engine_that_loses_a_part(file: Path) -> None:
    class Losing:
        def run(self, fn: Any, parts: Any) -> Any:
            return map(fn, parts[:1] + parts[2:])

    with pytest.raises(WorkerError, match="no result for part 1"):
        pw.evaluate(TOK, pw.Corpus(file), engine=Losing(), part_bytes=1000)


def test_progress_is_counted_in_bytes(file: Path) -> None:
    seen: list[Any] = []
    pw.evaluate(TOK, pw.Corpus(file), part_bytes=1000, progress=seen.append)
    size = file.stat().st_size
    assert seen[-1].done == seen[-1].total == size
    assert len(seen) > 5


def test_hostile_texts() -> None:
    for texts in ([], [""], ["\n\u2028 "], ["\u0301" * 100_000], ["x" * 1_000_000], ["\0\ufffd"]):
        evaluation = pw.evaluate({"one": TOK, "two": pw.train(TEXTS, pw.BpeTrainer(80))}, texts)
        assert str(evaluation)
        assert evaluation._repr_html_()
        assert evaluation.to_markdown()
        assert json.dumps(evaluation.to_dict(), allow_nan=False)


def test_parallel_members_of_one_file_are_skipped_whole(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = (
        '{"en":"low","de":"cat"}',
        '{"en":1,"de":"x"}',
        '{"en":"y","de":2}',
        '{"en":"a","de":"b"}',
    )
    path.write_text("".join(f"{row}\n" for row in rows))
    groups = {name: pw.Corpus(path, field=name, on_error="skip") for name in ("en", "de")}
    wanted = pw.evaluate(TOK, {"en": ["low", "a"], "de": ["cat", "b"]}, parallel=True)
    for settings in ({}, {"engine": Local(1), "part_bytes": 20}):
        with pytest.warns(PieceworkWarning, match="2 texts were skipped in every group"):
            found = pw.evaluate(TOK, groups, parallel=True, **settings)  # type: ignore[arg-type]
        assert found.tokenizers[0].parity == wanted.tokenizers[0].parity
        assert found.tokenizers[0].groups["de"].metrics == wanted.tokenizers[0].groups["de"].metrics


def test_metrics_by_name() -> None:
    evaluation = pw.evaluate([TOK, TOK], {"a": ["low"], "b": ["low cat"]}, parallel=True)
    for result in evaluation:
        assert result["fertility"] == result.metrics["fertility"]
        assert result["gini"] == result.metrics["gini"]
        assert evaluation.tokenizer(result.name) == result
        for group in result.groups.values():
            assert group["fertility"] == group.metrics["fertility"]
            with pytest.raises(ConfigError, match="no metric 'fertilty'; did you mean 'fertility'"):
                _ = group["fertilty"]


def test_names_of_tokenizers() -> None:
    evaluation = pw.evaluate({"one": TOK, "two": TOK}, ["low"])
    with pytest.raises(ConfigError, match="no tokenizer 'tow'; found 'one', 'two'; did you mean"):
        evaluation.tokenizer("tow")
    with pytest.raises(ConfigError, match=r"pass one of them, evaluation\.tokenizer\('one'\)"):
        _ = evaluation["fertility"]


def test_members_that_make_no_groups(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text":"low","lang":"en"}\n{"text":"cat"}\n')
    with pytest.raises(ConfigError, match="a string 'lang' in every document; text 1 is null"):
        pw.evaluate(TOK, pw.Corpus(path), by="lang")
    with pytest.raises(ConfigError, match="by: the member 'text' has the texts themselves"):
        pw.evaluate(TOK, pw.Corpus(path), by="text")
