"""Draws the results of `make bench` as the README's picture, in a light and a dark color scheme: `make bench-figure`.

Reads bench/results.json and writes docs/images/speed-light.svg and speed-dark.svg; the same JSON always gives the same
bytes. To measure again and draw, in about 15 minutes: `make bench bench-figure ARGS=figure`.
"""

from __future__ import annotations

import argparse
import json
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape

from results import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

RESULTS = Path(__file__).with_name("results.json")
IMAGES = Path(__file__).parents[1] / "docs" / "images"

Json = dict[str, Any]


class Scheme(NamedTuple):
    """Colors; a pale one is for the part of a bar that only a warm cache reaches."""

    background: str
    border: str
    text: str
    muted: str
    ours: str
    ours_pale: str
    peer: str
    peer_pale: str


# The contrast of all text with the background is at least 4.5, as WCAG 2 requires.
SCHEMES = {
    "light": Scheme(
        *("#ffffff", "#d1d9e0", "#1f2328", "#59636e"),
        *("#0969da", "#80bbf5", "#818b98", "#cdd3da"),
    ),
    "dark": Scheme(
        *("#0d1117", "#3d444d", "#f0f6fc", "#9198a1"),
        *("#4493f8", "#1f4e8c", "#9198a1", "#444c56"),
    ),
}
PANELS = (("WordPiece", "BPE"), ("Unigram", "training"))
"""The groups of the left and of the right column."""
TITLES = {
    "WordPiece": "WordPiece encoding",
    "BPE": "BPE encoding",
    "Unigram": "Unigram encoding",
    "training": "Training, 32,000 entries",
}
UNITS = {
    "MB/s": "MB per CPU second, cold cache / warm cache; more is better",
    "s": "CPU seconds; less is better",
}
MARKS = {"MB/s": "gives other ids", "s": "trains another model"}
"""The meaning of † for encoding and for training."""
FONT = "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif"

# Lengths in pixels.
WIDTH, MARGIN, GAP = 800, 16, 24
PANEL = (WIDTH - 2 * MARGIN - GAP) // 2
LABEL = 92
"""The width of the names of the libraries."""
VALUE = 74
"""The width of the figures."""
BAR, PITCH = 10, 15
HEADING, SUBHEADING, MODEL_GAP, CELL, BETWEEN = 20, 16, 5, 18, 16
LEGEND, LINE = 22, 15
LINE_LENGTH = 118
"""Characters in a line of the caption."""


class Bar(NamedTuple):
    """The figures of a library in one task: with a cold and a warm cache, or one of a training."""

    library: str
    figures: tuple[float, ...]
    best: tuple[bool, ...]
    """Whether each figure is the best of several."""
    is_different: bool
    """Whether the library gives other ids, or trains another model."""


class Task(NamedTuple):
    """The bars of one model and text."""

    group: str
    model: str
    text: str
    unit: str
    bars: list[Bar]

    @property
    def height(self) -> int:
        """Height in pixels."""
        return CELL + PITCH * len(self.bars)


def main() -> None:
    """Writes a picture for each color scheme."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="?", default=RESULTS)
    parser.add_argument("--folder", type=Path, default=IMAGES)
    asked = parser.parse_args()
    try:
        document = read(asked.results)
    except ValueError as error:
        parser.error(str(error))
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name in SCHEMES:
        path = asked.folder / f"speed-{name}.svg"
        path.write_bytes(svg(document, name).encode())
        print(path)


def read(path: Path) -> Json:
    """Returns the document in a file; raises `ValueError` if `make bench` of this version did not write it."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"not JSON: {error}"
        raise ValueError(f"{path}: {reason}; write it with `make bench ARGS=figure`") from error
    found = document.get("schema") if isinstance(document, dict) else None
    if found != SCHEMA:
        raise ValueError(
            f"{path}: schema {found!r}, expected {SCHEMA!r}; write it again with `make bench ARGS=figure`"
        )
    present = {cell["group"] for cell in document["cells"]}
    if present != set(TITLES):
        raise ValueError(
            f"{path}: cells of {sorted(present)}, expected {sorted(TITLES)}; run `make bench ARGS=figure`"
        )
    return dict(document)


