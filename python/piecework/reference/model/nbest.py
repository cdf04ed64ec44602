"""The n best segmentations of a text, in order.

Paths grow from the end of the text toward its start, the most promising first. Viterbi's scores
bound exactly what a partial path can still reach, so complete paths arrive in order of
their scores.

    a b     pieces a -1, b -1, ab -3        agenda: b (bound -2)  ab (bound -3)
                                            then a b (-2), found; ab (-3), found

Rules with numbers, such as U36, are those of `spec/unigram.md`.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import inf
from typing import NamedTuple, TypeVar

from piecework.reference.model.lattice import Edge, Rounding, group_by_end
from piecework.reference.numbers.floats import WideFloat, exp
from piecework.reference.numbers.prng import SplitMix64

T = TypeVar("T")
Segmentation = tuple[tuple[T, ...], float]

MAX_AGENDA_SIZE, SHRUNK_AGENDA_SIZE, MAX_SHRINKS = 10000, 512, 10
MAX_NEW_PARTIALS, MAX_PARTIALS = 100_000, 500_000


class ScoredPath(NamedTuple):
    """Holds a segmentation and its score."""

    edges: list[Edge]
    score: float


class PartialPath(NamedTuple):
    """Holds a suffix of a path.

    Args:
        bound: The score of the best complete path with this suffix.
        score: The score of the suffix.
        edge: Its first edge; None before the first one, and for a complete path.
        rest: The suffix after that edge.
    """

    bound: float
    score: float
    edge: Edge | None
    rest: "PartialPath | None"


class Agenda:
    """Orders partial paths by bound, the highest first (U37).

    A binary heap, which defines the order of equal bounds: of the two children of a free node the
    second moves up, unless it is lower, and so on to the bottom; there the heap's last element is
    inserted, and moves up past all that are lower. Source: SentencePiece's agenda. Cost:
    logarithmic for each operation.

    >>> agenda = Agenda()
    >>> for name, bound in [("a", -1.0), ("b", -1.0), ("c", -2.0)]:
    ...     agenda.push(PartialPath(bound, 0.0, Edge(0, 1, name), None))
    >>> [agenda.pop().edge.entry for _ in range(3)]
    ['a', 'b', 'c']
    """

    def __init__(self) -> None:
        self._heap: list[PartialPath] = []

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, partial: PartialPath) -> None:
        """Adds a partial path."""
        self._heap.append(partial)
        self._sift_up(len(self._heap) - 1, partial)

    def pop(self) -> PartialPath:
        """Removes and returns a partial path of the highest bound."""
        top, last = self._heap[0], self._heap.pop()
        if self._heap:
            index = 0
            while (below := 2 * index + 1) < len(self._heap):
                second = below + 1
                if second < len(self._heap) and self._heap[second].bound >= self._heap[below].bound:
                    below = second
                self._heap[index], index = self._heap[below], below
            self._sift_up(index, last)
        return top

    def shrink(self, size: int) -> "Agenda":
        """Returns an agenda of the first partial paths alone."""
        smaller = Agenda()
        for _ in range(min(size, len(self))):
            smaller.push(self.pop())
        return smaller

    def _sift_up(self, index: int, partial: PartialPath) -> None:
        while index and self._heap[above := (index - 1) // 2].bound < partial.bound:
            self._heap[index], index = self._heap[above], above
        self._heap[index] = partial


def nbest(
    size: int,
    edges: Sequence[Edge],
    scores: Sequence[float],
    max_count: int,
    rounding: Rounding = float,
) -> list[ScoredPath]:
    """Returns the best paths, best first (U36).

    Source: A* search from the end to the start, with Viterbi's scores as the bound, which is exact
    (Nagata 1994). Tie rule: see `Agenda`. Cost: each path takes as many steps as it has edges, if
    few paths have nearly its score, and a step tries all edges that end at one position.

    Args:
        size: Length of the text in characters.
        edges: The edges in order, all of them reachable; there is a path.
        scores: The score of each edge.
        max_count: Most paths to return.
        rounding: Rounds each sum.

    Returns:
        Paths with their scores; the best path alone if the agenda exceeds its limits too often.

    >>> edges = [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")]
    >>> [(len(path.edges), path.score) for path in nbest(2, edges, [-1.0, -3.0, -1.0], 9)]
    [(2, -2.0), (1, -3.0)]
    """
    ends, prefix_scores = group_by_end(size, edges), _prefix_scores(size, edges, scores, rounding)
    found: list[ScoredPath] = []
    kept_size, shrinks, before, created = min(SHRUNK_AGENDA_SIZE, 10 * max_count), 0, 0, 1
    agenda = Agenda()
    agenda.push(PartialPath(0.0, 0.0, None, None))
    while agenda and len(found) < max_count:
        top = agenda.pop()
        if top.rest and not top.edge:
            found.append(ScoredPath(list(_follow(top.rest)), top.score))
            continue
        start = top.edge.start if top.edge else size
        for number in ends[start]:
            bound, score = prefix_scores[number] + top.score, scores[number] + top.score
            agenda.push(PartialPath(rounding(bound), rounding(score), edges[number], top))
        if not start:
            agenda.push(PartialPath(top.score, top.score, None, top))
        created += len(ends[start]) + (not start)
        is_large = len(agenda) >= MAX_AGENDA_SIZE or (
            len(agenda) > kept_size and created - before >= MAX_NEW_PARTIALS
        )
        if created >= MAX_PARTIALS or (is_large and shrinks == MAX_SHRINKS):
            return [_trace_best_path(ends, edges, scores, prefix_scores, rounding)]
        if is_large:
            agenda = agenda.shrink(kept_size)
            shrinks, before = shrinks + 1, created
    return found


def extend_segmentations(
    segmentations: Sequence[Segmentation[T]], paths: Sequence[tuple[T, float]], max_count: int
) -> list[Segmentation[T]]:
    """Combines the best segmentations of the words so far with those of the next word (U46).

    Args:
        segmentations: Paths of the words so far, and the sums of their scores, the best first.
        paths: Paths of the next word with their scores, the best first.
        max_count: Most segmentations to return.

    Returns:
        Segmentations extended by one path, the best first. Tie rule: the earlier segmentation, then
        the earlier path. Cost: for n results, a sort of about n log n combinations.

    >>> extend_segmentations([(("a",), -1.0), (("b",), -2.0)], [("c", -1.0), ("d", -1.5)], 3)
    [(('a', 'c'), -2.0), (('a', 'd'), -2.5), (('b', 'c'), -3.0)]
    """
    pairs = [
        ((*row, path), total + score)
        for rank, (row, total) in enumerate(segmentations, 1)
        for path, score in paths[: max_count // rank]
    ]
    if len(segmentations) > 1 and len(paths) > 1:
        pairs.sort(key=lambda pair: -pair[1])  # the sort is stable
    return pairs[:max_count]


def _prefix_scores(
    size: int, edges: Sequence[Edge], scores: Sequence[float], rounding: Rounding
) -> list[float]:
    """Returns the score of the best path from the start through each edge, to its end."""
    reached: list[float] = [0.0] + [-inf] * size
    prefix_scores: list[float] = []
    for edge, score in zip(edges, scores, strict=True):
        prefix_scores.append(rounding(reached[edge.start] + score))
        reached[edge.end] = max(reached[edge.end], prefix_scores[-1])
    return prefix_scores


def _trace_best_path(
    ends: Sequence[Sequence[int]],
    edges: Sequence[Edge],
    scores: Sequence[float],
    prefix_scores: Sequence[float],
    rounding: Rounding,
) -> ScoredPath:
    """Returns the best path, traced back from the end, where rounding can make sums equal."""
    path: list[Edge] = []
    end, after, score = len(ends) - 1, 0.0, max(prefix_scores[number] for number in ends[-1])
    while end:
        sums = [rounding(prefix_scores[number] + after) for number in ends[end]]
        number = ends[end][sums.index(max(sums))]
        path.append(edges[number])
        end, after = edges[number].start, scores[number]
    return ScoredPath(path[::-1], score)


def _follow(partial: PartialPath) -> Iterator[Edge]:
    here: PartialPath | None = partial
    while here and here.edge:
        yield here.edge
        here = here.rest


def sample_path(found: Sequence[tuple[T, float]], alpha: float, generator: SplitMix64) -> T:
    """Draws one of the best segmentations, with its probability to a power (U48).

    Args:
        found: Segmentations and their scores; at least one.
        alpha: The exponent.
        generator: The random numbers; one draw is taken.

    Returns:
        The segmentation.

    >>> [sample_path([("ab", -1.0), ("a b", -2.0)], 1.0, SplitMix64(seed)) for seed in range(4)]
    ['a b', 'ab', 'ab', 'ab']
    """
    sums = list(accumulate(exp(alpha * score) for _, score in found))
    drawn = sums[-1] * WideFloat.of(generator.draw_fraction())
    reached = (one for (one, _), passed in zip(found, sums, strict=True) if drawn < passed)
    return next(reached, found[-1][0])
