"""A walk-through of a training on four sentences of Hugging Face's course, merge by merge.

`python -m piecework.reference` prints, for each of the 25 merges, the pair, its score, the number
of pairs with that score, and the best of the other pairs. Nearly every step is a tie: with so
little text the tie rule decides as often as the criterion. Here the pair that occurs first wins.
"""

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction

from piecework.reference.learn.counts import count_words, sort_counts
from piecework.reference.learn.merging import Merge
from piecework.reference.learn.pairs import Pair
from piecework.reference.learn.settings import WordPieceTrainer
from piecework.reference.learn.wordpiece_train import WordPieceTraining
from piecework.reference.text.bert import BertNormalizer
from piecework.reference.tokenizer import Tokenizer

SENTENCES = (
    "This is the Hugging Face Course.",
    "This chapter is about tokenization.",
    "This section shows several tokenizer algorithms.",
    "Hopefully, you will be able to understand how they are trained and generate tokens.",
)


def walk() -> Iterator[str]:
    """Yields the lines of the walk-through.

    Returns:
        Lines of text, without line ends.

    >>> lines = list(walk())
    >>> lines[7].split()
    ['1', 'a', '##b', 'ab', '1/5', '0.2000', '2', '##f', '##u', '1/5']
    """
    cased = BertNormalizer(lowercase=False)
    words = sort_counts(count_words(SENTENCES, normalizer=cased))
    training = WordPieceTraining(words, WordPieceTrainer(70, criterion="pmi", ties="first"))
    yield f"{sum(words.values())} words, {len(words)} of them different: {' '.join(words)}"
    yield ""
    yield from _entries("alphabet and special tokens", training.vocabulary)
    yield ""
    yield "A pair that stands n times, of symbols that stand a and b times, scores n / (a * b)."
    yield f"{'step':>4}  {'merge':18}{'gives':11}{'score':>16}{'ties':>6}   next best"
    while True:
        candidates = {
            _names(candidate.pair): candidate.value for candidate in training.candidates()
        }
        merge = training.step()
        if merge is None:
            break
        yield _line(len(training.history), merge, candidates)
    yield ""
    trained = training.finish()
    yield from _entries("vocabulary", trained.vocabulary)
    tokenizer = Tokenizer(trained.vocabulary, normalizer=cased, counts=trained.counts)
    tokens = tokenizer.encode(SENTENCES[0])
    yield ""
    yield SENTENCES[0]
    yield "tokens  " + " ".join(token.text for token in tokens)
    yield "ids     " + " ".join(str(token.id) for token in tokens)
    yield "back    " + tokenizer.decode(token.id for token in tokens)


def _names(pair: Pair) -> tuple[str, str]:
    return pair[0].render("##"), pair[1].render("##")


def _line(step: int, merge: Merge, candidates: dict[tuple[str, str], Fraction]) -> str:
    score = candidates.pop((merge.left, merge.right))
    pair = f"{merge.left} {merge.right}"
    line = f"{step:4}  {pair:18}{merge.token:11}{score!s:>7}{merge.score:9.4f}{merge.ties:6}"
    if not candidates:
        return line
    second = max(candidates, key=lambda names: candidates[names])
    return f"{line}   {' '.join(second)}  {candidates[second]}"


def _entries(title: str, vocabulary: list[str]) -> Iterator[str]:
    yield f"{title} ({len(vocabulary)}):"
    yield "  " + " ".join(vocabulary)


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # `| head` has seen enough
        for printed in walk():
            print(printed, flush=True)
