"""The best few segmentations of a text, in order.

From the end of the text paths grow toward its start, the most promising first. How much a path can still
get is known exactly, from Viterbi's algorithm, so the first that arrives is the best, the second the
second best, and so on.

    a b     pieces a -1, b -1, ab -3        agenda: b (bound -2)  ab (bound -3)
                                            then a b (-2), found; ab (-3), found

Rules with numbers, such as U36, are those of `spec/unigram.md`.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import inf
from typing import NamedTuple, TypeVar

from piecework.reference.chance import SplitMix64
from piecework.reference.floats import Wide, exp
from piecework.reference.lattice import Edge, Rounding, by_end

T = TypeVar("T")
Row = tuple[tuple[T, ...], float]

MOST_PARTIALS, FEW_PARTIALS, MOST_SHRINKINGS = 10000, 512, 10
MOST_NEW, MOST_EVER = 100_000, 500_000


class Path(NamedTuple):
    """Gives a segmentation and its score."""

    edges: list[Edge]
    score: float


class Partial(NamedTuple):
    """Gives the end of a path.

    Args:
        bound: The score of the best whole path that ends so.
        score: Its own score.
        edge: Its first edge; None before there is one, and once it reaches the start of the text.
        rest: What follows that edge.
    """

    bound: float
    score: float
    edge: Edge | None
    rest: "Partial | None"


class Agenda:
    """Gives the partial path of the highest bound, again and again (U37).

    A binary heap, since it says what comes first of equal bounds: of the two below a free place the
    second moves up, unless it is lower; so it goes to the bottom; there the last of the heap is put, and
    rises past all that are lower.

    >>> agenda = Agenda()
    >>> for name, bound in [("a", -1.0), ("b", -1.0), ("c", -2.0)]:
    ...     agenda.push(Partial(bound, 0.0, Edge(0, 1, name), None))
    >>> [agenda.pop().edge.entry for _ in range(3)]
    ['a', 'b', 'c']
    """

    def __init__(self) -> None:
        self._heap: list[Partial] = []

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, partial: Partial) -> None:
        """Puts a partial path in."""
        self._heap.append(partial)
        self._rise(len(self._heap) - 1, partial)

    def pop(self) -> Partial:
        """Takes the one of the highest bound out."""
        top, last = self._heap[0], self._heap.pop()
        if self._heap:
            place = 0
            while (below := 2 * place + 1) < len(self._heap):
                second = below + 1
                if second < len(self._heap) and self._heap[second].bound >= self._heap[below].bound:
                    below = second
                self._heap[place], place = self._heap[below], below
            self._rise(place, last)
        return top

    def shrunk(self, size: int) -> "Agenda":
        """Gives an agenda of the first ones alone."""
        smaller = Agenda()
        for _ in range(min(size, len(self))):
            smaller.push(self.pop())
        return smaller

    def _rise(self, place: int, partial: Partial) -> None:
        while place and self._heap[above := (place - 1) // 2].bound < partial.bound:
            self._heap[place], place = self._heap[above], above
        self._heap[place] = partial


def nbest(
    size: int,
    edges: Sequence[Edge],
    scores: Sequence[float],
    wanted: int,
    rounded: Rounding = float,
) -> list[Path]:
    """Gives the best paths, best first (U36).

    Source: A*, from the end to the start, with Viterbi's scores as the bound, which is exact.

    Args:
        size: Characters of the text.
        edges: Its edges in order, all of them reachable; there is a path.
        scores: One for each edge.
        wanted: How many paths to give, if there are so many.
        rounded: What is done to each sum.

    Returns:
        Paths with their scores; the best alone where so many are nearly as good that the agenda gets
        too large again and again. Tie rule: as `Agenda` says. Cost: each path takes as many steps as
        it has edges, if few are nearly as good, and a step tries all edges that end at one place.

    >>> edges = [Edge(0, 1, "a"), Edge(0, 2, "ab"), Edge(1, 2, "b")]
    >>> [(len(path.edges), path.score) for path in nbest(2, edges, [-1.0, -3.0, -1.0], 9)]
    [(2, -2.0), (1, -3.0)]
    """
    ends, through = by_end(size, edges), _through(size, edges, scores, rounded)
    found: list[Path] = []
    few, shrinkings, before, made = min(FEW_PARTIALS, 10 * wanted), 0, 0, 1
    agenda = Agenda()
    agenda.push(Partial(0.0, 0.0, None, None))
    while agenda and len(found) < wanted:
        top = agenda.pop()
        if top.rest and not top.edge:
            found.append(Path(list(_edges(top.rest)), top.score))
            continue
        start = top.edge.start if top.edge else size
        for number in ends[start]:
            bound, score = through[number] + top.score, scores[number] + top.score
            agenda.push(Partial(rounded(bound), rounded(score), edges[number], top))
        if not start:
            agenda.push(Partial(top.score, top.score, None, top))
        made += len(ends[start]) + (not start)
        is_large = len(agenda) >= MOST_PARTIALS or (len(agenda) > few and made - before >= MOST_NEW)
        if made >= MOST_EVER or (is_large and shrinkings == MOST_SHRINKINGS):
            return [_alone(ends, edges, scores, through, rounded)]
        if is_large:
            agenda = agenda.shrunk(few)
            shrinkings, before = shrinkings + 1, made
    return found


def joined(rows: Sequence[Row[T]], paths: Sequence[tuple[T, float]], wanted: int) -> list[Row[T]]:
    """Joins the best rows of the words so far and the best paths of the next word (U46).

    Args:
        rows: Paths of the words so far, and the sums of their scores, the best first.
        paths: Those of the next word, with their scores, the best first.
        wanted: How many rows to give, if there are so many.

    Returns:
        Rows with one path more each, the best first. Tie rule: the row that came first, then the path.
        Cost: a little more than in proportion to the rows wanted.

    >>> joined([(("a",), -1.0), (("b",), -2.0)], [("c", -1.0), ("d", -1.5)], 3)
    [(('a', 'c'), -2.0), (('a', 'd'), -2.5), (('b', 'c'), -3.0)]
    """
    pairs = [
        ((*row, path), total + score)
        for place, (row, total) in enumerate(rows, 1)
        for path, score in paths[: wanted // place]
    ]
    if len(rows) > 1 and len(paths) > 1:
        pairs.sort(key=lambda pair: -pair[1])  # equal ones stay in their order
    return pairs[:wanted]


def _through(
    size: int, edges: Sequence[Edge], scores: Sequence[float], rounded: Rounding
) -> list[float]:
    """Gives the score of the best path from the start through each edge, to its end."""
    reached: list[float] = [0.0] + [-inf] * size
    through: list[float] = []
    for edge, score in zip(edges, scores, strict=True):
        through.append(rounded(reached[edge.start] + score))
        reached[edge.end] = max(reached[edge.end], through[-1])
    return through


def _alone(
    ends: Sequence[Sequence[int]],
    edges: Sequence[Edge],
    scores: Sequence[float],
    through: Sequence[float],
    rounded: Rounding,
) -> Path:
    """Gives the best path, followed back from the end, where rounding may make sums equal."""
    path: list[Edge] = []
    place, after, score = len(ends) - 1, 0.0, max(through[number] for number in ends[-1])
    while place:
        sums = [rounded(through[number] + after) for number in ends[place]]
        number = ends[place][sums.index(max(sums))]
        path.append(edges[number])
        place, after = edges[number].start, scores[number]
    return Path(path[::-1], score)


def _edges(partial: Partial) -> Iterator[Edge]:
    here: Partial | None = partial
    while here and here.edge:
        yield here.edge
        here = here.rest


def sampled(found: Sequence[tuple[T, float]], alpha: float, generator: SplitMix64) -> T:
    """Draws one of the best segmentations, each with its probability to a power (U48).

    Args:
        found: Segmentations and their scores; there is one.
        alpha: The power.
        generator: One draw is taken.

    Returns:
        The segmentation.

    >>> [sampled([("ab", -1.0), ("a b", -2.0)], 1.0, SplitMix64(seed)) for seed in range(4)]
    ['a b', 'ab', 'ab', 'ab']
    """
    sums = list(accumulate(exp(alpha * score) for _, score in found))
    drawn = sums[-1] * Wide.of(generator.fraction())
    reached = (one for (one, _), passed in zip(found, sums, strict=True) if drawn < passed)
    return next(reached, found[-1][0])
