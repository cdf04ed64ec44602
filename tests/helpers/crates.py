"""The crates of Cargo.lock as Cargo describes them, without a network."""

import json
import subprocess
from functools import cache
from typing import Any

from paths import REPOSITORY

HERE = ("x86_64-unknown-linux-gnu",)
"""The system whose crates are checked here, since each system has some of its own."""
SHIPPED = tuple(
    f"{processor}-{system}"
    for processor in ("x86_64", "aarch64")
    for system in ("unknown-linux-gnu", "unknown-linux-musl", "apple-darwin", "pc-windows-msvc")
)
"""The systems for which there are wheels."""

Package = dict[str, Any]


@cache
def metadata(*targets: str) -> dict[str, Any]:
    """Returns what Cargo knows of the crates of these systems, without a network."""
    arguments = ["--locked", "--offline", "--format-version", "1"]
    arguments += [each for target in targets for each in ("--filter-platform", target)]
    done = subprocess.run(
        ["cargo", "metadata", *arguments], cwd=REPOSITORY, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def crates() -> list[Package]:
    """Returns the crates that others wrote, those of the build included."""
    return [each for each in metadata(*HERE)["packages"] if each["source"] is not None]


def is_macro(crate: Package) -> bool:
    """Returns whether a crate runs in the compiler."""
    return any("proc-macro" in target["kind"] for target in crate["targets"])


def linked(*targets: str) -> list[Package]:
    """Returns the crates whose code is in the compiled module of one of these systems."""
    found = metadata(*targets)
    by_id = {each["id"]: each for each in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
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
