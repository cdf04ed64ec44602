"""The modules of the Rust crates import each other as rust_imports.toml states, without a circle."""

import tomllib
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from paths import REPOSITORY
from rust_imports import Graph, imports, sources_of

LISTED = tomllib.loads(Path(__file__).with_name("rust_imports.toml").read_text(encoding="utf-8"))
CRATES = sorted(LISTED.keys() - {"exceptions"})
Layer = Mapping[str, list[str]]


class Exempt(NamedTuple):
    """Names an import that closes a circle."""

    module: str
    imports: str


def exceptions_of(crate: str) -> list[Exempt]:
    """Returns the exceptions of a crate."""
    rows = LISTED.get("exceptions", ())
    return [Exempt(row["module"], row["imports"]) for row in rows if row["crate"] == crate]


def circle(graph: Mapping[str, set[str]]) -> list[str] | None:
    """Returns modules of which each imports the next, and the last is the first; None if there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return None


def without(graph: Graph, exempt: list[Exempt]) -> dict[str, set[str]]:
    """Returns the imports of each module without the exceptions."""
    return {one: {b for b in found if Exempt(one, b) not in exempt} for one, found in graph.items()}


def faults(graph: Graph, layers: list[Layer], exempt: list[Exempt]) -> list[str]:
    """Returns in what the imports of a crate differ from its table."""
    kept = without(graph, exempt)
    return [
        *faults_of_layers(layers),
        *faults_of_rows(
            graph, kept, {name: row for layer in layers for name, row in layer.items()}
        ),
        *faults_of_exceptions(graph, exempt),
        *faults_of_circles(graph, kept),
    ]


def faults_of_layers(layers: list[Layer]) -> list[str]:
    """Returns the rows that are repeated, and those that import a module that is not in a layer before."""
    found, before = list[str](), set[str]()
    for layer in layers:
        found += [f"{name} has two rows" for name in layer if name in before]
        for name, row in layer.items():
            found += [
                f"{name} lists {b}, which is in no lower layer" for b in row if b not in before
            ]
        before |= layer.keys()
    return found


def faults_of_rows(graph: Graph, kept: Mapping[str, set[str]], rows: Layer) -> list[str]:
    """Returns the modules without a row, the imports that no row lists, and what rows list in vain."""
    found = [f"{name} has no row" for name in graph if name not in rows]
    for name, row in rows.items():
        if name not in graph:
            found.append(f"{name} has a row and no file")
            continue
        found += [
            f"{name} may not import {b}: {', '.join(graph[name][b])}"
            for b in sorted(kept[name] - {*row})
        ]
        found += [f"{name} lists {b} and does not import it" for b in row if b not in kept[name]]
    return found


def faults_of_exceptions(graph: Graph, exempt: list[Exempt]) -> list[str]:
    """Returns the exceptions that close no circle."""
    found = []
    for each in exempt:
        others = without(graph, [other for other in exempt if other != each])
        if each.imports not in others.get(each.module, ()) or circle(others) is None:
            found.append(f"the exception for {each.imports} in {each.module} is not needed")
    return found


def faults_of_circles(graph: Graph, kept: Mapping[str, set[str]]) -> list[str]:
    """Returns a circle of imports, with the places that cause it."""
    names = circle(kept) or []
    steps = [f"{a} imports {b} ({', '.join(graph[a][b])})" for a, b in pairwise(names)]
    return [f"a circle: {', '.join(steps)}"] if steps else []


@pytest.mark.parametrize("crate", CRATES)
def test_modules_import_what_the_table_states(crate: str) -> None:
    graph = imports(sources_of(REPOSITORY / "crates" / crate / "src"))
    assert len(graph) > 5
    found = faults(graph, LISTED[crate], exceptions_of(crate))
    assert not found, "\n".join(found)


def test_the_table_names_all_crates_and_its_exceptions_have_reasons() -> None:
    assert [folder.name for folder in sorted((REPOSITORY / "crates").iterdir())] == CRATES
    for row in LISTED.get("exceptions", ()):
        assert row.keys() == {"crate", "module", "imports", "reason"}
        assert row["crate"] in CRATES
        assert row["reason"]


def imported(source: str, file: str = "model/bpe/encode.rs", root: str = "") -> set[str]:
    """Returns what a file of a crate with a few modules imports."""
    files = dict.fromkeys(["text/mod.rs", "error.rs", "fast/mod.rs", "model/mod.rs"], "")
    graph = imports({**files, "lib.rs": root, file: source})
    return set(graph[Path(file).parts[0].removesuffix(".rs")])


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("use crate::text::span::Span;", {"text"}),
        ("pub(crate) use crate::text::{bytes::{self, byte}, span as places};", {"text"}),
        ("use crate::{error, fast::{self, keys}, model::Model};", {"error", "fast"}),
        ("use crate::r#text::{\n    // bytes\n    bytes,\n};", {"text"}),
        ("use super::super::super::fast::keys;", {"fast"}),
        ("use super::super::{Model, steps};", set()),
        ("use super::super::super::{fast, error::Error};", {"error", "fast"}),
        ("fn f() -> crate::error::Result<Vec<crate::text::Span>> {}", {"error", "text"}),
        ("fn f() { crate::text::parse::<crate::fast::Keys>('\\'', b'\"') }", {"fast", "text"}),
        ("macro_rules! m { () => { $crate::fast::keys!() } }", {"fast"}),
        ("pub(in crate::model) fn f(c: char) -> bool { c == '\"' }", set()),
        ("pub(super) fn f<'a>(s: &'a str) {} use self::steps;", set()),
    ],
)
def test_paths_of_a_file(source: str, wanted: set[str]) -> None:
    assert imported(source) == wanted


@pytest.mark.parametrize(
    "ignored",
    [
        "// use crate::fast;",
        "//! [`Keys`](crate::fast::Keys) /* use crate::fast; */",
        "/* use\ncrate::fast; */",
        'const A: &str = "crate::fast \\" crate::fast";',
        'const A: &str = r#"" crate::fast"#;',
        "#[cfg(test)] mod tests { use crate::fast; fn f() { {} } }",
        "#[cfg(test)]\n#[allow(unused)]\nuse crate::fast::{keys, list};",
        "#[cfg(all(test, unix))] fn f(a: [u8; 3]) -> u8 { crate::fast::f() }",
        "use super::keys;",
    ],
)
def test_comments_texts_and_tests_are_left_out(ignored: str) -> None:
    assert imported(f"{ignored}\nuse crate::error;") == {"error"}


def test_paths_begin_where_the_module_is() -> None:
    assert imported("use super::text;", "settings.rs") == {"text"}
    assert imported("use super::text;", "model/mod.rs") == {"text"}
    assert imported("use super::text;", "model/steps.rs") == set()
    assert imported("mod a { mod b { use super::super::text; } }", "model.rs") == set()
    assert imported("mod a { use super::super::text; } use super::fast;", "model.rs") == {
        "text",
        "fast",
    }
    assert imported("#[cfg(any(test, unix))] use crate::text;") == {"text"}


def test_names_of_the_root_are_those_of_their_modules() -> None:
    root = "pub use error::{Error, Result as Outcome};"
    assert imported("use crate::{Error, Result};", root=root) == {"error"}
    with pytest.raises(
        ValueError, match=r"^model/bpe/encode\.rs:2: Other is no module of the crate$"
    ):
        imported("\nuse crate::Other;", root=root)


LAYERS: list[Layer] = [{"error": []}, {"text": ["error"], "model": []}, {"fast": ["text"]}]
SOURCES = {
    "lib.rs": "pub use error::Error;",
    "error.rs": "",
    "text.rs": "use crate::Error;",
    "model/mod.rs": "",
    "fast/mod.rs": "use crate::text;",
}


def faults_with(changes: Mapping[str, str], *exempt: Exempt) -> list[str]:
    """Returns the faults of a small crate with other sources of a few files."""
    return faults(imports({**SOURCES, **changes}), LAYERS, list(exempt))


def test_a_table_without_faults() -> None:
    assert faults_with({}) == []


@pytest.mark.parametrize(
    ("file", "source", "fault"),
    [
        ("fast/keys.rs", "\nuse crate::model;", "fast may not import model: fast/keys.rs:2"),
        ("text.rs", "", "text lists error and does not import it"),
        ("counts/mod.rs", "", "counts has no row"),
    ],
)
def test_imports_that_differ_from_the_table(file: str, source: str, fault: str) -> None:
    assert faults_with({file: source}) == [fault]


def test_a_circle_is_reported_with_its_places() -> None:
    assert faults_with({"error.rs": "use crate::fast;"}) == [
        "error may not import fast: error.rs:1",
        "a circle: error imports fast (error.rs:1), fast imports text (fast/mod.rs:1), "
        "text imports error (text.rs:1)",
    ]


def test_an_exception_is_needed_for_a_circle_alone() -> None:
    changes = {"error.rs": "use crate::fast;"}
    assert faults_with(changes, Exempt("error", "fast")) == []
    unneeded = "the exception for fast in error is not needed"
    assert faults_with({}, Exempt("error", "fast")) == [unneeded]
    assert faults_with({"model/mod.rs": "use crate::text;"}, Exempt("model", "text")) == [
        "the exception for text in model is not needed"
    ]


def test_a_table_is_in_layers() -> None:
    graph = imports({"lib.rs": "", "a.rs": "use crate::b;", "b.rs": ""})
    assert faults(graph, [{"a": ["b"], "b": []}], []) == ["a lists b, which is in no lower layer"]
    assert faults(graph, [{"b": []}, {"a": ["b"]}, {"b": []}], []) == ["b has two rows"]
    assert faults(graph, [{"b": [], "c": []}, {"a": ["b"]}], []) == ["c has a row and no file"]
