"""The files of the project beside its code: workflows, citation, changelog."""

import importlib.util
import re
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from paths import REPOSITORY

_spec = importlib.util.spec_from_file_location("release", REPOSITORY / "tools" / "release.py")
assert _spec is not None
assert _spec.loader is not None
release: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(release)

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((REPOSITORY / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def read(name: str) -> str:
    return (REPOSITORY / name).read_text("utf-8")


@pytest.mark.parametrize("file", [*WORKFLOWS, *FORMS], ids=lambda file: file.name)
def test_files_of_github_are_yaml(file: Any) -> None:
    assert isinstance(yaml.safe_load(file.read_text("utf-8")), dict)


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_jobs_of_workflows_run_something(file: Any) -> None:
    text = file.read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    for job in jobs.values():
        assert job["runs-on"]
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
        needs = job.get("needs", [])
        assert ({needs} if isinstance(needs, str) else {*needs}) <= jobs.keys()
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= targets


def test_every_python_of_the_package_is_tested() -> None:
    jobs = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    assert jobs["systems"]["strategy"]["matrix"]["python"] == named
    assert [step["run"] for step in jobs["all"]["steps"] if "run" in step][-1] == ".ci/run"


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load(read("CITATION.cff"))
    project = PROJECT["project"]
    assert citation["version"] == project["version"]
    assert citation["repository-code"] == project["urls"]["Source"]
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in project["authors"]
    ]


def test_the_changelog_has_each_version_once() -> None:
    settings = PROJECT["tool"]["towncrier"]
    text = read("CHANGELOG.md")
    assert text.count(settings["start_string"]) == 1
    versions = re.findall(r"(?m)^## \[(.+?)\]", text)
    assert PROJECT["project"]["version"] in versions
    assert len(versions) == len(set(versions))


def test_a_tag_may_not_be_published_with_placeholders() -> None:
    version = PROJECT["project"]["version"]
    problems = release.reasons_against(f"v{version}")
    assert not any(": the version is " in problem for problem in problems)
    assert any(problem.startswith("pyproject.toml: https://example.org") for problem in problems)
    others = release.reasons_against("v99.0.0")
    assert {f"{name}: the version is {version}, not 99.0.0" for name in release.VERSIONS} <= {
        *others
    }
    assert "CHANGELOG.md: version 99.0.0 has no heading with a date" in others


def test_a_version_and_an_address_are_written_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in {*release.VERSIONS, *release.ADDRESSED, *release.NOT_YET, "CHANGELOG.md"}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    monkeypatch.setattr(release, "REPOSITORY", tmp_path)
    calls: list[list[str]] = []
    monkeypatch.setattr(release.subprocess, "run", lambda command, **_: calls.append(command))
    release.set_version("9.8.7")
    release.set_address("https://tokenizers.example/piecework")
    assert [call[0] for call in calls] == ["cargo", "cargo", sys.executable]
    for name, pattern in release.VERSIONS.items():
        assert re.findall(pattern, release.text_of(name))[0] == "9.8.7"
    for name in release.ADDRESSED:
        assert "example.org" not in release.text_of(name)
    (tmp_path / "python" / "README.md").write_text("made by the tool\n")
    (tmp_path / "CHANGELOG.md").write_text("## [9.8.7] - 2027-01-02\n")
    (tmp_path / "tests" / "kept" / "9.8.7").mkdir(parents=True)
    for name, sentence in release.NOT_YET.items():
        (tmp_path / name).write_text(release.text_of(name).replace(sentence, ""), "utf-8")
    assert release.reasons_against("v9.8.7") == []


def test_changes_since_the_release_have_a_kind() -> None:
    kinds = [kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]]
    for file in (REPOSITORY / "changelog.d").iterdir():
        if file.name not in PROJECT["tool"]["towncrier"]["ignore"]:
            assert re.fullmatch(rf"[a-z0-9-]+\.({'|'.join(kinds)})\.md", file.name), file.name
            assert file.read_text("utf-8").strip().endswith("."), file.name
