"""Counts the matches on kinds of components outside the module of their stage, and long parameter lists.

A module that asks which model or normalizer it has must be changed for each new one: the stage states what others need to
know of it. Run it from the root of the repository: ``python tools/count_kinds.py``; ``--check`` fails if there are any.
"""

import re
import sys
from pathlib import Path

CORE = Path("crates/core/src")
# The modules that may match on the kinds of each enum: that of its stage, and the table of the models of a tokenizer.json.
HOMES: dict[str, tuple[str, ...]] = {
    "Model": (
        "model/mod.rs",
        "training/extend.rs",
        "format/tokenizer_json/models/mod.rs",
    ),
    "Trainer": ("model/trainer.rs", "training/mod.rs"),
    "Normalizer": ("normalize/",),
    "PreTokenizer": ("pretokenize/",),
    "PostProcessor": ("postprocess/",),
    "Decoder": ("decode/",),
}
TESTS = re.compile(r"^#\[cfg\(test\)\]\s*\n(?:pub )?mod \w+ \{", re.MULTILINE)
VARIANT = re.compile(rf"\b({'|'.join(HOMES)})::([A-Z]\w*)")


def after_fields(line: str, at: int) -> str:
    """Returns what follows the fields of a variant that ends at a position."""
    rest, depth = line[at:].lstrip(), 0
    for place, char in enumerate(rest):
        depth += (char in "({") - (char in ")}")
        if depth < 0:
            return rest[place:]
        if depth == 0 and char in ")}":
            return rest[place + 1 :].lstrip()
        if depth == 0 and char not in "({":
            return rest[place:].lstrip()
    return ""


def is_pattern(line: str, found: re.Match[str]) -> bool:
    """Returns whether a variant in a line is matched; elsewhere it is made."""
    before, rest = line[: found.start()], after_fields(line, found.end())
    if "matches!(" in before:
        return True
    if re.search(r"\blet\s+(Some\()?[^=]*$", before) and re.match(r"\)?\s*(=|\|)(?!=)", rest):
        return True
    is_arm = re.match(r"\)*\s*(=>|\||if\b)", rest) or before.strip() == "|"
    return bool(is_arm) and "=>" not in before


def matches() -> list[str]:
    """Returns the places of matches outside the homes of the enums."""
    places = []
    for path in sorted(CORE.rglob("*.rs")):
        name = path.relative_to(CORE).as_posix()
        if "tests" in name:
            continue
        text = path.read_text()
        tests = TESTS.search(text)
        for number, line in enumerate(text[: tests.start() if tests else None].splitlines(), 1):
            if line.lstrip().startswith("//"):
                continue
            outside = (
                found for found in VARIANT.finditer(line) if not name.startswith(HOMES[found[1]])
            )
            places += [
                f"{name}:{number}: {found[0]}" for found in outside if is_pattern(line, found)
            ]
    return places


def main() -> int:
    """Prints the matches by file, and their number."""
    places = matches()
    print("\n".join(places))
    print(f"{len(places)} matches on kinds of components outside their stage")
    return int(bool(places) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
