"""Reads which modules of a Rust crate import which, from the tokens of its sources."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

Graph = dict[str, dict[str, list[str]]]
"""For each top folder or file the others that it imports, each with the places `file:line` that do so."""
Module = tuple[str, ...]
"""The path of a module from the root of its crate, without `crate`."""

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/
        |[bc]?r(?P<hashes>\#*)".*?"(?P=hashes)|[bc]?"(?:\\.|[^"\\])*"
        |b?'(?:\\u\{\w+\}|\\x\w\w|\\.|[^\\'\n])'|'\w+)
        |(?:r\#)?\w+|::|.""",
    re.DOTALL | re.VERBOSE,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """Holds a token that is no comment, string, character or lifetime, and its line from 1."""

    text: str
    line: int


def sources_of(folder: Path) -> dict[str, str]:
    """Returns the sources of a crate by their paths in its folder, without `tests.rs`."""
    files = (file for file in sorted(folder.rglob("*.rs")) if file.name != "tests.rs")
    return {file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in files}


def imports(sources: Mapping[str, str]) -> Graph:
    """Returns which top folders and files of a crate import which; `lib.rs` is none of them.

    Args:
        sources: The texts of the files by their paths in `src/`; `lib.rs` is needed for the names that it re-exports.

    Raises:
        ValueError: If a path begins with a name that is neither a module of the crate nor re-exported by `lib.rs`.
    """
    modules = {file: _module(file) for file in sources}
    tops = {module[0] for module in modules.values() if module}
    exported = _exported(sources.get("lib.rs", ""))
    graph: Graph = {top: {} for top in sorted(tops)}
    for file, module in modules.items():
        for path, line in _absolute_paths(module, sources[file]) if module else ():
            name = exported.get(path[0], path[0])
            if name not in tops:
                raise ValueError(f"{file}:{line}: {name} is no module of the crate")
            places = graph[module[0]].setdefault(name, []) if name != module[0] else []
            if f"{file}:{line}" not in places:
                places.append(f"{file}:{line}")
    return graph


def _module(file: str) -> Module:
    """Returns the path of the module that a file defines."""
    path = PurePosixPath(file).with_suffix("")
    return path.parent.parts if path.name in {"mod", "lib"} else path.parts


def _exported(root: str) -> dict[str, str]:
    """Returns the names that the root of a crate re-exports, each with its top module."""
    code = _without_tests(_tokens(root))
    uses = (at for at, token in enumerate(code) if token.text == "use")
    return {path[-1]: path[0] for at in uses for path in _expand(code, at + 1)[0]}


def _absolute_paths(module: Module, source: str) -> Iterator[tuple[Module, int]]:
    """Yields the paths of a file that begin with `crate` or `super`, from the root on, each with its line."""
    code = _without_tests(_tokens(source))
    inline = _inline_modules(code)
    for at, token in enumerate(code):
        if _begins_path(code, at):
            for path in _expand(code, at)[0]:
                found = _resolve((*module, *inline[at]), path)
                if found:
                    yield found, token.line


def _resolve(module: Module, path: Module) -> Module:
    """Returns a path from the root of the crate on; empty for an ancestor itself."""
    if path[0] == "crate":
        return path[1:]
    ups = next((at for at, name in enumerate(path) if name != "super"), len(path))
    return (*module[: len(module) - ups], *path[ups:])


def _begins_path(code: list[Token], at: int) -> bool:
    """Returns whether a path of `crate` or `super` begins at a token, which is not that of a visibility."""
    before = [token.text for token in code[max(0, at - 3) : at]]
    is_visibility = before[-2:] == ["pub", "("] or before == ["pub", "(", "in"]
    follows = code[at + 1].text if at + 1 < len(code) else ""
    return (
        code[at].text in {"crate", "super"}
        and follows == "::"
        and before[-1:] != ["::"]
        and not is_visibility
    )


def _tokens(source: str) -> list[Token]:
    """Returns the tokens of a source."""
    found, line = [], 1
    for match in _TOKEN.finditer(source):
        if match["skip"] is None:
            found.append(Token(match[0].removeprefix("r#"), line))
        line += match[0].count("\n")
    return found


def _without_tests(code: list[Token]) -> list[Token]:
    """Returns the tokens without the items that only tests compile."""
    kept, at = [], 0
    while at < len(code):
        if _is_test_attribute(code, at):
            at = _end_of_item(code, _end_of_group(code, at + 1))
        else:
            kept.append(code[at])
            at += 1
    return kept


def _is_test_attribute(code: list[Token], at: int) -> bool:
    """Returns whether `#[cfg(test)]` begins at a token, or `#[cfg(all(test, …))]`."""
    texts = [token.text for token in code[at : at + 7]]
    return texts[:5] == ["#", "[", "cfg", "(", "test"] or texts == [
        *"#[",
        "cfg",
        "(",
        "all",
        "(",
        "test",
    ]


def _end_of_item(code: list[Token], at: int) -> int:
    """Returns the position after the item that begins at a token: after its semicolon or its block."""
    is_use = False
    while at < len(code):
        text = code[at].text
        is_use = is_use or text == "use"
        if text in _CLOSING:
            at = _end_of_group(code, at)
            if text == "{" and not is_use:
                return at
        else:
            at += 1
            if text == ";":
                return at
    return at


def _end_of_group(code: list[Token], at: int) -> int:
    """Returns the position after the bracket that closes the one at a token."""
    depth = 0
    for end in range(at, len(code)):
        depth += (code[end].text in _CLOSING) - (code[end].text in _CLOSING.values())
        if depth == 0:
            return end + 1
    return len(code)


def _inline_modules(code: list[Token]) -> defaultdict[int, Module]:
    """Returns for each position in a module with a block the names of these modules, from the outermost."""
    inside: defaultdict[int, Module] = defaultdict(tuple)
    for at, token in enumerate(code[:-2]):
        if token.text == "mod" and code[at + 2].text == "{":
            for position in range(at, _end_of_group(code, at + 2)):
                inside[position] = (*inside[position], code[at + 1].text)
    return inside


def _expand(code: list[Token], at: int, prefix: Module = ()) -> tuple[list[Module], int]:
    """Returns the paths that begin at a token, one for each name of a group, and the position after them."""
    if code[at].text == "{":
        found, at = list[Module](), at + 1
        while code[at].text != "}":
            paths, at = _expand(code, at, prefix)
            found += paths
            at += code[at].text == ","
        return found, at + 1
    path = prefix if code[at].text == "self" and prefix else (*prefix, code[at].text)
    at += 1
    if code[at].text == "::" and code[at + 1].text != "<":
        return _expand(code, at + 1, path)
    if code[at].text == "as":
        at += 2
    return [path], at
