"""Runs the programs in `tools/` that write a page of the docs."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path


def run(documentation: str | None, path: Path, page: Callable[[], str]) -> None:
    """Writes a page, or with `--check` exits with 1 if the file differs from it.

    Args:
        documentation: The docstring of the program, whose first line describes it.
        path: The file.
        page: Returns the text of the page.
    """
    parser = argparse.ArgumentParser(description=(documentation or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    is_check = parser.parse_args().check
    text = page()
    if not is_check:
        path.write_text(text, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        sys.exit(f"{path.name} is stale: run tools/{Path(sys.argv[0]).name}")
