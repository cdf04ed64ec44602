"""The picture of the READMEs shows all cells of the committed results of `make bench`."""

import copy
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from paths import REPOSITORY

BENCH = REPOSITORY / "bench"
IMAGES = REPOSITORY / "docs" / "images"
SCHEMES = ("light", "dark")
SVG = "{http://www.w3.org/2000/svg}"


def cell(group: str, model: str, cache: str | None, figures: dict[str, float]) -> dict[str, Any]:
    """Returns a cell of the results."""
    return {
        "group": group,
        "model": model,
        "text": "English",
        "cache": cache,
        "unit": "MB/s" if cache else "s",
        "figures": figures,
        "different": [],
    }


RESULTS: dict[str, Any] = {
    "schema": "piecework-bench-1",
    "date": "2026-01-02",
    "machine": {"cpu": "A <CPU> & more", "cpus": 4, "architecture": "x86_64", "system": "Linux"},
    "kernel": "AVX-512",
    "threads": 1,
    "versions": {"python": "3.11.7", "piecework": "0.1.0", "fastest": "9.8.7", "unused": "6.5.4"},
    "rows": [{"benchmark": "encode", "subject": "a", "result": "b", "goal": "c"}],
    "cells": [
        cell("WordPiece", "vocabulary 1", "cold", {"piecework": 123.4, "fastest": 2.345}),
        cell("WordPiece", "vocabulary 1", "warm", {"piecework": 234.6, "fastest": 3.456}),
        cell("BPE", "ranks 2", "cold", {"piecework": 45.67, "fastest": 345.6}),
        cell("BPE", "ranks 2", "warm", {"piecework": 56.78, "fastest": 456.7}),
        cell("Unigram", "model 3", "cold", {"piecework": 67.89}) | {"different": ["fastest"]},
        cell("Unigram", "model 3", "warm", {"piecework": 78.91}) | {"different": ["fastest"]},
        cell("training", "BPE by pairs", None, {"piecework": 8.912, "fastest": 0.123}),
    ],
}


