"""The installed package: version, types, dependencies and import time."""

import ast
import importlib.metadata
import importlib.resources
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import index_readme
import piecework
from paths import REPOSITORY

pytestmark = pytest.mark.smoke

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HEAVY = ("click", "pyarrow", "polars", "pandas", "tokenizers", "asyncio", "http")


def python(*arguments: str) -> str:
    """Runs another interpreter and returns its output."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def locked(name: str) -> set[str]:
    """Returns the lines of a lock file."""
    return set((REPOSITORY / "requirements" / name).read_text(encoding="utf-8").splitlines())


def test_versions_agree() -> None:
    cargo = tomllib.loads((REPOSITORY / "Cargo.toml").read_text(encoding="utf-8"))
    assert piecework.__version__ == PROJECT["version"]
    assert importlib.metadata.version("piecework") == PROJECT["version"]
    assert cargo["workspace"]["package"]["version"] == PROJECT["version"]


def test_type_information_is_installed() -> None:
    package = importlib.resources.files("piecework")
    assert (package / "py.typed").is_file()
    assert (package / "_core" / "__init__.pyi").is_file()


def test_page_is_installed() -> None:
    assets = REPOSITORY / "python" / "piecework" / "play" / "assets"
    installed = importlib.resources.files("piecework") / "play" / "assets"
    assert (assets / "index.html").is_file()
    for file in assets.iterdir():
        assert (installed / file.name).read_bytes() == file.read_bytes()


def test_package_requires_three_packages() -> None:
    required = importlib.metadata.requires("piecework") or []
    names = {re.split(r"\W", line, maxsplit=1)[0] for line in required if "extra ==" not in line}
    assert names == {"click", "filelock", "numpy"}


def test_import_loads_no_heavy_packages() -> None:
    loaded = python("-c", "import sys, piecework; print(*sys.modules)").split()
    assert "piecework" in loaded
    assert not set(HEAVY).intersection(loaded)


def test_loading_and_encoding_do_not_import_numpy() -> None:
    script = """
import sys
import piecework as pw
tok = pw.Tokenizer.from_str("[UNK]\\n[CLS]\\n[SEP]\\nhug\\n##s\\n")
assert tok.encode_ids("hugs") == tok.encode("hugs").ids == [1, 3, 4, 2]
assert (tok.count("hugs"), tok.tokenize("hugs"), tok.decode([3, 4])) == (4, ["hug", "##s"], "hugs")
light = sorted(sys.modules)
assert tok.encode_batch(["hugs"]).to_list() == [[1, 3, 4, 2]]
print(*light, "-", *sys.modules, "-")
tok.encode_batch(["hugs"]).ids
print(*sys.modules)
"""
    light, batch, array = (part.split() for part in python("-c", script).split("-"))
    # These modules took most of the start-up time.
    assert not {"numpy", "dataclasses", "inspect", "pathlib", "tempfile"}.intersection(light)
    assert "numpy" not in batch
    assert "numpy" in array


def test_import_takes_less_than_half_a_second() -> None:
    script = "import time, numpy; t = time.perf_counter(); import piecework; print(time.perf_counter() - t)"
    assert min(float(python("-c", script)) for _ in range(3)) < 0.5


def test_reference_imports_without_core_and_numpy(tmp_path: Path) -> None:
    """Copies the Python sources and imports them in an interpreter without installed packages."""
    source = Path(piecework.__file__).parent
    for file in source.rglob("*.py"):
        copy = tmp_path / "piecework" / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import piecework.reference as r; print(r.__file__)"
    assert python("-I", "-S", "-c", script).startswith(str(tmp_path))


def test_only_io_and_cli_open_files() -> None:
    """The import contracts cannot check this, since `open` is a builtin."""
    package = Path(piecework.__file__).parent
    opening = [
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if file.relative_to(package).parts[0] not in {"_io", "cli"}
        and file.name != "_worker.py"  # its standard input and output
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"open", "os.open", "os.fdopen"}
    ]
    assert not opening


def test_lock_files_agree() -> None:
    assert locked("run.txt") <= locked("test.txt")
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in locked("test.txt"))


def test_the_index_shows_absolute_links() -> None:
    assert index_readme.PAGE.read_text("utf-8") == index_readme.page(), (
        "run tools/make_index_readme.py"
    )
    source = index_readme.urls()["Source"]
    links = re.findall(r"""(?:\]\(|\b(?:src|srcset)=")([^)"\s]+)""", index_readme.page())
    assert len(links) > 30
    for link in links:
        path = re.sub(f"^{re.escape(source)}/(?:blob|raw)/main/", "", link)
        assert path == link or (REPOSITORY / path.partition("#")[0]).exists(), link
        assert link.startswith(("https://", "#")), link


def test_all_addresses_follow_from_one() -> None:
    urls = index_readme.urls()
    source = urls.pop("Source")
    assert all(url.startswith(f"{source}/") for url in urls.values())
    project = importlib.metadata.metadata("piecework")
    assert set(project.get_all("Project-URL") or []) == {
        f"{name}, {url}" for name, url in index_readme.urls().items()
    }
    assert (project["Author"], project["License-Expression"]) == (
        "The piecework developers",
        PROJECT["license"],
    )
