"""All segmentations of a text at once: a lattice, and the few things to ask of it.

    h u g s          pieces h, u, g, s, hu, ug, hug, gs

    0 ─h─ 1 ─u─ 2 ─g─ 3 ─s─ 4        and the edges 0 ─hu─ 2, 1 ─ug─ 3, 0 ─hug─ 3, 2 ─gs─ 4

A segmentation is a path from 0 to the end. The best path is found by Viterbi's algorithm, the sum over all
paths by going forward, what each edge has of that sum by going forward and back, a path by chance in the
same way; `nbest` finds the best few. Edges stand in order of their start, then of their end, and
everything sums in that order.

Rules with numbers, such as U16, are those of `spec/unigram.md`.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from piecework.reference.chance import SplitMix64
from piecework.reference.floats import ONE, ZERO, Wide

Rounding = Callable[[float], float]

UNKNOWN = ""
UNKNOWN_PENALTY = 10.0
"""What is unknown is by so much less likely than the least likely piece (U31)."""


class Edge(NamedTuple):
    """Gives one piece at its place.

    Args:
        start: Position of its first character.
        end: One past the last.
        entry: The entry of the vocabulary; empty for an unknown character.
    """

    start: int
    end: int
    entry: str


def matches(text: str, entries: Container[str], longest: int, prefix: str = "") -> Iterator[Edge]:
    """Gives the edges of a text.

    Args:
        text: Any text.
        entries: The pieces.
        longest: Characters of the longest one.
        prefix: What those begin with that do not stand at the start of the text.

    Returns:
        Edges by start, then by end.

    >>> [edge.entry for edge in matches("hug", {"u", "ug", "hug"}, 3)]
    ['hug', 'u', 'ug']
    """
    for start in range(len(text)):
        before = prefix if start else ""
        for end in range(start + 1, min(start + longest, len(text)) + 1):
            entry = before + text[start:end]
            if entry in entries:
                yield Edge(start, end, entry)


def with_unknown(edges: Iterable[Edge], size: int) -> list[Edge]:
    """Adds an edge of one character wherever there is none, for what is unknown.

    Args:
        edges: Edges of a text.
        size: Its characters.

    Returns:
        All edges by start, then by end.

    >>> with_unknown([Edge(0, 2, "ab")], 2)[0]
    Edge(start=0, end=1, entry='')
    """
    known = list(edges)
    bare = set(range(size)) - {edge.start for edge in known if edge.end == edge.start + 1}
    return sorted(known + [Edge(start, start + 1, UNKNOWN) for start in bare])


def reachable(edges: Iterable[Edge]) -> list[Edge]:
    """Gives those edges of a text that some path from its start goes over.

    >>> reachable([Edge(0, 1, "a"), Edge(1, 2, "b"), Edge(3, 4, "c")])
    [Edge(start=0, end=1, entry='a'), Edge(start=1, end=2, entry='b')]
    """
    reached, kept = {0}, []
    for edge in edges:
        if edge.start in reached:
            reached.add(edge.end)
            kept.append(edge)
    return kept


# The best


def best(
    size: int,
    edges: Sequence[Edge],
    scores: Sequence[float],
    rounded: Rounding = float,
    far: float = inf,
) -> list[Edge]:
    """Gives the best path (U32).

    Args:
        size: Characters of the text.
        edges: Its edges in order, all of them reachable; there is a path.
        scores: One for each edge.
        rounded: What is done to each sum.
        far: A sum farther from 0 is subtracted from itself and from all behind it.

    Returns:
        Its edges from left to right. Tie rule: at each position, the longer of the last edges of equal
        paths. Cost: linear in the edges.

    >>> edges = [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")]
    >>> [edge.entry for edge in best(2, edges, [-1.0, -2.0, -1.0])]
    ['ab']
    """
    last: dict[int, Edge] = {}
    reached = {0: 0.0}
    for edge, score in zip(edges, scores, strict=True):
        if abs(lead := reached[edge.start]) > far:
            behind = {
                end: rounded(sum_ - lead) for end, sum_ in reached.items() if end >= edge.start
            }
            reached |= behind
        here = rounded(reached[edge.start] + score)
        if edge.end not in reached or here > reached[edge.end]:
            last[edge.end], reached[edge.end] = edge, here
    path: list[Edge] = []
    while size:
        path.append(last[size])
        size = path[-1].start
    return path[::-1]


def by_end(size: int, edges: Iterable[Edge]) -> list[list[int]]:
    """Gives the numbers of the edges that end at each position, in order of their starts.

    >>> by_end(2, [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")])
    [[], [0], [1, 2]]
    """
    ends: list[list[int]] = [[] for _ in range(size + 1)]
    for number, edge in enumerate(edges):
        ends[edge.end].append(number)
    return ends


# The sum over all


def forward(size: int, edges: Sequence[Edge], weights: Sequence[Wide]) -> list[Wide]:
    """Gives the sum over all paths to each position of the products of their weights (U16).

    Args:
        size: Characters of the text.
        edges: Its edges in order.
        weights: One for each edge.

    Returns:
        A sum for each position; 1 for position 0.

    >>> half = Wide.of(0.5)
    >>> edges = [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")]
    >>> float(forward(2, edges, [half] * 3)[2])
    0.75
    """
    sums = [ONE] + [ZERO] * size
    for edge, weight in zip(edges, weights, strict=True):
        sums[edge.end] += sums[edge.start] * weight
    return sums


def shares(
    edges: Sequence[Edge], weights: Sequence[Wide], sums: Sequence[Wide], count: Wide
) -> Iterator[tuple[Edge, Wide]]:
    """Divides a count among the edges: each path has the share that its weight has of all (U16).

    Args:
        edges: The edges in order.
        weights: One for each edge.
        sums: What `forward` gives.
        count: What there is to divide.

    Returns:
        Edges, last ones first, each with the count of the paths that go over it.

    >>> half = Wide.of(0.5)
    >>> edges, weights = [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")], [half] * 3
    >>> [round(float(share), 3) for _, share in shares(edges, weights, forward(2, edges, weights), ONE)]
    [0.333, 0.667, 0.333]
    """
    counts = [ZERO] * (len(sums) - 1) + [count]
    for edge, weight in zip(reversed(edges), reversed(weights), strict=True):
        share = sums[edge.start] * weight * (counts[edge.end] / sums[edge.end])
        counts[edge.start] += share
        yield edge, share


def sampled(
    size: int, edges: Sequence[Edge], weights: Sequence[Wide], generator: SplitMix64
) -> list[Edge]:
    """Draws a path, each with the probability that its weight has of all (U38).

    Args:
        size: Characters of the text.
        edges: Its edges in order, all of them reachable; there is a path.
        weights: One for each edge; none is 0.
        generator: One draw is taken for each edge of the path, the last edge first.

    Returns:
        The path. Cost: linear in the edges.

    >>> edges = [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")]
    >>> [edge.entry for edge in sampled(2, edges, [Wide.of(0.5)] * 3, SplitMix64(0))]
    ['a', 'b']
    """
    sums, ends = forward(size, edges, weights), by_end(size, edges)
    path: list[Edge] = []
    end = size
    while end:
        drawn = sums[end] * Wide.of(generator.fraction())
        passed = ZERO
        for number in ends[end]:
            passed += sums[edges[number].start] * weights[number]
            if drawn < passed:
                break
        path.append(edges[number])
        end = path[-1].start
    return path[::-1]
