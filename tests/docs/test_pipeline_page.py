"""docs/pipeline.md lists every component, with its parameters and their defaults."""

import inspect
import re
from pathlib import Path

import pytest

from piecework import decoders, models, normalizers, pre_tokenizers, processors

PAGE = (Path(__file__).parents[2] / "docs" / "pipeline.md").read_text(encoding="utf-8")
SPEC = (Path(__file__).parents[2] / "spec" / "pipeline.md").read_text(encoding="utf-8")
SECTIONS = {
    "Normalizers": normalizers,
    "Pre-tokenizers": pre_tokenizers,
    "Models": models,
    "Post-processors": processors,
    "Decoders": decoders,
}


def written(component: type) -> str:
    """Gives a class with its parameters as the page writes it."""
    parameters = inspect.signature(component).parameters.values()
    shown = (p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters)
    return f"{component.__name__}({', '.join(shown)})"


@pytest.mark.parametrize("title", SECTIONS)
def test_every_component_is_listed(title: str) -> None:
    module = SECTIONS[title]
    classes = (getattr(module, name) for name in module.__all__)
    components = {written(c) for c in classes if isinstance(c, type) and "type_name" in vars(c)}
    found = re.search(rf"^### {title}: .*?(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    rows = re.findall(r"^\| (`.*?) \| ", found[0], re.MULTILINE)
    assert components == {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def rows(text: str, start: str) -> list[list[str]]:
    """Returns the cells of the first table after a heading or line, without its two head lines."""
    table = re.search(r"(?:^\|.*\n)+", text[text.index(start) :], re.MULTILINE)
    assert table
    lines = table[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_the_differences_are_those_of_the_specification() -> None:
    specified = rows(SPEC, "\n## 9. Where we differ from the library")
    shown = rows(PAGE, "\nWhat comes of it:")
    assert [row[0] for row in shown] == [row[0] for row in specified]
    assert [row[1] for row in shown] == [row[1] for row in specified]
    assert len({row[0] for row in shown}) == len(shown) >= 19
    assert {len(row) for row in shown} == {4}