def svg(document: Json, scheme: str) -> str:
    """Returns the picture as SVG text."""
    colors, groups = SCHEMES[scheme], tasks(document["cells"])
    body: list[str] = []
    bottom = 0
    for column, names in enumerate(PANELS):
        left, top = MARGIN + column * (PANEL + GAP), MARGIN + LEGEND
        for name in names:
            body += panel(groups[name], left, top, colors)
            top += panel_height(groups[name]) + BETWEEN
        bottom = max(bottom, top)
    notes = captions(document)
    for number, line in enumerate(notes):
        body.append(text(MARGIN, bottom + 4 + number * LINE, line, colors.muted))
    height = bottom + LINE * len(notes) + MARGIN - 8
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title desc" '
            f'font-family="{FONT}" font-size="11">',
            f'<title id="title">{escape(title())}</title>',
            f'<desc id="desc">{escape(description(document, groups))}</desc>',
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6" '
            f'fill="{colors.background}" stroke="{colors.border}"/>',
            *legend(colors),
            *body,
            "</svg>\n",
        ]
    )


def title() -> str:
    """Returns the title, for screen readers."""
    return "Speed of piecework and of other tokenizer libraries on one thread"


def description(document: Json, groups: dict[str, list[Task]]) -> str:
    """Returns all figures as sentences, for screen readers."""
    listed = (
        f"{TITLES[task.group]}, {heading(task)}: "
        + "; ".join(f"{bar.library} {shown(bar, task.unit)}" for bar in task.bars)
        for names in PANELS
        for name in names
        for task in groups[name]
    )
    return ". ".join([*listed, *captions(document)])


def captions(document: Json) -> list[str]:
    """Returns the lines below the panels: the marks, the machine, and the versions."""
    machine, versions = document["machine"], document["versions"]
    used = {name for cell in document["cells"] for name in (*cell["figures"], *cell["different"])}
    # Names and versions are not parted at the end of a line.
    libraries = [f"{name}\u00a0{versions[name]}" for name in versions if name in used]
    threads = f"{document['threads']} thread{'s' if document['threads'] > 1 else ''}"
    lines = [
        f"{machine['cpus']} × {machine['cpu']} ({machine['architecture']}), kernel {document['kernel']}, "
        f"{threads}, {document['date']}",
        *wrap(f"{', '.join(libraries)}; Python {versions['python']}", LINE_LENGTH),
    ]
    marks = {cell["unit"]: MARKS[cell["unit"]] for cell in document["cells"] if cell["different"]}
    if marks:
        lines.insert(0, f"† {' or '.join(sorted(marks.values()))}")
    return lines


def tasks(cells: Iterable[Json]) -> dict[str, list[Task]]:
    """Returns the tasks of each group by model, with both states of the cache in one."""
    ordered: dict[tuple[str, str, str], list[Json]] = {}
    for cell in cells:
        ordered.setdefault((cell["group"], cell["model"], cell["text"]), []).append(cell)
    found: dict[str, list[Task]] = {}
    models = list(dict.fromkeys(model for _, model, _ in ordered))
    for (group, model, kind), states in sorted(
        ordered.items(), key=lambda item: models.index(item[0][1])
    ):
        states.sort(key=lambda cell: ("cold", "warm", None).index(cell["cache"]))
        task = Task(group, model, kind, states[0]["unit"], list(bars(states)))
        found.setdefault(group, []).append(task)
    return found


def bars(states: Sequence[Json]) -> Iterator[Bar]:
    """Yields the bars of a task, from its cells."""
    best = max if states[0]["unit"] == "MB/s" else min
    records = [best(cell["figures"].values()) for cell in states]
    different = states[0]["different"]
    for library in dict.fromkeys([*states[0]["figures"], *different]):
        figures = tuple(cell["figures"][library] for cell in states if library in cell["figures"])
        firsts = tuple(
            x == record and len(states[0]["figures"]) > 1
            for x, record in zip(figures, records, strict=False)
        )
        yield Bar(library, figures, firsts, library in different)


def panel_height(group: Sequence[Task]) -> int:
    """Returns the height of a panel in pixels."""
    models = len({task.model for task in group if task.unit == "MB/s"})
    below = models * (SUBHEADING + MODEL_GAP)
    return HEADING + SUBHEADING + below + sum(task.height for task in group)


