"""Prepares a release, and checks whether a tag may be published.

python tools/release.py version 0.2.0     write a version into the files that have it
python tools/release.py address URL       write the address of the project, which is a placeholder until it has one
python tools/release.py check v0.2.0      exit with 1 and the reasons why this tag may not be published
"""

import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
VERSIONS = {
    "pyproject.toml": r'(?m)^version = "(.+)"$',
    "Cargo.toml": r'(?m)^version = "(.+)"$',
    "CITATION.cff": r"(?m)^version: (.+)$",
    "python/piecework/__init__.py": r'(?m)^__version__ = "(.+)"$',
}
"""The files with the version, and where."""
ADDRESSED = ("pyproject.toml", "CITATION.cff", "SECURITY.md", ".github/ISSUE_TEMPLATE/config.yml")
"""The files with the address; python/README.md is made from README.md and has it, too."""
PLACEHOLDER = "https://example.org"
NOT_YET = {"README.md": "Until the first upload", "README.zh-CN.md": "目前尚未发布"}
"""Sentences that are wrong as soon as there is a release."""


def main(command: str = "", value: str = "") -> None:
    """Runs a command with its value."""
    if command == "version" and value:
        set_version(value)
    elif command == "address" and value:
        set_address(value.rstrip("/"))
    elif command == "check" and value:
        problems = reasons_against(value)
        sys.exit("\n".join(problems) if problems else 0)
    else:
        sys.exit(__doc__)


def set_version(version: str) -> None:
    """Writes a version into all files that have it, the lock files of Cargo included."""
    for name, pattern in VERSIONS.items():
        text = text_of(name)
        found = re.search(pattern, text)
        assert found, name
        changed = text[: found.start(1)] + version + text[found.end(1) :]
        (REPOSITORY / name).write_text(changed, "utf-8")
    for manifest in ("Cargo.toml", "fuzz/Cargo.toml"):
        update = ["cargo", "update", "--workspace", "--quiet", "--manifest-path", manifest]
        subprocess.run(update, cwd=REPOSITORY, check=True)


def set_address(address: str) -> None:
    """Writes the address of the project over the one that it has."""
    old = re.search(r'(?m)^Source = "(.+)"$', text_of("pyproject.toml"))
    assert old, "pyproject.toml has no Source"
    for name in ADDRESSED:
        (REPOSITORY / name).write_text(text_of(name).replace(old[1], address), "utf-8")
    subprocess.run([sys.executable, "tools/make_index_readme.py"], cwd=REPOSITORY, check=True)


def reasons_against(tag: str) -> list[str]:
    """Returns why a tag may not be published; none if it may."""
    version = tag.removeprefix("v")
    found = {name: re.findall(pattern, text_of(name))[:1] for name, pattern in VERSIONS.items()}
    problems = [
        f"{name}: the version is {' '.join(each)}, not {version}"
        for name, each in found.items()
        if each != [version]
    ]
    problems += [
        f"{name}: {PLACEHOLDER} is a placeholder (tools/release.py address)"
        for name in (*ADDRESSED, "python/README.md")
        if PLACEHOLDER in text_of(name)
    ]
    problems += [
        f'{name}: "{sentence}" is wrong from now on'
        for name, sentence in NOT_YET.items()
        if sentence in text_of(name)
    ]
    heading = rf"(?m)^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$"
    if len(re.findall(heading, text_of("CHANGELOG.md"))) != 1:
        problems.append(f"CHANGELOG.md: version {version} has no heading with a date")
    waiting = {path.name for path in (REPOSITORY / "changelog.d").glob("*.md")} - {"README.md"}
    problems += [f"changelog.d/{name}: is not in CHANGELOG.md" for name in sorted(waiting)]
    if not (REPOSITORY / "tests" / "kept" / version).is_dir():
        problems.append(f"tests/kept/{version}: has no files (tests/helpers/kept_files.py)")
    return problems


def text_of(name: str) -> str:
    """Returns the text of a file of the repository."""
    return (REPOSITORY / name).read_text("utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:3])