@pytest.fixture
def figure(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module that draws; modules of `bench` are not left in `sys.modules`."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(BENCH))
    import figure

    yield figure
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == BENCH:
            del sys.modules[name]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A file with the small results."""
    path = tmp_path / "results.json"
    path.write_text(json.dumps(RESULTS), encoding="utf-8")
    return path


def drawn(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs the program that draws."""
    command = [sys.executable, str(BENCH / "figure.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=60)


def texts(svg: str) -> list[str]:
    """Returns the texts of a picture, as they are seen."""
    return ["".join(element.itertext()) for element in ET.fromstring(svg).iter(f"{SVG}text")]


def figures_of(figure: Any, document: dict[str, Any]) -> list[str]:
    """Returns the figures of all bars of a document, as a picture must show them."""
    wanted: list[str] = []
    for listed in figure.tasks(document["cells"]).values():
        for task in listed:
            states = [
                one
                for one in document["cells"]
                if (one["group"], one["model"], one["text"]) == (task.group, task.model, task.text)
            ]
            for library in (*states[0]["figures"], *states[0]["different"]):
                shown = [
                    figure.number(one["figures"][library])
                    for one in states
                    if library in one["figures"]
                ]
                wanted += [" / ".join(shown) + (" s" if task.unit == "s" else "")] if shown else []
    return wanted


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_picture_is_well_formed_and_accessible(figure: Any, scheme: str) -> None:
    root = ET.fromstring(figure.svg(RESULTS, scheme))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    named = [root.find(f"{SVG}{name}") for name in ("title", "desc")]
    assert [one is not None and one.get("id") for one in named] == ["title", "desc"]
    assert root.get("aria-labelledby") == "title desc"
    assert root.get("width") == "800"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_cell_is_shown(figure: Any, scheme: str) -> None:
    shown = texts(figure.svg(RESULTS, scheme))
    for model in ("vocabulary 1", "ranks 2", "model 3", "BPE by pairs, English"):
        assert model in shown
    assert [one for one in shown if re.match(r"[\d.]+( /| s)", one)] == [
        "123 / 235",
        "2.35 / 3.46",
        "45.7 / 56.8",
        "346 / 457",
        "67.9 / 78.9",
        "8.91 s",
        "0.12 s",
    ]
    assert shown.count("piecework") == len(
        {(one["group"], one["model"]) for one in RESULTS["cells"]}
    )
    assert "fastest†" in shown
    assert "not compared: other ids" in shown


def test_the_description_has_every_figure(figure: Any) -> None:
    found = ET.fromstring(figure.svg(RESULTS, "light")).findtext(f"{SVG}desc") or ""
    assert "BPE encoding, ranks 2, English: piecework 45.7 / 56.8 MB/s; fastest 346 / 457" in found
    assert (
        "Training, 32,000 entries, BPE by pairs, English: piecework 8.91 s; fastest 0.12 s" in found
    )


def test_the_caption_names_the_machine_the_versions_and_the_date(figure: Any) -> None:
    lines = texts(figure.svg(RESULTS, "light"))[-3:]
    assert "4 × A <CPU> & more (x86_64), kernel AVX-512, 1 thread, 2026-01-02" in lines
    caption = " ".join(lines).replace("\u00a0", " ")
    assert "piecework 0.1.0, fastest 9.8.7; Python 3.11.7" in caption
    assert "unused" not in caption


def test_the_best_figure_is_bold_also_where_it_is_a_peer(figure: Any) -> None:
    root = ET.fromstring(figure.svg(RESULTS, "light"))
    bold = [one.text for one in root.iter(f"{SVG}tspan")]
    assert bold == ["123", "235", "346", "457", "0.12"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bars_are_inside_the_picture_and_proportional(figure: Any, scheme: str) -> None:
    root = ET.fromstring(figure.svg(RESULTS, scheme))
    height = float(root.get("height", 0))
    boxes = [
        {k: float(v) for k, v in one.items() if k in {"x", "y", "width"}}
        for one in root.iter(f"{SVG}rect")
    ]
    assert all(box["x"] + box["width"] <= 800 and box["y"] < height for box in boxes)
    assert all(0 < float(one.get("y", 0)) < height - 4 for one in root.iter(f"{SVG}text"))
    longest = figure.PANEL - figure.LABEL - figure.VALUE
    widths = [box["width"] for box in boxes]
    assert round(longest * 123.4 / 234.6, 1) in widths
    assert round(longest * 56.78 / 456.7, 1) in widths


def test_one_result_gives_the_same_bytes(results: Path, tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        done = drawn(results, "--folder", folder)
        assert done.returncode == 0, done.stderr
    first, second = (
        [(folder / f"speed-{name}.svg").read_bytes() for name in SCHEMES] for folder in folders
    )
    assert first == second
    assert first[0] != first[1]


@pytest.mark.parametrize("schema", ["piecework-bench-0", None, 1])
def test_another_schema_is_an_error(tmp_path: Path, schema: object) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps(RESULTS | {"schema": schema}), encoding="utf-8")
    done = drawn(path, "--folder", tmp_path)
    assert done.returncode == 2
    assert f"schema {schema!r}, expected 'piecework-bench-1'" in done.stderr
    assert "make bench ARGS=figure" in done.stderr
    assert not list(tmp_path.glob("*.svg"))


@pytest.mark.parametrize("content", ["[]", "{", "{}"])
def test_a_file_of_another_kind_is_an_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content, encoding="utf-8")
    done = drawn(path)
    assert done.returncode == 2
    assert "make bench ARGS=figure" in done.stderr
    assert "Traceback" not in done.stderr


def test_results_without_a_group_are_an_error(figure: Any, tmp_path: Path) -> None:
    document = copy.deepcopy(RESULTS)
    document["cells"] = [one for one in document["cells"] if one["group"] != "BPE"]
    path = tmp_path / "part.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match=r"cells of .*, expected \['BPE'"):
        figure.read(path)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_picture_was_drawn_from_the_committed_results(figure: Any, scheme: str) -> None:
    document = figure.read(BENCH / "results.json")
    committed = (IMAGES / f"speed-{scheme}.svg").read_bytes()
    assert committed == figure.svg(document, scheme).encode(), "run `make bench-figure`"
    shown = texts(committed.decode())
    assert [one for one in figures_of(figure, document) if one not in shown] == []


def test_the_committed_results_are_complete(figure: Any) -> None:
    document = figure.read(BENCH / "results.json")
    assert set(document) == set(RESULTS)
    assert set(document["machine"]) == set(RESULTS["machine"])
    assert all(set(one) == set(RESULTS["cells"][0]) for one in document["cells"])
    assert all(set(one) == set(RESULTS["rows"][0]) for one in document["rows"])
    libraries = {name for one in document["cells"] for name in one["figures"]}
    assert libraries <= set(document["versions"])
    bpe = [one for one in document["cells"] if one["group"] == "BPE"]
    assert all(
        {"piecework", "gigatoken", "fastokens"} <= {*one["figures"], *one["different"]}
        for one in bpe
    )


def test_results_are_written_with_a_line_for_each_cell(figure: Any) -> None:
    import results

    written = results.as_text(RESULTS)
    assert json.loads(written) == RESULTS
    assert sum('"cache": ' in line for line in written.splitlines()) == len(RESULTS["cells"])
    assert json.loads(results.as_text(RESULTS | {"rows": []})) == RESULTS | {"rows": []}


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_readme_shows_both_color_schemes(name: str) -> None:
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    (picture,) = re.findall(r"<picture>.*?</picture>", text, re.DOTALL)
    assert '(prefers-color-scheme: dark)" srcset="docs/images/speed-dark.svg"' in picture
    assert '<img src="docs/images/speed-light.svg"' in picture
    assert re.search(r'alt="[^"]+"', picture)
    paths = re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert [path for path in paths if not (REPOSITORY / path).is_file()] == []