def panel(group: Sequence[Task], left: int, top: int, colors: Scheme) -> Iterator[str]:
    """Yields the elements of a panel: its headings, and the bars of each task on one scale."""
    longest = max(x for task in group for bar in task.bars for x in bar.figures)
    scale = (PANEL - LABEL - VALUE) / longest
    unit = group[0].unit
    yield text(left, top + 12, TITLES[group[0].group], colors.text, "bold", size=14)
    yield text(left, top + HEADING + 9, UNITS[unit], colors.muted)
    top += HEADING + SUBHEADING
    for model, listed in groupby(group, key=lambda task: task.model):
        if unit == "MB/s":
            yield text(left, top + MODEL_GAP + 10, model, colors.text, "italic")
            top += MODEL_GAP + SUBHEADING
        for task in listed:
            yield text(left, top + 12, heading(task, short=True), colors.text, "bold")
            for number, bar in enumerate(task.bars):
                row = top + CELL + number * PITCH
                yield from drawn(bar, task.unit, (left, row), scale, colors)
            top += task.height


def drawn(
    bar: Bar, unit: str, place: tuple[int, int], scale: float, colors: Scheme
) -> Iterator[str]:
    """Yields the elements of a bar: the name, a rectangle for each figure, and the figures."""
    left, top = place
    is_ours = bar.library == "piecework"
    shades = (colors.ours, colors.ours_pale) if is_ours else (colors.peer, colors.peer_pale)
    name, weight = bar.library + ("†" if bar.is_different else ""), "bold" if is_ours else ""
    yield text(left + LABEL - 6, top + 9, name, colors.text, weight, anchor="end")
    widths = [max(1.0, figure * scale) for figure in bar.figures]
    # The longer one first, so that the shorter one, of the cold cache, is seen in front of it.
    by_width = sorted(zip(widths, shades, strict=False), key=lambda pair: pair[0])
    for width, color in reversed(by_width):
        yield f'<rect x="{left + LABEL}" y="{top}" width="{width:.1f}" height="{BAR}" fill="{color}"/>'
    end = f"{left + LABEL + max(widths, default=0) + 5:.1f}"
    yield text(end, top + 9, shown(bar, unit, marked=True), colors.text, is_markup=True)


def legend(colors: Scheme) -> Iterator[str]:
    """Yields the elements of the legend."""
    top, left = MARGIN - 4, MARGIN
    for ours, peer, name in (
        (colors.ours, colors.peer, "cold cache (first pass of a new tokenizer)"),
        (colors.ours_pale, colors.peer_pale, "warm cache (later passes)"),
    ):
        for place, color in enumerate((ours, peer)):
            x = left + 14 * place
            yield f'<rect x="{x}" y="{top}" width="14" height="{BAR}" fill="{color}"/>'
        yield text(left + 34, top + 9, name, colors.text)
        left += 34 + 6 * len(name) + 24
    yield text(WIDTH - MARGIN, top + 9, "bold figure: the best", colors.muted, anchor="end")


def heading(task: Task, *, short: bool = False) -> str:
    """Returns the name of a task; the short one of an encoding leaves out the model, which has a heading."""
    return task.text if short and task.unit == "MB/s" else f"{task.model}, {task.text}"


def shown(bar: Bar, unit: str, *, marked: bool = False) -> str:
    """Returns the figures of a bar; marked, the best ones are bold."""
    if not bar.figures:
        return "not compared: other ids"
    written = [number(figure) for figure in bar.figures]
    if marked:
        pairs = zip(written, bar.best, strict=True)
        written = [f'<tspan font-weight="bold">{x}</tspan>' if best else x for x, best in pairs]
    return " / ".join(written) + ("" if marked and unit == "MB/s" else f" {unit}")


def number(figure: float) -> str:
    """Returns a figure with three digits, or with all of its integer part."""
    decimals = next(n for n, least in enumerate((99.95, 9.995, 0)) if figure >= least)
    return f"{figure:.{decimals}f}"


def text(
    x: float | str,
    y: int,
    content: str,
    color: str,
    style: str = "",
    *,
    size: int | None = None,
    anchor: str = "",
    is_markup: bool = False,
) -> str:
    """Returns a text element whose baseline begins at a point; `anchor="end"`: ends there."""
    attributes = {
        "font-weight": style if style == "bold" else "",
        "font-style": style if style == "italic" else "",
        "font-size": size or "",
        "text-anchor": anchor,
    }
    written = "".join(f' {name}="{value}"' for name, value in attributes.items() if value)
    inner = content if is_markup else escape(content)
    return f'<text x="{x}" y="{y}"{written} fill="{color}">{inner}</text>'


if __name__ == "__main__":
    main()
