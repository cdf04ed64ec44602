"""The crates of Cargo.lock as Cargo describes them, without a network."""

import json
import subprocess
from functools import cache
from typing import Any

from paths import REPOSITORY

TARGET = "x86_64-unknown-linux-gnu"
"""The system whose crates are checked, since each system has some of its own."""

Package = dict[str, Any]


@cache
def metadata() -> dict[str, Any]:
    """Returns what Cargo knows of the crates, without a network."""
    arguments = ["--locked", "--offline", "--format-version", "1", "--filter-platform", TARGET]
    done = subprocess.run(
        ["cargo", "metadata", *arguments], cwd=REPOSITORY, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def crates() -> list[Package]:
    """Returns the crates that others wrote, those of the build included."""
    return [each for each in metadata()["packages"] if each["source"] is not None]


def is_macro(crate: Package) -> bool:
    """Returns whether a crate runs in the compiler."""
    return any("proc-macro" in target["kind"] for target in crate["targets"])


def linked() -> list[Package]:
    """Returns the crates whose code is in the compiled module."""
    by_id = {each["id"]: each for each in metadata()["packages"]}
    nodes = {node["id"]: node for node in metadata()["resolve"]["nodes"]}
    todo = [key for key, each in by_id.items() if each["name"] == "piecework-py"]
    seen = set[str]()
    while todo:
        key = todo.pop()
        if key not in seen and not is_macro(by_id[key]):
            seen.add(key)
            needed = nodes[key]["deps"]
            todo += [each["pkg"] for each in needed if has_kind(each, None)]
    return [by_id[key] for key in seen if by_id[key]["source"] is not None]


def has_kind(dependency: dict[str, Any], kind: str | None) -> bool:
    """Returns whether a crate is needed in a way: None to link it, "build" to build."""
    return any(each["kind"] == kind for each in dependency["dep_kinds"])
