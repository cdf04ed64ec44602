"""All segmentations of a text: a lattice, its best path, the sum over all paths, and sampling.

    h u g s          pieces h, u, g, s, hu, ug, hug, gs

    0 ─h─ 1 ─u─ 2 ─g─ 3 ─s─ 4        and the edges 0 ─hu─ 2, 1 ─ug─ 3, 0 ─hug─ 3, 2 ─gs─ 4

A segmentation is a path from 0 to the end. Viterbi's algorithm finds the best path; the forward
algorithm computes the sum over all paths; forward and backward passes give each edge's share of
that sum, and a random path; `nbest` finds the best few. Edges are ordered by start, then by end,
and all sums are taken in that order.

Rules with numbers, such as U16, are those of `spec/unigram.md`.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from piecework.reference.numbers.floats import ONE, ZERO, WideFloat
from piecework.reference.numbers.prng import SplitMix64

Rounding = Callable[[float], float]

UNKNOWN = ""
UNKNOWN_PENALTY = 10.0
"""The score of an unknown character is the lowest score of a piece minus this (U31)."""


class Edge(NamedTuple):
    """Holds a piece with its position in the text.

    Args:
        start: Position of its first character.
        end: One past the last character.
        entry: The entry of the vocabulary; empty for an unknown character.
    """

    start: int
    end: int
    entry: str


def find_edges(
    text: str, entries: Container[str], longest: int, prefix: str = ""
) -> Iterator[Edge]:
    """Yields the edges of a text.

    Cost: length of the text times `longest`, in look-ups.

    Args:
        text: Any text.
        entries: The pieces.
        longest: Length of the longest piece, in characters.
        prefix: Prefix of the pieces that do not start the text.

    Returns:
        Edges by start, then by end.

    >>> [edge.entry for edge in find_edges("hug", {"u", "ug", "hug"}, 3)]
    ['hug', 'u', 'ug']
    """
    for start in range(len(text)):
        before = prefix if start else ""
        for end in range(start + 1, min(start + longest, len(text)) + 1):
            entry = before + text[start:end]
            if entry in entries:
                yield Edge(start, end, entry)


def add_unknown_edges(edges: Iterable[Edge], size: int) -> list[Edge]:
    """Adds an unknown edge for each character that has no edge of its own.

    Args:
        edges: Edges of a text.
        size: Length of the text in characters.

    Returns:
        All edges by start, then by end.

    >>> add_unknown_edges([Edge(0, 2, "ab")], 2)[0]
    Edge(start=0, end=1, entry='')
    """
    known = list(edges)
    bare = set(range(size)) - {edge.start for edge in known if edge.end == edge.start + 1}
    return sorted(known + [Edge(start, start + 1, UNKNOWN) for start in bare])


def filter_reachable(edges: Iterable[Edge]) -> list[Edge]:
    """Returns the edges that lie on some path from the start of the text.

    >>> filter_reachable([Edge(0, 1, "a"), Edge(1, 2, "b"), Edge(3, 4, "c")])
    [Edge(start=0, end=1, entry='a'), Edge(start=1, end=2, entry='b')]
    """
    reached, kept = {0}, []
    for edge in edges:
        if edge.start in reached:
            reached.add(edge.end)
            kept.append(edge)
    return kept


# The best path


def best_path(
    size: int,
    edges: Sequence[Edge],
    scores: Sequence[float],
    rounding: Rounding = float,
    rebase_threshold: float = inf,
) -> list[Edge]:
    """Returns the path with the greatest sum of scores (U32).

    Source: Viterbi 1967. Tie rule: at each position, of equal paths that whose last edge is longer.
    Cost: linear in the edges.

    Args:
        size: Length of the text in characters.
        edges: The edges in order, all of them reachable; there is a path.
        scores: The score of each edge.
        rounding: Rounds each sum.
        rebase_threshold: A sum of greater magnitude is subtracted from itself and from all sums
            after it.

    Returns:
        The edges of the path from left to right.

    >>> edges = [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")]
    >>> [edge.entry for edge in best_path(2, edges, [-1.0, -2.0, -1.0])]
    ['ab']
    """
    last: dict[int, Edge] = {}
    reached = {0: 0.0}
    for edge, score in zip(edges, scores, strict=True):
        if abs(lead := reached[edge.start]) > rebase_threshold:
            rebased = {
                end: rounding(sum_ - lead) for end, sum_ in reached.items() if end >= edge.start
            }
            reached |= rebased
        total = rounding(reached[edge.start] + score)
        if edge.end not in reached or total > reached[edge.end]:
            last[edge.end], reached[edge.end] = edge, total
    path: list[Edge] = []
    while size:
        path.append(last[size])
        size = path[-1].start
    return path[::-1]


def group_by_end(size: int, edges: Iterable[Edge]) -> list[list[int]]:
    """Returns the indices of the edges that end at each position, in order of their starts.

    >>> group_by_end(2, [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")])
    [[], [0], [1, 2]]
    """
    ends: list[list[int]] = [[] for _ in range(size + 1)]
    for number, edge in enumerate(edges):
        ends[edge.end].append(number)
    return ends


# Sums over all paths


def forward_sums(size: int, edges: Sequence[Edge], weights: Sequence[WideFloat]) -> list[WideFloat]:
    """Returns for each position the sum over paths of the products of their weights (U16).

    Source: the forward algorithm. Cost: linear in the edges.

    Args:
        size: Length of the text in characters.
        edges: The edges in order.
        weights: The weight of each edge.

    Returns:
        The sum for each position; 1 for position 0.

    >>> half = WideFloat.of(0.5)
    >>> edges = [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")]
    >>> float(forward_sums(2, edges, [half] * 3)[2])
    0.75
    """
    sums = [ONE] + [ZERO] * size
    for edge, weight in zip(edges, weights, strict=True):
        sums[edge.end] += sums[edge.start] * weight
    return sums


def expected_counts(
    edges: Sequence[Edge], weights: Sequence[WideFloat], sums: Sequence[WideFloat], count: WideFloat
) -> Iterator[tuple[Edge, WideFloat]]:
    """Yields how often each edge is expected: paths share a count in proportion to weight (U16).

    Source: the forward-backward algorithm. Cost: linear in the edges.

    Args:
        edges: The edges in order.
        weights: The weight of each edge.
        sums: The result of `forward_sums`.
        count: The count to divide among paths.

    Returns:
        Edges, the last first, each with the count of the paths through it.

    >>> half = WideFloat.of(0.5)
    >>> edges, weights = [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")], [half] * 3
    >>> sums = forward_sums(2, edges, weights)
    >>> [round(float(share), 3) for _, share in expected_counts(edges, weights, sums, ONE)]
    [0.333, 0.667, 0.333]
    """
    counts = [ZERO] * (len(sums) - 1) + [count]
    for edge, weight in zip(reversed(edges), reversed(weights), strict=True):
        share = sums[edge.start] * weight * (counts[edge.end] / sums[edge.end])
        counts[edge.start] += share
        yield edge, share


def sample_path(
    size: int, edges: Sequence[Edge], weights: Sequence[WideFloat], generator: SplitMix64
) -> list[Edge]:
    """Draws a path with a probability in proportion to its weight (U38).

    Source: forward filtering, backward sampling. Cost: linear in the edges.

    Args:
        size: Length of the text in characters.
        edges: The edges in order, all of them reachable; there is a path.
        weights: The weight of each edge; none is 0.
        generator: The random numbers: one draw for each edge of the path, the last edge first.

    Returns:
        The edges of the path from left to right.

    >>> edges = [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")]
    >>> [edge.entry for edge in sample_path(2, edges, [WideFloat.of(0.5)] * 3, SplitMix64(0))]
    ['a', 'b']
    """
    sums, ends = forward_sums(size, edges, weights), group_by_end(size, edges)
    path: list[Edge] = []
    end = size
    while end:
        drawn = sums[end] * WideFloat.of(generator.draw_fraction())
        passed = ZERO
        for number in ends[end]:
            passed += sums[edges[number].start] * weights[number]
            if drawn < passed:
                break
        path.append(edges[number])
        end = path[-1].start
    return path[::-1]
