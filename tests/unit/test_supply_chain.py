"""Crates and packages have licences, sources and versions that deny.toml allows; SECURITY.md says why their unsafe code is there."""

import importlib.metadata
import platform
import re
import shutil
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import third_party
from crates import HERE, Package, crates, linked
from paths import REPOSITORY

RULES = tomllib.loads((REPOSITORY / "deny.toml").read_text(encoding="utf-8"))
ALLOWED = set(RULES["licenses"]["allow"])
PYTHON = {"click": {"BSD-3-Clause"}, "numpy": {"BSD-3-Clause", "0BSD", "Zlib", "CC0-1.0"}}
"""Licences of packages of Python; those of numpy are also of the libraries in its wheel."""

LICENCE = r"[\w.+-]+(?: WITH [\w.-]+)?"
UNSAFE = re.compile(r"\bunsafe\s*(?:\{|(?:fn|impl|trait|extern)\b)")
COMMENT = re.compile(r"//.*")
NOT_LINKED = {"benches", "examples", "tests"}


@pytest.fixture(autouse=True, scope="module")
def _cargo() -> None:
    if shutil.which("cargo") is None:
        pytest.skip("no cargo, which lists the crates")
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip(f"only the crates of {HERE[0]} are checked")


def allows(licences: set[str], expression: str) -> bool:
    """Returns whether an SPDX expression holds with these licences; old crates write `/` for OR."""
    words = {"AND": "and", "OR": "or"}
    terms = re.sub(
        LICENCE,
        lambda found: words.get(found[0], str(found[0] in licences)),
        expression.replace("/", " OR "),
    )
    return bool(eval(terms))


def has_unsafe_code(crate: Package) -> bool:
    """Returns whether the sources of a crate have unsafe blocks, functions or traits, those of other systems included."""
    folder = Path(crate["manifest_path"]).parent
    files = (
        file for file in folder.rglob("*.rs") if file.relative_to(folder).parts[0] not in NOT_LINKED
    )
    return any(UNSAFE.search(COMMENT.sub("", file.read_text("utf-8"))) for file in files)


def table() -> list[str]:
    """Returns the crates in the table of SECURITY.md."""
    page = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
    rows = page.partition("\n## Dependencies\n")[2].partition("\n## ")[0].split("\n| `")[1:]
    return [name for row in rows for name in re.findall(r"`([\w-]+)`", "`" + row.partition("|")[0])]


def test_expressions_of_licences() -> None:
    assert allows({"MIT"}, "MIT/Apache-2.0")
    assert allows({"MIT", "Unicode-3.0"}, "(MIT OR Apache-2.0) AND Unicode-3.0")
    assert not allows({"MIT"}, "(MIT OR Apache-2.0) AND Unicode-3.0")
    assert not allows({"Apache-2.0"}, "Apache-2.0 WITH LLVM-exception")


def test_every_crate_has_an_allowed_licence() -> None:
    exceptions = {each["crate"]: {*each["allow"]} for each in RULES["licenses"]["exceptions"]}
    refused = {each["name"] for each in crates() if not allows(ALLOWED, str(each["license"]))}
    assert refused == exceptions.keys()
    for each in crates():
        assert allows(ALLOWED | exceptions.get(each["name"], set()), str(each["license"])), each[
            "name"
        ]


def test_every_crate_is_there_in_one_version() -> None:
    counts = Counter(each["name"] for each in crates())
    skipped = [each["crate"].partition("@")[0] for each in RULES["bans"]["skip"]]
    assert sorted(name for name, count in counts.items() if count > 1) == sorted(skipped)
    names = [each["name"] for each in linked(*HERE)]
    assert len(names) == len(set(names))


def test_every_crate_is_from_the_registry() -> None:
    allowed = {f"registry+{url}" for url in RULES["sources"]["allow-registry"]}
    assert {each["source"] for each in crates()} == allowed
    assert RULES["sources"]["unknown-git"] == RULES["sources"]["unknown-registry"] == "deny"


def test_every_crate_with_unsafe_code_has_its_reason_on_the_page() -> None:
    assert sorted(table()) == sorted(
        each["name"] for each in linked(*HERE) if has_unsafe_code(each)
    )


def test_every_required_package_has_an_allowed_licence() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"\W", line, maxsplit=1)[0] for line in project["dependencies"]}
    assert names >= PYTHON.keys()
    for name in names:
        found = importlib.metadata.metadata(name).get("License-Expression", "")
        assert allows(ALLOWED | PYTHON.get(name, set()), found), (name, found)


def test_every_crate_has_an_entry_among_third_parties() -> None:
    assert third_party.PAGE.read_text("utf-8") == third_party.page(), (
        "run tools/make_third_party.py"
    )


def test_the_package_has_the_licences_of_all_parts() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == third_party.expression()


def test_a_crate_without_an_entry_is_found() -> None:
    new = {**linked(*HERE)[0], "name": "new-crate"}
    assert "new-crate" not in third_party.page()
    assert third_party.taken({**new, "license": "(Zlib OR MIT) AND BSD-3-Clause"}) == [
        "BSD-3-Clause",
        "MIT",
    ]
