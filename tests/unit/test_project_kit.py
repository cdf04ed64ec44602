"""The files of the project beside its code: workflows, citation, changelog."""

import re
import tomllib
from typing import Any

import pytest
import yaml

from paths import REPOSITORY

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
        assert set(job.get("needs", [])) <= jobs.keys()
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= targets


def test_every_python_of_the_package_is_tested() -> None:
    jobs = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    assert jobs["systems"]["strategy"]["matrix"]["python"] == named
    assert [step["run"] for step in jobs["all"]["steps"] if "run" in step] == [".ci/run"]


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load(read("CITATION.cff"))
    project = PROJECT["project"]
    assert citation["version"] == project["version"]
    assert citation["repository-code"] == project["urls"]["Source"]
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in project["authors"]
    ]


def test_the_changelog_has_this_version() -> None:
    settings = PROJECT["tool"]["towncrier"]
    text = read("CHANGELOG.md")
    assert text.count(settings["start_string"]) == 1
    assert f"\n## [{PROJECT['project']['version']}]" in text


def test_changes_since_the_release_have_a_kind() -> None:
    kinds = [kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]]
    for file in (REPOSITORY / "changelog.d").iterdir():
        if file.name not in PROJECT["tool"]["towncrier"]["ignore"]:
            assert re.fullmatch(rf"[a-z0-9-]+\.({'|'.join(kinds)})\.md", file.name), file.name
            assert file.read_text("utf-8").strip().endswith("."), file.name
