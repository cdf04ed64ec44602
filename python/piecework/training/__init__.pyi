"""Trains tokenizers, and records trainings step by step."""

from piecework.training._tracing.base import Trace as Trace
from piecework.training._tracing.criteria import CriteriaTrace as CriteriaTrace
from piecework.training._tracing.examples import EXAMPLES as EXAMPLES, example as example
from piecework.training._tracing.merges import MergeTrace as MergeTrace
from piecework.training._tracing.record import trace as trace, trace_criteria as trace_criteria
from piecework.training._tracing.steps import (
    Candidate as Candidate,
    MergeTraceStep as MergeTraceStep,
    TracedWord as TracedWord,
    WordTrace as WordTrace,
)
from piecework.training._tracing.unigram import (
    ScoredPiece as ScoredPiece,
    UnigramTrace as UnigramTrace,
    UnigramTraceStep as UnigramTraceStep,
)
from piecework.training._train import train as train
