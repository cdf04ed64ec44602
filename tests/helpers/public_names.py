"""The names of the public modules."""

import re
from pathlib import Path

import piecework as pw

SOURCE = Path(pw.__file__).parent
PROGRAMS = {"__main__.py", "cli", "play", "reference", "_core"}
"""The files and folders that are run or read, and not imported by programs."""


def public_modules() -> list[str]:
    """Returns the modules of which no part has an underscore."""
    files = (file.relative_to(SOURCE) for file in SOURCE.rglob("*.py"))
    names = (
        ".".join(file.with_suffix("").parts).removesuffix("__init__").rstrip(".")
        for file in files
        if file.parts[0] not in PROGRAMS
    )
    return sorted(name for name in names if not re.search(r"(^|\.)_", name))
