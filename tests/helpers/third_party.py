"""Makes THIRD_PARTY.md: what is compiled into the module, under which licences, with their texts."""

import re
from pathlib import Path

from crates import SHIPPED, Package, linked
from paths import REPOSITORY

PAGE = REPOSITORY / "THIRD_PARTY.md"
CHOICES = ("Apache-2.0", "MIT")
"""The licences that are taken where a crate offers several, the first of them that it offers."""
FILES = {
    "MIT": ("LICENSE-MIT", "LICENSE.md", "LICENSE.txt", "LICENSE"),
    "BSD-2-Clause": ("LICENSE",),
    "BSD-3-Clause": ("LICENSE-WHATWG",),
    "Zlib": ("LICENSE",),
}
"""The names of the files in which crates have the texts of their licences."""
NOTICES = re.compile(r"NOTICE(\.\w+)?")

OTHERS = (
    (
        "Oniguruma",
        "BSD-2-Clause",
        "The regular expressions of files, in C; the crate `onig_sys` has its sources.",
        lambda: crate_folder("onig_sys") / "oniguruma" / "COPYING",
    ),
    (
        "Data of Unicode",
        "Unicode-3.0",
        "`crates/core/src/normalize/rules.tsv` and `crates/core/src/text/unicode/tables.bin` are made of data files of Unicode, "
        "and so are tables of the crates `unicode-normalization-alignments` and `unicode-segmentation`.",
        lambda: REPOSITORY / "crates" / "core" / "src" / "text" / "unicode" / "LICENSE",
    ),
    (
        "jieba",
        "MIT",
        "`crates/core/src/pretokenize/jieba/tables.bin` has the dictionary and the hidden Markov model of "
        "[jieba](https://github.com/fxsjy/jieba) 0.42.1, in a format of our own (`tools/jieba_tables.py` writes it).",
        lambda: REPOSITORY / "crates" / "core" / "src" / "pretokenize" / "jieba" / "LICENSE",
    ),
    (
        "libunwind of LLVM",
        "Apache-2.0 WITH LLVM-exception",
        "The wheels for Linux are linked by zig with it, instead of the library of GCC; `compiler_builtins` of Rust is of the same "
        "project.",
        lambda: REPOSITORY / "tools" / "licences" / "llvm-exception.txt",
    ),
    (
        "compiler_rt of zig",
        "MIT",
        "Functions that compilers call, in the wheels for Linux.",
        lambda: REPOSITORY / "tools" / "licences" / "zig.txt",
    ),
)
"""Other content that is compiled in: its name, its licence, a description, and the file with the text."""

HEAD = """# Third-party content

What others wrote and is compiled into the module `piecework._core`, with the licences that apply to it and their texts. The
packages of Python that piecework requires are not part of it. `tools/make_third_party.py` writes this page.

The crates are those of all systems for which there are wheels; some are in those of macOS or Windows alone.

The text of Apache-2.0 is in the file LICENSE. The standard library of Rust, which is compiled in as well, has this licence, too (it
is offered under MIT or Apache-2.0).

| crate | version | licence |
|---|---|---|
"""


def page() -> str:
    """Returns the text of the page."""
    found = sorted(linked(*SHIPPED), key=lambda crate: str(crate["name"]))
    rows = [
        f"| [{crate['name']}](https://crates.io/crates/{crate['name']}) | {crate['version']} | {' AND '.join(taken(crate))} |\n"
        for crate in found
    ]
    sections = [
        section(name, licence, f"{what}\n", path().read_text("utf-8"))
        for name, licence, what, path in OTHERS
    ]
    return HEAD + "".join(rows) + "".join(sections) + "".join(texts(found))


def expression() -> str:
    """Returns the licences of piecework and of all that is compiled into it as an SPDX expression."""
    licences = {licence for crate in linked(*SHIPPED) for licence in taken(crate)}
    return " AND ".join(
        sorted(licences | {licence for _, licence, _, _ in OTHERS} | {"Apache-2.0"})
    )


def taken(crate: Package) -> list[str]:
    """Returns the licences under which a crate is used."""
    # Some old crates write a slash for OR.
    parts = str(crate["license"]).replace("/", " OR ").split(" AND ")
    return sorted({choice(part.strip("()").split(" OR ")) for part in parts})


def choice(offered: list[str]) -> str:
    """Returns the licence that is taken of those that a crate offers."""
    return next((licence for licence in CHOICES if licence in offered), offered[0])


def texts(found: list[Package]) -> list[str]:
    """Returns the sections with the texts of licences and notices, each text once."""
    users: dict[tuple[str, str], list[str]] = {}
    for crate in found:
        folder = Path(crate["manifest_path"]).parent
        for licence in taken(crate):
            if licence in FILES:
                file = next(folder / name for name in FILES[licence] if (folder / name).is_file())
                users.setdefault((licence, file.read_text("utf-8")), []).append(crate["name"])
        for file in sorted(folder.iterdir()):
            if NOTICES.fullmatch(file.name):
                users.setdefault(("Notice", file.read_text("utf-8")), []).append(crate["name"])
    return [
        section(", ".join(names), licence, "", text) for (licence, text), names in users.items()
    ]


def section(name: str, licence: str, what: str, text: str) -> str:
    """Returns the section of a text."""
    lines = "\n".join(line.rstrip() for line in text.strip().expandtabs().splitlines())
    return f"\n## {name}: {licence}\n\n{what}{what and chr(10)}```text\n{lines}\n```\n"


def crate_folder(name: str) -> Path:
    """Returns the folder with the sources of a crate."""
    return next(
        Path(crate["manifest_path"]).parent for crate in linked(*SHIPPED) if crate["name"] == name
    )
