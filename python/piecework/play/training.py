"""Runs the trainings that the page asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import piecework as pw
from piecework._settings.choices import Criterion
from piecework.errors import ConfigError
from piecework.training._tracing.examples import EXAMPLES, example
from piecework.training._tracing.unigram import UnigramTrace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework.play.cancellation import Cancellation
    from piecework.play.fields import Fields
    from piecework.trainers import Trainer
    from piecework.training._tracing.merges import MergeTrace

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
MODELS = ("wordpiece", "bpe", "byte-bpe", "unigram")
_MAX_VOCABULARY = 10_000
_MAX_SIDE_BY_SIDE = 4_000
"""The largest vocabulary with several criteria: each has an answer of its own, of about 1.6 kilobytes for each merge."""
_MAX_WORD = 200_000
"""The largest number of characters without white space in the text of a training."""
_TOP = 8
"""The number of candidates of each step that the page shows."""
_WORDS = 100
"""The number of words whose segmentations the page shows."""


def train(fields: Fields, cancellation: Cancellation) -> dict[str, MergeTrace | UnigramTrace]:
    """Runs the training of a request: of an example of the notes by its name, or of a text with settings.

    Args:
        fields: The members of the request.
        cancellation: What can end the training.

    Returns:
        The records by criterion; by the name of the model if there is no choice.

    Raises:
        CancelledAnswerError: The training was cancelled.
        ConfigError: A member is invalid.
    """
    is_side_by_side = fields.flag("side_by_side")
    counts: Any
    if fields.has("example"):
        counts, trainer = example(fields.choice("example", EXAMPLES))
    else:
        counts = [_checked(fields.text("text"))]
        trainer = _trainer(fields, _MAX_SIDE_BY_SIDE if is_side_by_side else _MAX_VOCABULARY)
    if not is_side_by_side:
        fields.end()
        traced = pw.trace(counts, trainer, top=_TOP, words=_WORDS, progress=cancellation.check)
        return {getattr(trainer, "criterion", traced.tokenizer.model_type): traced}
    if not isinstance(trainer, pw.WordPieceTrainer):
        raise ConfigError("requires WordPiece", setting="side_by_side")
    fields.end()
    # The criterion of the settings comes first: its tokenizer is the one that other views show.
    criteria = (trainer.criterion, *(name for name in CRITERIA if name != trainer.criterion))
    traces = pw.trace_criteria(
        counts, trainer, criteria=criteria, top=_TOP, words=_WORDS, progress=cancellation.check
    )
    return dict(traces.items())


def _checked(text: str) -> str:
    """Returns a text, or raises ConfigError for one with a word whose training would take minutes."""
    longest = max(map(len, text.split()), default=0)
    if longest > _MAX_WORD:
        message = f"expected words of at most {_MAX_WORD:,} characters, found one of {longest:,}"
        raise ConfigError(message, setting="text")
    return text


def _trainer(fields: Fields, most: int) -> Trainer:
    model = fields.choice("model", MODELS)
    size = fields.integer("vocab_size", 1, most)
    if model == "unigram":
        return pw.UnigramTrainer(size)
    ties: Any = fields.choice("ties", ("lex", "first"), "lex")
    if model == "wordpiece":
        criterion: Any = fields.choice("criterion", CRITERIA, "likelihood")
        return pw.WordPieceTrainer(size, criterion=criterion, ties=ties)
    trainer = pw.BpeTrainer(size, ties=ties)
    return replace(trainer, alphabet="byte") if model == "byte-bpe" else trainer


def examples_with_criteria() -> list[str]:
    """Returns the names of the examples that can be trained by several criteria.

    >>> examples_with_criteria()
    ['note-000', 'note-001', 'note-002', 'note-004']
    """
    return [name for name in EXAMPLES if isinstance(example(name)[1], pw.WordPieceTrainer)]


def readable_tokens(traces: Iterable[MergeTrace | UnigramTrace]) -> dict[str, str]:
    """Returns the readable forms of the tokens and words of traces; those that are equal are left out.

    >>> import piecework as pw
    >>> readable_tokens([pw.trace(["a b"], pw.BpeTrainer(300, alphabet="byte"))])["Ġb"]
    ' b'
    """
    readable = {}
    for trace in traces:
        show = trace.tokenizer.display_token
        for token in _names(trace):
            if (shown := show(token)) != token:
                readable[token] = shown
    return readable


def _names(trace: MergeTrace | UnigramTrace) -> set[str]:
    """Returns the tokens and words of a trace."""
    names = set(trace.tokenizer.vocab)
    if isinstance(trace, UnigramTrace):
        lists = ((step.removed, step.kept, step.most_probable) for step in trace)
        return names.union(found.piece for each in lists for pieces in each for found in pieces)
    return names.union(word.word for word in trace.word_traces)
